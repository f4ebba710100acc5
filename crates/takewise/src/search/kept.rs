//! Trees that outlive a call.

use super::lane::{Keyed, Lane};
use super::tree::{Tree, leaf_depth};
use crate::dtype::DType;
use crate::search::order::{Bools, Floats, Ints};
use crate::view::AnyView;
use half::{bf16, f16};

/// The tree of a sequence, for searches with NaN sorted last or not.
pub(crate) struct Kept {
    dtype: DType,
    len: usize,
    nan_last: bool,
    trees: Trees,
}

/// A tree of either width of keys.
#[derive(Default)]
pub(super) struct Trees {
    pub(super) narrow: Option<Tree<i32>>,
    pub(super) wide: Option<Tree<i64>>,
}

impl Kept {
    /// The tree of a 1-d sequence; `None` for complex numbers, records, and sequences of 2^32 elements or more, which are
    /// searched without, and where there is no memory for one.
    pub(crate) fn new(sequence: &AnyView<'_>, nan_last: bool) -> Option<Kept> {
        let (&[len], &[step]) = (sequence.shape(), sequence.layout().strides()) else { return None };
        if len >= u32::MAX as usize {
            return None;
        }
        let at = (sequence.as_ptr(), len, step);
        let trees = match (sequence.dtype(), nan_last) {
            (DType::Bool, _) => of::<Bools>(at),
            (DType::U8, _) => of::<Ints<u8>>(at),
            (DType::U16, _) => of::<Ints<u16>>(at),
            (DType::U32, _) => of::<Ints<u32>>(at),
            (DType::U64, _) => of::<Ints<u64>>(at),
            (DType::I8, _) => of::<Ints<i8>>(at),
            (DType::I16, _) => of::<Ints<i16>>(at),
            (DType::I32, _) => of::<Ints<i32>>(at),
            (DType::I64, _) => of::<Ints<i64>>(at),
            (DType::F16, false) => of::<Floats<f16, false>>(at),
            (DType::F16, true) => of::<Floats<f16, true>>(at),
            (DType::BF16, false) => of::<Floats<bf16, false>>(at),
            (DType::BF16, true) => of::<Floats<bf16, true>>(at),
            (DType::F32, false) => of::<Floats<f32, false>>(at),
            (DType::F32, true) => of::<Floats<f32, true>>(at),
            (DType::F64, false) => of::<Floats<f64, false>>(at),
            (DType::F64, true) => of::<Floats<f64, true>>(at),
            (DType::C64 | DType::C128 | DType::Opaque { .. }, _) => None,
        };
        trees.map(|trees| Kept { dtype: sequence.dtype(), len, nan_last, trees })
    }

    pub(super) fn is_of(&self, sequence: &AnyView<'_>, nan_last: bool) -> bool {
        sequence.shape() == [self.len] && sequence.dtype() == self.dtype && nan_last == self.nan_last
    }

    /// The tree, if its keys have this width.
    pub(super) fn tree<L: Lane>(&self) -> Option<&Tree<L>> {
        L::tree(&self.trees)
    }
}

fn of<H: Keyed>((start, len, step): (*const u8, usize, isize)) -> Option<Trees> {
    let at = |i: usize| start.wrapping_offset(i as isize * step);
    // SAFETY: L1, the layout of a view reaches `len` elements a step apart.
    let tree = unsafe { Tree::new::<H>(at, step == H::SIZE as isize, len, leaf_depth(len), true) };
    tree.map(H::Lane::kept)
}
