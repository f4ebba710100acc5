"""Calls inside programs of JAX's: eager, compiled, in batches and in gradients, all functions and policies give the same."""

import functools
import gc
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import takewise as tw
import takewise.jax
from takewise import _catalogue

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")
export = pytest.importorskip("jax.export")
check_grads = pytest.importorskip("jax.test_util").check_grads
jnp = jax.numpy

X = np.arange(12.0, dtype="f4").reshape(3, 4) - 5
I = np.array([[2, -1, 0], [1, 1, -2]], "i4")
V = np.array([[0.5, -2, 3], [7, 1.25, -4]], "f4")
ROWS = np.array([2, 0, -1, 2], "i4")
SRC = np.arange(16.0, dtype="f4").reshape(4, 4) / 4 - 2
OFFSETS = np.array([0, 2, 2, 3], "i4")

# Each function: a call of it, and the arrays of the call.
READS = {
    "take": (lambda x, i, **k: tw.take(x, i, **k), X, I),
    "take, axis": (lambda x, i, **k: tw.take(x, i, 1, **k), X, I),
    "take, batch_dims": (lambda x, i, **k: tw.take(x, i, batch_dims=1, **k), X[:2], I),
    "gather": (lambda x, i, **k: tw.gather(x, 1, i, **k), X, I),
    "index_select": (lambda x, i, **k: tw.index_select(x, 0, i, **k), X, ROWS),
    "take_along_axis": (lambda x, i, **k: tw.take_along_axis(x, i, 1, **k), X[:2], I),
    "take_along_dim": (lambda x, i, **k: tw.take_along_dim(x, i, 0, **k), X[:, :3], I),
    "gather_nd": (lambda x, i, **k: tw.gather_nd(x, i, **k), X, I[:, :2]),
    "index": (lambda x, i, **k: tw.index(x, (slice(None, None, -1), i), **k), X, I),
    "oindex": (lambda x, i, **k: tw.oindex(x, (i, [0, 1]), **k), X, ROWS),
    "vindex": (lambda x, i, **k: tw.vindex(x, (i, slice(1, None)), **k), X, ROWS),
    "at.get": (lambda x, i, **k: tw.at(x)[i, None, 1].get(**k), X, ROWS),
}
WRITES = {
    "scatter": (lambda x, i, v, **k: tw.scatter(x, 1, i, v, **k), X, I, V),
    "scatter, mean": (lambda x, i, v, **k: tw.scatter(x, 1, i, v, "mean", **k), X, I, V),
    "scatter_add": (lambda x, i, v, **k: tw.scatter_add(x, 1, i, v, **k), X, I, V),
    "scatter_reduce, max": (lambda x, i, v, **k: tw.scatter_reduce(x, 1, i, v, "max", **k), X, I, V),
    "scatter_reduce, prod": (lambda x, i, v, **k: tw.scatter_reduce(x, 1, i, v, "prod", include_self=False, **k), X, I, V),
    "index_add": (lambda x, i, v, **k: tw.index_add(x, 0, i, v, alpha=2.0, **k), X, ROWS, SRC),
    "index_copy": (lambda x, i, v, **k: tw.index_copy(x, 0, i, v, **k), X, ROWS, SRC),
    "index_reduce": (lambda x, i, v, **k: tw.index_reduce(x, 0, i, v, "min", **k), X, ROWS, SRC),
    "index_fill": (lambda x, i, v, **k: tw.index_fill(x, 0, i, 2.5, **k), X, ROWS, SRC),
    "put": (lambda x, i, v, **k: tw.put(x, i, v, **k), X, I, V),
    "put, accumulate": (lambda x, i, v, **k: tw.put(x, i, v, True, **k), X, I, V),
    "tensor_scatter": (lambda x, i, v, **k: tw.tensor_scatter(x, i[:, :2], v[:, 0], **k), X, I, V),
    "scatter_nd": (lambda x, i, v, **k: tw.scatter_nd(i[:, :2], v[:, 0], (3, 4), **k), X, I, V),
    "index_put": (lambda x, i, v, **k: tw.index_put(x, (i, slice(None)), v, **k), X, ROWS, SRC),
    "at.set": (lambda x, i, v, **k: tw.at(x)[i].set(v, **k), X, ROWS, SRC),
    "at.set, number": (lambda x, i, v, **k: tw.at(x)[i, 1:].set(-1, **k), X, ROWS, SRC),
    "at.add": (lambda x, i, v, **k: tw.at(x)[i].add(v, **k), X, ROWS, SRC),
    "at.mul": (lambda x, i, v, **k: tw.at(x)[i].mul(v, **k), X, ROWS, SRC),
    "at.max": (lambda x, i, v, **k: tw.at(x)[i].max(v, **k), X, ROWS, SRC),
}
# What has no values that could be outside.
OTHERS = {
    "masked_fill": (lambda x, m: tw.masked_fill(x, m, 9.5), X, X > 0),
    "masked_scatter": (lambda x, m: tw.masked_scatter(x, m, x.reshape(-1)), X, X > 0),
    "where": (lambda x, m: tw.where(m, x, 2.5), X, X > 0),
    "copy": (lambda x, m: tw.copy(x), X, X > 0),
    "searchsorted": (lambda x, v: tw.searchsorted(x, v, right=True), np.sort(X), np.array([[1.5], [0], [6]], "f4")),
    "bucketize": (lambda x, v: tw.bucketize(v, x), X[0], V),
    "pad_ranges": (lambda x, o: tw.pad_ranges(x, o, width=2, fill_value=-1), X, OFFSETS),
    "reduce_ranges": (lambda x, o: tw.reduce_ranges(x, o, "sum"), X, OFFSETS),
    "searchsorted_ranges": (lambda x, o: tw.searchsorted_ranges(jnp.arange(3.0), o, x[:, 0]), X, OFFSETS),
    "pad_ranges, mask": (lambda x, o: tw.pad_ranges(x, o, width=2, mask=True), X, OFFSETS),
    "take_ranges": (lambda x, o: tw.take_ranges(x, o, [1, 2, 0], size=5, fill_value=-1), X, OFFSETS),
    "take_ranges, cut": (lambda x, o: tw.take_ranges(x, o, axis=1, size=2), X, OFFSETS),
    "nonzero": (lambda x, m: tw.nonzero(m, size=8, fill_value=-1), X, X > 0),
    "nonzero, cut": (lambda x, m: tw.nonzero(m, as_tuple=True, size=2), X, X > 0),
    "nonzero, number": (lambda x, m: tw.nonzero(m[2, 3], size=2), X, X > 0),
    "nonzero, nothing": (lambda x, m: tw.nonzero(m[:0], size=2, fill_value=3), X, X > 0),
    "index, positions": (lambda x, m: tw.index(x, tw.nonzero(m, as_tuple=True, size=9, fill_value=3), bounds="fill", fill_value=0), X, X > 0),
    "offsets_of": (lambda x, i: tw.offsets_of(i, rows=4), X, np.array([0, 1, 1], "i4")),
}
CALLS = {**READS, **WRITES, **OTHERS}
POLICIES = [
    {"bounds": bounds, "negative": negative} for bounds in ("raise", "wrap", "clip", "fill", "drop") for negative in (True, False)
]


