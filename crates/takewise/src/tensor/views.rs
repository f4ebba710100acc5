//! Views of a tensor: other shapes, parts and orders over the same storage, and the copies beside them.

use super::{Tensor, is_grad_enabled};
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::{Dims, Layout, Slice};
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
        if !is_grad_enabled() && out.requires_grad() { out.detach() } else { out }
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
