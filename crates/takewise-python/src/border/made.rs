//! Python's numbers, lists and tuples, made one by one until there is no memory left: an error then, where PyO3 panics.

use pyo3::ffi;
use pyo3::prelude::*;

/// An object just made, or what was raised instead.
///
/// # Safety
/// A new reference, or null with an error set.
#[inline]
unsafe fn made<'py>(py: Python<'py>, raw: *mut ffi::PyObject) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller's promise.
    unsafe { Bound::from_owned_ptr_or_err(py, raw) }
}

/// An integer.
#[inline]
pub(crate) fn int(py: Python<'_>, value: i64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: any number may be given.
    unsafe { made(py, ffi::PyLong_FromLongLong(value)) }
}

/// A float.
#[inline]
pub(crate) fn float(py: Python<'_>, value: f64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: any number may be given.
    unsafe { made(py, ffi::PyFloat_FromDouble(value)) }
}

/// A complex number.
#[inline]
pub(crate) fn complex(py: Python<'_>, re: f64, im: f64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: any numbers may be given.
    unsafe { made(py, ffi::PyComplex_FromDoubles(re, im)) }
}

type Make = unsafe extern "C" fn(isize) -> *mut ffi::PyObject;
type Put = unsafe extern "C" fn(*mut ffi::PyObject, isize, *mut ffi::PyObject) -> i32;

/// A list of so many items, each made in turn.
pub(crate) fn list<'py>(
    py: Python<'py>,
    count: usize,
    item: impl FnMut(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: what makes lists and fills them.
    unsafe { filled(py, count, item, ffi::PyList_New, ffi::PyList_SetItem) }
}

/// A tuple of so many items, each made in turn.
pub(crate) fn tuple<'py>(
    py: Python<'py>,
    count: usize,
    item: impl FnMut(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: what makes tuples and fills them.
    unsafe { filled(py, count, item, ffi::PyTuple_New, ffi::PyTuple_SetItem) }
}

/// # Safety
/// `make` makes a sequence of so many places, which `put` fills, taking the item over.
unsafe fn filled<'py>(
    py: Python<'py>,
    count: usize,
    mut item: impl FnMut(usize) -> PyResult<Bound<'py, PyAny>>,
    make: Make,
    put: Put,
) -> PyResult<Bound<'py, PyAny>> {
    // No length is negative; what is beyond every length is refused for its size.
    let length = isize::try_from(count).unwrap_or(isize::MAX);
    // SAFETY: the caller's promise.
    let sequence = unsafe { made(py, make(length)) }?;
    for k in 0..count {
        let item = item(k)?;
        // SAFETY: a place of the sequence, which nobody else has filled.
        if unsafe { put(sequence.as_ptr(), k as isize, item.into_ptr()) } != 0 {
            return Err(PyErr::fetch(py));
        }
    }
    Ok(sequence)
}