def outside(arrays):
    """The arrays with some index values outside."""
    return [np.where(a % 3 == 1, a + 7, a).astype("i4") if a.dtype.kind == "i" else a for a in arrays]


def same(got, want):
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert isinstance(one, jax.Array) and (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one, other)


def eager(call, arrays, **policy):
    """The result, or the exception."""
    try:
        return call(*map(jnp.asarray, arrays), **policy)
    except (IndexError, ValueError) as error:
        return error


def compiled(call, arrays, **policy):
    try:
        with takewise.jax.errors():
            return jax.block_until_ready(jax.jit(functools.partial(call, **policy))(*arrays))
    except (IndexError, ValueError) as error:
        return error


def agrees(got, want):
    if not isinstance(want, Exception):
        return same(got, want)
    assert type(got) is type(want) and str(got) == str(want)
    for name in ("axis", "position", "value", "size"):
        assert getattr(got, name) == getattr(want, name)
    return None


@pytest.mark.parametrize("name", CALLS)
def test_compiled_as_eager(name):
    call, *arrays = CALLS[name]
    want = eager(call, arrays)
    assert not isinstance(want, Exception), want
    agrees(compiled(call, arrays), want)
    shapes = jax.eval_shape(call, *arrays)
    assert [(s.shape, s.dtype) for s in jax.tree.leaves(shapes)] == [(w.shape, w.dtype) for w in jax.tree.leaves(want)]


