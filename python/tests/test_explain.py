"""Explanations: true of the call, made without a trace on its operands, and shown."""

import inspect
import json
import operator
import pathlib
import pickle
import re
import threading
import time

import numpy as np
import pytest

import takewise
import takewise.mindspore
import takewise.numpy
import takewise.torch
from takewise import _takewise, explain

from calls import CALLS, I2, M, N, S, V, X, call_of, copied
from explained import checked

# What is called but indexes nothing, or is asked for by its own tests below.
REFUSED = {"set_num_threads", "get_num_threads", "set_mixed", "get_mixed", "manual_seed", "set_grad_enabled", "no_grad", "enable_grad", "inference_mode",
           "is_grad_enabled"}  # fmt: skip
APART = {"at", "explain", "Size"}
# What makes its elements of nothing.
MAKES = {"arange", "linspace", "unravel_index"}
RANDOM = {"rand", "randint", "randn", "randperm"}


def functions():
    """The functions of the package, by what the package says itself."""
    for name in takewise.__all__:
        value = getattr(takewise, name)
        if inspect.isbuiltin(value) or isinstance(value, _takewise.Function):
            yield name


def bytes_of(value):
    if isinstance(value, np.ndarray):
        return (value.tobytes(), value.shape, value.strides, value.dtype)
    if isinstance(value, takewise.Tensor):
        return bytes_of(np.asarray(value))
    if isinstance(value, (list, tuple)):
        return [bytes_of(v) for v in value]
    return value


def test_every_function_has_a_call():
    assert set(functions()) - REFUSED - APART == set(CALLS)


@pytest.mark.parametrize(
    ("name", "entry"), [(name, entry) for name, calls in CALLS.items() for entry in calls], ids=lambda v: v if isinstance(v, str) else ""
)
def test_every_function_is_explained(name, entry):
    function = getattr(takewise, name)
    args, kwargs = copied(*call_of(entry))
    before = bytes_of([args, list(kwargs.values())])
    found = explain(function, *args, **kwargs)
    assert bytes_of([args, list(kwargs.values())]) == before
    assert found.dialect == "takewise" and found.expression and found.text and json.loads(found.to_json()) == found.to_dict()
    result = function(*args, **kwargs)
    result = args[0] if result is None else result
    if name in RANDOM | MAKES:
        assert found.shape == tuple(result.shape if hasattr(result, "shape") else result[0].shape)
    else:
        checked(found, result)


T = takewise.torch
DIALECTS = [
    lambda: (T.gather, T.tensor([[1, 2], [3, 4]]), 1, T.tensor([[0, 0], [1, 0]])),
    lambda: (T.zeros(3).scatter_add_, 0, T.tensor([0, 0, 2]), T.tensor([1.0, 2.0, 3.0])),
    lambda: (T.arange(6).reshape(2, 3).__getitem__, (slice(None), T.tensor([2, 0]))),
    lambda: (T.zeros(4).__setitem__, T.tensor([1, 1]), T.tensor([5.0, 6.0])),
    lambda: (T.sort, T.tensor([3, 1, 2])),
    lambda: (T.arange(6).take, T.tensor([5, 0])),
    lambda: (takewise.numpy.take, X, [0, 2], {"axis": 1, "mode": "clip"}),
    lambda: (takewise.numpy.index, X, ([1, 0], slice(1, 3))),
    lambda: (takewise.numpy.setindex, X.copy(), ([1, 0], [0, 0]), [5, 6]),
    lambda: (takewise.numpy.add.at, V.copy(), [0, 0, 2], 1),
    lambda: (takewise.numpy.put_along_axis, X.copy(), np.array([[0], [1]]), 9.0, 1),
    lambda: (operator.getitem, X, (0, [2, 1])),
    lambda: (operator.setitem, X.copy(), [0, 0], np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])),
    lambda: (takewise.mindspore.ops.gather, takewise.mindspore.Tensor([[1, 2], [3, 4]]), takewise.mindspore.Tensor([1, 0]), 0),
    lambda: (takewise.mindspore.Tensor([1.0, 2.0, 3.0]).__getitem__, takewise.mindspore.Tensor([2, 0])),
    lambda: (takewise.mindspore.mint.gather, takewise.mindspore.Tensor([[1, 2]]), 1, takewise.mindspore.Tensor([[1, 1]])),
    lambda: (takewise.at(V.copy())[[0, 0, 2]].add, 1),
    lambda: (takewise.at(V.copy())[[0, 3]].set_, [7, 8]),
    lambda: (takewise.at(V)[[0, 9]].get, {"bounds": "fill"}),
    lambda: (takewise.PreparedSearch([1, 3, 5]).searchsorted, np.array([2, 9])),
    lambda: (takewise.tensor([4, 5, 6]).index_select, 0, takewise.tensor([2, 0])),
]  # fmt: skip


