"""The modules of libraries: ours where elements are found by an index, a mask or a search, the library's own everywhere else."""

import copy
import inspect
import pickle
import sys
import types

import numpy as np
import pytest

import takewise
import takewise.jax
import takewise.mindspore
import takewise.numpy as tnp
from beside import alike, outcome
from takewise import _takewise

RECORD = [("a", "i4"), ("b", "f8")]
OBJECTS = np.array([3, "x", None, 2.5], object)
WIDE = np.arange(4, dtype="g")
MASK = np.array([True, False, True, False])
MASKED = np.ma.masked_array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0])


class Metres(np.ndarray):
    def __array_finalize__(self, other):
        self.unit = getattr(other, "unit", "m")


class Asked:
    """An array that answers NumPy's functions itself."""

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__


def written(f, x):
    """What an array holds after a call."""
    f(x)
    return x


# Calls that nobody answers but NumPy: a dtype, a class or an argument that is none of ours.
NUMPYS = [
    lambda n: n.take(OBJECTS, [1, 0]),
    lambda n: n.take(OBJECTS, [1, 9]),
    lambda n: n.take_along_axis(OBJECTS, np.array([3, 3]), 0),
    lambda n: n.compress([1, 0, 1, 0], OBJECTS),
    lambda n: n.extract(MASK, OBJECTS),
    lambda n: n.choose([0, 1], [OBJECTS[:2], OBJECTS[2:]]),
    lambda n: n.where(MASK, OBJECTS, None),
    lambda n: n.nonzero(OBJECTS),
    lambda n: n.argwhere(OBJECTS),
    lambda n: n.flatnonzero(OBJECTS),
    lambda n: n.searchsorted(np.array([1, 2, 5], object), 3),
    lambda n: n.isin(OBJECTS, [3]),
    lambda n: n.select([MASK], [OBJECTS], 0),
    lambda n: written(lambda x: n.put(x, [0, 2], ["p", None]), OBJECTS.copy()),
    lambda n: written(lambda x: n.place(x, MASK, [None]), OBJECTS.copy()),
    lambda n: written(lambda x: n.putmask(x, MASK, 7), OBJECTS.copy()),
    lambda n: written(lambda x: n.copyto(x, None, where=MASK), OBJECTS.copy()),
    lambda n: written(lambda x: n.put_along_axis(x, np.array([1]), "q", 0), OBJECTS.copy()),
    lambda n: written(lambda x: n.fill_diagonal(x, "d"), np.full((2, 2), None)),
    lambda n: written(lambda x: n.add.at(x, [0, 0], 2), np.array([1, 2.5], object)),
    lambda n: written(lambda x: n.add.at(x, [0, 0], 2), WIDE.copy()),
    lambda n: written(lambda x: n.maximum.at(x, [0], np.datetime64("2024-01-02")), np.array(["2024-01-01"], "M8[D]")),
    lambda n: n.where(MASK, "high", "low"),
    lambda n: n.where(MASK, np.array([1] * 4, np.int8), 300),
    lambda n: n.where(MASK, np.datetime64("2024-01-01"), np.datetime64("NaT")),
    lambda n: n.where(MASK, 2**70, 0),
    lambda n: n.select([MASK, ~MASK], ["a", "bb"], default="ccc"),
    lambda n: n.choose([0, 1], ["a", "bb"]),
    lambda n: n.take(["a", "bb"], 1),
    lambda n: n.take(MASKED, [0, 1]),
    lambda n: n.where(MASK, MASKED, 0),
    lambda n: n.take(np.matrix([[1, 2], [3, 4]]), [1], axis=0),
    lambda n: n.take(np.arange(4.0).view(Metres), [2, 0]).unit,
    lambda n: n.compress(MASK, np.arange(4.0).view(Metres)).unit,
    lambda n: n.take(Asked(), [0]),
    lambda n: n.where(MASK, Asked(), 0),
    lambda n: n.where(MASK, 1, 2, 3),
    lambda n: n.take(MASK, [0], order="C"),
    lambda n: n.take(MASK, 1.5),
    lambda n: n.nonzero(np.array(3)),
]
if hasattr(np.dtypes, "StringDType"):
    STRINGS = np.array(["one", "a", "longer than short strings are", ""], np.dtypes.StringDType())
    NUMPYS += [
        lambda n: n.take(STRINGS, [2, 0]),
        lambda n: n.where(MASK, STRINGS, STRINGS[::-1]),
        lambda n: n.flatnonzero(STRINGS),
        lambda n: written(lambda x: n.put(x, [1], ["text"]), STRINGS.copy()),
    ]

