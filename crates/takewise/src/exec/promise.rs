//! The promise "all or nothing": who keeps it, and the look at every index value where nobody else does.

use super::call::{Call, Leaf, Outcome};
use super::costs::costs;
use super::resolve::{BLOCK, Operands};
use super::strategy::Strategy;
use super::write::blocks::Short;
use super::{diagnose, divide, parts, resolve, small};
use crate::error::Result;
use crate::plan::Plan;
use crate::threads;

/// From so many positions on, which meet each index value so often, all values are looked at before anything moves.
const LARGE: usize = 1 << 20;
const OFTEN: usize = 64;

/// How the promise may be kept.
#[doc(hidden)]
pub const PROMISES: [&str; 6] = [
    "nothing is stored",
    "a look at every index value first, and at every place that two of them name",
    "no index value can be bad here",
    "the strategy meets every index value before it stores",
    "the result is seen only if every index value was good",
    "a look at every index value first",
];

impl Call<'_> {
    /// All or nothing: what the user sees changes only if every index value is good. A strategy that meets every value
    /// before its first store keeps that by itself; for any other one all values are looked at here. A destination that
    /// nobody sees if the call fails needs no look. Places named twice are refused here, too, where the rules say so.
    pub(super) fn promise(&self, strategy: Strategy, short: Option<&Short>) -> Result<()> {
        let refuses = self.refuses();
        let unlooked = || refuses || !self.private && !self.checks_first(strategy, short) || self.repeats();
        if self.plan.can_fail() && unlooked() {
            self.all_good()?;
        }
        if refuses {
            // SAFETY: the operands match the plan.
            unsafe { diagnose::refuse_duplicates(self.plan, self.views, self.operands)? };
        }
        Ok(())
    }

    /// Whether a strategy meets every index value before its first store.
    fn checks_first(&self, strategy: Strategy, short: Option<&Short>) -> bool {
        match strategy {
            Strategy::Nothing
            | Strategy::Small
            | Strategy::Dense
            | Strategy::Sorted
            | Strategy::LastPosition
            | Strategy::ShadowCopy => true,
            Strategy::Partition => short.is_some_and(Short::checks_all),
            // One part of one block is resolved as a whole.
            Strategy::Transpose | Strategy::SharedOffsets | Strategy::Blocks => {
                self.plan.positions() <= BLOCK && threads::parts_for(parts::work(self.plan)) <= 1
            }
            Strategy::StartValues
            | Strategy::Fetch
            | Strategy::Strips
            | Strategy::MaskWords
            | Strategy::FusedWrite
            | Strategy::ShortBlocks
            | Strategy::FusedRead => false,
        }
    }

    /// How the promise is kept, in words.
    #[cold]
    pub(super) fn promised(&self, strategy: Strategy, short: Option<&Short>) -> &'static str {
        let [nothing, duplicates, no_bad, strategy_checks, unseen, look] = PROMISES;
        if strategy == Strategy::Nothing {
            nothing
        } else if self.refuses() {
            duplicates
        } else if !self.plan.can_fail() {
            no_bad
        } else if self.checks_first(strategy, short) {
            strategy_checks
        } else if self.private {
            unseen
        } else {
            look
        }
    }

    /// Fails with a full diagnosis if any index value is bad.
    pub(crate) fn all_good(&self) -> Result<()> {
        let Call { plan, operands, sides, .. } = *self;
        let outcome = if !costs().small && small::suits(plan) {
            // SAFETY: the arrays match the plan (L1, L3), which suits.
            unsafe { small::run(plan, operands, sides, Leaf::Check) }
        } else if self.repeats() {
            let each = plan.axes.iter().map(|axis| {
                let mut alone = plan.clone();
                alone.index.retain(|l| l.operands[axis.operand] != 0);
                alone.axes.retain(|a| a.operand == axis.operand && a.axis == axis.axis);
                // SAFETY: the operands match the plan; loops are left out, so none is read that the whole would not read.
                unsafe { verified(&alone, operands) }
            });
            each.max().unwrap_or(Outcome::Good)
        } else {
            // SAFETY: the operands match the plan.
            unsafe { verified(plan, operands) }
        };
        outcome.told(plan, self.views)
    }

    /// Whether a large call meets each index value over and over, as the product of an outer subscript does: then a look at the
    /// values of each axis by themselves costs nothing beside the call.
    fn repeats(&self) -> bool {
        let plan = self.plan;
        let values = |operand: usize| -> usize {
            plan.index.iter().filter(|l| l.operands[operand] != 0).map(|l| l.extent).product()
        };
        let positions = plan.positions();
        let few = |count: usize| count <= positions / OFTEN;
        positions >= LARGE && plan.select.is_none() && plan.axes.iter().all(|axis| few(values(axis.operand)))
    }
}

/// Whether all index values of a plan are good, by as many threads as that is worth.
///
/// # Safety
/// The operands must be those of the plan.
unsafe fn verified(plan: &Plan, operands: &Operands) -> Outcome {
    let many = threads::parts_for(plan.positions().saturating_mul(8));
    // SAFETY: passed on.
    let parts = unsafe { divide::divide(plan, operands, true, true, 0, many) };
    parts::run_all(&parts, |part| {
        // SAFETY: the operands are the plan's.
        let good = unsafe { resolve::verify(&part.plan, &part.operands, part.start, part.end - part.start) };
        if good { Outcome::Good } else { Outcome::BadIndex }
    })
}
