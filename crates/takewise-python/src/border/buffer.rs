//! The buffer protocol: `bytes`, `bytearray`, `array.array`, `memoryview`, `mmap` and whatever else lends memory so.

use std::ffi::{CStr, c_int};

use numpy::PyArrayDescr;
use pyo3::ffi;
use pyo3::prelude::*;
use takewise::{DType, Dims, Layout, Tensor};

use super::{foreign, loaded, release};
use crate::error::{OrRaise, refuse};
use crate::known::intern;

/// A lent buffer, which is given back when dropped.
struct Lease(*mut ffi::Py_buffer);

// SAFETY: the structure is only read, and released with the interpreter's lock held.
unsafe impl Send for Lease {}
// SAFETY: as above.
unsafe impl Sync for Lease {}

impl Drop for Lease {
    fn drop(&mut self) {
        let view = self.0;
        release::with_lock(move || {
            // SAFETY: filled by PyObject_GetBuffer or blank, and released once; the box is ours.
            unsafe {
                ffi::PyBuffer_Release(view);
                drop(Box::from_raw(view));
            }
        });
    }
}

/// The memory the object lends; `None` if it lends none.
pub(super) fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
    let py = object.py();
    // SAFETY: any object may be asked.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } != 1 {
        return Ok(None);
    }
    // SAFETY: a zeroed Py_buffer is what GetBuffer expects to fill.
    let lease = unsafe {
        let lease = Lease(Box::into_raw(Box::new(std::mem::zeroed::<ffi::Py_buffer>())));
        // Writable where the owner allows it, else read-only.
        let writable: c_int = ffi::PyBUF_FULL;
        if ffi::PyObject_GetBuffer(object.as_ptr(), lease.0, writable) != 0 {
            ffi::PyErr_Clear();
            if ffi::PyObject_GetBuffer(object.as_ptr(), lease.0, ffi::PyBUF_FULL_RO) != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        lease
    };
    // SAFETY: the box lives as long as the lease, and nobody writes to it.
    let view = unsafe { &*lease.0 };
    if !view.suboffsets.is_null() {
        return Err(refuse(py, "TypeError", "buffers of pointers to rows are not arrays"));
    }
    // SAFETY: the protocol: a null format means bytes, otherwise it is a C string.
    let format = if view.format.is_null() { c"B" } else { unsafe { CStr::from_ptr(view.format) } };
    let is_text = matches!(format.to_bytes(), b"w" | b"u") && view.itemsize == 4;
    let dtype = match is_text && loaded(py, intern!(py, "numpy")).is_some() {
        true => Some(foreign::named(&PyArrayDescr::new(py, "U1")?)?),
        false => element(format, view.itemsize as usize),
    };
    let Some(dtype) = dtype else {
        return Err(refuse(py, "TypeError", &format!("elements of {} bytes are too large", view.itemsize)));
    };
    // SAFETY: the protocol: `ndim` extents and strides, or none.
    let (shape, strides) = unsafe { (listed(view.shape, view.ndim), listed(view.strides, view.ndim)) };
    let shape: Dims<usize> = match shape {
        Some(shape) => shape.iter().map(|n| n.unsigned_abs()).collect(),
        None if view.ndim <= 0 => Dims::new(),
        // Not under the flags asked for, but by those who give more than they have: bytes in a row.
        None => std::iter::once(view.len.unsigned_abs() / view.itemsize.unsigned_abs().max(1)).collect(),
    };
    let layout = match strides {
        Some(strides) => Layout::new(&shape, strides),
        // Arrays of ctypes have none: they are in row-major order.
        None => Layout::contiguous(&shape, dtype.size()),
    };
    let layout = layout.or_raise(py)?;
    let (start, writable) = (view.buf.cast::<u8>(), view.readonly == 0);
    // SAFETY: the protocol: the memory stays as described until the lease is released.
    unsafe { foreign(py, start, dtype, layout, writable, Box::new(lease)) }.map(Some)
}

/// A list of so many numbers, where there is one.
///
/// # Safety
/// `list` must point at so many, or be null.
unsafe fn listed<'l>(list: *const isize, rank: c_int) -> Option<&'l [isize]> {
    let rank = usize::try_from(rank).unwrap_or(0);
    // SAFETY: the caller's promise.
    (!list.is_null()).then(|| unsafe { std::slice::from_raw_parts(list, rank) })
}

/// The dtype of a struct format; one of its own for anything but one number. `None` for elements too large.
fn element(format: &CStr, size: usize) -> Option<DType> {
    let text = format.to_str().unwrap_or("");
    let letter = text.trim_start_matches(|c| "@=<>!".contains(c));
    let little = match text.chars().next() {
        Some('<') => true,
        Some('>' | '!') => false,
        _ => cfg!(target_endian = "little"),
    };
    let known = match (letter, size) {
        ("?", 1) => Some(DType::Bool),
        ("b", 1) => Some(DType::I8),
        ("B", 1) => Some(DType::U8),
        ("h" | "i" | "l" | "q" | "n", 2) => Some(DType::I16),
        ("h" | "i" | "l" | "q" | "n", 4) => Some(DType::I32),
        ("h" | "i" | "l" | "q" | "n", 8) => Some(DType::I64),
        ("H" | "I" | "L" | "Q" | "N", 2) => Some(DType::U16),
        ("H" | "I" | "L" | "Q" | "N", 4) => Some(DType::U32),
        ("H" | "I" | "L" | "Q" | "N", 8) => Some(DType::U64),
        ("e", 2) => Some(DType::F16),
        ("f", 4) => Some(DType::F32),
        ("d", 8) => Some(DType::F64),
        ("Zf", 8) => Some(DType::C64),
        ("Zd", 16) => Some(DType::C128),
        _ => None,
    };
    match known {
        Some(dtype) if little == cfg!(target_endian = "little") => Some(dtype),
        Some(dtype) => Some(dtype.swapped()),
        None => DType::foreign(&format!("buffer format {text:?}"), size),
    }
}
