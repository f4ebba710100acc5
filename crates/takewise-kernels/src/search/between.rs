//! Values that rise: some of them are searched for, and the others lie between their answers.
//!
//! Wherever halving goes right for a threshold, it does for a greater one. So for `a <= t <= b` the halving for `t` parts
//! from one or the other only at positions between their answers; and where the keys at these positions ascend, it ends
//! after those below `t`. They are counted, for sixteen thresholds side by side. That holds in sequences of any order, since
//! only these keys are looked at; where they do not ascend, or are many, the thresholds are searched for one by one.
//!
//! Obligations: **L1** as in the parent module.

use super::lane::{Keyed, Lane};
use super::tree::BLOCK;
use crate::kernel::cpu::per_level;

/// Thresholds between two that are searched for.
pub(super) const SIDE: usize = 16;

/// Elements between two answers that are looked at one after another.
const NARROW: usize = 64;

/// A place for each side of a block, and one for the end.
pub(super) const SIDES: usize = BLOCK / SIDE + 1;

per_level! {
    /// Whether no threshold is less than the one before.
    ///
    /// # Safety
    /// K1.
    pub(super) unsafe fn rising[L: Lane](thresholds: &[L]) -> bool { all: rise }
}

/// # Safety
/// None of its own.
#[inline(always)]
unsafe fn rise<L: Lane>(thresholds: &[L]) -> bool {
    let mut at = 0;
    while at + SIDE < thresholds.len() {
        let mut all = true;
        for k in at..at + SIDE {
            all &= thresholds[k] <= thresholds[k + 1];
        }
        if !all {
            return false;
        }
        at += SIDE;
    }
    thresholds[at..].is_sorted()
}

per_level! {
    /// Writes the answers of the rising thresholds of a lane whose element `p` lies at `at + p * step`: `ends[s]` is that of
    /// threshold `SIDE * s`, and the one behind the last of these that of the last threshold. Bit `s` of the result says
    /// that side `s` has to be searched for.
    ///
    /// # Safety
    /// K1; L1: the positions between the ends lie in the lane.
    pub(super) unsafe fn between[H: Keyed](
        at: *const u8,
        step: isize,
        ends: &[u32; SIDES],
        thresholds: &[H::Lane],
        found: &mut [u32],
    ) -> u32 { all: between_of }
}

/// # Safety
/// As [`between`].
#[inline(always)]
unsafe fn between_of<H: Keyed>(
    at: *const u8,
    step: isize,
    ends: &[u32; SIDES],
    thresholds: &[H::Lane],
    found: &mut [u32],
) -> u32 {
    let mut left = 0;
    let mut few = [H::Lane::MAX; SIDE];
    for (s, (found, thresholds)) in found.chunks_mut(SIDE).zip(thresholds.chunks(SIDE)).enumerate() {
        let (lo, hi) = (ends[s], ends[s + 1]);
        if lo == hi {
            found.fill(lo);
            continue;
        }
        if hi < lo || hi - lo > NARROW as u32 {
            left |= 1 << s;
            continue;
        }
        let side: &[H::Lane; SIDE] = match thresholds.first_chunk() {
            Some(side) => side,
            None => {
                few[..thresholds.len()].copy_from_slice(thresholds);
                &few
            }
        };
        let mut below = [H::Lane::default(); SIDE];
        let (mut ascend, mut last) = (true, H::Lane::MIN);
        for p in lo..hi {
            // SAFETY: L1, from the caller.
            let key = H::key(unsafe { H::load(at.offset(p as isize * step)) });
            ascend &= last <= key;
            last = key;
            for (below, threshold) in below.iter_mut().zip(side) {
                *below = below.plus(H::Lane::one(key < *threshold));
            }
        }
        if !ascend {
            left |= 1 << s;
            continue;
        }
        for (found, below) in found.iter_mut().zip(below) {
            *found = lo + below.position();
        }
    }
    left
}
