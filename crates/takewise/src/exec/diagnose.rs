//! The cold path: finding out what exactly was wrong, in index order, whichever part met it first.

use super::resolve::{BLOCK, IndexOperand, LongBlock, Operands, SKIP, resolve, widen};
use crate::dims::advance;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Fault, OutOfRange, Result};
use crate::layout::{Coordinates, Dims, unravel};
use crate::notes::{Location, MOST, Note, note};
use crate::plan::{Axis, Plan};
use crate::values::number::element_scalar;
use crate::view::AnyView;
use smallvec::smallvec;

/// The value of an index element, exact.
fn value(view: &AnyView, at: &[usize]) -> i128 {
    let Some(b) = view.bytes_at(at) else { return 0 };
    if let DType::Opaque { .. } = view.dtype() {
        let Some(Scalar::Int(v)) = element_scalar(&b, view.dtype()) else { return 0 };
        return v;
    }
    let [b0, b1, b2, b3, b4, b5, b6, b7, ..] = b;
    match view.dtype() {
        DType::U16 => u16::from_ne_bytes([b0, b1]) as i128,
        DType::U32 => u32::from_ne_bytes([b0, b1, b2, b3]) as i128,
        DType::U64 => u64::from_ne_bytes([b0, b1, b2, b3, b4, b5, b6, b7]) as i128,
        DType::I8 => b0 as i8 as i128,
        DType::I16 => i16::from_ne_bytes([b0, b1]) as i128,
        DType::I32 => i32::from_ne_bytes([b0, b1, b2, b3]) as i128,
        DType::I64 => i64::from_ne_bytes([b0, b1, b2, b3, b4, b5, b6, b7]) as i128,
        _ => b0 as i128,
    }
}

/// Where the first bad value of an axis stands, the value as it was seen, and how many there are. One pass along the innermost dimension.
fn scan(plan: &Plan, axis: &Axis, view: &AnyView) -> Option<(Dims<usize>, i128, usize)> {
    let (shape, strides) = (view.shape(), view.layout().strides());
    let (rows, extent, step) = match shape.len().checked_sub(1) {
        Some(last) => (&shape[..last], shape[last], strides[last]),
        None => (shape, 1, 0),
    };
    let is_bad = |v: &i64| plan.rules.place(i128::from(*v), axis.len).is_none();
    let (mut first, mut bad, mut raw) = (None, 0, Vec::with_capacity(BLOCK.min(extent)));
    for row in Coordinates::new(rows) {
        let base: isize = row.iter().zip(strides).map(|(&k, s)| k as isize * s).sum();
        for start in (0..extent).step_by(BLOCK) {
            let count = BLOCK.min(extent - start);
            raw.resize(count, 0);
            // SAFETY: L1: coordinates within the shape of a view that is borrowed for this call.
            unsafe {
                let from = view.as_ptr().offset(base + start as isize * step);
                widen(view.dtype(), from, step, None, &mut raw);
            }
            let here = raw.iter().filter(|v| is_bad(v)).count();
            if here > 0 && first.is_none() {
                let k = raw.iter().position(is_bad).unwrap_or(0);
                let mut at = row.clone();
                at.extend((!shape.is_empty()).then_some(start + k));
                // Beyond i64 a value was cut off when it was widened. The memory may have changed since.
                let exact = value(view, &at);
                let seen = if raw[k] == i64::MAX && exact > i128::from(i64::MAX) { exact } else { i128::from(raw[k]) };
                first = Some((at, seen));
            }
            bad += here;
        }
    }
    first.map(|(at, seen)| (at, seen, bad))
}

/// All bad values of an axis, as far as they are listed.
fn bad_values(plan: &Plan, axis: &Axis, view: &AnyView) -> Vec<isize> {
    let bad = |at: &Dims<usize>| plan.rules.place(value(view, at), axis.len).is_none();
    Coordinates::new(view.shape()).filter(bad).take(MOST).map(|at| view.layout().offset(&at)).collect()
}

