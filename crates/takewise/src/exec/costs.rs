//! When a strategy pays: the figures by which one is chosen, in one place.
//!
//! Measured on x86-64 with 1 MiB of second-level cache a core; on other processors they move a boundary, never a result.

use std::cell::Cell;

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
    /// Bytes of a destination from which threads that each look at every position and store in a part of their own are
    /// faster than one.
    pub window: usize,
    /// Index rows per row of the axis (a reciprocal) from which a strip is read often enough.
    pub strip_share: usize,
}

const USUAL: Costs = Costs {
    strip_source: 1 << 20,
    strip_bytes: 1 << 20,
    strip_row: (512, 64),
    strip_share: 4,
    block_row: 16,
    window: 32 << 20,
};

/// Every strategy wherever it is possible.
const EAGER: Costs = Costs {
    strip_source: 0,
    strip_bytes: 1 << 12,
    strip_row: (16, 8),
    strip_share: usize::MAX,
    block_row: usize::MAX,
    window: 0,
};

thread_local! {
    static COSTS: Cell<&'static Costs> = const { Cell::new(&USUAL) };
}

/// The figures in force on this thread.
pub(crate) fn costs() -> &'static Costs {
    COSTS.get()
}

/// Runs `f` with every strategy chosen wherever it is possible, however small the work, so that tests of small arrays
/// meet all of them. Results are the same.
#[doc(hidden)]
pub fn eagerly<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(&'static Costs);
    impl Drop for Restore {
        fn drop(&mut self) {
            COSTS.set(self.0);
        }
    }
    let _restore = Restore(COSTS.replace(&EAGER));
    f()
}