@pytest.mark.parametrize("made", DIALECTS)
def test_functions_and_methods_of_the_libraries(made):
    function, *entry = made()
    args, kwargs = call_of(tuple(entry))
    receiver = getattr(function, "__self__", None)
    operands = [receiver, args] if isinstance(receiver, takewise.Tensor) else [args]
    before = bytes_of(operands)
    found = explain(function, *args, **kwargs)
    assert bytes_of(operands) == before and found.error is None and found.operation
    result = function(*args, **kwargs)
    checked(found, (receiver if isinstance(receiver, takewise.Tensor) else args[0]) if result is None else result)


def test_jax():
    pytest.importorskip("jax")
    import jax.numpy as jnp

    import takewise.jax

    x = jnp.arange(6.0).reshape(2, 3)
    for function, args, kwargs in [
        (takewise.jax.numpy.take, (x, jnp.array([2, 9])), {"axis": 1}),
        (takewise.jax.at(x)[0, jnp.array([0, 0])].add, (1.0,), {}),
        (takewise.jax.at(x)[jnp.array([1, 7])].set, (5.0,), {"mode": "drop"}),
        (takewise.gather, (x, 1, jnp.array([[2], [0]])), {}),
        (takewise.scatter_add, (x, 1, jnp.array([[2], [0]]), jnp.array([[2.0], [3.0]])), {}),
    ]:
        found = explain(function, *args, **kwargs)
        result = function(*args, **kwargs)
        assert checked(found, np.asarray(result)) > 0
    assert explain("x[i]", x=x, i=jnp.array([0, 1])).dialect == "jax"


def test_expressions():
    x, i = np.arange(24).reshape(2, 3, 4), np.array([0, 1])
    assert explain("x[0, :, i]", x=x, i=i).shape == (2, 3)
    assert explain("x[0, :, i]", x=x, i=i, dialect="torch").shape == (3, 2)
    found = explain("x[0, :, i]", x=x, i=i, dialect="mindspore")
    assert [o["name"] for o in found.to_dict()["operands"]] == ["x", "i"] and found.dialect == "mindspore"
    assert explain("np.take(x, i, axis=2)", x=x, i=i).shape == (2, 3, 2)
    assert explain("torch.gather(x, 2, i)", x=takewise.torch.arange(4).reshape(1, 1, 4), i=takewise.torch.tensor([[[3]]])).shape == (1, 1, 1)
    assert explain("plan[1]", {"plan": x}).shape == (3, 4)
    assert explain("x[key]", x=x, key=(0, slice(None), [1, 2])).shape == (2, 3)
    before = x.copy()
    found = explain("x[0] = 7; x[0, 1]", x=x)
    assert np.array_equal(x, before) and found.to_dict()["results"][0]["values"] == ["7"] * 4
    for source in ("torch.zeros(2); x.fill_(7)", "x.fill_(7)", "x.fill_(7)[0]", "-x.fill_(7)", "y = x.fill_(7)", "x[x.fill_(1) > 0]", "(x.fill_(7))"):
        y = takewise.torch.arange(6)
        explain(source, x=y)
        assert y.tolist() == list(range(6)), source
    found = explain("x[i] = 5", x=x, i=i)
    assert np.array_equal(x, before) and len(found.to_dict()["results"][0]["cells"]) == 24
    assert explain("x[0, :, [0, 1]]", x=x).shape == (2, 3)
    assert explain("torch.zeros(3)").dialect == "torch"


