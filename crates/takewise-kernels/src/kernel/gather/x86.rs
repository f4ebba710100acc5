//! Sixteen positions at a time with AVX-512: values checked as vectors, elements brought by gather instructions.
//!
//! Offsets are 32-bit, which is what stretches beyond 2 GiB are too long for. Elements shorter than 4 bytes are brought as
//! the 4 bytes that begin with them, or that end with the last byte in reach, and shifted down: where all bytes in reach
//! belong to the operand.

use super::{Next, PlaceRow, Stretch, Values};
use crate::dtype::DType;
use std::arch::x86_64::*;

/// An index dtype as vectors.
pub(crate) trait Sixteen {
    /// The places on an axis of length `len` that the 16 values from `first` on name, and which of them lie outside.
    /// `back` is what negative values are moved by.
    ///
    /// # Safety
    /// K1; L1: 16 values.
    unsafe fn places(first: *const Self, len: i32, back: i32) -> (__m512i, __mmask16);
}

/// [`super::settled`], of a vector.
#[inline]
#[target_feature(enable = "avx512f")]
fn settled(v: __m512i) -> __m512i {
    let mut v = v;
    // SAFETY: no instruction at all.
    unsafe { std::arch::asm!("/* {0} */", inout(zmm_reg) v, options(pure, nomem, nostack, preserves_flags)) };
    v
}

/// 64-bit values, 8 at a time.
#[inline(always)]
unsafe fn longs<const SIGNED: bool>(first: *const i64, len: i32, back: i32) -> (__m512i, __mmask16) {
    // SAFETY: K1; L1 by the caller.
    unsafe {
        let (len, back) = (_mm512_set1_epi64(len.into()), _mm512_set1_epi64(back.into()));
        let mut low = settled(_mm512_loadu_si512(first.cast()));
        let mut high = settled(_mm512_loadu_si512(first.add(8).cast()));
        if SIGNED {
            low = _mm512_mask_add_epi64(low, _mm512_movepi64_mask(low), low, back);
            high = _mm512_mask_add_epi64(high, _mm512_movepi64_mask(high), high, back);
        }
        let bad = _mm512_kunpackb(_mm512_cmpge_epu64_mask(high, len).into(), _mm512_cmpge_epu64_mask(low, len).into());
        let places = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low));
        (_mm512_inserti64x4::<1>(places, _mm512_cvtepi64_epi32(high)), bad)
    }
}

/// Values of 32 bits, or widened to them.
#[inline(always)]
unsafe fn ints<const SIGNED: bool>(v: __m512i, len: i32, back: i32) -> (__m512i, __mmask16) {
    // SAFETY: K1.
    unsafe {
        let (mut v, len, back) = (settled(v), _mm512_set1_epi32(len), _mm512_set1_epi32(back));
        if SIGNED {
            v = _mm512_mask_add_epi32(v, _mm512_movepi32_mask(v), v, back);
        }
        (v, _mm512_cmpge_epu32_mask(v, len))
    }
}

macro_rules! sixteen {
    ($($t:ty: ($first:ident) => $kind:ident::<$signed:literal>($values:expr);)*) => {
        $(impl Sixteen for $t {
            #[inline(always)]
            unsafe fn places($first: *const Self, len: i32, back: i32) -> (__m512i, __mmask16) {
                // SAFETY: passed on.
                unsafe { $kind::<$signed>($values, len, back) }
            }
        })*
    };
}
sixteen! {
    i64: (p) => longs::<true>(p);
    u64: (p) => longs::<false>(p.cast());
    i32: (p) => ints::<true>(_mm512_loadu_si512(p.cast()));
    u32: (p) => ints::<false>(_mm512_loadu_si512(p.cast()));
    i16: (p) => ints::<true>(_mm512_cvtepi16_epi32(_mm256_loadu_si256(p.cast())));
    u16: (p) => ints::<false>(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast())));
    i8: (p) => ints::<true>(_mm512_cvtepi8_epi32(_mm_loadu_si128(p.cast())));
    u8: (p) => ints::<false>(_mm512_cvtepu8_epi32(_mm_loadu_si128(p.cast())));
}

