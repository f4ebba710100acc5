//! PyTorch's CPU tensors, through the exchange table of their type: no Python call, no copy, either way.
//!
//! The table forgets three things a tensor may carry, each of which would give wrong results in silence, so they are
//! asked for first: a pending conjugation, a pending negation, and a gradient.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use pyo3::{ffi, intern};
use takewise::Tensor;

use super::dlpack::{DlTensor, ElementType, Exchange};
use crate::error::refuse;
use crate::tensor::PyTensor;

static CLASS: PyOnceLock<(Py<PyType>, &'static Exchange)> = PyOnceLock::new();

/// `torch.Tensor` and its exchange table, once torch is there and has one.
fn known(py: Python<'_>) -> PyResult<Option<&'static (Py<PyType>, &'static Exchange)>> {
    if let Some(known) = CLASS.get(py) {
        return Ok(Some(known));
    }
    let Some(torch) = super::loaded(py, intern!(py, "torch")) else { return Ok(None) };
    let Ok(class) = torch.getattr(intern!(py, "Tensor")) else { return Ok(None) };
    let Some(table) = Exchange::of(&class) else { return Ok(None) };
    let class = class.cast_into::<PyType>()?.unbind();
    Ok(Some(CLASS.get_or_init(py, || (class, table))))
}

/// The exchange table, if the object is a tensor of exactly PyTorch's class and one was met before.
pub(super) fn exact(object: &Bound<'_, PyAny>) -> Option<&'static Exchange> {
    let (class, table) = CLASS.get(object.py())?;
    (object.get_type_ptr() == class.as_ptr().cast()).then_some(*table)
}

/// The exchange table of the object's type, if it is a torch tensor.
pub(super) fn table_of(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static Exchange>> {
    let Some((class, table)) = known(object.py())? else { return Ok(None) };
    Ok(object.is_instance(class.bind(object.py()))?.then_some(*table))
}

/// The tensor over the same memory.
///
/// Errors (class as torch has it): tensors on other devices, sparse ones, and those named at the head of the module.
pub(super) fn import(object: &Bound<'_, PyAny>, table: &Exchange) -> PyResult<(Tensor, ElementType)> {
    let py = object.py();
    let borrowed = table.borrow(object);
    // PyTorch gives a gradient or a pending negation to floating and complex dtypes only.
    if let Ok(dl) = &borrowed
        && dl.element().is_whole()
    {
        return Ok((over(object, dl)?, dl.element()));
    }
    if object.getattr(intern!(py, "requires_grad"))?.is_truthy()? && grad_enabled(py)? {
        let text = "the tensor requires a gradient, which would be lost here: use x.detach(), torch.no_grad(), or takewise.accelerate_torch()";
        return Err(refuse(py, "RuntimeError", text));
    }
    static NEG: Question = Question::new("is_neg");
    static CONJ: Question = Question::new("is_conj");
    if NEG.ask(object)? {
        return Err(refuse(py, "RuntimeError", "the tensor has its negative bit set: use x.resolve_neg() first"));
    }
    let element = borrowed?.element();
    if element.is_complex() && CONJ.ask(object)? {
        return Err(refuse(py, "RuntimeError", "the tensor has its conjugate bit set: use x.resolve_conj() first"));
    }
    // Once more, for the questions may have run somebody's code.
    lend(object, table)
}

/// A method of tensors that answers yes or no.
struct Question {
    name: &'static str,
    method: PyOnceLock<Py<PyAny>>,
}

impl Question {
    const fn new(name: &'static str) -> Question {
        Question { name, method: PyOnceLock::new() }
    }

    /// The answer, of classes derived from PyTorch's their own.
    fn ask(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = object.py();
        if exact(object).is_none() {
            return object.call_method0(self.name)?.is_truthy();
        }
        let method = self.method.get_or_try_init(py, || object.get_type().getattr(self.name).map(Bound::unbind))?;
        // SAFETY: live objects, and the null that ends their list; the result is a new reference or null with an error.
        let answer = unsafe {
            let null = std::ptr::null_mut::<ffi::PyObject>();
            Bound::from_owned_ptr_or_err(py, ffi::PyObject_CallFunctionObjArgs(method.as_ptr(), object.as_ptr(), null))
        };
        answer?.is_truthy()
    }
}

/// [`import`] for what is known to carry none of the three.
pub(super) fn lend(object: &Bound<'_, PyAny>, table: &Exchange) -> PyResult<(Tensor, ElementType)> {
    let dl = table.borrow(object)?;
    Ok((over(object, &dl)?, dl.element()))
}

/// The tensor over memory borrowed from the object.
fn over(object: &Bound<'_, PyAny>, dl: &DlTensor) -> PyResult<Tensor> {
    // SAFETY: the table's promise: what it lends is valid while the object lives and its storage is not exchanged,
    // which torch forbids during any call that uses it.
    unsafe { dl.lent(object) }
}

/// `torch.is_grad_enabled()`.
fn grad_enabled(py: Python<'_>) -> PyResult<bool> {
    static ASK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    ASK.import(py, "torch", "is_grad_enabled")?.call0()?.is_truthy()
}

/// A torch tensor over the same memory.
pub(super) fn export<'py>(
    py: Python<'py>,
    tensor: Tensor,
    element: Option<ElementType>,
) -> PyResult<Bound<'py, PyAny>> {
    match known(py)? {
        Some((_, table)) => table.give(py, tensor, element),
        None => {
            let own = PyTensor::wrap(py, PyTensor::plain(tensor))?;
            py.import(intern!(py, "torch"))?.call_method1(intern!(py, "from_dlpack"), (own,))
        }
    }
}
