"""Arrays of Dask's under random keys, chunks and roads, beside NumPy and beside takewise on arrays in memory."""

import math

import numpy as np
import pytest
import takewise
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

da = pytest.importorskip("dask.array")
import dask  # noqa: E402
import takewise.dask as td  # noqa: E402

CASES = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
ROADS = [None, "pairs", "exchange", "whole axis", "buckets"]
DTYPES = ["f4", "i8", "u1", "?", "c8", "M8[s]", ">f8", [("a", "i2"), ("b", "f4")]]


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


@st.composite
def cuts(draw, extent):
    """Chunks of an axis: often of one element, sometimes of none."""
    sizes = []
    while sum(sizes) < extent:
        sizes.append(draw(st.integers(0 if len(sizes) % 3 == 2 else 1, min(3, extent - sum(sizes)))))
    return tuple(sizes) or (0,)


def filled(shape, dtype="i8"):
    """An array whose elements all differ, as far as their dtype allows."""
    numbers = np.arange(math.prod(shape), dtype="i8").reshape(shape)
    if isinstance(dtype, list):
        out = np.zeros(shape, dtype)
        out["a"], out["b"] = numbers, -numbers
        return out
    return (numbers % 2 if dtype == "?" else numbers).astype(dtype)


@st.composite
def cut(draw, array):
    """The array in chunks."""
    return da.from_array(array, chunks=tuple(draw(cuts(extent)) for extent in array.shape))


@st.composite
def sources(draw, least=0, dtypes=("i8",)):
    shape = tuple(draw(st.lists(st.integers(0 if draw(st.integers(0, 9)) == 0 else 1, 6), min_size=least, max_size=3)))
    x = filled(shape, draw(st.sampled_from(list(dtypes))))
    return x, draw(cut(x))


@st.composite
def values(draw, shape, below, wild=False):
    """Index values of a shape: in range, or with ``wild`` anywhere near."""
    most = max(below, 1) - 1
    low, high = (-below - 2, below + 2) if wild else (-below, most)
    if not below and not wild:
        shape = (0, *shape[1:]) if shape else (0,)
    count = math.prod(shape)
    flat = draw(st.lists(st.integers(min(low, high), high), min_size=count, max_size=count))
    dtype = draw(st.sampled_from(["i8", "i4", "i1"]))
    return np.array(flat, dtype).reshape(shape)


def outcome(call):
    """The result of a call, or its error."""
    try:
        found = call()
        return tuple(map(np.asarray, found)) if isinstance(found, tuple) else np.asarray(found)
    except Exception as error:
        return error


def native(array):
    """The dtype, which NumPy's scalars have in the machine's own order of bytes."""
    return array.dtype.newbyteorder("=")


def alike(found, wanted):
    if isinstance(wanted, Exception):
        assert isinstance(found, type(wanted)) or isinstance(wanted, IndexError) and isinstance(found, IndexError), (found, wanted)
        return
    if isinstance(found, Exception):
        raise found
    assert found.shape == wanted.shape and native(found) == native(wanted), (found.shape, wanted.shape, found.dtype, wanted.dtype)
    np.testing.assert_array_equal(found, wanted)


def computed(array):
    """What an array of Dask's holds, with every chunk of the shape it promises."""
    if isinstance(array, tuple):
        return tuple(map(computed, array))
    found = np.asarray(array.compute())
    if not any(math.isnan(n) for sizes in array.chunks for n in sizes):
        assert array.shape == found.shape
        for block in np.ndindex(*array.numblocks):
            one = np.asarray(array.blocks[block].compute()) if array.ndim else found
            assert one.shape == tuple(sizes[k] for sizes, k in zip(array.chunks, block, strict=True))
    assert native(array) == native(found)
    return found


