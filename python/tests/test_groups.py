"""Groups without sorting: the ways to combine that writes of elements and of subarrays share with rows, beside NumPy."""

import numpy as np
import pytest

import takewise

GROUPS = np.array([2, 0, 0, 2, 2])
VALUES = np.array([3.0, np.nan, 1.0, 5.0, 4.0])


def test_positions_of_extremes_are_stored():
    where = np.full(4, -1)
    assert takewise.index_reduce(where, 0, GROUPS, VALUES, "argmax").tolist() == [1, -1, 3, -1]
    assert takewise.scatter_reduce(where, 0, GROUPS, VALUES, "argmin", skip_nan=True).tolist() == [2, -1, 0, -1]
    assert takewise.index_reduce_(where, 0, GROUPS, VALUES, "argmin") is where and where.tolist() == [1, -1, 0, -1]


def test_ends_counts_and_truths():
    x = np.zeros(4)
    assert takewise.index_reduce(x, 0, GROUPS, VALUES, "last", False).tolist() == [1, 0, 4, 0]
    assert takewise.index_reduce(x, 0, GROUPS, VALUES, "first", False, skip_nan=True).tolist() == [1, 0, 3, 0]
    assert takewise.index_reduce(x, 0, GROUPS, VALUES, "first").tolist() == [0, 0, 0, 0]
    assert takewise.index_reduce(np.zeros(4, int), 0, GROUPS, VALUES, "count", False).tolist() == [2, 0, 3, 0]
    assert takewise.index_reduce(np.zeros(4, bool), 0, GROUPS, VALUES > 4, "any").tolist() == [False, False, True, False]
    assert takewise.index_reduce(np.ones(4, bool), 0, GROUPS, VALUES > 0, "all").tolist() == [False, True, True, True]


@pytest.mark.parametrize("how, wanted", [("sum", [1, 0, 12, 0]), ("mean", [1, 0, 4, 0]), ("max", [1, 0, 5, 0]), ("min", [1, 0, 3, 0]), ("prod", [1, 0, 60, 0])])
def test_nan_is_passed_over_on_request(how, wanted):
    x = np.zeros(4)
    assert takewise.scatter_reduce(x, 0, GROUPS, VALUES, how, False, skip_nan=True).tolist() == wanted
    assert np.isnan(takewise.scatter_reduce(x, 0, GROUPS, VALUES, how, False)[0])


def test_bad_places_and_dtypes_are_named_and_nothing_is_stored():
    x = np.zeros(4)
    with pytest.raises(IndexError, match=r"index_reduce_: index 4 is out of bounds for axis 0 with size 4 \(position \[1\]"):
        takewise.index_reduce_(x, 0, [0, 4], [1.0, 2.0], "last")
    assert x.tolist() == [0] * 4
    assert takewise.index_reduce(x, 0, [0, 4], [1.0, 2.0], "last", bounds="drop").tolist() == [1, 0, 0, 0]
    for call in (
        lambda: takewise.index_reduce(x, 0, GROUPS, VALUES.astype("f4"), "last"),
        lambda: takewise.index_reduce(np.zeros(4, "c8"), 0, GROUPS, VALUES.astype("c8"), "argmax"),
        lambda: takewise.index_reduce(x, 0, GROUPS, VALUES, "median"),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    mine = takewise.from_dlpack(VALUES).requires_grad_(True)
    with pytest.raises(ValueError, match="no record for gradients"):
        takewise.index_reduce(takewise.from_dlpack(x), 0, GROUPS, mine, "last")
