//! Moving whole rows.
//!
//! Pseudo code of a take along one axis, the axes before it flattened to `outer`, those behind it to `inner` elements:
//!
//! ```text
//! check the offsets; turn row numbers into parts start..stop of the axis, and sum their lengths
//! for each k in outer, for each part: copy elements (k * len + start) * inner .. (k * len + stop) * inner
//! ```
//!
//! Arrays that this cannot see as elements in a row (strided ones, elements of odd sizes, files, what keeps a record for gradients, and
//! what is watched) are read by the engine at the positions of all values of the rows.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use takewise::index::rules::{Fill, Outside, Sign};
use takewise::internal::far;
use takewise::internal::parts::{each, parts_for, watched};
use takewise::internal::watched::numbers;
use takewise::{Complex, Element, Layout, Op, Result, Rules, Scalar, Tensor};

use crate::ranges::{Integers, Parts, Ranges, Rows, Said, placed};
use crate::rows::range_ids;

/// Runs a block on the elements of an array in a row, as numbers of their size that only hold them; else goes on behind it.
macro_rules! sized {
    ($along:expr, $array:expr, $all:ident: $t:ident => $run:block) => {
        sized!(arms $along, $array, $all, $t, $run; 1 u8, 2 u16, 4 u32, 8 u64, 16 Complex<f64>)
    };
    (arms $along:expr, $array:expr, $all:ident, $t:ident, $run:block; $($size:literal $number:ty),*) => {
        match $array.dtype().size() {
            $($size if $along.plain($array) => {
                type $t = $number;
                let same = $array.reinterpret($t::DTYPE)?;
                let open = same.read::<$t>()?;
                if let Some($all) = open.as_slice() $run
            })*
            _ => {}
        }
    };
}

/// The position of each value of rows, row after row, and the offsets of these rows: both int64.
///
/// `len` is how many values there are along the axis, where that is known. Rows are picked by `ids`, or all in order. A row number that
/// the rules leave out names an empty row. With the positions one index serves many arrays.
///
/// Errors: kind `Argument` for rows that do not lie there, `OutOfRange` for row numbers, `Memory`. Cost: one pass over the result.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, positions};
///
/// let (at, edges) = positions(Rows::Offsets(&tensor!([0, 2, 5])), Some(&tensor!([1, 0])), None, &Rules::NEUTRAL)?;
/// assert_eq!((at.to_vec::<i64>()?, edges.to_vec::<i64>()?), (vec![2, 3, 4, 0, 1], vec![0, 3, 5]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn positions(rows: Rows<'_>, ids: Option<&Tensor>, len: Option<usize>, rules: &Rules) -> Result<(Tensor, Tensor)> {
    let said = Said { op: Op::Named(&"range_positions"), rules };
    let ranges = Ranges::of(said, rows, len.unwrap_or(isize::MAX as usize), 0)?;
    let ranges = ranges.edges();
    let parts = ranges.picked(said, ids)?;
    Ok((listed(said, &parts)?, vector(parts.into_offsets())?))
}

/// The rows of `values` along `axis` that `ids` names, in its order and as often, and their offsets; without `ids` all rows.
///
/// The result has as many values along the axis as the rows hold together. A row number that the rules leave out names an empty row.
///
/// Errors: kinds `Axis`, `Argument` for rows that do not lie within the axis, `OutOfRange`, `Memory`. Cost: one pass over the row
/// numbers and one over the result. Source: TensorFlow's `gather` of ragged tensors, Arrow's `take` of lists.
pub fn take(
    values: &Tensor,
    rows: Rows<'_>,
    ids: Option<&Tensor>,
    axis: i64,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let said = Said { op: Op::Named(&"take_ranges"), rules };
    let along = Along::of(said, values, axis)?;
    let ranges = Ranges::of(said, rows, along.len, along.axis)?;
    let ranges = ranges.edges();
    let parts = ranges.picked(said, ids)?;
    Ok((along.copied(said, values, &parts)?, vector(parts.into_offsets())?))
}

