//! The libraries' own tests with takewise in their library's place: the test files NumPy ships, calls drawn for JAX, the
//! node cases of ONNX, PyTorch's operator samples, xarray's tests of Zarr stores, and the tests of the Array API and of JAX.
//!
//! Each script asks the library itself in the same run, and fails for whatever differs and is not listed beside it with a
//! reason. The libraries are fetched from a registry into environments of their own.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::sh::{Step, leave_out, program};
use crate::{Outcome, python, zarr};

/// A script of `tools/python/suites`, and the environment it runs in.
struct Part {
    name: &'static str,
    script: &'static str,
    home: &'static python::Home,
    /// What its tests are called, and the variable that says where a checkout with them is, if they are on no registry.
    checkout: Option<(&'static str, &'static str)>,
    /// What is built and installed there.
    install: fn(&Path, &str) -> Outcome,
    /// Whether the gate runs it; the others take longer, and run at night.
    often: bool,
    /// Arguments of a run that takes minutes, and of a long one.
    short: &'static [&'static str],
    long: &'static [&'static str],
}

/// The versions whose answers are known: another one may answer otherwise.
pub(crate) const WHEELS: python::Home = python::Home {
    folder: "python-env-suites",
    tools: python::TOOLS,
    library: &["numpy==2.4.6", "jax==0.10.2", "onnx==1.23.2", "absl-py>=2.3"],
};

const ARRAY_API_WHEELS: python::Home = python::Home {
    folder: "python-env-array-api",
    tools: python::TOOLS,
    library: &["ndindex>=1.8", "pytest-json-report>=1.5"],
};

/// The longest first: two run at a time.
const PARTS: &[Part] = &[
    Part {
        name: "numpy",
        script: "tools/python/suites/numpy_suites.py",
        home: &WHEELS,
        checkout: None,
        install: python::install,
        often: true,
        short: &[],
        long: &["--long"],
    },
    Part {
        name: "onnx",
        script: "tools/python/suites/onnx_suites.py",
        home: &WHEELS,
        checkout: None,
        install: python::install,
        often: true,
        short: &[],
        long: &[],
    },
    Part {
        name: "jax",
        script: "tools/python/suites/jax_suites.py",
        home: &WHEELS,
        checkout: None,
        install: python::install,
        often: true,
        short: &["--cases", "600"],
        long: &["--cases", "20000"],
    },
    Part {
        name: "jax-own",
        script: "tools/python/suites/jax_own_suites.py",
        home: &WHEELS,
        // At the tag of the version above.
        checkout: Some(("JAX's own tests of indexing", "TAKEWISE_JAX")),
        install: python::install,
        often: false,
        short: &[],
        long: &["--cases", "200"],
    },
    Part {
        name: "torch",
        script: "tools/python/suites/torch_suites.py",
        home: &python::TORCH,
        checkout: None,
        install: python::install,
        often: false,
        short: &[],
        long: &["--long"],
    },
    Part {
        name: "xarray",
        script: "tools/python/suites/xarray_suites.py",
        home: &zarr::ZARR,
        checkout: None,
        install: zarr::install_both,
        often: false,
        short: &[],
        long: &["--long"],
    },
    Part {
        name: "array-api",
        script: "tools/python/suites/array_api_suites.py",
        home: &ARRAY_API_WHEELS,
        // With its submodule.
        checkout: Some(("the Array API's own tests", "TAKEWISE_ARRAY_API")),
        install: python::install,
        often: false,
        short: &[],
        long: &["--examples", "200"],
    },
];

/// All parts, those that the gate runs with `--often`, or the one named; arguments after its name go to its script.
pub(crate) fn suites(arguments: &[String]) -> Outcome {
    let (long, arguments) = match arguments.split_first() {
        Some((first, rest)) if first == "--long" => (true, rest),
        _ => (false, arguments),
    };
    let chosen = match arguments.split_first() {
        None => PARTS.iter().collect(),
        Some((flag, _)) if flag == "--often" => PARTS.iter().filter(|part| part.often).collect(),
        Some((name, _)) => match PARTS.iter().find(|part| part.name == name) {
            Some(part) => vec![part],
            None => {
                let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
                return Err(format!("no part named {name:?}; there are {}", names.join(", ")));
            }
        },
    };
    let mut steps = Vec::new();
    let mut built: Vec<PathBuf> = Vec::new();
    for part in chosen {
        let folder = part.checkout.and_then(|(_, variable)| std::env::var(variable).ok());
        if let (Some((tests, variable)), None) = (part.checkout, &folder) {
            leave_out(&format!("{tests}, as {variable} names no checkout of them"))?;
            continue;
        }
        let Some(interpreter) = python::home(part.home)? else {
            let wheels = part.home.library.join(", ");
            leave_out(&format!("the libraries' own tests beside {wheels}"))?;
            continue;
        };
        if !built.contains(&interpreter) {
            (part.install)(&interpreter, "dev")?;
            built.push(interpreter.clone());
        }
        let step = program(&interpreter).args([part.script]).args(folder);
        steps.push(match arguments.get(1..).unwrap_or_default() {
            [] => step.args(if long { part.long } else { part.short }),
            own => step.args(own),
        });
    }
    side_by_side(steps)
}

/// Runs all, two at a time: each is one process. The others are worth knowing where one fails.
fn side_by_side(steps: Vec<Step>) -> Outcome {
    let (steps, failed) = (Mutex::new(steps.into_iter()), Mutex::new(Vec::new()));
    let next = || steps.lock().ok().and_then(|mut steps| steps.next());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(step) = next() {
                    if let (Err(what), Ok(mut failed)) = (step.run(), failed.lock()) {
                        failed.push(what);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().map_err(|error| error.to_string())?;
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}
