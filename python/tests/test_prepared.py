"""Positions that are kept: the results of the functions they stand for, on the arrays of every library, forward and back."""

import pickle

import numpy as np
import pytest
from programs import has, run

import takewise

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(5,), (4, 3), (2, 6, 3)])
@pytest.mark.parametrize("index_shape", [(0,), (7,), (2, 4)])
def test_reads_and_sums_are_those_of_the_functions(shape, index_shape):
    x = RNG.random(shape)
    for axis in range(-len(shape), len(shape)):
        for kind in ("any", "sorted"):
            index = RNG.integers(-shape[axis], shape[axis], index_shape)
            if kind == "sorted":
                index = np.sort(index % shape[axis], axis=None).reshape(index_shape)
            kept = takewise.prepare(index, shape, axis)
            taken = kept.take(x)
            assert np.array_equal(taken, takewise.take(x, index, axis))
            want, at = np.zeros(shape), axis % len(shape)
            np.add.at(want, (slice(None),) * at + (index,), taken)
            assert np.allclose(kept.sum(taken), want) and np.allclose(kept.reduce(taken), want)
            assert np.allclose(kept.add(x, taken), x + want)
            places = index.reshape(-1) % shape[axis]
            assert kept.is_sorted == bool((np.diff(places) >= 0).all())
            assert kept.is_unique == (len(set(places.tolist())) == places.size)
            assert kept.counts.tolist() == np.bincount(places, minlength=shape[axis]).tolist()
            again = pickle.loads(pickle.dumps(kept))
            assert np.array_equal(again.take(x), taken) and repr(again) == repr(kept)


def test_the_index_is_copied():
    index = np.array([2, 0])
    kept = takewise.prepare(index, (3,))
    index[:] = 1
    assert kept.take(np.array([5, 6, 7])).tolist() == [7, 5]
    with pytest.raises(ValueError, match="read-only"):
        kept.index[0] = 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: takewise.prepare([2, 9], (3, 4), 1), IndexError, r"prepare: index 9 .* axis 1 with size 4 \(position \[1\]"),
        (lambda: takewise.prepare([2, 0], (3,), sorted=True), ValueError, "0 stands behind 2 at position 1"),
        (lambda: takewise.prepare([2, 0, 2], (3,), unique=True), ValueError, "2 stands at positions 0 and 2"),
        (lambda: takewise.prepare([0], (3,), bounds="fill"), ValueError, "leaves positions out"),
        (lambda: takewise.prepare([0], (3,), 1), IndexError, r"axis 1 is not among the 1 axes of \[3\]"),
        (lambda: takewise.prepare([0], (3,)).take(np.zeros(4)), ValueError, r"x has shape \[4\], and \[3\] is prepared"),
        (lambda: takewise.prepare([0], (3,)).sum(np.zeros(4)), ValueError, r"values have shape \[4\], and \[1\] is prepared"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_bounds_are_settled_once():
    assert takewise.prepare([-1, 7], (4,), bounds="clip").index.tolist() == [3, 3]
    assert takewise.prepare([5, -6], (4,), bounds="wrap").index.tolist() == [1, 2]


def test_rows_of_files(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12.0).reshape(4, 3))
    kept = takewise.prepare([3, 0], (4, 3))
    assert np.asarray(kept.take(takewise.open(str(tmp_path / "x.npy")))).tolist() == [[9, 10, 11], [0, 1, 2]]


@pytest.mark.skipif(not has("jax"), reason="JAX is not installed here")
def test_arrays_of_jax():
    run("""
    import jax, jax.numpy as jnp, numpy as np, takewise
    for index in ([0, 0, 2], [2, 0, 2], [[1, 0], [2, 2]]):
        kept = takewise.prepare(index, (3, 2))
        x = jnp.arange(6.0).reshape(3, 2)
        want = kept.sum(kept.take(np.asarray(x)))
        assert np.array_equal(jax.jit(lambda x: kept.sum(kept.take(x).reshape(-1, 2).reshape(kept.index.shape + (2,))))(x), want)
        assert jax.grad(lambda x: (kept.take(x) * 2).sum())(x)[:, 0].tolist() == (kept.counts * 2.0).tolist()
        assert jax.vmap(kept.take)(jnp.stack([x, x])).shape == (2, *kept.index.shape, 2)
    """)


@pytest.mark.skipif(not has("torch"), reason="torch is not installed here")
def test_tensors_of_torch():
    run("""
    import torch, numpy as np, takewise
    for index in ([0, 0, 2], [[1, 0], [2, 2]]):
        kept = takewise.prepare(index, (3, 2))
        x = torch.rand(3, 2, dtype=torch.float64, requires_grad=True)
        v = torch.rand(*kept.index.shape, 2, dtype=torch.float64, requires_grad=True)
        for call, given in ((kept.take, x), (kept.sum, v)):
            assert np.array_equal(call(given).detach().numpy(), call(given.detach().numpy()))
            assert torch.autograd.gradcheck(call, given, check_forward_ad=True) and torch.autograd.gradgradcheck(call, given)
            assert torch.compile(call, fullgraph=True)(given.detach()).equal(call(given.detach()))
        assert torch.vmap(kept.take)(torch.stack([x, x])).shape == (2, *kept.index.shape, 2)
    """)
