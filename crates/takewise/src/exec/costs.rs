//! When a strategy pays: the figures by which one is chosen, in one place.
//!
//! Measured on x86-64 with 1 MiB of second-level cache a core; on other processors they move a boundary, never a result.

use super::strategy::Strategy;
use std::cell::Cell;

/// A strategy that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forced {
    pub strategy: Strategy,
    /// Whether a plan that it cannot serve is an error.
    pub strict: bool,
}

/// Positions, and lanes, that the stack has room for.
pub(super) const FEW: usize = 32;

/// What decides between strategies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// Bytes of an indexed side, along its axis and the loop within, from which packing strips of it pays.
    pub strip_source: usize,
    /// Bytes of a packed strip at most: what stays in the second-level cache beside the streams.
    pub strip_bytes: usize,
    /// Bytes of a strip's rows at most, and at least.
    pub strip_row: (usize, usize),
    /// Positions from which a block is served row by row, however long the lanes are.
    pub block_row: usize,
    /// Places of a lane from which each position is served along the whole of it, where positions lie further apart; and
    /// those combined at a time.
    pub lane_row: usize,
    pub lane_places: usize,
    /// Bytes of a destination from which threads that each look at every position and store in a part of their own are
    /// faster than one.
    pub window: usize,
    /// Index rows per row of the axis (a reciprocal) from which a strip is read often enough.
    pub strip_share: usize,
    /// Positions from which a read checks and moves in one pass; those of the innermost loop one by one; and those as vectors,
    /// unless they are whole vectors.
    pub pick: usize,
    pub pick_row: (usize, usize),
    /// Values a rule may have to bring inside that are used as they are at a time, and once more if one of them lies outside.
    pub pick_tried: usize,
    /// Bytes of an element from which gather instructions bring those that lie side by side, where the processor is slow at them.
    pub gathered: usize,
    /// Rows, positions of each, and bytes of all from which rows that one list of offsets serves are read together.
    pub outer: (usize, usize, usize),
    /// Positions from which memory of the index arrays is asked for ahead in reads, and in writes that of their values and
    /// of the places of the next row too.
    pub asked: usize,
    pub asked_writes: usize,
    /// Bytes that one row of an index may reach from which its memory is asked for ahead of use.
    pub far: usize,
    /// How far ahead: bytes of chunks, and positions at least and at most.
    pub ahead_bytes: usize,
    pub ahead: (usize, usize),
    /// Bytes of a row at most that is asked for while the row before it is served.
    pub row: usize,
    /// Positions of the innermost index loop from which writes are served in short blocks.
    pub short_row: usize,
    /// Index positions from which writes are served in short blocks, or in a shadow copy.
    pub many: usize,
    /// Bytes of a destination from which stores are asked for one block ahead; and those from which single elements are stored or
    /// summed so many positions ahead.
    pub far_stores: usize,
    pub far_elements: usize,
    pub place_ahead: usize,
    /// How far apart positions are compared: where most name one place, sums are made run by run.
    pub repeats: usize,
    /// Bytes of a destination that is written in a shadow copy at most, and how many times as many bytes its indices take.
    pub aside: usize,
    pub aside_share: usize,
    /// Counters (and wide sums) per index position (and element moved), up to which contributions are counted where they
    /// land; beyond that they are sorted.
    pub counters: usize,
    /// Bytes of counters, wide sums and sorted positions that a call takes at a time, and the part of the bytes of its
    /// destination and indices that may be as well.
    pub scratch: usize,
    pub scratch_share: usize,
    /// Bytes of a row of half floats from which positions are sorted rather than sums of the whole destination kept.
    pub sorted_row: usize,
    /// Index positions, and bytes of a destination, from which writes are sorted into buckets first; and bytes of
    /// destination a position beyond which that does not pay.
    pub bucket_positions: usize,
    pub bucket_span: usize,
    pub bucket_sparse: usize,
    /// Whether a look at some index values comes first, and how many values per change of bucket, or per other value that
    /// meets one in a line, mean that sorting does not pay.
    pub bucket_look: Option<(usize, usize)>,
    /// Bytes of a bucket at least, as a power of two: what stays in the second-level cache.
    pub bucket_shift: u32,
    /// Bytes of memory a thread takes for items at most.
    pub bucket_bytes: usize,
    /// Bytes of a result from which elements, and rows of lines, are streamed past the caches.
    pub streamed: usize,
    pub streamed_rows: usize,
    /// Positions, and lanes, up to which a call is served on the stack.
    pub few: usize,
    /// The strategy that is asked for, if one is.
    pub forced: Option<Forced>,
}