/// A dense array of the rows of `values` along the first axis: `[rows, width, ...]`, with `fill` behind the values of a row; and, where
/// it is asked for, which elements are values. `width` is the longest row's length unless told.
///
/// Errors: kinds `Argument` for rows that do not lie there or are longer than `width`, `Memory`. Cost: one pass over the result.
/// Source: `torch.nn.utils.rnn.pad_sequence`.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, pad};
///
/// let (dense, _) = pad(&tensor!([1, 2, 3]), Rows::Offsets(&tensor!([0, 2, 3])), None, (-1).into(), false, &Rules::NEUTRAL)?;
/// assert_eq!((dense.shape(), dense.to_vec::<i64>()?), (&[2, 2][..], vec![1, 2, 3, -1]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn pad(
    values: &Tensor,
    rows: Rows<'_>,
    width: Option<usize>,
    fill: Scalar,
    with_mask: bool,
    rules: &Rules,
) -> Result<(Tensor, Option<Tensor>)> {
    let said = Said { op: Op::Named(&"pad_ranges"), rules };
    if values.dtype().is_foreign() {
        let text = format!(
            "no number stands between elements of dtype {}: pad the positions of range_positions",
            values.dtype().name()
        );
        return Err(said.refuse(text));
    }
    let along = Along::of(said, values, 0)?;
    let ranges = Ranges::of(said, rows, along.len, 0)?;
    let ranges = ranges.edges();
    let parts = ranges.picked(said, None)?;
    let longest = parts.iter().map(|part| part.len()).max().unwrap_or(0);
    let width = width.unwrap_or(longest);
    if longest > width {
        let longer = || parts.iter().enumerate().filter(|(_, part)| part.len() > width);
        let (row, length) = longer().next().map_or((0, 0), |(row, part)| (row, part.len()));
        let (count, all) = (longer().count(), parts.len());
        let text = format!("row {row} holds {length} values, and width is {width} ({count} of {all} rows are longer)");
        return Err(said.refuse(text));
    }
    let filled = Rules { outside: Outside::Fill, sign: Sign::NonNegative, fill: Some(Fill::Number(fill)), ..*rules };
    let places = parts.len().checked_mul(width).ok_or_else(|| said.memory(None))?;
    let dense = match padded(said, &along, values, &filled, &parts, places)? {
        Some(dense) => dense,
        None => {
            let mut at: Vec<i64> = said.room(places)?;
            for part in parts.iter() {
                let gap = width - part.len();
                at.extend(part.map(|k| k as i64));
                at.extend(std::iter::repeat_n(along.len as i64, gap));
            }
            values.take_axis(0, &vector(at)?, &filled)?
        }
    };
    let mut shape = vec![parts.len() as i64, width as i64];
    shape.extend(values.shape()[1..].iter().map(|n| *n as i64));
    let mask = match with_mask {
        true => {
            let mut mask: Vec<bool> = said.room(places)?;
            for part in parts.iter() {
                mask.extend((0..width).map(|k| k < part.len()));
            }
            Some(told(Tensor::from_vec(mask, &[parts.len(), width])?)?)
        }
        false => None,
    };
    Ok((dense.reshape(&shape)?, mask))
}

/// The first `lengths[r]` values of each row of `dense`, row after row, and their offsets: what [`pad`] undoes.
///
/// Errors: kind `Argument` for lengths that no row has, and for as many as there are no rows. Cost: one pass over the result.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::pack;
///
/// let (values, offsets) = pack(&tensor!([[1, 2], [3, 0]]), &tensor!([2, 1]), &Rules::NEUTRAL)?;
/// assert_eq!((values.to_vec::<i64>()?, offsets.to_vec::<i64>()?), (vec![1, 2, 3], vec![0, 2, 3]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn pack(dense: &Tensor, lengths: &Tensor, rules: &Rules) -> Result<(Tensor, Tensor)> {
    let said = Said { op: Op::Named(&"pack_ranges"), rules };
    let [rows, width] = match dense.shape() {
        [rows, width, ..] => [*rows, *width],
        shape => return Err(said.refuse(format!("dense must have two axes or more, and has shape {shape:?}"))),
    };
    let known = Integers::of(said, "lengths", lengths)?;
    if known.len() != rows {
        return Err(said.refuse(format!("there are {} lengths, and dense has {rows} rows", known.len())));
    }
    if let Some(row) = known.iter().position(|length| *length < 0 || *length as u64 > width as u64) {
        let text = format!("row {row} has length {}, and dense has {width} places a row", known[row]);
        return Err(said.refuse(text));
    }
    let parts = Parts::new((0..rows).map(|row| row * width).collect(), crate::ranges::summed(&known));
    let mut shape = vec![(rows * width) as i64];
    shape.extend(dense.shape()[2..].iter().map(|n| *n as i64));
    let flat = dense.reshape(&shape)?;
    let along = Along::of(said, &flat, 0)?;
    Ok((along.copied(said, &flat, &parts)?, vector(parts.into_offsets())?))
}

