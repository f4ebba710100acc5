//! The library's own function, for the calls that ours has no answer to.
//!
//! Ours finds elements by index, mask or search, in arrays whose elements it moves. An argument that it does not know, an array that
//! it does not move and a class of arrays that answers calls itself are the library's affair: its function is called with the same
//! arguments. That happens before anything is written, and only where ours has failed.

use pyo3::exceptions::{PyException, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise::Fault;
use takewise_dialects::{EvalError, Function as Named};

use super::raise;
use crate::error::FINAL;

/// Why there is no answer of ours.
pub(crate) enum Refused {
    /// The engine has looked at values, shapes and memory, and something is wrong with them.
    Judged(PyErr),
    /// The call has something that is not ours: an argument, a dtype, a class of arrays.
    NotOurs(PyErr),
}

impl From<PyErr> for Refused {
    fn from(error: PyErr) -> Refused {
        Refused::NotOurs(error)
    }
}

impl Refused {
    /// What a failed evaluation means.
    #[cold]
    pub(super) fn of(py: Python<'_>, error: &EvalError) -> Refused {
        let judged = error.cause().is_some_and(|cause| {
            !matches!(cause.fault(), Fault::DType { .. } | Fault::Argument { .. } | Fault::Scalar { .. })
        });
        let raised = raise(py, error);
        if judged { Refused::Judged(raised) } else { Refused::NotOurs(raised) }
    }

    /// The error.
    pub(crate) fn error(self) -> PyErr {
        let (Refused::Judged(error) | Refused::NotOurs(error)) = self;
        error
    }

    /// The answer of the library where the call is not ours. Where it refuses the call with an error of the same class, ours stays,
    /// which says more.
    pub(super) fn or_theirs<'py>(
        self,
        py: Python<'py>,
        theirs: impl FnOnce() -> PyResult<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Refused::NotOurs(error) = self else { return Err(self.error()) };
        let is_final = || error.value(py).hasattr(FINAL).unwrap_or(false);
        if !error.is_instance_of::<PyException>(py) || error.is_instance_of::<PyMemoryError>(py) || is_final() {
            return Err(error);
        }
        match theirs() {
            Ok(Some(answer)) => Ok(answer),
            Err(said) if !error.is_instance(py, &said.get_type(py)) => Err(said),
            Ok(None) | Err(_) => Err(error),
        }
    }
}

/// The library's own function of that path; `None` where the library has none, or is not there.
pub(super) fn function<'py>(py: Python<'py>, named: &Named) -> Option<Bound<'py, PyAny>> {
    let module = py.import(named.face.facts.objects.asks?).ok()?.into_any();
    let path = named.rows.first()?.name;
    path.split('.').try_fold(module, |found, name| found.getattr(name).ok())
}

/// The answer to a call of a function of ours that was refused.
#[cold]
pub(super) fn asked<'py>(
    py: Python<'py>,
    refused: Refused,
    named: &Named,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    refused.or_theirs(py, || function(py, named).map(|own| own.call(args, kwargs)).transpose())
}
