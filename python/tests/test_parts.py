"""Parts, positions, choices, membership and bags, beside the library whose names they are."""

import numpy as np
import pytest
import takewise as tw
from beside import Table, alike, outcome

tn = Table("numpy")

M = np.arange(6).reshape(2, 3)
C = [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]]
Y = np.arange(6)
A = np.array([[3, 6, 6], [4, 5, 1]])
T = np.arange(24).reshape(4, 3, 2)[::-1].T

NUMPY = [
    # positions
    lambda n: n.ix_([0, 1], [2, 4]),
    lambda n: n.ix_([True, False], [2, 4]),
    lambda n: n.ix_(),
    lambda n: n.ix_([]),
    lambda n: n.ix_([[1]]),
    lambda n: n.ix_(np.array([1, 2], "u1")),
    lambda n: n.ix_(3),
    lambda n: n.unravel_index([22, 41, 37], (7, 6)),
    lambda n: n.unravel_index([31, 41, 13], (7, 6), order="F"),
    lambda n: n.unravel_index(1621, (6, 7, 8, 9)),
    lambda n: n.unravel_index([42], (7, 6)),
    lambda n: n.unravel_index([-1], (7, 6)),
    lambda n: n.unravel_index([1.0], (7, 6)),
    lambda n: n.unravel_index([], (7, 6)),
    lambda n: n.unravel_index([0], ()),
    lambda n: n.unravel_index(0, ()),
    lambda n: n.unravel_index([[1, 2]], 7),
    lambda n: n.unravel_index(np.array([1], "u1"), (2, 3)),
    lambda n: n.unravel_index(np.zeros(0, int), (2, 0)),
    lambda n: n.unravel_index(0, (2, 0)),
    lambda n: n.unravel_index(1, (2**40, 2**40)),
    lambda n: n.unravel_index(2**41, (2**10, 2**20, 2**10, 2**9)),
    lambda n: n.unravel_index(1, (2, 3), "K"),
    lambda n: n.ravel_multi_index(A, (7, 6)),
    lambda n: n.ravel_multi_index(A, (7, 6), order="F"),
    lambda n: n.ravel_multi_index(A, (4, 6), mode="clip"),
    lambda n: n.ravel_multi_index(A, (4, 4), mode=("clip", "wrap")),
    lambda n: n.ravel_multi_index((3, 1, 4, 1), (6, 7, 8, 9)),
    lambda n: n.ravel_multi_index(A, (4, 6)),
    lambda n: n.ravel_multi_index(([1, 2], [[0], [1]]), (3, 2)),
    lambda n: n.ravel_multi_index(([-1], [0]), (3, 2)),
    lambda n: n.ravel_multi_index(([-1], [0]), (3, 2), "wrap"),
    lambda n: n.ravel_multi_index(([-7, 9], [0, 0]), (3, 2), "clip"),
    lambda n: n.ravel_multi_index(([1.0], [0]), (3, 2)),
    lambda n: n.ravel_multi_index((1,), (3, 2)),
    lambda n: n.ravel_multi_index((np.zeros(0, int), np.zeros(0, int)), (3, 2)),
    lambda n: n.ravel_multi_index((), ()),
    lambda n: n.ravel_multi_index([1, 2], (3, 4)),
    lambda n: n.ravel_multi_index(([1], [0]), (2**40, 2**40)),
    lambda n: n.ravel_multi_index(([2**30], [5]), (2**40, 2**20)),
    lambda n: n.ravel_multi_index(([1], [0]), (3, 2), "foo"),
    lambda n: n.ravel_multi_index(([1], [0]), (3, 0)),
    lambda n: n.ravel_multi_index(([1, 2], [0, 1, 2]), (3, 4)),
    lambda n: n.ravel_multi_index((1, 2), (3, 4), ("raise", "clip", "wrap")),
    lambda n: n.diag_indices(3),
    lambda n: n.diag_indices(2, 3),
    lambda n: n.diag_indices_from(np.zeros((3, 3))),
    lambda n: n.diag_indices_from(np.zeros((3, 2))),
    lambda n: n.tril_indices(3),
    lambda n: n.tril_indices(3, 1, 4),
    lambda n: n.triu_indices(4, -1, 3),
    lambda n: n.triu_indices_from(M, 1),
    lambda n: n.tril_indices_from(np.zeros(3)),
    lambda n: n.indices((2, 3)),
    lambda n: n.indices((2, 3), sparse=True),
    lambda n: n.indices((2, 0, 1), np.float32),
    lambda n: list(n.meshgrid([1, 2, 3], [4.0, 5.0])),
    lambda n: list(n.meshgrid([1, 2, 3], [4.0, 5.0], indexing="ij")),
    lambda n: list(n.meshgrid([1, 2], [3], sparse=True)),
    # choices
    lambda n: n.choose([2, 3, 1, 0], C),
    lambda n: n.choose([2, 4, 1, 0], C, mode="clip"),
    lambda n: n.choose([2, 4, -1, 0], C, mode="wrap"),
    lambda n: n.choose([2, 4, 1, 0], C),
    lambda n: n.choose([-1, 0, 0, 0], C),
    lambda n: n.choose([[1, 0, 1], [0, 1, 0]], [-10, 10]),
    lambda n: n.choose([[1], [0]], (np.arange(3), np.arange(3.0) + 10)),
    lambda n: n.choose(1, [5, 6]),
    lambda n: n.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros(2, int)),
    lambda n: n.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros(2)),
    lambda n: n.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros(2, "i4")),
    lambda n: n.choose([0, 1], [[1, 2], [3, 4]], out=np.zeros(3, int)),
    lambda n: n.choose([0.0, 1], [[1, 2], [3, 4]]),
    lambda n: n.choose([True, False], [[1, 2], [3, 4]]),
    lambda n: n.choose([0], []),
    lambda n: n.choose(np.array([0, 1], "u1"), np.array([[1, 2], [3, 4]])),
    lambda n: n.choose([0, 1, 2], [[1, 2], [3, 4]]),
    lambda n: n.choose([0, 1], [[1, 2], [3, 4]], mode="x"),
    lambda n: n.choose(np.zeros(0, int), [[1], [2]]),
    lambda n: n.choose(np.array(1), np.arange(3)),
    lambda n: n.choose(np.array([0, 1], "u8"), [1, 2]),
    lambda n: n.select([Y < 3, Y > 3], [Y, Y * 7], 42),
    lambda n: n.select([Y < 3], [Y * 1.5]),
    lambda n: n.select([], []),
    lambda n: n.select([Y < 3], [Y, Y]),
    lambda n: n.select([Y], [Y]),
    lambda n: n.select([Y < 3], [5], default=1.5),
    lambda n: n.select([Y < 3], [np.int8(5)], default=0),
    lambda n: n.select([Y[:, None] < 3], [np.arange(2)], 7),
    lambda n: n.select([Y < 3, Y < 4], [Y.astype("i1"), 2.5], 0),
    lambda n: n.select([Y < 3], [Y], default=np.array([1j])),
    # compress
    lambda n: n.compress([1, 0, 1], M, axis=1),
    lambda n: n.compress([1, 0, 1], M, axis=1, out=np.zeros((2, 2), int)),
    lambda n: n.compress([1, 0, 1], M, axis=1, out=np.zeros((2, 2))),
    lambda n: n.compress([1, 0, 1], M, axis=1, out=np.zeros((2, 2), "i4")),
    lambda n: n.compress([1, 0, 1], M, axis=1, out=np.zeros((2, 3), int)),
    lambda n: n.compress([1, 0, 1, 0, 0, 0, 0, 1], M),
    lambda n: n.compress([[1]], M),
    lambda n: n.compress([], M),
    lambda n: n.compress([0, 1], M, axis=-2),
    lambda n: n.compress([0, 1], M, axis=4),
    lambda n: n.take(M, [0, 2], axis=1, out=np.zeros((2, 2), "i4")),
    lambda n: n.take(M, [0, 2], axis=1, out=np.zeros((2, 2), "f4")),
    lambda n: n.take(M, [0, 2], axis=1, out=np.zeros((2, 3), "i4")),
    # membership
    lambda n: n.isin([1, 2], [2, 3]),
    lambda n: n.isin(5, [5]),
    lambda n: n.isin([[1, 2]], 2, invert=True),
    lambda n: n.isin(np.array([1.0, np.nan]), [np.nan]),
    lambda n: n.isin([1, 2], [1.5, 2.0], kind="sort"),
    lambda n: n.isin([1, 2], [2], kind="foo"),
    lambda n: n.isin([1.5], [1.5], kind="table"),
    lambda n: n.isin([], [1]),
    lambda n: n.isin([1], []),
    lambda n: n.isin([-1], np.array([2**64 - 1], "u8")),
    lambda n: n.isin([1 + 1j, 2], [1 + 1j]),
    lambda n: n.isin([True], [1]),
    lambda n: n.isin(300, np.array([44], "u1")),
    lambda n: n.isin(T, [3, 5, 23, 99]),
    # parts
    lambda n: n.split(np.arange(9), 3),
    lambda n: n.split(np.arange(9), 4),
    lambda n: n.split(np.arange(8), [3, 5, 6, 10]),
    lambda n: n.split(M, [-1], axis=1),
    lambda n: n.split(M, 3, axis=-1),
    lambda n: n.split(M, 3, axis=5),
    lambda n: n.array_split(np.arange(9), 4),
    lambda n: n.array_split(np.arange(2), 5),
    lambda n: n.array_split(np.arange(2), 0),
    lambda n: n.hsplit(M, 3),
    lambda n: n.hsplit(np.arange(4), 2),
    lambda n: n.vsplit(M, 2),
    lambda n: n.vsplit(np.arange(4), 2),
    lambda n: n.dsplit(T, [1]),
    lambda n: n.dsplit(M, 2),
    lambda n: n.unstack(M),
    lambda n: n.unstack(T, axis=-1),
    lambda n: n.unstack(np.float64(1)),
    # turns
    lambda n: n.moveaxis(T, 0, -1),
    lambda n: n.moveaxis(T, [0, 1], [-1, 0]),
    lambda n: n.moveaxis(T, 5, 0),
    lambda n: n.moveaxis(T, [0, 1], [1]),
    lambda n: n.rollaxis(T, 2),
    lambda n: n.rollaxis(T, 0, 3),
    lambda n: n.rollaxis(T, 0, 9),
    lambda n: n.matrix_transpose(T),
    lambda n: n.matrix_transpose(np.arange(3)),
    lambda n: n.permute_dims(T, (1, 2, 0)),
    lambda n: n.fliplr(M),
    lambda n: n.fliplr(np.arange(3)),
    lambda n: n.flipud(np.arange(3)),
    lambda n: n.rot90(M),
    lambda n: n.rot90(T, 3, (0, 2)),
    lambda n: n.rot90(T, -2),
    lambda n: n.rot90(M, 1, (0, 0)),
    lambda n: n.roll(M, 1),
    lambda n: n.roll(M, -4, axis=1),
    lambda n: n.roll(T, (1, 2), axis=(0, 1)),
    lambda n: n.roll(T, 1, axis=(0, 2)),
    lambda n: n.roll(np.zeros((0, 2)), 1, axis=0),
    lambda n: n.atleast_1d(3),
    lambda n: n.atleast_2d([1, 2], 3),
    lambda n: n.atleast_3d(M),
    lambda n: n.atleast_3d([1, 2]),
    lambda n: n.broadcast_arrays([1, 2], [[3], [4]]),
    lambda n: n.diag(np.arange(3), 1),
    lambda n: n.diag(M, -1),
    lambda n: n.diag(T),
    lambda n: n.diagflat([[1, 2], [3, 4]], -1),
    lambda n: n.tril(T, 1),
    lambda n: n.triu(M, 1),
    lambda n: n.tril(np.arange(3)),
    lambda n: n.lib.stride_tricks.sliding_window_view(np.arange(6), 3),
    lambda n: n.lib.stride_tricks.sliding_window_view(M, (2, 2)),
    lambda n: n.lib.stride_tricks.sliding_window_view(M, 2, axis=1),
    lambda n: n.lib.stride_tricks.sliding_window_view(M, 9, axis=1),
]