@pytest.mark.parametrize(
    ("source", "names", "error", "says"),
    [
        ("x[", {"x": V}, SyntaxError, "x["),
        ("x[0", {"x": V}, SyntaxError, ""),
        ("y[0]", {"x": V}, NameError, "'y'"),
        ("x[0]; z", {"x": V}, NameError, "^"),
        ("for i in x: pass", {"x": V}, Exception, ""),
        ("x[o]", {"x": V, "o": object()}, TypeError, "object"),
        ("x[0]", {"x": np.array([object()])}, TypeError, "Python objects"),
        ("x[0]", {"x": V, "dialect": "cobol"}, ValueError, "cobol"),
        ("x[0]", {"x": V, "language": "fr"}, ValueError, "language"),
    ],
)
def test_what_is_wrong_with_an_expression_is_raised(source, names, error, says):
    with pytest.raises(error) as raised:
        explain(source, **names)
    assert says in str(raised.value) and "\n\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: explain(takewise.gather, X, 1), TypeError, "index"),
        (lambda: explain(takewise.gather, X, 1, I2, bound="clip"), TypeError, "bound"),
        (lambda: explain(takewise.gather, X, 1, I2, bounds="nearest"), ValueError, "nearest"),
        (lambda: explain(takewise.torch.gather, takewise.torch.ones(2), 0), TypeError, "gather"),
        (lambda: explain(takewise.numpy.take), TypeError, "take"),
        (lambda: explain(takewise.gather, np.array([object()]), 0, [0]), TypeError, "Python objects"),
        (lambda: explain(takewise.gather, X, 1, I2, dialect="torch"), TypeError, "dialect"),
        (lambda: explain(print, X), TypeError, "print"),
        (lambda: explain(lambda x: x[0], X), TypeError, "lambda"),
        (lambda: explain(3), TypeError, "3"),
        (lambda: explain(takewise.set_num_threads, 1), TypeError, "indexes nothing"),
        (lambda: explain(takewise.manual_seed, 1), TypeError, "indexes nothing"),
        (lambda: explain("x[0]", V), TypeError, "mapping"),
        (lambda: explain(), TypeError, "call"),
        (lambda: explain(operator.getitem, X), TypeError, "2 arguments"),
        (lambda: explain(takewise.numpy.index, X), TypeError, "2 arguments"),
    ],
)
def test_what_is_no_call_is_refused(call, error, says):
    with pytest.raises(error, match=re.escape(says)):
        call()


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_changes_the_process_is_refused(name):
    before = takewise.is_grad_enabled(), takewise.get_num_threads()
    with pytest.raises(TypeError, match="indexes nothing"):
        explain(getattr(takewise, name))
    assert (takewise.is_grad_enabled(), takewise.get_num_threads()) == before


