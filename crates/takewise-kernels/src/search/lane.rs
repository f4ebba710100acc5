//! Keys: elements and thresholds as ordered integers of 32 or 64 bits.
//!
//! Every real dtype has a monotone map to one of two integer types in which "the search passes element `e`" reads
//! `key(e) < threshold`, NaN rules and signed zeros included. So a tree of keys needs two element types and one
//! comparison, whatever the dtype, the side and the place of NaN.

use super::order::{Bools, Floats, Goal, Hay, Ints};
use super::tree::{Tree, Trees};
use half::{bf16, f16};

/// Keys in a node of a tree; the sixteenth place holds no key.
pub(super) const KEYS: usize = 15;

/// Levels taken by a node.
pub(super) const LEVELS: u32 = 4;

/// An integer type of keys.
pub(super) trait Lane: Copy + Ord + Default + Send + Sync + 'static {
    /// Whether every processor compares several at once.
    const SEVERAL: bool;

    /// What no key passes below, and what no threshold passes.
    const MIN: Self;
    const MAX: Self;

    /// The key of NaN.
    fn nan(last: bool) -> Self;
    /// One where `yes`, else zero.
    fn one(yes: bool) -> Self;
    fn plus(self, other: Self) -> Self;
    /// A count or position kept in the place of a key, and back.
    fn of(position: u32) -> Self;
    fn position(self) -> u32;

    /// Puts a tree among those of both widths, and finds it there.
    fn kept(tree: Tree<Self>) -> Trees;
    fn tree(trees: &Trees) -> Option<&Tree<Self>>;

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

/// Where so many halvings of the first keys of a node end, be they sorted or not.
#[inline(always)]
pub(super) fn rank<L: Lane, const LEVELS: u32>(node: &[L; KEYS + 1], threshold: L) -> u32 {
    let mut at = 0;
    for level in (0..LEVELS).rev() {
        let step = 1 << level;
        at += if node[(at + step - 1) & KEYS] < threshold { step } else { 0 };
    }
    at as u32
}

/// The places of keys in a mask of compared lanes.
#[cfg(target_arch = "x86_64")]
const PLACES: u32 = (1 << KEYS) - 1;

