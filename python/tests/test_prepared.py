"""Sequences prepared once for many searches, and how many threads a call takes."""

import numpy as np
import pytest

import takewise as tw

RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("length", [0, 1, 17, 300, 5000])
def test_a_prepared_sequence_answers_as_searchsorted(dtype, length):
    s = np.sort(RANDOM.integers(0, 100, length)).astype(dtype)
    v = RANDOM.integers(0, 100, (7, 9)).astype(dtype)
    prepared = tw.PreparedSearch(s)
    assert len(prepared) == length
    for side in ("left", "right"):
        want = np.searchsorted(s, v, side)
        assert np.array_equal(prepared.searchsorted(v, side=side), want)
        assert np.array_equal(prepared.searchsorted(np.sort(v, axis=None), side=side), np.sort(want, axis=None))
        out = np.empty((7, 9), "i4")
        assert prepared.searchsorted(v.T.copy().T, right=side == "right", out_int32=True, out=out, threads=3) is out
        assert np.array_equal(out, want)


def test_the_copy_is_private():
    s = np.array([1, 2, 3])
    prepared = tw.PreparedSearch(s)
    s[:] = 9
    assert prepared.searchsorted(np.array([2])).tolist() == [1]


def test_what_is_refused():
    with pytest.raises(ValueError):
        tw.PreparedSearch(np.zeros((2, 2)))
    prepared = tw.PreparedSearch([1, 2, 3])
    with pytest.raises(ValueError):
        prepared.searchsorted(np.array([1]), side="middle")
    with pytest.raises(ValueError):
        prepared.searchsorted(np.array([1]), right=True, side="left")
    out = np.empty(2, "i8")
    with pytest.raises(ValueError):
        prepared.searchsorted(np.array([1, 2, 3]), out=out)


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_answers_do_not_depend_on_threads(threads):
    n = 1 << 20
    x, i = RANDOM.random(n), RANDOM.integers(0, n, n)
    mask = x > 0.5
    assert np.array_equal(tw.take(x, i, threads=threads), x[i])
    assert np.array_equal(tw.index(x, mask, threads=threads), x[mask])
    assert np.array_equal(tw.at(x)[i].get(threads=threads), x[i])
    assert np.array_equal(tw.scatter_add(np.zeros(n), 0, i, x, threads=threads), np.bincount(i, x, n))
    assert np.array_equal(tw.index_put_(x.copy(), mask, 0.0, threads=threads), np.where(mask, 0.0, x))


def test_threads_must_be_a_number():
    with pytest.raises((OverflowError, ValueError)):
        tw.take(np.arange(3), [1], threads=-1)
    with pytest.raises(TypeError):
        tw.take(np.arange(3), [1], threads="all")
