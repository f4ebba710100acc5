//! Reads whose index values nobody needs twice: checked and used in one pass ([`kernel::pick`](crate::kernel::pick)).

use super::costs::costs;
use super::own::Part;
use super::resolve::{AHEAD, row_step, runs};
use super::{Outcome, Sides};
use crate::index::rules::{Outside, Sign};
use crate::kernel::cpu::prefetch_all;
use crate::kernel::pick::{Next, Stretch, Values, pick};
use crate::kernel::stream;
use crate::layout::dense;
use crate::plan::{Axis, Loop, Plan};
use smallvec::SmallVec;

/// Whether a plan's layouts have the form: one axis or two, stepped by arrays whose values lie side by side, a contiguous
/// result, and a rule that raises. Only whether values lie side by side is left to [`serve`], which knows their dtype.
///
/// What such a read has written when it meets a bad value stands: where it is not private, all is checked before.
pub(super) fn formed(plan: &Plan) -> bool {
    let Some(inner) = plan.index.last() else { return false };
    plan.positions() >= costs().pick
        && inner.extent >= costs().pick_row
        && inner.linear == plan.chunk as isize
        && plan.free.is_empty()
        && plan.rules.outside == Outside::Raise
        && plan.select.is_none()
        && !plan.flat_linear
        && matches!(plan.axes.len(), 1 | 2)
        && plan.axes.iter().all(|a| a.digits.is_empty() && a.len > 0)
}

/// Serves a part of a read; `None` if it has another form.
///
/// # Safety
/// The arrays match the plan (L1, L3), and the part's places on the linear side are its own (E1).
pub(super) unsafe fn serve(part: &Part, sides: Sides) -> Option<Outcome> {
    let plan: &Plan = &part.plan;
    if !formed(plan) {
        return None;
    }
    let inner = plan.index.last()?;
    let dtype = part.operands.get(plan.axes[0].operand)?.dtype;
    let alike =
        |operand: usize| part.operands[operand].dtype == dtype && inner.operands[operand] == dtype.size() as isize;
    if !plan.axes.iter().all(|a| alike(a.operand)) {
        return None;
    }
    // What one row of the index may reach; a strip of a table is a plan of its own, and near.
    let reach = |sum: usize, a: &Axis| sum.saturating_add(a.len.saturating_mul(a.step.unsigned_abs()));
    let far = if plan.chunk < 16 { costs().far } else { costs().far_rows };
    let ahead = if plan.axes.iter().fold(0, reach) >= far { ahead(plan.chunk) } else { 0 };
    let after = following(plan);
    // Short rows that lie apart, as strips of a table are.
    let apart = plan.axes.first().map_or(0, |a| row_step(plan, a.operand));
    let dense = plan.chunk < 4 && dense(&plan.indexed_layout, plan.size);
    // Of rows, lines are written whole.
    let streamed = plan.chunk >= 64 && plan.bytes() >= costs().streamed;
    let mut good = true;
    runs(plan, part.start, part.end - part.start, |_, count, at| {
        let along = |step: &dyn Fn(&Loop) -> isize| -> isize {
            at.iter().zip(&plan.index).map(|(&c, l)| c as isize * step(l)).sum()
        };
        let axes: SmallVec<[Values; 2]> = plan
            .axes
            .iter()
            .map(|a| {
                let first = part.operands[a.operand].ptr.wrapping_offset(along(&|l| l.operands[a.operand]));
                Values { first, len: a.len, step: a.step }
            })
            .collect();
        if let (Some(first), true) = (axes.first(), apart != 0) {
            prefetch_all(first.first.wrapping_offset(apart.wrapping_mul(AHEAD)), count * dtype.size());
        }
        let from = sides.indexed.wrapping_offset(part.indexed + plan.offset + along(&|l| l.indexed)).cast_const();
        let to = sides.linear.wrapping_offset(part.linear + along(&|l| l.linear));
        let next = after.map_or(Next::NONE, |(step, bytes)| Next::new(from.wrapping_offset(step), bytes, count));
        let (from_end, along) = (plan.rules.sign == Sign::FromEnd, inner.indexed);
        let streamed = streamed && stream::suits(to.addr() | plan.chunk);
        let stretch = Stretch { axes: &axes, dtype, from_end, from, along, to, count, ahead, dense, streamed, next };
        // SAFETY: L1: positions of the plan's loops; R1 by its proof; E1.
        good = good && unsafe { pick(plan.chunk, stretch) };
    });
    if streamed {
        stream::settle();
    }
    Some(if good { Outcome::Good } else { Outcome::BadIndex })
}

/// Positions to ask ahead for chunks of a size.
fn ahead(chunk: usize) -> usize {
    let costs = costs();
    (costs.ahead_bytes / chunk.max(1)).clamp(costs.ahead.0, costs.ahead.1)
}

/// The step to the indexed side's next row and its bytes, where each row of the index has a row of its own to pick from that
/// the first-level cache has room for.
fn following(plan: &Plan) -> Option<(isize, usize)> {
    let ([.., rows, inner], [axis]) = (&plan.index[..], &plan.axes[..]) else { return None };
    let bytes = axis.len.checked_mul(usize::try_from(axis.step).ok()?)?;
    let picked = inner.extent.saturating_mul(64);
    (inner.indexed == 0 && rows.indexed != 0 && bytes <= costs().row && bytes <= picked)
        .then_some((rows.indexed, bytes))
}
