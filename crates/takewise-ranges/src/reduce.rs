//! Rows combined to one value each.
//!
//! Pseudo code, for the axes before the reduced one flattened to `outer` and those behind it to `inner` elements:
//!
//! ```text
//! check the offsets; turn row numbers into positions
//! for each k in outer, for each row, side by side:
//!     start every element of the row's result at the identity
//!     for each entry of the row, in order: combine its inner elements with them, those that do not count passed over
//!     where nothing was combined: the identity, or what `empty` says
//! ```
//!
//! A row is combined by one thread in the order of its entries, so that the bits do not depend on how many there are. What keeps a
//! record for gradients, and what is watched, is combined by the engine's own reductions of the row number of each entry.

use std::sync::{Mutex, PoisonError};

use takewise::index::rules::{Outside, Rules};
use takewise::internal::far;
use takewise::internal::parts::{each, parts_for, prefetch, watched};
use takewise::{DType, Element, Op, Reduce, Result, Scalar, Tensor};

use crate::moves::{Along, vector};
use crate::number::{Number, with_number};
use crate::ranges::{Edges, Ranges, Rows, Said, placed};
use crate::search::unordered;

/// How the values of a row are combined.
///
/// ```
/// assert_ne!(takewise_ranges::How::First, takewise_ranges::How::Last);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum How {
    Sum,
    Mean,
    Min,
    Max,
    Prod,
    Any,
    All,
    Count,
    First,
    Last,
    ArgMin,
    ArgMax,
}

/// What is asked of a reduction.
///
/// ```
/// use takewise_ranges::{How, Reduction};
/// assert!(!Reduction::by(How::Sum).skip_nan);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'t> {
    /// How values are combined.
    pub how: How,
    /// Positions along the axis of the values that the rows hold; without them the rows hold the values themselves.
    pub ids: Option<&'t Tensor>,
    /// A factor for each entry of the rows, of the dtype of the values: sums alone have them.
    pub weights: Option<&'t Tensor>,
    /// Which values count: booleans that broadcast to the entries' shape.
    pub mask: Option<&'t Tensor>,
    /// Whether NaN is passed over.
    pub skip_nan: bool,
    /// What a row without values gives.
    pub empty: Option<Scalar>,
}

impl Reduction<'_> {
    /// A reduction of all values.
    pub fn by(how: How) -> Reduction<'static> {
        Reduction { how, ids: None, weights: None, mask: None, skip_nan: false, empty: None }
    }
}

impl How {
    /// The dtype of the result.
    fn dtype(self, of: DType) -> DType {
        match self {
            How::Any | How::All => DType::Bool,
            How::Count | How::ArgMin | How::ArgMax => DType::I64,
            _ => of,
        }
    }
}