@pytest.mark.parametrize("name", {**READS, **WRITES})
def test_policies(name):
    call, *arrays = CALLS[name]
    for given in (arrays, outside(arrays)):
        for policy in POLICIES:
            agrees(compiled(call, given, **policy), eager(call, given, **policy))


@pytest.mark.parametrize("name", [name for name in WRITES if "scatter_nd" not in name])
def test_duplicates(name):
    call, *arrays = CALLS[name]
    for duplicates in ("first", "error"):
        want = eager(call, arrays, duplicates=duplicates)
        try:
            got = compiled(call, arrays, duplicates=duplicates)
        except ValueError as error:
            got = error
        agrees(got, want)


@pytest.mark.parametrize("name", CALLS)
def test_batches(name):
    call, *arrays = CALLS[name]
    few = [np.stack([a, a[::-1]]) if a is arrays[0] and "ranges" not in name and "sorted" not in name else np.stack([a, a]) for a in arrays]
    for axes in ([0] * len(arrays), [0] + [None] * (len(arrays) - 1), [None] * (len(arrays) - 1) + [0]):
        given = [two if axis == 0 else one for one, two, axis in zip(arrays, few, axes, strict=True)]
        parts = [call(*(jnp.asarray(g[k] if axis == 0 else g) for g, axis in zip(given, axes, strict=True))) for k in range(2)]
        want = jax.tree.map(lambda *leaves: jnp.stack(leaves), *parts)
        batched = jax.vmap(call, in_axes=tuple(axes))
        same(batched(*given), want)
        same(jax.jit(batched)(*given), want)
    # A batch of batches, along another axis.
    deep = [np.stack([two, two], -1) for two in few]
    twice = jax.vmap(jax.vmap(call, in_axes=0), in_axes=-1)(*deep)
    same(twice, jax.tree.map(lambda one: jnp.stack([one, one]), jax.vmap(call)(*few)))


DIFFERENTIABLE = [name for name in CALLS if "sorted" not in name and "nonzero" not in name and name not in ("bucketize", "offsets_of")]


def floats(arrays):
    return tuple(k for k, a in enumerate(arrays) if a.dtype.kind == "f")


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name):
    call, *arrays = CALLS[name]
    # No two values are the same, so extremes have derivatives.
    arrays = [a + np.linspace(0, 0.3, a.size, dtype="f4").reshape(a.shape) if a.dtype.kind == "f" else a for a in arrays]
    moved = floats(arrays)

    def function(*values):
        given = list(arrays)
        for k, value in zip(moved, values, strict=True):
            given[k] = value
        # Offsets and masks beside a result do not move.
        return jax.tree.leaves(call(*given))[0]

    values = [arrays[k] for k in moved]
    check_grads(jax.jit(function), values, order=1, modes=("fwd", "rev"), atol=2e-2, rtol=2e-2, eps=1e-2)
    weights = np.cos(np.arange(math.prod(function(*map(jnp.asarray, values)).shape), dtype="f4"))

    def loss(*values):
        return jnp.vdot(function(*values) ** 2, weights.reshape(function(*values).shape))

    want = jax.grad(loss, tuple(range(len(values))))(*values)
    for other in (jax.jit(jax.grad(loss, tuple(range(len(values))))), jax.grad(jax.checkpoint(loss), tuple(range(len(values))))):
        for one, expected in zip(other(*values), want, strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-6)


def test_derivatives_are_jaxs_own():
    i = np.array([2, 0, 2, -1])

    def pair(ours, theirs):
        for x in (X, X + 1j):
            ours_x, theirs_x = (jax.jit(jax.jacrev(f, holomorphic=x.dtype.kind == "c"))(x) for f in (ours, theirs))
            np.testing.assert_allclose(ours_x, theirs_x)

    pair(lambda x: tw.take(x, i, 0), lambda x: x[i])
    pair(lambda x: tw.take(x, [9, 1], bounds="fill"), lambda x: jnp.take(x, np.array([9, 1])))
    pair(lambda x: tw.at(x)[i].add(2 * x[:1]), lambda x: x.at[i].add(2 * x[:1]))
    pair(lambda x: tw.at(x)[1, 1:].set(x[0, 1:]), lambda x: x.at[1, 1:].set(x[0, 1:]))
    pair(lambda x: tw.masked_fill(x, X > 0, 1), lambda x: jnp.where(X > 0, 1, x))


