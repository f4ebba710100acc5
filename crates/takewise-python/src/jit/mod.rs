//! Operations inside programs that JAX has compiled: XLA calls one handler, which runs the record of the catalogue on its buffers.
//!
//! `takewise._jax` writes down what a call says beside its arrays ([`plan`]), and asks what shapes its results have. XLA then calls
//! [`handler`] with that text, without Python.

#![allow(unsafe_code)]

mod abi;
mod floats;
mod handler;
mod kept;
mod plan;
mod run;
mod whole;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use takewise::{DType, Tensor};
use takewise_operations::Run;

use crate::error::{OrRaise, raise, refuse};
use plan::Plan;

/// The address of the handler.
#[pyfunction]
fn _jit_handler() -> usize {
    handler::handler as *const () as usize
}

/// The dtypes and shapes of the results of a call, and whether it writes; its operands are given by theirs. Nothing is moved.
#[pyfunction]
fn _jit_shapes(
    py: Python<'_>,
    text: &str,
    operands: Vec<(String, Vec<usize>)>,
) -> PyResult<(Vec<(&'static str, Vec<usize>)>, bool)> {
    let plan = Plan::of(text.as_bytes()).map_err(PyValueError::new_err)?;
    if let Some(instead) = run::unknown(&plan) {
        let text = format!(
            "{}(): the shape of the result depends on values, which are known only when the program runs: {instead}",
            plan.entry.name
        );
        return Err(refuse(py, "TypeError", &text));
    }
    if let Some(text) = plan.refused() {
        return Err(refuse(py, "ValueError", &text));
    }
    let stand_in = |(name, shape): &(String, Vec<usize>)| -> PyResult<Tensor> {
        let Some(dtype) = DType::from_name(name) else {
            let text = format!("{}(): arrays of dtype {name} have no form in a program of JAX's", plan.entry.name);
            return Err(refuse(py, "NotImplementedError", &text));
        };
        let one = Tensor::zeroed(&vec![1; shape.len()], dtype).or_raise(py)?;
        one.broadcast_to(shape).or_raise(py)
    };
    let tensors = operands.iter().map(stand_in).collect::<PyResult<Vec<_>>>()?;
    let asked = plan.tolerant();
    let asked_for = || run::made(&asked, &run::arranged(&asked, tensors)?);
    // What is made of rows looks at where they lie, which has to be there.
    let made = match asked.entry.operation.run {
        Run::Arrays(_) => asked_for(),
        _ => takewise::strategy::trace(true, asked_for).0,
    };
    let made = made.map_err(|error| raise(py, &error))?;
    Ok((made.iter().map(|one| (one.dtype().name(), one.shape().to_vec())).collect(), run::writes(&plan)))
}

/// The exception of an error that a program of JAX's gave the number of; `None` for one that is long past.
#[pyfunction]
fn _jit_error<'py>(py: Python<'py>, number: u64) -> Option<Bound<'py, PyAny>> {
    kept::error(number).map(|error| raise(py, &error).into_value(py).into_bound(py).into_any())
}

/// Adds the functions to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_jit_handler, m)?)?;
    m.add_function(wrap_pyfunction!(_jit_shapes, m)?)?;
    m.add_function(wrap_pyfunction!(_jit_error, m)?)
}
