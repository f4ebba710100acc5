"""Batches of calls in programs of JAX's give what each part gives outside, whichever arrays have the batch; so do their errors."""

import itertools

import numpy as np
import pytest

import takewise
import takewise.jax

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")
jnp = jax.numpy

BATCH = 3
RANDOM = np.random.default_rng(7)
at = takewise.at


def numbers(*shape):
    return RANDOM.integers(-9, 9, shape).astype("f4")


def places(length, *shape):
    return RANDOM.integers(-length, length, shape).astype("i4")


def apart(length, *shape):
    """Places that do not meet along the last axis."""
    return np.stack([RANDOM.permutation(length)[: shape[-1]] for _ in range(int(np.prod(shape[:-1])))]).reshape(shape).astype("i4")


def masks(*shape):
    return RANDOM.random(shape) < 0.5


# Each call, and a function that draws its arrays.
CALLS = {
    "take flat": (lambda x, i: takewise.take(x, i), lambda: (numbers(3, 4), places(12, 2, 5))),
    "take first": (lambda x, i: takewise.take(x, i, axis=0), lambda: (numbers(3, 4), places(3, 5))),
    "take last": (lambda x, i: takewise.take(x, i, axis=-1), lambda: (numbers(2, 3, 4), places(4, 2, 2))),
    "take one": (lambda x, i: takewise.take(x, i, axis=1), lambda: (numbers(2, 5), places(5))),
    "take pairs": (lambda x, i: takewise.take(x, i, axis=1, batch_dims=1), lambda: (numbers(2, 5), places(5, 2, 3))),
    "take none": (lambda x, i: takewise.take(x, i, axis=0), lambda: (numbers(3, 4), places(3, 0))),
    "take clip": (lambda x, i: takewise.take(x, i, axis=0, bounds="clip"), lambda: (numbers(3, 4), places(9, 6))),
    "take fill": (lambda x, i: takewise.take(x, i, axis=0, bounds="fill", fill_value=5), lambda: (numbers(3), places(9, 6))),
    "index_select": (lambda x, i: takewise.index_select(x, -1, i), lambda: (numbers(3, 4), places(4, 5))),
    "index_select of a list": (lambda x, i: takewise.index_select(x, 0, i), lambda: (numbers(4), places(4, 5))),
    "gather": (lambda x, i: takewise.gather(x, 1, i), lambda: (numbers(3, 4), places(4, 2, 6))),
    "gather of a list": (lambda x, i: takewise.gather(x, -1, i), lambda: (numbers(4), places(4, 6))),
    "take_along_axis": (lambda x, i: takewise.take_along_axis(x, i, axis=0), lambda: (numbers(3, 4), places(3, 2, 4))),
    "take_along_axis one": (lambda x, i: takewise.take_along_axis(x, i, axis=0), lambda: (numbers(3, 4), places(3, 2, 1))),
    "take_along_axis flat": (lambda x, i: takewise.take_along_axis(x, i, axis=None), lambda: (numbers(3, 4), places(12, 5))),
    "gather_nd": (lambda x, i: takewise.gather_nd(x, i), lambda: (numbers(3, 4), places(3, 5, 2))),
    "gather_nd of rows": (lambda x, i: takewise.gather_nd(x, i), lambda: (numbers(3, 4, 2), places(3, 2, 5, 2))),
    "gather_nd of one": (lambda x, i: takewise.gather_nd(x, i), lambda: (numbers(3, 4), places(3, 2))),
    "gather_nd of none": (lambda x, i: takewise.gather_nd(x, i), lambda: (numbers(3, 4), places(3, 2, 0))),
    "gather_nd pairs": (lambda x, i: takewise.gather_nd(x, i, batch_dims=1), lambda: (numbers(2, 4), places(4, 2, 3, 1))),
    "gather_nd fill": (lambda x, i: takewise.gather_nd(x, i, bounds="fill", fill_value=5), lambda: (numbers(3, 4), places(6, 5, 2))),
    "scatter": (lambda x, i, v: takewise.scatter(x, 1, i, v), lambda: (numbers(3, 4), apart(4, 2, 3), numbers(2, 3))),
    "scatter a number": (lambda x, i: takewise.scatter(x, 0, i, 7), lambda: (numbers(4), apart(4, 3))),
    "scatter_add": (lambda x, i, v: takewise.scatter_add(x, 0, i, v), lambda: (numbers(4, 2), places(4, 5, 2), numbers(5, 2))),
    "index_add": (lambda x, i, v: takewise.index_add(x, 1, i, v), lambda: (numbers(2, 4), places(4, 5), numbers(2, 5))),
    "index_add to a list": (lambda x, i, v: takewise.index_add(x, 0, i, v), lambda: (numbers(4), places(4, 5), numbers(5))),
    "index_add times": (lambda x, i, v: takewise.index_add(x, 0, i, v, 3), lambda: (numbers(4, 2), places(4, 5), numbers(5, 2))),
    "index_add to the last": (lambda x, i, v: takewise.index_add(x, -1, i, v), lambda: (numbers(2, 3, 4), places(4, 5), numbers(2, 3, 5))),
    "index_add drop": (
        lambda x, i, v: takewise.index_add(x, 1, i, v, bounds="drop"),
        lambda: (numbers(2, 4), places(9, 5), numbers(2, 5)),
    ),
    "index_add of halves": (
        lambda x, i, v: takewise.index_add(x, 0, i, v),
        lambda: ((numbers(2) / 7).astype("f2"), places(2, 40), (numbers(40) / 7).astype("f2")),
    ),
    "index_copy": (lambda x, i, v: takewise.index_copy(x, 1, i, v), lambda: (numbers(2, 4), places(4, 6), numbers(2, 6))),
    "index_copy first": (
        lambda x, i, v: takewise.index_copy(x, 0, i, v, duplicates="first"),
        lambda: (numbers(4, 2), places(4, 6), numbers(6, 2)),
    ),
    "index_reduce": (
        lambda x, i, v: takewise.index_reduce(x, 1, i, v, "amax"),
        lambda: (numbers(2, 4) / 7, places(4, 5), numbers(2, 5) / 8),
    ),
    "index_reduce alone": (
        lambda x, i, v: takewise.index_reduce(x, 0, i, v, "sum", include_self=False),
        lambda: (numbers(4, 2), places(4, 5), numbers(5, 2)),
    ),
    "index_fill of a list": (lambda x, i: takewise.index_fill(x, 0, i, 8), lambda: (numbers(4), places(4, 2))),
    "index_fill": (lambda x, i, v: takewise.index_fill(x, 0, i, v), lambda: (numbers(4, 2), places(4, 2), numbers())),
    "put": (lambda x, i, v: takewise.put(x, i, v, accumulate=True), lambda: (numbers(4, 2), places(8, 5), numbers(5))),
    "put a square": (lambda x, i, v: takewise.put(x, i, v), lambda: (numbers(4, 2), apart(8, 1, 4).reshape(2, 2), numbers(4))),
    "put a number": (lambda x, i: takewise.put(x, i, 3, accumulate=True), lambda: (numbers(4, 2), places(8, 5))),
    "tensor_scatter": (
        lambda x, i, v: takewise.tensor_scatter(x, i, v),
        lambda: (numbers(3, 4), np.stack([apart(3, 3), apart(4, 3)], -1), numbers(3)),
    ),
    "tensor_scatter rows": (
        lambda x, i, v: takewise.tensor_scatter(x, i, v, "sum"),
        lambda: (numbers(3, 4), places(3, 2, 5, 1), numbers(2, 5, 4)),
    ),
    "tensor_scatter a number": (lambda x, i: takewise.tensor_scatter(x, i, 7), lambda: (numbers(3, 4), places(3, 5, 2))),
    "scatter_nd": (lambda i, v: takewise.scatter_nd(i, v, (3, 4)), lambda: (places(3, 5, 2), numbers(5))),
    "scatter_nd rows": (lambda i, v: takewise.scatter_nd(i, v, (3, 4)), lambda: (places(3, 5, 1), numbers(5, 4))),
    "set at a mask": (lambda x, m: at(x)[m].set(7), lambda: (numbers(3, 4), masks(3, 4))),
    "set rows at a mask": (lambda x, m, v: at(x)[m].set(v), lambda: (numbers(3, 4), masks(3), numbers(4))),
    "add at a mask": (lambda x, m, v: at(x)[m].add(v), lambda: (numbers(3, 4), masks(3, 4), numbers())),
    "add rows at a mask": (lambda x, m, v: at(x)[m].add(v), lambda: (numbers(3, 4), masks(3), numbers(1, 4))),
    "add behind a mask": (lambda x, m: at(x)[..., m].add(1), lambda: (numbers(3, 4), masks(4))),
    "masked_fill": (lambda x, m, v: takewise.masked_fill(x, m, v), lambda: (numbers(3, 4), masks(4), numbers())),
    "masked_scatter": (lambda x, m, v: takewise.masked_scatter(x, m, v), lambda: (numbers(3, 4), masks(4), numbers(12))),
    "reduce_ranges": (lambda x, o: takewise.reduce_ranges(x, o), lambda: (numbers(6, 2), np.sort(places(6, 3) % 6))),
    "reduce_ranges in columns": (
        lambda x, o: takewise.reduce_ranges(x, o, "max", axis=1, empty=0),
        lambda: (numbers(2, 6) / 7, np.sort(places(6, 3) % 6)),
    ),
    "key": (lambda x, i: takewise.index(x, i), lambda: (numbers(3, 4), places(3, 2, 2))),
    "key of two": (lambda x, i, j: takewise.index(x, (i, j)), lambda: (numbers(3, 4, 2), places(3, 5), places(4, 2, 5))),
    "key and a number": (lambda x, i: takewise.index(x, (1, i)), lambda: (numbers(3, 4, 2), places(4, 5))),
    "key apart": (lambda x, i, j: takewise.index(x, (i, slice(None, None, 2), j)), lambda: (numbers(3, 4, 2), places(3, 5), places(2, 5))),
    "key of a number apart": (lambda x, i: takewise.index(x, (1, slice(None), i)), lambda: (numbers(3, 4, 2), places(2, 5))),
    "key behind a slice": (lambda x, i: takewise.index(x, (slice(1, None), i)), lambda: (numbers(3, 4, 2), places(4, 5))),
    "key at the end": (lambda x, i: takewise.index(x, (..., i, None)), lambda: (numbers(3, 4, 2), places(2, 5))),
    "key with a new axis": (lambda x, i: takewise.index(x, (None, i)), lambda: (numbers(3, 4), places(3, 5))),
    "key of places": (lambda x, i: takewise.index(x, (i, i)), lambda: (numbers(3, 4), places(3))),
    "key of slices": (lambda x: takewise.index(x, (slice(1, 3), None, -1)), lambda: (numbers(3, 4),)),
    "set": (lambda x, i, v: at(x)[i].set(v), lambda: (numbers(5, 4), apart(5, 3), numbers(3, 4))),
    "set wide": (lambda x, i, v: at(x)[i].set(v), lambda: (numbers(5, 4), apart(5, 3), numbers(4))),
    "set a number": (lambda x, i: at(x)[i, 1:].set(2), lambda: (numbers(5, 4), apart(5, 3))),
    "add": (lambda x, i, j, v: at(x)[i, j].add(v), lambda: (numbers(5, 4, 2), places(5, 3, 1), places(4, 6), numbers(6, 2))),
    "add apart": (lambda x, i, j, v: at(x)[i, :, j].add(v), lambda: (numbers(5, 4, 2), places(5, 3), places(2, 3), numbers(3, 1))),
    "add at the end": (lambda x, i, v: at(x)[..., i].add(v), lambda: (numbers(5, 4), places(4, 3), numbers(5, 1))),
    "searchsorted": (lambda s, v: takewise.searchsorted(s, v), lambda: (np.sort(numbers(6)), numbers(2, 3))),
    "searchsorted one": (lambda s, v: takewise.searchsorted(s, v, right=True), lambda: (np.sort(numbers(6)), numbers())),
    "searchsorted in rows": (lambda s, v: takewise.searchsorted(s, v), lambda: (np.sort(numbers(2, 6)), numbers(2, 3))),
    "searchsorted in columns": (lambda s, v: takewise.searchsorted(s, v, axis=0), lambda: (np.sort(numbers(6, 2), 0), numbers(3, 2))),
    "bucketize": (lambda v, s: takewise.bucketize(v, s), lambda: (numbers(2, 3), np.sort(numbers(6)))),
}  # fmt: skip


