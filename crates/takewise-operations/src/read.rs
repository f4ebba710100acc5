//! Reads by one array of positions, or by a mask.

use takewise::op::Op;
use takewise::{Result, Tensor};

use crate::call::{Call, Given};
use crate::parameter::{Parameter, Role};
use crate::record::{Operation, Run};

pub(crate) const X: Parameter = Parameter::new("x", Role::Data);
pub(crate) const INDEX: Parameter = Parameter::new("index", Role::Index);
pub(crate) const LIST: Parameter = Parameter { list: true, ..INDEX };
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
    more: &'static str,
    fresh: fn(&Call<'_>) -> Result<Tensor>,
    into: fn(&Call<'_>, &mut Tensor) -> Result<bool>,
) -> Operation {
    // The page has no memory of its caller's, and its engine is small.
    let into = if cfg!(target_family = "wasm") { None } else { Some(into) };
    Operation { name, place: None, op, parameters, named: READ, summary, more, run: Run::Read { fresh, into } }
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

fn take_into(c: &Call<'_>, out: &mut Tensor) -> Result<bool> {
    match (c.given.axis, c.given.batch_dims) {
        (None, 0) => c.x.take_out(c.index, out, c.rules),
        (Some(axis), 0) => c.x.take_axis_out(axis, c.index, out, c.rules),
        (_, batch) => c.x.gather_axis_out(after(c.given, c.index), c.index, batch, out, c.rules),
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
        doc!(
            r#"
``out[i][j] = x[i][index[i][j]]`` for ``dim=1``; the result has the shape of ``index``, which may be smaller than
``x`` along the other axes.

>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.gather(x, 1, np.array([[2, 0], [1, -1]]))
array([[30, 10],
       [50, 60]])
>>> takewise.gather(x, 1, [[0, 9], [1, 1]], bounds="fill", fill_value=-1)
array([[10, -1],
       [50, 50]])
"#
        ),
        |c| c.x.gather(c.given.dim(), c.index, c.rules),
        |c, out| c.x.gather_out(c.given.dim(), c.index, out, c.rules),
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
        doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.take(x, [0, -1])
array([10, 60])
>>> takewise.take(x, [2, 0], axis=1)
array([[30, 10],
       [60, 40]])

With ``batch_dims=n``, the first ``n`` axes of ``x`` and ``index`` are paired, and ``axis`` is by default the one
after them. A negative number counts from the axes of ``index``.

>>> takewise.take(x, [[2, 0], [1, 1]], batch_dims=1)
array([[30, 10],
       [50, 50]])
"#
        ),
        take,
        take_into,
    ),
    read(
        "take_along_axis",
        Op::Named(&"take_along_axis"),
        &[X, INDEX, Parameter::new("axis", Role::AxisOrNone).or("-1")],
        "One element of ``x`` for each element of ``index``, along ``axis``; the other axes broadcast.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.array([[30, 10, 20], [5, 6, 4]])
>>> takewise.take_along_axis(x, np.argsort(x, axis=1), axis=1)
array([[10, 20, 30],
       [ 4,  5,  6]])
"#
        ),
        |c| c.x.take_along(c.given.axis, c.index, c.rules),
        |c, out| c.x.take_along_out(c.given.axis, c.index, out, c.rules),
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
        doc!(
            r#"
Without a ``dim`` both are flattened. PyTorch's name of ``take_along_axis``, which takes the last axis unless told
otherwise.

>>> import numpy as np, takewise
>>> x = np.array([[30, 10, 20], [5, 6, 4]])
>>> takewise.take_along_dim(x, np.argsort(x, axis=1), dim=1)
array([[10, 20, 30],
       [ 4,  5,  6]])
>>> takewise.take_along_dim(x, [0, 9], bounds="clip")
array([30,  4])
"#
        ),
        |c| c.x.take_along(c.given.axis, c.index, c.rules),
        |c, out| c.x.take_along_out(c.given.axis, c.index, out, c.rules),
    ),
    read(
        "index_select",
        Op::Named(&"index_select"),
        &[X, DIM, LIST],
        "Whole subarrays of ``x`` along ``dim``, at the places of a one-dimensional ``index``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.index_select(np.array([[1, 2], [3, 4], [5, 6]]), 0, [2, 0])
array([[5, 6],
       [1, 2]])
"#
        ),
        |c| c.x.index_select(c.given.dim(), c.index, c.rules),
        |c, out| c.x.index_select_out(c.given.dim(), c.index, out, c.rules),
    ),
    read(
        "gather_nd",
        Op::Named(&"gather_nd"),
        &[X, INDEX, Parameter::new("batch_dims", Role::BatchDims).or("0")],
        "Elements or subarrays of ``x`` at index tuples: the last axis of ``index`` runs over the axes of ``x``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.gather_nd(x, [[0, 2], [1, 0]])
array([30, 40])
"#
        ),
        |c| c.x.gather_nd(c.index, tuples(c.given), c.rules),
        |c, out| c.x.gather_nd_out(c.index, tuples(c.given), out, c.rules),
    ),
    Operation {
        named: &[OUT, THREADS],
        ..read(
            "masked_select",
            Op::MaskedSelect,
            &[X, MASK],
            "The elements of ``x`` where ``mask`` is true, as one row; the two broadcast.",
            doc!(
                r#"
>>> import numpy as np, takewise
>>> x = np.array([[10, 20], [30, 40]])
>>> takewise.masked_select(x, x > 15)
array([20, 30, 40])
"#
            ),
            |c| c.x.masked_select(c.index, c.rules),
            |c, out| c.x.masked_select_out(c.index, out, c.rules),
        )
    },
    Operation {
        name: "copy",
        place: None,
        op: Op::Copy,
        parameters: &[X],
        named: &[OUT, THREADS],
        summary: "``x`` with its elements in row-major order, in memory of its own.",
        more: doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.copy(x[:, ::-1].T)
array([[30, 60],
       [20, 50],
       [10, 40]])
"#
        ),
        run: Run::Copy,
    },
];
