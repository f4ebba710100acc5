//! Writes and sums through one index axis in one pass ([`kernel::scatter`](crate::kernel::scatter)): what [`read::fused`](crate::exec::read::fused) is
//! to reads. The rows are those of [`blocks`](crate::exec::write::blocks), which serves what this does not: places of many elements.
//!
//! A part that owns a window of the destination looks at every position, closes the gaps between those that fall into the window
//! a word at a time, and places what is left: a branch that goes either way would cost more than the move. So does one whose rule
//! leaves positions out, where it meets some. Other rules bring values inside in private memory, as vectors.

use crate::bounds::modulus;
use crate::dtype::DType;
use crate::exec::call::{Leaf, Sides};
use crate::exec::costs::{at_a_time, costs, is_met};
use crate::exec::resolve::{Block, Named, row_step, widen};
use crate::exec::write::blocks::InnerRow;
use crate::index::rules::{Outside, Rules, Sign};
use crate::kernel::bounds::{inside, none_outside};
use crate::kernel::cpu::{prefetch_all, prefetch_on};
use crate::kernel::gather::ROWS_AHEAD;
use crate::kernel::level::WORD;
use crate::kernel::reduce::Reduce;
use crate::kernel::scatter::{Known, Lie, Naming, Place, ScatterRun, combining, keep, storing, summing, widening};
use crate::plan::{Axis, Loop, Plan};
use std::hint::black_box;
use std::ops::Range;

/// Positions placed at a time.
const PIECE: usize = 64;

/// Positions whose values are brought into private memory for a piece: its own, and those asked for ahead of it.
const KNOWN: usize = 2 * PIECE;

/// Positions of a window, or from one that is left out on, placed at a time.
const LIST: usize = 4 * WORD;

/// Positions ahead that places are asked for.
const AHEAD: usize = 32;

/// How far apart positions are compared: where most name one place, sums are made run by run.
const REPEATS: usize = 8;

/// A window with room for any offset, as an array has no more bytes, but for that of positions left out.
const EVERYWHERE: (isize, isize) = (isize::MIN / 2, isize::MAX / 2);

/// How the rows of a plan are placed.
pub(crate) struct Placing {
    place: Place,
    naming: Naming,
    rules: Rules,
    /// Steps to the next row of index values and of values, if rows are short and lie apart.
    rows: (isize, isize),
    /// The step to the next row of places and its bytes, if the nearest cache has room for both.
    next: Option<(isize, usize)>,
    /// Whether index values and values are asked for ahead: there are many, from beyond the caches.
    asks: bool,
    /// Whether a row is placed in one go: nothing is asked for on the way, and no place is looked for that many name.
    whole: bool,
}

impl Placing {
    /// For a plan that [`blocks`](crate::exec::write::blocks) takes.
    pub(crate) fn of(plan: &Plan, axis: &Axis, inner: &Loop, leaf: Leaf) -> Option<Placing> {
        let costs = costs();
        let reach = axis.len.saturating_mul(axis.step.unsigned_abs());
        let store = matches!(leaf, Leaf::Write { .. });
        let far = reach >= if store { costs.far_stores } else { costs.far_sums };
        let element = match leaf {
            Leaf::Widen { .. } => size_of::<f32>(),
            _ => plan.chunk,
        };
        let lie = match inner.linear {
            _ if axis.step != element as isize || inner.indexed != 0 => Lie::Apart,
            0 => Lie::One,
            by if by == plan.chunk as isize => Lie::Side,
            _ => Lie::Apart,
        };
        let known = Known { far, lie };
        let place = match leaf {
            Leaf::Write { .. } => storing(plan.chunk, known),
            Leaf::Combine { how, dtype } if plan.chunk == dtype.size() => combining(dtype, how, known),
            Leaf::Combine { how: Reduce::Sum | Reduce::Mean, dtype } => {
                summing(dtype, plan.chunk / dtype.size(), known)
            }
            Leaf::Widen { how, dtype } if plan.chunk == dtype.size() => widening(dtype, how, known),
            _ => None,
        }?;
        let naming = Naming {
            len: axis.len,
            step: axis.step,
            from_end: plan.rules.sign == Sign::FromEnd,
            along: inner.indexed,
            by: inner.linear,
            ahead: if far { at_a_time(AHEAD, 3) } else { 0 },
            apart: at_a_time(REPEATS, 1),
        };
        let asks = plan.positions() >= costs.asked_writes;
        let mut values = 0;
        let mut next = None;
        if let [.., rows, _] = &plan.index[..] {
            let bytes = inner.linear.unsigned_abs().saturating_mul(inner.extent);
            if (64..=4096).contains(&bytes) && rows.linear.unsigned_abs() > bytes {
                values = rows.linear;
            }
            let near = is_met(reach, inner.extent) && axis.step > 0;
            next = (asks && inner.indexed == 0 && rows.indexed != 0 && near).then_some((rows.indexed, reach));
        }
        let rows = (row_step(plan, axis.operand), values);
        let whole = store && !asks;
        Some(Placing { place, naming, rules: plan.rules, rows, next, asks, whole })
    }

