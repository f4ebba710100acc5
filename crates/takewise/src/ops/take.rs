//! `take` and `index_select`: elements by flat position, slices by position along an axis.

use super::at::read_at;
use super::{Lifted, cast_into, check_out, dim, fresh, lifted};
use crate::dtype::{DType, DTypeSet};
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::{Out, result};
use crate::index::rules::{Empty, Outside, Rules, ZeroDim};
use crate::layout::Dims;
use crate::op::Op;
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut, Form};

/// Elements by flat row-major position, whatever the strides; the result has the shape of `index`.
///
/// Errors: kinds `DType`, `OutOfRange` (axis 0, length = number of elements), `Shape` if `input` is empty but
/// `index` is not. Cost: one pass over the index; nothing is copied or flattened in memory.
/// Source: torch.take, numpy.take with axis None (SEMANTICS.md, Put and take).
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let index = View::new(&[3usize, 0, 1], &[3, 1])?;
/// let got = ops::take(&x, &index, &Rules::NEUTRAL)?;
/// assert_eq!((got.shape(), got.to_vec::<i32>()?), (&[3, 1][..], vec![4, 1, 2]));
/// assert_eq!(ops::take(&x, &[4usize], &Rules::NEUTRAL).unwrap_err().kind(), Kind::OutOfRange);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn take<'a>(input: impl Into<AnyView<'a>>, index: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    check(Op::Take, &input, &index, rules)?;
    result(index.shape(), input.dtype(), |out| read_at(Op::Take, &Address::Flat, &input, &index, out, rules))
}

/// [`take`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 2];
/// ops::take_into(&[10, 20, 30], &[2usize, 0], &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [30, 10]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn take_into<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    check(Op::Take, &input, &index, rules)?;
    check_out(Op::Take, out, input.dtype(), index.shape(), rules)?;
    read_at(Op::Take, &Address::Flat, &input, &index, Out::given(out), rules)
}

/// The checks `take` and `put` share.
pub(crate) fn check(op: Op, input: &impl Form, index: &AnyView, rules: &Rules) -> Result<()> {
    rules.check_data(op, input.dtype())?;
    rules.check_index(op, index.dtype())?;
    let skips = matches!(rules.outside, Outside::Fill | Outside::Drop);
    if input.numel() == 0 && index.numel() > 0 && !skips {
        let shapes = [("input", input.shape()), ("index", index.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::EmptyAxis, 0, &shapes)));
    }
    Ok(())
}

/// Slices along `axis`, one for every element of `index`, whose axes stand in place of `axis` (NumPy's `take`). A 0-d
/// input counts as one of length 1 under [`ZeroDim::OneAxis`].
///
/// Errors: kinds `Axis`, `DType`, `OutOfRange`, `Shape` (non-empty index into an empty axis under clip or
/// wrap). Cost: one pass over the result; rows move whole. Source: numpy.take.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let got = ops::take_axis(&x, 1, &[2usize, 0], &Rules::NEUTRAL)?;
/// assert_eq!((got.shape(), got.to_vec::<i32>()?), (&[2, 2][..], vec![3, 1, 6, 4]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn take_axis<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let input = sliceable(&input, rules);
    let (at, shape) = axis_shape(Op::Take, &input, &index, axis, rules)?;
    result(&shape, input.dtype(), |out| read_at(Op::Take, &at, &input, &index, out, rules))
}

/// [`take_axis`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let mut out = [0; 2];
/// ops::take_axis_into(&x, 0, &[1usize], &mut ViewMut::new(&mut out, &[1, 2])?.into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [3, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn take_axis_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let input = sliceable(&input, rules);
    let (at, shape) = axis_shape(Op::Take, &input, &index, axis, rules)?;
    check_out(Op::Take, out, input.dtype(), &shape, rules)?;
    read_at(Op::Take, &at, &input, &index, Out::given(out), rules)
}

/// A 0-d input with the one axis the rules give it.
fn sliceable<'v, 'a>(input: &'v AnyView<'a>, rules: &Rules) -> Lifted<'v, AnyView<'a>> {
    match rules.zero_dim {
        ZeroDim::OneAxis => lifted(input),
        ZeroDim::NoAxis => Lifted::Same(input),
    }
}

