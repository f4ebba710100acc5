"""Integers that make indices: operators of tensors, beside numbers, NumPy's arrays and tensors of others. Values are in
transcripts/arithmetic.txt."""

import operator

import numpy as np
import pytest

import takewise
import takewise.mindspore
import takewise.torch as torch

OPERATORS = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
INTEGERS = ["i1", "u1", "i2", "i4", "i8"]


def drawn(seed, dtype, shape):
    """Integers of a whole dtype, none of them 0."""
    ends = np.iinfo(dtype)
    found = np.random.default_rng(seed).integers(ends.min, ends.max, shape, dtype, endpoint=True)
    return np.where(found == 0, 1, found).astype(dtype)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("left", INTEGERS)
@pytest.mark.parametrize("right", INTEGERS)
def test_as_numpy(op, left, right):
    a, b = drawn(1, left, (50, 1)), drawn(2, right, (1, 70))
    with np.errstate(over="ignore"):
        wanted = op(a, b)
    for x, y in [(torch.as_tensor(a), torch.as_tensor(b)), (torch.as_tensor(a), b), (a, torch.as_tensor(b))]:
        found = op(x, y)
        assert type(found) is torch.Tensor
        assert np.asarray(found).dtype == wanted.dtype and np.array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_scalars_of_numpy(op):
    t = torch.tensor([3, -4], dtype=torch.int32)
    for scalar in (np.int64(5), np.uint8(5), 5):
        for found, wanted in [(op(t, scalar), op(t, torch.tensor(5))), (op(scalar, t), op(torch.tensor(5), t))]:
            assert type(found) is torch.Tensor and found.dtype == torch.int32 and found.tolist() == wanted.tolist()


def test_numpy_keeps_its_own_functions():
    t, a = torch.arange(3), np.array([5, 6, 7])
    view = a[:]
    a += t
    assert type(a) is np.ndarray and view.tolist() == [5, 7, 9]
    assert np.add(a, 1, out=t.numpy()) is not None and t.tolist() == [6, 8, 10]
    assert type(np.maximum(t, 7)) is np.ndarray and np.maximum(t, 7).tolist() == [7, 8, 10]
    assert type(np.array([0.5, 1, 2]) * t) is np.ndarray
    assert (a[1:] == t[:2] + 1).tolist() == [True, True] and type(a == t) is torch.Tensor
    assert (a < t).tolist() == [True, True, True] and (t < a).tolist() == [False, False, False]


def test_in_place():
    t = torch.arange(4)
    view, same = t[1:3], t
    t += 1
    t *= torch.tensor([2])
    t -= np.int64(1)
    assert t is same and view.tolist() == [3, 5]
    t += np.array([1, 1, 1, 1])  # as in PyTorch a new tensor
    assert t is not same and t.tolist() == [2, 4, 6, 8] and same.tolist() == [1, 3, 5, 7]
    t = torch.arange(4)
    t[1:] += t[:-1]
    assert t.tolist() == [0, 1, 3, 5]
    with pytest.raises(RuntimeError, match="more than one element"):
        t = torch.tensor(3).expand(3)
        t += 1


@pytest.mark.parametrize("make", [torch.tensor, takewise.Tensor, takewise.mindspore.Tensor])
def test_refusals(make):
    t = make([1, 2])
    for call in (lambda: t + 1.5, lambda: 1.5 * t, lambda: make([1.5]) + 1, lambda: -make([1.5])):
        with pytest.raises(NotImplementedError, match="is not evaluated: takewise reads and writes by index"):
            call()
    for other in ([1, 2], "a", None, (1, 2)):
        with pytest.raises(TypeError):
            t + other
    with pytest.raises((TypeError, NotImplementedError), match="timedelta64|is not evaluated"):
        t + np.array([1, 2], "m8[s]")
    assert "%s" % t == str(t)
    made = np.array([1, 2], "m8[s]") + t
    assert type(made) is np.ndarray


