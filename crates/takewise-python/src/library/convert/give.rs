//! Values as Python objects: an argument itself where a value is one, else an array of the library the arguments came from.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::Tensor;
use takewise_dialects::{Array, Face, Value};

use super::{Exchange, face_of};
use crate::border::{Home, made, numpy as np, to_numpy};
use crate::known::{Known, intern};
use crate::library::dtype::PyDType;
use crate::tensor::{PySparse, PyTensor, node};

impl<'py> Exchange<'py> {
    /// The value as a Python object: an argument itself where it is one, an array of the library the arguments came
    /// from where one did.
    pub(crate) fn python(&self, py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Value::Array(array) => self.give(py, array.clone()),
            Value::Tuple(items) => made::tuple(py, items.len(), |k| self.python(py, &items[k])),
            Value::Record(record, items) => {
                static MAKE: Known<Py<PyAny>> = Known::new();
                let items = items.iter().map(|item| self.python(py, item)).collect::<PyResult<Vec<_>>>()?;
                let fields = PyTuple::new(py, record.fields)?;
                MAKE.import(py, "takewise._records", "make")?.call1((record.name, fields, items))
            }
            Value::List(items) => {
                let items = items.borrow();
                made::list(py, items.len(), |k| self.python(py, &items[k]))
            }
            Value::Sparse(sparse, face) => {
                Bound::new(py, PySparse::new((**sparse).clone(), face))?.into_bound_py_any(py)
            }
            Value::GradFn(f) => node(py, f),
            // What it sets is set; `with` blocks are the package's own.
            Value::None | Value::Recording(_) => Ok(py.None().into_bound(py)),
            Value::Ellipsis => Ok(py.Ellipsis().into_bound(py)),
            Value::Bool(b) => b.into_bound_py_any(py),
            Value::Int(i) => match i64::try_from(*i) {
                Ok(small) => made::int(py, small),
                Err(_) => i.into_bound_py_any(py),
            },
            Value::Float(x) => made::float(py, *x),
            Value::Complex(re, im) => made::complex(py, *re, *im),
            Value::Str(text) => text.into_bound_py_any(py),
            Value::Size(dims) => {
                static SIZE: Known<Py<PyAny>> = Known::new();
                SIZE.import(py, "takewise._size", "Size")?.call1((PyTuple::new(py, dims.iter())?,))
            }
            Value::DType(dtype, face) if !face.facts.numpy_dtypes => {
                Bound::new(py, PyDType { dtype: *dtype, face })?.into_bound_py_any(py)
            }
            Value::DType(dtype, _) => np::descr_of(py, *dtype)?.into_bound_py_any(py),
            other => crate::library::function::object(py, other),
        }
    }

    /// [`Exchange::python`] of a result nobody else needs.
    pub(crate) fn result(&self, py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Value::Array(array) => self.give(py, array),
            other => self.python(py, &other),
        }
    }

    fn give(&self, py: Python<'py>, array: Array) -> PyResult<Bound<'py, PyAny>> {
        if let Some(seen) = self.seen.iter().find(|seen| seen.array.same(&array)) {
            // What changed about the tensor itself (`requires_grad_`) is taken over.
            if let Ok(own) = seen.object.cast::<PyTensor>() {
                own.get().settle(&array.borrow());
            }
            return Ok(seen.object.clone());
        }
        let (face, scalar) = (array.face, array.scalar);
        give_fresh(py, self.face, self.seen.iter().map(|seen| &seen.home), array.into_tensor(), face, scalar)
    }
}

/// A result of a call of `face` that is none of its arguments: an array of the library the arguments came from, where the
/// result speaks for that.
pub(in crate::library) fn give_fresh<'py, 'h>(
    py: Python<'py>,
    face: &'static Face,
    homes: impl IntoIterator<Item = &'h Home>,
    tensor: Tensor,
    speaks_for: &'static Face,
    scalar: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut homes = homes.into_iter().peekable();
    if homes.peek().is_none() {
        return own(py, tensor, speaks_for, scalar);
    }
    match Home::first_of(homes) {
        // Functions of our own give NumPy arrays of what is nobody's; other libraries' make tensors of it.
        Home::Plain if face.facts.objects.for_all && speaks_for == face => to_numpy(py, tensor, None),
        home if home.is_library() && face_of(face, home) == speaks_for => {
            let given = home.give(py, tensor)?;
            // A NumPy scalar is what an empty subscript makes of an array of rank 0.
            if scalar { given.get_item(PyTuple::empty(py)) } else { Ok(given) }
        }
        _ => own(py, tensor, speaks_for, scalar),
    }
}

/// An array of no argument's library: a tensor of ours where the library has tensors, else an array of its own.
fn own<'py>(py: Python<'py>, tensor: Tensor, face: &'static Face, scalar: bool) -> PyResult<Bound<'py, PyAny>> {
    if face.facts.tensors {
        return PyTensor::wrap(py, tensor, face, scalar);
    }
    let given = to_numpy(py, tensor, None)?;
    if scalar {
        return given.get_item(PyTuple::empty(py));
    }
    match face.facts.objects.maker {
        Some(module) => py.import(module)?.getattr(intern!(py, "asarray"))?.call1((given,)),
        None => Ok(given),
    }
}

/// A value that no call's arguments have to do with.
pub(crate) fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Exchange::new(&takewise_dialects::TORCH).python(py, value)
}
