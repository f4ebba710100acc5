//! Gradients of what writes: of the array written into, and of the values stored.

use super::places::{Addressed, Places, with_items};
use super::shaped;
use crate::Index;
use crate::dtype::Scalar;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::rules::{Extent, Rules};
use crate::layout::{Dims, Layout, Slice};
use crate::op::{AddWay, Combine, Op};
use crate::ops::{self, copy_into, fresh};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// Which operand's gradient is asked for.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::grad::{self, Of};
/// // What a masked fill lets through to its input.
/// let g = grad::masked_fill(&[1.0, 2.0], Of::Input, &[true, false], &Rules::NEUTRAL)?;
/// assert_eq!(g.to_vec::<f64>()?, [0.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of<'s> {
    /// The array written into.
    Input,
    /// The values stored, whose shape this is.
    Source(&'s [usize]),
}

/// A write at an address: what its gradients are, and what it makes of zeros.
#[derive(Clone)]
pub(crate) struct Write {
    at: Addressed,
    /// Whether it adds instead of storing.
    pub(crate) sums: bool,
    /// Whether values that are no number go one to a place, in the leading box of an array that may be larger; else they
    /// broadcast.
    boxed: bool,
}

impl Write {
    /// A write of values that broadcast to the places.
    pub(crate) fn broadcast(op: Op, address: Address, sums: bool, rules: &Rules) -> Write {
        Write { at: Addressed::new(op, address, rules), sums, boxed: false }
    }

    /// A write of values that have a place each.
    pub(crate) fn each(op: Op, address: Address, sums: bool, rules: &Rules) -> Write {
        Write { boxed: true, ..Write::broadcast(op, address, sums, rules) }
    }

    /// The gradient of what was written into, or of the values, from that of the result.
    pub(crate) fn gradient(&self, g: &AnyView, of: Of, operands: &[AnyView]) -> Result<Tensor> {
        let places = self.at.places(operands, g.shape())?;
        let shape = match of {
            Of::Input if self.sums => return ops::copy(g),
            Of::Input => return places.cleared(g),
            Of::Source(shape) => shape,
        };
        let values = if self.sums { places.read(g)? } else { places.survived(g)? };
        match self.at.address {
            _ if !self.has_each(shape.len(), &places) => ops::sum_to(values, shape),
            Address::Mask => shaped(boxed(values, &[shape.iter().product()])?, shape),
            _ => boxed(values, shape),
        }
    }

    /// What it makes of zeros of that shape: the transpose of the gradient of the values.
    pub(crate) fn put(&self, whole: &[usize], values: &AnyView, operands: &[AnyView]) -> Result<Tensor> {
        let places = self.at.places(operands, whole)?;
        let (packed, guard);
        let values = if self.has_each(values.rank(), &places) {
            packed = front_of(values, places.result())?;
            guard = packed.read_any()?;
            guard.view()
        } else {
            values.clone()
        };
        fresh(whole, values.dtype(), |out| match self.sums {
            true => places.combine(out, (&values).into(), Reduce::Sum, true),
            false => places.store(out, (&values).into()),
        })
    }

    /// Whether values of so many axes have a place each: a number serves them all.
    fn has_each(&self, rank: usize, places: &Places) -> bool {
        self.boxed && (rank > 0 || places.result().iter().product::<usize>() == 1)
    }
}

/// A copy of the leading box of a source, in the shape of the places; of other ranks, its first elements.
pub(super) fn front_of(source: &AnyView, wanted: &[usize]) -> Result<Tensor> {
    if source.rank() == wanted.len() {
        return ops::copy(&source.rearranged(0, Layout::new(wanted, source.layout().strides())?));
    }
    let count: usize = wanted.iter().product();
    shaped(shaped(ops::copy(source)?, &[source.numel()])?.narrow(0, 0, count as i64)?, wanted)
}

/// Values for the leading box of a source that may be larger; the rest of it took no part.
pub(super) fn boxed(values: Tensor, source: &[usize]) -> Result<Tensor> {
    if values.shape() == source || source.len() != values.rank() {
        return shaped(values, source);
    }
    fresh(source, values.dtype(), |out| {
        let values = values.read_any()?;
        copy_into(&values.view(), &mut front(out.reborrow(), values.view().shape())?)
    })
}