def test_other_libraries():
    t = torch.tensor([1, 2])
    pd = pytest.importorskip("pandas", reason="pandas is not installed here")
    for found in (t + pd.Series([3, 4]), pd.Series([3, 4]) + t):
        assert type(found) is torch.Tensor and found.tolist() == [4, 6]


def test_tensors_of_pytorch():
    live = pytest.importorskip("torch", reason="PyTorch is not installed here")
    t = torch.tensor([1, 2])
    # Ours come of ours; PyTorch's own functions give PyTorch's where one of its own is given too.
    for found, kind in ((t + live.tensor([3, 4]), torch.Tensor), (live.tensor([3, 4]) + t, live.Tensor)):
        assert type(found) is kind and found.tolist() == [4, 6]
    i = live.tensor([5, -3])
    ours = torch.tensor([5, -3])
    for op in OPERATORS:
        for other in (3, -2, np.int64(7), 300):
            assert op(ours, other).tolist() == op(i, other).tolist() and op(other, ours).tolist() == op(other, i).tolist()


IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod]


def outcome(call):
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.parametrize(
    "target", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
)
def test_in_place_as_pytorch(target):
    """Every dtype of operands, arrays and single elements, and numbers: the value is PyTorch's, or its error; or it is not evaluated,
    where one is of floats that PyTorch would give floats."""
    live = pytest.importorskip("torch", reason="PyTorch is not installed here")
    dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
    operands = [("tensor", dtype, shape) for dtype in dtypes for shape in [(3,), (), (1, 3), (2, 3)]]
    operands += [("number", number, None) for number in (1, True, -3, 300, 1.5, 0.1, 1e300, 2**53 + 1, 1j)]

    def made(library, values, dtype):
        return library.tensor(values, dtype=getattr(library, dtype))

    def operand(library, kind, what, shape):
        values = (np.arange(np.prod(shape, dtype=int)) % 3 + 1).reshape(shape).tolist() if kind == "tensor" else what
        return made(library, values, what) if kind == "tensor" else what

    answered = 0
    for op in IN_PLACE:
        for kind, what, shape in operands:
            x, y = (made(library, [200 % 127, 3, 1], target) for library in (live, torch))
            want = outcome(lambda: op(x, operand(live, kind, what, shape)))
            before = y.tolist()
            got = outcome(lambda: op(y, operand(torch, kind, what, shape)))
            case = (op.__name__, target, kind, what, shape, want, got)
            if isinstance(got, NotImplementedError) and "is not evaluated" in str(got):
                assert not (op in IN_PLACE[:4] and target.startswith(("float", "bfloat")) and "complex" not in str(what) and what != 1j), case
                whole = kind == "tensor" and not what.startswith(("float", "bfloat", "complex")) or isinstance(what, int)
                assert not whole or target.startswith(("float", "bfloat", "complex")) or isinstance(want, Exception), case
                continue
            answered += 1
            if isinstance(want, Exception):
                # PyTorch names a complex dtype of halves, which is none here.
                halves = "float16" in target and "omplex" in str(want)
                assert isinstance(got, type(want)) and (halves or str(got).split("\n")[0] == str(want).split("\n")[0]), case
                assert y.tolist() == before
            else:
                assert got is y and repr(y.tolist()) == repr(want.tolist()) and str(y.dtype) == str(want.dtype), case
    assert answered > 20 or target == "complex64"


def test_a_mask_and_a_number_in_place():
    x, rows = torch.arange(6.0), torch.tensor([[0.1], [0.3]], dtype=torch.float64)
    x[x > 2] *= 10
    x[:2] -= 0.5
    x /= 3
    live = pytest.importorskip("torch", reason="PyTorch is not installed here")
    y = live.arange(6.0)
    y[y > 2] *= 10
    y[:2] -= 0.5
    y /= 3
    assert x.tolist() == y.tolist()
    rows[1] += rows[0]
    assert rows.tolist() == [[0.1], [0.3 + 0.1]]
    followed = torch.tensor([1.0], requires_grad=True)
    with pytest.raises((NotImplementedError, RuntimeError)):
        followed *= 2.0
