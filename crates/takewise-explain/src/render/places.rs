//! Names and values of elements, for data that may be wrong: nothing here panics, and everything is bounded.

use std::collections::HashMap;
use std::fmt::Write;

use crate::data::{Cell, Explanation, How, Operand, Outcome, Pointer, Source};

/// Arrays of more axes than this have their elements named by flat position.
const RANK: usize = 16;
/// Longer names and values are cut.
const LONG: usize = 80;

/// How many elements a shape has, at most `usize::MAX`.
pub(super) fn elements(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1, |n: usize, d| n.saturating_mul(*d)) }
}

/// The coordinates of a position; none where it lies outside.
pub(super) fn coordinates(shape: &[usize], at: usize) -> Option<Vec<usize>> {
    if shape.len() > RANK || at >= elements(shape) {
        return None;
    }
    let (mut rest, mut out) = (at, vec![0; shape.len()]);
    for (place, extent) in out.iter_mut().zip(shape).rev() {
        (*place, rest) = (rest % extent, rest / extent);
    }
    Some(out)
}

/// `[0, 2]`; nothing for the element of a 0-d array, `[?9]` for one that is not there.
pub(super) fn subscript(shape: &[usize], at: usize) -> String {
    match coordinates(shape, at) {
        Some(found) if found.is_empty() => String::new(),
        Some(found) => format!("{found:?}"),
        None if at < elements(shape) => format!(".flat[{at}]"),
        None => format!("[?{at}]"),
    }
}

/// `[2, 3]`, cut after sixteen extents.
pub(super) fn shape(extents: &[usize]) -> String {
    if extents.len() <= RANK {
        return format!("{extents:?}");
    }
    let shown: Vec<String> = extents[..RANK].iter().map(usize::to_string).collect();
    format!("[{}, …]", shown.join(", "))
}

/// Text from outside in one line, cut: characters that control a terminal or turn the direction of writing are spelled out.
pub(super) fn clean(text: &str) -> String {
    clean_to(text, LONG)
}

/// As [`clean`], with a length of one's own.
pub(super) fn clean_to(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (n, c) in text.chars().enumerate() {
        if n == most {
            out.push('…');
            break;
        }
        if hidden(c) {
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that are not seen but change what is seen around them, and those no XML file may hold.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// JSON whose hidden characters are escaped. They stand only within strings; line breaks stay.
pub(super) fn revealed(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && hidden(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(out, "\\u{unit:04x}");
            });
        } else {
            out.push(c);
        }
    }
    out
}

/// The lines of text from outside, each clean, with bounds on both.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.lines().take(200).map(|line| clean_to(line, 1000)).collect()
}

/// A value of an array, clean.
pub(super) fn value(values: &Option<Vec<String>>, at: usize) -> Option<String> {
    values.as_ref()?.get(at).map(|text| clean(text))
}

/// An operand's name, or a question mark where there is no such operand.
pub(super) fn operand_name(e: &Explanation, k: usize) -> String {
    e.operands.get(k).map_or_else(|| "?".to_owned(), |operand| clean(&operand.name))
}

/// A list of names with "and" before the last.
pub(super) fn listed(names: &[String], comma: &str, and: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{}{and}{last}", most.join(comma)),
    }
}

/// An element of an operand by name, `x[0, 2]`.
pub(super) fn operand_place(e: &Explanation, k: usize, at: usize) -> String {
    let shape = e.operands.get(k).map_or(&[][..], |operand| &operand.shape);
    format!("{}{}", indexed(operand_name(e, k)), subscript(shape, at))
}

/// A name that a subscript may follow: in brackets where it is an expression.
fn indexed(name: String) -> String {
    let simple = name.chars().all(|c| c.is_alphanumeric() || "_.?()[]".contains(c));
    if simple { name } else { format!("({name})") }
}

/// An element of a result by name.
pub(super) fn result_place(outcome: &Outcome, at: usize) -> String {
    format!("{}{}", indexed(clean(&outcome.name)), subscript(&outcome.shape, at))
}

