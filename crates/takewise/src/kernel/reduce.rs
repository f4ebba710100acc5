//! Combining values into resolved offsets, in index order.

use super::cpu::{per_level, prefetch_all};
use super::halves::whole;
use super::move_::Linear;
use crate::dtype::DType;
use crate::exec::resolve::SKIP;

mod numbers;
pub(crate) use numbers::{Number, Truth, with_number};

/// How an accumulation combines. Semantics: spec sections 6 and 8.
///
/// Integers wrap. Booleans: sum is OR, product AND. NaN wins in `Max` and `Min`. `Mean` divides the sum by the
/// number of contributions; integers floor. `Div` divides the place by each value in turn; integers truncate toward
/// zero and leave 0 where the divisor is 0, booleans stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Reduce {
    Sum,
    Prod,
    Mean,
    Max,
    Min,
    Div,
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
        all: accumulate_body
    }
}

#[inline(always)]
unsafe fn accumulate_body(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    // Each instance has its own addition, product or comparison inline; division is too slow to care.
    with_number!(dtype, T => {
        // SAFETY: passed on.
        unsafe {
            match how {
                Reduce::Sum | Reduce::Mean => accumulate_with::<T>(<T as Number>::sum, chunk, indexed, offsets, linear, at),
                Reduce::Prod => accumulate_with::<T>(<T as Number>::prod, chunk, indexed, offsets, linear, at),
                Reduce::Max => accumulate_with::<T>(<T as Number>::max, chunk, indexed, offsets, linear, at),
                Reduce::Min => accumulate_with::<T>(<T as Number>::min, chunk, indexed, offsets, linear, at),
                Reduce::Div => accumulate_with::<T>(<T as Number>::div, chunk, indexed, offsets, linear, at),
            }
        }
    }, ())
}

#[inline(always)]
#[allow(clippy::needless_range_loop)] // bounds that the compiler sees
unsafe fn accumulate_with<T: Number>(
    f: impl Fn(T, T) -> T,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let width = chunk / size_of::<T>();
    match at {
        Linear::Even(step) if width == 1 && step == size_of::<T>() as isize => {
            for k in 0..offsets.len() {
                // SAFETY: R1 for the indexed side, L1 for the linear side.
                unsafe { one::<T>(&f, indexed, offsets[k], linear.cast::<T>().add(k)) }
            }
        }
        Linear::Even(step) if width == 1 => {
            for k in 0..offsets.len() {
                // SAFETY: as above.
                unsafe { one::<T>(&f, indexed, offsets[k], linear.offset(k as isize * step).cast()) }
            }
        }
        _ => {
            for k in 0..offsets.len() {
                let l = match at {
                    Linear::Even(step) => k as isize * step,
                    Linear::Table(t) => t[k],
                };
                if chunk >= ROW && k + AHEAD < offsets.len() {
                    prefetch_all(indexed.wrapping_offset(offsets[k + AHEAD]), chunk.min(MOST));
                }
                if let (Linear::Even(step), true) = (at, chunk >= LINE) {
                    prefetch_all(
                        linear.wrapping_offset(step.wrapping_mul(AHEAD as isize).wrapping_add(l)),
                        chunk.min(MOST),
                    );
                }
                if offsets[k] != SKIP {
                    // SAFETY: as above, `width` elements at both.
                    unsafe { row::<T>(&f, width, indexed.offset(offsets[k]).cast(), linear.offset(l).cast()) }
                }
            }
        }
    }
}

/// Bytes of a row from which it is asked for ahead, so many rows and at most so many bytes of it.
pub(crate) const ROW: usize = 16;
const AHEAD: usize = 16;
const MOST: usize = 512;
/// Bytes of a row from which its values are asked for too.
const LINE: usize = 64;

/// Asks for the rows that [`accumulate`] begins with at these offsets; those further on it asks for itself.
pub(crate) fn ask(indexed: *const u8, offsets: &[isize], chunk: usize) {
    for o in offsets.iter().take(AHEAD) {
        prefetch_all(indexed.wrapping_offset(*o), chunk.min(MOST));
    }
}

