//! PyTorch's CPU tensors, through the exchange table of their type: no Python call, no copy, either way.
//!
//! The table forgets three things a tensor may carry, each of which would give wrong results in silence, so they are
//! asked for first: a pending conjugation, a pending negation, and a gradient.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyType};
use pyo3::{ffi, intern};
use std::sync::atomic::{AtomicBool, Ordering};
use takewise::Tensor;

use super::dlpack::{DlTensor, ElementType, Exchange};
use super::{Home, Operand};
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

/// Whether the object is a tensor of exactly PyTorch's class, and one was met before.
pub(crate) fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    exact(object).is_some()
}

/// The exchange table of the object's type, if it is a torch tensor.
pub(super) fn table_of(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static Exchange>> {
    let Some((class, table)) = known(object.py())? else { return Ok(None) };
    Ok(object.is_instance(class.bind(object.py()))?.then_some(*table))
}

/// The tensor over the same memory: always one, in the form in which [`Operand::of`] gives it, as operands are large and
/// wrapping them again would move them.
///
/// Errors (class as torch has it): tensors on other devices, sparse ones, and those named at the head of the module.
pub(super) fn import(object: &Bound<'_, PyAny>, table: &Exchange) -> PyResult<Option<Operand>> {
    // The questions may run somebody's code, so the loan comes after them, and which of them there are is in the loan.
    if is_exact(object) && FLOATING.load(Ordering::Relaxed) {
        questioned(object, table)
    } else {
        import_index(object, table)
    }
}

/// Whether the last tensor that was questioned had cause: the next one is mostly of the same kind. A wrong guess costs
/// questions to an integer tensor, or a second loan from a floating one; asking for the dtype would cost nearly as much
/// of every tensor.
static FLOATING: AtomicBool = AtomicBool::new(true);

/// [`import`] for what is mostly an index array or a mask.
pub(super) fn import_index(object: &Bound<'_, PyAny>, table: &Exchange) -> PyResult<Option<Operand>> {
    // PyTorch gives a gradient or a pending negation to floating and complex dtypes only.
    match table.borrow(object) {
        Ok(dl) if dl.element().is_whole() => over(object, &dl),
        _ => questioned(object, table),
    }
}

/// [`import`] of a tensor that may carry what the table forgets.
fn questioned(object: &Bound<'_, PyAny>, table: &Exchange) -> PyResult<Option<Operand>> {
    static NEG: Question = Question::new("is_neg");
    static CONJ: Question = Question::new("is_conj");
    let py = object.py();
    static GRADIENT: Attribute = Attribute::new("requires_grad");
    if truth(&GRADIENT.of(object)?)? && grad_enabled(py)? {
        let text = "the tensor requires a gradient, which would be lost here: use x.detach(), torch.no_grad(), or takewise.accelerate_torch()";
        return Err(refuse(py, "RuntimeError", text));
    }
    if NEG.ask(object)? {
        return Err(refuse(py, "RuntimeError", "the tensor has its negative bit set: use x.resolve_neg() first"));
    }
    let dl = table.borrow(object)?;
    let floating = !dl.element().is_whole();
    if floating != FLOATING.load(Ordering::Relaxed) {
        FLOATING.store(floating, Ordering::Relaxed);
    }
    if dl.element().is_complex() {
        if CONJ.ask(object)? {
            return Err(refuse(py, "RuntimeError", "the tensor has its conjugate bit set: use x.resolve_conj() first"));
        }
        return lend(object, table);
    }
    over(object, &dl)
}

/// The truth of what is nearly always a boolean itself.
fn truth(answer: &Bound<'_, PyAny>) -> PyResult<bool> {
    answer.cast::<PyBool>().map_or_else(|_| answer.is_truthy(), |answer| Ok(answer.is_true()))
}

/// An attribute of tensors, by the descriptor of PyTorch's class: looked up once, not for every tensor.
struct Attribute {
    name: &'static str,
    descriptor: PyOnceLock<(Py<PyAny>, Option<ffi::descrgetfunc>)>,
}

impl Attribute {
    const fn new(name: &'static str) -> Attribute {
        Attribute { name, descriptor: PyOnceLock::new() }
    }

    /// The attribute, of classes derived from PyTorch's their own.
    fn of<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = object.py();
        if exact(object).is_none() {
            return object.getattr(self.name);
        }
        let (descriptor, get) = self.descriptor.get_or_try_init(py, || {
            let descriptor = object.get_type().getattr(self.name)?;
            // SAFETY: the type of a live object; a slot asked for by this number holds a function of this type or null,
            // which is `None`.
            let get = unsafe {
                let slot = ffi::PyType_GetSlot(descriptor.get_type_ptr(), ffi::Py_tp_descr_get);
                std::mem::transmute::<*mut std::ffi::c_void, Option<ffi::descrgetfunc>>(slot)
            };
            PyResult::Ok((descriptor.unbind(), get))
        })?;
        let Some(get) = get else { return object.getattr(self.name) };
        // SAFETY: the slot of the descriptor's own type, called as Python calls it: descriptor, object, its class; the
        // result is a new reference or null with an error.
        unsafe {
            let found = get(descriptor.as_ptr(), object.as_ptr(), object.get_type_ptr().cast());
            Bound::from_owned_ptr_or_err(py, found)
        }
    }
}

