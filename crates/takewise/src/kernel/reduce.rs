//! Combining values into resolved offsets, in index order.

use super::cpu::{per_level, prefetch_all};
use super::level::Level;
use super::move_::Linear;
use crate::dtype::DType;
use crate::kernel::SKIP;
use half::{bf16, f16};

mod mean;
mod meeting;
mod numbers;
pub(crate) use mean::{average, average_halves};
use meeting::{Meeting, Plain, Rounded, Widened, one};
pub(crate) use numbers::{Number, Truth, with_number};

/// How an accumulation combines. What the libraries do: SEMANTICS.md, Reductions.
///
/// Integers wrap. Booleans: sum is OR, product AND. NaN wins in `Max` and `Min`. `Mean` divides the sum by the
/// number of contributions; integers floor. `Div` divides the place by each value in turn; integers truncate toward
/// zero and leave 0 where the divisor is 0, booleans stay as they are.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::scatter(&[10, 10], 0, &[0usize, 0], &[2, 3], Some(Reduce::Prod), &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [60, 10]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Reduce {
    Sum,
    Prod,
    Mean,
    Max,
    Min,
    Div,
}

/// Half floats met by the f32 operation of a name.
macro_rules! in_f32 {
    ($how:expr, $meeting:ident::<$l:ty, $h:ty, _>, $sides:expr) => {
        match $how {
            Reduce::Sum | Reduce::Mean => $sides.meet(&$meeting::<$l, $h, _>::of(<f32 as Number>::sum)),
            Reduce::Prod => $sides.meet(&$meeting::<$l, $h, _>::of(<f32 as Number>::prod)),
            Reduce::Max => $sides.meet(&$meeting::<$l, $h, _>::of(<f32 as Number>::max)),
            Reduce::Min => $sides.meet(&$meeting::<$l, $h, _>::of(<f32 as Number>::min)),
            Reduce::Div => $sides.meet(&$meeting::<$l, $h, _>::of(<f32 as Number>::div)),
        }
    };
}
per_level! {
    /// Combines `linear[k]` into `indexed[offsets[k]]`, k in order; each place is `chunk` bytes of `dtype`
    /// elements. `Mean` adds; the division is the caller's.
    ///
    /// # Safety
    /// As [`super::move_::write`].
    pub(crate) unsafe fn accumulate(
        dtype: DType, how: Reduce, chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear,
    ) {
        level: accumulate_body
    }
}

#[inline(always)]
unsafe fn accumulate_body<L: Level>(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let sides = Places { chunk, indexed, offsets, linear, at };
    let compares = matches!(how, Reduce::Max | Reduce::Min);
    // Each instance has its own addition, product or comparison inline; division is too slow to care.
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 if !compares => in_f32!(how, Rounded::<L, f16, _>, sides),
            DType::BF16 if !compares => in_f32!(how, Rounded::<L, bf16, _>, sides),
            _ => with_number!(dtype, T => {
                match how {
                    Reduce::Sum | Reduce::Mean => sides.meet(&Plain::<T, _, _>::of(<T as Number>::sum, <T as Number>::sum)),
                    Reduce::Prod => sides.meet(&Plain::<T, _, _>::of(<T as Number>::prod, <T as Number>::prod)),
                    Reduce::Max => sides.meet(&Plain::<T, _, _>::of(<T as Number>::max, <T as Number>::max_alone)),
                    Reduce::Min => sides.meet(&Plain::<T, _, _>::of(<T as Number>::min, <T as Number>::min_alone)),
                    Reduce::Div => sides.meet(&Plain::<T, _, _>::of(<T as Number>::div, <T as Number>::div)),
                }
            }, ()),
        }
    }
}

per_level! {
    /// [`accumulate`] of half floats, `chunk` bytes of them a position, into f32 places that are twice as far apart.
    ///
    /// # Safety
    /// As [`super::move_::write`], with places of twice the bytes.
    pub(crate) unsafe fn accumulate_wide(
        dtype: DType, how: Reduce, chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear,
    ) {
        level: accumulate_wide_body
    }
}

#[inline(always)]
unsafe fn accumulate_wide_body<L: Level>(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let sides = Places { chunk, indexed, offsets, linear, at };
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => in_f32!(how, Widened::<L, f16, _>, sides),
            _ => in_f32!(how, Widened::<L, bf16, _>, sides),
        }
    }
}

