//! Arrays as text. What differs between the libraries is how a number is rendered and how a row is wrapped; nesting,
//! summaries and indentation are one walk told by a [`Style`].

use takewise::dtype::{DType, Scalar};
use takewise::internal::number::element_scalar;
use takewise::layout::Dims;
use takewise::view::{AnyView, View};

use crate::texts;
use crate::value::Value;

/// Arrays of more elements than this are summarised, in every library.
pub(crate) const THRESHOLD: usize = 1000;
/// Elements that a summary shows at either end of an axis, in every library.
pub(crate) const EDGE: usize = 3;

/// How a library lays out nested brackets.
pub(super) struct Style {
    /// Between elements of a row; its visible part also ends nested blocks.
    pub(super) separator: &'static str,
    /// Whether blocks of higher rank are set apart by blank lines.
    pub(super) blank_lines: bool,
    /// Whether every long axis of a matrix is summarised, however few elements there are.
    pub(super) eager: bool,
    /// Whether the row of dots is followed by a separator.
    pub(super) dots_separated: bool,
    /// Makes a row of rendered elements; `None` stands for the elements left out.
    pub(super) row: fn(words: &[Option<String>], place: Place, style: &Style) -> String,
}

/// Where a row stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Columns before the outermost bracket.
    pub(super) indent: usize,
    /// Brackets around the row.
    pub(super) depth: usize,
    /// Axes of the whole array.
    pub(super) rank: usize,
    /// Columns a line may have.
    pub(super) width: usize,
    /// Elements per line or columns per element, as the library counts; unused by some.
    pub(super) element: usize,
}

/// One array being printed: its shape, and its elements, of which those that a summary leaves out need not be there.
pub(super) struct Sheet<'a> {
    pub(super) shape: &'a [usize],
    pub(super) view: &'a AnyView<'a>,
    pub(super) style: &'static Style,
}

impl<'a> Sheet<'a> {
    /// Whether the axis shows only its ends.
    fn shortened(&self, axis: usize) -> bool {
        let (n, rank) = (self.shape[axis], self.shape.len());
        n > 2 * EDGE && (count(self.shape) > THRESHOLD || (self.style.eager && rank > 1))
    }

    /// The positions shown along an axis; `None` stands for those left out.
    fn shown(&self, axis: usize) -> Vec<Option<usize>> {
        let n = self.view.shape()[axis];
        if !self.shortened(axis) {
            return (0..n).map(Some).collect();
        }
        (0..EDGE).map(Some).chain([None]).chain((n - EDGE..n).map(Some)).collect()
    }

    /// Every element that will be shown, in order.
    pub(super) fn numbers(&self) -> Vec<Scalar> {
        let mut out = Vec::new();
        let shown: Vec<Vec<usize>> =
            (0..self.view.rank()).map(|k| self.shown(k).into_iter().flatten().collect()).collect();
        let mut places = vec![0; shown.len()];
        let mut at: Dims<usize> = Dims::new();
        for axis in &shown {
            let Some(&first) = axis.first() else { return out };
            at.push(first);
        }
        loop {
            out.push(self.number(&at));
            // The next coordinate: the last axis that has one, and the first of all behind it.
            let Some(k) = (0..shown.len()).rev().find(|&k| places[k] + 1 < shown[k].len()) else { return out };
            places[k] += 1;
            places[k + 1..].fill(0);
            (k..shown.len()).for_each(|k| at[k] = shown[k][places[k]]);
        }
    }

    pub(super) fn number(&self, at: &[usize]) -> Scalar {
        let bytes = self.view.bytes_at(at).unwrap_or_default();
        element_scalar(&bytes, self.view.dtype()).unwrap_or(Scalar::Int(0))
    }

    /// The nested brackets. Not by recursion: an array may have more axes than there is stack for.
    pub(super) fn nest(&self, place: Place, render: &impl Fn(Scalar) -> String) -> String {
        let rank = self.view.rank();
        let (mut out, mut at) = (String::new(), Dims::new());
        if rank == 0 {
            return render(self.number(&at));
        }
        let mut open: Vec<std::iter::Enumerate<std::vec::IntoIter<Option<usize>>>> = Vec::new();
        loop {
            let depth = open.len();
            if depth + 1 < rank {
                out += "[";
                open.push(self.shown(depth).into_iter().enumerate());
            } else {
                out += &self.row(&mut at, Place { depth: rank, rank, ..place }, render);
                at.pop();
            }
            // The next block of the innermost that has one; those that have none are closed.
            loop {
                let depth = open.len();
                let Some(block) = open.last_mut() else { return out };
                match block.next() {
                    Some((k, i)) => {
                        if k > 0 {
                            out += &self.between(&out, depth, place);
                        }
                        match i {
                            Some(i) => {
                                at.push(i);
                                break;
                            }
                            None => out += "...",
                        }
                    }
                    None => {
                        out += "]";
                        open.pop();
                        at.pop();
                    }
                }
            }
        }
    }

    /// What separates a block from the one before it, of what `depth` brackets are around.
    fn between(&self, before: &str, depth: usize, place: Place) -> String {
        let comma = self.style.separator.trim_end();
        let comma = if before.ends_with("...") && !self.style.dots_separated { "" } else { comma };
        let newlines = if self.style.blank_lines { self.view.rank() - depth } else { 1 };
        format!("{comma}{}{}", "\n".repeat(newlines), " ".repeat(place.indent + depth))
    }

    /// A row of elements, in brackets.
    fn row(&self, at: &mut Dims<usize>, place: Place, render: &impl Fn(Scalar) -> String) -> String {
        let mut word = |i| {
            at.push(i);
            let word = render(self.number(at));
            at.pop();
            word
        };
        let words: Vec<Option<String>> = self.shown(place.depth - 1).into_iter().map(|i| i.map(&mut word)).collect();
        format!("[{}]", (self.style.row)(&words, place, self.style))
    }
}

/// How many elements an array of that shape has.
pub(super) fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// A Python tuple of extents: `(2, 3)`, `(4,)`, `()`.
pub(super) fn tuple(shape: &[usize]) -> String {
    let parts: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("({}{comma})", parts.join(", "))
}

pub(super) fn truth(b: bool) -> &'static str {
    if b { "True" } else { "False" }
}

/// Text as Python shows it; what stands for other elements that can only be moved.
pub(super) fn words(sheet: &Sheet<'_>, place: Place) -> String {
    let made = texts::shown(sheet.view).and_then(|texts| {
        let places: Vec<i64> = (0..).take(texts.len()).collect();
        let numbers = AnyView::from(View::new(&places, sheet.view.shape()).ok()?);
        let text = |v: Scalar| match v {
            Scalar::Int(k) => super::repr(&Value::str(usize::try_from(k).map_or("", |k| &texts[k]))),
            _ => String::new(),
        };
        Some(Sheet { view: &numbers, ..*sheet }.nest(place, &text))
    });
    made.unwrap_or_else(|| moved(sheet.view.dtype()))
}

/// What stands for elements that can only be moved.
pub(super) fn moved(dtype: DType) -> String {
    match dtype.name() {
        "record" => format!("<records of {} bytes>", dtype.size()),
        name => format!("<elements of dtype {name}>"),
    }
}