macro_rules! lanes {
    ($($t:ty, $field:ident, $several:expr, $avx2:path, $avx512:ident);*) => {$(
        impl Lane for $t {
            const SEVERAL: bool = $several;
            const MIN: $t = <$t>::MIN;
            const MAX: $t = <$t>::MAX;
            fn kept(tree: Tree<$t>) -> Trees { Trees { $field: Some(tree), ..Trees::default() } }
            fn tree(trees: &Trees) -> Option<&Tree<$t>> { trees.$field.as_ref() }
            #[inline(always)]
            fn nan(last: bool) -> $t { if last { <$t>::MAX - 1 } else { <$t>::MIN } }
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
            #[allow(unused_unsafe)]
            unsafe fn rank_avx2(node: &[$t; KEYS + 1], threshold: $t) -> u32 {
                // SAFETY: K1, from the caller.
                unsafe { $avx2(node, threshold) }
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn rank_avx512(node: &[$t; KEYS + 1], threshold: $t) -> u32 {
                // SAFETY: K1, from the caller.
                unsafe { (x86::$avx512(node.as_ptr(), threshold, 0) & PLACES).count_ones() }
            }
        }
    )*};
}
// Four 64-bit keys a vector are no faster with AVX2 than halving.
lanes!(i32, narrow, true, x86::i32_rank_avx2, i32_avx512; i64, wide, false, rank::<i64, { LEVELS }>, i64_avx512);

/// Bit `k` of each result: whether key `k` of sixteen lies below the threshold. `flip` is added to keys, wrapping around:
/// the least integer for unsigned ones. Floats are mapped to keys first; `nan` is the key of all NaN.
///
/// No closure stands between an instruction and its function: compilers do not inline instructions into closures, which know
/// no processor, and then call each of them.
///
/// Safety, of all: K1 as named, and L1: sixteen elements are readable.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    macro_rules! masks_avx2 {
        ($name:ident, $t:ty, $parts:expr, $set:ident, $add:ident, $greater:ident, $mask:ident, $as:ident) => {
            #[inline(always)]
            pub(super) unsafe fn $name(at: *const $t, threshold: $t, flip: $t) -> u32 {
                // SAFETY: K1 and L1, from the caller.
                unsafe {
                    let (at, wanted, flip) = (at.cast::<__m256i>(), $set(threshold), $set(flip));
                    let mut bits = 0;
                    for k in 0..$parts {
                        let below = $greater(wanted, $add(_mm256_loadu_si256(at.add(k)), flip));
                        bits |= ($mask($as(below)) as u32) << (16 / $parts * k);
                    }
                    bits
                }
            }
        };
    }
    masks_avx2!(
        i32_avx2,
        i32,
        2,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_cmpgt_epi32,
        _mm256_movemask_ps,
        _mm256_castsi256_ps
    );
    masks_avx2!(
        i64_avx2,
        i64,
        4,
        _mm256_set1_epi64x,
        _mm256_add_epi64,
        _mm256_cmpgt_epi64,
        _mm256_movemask_pd,
        _mm256_castsi256_pd
    );

    /// Two bits for each key but the last of a node.
    const PAIRS: i32 = (1 << (2 * crate::search::lane::KEYS)) - 1;

    /// How many of the fifteen keys of a node lie below the threshold. Which ones nobody asks, so comparisons are packed
    /// into one vector, in which the sixteenth keeps its place, before they leave the vectors: half of the work.
    #[inline(always)]
    pub(super) unsafe fn i32_rank_avx2(node: &[i32; 16], threshold: i32) -> u32 {
        // SAFETY: K1, from the caller; two vectors of keys.
        unsafe {
            let (at, wanted) = (node.as_ptr().cast::<__m256i>(), _mm256_set1_epi32(threshold));
            let low = _mm256_cmpgt_epi32(wanted, _mm256_loadu_si256(at));
            let high = _mm256_cmpgt_epi32(wanted, _mm256_loadu_si256(at.add(1)));
            (_mm256_movemask_epi8(_mm256_packs_epi32(low, high)) & PAIRS).count_ones() / 2
        }
    }

    macro_rules! masks_avx512 {
        ($name:ident, $t:ty, $parts:expr, $set:ident, $add:ident, $below:ident) => {
            #[inline(always)]
            pub(super) unsafe fn $name(at: *const $t, threshold: $t, flip: $t) -> u32 {
                // SAFETY: K1 and L1, from the caller.
                unsafe {
                    let (at, wanted, flip) = (at.cast::<__m512i>(), $set(threshold), $set(flip));
                    let mut bits = 0;
                    for k in 0..$parts {
                        let keys = $add(_mm512_loadu_si512(at.add(k)), flip);
                        bits |= ($below(keys, wanted) as u32) << (16 / $parts * k);
                    }
                    bits
                }
            }
        };
    }
    masks_avx512!(i32_avx512, i32, 1, _mm512_set1_epi32, _mm512_add_epi32, _mm512_cmplt_epi32_mask);
    masks_avx512!(i64_avx512, i64, 2, _mm512_set1_epi64, _mm512_add_epi64, _mm512_cmplt_epi64_mask);

    /// The bits of a negative float but the sign are turned over, so that the order of integers is that of floats; zeros
    /// were made one by adding zero.
    #[inline(always)]
    pub(super) unsafe fn f32_avx2(at: *const f32, threshold: i32, nan: i32) -> u32 {
        // SAFETY: K1 and L1, from the caller.
        unsafe {
            let wanted = _mm256_set1_epi32(threshold);
            let mut bits = 0;
            for k in 0..2 {
                let v = _mm256_add_ps(_mm256_loadu_ps(at.add(8 * k)), _mm256_setzero_ps());
                let raw = _mm256_castps_si256(v);
                let keys = _mm256_xor_si256(raw, _mm256_srli_epi32::<1>(_mm256_srai_epi32::<31>(raw)));
                let unordered = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(v, v));
                let keys = _mm256_blendv_epi8(keys, _mm256_set1_epi32(nan), unordered);
                let below = _mm256_castsi256_ps(_mm256_cmpgt_epi32(wanted, keys));
                bits |= (_mm256_movemask_ps(below) as u32) << (8 * k);
            }
            bits
        }
    }

    #[inline(always)]
    pub(super) unsafe fn f64_avx2(at: *const f64, threshold: i64, nan: i64) -> u32 {
        // SAFETY: K1 and L1, from the caller.
        unsafe {
            let (wanted, zero) = (_mm256_set1_epi64x(threshold), _mm256_setzero_si256());
            let mut bits = 0;
            for k in 0..4 {
                let v = _mm256_add_pd(_mm256_loadu_pd(at.add(4 * k)), _mm256_setzero_pd());
                let raw = _mm256_castpd_si256(v);
                let keys = _mm256_xor_si256(raw, _mm256_srli_epi64::<1>(_mm256_cmpgt_epi64(zero, raw)));
                let unordered = _mm256_castpd_si256(_mm256_cmp_pd::<_CMP_UNORD_Q>(v, v));
                let keys = _mm256_blendv_epi8(keys, _mm256_set1_epi64x(nan), unordered);
                let below = _mm256_castsi256_pd(_mm256_cmpgt_epi64(wanted, keys));
                bits |= (_mm256_movemask_pd(below) as u32) << (4 * k);
            }
            bits
        }
    }

    #[inline(always)]
    pub(super) unsafe fn f32_avx512(at: *const f32, threshold: i32, nan: i32) -> u32 {
        // SAFETY: K1 and L1, from the caller.
        unsafe {
            let v = _mm512_add_ps(_mm512_loadu_ps(at), _mm512_setzero_ps());
            let raw = _mm512_castps_si512(v);
            let keys = _mm512_xor_si512(raw, _mm512_srli_epi32::<1>(_mm512_srai_epi32::<31>(raw)));
            let unordered = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(v, v);
            let keys = _mm512_mask_blend_epi32(unordered, keys, _mm512_set1_epi32(nan));
            _mm512_cmplt_epi32_mask(keys, _mm512_set1_epi32(threshold)) as u32
        }
    }

    #[inline(always)]
    pub(super) unsafe fn f64_avx512(at: *const f64, threshold: i64, nan: i64) -> u32 {
        // SAFETY: K1 and L1, from the caller.
        unsafe {
            let mut bits = 0;
            for k in 0..2 {
                let v = _mm512_add_pd(_mm512_loadu_pd(at.add(8 * k)), _mm512_setzero_pd());
                let raw = _mm512_castpd_si512(v);
                let keys = _mm512_xor_si512(raw, _mm512_srli_epi64::<1>(_mm512_srai_epi64::<63>(raw)));
                let unordered = _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(v, v);
                let keys = _mm512_mask_blend_epi64(unordered, keys, _mm512_set1_epi64(nan));
                bits |= (_mm512_cmplt_epi64_mask(keys, _mm512_set1_epi64(threshold)) as u32) << (8 * k);
            }
            bits
        }
    }
}

