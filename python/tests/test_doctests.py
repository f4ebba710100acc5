"""The examples in the docstrings of the extension module, which pytest does not find by itself."""

import doctest
import inspect

import numpy
import pytest

import takewise
from takewise import _takewise

OBJECTS = [
    (name, value)
    for name, value in sorted(vars(_takewise).items())
    if ">>>" in (inspect.getdoc(value) or "") and not inspect.ismodule(value)
]


@pytest.mark.parametrize(("name", "value"), OBJECTS, ids=[name for name, _ in OBJECTS])
def test_docstring(name, value):
    parser = doctest.DocTestParser()
    test = parser.get_doctest(inspect.getdoc(value), {"takewise": takewise, "np": numpy}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_most_functions_have_examples():
    functions = [name for name, value in vars(_takewise).items() if callable(value) and not name.startswith("_")]
    documented = {name for name, _ in OBJECTS}
    bare = [
        name
        for name in functions
        if name not in documented and not name.endswith("_") and inspect.isbuiltin(getattr(_takewise, name))
    ]
    # What the modules of the libraries are made of has its examples there.
    plumbing = {"getitem", "gradients", "is_variable", "lookup", "names", "own_names", "setitem", "update", "variable"}
    assert set(bare) <= plumbing | {"get_num_threads"}, bare
