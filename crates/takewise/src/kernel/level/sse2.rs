//! The baseline of x86-64, whose every processor has SSE2: no shuffle by a table, so that lanes are packed in steps, each
//! moving some of them down by a power of two. Elements of 8 bytes and more are served one by one, there being two of them in
//! a vector.

use super::tables::{FOURS, MOVES, SET};
use super::{Baseline, DENSE, Level, WORD, group, pack_each, places_each};
use std::arch::x86_64::*;

/// Lanes of `above` where `chosen` is all ones, and of `own` where it is zero.
#[inline(always)]
unsafe fn choose(chosen: __m128i, above: __m128i, own: __m128i) -> __m128i {
    // SAFETY: K1.
    unsafe { _mm_or_si128(_mm_and_si128(chosen, above), _mm_andnot_si128(chosen, own)) }
}

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

    #[inline(always)]
    unsafe fn pack<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        if !matches!(S, 1 | 2 | 4) || word.count_ones() < DENSE {
            // SAFETY: passed on.
            return unsafe { pack_each::<S>(word, from, to) };
        }
        let lanes = (16 / S).min(8);
        let mut at = to;
        for k in 0..WORD / lanes {
            let bits = group(word, lanes, k);
            let moves = &MOVES[bits];
            let from = from.wrapping_add(lanes * S * k);
            // SAFETY: K1. A group of lanes is stored whole no further than its own lanes lie from `to`.
            unsafe {
                match S {
                    1 => {
                        let eight = from.cast::<u64>().read_unaligned();
                        let step = |v: u64, n: usize| v ^ (v ^ v >> (8 << n)) & moves.lanes[n];
                        at.cast::<u64>().write_unaligned(step(step(step(eight, 0), 1), 2));
                    }
                    2 => {
                        let chosen = |n: usize| {
                            let bytes = _mm_loadl_epi64(moves.lanes.as_ptr().add(n).cast());
                            _mm_unpacklo_epi8(bytes, bytes)
                        };
                        let v = _mm_loadu_si128(from.cast());
                        let v = choose(chosen(0), _mm_srli_si128::<2>(v), v);
                        let v = choose(chosen(1), _mm_srli_si128::<4>(v), v);
                        _mm_storeu_si128(at.cast(), choose(chosen(2), _mm_srli_si128::<8>(v), v));
                    }
                    _ => {
                        let chosen = FOURS[bits & 15].as_ptr().cast::<__m128i>();
                        let v = _mm_loadu_si128(from.cast());
                        let v = choose(_mm_loadu_si128(chosen), _mm_srli_si128::<4>(v), v);
                        let v = choose(_mm_loadu_si128(chosen.add(1)), _mm_srli_si128::<8>(v), v);
                        _mm_storeu_si128(at.cast(), v);
                    }
                }
                at = at.add(S * moves.set as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn places(word: u64, base: i64, step: i64, to: *mut i64) {
        if step != 1 || word.count_ones() < DENSE {
            // SAFETY: passed on.
            return unsafe { places_each(word, base, step, to) };
        }
        let mut at = to;
        for k in 0..8 {
            let bits = group(word, 8, k);
            // SAFETY: K1. Eight numbers are stored no further than 8 * k places from `to`.
            unsafe {
                let (none, first) = (_mm_setzero_si128(), _mm_set1_epi64x(base + 8 * k as i64));
                let eight = _mm_unpacklo_epi8(_mm_cvtsi64_si128(SET[bits] as i64), none);
                let (low, high) = (_mm_unpacklo_epi16(eight, none), _mm_unpackhi_epi16(eight, none));
                let store = |n: usize, two| _mm_storeu_si128(at.add(n).cast(), _mm_add_epi64(two, first));
                store(0, _mm_unpacklo_epi32(low, none));
                store(2, _mm_unpackhi_epi32(low, none));
                store(4, _mm_unpacklo_epi32(high, none));
                store(6, _mm_unpackhi_epi32(high, none));
                at = at.add(MOVES[bits].set as usize);
            }
        }
    }
}
