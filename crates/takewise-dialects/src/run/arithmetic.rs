//! Arithmetic of integers, by which indices are made: `i + 1`, `row * width + column`, `i // w`, `i % w`, `-i`.
//!
//! It is that of PyTorch and NumPy, of integer and boolean arrays alone. Where the libraries come to floats nothing is evaluated.

use takewise::promote::{Operand, result_type};
use takewise::{DType, Scalar, Tensor};

use super::{Outcome, raise};
use crate::error::EvalError;
use crate::face::Face;
use crate::facts::{Arithmetic, Division};
use crate::numbers::symbol;
use crate::operator::{CmpOp, Operator};
use crate::value::{Array, Value};

type Result<T, E = EvalError> = std::result::Result<T, E>;

/// An operand: an array, or a number beside one.
enum Side {
    Array(Array),
    Number(Scalar),
}

impl Side {
    fn of(value: &Value, face: &'static Face) -> Result<Option<Self>> {
        Ok(match value {
            Value::Array(array) => Some(Self::Array(array.clone())),
            Value::Bool(b) => Some(Self::Number(Scalar::Bool(*b))),
            Value::Int(i) => Some(Self::Number(Scalar::Int(*i))),
            list if list.items().is_some() && face.facts.operands.array_likes => {
                Some(Self::Array(super::create::array_like(list, face)?))
            }
            _ => None,
        })
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Array(array) => array.dtype() == DType::Bool || array.dtype().is_integer(),
            Self::Number(_) => true,
        }
    }

    fn is_bool(&self) -> bool {
        match self {
            Self::Array(array) => array.dtype() == DType::Bool,
            Self::Number(number) => matches!(number, Scalar::Bool(_)),
        }
    }

    fn operand(&self) -> Operand {
        match self {
            Self::Array(array) => Operand::of(array.dtype(), array.shape().len()),
            Self::Number(number) => Operand::Number(*number),
        }
    }

    fn shape(&self) -> Vec<usize> {
        match self {
            Self::Array(array) => array.shape().to_vec(),
            Self::Number(_) => Vec::new(),
        }
    }

    /// The elements in the order of a shape, each as an integer of a dtype; one where all are the same number.
    fn values(&self, shape: &[usize], dtype: DType, rules: &Arithmetic) -> Result<Vec<i128>> {
        match self {
            Self::Array(array) => {
                let wide = array.tensor().broadcast_to(shape).map_err(raise)?;
                let mut values = integers(&wide, array.face)?;
                values.iter_mut().for_each(|v| *v = wrapped(*v, dtype));
                Ok(values)
            }
            Self::Number(number) => {
                let value = match number {
                    Scalar::Int(i) => *i,
                    other => i128::from(matches!(other, Scalar::Bool(true))),
                };
                (rules.number)(value, dtype)?;
                Ok(vec![wrapped(value, dtype)])
            }
        }
    }
}

/// `left op right` of integers, at least one of them an array. `None` where this is no arithmetic of indices: floats, other operators,
/// libraries whose arithmetic is not known here.
///
/// # Errors
/// Those of the library: shapes that do not broadcast, a division by zero, numbers that do not fit, `-` of booleans.
pub(super) fn binary(op: Operator, left: &Value, right: &Value) -> Result<Option<Value>> {
    let Some(face) = speaker(left, right) else { return Ok(None) };
    let Some(rules) = face.facts.arithmetic else { return Ok(None) };
    if !matches!(op, Operator::Add | Operator::Sub | Operator::Mult | Operator::FloorDiv | Operator::Mod) {
        return Ok(None);
    }
    let (Some(a), Some(b)) = (Side::of(left, face)?, Side::of(right, face)?) else { return Ok(None) };
    if !a.is_whole() || !b.is_whole() {
        return Ok(None);
    }
    if op == Operator::Sub
        && let Some(error) = (rules.minus)(a.is_bool(), b.is_bool())
    {
        return Err(error);
    }
    let dtype = result_type(face.compare.promotion, &[a.operand(), b.operand()]).map_err(raise)?;
    let dtype = match (op, dtype) {
        (Operator::FloorDiv | Operator::Mod, DType::Bool) => match rules.bool_quotients {
            Some(dtype) => dtype,
            None => return Ok(None),
        },
        (_, dtype) => dtype,
    };
    if !(dtype == DType::Bool || dtype.is_integer()) || rules.signed_alone && is_wide(dtype) {
        return Ok(None);
    }
    let Some(shape) = broadcast(&a.shape(), &b.shape()) else {
        // The comparison of such shapes says in the library's words what is wrong.
        return super::compare::compare(CmpOp::Eq, left, right).map(Some);
    };
    let (x, y) = (a.values(&shape, dtype, rules)?, b.values(&shape, dtype, rules)?);
    let count = shape.iter().product();
    let at = |values: &[i128], k: usize| if values.len() == 1 { values[0] } else { values[k] };
    let by_zero = matches!(op, Operator::FloorDiv | Operator::Mod) && y.contains(&0) && count > 0;
    if by_zero && rules.division == Division::Raises {
        return Err(EvalError::runtime_error("ZeroDivisionError"));
    }
    let values = (0..count).map(|k| computed(op, at(&x, k), at(&y, k)));
    let tensor = made(values, &shape, dtype, face)?;
    Ok(Some(Value::Array(Array::new(tensor, face).as_scalar(rules.scalars && shape.is_empty()))))
}

