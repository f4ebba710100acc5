"""torch's parts, membership and bags beside PyTorch's own."""

import pytest

torch = pytest.importorskip("torch")
import takewise.torch as tt  # noqa: E402
from beside import outcome  # noqa: E402


def same(got, want, words=True):
    if isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str):
        assert isinstance(got, tuple) and got[0] == want[0], f"{got!r}, not {want!r}"
        assert not words or got[1] == want[1], f"{got[1]!r}, not {want[1]!r}"
    elif isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(want), f"{got!r}, not {want!r}"
        for g, w in zip(got, want):
            same(g, w)
    else:
        assert str(got.dtype) == str(want.dtype) and tuple(got.shape) == tuple(want.shape), f"{got!r}, not {want!r}"
        assert torch.allclose(torch.tensor(got.tolist(), dtype=want.dtype).reshape(want.shape), want, equal_nan=True)


def x(m):
    return m.arange(6).reshape(2, 3)


def y(m):
    return m.arange(24.0).reshape(4, 3, 2).permute(2, 0, 1)


VIEWS = [
    lambda m: m.tensor(3).unbind(),
    lambda m: x(m).unbind(2),
    lambda m: x(m).unbind(-1),
    lambda m: m.zeros(0, 2).unbind(),
    lambda m: m.unbind(y(m), dim=1),
    lambda m: x(m).split(0),
    lambda m: x(m).split(-1),
    lambda m: x(m).split([1, 2]),
    lambda m: x(m).split([1, 2], 1),
    lambda m: m.split(x(m), 2, 1),
    lambda m: m.tensor(3).split(1),
    lambda m: m.zeros(0).split(3),
    lambda m: x(m).split([1, -1, 2], 1),
    lambda m: m.split(x(m), split_size_or_sections=1, dim=-1),
    lambda m: x(m).chunk(0),
    lambda m: x(m).chunk(2, 1),
    lambda m: x(m).chunk(9, 1),
    lambda m: m.tensor(3).chunk(1),
    lambda m: m.zeros(0, 2).chunk(3),
    lambda m: x(m).tensor_split(2, 1),
    lambda m: x(m).tensor_split([1, 5], 1),
    lambda m: x(m).tensor_split((-1,), 1),
    lambda m: x(m).tensor_split(0),
    lambda m: x(m).tensor_split(m.tensor([1, 2]), 1),
    lambda m: m.tensor(1).tensor_split(1),
    lambda m: x(m).hsplit(3),
    lambda m: x(m).hsplit(2),
    lambda m: x(m).hsplit([1]),
    lambda m: x(m).vsplit(2),
    lambda m: m.zeros(3).vsplit(1),
    lambda m: x(m).dsplit(1),
    lambda m: m.zeros(1, 2, 4).dsplit(2),
    lambda m: x(m).split_with_sizes([1, 2], 1),
    lambda m: m.unravel_index(m.tensor([5, 0]), (2, 3)),
    lambda m: m.unravel_index(m.tensor(5), (2, 3)),
    lambda m: m.unravel_index(m.tensor([6, -1, -7]), (2, 3)),
    lambda m: m.unravel_index(m.tensor([1.0]), (2, 3)),
    lambda m: m.unravel_index(m.tensor([1], dtype=m.int32), 7),
    lambda m: m.unravel_index(m.tensor([1]), (2, 0)),
    lambda m: m.unravel_index(m.tensor([1]), (2, -3)),
    lambda m: m.moveaxis(y(m), 0, -1),
    lambda m: y(m).moveaxis((0, 1), (2, 0)),
    lambda m: y(m).movedim((0, 1), (2, 0)),
    lambda m: y(m).adjoint(),
    lambda m: x(m).fliplr(),
    lambda m: m.flipud(y(m)),
    lambda m: m.arange(3).fliplr(),
    lambda m: m.rot90(y(m)),
    lambda m: y(m).rot90(3, [0, 2]),
    lambda m: y(m).rot90(2, [1, 2]),
    lambda m: y(m).rot90(1, [1, 1]),
    lambda m: m.roll(x(m), 1),
    lambda m: m.roll(y(m), (1, -2), (0, 1)),
    lambda m: m.roll(x(m), shifts=5, dims=-1),
    lambda m: m.roll(x(m), (1, 2)),
    lambda m: m.atleast_1d(m.tensor(1)),
    lambda m: m.atleast_2d([m.tensor(1), m.tensor([1, 2])]),
    lambda m: m.atleast_3d(x(m)),
    lambda m: m.broadcast_tensors(m.arange(3), m.zeros(2, 1)),
    lambda m: m.meshgrid(m.arange(3), m.arange(2), indexing="xy"),
    lambda m: m.meshgrid([m.arange(3), m.arange(2)], indexing="ij"),
    lambda m: y(m).view_as(m.zeros(6, 4)),
    lambda m: y(m).reshape_as(m.zeros(6, 4)),
    lambda m: m.unflatten(m.zeros(2, 6), 1, (3, 2)),
    lambda m: m.zeros(2, 6).unflatten(-1, (-1, 2)),
    lambda m: m.zeros(2, 6).unflatten(1, (5, 2)),
    lambda m: m.diag(m.arange(3), 1),
    lambda m: m.diag(x(m), -1),
    lambda m: m.diag(y(m)),
    lambda m: m.diagflat(x(m), 1),
    lambda m: m.diag_embed(x(m)),
    lambda m: m.diag_embed(y(m), 1, 0, 2),
    lambda m: m.tril(y(m), 1),
    lambda m: x(m).triu(1),
    lambda m: m.tril_indices(3, 4, 1),
    lambda m: m.triu_indices(3, 3, dtype=m.int32),
    lambda m: m.zeros(3, 3).fill_diagonal_(5),
    lambda m: m.zeros(7, 2).fill_diagonal_(5, wrap=True),
    lambda m: m.zeros(7, 2).fill_diagonal_(5),
    lambda m: m.zeros(3).fill_diagonal_(5),
    lambda m: x(m).transpose_(0, 1),
    lambda m: x(m).unsqueeze_(0).squeeze_(0).t_(),
    lambda m: m.arange(8).unfold(0, 3, 2),
    lambda m: y(m).unfold(-1, 2, 1),
    lambda m: m.index_put_(x(m), (m.tensor([0]),), m.tensor([9])),
    lambda m: m.index_put_(x(m), [m.tensor([0, 0])], m.tensor(9), accumulate=True),
    lambda m: m.fill_(x(m), 4),
    lambda m: m.zero_(x(m)),
    lambda m: m.isin(m.tensor([1, 2, 3]), m.tensor([2.0, 5])),
    lambda m: m.isin(m.tensor([1, 2, 3]), 2),
    lambda m: m.isin(2, m.tensor([1, 2, 3])),
    lambda m: m.isin(m.tensor([1, 2, 3]), m.tensor([2]), invert=True, assume_unique=True),
    lambda m: m.isin(m.tensor([float("nan"), 1]), m.tensor([float("nan"), 1])),
    lambda m: m.isin(m.tensor([1 + 2j]), m.tensor([1 + 2j])),
    lambda m: m.isin(m.tensor([True]), m.tensor([True])),
    lambda m: m.isin(m.tensor([1.5]).half(), m.tensor([1.5]).half()),
    lambda m: m.isin(m.tensor([1.5]).bfloat16(), m.tensor([1.5])),
    lambda m: m.isin(m.zeros(0), m.zeros(2)),
    lambda m: m.isin(m.zeros(2, 2), m.zeros(0)),
    lambda m: m.isin(m.tensor([1]), 1.5),
    lambda m: m.isin(m.tensor([1, 2]).int(), m.tensor([2**40 + 1])),
    lambda m: m.isin(m.tensor([1]), m.tensor([1]), out=m.zeros(1)),
    lambda m: m.isin(m.tensor([2**53 + 1]), m.tensor([2.0**53])),
    lambda m: m.isin(m.tensor([300]), m.tensor([44]).byte()),
    lambda m: m.isin(m.tensor([44]).byte(), 300),
    lambda m: m.isin(y(m), m.tensor([3.0, 7.0, 99.0])),
    lambda m: m.embedding(m.arange(6.0).reshape(3, 2), m.tensor([[0, 2]])),
]