@st.composite
def keys(draw, shape, lazy):
    """A subscript for a shape, as NumPy takes it and with some of its arrays as Dask's."""
    together = draw(st.sampled_from([(), (1,), (3,), (4,), (2, 2), (0,)]))
    plain, chunked, axis, dots = [], [], 0, False
    while axis < len(shape):
        kind = draw(st.sampled_from(["slice", "int", "array", "array", "mask", "new", "dots", "bool", "stop"]))
        if kind == "stop":
            break
        if kind == "new":
            entry = None
        elif kind == "bool":
            entry = draw(st.booleans())
        elif kind == "dots" and not dots:
            entry, dots = Ellipsis, True
            axis = max(axis, len(shape) - draw(st.integers(0, len(shape) - axis)))
            plain.append(entry)
            chunked.append(entry)
            if axis >= len(shape):
                break
            # What comes after stands at the end, so the rest has to be named.
            for k in range(axis, len(shape)):
                index = draw(values(together, shape[k]))
                assume(index.shape == together)
                plain.append(index)
                chunked.append(draw(cut(index)) if lazy and draw(st.booleans()) else index)
            axis = len(shape)
            break
        elif kind == "int" and shape[axis]:
            entry = draw(st.integers(-shape[axis], shape[axis] - 1))
            axis += 1
        elif kind == "array":
            own = together[draw(st.integers(0, len(together))) :] if together else ()
            own = tuple(1 if draw(st.integers(0, 5)) == 0 else n for n in own)
            index = draw(values(own, shape[axis]))
            assume(index.shape == own)
            axis += 1
            plain.append(index)
            chunked.append(draw(cut(index)) if lazy and draw(st.booleans()) else index)
            continue
        elif kind == "mask":
            rank = draw(st.integers(1, len(shape) - axis))
            own = shape[axis : axis + rank]
            count = math.prod(own)
            mask = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool).reshape(own)
            axis += rank
            plain.append(mask)
            chunked.append(draw(cut(mask)) if lazy and draw(st.booleans()) else mask)
            continue
        else:
            bound = st.none() | st.integers(-7, 7)
            entry = slice(draw(bound), draw(bound), draw(st.none() | st.sampled_from([1, 2, 3, -1, -2, 7, -7])))
            axis += 1
        plain.append(entry)
        chunked.append(entry)
    return tuple(plain), tuple(chunked)


@CASES
@given(data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans())
def test_index_is_numpys(data, road, lazy):
    x, d = data.draw(sources(dtypes=DTYPES))
    plain, chunked = data.draw(keys(x.shape, lazy))
    with dask.config.set({"takewise.road": road}):
        alike(outcome(lambda: computed(td.index(d, chunked))), outcome(lambda: x[plain]))


@CASES
@given(data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans(), function=st.sampled_from(["vindex", "oindex"]))
def test_vindex_and_oindex_are_takewises(data, road, lazy, function):
    x, d = data.draw(sources())
    plain, chunked = data.draw(keys(x.shape, lazy))
    if function == "oindex":
        assume(all(not isinstance(entry, np.ndarray) or entry.ndim == 1 for entry in plain))
    with dask.config.set({"takewise.road": road}):
        wanted = outcome(lambda: getattr(takewise, function)(x, plain))
        alike(outcome(lambda: computed(getattr(td, function)(d, chunked))), wanted)


POLICIES = [{}, {"bounds": "clip"}, {"bounds": "wrap"}, {"bounds": "drop"}, {"bounds": "fill", "fill_value": 77}, {"negative": False}]
POLICIES += [{"bounds": "clip", "negative": False}]


def agree(found, wanted):
    """The same result; or errors that name the same value, and say the same."""
    if not isinstance(wanted, Exception):
        return alike(found, wanted)
    assert type(found) is type(wanted), (found, wanted)
    for fact in ("axis", "position", "value", "size"):
        assert getattr(found, fact) == getattr(wanted, fact), (fact, str(found), str(wanted))
    assert str(found) == str(wanted)


@CASES
@given(data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans(), policy=st.sampled_from(POLICIES))
def test_take_is_takewises_whatever_is_outside(data, road, lazy, policy):
    x, d = data.draw(sources(least=1))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    below = x.size if axis is None else x.shape[axis]
    i = data.draw(values(data.draw(st.sampled_from([(), (1,), (5,), (2, 3)])), below, wild=True))
    j = data.draw(cut(i)) if lazy else i
    with dask.config.set({"takewise.road": road}):
        wanted = outcome(lambda: takewise.take(x, i, axis, **policy))
        found = outcome(lambda: computed(td.take(d, j, axis, **policy)))
    agree(found, wanted)