@pytest.mark.parametrize("name", ["take", "gather", "scatter", "scatter_add", "at.add", "scatter, mean", "scatter_reduce, max"])
def test_second_derivatives_and_batches_of_gradients(name):
    call, *arrays = CALLS[name]
    loss = lambda x: (call(x, *arrays[1:]) ** 3).sum()
    per = jax.vmap(jax.grad(loss))(np.stack([X, 2 * X]))
    np.testing.assert_allclose(per, np.stack([jax.grad(loss)(X), jax.grad(loss)(2 * X)]), rtol=1e-6)
    forward = jax.jacfwd(jax.grad(loss))(X)
    reverse = jax.jit(jax.jacrev(jax.grad(loss)))(X)
    np.testing.assert_allclose(forward, reverse, rtol=1e-5)
    check_grads(jax.grad(loss), [X / 4], order=1, modes=("fwd", "rev"), atol=3e-2, rtol=3e-2, eps=1e-3)


def test_what_has_no_derivative_says_so():
    with pytest.raises(NotImplementedError, match="second derivatives of reduce='prod'"):
        jax.hessian(lambda x: tw.scatter_reduce(x, 0, [[0, 0, 0, 0]], X[:1], "prod").sum())(X)
    with pytest.raises(Exception, match="no record for gradients|no derivative"):
        jax.grad(lambda x: tw.scatter_reduce(x, 0, [[0, 0, 0, 0]], X[:1], "first").sum())(X)
    with pytest.raises(NotImplementedError, match="at a mask has no derivative under JAX: use where"):
        jax.jit(jax.grad(lambda x: tw.at(x)[x > 0].max(1.0).sum()))(X)
    with pytest.raises(NotImplementedError, match="complex"):
        jax.grad(lambda x: abs(tw.scatter_reduce(x, 0, [[0, 0]], X[:1, :2] + 1j, "prod").sum()))(X + 0j)


def test_errors_keep_place_and_value():
    take = jax.jit(lambda x, i: tw.take(x, i, axis=1))
    i = np.array([[0, 1], [2, 9]])
    with pytest.raises(Exception, match=r"index 9 is out of bounds for axis 1 with size 4(.|\n)*position \[1, 1\]") as caught:
        take(X, i).block_until_ready()
    own = takewise.jax.error_of(caught.value)
    assert isinstance(own, tw.exceptions.IndexError) and (own.axis, own.position, own.value, own.size) == (1, (1, 1), 9, 4)
    assert str(own) == str(eager(lambda x, i: tw.take(x, i, axis=1), (X, i)))
    with pytest.raises(IndexError) as caught, takewise.jax.errors():
        take(X, i).block_until_ready()
    assert caught.value.__cause__ is not None
    with pytest.raises(KeyError), takewise.jax.errors():
        raise KeyError
    # Gradients and batches outside of programs are waited for: their errors are ours.
    with pytest.raises(tw.exceptions.IndexError):
        jax.grad(lambda x: tw.take(x, i).sum())(X[0])
    with pytest.raises(Exception, match="in part 1 of the batch"):
        jax.block_until_ready(jax.jit(jax.vmap(lambda x, i: tw.take(x, i)))(X[:2], np.array([[0], [4]])))
    assert take(X, i % 4).shape == (3, 2, 2)


def test_nothing_is_written_after_a_bad_index():
    x = np.arange(8.0, dtype="f4")
    given = jnp.asarray(x)
    with pytest.raises(Exception, match="index 9 is out of bounds"):
        jax.block_until_ready(jax.jit(lambda x: tw.at(x)[np.array([0, 9])].set(-1.0))(given))
    assert np.array_equal(given, x)


def test_writes_take_the_memory_that_is_given_away():
    x = jnp.arange(1000.0)
    place = x.unsafe_buffer_pointer()
    changed = jax.jit(lambda x, i: tw.at(x)[i].add(1.0), donate_argnums=0)(x, np.array([3, 3]))
    assert changed.unsafe_buffer_pointer() == place and x.is_deleted() and float(changed[3]) == 5
    kept = jnp.arange(10.0)
    both = jax.jit(lambda x: (tw.at(x)[0].set(7.0), x))(kept)
    assert both[0][0] == 7 and both[1][0] == 0


