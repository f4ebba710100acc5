//! What `mindspore.grad` and its kin are made of: tensors to differentiate with respect to, and the way back.

use pyo3::prelude::*;
use takewise::Tensor;
use takewise::grad::{self, Graph};

use super::PyTensor;
use crate::error::raise;

/// The same elements as a tensor to differentiate with respect to: a leaf, or a part of the graph if it is in one already.
/// Integers stay as they are.
#[pyfunction]
fn variable<'py>(py: Python<'py>, x: &Bound<'py, PyTensor>) -> PyResult<Bound<'py, PyAny>> {
    let own = x.get();
    let tensor = own.tensor();
    let made = if tensor.requires_grad() {
        tensor.clone_data().map_err(|e| raise(py, &e))?
    } else {
        let mut leaf = tensor.detach();
        if leaf.dtype().is_float() || leaf.dtype().is_complex() {
            leaf.requires_grad_(true).map_err(|e| raise(py, &e))?;
        }
        leaf
    };
    PyTensor::wrap(py, made, own.face, false)
}

/// Whether gradients flow back through a tensor.
#[pyfunction]
fn is_variable(x: &Bound<'_, PyTensor>) -> bool {
    x.get().tensor().requires_grad()
}

/// The gradients of outputs, each times its gradient or ones, with respect to inputs: zeros where they do not depend on
/// them. With `create` they can be differentiated again.
#[pyfunction]
fn gradients<'py>(
    py: Python<'py>,
    outputs: Vec<(Bound<'py, PyTensor>, Option<Bound<'py, PyTensor>>)>,
    inputs: Vec<Bound<'py, PyTensor>>,
    create: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let fail = |e: takewise::Error| raise(py, &e);
    let mut roots: Vec<(Tensor, Tensor)> = Vec::new();
    for (output, gradient) in &outputs {
        let output = output.get().tensor();
        if output.requires_grad() {
            let gradient = match gradient {
                Some(g) => g.get().tensor(),
                None => output.detach().ones_like().map_err(fail)?,
            };
            roots.push((output, gradient));
        }
    }
    let tensors: Vec<Tensor> = inputs.iter().map(|x| x.get().tensor()).collect();
    let asked: Vec<&Tensor> = tensors.iter().filter(|t| t.requires_grad()).collect();
    let roots: Vec<(&Tensor, Option<&Tensor>)> = roots.iter().map(|(t, g)| (t, Some(g))).collect();
    let graph = if create { Graph::CREATE } else { Graph::default() };
    let found = if asked.is_empty() { vec![] } else { grad::grad(&roots, &asked, graph, true).map_err(fail)? };
    let mut found = found.into_iter();
    let made = tensors.iter().zip(&inputs).map(|(t, x)| {
        let g = if t.requires_grad() { found.next().flatten() } else { None };
        let g = match g {
            Some(g) => g.to_dense(),
            None => Tensor::zeroed(t.shape(), t.dtype()),
        };
        PyTensor::wrap(py, g.map_err(fail)?, x.get().face, false)
    });
    made.collect()
}

/// Adds the functions of this module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(variable, m)?)?;
    m.add_function(wrap_pyfunction!(is_variable, m)?)?;
    m.add_function(wrap_pyfunction!(gradients, m)?)
}
