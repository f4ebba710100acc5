//! The wheels of a release, tried as they will be installed: on this machine, and as on 64-bit ARM under QEMU.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Outcome;
use crate::python::{Home, PYTHON, home, interpreter_of, make, pip, target};
use crate::sh::{leave_out, program, root};

/// An environment that only sees the wheel.
const FRESH: Home = Home {
    folder: "python-env-wheel",
    tools: &["numpy>=2", "pytest>=8", "pytest-xdist>=3.6", "hypothesis>=6.100", "maturin>=1.9.4,<2"],
    library: &["ml_dtypes>=0.4"],
};

/// What the tests need beside the wheel.
const BESIDE: &[&str] = &["numpy>=2", "pytest>=8", "hypothesis>=6.100"];

/// The files of tests that run under QEMU, where a call takes twenty times as long. A program cannot start another there.
const EMULATED: &[&str] = &[
    "test_plain",
    "test_functions",
    "test_search",
    "test_prepared",
    "test_foreign_pairs",
    "test_threads",
    "test_chunks",
];
const LEFT_OUT: &str = "not fork";

const EMULATOR: &str = "qemu-aarch64";

/// A Python for 64-bit ARM, and what it is linked with, as Debian names the packages.
const PACKAGES: &[&str] = &[
    "libbz2-1.0",
    "libc6",
    "libexpat1",
    "libffi8",
    "libgcc-s1",
    "liblzma5",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libsqlite3-0",
    "libssl3",
    "libstdc++6",
    "libuuid1",
    "python3.11-minimal",
    "zlib1g",
];

/// Tests each wheel in a folder. One that cannot be tested here is named.
pub(crate) fn tried(folder: &Path) -> Outcome {
    let mut wheels: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "whl"))
        .collect();
    wheels.sort();
    from_folders(&[folder.to_path_buf()])?;
    for wheel in wheels {
        let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wheel = wheel.to_string_lossy().into_owned();
        if name.starts_with("takewise_zarr") {
            // Its tests run before a release, on what is built of the same sources.
            continue;
        }
        if name.contains(std::env::consts::ARCH) {
            here(&wheel)?;
        } else if name.contains("aarch64") {
            emulated(&wheel)?;
        } else {
            leave_out(&format!("the test of {name}"))?;
        }
    }
    Ok(())
}

/// What a new user does, and what is then there: both packages, of one version.
const FIRST: &str = "import importlib.metadata as of, numpy as np, takewise, takewise.zarr, takewise_zarr
assert takewise.take(np.arange(3), [2, 0]).tolist() == [2, 0]
assert takewise.__version__ == of.version('takewise') == of.version('takewise-zarr')";

/// Seconds that an installation may take whose files are here.
const SECONDS: f64 = 10.0;

/// Installs `takewise[zarr]` into a fresh environment from folders of wheels, without an index, and begins to use it. NumPy is there before.
pub(crate) fn from_folders(folders: &[PathBuf]) -> Outcome {
    let base = target().join("python-env-fresh");
    make(Path::new(PYTHON), &base)?;
    let interpreter = interpreter_of(&base);
    if program(&interpreter).args(pip()).args(["numpy>=2"]).run().is_err() {
        return leave_out("the installation of the wheels from a folder");
    }
    let links = folders.iter().map(|folder| format!("--find-links={}", folder.display()));
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"];
    let start = Instant::now();
    program(&interpreter).args(install).args(links).args(["takewise[zarr]"]).run()?;
    let seconds = start.elapsed().as_secs_f64();
    if seconds >= SECONDS {
        return Err(format!("pip took {seconds:.1} s to install the wheels, and may take {SECONDS} s"));
    }
    program(&interpreter).args(["-c", FIRST]).run()
}

/// All tests of the package, with what is installed from the wheel.
fn here(wheel: &str) -> Outcome {
    let Some(interpreter) = home(&FRESH)? else { return leave_out("the test of the wheel") };
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall", wheel];
    program(&interpreter).args(pip).run()?;
    program(&interpreter).args(["-m", "pytest", "-q", "-n", "2", "python/tests"]).run()
}

/// Some tests of the package, by a Python for 64-bit ARM under QEMU.
fn emulated(wheel: &str) -> Outcome {
    let tools = ["apt-get", "dpkg-deb", EMULATOR];
    if let Some(missing) = tools.iter().find(|tool| !program(Path::new(tool)).args(["--version"]).works()) {
        println!("{missing} is not installed (on Debian: apt install qemu-user)");
        return leave_out("the test of the wheel for 64-bit ARM");
    }
    let place = root().join("target/arm64-python");
    let system = place.join("root");
    if !system.join("usr/bin/python3.11").exists() {
        interpreter(&place)?;
    }
    let packages = place.join("packages");
    let packages = packages.to_string_lossy();
    if Path::new(&*packages).exists() {
        fs::remove_dir_all(&*packages).map_err(|error| format!("{packages}: {error}"))?;
    }
    let platforms = ["manylinux2014_aarch64", "manylinux_2_28_aarch64"].map(|name| format!("--platform={name}"));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--target", &packages];
    program(Path::new("python3"))
        .args(pip)
        .args(platforms)
        .args(["--python-version=3.11", "--only-binary=:all:"])
        .args(BESIDE)
        .args([wheel])
        .run()?;
    let tests = EMULATED.iter().map(|name| format!("python/tests/{name}.py"));
    let python = system.join("usr/bin/python3.11");
    program(Path::new(EMULATOR))
        .args([
            "-L",
            &system.to_string_lossy(),
            &python.to_string_lossy(),
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-k",
            LEFT_OUT,
        ])
        .args(tests)
        .env("PYTHONPATH", &packages)
        .run()
}

/// Unpacks Debian's Python for 64-bit ARM into a folder. Lists and packages stay in it, so the system does not change.
fn interpreter(place: &Path) -> Outcome {
    let at = |name: &str| place.join(name).to_string_lossy().into_owned();
    for name in ["state/lists/partial", "cache/archives/partial", "files", "root"] {
        fs::create_dir_all(at(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    let settings = format!(
        "APT::Architecture \"arm64\";\nAPT::Architectures {{ \"arm64\"; }};\nAPT::Sandbox::User \"\";\nDir::State \"{}\";\nDir::State::status \"{}\";\nDir::Cache \"{}\";\n",
        at("state"),
        at("state/status"),
        at("cache"),
    );
    for (name, text) in [("settings", settings.as_str()), ("state/status", "")] {
        fs::write(at(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    let apt = |verb: &str| format!("cd '{}' && apt-get -q -c '{}' {verb}", at("files"), at("settings"));
    crate::sh::shell(&apt("update")).run()?;
    crate::sh::shell(&apt(&format!("download {}", PACKAGES.join(" ")))).run()?;
    crate::sh::shell(&format!(
        "for file in '{}'/*.deb; do dpkg-deb -x \"$file\" '{}' || exit 1; done",
        at("files"),
        at("root")
    ))
    .run()
}
