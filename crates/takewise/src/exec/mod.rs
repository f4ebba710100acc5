//! Running plans: the three verbs [`read`], [`write()`] and [`accumulate`].
//!
//! A verb checks that the arrays are those the plan was proved for, divides the work (`own`), and per part
//! turns blocks of index positions into offsets (`resolve`, `mask`) that a leaf then serves.
//!
//! * **E1** two parts of one call never write the same byte: their destination ranges differ, see `own`.
//! * **E2** an output is fully defined before it is exposed: a fresh one is filled by a plan that covers it, else starts
//!   as zero bytes (`output`).
//!
//! Promises for writes and accumulations (architecture section 7): nothing is stored if any index value is bad (but to a
//! destination that nobody sees then, see `AnyViewMut::private`); plain stores to one place resolve to the last (or first) in
//! index order, accumulations apply in index order, at any thread count, bit for bit.

#![allow(unsafe_code)]

mod afresh;
mod aside;
mod bounded;
mod bucket;
mod costs;
mod counted;
mod diagnose;
mod few;
mod fill;
mod grid;
mod grouped;
mod lane;
mod last;
pub(crate) mod mask;
mod outer;
mod output;
mod own;
mod pick;
mod place;
#[cfg(feature = "rayon")]
pub(crate) mod pool;
pub(crate) mod resolve;
mod short;
mod strips;
pub(crate) mod threads;
mod trace;
mod turn;
mod within;

pub use crate::kernel::cpu::Cpu;
pub use crate::kernel::reduce::Reduce;
pub use costs::eagerly;
pub(crate) use output::{Out, filled, result, result_as};
pub use threads::{on_threads, prepare, set_threads, threads, with_threads};
pub use trace::{Traced, trace};

use crate::dtype::DType;
use crate::error::{ArgumentRule, DTypeRule, Fault, Result};
use crate::index::rules::{Duplicates, Empty};
use crate::kernel::move_;
pub use crate::kernel::stored::{Passage, Stored};
use crate::plan::Plan;
use crate::view::{AnyView, AnyViewMut, Form};
use costs::costs;
use fill::fill_chunk;
pub(crate) use lane::lanes;
use lane::serve;
use mask::Cursor;
use own::{Own, Part};
use resolve::{Block, Operand};
use short::Short;
use smallvec::SmallVec;
use strips::Strips;

/// Positions resolved at a time.
const BLOCK: usize = 512;
/// The same where many lanes reuse a block, so that rows stay in cache meanwhile.
const WIDE_BLOCK: usize = 4096;

/// What the leaf does with a block.
#[derive(Clone, Copy)]
enum Leaf<'a> {
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
struct Sides {
    indexed: *mut u8,
    linear: *mut u8,
}

// SAFETY: the addresses come from views that are borrowed for the whole call (L1, L3), and parts write
// disjoint ranges (E1).
unsafe impl Send for Sides {}
// SAFETY: as above.
unsafe impl Sync for Sides {}

type Operands = SmallVec<[Operand; 2]>;

fn matches(plan: &Plan, indexed: &impl Form, linear: &impl Form, operands: &[AnyView]) -> Result<Operands> {
    matches_as(plan, indexed, linear, plan.size, operands)
}

