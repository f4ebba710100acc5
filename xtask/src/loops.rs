//! Files of a crate that import each other in a circle: no more than [`LONGEST`].
//!
//! An import counts for the file that a name comes from: what a folder's `mod.rs` only hands on is followed. Comments and unit
//! tests do not count.

use std::collections::{BTreeMap, BTreeSet};

/// A folder may be two or three files that know each other.
const LONGEST: usize = 3;

/// A path of modules, from the crate's root.
type Path = Vec<String>;

/// Every circle of a crate that is too long. Files are named by their path in the crate's sources.
pub(crate) fn loops(name: &str, files: &[(String, String)]) -> Vec<String> {
    let long = circles(&graph(files)).into_iter().filter(|circle| circle.len() > LONGEST);
    long.map(|circle| {
        let files: Vec<_> = circle.iter().copied().collect();
        format!("{} files of {name} import each other in a circle: {}", circle.len(), files.join(", "))
    })
    .collect()
}

/// Which files each file imports.
fn graph(files: &[(String, String)]) -> BTreeMap<&str, BTreeSet<&str>> {
    let modules: BTreeMap<Path, &str> = files.iter().map(|(name, _)| (module(name), name.as_str())).collect();
    let mut handed = BTreeMap::new();
    let mut imports = Vec::new();
    for (name, text) in files {
        let here = module(name);
        let hands_on = name.ends_with("mod.rs") || name == "lib.rs";
        for (path, alias, public) in paths(text) {
            let Some(path) = absolute(&path, &here, &modules) else { continue };
            if public && let Some(last) = path.last() {
                handed.insert((here.clone(), alias.unwrap_or_else(|| last.clone())), path.clone());
            }
            if !(public && hands_on) {
                imports.push((name.as_str(), path));
            }
        }
    }
    let mut graph: BTreeMap<&str, BTreeSet<&str>> =
        files.iter().map(|(name, _)| (name.as_str(), BTreeSet::new())).collect();
    for (name, path) in imports {
        let from = resolve(&path, &modules, &handed, 0).filter(|from| *from != name);
        graph.entry(name).or_default().extend(from);
    }
    graph
}

/// The module a file is.
fn module(name: &str) -> Path {
    let parts = name.trim_end_matches(".rs").split('/').filter(|part| !matches!(*part, "mod" | "lib"));
    parts.map(str::to_owned).collect()
}

/// The paths of a file, each with the name it gets and whether that is handed on.
fn paths(text: &str) -> Vec<(String, Option<String>, bool)> {
    let code = text.split(crate::layers::TESTS).next().unwrap_or(text);
    let code: String = code.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for statement in code.split_inclusive([';', '{', '}']).scan(String::new(), joined).flatten() {
        let words = statement.trim_end_matches(';').trim();
        if let Some((before, tree)) = words.split_once("use ").filter(|(before, _)| only_visibility(before)) {
            for path in spread(tree) {
                let (path, alias) = path.split_once(" as ").map_or((path.as_str(), None), |(p, a)| (p, Some(a)));
                let path = path.trim().trim_end_matches("::self").to_owned();
                found.push((path, alias.map(|a| a.trim().to_owned()), before.trim_end().ends_with(['b', ')'])));
            }
        } else {
            for start in ["crate::", "super::"] {
                for (at, _) in words.match_indices(start) {
                    let rest = &words[at..];
                    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
                    // `pub(in crate::part)` imports nothing.
                    if !words[..at].ends_with(['$', ':']) && !words[..at].ends_with("(in ") {
                        found.push((rest[..end].trim_end_matches(':').to_owned(), None, false));
                    }
                }
            }
        }
    }
    found
}

/// Puts a `use` with braces together again, which was cut at each of them.
fn joined(open: &mut String, piece: &str) -> Option<Option<String>> {
    open.push_str(piece);
    let is_use = open.trim_start().split("use ").next().is_some_and(only_visibility) && open.contains("use ");
    let done = if is_use { open.ends_with(';') } else { true };
    Some(done.then(|| std::mem::take(open)))
}

/// Whether nothing but `pub` stands there, attributes aside.
fn only_visibility(before: &str) -> bool {
    let last = before.rsplit([']', '}']).next().unwrap_or(before).trim();
    last.is_empty() || last == "pub" || last.starts_with("pub(") && last.ends_with(')')
}

