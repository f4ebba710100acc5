//! `takewise.Tensor` and its kin: one class for each library whose tensors we make ourselves.
//!
//! Subscripts, operators and iteration are here; methods and attributes come from the library's table by name.

mod arithmetic;
mod class;
mod descriptor;
mod differentiate;
mod exchange;
mod members;
mod node;
mod operators;
mod rows;
mod sparse;

use std::sync::Mutex;

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use takewise_dialects::{Face, Value, lookup, object};

pub(crate) use class::PyTensor;
pub(crate) use descriptor::Descriptor;
pub(crate) use node::node;
pub(crate) use sparse::PySparse;

use crate::error::{OrRaise, refuse};
use crate::library::{self, Exchange};
use class::{MindSporeTensor, TorchTensor};
use members::Member;

impl PyTensor {
    /// ``self.name = value``.
    fn assign(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, array) = (value.py(), self.array());
        let value = Exchange::new(self.face).value(value)?;
        if let Value::Array(kept) = &value {
            kept.replace(kept.tensor().settled());
        }
        object::set_attribute(&Value::Array(array.clone()), name, &value).or_raise(py)?;
        self.settle(&array.borrow());
        Ok(())
    }

    /// What the library's constructor makes of the arguments.
    fn make(
        py: Python<'_>,
        face: &'static Face,
        constructor: &str,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyTensor> {
        let made = library::call_named(py, face, constructor, args, kwargs)?;
        let made = made.cast::<PyTensor>()?.get();
        Ok(PyTensor { tensor: Mutex::new(made.tensor()), face, scalar: made.scalar })
    }
}

#[pymethods]
impl PyTensor {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(py: Python<'_>, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<PyTensor> {
        PyTensor::make(py, &takewise_dialects::NEUTRAL, "tensor", args, kwargs)
    }

    fn __repr__(&self) -> String {
        self.face.repr(&self.array())
    }

    fn __str__(&self) -> String {
        self.face.display(&self.array())
    }

    /// Methods of the library's table without first failing to find them in the class.
    fn __getattribute__<'py>(this: &Bound<'py, Self>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        match members::find(this, name)? {
            Some(Member::Method(function)) => library::bound(this.as_any(), function),
            Some(Member::Attribute) => PyTensor::__getattr__(this, name.to_str()?),
            None => members::own(this, name),
        }
    }

    /// Methods and attributes of the library's table.
    fn __getattr__<'py>(this: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        // Python and NumPy ask for protocols by such names all the time; no table has any.
        if name.starts_with("__") {
            let text = format!("'{}' object has no attribute '{name}'", this.get().face.tensor_type);
            return Err(PyAttributeError::new_err(text));
        }
        let array = this.get().array();
        match lookup::attribute(&Value::Array(array), name).or_raise(py)? {
            Value::Method(_, function) => library::method(this.as_any(), &function),
            value => Exchange::new(this.get().face).python(py, &value),
        }
    }

    /// The gradient collected so far in this leaf, or ``None``.
    #[getter]
    fn grad<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = lookup::attribute(&Value::Array(self.array()), "grad").or_raise(py)?;
        library::python(py, &found)
    }

    #[setter]
    fn set_grad(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.assign("grad", value)
    }

    /// Whether gradients flow back through this tensor.
    #[getter]
    fn requires_grad<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = lookup::attribute(&Value::Array(self.array()), "requires_grad").or_raise(py)?;
        library::python(py, &found)
    }

    #[setter]
    fn set_requires_grad(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.assign("requires_grad", value)
    }

    /// Not to be had: the way back runs no code of its caller's.
    fn register_hook(&self, py: Python<'_>, hook: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = hook;
        let text = "register_hook(): the way back runs no code of its caller's; take the gradient with autograd.grad or \
                    retain_grad() and change it there";
        Err(refuse(py, "NotImplementedError", text))
    }

    fn __dir__(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let own = py.get_type::<PyTensor>().dir()?;
        let mut names: Vec<String> = own.iter().map(|name| name.extract()).collect::<PyResult<_>>()?;
        // The plain class, which others are derived from, has names that not every library has.
        let of_base = takewise_dialects::NEUTRAL.members(None);
        names.retain(|name| !of_base.contains(name));
        names.extend(self.face.members(None));
        names.sort();
        names.dedup();
        Ok(names)
    }
}

/// The constructors of the libraries' own classes.
macro_rules! constructors {
    ($($class:ident = $face:ident;)*) => {$(
        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (*args, **kwargs))]
            fn new(
                py: Python<'_>,
                args: &Bound<'_, PyTuple>,
                kwargs: Option<&Bound<'_, PyDict>>,
            ) -> PyResult<PyClassInitializer<$class>> {
                let made = PyTensor::make(py, &takewise_dialects::$face, "Tensor", args, kwargs)?;
                Ok(PyClassInitializer::from(made).add_subclass($class))
            }
        }
    )*};
}

constructors! {
    TorchTensor = TORCH;
    MindSporeTensor = MINDSPORE;
}

/// Adds the classes to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyTensor>()?;
    m.add("TorchTensor", m.py().get_type::<TorchTensor>())?;
    m.add("MindSporeTensor", m.py().get_type::<MindSporeTensor>())?;
    m.add_class::<Descriptor>()?;
    descriptor::describe(&m.py().get_type::<PyTensor>(), &takewise_dialects::NEUTRAL)?;
    descriptor::describe(&m.py().get_type::<TorchTensor>(), &takewise_dialects::TORCH)?;
    descriptor::describe(&m.py().get_type::<MindSporeTensor>(), &takewise_dialects::MINDSPORE)?;
    m.add_class::<PySparse>()?;
    // Made now: it has no name in the module, and classes made at first use are waited for.
    m.py().get_type::<rows::Rows>();
    m.add_class::<node::PyGradFn>()?;
    differentiate::register(m)?;
    exchange::register(m)
}
