//! Points by tuples of indices: `gather_nd` and `scatter_nd`.

use super::at::{incoming, store};
use super::{Made, Source, check_out, copied, fresh};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Error, Fault, Result, ShapeRule};
use crate::exec::{Out, Reduce, result};
use crate::index::rules::Rules;
use crate::layout::Dims;
use crate::op::{Combine, Op};
use crate::plan::{Address, Between, Plan};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// Slices of `input` at index tuples: the last axis of `index` holds one position for each of the first axes of
/// `input` after `batch_dims`. The result has shape `index[:-1] + input[batch_dims + depth:]`.
///
/// Tuples are read in place, as strided slices of `index`. Errors: kinds `DType`, `Shape` (depth, batch extents),
/// `Argument` (batch dims), `OutOfRange` (axis named). Cost: one pass over the result; slices move whole.
/// Source: MindSpore GatherNd, ONNX GatherND (SEMANTICS.md, Gather shapes).
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let points = View::new(&[1usize, 0, 0, 2], &[2, 2])?;
/// assert_eq!(ops::gather_nd(&x, &points, 0, &Rules::NEUTRAL)?.to_vec::<i32>()?, [4, 3]);
/// // Shorter tuples name slices.
/// assert_eq!(ops::gather_nd(&x, &[1usize], 0, &Rules::NEUTRAL)?.to_vec::<i32>()?, [4, 5, 6]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn gather_nd<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    batch_dims: usize,
    rules: &Rules,
) -> Result<Tensor> {
    let (input, index) = (input.into(), index.into());
    let shape = result_shape(Op::GatherNd, input.shape(), &index, batch_dims, rules)?;
    rules.check_data(Op::GatherNd, input.dtype())?;
    result(&shape, input.dtype(), |out| read(&input, &index, batch_dims, out, rules))
}

/// [`gather_nd`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let mut out = [0; 2];
/// let points = View::new(&[1usize, 0, 0, 1], &[2, 2])?;
/// ops::gather_nd_into(&x, &points, 0, &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [3, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn gather_nd_into<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    batch_dims: usize,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, index) = (input.into(), index.into());
    let shape = result_shape(Op::GatherNd, input.shape(), &index, batch_dims, rules)?;
    check_out(Op::GatherNd, out, input.dtype(), &shape, rules)?;
    read(&input, &index, batch_dims, Out::given(out), rules)
}

pub(crate) fn result_shape(
    op: Op,
    input: &[usize],
    index: &AnyView,
    batch: usize,
    rules: &Rules,
) -> Result<Dims<usize>> {
    rules.check_index(op, index.dtype())?;
    let shapes = [("index", index.shape()), ("input", input)];
    let Some((&depth, tuples)) = index.shape().split_last() else {
        return Err(rules.fail(Fault::shape(op, ShapeRule::ZeroDim, 0, &shapes)));
    };
    if batch > tuples.len() || batch > input.len() {
        let limit = tuples.len().min(input.len()) as i64 + 1;
        return Err(rules.fail(Fault::argument(op, ArgumentRule::BatchDims, &[batch as i64, 0, limit])));
    }
    if batch + depth > input.len() {
        return Err(rules.fail(Fault::shape(op, ShapeRule::Depth, depth, &shapes)));
    }
    if let Some(k) = (0..batch).find(|&k| input[k] != index.shape()[k]) {
        return Err(rules.fail(Fault::shape(op, ShapeRule::Batch, k, &shapes)));
    }
    let mut shape = Dims::from_slice(tuples);
    shape.extend_from_slice(&input[batch + depth..]);
    Ok(shape)
}

fn read(input: &AnyView, index: &AnyView, batch: usize, out: Out, rules: &Rules) -> Result<()> {
    let linear = out.layout().clone();
    let between = Between { indexed: input.layout(), linear: &linear, size: input.dtype().size() };
    let read = |plan: &Plan, parts: &[AnyView]| out.read(plan, input, parts);
    let address = Address::Nd { batch };
    address.with_plan(Op::GatherNd, rules, std::slice::from_ref(index), between, read).map_err(Error::in_column)
}

