//! Half floats whose sums are kept in f32.

use super::cpu::per_level;
use crate::dtype::DType;
use half::{bf16, f16};

/// Half floats, by their bits.
pub(super) trait Half: Sized {
    /// The f32 of these.
    fn whole(bits: u16) -> f32;

    /// The f32 of one, and the one next to an f32, without a branch or call: the library of half floats asks the processor
    /// each time what it can do.
    fn widened(self) -> f32;
    fn narrowed(v: f32) -> Self;
}

impl Half for f16 {
    #[inline(always)]
    fn whole(bits: u16) -> f32 {
        whole(bits)
    }
    #[inline(always)]
    fn widened(self) -> f32 {
        whole(self.to_bits())
    }
    #[inline(always)]
    fn narrowed(v: f32) -> f16 {
        f16::from_bits(half_of(v))
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn whole(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }
    #[inline(always)]
    fn widened(self) -> f32 {
        Self::whole(self.to_bits())
    }
    #[inline(always)]
    fn narrowed(v: f32) -> bf16 {
        bf16::from_bits(brief(v))
    }
}

/// The f32 of an IEEE half, without a branch: its fields, moved to their places, are the number times a power of two.
#[inline(always)]
pub(super) fn whole(half: u16) -> f32 {
    let bits = u32::from(half);
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    let endless = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(size.to_bits() | endless | (bits & 0x8000) << 16)
}

per_level! {
    /// Sets the sums of `count` half floats to what these are.
    ///
    /// # Safety
    /// As many halves and sums, side by side; the sums are exclusively the caller's.
    pub(crate) unsafe fn widen(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
        all: widen_body
    }
}

#[inline(always)]
unsafe fn widen_body(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => widen_each::<f16>(own, sums, count),
            _ => widen_each::<bf16>(own, sums, count),
        }
    }
}

#[inline(always)]
unsafe fn widen_each<H: Half>(own: *const u16, sums: *mut f32, count: usize) {
    for k in 0..count {
        // SAFETY: by the caller.
        unsafe { sums.add(k).write(H::whole(own.add(k).read_unaligned())) }
    }
}

/// The bits of the IEEE half next to a number, the even one of two; no branch. Adding a half to what is small moves its bits
/// to where they are those of a half, rounded by the addition.
#[inline(always)]
fn half_of(v: f32) -> u16 {
    const HALF: u32 = 126 << 23;
    let size = v.to_bits() & 0x7fff_ffff;
    let small = (f32::from_bits(size) + f32::from_bits(HALF)).to_bits().wrapping_sub(HALF);
    let usual = size.wrapping_sub(112 << 23).wrapping_add(0xfff + (size >> 13 & 1)) >> 13;
    let endless = if size > 0x7f80_0000 { 0x7e00 | size >> 13 & 0x1ff } else { 0x7c00 };
    let finite = if size < 113 << 23 { small } else { usual };
    let bits = if size >= 143 << 23 { endless } else { finite };
    (bits | v.to_bits() >> 16 & 0x8000) as u16
}

/// The bits of the bfloat16 next to a number, the even one of two; no branch.
#[inline(always)]
fn brief(v: f32) -> u16 {
    let bits = v.to_bits();
    let even = (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16;
    let nan = (bits >> 16) as u16 | 0x40;
    if v.is_nan() { nan } else { even }
}

per_level! {
    /// Rounds sums to their half floats. Of sums that are what [`widen`] made them the halves stay as they are, bit for bit.
    ///
    /// # Safety
    /// As [`widen`], and the halves are exclusively the caller's.
    pub(crate) unsafe fn round(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
        all: round_body
    }
}

#[inline(always)]
unsafe fn round_body(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => round_each(half_of, f16::whole, own, sums, count),
            _ => round_each(brief, bf16::whole, own, sums, count),
        }
    }
}

#[inline(always)]
unsafe fn round_each(
    narrow: impl Fn(f32) -> u16,
    whole: impl Fn(u16) -> f32,
    own: *mut u16,
    sums: *const f32,
    count: usize,
) {
    for k in 0..count {
        // SAFETY: by the caller.
        unsafe {
            let (before, sum) = (own.add(k).read_unaligned(), sums.add(k).read());
            let same = sum.to_bits() == whole(before).to_bits();
            own.add(k).write_unaligned(if same { before } else { narrow(sum) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_exactly() {
        for bits in 0..=u16::MAX {
            let (got, want) = (whole(bits), f16::from_bits(bits).to_f32());
            assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()), "{bits:#x}: {got} for {want}");
        }
    }

    #[test]
    fn numbers_round_to_the_next_half() {
        for high in 0..=u16::MAX {
            for low in [0, 1, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xf000, 0xffff] {
                let v = f32::from_bits(u32::from(high) << 16 | low);
                assert_eq!(brief(v), bf16::from_f32(v).to_bits(), "{v} {high:#x} {low:#x}");
                assert_eq!(half_of(v), f16::from_f32(v).to_bits(), "{v} {high:#x} {low:#x}");
            }
        }
    }

    #[test]
    fn what_was_not_added_to_stays_bit_for_bit() {
        for dtype in [DType::F16, DType::BF16] {
            let all: Vec<u16> = (0..=u16::MAX).collect();
            let (mut own, mut sums) = (all.clone(), vec![0f32; all.len()]);
            // SAFETY: as many of both.
            unsafe {
                widen(dtype, own.as_mut_ptr(), sums.as_mut_ptr(), own.len());
                sums[7] = 1.0;
                sums[1000] = 65536.0 * 65536.0;
                round(dtype, own.as_mut_ptr(), sums.as_mut_ptr(), own.len());
            }
            let changed: Vec<usize> = (0..all.len()).filter(|&k| own[k] != all[k]).collect();
            assert_eq!(changed, [7, 1000]);
            let want = match dtype {
                DType::F16 => [f16::ONE.to_bits(), f16::INFINITY.to_bits()],
                _ => [bf16::ONE.to_bits(), bf16::from_f32(65536.0 * 65536.0).to_bits()],
            };
            assert_eq!([own[7], own[1000]], want);
        }
    }
}
