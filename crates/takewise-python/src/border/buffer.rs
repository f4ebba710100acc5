//! The buffer protocol: `bytes`, `bytearray`, `array.array`, `memoryview`, `mmap` and whatever else lends memory so.

use std::ffi::{CStr, c_int};

use pyo3::ffi;
use pyo3::prelude::*;
use takewise::{DType, Dims, Layout, Tensor};

use super::foreign;
use crate::error::{OrRaise, refuse};

/// A lent buffer, which is given back when dropped.
struct Lease(Box<ffi::Py_buffer>);

// SAFETY: the structure is only read, and released with the interpreter attached.
unsafe impl Send for Lease {}
// SAFETY: as above.
unsafe impl Sync for Lease {}

impl Drop for Lease {
    fn drop(&mut self) {
        // SAFETY: filled by PyObject_GetBuffer and released once.
        Python::attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut *self.0) });
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
    let mut lease = unsafe {
        let mut view = Box::new(std::mem::zeroed::<ffi::Py_buffer>());
        // Writable where the owner allows it, else read-only.
        let writable: c_int = ffi::PyBUF_FULL;
        if ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, writable) != 0 {
            ffi::PyErr_Clear();
            if ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_FULL_RO) != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        Lease(view)
    };
    let view = &mut lease.0;
    if !view.suboffsets.is_null() {
        return Err(refuse(py, "TypeError", "buffers of pointers to rows are not arrays"));
    }
    // SAFETY: the protocol: a null format means bytes, otherwise it is a C string.
    let format = if view.format.is_null() { c"B" } else { unsafe { CStr::from_ptr(view.format) } };
    let dtype = element(format, view.itemsize as usize);
    let (mut shape, mut strides) = (Dims::<usize>::new(), Dims::<isize>::new());
    for d in 0..view.ndim as usize {
        // SAFETY: the protocol: under these flags `shape` and `strides` hold `ndim` entries.
        unsafe {
            shape.push((*view.shape.add(d)).unsigned_abs());
            strides.push(*view.strides.add(d));
        }
    }
    let layout = Layout::new(&shape, &strides).or_raise(py)?;
    let (start, writable) = (view.buf.cast::<u8>(), view.readonly == 0);
    // SAFETY: the protocol: the memory stays as described until the lease is released.
    unsafe { foreign(start, dtype, layout, writable, Box::new(lease)) }.or_raise(py).map(Some)
}

/// The dtype of a struct format; a record of the same size for anything but one native number.
fn element(format: &CStr, size: usize) -> DType {
    let text = format.to_str().unwrap_or("");
    let native = if cfg!(target_endian = "little") { "@=<" } else { "@=>!" };
    let letter = text.trim_start_matches(|c| native.contains(c));
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
    known.unwrap_or(DType::Opaque { size: size as u32, align: 1 })
}
