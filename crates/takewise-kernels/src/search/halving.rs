//! Halving itself: eight searches side by side, without branches, so that their memory accesses overlap. Elements may
//! have any strides, or lie behind a sorter.
//!
//! ```text
//! lo = 0; hi = length                             of each of eight searches, step by step together
//! as often as the length can be halved:
//!     mid = lo + (hi - lo) / 2
//!     if lo < hi and element[mid] lies below the threshold: lo = mid + 1, else hi = mid
//! position = lo
//! ```
//!
//! Choices without branches and accesses that overlap: P.-V. Khuong and P. Morin, *Array Layouts for Comparison-Based Searching* (ACM
//! JEA 22, 2017).
//!
//! Obligations: **L1** as in the parent module.

use super::job::{SearchCall, Sorter, Steps, read_integer};
use super::lane::{KEYS, Keyed, Lane};
use super::tree::{BLOCK, NEAR, Tree};
use crate::dims::unravel;
use crate::kernel::cpu::{LINE, per_level, prefetch};
use crate::search::order::{Goal, Hay};
use crate::threads::{in_ranges, parts_for};
use smallvec::{SmallVec, smallvec};
use std::convert::Infallible;
use std::hint::select_unpredictable;

/// Searches running side by side.
pub(super) const LANES: usize = 8;

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

pub(super) struct InOrder<'a> {
    pub(super) job: &'a SearchCall<'a>,
    pub(super) sorter: &'a Sorter,
}

impl Probe for InOrder<'_> {
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
pub(super) struct Batch<H: Hay> {
    pub(super) places: SmallVec<[Steps; LANES]>,
    pub(super) goals: SmallVec<[Goal<H::Goal>; LANES]>,
    pub(super) found: SmallVec<[usize; LANES]>,
}

impl<H: Hay> Batch<H> {
    pub(super) fn new(size: usize) -> Batch<H> {
        Batch {
            places: smallvec![Steps::default(); size],
            goals: smallvec![Goal::Front; size],
            found: smallvec![0; size],
        }
    }
}

impl SearchCall<'_> {
    pub(super) fn drive<H: Hay>(&self) {
        let total: usize = self.extent.iter().product();
        // A step costs about as much as moving eight bytes.
        let steps = (usize::BITS - self.len.leading_zeros()) as usize;
        let parts = parts_for(total.saturating_mul(8 * steps.max(1)));
        let done: Result<(), Infallible> = in_ranges(total, parts, |range| {
            self.range::<H>(range.start, range.end);
            Ok(())
        });
        let Ok(()) = done;
    }

    /// Searches for the values at flat positions `start..end`.
    fn range<H: Hay>(&self, start: usize, end: usize) {
        let mut at = unravel(start, &self.extent);
        let mut place = at.iter().zip(&self.steps).fold(Steps::default(), |place, (&i, &s)| place.plus(i as isize, s));
        let mut block = Batch::<H>::new(BLOCK.min(end - start));
        let mut left = end - start;
        while left > 0 {
            let count = left.min(BLOCK);
            self.places(&mut at, &mut place, &mut block.places[..count]);
            let Batch { places, goals, .. } = &mut block;
            self.goals::<H>(|k| places[k].values, &mut goals[..count]);
            match &self.sorter {
                None => {
                    let probe = Straight { at: self.sequence, step: self.step };
                    find::<H, _>(&probe, self.len, &mut block, count);
                }
                Some(sorter) => find::<H, _>(&InOrder { job: self, sorter }, self.len, &mut block, count),
            }
            self.store(&block.places[..count], &block.found[..count]);
            left -= count;
        }
    }
}

/// Searches a lane of `len` elements for each of the first `count` goals.
pub(super) fn find<H: Hay, P: Probe>(probe: &P, len: usize, block: &mut Batch<H>, count: usize) {
    let Batch { places, goals, found } = block;
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
        found[k] = find_one::<H, P>(probe, &places[k], len, goals[k]);
    }
}

/// Searches a lane of `len` elements for one goal.
#[inline(always)]
pub(super) fn find_one<H: Hay, P: Probe>(probe: &P, place: &Steps, len: usize, goal: Goal<H::Goal>) -> usize {
    let (mut lo, mut hi) = (0, len);
    match goal {
        Goal::Front => {}
        Goal::Back => lo = len,
        Goal::Past(goal) => {
            while lo < hi {
                let mid = lo + (hi - lo) / 2;
                // SAFETY: L1, mid is below hi, which is at most len.
                let e = unsafe { H::load(probe.address(place, mid)) };
                if H::before(e, goal) { lo = mid + 1 } else { hi = mid }
            }
        }
    }
    lo
}

/// Searches that a tree without leaves has left at intervals: where each starts, and how many elements it has.
pub(super) struct Intervals {
    first: [usize; BLOCK],
    left: [usize; BLOCK],
    longest: usize,
}

impl Intervals {
    pub(super) fn new<L: Lane>(tree: &Tree<L>, found: &[u32]) -> Intervals {
        let mut all = Intervals { first: [0; BLOCK], left: [0; BLOCK], longest: 0 };
        for (child, (first, left)) in found.iter().zip(all.first.iter_mut().zip(&mut all.left)) {
            (*first, *left) = tree.interval(*child);
            all.longest = all.longest.max(*left);
        }
        all
    }

