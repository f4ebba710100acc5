//! Values and how often they occur: `unique`, `bincount`, and the `k` greatest. Sorts, comparisons of neighbours, and sums at index places.

use takewise::grad::NodeOp;
use takewise::internal::{record, watched};
use takewise::op::Op;
use takewise::ops::compare::{Relation, compare};
use takewise::{DType, Rules, Slice, Tensor};

use super::fold::{is_wide, lacking};
use super::numpy::like;
use super::sort::{PairTypes, paired};
use super::{Outcome, cast, raise};
use crate::error::{EvalError, Result};
use crate::rules::NUMPY_COMPARE;
use crate::sig::Call;
use crate::value::{RecordType, Value};

/// The different values of a vector, or the different slices of an array, in their order.
struct Distinct {
    /// Where each was found first.
    first: Tensor,
    /// Which of them stands at every place.
    inverse: Tensor,
    /// How often each occurs.
    counts: Tensor,
}

/// Whether each of so many things in order, the first apart, differs from the one before it, as the masks of neighbours say.
fn steps(differs: &Tensor, count: usize) -> takewise::Result<Tensor> {
    let steps = Tensor::zeroed(&[count], DType::Bool)?;
    let later = steps.slice(0, Slice { start: Some(1), stop: None, step: None })?;
    later.index_set_(&[takewise::Index::Ellipsis], differs, &Rules::NEUTRAL)?;
    Ok(steps)
}

/// Groups of equal neighbours: of things in the order `order`, where `steps` says which begin a group, but for the first.
fn grouped(order: &Tensor, steps: &Tensor) -> takewise::Result<Distinct> {
    let rules = &Rules::NEUTRAL;
    let count = order.numel();
    let group = steps.cumsum(0, None, rules)?;
    let inverse = Tensor::zeroed(&[count], DType::I64)?.scatter(0, order, &group, None, rules)?;
    let mut starts = steps.nonzero_tuple(rules)?.swap_remove(0);
    if count > 0 {
        let all = Tensor::zeroed(&[starts.numel() + 1], DType::I64)?;
        let later = all.slice(0, Slice { start: Some(1), stop: None, step: None })?;
        later.index_set_(&[takewise::Index::Ellipsis], &starts, rules)?;
        starts = all;
    }
    let counts = Tensor::zeroed(&[starts.numel()], DType::I64)?.scatter_add(0, &group, 1, rules)?;
    Ok(Distinct { first: order.take(&starts, rules)?, inverse, counts })
}

/// `left != right`, where NaN is equal to NaN if `nan_equal` says so.
fn different(left: &Tensor, right: &Tensor, nan_equal: bool) -> takewise::Result<Tensor> {
    let related = |a: &Tensor, b: &Tensor, how| {
        let (a, b) = (a.read_any()?, b.read_any()?);
        compare(&a.view(), &b.view(), how, &NUMPY_COMPARE)
    };
    let differs = related(left, right, Relation::Ne)?;
    let whole = left.dtype() == DType::Bool || left.dtype().native().is_integer();
    if !nan_equal || whole {
        return Ok(differs);
    }
    let both = related(&related(left, left, Relation::Ne)?, &related(right, right, Relation::Ne)?, Relation::And)?;
    // What differs and is not NaN twice: of two masks, the one without the other.
    related(&differs, &both, Relation::Gt)
}

/// The different values of a vector.
fn values(flat: &Tensor, nan_equal: bool) -> takewise::Result<Distinct> {
    let (sorted, order) = flat.sort(0, false, true, &Rules::NEUTRAL)?;
    let last = (flat.numel() as i64 - 1).max(0);
    let differs =
        different(&sorted.narrow(0, flat.numel().min(1) as i64, last)?, &sorted.narrow(0, 0, last)?, nan_equal)?;
    grouped(&order, &steps(&differs, flat.numel())?)
}

/// The different rows of a matrix, in the order of their first elements, then of their second ones, and so on. No NaN is equal to another.
fn rows(matrix: &Tensor) -> takewise::Result<Distinct> {
    let (count, width) = (matrix.shape()[0], matrix.shape()[1]);
    // Ranks compare as the elements do.
    let ranks = values(&matrix.reshape(&[-1])?, false)?.inverse.to_vec::<i64>()?;
    let row = |at: i64| &ranks[at as usize * width..(at as usize + 1) * width];
    let mut order: Vec<i64> = (0..count as i64).collect();
    order.sort_unstable_by(|a, b| row(*a).cmp(row(*b)).then(a.cmp(b)));
    let differs: Vec<bool> = order.windows(2).map(|pair| row(pair[0]) != row(pair[1])).collect();
    let (order, differs) = (Tensor::from_vec(order, &[count])?, Tensor::from_vec(differs, &[count.saturating_sub(1)])?);
    for made in [&order, &differs] {
        watched::numbers(&made.read_any()?.view());
    }
    grouped(&order, &steps(&differs, count)?)
}

/// The different elements of an array or, along an axis, its different slices; and where these are.
fn distinct(x: &Tensor, axis: Option<usize>, nan_equal: bool) -> takewise::Result<(Tensor, Distinct)> {
    let Some(axis) = axis else {
        let flat = x.reshape(&[-1])?;
        let found = values(&flat, nan_equal)?;
        let elements = flat.take(&found.first, &Rules::NEUTRAL)?;
        let shape: Vec<i64> = x.shape().iter().map(|n| *n as i64).collect();
        let inverse = found.inverse.reshape(&shape)?;
        return Ok((elements, Distinct { inverse, ..found }));
    };
    let count = x.shape()[axis];
    let width = x.shape().iter().enumerate().filter(|(d, _)| *d != axis).map(|(_, n)| *n as i64).product();
    let matrix = x.movedim(&[axis as i64], &[0])?.reshape(&[count as i64, width])?;
    let found = rows(&matrix)?;
    Ok((x.index_select(axis as i64, &found.first, &Rules::NEUTRAL)?, found))
}

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
    let worded = |e: takewise::Error| raise(e.in_op(call.op()).in_words(call.face.words));
    let most = match x.numel() {
        0 => None,
        _ => super::elements(&x.amax(None, false, &Rules::NEUTRAL).map_err(worded)?).map_err(worded)?.pop(),
    };
    let count = most.and_then(|v| v.as_int()).map_or(0, |most| most.saturating_add(1)).max(least as i128);
    let zeros =
        Tensor::zeroed(&[usize::try_from(count).unwrap_or(usize::MAX)], weights.map_or(DType::I64, Tensor::dtype));
    let zeros = zeros.map_err(worded)?;
    match weights {
        None => zeros.scatter_add(0, x, 1, &Rules::NEUTRAL).map_err(worded),
        Some(weights) => zeros.scatter_add(0, x, weights, &Rules::NEUTRAL).map_err(worded),
    }
}

/// Whether an integer of an array is negative.
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
