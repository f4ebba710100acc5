//! Functions and methods of the tables as objects; `call` runs them.

use pyo3::prelude::*;
use takewise_dialects::{Function as Named, Value};

use crate::error::refuse;

// A function of a library. (A documentation comment would become the class's and hide the function's own.)
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Function(pub(crate) Named);

// A method of an array; as above.
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Method {
    pub(super) receiver: Py<PyAny>,
    pub(crate) function: Py<Function>,
}

impl Function {
    pub(crate) fn new(f: &Named) -> Function {
        Function(f.clone())
    }

    /// The signatures, one a line.
    pub(super) fn signatures(&self) -> String {
        let lines = self.0.rows.iter().map(|row| format!("{}({})", self.0.name, row.params));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A method of this very object.
pub(crate) fn method<'py>(receiver: &Bound<'py, PyAny>, f: &Named) -> PyResult<Bound<'py, PyAny>> {
    let py = receiver.py();
    bound(receiver, unbound(py, f)?)
}

/// A function of a table as an object.
pub(crate) fn unbound(py: Python<'_>, f: &Named) -> PyResult<Py<Function>> {
    Py::new(py, Function::new(f))
}

/// [`method`] of a function that is an object already.
pub(crate) fn bound<'py>(receiver: &Bound<'py, PyAny>, function: Py<Function>) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(receiver.py(), Method { receiver: receiver.clone().unbind(), function })?.into_any())
}

/// What is callable or a namespace.
pub(super) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Function(f) => Ok(Bound::new(py, Function::new(f))?.into_any()),
        Value::Module(face, path) => py.import("takewise._modules")?.call_method1("namespace", (face.name, *path)),
        other => {
            let text = format!("a {} has no Python object", other.type_name());
            Err(refuse(py, "NotImplementedError", &text))
        }
    }
}
