//! Operations that compare: sorted searches, what is not zero, one of two values.

use takewise::op::Op;

use crate::parameter::{Parameter, Role};
use crate::read::{OUT, THREADS};
use crate::record::{Operation, Run};

const SEQUENCE: Parameter = Parameter::new("sorted_sequence", Role::Sequence);
const BOUNDARIES: Parameter = Parameter::new("boundaries", Role::Sequence);
const SOUGHT: Parameter = Parameter::new("input", Role::Sought);
const NARROW: Parameter = Parameter::new("out_int32", Role::Narrow).or("False");
const RIGHT: Parameter = Parameter::new("right", Role::Right).or("False");

pub(crate) const ALL: &[Operation] = &[
    Operation {
        name: "searchsorted",
        place: None,
        op: Op::SearchSorted,
        parameters: &[SEQUENCE, SOUGHT],
        named: &[
            Parameter::new("axis", Role::Axis).or("-1"),
            NARROW,
            RIGHT,
            Parameter::new("side", Role::Side).or("None"),
            Parameter::new("sorter", Role::Sorter).or("None"),
            OUT,
            THREADS,
        ],
        summary: "Where ``input`` belongs in ``sorted_sequence``: before elements equal to it, with ``right`` or ``side=\"right\"`` after.",
        run: Run::SearchSorted,
    },
    Operation {
        name: "bucketize",
        place: None,
        op: Op::Bucketize,
        parameters: &[SOUGHT, BOUNDARIES],
        named: &[NARROW, RIGHT, OUT, THREADS],
        summary: "In which bucket between sorted ``boundaries`` each value falls: how many of them are below it, with ``right`` below or equal.",
        run: Run::Bucketize,
    },
    Operation {
        name: "nonzero",
        place: None,
        op: Op::Nonzero,
        parameters: &[Parameter::new("input", Role::Data)],
        named: &[Parameter::new("as_tuple", Role::AsTuple).or("False"), OUT, THREADS],
        summary: "Coordinates of the elements that are not zero, in row-major order: one row for each, one column for each axis.",
        run: Run::Nonzero,
    },
    Operation {
        name: "where",
        place: None,
        op: Op::Where,
        parameters: &[
            Parameter::new("condition", Role::Condition),
            Parameter::new("input", Role::Choice).or("None"),
            Parameter::new("other", Role::Choice).or("None"),
        ],
        named: &[OUT, THREADS],
        summary: "``input`` where ``condition`` is true, else ``other``; all three broadcast.",
        run: Run::Where,
    },
];
