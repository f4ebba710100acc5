//! Pure layout transforms: each returns the byte offset of the new first element and the new layout.
//! Nothing is copied and no memory is looked at.

use super::{Dims, Layout, broadcast_strides, normalize_dim};
use crate::error::{ArgumentRule, Error, Fault, Result, ShapeRule};
use crate::op::Op;

/// A Python slice; `None` means left out.
///
/// ```
/// use takewise::prelude::*;
/// let middle: Slice = (1..-1).into();
/// assert_eq!(middle, Slice { start: Some(1), stop: Some(-1), step: None });
/// assert_eq!(middle.resolve(5), (1, 3, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub struct Slice {
    pub start: Option<i64>,
    pub stop: Option<i64>,
    pub step: Option<i64>,
}

impl Slice {
    /// `:`.
    pub const ALL: Slice = Slice { start: None, stop: None, step: None };

    /// Start, count and step on an axis of length `len`, by Python's clamping rules; step must not be 0.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// assert_eq!(step(.., -2).resolve(5), (4, 3, -2));
    /// ```
    pub fn resolve(&self, len: usize) -> (usize, usize, i64) {
        let n = len as i128;
        let step = self.step.unwrap_or(1);
        let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let place = |v: Option<i64>, default: i128| match v {
            None => default,
            Some(v) => {
                let v = v as i128;
                (if v < 0 { v + n } else { v }).clamp(low, high)
            }
        };
        let (start, stop) = if step > 0 {
            (place(self.start, 0), place(self.stop, n))
        } else {
            (place(self.start, n - 1), place(self.stop, -1))
        };
        let (gap, by) = if step > 0 { (stop - start, step as i128) } else { (start - stop, -(step as i128)) };
        let count = if gap <= 0 { 0 } else { (gap + by - 1) / by };
        (start.max(0) as usize, count as usize, step)
    }
}

impl Layout {
    /// Fixes axis `d` at `i` (already inside the axis).
    pub fn select(&self, d: usize, i: usize) -> (isize, Layout) {
        let (mut shape, mut strides) = self.parts();
        shape.remove(d);
        let offset = strides.remove(d) * i as isize;
        (offset, Layout::derived(shape, strides))
    }

    /// Narrows axis `d` by a slice. Any non-zero step; a step of 0 is an error.
    ///
    /// The stride is multiplied by the step even where at most one element is left, as torch and NumPy do,
    /// unless that would overflow.
    pub fn slice(&self, op: Op, d: usize, slice: &Slice) -> Result<(isize, Layout)> {
        if slice.step == Some(0) {
            return Err(Error::plain(Fault::argument(op, ArgumentRule::ZeroStep, &[])));
        }
        let (start, count, step) = slice.resolve(self.shape()[d]);
        let (mut shape, mut strides) = self.parts();
        shape[d] = count;
        let offset = strides[d].checked_mul(start as isize).filter(|_| start < self.shape()[d]).unwrap_or(0);
        strides[d] = isize::try_from(step).ok().and_then(|s| strides[d].checked_mul(s)).unwrap_or(strides[d]);
        let empty = shape.contains(&0);
        Ok((if empty { 0 } else { offset }, Layout::derived(shape, strides)))
    }

    /// Inserts an axis of extent 1 before axis `d`, with the stride torch gives it: the stride times the
    /// extent of the axis it stands before, or one element of `size` bytes at the end.
    pub fn unsqueeze(&self, d: usize, size: usize) -> Layout {
        let (mut shape, mut strides) = self.parts();
        let before = (d < self.rank()).then(|| (shape[d] as isize).checked_mul(strides[d]).unwrap_or(0));
        shape.insert(d, 1);
        strides.insert(d, before.unwrap_or(size as isize));
        Layout::derived(shape, strides)
    }

    /// Reorders axes; `order` is a permutation of `0..rank`.
    pub fn permute(&self, order: &[usize]) -> Layout {
        Layout::derived(
            order.iter().map(|&d| self.shape()[d]).collect(),
            order.iter().map(|&d| self.strides()[d]).collect(),
        )
    }

    /// Reads this layout as if it had a larger shape; stretched axes step 0. Error if it does not fit.
    pub fn broadcast_to(&self, op: Op, target: &[usize]) -> Result<Layout> {
        if self.shape() == target {
            return Ok(self.clone());
        }
        let strides = broadcast_strides(self.shape(), self.strides(), target).ok_or_else(|| {
            Error::plain(Fault::shape(op, ShapeRule::Expand, 0, &[("shape", self.shape()), ("target", target)]))
        })?;
        Layout::new(target, &strides)
    }

    /// Reverses axis `d`.
    pub fn flip(&self, op: Op, d: i64) -> Result<(isize, Layout)> {
        let d = normalize_dim(op, d, self.rank())?;
        if self.rank() == 0 {
            return Ok((0, self.clone()));
        }
        self.slice(op, d, &Slice { start: None, stop: None, step: Some(-1) })
    }

    /// Drops all axes of extent 1 that `keep` does not hold on to.
    pub fn squeeze_where(&self, drop: impl Fn(usize) -> bool) -> Layout {
        let kept: Dims<usize> = (0..self.rank()).filter(|&d| !(self.shape()[d] == 1 && drop(d))).collect();
        self.permute(&kept)
    }
}
