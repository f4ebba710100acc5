//! What a plan costs to run, and running its parts.

use super::call::Outcome;
use super::costs::{costs, under};
use crate::kernel::cpu::LINE;
use crate::plan::Plan;
use crate::threads::each;
use std::sync::{Mutex, PoisonError};

/// What the moves of a plan cost, in bytes of single elements: rows, and elements of a lane that share lines, are found once
/// and then streamed, and single elements that a mask selects are streamed from the start.
pub(super) fn work(plan: &Plan) -> usize {
    let places = plan.positions().saturating_mul(plan.lanes());
    let row = plan.free.last().map_or(1, |l| if l.indexed.unsigned_abs() <= LINE { l.extent.max(1) } else { 1 });
    let chunk = plan.chunk.saturating_mul(row);
    match &plan.select {
        Some(_) if chunk <= 16 => places.saturating_mul(chunk) / 4,
        None if chunk <= 16 => places.saturating_mul(chunk.max(4)),
        _ => (places / row).saturating_mul(14 + chunk / 8),
    }
}

/// Runs every part; the worst outcome.
pub(crate) fn run_all<T: Sync>(parts: &[T], f: impl Fn(&T) -> Outcome + Send + Sync) -> Outcome {
    if let [one] = parts {
        return f(one);
    }
    let (worst, costs) = (Mutex::new(Outcome::Good), costs());
    each(parts.len(), &|k| {
        let outcome = under(costs, || f(&parts[k]));
        let mut worst = worst.lock().unwrap_or_else(PoisonError::into_inner);
        *worst = outcome.max(*worst);
    });
    worst.into_inner().unwrap_or_else(PoisonError::into_inner)
}
