//! Functions and methods of the tables as objects; `call` runs them.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use takewise_dialects::sig::Kind;
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
}

/// The signature of a function, or of a method as its class has it, as `inspect` has it: of several ways to call it, that it takes
/// anything.
pub(crate) fn signature<'py>(py: Python<'py>, f: &Named, method: bool) -> PyResult<Bound<'py, PyAny>> {
    let inspect = py.import("inspect")?;
    let class = inspect.getattr("Parameter")?;
    let parameter = |name: &str, kind: &str, default: Option<&str>| {
        let kwargs = PyDict::new(py);
        if let Some(text) = default {
            // Words stand in the tables with quotation marks or without.
            let read = py.import("ast")?.call_method1("literal_eval", (text,));
            kwargs.set_item("default", read.unwrap_or_else(|_| PyString::new(py, text).into_any()))?;
        }
        class.call((name, class.getattr(kind)?), Some(&kwargs))
    };
    let list = PyList::empty(py);
    if let [only] = &*f.rows {
        let (mut by_name, mut optional) = (false, false);
        for (k, param) in only.parameters().iter().enumerate() {
            optional |= param.default.is_some();
            // What must be given after what may be left out can only be given by name.
            by_name |= param.keyword_only || (optional && param.default.is_none());
            let kind = match (param.kind, by_name) {
                (Kind::Rest, _) => "VAR_POSITIONAL",
                (_, true) => "KEYWORD_ONLY",
                (_, false) => "POSITIONAL_OR_KEYWORD",
            };
            by_name |= param.kind == Kind::Rest;
            let name = if method && k == 0 { "self" } else { param.name };
            list.append(parameter(name, kind, param.default.filter(|_| param.kind != Kind::Rest))?)?;
        }
    } else {
        list.append(parameter("args", "VAR_POSITIONAL", None)?)?;
        list.append(parameter("kwargs", "VAR_KEYWORD", None)?)?;
    }
    inspect.getattr("Signature")?.call1((list,))
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
