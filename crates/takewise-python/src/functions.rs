//! The functions of `takewise`: one short binding per operation.

use pyo3::prelude::*;
use takewise::index::rules::Rules;

use crate::border::Operand;
use crate::border::key::Key;
use crate::error::OrRaise;

/// One element of ``x`` per element of ``index``, along ``dim``.
#[pyfunction]
#[pyo3(signature = (x, dim, index))]
fn gather<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    dim: i64,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let x = Operand::of_any(x, None)?;
    let index = Operand::of_any(index, None)?;
    let out = x.tensor.gather(&index.tensor, dim, &Rules::NEUTRAL).or_raise(py)?;
    x.home.give(py, out)
}

/// ``x[key]``, of any kind of key, by NumPy's rules for their combination.
#[pyfunction]
#[pyo3(signature = (x, key))]
fn index<'py>(py: Python<'py>, x: &Bound<'py, PyAny>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let x = Operand::of_any(x, None)?;
    let key = Key::of(key)?;
    let out = x.tensor.index(&key.indices(), &Rules::NEUTRAL).or_raise(py)?;
    x.home.give(py, out)
}

/// Adds every function to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(gather, m)?)?;
    m.add_function(wrap_pyfunction!(index, m)?)
}
