"""What Python asks of the objects themselves: our tensors answer as PyTorch's do, where the question is about elements."""

import copy
import math
import operator
import pickle

import pytest

import takewise
import takewise.mindspore
import takewise.torch as ours

live = pytest.importorskip("torch", reason="PyTorch is not installed here; see docs/lab/python.md for an environment with it")

TENSORS = {
    "rows": lambda t: t.tensor([[1, 2], [3, 4], [5, 6]]),
    "floats": lambda t: t.tensor([1.5, -2.0]),
    "mask": lambda t: t.tensor([True, False, True]),
    "one": lambda t: t.tensor(3),
    "one float": lambda t: t.tensor(1.5),
    "one truth": lambda t: t.tensor(True),
    "one complex": lambda t: t.tensor(1 + 2j),
    "one in a row": lambda t: t.tensor([7]),
    "none": lambda t: t.tensor([]),
}
QUESTIONS = {
    "len": len,
    "bool": bool,
    "int": int,
    "float": float,
    "complex": complex,
    "index": operator.index,
    "list": lambda x: list(x),
    "unpacked": lambda x: [*x],
    "reversed": lambda x: list(reversed(x)),
    "length hint": lambda x: operator.length_hint(iter(x)),
    "2 in": lambda x: 2 in x,
    "2.5 in": lambda x: 2.5 in x,
    "text in": lambda x: "a" in x,
    "none in": lambda x: None in x,
    "03d": lambda x: f"{x:03d}",
    ".2f": lambda x: f"{x:.2f}",
    "10s": lambda x: f"{x:10s}",
    "plain": lambda x: f"{x}",
    "str": str,
    "repr": repr,
    "list by it": lambda x: ["a", "b", "c", "d"][x],
    "ceil": math.ceil,
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "hash": lambda x: hash(x) == hash(x) and x in {x: 1},
    "and": lambda x: (x.__iand__(x), x)[1],
}


def flat(value):
    if isinstance(value, list):
        return [flat(item) for item in value]
    if hasattr(value, "tolist"):
        return "tensor", str(value.dtype), tuple(value.shape), value.tolist()
    return type(value).__name__, value


def answer(ask, x):
    try:
        return flat(ask(x))
    except Exception as error:
        return error


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind", TENSORS)
def test_as_pytorch(kind, question):
    ask = QUESTIONS[question]
    want, got = (answer(ask, TENSORS[kind](t)) for t in (live, ours))
    if isinstance(want, Exception):
        assert isinstance(got, Exception), got
        classes = (type(want), TypeError, NotImplementedError)
        assert isinstance(got, classes), (want, got)
    elif isinstance(got, NotImplementedError):
        assert "is not evaluated" in str(got) or "not available" in str(got), got
    else:
        assert got == want


def test_operators_of_masks_in_place_write():
    for op in (operator.iand, operator.ior, operator.ixor):
        x, y = (t.tensor([True, False, True, False]) for t in (ours, live))
        seen, watched = x[:2], y[:2]
        x, y = op(x, t := ours.tensor([True, True, False, False])), op(y, live.tensor(t.tolist()))
        assert x.tolist() == y.tolist() and seen.tolist() == watched.tolist()


def test_others():
    assert f"{takewise.Tensor(2.5):.1f}" == "2.5" and [r.tolist() for r in reversed(takewise.Tensor([[1], [2]]))] == [[2], [1]]
    backwards = list(reversed(takewise.mindspore.Tensor([1, 2, 3])))
    assert [x.asnumpy().item() for x in backwards] == [3, 2, 1]
