"""MindSpore's writes by index, segments and views: values recorded from MindSpore 2.10 and, where it is installed, its own."""

import numpy as np
import pytest
import takewise.mindspore as ours
from beside import alike, outcome
from takewise.mindspore import mint, ops

try:
    import mindspore as theirs
except ImportError:
    theirs = None


class Library:
    """Either library, with the same short names."""

    def __init__(self, module, ops, mint):
        self.ms, self.ops, self.mint = module, ops, mint

    def i32(self, values):
        return self.ms.Tensor(np.array(values, "i4"))

    def i64(self, values):
        return self.ms.Tensor(np.array(values, "i8"))

    def f32(self, values):
        return self.ms.Tensor(np.array(values, "f4"))

    def x(self):
        return self.f32(np.arange(12.0).reshape(3, 4))

    def parameter(self, values=None):
        x = self.x() if values is None else values
        return theirs.Parameter(x, name="p") if self.ms is theirs else x


OURS = Library(ours, ops, mint)
S = np.full((2, 4), 3.0)


def arrays(value):
    if isinstance(value, (tuple, list)):
        return tuple(arrays(part) for part in value)
    return value.asnumpy() if hasattr(value, "asnumpy") else value


X = np.arange(12.0, dtype="f4").reshape(3, 4)
RECORDED = [
    (lambda m: m.ops.index_add(m.parameter(), m.i32([0, 0]), m.f32(S), 0), [[6, 7, 8, 9], X[1], X[2]]),
    (lambda m: m.ops.index_fill(m.x(), 0, m.i32([0, 2]), 9), [[9] * 4, X[1], [9] * 4]),
    (lambda m: m.x().index_fill(1, m.i32([-1]), m.ms.Tensor(5.0)), np.c_[X[:, :3], [5, 5, 5]]),
    (lambda m: m.x().index_put((m.i64([0, 1]), m.i64([2, 2])), m.f32([5, 6])), [[0, 1, 5, 3], [4, 5, 6, 7], X[2]]),
    (lambda m: m.x().index_put((m.i64([0, 0]), m.i64([2, 2])), m.f32([5, 6]), True), [[0, 1, 13, 3], X[1], X[2]]),
    (lambda m: m.x().masked_scatter(m.x() > 5, m.f32(np.arange(20))), [X[0], [4, 5, 0, 1], [2, 3, 4, 5]]),
    (lambda m: m.ops.scatter_nd_update(m.parameter(), m.i32([[0], [0]]), m.f32(S)), [[3] * 4, X[1], X[2]]),
    (lambda m: m.ops.scatter_nd_add(m.parameter(), m.i32([[0], [0]]), m.f32(S)), [[6, 7, 8, 9], X[1], X[2]]),
    (lambda m: m.ops.scatter_nd_sub(m.parameter(), m.i32([[0], [0]]), m.f32(S)), [[-6, -5, -4, -3], X[1], X[2]]),
    (lambda m: m.ops.scatter_nd_mul(m.parameter(), m.i32([[0], [0]]), m.f32(S)), [[0, 9, 18, 27], X[1], X[2]]),
    (lambda m: m.ops.scatter_update(m.parameter(), m.i32([0, 2]), m.f32(S)), [[3] * 4, X[1], [3] * 4]),
    (lambda m: m.ops.scatter_min(m.parameter(), m.i32([0, 2]), m.f32(S)), [X[0], X[1], [3] * 4]),
    (lambda m: m.ops.unsorted_segment_sum(m.x(), m.i32([0, -1, 0]), 3), [X[0] + X[2], [0] * 4, [0] * 4]),
    (lambda m: m.ops.unsorted_segment_prod(m.x(), m.i32([0, 2, 0]), 4), [X[0] * X[2], [1] * 4, X[1], [1] * 4]),
]


@pytest.mark.parametrize("call, want", RECORDED)
def test_recorded(call, want):
    alike(arrays(call(OURS)), np.array([np.array(row, "f4") for row in want]))


