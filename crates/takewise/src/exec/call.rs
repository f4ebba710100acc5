//! The words of this folder: a call, its parts, what is done with them and how that ended.

use super::diagnose;
use super::resolve::Operands;
use super::strategy::Strategy;
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Duplicates;
use crate::kernel::reduce::Reduce;
use crate::kernel::stored::Passage;
use crate::plan::Plan;
use crate::view::AnyView;
use std::ops::Deref;

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
pub(crate) enum Stage {
    /// For the call as its user made it.
    Whole,
    /// For what another strategy runs: a write into a copy, sums of counters.
    Inner,
    /// For a part with a plan of its own.
    Part,
}

/// What sums that need all contributions of a place together need to know.
#[derive(Clone, Copy)]
pub(crate) struct Group<'p> {
    pub dtype: DType,
    pub how: Reduce,
    pub include_self: bool,
    /// How places are converted, if they are of another form than what they are combined as.
    pub passage: Option<&'p Passage>,
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
    pub stage: Stage,
    /// For a part: how the whole is run.
    pub above: Option<Strategy>,
    /// How it runs calls within it.
    pub runner: &'static Runner,
}

/// How a call runs others within it. Strategies lie below the table that chooses among them, so whoever makes a call hands
/// these down.
pub(crate) struct Runner {
    /// Runs a step of a call by the strategy that serves it.
    pub step: fn(&Call) -> Result<()>,
    /// Runs parts of a call by one strategy that serves it.
    ///
    /// # Safety
    /// The arrays match the plan (L1, L3), which is the parts', and parts are disjoint (E1).
    pub parts: unsafe fn(&Call, &[Part]) -> Outcome,
}

impl<'c> Call<'c> {
    /// A call that a strategy makes within this one, of the same index arrays; what was promised to the user is the outer
    /// call's business.
    pub(crate) fn inner<'i>(&self, plan: &'i Plan, sides: Sides, leaf: Leaf<'i>) -> Call<'i>
    where
        'c: 'i,
    {
        Call { plan, sides, leaf, private: false, group: None, stage: Stage::Inner, above: None, ..*self }
    }

    /// Runs the call as a step of another one, without a promise of its own.
    pub(crate) fn run_inner(&self) -> Result<()> {
        (self.runner.step)(self)
    }

    /// Runs some parts of the call.
    ///
    /// # Safety
    /// As [`Runner::parts`].
    pub(crate) unsafe fn run_only(&self, parts: &[Part]) -> Outcome {
        // SAFETY: passed on.
        unsafe { (self.runner.parts)(self, parts) }
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
}

/// One share of a call.
pub(crate) struct Part<'p> {
    pub plan: Own<'p>,
    pub operands: Operands,
    /// Index positions `start..end` (of the part's own plan).
    pub start: usize,
    pub end: usize,
    /// Byte shifts of the two sides.
    pub indexed: isize,
    pub linear: isize,
    /// Mask positions to look at.
    pub mask: (usize, usize),
    /// Destination offsets this part may store to.
    pub window: Option<(isize, isize)>,
}

/// The call's plan, or one cut down for a part; that one boxed, as moving plans about is what small calls would feel.
#[derive(Clone)]
pub(crate) enum Own<'p> {
    Whole(&'p Plan),
    Cut(Box<Plan>),
}

impl Deref for Own<'_> {
    type Target = Plan;
    fn deref(&self) -> &Plan {
        match self {
            Own::Whole(plan) => plan,
            Own::Cut(plan) => plan,
        }
    }
}
