//! Subscripts as functions.

use takewise::op::Op;

use crate::parameter::{Parameter, Role};
use crate::read::{BOUNDS, FILL, NEGATIVE, OUT, THREADS, X};
use crate::record::{Operation, Run, Way};
use crate::write::{ACCUMULATE, CASTING, DUPLICATES};

const KEY: Parameter = Parameter::new("key", Role::Key);
const MIXED: Parameter = Parameter::new("mixed", Role::Mixed).or("None");
const VALUE: Parameter = Parameter::new("value", Role::Values);

const STORE: &[Parameter] = &[BOUNDS, NEGATIVE, DUPLICATES, CASTING, MIXED, THREADS];

const fn read(
    name: &'static str,
    way: Way,
    op: Op,
    named: &'static [Parameter],
    summary: &'static str,
    more: &'static str,
) -> Operation {
    Operation { name, place: None, op, parameters: &[X, KEY], named, summary, more, run: Run::Subscript(way) }
}

pub(crate) const ALL: &[Operation] = &[
    read(
        "index",
        Way::Plain,
        Op::Index,
        &[BOUNDS, NEGATIVE, FILL, MIXED, OUT, THREADS],
        "``x[key]``, for a key of any kind, by NumPy's rules for the combination of its parts.",
        doc!(
            r#"
Integers, slices, ``None``, ``...``, masks, index arrays of any library, and lists, alone or in a tuple. Without
masks, arrays and lists the result is a view.

If slices stand between integers and arrays, as in ``x[0, :, i]``, the axes of the arrays come first, as in NumPy. With
``mixed="refuse"`` such a key raises, and the message gives both readings with their shapes. ``set_mixed("refuse")`` does so
in the whole program.

>>> import numpy as np, takewise
>>> x = np.arange(12).reshape(3, 4)
>>> takewise.index(x, ([2, 0], slice(1, 3)))
array([[ 9, 10],
       [ 1,  2]])
>>> takewise.index(x, x > 8)
array([ 9, 10, 11])
>>> takewise.index(x, [1, 5], bounds="clip")
array([[ 4,  5,  6,  7],
       [ 8,  9, 10, 11]])
"#
        ),
    ),
    read(
        "oindex",
        Way::Outer,
        Op::OuterIndex,
        &[BOUNDS, NEGATIVE, FILL, THREADS],
        "``x`` at the cross product of the index arrays of ``key``: each stands for its own axis of the result.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.arange(12).reshape(3, 4)
>>> takewise.oindex(x, ([2, 0], [3, 1]))
array([[11,  9],
       [ 3,  1]])
"#
        ),
    ),
    read(
        "vindex",
        Way::Points,
        Op::PointIndex,
        &[BOUNDS, NEGATIVE, FILL, THREADS],
        "``x`` at the points the index arrays of ``key`` name together; their axes lead the result, wherever they stand.",
        doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.arange(24).reshape(2, 3, 4)
>>> takewise.vindex(x, (slice(None), [0, 2], [3, 1])).shape
(2, 2)
>>> takewise.vindex(x, (0, slice(None), [3, 1]))
array([[ 3,  7, 11],
       [ 1,  5,  9]])
"#
        ),
    ),
    Operation {
        name: "index_put",
        place: Some("index_put_"),
        op: Op::Write,
        parameters: &[X, KEY, VALUE, ACCUMULATE],
        named: STORE,
        summary: "A copy of ``x`` with ``value`` stored at ``key``, or with ``accumulate`` added.",
        more: doc!(
            r#"
>>> import numpy as np, takewise
>>> x = np.zeros(4)
>>> takewise.index_put(x, [1, 1, 3], [5.0, 6.0, 7.0], duplicates="first")
array([0., 5., 0., 7.])
>>> x
array([0., 0., 0., 0.])
>>> takewise.index_put_(x, [1, 1, 3], 1, accumulate=True)
array([0., 2., 0., 1.])
"#
        ),
        run: Run::Store,
    },
    Operation {
        name: "index_set",
        place: None,
        op: Op::Named(&"index_set"),
        parameters: &[X, KEY, VALUE],
        named: STORE,
        summary: "The statement ``x[key] = value`` as a function, with policies: into the memory of ``x``, which is returned.",
        more: doc!(
            r#"
On error nothing is written. ``index_put_`` adds as well.

>>> import numpy as np, takewise
>>> x = np.zeros((2, 3))
>>> takewise.index_set(x, (slice(None), [2, 0]), [5.0, 6.0])
array([[6., 0., 5.],
       [6., 0., 5.]])
>>> takewise.index_set(x, x == 0, -1)
array([[ 6., -1.,  5.],
       [ 6., -1.,  5.]])
"#
        ),
        run: Run::Store,
    },
];
