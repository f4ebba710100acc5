//! The Python package beside the newest libraries, on the newest Python that is here, and beside the oldest that it takes.
//!
//! Other environments hold the versions that cases were recorded from. The wheel is the same everywhere: it needs nothing of a Python
//! but its stable interface.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::python::{install, interpreter_of, pip, pytest, ready, target};
use crate::sh::{leave_out, program};

/// What builds the wheel and runs the tests.
const TESTERS: &[&str] = &["maturin>=1.9.4,<2", "pytest>=8", "pytest-xdist>=3.6", "hypothesis>=6.100"];

/// Whatever is the newest on the day.
const NEWEST: &[&str] = &["numpy", "ml_dtypes", "jax", "zarr", "dask[array]", "xarray", "pandas"];

const NEWEST_HOME: &str = "python-env-newest";

/// The table of newest libraries in docs/BENCHMARKS.md is measured beside these. Some gigabytes: only for measuring.
const MEASURED: &[&str] = &["numpy", "torch"];

/// The oldest NumPy of `pyproject.toml`, and the oldest JAX that is compared with.
const OLDEST: &[&str] = &["numpy==1.26.*", "jax==0.6.*", "jaxlib==0.6.*"];

/// Files of tests that meet a library.
const MEETING: &[&str] = &[
    "test_jax",
    "test_parts_jax",
    "test_numpy_own",
    "test_foreign",
    "test_foreign_pairs",
    "test_foreign_text",
    "test_arithmetic",
    "test_records",
    "test_extremes",
    "test_dask",
    "test_xarray",
    "test_xarray_zarr",
];
const MEETING_OLD: &[&str] =
    &["test_plain", "test_functions", "test_jax", "test_foreign_text", "test_records", "test_search"];

/// Both, or the one named; arguments after its name go to pytest.
pub(crate) fn pairs(arguments: &[String]) -> Outcome {
    let (name, more) = arguments.split_first().map_or((None, arguments), |(first, rest)| (Some(first.as_str()), rest));
    match name {
        None => newest(more).and_then(|()| oldest(more)),
        Some("newest") => newest(more),
        Some("oldest") => oldest(more),
        Some(other) => Err(format!("no pair is called {other:?}; there are newest and oldest")),
    }
}

/// Both environments, made if need be.
pub(crate) fn environments() -> Outcome {
    if let Some(python) = python() {
        ready(&python, &target().join(NEWEST_HOME), TESTERS, NEWEST)?;
    }
    with_oldest().map(|_| ())
}

fn with_oldest() -> Result<Option<PathBuf>, String> {
    ready(Path::new("python3"), &target().join("python-env-oldest"), TESTERS, OLDEST)
}

fn newest(arguments: &[String]) -> Outcome {
    let Some(interpreter) = newest_with(NEWEST_HOME, NEWEST)? else {
        return leave_out("the Python tests beside the newest libraries");
    };
    tested(&interpreter, MEETING, arguments)
}

fn oldest(arguments: &[String]) -> Outcome {
    match with_oldest()? {
        Some(interpreter) => tested(&interpreter, MEETING_OLD, arguments),
        None => leave_out("the Python tests beside the oldest libraries"),
    }
}

fn tested(interpreter: &Path, files: &[&str], arguments: &[String]) -> Outcome {
    install(interpreter, "dev")?;
    let files = files.iter().map(|name| format!("python/tests/{name}.py"));
    pytest(interpreter, files).args(["-q"]).args(arguments).run()
}

/// The interpreter beside which that table is measured.
pub(crate) fn measured() -> Result<PathBuf, String> {
    newest_with("python-env-newest-measured", MEASURED)?
        .ok_or_else(|| format!("no Python of version 3.12 or later, or not to be had: {}", MEASURED.join(", ")))
}

/// An environment of the newest Python with the newest libraries: those that have come out since are installed now.
fn newest_with(folder: &str, libraries: &[&str]) -> Result<Option<PathBuf>, String> {
    let Some(python) = python() else {
        println!("No Python of version 3.12 or later is on the path or under pyenv; TAKEWISE_PYTHON_NEWEST names one.");
        return Ok(None);
    };
    let base = target().join(folder);
    let Some(interpreter) = ready(&python, &base, TESTERS, libraries)? else { return Ok(None) };
    let upgraded = program(&interpreter_of(&base)).args(pip()).args(["--upgrade"]).args(libraries).run();
    if upgraded.is_err() {
        println!("No registry could be asked for newer libraries: those are used that are here.");
    }
    program(&interpreter).args(["-m", "pip", "list", "--format", "freeze"]).run()?;
    Ok(Some(interpreter))
}

/// The newest Python here, from version 3.12 on.
fn python() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("TAKEWISE_PYTHON_NEWEST") {
        return Some(given.into());
    }
    let works = |path: &Path| program(path).args(["-c", "import venv, ctypes, sqlite3"]).works();
    (12..30).rev().find_map(|minor| {
        let named = PathBuf::from(format!("python3.{minor}"));
        std::iter::once(named).chain(under_pyenv(minor)).find(|path| works(path))
    })
}

/// Pythons of a version that pyenv has, the newest first. A letter after the number is another build of it.
fn under_pyenv(minor: u32) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pyenv"));
    let Some(root) = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(home) else { return Vec::new() };
    let start = format!("3.{minor}.");
    let patch = |path: &Path| path.file_name()?.to_str()?.strip_prefix(&start)?.parse::<u32>().ok();
    let entries = fs::read_dir(root.join("versions")).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.filter_map(|entry| Some((patch(&entry.path())?, entry.path()))).collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path.join("bin/python")).collect()
}
