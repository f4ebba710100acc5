//! What every operation must do, by definition.
//!
//! An operation is a list of cells: for every coordinate of its result (or of its source), in row-major order,
//! the position in the array it means. [`Cells::read`] fetches them, [`Cells::store`] writes them and
//! [`Cells::accumulate`] combines into them, one cell after the other, in that order. The modules below only
//! make such lists, straight from each operation's definition.

mod along;
pub mod arrange;
mod flat;
mod nd;
mod search;
mod subscript;

pub use along::{along, axis_batch, index_select, take_along, take_axis, vector};
pub use flat::{masked, masked_scatter_count, nonzero, put, take, where_};
pub use nd::nd;
pub use search::{bisect, goes_right, searchsorted, total_cmp};
pub use subscript::{Sub, subscript};

use crate::arr::{Arr, Elem, coords};
use crate::num::{Num, Reduce, fold};
use std::collections::HashSet;
use takewise::index::rules::{Duplicates, Fill, Outside, Rules, Sign};
use takewise::{DType, Kind, Scalar};

/// An index value out of range: the facts an error must carry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Axis of the indexed array.
    pub axis: usize,
    /// Coordinates in the index operand of the first bad value; `None` for a plain integer.
    pub position: Option<Vec<usize>>,
    /// The first bad value.
    pub value: i128,
    /// Length of the axis.
    pub len: usize,
    /// How many values of that operand are bad.
    pub bad: usize,
}

/// Why an operation must fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bad {
    /// Index values are out of range: one entry per operand (or column) that holds any, the one met first in
    /// index order in front.
    OutOfRange(Vec<Facts>),
    /// Anything else: only the kind is defined.
    Other(Kind),
}

/// The result of an oracle function.
pub type Outcome<T> = Result<T, Bad>;

/// Where an index value points on an axis of length `n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A position.
    At(usize),
    /// Nowhere: reads fill, writes are dropped.
    Nowhere,
    /// An error.
    Bad,
}

/// The definition of [`Sign`] and [`Outside`].
pub fn place(value: i128, n: usize, rules: &Rules) -> Place {
    let len = n as i128;
    let from_end = rules.sign == Sign::FromEnd && -len <= value && value < 0;
    let v = if from_end { value + len } else { value };
    if (0..len).contains(&v) {
        return Place::At(v as usize);
    }
    match rules.outside {
        Outside::Fill | Outside::Drop => Place::Nowhere,
        Outside::Clip if n > 0 => Place::At(if v < 0 { 0 } else { n - 1 }),
        Outside::Wrap if n > 0 => Place::At((0..n).find(|&p| (v - p as i128) % len == 0).unwrap()),
        _ => Place::Bad,
    }
}

/// Checks every value of an index array against an axis; `position` turns a row-major position of the
/// values into coordinates of the operand.
pub fn check(
    values: &[i128],
    axis: usize,
    n: usize,
    rules: &Rules,
    position: impl Fn(usize) -> Vec<usize>,
) -> Option<Facts> {
    let bad: Vec<usize> = (0..values.len()).filter(|&k| place(values[k], n, rules) == Place::Bad).collect();
    let first = *bad.first()?;
    Some(Facts { axis, position: Some(position(first)), value: values[first], len: n, bad: bad.len() })
}

/// [`check`] for a whole index operand.
pub fn check_all(index: &Arr, axis: usize, n: usize, rules: &Rules) -> Outcome<()> {
    let values: Vec<i128> = (0..index.data.len()).map(|k| index.int_at(k)).collect();
    match check(&values, axis, n, rules, |k| coords(&index.shape)[k].clone()) {
        Some(facts) => Err(Bad::OutOfRange(vec![facts])),
        None => Ok(()),
    }
}

/// A dim as Python counts it; a 0-d array has dim 0.
pub fn dim(dim: i64, rank: usize) -> Outcome<usize> {
    let r = rank.max(1) as i64;
    if !(-r..r).contains(&dim) {
        return Err(Bad::Other(Kind::Axis));
    }
    Ok((if dim < 0 { dim + r } else { dim }) as usize)
}

