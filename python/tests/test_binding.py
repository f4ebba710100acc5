"""Arguments of takewise's own functions are bound as Python binds them."""

import copy
import gc
import inspect
import pickle
import sys

import numpy as np
import pytest
import takewise
from takewise import _takewise

OPERATIONS = _takewise._operations()
X = np.arange(6).reshape(2, 3)


def as_python_says(name, args, kwargs):
    """What Python says of the same arguments for a function of the same signature."""
    space = {}
    signature = inspect.signature(getattr(takewise, name))
    exec(f"def {name}{signature}: pass", space)
    with pytest.raises(TypeError) as caught:
        space[name](*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("take", (), {}),
        ("take", (X,), {}),
        ("gather", (), {"dim": 0}),
        ("scatter", (), {}),
        ("copy", (X, X), {}),
        ("take", (X, [0], 0, 0, 0), {}),
        ("gather", (X, 0, [[0]], 0), {}),
        ("take", (X, [0]), {"x": X}),
        ("take", (X, [0], 0), {"axis": 1}),
    ],
)
def test_misfits_are_named_in_pythons_words(name, args, kwargs):
    with pytest.raises(TypeError) as caught:
        getattr(takewise, name)(*args, **kwargs)
    assert str(caught.value).startswith(as_python_says(name, args, kwargs))


def test_names_are_told_by_what_they_say_and_not_by_which_object_they_are():
    fresh = "".join(["ax", "is"])
    assert np.array_equal(takewise.take(X, [2, 0], **{fresh: 1}), X[:, [2, 0]])
    with pytest.raises(TypeError, match="unexpected keyword argument 'axi'"):
        takewise.take(X, [0], **{fresh[:3]: 1})


def test_all_arguments_may_have_names_in_any_order():
    assert np.array_equal(takewise.take(bounds="clip", axis=1, index=[9, 0], x=X), X[:, [2, 0]])


def test_none_is_what_is_left_out_only_where_it_is_the_default():
    assert np.array_equal(takewise.take(X, [5], axis=None, bounds=None, out=None, threads=None), [5])
    assert np.array_equal(takewise.take_along_axis(X, np.array([5, 0]), axis=None), [5, 0])
    for misfit in ({"batch_dims": None}, {"threads": "two"}):
        with pytest.raises(TypeError):
            takewise.take(X, [0], **misfit)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_functions_are_found_by_their_name(operation):
    function = getattr(_takewise, operation.name)
    assert pickle.loads(pickle.dumps(function)) is function and copy.deepcopy(function) is function
    assert function.__qualname__ == function.__name__ == operation.name and function.__module__ == "takewise._takewise"
    assert "Dask" in function.__doc__ and str(inspect.signature(function)) == operation.signature


def test_calls_keep_nothing_of_their_arguments():
    # Objects of this test alone: a word that stands in other places is counted there too.
    held = [np.zeros(3), np.array([0]), "".join(["un", "known"]), "".join(["cl", "ip"])]

    def counts():
        gc.collect()
        return [sys.getrefcount(one) for one in held]

    before = counts()
    for _ in range(100):
        takewise.take(held[0], held[1], bounds=held[3])
        with pytest.raises(TypeError):
            takewise.take(held[0], held[1], held[2])
    assert counts() == before