/// Element `r` of `values` along `axis` for each value of row `r`.
///
/// Errors: kinds `Axis`, `Argument` for rows that are wrong or as many as there are no elements. Cost: one pass over the result.
/// Source: `numpy.repeat`.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, repeat};
///
/// let made = repeat(&tensor!([7, 8]), Rows::Lengths(&tensor!([1, 3])), 0, &Rules::NEUTRAL)?;
/// assert_eq!(made.to_vec::<i64>()?, [7, 8, 8, 8]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn repeat(values: &Tensor, rows: Rows<'_>, axis: i64, rules: &Rules) -> Result<Tensor> {
    let said = Said { op: Op::Named(&"repeat_ranges"), rules };
    let along = Along::of(said, values, axis)?;
    let (ids, count) = range_ids(said.op, rows, rules)?;
    if count != along.len {
        let text = format!("there are {count} rows, and {} values along axis {}", along.len, along.axis);
        return Err(said.refuse(text));
    }
    values.take_axis(axis, &ids, rules)
}

/// Stores rows of `source` in the rows of `x` along `axis` that `ids` names. A row has to be as long as the one it goes to; without
/// `rows_of_source` they lie in order. Of rows that go to one place the rules say which stays.
///
/// Errors: kinds `Axis`, `Argument` for rows that are wrong or of other lengths, `OutOfRange`, `Duplicate`, `DType`; nothing is
/// stored then. Cost: one pass over the values stored.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, put_};
///
/// let x = tensor!([0, 0, 0, 0, 0]);
/// put_(&x, Rows::Offsets(&tensor!([0, 2, 5])), Some(&tensor!([1])), &tensor!([7, 8, 9]), None, 0, &Rules::NEUTRAL)?;
/// assert_eq!(x.to_vec::<i64>()?, [0, 0, 7, 8, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn put_(
    x: &Tensor,
    rows: Rows<'_>,
    ids: Option<&Tensor>,
    source: &Tensor,
    rows_of_source: Option<Rows<'_>>,
    axis: i64,
    rules: &Rules,
) -> Result<()> {
    let (to, source) = stored(x, rows, ids, source, rows_of_source, axis, rules)?;
    x.index_copy_(axis, &to, &source, rules)
}

/// [`put_`] into a copy.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, put};
///
/// let x = tensor!([0, 0, 0]);
/// let made = put(&x, Rows::Offsets(&tensor!([0, 1, 3])), None, &tensor!([7, 8, 9]), None, 0, &Rules::NEUTRAL)?;
/// assert_eq!((x.to_vec::<i64>()?, made.to_vec::<i64>()?), (vec![0, 0, 0], vec![7, 8, 9]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn put(
    x: &Tensor,
    rows: Rows<'_>,
    ids: Option<&Tensor>,
    source: &Tensor,
    rows_of_source: Option<Rows<'_>>,
    axis: i64,
    rules: &Rules,
) -> Result<Tensor> {
    let (to, source) = stored(x, rows, ids, source, rows_of_source, axis, rules)?;
    x.index_copy(axis, &to, &source, rules)
}

