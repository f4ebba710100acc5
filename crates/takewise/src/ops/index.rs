//! The `index_*` family: whole slices along one axis by a vector of positions.

use super::at::write_at;
use super::{Made, Single, Source, copied, dim, lifted_shape, met, stored};
use crate::dtype::{DType, DTypeSet, Scalar};
use crate::error::{DTypeRule, Fault, Result, ShapeRule};
use crate::exec::{self, Passage, Reduce};
use crate::index::rules::{Casting, Rules, SliceData};
use crate::layout::{Dims, Layout};
use crate::op::{AddWay, Op, ReduceWay};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::values::number::fits;
use crate::view::{AnyView, AnyViewMut};

/// Adds `alpha` times each slice of `source` to the slice of `dst` its index names, in index order.
///
/// `index` is 0-d or 1-d; `source` has the shape of `dst` but for `axis`, where it has one slice for every index.
/// `alpha` is converted to the dtype first. Booleans: OR with (source AND alpha). Whole slices may be of more
/// dtypes than single elements ([`Rules::slices`]).
///
/// Errors: kinds `Axis`, `DType`, `Shape`, `Value`, `OutOfRange`; nothing is written on error. Cost: one pass
/// over the source, and a scaled copy of it if `alpha` is not 1.
/// Source: Tensor.index_add_ (SEMANTICS.md, Index writes).
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1.0f32, 2.0, 3.0, 4.0];
/// let mut dst = ViewMut::new(&mut x, &[2, 2])?.into();
/// let source = View::new(&[10.0f32, 20.0, 30.0, 40.0], &[2, 2])?;
/// ops::index_add_(&mut dst, 0, &[1usize, 1], &source, 0.5.into(), &Rules::NEUTRAL)?;
/// assert_eq!(x, [1.0, 2.0, 23.0, 34.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_add_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    alpha: Scalar,
    rules: &Rules,
) -> Result<()> {
    let op = Op::IndexAdd(AddWay::Plain);
    let (index, source) = (index.into(), source.into());
    let mut keep = Made::default();
    let whole = rules.slices.filter(|_| dst.rank() > 1);
    let data = if whole.is_some() { DTypeSet::ALL } else { rules.data };
    let (d, source, passage) = check_slices(op, dst, axis, &index, source, data, rules, &mut keep)?;
    let number = source.dtype();
    // Of every number there is a one.
    let plain = alpha == Scalar::Int(1) && !matches!(number, DType::Opaque { .. });
    let factor = if plain { None } else { Some(Single::new(op, alpha, number, rules)?) };
    if !rules.same_dtype && !fits(alpha, number) && !matches!(number, DType::Opaque { .. }) {
        return Err(rules.fail(Fault::Scalar { op, value: alpha, dtype: number }));
    }
    let one = || Single::new(op, Scalar::Int(1), number, rules);
    let factor = match factor {
        Some(factor) if factor.bytes() != one()?.bytes() => Some(factor),
        _ => None,
    };
    let scatters = rules.accumulate.scatters(dst.rank(), d, index.dtype(), alpha);
    let accumulate = rules.accumulate.settle(scatters);
    let settled;
    let rules = if accumulate == rules.accumulate {
        rules
    } else {
        settled = Rules { accumulate, ..*rules };
        &settled
    };
    let op = if scatters { Op::IndexAdd(AddWay::Scattered) } else { op };
    if let Some(whole) = whole.filter(|_| !scatters && index.numel() > 0 && dst.as_view().numel() > 0) {
        check_whole(op, dst, axis, &index, Reduce::Sum, &whole, rules)?;
    }
    let (at, combine) = (Address::Slices { dim: d }, Some((Reduce::Sum, true, passage.as_ref())));
    let Some(factor) = factor else {
        return write_at(op, &at, dst, &index, &source, combine, rules);
    };
    // alpha times the source: a product accumulated over a copy of the source, by the plan of a plain walk.
    let mut scaled = super::fresh(source.shape(), source.dtype(), |out| super::copy_into(&source, out))?;
    if let Some(mut view) = scaled.unique() {
        let mut b = crate::plan::Builder::new(op, rules, view.layout(), &Layout::scalar(), view.dtype().size());
        for (&n, &s) in view.layout().shape().iter().zip(view.layout().strides()) {
            b.free_loop(n, 0, s);
        }
        exec::accumulate(&b.build()?, &factor.view(), &[], &mut view, Reduce::Prod, true)?;
    }
    match scaled.unique_view() {
        Some(view) => write_at(op, &at, dst, &index, &view, combine, rules),
        None => Ok(()),
    }
}

/// [`index_add_`] on a contiguous copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::index_add(&[1, 2, 3], 0, &[2usize, 2], &[10, 20], 1.into(), &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [1, 2, 33]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_add<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    alpha: Scalar,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| index_add_(dst, axis, index, source, alpha, rules))
}

