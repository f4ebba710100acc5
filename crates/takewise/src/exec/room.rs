//! Memory that a call takes for itself, and may not get.

use crate::error::{Error, Fault, Result};
use crate::memory::{self, Scratch};
use crate::plan::Plan;

/// Room for so many values of a call's own, or the error that there is no memory for them.
pub(crate) fn room<T>(plan: &Plan, count: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(count).map_err(|_| no_memory::<T>(plan, count))?;
    Ok(room)
}

/// The same in memory like that of results, which is used again.
pub(crate) fn scratch<T: Copy>(plan: &Plan, count: usize) -> Result<Scratch<T>> {
    memory::scratch(count).ok_or_else(|| no_memory::<T>(plan, count))
}

fn no_memory<T>(plan: &Plan, count: usize) -> Error {
    plan.rules.fail(Fault::Memory { op: plan.op, bytes: count.checked_mul(size_of::<T>()) })
}
