//! What Python's syntax does to values, for programs that hold the values themselves: calls, subscripts, operators,
//! truth and iteration, each as the library of the array has it.

use std::rc::Rc;

use takewise::Tensor;
use takewise::ops::compare::Relation;

use crate::context::Context;
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::operator::{CmpOp, Operator, UnaryOp};
use crate::sig::{self, Arguments};
use crate::stored::StoredArray;
use crate::value::{Array, Function, Value};
use crate::{numbers, parts, print, run, scalars};

pub use crate::run::subscript::{items, source};

/// `function(*arguments)`: a library's function, method or dtype.
///
/// # Errors
/// Those of the library; `TypeError` for what cannot be called.
pub fn call(function: &Value, arguments: &Arguments, context: &Rc<Context>) -> Result<Value> {
    match function {
        Value::Function(f) => apply(f, None, arguments.clone(), context),
        Value::Method(receiver, f) => apply(f, Some((**receiver).clone()), arguments.clone(), context),
        Value::DType(dtype, face) => run::create::from_dtype_call(*dtype, face, arguments),
        other => Err(EvalError::type_error(format!("'{}' object is not callable", other.type_name()))),
    }
}

/// [`call`] of a function, or with a receiver of a method.
///
/// # Errors
/// Those of the library.
pub fn apply(f: &Function, receiver: Option<Value>, arguments: Arguments, context: &Rc<Context>) -> Result<Value> {
    let (run, call) = sig::bind(f, receiver, arguments, Rc::clone(context))?;
    run(&call)
}

/// `array[key]`.
///
/// # Errors
/// Those of the library's subscript.
pub fn get(array: &Array, key: &Value) -> Result<Value> {
    run::subscript::read(array, key)
}

/// `x[key]` of an array that is not in memory: what that touches is read, or nothing yet where the result is a view.
///
/// # Errors
/// As [`get`]; `OSError` for what cannot be read.
pub fn part(x: &StoredArray, face: &'static Face, key: &Value) -> Result<Value> {
    parts::get(x, face, key)
}

/// [`call`] where the function or the arguments may hold arrays that are not in memory. A function that picks elements reads those;
/// others are run on what they are given, read into memory.
///
/// # Errors
/// As [`call`]; `OSError` for what cannot be read.
pub fn call_reading(function: &Value, arguments: &Arguments, context: &Rc<Context>) -> Result<Value> {
    let values = arguments.positional.iter().chain(arguments.keyword.iter().map(|(_, value)| value));
    match [function].into_iter().chain(values).any(parts::holds) {
        true => parts::call(function, arguments, context),
        false => call(function, arguments, context),
    }
}

/// The value with the arrays in it read that are not in memory, for those who only read them.
///
/// # Errors
/// `OSError` for what cannot be read.
pub fn settled(value: Value) -> Result<Value> {
    if parts::holds(&value) { parts::settled(&value) } else { Ok(value) }
}

/// `repr(value)`, or what `print(value)` writes. Of a large array that is not in memory only the ends that are shown are read.
///
/// # Errors
/// `OSError` for what cannot be read.
pub fn text(value: &Value, printed: bool) -> Result<String> {
    if let Value::Stored(x, face) = value {
        return parts::text(x, face, printed);
    }
    let value = settled(value.clone())?;
    Ok(if printed { print::display(&value) } else { print::repr(&value) })
}

/// [`settled`] for arguments.
///
/// # Errors
/// `OSError` for what cannot be read.
pub fn settled_all(arguments: Arguments) -> Result<Arguments> {
    let positional = arguments.positional.into_iter().map(settled).collect::<Result<_>>()?;
    let keyword = arguments.keyword.into_iter().map(|(name, value)| Ok((name, settled(value)?)));
    Ok(Arguments { positional, keyword: keyword.collect::<Result<_>>()? })
}

/// The array in memory: parts of one are then views of the same, so that writes show in all.
///
/// # Errors
/// `OSError` for what cannot be read.
pub fn in_memory(x: &StoredArray, face: &'static Face) -> Result<Array> {
    parts::in_memory(x, face)
}

/// `array[key] = value`. On error the array is unchanged.
///
/// # Errors
/// Those of the library's assignment.
pub fn set(array: &Array, key: &Value, value: &Value) -> Result<()> {
    run::subscript::assign(array, key, value)
}

/// `object.attr = value`: a leaf's `grad` and `requires_grad`, nothing else.
///
/// # Errors
/// An attribute that cannot be assigned, a value it cannot have.
pub fn set_attribute(object: &Value, attr: &str, value: &Value) -> Result<()> {
    match (object, attr, value) {
        (Value::Array(array), "grad", _) => run::grad::set_gradient(array, value),
        (Value::Array(array), "requires_grad", Value::Bool(on)) => run::grad::require(array, *on),
        _ => Err(EvalError::unsupported(format!("attribute '{attr}' cannot be assigned"))),
    }
}

