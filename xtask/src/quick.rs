//! What a change needs, chosen by what changed, the cheapest first.
//!
//! A changed file lies in a room of [`ROOMS`]. Each room has its checks; those of all rooms together run once, in the order of
//! [`Check`]. The gate runs everything.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Outcome;
use crate::python;
use crate::sh::{cargo, program, root};
use crate::{citations, commands, layers, loc, release, site};

/// In the order in which they run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Check {
    Format,
    Layers,
    Workflows,
    /// Lints of a crate, its tests included.
    Lint(&'static str),
    /// A crate's unit tests.
    Unit(&'static str),
    /// A program of a crate's integration tests, and which of its tests: all, where nothing is named.
    Program(&'static str, &'static str, &'static [&'static str]),
    /// The package in Python, built and installed: files of its tests. A changed file of tests runs too.
    Python(&'static [&'static str]),
    /// Links of the documents, and their commands, which are looked up and not run.
    Documents,
}

use Check::{Documents, Format, Layers, Lint, Program, Python, Unit, Workflows};

/// Some minutes of the engine's tests that meet every part of it.
const ENGINE: &[&str] = &["smoke::", "subscript_", "gradients::", "search::", "strategies::", "random_calls::"];

/// The package's tests that every part of it takes part in.
const PACKAGE: &[&str] = &["test_plain", "test_functions", "test_search", "test_torch", "test_mistakes"];

/// The tests that an operation is the same through every door.
const DOORS: &[&str] = &["test_doors", "test_mistakes"];

/// A room, what runs when something in it has changed, and how long that takes where all is built but what changed: on two
/// cores. The first room whose path begins like a changed file's is the file's.
const ROOMS: &[(&str, &[Check], &str)] = &[
    (
        "crates/takewise/src/",
        &[Lint("takewise"), Unit("takewise"), Program("takewise-testkit", "all", ENGINE)],
        "2 to 5 min",
    ),
    (
        "crates/takewise-kernels/",
        &[
            Lint("takewise-kernels"),
            Lint("takewise"),
            Unit("takewise-kernels"),
            Unit("takewise"),
            Program("takewise-testkit", "all", ENGINE),
        ],
        "3 to 6 min",
    ),
    ("crates/takewise-testkit/tests/", &[Lint("takewise-testkit"), Program("takewise-testkit", "all", &[])], "2 min"),
    (
        "crates/takewise-ranges/",
        &[Lint("takewise-ranges"), Program("takewise-ranges", "all", &[]), Python(&["test_ranges"])],
        "3 min",
    ),
    (
        "crates/takewise-operations/",
        &[
            Lint("takewise-operations"),
            Unit("takewise-operations"),
            Program("takewise-notation", "all", &["golden::"]),
            Program("takewise-cli", "all", &["catalogue::"]),
            Python(DOORS),
        ],
        "3 min",
    ),
    (
        "crates/takewise-dialects/",
        &[Lint("takewise-dialects"), Unit("takewise-dialects"), Program("takewise-notation", "all", &["golden::"])],
        "2 min",
    ),
    (
        "crates/takewise-notation/",
        &[Lint("takewise-notation"), Unit("takewise-notation"), Program("takewise-notation", "all", &["golden::"])],
        "1 min",
    ),
    (
        "crates/takewise-explain/",
        &[Lint("takewise-explain"), Unit("takewise-explain"), Program("takewise-explain", "all", &[])],
        "1 min",
    ),
    (
        "crates/takewise-files/",
        &[Lint("takewise-files"), Unit("takewise-files"), Program("takewise-files", "array", &[])],
        "1 min",
    ),
    (
        "crates/takewise-cli/",
        &[Lint("takewise-cli"), Unit("takewise-cli"), Program("takewise-cli", "all", &["commands::"])],
        "1 min",
    ),
    ("crates/takewise-page/", &[Lint("takewise-page"), Program("takewise-page", "requests", &[])], "1 min"),
    ("crates/takewise-ndarray/", &[Lint("takewise-ndarray"), Unit("takewise-ndarray")], "1 min"),
    (
        "crates/takewise-testkit/",
        &[Lint("takewise-testkit"), Unit("takewise-testkit"), Program("takewise-testkit", "all", ENGINE)],
        "2 min",
    ),
    ("crates/takewise-python/", &[Lint("takewise-python"), Python(PACKAGE)], "2 min"),
    ("python/tests/", &[Python(&[])], "2 min"),
    ("python/", &[Python(PACKAGE)], "2 min"),
    ("fuzz/", &[Lint("takewise-fuzz")], "1 min"),
    ("xtask/", &[Lint("xtask"), Unit("xtask")], "1 min"),
    (".github/", &[Workflows], "1 min"),
    ("docs/", &[Documents], "1 min"),
    ("README.md", &[Documents], "1 min"),
];

/// Runs what the paths need, or those that have changed since the last commit and since the branch it was sent to; with `--list`
/// prints the table of CONTRIBUTING.md.
pub(crate) fn quick(arguments: &[String]) -> Outcome {
    if matches!(arguments, [flag] if flag == "--list") {
        print!("{}", table());
        return Ok(());
    }
    let changed = if arguments.is_empty() { changed()? } else { arguments.to_vec() };
    let checks = checks_of(&changed);
    let shown: Vec<String> = checks.iter().map(|check| check.shown(&changed)).collect();
    println!("{} changed files need: {}", changed.len(), shown.join("; "));
    for (number, check) in checks.iter().enumerate() {
        println!("\n=== {}/{}: {}", number + 1, checks.len(), shown[number]);
        check.run(&changed)?;
    }
    println!("\nThe gate runs the rest: `cargo xtask ci`.");
    Ok(())
}

