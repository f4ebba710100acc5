//! Indexing along an axis that is not the last: through packed strips of columns.
//!
//! Where each index row gathers, column by column, from rows far apart, every element is a cache line of its own. So a strip
//! of columns is copied into a block that the second-level cache holds, all index rows are served from there, and (for
//! writes) the strip is copied back. It is the same plan, cut to the strip, with the packed block as its indexed side:
//! order within a column is kept, hence duplicates mean what they meant.

use super::call::{Call, Leaf, Outcome, Own, Part, Sides, Stage};
use super::costs::{at_a_time, costs};
use super::parts;
use super::resolve::IndexOperand;
use crate::dims::unravel_in;
use crate::kernel::cpu::{LINE, prefetch_all};
use crate::plan::{Loop, Plan};
use crate::threads;
use smallvec::SmallVec;

/// Rows of a strip asked for before they are packed.
const AHEAD: usize = 16;

/// Bytes of a packed strip at most: what stays in the second-level cache beside the streams; and of a row of it.
const STRIP: usize = 1 << 20;
const ROW: usize = 512;

/// A plan to be run strip by strip.
pub(super) struct Strips<'p> {
    plan: &'p Plan,
    /// Elements of a strip's row, and its bytes.
    width: usize,
    row: usize,
}

/// One strip: columns `first..first + width` of one coordinate of the outer loops.
struct Strip {
    outer: usize,
    first: usize,
    width: usize,
}

