//! Reads whose index values nobody needs twice: checked and used in one pass ([`kernel::gather`](crate::kernel::gather)).
//!
//! Values of two dtypes, and those a rule has to bring inside where the kernel does not do so itself, go through private memory a
//! piece at a time, as vectors. A rule that has nothing to do costs nothing there: until the first value outside is met, values
//! are used as they are.

use crate::bounds::modulus;
use crate::dtype::DType;
use crate::exec::call::{Call, Leaf, Outcome, Part, Sides};
use crate::exec::costs::{at_a_time, costs, is_met};
use crate::exec::resolve::{IndexOperand, Operands, blocks, row_step, widen};
use crate::index::rules::{Outside, Rules, Sign};
use crate::kernel::bounds::inside;
use crate::kernel::cpu::{Cpu, prefetch_on};
use crate::kernel::gather::{Next, Rows, Stretch, Values, brings, gather};
use crate::kernel::stream;
use crate::layout::dense;
use crate::plan::{Axis, Loop, Plan};
use smallvec::SmallVec;

/// Values brought into private memory at a time.
const PIECE: usize = 256;

/// Values a rule may have to bring inside that are used as they are at a time, and once more if one of them lies outside.
const TRIED: usize = 4096;

/// Bytes of chunks that are asked for ahead.
const AHEAD: usize = 2048;

/// Positions that gather instructions bring at a time.
const LANES: usize = 16;

/// Whether a plan has the form: one axis or two, stepped by arrays with a value for each position, and a contiguous result.
fn formed(plan: &Plan) -> bool {
    let Some(inner) = plan.index.last() else { return false };
    plan.positions() >= costs().gather
        && inner.extent >= costs().gather_row.0
        && inner.linear == plan.chunk as isize
        && plan.free.is_empty()
        && plan.select.is_none()
        && !plan.flat_linear
        && matches!(plan.axes.len(), 1 | 2)
        && plan.axes.iter().all(|a| a.digits.is_empty() && a.len > 0 && inner.operands[a.operand] != 0)
}

/// Whether gather instructions may do the work, where the level has them: on rows that fill their vectors, from memory that
/// the caches hold. Elsewhere loads one by one are faster on every processor.
fn wide(plan: &Plan) -> bool {
    let Some(inner) = plan.index.last() else { return false };
    let fills = inner.extent >= costs().gather_row.1 || inner.extent.is_multiple_of(LANES);
    let along = inner.indexed != 0;
    let pays = Cpu::current().gathers(plan.chunk) || plan.axes.len() > 1 || along;
    fills && pays && !far(plan)
}

/// Whether one row of the index may reach so far that its memory is asked for ahead. A strip of a table is a plan of its own,
/// and near.
fn far(plan: &Plan) -> bool {
    let reach = |sum: usize, a: &Axis| sum.saturating_add(a.len.saturating_mul(a.step.unsigned_abs()));
    plan.axes.iter().fold(0, reach) >= costs().far
}

/// Whether positions are gathered one by one: then rows of any length are gathered in one go.
fn one_by_one(plan: &Plan) -> bool {
    Cpu::current() < Cpu::Avx512 || !wide(plan) || plan.rules.outside != Outside::Raise
}

/// Whether a call has the form, and the kernel fills the gaps it leaves.
pub(crate) fn serves(call: &Call) -> bool {
    let Leaf::Read { fill, .. } = call.leaf else { return false };
    formed(call.plan) && (!call.plan.may_skip() || fill.len() == call.plan.chunk && direct(call.plan, call.operands))
}

/// Whether the kernel reads index values where they lie: they have one dtype, and it applies the rule for values outside.
fn direct(plan: &Plan, operands: &Operands) -> bool {
    let Some(dtype) = plan.axes.first().and_then(|a| operands.get(a.operand)).map(|o| o.dtype) else { return false };
    // Values in the other byte order are read into private memory first.
    let turned = matches!(dtype, DType::Opaque { .. });
    // Where gather instructions do the work well, values are brought inside before, as vectors.
    let ruled = brings(dtype, plan.axes.len()) && (plan.may_skip() || !Cpu::current().gathers(plan.chunk));
    !turned && alike(plan, operands) && (plan.rules.outside == Outside::Raise || ruled)
}

/// Whether the index arrays have one dtype, of this machine's byte order.
fn alike(plan: &Plan, operands: &Operands) -> bool {
    let mut dtypes = plan.axes.iter().map(|a| operands[a.operand].dtype);
    let first = dtypes.next();
    !matches!(first, Some(DType::Opaque { .. })) && dtypes.all(|dtype| Some(dtype) == first)
}