/// The shape a 0-d operand of the gather, scatter and index families counts as.
pub fn at_least_1d(shape: &[usize]) -> Vec<usize> {
    if shape.is_empty() { vec![1] } else { shape.to_vec() }
}

/// For every coordinate of a shape, in row-major order, the cell of the array it means; `None` is nowhere.
#[derive(Clone, PartialEq, Debug)]
pub struct Cells {
    /// The shape walked.
    pub shape: Vec<usize>,
    /// Row-major positions in the array.
    pub cell: Vec<Option<usize>>,
}

impl Cells {
    /// The cells' values.
    pub fn read(&self, x: &Arr, rules: &Rules) -> Arr {
        let missing = missing(x.dtype, rules);
        Arr::new(&self.shape, x.dtype, self.cell.iter().map(|c| c.map_or(missing, |c| x.data[c])).collect())
    }

    /// `x` with the values stored one after the other; `values` has one element per cell.
    pub fn store(&self, x: &Arr, values: &[Elem], rules: &Rules) -> Outcome<Arr> {
        assert_eq!(values.len(), self.cell.len());
        let mut out = x.clone();
        let mut seen = HashSet::new();
        for (cell, value) in self.cell.iter().zip(values) {
            let Some(cell) = *cell else { continue };
            let again = !seen.insert(cell);
            match rules.duplicates {
                Duplicates::Error if again => return Err(Bad::Other(Kind::Duplicate)),
                Duplicates::First if again => {}
                _ => out.data[cell] = *value,
            }
        }
        Ok(out)
    }

    /// `x` with the values combined into their cells in order. Without `include_self` an addressed cell
    /// starts from nothing; cells not addressed keep their value.
    pub fn accumulate(
        &self,
        x: &Arr,
        values: &[Num],
        reduce: Reduce,
        include_self: bool,
        rules: &Rules,
    ) -> Outcome<Arr> {
        assert_eq!(values.len(), self.cell.len());
        let mut out = x.clone();
        let mut hits: Vec<Vec<Num>> = vec![vec![]; x.data.len()];
        for (cell, &value) in self.cell.iter().zip(values) {
            if let Some(cell) = *cell {
                hits[cell].push(value);
            }
        }
        if rules.duplicates == Duplicates::Error && hits.iter().any(|hits| hits.len() > 1) {
            return Err(Bad::Other(Kind::Duplicate));
        }
        for (cell, hits) in hits.into_iter().enumerate().filter(|(_, hits)| !hits.is_empty()) {
            let own = if include_self { x.num_at(cell) } else { reduce.identity(x.dtype) };
            let count = hits.len() + include_self as usize;
            out.data[cell] = fold(own, &hits, reduce, count, x.dtype, rules.accumulate).encode(x.dtype);
        }
        Ok(out)
    }

    /// The numbers of an array, for [`Cells::accumulate`].
    pub fn nums(values: &Arr) -> Vec<Num> {
        (0..values.data.len()).map(|k| values.num_at(k)).collect()
    }
}

/// What a read of nowhere gives: zero bytes, the rules' fill value, or the dtype's missing value.
pub fn missing(dtype: DType, rules: &Rules) -> Elem {
    if rules.outside == Outside::Drop {
        return [0; 24];
    }
    let number = match rules.fill {
        Some(Fill::Number(Scalar::Bool(v))) => Num::Int(v as i128),
        Some(Fill::Number(Scalar::Int(v))) => Num::Int(v),
        Some(Fill::Number(Scalar::Float(v))) => Num::Float(v),
        Some(Fill::Number(Scalar::Complex(a, b))) => Num::Complex(a, b),
        Some(Fill::Element(bytes, _)) => {
            let mut element = [0; 24];
            element[..16].copy_from_slice(&bytes);
            return element;
        }
        None if dtype.is_float() || dtype.is_complex() => Num::Complex(f64::NAN, 0.0),
        None if dtype.is_signed_integer() => Num::Int(-(1 << (8 * dtype.size() - 1))),
        None if dtype == DType::Bool => Num::Int(1),
        None if dtype.is_integer() => Num::Int((1 << (8 * dtype.size())) - 1),
        None => return [0; 24],
    };
    number.as_dtype(dtype).encode(dtype)
}
