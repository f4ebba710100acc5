//! The methods and attributes of each library's tensors by name, looked up in the tables once.

#![allow(unsafe_code)]

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{PyTypeInfo, ffi};
use takewise::{DType, Tensor};
use takewise_dialects::facts::TensorClass;
use takewise_dialects::{Array, Face, MINDSPORE, NEUTRAL, TORCH, Value, lookup};

use super::class::{MindSporeTensor, PyTensor, TorchTensor};
use crate::error::OrRaise;
use crate::known::Known;
use crate::library::{self, Function};

/// What a name of the table is.
pub(super) enum Member {
    /// A method, as the function it binds.
    Method(Py<Function>),
    /// Anything read from the tensor at once.
    Attribute,
}

/// The table's member of that name; `None` where the class itself has to be asked: for what is no member, and always
/// for classes derived in Python, which may define it anew.
pub(super) fn find(tensor: &Bound<'_, PyTensor>, name: &Bound<'_, PyString>) -> PyResult<Option<Member>> {
    let py = tensor.py();
    let class = tensor.get_type_ptr();
    let ours = [PyTensor::type_object_raw(py), TorchTensor::type_object_raw(py), MindSporeTensor::type_object_raw(py)];
    if !ours.contains(&class) {
        return Ok(None);
    }
    let Some(found) = table(py, tensor.get().face)?.get_item(name)? else { return Ok(None) };
    Ok(Some(match found.cast_into::<Function>() {
        Ok(function) => Member::Method(function.unbind()),
        Err(_) => Member::Attribute,
    }))
}

/// What Python's own lookup finds.
pub(super) fn own<'py>(tensor: &Bound<'py, PyTensor>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: two live objects, of which the second is a string; the result is a new reference or null with an error.
    unsafe { Bound::from_owned_ptr_or_err(tensor.py(), ffi::PyObject_GenericGetAttr(tensor.as_ptr(), name.as_ptr())) }
}

/// The library of a class of tensors, or of one derived from it.
pub(super) fn face_of(class: &Bound<'_, PyType>) -> PyResult<&'static Face> {
    let py = class.py();
    Ok(match () {
        () if class.is_subclass(&py.get_type::<TorchTensor>())? => &TORCH,
        () if class.is_subclass(&py.get_type::<MindSporeTensor>())? => &MINDSPORE,
        () => &NEUTRAL,
    })
}

/// Names of the library to functions, or `None` for attributes.
pub(super) fn table<'py>(py: Python<'py>, face: &'static Face) -> PyResult<&'py Bound<'py, PyDict>> {
    static PLAIN: Known<Py<PyDict>> = Known::new();
    static TORCH: Known<Py<PyDict>> = Known::new();
    static MINDSPORE: Known<Py<PyDict>> = Known::new();
    let known = match face.facts.objects.class {
        TensorClass::Plain => &PLAIN,
        TensorClass::Torch => &TORCH,
        TensorClass::MindSpore => &MINDSPORE,
    };
    Ok(known.get_or_try_init(py, || fill(py, face))?.bind(py))
}

fn fill(py: Python<'_>, face: &'static Face) -> PyResult<Py<PyDict>> {
    let made = PyDict::new(py);
    let example = Array::new(Tensor::zeros(&[], DType::F32).or_raise(py)?, face);
    for name in face.members(None) {
        match lookup::attribute(&Value::Array(example.clone()), &name) {
            Ok(Value::Method(_, function)) => made.set_item(name, library::unbound(py, &function)?)?,
            _ => made.set_item(name, py.None())?,
        }
    }
    Ok(made.unbind())
}
