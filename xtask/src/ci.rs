//! The gate a change passes.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::sh::{self, cargo, root, shell};
use crate::{
    Outcome, api, arm64, citations, commands, counts, dialects, fuzz, layers, loc, memory, names, package, page, pairs,
    python, release, site, suites, zarr,
};

/// The part of the gate that each belongs to, its name, and what it does. In the order of the cheapest failure, but for the last ones: what
/// they need is fetched from a registry first.
const STEPS: &[(&str, &str, fn() -> Outcome)] = &[
    ("checks", "lock file is current", lock),
    ("checks", "format", format),
    ("checks", "comments cite pages that are here", citations::citations),
    ("checks", "imports go down", || layers::layers(&[])),
    ("checks", "lints", lints),
    ("checks", "documentation", documentation),
    ("checks", "docs/api.txt is the public surface", || api::api(&["--check".into()])),
    ("checks", "examples", || api::examples(&[])),
    ("checks", "workflows", || release::workflows(&[])),
    ("checks", "packages", || package::package(&[])),
    ("checks", "file sizes", || loc::loc(&[])),
    ("checks", "an operation has one home, a type its own name", || names::names(&[])),
    ("tests", "README: the tests", || readme("cargo xtask test")),
    ("tests", "DIALECTS.md matches the tables", || dialects::dialects(&["--check".into()])),
    ("tests", "fuzz, a short run", || fuzz::fuzz(FUZZ_RUN)),
    ("commands", "README: the main job", || readme("cargo run")),
    ("commands", "instructions a call", || counts::counts(&["--check".into()])),
    ("pages", "the documentation site", || site::site(&["--check".into()])),
    // It installs the browser that the notebook's test in the next step needs.
    ("pages", "the page, in a browser", || page::page(&["--check".into()])),
    ("peers", "Python beside PyTorch and MindSpore", || python::live(&[])),
    ("peers", "Python beside the newest and the oldest libraries", || pairs::pairs(&[])),
    ("peers", "the border, a short run", || python::border(&["--quiet".into()])),
    ("peers", "the libraries' own tests, short runs", || suites::suites(&["--often".into()])),
    ("peers", "Zarr arrays in Python", || zarr::zarr(&["--python".into()])),
    ("commands", "the commands of README and the documents", || commands::commands(&[])),
];

/// What builds much and finds little twice a day: it runs at night, or where it is asked for.
const NIGHT: &[(&str, fn() -> Outcome)] = &[
    ("lints without default features", lints_bare),
    ("lints of the benchmarks", lints_bench),
    ("views of candle's and burn's tensors", views),
    ("lints for 64-bit ARM", || arm64::arm64(&["--check".into()])),
    ("lints of Zarr and the tables", || zarr::zarr(&["--lints".into()])),
    ("the oldest Rust", || package::oldest_rust(&[])),
    ("AddressSanitizer, at the processor's own level", || memory::asan(&["--best".into()])),
];

/// The part of the gate that runs beside the others.
const MEMORY: &str = "memory";

/// The part that runs only where it is named.
const NIGHTLY: &str = "nightly";

/// Jobs that run beside the steps, one after the other, in processes of their own. Each uses one core for long and has
/// folders of its own, so that no step waits for it.
const BESIDE: &[(&str, &str)] = &[
    // All modules run at night.
    ("Miri, a short run", "miri layout:: view:: memory:: threads:: tensor:: exec::"),
    ("Zarr arrays and Parquet and Arrow tables, in Rust", "zarr --rust"),
    ("Parquet and Arrow tables beside pyarrow", "arrow"),
];

/// What a whole gate runs beside its steps before [`BESIDE`]: programs are fetched while others are built.
const AHEAD: (&str, &str) = ("Python's environments, ahead of the tests", "environments");

/// The same cases on every machine, some twenty seconds of them: a gate must not depend on how fast it runs.
const FUZZ_RUN: &[&str] = &["--cases", "60000", "--seed", "1"];

