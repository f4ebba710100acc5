//! Folds along axes as NumPy has them: of array-likes, over one axis or several, into `out=`.

use takewise::foreign::{Numbers, is_struct, numbers};
use takewise::op::Op;
use takewise::ops::compare::{Relation, compare_scalar};
use takewise::{DType, Scalar, Tensor};

use super::numpy::{like, scalar_or_array};
use super::{Outcome, cast, copy_into, raise};
use crate::error::{EvalError, Result};
use crate::rules::NUMPY_COMPARE;
use crate::sig::Call;
use crate::value::Value;

/// The axes of `axis=`: a number, or a tuple of them; `None` without it.
pub(super) fn axes(call: &Call) -> Result<Option<Vec<i64>>> {
    let whole = |v: &Value| match v {
        Value::Bool(_) => Err(EvalError::type_error("an integer is required")),
        other => super::to_i64(other),
    };
    match call.get("axis") {
        None => Ok(None),
        Some(Value::Tuple(items)) => items.iter().map(whole).collect::<Result<_>>().map(Some),
        Some(Value::Size(items)) => Ok(Some(items.iter().map(|n| *n as i64).collect())),
        Some(one) => Ok(Some(vec![whole(&one)?])),
    }
}

/// The array of a call, its numbers in this machine's byte order.
pub(super) fn operand(call: &Call) -> Result<Tensor> {
    let x = like(call, "input")?.tensor();
    cast::convert(&x, x.dtype().native(), call.face)
}

/// The array of a call whose elements can be added. Numbers that the engine does not add, such as long doubles, are cast to the
/// dtype that is asked for; dates and texts are not.
fn addends(call: &Call) -> Result<Tensor> {
    let x = operand(call)?;
    let is_number = matches!(numbers(x.dtype()), Some(Numbers::Floats | Numbers::Integers { .. }));
    match call.dtype("dtype")?.map(DType::native) {
        _ if !x.dtype().is_foreign() => Ok(x),
        Some(asked) if !asked.is_foreign() && is_number => cast::convert(&x, asked, call.face),
        _ => Err(undefined(call, x.dtype())),
    }
}

fn undefined(call: &Call, dtype: DType) -> EvalError {
    let rule = takewise::error::DTypeRule::Unsupported;
    let fault = takewise::Fault::DType { op: call.op(), rule, given: dtype, wanted: None };
    raise(takewise::Error::new(call.face.words, fault))
}

/// The words of an error of the engine; an axis that is named twice has other words in folds.
fn worded(call: &Call) -> impl Fn(takewise::Error) -> EvalError + '_ {
    move |error| match error.fault() {
        takewise::Fault::Argument { rule: takewise::error::ArgumentRule::RepeatedDim, .. } => {
            EvalError::value_error("duplicate value in 'axis'")
        }
        _ => raise(error.in_words(call.face.words)),
    }
}

/// A result, put into `out=` if that is given: of its shape, and cast to its dtype whatever that is.
pub(super) fn given(call: &Call, loop_: &str, made: Tensor) -> Outcome {
    let out = match call.get("out") {
        None => return Ok(scalar_or_array(call, made)),
        Some(Value::Array(out)) if !out.scalar => out,
        Some(_) => return Err(EvalError::type_error("return arrays must be of ArrayType")),
    };
    let (has, wants) = (out.shape(), made.shape());
    if has.len() != wants.len() {
        return Err(EvalError::value_error(format!(
            "output parameter for reduction operation {loop_} has the wrong number of dimensions: Found {} but expected {}",
            has.len(),
            wants.len()
        )));
    }
    if *has != *wants {
        return Err(EvalError::value_error(format!(
            "operands could not be broadcast together: out= of shape {has:?} for a result of shape {wants:?}"
        )));
    }
    copy_into(Op::Out, &out.tensor(), &made, call.face.words)?;
    Ok(Value::Array(out))
}

/// Fails unless an axis is that of a vector, which folds of a number take too.
fn only_axis(call: &Call, axis: i64) -> Result<()> {
    if (-1..=0).contains(&axis) {
        return Ok(());
    }
    Err(no_axis(call, axis))
}

fn no_axis(call: &Call, axis: i64) -> EvalError {
    let fault = takewise::Fault::Dim { op: call.op(), dim: axis, rank: 0 };
    raise(takewise::Error::new(call.face.words, fault))
}