@pytest.mark.parametrize("call", NUMPY)
def test_numpy(call):
    alike(outcome(lambda: call(tn)), outcome(lambda: call(np)))


IN_PLACE = [
    (lambda n, a: n.copyto(a, [1.5, 2, 3], where=[True, False, True]), np.zeros(3)),
    (lambda n, a: n.copyto(a, [1.5, 2, 3]), np.zeros(3, int)),
    (lambda n, a: n.copyto(a, 1.5), np.zeros(3, int)),
    (lambda n, a: n.copyto(a, 1.5, casting="unsafe"), np.zeros(3, int)),
    (lambda n, a: n.copyto(a, 300), np.zeros(3, "u1")),
    (lambda n, a: n.copyto(a, True), np.zeros(3)),
    (lambda n, a: n.copyto(a, [1, 2]), np.zeros(3)),
    (lambda n, a: n.copyto(a, [1, 2, 3], where=[[True]]), np.zeros(3)),
    (lambda n, a: n.copyto(a, [1, 2, 3], where=[1, 0, 1]), np.zeros(3)),
    (lambda n, a: n.copyto(a, 5, where=[[True], [False]]), np.zeros((2, 3))),
    (lambda n, a: n.copyto(a, np.int64(5), casting="safe"), np.zeros(3, "i4")),
    (lambda n, a: n.copyto(a, np.arange(3), casting="safe"), np.zeros(3, "i4")),
    (lambda n, a: n.copyto(a, np.arange(3), casting="foo"), np.zeros(3, "i4")),
    (lambda n, a: n.copyto(a, np.arange(3), casting="no"), np.zeros(3, "i4")),
    (lambda n, a: n.copyto(a, np.arange(3, dtype="i4")), np.zeros(3, "u4")),
    (lambda n, a: n.copyto(a, np.arange(3) * 1j), np.zeros(3)),
    (lambda n, a: n.copyto(a, -1), np.zeros(3, "u1")),
    (lambda n, a: n.copyto(a, 1j), np.zeros(3)),
    (lambda n, a: n.copyto(a, np.ones((1, 1, 3))), np.zeros(3)),
    (lambda n, a: n.copyto(a, np.ones((1, 1, 3)), where=[True, False, True]), np.zeros(3)),
    (lambda n, a: n.copyto(a, np.ones((2, 3))), np.zeros(3)),
    (lambda n, a: n.copyto(a, np.ones((2, 3)), where=[True, False, True]), np.zeros(3)),
    (lambda n, a: n.copyto(a, 2, where=False), np.zeros(3)),
    (lambda n, a: n.copyto(a, a[::-1]), np.arange(4)),
    (lambda n, a: n.copyto(a, a[::-1], where=[True, True, False, True]), np.arange(4)),
    (lambda n, a: n.copyto(a, True, casting="no"), np.zeros(3, "f2")),
    (lambda n, a: n.copyto(a, 5, casting="no"), np.zeros(3, "f2")),
    (lambda n, a: n.copyto(a, 500, casting="safe"), np.zeros(3, "i1")),
    (lambda n, a: n.copyto(a, [1, 2, 300]), np.zeros(3, "u1")),
    (lambda n, a: n.put_along_axis(a, np.array([1, 5]), np.array([-1, -2]), None), M),
    (lambda n, a: n.put_along_axis(a, np.array([1, 2]), [[7]], None), M),
    (lambda n, a: n.put_along_axis(a, np.array([[1]]), 7, None), M),
    (lambda n, a: n.put_along_axis(a, np.array([9]), 7, None), M),
    (lambda n, a: n.fill_diagonal(a, 7), M),
    (lambda n, a: n.fill_diagonal(a, [7, 8]), np.zeros((5, 2))),
    (lambda n, a: n.fill_diagonal(a, 7, wrap=True), np.zeros((7, 2))),
    (lambda n, a: n.fill_diagonal(a, 7), np.zeros((2, 2, 2))),
    (lambda n, a: n.fill_diagonal(a, 7), np.zeros((2, 2, 3))),
    (lambda n, a: n.fill_diagonal(a, 7), np.zeros(3)),
]


