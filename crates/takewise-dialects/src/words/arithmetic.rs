//! What libraries say of numbers beside integer arrays, and of arithmetic of booleans.

use std::ops::RangeInclusive;

use takewise::DType;

use crate::error::EvalError;

type Result<T, E = EvalError> = std::result::Result<T, E>;

/// PyTorch's numbers wrap around in the dtype beside them, as long as 64 bits hold them.
pub(crate) fn wrapping(value: i128, _: DType) -> Result<()> {
    match i64::try_from(value).is_ok() || u64::try_from(value).is_ok() {
        true => Ok(()),
        false => Err(EvalError::new("OverflowError", "int too big to convert")),
    }
}

/// NumPy's have to fit.
pub(crate) fn fitting(value: i128, dtype: DType) -> Result<()> {
    if dtype == DType::Bool || range(dtype).contains(&value) {
        return Ok(());
    }
    let text = match dtype {
        DType::I64 => "Python int too large to convert to C long".to_owned(),
        _ => format!("Python integer {value} out of bounds for {}", dtype.name()),
    };
    Err(EvalError::new("OverflowError", text))
}

/// The numbers an integer dtype holds.
fn range(dtype: DType) -> RangeInclusive<i128> {
    let bits = 8 * dtype.size();
    match dtype.is_signed_integer() {
        true => -(1 << (bits - 1))..=(1 << (bits - 1)) - 1,
        false => 0..=(1 << bits) - 1,
    }
}

/// What PyTorch says of `-` of booleans: of two, or of one.
pub(crate) fn torch_minus(left: bool, right: bool) -> Option<EvalError> {
    let text = match (left, right) {
        (true, true) => {
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
        }
        (false, false) => return None,
        _ => {
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        }
    };
    Some(EvalError::unsupported(text))
}

/// What NumPy says of it: of two alone.
pub(crate) fn numpy_minus(left: bool, right: bool) -> Option<EvalError> {
    let text = "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead.";
    (left && right).then(|| EvalError::type_error(text))
}

/// What PyTorch says of the negative of booleans.
pub(crate) fn torch_negative() -> EvalError {
    EvalError::unsupported(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
    )
}

/// What NumPy says of it.
pub(crate) fn numpy_negative() -> EvalError {
    EvalError::type_error(
        "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not function instead.",
    )
}
