"""Sort, the greatest, different values, membership and counts: what comes back is what goes in, and NumPy is the reference."""

import inspect

import numpy as np
import pytest
from programs import has, run

import takewise
from takewise import _catalogue, _order

DTYPES = ["f4", "f8", "i8", "i2", "u1", "?"]


def worlds(dtype):
    rng = np.random.default_rng(0)
    for shape in ((0,), (1,), (7,), (32,), (33,), (300,), (4, 5), (0, 3), (3, 40), ()):
        x = rng.integers(0, 12, shape).astype(dtype)
        if dtype.startswith("f") and x.size > 2:
            x.reshape(-1)[[0, 2]] = np.nan
        yield x


def same(got, want):
    assert type(got) is type(want) or want.ndim == 0, (type(got), type(want))
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.array_equal(got, want, equal_nan=want.dtype.kind == "f")


def falling(x, axis):
    """The positions of a stable sort that begins with the greatest: NaN, which is the largest, comes first."""
    n = x.shape[axis]
    return n - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)


@pytest.mark.parametrize("dtype", DTYPES)
def test_order_is_that_of_numpy(dtype):
    for x in worlds(dtype):
        for axis in range(-x.ndim, x.ndim):
            same(takewise.sort(x, axis), np.sort(x, axis))
            same(takewise.argsort(x, axis), np.argsort(x, axis, kind="stable"))
            down = falling(x, axis)
            same(takewise.argsort(x, axis, descending=True), down)
            same(takewise.sort(x, axis, descending=True), np.take_along_axis(x, down, axis))
            unstable = takewise.argsort(x, axis, stable=False)
            same(np.take_along_axis(x, unstable, axis), np.sort(x, axis))
        same(takewise.sort(x, None), np.sort(x, None))
        same(takewise.argsort(x, None, descending=True), falling(x.reshape(-1), 0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_greatest_and_the_least(dtype):
    for x in worlds(dtype):
        for axis in range(x.ndim):
            for k in {0, 1, x.shape[axis] // 2, x.shape[axis]} - {x.shape[axis] + 1}:
                if k > x.shape[axis]:
                    continue
                for largest, order in ((True, falling(x, axis)), (False, np.argsort(x, axis, kind="stable"))):
                    want = np.take_along_axis(x, order, axis).take(range(k), axis)
                    same(takewise.topk(x, k, axis, largest=largest), want)
                    at = takewise.argtopk(x, k, axis, largest=largest)
                    same(np.take_along_axis(x, at, axis), want)
        for k in (-1, x.size + 1):
            for function in (takewise.topk, takewise.argtopk):
                with pytest.raises(ValueError, match=rf"{function.__name__}.*k must be from 0 to .* not {k}"):
                    function(x, k, None)


@pytest.mark.parametrize("dtype", DTYPES)
def test_different_values_and_members(dtype):
    for x in worlds(dtype):
        for got, want in zip(
            takewise.unique(x, return_index=True, return_inverse=True, return_counts=True), np.unique(x, True, True, True), strict=True
        ):
            same(got, want.reshape(got.shape))
        same(takewise.unique(x), np.unique(x))
        for values in ([3, 5.5], [], 4, x):
            same(np.asarray(takewise.isin(x, values)), np.asarray(np.isin(x, values)))
            same(np.asarray(takewise.isin(x, values, invert=True)), np.asarray(np.isin(x, values, invert=True)))
        if x.ndim == 2 and x.size and not np.isnan(x).any():
            for got, want in zip(takewise.unique(x, 0, return_counts=True), np.unique(x, axis=0, return_counts=True), strict=True):
                same(got, want)


def test_counts():
    x = np.array([0, 3, 3, 1])
    same(takewise.bincount(x), np.bincount(x))
    same(takewise.bincount(x, [0.5, 1, 2, 3], 6), np.bincount(x, [0.5, 1, 2, 3], 6))
    same(takewise.bincount([2, 2]), np.bincount([2, 2]))
    with pytest.raises(IndexError, match=r"bincount: index -4 .*position \[1\]"):
        takewise.bincount(np.array([0, -4]))
    with pytest.raises(ValueError, match="bincount: x must be a vector of integers, not an array of float64"):
        takewise.bincount(np.array([0.5]))


def test_lists_are_numbers_of_numpys_and_own_tensors_stay():
    same(takewise.sort([3, 1, 2]), np.array([1, 2, 3]))
    same(takewise.isin([1.5, 2], [2]), np.array([False, True]))
    x = takewise.tensor([3.0, 1.0, 2.0], requires_grad=True)
    for made in (takewise.sort(x), takewise.topk(x, 2), takewise.unique(x), takewise.isin(x, [1.0]), takewise.argtopk(x, 1)):
        assert type(made) is takewise.Tensor
    takewise.topk(x, 2).sum().backward()
    assert x.grad.tolist() == [1, 0, 1]


def test_signatures_of_the_libraries_are_the_catalogues():
    for library in (_order.NumPy, _order.PyTorch, _order.Jax):
        for name in _catalogue.THEIRS:
            assert str(inspect.signature(getattr(library, name))) == str(inspect.signature(getattr(takewise, name))), (library, name)


@pytest.mark.skipif(not has("jax"), reason="JAX is not installed here")
def test_arrays_of_jax():
    run("""
    import jax, jax.numpy as jnp, numpy as np, takewise
    x = jnp.array([3.0, 1.0, jnp.nan, 2.0])
    for call in (takewise.sort, takewise.argsort, lambda x: takewise.topk(x, 2), lambda x: takewise.argtopk(x, 2, largest=False)):
        for given in (x, jnp.stack([x, -x])):
            eager = call(given)
            assert isinstance(eager, jax.Array) and np.array_equal(eager, jax.jit(call)(given), equal_nan=True)
            assert np.array_equal(eager, call(np.asarray(given)), equal_nan=True), (call, eager)
    assert takewise.unique(x, return_counts=True)[1].tolist() == [1, 1, 1, 1]
    assert takewise.isin(x, [2.0]).tolist() == [False, False, False, True]
    assert takewise.bincount(jnp.array([1, 1]), [0.5, 1.0]).tolist() == [0.0, 1.5]
    """)


@pytest.mark.skipif(not has("torch"), reason="torch is not installed here")
def test_tensors_of_torch():
    run("""
    import torch, numpy as np, takewise
    x = torch.tensor([[3.0, float("nan"), 1.0, 3.0], [0.0, 2.0, 2.0, float("nan")]], dtype=torch.float64)
    calls = (takewise.sort, lambda x: takewise.sort(x, None, descending=True), takewise.argsort, lambda x: takewise.topk(x, 2),
             lambda x: takewise.unique(x), lambda x: takewise.isin(x, [3.0]), lambda x: takewise.isin(x, [3.0], invert=True))
    for call in calls:
        got = call(x)
        assert isinstance(got, torch.Tensor) and np.array_equal(got.numpy(), call(x.numpy()), equal_nan=True), got
    for got, want in zip(*(takewise.unique(x, return_index=True, return_inverse=True, return_counts=True) for x in (x, x.numpy()))):
        assert np.array_equal(np.asarray(got), want, equal_nan=True), (got, want)
    n = torch.tensor([1, 1, 4])
    assert takewise.bincount(n, torch.tensor([1.0, 2, 3]), 7).tolist() == [0, 3, 0, 0, 3, 0, 0]
    y = torch.rand(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(takewise.sort, y) and torch.autograd.gradcheck(lambda y: takewise.topk(y, 2, 0), y)
    assert torch.equal(torch.vmap(takewise.sort)(y), takewise.sort(y))
    assert torch.compile(lambda y: takewise.topk(y, 2) + 1, fullgraph=True)(y).shape == (3, 2)
    """)


@pytest.mark.skipif(not has("dask"), reason="Dask is not installed here")
def test_arrays_of_dask():
    run("""
    import dask.array as da, numpy as np, takewise
    x = np.array([3, 1, 4, 1, 5])
    for chunks in (2, 5):
        z = da.from_array(x, chunks=chunks)
        for call in (lambda x: takewise.topk(x, 2), lambda x: takewise.topk(x, 2, largest=False), lambda x: takewise.topk(x, 0),
                     takewise.unique, lambda x: takewise.isin(x, [1, 9]), lambda x: takewise.bincount(x, minlength=8)):
            got, want = call(z), call(x)
            assert isinstance(got, da.Array) and np.array_equal(got.compute(), want) and got.dtype == want.dtype
        assert x[takewise.argtopk(z, 2).compute()].tolist() == [5, 4]
        values, index, inverse, counts = takewise.unique(z, return_index=True, return_inverse=True, return_counts=True)
        assert counts.compute().tolist() == [2, 1, 1, 1] and values.compute()[inverse.compute()].tolist() == x.tolist()
        assert x[index.compute()].tolist() == values.compute().tolist()
        for call, text in ((takewise.sort, "in order across chunks"), (takewise.argsort, "in order across chunks"),
                           (lambda x: takewise.topk(x, 6), "not 6"), (lambda x: takewise.unique(x, 0), "axis=")):
            try:
                call(z)
            except (TypeError, ValueError) as error:
                assert text in str(error), error
            else:
                raise AssertionError(text)
    """)
