//! The Python package: built as `pip install .` builds it, into a virtual environment of its own, and tested there.
//!
//! The extension is built with the development profile in the common target directory, so that it shares the crates the
//! Rust tests have built already.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::sh::{Step, leave_out, program, root};
use crate::{Outcome, pairs, site, suites, zarr};

/// The Python of the environments, but for those of the newest libraries.
pub(crate) const PYTHON: &str = "python3";

/// What builds and tests the package. Its own dependencies are in `pyproject.toml`.
pub(crate) const TOOLS: &[&str] = &[
    "maturin>=1.9.4,<2",
    "numpy>=2",
    "pytest>=8",
    "pytest-xdist>=3.6",
    "hypothesis>=6.100",
    "ml_dtypes>=0.4",
    "mypy>=1.18",
];

/// Libraries the package is compared with where they can be had; its tests pass without.
const COMPARED: &[&str] = &["jax>=0.6", "pyright>=1.1.400"];

/// An environment of its own: its folder in the target directory, and what is in it.
pub(crate) struct Home {
    pub(crate) folder: &'static str,
    pub(crate) tools: &'static [&'static str],
    /// What may not be to be had.
    pub(crate) library: &'static [&'static str],
}

/// Tests in an environment with a library that takes too much room to be fetched for every run of the tests.
struct Live {
    home: Home,
    tests: &'static [&'static str],
}

/// The version that cases were recorded from.
pub(crate) const TORCH: Home = Home { folder: "python-env-torch", tools: TOOLS, library: &["torch==2.15.0"] };

/// Arrays in chunks, what computes them, and names for their dimensions: keys and bytes are counted, which other versions may make more
/// of. Columns of tables too.
const DASK: Home = Home {
    folder: "python-env-dask",
    tools: &["maturin>=1.9.4,<2", "numpy>=2", "pytest>=8", "pytest-xdist>=3.6", "hypothesis>=6.100"],
    library: &[
        "dask[array]==2026.8.0",
        "distributed==2026.8.0",
        "xarray==2026.9.0",
        "polars>=1",
        "pyarrow>=18",
        "h5py>=3",
        "scipy>=1.13",
        "awkward>=2.6",
    ],
};

/// The versions that cases were recorded from. MindSpore needs an older NumPy than the others are compared with.
const LIVE: &[Live] = &[
    // Faults in the border test are looked for beside the other libraries already.
    Live {
        home: TORCH,
        tests: &[
            "--pyargs",
            "takewise.torch_scatter",
            "-k",
            "(torch or accelerate or gradients or memory or border) and not faults_are_found",
        ],
    },
    Live {
        home: Home {
            folder: "python-env-mindspore",
            tools: &[
                "maturin>=1.9.4,<2",
                "numpy<2",
                "pytest>=8",
                "pytest-xdist>=3.6",
                "hypothesis>=6.100",
                "ml_dtypes>=0.4",
            ],
            library: &["mindspore==2.10.0"],
        },
        tests: &["-k", "mindspore"],
    },
    Live {
        home: Home {
            folder: "python-env-notebook",
            tools: &["maturin>=1.9.4,<2", "numpy>=2", "pytest>=8", "pytest-xdist>=3.6", "hypothesis>=6.100"],
            library: &["nbclient==0.11.0", "ipykernel==7.4.0", "nbconvert==7.17.2", "playwright==1.65.2"],
        },
        tests: &["-k", "notebook"],
    },
    // One cluster for a file, and not one for each process.
    Live {
        home: DASK,
        tests: &["--pyargs", "takewise.dask", "takewise.xarray", "--dist", "loadfile", "-k", "dask or xarray or held"],
    },
];

/// Builds, installs and tests; arguments go to pytest.
pub(crate) fn python(arguments: &[String]) -> Outcome {
    let interpreter = environment()?;
    install(&interpreter, "dev")?;
    tests(&interpreter).args(["--pyargs", "takewise"]).args(arguments).run()
}

/// Builds, installs and runs some files of tests.
pub(crate) fn some(files: &[String]) -> Outcome {
    let interpreter = environment()?;
    install(&interpreter, "dev")?;
    pytest(&interpreter, files.iter().cloned()).args(["-q"]).run()
}

/// The tests beside PyTorch, MindSpore, Jupyter and Dask themselves: some gigabytes are fetched for them, into environments of their own. A
/// library that cannot be had is passed over.
pub(crate) fn live(arguments: &[String]) -> Outcome {
    let called = |live: &Live, name: &str| live.home.folder.strip_prefix("python-env-") == Some(name);
    let (one, arguments) = match arguments.split_first() {
        Some((name, rest)) if LIVE.iter().any(|live| called(live, name)) => (Some(name.as_str()), rest),
        _ => (None, arguments),
    };
    for live in LIVE.iter().filter(|live| one.is_none_or(|name| called(live, name))) {
        let Some(interpreter) = home(&live.home)? else {
            leave_out(&format!("the Python tests beside {}", live.home.library.join(" ")))?;
            continue;
        };
        install(&interpreter, "dev")?;
        tests(&interpreter).args(live.tests).args(arguments).run()?;
    }
    Ok(())
}