@pytest.mark.parametrize(
    ("call", "args", "operand", "position", "value", "size"),
    [
        (takewise.take, (V, [1, 7]), 1, (1,), 7, 4),
        (takewise.gather, (X, 1, [[0, 1], [9, -9]]), 1, (1, 0), 9, 3),
        (takewise.scatter_add_, (V.copy(), 0, np.array([0, -5]), 1.0), 1, (1,), -5, 4),
        (takewise.index, (N, (0, slice(None), np.array([[1], [4]]))), 1, (1, 0), 4, 4),
        (takewise.index_put_, (X.copy(), (np.array([0, 5]), np.array([1, 1])), 5.0), 1, (1,), 5, 2),
        (takewise.torch.gather, (T.ones(2, 3), 1, T.tensor([[0, 5]])), 1, (0, 1), 5, 3),
        (takewise.numpy.take, (V, np.array([1, 9])), 1, (1,), 9, 4),
        (takewise.numpy.index, (X, (np.array([0, 1]), np.array([0, 8]))), 2, (1,), 8, 3),
    ],
)  # fmt: skip
def test_a_call_that_fails_is_explained(call, args, operand, position, value, size):
    before = bytes_of(list(args))
    with pytest.raises((IndexError, RuntimeError)) as raised:
        call(*args)
    found = explain(call, *args)
    assert bytes_of(list(args)) == before
    error = found.error
    assert type(error) is type(raised.value) and (error.position, error.value, error.size) == (position, value, size)
    assert (error.value, error.size, error.axis) == (raised.value.value, raised.value.size, raised.value.axis)
    told = found.to_dict()["error"]
    assert told["class"] == type(error).__name__ and told["operand"] == operand and told["at"] in told["bad"]
    assert str(value) in told["message"] and told["value"] == str(value)
    assert found.shape is None and str(value) in found.text


def test_a_failing_expression_points_at_its_place():
    found = explain("y = x[i]", x=V, i=np.array([0, 9]), dialect="numpy")
    start, stop = found.to_dict()["error"]["span"]
    assert "y = x[i]"[start:stop] == "i" and found.error.position == (1,)
    with pytest.raises(IndexError, match=re.escape("x[i] + 1\n    ^")):
        explain("x[i] + 1", x=V, i=np.array([0, 9]), dialect="numpy")


def test_errors_of_shape_have_no_position():
    found = explain(takewise.gather, X, 5, I2)
    assert isinstance(found.error, IndexError) and found.to_dict()["error"]["at"] is None
    found = explain(takewise.masked_select, X, np.array([True, False]))
    assert found.error is not None and found.error.position is None


def test_operands_that_share_memory_stay_as_they_are_and_act_as_they_do():
    x = np.array([3, 0, 1, 2])
    for call in [
        (takewise.scatter_, x, 0, x, x),
        (takewise.index_set, x, slice(None), x[::-1]),
        (takewise.index_put_, x[1:], [0, 1], x[:2]),
        (takewise.scatter_add_, x[:2], 0, x[2:] - 1, x[1:3]),
        (takewise.take, x, x[::2], None, 0),
    ]:
        function, *args = call
        before = x.tobytes()
        found = explain(function, *args)
        assert x.tobytes() == before
        # The same call on copies that overlap likewise.
        y = x.copy()
        moved = [y[slice_of(x, a)] if isinstance(a, np.ndarray) and np.shares_memory(a, x) else a for a in args]
        checked(found, function(*moved))