/// Sequences whose order is that of integer keys.
pub(super) trait Keyed: Hay {
    type Lane: Lane;
    /// Bytes of an element.
    const SIZE: usize;

    /// Whether sixteen elements are compared at once where they lie.
    const IN_PLACE: bool = false;

    /// The key of an element.
    fn key(e: Self::Elem) -> Self::Lane;

    /// The threshold of a goal: elements whose key lies below it are passed; `None` passes all.
    fn threshold(goal: Goal<Self::Goal>) -> Option<Self::Lane>;

    /// The threshold of a value of the sequence's own dtype, compared as it is, and whether it passes all.
    fn own(value: Self::Elem, right: bool) -> (Self::Lane, bool);

    /// Bit `k`: whether the key of element `k` of sixteen at `at` is below the threshold; for [`Keyed::IN_PLACE`].
    ///
    /// # Safety
    /// K1: AVX2. L1: `at` is readable for sixteen elements.
    #[cfg(target_arch = "x86_64")]
    unsafe fn below_avx2(at: *const u8, threshold: Self::Lane) -> u32 {
        let _ = (at, threshold);
        0
    }

    /// As above.
    ///
    /// # Safety
    /// K1: AVX-512 F, BW, DQ and VL. L1 as above.
    #[cfg(target_arch = "x86_64")]
    unsafe fn below_avx512(at: *const u8, threshold: Self::Lane) -> u32 {
        let _ = (at, threshold);
        0
    }
}

