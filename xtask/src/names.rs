//! Names with one meaning: an operation has one home, the catalogue, and a type's name is of one type of its crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::loc::sources;
use crate::sh::root;

/// The most files that may have an operation's name. 12 is the aim: its record, the engine's method, rule for gradients and error, and
/// the libraries beside.
const LIMIT: usize = 14;

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

/// Names that several types of a crate may have: the crate's folder, the name, and why.
const SEVERAL: &[(&str, &str, &str)] = &[];

/// Fails if an operation's name stands in too many files, or if types of a crate share a name.
pub(crate) fn names(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    operations()?;
    types()
}

/// Prints the names of operations that stand in most files, and fails if that is too many.
///
/// Comments, documentation and tests do not count, nor does a name that is a word of English, which means other things too.
fn operations() -> Outcome {
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

/// Prints how many types the crates have, and fails with every name that several types of a crate share.
fn types() -> Outcome {
    let root = root();
    let mut files = Vec::new();
    for path in sources(&root, &[".rs"])? {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push((path.strip_prefix(&root).unwrap_or(&path).display().to_string(), text));
    }
    let places = places(&files);
    println!("{} names of types", places.len());
    let allowed = |of: &str, name: &str| SEVERAL.iter().any(|one| (one.0, one.1) == (of, name));
    let shared: Vec<_> = places
        .iter()
        .filter(|((of, name), places)| places.len() > 1 && !allowed(of, name))
        .map(|((of, name), places)| format!("{of} has {} types called {name}: {}", places.len(), places.join(", ")))
        .collect();
    match shared.as_slice() {
        [] => Ok(()),
        _ => Err(format!("{}\ncall each what it is, or make them one", shared.join("\n"))),
    }
}

/// Where each name of a crate's types is defined: by the crate's folder and the name.
///
/// An example or a build script is a crate of its own, and does not count.
fn places(files: &[(String, String)]) -> BTreeMap<(&str, &str), Vec<String>> {
    let mut found: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (path, text) in files {
        let Some((of, _)) = path.split_once("/src/") else { continue };
        for (line, name) in defined(text) {
            found.entry((of, name)).or_default().push(format!("{path}:{line}"));
        }
    }
    found
}

/// The types that a file defines, also within functions, and the numbers of their lines.
///
/// Associated types do not count: which trait or type they belong to is part of their name. Nor do unit tests.
fn defined(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
    for (number, line) in code.enumerate() {
        let item = line.trim_start();
        let indent = line.len() - item.len();
        if item.starts_with('}') {
            open.retain(|outer| *outer < indent);
        }
        let item = item.strip_prefix("pub").map_or(item, |rest| match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(") ").map_or("", |(_, item)| item),
            None => rest.trim_start(),
        });
        let item = item.strip_prefix("unsafe ").unwrap_or(item);
        let (keyword, rest) = item.split_once(|c: char| !c.is_ascii_alphanumeric()).unwrap_or((item, ""));
        let associated = keyword == "type" && open.iter().any(|outer| outer + 4 == indent);
        if matches!(keyword, "struct" | "enum" | "union" | "trait" | "type") && !associated {
            let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
            // A macro's parameter is no name.
            found.extend((!name.is_empty()).then_some((number + 1, name)));
        }
        if matches!(keyword, "impl" | "trait") && !item.ends_with(['}', ';']) {
            open.push(indent);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{defined, places, recorded, words};

    #[test]
    fn a_name_of_two_types_is_found_in_its_crate() {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let files = [
            file("crates/a/src/one.rs", "struct Part;\nenum Kind {}\n"),
            file("crates/a/src/b/two.rs", "fn f() {\n    struct Part(u8);\n}\n"),
            file("crates/a/examples/c.rs", "struct Part;\n"),
            file("crates/d/src/lib.rs", "struct Part;\n"),
        ];
        let found = places(&files);
        assert_eq!(found[&("crates/a", "Part")], ["crates/a/src/one.rs:1", "crates/a/src/b/two.rs:2"]);
        assert_eq!(found[&("crates/d", "Part")], ["crates/d/src/lib.rs:1"]);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn associated_types_and_tests_define_nothing() {
        let text = "pub(crate) struct A<T>(T);\npub unsafe trait B\nwhere\n    Self: Sized,\n{\n    type Value;\n}\n\
            impl B for A<u8> {\n    type Value = u8;\n    fn f() {\n        type C = u8;\n    }\n}\ntype D = u8;\n\
            // struct E;\nmacro_rules! m { ($name:ident) => {\n    struct $name;\n} }\npublic::struct_of();\n\
            #[cfg(test)]\nmod tests {\n    struct F;\n}\n";
        let names: Vec<_> = defined(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["A", "B", "C", "D"]);
        assert_eq!(defined(text)[3].0, 14);
    }

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
