//! Iterating over a tensor: its subarrays along the first axis, one at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;
use takewise_dialects::{Value, object};

use super::PyTensor;
use crate::error::{OrRaise, refuse};
use crate::library::Exchange;

/// What ``iter(x)`` gives.
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Rows {
    tensor: Py<PyTensor>,
    count: usize,
    next: AtomicUsize,
}

/// What making one row takes at most, beside its Python object.
const ROOM: usize = 4096;

impl Rows {
    /// Of a tensor with so many rows.
    pub(super) fn new(tensor: &Bound<'_, PyTensor>, count: usize) -> Rows {
        Rows { tensor: tensor.clone().unbind(), count, next: AtomicUsize::new(0) }
    }
}

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let step = |k: usize| (k < self.count).then_some(k + 1);
        let Ok(k) = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step) else { return Ok(None) };
        // Small things are made without asking whether there is memory for them. Here they may use up the last of it.
        if Vec::<u8>::new().try_reserve_exact(ROOM).is_err() {
            return Err(refuse(py, "MemoryError", "no memory left for another row"));
        }
        let tensor = self.tensor.get();
        let row = object::get(&tensor.array(), &Value::Int(k as i128)).or_raise(py)?;
        Exchange::new(tensor.face).result(py, row).map(Some)
    }

    /// How many are left, so that a list of them has room from the start.
    fn __length_hint__(&self) -> usize {
        self.count - self.next.load(Ordering::Relaxed).min(self.count)
    }
}
