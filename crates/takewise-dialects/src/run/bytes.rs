//! Tensors made of bytes, and the bytes of elements that the engine only moves.

#![allow(unsafe_code)] // a copy into a fresh tensor, and copies of elements out of views and into them

use takewise::layout::Coordinates;
use takewise::{AnyView, AnyViewMut, DType, Tensor};

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

/// The bytes of the elements of a view, in row-major order.
pub(crate) fn bytes_of(view: &AnyView<'_>) -> Vec<u8> {
    let size = view.dtype().size();
    let mut bytes = vec![0; view.numel() * size];
    for (at, to) in Coordinates::new(view.shape()).zip(bytes.chunks_exact_mut(size)) {
        // SAFETY: L1: the coordinate is inside the shape, and so many bytes are an element. The copy is new memory.
        unsafe {
            let from = view.as_ptr().offset(view.layout().offset(&at));
            std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), size);
        }
    }
    bytes
}

/// Stores elements of as many bytes each as the dtype has, in row-major order.
pub(crate) fn put_bytes(view: &mut AnyViewMut<'_>, bytes: &[u8]) {
    let (size, layout) = (view.dtype().size(), view.layout().clone());
    for (at, from) in Coordinates::new(layout.shape()).zip(bytes.chunks_exact(size)) {
        // SAFETY: L1 and L3: the coordinate is inside the shape, and so many bytes are an element.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), view.as_mut_ptr().offset(layout.offset(&at)), size) }
    }
}
