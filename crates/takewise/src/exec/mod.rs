//! Running plans: the three verbs [`read`], [`write()`] and [`accumulate`].
//!
//! A verb checks that the arrays are those the plan was proved for. A strategy is chosen (`choose`), the promise kept
//! (`promise`), the work divided (`divide`), and each part run (`run`). The usual way to run one turns blocks of index positions
//! into offsets (`resolve`, `mask`) that are then served in every lane (`blocks`, `lanes`).
//!
//! Files know those below them: `call` and what it consists of, then the ways (`small`, `blocks`, `mask`, `strips`, `read`,
//! `write`, `group`), the table that chooses among them, and `run`. A way that runs a call within its own does so by what `run`
//! has put into the call.
//!
//! * **E1** two parts of one call never write the same byte: their destination ranges differ, see `divide`.
//! * **E2** an output is fully defined before it is exposed: a fresh one is filled by a plan that covers it, else starts
//!   as zero bytes (`output`).
//!
//! Promises for writes and accumulations (DESIGN.md, What does a write promise?): nothing is stored if any index value is
//! bad (but to a destination that nobody sees then, see `AnyViewMut::private`); plain stores to one place resolve to the
//! last (or first) in index order, accumulations apply in index order, at any thread count, bit for bit.

#![allow(unsafe_code)]

mod access;
pub(crate) mod blend;
mod blocks;
mod call;
mod choose;
mod chunked;
mod copy;
mod costs;
mod diagnose;
mod divide;
mod far;
mod fill;
mod group;
mod lanes;
pub(crate) mod mask;
mod moves;
pub(crate) mod nonzero;
mod output;
pub(crate) mod parts;
mod promise;
mod read;
pub(crate) mod resolve;
mod room;
mod run;
mod small;
mod strategy;
mod strips;
mod trace;
mod write;

pub use crate::kernel::cpu::Cpu;
pub use crate::kernel::reduce::Reduce;
pub use access::{Access, Reads};
pub use choose::{prefer_strategy, strategies, with_strategy};
pub use chunked::Assembly;
pub(crate) use copy::{copy, copy_out};
pub use moves::{Meeting, Moved};
pub(crate) use output::{Out, filled, result, result_as};
pub use promise::PROMISES;
pub use strategy::Strategy;
pub use trace::{Traced, Watched, trace, watch};

use crate::dtype::DType;
use crate::error::{ArgumentRule, DTypeRule, Fault, Result};
use crate::index::rules::Duplicates;
pub(crate) use crate::kernel::stored::{Passage, Stored};
use crate::plan::Plan;
use crate::view::{AnyView, AnyViewMut, Form};
pub(crate) use call::Outcome;
use call::{Call, Group, Leaf, Sides, Stage};
use fill::fill_chunk;
use resolve::{IndexOperand, Operands};

/// Reads `linear = indexed[...]`.
///
/// `operands` are the index arrays (or the one mask) in the order the plan registered them. Everything is checked before
/// the first store, unless nobody would see a result left half-written (`AnyViewMut::private`).
///
/// Errors: kind `OutOfRange` under a raising rule; kind `Argument` if the arrays are not those of the plan.
pub(crate) fn read(plan: &Plan, indexed: &AnyView, operands: &[AnyView], linear: &mut AnyViewMut) -> Result<()> {
    let ops = matches(plan, indexed, linear, plan.size, operands)?;
    let sides = Sides { indexed: indexed.as_ptr().cast_mut(), linear: linear.as_mut_ptr() };
    let fill = if plan.may_skip() && plan.bytes() > 0 { fill_chunk(plan, indexed.dtype())? } else { Vec::new() };
    let leaf = Leaf::Read { fill: &fill, fresh: linear.is_fresh() };
    whole(plan, operands, &ops, sides, leaf, linear.is_private()).run("read")
}

/// Writes `indexed[...] = linear`. All or nothing; duplicates by the plan's rules.
///
/// Errors as [`read`], and kind `Duplicate` under [`Duplicates::Error`].
pub(crate) fn write(plan: &Plan, linear: &AnyView, operands: &[AnyView], indexed: &mut AnyViewMut) -> Result<()> {
    let ops = matches(plan, indexed, linear, plan.size, operands)?;
    let sides = Sides { indexed: indexed.as_mut_ptr(), linear: linear.as_ptr().cast_mut() };
    let leaf = Leaf::Write { reversed: plan.rules.duplicates == Duplicates::First };
    whole(plan, operands, &ops, sides, leaf, indexed.is_private()).run("write")
}

