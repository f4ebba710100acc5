//! Gradients of what writes: of the array written into, and of the values stored.

use super::places::Places;
use super::shaped;
use crate::dtype::Scalar;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::Index;
use crate::index::rules::Rules;
use crate::layout::{Dims, Layout, Slice};
use crate::op::{AddWay, Combine, Op};
use crate::ops::{self, copy_into, fresh, get};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// Which operand's gradient is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of<'s> {
    /// The array written into.
    Input,
    /// The values stored, whose shape this is.
    Source(&'s [usize]),
}

/// The gradient of a store or, with `sums`, of an addition at these places.
fn written(places: &Places, g: &AnyView, of: Of, sums: bool) -> Result<Tensor> {
    match (of, sums) {
        (Of::Input, false) => places.cleared(g),
        (Of::Input, true) => {
            places.check(g, g.shape())?;
            ops::copy(g)
        }
        (Of::Source(shape), false) => ops::sum_to(places.survived(g)?, shape),
        (Of::Source(shape), true) => ops::sum_to(places.read(g)?, shape),
    }
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
    along(Op::Scatter, &g.into(), of, axis, index.into(), false, rules)
}

/// A gradient in [`ops::scatter_add`]: the input gets `g`, the source `g` from the place of each value.
pub fn scatter_add<'a>(
    g: impl Into<AnyView<'a>>,
    of: Of,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    along(Op::ScatterAdd, &g.into(), of, axis, index.into(), true, rules)
}

fn along(op: Op, g: &AnyView, of: Of, axis: i64, index: AnyView, sums: bool, rules: &Rules) -> Result<Tensor> {
    let places = Places::along(op, g.shape(), axis, index, false, rules)?;
    match of {
        Of::Input => written(&places, g, of, sums),
        // A number took part in every place.
        Of::Source([]) if !places.result().is_empty() => written(&places, g, of, sums),
        Of::Source(shape) => boxed(written(&places, g, Of::Source(places.result()), sums)?, shape),
    }
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
    written(&Places::along(Op::PutAlongAxis, g.shape(), axis, index.into(), true, rules)?, &g, of, false)
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
    let places = Places::slices(Op::IndexAdd(AddWay::Plain), g.shape(), axis, index.into(), rules)?;
    let got = match of {
        Of::Source(shape) => shaped(written(&places, &g, Of::Source(places.result()), true)?, shape)?,
        Of::Input => return written(&places, &g, of, true),
    };
    if matches!(alpha, Scalar::Int(1)) {
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
    let places = Places::slices(Op::IndexCopy, g.shape(), axis, index.into(), rules)?;
    match of {
        Of::Source(shape) => shaped(written(&places, &g, Of::Source(places.result()), false)?, shape),
        Of::Input => written(&places, &g, of, false),
    }
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
    written(&Places::slices(Op::IndexFill { subscript: false }, g.shape(), axis, index.into(), rules)?, &g, of, false)
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
    let places = Places::flat(Op::PutInPlace, g.shape(), index.into(), rules)?;
    match of {
        Of::Source([]) if places.result() != [1] => written(&places, &g, of, accumulate),
        Of::Source(shape) => shaped(written(&places, &g, Of::Source(places.result()), accumulate)?, shape),
        Of::Input => written(&places, &g, of, accumulate),
    }
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
    get::with_open(indices, rules, |items| {
        written(&Places::items(Op::IndexPut, g.shape(), items, rules)?, &g, of, accumulate)
    })
}

/// What [`ops::index_put`] makes of zeros of a shape: the transpose of the source's gradient.
pub(super) fn index_put_back(
    shape: &[usize],
    values: &AnyView,
    indices: &[Index<'_>],
    accumulate: bool,
    rules: &Rules,
) -> Result<Tensor> {
    get::with_open(indices, rules, |items| {
        let places = Places::items(Op::IndexPut, shape, items, rules)?;
        fresh(shape, values.dtype(), |out| match accumulate {
            true => places.combine(out, values.into(), Reduce::Sum, true),
            false => places.store(out, values.into()),
        })
    })
}

/// A gradient in [`ops::index_set`], `x[items] = value`: the array's is `g` without what was overwritten, the value's
/// is what is read with the same items, summed over what broadcast, without values that were overwritten themselves.
///
/// ```
/// use takewise::{grad::{self, Of}, ix, View};
/// use takewise_dialects::rules::TORCH;
/// let g = [1.0f32, 2.0, 4.0, 8.0];
/// let g = View::new(&g, &[2, 2])?;
/// let dvalue = grad::index_set(&g, Of::Source(&[2]), &ix![.., 1], &TORCH.set)?;
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
    written(&Places::mask(Op::MaskedFill, g.shape(), &mask.into(), rules)?, &g, of, false)
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
    let places = Places::mask(Op::MaskedScatter, g.shape(), &mask.into(), rules)?;
    match of {
        Of::Input => written(&places, &g, of, false),
        Of::Source(shape) => {
            let count: usize = shape.iter().product();
            shaped(boxed(places.read(&g)?, &[count])?, shape)
        }
    }
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
    written(&Places::tuples(Op::TensorScatter(Combine::Update), g.shape(), 0, index.into(), rules)?, &g, of, sums)
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