/// One value for each row of `values` along `axis`.
///
/// Sums, products and means have the dtype of the values (means of integers are floors; sums and products of half floats are held in
/// f32), `Count`, `ArgMin` and `ArgMax` are int64, `Any` and `All` bool. Positions count along the axis of `values`; of equal ones the
/// first is named. NaN is the least and the greatest where it is not passed over. A row without values gives 0, for products 1, for
/// extremes the dtype's other end (infinity for floats), for positions -1, or what `empty` says.
///
/// Errors: kinds `Axis`, `DType`, `Argument` for rows that are wrong, `OutOfRange` for `ids`, `Memory`. Cost: one pass over the entries.
/// Source: `torch.segment_reduce`, `torch.nn.functional.embedding_bag`, `torch_scatter.segment_csr`.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{How, Reduction, Rows, reduce};
///
/// let made = reduce(&tensor!([1, 2, 5]), Rows::Offsets(&tensor!([0, 2, 2, 3])), 0, &Reduction::by(How::Sum), &Rules::NEUTRAL)?;
/// assert_eq!(made.to_vec::<i64>()?, [3, 0, 5]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn reduce(values: &Tensor, rows: Rows<'_>, axis: i64, asked: &Reduction<'_>, rules: &Rules) -> Result<Tensor> {
    let said = Said { op: Op::Named(&"reduce_ranges"), rules };
    let along = Along::of(said, values, axis)?;
    let places = asked.ids.map(|ids| placed(said, "ids", ids, along.len)).transpose()?;
    let count = places.as_ref().map_or(along.len, Vec::len);
    let ranges = Ranges::of(said, rows, count, along.axis)?;
    let ranges = ranges.edges();
    let mut shape = values.shape().to_vec();
    shape[along.axis] = count;
    let mask = match asked.mask {
        Some(mask) if mask.dtype() != DType::Bool => {
            return Err(said.refuse(format!("where must hold booleans, not {}", mask.dtype().name())));
        }
        Some(mask) => Some(mask.detach().broadcast_to(&shape).map_err(|e| e.in_op(said.op))?.contiguous()?),
        None => None,
    };
    let weights = asked.weights.map(|weights| weighted(said, asked.how, weights, values.dtype(), count)).transpose()?;
    let kept = values.requires_grad() || asked.weights.is_some_and(Tensor::requires_grad);
    if (kept || watched()) && !matches!(asked.how, How::Any | How::All | How::Count) {
        return recorded(said, values, &along, ranges, asked, mask.as_ref(), weights.is_some());
    }
    // What lies elsewhere is read by the engine: rows of `ids` alone where there are any.
    let (brought, places) = match far::holds(values.data_ptr().addr()) {
        true if asked.ids.is_none() || matches!(asked.how, How::ArgMin | How::ArgMax) => (values.to_row_major()?, places),
        true => {
            let ids = asked.ids.unwrap_or(values);
            let rules = Rules { outside: if leaves_out(rules) { Outside::Drop } else { rules.outside }, ..*rules };
            let own = places.map(|all| all.iter().enumerate().map(|(k, place)| place.map(|_| k)).collect());
            (values.take_axis(axis, ids, &rules)?, own)
        }
        false => (values.detach().contiguous()?, places),
    };
    let along = Along::of(said, &brought, along.axis as i64)?;
    shape[along.axis] = ranges.len();
    let mask = mask.as_ref().map(|mask| mask.read::<bool>()).transpose()?;
    let work = Work {
        along: &along,
        ranges,
        places: places.as_deref(),
        count,
        mask: mask.as_ref().and_then(|mask| mask.as_slice()),
        skip_nan: asked.skip_nan,
        empty: asked.empty,
        said,
    };
    typed(&work, &brought, weights.as_ref(), asked.how, &shape)
}

/// A reduction of elements of the array's own type.
fn typed(work: &Work<'_>, array: &Tensor, weights: Option<&Tensor>, how: How, shape: &[usize]) -> Result<Tensor> {
    with_number!(array.dtype(), T => {
        let open = array.read::<T>()?;
        let weights = weights.map(|weights| weights.read::<T>()).transpose()?;
        let weights = weights.as_ref().and_then(|weights| weights.as_slice());
        work.run::<T>(open.as_slice().unwrap_or_default(), weights, how, shape)
    }, Err(work.said.refuse(format!("elements of dtype {} are not combined", array.dtype().name()))))
}

fn leaves_out(rules: &Rules) -> bool {
    matches!(rules.outside, Outside::Fill | Outside::Drop)
}

/// The weights of a sum, in a row.
fn weighted(said: Said<'_>, how: How, weights: &Tensor, dtype: DType, count: usize) -> Result<Tensor> {
    if how != How::Sum {
        return Err(said.refuse("weights have a meaning in sums alone".into()));
    }
    if weights.shape() != [count] || weights.dtype() != dtype {
        let (shape, given) = (weights.shape(), weights.dtype().name());
        let text = format!("weights must be {count} of dtype {}, and are {given} of shape {shape:?}: convert them", dtype.name());
        return Err(said.refuse(text));
    }
    weights.detach().contiguous()
}

/// The reduction by the engine's own, which keep the record.
fn recorded(
    said: Said<'_>,
    values: &Tensor,
    along: &Along,
    ranges: Edges<'_>,
    asked: &Reduction<'_>,
    mask: Option<&Tensor>,
    weighted: bool,
) -> Result<Tensor> {
    let (axis, rules) = (along.axis as i64, said.rules);
    if weighted || asked.skip_nan || mask.is_some() {
        let text = "weights, where= and skip_nan= keep no record for gradients: use a library's own arrays";
        return Err(said.refuse(text.into()));
    }
    let entries = match asked.ids {
        Some(ids) => values.take_axis(axis, ids, rules)?,
        None => values.clone(),
    };
    let mut shape = values.shape().to_vec();
    shape[along.axis] = ranges.len();
    let (mut rows, mut numbers) = (Vec::new(), Vec::new());
    for row in 0..ranges.len() {
        let range = ranges.row(row);
        rows.extend(range.clone().map(|k| k as i64));
        numbers.extend(std::iter::repeat_n(row as i64, range.len()));
    }
    let entries = entries.take_axis(axis, &vector(rows)?, rules)?;
    let numbers = vector(numbers)?;
    let how = match asked.how {
        How::Sum => Reduce::Sum,
        How::Mean => Reduce::Mean,
        How::Min => Reduce::Min,
        How::Max => Reduce::Max,
        How::Prod => Reduce::Prod,
        other => return Err(said.refuse(format!("{other:?} of values that keep a record for gradients: detach them"))),
    };
    let start = with_number!(values.dtype(), T => {
        let work = Identity { how: asked.how, empty: asked.empty };
        let one: T = work.of(said)?;
        Tensor::from_vec(vec![one; shape.iter().product()], &shape)?
    }, return Err(said.refuse(format!("elements of dtype {} are not combined", values.dtype().name()))));
    start.index_reduce(axis, &numbers, &entries, how, false, rules)
}

