//! What functions do and what their parameters mean, as text: docstrings are made of it.

use crate::face::Face;
use crate::sig::{Form, Kind, Param};
use crate::value::Function;

/// One entry for each name, with what it gives, a sentence and mostly an example (`operations.txt` tells the form).
const OPERATIONS: &str = include_str!("operations.txt");
/// One line for each name.
const PARAMETERS: &str = include_str!("parameters.txt");

/// What is known of an operation.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Whether it gives a view, a new array, its own operand, or something else.
    pub gives: &'static str,
    /// What names the elements where it does something: `index`, `mask` or `search`; `None` where it does it everywhere.
    pub by: Option<&'static str>,
    /// What it does, in one sentence.
    pub sentence: &'static str,
    /// Lines of a transcript in Python; empty if there is none.
    pub example: &'static str,
}

/// What is known of the operation of a name; `None` for names without an entry.
///
/// ```
/// assert_eq!(takewise_dialects::about::operation("numel").unwrap().sentence, "The number of elements.");
/// ```
pub fn operation(name: &str) -> Option<About> {
    let entry = entry(OPERATIONS, name)?;
    let (head, rest) = entry.split_once('\n').unwrap_or((entry, ""));
    let (gives, sentence) = head.split_once(" | ")?;
    let (gives, by) = gives.split_once(" by ").map_or((gives, None), |(gives, by)| (gives, Some(by)));
    // An example ends where a line is the head of the next entry.
    let is_head = |line: &str| !line.starts_with([' ', '>']) && line.splitn(3, " | ").count() == 3;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if is_head(line) {
            break;
        }
        end += line.len();
    }
    Some(About { gives, by, sentence, example: rest[..end].trim_end() })
}

/// Whether the function at a path of a library's tables finds elements by an index, a mask or a search. Any other builds,
/// computes or looks at all elements alike.
///
/// ```
/// use takewise_dialects::about;
///
/// assert!(about::finds("numpy.take") && about::finds("add.at") && about::finds("scatter_add_"));
/// assert!(!about::finds("zeros") && !about::finds("sum"));
/// ```
pub fn finds(path: &str) -> bool {
    path.split('.').any(|name| known(name).is_some_and(|about| about.by.is_some()))
}

/// The names at a path of a library under which something [`finds`] elements: what Python's module has of its own where the library
/// itself has all the rest.
///
/// ```
/// use takewise_dialects::{NUMPY, about};
///
/// let names = about::finding(&NUMPY, "");
/// assert!(names.contains(&"take") && names.contains(&"add") && !names.contains(&"sum"));
/// ```
pub fn finding(face: &Face, path: &str) -> Vec<&'static str> {
    let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
    let rows = face.tables.iter().flat_map(|table| table.iter()).filter(|row| finds(row.name));
    // Methods have no path but that of the array.
    let below = rows.filter(|row| !path.is_empty() || !matches!(row.form, Form::Method | Form::InPlace));
    let mut names: Vec<_> = below.filter_map(|row| row.name.strip_prefix(&prefix)?.split('.').next()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What a parameter means; `None` for names without an entry.
///
/// ```
/// assert_eq!(takewise_dialects::about::parameter("seed"), Some("an integer"));
/// ```
pub fn parameter(name: &str) -> Option<&'static str> {
    entry(PARAMETERS, name)?.lines().next()
}

