//! Half floats whose sums are kept in f32.

use super::cpu::per_level;
use crate::dtype::DType;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// The f32 of a half float's bits.
pub(super) trait Half {
    fn whole(bits: u16) -> f32;
}

impl Half for f16 {
    #[inline(always)]
    fn whole(bits: u16) -> f32 {
        whole(bits)
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn whole(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
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

/// Halves rounded at a time.
const TOGETHER: usize = 64;

/// Rounds sums to their half floats. Of sums that are what [`widen`] made them the halves stay as they are, bit for bit.
///
/// # Safety
/// As [`widen`], and the halves are exclusively the caller's.
pub(crate) unsafe fn round(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
    for start in (0..count).step_by(TOGETHER) {
        let n = TOGETHER.min(count - start);
        let (mut before, mut rounded) = ([0f32; TOGETHER], [0u16; TOGETHER]);
        // SAFETY: by the caller.
        unsafe {
            let (own, sums) = (own.add(start), std::slice::from_raw_parts(sums.add(start), n));
            widen(dtype, own, before.as_mut_ptr(), n);
            match dtype {
                DType::F16 => {
                    let mut to = [f16::ZERO; TOGETHER];
                    to[..n].convert_from_f32_slice(sums);
                    rounded = to.map(f16::to_bits);
                }
                _ => {
                    for k in 0..n {
                        rounded[k] = bf16::from_f32(sums[k]).to_bits();
                    }
                }
            }
            for k in 0..n {
                if sums[k].to_bits() != before[k].to_bits() {
                    own.add(k).write_unaligned(rounded[k]);
                }
            }
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
