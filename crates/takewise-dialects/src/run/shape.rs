//! Shapes, orders and parts: views where the layout allows, copies where it does not.

use takewise::Tensor;
use takewise::op::Op;

use super::{Outcome, fresh_copy, raise, to_i64};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::Value;

fn view(call: &Call, arrange: impl FnOnce(&Tensor) -> takewise::Result<Tensor>) -> Outcome {
    let tensor = call.tensor("input")?;
    let arranged = arrange(&tensor).map_err(|e| {
        // A layout does not know its dtype; the tensor does.
        let error = raise(e.in_words(call.face.words));
        let class = super::attributes::tensor_class(tensor.dtype());
        EvalError::new(error.class(), error.text().replacen("torch.FloatTensor{", &format!("{class}{{"), 1))
    })?;
    if call.in_place {
        let array = call.array("input")?;
        array.replace(arranged);
        return Ok(Value::Array(array));
    }
    Ok(call.wrap(arranged))
}

/// `reshape(shape)`.
pub(crate) fn reshape(call: &Call) -> Outcome {
    let dims = call.ints("shape")?;
    view(call, |x| x.reshape(&dims))
}

/// `x.view(size)`: never copies.
pub(crate) fn view_as(call: &Call) -> Outcome {
    let dims = call.ints("size")?;
    view(call, |x| x.view(&dims))
}

/// `x.view(dtype)` for a dtype of the same size: the same bytes, read otherwise.
pub(crate) fn view_as_dtype(call: &Call) -> Outcome {
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.float);
    let array = call.array("input")?;
    let tensor = array.tensor();
    if tensor.dtype().size() != dtype.size() {
        return Err(EvalError::unsupported("view(dtype) is defined here for dtypes of the same size only"));
    }
    call.give(tensor.reinterpret(dtype))
}

/// `permute(dims)`.
pub(crate) fn permute(call: &Call) -> Outcome {
    let dims = call.ints("dims")?;
    view(call, |x| x.permute(&dims))
}

/// `transpose(dim0, dim1)`.
pub(crate) fn transpose(call: &Call) -> Outcome {
    let first = if call.has("dim0") { "dim0" } else { "axis0" };
    let second = if call.has("dim1") { "dim1" } else { "axis1" };
    let (a, b) = (call.int(first)?, call.int(second)?);
    view(call, |x| x.transpose(a, b))
}

/// `movedim(source, destination)`.
pub(crate) fn movedim(call: &Call) -> Outcome {
    let (from, to) = (call.ints("source")?, call.ints("destination")?);
    view(call, |x| x.movedim(&from, &to))
}

/// `t()`.
pub(crate) fn t(call: &Call) -> Outcome {
    view(call, Tensor::t)
}

/// `squeeze()`, `squeeze(dim)`.
pub(crate) fn squeeze(call: &Call) -> Outcome {
    match call.get("dim") {
        None => view(call, |x| Ok(x.squeeze())),
        Some(_) => {
            let dims = call.ints("dim")?;
            view(call, |x| x.squeeze_dims(&dims))
        }
    }
}

/// `unsqueeze(dim)`.
pub(crate) fn unsqueeze(call: &Call) -> Outcome {
    let dim = call.int("dim")?;
    view(call, |x| x.unsqueeze(dim))
}

/// `expand(size)`, `broadcast_to(size)`.
pub(crate) fn expand(call: &Call) -> Outcome {
    let dims = call.ints("size")?;
    view(call, |x| x.expand(&dims))
}

/// `expand_as(other)`.
pub(crate) fn expand_as(call: &Call) -> Outcome {
    let dims: Vec<i64> = call.tensor("other")?.shape().iter().map(|&d| d as i64).collect();
    view(call, |x| x.expand(&dims))
}

/// `flatten(start_dim, end_dim)`.
pub(crate) fn flatten(call: &Call) -> Outcome {
    let (first, last) = (call.int("start_dim")?, call.int("end_dim")?);
    let rank = call.tensor("input")?.rank();
    let at = |dim| takewise::layout::normalize_dim(Op::Flatten, dim, rank).ok();
    // One axis alone is flat already: torch gives the tensor itself, not a view.
    if rank > 0 && at(first).is_some() && at(first) == at(last) {
        return Ok(Value::Array(call.array("input")?));
    }
    view(call, |x| x.flatten(first, last))
}

