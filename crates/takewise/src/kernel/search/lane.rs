//! Keys: elements and thresholds as ordered integers of 32 or 64 bits.
//!
//! Every real dtype has a monotone map to one of two integer types in which "the search passes element `e`" reads
//! `key(e) < threshold`, NaN rules and signed zeros included. So a tree of keys needs two element types and one
//! comparison, whatever the dtype, the side and the place of NaN.

use super::super::order::{Bools, Floats, Goal, Hay, Ints, float_key, float_key32};
use half::{bf16, f16};

/// Keys in a node of a tree; the sixteenth place holds no key.
pub(super) const KEYS: usize = 15;

/// An integer type of keys.
pub(super) trait Lane: Copy + Ord + Default + Send + Sync + 'static {
    /// What no key passes below, and what no threshold passes.
    const MIN: Self;
    const MAX: Self;

    /// One where `yes`, else zero.
    fn one(yes: bool) -> Self;
    fn plus(self, other: Self) -> Self;
    /// A count or position kept in the place of a key, and back.
    fn of(position: u32) -> Self;
    fn position(self) -> u32;

    /// How many of the ascending keys of a node lie below `threshold`.
    ///
    /// # Safety
    /// K1: the processor has AVX2 and BMI.
    #[cfg(target_arch = "x86_64")]
    unsafe fn rank_avx2(node: &[Self; KEYS + 1], threshold: Self) -> u32;

    /// As above.
    ///
    /// # Safety
    /// K1: the processor has AVX-512 F, BW, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    unsafe fn rank_avx512(node: &[Self; KEYS + 1], threshold: Self) -> u32;
}

/// Where halving the keys of a node ends, be they sorted or not.
#[inline(always)]
pub(super) fn rank<L: Lane>(node: &[L; KEYS + 1], threshold: L) -> u32 {
    let mut at = 0;
    for step in [8, 4, 2, 1] {
        at += if node[(at + step - 1) & KEYS] < threshold { step } else { 0 };
    }
    at as u32
}

/// The places of keys in a mask of compared lanes.
#[cfg(target_arch = "x86_64")]
const PLACES: u32 = (1 << KEYS) - 1;

macro_rules! lanes {
    ($($t:ty, $unsigned:ty, $avx2:ident, $avx512:ident);*) => {$(
        impl Lane for $t {
            const MIN: $t = <$t>::MIN;
            const MAX: $t = <$t>::MAX;
            #[inline(always)]
            fn one(yes: bool) -> $t { yes as $t }
            #[inline(always)]
            fn plus(self, other: $t) -> $t { self.wrapping_add(other) }
            #[inline(always)]
            fn of(position: u32) -> $t { position as $t }
            #[inline(always)]
            fn position(self) -> u32 { self as u32 }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn rank_avx2(node: &[$t; KEYS + 1], threshold: $t) -> u32 {
                // SAFETY: K1, from the caller.
                unsafe { (x86::$avx2(node, threshold) & PLACES).count_ones() }
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn rank_avx512(node: &[$t; KEYS + 1], threshold: $t) -> u32 {
                // SAFETY: K1, from the caller.
                unsafe { (x86::$avx512(node, threshold) & PLACES).count_ones() }
            }
        }
    )*};
}
lanes!(i32, u32, narrow_avx2, narrow_avx512; i64, u64, wide_avx2, wide_avx512);

/// Bit `k` of each result: whether key `k` lies below the threshold.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// # Safety
    /// K1: AVX2.
    #[inline(always)]
    pub(super) unsafe fn narrow_avx2(node: &[i32; 16], threshold: i32) -> u32 {
        // SAFETY: K1, and loads inside the array.
        unsafe {
            let (at, wanted) = (node.as_ptr().cast::<__m256i>(), _mm256_set1_epi32(threshold));
            let low = _mm256_cmpgt_epi32(wanted, _mm256_loadu_si256(at));
            let high = _mm256_cmpgt_epi32(wanted, _mm256_loadu_si256(at.add(1)));
            let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
            _mm256_movemask_ps(low) as u32 | (_mm256_movemask_ps(high) as u32) << 8
        }
    }

    /// # Safety
    /// K1: AVX2.
    #[inline(always)]
    pub(super) unsafe fn wide_avx2(node: &[i64; 16], threshold: i64) -> u32 {
        // SAFETY: K1, and loads inside the array.
        unsafe {
            let (at, wanted) = (node.as_ptr().cast::<__m256i>(), _mm256_set1_epi64x(threshold));
            let below = |k: usize| {
                let compared = _mm256_cmpgt_epi64(wanted, _mm256_loadu_si256(at.add(k)));
                (_mm256_movemask_pd(_mm256_castsi256_pd(compared)) as u32) << (4 * k)
            };
            below(0) | below(1) | below(2) | below(3)
        }
    }

    /// # Safety
    /// K1: AVX-512 F.
    #[inline(always)]
    pub(super) unsafe fn narrow_avx512(node: &[i32; 16], threshold: i32) -> u32 {
        // SAFETY: K1, and a load inside the array.
        unsafe {
            let keys = _mm512_loadu_si512(node.as_ptr().cast());
            _mm512_cmplt_epi32_mask(keys, _mm512_set1_epi32(threshold)) as u32
        }
    }

    /// # Safety
    /// K1: AVX-512 F.
    #[inline(always)]
    pub(super) unsafe fn wide_avx512(node: &[i64; 16], threshold: i64) -> u32 {
        // SAFETY: K1, and loads inside the array.
        unsafe {
            let wanted = _mm512_set1_epi64(threshold);
            let low = _mm512_loadu_si512(node.as_ptr().cast());
            let high = _mm512_loadu_si512(node.as_ptr().add(8).cast());
            let (low, high) = (_mm512_cmplt_epi64_mask(low, wanted), _mm512_cmplt_epi64_mask(high, wanted));
            low as u32 | (high as u32) << 8
        }
    }
}

