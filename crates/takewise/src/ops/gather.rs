//! Reading along one axis: `gather`, `take_along`, and gather with an axis and batch dims.

use super::{check_out, dim, lifted, lifted_layout, lifted_shape};
use crate::error::{ArgumentRule, Fault, Result, ShapeRule};
use crate::exec::{Out, result};
use crate::index::rules::{Extent, FlatRules, Rules, ZeroDim};
use crate::layout::{Dims, broadcast_strides};
use crate::op::Op;
use crate::plan::{Builder, Made, Plan, recalled};
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
    let shape = gather_shape(Op::Gather, &input, axis, &index, rules)?;
    result(&shape, input.dtype(), |out| run(Op::Gather, &input, axis, &index, out, rules))
}

/// [`gather`] into memory of the result's shape and dtype; nothing is stored on error.
pub fn gather_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let shape = gather_shape(Op::Gather, &input, axis, &index, rules)?;
    check_out(Op::Gather, out, input.dtype(), &shape, rules)?;
    run(Op::Gather, &input, axis, &index, Out::given(out), rules)
}

/// NumPy's `take_along_axis` and torch's `take_along_dim`: as [`gather`], but `input` and `index` broadcast off
/// `axis` whatever the rules' extent says. With `axis` `None` both are flattened and the result is 1-d.
///
/// Errors and cost as [`gather`]. Source: torch and NumPy (SEMANTICS.md, Gather shapes).
pub fn take_along<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    axis: Option<i64>,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    let Some(axis) = axis else {
        let rules = flattened(&index, &rules)?;
        return result(&[index.numel()], input.dtype(), |out| flat(&input, &index, out, &rules));
    };
    let shape = gather_shape(Op::TakeAlongDim { flat: false }, &input, axis, &index, &rules)?;
    result(&shape, input.dtype(), |out| run(Op::TakeAlongDim { flat: false }, &input, axis, &index, out, &rules))
}

/// [`take_along`] into memory of the result's shape and dtype; nothing is stored on error.
pub fn take_along_into<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    axis: Option<i64>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    let Some(axis) = axis else {
        let rules = flattened(&index, &rules)?;
        check_out(Op::TakeAlongDim { flat: false }, out, input.dtype(), &[index.numel()], &rules)?;
        return flat(&input, &index, Out::given(out), &rules);
    };
    let shape = gather_shape(Op::TakeAlongDim { flat: false }, &input, axis, &index, &rules)?;
    check_out(Op::TakeAlongDim { flat: false }, out, input.dtype(), &shape, &rules)?;
    run(Op::TakeAlongDim { flat: false }, &input, axis, &index, Out::given(out), &rules)
}

/// The name of the operation without an axis.
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

/// Both operands flattened, the result 1-d.
fn flat(input: &AnyView, index: &AnyView, out: Out, rules: &Rules) -> Result<()> {
    let mut b = Builder::new(FLAT, rules, input.layout(), out.layout(), input.dtype().size());
    let operand = b.operand(index.layout());
    b.flat_axis(input.layout(), operand);
    for (d, &n) in index.shape().iter().enumerate() {
        b.index_loop(n, 0, 0, &[index.layout().strides()[d]]);
    }
    b.flat_linear();
    out.read(&b.build()?, input, std::slice::from_ref(index))
}

