//! The loops of a reduction: elements of one type, row by row.

use std::sync::{Mutex, PoisonError};

use takewise::index::rules::{Outside, Rules};
use takewise::internal::parts::{each, parts_for, prefetch};
use takewise::{DType, Element, Layout, Result, Scalar, Tensor};

use crate::how::How;
use crate::moves::{Along, told, vector};
use crate::number::Number;
use crate::ranges::{Edges, Said};
use crate::search::unordered;

/// What a row without values gives.
pub(crate) struct Identity {
    pub(crate) how: How,
    pub(crate) empty: Option<Scalar>,
}

impl Identity {
    pub(crate) fn of<T: Number>(&self, said: Said<'_>) -> Result<T> {
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
pub(crate) struct Work<'w> {
    pub(crate) along: &'w Along,
    pub(crate) ranges: Edges<'w>,
    pub(crate) places: Option<&'w [Option<usize>]>,
    /// Entries of all rows.
    pub(crate) count: usize,
    pub(crate) mask: Option<&'w [bool]>,
    pub(crate) skip_nan: bool,
    pub(crate) empty: Option<Scalar>,
    pub(crate) said: Said<'w>,
}

impl Work<'_> {
    pub(crate) fn run<T: Number>(&self, all: &[T], weights: Option<&[T]>, how: How, shape: &[usize]) -> Result<Tensor> {
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
                    How::Min => {
                        self.extreme(all, row, [T::HIGHEST, first], out, |a, b| b.is_nan() && !a.is_nan() || b.less(a))
                    }
                    How::Max => {
                        self.extreme(all, row, [T::LOWEST, first], out, |a, b| b.is_nan() && !a.is_nan() || a.less(b))
                    }
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
        let count = Layout::contiguous(shape, size_of::<R>()).map_err(|e| e.in_op(self.said.op))?.numel();
        let mut made: Vec<R> = self.said.room(count)?;
        made.resize(count, first);
        let moved = self.count.saturating_mul(outer).saturating_mul(inner).saturating_mul(size_of::<R>());
        let all = outer.saturating_mul(rows);
        let size = all.div_ceil(parts_for(moved).clamp(1, all.max(1))).max(1);
        let run = |k: usize, own: &mut [R]| {
            let mut kept = S::default();
            own.chunks_mut(wide).enumerate().for_each(|(e, out)| {
                let at = k * size + e;
                one(&mut kept, [at / rows, at % rows], out);
            });
        };
        if size >= all {
            run(0, &mut made);
        } else {
            let jobs: Vec<_> = made.chunks_mut(size * wide).map(Mutex::new).collect();
            each(jobs.len(), &|k| run(k, &mut jobs[k].lock().unwrap_or_else(PoisonError::into_inner)));
        }
        told(Tensor::from_vec(made, shape)?)
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
                    out[e] = if !begun[e] {
                        value.truth()
                    } else if every {
                        out[e] & value.truth()
                    } else {
                        out[e] | value.truth()
                    };
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
