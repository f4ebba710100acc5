//! The libraries' own names: every function, method, dtype and constant of the tables in `takewise-dialects`, as Python
//! objects.
//!
//! A table row says what a name is called, what it takes and what it does. Here a call's Python arguments become
//! [`Value`]s, the row runs, and its result becomes a Python object again. Nothing about any one function is said here.

mod alike;
mod call;
mod convert;
mod dtype;
mod files;
mod function;
mod kernel;
mod plain;
mod subscript;
mod theirs;
mod warns;

pub(crate) use call::{call_named, context, passed};
pub(crate) use convert::{Exchange, python, stretched};
pub(crate) use dtype::PyDType;
pub(crate) use function::{Function, Method, bound, method, signature, unbound};
pub(crate) use kernel::Kernel;
pub(crate) use theirs::Refused;

use pyo3::prelude::*;
use pyo3::types::PyList;
use takewise_dialects::lookup::{attribute, named};
use takewise_dialects::{EvalError, Face, Value, about};

use crate::error::{self, OrRaise};

/// A failed evaluation as the exception it stands for.
#[cold]
pub(crate) fn raise(py: Python<'_>, error: &EvalError) -> PyErr {
    crate::watched::refuses();
    exception_of(py, error)
}

/// [`raise`] of what was wrong with a call before it was made.
#[cold]
pub(crate) fn exception_of(py: Python<'_>, error: &EvalError) -> PyErr {
    let facts = error.facts().cloned().unwrap_or_default();
    error::exception(py, error.class(), error.text(), facts).unwrap_or_else(|failed| failed)
}

impl<T> OrRaise<T> for Result<T, EvalError> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, &error))
    }
}

/// The library of that name.
pub(crate) fn face(py: Python<'_>, name: &str) -> PyResult<&'static Face> {
    named(name).ok_or_else(|| error::refuse(py, "ValueError", &format!("no library is called {name:?}")))
}

/// The path within a library's tables as a module value.
fn module(py: Python<'_>, library: &str, path: &str) -> PyResult<Value> {
    let face = face(py, library)?;
    let inner = face.modules.iter().map(|(_, inner)| *inner).chain(nested(face)).find(|inner| *inner == path);
    let text = || format!("{library} has no part {path:?}");
    Ok(Value::Module(face, inner.ok_or_else(|| error::refuse(py, "ValueError", &text()))?))
}

/// Paths that rows imply: `add` for `add.at`, `ops` and `ops.aten` for `ops.aten.index`.
fn nested(face: &'static Face) -> impl Iterator<Item = &'static str> {
    let names = face.tables.iter().flat_map(|t| t.iter()).map(|row| row.name);
    names.flat_map(|name| name.match_indices('.').map(|(end, _)| &name[..end]))
}

/// The names a library has at a path of its tables: functions, dtypes and constants; without a path, those of its arrays:
/// methods and attributes.
#[pyfunction]
fn names<'py>(py: Python<'py>, library: &str, path: Option<&str>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, face(py, library)?.members(path))
}

/// Those of them that are ours in Python: all of a library of tensors; of one whose own functions are asked, those under which something
/// finds elements by an index, a mask or a search.
#[pyfunction]
fn own_names<'py>(py: Python<'py>, library: &str, path: &str) -> PyResult<Bound<'py, PyList>> {
    let face = face(py, library)?;
    match face.facts.objects.asks {
        Some(_) => PyList::new(py, about::finding(face, path)),
        None => PyList::new(py, face.members(Some(path))),
    }
}

/// What a library calls `name` at a path of its tables: a function, a dtype or a constant.
#[pyfunction]
fn lookup<'py>(py: Python<'py>, library: &str, path: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = attribute(&module(py, library, path)?, name).or_raise(py)?;
    python(py, &found)
}

/// Adds the functions and classes of this module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Function>()?;
    m.add_class::<Method>()?;
    m.add_class::<PyDType>()?;
    m.add_class::<Kernel>()?;
    m.add_function(wrap_pyfunction!(dtype::named, m)?)?;
    m.add_function(wrap_pyfunction!(names, m)?)?;
    m.add_function(wrap_pyfunction!(own_names, m)?)?;
    m.add_function(wrap_pyfunction!(lookup, m)?)?;
    subscript::register(m)
}
