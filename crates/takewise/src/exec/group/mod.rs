//! Accumulations with memory of their own, in pieces where that would be more than a call may take
//! ([`SCRATCH`](crate::exec::costs::SCRATCH)), whatever the size of the destination and the number of indices.
//!
//! What steps through the destination beside the index (lanes, and the batch loop of a scatter) is cut first: pieces share
//! nothing, and no position is looked at twice but for lanes. A single axis is cut into windows of the destination: for each,
//! all positions are looked at, and those that land elsewhere are left out. How many land where is counted beforehand, so that
//! windows are as large as their counters ([`dense`]) or their pairs ([`sorted`]) allow.
//! Means that can be summed where they lie are summed as a whole, and only counted and divided by windows, with counters of a
//! byte where these suffice. Every index value is looked at before the first piece stores anything.

pub(crate) mod dense;
mod grid;
pub(crate) mod job;
pub(crate) mod sorted;
pub(crate) mod start;

use crate::dtype::DType;
use crate::error::Result;
use crate::exec::call::{Call, Sides};
use crate::exec::diagnose::{self, for_all_positions};
use crate::exec::divide::divide;
use crate::exec::group::dense::Counted;
use crate::exec::group::job::{Job, Landing};
use crate::plan::Loop;

/// Pieces that a plan is cut into at a time, each with a plan of its own.
const MOST: usize = 16;

impl Job<'_> {
    /// Whether counters cost less than sorting, or sorting would take more memory than it may.
    pub(crate) fn counts_pay(&self) -> bool {
        Counted::of(*self).is_some_and(|counted| counted.pays() || !self.may_sort())
    }

    /// Whether sorting takes no more memory than it may.
    fn may_sort(&self) -> bool {
        let few = self.call.plan.select.is_some() || self.moved().saturating_mul(sorted::EACH) <= self.most;
        few && self.summed.is_none()
    }

    /// Runs the accumulation.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    pub(crate) unsafe fn run(&self) -> Result<()> {
        // SAFETY: passed on.
        unsafe {
            match self.at_once() {
                Some(done) => done,
                None => {
                    if self.call.plan.can_fail() {
                        self.call.all_good()?;
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
        let (counted, sorted) = (Counted::of(*self), self.may_sort());
        // SAFETY: passed on.
        unsafe {
            match counted.filter(|c| c.bytes() <= most && (c.pays() || !sorted)) {
                Some(counted) => counted.run().map_or_else(|e| Some(Err(e)), |done| done.then_some(Ok(()))),
                None => sorted.then(|| sorted::run(self)),
            }
        }
    }

    /// Cuts lanes and batches, as long as there are any, if its places are to be counted.
    ///
    /// # Safety
    /// As [`Job::run`].
    unsafe fn in_pieces(&self) -> Result<()> {
        let Call { plan, operands, sides, .. } = self.call;
        let extent = |l: &Loop| l.extent;
        let lanes = plan.free.iter().map(extent).max();
        let batches = plan.index.iter().filter(|l| l.indexed != 0 && !plan.flat_linear).map(extent).max();
        let longest = lanes.max(batches).unwrap_or(1);
        let counted = Counted::of(*self).filter(Counted::pays);
        let Some(counted) = counted.as_ref().filter(|_| longest > 1) else {
            let (low, high) = plan.indexed_layout.reach();
            let all = Landing { low, high: high + 1, moved: plan.positions() };
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
            let call = Call { plan: &part.plan, operands: &part.operands, sides, ..self.call };
            let piece = Job { call, ..*self };
            // SAFETY: as above.
            unsafe { piece.at_once().unwrap_or_else(|| piece.in_pieces())? };
        }
        Ok(())
    }

    /// Runs it window by window.
    ///
    /// # Safety
    /// As [`Job::run`].
    unsafe fn through(&self, window: Landing) -> Result<()> {
        let most = self.most;
        let fits = |window: Landing| {
            let counters = Counted::of(self.within(window)).is_some_and(|c| c.bytes() <= most);
            counters || self.summed.is_none() && window.moved.saturating_mul(sorted::EACH) <= most
        };
        // SAFETY: passed on.
        let (width, cells) = unsafe { self.landing(window)? };
        let mut all: Vec<Landing> = Vec::new();
        for (k, moved) in cells.into_iter().enumerate().filter(|(_, moved)| *moved > 0) {
            let low = window.low + k as isize * width;
            let cell = Landing { low, high: low + width, moved };
            let joined = |last: &Landing| Landing { low: last.low, moved: last.moved + moved, ..cell };
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
                    None if width == 1 => sorted::run(&part)?,
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
    unsafe fn landing(&self, window: Landing) -> Result<(isize, Vec<usize>)> {
        const CELLS: usize = 1024;
        let Call { plan, operands, views, .. } = self.call;
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
