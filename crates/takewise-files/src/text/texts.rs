//! Columns of text, and the arrays of fixed width that NumPy has for them.

use std::path::Path;

use takewise::Tensor;

use crate::budget::{ELEMENT, TEXT, WIDER};
use crate::foreign::Kind;
use crate::map::{Map, Placement};

/// Texts one after another.
pub(super) struct Texts {
    all: String,
    ends: Vec<usize>,
    /// Characters of the longest.
    width: usize,
}

impl Texts {
    /// So many texts without a character.
    pub(super) fn empty(count: usize) -> Self {
        Self { all: String::new(), ends: vec![0; count], width: 0 }
    }

    /// The texts with one more.
    pub(super) fn with(mut self, text: &str) -> Self {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self.width = self.width.max(text.chars().count());
        self
    }

    fn at(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.all[start..self.ends[row]]
    }
}

/// Columns of `rows` texts side by side: `<U5` in NumPy, five characters of four bytes each.
///
/// # Errors
/// Texts that are too long, memory that there is not.
pub(super) fn tensor(columns: &[&Texts], rows: usize, shape: &[usize]) -> Result<Tensor, String> {
    let width = columns.iter().map(|c| c.width).max().unwrap_or(0).max(1);
    let size = width.saturating_mul(4);
    if size > ELEMENT {
        return Err(format!("holds a text of {width} characters; at most {} are read", ELEMENT / 4));
    }
    let mut bytes = Vec::new();
    let count = rows.checked_mul(columns.len()).and_then(|n| n.checked_mul(size));
    let own = columns.iter().map(|c| c.all.len() + rows).sum::<usize>();
    let fits = |count: usize| count <= TEXT.max(own.saturating_mul(WIDER)) && bytes.try_reserve_exact(count).is_ok();
    if !count.is_some_and(fits) {
        return Err(format!(
            "is too large as text of one width: each of its texts would take the {size} bytes of the longest"
        ));
    }
    for row in 0..rows {
        for column in columns {
            let end = bytes.len() + size;
            column.at(row).chars().for_each(|c| bytes.extend((c as u32).to_ne_bytes()));
            bytes.resize(end, 0);
        }
    }
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    let kind = Kind::Moved { name: format!("{order}U{width}"), size };
    let tensor = Map::owned(bytes).tensor(Path::new(""), Placement::contiguous(0, shape.to_vec(), kind));
    tensor.map_err(|e| e.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_does_not_widen_others_without_bound() {
        let short = Texts::empty(400);
        let made = |length: usize| tensor(&[&Texts::empty(399).with(&"x".repeat(length))], 400, &[400]);
        assert_eq!(made(1000).unwrap().dtype().size(), 4000);
        assert!(made(100_000).unwrap_err().contains("the 400000 bytes of the longest"));
        assert!(made(ELEMENT / 4 + 1).unwrap_err().contains("at most"));
        assert_eq!(tensor(&[&short], 400, &[400]).unwrap().dtype().size(), 4);
    }
}
