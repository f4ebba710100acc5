"""The functions of takewise itself with arrays of Dask's: the answer for arrays in memory, or a refusal that names the function."""

import inspect

import numpy as np
import pytest

import takewise as tw
from takewise import _catalogue

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

A = np.arange(12.0).reshape(3, 4)
I = np.array([[2, 0, 1, -1]])
MASK = A % 5 == 0

# By their names; what reads, chooses, searches or gives a changed copy.
CALLS = {
    "gather": [lambda f, x, c: f(x, 0, I)],
    "take": [lambda f, x, c: f(x, [5, -1]), lambda f, x, c: f(x, c(np.array([[2, 0]])), axis=1)],
    "take_along_axis": [lambda f, x, c: f(x, I, 0)],
    "take_along_dim": [lambda f, x, c: f(x, I, 0), lambda f, x, c: f(x, c(np.array([5, 1]))), lambda f, x, c: f(x, [[5, 99]], bounds="clip")],
    "index_select": [lambda f, x, c: f(x, 1, [3, 3])],
    "gather_nd": [lambda f, x, c: f(x, [[2, 1], [0, 0]])],
    "index": [lambda f, x, c: f(x, ([2, 0], slice(1, None)))],
    "oindex": [lambda f, x, c: f(x, ([2, 0], [3, 1]))],
    "vindex": [lambda f, x, c: f(x, ([2, 0], [3, 1]))],
    "masked_select": [lambda f, x, c: f(x, x > 3)],
    "copy": [lambda f, x, c: f(x)],
    "nonzero": [lambda f, x, c: f(x), lambda f, x, c: f(x, as_tuple=True)],
    "where": [
        lambda f, x, c: f(x > 3, x, 0), lambda f, x, c: f(x > 3), lambda f, x, c: f(MASK, 1, x), lambda f, x, c: f(c(MASK[0]), 1, 2.5),
        lambda f, x, c: f(x > 1, [1, 2, 3, 4], np.int8(1)), lambda f, x, c: f(c(MASK), np.int8(1), x.astype("i2")),
        lambda f, x, c: f(c(MASK), c(np.array(7, "i8")), x.astype("f4")),
    ],
    "searchsorted": [
        lambda f, x, c: f(x, x[:, ::-1] + 0.5), lambda f, x, c: f(x, [[1.0, 5.0]]), lambda f, x, c: f(x, [4.0, 5.0], side="right"),
        lambda f, x, c: f(x, x[1:], axis=0), lambda f, x, c: f(x, A[:1, :1], axis=-2, out_int32=True), lambda f, x, c: f(c(A[0]), x),
    ],
    "bucketize": [lambda f, x, c: f(x, [1.0, 2.0]), lambda f, x, c: f(A, c(A[1]), right=True)],
    "scatter": [lambda f, x, c: f(x, 0, I, 5.0)],
    "scatter_add": [lambda f, x, c: f(x, 0, I, A[:1])],
    "scatter_reduce": [lambda f, x, c: f(x, 0, I, A[:1], "amax")],
    "index_add": [lambda f, x, c: f(x, 0, [1, 1], A[:2])],
    "index_copy": [lambda f, x, c: f(x, 0, [1, 0], A[:2])],
    "index_fill": [lambda f, x, c: f(x, 0, [1], 7.0)],
    "index_reduce": [lambda f, x, c: f(x, 0, [1, 1], A[:2], "prod")],
    "put": [lambda f, x, c: f(x, [5, 1], [7.0, 8.0])],
    "index_put": [
        lambda f, x, c: f(x, ([2, 0],), 5.0), lambda f, x, c: f(x, (c(np.array([2, 2])), 1), c(np.array([5.0, 6.0])), True),
        lambda f, x, c: f(x, x > 3, 0.0), lambda f, x, c: f(x, ([2, 2],), A[:2], duplicates="first"),
    ],
    "tensor_scatter": [lambda f, x, c: f(x, [[2, 1]], [9.0])],
    "scatter_nd": [lambda f, x, c: f([[2], [0]], x[:2], (4, 4))],
    "masked_fill": [lambda f, x, c: f(x, x > 3, -1), lambda f, x, c: f(x, MASK[0], 2.5)],
    "masked_scatter": [lambda f, x, c: f(x, MASK, np.arange(9.0)), lambda f, x, c: f(x, c(MASK[:, :1]), c(np.arange(12.0)))],
}  # fmt: skip
PLAIN = {"get_mixed", "get_num_threads", "set_mixed", "set_num_threads", "from_dlpack", "at"}


