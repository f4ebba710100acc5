//! Parts and rearrangements by axis number: select, narrow, slice, transpose, permute, diagonal, unfold.
//!
//! Each returns the byte offset of the new first element and the new layout. Axis numbers count from the end
//! when negative. An empty result has offset 0: there is nothing to point at.

use super::{Dims, Layout, Slice, normalize_dim};
use crate::error::{ArgumentRule as Rule, Error, Fault, OutOfRange, Result, ShapeRule};
use crate::op::Op;

type Windowed = Result<(isize, Layout)>;

fn refuse(op: Op, rule: Rule, numbers: &[i64]) -> Error {
    Error::plain(Fault::argument(op, rule, numbers))
}

impl Layout {
    fn has_axes(&self, op: Op) -> Result<()> {
        if self.rank() > 0 {
            return Ok(());
        }
        Err(Error::plain(Fault::shape(op, ShapeRule::ZeroDim, 0, &[("shape", &[])])))
    }

    /// Fixes an axis at an index, which counts from the end when negative; the axis disappears.
    ///
    /// Errors: kind `Shape` for a 0-d layout, `Axis`, `OutOfRange`.
    pub fn select_at(&self, op: Op, dim: i64, index: i64) -> Windowed {
        self.has_axes(op)?;
        let d = normalize_dim(op, dim, self.rank())?;
        let n = self.shape()[d];
        let place = if index < 0 { index as i128 + n as i128 } else { index as i128 };
        if place < 0 || place >= n as i128 {
            return Err(Error::plain(Fault::IntOutOfRange(OutOfRange {
                op,
                axis: d,
                ordinal: 0,
                len: n,
                value: index as i128,
                position: None,
                bad: 1,
                total: 1,
                from_end: true,
                shape: Dims::from_slice(self.shape()),
                tuple: Vec::new(),
            })));
        }
        let (offset, layout) = self.select(d, place as usize);
        Ok((if layout.numel() == 0 { 0 } else { offset }, layout))
    }

    /// Slices one axis by Python's rules, with any step but 0. Errors: kind `Shape` for a 0-d layout, `Axis`,
    /// `Argument` for step 0.
    pub fn slice_at(&self, op: Op, dim: i64, slice: &Slice) -> Windowed {
        self.has_axes(op)?;
        self.slice(op, normalize_dim(op, dim, self.rank())?, slice)
    }

    /// `length` places of an axis from `start` on; nothing is clamped.
    ///
    /// Errors: kind `Shape` for a 0-d layout, `Axis`, `Argument` if start or end lie outside.
    /// Source: torch (SEMANTICS.md, Views and windows).
    pub fn narrow(&self, op: Op, dim: i64, start: i64, length: i64) -> Windowed {
        self.has_axes(op)?;
        if length < 0 {
            return Err(refuse(op, Rule::NarrowLength, &[length]));
        }
        let d = normalize_dim(op, dim, self.rank())?;
        let n = self.shape()[d] as i64;
        if start < -n || start > n {
            return Err(refuse(op, Rule::NarrowStart, &[start, n]));
        }
        let start = if start < 0 { start + n } else { start };
        if start > n - length {
            return Err(refuse(op, Rule::NarrowEnd, &[start, length, n]));
        }
        self.slice(op, d, &Slice { start: Some(start), stop: Some(start + length), step: None })
    }

    /// Exchanges two axes. Error: kind `Axis`.
    pub fn transpose(&self, op: Op, dim0: i64, dim1: i64) -> Result<Layout> {
        let (a, b) = (normalize_dim(op, dim0, self.rank())?, normalize_dim(op, dim1, self.rank())?);
        let mut order: Dims<usize> = (0..self.rank()).collect();
        if self.rank() > 0 {
            order.swap(a, b);
        }
        Ok(self.permute(&order))
    }

    /// Exchanges the two axes of a matrix; lower ranks stay. Error (kind `Argument`) above rank 2.
    pub fn matrix_transpose(&self, op: Op) -> Result<Layout> {
        match self.rank() {
            0 | 1 => Ok(self.clone()),
            2 => Ok(self.permute(&[1, 0])),
            r => Err(refuse(op, Rule::RankAbove, &[r as i64, 2])),
        }
    }

    /// Reorders all axes. Errors: kind `Argument` unless every axis is named exactly once; `Axis`.
    pub fn permuted(&self, op: Op, dims: &[i64]) -> Result<Layout> {
        if dims.len() != self.rank() {
            return Err(refuse(op, Rule::PermuteDims, &[self.rank() as i64, dims.len() as i64]));
        }
        Ok(self.permute(&self.distinct(op, dims)?))
    }

