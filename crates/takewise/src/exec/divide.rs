//! Dividing a call by who owns which destination bytes. No locks, no atomics, the same bits for any number
//! of parts:
//!
//! 1. Reads and checks divide by index position, or by lane when there are more lanes: outputs of different
//!    positions are different places.
//! 2. Writes divide by a free loop if one is long enough: its lanes are disjoint.
//! 3. Else by an index loop along which the destination also steps (the batch loop of a scatter): its
//!    coordinates address different places whatever the index says.
//! 4. Else every part walks all positions and stores only what lands in its own destination window, so order
//!    within a place is kept.
//!
//! * **E1** in each case the byte ranges two parts write are disjoint, because the destination does not meet
//!   itself (L3) and the parts differ in a destination coordinate.

use super::call::{Own, Part};
use super::mask::{self, Cursor};
use super::resolve::{IndexOperand, Operands};
use crate::plan::{Loop, Plan};

/// The call as one part.
pub(crate) fn whole<'p>(plan: &'p Plan, operands: &Operands) -> Part<'p> {
    Part {
        plan: Own::Whole(plan),
        operands: Operands::from_slice(operands),
        start: 0,
        end: plan.positions(),
        indexed: 0,
        linear: 0,
        mask: (0, plan.select.as_deref().map_or(0, Cursor::extent)),
        window: None,
    }
}

/// Divides a call into up to `parts`. `shares` says that parts may share destination windows (reads); `check` that no lane is
/// touched. Destinations of fewer bytes than `window` are not divided into windows.
///
/// # Safety
/// The operands must be those of the plan.
pub(crate) unsafe fn divide<'p>(
    plan: &'p Plan,
    operands: &Operands,
    shares: bool,
    check: bool,
    window: usize,
    parts: usize,
) -> Vec<Part<'p>> {
    let positions = plan.positions();
    let whole = whole(plan, operands);
    if let Some(select) = &plan.select {
        // SAFETY: passed on: the mask is the plan's.
        return unsafe { divide_mask(whole, select, operands[0], parts) };
    }
    if shares && (positions >= parts || plan.free.is_empty() || check) {
        return ranges(positions, parts).map(|(start, end)| Part { start, end, ..copy(&whole) }).collect();
    }
    let long = |l: &&Loop| l.extent >= parts;
    if let Some(k) = plan.free.iter().position(|l| long(&l)) {
        let l = &plan.free[k];
        let make = |(a, b): (usize, usize)| {
            let mut sub = Box::new(plan.clone());
            sub.free[k].extent = b - a;
            if b - a == 1 {
                sub.free.remove(k);
            }
            let (indexed, linear) = (a as isize * l.indexed, a as isize * l.linear);
            Part { plan: Own::Cut(sub), indexed, linear, ..copy(&whole) }
        };
        return ranges(l.extent, parts).map(make).collect();
    }
    let lane = plan.index.iter().position(|l| l.indexed != 0 && l.extent >= parts);
    if let (Some(k), false) = (lane, plan.flat_linear) {
        let l = &plan.index[k];
        let make = |(a, b): (usize, usize)| {
            let mut sub = Box::new(plan.clone());
            sub.index[k].extent = b - a;
            let by = a as isize;
            let move_on =
                |(o, s): (&IndexOperand, &isize)| IndexOperand { ptr: o.ptr.wrapping_offset(by * s), dtype: o.dtype };
            let operands = operands.iter().zip(&l.operands).map(move_on).collect();
            let end = sub.positions();
            Part { plan: Own::Cut(sub), operands, end, indexed: by * l.indexed, linear: by * l.linear, ..copy(&whole) }
        };
        return ranges(l.extent, parts).map(make).collect();
    }
    if shares {
        // A read has no destination window: what a part left out it would fill.
        return ranges(positions, parts).map(|(start, end)| Part { start, end, ..copy(&whole) }).collect();
    }
    let (low, high) = plan.indexed_layout.reach();
    let span = (high - low) as usize + plan.size;
    if span < window {
        return vec![whole];
    }
    windows(plan, operands, (low, low + span as isize), parts)
}

/// What of a call lands between two offsets, as up to `parts` parts.
pub(crate) fn windows<'p>(
    plan: &'p Plan,
    operands: &Operands,
    (low, high): (isize, isize),
    parts: usize,
) -> Vec<Part<'p>> {
    let at = |k: usize| low + k as isize;
    ranges((high - low) as usize, parts)
        .map(|(a, b)| Part { window: Some((at(a), at(b))), ..whole(plan, operands) })
        .collect()
}

fn copy<'p>(part: &Part<'p>) -> Part<'p> {
    Part { plan: part.plan.clone(), operands: part.operands.clone(), ..*part }
}

unsafe fn divide_mask<'p>(
    whole: Part<'p>,
    select: &crate::plan::Select,
    mask: IndexOperand,
    parts: usize,
) -> Vec<Part<'p>> {
    let shares: Vec<(usize, usize)> = ranges(whole.mask.1, parts).collect();
    if !select.counted {
        return shares.into_iter().map(|mask| Part { mask, ..copy(&whole) }).collect();
    }
    // SAFETY: passed on: the mask is the plan's.
    let counts = unsafe { mask::counts(select, mask, &shares) };
    let mut before = 0;
    let mut out = Vec::with_capacity(parts);
    for ((a, b), n) in shares.into_iter().zip(counts) {
        // A mask that changed since the plan was built: the last part finds too few and says so.
        let n = if b == whole.mask.1 { select.count - before } else { n.min(select.count - before) };
        out.push(Part { start: before, end: before + n, mask: (a, b), ..copy(&whole) });
        before += n;
    }
    if out.is_empty() {
        out.push(whole);
    }
    out
}

/// `0..n` cut into at most `parts` nearly equal ranges, none empty.
fn ranges(n: usize, parts: usize) -> impl Iterator<Item = (usize, usize)> {
    let parts = parts.min(n).max(1);
    let (each, more) = (n / parts, n % parts);
    (0..parts).map(move |k| {
        let start = k * each + k.min(more);
        (start, start + each + usize::from(k < more))
    })
}
