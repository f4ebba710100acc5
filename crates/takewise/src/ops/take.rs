//! `take` and `index_select`: elements by flat position, slices by position along an axis.

use super::gather::run_axis;
use super::{Lifted, check_out, dim, lifted};
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::{Out, result};
use crate::index::rules::{Empty, Outside, Rules, ZeroDim};
use crate::layout::Dims;
use crate::op::Op;
use crate::plan::{Builder, Made, Plan, recalled};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut, Form};

/// Elements by flat row-major position, whatever the strides; the result has the shape of `index`.
///
/// Errors: kinds `DType`, `OutOfRange` (axis 0, length = number of elements), `Shape` if `input` is empty but
/// `index` is not. Cost: one pass over the index; nothing is copied or flattened in memory.
/// Source: torch.take, numpy.take with axis None (SEMANTICS.md, Put and take).
pub fn take<'a>(input: impl Into<AnyView<'a>>, index: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    check(Op::Take, &input, &index, rules)?;
    result(index.shape(), input.dtype(), |out| run(&input, &index, out, rules))
}

/// [`take`] into memory of the result's shape and dtype; nothing is stored on error.
pub fn take_into<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    check(Op::Take, &input, &index, rules)?;
    check_out(Op::Take, out, input.dtype(), index.shape(), rules)?;
    run(&input, &index, Out::given(out), rules)
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

fn run(input: &AnyView, index: &AnyView, out: Out, rules: &Rules) -> Result<()> {
    let linear = out.layout().clone();
    let build = || plan_flat(Op::Take, input, index, &linear, rules);
    let read = |plan: &Plan| out.read(plan, input, std::slice::from_ref(index));
    recalled(Op::Take, rules, Made::Flat, input, index.layout(), &linear, build, read)
}

/// The plan of elements by flat position, the linear side shaped like the index.
pub(crate) fn plan_flat(
    op: Op,
    indexed: &impl Form,
    index: &AnyView,
    linear: &crate::layout::Layout,
    rules: &Rules,
) -> Result<Plan> {
    let mut b = Builder::new(op, rules, indexed.layout(), linear, indexed.dtype().size());
    let operand = b.operand(index.layout());
    b.flat_axis(indexed.layout(), operand);
    for (d, &n) in index.shape().iter().enumerate() {
        b.index_loop(n, linear.strides()[d], 0, &[index.layout().strides()[d]]);
    }
    b.build()
}

/// Slices along `axis`, one for every element of `index`, whose axes stand in place of `axis` (NumPy's `take`). A 0-d
/// input counts as one of length 1 under [`ZeroDim::OneAxis`].
///
/// Errors: kinds `Axis`, `DType`, `OutOfRange`, `Shape` (non-empty index into an empty axis under clip or
/// wrap). Cost: one pass over the result; rows move whole. Source: numpy.take.
pub fn take_axis<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    axis: i64,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let input = sliceable(&input, rules);
    let (d, shape) = axis_shape(Op::Take, &input, &index, axis, rules)?;
    result(&shape, input.dtype(), |out| run_axis(Op::Take, &input, &index, d, 0, out, rules))
}

/// [`take_axis`] into memory of the result's shape and dtype; nothing is stored on error.
pub fn take_axis_into<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    axis: i64,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let input = sliceable(&input, rules);
    let (d, shape) = axis_shape(Op::Take, &input, &index, axis, rules)?;
    check_out(Op::Take, out, input.dtype(), &shape, rules)?;
    run_axis(Op::Take, &input, &index, d, 0, Out::given(out), rules)
}

/// A 0-d input with the one axis the rules give it.
fn sliceable<'v, 'a>(input: &'v AnyView<'a>, rules: &Rules) -> Lifted<'v, AnyView<'a>> {
    match rules.zero_dim {
        ZeroDim::OneAxis => lifted(input),
        ZeroDim::NoAxis => Lifted::Same(input),
    }
}

fn axis_shape(op: Op, input: &AnyView, index: &AnyView, axis: i64, rules: &Rules) -> Result<(usize, Dims<usize>)> {
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
    Ok((d, shape))
}

/// Slices along `axis` by a 0-d or 1-d index; the axis stays. A 0-d input takes exactly one index and gives a
/// 0-d result.
///
/// Errors: kinds `Axis`, `DType`, `Shape`, `OutOfRange`. Cost: one pass over the result; rows move whole.
/// Source: torch.index_select.
pub fn index_select<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let shape = select_shape(Op::IndexSelect, &input, axis, &index, rules)?;
    result(&shape, input.dtype(), |out| select(&input, axis, &index, out, rules))
}

/// [`index_select`] into memory of the result's shape and dtype; nothing is stored on error.
pub fn index_select_into<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let shape = select_shape(Op::IndexSelect, &input, axis, &index, rules)?;
    check_out(Op::IndexSelect, out, input.dtype(), &shape, rules)?;
    select(&input, axis, &index, Out::given(out), rules)
}

pub(crate) fn select_shape(
    op: Op,
    input: &impl Form,
    axis: i64,
    index: &AnyView,
    rules: &Rules,
) -> Result<Dims<usize>> {
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
        return Ok(Dims::new());
    }
    if input.shape()[d] == 0 && index.numel() > 0 && matches!(rules.outside, Outside::Raise) {
        return Err(rules.fail(Fault::shape(op, ShapeRule::EmptyAxis, d, &shapes)));
    }
    let mut shape = Dims::from_slice(input.shape());
    shape[d] = index.numel();
    Ok(shape)
}

fn select(input: &AnyView, axis: i64, index: &AnyView, out: Out, rules: &Rules) -> Result<()> {
    let d = dim(Op::IndexSelect, axis, input.rank(), rules)?;
    let rules = Rules { empty: Empty::StillChecks, ..*rules };
    let (x, i) = (super::lifted(input), super::lifted(index));
    let lifted = super::lifted_of(out.layout(), input.dtype().size()).into_owned();
    out.seen(lifted, |out| run_axis(Op::IndexSelect, &x, &i, d, 0, out, &rules)).map_err(|e| e.at_rank(index.rank()))
}
