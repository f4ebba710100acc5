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
}

impl Texts {
    /// So many texts without a character.
    pub(super) fn empty(count: usize) -> Self {
        Self { all: String::new(), ends: vec![0; count] }
    }

    /// The texts with one more.
    pub(super) fn with(mut self, text: &str) -> Self {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self
    }

    fn at(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.all[start..self.ends[row]]
    }
}

/// Columns of `rows` texts side by side.
///
/// # Errors
/// As [`texts_as_array`].
pub(super) fn tensor(columns: &[&Texts], rows: usize, shape: &[usize]) -> Result<Tensor, String> {
    let texts = (0..rows).flat_map(|row| columns.iter().map(move |column| column.at(row).as_bytes()));
    texts_as_array(texts, 0, columns.iter().map(|c| c.all.len() + rows).sum(), shape)
}

/// Texts in UTF-8 as an array, in row-major order: `<U5` in NumPy, five characters of four bytes each. All are as wide as the longest,
/// or as `width` characters if that is more.
///
/// `held` says in how many bytes the texts are held now. The array may take 1,024 times as many, or 64 MiB: one long text must not
/// widen many short ones without bound.
///
/// ```
/// let names = takewise_files::texts_as_array(["Riga", "Å"].map(str::as_bytes).into_iter(), 0, 6, &[2])?;
/// assert_eq!((names.shape(), names.dtype().size()), (&[2][..], 16));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// Texts that are too long or no UTF-8, memory that there is not.
pub fn texts_as_array<'t>(
    texts: impl Iterator<Item = &'t [u8]> + Clone,
    width: usize,
    held: usize,
    shape: &[usize],
) -> Result<Tensor, String> {
    let count = shape.iter().try_fold(4usize, |n, extent| n.checked_mul(*extent));
    let most = TEXT.max(held.saturating_mul(WIDER));
    let fits = |width: usize| {
        if width > ELEMENT / 4 {
            return Err(format!("holds a text of {width} characters; at most {} are read", ELEMENT / 4));
        }
        count.and_then(|n| n.checked_mul(width)).filter(|n| *n <= most).ok_or_else(|| too_large(width))
    };
    let letters = |text| str::from_utf8(text).map_err(|_| "holds a text that is not UTF-8".to_owned());
    let wider = |width: usize, text| match letters(text)?.chars().count() {
        n if n > width => fits(n).map(|_| n),
        _ => Ok(width),
    };
    // The one of most bytes comes first: what is too large is refused before all are looked at.
    let longest = texts.clone().max_by_key(|text| text.len()).unwrap_or_default();
    let width = texts.clone().try_fold(wider(width.max(1), longest)?, wider)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(fits(width)?).map_err(|_| too_large(width))?;
    for text in texts {
        let end = bytes.len() + 4 * width;
        letters(text)?.chars().for_each(|c| bytes.extend((c as u32).to_ne_bytes()));
        bytes.resize(end, 0);
    }
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    let kind = Kind::Moved { name: format!("{order}U{width}"), size: 4 * width };
    let tensor = Map::owned(bytes).tensor(Path::new(""), Placement::contiguous(0, shape.to_vec(), kind));
    tensor.map_err(|e| e.text().to_owned())
}

fn too_large(width: usize) -> String {
    let size = width.saturating_mul(4);
    format!("is too large as text of one width: each of its texts would take the {size} bytes of the longest")
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
