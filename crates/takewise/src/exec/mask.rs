//! Masks without ever holding a list of positions: served row by row where selected places lie side by side, else turned
//! into blocks of offsets; memory is one block per thread.

use super::call::{Leaf, Outcome, Part, Sides};
use super::lanes::lanes;
use super::parts;
use super::resolve::IndexOperand;
use crate::dims::{Dims, advance, unravel_in};
use crate::kernel::compress;
use crate::kernel::level::WORD;
use crate::kernel::mask_words::MaskRow;
use crate::plan::{Plan, Select, SelectDim};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The rows of a mask, from any mask position on: what lies along its innermost dimension.
struct MaskRows<'p> {
    select: &'p Select,
    mask: *const u8,
    at: Dims<usize>,
    /// Mask positions not yet looked at.
    left: usize,
}

/// A row, and where its first place lies on the indexed side.
struct Placed {
    row: MaskRow,
    indexed: isize,
}

impl<'p> MaskRows<'p> {
    /// Mask positions `start..end` (flat, row-major).
    ///
    /// # Safety
    /// `mask` must be the base of the mask the plan was built for (L1) and stay so for `'p`.
    unsafe fn new(select: &'p Select, mask: *const u8, start: usize, end: usize) -> MaskRows<'p> {
        let at = unravel_in(start, select.dims.len(), |d| select.dims[d].extent);
        MaskRows { select, mask, at, left: end - start }
    }

    /// The next row, cut to at most `most` places.
    fn next(&mut self, most: usize) -> Option<Placed> {
        if self.left == 0 {
            return None;
        }
        let Some(inner) = self.select.dims.last() else {
            // A mask of one element.
            self.left = 0;
            return Some(Placed { row: MaskRow { mask: self.mask, step: 0, len: 1 }, indexed: 0 });
        };
        let (last, dims) = (self.at.len() - 1, &self.select.dims);
        let offset = |step: fn(&SelectDim) -> isize| -> isize {
            self.at.iter().zip(dims).map(|(&c, d)| c as isize * step(d)).sum()
        };
        let len = (inner.extent - self.at[last]).min(self.left).min(most);
        // Positions of the mask are its elements (L1), so the offset stays inside.
        let mask = self.mask.wrapping_offset(offset(|d| d.mask));
        let placed = Placed { row: MaskRow { mask, step: inner.mask, len }, indexed: offset(|d| d.indexed) };
        self.left -= len;
        advance(&mut self.at, len, |d| dims[d].extent, |_, _| {});
        Some(placed)
    }
}

/// Walks the selected places of a mask in row-major order, from any mask position on.
pub(crate) struct Cursor<'p> {
    rows: MaskRows<'p>,
}