/// A fold over the axes of a call. Without axes in an empty tuple, elements stay one by one: what `each` makes of them.
fn folded(
    call: &Call,
    loop_: &str,
    x: &Tensor,
    each: impl FnOnce(&Tensor) -> Result<Tensor>,
    fold: impl FnOnce(&Tensor, Option<&[i64]>, bool) -> takewise::Result<Tensor>,
) -> Outcome {
    let mut axes = axes(call)?;
    if let (Some(Value::Tuple(_)), Some([first, ..]), 0) = (call.get("axis"), axes.as_deref(), x.rank()) {
        // A number has the axes 0 and -1, but not as items of a tuple.
        return Err(no_axis(call, *first));
    }
    if x.rank() == 0 && axes.as_ref().is_some_and(|axes| axes.len() == 1) {
        only_axis(call, axes.take().unwrap_or_default()[0])?;
    }
    let made = match &axes {
        Some(none) if none.is_empty() => each(x)?,
        _ => fold(x, axes.as_deref(), call.flag("keepdims")).map_err(worded(call))?,
    };
    given(call, loop_, made)
}

fn extreme(call: &Call, greatest: bool) -> Outcome {
    let (x, rules) = (operand(call)?, &call.face.rules.sort);
    // NumPy answers in this machine's byte order, which is another dtype.
    let turned = x.dtype().name().starts_with('>');
    if x.dtype().is_foreign() && (turned || !matches!(numbers(x.dtype()), Some(Numbers::Dates | Numbers::Floats))) {
        return Err(undefined(call, x.dtype()));
    }
    let loop_ = if greatest { "maximum" } else { "minimum" };
    folded(
        call,
        loop_,
        &x,
        |x| x.clone_data().map_err(raise),
        |x, axes, keep| if greatest { x.amax(axes, keep, rules) } else { x.amin(axes, keep, rules) },
    )
    .map_err(|e| match e.cause().map(takewise::Error::fault) {
        Some(takewise::Fault::Shape { .. }) => {
            EvalError::value_error(format!("zero-size array to reduction operation {loop_} which has no identity"))
        }
        _ => e,
    })
}

/// `max(a, axis, out, keepdims)`.
pub(crate) fn max(call: &Call) -> Outcome {
    extreme(call, true)
}

/// `min(a, axis, out, keepdims)`.
pub(crate) fn min(call: &Call) -> Outcome {
    extreme(call, false)
}

fn position(call: &Call, greatest: bool) -> Outcome {
    let (x, rules, keep) = (operand(call)?, &call.face.rules.sort, call.flag("keepdims"));
    if is_struct(x.dtype()) || x.dtype().name().starts_with("|V") {
        return Err(EvalError::type_error("data type not ordered"));
    }
    let found = |x: &Tensor, axis, keep| match greatest {
        true => x.argmax(axis, keep, rules),
        false => x.argmin(axis, keep, rules),
    };
    let made = match call.get("axis") {
        None => {
            let one = if keep { vec![1; x.rank()] } else { vec![] };
            x.reshape(&[-1]).and_then(|flat| found(&flat, 0, false)?.reshape(&one))
        }
        Some(axis) if x.rank() == 0 => {
            only_axis(call, super::to_i64(&axis)?)?;
            x.reshape(&[1]).and_then(|flat| found(&flat, 0, false))
        }
        Some(axis) => found(&x, super::to_i64(&axis)?, keep),
    };
    let made = made.map_err(|e| match e.fault() {
        takewise::Fault::Shape { .. } => {
            EvalError::value_error(format!("attempt to get {} of an empty sequence", call.name))
        }
        _ => raise(e),
    })?;
    let made = cast::convert(&made, call.face.position, call.face)?;
    let mismatch = EvalError::value_error(format!("output array does not match result of np.{}.", call.name));
    super::choose::into_cast_out(call, made, mismatch, false)
}

/// `argmax(a, axis, out, keepdims)`.
pub(crate) fn argmax(call: &Call) -> Outcome {
    position(call, true)
}

/// `argmin(a, axis, out, keepdims)`.
pub(crate) fn argmin(call: &Call) -> Outcome {
    position(call, false)
}

/// The dtype sums have unless one is asked for: integers of fewer than 64 bits become as many.
fn summed(call: &Call, x: &Tensor) -> Result<DType> {
    let natural = match x.dtype() {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => DType::U64,
        dtype if dtype == DType::Bool || dtype.is_integer() => DType::I64,
        other => other,
    };
    Ok(call.dtype("dtype")?.map_or(natural, DType::native))
}

