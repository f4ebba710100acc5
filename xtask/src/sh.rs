//! Running programs from the root of the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use crate::Outcome;

/// What a gate could not run for want of a registry.
static LEFT_OUT: Mutex<Vec<String>> = Mutex::new(Vec::new());

const NO_REGISTRY: &str = "Not to be had here: ";
const DID_NOT_RUN: &str = ", did not run.";

/// What a line of another job's output says was left out.
pub(crate) fn told_left_out(line: &str) -> Option<&str> {
    line.strip_prefix(NO_REGISTRY)?.strip_suffix(DID_NOT_RUN)
}

/// Notes that something did not run, which the gate says again at its end.
pub(crate) fn leave_out(what: &str) -> Outcome {
    println!("{NO_REGISTRY}{what}{DID_NOT_RUN}");
    if let Ok(mut left) = LEFT_OUT.lock() {
        left.push(what.to_owned());
    }
    Ok(())
}

/// What did not run so far.
pub(crate) fn left_out() -> Vec<String> {
    LEFT_OUT.lock().map(|left| left.clone()).unwrap_or_default()
}

/// The root of the repository, wherever the job was started from.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// One command about to run: shown, timed, started in the root and without standard input.
pub(crate) struct Step {
    command: Command,
    shown: String,
}

/// The cargo that runs this job.
pub(crate) fn cargo(arguments: &[&str]) -> Step {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Step::new(Command::new(program), "cargo").args(arguments)
}

/// cargo of another toolchain, by way of rustup.
pub(crate) fn cargo_of(toolchain: &str, arguments: &[&str]) -> Step {
    let step = Step::new(Command::new("rustup"), "rustup").args(["run", toolchain, "cargo"]);
    let mut step = step.args(arguments);
    // Inherited from the cargo that runs this job, they would point the other toolchain back at this one.
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        step.command.env_remove(name);
    }
    step
}

/// A program by its path or name.
pub(crate) fn program(path: &Path) -> Step {
    Step::new(Command::new(path), &path.to_string_lossy())
}

/// A line for the shell, for commands that are written down elsewhere.
pub(crate) fn shell(line: &str) -> Step {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    Step::new(command, line)
}

impl Step {
    fn new(mut command: Command, shown: &str) -> Self {
        command.current_dir(root()).stdin(Stdio::null());
        Self { command, shown: shown.to_owned() }
    }

    pub(crate) fn args<S: AsRef<str>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        for argument in arguments {
            self.command.arg(argument.as_ref());
            self.shown.push(' ');
            self.shown.push_str(argument.as_ref());
        }
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self.shown = format!("{name}={value:?} {}", self.shown);
        self
    }

    /// The folder of a program comes first where programs are looked for: others of its environment stand there.
    pub(crate) fn beside(self, program: &Path) -> Self {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let folder = program.parent().map(Path::to_path_buf);
        let paths = std::env::join_paths(folder.into_iter().chain(std::env::split_paths(&others)));
        match paths {
            Ok(paths) => self.env("PATH", &paths.to_string_lossy()),
            Err(_) => self,
        }
    }

    /// Runs it with its output shown.
    pub(crate) fn run(mut self) -> Outcome {
        println!("$ {}", self.shown);
        let start = Instant::now();
        let status = self.command.status().map_err(|error| format!("cannot start `{}`: {error}", self.shown))?;
        println!("  {:.1} s", start.elapsed().as_secs_f64());
        if status.success() { Ok(()) } else { Err(format!("`{}` failed: {status}", self.shown)) }
    }

    /// Runs it and returns what it wrote to standard output.
    pub(crate) fn output(mut self) -> Result<String, String> {
        let output = self
            .command
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot start `{}`: {error}", self.shown))?;
        if !output.status.success() {
            return Err(format!("`{}` failed: {}", self.shown, output.status));
        }
        String::from_utf8(output.stdout).map_err(|_| format!("`{}` printed bytes that are not UTF-8", self.shown))
    }

    /// Whether it runs and succeeds, with its output thrown away.
    pub(crate) fn works(mut self) -> bool {
        self.command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }
}
