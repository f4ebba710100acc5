//! Operands: memory that others lent, as tensors, and whose it is.
//!
//! Obligation **L1** as in the parent module.

use ::numpy::PyArrayDescr;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::ptr::NonNull;
use std::sync::Arc;
use takewise::tensor::{Buffer, Keep};
use takewise::{DType, Layout, Tensor};
use takewise_dialects::Face;

use super::dlpack::ElementType;
use super::release;
use crate::error::{FINAL, OrRaise, refuse};
use crate::known::Known;
use crate::threads::detaches;

/// Bytes at the start of all addresses that are nobody's memory: a null pointer and an offset added to one point there.
const NOBODYS: usize = 4096;

/// Addresses from here on are no program's: no system hands out so many.
const BEYOND: usize = usize::MAX >> 8;

/// Errors: elements behind a null pointer, or beyond all memory. Everything that comes in passes by here.
#[inline(always)]
fn present(py: Python<'_>, start: *mut u8, layout: &Layout) -> PyResult<()> {
    let (low, high) = layout.reach();
    let (first, last) = (start.wrapping_offset(low).addr(), start.wrapping_offset(high).addr());
    let somewhere = first >= NOBODYS && first <= last && last < BEYOND;
    if somewhere || layout.numel() == 0 { Ok(()) } else { Err(absent(py)) }
}

/// What is said of an array whose elements lie nowhere.
#[cold]
pub(super) fn absent(py: Python<'_>) -> PyErr {
    let text =
        "the array has no memory behind its elements: it is a stand-in without data, or its storage was freed or cut";
    let error = refuse(py, "RuntimeError", text);
    // Whoever is asked after us would read there.
    let _ = error.value(py).setattr(FINAL, true);
    error
}

/// A tensor over memory that `keep` keeps alive. Error (`RuntimeError`) if there is no memory.
///
/// # Safety
/// All elements the layout reaches from `start` must stay readable (and writable, if `writable`) until `keep` is
/// dropped, unless `start` is null. Dropping must be possible on any thread.
pub(crate) unsafe fn foreign(
    py: Python<'_>,
    start: *mut u8,
    dtype: DType,
    layout: Layout,
    writable: bool,
    keep: Box<dyn Send + Sync>,
) -> PyResult<Tensor> {
    release::catch_up();
    present(py, start, &layout)?;
    let (low, high) = layout.reach();
    let (base, len, offset) = if layout.numel() == 0 {
        (start, 0, 0)
    } else {
        (start.wrapping_offset(low), (high - low) as usize + dtype.size(), low.unsigned_abs())
    };
    // SAFETY: the bytes from the lowest to the highest element, which the caller vouches for.
    let buffer = unsafe { Buffer::foreign(base, len, writable, keep) };
    Tensor::from_buffer(Arc::new(buffer), offset, layout, dtype).or_raise(py)
}

/// An operand over memory that lasts as long as the object: for one call, or until it is settled. One large enough to be
/// worked on without the interpreter's lock is settled at once, so that nobody has to wait for the lock to share it.
/// Error (`RuntimeError`) if there is no memory.
///
/// Operands are large: it is wrapped where it is made, in what is returned.
///
/// # Safety
/// All elements the layout reaches from `start` must stay readable (and writable, if `writable`) while the object lives,
/// unless `start` is null.
#[inline(always)]
pub(crate) unsafe fn lent<R>(
    start: *mut u8,
    dtype: DType,
    layout: Layout,
    writable: bool,
    object: &Bound<'_, PyAny>,
    home: Home,
    wrap: impl FnOnce(Operand) -> PyResult<R>,
) -> PyResult<R> {
    unsafe fn more(object: NonNull<()>) -> bool {
        let counts = release::attached();
        if counts {
            // SAFETY: a share is held, so the object lives; with the lock, as counting needs.
            unsafe { ffi::Py_INCREF(object.as_ptr().cast()) };
        }
        counts
    }
    unsafe fn less(object: NonNull<()>) {
        if release::attached() {
            // SAFETY: one reference of ours, with the lock held.
            unsafe { ffi::Py_DECREF(object.as_ptr().cast()) };
        } else {
            // SAFETY: as above, once the lock is held.
            release::with_lock(move || unsafe { ffi::Py_DECREF(object.as_ptr().cast()) });
        }
    }
    present(object.py(), start, &layout)?;
    let object = NonNull::new(object.clone().into_ptr().cast()).unwrap_or(NonNull::dangling());
    // SAFETY: references may be counted from any thread as above.
    let keep = unsafe { Keep::new(object, more, less) };
    if detaches(layout.numel().saturating_mul(dtype.size())) {
        // SAFETY: passed on.
        return unsafe { settled(start, dtype, layout, writable, keep, home, wrap) };
    }
    // SAFETY: the caller's promise, and a call's operands are its own until they are settled.
    wrap(Operand { tensor: unsafe { Tensor::lent(start, dtype, layout, writable, keep) }, home })
}

