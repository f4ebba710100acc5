//! Arithmetic of integers, by which indices are made: `i + 1`, `row * width + column`, `i // w`, `i % w`, `-i`.
//!
//! It is that of PyTorch and NumPy, of integer and boolean arrays alone. Of floats, only what is stored in place is evaluated
//! (`x[mask] *= 10`): elsewhere nothing is, where the libraries come to floats.

use takewise::promote::{Operand, result_type};
use takewise::{DType, Element, Scalar, Tensor};

use super::raise;
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::facts::{Arithmetic, Division};
use crate::operator::{CmpOp, Operator};
use crate::value::{Array, Value};

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
            Value::Float(x) => Some(Self::Number(Scalar::Float(*x))),
            Value::Complex(re, im) => Some(Self::Number(Scalar::Complex(*re, *im))),
            list if list.items().is_some() && face.facts.operands.array_likes => {
                Some(Self::Array(super::create::array_like(list, face)?))
            }
            _ => None,
        })
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Array(array) => array.dtype() == DType::Bool || array.dtype().is_integer(),
            Self::Number(number) => matches!(number, Scalar::Bool(_) | Scalar::Int(_)),
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

    /// The elements in the order of a shape, each as the bits of an integer of a dtype; one where all are the same number.
    fn values(&self, shape: &[usize], dtype: DType, rules: &Arithmetic) -> Result<Vec<i64>> {
        match self {
            Self::Array(array) => {
                let wide = array.tensor().broadcast_to(shape).map_err(raise)?;
                let mut values = integers(&wide, array.face)?;
                if array.dtype() != dtype {
                    values.iter_mut().for_each(|v| *v = wrapped(*v, dtype));
                }
                Ok(values)
            }
            Self::Number(number) => {
                let value = match number {
                    Scalar::Int(i) => *i,
                    other => i128::from(matches!(other, Scalar::Bool(true))),
                };
                (rules.number)(value, dtype)?;
                // The low bits are the number modulo 2^64, as a boolean whether it is not zero.
                let bits = if dtype == DType::Bool { i64::from(value != 0) } else { value as i64 };
                Ok(vec![wrapped(bits, dtype)])
            }
        }
    }
}

impl Side {
    /// The elements in the order of a shape, each as an operand of a dtype; one where all are the same number.
    fn floats<T: Float>(&self, shape: &[usize], dtype: DType) -> Result<Vec<T>> {
        match self {
            Self::Array(array) => {
                let tensor = array.tensor();
                // A single element is not rounded to a narrower format first.
                let operand =
                    if tensor.numel() == 1 { tensor } else { super::cast::convert(&tensor, dtype, array.face)? };
                let wide = super::cast::convert(&operand, T::DTYPE, array.face)?;
                let values = wide.broadcast_to(shape).and_then(|wide| wide.to_vec::<T>());
                values.map_err(raise)
            }
            Self::Number(Scalar::Float(number)) => Ok(vec![T::of_float(*number)]),
            Self::Number(Scalar::Int(number)) => Ok(vec![T::of_integer(*number)]),
            Self::Number(number) => Ok(vec![T::of_integer(i128::from(matches!(number, Scalar::Bool(true))))]),
        }
    }
}

/// Two operands, and the dtype they are reckoned with in.
struct Pair {
    face: &'static Face,
    rules: &'static Arithmetic,
    sides: [Side; 2],
    dtype: DType,
}

impl Pair {
    /// `None` where this is no arithmetic of numbers: other operators, libraries whose arithmetic is not known here.
    fn of(op: Operator, left: &Value, right: &Value) -> Result<Option<Pair>> {
        let Some(face) = speaker(left, right) else { return Ok(None) };
        let Some(rules) = face.facts.arithmetic else { return Ok(None) };
        if ufunc(op).is_none() {
            return Ok(None);
        }
        let (Some(a), Some(b)) = (Side::of(left, face)?, Side::of(right, face)?) else { return Ok(None) };
        if op == Operator::Sub
            && let Some(error) = (rules.minus)(a.is_bool(), b.is_bool())
        {
            return Err(error);
        }
        let dtype = match result_type(face.compare.promotion, &[a.operand(), b.operand()]) {
            Ok(dtype) => dtype,
            Err(error) if a.is_whole() && b.is_whole() => return Err(raise(error)),
            // What is said of such operands is that nothing is evaluated.
            Err(_) => return Ok(None),
        };
        let dtype = match (op, dtype) {
            // True quotients of integers are floats of the library's default dtype.
            (Operator::Div, dtype) if dtype == DType::Bool || dtype.is_integer() => {
                let float = Operand::Number(Scalar::Float(1.0));
                result_type(face.compare.promotion, &[a.operand(), b.operand(), float]).map_err(raise)?
            }
            (Operator::FloorDiv | Operator::Mod, DType::Bool) => match rules.bool_quotients {
                Some(dtype) => dtype,
                None => return Ok(None),
            },
            (_, dtype) => dtype,
        };
        Ok(Some(Pair { face, rules, sides: [a, b], dtype }))
    }
}

