//! Folds along axes as torch has them: extremes and their positions, means, truths, running sums.

use takewise::grad::NodeOp;
use takewise::index::rules::{Rules, Width};
use takewise::op::Op;
use takewise::ops::compare::{CompareRules, Relation, compare};
use takewise::promote::{Operand, result_type};
use takewise::{AnyView, DType, Tensor};

use super::sort::{PairTypes, paired};
use super::{Outcome, into_out, raise};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::RecordType;
use crate::words::torch_name;

static MAX: PairTypes = PairTypes {
    fresh: RecordType { name: "torch.return_types.max", fields: &["values", "indices"] },
    out: RecordType { name: "torch.return_types.max_out", fields: &["values", "indices"] },
};
static MIN: PairTypes = PairTypes {
    fresh: RecordType { name: "torch.return_types.min", fields: &["values", "indices"] },
    out: RecordType { name: "torch.return_types.min_out", fields: &["values", "indices"] },
};

/// What torch says of a dtype that a kernel is not there for.
pub(super) fn lacking(kernel: &str, dtype: DType) -> EvalError {
    EvalError::unsupported(format!("\"{kernel}\" not implemented for '{}'", torch_name(dtype)))
}

/// Dtypes that few kernels of torch are there for.
pub(super) fn is_wide(dtype: DType) -> bool {
    matches!(dtype, DType::U16 | DType::U32 | DType::U64)
}

/// Whether a dtype has an order in torch's kernels.
fn ordered(kernel: &str, dtype: DType) -> Result<()> {
    if is_wide(dtype) || dtype.is_complex() { Err(lacking(kernel, dtype)) } else { Ok(()) }
}

/// The axes of `dim=`: `None` without it, a number counts as one.
fn axes(call: &Call) -> Result<Option<Vec<i64>>> {
    call.get("dim").map(|_| call.ints("dim")).transpose()
}

/// Fails where an axis that is folded has no elements; of all axes if none is named. Axes are told counted from the front, or as they
/// were given.
fn some_elements(call: &Call, x: &Tensor, axes: Option<&[i64]>, counted: bool) -> Result<()> {
    let name = call.name;
    match axes {
        None if x.numel() > 0 => Ok(()),
        None => Err(EvalError::runtime_error(format!(
            "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the \
             'dim' argument."
        ))),
        Some(axes) => {
            for axis in axes {
                let d = takewise::layout::normalize_dim(call.op(), *axis, x.rank());
                let d = d.map_err(|e| raise(e.in_words(call.face.words)))?;
                if x.shape().get(d) == Some(&0) {
                    let shown = if counted { d as i64 } else { *axis };
                    let text = format!("{name}(): Expected reduction dim {shown} to have non-zero size.");
                    return Err(EvalError::index_error(text));
                }
            }
            Ok(())
        }
    }
}

fn extreme_of_all(call: &Call, greatest: bool) -> Outcome {
    let x = call.tensor("input")?;
    some_elements(call, &x, None, true)?;
    ordered(if greatest { "max_all" } else { "min_all" }, x.dtype())?;
    let rules = &call.face.rules.sort;
    let made = if greatest { x.amax(None, false, rules) } else { x.amin(None, false, rules) };
    into_out(call, call.op(), made.map_err(raise)?)
}

/// `max(input)`.
pub(crate) fn max_of_all(call: &Call) -> Outcome {
    extreme_of_all(call, true)
}

/// `min(input)`.
pub(crate) fn min_of_all(call: &Call) -> Outcome {
    extreme_of_all(call, false)
}

fn extreme_along(call: &Call, greatest: bool) -> Outcome {
    let (x, dim, keep) = (call.tensor("input")?, call.int("dim")?, call.flag("keepdim"));
    some_elements(call, &x, Some(&[dim]), true)?;
    if x.dtype().is_complex() {
        return Err(EvalError::type_error(format!("{}(): does not support complex input", call.name)));
    }
    if x.numel() > 0 && x.rank() > 0 {
        ordered(if greatest { "max_cpu" } else { "min_cpu" }, x.dtype())?;
    }
    let rules = &call.face.rules.sort;
    let made = if greatest { x.max_along(dim, keep, rules) } else { x.min_along(dim, keep, rules) };
    let (values, positions) = made.map_err(raise)?;
    paired(call, Op::Max, if greatest { &MAX } else { &MIN }, values, positions)
}