/// The first of `limit` index positions at which an operand stands at `offset`, stepping by `steps` in the index loops. A loop in
/// which it stands still meets nothing that it has not met at its beginning, so only the operand's own elements are walked.
fn met(plan: &Plan, steps: &Dims<isize>, offset: isize, limit: usize) -> Option<usize> {
    let mut further = 1;
    let mut moving: Dims<(usize, isize, usize)> = Dims::new();
    for (l, &step) in plan.index.iter().zip(steps).rev() {
        if step != 0 {
            moving.push((l.extent, step, further));
        }
        further *= l.extent;
    }
    moving.reverse();
    let mut at: Dims<usize> = smallvec![0; moving.len()];
    let (mut here, mut flat) = (0, 0isize);
    while flat.unsigned_abs() < limit {
        if here == offset {
            return Some(flat.unsigned_abs());
        }
        let more = advance(
            &mut at,
            1,
            |d| moving[d].0,
            |d, by| {
                here += moving[d].1 * by;
                flat += moving[d].2 as isize * by;
            },
        );
        if !more {
            break;
        }
    }
    None
}

/// The error of a plan whose operands hold a bad value.
#[cold]
pub(crate) fn out_of_range(plan: &Plan, operands: &[AnyView]) -> Error {
    // The first bad value of each axis, as (flat index position, axis).
    let mut first: Option<(usize, &Axis, Dims<usize>, i128, usize)> = None;
    for axis in &plan.axes {
        let view = &operands[axis.operand];
        let Some((at, seen, bad)) = scan(plan, axis, view) else { continue };
        let limit = first.as_ref().map_or(plan.positions(), |f| f.0);
        let steps: Dims<isize> = plan.index.iter().map(|l| l.operands[axis.operand]).collect();
        if let Some(flat) = met(plan, &steps, view.layout().offset(&at), limit) {
            first = Some((flat, axis, at, seen, bad));
            if plan.rules.array_by_array {
                break;
            }
        }
    }
    let Some((_, axis, at, seen, bad)) = first else { return changed(plan) };
    let view = &operands[axis.operand];
    note(|| Note::Bad { index: Location::of(view), at: bad_values(plan, axis, view) });
    let alike = plan.axes.iter().all(|a| operands[a.operand].shape() == view.shape());
    let read = |a: &Axis| i64::try_from(value(&operands[a.operand], &at)).unwrap_or(i64::MAX);
    let tuple = if alike { plan.axes.iter().map(read).collect() } else { Vec::new() };
    plan.rules.fail(Fault::OutOfRange(OutOfRange {
        op: plan.op,
        axis: axis.axis,
        ordinal: axis.ordinal,
        len: axis.len,
        value: seen,
        position: Some(at),
        bad,
        total: view.numel(),
        from_end: plan.counts_from_end(),
        shape: Dims::from_slice(plan.indexed_layout.shape()),
        tuple,
    }))
}

/// Index memory changed between checking and use; what was stored is in bounds, but not all of it.
#[cold]
pub(crate) fn changed(plan: &Plan) -> Error {
    plan.rules.fail(Fault::Busy { op: plan.op, writing: true })
}

/// Fails if two index positions address one place. Memory: one offset per position.
///
/// # Safety
/// The operands must be those of the plan.
pub(crate) unsafe fn refuse_duplicates(plan: &Plan, views: &[AnyView], operands: &Operands) -> Result<()> {
    let mut places = super::room::room(plan, plan.positions())?;
    // SAFETY: passed on.
    unsafe { for_all_positions(plan, operands, |k, o| places.push((o, k))) }.map_err(|()| out_of_range(plan, views))?;
    places.retain(|p| p.0 != SKIP);
    places.sort_unstable();
    let twice = places.windows(2).filter(|w| w[0].0 == w[1].0).min_by_key(|w| w[1].1);
    let Some([a, b]) = twice else { return Ok(()) };
    let extents: Dims<usize> = plan.index.iter().map(|l| l.extent).collect();
    let shape =
        views.first().filter(|v| v.numel() == plan.positions()).map_or(extents, |v| Dims::from_slice(v.shape()));
    Err(plan.rules.fail(Fault::Duplicate { op: plan.op, position: unravel(b.1, &shape), first: unravel(a.1, &shape) }))
}

/// Calls `f(position, offset)` for every index position in order; `Err` at a bad value.
///
/// # Safety
/// The operands must be those of the plan.
pub(crate) unsafe fn for_all_positions(
    plan: &Plan,
    operands: &[IndexOperand],
    mut f: impl FnMut(usize, isize),
) -> std::result::Result<(), ()> {
    let mut block = LongBlock::new(BLOCK);
    let total = plan.positions();
    let mut start = 0;
    while start < total {
        let count = BLOCK.min(total - start);
        // SAFETY: passed on.
        if !unsafe { resolve(plan, operands, start, count, &mut block) } {
            return Err(());
        }
        block.indexed.iter().enumerate().for_each(|(k, o)| f(start + k, *o));
        start += count;
    }
    Ok(())
}
