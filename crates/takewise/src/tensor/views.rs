//! Views of a tensor: other shapes, parts and orders over the same storage, and the copies beside them.

use super::Tensor;
use super::access::{claim_one, packed};
use crate::autograd::record;
use crate::autograd::tape;
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::{Dims, Layout, Slice, infer_shape};
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::view::{one_to_one, sharing};

impl Tensor {
    /// The same storage with another layout, `offset` bytes on; the caller has shown that it reaches only
    /// elements this tensor reaches.
    ///
    /// An empty result keeps the offset too, as torch's does: it reaches nothing, and no address is ever formed
    /// from it.
    pub(crate) fn arranged(&self, offset: isize, layout: Layout) -> Tensor {
        let offset = self.offset.checked_add_signed(offset).unwrap_or(self.offset);
        let (own, via) = (self.own.clone(), self.via.clone());
        let out = Tensor { buffer: self.buffer.clone(), offset, layout, dtype: self.dtype, own, via };
        if !tape::is_grad_enabled() && out.requires_grad() { out.detach() } else { out }
    }

    /// A view by the operation its node is.
    pub(crate) fn named(&self, name: NodeOp, offset: isize, layout: Layout) -> Tensor {
        let mut out = self.arranged(offset, layout);
        out.via = self.seen_via(name, &out);
        out
    }

    one_to_one!(self, [&self], self.dtype.size());
    sharing!(self, [&self], self.dtype.size());

