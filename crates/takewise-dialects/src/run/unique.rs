//! Values and how often they occur: `unique`, `bincount`, and the `k` greatest. Sorts, comparisons of neighbours, and sums at index places.

use takewise::grad::NodeOp;
use takewise::internal::record;
use takewise::op::Op;
use takewise::{DType, Rules, Tensor};
use takewise_operations::distinct::{counted as counts, distinct};

use super::fold::{is_wide, lacking};
use super::numpy::like;
use super::sort::{PairTypes, paired};
use super::{Outcome, cast, raise};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::{RecordType, Value};

/// One array by itself, several as a tuple.
fn together(call: &Call, values: Tensor, more: Vec<Tensor>) -> Value {
    if more.is_empty() {
        return call.wrap(values);
    }
    let all: Vec<Value> = std::iter::once(values).chain(more).map(|t| call.wrap(t)).collect();
    Value::tuple(all)
}

/// torch's `unique(input, sorted, return_inverse, return_counts, dim)`: sorted whether that is asked for or not.
pub(crate) fn unique(call: &Call) -> Outcome {
    let x = call.tensor("input")?.detach();
    let dim = call.maybe_int("dim")?;
    if x.dtype().is_complex() {
        return Err(lacking(if dim.is_some() { "unique_dim" } else { "unique" }, x.dtype()));
    }
    let axis = dim.map(|dim| super::split::counted(call, dim, x.rank())).transpose()?;
    if let Some(axis) = axis
        && x.shape().iter().enumerate().any(|(d, n)| d != axis && *n == 0)
    {
        let text = "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied";
        return Err(EvalError::runtime_error(text));
    }
    let (values, found) = distinct(&x, axis, false).map_err(|e| raise(e.in_words(call.face.words)))?;
    let asked = [("return_inverse", found.inverse), ("return_counts", found.counts)];
    let more = asked.into_iter().filter(|(name, _)| call.flag(name)).map(|(_, t)| t).collect();
    Ok(together(call, values, more))
}

/// NumPy's `unique(ar, return_index, return_inverse, return_counts, axis, equal_nan, sorted)`: sorted whether that is asked for or not.
pub(crate) fn unique_numpy(call: &Call) -> Outcome {
    let x = like(call, "ar")?.tensor();
    let axis = call.maybe_int("axis")?.map(|axis| super::split::counted(call, axis, x.rank())).transpose()?;
    let found = distinct(&x, axis, call.flag("equal_nan"));
    let (values, found) = found.map_err(|e| raise(e.in_words(call.face.words)))?;
    let asked = [("return_index", found.first), ("return_inverse", found.inverse), ("return_counts", found.counts)];
    let more = asked.into_iter().filter(|(name, _)| call.flag(name)).map(|(_, t)| t).collect();
    Ok(together(call, values, more))
}

/// How often each number from 0 on occurs, or the sum of its weights; as many as there are, and `least` if that is more.
fn counted(call: &Call, x: &Tensor, weights: Option<&Tensor>, least: usize) -> Result<Tensor> {
    counts(x, weights, least).map_err(|e| raise(e.in_op(call.op()).in_words(call.face.words)))
}

fn has_negative(x: &Tensor) -> Result<bool> {
    if x.numel() == 0 || !x.dtype().is_signed_integer() {
        return Ok(false);
    }
    let least = super::elements(&x.amin(None, false, &Rules::NEUTRAL).map_err(raise)?).map_err(raise)?.pop();
    Ok(least.and_then(|v| v.as_int()).is_some_and(|least| least < 0))
}

/// torch's `bincount(input, weights, minlength)`.
pub(crate) fn bincount(call: &Call) -> Outcome {
    let x = call.tensor("input")?;
    if !x.dtype().is_integer() || is_wide(x.dtype()) {
        return Err(lacking("bincount_cpu", x.dtype()));
    }
    let least = usize::try_from(call.int("minlength")?);
    let least = least.map_err(|_| EvalError::runtime_error("minlength should be >= 0"))?;
    if x.rank() != 1 || has_negative(&x)? {
        return Err(EvalError::runtime_error("bincount only supports 1-d non-negative integral inputs."));
    }
    let weights = call.maybe_tensor("weights").filter(|_| x.numel() > 0);
    if weights.as_ref().is_some_and(|w| w.shape() != x.shape()) {
        return Err(EvalError::runtime_error("weights should be 1-d and have the same length as input"));
    }
    let weights = weights.map(|w| {
        let dtype = if w.dtype() == DType::F32 { DType::F32 } else { DType::F64 };
        cast::convert(&w.detach(), dtype, call.face)
    });
    counted(call, &x, weights.transpose()?.as_ref(), least).map(|t| call.wrap(t))
}