def slice_of(base, view):
    """The slice by which a view of one axis is taken."""
    size, step = base.itemsize, view.strides[0]
    start = (view.ctypes.data - base.ctypes.data) // size
    stop = start + view.size * step // size
    return slice(start, stop if stop >= 0 else None, step // size)


def test_overlap_in_expressions():
    x = np.arange(5)
    found = explain("x[:] = y", x=x, y=x[::-1], dialect="numpy")
    assert found.to_dict()["results"][0]["values"] == ["4", "3", "2", "1", "0"] and x.tolist() == [0, 1, 2, 3, 4]


def test_read_only_arrays_are_refused_as_by_the_call():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(Exception) as raised:
        takewise.scatter_(x, 0, [0], 1.0)
    found = explain(takewise.scatter_, x, 0, [0], 1.0)
    assert type(found.error) is type(raised.value)
    assert explain(takewise.take, x, [0]).error is None


def test_read_only_arrays_are_refused_in_expressions_too():
    x = np.zeros(3)
    x.flags.writeable = False
    for source, names in [("x[0] = 1", {}), ("x[i] = 1.0", {"i": [0, 2]}), ("np.put(x, [0], [1.0])", {})]:
        with pytest.raises(ValueError) as raised:
            exec(source, {"x": x, "np": np, **names})
        found = explain(source, x=x, dialect="numpy", **names)
        assert isinstance(found.error, ValueError) and str(raised.value) in str(found.error), source
    assert explain("x[0]", x=x).error is None and explain("y[0] = x[1]", x=x, y=np.zeros(3)).error is None
    found = explain(np.put, x, [0], [1.0])
    assert isinstance(found.error, ValueError) and "read-only" in str(found.error)
    # A view that may be written, of memory whose other view may not, and the other way round.
    whole = np.zeros(4)
    part = whole[1:]
    part.flags.writeable = False
    assert explain("whole[2] = 1", whole=whole, dialect="numpy").error is None
    assert "read-only" in str(explain("part[0] = 1", part=part, dialect="numpy").error)


def test_memory_that_may_not_be_written_is_refused_in_numpys_words():
    x = np.array([3, 1, 2])
    x.flags.writeable = False
    for source in ("x.sort()", "x.put([0], 7)", "x[0] = 7", "np.put(x, [0], 7)", "np.put_along_axis(x, np.array([0]), 7, 0)"):
        with pytest.raises(ValueError) as raised:
            exec(source, {"x": x, "np": np})
        assert str(raised.value) in str(explain(source, x=x, dialect="numpy").error), source
    with pytest.raises(ValueError) as raised:
        x.sort()
    assert str(raised.value) in str(explain(x.sort).error)


def test_what_a_history_forbids_is_an_error():
    w = T.tensor([1.0, 2.0, 3.0], requires_grad=True)
    k = w[T.tensor([0, 1])]
    for source in ("w.fill_(7)", "w[0] = 7", "w[1:].fill_(7)", "view.fill_(7)", "view[1:].fill_(7)", "w.index_fill_(0, i, 7.0)"):
        names = {"w": w, "view": w[1:], "i": T.tensor([0])}
        with pytest.raises(RuntimeError) as raised:
            exec(source, dict(names))
        found = explain(source, **names)
        assert isinstance(found.error, RuntimeError) and str(raised.value) in str(found.error), source
    assert explain("k.fill_(7)", k=k).error is None and k.tolist() == [1.0, 2.0]
    assert "requires grad" in str(explain("k.numpy()", k=k, dialect="torch").error)
    assert "requires grad" in str(explain("k.numpy()", k=k).error)
    assert explain("k.retain_grad()", k=k).error is None and not k.retains_grad
    x = T.zeros(2)
    assert explain("x.requires_grad_()", x=x).error is None and not x.requires_grad
    assert explain(x.requires_grad_).error is None and not x.requires_grad
    assert isinstance(explain("w.retain_grad()", w=T.zeros(2)).error, RuntimeError)


def test_lists_have_the_names_they_are_given_by():
    def names(found):
        return [operand["name"] for operand in found.to_dict()["operands"]]

    assert names(explain("x[i]", x=V, i=[3, 1])) == ["x", "i"]
    assert names(explain("x[0, :, i]", x=N, i=[0, 1])) == ["x", "i"]
    assert names(explain("x[i] = v", x=V, i=[3, 1], v=[5.0, 6.0])) == ["x", "i", "v"]
    assert names(explain("np.take(x, order)", x=V, order=[3, 1])) == ["x", "order"]
    assert names(explain("x[[3, 1]]", x=V)) == ["x", "index"]


@pytest.mark.parametrize(
    ("call", "args", "ours"),
    [
        (np.take, (V, [3, 1]), "take"), (np.where, (M, X, 0.0), "where"), (np.take_along_axis, (X, I2, 1), "take_along_axis"),
        (np.put_along_axis, (X, I2, S, 1), "put_along_axis"), (np.put, (V, [0, 2], [7.0, 8.0]), "put"), (np.sort, (X, 1), "sort"),
        (np.add.at, (V, [0, 0], 1.0), "add.at"), (np.searchsorted, (np.array([1, 3]), [2, 4]), "searchsorted"), (np.nonzero, (X,), "nonzero"),
        (V.take, ([3, 1],), "take"), (np.ndarray.take, (V, [3, 1]), "take"), (V.argsort, (), "argsort"), (np.extract, (M, X), "extract"),
        (np.lib.stride_tricks.sliding_window_view, (V, 2), "sliding_window_view"), (np.transpose, (X,), "transpose"),
    ],
)  # fmt: skip
def test_numpys_own_functions(call, args, ours):
    args = copied(args, {})[0]
    before = bytes_of(args)
    found = explain(call, *args)
    assert bytes_of(args) == before and found.error is None and found.dialect == "numpy"
    assert found.operation == ours or found.operation == ours.split(".")[-1]
    result = call(*args)
    checked(found, args[0] if result is None else result)


def test_functions_of_numpy_that_are_not_ours_are_refused_by_name():
    for call in (np.cumprod, np.linalg.norm, V.std):
        with pytest.raises(TypeError, match=r"takewise\.numpy|takes an expression"):
            explain(call, V)


def test_jaxs_own_functions():
    pytest.importorskip("jax")
    import jax.numpy as jnp

    x, i = jnp.arange(6.0).reshape(2, 3), jnp.array([1, 9])
    for call, args in [
        (jnp.take, (x, i)), (jnp.take_along_axis, (x, jnp.array([[2], [9]]), 1)), (x.take, (i,)), (x.at[0, i].add, (1.0,)),
        (x.at[jnp.array([0, 0])].set, (jnp.ones((2, 3)),)), (jnp.searchsorted, (jnp.array([1.0, 3.0]), x)), (jnp.where, (x > 2, x, 0.0)),
    ]:  # fmt: skip
        found = explain(call, *args)
        assert found.dialect == "jax" and checked(found, np.asarray(call(*args))) > 0


def test_libraries_side_by_side():
    x, i = np.arange(24).reshape(2, 3, 4), np.array([0, 1])
    found = explain("x[0, :, i]", x=x, i=i)
    both = found.compare(["numpy", "torch"])
    assert [(name, one.shape) for name, one in both.columns.items()] == [("numpy", (2, 3)), ("torch", (3, 2))]
    assert not both.same and both.columns["numpy"] == found
    assert both == found.compare("numpy, torch") and both != found.compare("numpy") and found.compare("numpy").same
    assert set(found.compare().columns) == {"torch", "numpy", "mindspore", "jax", "takewise"}
    assert str(both) == both.text and "torch" in both.text and both.svg.startswith("<svg") and both._repr_svg_() == both.svg
    assert both.html.lower().startswith("<!doctype html>") and "<html" not in both._repr_html_()
    assert json.loads(both.to_json()) == both.to_dict() and pickle.loads(pickle.dumps(both)) == both
    outside = explain(takewise.numpy.take, V, [1, 9]).compare(["numpy", "jax", "torch"]).columns
    assert outside["numpy"].error.value == 9 and outside["jax"].error is None
    lacking = explain(takewise.torch.scatter_add, T.zeros(3), 0, T.tensor([0]), T.ones(1)).compare(["torch", "numpy"]).columns
    assert lacking["torch"].error is None and isinstance(lacking["numpy"].error, AttributeError)
    with pytest.raises(ValueError, match="cobol"):
        found.compare(["cobol"])
    with pytest.raises(ValueError, match="read back"):
        takewise.Explanation.from_json(found.to_json()).compare()


def test_own_functions_beside_those_of_the_libraries():
    same = explain(takewise.gather, X, 1, [[2, 0], [1, 1]]).compare(["takewise", "torch"])
    assert same.same and same.columns["torch"].shape == (2, 2)
    with pytest.raises(TypeError, match="no function like"):
        explain(takewise.vindex, N, (slice(None), [0, 2], [3, 1])).compare()


def test_the_five_rules():
    five = explain(takewise.take, V, [1, 7]).bounds()
    assert list(five.columns) == ["raise", "wrap", "clip", "fill", "drop"] and five.places == [1]
    values = {name: one.to_dict()["results"][0]["values"] for name, one in five.columns.items() if one.error is None}
    assert values == {"wrap": ["1.0", "2.0"], "clip": ["1.0", "2.0"], "fill": ["1.0", "nan"], "drop": ["1.0", "0.0"]}
    assert five.columns["raise"].error.value == 7
    by_name = explain("x[i]", x=V, i=[1, 7], dialect="numpy").bounds()
    assert [one.error is None for one in by_name.columns.values()] == [False, True, True, True, True]
    for call, args in [
        (takewise.scatter_add_, (V, 0, [0, 9], [1.0, 2.0])), (takewise.at(V)[[0, 9]].add, (1.0,)), (takewise.numpy.take, (V, [0, 9])),
        (np.take, (V, [0, 9])), (T.zeros(3).index_fill, (0, T.tensor([0, 9]), 1.0)), (takewise.masked_select, (X, M)),
    ]:  # fmt: skip
        before = V.copy()
        five = explain(call, *args).bounds()
        assert len(five.columns) == 5 and np.array_equal(V, before)
        assert (five.columns["raise"].error is None) == (call is takewise.masked_select)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_kinds_of_memory():
    records = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])
    for x in [
        records, np.array(["2020-01-01", "2021-01-01"], "M8[D]"), np.arange(2, dtype=">i4"), np.broadcast_to(3.0, (2,)),
        np.lib.stride_tricks.sliding_window_view(np.arange(3), 2), np.frombuffer(b"abcdefghi", "<i4", 2, 1), np.arange(9)[::-4],
        np.matrix([[1, 2], [3, 4]]), np.array([1, 2], "f2"), np.zeros((2, 0)), bytearray(b"ab"), memoryview(b"ab"),
    ]:  # fmt: skip
        before = bytes(x) if not isinstance(x, np.ndarray) else x.tobytes()
        found = explain(takewise.index_select, x, 0, [1, 0])
        assert found.error is None and found.shape == np.asarray(takewise.index_select(x, 0, [1, 0])).shape
        assert before == (bytes(x) if not isinstance(x, np.ndarray) else x.tobytes())