/// `a::{b, c::{d, e}}` as a::b, a::c::d, a::c::e.
fn spread(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, inside)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(spread).map(|part| format!("{}{part}", before.trim())).collect()
}

/// A path as written in a module, from the crate's root; nothing if it leaves the crate.
fn absolute(path: &str, here: &[String], modules: &BTreeMap<Path, &str>) -> Option<Path> {
    let mut rest: Vec<&str> = path.split("::").map(str::trim).collect();
    let mut base = here.to_vec();
    match rest.first().copied()? {
        "crate" => {
            base.clear();
            rest.remove(0);
        }
        "self" => {
            rest.remove(0);
        }
        "super" => {
            while rest.first() == Some(&"super") {
                base.pop();
                rest.remove(0);
            }
        }
        first => {
            let inner: Path = base.iter().cloned().chain([first.to_owned()]).collect();
            modules.get(&inner)?;
        }
    }
    Some(base.into_iter().chain(rest.into_iter().map(str::to_owned)).collect())
}

/// The file a path leads to, through what modules hand on.
fn resolve<'m>(
    path: &[String],
    modules: &BTreeMap<Path, &'m str>,
    handed: &BTreeMap<(Path, String), Path>,
    depth: usize,
) -> Option<&'m str> {
    let mut at = Path::new();
    for (k, name) in path.iter().enumerate() {
        let mut next = at.clone();
        next.push(name.clone());
        match handed.get(&(at.clone(), name.clone())) {
            Some(origin) if depth < 8 && *origin != next => {
                let whole: Path = origin.iter().chain(&path[k + 1..]).cloned().collect();
                return resolve(&whole, modules, handed, depth + 1);
            }
            _ if modules.contains_key(&next) => at = next,
            _ => break,
        }
    }
    modules.get(&at).copied()
}

/// The sets of files each of which reaches all others of its set.
fn circles<'f>(graph: &BTreeMap<&'f str, BTreeSet<&'f str>>) -> Vec<BTreeSet<&'f str>> {
    let reached = |from: &'f str| {
        let (mut seen, mut rest) = (BTreeSet::new(), vec![from]);
        while let Some(file) = rest.pop() {
            rest.extend(graph.get(file).into_iter().flatten().filter(|next| seen.insert(**next)));
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|file| (*file, reached(file))).collect();
    let mut found: Vec<BTreeSet<&str>> = Vec::new();
    for (file, reaches) in &reach {
        if !found.iter().any(|circle| circle.contains(file)) {
            let circle = reaches.iter().copied().filter(|other| reach[other].contains(file)).collect::<BTreeSet<_>>();
            found.extend((!circle.is_empty()).then_some(circle));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
    }

    #[test]
    fn braces_are_spread() {
        assert_eq!(spread("a::{b, c::{self, d}}"), ["a::b", "a::c::self", "a::c::d"]);
        assert_eq!(spread("a::b as c"), ["a::b as c"]);
    }

    #[test]
    fn an_import_counts_for_the_file_a_name_comes_from() {
        let files = files(&[
            ("lib.rs", "pub mod a;\nmod b;"),
            ("a/mod.rs", "mod c;\npub(crate) use c::{One, Two as Three};"),
            ("a/c.rs", "pub struct One;\n// use crate::b;\n#[cfg(test)]\nmod tests { use crate::b; }"),
            ("b.rs", "use crate::a::{\n    One,\n    Three,\n};\nfn f() { crate::a::f() }"),
        ]);
        let graph = graph(&files);
        assert_eq!(graph["b.rs"], BTreeSet::from(["a/c.rs", "a/mod.rs"]));
        assert!(graph["a/c.rs"].is_empty() && graph["a/mod.rs"].is_empty());
    }

    #[test]
    fn a_circle_of_four_is_found() {
        let ring = [
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::c::X;"),
            ("c.rs", "use super::d;"),
            ("d.rs", "use crate::a;"),
        ];
        let (four, three) = (files(&ring), files(&ring[..3]));
        let of = |files| circles(&graph(files)).iter().map(BTreeSet::len).collect::<Vec<_>>();
        assert_eq!((of(&four), of(&three)), (vec![4], vec![]));
        assert!(loops("any", &four)[0].starts_with("4 files of any"));
    }
}