fn axis_shape(op: Op, input: &AnyView, index: &AnyView, axis: i64, rules: &Rules) -> Result<(Address, Dims<usize>)> {
    rules.check_data(op, input.dtype())?;
    let d = dim(op, axis, input.rank(), rules)?;
    rules.check_index(op, index.dtype())?;
    let (len, skips) =
        (input.shape().get(d).copied().unwrap_or(1), matches!(rules.outside, Outside::Fill | Outside::Drop));
    let others = input.shape().iter().enumerate().all(|(k, n)| k == d || *n > 0);
    let looks = others || rules.empty == Empty::StillChecks;
    if len == 0 && index.numel() > 0 && !skips && looks {
        let shapes = [("input", input.shape()), ("index", index.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::EmptyAxis, d, &shapes)));
    }
    let mut shape = Dims::from_slice(&input.shape()[..d]);
    shape.extend_from_slice(index.shape());
    shape.extend_from_slice(&input.shape()[d + 1..]);
    Ok((Address::Rows { dim: d, batch: 0 }, shape))
}

/// Slices along `axis` by a 0-d or 1-d index; the axis stays. A 0-d input takes exactly one index and gives a
/// 0-d result.
///
/// Errors: kinds `Axis`, `DType`, `Shape`, `OutOfRange`. Cost: one pass over the result; rows move whole.
/// Source: torch.index_select.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[3, 2])?;
/// let got = ops::index_select(&x, 0, &[2usize, 0], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [5, 6, 1, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_select<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let (at, shape) = select_shape(Op::IndexSelect, &input, axis, &index, rules)?;
    result(&shape, input.dtype(), |out| select(&input, &at, &index, out, rules))
}

/// [`index_select`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 2];
/// ops::index_select_into(&[10, 20, 30], 0, &[1usize, 1], &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [20, 20]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_select_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let (at, shape) = select_shape(Op::IndexSelect, &input, axis, &index, rules)?;
    check_out(Op::IndexSelect, out, input.dtype(), &shape, rules)?;
    select(&input, &at, &index, Out::given(out), rules)
}

/// The checks of [`index_select`]; what is addressed, and the result's shape.
pub(crate) fn select_shape(
    op: Op,
    input: &impl Form,
    axis: i64,
    index: &AnyView,
    rules: &Rules,
) -> Result<(Address, Dims<usize>)> {
    rules.check_data(op, input.dtype())?;
    let d = dim(op, axis, input.rank(), rules)?;
    let shapes = [("input", input.shape()), ("index", index.shape())];
    if index.rank() > 1 {
        return Err(rules.fail(Fault::shape(op, ShapeRule::Vector, d, &shapes)));
    }
    rules.check_index(op, index.dtype())?;
    if input.rank() == 0 {
        if index.numel() != 1 {
            return Err(rules.fail(Fault::shape(op, ShapeRule::ScalarInput, d, &shapes)));
        }
        return Ok((Address::Slices { dim: d }, Dims::new()));
    }
    if input.shape()[d] == 0 && index.numel() > 0 && matches!(rules.outside, Outside::Raise) {
        return Err(rules.fail(Fault::shape(op, ShapeRule::EmptyAxis, d, &shapes)));
    }
    let mut shape = Dims::from_slice(input.shape());
    shape[d] = index.numel();
    Ok((Address::Slices { dim: d }, shape))
}

fn select(input: &AnyView, at: &Address, index: &AnyView, out: Out, rules: &Rules) -> Result<()> {
    read_at(Op::IndexSelect, at, input, index, out, &Rules { empty: Empty::StillChecks, ..*rules })
}

/// Where every index value lands on an axis of length `len`, in row-major order; `None` for what is dropped.
pub(crate) fn positions(op: Op, index: &AnyView, len: usize, rules: &Rules) -> Result<Vec<Option<i64>>> {
    let data = fresh(index.shape(), DType::I64, |out| cast_into(index, out))?.to_vec::<i64>()?;
    let places: Vec<Option<i64>> = data.iter().map(|v| rules.place(*v as i128, len).map(|p| p as i64)).collect();
    let drops = matches!(rules.outside, Outside::Fill | Outside::Drop);
    if !drops && places.contains(&None) {
        // Reading with such values says which is bad, and where.
        let rules = Rules { data: DTypeSet::ALL, ..*rules };
        let zeros = Tensor::zeroed(&[], DType::U8)?.broadcast_to(&[len])?;
        let open = zeros.read_any()?;
        let zeros = open.view();
        check(op, &zeros, index, &rules)?;
        result(index.shape(), DType::U8, |out| read_at(op, &Address::Flat, &zeros, index, out, &rules))?;
    }
    Ok(places)
}
