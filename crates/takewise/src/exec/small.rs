//! Small calls, of a few positions: what the general way does with a block, on the stack, without parts and strategies, which pay
//! only where there is much to do.
//!
//! The same three steps in the same order as in `resolve`: values are loaded once into memory of our own, checked there,
//! and only then moved by. All of them are checked before the first store, so nothing has to be looked at twice.

use super::call::{Leaf, Outcome, Sides};
use super::lanes::{lanes, serve};
use super::resolve::{Along, Block, IndexOperand, Named, Onward, SKIP, check_body, widen_body};
use crate::dims::advance;
use crate::dtype::DType;
use crate::kernel::{move_, reduce};
use crate::plan::{Loop, Plan};
use crate::threads;
use std::hint::black_box;

/// Positions, and lanes, there is room for.
const MOST: usize = 32;

/// Index loops there is room for.
const RANK: usize = 4;

/// Whether a plan is one of these, of at most [`MOST`] positions and lanes, with something to do.
#[inline]
pub(super) fn suits(plan: &Plan) -> bool {
    if plan.index.len() > RANK || plan.select.is_some() || plan.flat_linear {
        return false;
    }
    let (positions, lanes) = (plan.positions(), plan.lanes());
    // So few of each that their product is a number.
    (1..=MOST).contains(&positions)
        && (1..=MOST).contains(&lanes)
        && plan.chunk > 0
        && threads::parts_for((positions * lanes).saturating_mul(plan.chunk)) <= 1
}

/// Runs a leaf over all positions and lanes.
///
/// # Safety
/// The arrays match the plan (L1, L3), which [`suits`].
pub(super) unsafe fn run(plan: &Plan, operands: &[IndexOperand], sides: Sides, leaf: Leaf) -> Outcome {
    let count = plan.positions();
    // Clearing room for the most would be a tenth of what the fewest cost.
    // SAFETY: passed on.
    unsafe {
        if count <= MOST / 4 {
            run_in::<{ MOST / 4 }>(plan, count, operands, sides, leaf)
        } else {
            run_in::<MOST>(plan, count, operands, sides, leaf)
        }
    }
}

/// [`run`], with room for so many positions.
///
/// # Safety
/// As [`run`].
unsafe fn run_in<const ROOM: usize>(
    plan: &Plan,
    count: usize,
    operands: &[IndexOperand],
    sides: Sides,
    leaf: Leaf,
) -> Outcome {
    let mut block = Block::<ROOM>::EMPTY;
    let offsets = &mut block.indexed[..count];
    // SAFETY: passed on.
    if !unsafe { resolve(plan, operands, &mut block.raw[..count], offsets) } {
        return Outcome::BadIndex;
    }
    if matches!(leaf, Leaf::Check) {
        return Outcome::Good;
    }
    let chunk = plan.chunk;
    let store = |o: isize, by: isize, l: isize| {
        if o != SKIP {
            // SAFETY: R1 and L1.
            unsafe { move_::one(chunk, sides.indexed.offset(o + by), sides.linear.offset(l)) }
        }
    };
    if let ([], [] | [_]) = (&plan.free[..], &plan.index[..]) {
        let step = plan.index.first().map_or(0, |l| l.linear);
        match leaf {
            // A plan that skips comes with a chunk to fill in.
            Leaf::Read { fill: [], .. } => {
                // SAFETY: R1 and L1.
                unsafe { move_::read_small(chunk, sides.linear, step, sides.indexed, offsets) };
                return Outcome::Good;
            }
            Leaf::Combine { how, dtype } => {
                let at = move_::Linear::Even(step);
                // SAFETY: R1 for the offsets, L1 for both sides.
                unsafe { reduce::accumulate(dtype, how, chunk, sides.indexed, offsets, sides.linear, at) };
                return Outcome::Good;
            }
            _ => {}
        }
    }
    match leaf {
        Leaf::Read { fill, .. } => lanes(&plan.free, |at_linear, at_indexed| {
            each(&plan.index, offsets, at_linear, |o, l| {
                // SAFETY: R1 and L1 for what is not skipped.
                unsafe {
                    let from =
                        if o == SKIP { fill.as_ptr() } else { sides.indexed.offset(o + at_indexed).cast_const() };
                    move_::one(chunk, sides.linear.offset(l), from);
                }
            });
        }),
        Leaf::Write { reversed: false } => lanes(&plan.free, |at_linear, at_indexed| {
            each(&plan.index, offsets, at_linear, |o, l| store(o, at_indexed, l));
        }),
        _ => {
            let linear = &mut block.linear[..count];
            spread(&plan.index, |l| l.linear, 0, linear);
            if matches!(leaf, Leaf::Write { .. }) {
                lanes(&plan.free, |at_linear, at_indexed| {
                    let last_first = offsets.iter().zip(&*linear).rev();
                    last_first.for_each(|(o, l)| store(*o, at_indexed, l + at_linear));
                });
            } else {
                // SAFETY: R1 for the offsets, L1 for both sides.
                unsafe { serve(plan, leaf, sides.indexed, sides.linear, move_::Linear::Table(linear), offsets) }
            }
        }
    }
    Outcome::Good
}

