"""The chunk planner as arrays: chunks gathered by what it says are what NumPy reads."""

import itertools
import math

import numpy as np
import pytest

import takewise
from takewise._takewise import _chunks

SHAPE = (7, 6, 5)
X = np.arange(math.prod(SHAPE)).reshape(SHAPE)
KEYS = [
    (),
    (3, -1, 2),
    (slice(None, None, -2),),
    ([6, 0, 6, 3], slice(1, None, 2)),
    ([6, 0, 6], [5, 5, 0], [4, 0, 4]),
    ([[6], [0]], slice(None), [4, 0, 4]),
    (..., [[1, 2], [3, 4]], None, 2),
    (X % 3 == 0,),
    (slice(4, 1), [1]),
]
CHUNKS = [(3, 2, 5), (1, 7, 2), ((2, 0, 5), (6,), (1, 1, 3)), (4, (1, 5), 9)]


def cut(chunks):
    """The extents of every chunk of every axis."""
    return [c if isinstance(c, tuple) else [min(c, n - k) for k in range(0, n, c)] for c, n in zip(chunks, SHAPE)]


def gathered(chunks, key, way):
    shape, number, base, factors = _chunks(SHAPE, chunks, key, way)
    extents = cut(chunks)
    largest = tuple(map(max, extents))
    starts = [np.cumsum([0, *e]) for e in extents]
    out = np.full(math.prod(shape), -1)
    for runs in itertools.product(*[range(len(f[4])) for f in factors]):
        id, local, place = number, np.array([base]), np.array([0])
        for (kind, axes, _, line, ids, ends, locals, places), k in zip(factors, runs):
            first = ends[k - 1] if k else 0
            if kind == "points":
                l, p = locals[first : ends[k]], places[first : ends[k]]
            else:
                steps = np.arange(ends[k] - first)
                l = locals[k] + steps * line[1] * math.prod(largest[axes[0] + 1 :])
                p = places[k] + steps * math.prod(shape[factors_dim(factors, axes) + 1 :])
            id += ids[k]
            local, place = (local[:, None] + l).ravel(), (place[:, None] + p).ravel()
        at = np.unravel_index(id, [len(e) for e in extents])
        inside = np.unravel_index(local, largest)
        assert (out[place] == -1).all()
        out[place] = X[tuple(starts[d][at[d]] + inside[d] for d in range(3))]
    return out.reshape(shape)


def factors_dim(factors, axes):
    return next(f[2][0] for f in factors if f[1] == axes)


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("key", KEYS)
def test_plain(chunks, key):
    np.testing.assert_array_equal(gathered(chunks, key, "plain"), X[key])


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("key", [([6, 0, 6], slice(None), [1, 0]), ([1], [5, 0], -1), (slice(2, 5), X[0, :, 0] > 3)])
def test_other_ways(chunks, key):
    np.testing.assert_array_equal(gathered(chunks, key, "outer"), takewise.oindex(X, key))
    if any(isinstance(k, list) and len(k) == 1 for k in key) or not isinstance(key[0], list):
        np.testing.assert_array_equal(gathered(chunks, key, "points"), takewise.vindex(X, key))


def test_what_is_given():
    shape, number, local, factors = _chunks((8, 6), (4, 3), ([7, 0, 6], slice(1, None)))
    assert (shape, number, local) == ((3, 5), 0, 0)
    points, line = factors
    assert points[:4] == ("points", (0,), (0,), None) and line[:4] == ("line", (1,), (1,), (1, 1, 5))
    assert [list(part) for part in points[4:]] == [[0, 2], [1, 3], [0, 9, 6], [5, 0, 10]]
    assert [list(part) for part in line[4:]] == [[0, 1], [2, 5], [1, 0], [0, 2]]
    assert all(part.dtype == np.int64 for part in points[4:])


def test_errors():
    with pytest.raises(IndexError, match=r"index 8 is out of bounds for axis 0 with size 8 \(position \[1\]"):
        _chunks((8, 6), (4, 3), ([0, 8],))
    with pytest.raises(ValueError, match="holds nothing"):
        _chunks((8, 6), (0, 3), ())
    with pytest.raises(ValueError, match="add up"):
        _chunks((8, 6), ((4, 3), 3), ())
    with pytest.raises(ValueError, match="of 1 axes"):
        _chunks((8, 6), (4,), ())
    with pytest.raises(ValueError, match="no way"):
        _chunks((8, 6), (4, 3), (), "sideways")


def test_what_rules_leave_out_lies_in_no_chunk():
    _, _, _, [points, _] = _chunks((8, 6), (4, 3), ([7, 9, 0],), bounds="fill")
    assert list(points[7]) == [12, 0]