    /// Serves a row of a part that stores to a window of the destination only; `false` at a bad value.
    ///
    /// # Safety
    /// As [`Short::serve`](crate::exec::write::blocks::Short::serve); the window is the part's own (E1).
    pub(crate) unsafe fn serve_window(&self, row: &InnerRow, sides: Sides, window: (isize, isize)) -> bool {
        // SAFETY: passed on.
        unsafe { self.serve_some(row, sides, window, 0..row.count) }
    }

    /// [`Placing::serve_window`] for some positions of a row.
    ///
    /// # Safety
    /// As there.
    unsafe fn serve_some(&self, row: &InnerRow, sides: Sides, (low, high): (isize, isize), some: Range<usize>) -> bool {
        let (operand, each) = row.index();
        let (values, by) = row.values_from(sides, 0);
        let Naming { along, .. } = self.naming;
        let mut block = Block::<WORD>::EMPTY;
        let (mut kept, mut at) = ([0isize; LIST], [0isize; LIST]);
        let mut n = 0;
        for start in some.clone().step_by(WORD) {
            let count = WORD.min(some.end - start);
            let first = operand.ptr.wrapping_offset(start as isize * each);
            prefetch_on(first, each, WORD);
            prefetch_on(values.wrapping_offset(start as isize * by), by, WORD);
            let named = Named { axis: row.axis(), rules: &self.rules, dtype: operand.dtype, first, each };
            // SAFETY: L1: the values of the row lie in the operand's hull, as the plan proves.
            if !unsafe { block.resolve(&named, row.indexed + start as isize * along, along, count) } {
                return false;
            }
            // SAFETY: fewer than a word are left to be placed before there is no room for another; R1 for the offsets, L1 for
            // the values, E1 for the window. What is left out is far below any window.
            unsafe {
                let (kept_to, at_to) = (kept.as_mut_ptr().add(n), at.as_mut_ptr().add(n));
                n += keep(&block.indexed, count, low, (high - low) as usize, start as isize * by, by, kept_to, at_to);
                if n + WORD > LIST || start + WORD >= some.end {
                    (self.place.listed)(sides.indexed, &kept[..n], values, &at[..n]);
                    n = 0;
                }
            }
        }
        true
    }

    /// Brings values inside, as the rule says. `false` if it leaves positions out and has some of the first `count` to leave out;
    /// if it has none, only those after them are brought inside, which are asked for and no more.
    fn bring_inside(&self, raw: &mut [i64], count: usize) -> bool {
        let (len, Rules { sign, outside, .. }) = (self.naming.len, self.rules);
        let (own, later) = raw.split_at_mut(count);
        // SAFETY: K1.
        unsafe {
            if matches!(outside, Outside::Fill | Outside::Drop) {
                inside(len, sign, Outside::Clip, later);
                return none_outside(len, sign, own);
            }
            inside(len, sign, outside, raw);
        }
        true
    }

