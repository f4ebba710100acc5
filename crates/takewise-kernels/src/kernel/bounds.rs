//! Many index values brought inside their axis: in vectors, and in registers.
//!
//! The arithmetic is that of [`bounds`](crate::bounds). What stands here is how it is applied, as that depends on
//! the processor: in vectors without a division, in registers without a branch.

use super::cpu::per_level;
use super::gather::each::settled;
use crate::bounds::{back, clipped, from_end, is_place, misses, wrapped, wrapped_once};
use crate::dtype::DType;
use crate::rules::{Outside, Sign};
use std::hint::select_unpredictable;

per_level! {
    /// Moves values to where a rule that leaves none outside puts them; under any other they stay.
    ///
    /// # Safety
    /// None of its own.
    pub unsafe fn inside(len: usize, sign: Sign, outside: Outside, raw: &mut [i64]) {
        all: inside_body
    }
}

per_level! {
    /// Whether all values name places.
    ///
    /// # Safety
    /// None of its own.
    pub unsafe fn none_outside(len: usize, sign: Sign, raw: &[i64]) -> bool {
        all: none_outside_body
    }
}

#[inline(always)]
fn none_outside_body(len: usize, sign: Sign, raw: &[i64]) -> bool {
    let (n, back, mut bad) = (len as i64, back(sign, len), 0);
    for v in raw {
        bad |= misses(from_end(*v, back), n);
    }
    bad >= 0
}

#[inline(always)]
fn inside_body(len: usize, sign: Sign, outside: Outside, raw: &mut [i64]) {
    let n = len as i64;
    match outside {
        Outside::Clip => {
            let back = back(sign, len);
            for v in raw {
                *v = clipped(*v, n, back);
            }
        }
        Outside::Wrap => {
            let mut bad = 0;
            for v in raw.iter_mut() {
                *v = wrapped_once(*v, n);
                bad |= misses(*v, n);
            }
            if bad < 0 {
                // Turned or not, they are the same modulo `n`.
                for v in raw.iter_mut().filter(|v| misses(**v, n) < 0) {
                    *v = wrapped(*v, n);
                }
            }
        }
        _ => {}
    }
}

/// Whether [`wrapped_once`] brings all values inside.
#[inline(always)]
pub fn within_one_length(n: i64, raw: &[i64]) -> bool {
    let mut bad = 0;
    for v in raw {
        bad |= misses(wrapped_once(*v, n), n);
    }
    bad >= 0
}

per_level! {
    /// Whether `count` values lie on an axis of length `n`.
    ///
    /// # Safety
    /// As many readable elements of that dtype, `step` bytes apart, from `ptr` on (L1).
    pub unsafe fn within(dtype: DType, ptr: *const u8, step: isize, count: usize, n: i64, signed: bool) -> bool {
        all: within_body
    }
}

#[inline(always)]
unsafe fn within_body(dtype: DType, ptr: *const u8, step: isize, count: usize, n: i64, signed: bool) -> bool {
    let back = if signed { n } else { 0 };
    let mut bad = 0;
    macro_rules! look {
        ($t:ty $(, $turned:ident)?) => {{
            let most = <$t>::try_from(i64::MAX).unwrap_or(<$t>::MAX);
            if step == size_of::<$t>() as isize {
                for k in 0..count {
                    // SAFETY: L1 by the caller; contiguous.
                    let v = unsafe { ptr.cast::<$t>().add(k).read_unaligned() }$(.$turned())?;
                    bad |= misses(from_end(v.min(most) as i64, back), n);
                }
            } else {
                for k in 0..count as isize {
                    // SAFETY: L1 by the caller.
                    let v = unsafe { ptr.offset(k * step).cast::<$t>().read_unaligned() }$(.$turned())?;
                    bad |= misses(from_end(v.min(most) as i64, back), n);
                }
            }
        }};
    }
    match dtype {
        DType::Bool | DType::U8 => look!(u8),
        DType::U16 => look!(u16),
        DType::U32 => look!(u32),
        DType::U64 => look!(u64),
        DType::I8 => look!(i8),
        DType::I16 => look!(i16),
        DType::I32 => look!(i32),
        DType::I64 => look!(i64),
        // In the other byte order.
        DType::Opaque { .. } => match dtype.native() {
            DType::U16 => look!(u16, swap_bytes),
            DType::U32 => look!(u32, swap_bytes),
            DType::U64 => look!(u64, swap_bytes),
            DType::I16 => look!(i16, swap_bytes),
            DType::I32 => look!(i32, swap_bytes),
            DType::I64 => look!(i64, swap_bytes),
            _ => return count == 0,
        },
        // Never planned: index dtypes are integers.
        _ => return count == 0,
    }
    bad >= 0 && (n > 0 || count == 0)
}

/// How a rule brings a value inside while it is in a register, by one loop or two.
pub(super) trait Inside {
    /// Whether a value outside is left out, and has no place.
    const LEAVES_OUT: bool = false;

