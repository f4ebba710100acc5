//! When a strategy pays: the figures by which one is chosen, in one place.
//!
//! Measured on x86-64 with 1 MiB of second-level cache a core; on other processors they move a boundary, never a result.

use super::strategy::Strategy;
use crate::guard::AtEnd;
use std::cell::Cell;

/// A strategy that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forced {
    pub strategy: Strategy,
    /// Whether a plan that it cannot serve is an error.
    pub strict: bool,
}

/// What decides between strategies. Figures come from the rows of the benchmarks at one and sixteen million positions, one thread,
/// AVX-512; docs/BENCHMARKS.md tells the machines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// Bytes of an indexed side, along its axis and the loop within, from which packing strips of it pays: a second-level cache.
    pub strip_source: usize,
    /// Index rows per row of the axis (a reciprocal) from which a strip is read often enough: an eighth of 4096 rows pays, a
    /// sixteenth does not.
    pub strip_share: usize,
    /// Positions from which a block is served row by row, however long the lanes are (columns of a 3-d array).
    pub block_row: usize,
    /// Places of a lane from which each position is served along the whole of it, where positions lie further apart (rows of a
    /// transposed table, one column stored into many).
    pub lane_row: usize,
    /// Bytes of a destination from which threads that each look at every position and store elements in a part of their own are
    /// faster than one; of rows sixteen times as many (two threads, stores and sums into 4 MiB: 1.3 and 1.25).
    pub window: usize,
    /// Positions from which a read checks and moves in one pass; fewer are a tenth faster without its setup.
    pub gather: usize,
    /// Positions of a row for that, one by one; and as vectors, unless they are whole vectors (gathers of 4 to 1000 of each row).
    pub gather_row: (usize, usize),
    /// Bytes of a result from which rows that one list of offsets serves are read together (`x[:, i]`).
    pub shared: usize,
    /// Positions from which memory of the index arrays is asked for ahead in reads, and in writes that of their values and
    /// of the places of the next row too.
    pub asked: usize,
    pub asked_writes: usize,
    /// Bytes that one row of an index may reach from which its memory is asked for ahead of use (`take` from 1 to 64 MiB).
    pub far: usize,
    /// Positions of the innermost index loop from which writes are served row by row (rows of 2 to 40 positions).
    pub short_row: usize,
    /// Index positions from which writes are served row by row, or in a shadow copy (`put` of 64 to 1024).
    pub many: usize,
    /// Bytes of a destination from which places are asked for before they are stored to; and before single elements are summed,
    /// which a processor follows further by itself (scatter and scatter_add along 0, in strips of 1 MiB: 1.1 each).
    pub far_stores: usize,
    pub far_sums: usize,
    /// Bytes of a destination that is written in a shadow copy at most, and how many times as many bytes its indices take.
    pub shadow: usize,
    pub shadow_share: usize,
    /// Counters (and wide sums) per index position (and element moved), up to which contributions are counted where they
    /// land; beyond that they are sorted. Counted ones are 2 to 20 times as fast where places lie close.
    pub counters: usize,
    /// Bytes of a row of half floats from which positions are sorted rather than sums of the whole destination kept.
    pub sorted_row: usize,
    /// Index positions, and bytes of a destination, from which writes are sorted into buckets first (stores into 64 MiB to 1 GiB).
    pub partition_positions: usize,
    pub partition_span: usize,
    /// Bytes of a result from which elements, and rows of lines, are streamed past the caches (that of rows from Zen 4).
    pub streamed: usize,
    pub streamed_rows: usize,
    /// Whether pieces are small, and nothing is passed over as too dear: a strategy is asked for.
    pub small: bool,
    /// The strategy that is asked for, if one is.
    pub forced: Option<Forced>,
}

const USUAL: Costs = Costs {
    strip_source: 1 << 20,
    strip_share: 8,
    block_row: 16,
    lane_row: 8,
    window: 2 << 20,
    gather: 128,
    gather_row: (4, 96),
    shared: 1 << 13,
    asked: 1 << 16,
    asked_writes: 1 << 22,
    far: 8 << 20,
    short_row: 48,
    many: 513,
    far_stores: 1 << 20,
    far_sums: 3 << 19,
    shadow: 8 << 20,
    shadow_share: 4,
    counters: 8,
    sorted_row: 128,
    partition_positions: 1 << 21,
    partition_span: 128 << 20,
    streamed: 8 << 20,
    streamed_rows: 16 << 20,
    small: false,
    forced: None,
};

/// Small arrays are enough for every strategy.
const SMALL: Costs = Costs {
    strip_source: 0,
    strip_share: usize::MAX,
    block_row: usize::MAX,
    lane_row: 2,
    window: 0,
    gather: 0,
    gather_row: (1, 1),
    shared: 0,
    asked: 0,
    asked_writes: 0,
    far: 64,
    short_row: 1,
    many: 1,
    far_stores: 0,
    far_sums: 0,
    shadow: usize::MAX,
    shadow_share: 0,
    counters: usize::MAX,
    sorted_row: usize::MAX,
    partition_positions: 1,
    partition_span: 1,
    streamed: 0,
    streamed_rows: 0,
    small: true,
    forced: None,
};

/// Bytes of counters, wide sums, sorted positions and buckets that a thread takes at a time.
pub(crate) const SCRATCH: usize = 96 << 20;

/// How much is done at a time: the first, or the second where small arrays are to have many pieces.
#[inline]
pub(crate) fn at_a_time(usual: usize, small: usize) -> usize {
    if costs().small { small } else { usual }
}

/// Whether a row of so many bytes is asked for as a whole while the row before it is served: the first-level cache has room for
/// both, and most of its lines are met.
#[inline]
pub(crate) fn is_met(bytes: usize, positions: usize) -> bool {
    bytes <= NEAREST && bytes <= positions.saturating_mul(48)
}

/// Bytes of a row of which the first-level cache holds several.
const NEAREST: usize = 32 << 10;

/// Those figures with each strategy asked for in turn.
const fn asked_for(strict: bool) -> [Costs; Strategy::ALL.len()] {
    let mut all = [SMALL; Strategy::ALL.len()];
    let mut k = 0;
    while k < all.len() {
        let strategy = Strategy::ALL[k];
        all[k].forced = Some(Forced { strategy, strict });
        k += 1;
    }
    all
}

/// A strategy and no other, in the order of [`Strategy::ALL`].
pub(super) static FORCED: [Costs; Strategy::ALL.len()] = asked_for(true);

/// A strategy where it serves.
pub(super) static PREFERRED: [Costs; Strategy::ALL.len()] = asked_for(false);

thread_local! {
    static COSTS: Cell<&'static Costs> = const { Cell::new(&USUAL) };
}

/// The figures in force on this thread.
pub(crate) fn costs() -> &'static Costs {
    COSTS.get()
}

/// Runs `f` with these figures: what a thread works on is decided as where the call was made.
pub(crate) fn under<R>(costs: &'static Costs, f: impl FnOnce() -> R) -> R {
    let before = COSTS.replace(costs);
    let _back = AtEnd(|| COSTS.set(before));
    f()
}
