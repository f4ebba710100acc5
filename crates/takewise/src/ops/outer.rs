//! Outer and pointwise subscripts: `oindex`, where every index array has axes of its own, and `vindex`, where they are
//! broadcast together and lead the result. Both spell out what a plain subscript guesses from where the arrays stand.
//!
//! The parts of a key that need no memory give a view; what is left are index arrays on some of its axes. With those axes
//! in front, an outer subscript is a pointwise one whose arrays form an open mesh, so one plan serves both.

use crate::Index;
use crate::error::{ArgumentRule, Error, Fault, Result, ShapeRule};
use crate::index::rules::{CopyOrder, Rules};
use crate::layout::Slice;
use crate::op::Op;
use crate::ops::Source;
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// A view and the index arrays of its leading axes.
struct OuterView {
    /// The view, axes with index arrays first, and for each of its axes where that one stood.
    view: Tensor,
    order: SmallVec<[i64; 6]>,
    arrays: SmallVec<[Tensor; 4]>,
}

fn refuse(rules: &Rules, op: Op, text: &str) -> Error {
    rules.fail(Fault::text(op, ArgumentRule::Other, text))
}

/// Positions of the true elements of a mask, one array per axis; an index array as it is.
fn positions(index: &Tensor, rules: &Rules) -> Result<Vec<Tensor>> {
    if index.dtype() == crate::DType::Bool { index.nonzero_tuple(rules) } else { Ok(vec![index.clone()]) }
}

/// Axes of the array an item speaks of.
fn consumed(item: &Index<'_>) -> usize {
    match item {
        Index::Tensor(t) if t.dtype() == crate::DType::Bool => t.rank(),
        Index::Ellipsis | Index::NewAxis => 0,
        _ => 1,
    }
}