def eager(call, arrays):
    return np.asarray(call(*map(jnp.asarray, arrays)))


@pytest.mark.parametrize("name", CALLS)
def test_parts_as_outside(name):
    call, draw = CALLS[name]
    parts = [draw() for _ in range(BATCH)]
    stacks = [np.stack(each) for each in zip(*parts, strict=True)]
    for axes in itertools.product((0, None), repeat=len(stacks)):
        if axes == (None,) * len(axes):
            continue
        given = [stack if axis == 0 else stack[0] for stack, axis in zip(stacks, axes, strict=True)]
        want = [eager(call, [one if axis is None else one[k] for one, axis in zip(given, axes, strict=True)]) for k in range(BATCH)]
        got = jax.jit(jax.vmap(call, in_axes=axes))(*given)
        np.testing.assert_array_equal(got, np.stack(want), err_msg=f"{axes}")
        assert got.dtype == want[0].dtype


@pytest.mark.parametrize("name", CALLS)
def test_batches_of_batches(name):
    call, draw = CALLS[name]
    arrays = [np.stack(each) for each in zip(*(draw() for _ in range(BATCH * 2)), strict=True)]
    want = np.stack([eager(call, part) for part in zip(*arrays, strict=True)])
    arrays = [one.reshape(2, BATCH, *one.shape[1:]) for one in arrays]
    got = jax.jit(jax.vmap(jax.vmap(call)))(*arrays)
    np.testing.assert_array_equal(got, want.reshape(got.shape))
    # The first of the arrays is that of the outer batch alone.
    inner = (None, *[0] * (len(arrays) - 1))
    if len(arrays) > 1:
        got = jax.jit(jax.vmap(jax.vmap(call, in_axes=inner)))(arrays[0][:, 0], *arrays[1:])
        want = [eager(call, [arrays[0][k, 0], *(one[k, m] for one in arrays[1:])]) for k in range(2) for m in range(BATCH)]
        np.testing.assert_array_equal(got, np.stack(want).reshape(got.shape))