/// Serves a part of a read, whose gaps are filled as given; `None` if it has another form, or leaves gaps that the kernel does not
/// fill.
///
/// # Safety
/// The arrays match the plan (L1, L3), and the part's places on the linear side are its own (E1).
pub(crate) unsafe fn serve(part: &Part, sides: Sides, fill: &[u8], fresh: bool) -> Option<Outcome> {
    let plan: &Plan = &part.plan;
    let inner = plan.index.last()?;
    let dtype = part.operands.get(plan.axes.first()?.operand)?.dtype;
    let (direct, alike, wide) = (direct(plan, &part.operands), alike(plan, &part.operands), wide(plan));
    let outside = if direct { plan.rules.outside } else { Outside::Raise };
    let mut pieces =
        if direct { None } else { Some(Pieces { raw: [[0; PIECE]; 2], rules: &plan.rules, plain: alike }) };
    let ahead = ahead(plan);
    let after = following(plan);
    // Short rows that lie apart, as strips of a table are.
    let apart = plan.axes.first().map_or(0, |a| row_step(plan, a.operand));
    let dense = plan.chunk < 4 && dense(&plan.indexed_layout, plan.size);
    let streamed = !fresh && streams(plan);
    let asks = plan.positions() >= costs().asked && apart == 0;
    // Written in place, field by field: what is moved as a whole must first have left the processor's store buffer, where it
    // would wait behind the elements stored before it.
    let mut values = [Values::NONE; 2];
    for (values, a) in values.iter_mut().zip(&plan.axes) {
        *values = Values { len: a.len, step: a.step, each: inner.operands[a.operand], ..Values::NONE };
    }
    let even = direct && (one_by_one(plan) || inner.extent.is_multiple_of(LANES));
    let most = if even { usize::MAX } else { 1 };
    let mut good = true;
    blocks(plan, part.start, part.end - part.start, most, |_, many, count, at| {
        let along = |step: &dyn Fn(&Loop) -> isize| -> isize {
            at.iter().zip(&plan.index).map(|(&c, l)| c as isize * step(l)).sum()
        };
        for (values, a) in values.iter_mut().zip(&plan.axes) {
            values.first = part.operands[a.operand].ptr.wrapping_offset(along(&|l| l.operands[a.operand]));
        }
        let axes = &values[..plan.axes.len()];
        let rows = rows(plan, many, direct && apart != 0);
        let from = sides.indexed.wrapping_offset(part.indexed + plan.offset + along(&|l| l.indexed)).cast_const();
        let to = sides.linear.wrapping_offset(part.linear + along(&|l| l.linear));
        let next = after.map_or(Next::NONE, |(step, bytes)| Next::new(from.wrapping_offset(step), bytes, count));
        let streamed = streamed && (is_short(plan) || stream::suits(to.addr() | plan.chunk | rows.to as usize));
        let stretch = Stretch {
            axes,
            dtype,
            from_end: plan.rules.sign == Sign::FromEnd,
            outside,
            fill: fill.as_ptr(),
            from,
            along: inner.indexed,
            to,
            count,
            ahead,
            dense,
            asks,
            wide,
            streamed,
            next,
            rows,
        };
        // SAFETY: L1: positions of the plan's loops; R1 by its proof; E1.
        let mut gathers = |stretch: &Stretch| unsafe {
            match &mut pieces {
                None => gather(plan.chunk, stretch),
                Some(pieces) => {
                    let operands = plan.axes.iter().map(|a| part.operands[a.operand]);
                    pieces.bring(plan.chunk, stretch, &operands.collect::<SmallVec<[_; 2]>>())
                }
            }
        };
        good = good && gathers(&stretch);
    });
    if streamed {
        stream::settle();
    }
    Some(if good { Outcome::Good } else { Outcome::BadIndex })
}

/// Private memory for the values of a piece, along one axis or two, and what becomes of those outside.
struct Pieces<'r> {
    raw: [[i64; PIECE]; 2],
    rules: &'r Rules,
    /// Whether values have one dtype, and none so far was outside.
    plain: bool,
}

