//! Rows of different lengths: one array of values, and where each row begins.

use takewise::error::ArgumentRule;
use takewise::index::rules::{Fill, Outside, Sign};
use takewise::op::Op;
use takewise::{Error, Fault, Result, Rules, Scalar, Tensor};
use takewise_ranges::{self as ranges, Reduction, Rows};

use crate::call::{Arrays, Call, Settings, array as find};
use crate::parameter::{Parameter, Role};
use crate::read::{BOUNDS, INDEX, NEGATIVE, OUT, THREADS, X};
use crate::record::{Operation, Run};
use crate::write::{array, write};

const VALUES: Parameter = Parameter::new("values", Role::Data);
const OFFSETS: Parameter = Parameter::new("offsets", Role::Offsets);
const MAY_OFFSETS: Parameter = OFFSETS.or("None");
const IDS: Parameter = Parameter { name: "ids", ..INDEX };
const MAY_IDS: Parameter = IDS.or("None");
const STARTS: Parameter = Parameter::new("starts", Role::Starts).or("None");
const STOPS: Parameter = Parameter::new("stops", Role::Stops).or("None");
const LENGTHS: Parameter = Parameter::new("lengths", Role::Lengths).or("None");
/// How many elements a result lists, and what stands behind them.
pub(crate) const SIZE: Parameter = Parameter::new("size", Role::Width).or("None");
pub(crate) const FILLING: Parameter = Parameter::new("fill_value", Role::Padding).or("0");
const AXIS: Parameter = Parameter::new("axis", Role::Axis).or("0");

/// Where the rows lie.
fn rows<'c>(op: Op, c: &Arrays<'c>) -> Result<Rows<'c>> {
    let of = |role| find(c.all, role);
    match (of(Role::Offsets), of(Role::Starts), of(Role::Stops), of(Role::Lengths)) {
        (Some(offsets), None, None, None) => Ok(Rows::Offsets(offsets)),
        (None, Some(starts), Some(stops), None) => Ok(Rows::Stops(starts, stops)),
        (None, Some(starts), None, Some(lengths)) => Ok(Rows::Starts(starts, lengths)),
        (None, None, None, Some(lengths)) => Ok(Rows::Lengths(lengths)),
        _ => {
            Err(refused(op, c, "rows are given by offsets, by starts and stops, by starts and lengths, or by lengths"))
        }
    }
}

#[cold]
pub(crate) fn refused(op: Op, c: &Arrays<'_>, text: &str) -> Error {
    c.rules.fail(Fault::text(op, ArgumentRule::Other, text))
}

/// The array that has to be there.
pub(crate) fn needed<'c>(op: Op, c: &Arrays<'c>, role: Role) -> Result<&'c Tensor> {
    find(c.all, role).ok_or_else(|| refused(op, c, "an array is missing"))
}

/// A length, which is not negative.
pub(crate) fn length(op: Op, c: &Arrays<'_>, name: &str, given: Option<i64>) -> Result<Option<usize>> {
    whole(op, name, given, c.rules)
}

fn whole(op: Op, name: &str, given: Option<i64>, rules: &Rules) -> Result<Option<usize>> {
    let wrong = |n| rules.fail(Fault::text(op, ArgumentRule::Other, format!("{name} must be at least 0, not {n}")));
    given.map(|n| usize::try_from(n).map_err(|_| wrong(n))).transpose()
}