/// `ravel()`.
pub(crate) fn ravel(call: &Call) -> Outcome {
    view(call, |x| x.reshape(&[-1]))
}

/// `narrow(dim, start, length)`; the start may be an integer tensor of rank 0.
pub(crate) fn narrow(call: &Call) -> Outcome {
    let start = call.get("start").unwrap_or(Value::None);
    if let Value::Array(a) = &start
        && (!a.shape().is_empty() || !a.dtype().is_integer())
    {
        return Err(EvalError::runtime_error("start must be an 0-dim integral Tensor."));
    }
    let (dim, start, length) = (call.int("dim")?, to_i64(&start)?, call.int("length")?);
    view(call, |x| x.narrow(dim, start, length))
}

/// `select(dim, index)`.
pub(crate) fn select(call: &Call) -> Outcome {
    let (dim, index) = (call.int("dim")?, call.int("index")?);
    view(call, |x| x.select(dim, index))
}

/// `diagonal(offset, dim1, dim2)`.
pub(crate) fn diagonal(call: &Call) -> Outcome {
    let (offset, a, b) = (call.int("offset")?, call.int("dim1")?, call.int("dim2")?);
    view(call, |x| x.diagonal(offset, a, b))
}

/// `x.unfold(dimension, size, step)`.
pub(crate) fn unfold(call: &Call) -> Outcome {
    let (dim, size, step) = (call.int("dimension")?, call.int("size")?, call.int("step")?);
    view(call, |x| x.unfold(dim, size, step))
}

/// `as_strided(size, stride, storage_offset)`.
pub(crate) fn as_strided(call: &Call) -> Outcome {
    let (size, stride) = (call.shape("size")?, call.ints("stride")?);
    let offset = call.maybe_int("storage_offset")?;
    let offset = offset
        .map(|o| {
            usize::try_from(o).map_err(|_| EvalError::runtime_error(format!("Tensor: invalid storage offset {o}")))
        })
        .transpose()?;
    view(call, |x| x.as_strided(&size, &stride, offset))
}

/// `flip(dims)`: a copy, as torch's.
pub(crate) fn flip(call: &Call) -> Outcome {
    let dims = call.ints("dims")?;
    view(call, |x| x.flip(&dims))
}

/// The axes `flip(m, axis)` turns round: those named, else all.
fn flipped(call: &Call) -> Result<Vec<i64>, EvalError> {
    let rank = call.tensor("input")?.rank();
    if call.get("axis").is_none() {
        return Ok((0..rank as i64).collect());
    }
    let axes = call.ints("axis")?;
    for axis in &axes {
        call.face.rules.views.axis(Op::Flip, *axis, rank).map_err(raise)?;
    }
    Ok(axes)
}

/// NumPy's `flip(m, axis)`: a view with negative strides.
pub(crate) fn reversed(call: &Call) -> Outcome {
    let dims = flipped(call)?;
    view(call, |x| x.reversed(&dims))
}

/// JAX's `flip(m, axis)`: a copy.
pub(crate) fn flip_axes(call: &Call) -> Outcome {
    let dims = flipped(call)?;
    view(call, |x| x.flip(&dims))
}

/// `x.contiguous()`.
pub(crate) fn contiguous(call: &Call) -> Outcome {
    view(call, Tensor::contiguous)
}

/// `clone()`: a copy that keeps the order of dense strides.
pub(crate) fn clone(call: &Call) -> Outcome {
    view(call, Tensor::clone_data)
}

/// NumPy's `copy()`: a row-major copy.
pub(crate) fn copy(call: &Call) -> Outcome {
    view(call, fresh_copy)
}

/// `detach()`, `cpu()`: another tensor over the same memory.
pub(crate) fn alias(call: &Call) -> Outcome {
    view(call, |x| Ok(x.clone()))
}

/// NumPy's `transpose(axes)`: reversed without axes.
pub(crate) fn transpose_axes(call: &Call) -> Outcome {
    let rank = call.tensor("input")?.rank() as i64;
    let dims = match call.get("axes") {
        None => (0..rank).rev().collect(),
        Some(_) => call.ints("axes")?,
    };
    view(call, |x| x.permute(&dims))
}