/// Resolves all positions; `false` at a bad value under a rule that raises.
///
/// # Safety
/// The operands are the plan's (L1).
#[inline(always)]
unsafe fn resolve(plan: &Plan, operands: &[IndexOperand], raw: &mut [i64], offsets: &mut [isize]) -> bool {
    if let ([inner], [axis]) = (&plan.index[..], &plan.axes[..]) {
        let along = Along { base: plan.offset, step: inner.indexed };
        // SAFETY: L1: the values of the row lie in the operand's hull, as the plan proves.
        unsafe { load(Named::of(plan, axis, operands[axis.operand], 0, inner.operands[axis.operand]), raw) };
        return check_body(axis, &plan.rules, black_box(&*raw), offsets, along);
    }
    spread(&plan.index, |l| l.indexed, plan.offset, offsets);
    for axis in &plan.axes {
        let operand = operands[axis.operand];
        rows(
            &plan.index,
            |l| l.operands[axis.operand],
            |first, n, base, step| {
                // SAFETY: L1: base and step stay in the operand's hull, as the plan proves.
                unsafe { load(Named::of(plan, axis, operand, base, step), &mut raw[first..first + n]) };
            },
        );
        if !check_body(axis, &plan.rules, black_box(&*raw), offsets, Onward) {
            return false;
        }
    }
    true
}

/// Calls `f(offset, linear)` for every position: its offset in the indexed side, and where the loops have it in the linear
/// side from `start` on.
#[inline(always)]
fn each(loops: &[Loop], offsets: &[isize], start: isize, mut f: impl FnMut(isize, isize)) {
    rows(
        loops,
        |l| l.linear,
        |first, n, base, by| {
            let mut at = start.wrapping_add(base);
            for &o in &offsets[first..first + n] {
                f(o, at);
                at = at.wrapping_add(by);
            }
        },
    );
}

/// Values of a row of positions, once, into memory of our own.
///
/// # Safety
/// As many as there is room for are readable (L1).
#[inline(always)]
unsafe fn load(named: Named, raw: &mut [i64]) {
    // SAFETY: passed on.
    unsafe { load_plain(named.dtype, named.first, named.each, named.modulus(), raw) }
}

/// [`load`] as a function, whose arguments go by registers.
///
/// # Safety
/// As there.
unsafe fn load_plain(dtype: DType, from: *const u8, step: isize, modulus: Option<u64>, raw: &mut [i64]) {
    // SAFETY: passed on.
    unsafe { widen_body(dtype, from, step, modulus, raw) }
}

/// Where every position lies that is stepped to by loops alone.
#[inline(always)]
fn spread(loops: &[Loop], step: impl Fn(&Loop) -> isize, start: isize, to: &mut [isize]) {
    rows(loops, step, |first, n, base, by| {
        let mut at = start + base;
        for o in &mut to[first..first + n] {
            *o = at;
            at = at.wrapping_add(by);
        }
    });
}

/// Calls `f(first position, positions, offset of the first, step)` for each stretch along the innermost loop.
#[inline(always)]
fn rows(loops: &[Loop], step: impl Fn(&Loop) -> isize, mut f: impl FnMut(usize, usize, isize, isize)) {
    let Some((inner, outer)) = loops.split_last() else { return f(0, 1, 0, 0) };
    let (n, by) = (inner.extent, step(inner));
    let (mut at, mut first, mut base) = ([0; RANK], 0, 0isize);
    loop {
        f(first, n, base, by);
        first += n;
        let moved = |d: usize, by: isize| base = base.wrapping_add(step(&outer[d]).wrapping_mul(by));
        if !advance(&mut at[..outer.len()], 1, |d| outer[d].extent, moved) {
            return;
        }
    }
}