pub(crate) const fn of(
    name: &'static str,
    op: Op,
    parameters: &'static [Parameter],
    named: &'static [Parameter],
    summary: &'static str,
    more: &'static str,
    run: fn(&Arrays<'_>) -> Result<Vec<Tensor>>,
) -> Operation {
    Operation { name, place: None, op, parameters, named, summary, more, run: Run::Arrays(run) }
}

const TAKE: Op = Op::Named(&"take_ranges");
const PUT: Op = Op::Named(&"put_ranges");
const REDUCE: Op = Op::Named(&"reduce_ranges");
const PAD: Op = Op::Named(&"pad_ranges");
const PACK: Op = Op::Named(&"pack_ranges");
const REPEAT: Op = Op::Named(&"repeat_ranges");
const IDS_OF: Op = Op::Named(&"range_ids");
const POSITIONS: Op = Op::Named(&"range_positions");
const OFFSETS_OF: Op = Op::Named(&"offsets_of");
const SEARCH: Op = Op::Named(&"searchsorted_ranges");

fn take(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (values, rows) = (needed(TAKE, c, Role::Data)?, rows(TAKE, c)?);
    let (taken, offsets) = ranges::take(values, rows, find(c.all, Role::Index), c.given.dim(), c.rules)?;
    let Settings { width: size, padding, .. } = *c.given;
    Ok(vec![sized(TAKE, taken, c.given.dim(), size, padding, c.rules)?, offsets])
}

/// The first `size` elements along an axis, with `fill` behind them where there are fewer; all of them where no size is given.
///
/// # Errors
/// A negative size, what the dtype does not hold, and too little memory.
pub fn sized(op: Op, found: Tensor, axis: i64, size: Option<i64>, fill: Scalar, rules: &Rules) -> Result<Tensor> {
    let Some(size) = whole(op, "size", size, rules)? else { return Ok(found) };
    let rules = Rules { outside: Outside::Fill, sign: Sign::NonNegative, fill: Some(Fill::Number(fill)), ..*rules };
    let places = Tensor::arange(0, size as i64, 1, None).map_err(|error| error.in_op(op))?;
    found.take_axis(axis, &places, &rules).map_err(|error| error.in_op(op))
}

fn positions(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (at, offsets) = ranges::positions(rows(POSITIONS, c)?, find(c.all, Role::Index), None, c.rules)?;
    Ok(vec![at, offsets])
}

fn reduce(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (values, given) = (needed(REDUCE, c, Role::Data)?, c.given);
    let of = |role| find(c.all, role);
    let asked = Reduction {
        how: given.how,
        ids: of(Role::Index),
        weights: of(Role::Weights),
        mask: of(Role::Mask),
        skip_nan: given.skip_nan,
        empty: given.empty,
    };
    Ok(vec![ranges::reduce(values, rows(REDUCE, c)?, given.dim(), &asked, c.rules)?])
}

fn pad(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (values, given) = (needed(PAD, c, Role::Data)?, c.given);
    let width = length(PAD, c, "width", given.width)?;
    let (dense, mask) = ranges::pad(values, rows(PAD, c)?, width, given.padding, given.with_mask, c.rules)?;
    Ok([Some(dense), mask].into_iter().flatten().collect())
}

fn pack(c: &Arrays<'_>) -> Result<Vec<Tensor>> {
    let (values, offsets) = ranges::pack(needed(PACK, c, Role::Data)?, needed(PACK, c, Role::Lengths)?, c.rules)?;
    Ok(vec![values, offsets])
}

/// The rows that are written to, and those of what is stored.
fn both<'c>(c: &Call<'c>) -> Result<(Rows<'c>, Option<Rows<'c>>)> {
    let offsets = find(c.others, Role::Offsets);
    let offsets = offsets.ok_or_else(|| c.rules.fail(Fault::text(PUT, ArgumentRule::Other, "offsets are missing")))?;
    Ok((Rows::Offsets(offsets), find(c.others, Role::SourceOffsets).map(Rows::Offsets)))
}

