//! Where a read puts its result: fresh memory, or the caller's.

use super::read;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};
use std::cell::Cell;

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

    /// The same memory seen with another layout, which must not reach beyond it.
    pub(crate) fn seen<R>(self, layout: Layout, then: impl FnOnce(Out) -> R) -> R {
        let mut view = self.view.reborrow().rearranged(0, layout);
        then(Out { view: &mut view, written: self.written })
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

    /// Runs a plan. Fresh memory which the plan does not cover starts as zero bytes.
    ///
    /// Errors as [`read`].
    pub(crate) fn read(self, plan: &Plan, indexed: &AnyView, operands: &[AnyView]) -> Result<()> {
        let Some(written) = self.written else { return read(plan, indexed, operands, self.view) };
        if !written.replace(true) && !plan.covers() {
            clear(self.view);
        }
        read(plan, indexed, operands, self.view)
    }
}

/// Zero bytes throughout a dense view that steps forward.
fn clear(view: &mut AnyViewMut) {
    let bytes = view.layout().numel() * view.dtype().size();
    // SAFETY: L1: a dense layout of so many elements reaches exactly these bytes.
    unsafe { view.as_mut_ptr().write_bytes(0, bytes) }
}

/// A fresh contiguous tensor, filled by one read. Memory: the result.
///
/// Errors: the read's, and kind `Memory`.
pub(crate) fn result(shape: &[usize], dtype: DType, fill: impl FnOnce(Out) -> Result<()>) -> Result<Tensor> {
    result_as(shape, dtype, Layout::clone, fill)
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
        let mut view = view.rearranged(0, layout).private().fresh(fresh);
        let written = Cell::new(false);
        fill(Out { view: &mut view, written: Some(&written) })?;
        if !written.get() {
            clear(&mut view);
        }
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
    let mut out = unsafe { Tensor::blank_as(layout, dtype)? };
    if let Some(mut view) = out.unique() {
        fill(&mut view)?;
    }
    Ok(out)
}