/// What has changed and is not yet where the branch was sent to.
fn changed() -> Result<Vec<String>, String> {
    let git = |arguments: &[&str]| program(Path::new("git")).args(arguments).output();
    let mut found: BTreeSet<String> = git(&["diff", "--name-only", "HEAD"])?.lines().map(str::to_owned).collect();
    found.extend(git(&["ls-files", "--others", "--exclude-standard"])?.lines().map(str::to_owned));
    if program(Path::new("git")).args(["rev-parse", "--quiet", "--verify", "@{upstream}"]).works() {
        found.extend(git(&["diff", "--name-only", "@{upstream}...HEAD"])?.lines().map(str::to_owned));
    }
    Ok(found.into_iter().collect())
}

/// The checks of all rooms in which something has changed.
fn checks_of(changed: &[String]) -> BTreeSet<Check> {
    let room = |path: &String| ROOMS.iter().find(|(start, ..)| path.starts_with(start));
    let rooms = changed.iter().filter_map(room).flat_map(|(_, checks, _)| checks.iter().copied());
    let mut all: BTreeSet<Check> = rooms.chain([Format, Layers]).collect();
    // Changed files of tests run with the others.
    if all.contains(&Python(PACKAGE)) {
        all.remove(&Python(&[]));
    }
    all
}

impl Check {
    fn shown(self, changed: &[String]) -> String {
        match self {
            Format => "format".into(),
            Layers => "imports go down, file sizes".into(),
            Workflows => "workflows".into(),
            Lint(package) => format!("lints of {package}"),
            Unit(package) => format!("unit tests of {package}"),
            Program(package, name, []) => format!("tests `{name}` of {package}"),
            Program(package, name, some) => format!("tests `{name}` of {package}: {}", some.join(" ")),
            Python(files) => match python_files(files, changed).as_slice() {
                [] => "Python: the files of tests that have changed".into(),
                some => format!("Python: {}", some.join(" ")),
            },
            Documents => "documents".into(),
        }
    }

    fn run(self, changed: &[String]) -> Outcome {
        match self {
            Format => cargo(&["fmt", "--all", "--", "--check"]).run(),
            Layers => layers::layers(&[]).and_then(|()| loc::loc(&[])),
            Workflows => release::workflows(&[]),
            Lint(package) => cargo(&["clippy", "-p", package, "--all-targets", "--", "-D", "warnings"]).run(),
            // A command has no library.
            Unit(package @ ("takewise-cli" | "xtask")) => cargo(&["test", "-q", "-p", package, "--bins"]).run(),
            Unit(package) => cargo(&["test", "-q", "-p", package, "--lib"]).run(),
            Program(package, name, some) => {
                cargo(&["test", "-q", "-p", package, "--test", name, "--"]).args(some).run()
            }
            Python(files) => match python_files(files, changed).as_slice() {
                [] => Ok(()),
                some => python::some(some),
            },
            Documents => citations::citations()
                .and_then(|()| commands::commands(&["--list".into()]))
                .and_then(|()| site::site(&["--check".into()])),
        }
    }
}

/// The files of tests that are named, that have changed, and that are called like what has changed.
fn python_files(named: &[&str], changed: &[String]) -> Vec<String> {
    let own = changed.iter().filter_map(|path| Some((path, path.strip_suffix(".py")?.strip_prefix("python/")?)));
    let alike = own.filter_map(|(path, inner)| match inner.strip_prefix("tests/") {
        Some(name) => name.starts_with("test_").then(|| path.clone()),
        None => Some(format!("python/tests/test_{}.py", inner.rsplit('/').next()?.trim_start_matches('_'))),
    });
    let all: BTreeSet<String> = named.iter().map(|name| format!("python/tests/{name}.py")).chain(alike).collect();
    all.into_iter().filter(|path| root().join(path).exists()).collect()
}

/// The table of CONTRIBUTING.md.
fn table() -> String {
    let mut text = "| changed | what runs | takes |\n| --- | --- | --- |\n".to_owned();
    for (room, checks, takes) in ROOMS {
        let what: Vec<String> = checks.iter().map(|check| check.shown(&[])).collect();
        text.push_str(&format!("| `{room}` | {} | {takes} |\n", what.join("; ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_says_what_runs() {
        let of = |paths: &[&str]| checks_of(&paths.iter().map(|path| path.to_string()).collect::<Vec<_>>());
        assert!(of(&["docs/index.md"]).contains(&Documents));
        assert!(of(&["crates/takewise/src/exec/run.rs"]).contains(&Unit("takewise")));
        assert!(!of(&["LICENSE"]).contains(&Documents));
    }

    #[test]
    fn python_tests_are_those_called_alike() {
        let changed = ["python/takewise/_files.py", "python/tests/test_held.py"].map(str::to_owned);
        assert_eq!(python_files(&[], &changed), ["python/tests/test_files.py", "python/tests/test_held.py"]);
    }

    #[test]
    fn every_room_is_there() {
        for (room, ..) in ROOMS {
            assert!(root().join(room).exists(), "{room}");
        }
    }

    #[test]
    fn contributors_read_the_same_table() {
        let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap_or_default();
        assert!(text.contains(&table()), "CONTRIBUTING.md has another table than `cargo xtask quick --list`");
    }
}
