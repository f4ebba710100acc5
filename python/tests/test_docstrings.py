"""Every function says what it does, what it takes and what it gives, and shows it."""

import doctest
import inspect

import pytest

import takewise
import takewise.mindspore
import takewise.torch
from takewise import _takewise

# Functions of NumPy's and JAX's have the docstrings of their libraries.
PLACES = [("neutral", ""), ("torch", ""), ("mindspore", ""), ("mindspore", "ops"), ("mindspore", "mint")]


def functions():
    for library, path in PLACES:
        for name in _takewise.names(library, path):
            try:
                value = _takewise.lookup(library, path, name)
            except TypeError:  # a dtype of ml_dtypes', which is not installed here
                continue
            if isinstance(value, _takewise.Function):
                yield f"{library}.{name}", value


@pytest.mark.parametrize(("name", "function"), list(functions()), ids=lambda given: given if isinstance(given, str) else "")
def test_a_function_of_a_table_has_a_docstring_of_its_own(name, function):
    signatures, sentence, *_ = function.__doc__.split("\n\n")
    assert all(line.startswith(function.__name__ + "(") for line in signatures.split("\n"))
    assert sentence.endswith(".") and not sentence.startswith("Parameters")
    taken = inspect.signature(function).parameters
    if len(signatures.split("\n")) == 1 and taken:
        assert "\n\nParameters\n----------\n" in function.__doc__
        assert all(f"\n{parameter} : " in function.__doc__ for parameter in taken)
    else:
        assert list(taken) in (["args", "kwargs"], [])


def test_methods_say_what_they_do():
    tensor = takewise.zeros(2, 2)
    for name in _takewise.names("neutral", None):
        value = getattr(tensor, name)
        if isinstance(value, _takewise.Method):
            assert value.__doc__.split("\n\n")[1].endswith("."), name


def test_signatures_are_those_of_the_tables():
    assert str(inspect.signature(takewise.unbind)) == "(input, dim=0)"
    assert str(inspect.signature(takewise.tril)) == "(input, diagonal=0, *, out=None)"
    assert str(inspect.signature(takewise.atleast_1d)) == "(*args)"
    assert str(inspect.signature(takewise.split)) in ("(tensor, split_size_or_sections, dim=0)", "(*args, **kwargs)")


def test_examples_of_docstrings_hold():
    seen = 0
    for name in takewise.__all__:
        function = getattr(takewise, name)
        if not isinstance(function, _takewise.Function):
            continue
        examples = doctest.DocTestParser().get_examples(function.__doc__)
        runner = doctest.DocTestRunner(verbose=False)
        told = []
        runner.run(doctest.DocTest(examples, {}, name, None, 0, function.__doc__), out=told.append)
        assert not told, "".join(told)
        seen += bool(examples)
    assert seen > 90
