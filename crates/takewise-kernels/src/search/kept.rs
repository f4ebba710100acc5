//! Trees that outlive a call.

use super::lane::{Keyed, Lane};
use super::operand::Operand;
use super::tree::{At, TREES, Tree, Trees, leaf_depth};
use super::typed::{Typed, typed};
use crate::dtype::DType;
use crate::scratch::Room;
use crate::search::order::Hay;

/// The tree of a sequence, for searches with NaN sorted last or not.
pub struct Kept {
    dtype: DType,
    len: usize,
    nan_last: bool,
    trees: Trees,
}

impl Kept {
    /// The tree of a 1-d sequence; `None` for complex numbers, records, and sequences of 2^32 elements or more, which are
    /// searched without, and where there is no memory for one.
    ///
    /// # Safety
    /// L1 of the operand.
    pub unsafe fn new(sequence: Operand<'_>, nan_last: bool, room: Room) -> Option<Kept> {
        let (&[len], &[step]) = (sequence.shape, sequence.strides) else { return None };
        if len >= u32::MAX as usize || !TREES {
            return None;
        }
        let trees = typed(sequence.dtype, nan_last, Sequence { start: sequence.at, len, step, room })??;
        Some(Kept { dtype: sequence.dtype, len, nan_last, trees })
    }

    pub(super) fn is_of(&self, sequence: &Operand<'_>, nan_last: bool) -> bool {
        sequence.shape == [self.len] && sequence.dtype == self.dtype && nan_last == self.nan_last
    }

    /// The tree, if its keys have this width.
    pub(super) fn tree<L: Lane>(&self) -> Option<&Tree<L>> {
        L::tree(&self.trees)
    }
}

/// A 1-d sequence that a tree is made of.
struct Sequence {
    start: *const u8,
    len: usize,
    step: isize,
    room: Room,
}

impl Typed for Sequence {
    type Result = Option<Trees>;

    fn keyed<H: Keyed>(self) -> Option<Trees> {
        // SAFETY: L1, the operand reaches `len` elements a step apart.
        let tree =
            unsafe { Tree::new::<H>(self.room, At::Step(self.start, self.step), self.len, leaf_depth(self.len), true) };
        tree.map(H::Lane::kept)
    }

    fn plain<H: Hay>(self) -> Option<Trees> {
        None
    }
}