    /// Serves a row; `false` at a bad value.
    ///
    /// # Safety
    /// As [`Short::serve`](crate::exec::write::blocks::Short::serve); the row's part owns the whole destination of the plan.
    pub(crate) unsafe fn serve(&self, row: &InnerRow, sides: Sides) -> bool {
        let (operand, each) = row.index();
        let at = |start: usize| operand.ptr.wrapping_offset(start as isize * each);
        let to = sides.indexed.wrapping_offset(row.indexed);
        let (values, by) = row.values_from(sides, 0);
        let ask = |from: *const u8, step: isize, bytes: usize| {
            if step != 0 {
                prefetch_all(from.wrapping_offset(step.wrapping_mul(ROWS_AHEAD)), bytes);
            }
        };
        ask(operand.ptr, self.rows.0, row.count * operand.dtype.size());
        ask(values, self.rows.1, row.count * by.unsigned_abs());
        if self.rules.outside != Outside::Raise {
            // SAFETY: passed on.
            unsafe { self.serve_ruled(row, sides) };
            return true;
        }
        let direct = operand.dtype == DType::I64 && each == size_of::<i64>() as isize;
        let piece = if direct && self.whole { row.count.max(1) } else { PIECE };
        for start in (0..row.count).step_by(piece) {
            let count = piece.min(row.count - start);
            if let Some((step, bytes)) = self.next {
                let share = (bytes * PIECE).div_ceil(row.count);
                let first = share * (start / PIECE);
                prefetch_all(to.wrapping_offset(step + first as isize), share.min(bytes.saturating_sub(first)));
            }
            let (to, values) = (
                to.wrapping_offset(start as isize * self.naming.along),
                values.wrapping_offset(start as isize * self.naming.by),
            );
            if self.asks {
                prefetch_on(at(start), each, PIECE);
                prefetch_on(values, by, PIECE);
            }
            let mut raw;
            let (first, known) = if direct {
                (at(start).cast::<i64>(), row.count - start)
            } else {
                raw = [0i64; KNOWN];
                let known = (count + self.naming.ahead).min(row.count - start).min(KNOWN);
                // SAFETY: L1: the values of the row lie in the operand's hull, as the plan proves.
                unsafe { widen(operand.dtype, at(start), each, None, &mut raw[..known]) };
                (black_box(&raw).as_ptr(), known)
            };
            // SAFETY: R1 by the plan's proof, L1 for both sides, E1 between parts.
            if !unsafe { (self.place.whole)(&self.naming, ScatterRun { first, count, known, to, values }) } {
                return false;
            }
        }
        true
    }

    /// [`Placing::serve`] by a rule that does not raise. A function of its own: short rows would pay for its buffers.
    ///
    /// # Safety
    /// As there.
    #[inline(never)]
    unsafe fn serve_ruled(&self, row: &InnerRow, sides: Sides) {
        let (operand, each) = row.index();
        let to = sides.indexed.wrapping_offset(row.indexed);
        let (values, by) = row.values_from(sides, 0);
        let mut raw = [0i64; KNOWN];
        let mut start = 0;
        while start < row.count {
            let count = PIECE.min(row.count - start);
            let at = operand.ptr.wrapping_offset(start as isize * each);
            let to = to.wrapping_offset(start as isize * self.naming.along);
            let values = values.wrapping_offset(start as isize * by);
            prefetch_on(at, each, PIECE);
            prefetch_on(values, by, PIECE);
            let known = (count + self.naming.ahead).min(row.count - start).min(KNOWN);
            // SAFETY: L1: the values of the row lie in the operand's hull, as the plan proves.
            unsafe { widen(operand.dtype, at, each, modulus(self.rules.outside, self.naming.len), &mut raw[..known]) };
            let raw = black_box(&mut raw);
            if self.bring_inside(&mut raw[..known], count) {
                let first = raw.as_ptr();
                // SAFETY: R1 by the plan's proof, L1 for both sides, E1 between parts.
                unsafe { (self.place.whole)(&self.naming, ScatterRun { first, count, known, to, values }) };
                start += count;
            } else {
                let end = row.count.min(start + LIST);
                // SAFETY: passed on; no offset is as low as that of what is left out.
                unsafe { self.serve_some(row, sides, EVERYWHERE, start..end) };
                start = end;
            }
        }
    }
}