/// [`lent`], settled.
///
/// # Safety
/// As [`lent`].
#[cold]
unsafe fn settled<R>(
    start: *mut u8,
    dtype: DType,
    layout: Layout,
    writable: bool,
    keep: Keep,
    home: Home,
    wrap: impl FnOnce(Operand) -> PyResult<R>,
) -> PyResult<R> {
    release::catch_up();
    // SAFETY: the caller's promise; nobody has it before it is settled.
    let tensor = unsafe { Tensor::lent(start, dtype, layout, writable, keep) }.settled();
    wrap(Operand { tensor, home })
}

/// The object whose memory a tensor was lent.
pub(crate) fn lender<'py>(py: Python<'py>, tensor: &Tensor) -> Option<Bound<'py, PyAny>> {
    // SAFETY: only `lent` makes such tensors here, so what is kept is an object.
    tensor.lender().map(|keep| unsafe { Bound::from_borrowed_ptr(py, keep.object().as_ptr().cast()) })
}

/// The memory of a bytes object as a row-major tensor. Error (`ValueError`) if it is not exactly that many bytes.
pub(crate) fn lend_bytes(bytes: &Bound<'_, PyBytes>, dtype: DType, shape: &[usize]) -> PyResult<Tensor> {
    let py = bytes.py();
    let layout = Layout::contiguous(shape, dtype.size()).or_raise(py)?;
    if layout.numel() * dtype.size() != bytes.as_bytes().len() {
        let text = format!("{} bytes are not a tensor of shape {shape:?}", bytes.as_bytes().len());
        return Err(refuse(py, "ValueError", &text));
    }
    let keep = Box::new(release::Held::new(bytes.as_any()));
    // SAFETY: as many bytes as the layout reaches, which never change and live as long as the object.
    unsafe { foreign(py, bytes.as_bytes().as_ptr().cast_mut(), dtype, layout, false, keep) }
}

/// A module that this process has imported already.
pub(crate) fn loaded<'py>(py: Python<'py>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    static MODULES: Known<Py<PyDict>> = Known::new();
    let modules = MODULES
        .get_or_try_init(py, || PyResult::Ok(py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?.unbind()));
    modules.ok()?.bind(py).get_item(name).ok()?.filter(|module| !module.is_none())
}

/// Whose array an operand is, so that results can be the same library's.
pub(crate) enum Home {
    /// `takewise.Tensor`.
    Own,
    /// Numbers in lists, memory that is lent, and what offers an array: nobody's, so that NumPy arrays come out.
    Plain,
    /// A column of another package: the object. Elements read from it come back as such, all else as NumPy arrays.
    Held(Py<PyAny>),
    /// NumPy, and the dtype object of elements of this dtype.
    NumPy(Py<PyArrayDescr>, DType),
    /// PyTorch, and the element type behind this dtype.
    Torch(ElementType, DType),
    /// JAX.
    Jax(Py<PyArrayDescr>, DType),
    /// A library that follows the array API standard: its namespace.
    Standard(Py<PyAny>),
}

/// Whose promotion numbers and values of other dtypes follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// NumPy's: that of arrays of no library with a promotion of its own, too.
    NumPy,
    Torch,
    Jax,
}

impl Family {
    /// The library.
    pub(crate) fn face(self) -> &'static Face {
        match self {
            Family::NumPy => &takewise_dialects::NUMPY,
            Family::Torch => &takewise_dialects::TORCH,
            Family::Jax => &takewise_dialects::JAX,
        }
    }
}

impl Home {
    /// Whose promotion values beside this array follow.
    pub(crate) fn family(&self) -> Family {
        match self {
            Home::Torch(..) => Family::Torch,
            Home::Jax(..) => Family::Jax,
            Home::Own | Home::Plain | Home::Held(_) | Home::NumPy(..) | Home::Standard(_) => Family::NumPy,
        }
    }

    /// Whether it is a library's, and no array of ours nor numbers of nobody's.
    pub(crate) fn is_library(&self) -> bool {
        !matches!(self, Home::Own | Home::Plain)
    }

    /// Whose array the result of several is: that of the first that is another library's, else ours if one is.
    pub(crate) fn first_of<'h>(homes: impl IntoIterator<Item = &'h Home>) -> &'h Home {
        homes
            .into_iter()
            .reduce(|first, next| match (first, next) {
                (Home::Own | Home::Plain, next) if next.is_library() => next,
                (Home::Plain, next) => next,
                (first, _) => first,
            })
            .unwrap_or(&Home::Plain)
    }
}

/// An array argument: the engine's view of it, and whose it is.
pub(crate) struct Operand {
    /// The elements, in the memory they were passed in.
    pub(crate) tensor: Tensor,
    /// Whose they are.
    pub(crate) home: Home,
}
