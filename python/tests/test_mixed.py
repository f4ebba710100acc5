"""Values of another dtype than the places they are combined with, for every pair of dtypes and every operation, beside the
libraries themselves; numbers and lists, which have the dtypes those give them."""

import warnings

import numpy as np
import pytest

import takewise as tw
import takewise.numpy as tn

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

DTYPES = ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
VALUES = [1.5, -3.0, 200.0, 0.25, -70000.0, 3.0]
PLACES = [0, 2, 0, 1, 2, 0]


def dtypes():
    return [np.dtype(d) for d in DTYPES] + ([np.dtype(ml_dtypes.bfloat16)] if ml_dtypes else [])


def numbers(values, dtype):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wide = np.array(values, "f8")
        # Negative numbers have no meaning in unsigned dtypes until they are integers.
        return (wide.astype("i8") if dtype.kind in "u" else wide).astype(dtype)


def outcome(f):
    """What a call gives: the dtype and bytes, or the class and words of what it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            got = f()
        except Exception as error:
            return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"), str(error)
    return str(got.dtype), np.asarray(got).shape, np.asarray(got).tobytes()


def same(got, want, what):
    if len(want) == 2 or len(got) == 2:
        assert got == want, what
        return
    assert got[:2] == want[:2], (what, got[:2], want[:2])
    dtype = np.dtype(want[0])
    a, b = np.frombuffer(got[2], dtype), np.frombuffer(want[2], dtype)
    # A NaN is one whatever its sign.
    equal = a.tobytes() == b.tobytes() or bool(((a == b) | ((a != a) & (b != b))).all())
    assert equal, (what, a, b)


def at(module, name, x, places, values):
    x = x.copy()
    getattr(module, name).at(x, places, values)
    return x


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_every_pair_of_dtypes_as_numpy_combines_it(name):
    for dtype in dtypes():
        x = numbers([5, 100, 7], dtype)
        for other in dtypes():
            values = numbers(VALUES, other)
            got, want = (outcome(lambda m=m: at(m, name, x, PLACES, values)) for m in (tn, np))
            same(got, want, (name, dtype, other))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_numbers_and_lists_as_numpy_combines_them(name):
    for dtype in dtypes():
        x = numbers([5, 100, 7], dtype)
        for value in (1.1, 300, -200, True, 1j, [0.5, 0.5, 0.1], 2**40, np.float32(1.1), np.int8(-3)):
            got, want = (outcome(lambda m=m: at(m, name, x, [0, 2, 0], value)) for m in (tn, np))
            same(got, want, (name, dtype, value))


WAYS = {
    "at": lambda x, k, v, how, **cast: getattr(tw.at(x)[k], how)(v, **cast),
    "at_": lambda x, k, v, how, **cast: getattr(tw.at(x)[k], how + "_")(v, **cast),
    "scatter_reduce": lambda x, k, v, how, **cast: tw.scatter_reduce(x, 0, k, v, REDUCE[how], **cast),
    "index_reduce": lambda x, k, v, how, **cast: tw.index_reduce(x, 0, k, v, REDUCE[how], **cast),
    "tensor_scatter": lambda x, k, v, how, **cast: tw.tensor_scatter(x, [[i] for i in k], v, REDUCE[how], **cast),
    "scatter": lambda x, k, v, how, **cast: tw.scatter(x, 0, k, v, REDUCE[how], **cast),
}
ADDS = {
    "scatter_add": lambda x, k, v, _, **cast: tw.scatter_add(x, 0, k, v, **cast),
    "index_add": lambda x, k, v, _, **cast: tw.index_add(x, 0, k, v, **cast),
    "put": lambda x, k, v, _, **cast: tw.put(x, k, v, accumulate=True, **cast),
    "index_put_": lambda x, k, v, _, **cast: tw.index_put_(x.copy(), (k,), v, accumulate=True, **cast),
}
REDUCE = {"add": "sum", "mul": "prod", "min": "min", "max": "max"}
UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


@pytest.mark.parametrize("how", UFUNCS)
def test_neutral_functions_combine_as_numpy_does(how):
    for dtype in dtypes():
        # Sums and products of halves are rounded once here.
        if dtype.itemsize == 2 and dtype.kind not in "iu" and how in ("add", "mul"):
            continue
        x = numbers([5, 100, 7], dtype)
        for other in dtypes():
            for values in (numbers(VALUES, other), numbers(VALUES, other).tolist()):
                if isinstance(values, list) and other.kind not in "?iufc":
                    continue

                def reference(values):
                    want = x.copy()
                    UFUNCS[how].at(want, PLACES, values)
                    return want

                want = outcome(lambda: reference(values))
                # Integers that fit stay integers, where NumPy meets in doubles.
                integers = dtype.kind in "iu" and other.kind in "iu"
                exact = outcome(lambda: reference(np.array(values, dtype))) if integers else want
                for label, run in (WAYS | ADDS if how == "add" else WAYS).items():
                    got = outcome(lambda: run(x.copy(), PLACES, values, how, casting="unsafe"))
                    same(got, want, (label, how, dtype, other))
                    kept = outcome(lambda: run(x.copy(), PLACES, values, how))
                    # Which values are refused otherwise is told in `test_casting.py`.
                    if len(kept) == 3:
                        same(kept, exact, (label, how, dtype, other))


def test_an_index_that_is_bad_leaves_everything():
    x = np.array([1, 2, 3])
    for f in (lambda: tn.multiply.at(x, [0, 7], 1.5), lambda: tw.at(x)[[0, 7]].mul_(1.5, casting="unsafe")):
        with pytest.raises(IndexError):
            f()
        assert x.tolist() == [1, 2, 3]


def test_means_beside_other_dtypes_are_converted_once():
    got = tw.scatter_reduce(np.array([10, 20], "i1"), 0, [0, 0], [0.5, 0.6], "mean", casting="unsafe")
    assert got.dtype == np.int8 and got.tolist() == [3, 20]
    got = tw.scatter_reduce(np.array([10, 20], "i1"), 0, [0, 0], [0.5, 0.6], "sum", include_self=False, casting="unsafe")
    assert got.tolist() == [1, 20]


def test_lists_are_doubles():
    edges = np.array([0.1, 0.2, 0.3])
    for side in ("left", "right"):
        for looked in ([0.2, 0.3], (0.1,), 0.3, [[0.1], [0.25]]):
            want = np.searchsorted(edges, looked, side=side)
            assert np.array_equal(tw.searchsorted(edges, looked, side=side), want)
            assert np.array_equal(tw.searchsorted(edges.tolist(), looked, side=side), want)
            assert np.array_equal(tw.bucketize(looked, edges, right=side == "right"), want)
            assert np.array_equal(tw.bucketize(looked, edges.tolist(), right=side == "right"), want)
            assert np.array_equal(tw.PreparedSearch(edges.tolist()).searchsorted(looked, side=side), want)
    big = np.array([16777216, 16777217, 16777218])
    assert tw.searchsorted(big, [16777217.0]).tolist() == [1]
    assert tw.searchsorted([2**63, 2**63 + 2], [2**63 + 1]).tolist() == [1]
    mask = np.array([True, False])
    for a, b in ((16777217.0, 0.1), (1, 0.1), (1 + 1e-9j, 2), ([0.1, 0.2], [1, 2]), ([1, 2], 0.1), (True, False)):
        got, want = tw.where(mask, a, b), np.where(mask, a, b)
        assert got.dtype == want.dtype and np.array_equal(got, want), (a, b, got)
    assert np.asarray(tw.take([0.1, 0.2], [1])).tolist() == [0.2]
    assert np.asarray(tw.gather([[0.1, 1e-9j]], 1, [[1, 0]])).dtype == np.complex128
    assert tw.put(np.zeros(2), [0, 1], [0.1, 0.2]).tolist() == [0.1, 0.2]


def test_numbers_that_do_not_fit_are_refused():
    x = np.array([1, 2], "u1")
    cases = [
        lambda v: tw.take(x, [0, 9], bounds="fill", fill_value=v),
        lambda v: tw.index(x, [0, 9], bounds="fill", fill_value=v),
        lambda v: tw.gather(x, 0, [0, 9], bounds="fill", fill_value=v),
        lambda v: tw.at(x)[[0, 9]].get(bounds="fill", fill_value=v),
        lambda v: tw.index_add(x, 0, [0], x[:1], alpha=v),
    ]
    for run in cases:
        for value in (-1, 300, 0.5, float("nan"), 1j, 2**70):
            # A factor of another kind is refused as values of that kind are.
            other_kind = run is cases[-1] and not isinstance(value, int)
            with pytest.raises(TypeError if other_kind else OverflowError) as caught:
                run(value)
            assert other_kind or str(value) in str(caught.value) or value == 2**70, caught.value
            assert "Int(" not in str(caught.value) and "Float(" not in str(caught.value)
        run(7)
    for run in cases[:-1]:
        run(3.0)
    with pytest.raises(TypeError, match="float64 would change in an array of dtype uint8"):
        cases[-1](3.0)
    stores = [
        lambda v: tw.masked_fill(x, x > 1, v),
        lambda v: tw.index_fill(x, 0, [0], v),
        lambda v: tw.index_set(x.copy(), [0], v),
        lambda v: tw.index_set(x.copy(), 0, v),
        lambda v: tw.put(x, [0], v),
        lambda v: tw.scatter(x, 0, [0], v),
        lambda v: tw.where(x > 1, x, v),
        lambda v: tw.index_set(x.copy(), [0, 1], [0, v]),
    ]
    for k, run in enumerate(stores):
        for value in (-1, 300, 2**70):
            with pytest.raises((OverflowError, TypeError)):
                run(value)
        run(7)
    # What NumPy truncates is truncated where that is asked for.
    with pytest.raises(TypeError, match="float64 would change in an array of dtype uint8"):
        tw.index_set(x.copy(), [0], 2.7)
    assert tw.index_set(x.copy(), [0], 2.7, casting="unsafe")[0] == 2


torch = None
try:
    import torch
except ImportError:
    pass
needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed here")


@needs_torch
def test_numbers_beside_torch_have_its_dtypes():
    edges = torch.tensor([0.1, 0.2, 0.3])
    for right in (False, True):
        want = torch.searchsorted(edges, torch.tensor([0.1, 0.3]), right=right)
        assert torch.equal(tw.searchsorted(edges, [0.1, 0.3], right=right), want)
        found = tw.PreparedSearch(edges).searchsorted([0.1, 0.3], right=right)
        assert np.asarray(found).tolist() == want.tolist()
        wide = edges.double()
        want = torch.searchsorted(wide, torch.tensor([0.1, 0.3], dtype=torch.float64), right=right)
        assert torch.equal(tw.searchsorted(wide, [0.1, 0.3], right=right), want)
    mask = torch.tensor([True, False])
    for a, b in ((1.5, 0.1), (1, 2), (1, 0.5), (torch.tensor([1, 2]), 0.5), (torch.tensor([1, 2], dtype=torch.int8), 2)):
        got, want = tw.where(mask, a, b), torch.where(mask, a, b)
        assert got.dtype == want.dtype and torch.equal(got, want), (a, b)


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_tensors_that_lend_no_memory_are_named():
    cases = {
        "sparse_coo": torch.eye(3).to_sparse(),
        "sparse_csr": torch.eye(3).to_sparse_csr(),
        "meta": torch.zeros(3, device="meta"),
        "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
        "nested": torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    }
    for name, x in cases.items():
        for run in (lambda: tw.take(x, [1]), lambda: tw.index(x, 0), lambda: tw.put_(x, [0], 1.0), lambda: tw.nonzero(x)):
            with pytest.raises(RuntimeError) as caught:
                run()
            text = str(caught.value)
            assert name in text and len(text) < 200 and "\n" not in text and "frame #" not in text, text
    carried = []
    torch.vmap(lambda x: carried.append(x) or x)(torch.ones(3, 2))
    torch.func.grad(lambda x: carried.append(x) or x.sum())(torch.ones(3))
    with pytest.raises(RuntimeError, match="torch.vmap"):
        tw.take(carried[0], [0])
    assert tw.take(carried[1], [0]).tolist() == [1]
    with pytest.raises(ValueError, match="negative step") as caught:
        tw.index(torch.arange(4), slice(None, None, -1))
    assert "frame #" not in str(caught.value)


@pytest.fixture
def jax():
    return pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")


JAX = ["?", "u1", "u2", "u4", "i1", "i2", "i4", "f2", "f4", "c8"]


def jax_equal(got, want, what, close=False):
    if len(want) == 2 or len(got) == 2:
        assert got == want, what
        return
    assert got[:2] == want[:2], (what, got[:2], want[:2])
    a, b = (np.frombuffer(side[2], want[0]) for side in (got, want))
    if close:
        with np.errstate(all="ignore"):
            near = np.isclose(a.astype("c16"), b.astype("c16"), rtol=2e-3 if want[0] == "float16" else 1e-5)
            assert (near | (a == b) | ((a != a) & (b != b))).all(), (what, a, b)
    else:
        same(got, want, what)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "max", "min", "divide"])
def test_every_pair_of_dtypes_as_jax_combines_it(jax, name):
    import takewise.jax as tj

    jnp = jax.numpy
    for d in JAX:
        x = jnp.asarray(numbers([5, 100, 7], np.dtype(d)))
        for other in JAX:
            if "c8" in (d, other) and name in ("max", "min", "divide", "multiply"):
                continue  # not ordered alike, and rounded otherwise
            values = jnp.asarray(numbers([3.0, 2.0, 1.5], np.dtype(other)))
            places = jnp.array([0, 2, 0])
            want = outcome(lambda: getattr(x.at[places], name)(values))
            got = outcome(lambda: getattr(tj.at(x)[places], name)(values))
            jax_equal(got, want, (name, d, other), close=name in ("divide", "multiply"))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "max", "min", "divide", "power"])
def test_numbers_as_jax_combines_them(jax, name):
    import takewise.jax as tj

    jnp = jax.numpy
    for d in JAX:
        x = jnp.asarray(numbers([5, 3, 7], np.dtype(d)))
        for value in (1.5, 2, 300, -1, True, 2**40, 2**31 - 1):
            if d == "c8" and (name in ("max", "min") or value == 2**31 - 1 or (name, value) == ("power", 300)):
                continue
            want = outcome(lambda: getattr(x.at[jnp.array([0, 2])], name)(value))
            got = outcome(lambda: getattr(tj.at(x)[jnp.array([0, 2])], name)(value))
            jax_equal(got, want, (name, d, value), close=name in ("divide", "power"))