/// The value of an operand's element.
pub(super) fn operand_value(e: &Explanation, k: usize, at: usize) -> Option<String> {
    value(&e.operands.get(k)?.values, at)
}

/// `index[0] = 3`, or the name alone where the value is not known.
pub(super) fn pointer(e: &Explanation, pointer: &Pointer) -> String {
    let place = operand_place(e, pointer.operand, pointer.at);
    match operand_value(e, pointer.operand, pointer.at) {
        Some(value) => format!("{place} = {value}"),
        None => place,
    }
}

/// The value of a source.
pub(super) fn source_value(e: &Explanation, source: &Source) -> Option<String> {
    let own = source.value.as_ref().map(|value| clean(value));
    own.or_else(|| operand_value(e, source.operand?, source.at))
}

/// The value of a result's element: its own, or where the call was not run that of the one element it is a copy of.
pub(super) fn result_value(e: &Explanation, outcome: &Outcome, at: usize) -> Option<String> {
    if outcome.values.is_some() {
        return value(&outcome.values, at);
    }
    if let Some(cell) = cell_at(outcome, at) {
        let mut used = cell.sources.iter().filter(|source| source.used);
        return match (cell.how, used.next(), used.next()) {
            (How::Copy | How::Last | How::First, Some(one), None) => source_value(e, one),
            (How::Fill, ..) => cell.value.as_ref().map(|value| clean(value)),
            _ => None,
        };
    }
    operand_value(e, outcome.base?, at)
}

/// The cell at a position. Cells are in row-major order, so most often it stands where it is looked for.
pub(super) fn cell_at(outcome: &Outcome, at: usize) -> Option<&Cell> {
    match outcome.cells.get(at) {
        Some(cell) if cell.at == at => Some(cell),
        _ => outcome.cells.binary_search_by_key(&at, |cell| cell.at).ok().map(|k| &outcome.cells[k]),
    }
}

/// The cells of a result by their positions.
pub(super) fn indexed_cells(outcome: &Outcome) -> HashMap<usize, &Cell> {
    outcome.cells.iter().map(|cell| (cell.at, cell)).collect()
}

/// The elements of a mask that are true, by its values.
pub(super) fn is_true(operand: &Operand, at: usize) -> bool {
    operand.values.as_ref().and_then(|values| values.get(at)).is_some_and(|v| matches!(&**v, "True" | "true" | "1"))
}

/// Bytes as people read them.
pub(super) fn bytes(n: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 10_000 {
        return format!("{n} B");
    }
    let (mut value, mut unit) = (n as f64 / 1024.0, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names_or_question_marks() {
        assert_eq!(subscript(&[2, 3], 5), "[1, 2]");
        assert_eq!(subscript(&[2, 3], 6), "[?6]");
        assert_eq!(subscript(&[], 0), "");
        assert_eq!(subscript(&[0, 3], 0), "[?0]");
        assert_eq!(subscript(&[1; 17], 0), ".flat[0]");
        assert_eq!(subscript(&[usize::MAX, usize::MAX], 7), "[0, 7]");
    }

    #[test]
    fn hidden_characters_are_spelled_out() {
        assert_eq!(clean("a\u{1b}[31m\u{202e}b\n\u{0}"), "a\\u{1b}[31m\\u{202e}b\\n\\u{0}");
        assert_eq!(clean_to("abcdef", 3), "abc…");
        assert_eq!(clean("张量 é"), "张量 é");
    }

    #[test]
    fn json_with_hidden_characters_says_the_same() {
        let text = "a\u{202e}\u{e0001}\u{7f}\n\u{1}é";
        let json = serde_json::to_string(text).unwrap();
        let shown = revealed(&json);
        assert!(shown.contains("\\u202e") && !shown.contains('\u{202e}'), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn bytes_are_readable() {
        assert_eq!([bytes(48), bytes(20_480), bytes(1 << 30)], ["48 B", "20.0 KiB", "1.0 GiB"]);
        assert!(bytes(usize::MAX).ends_with("TiB"));
    }
}
