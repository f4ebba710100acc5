//! Comparisons and masks.

use takewise::ops::compare::{Relation, compare as compare_views, compare_scalar, logical_not as negate};
use takewise::{DType, Tensor};

use super::arithmetic::{refused, unevaluated};
use super::{Outcome, raise, to_scalar};
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::numbers::symbol;
use crate::operator::{CmpOp, Operator, UnaryOp};
use crate::rules::NUMPY_COMPARE;
use crate::sig::Call;
use crate::texts;
use crate::value::{Array, Value};

/// The mask of `left how right`; at least one is an array, whose library decides.
fn relate(how: Relation, left: &Value, right: &Value) -> Outcome {
    let (array, flipped) = match (left, right) {
        (Value::Array(a), Value::Array(b)) if a.scalar && !b.scalar => (b, true),
        (Value::Array(a), _) => (a, false),
        (_, Value::Array(b)) => (b, true),
        _ => return Err(EvalError::type_error("no array to compare")),
    };
    let (other, how) = if flipped { (left, mirrored(how)) } else { (right, how) };
    super::casting::check_width(other, None, array.face)?;
    let tensor = array.tensor();
    // A library without text or dates has no rules for them.
    let rules = if texts::is_key(tensor.dtype()) { &NUMPY_COMPARE } else { array.face.compare };
    let text = texts::beside(tensor.dtype(), other).map(|text| {
        let single = text.rank() == 0;
        Value::Array(Array::new(text, array.face).as_scalar(single))
    });
    let other = match text.as_ref().unwrap_or(other) {
        sequence if sequence.items().is_some() && array.face.facts.operands.array_likes => {
            Value::Array(super::create::array_like(sequence, array.face)?)
        }
        plain => plain.clone(),
    };
    let mask = match &other {
        Value::Array(b) => {
            let b = b.tensor();
            let (x, y) = (tensor.read_any().map_err(raise)?, b.read_any().map_err(raise)?);
            compare_views(&x.view(), &y.view(), how, rules)
        }
        plain => match to_scalar(plain) {
            Some(number) => compare_scalar(&tensor.read_any().map_err(raise)?.view(), number, how, rules),
            None if how == Relation::Eq => return Ok(Value::Bool(false)),
            None if how == Relation::Ne => return Ok(Value::Bool(true)),
            None => {
                let text = format!("'{}' cannot be compared with '{}'", array.face.tensor_type, plain.type_name());
                return Err(EvalError::type_error(text));
            }
        },
    };
    let beside_array = matches!(&other, Value::Array(b) if !b.scalar);
    let scalar = array.scalar && !beside_array;
    let mask = Array::new(mask.map_err(raise)?, array.face);
    Ok(Value::Array(mask.as_scalar(scalar)))
}

fn mirrored(how: Relation) -> Relation {
    match how {
        Relation::Lt => Relation::Gt,
        Relation::Gt => Relation::Lt,
        Relation::Le => Relation::Ge,
        Relation::Ge => Relation::Le,
        same => same,
    }
}

/// `left op right` where at least one side is an array.
///
/// # Errors
/// Shapes that do not broadcast, dtypes without an order.
pub(crate) fn compare(op: CmpOp, left: &Value, right: &Value) -> Outcome {
    let how = match op {
        CmpOp::Eq => Relation::Eq,
        CmpOp::NotEq => Relation::Ne,
        CmpOp::Lt => Relation::Lt,
        CmpOp::LtE => Relation::Le,
        CmpOp::Gt => Relation::Gt,
        CmpOp::GtE => Relation::Ge,
        _ => return Err(EvalError::type_error("this comparison is not defined for tensors")),
    };
    relate(how, left, right)
}

/// `~x`, `-x`, `+x`. Only masks can be inverted, and only integers negated.
///
/// # Errors
/// `NotImplementedError` for other arithmetic.
pub(crate) fn unary(op: UnaryOp, array: &Array) -> Outcome {
    match op {
        UnaryOp::Invert => invert(array),
        UnaryOp::UAdd => Ok(Value::Array(array.clone())),
        UnaryOp::USub if array.scalar => {
            let value = super::item(array)?;
            let negative = crate::numbers::binary(Operator::Mult, &Value::Int(-1), &value)?;
            let tensor = super::create::from_value(&negative, Some(array.dtype()), array.face)?;
            Ok(Value::Array(Array::new(tensor, array.face).as_scalar(true)))
        }
        _ => super::arithmetic::negative(array)?.ok_or_else(|| refused("negation", Some(array.face))),
    }
}

/// `~x` of a mask.
///
/// # Errors
/// `NotImplementedError` for anything else.
pub(crate) fn invert(array: &Array) -> Outcome {
    if array.dtype() != DType::Bool {
        return Err(refused("~ of integers", Some(array.face)));
    }
    let tensor = array.tensor();
    let open = tensor.read_any().map_err(raise)?;
    let flipped = negate(&open.view(), array.face.compare).map_err(raise)?;
    Ok(Value::Array(Array::new(flipped, array.face).as_scalar(array.scalar)))
}

/// `left op right`: `&`, `|` and `^` of masks, arithmetic of integers.
///
/// # Errors
/// `NotImplementedError` for other arithmetic.
pub(crate) fn binary(op: Operator, left: &Value, right: &Value) -> Outcome {
    let how = match op {
        Operator::BitAnd => Relation::And,
        Operator::BitOr => Relation::Or,
        Operator::BitXor => Relation::Xor,
        other => {
            let made = super::arithmetic::binary(other, left, right)?;
            return made.ok_or_else(|| unevaluated(symbol(other), left, right));
        }
    };
    operator(how, left, right)
}

