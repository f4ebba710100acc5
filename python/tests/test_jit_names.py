"""The names of `takewise.jax` inside programs of JAX's give what they give outside, under every mode."""

import functools
import inspect

import numpy as np
import pytest

import takewise
import takewise.jax as ours
from takewise import _takewise

jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")
jnp = jax.numpy

X = np.arange(12.0, dtype="f4").reshape(3, 4) - 5
BYTES = np.arange(12, dtype="u1").reshape(3, 4)
# Some of these are outside.
ROWS = np.array([2, -1, 9, -7, 0], "i4")
I = np.array([[2, -1, 9], [0, -7, 1]], "i4")
V = np.array([[0.5, 2, 3], [7, 1, 4]], "f4")
SORTED = np.array([1, 3, 5, 5, np.nan], "f4")
BLOCK = np.arange(15.0, dtype="f4").reshape(5, 3) / 4 + 1

n = ours.numpy


def options(**known):
    """All ways to choose one of each, where None leaves it out."""
    found = [{}]
    for name, values in known.items():
        found = [{**one, **({} if value is None else {name: value})} for one in found for value in values]
    return found


# The oldest JAX has no other way.
COUNTED = (None, False) if "wrap_negative_indices" in inspect.signature(type(jnp.zeros(1).at[0]).get).parameters else (None,)
MODES = (None, "fill", "drop", "clip", "promise_in_bounds")
SIZES = [{"size": 3}, {"size": 9}, {"size": 9, "fill_value": -1}]
# Each name: a call of it, its arrays, and the ways to call it. The first array moves where it has a derivative.
CALLS = {
    "take": (n.take, (X, I), options(mode=("fill", "clip", "wrap"), axis=(None, 0, 1), fill_value=(None, 3))),
    "take_along_axis": (functools.partial(n.take_along_axis, axis=1), (X[:2], I), options(mode=MODES, fill_value=(None, 3))),
    "put": (functools.partial(n.put, inplace=False), (X, I, V), options(mode=(None, "clip", "wrap"))),
    "put_along_axis": (lambda x, i, v, **k: n.put_along_axis(x, i, v, 1, inplace=False, **k), (X[:2], I, V), options(mode=MODES)),
    "at.get": (lambda x, i, **k: ours.at(x)[i].get(**k), (X, ROWS), options(mode=MODES, fill_value=(None, 3), wrap_negative_indices=COUNTED)),
    **{
        f"at.{how}": (lambda x, i, v, how=how, **k: getattr(ours.at(x)[i, 1:], how)(v, **k), (X, ROWS, BLOCK), options(mode=MODES))
        for how in _takewise.own_names("jax", "at") if how != "get"
    },
    "searchsorted": (n.searchsorted, (SORTED, V), options(side=("left", "right"), method=(None, "scan", "sort", "compare_all"))),
    "digitize": (n.digitize, (V, SORTED[:4]), options(right=(None, True))),
    "nonzero": (n.nonzero, (X > 3,), SIZES),
    "argwhere": (n.argwhere, (X > 3,), SIZES),
    "flatnonzero": (n.flatnonzero, (X > 3,), SIZES),
    "where": (lambda x, **k: n.where(x > 0, **k) if k else n.where(x > 0, x, 2), (X,), [{}, *SIZES]),
    "extract": (lambda x, **k: n.extract(x > 0, x, **k), (X,), SIZES),
    "compress": (lambda x, c, **k: n.compress(c, x, axis=0, **k), (X, np.array([True, False, True])), [{"size": 2}, {"size": 3, "fill_value": 7}]),
    "choose": (lambda x, i, **k: n.choose(i, [x[:2, :3], x[:2, 1:]], **k), (X, I), options(mode=("wrap", "clip"))),
    "select": (lambda x, **k: n.select([x > 3, x < 0], [x, -x], **k), (X,), options(default=(None, 7))),
    "unravel_index": (lambda i: n.unravel_index(i, (3, 4)), (ROWS,), [{}]),
    "ravel_multi_index": (lambda i, **k: n.ravel_multi_index((i, i + 1), (3, 4), **k), (ROWS,), options(mode=("wrap", "clip"), order=(None, "F"))),
    "isin": (lambda x, **k: n.isin(x, jnp.array([1.0, 3.0]), **k), (X,), options(invert=(None, True))),
    "ix_": (lambda i: n.ix_(i, i), (ROWS,), [{}]),
}  # fmt: skip


def within(arrays):
    """The arrays with all index values inside: what becomes of others where they are promised not to be, versions of JAX differ in."""
    return [abs(one) % 2 if one.dtype == np.int32 else one for one in arrays]


def same(got, want, said):
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert isinstance(one, jax.Array) and (one.dtype, one.shape, one.weak_type) == (other.dtype, other.shape, other.weak_type), said
        np.testing.assert_array_equal(one, other, err_msg=said)


