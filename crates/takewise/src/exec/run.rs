//! Running a call: a strategy is chosen, the promise is kept, and work is divided among threads.

use super::call::{Call, Leaf, Outcome, Own, Part, Runner, Sides, Stage};
use super::choose::{Choice, Forms, choose, choose_below, first_row_serves};
use super::costs::costs;
use super::far::Reach;
use super::group::job::Job;
use super::group::start;
use super::mask::{self, Cursor};
use super::strategy::Strategy;
use super::write::{last_position, shadow};
use super::{blocks, divide, parts, read, small, trace};
use crate::error::Result;
use crate::index::rules::Empty;
use crate::kernel::cpu::Cpu;
use crate::notes;
use crate::threads;
use std::slice;

/// What every call runs others by.
pub(super) static RUNNER: Runner = Runner { step: run_step, parts: run_only };

/// Runs a call as a step of another one.
fn run_step(call: &Call) -> Result<()> {
    let mut forms = Forms::NONE;
    let choice = choose(call, &mut forms)?;
    trace::note_inner(&choice);
    if choice.strategy == Strategy::Nothing { Ok(()) } else { call.run_as(&choice) }
}

/// Runs parts of a call by one strategy.
///
/// # Safety
/// As [`Runner::parts`].
unsafe fn run_only(call: &Call, parts: &[Part]) -> Outcome {
    let mut forms = Forms::NONE;
    let choice = choose(call, &mut forms).unwrap_or(Choice::BLOCKS);
    // SAFETY: passed on.
    parts::run_all(parts, |part| unsafe { run_part(&choice, part, call.sides, call.leaf) })
}