/// The text from behind `NAME | ` on.
fn entry(text: &'static str, name: &str) -> Option<&'static str> {
    Some(text.split_once(&format!("\n{name} | "))?.1)
}

/// The docstring of a function or method, in NumPy's style: its signatures, what it does, its parameters, what it gives, and an example
/// where `examples` asks for one.
///
/// Whose rules hold is the library the function belongs to; docs/DIALECTS.md tells them.
///
/// ```
/// use takewise_dialects::{Value, about, lookup};
///
/// let torch = lookup::import("torch").unwrap();
/// let Ok(Value::Function(unbind)) = lookup::attribute(&torch, "unbind") else { panic!("torch has such a function") };
/// let text = about::docstring(&unbind, false);
/// assert!(text.starts_with("unbind(Tensor input, int dim=0)\n\nThe slices along an axis, which falls away.\n"));
/// ```
pub fn docstring(function: &Function, examples: bool) -> String {
    let lines: Vec<String> = function.rows.iter().map(|row| format!("{}({})", function.name, row.params)).collect();
    let mut text = lines.join("\n");
    let about = known(function.name);
    let operation = function.operation();
    let summary = operation.map(|entry| entry.summary()).or(about.map(|about| about.sentence.to_owned()));
    if let Some(summary) = summary {
        text.push_str(&format!("\n\n{summary}"));
    }
    let mut seen: Vec<&Param> = Vec::new();
    for param in function.rows.iter().flat_map(|row| &row.signature.params) {
        if !seen.iter().any(|known| known.name == param.name) {
            seen.push(param);
        }
    }
    if !seen.is_empty() {
        text.push_str("\n\nParameters\n----------");
    }
    for param in seen {
        let default = param.default.map(|default| format!(", default {default}")).unwrap_or_default();
        text.push_str(&format!("\n{} : {}{default}", param.name, taken(param.kind)));
        if let Some(meaning) = parameter(param.name) {
            text.push_str(&format!("\n    {}.", sentence(meaning)));
        }
    }
    let Some(about) = about else { return text };
    let gives = match about.gives {
        "view" => "A view where the memory allows it: no element is copied, and a write to one shows in the other.",
        "new" => "New memory; the time is that of reading what is asked for and writing the result once.",
        "in place" => "The array itself. An error leaves it as it was.",
        "made" => "New memory of the library's default dtype where none is given.",
        _ => return with_example(text, about, examples),
    };
    text.push_str(&format!("\n\nReturns\n-------\n{gives}"));
    with_example(text, about, examples)
}

/// [`operation`], of a name that ends in an underscore also what the name without it does, in place.
fn known(name: &str) -> Option<About> {
    let in_place = || Some(About { gives: "in place", example: "", ..operation(name.strip_suffix('_')?)? });
    operation(name).or_else(in_place)
}

fn with_example(mut text: String, about: About, examples: bool) -> String {
    if examples && !about.example.is_empty() {
        text.push_str(&format!("\n\nExamples\n--------\n>>> import takewise\n{}", about.example));
    }
    text
}

/// What a parameter takes, in words.
fn taken(kind: Kind) -> &'static str {
    match kind {
        Kind::Tensor => "array",
        Kind::Int => "int",
        Kind::Bool => "bool",
        Kind::Float => "float",
        Kind::Number => "number",
        Kind::Str => "str",
        Kind::DType => "dtype",
        Kind::Ints => "ints",
        Kind::Tensors => "sequence of arrays",
        Kind::Rest => "any number of arguments",
        Kind::Any => "object",
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;
    use std::collections::BTreeSet;

    /// Every function and parameter of the tables is told of, and nothing else is.
    #[test]
    fn every_name_has_an_entry() {
        let (mut named, mut parameters) = (BTreeSet::new(), BTreeSet::new());
        for face in lookup::FACES {
            for row in face.tables.iter().flat_map(|table| table.iter()) {
                named.insert(row.name.rsplit('.').next().unwrap());
                parameters.extend(crate::sig::Signature::of(row.params).params.iter().map(|p| p.name));
            }
        }
        let missing: Vec<_> = named.iter().filter(|name| known(name).is_none()).collect();
        assert!(missing.is_empty(), "operations.txt does not tell of {missing:?}");
        let missing: Vec<_> = parameters.iter().filter(|name| parameter(name).is_none()).collect();
        assert!(missing.is_empty(), "parameters.txt does not tell of {missing:?}");
    }
}
