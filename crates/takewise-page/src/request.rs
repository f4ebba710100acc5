//! What can be asked.

use std::ops::Range;

use serde::Deserialize;

/// Elements an operand of the page may have: beyond, nothing is listed anyway.
pub const MOST: usize = takewise_explain::data::MOST;

/// A request.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) want: Want,
    #[serde(default)]
    pub(crate) expression: String,
    /// Operands by name.
    #[serde(default)]
    pub(crate) names: Vec<Given>,
    /// `torch`, `numpy`, `mindspore`, `jax` or `takewise`.
    #[serde(default)]
    pub(crate) dialect: String,
    /// For a comparison: the libraries, all five if none is named.
    #[serde(default)]
    pub(crate) libraries: Vec<String>,
    /// For a drawing: `en` or `zh`.
    #[serde(default)]
    pub(crate) language: String,
    /// What is judged, or whose target is wanted.
    #[serde(default)]
    pub(crate) puzzle: Option<Puzzle>,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Want {
    Explanation,
    Comparison,
    Rules,
    Svg,
    Judge,
    Target,
}

/// An operand: a name and the array it stands for.
#[derive(Clone, Debug, Deserialize)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// The dtype by the engine's name.
    pub dtype: String,
    /// Extents.
    pub shape: Vec<u64>,
    /// Its elements in row-major order, as they would be written.
    pub values: Vec<String>,
}

/// A puzzle, as `docs/explain/puzzles.json` has it, but for its texts.
#[derive(Clone, Debug, Deserialize)]
pub struct Puzzle {
    /// Which library's rules hold.
    pub dialect: String,
    /// The operands that are shown.
    pub names: Vec<Given>,
    /// The same operands with other values, which are not shown.
    pub hidden: Vec<Vec<Given>>,
    /// An expression that makes the target.
    pub solution: String,
    /// Whether the dtype has to be that of the target too.
    #[serde(default)]
    pub dtype: bool,
}

/// A range of bytes of a text as a range of UTF-16 units, which a browser counts in.
pub(crate) fn units(text: &str, bytes: Range<usize>) -> [usize; 2] {
    let count = |end: usize| text[..text.floor_char_boundary(end.min(text.len()))].encode_utf16().count();
    [count(bytes.start), count(bytes.end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_a_browser_counts() {
        let text = "é𝄞x";
        assert_eq!(units(text, 2..6), [1, 3]);
        assert_eq!(units(text, 6..90), [3, 4]);
    }
}