/// The methods that compare in place, by name of the functions in `x86`.
macro_rules! in_place {
    (($lane:ty, $avx2:ident, $avx512:ident, $flip:expr)) => {
        const IN_PLACE: bool = true;
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn below_avx2(at: *const u8, threshold: $lane) -> u32 {
            // SAFETY: K1 and L1, from the caller; loads ask for no alignment.
            unsafe { x86::$avx2(at.cast(), threshold, $flip) }
        }
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn below_avx512(at: *const u8, threshold: $lane) -> u32 {
            // SAFETY: as above.
            unsafe { x86::$avx512(at.cast(), threshold, $flip) }
        }
    };
    () => {};
}

macro_rules! integers {
    ($($t:ty => $lane:ty, $key:expr, $full:expr $(, $in_place:tt)?);*) => {$(
        impl Keyed for Ints<$t> {
            type Lane = $lane;
            const SIZE: usize = size_of::<$t>();
            in_place!($($in_place)?);
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
    i8 => i32, |v| v as i32, false; i16 => i32, |v| v as i32, false;
    u8 => i32, |v| v as i32, false; u16 => i32, |v| v as i32, false;
    i32 => i32, |v| v, true, (i32, i32_avx2, i32_avx512, 0);
    i64 => i64, |v| v, true, (i64, i64_avx2, i64_avx512, 0);
    u32 => i32, |v| (v ^ 1 << 31) as i32, true, (i32, i32_avx2, i32_avx512, i32::MIN);
    u64 => i64, |v| (v ^ 1 << 63) as i64, true, (i64, i64_avx2, i64_avx512, i64::MIN)
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
    ($($t:ty, $as:ty => $lane:ty, $ordered:expr $(, $in_place:tt)?);*) => {$(
        impl<const LAST: bool> Keyed for Floats<$t, LAST> {
            type Lane = $lane;
            const SIZE: usize = size_of::<$t>();
            in_place!($($in_place)?);
            #[inline(always)]
            fn key(e: $as) -> $lane {
                let ordered = $ordered(e);
                if e.is_nan() { <$lane>::nan(LAST) } else { ordered }
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
    f16, f32 => i32, |e: f32| ordered(e); bf16, f32 => i32, |e: f32| ordered(e);
    f32, f32 => i32, |e: f32| ordered(e), (i32, f32_avx2, f32_avx512, i32::nan(LAST));
    f64, f64 => i64, |e: f64| ordered_wide(e), (i64, f64_avx2, f64_avx512, i64::nan(LAST))
);

/// An integer whose order is that of floats but NaN, zeros equal; no branch, for loops over many.
#[inline(always)]
fn ordered(e: f32) -> i32 {
    let bits = (e + 0.0).to_bits() as i32;
    bits ^ ((bits >> 31) & i32::MAX)
}

/// As [`ordered`].
#[inline(always)]
fn ordered_wide(e: f64) -> i64 {
    let bits = (e + 0.0).to_bits() as i64;
    bits ^ ((bits >> 63) & i64::MAX)
}
