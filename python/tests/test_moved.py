"""Arrays whose elements their own library moves: objects, texts, units, matrices, records, columns.

Every function is compared with NumPy's own subscripts and assignments at the places that a call on positions names.
"""

import inspect

import numpy as np
import pytest

import takewise as tw
from takewise import _catalogue

if not hasattr(np.dtypes, "StringDType"):
    pytest.skip("this NumPy has no texts of any length", allow_module_level=True)

S = np.dtypes.StringDType()


class Metres(np.ndarray):
    """An array that carries a unit along."""

    def __new__(cls, values, unit="m"):
        made = np.asarray(values).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, other):
        self.unit = getattr(other, "unit", None)


class Careful(Metres):
    """An array with a unit that looks at what is stored in it."""

    def __setitem__(self, key, value):
        if getattr(value, "unit", self.unit) != self.unit:
            raise ValueError("the units differ")
        super().__setitem__(key, value)


def arrays():
    """A vector of six of each kind, and a value to store in it."""
    objects = np.array([1, "x", None, (1, 2), 10**30, 2.5], dtype=object)
    pairs = np.array([(k, str(k)) for k in range(6)], dtype=[("a", "i4"), ("o", object)])
    records = np.rec.array([(k, k / 2) for k in range(6)], dtype=[("x", "i4"), ("y", "f8")])
    return {
        "objects": (objects, "new"),
        "texts": (np.array(["a", "bb", "", "ccc", "d", "é"], dtype=S), "a longer text than was there"),
        "records with objects": (pairs, pairs[5]),
        "unit": (Metres(np.arange(6.0), "km"), 7.5),
        "unit that looks": (Careful(np.arange(6), "km"), Careful(9, "km")),
        "records": (records, records[5]),
        "matrix of rows": (np.arange(6).reshape(2, 3).view(np.matrix), 7),
        "objects backwards": (np.arange(12).astype(object).reshape(2, 6)[:, ::-2], "new"),
    }


KINDS = arrays().keys()

# Each reads by positions, as the library's own take of the positions does.
READS = {
    "take": lambda f, x: f(x, [1, -1, 1]),
    "take of a row": lambda f, x: f(x, [[0, 2], [1, 1]] if x.ndim == 1 else [2, 0], axis=-1),
    "gather": lambda f, x: f(x, 0, np.zeros((1, *x.shape[1:]), int) + 1),
    "take_along_axis": lambda f, x: f(x, np.argsort(np.arange(x.size).reshape(x.shape)[..., ::-1] % 2, axis=-1), axis=-1),
    "take_along_dim": lambda f, x: f(x, np.zeros((1, *x.shape[1:]), int) + 1, 0),
    "index_select": lambda f, x: f(x, 0, [1, 0, 1]),
    "gather_nd": lambda f, x: f(x, [[1], [0]]),
    "index": lambda f, x: f(x, ([1, 0, 0],)),
    "oindex": lambda f, x: f(x, ([1, 0, 0],)),
    "vindex": lambda f, x: f(x, ([1, 0, 0],)),
    "masked_select": lambda f, x: f(x, np.arange(x.size).reshape(x.shape) % 3 == 0),
    "copy": lambda f, x: f(x),
}

# Each stores one value at positions; the second argument gives the form of the value.
WRITES = {
    "scatter": lambda f, x, v: f(x, 0, np.ones((1, *x.shape[1:]), int), v),
    "index_fill": lambda f, x, v: f(x, 0, [1, 0], v),
    "index_put": lambda f, x, v: f(x, ([1, 0, 1],), v),
    "put_along_axis": lambda f, x, v: f(x, np.zeros((*x.shape[:-1], 1), int), v, -1),
    "index_set": lambda f, x, v: f(x, ([0, 1],), v),
    "masked_fill": lambda f, x, v: f(x, np.arange(x.size).reshape(x.shape) % 3 == 0, v),
}


def equal(got, wanted):
    assert type(got) is type(wanted), (type(got), type(wanted))
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (got, wanted)
    assert got.tolist() == wanted.tolist() or got.dtype.kind == "f" and np.array_equal(got, wanted, equal_nan=True), (got, wanted)
    assert getattr(got, "unit", None) == getattr(wanted, "unit", None)


