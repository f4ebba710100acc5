//! Engine errors as Python exceptions: the dialect's class, with what went wrong as attributes.

use crate::known::Known;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise::{Error, Fault};
use takewise_dialects::Facts;

/// The classes of `takewise.exceptions`, subclasses of the built-in ones.
static CLASSES: Known<Py<PyDict>> = Known::new();

/// The exception class of that name, `takewise`'s own if it has one.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let classes = CLASSES.get_or_try_init(py, || {
        let module = py.import("takewise.exceptions")?;
        PyResult::Ok(module.getattr("CLASSES")?.cast_into::<PyDict>()?.unbind())
    })?;
    match classes.bind(py).get_item(name)? {
        Some(class) => Ok(class),
        None => py.import("builtins")?.getattr(name),
    }
}

/// An exception of a named class with the four attributes; `None` where they do not apply.
pub(crate) fn exception(py: Python<'_>, name: &str, text: &str, facts: Facts) -> PyResult<PyErr> {
    crate::used::forget();
    let value = match name {
        "AxisError" => py.import("takewise.exceptions")?.call_method1("_axis_error", (text,))?,
        _ => class(py, name)?.call1((text,))?,
    };
    let position = facts.position.map(|p| PyTuple::new(py, p)).transpose()?;
    value.setattr("axis", facts.axis)?;
    value.setattr("position", position)?;
    value.setattr("value", facts.value)?;
    value.setattr("size", facts.size)?;
    Ok(PyErr::from_value(value))
}

/// What a failed engine call raises.
#[cold]
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    crate::watched::refuses();
    // What the tape says is said in PyTorch's words.
    let worded;
    let error = match error.fault() {
        fault @ Fault::Gradient { .. } => {
            worded = Error::new(takewise_dialects::words::torch, fault.clone());
            &worded
        }
        _ => error,
    };
    // NumPy has a class of its own for axis numbers, a subclass of the one the engine names.
    let axis = matches!(error.fault(), Fault::Dim { .. }) && error.class() == takewise::Class::IndexError;
    let name = if axis { "AxisError" } else { error.class().name() };
    exception(py, name, &error.to_string(), Facts::of(error)).unwrap_or_else(|failed| failed)
}

/// A result of the engine or of the notation, raised if it is an error.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for takewise::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, &error))
    }
}

/// The attribute of an error after which no library is asked: not all of them find back out of lists that hold themselves, or look
/// whether there is memory.
pub(crate) const FINAL: &str = "_final";

/// An exception of ours outside the engine: an argument it never gets to see.
#[cold]
pub(crate) fn refuse(py: Python<'_>, name: &str, text: &str) -> PyErr {
    exception(py, name, text, Facts::default()).unwrap_or_else(|failed| failed)
}
