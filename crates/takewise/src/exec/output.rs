//! Where a read puts its result: fresh memory, or the caller's.

use super::{far, read, trace};
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::memory::Buffer;
use crate::notes;
use crate::plan::Plan;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};
use std::cell::Cell;

/// Bytes of a row-major copy below which nobody has to think how it is best made.
const SHORT: usize = 1024;

/// The target of a read. Fresh memory has no content before it is written (E2), and can only be written here.
pub(crate) struct Out<'o, 'b> {
    view: &'o mut AnyViewMut<'b>,
    /// For fresh memory: whether all of it has been written.
    written: Option<&'o Cell<bool>>,
}

impl<'o, 'b> Out<'o, 'b> {
    /// The caller's memory: nothing is stored on error.
    pub(crate) fn given(view: &'o mut AnyViewMut<'b>) -> Out<'o, 'b> {
        Out { view, written: None }
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.view.layout()
    }

    /// Has `fill` write the memory, all of it unless it fails.
    ///
    /// # Safety
    /// E2: after success every element has been written, and none was read before.
    pub(crate) unsafe fn filled<E>(
        self,
        fill: impl FnOnce(&mut AnyViewMut<'b>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        fill(self.view)?;
        if let Some(written) = self.written {
            written.set(true);
        }
        Ok(())
    }

    /// Copies `src`, which has the same shape and dtype, if both are row-major and so short that a plan would cost more than
    /// it moves; else gives the target back.
    pub(crate) fn copied(self, src: &AnyView) -> Option<Out<'o, 'b>> {
        let bytes = self.view.layout().numel() * src.dtype().size();
        let plain =
            bytes <= SHORT && src.layout() == self.view.layout() && src.layout().is_contiguous(src.dtype().size());
        if !plain || notes::unusual() {
            return Some(self);
        }
        // SAFETY: L1: two dense layouts reach exactly so many bytes from the first element on, if any. The target is borrowed
        // mutably, so they do not meet; E2: all of it is written.
        unsafe { self.view.as_mut_ptr().copy_from_nonoverlapping(src.as_ptr(), bytes) };
        if let Some(written) = self.written {
            written.set(true);
        }
        None
    }

    /// Runs a plan. Fresh memory which the plan does not cover, or might not be let write, starts as zero bytes.
    ///
    /// Errors as [`read`].
    pub(crate) fn read(self, plan: &Plan, indexed: &AnyView, operands: &[AnyView]) -> Result<()> {
        let Some(written) = self.written else {
            if notes::has_far() {
                far::room_for(plan, self.view)?;
            }
            return read(plan, indexed, operands, self.view);
        };
        if !written.replace(true) && (!plan.covers() || trace::watched()) {
            clear(self.view);
        }
        read(plan, indexed, operands, self.view)
    }
}

/// Zero bytes throughout a dense view that steps forward.
fn clear(view: &mut AnyViewMut) {
    let bytes = view.layout().numel() * view.dtype().size();
    // Fresh memory that nothing is moved into is zero bytes already where it is large.
    if trace::watched() && Buffer::imagines(bytes) {
        return;
    }
    // SAFETY: L1: a dense layout of so many elements reaches exactly these bytes.
    unsafe { view.as_mut_ptr().write_bytes(0, bytes) }
}

/// A fresh contiguous tensor, filled by one read. Memory: the result.
///
/// Errors: the read's, and kind `Memory`.
pub(crate) fn result(shape: &[usize], dtype: DType, fill: impl FnOnce(Out) -> Result<()>) -> Result<Tensor> {
    // SAFETY: E2: all of it is written below before anybody sees it; on an error nobody does.
    let mut made = unsafe { Tensor::blank(shape, dtype) };
    // Tensors are large: it is filled where it is given back.
    if let Ok(out) = &mut made {
        let fresh = out.is_fresh();
        // SAFETY: L3: it was just made, and its layout is row-major.
        written(&mut unsafe { out.own_view() }.private().fresh(fresh), fill)?;
    }
    made
}

/// Has `fill` write fresh memory; none of it stays without a value.
fn written(view: &mut AnyViewMut, fill: impl FnOnce(Out) -> Result<()>) -> Result<()> {
    let written = Cell::new(false);
    fill(Out { view, written: Some(&written) })?;
    if !written.get() {
        clear(view);
    }
    Ok(())
}

/// [`result`], whose read sees the memory with the axes in another order.
pub(crate) fn result_as(
    shape: &[usize],
    dtype: DType,
    seen: impl FnOnce(&Layout) -> Layout,
    fill: impl FnOnce(Out) -> Result<()>,
) -> Result<Tensor> {
    // SAFETY: E2: all of it is written below before anybody sees it; on an error nobody does.
    let mut out = unsafe { Tensor::blank(shape, dtype)? };
    let (layout, fresh) = (seen(out.layout()), out.is_fresh());
    if let Some(view) = out.unique() {
        written(&mut view.rearranged(0, layout).private().fresh(fresh), fill)?;
    }
    Ok(out)
}

/// A fresh tensor of a dense layout that steps forward, filled by a kernel. Memory: the result.
///
/// Errors: those of `fill`, and kind `Memory`.
///
/// # Safety
/// E2: unless it fails, `fill` writes every element and reads none.
pub(crate) unsafe fn filled(
    layout: Layout,
    dtype: DType,
    fill: impl FnOnce(&mut AnyViewMut) -> Result<()>,
) -> Result<Tensor> {
    // SAFETY: passed on; on an error nobody sees it.
    let mut made = unsafe { Tensor::blank_as(layout, dtype) };
    // Tensors are large: it is filled where it is given back.
    if let Ok(out) = &mut made {
        // SAFETY: L3: it was just made, and its layout is dense.
        fill(&mut unsafe { out.own_view() }.private())?;
    }
    made
}