def same(got, wanted):
    assert isinstance(got, da.Array if not isinstance(wanted, tuple) else tuple), type(got)
    if isinstance(wanted, tuple):
        for one, other in zip(got, wanted, strict=True):
            same(one, other)
        return
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    np.testing.assert_array_equal(got.compute(scheduler="sync"), wanted)


def test_every_function_answers_or_refuses_by_name():
    functions = {name for name in tw.__all__ if inspect.isbuiltin(getattr(tw, name))} - PLAIN
    in_place = {name for name in functions if name.endswith("_")} | {"index_set", "put_along_axis"}
    # Rows of different lengths have tests of their own (test_ranges_dask.py).
    ranges = {name for name in functions if {"Offsets", "Lengths", "Count"} & set(_catalogue.ROLES[name].values())}
    # What has an order has its tests in test_order.py.
    assert functions - in_place - ranges - _catalogue.THEIRS == set(CALLS)
    x = da.from_array(A, chunks=2)
    for name in in_place:
        parameters = list(inspect.signature(getattr(tw, name)).parameters.values())
        needed = [0 for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
        for given in ([x, *needed[1:]], [np.zeros(3), *needed[1:-1], x]):
            with pytest.raises(TypeError, match=rf"^{name}\(\): nothing is written into an array of Dask's"):
                getattr(tw, name)(*given)
    with pytest.raises(TypeError, match=r"^take\(\): a graph has no memory for out="):
        tw.take(x, [1], out=np.zeros(1))


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_those_in_memory(name):
    for call in CALLS[name]:
        for chunks in (2, -1, (1, 3)):
            def cut(a, chunks=chunks):
                return da.from_array(a, chunks=chunks if a.ndim == 2 or not isinstance(chunks, tuple) else 1)

            wanted = call(getattr(tw, name), A, lambda a: a)
            same(call(getattr(tw, name), cut(A), cut), wanted)


@pytest.mark.parametrize("method", ["set", "add", "mul", "min", "max"])
def test_places_of_a_subscript(method):
    x, values = da.from_array(A, chunks=2), np.array([3.0, 4.0, 5.0])
    for key in (([2, 0, 2], [1, 1, 1]), (slice(None), 1), ([2, 1, 0],)):
        value = values if key[-1] == [1, 1, 1] else 2.5
        wanted = getattr(tw.at(A)[key], method)(value)
        same(getattr(tw.at(x)[key], method)(value), wanted)
        lazy = tuple(da.from_array(np.array(k), chunks=2) if isinstance(k, list) else k for k in key)
        same(getattr(tw.at(x)[lazy], method)(value), wanted)
    same(tw.at(x)[[2, 0]].get(), tw.at(A)[[2, 0]].get())
    same(tw.at(x)[[2, 9]].get(bounds="fill", fill_value=-1), tw.at(A)[[2, 9]].get(bounds="fill", fill_value=-1))
    with pytest.raises(IndexError, match=rf"at\(x\)\[key\]\.{method}: index 9 is out of bounds for axis 0 with size 3"):
        getattr(tw.at(x)[[0, 9]], method)(1.0)
    with pytest.raises(TypeError, match=rf"at\(x\)\[key\]\.{method}_\(\): nothing is written into an array of Dask's"):
        getattr(tw.at(x)[[0]], method + "_")(1.0)


def test_what_does_not_fit_is_said_while_the_graph_is_built():
    x = da.from_array(A, chunks=2)
    for call, error, words in [
        (lambda: tw.masked_fill(x, MASK[:, :2], 1), ValueError, r"masked_fill: a mask of shape \[3, 2\]"),
        (lambda: tw.masked_fill(x, A, 1), TypeError, "masked_fill: the mask must be of booleans"),
        (lambda: tw.masked_scatter(x, MASK, np.arange(2.0)), ValueError, "the mask chooses 3 elements, and the source has 2"),
        (lambda: tw.bucketize(x, A), ValueError, "bucketize: boundaries must have one axis"),
        (lambda: tw.searchsorted(x, x, axis=2), IndexError, "axis 2 is out of range"),
        (lambda: tw.searchsorted(x, np.zeros((2, 5))), ValueError, "leading axes"),
        (lambda: tw.index_put(x, ([0, 7],), 1.0), IndexError, "index_put: index 7 is out of bounds for axis 0 with size 3"),
    ]:
        with pytest.raises(error, match=words):
            call()