# What only builds or computes, and was once done here, each time a little differently.
PROGRAMS = [
    lambda n: n.array([(1, 2.5), (3, 4.5)], RECORD),
    lambda n: n.asarray([(4, 0.5), (2, 1.5)], dtype=RECORD)["a"],
    lambda n: n.array([(1, (2, 3))], [("a", "i4"), ("p", [("x", "i4"), ("y", "i4")])])["p"]["y"],
    lambda n: n.sort(np.array([(3, 1.0), (1, 2.0)], RECORD), order="a"),
    lambda n: n.unique(np.array([(2, 1.0), (1, 3.0), (2, 1.0)], RECORD), return_inverse=True),
    lambda n: n.unique(np.array([0.0, np.nan, 2.0, np.nan]), axis=0),
    lambda n: n.bincount([0, 1], weights=[1j, 2]),
    lambda n: n.array([1, 2], copy=False),
    lambda n: n.arange("2024-02-27", "2024-03-02", dtype="M8[D]"),
    lambda n: n.sum(np.array([1, 9, 3]), where=MASK[:3], initial=10),
    lambda n: n.sort(np.array([3, 1, 2]), descending=True),
    lambda n: n.concatenate([["a"], ["bb"]]),
    lambda n: n.diff(n.flatnonzero([1, 0, 0, 1, 1])),
    lambda n: n.delete(np.arange(8), [0, 3, -1]),
    lambda n: n.lexsort(([3, 1, 2], [0, 0, -1])),
    lambda n: np.arange(10)[n.r_[0:3, 7]],
    lambda n: n.add.reduceat(np.arange(8), [0, 4, 1, 5]),
    lambda n: n.maximum.accumulate([1, 3, 2]),
    lambda n: n.add(1, 2, dtype="f4"),
    lambda n: n.add.outer([1, 2], [3]),
    lambda n: written(lambda x: n.logical_or.at(x, [0, 2], [True, False]), np.zeros(3, bool)),
]


@pytest.mark.parametrize("call", NUMPYS + PROGRAMS)
def test_the_answer_is_numpys(call):
    got, want = outcome(lambda: call(tnp)), outcome(lambda: call(np))
    if isinstance(want, np.ma.MaskedArray):
        assert type(got) is type(want) and repr(got) == repr(want)
    elif isinstance(want, str):
        assert got == want
    elif isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str):
        assert isinstance(got, tuple) and got[0] == want[0], f"{got!r}, not {want!r}"
    else:
        assert type(got) is type(want), f"{got!r}, not {want!r}"
        alike(got, want)


def test_subscripts_of_what_the_engine_does_not_move():
    for x in (OBJECTS, MASKED, np.arange(4.0).view(Metres), np.array([(1, 2.0)] * 4, RECORD)):
        for key in ([1, 0], MASK, 2, slice(1, 3), ...):
            got, want = tnp.index(x, key), x[key]
            assert type(got) is type(want) and repr(got) == repr(want)
            ours, theirs = x.copy(), x.copy()
            tnp.setindex(ours, key, x[0])
            theirs[key] = x[0]
            assert repr(ours) == repr(theirs)
    assert tnp.index(np.array([(1, 2.0)], RECORD), "b").tolist() == [2.0]


def test_a_call_that_is_judged_is_not_asked_of_numpy():
    """NumPy writes the first value before it comes upon the second, and takes elements that share memory."""
    x = np.zeros(3)
    for call in (lambda: tnp.put(x, [0, 9], 1.0), lambda: tnp.add.at(x, [0, 9], 1.0)):
        with pytest.raises(IndexError) as caught:
            call()
        assert caught.value.position == (1,) and not x.any()
    stretched = np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,))
    with pytest.raises(ValueError, match="memory"):
        tnp.put(stretched, [0, 1], [1.0, 2.0])


OURS = _takewise.own_names("numpy", "")