/// Places and the values that meet them.
#[derive(Clone, Copy)]
struct Places<'b> {
    chunk: usize,
    indexed: *mut u8,
    offsets: &'b [isize],
    linear: *const u8,
    at: Linear<'b>,
}

impl Places<'_> {
    /// # Safety
    /// As [`accumulate`], or [`accumulate_wide`] for a meeting with wider places.
    #[inline(always)]
    unsafe fn meet<M: Meeting>(self, meeting: &M) {
        let Places { chunk, indexed, offsets, linear, at } = self;
        let size = M::SIZE;
        match at {
            Linear::Even(step) if chunk == size && step == size as isize => {
                // SAFETY: R1 for the indexed side, L1 for the linear side.
                unsafe { meeting.list(indexed, offsets, linear) }
            }
            Linear::Even(step) if chunk == size => {
                for (k, o) in offsets.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { one(meeting, indexed, *o, linear.offset(k as isize * step)) }
                }
            }
            // SAFETY: as above.
            Linear::Even(step) => unsafe { apart(meeting, chunk, indexed, offsets, linear, step) },
            Linear::Table(t) => {
                for (k, (o, l)) in offsets.iter().zip(t).enumerate() {
                    ask_ahead(indexed, offsets, k, chunk);
                    if *o != SKIP {
                        // SAFETY: as above, as many elements at both.
                        unsafe { meeting.row(chunk / size, indexed.offset(*o), linear.offset(*l)) }
                    }
                }
            }
        }
    }
}

/// [`rows`], kept out of where it is called: compiled into one with those of all types it keeps its addresses on the stack.
///
/// # Safety
/// As there.
#[inline(never)]
unsafe fn apart<M: Meeting>(
    meeting: &M,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    step: isize,
) {
    // SAFETY: passed on.
    unsafe { rows(meeting, chunk, indexed, offsets, linear, step) }
}

per_level! {
    /// Combines rows of `chunk` bytes, `step` bytes apart, into their places.
    ///
    /// # Safety
    /// As [`accumulate`].
    unsafe fn rows[M: Meeting](
        meeting: &M, chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, step: isize,
    ) {
        all: rows_body
    }
}

#[inline(always)]
unsafe fn rows_body<M: Meeting>(
    meeting: &M,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    step: isize,
) {
    for (k, o) in offsets.iter().enumerate() {
        ask_ahead(indexed, offsets, k, chunk);
        if *o != SKIP {
            // SAFETY: R1 for the indexed side, L1 for the linear side, as many elements at both.
            unsafe { meeting.row(chunk / M::SIZE, indexed.offset(*o), linear.offset(k as isize * step)) }
        }
    }
}

/// Bytes of a row from which it is asked for ahead, so many rows and at most so many bytes of it. Its values a
/// processor follows by itself.
pub(crate) const ROW: usize = 16;
const AHEAD: usize = 16;
const MOST: usize = 512;

/// Asks for the row that comes so many after the k-th, if there is one.
#[inline(always)]
fn ask_ahead(indexed: *const u8, offsets: &[isize], k: usize, chunk: usize) {
    if chunk >= ROW && k + AHEAD < offsets.len() {
        prefetch_all(indexed.wrapping_offset(offsets[k + AHEAD]), chunk.min(MOST));
    }
}

/// Asks for the rows that [`accumulate`] begins with at these offsets; those further on it asks for itself.
pub(crate) fn ask(indexed: *const u8, offsets: &[isize], chunk: usize) {
    for o in offsets.iter().take(AHEAD) {
        prefetch_all(indexed.wrapping_offset(*o), chunk.min(MOST));
    }
}

/// How two numbers are combined; `Mean` adds.
pub(crate) fn combining<T: Number>(how: Reduce) -> fn(T, T) -> T {
    match how {
        Reduce::Sum | Reduce::Mean => T::sum,
        Reduce::Prod => T::prod,
        Reduce::Max => T::max,
        Reduce::Min => T::min,
        Reduce::Div => T::div,
    }
}

/// What combining starts from.
pub(crate) fn identity<T: Number>(how: Reduce) -> T {
    match how {
        Reduce::Sum | Reduce::Mean => T::ZERO,
        Reduce::Prod | Reduce::Div => T::ONE,
        Reduce::Max => T::LOWEST,
        Reduce::Min => T::HIGHEST,
    }
}
