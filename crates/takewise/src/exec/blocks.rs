//! The way that serves every plan: positions are resolved a block at a time, and each block is served in all lanes.

use super::call::{Leaf, Outcome, Part, Sides};
use super::lanes::serve as serve_block;
use super::mask::Cursor;
use super::resolve::{self, BLOCK, LongBlock, WIDE_BLOCK};
use crate::kernel::move_;
use crate::plan::Plan;

/// Serves all positions of a part, block by block, for all its lanes.
///
/// # Safety
/// The arrays match the part's plan (L1, L3), and parts are disjoint (E1).
pub(super) unsafe fn serve(part: &Part, sides: Sides, leaf: Leaf) -> Outcome {
    let plan: &Plan = &part.plan;
    let capacity = if plan.free.is_empty() { BLOCK } else { WIDE_BLOCK }.min(part.end - part.start);
    let mut block = LongBlock::borrow(capacity);
    let even = resolve::even_linear(plan);
    // Positions of the part's loops.
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
        unsafe { serve_block(plan, leaf, indexed, linear.offset(base), at, &block.indexed) };
    }
    Outcome::Good
}