/// Combines `linear` into `indexed[...]`, in index order. All or nothing. Under [`Duplicates::Error`] no two values may
/// meet.
///
/// With `include_self` false the addressed places start from the identity of `how`. Half-precision sums are
/// kept as the rules say ([`crate::index::rules::Width`]). Extra memory: none for plain sums, products,
/// minima and maxima, up to 64 KiB with `include_self` false; for means, wide halves and longer rows that start afresh in
/// proportion to the destination (a counter a place, an f32 sum a half) or to the index positions, whichever is less, and
/// 96 MiB at most: then a part of the destination is served at a time.
pub(crate) fn accumulate(
    plan: &Plan,
    linear: &AnyView,
    operands: &[AnyView],
    indexed: &mut AnyViewMut,
    how: Reduce,
    include_self: bool,
) -> Result<()> {
    let ops = matches(plan, indexed, linear, plan.size, operands)?;
    let sides = Sides { indexed: indexed.as_mut_ptr(), linear: linear.as_ptr().cast_mut() };
    let dtype = indexed.dtype();
    if let DType::Opaque { .. } = dtype {
        let fault = Fault::DType { op: plan.op, rule: DTypeRule::Unsupported, given: dtype, wanted: None };
        return Err(plan.rules.fail(fault));
    }
    let group = Group { dtype, how, include_self, passage: None };
    let group = Some(group).filter(|_| group::job::needed(plan, dtype, how, include_self));
    let call = whole(plan, operands, &ops, sides, Leaf::Combine { how, dtype }, indexed.is_private());
    trace::note_factors(linear, how);
    Call { group, ..call }.run("accumulate")
}

/// [`accumulate`] into places of another form than the values have: `linear` is of the dtype of the passage, `indexed` of
/// places as it stores them. Without a passage it is [`accumulate`].
///
/// A value is combined with what its place holds by then, converted there and back, in index order; where the passage says
/// so, and for means and `include_self` false, a place is converted back once, at the end. Nothing of the destination is
/// copied. Extra memory: none, or for places converted once as for means.
pub(crate) fn accumulate_through(
    plan: &Plan,
    linear: &AnyView,
    operands: &[AnyView],
    indexed: &mut AnyViewMut,
    how: Reduce,
    include_self: bool,
    passage: Option<&Passage>,
) -> Result<()> {
    let Some(passage) = passage else { return accumulate(plan, linear, operands, indexed, how, include_self) };
    let ops = matches(plan, indexed, linear, passage.dtype().size(), operands)?;
    let sides = Sides { indexed: indexed.as_mut_ptr(), linear: linear.as_ptr().cast_mut() };
    let group = Group { dtype: passage.dtype(), how, include_self, passage: Some(passage) };
    let group = Some(group).filter(|_| passage.is_once() || how == Reduce::Mean || !include_self);
    let call = whole(plan, operands, &ops, sides, Leaf::Through { how, passage }, indexed.is_private());
    Call { group, ..call }.run("accumulate")
}

/// Checks every index value of a plan without moving anything; fails as the verbs do.
pub(crate) fn check(plan: &Plan, operands: &[AnyView]) -> Result<()> {
    if !plan.can_fail() || operands.iter().any(|v| v.numel() == 0) {
        return Ok(());
    }
    let ops: Operands = operands.iter().map(|v| IndexOperand { ptr: v.as_ptr(), dtype: v.dtype() }).collect();
    let nowhere = Sides { indexed: std::ptr::null_mut(), linear: std::ptr::null_mut() };
    whole(plan, operands, &ops, nowhere, Leaf::Check, true).all_good()
}

/// Calls `each` with the indexed offsets of all positions, in index order and a block at a time, and the number of the first of
/// them. Positions that the rules leave out are [`SKIP`](crate::kernel::SKIP). Masks have no such list.
///
/// Errors: kind `OutOfRange`; kind `Argument` if the arrays are not those of the plan.
pub(crate) fn offsets(plan: &Plan, operands: &[AnyView], mut each: impl FnMut(usize, &[isize])) -> Result<()> {
    let same = plan.select.is_none()
        && operands.len() == plan.operand_layouts.len()
        && operands.iter().zip(&plan.operand_layouts).all(|(v, l)| v.layout() == l);
    if !same {
        let text = "the plan was built for arrays of other shapes or strides";
        return Err(plan.rules.fail(Fault::text(plan.op, ArgumentRule::Other, text)));
    }
    let list: Operands = operands.iter().map(|v| IndexOperand { ptr: v.as_ptr(), dtype: v.dtype() }).collect();
    let total = plan.positions();
    let mut block = resolve::LongBlock::new(resolve::WIDE_BLOCK.min(total));
    for start in (0..total).step_by(resolve::WIDE_BLOCK) {
        let count = resolve::WIDE_BLOCK.min(total - start);
        // SAFETY: L1: the operands have the layouts that the plan was proved for.
        if !unsafe { resolve::resolve(plan, &list, start, count, &mut block) } {
            return Err(diagnose::out_of_range(plan, operands));
        }
        each(start, &block.indexed[..count]);
    }
    Ok(())
}

/// A call as its user made it.
fn whole<'c>(
    plan: &'c Plan,
    views: &'c [AnyView<'c>],
    operands: &'c Operands,
    sides: Sides,
    leaf: Leaf<'c>,
    private: bool,
) -> Call<'c> {
    Call {
        plan,
        views,
        operands,
        sides,
        leaf,
        private,
        group: None,
        stage: Stage::Whole,
        above: None,
        runner: &run::RUNNER,
    }
}

/// The index arrays as addresses, if all arrays are those of the plan and the elements of the linear side have `size` bytes.
#[inline]
fn matches(
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
    operands.iter().for_each(|v| list.push(IndexOperand { ptr: v.as_ptr(), dtype: v.dtype() }));
    Ok(list)
}