@pytest.mark.parametrize("call, start", IN_PLACE)
def test_numpy_in_place(call, start):
    got, want = start.copy(), start.copy()
    alike(outcome(lambda: call(tn, got)), outcome(lambda: call(np, want)), words=False)
    alike(got, want)


def test_views_are_views():
    x = np.arange(6).reshape(2, 3)
    for view in [*tn.split(x, 3, axis=1), tn.moveaxis(x, 0, 1), tn.diag(x), *tn.unstack(x), tn.rot90(x), tn.fliplr(x)]:
        assert np.shares_memory(view, x)


def test_numpy_methods():
    x = np.array([0, 1, 1])
    alike(tn.choose(x, [[5, 6, 7], [8, 9, 10]]), x.choose([[5, 6, 7], [8, 9, 10]]))


def test_put_along_axis_of_the_flattened_array():
    want = np.array([[10, 30, 20], [60, 40, 50]])
    np.put_along_axis(want, np.array([1, 5]), np.array([-1, -2]), axis=None)
    for make in (lambda a: a.copy(), lambda a: np.asfortranarray(a)):
        got = make(np.array([[10, 30, 20], [60, 40, 50]]))
        assert tw.put_along_axis(got, np.array([1, 5]), np.array([-1, -2]), axis=None) is None
        alike(got, want)
    with pytest.raises(ValueError, match="single dimension"):
        tw.put_along_axis(got, np.array([[1]]), 0, axis=None)
    tw.put_along_axis(got, [0, 99], 7, axis=None, bounds="drop")
    assert got[0, 0] == 7
    with pytest.raises(ValueError):
        tw.put_along_axis(got, [2, 2], [1, 2], axis=None, duplicates="error")


