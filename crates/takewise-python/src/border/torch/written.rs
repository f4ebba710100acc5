//! Writes into PyTorch's memory, which PyTorch is asked about before and told of after: it counts them, and a tensor that was
//! saved for a backward pass and changed since is refused there.

use pyo3::ffi;
use pyo3::prelude::*;
use takewise::Tensor;

use super::{CLASS, state};
use crate::border::lender;
use crate::error::refuse;
use crate::known::{Known, intern};

/// PyTorch's tensor whose memory this is.
#[inline]
fn lender_of<'py>(py: Python<'py>, tensor: &Tensor) -> Option<Bound<'py, PyAny>> {
    let (class, _) = CLASS.get(py)?;
    let object = lender(py, tensor)?;
    // SAFETY: two types; their order of classes is looked at, and no code of theirs runs.
    let is_one = unsafe { ffi::PyType_IsSubtype(object.get_type_ptr(), class.as_ptr().cast()) };
    (is_one != 0).then_some(object)
}

/// Fails where PyTorch forbids that elements are written: of a tensor of inference mode, outside of it.
#[inline]
pub(crate) fn may_write(py: Python<'_>, tensor: &Tensor) -> PyResult<()> {
    match lender_of(py, tensor) {
        Some(object) if is_inference(&object)? => in_inference(py),
        _ => Ok(()),
    }
}

/// Tells PyTorch that elements were written, if they lie in a tensor of its.
#[inline]
pub(crate) fn wrote(py: Python<'_>, tensor: &Tensor) -> PyResult<()> {
    match lender_of(py, tensor) {
        // Such a tensor has no version.
        Some(object) if is_inference(&object)? => Ok(()),
        Some(object) if !state::raise_version(&object) => by_python(&object),
        _ => Ok(()),
    }
}

#[inline]
fn is_inference(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match state::is_inference(object) {
        Some(known) => Ok(known),
        None => object.call_method0(intern!(object.py(), "is_inference"))?.is_truthy(),
    }
}

#[cold]
fn by_python(object: &Bound<'_, PyAny>) -> PyResult<()> {
    static RAISE: Known<Py<PyAny>> = Known::new();
    RAISE.import(object.py(), "torch.autograd.graph", "increment_version")?.call1((object,)).map(|_| ())
}

/// PyTorch's own error, unless inference mode is on.
#[cold]
fn in_inference(py: Python<'_>) -> PyResult<()> {
    let torch = py.import(intern!(py, "torch"))?;
    if torch.call_method0(intern!(py, "is_inference_mode_enabled"))?.is_truthy()? {
        return Ok(());
    }
    let refusal = py.import(intern!(py, "takewise._refusals"))?.call_method1(intern!(py, "_of_inference"), (torch,))?;
    match refusal.is_none() {
        true => Ok(()),
        false => {
            let said = refusal.getattr(intern!(py, "error"))?.str()?.to_string();
            Err(refuse(py, "RuntimeError", &said))
        }
    }
}
