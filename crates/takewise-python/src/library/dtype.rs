//! Dtypes under a library's name: `takewise.torch.int64`.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use takewise::DType;
use takewise_dialects::Face;

/// A dtype as its library shows it. Equal to the same dtype of any library here.
#[pyclass(frozen, name = "dtype", module = "takewise._takewise")]
pub(crate) struct PyDType {
    pub(crate) dtype: DType,
    pub(crate) face: &'static Face,
}

#[pymethods]
impl PyDType {
    /// The name NumPy and PyTorch share, such as ``int64``.
    #[getter]
    fn name(&self) -> &'static str {
        self.dtype.name()
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    /// Whether elements are floating-point numbers.
    #[getter]
    fn is_floating_point(&self) -> bool {
        self.dtype.is_float()
    }

    /// Whether elements are complex numbers.
    #[getter]
    fn is_complex(&self) -> bool {
        self.dtype.is_complex()
    }

    /// Whether elements can be negative.
    #[getter]
    fn is_signed(&self) -> bool {
        !self.dtype.is_unsigned_integer() && self.dtype != DType::Bool
    }

    fn __repr__(&self) -> String {
        self.face.dtype_repr(self.dtype)
    }

    fn __str__(&self) -> String {
        self.face.dtype_display(self.dtype)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyDType>().is_ok_and(|other| other.get().dtype == self.dtype)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.dtype.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str, &'static str))> {
        let known = py.import("takewise._takewise")?.getattr("_dtype")?;
        Ok((known, (self.face.name, self.dtype.name())))
    }
}

/// The dtype of that name, for unpickling.
#[pyfunction]
#[pyo3(name = "_dtype")]
pub(crate) fn named(py: Python<'_>, library: &str, name: &str) -> PyResult<PyDType> {
    let face = super::face(py, library)?;
    let dtype = DType::from_name(name)
        .ok_or_else(|| crate::error::refuse(py, "ValueError", &format!("no dtype is called {name:?}")))?;
    Ok(PyDType { dtype, face })
}