LIVE = [call for call, _ in RECORDED] + [
    lambda m: m.x().index_add(0, m.i32([0, 2]), m.f32(S), alpha=2),
    lambda m: m.mint.index_add(m.x(), 0, m.i32([0, 2]), m.f32(S)),
    lambda m: m.ops.index_add(m.parameter(), m.i64([0, 2]), m.f32(S), 0),
    lambda m: m.ops.index_fill(m.x(), 0, m.i64([0, 2]), 9),
    lambda m: m.ops.index_fill(m.x(), -1, m.i32(0), True),
    lambda m: m.ops.index_fill(m.i32([1, 2]), 0, m.i32([0]), 2.7),
    lambda m: m.x().index_put((m.i32([0, 1]),), m.ms.Tensor(5.0)),
    lambda m: m.x().index_put((m.i64([0, 3]), m.i64([2, 2])), m.f32([5, 6]), True),
    lambda m: m.x().index_put((m.x() > 3,), m.f32([5])),
    lambda m: m.x().index_put((m.i64([0, 1]),), m.i32([1])),
    lambda m: m.x().masked_scatter(m.ms.Tensor([True, False, True, False]), m.f32(np.arange(20))),
    lambda m: m.x().masked_scatter(m.x() > 5, m.f32([1])),
    lambda m: m.ops.argwhere(m.x() > 5),
    lambda m: m.ops.argwhere(m.ms.Tensor(3.0)),
    lambda m: m.ops.scatter_nd_div(m.parameter(m.i32([7, -7])), m.i32([[0], [1]]), m.i32([2, 2])),
    lambda m: m.ops.scatter_div(m.parameter(), m.i32([0, 2]), m.f32(S)),
    lambda m: m.ops.scatter_max(m.parameter(), m.i32([[0, 1]]), m.f32(S[None])),
    lambda m: m.ops.scatter_add(m.parameter(), m.i32([0, 3]), m.f32(S)),
    lambda m: m.ops.scatter_update(m.parameter(), m.i32([0, 1]), m.f32(np.ones((2, 3)))),
    lambda m: m.ops.unsorted_segment_sum(m.x(), m.i32([[0, 1, 1, 0]] * 3), 2),
    lambda m: m.ops.unsorted_segment_sum(m.x(), m.i32([0, 3, 0]), 3),
    lambda m: m.ops.unsorted_segment_max(m.x(), m.i32([0, 2, 0]), 4),
    lambda m: m.ops.unsorted_segment_min(m.i32([1, 2, 3]), m.i32([0, 0, 2]), 4),
    lambda m: m.ops.unsorted_segment_max(m.ms.Tensor(np.array([1, 2, 3], "f2")), m.i32([0, 0, 2]), 4),
    lambda m: m.ops.unsorted_segment_sum(m.x(), m.i32([0, 1]), 4),
    lambda m: m.ops.unsorted_segment_prod(m.x(), m.i32([0, 1, 1]), 0),
    lambda m: m.ops.narrow(m.x(), 1, 1, 2),
    lambda m: m.ops.unbind(m.x(), -1),
    lambda m: m.ops.unstack(m.x(), 1),
    lambda m: m.ops.chunk(m.x(), 2, 1),
    lambda m: m.ops.chunk(m.x(), 0),
    lambda m: m.ops.split(m.x(), 2),
    lambda m: m.ops.split(m.x(), [1, 2]),
    lambda m: m.ops.split(m.x(), [1, 1]),
    lambda m: m.ops.split(m.x(), 0),
    lambda m: m.ops.tensor_split(m.x(), [1, 7], 1),
    lambda m: m.ops.hsplit(m.x(), 2),
    lambda m: m.x().select(1, -1),
    lambda m: m.ops.diagonal(m.x(), 1),
    lambda m: m.ops.movedim(m.x(), 0, 1),
    lambda m: m.ops.flipud(m.x()),
    lambda m: m.ops.rot90(m.x(), 1, (0, 1)),
    lambda m: m.ops.slice(m.x(), (0, 1), (2, 2)),
    lambda m: m.ops.select(m.x() > 3, m.x(), 0.0),
    lambda m: m.ops.tril_indices(3, 3),
    lambda m: m.ops.select_scatter(m.x(), m.f32(np.zeros(4)), 0, 1),
    lambda m: m.ops.slice_scatter(m.x(), m.f32(np.zeros((3, 2))), 1, 0, 2),
    lambda m: m.ops.diagonal_scatter(m.x(), m.f32(np.zeros(3))),
    lambda m: m.x().view_as(m.f32(np.zeros((4, 3)))),
    lambda m: m.x().scatter_mul(m.i32([[0], [1]]), m.f32(S)),
    lambda m: m.ops.tensor_scatter_div(m.f32([1, -2, 0, 4]), m.i32([[0], [1], [2]]), m.f32([0, 0, 0])),
    lambda m: m.ops.tensor_scatter_div(m.f32([1, -2, 0, 4]), m.i32([[0], [0], [1], [1]]), m.f32([0, 2, -0.0, 0])),
    lambda m: m.ops.tensor_scatter_div(m.x(), m.i32([[0], [1]]), m.f32(np.zeros((2, 4)))),
]


@pytest.mark.skipif(theirs is None, reason="MindSpore is not installed")
@pytest.mark.parametrize("call", LIVE)
def test_live(call):
    both = Library(theirs, theirs.ops, theirs.mint)
    alike(outcome(lambda: arrays(call(OURS))), outcome(lambda: arrays(call(both))), words=False)


def test_take_of_the_flattened_tensor():
    x = OURS.x()
    alike(arrays(ops.take(x, OURS.i32([5, -1]))), np.array([5, 11], "f4"))
    alike(arrays(mint.take(x, OURS.i64([[0]]))), np.array([[0]], "f4"))
    with pytest.raises(RuntimeError):
        ops.take(x, OURS.i32([12]))


def test_writes_into_parameters_are_seen():
    x = OURS.x()
    assert ops.scatter_nd_add(x, OURS.i32([[1]]), OURS.f32(S[:1])) is x
    assert ops.index_add(x, OURS.i32([1]), OURS.f32(S[:1]), 0) is x
    alike(arrays(x)[1], X[1] + 6)
    x.index_add(0, OURS.i32([1]), OURS.f32(S[:1]))
    alike(arrays(x)[1], X[1] + 6)


@pytest.mark.parametrize("name, want", [("sum", [1, 1, 1]), ("max", [0, 1, 1]), ("min", [1, 0, 1]), ("prod", [4, 2, 1])])
def test_gradients_of_segments(name, want):
    f = getattr(ops, f"unsorted_segment_{name}")
    found = ours.grad(lambda x: f(x, OURS.i32([0, 0, 1]), 2))(OURS.f32([2, 4, 5]))
    alike(arrays(found), np.array(want, "f4"))
