//! Operations gradients flow back through, as Python objects of classes that have their names.

use crate::known::Known;
use pyo3::prelude::*;
use takewise::grad::GradFn;

/// What an object of such a class holds.
#[pyclass(frozen, eq, hash, name = "GradFn", module = "takewise._takewise")]
#[derive(PartialEq)]
pub(crate) struct PyGradFn(GradFn);

impl std::hash::Hash for PyGradFn {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.id().hash(state);
    }
}

#[pymethods]
impl PyGradFn {
    /// The operation's name, with its namespace where it has one.
    fn name(&self) -> String {
        takewise_dialects::words::full_node_name(self.0.op())
    }

    /// Where gradients go from here, an object or ``None`` for every operand.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        self.0.next_functions().iter().map(|f| f.as_ref().map(|f| node(py, f)).transpose()).collect()
    }
}

/// The operation as an object.
pub(crate) fn node<'py>(py: Python<'py>, f: &GradFn) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: Known<Py<PyAny>> = Known::new();
    MAKE.import(py, "takewise._nodes", "make")?
        .call1((takewise_dialects::words::node_name(f.op()), PyGradFn(f.clone())))
}
