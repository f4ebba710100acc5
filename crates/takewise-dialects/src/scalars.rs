//! Elements of arrays as Python's numbers, and numbers as the engine takes them.

use takewise::error::DTypeRule;
use takewise::op::Op;
use takewise::{Error, Fault, Scalar, Tensor};

use crate::error::{EvalError, raise};
use crate::value::{Array, Value};

/// The elements of a tensor in row-major order, as Python numbers.
///
/// # Errors
/// A tensor that another call is writing; records have no Python value.
pub fn elements(tensor: &Tensor) -> Result<Vec<Value>, Error> {
    let open = tensor.read_any()?;
    let view = open.view();
    let dtype = view.dtype();
    let coordinates = takewise::layout::Coordinates::new(view.shape());
    let mut items = room(Op::Named(&"tolist"), tensor.numel(), 0)?;
    for at in coordinates {
        let bytes = view.bytes_at(&at).unwrap_or_default();
        // What can only be moved has no number to give.
        let number = takewise::internal::number::element_scalar(&bytes, dtype).ok_or_else(|| {
            Error::plain(Fault::DType { op: Op::Item, rule: DTypeRule::Unsupported, given: dtype, wanted: None })
        });
        items.push(from_scalar(number?));
    }
    Ok(items)
}

/// Room for so many values, and for so many bytes more that each of them takes elsewhere, where nobody asks.
///
/// # Errors
/// There is no memory for them.
pub(crate) fn room(op: Op, count: usize, beside: usize) -> Result<Vec<Value>, Error> {
    let lacking = |bytes| Error::plain(Fault::Memory { op, bytes });
    let bytes = count.checked_mul(beside + size_of::<Value>());
    let mut items = Vec::new();
    items.try_reserve_exact(count).map_err(|_| lacking(bytes))?;
    let all = count.checked_mul(beside).ok_or_else(|| lacking(bytes))?;
    Vec::<u8>::new().try_reserve_exact(all).map_err(|_| lacking(bytes))?;
    Ok(items)
}

/// A Python number.
pub(crate) fn from_scalar(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(i) => Value::Int(i),
        Scalar::Float(x) => Value::Float(x),
        Scalar::Complex(re, im) => Value::Complex(re, im),
    }
}

/// A Python number, or an array of rank 0, as the engine takes it.
pub(crate) fn to_scalar(value: &Value) -> Option<Scalar> {
    Some(match value {
        Value::Bool(b) => Scalar::Bool(*b),
        Value::Int(i) => Scalar::Int(*i),
        Value::Float(x) => Scalar::Float(*x),
        Value::Complex(re, im) => Scalar::Complex(*re, *im),
        Value::Array(a) if a.shape().is_empty() => return to_scalar(elements(&a.tensor()).ok()?.first()?),
        _ => return None,
    })
}

/// Python's `operator.index(value)` within 64 bits.
///
/// # Errors
/// `ValueError` beyond 64 bits, `TypeError` if it is no integer.
pub(crate) fn to_i64(value: &Value) -> Result<i64, EvalError> {
    let int = match value {
        Value::Array(_) => match to_scalar(value) {
            Some(Scalar::Int(i)) => Some(i),
            Some(Scalar::Bool(b)) => Some(i128::from(b)),
            _ => None,
        },
        plain => plain.as_int(),
    };
    let int = int.ok_or_else(|| {
        EvalError::type_error(format!("'{}' object cannot be interpreted as an integer", value.type_name()))
    })?;
    i64::try_from(int).map_err(|_| EvalError::value_error("Overflow when unpacking long long"))
}

/// The only element of an array as a Python number.
pub(crate) fn item(array: &Array) -> Result<Value, EvalError> {
    let tensor = array.tensor();
    if tensor.numel() != 1 {
        return Err((array.face.refusals.not_one)(tensor.numel()));
    }
    Ok(elements(&tensor).map_err(raise)?.swap_remove(0))
}
