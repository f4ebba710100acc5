//! The roads out of DLPack: structures and capsules that lend a tensor's memory.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use smallvec::SmallVec;
use takewise::Tensor;
use takewise::tensor::Hold;

use super::{CPU, Device, DlTensor, ElementType, LEGACY, Legacy, OURS, READ_ONLY, VERSIONED, Versioned};
use crate::border::release;

/// Loans of memory that was lent to us.
static LENT_ON: AtomicUsize = AtomicUsize::new(0);

/// One of them, until dropped.
struct LentOn;

impl LentOn {
    fn count() -> LentOn {
        LENT_ON.fetch_add(1, Ordering::Relaxed);
        LentOn
    }
}

impl Drop for LentOn {
    fn drop(&mut self) {
        LENT_ON.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether memory that was lent to us is lent on to anybody.
pub(in crate::border) fn lends_on() -> bool {
    LENT_ON.load(Ordering::Relaxed) > 0
}

/// A structure that lends a tensor's memory, with what it points at: one allocation, which the deleter frees.
#[repr(C)]
struct Lending<T: 'static> {
    managed: T,
    _hold: Hold,
    _on: Option<LentOn>,
    /// The extents, and behind them the strides.
    axes: SmallVec<[i64; 8]>,
}

impl<T> Lending<T> {
    /// Wraps what `managed` makes of the description of the memory; error if strides are not whole elements, or the
    /// elements have no name. The owner must call the deleter, [`Lending::delete`], once.
    #[inline]
    fn make(
        tensor: &Tensor,
        element: Option<ElementType>,
        managed: impl FnOnce(DlTensor) -> T,
        dl: impl FnOnce(&mut T) -> &mut DlTensor,
    ) -> PyResult<*mut T> {
        let element = element_of(tensor, element)?;
        let (shape, strides, size) = (tensor.shape(), tensor.layout().strides(), tensor.dtype().size());
        let rank = shape.len();
        let mut axes: SmallVec<[i64; 8]> = SmallVec::from_elem(0, 2 * rank);
        for (k, (&n, &s)) in shape.iter().zip(strides).enumerate() {
            let Some(steps) = steps(s, size) else {
                return Err(PyBufferError::new_err("DLPack counts strides in whole elements; these are not"));
            };
            (axes[k], axes[rank + k]) = (n as i64, steps as i64);
        }
        let blank = DlTensor { data: tensor.data_ptr().cast(), dtype: element, ..DlTensor::blank() };
        let on = tensor.lender().is_some().then(LentOn::count);
        let mut lending = Box::new(Lending { managed: managed(blank), _hold: tensor.share(), _on: on, axes });
        let shape = lending.axes.as_mut_ptr();
        let strides = shape.wrapping_add(rank);
        let dl = dl(&mut lending.managed);
        (dl.shape, dl.strides, dl.ndim, dl.device) = (shape, strides, rank as i32, Device { kind: CPU, id: 0 });
        Ok(Box::into_raw(lending).cast())
    }

    /// # Safety
    /// A structure made by [`Lending::make`], deleted once.
    unsafe extern "C" fn delete(managed: *mut T) {
        // SAFETY: the first field of a box, whose address is the box's.
        let lending = unsafe { Box::from_raw(managed.cast::<Lending<T>>()) };
        release::nested(move || drop(lending));
    }
}

/// A stride in elements of so many bytes, if it is whole.
#[inline]
fn steps(stride: isize, size: usize) -> Option<isize> {
    // Dividing would take longer than all else here.
    if size.is_power_of_two() {
        return (stride & (size as isize - 1) == 0).then(|| stride >> size.trailing_zeros());
    }
    let steps = stride / size as isize;
    (steps * size as isize == stride).then_some(steps)
}

fn element_of(tensor: &Tensor, element: Option<ElementType>) -> PyResult<ElementType> {
    element.or(ElementType::of(tensor.dtype())).ok_or_else(|| {
        PyBufferError::new_err(format!("elements of dtype {} have no DLPack type", tensor.dtype().name()))
    })
}

/// A versioned structure that lends a tensor's memory; its owner must call the deleter once.
pub(super) fn lend(tensor: &Tensor, element: Option<ElementType>) -> PyResult<*mut Versioned> {
    let flags = if tensor.is_writable() { 0 } else { READ_ONLY };
    let (context, deleter) = (std::ptr::null_mut(), Some(Lending::<Versioned>::delete as _));
    let managed = |dl| Versioned { version: OURS, context, deleter, flags, dl };
    Lending::make(tensor, element, managed, |managed| &mut managed.dl)
}

/// A capsule that lends a tensor's memory: `__dlpack__`.
pub(crate) fn capsule<'py>(py: Python<'py>, tensor: &Tensor, versioned: bool) -> PyResult<Bound<'py, PyCapsule>> {
    unsafe extern "C" fn destroy(raw: *mut ffi::PyObject) {
        // SAFETY: called by Python with a capsule made below; a used one has another name and is not ours any more.
        unsafe {
            if ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) == 1 {
                let managed = ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr()).cast::<Versioned>();
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            } else if ffi::PyCapsule_IsValid(raw, LEGACY.as_ptr()) == 1 {
                let managed = ffi::PyCapsule_GetPointer(raw, LEGACY.as_ptr()).cast::<Legacy>();
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            }
        }
    }
    let (pointer, name) = if versioned {
        (lend(tensor, None)?.cast::<c_void>(), VERSIONED)
    } else {
        (lend_legacy(tensor)?.cast::<c_void>(), LEGACY)
    };
    // SAFETY: the name is static, the pointer not null, and the destructor frees it unless somebody took it over.
    unsafe {
        let raw = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destroy));
        Ok(Bound::from_owned_ptr_or_err(py, raw)?.cast_into_unchecked())
    }
}

fn lend_legacy(tensor: &Tensor) -> PyResult<*mut Legacy> {
    if !tensor.is_writable() {
        let text = "the memory is read-only, which only DLPack 1.0 can say: ask with max_version=(1, 0)";
        return Err(PyBufferError::new_err(text));
    }
    let (context, deleter) = (std::ptr::null_mut(), Some(Lending::<Legacy>::delete as _));
    Lending::make(tensor, None, |dl| Legacy { dl, context, deleter }, |managed| &mut managed.dl)
}