/// What a row without values gives.
struct Identity {
    how: How,
    empty: Option<Scalar>,
}

impl Identity {
    fn of<T: Number>(&self, said: Said<'_>) -> Result<T> {
        let Some(empty) = self.empty else {
            return Ok(match self.how {
                How::Min => T::HIGHEST,
                How::Max => T::LOWEST,
                How::Prod | How::All => T::narrow(T::ONE),
                _ => T::narrow(T::ZERO),
            });
        };
        // The engine judges whether the number fits.
        let rules = Rules { outside: Outside::Fill, fill: Some(empty.into()), ..*said.rules };
        let one = Tensor::zeroed(&[1], T::DTYPE)?.take_axis(0, &vector(vec![1i64])?, &rules)?;
        Ok(one.to_vec::<T>()?[0])
    }
}

/// Bytes of a row's entries that are asked for before they are needed: a part of the first-level cache.
const AHEAD: usize = 16 << 10;

/// A reduction of elements in a row.
struct Work<'w> {
    along: &'w Along,
    ranges: Edges<'w>,
    places: Option<&'w [Option<usize>]>,
    /// Entries of all rows.
    count: usize,
    mask: Option<&'w [bool]>,
    skip_nan: bool,
    empty: Option<Scalar>,
    said: Said<'w>,
}

