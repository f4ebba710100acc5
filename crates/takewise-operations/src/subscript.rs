//! Subscripts as functions.

use takewise::op::Op;

use crate::parameter::{Parameter, Role};
use crate::read::{BOUNDS, FILL, NEGATIVE, OUT, THREADS, X};
use crate::record::{Operation, Run, Way};
use crate::write::{ACCUMULATE, WRITE};

const KEY: Parameter = Parameter::new("key", Role::Key);
const VALUE: Parameter = Parameter::new("value", Role::Values);

const fn read(name: &'static str, way: Way, op: Op, named: &'static [Parameter], summary: &'static str) -> Operation {
    Operation { name, place: None, op, parameters: &[X, KEY], named, summary, run: Run::Subscript(way) }
}

pub(crate) const ALL: &[Operation] = &[
    read(
        "index",
        Way::Plain,
        Op::Index,
        &[BOUNDS, NEGATIVE, FILL, OUT, THREADS],
        "``x[key]``, for a key of any kind, by NumPy's rules for the combination of its parts.",
    ),
    read(
        "oindex",
        Way::Outer,
        Op::OuterIndex,
        &[BOUNDS, NEGATIVE, FILL, THREADS],
        "``x`` at the cross product of the index arrays of ``key``: each stands for its own axis of the result.",
    ),
    read(
        "vindex",
        Way::Points,
        Op::PointIndex,
        &[BOUNDS, NEGATIVE, FILL, THREADS],
        "``x`` at the points the index arrays of ``key`` name together; their axes lead the result, wherever they stand.",
    ),
    Operation {
        name: "index_put",
        place: Some("index_put_"),
        op: Op::Write,
        parameters: &[X, KEY, VALUE, ACCUMULATE],
        named: WRITE,
        summary: "A copy of ``x`` with ``value`` stored at ``key``, or with ``accumulate`` added.",
        run: Run::Store,
    },
    Operation {
        name: "index_set",
        place: None,
        op: Op::Named(&"index_set"),
        parameters: &[X, KEY, VALUE],
        named: WRITE,
        summary: "The statement ``x[key] = value`` as a function, with policies: into the memory of ``x``, which is returned.",
        run: Run::Store,
    },
];