/// The leading box of an array.
fn front<'b>(view: AnyViewMut<'b>, shape: &[usize]) -> Result<AnyViewMut<'b>> {
    let layout = Layout::new(shape, view.layout().strides())?;
    Ok(view.rearranged(0, layout))
}

/// A gradient in [`ops::scatter`] without a reduction, the array written into having the shape of `g`.
///
/// The input gets `g` with zeros at the places; a source gets `g` from the place of each value, and 0 for values that
/// were overwritten by a later one or lie outside the index.
///
/// ```
/// use takewise::{grad::{self, Of}, Rules, View};
/// let (index, g) = ([0i64, 0, 2], [1.0f32, 2.0, 4.0]);
/// let (index, g) = (View::from(&index[..]), View::from(&g[..]));
/// let dx = grad::scatter(&g, Of::Input, 0, &index, &Rules::NEUTRAL)?;
/// let dsrc = grad::scatter(&g, Of::Source(&[4]), 0, &index, &Rules::NEUTRAL)?;
/// assert_eq!(dx.to_vec::<f32>()?, [0.0, 2.0, 0.0]);
/// assert_eq!(dsrc.to_vec::<f32>()?, [0.0, 1.0, 4.0, 0.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    Write::each(Op::Scatter, Address::axis(axis, g.rank()), false, rules).gradient(&g, of, &[index.into()])
}

/// A gradient in [`ops::scatter_add`]: the input gets `g`, the source `g` from the place of each value.
pub fn scatter_add<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    Write::each(Op::ScatterAdd, Address::axis(axis, g.rank()), true, rules).gradient(&g, of, &[index.into()])
}

/// The write of [`ops::put_along_`].
pub(super) fn put_along_write(axis: i64, rank: usize, rules: &Rules) -> Write {
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    Write::broadcast(Op::PutAlongAxis, Address::axis(axis, rank), false, &rules)
}

/// A gradient in [`ops::put_along_`], whose values broadcast.
pub fn put_along<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    put_along_write(axis, g.rank(), rules).gradient(&g, of, &[index.into()])
}

/// A gradient in [`ops::index_add`] with this `alpha`: the input gets `g`, the source `alpha` (its conjugate) times `g` from the slice
/// each of its slices was added to.
pub fn index_add<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    alpha: Scalar,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    let write = Write::each(Op::IndexAdd(AddWay::Plain), Address::slices(axis, g.rank()), true, rules);
    let got = write.gradient(&g, of, &[index.into()])?;
    if of == Of::Input || matches!(alpha, Scalar::Int(1)) {
        return Ok(got);
    }
    let alpha = match alpha {
        Scalar::Complex(re, im) => Scalar::Complex(re, -im),
        real => real,
    };
    let factor = Tensor::full(&[], alpha, got.dtype())?.broadcast_to(got.shape())?;
    ops::combined(&got.read_any()?.view(), &factor.read_any()?.view(), Reduce::Prod)
}

/// A gradient in [`ops::index_copy`]: as [`scatter`], of whole slices.
pub fn index_copy<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    Write::each(Op::IndexCopy, Address::slices(axis, g.rank()), false, rules).gradient(&g, of, &[index.into()])
}

/// A gradient in [`ops::index_fill`]: the value gets the sum of `g` over the slices filled, each once.
pub fn index_fill<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    let at = Address::slices(axis, g.rank());
    Write::broadcast(Op::IndexFill { subscript: false }, at, false, rules).gradient(&g, of, &[index.into()])
}

/// A gradient in [`ops::put`], with `accumulate` or without.
pub fn put<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    index: impl Into<AnyView<'a>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    Write::each(Op::PutInPlace, Address::Flat, accumulate, rules).gradient(&g, of, &[index.into()])
}

/// A gradient in [`ops::index_put`], with `accumulate` or without; the values' is summed over what broadcast.
pub fn index_put<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    indices: &[Index<'_>],
    accumulate: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    with_items(indices, rules, |address, arrays| {
        Write::broadcast(Op::IndexPut, address, accumulate, rules).gradient(&g, of, arrays)
    })
}

