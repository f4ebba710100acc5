//! MindSpore's writes: into parameters, into copies, and by segments.

use takewise::index::rules::{Outside, Rules};
use takewise::internal::record::{self, Written};
use takewise::op::{Combine, Op};
use takewise::{DType, Reduce, Scalar, Tensor, ops};

use super::mindspore::{dim, reduction, scattered};
use super::{Outcome, copy_into, raise, to_scalar};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

/// `index_add` under the names that its arguments have: into the input, which is returned, or a copy.
pub(crate) fn index_add(call: &Call, [axis, index, source]: [&str; 3], in_place: bool) -> Outcome {
    let dim = call.int(axis)?;
    let (index, source) = (call.tensor(index)?, call.tensor(source)?);
    let alpha = if call.has("alpha") { call.number("alpha")? } else { Scalar::Int(1) };
    let (array, rules) = (call.array("input")?, &call.face.rules.index_add);
    if !in_place {
        return call.give(array.tensor().index_add(dim, &index, &source, alpha, rules));
    }
    array.tensor().index_add_(dim, &index, &source, alpha, rules).map_err(raise)?;
    Ok(Value::Array(array))
}

/// `index_fill(x, axis, index, value)`.
pub(crate) fn index_fill(call: &Call) -> Outcome {
    let (axis, index) = (dim(call, "axis")?, call.tensor("index")?);
    let value = call.get("value").unwrap_or(Value::None);
    let number = to_scalar(&value).ok_or_else(|| {
        EvalError::type_error(format!("For 'index_fill', the type of 'value' cannot be {}.", value.type_name()))
    })?;
    let (x, rules) = (call.tensor("input")?, &call.face.rules.index_fill);
    let fresh = takewise::grad::no_grad(|| x.index_fill(axis, &index, number, rules)).map_err(raise)?;
    let value = value.array().map(Array::tensor);
    record::index_fill(Written::Copy { out: &fresh, of: &x }, axis, &index, value.as_ref(), rules);
    Ok(call.wrap(fresh))
}

/// `Tensor.index_put(indices, values, accumulate)`: values of rank 1.
pub(crate) fn index_put(call: &Call) -> Outcome {
    let x = call.tensor("input")?;
    let values = call.tensor("values")?;
    let items = call.get("indices").and_then(|v| v.items()).unwrap_or_default();
    let mut list = Vec::with_capacity(items.len());
    for (k, item) in items.iter().enumerate() {
        let Value::Array(index) = item else {
            let text = format!("For 'Tensor.index_put', indices[{k}] must be a Tensor, but got {}.", item.type_name());
            return Err(EvalError::type_error(text));
        };
        if ![DType::I32, DType::I64].contains(&index.dtype()) {
            let given = call.face.dtype_repr(index.dtype());
            return Err(EvalError::type_error(format!(
                "For primitive[IndexPut], the input argument[indices[{k}]:] must be a type of {{Tensor[Int32], \
                 Tensor[Int64]}}, but got Tensor[{given}]."
            )));
        }
        list.push(index.tensor());
    }
    if values.dtype() != x.dtype() {
        return Err(EvalError::type_error("For primitive[IndexPut], the input type must be same."));
    }
    if values.rank() != 1 {
        let text = format!("For primitive[IndexPut], the rank of x2 must be equal to 1, but got {}.", values.rank());
        return Err(EvalError::value_error(text));
    }
    let last = x.shape().last().copied().unwrap_or(1);
    if x.rank() > list.len() && values.numel() != 1 && values.numel() != last {
        return Err(EvalError::value_error(format!(
            "For 'IndexPut', the size of x2 must be 1 or x1.shape[-1] if rank(x1) > size(indices), but got {}.",
            values.numel()
        )));
    }
    let rules = &call.face.rules.index_put;
    let index: Vec<takewise::Index<'_>> = list.iter().map(takewise::Index::from).collect();
    let out = x.index_put(&index, &values, call.flag("accumulate"), rules);
    out.map(|t| call.wrap(t)).map_err(|e| match (e.value(), e.len(), e.axis()) {
        (Some(value), Some(n), Some(axis)) => EvalError::value_error(format!(
            "For 'IndexPut', each element in indices[{axis}] should be smaller than the value of x1.shape[{axis}], but got \
             {value} and got the value of x1.shape with {n}."
        )),
        _ => raise(e),
    })
}

/// `Tensor.masked_scatter(mask, source)`.
pub(crate) fn masked_scatter(call: &Call) -> Outcome {
    let (x, mask, source) = (call.tensor("input")?, call.tensor("mask")?, call.tensor("source")?);
    if source.dtype() != x.dtype() {
        return Err(EvalError::type_error("Select CPU operator[MaskedScatter] fail! Unsupported data type!"));
    }
    let mask = super::cast::convert(&mask, DType::Bool, call.face)?;
    let rules = &call.face.rules.masked_scatter;
    let needed = mask.broadcast_to(x.shape()).ok().and_then(|m| m.read_any().ok().map(|m| ops::count_true(m.view())));
    if needed.is_some_and(|needed| needed > source.numel()) {
        return Err(EvalError::value_error(
            "For 'MaskedScatter', number of elements of updates < number of ones in mask.",
        ));
    }
    call.give(x.masked_scatter(&mask, &source, rules))
}

/// `ops.take(input, index)`, `mint.take`: from the flattened input; values outside are errors.
pub(crate) fn take_flat(call: &Call) -> Outcome {
    let (x, index) = (call.tensor("input")?, call.tensor("index")?);
    let rules = Rules { outside: Outside::Raise, ..call.face.rules.take };
    call.give(x.take(&index, &rules))
}