impl<'p> Strips<'p> {
    /// The strips of a plan that has the form and is worth it: one axis, stepped by a loop in which the indexed side
    /// stands still, and within it a loop of elements that lie side by side on both sides.
    pub(super) fn of(call: &Call<'p>) -> Option<Strips<'p>> {
        let (costs, plan) = (costs(), call.plan);
        if matches!(call.leaf, Leaf::Check | Leaf::Widen { .. } | Leaf::Through { .. }) {
            return None;
        }
        let [outer @ .., rows, inner] = &plan.index[..] else { return None };
        let [axis] = &plan.axes[..] else { return None };
        let chunk = plan.chunk;
        let side_by_side = inner.indexed == chunk as isize && inner.linear == chunk as isize;
        let formed = side_by_side && rows.indexed == 0 && plan.free.is_empty() && plan.select.is_none();
        // An outer loop in which the indexed side stands still would bring the same columns again.
        let apart = outer.iter().all(|l| l.indexed != 0);
        if !formed || !apart || plan.flat_linear || !axis.digits.is_empty() || axis.len == 0 || chunk == 0 || chunk > 16
        {
            return None;
        }
        let source = axis.len.checked_mul(inner.extent)?.checked_mul(chunk)?;
        let (most, least) = (at_a_time(ROW, 16), at_a_time(LINE, 8));
        let room = at_a_time(STRIP, 1 << 12);
        // The narrowest strip must fit, or the axis is too long for any: this also bounds the memory of a thread.
        if axis.len.saturating_mul(least) > room {
            return None;
        }
        let row = (room / axis.len).clamp(least, most);
        let width = (row / chunk).max(1).min(inner.extent);
        let far = axis.step.unsigned_abs() >= 2 * least;
        let often = rows.extent.saturating_mul(costs.strip_share) >= axis.len;
        (source >= costs.strip_source && far && often).then_some(Strips { plan, width, row: width * chunk })
    }

    /// Runs a leaf over all strips.
    ///
    /// # Safety
    /// The arrays match the plan (L1, L3).
    pub(super) unsafe fn run(&self, call: &Call) -> Outcome {
        let (outer, columns) = (self.outer(), self.plan.index[self.plan.index.len() - 1].extent);
        let batches: usize = outer.iter().map(|l| l.extent).product();
        let per = columns.div_ceil(self.width);
        let total = batches * per;
        let parts = threads::parts_for(parts::work(self.plan)).min(total).max(1);
        let shares: Vec<(usize, usize)> = (0..parts).map(|p| (total * p / parts, total * (p + 1) / parts)).collect();
        parts::run_all(&shares, |&(start, end)| {
            // Not only room: short elements are read in company, which may be the unused end of a row.
            let mut space = vec![0u8; self.plan.axes[0].len * self.row];
            let strips = (start..end).map(|k| {
                let first = k % per * self.width;
                Strip { outer: k / per, first, width: self.width.min(columns - first) }
            });
            // SAFETY: passed on; strips are different columns or batches (E1), and the space has room for one.
            let done = strips.map(|strip| unsafe { self.one(&strip, call, space.as_mut_ptr()) });
            done.max().unwrap_or(Outcome::Good)
        })
    }

    fn outer(&self) -> &[Loop] {
        &self.plan.index[..self.plan.index.len() - 2]
    }

    /// Packs a strip, runs the leaf on it, and puts it back if it was written.
    ///
    /// # Safety
    /// The arrays match the plan; `packed` has room for the strip.
    unsafe fn one(&self, strip: &Strip, call: &Call, packed: *mut u8) -> Outcome {
        let Call { operands, sides, leaf, .. } = *call;
        let [.., rows, inner] = &self.plan.index[..] else { return Outcome::Good };
        let axis = &self.plan.axes[0];
        let at = unravel_in(strip.outer, self.outer().len(), |d| self.outer()[d].extent);
        let along = |step: fn(&Loop) -> isize, inner: isize| -> isize {
            let outer: isize = at.iter().zip(self.outer()).map(|(&c, l)| c as isize * step(l)).sum();
            outer + strip.first as isize * inner
        };
        let indexed = self.plan.offset + along(|l| l.indexed, inner.indexed);
        let linear = along(|l| l.linear, inner.linear);
        let bytes = strip.width * self.plan.chunk;
        let place = |k: usize| sides.indexed.wrapping_offset(indexed + k as isize * axis.step);
        for k in 0..axis.len {
            if k + AHEAD < axis.len {
                prefetch_all(place(k + AHEAD), bytes);
            }
            // SAFETY: R1: `bytes` of position k of the axis; the space has a row for it.
            unsafe { std::ptr::copy_nonoverlapping(place(k), packed.add(k * self.row), bytes) }
        }
        let mut plan = self.plan.clone();
        plan.index = SmallVec::from_iter([rows.clone(), Loop { extent: strip.width, ..inner.clone() }]);
        plan.offset = 0;
        plan.axes[0].step = self.row as isize;
        let shifted = |(n, o): (usize, &IndexOperand)| {
            let outer: isize = at.iter().zip(self.outer()).map(|(&c, l)| c as isize * l.operands[n]).sum();
            let by = outer + strip.first as isize * inner.operands[n];
            IndexOperand { ptr: o.ptr.wrapping_offset(by), dtype: o.dtype }
        };
        let end = plan.positions();
        let part = Part {
            plan: Own::Cut(Box::new(plan)),
            operands: operands.iter().enumerate().map(shifted).collect(),
            start: 0,
            end,
            indexed: 0,
            linear,
            mask: (0, 0),
            window: None,
        };
        // SAFETY: R1 for the cut plan: a value below the axis's length names a row of the packed strip; the linear side and
        // the operands are walked within what the whole plan walks.
        let outcome = unsafe {
            let packed = Sides { indexed: packed, linear: sides.linear };
            let inner = Call { plan: &part.plan, operands: &part.operands, sides: packed, stage: Stage::Part, ..*call };
            inner.run_only(std::slice::from_ref(&part))
        };
        if matches!(leaf, Leaf::Write { .. } | Leaf::Combine { .. }) {
            for k in 0..axis.len {
                // SAFETY: as when it was packed; the indexed side is exclusively ours (L3, E1).
                unsafe { std::ptr::copy_nonoverlapping(packed.add(k * self.row), place(k), bytes) }
            }
        }
        outcome
    }
}
