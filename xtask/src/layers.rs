//! Imports go down: a folder of the engine or of its kernels knows those below it, and a crate those below it.
//!
//! [`FLOORS`] are the orders. What still goes up is listed in [`UP`], each with the reason it is still there: a new one fails,
//! and so does a line of the list that is no longer needed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::loops::loops;
use crate::sh::root;

/// Folders and files of a crate, the lowest first. Those in one line are one floor and may know each other.
type Floors = &'static [&'static [&'static str]];

/// The engine's, above all of the kernels: what it names of them is its first floor.
const ENGINE: Floors = &[
    &["once", "fork", "guard", "dims", "threads", "tags", "bounds", "kernel"],
    &["dtype", "op", "node_op", "error"],
    &["layout"],
    &["rules", "view", "notes", "memory"],
    // How a subscript's masks are counted is told here.
    &["foreign", "values", "promote"],
    &["index"],
    &["tensor"],
    &["plan"],
    &["exec"],
    &["search"],
    &["ops"],
    &["autograd"],
    &["methods"],
    &["prelude", "strategy", "internal", "chunks"],
];

/// Those of `takewise-kernels`.
const KERNELS: Floors = &[
    &["once", "fork", "guard", "dims", "scratch", "rules"],
    // Nothing in the pool knows what it runs.
    &["threads"],
    &["dtype", "tags"],
    &["bounds"],
    &["kernel"],
    &["search"],
];

/// The crates that have floors.
const FLOORS: &[(&str, Floors)] = &[("takewise-kernels", KERNELS), ("takewise", ENGINE)];

/// Imports that still go up: the folder, what it imports, and why.
const UP: &[(&str, &str, &str)] = &[];

/// What each crate may depend on of the others.
const CRATES: &[(&str, &[&str])] = &[
    ("takewise-kernels", &[]),
    ("takewise", &["takewise-kernels"]),
    ("takewise-ranges", &["takewise"]),
    ("takewise-operations", &["takewise", "takewise-ranges"]),
    ("takewise-dialects", &["takewise", "takewise-operations"]),
    ("takewise-explain", &["takewise"]),
    ("takewise-files", &["takewise"]),
    ("takewise-ndarray", &["takewise"]),
    ("takewise-notation", &["takewise", "takewise-dialects", "takewise-explain", "takewise-operations"]),
    ("takewise-cli", &["takewise", "takewise-dialects", "takewise-explain", "takewise-files", "takewise-notation"]),
    ("takewise-page", &["takewise", "takewise-dialects", "takewise-explain", "takewise-notation"]),
    // The notation comes with explanations, which are of expressions.
    (
        "takewise-python",
        &[
            "takewise",
            "takewise-dialects",
            "takewise-explain",
            "takewise-files",
            "takewise-notation",
            "takewise-operations",
        ],
    ),
];

/// Crates of a terminal, which nothing but the command knows.
const TERMINAL: &[&str] = &["clap", "clap_complete", "indicatif", "rustyline", "console"];

/// What the code of the engine and its kernels does not name: which library means what is for the dialects to say.
const LIBRARIES: &[&str] = &["torch", "numpy", "mindspore", "jax", "onnx"];

/// Where the unit tests of a file begin.
pub(crate) const TESTS: &str = "#[cfg(test)]\nmod tests";

/// Prints and fails with every import that goes up, every circle of files of a crate that import each other, and every library the
/// engine's code names.
pub(crate) fn layers(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let mut found = Vec::new();
    for (name, floors) in FLOORS {
        let folder = root().join("crates").join(name).join("src");
        found.extend(folders(&folder, floors)?);
        found.extend(libraries(name, &folder)?);
    }
    for name in CRATES.iter().map(|(name, _)| *name).chain(["takewise-testkit"]) {
        let named = sources(&root().join("crates").join(name).join("src"))?.into_iter();
        let named = named.map(|(path, text)| (path.display().to_string(), text));
        found.extend(loops(name, &named.filter(|(name, _)| !name.ends_with("tests.rs")).collect::<Vec<_>>()));
    }
    for (name, allowed) in CRATES {
        let path = root().join("crates").join(name).join("Cargo.toml");
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        // What the engine's tests need is built again before its unit tests, after each change.
        let of_tests = *name == "takewise";
        found.extend(dependencies(&text, of_tests).into_iter().filter_map(|dependency| {
            let ours = dependency.starts_with("takewise") && !allowed.contains(&dependency);
            let terminal = *name != "takewise-cli" && TERMINAL.contains(&dependency);
            (ours || terminal).then(|| format!("crate {name} depends on {dependency}"))
        }));
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// The source files of a folder: the path of each inside it, and its text.
fn sources(folder: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let (mut pending, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(inner) = pending.pop() {
        for entry in fs::read_dir(&inner).map_err(|error| format!("{}: {error}", inner.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.push((path.strip_prefix(folder).map_err(|error| error.to_string())?.to_owned(), text));
        }
    }
    Ok(files)
}

/// Every line of a crate's code, comments and tests aside, that names a library.
fn libraries(name: &str, folder: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for (path, text) in sources(folder)? {
        if !path.ends_with("tests.rs") {
            let lines = naming(&text).into_iter();
            found.extend(
                lines.map(|(n, line)| format!("crates/{name}/src/{}:{n} names a library: {line}", path.display())),
            );
        }
    }
    found.sort();
    Ok(found)
}

/// The lines of code that name a library, and their numbers.
fn naming(text: &str) -> Vec<(usize, &str)> {
    let code = text.split(TESTS).next().unwrap_or(text);
    let named = |line: &str| {
        let line = line.split("//").next().unwrap_or(line).to_lowercase();
        LIBRARIES.iter().any(|library| line.contains(library))
    };
    code.lines().enumerate().filter(|(_, line)| named(line)).map(|(k, line)| (k + 1, line.trim())).collect()
}

/// Every import of a folder that goes up and is not listed, and every listed one that is not there.
fn folders(folder: &Path, floors: Floors) -> Result<Vec<String>, String> {
    let floor = |room: &str| floor(floors, room);
    let mut up = BTreeSet::new();
    for (path, text) in sources(folder)? {
        let room = path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let room = room.unwrap_or_default().trim_end_matches(".rs").to_owned();
        let Some(own) = floor(&room) else {
            if room != "lib" {
                up.insert((room.clone(), "no floor at all".to_owned()));
            }
            continue;
        };
        for name in imported(&text) {
            if floor(name).is_some_and(|other| other > own) {
                up.insert((room.clone(), name.to_owned()));
            }
        }
    }
    let listed = |from: &str, to: &str| UP.iter().any(|(a, b, _)| (*a, *b) == (from, to));
    let new = up.iter().filter(|(a, b)| !listed(a, b)).map(|(a, b)| format!("{a} imports {b}, which lies above it"));
    let there = |from: &str, to: &str| up.contains(&(from.to_owned(), to.to_owned()));
    let gone = UP.iter().filter(|(a, b, _)| !there(a, b));
    let gone = gone.map(|(a, b, _)| format!("{a} no longer imports {b}: take it off the list in xtask/src/layers.rs"));
    Ok(new.chain(gone).collect())
}

fn floor(floors: Floors, room: &str) -> Option<usize> {
    floors.iter().position(|floor| floor.contains(&room))
}

/// The first names after `crate::` in code that is neither comment nor unit test.
fn imported(text: &str) -> BTreeSet<&str> {
    let code = text.split(TESTS).next().unwrap_or(text);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = lines.flat_map(|line| line.split("crate::").skip(1));
    let word = |rest: &'_ str| rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len());
    paths.map(|rest| &rest[..word(rest)]).collect()
}

/// The names under `[dependencies]`, also of one target; if wished, those of tests too.
fn dependencies(manifest: &str, of_tests: bool) -> Vec<&str> {
    let (mut inside, mut names) = (false, Vec::new());
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside =
                line.ends_with("dependencies]") && (of_tests || !line.contains("dev-")) && !line.contains("build-");
        } else if let (true, Some((name, _))) = (inside, line.split_once(['=', '.'])) {
            names.push(name.trim());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found() {
        let text = "use crate::dtype::DType;\n// crate::grad\nfn f() { crate::ops::take() }\n#[cfg(test)]\nmod tests { use crate::grad; }\n";
        assert_eq!(imported(text), BTreeSet::from(["dtype", "ops"]));
    }

    #[test]
    fn libraries_are_found_in_code_alone() {
        let text = "/// As torch.\nfn f() {} // as NumPy\nconst TORCH: u8 = 1;\n#[cfg(test)]\nmod tests { const NUMPY: u8 = 1; }\n";
        assert_eq!(naming(text), [(3, "const TORCH: u8 = 1;")]);
    }

    #[test]
    fn dependencies_are_found() {
        let text = "[dependencies]\na = \"1\"\nb.workspace = true\n[dev-dependencies]\nc = \"1\"\n[target.'cfg(unix)'.dependencies]\nd = \"1\"\n";
        assert_eq!(dependencies(text, false), ["a", "b", "d"]);
        assert_eq!(dependencies(text, true), ["a", "b", "c", "d"]);
    }

    #[test]
    fn what_lies_higher_is_higher() {
        let floor = |room| floor(ENGINE, room);
        assert!(floor("layout") < floor("ops") && floor("ops") < floor("autograd") && floor("nothing").is_none());
    }
}
