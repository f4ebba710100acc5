//! From the dtype of a sequence, known when the program runs, to the type that says how its elements compare.

use super::lane::Keyed;
use super::order::{Bools, Complexes, Floats, Hay, Ints};
use crate::dtype::DType;
use half::{bf16, f16};

/// What is done once the type of the sequence is known.
pub(super) trait Typed {
    type Result;
    /// For a sequence of real numbers.
    fn keyed<H: Keyed>(self) -> Self::Result;
    /// For any other with an order.
    fn plain<H: Hay>(self) -> Self::Result;
}

/// Does it; `None` for records, which have no order.
pub(super) fn typed<T: Typed>(dtype: DType, nan_last: bool, then: T) -> Option<T::Result> {
    Some(match (dtype, nan_last) {
        (DType::Bool, _) => then.keyed::<Bools>(),
        (DType::U8, _) => then.keyed::<Ints<u8>>(),
        (DType::U16, _) => then.keyed::<Ints<u16>>(),
        (DType::U32, _) => then.keyed::<Ints<u32>>(),
        (DType::U64, _) => then.keyed::<Ints<u64>>(),
        (DType::I8, _) => then.keyed::<Ints<i8>>(),
        (DType::I16, _) => then.keyed::<Ints<i16>>(),
        (DType::I32, _) => then.keyed::<Ints<i32>>(),
        (DType::I64, _) => then.keyed::<Ints<i64>>(),
        (DType::F16, false) => then.keyed::<Floats<f16, false>>(),
        (DType::F16, true) => then.keyed::<Floats<f16, true>>(),
        (DType::BF16, false) => then.keyed::<Floats<bf16, false>>(),
        (DType::BF16, true) => then.keyed::<Floats<bf16, true>>(),
        (DType::F32, false) => then.keyed::<Floats<f32, false>>(),
        (DType::F32, true) => then.keyed::<Floats<f32, true>>(),
        (DType::F64, false) => then.keyed::<Floats<f64, false>>(),
        (DType::F64, true) => then.keyed::<Floats<f64, true>>(),
        (DType::C64, _) => then.plain::<Complexes<f32>>(),
        (DType::C128, _) => then.plain::<Complexes<f64>>(),
        (DType::Opaque { .. }, _) => return None,
    })
}
