//! What libraries say of numbers beside integer arrays, and of arithmetic of booleans.

use std::ops::RangeInclusive;

use takewise::DType;
use takewise::error::{list, tuple};

use super::torch_name;
use crate::error::{EvalError, Result};
use crate::run::casting::can_cast;

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

/// What PyTorch says of a result in place whose kind of number the tensor has not: booleans, integers, floats, complex numbers.
pub(crate) fn torch_cast(_: &str, from: DType, to: DType) -> Option<EvalError> {
    let kind = |dtype: DType| match dtype.native() {
        DType::Bool => 0,
        d if d.is_integer() => 1,
        d if d.is_float() => 2,
        _ => 3,
    };
    let text =
        || format!("result type {} can't be cast to the desired output type {}", torch_name(from), torch_name(to));
    (kind(from) > kind(to)).then(|| EvalError::runtime_error(text()))
}

/// What NumPy says of it, by its rule of casts of one kind.
pub(crate) fn numpy_cast(ufunc: &str, from: DType, to: DType) -> Option<EvalError> {
    let [own, other] = [from, to].map(|dtype| format!("dtype('{}')", dtype.name()));
    let text = || format!("Cannot cast ufunc '{ufunc}' output from {own} to {other} with casting rule 'same_kind'");
    (!can_cast(from, to, "same_kind")).then(|| EvalError::new("UFuncTypeError", text()))
}

/// What PyTorch says of a result in place that is larger than the tensor. Where there is none, the operator says so.
pub(crate) fn torch_grown([own, _]: [&[usize]; 2], met: Option<&[usize]>) -> Option<EvalError> {
    let text = format!("output with shape {} doesn't match the broadcast shape {}", list(own), list(met?));
    Some(EvalError::runtime_error(text))
}

/// What NumPy says of it. Shapes that do not meet it names with that of the result after them.
pub(crate) fn numpy_grown([own, other]: [&[usize]; 2], met: Option<&[usize]>) -> Option<EvalError> {
    let [own, other] = [own, other].map(tuple);
    Some(EvalError::value_error(match met.map(tuple) {
        Some(met) => {
            format!("non-broadcastable output operand with shape {own} doesn't match the broadcast shape {met}")
        }
        None => format!("operands could not be broadcast together with shapes {own} {other} {own} "),
    }))
}