/// Copies each slice of `source` over the slice of `dst` its index names; the last of duplicates wins.
///
/// Shapes as [`index_add_`], but a 0-d source fits a 1-d `dst` with one index. Errors: kinds `Axis`, `DType`,
/// `Shape`, `OutOfRange`; nothing is written on error. Source: Tensor.index_copy_ (SEMANTICS.md, Index writes).
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1, 2, 3, 4];
/// let mut dst = ViewMut::new(&mut x, &[2, 2])?.into();
/// ops::index_copy_(&mut dst, 1, &[0usize], &View::new(&[8, 9], &[2, 1])?, &Rules::NEUTRAL)?;
/// assert_eq!(x, [8, 2, 9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_copy_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::IndexCopy;
    let (index, source) = (index.into(), source.into());
    let d = dim(op, axis, dst.rank(), rules)?;
    let shapes = || {
        [
            ("self", Dims::from_slice(dst.shape())),
            ("source", Dims::from_slice(source.shape())),
            ("index", Dims::from_slice(index.shape())),
            ("dim", Dims::from_slice(&[d])),
        ]
    };
    let fail = |rule| {
        let s = shapes();
        let s: Vec<(&'static str, &[usize])> = s.iter().map(|(n, v)| (*n, &v[..])).collect();
        Err(rules.fail(Fault::shape(op, rule, d, &s)))
    };
    if index.rank() > 1 {
        return fail(ShapeRule::Vector);
    }
    let count = index.numel();
    if source.rank() == 0 && count != 1 {
        return fail(ShapeRule::ScalarInput);
    }
    if source.rank() != dst.rank() && source.rank() != 0 && dst.rank() != 0 {
        return fail(ShapeRule::ScalarSource);
    }
    rules.check_index(op, index.dtype())?;
    let mut keep = Made::default();
    let source = stored(op, dst.dtype(), &Source::Array(source.clone()), rules, &mut keep)?;
    let off = |s: &[usize]| -> Dims<usize> { s.iter().enumerate().filter(|(k, _)| *k != d).map(|(_, n)| *n).collect() };
    if off(dst.shape()) != off(source.shape()) {
        return fail(ShapeRule::Slice);
    }
    if source.rank() > 0 && source.shape()[d.min(source.rank() - 1)] != count {
        return fail(ShapeRule::Count);
    }
    rules.check_data(op, dst.dtype())?;
    write_at(op, &Address::Slices { dim: d }, dst, &index, &source, None, rules)
}

/// [`index_copy_`] on a contiguous copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::index_copy(&[1, 2, 3], 0, &[2usize, 0], &[10, 20], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [20, 2, 10]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_copy<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| index_copy_(dst, axis, index, source, rules))
}

/// Fills the slices of `dst` named by `index` with one value: a number, or a 0-d array of any dtype.
///
/// Errors: kinds `Axis`, `DType`, `Shape`, `Value`, `OutOfRange`; nothing is written on error. Cost: one pass over
/// the places filled. Source: Tensor.index_fill_ (SEMANTICS.md, Index writes).
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1, 2, 3, 4];
/// let mut dst = ViewMut::new(&mut x, &[2, 2])?.into();
/// ops::index_fill_(&mut dst, 0, &[1usize], -1, &Rules::NEUTRAL)?;
/// assert_eq!(x, [1, 2, -1, -1]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_fill_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    value: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::IndexFill { subscript: false };
    let index = index.into();
    let given = value.into();
    let value = super::masked::one_value(op, &given, dst.dtype(), rules)?;
    rules.check_index(op, index.dtype())?;
    if rules.casting == Casting::Any && matches!(value, Some(Scalar::Complex(..))) && !dst.dtype().is_complex() {
        let fault = Fault::DType { op, rule: DTypeRule::ComplexValue, given: dst.dtype(), wanted: None };
        return Err(rules.fail(fault));
    }
    let d = dim(op, axis, dst.rank(), rules)?;
    if index.rank() > 1 {
        let shapes = [("index", index.shape()), ("self", dst.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::Vector, d, &shapes)));
    }
    rules.check_data(op, dst.dtype())?;
    let single = Single::of(op, value, &given, dst.dtype(), rules)?;
    let mut shape = Dims::from_slice(lifted_shape(dst));
    shape[d] = index.numel();
    let values = single.view();
    let values = values.rearranged(0, Layout::new(&shape, &crate::plan::still(shape.len()))?);
    write_at(op, &Address::Slices { dim: d }, dst, &index, &values, None, rules)
}

/// [`index_fill_`] on a dense copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::index_fill(&[1, 2, 3], 0, &[0isize, -1], 7, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [7, 2, 7]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_fill<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    value: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| index_fill_(dst, axis, index, value, rules))
}

