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
pub use mean::{average, average_halves};
use meeting::{Meets, Plain, Rounded, Widened, one};
pub(crate) use numbers::with_sum;
pub use numbers::{Number, Truth, with_number};

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
/// Combines `linear[k]` into `indexed[offsets[k]]`, k in order; each place is `chunk` bytes of `dtype`
/// elements. `Mean` adds; the division is the caller's.
///
/// Every dtype and way has a function of its own. Elements that come one by one are the same work at every level of the processor: only
/// rows of them, and half floats, are compiled for each.
///
/// # Safety
/// As [`super::move_::write`].
pub unsafe fn accumulate(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let sides = Met { chunk, indexed, offsets, linear, at };
    let compares = matches!(how, Reduce::Max | Reduce::Min);
    // SAFETY: passed on.
    unsafe {
        match how {
            _ if !compares && matches!(dtype, DType::F16 | DType::BF16) => accumulate_halves(dtype, how, sides),
            Reduce::Sum | Reduce::Mean => {
                with_sum!(without_sign(dtype), T => plainly(sides, &Plain::<T, _, _>::of(<T as Number>::sum, <T as Number>::sum)), ())
            }
            Reduce::Prod => {
                with_sum!(without_sign(dtype), T => plainly(sides, &Plain::<T, _, _>::of(<T as Number>::prod, <T as Number>::prod)), ())
            }
            Reduce::Max => {
                with_number!(dtype, T => plainly(sides, &Plain::<T, _, _>::of(<T as Number>::max, <T as Number>::max_alone)), ())
            }
            Reduce::Min => {
                with_number!(dtype, T => plainly(sides, &Plain::<T, _, _>::of(<T as Number>::min, <T as Number>::min_alone)), ())
            }
            Reduce::Div => {
                with_number!(dtype, T => slowly(sides, &Plain::<T, _, _>::of(<T as Number>::div, <T as Number>::div)), ())
            }
        }
    }
}

per_level! {
    /// [`accumulate`] of half floats that are added, multiplied or divided, in f32.
    ///
    /// # Safety
    /// As there.
    unsafe fn accumulate_halves(dtype: DType, how: Reduce, sides: Met<'_>) { level: accumulate_halves_body }
}

#[inline(always)]
unsafe fn accumulate_halves_body<L: Level>(dtype: DType, how: Reduce, sides: Met<'_>) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => in_f32!(how, Rounded::<L, f16, _>, sides),
            _ => in_f32!(how, Rounded::<L, bf16, _>, sides),
        }
    }
}

per_level! {
    /// [`accumulate`] of half floats, `chunk` bytes of them a position, into f32 places that are twice as far apart.
    ///
    /// # Safety
    /// As [`super::move_::write`], with places of twice the bytes.
    pub unsafe fn accumulate_wide(
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
    let sides = Met { chunk, indexed, offsets, linear, at };
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
struct Met<'b> {
    chunk: usize,
    indexed: *mut u8,
    offsets: &'b [isize],
    linear: *const u8,
    at: Linear<'b>,
}

impl Met<'_> {
    /// Lists and rows, compiled where it is called.
    ///
    /// # Safety
    /// As [`accumulate`], or [`accumulate_wide`] for a meeting with wider places.
    #[inline(always)]
    unsafe fn meet<M: Meets>(self, meeting: &M) {
        // SAFETY: passed on.
        unsafe {
            if !self.meet_one_by_one(meeting) {
                rows_body(meeting, self);
            }
        }
    }

    /// Elements evenly apart, each with a place of its own; `false` if these are rows.
    ///
    /// # Safety
    /// As [`meet`](Met::meet).
    #[inline(always)]
    unsafe fn meet_one_by_one<M: Meets>(self, meeting: &M) -> bool {
        let Met { chunk, indexed, offsets, linear, at } = self;
        let Linear::Even(step) = at else { return false };
        if chunk != M::SIZE {
            return false;
        }
        // SAFETY: R1 for the indexed side, L1 for the linear side.
        unsafe {
            if step == M::SIZE as isize {
                meeting.list(indexed, offsets, linear);
            } else {
                for (k, o) in offsets.iter().enumerate() {
                    one(meeting, indexed, *o, linear.offset(k as isize * step));
                }
            }
        }
        true
    }
}

/// Elements one by one, rows at the processor's level.
///
/// # Safety
/// As [`accumulate`].
#[inline(never)]
unsafe fn plainly<M: Meets>(sides: Met<'_>, meeting: &M) {
    // SAFETY: passed on.
    unsafe {
        if !sides.meet_one_by_one(meeting) {
            rows(meeting, sides);
        }
    }
}

/// What takes its time in itself, at any level.
///
/// # Safety
/// As [`accumulate`].
#[inline(never)]
unsafe fn slowly<M: Meets>(sides: Met<'_>, meeting: &M) {
    // SAFETY: passed on.
    unsafe { sides.meet(meeting) }
}

per_level! {
    /// Combines rows of `chunk` bytes into their places.
    ///
    /// # Safety
    /// As [`accumulate`].
    unsafe fn rows[M: Meets](meeting: &M, sides: Met<'_>) { all: rows_body }
}

#[inline(always)]
unsafe fn rows_body<M: Meets>(meeting: &M, sides: Met<'_>) {
    let Met { chunk, indexed, offsets, linear, at } = sides;
    for (k, o) in offsets.iter().enumerate() {
        ask_ahead(indexed, offsets, k, chunk);
        let from = match at {
            Linear::Even(step) => k as isize * step,
            Linear::Table(table) => table[k],
        };
        if *o != SKIP {
            // SAFETY: R1 for the indexed side, L1 for the linear side, as many elements at both.
            unsafe { meeting.row(chunk / M::SIZE, indexed.offset(*o), linear.offset(from)) }
        }
    }
}

/// The dtype of the same bits without a sign: sums and products that wrap are the same bits.
pub(super) fn without_sign(dtype: DType) -> DType {
    match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    }
}

/// Bytes of a row from which it is asked for ahead, so many rows and at most so many bytes of it. Its values a
/// processor follows by itself.
pub const ROW: usize = 16;
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
pub fn ask(indexed: *const u8, offsets: &[isize], chunk: usize) {
    for o in offsets.iter().take(AHEAD) {
        prefetch_all(indexed.wrapping_offset(*o), chunk.min(MOST));
    }
}

/// How two numbers are combined; `Mean` adds.
pub fn combining<T: Number>(how: Reduce) -> fn(T, T) -> T {
    match how {
        Reduce::Sum | Reduce::Mean => T::sum,
        Reduce::Prod => T::prod,
        Reduce::Max => T::max,
        Reduce::Min => T::min,
        Reduce::Div => T::div,
    }
}

/// What combining starts from.
pub fn identity<T: Number>(how: Reduce) -> T {
    match how {
        Reduce::Sum | Reduce::Mean => T::ZERO,
        Reduce::Prod | Reduce::Div => T::ONE,
        Reduce::Max => T::LOWEST,
        Reduce::Min => T::HIGHEST,
    }
}
