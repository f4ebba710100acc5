//! Zarr arrays, and Parquet and Arrow tables beside them: a workspace of its own, as codecs are over a hundred crates.

use crate::python::{AS_INSTALLED, Home, Package, TAKEWISE, home, install, install_package};
use crate::sh::{cargo, leave_out, program, root};
use crate::{Outcome, wheels};
use std::path::Path;

pub(crate) const MANIFEST: &str = "crates/takewise-zarr/Cargo.toml";

/// What it is built in.
pub(crate) const TARGET: &str = "target/zarr";

/// What writes the stores and files that its tests read, and what opens them by names.
pub(crate) const ZARR: Home = Home {
    folder: "python-env-zarr",
    tools: &["maturin>=1.9.4,<2", "numpy>=2", "pytest>=8", "hypothesis>=6.100", "mypy>=1.18"],
    library: &[
        "zarr>=3.1,<4",
        "tensorstore",
        "fsspec",
        "obstore",
        "icechunk",
        "moto[server]",
        "xarray==2026.9.0",
        "dask[array]==2026.8.0",
        "pyarrow>=18",
        "gguf>=0.10",
    ],
};

/// Lints and tests of the crates, then the Python package beside what writes such stores. With `--rust` the tests of the crates alone,
/// in a target directory of its own, with `--lints` their lints, with `--python` the package alone; with `--remote` other features: stores behind URLs, whose client is another
/// hundred crates, and the command without Zarr.
pub(crate) fn zarr(arguments: &[String]) -> Outcome {
    if let Some((_, rest)) = arguments.split_first().filter(|(flag, _)| *flag == "--python") {
        return in_python(rest);
    }
    let of = |job: &[&str]| cargo(job).args(["--manifest-path", MANIFEST, "--target-dir", TARGET]);
    cargo(&["fmt", "--manifest-path", MANIFEST, "--all", "--", "--check"]).run()?;
    if !matches!(arguments, [flag] if flag == "--rust") {
        of(&["clippy", "--workspace", "--all-targets"]).args(["--", "-D", "warnings"]).run()?;
    }
    if matches!(arguments, [flag] if flag == "--lints") {
        return Ok(());
    }
    of(&["test", "--workspace", "--locked"]).run()?;
    if matches!(arguments, [flag] if flag == "--rust") {
        return Ok(());
    }
    if matches!(arguments, [flag] if flag == "--remote") {
        let remote = ["--features", "takewise-zarr/remote,takewise-zarr-cli/remote"];
        of(&["clippy", "--workspace", "--all-targets"]).args(remote).args(["--", "-D", "warnings"]).run()?;
        of(&["test", "--workspace", "--locked", "--lib", "--tests"]).args(remote).run()?;
        let tables = ["-p", "takewise-zarr-cli", "--no-default-features", "--features", "arrow"];
        of(&["clippy", "--all-targets"]).args(tables).args(["--", "-D", "warnings"]).run()?;
        return of(&["test", "--locked"]).args(tables).run();
    }
    in_python(arguments)
}

/// The tests of the Python package; arguments go to pytest.
fn in_python(arguments: &[String]) -> Outcome {
    let Some(interpreter) = home(&ZARR)? else { return leave_out("the tests beside zarr-python") };
    let wheels = [&TAKEWISE, &PACKAGE].map(|package| install_package(&interpreter, package, "dev"));
    let folders = wheels.into_iter().map(|wheel| Ok(wheel?.parent().map(Path::to_path_buf).unwrap_or_default()));
    wheels::from_folders(&folders.collect::<Result<Vec<_>, String>>()?)?;
    let package = root().join("crates/takewise-zarr/python");
    let [settings, tests] = ["pyproject.toml", "tests"].map(|name| package.join(name).to_string_lossy().into_owned());
    let by_name = root().join("python/tests/test_xarray_zarr.py").to_string_lossy().into_owned();
    let examples = ["--doctest-modules", "--pyargs", "takewise_zarr", "takewise.zarr", "takewise._table"];
    program(&interpreter)
        .args(["-m", "pytest", "-c"])
        .args([settings, tests, by_name])
        .args(examples)
        .args(arguments)
        .run()
}

/// Measures reads and writes beside tensorstore and zarr-python, as released; with `--as-installed` what is there.
pub(crate) fn bench(arguments: &[String]) -> Outcome {
    let Some(interpreter) = home(&ZARR)? else { return Err(format!("{} cannot be had here", ZARR.library.join(" "))) };
    if !arguments.iter().any(|argument| argument == AS_INSTALLED) {
        install_both(&interpreter, "wheel")?;
    }
    program(&interpreter).args(["bench/python/chunked.py"]).args(arguments.iter().filter(|a| *a != AS_INSTALLED)).run()
}

/// The package for Zarr.
const PACKAGE: Package = Package { folder: "crates/takewise-zarr/python", target: || root().join(TARGET) };

/// Installs the package itself, and that for Zarr.
pub(crate) fn install_both(interpreter: &Path, profile: &str) -> Outcome {
    install(interpreter, profile)?;
    install_package(interpreter, &PACKAGE, profile).map(|_| ())
}