/// Where values go, and which.
fn stored(
    x: &Tensor,
    rows: Rows<'_>,
    ids: Option<&Tensor>,
    source: &Tensor,
    rows_of_source: Option<Rows<'_>>,
    axis: i64,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let said = Said { op: Op::Named(&"put_ranges"), rules };
    let along = Along::of(said, x, axis)?;
    let ranges = Ranges::of(said, rows, along.len, along.axis)?;
    let ranges = ranges.edges();
    let from = Along::of(said, source, axis)?;
    let places = match ids {
        Some(ids) => placed(said, "ids", ids, ranges.len())?,
        None => (0..ranges.len()).map(Some).collect(),
    };
    let (known, of_known) = picks(places.iter().flatten().map(|row| ranges.row(*row)));
    let to = listed(said, &of_known)?;
    let Some(rows_of_source) = rows_of_source else {
        if known < places.len() {
            let text = "the rules leave rows out, so the offsets of the source have to say which values are theirs";
            return Err(said.refuse(text.into()));
        }
        if to.numel() != from.len {
            let text =
                format!("the rows named hold {} values, and the source has {} along axis {axis}", to.numel(), from.len);
            return Err(said.refuse(text));
        }
        return Ok((to, source.clone()));
    };
    let theirs = Ranges::of(said, rows_of_source, from.len, from.axis)?;
    let theirs = theirs.edges();
    if theirs.len() != places.len() {
        return Err(said.refuse(format!("{} rows are named, and the source has {}", places.len(), theirs.len())));
    }
    let kept: Vec<(usize, usize)> = places.iter().enumerate().filter_map(|(k, row)| row.map(|row| (k, row))).collect();
    if let Some((k, row)) = kept.iter().find(|(k, row)| theirs.row(*k).len() != ranges.row(*row).len()) {
        let (given, wanted) = (theirs.row(*k).len(), ranges.row(*row).len());
        let text = format!(
            "row {k} of the source holds {given} values, and row {row} where it goes {wanted}: they must be as long"
        );
        return Err(said.refuse(text));
    }
    let (_, taken) = picks(kept.iter().map(|(k, _)| theirs.row(*k)));
    Ok((to, from.copied(said, source, &taken)?))
}

/// Parts of an axis, one after the other, and how many there are.
fn picks(all: impl Iterator<Item = Range<usize>>) -> (usize, Parts) {
    let (mut starts, mut offsets) = (Vec::new(), vec![0i64]);
    for part in all {
        starts.push(part.start);
        offsets.push(offsets.last().map_or(0, |last| last + part.len() as i64));
    }
    (starts.len(), Parts::new(starts, offsets))
}

/// An array as one axis between others.
pub(crate) struct Along {
    pub(crate) axis: usize,
    pub(crate) outer: usize,
    pub(crate) len: usize,
    pub(crate) inner: usize,
}

impl Along {
    pub(crate) fn of(said: Said<'_>, array: &Tensor, axis: i64) -> Result<Along> {
        let shape = array.shape();
        if shape.is_empty() {
            return Err(said.refuse("an array without axes has no rows".into()));
        }
        let axis = said.rules.axis(said.op, axis, shape.len())?;
        // Beside an axis without elements the others may be of any length.
        let product = |all: &[usize]| all.iter().fold(1usize, |product, n| product.saturating_mul(*n));
        Ok(Along { axis, outer: product(&shape[..axis]), len: shape[axis], inner: product(&shape[axis + 1..]) })
    }

    /// Whether the elements of an array can be seen in a row, and be moved by nobody's rules but ours.
    pub(crate) fn plain(&self, array: &Tensor) -> bool {
        array.is_contiguous() && !array.requires_grad() && !watched() && !far::holds(array.data_ptr().addr())
    }

    /// The parts of the axis one after the other.
    fn copied(&self, said: Said<'_>, array: &Tensor, parts: &Parts) -> Result<Tensor> {
        let total = parts.total();
        let mut shape = array.shape().to_vec();
        shape[self.axis] = total;
        sized!(self, array, all: T => {
            let count = Layout::contiguous(&shape, size_of::<T>()).map_err(|e| e.in_op(said.op))?.numel();
            let shares = parts_for(count * size_of::<T>()).min(parts.len().max(1));
            if shares > 1 && self.outer == 1 {
                let made = Tensor::zeroed(&shape, T::DTYPE)?;
                self.divided(all, made.write::<T>()?.as_mut_slice().unwrap_or_default(), parts, shares);
                return made.reinterpret(array.dtype());
            }
            let mut made: Vec<T> = said.room(count)?;
            let block = self.len * self.inner;
            // Beside an axis without elements there may be any number of blocks.
            for k in 0..if count == 0 { 0 } else { self.outer } {
                append(&mut made, &all[k * block..][..block], parts.iter(), self.inner);
            }
            return Tensor::from_vec(made, &shape)?.reinterpret(array.dtype());
        });
        array.take_axis(self.axis as i64, &listed(said, parts)?, said.rules)
    }

