//! What a result takes over from an argument of JAX's beside values: the weak type.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise::{DType, Scalar};
use takewise_dialects::Function;

use super::Exchange;
use crate::border::{Home, literal};
use crate::known::{Known, intern};

/// The result of a function or, with an owner, of a method: what it is like is what the library's list names.
pub(super) fn called<'py>(
    exchange: &Exchange<'py>,
    function: &Function,
    owner: Option<&Bound<'py, PyAny>>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    made: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if function.name == "where" && args.len() == 3 && function.face.facts.objects.weak_arrays {
        return chosen(exchange, made, args);
    }
    // Methods of `x.at` are called by their path.
    let last = function.name.rsplit('.').next();
    let Some((_, position)) = function.face.alike.iter().find(|(name, _)| Some(*name) == last) else {
        return Ok(made);
    };
    let named = |name: &str| kwargs.and_then(|kwargs| kwargs.get_item(name).ok().flatten());
    let model = match owner {
        Some(object) => Some(object.clone()),
        None => args.get_item(*position).ok().or_else(|| ["a", "arr", "x"].into_iter().find_map(named)),
    };
    match model {
        Some(model) => to(exchange, made, &model),
        None => Ok(made),
    }
}

/// A result that is weak if the model, an argument of the call, is a weak array.
pub(super) fn to<'py>(
    exchange: &Exchange<'py>,
    made: Bound<'py, PyAny>,
    model: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let weak = matches!(exchange.seen(model), Some((_, Home::Jax(..))) if is_weak(model));
    if weak { weakened(made) } else { Ok(made) }
}

/// What JAX's `where` chooses: weak if numbers and weak arrays decide its dtype.
fn chosen<'py>(
    exchange: &Exchange<'py>,
    made: Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut strong, mut weak) = (None, None);
    for choice in args.iter().skip(1) {
        let (kind, firm) = match exchange.seen(&choice) {
            Some((array, _)) => (Some(kind_of(array.dtype())), !is_weak(&choice)),
            None => (literal::scalar(&choice).map(kind_of_number), false),
        };
        let most = if firm { &mut strong } else { &mut weak };
        *most = (*most).max(kind);
    }
    match (strong, weak) {
        // Bools are never weak, and a complex number beside floats takes their width, which is not.
        (_, None | Some(0)) | (Some(2), Some(3)) => Ok(made),
        (strong, weak) if strong < weak => weakened(made),
        _ => Ok(made),
    }
}

/// Bools, integers, floats and complex numbers in the order in which they give way.
fn kind_of(dtype: DType) -> u8 {
    match dtype {
        DType::Bool => 0,
        d if d.is_integer() => 1,
        d if d.is_complex() => 3,
        _ => 2,
    }
}

/// [`kind_of`] of a number.
fn kind_of_number(number: Scalar) -> u8 {
    match number {
        Scalar::Bool(_) => 0,
        Scalar::Int(_) => 1,
        Scalar::Float(_) => 2,
        Scalar::Complex(..) => 3,
    }
}

/// Whether an array of JAX's has the dtype of a Python number, which gives way to any other.
fn is_weak(object: &Bound<'_, PyAny>) -> bool {
    object.getattr(intern!(object.py(), "weak_type")).is_ok_and(|weak| weak.is_truthy().unwrap_or(false))
}

/// The array with a weak type.
fn weakened<'py>(made: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static WEAK: Known<Py<PyAny>> = Known::new();
    WEAK.import(made.py(), "takewise._records", "weak")?.call1((made,))
}
