//! Gradients: who requires them, walking back, and the sparse ones.

use std::rc::Rc;

use takewise::grad::{self, Gradient, SparseCoo};

use super::{Outcome, raise};
use crate::dialect::Face;
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

/// Marks a fresh array as `requires_grad=` asks.
pub(crate) fn marked(call: &Call, made: Value) -> Outcome {
    if let (true, Value::Array(array)) = (call.flag("requires_grad"), &made) {
        require(array, true).map_err(|e| match array.dtype().is_float() || array.dtype().is_complex() {
            true => e,
            false => EvalError::runtime_error("Only Tensors of floating point and complex dtype can require gradients"),
        })?;
    }
    Ok(made)
}

/// `x.requires_grad = on`.
///
/// # Errors
/// Integers; a computed array that shall no longer require one.
pub(crate) fn require(array: &Array, on: bool) -> Result<(), EvalError> {
    let mut tensor = array.tensor();
    tensor.requires_grad_(on).map_err(raise)?;
    array.replace(tensor);
    Ok(())
}

/// `x.requires_grad_(requires_grad=True)`.
pub(crate) fn requires_grad_(call: &Call) -> Outcome {
    let array = call.array("input")?;
    require(&array, call.flag("requires_grad"))?;
    Ok(Value::Array(array))
}

/// `x.backward(gradient, retain_graph)`.
pub(crate) fn backward(call: &Call) -> Outcome {
    if call.flag("create_graph") || call.get("inputs").is_some() {
        return Err(EvalError::unsupported("backward(): create_graph and inputs are not evaluated"));
    }
    let gradient = match call.get("gradient") {
        Some(Value::Array(g)) => Some(g.tensor()),
        Some(other) => {
            let text = format!("gradients can be either Tensors or None, but got {}", other.type_name());
            return Err(EvalError::type_error(text));
        }
        None => None,
    };
    call.tensor("input")?.backward(gradient.as_ref(), call.flag("retain_graph")).map_err(raise)?;
    Ok(Value::None)
}

/// `detach()`: the same memory, without a history.
pub(crate) fn detach(call: &Call) -> Outcome {
    Ok(call.wrap(call.tensor("input")?.detach()))
}

/// `sum(input, dim, keepdim, dtype)`.
pub(crate) fn sum(call: &Call) -> Outcome {
    let axes = call.get("dim").map(|_| call.ints("dim")).transpose()?;
    let (keep, dtype) = (call.has("keepdim") && call.flag("keepdim"), call.dtype("dtype")?);
    let x = call.tensor("input")?;
    let summed = x.sum(axes.as_deref(), keep, dtype).map_err(|e| raise(e.in_words(call.face.words)))?;
    super::into_out(call, "sum", summed)
}

/// `torch.set_grad_enabled(mode)`.
pub(crate) fn set_grad_enabled(call: &Call) -> Outcome {
    grad::set_grad_enabled(call.flag("mode"));
    Ok(Value::None)
}

/// `torch.is_grad_enabled()`.
pub(crate) fn is_grad_enabled(_: &Call) -> Outcome {
    Ok(Value::Bool(grad::is_grad_enabled()))
}

/// `x.requires_grad`.
pub(crate) fn requires_grad(array: &Array) -> Outcome {
    Ok(Value::Bool(array.tensor().requires_grad()))
}

/// `x.is_leaf`.
pub(crate) fn is_leaf(array: &Array) -> Outcome {
    Ok(Value::Bool(array.tensor().is_leaf()))
}

/// `x.grad_fn`: the operation's name.
pub(crate) fn grad_fn(array: &Array) -> Outcome {
    Ok(array.tensor().grad_fn().map_or(Value::None, Value::str))
}

/// `x._version`.
pub(crate) fn version(array: &Array) -> Outcome {
    Ok(Value::Int(i128::from(array.tensor().version())))
}

/// `x.grad`.
pub(crate) fn gradient(array: &Array) -> Outcome {
    Ok(match array.tensor().grad() {
        None => Value::None,
        Some(Gradient::Dense(t)) => Value::Array(Array::new(t, array.face)),
        Some(Gradient::Sparse(s)) => Value::Sparse(Rc::new(*s), array.face),
    })
}