/// Checks in torch's order; the result's shape.
pub(crate) fn gather_shape(
    op: Op,
    input: &impl Form,
    axis: i64,
    index: &AnyView,
    rules: &Rules,
) -> Result<Dims<usize>> {
    rules.check_data(op, input.dtype())?;
    let d = dim(op, axis, input.rank(), rules)?;
    if index.numel() == 0 && rules.extent == Extent::AtMost {
        return Ok(Dims::from_slice(index.shape()));
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
    Ok(shape)
}

/// The plan and its run; everything is checked.
fn run(op: Op, input: &AnyView, axis: i64, index: &AnyView, out: Out, rules: &Rules) -> Result<()> {
    let linear = out.layout().clone();
    with_along(op, input, axis, index, &linear, rules, |plan| out.read(plan, input, std::slice::from_ref(index)))
}

/// Runs `then` with the plan of [`plan_along`], which may be kept from a call before.
pub(crate) fn with_along<R>(
    op: Op,
    indexed: &impl Form,
    axis: i64,
    index: &AnyView,
    linear: &crate::layout::Layout,
    rules: &Rules,
    then: impl FnOnce(&Plan) -> Result<R>,
) -> Result<R> {
    let made =
        Made::Along { axis: dim(op, axis, indexed.rank(), rules)?, broadcast: rules.extent == Extent::Broadcast };
    let build = || plan_along(op, indexed, axis, index, linear, rules);
    recalled(op, rules, made, indexed, index.layout(), linear, build, then)
}

/// The plan of every along-one-axis operation between `indexed` and a linear side shaped like the index.
pub(crate) fn plan_along(
    op: Op,
    indexed: &impl Form,
    axis: i64,
    index: &AnyView,
    linear: &crate::layout::Layout,
    rules: &Rules,
) -> Result<Plan> {
    let d = dim(op, axis, indexed.rank(), rules)?;
    let mut b = Builder::new(op, rules, indexed.layout(), linear, indexed.dtype().size());
    let operand = b.operand(index.layout());
    if index.numel() == 0 || linear.numel() == 0 {
        // An empty index is not even checked for rank, nor are values that meet no place
        // (SEMANTICS.md, Empty operands).
        b.index_loop(0, 0, 0, &[0]);
        return b.build();
    }
    let (x, i) = (lifted_layout(indexed), lifted(index));
    b.axis(d, x.shape()[d], x.strides()[d], operand, 0);
    let linear_strides = if linear.rank() == 0 { &[0][..] } else { linear.strides() };
    let target: Dims<usize> = if linear.rank() == 0 {
        Dims::from_slice(i.shape())
    } else {
        let n = |k: usize| if rules.extent == Extent::Broadcast { linear.shape()[k] } else { i.shape()[k] };
        (0..i.rank()).map(n).collect()
    };
    let misfit =
        || rules.fail(Fault::shape(op, ShapeRule::BroadcastPair, d, &[("index", i.shape()), ("target", &target)]));
    let steps = broadcast_strides(i.shape(), i.layout().strides(), &target).ok_or_else(misfit)?;
    for k in 0..i.rank() {
        let indexed_step = if k == d || x.shape()[k] == 1 { 0 } else { x.strides()[k] };
        b.index_loop(target[k], linear_strides[k], indexed_step, &[steps[k]]);
    }
    b.build()
}

/// Gather of whole slices along `axis`, with leading `batch_dims` paired up (MindSpore's and TensorFlow's
/// `gather`): the result has shape `input[:axis] + index[batch_dims:] + input[axis+1:]`.
///
/// With `batch_dims` 0 this is NumPy's `take` along an axis. A negative `batch_dims` counts from the rank of
/// `index`. Errors: kinds `Axis`, `Argument` (batch dims), `Shape` (batch extents), `DType`, `OutOfRange`.
/// Cost: one pass over the result; rows move whole. Source: MindSpore (SEMANTICS.md, Gather shapes).
pub fn gather_axis<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    axis: i64,
    batch_dims: i64,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let (d, batch, shape) = gather_axis_shape(&input, &index, axis, batch_dims, rules)?;
    result(&shape, input.dtype(), |out| run_axis(Op::GatherAxis, &input, &index, d, batch, out, rules))
}

/// [`gather_axis`] into memory of the result's shape and dtype; nothing is stored on error.
pub fn gather_axis_into<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    axis: i64,
    batch_dims: i64,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let (d, batch, shape) = gather_axis_shape(&input, &index, axis, batch_dims, rules)?;
    check_out(Op::GatherAxis, out, input.dtype(), &shape, rules)?;
    run_axis(Op::GatherAxis, &input, &index, d, batch, Out::given(out), rules)
}

pub(crate) fn gather_axis_shape(
    input: &impl Form,
    index: &AnyView,
    axis: i64,
    batch_dims: i64,
    rules: &Rules,
) -> Result<(usize, usize, Dims<usize>)> {
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
    Ok((d, batch, shape))
}

/// Rows along axis `d`, batched; everything is checked.
pub(crate) fn run_axis(
    op: Op,
    input: &AnyView,
    index: &AnyView,
    d: usize,
    batch: usize,
    out: Out,
    rules: &Rules,
) -> Result<()> {
    let linear = out.layout().clone();
    with_axis(op, input, index, d, batch, &linear, rules, |plan| out.read(plan, input, std::slice::from_ref(index)))
}

/// Runs `then` with the plan of [`plan_axis`], which may be kept from a call before.
pub(crate) fn with_axis<R>(
    op: Op,
    indexed: &impl Form,
    index: &AnyView,
    d: usize,
    batch: usize,
    linear: &crate::layout::Layout,
    rules: &Rules,
    then: impl FnOnce(&Plan) -> Result<R>,
) -> Result<R> {
    let build = || plan_axis(op, indexed, index, d, batch, linear, rules);
    recalled(op, rules, Made::Slices { axis: d, batch }, indexed, index.layout(), linear, build, then)
}

/// The plan of slices along axis `d`, the linear side shaped as [`gather_axis`]'s result.
pub(crate) fn plan_axis(
    op: Op,
    indexed: &impl Form,
    index: &AnyView,
    d: usize,
    batch: usize,
    linear: &crate::layout::Layout,
    rules: &Rules,
) -> Result<Plan> {
    let mut b = Builder::new(op, rules, indexed.layout(), linear, indexed.dtype().size());
    let operand = b.operand(index.layout());
    b.axis(d, indexed.shape()[d], indexed.layout().strides()[d], operand, 0);
    let (x, i, out) = (indexed.layout(), index.layout(), linear.strides());
    let inner = index.rank() - batch;
    (0..batch).for_each(|k| b.index_loop(x.shape()[k], out[k], x.strides()[k], &[i.strides()[k]]));
    (batch..d).for_each(|k| b.free_loop(x.shape()[k], out[k], x.strides()[k]));
    (0..inner).for_each(|k| b.index_loop(i.shape()[batch + k], out[d + k], 0, &[i.strides()[batch + k]]));
    (d + 1..x.rank()).for_each(|k| b.free_loop(x.shape()[k], out[inner + k - 1], x.strides()[k]));
    b.build()
}
