//! The commands that README.md and the documents name: each is run, or something shorter in its place, or it is said
//! why not.
//!
//! A command is a line of a block marked `sh`, or a code span that starts with one of the programs below. What has no
//! row in the table is run as it is written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::python;
use crate::sh::{cargo, root, shell};

/// What is run for a command.
enum How {
    /// This, which takes less time or writes elsewhere.
    As(&'static str),
    /// Nothing more: a step of the gate runs it, or what it does.
    Step(&'static str),
    /// Nothing, for this reason.
    Not(&'static str),
}

use How::{As, Not, Step};

/// By what commands start with; of several rows the longest counts. A row that no document needs is a fault.
const TABLE: &[(&str, How)] = &[
    ("cargo run --release -p takewise-cli", Step("README: the main job")),
    ("cargo xtask test", Step("README: the tests")),
    ("cargo xtask ci", Step("all of them")),
    ("cargo xtask python", Step("README: the tests")),
    ("cargo xtask python-live", Step("Python beside PyTorch and MindSpore")),
    ("cargo xtask python-pairs", Step("Python beside the newest and the oldest libraries")),
    ("cargo xtask counts", Step("instructions a call")),
    ("cargo xtask dialects", Step("DIALECTS.md matches the tables")),
    ("cargo xtask arm64", Step("lints for 64-bit ARM")),
    ("cargo xtask zarr", Step("Zarr arrays in Python")),
    ("cargo xtask suites", Step("the libraries' own tests, short runs")),
    ("cargo xtask border", Step("the border, a short run")),
    ("cargo xtask page", Step("the page, in a browser")),
    ("cargo xtask site", Step("the documentation site")),
    ("cargo doc --workspace --no-deps", Step("documentation")),
    ("cargo xtask miri", Step("Miri, a short run")),
    ("cargo xtask asan", Step("AddressSanitizer, at the processor's own level")),
    ("cargo xtask bench", Not("it builds the crates that it measures beside; the workflow `nightly` runs it")),
    ("TAKEWISE_CPU=baseline cargo xtask bench", Not("as the line above")),
    ("cargo xtask bench build", Not("it builds everything anew, for half an hour")),
    ("cargo xtask release", Not("it builds wheels with all optimizations, twice")),
    ("cargo xtask release --try", Not("it tests what the line above has made")),
    ("cargo semver-checks", Not("it needs a tool of some 400 crates, and the history; the workflow `gate` runs it")),
    ("cargo install cargo-semver-checks --locked", Not("it builds that tool")),
    ("cargo publish", Not("it publishes")),
    ("cargo metadata", Step("lock file is current")),
    ("cargo xtask package", Step("packages")),
    ("pip install --no-index", Step("Zarr arrays in Python: of the wheels that it builds")),
    ("cargo xtask bench smoke", As("cargo xtask bench smoke --as-installed --size small --rounds 1 'gather along 1'")),
    ("cargo xtask bench peers", As("cargo xtask bench peers --as-installed --size small --rounds 1 gather")),
    ("cargo xtask bench sweep", As("cargo xtask bench sweep --as-installed --side 16 --rounds 1 gather")),
    ("cargo xtask bench scale", As("cargo xtask bench scale --as-installed --most 1e4 gather")),
    ("cargo xtask bench dask", As("cargo xtask bench dask --as-installed --side 800 --rounds 1 'tenth'")),
    ("cargo xtask bench zarr", Not("it builds the codecs of Zarr, over a hundred crates, as they are released")),
    ("cargo xtask bench torch", As("cargo xtask bench torch --as-installed --size 4 --rounds 1 gather")),
    ("cargo xtask bench ranges", As("cargo xtask bench ranges --as-installed --rounds 1 pad")),
    ("cargo xtask bench choosers", As("cargo xtask bench choosers --as-installed --rounds 1 mask")),
    ("cargo xtask bench jit", As("cargo xtask bench jit --as-installed --rounds 1 mask")),
    ("cargo xtask bench files", As("cargo xtask bench files --as-installed --size 0.05 --rounds 1 '0.1 %'")),
    ("cargo xtask overhead", As("cargo xtask overhead --as-installed --rounds 1 gather")),
    ("cargo xtask fuzz-python", As("cargo xtask fuzz-python numpy --cases 2000")),
    ("TAKEWISE_PYTHON=~/env/bin/python cargo xtask python", Step("Python beside PyTorch and MindSpore")),
    ("TAKEWISE_PYTHON=~/env/bin/python cargo xtask fuzz-python", Step("Python beside PyTorch and MindSpore")),
    ("takewise explain --json", As("takewise explain 'torch.zeros(3)[torch.tensor([2, 0])]' --json")),
    ("takewise explain 'x[0, :, i]'", As("takewise explain 'x[0, :, i]' x=table.npy i=ids.npy")),
    ("cargo install --path crates/takewise-cli", Step("it is how the commands below are made")),
    ("cargo install --path crates/takewise-zarr/cli", Step("cargo xtask zarr and cargo xtask arrow build and test it")),
    ("takewise eval 'x[ids]' x=prices.parquet#close", Step("the tests of that command run its like")),
    ("takewise eval 'torch.sort(x)' x=prices.parquet#close", Step("the tests of that command run its like")),
    ("takewise info prices.parquet", Step("the tests of that command run its like")),
    ("takewise eval 'x[i, j]' x=measurements.zarr#temperature", Step("the tests of that command run its like")),
    ("takewise info measurements.zarr/temperature", Step("the tests of that command run its like")),
    (
        "pip install \"takewise-zarr[remote]\"",
        Not("it is on no registry yet; `cargo xtask zarr` installs it from its folder"),
    ),
    (
        "pip install \"takewise[zarr]\"",
        Not("it is on no registry yet; `cargo xtask zarr` installs both packages from their folders"),
    ),
    (
        "pip install .",
        As("python -m pip install --quiet --target site --no-deps --no-build-isolation \
             --config-settings=build-args='--profile dev' \"$ROOT\""),
    ),
    ("pytest python/tests", Step("README: the tests")),
    (
        "maturin build --profile wheel --locked --zig",
        As("cd \"$ROOT\" && maturin build --quiet --profile dev --locked --out \"$HERE\""),
    ),
    ("maturin build --profile wheel --locked --target universal2-apple-darwin", Not("it needs macOS")),
    ("maturin build --profile wheel --locked", Not("it needs Windows")),
    ("rustup target add", Not("what it fetches is asked for by the step for 64-bit ARM")),
];

/// The folders of the documents.
const FOLDERS: [&str; 6] = ["docs", "docs/lab", "docs/learn", "docs/start", "docs/guides", "docs/howto"];

/// What a code span starts with that is a command.
const PROGRAMS: &[&str] = &["cargo", "takewise", "pip", "maturin", "python", "python3", "pytest", "rustup"];

/// Runs them in a folder of their own, with the command and the package's interpreter on the path.
pub(crate) fn commands(arguments: &[String]) -> Outcome {
    let list = match arguments {
        [] => false,
        [flag] if flag == "--list" => true,
        _ => return Err("takes nothing or --list".into()),
    };
    let named = named()?;
    let unused: Vec<&str> = TABLE
        .iter()
        .map(|(start, _)| *start)
        .filter(|start| !named.iter().any(|c| row(c).is_some_and(|r| r.0 == *start)))
        .collect();
    if !unused.is_empty() {
        return Err(format!("no document names these commands any more: {}", unused.join("; ")));
    }
    let place = if list { None } else { Some(prepared()?) };
    let mut done: Vec<&str> = Vec::new();
    for command in &named {
        let line = match row(command) {
            None => command.as_str(),
            Some((_, As(line))) => line,
            Some((_, Step(step))) => {
                println!("`{command}`: {step}");
                continue;
            }
            Some((_, Not(why))) => {
                println!("`{command}`: not run, {why}");
                continue;
            }
        };
        if done.contains(&line) {
            continue;
        }
        println!("`{command}`:");
        done.push(line);
        if let Some(place) = &place {
            run(line, place)?;
        }
    }
    Ok(())
}

fn row(command: &str) -> Option<&'static (&'static str, How)> {
    let starts = |start: &str| command.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    TABLE.iter().filter(|(start, _)| starts(start)).max_by_key(|(start, _)| start.len())
}

/// Every command of the documents, each once.
fn named() -> Result<Vec<String>, String> {
    let mut files = vec![root().join("README.md")];
    for folder in FOLDERS.map(|folder| root().join(folder)) {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let pages = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        files.extend(pages.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for command in of(&text) {
            if !found.contains(&command) {
                found.push(command);
            }
        }
    }
    Ok(found)
}

/// The commands of one document: lines of `sh` blocks without their comments, and spans of code outside blocks.
fn of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<&str> = None;
    let mut prose = String::new();
    for line in text.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(kind.trim()) };
        } else if block == Some("sh") {
            let command = line.split("  #").next().unwrap_or("").trim();
            if !command.is_empty() && !command.starts_with('#') {
                found.push(command.to_owned());
            }
        } else if block.is_none() {
            prose.push_str(line);
            prose.push(' ');
        }
    }
    found
        .extend(prose.split('`').skip(1).step_by(2).filter(|span| is_command(span)).map(|span| span.trim().to_owned()));
    found
}