/// A gradient in [`ops::index_set`], `x[items] = value`: the array's is `g` without what was overwritten, the value's
/// is what is read with the same items, summed over what broadcast, without values that were overwritten themselves.
///
/// ```
/// use takewise::{Rules, View, grad::{self, Of}, ix};
/// let g = [1.0f32, 2.0, 4.0, 8.0];
/// let g = View::new(&g, &[2, 2])?;
/// let dvalue = grad::index_set(&g, Of::Source(&[2]), &ix![.., 1], &Rules::NEUTRAL)?;
/// assert_eq!(dvalue.to_vec::<f32>()?, [2.0, 8.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_set<'a>(g: impl Into<AnyView<'a>>, of: Of, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
    index_put(g, of, items, false, rules)
}

/// A gradient in [`ops::masked_fill`]: the input gets `g` with zeros where the mask is true (to be summed by
/// [`broadcast`](super::broadcast) if the mask stretched it), the value the sum of `g` there.
pub fn masked_fill<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    mask: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    Write::broadcast(Op::MaskedFill, Address::Mask, false, rules).gradient(&g, of, &[mask.into()])
}

/// A gradient in [`ops::masked_scatter`]: the source gets `g` where the mask is true in its first elements, 0 in the
/// rest.
pub fn masked_scatter<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    mask: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    Write::each(Op::MaskedScatter, Address::Mask, false, rules).gradient(&g, of, &[mask.into()])
}

/// A gradient in [`ops::tensor_scatter`] and [`ops::scatter_nd_`] that stores, or with `sums` adds.
pub fn tensor_scatter<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    index: impl Into<AnyView<'a>>,
    sums: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let g = g.into();
    let op = Op::TensorScatter(Combine::Update);
    Write::broadcast(op, Address::Nd { batch: 0 }, sums, rules).gradient(&g, of, &[index.into()])
}

/// A gradient in [`ops::select_scatter`].
pub fn select_scatter<'a>(g: impl Into<AnyView<'a>>, of: Of, axis: i64, index: i64, rules: &Rules) -> Result<Tensor> {
    replaced(Op::SelectScatter, &g.into(), of, |l| l.select_at(Op::SelectScatter, axis, index), rules)
}

/// A gradient in [`ops::slice_scatter`].
pub fn slice_scatter<'a>(g: impl Into<AnyView<'a>>, of: Of, axis: i64, slice: Slice, rules: &Rules) -> Result<Tensor> {
    replaced(Op::SliceScatter, &g.into(), of, |l| l.slice_at(Op::SliceScatter, axis, &slice), rules)
}

/// A gradient in [`ops::diagonal_scatter`].
pub fn diagonal_scatter<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    offset: i64,
    axis1: i64,
    axis2: i64,
    rules: &Rules,
) -> Result<Tensor> {
    replaced(Op::DiagonalScatter, &g.into(), of, |l| l.diagonal(Op::DiagonalScatter, offset, axis1, axis2), rules)
}

/// The gradients of a copy with one part replaced.
fn replaced(
    op: Op,
    g: &AnyView,
    of: Of,
    part: impl Fn(&Layout) -> Result<(isize, Layout)>,
    rules: &Rules,
) -> Result<Tensor> {
    let fail = |e: crate::Error| e.in_op(op).in_words(rules.words);
    match of {
        Of::Input => ops::copied(g, |out| {
            let (offset, layout) = part(out.layout()).map_err(fail)?;
            let zero = Tensor::zeroed(&[], g.dtype())?.broadcast_to(layout.shape())?;
            let zero = zero.read_any()?;
            copy_into(&zero.view(), &mut out.reborrow().rearranged(offset, layout))
        }),
        Of::Source(shape) => {
            let (offset, layout) = part(g.layout()).map_err(fail)?;
            if layout.shape() != shape {
                let shapes = [("src", shape), ("slice", layout.shape())];
                return Err(rules.fail(Fault::shape(op, ShapeRule::Replace, 0, &shapes)));
            }
            let own: Dims<usize> = Dims::from_slice(shape);
            fresh(&own, g.dtype(), |out| copy_into(&g.rearranged(offset, layout), out))
        }
    }
}
