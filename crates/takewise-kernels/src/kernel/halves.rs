//! Half floats whose sums are kept in f32.

use super::cpu::per_level;
use super::level::Level;
use crate::dtype::DType;
use half::{bf16, f16};

/// Half floats, by their bits. The library of half floats asks the processor at each one what it can do; here nothing branches
/// or is called.
pub(super) trait Half {
    /// The f32 of one.
    fn whole(bits: u16) -> f32;

    /// The one next to an f32.
    fn near(v: f32) -> u16;

    /// The f32 of `count` side by side.
    ///
    /// # Safety
    /// L1 for as many of both, of which `to` is exclusively the caller's; the processor runs the level (K1).
    unsafe fn widen<L: Level>(from: *const u16, to: *mut f32, count: usize);

    /// Those next to `count` f32.
    ///
    /// # Safety
    /// As [`Half::widen`].
    unsafe fn narrow<L: Level>(from: *const f32, to: *mut u16, count: usize);
}

impl Half for f16 {
    #[inline(always)]
    fn whole(bits: u16) -> f32 {
        whole(bits)
    }
    #[inline(always)]
    fn near(v: f32) -> u16 {
        half_of(v)
    }
    #[inline(always)]
    unsafe fn widen<L: Level>(from: *const u16, to: *mut f32, count: usize) {
        // SAFETY: passed on.
        unsafe { L::widen_halves(from, to, count) }
    }
    #[inline(always)]
    unsafe fn narrow<L: Level>(from: *const f32, to: *mut u16, count: usize) {
        // SAFETY: passed on.
        unsafe { L::narrow_halves(from, to, count) }
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn whole(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }
    #[inline(always)]
    fn near(v: f32) -> u16 {
        brief(v)
    }
    #[inline(always)]
    unsafe fn widen<L: Level>(from: *const u16, to: *mut f32, count: usize) {
        // SAFETY: passed on.
        unsafe { widen_each::<bf16>(from, to, count) }
    }
    #[inline(always)]
    unsafe fn narrow<L: Level>(from: *const f32, to: *mut u16, count: usize) {
        // SAFETY: passed on.
        unsafe { narrow_each::<bf16>(from, to, count) }
    }
}

/// [`Half::widen`] one by one, which compilers turn into vectors.
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn widen_each<H: Half>(from: *const u16, to: *mut f32, count: usize) {
    for k in 0..count {
        // SAFETY: by the caller.
        unsafe { to.add(k).write_unaligned(H::whole(from.add(k).read_unaligned())) }
    }
}

/// [`Half::narrow`] one by one.
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn narrow_each<H: Half>(from: *const f32, to: *mut u16, count: usize) {
    for k in 0..count {
        // SAFETY: by the caller.
        unsafe { to.add(k).write_unaligned(H::near(from.add(k).read_unaligned())) }
    }
}

/// The f32 of an IEEE half, without a branch: its fields, moved to their places, are the number times a power of two. NaNs
/// become quiet ones, as the processor's own instruction makes them: a level may be forced between widening and rounding.
#[inline(always)]
pub(super) fn whole(half: u16) -> f32 {
    let bits = u32::from(half);
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    let endless = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    let quiet = if bits & 0x7fff > 0x7c00 { 0x0040_0000 } else { 0 };
    f32::from_bits(size.to_bits() | endless | quiet | (bits & 0x8000) << 16)
}

per_level! {
    /// Sets the sums of `count` half floats to what these are.
    ///
    /// # Safety
    /// As many halves and sums, side by side; the sums are exclusively the caller's.
    pub unsafe fn widen(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
        level: widen_body
    }
}

#[inline(always)]
unsafe fn widen_body<L: Level>(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => f16::widen::<L>(own, sums, count),
            _ => bf16::widen::<L>(own, sums, count),
        }
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

/// The bits of the bfloat16 next to a number, the even one of two; no branch, and nothing narrow before the end.
#[inline(always)]
fn brief(v: f32) -> u16 {
    let bits = v.to_bits();
    let even = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    ((if v.is_nan() { bits | 0x40 << 16 } else { even }) >> 16) as u16
}

per_level! {
    /// Rounds sums to their half floats. Of sums that are what [`widen`] made them the halves stay as they are, bit for bit.
    ///
    /// # Safety
    /// As [`widen`], and the halves are exclusively the caller's.
    pub unsafe fn round(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
        level: round_body
    }
}

#[inline(always)]
unsafe fn round_body<L: Level>(dtype: DType, own: *mut u16, sums: *mut f32, count: usize) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => round_each::<L, f16>(own, sums, count),
            _ => round_each::<L, bf16>(own, sums, count),
        }
    }
}

