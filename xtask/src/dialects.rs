//! The pages that are printed from the library: docs/DIALECTS.md from its dialect tables, docs/functions.md from its catalogue.

use std::fs;

use crate::Outcome;
use crate::python::target;
use crate::sh::{cargo, program, root};

/// Each page, and the program that prints it.
const PAGES: &[(&str, &str)] = &[("docs/DIALECTS.md", "dialects"), ("docs/functions.md", "functions")];

pub(crate) fn dialects(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("takes nothing or --check".into()),
    };
    // Of the whole workspace: what the tests have built is not built again with other features.
    let examples = PAGES.iter().flat_map(|(_, example)| ["--example", example]);
    cargo(&["build", "-q", "--workspace"]).args(examples).run()?;
    PAGES.iter().try_for_each(|(file, example)| page(file, example, check))
}

fn page(file: &str, example: &str, check: bool) -> Outcome {
    let fresh = program(&target().join("debug/examples").join(example)).output()?;
    let path = root().join(file);
    if !check {
        fs::write(&path, &fresh).map_err(|error| format!("{file}: {error}"))?;
        println!("{file}: {} lines", fresh.lines().count());
        return Ok(());
    }
    let stored = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
    match first_difference(&stored, &fresh) {
        None => Ok(()),
        Some((line, stored, fresh)) => Err(format!(
            "{file} has drifted from the code; run `cargo xtask dialects`.\n  line {line} of the file: {stored}\n  line {line} \
             of the code: {fresh}"
        )),
    }
}

/// The number of the first line that differs, and that line on both sides.
pub(crate) fn first_difference(a: &str, b: &str) -> Option<(usize, String, String)> {
    if a == b {
        return None;
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let line = (0..a.len().max(b.len())).find(|&i| a.get(i) != b.get(i));
    let side = |lines: &[&str], line: usize| lines.get(line).map_or("(none)", |text| text).to_owned();
    Some(match line {
        Some(line) => (line + 1, side(&a, line), side(&b, line)),
        None => (a.len() + 1, "(line ends differ)".into(), "(line ends differ)".into()),
    })
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn names_the_first_line_that_differs() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some((2, "b".into(), "c".into())));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some((2, "(none)".into(), "b".into())));
        assert!(first_difference("a\n", "a\r\n").is_some());
    }
}
