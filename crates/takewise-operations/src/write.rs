//! Writes by one array of positions, or by a mask: into a copy, or, with a trailing underscore, into the caller's memory.

use takewise::error::ArgumentRule;
use takewise::op::Op;
use takewise::ops::Source;
use takewise::{Error, Fault, Index, Result, Rules, Tensor};
use takewise_ranges::{self as ranges, Grouping, How};

use crate::call::{Call, Given};
use crate::parameter::{Parameter, Role};
use crate::read::{BOUNDS, DIM, INDEX, LIST, MASK, NEGATIVE, THREADS, X};
use crate::record::{Operation, Run};

pub(crate) const DUPLICATES: Parameter = Parameter::new("duplicates", Role::Duplicates).or("None");
pub(crate) const CASTING: Parameter = Parameter::new("casting", Role::Casting).or("None");
pub(crate) const ACCUMULATE: Parameter = Parameter::new("accumulate", Role::Accumulate).or("False");
const SRC: Parameter = Parameter::new("src", Role::Values);
const SOURCE: Parameter = Parameter::new("source", Role::Array);
const VALUE: Parameter = Parameter::new("value", Role::Values);
const MAY_REDUCE: Parameter = Parameter::new("reduce", Role::Reduce).or("None");
const REDUCE: Parameter = Parameter::new("reduce", Role::HasReduce);
pub(crate) const SKIP_NAN: Parameter = Parameter::new("skip_nan", Role::SkipNan).or("False");
const INCLUDE_SELF: Parameter = Parameter::new("include_self", Role::IncludeSelf).or("True");

/// The policies of a write.
pub(crate) const WRITE: &[Parameter] = &[BOUNDS, NEGATIVE, DUPLICATES, CASTING, THREADS];

