//! The plan: what an indexed operation does to memory, as plain data.
//!
//! Every operation here is an elementwise walk over the broadcast of three kinds of operand:
//!
//! * the **linear** side, walked in order (the result of a read, the values of a write);
//! * the **indexed** side, jumped into: the axes that index values control step by value, not by loop;
//! * the **index operands**, each stepping with some of the loops, or a mask.
//!
//! ```text
//! for every coordinate c of the index loops        (index order; an operand steps in each)
//!   jump = sum over axes of value(operand, c) * step, value checked against the axis by its rule
//!   for every coordinate f of the free loops       (no operand steps: disjoint lanes)
//!     linear[c·linear + f·linear]  <->  indexed[offset + c·indexed + f·indexed + jump]   chunk bytes
//! ```
//!
//! What an operation addresses is data, an `Address`: plans are made from it, kept under it, and turned round by it.
//! The same plan is run in three directions: `read` (indexed to linear), `write` (linear to indexed) and
//! `accumulate` (linear combined into indexed), see `exec`. So the gradient of a read is the
//! accumulation of its own plan, and no operation owns a loop over elements.
//!
//! A plan holds no pointers and no lifetimes. It remembers the layouts it was built for, and the engine
//! refuses to run it on others; `Plan::prove` shows once, when it is built, that every address it can form
//! lies within what those layouts reach:
//!
//! * **R1** `offset`, plus any index-loop, free-loop and in-range axis contribution, plus `chunk` bytes, stays
//!   inside the hull of the indexed layout; alike for the linear side and each operand.

mod address;
mod build;
pub(crate) mod chunks;
mod explain;
pub(crate) mod grid;
mod optimize;
mod recall;
mod sorted;

use crate::op::Op;
pub(crate) use address::{Address, Between, index_operands, subscript};
pub use build::Builder;
pub(crate) use build::still;
pub(crate) use chunks::{Chunks, Factor, Line, Points, Run, Touched};
pub(crate) use grid::Grid;
pub(crate) use recall::{recalled, recalled_subscript};
pub(crate) use sorted::sorted;

use crate::error::{Error, Fault, Result};
use crate::index::rules::{Outside, Rules, Sign};
use crate::layout::Layout;
use crate::view::Form;
use smallvec::SmallVec;

/// One loop of the nest and how far each operand moves in it, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Iterations.
    pub extent: usize,
    /// Step of the linear side.
    pub linear: isize,
    /// Step of the indexed side; 0 where an index value decides instead.
    pub indexed: isize,
    /// Step of each index operand.
    pub operands: SmallVec<[isize; 2]>,
}

impl Loop {
    /// Whether no index operand moves in this loop.
    pub fn is_free(&self) -> bool {
        self.operands.iter().all(|s| *s == 0)
    }
}

/// (extent, step) of axes, outer to inner. Rarely more than one, so that plans stay small.
pub type Digits = SmallVec<[(usize, isize); 1]>;

/// An axis of the indexed side that the values of one operand control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Valid values are below this.
    pub len: usize,
    /// Bytes per unit of value; unused when `digits` is not empty.
    pub step: isize,
    /// For flat indices into an array that is not evenly spaced: its coalesced (extent, step) axes, outer to
    /// inner, over which the value is unravelled.
    pub digits: Digits,
    /// Which operand holds the values.
    pub operand: usize,
    /// The axis of the user's array, for messages.
    pub axis: usize,
    /// The operand's number in the user's call, for messages.
    pub ordinal: usize,
}

/// A mask in place of index operands: its selected positions, in row-major order, are the index positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// The mask's dimensions, coalesced.
    pub dims: SmallVec<[SelectDim; 4]>,
    /// Selected positions, as counted when the plan was built, or at most so many if they were not `counted`: where one
    /// element serves them all nobody asks.
    pub count: usize,
    /// Whether they were counted.
    pub counted: bool,
    /// Step of the linear side from one selected position to the next; not used if that side is walked by flat position.
    pub linear: isize,
}

/// One dimension of a mask and how far the mask and the indexed side move in it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SelectDim {
    pub extent: usize,
    pub mask: isize,
    pub indexed: isize,
}

/// A checked, normalised, coalesced description of one indexed operation on arrays of given layouts.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) op: Op,
    pub(crate) rules: Rules,
    /// Loops in which an operand moves, in index order.
    pub(crate) index: SmallVec<[Loop; 4]>,
    /// Loops in which none does: disjoint lanes, in any order.
    pub(crate) free: SmallVec<[Loop; 3]>,
    pub(crate) axes: SmallVec<[Axis; 2]>,
    pub(crate) select: Option<Box<Select>>,
    /// Start of the indexed side relative to its view.
    pub(crate) offset: isize,
    /// Bytes moved at once.
    pub(crate) chunk: usize,
    /// Bytes of one element.
    pub(crate) size: usize,
    /// Whether the linear side is walked by flat position in its layout instead of by loops.
    pub(crate) flat_linear: bool,
    /// Whether the index values are known to be good.
    pub(crate) checked: bool,
    /// Layouts this plan was proved for.
    pub(crate) indexed_layout: Layout,
    pub(crate) linear_layout: Layout,
    pub(crate) operand_layouts: SmallVec<[Layout; 2]>,
}

impl Plan {
    /// Number of index positions: coordinates of the index loops, or places a mask selects.
    pub fn positions(&self) -> usize {
        match &self.select {
            Some(s) => s.count,
            None => self.index.iter().map(|l| l.extent).product(),
        }
    }

    /// Number of coordinates of the free loops.
    pub fn lanes(&self) -> usize {
        self.free.iter().map(|l| l.extent).product()
    }

