//! Reading along one axis: `gather`, `take_along`, and gather with an axis and batch dims.

use super::at::read_at;
use super::{check_out, dim, lifted_shape};
use crate::error::{ArgumentRule, Fault, Result, ShapeRule};
use crate::exec::{Out, result};
use crate::index::rules::{Extent, FlatRules, Rules, ZeroDim};
use crate::layout::Dims;
use crate::op::Op;
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut, Form};

/// `out[i][j][k] = input[i][index[i][j][k]][k]` for `axis` 1, and so on.
///
/// `index` has the rank of `input` (0-d counts as 1-d) and, under [`Extent::AtMost`], may be smaller off `axis`
/// and of any length along it; under [`Extent::Broadcast`] both broadcast off `axis`. The result has the shape
/// of `index` (broadcast, in the latter case) and the dtype of `input`. An empty index is never checked.
///
/// Errors: kinds `Axis`, `DType` (index), `Shape`, `OutOfRange`. Cost: one pass over the index and the result;
/// no operand is copied. Source: torch.gather, MindSpore GatherD, ONNX GatherElements.
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = [1, 2, 3, 4, 5, 6];
/// let i = [1i64, 0, 2, 0];
/// let got = ops::gather(&View::new(&x, &[2, 3]).unwrap(), 1, &View::new(&i, &[2, 2]).unwrap(), &Rules::NEUTRAL);
/// assert_eq!(got.unwrap().to_vec::<i32>().unwrap(), [2, 1, 6, 4]);
/// ```
pub fn gather<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let (at, shape) = gather_shape(Op::Gather, &input, axis, &index, rules)?;
    result(&shape, input.dtype(), |out| read_at(Op::Gather, &at, &input, &index, out, rules))
}

/// [`gather`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 3];
/// ops::gather_into(&[10, 20, 30], 0, &[2usize, 2, 0], &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [30, 30, 10]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn gather_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let (at, shape) = gather_shape(Op::Gather, &input, axis, &index, rules)?;
    check_out(Op::Gather, out, input.dtype(), &shape, rules)?;
    read_at(Op::Gather, &at, &input, &index, Out::given(out), rules)
}

/// NumPy's `take_along_axis` and torch's `take_along_dim`: as [`gather`], but `input` and `index` broadcast off
/// `axis` whatever the rules' extent says. With `axis` `None` both are flattened and the result is 1-d.
///
/// Errors and cost as [`gather`]. Source: torch and NumPy (SEMANTICS.md, Gather shapes).
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[30, 10, 20, 4, 6, 5], &[2, 3])?;
/// let order = ops::argsort(&x, 1, false, true, &Rules::NEUTRAL)?;
/// let sorted = ops::take_along(&x, Some(1), &order.read_any()?.view(), &Rules::NEUTRAL)?;
/// assert_eq!(sorted.to_vec::<i32>()?, [10, 20, 30, 4, 5, 6]);
/// assert_eq!(ops::take_along(&x, None, &[5usize, 0], &Rules::NEUTRAL)?.to_vec::<i32>()?, [5, 30]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn take_along<'a>(
    input: impl Into<AnyView<'a>>,
    axis: Option<i64>,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    let Some(axis) = axis else {
        let rules = flattened(&index, &rules)?;
        return result(&[index.numel()], input.dtype(), |out| {
            read_at(FLAT, &Address::Flat, &input, &index, out, &rules)
        });
    };
    let (at, shape) = gather_shape(ALONG, &input, axis, &index, &rules)?;
    result(&shape, input.dtype(), |out| read_at(ALONG, &at, &input, &index, out, &rules))
}

/// [`take_along`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 2];
/// let row = View::new(&[1usize, 0], &[1, 2])?;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// ops::take_along_into(&x, Some(0), &row, &mut ViewMut::new(&mut out, &[1, 2])?.into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [3, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn take_along_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: Option<i64>,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    let Some(axis) = axis else {
        let rules = flattened(&index, &rules)?;
        check_out(ALONG, out, input.dtype(), &[index.numel()], &rules)?;
        return read_at(FLAT, &Address::Flat, &input, &index, Out::given(out), &rules);
    };
    let (at, shape) = gather_shape(ALONG, &input, axis, &index, &rules)?;
    check_out(ALONG, out, input.dtype(), &shape, &rules)?;
    read_at(ALONG, &at, &input, &index, Out::given(out), &rules)
}

/// `take_along` with an axis, and without one.
const ALONG: Op = Op::TakeAlongDim { flat: false };
const FLAT: Op = Op::TakeAlongDim { flat: true };

/// The rules of flattened operands; fails unless the index dtype is accepted.
fn flattened(index: &AnyView, rules: &Rules) -> Result<Rules> {
    let rules = match rules.flat {
        Some(FlatRules { outside, indices }) => Rules { outside, indices, ..*rules },
        None => *rules,
    };
    if index.numel() > 0 || rules.flat.is_none() {
        rules.check_index(FLAT, index.dtype())?;
    }
    Ok(rules)
}

