//! What MindSpore's functions do beyond their torch cousins.

use takewise::index::rules::Rules;
use takewise::internal::record::{self, Written};
use takewise::op::{Combine, Op};
use takewise::{Reduce, Tensor, ops};

use super::{Outcome, raise, reading};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::Value;

/// A `dim` given as a number or a tensor of one element.
pub(crate) fn dim(call: &Call, name: &str) -> Result<i64, EvalError> {
    match call.get(name) {
        Some(Value::Array(a)) if a.tensor().numel() == 1 => super::to_i64(&super::item(&a)?),
        Some(Value::Array(_)) => Err(EvalError::type_error(format!(
            "gather(): argument '{name}'(position 0) should be int, but got Tensor."
        ))),
        _ => call.int(name),
    }
}

/// `gather_elements(x, dim, index)`, and the first overload of `Tensor.gather`.
pub(crate) fn gather_elements(call: &Call) -> Outcome {
    let (x, index) = (call.tensor("input")?, call.tensor("index")?);
    let dim = dim(call, "dim")?;
    let rules = &call.face.rules.gather;
    call.give(x.gather(dim, &index, rules))
}

/// `gather(input_params, input_indices, axis, batch_dims)`, and the second overload of `Tensor.gather`.
pub(crate) fn gather(call: &Call) -> Outcome {
    let (x, index) = (call.tensor("input")?, call.tensor("input_indices")?);
    let axis = match call.get("axis") {
        Some(Value::Array(a)) if a.tensor().numel() != 1 => {
            let shape: Vec<String> = a.shape().iter().map(usize::to_string).collect();
            return Err(EvalError::type_error(format!(
                "For Gather, the 2'th input is a Tensor whose shape is [{}] and dtype is [{}], which can not be converted to int.",
                shape.join(", "),
                call.face.dtype_repr(a.dtype())
            )));
        }
        Some(Value::Array(a)) => super::to_i64(&super::item(&a)?)?,
        _ => call.int("axis")?,
    };
    let batch = call.int("batch_dims")?;
    call.give(x.gather_axis(axis, &index, batch, &call.face.rules.gather_axis))
}

/// `gather_nd(x, indices)`.
pub(crate) fn gather_nd(call: &Call) -> Outcome {
    let (x, index) = (call.tensor("input")?, call.tensor("indices")?);
    call.give(x.gather_nd(&index, 0, &call.face.rules.gather_nd))
}

/// `scatter_nd(indices, updates, shape)`: duplicates add up.
pub(crate) fn scatter_nd(call: &Call) -> Outcome {
    let (index, updates) = (call.tensor("indices")?, call.tensor("updates")?);
    let shape = call.shape("shape")?;
    let rules = &call.face.rules.scatter_nd;
    let out =
        reading(Op::ScatterNd, &[&index, &updates], rules, |r| ops::scatter_nd(r.get(0), r.get(1), &shape, rules))?;
    record::scatter_nd(&out, &index, &updates, rules);
    Ok(call.wrap(out))
}

fn elements(call: &Call, axis: i64, reduce: Option<Reduce>) -> Outcome {
    let (x, index) = (call.tensor("input")?, call.tensor("index")?);
    let rules = &call.face.rules.scatter;
    let made = match call.get("src") {
        Some(Value::Array(src)) => {
            let src = src.tensor();
            if src.shape() != index.shape() {
                return Err(EvalError::runtime_error(format!(
                    "\nindex {:?} and src {:?} must have the same shape",
                    index.shape(),
                    src.shape()
                )));
            }
            x.scatter(axis, &index, &src, reduce, rules)
        }
        _ => x.scatter(axis, &index, call.number("src")?, reduce, rules),
    };
    call.give(made)
}

/// `tensor_scatter_elements(input_x, indices, updates, axis, reduction)`.
pub(crate) fn tensor_scatter_elements(call: &Call) -> Outcome {
    let reduce = match &*call.text("reduction").unwrap_or_default() {
        "none" => None,
        "add" => Some(Reduce::Sum),
        other => {
            return Err(EvalError::value_error(format!(
                "Failed to convert the value \"{other}\" of input 'reduce' of 'TensorScatterElements' to enum."
            )));
        }
    };
    elements(call, call.int("axis")?, reduce)
}

/// `scatter(input, axis, index, src)`: a tensor source is stored whatever `reduce` says; a number added.
pub(crate) fn scatter(call: &Call) -> Outcome {
    let number = !matches!(call.get("src"), Some(Value::Array(_)));
    let add = call.has("reduce") && call.text("reduce").as_deref() == Some("add");
    elements(call, call.int("axis")?, (number && add).then_some(Reduce::Sum))
}

/// How values meet what is there; `None` if they take its place. What is subtracted is added negated.
pub(crate) fn reduction(how: Combine) -> Option<Reduce> {
    match how {
        Combine::Add | Combine::Sub => Some(Reduce::Sum),
        Combine::Mul => Some(Reduce::Prod),
        Combine::Div => Some(Reduce::Div),
        Combine::Max => Some(Reduce::Max),
        Combine::Min => Some(Reduce::Min),
        _ => None,
    }
}