/// Combines one element into its place, unless that is left out.
///
/// # Safety
/// R1 for the offset, L1 for the element.
#[inline(always)]
unsafe fn one<T: Number>(f: impl Fn(T, T) -> T, indexed: *mut u8, o: isize, from: *const T) {
    if o != SKIP {
        // SAFETY: by the caller.
        unsafe {
            let to = indexed.offset(o).cast::<T>();
            to.write_unaligned(f(to.read_unaligned(), from.read_unaligned()));
        }
    }
}

/// Elements of a row combined at once: enough for a vector of any element.
const TOGETHER: usize = 16;

/// The same of short rows, and of what is left of long ones.
const FEW: usize = 4;

/// Combines `N` elements that lie side by side.
///
/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn together<T: Number, const N: usize>(f: impl Fn(T, T) -> T, to: *mut T, from: *const T) {
    // SAFETY: by the caller.
    unsafe {
        let place = to.cast::<[T; N]>();
        let (mut own, other) = (place.read_unaligned(), from.cast::<[T; N]>().read_unaligned());
        for k in 0..N {
            own[k] = f(own[k], other[k]);
        }
        place.write_unaligned(own);
    }
}

/// Combines `width` elements that lie side by side.
///
/// # Safety
/// As many elements at both, which do not meet.
#[inline(always)]
unsafe fn row<T: Number>(f: impl Fn(T, T) -> T, width: usize, to: *mut T, from: *const T) {
    let mut e = 0;
    // SAFETY: by the caller.
    unsafe {
        while e + TOGETHER <= width {
            together::<T, TOGETHER>(&f, to.add(e), from.add(e));
            e += TOGETHER;
        }
        while e + FEW <= width {
            together::<T, FEW>(&f, to.add(e), from.add(e));
            e += FEW;
        }
        while e < width {
            to.add(e).write_unaligned(f(to.add(e).read_unaligned(), from.add(e).read_unaligned()));
            e += 1;
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
        all: accumulate_wide_body
    }
}

#[inline(always)]
unsafe fn accumulate_wide_body(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    // SAFETY: passed on.
    unsafe {
        match how {
            Reduce::Sum | Reduce::Mean => widened(<f32 as Number>::sum, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Prod => widened(<f32 as Number>::prod, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Max => widened(<f32 as Number>::max, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Min => widened(<f32 as Number>::min, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Div => widened(<f32 as Number>::div, dtype, chunk, indexed, offsets, linear, at),
        }
    }
}

/// Halves widened at a time.
const HALVES: usize = 64;

#[inline(always)]
unsafe fn widened(
    f: impl Fn(f32, f32) -> f32,
    dtype: DType,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let width = chunk / size_of::<u16>();
    let mut bits = [0u16; HALVES];
    let mut values = [0f32; HALVES];
    let mut k = 0;
    while k < offsets.len() {
        // Either one element each of many positions, or many elements of one.
        let positions = if width == 1 { HALVES.min(offsets.len() - k) } else { 1 };
        let mut e = 0;
        while e < width {
            let n = if width == 1 { positions } else { HALVES.min(width - e) };
            let place = |p: usize| match at {
                Linear::Even(step) => p as isize * step,
                Linear::Table(t) => t[p],
            };
            // SAFETY: L1: elements of the position's `width`, or of as many positions.
            unsafe {
                if width == 1 {
                    for (j, b) in bits[..n].iter_mut().enumerate() {
                        *b = linear.offset(place(k + j)).cast::<u16>().read_unaligned();
                    }
                } else {
                    let from = linear.offset(place(k)).cast::<u16>().add(e);
                    std::ptr::copy_nonoverlapping(from.cast::<u8>(), bits.as_mut_ptr().cast(), n * size_of::<u16>());
                }
            }
            match dtype {
                DType::F16 => {
                    for j in 0..n {
                        values[j] = whole(bits[j]);
                    }
                }
                _ => {
                    for j in 0..n {
                        values[j] = f32::from_bits(u32::from(bits[j]) << 16);
                    }
                }
            }
            // SAFETY: R1 for the places.
            unsafe {
                if width == 1 {
                    for j in 0..n {
                        one::<f32>(&f, indexed, offsets[k + j], &values[j]);
                    }
                } else if offsets[k] != SKIP {
                    row::<f32>(&f, n, indexed.offset(offsets[k]).cast::<f32>().add(e), values.as_ptr());
                }
            }
            e += n.min(width);
        }
        k += positions;
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