@CASES
@given(
    data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans(), policy=st.sampled_from(POLICIES),
    function=st.sampled_from(["gather", "take_along_axis"]),
)  # fmt: skip
def test_gather_and_take_along_axis_are_takewises(data, road, lazy, policy, function):
    x, d = data.draw(sources(least=1))
    axis = data.draw(st.integers(0, x.ndim - 1))
    shape = list(x.shape)
    for k in range(x.ndim):
        smaller = st.integers(0 if function == "gather" else 1, shape[k]) if function == "gather" and shape[k] else st.just(shape[k])
        shape[k] = data.draw(st.integers(0, 5)) if k == axis else data.draw(smaller)
    if function == "take_along_axis":
        shape = [1 if k != axis and data.draw(st.integers(0, 3)) == 0 else n for k, n in enumerate(shape)]
    i = data.draw(values(tuple(shape), x.shape[axis], wild=True))
    j = data.draw(cut(i)) if lazy else i
    call = (lambda f, a, b: f(a, axis, b, **policy)) if function == "gather" else (lambda f, a, b: f(a, b, axis, **policy))
    with dask.config.set({"takewise.road": road}):
        wanted = outcome(lambda: call(getattr(takewise, function), x, i))
        found = outcome(lambda: computed(call(getattr(td, function), d, j)))
    agree(found, wanted)


@settings(CASES, max_examples=25)
@given(data=st.data(), lazy=st.booleans(), count=st.booleans())
def test_masks_are_in_row_major_order(data, lazy, count):
    x, d = data.draw(sources())
    bits = data.draw(st.lists(st.booleans(), min_size=x.size, max_size=x.size))
    mask = np.array(bits, bool).reshape(x.shape)
    given_mask = data.draw(cut(mask)) if lazy else mask
    alike(outcome(lambda: computed(td.masked_select(d, given_mask, count=count))), np.asarray(takewise.masked_select(x, mask)))
    lazy_mask = data.draw(cut(mask))
    alike(outcome(lambda: computed(td.nonzero(lazy_mask, count=count))), takewise.nonzero(mask))
    for found, wanted in zip(td.nonzero(lazy_mask, as_tuple=True, count=count), takewise.nonzero(mask, as_tuple=True), strict=True):
        alike(computed(found), wanted)
    if count:
        assert td.masked_select(d, given_mask).shape == (int(mask.sum()),)


def stored(data, shape, lazy, dtype="i8"):
    """A number, or values for places of a shape, as they are and in chunks."""
    if data.draw(st.integers(0, 3)) == 0:
        return 7, 7
    own = tuple(1 if data.draw(st.integers(0, 5)) == 0 else n for n in shape)
    v = (filled(own) * 3 + 100).astype(dtype)
    return v, (data.draw(cut(v)) if lazy else v)


@CASES
@given(data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans(), values_lazy=st.booleans(), accumulate=st.booleans())
def test_index_put_is_takewises(data, road, lazy, values_lazy, accumulate):
    x, d = data.draw(sources(dtypes=["i8", "f4"]))
    plain, chunked = data.draw(keys(x.shape, lazy))
    wanted_shape = outcome(lambda: x[plain].shape)
    assume(not isinstance(wanted_shape, Exception))
    v, w = stored(data, x[plain].shape, values_lazy)
    with dask.config.set({"takewise.road": road}):
        wanted = outcome(lambda: takewise.index_put_(x.copy(), plain, v, accumulate=accumulate))
        alike(outcome(lambda: computed(td.index_put(d, chunked, w, accumulate=accumulate))), wanted)
    np.testing.assert_array_equal(d.compute(), x)


@CASES
@given(
    data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans(), values_lazy=st.booleans(),
    policy=st.sampled_from([*POLICIES[:4], {"negative": False}, {"duplicates": "first"}, {"duplicates": "error"}]),
    function=st.sampled_from(["put_along_axis", "scatter"]),
)  # fmt: skip
def test_stores_along_an_axis_are_takewises(data, road, lazy, values_lazy, policy, function):
    x, d = data.draw(sources(least=1))
    axis = data.draw(st.integers(0, x.ndim - 1))
    shape = tuple(data.draw(st.integers(1, 5)) if k == axis else n for k, n in enumerate(x.shape))
    i = data.draw(values(shape, x.shape[axis], wild=data.draw(st.booleans())))
    assume(i.shape == shape)
    j = data.draw(cut(i)) if lazy else i
    if function == "scatter":
        v = filled(shape) * 3 + 100
        w = data.draw(cut(v)) if values_lazy else v
        wanted = outcome(lambda: takewise.scatter(x, axis, i, v, **policy))
        call = lambda: computed(td.scatter(d, axis, j, w, **policy))  # noqa: E731
    else:
        v, w = stored(data, shape, values_lazy)

        def put():
            out = x.copy()
            takewise.put_along_axis(out, i, v, axis, **policy)
            return out

        wanted, call = outcome(put), lambda: computed(td.put_along_axis(d, j, w, axis, **policy))
    with dask.config.set({"takewise.road": road}):
        found = outcome(call)
    agree(found, wanted)


