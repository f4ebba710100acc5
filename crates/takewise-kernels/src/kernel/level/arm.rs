//! The level of 64-bit ARM, whose every processor has NEON: byte shuffles by tables of lane orders. Elements of 8 bytes and
//! more are served one by one, there being two of them in a vector.

use super::tables::{RANK, SET};
use super::{Baseline, Level, WORD, fill_long, group, pack_each, places_each, spread_each};
use std::arch::aarch64::*;

/// Lane numbers of a table's entry as byte numbers of eight 16-bit lanes.
#[inline(always)]
unsafe fn bytes16(entry: u64) -> uint8x16_t {
    // SAFETY: K1.
    unsafe {
        let lanes = vmovl_u8(vcreate_u8(entry));
        vreinterpretq_u8_u16(vaddq_u16(vmulq_n_u16(lanes, 0x0202), vdupq_n_u16(0x0100)))
    }
}

/// Lane numbers of the first four lanes of a table's entry as byte numbers of 32-bit lanes.
#[inline(always)]
unsafe fn bytes32(entry: u64) -> uint8x16_t {
    // SAFETY: K1.
    unsafe {
        let lanes = vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(entry))));
        vreinterpretq_u8_u32(vaddq_u32(vmulq_n_u32(lanes, 0x0404_0404), vdupq_n_u32(0x0302_0100)))
    }
}

impl Level for Baseline {
    #[inline(always)]
    unsafe fn word(mask: *const u8) -> u64 {
        const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: K1; 64 bytes by the caller.
        unsafe {
            let weights = vld1q_u8(WEIGHTS.as_ptr());
            let set = |k: usize| {
                let bytes = vld1q_u8(mask.add(16 * k));
                vandq_u8(vtstq_u8(bytes, bytes), weights)
            };
            // Neighbours are added until the weights of eight places make one byte.
            let (low, high) = (vpaddq_u8(set(0), set(1)), vpaddq_u8(set(2), set(3)));
            let both = vpaddq_u8(low, high);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(both, both)))
        }
    }

    #[inline(always)]
    unsafe fn pack<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        if !matches!(S, 1 | 2 | 4) {
            // SAFETY: passed on.
            return unsafe { pack_each::<S>(word, from, to) };
        }
        // Lanes of a step: eight, or as many as a vector has.
        let lanes = (16 / S).min(8);
        let mut at = to;
        for k in 0..WORD / lanes {
            let (bits, from) = (group(word, lanes, k), from.wrapping_add(lanes * S * k));
            // SAFETY: K1. A group of lanes is stored whole no further than its own lanes lie from `to`.
            unsafe {
                match S {
                    1 => vst1_u8(at, vtbl1_u8(vld1_u8(from), vcreate_u8(SET[bits]))),
                    2 => vst1q_u8(at, vqtbl1q_u8(vld1q_u8(from), bytes16(SET[bits]))),
                    _ => vst1q_u8(at, vqtbl1q_u8(vld1q_u8(from), bytes32(SET[bits]))),
                }
                at = at.add(S * bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn spread<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        const BITS: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
        if !matches!(S, 1 | 2 | 4) {
            // SAFETY: passed on.
            return unsafe { spread_each::<S>(word, from, to) };
        }
        let lanes = (16 / S).min(8);
        let mut at = from;
        for k in 0..WORD / lanes {
            let (bits, place) = (group(word, lanes, k), to.wrapping_add(lanes * S * k));
            // SAFETY: K1. A group of lanes is loaded whole no further than its own lanes lie from `from`.
            unsafe {
                // One byte per lane, all ones where the lane is chosen.
                let chosen = vtst_u8(vdup_n_u8(bits as u8), vld1_u8(BITS.as_ptr()));
                let wide = vmovl_s8(vreinterpret_s8_u8(chosen));
                match S {
                    1 => {
                        let spread = vtbl1_u8(vld1_u8(at), vcreate_u8(RANK[bits]));
                        vst1_u8(place, vbsl_u8(chosen, spread, vld1_u8(place)));
                    }
                    2 => {
                        let spread = vqtbl1q_u8(vld1q_u8(at), bytes16(RANK[bits]));
                        vst1q_u8(place, vbslq_u8(vreinterpretq_u8_s16(wide), spread, vld1q_u8(place)));
                    }
                    _ => {
                        let spread = vqtbl1q_u8(vld1q_u8(at), bytes32(RANK[bits]));
                        let chosen = vreinterpretq_u8_s32(vmovl_s16(vget_low_s16(wide)));
                        vst1q_u8(place, vbslq_u8(chosen, spread, vld1q_u8(place)));
                    }
                }
                at = at.add(S * bits.count_ones() as usize);
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
            let bits = group(word, 8, k);
            // SAFETY: K1. A group of numbers is stored whole no further than its own lanes lie from `to`.
            unsafe {
                let (lanes, first) = (vmovl_u8(vcreate_u8(SET[bits])), vdupq_n_s64(base + 8 * k as i64));
                let fours = [vmovl_u16(vget_low_u16(lanes)), vmovl_u16(vget_high_u16(lanes))];
                for (j, four) in fours.into_iter().enumerate() {
                    let pairs = [vmovl_u32(vget_low_u32(four)), vmovl_u32(vget_high_u32(four))];
                    for (i, pair) in pairs.into_iter().enumerate() {
                        vst1q_s64(at.add(4 * j + 2 * i), vaddq_s64(vreinterpretq_s64_u64(pair), first));
                    }
                }
                at = at.add(bits.count_ones() as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn fill<const S: usize>(word: u64, mask: *const u8, pattern: *const u8, to: *mut u8) {
        if !matches!(S, 1 | 2 | 4 | 8) {
            // SAFETY: passed on.
            return unsafe { fill_long::<S>(word, pattern, to) };
        }
        for k in 0..WORD * S / 16 {
            // SAFETY: K1; 64 places by the caller, as many bytes of the mask as there are lanes in 16 bytes.
            unsafe {
                let (bytes, place) = (mask.add(16 / S * k), to.add(16 * k));
                let set = |bytes: uint8x8_t| vreinterpret_s8_u8(vtst_u8(bytes, bytes));
                let chosen = match S {
                    1 => {
                        let sixteen = vld1q_u8(bytes);
                        vtstq_u8(sixteen, sixteen)
                    }
                    2 => vreinterpretq_u8_s16(vmovl_s8(set(vld1_u8(bytes)))),
                    4 => {
                        let four = vcreate_u8(u64::from(bytes.cast::<u32>().read_unaligned()));
                        vreinterpretq_u8_s32(vmovl_s16(vget_low_s16(vmovl_s8(set(four)))))
                    }
                    _ => {
                        let two = vcreate_u8(u64::from(bytes.cast::<u16>().read_unaligned()));
                        let four = vmovl_s16(vget_low_s16(vmovl_s8(set(two))));
                        vreinterpretq_u8_s64(vmovl_s32(vget_low_s32(four)))
                    }
                };
                vst1q_u8(place, vbslq_u8(chosen, vld1q_u8(pattern), vld1q_u8(place)));
            }
        }
    }
}