/// Checks in torch's order; what is addressed, and the result's shape.
pub(crate) fn gather_shape(
    op: Op,
    input: &impl Form,
    axis: i64,
    index: &AnyView,
    rules: &Rules,
) -> Result<(Address, Dims<usize>)> {
    rules.check_data(op, input.dtype())?;
    let d = dim(op, axis, input.rank(), rules)?;
    if index.numel() == 0 && rules.extent == Extent::AtMost {
        return Ok((Address::Axis { dim: d }, Dims::from_slice(index.shape())));
    }
    rules.check_index(op, index.dtype())?;
    let (x, i) = (lifted_shape(input), lifted_shape(index));
    let strict = rules.zero_dim == ZeroDim::NoAxis && index.rank() == 0;
    if x.len() != i.len() || strict {
        let shapes = [("index", index.shape()), ("input", input.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::IndexRank, d, &shapes)));
    }
    let mut shape = Dims::from_slice(i);
    for k in (0..x.len()).filter(|k| *k != d) {
        let (n, m) = (x[k], i[k]);
        let fits = match rules.extent {
            Extent::Equal => n == m,
            Extent::AtMost => m <= n,
            Extent::Broadcast => n == m || n == 1 || m == 1,
        };
        if !fits {
            let rule = if rules.extent == Extent::Broadcast { ShapeRule::BroadcastPair } else { ShapeRule::AtMost };
            let shapes = [("index", index.shape()), ("input", input.shape()), ("dim", &[d][..])];
            return Err(rules.fail(Fault::shape(op, rule, k, &shapes)));
        }
        if rules.extent == Extent::Broadcast && m == 1 {
            shape[k] = n;
        }
    }
    if index.rank() == 0 {
        shape.clear();
    }
    Ok((Address::Axis { dim: d }, shape))
}

/// Gather of whole slices along `axis`, with leading `batch_dims` paired up (MindSpore's and TensorFlow's
/// `gather`): the result has shape `input[:axis] + index[batch_dims:] + input[axis+1:]`.
///
/// With `batch_dims` 0 this is NumPy's `take` along an axis. A negative `batch_dims` counts from the rank of
/// `index`. Errors: kinds `Axis`, `Argument` (batch dims), `Shape` (batch extents), `DType`, `OutOfRange`.
/// Cost: one pass over the result; rows move whole. Source: MindSpore (SEMANTICS.md, Gather shapes).
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let index = View::new(&[2usize, 0, 1, 1], &[2, 2])?;
/// // One row of the index for each row of the input.
/// let paired = ops::gather_axis(&x, 1, &index, 1, &Rules::NEUTRAL)?;
/// assert_eq!((paired.shape(), paired.to_vec::<i32>()?), (&[2, 2][..], vec![3, 1, 5, 5]));
/// // Every row of the index for each row of the input.
/// assert_eq!(ops::gather_axis(&x, 1, &index, 0, &Rules::NEUTRAL)?.shape(), [2, 2, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn gather_axis<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    batch_dims: i64,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let (at, shape) = gather_axis_shape(&input, &index, axis, batch_dims, rules)?;
    result(&shape, input.dtype(), |out| read_at(Op::GatherAxis, &at, &input, &index, out, rules))
}

/// [`gather_axis`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 2];
/// ops::gather_axis_into(&[10, 20, 30], 0, &[2usize, 0], 0, &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [30, 10]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn gather_axis_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    batch_dims: i64,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let (at, shape) = gather_axis_shape(&input, &index, axis, batch_dims, rules)?;
    check_out(Op::GatherAxis, out, input.dtype(), &shape, rules)?;
    read_at(Op::GatherAxis, &at, &input, &index, Out::given(out), rules)
}

/// The checks of [`gather_axis`]; what is addressed, and the result's shape.
pub(crate) fn gather_axis_shape(
    input: &impl Form,
    index: &AnyView,
    axis: i64,
    batch_dims: i64,
    rules: &Rules,
) -> Result<(Address, Dims<usize>)> {
    let op = Op::GatherAxis;
    rules.check_data(op, input.dtype())?;
    rules.check_index(op, index.dtype())?;
    let rank = input.rank() as i64;
    if batch_dims < -rank || batch_dims >= rank {
        return Err(rules.fail(Fault::argument(op, ArgumentRule::BatchDims, &[batch_dims, -rank, rank])));
    }
    let d = dim(op, axis, input.rank(), rules)?;
    let batch = if batch_dims < 0 { batch_dims + index.rank() as i64 } else { batch_dims };
    if batch < 0 {
        return Err(rules.fail(Fault::argument(op, ArgumentRule::BatchNegative, &[batch])));
    }
    let batch = batch as usize;
    if batch > index.rank() {
        let shapes = [("index", index.shape()), ("batch", &[batch][..])];
        return Err(rules.fail(Fault::shape(op, ShapeRule::BatchRank, batch, &shapes)));
    }
    if d < batch {
        return Err(rules.fail(Fault::argument(op, ArgumentRule::AxisBeforeBatch, &[d as i64, batch as i64])));
    }
    if let Some(k) = (0..batch).find(|&k| input.shape()[k] != index.shape()[k]) {
        let shapes = [("input", input.shape()), ("index", index.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::Batch, k, &shapes)));
    }
    let mut shape = Dims::from_slice(&input.shape()[..d]);
    shape.extend_from_slice(&index.shape()[batch..]);
    shape.extend_from_slice(&input.shape()[d + 1..]);
    Ok((Address::Rows { dim: d, batch }, shape))
}