COMBINING = [
    lambda i, **k: tw.scatter(np.zeros(4), 0, i, [1.0, 2.0], "sum", **k),
    lambda i, **k: tw.scatter_add(np.zeros(4), 0, i, [1.0, 2.0], **k),
    lambda i, **k: tw.scatter_reduce(np.ones(4), 0, i, [1.0, 2.0], "prod", **k),
    lambda i, **k: tw.scatter_reduce(np.ones(4), 0, i, [1.0, 2.0], "mean", False, **k),
    lambda i, **k: tw.index_add(np.zeros(4), 0, i, [1.0, 2.0], **k),
    lambda i, **k: tw.index_add(np.zeros((4, 300)), 0, i, np.ones((2, 300)), **k),
    lambda i, **k: tw.index_reduce(np.zeros(4), 0, i, [1.0, 2.0], "amax", **k),
    lambda i, **k: tw.put(np.zeros(4), i, [1.0, 2.0], True, **k),
    lambda i, **k: tw.tensor_scatter(np.zeros(4), np.array(i)[:, None], [1.0, 2.0], "sum", **k),
    lambda i, **k: tw.index_put_(np.zeros(4), i, [1.0, 2.0], accumulate=True, **k),
    lambda i, **k: tw.at(np.zeros(4))[i].add([1.0, 2.0], **k),
    lambda i, **k: tw.at(np.zeros(4))[i].mul_([1.0, 2.0], **k),
]


@pytest.mark.parametrize("call", COMBINING)
def test_duplicates_of_values_that_are_combined(call):
    alike(call([1, 3], duplicates="error"), call([1, 3]))
    for word in ("first", "last"):
        with pytest.raises(ValueError, match="no meaning"):
            call([1, 1], duplicates=word)
    with pytest.raises(ValueError, match="already wrote"):
        call([1, 1], duplicates="error")


def test_nothing_is_written_where_values_meet():
    x = np.arange(5000.0)
    with pytest.raises(ValueError):
        tw.scatter_add_(x, 0, np.r_[np.arange(4000), 7], np.ones(4001), duplicates="error")
    assert np.array_equal(x, np.arange(5000.0))


def test_masks_take_no_policies():
    for f in (tw.masked_fill, tw.masked_fill_, tw.masked_scatter, tw.masked_scatter_):
        for policy in ({"bounds": "drop"}, {"negative": False}, {"duplicates": "error"}):
            with pytest.raises(TypeError, match="unexpected keyword"):
                f(np.zeros(2), np.array([True, False]), np.ones(2), **policy)
    with pytest.raises(TypeError, match="out="):
        tw.nonzero(np.ones(2), as_tuple=True, out=np.zeros((2, 1), int))
