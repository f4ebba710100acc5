"""Subscripts of every kind inside programs of JAX's: reads and updates are JAX's own, in values and dtypes."""

import numpy as np
import pytest

import takewise as tw

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")
check_grads = pytest.importorskip("jax.test_util").check_grads
jnp = jax.numpy


def ints(*values, dtype="i4"):
    return np.array(values, dtype)


ALL = slice(None)
# Each subscript, and the shape that it is of. Arrays of integers are traced; the rest is part of the program.
KEYS = {
    "first": ((5,), 0),
    "last": ((5,), -1),
    "int of NumPy's": ((5,), np.int8(-2)),
    "traced int": ((5,), ints(3).reshape(())),
    "traced int from the end": ((4, 3), ints(-1).reshape(())),
    "traced byte": ((5,), np.array(4, "u1")),
    "two ints": ((4, 3), (1, -1)),
    "int and traced int": ((4, 3), (1, ints(2).reshape(()))),
    "two traced ints": ((4, 3), (ints(-4).reshape(()), ints(2).reshape(()))),
    "all ints": ((2, 3, 4), (1, 0, -2)),
    "of all": ((4, 3), ALL),
    "part": ((5,), slice(1, 4)),
    "one by slice": ((5,), slice(2, 3)),
    "from the end": ((5,), slice(-3, -1)),
    "beyond": ((5,), slice(-9, 9)),
    "nothing": ((5,), slice(3, 1)),
    "nothing, turned": ((5,), slice(1, 3, -1)),
    "every other": ((5,), slice(None, None, 2)),
    "turned": ((5,), slice(None, None, -1)),
    "every other, turned": ((6,), slice(4, 0, -2)),
    "turned to the start": ((6,), slice(3, None, -1)),
    "step beyond": ((5,), slice(1, None, 9)),
    "slices": ((4, 3), (slice(1, None), slice(None, None, -1))),
    "slice and int": ((4, 3), (slice(1, 3), -1)),
    "int and slice": ((2, 3, 4), (1, slice(None, None, -2), slice(1, 3))),
    "slice and traced int": ((4, 3), (slice(1, 3), ints(1).reshape(()))),
    "empty subscript": ((4, 3), ()),
    "new axis": ((4,), None),
    "new axes": ((4, 3), (None, 1, None, ALL, None)),
    "new axis behind": ((4, 3), (..., None)),
    "dots": ((4, 3), ...),
    "dots and int": ((2, 3, 4), (..., 1)),
    "int, dots, int": ((2, 3, 4), (1, ..., -1)),
    "dots for no axis": ((4, 3), (0, ..., 1)),
    "dots and slice": ((2, 3, 4), (..., slice(1, 3))),
    "dots, new axis, traced int": ((2, 3, 4), (..., None, ints(2).reshape(()))),
    "array": ((5,), ints(4, 0, -2)),
    "array of one": ((5,), ints(2)),
    "array of bytes": ((5,), ints(4, 0, 2, dtype="u1")),
    "array of short ints": ((5,), ints(-5, 3, dtype="i2")),
    "array of two axes": ((5,), ints(4, 0, -2, 1).reshape(2, 2)),
    "array without elements": ((5,), ints()),
    "array without elements, in rows": ((4, 3), ints().reshape(0, 2)),
    "rows": ((4, 3), ints(3, 0)),
    "rows met twice": ((4, 3), ints(3, 0, 3, 3)),
    "columns": ((4, 3), (ALL, ints(2, 0))),
    "last axis": ((2, 3, 4), (..., ints(-1, 1))),
    "pairs": ((4, 3), (ints(0, 3, 1), ints(2, -1, 0))),
    "pairs met twice": ((4, 3), (ints(0, 3, 0), ints(2, -1, 2))),
    "outer": ((4, 3), (ints(3, 1).reshape(2, 1), ints(0, 2))),
    "beside each other": ((2, 3, 4), (ALL, ints(2, 0), ints(1, -1))),
    "apart": ((2, 3, 4), (ints(1, 0), ALL, ints(3, 0))),
    "apart, turned": ((2, 3, 4), (ints(1, 0), slice(None, None, -1), ints(3, 0))),
    "int beside": ((2, 3, 4), (ALL, 1, ints(3, 0))),
    "int apart": ((2, 3, 4), (1, ALL, ints(3, 0))),
    "traced int apart": ((2, 3, 4), (ints(1).reshape(()), ALL, ints(3, 0))),
    "array, new axis, array": ((4, 3), (ints(3, 1), None, ints(0, 2))),
    "new axis before": ((4, 3), (None, ints(3, 1), ints(0, 2))),
    "array and slice": ((4, 3), (ints(3, 1), slice(1, None))),
    "slice, array, new axis, slice": ((2, 3, 4), (slice(1), ints(2, 0), None, slice(1, 3))),
    "array and dots": ((2, 3, 4), (ints(1, 0, 1), ..., slice(None, None, 3))),
    "four axes": ((2, 3, 2, 4), (ALL, ints(2, 0), ALL, ints(1, -1))),
    "four axes, dots": ((2, 3, 2, 4), (ints(1, 0), ..., ints(1, -1))),
    "mask": ((5,), np.array([True, False, True, True, False])),
    "mask of nothing": ((5,), np.zeros(5, bool)),
    "mask of rows": ((4, 3), np.array([False, True, True, False])),
    "mask of columns": ((4, 3), (ALL, np.array([False, True, True]))),
    "mask and int": ((4, 3), (np.array([False, True, True, False]), 1)),
    "mask and array": ((4, 3), (np.array([False, True, True, False]), ints(2, 0))),
    "an axis without elements": ((0, 3), (ALL, ints(2, 0))),
    "no elements, sliced": ((0, 3), (slice(None, None, -1), 1)),
    "a number": ((), ()),
    "a number, dots": ((), ...),
    "a number, new axis": ((), None),
}  # fmt: skip
MET = {"rows met twice", "pairs met twice", "array and dots", "mask of nothing"}
MODES = {"raise": None, "fill": "fill", "drop": "drop", "clip": "clip"}