@pytest.mark.parametrize("call", VIEWS)
def test_views_and_lookups(call):
    same(outcome(lambda: call(tt)), outcome(lambda: call(torch)))


GRADIENTS = [
    lambda m, t: m.unbind(t)[1],
    lambda m, t: m.split(t, 2, 1)[1],
    lambda m, t: m.roll(t, (1, 2), (0, 1)),
    lambda m, t: m.rot90(t),
    lambda m, t: m.tril(t, 1),
    lambda m, t: m.diag(t),
    lambda m, t: m.diag(t[0]),
    lambda m, t: m.diag_embed(t),
    lambda m, t: m.moveaxis(t, 0, 1),
    lambda m, t: m.unflatten(t, 1, (2, 2)),
    lambda m, t: m.broadcast_tensors(t, m.zeros(2, 1, 1))[0],
    lambda m, t: t.unfold(1, 2, 1),
]


@pytest.mark.parametrize("call", GRADIENTS)
def test_gradients(call):
    grads = []
    for m in (torch, tt):
        t = m.tensor([[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], requires_grad=True)
        out = call(m, t)
        weights = m.arange(float(out.numel())).reshape(out.shape)
        out.backward(weights)
        grads.append(t.grad)
    same(grads[1], grads[0])


BAGS = [
    dict(mode="sum"),
    dict(mode="mean"),
    dict(mode="max"),
    dict(mode="mean", padding_idx=2),
    dict(mode="max", padding_idx=-3),
    dict(mode="sum", scale_grad_by_freq=True),
    dict(mode="sum", max_norm=2.0),
    dict(mode="mean", include_last_offset=True),
    dict(mode="sum", weights=True),
    dict(mode="other"),
    dict(mode="max", sparse=True),
    dict(mode="mean", weights=True),
]
INPUTS = [
    ([[0, 1, 2], [4, 4, 0]], None),
    ([0, 1, 2, 4, 4, 0], [0, 2, 2, 6]),
    ([0, 1, 2, 4, 4, 0], [0, 4]),
    ([0, 1], [1]),
    ([0, 1], [0, 3]),
    ([[0, 1]], [0]),
    ([0, 1], None),
    ([], [0, 0]),
]


@pytest.mark.parametrize("options", BAGS)
@pytest.mark.parametrize("index, offsets", INPUTS)
def test_embedding_bag(options, index, offsets):
    if options.get("include_last_offset") and offsets and offsets[-1] < len(index):
        pytest.skip("PyTorch divides by the elements that follow the last bag, too")

    def run(m):
        given = dict(options)
        table = m.tensor([[1.0, -2], [3, 4], [3, -1], [0, 0], [2, 4]], requires_grad=not given.get("max_norm"))
        i = m.tensor(index, dtype=m.int64)
        factors = None
        if given.pop("weights", False):
            factors = m.arange(1.0, i.numel() + 1).reshape(i.shape).requires_grad_()
            given["per_sample_weights"] = factors
        at = None if offsets is None else m.tensor(offsets)
        out = m.nn.functional.embedding_bag(i, table, at, **given)
        if table.requires_grad and out.numel():
            out.backward(m.arange(float(out.numel())).reshape(out.shape))
        return [out.detach(), table.detach()] + [t.grad for t in (table, factors) if t is not None and t.grad is not None]

    same(outcome(lambda: run(tt)), outcome(lambda: run(torch)), words=False)