def names(table):
    return [name.split(" ")[0] for name in table]


def test_all_functions_are_here():
    others = {"nonzero", "where", "searchsorted", "bucketize", "scatter_nd", "at", "searchsorted_ranges"}
    stores = {"index_copy", "put", "tensor_scatter", "masked_scatter", "put_ranges"}
    sums = {"scatter_add", "scatter_reduce", "index_add", "index_reduce"}
    known = {*names(READS), *WRITES, *_catalogue.THEIRS, *others, *stores, *sums}
    public = {name.removesuffix("_") for name in tw.__all__ if inspect.isbuiltin(getattr(tw, name))}
    signatures = {name: inspect.signature(getattr(tw, name, None) or getattr(tw, name + "_")).parameters for name in public}
    assert {name for name in public if {"x", "input", "updates"} & set(signatures[name])} - known == {"from_dlpack"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READS)
def test_reads(name, kind):
    x, _ = arrays()[kind]
    function = getattr(tw, name.split(" ")[0])
    places = READS[name](function, np.arange(x.size).reshape(x.shape))
    equal(READS[name](function, x), x.take(places))
    # Into an array of the same kind.
    if name not in ("oindex", "vindex") and x.ndim == 1:
        out = x.take(places).copy()
        out[...] = x[0]
        equal(READS[name](lambda *a, **k: function(*a, out=out, **k), x), x.take(places))


@pytest.mark.parametrize("kind", KINDS)
def test_reads_check_positions_by_our_rules(kind):
    x, value = arrays()[kind]
    size = x.shape[0]
    for call in (
        lambda: tw.take(x, [0, 9], axis=0), lambda: tw.index_select(x, 0, [0, 9]), lambda: tw.index(x, ([0, 9],)),
        lambda: tw.index_put(x, ([0, 9],), value), lambda: tw.index_fill(x, 0, [0, 9], value), lambda: tw.at(x)[[0, 9]].set(value),
        lambda: tw.at(x)[[0, 9]].get(),
    ):  # fmt: skip
        with pytest.raises(IndexError, match=rf"index 9 is out of bounds for axis 0 with size {size}.*position") as caught:
            call()
        assert (caught.value.axis, caught.value.value, caught.value.size) == (0, 9, size)
    with pytest.raises(IndexError, match="-1"):
        tw.take(x, [-1], axis=0, negative=False)
    equal(tw.take(x, [1, 9], axis=0, bounds="clip"), x.take([1, size - 1], axis=0))
    equal(tw.take(x, [1, size], axis=0, bounds="wrap"), x.take([1, 0], axis=0))
    with pytest.raises(IndexError):
        tw.take(x[:0], [0])


def test_gaps():
    for kind, (x, value) in arrays().items():
        if kind == "matrix of rows":
            continue
        wanted = x.take([1, 0]) if x.ndim == 1 else x.take([[1], [0]])
        if kind not in ("records", "records with objects"):
            got = tw.take(x, [1, 99] if x.ndim == 1 else [[1], [99]], bounds="fill", fill_value=value)
            wanted[1:] = value
            equal(got, wanted)
    assert tw.take(arrays()["objects"][0], [0, 9], bounds="fill").tolist() == [1, None]
    assert tw.take(arrays()["texts"][0], [0, 9], bounds="fill").tolist() == ["a", ""]
    assert tw.take(np.array(["a"], dtype=np.dtypes.StringDType(na_object=None)), [9], bounds="fill").tolist() == [None]
    assert tw.take(arrays()["objects"][0], [0, 9], bounds="drop").tolist() == [1, 0]
    with pytest.raises(ValueError, match="fill_value is used only"):
        tw.take(arrays()["objects"][0], [0], bounds="clip", fill_value=1)
    assert tw.take(np.array([], object), [3], bounds="fill", fill_value="none").tolist() == ["none"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITES)