/// `left how right`: a comparison, or `&`, `|`, `^` of masks. At least one side is an array.
///
/// # Errors
/// Shapes that do not broadcast, dtypes without an order, bitwise operators on anything but masks.
pub fn relate(how: Relation, left: &Value, right: &Value) -> Result<Value> {
    run::compare::operator(how, left, right)
}

/// `~array`, of a mask.
///
/// # Errors
/// Anything but a mask.
pub fn invert(array: &Array) -> Result<Value> {
    run::compare::invert(array)
}

/// `bool(array)`: of its only element.
///
/// # Errors
/// As the library words it for several elements or none.
pub fn truth(array: &Array) -> Result<bool> {
    numbers::truth(&Value::Array(array.clone()))
}

/// How many subarrays iterating over the array gives: those along its first axis.
///
/// # Errors
/// A rank of 0.
pub fn row_count(array: &Array) -> Result<usize> {
    run::subscript::row_count(array)
}

/// The only element as a Python number.
///
/// # Errors
/// More or fewer elements than one.
pub fn item(array: &Array) -> Result<Value> {
    scalars::item(array)
}

/// The subarrays along the first axis.
///
/// # Errors
/// A rank of 0.
pub fn rows(array: &Array) -> Result<Vec<Value>> {
    run::subscript::rows(array)
}

/// `op value`.
///
/// # Errors
/// A value that has no such operator, integers beyond 128 bits.
pub fn unary(op: UnaryOp, operand: &Value) -> Result<Value> {
    match (op, operand) {
        (UnaryOp::Not, v) => Ok(Value::Bool(!numbers::truth(v)?)),
        (_, Value::Array(a)) => run::compare::unary(op, a),
        _ => numbers::unary(op, operand),
    }
}

/// `left op right`.
///
/// # Errors
/// Values that have no such operator between them.
pub fn binary(op: Operator, left: &Value, right: &Value) -> Result<Value> {
    if matches!(left, Value::Array(_)) || matches!(right, Value::Array(_)) {
        return run::compare::binary(op, left, right);
    }
    numbers::binary(op, left, right)
}

/// `target op= operand`: what the target is then. An array that can be written to is written, so that every name and view of it
/// sees the result.
///
/// # Errors
/// As [`binary`]; a result of a dtype that the library does not store as the array's, or of another shape.
pub fn binary_in_place(op: Operator, target: &Value, operand: &Value) -> Result<Value> {
    let after = binary_for(op, target, operand)?;
    match target {
        Value::Array(array) if is_written(array) => set(array, &Value::Ellipsis, &after).map(|()| target.clone()),
        _ => Ok(after),
    }
}

/// What [`binary_in_place`] stores, in the dtype of the target. Nothing is written.
///
/// # Errors
/// As [`binary_in_place`].
pub fn binary_for(op: Operator, target: &Value, operand: &Value) -> Result<Value> {
    let Value::Array(array) = target else { return binary(op, target, operand) };
    if !is_written(array) {
        return binary(op, target, operand);
    }
    run::arithmetic::check_in_place(op, array, operand)?;
    let stored = run::arithmetic::in_place(op, array, operand)?;
    let result = match stored.map_or_else(|| binary(op, target, operand), Ok)? {
        Value::Array(result) => result,
        other => return Ok(other),
    };
    if array.shape() != result.shape() {
        let text = format!("in place: shape {:?} becomes {:?}", array.shape(), result.shape());
        return Err(EvalError::unsupported(text));
    }
    let stored = run::cast::convert(&result.tensor(), array.dtype(), array.face)?;
    Ok(Value::Array(Array::new(stored, array.face)))
}

/// Whether an operator in place writes into an array: scalars are numbers, and of some libraries no arithmetic is known.
fn is_written(array: &Array) -> bool {
    !array.scalar && array.face.facts.arithmetic.is_some()
}

/// `left op right` for an ordering or equality.
///
/// # Errors
/// Values without an order, shapes that do not broadcast.
pub fn compare(op: CmpOp, left: &Value, right: &Value) -> Result<Value> {
    if matches!(left, Value::Array(_)) || matches!(right, Value::Array(_)) {
        return run::compare::compare(op, left, right);
    }
    numbers::compare(op, left, right).map(Value::Bool)
}

/// A fresh tensor holding a number or nested sequences of numbers, as a library has them.
///
/// # Errors
/// Sequences of unequal lengths, what is not a number, numbers its dtypes cannot hold.
pub fn to_tensor(value: &Value, face: &Face) -> Result<Tensor> {
    run::create::from_value(value, None, face)
}
