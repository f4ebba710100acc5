//! Gradients: who requires them, walking back, and the sparse ones.

use std::rc::Rc;
use takewise::op::Op;

use takewise::Tensor;
use takewise::grad::{self, Gradient, Graph, RowGradient, SparseCoo};

use super::{Outcome, raise};
use crate::error::EvalError;
use crate::face::Face;
use crate::sig::Call;
use crate::value::{Array, Recording, Value};
use crate::words::{node_name, torch_class};

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

/// `retain_graph` and `create_graph`.
fn graph(call: &Call) -> Graph {
    let create = call.flag("create_graph");
    Graph { create, retain: call.get("retain_graph").map_or(create, |_| call.flag("retain_graph")) }
}

/// A tensor, or several in a sequence, as Python iterates over them.
fn tensors(call: &Call, name: &str) -> Result<Option<Vec<Tensor>>, EvalError> {
    let Some(value) = call.get(name) else { return Ok(None) };
    let one = |value: &Value| match value {
        Value::Array(array) => Ok(array.tensor()),
        other => Err(EvalError::type_error(format!("expected Tensor, but got {}", other.type_name()))),
    };
    match &value {
        Value::Array(array) => Ok(Some(vec![array.tensor()])),
        other => sequence(other)?.iter().map(one).collect::<Result<_, _>>().map(Some),
    }
}

fn sequence(value: &Value) -> Result<Vec<Value>, EvalError> {
    let text = || EvalError::type_error(format!("'{}' object is not iterable", value.type_name()));
    value.items().ok_or_else(text)
}

/// The gradients of outputs, any of which may be left out.
fn gradients(call: &Call, name: &str, count: usize) -> Result<Vec<Option<Tensor>>, EvalError> {
    let one = |value: &Value| match value {
        Value::Array(array) => Ok(Some(array.tensor())),
        Value::None => Ok(None),
        other => {
            let text = format!("gradients can be either Tensors or None, but got {}", other.type_name());
            Err(EvalError::type_error(text))
        }
    };
    let mut given = match call.get(name) {
        None => vec![],
        Some(Value::Array(array)) => vec![Some(array.tensor())],
        Some(other) => sequence(&other)?.iter().map(one).collect::<Result<_, _>>()?,
    };
    given.resize(count, None);
    Ok(given)
}

/// Outputs and their gradients as a walk takes them.
fn paired<'t>(outputs: &'t [Tensor], gradients: &'t [Option<Tensor>]) -> Vec<(&'t Tensor, Option<&'t Tensor>)> {
    outputs.iter().zip(gradients).map(|(t, g)| (t, g.as_ref())).collect()
}

/// `x.backward(gradient, retain_graph, create_graph, inputs)`, and `torch.autograd.backward(tensors, grad_tensors, ...)`.
pub(crate) fn backward(call: &Call) -> Outcome {
    let (outputs, gradients_name) = match call.has("tensors") {
        true => (tensors(call, "tensors")?.unwrap_or_default(), "grad_tensors"),
        false => (vec![call.tensor("input")?], "gradient"),
    };
    let gradients = gradients(call, gradients_name, outputs.len())?;
    let inputs = tensors(call, "inputs")?;
    let inputs: Option<Vec<&Tensor>> = inputs.as_ref().map(|list| list.iter().collect());
    grad::backward(&paired(&outputs, &gradients), inputs.as_deref(), graph(call)).map_err(raise)?;
    Ok(Value::None)
}

/// `torch.autograd.grad(outputs, inputs, grad_outputs, ...)`.
pub(crate) fn grad_of(call: &Call) -> Outcome {
    if call.flag("is_grads_batched") {
        return Err(EvalError::unsupported("grad(): is_grads_batched is not evaluated; call it for each gradient"));
    }
    let (zeros, unused) = (call.flag("materialize_grads"), call.get("allow_unused"));
    if zeros && matches!(unused, Some(Value::Bool(false))) {
        let text = "Expected allow_unused to be True or not passed when materialize_grads=True, but got: \
                    allow_unused=False.";
        return Err(EvalError::value_error(text));
    }
    let outputs = tensors(call, "outputs")?.unwrap_or_default();
    let inputs = tensors(call, "inputs")?.unwrap_or_default();
    let gradients = gradients(call, "grad_outputs", outputs.len())?;
    let unused = zeros || unused.as_ref().map_or(Ok(false), crate::numbers::truth)?;
    let into: Vec<&Tensor> = inputs.iter().collect();
    let found = grad::grad(&paired(&outputs, &gradients), &into, graph(call), unused).map_err(raise)?;
    let found = found.into_iter().zip(&inputs).map(|(g, input)| match g {
        None if zeros => Ok(call.wrap(Tensor::zeroed(input.shape(), input.dtype()).map_err(raise)?)),
        g => Ok(gradient_value(g, call.face)),
    });
    Ok(Value::tuple(found.collect::<Result<Vec<_>, EvalError>>()?))
}

