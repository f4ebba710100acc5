//! Writes into a destination that no cache holds: values are sorted into buckets of neighbouring places first, and then
//! applied bucket by bucket.
//!
//! Stores that jump about in memory bring a whole line, and often a page, for each element. Sorted coarsely they meet each
//! line once, while it is in cache. The sort is stable, so duplicates and sums mean what they meant. It goes by batches:
//! memory beyond the operands is [`SCRATCH`] a thread at most, whatever the number of
//! indices. Sorted indices, and those of which many name the same few places, are left alone: [`Buckets::pay`].
//!
//! ```text
//! for each batch of positions:
//!     count the places of each bucket; add the counts up, so each bucket knows where it begins
//!     distribute (place, value) to the buckets, in the order of positions
//!     for each bucket, and each of its items in order: store or combine value at place
//! ```
//!
//! Joins of databases are partitioned so for the same reason: S. Manegold, P. Boncz and M. Kersten, *Optimizing Main-Memory Join on
//! Modern Hardware* (IEEE TKDE 14, 2002).

use crate::bounds::{back, from_end};
use crate::exec::call::{Leaf, Sides};
use crate::exec::costs::{SCRATCH, at_a_time, costs};
use crate::exec::resolve::{Block, IndexOperand, widen};
use crate::exec::write::blocks::{InnerRow, SHORT};
use crate::kernel::cpu::LINE;
use crate::kernel::move_::{self, Linear};
use crate::kernel::partition::{self, Bucketed, CacheLine};
use crate::kernel::reduce;
use crate::memory::scratch;
use crate::plan::{Axis, Loop, Plan};

/// Buckets at most: a line of each stays in the nearest caches.
const MOST: usize = 1024;

/// Index values looked at: so many stretches of so many.
const LOOKS: usize = 64;
const LOOK: usize = 16;

/// Values looked at per change of bucket, and per other value that meets one in a line, beyond which sorting does not pay.
const STAYS: usize = 8;
const MEETS: usize = 4;

/// Bytes of a bucket at least, as a power of two: what stays in the second-level cache.
const BUCKET: usize = 18;

/// How a part's writes are put into buckets.
pub(crate) struct Buckets {
    /// The destination's first offset, and its bytes.
    low: isize,
    span: usize,
    /// Bytes of a bucket, as a power of two, and how many there are.
    shift: u32,
    count: usize,
    /// Positions of a batch.
    batch: usize,
    /// Bytes of an item, and where its value stands.
    item: (usize, usize),
}

impl Buckets {
    /// The buckets of a plan whose positions are one row, if they pay.
    pub(crate) fn of(plan: &Plan, window: Option<(isize, isize)>) -> Option<Buckets> {
        let costs = costs();
        let positions = plan.positions();
        if positions < costs.partition_positions || plan.index.len() != 1 {
            return None;
        }
        let (low, high) = window.unwrap_or_else(|| {
            let (low, high) = plan.indexed_layout.reach();
            (low, high + 1)
        });
        let span = usize::try_from(high - low).ok()?;
        if span < costs.partition_span || span > u32::MAX as usize / 2 {
            return None;
        }
        let item = partition::item(plan.chunk)?;
        let mut shift = at_a_time(BUCKET, 4) as u32;
        while span >> shift >= MOST {
            shift += 1;
        }
        let batch = (at_a_time(SCRATCH, 1 << 10) / (item.0 + size_of::<u32>())).min(positions).max(SHORT);
        Some(Buckets { low, span, shift, count: ((span - 1) >> shift) + 1, batch, item })
    }

