//! Methods and attributes as the class has them: ``Tensor.gather`` is what ``x.gather`` binds.
//!
//! They are found by name in the table of the library when they are asked for; making them costs little, so that a program that asks
//! for none starts as fast.

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use takewise_dialects::{Face, about};

use super::class::PyTensor;
use super::members;
use crate::library::{self, Function};

// A method or an attribute of a class of tensors. (A documentation comment would become the class's and hide the method's own.)
#[pyclass(frozen, module = "takewise._takewise", name = "Member")]
pub(crate) struct Descriptor {
    face: &'static Face,
    name: Py<PyString>,
    class: Py<PyType>,
}

impl Descriptor {
    /// The function that a method is; `None` for an attribute.
    pub(crate) fn function<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Function>>> {
        let found = members::table(py, self.face)?.get_item(self.name.bind(py))?;
        Ok(found.and_then(|found| found.cast_into::<Function>().ok()))
    }

    fn missing(&self, py: Python<'_>, class: &str) -> PyErr {
        PyAttributeError::new_err(format!("type object '{class}' has no attribute '{}'", self.name.bind(py)))
    }
}

#[pymethods]
impl Descriptor {
    /// Bound to a tensor, which is of this class or one derived from it; a library that has no such name has no such attribute.
    fn __get__<'py>(
        this: &Bound<'py, Self>,
        instance: Option<&Bound<'py, PyAny>>,
        owner: &Bound<'py, PyType>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (this.py(), this.get());
        let name = own.name.bind(py);
        let Some(tensor) = instance else {
            let face = members::face_of(owner)?;
            let has = face == own.face || members::table(py, face)?.contains(name)?;
            return if has { Ok(this.clone().into_any()) } else { Err(own.missing(py, face.tensor_type)) };
        };
        let tensor = tensor.cast::<PyTensor>()?;
        let face = tensor.get().face;
        match members::table(py, face)?.get_item(name)? {
            None => Err(own.missing(py, face.tensor_type)),
            Some(found) => match found.cast_into::<Function>() {
                Ok(function) => library::bound(tensor.as_any(), function.unbind()),
                Err(_) => PyTensor::__getattr__(tensor, name.to_str()?),
            },
        }
    }

    /// ``Tensor.gather(x, ...)``.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = self.name.bind(py);
        let (Some(function), false) = (self.function(py)?, args.is_empty()) else {
            return Err(PyTypeError::new_err(format!("unbound method Tensor.{name}() needs a tensor")));
        };
        library::bound(&args.get_item(0)?, function.unbind())?.call(args.get_slice(1, args.len()), kwargs)
    }

    #[getter]
    fn __name__(&self, py: Python<'_>) -> Py<PyString> {
        self.name.clone_ref(py)
    }

    #[getter]
    fn __qualname__(&self, py: Python<'_>) -> String {
        format!("Tensor.{}", self.name.bind(py))
    }

    #[getter]
    fn __objclass__(&self, py: Python<'_>) -> Py<PyType> {
        self.class.clone_ref(py)
    }

    #[getter]
    fn __doc__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.function(py)?.map(|function| about::docstring(&function.get().0, false)))
    }

    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.function(py)? {
            Some(function) => library::signature(py, &function.get().0, true),
            None => Err(PyAttributeError::new_err("an attribute has no signature")),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let kind = if self.function(py)?.is_some() { "method" } else { "attribute" };
        Ok(format!("<{kind} '{}' of '{}' objects>", self.name.bind(py), self.face.tensor_type))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Py<PyType>, Py<PyString>))> {
        let getattr = py.import("builtins")?.getattr("getattr")?;
        Ok((getattr, (self.class.clone_ref(py), self.name.clone_ref(py))))
    }
}

/// Gives a class every name of its library's tensors that it does not define itself.
pub(super) fn describe(class: &Bound<'_, PyType>, face: &'static Face) -> PyResult<()> {
    let py = class.py();
    for name in face.members(None) {
        let name = PyString::intern(py, &name);
        if defined(class, &name)?.is_none_or(|found| found.is_instance_of::<Descriptor>()) {
            let described = Descriptor { face, name: name.clone().unbind(), class: class.clone().unbind() };
            class.setattr(&name, Bound::new(py, described)?)?;
        }
    }
    Ok(())
}

/// What a class or one that it is derived from defines under a name, as it lies there.
fn defined<'py>(class: &Bound<'py, PyType>, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for base in class.mro() {
        let names = base.getattr("__dict__")?;
        if names.contains(name)? {
            return names.get_item(name).map(Some);
        }
    }
    Ok(None)
}
