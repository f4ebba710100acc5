//! What `_explain.py` asks of functions, methods and arrays.

use pyo3::prelude::*;
use takewise_dialects::{Array, Function as Named, NEUTRAL, TORCH, Value, lookup};

use crate::border::{Home, Operand};
use crate::error::{OrRaise, refuse};
use crate::library::{self, Function, Method, face};
use crate::tensor::{Descriptor, PyTensor};

/// The library of a function or method, its path there, and the parameters that so many arguments given by position are for (a
/// method's receiver is the first).
#[pyfunction]
pub(super) fn _described(
    function: &Bound<'_, PyAny>,
    count: usize,
    keywords: Vec<String>,
) -> PyResult<(&'static str, String, Vec<String>)> {
    let f = match function.cast::<Function>() {
        Ok(f) => f.get().0.clone(),
        Err(_) => function.cast::<Method>()?.get().function.get().0.clone(),
    };
    let path = match f.name.ends_with('_') {
        true => f.name,
        false => f.rows.first().map_or(f.name, |row| row.name),
    };
    Ok((f.face.name, path.to_owned(), parameters(&f, count, &keywords)))
}

/// The names by the first row that has so many parameters, and those given by name.
fn parameters(f: &Named, count: usize, keywords: &[String]) -> Vec<String> {
    let names = |row: usize| (0..).map_while(move |k| f.rows.get(row)?.parameter(k)).collect::<Vec<_>>();
    let rows: Vec<_> = (0..f.rows.len()).map(names).collect();
    let fits = |row: &&Vec<&str>| row.len() >= count && keywords.iter().all(|name| row.contains(&&**name));
    let row = rows.iter().find(fits).or(rows.first()).map_or(&[][..], |row| row);
    (0..count)
        .map(|k| match (row.get(k), row.last()) {
            (Some(name), _) => (*name).to_owned(),
            // The last parameter takes all that is left.
            (None, Some(last)) => format!("{last}[{}]", k + 1 - row.len()),
            (None, None) => format!("argument {}", k + 1),
        })
        .collect()
}

/// A function of a library's table or, as it is called on any array, a method; ``None`` where there is none.
#[pyfunction]
pub(super) fn _table<'py>(
    py: Python<'py>,
    library: &str,
    name: &str,
    method: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let face = face(py, library)?;
    if method {
        return found(py, face, name)?.map(|f| Ok(library::unbound(py, &f)?.into_bound(py).into_any())).transpose();
    }
    match lookup::attribute(&Value::Module(face, ""), name) {
        Ok(Value::Function(f)) => Ok(Some(library::unbound(py, &f)?.into_bound(py).into_any())),
        _ => Ok(None),
    }
}

/// The method of that name of a library's arrays.
fn found(py: Python<'_>, face: &'static takewise_dialects::Face, name: &str) -> PyResult<Option<Named>> {
    let any = takewise::Tensor::zeroed(&[], takewise::DType::F32).or_raise(py)?;
    match lookup::attribute(&Value::Array(Array::new(any, face)), name) {
        Ok(Value::Method(_, f)) => Ok(Some(f)),
        _ => Ok(None),
    }
}

/// The function that a method is of, bound or of its class; ``None`` for an attribute of a class.
#[pyfunction]
pub(super) fn _function<'py>(method: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Function>>> {
    match method.cast::<Descriptor>() {
        Ok(of_class) => of_class.get().function(method.py()),
        Err(_) => Ok(Some(method.cast::<Method>()?.get().function.bind(method.py()).clone())),
    }
}

/// The library whose subscript an array has.
#[pyfunction]
pub(super) fn _home(x: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    home(x)
}

/// The name of the library that an array is of. Error (`TypeError`) if it is no array.
pub(super) fn home(x: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    if let Ok(own) = x.cast::<PyTensor>() {
        return Ok(own.get().array().face.name);
    }
    let torch = Operand::of_kernel(x)?.is_some();
    if torch {
        return Ok(TORCH.name);
    }
    Ok(match Operand::of(x)?.map(|operand| operand.home) {
        Some(Home::NumPy(..) | Home::Held(_)) => takewise_dialects::NUMPY.name,
        Some(Home::Jax(..)) => takewise_dialects::JAX.name,
        Some(_) => NEUTRAL.name,
        None => {
            let text = format!("a {} is no array", x.get_type().name()?);
            return Err(refuse(x.py(), "TypeError", &text));
        }
    })
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_described, m)?)?;
    m.add_function(wrap_pyfunction!(_table, m)?)?;
    m.add_function(wrap_pyfunction!(_function, m)?)?;
    m.add_function(wrap_pyfunction!(_home, m)?)
}