@settings(CASES, max_examples=40)
@given(
    data=st.data(), road=st.sampled_from(ROADS), lazy=st.booleans(), values_lazy=st.booleans(), accumulate=st.booleans(),
    policy=st.sampled_from([*POLICIES[:4], {"negative": False}, {"duplicates": "error"}]), along=st.booleans(),
)  # fmt: skip
def test_stores_in_the_flattened_array_are_takewises(data, road, lazy, values_lazy, accumulate, policy, along):
    x, d = data.draw(sources(least=1))
    i = data.draw(values(data.draw(st.sampled_from([(), (1,), (5,), (2, 3)])), x.size, wild=data.draw(st.booleans())))
    assume(i.ndim == 1 or not along)
    v, w = stored(data, i.shape, values_lazy)
    assume(np.size(v) in (1, i.size) and (np.ndim(v) == 0 or v.shape == i.shape))
    j = data.draw(cut(i)) if lazy else i

    def put():
        out = x.copy()
        if along:
            takewise.put_along_axis(out, i, v, None, **policy)
        return out if along else takewise.put(x, i, v, accumulate, **policy)

    wanted = outcome(put)
    with dask.config.set({"takewise.road": road}):
        call = (lambda: td.put_along_axis(d, j, w, None, **policy)) if along else (lambda: td.put(d, j, w, accumulate, **policy))
        found = outcome(lambda: computed(call()))
    agree(found, wanted)


@CASES
@given(
    data=st.data(), lazy=st.booleans(), values_lazy=st.booleans(), include=st.booleans(), road=st.sampled_from(ROADS),
    reduce=st.sampled_from(["sum", "prod", "mean", "max", "min"]), dtype=st.sampled_from(["f4", "f8", "i4"]),
)  # fmt: skip
def test_reductions_are_takewises_to_the_last_bit(data, lazy, values_lazy, include, road, reduce, dtype):
    x, d = data.draw(sources(least=1, dtypes=[dtype]))
    axis = data.draw(st.integers(0, x.ndim - 1))
    shape = tuple(data.draw(st.integers(1, 9)) if k == axis else n for k, n in enumerate(x.shape))
    i = data.draw(values(shape, x.shape[axis]))
    assume(i.shape == shape)
    v = (np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal(shape) * 1e3).astype(dtype)
    j, w = (data.draw(cut(i)) if lazy else i), (data.draw(cut(v)) if values_lazy else v)
    with dask.config.set({"takewise.road": road}):
        found = computed(td.scatter_reduce(d, axis, j, w, reduce, include))
    assert found.tobytes() == takewise.scatter_reduce(x, axis, i, v, reduce, include).tobytes()


@CASES
@given(data=st.data(), right=st.booleans(), lazy=st.booleans(), dtype=st.sampled_from(["i4", "f4", "f8"]))
def test_searchsorted_is_numpys(data, right, lazy, dtype):
    rows = data.draw(st.sampled_from([(), (1,), (3,), (2, 2)]))
    length, count = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 5))
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    sequence = np.sort(random.integers(0, 6, (*rows, length)), axis=-1).astype(dtype)
    looked_for = random.integers(-1, 7, (*rows, count)).astype(data.draw(st.sampled_from(["i8", "f4"])))
    s, v = data.draw(cut(sequence)), (data.draw(cut(looked_for)) if lazy else looked_for)
    side = "right" if right else "left"
    wanted = np.empty(looked_for.shape, "i8")
    for row in np.ndindex(*rows):
        wanted[row] = np.searchsorted(sequence[row], looked_for[row], side)
    alike(computed(td.searchsorted(s, v, right=right)), wanted)
    assert td.searchsorted(s, v, out_int32=True).dtype == np.int32