/// `max(input, dim, keepdim, out)`: a pair of values and positions.
pub(crate) fn max_along(call: &Call) -> Outcome {
    extreme_along(call, true)
}

/// `min(input, dim, keepdim, out)`: a pair of values and positions.
pub(crate) fn min_along(call: &Call) -> Outcome {
    extreme_along(call, false)
}

fn extreme_over(call: &Call, greatest: bool) -> Outcome {
    let (x, axes, keep) = (call.tensor("input")?, axes(call)?, call.flag("keepdim"));
    some_elements(call, &x, axes.as_deref().filter(|axes| !axes.is_empty()), false)?;
    let (axes, rules) = (Some(axes.unwrap_or_default()), &call.face.rules.sort);
    // Axes that are wrong are told of before a dtype that is.
    let made = if greatest { x.amax(axes.as_deref(), keep, rules) } else { x.amin(axes.as_deref(), keep, rules) };
    let made = made.map_err(raise)?;
    if x.numel() > 0 {
        ordered(if greatest { "max_values_cpu" } else { "min_values_cpu" }, x.dtype())?;
    }
    into_out(call, call.op(), made)
}

/// `amax(input, dim, keepdim, out)`.
pub(crate) fn amax(call: &Call) -> Outcome {
    extreme_over(call, true)
}

/// `amin(input, dim, keepdim, out)`.
pub(crate) fn amin(call: &Call) -> Outcome {
    extreme_over(call, false)
}

fn position(call: &Call, greatest: bool) -> Outcome {
    let (x, dim, keep) = (call.tensor("input")?, call.maybe_int("dim")?, call.flag("keepdim"));
    let (name, dtype) = (call.name, x.dtype());
    if dtype == DType::Bool {
        return Err(EvalError::unsupported(format!("{name}(): does not support bool input")));
    }
    if dtype.is_complex() {
        return Err(EvalError::type_error(format!("{name}(): does not support complex input")));
    }
    if dim.is_none() && x.numel() == 0 {
        let text = format!("{name}(): Expected reduction dim to be specified for input.numel() == 0.");
        return Err(EvalError::index_error(text));
    }
    some_elements(call, &x, dim.as_ref().map(std::slice::from_ref), true)?;
    // Of one element alone there is nothing to compare.
    let alone = dim.is_some_and(|dim| x.rank() > 0 && x.shape()[dim.rem_euclid(x.rank() as i64) as usize] == 1);
    if x.numel() > 0 && !alone {
        ordered(if greatest { "argmax_cpu" } else { "argmin_cpu" }, dtype)?;
    }
    let rules = &call.face.rules.sort;
    let found = |x: &Tensor, dim, keep| match greatest {
        true => x.argmax(dim, keep, rules),
        false => x.argmin(dim, keep, rules),
    };
    let made = match dim {
        Some(dim) => found(&x, dim, keep),
        None => {
            let one = if keep { vec![1; x.rank()] } else { vec![] };
            x.detach().reshape(&[-1]).and_then(|flat| found(&flat, 0, false)?.reshape(&one))
        }
    };
    into_out(call, call.op(), made.map_err(raise)?)
}

/// `argmax(input, dim, keepdim, out)`: of the flattened input without an axis.
pub(crate) fn argmax(call: &Call) -> Outcome {
    position(call, true)
}

/// `argmin(input, dim, keepdim, out)`: of the flattened input without an axis.
pub(crate) fn argmin(call: &Call) -> Outcome {
    position(call, false)
}

/// `mean(input, dim, keepdim, dtype, out)`, of floats and complex numbers alone.
pub(crate) fn mean(call: &Call) -> Outcome {
    let x = call.tensor("input")?;
    let axes = if call.has("dim") { axes(call)? } else { None };
    let (keep, asked) = (call.has("keepdim") && call.flag("keepdim"), call.dtype("dtype")?);
    let dtype = asked.unwrap_or(x.dtype());
    if !dtype.is_float() && !dtype.is_complex() {
        let whose = if asked.is_some() { "Optional" } else { "Input" };
        return Err(EvalError::unsupported(format!(
            "mean(): could not infer output dtype. {whose} dtype must be either a floating point or complex dtype. Got: {}",
            torch_name(dtype)
        )));
    }
    let made = x.mean(axes.as_deref(), keep, asked).map_err(|e| raise(e.in_words(call.face.words)))?;
    into_out(call, Op::Mean, made)
}

