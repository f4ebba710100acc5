//! Outer and pointwise subscripts in normal form: what they name follows from what they are, not from where arrays stand.

use super::normalize::{ArrayAxis, Dim, IndexValues, Normalized, normalize};
use super::rules::Rules;
use super::{Item, mask};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Error, Fault, Result, ShapeRule};
use crate::layout::{Dims, Layout, Slice, broadcast_shapes, broadcast_strides, product};
use crate::op::Op;
use crate::view::AnyView;

/// What is said of `True` and `False`.
const TRUTH: &str = "a truth value selects no axis: it cannot take part";

/// An index array and the axis it stands for; of a mask the extent that this axis must have.
struct Stood<'a> {
    axis: usize,
    values: IndexValues<'a>,
    extent: Option<usize>,
}

/// An outer ([`Op::OuterIndex`]) or pointwise subscript in normal form. Tensors are opened by the caller.
///
/// Errors: those of [`normalize`]; kind `Argument` for truth values, and for arrays and masks of an outer subscript that have
/// not one axis; kind `Shape` for a mask that does not fit its axes and for arrays that do not broadcast.
pub(crate) fn spread<'a, T>(
    op: Op,
    layout: &Layout,
    itemsize: usize,
    items: &[Item<AnyView<'a>, T>],
    rules: &Rules,
) -> Result<Normalized<'a>> {
    let refuse = |text: &str| Err(rules.fail(Fault::text(op, ArgumentRule::Other, text)));
    let outer = op == Op::OuterIndex;
    let selects = |v: &AnyView<'a>| rules.selects(v.dtype());
    let consumed = |item: &Item<AnyView<'a>, T>| match item {
        Item::Array(v) if selects(v) => v.rank(),
        Item::Ellipsis | Item::NewAxis | Item::Bool(_) => 0,
        _ => 1,
    };
    let missing = layout.rank().saturating_sub(items.iter().map(consumed).sum());
    let mut plain: Vec<Item<AnyView<'a>, T>> = Vec::new();
    let mut stood: Vec<Stood<'a>> = Vec::new();
    let mut axis = 0;
    for item in items {
        match item {
            Item::Array(v) => {
                if v.dtype() != DType::Bool {
                    rules.check_index(op, v.dtype())?;
                }
                if outer && v.rank() != 1 {
                    return refuse("index arrays and masks of an outer subscript have one axis each");
                }
                if v.rank() == 0 && selects(v) {
                    return refuse(TRUTH);
                }
                if !selects(v) {
                    stood.push(Stood { axis, values: IndexValues::View(v.clone()), extent: None });
                    plain.push(Item::Range(Slice::ALL));
                } else {
                    for (d, list) in mask::positions(v)?.into_iter().enumerate() {
                        let values = IndexValues::Positions(list);
                        stood.push(Stood { axis: axis + d, values, extent: Some(v.shape()[d]) });
                        plain.push(Item::Range(Slice::ALL));
                    }
                }
            }
            Item::Bool(_) | Item::Tensor(_) => return refuse(TRUTH),
            Item::Ellipsis if plain.iter().any(|item| matches!(item, Item::Ellipsis)) => {
                return Err(rules.fail(Fault::argument(op, ArgumentRule::ManyEllipses, &[])));
            }
            Item::Ellipsis => plain.push(Item::Ellipsis),
            Item::NewAxis => plain.push(Item::NewAxis),
            Item::Int(i) => plain.push(Item::Int(*i)),
            Item::Range(slice) => plain.push(Item::Range(*slice)),
        }
        axis += if matches!(item, Item::Ellipsis) { missing } else { consumed(item) };
    }
    let n = normalize(op, layout, itemsize, &plain, rules)?;
    if stood.is_empty() {
        return Ok(n);
    }
    for s in &stood {
        if s.extent.is_some_and(|extent| !rules.mask_fits(extent, layout.shape()[s.axis])) {
            let (mask, at) = ([s.extent.unwrap_or(0)], [s.axis]);
            let shapes: &[(&'static str, &[usize])] =
                &[("mask", &mask), ("array", layout.shape()), ("axis", &at), ("real axis", &at)];
            return Err(rules.fail(Fault::shape(op, ShapeRule::Mask, 0, shapes)));
        }
    }
    if outer { in_place(n, stood, layout) } else { in_front(op, n, stood, layout, rules) }
}

fn array<'a>(s: Stood<'a>, ordinal: usize, layout: &Layout, steps: Dims<isize>) -> ArrayAxis<'a> {
    let (len, step) = (layout.shape()[s.axis], layout.strides()[s.axis]);
    ArrayAxis { axis: s.axis, ordinal, len, step, values: s.values, steps }
}

/// Each array has an axis of the result, where its axis stood.
fn in_place<'a>(mut n: Normalized<'a>, stood: Vec<Stood<'a>>, layout: &Layout) -> Result<Normalized<'a>> {
    let count = stood.len();
    for (k, s) in stood.into_iter().enumerate() {
        let view = s.values.view();
        let (extent, step) = (view.shape()[0], view.layout().strides()[0]);
        if let Some(dim) = n.dims.iter_mut().find(|d| d.axis == Some(s.axis)) {
            *dim = Dim { extent, step: 0, index: Some(k), axis: None };
        }
        let mut steps: Dims<isize> = smallvec::smallvec![0; count];
        steps[k] = step;
        n.index_shape.push(extent);
        n.arrays.push(array(s, k, layout, steps));
    }
    n.advanced = true;
    Ok(n)
}

/// All arrays are broadcast, and their axes lead the result.
fn in_front<'a>(
    op: Op,
    mut n: Normalized<'a>,
    stood: Vec<Stood<'a>>,
    layout: &Layout,
    rules: &Rules,
) -> Result<Normalized<'a>> {
    let shapes: Vec<Dims<usize>> = stood.iter().map(|s| Dims::from_slice(s.values.view().shape())).collect();
    let target = broadcast_shapes(shapes.iter().map(|s| s.as_slice())).map_err(|d| {
        let named: Vec<(&'static str, &[usize])> = shapes.iter().map(|s| ("index", s.as_slice())).collect();
        rules.fail(Fault::shape(op, ShapeRule::Broadcast, d, &named))
    })?;
    product(&target).ok_or_else(|| Error::plain(Fault::Memory { op, bytes: None }))?;
    let kept = n.dims.iter().filter(|d| !stood.iter().any(|s| d.axis == Some(s.axis)));
    let index = target.iter().enumerate();
    let index = index.map(|(b, &extent)| Dim { extent, step: 0, index: Some(b), axis: None });
    n.dims = index.chain(kept.copied()).collect();
    for (k, s) in stood.into_iter().enumerate() {
        let view = s.values.view();
        let steps = broadcast_strides(view.shape(), view.layout().strides(), &target).unwrap_or_default();
        n.arrays.push(array(s, k, layout, steps));
    }
    n.index_shape = target;
    n.advanced = true;
    Ok(n)
}
