//! Tensors made of bytes.

#![allow(unsafe_code)] // one copy into a fresh tensor

use takewise::{DType, Tensor};

/// A fresh row-major tensor holding the bytes given; its size must be theirs.
///
/// # Errors
/// Memory that cannot be had.
pub(crate) fn tensor_from_bytes(bytes: &[u8], shape: &[usize], dtype: DType) -> takewise::Result<Tensor> {
    let tensor = Tensor::zeroed(shape, dtype)?;
    let mut open = tensor.write_any()?;
    let room = shape.iter().product::<usize>() * dtype.size();
    let count = room.min(bytes.len());
    if count > 0 {
        let mut view = open.view_mut();
        // SAFETY: L1: the fresh tensor is contiguous and holds `room` bytes; nobody else has it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), view.as_mut_ptr(), count) }
        takewise::internal::watched::numbers(&view.as_view());
    }
    drop(open);
    Ok(tensor)
}
