//! The levels of x86-64: tables of lane orders and byte shuffles with AVX2, compress and expand instructions with AVX-512.

use super::tables::{RANK, SET};
use super::{Baseline, Level, WORD, fill_long, pack_each, places_each, spread_each};
use std::arch::x86_64::*;

/// The numbers of 64 places.
static LANES: [u8; WORD] = {
    let mut lanes = [0; WORD];
    let mut k = 0;
    while k < WORD {
        lanes[k] = k as u8;
        k += 1;
    }
    lanes
};

/// SSE2, which every processor of x86-64 has: it finds words, the rest is the body of all levels.
impl Level for Baseline {
    #[inline(always)]
    unsafe fn word(mask: *const u8) -> u64 {
        // SAFETY: K1; 64 bytes by the caller.
        unsafe {
            let zeros = |k: usize| {
                let bytes = _mm_loadu_si128(mask.add(16 * k).cast());
                _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) as u16 as u64
            };
            !(zeros(0) | zeros(1) << 16 | zeros(2) << 32 | zeros(3) << 48)
        }
    }
}

/// AVX2 with BMI, POPCNT and F16C.
pub struct Avx2;

/// Lane numbers of a table's entry as 32-bit lanes.
#[inline(always)]
unsafe fn lanes32(entry: u64) -> __m256i {
    // SAFETY: K1.
    unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(entry as i64)) }
}

/// Lane numbers of a table's entry as byte numbers of 16-bit lanes.
#[inline(always)]
unsafe fn bytes16(entry: u64) -> __m128i {
    // SAFETY: K1.
    unsafe {
        let lanes = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(entry as i64));
        _mm_add_epi16(_mm_mullo_epi16(lanes, _mm_set1_epi16(0x0202)), _mm_set1_epi16(0x0100))
    }
}

/// IEEE halves eight at a time, by the instruction for them.
#[inline(always)]
unsafe fn widen_eights(from: *const u16, to: *mut f32, count: usize) {
    let eights = count & !7;
    // SAFETY: K1; as many of both by the caller.
    unsafe {
        for k in (0..eights).step_by(8) {
            _mm256_storeu_ps(to.add(k), _mm256_cvtph_ps(_mm_loadu_si128(from.add(k).cast())));
        }
        for k in eights..count {
            let one = _mm_cvtsi32_si128(i32::from(from.add(k).read_unaligned()));
            to.add(k).write_unaligned(_mm_cvtss_f32(_mm_cvtph_ps(one)));
        }
    }
}

/// As [`widen_eights`], the other way.
#[inline(always)]
unsafe fn narrow_eights(from: *const f32, to: *mut u16, count: usize) {
    let eights = count & !7;
    // SAFETY: K1; as many of both by the caller.
    unsafe {
        for k in (0..eights).step_by(8) {
            let near = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(from.add(k)));
            _mm_storeu_si128(to.add(k).cast(), near);
        }
        for k in eights..count {
            let near = _mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm_set_ss(from.add(k).read_unaligned()));
            to.add(k).write_unaligned(_mm_cvtsi128_si32(near) as u16);
        }
    }
}