def test_large_arrays_are_explained_by_their_layout():
    x = np.zeros((4096, 4096), np.float32)
    i = np.array([5, 3])
    started = time.perf_counter()
    found = explain(takewise.index_add_, x, 0, i, np.ones((2, 4096), np.float32))
    assert found.shape == x.shape and found.to_dict()["sample"] is not None and not x.any()
    found = explain(takewise.take, x, i, axis=0)
    assert found.shape == (2, 4096) and found.to_dict()["results"][0]["values"] is None
    found = explain("x[i] = 1.0", x=x, i=i, dialect="numpy")
    assert found.shape == x.shape and not x.any()
    found = explain(takewise.torch.index_select, takewise.torch.zeros(2048, 2048), 0, takewise.torch.tensor([1]))
    assert found.shape == (1, 2048)
    found = explain(takewise.take, x, [0, 99999], axis=0)
    assert found.error.value == 99999
    assert time.perf_counter() - started < 30
    huge = np.broadcast_to(np.float32(1), (1 << 40,))
    assert explain("x[3:9:2]", x=huge, dialect="numpy").shape == (3,)
    assert explain(takewise.take, huge, [1, 2]).shape == (2,)


def test_threads_do_not_see_each_other():
    errors = []

    def work(seed):
        try:
            rng = np.random.default_rng(seed)
            for _ in range(20):
                x, i = rng.random((3, 4)), rng.integers(-4, 4, (3, 2))
                checked(explain(takewise.gather, x, 1, i), takewise.gather(x, 1, i))
                checked(explain("x[:, j]", x=x, j=i[0], dialect="numpy"), x[:, i[0]])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors


