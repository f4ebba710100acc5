//! Sums whose places start anew (`include_self = false`): what combining starts from is stored wherever the index
//! says, by a write of one value, before the accumulation itself.

use crate::dtype::DType;
use crate::error::Result;
use crate::exec::call::{Call, Group, Leaf, Sides};
use crate::exec::group::job::needed;
use crate::kernel::reduce::{Reduce, identity, with_number};
use crate::plan::Plan;

/// Bytes of a chunk that is held as a value at most.
const MOST: usize = 1 << 16;

/// A write of what combining starts from.
pub(crate) struct Start {
    plan: Plan,
    value: Vec<u8>,
}

impl Start {
    /// That of a plan whose chunks are numbers of a dtype, unless these are long or selected by a mask.
    pub(crate) fn of(plan: &Plan, dtype: DType, how: Reduce) -> Option<Start> {
        if plan.chunk > MOST || plan.select.is_some() {
            return None;
        }
        let mut plan = plan.clone();
        plan.flat_linear = false;
        plan.index.iter_mut().chain(&mut plan.free).for_each(|l| l.linear = 0);
        let mut value = vec![0; plan.chunk];
        with_number!(dtype, T => {
            let one = identity::<T>(how);
            // SAFETY: the bytes of a number without padding.
            let bytes = unsafe { std::slice::from_raw_parts((&raw const one).cast::<u8>(), size_of::<T>()) };
            value.chunks_exact_mut(size_of::<T>()).for_each(|place| place.copy_from_slice(bytes));
        }, ());
        Some(Start { plan, value })
    }

    /// Stores it. Whoever promises all or nothing has looked at every index value before.
    pub(crate) fn store(&mut self, call: &Call, indexed: *mut u8) -> Result<()> {
        let sides = Sides { indexed, linear: self.value.as_mut_ptr() };
        call.inner(&self.plan, sides, Leaf::Write { reversed: false }).run_inner()
    }
}

/// Whether places that start anew are all that is special about sums, and can be started.
pub(crate) fn serves(call: &Call) -> bool {
    let Call { plan, group: Some(Group { dtype, how, passage, .. }), .. } = *call else { return false };
    passage.is_none() && plan.chunk <= MOST && plan.select.is_none() && !needed(plan, dtype, how, true)
}

/// Runs what this [`serves`], after all index values were looked at, unless nobody sees what is stored.
pub(crate) fn run(call: &Call) -> Result<()> {
    let Call { plan, sides, .. } = *call;
    if let Some(Group { dtype, how, .. }) = call.group
        && let Some(mut start) = Start::of(plan, dtype, how)
    {
        start.store(call, sides.indexed)?;
        return call.inner(plan, sides, Leaf::Combine { how, dtype }).run_inner();
    }
    Ok(())
}
