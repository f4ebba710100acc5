//! Operations that compare: sorted searches, what is not zero, one of two values.

use takewise::op::Op;

use crate::parameter::{Parameter, Role};
use crate::ranges::{FILLING, SIZE};
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
        more: doc!(
            r#"
A sequence of rank 1 is searched for values of any shape; one of more axes row by row, for the rows of ``input``, along
``axis``: an axis of the sequence, and the one as far from the end in ``input``. The other axes broadcast. NaN is larger
than all numbers, and dtypes compare by value. ``sorter`` are the positions that sort the sequence along that axis, of its
shape; ``out_int32`` asks for positions of 32 bits. The result has the shape of ``input``, broadcast. Each value costs a
search; nothing is copied.

>>> import numpy as np, takewise
>>> takewise.searchsorted(np.array([1, 3, 5, 7]), np.array([3.0, 4.5, 9.0]))
array([1, 2, 4])
>>> takewise.searchsorted(np.array([1, 3, 5, 7]), [3, 3], side="right", threads=2)
array([2, 2])
>>> rows = np.array([[1, 3, 5], [2, 4, 6]])
>>> takewise.searchsorted(rows, [[4], [4]])
array([[2],
       [1]])
>>> takewise.searchsorted(rows.T, [[4, 0]], axis=0)
array([[2, 0]])
>>> takewise.searchsorted(rows, [4, 5])
array([[2, 2],
       [1, 2]])
"#
        ),
        run: Run::SearchSorted,
    },
    Operation {
        name: "bucketize",
        place: None,
        op: Op::Bucketize,
        parameters: &[SOUGHT, BOUNDARIES],
        named: &[NARROW, RIGHT, OUT, THREADS],
        summary: "In which bucket between sorted ``boundaries`` each value falls: how many of them are below it, with ``right`` below or equal.",
        more: doc!(
            r#"
>>> import numpy as np, takewise
>>> takewise.bucketize(np.array([0.5, 1.0, 3.0]), np.array([1.0, 2.0]))
array([0, 0, 2])
"#
        ),
        run: Run::Bucketize,
    },
    Operation {
        name: "nonzero",
        place: None,
        op: Op::Nonzero,
        parameters: &[Parameter::new("input", Role::Data)],
        named: &[Parameter::new("as_tuple", Role::AsTuple).or("False"), SIZE, FILLING, OUT, THREADS],
        summary: "Coordinates of the elements that are not zero, in row-major order: one row for each, one column for each axis.",
        more: doc!(
            r#"
With ``as_tuple`` one array for each axis. With ``size`` there are so many, cut off or followed by ``fill_value``, as ``jax.jit``
needs it.

>>> import numpy as np, takewise
>>> x = np.array([[1, 0, 2], [0, 3, 0]])
>>> takewise.nonzero(x)
array([[0, 0],
       [0, 2],
       [1, 1]])
>>> takewise.nonzero(x, as_tuple=True)
(array([0, 0, 1]), array([0, 2, 1]))
>>> takewise.nonzero(x, as_tuple=True, size=4, fill_value=-1)
(array([ 0,  0,  1, -1]), array([ 0,  2,  1, -1]))
"#
        ),
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
        more: doc!(
            r#"
Numbers take the dtype of an array beside them. Without both, ``nonzero(condition, as_tuple=True)``.

>>> import numpy as np, takewise
>>> x = np.array([1, -2, 3])
>>> takewise.where(x > 0, x, 0)
array([1, 0, 3])
>>> takewise.where(x > 0)
(array([0, 2]),)
"#
        ),
        run: Run::Where,
    },
];
