//! How long building takes, in target directories of its own: what docs/lab/build.md says.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::Outcome;
use crate::python::target;
use crate::sh::shell;

/// What is built, by a line of the shell; `$TARGET` is a new folder, and `$VENV` one for an environment of Python's.
const BUILDS: &[(&str, &str)] = &[
    ("the engine, release", "cargo build --release -p takewise"),
    ("README's first command", "cargo run --release -p takewise-cli -- info data/digits.npy"),
    ("pip install .", "python3 -m venv \"$VENV\" && \"$VENV/bin/pip\" install --quiet ."),
    ("tests of the whole workspace, not run", "cargo test --workspace --no-run"),
    ("unit tests of the engine", "cargo test -q -p takewise --lib"),
    ("the same after a change in exec/", "touch crates/takewise/src/exec/run.rs && cargo test -q -p takewise --lib"),
    (
        "the same after a change in a kernel",
        "touch crates/takewise-kernels/src/kernel/cpu.rs && cargo test -q -p takewise --lib",
    ),
];

/// Builds each once, those of the same profile into the same folder in this order, and prints seconds; with names only those whose
/// line has one.
pub(crate) fn builds(names: &[String]) -> Outcome {
    let folder = target().join("builds");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    println!("{:>8} {:>8}  seconds, and seconds of the processor", "", "");
    for (name, line) in BUILDS {
        if !names.is_empty() && !names.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        let inside = folder.join(if line.contains("cargo test") { "dev" } else { name });
        if !line.contains("-p takewise --lib") && inside.exists() {
            fs::remove_dir_all(&inside).map_err(failed)?;
        }
        fs::create_dir_all(&inside).map_err(failed)?;
        let (seconds, work) = timed(line, &inside)?;
        println!("{seconds:>8.0} {work:>8.0}  {name}");
    }
    let program = folder.join("README's first command/release/takewise");
    if let Ok(about) = fs::metadata(&program) {
        println!("{:>8.1} MB: the command takewise", about.len() as f64 / 1e6);
    }
    Ok(())
}

/// Seconds that a line takes, and seconds that processors were at work for it.
fn timed(line: &str, inside: &Path) -> Result<(f64, f64), String> {
    let times = inside.join("times");
    let shown = format!("{{ {line}; }} && times > \"$TARGET/times\"");
    let start = Instant::now();
    shell(&shown)
        .env("TARGET", &inside.to_string_lossy())
        .env("CARGO_TARGET_DIR", &inside.to_string_lossy())
        .env("VENV", &inside.join("venv").to_string_lossy())
        .run()?;
    let seconds = start.elapsed().as_secs_f64();
    let text = fs::read_to_string(&times).map_err(|error| format!("{}: {error}", times.display()))?;
    // The second line is that of the programs that were started: `1m2.5s 0m3.1s`.
    let spent = text.lines().nth(1).unwrap_or_default().split_whitespace().filter_map(minutes).sum();
    Ok((seconds, spent))
}

fn minutes(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m')?;
    Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::minutes;
    use crate::sh::root;

    #[test]
    fn what_the_shell_says_of_its_programs_is_read() {
        assert_eq!(minutes("1m2.50s"), Some(62.5));
        assert_eq!(minutes("-"), None);
    }

    #[test]
    fn what_is_measured_is_there() {
        assert!(root().join("crates/takewise/src/exec/run.rs").exists());
        assert!(root().join("data/digits.npy").exists());
    }
}
