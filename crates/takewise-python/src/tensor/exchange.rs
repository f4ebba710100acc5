//! A tensor's ways out: NumPy, DLPack, pickles; and in, without a copy.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use takewise::{DType, Tensor};

use super::PyTensor;
use crate::border::{Home, Operand, dlpack, numpy, to_numpy};
use crate::error::{OrRaise, refuse};
use crate::library;

#[pymethods]
impl PyTensor {
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if stream.is_some_and(|stream| !stream.is_none()) {
            return Err(refuse(py, "ValueError", "main memory has no streams: stream must be None"));
        }
        if dl_device.is_some_and(|device| device != (1, 0)) {
            return Err(pyo3::exceptions::PyBufferError::new_err("the memory cannot be lent on another device"));
        }
        let tensor = self.tensor();
        let lent = if copy == Some(true) { tensor.clone_data().or_raise(py)? } else { tensor };
        let versioned = max_version.is_some_and(|(major, _)| major >= 1);
        Ok(dlpack::capsule(py, &lent, versioned)?.into_any())
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
        let array = to_numpy(py, self.tensor(), None)?;
        match (dtype.filter(|dtype| !dtype.is_none()), copy) {
            (Some(dtype), copy) => {
                let options = PyDict::new(py);
                options.set_item("copy", copy.unwrap_or(false))?;
                let cast = array.call_method("astype", (dtype,), Some(&options))?;
                if copy == Some(false) && !cast.is(&array) {
                    return Err(refuse(py, "ValueError", "another dtype needs a copy, and copy=False forbids one"));
                }
                Ok(cast)
            }
            (None, Some(true)) => numpy::copied(&array),
            (None, _) => Ok(array),
        }
    }

    /// Pickles carry the elements, in row-major order.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = this.py();
        let me = this.get();
        let packed = me.tensor().clone_data().or_raise(py)?.contiguous().or_raise(py)?;
        let bytes = tensor_bytes(py, &packed)?;
        let rebuild = py.import("takewise._takewise")?.getattr("_rebuild")?;
        let dtype = match packed.dtype() {
            DType::Opaque { size, .. } => match takewise::foreign::full_name(packed.dtype()) {
                Some(name) => format!("V{size} {name}"),
                None => format!("V{size} {}", packed.dtype().name()),
            },
            known => known.name().to_owned(),
        };
        let shape = PyTuple::new(py, packed.shape())?;
        let arguments = (me.face.name, dtype, shape, me.scalar, bytes).into_pyobject(py)?;
        Ok((rebuild, arguments))
    }

    fn __copy__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let me = this.get();
        PyTensor::wrap(this.py(), me.tensor(), me.face, me.scalar).map(Bound::unbind)
    }

    fn __deepcopy__(this: &Bound<'_, Self>, memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let _ = memo;
        let py = this.py();
        let me = this.get();
        let copy = me.tensor().clone_data().or_raise(py)?;
        PyTensor::wrap(py, copy, me.face, me.scalar).map(Bound::unbind)
    }

    /// The address of the first element.
    fn data_ptr(&self) -> usize {
        self.lock().data_ptr() as usize
    }
}

/// The elements of a row-major tensor as bytes.
fn tensor_bytes<'py>(py: Python<'py>, packed: &Tensor) -> PyResult<Bound<'py, PyBytes>> {
    let flat = to_numpy(py, packed.clone(), None)?;
    Ok(flat.call_method0("tobytes")?.cast_into()?)
}

/// The tensor of a pickle.
#[pyfunction]
#[pyo3(name = "_rebuild")]
fn rebuild<'py>(
    py: Python<'py>,
    library: &str,
    dtype: &str,
    shape: Vec<usize>,
    scalar: bool,
    bytes: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyAny>> {
    let face = library::face(py, library)?;
    let opaque = || {
        let (size, name) = dtype.strip_prefix('V')?.split_once(' ')?;
        let swapped = takewise::dtype::DTYPES.into_iter().map(DType::swapped).find(|d| d.name() == name);
        swapped.or_else(|| DType::foreign(name, size.parse().ok()?))
    };
    let known = DType::from_name(dtype).or_else(opaque);
    let Some(dtype) = known else { return Err(refuse(py, "ValueError", &format!("no dtype is called {dtype:?}"))) };
    let lent = crate::border::lend_bytes(bytes, dtype, &shape)?;
    let owned = lent.clone_data().or_raise(py)?;
    PyTensor::wrap(py, owned, face, scalar)
}

/// A tensor over the memory of any array: NumPy, torch, JAX, DLPack, the buffer protocol.
///
/// >>> import numpy as np, takewise
/// >>> a = np.zeros(3)
/// >>> takewise.from_dlpack(a)[1] = 5
/// >>> a
/// array([0., 5., 0.])
#[pyfunction]
#[pyo3(signature = (x, /, *, library="neutral"))]
fn from_dlpack<'py>(py: Python<'py>, x: &Bound<'py, PyAny>, library: &str) -> PyResult<Bound<'py, PyAny>> {
    let face = library::face(py, library)?;
    let tensor = match Operand::of(x)? {
        Some(Operand { tensor, home }) => {
            if let (Home::NumPy(..), Some(holds)) = (home, face.holds)
                && let Some((class, text)) = holds.refused(tensor.dtype())
            {
                return Err(refuse(py, class, &format!("from_dlpack(): argument 'x': {text}")));
            }
            tensor
        }
        None if dlpack::is_capsule(x) => dlpack::consume(x)?.0,
        None => {
            let text = format!("a {} lends no memory", x.get_type().name()?);
            return Err(refuse(py, "TypeError", &text));
        }
    };
    PyTensor::wrap(py, tensor, face, false)
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(rebuild, m)?)?;
    m.add_function(wrap_pyfunction!(from_dlpack, m)?)
}
