//! Writing through one index axis, row by row and in short blocks.
//!
//! Stores and sums through a single axis, the common case, need little beside the move itself: so a block is short
//! enough to stay in registers and the nearest cache, resolved by one kernel, and where the destination is large the block
//! after it is resolved first, so that its places are on their way while this one is stored (a processor follows loads
//! far ahead by itself, stores not). As in [`resolve`](crate::exec::resolve) values are read once, into private memory, and only
//! the checked copy addresses anything.
//!
//! A part that owns a window of the destination keeps what falls into it and closes the gaps, as a branch that goes either
//! way costs more than the move.

use crate::exec::call::{Leaf, Outcome, Part, Sides};
use crate::exec::costs::costs;
use crate::exec::parts;
use crate::exec::resolve::{Block, IndexOperand, Named, runs};
use crate::exec::strategy::Strategy;
use crate::exec::write::fused::Placing;
use crate::exec::write::partition::Buckets;
use crate::index::rules::Outside;
use crate::kernel::cpu::prefetch_on;
use crate::kernel::move_::{self, Linear};
use crate::kernel::reduce;
use crate::plan::{Axis, Loop, Plan};
use crate::threads;

/// Positions of a block.
pub(crate) const SHORT: usize = 64;

/// A plan that can be served in this way.
pub(crate) struct Short<'p> {
    plan: &'p Plan,
    axis: &'p Axis,
    inner: &'p Loop,
    /// Whether blocks are resolved one ahead.
    far: bool,
    /// How rows are placed without blocks.
    placing: Option<Placing>,
    /// Whether its row is sorted into buckets first, where these are possible.
    sorts: bool,
}

/// One stretch of positions along the innermost loop.
#[derive(Clone, Copy)]
pub(crate) struct InnerRow<'s> {
    operand: IndexOperand,
    /// Where its values, offsets and linear places start.
    values: isize,
    pub indexed: isize,
    linear: isize,
    pub count: usize,
    plan: &'s Short<'s>,
    window: Option<(isize, isize)>,
}

