//! The libraries as data: which functions exist, what they take, what they mean.

/// Rows of a library that has the same function in several places: `method`, a name of its `top`, or one of its modules.
macro_rules! rows {
    ($([$($place:ident)+] $name:literal, $params:expr, $run:expr;)+) => {
        &[$($(rows!(@ $place $name, $params, $run)),+),+]
    };
    (@ method $name:literal, $params:expr, $run:expr) => {
        crate::sig::row(crate::sig::Form::Method, $name, $params, $run)
    };
    (@ top $name:literal, $params:expr, $run:expr) => {
        crate::sig::row(crate::sig::Form::Function, $name, $params, $run)
    };
    (@ $module:ident $name:literal, $params:expr, $run:expr) => {
        crate::sig::row(crate::sig::Form::Function, concat!(stringify!($module), ".", $name), $params, $run)
    };
}

mod creation;
mod facts;
mod gradients;
pub(crate) mod jax;
mod jax_parts;
pub(crate) mod mindspore;
mod mindspore_parts;
mod neutral;
pub(crate) mod numpy;
mod numpy_parts;
mod refusals;
mod subscripts;
pub(crate) mod torch;
mod torch_folds;
mod torch_parts;

use takewise::DType;

/// Dtypes that all libraries call the same.
const STANDARD: &[(&str, DType)] = &[
    ("uint8", DType::U8),
    ("uint16", DType::U16),
    ("uint32", DType::U32),
    ("uint64", DType::U64),
    ("int8", DType::I8),
    ("int16", DType::I16),
    ("int32", DType::I32),
    ("int64", DType::I64),
    ("float16", DType::F16),
    ("float32", DType::F32),
    ("float64", DType::F64),
    ("complex64", DType::C64),
    ("complex128", DType::C128),
];
