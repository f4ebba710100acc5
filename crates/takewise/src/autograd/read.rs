//! Gradients of what reads: the gradient of the array read from.

use super::places::Places;
use super::shaped;
use crate::error::{Fault, Result, ShapeRule};
use crate::index::Index;
use crate::index::rules::Rules;
use crate::layout::{Layout, broadcast_shapes};
use crate::op::Op;
use crate::ops::{self, fresh, get};
use crate::tensor::Tensor;
use crate::view::AnyView;

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
    Places::along(Op::Gather, input, axis, index.into(), false, rules)?.scattered(&g.into())
}

/// The gradient of the input of [`ops::take_along`]; what broadcast is summed. With `axis` `None` both were flat.
pub fn take_along<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    axis: Option<i64>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (op, index, g) = (Op::TakeAlongDim { flat: false }, index.into(), g.into());
    let Some(axis) = axis else {
        let mut rules = *rules;
        if let Some(flat) = rules.flat {
            (rules.outside, rules.indices) = (flat.outside, flat.indices);
        }
        let places = Places::flat(op, input, index.clone(), &rules)?;
        places.check(&g, &[index.numel()])?;
        let layout = match g.layout().try_view(index.shape(), g.dtype().size()) {
            Some(layout) => layout,
            None => return Err(rules.fail(Fault::shape(op, ShapeRule::Out, 0, &[("gradient", g.shape())]))),
        };
        return places.scattered(&g.rearranged(0, layout));
    };
    Places::along(op, input, axis, index, true, rules)?.scattered(&g)
}

/// The gradient of the input of [`ops::take`].
pub fn take<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    Places::flat(Op::Take, input, index.into(), rules)?.scattered(&g.into())
}

/// The gradient of the input of [`ops::gather_axis`], and with `batch_dims` 0 of [`ops::take_axis`].
pub fn gather_axis<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    axis: i64,
    batch_dims: i64,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    Places::rows(input, axis, batch_dims, index.into(), rules)?.scattered(&g.into())
}

/// The gradient of the input of [`ops::index_select`].
pub fn index_select<'a>(
    input: &[usize],
    axis: i64,
    index: impl Into<AnyView<'a>>,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    Places::slices(Op::IndexSelect, input, axis, index.into(), rules)?.scattered(&g.into())
}

/// The gradient of the input of [`ops::gather_nd`].
pub fn gather_nd<'a>(
    input: &[usize],
    index: impl Into<AnyView<'a>>,
    batch_dims: usize,
    g: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    Places::tuples(Op::GatherNd, input, batch_dims, index.into(), rules)?.scattered(&g.into())
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
    ops::sum_to(Places::mask(op, &common, &mask, rules)?.scattered(&g.into())?, input)
}

/// The gradient of the array read by [`ops::index`] with these items.
///
/// ```
/// use takewise::{grad, ix, View};
/// use takewise_dialects::rules::TORCH;
/// let g = [1.0f32, 2.0, 4.0];
/// let dx = grad::index(&[2, 3], &ix![1, &[0i64, 2, 0]], &View::from(&g[..]), &TORCH.get)?;
/// assert_eq!(dx.to_vec::<f32>()?, [0.0, 0.0, 0.0, 5.0, 0.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index<'a>(input: &[usize], items: &[Index<'_>], g: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let g = g.into();
    get::with_open(items, rules, |items| Places::items(Op::Index, input, items, rules)?.scattered(&g))
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