impl Pieces<'_> {
    /// Gathers a stretch as it is, as far as that goes, and the rest of it, and of the stretches to come, piece by piece.
    ///
    /// # Safety
    /// As [`Pieces::gather`].
    unsafe fn bring(&mut self, size: usize, stretch: &Stretch, operands: &[IndexOperand]) -> bool {
        let tried = at_a_time(TRIED, 3);
        (0..stretch.count).step_by(tried).all(|start| {
            let axes = moved(stretch, start);
            let some = Stretch { axes: &axes[..stretch.axes.len()], ..cut(size, stretch, start, tried) };
            // SAFETY: by the caller, for these positions.
            unsafe {
                self.plain = self.plain && gather(size, &some);
                self.plain || self.gather(size, &some, operands)
            }
        })
    }

    /// Gathers a stretch piece by piece, the operand of each axis being given.
    ///
    /// # Safety
    /// As [`gather`]; values are of their operands' dtypes (L1).
    unsafe fn gather(&mut self, size: usize, stretch: &Stretch, operands: &[IndexOperand]) -> bool {
        let Rules { sign, outside, .. } = *self.rules;
        for start in (0..stretch.count).step_by(PIECE) {
            let piece = cut(size, stretch, start, PIECE);
            let mut axes = moved(stretch, start);
            for ((axis, operand), raw) in axes.iter_mut().zip(operands).zip(&mut self.raw) {
                let raw = &mut raw[..piece.count];
                prefetch_on(axis.first, axis.each, piece.count);
                // SAFETY: L1 by the caller.
                unsafe {
                    widen(operand.dtype, axis.first, axis.each, modulus(outside, axis.len), raw);
                    inside(axis.len, sign, outside, raw);
                }
                (axis.first, axis.each) = (raw.as_ptr().cast(), size_of::<i64>() as isize);
            }
            let piece = Stretch { axes: &axes[..stretch.axes.len()], dtype: DType::I64, asks: false, ..piece };
            // SAFETY: by the caller, for these positions; values in private memory are checked as any.
            if !unsafe { gather(size, &piece) } {
                return false;
            }
        }
        true
    }
}

/// The axes of a stretch from a position on.
fn moved(stretch: &Stretch, start: usize) -> [Values; 2] {
    let mut axes = [Values::NONE; 2];
    for (moved, axis) in axes.iter_mut().zip(stretch.axes) {
        *moved = Values { first: axis.first.wrapping_offset(start as isize * axis.each), ..*axis };
    }
    axes
}

/// At most so many positions of a stretch from one on, but for its axes.
fn cut<'v>(size: usize, stretch: &Stretch<'v>, start: usize, most: usize) -> Stretch<'v> {
    Stretch {
        from: stretch.from.wrapping_offset(start as isize * stretch.along),
        to: stretch.to.wrapping_add(start * size),
        count: most.min(stretch.count - start),
        rows: Rows::ONE,
        next: if start == 0 { stretch.next } else { Next::NONE },
        ..*stretch
    }
}

/// So many stretches along the loop around the innermost.
fn rows(plan: &Plan, count: usize, asks: bool) -> Rows {
    let mut rows = Rows { count, asks, ..Rows::ONE };
    if let [.., around, _] = &plan.index[..] {
        (rows.from, rows.to) = (around.indexed, around.linear);
        for (by, a) in rows.values.iter_mut().zip(&plan.axes) {
            *by = around.operands[a.operand];
        }
    }
    rows
}

/// Positions to ask ahead.
fn ahead(plan: &Plan) -> usize {
    if !far(plan) {
        return 0;
    }
    (at_a_time(AHEAD, 16) / plan.chunk.max(1)).clamp(at_a_time(8, 1), at_a_time(96, 4))
}

/// Whether chunks are numbers of at most eight bytes.
fn is_short(plan: &Plan) -> bool {
    matches!(plan.chunk, 1 | 2 | 4 | 8)
}

/// Whether a result is so large that it is written past the caches, in whole lines; not one in fresh pages, which are in cache, as
/// the system has just cleared them. A strip's result is a part of a larger one.
fn streams(plan: &Plan) -> bool {
    let extent = |l: &Loop| l.extent.saturating_mul(l.linear.unsigned_abs());
    let lines = if is_short(plan) { costs().streamed } else { costs().streamed_rows };
    (is_short(plan) || plan.chunk >= 64) && plan.index.iter().any(|l| extent(l) >= lines)
}

/// The step to the indexed side's next row and its bytes, where each row of the index has a row of its own to gather from that
/// the first-level cache has room for.
fn following(plan: &Plan) -> Option<(isize, usize)> {
    let ([.., rows, inner], [axis]) = (&plan.index[..], &plan.axes[..]) else { return None };
    let bytes = axis.len.checked_mul(usize::try_from(axis.step).ok()?)?;
    (inner.indexed == 0 && rows.indexed != 0 && is_met(bytes, inner.extent)).then_some((rows.indexed, bytes))
}
