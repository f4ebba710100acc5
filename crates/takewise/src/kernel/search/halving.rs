//! Halving itself: eight searches side by side, without branches, so that their memory accesses overlap. Elements may
//! have any strides, or lie behind a sorter.
//!
//! Obligations: **L1** as in the parent module.

use super::edges::read_integer;
use super::lane::Keyed;
use super::tree::{BLOCK, Tree};
use super::{Job, Sorter, Steps};
use crate::kernel::order::{Goal, Hay};
use smallvec::{SmallVec, smallvec};
use std::hint::select_unpredictable;

/// Searches running side by side.
const LANES: usize = 8;

/// Where element `mid` of the lane of a value lies.
pub(super) trait Probe {
    fn address(&self, place: &Steps, mid: usize) -> *const u8;
}

pub(super) struct Straight {
    pub(super) at: *const u8,
    pub(super) step: isize,
}

impl Probe for Straight {
    #[inline(always)]
    fn address(&self, place: &Steps, mid: usize) -> *const u8 {
        self.at.wrapping_offset(place.sequence + mid as isize * self.step)
    }
}

pub(super) struct Sorted<'a> {
    pub(super) job: &'a Job,
    pub(super) sorter: &'a Sorter,
}

impl Probe for Sorted<'_> {
    #[inline(always)]
    fn address(&self, place: &Steps, mid: usize) -> *const u8 {
        let at = self.sorter.at.wrapping_offset(place.sorter + mid as isize * self.sorter.step);
        // SAFETY: L1, mid is below the length of the sorter's lane.
        let value = unsafe { read_integer(at, self.sorter.dtype) };
        match self.job.position(value) {
            Some(i) => self.job.sequence.wrapping_offset(place.sequence + i as isize * self.job.step),
            None => self.job.reading.missing.as_ptr(),
        }
    }
}

/// Scratch of one thread; on the stack for a call of few values.
pub(super) struct Block<H: Hay> {
    pub(super) places: SmallVec<[Steps; LANES]>,
    pub(super) goals: SmallVec<[Goal<H::Goal>; LANES]>,
    pub(super) found: SmallVec<[usize; LANES]>,
}

impl<H: Hay> Block<H> {
    pub(super) fn new(size: usize) -> Block<H> {
        Block {
            places: smallvec![Steps::default(); size],
            goals: smallvec![Goal::Front; size],
            found: smallvec![0; size],
        }
    }
}

/// Searches a lane of `len` elements for each of the first `count` goals.
pub(super) fn find<H: Hay, P: Probe>(probe: &P, len: usize, block: &mut Block<H>, count: usize) {
    let Block { places, goals, found } = block;
    if len == 0 {
        found[..count].fill(0);
        return;
    }
    let whole = count - count % LANES;
    let rounds = usize::BITS - len.leading_zeros();
    for k in (0..whole).step_by(LANES) {
        let places = &places[k..k + LANES];
        let (mut lo, mut hi, mut goal) = ([0; LANES], [len; LANES], [H::Goal::default(); LANES]);
        for j in 0..LANES {
            match goals[k + j] {
                Goal::Front => hi[j] = 0,
                Goal::Back => lo[j] = len,
                Goal::Past(g) => goal[j] = g,
            }
        }
        // Every interval is empty after `rounds` halvings; a finished lane keeps testing one element and
        // ignores the answer.
        for _ in 0..rounds {
            for j in 0..LANES {
                let mid = lo[j] + (hi[j] - lo[j]) / 2;
                // SAFETY: L1, the position is below len.
                let e = unsafe { H::load(probe.address(&places[j], mid.min(len - 1))) };
                let right = H::before(e, goal[j]) & (lo[j] < hi[j]);
                lo[j] = select_unpredictable(right, mid + 1, lo[j]);
                hi[j] = select_unpredictable(right, hi[j], mid);
            }
        }
        found[k..k + LANES].copy_from_slice(&lo);
    }
    for k in whole..count {
        let (mut lo, mut hi) = (0, len);
        match goals[k] {
            Goal::Front => hi = 0,
            Goal::Back => lo = len,
            Goal::Past(goal) => {
                while lo < hi {
                    let mid = lo + (hi - lo) / 2;
                    // SAFETY: L1, mid is below hi, which is at most len.
                    let e = unsafe { H::load(probe.address(&places[k], mid)) };
                    if H::before(e, goal) { lo = mid + 1 } else { hi = mid }
                }
            }
        }
        let _ = hi;
        found[k] = lo;
    }
}

/// Finishes the searches of a tree without leaves, in one lane of `len > 0` elements.
pub(super) fn finish<H: Keyed, P: Probe>(
    probe: &P,
    place: &Steps,
    len: usize,
    tree: &Tree<H::Lane>,
    thresholds: &[H::Lane],
    found: &mut [u32],
) {
    let (mut lo, mut left) = ([0usize; BLOCK], [0usize; BLOCK]);
    let mut longest = 0;
    for (child, (lo, left)) in found.iter().zip(lo.iter_mut().zip(&mut left)) {
        (*lo, *left) = tree.interval(*child);
        longest = longest.max(*left);
    }
    for _ in 0..usize::BITS - longest.leading_zeros() {
        for (threshold, (lo, left)) in thresholds.iter().zip(lo.iter_mut().zip(&mut left)) {
            let half = *left / 2;
            let mid = *lo + half;
            // SAFETY: L1, the position is below len.
            let e = H::key(unsafe { H::load(probe.address(place, mid.min(len - 1))) });
            let right = (e < *threshold) & (*left > 0);
            *lo = select_unpredictable(right, mid + 1, *lo);
            *left = select_unpredictable(right, *left - (half + right as usize), half);
        }
    }
    for (found, lo) in found.iter_mut().zip(lo) {
        *found = lo as u32;
    }
}