fn gradient_value(g: Option<Gradient>, face: &'static Face) -> Value {
    match g {
        None => Value::None,
        Some(Gradient::Dense(t)) => Value::Array(Array::new(t, face)),
        Some(Gradient::Sparse(s)) => Value::Sparse(Rc::new(*s), face),
    }
}

/// `x.retain_grad()`.
pub(crate) fn retain_grad(call: &Call) -> Outcome {
    call.tensor("input")?.retain_grad().map_err(raise)?;
    Ok(Value::None)
}

/// `x.retains_grad`.
pub(crate) fn retains_grad(array: &Array) -> Outcome {
    Ok(Value::Bool(array.tensor().retains_grad()))
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
    super::into_out(call, Op::Sum, summed)
}

/// `torch.set_grad_enabled(mode)`: holds from here on, or until the `with` block it heads is left.
pub(crate) fn set_grad_enabled(call: &Call) -> Outcome {
    let on = call.flag("mode");
    let before = Some(grad::set_grad_enabled(on));
    Ok(Value::Recording(Recording { name: "set_grad_enabled", on, before }))
}

/// `torch.no_grad()`.
pub(crate) fn no_grad(_: &Call) -> Outcome {
    Ok(Value::Recording(Recording { name: "no_grad", on: false, before: None }))
}

/// `torch.enable_grad()`.
pub(crate) fn enable_grad(_: &Call) -> Outcome {
    Ok(Value::Recording(Recording { name: "enable_grad", on: true, before: None }))
}

/// `torch.inference_mode(mode=True)`: nothing is recorded, as under `no_grad`.
pub(crate) fn inference_mode(call: &Call) -> Outcome {
    let on = !call.flag("mode") && grad::is_grad_enabled();
    Ok(Value::Recording(Recording { name: "inference_mode", on, before: None }))
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

/// `x.grad_fn`: the operation it came from.
pub(crate) fn grad_fn(array: &Array) -> Outcome {
    Ok(array.tensor().grad_fn().map_or(Value::None, Value::GradFn))
}

/// `x._version`.
pub(crate) fn version(array: &Array) -> Outcome {
    Ok(Value::Int(i128::from(array.tensor().version())))
}

/// `x.grad`.
pub(crate) fn gradient(array: &Array) -> Outcome {
    Ok(gradient_value(array.tensor().grad(), array.face))
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
        Some(f) => vec![format!("grad_fn=<{}>", node_name(f.op()))],
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
    let rules = &call.face.rules.index_select;
    check_indices(call, &index, "embedding")?;
    let rows = weight.shape().first().map_or(0, |n| *n as i64);
    let padding = match call.maybe_int("padding_idx")? {
        None => None,
        Some(at) if (-rows..rows.max(1)).contains(&at) => Some(at.rem_euclid(rows.max(1)) as usize),
        Some(_) => return Err(EvalError::new("AssertionError", "Padding_idx must be within num_embeddings")),
    };
    limit(call, &weight, &index)?;
    if weight.rank() != 2 {
        return Err(EvalError::runtime_error("'weight' must be 2-D"));
    }
    let gradient = RowGradient { padding, by_count: call.flag("scale_grad_by_freq"), sparse: call.flag("sparse") };
    call.give(weight.rows(&index, gradient, rules))
}

/// Fails unless the indices of an embedding are of a dtype it takes.
pub(crate) fn check_indices(call: &Call, index: &Tensor, op: &str) -> Result<(), EvalError> {
    if call.face.rules.index_select.indices.has(index.dtype()) {
        return Ok(());
    }
    let text = format!(
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got {} instead \
         (while checking arguments for {op})",
        torch_class(index.dtype())
    );
    Err(EvalError::runtime_error(text))
}

/// Makes the rows of `weight` that are read no longer than `max_norm` says, if it says so.
pub(crate) fn limit(call: &Call, weight: &Tensor, index: &Tensor) -> Result<(), EvalError> {
    let number = |name: &str| -> Result<Option<f64>, EvalError> {
        call.get(name).map(|_| call.number(name).map(super::ranges::real)).transpose()
    };
    let Some(most) = number("max_norm")? else { return Ok(()) };
    let kind = number("norm_type")?.unwrap_or(2.0);
    if weight.rank() != 2 {
        let text = format!(
            "Expected 2-dimensional tensor, but got {}-dimensional tensor for argument #1 'self' (while checking \
             arguments for embedding_renorm_)",
            weight.rank()
        );
        return Err(EvalError::runtime_error(text));
    }
    let rules = &call.face.rules.index_select;
    grad::no_grad(|| weight.limit_rows_(index, most, kind, rules)).map_err(raise)
}
