"""Sorted searches, coordinates and choices, against NumPy and against the rows of the engine's own table."""

import itertools

import numpy as np
import pytest

import takewise as tw
from takewise import _takewise

RANDOM = np.random.default_rng(5)
DTYPES = ["?", "u1", "i2", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def table(name):
    """The function of that name as the table has it, for the library's own tensors."""
    return _takewise.lookup("neutral", "", name)


def answer(function, *args, **kwargs):
    """A result with its dtype, or the class of an error with its text."""
    try:
        found = function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    found = found if isinstance(found, tuple) else (found,)
    return [(type(part), np.asarray(part).dtype, np.asarray(part).tolist()) for part in found]


NUMBERS = [3, -1, 300, 2.5, 1e300, True, 1j, np.float64(0.5)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("a, b", list(itertools.product([*DTYPES, *NUMBERS], repeat=2)))
def test_choices_are_numpys(a, b):
    if np.lib.NumpyVersion(np.__version__) < "2.0.0" and not (isinstance(a, str) and isinstance(b, str)):
        pytest.skip("the values of numbers decided dtypes before NumPy 2")
    x, y = ([5, 0, 1] if isinstance(v, str) else v for v in (a, b))
    x, y = (np.array(x, v) if isinstance(v, str) else x for x, v in ((x, a), (y, b)))
    mask = np.array([True, False, True])
    got, want = answer(tw.where, mask, x, y), answer(np.where, mask, x, y)
    if isinstance(got, tuple) and issubclass(got[0], OverflowError) and not isinstance(want, tuple):
        # NumPy wraps a number that the dtype cannot hold around, in silence.
        assert {-1, 300} & {v for v in (a, b) if isinstance(v, int)} and {"u1", "u8"} & {v for v in (a, b) if isinstance(v, str)}
    elif isinstance(want, tuple):
        assert isinstance(got, tuple) and issubclass(got[0], want[0]), (got, want)
    else:
        assert got == want


@pytest.mark.parametrize("v", [*DTYPES, 0, 3, 2.5, True, np.float32(2.5), np.int64(1)])
@pytest.mark.parametrize("s", DTYPES)
def test_searches_are_the_tables(s, v):
    sequence = np.sort(RANDOM.integers(0, 9, 6)).astype(s)
    values = RANDOM.integers(0, 9, (2, 3)).astype(v) if isinstance(v, str) else v
    for options in ({}, {"right": True}, {"side": "right", "out_int32": True}, {"side": "left", "right": True}):
        assert answer(tw.searchsorted, sequence, values, **options) == answer(
            table("searchsorted"), sequence, values, **options
        )
        options.pop("side", None)
        assert answer(tw.bucketize, values, sequence, **options) == answer(
            table("bucketize"), values, sequence, **options
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4)])
def test_coordinates_are_numpys(dtype, shape):
    x = RANDOM.integers(0, 2, shape).astype(dtype)
    assert np.array_equal(tw.nonzero(x), np.argwhere(x))
    assert answer(tw.nonzero, x) == answer(table("nonzero"), x)
    for found in (tw.nonzero(x, as_tuple=True), tw.where(x)):
        assert isinstance(found, tuple)
        assert all(np.array_equal(a, b) for a, b in zip(found, np.nonzero(np.atleast_1d(x)), strict=True))


def test_a_sorter_and_lists():
    x = np.array([5, 1, 3])
    assert tw.searchsorted(x, [2, 5], sorter=np.argsort(x)).tolist() == [1, 2]
    assert tw.searchsorted([1, 3, 5], [2.5, 3.0]).tolist() == [1, 1]
    assert tw.bucketize([0.5, 3], [1, 2]).tolist() == [0, 2]
    assert tw.where([True, False], [1, 2], 9).tolist() == [1, 9]
    assert isinstance(tw.where([True, False], np.array([1, 2]), 9), np.ndarray)
    assert isinstance(tw.searchsorted(tw.Tensor([1, 2]), np.array([1])), np.ndarray)
    assert isinstance(tw.searchsorted(tw.Tensor([1, 2]), 1), tw.Tensor)


def test_results_go_where_they_are_told():
    x = np.array([1.0, 2.0, 3.0])
    out = np.zeros(3, "i8")
    assert tw.searchsorted(x, x, out=out) is out
    assert out.tolist() == [0, 1, 2]
    assert tw.bucketize(x, x, right=True, out=out) is out
    assert out.tolist() == [1, 2, 3]
    chosen = np.zeros(3)
    assert tw.where(x > 1, x, -1.0, out=chosen) is chosen
    assert chosen.tolist() == [-1, 2, 3]
    assert tw.where(chosen > 2, chosen, chosen[::-1], out=chosen).tolist() == [3, 2, 3]
    places = np.zeros((3, 1), "i8")
    assert tw.nonzero(x, out=places) is places
    assert places.tolist() == [[0], [1], [2]]
    grown = tw.Tensor([]).long()
    assert tw.nonzero(x, out=grown) is grown
    assert grown.shape == (3, 1)
    before = chosen.copy()
    for call in (
        lambda: tw.searchsorted(x, x, out=chosen),
        lambda: tw.bucketize(x, x, out=chosen),
        lambda: tw.nonzero(x, out=chosen),
        lambda: tw.where(x > 1, x.astype("f4"), x.astype("f4"), out=chosen),
        lambda: tw.where(x > 1, x[:2], x, out=chosen),
        lambda: tw.searchsorted(x, x, out=out[:2]),
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            call()
    assert np.array_equal(chosen, before)


def test_half_a_choice_is_refused():
    mask = np.array([True])
    with pytest.raises(TypeError, match="together"):
        tw.where(mask, 1)
    with pytest.raises(TypeError, match="out="):
        tw.where(mask, out=np.zeros((1, 1), "i8"))
    with pytest.raises((IndexError, TypeError, RuntimeError, ValueError)):
        tw.where(np.array([1.0]), 1, 2)


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_answers_do_not_depend_on_threads(threads):
    n = 1 << 18
    x = RANDOM.random(n)
    s = np.sort(RANDOM.random(1000))
    mask = x > 0.5
    assert np.array_equal(tw.searchsorted(s, x, threads=threads), np.searchsorted(s, x))
    assert np.array_equal(tw.bucketize(x, s, threads=threads), np.searchsorted(s, x))
    assert np.array_equal(tw.nonzero(mask, threads=threads)[:, 0], np.nonzero(mask)[0])
    assert np.array_equal(tw.nonzero(mask, as_tuple=True, threads=threads)[0], np.nonzero(mask)[0])
    assert np.array_equal(tw.where(mask, threads=threads)[0], np.nonzero(mask)[0])
    assert np.array_equal(tw.where(mask, x, -x, threads=threads), np.where(mask, x, -x))


def test_gradients_flow_through_a_choice():
    x = tw.Tensor([1.0, 2.0, 3.0])
    x.requires_grad = True
    tw.where(tw.Tensor([True, False, True]), x, 0.0).sum().backward()
    assert x.grad.tolist() == [1, 0, 1]