/// Stores `updates` at the index tuples of `dst`, or combines them in index order.
///
/// `updates` has the shape [`gather_nd`] would give, or is one number. Errors: kinds `DType`, `Shape`, `Value`,
/// `OutOfRange`; nothing is written on error. Source: MindSpore tensor_scatter_*, ONNX ScatterND.
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [0; 4];
/// let mut dst = ViewMut::new(&mut x, &[2, 2])?.into();
/// let points = View::new(&[1usize, 0, 0, 1], &[2, 2])?;
/// ops::scatter_nd_(&mut dst, &points, &[5, 6], None, &Rules::NEUTRAL)?;
/// ops::scatter_nd_(&mut dst, &points, &[1, 1], Some(Reduce::Sum), &Rules::NEUTRAL)?;
/// assert_eq!(x, [0, 7, 6, 0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_nd_<'a>(
    dst: &mut AnyViewMut,
    index: impl Into<AnyView<'a>>,
    updates: impl Into<Source<AnyView<'a>>>,
    reduce: Option<Reduce>,
    rules: &Rules,
) -> Result<()> {
    run(Op::TensorScatter(Combine::Update), dst, &index.into(), &updates.into(), reduce, rules)
}

/// [`scatter_nd_`] under the name of the operation called, on a dense copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::Op;
/// use takewise::op::Combine;
/// let op = Op::TensorScatter(Combine::Update);
/// let rows = View::new(&[1usize], &[1, 1])?;
/// let got = ops::tensor_scatter(&[1, 2, 3], &rows, &[9], None, op, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [1, 9, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn tensor_scatter<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    updates: impl Into<Source<AnyView<'a>>>,
    reduce: Option<Reduce>,
    op: Op,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| run(op, dst, &index.into(), &updates.into(), reduce, rules))
}

/// Zeros of `shape` with `updates` added at the index tuples (MindSpore's and TensorFlow's `scatter_nd`).
///
/// ```
/// use takewise::prelude::*;
/// let places = View::new(&[2usize, 0, 2], &[3, 1])?;
/// let got = ops::scatter_nd(&places, &[1, 2, 3], &[4], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [2, 0, 4, 0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn scatter_nd<'a>(
    index: impl Into<AnyView<'a>>,
    updates: impl Into<AnyView<'a>>,
    shape: &[usize],
    rules: &Rules,
) -> Result<Tensor> {
    let (index, updates) = (index.into(), updates.into());
    let dtype: DType = updates.dtype();
    fresh(shape, dtype, |dst| run(Op::ScatterNd, dst, &index, &Source::Array(updates), Some(Reduce::Sum), rules))
}

fn run(
    op: Op,
    dst: &mut AnyViewMut,
    index: &AnyView,
    updates: &Source<AnyView>,
    reduce: Option<Reduce>,
    rules: &Rules,
) -> Result<()> {
    let shape = result_shape(op, dst.shape(), index, 0, rules)?;
    let mut keep = Made::default();
    let (values, passage) = incoming(op, dst.dtype(), updates, reduce, rules, &mut keep)?;
    rules.check_data(op, dst.dtype())?;
    let fits = matches!(updates, Source::Scalar(_)) || values.shape() == &shape[..];
    if !fits {
        let shapes = [("updates", values.shape()), ("index", index.shape()), ("self", dst.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::Slice, 0, &shapes)));
    }
    let layout = values.layout().broadcast_to(op, &shape)?;
    let values = values.rearranged(0, layout);
    let (indexed, size) = (dst.layout().clone(), dst.dtype().size());
    let between = Between { indexed: &indexed, linear: values.layout(), size };
    let combine = reduce.map(|how| (how, true, passage.as_ref()));
    let write = |plan: &Plan, parts: &[AnyView]| store(plan, &values, parts, dst, combine);
    let address = Address::Nd { batch: 0 };
    address.with_plan(op, rules, std::slice::from_ref(index), between, write).map_err(Error::in_column)
}
