//! What a call does, as data and as a picture. Which call is meant, and what its parameters are called, `_explain.py` finds out.

mod again;
mod call;
mod compared;
mod described;
mod draw;
mod failure;
mod object;
mod operands;
mod roles;
mod table;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use again::{Again, Kept, Tabled};
use call::Call;
use compared::Compared;
use failure::Refusal;
use object::{Explained, Options};
use operands::Look;

use crate::library::Function;

/// An explanation of a call of ours or, with `torch`, of PyTorch's while that is run here, made on private copies of its arrays.
/// `table` is the function of a library's table that does the same with such arguments, whether it is a method, and the arguments.
/// `refused` is what PyTorch raises before it looks at any element.
#[pyfunction]
#[pyo3(signature = (function, args, kwargs, names, expression, operation, *, table, writes, torch, refused, plan, language, color))]
fn _explain_call<'py>(
    function: Bound<'py, PyAny>,
    args: Bound<'py, PyTuple>,
    kwargs: Bound<'py, PyDict>,
    names: Vec<String>,
    expression: String,
    operation: String,
    table: Option<(Py<Function>, bool, Py<PyTuple>, Py<PyDict>)>,
    writes: bool,
    torch: bool,
    refused: Option<Refusal<'py>>,
    plan: bool,
    language: &str,
    color: Option<bool>,
) -> PyResult<Explained> {
    let options = Options::of(function.py(), plan, language, color)?;
    let look = Look { torch, gradients: torch, writes, lists: false };
    let dialect = if torch { "torch" } else { "takewise" };
    let kept = Kept {
        function: function.clone().unbind(),
        args: args.clone().unbind(),
        kwargs: kwargs.clone().unbind(),
        names: names.clone(),
        expression: expression.clone(),
        operation: operation.clone(),
        look,
    };
    let table = table.map(|(function, method, args, kwargs)| {
        let expression = expression.clone();
        Tabled { function, method, args, kwargs, expression, torch }
    });
    let call = Call { function, args, kwargs, names, expression, dialect, operation, look };
    let found = failure::refused(call.explained()?, refused)?;
    Ok(Explained::of_call(found, options, Again::Call { call: kept, table }))
}

/// An explanation of a function of a library's table or, with `method`, of a method, whose receiver is the first argument. With
/// `torch` its arrays are PyTorch's, whose gradients do not matter but for what PyTorch has `refused` because of them.
#[pyfunction]
#[pyo3(signature = (function, method, args, kwargs, expression, *, torch, plan, language, color, refused=None))]
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
    refused: Option<Refusal<'py>>,
) -> PyResult<Explained> {
    let options = Options::of(function.py(), plan, language, color)?;
    let found = table::of_function(function, method, args, kwargs, expression, torch)?;
    let found = failure::refused(found, refused)?;
    let tabled = Tabled {
        function: function.clone().unbind(),
        method,
        args: args.clone().unbind(),
        kwargs: kwargs.clone().unbind(),
        expression: expression.to_owned(),
        torch,
    };
    Ok(Explained::of_call(found, options, Again::Function(tabled)))
}

/// An explanation of the last statement of a source.
#[pyfunction]
#[pyo3(signature = (source, names, dialect, *, plan, language, color, refused=None))]
fn _explain_expression(
    source: &str,
    names: &Bound<'_, PyDict>,
    dialect: Option<&str>,
    plan: bool,
    language: &str,
    color: Option<bool>,
    refused: Option<Refusal<'_>>,
) -> PyResult<Explained> {
    let options = Options::of(names.py(), plan, language, color)?;
    let found = failure::refused(table::of_expression(source, names, dialect)?, refused)?;
    let dialect = dialect.map(str::to_owned);
    let again = Again::Expression { source: source.to_owned(), names: names.copy()?.unbind(), dialect };
    Ok(Explained::of_call(found, options, again))
}

/// Adds the class and the functions to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    described::register(m)?;
    m.add_class::<Explained>()?;
    m.add_class::<Compared>()?;
    m.add_function(wrap_pyfunction!(compared::_comparison, m)?)?;
    m.add_function(wrap_pyfunction!(object::_explanation, m)?)?;
    m.add_function(wrap_pyfunction!(_explain_call, m)?)?;
    m.add_function(wrap_pyfunction!(_explain_function, m)?)?;
    m.add_function(wrap_pyfunction!(_explain_expression, m)?)
}