impl Call<'_> {
    /// Runs the call as its user made it: chooses a strategy, keeps the promise and moves.
    #[inline]
    pub(super) fn run(&self, verb: &'static str) -> Result<()> {
        // Nearly all calls are small, and of those everything is known by now.
        let first = first_row_serves(self);
        if first && !self.refuses() && !notes::unusual() {
            // SAFETY: the arrays match the plan (L1, L3), which suits.
            return unsafe { small::run(self.plan, self.operands, self.sides, self.leaf) }.told(self.plan, self.views);
        }
        self.run_chosen(verb, first)
    }

    #[inline(never)]
    fn run_chosen(&self, verb: &'static str, first: bool) -> Result<()> {
        let reach;
        if notes::has_far() {
            reach = Reach::of(self);
            if let Some(reach) = &reach {
                return self.run_far(verb, reach);
            }
        }
        let mut forms = Forms::NONE;
        let choice = if first { Choice::SMALL } else { choose_below(self, &mut forms)? };
        self.run_chosen_as(verb, &choice)
    }

    /// Reads or writes far memory: asks for what a read needs, if that is little and not at hand, or touches it and sees whether
    /// it was all there.
    #[cold]
    fn run_far(&self, verb: &'static str, reach: &Reach) -> Result<()> {
        if reach.is_asked() {
            let mut forms = Forms::far(Some(reach));
            let choice = choose_below(self, &mut forms)?;
            return self.run_chosen_as(verb, &choice);
        }
        if !notes::dry() {
            reach.ready(self)?;
        }
        let mut forms = Forms::NONE;
        let choice = choose(self, &mut forms)?;
        self.run_chosen_as(verb, &choice)?;
        reach.check(self)
    }

    #[inline]
    fn run_chosen_as(&self, verb: &'static str, choice: &Choice) -> Result<()> {
        if trace::note(verb, self, choice) {
            // Nothing moves, but what would fail does.
            if self.plan.can_fail() {
                self.all_good()?;
            }
            return self.promise(choice.strategy, choice.short);
        }
        if choice.strategy == Strategy::Nothing {
            return self.nothing();
        }
        self.promise(choice.strategy, choice.short)?;
        self.run_as(choice)
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

    /// Runs the call by a strategy that serves it.
    fn run_as(&self, choice: &Choice) -> Result<()> {
        let Call { plan, views, operands, sides, leaf, .. } = *self;
        let outcome = match choice.strategy {
            // SAFETY: the arrays match the plan (L1, L3), which suits.
            Strategy::Small => unsafe { small::run(plan, operands, sides, leaf) },
            Strategy::Fetch => match choice.far {
                // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
                Some(reach) => match unsafe { reach.read(self)? } {
                    Some(outcome) => outcome,
                    None => return reach.touch(self, || run_step(self)),
                },
                None => self.run_parts(&Choice::BLOCKS),
            },
            Strategy::StartValues => return start::run(self),
            Strategy::Dense | Strategy::Sorted => {
                return match Job::of(self) {
                    // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
                    Some(job) => unsafe { job.run() },
                    None => Ok(()),
                };
            }
            // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
            Strategy::ShadowCopy => return unsafe { shadow::write(self) },
            Strategy::LastPosition => {
                // SAFETY: as above.
                let written = choice.short.and_then(|short| unsafe { last_position::write(self, short) });
                match written {
                    Some(outcome) => outcome,
                    // No memory for marks: what every value needs is a look before the first store.
                    None => {
                        self.all_good()?;
                        self.run_parts(&Choice::BLOCKS)
                    }
                }
            }
            Strategy::Strips => match choice.strips {
                // SAFETY: the arrays match the plan (L1, L3).
                Some(strips) => unsafe { strips.run(self) },
                None => self.run_parts(&Choice::BLOCKS),
            },
            _ => self.run_parts(choice),
        };
        outcome.told(plan, views)
    }

    /// Divides the work among threads and runs every part.
    fn run_parts(&self, choice: &Choice) -> Outcome {
        let Call { plan, operands, sides, leaf, .. } = *self;
        let looked_at = plan.select.as_deref().map_or(0, Cursor::extent);
        let many = threads::parts_for(parts::work(plan).saturating_add(looked_at / 4));
        if many <= 1 {
            // SAFETY: the arrays match the plan (L1, L3).
            return unsafe { run_part(choice, &divide::whole(plan, operands), sides, leaf) };
        }
        // Elements placed in one pass are closed up by one instruction; where the processor is slow at that, looking at every
        // position costs a thread more than half of the stores. Rows cost more to look at.
        let window = match (choice.places(), Cpu::current().compresses()) {
            (true, true) => costs().window,
            (true, false) => usize::MAX,
            (false, _) => costs().window.saturating_mul(16),
        };
        let reads = matches!(leaf, Leaf::Read { .. });
        // SAFETY: the operands match the plan.
        let parts = unsafe { divide::divide(plan, operands, reads, false, window, many) };
        parts::run_all(&parts, |part| {
            // SAFETY: the arrays match the plan (L1, L3), and parts are disjoint (E1).
            unsafe {
                match &part.plan {
                    Own::Whole(_) => run_part(choice, part, sides, leaf),
                    Own::Cut(cut) => {
                        let above = Some(choice.strategy);
                        let piece = Call { plan: cut, operands: &part.operands, stage: Stage::Part, above, ..*self };
                        piece.run_only(slice::from_ref(part))
                    }
                }
            }
        })
    }
}

/// Serves all positions of a part, for all its lanes.
///
/// # Safety
/// The arrays match the part's plan (L1, L3), for which this was chosen, and parts are disjoint (E1).
unsafe fn run_part(choice: &Choice, part: &Part, sides: Sides, leaf: Leaf) -> Outcome {
    if part.start == part.end && part.plan.select.is_none() {
        return Outcome::Good;
    }
    // SAFETY: passed on.
    let served = unsafe {
        match (choice.strategy, leaf) {
            (Strategy::MaskWords, _) => choice.mask.and_then(|way| mask::serve(part, sides, way)),
            (Strategy::Partition | Strategy::FusedWrite | Strategy::ShortBlocks, _) => {
                choice.short.map(|short| short.serve(part, sides, leaf))
            }
            (Strategy::Transpose, _) => read::transpose::serve(part, sides, leaf),
            (Strategy::FusedRead, Leaf::Read { fill, fresh }) => read::fused::serve(part, sides, fill, fresh),
            (Strategy::SharedOffsets, _) => read::shared::serve(part, sides),
            _ => None,
        }
    };
    // SAFETY: passed on.
    served.unwrap_or_else(|| unsafe { blocks::serve(part, sides, leaf) })
}
