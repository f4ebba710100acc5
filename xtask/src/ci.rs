//! The gate a change passes, and Miri, which is part of it where it is installed.

use std::fs;
use std::time::Instant;

use crate::sh::{cargo, cargo_of, root, shell};
use crate::{Outcome, arm64, counts, dialects, fuzz, loc, python, snapshots};

const STEPS: &[(&str, fn() -> Outcome)] = &[
    ("lock file is current", lock),
    ("format", format),
    ("lints", lints),
    ("lints without default features", lints_bare),
    ("lints of the benchmarks", lints_bench),
    ("lints for 64-bit ARM", || arm64::arm64(&["--check".into()])),
    ("documentation", documentation),
    ("DIALECTS.md matches the tables", || dialects::dialects(&["--check".into()])),
    ("plan explanations match the stored ones", || snapshots::explain_snapshots(&["--check".into()])),
    ("README: the tests", || readme("cargo xtask test")),
    ("README: the main job", || readme("cargo run")),
    ("fuzz, a short run", || fuzz::fuzz(FUZZ_RUN)),
    ("instructions a call", || counts::counts(&["--check".into()])),
    ("Miri", || miri(&[])),
    ("file sizes", || loc::loc(&[])),
    ("Python beside PyTorch and MindSpore", || python::live(&[])),
];

/// The same cases on every machine, some twenty seconds of them: a gate must not depend on how fast it runs.
const FUZZ_RUN: &[&str] = &["--cases", "60000", "--seed", "1"];

/// Unsafe code lives in these modules only, so these are what an interpreter of memory rules has to see.
const UNSAFE_MODULES: &[&str] = &["layout::", "view::", "exec::", "kernel::", "tensor::"];

pub(crate) fn ci(arguments: &[String]) -> Outcome {
    if let Some(extra) = arguments.first() {
        return Err(format!("takes no arguments, got {extra:?}"));
    }
    let start = Instant::now();
    for (number, (name, step)) in STEPS.iter().enumerate() {
        println!("\n=== {}/{}: {name}", number + 1, STEPS.len());
        step().map_err(|what| format!("{name}: {what}"))?;
    }
    println!("\n=== all {} steps passed in {:.0} s", STEPS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

fn lock() -> Outcome {
    cargo(&["metadata", "--locked", "--format-version", "1"]).output().map(|_| ())
}

fn format() -> Outcome {
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml", "bench/Cargo.toml"] {
        cargo(&["fmt", "--manifest-path", manifest, "--all", "--", "--check"]).run()?;
    }
    Ok(())
}

fn lints() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--"]).args(["-D", "warnings"]).run()
}

fn lints_bare() -> Outcome {
    for package in ["takewise", "takewise-cli"] {
        cargo(&["clippy", "-p", package, "--no-default-features", "--"]).args(["-D", "warnings"]).run()?;
    }
    Ok(())
}

/// The benchmarks and examples are a workspace of their own, which nothing else builds.
fn lints_bench() -> Outcome {
    cargo(&["clippy", "--manifest-path", "bench/Cargo.toml", "--all-targets", "--"]).args(["-D", "warnings"]).run()
}

fn documentation() -> Outcome {
    cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings").run()
}

/// Runs the command that the README gives its reader, so that what it promises is what is proven.
fn readme(start: &str) -> Outcome {
    let path = root().join("README.md");
    let text = fs::read_to_string(&path).map_err(|error| format!("README.md: {error}"))?;
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(start))
        .ok_or_else(|| format!("README.md gives no command that starts with `{start}`"))?;
    shell(line).run()
}

/// Miri needs a nightly toolchain with the component; a machine without it says so and goes on.
pub(crate) fn miri(filter: &[String]) -> Outcome {
    if !cargo_of("nightly", &["miri", "--version"]).works() {
        println!("Miri is not installed on the nightly toolchain: this step did not run.");
        println!("To run it: rustup toolchain install nightly --component miri");
        return Ok(());
    }
    let mut step = cargo_of("nightly", &["miri", "test", "-p", "takewise", "--lib"])
        .env("MIRIFLAGS", "-Zmiri-tree-borrows -Zmiri-strict-provenance")
        .args(["--"]);
    step = if filter.is_empty() { step.args(UNSAFE_MODULES) } else { step.args(filter) };
    step.run()
}
