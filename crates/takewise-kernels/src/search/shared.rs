//! Many values in one lane: a tree for the lane, then blocks of values through it.
//!
//! Loops in which the sequence moves come first, so that each lane gets its tree once; results do not depend on order.
//!
//! Obligations: **L1**, **E1** as in the parent module.

use super::between::{SIDE, SIDES, between, rising};
use super::halving::{InOrder, Intervals, Straight, end_in_place};
use super::job::{SearchCall, Steps};
use super::kept::Kept;
use super::lane::{KEYS, Keyed, Lane};
use super::tree::{At, BLOCK, TREES, Tree, bytes_of, descend, full_depth, leaf_depth};
use crate::dims::advance;
use crate::dims::{Dims, unravel};
use crate::dtype::DType;
use crate::search::order::{FloatWidth, Goal, Rounding};
use crate::threads::{in_ranges, parts_for};
use std::convert::Infallible;

/// Bytes that are moved in about the time of one search.
const VALUE: usize = 96;

/// What a tree costs beside halving: where each form starts to pay, as a share of values and elements.
struct Thresholds {
    /// Values in a lane below which nothing is prepared: copying a root costs as much as halving for several.
    few: usize,
    /// Elements of the lane for each value up to which all are copied: where the last ones could be compared in place and
    /// the lane, of at most so many bytes, lies in a cache, and where one of these is not so. A copied element costs
    /// about 1 ns. Leaves save a value half a cache line and what it takes to find it, or else four halvings.
    in_place: usize,
    cached: usize,
    scattered: usize,
    /// Keys copied for each value where not all are: a key is fetched alone, for the price of a halving out of cache,
    /// and each level of them saves every value one.
    keys_a_value: usize,
    /// Bytes of the largest tree with leaves, and levels of one without: the memory a call may take.
    largest: usize,
    deepest: u32,
}

const COSTS: Thresholds = Thresholds {
    few: 16,
    in_place: 3,
    cached: 24 << 20,
    scattered: 8,
    keys_a_value: 2,
    largest: 512 << 20,
    deepest: 21,
};

/// How deep a tree for `values` searches of `len` elements goes, and whether it owns them all.
fn choose<L: Lane>(values: usize, len: usize, in_place: bool) -> Option<(u32, bool)> {
    if values < COSTS.few || len >= u32::MAX as usize {
        return None;
    }
    let full = full_depth(len);
    let near = in_place && len * size_of::<L>() <= COSTS.cached;
    let elements_a_value = if near { COSTS.in_place } else { COSTS.scattered };
    let with_leaves = leaf_depth(len);
    if values.saturating_mul(elements_a_value) >= len && bytes_of::<L>(with_leaves, true) <= COSTS.largest {
        return Some((with_leaves, true));
    }
    Some((values.saturating_mul(COSTS.keys_a_value).ilog2().min(full).min(COSTS.deepest), false))
}

/// The values of one lane: their loops, and what `unravel` needs.
struct Loops {
    extent: Dims<usize>,
    steps: Dims<Steps>,
    total: usize,
}

impl Loops {
    fn new(all: impl Iterator<Item = (usize, Steps)>) -> Loops {
        let (extent, steps): (Dims<usize>, Dims<Steps>) = all.unzip();
        let total = extent.iter().product();
        Loops { extent, steps, total }
    }

    fn place(&self, at: &[usize]) -> Steps {
        at.iter().zip(&self.steps).fold(Steps::default(), |place, (&i, &s)| place.plus(i as isize, s))
    }
}

/// There is none for a tree: plain halving needs none.
struct NoMemory;

