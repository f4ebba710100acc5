//! Plans made before, kept by each thread: a program that indexes in a loop asks for the same few again and again.
//!
//! A plan depends on how it is made and on the layouts it is proved for, never on values, so one made for the same is the
//! same; the rules and the name, which the making does not look at, are those of the call at hand.

use super::{Address, Between, Plan, subscript};
use crate::error::Result;
use crate::index::rules::Rules;
use crate::index::{Dim, Normalized};
use crate::layout::{Dims, Layout};
use crate::op::Op;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// Plans a thread keeps; each has one place, which it shares with others.
const PLACES: usize = 8;

thread_local! {
    static KEPT: [Cell<Option<Box<KeptPlan>>>; PLACES] = const { [const { Cell::new(None) }; PLACES] };
}

struct KeptPlan {
    made_from: MadeFrom,
    plan: Plan,
}

/// What a plan was made from, beside the layouts it stands between.
enum MadeFrom {
    Address(Address),
    Subscript(Box<Parts>),
}

/// A subscript of index arrays: all that its plan depends on but the layouts of the operands, which the plan has.
struct Parts {
    offset: isize,
    dims: Dims<Dim>,
    /// Of each array the axis, its place in the subscript, the length and the step of the axis, and the array's steps.
    arrays: Vec<(usize, usize, usize, isize, Dims<isize>)>,
}

impl Parts {
    fn of(n: &Normalized<'_>) -> Parts {
        let arrays = n.arrays.iter().map(|a| (a.axis, a.ordinal, a.len, a.step, a.steps.clone())).collect();
        Parts { offset: n.offset, dims: n.dims.clone(), arrays }
    }

    fn are(&self, n: &Normalized<'_>) -> bool {
        let same =
            |((axis, ordinal, len, step, steps), a): (&(_, _, _, _, Dims<isize>), &crate::index::ArrayAxis<'_>)| {
                (*axis, *ordinal, *len, *step) == (a.axis, a.ordinal, a.len, a.step) && *steps == a.steps
            };
        self.offset == n.offset
            && self.dims == n.dims
            && self.arrays.len() == n.arrays.len()
            && self.arrays.iter().zip(&n.arrays).all(same)
    }
}