def test_a_sorted_axis_in_chunks_with_nan_and_one_value():
    sequence = np.array([1.0, 2.0, 2.0, 5.0, np.nan, np.nan])
    s = da.from_array(sequence, chunks=(1, 2, 2, 1))
    for value in (2.0, np.nan, 9.0, -1.0):
        for side in ("left", "right"):
            assert computed(td.searchsorted(s, value, side=side)) == np.searchsorted(sequence, value, side)


@settings(CASES, max_examples=40)
@given(data=st.data(), lazy=st.booleans(), road=st.sampled_from(ROADS), policy=st.sampled_from(POLICIES))
def test_gather_nd_is_takewises(data, lazy, road, policy):
    x, d = data.draw(sources(least=1))
    batch = data.draw(st.integers(0, x.ndim - 1))
    depth = data.draw(st.integers(1, x.ndim - batch))
    points = (*x.shape[:batch], *data.draw(st.sampled_from([(), (4,), (2, 3)])))
    assume(batch <= len(points))
    columns = [data.draw(values(points, x.shape[batch + k], wild=True)).astype("i8") for k in range(depth)]
    assume(all(column.shape == points for column in columns))
    i = np.stack(columns, -1)
    j = data.draw(cut(i)) if lazy else i
    with dask.config.set({"takewise.road": road}):
        wanted = outcome(lambda: takewise.gather_nd(x, i, batch, **policy))
        found = outcome(lambda: computed(td.gather_nd(d, j, batch, **policy)))
    agree(found, wanted)


@settings(CASES, max_examples=40)
@given(
    data=st.data(), lazy=st.booleans(), values_lazy=st.booleans(), road=st.sampled_from(ROADS),
    how=st.sampled_from([None, "sum", "max", "zeros"]),
    policy=st.sampled_from([*POLICIES[:4], {"negative": False}, {"duplicates": "first"}, {"duplicates": "error"}]),
)  # fmt: skip
def test_writes_at_index_tuples_are_takewises(data, lazy, values_lazy, road, how, policy):
    assume(how is None or "duplicates" not in policy)
    x, d = data.draw(sources(least=1, dtypes=["f4"]))
    depth = data.draw(st.integers(1, x.ndim))
    points = data.draw(st.sampled_from([(), (5,), (2, 3)]))
    wild = data.draw(st.booleans())
    columns = [data.draw(values(points, x.shape[k], wild=wild)).astype("i8") for k in range(depth)]
    assume(all(column.shape == points for column in columns))
    i = np.stack(columns, -1)
    v = np.random.default_rng(5).standard_normal((*points, *x.shape[depth:])).astype("f4")
    j, w = (data.draw(cut(i)) if lazy else i), (data.draw(cut(v)) if values_lazy else v)
    with dask.config.set({"takewise.road": road}):
        if how == "zeros":
            wanted = outcome(lambda: takewise.scatter_nd(i, v, x.shape, **policy))
            found = outcome(lambda: computed(td.scatter_nd(j, w, x.shape, **policy)))
        else:
            wanted = outcome(lambda: takewise.tensor_scatter(x, i, v, how, **policy))
            found = outcome(lambda: computed(td.tensor_scatter(d, j, w, how, **policy)))
    agree(found, wanted)


@CASES
@given(
    data=st.data(), lazy=st.booleans(), values_lazy=st.booleans(), road=st.sampled_from(ROADS),
    function=st.sampled_from(["index_add", "index_copy", "index_fill", "index_reduce"]), dtype=st.sampled_from(["f4", "i8"]),
    policy=st.sampled_from([*POLICIES[:4], {"negative": False}, {"duplicates": "first"}, {"duplicates": "error"}]),
)  # fmt: skip
def test_writes_of_slices_are_takewises(data, lazy, values_lazy, road, function, dtype, policy):
    assume(function in ("index_copy", "index_fill") or policy.get("duplicates") != "first")
    x, d = data.draw(sources(least=1, dtypes=[dtype]))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    i = data.draw(values(data.draw(st.sampled_from([(), (1,), (5,)])), x.shape[axis], wild=data.draw(st.booleans())))
    shape = list(x.shape)
    shape[axis] = i.size
    v = (np.random.default_rng(6).standard_normal(shape) * 9).astype(dtype)
    j, w = (data.draw(cut(i)) if lazy else i), (data.draw(cut(v)) if values_lazy else v)
    more = {"index_add": data.draw(st.sampled_from([(), (3,)])), "index_reduce": ("mean", data.draw(st.booleans()))}.get(function, ())
    if function == "index_fill":
        v = w = 7
    with dask.config.set({"takewise.road": road}):
        wanted = outcome(lambda: getattr(takewise, function)(x, axis, i, v, *more, **policy))
        found = outcome(lambda: computed(getattr(td, function)(d, axis, j, w, *more, **policy)))
    if isinstance(wanted, Exception):
        agree(found, wanted)
    else:
        assert found.tobytes() == np.asarray(wanted).tobytes()