/// A method of tensors that answers yes or no.
struct Question {
    name: &'static str,
    method: PyOnceLock<(Py<PyAny>, Option<ffi::PyCFunction>)>,
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
        let (_, function) = self.method.get_or_try_init(py, || {
            let bound = object.getattr(self.name)?;
            // SAFETY: a live object, asked only if it is a function made in C; one without arguments is of this type.
            let function = unsafe {
                let plain = ffi::PyCFunction_Check(bound.as_ptr()) != 0
                    && ffi::PyCFunction_GetFlags(bound.as_ptr()) == ffi::METH_NOARGS;
                if plain { ffi::PyCFunction_GetFunction(bound.as_ptr()) } else { None }
            };
            PyResult::Ok((object.get_type().getattr(self.name)?.unbind(), function))
        })?;
        let Some(function) = function else { return object.call_method0(self.name)?.is_truthy() };
        // SAFETY: the function of a method of the object's class, whose descriptor is kept, called as Python calls it: the
        // object, and null for no arguments; the result is a new reference or null with an error.
        let answer = unsafe { Bound::from_owned_ptr_or_err(py, function(object.as_ptr(), std::ptr::null_mut())) };
        truth(&answer?)
    }
}

/// [`import`] for what is known to carry none of the three.
pub(super) fn lend(object: &Bound<'_, PyAny>, table: &Exchange) -> PyResult<Option<Operand>> {
    over(object, &table.borrow(object)?)
}

/// The operand over memory borrowed from the object.
fn over(object: &Bound<'_, PyAny>, dl: &DlTensor) -> PyResult<Option<Operand>> {
    // SAFETY: the table's promise: what it lends is valid while the object lives and its storage is not exchanged,
    // which torch forbids during any call that uses it.
    unsafe { dl.lent(object, Home::Torch) }
}

/// `torch.is_grad_enabled()`.
fn grad_enabled(py: Python<'_>) -> PyResult<bool> {
    static ASK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    ASK.import(py, "torch", "is_grad_enabled")?.call0()?.is_truthy()
}

/// A torch tensor over the same memory.
pub(super) fn export<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    element: Option<ElementType>,
) -> PyResult<Bound<'py, PyAny>> {
    match known(py)? {
        Some((_, table)) => table.give(py, tensor, element),
        None => {
            let own = PyTensor::plain(py, tensor.clone())?;
            py.import(intern!(py, "torch"))?.call_method1(intern!(py, "from_dlpack"), (own,))
        }
    }
}