    /// This tensor read as if it had the larger shape; stretched and new axes step 0. Free.
    ///
    /// Error (kind `Argument`) if it does not broadcast.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Tensor> {
        let target: Option<Dims<i64>> = shape.iter().map(|&n| i64::try_from(n).ok()).collect();
        let target = target.ok_or_else(|| Error::plain(Fault::Memory { op: Op::BroadcastTo, bytes: None }))?;
        self.expand(&target).map_err(|e| e.in_op(Op::BroadcastTo))
    }

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
        let size = self.dtype.size();
        let target = infer_shape(Op::Reshape, self.numel(), shape)?;
        if let Some(layout) = self.layout.try_view(&target, size) {
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
        let shape = self.layout.flattened(Op::Flatten, first, last)?;
        self.reshape(&shape)
    }

    /// The named axes in reverse order, copied (as torch's `flip` is; [`Tensor::reversed`] is free). The
    /// copy keeps the order of axes in memory. Errors: kind `Axis`, `Argument`; those of [`Tensor::read`].
    pub fn flip(&self, dims: &[i64]) -> Result<Tensor> {
        let layout = self.layout.packed(self.dtype.size())?;
        let out = self.reversed(dims)?.copied_as(Op::Flip, layout)?;
        record::reversed(&out, self, dims);
        Ok(out)
    }

    /// Any sizes and strides (in elements) over this tensor's storage, `offset` elements from its beginning
    /// (by default where this tensor begins). Elements may be reached from several coordinates.
    ///
    /// Errors (kind `Argument`): a negative stride (torch's rule; see [`Tensor::from_buffer`] and
    /// [`Tensor::reversed`]), a layout reaching outside the storage, lists of different length.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[0, 1, 2, 3], &[4])?;
    /// let windows = x.as_strided(&[3, 2], &[1, 1], None)?;
    /// assert_eq!(windows.to_vec::<i32>()?, [0, 1, 1, 2, 2, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn as_strided(&self, sizes: &[usize], strides: &[i64], offset: Option<usize>) -> Result<Tensor> {
        let op = Op::AsStrided;
        if sizes.len() != strides.len() {
            let numbers = [sizes.len() as i64, strides.len() as i64];
            return Err(Error::plain(Fault::argument(op, ArgumentRule::StridedRank, &numbers)));
        }
        if strides.iter().any(|&s| s < 0) {
            return Err(Error::plain(Fault::argument(op, ArgumentRule::StridedNegative, strides)));
        }
        let size = self.dtype.size();
        let overflow = || Error::plain(Fault::Memory { op, bytes: None });
        let byte_strides: Option<Dims<isize>> =
            strides.iter().map(|&s| isize::try_from(s).ok()?.checked_mul(size as isize)).collect();
        let layout = Layout::new(sizes, &byte_strides.ok_or_else(overflow)?)?;
        let first = offset.map_or(Some(self.offset), |o| o.checked_mul(size)).ok_or_else(overflow)?;
        let seen = Tensor::within(self.buffer.clone(), first, layout.clone(), self.dtype).map_err(|_| {
            let needed = first as i128 + layout.reach().1 as i128 + size as i128;
            let text = format!(
                "sizes {}, strides {}, storage offset {}, and itemsize {size} requiring a storage size of {needed} \
                 are out of bounds for storage of size {}",
                crate::error::list(sizes),
                crate::error::list(strides),
                offset.unwrap_or(self.storage_offset()),
                self.buffer.len(),
            );
            Error::plain(Fault::text(op, ArgumentRule::StridedStorage, text))
        })?;
        let by = seen.offset as isize - self.offset as isize;
        Ok(self.named(NodeOp::AsStrided, by, layout))
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
        let out = self.copied_as(Op::Clone, self.layout.packed(self.dtype.size())?)?;
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
        let _open = claim_one(op, self, false)?;
        // SAFETY: L1 holds for every tensor; the registration keeps writers out.
        packed(&unsafe { self.any_view() })
    }

    /// A copy with the given layout, which is dense and has no negative strides but for this tensor's own.
    fn copied_as(&self, op: Op, layout: Layout) -> Result<Tensor> {
        if layout.is_row_major(self.dtype.size()) {
            return self.packed_copy(op).map_err(|e| e.in_op(op));
        }
        let mut out = Tensor::dense(layout, self.dtype).map_err(|e| e.in_op(op))?;
        let _open = claim_one(op, self, false)?;
        if let Some(mut dst) = out.unique() {
            // SAFETY: L1 holds for every tensor; the registration keeps writers out.
            crate::ops::copy_into(&unsafe { self.any_view() }, &mut dst)?;
        }
        Ok(out)
    }

    /// Strides in elements, outer to inner: torch's `stride()`.
    ///
    /// Foreign memory may have byte strides that are no multiple of the element; they are rounded down, and
    /// [`Tensor::layout`] tells the bytes.
    pub fn strides(&self) -> Vec<isize> {
        let size = (self.dtype.size() as isize).max(1);
        self.layout.strides().iter().map(|s| s.div_euclid(size)).collect()
    }

    /// Elements between the beginning of the storage and the first element: torch's `storage_offset()`.
    pub fn storage_offset(&self) -> usize {
        self.offset / self.dtype.size().max(1)
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Whether both use the same storage, whether or not they reach a common element.
    pub fn shares_memory(&self, other: &Tensor) -> bool {
        self.buffer.is(&other.buffer)
    }

    /// Whether both are the same elements in the same order: storage, first element, layout and dtype.
    pub fn is_same(&self, other: &Tensor) -> bool {
        self.shares_memory(other)
            && self.offset == other.offset
            && self.layout == other.layout
            && self.dtype == other.dtype
    }

    /// Whether nothing tells them apart: [`Tensor::is_same`], and the same history of gradients.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let mut x = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
    /// let before = x.clone();
    /// assert!(x.is_identical(&before));
    /// x.requires_grad_(true)?;
    /// assert!(x.is_same(&before) && !x.is_identical(&before));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn is_identical(&self, other: &Tensor) -> bool {
        let own = match (&self.own, &other.own) {
            (None, None) => true,
            (Some(own), Some(others)) => std::sync::Arc::ptr_eq(own, others),
            _ => false,
        };
        own && self.is_same(other) && self.via.is(&other.via)
    }
}