def points_of(entry, extent):
    """An entry of an outer key as a list of positions."""
    if isinstance(entry, slice):
        return np.arange(extent)[entry]
    return np.flatnonzero(entry) if np.asarray(entry).dtype == bool else np.atleast_1d(entry)


@CASES
@given(data=st.data(), lazy=st.booleans(), values_lazy=st.booleans(), accumulate=st.booleans(), road=st.sampled_from(ROADS))
def test_outer_writes_are_those_of_a_mesh(data, lazy, values_lazy, accumulate, road):
    x, d = data.draw(sources(least=1, dtypes=["i8", "f4"]))
    plain, chunked = [], []
    for extent in x.shape:
        kind = data.draw(st.sampled_from(["array", "array", "slice", "int", "mask"]))
        if kind == "slice" or kind == "int" and not extent:
            entry = data.draw(st.sampled_from([slice(None), slice(None, None, -2), slice(1, 4)]))
        elif kind == "int":
            entry = data.draw(st.integers(-extent, extent - 1))
        elif kind == "mask":
            entry = np.array(data.draw(st.lists(st.booleans(), min_size=extent, max_size=extent)), bool)
        else:
            entry = data.draw(values((data.draw(st.integers(0, 4)),), extent))
        plain.append(entry)
        chunked.append(data.draw(cut(entry)) if lazy and kind in ("array", "mask") and data.draw(st.booleans()) else entry)
    shape = takewise.oindex(x, tuple(plain)).shape
    v, w = stored(data, shape, values_lazy, x.dtype)
    places = np.ix_(*(points_of(entry, extent) for entry, extent in zip(plain, x.shape, strict=True)))
    full = np.broadcast_to(v, shape).reshape(np.broadcast_shapes(*(p.shape for p in places)))
    with dask.config.set({"takewise.road": road}):
        found = computed(td.oindex_put(d, tuple(chunked), w, accumulate=accumulate))
    alike(found, takewise.index_put_(x.copy(), places, full, accumulate=accumulate))


@CASES
@given(data=st.data(), lazy=st.booleans(), values_lazy=st.booleans(), accumulate=st.booleans(), road=st.sampled_from(ROADS))
def test_pointwise_writes_go_where_vindex_reads(data, lazy, values_lazy, accumulate, road):
    x, d = data.draw(sources(dtypes=["i8"]))
    plain, chunked = data.draw(keys(x.shape, lazy))
    numbers = np.arange(x.size).reshape(x.shape)
    read = outcome(lambda: np.asarray(takewise.vindex(numbers, plain)))
    assume(not isinstance(read, Exception))
    v, w = stored(data, read.shape, values_lazy)
    wanted = takewise.put(x, read, np.broadcast_to(v, read.shape), accumulate)
    with dask.config.set({"takewise.road": road}):
        alike(computed(td.vindex_put(d, chunked, w, accumulate=accumulate)), wanted)


@CASES
@given(data=st.data(), lazy=st.booleans(), right=st.booleans())
def test_a_sorter_is_numpys(data, lazy, right):
    rows = data.draw(st.sampled_from([(), (3,), (2, 2)]))
    length, count = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 5))
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    sequence = random.integers(0, 6, (*rows, length)).astype("f4")
    looked_for = random.integers(-1, 7, (*rows, count)).astype("f4")
    sorter = np.argsort(sequence, axis=-1)
    wanted = takewise.searchsorted(sequence, looked_for, right=right, sorter=sorter)
    s, v = data.draw(cut(sequence)), data.draw(cut(looked_for))
    alike(computed(td.searchsorted(s, v, right=right, sorter=data.draw(cut(sorter)) if lazy else sorter)), wanted)