/// NumPy's name for an operator that is arithmetic of numbers.
fn ufunc(op: Operator) -> Option<&'static str> {
    Some(match op {
        Operator::Add => "add",
        Operator::Sub => "subtract",
        Operator::Mult => "multiply",
        Operator::Div => "divide",
        Operator::FloorDiv => "floor_divide",
        Operator::Mod => "remainder",
        _ => return None,
    })
}

/// Fails if the library does not let `left op right` be stored in `left`: by its dtype, or by its shape.
///
/// # Errors
/// Also those of [`binary`] about the operands' dtypes.
pub(crate) fn check_in_place(op: Operator, left: &Array, right: &Value) -> Result<()> {
    let target = Value::Array(left.clone());
    let (Some(name), Some(pair)) = (ufunc(op), Pair::of(op, &target, right)?) else { return Ok(()) };
    let Pair { rules, sides: [a, b], dtype, .. } = pair;
    let own = a.shape();
    let other = b.shape();
    let shape = || match broadcast(&own, &other) {
        Some(met) if met == own => Ok(()),
        met => (rules.grown)([&own, &other], met.as_deref()).map_or(Ok(()), Err),
    };
    let cast = || (rules.cast)(name, dtype, left.dtype()).map_or(Ok(()), Err);
    match rules.shapes_first {
        true => shape().and_then(|()| cast()),
        false => cast().and_then(|()| shape()),
    }
}

/// `left op right` of integers, at least one of them an array. `None` where this is no arithmetic of indices: floats, other operators,
/// libraries whose arithmetic is not known here.
///
/// # Errors
/// Those of the library: shapes that do not broadcast, a division by zero, numbers that do not fit, `-` of booleans.
pub(super) fn binary(op: Operator, left: &Value, right: &Value) -> Result<Option<Value>> {
    let Some(Pair { face, rules, sides: [a, b], dtype }) = Pair::of(op, left, right)? else { return Ok(None) };
    if op == Operator::Div || !a.is_whole() || !b.is_whole() {
        return Ok(None);
    }
    if !(dtype == DType::Bool || dtype.is_integer()) || rules.signed_alone && is_wide(dtype) {
        return Ok(None);
    }
    let Some(shape) = broadcast(&a.shape(), &b.shape()) else {
        // The comparison of such shapes says in the library's words what is wrong.
        return super::compare::compare(CmpOp::Eq, left, right).map(Some);
    };
    let (x, y) = (a.values(&shape, dtype, rules)?, b.values(&shape, dtype, rules)?);
    let count = shape.iter().product();
    let by_zero = matches!(op, Operator::FloorDiv | Operator::Mod) && y.contains(&0) && count > 0;
    if by_zero && rules.division == Division::Raises {
        return Err(EvalError::runtime_error("ZeroDivisionError"));
    }
    let tensor = made(computed(op, &x, &y, count, is_unsigned(dtype)), &shape, dtype, face)?;
    Ok(Some(Value::Array(Array::new(tensor, face).as_scalar(rules.scalars && shape.is_empty()))))
}

/// What `left op= right` stores, of floats: by their formats, as the libraries reckon. `None` where this is no `+ - * /` of real floats, and
/// where a gradient would have to follow.
///
/// # Errors
/// Those of the library's casts.
pub(crate) fn in_place(op: Operator, left: &Array, right: &Value) -> Result<Option<Value>> {
    let target = Value::Array(left.clone());
    let Some(Pair { face, sides: [a, b], dtype, .. }) = Pair::of(op, &target, right)? else { return Ok(None) };
    let recorded = |side: &Side| matches!(side, Side::Array(array) if array.tensor().requires_grad());
    if !matches!(op, Operator::Add | Operator::Sub | Operator::Mult | Operator::Div) || recorded(&a) || recorded(&b) {
        return Ok(None);
    }
    let shape = a.shape();
    let tensor = match dtype {
        DType::F64 => reckoned(&a.floats::<f64>(&shape, dtype)?, &b.floats(&shape, dtype)?, &shape, op),
        DType::F32 | DType::F16 | DType::BF16 => {
            reckoned(&a.floats::<f32>(&shape, dtype)?, &b.floats(&shape, dtype)?, &shape, op)
        }
        _ => return Ok(None),
    };
    // What is narrower than it is reckoned in is rounded once.
    let made = super::cast::convert(&tensor?, dtype, face)?;
    Ok(Some(Value::Array(Array::new(made, face))))
}

/// A float in which floats are reckoned.
trait Float: Element + Copy {
    fn of_float(number: f64) -> Self;
    fn of_integer(number: i128) -> Self;
    fn reckon(op: Operator, x: Self, y: Self) -> Self;
}