/// pytest over all our tests.
fn tests(interpreter: &Path) -> Step {
    pytest(interpreter, ["python/tests".to_owned()])
}

/// pytest over some of our tests, in two processes where the environment can do that.
pub(crate) fn pytest(interpreter: &Path, files: impl IntoIterator<Item = String>) -> Step {
    let step = program(interpreter).args(["-m", "pytest"]).args(files);
    if program(interpreter).args(["-c", "import xdist"]).works() { step.args(["-n", "2"]) } else { step }
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

/// Builds as it is released, installs, and runs a script that measures; with `--as-installed` what is there is measured.
pub(crate) fn measured(script: &str, arguments: &[String]) -> Outcome {
    measured_in(&environment()?, script, &[], arguments)
}

/// [`measured`] on a cluster of Dask's.
pub(crate) fn measured_on_cluster(arguments: &[String]) -> Outcome {
    measured_in(&had(&DASK)?, "bench/python/cluster.py", &[], arguments)
}

/// One row of each family beside the newest NumPy and PyTorch; with `--as-installed` beside those of the tests.
pub(crate) fn smoke(arguments: &[String]) -> Outcome {
    let as_installed = arguments.iter().any(|argument| argument == AS_INSTALLED);
    let interpreter = if as_installed { had(&LIVE[0].home)? } else { pairs::measured()? };
    measured_in(&interpreter, "bench/python/peers.py", &["--smoke", "--engines", "numpy,torch"], arguments)
}

/// [`measured`] of PyTorch's own calls.
pub(crate) fn measured_in_torch(arguments: &[String]) -> Outcome {
    measured_in(&had(&LIVE[0].home)?, "bench/python/accelerate.py", &[], arguments)
}

fn had(wanted: &Home) -> Result<PathBuf, String> {
    home(wanted)?.ok_or_else(|| format!("{} cannot be had here", wanted.library.join(" ")))
}

fn measured_in(interpreter: &Path, script: &str, more: &[&str], arguments: &[String]) -> Outcome {
    let as_installed = arguments.iter().any(|argument| argument == AS_INSTALLED);
    let is_there = || program(interpreter).args(["-c", "import takewise"]).works();
    match as_installed {
        true if is_there() => {}
        true => install(interpreter, "dev")?,
        false => install(interpreter, "wheel")?,
    }
    program(interpreter).args([script]).args(more).args(arguments.iter().filter(|a| *a != AS_INSTALLED)).run()
}

pub(crate) const AS_INSTALLED: &str = "--as-installed";

/// The border test, in each environment that has a library of its own: what one has run, the next leaves out. Arguments go to
/// `tools/python/border`.
pub(crate) fn border(arguments: &[String]) -> Outcome {
    let interpreter = environment()?;
    install(&interpreter, "dev")?;
    border_in(&interpreter, arguments, &[])?;
    if std::env::var_os("TAKEWISE_PYTHON").is_some() {
        return Ok(());
    }
    let torch = &LIVE[0];
    match home(&torch.home)? {
        Some(interpreter) => {
            install(&interpreter, "dev")?;
            border_in(&interpreter, arguments, &["--of", "torch"])
        }
        None => leave_out("the border test beside PyTorch"),
    }
}

fn border_in(interpreter: &Path, arguments: &[String], more: &[&str]) -> Outcome {
    program(interpreter).args(["tools/python/border"]).args(more).args(arguments).run()
}

/// The folder with the programs of the interpreter that tests run on.
pub(crate) fn scripts() -> Result<PathBuf, String> {
    let interpreter = environment()?;
    interpreter.parent().map(Path::to_path_buf).ok_or_else(|| format!("{}: is in no folder", interpreter.display()))
}

/// The interpreter the tests run on: `TAKEWISE_PYTHON` as it is, else that of our own environment, made if need be.
fn environment() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("TAKEWISE_PYTHON") {
        return Ok(given.into());
    }
    let base = target().join("python-env");
    ready(Path::new(PYTHON), &base, TOOLS, COMPARED)?;
    Ok(interpreter_of(&base))
}

/// Makes the environments of the tests before they are asked for, beside steps that build.
pub(crate) fn environments(_: &[String]) -> Outcome {
    environment()?;
    for live in LIVE {
        home(&live.home)?;
    }
    pairs::environments()?;
    home(&suites::WHEELS)?;
    home(&zarr::ZARR)?;
    home(&site::MKDOCS).map(|_| ())
}

