//! Other shapes over the same elements: view, expand, squeeze.

use super::{Dims, Layout, normalize_dim, product};
use crate::error::{ArgumentRule as Rule, Error, Fault, Result};
use crate::op::Op;
use smallvec::smallvec;

fn refuse(op: Op, rule: Rule, numbers: &[i64]) -> Error {
    Error::plain(Fault::argument(op, rule, numbers))
}

/// Numbers followed by the shape the caller gave.
fn with_shape(numbers: &[i64], target: &[i64]) -> Dims<i64> {
    numbers.iter().chain(target).copied().collect()
}

/// The extents a caller means, with at most one `-1` worked out from the number of elements.
///
/// Errors (kind `Argument`): two extents to infer, an extent below -1, an extent that cannot be told
/// because the others hold 0 elements, or a shape that does not hold `numel` elements.
pub fn infer_shape(op: Op, numel: usize, target: &[i64]) -> Result<Dims<usize>> {
    let mut unknown = None;
    for (d, &n) in target.iter().enumerate() {
        match n {
            -1 if unknown.is_some() => return Err(refuse(op, Rule::InferTwice, target)),
            -1 => unknown = Some(d),
            n if n < 0 => {
                return Err(refuse(op, Rule::NegativeExtent, &with_shape(&[n, d as i64], target)));
            }
            _ => {}
        }
    }
    let mut shape: Dims<usize> = target.iter().map(|&n| usize::try_from(n).unwrap_or(1)).collect();
    let known = product(&shape);
    let unfit = || refuse(op, Rule::ShapeCount, &with_shape(&[numel as i64], target));
    match (unknown, known) {
        (None, Some(k)) if k == numel => {}
        (Some(_), Some(0)) if numel == 0 => return Err(refuse(op, Rule::InferAmbiguous, target)),
        (Some(d), Some(k)) if k > 0 && numel.is_multiple_of(k) => shape[d] = numel / k,
        _ => return Err(unfit()),
    }
    Ok(shape)
}

impl Layout {
    /// The same elements in row-major order under another shape, without moving any.
    ///
    /// `size` is the bytes of one element; one extent may be -1. Errors (kind `Argument`): as
    /// [`infer_shape`]; or an axis of the new shape would step unevenly (then only a copy can do it).
    pub fn view(&self, op: Op, target: &[i64], size: usize) -> Result<Layout> {
        let shape = infer_shape(op, self.numel(), target)?;
        self.try_view(&shape, size).ok_or_else(|| refuse(op, Rule::ViewStrides, target))
    }

    /// As [`Layout::view`] for extents that already hold as many elements; `None` where a copy is needed.
    pub fn try_view(&self, shape: &[usize], size: usize) -> Option<Layout> {
        if self.numel() == 0 {
            return if shape == self.shape() { Some(self.clone()) } else { Layout::contiguous(shape, size).ok() };
        }
        // Runs of axes that step as one, inner to outer; an axis of extent 1 joins any run.
        let mut runs: Dims<(usize, isize)> = Dims::new();
        for (&n, &s) in self.shape().iter().zip(self.strides()).rev() {
            match runs.last_mut() {
                Some(run) if n == 1 || run.1.checked_mul(run.0 as isize) == Some(s) => run.0 *= n,
                _ => runs.push((n, s)),
            }
        }
        if runs.is_empty() {
            runs.push((1, size as isize));
        }
        // Every new axis has to lie inside one run.
        let mut strides: Dims<isize> = smallvec![0; shape.len()];
        let mut d = shape.len();
        for (count, step) in runs {
            let mut filled = 1;
            while d > 0 && (filled < count || shape[d - 1] == 1) {
                d -= 1;
                strides[d] = step.checked_mul(filled as isize)?;
                filled *= shape[d];
            }
            if filled != count {
                return None;
            }
        }
        (d == 0).then(|| Layout::derived(Dims::from_slice(shape), strides))
    }

