"""Calls inside `jax.experimental.checkify`: an index outside is a failed check, on every device."""

import numpy as np
import pytest

import takewise as tw

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")
checkify = pytest.importorskip("jax.experimental.checkify")
export = pytest.importorskip("jax.export")
jnp = jax.numpy

X = np.arange(12.0, dtype="f4").reshape(3, 4)
# Each call of an index that is one beyond, or not: what the check says.
CALLS = {
    "take": (lambda x, i: tw.take(x, i, 0), [0, 2], 3, "take: index 3 is out of bounds for axis 0 with size 3"),
    "take of all": (lambda x, i: tw.take(x, i), [0, 11], 12, "take: index 12 is out of bounds for axis 0 with size 12"),
    "from the end": (lambda x, i: tw.take(x, i, -1), [0, -4], -5, "take: index -5 is out of bounds for axis 1 with size 4"),
    "negative": (lambda x, i: tw.take(x, i, 1, negative=False), [0, 3], -1, "take: index -1 is out of bounds for axis 1 with size 4"),
    "gather": (lambda x, i: tw.gather(x, 1, i[None]), [0, 3], 4, "gather: index 4 is out of bounds for axis 1 with size 4"),
    "gather_nd": (lambda x, i: tw.gather_nd(x, i[None]), [0, 3], 4, "gather_nd: index 4 is out of bounds for axis 1 with size 4"),
    "along": (lambda x, i: tw.take_along_axis(x, i[:, None], 0), [0, 2], 3, "take_along_axis: index 3 is out of bounds for axis 0 with size 3"),
    "scatter_add": (lambda x, i: tw.scatter_add(x, 1, i[None], x), [0, 3], 4, "scatter_add: index 4 is out of bounds for axis 1 with size 4"),
    "index": (lambda x, i: tw.index(x, (slice(None), i)), [0, 3], 4, "index: index 4 is out of bounds for axis 1 with size 4"),
    "at.add": (lambda x, i: tw.at(x)[..., i].add(1.0), [0, 3], 4, r"at(x)[key].add: index 4 is out of bounds for axis 1 with size 4"),
    "in a program": (jax.jit(lambda x, i: tw.take(x, i, 0)), [0, 2], 3, "take: index 3 is out of bounds for axis 0 with size 3"),
    "in a loop": (
        lambda x, i: jax.lax.scan(lambda total, k: (total + tw.take(x, k, 0), None), x[0], i)[0], [0, 2], 3,
        "take: index 3 is out of bounds for axis 0 with size 3",
    ),
    "a gradient": (lambda x, i: jax.grad(lambda x: (tw.take(x, i, 0) ** 2).sum())(x), [0, 2], 3, "index 3 is out of bounds for axis 0 with size 3"),
    "a batch": (lambda x, i: jax.vmap(lambda i: tw.take(x, i, 0))(i), [0, 2], 3, "index 3 is out of bounds for axis 0 with size 3"),
    "a batch of arrays": (lambda x, i: jax.vmap(lambda x: tw.take(x, i))(x), [0, 3], 4, "index 4 is out of bounds for axis 0 with size 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_an_index_outside_is_a_failed_check(name):
    call, inside, wrong, said = CALLS[name]
    checked = jax.jit(checkify.checkify(call))
    error, result = checked(X, np.array(inside))
    assert error.get() is None
    np.testing.assert_array_equal(result, call(jnp.asarray(X), jnp.array(inside)))
    error, _ = checked(X, np.array([inside[0], wrong]))
    assert said in error.get()
    with pytest.raises(checkify.JaxRuntimeError, match="is out of bounds for axis"):
        error.throw()


def test_batches_of_checks():
    error, _ = jax.vmap(checkify.checkify(lambda i: tw.take(X, i, 0)), 0)(jnp.array([0, 9, 1]))
    assert "at mapped index 1: take: index 9 is out of bounds for axis 0 with size 3" in error.get()


def test_other_devices_keep_bounds_by_checks():
    def lowered(call):
        return export.export(jax.jit(call), platforms=["cuda"])(X, np.array([1])).mlir_module()

    call = lambda x, i: tw.take(x, i)
    with pytest.raises(NotImplementedError, match=r'bounds="raise" cannot be kept.*checkify'):
        lowered(call)
    assert "takewise_call" not in lowered(checkify.checkify(call))


def test_what_is_not_asked_for_is_not_checked():
    call = lambda x, i: tw.take(x, i, 0)
    with pytest.raises(Exception, match="index 9 is out of bounds"):
        jax.block_until_ready(jax.jit(checkify.checkify(call, errors=checkify.nan_checks))(X, np.array([9])))
    clipped = checkify.checkify(lambda x, i: tw.take(x, i, 0, bounds="clip"))
    assert clipped(X, np.array([9]))[0].get() is None
    # What runs in main memory only is checked there.
    rows = checkify.checkify(lambda x, o: tw.take_ranges(x, o, size=3)[0])
    with pytest.raises(Exception, match="offset 9"):
        jax.block_until_ready(jax.jit(rows)(X, np.array([0, 9])))
