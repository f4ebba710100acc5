//! `takewise.Tensor`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise::Tensor;

use crate::border::{Operand, dlpack, numpy, to_numpy};
use crate::error::OrRaise;

/// An N-d array in shared storage, with PyTorch's methods.
///
/// Slices and other views share memory with the tensor they come from: writes through one show in the others.
#[pyclass(frozen, name = "Tensor", module = "takewise")]
pub(crate) struct PyTensor {
    tensor: Tensor,
}

impl From<Tensor> for PyTensor {
    fn from(tensor: Tensor) -> PyTensor {
        PyTensor { tensor }
    }
}

impl PyTensor {
    /// The engine's tensor, sharing the memory.
    pub(crate) fn tensor(&self) -> Tensor {
        self.tensor.clone()
    }
}

#[pymethods]
impl PyTensor {
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<PyTensor> {
        Operand::of_any(data, None).map(|operand| PyTensor::from(operand.tensor))
    }

    /// Extents.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.tensor.shape())
    }

    /// The elements as a NumPy array over the same memory.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, &self.tensor, None)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(takewise::tensor::torch_repr(&self.tensor.read_any().or_raise(py)?.view()))
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (stream, dl_device);
        let copied = match copy {
            Some(true) => self.tensor.clone_data().or_raise(py)?,
            _ => self.tensor.clone(),
        };
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        Ok(dlpack::capsule(py, &copied, versioned)?.into_any())
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = to_numpy(py, &self.tensor, None)?;
        match (dtype, copy) {
            (Some(dtype), copy) => {
                let options = PyDict::new(py);
                options.set_item("copy", copy.unwrap_or(false))?;
                array.call_method("astype", (dtype,), Some(&options))
            }
            (None, Some(true)) => numpy::copied(&array),
            (None, _) => Ok(array),
        }
    }
}
