//! One call: a plan, the arrays it runs on and what is done with them; and the promise "all or nothing".

use super::costs::costs;
use super::group::Group;
use super::resolve::Operand;
use super::strategy::{Choice, Forms, Strategy, choose, choose_below, first_row_serves};
use super::write::blocks::Short;
use super::{BLOCK, Reduce, diagnose, divide, few, parts, resolve, trace};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Fault, Result};
use crate::index::rules::{Duplicates, Empty};
use crate::kernel::cpu::Cpu;
use crate::kernel::stored::Passage;
use crate::plan::Plan;
use crate::threads;
use crate::view::{AnyView, Form};
use smallvec::SmallVec;

/// What is done with a block of positions.
#[derive(Clone, Copy)]
pub(crate) enum Leaf<'a> {
    /// Index values are looked at, and nothing moves.
    Check,
    /// `fresh`: into pages that the system has yet to hand out.
    Read {
        fill: &'a [u8],
        fresh: bool,
    },
    Write {
        reversed: bool,
    },
    Combine {
        how: Reduce,
        dtype: DType,
    },
    /// Half floats into f32 places.
    Widen {
        how: Reduce,
        dtype: DType,
    },
    /// Places of another form than what they are combined as.
    Through {
        how: Reduce,
        passage: &'a Passage,
    },
}

/// The sides of a call as bare addresses.
#[derive(Clone, Copy)]
pub(crate) struct Sides {
    pub indexed: *mut u8,
    pub linear: *mut u8,
}

// SAFETY: the addresses come from views that are borrowed for the whole call (L1, L3), and parts write
// disjoint ranges (E1).
unsafe impl Send for Sides {}
// SAFETY: as above.
unsafe impl Sync for Sides {}

/// The index arrays as bare addresses, in the order the plan registered them.
pub(crate) type Operands = SmallVec<[Operand; 2]>;

/// How a part ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Good,
    /// A mask no longer selects what it did when the plan was built.
    Changed,
    BadIndex,
}

impl Outcome {
    /// What the caller is told.
    pub(crate) fn told(self, plan: &Plan, operands: &[AnyView]) -> Result<()> {
        match self {
            Outcome::Good => Ok(()),
            Outcome::BadIndex => Err(diagnose::out_of_range(plan, operands)),
            Outcome::Changed => Err(diagnose::changed(plan)),
        }
    }
}

/// Where in a call a strategy is chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// For the call as its user made it.
    Whole,
    /// For what another strategy runs: a write into a copy, sums of counters.
    Inner,
    /// For a part with a plan of its own.
    Part,
}

/// A plan with everything that decides how it is run.
#[derive(Clone, Copy)]
pub(crate) struct Call<'c> {
    pub plan: &'c Plan,
    /// The index arrays as they were given, for the diagnosis.
    pub views: &'c [AnyView<'c>],
    pub operands: &'c Operands,
    pub sides: Sides,
    pub leaf: Leaf<'c>,
    /// Whether nobody sees the destination if the call fails.
    pub private: bool,
    /// What sums that need all contributions of a place together need to know.
    pub group: Option<Group<'c>>,
    pub level: Level,
    /// For a part: how the whole is run.
    pub above: Option<Strategy>,
}