    /// Whether buckets pay for these index values: they jump about, and do not meet in a few lines that the caches hold. Some
    /// of them are looked at; what they say decides about speed only.
    ///
    /// # Safety
    /// The operand is the plan's (L1).
    pub(crate) unsafe fn pay(plan: &Plan, axis: &Axis, inner: &Loop, operand: IndexOperand) -> bool {
        let Some(buckets) = Buckets::of(plan, None) else { return false };
        if costs().small || inner.extent < LOOKS * LOOK {
            return true;
        }
        let each = inner.operands[axis.operand];
        let back = back(plan.rules.sign, axis.len);
        let (mut raw, mut lines) = ([0i64; LOOK], [0isize; LOOKS * LOOK]);
        let mut jumps = 0;
        for (k, lines) in lines.chunks_mut(LOOK).enumerate() {
            let start = ((inner.extent - LOOK) / (LOOKS - 1) * k) as isize;
            // SAFETY: L1: positions of the plan's only loop.
            unsafe { widen(operand.dtype, operand.ptr.offset(start * each), each, None, &mut raw) };
            for (j, (line, v)) in lines.iter_mut().zip(raw).enumerate() {
                let along = (start + j as isize).wrapping_mul(inner.indexed);
                *line = (from_end(v, back) as isize).wrapping_mul(axis.step).wrapping_add(along) / LINE as isize;
            }
            let bucket = |line: isize| line >> buckets.shift.saturating_sub(LINE.ilog2());
            jumps += lines.windows(2).filter(|pair| bucket(pair[0]) != bucket(pair[1])).count();
        }
        lines.sort_unstable();
        let met = lines.windows(2).filter(|pair| pair[0] == pair[1]).count();
        jumps > lines.len() / STAYS && met < lines.len() / MEETS
    }

    /// Whether each of so many parts of a plan that [`blocks`](crate::exec::write::blocks) takes meets all index values in one batch, and so
    /// stores nothing if one is bad.
    pub(crate) fn check_all(plan: &Plan, parts: usize) -> bool {
        let (low, high) = plan.indexed_layout.reach();
        let window = (parts > 1).then(|| (low, low + (high + 1 - low) / parts as isize));
        // Along a loop that the destination steps with, parts have positions of their own.
        let shared = parts <= 1 || plan.index.iter().all(|l| l.indexed == 0);
        let whole = |b: Buckets| b.batch >= plan.positions();
        // The smallest share, and all of it, as it need not be divided.
        shared && Buckets::of(plan, None).is_some_and(whole) && Buckets::of(plan, window).is_some_and(whole)
    }

    /// Serves the row, `None` if there is no memory for it; `false` at a bad value, before anything of its batch is stored.
    ///
    /// # Safety
    /// As [`InnerRow::serve`]; the row is the part's only one.
    pub(crate) unsafe fn serve(&self, row: &InnerRow, sides: Sides, leaf: Leaf) -> Option<bool> {
        // E2: every place and item is written before it is read.
        let lines = |bytes: usize| scratch::<u8>(bytes.div_ceil(LINE) * LINE);
        let memory = lines(self.batch * size_of::<u32>()).zip(lines(self.batch * self.item.0));
        let Some((mut places, mut items)) = memory else {
            // Who relied on a look at all values in one batch relies on it still.
            let mut block = Block::EMPTY;
            // SAFETY: passed on.
            let good = (0..row.count).step_by(SHORT).all(|start| unsafe { row.resolve(start, &mut block) });
            return (!good).then_some(false);
        };
        let (places, items) = (places.start().cast::<u32>(), items.start());
        let mut counts = vec![0u32; self.count + 1];
        let mut ends = counts.clone();
        let mut lines = vec![CacheLine::EMPTY; self.count + 1];
        let beyond = (self.count as u32) << self.shift;
        let mut block = Block::EMPTY;
        let all = row.whole();
        for start in (0..row.count).step_by(self.batch) {
            let size = self.batch.min(row.count - start);
            counts.fill(0);
            for at in (0..size).step_by(SHORT) {
                // SAFETY: passed on.
                if !unsafe { all.resolve(start + at, &mut block) } {
                    return Some(false);
                }
                let n = SHORT.min(size - at);
                // SAFETY: the batch has as many places.
                unsafe {
                    let places = std::slice::from_raw_parts_mut(places.add(at), n);
                    partition::count_places(
                        &block.indexed[..n],
                        self.low,
                        self.span,
                        beyond,
                        self.shift,
                        places,
                        &mut counts,
                    );
                }
            }
            let mut kept = 0;
            for n in &mut counts[..self.count] {
                kept += std::mem::replace(n, kept);
            }
            counts[self.count] = 0;
            ends.copy_from_slice(&counts);
            // SAFETY: L1 for the linear side; a batch's worth of places and of room for items, which `counts` shares out by
            // the number of places of each bucket.
            unsafe {
                let (values, step) = row.values_from(sides, start);
                let places = std::slice::from_raw_parts(places, size);
                let (starts, ends, lines) = (&counts[..], &mut ends[..], &mut lines[..]);
                let mut sorted = Bucketed { shift: self.shift, starts, ends, lines, items };
                partition::distribute(row.chunk(), places, values, step, &mut sorted);
                self.apply(row.chunk(), sides, leaf, items, kept as usize);
            }
        }
        Some(true)
    }