/// The place of an operation's plans: calls in turns mostly differ in which operation they are.
#[inline]
fn place(op: Op) -> usize {
    /// The number of an enum's variant, as it is hashed.
    struct VariantNumber(usize);
    impl Hasher for VariantNumber {
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
    let mut number = VariantNumber(0);
    discriminant(&op).hash(&mut number);
    number.0 % PLACES
}

/// A plan taken from where it is kept, or made now.
pub(crate) struct Recalled {
    place: usize,
    entry: Box<KeptPlan>,
}

impl Recalled {
    pub(crate) fn plan(&self) -> &Plan {
        &self.entry.plan
    }

    /// Puts it back for a later call. A thread that ends keeps nothing.
    #[inline]
    pub(crate) fn keep(self) {
        let _ = KEPT.try_with(|kept| kept[self.place].set(Some(self.entry)));
    }
}

/// The plan of one index operand: one kept, or one made now. Errors: those of the making.
#[inline]
pub(crate) fn recalled(op: Op, rules: &Rules, address: &Address, index: &Layout, between: Between) -> Result<Recalled> {
    let same = |kept: &KeptPlan| {
        matches!(&kept.made_from, MadeFrom::Address(from) if from == address)
            && kept.plan.operand_layouts.first() == Some(index)
    };
    let made = || {
        let plan = address.plan(op, rules, index, between)?;
        Ok(KeptPlan { made_from: MadeFrom::Address(address.clone()), plan })
    };
    kept_or_made(op, rules, between, same, made)
}

/// The plan of a subscript: one kept, or one made now. `None` for one of a mask, whose plan depends on its values. Errors: those of
/// the making.
pub(crate) fn recalled_subscript(
    op: Op,
    rules: &Rules,
    n: &Normalized<'_>,
    between: Between,
) -> Result<Option<Recalled>> {
    // On the page no call is made often, and its engine is small.
    if n.mask.is_some() || cfg!(target_family = "wasm") {
        return Ok(None);
    }
    let same = |kept: &KeptPlan| {
        let layouts = n.arrays.iter().zip(&kept.plan.operand_layouts);
        matches!(&kept.made_from, MadeFrom::Subscript(parts) if parts.are(n))
            && layouts.into_iter().all(|(a, layout)| a.values.view().layout() == layout)
    };
    let made = || {
        let plan = subscript(op, rules, n, between)?;
        Ok(KeptPlan { made_from: MadeFrom::Subscript(Box::new(Parts::of(n))), plan })
    };
    kept_or_made(op, rules, between, same, made).map(Some)
}

/// The plan kept for an operation if it is the `same` and stands between the same layouts, or one made now.
#[inline]
fn kept_or_made(
    op: Op,
    rules: &Rules,
    between: Between,
    same: impl Fn(&KeptPlan) -> bool,
    made: impl Fn() -> Result<KeptPlan>,
) -> Result<Recalled> {
    let place = place(op);
    let entry = match KEPT.try_with(|kept| kept[place].take()) {
        Ok(Some(mut entry)) => {
            let plan = &entry.plan;
            let stands = plan.size == between.size
                && plan.indexed_layout == *between.indexed
                && plan.linear_layout == *between.linear;
            if stands && same(&entry) {
                (entry.plan.op, entry.plan.rules) = (op, *rules);
            } else {
                *entry = made()?;
            }
            entry
        }
        _ => Box::new(made()?),
    };
    Ok(Recalled { place, entry })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::index::rules::Outside;

    /// Marks the plan kept under a name, so that it is known when it comes again; whether there is one.
    fn marked(op: Op) -> bool {
        KEPT.with(|kept| {
            let mut entry = kept[place(op)].take();
            entry.iter_mut().for_each(|entry| entry.plan.checked = true);
            let there = entry.is_some();
            kept[place(op)].set(entry);
            there
        })
    }

    /// The plan a call gets, the one that would be made for it alone, and whether it was made now.
    fn along(op: Op, x: &[usize], i: &Layout, dim: usize, rules: &Rules) -> Result<([String; 2], bool)> {
        let (indexed, linear) = (Layout::contiguous(x, 4)?, Layout::contiguous(i.shape(), 4)?);
        let (address, between) = (Address::Axis { dim }, Between { indexed: &indexed, linear: &linear, size: 4 });
        let recalled = recalled(op, rules, &address, i, between)?;
        let (mut plan, built) = (recalled.plan().clone(), !recalled.plan().checked);
        recalled.keep();
        marked(op);
        plan.checked = false;
        Ok(([plan, address.plan(op, rules, i, between)?].map(|plan| format!("{plan:?}")), built))
    }

    #[test]
    fn a_kept_plan_is_the_plan_that_would_be_made() -> std::result::Result<(), Error> {
        let (wide, narrow) = (Layout::contiguous(&[2, 3], 8)?, Layout::contiguous(&[2, 3], 4)?);
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
        for (x, i, dim, rules, fresh) in calls {
            let ([plan, first], built) = along(Op::Gather, &x, i, dim, rules)?;
            assert_eq!((plan, built), (first, fresh));
        }
        Ok(())
    }

    #[test]
    fn a_failed_call_keeps_nothing() -> std::result::Result<(), Error> {
        let i = Layout::contiguous(&[3], 8)?;
        let (_, first) = along(Op::Take, &[3], &i, 0, &Rules::NEUTRAL)?;
        assert!(along(Op::Take, &[3], &i, 1, &Rules::NEUTRAL).is_err() && !marked(Op::Take));
        let (_, again) = along(Op::Take, &[3], &i, 0, &Rules::NEUTRAL)?;
        assert!(first && again);
        Ok(())
    }

    #[test]
    fn a_kept_plan_of_a_subscript_is_the_plan_that_would_be_made() -> Result<()> {
        use crate::index::{Item, normalize};
        use crate::layout::Slice;
        use crate::view::AnyView;
        use std::convert::Infallible;
        let (long, short, narrow) = ([0i64, 1, 1], [1i64, 0], [0i32, 1, 1]);
        let array = |view: AnyView<'static>| Item::<AnyView<'static>, Infallible>::Array(view);
        let (long, short, narrow) =
            (&*Box::leak(Box::new(long)), &*Box::leak(Box::new(short)), &*Box::leak(Box::new(narrow)));
        // Each subscript, and whether its plan was made now.
        let keys = [
            (vec![array(long.into()), array(long.into())], true),
            (vec![array(long.into()), array(long.into())], false),
            (vec![array(long.into()), Item::Range(Slice::ALL)], true),
            (vec![array(short.into()), array(short.into())], true),
            (vec![array(narrow.into()), array(narrow.into())], true),
            (vec![array(narrow.into()), Item::Int(1)], true),
            (vec![array(narrow.into()), Item::Int(0)], true),
            (vec![Item::Int(0), array(narrow.into())], true),
            (vec![Item::Int(0), array(narrow.into())], false),
        ];
        let x = Layout::contiguous(&[2, 2, 3], 4)?;
        for (key, fresh) in keys {
            let n = normalize(Op::Index, &x, 4, &key, &Rules::NEUTRAL)?;
            let linear = Layout::contiguous(&n.shape(), 4)?;
            let between = Between { indexed: &x, linear: &linear, size: 4 };
            let Some(kept) = recalled_subscript(Op::Index, &Rules::NEUTRAL, &n, between)? else { panic!("no plan") };
            let (mut plan, built) = (kept.plan().clone(), !kept.plan().checked);
            kept.keep();
            marked(Op::Index);
            plan.checked = false;
            let made = subscript(Op::Index, &Rules::NEUTRAL, &n, between)?;
            assert_eq!((format!("{plan:?}"), built), (format!("{made:?}"), fresh));
        }
        Ok(())
    }
}
