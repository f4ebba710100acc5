//! The Python package: built as `pip install .` builds it, into a virtual environment of its own, and tested there.
//!
//! The extension is built with the development profile in the common target directory, so that it shares the crates the
//! Rust tests have built already.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::sh::{program, root};

/// What builds and tests the package. Its own dependencies are in `pyproject.toml`.
const TOOLS: &[&str] =
    &["maturin>=1.9.4,<2", "numpy>=2", "pytest>=8", "hypothesis>=6.100", "ml_dtypes>=0.4", "mypy>=1.18"];

/// Libraries the package is compared with where they can be had; its tests pass without.
const COMPARED: &[&str] = &["jax>=0.6"];

/// Builds, installs and tests; arguments go to pytest.
pub(crate) fn python(arguments: &[String]) -> Outcome {
    let interpreter = environment()?;
    install(&interpreter, "dev")?;
    let step = program(&interpreter).args(["-m", "pytest", "python/tests", "--pyargs", "takewise"]);
    step.args(arguments).run()
}

/// Builds, installs and runs random calls; arguments go to `tools/python/fuzz.py`, those after `gradients` to
/// `tools/python/fuzz_grad.py`.
pub(crate) fn fuzz(arguments: &[String]) -> Outcome {
    let interpreter = environment()?;
    install(&interpreter, "dev")?;
    let (script, arguments) = match arguments.split_first() {
        Some((first, rest)) if first == "gradients" => ("tools/python/fuzz_grad.py", rest),
        _ => ("tools/python/fuzz.py", arguments),
    };
    program(&interpreter).args([script]).args(arguments).run()
}

/// Measures small calls; arguments go to `bench/python/overhead.py`.
pub(crate) fn overhead(arguments: &[String]) -> Outcome {
    measured("bench/python/overhead.py", arguments)
}

/// Builds as it is released, installs, and runs a script that measures.
pub(crate) fn measured(script: &str, arguments: &[String]) -> Outcome {
    let interpreter = environment()?;
    install(&interpreter, "wheel")?;
    program(&interpreter).args([script]).args(arguments).run()
}

/// The interpreter the tests run on: `TAKEWISE_PYTHON` as it is, else that of our own environment, made if need be.
fn environment() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("TAKEWISE_PYTHON") {
        return Ok(given.into());
    }
    let base = target().join("python-env");
    let interpreter = base.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = base.join("tools.txt");
    let wanted = [TOOLS, COMPARED].concat().join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && program(&interpreter).args(["-V"]).works() {
        return Ok(interpreter);
    }
    make(&base)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    program(&interpreter).args(pip).args(TOOLS).run()?;
    if program(&interpreter).args(pip).args(COMPARED).run().is_err() {
        println!("Not to be had here: {}. Tests that need it are skipped.", COMPARED.join(", "));
    }
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(interpreter)
}

/// An empty environment with pip in it.
fn make(base: &Path) -> Outcome {
    let python = Path::new("python3");
    let recent = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !program(python).args(["-c", recent]).works() {
        return Err("the Python package needs python3 of version 3.11 or later; name another by TAKEWISE_PYTHON".into());
    }
    let folder = base.to_string_lossy();
    if program(python).args(["-m", "venv", "--clear", &folder]).run().is_ok() {
        return Ok(());
    }
    // Debian splits ensurepip off. A pip outside can put one into an environment without.
    let bare = program(python).args(["-m", "venv", "--clear", "--without-pip", &folder]).run();
    let inside = base.join("bin/python");
    let pip = ["-m", "pip", "--python", &inside.to_string_lossy(), "install", "--quiet", "pip"];
    bare.and_then(|()| program(python).args(pip).run()).map_err(|_| {
        "python3 can make no virtual environment with pip in it: install its venv module (on Debian and Ubuntu the \
         package python3-venv), or name an interpreter that has maturin, numpy, pytest and hypothesis by TAKEWISE_PYTHON"
            .into()
    })
}

/// `pip install .`, with the tools already there and a profile of cargo's.
fn install(interpreter: &Path, profile: &str) -> Outcome {
    let profile = format!("--config-settings=build-args=--profile {profile}");
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let how = ["--no-build-isolation", "--no-deps", "--force-reinstall", &profile];
    let step = program(interpreter).args(quiet).args(how).args(["."]);
    // The build runs the command `maturin`, which stands beside the interpreter.
    let beside = interpreter.parent().map(Path::to_path_buf);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(beside.into_iter().chain(std::env::split_paths(&paths)));
    let paths = paths.map_err(|error| format!("PATH: {error}"))?;
    step.env("PATH", &paths.to_string_lossy()).env("CARGO_TARGET_DIR", &target().to_string_lossy()).run()
}

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |set| root().join(set))
}
