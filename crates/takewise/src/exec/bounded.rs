//! Accumulations with memory of their own, in pieces where that would be more than a call may take
//! ([`Costs::scratch`](super::costs::Costs)), whatever the size of the destination and the number of indices.
//!
//! What steps through the destination beside the index (lanes, and the batch loop of a scatter) is cut first: pieces share
//! nothing, and no position is looked at twice but for lanes. A single axis is cut into windows of the destination: for each,
//! all positions are looked at, and those that land elsewhere are left out. How many land where is counted beforehand, so that
//! windows are as large as their counters ([`counted`](super::counted)) or their pairs ([`grouped`](super::grouped)) allow.
//! Means that can be summed where they lie are summed as a whole, and only counted and divided by windows, with counters of a
//! byte where these suffice. Every index value is looked at before the first piece stores anything.

use super::costs::costs;
use super::counted::Counted;
use super::diagnose::for_all_positions;
use super::own::{divide, windows};
use super::short::Short;
use super::{Leaf, Operands, Passage, Reduce, Sides, all_good, diagnose, grouped, run_part, threads};
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::plan::{Loop, Plan};
use crate::view::AnyView;

/// Pieces that a plan is cut into at a time, each with a plan of its own.
const MOST: usize = 16;

/// Offsets of the destination from one to another, and how many index positions land between them.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub low: isize,
    pub high: isize,
    moved: usize,
}

/// An accumulation that needs all contributions of a place together.
#[derive(Clone, Copy)]
pub(super) struct Job<'p> {
    pub plan: &'p Plan,
    pub views: &'p [AnyView<'p>],
    pub operands: &'p Operands,
    pub sides: Sides,
    pub dtype: DType,
    pub how: Reduce,
    pub include_self: bool,
    /// How places are converted, if they are of another form than what they are combined as.
    pub passage: Option<&'p Passage>,
    /// Bytes that it may take at a time.
    pub most: usize,
    /// Where places are asked for, if not everywhere.
    pub window: Option<Window>,
    /// For means whose sums are in their places already: what contributions are counted in.
    pub summed: Option<DType>,
}

/// Bytes that a plan with such index arrays may take at a time: in proportion to them and to the destination where these are
/// large, so that the number of windows does not grow with them.
pub(super) fn most(plan: &Plan, views: &[AnyView]) -> usize {
    let bytes = |layout: &Layout, size: usize| {
        let (low, high) = layout.reach();
        layout.numel().saturating_mul(size).min(high.abs_diff(low) + size)
    };
    let to = bytes(&plan.indexed_layout, plan.size);
    let all = views.iter().map(|v| bytes(v.layout(), v.dtype().size())).fold(to, usize::saturating_add);
    (all / costs().scratch_share).max(costs().scratch)
}