impl Work<'_> {
    fn run<T: Number>(&self, all: &[T], weights: Option<&[T]>, how: How, shape: &[usize]) -> Result<Tensor> {
        if matches!(how, How::Min | How::Max | How::ArgMin | How::ArgMax) && !T::ORDERED {
            return Err(unordered(self.said, T::DTYPE));
        }
        let identity = Identity { how, empty: self.empty };
        match how.dtype(T::DTYPE) {
            DType::Bool if matches!(how, How::Any | How::All) => {
                let first: bool = identity.of(self.said)?;
                self.rows(shape, first, |_: &mut (), row, out| self.truths(all, row, how == How::All, out))
            }
            DType::I64 if how == How::Count => {
                let first: i64 = identity.of(self.said)?;
                self.rows(shape, first, |_: &mut (), row, out| self.counts(all, row, first, out))
            }
            DType::I64 if matches!(how, How::ArgMin | How::ArgMax) => {
                let first = self.empty.map_or(Ok(-1), |_| identity.of(self.said))?;
                self.rows(shape, first, |best: &mut Vec<T>, row, out| self.arg(all, row, how == How::ArgMin, best, out))
            }
            _ => {
                let first: T = identity.of(self.said)?;
                self.rows(shape, first, |sums: &mut Vec<T::Wide>, row, out| match how {
                    How::Min => self.extreme(all, row, [T::HIGHEST, first], out, |a, b| b.is_nan() && !a.is_nan() || b.less(a)),
                    How::Max => self.extreme(all, row, [T::LOWEST, first], out, |a, b| b.is_nan() && !a.is_nan() || a.less(b)),
                    How::First => self.end(all, row, false, out),
                    How::Last => self.end(all, row, true, out),
                    _ => {
                        sums.clear();
                        sums.resize(out.len(), if how == How::Prod { T::ONE } else { T::ZERO });
                        self.folded(all, weights, row, how, first, sums, out);
                    }
                })
            }
        }
    }

    /// Every row, side by side where that is worth it: `one` is given what a thread keeps between rows, and the row's number behind that
    /// of the axes before it.
    fn rows<R: Element, S: Default>(
        &self,
        shape: &[usize],
        first: R,
        one: impl Fn(&mut S, [usize; 2], &mut [R]) + Sync,
    ) -> Result<Tensor> {
        let Along { outer, inner, .. } = *self.along;
        let (rows, wide) = (self.ranges.len(), inner.max(1));
        let count: usize = shape.iter().product();
        let mut made: Vec<R> = self.said.room(count)?;
        made.resize(count, first);
        let moved = self.count.saturating_mul(outer).saturating_mul(inner).saturating_mul(size_of::<R>());
        let shares = parts_for(moved).clamp(1, (outer * rows).max(1));
        let size = (outer * rows).div_ceil(shares).max(1);
        let run = |k: usize, own: &mut [R]| {
            let mut kept = S::default();
            own.chunks_mut(wide).enumerate().for_each(|(e, out)| {
                let at = k * size + e;
                one(&mut kept, [at / rows, at % rows], out);
            });
        };
        if shares == 1 {
            run(0, &mut made);
        } else {
            let jobs: Vec<_> = made.chunks_mut(size * wide).map(Mutex::new).collect();
            each(jobs.len(), &|k| run(k, &mut jobs[k].lock().unwrap_or_else(PoisonError::into_inner)));
        }
        Tensor::from_vec(made, shape)
    }

    /// The entries of a row, each with its first element.
    #[inline(always)]
    fn entries(&self, [outer, row]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> + '_ {
        let Along { len, inner, .. } = *self.along;
        self.ranges.row(row).filter_map(move |entry| {
            let at = match self.places {
                Some(places) => places[entry]?,
                None => entry,
            };
            Some((entry, (outer * len + at) * inner))
        })
    }

    /// Whether all elements count.
    #[inline(always)]
    fn whole(&self) -> bool {
        self.mask.is_none() && !self.skip_nan
    }

    /// Whether an element of an entry counts.
    #[inline(always)]
    fn counts_at<T: Number>(&self, outer: usize, entry: usize, e: usize, value: T) -> bool {
        let told = |mask: &[bool]| mask[(outer * self.count + entry) * self.along.inner + e];
        self.mask.is_none_or(told) && !(self.skip_nan && value.is_nan())
    }

    fn folded<T: Number>(
        &self,
        all: &[T],
        weights: Option<&[T]>,
        row: [usize; 2],
        how: How,
        first: T,
        sums: &mut [T::Wide],
        out: &mut [T],
    ) {
        let mut counts = Vec::new();
        let mut entries = 0;
        if self.whole() {
            entries = match (weights, how) {
                (None, How::Prod) => self.fold(all, row, sums, |_, sum, v| T::mul(sum, v.widen())),
                (None, _) => self.fold(all, row, sums, |_, sum, v| T::add(sum, v.widen())),
                (Some(w), _) => self.fold(all, row, sums, |e, sum, v| T::add(sum, T::mul(v.widen(), w[e].widen()))),
            };
        } else {
            counts = vec![0u64; out.len()];
            for (entry, at) in self.entries(row) {
                for (e, value) in all[at..at + out.len()].iter().enumerate() {
                    if self.counts_at(row[0], entry, e, *value) {
                        counts[e] += 1;
                        let value = weights.map_or(value.widen(), |w| T::mul(value.widen(), w[entry].widen()));
                        sums[e] = if how == How::Prod { T::mul(sums[e], value) } else { T::add(sums[e], value) };
                    }
                }
            }
        }
        let made = |sum: &T::Wide, count| match how {
            _ if count == 0 => first,
            How::Mean => T::narrow(T::over(*sum, count)),
            _ => T::narrow(*sum),
        };
        if counts.is_empty() {
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = made(sum, entries));
        } else {
            out.iter_mut().zip(sums).zip(counts).for_each(|((out, sum), count)| *out = made(sum, count));
        }
    }

    /// Folds the entries of a row into one value for each of their elements, in order, and counts them. So many elements are kept in
    /// registers at a time, and the processor waits for the memory of many entries at once.
    fn fold<T: Copy, A: Copy>(
        &self,
        all: &[T],
        row: [usize; 2],
        folds: &mut [A],
        step: impl Fn(usize, A, T) -> A + Copy,
    ) -> u64 {
        self.ask_ahead(all, row);
        let (wide, rest) = folds.as_chunks_mut::<32>();
        let (narrow, single) = rest.as_chunks_mut::<8>();
        let (mut from, mut count) = (0, 0);
        for folds in wide {
            count = self.fold_block(all, row, from, folds, step);
            from += 32;
        }
        for folds in narrow {
            count = self.fold_block(all, row, from, folds, step);
            from += 8;
        }
        for fold in single {
            count = self.fold_block(all, row, from, std::array::from_mut(fold), step);
            from += 1;
        }
        count
    }

    /// Asks for the memory of the next row's entries where they lie anywhere, and are not too many for the caches.
    #[inline]
    fn ask_ahead<T>(&self, all: &[T], [outer, row]: [usize; 2]) {
        if self.places.is_none() || row + 1 >= self.ranges.len() {
            return;
        }
        let wide = self.along.inner;
        let most = AHEAD / (wide * size_of::<T>()).max(1);
        for (_, at) in self.entries([outer, row + 1]).take(most) {
            prefetch(&all[at..at + wide]);
        }
    }

    #[inline(always)]
    fn fold_block<T: Copy, A: Copy, const N: usize>(
        &self,
        all: &[T],
        row: [usize; 2],
        from: usize,
        folds: &mut [A; N],
        step: impl Fn(usize, A, T) -> A,
    ) -> u64 {
        let (mut kept, mut count) = (*folds, 0);
        for (entry, at) in self.entries(row) {
            count += 1;
            if let Some(own) = all.get(at + from..).and_then(|own| own.first_chunk::<N>()) {
                for (kept, value) in kept.iter_mut().zip(own) {
                    *kept = step(entry, *kept, *value);
                }
            }
        }
        *folds = kept;
        count
    }

    /// `beyond(a, b)`: whether `b` takes the place of `a`. Everything takes that of `end`, and `first` is there without anything.
    fn extreme<T: Number>(
        &self,
        all: &[T],
        row: [usize; 2],
        [end, first]: [T; 2],
        out: &mut [T],
        beyond: impl Fn(T, T) -> bool + Copy,
    ) {
        if self.whole() {
            out.fill(end);
            if self.fold(all, row, out, |_, a, b| if beyond(a, b) { b } else { a }) == 0 {
                out.fill(first);
            }
            return;
        }
        let mut begun = vec![false; out.len()];
        for (entry, at) in self.entries(row) {
            for (e, value) in all[at..at + out.len()].iter().enumerate() {
                if self.counts_at(row[0], entry, e, *value) && (!begun[e] || beyond(out[e], *value)) {
                    (out[e], begun[e]) = (*value, true);
                }
            }
        }
    }

    fn end<T: Number>(&self, all: &[T], row: [usize; 2], last: bool, out: &mut [T]) {
        let mut begun = vec![false; out.len()];
        for (entry, at) in self.entries(row) {
            for (e, value) in all[at..at + out.len()].iter().enumerate() {
                if (last || !begun[e]) && self.counts_at(row[0], entry, e, *value) {
                    (out[e], begun[e]) = (*value, true);
                }
            }
        }
    }

    /// Finds the extremes first, then where each stands. `best` is room for them.
    fn arg<T: Number>(&self, all: &[T], row: [usize; 2], least: bool, best: &mut Vec<T>, out: &mut [i64]) {
        let none = out.first().copied().unwrap_or(-1);
        best.clear();
        best.resize(out.len(), T::LOWEST);
        match least {
            true => self.extreme(all, row, [T::HIGHEST; 2], best, |a, b| b.is_nan() && !a.is_nan() || b.less(a)),
            false => self.extreme(all, row, [T::LOWEST; 2], best, |a, b| b.is_nan() && !a.is_nan() || a.less(b)),
        }
        let mut left = out.len();
        out.fill(i64::MIN);
        for (entry, at) in self.entries(row) {
            let place = self.places.map_or(entry as i64, |places| places[entry].map_or(-1, |at| at as i64));
            for ((e, value), out) in all[at..at + best.len()].iter().enumerate().zip(&mut *out) {
                let found = *value == best[e] || value.is_nan() && best[e].is_nan();
                if *out == i64::MIN && found && self.counts_at(row[0], entry, e, *value) {
                    *out = place;
                    left -= 1;
                }
            }
            if left == 0 {
                return;
            }
        }
        out.iter_mut().filter(|out| **out == i64::MIN).for_each(|out| *out = none);
    }

    fn truths<T: Number>(&self, all: &[T], row: [usize; 2], every: bool, out: &mut [bool]) {
        let mut begun = vec![false; out.len()];
        for (entry, at) in self.entries(row) {
            for (e, value) in all[at..at + out.len()].iter().enumerate() {
                if self.counts_at(row[0], entry, e, *value) {
                    out[e] = if !begun[e] { value.truth() } else if every { out[e] & value.truth() } else { out[e] | value.truth() };
                    begun[e] = true;
                }
            }
        }
    }

    fn counts<T: Number>(&self, all: &[T], row: [usize; 2], first: i64, out: &mut [i64]) {
        out.fill(0);
        for (entry, at) in self.entries(row) {
            for (e, value) in all[at..at + out.len()].iter().enumerate() {
                out[e] += i64::from(self.counts_at(row[0], entry, e, *value));
            }
        }
        out.iter_mut().for_each(|o| *o = if *o == 0 { first } else { *o });
    }
}