    /// [`Along::copied`] side by side, into `made`.
    fn divided<T: Element>(&self, all: &[T], made: &mut [T], parts: &Parts, shares: usize) {
        let (mut rest, size) = (made, parts.len().div_ceil(shares));
        let jobs: Vec<_> = (0..parts.len())
            .step_by(size)
            .map(|first| {
                let some = first..parts.len().min(first + size);
                let (own, later) = std::mem::take(&mut rest).split_at_mut(parts.span(some.clone()).len() * self.inner);
                rest = later;
                Mutex::new((some, own))
            })
            .collect();
        each(jobs.len(), &|k| {
            let mut job = jobs[k].lock().unwrap_or_else(PoisonError::into_inner);
            let (some, own) = &mut *job;
            let mut at = 0;
            for part in parts.of(some.clone()) {
                let from = &all[part.start * self.inner..part.end * self.inner];
                own[at..at + from.len()].copy_from_slice(from);
                at += from.len();
            }
        });
    }
}

/// Bytes that are copied at a time, by moves of constant size.
const STEP: usize = 32;

/// Steps up to which a row is copied by them; beyond, a call that copies is as fast.
const STEPS: usize = 8;

/// Appends parts, for which there is room.
///
/// A short row is copied in whole steps, some elements too many where there is room, which are cut off again.
fn append<T: Element>(made: &mut Vec<T>, all: &[T], parts: impl Iterator<Item = Range<usize>>, inner: usize) {
    let (step, most) = ((STEP / size_of::<T>()).max(1), made.capacity());
    for part in parts {
        let (start, len) = (part.start * inner, part.len() * inner);
        let (at, whole) = (made.len(), len.div_ceil(step) * step);
        if len <= STEPS * step && start + whole <= all.len() && at + whole <= most {
            macro_rules! steps {
                ($n:literal) => {
                    for from in all[start..start + whole].as_chunks::<$n>().0 {
                        made.extend_from_slice(from);
                    }
                };
            }
            match step {
                32 => steps!(32),
                16 => steps!(16),
                8 => steps!(8),
                4 => steps!(4),
                _ => steps!(2),
            }
            made.truncate(at + len);
        } else {
            made.extend_from_slice(&all[start..start + len]);
        }
    }
}

/// Rows with the filling of the rules behind them, in `places` places all together; `None` for what [`Along::plain`] is not.
fn padded(
    said: Said<'_>,
    along: &Along,
    values: &Tensor,
    filled: &Rules,
    parts: &Parts,
    places: usize,
) -> Result<Option<Tensor>> {
    // The engine judges whether the number fits.
    let gap = Tensor::zeroed(&[1], values.dtype())?.take_axis(0, &vector(vec![1i64])?, filled)?;
    let mut shape = values.shape().to_vec();
    shape[0] = places;
    let (inner, width) = (along.inner, places.checked_div(parts.len()).unwrap_or(0));
    let count = places.checked_mul(inner).ok_or_else(|| said.memory(None))?;
    sized!(along, values, all: T => {
        let gap = gap.reinterpret(T::DTYPE)?.to_vec::<T>()?;
        let mut made: Vec<T> = said.room(count)?;
        for part in parts.iter() {
            made.extend_from_slice(&all[part.start * inner..part.end * inner]);
            gap.first().into_iter().for_each(|one| made.resize(made.len() + (width - part.len()) * inner, *one));
        }
        return Ok(Some(Tensor::from_vec(made, &shape)?.reinterpret(values.dtype())?));
    });
    Ok(None)
}

/// The positions of parts.
pub(crate) fn listed(said: Said<'_>, parts: &Parts) -> Result<Tensor> {
    let mut all: Vec<i64> = said.room(parts.total())?;
    for part in parts.iter() {
        all.extend(part.map(|at| at as i64));
    }
    vector(all)
}

/// Numbers that a call has made, as an array with one axis.
pub(crate) fn vector<T: Element>(all: Vec<T>) -> Result<Tensor> {
    let count = all.len();
    told(Tensor::from_vec(all, &[count])?)
}

/// The array; whoever watches learns that its numbers are the call's own, and sees them put there.
pub(crate) fn told(made: Tensor) -> Result<Tensor> {
    if !watched() {
        return Ok(made);
    }
    numbers(&made.read_any()?.view());
    made.to_row_major()
}