/// `x.grad = value`.
///
/// # Errors
/// A value that is no gradient of this array; an array that is no leaf.
pub(crate) fn set_gradient(array: &Array, value: &Value) -> Result<(), EvalError> {
    let given = match value {
        Value::None if !array.tensor().requires_grad() => return Ok(()),
        Value::None => None,
        Value::Array(a) => Some(Gradient::from(a.tensor())),
        Value::Sparse(s, _) => Some(Gradient::from((**s).clone())),
        other => {
            let text =
                format!("assigned grad expected to be a Tensor or None but got grad of type {}", other.type_name());
            return Err(EvalError::type_error(text));
        }
    };
    array.tensor().set_grad(given).map_err(raise)
}

/// What follows a tensor's elements in torch's text.
pub(crate) fn suffix(array: &Array) -> Vec<String> {
    let tensor = array.tensor();
    match tensor.grad_fn() {
        Some(name) => vec![format!("grad_fn=<{name}>")],
        None if tensor.requires_grad() => vec!["requires_grad=True".into()],
        None => vec![],
    }
}

/// The sparse array of a call, or what torch says of a dense one.
fn sparse(call: &Call) -> Result<(Rc<SparseCoo>, &'static Face), EvalError> {
    match call.get("input") {
        Some(Value::Sparse(s, face)) => Ok((s, face)),
        _ => Err(EvalError::runtime_error(format!(
            "{} expected sparse coordinate tensor layout but got Strided",
            call.name
        ))),
    }
}

/// `s.coalesce()`.
pub(crate) fn coalesce(call: &Call) -> Outcome {
    let (s, face) = sparse(call)?;
    Ok(Value::Sparse(Rc::new(s.coalesce().map_err(raise)?), face))
}

/// `s.is_coalesced()`.
pub(crate) fn is_coalesced(call: &Call) -> Outcome {
    Ok(Value::Bool(sparse(call)?.0.is_coalesced()))
}

/// `x.to_dense()`.
pub(crate) fn to_dense(call: &Call) -> Outcome {
    match call.get("input") {
        Some(Value::Sparse(s, face)) => Ok(Value::Array(Array::new(s.to_dense().map_err(raise)?, face))),
        _ => Ok(Value::Array(call.array("input")?)),
    }
}

fn part(call: &Call, name: &str, of: impl FnOnce(&SparseCoo) -> takewise::Tensor) -> Outcome {
    let (s, face) = sparse(call)?;
    if !call.name.starts_with('_') && !s.is_coalesced() {
        let text = format!("Cannot get {name} on an uncoalesced tensor, please call .coalesce() first");
        return Err(EvalError::runtime_error(text));
    }
    Ok(Value::Array(Array::new(of(&s), face)))
}

/// `s.indices()` of a coalesced array, `s._indices()` of any.
pub(crate) fn indices(call: &Call) -> Outcome {
    part(call, "indices", |s| s.indices().clone())
}

/// `s.values()` of a coalesced array, `s._values()` of any.
pub(crate) fn values(call: &Call) -> Outcome {
    part(call, "values", |s| s.values().clone())
}

/// `s._nnz()`.
pub(crate) fn nnz(call: &Call) -> Outcome {
    Ok(Value::Int(sparse(call)?.0.nnz() as i128))
}

/// An attribute of a sparse array.
pub(crate) fn sparse_attribute(s: &SparseCoo, face: &'static Face, attr: &str) -> Option<Value> {
    Some(match attr {
        "shape" => Value::Size(s.shape().into()),
        "dtype" => Value::DType(s.dtype(), face),
        "ndim" => Value::Int(s.shape().len() as i128),
        "is_sparse" => Value::Bool(true),
        "requires_grad" => Value::Bool(false),
        "is_leaf" => Value::Bool(true),
        "grad" | "grad_fn" => Value::None,
        "layout" => Value::str("torch.sparse_coo"),
        _ => return None,
    })
}

/// `embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)`: rows of `weight`.
pub(crate) fn embedding(call: &Call) -> Outcome {
    let (index, weight) = (call.tensor("input")?, call.tensor("weight")?);
    if call.get("max_norm").is_some() || call.flag("scale_grad_by_freq") {
        return Err(EvalError::unsupported("embedding(): max_norm and scale_grad_by_freq are not evaluated"));
    }
    if weight.rank() != 2 {
        return Err(EvalError::runtime_error("'weight' must be 2-D"));
    }
    let rows = weight.shape()[0] as i64;
    let padding = match call.maybe_int("padding_idx")? {
        None => None,
        Some(at) if (-rows..rows).contains(&at) => Some(at.rem_euclid(rows) as usize),
        Some(_) => return Err(EvalError::new("AssertionError", "Padding_idx must be within num_embeddings")),
    };
    call.give(weight.rows(&index, padding, call.flag("sparse"), &call.face.rules.index_select))
}
