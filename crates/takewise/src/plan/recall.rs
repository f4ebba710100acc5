//! Plans made before, kept by each thread: a program that indexes in a loop asks for the same few again and again.
//!
//! A plan depends on how it is made and on the layouts it is proved for, never on values, so one made for the same is the
//! same; the rules and the name, which the making does not look at, are those of the call at hand.

use super::Plan;
use crate::error::Result;
use crate::index::rules::Rules;
use crate::layout::Layout;
use crate::op::Op;
use crate::view::Form;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// Plans a thread keeps; each has one place, which it shares with others.
const PLACES: usize = 8;

thread_local! {
    static KEPT: [Cell<Option<Box<Entry>>>; PLACES] = const { [const { Cell::new(None) }; PLACES] };
}

/// All that a plan is made from besides layouts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// Along one axis, operands broadcast or not.
    Along { axis: usize, broadcast: bool },
    /// Slices along an axis, after so many axes in pairs.
    Slices { axis: usize, batch: usize },
    /// By flat position.
    Flat,
}

struct Entry {
    made: Made,
    plan: Plan,
}

/// The place of an operation's plans: calls in turns mostly differ in which operation they are.
#[inline]
fn place(op: Op) -> usize {
    /// The number of an enum's variant, as it is hashed.
    struct Number(usize);
    impl Hasher for Number {
        fn write(&mut self, bytes: &[u8]) {
            self.0 = bytes.iter().fold(self.0, |n, b| n.wrapping_mul(31).wrapping_add(usize::from(*b)));
        }
        fn write_isize(&mut self, n: isize) {
            self.0 = n.unsigned_abs();
        }
        fn finish(&self) -> u64 {
            self.0 as u64
        }
    }
    let mut number = Number(0);
    discriminant(&op).hash(&mut number);
    number.0 % PLACES
}

/// Runs `then` with the plan of one index operand: one kept, or what `build` makes. Errors: those of both.
#[inline]
pub(crate) fn recalled<R>(
    op: Op,
    rules: &Rules,
    made: Made,
    indexed: &impl Form,
    index: &Layout,
    linear: &Layout,
    build: impl FnOnce() -> Result<Plan>,
    then: impl FnOnce(&Plan) -> Result<R>,
) -> Result<R> {
    let place = place(op);
    let entry = match KEPT.try_with(|kept| kept[place].take()) {
        Ok(Some(mut entry)) => {
            let plan = &mut entry.plan;
            let same = entry.made == made
                && plan.size == indexed.dtype().size()
                && plan.indexed_layout == *indexed.layout()
                && plan.linear_layout == *linear
                && plan.operand_layouts.first() == Some(index);
            if same {
                (plan.op, plan.rules) = (op, *rules);
            } else {
                *entry = Entry { made, plan: build()? };
            }
            entry
        }
        _ => Box::new(Entry { made, plan: build()? }),
    };
    let result = then(&entry.plan);
    // A thread that ends keeps nothing.
    let _ = KEPT.try_with(|kept| kept[place].set(Some(entry)));
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::error::Error;
    use crate::index::rules::Outside;
    use crate::ops::gather::plan_along;
    use crate::view::AnyView;

    fn along(op: Op, x: &[usize], i: &AnyView, axis: usize, rules: &Rules) -> Result<(Plan, bool)> {
        let form = (Layout::contiguous(x, 4)?, DType::F32);
        let linear = Layout::contiguous(i.shape(), 4)?;
        let mut built = false;
        let made = Made::Along { axis, broadcast: false };
        let build = || {
            built = true;
            plan_along(op, &form, axis as i64, i, &linear, rules)
        };
        let plan = recalled(op, rules, made, &form, i.layout(), &linear, build, |plan| Ok(plan.clone()))?;
        Ok((plan, built))
    }

    #[test]
    fn a_kept_plan_is_the_plan_that_would_be_made() -> std::result::Result<(), Error> {
        let (values, short) = ([0i64; 6], [0i32; 6]);
        let wide = AnyView::from(&values[..]).rearranged(0, Layout::contiguous(&[2, 3], 8)?);
        let narrow = AnyView::from(&short[..]).rearranged(0, Layout::contiguous(&[2, 3], 4)?);
        let clip = Rules { outside: Outside::Clip, ..Rules::NEUTRAL };
        // Whatever the order of calls, each gets what a first call would get, under its own name and rules.
        let calls = [
            ([2, 3], &wide, 1, &Rules::NEUTRAL, true),
            ([2, 3], &wide, 1, &clip, false),
            ([2, 3], &wide, 0, &clip, true),
            ([2, 3], &narrow, 0, &clip, true),
            ([2, 4], &narrow, 0, &clip, true),
            ([2, 4], &narrow, 0, &Rules::NEUTRAL, false),
        ];
        for (x, i, axis, rules, fresh) in calls {
            let (plan, built) = along(Op::Gather, &x, i, axis, rules)?;
            let form = (Layout::contiguous(&x, 4)?, DType::F32);
            let linear = Layout::contiguous(i.shape(), 4)?;
            let first = plan_along(Op::Gather, &form, axis as i64, i, &linear, rules)?;
            assert_eq!((format!("{plan:?}"), built), (format!("{first:?}"), fresh));
        }
        Ok(())
    }

    #[test]
    fn a_failed_call_keeps_nothing() -> std::result::Result<(), Error> {
        let values = [0i64; 3];
        let i = AnyView::from(&values[..]);
        let (_, first) = along(Op::Take, &[3], &i, 0, &Rules::NEUTRAL)?;
        assert!(along(Op::Take, &[3], &i, 1, &Rules::NEUTRAL).is_err());
        let (_, again) = along(Op::Take, &[3], &i, 0, &Rules::NEUTRAL)?;
        assert!(first && again);
        Ok(())
    }
}