macro_rules! floats {
    ($($float:ident),*) => {$(
        impl Float for $float {
                    fn of_float(number: f64) -> Self {
                number as $float
            }
            fn of_integer(number: i128) -> Self {
                number as $float
            }
            fn reckon(op: Operator, x: Self, y: Self) -> Self {
                match op {
                    Operator::Add => x + y,
                    Operator::Sub => x - y,
                    Operator::Mult => x * y,
                    _ => x / y,
                }
            }
        }
    )*};
}

floats!(f32, f64);

fn reckoned<T: Float>(x: &[T], y: &[T], shape: &[usize], op: Operator) -> Result<Tensor> {
    let values = paired(x, y, shape.iter().product(), |x, y| T::reckon(op, x, y));
    Tensor::from_vec(values, shape).map_err(raise)
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
    let mut values = integers(&array.tensor(), array.face)?;
    values.iter_mut().for_each(|v| *v = v.wrapping_neg());
    let tensor = made(values, &shape, dtype.native(), array.face)?;
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

/// Elements by pairs, as bits of 64. Sums and products are right in every narrower dtype; quotients need to know the sign.
fn computed(op: Operator, x: &[i64], y: &[i64], count: usize, unsigned: bool) -> Vec<i64> {
    match (op, unsigned) {
        (Operator::Add, _) => paired(x, y, count, i64::wrapping_add),
        (Operator::Sub, _) => paired(x, y, count, i64::wrapping_sub),
        (Operator::Mult, _) => paired(x, y, count, i64::wrapping_mul),
        (Operator::FloorDiv, true) => {
            paired(x, y, count, |x, y| (x as u64).checked_div(y as u64).unwrap_or_default() as i64)
        }
        (_, true) => paired(x, y, count, |x, y| (x as u64).checked_rem(y as u64).unwrap_or_default() as i64),
        (Operator::FloorDiv, false) => paired(x, y, count, |x, y| match y {
            0 => 0,
            _ => x.wrapping_div(y) - i64::from(x.wrapping_rem(y) != 0 && (x < 0) != (y < 0)),
        }),
        (_, false) => paired(x, y, count, |x, y| match y {
            0 => 0,
            _ => x.wrapping_rem(y) + if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) { y } else { 0 },
        }),
    }
}

/// What `f` makes of each pair; one element stands for all.
fn paired<T: Copy>(x: &[T], y: &[T], count: usize, f: impl Fn(T, T) -> T) -> Vec<T> {
    match (x, y) {
        ([x], [y]) => vec![f(*x, *y); count],
        ([x], y) => y.iter().map(|y| f(*x, *y)).collect(),
        (x, [y]) => x.iter().map(|x| f(*x, *y)).collect(),
        (x, y) => x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect(),
    }
}

fn is_unsigned(dtype: DType) -> bool {
    !dtype.is_signed_integer()
}

/// A number as its dtype holds it, in the low bits: what does not fit wraps around; a boolean is whether it is not zero.
fn wrapped(value: i64, dtype: DType) -> i64 {
    if dtype == DType::Bool {
        return i64::from(value != 0);
    }
    let above = 64 - 8 * dtype.size() as u32;
    if dtype.is_signed_integer() { value << above >> above } else { ((value << above) as u64 >> above) as i64 }
}

/// The elements, those from 2^63 on by their bits.
fn integers(tensor: &Tensor, face: &Face) -> Result<Vec<i64>> {
    let dtype = tensor.dtype();
    if dtype != DType::Bool && !dtype.is_integer() {
        return Err(EvalError::unsupported(format!("arithmetic of dtype {} is not evaluated", dtype.name())));
    }
    super::cast::convert(tensor, DType::I64, face)?.to_vec::<i64>().map_err(raise)
}

fn made(values: Vec<i64>, shape: &[usize], dtype: DType, face: &Face) -> Result<Tensor> {
    let wide = Tensor::from_vec(values, shape).map_err(raise)?;
    if dtype == DType::I64 { Ok(wide) } else { super::cast::convert(&wide, dtype, face) }
}

/// What is not evaluated; and what is, by the rules of a library.
pub(super) fn refused(what: &str, face: Option<&Face>) -> EvalError {
    let known = face.is_some_and(|face| face.facts.arithmetic.is_some());
    let arithmetic = if known { "+ - * // % of integers, " } else { "" };
    EvalError::unsupported(format!(
        "tensor arithmetic ({what}) is not evaluated: takewise reads and writes by index; {arithmetic}comparisons and & | ^ ~ of masks \
         are available"
    ))
}

/// An operator that is not evaluated between such operands.
pub(super) fn unevaluated(what: &str, left: &Value, right: &Value) -> EvalError {
    refused(what, speaker(left, right))
}
