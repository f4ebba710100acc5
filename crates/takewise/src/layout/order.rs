//! In which order of axes fresh results lie in memory: as their operands do.
//!
//! Axes are sorted from the innermost outwards by insertion, because "comes before" is not transitive: axes of
//! which no operand has a say stay as they are. Source: measured; torch's elementwise iterator.

use super::{Dims, Layout, dense};
use crate::error::{Error, Fault, Result};
use crate::op::Op;
use smallvec::smallvec;

/// The axes from innermost to outermost; `outwards(a, b)` says whether `a` belongs outside `b`, if it knows.
pub(crate) fn innermost_first(rank: usize, outwards: impl Fn(usize, usize) -> Option<bool>) -> Dims<usize> {
    let mut inner: Dims<usize> = (0..rank).rev().collect();
    for i in 1..rank {
        let mut here = i;
        for k in (0..i).rev() {
            match outwards(inner[k], inner[here]) {
                Some(true) => {
                    inner.swap(k, here);
                    here = k;
                }
                Some(false) => break,
                None => {}
            }
        }
    }
    inner
}

/// The layout of an elementwise result of `shape` and element size `size`, from its operands (stretched to that
/// shape, each with its element size): their strides if they are dense and agree, else dense strides in the
/// order the first operand that tells two axes apart has them. Axes that step 0 tell nothing.
///
/// Errors: kind `Memory` if the size overflows.
pub(crate) fn like_operands(shape: &[usize], operands: &[(&Layout, usize)], size: usize) -> Result<Layout> {
    let elements = |(l, size): &(&Layout, usize)| -> Dims<isize> {
        l.strides().iter().map(|s| s / (*size).max(1) as isize).collect()
    };
    let fail = || Error::plain(Fault::Memory { op: Op::Clone, bytes: None });
    let scaled = |strides: Dims<isize>| -> Result<Layout> {
        let bytes: Option<Dims<isize>> = strides.iter().map(|s| s.checked_mul(size as isize)).collect();
        Layout::new(shape, &bytes.ok_or_else(fail)?)
    };
    if let Some((first, rest)) = operands.split_first()
        && operands.iter().all(|(l, size)| l.shape() == shape && dense(l, *size))
        && rest.iter().all(|o| elements(o) == elements(first))
    {
        return scaled(elements(first));
    }
    let outwards = |a: usize, b: usize| {
        for (l, _) in operands {
            let (s, t) = (l.strides()[a].unsigned_abs(), l.strides()[b].unsigned_abs());
            if s == 0 || t == 0 {
                continue;
            }
            if s != t {
                return Some(s > t);
            }
            if shape[a] > shape[b] {
                return Some(true);
            }
        }
        None
    };
    let mut strides: Dims<isize> = smallvec![0; shape.len()];
    let mut step = 1isize;
    for d in innermost_first(shape.len(), outwards) {
        strides[d] = step;
        step = isize::try_from(shape[d].max(1)).ok().and_then(|n| step.checked_mul(n)).ok_or_else(fail)?;
    }
    scaled(strides)
}

impl Layout {
    /// The layout of a copy with elements of `to` bytes, where these have `size`, that keeps the order of axes in
    /// memory, as torch's `clone` and casts do: the same strides if this layout is dense, else dense strides in
    /// the same order. Axes that step 0 keep their place between their neighbours. Source: measured.
    pub(crate) fn packed_as(&self, size: usize, to: usize) -> Result<Layout> {
        // Elements without bytes all lie in one place, in no order.
        if size == 0 { Layout::contiguous(self.shape(), to) } else { like_operands(self.shape(), &[(self, size)], to) }
    }

    /// `packed_as` for elements of the same size.
    pub fn packed(&self, size: usize) -> Result<Layout> {
        // Dense already, as most are.
        if self.is_row_major(size) && self.numel() > 0 { Ok(self.clone()) } else { self.packed_as(size, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All layouts of two axes with these extents and strides that there can be.
    fn layouts() -> impl Iterator<Item = Layout> {
        let axes = || [0, 1, 2, 3].into_iter().flat_map(|n| [-4, 0, 4, 8, 12, 24].map(|s| (n, s)));
        axes().flat_map(move |a| axes().map(move |b| Layout::from_axes(2, |k| [a, b][k]).unwrap()))
    }

    #[test]
    fn what_is_row_major_is_packed_as_the_general_way_packs_it() {
        for layout in layouts().step_by(if cfg!(miri) { 7 } else { 1 }) {
            let row_major = Layout::contiguous(layout.shape(), 4).unwrap();
            assert_eq!(layout.is_row_major(4), layout == row_major, "{layout:?}");
            assert_eq!(layout.packed(4).unwrap(), layout.packed_as(4, 4).unwrap(), "{layout:?}");
        }
    }

    #[test]
    fn a_layout_is_made_where_its_offsets_fit() {
        let most = isize::MAX as usize;
        let extents = [0, 1, 2, most / 2, most, most + 1];
        let strides = [0, 1, -1, isize::MAX, isize::MIN];
        let axes = || extents.into_iter().flat_map(move |n| strides.map(|s| (n, s)));
        for (a, b) in axes().flat_map(|a| axes().map(move |b| (a, b))).step_by(if cfg!(miri) { 7 } else { 1 }) {
            let spans = [a, b].map(|(n, s)| (n as i128 - 1) * s as i128);
            let (low, high): (i128, i128) =
                (spans.iter().map(|s| *s.min(&0)).sum(), spans.iter().map(|s| *s.max(&0)).sum());
            let all = most as i128;
            let fits = a.0.max(b.0) <= most && a.0 as i128 * b.0 as i128 <= all && high - low <= all;
            let made = Layout::from_axes(2, |k| [a, b][k]).ok();
            assert_eq!(made.is_some(), fits || a.0 == 0 || b.0 == 0, "{a:?} {b:?}");
            assert_eq!(made, Layout::new(&[a.0, b.0], &[a.1, b.1]).ok(), "{a:?} {b:?}");
        }
    }
}
