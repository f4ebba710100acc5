//! Ring 1: [`Tensor`], shared storage whose views alias, as torch's do.

#![allow(unsafe_code)]

mod buffer;
mod foreign;

pub use buffer::Buffer;

use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::layout::Layout;
use crate::view::{AnyView, AnyViewMut};
use std::sync::Arc;

/// An N-d array in shared storage. Cloning, slicing and viewing share the storage: a write through one
/// shows in the others.
#[derive(Clone)]
pub struct Tensor {
    buffer: Arc<Buffer>,
    offset: usize,
    layout: Layout,
    dtype: DType,
}

impl Tensor {
    /// A fresh contiguous tensor whose elements are zero bytes.
    ///
    /// Errors (kind `Memory`) if the size overflows or memory runs out.
    pub fn zeroed(shape: &[usize], dtype: DType) -> Result<Tensor> {
        let layout = Layout::contiguous(shape, dtype.size())?;
        let buffer = Buffer::zeroed(layout.numel() * dtype.size())?;
        Ok(Tensor { buffer: Arc::new(buffer), offset: 0, layout, dtype })
    }

    /// A fresh contiguous tensor holding a copy of `data`.
    pub fn from_slice<T: Element>(data: &[T], shape: &[usize]) -> Result<Tensor> {
        let view = crate::view::View::new(data, shape)?;
        let mut t = Tensor::zeroed(shape, T::DTYPE)?;
        if let Some(mut out) = t.unique() {
            // SAFETY: L1 of both: `out` is contiguous and holds exactly as many elements as the slice.
            unsafe { std::ptr::copy_nonoverlapping(view.as_ptr().cast::<u8>(), out.as_mut_ptr(), size_of_val(data)) }
        }
        Ok(t)
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.layout.numel()
    }

    /// The writable view of a tensor nobody else holds yet: how operations fill their results.
    pub(crate) fn unique(&mut self) -> Option<AnyViewMut<'_>> {
        let ptr = Arc::get_mut(&mut self.buffer)?.as_mut_ptr();
        // SAFETY: L1: offset and layout lie in the buffer by construction; L3: fresh tensors are
        // contiguous; exclusive because the Arc is unique and borrowed mutably.
        Some(unsafe { AnyViewMut::from_raw(ptr.add(self.offset), self.dtype, self.layout.clone()) })
    }

    /// The read-only view of a tensor that is exclusively borrowed: no ledger needed.
    pub(crate) fn unique_view(&mut self) -> Option<AnyView<'_>> {
        let ptr = Arc::get_mut(&mut self.buffer)?.as_mut_ptr();
        // SAFETY: L1 by construction; nobody else can reach the buffer meanwhile.
        Some(unsafe { AnyView::from_raw(ptr.add(self.offset), self.dtype, self.layout.clone()) })
    }
}