def traced(key):
    """The parts of a subscript that are traced, and what makes a subscript of them."""
    parts = key if isinstance(key, tuple) else (key,)
    places = [k for k, part in enumerate(parts) if isinstance(part, np.ndarray) and part.dtype != bool]

    def whole(arrays):
        found = list(parts)
        for k, array in zip(places, arrays, strict=True):
            found[k] = array
        return tuple(found) if isinstance(key, tuple) else found[0]

    return [parts[k] for k in places], whole


def array(shape, dtype, start=0.0):
    values = np.cos(np.arange(start, start + np.prod(shape, dtype=int))).reshape(shape) * 9
    return values > 0 if dtype == "bool" else jnp.asarray(values + 1j * values[::-1] if dtype == "complex64" and shape else values, dtype)


def updates(name, dtype):
    known = {"get", "set", "add", "mul", "min", "max"}
    known -= {"bool": {"add", "mul", "min", "max"}, "complex64": {"min", "max"}}.get(dtype, set())
    # Which of several stores to one place stays, JAX leaves open.
    return sorted(known - {"set"} if name in MET else known)


def same(got, want, said):
    assert (got.dtype, got.shape) == (want.dtype, want.shape), said
    np.testing.assert_allclose(np.asarray(got, complex), np.asarray(want, complex), rtol=1e-6, err_msg=said)


def compare(name, dtype, modes, shifts=(0,)):
    shape, key = KEYS[name]
    arrays, whole = traced(key)
    arrays = [(one + np.resize(shifts, one.shape)).astype(one.dtype) for one in arrays]
    x, how = array(shape, dtype), updates(name, dtype)
    value = array(x[whole(arrays)].shape, dtype, 3.5)
    # All of what is stored, a part that broadcasts, and a number.
    stored = {"set": value, "add": value[..., :1] if value.ndim else value, "mul": array((), dtype, 2)}

    def ours(x, *arrays):
        at = tw.at(x)[whole(arrays)]
        for mode in modes:
            policy = {"bounds": mode}
            for name in how:
                # Filled is what is read; what is written is left out.
                if name == "get":
                    yield f"get {mode}", at.get(**policy) if mode != "drop" else at.get(bounds="fill")
                else:
                    yield f"{name} {mode}", getattr(at, name)(stored.get(name, value), **policy)

    def theirs(x, *arrays):
        at = x.at[whole(arrays)]
        for mode in modes:
            for name in how:
                given = () if name == "get" else (stored.get(name, value),)
                yield f"{name} {mode}", getattr(at, name)(*given, mode=MODES[mode])

    got, want = (jax.jit(lambda *given, call=call: dict(call(*given)))(x, *arrays) for call in (ours, theirs))
    assert set(got) == set(want) and len(want) >= len(modes) * len(how)
    for said in want:
        same(got[said], want[said], f"{name}: {said}")