def test_random_numbers_are_not_taken():
    takewise.manual_seed(3)
    want = takewise.rand(4).tolist()
    takewise.manual_seed(3)
    explain(takewise.rand, 4)
    explain("torch.rand(4)")
    assert takewise.rand(4).tolist() == want


def test_code_of_the_callers_runs_once_for_each_time_it_is_asked():
    class Index:
        asked = 0

        def __index__(self):
            Index.asked += 1
            # What code of the caller's does meanwhile is no part of the call.
            takewise.take(np.arange(3), [0])
            return 1

    found = explain(takewise.index, X, Index())
    assert found.shape == (3,) and Index.asked <= 2


def test_what_it_shows_itself_as():
    found = explain(takewise.scatter_add_, np.zeros(3), 0, np.array([0, 0, 2]), np.array([1.0, 2.0, 3.0]))
    assert str(found) == found.text == repr(found) and "\x1b" not in found.text
    assert "index[1]" in found.text or "index" in found.text
    assert found.svg.startswith("<svg") and found._repr_svg_() == found.svg
    assert found.html.lower().startswith("<!doctype html>") and "<html" not in found._repr_html_()
    assert "://" not in found.html.replace("http://www.w3.org/", "")
    colored = explain(takewise.take, V, [1], color=True)
    assert "\x1b[" in colored.text and "\x1b[" in repr(colored)
    chinese = explain(takewise.take, V, [1], language="zh")
    assert any("\u4e00" <= c <= "\u9fff" for c in chinese.text) and chinese.text != explain(takewise.take, V, [1]).text
    planned = explain(takewise.take, V, [1], plan=True)
    assert planned.to_dict()["plans"][0]["strategies"][0]["name"] in planned.text and planned.text != explain(takewise.take, V, [1]).text