fn spread(op: Op, x: &Tensor, items: &[Index<'_>], outer: bool, rules: &Rules) -> Result<OuterView> {
    let mut arrays: SmallVec<[Tensor; 4]> = SmallVec::new();
    let mut plain: SmallVec<[Index<'static>; 4]> = SmallVec::new();
    // The extent each array's axis must have, if it comes from a mask, and which axis of `x` that is.
    let mut extents: SmallVec<[Option<(usize, usize)>; 4]> = SmallVec::new();
    let (mut own, missing) = (0, x.rank().saturating_sub(items.iter().map(consumed).sum()));
    // The axis of the view each array stands at, counted from the front before an ellipsis and from the back after it.
    let (mut axes, mut axis, mut after): (SmallVec<[i64; 4]>, i64, bool) = (SmallVec::new(), 0, false);
    for item in items {
        match item {
            Index::Tensor(t) => {
                let parts = positions(t, rules)?;
                if outer && parts.iter().any(|p| p.rank() != 1) {
                    return Err(refuse(rules, op, "index arrays of an outer subscript have one axis each"));
                }
                if outer && parts.len() != 1 {
                    return Err(refuse(rules, op, "masks of an outer subscript have one axis each"));
                }
                for (d, part) in parts.into_iter().enumerate() {
                    let mask = t.dtype() == crate::DType::Bool;
                    extents.push(t.shape().get(d).filter(|_| mask).map(|&extent| (extent, own + d)));
                    arrays.push(part);
                    axes.push(axis);
                    plain.push(Index::Range(Slice::ALL));
                    axis += 1;
                }
            }
            Index::Array(_) | Index::Bool(_) => {
                return Err(refuse(rules, op, "only index arrays held by tensors can take part"));
            }
            Index::Ellipsis if after => return Err(refuse(rules, op, "only one ellipsis is allowed")),
            Index::Ellipsis => {
                plain.push(Index::Ellipsis);
                after = true;
                axis += x.rank() as i64 - items.iter().map(consumed).sum::<usize>() as i64;
            }
            Index::Int(i) => plain.push(Index::Int(*i)),
            Index::Range(s) => {
                plain.push(Index::Range(*s));
                axis += 1;
            }
            Index::NewAxis => {
                plain.push(Index::NewAxis);
                axis += 1;
            }
        }
        own += if matches!(item, Index::Ellipsis) { missing } else { consumed(item) };
    }
    let view = x.index(&plain, rules)?;
    for (&axis, &extent) in axes.iter().zip(&extents) {
        let has = usize::try_from(axis).ok().and_then(|d| view.shape().get(d)).copied();
        if let (Some((wanted, own)), Some(has)) = (extent, has)
            && !rules.mask_fits(wanted, has)
        {
            let shapes: &[(&'static str, &[usize])] =
                &[("mask", &[wanted]), ("array", x.shape()), ("axis", &[own]), ("real axis", &[own])];
            return Err(rules.fail(Fault::shape(op, ShapeRule::Mask, 0, shapes)));
        }
    }
    let rest = (0..view.rank() as i64).filter(|d| !axes.contains(d));
    let order: SmallVec<[i64; 6]> = axes.iter().copied().chain(rest).collect();
    if outer {
        let count = arrays.len();
        for (k, array) in arrays.iter_mut().enumerate() {
            let mut shape = vec![1i64; count];
            shape[k] = array.numel() as i64;
            *array = array.reshape(&shape)?;
        }
    }
    let view = if arrays.is_empty() { view } else { view.permute(&order)? };
    Ok(OuterView { view, order, arrays })
}

impl OuterView {
    fn items(&self) -> SmallVec<[Index<'_>; 4]> {
        self.arrays.iter().map(Index::Tensor).collect()
    }

    /// The axes of an outer result, in the order the key names them.
    fn back(&self) -> Vec<i64> {
        let mut back = vec![0; self.order.len()];
        for (k, &axis) in self.order.iter().enumerate() {
            back[axis as usize] = k as i64;
        }
        back
    }
}

impl Tensor {
    /// `self` at the cross product of the index arrays: each has one axis (or is a mask of one axis), and the result has
    /// an axis of that length in its place. Shares storage where no array takes part.
    ///
    /// Errors as [`Tensor::index`], of masks that do not fit too; kind `Argument` for arrays of other ranks. Source: NumPy's enhancement proposal 21.
    ///
    /// ```
    /// use takewise::{Rules, Tensor, ix};
    /// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
    /// let (i, j) = (Tensor::from_slice(&[1i64, 0], &[2])?, Tensor::from_slice(&[2i64, 0], &[2])?);
    /// assert_eq!(x.oindex(&ix![&i, &j], &Rules::NEUTRAL)?.to_vec::<i32>()?, [6, 4, 3, 1]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn oindex(&self, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
        let parts = spread(Op::OuterIndex, self, items, true, rules)?;
        if parts.arrays.is_empty() {
            return Ok(parts.view);
        }
        let rules = Rules { copies: CopyOrder::RowMajor, ..*rules };
        parts.view.index(&parts.items(), &rules).map_err(Error::in_own_axis)?.permute(&parts.back())
    }

    /// `self` at the points the index arrays name together: they are broadcast, and their axes lead the result wherever
    /// the arrays stand. Shares storage where no array takes part.
    ///
    /// Errors as [`Tensor::index`]. Source: NumPy's enhancement proposal 21.
    ///
    /// ```
    /// use takewise::{Rules, Tensor, ix};
    /// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
    /// let j = Tensor::from_slice(&[2i64, 0], &[2])?;
    /// assert_eq!(x.vindex(&ix![.., &j], &Rules::NEUTRAL)?.to_vec::<i32>()?, [3, 6, 1, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn vindex(&self, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
        let parts = spread(Op::PointIndex, self, items, false, rules)?;
        if parts.arrays.is_empty() {
            return Ok(parts.view);
        }
        parts.view.index(&parts.items(), rules)
    }

    /// Stores `value`, which broadcasts to what [`Tensor::oindex`] reads there. Nothing is written on error.
    pub fn oindex_set_<'v>(
        &self,
        items: &[Index<'_>],
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let parts = spread(Op::OuterIndex, self, items, true, rules)?;
        let stored = match value.into() {
            Source::Array(v) if !parts.arrays.is_empty() && v.rank() > 0 => {
                // The value has the key's order of axes, the view the arrays' axes in front.
                let lead = parts.order.len().saturating_sub(v.rank());
                let mut shape = vec![1i64; lead];
                shape.extend(v.shape().iter().map(|&n| n as i64));
                let v = v.reshape(&shape)?;
                let v = if v.rank() == parts.order.len() { v.permute(&parts.order)? } else { v };
                parts.view.index_set_(&parts.items(), &v, rules)
            }
            value if parts.arrays.is_empty() => parts.view.index_set_(&[Index::Ellipsis], value, rules),
            value => parts.view.index_set_(&parts.items(), value, rules),
        };
        stored.map_err(Error::in_own_axis)
    }

    /// Stores `value`, which broadcasts to what [`Tensor::vindex`] reads there. Nothing is written on error.
    pub fn vindex_set_<'v>(
        &self,
        items: &[Index<'_>],
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let parts = spread(Op::PointIndex, self, items, false, rules)?;
        if parts.arrays.is_empty() {
            return parts.view.index_set_(&[Index::Ellipsis], value, rules);
        }
        parts.view.index_set_(&parts.items(), value, rules)
    }
}
