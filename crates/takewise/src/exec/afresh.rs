//! Accumulations whose places start afresh (`include_self = false`): what combining starts from is stored wherever the index
//! says, by a write of one value, before the accumulation itself.

use super::{Leaf, Operands, Sides, all_good, grouped};
use crate::dtype::DType;
use crate::error::Result;
use crate::kernel::reduce::{Reduce, identity, with_number};
use crate::plan::Plan;
use crate::view::AnyView;

/// Bytes of a chunk that is held as a value at most.
const MOST: usize = 1 << 16;

/// A write of what combining starts from.
pub(super) struct Start {
    plan: Plan,
    value: Vec<u8>,
}

impl Start {
    /// That of a plan whose chunks are numbers of a dtype, unless these are long or selected by a mask.
    pub(super) fn of(plan: &Plan, dtype: DType, how: Reduce) -> Option<Start> {
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
    pub(super) fn store(&mut self, views: &[AnyView], operands: &Operands, indexed: *mut u8) -> Result<()> {
        let sides = Sides { indexed, linear: self.value.as_mut_ptr() };
        super::run(&self.plan, views, operands, sides, Leaf::Write { reversed: false })
    }
}

/// Runs an accumulation whose places start afresh, if that is all that is special about it and they can be started. Every
/// index value is looked at before the first store, unless nobody sees what is stored then.
pub(super) fn run(
    plan: &Plan,
    views: &[AnyView],
    operands: &Operands,
    sides: Sides,
    (dtype, how): (DType, Reduce),
    private: bool,
) -> Option<Result<()>> {
    if grouped::needed(plan, dtype, how, true) {
        return None;
    }
    let mut start = Start::of(plan, dtype, how)?;
    let mut all = move || {
        if plan.can_fail() && !private {
            all_good(plan, views, operands, sides)?;
        }
        start.store(views, operands, sides.indexed)?;
        super::run(plan, views, operands, sides, Leaf::Combine { how, dtype })
    };
    Some(all())
}