/// [`matches`], where the elements of the linear side have `size` bytes.
fn matches_as(
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

/// Reads `linear = indexed[...]`.
///
/// `operands` are the index arrays (or the one mask) in the order the plan registered them. Everything is checked before
/// the first store, unless nobody would see a result left half-written (`AnyViewMut::private`).
///
/// Errors: kind `OutOfRange` under a raising rule; kind `Argument` if the arrays are not those of the plan.
pub fn read(plan: &Plan, indexed: &AnyView, operands: &[AnyView], linear: &mut AnyViewMut) -> Result<()> {
    let ops = matches(plan, indexed, linear, operands)?;
    if trace::note("read", plan) {
        return Ok(());
    }
    let sides = Sides { indexed: indexed.as_ptr().cast_mut(), linear: linear.as_mut_ptr() };
    let few = few::suits(plan);
    if !few && nothing_to_do(plan, operands, &ops, sides)? {
        return Ok(());
    }
    let fill = if plan.may_skip() { fill_chunk(plan, indexed.dtype())? } else { Vec::new() };
    let leaf = Leaf::Read { fill: &fill, fresh: linear.is_fresh() };
    if few {
        return run_few(plan, operands, &ops, sides, leaf);
    }
    if !linear.is_private() && plan.can_fail() && !checks_all_at_once(plan) {
        all_good(plan, operands, &ops, sides)?;
    }
    run(plan, operands, &ops, sides, leaf)
}

/// Writes `indexed[...] = linear`. All or nothing; duplicates by the plan's rules.
///
/// Errors as [`read`], and kind `Duplicate` under [`Duplicates::Error`].
pub fn write(plan: &Plan, linear: &AnyView, operands: &[AnyView], indexed: &mut AnyViewMut) -> Result<()> {
    let ops = matches(plan, indexed, linear, operands)?;
    if trace::note("write", plan) {
        return Ok(());
    }
    let sides = Sides { indexed: indexed.as_mut_ptr(), linear: linear.as_ptr().cast_mut() };
    let (few, refuses) = (few::suits(plan), plan.rules.duplicates == Duplicates::Error);
    if !few && nothing_to_do(plan, operands, &ops, sides)? {
        return Ok(());
    }
    let leaf = Leaf::Write { reversed: plan.rules.duplicates == Duplicates::First };
    if !refuses && few {
        return run_few(plan, operands, &ops, sides, leaf);
    }
    // SAFETY: the operands are the plan's.
    let short = unsafe { Short::of(plan, &ops, leaf) };
    if !refuses
        && let Some(short) = &short
        // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
        && let Some(outcome) = unsafe { last::write(plan, &ops, sides, short) }
    {
        return outcome.told(plan, operands);
    }
    if plan.can_fail() && (refuses || !indexed.is_private() && !checks_all_at_once(plan)) {
        if let Some(extent) = aside::extent(plan, &ops) {
            // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
            return unsafe { aside::write(plan, operands, &ops, sides, leaf, extent) };
        }
        if refuses || !short.as_ref().is_some_and(Short::checks_all) {
            all_good(plan, operands, &ops, sides)?;
        }
    }
    if refuses && plan.select.is_none() {
        // SAFETY: the operands match the plan.
        unsafe { diagnose::refuse_duplicates(plan, operands, &ops)? };
    }
    run_as(plan, operands, &ops, sides, leaf, short.as_ref())
}

/// Combines `linear` into `indexed[...]`, in index order. All or nothing. Under [`Duplicates::Error`] no two values may
/// meet.
///
/// With `include_self` false the addressed places start from the identity of `how`. Half-precision sums are
/// kept as the rules say ([`crate::index::rules::Width`]). Extra memory: none for plain sums, products,
/// minima and maxima, up to 64 KiB with `include_self` false; for means, wide halves and longer rows that start afresh in
/// proportion to the destination (a counter a place, an f32 sum a half) or to the index positions, whichever is less, and
/// 96 MiB at most: then a part of the destination is served at a time.
pub fn accumulate(
    plan: &Plan,
    linear: &AnyView,
    operands: &[AnyView],
    indexed: &mut AnyViewMut,
    how: Reduce,
    include_self: bool,
) -> Result<()> {
    let ops = matches(plan, indexed, linear, operands)?;
    if trace::note("accumulate", plan) {
        return Ok(());
    }
    let sides = Sides { indexed: indexed.as_mut_ptr(), linear: linear.as_ptr().cast_mut() };
    let (few, dtype) = (few::suits(plan), indexed.dtype());
    if let DType::Opaque { .. } = dtype {
        let fault = Fault::DType { op: plan.op, rule: DTypeRule::Unsupported, given: dtype, wanted: None };
        return Err(plan.rules.fail(fault));
    }
    if !few && nothing_to_do(plan, operands, &ops, sides)? {
        return Ok(());
    }
    if plan.rules.duplicates == Duplicates::Error && plan.select.is_none() {
        if plan.can_fail() {
            all_good(plan, operands, &ops, sides)?;
        }
        // SAFETY: the operands match the plan.
        unsafe { diagnose::refuse_duplicates(plan, operands, &ops)? };
    }
    let leaf = Leaf::Combine { how, dtype };
    if grouped::needed(plan, dtype, how, include_self) {
        if let Some(done) = afresh::run(plan, operands, &ops, sides, (dtype, how), indexed.is_private()) {
            return done;
        }
        let (most, views, operands) = (bounded::most(plan, operands), operands, &ops);
        let (window, summed, passage) = (None, None, None);
        let job =
            bounded::Job { plan, views, operands, sides, dtype, how, include_self, passage, most, window, summed };
        // Every index value is met, in private memory, before the first store.
        // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
        return unsafe { job.run() };
    }
    if few {
        return run_few(plan, operands, &ops, sides, leaf);
    }
    // SAFETY: the operands are the plan's.
    let short = unsafe { Short::of(plan, &ops, leaf) };
    if plan.can_fail() && !indexed.is_private() {
        if let Some(extent) = aside::extent(plan, &ops) {
            // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
            return unsafe { aside::write(plan, operands, &ops, sides, leaf, extent) };
        }
        if !short.as_ref().is_some_and(Short::checks_all) {
            all_good(plan, operands, &ops, sides)?;
        }
    }
    run_as(plan, operands, &ops, sides, leaf, short.as_ref())
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
    let ops = matches_as(plan, indexed, linear, passage.dtype().size(), operands)?;
    if trace::note("accumulate", plan) {
        return Ok(());
    }
    let sides = Sides { indexed: indexed.as_mut_ptr(), linear: linear.as_ptr().cast_mut() };
    if nothing_to_do(plan, operands, &ops, sides)? {
        return Ok(());
    }
    if plan.rules.duplicates == Duplicates::Error && plan.select.is_none() {
        if plan.can_fail() {
            all_good(plan, operands, &ops, sides)?;
        }
        // SAFETY: the operands match the plan.
        unsafe { diagnose::refuse_duplicates(plan, operands, &ops)? };
    }
    if passage.is_once() || how == Reduce::Mean || !include_self {
        let (most, dtype) = (bounded::most(plan, operands), passage.dtype());
        let (views, operands, passage) = (operands, &ops, Some(passage));
        let (window, summed) = (None, None);
        let job =
            bounded::Job { plan, views, operands, sides, dtype, how, include_self, passage, most, window, summed };
        // SAFETY: the arrays match the plan (L1, L3) and are borrowed for this call.
        return unsafe { job.run() };
    }
    if plan.can_fail() && !indexed.is_private() {
        all_good(plan, operands, &ops, sides)?;
    }
    run_as(plan, operands, &ops, sides, Leaf::Through { how, passage }, None)
}

/// Checks every index value of a plan without moving anything; fails as the verbs do.
pub(crate) fn check(plan: &Plan, operands: &[AnyView]) -> Result<()> {
    if !plan.can_fail() || operands.iter().any(|v| v.numel() == 0) {
        return Ok(());
    }
    let ops: Operands = operands.iter().map(|v| Operand { ptr: v.as_ptr(), dtype: v.dtype() }).collect();
    let nowhere = Sides { indexed: std::ptr::null_mut(), linear: std::ptr::null_mut() };
    all_good(plan, operands, &ops, nowhere)
}

/// Runs a plan of a few positions, all of which are checked before the first store.
fn run_few(plan: &Plan, operands: &[AnyView], ops: &Operands, sides: Sides, leaf: Leaf) -> Result<()> {
    // SAFETY: the arrays match the plan (L1, L3), which suits.
    unsafe { few::run(plan, ops, sides, leaf) }.told(plan, operands)
}

/// Whether every index value of more than a few positions is checked before the first store anyway: one part, one block.
fn checks_all_at_once(plan: &Plan) -> bool {
    plan.positions() <= BLOCK
        && plan.positions() < costs().many
        && threads::parts_for(threads::work(plan)) <= 1
        && Strips::of(plan, false).is_none()
        && !pick::formed(plan)
}

/// Handles empty work, which may still have to be checked.
fn nothing_to_do(plan: &Plan, operands: &[AnyView], ops: &Operands, sides: Sides) -> Result<bool> {
    if plan.positions() > 0 && plan.lanes() > 0 && plan.chunk > 0 {
        return Ok(false);
    }
    // A stretched operand without elements leaves no index loop behind, and nothing to look at.
    let values = plan.positions() > 0 && operands.iter().all(|v| v.numel() > 0);
    if plan.can_fail() && values && plan.rules.empty == Empty::StillChecks {
        all_good(plan, operands, ops, sides)?;
    }
    Ok(true)
}

/// Fails with a full diagnosis if any index value is bad.
fn all_good(plan: &Plan, operands: &[AnyView], ops: &Operands, sides: Sides) -> Result<()> {
    run(plan, operands, ops, sides, Leaf::Check)
}

/// Divides the work and runs every part.
fn run(plan: &Plan, operands: &[AnyView], ops: &Operands, sides: Sides, leaf: Leaf) -> Result<()> {
    // SAFETY: the operands are the plan's.
    let short = unsafe { Short::of(plan, ops, leaf) };
    run_as(plan, operands, ops, sides, leaf, short.as_ref())
}

/// [`run`], once it is known whether and how the plan is served in short blocks.
fn run_as(
    plan: &Plan,
    operands: &[AnyView],
    ops: &Operands,
    sides: Sides,
    leaf: Leaf,
    short: Option<&Short>,
) -> Result<()> {
    let check = matches!(leaf, Leaf::Check);
    let looked_at = plan.select.as_deref().map_or(0, Cursor::extent);
    let work =
        if check { plan.positions().saturating_mul(8) } else { threads::work(plan).saturating_add(looked_at / 4) };
    let many = threads::parts_for(work);
    let few = few::suits(plan);
    let strips = if check || few || matches!(leaf, Leaf::Widen { .. } | Leaf::Through { .. }) {
        None
    } else {
        Strips::of(plan, matches!(leaf, Leaf::Read { .. }))
    };
    let outcome = if few {
        // SAFETY: the arrays match the plan (L1, L3).
        unsafe { few::run(plan, ops, sides, leaf) }
    } else if let Some(strips) = strips {
        // SAFETY: the arrays match the plan (L1, L3).
        unsafe { strips.run(ops, sides, leaf) }
    } else if many <= 1 {
        // SAFETY: the arrays match the plan (L1, L3).
        unsafe { run_part(&own::whole(plan, ops), sides, leaf, short) }
    } else {
        let window = match (short.is_some_and(Short::places), Cpu::current().compresses()) {
            (true, true) => costs().window_packed,
            (true, false) => costs().window_placed,
            (false, _) => costs().window,
        };
        let shares = check || matches!(leaf, Leaf::Read { .. });
        // SAFETY: the operands match the plan.
        let parts = unsafe { own::divide(plan, ops, shares, check, window, many) };
        threads::run_all(&parts, |part| {
            // SAFETY: the arrays match the plan (L1, L3), and parts are disjoint (E1).
            unsafe {
                match (&part.plan, short) {
                    (Own::Cut(cut), Some(short)) => {
                        run_part(part, sides, leaf, short.cut(cut, &part.operands, leaf).as_ref())
                    }
                    (_, short) => run_part(part, sides, leaf, short),
                }
            }
        })
    };
    outcome.told(plan, operands)
}

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
    fn told(self, plan: &Plan, operands: &[AnyView]) -> Result<()> {
        match self {
            Outcome::Good => Ok(()),
            Outcome::BadIndex => Err(diagnose::out_of_range(plan, operands)),
            Outcome::Changed => Err(diagnose::changed(plan)),
        }
    }
}

