"""Folds along axes, and what indices are made of, in torch's names beside PyTorch's own: every dtype, odd shapes, errors."""

import itertools

import pytest

torch = pytest.importorskip("torch")
import numpy as np  # noqa: E402
import takewise.torch as tt  # noqa: E402
from beside import outcome  # noqa: E402

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
          "complex64", "complex128"]  # fmt: skip
SHAPES = [(), (1,), (5,), (0,), (0, 3), (3, 0), (2, 3), (2, 3, 4), (1, 4, 1)]
# Sums are rounded once here, of float64: PyTorch adds in the dtype itself, in an order of its own.
NEAR = {"float16": 3e-3, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12}


def numbers(shape, dtype, nan=False):
    """Numbers with many equal ones among them, the same each time."""
    count = int(np.prod(shape))
    values = torch.tensor([(7 * k) % 5 - (2 if not dtype.startswith("u") else 0) for k in range(count)], dtype=torch.float64)
    made = values.to(getattr(torch, dtype)).reshape(shape)
    if nan and made.dtype.is_floating_point and count > 1:
        made.view(-1)[count // 2] = float("nan")
    return made


def ours(x):
    """The same tensor as takewise's own."""
    made = tt.tensor(x.double().tolist() if not x.dtype.is_complex else x.tolist(), dtype=tt.float64 if not x.dtype.is_complex else tt.complex128)
    return made.reshape(tuple(x.shape)).to(getattr(tt, str(x.dtype)[6:]))


def same(got, want, near=0.0):
    if isinstance(want, tuple) and want and isinstance(want[0], str):
        assert isinstance(got, tuple) and got == want, f"{got!r}, not {want!r}"
    elif isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(want), f"{got!r}, not {want!r}"
        for g, w in zip(got, want):
            same(g, w, near)
    else:
        assert str(got.dtype) == str(want.dtype) and tuple(got.shape) == tuple(want.shape), f"{got!r}, not {want!r}"
        back = torch.tensor(got.tolist(), dtype=want.dtype).reshape(want.shape)
        if near:
            assert torch.allclose(back, want, rtol=near, atol=near, equal_nan=True), f"{got!r}, not {want!r}"
        else:
            both = (back == want) | ((back != back) & (want != want))
            assert bool(both.all()), f"{got!r}, not {want!r}"


def views(x):
    """The tensor itself, and others over strides of all kinds."""
    yield x
    if x.dim() > 1:
        yield x.transpose(0, -1)
    if x.dim() and x.shape[0] > 1:
        yield x[::2]
        yield x[1:]
        yield x.expand(2, *x.shape)


def beside(call, shape, dtype, near=0.0, nan=False):
    x = numbers(shape, dtype, nan)
    for k, (mine, theirs) in enumerate(zip(views(ours(x)), views(x))):
        want, got = outcome(lambda: call(theirs)), outcome(lambda: call(mine))
        try:
            same(got, want, near)
        except AssertionError as error:
            raise AssertionError(f"{dtype} {tuple(theirs.shape)} view {k}: {error}") from None


EXACT = {
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
    "max of an axis": lambda x: x.max(0),
    "min of the last": lambda x: x.min(-1, keepdim=True),
    "max of a wrong axis": lambda x: x.max(4),
    "amax": lambda x: x.amax(),
    "amin of two": lambda x: x.amin((0, -1)),
    "amax kept": lambda x: x.amax(-1, True),
    "argmax": lambda x: x.argmax(),
    "argmax kept": lambda x: x.argmax(keepdim=True),
    "argmin of an axis": lambda x: x.argmin(0),
    "argmin of the last": lambda x: x.argmin(-1, True),
    "any": lambda x: x.any(),
    "any of an axis": lambda x: x.any(0),
    "all of the last": lambda x: x.all(-1, keepdim=True),
    "all of two": lambda x: x.all((0, -1)),
    "any of none": lambda x: x.any(dim=[]),
    "cumsum": lambda x: x.cumsum(0),
    "cumsum of the last": lambda x: x.cumsum(-1),
    "cumsum in floats": lambda x: x.cumsum(0, dtype=x.dtype),
    "max of two": lambda x: x.max(x.flip(0)) if x.dim() else x.max(x),
    "min of two": lambda x: x.min(x.flip(0)) if x.dim() else x.min(x),
}
ADDED = {
    "sum": lambda x: x.sum(),
    "sum of an axis": lambda x: x.sum(0),
    "sum of two": lambda x: x.sum((0, -1), keepdim=True),
    "mean": lambda x: x.mean(),
    "mean of an axis": lambda x: x.mean(0),
    "mean of the last": lambda x: x.mean(-1, True),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_found_is_the_same(name, dtype):
    for shape in SHAPES:
        beside(EXACT[name], shape, dtype)
        beside(EXACT[name], shape, dtype, nan=True)


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_near(name, dtype):
    for shape in SHAPES:
        beside(ADDED[name], shape, dtype, NEAR.get(dtype, 0.0), nan=True)


def x(m):
    return m.arange(6.0).reshape(2, 3)


CALLS = [
    lambda m: m.max(x(m), 1),
    lambda m: m.max(x(m), dim=1, keepdim=True),
    lambda m: m.max(x(m), axis=1, keepdims=True),
    lambda m: m.max(x(m), 0, out=(m.zeros(3), m.zeros(3, dtype=m.int64))),
    lambda m: m.max(x(m), 0, out=(m.zeros(3), m.zeros(3))),
    lambda m: m.min(x(m), out=m.zeros(())),
    lambda m: m.amax(x(m), (0, 1), out=m.zeros(())),
    lambda m: m.amax(x(m), (0, 0)),
    lambda m: m.amax(x(m), 2),
    lambda m: m.argmax(x(m), 5),
    lambda m: m.argmax(x(m), dim=None, keepdim=False),
    lambda m: m.argmin(x(m), 0, out=m.zeros(3, dtype=m.int64)),
    lambda m: m.argmax([1]),
    lambda m: m.max(x(m), m.tensor(2.5)),
    lambda m: m.max(m.tensor([1, 2]), m.tensor([1.5, 1.5])),
    lambda m: m.max(m.zeros(3), m.zeros(2)),
    lambda m: m.max(m.tensor([1, 5], dtype=m.int8), m.tensor(300)),
    lambda m: m.sum(x(m), dim=None),
    lambda m: m.sum(x(m), dim=None, keepdim=True),
    lambda m: m.mean(x(m), dtype=m.float64),
    lambda m: m.mean(m.tensor([1, 2]), dtype=m.float32),
    lambda m: m.mean(m.tensor([1, 2])),
    lambda m: m.mean(x(m), dtype=m.int32),
    lambda m: m.mean(x(m), (0, 0)),
    lambda m: m.mean(x(m), dim=[]),
    lambda m: m.any(x(m), dim=None),
    lambda m: m.any(x(m), 3),
    lambda m: m.all(x(m), 0, out=m.zeros(3, dtype=m.bool)),
    lambda m: m.cumsum(x(m), 2),
    lambda m: m.cumsum(x(m)),
    lambda m: m.cumsum(x(m), 0.5),
    lambda m: m.cumsum(m.tensor([1.7, 1.7]), 0, dtype=m.int32),
    lambda m: m.cumsum(m.tensor([True]), 0, dtype=m.bool),
    lambda m: m.cumsum(m.tensor([0.1] * 40), 0),
    lambda m: m.cumsum(m.tensor([0.1] * 40, dtype=m.float16), 0),
    lambda m: m.cumsum(m.tensor([100, 100, 100], dtype=m.uint8), 0, dtype=m.uint8),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls_and_their_errors(number):
    same(outcome(lambda: CALLS[number](tt)), outcome(lambda: CALLS[number](torch)))


GRADIENTS = {
    "max": lambda x: x.max(),
    "max of an axis": lambda x: x.max(1).values,
    "min kept": lambda x: x.min(0, keepdim=True)[0],
    "amax": lambda x: x.amax((0, 2)),
    "amin kept": lambda x: x.amin(1, True),
    "mean": lambda x: x.mean(),
    "mean of axes": lambda x: x.mean((0, 2), True),
    "sum": lambda x: x.sum((0, 1)),
    "cumsum": lambda x: x.cumsum(1),
    "cumsum widened": lambda x: x.cumsum(-1, dtype=x.dtype),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("nan", [False, True])
def test_gradients(name, nan):
    values = [[float((7 * k) % 5) for k in range(j, j + 4)] for j in range(0, 24, 4)]
    if nan:
        values[1][2] = values[4][0] = float("nan")
    found = []
    for m in (tt, torch):
        leaf = m.tensor(values, dtype=m.float64).reshape(2, 3, 4).detach().requires_grad_()
        out = GRADIENTS[name](leaf)
        weights = (m.arange(1, int(np.prod(tuple(out.shape))) + 1, dtype=m.float64)).reshape(tuple(out.shape))
        name_of = out.grad_fn.name()
        (first,) = m.autograd.grad(out, leaf, weights.requires_grad_(), create_graph=True)
        # Linear in the weights, so that these have gradients too.
        (second,) = m.autograd.grad(first, weights, m.ones_like(first), allow_unused=True)
        found.append((name_of, first.tolist(), None if second is None else second.tolist()))
    assert found[0][0] == found[1][0]
    assert np.allclose(found[0][1], found[1][1], equal_nan=True), f"{found[0][1]}, not {found[1][1]}"
    assert np.allclose(found[0][2], found[1][2], equal_nan=True), f"{found[0][2]}, not {found[1][2]}"


def test_tensors_of_pytorch_come_back_as_such():
    for x, dim in itertools.product([torch.arange(6).reshape(2, 3), torch.rand(4, 5)], (0, 1)):
        values, at = tt.max(x, dim)
        assert type(values) is torch.Tensor and torch.equal(values, x.max(dim).values) and torch.equal(at, x.max(dim).indices)
        assert torch.equal(tt.cumsum(x, dim), x.cumsum(dim)) and torch.equal(tt.argmin(x), x.argmin())


def rest(m):
    return m.tensor([[3, 1, 2], [1, 1, 0]])


COUNTED = {
    "unique": lambda x: x.unique(),
    "unique and where": lambda x: x.unique(return_inverse=True, return_counts=True),
    "unique rows": lambda x: x.unique(dim=0, return_inverse=True, return_counts=True) if x.dim() else x.unique(),
    "unique columns": lambda x: x.unique(dim=-1) if x.dim() else x.unique(),
    "topk": lambda x: x.topk(min(2, x.shape[-1]) if x.dim() else 1)[0],
    "topk of the least": lambda x: x.topk(1, 0, largest=False)[0],
    "topk of none": lambda x: x.topk(0, -1),
    "repeat": lambda x: x.repeat(2, *[1] * x.dim()),
    "repeat of all": lambda x: x.repeat(*[2] * max(x.dim(), 1)),
    "tile": lambda x: x.tile((2, 1)),
    "repeat_interleave": lambda x: x.repeat_interleave(2),
    "repeat_interleave of an axis": lambda x: x.repeat_interleave(3, -1) if x.dim() else x.repeat_interleave(0),
    "clamp": lambda x: x.clamp(0, 2),
    "clamp in halves": lambda x: x.clamp(0.5),
    "clamp above": lambda x: x.clamp(max=1),
    "clamp by itself": lambda x: x.clamp(x.flip(0) if x.dim() else x, x),
}


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_counts_and_copies_are_the_same(name, dtype):
    for shape in SHAPES:
        beside(COUNTED[name], shape, dtype)
        beside(COUNTED[name], shape, dtype, nan="unique" not in name)


JOINED = [
    lambda m: m.topk(rest(m), 2),
    lambda m: m.topk(m.tensor([3, 9, 1, 7]), 3),
    lambda m: m.topk(m.tensor([3.0, float("nan"), 1.0]), 2),
    lambda m: m.topk(m.tensor([3.0, float("nan"), 1.0]), 2, largest=False),
    lambda m: m.topk(rest(m), 4),
    lambda m: m.topk(rest(m), -1),
    lambda m: m.topk(rest(m), 1, 5),
    lambda m: m.topk(m.tensor([3, 9]), 1, out=(m.zeros(1, dtype=m.int64), m.zeros(1, dtype=m.int64))),
    lambda m: m.topk(m.tensor(3.0), 2),
    lambda m: m.topk(m.tensor(3.0), 0),
    lambda m: m.unique(rest(m), dim=1, return_inverse=True),
    lambda m: m.unique(rest(m), dim=2),
    lambda m: m.unique(m.tensor(3), dim=0),
    lambda m: m.unique(m.zeros(0, 3), dim=1),
    lambda m: m.unique(rest(m), True, True, True),
    lambda m: m.unique(m.tensor([1.0, float("nan"), float("nan")]), return_counts=True),
    lambda m: m.unique(m.tensor([[1.0, float("nan")], [1.0, float("nan")]]), dim=0),
    lambda m: m.bincount(m.tensor([1, 1, 4])),
    lambda m: m.bincount(m.tensor([1, 1, 4], dtype=m.uint8), minlength=8),
    lambda m: m.bincount(m.tensor([1, 1, 4]), m.tensor([0.5, 1.5, 3.0])),
    lambda m: m.bincount(m.tensor([1, 1, 4]), m.tensor([1, 2, 3])),
    lambda m: m.bincount(m.tensor([1, 1, 4]), m.tensor([1.0, 2.0])),
    lambda m: m.bincount(rest(m)),
    lambda m: m.bincount(m.tensor([-1])),
    lambda m: m.bincount(m.tensor([1.0])),
    lambda m: m.bincount(m.tensor([True])),
    lambda m: m.bincount(m.tensor([1]), minlength=-1),
    lambda m: m.bincount(m.tensor([], dtype=m.int64), minlength=3),
    lambda m: m.tensor([0, 2]).bincount(),
    lambda m: m.cat([x(m), x(m)], 1),
    lambda m: m.cat((x(m), rest(m))),
    lambda m: m.cat([rest(m), m.zeros(0)]),
    lambda m: m.cat([m.zeros(0), m.zeros(0)]),
    lambda m: m.cat([m.zeros(0, dtype=m.int8), m.zeros(0)], 5),
    lambda m: m.cat([]),
    lambda m: m.index_select(m.zeros(0), 0, m.tensor([0, 0])),
    lambda m: m.index_select(m.zeros(0, 3), 0, m.tensor([0, 0])),
    lambda m: m.cat([m.tensor(1), m.tensor(2)]),
    lambda m: m.cat([x(m), m.zeros(2, 2)]),
    lambda m: m.cat([x(m), m.zeros(3)]),
    lambda m: m.cat([x(m), x(m)], 2),
    lambda m: m.cat([x(m), 3]),
    lambda m: m.cat(x(m)),
    lambda m: m.cat([rest(m), rest(m)], out=m.zeros(4, 3)),
    lambda m: m.cat([rest(m), x(m)], out=m.zeros(4, 3, dtype=m.int64)),
    lambda m: m.concat([rest(m).t(), rest(m).t()], dim=-1),
    lambda m: m.concatenate([rest(m), rest(m)], axis=1),
    lambda m: m.cat([m.ones(1, dtype=m.uint8), m.ones(1, dtype=m.int8), m.ones(1, dtype=m.bool)]),
    lambda m: m.cat([m.ones(1, dtype=m.uint16), m.ones(1, dtype=m.int8)]),
    lambda m: m.stack([x(m), x(m)], -1),
    lambda m: m.stack([x(m), rest(m)], 1),
    lambda m: m.stack([m.tensor(1), m.tensor(2)]),
    lambda m: m.stack([x(m), x(m)], 3),
    lambda m: m.stack([]),
    lambda m: m.stack([x(m), m.zeros(2)]),
    lambda m: x(m).repeat((1, 2)),
    lambda m: x(m).repeat(2),
    lambda m: x(m).repeat(-1, 1),
    lambda m: x(m).repeat(1, 1, 1),
    lambda m: x(m).repeat(0, 1),
    lambda m: x(m).tile(2, 1),
    lambda m: x(m).tile(()),
    lambda m: m.tile(x(m), 2),
    lambda m: m.repeat_interleave(m.tensor([1, 0, 2])),
    lambda m: m.repeat_interleave(m.tensor([1, 2], dtype=m.int32), output_size=3),
    lambda m: m.repeat_interleave(m.tensor([-1])),
    lambda m: m.repeat_interleave(m.tensor([[1, 2]])),
    lambda m: x(m).repeat_interleave(m.tensor([1, 2]), 0),
    lambda m: x(m).repeat_interleave(m.tensor([2]), 0),
    lambda m: x(m).repeat_interleave(m.tensor(2), 1),
    lambda m: x(m).repeat_interleave(m.tensor([1, 2, 3]), 0),
    lambda m: x(m).repeat_interleave(m.tensor([1, 2, 3, 0, 0, 1])),
    lambda m: x(m).repeat_interleave(-1),
    lambda m: x(m).repeat_interleave(m.tensor([1.0, 2.0]), 0),
    lambda m: x(m).repeat_interleave(m.tensor([1, -2]), 0),
    lambda m: x(m).repeat_interleave(2, 0, output_size=5),
    lambda m: rest(m).clamp(),
    lambda m: rest(m).clamp(3, 1),
    lambda m: rest(m).clamp(1.5),
    lambda m: rest(m).clamp(m.tensor(1.5)),
    lambda m: rest(m).clamp(m.tensor([1.5, 2, 3])),
    # Beside a number, a tensor without axes counts as one.
    lambda m: m.tensor(1, dtype=m.uint8).clamp(0, m.tensor(3)),
    lambda m: m.tensor(1, dtype=m.uint8).clamp(m.tensor(3), m.tensor(2)),
    lambda m: m.tensor([1, 3], dtype=m.uint8).clamp(m.tensor(1.5, dtype=m.float64), 2),
    lambda m: m.tensor(1.0, dtype=m.bfloat16).clamp(min=0, max=m.tensor(0.5)),
    lambda m: m.tensor(1.0, dtype=m.bfloat16).clamp(max=m.tensor(0.5)),
    lambda m: m.tensor([True]).clamp(True, m.tensor(True)),
    lambda m: m.clamp(rest(m), min=1, max=2),
    lambda m: m.clip(rest(m), max=1),
    lambda m: rest(m).clamp_(1, 2),
    lambda m: rest(m).clip_(max=1),
    lambda m: m.tensor([1.0, float("nan"), 3.0]).clamp_(float("nan")),
    lambda m: m.tensor([1.0, float("nan"), 3.0]).clamp(2, 2),
    lambda m: m.tensor([5, 250, 0], dtype=m.uint8).clamp(-1, 300),
    lambda m: m.tensor([5, 250, 0], dtype=m.uint8).clamp(300),
    lambda m: rest(m).clamp(m.zeros(2)),
    lambda m: rest(m).clamp(m.tensor([1, 2, 3]), m.tensor([2, 2, 2])),
    lambda m: m.tensor([True]).clamp(0, 1),
    lambda m: m.tensor([True]).clamp(False),
    lambda m: m.tensor([1j]).clamp(0),
]


@pytest.mark.parametrize("number", range(len(JOINED)))
def test_counts_and_joins_and_their_errors(number):
    got, want = outcome(lambda: JOINED[number](tt)), outcome(lambda: JOINED[number](torch))
    if isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str) and "invalid combination" in want[1]:
        assert got[0] == want[0]
    else:
        same(got, want)


def test_the_places_of_the_greatest_are_theirs():
    generator = torch.Generator().manual_seed(7)
    for dtype in (torch.int64, torch.float32):
        values = torch.randint(0, 9, (5, 40), generator=generator).to(dtype)
        for largest in (True, False):
            found, at = tt.topk(values, 7, 1, largest)
            assert torch.equal(found, values.topk(7, 1, largest).values) and torch.equal(values.gather(1, at), found)
            # Equal elements in the order of their places.
            assert all(b > a for row, spots in zip(found.tolist(), at.tolist()) for k in range(6) if row[k] == row[k + 1] for a, b in [spots[k : k + 2]])


def test_many_different_values():
    generator = torch.Generator().manual_seed(7)
    values = torch.randint(-50, 50, (300, 7), generator=generator)
    for dim in (None, 0, 1):
        same(tt.unique(values, return_inverse=True, return_counts=True, dim=dim), torch.unique(values, return_inverse=True, return_counts=True, dim=dim))
    counts = values.flatten().abs()
    assert torch.equal(tt.bincount(counts), torch.bincount(counts))


JOIN_GRADIENTS = {
    "topk": (lambda m, x: x.topk(2, 1).values, True),
    "cat": (lambda m, x: m.cat([x, x, x[:1]], 0), True),
    "stack": (lambda m, x: m.stack([x, x], 1), True),
    "repeat": (lambda m, x: x.repeat(2, 1, 3), False),
    "tile": (lambda m, x: x.tile((2,)), False),
    "repeat_interleave": (lambda m, x: x.repeat_interleave(m.tensor([1, 0, 2, 1]), 1), False),
    "clamp": (lambda m, x: x.clamp(1.0, 3.0), False),
    "clamp by tensors": (lambda m, x: x.clamp(m.tensor(1.0, dtype=m.float64)), False),
    "clamp in place": (lambda m, x: (x[:]).clone().clamp_(1.0, 3.0), False),
    "max of two": (lambda m, x: x.max(m.tensor(2.5, dtype=m.float64)), False),
    "max of two with equal ones": (lambda m, x: x.max(m.tensor([4.0, 1.0, 3.0, 0.0], dtype=m.float64)), False),
    "min of a tensor and itself": (lambda m, x: x.min(x.flip(0)), False),
}


@pytest.mark.parametrize("name", JOIN_GRADIENTS)
def test_gradients_of_joins(name):
    call, named = JOIN_GRADIENTS[name]
    found = []
    for m in (tt, torch):
        leaf = m.tensor([[float((7 * k) % 5) for k in range(4)], [4.0, 1.0, 3.0, 0.0]], dtype=m.float64).reshape(2, 4, 1) if "repeat" == name else m.tensor([[float((7 * k) % 5) for k in range(4)], [4.0, 1.0, 3.0, 0.0]], dtype=m.float64)
        leaf = leaf.detach().requires_grad_()
        out = call(m, leaf)
        weights = m.arange(1, int(np.prod(tuple(out.shape))) + 1, dtype=m.float64).reshape(tuple(out.shape))
        out.backward(weights)
        found.append((out.grad_fn.name(), leaf.grad.tolist()))
    assert found[0][1] == found[1][1], f"{found[0][1]}, not {found[1][1]}"
    assert not named or found[0][0] == found[1][0]