def test_stores(name, kind):
    x, value = arrays()[kind]
    hit = np.zeros(x.shape, int)
    there = WRITES[name](getattr(tw, name), hit, 1)
    hit = (hit if there is None else there) == 1
    wanted = x.copy()
    wanted[hit] = value
    for form in (name, name + "_"):
        function = getattr(tw, form, None)
        if function is None:
            continue
        x, value = arrays()[kind]
        before = x.copy()
        got = WRITES[name](function, x, value)
        if form.endswith("_") or name in ("index_set", "put_along_axis"):
            assert got is (None if name == "put_along_axis" else x)
            got = x
        else:
            equal(x, before)
        if kind == "objects backwards" and form == name:
            wanted = np.ascontiguousarray(wanted)
        equal(got, wanted)


def test_stores_of_several_values():
    for kind, (x, _) in arrays().items():
        if x.ndim != 1:
            continue
        values, wanted = x[[5, 0, 3]], x.copy()
        wanted[[0, 2, 1]] = values
        with pytest.raises(ValueError, match="already"):
            tw.put(x, [0, 2, 0], values, duplicates="error")
        for got in (
            tw.put(x, [0, 2, 1], values), tw.index_copy(x, 0, [0, 2, 1], values), tw.tensor_scatter(x, [[0], [2], [1]], values),
            tw.at(x)[[0, 2, 1]].set(values), tw.at(x.copy())[[0, 2, 1]].set_(values), tw.scatter(x, 0, [0, 2, 1], values),
        ):  # fmt: skip
            equal(got, wanted)
        first, last = x.copy(), x.copy()
        first[0], last[0] = values[0], values[1]
        equal(tw.put(x, [0, 0], values[:2], duplicates="first"), first)
        equal(tw.put(x, [0, 0], values[:2]), last)
        equal(tw.put(x, [0, 9], values[:2], bounds="drop"), first)
        mask = np.arange(6) % 2 == 0
        wanted = x.copy()
        wanted[mask] = values
        equal(tw.masked_scatter(x, mask, values), wanted)


def test_a_class_that_looks_is_asked_and_nothing_is_written():
    x = Careful(np.arange(3), "km")
    for call in (lambda: tw.put_(x, [0], Careful([1], "m")), lambda: tw.at(x)[[0]].set(Careful([1], "m"))):
        with pytest.raises(ValueError, match="the units differ"):
            call()
    assert x.tolist() == [0, 1, 2]


def test_sums_are_numpys():
    x = np.array([[1, 2, 10**30], [4, 5, 6]], dtype=object)
    index, source = np.array([[0, 0, 2]]), np.array([[10, 20, 10**31]], dtype=object)
    wanted = x.copy()
    np.add.at(wanted, (np.array([[0]]), index), source)
    equal(tw.scatter_add(x, 1, index, source), wanted)
    equal(tw.scatter_add_(x.copy(), 1, index, source), wanted)
    equal(tw.scatter_reduce(x, 1, index, source, "amax"), np.array([[20, 2, 10**31], [4, 5, 6]], dtype=object))
    equal(tw.scatter_reduce(x, 1, index, source, "prod", include_self=False), np.array([[200, 2, 10**31], [4, 5, 6]], dtype=object))
    equal(tw.index_add(x, 0, [1, 1], x, 2), np.array([[1, 2, 10**30], [14, 19, 18 + 2 * 10**30]], dtype=object))
    equal(tw.at(x)[0].add(1), np.array([[2, 3, 10**30 + 1], [4, 5, 6]], dtype=object))
    equal(tw.at(x)[:, [0, 0]].mul(np.array([2, 3], dtype=object)), np.array([[6, 2, 10**30], [24, 5, 6]], dtype=object))
    equal(tw.index_put(x, ([0, 0],), 1, accumulate=True), np.array([[3, 4, 10**30 + 2], [4, 5, 6]], dtype=object))
    equal(tw.scatter_nd([[0], [2], [0]], np.array([1, 2, 3], dtype=object), [3]), np.array([4, 0, 2], dtype=object))
    texts = np.array(["a", "b"], dtype=S)
    equal(tw.index_add(texts, 0, [1, 1], np.array(["x", "y"], dtype=S)), np.array(["a", "bxy"], dtype=S))
    equal(tw.index_add(Metres([1.0, 2.0], "km"), 0, [1, 1], [1.0, 2.0]), Metres([1.0, 5.0], "km"))
    with pytest.raises(IndexError, match=r"scatter_add: index 5 .* position \[0, 1\]|position \[0, 1\]"):
        tw.scatter_add(x, 1, [[0, 5, 0]], source)
    for call, words in [
        (lambda: tw.scatter_reduce(x, 1, index, source, "mean"), r"scatter_reduce\(\): NumPy has no 'mean'"),
        (lambda: tw.at(texts)[[0]].mul("x"), r"at\(x\)\[key\]\.mul: NumPy has no multiply of elements of dtype StringDType"),
    ]:
        with pytest.raises(TypeError, match=words):
            call()