def test_all_names_are_here():
    known = {*_takewise.own_names("jax", "numpy"), *(f"at.{name}" for name in _takewise.own_names("jax", "at"))}
    assert known == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_compiled_and_in_batches_as_eager(name):
    call, arrays, ways = CALLS[name]
    if name.startswith(("at.set", "put")):
        # Which of several stores to one place stays, JAX leaves open.
        arrays = [*arrays[:-1], np.full_like(arrays[-1], 2)]
    kinds = [arrays, [BYTES, *(one.astype("u1") if one.dtype.kind == "f" else one for one in arrays[1:])]] if arrays[0] is X else [arrays]
    cases = [(way, within(kind) if way.get("mode") == "promise_in_bounds" else kind) for kind in kinds for way in ways]

    def all_of(*arrays):
        return [call(*given, **way) for (way, _), given in zip(cases, arrays, strict=True)]

    got = jax.jit(all_of)(*(given for _, given in cases))
    for one, (way, given) in zip(got, cases, strict=True):
        same(one, call(*map(jnp.asarray, given), **way), f"{name} {way}")
    if name in ("digitize", "ix_"):
        return
    way, given = cases[-1]
    other = [one[::-1] if one.dtype.kind == "f" and one is not SORTED else one for one in given]
    parts = [call(*map(jnp.asarray, part), **way) for part in (given, other)]
    batch = jax.vmap(functools.partial(call, **way))(*(np.stack(two) for two in zip(given, other, strict=True)))
    for one, *two in zip(*map(jax.tree.leaves, (batch, *parts)), strict=True):
        np.testing.assert_array_equal(one, np.stack(two))


MOVING = [name for name in CALLS if name.startswith(("take", "put", "at.", "where", "choose", "select")) and "power" not in name]


@pytest.mark.parametrize("name", MOVING)
def test_gradients_are_those_of_the_eager_function(name):
    call, (x, *rest), ways = CALLS[name]
    way = ways[-1] if "size" not in ways[-1] else {}
    # No element is where a choice turns.
    x, rest = x + 0.25, within(rest)
    loss = lambda x: (call(x, *rest, **way) ** 2).sum()
    got = jax.jit(jax.grad(loss))(x)
    moved = np.cos(np.arange(x.size, dtype="f4")).reshape(x.shape)
    step = (eager(loss, x + moved / 64) - eager(loss, x - moved / 64)) * 32
    np.testing.assert_allclose((got * moved).sum(), step, rtol=1e-2, atol=1e-2)


def eager(loss, x):
    return float(loss(jnp.asarray(x)))


def test_what_depends_on_values_is_refused_by_jax():
    for call in (
        lambda x: n.nonzero(x),
        lambda x: n.extract(x > 0, x),
        lambda x: ours.at(x)[x > 0].get(),
        lambda x: n.choose(x.astype(int), [x, x]),
        lambda x: n.ravel_multi_index((x.astype(int),), (3,)),
    ):
        with pytest.raises((TypeError, IndexError), match="concrete|boolean"):
            jax.jit(call)(X)


def test_what_is_said_of_a_write_in_place_is_so():
    i, v = within([I])[0], np.arange(6.0, dtype="f4").reshape(2, 3)
    i = np.argsort(i, axis=1, stable=True).astype("i4")
    with pytest.raises(TypeError, match=r"put_along_axis\(\) .* use takewise\.jax\.numpy\.put_along_axis\(\.\.\., inplace=False\), or scatter"):
        jax.jit(lambda x: takewise.put_along_axis(x, i, v, 1))(X[:2])
    want = X[:2].copy()
    takewise.put_along_axis(want, i, v, 1)
    calls = (lambda x, v: n.put_along_axis(x, i, v, 1, inplace=False), lambda x, v: takewise.scatter(x, 1, i, v))
    for call in calls:
        x, two = jnp.asarray(X[:2]), np.stack([v, v])
        for got in (call(x, jnp.asarray(v)), jax.jit(call)(x, v), *jax.jit(jax.vmap(call, (None, 0)))(x, two)):
            np.testing.assert_array_equal(got, want)
        of_x, of_v = jax.jit(jax.grad(lambda x, v: (call(x, v) ** 2).sum(), (0, 1)))(x, v)
        np.testing.assert_array_equal(of_v, 2 * v)
        kept = np.ones_like(want)
        takewise.put_along_axis(kept, i, 0, 1)
        np.testing.assert_array_equal(of_x, 2 * X[:2] * kept)
    drop = lambda x, v: takewise.scatter(x, 1, i + 2, v, bounds="drop")
    np.testing.assert_array_equal(jax.jit(drop)(X[:2], v), drop(X[:2], v))
