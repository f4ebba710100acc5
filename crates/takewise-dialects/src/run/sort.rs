//! Sorting. Every sort is stable, so arguments that ask for that, or for a particular algorithm, change nothing.

use takewise::internal::record;
use takewise::op::Op;
use takewise::{DType, Tensor};

use super::numpy::like;
use super::{Outcome, fresh_copy, into_out, raise};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{RecordType, Value};

/// The types of a pair of values and positions: of the form that makes them, and of that with `out=`.
pub(super) struct PairTypes {
    pub(super) fresh: RecordType,
    pub(super) out: RecordType,
}

static SORTED: PairTypes = PairTypes {
    fresh: RecordType { name: "torch.return_types.sort", fields: &["values", "indices"] },
    out: RecordType { name: "torch.return_types.sort_out", fields: &["values", "indices"] },
};

/// `sort(input, dim, descending, stable, out)`: always stable here.
pub(crate) fn sort(call: &Call) -> Outcome {
    let (tensor, rules) = (call.tensor("input")?, &call.face.rules.sort);
    let dim = call.int("dim")?;
    let (values, order) = tensor.sort(dim, call.flag("descending"), true, rules).map_err(raise)?;
    record::sorted(&values, &tensor, dim, &order);
    paired(call, Op::Sort, &SORTED, values, order)
}

/// Values and positions as a pair with names, put into `out=` where that is given.
pub(super) fn paired(call: &Call, op: Op, types: &'static PairTypes, values: Tensor, order: Tensor) -> Outcome {
    let Some(out) = call.get("out") else {
        return Ok(Value::Record(&types.fresh, [call.wrap(values), call.wrap(order)].into()));
    };
    let items = out.items().unwrap_or_default();
    let [Value::Array(to_values), Value::Array(to_order)] = &items[..] else {
        let text = format!("{}(): argument 'out' must be 2 tensors, got {}", call.name, items.len());
        return Err(EvalError::type_error(text));
    };
    for (to, fresh) in [(to_values, &values), (to_order, &order)] {
        super::check_out_dtype(call, op, &to.tensor(), fresh.dtype())?;
    }
    // Nothing is written into the first if the second cannot be written.
    for (to, fresh) in [(to_values, &values), (to_order, &order)] {
        super::check_writable(call, op, to, fresh)?;
    }
    for (to, fresh) in [(to_values, values), (to_order, order)] {
        super::fill_out(call, op, to, fresh)?;
    }
    Ok(Value::Record(&types.out, items.into()))
}

/// `msort(input)`: along the first dimension, values only.
pub(crate) fn msort(call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    let (values, order) = tensor.sort(0, false, true, &call.face.rules.sort).map_err(raise)?;
    record::sorted(&values, &tensor, 0, &order);
    into_out(call, Op::Named(&"msort"), values)
}

/// MindSpore's `sort(input, axis, descending)`: a pair of values and positions.
pub(crate) fn sort_pair(call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    let (dim, rules) = (call.int("dim")?, &call.face.rules.sort);
    let (values, order) = tensor.sort(dim, call.flag("descending"), true, rules).map_err(raise)?;
    record::sorted(&values, &tensor, dim, &order);
    let order = super::cast::convert(&order, DType::I32, call.face)?;
    Ok(Value::tuple([call.wrap(values), call.wrap(order)]))
}

/// `argsort(input, dim, descending, stable)`: always stable here.
pub(crate) fn argsort(call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    call.give(tensor.argsort(call.int("dim")?, call.flag("descending"), true, &call.face.rules.sort))
}

/// The array and axis of `sort(a, axis, kind, order)`: the flattened array if the axis is `None`.
fn flat_or_axis(call: &Call) -> Result<(Tensor, i64), EvalError> {
    if call.get("order").is_some() {
        return Err(EvalError::value_error("Cannot specify order when the array has no fields."));
    }
    if let Some(kind) = call.text("kind") {
        if !kind.starts_with(['q', 'Q', 'h', 'H', 's', 'S', 'm', 'M']) {
            let text = format!("sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')");
            return Err(EvalError::value_error(text));
        }
        if call.get("stable").is_some() {
            return Err(EvalError::value_error(
                "`kind` and keyword parameters can't be provided at the same time. Use only one of them.",
            ));
        }
    }
    let tensor = like(call, "input")?.tensor();
    match call.maybe_int("dim")? {
        Some(dim) => Ok((tensor, dim)),
        None => Ok((fresh_copy(&tensor).and_then(|t| t.reshape(&[-1])).map_err(raise)?, 0)),
    }
}

fn sorted(call: &Call, tensor: &Tensor, dim: i64) -> Result<Tensor, EvalError> {
    if tensor.shape().is_empty() {
        return Err(EvalError::new("AxisError", format!("axis {dim} is out of bounds for array of dimension 0")));
    }
    let down = call.flag("descending");
    let turned = down && is_free(call);
    let (values, _) = tensor.sort(dim, down && !turned, true, &call.face.rules.sort).map_err(raise)?;
    if turned { values.flip(&[dim]).map_err(raise) } else { Ok(values) }
}

/// Whether a call says that equal elements may come in any order: JAX then gives the ascending order from its end.
fn is_free(call: &Call) -> bool {
    call.has("stable") && call.get("stable").is_some() && !call.flag("stable")
}

/// NumPy's `sort(a, axis, kind, order)`.
pub(crate) fn sort_copy(call: &Call) -> Outcome {
    let (tensor, dim) = flat_or_axis(call)?;
    Ok(call.wrap(sorted(call, &tensor, dim)?))
}

/// NumPy's `a.sort(axis, kind, order)`: in place.
pub(crate) fn sort_in_place(call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    let (_, dim) = flat_or_axis(call)?;
    let values = sorted(call, &tensor, dim)?;
    super::copy_into(Op::Sort, &tensor, &values, call.face.words)?;
    Ok(Value::None)
}

/// MindSpore's `argsort(input, axis, descending)`: int32.
pub(crate) fn argsort_narrow(call: &Call) -> Outcome {
    let Value::Array(order) = argsort(call)? else { return Ok(Value::None) };
    Ok(call.wrap(super::cast::convert(&order.tensor(), DType::I32, call.face)?))
}

/// NumPy's `argsort(a, axis, kind, order)`: of a number, position 0 as a vector.
pub(crate) fn argsort_along(call: &Call) -> Outcome {
    let (tensor, dim) = flat_or_axis(call)?;
    let tensor = if tensor.shape().is_empty() { tensor.reshape(&[1]).map_err(raise)? } else { tensor };
    let (down, rules) = (call.flag("descending"), &call.face.rules.sort);
    let turned = down && is_free(call);
    let order = tensor.argsort(dim, down && !turned, true, rules).map_err(raise)?;
    let order = if turned { order.flip(&[dim]).map_err(raise)? } else { order };
    Ok(call.wrap(super::cast::convert(&order, call.face.position, call.face)?))
}