def test_what_depends_on_values_is_refused_with_what_to_pass():
    mask = X > 0
    for call, word in (
        (lambda x: tw.nonzero(x), "by size="),
        (lambda x: tw.where(x > 0), "size="),
        (lambda x: tw.masked_select(x, mask), r"where\(mask.*size="),
        (lambda x: tw.index(x, x > 0), r"depends on values.*where\(mask.*size="),
        (lambda x: tw.take_ranges(x, OFFSETS), "by size="),
        (lambda x: tw.range_positions(OFFSETS, x[0].astype(int)), "by size=|take_ranges"),
        (lambda x: tw.repeat_ranges(x, OFFSETS), "take_ranges"),
        (lambda x: tw.nonzero(x, size=x[0, 0].astype(int)), "size"),
        (lambda x: tw.pad_ranges(x, OFFSETS), "width="),
        (lambda x: tw.offsets_of(x[0].astype(int)), "rows="),
        (lambda x: tw.scatter_(x, 1, I, V), "use scatter"),
        (lambda x: tw.put_along_axis(x, I, V, 1), "at"),
        (lambda x: tw.at(x)[0].set_(1), r"use at\(x\)\[key\]\.set"),
        (lambda x: tw.take(x, I, out=X), "out="),
        (lambda x: tw.take(X, I, bounds="fill", fill_value=x[0, 0]), "fill_value"),
        (lambda x: tw.at(x)[: x[0, 0].astype(int)].get(), "dynamic_slice"),
        (lambda x: tw.take(x, np.array([2**40])), "64 bits"),
    ):
        with pytest.raises((TypeError, OverflowError), match=word):
            jax.jit(call)(X)
    for call in (lambda x: tw.take(x, I, nonsense=1), lambda x: tw.take(x, I, axis=7), lambda x: tw.gather(x, 1, I[0]), lambda x: tw.take(x, X)):
        with pytest.raises((TypeError, ValueError, IndexError)):
            jax.jit(call)(X)


def test_sizes_that_are_none():
    for call in (lambda x: tw.nonzero(x, size=-1), lambda x: tw.take_ranges(x, OFFSETS, size=-1)):
        for x in (X, jnp.asarray(X)):
            with pytest.raises(ValueError, match="size must be at least 0, not -1"):
                call(x)
        with pytest.raises(ValueError, match="size must be at least 0, not -1"):
            jax.jit(call)(X)
    for call in (tw.nonzero, jax.jit(functools.partial(tw.nonzero, size=2, fill_value=0.5))):
        with pytest.raises(OverflowError, match="nonzero"):
            call(X, size=20, fill_value=0.5) if call is tw.nonzero else call(X)


def test_masks_of_known_values_select():
    keep = np.array([True, False, True])
    same(jax.jit(lambda x: tw.index(x, keep))(X), jnp.asarray(X[keep]))
    same(jax.jit(lambda x: tw.at(x)[..., [True, False, True, True]].get())(X), jnp.asarray(X[:, [0, 2, 3]]))
    with pytest.raises(IndexError, match="does not fit axis 0"):
        jax.jit(lambda x: tw.index(x, np.ones(2, bool)))(X)
    same(jax.jit(lambda x, m: tw.at(x)[m].set(0))(X, X > 0), jnp.where(X > 0, 0, X))


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "f2", "bfloat16", "f4", "c8"])
def test_dtypes(dtype):
    x = jnp.asarray(X > 0 if dtype == "bool" else abs(X), dtype)
    for call in (
        lambda x: tw.take(x, [1, 9], bounds="fill"),
        lambda x: tw.at(x)[1:].set(x[0]),
        lambda x: tw.scatter_reduce(x, 0, [[1, 0, 1, 1]], x[:1], "max") if dtype != "c8" else x,
    ):
        same(jax.jit(call)(x), call(x))


def test_narrow_dtypes_are_refused_by_name():
    with pytest.raises(NotImplementedError, match="int4"):
        jax.jit(lambda x: tw.take(x, [0]))(jnp.ones(3, "int4"))


def test_loops_and_disabled_compilation():
    def step(total, i):
        return total + tw.take(jnp.arange(5.0), i), tw.at(total)[None].get()

    total, rows = jax.lax.scan(step, jnp.float32(0), jnp.array([4, 0, -1]))
    assert float(total) == 8 and rows.shape == (3, 1)
    with jax.disable_jit():
        assert float(jax.grad(lambda x: tw.take(x, [0, 0]).sum())(jnp.ones(2))[0]) == 2