/// NumPy's `bincount(x, weights, minlength)`.
pub(crate) fn bincount_numpy(call: &Call) -> Outcome {
    let vector = |name: &str, dtype: DType| -> Result<Option<Tensor>> {
        let Some(value) = call.get(name) else { return Ok(None) };
        let array = match &value {
            Value::Array(array) => array.clone(),
            // The numbers of a list are cast one by one, whatever they are.
            other => return super::create::from_value(other, Some(dtype), call.face).map(Some),
        };
        let own = array.dtype();
        let fits = super::casting::can_cast(own, dtype, "safe") || dtype == DType::I64 && own.native() == DType::U64;
        if !fits {
            return Err(super::casting::refused("array data", own, dtype, "safe", call.face));
        }
        cast::convert(&array.tensor(), dtype, call.face).map(Some)
    };
    let flat = |t: &Tensor| match t.rank() {
        1 => Ok(()),
        0 => Err(EvalError::value_error("object of too small depth for desired array")),
        _ => Err(EvalError::value_error("object too deep for desired array")),
    };
    let x = vector("x", DType::I64)?.ok_or_else(|| EvalError::type_error("bincount(): argument 'x' is missing"))?;
    flat(&x)?;
    let least = call.maybe_int("minlength")?;
    let least = least.ok_or_else(|| EvalError::type_error("use 0 instead of None for minlength"))?;
    let least = usize::try_from(least).map_err(|_| EvalError::value_error("'minlength' must not be negative"))?;
    if x.numel() == 0 {
        return counted(call, &x, None, least).map(|t| call.wrap(t));
    }
    if has_negative(&x)? {
        return Err(EvalError::value_error("'list' argument must have no negative elements"));
    }
    let weights = vector("weights", DType::F64)?;
    if let Some(weights) = &weights {
        flat(weights)?;
        if weights.numel() != x.numel() {
            return Err(EvalError::value_error("The weights and list don't have the same length."));
        }
    }
    counted(call, &x, weights.as_ref(), least).map(|t| call.wrap(t))
}

static TOPK: PairTypes = PairTypes {
    fresh: RecordType { name: "torch.return_types.topk", fields: &["values", "indices"] },
    out: RecordType { name: "torch.return_types.topk_out", fields: &["values", "indices"] },
};

/// `topk(input, k, dim, largest, sorted, out)`: the first of a stable sort, sorted whether that is asked for or not.
pub(crate) fn topk(call: &Call) -> Outcome {
    let (x, k, dim) = (call.tensor("input")?, call.int("k")?, call.int("dim")?);
    let rules = &call.face.rules.sort;
    let axis = takewise::layout::normalize_dim(Op::Sort, dim, x.rank());
    let axis = axis.map_err(|e| raise(e.in_words(call.face.words)))?;
    let length = x.shape().get(axis).map_or(1, |n| *n as i64);
    if !(0..=length).contains(&k) {
        return Err(EvalError::runtime_error("selected index k out of range"));
    }
    match x.dtype() {
        DType::Bool => return Err(EvalError::unsupported("topk does not support bool dtypes on CPU")),
        dtype if dtype.is_complex() => {
            // sic
            return Err(EvalError::type_error(" topk does not support complex dtypes on CPU"));
        }
        dtype if is_wide(dtype) && x.rank() > 0 => return Err(lacking("topk_cpu", dtype)),
        _ => {}
    }
    let order = x.argsort(dim, call.flag("largest"), true, rules).map_err(raise)?;
    if x.rank() == 0 {
        return paired(call, Op::Sort, &TOPK, x.clone_data().map_err(raise)?, order);
    }
    let first = order.narrow(axis as i64, 0, k).and_then(|part| part.contiguous()).map_err(raise)?;
    let values = x.detach().gather(axis as i64, &first, &Rules::NEUTRAL).map_err(raise)?;
    record::picked(&values, &x, axis as i64, &first, NodeOp::TopK);
    paired(call, Op::Sort, &TOPK, values, first)
}