impl Job<'_> {
    /// Index positions that count.
    pub(super) fn moved(&self) -> usize {
        self.window.map_or_else(|| self.plan.positions(), |w| w.moved)
    }

    /// The same for the places of a window.
    fn within(&self, window: Window) -> Self {
        Job { window: Some(window), ..*self }
    }

    /// Runs the accumulation.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    pub(super) unsafe fn run(&self) -> Result<()> {
        // SAFETY: passed on.
        unsafe {
            match self.at_once() {
                Some(done) => done,
                None => {
                    if self.plan.can_fail() {
                        all_good(self.plan, self.views, self.operands, self.sides)?;
                    }
                    self.in_pieces()
                }
            }
        }
    }

    /// Runs it as a whole, if that takes no more memory than it may.
    ///
    /// # Safety
    /// As [`Job::run`].
    unsafe fn at_once(&self) -> Option<Result<()>> {
        let most = self.most;
        let counted = Counted::of(*self);
        let few = self.plan.select.is_some() || self.moved().saturating_mul(grouped::EACH) <= most;
        let sorted = few && self.summed.is_none();
        // SAFETY: passed on.
        unsafe {
            match counted.filter(|c| c.bytes() <= most && (c.pays() || !sorted)) {
                Some(counted) => counted.run().map_or_else(|e| Some(Err(e)), |done| done.then_some(Ok(()))),
                None => sorted.then(|| grouped::run(self)),
            }
        }
    }

    /// Cuts lanes and batches, as long as there are any, if its places are to be counted.
    ///
    /// # Safety
    /// As [`Job::run`].
    unsafe fn in_pieces(&self) -> Result<()> {
        let Job { plan, operands, sides, .. } = *self;
        let extent = |l: &Loop| l.extent;
        let lanes = plan.free.iter().map(extent).max();
        let batches = plan.index.iter().filter(|l| l.indexed != 0 && !plan.flat_linear).map(extent).max();
        let longest = lanes.max(batches).unwrap_or(1);
        let counted = Counted::of(*self).filter(Counted::pays);
        let Some(counted) = counted.as_ref().filter(|_| longest > 1) else {
            let (low, high) = plan.indexed_layout.reach();
            let all = Window { low, high: high + 1, moved: plan.positions() };
            let summed = match counted {
                Some(counted) if counted.sum_all()? => Some(DType::U8),
                _ => None,
            };
            // SAFETY: passed on.
            return unsafe { Job { summed, ..*self }.through(all) };
        };
        let pieces = counted.bytes().div_ceil(self.most).min(longest).min(MOST);
        // SAFETY: passed on; lanes and batches are different places.
        for part in unsafe { divide(plan, operands, false, false, 0, pieces) } {
            let sides = Sides {
                indexed: sides.indexed.wrapping_offset(part.indexed),
                linear: sides.linear.wrapping_offset(part.linear),
            };
            let piece = Job { plan: &part.plan, operands: &part.operands, sides, ..*self };
            // SAFETY: as above.
            unsafe { piece.at_once().unwrap_or_else(|| piece.in_pieces())? };
        }
        Ok(())
    }

    /// Runs it window by window.
    ///
    /// # Safety
    /// As [`Job::run`].
    unsafe fn through(&self, window: Window) -> Result<()> {
        let most = self.most;
        let fits = |window: Window| {
            let counters = Counted::of(self.within(window)).is_some_and(|c| c.bytes() <= most);
            counters || self.summed.is_none() && window.moved.saturating_mul(grouped::EACH) <= most
        };
        // SAFETY: passed on.
        let (width, cells) = unsafe { self.landing(window)? };
        let mut all: Vec<Window> = Vec::new();
        for (k, moved) in cells.into_iter().enumerate().filter(|(_, moved)| *moved > 0) {
            let low = window.low + k as isize * width;
            let cell = Window { low, high: low + width, moved };
            let joined = |last: &Window| Window { low: last.low, moved: last.moved + moved, ..cell };
            match all.last_mut() {
                Some(last) if fits(joined(last)) => *last = joined(last),
                _ => all.push(cell),
            }
        }
        for next in all {
            let part = self.within(next);
            // SAFETY: passed on.
            unsafe {
                match part.at_once() {
                    Some(done) => done?,
                    None if self.summed.is_some() => Job { summed: Some(DType::U32), ..*self }.through(next)?,
                    None if width == 1 => grouped::run(&part)?,
                    None => self.through(next)?,
                }
            }
        }
        Ok(())
    }

    /// How many index positions land in each of equal parts of a window, and how long these are.
    ///
    /// # Safety
    /// As [`Job::run`].
    unsafe fn landing(&self, window: Window) -> Result<(isize, Vec<usize>)> {
        const CELLS: usize = 1024;
        let Job { plan, operands, views, .. } = *self;
        let span = (window.high - window.low) as usize;
        let shift = span.div_ceil(CELLS).next_power_of_two().ilog2();
        let mut cells = vec![0; span.div_ceil(1 << shift)];
        // SAFETY: passed on.
        unsafe {
            for_all_positions(plan, operands, |_, o| {
                if (window.low..window.high).contains(&o) {
                    cells[(o - window.low) as usize >> shift] += 1;
                }
            })
        }
        .map_err(|()| diagnose::out_of_range(plan, views))?;
        Ok((1 << shift, cells))
    }
}

/// Runs what of a plan lands between two offsets.
pub(super) fn run_within(
    plan: &Plan,
    views: &[AnyView],
    operands: &Operands,
    sides: Sides,
    leaf: Leaf,
    window: (isize, isize),
) -> Result<()> {
    // SAFETY: the operands are the plan's.
    let short = unsafe { Short::of(plan, operands, leaf) };
    let parts = windows(plan, operands, window, threads::parts_for(threads::work(plan)));
    // SAFETY: the arrays match the plan where places are in the window (L1, L3), and parts are disjoint (E1).
    threads::run_all(&parts, |part| unsafe { run_part(part, sides, leaf, short.as_ref()) }).told(plan, views)
}
