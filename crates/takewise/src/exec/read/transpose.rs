//! Copies that exchange axes: nothing is indexed, and the axis that lies side by side is another one on either side.

use crate::exec::call::{Call, Leaf, Outcome, Part, Sides};
use crate::exec::lanes::lanes;
use crate::kernel::transpose::{Matrix, SIZES, transpose};
use crate::plan::{Loop, Plan};
use smallvec::SmallVec;

/// Bytes of the shorter axis from which turning beats walking.
const LEAST: usize = 32;

/// The free loops along which the indexed and the linear side lie side by side, of a plan that only exchanges them.
fn axes(plan: &Plan) -> Option<(usize, usize)> {
    let copies = plan.index.is_empty() && plan.axes.is_empty() && plan.select.is_none() && !plan.flat_linear;
    if !copies || plan.free.len() < 2 || !SIZES.contains(&plan.chunk) {
        return None;
    }
    let chunk = plan.chunk as isize;
    let across = plan.free.iter().position(|l| l.indexed == chunk)?;
    let along = plan.free.iter().position(|l| l.linear == chunk)?;
    let shorter = plan.free[across].extent.min(plan.free[along].extent);
    (across != along && shorter * plan.chunk >= LEAST).then_some((across, along))
}

/// Whether a call is such a copy.
pub(crate) fn serves(call: &Call) -> bool {
    matches!(call.leaf, Leaf::Read { .. } | Leaf::Write { .. }) && axes(call.plan).is_some()
}

/// Serves a part; `None` if its plan has another form.
///
/// # Safety
/// The arrays match the plan (L1, L3), and the part's destination is its own (E1).
pub(crate) unsafe fn serve(part: &Part, sides: Sides, leaf: Leaf) -> Option<Outcome> {
    let plan: &Plan = &part.plan;
    let (across, along) = axes(plan)?;
    let (i, j) = (&plan.free[across], &plan.free[along]);
    let others = plan.free.iter().enumerate().filter(|(k, _)| *k != across && *k != along);
    let outer: SmallVec<[Loop; 3]> = others.map(|(_, l)| l.clone()).collect();
    lanes(&outer, |lane_linear, lane_indexed| {
        let indexed = sides.indexed.wrapping_offset(part.indexed + plan.offset + lane_indexed);
        let linear = sides.linear.wrapping_offset(part.linear + lane_linear);
        // SAFETY: L1: every coordinate of the loops is inside both sides, which do not meet (L3); E1 by the caller.
        unsafe {
            if let Leaf::Read { .. } = leaf {
                let from = Matrix { first: indexed.cast_const(), row: j.indexed };
                transpose(plan.chunk, from, Matrix { first: linear, row: i.linear }, i.extent, j.extent);
            } else {
                let from = Matrix { first: linear.cast_const(), row: i.linear };
                transpose(plan.chunk, from, Matrix { first: indexed, row: j.indexed }, j.extent, i.extent);
            }
        }
    });
    Some(Outcome::Good)
}
