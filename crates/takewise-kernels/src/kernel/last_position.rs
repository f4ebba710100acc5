//! Which position is the last to name each place.

use super::cpu::per_level;
#[cfg(target_arch = "x86_64")]
use super::gather::Sixteen;
use super::gather::{Whole, by_dtype, each_place, settled, value};
use crate::dtype::DType;

/// Index values side by side, and the positions they stand at.
#[derive(Clone, Copy)]
pub struct Names {
    pub dtype: DType,
    pub first: *const u8,
    pub count: usize,
    /// The position of the first.
    pub start: u32,
    /// Places of the axis.
    pub len: u32,
    /// Whether negative values count from the end.
    pub from_end: bool,
}

per_level! {
    /// Stores each position at the place its value names, in order. `false` if a value lies outside the axis.
    ///
    /// # Safety
    /// L1 for the values, which may change meanwhile; there are `len` places, exclusively the caller's; `len` and the
    /// positions are below 2^31.
    pub unsafe fn mark(names: Names, places: *mut u32) -> bool { baseline: mark_plainly, avx2: mark_plainly, avx512: mark_widely }
}

#[inline(always)]
unsafe fn mark_plainly(names: Names, places: *mut u32) -> bool {
    // SAFETY: passed on.
    by_dtype!(names.dtype, T => unsafe { mark_from::<T>(&names, places, 0) }, false)
}

/// One by one from the `done`-th on; a function of its own for every dtype, so that its addresses stay in registers.
#[inline(never)]
unsafe fn mark_from<T: Whole>(names: &Names, places: *mut u32, done: usize) -> bool {
    let Names { first, count, start, len, from_end, .. } = *names;
    // SAFETY: L1: a position.
    let named = |k: usize| settled(unsafe { value::<T>(first, done + k) });
    // SAFETY: R2: one of the places.
    let mark = |k: usize, v: i64| unsafe { places.add(v as usize).write(start + (done + k) as u32) };
    let back = if from_end && T::SIGNED { i64::from(len) } else { 0 };
    each_place(count - done, len as usize, back, named, |_, _| {}, mark)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn mark_widely(names: Names, places: *mut u32) -> bool {
    // SAFETY: passed on.
    by_dtype!(names.dtype, T => unsafe { mark_sixteens::<T>(&names, places) }, false)
}

/// Sixteen at a time; of equal places a scatter instruction leaves the last.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn mark_sixteens<T: Whole + Sixteen>(names: &Names, places: *mut u32) -> bool {
    use std::arch::x86_64::*;
    let whole = names.count / 16 * 16;
    let back = if names.from_end { names.len as i32 } else { 0 };
    // SAFETY: K1; L1: sixteen values from k on; R2: a value that is not bad names one of the places.
    unsafe {
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        for k in (0..whole).step_by(16) {
            let (at, bad) = T::places(names.first.cast::<T>().add(k), names.len as i32, back);
            if bad != 0 {
                return false;
            }
            let positions = _mm512_add_epi32(_mm512_set1_epi32((names.start + k as u32) as i32), lanes);
            _mm512_i32scatter_epi32::<4>(places.cast(), at, positions);
        }
        mark_from::<T>(names, places, whole)
    }
}