impl<'p> Short<'p> {
    /// The plan, if it has the form and its rows are long enough.
    pub(crate) fn of(plan: &'p Plan, leaf: Leaf) -> Option<Short<'p>> {
        let stores = match leaf {
            Leaf::Write { reversed } => !reversed,
            Leaf::Combine { .. } | Leaf::Widen { .. } => true,
            Leaf::Check | Leaf::Read { .. } | Leaf::Through { .. } => return None,
        };
        let ([axis], Some(inner)) = (&plan.axes[..], plan.index.last()) else { return None };
        let formed = plan.free.is_empty() && plan.select.is_none() && !plan.flat_linear && axis.digits.is_empty();
        let raises = plan.rules.outside == Outside::Raise;
        let long = inner.extent >= costs().short_row && plan.positions() >= costs().many;
        if !stores || !formed || axis.len == 0 || !long {
            return None;
        }
        let placing = Placing::of(plan, axis, inner, leaf);
        if !raises && placing.is_none() {
            return None;
        }
        let (low, high) = plan.indexed_layout.reach();
        let asked = matches!(leaf, Leaf::Write { .. }) || plan.chunk >= reduce::ROW;
        let far = asked && (high - low) as usize >= costs().far_stores;
        Some(Short { plan, axis, inner, far, placing, sorts: false })
    }

    /// Is served by one strategy of those that take it.
    pub(crate) fn run_as(&mut self, strategy: Strategy) {
        self.sorts = strategy == Strategy::Partition;
        if strategy == Strategy::ShortBlocks {
            self.placing = None;
        }
    }

    /// Whether sorting its positions into buckets pays; the operands are looked at for that.
    ///
    /// # Safety
    /// The operands are the plan's (L1).
    pub(crate) unsafe fn partitions(&self, operands: &[IndexOperand]) -> bool {
        let raises = self.plan.rules.outside == Outside::Raise;
        // SAFETY: passed on.
        raises && unsafe { Buckets::pay(self.plan, self.axis, self.inner, operands[self.axis.operand]) }
    }

    /// The axis, and the innermost loop.
    pub(crate) fn along(&self) -> (&'p Axis, &'p Loop) {
        (self.axis, self.inner)
    }

    /// Whether elements are placed in one pass.
    pub(crate) fn places(&self) -> bool {
        self.placing.is_some()
    }

    /// Whether a bad value is met before anything is stored, however the plan is divided.
    pub(crate) fn checks_all(&self) -> bool {
        self.sorts && Buckets::check_all(self.plan, threads::parts_for(parts::work(self.plan)))
    }

    /// Serves all positions of a part.
    ///
    /// # Safety
    /// The arrays match the plan (L1, L3), and parts are disjoint (E1).
    pub(crate) unsafe fn serve(&self, part: &Part, sides: Sides, leaf: Leaf) -> Outcome {
        let sides = Sides {
            indexed: sides.indexed.wrapping_offset(part.indexed),
            linear: sides.linear.wrapping_offset(part.linear),
        };
        let mut good = true;
        runs(self.plan, part.start, part.end - part.start, |_, count, at| {
            let along = |step: fn(&Loop, usize) -> isize| -> isize {
                at.iter().zip(&self.plan.index).map(|(&c, l)| c as isize * step(l, self.axis.operand)).sum()
            };
            let row = InnerRow {
                operand: part.operands[self.axis.operand],
                values: along(|l, operand| l.operands[operand]),
                indexed: self.plan.offset + along(|l, _| l.indexed),
                linear: along(|l, _| l.linear),
                count,
                plan: self,
                window: part.window,
            };
            // SAFETY: passed on.
            good = good && unsafe { row.serve(sides, leaf) };
        });
        if good { Outcome::Good } else { Outcome::BadIndex }
    }
}

impl InnerRow<'_> {
    /// Serves the row; `false` at a bad value, before anything of its block is stored.
    ///
    /// # Safety
    /// As [`Short::serve`].
    unsafe fn serve(&self, sides: Sides, leaf: Leaf) -> bool {
        if self.plan.sorts
            && let Some(buckets) = Buckets::of(self.plan.plan, self.window)
            // SAFETY: passed on; a plan with buckets has one row.
            && let Some(good) = unsafe { buckets.serve(self, sides, leaf) }
        {
            return good;
        }
        if let Some(placing) = &self.plan.placing {
            // SAFETY: passed on.
            return unsafe {
                match self.window {
                    Some(window) => placing.serve_window(self, sides, window),
                    None => placing.serve(self, sides),
                }
            };
        }
        let mut blocks = [Block::EMPTY, Block::EMPTY];
        let [this, next] = &mut blocks;
        let (mut this, mut next) = (this, next);
        // SAFETY: passed on.
        if !unsafe { self.resolve(0, this) } {
            return false;
        }
        for start in (0..self.count).step_by(SHORT) {
            let after = start + SHORT;
            let more = after < self.count;
            // SAFETY: passed on; R1 for both blocks.
            unsafe {
                if more && self.plan.far {
                    if !self.resolve(after, next) {
                        return false;
                    }
                    self.store(sides, leaf, start, this, &next.indexed[..next.count]);
                    std::mem::swap(&mut this, &mut next);
                } else {
                    self.store(sides, leaf, start, this, &[]);
                    if more && !self.resolve(after, this) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The row's index values, and the bytes from one to the next.
    pub(crate) fn index(&self) -> (IndexOperand, isize) {
        let Short { axis, inner, .. } = self.plan;
        let ptr = self.operand.ptr.wrapping_offset(self.values);
        (IndexOperand { ptr, dtype: self.operand.dtype }, inner.operands[axis.operand])
    }

    /// The axis its places lie on.
    pub(crate) fn axis(&self) -> &Axis {
        self.plan.axis
    }

    /// Bytes of a value.
    pub(crate) fn chunk(&self) -> usize {
        self.plan.plan.chunk
    }

    /// Where the values from a position on lie, and the step between them.
    pub(crate) fn values_from(&self, sides: Sides, start: usize) -> (*const u8, isize) {
        let step = self.plan.inner.linear;
        (sides.linear.wrapping_offset(self.linear + start as isize * step), step)
    }

    /// The same row for one who owns the whole destination.
    pub(crate) fn whole(&self) -> Self {
        InnerRow { window: None, ..*self }
    }

    /// Resolves the block that begins at position `start` of the row.
    ///
    /// # Safety
    /// As [`Short::serve`].
    #[inline]
    pub(crate) unsafe fn resolve(&self, start: usize, block: &mut Block<SHORT>) -> bool {
        let Short { plan, axis, inner, .. } = self.plan;
        let (each, at) = (inner.operands[axis.operand], start as isize);
        let named = Named::of(plan, axis, self.operand, self.values + at * each, each);
        prefetch_on(named.first, each, SHORT);
        let (base, step) = (self.indexed + at * inner.indexed, inner.indexed);
        // SAFETY: L1: the values of the row lie in the operand's hull, as the plan proves.
        let good = unsafe { block.resolve(&named, base, step, (self.count - start).min(SHORT)) };
        if let Some(window) = self.window {
            block.keep(window, inner.linear);
        }
        good
    }

    /// Moves a block.
    ///
    /// # Safety
    /// As [`Short::serve`]; R1 for the block.
    #[inline]
    unsafe fn store(&self, sides: Sides, leaf: Leaf, start: usize, block: &Block<SHORT>, ahead: &[isize]) {
        let chunk = self.chunk();
        let (linear, step) = self.values_from(sides, start);
        let offsets = &block.indexed[..block.count];
        let at = match self.window {
            Some(_) => Linear::Table(&block.linear[..block.count]),
            None => Linear::Even(step),
        };
        prefetch_on(linear, step, SHORT);
        if !matches!(leaf, Leaf::Write { .. }) {
            reduce::ask(sides.indexed, ahead, chunk);
        }
        // SAFETY: R1 for the block, L1 for the linear side, E1 between parts.
        unsafe {
            match leaf {
                Leaf::Combine { how, dtype } => {
                    reduce::accumulate(dtype, how, chunk, sides.indexed, offsets, linear, at);
                }
                Leaf::Widen { how, dtype } => {
                    reduce::accumulate_wide(dtype, how, chunk, sides.indexed, offsets, linear, at);
                }
                _ if self.plan.far => move_::write_ahead(chunk, sides.indexed, offsets, linear, at, ahead),
                _ => move_::write(chunk, sides.indexed, offsets, linear, at),
            }
        }
    }
}
