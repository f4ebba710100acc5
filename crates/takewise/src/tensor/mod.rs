//! Ring 1: [`Tensor`], shared storage whose views alias, as torch's do.

#![allow(unsafe_code)]

mod claim;
mod convert;
mod create;
mod display;
mod foreign;
mod guard;
mod history;
mod literal;
mod subscript;
mod views;

pub use crate::memory::{Buffer, Keep};
use crate::memory::{History, Storage};
use crate::op::Op;
pub(crate) use claim::claim;
pub use convert::cast;
pub use foreign::Hold;
pub use guard::{AnyRef, AnyRefMut, Ref, RefMut};
pub(crate) use history::{Trail, Via, refused};
pub use history::{is_grad_enabled, no_grad, set_grad_enabled};
pub use literal::{Literal, Nested};
pub use subscript::{Index, OwnedIndex};

use crate::dtype::DType;
use crate::layout::Layout;
use crate::view::{AnyView, AnyViewMut};
use std::sync::Arc;

/// An N-d array in shared storage. Cloning, slicing and viewing share the storage: a write through one
/// shows in the others.
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([[1, 2, 3], [4, 5, 6]]);
/// let column = x.index(&ix![.., 1], &Rules::NEUTRAL)?; // a view
/// column.put_(&tensor!([0]), 9, false, &Rules::NEUTRAL)?;
/// assert_eq!(x.to_vec::<i64>()?, [1, 9, 3, 4, 5, 6]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    buffer: Storage,
    offset: usize,
    layout: Layout,
    dtype: DType,
    /// A history apart from the storage's: that of a leaf, or of what was detached.
    pub(crate) own: Option<Arc<History>>,
    /// Whether this is a view, and what the tape knows of that.
    pub(crate) via: Via,
}

impl Tensor {
    /// A tensor without a history of its own.
    fn raw(buffer: Arc<Buffer>, offset: usize, layout: Layout, dtype: DType) -> Tensor {
        Tensor::at(Storage::Shared(buffer), offset, layout, dtype)
    }

    #[inline(always)]
    fn at(buffer: Storage, offset: usize, layout: Layout, dtype: DType) -> Tensor {
        Tensor { buffer, offset, layout, dtype, own: None, via: Via::Base }
    }

    /// Extents.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The layout: shape and byte strides.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of elements.
    #[inline]
    pub fn numel(&self) -> usize {
        self.layout.numel()
    }

    /// Whether elements lie one after another in row-major order.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous(self.dtype.size())
    }

    /// What the elements lie in.
    #[inline]
    pub(crate) fn storage(&self) -> &Storage {
        &self.buffer
    }

    /// Bytes from the beginning of the storage to the first element.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The address of the first element; meaningless when there is none.
    pub(crate) fn address(&self) -> usize {
        self.buffer.as_mut_ptr().addr().wrapping_add(self.offset)
    }

    #[inline]
    fn start(&self) -> *mut u8 {
        let base = self.buffer.as_mut_ptr();
        // SAFETY: L1: the first element lies in the buffer. An empty tensor has none and keeps the base.
        if self.numel() == 0 { base } else { unsafe { base.add(self.offset) } }
    }

    /// # Safety
    /// The caller sees to it that nobody writes the elements for `'b` (registration, or privacy).
    #[inline]
    pub(crate) unsafe fn any_view<'b>(&self) -> AnyView<'b> {
        // SAFETY: L1 holds for every tensor.
        unsafe { AnyView::from_raw(self.start(), self.dtype, self.layout.clone()) }
    }

    /// # Safety
    /// The caller sees to it that nobody else accesses the elements for `'b`, that the buffer is writable,
    /// and that the layout does not meet itself (L3).
    #[inline]
    pub(crate) unsafe fn any_view_mut<'b>(&self) -> AnyViewMut<'b> {
        // SAFETY: L1 holds for every tensor; the rest is the caller's promise.
        unsafe { AnyViewMut::from_raw(self.start(), self.dtype, self.layout.clone()) }
    }

    /// The writable view of a tensor nobody else holds yet: how operations fill their results. `None` if
    /// the storage is shared or read-only, or two coordinates share memory.
    pub(crate) fn unique(&mut self) -> Option<AnyViewMut<'_>> {
        self.buffer.is_unique().then_some(())?;
        self.check_writable(Op::Write).ok()?;
        // SAFETY: exclusive because the Arc is unique and borrowed mutably; writable and L3 as checked.
        Some(unsafe { self.any_view_mut() })
    }

    /// [`Tensor::unique`] of a tensor that was just made, without asking.
    ///
    /// # Safety
    /// Nobody else holds its storage, which may be written, and its layout does not meet itself (L3).
    #[inline]
    pub(crate) unsafe fn own_view(&mut self) -> AnyViewMut<'_> {
        // SAFETY: the caller's promise; borrowed mutably.
        unsafe { self.any_view_mut() }
    }

    /// Whether the memory of a tensor that was just made is such as the system has yet to hand out.
    pub(crate) fn is_fresh(&self) -> bool {
        self.buffer.is_fresh()
    }

    /// The read-only view of a tensor that is exclusively borrowed: no ledger needed.
    pub(crate) fn unique_view(&mut self) -> Option<AnyView<'_>> {
        self.buffer.is_unique().then_some(())?;
        // SAFETY: nobody else can reach the buffer while the unique Arc is borrowed mutably.
        Some(unsafe { self.any_view() })
    }
}