/// `tensor_scatter_*(input_x, indices, updates)`.
pub(crate) fn tensor_scatter(call: &Call, how: Combine) -> Outcome {
    if how == Combine::Div {
        return nd_div(call);
    }
    let mut updates = call.tensor("updates")?;
    if how == Combine::Sub {
        let negative = super::numpy::negated(&updates, call)?;
        record::negated(&negative, &updates);
        updates = negative;
    }
    let (x, index) = (call.tensor("input")?, call.tensor("indices")?);
    let rules = &call.face.rules.scatter_nd;
    scattered(Op::TensorScatter(how), [&x, &index, &updates], reduction(how), rules).map(|out| call.wrap(out))
}

/// A copy of an array with updates at index tuples, under the name that errors know the operation by.
pub(crate) fn scattered(
    op: Op,
    operands: [&Tensor; 3],
    how: Option<Reduce>,
    rules: &Rules,
) -> Result<Tensor, EvalError> {
    let out = reading(op, &operands, rules, |r| ops::tensor_scatter(r.get(0), r.get(1), r.get(2), how, op, rules))?;
    let [x, index, updates] = operands;
    record::tensor_scatter(Written::Copy { out: &out, of: x }, index, Some(updates), how, Some(x), rules);
    Ok(out)
}

/// Every place divided by its updates in turn.
pub(crate) fn divided(call: &Call, x: &Tensor, index: &Tensor, updates: &Tensor) -> Result<Tensor, EvalError> {
    let ones = super::create::filled(x.shape(), takewise::Scalar::Int(1), x.dtype(), call.face)?;
    let rules = &call.face.rules.scatter_nd;
    let divisors = reading(Op::TensorScatter(Combine::Div), &[&ones, index, updates], rules, |r| {
        ops::tensor_scatter(r.get(0), r.get(1), r.get(2), Some(Reduce::Prod), Op::TensorScatter(Combine::Div), rules)
    })?;
    if x.dtype().is_float() {
        let all = [takewise::Index::Ellipsis];
        let divided = takewise::grad::no_grad(|| {
            let out = super::fresh_copy(x)?;
            out.index_accumulate_(&all, &divisors, Reduce::Div, &Rules::NEUTRAL).map(|()| out)
        });
        return divided.map_err(raise);
    }
    let right = super::elements(&divisors).map_err(raise)?;
    let next = std::cell::Cell::new(0usize);
    super::numpy::mapped(x, call, |left| {
        let at = next.replace(next.get() + 1);
        crate::numbers::binary(crate::operator::Operator::Div, left, &right[at])
    })
}

/// `tensor_scatter_div`.
fn nd_div(call: &Call) -> Outcome {
    let (x, index, updates) = (call.tensor("input")?, call.tensor("indices")?, call.tensor("updates")?);
    let result = divided(call, &x, &index, &updates)?;
    let to = Written::Copy { out: &result, of: &x };
    let rules = &call.face.rules.scatter_nd;
    record::tensor_scatter(to, &index, Some(&updates), Some(Reduce::Div), Some(&x), rules);
    Ok(call.wrap(result))
}

/// `argwhere(input)`: of arrays that have axes.
pub(crate) fn argwhere(call: &Call) -> Outcome {
    if call.tensor("input")?.rank() == 0 {
        return Err(EvalError::runtime_error("For 'NonZero', the input must have at least one dimension"));
    }
    super::read::argwhere(call)
}

/// `split(tensor, split_size_or_sections, axis)`: parts are not empty.
pub(crate) fn split(call: &Call) -> Outcome {
    if let Some(Value::Int(size)) = call.get("split_size_or_sections")
        && size <= 0
    {
        return Err(EvalError::value_error(format!(
            "For split, the value of 'split_size_or_sections' must be more than zero, but got {size}."
        )));
    }
    super::split::split(call).map_err(as_value_error)
}

/// `chunk(input, chunks, axis)`.
pub(crate) fn chunk(call: &Call) -> Outcome {
    super::split::chunk(call).map_err(as_value_error)
}

fn as_value_error(error: EvalError) -> EvalError {
    if error.class() == "RuntimeError" { EvalError::value_error(error.text()) } else { error }
}

/// `narrow(input, axis, start, length)`.
pub(crate) fn narrow(call: &Call) -> Outcome {
    let (axis, start, length) = (call.int("axis")?, call.int("start")?, call.int("length")?);
    call.give(call.tensor("input")?.narrow(axis, start, length))
}

/// `permute(input, axis)`.
pub(crate) fn permute(call: &Call) -> Outcome {
    let order = call.ints("axis")?;
    call.give(call.tensor("input")?.permute(&order))
}

/// `broadcast_to(input, shape)`.
pub(crate) fn broadcast_to(call: &Call) -> Outcome {
    let shape = call.ints("shape")?;
    call.give(call.tensor("input")?.expand(&shape))
}

/// `slice(input_x, begin, size)`: as many places of every axis as `size` says, -1 for all that are left.
pub(crate) fn slice(call: &Call) -> Outcome {
    let mut x = call.tensor("input")?;
    let (begin, size) = (call.ints("begin")?, call.ints("size")?);
    if begin.len() != x.rank() || size.len() != x.rank() {
        return Err(EvalError::value_error("For 'Slice', 'begin' and 'size' must have one number for every axis."));
    }
    for axis in 0..x.rank() {
        let left = x.shape()[axis] as i64 - begin[axis];
        let length = if size[axis] == -1 { left } else { size[axis] };
        x = x.narrow(axis as i64, begin[axis], length).map_err(raise)?;
    }
    Ok(call.wrap(x))
}
