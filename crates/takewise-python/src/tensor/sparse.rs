//! Sparse gradients as Python objects.

use std::rc::Rc;

use pyo3::prelude::*;
use takewise::grad::SparseCoo;
use takewise_dialects::sig::Arguments;
use takewise_dialects::{Face, Value, lookup, object};

use crate::error;
use crate::error::OrRaise;
use crate::library;

/// A sparse array in coordinate format: the gradient of an operation that was asked for one.
#[pyclass(frozen, name = "SparseTensor", module = "takewise")]
pub(crate) struct PySparse {
    sparse: SparseCoo,
    face: &'static Face,
}

impl PySparse {
    pub(crate) fn new(sparse: SparseCoo, face: &'static Face) -> PySparse {
        PySparse { sparse, face }
    }

    /// The array as the engine's names take it.
    pub(crate) fn value(&self) -> Value {
        Value::Sparse(Rc::new(self.sparse.clone()), self.face)
    }

    /// An attribute, or what a method without arguments gives.
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = match lookup::attribute(&self.value(), name).or_raise(py)? {
            method @ Value::Method(..) => {
                object::call(&method, &Arguments::default(), &library::context()).or_raise(py)?
            }
            plain => plain,
        };
        library::python(py, &found)
    }
}

#[pymethods]
impl PySparse {
    /// The same array with sorted coordinates that occur once.
    fn coalesce<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "coalesce")
    }

    /// Whether coordinates are sorted and occur once.
    fn is_coalesced<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "is_coalesced")
    }

    /// The array with all its zeros.
    fn to_dense<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "to_dense")
    }

    /// The coordinates of a coalesced array: int64 of shape (leading axes, nnz).
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "indices")
    }

    /// The values of a coalesced array.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "values")
    }

    fn _indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "_indices")
    }

    fn _values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "_values")
    }

    fn _nnz<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "_nnz")
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "shape")
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "dtype")
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.sparse.shape().len()
    }

    #[getter]
    fn is_sparse(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        takewise_dialects::print::torch_coo_repr(&self.sparse).map_err(|busy| error::raise(py, &busy))
    }
}
