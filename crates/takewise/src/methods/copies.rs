//! Copies as methods of [`Tensor`], and shapes that may need one.

use crate::autograd::record;
use crate::error::Result;
use crate::exec::copy;
use crate::layout::{Layout, infer_shape};
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::copy_into;
use crate::tensor::Tensor;

impl Tensor {
    /// The same elements in row-major order under another shape; one extent may be -1.
    ///
    /// A view where the strides allow it, else a copy. Errors: kind `Argument` if the count differs; those
    /// of [`Tensor::read`] if it copies.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
    /// assert!(x.reshape(&[3, -1])?.shares_memory(&x));
    /// let y = x.t()?.reshape(&[6])?;
    /// assert_eq!(y.to_vec::<i32>()?, [1, 4, 2, 5, 3, 6]);
    /// assert!(!y.shares_memory(&x));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn reshape(&self, shape: &[i64]) -> Result<Tensor> {
        let size = self.dtype().size();
        let target = infer_shape(Op::Reshape, self.numel(), shape)?;
        if let Some(layout) = self.layout().try_view(&target, size) {
            // torch's reshape is its view of contiguous tensors only, and an operation of its own for others.
            let name = if self.is_contiguous() { NodeOp::View } else { NodeOp::ReshapeAlias };
            return Ok(self.named(name, 0, layout));
        }
        let copied = self.packed_copy(Op::Reshape)?;
        let layout = Layout::contiguous(&target, size)?;
        let out = copied.arranged(0, layout);
        record::copied(&out, self, NodeOp::UnsafeView);
        Ok(out)
    }

    /// The axes `first` to `last` merged into one; a view where possible, else a copy. Errors as
    /// [`Tensor::reshape`]; also kind `Axis`.
    pub fn flatten(&self, first: i64, last: i64) -> Result<Tensor> {
        let shape = self.layout().flattened(Op::Flatten, first, last)?;
        self.reshape(&shape)
    }

    /// The named axes in reverse order, copied (as torch's `flip` is; [`Tensor::reversed`] is free). The
    /// copy keeps the order of axes in memory. Errors: kind `Axis`, `Argument`; those of [`Tensor::read`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.flip(&[1])?.to_vec::<i64>()?, [2, 1, 4, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn flip(&self, axes: &[i64]) -> Result<Tensor> {
        let layout = self.layout().packed(self.dtype().size())?;
        let out = self.reversed(axes)?.copied_as(Op::Flip, layout)?;
        record::reversed(&out, self, axes);
        Ok(out)
    }

    /// This tensor, if its elements lie in row-major order without gaps; else a row-major copy.
    ///
    /// Errors if it copies: those of [`Tensor::read`], kind `Memory`.
    pub fn contiguous(&self) -> Result<Tensor> {
        if self.is_contiguous() {
            return Ok(self.clone());
        }
        let out = self.packed_copy(Op::Contiguous)?;
        record::copied(&out, self, NodeOp::Clone);
        Ok(out)
    }

    /// A copy in storage of its own that keeps the order of axes in memory, as torch's `clone` does
    /// (`Clone::clone` shares the storage).
    ///
    /// Errors: kind `Busy` as [`Tensor::read`], `Memory`. Cost: one pass.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?.t()?;
    /// assert_eq!(x.clone_data()?.strides(), [1, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn clone_data(&self) -> Result<Tensor> {
        let out = self.copied_as(Op::Clone, self.layout().packed(self.dtype().size())?)?;
        record::copied(&out, self, NodeOp::Clone);
        Ok(out)
    }

    /// A row-major copy in storage of its own, also of what is row-major already.
    ///
    /// Errors and cost: those of [`Tensor::clone_data`].
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?.t()?;
    /// assert_eq!(x.to_row_major()?.strides(), [2, 1]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn to_row_major(&self) -> Result<Tensor> {
        let out = self.packed_copy(Op::Copy)?;
        record::copied(&out, self, NodeOp::Clone);
        Ok(out)
    }

    fn packed_copy(&self, op: Op) -> Result<Tensor> {
        copy(&self.read_for(op)?.view())
    }

    /// A copy with the given layout, which is dense and has no negative strides but for this tensor's own.
    fn copied_as(&self, op: Op, layout: Layout) -> Result<Tensor> {
        if layout.is_row_major(self.dtype().size()) {
            return self.packed_copy(op).map_err(|e| e.in_op(op));
        }
        let mut out = Tensor::dense(layout, self.dtype()).map_err(|e| e.in_op(op))?;
        let open = self.read_for(op)?;
        if let Some(mut dst) = out.unique() {
            copy_into(&open.view(), &mut dst)?;
        }
        Ok(out)
    }
}
