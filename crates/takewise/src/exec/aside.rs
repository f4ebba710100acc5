//! Writing a small destination aside.
//!
//! All or nothing costs a write a look at every index before the first store. Where the destination is small beside its
//! indices a copy of it costs less: the write goes there, with every index checked as it is used, and the copy is put back
//! if all were good. The destination itself is not touched before.

use super::costs::costs;
use super::{Leaf, Operands, Sides, all_good, run};
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Duplicates;
use crate::plan::Plan;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// The lowest offset of the destination and its bytes, if writing aside is possible and pays. Only of a destination
/// without gaps: what lies in those is not ours to write.
pub(super) fn extent(plan: &Plan, operands: &Operands) -> Option<(isize, usize)> {
    if !plan.can_fail() || plan.select.is_some() || plan.rules.duplicates == Duplicates::Error {
        return None;
    }
    let costs = costs();
    let (low, high) = plan.indexed_layout.reach();
    let bytes = (high - low) as usize + plan.size;
    let looked: usize = plan.axes.iter().map(|a| operands[a.operand].dtype.size()).sum();
    let positions = plan.positions();
    let pays = bytes <= costs.aside
        && positions >= costs.many
        && bytes.saturating_mul(costs.aside_share) <= positions.saturating_mul(looked);
    (pays && plan.indexed_layout.numel() * plan.size == bytes).then_some((low, bytes))
}

/// Runs a write aside.
///
/// # Safety
/// The arrays match the plan (L1, L3), and `extent` is its.
pub(super) unsafe fn write(
    plan: &Plan,
    views: &[AnyView],
    operands: &Operands,
    sides: Sides,
    leaf: Leaf,
    (low, bytes): (isize, usize),
) -> Result<()> {
    // SAFETY: E2: filled below.
    let mut copy = unsafe { Tensor::blank(&[bytes], DType::U8) }.ok();
    let Some(mut copy) = copy.as_mut().and_then(Tensor::unique) else {
        all_good(plan, views, operands, sides)?;
        return run(plan, views, operands, sides, leaf);
    };
    let (to, copy) = (sides.indexed.wrapping_offset(low), copy.as_mut_ptr());
    // SAFETY: L1: these are the bytes of the destination's elements, and the copy has room for them.
    unsafe { std::ptr::copy_nonoverlapping(to, copy, bytes) };
    let indexed = copy.wrapping_offset(low.wrapping_neg());
    run(plan, views, operands, Sides { indexed, linear: sides.linear }, leaf)?;
    // SAFETY: as above; the destination is exclusively ours (L3).
    unsafe { std::ptr::copy_nonoverlapping(copy, to, bytes) };
    Ok(())
}