/// `sum(a, axis, dtype, out, keepdims)`.
pub(crate) fn sum(call: &Call) -> Outcome {
    let x = addends(call)?;
    let dtype = summed(call, &x)?;
    folded(
        call,
        "add",
        &x,
        |x| cast::convert(x, dtype, call.face)?.clone_data().map_err(raise),
        |x, axes, keep| x.sum(axes, keep, Some(dtype)),
    )
}

/// `mean(a, axis, dtype, out, keepdims)`.
pub(crate) fn mean(call: &Call) -> Outcome {
    let x = addends(call)?;
    if let (0, Some([axis])) = (x.rank(), axes(call)?.as_deref()) {
        // Unlike other folds, it asks a number for its axes.
        return Err(no_axis(call, *axis));
    }
    let whole = |dtype: DType| dtype == DType::Bool || dtype.is_integer();
    let asked = call.dtype("dtype")?.map(DType::native);
    // Elements are cast to a dtype that is asked for, of integers too.
    let (x, given) = match asked {
        Some(dtype) => (cast::convert(&x, dtype, call.face)?, dtype),
        None if whole(x.dtype()) => (x, DType::F64),
        None => (x.clone(), x.dtype()),
    };
    folded(
        call,
        "add",
        &x,
        |x| cast::convert(x, given, call.face)?.clone_data().map_err(raise),
        |x, axes, keep| x.mean(axes, keep, Some(given)),
    )
}

/// `cumsum(a, axis, dtype, out)`: of the flattened array without an axis.
pub(crate) fn cumsum(call: &Call) -> Outcome {
    let x = addends(call)?;
    let dtype = summed(call, &x)?;
    let axis = call.get("axis").map(|axis| super::to_i64(&axis)).transpose()?;
    let (x, axis) = match axis {
        Some(axis) if x.rank() > 0 => (x, axis),
        Some(axis) => {
            // A number has the axes 0 and -1, and its sum one element.
            takewise::layout::normalize_dim(Op::CumSum, axis, 1).map_err(|e| raise(e.in_words(call.face.words)))?;
            (x.reshape(&[1]).map_err(raise)?, 0)
        }
        None => (x.reshape(&[-1]).map_err(raise)?, 0),
    };
    let made = x.cumsum(axis, Some(dtype), &call.face.rules.sort).map_err(raise)?;
    given(call, "add", made)
}

/// What of an array is true.
pub(super) fn truths(x: &Tensor) -> Result<Tensor> {
    if x.dtype() == DType::Bool {
        return Ok(x.detach());
    }
    if numbers(x.dtype()).is_some() {
        return x.detach().to(DType::Bool).map_err(raise);
    }
    let open = x.read_any().map_err(raise)?;
    compare_scalar(&open.view(), Scalar::Bool(true), Relation::And, &NUMPY_COMPARE).map_err(raise)
}

/// Whether all or any elements are true, over axes.
pub(super) fn truth_over(x: &Tensor, axes: Option<&[i64]>, keep: bool, all: bool) -> takewise::Result<Tensor> {
    let sums = x.sum(axes, keep, Some(DType::I64))?;
    let needed = match all {
        false => 1,
        true => x.numel().checked_div(sums.numel()).unwrap_or(0),
    };
    let open = sums.read_any()?;
    compare_scalar(&open.view(), Scalar::Int(needed as i128), Relation::Ge, &NUMPY_COMPARE)
}

fn truth(call: &Call, all: bool) -> Outcome {
    let array = like(call, "input")?;
    if axes(call)?.is_none() && array.dtype().is_foreign() {
        let count = super::compare::count(&array)?;
        let yes = if all { count == array.tensor().numel() } else { count > 0 };
        let shape = if call.flag("keepdims") { vec![1; array.shape().len()] } else { vec![] };
        let made = super::create::filled(&shape, Scalar::Bool(yes), DType::Bool, call.face)?;
        return given(call, "logical_or", made);
    }
    let x = truths(&array.tensor())?;
    let loop_ = if all { "logical_and" } else { "logical_or" };
    folded(call, loop_, &x, |x| x.clone_data().map_err(raise), |x, axes, keep| truth_over(x, axes, keep, all))
}

/// `all(a, axis, out, keepdims)`.
pub(crate) fn all(call: &Call) -> Outcome {
    truth(call, true)
}

/// `any(a, axis, out, keepdims)`.
pub(crate) fn any(call: &Call) -> Outcome {
    truth(call, false)
}
