//! Calls that a function refuses and another module has an answer for: with arrays of Dask's, which lie in chunks elsewhere,
//! with tensors of PyTorch's that somebody keeps a record of (gradients, `torch.func`, tracing), and with arrays whose elements
//! only their own library moves.
//!
//! The functions have an entry of ours in front of their own. It costs what a call through a pointer costs, and looks at
//! arguments only when the call has failed. So other programs pay nothing for it, and neither library is imported for it.

use std::ffi::{CString, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::{held, loaded, numpy};
use crate::error::refuse;
use crate::known::{Known, intern};

/// The most functions with an entry of ours.
const MOST: usize = 48;

/// The functions with an entry of ours: those of the catalogue, which are handed on, and one whose mistakes are worded.
/// `takewise._torch._calls` has those that are handed on under the same name and with the same arguments.
fn functions() -> impl Iterator<Item = (&'static str, bool)> {
    takewise_operations::all().map(|entry| (entry.name, true)).chain([("set_num_threads", false)])
}

/// Their own entries, by the order of the names; set while the module is made, and never after.
static OWN: [AtomicPtr<c_void>; MOST] = [const { AtomicPtr::new(null_mut()) }; MOST];

/// Ours, by number.
macro_rules! entries {
    ($($number:literal)*) => { [$(enter::<$number>),*] };
}

/// Ours.
static ENTRIES: [ffi::PyCFunctionFastWithKeywords; MOST] = entries! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
    20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    40 41 42 43 44 45 46 47
};

/// Puts our entries in front of the module's functions.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    for (number, (name, _)) in functions().enumerate() {
        let own = m.getattr(name)?;
        // SAFETY: a built-in function, as all that the module defines are; it may be asked for its flags and its entry.
        let (flags, entry) =
            unsafe { (ffi::PyCFunction_GetFlags(own.as_ptr()), ffi::PyCFunction_GetFunction(own.as_ptr())) };
        let Some(entry) = entry.filter(|_| flags == ffi::METH_FASTCALL | ffi::METH_KEYWORDS) else { continue };
        OWN[number].store(entry as *mut c_void, Ordering::Release);
        let described = || own.getattr("__text_signature__")?.extract::<String>();
        let signature = takewise_operations::named(name).map_or_else(described, |entry| Ok(entry.signature()))?;
        let doc = own.getattr("__doc__")?.extract::<String>()?;
        let method = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: CString::new(name)?.into_raw(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: ENTRIES[number] },
            ml_flags: flags,
            ml_doc: CString::new(format!("{name}{signature}\n--\n\n{doc}"))?.into_raw(),
        }));
        let module = m.name()?;
        // SAFETY: the definition and its texts are never freed; the entry has the form that the flags name.
        let made = unsafe {
            let made = ffi::PyCMethod_New(method, m.as_ptr(), module.as_ptr(), null_mut());
            Bound::from_owned_ptr_or_err(m.py(), made)?
        };
        m.setattr(name, made)?;
    }
    Ok(())
}

/// The entry of the function with this number: its own, and where that fails, the module for arrays elsewhere.
///
/// # Safety
/// The interpreter calls it as it calls functions with these flags.
unsafe extern "C" fn enter<const NUMBER: usize>(
    module: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let own = OWN[NUMBER].load(Ordering::Relaxed);
    // SAFETY: `register` stored a function of this form before anybody could call this one, and the call is passed on as it
    // came.
    let result =
        unsafe { transmute::<*mut c_void, ffi::PyCFunctionFastWithKeywords>(own)(module, arguments, count, names) };
    if !result.is_null() {
        return result;
    }
    // SAFETY: passed on.
    unsafe { failed(NUMBER, arguments, count, names) }
}

/// The result of the module that is concerned; else the error stays.
///
/// # Safety
/// As for [`enter`].
#[cold]
unsafe fn failed(
    number: usize,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        let Some(error) = PyErr::take(py) else { return null_mut() };
        // SAFETY: the names are a tuple, or there are none.
        let names = unsafe { Bound::from_borrowed_ptr_or_opt(py, names) };
        let names = names.and_then(|names| names.cast_into::<PyTuple>().ok());
        let count = usize::try_from(count).unwrap_or(0);
        let all = count + names.as_ref().map_or(0, |names| names.len());
        // SAFETY: so many arguments are there, each a live object while the call runs.
        let given: Vec<_> = unsafe {
            let given = if all == 0 { &[] } else { slice::from_raw_parts(arguments, all) };
            given.iter().map(|one| Bound::from_borrowed_ptr(py, *one)).collect()
        };
        let named: Vec<_> = names.iter().flatten().zip(&given[count..]).collect();
        let (name, has_operators) = functions().nth(number).unwrap_or_default();
        let answer = handed_on(py, error, has_operators, name, &given[..count], &named);
        match answer {
            Ok(result) => result.into_ptr(),
            Err(error) => {
                worded(py, error, name, &given[..count], &named).restore(py);
                null_mut()
            }
        }
    })
}

/// The error in words that name the arguments, where it is about these.
fn worded<'py>(
    py: Python<'py>,
    error: PyErr,
    name: &str,
    positional: &[Bound<'py, PyAny>],
    named: &[(Bound<'py, PyAny>, &Bound<'py, PyAny>)],
) -> PyErr {
    static WORDED: Known<Py<PyAny>> = Known::new();
    if !error.is_instance_of::<PyTypeError>(py) && !error.is_instance_of::<PyOverflowError>(py) {
        return error;
    }
    let ask = || -> PyResult<Option<PyErr>> {
        let keywords = PyDict::new(py);
        for (name, one) in named {
            keywords.set_item(name, one)?;
        }
        let asked = WORDED.import(py, "takewise._mistakes", "worded")?;
        let said = asked.call1((name, error.value(py), PyTuple::new(py, positional)?, keywords))?;
        Ok((!said.is_none()).then(|| PyErr::from_value(said)))
    };
    // What goes wrong meanwhile is of no interest.
    ask().ok().flatten().unwrap_or(error)
}

