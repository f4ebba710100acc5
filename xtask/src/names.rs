//! In how many source files an operation's name stands: an operation has one home, the catalogue.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::loc::sources;
use crate::sh::root;

/// The most files that may have an operation's name. 12 is the aim: its record, the engine's method, rule for gradients and error, and
/// the libraries beside.
const LIMIT: usize = 21;

/// What libraries call things is their own: tables of their names. What tests compare with has names of its own too.
const OTHERS: &[&str] = &[
    "crates/takewise-dialects/src",
    "crates/takewise-testkit",
    "python/takewise/_operators.py",
    "python/takewise/_places.py",
    "python/takewise/_shim.py",
    "python/takewise/_torch/_names.py",
    "python/takewise/_torch/_native.py",
];

/// Where source files lie that have no tables of libraries.
const ROOMS: &[&str] = &["crates", "python/takewise"];

/// Prints the names that stand in most files, and fails if that is too many.
///
/// Comments, documentation and tests do not count, nor does a name that is a word of English, which means other things too.
pub(crate) fn names(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let (mut files, mut operations) = (Vec::new(), BTreeSet::new());
    for room in ROOMS {
        for path in sources(&root().join(room), &[".rs", ".py"])? {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if path.starts_with(root().join("crates/takewise-operations/src")) {
                operations.extend(recorded(&text));
            }
            if !OTHERS.iter().any(|other| path.starts_with(root().join(other))) {
                files.push((words(&path, &text), path));
            }
        }
    }
    let mut counted: Vec<(Vec<&PathBuf>, &String)> = operations
        .iter()
        .map(|name| (files.iter().filter(|(words, _)| words.contains(name)).map(|(_, path)| path).collect(), name))
        .collect();
    counted.sort_by_key(|(files, _)| std::cmp::Reverse(files.len()));
    println!("{} names of operations; those in most source files, of {LIMIT} at most:", operations.len());
    for (files, name) in counted.iter().take(5) {
        println!("{:>6}  {name}", files.len());
    }
    match counted.first() {
        None => Err("the catalogue has no names that are found".into()),
        Some((files, name)) if files.len() > LIMIT => {
            let root = root();
            let list: Vec<_> =
                files.iter().map(|path| path.strip_prefix(&root).unwrap_or(path).display().to_string()).collect();
            Err(format!(
                "{name} stands in {} source files: ask the catalogue instead\n{}",
                files.len(),
                list.join("\n")
            ))
        }
        Some(_) => Ok(()),
    }
}

/// The names that records of the catalogue have, as they are written there: `name: "gather_nd"`, `["put_all", "put_all_"]`, and as the
/// first argument of what makes a record.
fn recorded(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut opened = false;
    for line in text.lines().map(str::trim) {
        let quoted = match line.strip_prefix("name: \"").or_else(|| line.strip_prefix("[\"")) {
            Some(rest) => Some(rest),
            None if opened => line.strip_prefix('"'),
            None => None,
        };
        if let Some((name, _)) = quoted.and_then(|rest| rest.split_once('"'))
            && name.contains('_')
            && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        {
            found.push(name.to_owned());
        }
        opened = line.ends_with('(');
    }
    found
}

/// The words of a file's code.
fn words(path: &Path, text: &str) -> BTreeSet<String> {
    let is_rust = path.extension().is_some_and(|end| end == "rs");
    let (mut found, mut quoted) = (BTreeSet::new(), false);
    for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
        let marks = if is_rust { 0 } else { line.matches("\"\"\"").count() };
        if !quoted && marks == 0 {
            let code = line.split(if is_rust { "//" } else { "#" }).next().unwrap_or("");
            let parts = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            found.extend(parts.filter(|part| part.contains('_')).map(str::to_owned));
        }
        quoted ^= marks % 2 == 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{recorded, words};

    #[test]
    fn names_are_those_of_records() {
        let text = "    write(\n        [\"put_all\", \"put_all_\"],\n    read(\n        \"gather_nd\",\n        \"no_name\",\n        name: \"scatter_nd\",\n";
        assert_eq!(recorded(text), ["put_all", "gather_nd", "scatter_nd"]);
    }

    #[test]
    fn what_explains_does_not_count() {
        let python = "\"\"\"Like gather_nd.\n\nput_all\n\"\"\"\nx = take_one  # as take_two\n\"\"\"and put_two\"\"\"\n";
        assert_eq!(words(Path::new("x.py"), python).into_iter().collect::<Vec<_>>(), ["take_one"]);
        let rust = "//! put_all\nlet x = take_one; // take_two\n#[cfg(test)]\nmod put_two {}\n";
        assert_eq!(words(Path::new("x.rs"), rust).into_iter().collect::<Vec<_>>(), ["take_one"]);
    }
}