/// Combines each slice of `source` into the slice of `dst` its index names. With `include_self` false, addressed
/// slices start from the identity.
///
/// Shapes and errors as [`index_add_`]. Source: Tensor.index_reduce_ (SEMANTICS.md, Index writes).
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [5, 1];
/// let (index, source) = ([0usize, 0, 1], [3, 9, 4]);
/// ops::index_reduce_(&mut (&mut x).into(), 0, &index, &source, Reduce::Max, true, &Rules::NEUTRAL)?;
/// assert_eq!(x, [9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_reduce_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    reduce: Reduce,
    include_self: bool,
    rules: &Rules,
) -> Result<()> {
    let op = if include_self { Op::IndexReduce(ReduceWay::Plain) } else { Op::IndexReduce(ReduceWay::Excluding) };
    let (index, source) = (index.into(), source.into());
    let mut keep = Made::default();
    let whole = rules.slices.filter(|_| include_self && dst.rank() > 1);
    let data = if whole.is_some() { DTypeSet::ALL } else { rules.data };
    let (dim, source, passage) = check_slices(op, dst, axis, &index, source, data, rules, &mut keep)?;
    if let Some(whole) = whole.filter(|_| index.numel() > 0) {
        check_whole(op, dst, axis, &index, reduce, &whole, rules)?;
    }
    let combine = Some((reduce, include_self, passage.as_ref()));
    write_at(op, &Address::Slices { dim }, dst, &index, &source, combine, rules)
}

/// Fails unless whole slices can be combined; values out of range that torch meets before the missing kernel are
/// named first.
fn check_whole(
    op: Op,
    dst: &AnyViewMut,
    axis: i64,
    index: &AnyView,
    reduce: Reduce,
    whole: &SliceData,
    rules: &Rules,
) -> Result<()> {
    let (data, missing) = match reduce {
        Reduce::Sum => (whole.sum, Op::IndexAdd(AddWay::Slices)),
        Reduce::Prod | Reduce::Div => (whole.prod, op),
        Reduce::Mean => (whole.mean, Op::IndexReduce(ReduceWay::SlicesMean)),
        Reduce::Max => (whole.extreme, Op::IndexReduce(ReduceWay::SlicesMax)),
        _ => (whole.extreme, Op::IndexReduce(ReduceWay::SlicesMin)),
    };
    let Err(refused) = (Rules { data, ..*rules }).check_data(missing, dst.dtype()) else { return Ok(()) };
    let summed = reduce == Reduce::Mean && whole.sum.has(dst.dtype());
    match super::index_select(dst.as_view(), axis, index.clone(), &Rules { data: DTypeSet::ALL, ..*rules }) {
        Err(e) if summed || e.position().is_some_and(|p| p.iter().all(|k| *k == 0)) => Err(e.in_op(op)),
        _ => Err(refused),
    }
}

/// [`index_reduce_`] on a contiguous copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::index_reduce(&[5, 1], 0, &[0usize, 0], &[3, 4], Reduce::Prod, false, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [12, 1]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_reduce<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    reduce: Reduce,
    include_self: bool,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| index_reduce_(dst, axis, index, source, reduce, include_self, rules))
}

/// The checks `index_add` and `index_reduce` share, in torch's order; the axis, the source in the dtype it is combined in,
/// and the way of places there, which are of one of `data`.
fn check_slices<'k>(
    op: Op,
    dst: &AnyViewMut,
    axis: i64,
    index: &AnyView,
    source: AnyView<'k>,
    data: DTypeSet,
    rules: &Rules,
    keep: &'k mut Made,
) -> Result<(usize, AnyView<'k>, Option<Passage>)> {
    let d = dim(op, axis, dst.rank(), rules)?;
    rules.check_index(op, index.dtype())?;
    let plain = source.dtype() == dst.dtype() && !matches!(dst.dtype(), DType::Opaque { .. });
    let (source, passage) = match plain {
        true => (source, None),
        false => met(op, dst.dtype(), &Source::Array(source), rules, keep)?,
    };
    let apart = |a: &[usize], b: &[usize]| (0..a.len()).any(|k| k != d && a[k] != b[k]);
    let extent = if source.rank() == 0 { 1 } else { source.shape().get(d).copied().unwrap_or(0) };
    let broken = if index.rank() > 1 {
        Some(ShapeRule::Vector)
    } else if source.rank() != dst.rank() || apart(dst.shape(), source.shape()) {
        Some(ShapeRule::Slice)
    } else {
        (extent != index.numel()).then_some(ShapeRule::Count)
    };
    if let Some(rule) = broken {
        let shapes = [("self", dst.shape()), ("source", source.shape()), ("index", index.shape()), ("dim", &[d][..])];
        return Err(rules.fail(Fault::shape(op, rule, d, &shapes).of(index.dtype())));
    }
    if !data.has(dst.dtype()) {
        (Rules { data, ..*rules }).check_data(op, dst.dtype())?;
    }
    Ok((d, source, passage))
}
