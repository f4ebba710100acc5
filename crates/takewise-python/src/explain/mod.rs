//! What a call does, as data and as a picture. Which call is meant, and what its parameters are called, `_explain.py` finds out.

mod call;
mod described;
mod draw;
mod failure;
mod object;
mod operands;
mod roles;
mod table;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use call::Call;
use object::{Explained, Options};
use operands::Look;

use crate::library::Function;

/// An explanation of a call of ours or, with `torch`, of PyTorch's while that is run here, made on private copies of its arrays.
#[pyfunction]
#[pyo3(signature = (function, args, kwargs, names, expression, operation, *, writes, torch, plan, language, color))]
fn _explain_call<'py>(
    function: Bound<'py, PyAny>,
    args: Bound<'py, PyTuple>,
    kwargs: Bound<'py, PyDict>,
    names: Vec<String>,
    expression: String,
    operation: String,
    writes: bool,
    torch: bool,
    plan: bool,
    language: &str,
    color: Option<bool>,
) -> PyResult<Explained> {
    let options = Options::of(function.py(), plan, language, color)?;
    let look = Look { torch, gradients: torch, writes, lists: false };
    let dialect = if torch { "torch" } else { "takewise" };
    let call = Call { function, args, kwargs, names, expression, dialect, operation, look };
    Ok(Explained::new(call.explained()?, options))
}

/// An explanation of a function of a library's table or, with `method`, of a method, whose receiver is the first argument. With
/// `torch` its arrays are PyTorch's, whose gradients do not matter.
#[pyfunction]
#[pyo3(signature = (function, method, args, kwargs, expression, *, torch, plan, language, color))]
fn _explain_function<'py>(
    function: &Bound<'py, Function>,
    method: bool,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
    expression: &str,
    torch: bool,
    plan: bool,
    language: &str,
    color: Option<bool>,
) -> PyResult<Explained> {
    let options = Options::of(function.py(), plan, language, color)?;
    Ok(Explained::new(table::of_function(function, method, args, kwargs, expression, torch)?, options))
}

/// An explanation of the last statement of a source.
#[pyfunction]
#[pyo3(signature = (source, names, dialect, *, plan, language, color))]
fn _explain_expression(
    source: &str,
    names: &Bound<'_, PyDict>,
    dialect: Option<&str>,
    plan: bool,
    language: &str,
    color: Option<bool>,
) -> PyResult<Explained> {
    let options = Options::of(names.py(), plan, language, color)?;
    Ok(Explained::new(table::of_expression(source, names, dialect)?, options))
}

/// Adds the class and the functions to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    described::register(m)?;
    m.add_class::<Explained>()?;
    m.add_function(wrap_pyfunction!(object::_explanation, m)?)?;
    m.add_function(wrap_pyfunction!(_explain_call, m)?)?;
    m.add_function(wrap_pyfunction!(_explain_function, m)?)?;
    m.add_function(wrap_pyfunction!(_explain_expression, m)?)
}