def loss(call):
    """What each element of the result counts differently in."""

    def of(*arrays):
        found = call(*arrays)
        return (jnp.cos(found) * jnp.arange(1.0, 1 + found.size).reshape(found.shape)).sum()

    return of


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith(("search", "bucket")) and "halves" not in name])
def test_gradients_of_parts(name):
    call, draw = CALLS[name]
    arrays = [np.stack(each) for each in zip(*(draw() for _ in range(BATCH)), strict=True)]
    moves = [k for k, one in enumerate(arrays) if one.dtype == np.float32]
    one = jax.jit(jax.grad(loss(call), moves))
    # Each part has its own places, or all parts have the first.
    for axis in (0, None):
        axes = tuple(0 if k in moves else axis for k in range(len(arrays)))
        given = [array if along == 0 else array[0] for array, along in zip(arrays, axes, strict=True)]
        parts = [one(*(array if along is None else array[k] for array, along in zip(given, axes, strict=True))) for k in range(BATCH)]
        want = [np.stack(each) for each in zip(*parts, strict=True)]
        inside = jax.jit(jax.vmap(jax.grad(loss(call), moves), axes))(*given)
        outside = jax.jit(jax.grad(lambda *given, axes=axes: jax.vmap(loss(call), axes)(*given).sum(), moves))(*given)
        for got in (inside, outside):
            for each, wanted in zip(got, want, strict=True):
                np.testing.assert_allclose(each, wanted, rtol=1e-6)


