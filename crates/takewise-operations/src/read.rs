//! Reads by one array of positions, or by a mask.

use takewise::op::Op;
use takewise::{Result, Tensor};

use crate::call::{Call, Given};
use crate::parameter::{Parameter, Role};
use crate::record::{Operation, Run};

pub(crate) const X: Parameter = Parameter::new("x", Role::Data);
pub(crate) const INDEX: Parameter = Parameter::new("index", Role::Index);
pub(crate) const MASK: Parameter = Parameter::new("mask", Role::Mask);
pub(crate) const DIM: Parameter = Parameter::new("dim", Role::Axis);
pub(crate) const BOUNDS: Parameter = Parameter::new("bounds", Role::Bounds).or("None");
pub(crate) const NEGATIVE: Parameter = Parameter::new("negative", Role::Negative).or("None");
pub(crate) const FILL: Parameter = Parameter::new("fill_value", Role::Fill).or("None");
pub(crate) const OUT: Parameter = Parameter::new("out", Role::Out).or("None");
pub(crate) const THREADS: Parameter = Parameter::new("threads", Role::Threads).or("None");

/// The policies of a read.
const READ: &[Parameter] = &[BOUNDS, NEGATIVE, FILL, OUT, THREADS];

const fn read(
    name: &'static str,
    op: Op,
    parameters: &'static [Parameter],
    summary: &'static str,
    run: fn(&Call<'_>) -> Result<Tensor>,
) -> Operation {
    Operation { name, place: None, op, parameters, named: READ, summary, run: Run::Read(run) }
}

/// The axis given, or the one after the batch axes.
fn after(given: &Given, index: &Tensor) -> i64 {
    let Given { axis, batch_dims, .. } = *given;
    axis.unwrap_or(if batch_dims < 0 { batch_dims.saturating_add(index.rank() as i64) } else { batch_dims })
}

fn take(c: &Call<'_>) -> Result<Tensor> {
    match (c.given.axis, c.given.batch_dims) {
        (None, 0) => c.x.take(c.index, c.rules),
        (Some(axis), 0) => c.x.take_axis(axis, c.index, c.rules),
        (_, batch) => c.x.gather_axis(after(c.given, c.index), c.index, batch, c.rules),
    }
}

fn tuples(given: &Given) -> usize {
    usize::try_from(given.batch_dims).unwrap_or(usize::MAX)
}

pub(crate) const ALL: &[Operation] = &[
    read(
        "gather",
        Op::Named(&"gather"),
        &[X, DIM, INDEX],
        "One element of ``x`` for each element of ``index``, along ``dim``.",
        |c| c.x.gather(c.given.dim(), c.index, c.rules),
    ),
    read(
        "take",
        Op::Named(&"take"),
        &[
            X,
            INDEX,
            Parameter::new("axis", Role::AxisOrNone).or("None"),
            Parameter::new("batch_dims", Role::BatchDims).or("0"),
        ],
        "The elements (with ``axis=None``, of the flattened array) or whole subarrays of ``x`` at ``index``.",
        take,
    ),
    read(
        "take_along_axis",
        Op::Named(&"take_along_axis"),
        &[X, INDEX, Parameter::new("axis", Role::AxisOrNone).or("-1")],
        "One element of ``x`` for each element of ``index``, along ``axis``; the other axes broadcast.",
        |c| c.x.take_along(c.given.axis, c.index, c.rules),
    ),
    read(
        "take_along_dim",
        Op::Named(&"take_along_dim"),
        &[
            Parameter::new("input", Role::Data),
            Parameter::new("indices", Role::Index),
            Parameter::new("dim", Role::AxisOrNone).or("None"),
        ],
        "One element of ``input`` for each element of ``indices``, along ``dim``; the other axes broadcast.",
        |c| c.x.take_along(c.given.axis, c.index, c.rules),
    ),
    read(
        "index_select",
        Op::Named(&"index_select"),
        &[X, DIM, INDEX],
        "Whole subarrays of ``x`` along ``dim``, at the places of a one-dimensional ``index``.",
        |c| c.x.index_select(c.given.dim(), c.index, c.rules),
    ),
    read(
        "gather_nd",
        Op::Named(&"gather_nd"),
        &[X, INDEX, Parameter::new("batch_dims", Role::BatchDims).or("0")],
        "Elements or subarrays of ``x`` at index tuples: the last axis of ``index`` runs over the axes of ``x``.",
        |c| c.x.gather_nd(c.index, tuples(c.given), c.rules),
    ),
    Operation {
        named: &[OUT, THREADS],
        ..read(
            "masked_select",
            Op::MaskedSelect,
            &[X, MASK],
            "The elements of ``x`` where ``mask`` is true, as one row; the two broadcast.",
            |c| c.x.masked_select(c.index, c.rules),
        )
    },
    Operation {
        name: "copy",
        place: None,
        op: Op::Copy,
        parameters: &[X],
        named: &[OUT, THREADS],
        summary: "``x`` with its elements in row-major order, in memory of its own.",
        run: Run::Copy,
    },
];