impl Level for Avx2 {
    #[inline(always)]
    unsafe fn word(mask: *const u8) -> u64 {
        // SAFETY: K1; 64 bytes by the caller.
        unsafe {
            let (low, high) = (_mm256_loadu_si256(mask.cast()), _mm256_loadu_si256(mask.add(32).cast()));
            let none = _mm256_setzero_si256();
            let low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, none)) as u32;
            let high = _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, none)) as u32;
            !(u64::from(low) | u64::from(high) << 32)
        }
    }

    #[inline(always)]
    unsafe fn pack<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        let mut at = to;
        // SAFETY: K1. A group of lanes is stored whole no further than its own lanes lie from `to`.
        unsafe {
            match S {
                1 | 2 | 4 => {
                    for k in 0..8 {
                        let bits = word as usize >> (8 * k) & 255;
                        let (entry, eight) = (SET[bits], from.add(8 * S * k));
                        match S {
                            1 => {
                                let packed =
                                    _mm_shuffle_epi8(_mm_loadl_epi64(eight.cast()), _mm_cvtsi64_si128(entry as i64));
                                _mm_storel_epi64(at.cast(), packed);
                            }
                            2 => {
                                let packed = _mm_shuffle_epi8(_mm_loadu_si128(eight.cast()), bytes16(entry));
                                _mm_storeu_si128(at.cast(), packed);
                            }
                            _ => {
                                let eight = _mm256_loadu_si256(eight.cast());
                                _mm256_storeu_si256(at.cast(), _mm256_permutevar8x32_epi32(eight, lanes32(entry)));
                            }
                        }
                        at = at.add(S * bits.count_ones() as usize);
                    }
                }
                _ => pack_each::<S>(word, from, to),
            }
        }
    }

    #[inline(always)]
    unsafe fn spread<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        let mut at = from;
        // SAFETY: K1. A group of lanes is loaded whole no further than its own lanes lie from `from`.
        unsafe {
            match S {
                4 => {
                    for k in 0..8 {
                        let bits = word as usize >> (8 * k) & 255;
                        let place = to.add(32 * k).cast::<__m256i>();
                        let spread = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at.cast()), lanes32(RANK[bits]));
                        let own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                        let chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), own), own);
                        let kept = _mm256_loadu_si256(place);
                        _mm256_storeu_si256(place, _mm256_blendv_epi8(kept, spread, chosen));
                        at = at.add(4 * bits.count_ones() as usize);
                    }
                }
                2 => {
                    for k in 0..8 {
                        let bits = word as usize >> (8 * k) & 255;
                        let place = to.add(16 * k).cast::<__m128i>();
                        let spread = _mm_shuffle_epi8(_mm_loadu_si128(at.cast()), bytes16(RANK[bits]));
                        let own = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
                        let chosen = _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16(bits as i16), own), own);
                        _mm_storeu_si128(place, _mm_blendv_epi8(_mm_loadu_si128(place), spread, chosen));
                        at = at.add(2 * bits.count_ones() as usize);
                    }
                }
                1 => {
                    for k in 0..8 {
                        let bits = word as usize >> (8 * k) & 255;
                        let place = to.add(8 * k);
                        let order = _mm_cvtsi64_si128(RANK[bits] as i64);
                        let spread = _mm_shuffle_epi8(_mm_loadl_epi64(at.cast()), order);
                        let own = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
                        let chosen = _mm_cmpeq_epi8(_mm_and_si128(_mm_set1_epi8(bits as i8), own), own);
                        let kept = _mm_loadl_epi64(place.cast());
                        _mm_storel_epi64(place.cast(), _mm_blendv_epi8(kept, spread, chosen));
                        at = at.add(bits.count_ones() as usize);
                    }
                }
                _ => spread_each::<S>(word, from, to),
            }
        }
    }

    #[inline(always)]
    unsafe fn places(word: u64, base: i64, step: i64, to: *mut i64) {
        if step != 1 {
            // SAFETY: passed on.
            return unsafe { places_each(word, base, step, to) };
        }
        let mut at = to;
        for k in 0..8 {
            let bits = word as usize >> (8 * k) & 255;
            // SAFETY: K1. Eight numbers are stored no further than 8 * k places from `to`.
            unsafe {
                let (entry, first) = (SET[bits], _mm256_set1_epi64x(base + 8 * k as i64));
                let low = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(entry as i32));
                let high = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((entry >> 32) as i32));
                _mm256_storeu_si256(at.cast(), _mm256_add_epi64(low, first));
                _mm256_storeu_si256(at.add(4).cast(), _mm256_add_epi64(high, first));
                at = at.add(bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn fill<const S: usize>(word: u64, mask: *const u8, pattern: *const u8, to: *mut u8) {
        if S > 8 {
            // SAFETY: passed on.
            return unsafe { fill_long::<S>(word, pattern, to) };
        }
        for k in 0..2 * S {
            // SAFETY: K1; 64 places by the caller, as many bytes of the mask as there are lanes in 32 bytes.
            unsafe {
                let (bytes, place) = (mask.add(32 / S * k), to.add(32 * k).cast::<__m256i>());
                let none = _mm_setzero_si128();
                let zeros = match S {
                    1 => _mm256_cmpeq_epi8(_mm256_loadu_si256(bytes.cast()), _mm256_setzero_si256()),
                    2 => _mm256_cvtepi8_epi16(_mm_cmpeq_epi8(_mm_loadu_si128(bytes.cast()), none)),
                    4 => _mm256_cvtepi8_epi32(_mm_cmpeq_epi8(_mm_loadl_epi64(bytes.cast()), none)),
                    _ => {
                        let four = _mm_cvtsi32_si128(bytes.cast::<i32>().read_unaligned());
                        _mm256_cvtepi8_epi64(_mm_cmpeq_epi8(four, none))
                    }
                };
                let value = _mm256_loadu_si256(pattern.cast());
                _mm256_storeu_si256(place, _mm256_blendv_epi8(value, _mm256_loadu_si256(place), zeros));
            }
        }
    }

    #[inline(always)]
    unsafe fn widen_halves(from: *const u16, to: *mut f32, count: usize) {
        // SAFETY: passed on.
        unsafe { widen_eights(from, to, count) }
    }

    #[inline(always)]
    unsafe fn narrow_halves(from: *const f32, to: *mut u16, count: usize) {
        // SAFETY: passed on.
        unsafe { narrow_eights(from, to, count) }
    }
}

/// AVX-512 with VBMI2.
pub struct Avx512;

/// The bits of eight pairs of lanes from those of four places of twice the size.
#[inline(always)]
unsafe fn doubled(bits: u64) -> u8 {
    // SAFETY: K1.
    unsafe { (_pdep_u32(bits as u32, 0x55) * 3) as u8 }
}

impl Level for Avx512 {
    const EVENLY: usize = 8;
    const MASKED: usize = 8;

    #[inline(always)]
    unsafe fn word(mask: *const u8) -> u64 {
        // SAFETY: K1; 64 bytes by the caller.
        unsafe {
            let bytes = _mm512_loadu_si512(mask.cast());
            _mm512_test_epi8_mask(bytes, bytes)
        }
    }

    #[inline(always)]
    unsafe fn pack<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        if !matches!(S, 1 | 2 | 4 | 8 | 16) {
            // SAFETY: passed on.
            return unsafe { pack_each::<S>(word, from, to) };
        }
        // Lanes of a vector, and the vectors of a word.
        let lanes = WORD / S;
        let mut at = to;
        for k in 0..S {
            let bits = if S == 1 { word } else { word >> (lanes * k) & ((1 << lanes) - 1) };
            // SAFETY: K1. A vector is stored whole no further than its own lanes lie from `to`.
            unsafe {
                let all = _mm512_loadu_si512(from.add(WORD * k).cast());
                let packed = match S {
                    1 => _mm512_maskz_compress_epi8(bits, all),
                    2 => _mm512_maskz_compress_epi16(bits as u32, all),
                    4 => _mm512_maskz_compress_epi32(bits as u16, all),
                    8 => _mm512_maskz_compress_epi64(bits as u8, all),
                    _ => _mm512_maskz_compress_epi64(doubled(bits), all),
                };
                _mm512_storeu_si512(at.cast(), packed);
                at = at.add(S * bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn spread<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        if !matches!(S, 1 | 2 | 4 | 8 | 16) {
            // SAFETY: passed on.
            return unsafe { spread_each::<S>(word, from, to) };
        }
        let lanes = WORD / S;
        let mut at = from;
        for k in 0..S {
            let bits = if S == 1 { word } else { word >> (lanes * k) & ((1 << lanes) - 1) };
            // SAFETY: K1. A vector is loaded whole no further than its own lanes lie from `from`.
            unsafe {
                let next = _mm512_loadu_si512(at.cast());
                let place = to.add(WORD * k);
                match S {
                    1 => _mm512_mask_storeu_epi8(place.cast(), bits, _mm512_maskz_expand_epi8(bits, next)),
                    2 => {
                        let bits = bits as u32;
                        _mm512_mask_storeu_epi16(place.cast(), bits, _mm512_maskz_expand_epi16(bits, next));
                    }
                    4 => {
                        let bits = bits as u16;
                        _mm512_mask_storeu_epi32(place.cast(), bits, _mm512_maskz_expand_epi32(bits, next));
                    }
                    _ => {
                        let bits = if S == 8 { bits as u8 } else { doubled(bits) };
                        _mm512_mask_storeu_epi64(place.cast(), bits, _mm512_maskz_expand_epi64(bits, next));
                    }
                }
                at = at.add(S * bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn places(word: u64, base: i64, step: i64, to: *mut i64) {
        // SAFETY: K1; 64 numbers by the caller.
        unsafe {
            let set = _mm512_maskz_compress_epi8(word, _mm512_loadu_si512(LANES.as_ptr().cast()));
            let mut numbers = [0u8; WORD];
            _mm512_storeu_si512(numbers.as_mut_ptr().cast(), set);
            let (first, by) = (_mm512_set1_epi64(base), _mm512_set1_epi64(step));
            for k in 0..8 {
                let eight = _mm512_cvtepu8_epi64(_mm_loadl_epi64(numbers.as_ptr().add(8 * k).cast()));
                let scaled = if step == 1 { eight } else { _mm512_mullo_epi64(eight, by) };
                _mm512_storeu_si512(to.add(8 * k).cast(), _mm512_add_epi64(scaled, first));
            }
        }
    }

    #[inline(always)]
    unsafe fn fill<const S: usize>(word: u64, _mask: *const u8, pattern: *const u8, to: *mut u8) {
        let lanes = WORD / S;
        for k in 0..S {
            let bits = if S == 1 { word } else { word >> (lanes * k) & ((1 << lanes) - 1) };
            // SAFETY: K1; 64 places by the caller, of which the masked store touches those selected.
            unsafe {
                let (vector, place) = (_mm512_loadu_si512(pattern.cast()), to.add(WORD * k));
                match S {
                    1 => _mm512_mask_storeu_epi8(place.cast(), bits, vector),
                    2 => _mm512_mask_storeu_epi16(place.cast(), bits as u32, vector),
                    4 => _mm512_mask_storeu_epi32(place.cast(), bits as u16, vector),
                    8 => _mm512_mask_storeu_epi64(place.cast(), bits as u8, vector),
                    _ => _mm512_mask_storeu_epi64(place.cast(), doubled(bits), vector),
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn widen_halves(from: *const u16, to: *mut f32, count: usize) {
        // SAFETY: passed on.
        unsafe { widen_eights(from, to, count) }
    }

    #[inline(always)]
    unsafe fn narrow_halves(from: *const f32, to: *mut u16, count: usize) {
        // SAFETY: passed on.
        unsafe { narrow_eights(from, to, count) }
    }
}
