//! Operations that the library of an array has itself: it gets the call, except for few elements, with which it would take longer
//! to begin than to answer.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use takewise::{Result, Tensor};
use takewise_operations::{Arrays, Role};

use super::ranges;
use crate::border::callable::Arguments;
use crate::border::{Operand, numpy, torch};
use crate::known::Known;

/// The answer of the array's library, or ours.
pub(super) fn theirs<'py>(
    a: &Arguments<'_, 'py>,
    run: fn(&Arrays<'_>) -> Result<Vec<Tensor>>,
    few: usize,
) -> PyResult<Bound<'py, PyAny>> {
    static ANSWER: Known<Py<PyAny>> = Known::new();
    let is_few = few > 0 && a.object(Role::Data).is_some_and(|x| numpy::is_few(&x, few));
    if is_few && let Ok(done) = ranges::arrays(a, run) {
        return Ok(done);
    }
    // Some of PyTorch's own functions do not look, and end the process.
    if let Some(error) = a.all().find_map(|one| Operand::emptied(&one)) {
        return Err(error);
    }
    match a.asked(ANSWER.import(a.py, "takewise._order", "answer")?) {
        Ok(answer) if !answer.is(a.py.NotImplemented()) => Ok(answer),
        Ok(_) => ranges::arrays(a, run),
        // PyTorch has no order of complex numbers, for one, and ours is NumPy's.
        Err(error) if a.all().any(|one| torch::is_tensor(&one)) => {
            // Ours says which value is wrong, and where, except of tensors that it cannot read.
            ranges::arrays(a, run).map_err(|ours| match ours.is_instance_of::<PyRuntimeError>(a.py) {
                true => a.all().fold(error, |error, one| torch::named(&one, error)),
                false => ours,
            })
        }
        Err(error) => Err(error),
    }
}