/// `cumsum(input, dim, dtype, out)`.
pub(crate) fn cumsum(call: &Call) -> Outcome {
    let (x, dim, dtype) = (call.tensor("input")?, call.int("dim")?, call.dtype("dtype")?);
    let rules = Rules { accumulate: Width::Wide, ..call.face.rules.sort };
    let made = x.cumsum(dim, dtype, &rules).map_err(raise)?;
    match dtype {
        Some(dtype) if (dtype == DType::Bool || is_wide(dtype)) && x.rank() > 0 && x.numel() > 0 => {
            Err(lacking("cumsum_out_cpu", dtype))
        }
        _ => into_out(call, Op::CumSum, made),
    }
}

/// The greater or the lesser of two at each place, in the dtype they meet in; NaN where either is.
fn between(call: &Call, greater: bool) -> Outcome {
    let (x, other) = (call.tensor("input")?, call.tensor("other")?);
    let dtypes = [x.dtype(), other.dtype()];
    if dtypes.iter().any(|dtype| dtype.is_complex()) {
        let name = if greater { "maximum" } else { "minimum" };
        return Err(EvalError::type_error(format!("{name} not implemented for complex tensors.")));
    }
    let operands = [&x, &other].map(|t| Operand::of(t.dtype(), t.rank()));
    let common = result_type(call.face.compare.promotion, &operands);
    let common = common.map_err(|e| raise(e.in_words(call.face.words)))?;
    let [a, b] = [&x, &other].map(|t| super::cast::convert(t, common, call.face));
    into_out(call, call.op(), beyond_either(call, &a?, &b?, greater)?)
}

/// Where `a` is greater (or less) than `b`, or is NaN.
pub(super) fn within(call: &Call, a: &Tensor, b: &Tensor, greater: bool) -> Result<Tensor> {
    let how = if greater { Relation::Gt } else { Relation::Lt };
    let (x, y) = (a.read_any().map_err(raise)?, b.read_any().map_err(raise)?);
    let rules = &CompareRules { words: call.face.words, ..CompareRules::BY_VALUE };
    let related = |x: &AnyView<'_>, y: &AnyView<'_>, how| compare(x, y, how, rules).map_err(raise);
    let beyond = related(&x.view(), &y.view(), how)?;
    let nan = related(&x.view(), &x.view(), Relation::Ne)?;
    let both = (beyond.read_any().map_err(raise)?, nan.read_any().map_err(raise)?);
    related(&both.0.view(), &both.1.view(), Relation::Or)
}

/// `a` where it is greater (or less) than `b`, or is NaN; else `b`.
pub(super) fn beyond(call: &Call, a: &Tensor, b: &Tensor, greater: bool) -> Result<Tensor> {
    within(call, a, b, greater)?.where_(a, b, a.dtype(), &call.face.rules.where_).map_err(raise)
}

/// [`beyond`] of two tensors, which share the gradient where they are equal.
pub(super) fn beyond_either(call: &Call, a: &Tensor, b: &Tensor, greater: bool) -> Result<Tensor> {
    let most = beyond(call, a, b, greater)?;
    if !a.requires_grad() && !b.requires_grad() {
        return Ok(most);
    }
    let shape = most.shape().to_vec();
    let sides = [a, b].map(|t| t.broadcast_to(&shape).and_then(|t| t.unsqueeze(0)));
    let [one, other] = sides;
    let parts = [one.map_err(raise)?, other.map_err(raise)?];
    let equal = {
        let (x, y) = (parts[0].read_any().map_err(raise)?, parts[1].read_any().map_err(raise)?);
        compare(&x.view(), &y.view(), Relation::Eq, &CompareRules::BY_VALUE).map_err(raise)?
    };
    let both = super::join::joined(call, &parts, 0, a.dtype(), NodeOp::Stack)?;
    let half = both.mean(Some(&[0]), true, None).map_err(raise)?;
    let most = most.unsqueeze(0).map_err(raise)?;
    let shared = equal.where_(&half, &most, a.dtype(), &call.face.rules.where_).map_err(raise)?;
    shared.select(0, 0).map_err(raise)
}

/// `max(input, other)`.
pub(crate) fn greater(call: &Call) -> Outcome {
    between(call, true)
}

/// `min(input, other)`.
pub(crate) fn lesser(call: &Call) -> Outcome {
    between(call, false)
}