    /// Whether the simpler loop does for a value: as long as none lies outside or counts from the end, if nothing else is said.
    #[inline(always)]
    fn simple(v: i64, len: usize) -> bool {
        is_place(v, len)
    }

    /// The place of a value for which it does.
    #[inline(always)]
    fn near(v: i64, _len: usize) -> i64 {
        v
    }

    /// The place of a value that is not far outside.
    fn likely(v: i64, len: usize, back: i64) -> i64;

    /// The place of any value.
    #[inline(always)]
    fn place(v: i64, len: usize, back: i64) -> i64 {
        Self::likely(v, len, back)
    }
}

/// The nearest place.
pub(super) struct Clip;

/// [`Clip`] where no value counts from the end.
pub(super) struct Nearest;

/// The value modulo the length.
pub(super) struct Wrap;

/// What fills gaps, instead of an element.
pub(super) struct Gaps;

impl Inside for Clip {
    #[inline(always)]
    fn simple(v: i64, _: usize) -> bool {
        v >= 0
    }

    #[inline(always)]
    fn near(v: i64, len: usize) -> i64 {
        at_most(v, len as i64 - 1)
    }

    #[inline(always)]
    fn likely(v: i64, len: usize, back: i64) -> i64 {
        // In this order each step is a conditional move: counted from the end first, the optimiser branches on signs.
        counted(settled(at_most(at_least(v, -back), len as i64 - 1)), back)
    }
}

impl Inside for Nearest {
    #[inline(always)]
    fn simple(_: i64, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn near(v: i64, len: usize) -> i64 {
        at_most(at_least(v, 0), len as i64 - 1)
    }

    #[inline(always)]
    fn likely(v: i64, len: usize, _: i64) -> i64 {
        Self::near(v, len)
    }
}

impl Inside for Wrap {
    #[inline(always)]
    fn likely(v: i64, len: usize, _: i64) -> i64 {
        let n = len as i64;
        let v = counted(v, n);
        let less = v.wrapping_sub(n);
        select_unpredictable(less < 0, v, less)
    }

    #[inline(always)]
    fn place(v: i64, len: usize, back: i64) -> i64 {
        let v = Self::likely(v, len, back);
        if is_place(v, len) { v } else { far(v, len as i64) }
    }
}

impl Inside for Gaps {
    const LEAVES_OUT: bool = true;

    #[inline(always)]
    fn likely(v: i64, len: usize, back: i64) -> i64 {
        let v = counted(v, back);
        // Asked for in vain, memory far away would keep the processor from asking for what is there.
        select_unpredictable(is_place(v, len), v, settled(0))
    }
}

/// The lesser of two, by a conditional move. The second is settled: what the optimiser knows as a minimum, it makes a branch of
/// where memory depends on it.
#[inline(always)]
fn at_most(v: i64, top: i64) -> i64 {
    select_unpredictable(v > top, settled(top), v)
}

/// The greater of two, as [`at_most`].
#[inline(always)]
fn at_least(v: i64, low: i64) -> i64 {
    select_unpredictable(v < low, settled(low), v)
}

/// [`from_end`] by a conditional move: what is added is settled, or the optimiser masks it, which takes longer.
#[inline(always)]
pub(super) fn counted(v: i64, back: i64) -> i64 {
    let moved = settled(v.wrapping_add(back));
    select_unpredictable(v < 0, moved, v)
}

/// A value further outside than the length, which has to be divided by it. A call of its own, as a division takes registers
/// that the loop needs.
#[cold]
#[inline(never)]
fn far(v: i64, len: i64) -> i64 {
    wrapped(v, len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::place;
    use crate::kernel::cpu::Cpu;

    /// In vectors as one by one, however far outside the values lie.
    #[test]
    fn values_outside_are_clipped_and_wrapped() {
        let usual = Cpu::current();
        let far = [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
        for (sign, outside) in
            [(Sign::FromEnd, Outside::Clip), (Sign::NonNegative, Outside::Clip), (Sign::FromEnd, Outside::Wrap)]
        {
            for n in [1, 2, 7, 90, 1 << 40].into_iter().step_by(if cfg!(miri) { 2 } else { 1 }) {
                for wide in [1, 2, 5].into_iter().skip(if cfg!(miri) { 2 } else { 0 }) {
                    let near = (-37..37).map(|k| k * n * wide / 36 + k % 3);
                    for ends in [&far[..0], &far] {
                        let raw: Vec<i64> = near.clone().chain(ends.iter().copied()).collect();
                        let want: Vec<_> =
                            raw.iter().map(|v| place(i128::from(*v), n as usize, sign, outside)).collect();
                        for level in Cpu::supported() {
                            assert!(level.force());
                            let mut got = raw.clone();
                            // SAFETY: asks for nothing.
                            unsafe { inside(n as usize, sign, outside, &mut got) };
                            let got: Vec<_> = got.iter().map(|v| usize::try_from(*v).ok()).collect();
                            assert_eq!(got, want, "{raw:?} {sign:?} {outside:?} {n} {level:?}");
                        }
                    }
                }
            }
        }
        assert!(usual.force());
    }
}