pub(crate) const ALL: &[Operation] = &[
    of(
        "take_ranges",
        TAKE,
        &[VALUES, MAY_OFFSETS, MAY_IDS],
        &[STARTS, STOPS, LENGTHS, AXIS, SIZE, FILLING, BOUNDS, NEGATIVE, OUT, THREADS],
        "The rows of ``values`` that ``ids`` names, and their offsets: row ``r`` lies from ``offsets[r]`` to ``offsets[r + 1]``.",
        doc!(
            r#"
Rows come in the order of ``ids`` and as often; without it, all come. They may also be given by ``starts`` and ``stops``, by
``starts`` and ``lengths``, both of which may overlap and leave gaps, or by ``lengths`` alone. ``bounds="fill"`` gives empty
rows for numbers that no row has. Offsets that fall or pass the end are refused before anything is read. One pass over the result.
With ``size`` the values are so many, cut off or followed by ``fill_value``, as ``jax.jit`` needs it. The offsets are those of the
rows, so the last of them says how many values there were.

>>> import numpy as np, takewise
>>> values, offsets = np.array([1, 2, 3, 4, 5, 6]), [0, 2, 2, 6]
>>> takewise.take_ranges(values, offsets, [2, 0])
(array([3, 4, 5, 6, 1, 2]), array([0, 4, 6]))
>>> takewise.take_ranges(values, starts=[4, 0], stops=[6, 3])
(array([5, 6, 1, 2, 3]), array([0, 2, 5]))
>>> takewise.take_ranges(values, offsets, [0, 7], bounds="fill")
(array([1, 2]), array([0, 2, 2]))
>>> takewise.take_ranges(values, offsets, [0], size=4, fill_value=-1)
(array([ 1,  2, -1, -1]), array([0, 2]))
"#
        ),
        take,
    ),
    Operation {
        named: &[AXIS, BOUNDS, NEGATIVE, crate::write::DUPLICATES, crate::write::CASTING, THREADS],
        ..write(
            ["put_ranges", "put_ranges_"],
            &[
                X,
                OFFSETS,
                IDS,
                Parameter::new("source", Role::Array),
                Parameter::new("source_offsets", Role::SourceOffsets).or("None"),
            ],
            "A copy of ``x`` with rows of ``source`` stored in the rows that ``ids`` names; see ``take_ranges``.",
            doc!(
                r#"
A row has to be as long as the one it goes to. Without ``source_offsets`` the rows of ``source`` lie one after the other.

>>> import numpy as np, takewise
>>> takewise.put_ranges(np.zeros(5), [0, 2, 5], [1], [7.0, 8.0, 9.0])
array([0., 0., 7., 8., 9.])
"#
            ),
            |_| false,
            |c| {
                let (rows, theirs) = both(c)?;
                ranges::put(c.x, rows, Some(c.index), array(c)?, theirs, c.given.dim(), c.rules)
            },
            |c| {
                let (rows, theirs) = both(c)?;
                ranges::put_(c.x, rows, Some(c.index), array(c)?, theirs, c.given.dim(), c.rules)
            },
        )
    },
    of(
        "reduce_ranges",
        REDUCE,
        &[VALUES, MAY_OFFSETS, Parameter::new("reduce", Role::How).or("'sum'"), MAY_IDS],
        &[
            STARTS,
            STOPS,
            LENGTHS,
            Parameter::new("weights", Role::Weights).or("None"),
            Parameter::new("where", Role::Mask).or("None"),
            crate::write::SKIP_NAN,
            Parameter::new("empty", Role::Empty).or("None"),
            AXIS,
            BOUNDS,
            NEGATIVE,
            OUT,
            THREADS,
        ],
        "One value for each row: its values combined.",
        doc!(
            r#"
Rows are given as to ``take_ranges``. ``reduce`` is ``"sum"``, ``"mean"`` (of integers the floor, in their dtype), ``"min"``,
``"max"``, ``"prod"``, ``"any"``, ``"all"``, ``"count"``, ``"first"``, ``"last"``, ``"argmin"`` or ``"argmax"``; the last two
are positions along ``axis``. With ``ids`` the rows hold positions of ``values`` instead of the values themselves, as in an
embedding bag, and ``weights`` has a factor for each entry of a sum, in the dtype of the values. ``where`` says which entries
count and broadcasts to their shape; ``skip_nan`` passes NaN over. A row without values gives ``empty``, or 0, 1 for products,
the other end of the dtype for extremes, -1 for positions: not a position that can be read. The bits do not depend on the
number of threads.

>>> import numpy as np, takewise
>>> values, offsets = np.array([3.0, 1.0, 4.0, 1.0, 5.0]), [0, 2, 2, 5]
>>> takewise.reduce_ranges(values, offsets, "sum")
array([ 4.,  0., 10.])
>>> takewise.reduce_ranges(values, offsets, "argmax")
array([ 0, -1,  4])
>>> takewise.reduce_ranges(np.eye(3), [0, 2, 3], "sum", ids=[0, 2, 1])
array([[1., 0., 1.],
       [0., 1., 0.]])
"#
        ),
        reduce,
    ),
    of(
        "pad_ranges",
        PAD,
        &[VALUES, MAY_OFFSETS, Parameter::new("width", Role::Width).or("None"), FILLING],
        &[STARTS, STOPS, LENGTHS, Parameter::new("mask", Role::WithMask).or("False"), OUT, THREADS],
        "Rows of different lengths as one dense array: ``[rows, width, ...]``, with ``fill_value`` behind the values of a row.",
        doc!(
            r#"
``width`` is the length of the longest row unless told; a longer row is refused. With ``mask=True`` the places that hold values
come as a second array. ``pack_ranges`` is the way back.

>>> import numpy as np, takewise
>>> takewise.pad_ranges(np.array([1, 2, 3]), [0, 2, 3], fill_value=-1)
array([[ 1,  2],
       [ 3, -1]])
>>> takewise.pad_ranges(np.array([1, 2, 3]), [0, 2, 3], mask=True)[1]
array([[ True,  True],
       [ True, False]])
"#
        ),
        pad,
    ),
    of(
        "pack_ranges",
        PACK,
        &[Parameter::new("dense", Role::Data), Parameter::new("lengths", Role::Lengths)],
        &[OUT, THREADS],
        "The first ``lengths[r]`` values of each row of a dense array, one row after the other, and their offsets.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.pack_ranges(np.array([[1, 2], [3, 0]]), [2, 1])
(array([1, 2, 3]), array([0, 2, 3]))
"#
        ),
        pack,
    ),
    of(
        "repeat_ranges",
        REPEAT,
        &[VALUES, MAY_OFFSETS],
        &[STARTS, STOPS, LENGTHS, AXIS, OUT, THREADS],
        "Element ``r`` of ``values`` along ``axis`` for each value of row ``r``.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.repeat_ranges(np.array([7, 8]), [0, 1, 4])
array([7, 8, 8, 8])
"#
        ),
        |c| Ok(vec![ranges::repeat(needed(REPEAT, c, Role::Data)?, rows(REPEAT, c)?, c.given.dim(), c.rules)?]),
    ),
    of(
        "range_ids",
        IDS_OF,
        &[MAY_OFFSETS],
        &[STARTS, STOPS, LENGTHS, OUT, THREADS],
        "The number of the row of each value, row after row.",
        doc!(
            r#"
>>> import takewise
>>> takewise.range_ids([0, 2, 2, 3])
array([0, 0, 2])
"#
        ),
        |c| Ok(vec![ranges::range_ids(IDS_OF, rows(IDS_OF, c)?, c.rules)?.0]),
    ),
    of(
        "range_positions",
        POSITIONS,
        &[MAY_OFFSETS, MAY_IDS],
        &[STARTS, STOPS, LENGTHS, BOUNDS, NEGATIVE, OUT, THREADS],
        "The position of each value of the rows that ``ids`` names, and their offsets: one index for many arrays.",
        doc!(
            r#"
Rows are given as to ``take_ranges``, which is ``take`` of these positions.

>>> import takewise
>>> takewise.range_positions([0, 2, 5], [1, 0])
(array([2, 3, 4, 0, 1]), array([0, 3, 5]))
"#
        ),
        positions,
    ),
    of(
        "offsets_of",
        OFFSETS_OF,
        &[IDS, Parameter::new("rows", Role::Count).or("None")],
        &[OUT, THREADS],
        "The offsets of rows, given the number of the row of each value: numbers that never fall.",
        doc!(
            r#"
There are ``rows`` rows, or one more than the last number.

>>> import takewise
>>> takewise.offsets_of([0, 0, 2], rows=4)
array([0, 2, 2, 3, 3])
"#
        ),
        |c| {
            let rows = length(OFFSETS_OF, c, "rows", c.given.count)?;
            Ok(vec![ranges::offsets_of(needed(OFFSETS_OF, c, Role::Index)?, rows, c.rules)?])
        },
    ),
    of(
        "searchsorted_ranges",
        SEARCH,
        &[VALUES, OFFSETS, Parameter::new("input", Role::Sought), MAY_IDS],
        &[Parameter::new("right", Role::Right).or("False"), BOUNDS, NEGATIVE, OUT, THREADS],
        "Where each element of ``input`` belongs in its own row of the sorted ``values``, counted from the start of the row.",
        doc!(
            r#"
``input`` has one row of elements for each row of ``values``, or for each of ``ids``. NaN is larger than all numbers.

>>> import numpy as np, takewise
>>> takewise.searchsorted_ranges(np.array([1, 5, 2, 4, 6]), [0, 2, 5], [3, 4])
array([1, 1])
"#
        ),
        |c| {
            let (values, sought) = (needed(SEARCH, c, Role::Data)?, needed(SEARCH, c, Role::Sought)?);
            let ids = find(c.all, Role::Index);
            Ok(vec![ranges::searchsorted(values, rows(SEARCH, c)?, sought, ids, c.given.right, c.rules)?])
        },
    ),
];