@pytest.mark.parametrize("name", KEYS)
def test_subscripts(name):
    compare(name, "float32", ["raise"])


OUTSIDE = [name for name, (_, key) in KEYS.items() if traced(key)[0] and "bytes" not in name]


@pytest.mark.parametrize("name", OUTSIDE)
def test_subscripts_with_values_outside(name):
    compare(name, "float32", ["fill", "drop", "clip"], np.array([3, -9, 0]))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "complex64"])
def test_dtypes(dtype):
    for name in ("traced int", "every other, turned", "rows", "apart", "mask"):
        compare(name, dtype, ["raise", "clip"])


@pytest.mark.parametrize("name", ["traced int", "turned", "rows met twice", "apart"])
def test_derivatives_of_updates(name):
    shape, key = KEYS[name]
    arrays, whole = traced(key)
    key = whole(list(map(jnp.asarray, arrays)))
    x, v = array(shape, "float32"), array(array(shape, "float32")[key].shape, "float32", 3.5)
    for how in ("set", "add", "mul", "min", "max"):
        if how == "set" and name in MET:
            continue
        ours = lambda x, v: getattr(tw.at(x)[key], how)(v)  # noqa: B023
        # JAX has the derivative by factors only where it is told that none meet.
        theirs = lambda x, v: getattr(x.at[key], how)(v, unique_indices=how == "mul")  # noqa: B023
        for of in (0,) if how == "mul" and name in MET else (0, 1):
            want = jax.jit(jax.jacrev(theirs, of))(x, v)
            for jacobian in (jax.jacfwd, jax.jacrev):
                np.testing.assert_allclose(jax.jit(jacobian(ours, of))(x, v), want, rtol=1e-5, atol=1e-6)
        if how == "mul":
            check_grads(jax.jit(ours), (x / 9, v / 9), 2, atol=3e-2, rtol=3e-2, eps=1e-2)


def test_extremes_that_are_equal_share_as_in_jax():
    x, i, v = jnp.array([1.0, 2.0, 3.0]), jnp.array([1, 1, 2]), jnp.array([2.0, 2.0, 0.0])
    for how in ("min", "max"):
        for of in (0, 1):
            got = jax.jacrev(lambda x, v: getattr(tw.at(x)[i], how)(v), of)(x, v)  # noqa: B023
            np.testing.assert_allclose(got, jax.jacrev(lambda x, v: getattr(x.at[i], how)(v), of)(x, v))  # noqa: B023


def test_derivatives_of_products_at_zero_and_in_batches():
    x, i = jnp.array([1.0, 2.0, 3.0]), jnp.array([1, 1, 2, 9])
    product = lambda x, v: tw.at(x)[i].mul(v, bounds="drop")
    v = jnp.array([0.0, 0.0, 5.0, 7.0])
    assert jax.jacrev(product, 1)(x, v).tolist() == [[0] * 4, [0] * 4, [0, 0, 3, 0]]
    v = jnp.array([0.0, 4.0, 5.0, 7.0])
    assert jax.jacfwd(product, 1)(x, v).tolist() == [[0] * 4, [8, 0, 0, 0], [0, 0, 3, 0]]
    loss = lambda x, v: (product(x, v) ** 2).sum()
    both = jnp.stack([v, v + 1])
    np.testing.assert_allclose(
        jax.jit(jax.vmap(jax.grad(loss, 1), (None, 0)))(x, both), jnp.stack([jax.grad(loss, 1)(x, one) for one in both])
    )
    over = jax.grad(lambda x: jax.vmap(loss, (None, 0))(x, both).sum())(x)
    np.testing.assert_allclose(over, sum(jax.grad(loss)(x, one) for one in both))
    z = x + 1j * x
    got = jax.jacrev(lambda v: product(z, v), holomorphic=True)(v + 1j)
    want = jax.jacrev(lambda v: jnp.array([z[0], z[1] * v[0] * v[1], z[2] * v[2]]), holomorphic=True)(v + 1j)
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_items_of_a_list_may_be_traced():
    x = np.arange(12).reshape(3, 4)
    got = jax.jit(lambda a, b: tw.index(x, ([a, 0], [[0], [b]])))(2, -1)
    np.testing.assert_array_equal(got, x[[2, 0], [[0], [-1]]])
    got = jax.jit(lambda x, a: tw.at(x)[[a, 0], 1].add(5))(x, 2)
    np.testing.assert_array_equal(got, tw.at(x)[[2, 0], 1].add(5))
