//! Subscripts by a library's rules, on arrays whose own brackets are another's: NumPy's arrays answer `x[key]`
//! themselves, and JAX's `x.at` is JAX's.

use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise_dialects::{Array, Value, lookup, object};

use super::call::call_value;
use super::theirs::Refused;
use super::{Exchange, alike, face};
use crate::border::{foreign, literal, numpy as np};
use crate::error::{OrRaise, refuse};
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

/// ``x[key]`` as a library has it, results of its types included.
#[pyfunction]
fn getitem<'py>(
    py: Python<'py>,
    library: &str,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if np::is_subclass(x) {
        return x.get_item(key);
    }
    let face = face(py, library)?;
    let theirs = || match face.facts.objects.asks {
        Some("numpy") => np::asarray(x)?.get_item(key).map(Some),
        // The array's own brackets: as another library's array it would be read by other rules.
        _ => x.hasattr("dtype")?.then(|| x.get_item(key)).transpose(),
    };
    read(Exchange::new(face), x, key).or_else(|refused| refused.or_theirs(py, theirs))
}

/// [`getitem`] of what is ours.
fn read<'py>(
    mut exchange: Exchange<'py>,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Refused> {
    let py = x.py();
    // Whosever array it is, the subscript is that of the library called.
    let array = array(&mut exchange, x)?.of_face(exchange.face());
    let key = exchange.value(key)?;
    exchange.prepare()?;
    let found = detached(py, exchange.bytes, || object::get(&array, &key)).map_err(|error| Refused::of(py, &error))?;
    let made = exchange.result(py, found)?;
    Ok(alike::to(&exchange, made, x)?)
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
    let refused = match np::is_subclass(x) {
        true => return x.set_item(key, value),
        false => write(Exchange::new(face(py, library)?), x, key, value),
    };
    let Err(refused) = refused else { return Ok(()) };
    // What is no array of NumPy's has brackets of its own.
    let theirs = || np::is_array(x).then(|| x.set_item(key, value).map(|()| x.clone())).transpose();
    refused.or_theirs(py, theirs).map(drop)
}

/// [`setitem`] of what is ours.
fn write<'py>(
    mut exchange: Exchange<'py>,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    value: &Bound<'py, PyAny>,
) -> Result<(), Refused> {
    let py = x.py();
    let array = array(&mut exchange, x)?;
    exchange.writes(x)?;
    let dtype = array.dtype();
    let made = match dtype.is_foreign() && literal::is_plain(value) {
        true => Some(foreign::made_of(value, dtype)?),
        false => None,
    };
    let (key, value) = (exchange.value(key)?, exchange.value(made.as_ref().unwrap_or(value))?);
    exchange.warn_of_complex(py)?;
    exchange.prepare()?;
    detached(py, exchange.bytes, || object::set(&array, &key, &value)).map_err(|error| Refused::of(py, &error))?;
    Ok(exchange.wrote(py)?)
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
    updated(Exchange::new(face(py, library)?), x, key, name, args, kwargs).or_else(|refused| {
        refused.or_theirs(py, || {
            let Some(at) = x.getattr_opt(intern!(py, "at"))? else { return Ok(None) };
            at.get_item(key)?.call_method(name, args, Some(kwargs)).map(Some)
        })
    })
}

/// [`update`] of what is ours.
fn updated<'py>(
    mut exchange: Exchange<'py>,
    x: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> Result<Bound<'py, PyAny>, Refused> {
    let py = x.py();
    let (array, key) = (array(&mut exchange, x)?, Rc::new(exchange.value(key)?));
    exchange.prepare()?;
    // The same array, so that it is looked at again with the other arguments.
    let array = array.of_face(exchange.face());
    match lookup::attribute(&Value::At(array, Some(key)), name).or_raise(py)? {
        Value::Method(receiver, f) => {
            call_value(py, exchange, &f, Some((*receiver).clone()), Some(x), args, Some(kwargs))
        }
        other => Err(refuse(py, "TypeError", &format!("a {} is not called here", other.type_name())).into()),
    }
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(getitem, m)?)?;
    m.add_function(wrap_pyfunction!(setitem, m)?)?;
    m.add_function(wrap_pyfunction!(update, m)?)
}