    /// Bytes the plan moves in one direction.
    pub fn bytes(&self) -> usize {
        self.positions().saturating_mul(self.lanes()).saturating_mul(self.chunk)
    }

    /// Whether a read writes every byte of a dense linear side: as many as there are, and none twice.
    pub(crate) fn covers(&self) -> bool {
        self.bytes() == self.linear_layout.numel().saturating_mul(self.size)
    }

    /// Bytes moved at once.
    pub fn chunk(&self) -> usize {
        self.chunk
    }

    /// Bytes of one element.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether a mask says which positions there are.
    pub fn selects(&self) -> bool {
        self.select.is_some()
    }

    /// The layout of the indexed array, from whose first element moves are counted.
    pub fn indexed_layout(&self) -> &Layout {
        &self.indexed_layout
    }

    /// That of the other array: the result of a read, the values of a write.
    pub fn linear_layout(&self) -> &Layout {
        &self.linear_layout
    }

    /// Whether arrays have the layouts this plan was built for; the elements of the linear side have `size` bytes.
    pub(crate) fn fits(&self, indexed: &impl Form, linear: &impl Form, size: usize) -> bool {
        self.indexed_layout == *indexed.layout()
            && self.linear_layout == *linear.layout()
            && indexed.dtype().size() == self.size
            && linear.dtype().size() == size
    }

    /// Declares that the index operands have been checked and are private: writes then skip the pass that looks
    /// for bad values first. Blocks are still checked as they are resolved.
    pub(crate) fn trust_indices(&mut self) {
        self.checked = true;
    }

    /// Whether a bad index value makes the call fail.
    pub(crate) fn can_fail(&self) -> bool {
        match self.rules.outside {
            Outside::Raise => !self.checked && !self.axes.is_empty(),
            // No value can be moved into an axis without positions.
            Outside::Clip | Outside::Wrap => self.axes.iter().any(|a| a.len == 0),
            _ => false,
        }
    }

    /// Whether a bad index value is left out.
    pub(crate) fn may_skip(&self) -> bool {
        !self.axes.is_empty() && matches!(self.rules.outside, Outside::Fill | Outside::Drop)
    }

    /// Whether negative values count from the end.
    pub(crate) fn counts_from_end(&self) -> bool {
        self.rules.sign == Sign::FromEnd
    }

    /// Shows R1, or fails: a plan that cannot be proved is never built.
    pub(crate) fn prove(&self) -> Result<()> {
        let broken = || Error::plain(Fault::Memory { op: self.op, bytes: None });
        if self.positions() == 0 || self.lanes() == 0 || self.chunk == 0 {
            return Ok(());
        }
        // Extents and offsets of a layout fit `isize` (L2), so what does not lies outside of it.
        let within = |span: Span, (low, high): (isize, isize), room: isize| {
            span.is_some_and(|(a, b)| a >= low && b.saturating_sub(high) <= room)
        };
        let room = self.size as isize - self.chunk as isize;
        let inside = |layout: &Layout, span| !layout.shape().contains(&0) && within(span, layout.reach(), room);
        let loops = || self.index.iter().chain(&self.free);
        let mut indexed = hull(loops().map(|l| (l.extent, l.indexed)), self.offset);
        for axis in self.axes.iter().filter(|a| a.len > 0) {
            let steps = if axis.digits.is_empty() { &[(axis.len, axis.step)][..] } else { &axis.digits[..] };
            indexed = add(indexed, hull(steps.iter().copied(), 0));
        }
        if let Some(s) = &self.select {
            indexed = add(indexed, hull(s.dims.iter().map(|d| (d.extent, d.indexed)), 0));
            let mask = hull(s.dims.iter().map(|d| (d.extent, d.mask)), 0);
            if !within(mask, self.operand_layouts.first().ok_or_else(broken)?.reach(), 0) {
                return Err(broken());
            }
        }
        let mut linear = hull(loops().map(|l| (l.extent, l.linear)), 0);
        if let Some(s) = &self.select {
            linear = add(linear, hull([(s.count, s.linear)].into_iter(), 0));
        }
        let linear_fits = match self.flat_linear {
            true => self.linear_layout.numel() >= self.positions() && self.lanes() == 1,
            false => inside(&self.linear_layout, linear),
        };
        let operands_fit = self.select.is_some()
            || self.operand_layouts.iter().enumerate().all(|(k, layout)| {
                within(hull(self.index.iter().map(|l| (l.extent, l.operands[k])), 0), layout.reach(), 0)
            });
        let axes_fit = self.axes.iter().all(|a| a.operand < self.operand_layouts.len());
        // On an empty axis every value is out of range: the indexed side is never addressed.
        let never = self.axes.iter().any(|a| a.len == 0);
        if (never || inside(&self.indexed_layout, indexed)) && linear_fits && operands_fit && axes_fit {
            Ok(())
        } else {
            debug_assert!(false, "unprovable plan: {self:?}");
            Err(broken())
        }
    }
}

/// Lowest and highest byte offset reached; nothing where they do not fit `isize`.
type Span = Option<(isize, isize)>;

/// What steps reach from `start`; no extent is 0.
fn hull(mut steps: impl Iterator<Item = (usize, isize)>, start: isize) -> Span {
    steps.try_fold((start, start), |(low, high), (n, s)| {
        let span = isize::try_from(n).ok()?.checked_sub(1)?.checked_mul(s)?;
        if span < 0 { Some((low.checked_add(span)?, high)) } else { Some((low, high.checked_add(span)?)) }
    })
}

fn add(a: Span, b: Span) -> Span {
    let (a, b) = (a?, b?);
    Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
}
