//! How many threads calls are divided among.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::border::onward::Called;

/// Sets how many threads large calls run on, in this process; 0 for as many as there are processors.
///
/// Results do not depend on it. The environment variable ``TAKEWISE_NUM_THREADS`` sets it from outside.
///
/// >>> import takewise
/// >>> takewise.set_num_threads(2)
/// >>> takewise.get_num_threads()
/// 2
/// >>> takewise.set_num_threads(0)
#[pyfunction]
fn set_num_threads<'py>(n: &Bound<'py, PyAny>) -> PyResult<()> {
    let py = n.py();
    match n.extract() {
        Ok(n) => takewise::threads::set_threads(n),
        Err(error) => {
            let (positional, keywords) = (PyTuple::new(py, [n])?, PyDict::new(py));
            let called = Called { name: "set_num_threads", positional: &positional, keywords: &keywords };
            return Err(called.worded(error));
        }
    }
    Ok(())
}

/// How many threads large calls run on.
#[pyfunction]
fn get_num_threads() -> usize {
    takewise::threads::threads()
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(set_num_threads, m)?)?;
    m.add_function(wrap_pyfunction!(get_num_threads, m)?)
}