/// Serves all positions of a part, block by block, for all its lanes.
unsafe fn run_part(part: &Part, sides: Sides, leaf: Leaf, short: Option<&Short>) -> Outcome {
    // SAFETY: passed on.
    if let Some(outcome) = unsafe { mask::serve(part, sides, leaf) } {
        return outcome;
    }
    let plan: &Plan = &part.plan;
    if matches!(leaf, Leaf::Check) {
        // SAFETY: the operands are the plan's.
        let good = unsafe { resolve::verify(plan, &part.operands, part.start, part.end - part.start) };
        return if good { Outcome::Good } else { Outcome::BadIndex };
    }
    if let Some(short) = short {
        // SAFETY: passed on.
        return unsafe { short.serve(part, sides, leaf) };
    }
    if let Leaf::Read { .. } | Leaf::Write { .. } = leaf
        // SAFETY: passed on.
        && let Some(outcome) = unsafe { turn::serve(part, sides, leaf) }
    {
        return outcome;
    }
    if let Leaf::Read { fresh, fill } = leaf {
        // SAFETY: passed on.
        let served = unsafe { pick::serve(part, sides, fill, fresh).or_else(|| outer::serve(part, sides)) };
        if let Some(outcome) = served {
            return outcome;
        }
    }
    let capacity = if plan.free.is_empty() { BLOCK } else { WIDE_BLOCK }.min(part.end - part.start);
    let mut block = Block::borrow(capacity);
    let even = resolve::even_linear(plan);
    // Positions of the part's loops; a check has no sides, so nothing is said about them here.
    let (indexed, linear) = (sides.indexed.wrapping_offset(part.indexed), sides.linear.wrapping_offset(part.linear));
    let mut cursor = match (&plan.select, part.operands.first()) {
        // SAFETY: the mask is the plan's (L1).
        (Some(s), Some(m)) => Some(unsafe { Cursor::new(s, m.ptr, part.mask.0, part.mask.1) }),
        _ => None,
    };
    let reversed = matches!(leaf, Leaf::Write { reversed: true }) && cursor.is_none();
    let mut done = 0;
    let total = part.end - part.start;
    while done < total {
        let mut count = capacity.min(total - done);
        let start = if reversed { part.end - done - count } else { part.start + done };
        if let Some(cursor) = &mut cursor {
            cursor.fill(plan.offset, capacity.max(BLOCK), &mut block.indexed);
            block.indexed.truncate(count);
            count = block.indexed.len();
            if count == 0 {
                let counted = plan.select.as_ref().is_none_or(|s| s.counted);
                return if counted { Outcome::Changed } else { Outcome::Good };
            }
        } else {
            // SAFETY: the operands are the plan's.
            if !unsafe { resolve::resolve(plan, &part.operands, start, count, &mut block) } {
                return Outcome::BadIndex;
            }
        }
        done += count;
        if let Some((low, high)) = part.window {
            for o in &mut block.indexed {
                if *o < low || *o >= high {
                    *o = resolve::SKIP;
                }
            }
        }
        let base = match even {
            Some(step) => start as isize * step,
            None => {
                resolve::linear_offsets(plan, start, count, &mut block);
                0
            }
        };
        let (base, step) = match (even, reversed) {
            (Some(step), true) => (base + (count as isize - 1) * step, -step),
            (Some(step), false) => (base, step),
            (None, _) => (0, 0),
        };
        if reversed {
            block.indexed.reverse();
            block.linear.reverse();
        }
        let at = if even.is_some() { move_::Linear::Even(step) } else { move_::Linear::Table(&block.linear) };
        // SAFETY: R1 for the block, L1 for the linear side, E1 between parts.
        unsafe { serve(plan, leaf, indexed, linear.offset(base), at, &block.indexed) };
    }
    Outcome::Good
}
