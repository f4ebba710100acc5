"""The functions against NumPy's own, on random arrays; policies and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import takewise as tw

SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)
DTYPES = st.sampled_from(["?", "u1", "i2", "i8", "f4", "f8", "c16"])


def filled(shape, dtype="f8"):
    return np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)


@settings(deadline=None)
@given(st.data(), SHAPES, DTYPES)
def test_index_is_numpy(data, shape, dtype):
    x = filled(shape, dtype)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    assert np.array_equal(tw.index(x, key), x[key])
    if 0 not in shape:
        key = data.draw(hnp.integer_array_indices(shape, dtype=data.draw(st.sampled_from([np.int8, np.int64]))))
        assert np.array_equal(tw.index(x, key), x[key])
    mask = data.draw(hnp.arrays("?", shape))
    assert np.array_equal(tw.index(x, mask), x[mask])


@settings(deadline=None)
@given(st.data(), SHAPES.filter(lambda s: 0 not in s), DTYPES)
def test_writes_are_numpys(data, shape, dtype):
    x = filled(shape, dtype)
    key = data.draw(hnp.integer_array_indices(shape))
    want, got = x.copy(), x.copy()
    value = filled(want[key].shape, dtype)
    want[key] = value
    assert tw.index_put_(got, key, value) is got
    assert np.array_equal(got, want)
    if dtype != "?":
        want, got = x.copy(), x.copy()
        np.add.at(want, key, value)
        assert np.array_equal(tw.at(x)[key].add(value), want)
        tw.at(got)[key].add_(value)
        assert np.array_equal(got, want)


@settings(deadline=None)
@given(st.data(), SHAPES.filter(lambda s: 0 not in s))
def test_outer_is_a_mesh(data, shape):
    x = filled(shape)
    key = tuple(data.draw(st.lists(st.integers(-n, n - 1), min_size=1, max_size=3)) for n in shape)
    assert np.array_equal(tw.oindex(x, key), x[np.ix_(*[np.asarray(k) for k in key])])
    some = tuple(k if data.draw(st.booleans()) else slice(None) for k in key)
    full = tuple(np.arange(n) if isinstance(k, slice) else np.asarray(k) for k, n in zip(some, shape))
    assert np.array_equal(tw.oindex(x, some), x[np.ix_(*full)])


def test_points_lead():
    x = filled((2, 3, 4))
    i, j = np.array([[1, 0], [1, 1]]), np.array([3, 0])
    assert np.array_equal(tw.vindex(x, (i, slice(None), j)), x[i, :, j])
    assert np.array_equal(tw.vindex(x, (slice(None), slice(None), j)), np.moveaxis(x[:, :, j], -1, 0))
    assert np.array_equal(tw.vindex(x, (..., j)), np.moveaxis(x[..., j], -1, 0))
    assert np.array_equal(tw.oindex(x, (..., [True, False, True, False])), x[..., [0, 2]])
    with pytest.raises(Exception, match="mask is not as long as the axis it covers"):
        tw.oindex(x, (..., [True, False, True]))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_is_numpys(axis, mode):
    x = filled((3, 4))
    i = np.array([[0, 2], [-1, 1]]) if mode == "raise" else np.array([[0, 9], [-7, 1]])
    negative = mode != "clip"
    got = tw.take(x, i, axis, bounds=mode, negative=negative)
    assert np.array_equal(got, np.take(x, i, axis, mode=mode))
    out = np.zeros_like(got)
    assert tw.take(x, i, axis, bounds=mode, negative=negative, out=out) is out
    assert np.array_equal(out, got)


def test_bounds():
    x = np.array([10.0, 20.0, 30.0])
    i = [0, 3, -4]
    assert tw.take(x, i, bounds="clip").tolist() == [10, 30, 10]
    assert tw.take(x, i, bounds="wrap").tolist() == [10, 10, 30]
    assert tw.take(x, i, bounds="fill", fill_value=-1).tolist() == [10, -1, -1]
    assert np.isnan(tw.take(x, i, bounds="fill")).tolist() == [False, True, True]
    assert tw.take(x, i, bounds="drop").tolist() == [10, 0, 0]
    assert tw.take(x, [-1], negative=False, bounds="fill", fill_value=5).tolist() == [5]
    assert tw.put(x, i, [1, 2, 3], bounds="drop").tolist() == [1, 20, 30]
    with pytest.raises(ValueError, match='bounds must be one of "raise"'):
        tw.take(x, i, bounds="strict")
    with pytest.raises(ValueError, match="only with bounds"):
        tw.take(x, i, fill_value=1)


@settings(deadline=None)
@given(st.data(), SHAPES.filter(lambda s: 0 not in s), DTYPES)
def test_copies_are_in_row_major_order(data, shape, dtype):
    x = filled(shape, dtype)
    view = x[data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))]
    if not isinstance(view, np.ndarray):
        return
    view = view.transpose(data.draw(st.permutations(range(view.ndim))))
    got = tw.copy(view)
    assert got.flags.c_contiguous and not np.shares_memory(got, x)
    assert np.array_equal(got, view)
    out = np.zeros(view.shape[::-1], dtype).T
    assert tw.copy(view, out=out) is out
    assert np.array_equal(out, view)
    with pytest.raises(TypeError, match="^copy: "):
        tw.copy(view, out=np.zeros(view.shape, "V3"))


@settings(deadline=None)
@given(st.data(), SHAPES.filter(lambda s: 0 not in s), DTYPES)
def test_index_set_is_the_statement(data, shape, dtype):
    x = filled(shape, dtype)
    key = data.draw(hnp.integer_array_indices(shape) | hnp.basic_indices(shape) | hnp.arrays("?", shape))
    want = x.copy()
    want[key] = 1
    assert tw.index_set(x, key, 1) is x
    assert np.array_equal(x, want)


def test_one_dropped_index_touches_nothing():
    base = np.zeros((5, 80, 100))
    x, value = base[1:4, ::2, ::2], np.arange(2000.0).reshape(1, 40, 50)
    tw.index_set(x, [9], value, bounds="drop")
    assert not base.any()
    assert np.all(tw.index(x, [9], bounds="fill", fill_value=3) == 3)
    tw.index_set(x, [1], value, bounds="drop")
    assert np.array_equal(x[[1]], value) and base.sum() == value.sum()
    assert np.array_equal(tw.index(x, [1]), value)


@pytest.mark.parametrize("axis", [1, 2, -1, None])
def test_take_pairs_batch_axes(axis):
    x = filled((3, 4, 5))
    index = np.array([[0, 3, -1], [2, 2, 0], [1, 0, 3]])
    want = np.stack([x[b].take(index[b], axis=0 if axis is None else axis - (axis > 0)) for b in range(3)])
    assert np.array_equal(tw.take(x, index, axis, batch_dims=1), want)
    assert np.array_equal(tw.take(x, index, axis, batch_dims=-1), want)
    out = np.zeros_like(want)
    assert tw.take(x, index, axis, 1, out=out) is out
    assert np.array_equal(out, want)
    with pytest.raises(IndexError, match="^take: index 9 "):
        tw.take(x, index + 9, axis, 1)
    with pytest.raises(ValueError):
        tw.take(x, index, axis, 3)


def test_duplicates():
    z = np.zeros(2)
    assert tw.put(z, [0, 0], [1, 2]).tolist() == [2, 0]
    assert tw.put(z, [0, 0], [1, 2], duplicates="first").tolist() == [1, 0]
    with pytest.raises(ValueError):
        tw.put_(z, [1, 0, 0], [5, 1, 2], duplicates="error")
    assert z.tolist() == [0, 0]


def test_errors_say_where_and_write_nothing():
    x = np.zeros((2, 3))
    index = np.array([[0, 1], [2, 7]])
    error = pytest.raises(IndexError, tw.scatter_, x, 1, index, 1.0).value
    assert isinstance(error, tw.exceptions.IndexError)
    assert (error.axis, error.position, error.value, error.size) == (1, (1, 1), 7, 3)
    assert not x.any()
    assert pytest.raises(Exception, tw.gather, x, 5, index).value.axis is None


def test_out_must_fit():
    x, i = np.arange(4.0), [1, 2]
    out = np.zeros(3)
    with pytest.raises(ValueError, match="out="):
        tw.take(x, i, out=out)
    assert not out.any()
    grown = tw.Tensor([0.0]).double()
    assert tw.take(x, i, out=grown) is grown and grown.tolist() == [1, 2]
    same = np.arange(4.0)
    tw.take(same, [3, 2, 1, 0], out=same)
    assert same.tolist() == [3, 2, 1, 0]


def test_scatter_families():
    x = filled((3, 4))
    i = np.array([[0, 2, 1, 0]])
    want = x.copy()
    np.put_along_axis(want, i, -1.0, 0)
    assert np.array_equal(tw.scatter(x, 0, i, -1), want)
    assert np.array_equal(tw.index_select(x, 1, [3, 3]), x[:, [3, 3]])
    assert np.array_equal(tw.gather_nd(x, [[1, 2], [0, 0]]), x[[1, 0], [2, 0]])
    assert np.array_equal(tw.masked_fill(x, x > 5, 0), np.where(x > 5, 0, x))
    assert np.array_equal(tw.masked_select(x, x > 5), x[x > 5])
    assert np.array_equal(tw.nonzero(x), np.argwhere(x))
    assert np.array_equal(tw.where(x > 3, x, 0.0), np.where(x > 3, x, 0.0))
    assert np.array_equal(tw.searchsorted(np.arange(5), np.array([2, 7])), [2, 5])
    assert isinstance(tw.argsort(x), np.ndarray)


def test_from_numpy_shares_memory():
    x = np.arange(3, dtype="u1")
    tw.put_(tw.from_numpy(x), [1], 9)
    assert x.tolist() == [0, 9, 2]