impl SearchCall<'_> {
    /// Runs the search, with trees where they pay.
    pub(super) fn drive_keyed<H: Keyed>(&self) {
        if !TREES || self.kept.is_none() && self.extent.iter().product::<usize>() < COSTS.few {
            return self.drive::<H>();
        }
        let moves = |s: &Steps| s.sequence != 0 || s.sorter != 0;
        let all = || self.extent.iter().copied().zip(self.steps.iter().copied());
        let lanes = Loops::new(all().filter(|(_, s)| moves(s)));
        let values = Loops::new(all().filter(|(_, s)| !moves(s)));
        if let Some(tree) = self.kept.and_then(Kept::tree) {
            let parts = parts_for(values.total.saturating_mul(VALUE));
            let done: Result<(), Infallible> = in_ranges(values.total, parts, |range| {
                self.through::<H>(tree, Steps::default(), &values, range);
                Ok(())
            });
            let Ok(()) = done;
            return;
        }
        let searches = if self.rises::<H>(&values) { values.total.div_ceil(SIDE) } else { values.total };
        let Some((depth, leaves)) = choose::<H::Lane>(searches, self.len, self.in_place::<H>()) else {
            return self.drive::<H>();
        };
        let parts = parts_for(lanes.total.saturating_mul(values.total).saturating_mul(VALUE));
        let each = |lane: usize| {
            let place = lanes.place(&unravel(lane, &lanes.extent));
            self.tree::<H>(&place, depth, leaves).map(|tree| (place, tree)).ok_or(NoMemory)
        };
        let done = if lanes.total >= parts {
            in_ranges(lanes.total, parts, |mut range| {
                range.try_for_each(|lane| {
                    let (place, tree) = each(lane)?;
                    self.through::<H>(&tree, place, &values, 0..values.total);
                    Ok(())
                })
            })
        } else {
            (0..lanes.total).try_for_each(|lane| {
                let (place, tree) = each(lane)?;
                in_ranges(values.total, parts, |range| {
                    self.through::<H>(&tree, place, &values, range);
                    Ok(())
                })
            })
        };
        if let Err(NoMemory) = done {
            self.drive::<H>();
        }
    }

    /// Whether the values of the first lane seem to rise, judged by three blocks of its first run: then only every
    /// sixteenth is searched for, which pays for less of a tree. A guess costs no more than time.
    fn rises<H: Keyed>(&self, values: &Loops) -> bool {
        let Some((&run, &step)) = values.extent.last().zip(values.steps.last()) else { return false };
        if run < COSTS.few * SIDE || self.sorter.is_some() {
            return false;
        }
        let count = run.min(BLOCK);
        let (mut thresholds, mut past) = ([H::Lane::default(); BLOCK], [false; BLOCK]);
        [0, (run - count) / 2, run - count].into_iter().all(|first| {
            let start = first as isize * step.values;
            self.thresholds::<H>(start, step.values, &mut thresholds[..count], &mut past[..count]);
            // SAFETY: K1 by `Cpu`.
            unsafe { rising(&thresholds[..count]) }
        })
    }

    /// The tree of the lane at `place`; `None` if there is no memory for it.
    fn tree<H: Keyed>(&self, place: &Steps, depth: u32, leaves: bool) -> Option<Tree<H::Lane>> {
        use super::halving::Probe;
        let start = self.sequence.wrapping_offset(place.sequence);
        // SAFETY: L1, positions below the length of the lane.
        unsafe {
            match &self.sorter {
                Some(sorter) => {
                    let probe = InOrder { job: self, sorter };
                    Tree::new::<H>(self.room, At::By(&|i| probe.address(place, i)), self.len, depth, leaves)
                }
                None => Tree::new::<H>(self.room, At::Step(start, self.step), self.len, depth, leaves),
            }
        }
    }

    /// Searches for the values at flat positions `range` of the lane at `place`.
    fn through<H: Keyed>(&self, tree: &Tree<H::Lane>, place: Steps, values: &Loops, range: std::ops::Range<usize>) {
        let Some((&run, &step)) = values.extent.last().zip(values.steps.last()) else {
            return self.block::<H>(tree, place, Steps::default(), 1);
        };
        let last = values.extent.len() - 1;
        let (mut at, mut left) = (unravel(range.start, &values.extent), range.len());
        while left > 0 {
            let offset = values.place(&at);
            let here = Steps { values: place.values + offset.values, out: place.out + offset.out, ..place };
            let count = left.min(run - at[last]).min(BLOCK);
            self.block::<H>(tree, here, step, count);
            left -= count;
            advance(&mut at, count, |d| values.extent[d], |_, _| {});
        }
    }

    /// Searches for `count <= BLOCK` values, a step apart.
    fn block<H: Keyed>(&self, tree: &Tree<H::Lane>, place: Steps, step: Steps, count: usize) {
        let (mut thresholds, mut found) = ([H::Lane::default(); BLOCK], [0u32; BLOCK]);
        let (thresholds, found) = (&mut thresholds[..count], &mut found[..count]);
        let mut past = [false; BLOCK];
        let any = self.thresholds::<H>(place.values, step.values, thresholds, &mut past[..count]);
        // SAFETY: K1 by `Cpu`.
        if count > SIDE && self.sorter.is_none() && unsafe { rising(thresholds) } {
            self.rising::<H>(tree, &place, thresholds, found);
        } else {
            self.each::<H>(tree, &place, thresholds, found);
        }
        if any {
            for (found, past) in found.iter_mut().zip(past) {
                *found = if past { self.len as u32 } else { *found };
            }
        }
        self.store_run(place.out, step.out, found);
    }

    /// Searches for every threshold.
    fn each<H: Keyed>(&self, tree: &Tree<H::Lane>, place: &Steps, thresholds: &[H::Lane], found: &mut [u32]) {
        // SAFETY: K1 by `Cpu`.
        unsafe { descend(tree, thresholds, found) };
        if self.len == 0 {
            found.fill(0);
        } else if !tree.ends() {
            self.finish::<H>(tree, place, thresholds, found);
        }
    }

    /// Searches for thresholds none of which is less than the one before.
    fn rising<H: Keyed>(&self, tree: &Tree<H::Lane>, place: &Steps, thresholds: &[H::Lane], found: &mut [u32]) {
        let (mut few, mut ends, sides) = ([H::Lane::MAX; SIDES], [0; SIDES], thresholds.len().div_ceil(SIDE));
        for (s, few) in few[..sides].iter_mut().enumerate() {
            *few = thresholds[s * SIDE];
        }
        few[sides] = thresholds[thresholds.len() - 1];
        self.each::<H>(tree, place, &few[..=sides], &mut ends[..=sides]);
        let start = self.sequence.wrapping_offset(place.sequence);
        // SAFETY: K1 by `Cpu`; L1, answers are positions of the lane or its end.
        let mut left = unsafe { between::<H>(start, self.step, &ends, thresholds, found) };
        while left != 0 {
            let first = left.trailing_zeros() as usize * SIDE;
            let many = (left >> left.trailing_zeros()).trailing_ones() as usize * SIDE;
            let range = first..(first + many).min(thresholds.len());
            self.each::<H>(tree, place, &thresholds[range.clone()], &mut found[range]);
            left &= u32::MAX.checked_shl((first + many) as u32 / SIDE as u32).unwrap_or(0);
        }
    }

    /// Finishes the searches that a tree without leaves has left at intervals of the lane at `place`.
    fn finish<H: Keyed>(&self, tree: &Tree<H::Lane>, place: &Steps, thresholds: &[H::Lane], found: &mut [u32]) {
        let mut intervals = Intervals::new(tree, found);
        match &self.sorter {
            None if self.in_place::<H>() => {
                let probe = Straight { at: self.sequence, step: H::SIZE as isize };
                intervals.halve::<H, _>(&probe, place, self.len, thresholds, KEYS);
                let at = self.sequence.wrapping_offset(place.sequence);
                // SAFETY: K1 by `Cpu`; L1, the lane is contiguous and long enough.
                unsafe { end_in_place::<H>(at, self.len, &intervals, thresholds, found) };
                return;
            }
            None => {
                let probe = Straight { at: self.sequence, step: self.step };
                intervals.halve::<H, _>(&probe, place, self.len, thresholds, 0);
            }
            Some(sorter) => {
                intervals.halve::<H, _>(&InOrder { job: self, sorter }, place, self.len, thresholds, 0);
            }
        }
        intervals.store(found);
    }

    /// Whether the last elements of a search are compared where they lie, all at once.
    fn in_place<H: Keyed>(&self) -> bool {
        H::IN_PLACE && self.sorter.is_none() && self.step == H::SIZE as isize && self.len > KEYS
    }

    /// Works out the thresholds of values a step apart; marks, and says whether there are, values past everything.
    fn thresholds<H: Keyed>(&self, first: isize, step: isize, to: &mut [H::Lane], past: &mut [bool]) -> bool {
        match self.values {
            Some((values, dtype)) if self.own(dtype) => {
                let start = values.wrapping_offset(first);
                // SAFETY: L1, the loops stay inside the layout of the values.
                unsafe {
                    match step == H::SIZE as isize {
                        true => own::<H>(start, H::SIZE as isize, self.reading.comparison.right, to, past),
                        false => own::<H>(start, step, self.reading.comparison.right, to, past),
                    }
                }
            }
            _ => {
                let mut goals = [Goal::Front; BLOCK];
                let goals = &mut goals[..to.len()];
                self.goals::<H>(|k| first + k as isize * step, goals);
                let mut any = false;
                for ((goal, to), past) in goals.iter().zip(to).zip(past) {
                    let threshold = H::threshold(*goal);
                    (*to, *past) = (threshold.unwrap_or(H::Lane::MAX), threshold.is_none());
                    any |= *past;
                }
                any
            }
        }
    }

    /// Whether values of this dtype are compared with elements of the same dtype, as they are.
    fn own(&self, values: DType) -> bool {
        let exact = match self.reading.comparison.key {
            Rounding::Keep => true,
            Rounding::Wrap(dtype) => dtype == values,
            Rounding::Float(width) => match FloatWidth::of(values) {
                Some(own) => {
                    own == width || width == FloatWidth::F64 || (width == FloatWidth::F32 && own != FloatWidth::F64)
                }
                None => false,
            },
        };
        exact && self.dtype == values && (self.reading.comparison.seen.is_none() || FloatWidth::of(values).is_some())
    }

    /// Writes positions, a step apart.
    fn store_run(&self, first: isize, step: isize, found: &[u32]) {
        let start = self.out.wrapping_offset(first);
        // SAFETY: L1 and L3 of the output, E1 between threads; `search` checked its dtype.
        unsafe {
            match (self.int32, step) {
                (false, 8) => {
                    found.iter().enumerate().for_each(|(k, at)| start.cast::<i64>().add(k).write_unaligned(*at as i64))
                }
                (true, 4) => {
                    found.iter().enumerate().for_each(|(k, at)| start.cast::<i32>().add(k).write_unaligned(*at as i32))
                }
                (int32, _) => {
                    for (k, at) in found.iter().enumerate() {
                        let to = start.offset(k as isize * step);
                        match int32 {
                            false => to.cast::<i64>().write_unaligned(*at as i64),
                            true => to.cast::<i32>().write_unaligned(*at as i32),
                        }
                    }
                }
            }
        }
    }
}

/// The thresholds of values of the sequence's own dtype.
///
/// # Safety
/// L1: readable for one element at every step.
#[inline(always)]
unsafe fn own<H: Keyed>(start: *const u8, step: isize, right: bool, to: &mut [H::Lane], past: &mut [bool]) -> bool {
    let mut any = false;
    for (k, (to, past)) in to.iter_mut().zip(past).enumerate() {
        // SAFETY: L1, from the caller.
        (*to, *past) = H::own(unsafe { H::load(start.offset(k as isize * step)) }, right);
        any |= *past;
    }
    any
}
