//! Every job of the project as one command: `cargo xtask JOB`.
//!
//! A job is a small function over the programs that rustup installs, so a fresh machine needs nothing else. Jobs
//! print each command before they run it, run it without standard input, and stop at the first failure.

mod api;
mod arm64;
mod arrow;
mod builds;
mod ci;
mod citations;
mod commands;
mod counts;
mod dialects;
mod fuzz;
mod layers;
mod loc;
mod loops;
mod memory;
mod names;
mod package;
mod page;
mod pairs;
mod python;
mod quick;
mod release;
mod rustdoc;
mod sh;
mod signature;
mod site;
mod snapshots;
mod suites;
mod wheels;
mod zarr;

use std::process::ExitCode;

/// What a job returns: nothing, or one line that says what went wrong.
type Outcome = Result<(), String>;

struct Job {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Outcome,
}

const JOBS: &[Job] = &[
    Job {
        name: "quick",
        arguments: "[--list | PATH...]",
        about: "what a change needs, chosen by the files that have changed or are named",
        run: quick::quick,
    },
    Job {
        name: "test",
        arguments: "[FILTER...]",
        about: "every test: unit, integration, documentation, transcripts, Python",
        run: test,
    },
    Job {
        name: "python",
        arguments: "[ARGUMENTS...]",
        about: "build and install the Python package in an environment of its own, and run its tests (pytest)",
        run: python::python,
    },
    Job {
        name: "environments",
        arguments: "",
        about: "make the environments of all Python tests, which fetches gigabytes",
        run: python::environments,
    },
    Job {
        name: "python-live",
        arguments: "[torch | mindspore | notebook | dask] [ARGUMENTS...]",
        about: "the Python tests beside PyTorch, MindSpore, Jupyter and Dask, which are fetched into environments of their own (gigabytes)",
        run: python::live,
    },
    Job {
        name: "python-pairs",
        arguments: "[newest | oldest] [ARGUMENTS...]",
        about: "Python tests beside the newest libraries, on the newest Python that is here, and beside the oldest that are supported",
        run: pairs::pairs,
    },
    Job {
        name: "zarr",
        arguments: "[--rust | --remote | [--python] ARGUMENTS...]",
        about: "the lints and tests of takewise-zarr and takewise-arrow, a workspace of its own, with --remote those of their other features; else those in Python beside zarr-python and tensorstore: arguments go to pytest",
        run: zarr::zarr,
    },
    Job {
        name: "arrow",
        arguments: "[ARGUMENTS...]",
        about: "the command on Parquet and Arrow tables beside pyarrow and polars, in an environment of its own: arguments go to pytest",
        run: arrow::arrow,
    },
    Job {
        name: "suites",
        arguments: "[--long] [numpy | jax | jax-own | onnx | torch | xarray | array-api] [ARGUMENTS...]",
        about: "the tests NumPy ships, and calls of JAX, ONNX and PyTorch, xarray's tests of stores and those of the Array API and JAX, with takewise in the library's place",
        run: suites::suites,
    },
    Job {
        name: "ci",
        arguments: "[--keep-going] [checks | tests | commands | pages | peers | memory]",
        about: "everything a change must pass, in the order of the cheapest failure",
        run: ci::ci,
    },
    Job {
        name: "bench",
        arguments: "[smoke | peers | sweep | scale | files | torch | dask | zarr | build] [--threads N] [FILTER]",
        about: "every family beside Rust's libraries; one row of each family beside the newest NumPy and PyTorch; the Python package beside NumPy, PyTorch, JAX, Numba, Arrow; every call of every dtype; its growth; cold files; PyTorch's own calls; a cluster of Dask's; Zarr's arrays; or how long building takes",
        run: bench,
    },
    Job {
        name: "counts",
        arguments: "[--check]",
        about: "write instructions a call of canonical calls (callgrind), or fail if one has become dearer",
        run: counts::counts,
    },
    Job {
        name: "overhead",
        arguments: "[--rounds N] [REGEX]",
        about: "what small calls of the Python package cost, beside NumPy's and PyTorch's own",
        run: python::overhead,
    },
    Job {
        name: "fuzz",
        arguments: "[--seconds N | --cases N] [--seed S] [TARGET...]",
        about: "structured random cases against the oracle, on the stable toolchain",
        run: |arguments| fuzz::fuzz(arguments),
    },
    Job {
        name: "fuzz-python",
        arguments: "[gradients | LIBRARY...] [--cases N] [--seed S] [--texts]",
        about: "random calls of the Python package beside the live libraries that are installed",
        run: python::fuzz,
    },
    Job {
        name: "dialects",
        arguments: "[--check]",
        about: "write docs/DIALECTS.md and docs/functions.md from the code, or fail if one has drifted",
        run: dialects::dialects,
    },
    Job {
        name: "explain-snapshots",
        arguments: "[--check]",
        about: "write the stored plan explanations and drawings again, or fail if one has changed",
        run: snapshots::explain_snapshots,
    },
    Job {
        name: "miri",
        arguments: "[FILTER...]",
        about: "the tests of the modules with unsafe code, under Miri, which is installed if need be",
        run: memory::miri,
    },
    Job {
        name: "asan",
        arguments: "[--best]",
        about: "the engine's tests and the fuzz targets under AddressSanitizer, at every CPU level or the best",
        run: memory::asan,
    },
    Job {
        name: "border",
        arguments: "[--long] [--jobs N] [PATTERN...]",
        about: "every function of the package with every kind of operand in every place, beside the libraries",
        run: python::border,
    },
    Job {
        name: "commands",
        arguments: "[--list]",
        about: "run every command that README.md and the documents name, or something shorter in its place",
        run: commands::commands,
    },
    Job {
        name: "arm64",
        arguments: "[--check | ARGUMENTS...]",
        about: "the engine's tests for 64-bit ARM, under QEMU elsewhere; or only whether it compiles there, without warnings",
        run: arm64::arm64,
    },
    Job {
        name: "api",
        arguments: "[--check]",
        about: "write docs/api.txt, the public surface of the libraries, or fail if it has changed",
        run: api::api,
    },
    Job {
        name: "examples",
        arguments: "",
        about: "fail where a function of `ops`, a method named after one, or a public type or macro has no example",
        run: api::examples,
    },
    Job {
        name: "package",
        arguments: "",
        about: "make the packages of the crates that are to be published, without building or sending them",
        run: package::package,
    },
    Job {
        name: "release",
        arguments: "[--source | --try]",
        about: "make the files of a release and test its wheels: source archive, wheels for this machine and 64-bit ARM, parts, checksums",
        run: release::release,
    },
    Job {
        name: "workflows",
        arguments: "",
        about: "read the workflows in .github with actionlint",
        run: release::workflows,
    },
    Job {
        name: "page",
        arguments: "[--check]",
        about: "build the page docs/explain into target/page/site, or also test it in Chromium",
        run: page::page,
    },
    Job {
        name: "site",
        arguments: "[--check]",
        about: "build the documentation site into target/site, the page in it, or also look every link of it up",
        run: site::site,
    },
    Job {
        name: "oldest-rust",
        arguments: "",
        about: "check the workspace with the oldest Rust it promises, which is installed if need be",
        run: package::oldest_rust,
    },
    Job {
        name: "layers",
        arguments: "",
        about: "fail if a folder of the engine, or a crate, imports one that lies above it",
        run: layers::layers,
    },
    Job { name: "loc", arguments: "", about: "source files that have outgrown one concept", run: loc::loc },
    Job {
        name: "names",
        arguments: "",
        about: "fail if an operation's name stands in too many files, or if types of a crate share a name",
        run: names::names,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(job) = JOBS.iter().find(|job| job.name == name) else {
        eprint!("xtask: no job named {name:?}\n\n{}", usage());
        return ExitCode::from(2);
    };
    if rest.iter().any(|word| matches!(word.as_str(), "--help" | "-h")) {
        print!("{}", help(job, rest));
        return ExitCode::SUCCESS;
    }
    match (job.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask {name}: {what}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask JOB [ARGUMENTS]\n\n");
    for job in JOBS {
        let call = format!("{} {}", job.name, job.arguments);
        text.push_str(&format!("  {call:<44} {}\n", job.about));
    }
    text
}

/// What a job takes. Of a Python program that measures it is what stands at its head, so nothing is built or installed to show it.
fn help(job: &Job, rest: &[String]) -> String {
    let script = match (job.name, rest.first().map(String::as_str)) {
        ("bench", Some("smoke" | "peers")) => Some("peers"),
        ("bench", Some("dask")) => Some("cluster"),
        ("bench", Some(name)) => SCRIPTS.contains(&name).then_some(name),
        ("overhead", _) => Some("overhead"),
        _ => None,
    };
    let read =
        |name: &str| std::fs::read_to_string(sh::root().join("bench/python").join(name).with_extension("py")).ok();
    match script.and_then(read).as_deref().and_then(|text| text.split("\"\"\"").nth(1)) {
        Some(head) => format!("{}\n", head.trim_end()),
        None => format!("usage: cargo xtask {} {}\n\n{}\n", job.name, job.arguments, job.about),
    }
}

/// The programs in `bench/python` that `bench` runs in the environment of the tests.
const SCRIPTS: [&str; 7] = ["peers", "sweep", "scale", "files", "ranges", "choosers", "jit"];

/// `cargo test` over the workspace covers unit, integration and transcript tests and the documentation's examples; the
/// Python package has tests of its own, which a filter for Rust's leaves out.
fn test(filter: &[String]) -> Outcome {
    let parts = if filter.is_empty() { 2 } else { 1 };
    println!("=== 1/{parts}: Rust");
    sh::cargo(&["test", "--workspace"]).args(filter).run()?;
    if parts == 1 {
        return Ok(());
    }
    println!("=== 2/{parts}: Python");
    python::python(&[])
}

/// The benchmarks are their own workspace, so that their rivals never enter the library's lock file.
fn bench(filter: &[String]) -> Outcome {
    match filter.split_first() {
        Some((first, rest)) if first == "smoke" => python::smoke(rest),
        Some((first, rest)) if first == "build" => builds::builds(rest),
        Some((first, rest)) if first == "dask" => python::measured_on_cluster(rest),
        Some((first, rest)) if first == "zarr" => zarr::bench(rest),
        Some((first, rest)) if first == "torch" => python::measured_in_torch(rest),
        Some((first, rest)) if SCRIPTS.contains(&first.as_str()) => {
            python::measured(&format!("bench/python/{first}.py"), rest)
        }
        _ => sh::cargo(&["run", "--release", "--manifest-path", "bench/Cargo.toml", "--"]).args(filter).run(),
    }
}