impl<'c> Call<'c> {
    /// A call that another strategy makes; what was promised to the user is that one's business.
    pub(crate) fn inner(
        plan: &'c Plan,
        views: &'c [AnyView<'c>],
        operands: &'c Operands,
        sides: Sides,
        leaf: Leaf<'c>,
    ) -> Call<'c> {
        Call { plan, views, operands, sides, leaf, private: false, group: None, level: Level::Inner, above: None }
    }

    /// Whether nothing moves, whatever the index says.
    pub(crate) fn is_empty(&self) -> bool {
        self.plan.positions() == 0 || self.plan.lanes() == 0 || self.plan.chunk == 0
    }

    /// Whether two values that meet in one place are refused.
    pub(crate) fn refuses(&self) -> bool {
        let writes = !matches!(self.leaf, Leaf::Read { .. } | Leaf::Check);
        writes && self.plan.rules.duplicates == Duplicates::Error && self.plan.select.is_none()
    }

    /// Runs the call as its user made it: chooses a strategy, keeps the promise and moves.
    #[inline]
    pub(crate) fn run(&self, verb: &'static str) -> Result<()> {
        // Nearly all calls are small, and of those everything is known by now.
        let first = first_row_serves(self);
        if first && !self.refuses() && !trace::watched() {
            // SAFETY: the arrays match the plan (L1, L3), which suits.
            return unsafe { few::run(self.plan, self.operands, self.sides, self.leaf) }.told(self.plan, self.views);
        }
        self.run_chosen(verb, first)
    }

    #[inline(never)]
    fn run_chosen(&self, verb: &'static str, first: bool) -> Result<()> {
        let mut forms = Forms::NONE;
        let choice = if first { Choice::FEW } else { choose_below(self, &mut forms)? };
        if trace::note(verb, self, &choice) {
            return Ok(());
        }
        if choice.strategy == Strategy::Nothing {
            return self.nothing();
        }
        self.promise(&choice)?;
        self.run_as(&choice)
    }

    /// Runs the call as a step of another strategy, without a promise of its own.
    pub(crate) fn run_inner(&self) -> Result<()> {
        let mut forms = Forms::NONE;
        let choice = choose(self, &mut forms)?;
        trace::note_inner(&choice);
        if choice.strategy == Strategy::Nothing { Ok(()) } else { self.run_as(&choice) }
    }

    /// All or nothing: what the user sees changes only if every index value is good. A strategy that meets every value
    /// before its first store keeps that by itself; for any other one all values are looked at here. A destination that
    /// nobody sees if the call fails needs no look. Places named twice are refused here, too, where the rules say so.
    fn promise(&self, choice: &Choice) -> Result<()> {
        let refuses = self.refuses();
        if self.plan.can_fail() && (refuses || !self.private && !self.checks_first(choice)) {
            self.all_good()?;
        }
        if refuses {
            // SAFETY: the operands match the plan.
            unsafe { diagnose::refuse_duplicates(self.plan, self.views, self.operands)? };
        }
        Ok(())
    }

    /// Whether a strategy meets every index value before its first store.
    pub(crate) fn checks_first(&self, choice: &Choice) -> bool {
        match choice.strategy {
            Strategy::Nothing
            | Strategy::Few
            | Strategy::Dense
            | Strategy::Sorted
            | Strategy::LastPosition
            | Strategy::ShadowCopy => true,
            Strategy::Partition => choice.short.is_some_and(Short::checks_all),
            // One part of one block is resolved as a whole.
            Strategy::Transpose | Strategy::SharedOffsets | Strategy::Blocks => {
                self.plan.positions() <= BLOCK && threads::parts_for(parts::work(self.plan)) <= 1
            }
            Strategy::StartValues
            | Strategy::Strips
            | Strategy::MaskWords
            | Strategy::FusedWrite
            | Strategy::ShortBlocks
            | Strategy::FusedRead => false,
        }
    }

    /// How the promise is kept, in words.
    #[cold]
    pub(super) fn promised(&self, choice: &Choice) -> &'static str {
        if choice.strategy == Strategy::Nothing {
            "nothing is stored"
        } else if self.refuses() {
            "a look at every index value first, and at every place that two of them name"
        } else if !self.plan.can_fail() {
            "no index value can be bad here"
        } else if self.checks_first(choice) {
            "the strategy meets every index value before it stores"
        } else if self.private {
            "the result is seen only if every index value was good"
        } else {
            "a look at every index value first"
        }
    }

    /// Empty work, whose index values may still have to be good.
    fn nothing(&self) -> Result<()> {
        // A stretched operand without elements leaves no index loop behind, and nothing to look at.
        let values = self.plan.positions() > 0 && self.views.iter().all(|v| v.numel() > 0);
        if self.plan.can_fail() && values && self.plan.rules.empty == Empty::StillChecks {
            return self.all_good();
        }
        Ok(())
    }

    /// Fails with a full diagnosis if any index value is bad.
    pub(crate) fn all_good(&self) -> Result<()> {
        let Call { plan, operands, sides, .. } = *self;
        let outcome = if few::suits(plan, costs().few) {
            // SAFETY: the arrays match the plan (L1, L3), which suits.
            unsafe { few::run(plan, operands, sides, Leaf::Check) }
        } else {
            let many = threads::parts_for(plan.positions().saturating_mul(8));
            // SAFETY: the operands match the plan.
            let parts = unsafe { divide::divide(plan, operands, true, true, 0, many) };
            parts::run_all(&parts, |part| {
                // SAFETY: the operands are the plan's.
                let good = unsafe { resolve::verify(&part.plan, &part.operands, part.start, part.end - part.start) };
                if good { Outcome::Good } else { Outcome::BadIndex }
            })
        };
        outcome.told(plan, self.views)
    }

    /// Runs a part with a plan of its own.
    ///
    /// # Safety
    /// The arrays match the plan (L1, L3), which is the part's, and parts are disjoint (E1).
    pub(super) unsafe fn run_piece(&self, part: &divide::Part, sides: Sides) -> Outcome {
        let mut forms = Forms::NONE;
        let choice = choose(self, &mut forms).unwrap_or(Choice::BLOCKS);
        // SAFETY: passed on.
        unsafe { choice.run_part(part, sides, self.leaf) }
    }

    /// Divides the work among threads and runs every part.
    pub(super) fn run_parts(&self, choice: &Choice) -> Outcome {
        let Call { plan, operands, sides, leaf, .. } = *self;
        let looked_at = plan.select.as_deref().map_or(0, super::mask::Cursor::extent);
        let many = threads::parts_for(parts::work(plan).saturating_add(looked_at / 4));
        if many <= 1 {
            // SAFETY: the arrays match the plan (L1, L3).
            return unsafe { choice.run_part(&divide::whole(plan, operands), sides, leaf) };
        }
        let window = match (choice.places(), Cpu::current().compresses()) {
            (true, true) => costs().window_packed,
            (true, false) => costs().window_placed,
            (false, _) => costs().window,
        };
        let reads = matches!(leaf, Leaf::Read { .. });
        // SAFETY: the operands match the plan.
        let parts = unsafe { divide::divide(plan, operands, reads, false, window, many) };
        parts::run_all(&parts, |part| {
            // SAFETY: the arrays match the plan (L1, L3), and parts are disjoint (E1).
            unsafe {
                match &part.plan {
                    divide::Own::Whole(_) => choice.run_part(part, sides, leaf),
                    divide::Own::Cut(cut) => {
                        let above = Some(choice.strategy);
                        let piece = Call { plan: cut, operands: &part.operands, level: Level::Part, above, ..*self };
                        piece.run_piece(part, sides)
                    }
                }
            }
        })
    }
}

/// The index arrays as addresses, if all arrays are those of the plan and the elements of the linear side have `size` bytes.
#[inline]
pub(super) fn matches(
    plan: &Plan,
    indexed: &impl Form,
    linear: &impl Form,
    size: usize,
    operands: &[AnyView],
) -> Result<Operands> {
    let same = plan.fits(indexed, linear, size)
        && operands.len() == plan.operand_layouts.len()
        && operands.iter().zip(&plan.operand_layouts).all(|(v, l)| v.layout() == l);
    if !same {
        let text = "the plan was built for arrays of other shapes, strides or dtypes";
        return Err(plan.rules.fail(Fault::text(plan.op, ArgumentRule::Other, text)));
    }
    let mut list = Operands::new();
    operands.iter().for_each(|v| list.push(Operand { ptr: v.as_ptr(), dtype: v.dtype() }));
    Ok(list)
}