const USUAL: Costs = Costs {
    strip_source: 1 << 20,
    strip_bytes: 1 << 20,
    strip_row: (512, 64),
    strip_share: 8,
    block_row: 16,
    lane_row: 8,
    lane_places: 256,
    window: 32 << 20,
    pick: 128,
    pick_row: (4, 96),
    pick_tried: 4096,
    gathered: 8,
    outer: (4, 32, 1 << 13),
    asked: 1 << 16,
    asked_writes: 1 << 22,
    far: 8 << 20,
    ahead_bytes: 1 << 11,
    ahead: (8, 96),
    row: 1 << 15,
    short_row: 48,
    many: 513,
    far_stores: 256 << 10,
    far_elements: 3 << 19,
    place_ahead: 32,
    repeats: 8,
    aside: 8 << 20,
    aside_share: 4,
    counters: 8,
    scratch: 96 << 20,
    scratch_share: 4,
    sorted_row: 128,
    bucket_positions: 1 << 21,
    bucket_span: 128 << 20,
    bucket_sparse: 128,
    bucket_look: Some((8, 4)),
    bucket_shift: 18,
    bucket_bytes: 96 << 20,
    streamed: 8 << 20,
    streamed_rows: 16 << 20,
    few: FEW,
    forced: None,
};

/// Blocks and pieces so small that small arrays have many, and no strategy too dear.
const SMALL: Costs = Costs {
    strip_source: 0,
    strip_bytes: 1 << 12,
    strip_row: (16, 8),
    strip_share: usize::MAX,
    block_row: usize::MAX,
    lane_row: 2,
    lane_places: 3,
    window: 0,
    pick: 0,
    pick_row: (1, 1),
    pick_tried: 3,
    gathered: 0,
    outer: (2, 1, 0),
    asked: 0,
    asked_writes: 0,
    far: 64,
    ahead_bytes: 16,
    ahead: (1, 4),
    row: 1 << 15,
    short_row: 1,
    many: 1,
    far_stores: 0,
    far_elements: 0,
    place_ahead: 3,
    repeats: 1,
    aside: usize::MAX,
    aside_share: 0,
    counters: usize::MAX,
    scratch: 1 << 12,
    scratch_share: usize::MAX,
    sorted_row: usize::MAX,
    bucket_positions: 1,
    bucket_span: 1,
    bucket_sparse: usize::MAX,
    bucket_look: None,
    bucket_shift: 4,
    bucket_bytes: 1 << 10,
    streamed: 0,
    streamed_rows: 0,
    few: 0,
    forced: None,
};

/// Those figures with each strategy asked for in turn.
const fn asked_for(strict: bool) -> [Costs; Strategy::ALL.len()] {
    let mut all = [SMALL; Strategy::ALL.len()];
    let mut k = 0;
    while k < all.len() {
        let strategy = Strategy::ALL[k];
        all[k].forced = Some(Forced { strategy, strict });
        if let Strategy::Few = strategy {
            all[k].few = FEW;
        }
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
    struct Restore(&'static Costs);
    impl Drop for Restore {
        fn drop(&mut self) {
            COSTS.set(self.0);
        }
    }
    let _restore = Restore(COSTS.replace(costs));
    f()
}