WRONG = {
    "take": (lambda x, i: takewise.take(x, i, axis=0), (numbers(4, 2), places(4, 3))),
    "gather": (lambda x, i: takewise.gather(x, 0, i), (numbers(4, 2), places(4, 3, 2))),
    "index": (lambda x, i: takewise.index(x, (i, 1)), (numbers(4, 2), places(4, 3))),
    "set": (lambda x, i: at(x)[i].set(0), (numbers(4, 2), places(4, 3))),
    "scatter_add": (lambda x, i: takewise.scatter_add(x, 0, i, jnp.ones_like(x)), (numbers(4, 2), places(4, 3, 2))),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_is_that_of_the_part(name):
    call, (x, i) = WRONG[name]
    i = np.stack([i] * BATCH)
    i[1].flat[2] = 7
    x = np.stack([x] * BATCH)
    with pytest.raises(IndexError) as one:
        call(jnp.asarray(x[1]), jnp.asarray(i[1]))
    with pytest.raises(IndexError) as found, takewise.jax.errors():
        jax.jit(jax.vmap(call))(x, i).block_until_ready()
    assert "in part 1 of the batch" in str(found.value.__cause__)
    facts = lambda error: (error.axis, error.position, error.value, error.size)
    assert facts(found.value) == facts(one.value)