/// `-array` of integers; `None` for others.
///
/// # Errors
/// Booleans, in the library's words.
pub(super) fn negative(array: &Array) -> Result<Option<Value>> {
    let Some(rules) = array.face.facts.arithmetic else { return Ok(None) };
    let dtype = array.dtype();
    if dtype == DType::Bool {
        return Err((rules.negative)());
    }
    if !dtype.is_integer() || rules.signed_alone && is_wide(dtype) {
        return Ok(None);
    }
    let shape = array.shape().to_vec();
    let values = integers(&array.tensor(), array.face)?;
    let tensor = made(values.into_iter().map(|v| -v), &shape, dtype, array.face)?;
    Ok(Some(Value::Array(Array::new(tensor, array.face).as_scalar(rules.scalars && shape.is_empty()))))
}

/// The library that decides: that of an array that is no scalar, if there is one.
fn speaker(left: &Value, right: &Value) -> Option<&'static Face> {
    match (left, right) {
        (Value::Array(a), Value::Array(b)) if a.scalar && !b.scalar => Some(b.face),
        (Value::Array(a), _) | (_, Value::Array(a)) => Some(a.face),
        _ => None,
    }
}

fn is_wide(dtype: DType) -> bool {
    matches!(dtype, DType::U16 | DType::U32 | DType::U64)
}

fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let extent = |dims: &[usize], at: usize| (at + dims.len()).checked_sub(rank).map_or(1, |k| dims[k]);
    let common = |at: usize| match (extent(a, at), extent(b, at)) {
        (x, y) if x == y => Some(x),
        (1, n) | (n, 1) => Some(n),
        _ => None,
    };
    (0..rank).map(common).collect()
}

fn computed(op: Operator, x: i128, y: i128) -> i128 {
    let floor = |x: i128, y: i128| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
    match op {
        Operator::Add => x + y,
        Operator::Sub => x - y,
        Operator::Mult => x * y,
        _ if y == 0 => 0,
        Operator::FloorDiv => floor(x, y),
        _ => x - floor(x, y) * y,
    }
}

/// A number as its dtype holds it: what does not fit wraps around; a boolean is whether it is not zero.
fn wrapped(value: i128, dtype: DType) -> i128 {
    if dtype == DType::Bool {
        return i128::from(value != 0);
    }
    let above = 128 - 8 * dtype.size() as u32;
    if dtype.is_signed_integer() { value << above >> above } else { ((value << above) as u128 >> above) as i128 }
}

fn integers(tensor: &Tensor, face: &Face) -> Result<Vec<i128>> {
    let dtype = tensor.dtype();
    if dtype == DType::Bool {
        return Ok(tensor.to_vec::<bool>().map_err(raise)?.into_iter().map(i128::from).collect());
    }
    if !dtype.is_integer() {
        return Err(EvalError::unsupported(format!("arithmetic of dtype {} is not evaluated", dtype.name())));
    }
    let wide = super::cast::convert(tensor, DType::I64, face)?.to_vec::<i64>().map_err(raise)?;
    // The same bits stand for numbers from 2^63 on.
    let unsigned = dtype.native() == DType::U64;
    Ok(wide.into_iter().map(|v| if unsigned { i128::from(v as u64) } else { i128::from(v) }).collect())
}

fn made(values: impl Iterator<Item = i128>, shape: &[usize], dtype: DType, face: &Face) -> Result<Tensor> {
    let wide = Tensor::from_vec(values.map(|v| v as i64).collect::<Vec<i64>>(), shape).map_err(raise)?;
    super::cast::convert(&wide, dtype, face)
}

/// What is not evaluated.
pub(super) fn refused(what: &str) -> EvalError {
    EvalError::unsupported(format!(
        "tensor arithmetic ({what}) is not evaluated: takewise reads and writes by index; + - * // % of integers, comparisons and \
         & | ^ ~ of masks are available"
    ))
}

/// An operator that is not evaluated between such operands.
pub(super) fn unevaluated(op: Operator) -> Outcome {
    Err(refused(symbol(op)))
}