/// The interpreter of an environment, made if need be; `None` if its
/// libraries cannot be had.
pub(crate) fn home(home: &Home) -> Result<Option<PathBuf>, String> {
    ready(Path::new(PYTHON), &target().join(home.folder), home.tools, home.library)
}

/// The interpreter of an environment.
pub(crate) fn interpreter_of(base: &Path) -> PathBuf {
    base.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// The interpreter of an environment that has the tools and libraries, made if need be; `None` if it has the tools alone,
/// as the libraries cannot be had. Who comes while another process makes it waits.
pub(crate) fn ready(python: &Path, base: &Path, tools: &[&str], libraries: &[&str]) -> Result<Option<PathBuf>, String> {
    let interpreter = interpreter_of(base);
    let _made_by_one = locked(&base.with_extension("lock"))?;
    let stamp = base.join("tools.txt");
    let wanted = [tools, libraries].concat().join("\n");
    let without = format!("{wanted}\nwithout the last {}", libraries.len());
    let works = || program(&interpreter).args(["-V"]).works();
    match fs::read_to_string(&stamp) {
        Ok(found) if found == wanted && works() => return Ok(Some(interpreter)),
        Ok(found) if found == without && works() => return Ok(None),
        _ => {}
    }
    make(python, base)?;
    program(&interpreter).args(pip()).args(tools).run()?;
    let had = program(&interpreter).args(pip()).args(libraries).run().is_ok();
    if !had {
        println!("Not to be had here: {}. Tests that need it are skipped.", libraries.join(", "));
    }
    let stamped = fs::write(&stamp, if had { wanted } else { without });
    stamped.map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(had.then_some(interpreter))
}

/// A lock that is held until the file is dropped.
fn locked(path: &Path) -> Result<fs::File, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(target()).map_err(failed)?;
    let file = fs::File::create(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// An empty environment with pip in it.
pub(crate) fn make(python: &Path, base: &Path) -> Outcome {
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

/// A package that `pip wheel` builds: its folder, and what cargo builds it in.
pub(crate) struct Package {
    pub(crate) folder: &'static str,
    pub(crate) target: fn() -> PathBuf,
}

pub(crate) const TAKEWISE: Package = Package { folder: ".", target };

/// The wheel of each package and profile that this process has built: it goes into every environment.
static BUILT: Mutex<Vec<(&str, String, PathBuf)>> = Mutex::new(Vec::new());

/// Installs takewise itself, as [`install_package`] does.
pub(crate) fn install(interpreter: &Path, profile: &str) -> Outcome {
    install_package(interpreter, &TAKEWISE, profile).map(|_| ())
}

/// Installs a package into an environment with the tools: built with a profile of cargo's, once in this process. Gives the wheel.
pub(crate) fn install_package(interpreter: &Path, package: &Package, profile: &str) -> Result<PathBuf, String> {
    let known = |built: &Vec<(&str, String, PathBuf)>| {
        built.iter().find(|(folder, of, _)| *folder == package.folder && of == profile).map(|(_, _, at)| at.clone())
    };
    let wheel = match BUILT.lock().ok().and_then(|built| known(&built)) {
        Some(wheel) => wheel,
        None => {
            let wheel = build(interpreter, package, profile)?;
            if let Ok(mut built) = BUILT.lock() {
                built.push((package.folder, profile.to_owned(), wheel.clone()));
            }
            wheel
        }
    };
    let how = ["--no-deps", "--force-reinstall", &wheel.to_string_lossy()];
    program(interpreter).args(pip()).args(how).run()?;
    Ok(wheel)
}

/// `pip wheel FOLDER`, with the tools already there.
fn build(interpreter: &Path, package: &Package, profile: &str) -> Result<PathBuf, String> {
    let process = format!("{profile}-{}", std::process::id());
    let folder = target().join("python-wheels").join(process).join(package.folder.replace(['/', '.'], "_"));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let settings = format!("--config-settings=build-args=--profile {profile}");
    let how = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps"];
    let step = program(interpreter).args(how).args([&settings, "--wheel-dir", &folder.to_string_lossy()]);
    // The build runs the command `maturin`, which stands beside the interpreter.
    let step = step.args([format!("./{}", package.folder)]).beside(interpreter);
    step.env("CARGO_TARGET_DIR", &(package.target)().to_string_lossy()).run()?;
    let mut files = fs::read_dir(&folder).map_err(failed)?.flatten().map(|entry| entry.path());
    files.next().ok_or_else(|| format!("{}: no wheel was built", folder.display()))
}

/// `pip install`, quietly. Most modules are never imported: those that are get compiled then.
pub(crate) fn pip() -> [&'static str; 6] {
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |set| root().join(set))
}