    /// Halves until no interval has more than `most` elements, in one lane of `len > 0`.
    #[inline(always)]
    pub(super) fn halve<H: Keyed, P: Probe>(
        &mut self,
        probe: &P,
        place: &Steps,
        len: usize,
        thresholds: &[H::Lane],
        most: usize,
    ) {
        while self.longest > most {
            for (threshold, (first, left)) in thresholds.iter().zip(self.first.iter_mut().zip(&mut self.left)) {
                let half = *left / 2;
                let mid = *first + half;
                // SAFETY: L1, the position is below len.
                let e = H::key(unsafe { H::load(probe.address(place, mid.min(len - 1))) });
                let right = (e < *threshold) & (*left > 0);
                *first = select_unpredictable(right, mid + 1, *first);
                *left = select_unpredictable(right, *left - (half + right as usize), half);
            }
            self.longest /= 2;
        }
    }

    /// The starts of the intervals, which are answers where nothing is left.
    pub(super) fn store(&self, found: &mut [u32]) {
        found.iter_mut().zip(self.first).for_each(|(found, first)| *found = first as u32);
    }
}

per_level! {
    /// Finishes intervals of at most [`KEYS`] elements of the contiguous lane of `len` elements at `at`, and writes the
    /// answers.
    ///
    /// # Safety
    /// K1; L1: the lane is readable, and has at least sixteen elements; the intervals lie inside it.
    pub(super) unsafe fn end_in_place[H: Keyed](
        at: *const u8,
        len: usize,
        intervals: &Intervals,
        thresholds: &[H::Lane],
        found: &mut [u32],
    ) { baseline: end_by_halving, avx2: end_by_avx2, avx512: end_by_avx512 }
}

/// # Safety
/// As [`end_in_place`].
#[inline(always)]
unsafe fn end_by_halving<H: Keyed>(
    at: *const u8,
    len: usize,
    i: &Intervals,
    thresholds: &[H::Lane],
    found: &mut [u32],
) {
    // SAFETY: passed on; every processor compares one by one.
    unsafe { end::<H, 0>(at, len, i, thresholds, found) }
}

/// # Safety
/// As [`end_in_place`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn end_by_avx2<H: Keyed>(at: *const u8, len: usize, i: &Intervals, thresholds: &[H::Lane], found: &mut [u32]) {
    // SAFETY: passed on.
    unsafe { end::<H, 1>(at, len, i, thresholds, found) }
}

/// # Safety
/// As [`end_in_place`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn end_by_avx512<H: Keyed>(at: *const u8, len: usize, i: &Intervals, thresholds: &[H::Lane], found: &mut [u32]) {
    // SAFETY: passed on.
    unsafe { end::<H, 2>(at, len, i, thresholds, found) }
}

/// Compares all elements of an interval at once. Where those passed come first, halving ends after them, whatever the
/// rest of the sequence is like; else halving is done on the answers of the comparisons.
///
/// # Safety
/// As [`end_in_place`], K1 for `LEVEL`.
#[inline(always)]
unsafe fn end<H: Keyed, const LEVEL: u8>(
    at: *const u8,
    len: usize,
    intervals: &Intervals,
    thresholds: &[H::Lane],
    found: &mut [u32],
) {
    let all = || intervals.first.iter().zip(&intervals.left);
    let far = len * H::SIZE > NEAR;
    let mut runs = [0; BLOCK];
    for ((first, left), run) in all().zip(&mut runs).take(found.len()) {
        *run = (*first).min(len - KEYS - 1);
        if far {
            *run = run_around::<H>(at, len, *first, *left);
            let start = at.wrapping_add(*run * H::SIZE);
            (0..=KEYS * H::SIZE).step_by(LINE).for_each(|line| prefetch(start.wrapping_add(line)));
            prefetch(start.wrapping_add(KEYS * H::SIZE));
        }
    }
    for (((found, threshold), (first, left)), start) in found.iter_mut().zip(thresholds).zip(all()).zip(runs) {
        // SAFETY: L1, sixteen elements from `start` on lie in the lane; K1.
        let below = unsafe {
            let run = at.add(start * H::SIZE);
            match LEVEL {
                #[cfg(target_arch = "x86_64")]
                1 => H::below_avx2(run, *threshold),
                #[cfg(target_arch = "x86_64")]
                2 => H::below_avx512(run, *threshold),
                _ => below::<H>(run, *threshold),
            }
        };
        let below = below >> ((first - start) & KEYS) & !(u32::MAX << (left & KEYS));
        let passed = match below & (below + 1) {
            0 => below.count_ones(),
            _ => halve_bits(below, *left as u32),
        };
        *found = *first as u32 + passed;
    }
}

/// Where sixteen elements start that hold the `left` ones from `first` on and, where that can be, no cache line beyond
/// theirs.
#[inline(always)]
fn run_around<H: Keyed>(at: *const u8, len: usize, first: usize, left: usize) -> usize {
    let before = (at.wrapping_add(first * H::SIZE).addr() % LINE) / H::SIZE;
    let first = if before + left <= KEYS + 1 { first.saturating_sub(before) } else { first };
    first.min(len - KEYS - 1)
}

/// Bit `k`: whether element `k` of sixteen is passed.
///
/// # Safety
/// L1: `at` is readable for sixteen elements.
#[inline(always)]
unsafe fn below<H: Keyed>(at: *const u8, threshold: H::Lane) -> u32 {
    (0..=KEYS).fold(0, |bits, k| {
        // SAFETY: L1, from the caller.
        let key = H::key(unsafe { H::load(at.add(k * H::SIZE)) });
        bits | ((key < threshold) as u32) << k
    })
}

/// Where halving ends among `count` elements of which those with a bit are passed.
#[cold]
fn halve_bits(passed: u32, count: u32) -> u32 {
    let (mut lo, mut hi) = (0, count);
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        if passed >> mid & 1 == 1 { lo = mid + 1 } else { hi = mid }
    }
    lo
}
