//! Gradients of what reads: the gradient of the array read from.

use super::places::{Places, with_items};
use super::shaped;
use crate::Index;
use crate::error::{Fault, Result, ShapeRule};
use crate::index::rules::{Extent, FlatRules, Rules};
use crate::layout::{Layout, broadcast_shapes};
use crate::op::Op;
use crate::ops::{self, fresh};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// Zeros with the gradient of a read added at the places read.
fn scattered(op: Op, address: Address, input: &[usize], index: AnyView, g: AnyView, rules: &Rules) -> Result<Tensor> {
    Places::new(op, &address, &[index], input, rules)?.scattered(&g)
}

/// What [`ops::take_along`] addresses: its name, the address, and the rules.
pub(super) fn taken_along(axis: Option<i64>, rank: usize, rules: &Rules) -> (Op, Address, Rules) {
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    match (axis, rules.flat) {
        (Some(axis), _) => (Op::TakeAlongDim { flat: false }, Address::axis(axis, rank), rules),
        (None, Some(FlatRules { outside, indices })) => {
            (Op::TakeAlongDim { flat: true }, Address::Flat, Rules { outside, indices, ..rules })
        }
        (None, None) => (Op::TakeAlongDim { flat: true }, Address::Flat, rules),
    }
}

/// The gradient of the input of [`ops::gather`], whose shape is `input`: zeros with `g` added at the places read.
///
/// ```
/// use takewise::{grad, Rules, View};
/// let (index, g) = ([2i64, 0, 2], [1.0f64, 2.0, 4.0]);
/// let dx = grad::gather(&[3], 0, &View::from(&index[..]), &View::from(&g[..]), &Rules::NEUTRAL)?;
/// assert_eq!(dx.to_vec::<f64>()?, [2.0, 0.0, 5.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn gather<'a>(
    input: &[usize],
    axis: i64,
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    scattered(Op::Gather, Address::axis(axis, input.len()), input, index.into(), g.into(), rules)
}

/// The gradient of the input of [`ops::take_along`]; what broadcast is summed. With `axis` `None` both were flat.
pub fn take_along<'a>(
    input: &[usize],
    axis: Option<i64>,
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (op, address, rules) = taken_along(axis, input.len(), rules);
    scattered(op, address, input, index.into(), g.into(), &rules)
}

/// The gradient of the input of [`ops::take`].
pub fn take<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    scattered(Op::Take, Address::Flat, input, index.into(), g.into(), rules)
}

/// The gradient of the input of [`ops::gather_axis`], and with `batch_dims` 0 of [`ops::take_axis`].
pub fn gather_axis<'a>(
    input: &[usize],
    axis: i64,
    index: impl Into<AnyView<'a>>,
    batch_dims: i64,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let index = index.into();
    let address = Address::rows(axis, input.len(), batch_dims, index.rank());
    scattered(Op::GatherAxis, address, input, index, g.into(), rules)
}

/// The gradient of the input of [`ops::index_select`].
pub fn index_select<'a>(
    input: &[usize],
    axis: i64,
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    scattered(Op::IndexSelect, Address::slices(axis, input.len()), input, index.into(), g.into(), rules)
}

/// The gradient of the input of [`ops::gather_nd`].
pub fn gather_nd<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    batch_dims: usize,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    scattered(Op::GatherNd, Address::Nd { batch: batch_dims }, input, index.into(), g.into(), rules)
}

/// The gradient of the input of [`ops::masked_select`]; what broadcast is summed.
pub fn masked_select<'a>(
    input: &[usize],
    mask: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (op, mask) = (Op::MaskedSelect, mask.into());
    let common = broadcast_shapes([input, mask.shape()]).map_err(|d| {
        let shapes = [("input", input), ("mask", mask.shape())];
        rules.fail(Fault::shape(op, ShapeRule::BroadcastPair, d, &shapes))
    })?;
    ops::sum_to(scattered(op, Address::Mask, &common, mask, g.into(), rules)?, input)
}

/// The gradient of the array read by [`ops::index`] with these items.
///
/// ```
/// use takewise::{Rules, View, grad, ix};
/// let g = [1.0f32, 2.0, 4.0];
/// let dx = grad::index(&[2, 3], &ix![1, &[0i64, 2, 0]], &View::from(&g[..]), &Rules::NEUTRAL)?;
/// assert_eq!(dx.to_vec::<f32>()?, [0.0, 0.0, 0.0, 5.0, 0.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index<'a>(input: &[usize], items: &[Index<'_>], g: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let g = g.into();
    with_items(items, rules, |address, arrays| Places::new(Op::Index, &address, arrays, input, rules)?.scattered(&g))
}

/// The gradients of `a` and `b`, of the shapes given, in [`ops::where_`].
pub fn where_<'a>(
    condition: impl Into<AnyView<'a>>,
    a: &[usize],
    b: &[usize],
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let (condition, g) = (condition.into(), g.into());
    let layout = condition.layout().broadcast_to(Op::Where, g.shape())?;
    let chosen = condition.rearranged(0, layout);
    let zero = Tensor::zeroed(&[], g.dtype())?;
    let zero = zero.read_any()?;
    let da = ops::where_(chosen.clone(), g.clone(), zero.view(), g.dtype(), rules)?;
    let db = ops::where_(chosen, zero.view(), g, zero.view().dtype(), rules)?;
    Ok((ops::sum_to(da, a)?, ops::sum_to(db, b)?))
}

/// The gradient of an array of shape `input` that was broadcast to the shape of `g`: sums over what was stretched.
pub fn broadcast<'a>(input: &[usize], g: impl Into<AnyView<'a>>) -> Result<Tensor> {
    let g = g.into();
    ops::sum_to(ops::copy(&g)?, input)
}

/// The gradient of an array from that of a view of it: zeros with `g` added where the view looks.
///
/// `input` is the shape of the array, `part` makes the view's place (byte offset and layout) from the array's
/// row-major layout in elements of the dtype of `g`. Places seen from several coordinates, as by `expand` and
/// `unfold`, receive all of them. Errors: those of `part`; kind `Shape`; kind `Argument` if the view leaves the array.
///
/// ```
/// use takewise::{grad, View};
/// let g = [1.0f32, 2.0, 4.0, 8.0];
/// let g = View::new(&g, &[2, 2])?;
/// let dx = grad::view(&[3], |x| Ok((0, x.unfold(takewise::Op::Unfold, 0, 2, 1, 4)?)), &g)?;
/// assert_eq!(dx.to_vec::<f32>()?, [1.0, 6.0, 8.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn view<'a>(
    input: &[usize],
    part: impl FnOnce(&Layout) -> Result<(isize, Layout)>,
    g: impl Into<AnyView<'a>>,
) -> Result<Tensor> {
    let g = g.into();
    let layout = Layout::contiguous(input, g.dtype().size())?;
    let (offset, part) = part(&layout)?;
    if part.shape() != g.shape() {
        let shapes = [("gradient", g.shape()), ("result", part.shape())];
        return Err(Rules::NEUTRAL.fail(Fault::shape(Op::View, ShapeRule::Out, 0, &shapes)));
    }
    let flat = fresh(&[layout.numel()], g.dtype(), |out| match g.numel() {
        0 => Ok(()),
        _ => ops::add_at(&g, out, offset, &part),
    })?;
    shaped(flat, input)
}