pub(crate) const fn write(
    [name, place]: [&'static str; 2],
    parameters: &'static [Parameter],
    summary: &'static str,
    more: &'static str,
    combines: fn(&Given) -> bool,
    copy: fn(&Call<'_>) -> Result<Tensor>,
    in_place: fn(&Call<'_>) -> Result<()>,
) -> Operation {
    let run = Run::Write { copy: Some(copy), place: in_place, combines, gives: true };
    Operation { name, place: Some(place), op: Op::Write, parameters, named: WRITE, summary, more, run }
}

/// A write that combines all values that meet, in any way that there is.
const fn grouping(
    names: [&'static str; 2],
    parameters: &'static [Parameter],
    summary: &'static str,
    more: &'static str,
    combines: fn(&Given) -> bool,
    copy: fn(&Call<'_>) -> Result<Tensor>,
    in_place: fn(&Call<'_>) -> Result<()>,
) -> Operation {
    const NAMED: &[Parameter] = &[SKIP_NAN, BOUNDS, NEGATIVE, DUPLICATES, CASTING, THREADS];
    Operation { named: NAMED, ..write(names, parameters, summary, more, combines, copy, in_place) }
}

/// A write through a mask, which has no values that could be outside or meet.
const fn masked(
    names: [&'static str; 2],
    parameters: &'static [Parameter],
    summary: &'static str,
    more: &'static str,
    copy: fn(&Call<'_>) -> Result<Tensor>,
    in_place: fn(&Call<'_>) -> Result<()>,
) -> Operation {
    Operation { named: &[CASTING, THREADS], ..write(names, parameters, summary, more, |_| false, copy, in_place) }
}

/// The array of a write that takes no numbers; who calls it has made one of a number.
pub(crate) fn array<'c>(c: &Call<'c>) -> Result<&'c Tensor> {
    match c.value {
        Source::Array(tensor) => Ok(tensor),
        Source::Scalar(_) => Err(Error::plain(Fault::Memory { op: Op::Write, bytes: None })),
    }
}

/// What combines values as those of a row. On the page there is none.
type Grouped = Option<fn(Op, &Tensor, i64, &Tensor, &Tensor, Grouping, &Rules) -> Result<Tensor>>;

const SCATTERED: Grouped = if cfg!(target_family = "wasm") { None } else { Some(ranges::scatter_reduce) };
const INDEXED: Grouped = if cfg!(target_family = "wasm") { None } else { Some(ranges::index_reduce) };

/// A write that combines values as those of a row: into a copy.
fn grouped(c: &Call<'_>, run: Grouped) -> Result<Tensor> {
    let Given { include_self, skip_nan, group, .. } = *c.given;
    let none = || c.rules.fail(Fault::text(Op::Write, ArgumentRule::Other, "the page does not combine values so"));
    let run = run.ok_or_else(none)?;
    let asked = Grouping { how: group.unwrap_or(How::Last), include_self, skip_nan };
    match c.value {
        Source::Array(source) => run(Op::Write, c.x, c.given.dim(), c.index, source, asked, c.rules),
        Source::Scalar(number) => {
            let source = Tensor::full(c.index.shape(), number, c.x.dtype())?;
            run(Op::Write, c.x, c.given.dim(), c.index, &source, asked, c.rules)
        }
    }
}

/// Stores what a write would make of a copy.
fn in_place(c: &Call<'_>, made: Tensor) -> Result<()> {
    c.x.index_set_(&[Index::Ellipsis], &made, c.rules)
}

pub(crate) const ALL: &[Operation] = &[
    write(
        ["scatter", "scatter_"],
        &[X, DIM, INDEX, SRC, MAY_REDUCE],
        "A copy of ``x`` with ``src`` stored at ``index`` along ``dim``: ``x[i][index[i][j]] = src[i][j]`` for ``dim=1``.",
        doc!(
            r#"
``src`` is an array at least as large as ``index``, or one number. ``reduce`` combines instead of storing:
``"sum"``, ``"prod"``, ``"max"``, ``"min"``, ``"mean"``.

>>> import numpy as np, takewise
>>> takewise.scatter(np.zeros(4), 0, [3, 1], [7.0, 8.0])
array([0., 8., 0., 7.])
>>> takewise.scatter(np.zeros(3), 0, [1, 1], [7.0, 8.0], duplicates="first")
array([0., 7., 0.])
"#
        ),
        |given| given.reduce.is_some(),
        |c| c.x.scatter(c.given.dim(), c.index, c.value, c.given.reduce, c.rules),
        |c| c.x.scatter_(c.given.dim(), c.index, c.value, c.given.reduce, c.rules),
    ),
    write(
        ["scatter_add", "scatter_add_"],
        &[X, DIM, INDEX, SRC],
        "A copy of ``x`` with ``src`` added at ``index`` along ``dim``, in index order.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.scatter_add(np.zeros(3), 0, [0, 0, 2], [1.0, 2.0, 3.0])
array([3., 0., 3.])
"#
        ),
        |_| true,
        |c| c.x.scatter_add(c.given.dim(), c.index, c.value, c.rules),
        |c| c.x.scatter_add_(c.given.dim(), c.index, c.value, c.rules),
    ),
    grouping(
        ["scatter_reduce", "scatter_reduce_"],
        &[X, DIM, INDEX, SRC, REDUCE, INCLUDE_SELF],
        "A copy of ``x`` with ``src`` combined at ``index`` along ``dim``.",
        doc!(
            r#"
``reduce`` is ``"sum"``, ``"prod"``, ``"mean"``, ``"max"``, ``"min"``, ``"any"``, ``"all"``, ``"count"``, ``"first"``,
``"last"``, ``"argmin"`` or ``"argmax"``; the last two store positions along ``dim`` in ``src``. With
``include_self=False`` the old values of the places written do not count; ``skip_nan`` passes NaN over.

>>> import numpy as np, takewise
>>> takewise.scatter_reduce(np.zeros(3), 0, [0, 0, 2], [5.0, 9.0, -1.0], "max")
array([9., 0., 0.])
>>> takewise.scatter_reduce(np.full(3, -1), 0, [0, 0, 2], [5.0, 9.0, -1.0], "argmax")
array([ 1, -1,  2])
"#
        ),
        |given| given.reduce.is_some() || given.group.is_some(),
        |c| match c.given.reduce {
            _ if c.given.group.is_some() => grouped(c, SCATTERED),
            Some(how) => c.x.scatter_reduce(c.given.dim(), c.index, c.value, how, c.given.include_self, c.rules),
            None => c.x.scatter(c.given.dim(), c.index, c.value, None, c.rules),
        },
        |c| match c.given.reduce {
            _ if c.given.group.is_some() => in_place(c, grouped(c, SCATTERED)?),
            Some(how) => c.x.scatter_reduce_(c.given.dim(), c.index, c.value, how, c.given.include_self, c.rules),
            None => c.x.scatter_(c.given.dim(), c.index, c.value, None, c.rules),
        },
    ),
    write(
        ["index_add", "index_add_"],
        &[X, DIM, LIST, SOURCE, Parameter::new("alpha", Role::Factor).or("None")],
        "A copy of ``x`` with the subarrays of ``source``, times ``alpha``, added at ``index`` along ``dim``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.index_add(np.zeros((2, 2)), 0, [1, 1], np.ones((2, 2)))
array([[0., 0.],
       [2., 2.]])
"#
        ),
        |_| true,
        |c| c.x.index_add(c.given.dim(), c.index, array(c)?, c.given.alpha, c.rules),
        |c| c.x.index_add_(c.given.dim(), c.index, array(c)?, c.given.alpha, c.rules),
    ),
    write(
        ["index_copy", "index_copy_"],
        &[X, DIM, LIST, SOURCE],
        "A copy of ``x`` with the subarrays of ``source`` stored at ``index`` along ``dim``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.index_copy(np.zeros((2, 2)), 0, [1], np.ones((1, 2)))
array([[0., 0.],
       [1., 1.]])
"#
        ),
        |_| false,
        |c| c.x.index_copy(c.given.dim(), c.index, array(c)?, c.rules),
        |c| c.x.index_copy_(c.given.dim(), c.index, array(c)?, c.rules),
    ),
    write(
        ["index_fill", "index_fill_"],
        &[X, DIM, LIST, VALUE],
        "A copy of ``x`` with one ``value`` stored at ``index`` along ``dim``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.index_fill(np.zeros((2, 3)), 1, [0, 2], 5)
array([[5., 0., 5.],
       [5., 0., 5.]])
"#
        ),
        |_| false,
        |c| c.x.index_fill(c.given.dim(), c.index, c.value, c.rules),
        |c| c.x.index_fill_(c.given.dim(), c.index, c.value, c.rules),
    ),
    grouping(
        ["index_reduce", "index_reduce_"],
        &[X, DIM, LIST, SOURCE, REDUCE, INCLUDE_SELF],
        "A copy of ``x`` with the subarrays of ``source`` combined at ``index`` along ``dim``; see ``scatter_reduce``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.index_reduce(np.ones(3), 0, [0, 0], [2.0, 4.0], "prod")
array([8., 1., 1.])
"#
        ),
        |given| given.reduce.is_some() || given.group.is_some(),
        |c| match c.given.reduce {
            _ if c.given.group.is_some() => grouped(c, INDEXED),
            Some(how) => c.x.index_reduce(c.given.dim(), c.index, array(c)?, how, c.given.include_self, c.rules),
            None => c.x.index_copy(c.given.dim(), c.index, array(c)?, c.rules),
        },
        |c| match c.given.reduce {
            _ if c.given.group.is_some() => in_place(c, grouped(c, INDEXED)?),
            Some(how) => c.x.index_reduce_(c.given.dim(), c.index, array(c)?, how, c.given.include_self, c.rules),
            None => c.x.index_copy_(c.given.dim(), c.index, array(c)?, c.rules),
        },
    ),
    write(
        ["put", "put_"],
        &[X, INDEX, Parameter::new("values", Role::Values), ACCUMULATE],
        "A copy of ``x`` with values stored at positions of the flattened array; with ``accumulate``, added.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.put(np.zeros((2, 2)), [0, 3], [5, 6])
array([[5., 0.],
       [0., 6.]])
"#
        ),
        |given| given.accumulate,
        |c| c.x.put(c.index, c.value, c.given.accumulate, c.rules),
        |c| c.x.put_(c.index, c.value, c.given.accumulate, c.rules),
    ),
    write(
        ["tensor_scatter", "tensor_scatter_"],
        &[X, INDEX, Parameter::new("updates", Role::Values), MAY_REDUCE],
        "A copy of ``x`` with ``updates`` stored, or combined by ``reduce``, at index tuples; see ``gather_nd``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.tensor_scatter(np.zeros((2, 2)), [[0, 1], [1, 0]], [5.0, 6.0])
array([[0., 5.],
       [6., 0.]])
"#
        ),
        |given| given.reduce.is_some(),
        |c| c.x.tensor_scatter(c.index, c.value, c.given.reduce, c.rules),
        |c| c.x.scatter_nd_(c.index, c.value, c.given.reduce, c.rules),
    ),
    masked(
        ["masked_fill", "masked_fill_"],
        &[X, MASK, VALUE],
        "A copy of ``x`` with ``value`` where ``mask`` is true; the mask broadcasts.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.array([1, -2, 3])
>>> takewise.masked_fill(x, x < 0, 0)
array([1, 0, 3])
"#
        ),
        |c| c.x.masked_fill(c.index, c.value, c.rules),
        |c| c.x.masked_fill_(c.index, c.value, c.rules),
    ),
    masked(
        ["masked_scatter", "masked_scatter_"],
        &[X, MASK, SOURCE],
        "A copy of ``x`` with the first elements of ``source``, in order, where ``mask`` is true.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.masked_scatter(np.zeros(4), [True, False, True, False], [5.0, 6.0, 7.0])
array([5., 0., 6., 0.])
"#
        ),
        |c| c.x.masked_scatter(c.index, array(c)?, c.rules),
        |c| c.x.masked_scatter_(c.index, array(c)?, c.rules),
    ),
    Operation {
        name: "put_along_axis",
        place: None,
        op: Op::PutAlongAxis,
        parameters: &[
            X,
            INDEX,
            Parameter::new("values", Role::Values),
            Parameter::new("axis", Role::AxisOrNone).or("-1"),
        ],
        named: WRITE,
        summary: "Stores values in ``x`` along ``axis``, as ``take_along_axis`` reads them; the other axes broadcast.",
        more: doc!(
            r#"
With ``axis=None`` they go to positions of the flattened array, which a one-dimensional ``index`` names.

>>> import numpy as np, takewise
>>> x = np.array([[10, 30, 20], [60, 40, 50]])
>>> takewise.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 99, axis=1)
>>> x
array([[10, 99, 20],
       [99, 40, 50]])
>>> takewise.put_along_axis(x, [0, 5], [1, 2], axis=None)
>>> x
array([[ 1, 99, 20],
       [99, 40,  2]])
"#
        ),
        run: Run::Write {
            copy: None,
            place: |c| match c.given.axis {
                Some(axis) => c.x.put_along_(axis, c.index, c.value, c.rules),
                None => c.x.put_along_flat_(c.index, c.value, c.rules),
            },
            combines: |_| false,
            gives: false,
        },
    },
    Operation {
        name: "scatter_nd",
        place: None,
        op: Op::Named(&"scatter_nd"),
        parameters: &[INDEX, Parameter::new("updates", Role::Array), Parameter::new("shape", Role::Shape)],
        named: &[BOUNDS, NEGATIVE, THREADS],
        summary: "An array of zeros of the given shape with ``updates`` added at index tuples; see ``gather_nd``.",
        more: doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.scatter_nd(np.array([[0], [2], [0]]), np.array([1, 5, 2]), (4,))
array([3, 0, 5, 0])
"#
        ),
        run: Run::ScatterNd,
    },
];
