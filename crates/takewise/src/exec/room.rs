//! Memory that a call takes for itself, and may not get.

use crate::error::{Fault, Result};
use crate::plan::Plan;

/// Room for so many values of a call's own, or the error that there is no memory for them.
pub(crate) fn room<T>(plan: &Plan, count: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    let bytes = count.checked_mul(size_of::<T>());
    room.try_reserve_exact(count).map_err(|_| plan.rules.fail(Fault::Memory { op: plan.op, bytes }))?;
    Ok(room)
}
