//! Subscripts by a library's rules, on arrays whose own brackets are another's: NumPy's arrays answer `x[key]`
//! themselves, and JAX's `x.at` is JAX's.

use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise_dialects::{Array, Value, lookup, object};

use super::call::call_value;
use super::{Exchange, OrRaise, alike, face};
use crate::border::{foreign, literal, numpy as np};
use crate::error::refuse;
use crate::known::intern;
use crate::threads::detached;

/// The array whose subscript is meant.
fn array<'py>(exchange: &mut Exchange<'py>, x: &Bound<'py, PyAny>) -> PyResult<Array> {
    match exchange.array(x)? {
        Some(array) => Ok(array),
        None => {
            let text = format!("a {} is no array", x.get_type().name()?);
            Err(refuse(x.py(), "TypeError", &text))
        }
    }
}

/// Whether a key makes views, of more than one element.
fn is_plain_view(key: &Value) -> bool {
    let part = |value: &Value| matches!(value, Value::Int(_) | Value::Slice(_) | Value::None | Value::Ellipsis);
    match key {
        Value::Tuple(items) => items.iter().all(part),
        other => part(other),
    }
}

/// ``x[key]`` as a library has it, results of its types included.
#[pyfunction]
fn getitem<'py>(
    py: Python<'py>,
    library: &str,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut exchange = Exchange::new(face(py, library)?);
    let array = array(&mut exchange, x)?;
    if np::overrides(x, intern!(py, "__getitem__"))? {
        return x.get_item(key);
    }
    // Whosever array it is, the subscript is that of the library called.
    let array = array.of_face(exchange.face());
    let key = exchange.value(key)?;
    exchange.prepare()?;
    let found = detached(py, exchange.bytes, || object::get(&array, &key)).or_raise(py)?;
    let made = exchange.result(py, found)?;
    alike::to(&exchange, made, Some(x))
}

/// ``x[key] = value`` as a library has it; on error nothing is written.
#[pyfunction]
fn setitem<'py>(
    py: Python<'py>,
    library: &str,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
) -> PyResult<()> {
    let mut exchange = Exchange::new(face(py, library)?);
    let array = array(&mut exchange, x)?;
    exchange.writes(x)?;
    if np::overrides(x, intern!(py, "__setitem__"))? {
        return x.set_item(key, value);
    }
    let dtype = array.dtype();
    let made = match dtype.is_foreign() && literal::is_plain(value) {
        true => Some(foreign::made_of(value, dtype)?),
        false => None,
    };
    let (parts, value) = (exchange.value(key)?, exchange.value(made.as_ref().unwrap_or(value))?);
    exchange.warn_of_complex(py)?;
    if is_plain_view(&parts) && np::is_subclass(x) {
        // What a view of such an array is, its class says: a matrix keeps two axes.
        let view = x.get_item(key)?;
        if np::is_subclass(&view) {
            let array = self::array(&mut exchange, &view)?;
            exchange.prepare()?;
            return detached(py, exchange.bytes, || object::set(&array, &Value::Ellipsis, &value)).or_raise(py);
        }
    }
    let key = parts;
    exchange.prepare()?;
    detached(py, exchange.bytes, || object::set(&array, &key, &value)).or_raise(py)?;
    exchange.wrote(py)
}

/// ``x.at[key].name(*args, **kwargs)`` as a library has it.
#[pyfunction]
#[pyo3(signature = (library, x, key, name, args, kwargs))]
fn update<'py>(
    py: Python<'py>,
    library: &str,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let face = face(py, library)?;
    let mut exchange = Exchange::new(face);
    let (array, key) = (array(&mut exchange, x)?, Rc::new(exchange.value(key)?));
    exchange.prepare()?;
    // The same array, so that it is looked at again with the other arguments.
    let array = array.of_face(face);
    match lookup::attribute(&Value::At(array, Some(key)), name).or_raise(py)? {
        Value::Method(receiver, f) => {
            call_value(py, exchange, &f, Some((*receiver).clone()), Some(x), args, Some(kwargs))
        }
        other => Err(refuse(py, "TypeError", &format!("a {} is not called here", other.type_name()))),
    }
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(getitem, m)?)?;
    m.add_function(wrap_pyfunction!(setitem, m)?)?;
    m.add_function(wrap_pyfunction!(update, m)?)
}