/// Stops at the first step that fails, when what runs beside the steps has ended; with `--keep-going` it runs the others too and
/// names all that failed. With names of parts it runs these alone: so machines that work side by side share a gate.
pub(crate) fn ci(arguments: &[String]) -> Outcome {
    let keep_going = arguments.iter().any(|one| one == "--keep-going");
    let parts: Vec<&str> = arguments.iter().map(String::as_str).filter(|one| *one != "--keep-going").collect();
    let known = |part: &&str| [MEMORY, NIGHTLY].contains(part) || STEPS.iter().any(|(of, ..)| of == part);
    if let Some(part) = parts.iter().find(|part| !known(part)) {
        return Err(format!(
            "the gate has no part {part:?}; there are checks, tests, commands, pages, peers, {MEMORY} and, not run unless named, {NIGHTLY}"
        ));
    }
    let chosen = |part: &str| parts.is_empty() || parts.contains(&part);
    let night: &[_] = if parts.contains(&NIGHTLY) { NIGHT } else { &[] };
    let steps = STEPS.iter().filter(|(part, ..)| chosen(part)).map(|(_, name, step)| (*name, *step));
    let steps: Vec<(&str, fn() -> Outcome)> = steps.chain(night.iter().copied()).collect();
    let ahead = Some(AHEAD).filter(|_| parts.is_empty());
    let others: Vec<_> = ahead.into_iter().chain(BESIDE.iter().copied().filter(|_| chosen(MEMORY))).collect();
    let start = Instant::now();
    let jobs = others.clone();
    let beside =
        thread::spawn(move || jobs.iter().filter_map(|(name, job)| beside(name, job).err()).collect::<Vec<_>>());
    let (mut failed, mut took) = (Vec::new(), Vec::new());
    for (number, (name, step)) in steps.iter().enumerate() {
        println!("\n=== {}/{}: {name}", number + 1, steps.len());
        let begun = Instant::now();
        let result = step();
        took.push((begun.elapsed().as_secs_f64(), *name));
        let Err(what) = result else { continue };
        let what = format!("{name}: {what}");
        println!("=== FAILED: {what}");
        failed.push(what);
        if !keep_going {
            break;
        }
    }
    took.sort_by(|a, b| b.0.total_cmp(&a.0));
    let longest: Vec<String> = took.iter().map(|(seconds, name)| format!("{seconds:6.0} s  {name}")).collect();
    println!("\n=== the steps, the longest first:\n{}", longest.join("\n"));
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        println!("\n=== waiting for what runs beside: {}", names.join(", "));
    }
    failed.extend(beside.join().unwrap_or_else(|_| vec!["what runs beside the steps has panicked".into()]));
    if !failed.is_empty() {
        return Err(failed.join("\n"));
    }
    let count = steps.len() + others.len();
    println!("\n=== all {count} steps passed in {:.0} s", start.elapsed().as_secs_f64());
    for what in sh::left_out() {
        println!("=== NOT RUN, AS WHAT IT NEEDS COULD NOT BE HAD: {}", what.to_uppercase());
    }
    Ok(())
}

/// Runs a job in a process of its own. What it prints is shown at its end: in whole if it failed.
fn beside(name: &str, job: &str) -> Outcome {
    let start = Instant::now();
    let program = std::env::current_exe().map_err(|error| format!("{name}: {error}"))?;
    let mut command = Command::new(program);
    let output = command.args(job.split(' ')).current_dir(root()).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{name}: cannot start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    for what in text.lines().filter_map(sh::told_left_out) {
        sh::leave_out(what)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    if output.status.success() {
        let results: Vec<&str> = text.lines().filter(|line| line.starts_with("test result")).collect();
        println!("\n=== beside: {name} passed in {seconds:.0} s\n{}", results.join("\n"));
        return Ok(());
    }
    println!("\n=== beside: {name}\n{text}{}", String::from_utf8_lossy(&output.stderr));
    Err(format!("{name}: failed after {seconds:.0} s: {}", output.status))
}

fn lock() -> Outcome {
    cargo(&["metadata", "--locked", "--format-version", "1"]).output().map(|_| ())
}

fn format() -> Outcome {
    for manifest in ["Cargo.toml", "bench/Cargo.toml", "crates/takewise-page/wasm/Cargo.toml"] {
        cargo(&["fmt", "--manifest-path", manifest, "--all", "--", "--check"]).run()?;
    }
    Ok(())
}

fn lints() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--"]).args(["-D", "warnings"]).run()
}

fn lints_bare() -> Outcome {
    for package in ["takewise-kernels", "takewise", "takewise-files"] {
        cargo(&["clippy", "-p", package, "--no-default-features", "--"]).args(["-D", "warnings"]).run()?;
    }
    Ok(())
}

/// Features that need a hundred crates each.
fn views() -> Outcome {
    let of = ["-p", "takewise-ndarray"];
    for features in ["--all-features", "--no-default-features"] {
        cargo(&["clippy", "--all-targets", features]).args(of).args(["--", "-D", "warnings"]).run()?;
    }
    cargo(&["test", "--all-features"]).args(of).run()
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
