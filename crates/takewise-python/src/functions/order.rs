//! Operations that the library of an array has itself: it gets the call, except for few elements, with which it would take longer
//! to begin than to answer.

use pyo3::prelude::*;
use takewise::{Result, Tensor};
use takewise_operations::{Arrays, Role};

use super::ranges;
use crate::border::callable::Arguments;
use crate::border::numpy;
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
    let answer = a.asked(ANSWER.import(a.py, "takewise._order", "answer")?)?;
    if !answer.is(a.py.NotImplemented()) {
        return Ok(answer);
    }
    ranges::arrays(a, run)
}