per_level! {
    /// Sets half floats to what is next to `count` f32.
    ///
    /// # Safety
    /// As [`widen`], and the halves are exclusively the caller's.
    pub unsafe fn narrow(dtype: DType, own: *mut u16, sums: *const f32, count: usize) {
        level: narrow_body
    }
}

#[inline(always)]
unsafe fn narrow_body<L: Level>(dtype: DType, own: *mut u16, sums: *const f32, count: usize) {
    // SAFETY: passed on.
    unsafe {
        match dtype {
            DType::F16 => f16::narrow::<L>(sums, own, count),
            _ => bf16::narrow::<L>(sums, own, count),
        }
    }
}

/// The first of two halves if so, else the second: by a mask, as compilers choose between two places to load from by a jump.
#[inline(always)]
pub(super) fn either(first: bool, one: u16, other: u16) -> u16 {
    other ^ ((other ^ one) & u16::from(first).wrapping_neg())
}

/// Half floats rounded at a time.
const PIECE: usize = 64;

#[inline(always)]
unsafe fn round_each<L: Level, H: Half>(own: *mut u16, sums: *const f32, count: usize) {
    let (mut whole, mut near) = ([0f32; PIECE], [0u16; PIECE]);
    for start in (0..count).step_by(PIECE) {
        let n = PIECE.min(count - start);
        // SAFETY: by the caller, in memory of our own.
        unsafe {
            let (own, sums) = (own.add(start), sums.add(start));
            H::widen::<L>(own, whole.as_mut_ptr(), n);
            H::narrow::<L>(sums, near.as_mut_ptr(), n);
            for k in 0..n {
                let (kept, same) = (own.add(k).read_unaligned(), sums.add(k).read().to_bits() == whole[k].to_bits());
                near[k] = either(same, kept, near[k]);
            }
            for (k, bits) in near[..n].iter().enumerate() {
                own.add(k).write_unaligned(*bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::cpu::Cpu;

    /// Not every number can be tried where each step is interpreted.
    const APART: usize = if cfg!(miri) { 509 } else { 1 };

    #[test]
    fn halves_widen_exactly() {
        for bits in (0..=u16::MAX).step_by(APART) {
            let (got, want) = (whole(bits), f16::from_bits(bits).to_f32());
            assert!(got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()), "{bits:#x}: {got} for {want}");
        }
    }

    #[test]
    fn numbers_round_to_the_next_half() {
        for high in (0..=u16::MAX).step_by(APART) {
            for low in [0, 1, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xf000, 0xffff] {
                let v = f32::from_bits(u32::from(high) << 16 | low);
                assert_eq!(brief(v), bf16::from_f32(v).to_bits(), "{v} {high:#x} {low:#x}");
                assert_eq!(half_of(v), f16::from_f32(v).to_bits(), "{v} {high:#x} {low:#x}");
            }
        }
    }

    #[test]
    fn every_level_converts_alike() {
        let usual = Cpu::current();
        let wide: Vec<f32> = (0..=u32::from(u16::MAX))
            .step_by(APART)
            .flat_map(|high| {
                [0, 0x0fff, 0x1000, 0x1001, 0x3000, 0x8000, 0xffff].map(|low| f32::from_bits(high << 16 | low))
            })
            .collect();
        for level in Cpu::supported() {
            assert!(level.force());
            for dtype in [DType::F16, DType::BF16] {
                let mut all: Vec<u16> = (0..=u16::MAX).step_by(APART).collect();
                let mut sums = vec![0f32; all.len()];
                let mut own = vec![0u16; wide.len()];
                // SAFETY: as many of both.
                unsafe {
                    widen(dtype, all.as_mut_ptr(), sums.as_mut_ptr(), all.len() - 3);
                    round(dtype, own.as_mut_ptr(), wide.clone().as_mut_ptr(), own.len());
                }
                for (bits, got) in all[..all.len() - 3].iter().zip(&sums) {
                    let want = if dtype == DType::F16 { f16::whole(*bits) } else { bf16::whole(*bits) };
                    assert_eq!(got.to_bits(), want.to_bits(), "{level:?} {bits:#x}");
                }
                assert!(sums[sums.len() - 3..].iter().all(|v| *v == 0.0), "{level:?}: further than asked");
                for (v, got) in wide.iter().zip(&own) {
                    let want = if dtype == DType::F16 { f16::near(*v) } else { bf16::near(*v) };
                    assert_eq!(*got, want, "{level:?} {v}");
                }
            }
        }
        assert!(usual.force());
    }

    #[test]
    fn what_was_not_added_to_stays_bit_for_bit() {
        for dtype in [DType::F16, DType::BF16] {
            let all: Vec<u16> = (0..=u16::MAX).take(if cfg!(miri) { 1200 } else { 1 << 16 }).collect();
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
