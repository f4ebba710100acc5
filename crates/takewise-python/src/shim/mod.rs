//! Kernels in PyTorch's dispatcher that run without Python, through the C interface that PyTorch keeps stable.
//!
//! It is found at run time in the library that is loaded. Whether it is what is expected here is tried out on operators of
//! our own before PyTorch's get such kernels (`python/takewise/_shim.py`). No memory of PyTorch's is looked at but what it hands
//! over: tensors say of themselves where their elements are.

#![allow(unsafe_code)]

mod give;
mod kernel;
mod stack;
mod symbols;

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::prelude::*;

use crate::error::refuse;
use crate::library::Kernel;
use kernel::{LOADED, Loaded};
use stack::{Parameter, ParameterRow};
use symbols::Api;

/// Kernels that PyTorch's dispatcher has in place of its own, until ``destroy()``.
#[pyclass(frozen, module = "takewise._takewise")]
struct Shim(AtomicPtr<c_void>);

#[pymethods]
impl Shim {
    /// ``kernels`` are ``(name, number)`` of operators of one namespace.
    #[new]
    fn new(py: Python<'_>, namespace: &str, kernels: Vec<(String, usize)>) -> PyResult<Shim> {
        let text = |text: &str| CString::new(text).map_err(|_| refuse(py, "ValueError", "a name with a zero in it"));
        let refused = || refuse(py, "RuntimeError", "PyTorch takes no kernels for these operators");
        let Some(Loaded { api, .. }) = LOADED.get() else { return Err(refused()) };
        let namespace = text(namespace)?;
        let kernels = kernels.into_iter().map(|(name, number)| {
            let entry = kernel::entry(number).ok_or_else(refused)?;
            Ok((text(&name)?, entry))
        });
        let kernels = kernels.collect::<PyResult<Vec<_>>>()?;
        let mut library = std::ptr::null_mut();
        // SAFETY: texts that end in zero.
        let made = unsafe {
            (api.library_new)(namespace.as_ptr(), c"CPU".as_ptr(), c"takewise".as_ptr(), line!(), &mut library)
        };
        if made != 0 {
            return Err(refused());
        }
        let shim = Shim(AtomicPtr::new(library));
        for (name, entry) in kernels {
            // SAFETY: a library made above, and a kernel for exactly this operator.
            if unsafe { (api.library_impl)(library, name.as_ptr(), entry, (api.version)()) } != 0 {
                shim.destroy();
                return Err(refused());
            }
        }
        Ok(shim)
    }

    /// Finds the interface; whether it is there.
    #[staticmethod]
    fn found(torch: &Bound<'_, PyAny>) -> PyResult<bool> {
        if LOADED.get().is_none()
            && let Some((api, throw)) = Api::found(torch)?
        {
            LOADED.keep(Loaded { api, throw });
        }
        Ok(LOADED.get().is_some())
    }

    /// Gives an operator its number, for good: ``parameters`` has ``(name, type, by name only, written, (default,) or ())`` of
    /// each. Whether its arguments come through the interface.
    #[staticmethod]
    fn number(number: usize, kernel: Py<Kernel>, parameters: Vec<ParameterRow<'_>>) -> bool {
        let parameters = parameters.into_iter().map(Parameter::new).collect::<Option<Vec<_>>>();
        parameters.is_some_and(|parameters| kernel::number(number, parameters, kernel))
    }

    /// Takes the kernels out.
    fn destroy(&self) {
        let library = self.0.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if let Some(Loaded { api, .. }) = LOADED.get()
            && !library.is_null()
        {
            // SAFETY: made above, and deleted once.
            unsafe { (api.library_delete)(library) };
        }
    }
}

/// Adds the class to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Shim>()
}