def test_json_and_pickles():
    found = explain(takewise.take, V, [1, 7], plan=True, language="zh")
    again = takewise.Explanation.from_json(found.to_json(), plan=True, language="zh")
    assert again == found and again.text == found.text and found.to_json(indent=True).count("\n") > 10
    back = pickle.loads(pickle.dumps(found))
    assert back == found and back.text == found.text and back.error.position == (1,)
    assert found != explain(takewise.take, V, [1]) and found != 3
    for text, says in [("", "no explanation"), ("{}", "no explanation"), (found.to_json().replace('"version":1', '"version":99'), "99")]:
        with pytest.raises(ValueError, match=says):
            takewise.Explanation.from_json(text)


def test_what_is_drawn_is_bounded_and_escaped():
    told = explain(takewise.take, V, [1]).to_dict()
    told["expression"] = "<script>alert(1)</script>"
    told["results"][0]["cells"][0]["at"] = 10**9
    hostile = takewise.Explanation.from_json(json.dumps(told))
    assert "<script>alert" not in hostile._repr_html_() + hostile.svg and hostile.text


def test_signatures_can_be_asked_for():
    parameters = inspect.signature(explain).parameters
    assert list(parameters) == ["call", "args", "dialect", "plan", "language", "color", "kwargs"]
    assert inspect.signature(takewise.Explanation.to_json) and explain.__doc__ and takewise.Explanation.__doc__


def test_the_documents_name_every_field():
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the documents are not part of the package")
    text = page.read_text()
    told = explain(takewise.scatter_add_, V.copy(), 0, [0, 0], [1.0, 2.0]).to_dict()
    missing = [field for field in told if f"`{field}`" not in text]
    assert not missing