impl<'p> Cursor<'p> {
    /// A cursor over mask positions `start..end` (flat, row-major).
    ///
    /// # Safety
    /// `mask` must be the base of the mask the plan was built for (L1) and stay so for `'p`.
    pub(crate) unsafe fn new(select: &'p Select, mask: *const u8, start: usize, end: usize) -> Cursor<'p> {
        // SAFETY: passed on.
        Cursor { rows: unsafe { MaskRows::new(select, mask, start, end) } }
    }

    /// Number of mask positions.
    pub(crate) fn extent(select: &Select) -> usize {
        select.dims.iter().map(|d| d.extent).product()
    }

    /// Puts the indexed offsets of the next selected places, at least one if there are any and at most `most`, into
    /// `out`, each plus `offset`.
    pub(crate) fn fill(&mut self, offset: isize, most: usize, out: &mut Vec<isize>) {
        out.clear();
        let step = self.rows.select.dims.last().map_or(0, |d| d.indexed);
        // Every place of a row may be selected, so a row is cut to the room there is; a nearly full block is handed on.
        while out.is_empty() || most - out.len() >= most.min(WORD) {
            let Some(next) = self.rows.next(most - out.len()) else { return };
            // SAFETY: L1: the row is the mask's.
            unsafe { append(next.row, offset + next.indexed, step, out) };
        }
    }
}

/// Appends `base + k * step` for the selected places k of a row.
///
/// # Safety
/// L1 for the row.
unsafe fn append(row: MaskRow, base: isize, step: isize, out: &mut Vec<isize>) {
    let (base, step) = (base as i64, step as i64);
    if size_of::<isize>() == size_of::<i64>() {
        out.reserve(row.len);
        // SAFETY: L1 by the caller; room for every place was reserved, of numbers of this size.
        unsafe {
            let n = compress::places(row, base, step, out.spare_capacity_mut().as_mut_ptr().cast(), row.len);
            out.set_len(out.len() + n);
        }
        return;
    }
    for k in (0..row.len).step_by(WORD) {
        let mut numbers = [0i64; WORD];
        let mask = row.mask.wrapping_offset(k as isize * row.step);
        let piece = MaskRow { mask, len: WORD.min(row.len - k), ..row };
        // SAFETY: L1 by the caller; no more places than numbers.
        let n = unsafe { compress::places(piece, base + k as i64 * step, step, numbers.as_mut_ptr(), WORD) };
        out.extend(numbers[..n].iter().map(|v| *v as isize));
    }
}

/// How many places are selected in each of these ranges of mask positions.
///
/// # Safety
/// As [`Cursor::new`].
pub(crate) unsafe fn counts(select: &Select, mask: IndexOperand, ranges: &[(usize, usize)]) -> Vec<usize> {
    let counts: Vec<_> = ranges.iter().map(|range| (range, AtomicUsize::new(0))).collect();
    parts::run_all(&counts, |(range, n)| {
        let mask: &IndexOperand = &mask;
        // SAFETY: passed on.
        let mut rows = unsafe { MaskRows::new(select, mask.ptr, range.0, range.1) };
        let mut found = 0;
        while let Some(next) = rows.next(usize::MAX) {
            // SAFETY: L1: the row is the mask's.
            found += unsafe { compress::count(next.row) };
        }
        n.store(found, Ordering::Relaxed);
        Outcome::Good
    });
    counts.into_iter().map(|c| c.1.into_inner()).collect()
}

/// What is done with the selected places where they lie side by side on the indexed side.
#[derive(Clone, Copy)]
pub(crate) enum MaskWay {
    Pack,
    Spread,
    Fill,
}

/// How a mask is served row by row, if it can be.
pub(super) fn way(plan: &Plan, leaf: Leaf) -> Option<MaskWay> {
    let select = plan.select.as_deref()?;
    let chunk = plan.chunk as isize;
    if plan.flat_linear || select.dims.last()?.indexed != chunk {
        return None;
    }
    match leaf {
        Leaf::Read { .. } if select.linear == chunk => Some(MaskWay::Pack),
        Leaf::Write { .. } if select.linear == chunk => Some(MaskWay::Spread),
        Leaf::Write { .. } if select.linear == 0 => Some(MaskWay::Fill),
        _ => None,
    }
}

/// Serves a part row by row, in the way that [`way`] found; `None` if its plan has no mask.
///
/// # Safety
/// The arrays match the plan (L1, L3), and the part's destination is its own (E1).
pub(super) unsafe fn serve(part: &Part, sides: Sides, way: MaskWay) -> Option<Outcome> {
    let plan: &Plan = &part.plan;
    let (select, mask) = (plan.select.as_deref()?, part.operands.first()?);
    let mut outcome = Outcome::Good;
    lanes(&plan.free, |lane_linear, lane_indexed| {
        // SAFETY: the mask is the plan's (L1).
        let mut rows = unsafe { MaskRows::new(select, mask.ptr, part.mask.0, part.mask.1) };
        let mut done = part.start;
        while let Some(Placed { row, indexed }) = rows.next(usize::MAX) {
            let (chunk, room) = (plan.chunk, part.end - done);
            if room == 0 {
                break;
            }
            // SAFETY: R1: places of the mask lie in the indexed side, and elements `done..part.end` in the linear one (L1);
            // both are the part's own where they are written (E1).
            unsafe {
                let jumped = sides.indexed.offset(part.indexed + plan.offset + indexed + lane_indexed);
                let packed = sides.linear.offset(part.linear + lane_linear + done as isize * select.linear);
                match way {
                    MaskWay::Pack => done += compress::pack(row, chunk, jumped, packed, room),
                    MaskWay::Spread => done += compress::spread(row, chunk, packed, jumped, room),
                    MaskWay::Fill => compress::fill(row, chunk, packed, jumped),
                }
            }
        }
        if done < part.end && !matches!(way, MaskWay::Fill) {
            outcome = Outcome::Changed;
        }
    });
    Some(outcome)
}