/// Sequences whose order is that of integer keys.
pub(super) trait Keyed: Hay {
    type Lane: Lane;
    /// Bytes of an element.
    const SIZE: usize;

    /// The key of an element.
    fn key(e: Self::Elem) -> Self::Lane;

    /// The threshold of a goal: elements whose key lies below it are passed; `None` passes all.
    fn threshold(goal: Goal<Self::Goal>) -> Option<Self::Lane>;

    /// The threshold of a value of the sequence's own dtype, compared as it is, and whether it passes all.
    fn own(value: Self::Elem, right: bool) -> (Self::Lane, bool);
}

macro_rules! integers {
    ($($t:ty => $lane:ty, $key:expr, $full:expr);*) => {$(
        impl Keyed for Ints<$t> {
            type Lane = $lane;
            const SIZE: usize = size_of::<$t>();
            #[inline(always)]
            fn key(e: $t) -> $lane { $key(e) }
            #[inline(always)]
            fn threshold(goal: Goal<$t>) -> Option<$lane> {
                match goal {
                    Goal::Front => Some(<$lane>::MIN),
                    Goal::Past(bound) => Some(Self::key(bound)),
                    Goal::Back => None,
                }
            }
            #[inline(always)]
            fn own(value: $t, right: bool) -> ($lane, bool) {
                (Self::key(value).wrapping_add(right as $lane), $full && right && value == <$t>::MAX)
            }
        }
    )*};
}
integers!(
    i8 => i32, |v| v as i32, false; i16 => i32, |v| v as i32, false; i32 => i32, |v| v, true; i64 => i64, |v| v, true;
    u8 => i32, |v| v as i32, false; u16 => i32, |v| v as i32, false;
    u32 => i32, |v| (v ^ 1 << 31) as i32, true; u64 => i64, |v| (v ^ 1 << 63) as i64, true
);

impl Keyed for Bools {
    type Lane = i32;
    const SIZE: usize = 1;
    #[inline(always)]
    fn key(e: u8) -> i32 {
        e as i32
    }
    #[inline(always)]
    fn threshold(goal: Goal<u8>) -> Option<i32> {
        match goal {
            Goal::Front => Some(i32::MIN),
            Goal::Past(bound) => Some(bound as i32),
            Goal::Back => None,
        }
    }
    #[inline(always)]
    fn own(value: u8, right: bool) -> (i32, bool) {
        (value as i32 + right as i32, false)
    }
}

/// Floats: NaN is the last key but one where it sorts last, else the first, below every threshold but that of
/// [`Goal::Front`]. Infinity is far from either.
macro_rules! floats {
    ($($t:ty, $as:ty => $lane:ty, $ordered:expr);*) => {$(
        impl<const LAST: bool> Keyed for Floats<$t, LAST> {
            type Lane = $lane;
            const SIZE: usize = size_of::<$t>();
            #[inline(always)]
            fn key(e: $as) -> $lane {
                let nan = if LAST { <$lane>::MAX - 1 } else { <$lane>::MIN };
                if e.is_nan() { nan } else { $ordered(e) }
            }
            #[inline(always)]
            fn threshold(goal: Goal<$as>) -> Option<$lane> {
                match goal {
                    Goal::Front => Some(<$lane>::MIN),
                    Goal::Past(last) if LAST => Some(Self::key(last) + 1),
                    Goal::Past(bound) => Some(Self::key(bound)),
                    Goal::Back => None,
                }
            }
            #[inline(always)]
            fn own(value: $as, right: bool) -> ($lane, bool) {
                let key = Self::key(value) + right as $lane;
                (if !LAST && value.is_nan() { <$lane>::MAX } else { key }, false)
            }
        }
    )*};
}
floats!(
    f16, f32 => i32, |e| (float_key32(e) ^ 1 << 31) as i32; bf16, f32 => i32, |e| (float_key32(e) ^ 1 << 31) as i32;
    f32, f32 => i32, |e| (float_key32(e) ^ 1 << 31) as i32; f64, f64 => i64, |e| (float_key(e) ^ 1 << 63) as i64
);