def test_searches_and_choices():
    x, texts = np.array([3, 10**30, 10**31], dtype=object), np.array(["a", "c", "e"], dtype=S)
    for sequence, values in [(x, np.array([10**30, 5], dtype=object)), (texts, np.array(["b", "c"], dtype=S))]:
        for side in ("left", "right"):
            equal(tw.searchsorted(sequence, values, side=side), np.searchsorted(sequence, values, side))
        equal(tw.bucketize(values, sequence, out_int32=True), np.searchsorted(sequence, values).astype("i4"))
    with pytest.raises(TypeError, match="masked arrays"):
        tw.searchsorted(np.ma.array([1, 2]), [1])
    u = Metres([1.0, 2.0, 3.0], "km")
    equal(tw.searchsorted(u, u), np.array([0, 1, 2]))
    for kind, (x, _) in arrays().items():
        if kind not in ("records", "records with objects"):
            assert [k.tolist() for k in tw.nonzero(x, as_tuple=True)] == [k.tolist() for k in x.nonzero()]
            assert tw.nonzero(x).tolist() == np.argwhere(x).tolist()
        condition = np.arange(x.size).reshape(x.shape) % 2 == 0
        wanted = x.copy()
        for at in zip(*np.nonzero(~condition), strict=True):
            wanted[at] = x[::-1][at]
        equal(tw.where(condition, x, x[::-1]), wanted)
    assert type(tw.where([True], Metres([1.0], "km"), Metres([1.0], "m"))) is np.ndarray
    assert tw.where([True, False], "high", np.array(["low", "x"], dtype=object)).tolist() == ["high", "x"]


def test_views_are_views():
    for kind in ("objects", "unit"):
        x, value = arrays()[kind]
        for part in (tw.index(x, slice(1, 3)), tw.at(x)[1:3].get()):
            equal(part, x[1:3])
            assert np.shares_memory(part, x)


def test_columns():
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    texts = pd.Series(["a", None, "c"], index=[5, 6, 7], name="t")
    kinds = pd.Series(["a", "b", "a"], dtype="category")
    numbers = pd.Series([1, None, 3], dtype="Int64")
    for x in (texts, kinds, numbers):
        pd.testing.assert_series_equal(tw.take(x, [2, 0]), x.iloc[[2, 0]])
        pd.testing.assert_series_equal(tw.masked_select(x, [True, False, True]), x.iloc[[0, 2]])
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
            tw.take(x, [0, 7])
        pd.testing.assert_extension_array_equal(tw.take(x.array, [2, 0]), x.array[[2, 0]])
        assert tw.take(x, [2, 9], bounds="fill").isna().tolist() == [False, True]
        with pytest.raises(TypeError, match="leave fill_value out"):
            tw.take(x, [2, 9], bounds="drop")
    assert list(tw.take(pd.Index(["a", "b", "c"]), [2, 0])) == ["c", "a"]
    for x in (pa.array(["a", "b", None]), pa.chunked_array([["a"], ["b", None]])):
        assert tw.take(x, [1, 0]).to_pylist() == ["b", "a"]
        assert tw.take(x, [1, 9], bounds="fill").to_pylist() == ["b", None]
        with pytest.raises(IndexError, match="index 9"):
            tw.take(x, [9])
