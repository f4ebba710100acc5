//! Means: sums divided by how many contributions they have.

use super::{Number, with_number};
use crate::dtype::DType;
use crate::kernel::cpu::per_level;
use crate::kernel::halves::{Half, either};
use crate::kernel::level::Level;
use half::{bf16, f16};

per_level! {
    /// Divides each of `count` sums side by side by its number of contributions and `more`; one without stays as it is.
    ///
    /// # Safety
    /// As many numbers of the dtype and counts, no count `u32::MAX`; the numbers are exclusively the caller's (E1).
    pub unsafe fn average(dtype: DType, own: *mut u8, counts: *const u32, more: u32, count: usize) {
        all: average_body
    }
}

#[inline(always)]
unsafe fn average_body(dtype: DType, own: *mut u8, counts: *const u32, more: u32, count: usize) {
    // SAFETY: passed on.
    with_number!(dtype, T => unsafe { average_each::<T>(own.cast(), counts, more, count) }, ())
}

#[inline(always)]
unsafe fn average_each<T: Number>(own: *mut T, counts: *const u32, more: u32, count: usize) {
    for k in 0..count {
        // SAFETY: by the caller.
        unsafe {
            let (sum, n) = (own.add(k).read_unaligned(), counts.add(k).read());
            let mean = sum.over(u64::from(Ord::max(n + more, 1)));
            own.add(k).write_unaligned(if n == 0 { sum } else { mean });
        }
    }
}

per_level! {
    /// The same of half floats whose sums are kept in f32: rounded, divided, and rounded again.
    ///
    /// # Safety
    /// As [`average`], and as many sums.
    pub unsafe fn average_halves(
        dtype: DType, own: *mut u16, sums: *const f32, counts: *const u32, more: u32, count: usize,
    ) {
        level: average_halves_body
    }
}

#[inline(always)]
unsafe fn average_halves_body<L: Level>(
    dtype: DType,
    own: *mut u16,
    sums: *const f32,
    counts: *const u32,
    more: u32,
    count: usize,
) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => average_halves_each::<L, f16>(own, sums, counts, more, count),
            _ => average_halves_each::<L, bf16>(own, sums, counts, more, count),
        }
    }
}

/// Half floats at a time.
const PIECE: usize = 64;

#[inline(always)]
unsafe fn average_halves_each<L: Level, H: Half>(
    own: *mut u16,
    sums: *const f32,
    counts: *const u32,
    more: u32,
    count: usize,
) {
    let (mut halves, mut wide) = ([0u16; PIECE], [0f32; PIECE]);
    for start in (0..count).step_by(PIECE) {
        let n = PIECE.min(count - start);
        // SAFETY: by the caller, in memory of our own.
        unsafe {
            let (own, counts) = (own.add(start), counts.add(start));
            H::narrow::<L>(sums.add(start), halves.as_mut_ptr(), n);
            H::widen::<L>(halves.as_ptr(), wide.as_mut_ptr(), n);
            for (k, v) in wide[..n].iter_mut().enumerate() {
                *v = v.over(u64::from(Ord::max(counts.add(k).read() + more, 1)));
            }
            H::narrow::<L>(wide.as_ptr(), halves.as_mut_ptr(), n);
            for (k, bits) in halves[..n].iter_mut().enumerate() {
                let (kept, none) = (own.add(k).read_unaligned(), counts.add(k).read() == 0);
                *bits = either(none, kept, *bits);
            }
            for (k, bits) in halves[..n].iter().enumerate() {
                own.add(k).write_unaligned(*bits);
            }
        }
    }
}
