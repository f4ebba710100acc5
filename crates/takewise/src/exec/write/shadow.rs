//! Writing into a copy of a small destination.
//!
//! All or nothing costs a write a look at every index before the first store. Where the destination is small beside its
//! indices a copy of it costs less: the call runs there, with every index checked as it is used, and the copy is put back
//! if all were good. The destination itself is not touched before.

use crate::error::Result;
use crate::exec::call::{Call, Leaf, Sides};
use crate::exec::costs::costs;
use crate::index::rules::Duplicates;
use crate::memory::scratch;

/// The lowest offset of the destination and its bytes, if a copy is possible and pays. Only of a destination
/// without gaps: what lies in those is not ours to write.
pub(crate) fn extent(call: &Call) -> Option<(isize, usize)> {
    let Call { plan, operands, .. } = *call;
    let changes = matches!(call.leaf, Leaf::Write { .. } | Leaf::Combine { .. });
    if !changes || !plan.can_fail() || plan.select.is_some() || plan.rules.duplicates == Duplicates::Error {
        return None;
    }
    let costs = costs();
    let (low, high) = plan.indexed_layout.reach();
    let bytes = (high - low) as usize + plan.size;
    let looked: usize = plan.axes.iter().map(|a| operands[a.operand].dtype.size()).sum();
    let positions = plan.positions();
    let pays = bytes <= costs.shadow
        && positions >= costs.many
        && bytes.saturating_mul(costs.shadow_share) <= positions.saturating_mul(looked);
    (pays && plan.indexed_layout.numel() * plan.size == bytes).then_some((low, bytes))
}

/// Runs a write or a combination in the copy.
///
/// # Safety
/// The arrays match the plan (L1, L3).
pub(crate) unsafe fn write(call: &Call) -> Result<()> {
    let Call { plan, sides, leaf, .. } = *call;
    let inner = |indexed: *mut u8| call.inner(plan, Sides { indexed, ..sides }, leaf);
    let Some((low, bytes)) = extent(call) else { return inner(sides.indexed).run_inner() };
    let Some(mut copy) = scratch::<u8>(bytes) else {
        call.all_good()?;
        return inner(sides.indexed).run_inner();
    };
    let (to, copy) = (sides.indexed.wrapping_offset(low), copy.start());
    // SAFETY: L1: these are the bytes of the destination's elements, and the copy has room for them.
    unsafe { std::ptr::copy_nonoverlapping(to, copy, bytes) };
    inner(copy.wrapping_offset(low.wrapping_neg())).run_inner()?;
    // SAFETY: as above; the destination is exclusively ours (L3).
    unsafe { std::ptr::copy_nonoverlapping(copy, to, bytes) };
    Ok(())
}