def test_programs_are_let_go():
    call = jax.jit(lambda x: tw.take(x, [0]))
    call(X)
    del call
    gc.collect()


def test_other_devices():
    """What is lowered for them is JAX's own, by the same rules."""
    from takewise._jax import _elsewhere, _primitive

    for name, (call, *arrays) in {**READS, **WRITES}.items():
        if name in ("take, batch_dims", "oindex", "vindex", "scatter, mean", "scatter_reduce, prod", "scatter_nd"):
            continue
        for policy in ({"bounds": "fill"}, {"bounds": "drop"}, {"bounds": "clip", "negative": False}, {"bounds": "wrap"}):
            given = outside(arrays)
            jaxpr = jax.make_jaxpr(functools.partial(call, **policy))(*given)
            (equation,) = [e for e in jaxpr.eqns if e.primitive is _primitive.primitive]
            want = eager(call, given, **policy)
            consts = dict(zip(jaxpr.jaxpr.constvars, jaxpr.consts, strict=True)) | dict(zip(jaxpr.jaxpr.invars, given, strict=True))
            if all(v in consts for v in equation.invars):
                got = _elsewhere.results(*(jnp.asarray(consts[v]) for v in equation.invars), **equation.params)
                np.testing.assert_allclose(got[0], want, err_msg=f"{name} {policy}")
    text = export.export(jax.jit(lambda x: tw.take(x, [1, 9], bounds="clip")), platforms=["cuda"])(X).mlir_module()
    assert "takewise_call" not in text
    with pytest.raises(NotImplementedError, match='bounds="raise" cannot be kept'):
        export.export(jax.jit(lambda x: tw.take(x, [1])), platforms=["cuda"])(X)


SEVERAL = """
import jax, numpy as np, takewise as tw
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
assert len(jax.devices()) == 4
x, i = np.arange(32.0, dtype="f4").reshape(8, 4), np.arange(8).reshape(8, 1) % 4
mesh = Mesh(np.array(jax.devices()), ("rows",))
shared = jax.device_put(x, NamedSharding(mesh, P("rows")))
got = jax.jit(lambda x, i: tw.gather(x, 1, i))(shared, i)
assert np.array_equal(got, np.take_along_axis(x, i, 1))
got = jax.jit(lambda x: tw.at(x)[[0, 7]].add(1.0), donate_argnums=0)(shared)
assert np.array_equal(got, x + np.isin(np.arange(8), [0, 7])[:, None])
each = jax.pmap(lambda x, i: tw.gather(x, 1, i))(x.reshape(4, 2, 4), i.reshape(4, 2, 1))
assert np.array_equal(each.reshape(8, 1), np.take_along_axis(x, i, 1))
try:
    jax.block_until_ready(jax.pmap(lambda x, i: tw.gather(x, 1, i))(x.reshape(4, 2, 4), i.reshape(4, 2, 1) + 2))
except Exception as error:
    assert "index 4 is out of bounds" in str(error), error
else:
    raise AssertionError
"""


def test_several_devices():
    flags = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", SEVERAL], env=flags, capture_output=True, text=True)
    assert not done.returncode, done.stderr[-3000:]


def test_the_catalogue_knows_all_functions():
    """Every function of the catalogue has an answer to traced arrays: a result, or a refusal in words."""
    covered = {name.partition(",")[0] for name in CALLS if not name.startswith("at.")}
    refused = {"masked_select", "pack_ranges", "repeat_ranges", "range_ids", "range_positions"}
    later = {"put_ranges"}
    assert covered | refused | later | _catalogue.IN_PLACE | _catalogue.THEIRS == set(_catalogue.NAMES)


def test_subnormal_numbers_are_what_they_are():
    # XLA takes them for zero, and a search for zero looks just below it.
    sequence, sought = np.array([-1, 0, 0, 1e-40, 2], "f4"), np.array([0, -0.0, 1e-40, -1e-40], "f4")
    for right in (False, True):
        got = jax.jit(lambda s, v, right=right: tw.searchsorted(s, v, right=right))(sequence, sought)
        np.testing.assert_array_equal(got, tw.searchsorted(sequence, sought, right=right))
    small = np.full(3, 1e-40, "f4")
    got = jax.jit(lambda x, v: tw.scatter_add(x, 0, np.array([1, 1]), v))(small, small[:2])
    np.testing.assert_array_equal(np.asarray(got), tw.scatter_add(small, 0, np.array([1, 1]), small[:2]))