/// Whether a span of code is a program with arguments, perhaps after settings of variables.
fn is_command(span: &str) -> bool {
    let mut words = span.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    words.next().is_some_and(|program| PROGRAMS.contains(&program)) && words.next().is_some()
}

/// Where the commands run: a folder with what the examples read.
struct Place {
    folder: PathBuf,
    path: String,
}

/// Installs the command there, and makes the files the examples name.
fn prepared() -> Result<Place, String> {
    let folder = std::env::temp_dir().join(format!("takewise-commands-{}", std::process::id()));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    for part in ["data", "docs", "transcripts"] {
        copy(&root().join(part), &folder.join(part)).map_err(failed)?;
    }
    let inside = folder.to_string_lossy().into_owned();
    // As the README's main job builds it, which has run: nothing is built anew.
    let install = ["install", "--quiet", "--locked", "--path", "crates/takewise-cli"];
    cargo(&[&install[..], &["--root", &inside, "--target-dir", "target"]].concat()).run()?;
    let scripts = python::scripts()?;
    let first = [folder.join("bin"), scripts];
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(first.into_iter().chain(std::env::split_paths(&rest)))
        .map_err(|error| error.to_string())?;
    let place = Place { path: path.to_string_lossy().into_owned(), folder };
    run("takewise eval 'np.arange(48).reshape(2, 6, 4)' -o table.npy", &place)?;
    run("takewise eval 'np.array([1, 0])' -o ids.npy", &place)?;
    Ok(place)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy(&path, &target)? } else { fs::copy(&path, &target).map(|_| ())? }
    }
    Ok(())
}

/// Jobs run in the root, all else in the folder.
fn run(line: &str, place: &Place) -> Outcome {
    let here = place.folder.to_string_lossy();
    let job = line.contains("cargo xtask");
    let line = if job { line.to_owned() } else { format!("cd \"$HERE\" && {line}") };
    shell(&line).env("HERE", &here).env("ROOT", &root().to_string_lossy()).env("PATH", &place.path).run()
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn commands_are_found_in_blocks_and_spans() {
        let blocks = "```sh\ntakewise info a.npy   # bytes\n\n```\n```rust\nlet x = `pip install y`;\n```\n";
        let text = format!("Run `cargo xtask x [Y]`, not `cargo`.\n{blocks}`A=1 pip\ninstall z`");
        assert_eq!(of(&text), ["takewise info a.npy", "cargo xtask x [Y]", "A=1 pip install z"]);
    }

    #[test]
    fn every_row_starts_some_command() {
        for (start, _) in super::TABLE {
            assert_eq!(super::row(start).map(|row| row.0), Some(*start));
        }
    }
}