    /// Moves the axes `from` to the places `to`; the others keep their order.
    ///
    /// Errors: kind `Argument` for lists of different length or a repeat; `Axis`.
    pub fn movedim(&self, op: Op, from: &[i64], to: &[i64]) -> Result<Layout> {
        if from.len() != to.len() {
            return Err(refuse(op, Rule::MoveDims, &[from.len() as i64, to.len() as i64]));
        }
        let (from, to) = (self.distinct(op, from)?, self.distinct(op, to)?);
        if self.rank() == 0 {
            return Ok(self.clone());
        }
        let mut rest = (0..self.rank()).filter(|d| !from.contains(d));
        let order: Dims<usize> = (0..self.rank())
            .filter_map(|d| to.iter().position(|&t| t == d).map_or_else(|| rest.next(), |k| Some(from[k])))
            .collect();
        Ok(self.permute(&order))
    }

    /// Walks the named axes backwards. Errors: kind `Axis`; `Argument` for an axis named twice.
    pub fn reversed(&self, op: Op, dims: &[i64]) -> Windowed {
        let named = self.distinct(op, dims)?;
        let (mut offset, mut layout) = (0, self.clone());
        for d in named.into_iter().filter(|&d| d < self.rank()) {
            let (by, next) = layout.flip(op, d as i64)?;
            (offset, layout) = (offset + by, next);
        }
        Ok((offset, layout))
    }

    /// The elements `(i, i + offset)` of two axes (below the main diagonal when negative), as a new last axis.
    ///
    /// Errors: kind `Axis`; `Argument` if the axes are the same. Source: torch (SEMANTICS.md, Views and windows).
    pub fn diagonal(&self, op: Op, offset: i64, dim1: i64, dim2: i64) -> Windowed {
        let (a, b) = (normalize_dim(op, dim1, self.rank())?, normalize_dim(op, dim2, self.rank())?);
        if a == b {
            return Err(refuse(op, Rule::SameDiagonalDims, &[dim1, dim2]));
        }
        let (rows, columns, k) = (self.shape()[a] as i128, self.shape()[b] as i128, offset as i128);
        let count = if k >= 0 { rows.min(columns - k) } else { (rows + k).min(columns) }.max(0) as usize;
        let kept: Dims<usize> = (0..self.rank()).filter(|&d| d != a && d != b).collect();
        let rest = self.permute(&kept);
        let overflow = || Error::plain(Fault::Memory { op, bytes: None });
        let step = self.strides()[a].checked_add(self.strides()[b]).ok_or_else(overflow)?;
        let (mut shape, mut strides) = rest.parts();
        shape.push(count);
        strides.push(step);
        let layout = Layout::new(&shape, &strides)?;
        let first = match layout.numel() {
            0 => 0,
            _ if offset >= 0 => self.strides()[b] * offset as isize,
            _ => self.strides()[a] * offset.unsigned_abs() as isize,
        };
        Ok((first, layout))
    }

    /// All windows of `size` places along an axis, `step` apart; the window is a new last axis. Windows
    /// overlap when step < size. A 0-d layout counts as one place and gives a single window's axis.
    ///
    /// `bytes` is the size of one element. Errors: kind `Axis`, `Argument`.
    /// Source: torch (SEMANTICS.md, Views and windows).
    pub fn unfold(&self, op: Op, dim: i64, size: i64, step: i64, bytes: usize) -> Result<Layout> {
        let d = normalize_dim(op, dim, self.rank())?;
        let n = self.shape().get(d).copied().unwrap_or(1) as i64;
        if size < 0 {
            return Err(refuse(op, Rule::UnfoldSizeNegative, &[size]));
        }
        if size > n {
            return Err(refuse(op, Rule::UnfoldSize, &[size, n, d as i64]));
        }
        if step <= 0 {
            return Err(refuse(op, Rule::UnfoldStep, &[step]));
        }
        let (mut shape, mut strides) = self.parts();
        let old = strides.get(d).copied().unwrap_or(bytes as isize);
        if self.rank() > 0 {
            shape[d] = ((n - size) / step + 1) as usize;
            // A step that overflows can only belong to a single window, where it is never taken.
            strides[d] = isize::try_from(step).ok().and_then(|s| old.checked_mul(s)).unwrap_or(old);
        }
        shape.push(size as usize);
        strides.push(old);
        Layout::new(&shape, &strides)
    }
}
