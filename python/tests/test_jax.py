"""JAX arrays: read where they are, never written, and given back."""

import numpy as np
import pytest

import takewise as tw

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/python.md for an environment with it")


def test_reads_and_results():
    x = jax.numpy.arange(12.0).reshape(3, 4)
    got = tw.take(x, [2, 0], axis=0)
    assert isinstance(got, jax.Array) and np.array_equal(got, x[np.array([2, 0])])
    assert tw.from_dlpack(x).data_ptr() == np.asarray(x).__array_interface__["data"][0]
    half = jax.numpy.arange(3, dtype="bfloat16")
    assert tw.take(half, [1]).dtype == half.dtype


def test_jax_arrays_are_not_written():
    x = jax.numpy.zeros(3)
    with pytest.raises(Exception, match="read-only"):
        tw.put_(x, [0], 1.0)
    assert not x.any()
    assert tw.at(x)[0].set(1).tolist() == [1, 0, 0]


def test_traced_arrays_are_refused():
    with pytest.raises(TypeError, match="traced"):
        jax.jit(lambda x: tw.take(x, [0]))(jax.numpy.zeros(2))


def test_names_of_jax():
    import takewise.jax

    x = jax.numpy.arange(4.0)
    for mode in ("fill", "clip", "wrap"):
        got = takewise.jax.numpy.take(x, jax.numpy.array([1, 9]), mode=mode)
        want = jax.numpy.take(x, jax.numpy.array([1, 9]), mode=mode)
        assert isinstance(got, jax.Array) and np.array_equal(got, want, equal_nan=True)
