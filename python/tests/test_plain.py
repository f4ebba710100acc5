"""The short road of calls of nothing but tensors does what the general one does, which a keyword argument asks for."""

import numpy as np
import pytest

import takewise.torch as ttw

torch = pytest.importorskip("torch")

X = [[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]
# name, arguments after the first; a number is an axis, a list of floats is data, one of integers an index
CALLS = [
    ("gather", 1, [[2, 0], [1, 1]]),
    ("gather", -1, [[2, 0], [1, 1]]),
    ("gather", 2, [[0]]),
    ("gather", 0, [[0, 3]]),
    ("gather", 1, [[-1], [0]]),
    ("gather", 0, [0]),
    ("gather", 0, [[0.5]]),
    ("gather", 1, [[0], [0], [0]]),
    ("take", [[5, 0], [-1, 2]]),
    ("take", [6]),
    ("take", [[0.5]]),
    ("index_select", 1, [2, 0, 2]),
    ("index_select", 0, [2]),
    ("index_select", 7, [0]),
    ("searchsorted", [[25.0, 5.0], [70.0, 50.0]]),
    ("searchsorted", [[1, 25], [70, 50]]),
    ("searchsorted", [25.0]),
    ("index_add", 0, [1, 1, 0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    ("index_add", 0, [1, 2], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    ("index_add", 0, [1], [1.0]),
    ("index_add", 0, [1], [[1, 2, 3]]),
    ("scatter_add", 1, [[2, 2], [0, 1]], [[1.0, 2.0], [3.0, 4.0]]),
    ("scatter_add", 1, [[3, 2]], [[1.0, 2.0]]),
    ("scatter", 1, [[2, 2], [0, 1]], [[1.0, 2.0], [3.0, 4.0]]),
    ("scatter", 0, [[2, 0]], [[1.0, 2.0]]),
    ("scatter", 0, [[0, 0]], [[1, 2]]),
    ("index_copy", 0, [1, 1, 0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    ("index_copy", 1, [1, 3], [[1.0, 2.0], [4.0, 5.0]]),
    ("masked_select", [[True, False, True], [False, True, False]]),
    ("masked_select", [[True], [False]]),
    ("masked_select", [[1, 0, 1]]),
]  # fmt: skip
NAMES = {
    "gather": ["input", "dim", "index"],
    "take": ["input", "index"],
    "index_select": ["input", "dim", "index"],
    "searchsorted": ["sorted_sequence", "input"],
    "index_add": ["input", "dim", "index", "source"],
    "scatter_add": ["input", "dim", "index", "src"],
    "scatter": ["input", "dim", "index", "src"],
    "index_copy": ["input", "dim", "index", "source"],
    "masked_select": ["input", "mask"],
}
MAKE = {"torch": torch.tensor, "takewise": ttw.tensor}


def outcome(call):
    try:
        made = call()
        return type(made), str(made.dtype), tuple(made.stride()), np.asarray(made).tolist()
    except Exception as error:
        facts = [getattr(error, name, None) for name in ("axis", "position", "value", "size")]
        return type(error), str(error), facts


def both(name, make, arguments, method=""):
    """What the call gives by position, and with the last argument by keyword; and what became of the first argument."""
    answers = []
    for keyword in (False, True):
        x = make(X)
        given = [make(a) if isinstance(a, list) else a for a in arguments]
        names = NAMES[name][1:]
        positional, named = (given[:-1], {names[-1]: given[-1]}) if keyword else (given, {})
        f = getattr(x, name + method) if method else getattr(ttw, name)
        call = (lambda: f(*positional, **named)) if method else (lambda: f(x, *positional, **named))  # noqa: B023
        answers.append((outcome(call), x.tolist()))
    return answers


@pytest.mark.parametrize("library", MAKE)
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_roads_agree(library, call):
    name, *arguments = call
    plain, general = both(name, MAKE[library], arguments)
    assert plain == general


@pytest.mark.parametrize("call", [c for c in CALLS if len(c) == 4], ids=str)
def test_roads_agree_in_place(call):
    name, *arguments = call
    plain, general = both(name, ttw.tensor, arguments, "_")
    assert plain == general


def test_writing_gives_the_tensor_itself():
    x = ttw.tensor(X)
    assert x.index_add_(0, ttw.tensor([0]), ttw.tensor([[1.0, 1.0, 1.0]])) is x
    assert x.tolist()[0] == [11.0, 21.0, 31.0] and x._version == 1
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x.scatter_add_(1, ttw.tensor([[0], [0]]), x)
    assert x.tolist() == [[11.0, 21.0, 31.0], [40.0, 50.0, 60.0]]


@pytest.mark.parametrize("library", MAKE)
def test_one_tensor_as_several_arguments(library):
    x = MAKE[library]([2, 0, 1])
    assert ttw.gather(x, 0, x).tolist() == ttw.take(x, x).tolist() == [1, 2, 0]
    assert ttw.index_add(x, 0, x, x).tolist() == [2, 1, 3]


def test_large_tensors_beside_small_ones():
    x = torch.arange(300_000.0)
    index = torch.tensor([0, 299_999])
    assert ttw.gather(x, 0, index).tolist() == [0.0, 299_999.0]
    assert ttw.index_add(x, 0, index, torch.tensor([1.0, 1.0]))[[0, -1]].tolist() == [1.0, 300_000.0]
    assert x[0] == 0


def test_gradients_take_the_general_road():
    x, w = ttw.tensor([1.0, 2.0]), ttw.tensor([1.0, 2.0, 3.0])
    x.requires_grad_()
    assert ttw.gather(x, 0, ttw.tensor([1])).grad_fn is not None
    assert ttw.index_add(w, 0, ttw.tensor([0, 1]), x).grad_fn is not None
    assert ttw.gather(torch.ones(2, requires_grad=True), 0, torch.tensor([0])).grad_fn is not None


def test_arrays_of_other_libraries_are_refused_as_ever():
    with pytest.raises(TypeError, match="argument 'index' .position 3. must be Tensor, not "):
        ttw.gather(torch.ones(2), 0, np.array([0]))
    mixed = ttw.gather(ttw.tensor([1.0, 2.0]), 0, torch.tensor([1]))
    assert isinstance(mixed, torch.Tensor) and mixed.tolist() == [2.0]
