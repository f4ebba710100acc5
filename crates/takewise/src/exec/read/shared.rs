//! Reads in which one list of offsets serves many rows: `x[:, i]`, and subscripts whose arrays lie across each other.
//!
//! The innermost index loop is resolved once, a tile of it at a time; what the other index loops and the lanes add is added
//! row by row.

use crate::exec::call::{Call, Leaf, Outcome, Part, Sides};
use crate::exec::costs::{at_a_time, costs, is_met};
use crate::exec::lanes::lanes;
use crate::exec::resolve::{BLOCK, LongBlock, WIDE_BLOCK, linear_offsets, resolve};
use crate::kernel::gather::{Next, PlaceRow, fetch};
use crate::layout::dense;
use crate::plan::{Axis, Plan};

/// Bytes of a chunk from which a list of offsets is nothing beside what it moves.
const LONG: usize = 32;

/// Rows from which a list of offsets is shared, and positions of each.
const ROWS: usize = 4;
const ROW: usize = 32;

/// Whether an axis is stepped by the innermost index loop.
fn is_inner(plan: &Plan, axis: &Axis) -> bool {
    plan.index.last().is_some_and(|l| l.operands[axis.operand] != 0)
}

/// Whether a call has the form, and rows enough.
pub(crate) fn serves(call: &Call) -> bool {
    matches!(call.leaf, Leaf::Read { .. }) && formed(call.plan)
}

fn formed(plan: &Plan) -> bool {
    let [outer @ .., inner] = &plan.index[..] else { return false };
    let count: usize = outer.iter().map(|l| l.extent).product::<usize>().saturating_mul(plan.lanes());
    let across = |a: &Axis| !is_inner(plan, a) || outer.iter().all(|l| l.operands[a.operand] == 0);
    let span = |n: usize, step: isize| n.saturating_mul(step.unsigned_abs());
    let reach =
        plan.axes.iter().fold(span(inner.extent, inner.indexed), |sum, a| sum.saturating_add(span(a.len, a.step)));
    count >= at_a_time(ROWS, 2)
        && inner.extent >= at_a_time(ROW, 1)
        && plan.bytes() >= costs().shared
        && plan.chunk < LONG
        && inner.linear == plan.chunk as isize
        && reach <= i32::MAX as usize - LONG
        && plan.select.is_none()
        && !plan.flat_linear
        && !plan.may_skip()
        && plan.axes.iter().any(|a| is_inner(plan, a))
        && plan.axes.iter().all(|a| a.digits.is_empty() && a.len > 0 && across(a))
}

/// Serves a part of a read; `None` if it has another form.
///
/// # Safety
/// The arrays match the plan (L1, L3), and the part's places on the linear side are its own (E1).
pub(crate) unsafe fn serve(part: &Part, sides: Sides) -> Option<Outcome> {
    let plan: &Plan = &part.plan;
    let (chunk, width) = (plan.chunk, plan.index.last()?.extent);
    let (mut across, mut along) = (plan.clone(), plan.clone());
    across.index.pop();
    across.axes.retain(|a| !is_inner(plan, a));
    along.index.drain(..plan.index.len() - 1);
    along.axes.retain(|a| is_inner(plan, a));
    along.offset = 0;
    let dense = chunk < 4 && dense(&plan.indexed_layout, plan.size);
    let (mut tile, mut rows) = (LongBlock::borrow(WIDE_BLOCK.min(width)), LongBlock::new(BLOCK));
    let mut offsets: Vec<i32> = Vec::new();
    // Part of the first and of the last row may belong to others.
    let (first, last) = (part.start / width, (part.end - 1) / width);
    for begin in (0..width).step_by(WIDE_BLOCK) {
        let count = WIDE_BLOCK.min(width - begin);
        // SAFETY: the operands are the plan's, and so are the loops and axes.
        if !unsafe { resolve(&along, &part.operands, begin, count, &mut tile) } {
            return Some(Outcome::BadIndex);
        }
        // No offset is further than `formed` allows.
        offsets.clear();
        offsets.extend(tile.indexed.iter().map(|o| *o as i32));
        let (low, high) = offsets.iter().fold((i32::MAX, i32::MIN), |(a, b), &o| (a.min(o), b.max(o)));
        let span = (high - low) as usize + chunk;
        let near = is_met(span, count);
        for from in (first..=last).step_by(BLOCK) {
            let n = BLOCK.min(last + 1 - from);
            // SAFETY: as above.
            if !unsafe { resolve(&across, &part.operands, from, n, &mut rows) } {
                return Some(Outcome::BadIndex);
            }
            linear_offsets(&across, from, n, &mut rows);
            for k in 0..n {
                let start = if from + k == first { part.start - first * width } else { 0 };
                let end = if from + k == last { part.end - last * width } else { width };
                let (start, end) = (start.max(begin), end.min(begin + count));
                if start >= end {
                    continue;
                }
                let places = PlaceRow { offsets: &offsets[start - begin..end - begin], low, high, dense };
                // The next row: of the next lane, if there are lanes.
                let step = match (plan.free.last(), rows.indexed.get(k + 1)) {
                    (Some(lane), _) => lane.indexed,
                    (None, Some(next)) => next - rows.indexed[k],
                    (None, None) => 0,
                };
                let bytes = if near && step != 0 { span } else { 0 };
                let indexed = sides.indexed.wrapping_offset(part.indexed + rows.indexed[k]);
                let linear = sides.linear.wrapping_offset(part.linear + rows.linear[k] + (start * chunk) as isize);
                lanes(&plan.free, |lane_linear, lane_indexed| {
                    let from = indexed.wrapping_offset(lane_indexed).cast_const();
                    let next = Next::new(from.wrapping_offset(step + low as isize), bytes, end - start);
                    // SAFETY: R1: what the tile, the row and the lane add up to is an offset of the plan; E1 between parts.
                    unsafe { fetch(chunk, from, places, linear.wrapping_offset(lane_linear), next) };
                });
            }
        }
    }
    Some(Outcome::Good)
}