    /// Applies items in order.
    ///
    /// # Safety
    /// R1 for their places; the destination is exclusively ours (L3, E1).
    unsafe fn apply(&self, chunk: usize, sides: Sides, leaf: Leaf, items: *const u8, count: usize) {
        let mut blocks = [[0isize; SHORT]; 2];
        let [this, next] = &mut blocks;
        let (mut this, mut next) = (this, next);
        let (each, within) = self.item;
        let size = |from: usize| SHORT.min(count.saturating_sub(from));
        // SAFETY: by the caller; items are read where they were written.
        unsafe {
            partition::places_of(items, each, 0, self.low, &mut this[..size(0)]);
            for from in (0..count).step_by(SHORT) {
                let ahead = size(from + SHORT);
                partition::places_of(items, each, from + SHORT, self.low, &mut next[..ahead]);
                let (offsets, values) = (&this[..size(from)], items.add(from * each + within));
                let at = Linear::Even(each as isize);
                match leaf {
                    Leaf::Combine { how, dtype } => {
                        reduce::accumulate(dtype, how, chunk, sides.indexed, offsets, values, at);
                    }
                    Leaf::Widen { how, dtype } => {
                        reduce::accumulate_wide(dtype, how, chunk, sides.indexed, offsets, values, at);
                    }
                    _ => move_::write_ahead(chunk, sides.indexed, offsets, values, at, &next[..ahead]),
                }
                std::mem::swap(&mut this, &mut next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::index::rules::Rules;
    use crate::layout::Layout;
    use crate::op::Op;
    use crate::plan::Builder;
    use crate::tensor::Tensor;

    /// Values that jump about pay; rising and falling ones, stretches of neighbours, and a few popular ones do not.
    #[test]
    #[cfg_attr(miri, ignore = "it takes millions of values")]
    fn buckets_pay_where_values_jump_about() {
        let (places, positions) = (1usize << 26, 1usize << 21);
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let pays = |values: Vec<i64>| {
            let size = size_of::<f32>();
            let (target, line) = (Layout::contiguous(&[places], size), Layout::contiguous(&[positions], size));
            let index = Tensor::from_vec(values, &[positions]).unwrap();
            let mut b = Builder::new(Op::Put, &Rules::NEUTRAL, &target.unwrap(), &line.unwrap(), size);
            let operand = b.operand(index.layout());
            b.axis(0, places, size as isize, operand, 0);
            b.index_loop(positions, size as isize, 0, &[8]);
            let plan = b.build().unwrap();
            let guard = index.read_any().unwrap();
            let operand = IndexOperand { ptr: guard.view().as_ptr(), dtype: DType::I64 };
            // SAFETY: the operand is the plan's.
            unsafe { Buckets::pay(&plan, &plan.axes[0], &plan.index[0], operand) }
        };
        assert!(pays((0..positions).map(|_| random(places) as i64 - places as i64 / 2).collect()));
        assert!(!pays((0..positions).map(|k| (k * 4) as i64).collect()));
        assert!(!pays((0..positions).rev().map(|k| (k * 3) as i64 - 7).collect()));
        assert!(!pays((0..positions).map(|k| (k / 4096 * 7919 % 2048 * 4096 + k % 4096) as i64).collect()));
        assert!(!pays((0..positions).map(|k| if k % 2 == 0 { 5 } else { random(places) as i64 }).collect()));
    }
}