    /// torch's expand: axes of extent 1 are stretched with step 0, new axes appear in front, -1 keeps an extent.
    ///
    /// Errors (kind `Argument`): an extent other than 1 changes, -1 stands for a new axis, or the target has
    /// fewer axes. Kind `Memory` if the number of elements overflows.
    pub fn expand(&self, op: Op, target: &[i64]) -> Result<Layout> {
        let text = |rule, numbers: Dims<i64>| {
            let text = crate::error::list(self.shape());
            Error::plain(Fault::Argument { op, rule, numbers: numbers.to_vec(), text })
        };
        let Some(lead) = target.len().checked_sub(self.rank()) else {
            return Err(text(Rule::ExpandRank, Dims::from_slice(target)));
        };
        let mut shape: Dims<usize> = smallvec![0; target.len()];
        let mut strides: Dims<isize> = smallvec![0; target.len()];
        for d in (0..target.len()).rev() {
            let (n, s) = match d.checked_sub(lead) {
                Some(own) => (self.shape()[own], self.strides()[own]),
                None if target[d] < 0 => return Err(refuse(op, Rule::ExpandLeading, &[target[d], d as i64])),
                // The stride torch reports for a new axis of extent 1.
                None => (1, (shape.get(d + 1)).map_or(0, |&n| (n as isize).saturating_mul(strides[d + 1]))),
            };
            shape[d] = match usize::try_from(target[d]) {
                Ok(m) => m,
                Err(_) if target[d] == -1 => n,
                Err(_) => {
                    return Err(refuse(op, Rule::NegativeExtent, &with_shape(&[target[d], d as i64], target)));
                }
            };
            strides[d] = if shape[d] == n { s } else { 0 };
            if shape[d] != n && n != 1 {
                return Err(text(Rule::ExpandSize, with_shape(&[d as i64], target)));
            }
        }
        Layout::new(&shape, &strides)
    }

    /// Drops the named axes that have extent 1; others named stay. Errors: kind `Axis`; `Argument` for an axis
    /// named twice.
    pub fn squeeze(&self, op: Op, dims: &[i64]) -> Result<Layout> {
        let mut named = self.distinct(op, dims)?;
        named.sort_unstable();
        Ok(self.squeeze_where(|d| named.binary_search(&d).is_ok()))
    }

    /// Inserts an axis of extent 1 at `dim` of the result (from the end when negative); `size` is the bytes
    /// of one element. Error: kind `Axis`.
    pub fn unsqueeze_at(&self, op: Op, dim: i64, size: usize) -> Result<Layout> {
        Ok(self.unsqueeze(normalize_dim(op, dim, self.rank() + 1)?, size))
    }

    /// Merges the axes `first..=last` into one, for a following [`Layout::view`]: the extents it needs.
    ///
    /// A 0-d array becomes 1-d. Errors: kind `Axis`; `Argument` if `last` lies before `first`.
    pub fn flattened(&self, op: Op, first: i64, last: i64) -> Result<Dims<i64>> {
        let (a, b) = (normalize_dim(op, first, self.rank())?, normalize_dim(op, last, self.rank())?);
        if self.rank() == 0 {
            return Ok(smallvec![1]);
        }
        if b < a {
            let text = format!("the last axis {last} comes before the first, {first}");
            return Err(Error::plain(Fault::text(op, Rule::Other, text)));
        }
        let merged = product(&self.shape()[a..=b]).ok_or_else(|| Error::plain(Fault::Memory { op, bytes: None }))?;
        let outer = self.shape()[..a].iter().map(|&n| n as i64);
        Ok(outer.chain([merged as i64]).chain(self.shape()[b + 1..].iter().map(|&n| n as i64)).collect())
    }

    /// Axes as numbers from the front, each at most once. Errors: kind `Axis`; `Argument` for a repeat.
    pub(super) fn distinct(&self, op: Op, dims: &[i64]) -> Result<Dims<usize>> {
        let mut out = Dims::new();
        // One more than there are: an array without axes has the axis 0 for whoever names it.
        let mut seen: Dims<bool> = smallvec![false; self.rank() + 1];
        for &dim in dims {
            let d = normalize_dim(op, dim, self.rank())?;
            if std::mem::replace(&mut seen[d], true) {
                return Err(refuse(op, Rule::RepeatedDim, &[d as i64]));
            }
            out.push(d);
        }
        Ok(out)
    }
}