/// Brings 16 elements of `S` bytes from `from + offsets` to `to`; `last` is the highest place that 4 bytes may begin at. What
/// is `streamed` goes past the caches; then `to` is a multiple of [`unit`].
#[inline(always)]
unsafe fn bring<const S: usize>(from: *const u8, offsets: __m512i, last: __m512i, to: *mut u8, streamed: bool) {
    // SAFETY: K1; R1 for the offsets, E1 for 16 places, by the caller.
    unsafe {
        match S {
            8 => {
                let (low, high) = (_mm512_castsi512_si256(offsets), _mm512_extracti64x4_epi64::<1>(offsets));
                store(to, _mm512_i32gather_epi64::<1>(low, from.cast()), streamed);
                store(to.add(64), _mm512_i32gather_epi64::<1>(high, from.cast()), streamed);
            }
            4 => store(to, _mm512_i32gather_epi32::<1>(offsets, from.cast()), streamed),
            _ => {
                let begin = _mm512_min_epi32(offsets, last);
                let bits = _mm512_slli_epi32::<3>(_mm512_sub_epi32(offsets, begin));
                let elements = _mm512_srlv_epi32(_mm512_i32gather_epi32::<1>(begin, from.cast()), bits);
                match S {
                    2 if streamed => _mm256_stream_si256(to.cast(), _mm512_cvtepi32_epi16(elements)),
                    2 => _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(elements)),
                    _ if streamed => _mm_stream_si128(to.cast(), _mm512_cvtepi32_epi8(elements)),
                    _ => _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(elements)),
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn store(to: *mut u8, elements: __m512i, streamed: bool) {
    // SAFETY: K1; E1 by the caller, and the alignment of what is streamed.
    unsafe {
        if streamed {
            _mm512_stream_si512(to.cast(), elements);
        } else {
            _mm512_storeu_si512(to.cast(), elements);
        }
    }
}

/// What places of 16 elements of `size` bytes must be multiples of to be streamed to.
const fn unit(size: usize) -> usize {
    if size < 4 { 16 * size } else { 64 }
}

/// Picks as many whole sixteens as there are in each row and tells how many positions of it that was; `None` if a value lies
/// outside its axis.
///
/// # Safety
/// As [`super::gather`], and K1: AVX-512.
#[inline(always)]
pub(super) unsafe fn gather_sixteens(size: usize, stretch: &Stretch) -> Option<usize> {
    if stretch.count < 16 || stretch.axes.iter().any(|a| a.each != stretch.dtype.size() as isize) {
        return Some(0);
    }
    // Offsets from `from`, and the highest place of an element.
    let (mut reach, mut last) = (0usize, 0isize);
    let along = (stretch.count as isize).checked_mul(stretch.along);
    let spans = stretch.axes.iter().map(|a| a.step.checked_mul(a.len as isize));
    for span in spans.chain([along]) {
        let Some(span) = span else { return Some(0) };
        reach = reach.saturating_add(span.unsigned_abs());
        last = last.saturating_add(span);
    }
    for axis in stretch.axes {
        last -= axis.step;
    }
    last += size as isize - stretch.along - 4;
    let forward = stretch.along >= 0 && stretch.axes.iter().all(|a| a.step >= 0);
    if reach > i32::MAX as usize - 64 || stretch.axes.iter().any(|a| a.len > i32::MAX as usize) {
        return Some(0);
    }
    if size < 4 && !(stretch.dense && forward && last >= 0) {
        return Some(0);
    }
    macro_rules! sized {
        ($t:ident, $axes:expr) => {
            match size {
                1 => gather_sized::<$t, _, 1>($axes, stretch, last as i32),
                2 => gather_sized::<$t, _, 2>($axes, stretch, last as i32),
                4 => gather_sized::<$t, _, 4>($axes, stretch, last as i32),
                8 => gather_sized::<$t, _, 8>($axes, stretch, last as i32),
                _ => Some(0),
            }
        };
    }
    // SAFETY: passed on.
    unsafe {
        match (stretch.axes, stretch.dtype) {
            ([a], DType::I32) => sized!(i32, [*a]),
            ([a], DType::I64) => sized!(i64, [*a]),
            ([a, b], DType::I32) => sized!(i32, [*a, *b]),
            ([a, b], DType::I64) => sized!(i64, [*a, *b]),
            _ => Some(0),
        }
    }
}

#[inline(always)]
unsafe fn gather_sized<T: Sixteen, const N: usize, const S: usize>(
    mut axes: [Values; N],
    stretch: &Stretch,
    last: i32,
) -> Option<usize> {
    let Stretch { mut from, along, mut to, count, from_end, asks, mut next, rows, .. } = *stretch;
    // SAFETY: K1; L1 for the values; R2, R1: offsets of places inside their axes name elements, and 4 bytes that begin no
    // higher than `last` lie in reach too; E1.
    unsafe {
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let lanes = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(along as i32));
        let streamed = stretch.streamed && (to.addr() | rows.to as usize).is_multiple_of(unit(S));
        let mut k = 0;
        for _ in 0..rows.count {
            rows.ask(&axes[0], count);
            let mut here = from;
            k = 0;
            while k + 16 <= count {
                if next.bytes > 0 {
                    next.ask(k);
                }
                let mut offsets = lanes;
                for axis in &axes {
                    let first = axis.first.cast::<T>().add(k);
                    if asks {
                        Values { first: first.cast(), ..*axis }.ask(16);
                    }
                    let back = if from_end { axis.len as i32 } else { 0 };
                    let (places, bad) = T::places(first, axis.len as i32, back);
                    if bad != 0 {
                        return None;
                    }
                    offsets =
                        _mm512_add_epi32(offsets, _mm512_mullo_epi32(places, _mm512_set1_epi32(axis.step as i32)));
                }
                let last = _mm512_set1_epi32(last - k as i32 * along as i32);
                bring::<S>(here, offsets, last, to.add(k * S), streamed);
                here = here.wrapping_offset(16 * along);
                k += 16;
            }
            (from, to, next) = (from.wrapping_offset(rows.from), to.wrapping_offset(rows.to), next.on(rows.from));
            for (axis, by) in axes.iter_mut().zip(rows.values) {
                axis.first = axis.first.wrapping_offset(by);
            }
        }
        Some(k)
    }
}

/// Fetches as many whole sixteens as there are and tells how many places that was.
///
/// # Safety
/// As [`super::fetch`], and K1: AVX-512.
#[inline(always)]
pub(super) unsafe fn fetch_sixteens(size: usize, from: *const u8, places: &PlaceRow, to: *mut u8, next: Next) -> usize {
    // SAFETY: passed on.
    unsafe {
        match size {
            1 | 2 if !places.dense || places.high + size as i32 - 4 < places.low => 0,
            1 => fetch_sized::<1>(from, places, to, next),
            2 => fetch_sized::<2>(from, places, to, next),
            4 => fetch_sized::<4>(from, places, to, next),
            8 => fetch_sized::<8>(from, places, to, next),
            _ => 0,
        }
    }
}

#[inline(always)]
unsafe fn fetch_sized<const S: usize>(from: *const u8, places: &PlaceRow, to: *mut u8, next: Next) -> usize {
    let (offsets, mut k) = (places.offsets, 0);
    // SAFETY: K1; R1 for the offsets, and 4 bytes that begin no higher than `last` lie between the lowest and the highest
    // element; E1.
    unsafe {
        let last = _mm512_set1_epi32((places.high + S as i32).wrapping_sub(4));
        while k + 16 <= offsets.len() {
            if next.bytes > 0 {
                next.ask(k);
            }
            let these = _mm512_loadu_si512(offsets.as_ptr().add(k).cast());
            bring::<S>(from, these, last, to.add(k * S), false);
            k += 16;
        }
    }
    k
}