/// The answer of the module that is concerned, to a call that failed; PyTorch has one for functions `with_operators`.
///
/// Error: what that module says, or the error given where none is concerned.
pub(crate) fn handed_on<'py>(
    py: Python<'py>,
    error: PyErr,
    with_operators: bool,
    name: &str,
    positional: &[Bound<'py, PyAny>],
    named: &[(Bound<'py, PyAny>, &Bound<'py, PyAny>)],
) -> PyResult<Bound<'py, PyAny>> {
    static CALLED: Known<Py<PyAny>> = Known::new();
    let any = |class: &Bound<'py, PyAny>| {
        positional.iter().chain(named.iter().map(|(_, one)| *one)).any(|one| concerns(one, class))
    };
    let in_chunks = class(py).is_some_and(|class| any(&class));
    let has_tensor = || with_operators && tensors(py).is_some_and(|class| any(&class));
    if !in_chunks && !has_tensor() {
        return moved(py, error, name, positional, named);
    }
    let keywords = PyDict::new(py);
    for (name, one) in named {
        keywords.set_item(name, one)?;
    }
    let arguments = PyTuple::new(py, positional)?;
    if in_chunks {
        return CALLED.import(py, "takewise.dask._called", "called")?.call1((name, arguments, keywords));
    }
    recorded(py, error, name, &arguments, &keywords).or_else(|error| moved(py, error, name, positional, named))
}

/// The answer of our operators in PyTorch, to a call that failed.
///
/// Error: what they say, or the error given where nobody keeps a record of any of the tensors.
pub(crate) fn recorded<'py>(
    py: Python<'py>,
    error: PyErr,
    name: &str,
    positional: &Bound<'py, PyTuple>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let answer = py
        .import(intern!(py, "takewise._torch"))?
        .call_method1(intern!(py, "handed_on"), (error.value(py), name, positional, keywords))?;
    if answer.is(py.NotImplemented()) { Err(error) } else { Ok(answer) }
}

/// [`recorded`] for a call that may have no tensor of PyTorch's among its arguments.
#[cold]
pub(crate) fn recorded_call<'py>(
    py: Python<'py>,
    error: PyErr,
    name: &str,
    positional: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(class) = tensors(py) else { return Err(error) };
    let named = keywords.into_iter().flat_map(|keywords| keywords.values());
    if !positional.iter().chain(named).any(|one| concerns(&one, &class)) {
        return Err(error);
    }
    match keywords {
        Some(keywords) => recorded(py, error, name, positional, keywords),
        None => recorded(py, error, name, positional, &PyDict::new(py)),
    }
}

/// The answer to a call that failed, where the library of an array moves its elements and the call only says where to.
///
/// Error: what is wrong with the call, or the error given where no such array is concerned.
fn moved<'py>(
    py: Python<'py>,
    error: PyErr,
    name: &str,
    positional: &[Bound<'py, PyAny>],
    named: &[(Bound<'py, PyAny>, &Bound<'py, PyAny>)],
) -> PyResult<Bound<'py, PyAny>> {
    static ANSWER: Known<Py<PyAny>> = Known::new();
    let concerned = |one: &Bound<'py, PyAny>| numpy::is_left_to_others(one) || held::is_column(one);
    let refused = error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py);
    if !refused || !positional.iter().chain(named.iter().map(|(_, one)| *one)).any(concerned) {
        return Err(error);
    }
    let keywords = PyDict::new(py);
    for (name, one) in named {
        keywords.set_item(name, one)?;
    }
    let answer = ANSWER.import(py, "takewise._moved", "answer")?;
    let answer = answer.call1((name, PyTuple::new(py, positional)?, keywords))?;
    if answer.is(py.NotImplemented()) { Err(error) } else { Ok(answer) }
}

/// PyTorch's class of tensors, if this process has imported it.
pub(crate) fn tensors(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    loaded(py, intern!(py, "torch"))?.getattr(intern!(py, "Tensor")).ok()
}

/// Dask's class of arrays, if this process has imported it.
fn class(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    loaded(py, intern!(py, "dask.array"))?.getattr(intern!(py, "Array")).ok()
}

/// Whether an argument is an array elsewhere, or a key that holds one.
fn concerns(object: &Bound<'_, PyAny>, class: &Bound<'_, PyAny>) -> bool {
    let is_one = |object: &Bound<'_, PyAny>| object.is_instance(class).unwrap_or(false);
    is_one(object)
        || object.cast::<PyTuple>().is_ok_and(|items| items.iter().any(|item| is_one(&item)))
        || object.cast::<PyList>().is_ok_and(|items| items.iter().any(|item| is_one(&item)))
}

/// What is said of an array of Dask's where it cannot be handed on; `None` for all other objects.
pub(crate) fn refused(object: &Bound<'_, PyAny>) -> Option<PyErr> {
    let py = object.py();
    let class = class(py)?;
    object.is_instance(&class).unwrap_or(false).then(|| {
        let text = "an array of Dask's has no memory here: takewise.dask has the functions for it, whose writes give a new \
                    array; its compute() gives one in memory";
        refuse(py, "TypeError", text)
    })
}