/// A comparison, or an operator on masks.
///
/// # Errors
/// `NotImplementedError` for bitwise operators on anything but masks; else as [`compare`].
pub(crate) fn operator(how: Relation, left: &Value, right: &Value) -> Outcome {
    let sign = match how {
        Relation::And => "&",
        Relation::Or => "|",
        Relation::Xor => "^",
        _ => return relate(how, left, right),
    };
    let is_mask = |v: &Value| match v {
        Value::Array(a) => a.dtype() == DType::Bool,
        Value::Bool(_) => true,
        _ => false,
    };
    if !is_mask(left) || !is_mask(right) {
        return Err(unevaluated(&format!("{sign} of integers"), left, right));
    }
    relate(how, left, right)
}

/// The other places of a mask.
pub(super) fn not(mask: &Tensor, face: &Face) -> Result<Tensor> {
    let open = mask.read_any().map_err(raise)?;
    negate(&open.view(), face.compare).map_err(raise)
}

fn named(call: &Call, how: Relation) -> Outcome {
    let other = call.get("other").unwrap_or(Value::None);
    relate(how, &Value::Array(call.array("input")?), &other)
}

macro_rules! relations {
    ($($name:ident => $how:ident),*) => {
        $(
            #[doc = concat!("Elementwise `", stringify!($how), "`.")]
            pub(crate) fn $name(call: &Call) -> Outcome {
                named(call, Relation::$how)
            }
        )*
    };
}
relations!(eq => Eq, ne => Ne, lt => Lt, le => Le, gt => Gt, ge => Ge, logical_and => And, logical_or => Or);

/// `logical_not(input)`.
pub(crate) fn logical_not(call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    let open = tensor.read_any().map_err(raise)?;
    call.give(negate(&open.view(), call.face.compare))
}

/// `isnan(input)`: what differs from itself.
///
/// # Errors
/// Dtypes that have nothing like it: text, bytes and structs.
pub(crate) fn isnan(call: &Call) -> Outcome {
    let x = call.array("input")?;
    let dtype = x.dtype();
    if dtype.is_foreign() && takewise::foreign::numbers(dtype).is_none() {
        let text = format!("isnan: not defined for dtype {}", dtype.name());
        return Err(EvalError::type_error(text));
    }
    let x = Value::Array(x);
    relate(Relation::Ne, &x, &x)
}

/// `equal(input, other)`: same shape and elements.
pub(crate) fn equal(call: &Call) -> Outcome {
    let (a, b) = (call.array("input")?, call.array("other")?);
    if a.shape() != b.shape() {
        return Ok(Value::Bool(false));
    }
    let mask = relate(Relation::Eq, &Value::Array(a), &Value::Array(b))?;
    let Value::Array(mask) = mask else { return Ok(mask) };
    Ok(Value::Bool(count(&mask)? == mask.tensor().numel()))
}

pub(super) fn count(array: &Array) -> Result<usize> {
    let tensor = array.tensor();
    if takewise::foreign::is_struct(tensor.dtype()) {
        let text = format!("all and any are not defined for dtype {}", tensor.dtype().name());
        return Err(EvalError::type_error(text));
    }
    if tensor.dtype().is_foreign() {
        // What another library's elements mean is asked as it is for their places.
        let places = tensor.reshape(&[-1]).and_then(|flat| flat.nonzero(&array.face.rules.nonzero));
        return places.map(|places| places.shape()[0]).map_err(raise);
    }
    let open = tensor.read_any().map_err(raise)?;
    // Also of dtypes that torch's connectives do not take.
    let nonzero = compare_scalar(&open.view(), takewise::Scalar::Bool(true), Relation::And, &NUMPY_COMPARE);
    let mask = nonzero.map_err(raise)?;
    let open = mask.read::<bool>().map_err(raise)?;
    Ok(open.to_vec().into_iter().filter(|b| *b).count())
}

/// A truth about a whole array.
fn told(call: &Call, array: &Array, yes: bool) -> Outcome {
    let bytes = call.face.facts.search.byte_truths && array.dtype() == DType::U8;
    Ok(call.wrap(super::create::from_value(&Value::Bool(yes), bytes.then_some(DType::U8), call.face)?))
}

/// `all` and `any` over axes, of dtypes that have a truth: along `dim=`, over several, over all if it is `None`, and of each element by
/// itself if it names none.
fn told_over(call: &Call, all: bool) -> Outcome {
    let array = call.array("input")?;
    let axes = call.get("dim").map(|_| call.ints("dim")).transpose()?;
    let keep = call.flag("keepdim");
    let x = super::fold_numpy::truths(&array.tensor())?;
    let made = match axes {
        Some(none) if none.is_empty() => x.clone_data().map_err(raise)?,
        axes => super::fold_numpy::truth_over(&x, axes.as_deref(), keep, all)
            .map_err(|e| raise(e.in_op(call.op()).in_words(call.face.words)))?,
    };
    let bytes = call.face.facts.search.byte_truths && array.dtype() == DType::U8;
    let made = if bytes { super::cast::convert(&made, DType::U8, call.face)? } else { made };
    super::into_out(call, call.op(), made)
}

/// `all(input, dim, keepdim, out)`.
pub(crate) fn all_over(call: &Call) -> Outcome {
    told_over(call, true)
}

/// `any(input, dim, keepdim, out)`.
pub(crate) fn any_over(call: &Call) -> Outcome {
    told_over(call, false)
}

/// `all(input)`.
pub(crate) fn all(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let yes = count(&array)? == array.tensor().numel();
    told(call, &array, yes)
}

/// `any(input)`.
pub(crate) fn any(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let yes = count(&array)? > 0;
    told(call, &array, yes)
}