def test_what_finds_elements_is_ours_and_all_else_is_numpys():
    assert {"take", "put", "where", "searchsorted", "add"} <= set(OURS) and not {"sum", "zeros", "sort", "reshape"} & set(OURS)
    for name in dir(np):
        if name not in OURS and not name.startswith("_"):
            assert getattr(tnp, name) is getattr(np, name)
    for name in OURS:
        value = getattr(tnp, name)
        if isinstance(value, _takewise.Function):
            assert value.__doc__ == getattr(np, name).__doc__
        else:
            assert isinstance(value, np.ufunc) and isinstance(value.at, _takewise.Function) and value.nin == 2
            assert pickle.loads(pickle.dumps(value))([1], 2).tolist() == getattr(np, name)([1], 2).tolist()
    assert set(dir(np)) <= set(dir(tnp)) and set(np.__all__) | {"index", "setindex", "add_at"} <= set(tnp.__all__)
    assert tnp.__version__ == np.__version__ and copy.copy(tnp.add)(1, 2) == 3
    with pytest.raises(AttributeError):
        tnp.no_such_name
    assert not hasattr(tnp, "__path__")


def signature(function):
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def test_the_array_api_is_numpys():
    """The names of the standard, with NumPy's signatures, and its inspection by NumPy."""
    functions = [name for name in np.__all__ if callable(getattr(np, name)) and name in ARRAY_API]
    assert len(functions) > 100
    for name in functions:
        assert signature(getattr(tnp, name)) == signature(getattr(np, name)), name
    info = tnp.__array_namespace_info__()
    assert info.default_dtypes() == np.__array_namespace_info__().default_dtypes()
    assert np.zeros(2).__array_namespace__() is np


# The functions of the standard's main namespace.
ARRAY_API = set(
    """abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2 atanh bitwise_and bitwise_invert
    bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor broadcast_arrays broadcast_to can_cast ceil clip concat conj copysign
    cos cosh count_nonzero cumulative_prod cumulative_sum diff divide empty empty_like equal exp expand_dims expm1 eye finfo flip floor
    floor_divide from_dlpack full full_like greater greater_equal hypot iinfo imag isdtype isfinite isin isinf isnan less less_equal
    linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum mean
    meshgrid min minimum moveaxis multiply negative nextafter nonzero not_equal ones ones_like permute_dims positive pow prod real
    reciprocal remainder repeat reshape result_type roll round searchsorted sign signbit sin sinh sort sqrt square squeeze stack std
    subtract sum take take_along_axis tan tanh tensordot tile tril triu trunc unique_all unique_counts unique_inverse unique_values
    unstack var vecdot where zeros zeros_like""".split()
)


def test_jax_answers_what_is_not_ours():
    jax = pytest.importorskip("jax", reason="jax is not installed here; see docs/lab/python.md for an environment with it")
    import jax.numpy as jnp

    tj = takewise.jax
    x, i = jnp.arange(4.0), jnp.array([1, 3])
    for call in (
        lambda n, at: n.take(x, i, unique_indices=True, indices_are_sorted=True),
        lambda n, at: at(x)[i].apply(jnp.square),
        lambda n, at: n.fill_diagonal(jnp.zeros((2, 2)), 1.0, inplace=False),
        lambda n, at: n.place(x, x > 2, jnp.array([7.0]), inplace=False),
        lambda n, at: jax.jit(lambda y: n.take(y, i))(x),
        lambda n, at: jax.grad(lambda y: at(y)[i].set(0.0).sum())(x),
        lambda n, at: jax.vmap(lambda k: n.where(k > 1, x[k], 0.0))(i),
        lambda n, at: at(x)[i].add(jnp.ones(2), unique_indices=True),
        lambda n, at: n.sort(x, descending=True),
        lambda n, at: n.linalg.norm(x),
    ):
        got, want = call(tj.numpy, tj.at), call(jnp, lambda x: x.at)
        assert isinstance(got, jax.Array) and got.dtype == want.dtype and np.array_equal(got, want)
    assert tj.vmap is jax.vmap and tj.numpy.float32 is jnp.float32 and {"take", "sin"} <= set(dir(tj.numpy))


def test_a_library_that_is_not_installed_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "mindspore", None)
    with pytest.raises(AttributeError, match="mindspore is not installed"):
        takewise.mindspore.nn
    assert "ops" in dir(takewise.mindspore)
    library = types.ModuleType("mindspore")
    library.nn, library.ops = object(), types.SimpleNamespace(addcdiv=len)
    monkeypatch.setitem(sys.modules, "mindspore", library)
    assert takewise.mindspore.nn is library.nn and takewise.mindspore.ops.addcdiv is len
    assert isinstance(takewise.mindspore.ops.gather, _takewise.Function) and "nn" in dir(takewise.mindspore)