/// `scatter_nd_*(input_x, indices, updates)`, by index tuples, and `scatter_*`, along the first axis: into a parameter, which
/// is returned.
pub(crate) fn update(call: &Call, name: &'static &'static str, how: Combine, tuples: bool) -> Outcome {
    let op = Op::Named(name);
    if how == Combine::Sub {
        return subtract(call, op);
    }
    let reduce = reduction(how);
    let array = call.array("input")?;
    let (x, mut index, mut updates) = (array.tensor(), call.tensor("indices")?, call.tensor("updates")?);
    if !tuples {
        let wanted: Vec<usize> = index.shape().iter().chain(x.shape().iter().skip(1)).copied().collect();
        if updates.shape() != &wanted[..] {
            let size = |t: &Tensor| t.shape().iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            return Err(EvalError::value_error(format!(
                "For {op}, updates_shape = indices_shape + input_x_shape[1:], but got input_x_shape: ({}), \
                 indices_shape: ({}), updates_shape: ({}).",
                size(&x),
                size(&index),
                size(&updates)
            )));
        }
        index = index.unsqueeze(-1).map_err(raise)?;
    }
    if updates.dtype() != x.dtype() {
        updates = super::cast::convert(&updates, x.dtype(), call.face)?;
    }
    let rules = &call.face.rules.scatter_nd;
    if reduce == Some(Reduce::Div) {
        let zero = super::elements(&updates).map_err(raise)?.iter().any(|v| matches!(v, Value::Int(0)));
        if zero {
            return Err(EvalError::value_error(format!("For '{op}', updates must not contain 0")));
        }
        let divided = super::mindspore::divided(call, &x, &index, &updates)?;
        copy_into(op, &x, &divided, call.face.words)?;
        return Ok(Value::Array(array));
    }
    x.scatter_nd_(&index, &updates, reduce, rules).map_err(|e| outside(op, e))?;
    Ok(Value::Array(array))
}

/// What an update says of positions outside.
fn outside(op: Op, error: takewise::Error) -> EvalError {
    match (error.value(), error.len()) {
        (Some(value), Some(n)) => {
            let text = format!("For '{op}', the value of indices should be in [0, {n}), but got '{value}' in indices.");
            EvalError::runtime_error(text).about(error)
        }
        _ => EvalError::new(error.class().name(), error.to_string()),
    }
}

/// [`update`] by the negative of what is given.
fn subtract(call: &Call, op: Op) -> Outcome {
    let array = call.array("input")?;
    let (x, index) = (array.tensor(), call.tensor("indices")?);
    let updates = super::cast::convert(&call.tensor("updates")?, x.dtype(), call.face)?;
    let negative = super::numpy::negated(&updates, call)?;
    let rules = &call.face.rules.scatter_nd;
    x.scatter_nd_(&index, &negative, Some(Reduce::Sum), rules).map_err(|e| outside(op, e))?;
    Ok(Value::Array(array))
}

/// What a segment without elements holds.
fn identity(how: Reduce, dtype: DType) -> Scalar {
    let (low, high) = match dtype {
        DType::F16 => (Scalar::Float(-65504.0), Scalar::Float(65504.0)),
        DType::F32 => (Scalar::Float(f64::from(f32::MIN)), Scalar::Float(f64::from(f32::MAX))),
        DType::F64 => (Scalar::Float(f64::MIN), Scalar::Float(f64::MAX)),
        other => match takewise::internal::number::integer_range(other) {
            Some((low, high)) => (Scalar::Int(low), Scalar::Int(high)),
            None => (Scalar::Int(0), Scalar::Int(1)),
        },
    };
    match how {
        Reduce::Max => low,
        Reduce::Min => high,
        Reduce::Prod => Scalar::Int(1),
        _ => Scalar::Int(0),
    }
}

/// `unsorted_segment_*(x, segment_ids, num_segments)`: segments with a negative number are left out.
pub(crate) fn segments(call: &Call, name: &'static &'static str, how: Reduce) -> Outcome {
    let op = Op::Named(name);
    let (x, ids) = (call.tensor("input")?, call.tensor("segment_ids")?);
    let count = dim(call, "num_segments")?;
    if count <= 0 {
        return Err(EvalError::value_error(format!(
            "For primitive[{op}], the num_segments's value must be greater than 0, but got {count}."
        )));
    }
    if ids.rank() > x.rank() || ids.shape() != &x.shape()[..ids.rank()] {
        return Err(EvalError::value_error(format!(
            "For '{op}', the whose shape of 'segment_ids' must equal to the shape of 'input_x': got {:?} for {:?}",
            ids.shape(),
            x.shape()
        )));
    }
    let shape: Vec<usize> = std::iter::once(count as usize).chain(x.shape()[ids.rank()..].iter().copied()).collect();
    let start = super::create::filled(&shape, identity(how, x.dtype()), x.dtype(), call.face)?;
    let above = ids.detach().ge_scalar(Scalar::Int(i128::from(count))).map_err(raise)?;
    if ops::count_true(above.read_any().map_err(raise)?.view()) > 0 {
        let text = format!("For '{op}', the values of 'segment_ids' must be less than num_segments: {count}");
        return Err(EvalError::runtime_error(text));
    }
    let index = ids.unsqueeze(-1).map_err(raise)?;
    let rules = Rules { outside: Outside::Drop, ..call.face.rules.scatter_nd };
    scattered(op, [&start, &index, &x], Some(how), &rules).map(|out| call.wrap(out))
}
