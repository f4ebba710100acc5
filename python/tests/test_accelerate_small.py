"""Small calls that PyTorch's own kernel answers under `takewise.accelerate_torch`, and those that are not left to it."""

import platform
import sys

import pytest

import takewise
from takewise import _takewise
from takewise._accelerate import SMALL, _switch

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/python.md for an environment with it")

from torch_worlds import SUITE, World, agree, alike, broken, in_cpp, outcome  # noqa: E402

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64" or torch.__version__.partition("+")[0] != "2.15.0",
    reason="the direct road is known to be there on Linux on x86, in PyTorch 2.15.0",
)
X, I = torch.arange(12.0).reshape(3, 4), torch.tensor([2, 0])
ALONG = torch.tensor([[3, 0], [1, 1], [2, 3]])
MASK = X % 3 == 0
CALLS = {
    "gather": lambda x, i: x.gather(1, i),
    "gather.out": lambda x, i: torch.gather(x, 1, i, out=torch.empty(3, 2)),
    "take": lambda x, i: x.take(i),
    "take.out": lambda x, i: torch.take(x, i, out=torch.empty(3, 2)),
    "put_": lambda x, i: x.put_(i.flatten()[:4], x[0] * 2),
    "index.Tensor": lambda x, i: x[..., i],
    "_index_put_impl_": lambda x, i: x.index_put_(tuple(i.t().contiguous()), x[0, :3] * 2),
    "scatter.src": lambda x, i: x.scatter(1, i, x * 2),
    "scatter_.src": lambda x, i: x.scatter_(1, i, x * 2),
    "scatter_add": lambda x, i: x.scatter_add(1, i, x * 2),
    "scatter_add_": lambda x, i: x.scatter_add_(1, i, x * 2),
    "scatter_reduce.two": lambda x, i: x.scatter_reduce(1, i, x * 2, "sum"),
    "scatter_reduce_.two": lambda x, i: x.scatter_reduce_(1, i, x * 2, "sum", include_self=False),
    "searchsorted.Tensor": lambda x, i: torch.searchsorted(x, x[:, :2].contiguous(), right=True),
    "bucketize.Tensor": lambda x, i: torch.bucketize(x, x[1]),
    "masked_fill_.Scalar": lambda x, i: x.masked_fill_(MASK, 2.5),
    "masked_fill_.Tensor": lambda x, i: x.masked_fill_(MASK, torch.tensor(7.0)),
    "masked_scatter_": lambda x, i: x.masked_scatter_(MASK, x * 2),
}
INDEXED = [name for name in CALLS if not name.startswith(("masked", "search", "bucket"))]


def counts(name):
    return _switch._kernels[name].calls


def ran(name, call):
    """What a call gives, and how often it was run here and handed on."""
    with takewise.accelerate_torch():
        before = counts(name)
        result = outcome(call, (), {})
        after = counts(name)
    return result, (after[0] - before[0], after[1] - before[1])


@pytest.mark.parametrize("name", CALLS)
def test_they_are_handed_on(name):
    index = ALONG % 3
    call = lambda: CALLS[name](X.clone(), index)  # noqa: E731
    native = outcome(call, (), {})
    result, asked = ran(name, call)
    assert agree(native, result) and asked == (0, 1)
    _takewise.Shim.leave_small(False)
    try:
        result, asked = ran(name, call)
    finally:
        _takewise.Shim.leave_small(True)
    assert agree(native, result) and asked == (1, 0)


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("value", [4, -5, 2**62, -(2**63), 99])
def test_a_bad_index_is_said_and_nothing_written(name, value):
    x, index = X.clone(), (ALONG % 3).clone()
    # Those that count all elements have twelve, and not three or four.
    index[1, 1] = value if name not in ("take", "take.out", "put_") or abs(value) > 99 else value * 12
    with takewise.accelerate_torch(), pytest.raises((IndexError, RuntimeError)) as caught:
        CALLS[name](x, index)
    assert caught.value.value == index[1, 1] and torch.equal(x, X)


@pytest.mark.parametrize("name", CALLS)
def test_memory_that_was_cut_is_refused(name):
    x, index = X.clone(), (ALONG % 3).clone()
    x.untyped_storage().resize_(8)
    with takewise.accelerate_torch(), pytest.raises((IndexError, RuntimeError)):
        CALLS[name](x, index)
    if name in INDEXED:
        index.untyped_storage().resize_(0)
        with takewise.accelerate_torch(), pytest.raises((IndexError, RuntimeError)):
            CALLS[name](X.clone(), index)


@pytest.mark.parametrize("name", ["gather", "take", "index.Tensor", "scatter_add_"])
@pytest.mark.parametrize("state", ["strided", "int32", "expanded"])
def test_other_index_arrays_are_taken_here(name, state):
    index = (ALONG % 3).to(torch.int32) if state == "int32" else (ALONG % 3).t().contiguous().t()
    if state == "expanded":
        index = ALONG[:, :1].expand(3, 2)
    call = lambda: CALLS[name](X.clone(), index)  # noqa: E731
    native = outcome(call, (), {})
    result, asked = ran(name, call)
    assert agree(native, result) and asked[0] == (native[0][0] != "error")


def test_the_last_of_several_stores_counts():
    """PyTorch's own goes through tables in the order of memory, so it is not asked where that may be another."""
    index, values = torch.tensor([[0, 1], [0, 1]]), torch.tensor([[1.0, 2], [3, 4]])
    for i, v in ((index, values), (index.t().contiguous().t(), values.t().contiguous().t())):
        with takewise.accelerate_torch():
            before = counts("_index_put_impl_")
            assert torch.zeros(2).index_put_((i,), v).tolist() == [3, 4]
            assert counts("_index_put_impl_") == (before[0] + 1, before[1])


def test_put_in_deterministic_mode():
    torch.use_deterministic_algorithms(True)
    try:
        call = lambda: torch.zeros(3).put_(I, torch.tensor([1.0, 2]))  # noqa: E731
        result, asked = ran("put_", call)
    finally:
        torch.use_deterministic_algorithms(False)
    assert asked == (1, 0) and result[0][0].tolist() == [2, 0, 1]


def test_products_are_taken_here():
    call = lambda: X.scatter_reduce(1, ALONG[:, :1], X, "prod")  # noqa: E731
    assert ran("scatter_reduce.two", call)[1] == (1, 0)


def test_large_calls_are_taken_here():
    for name, (most, _) in SMALL.items():
        assert 0 < most < 1 << 16, name
    large = torch.arange(5000.0)
    for n, asked in ((5000, (1, 0)), (3, (0, 1))):
        # A few rows of a large table are a small call.
        index = torch.arange(n)
        assert ran("gather", lambda index=index: large.gather(0, index))[1] == asked
        assert ran("index.Tensor", lambda index=index: large[index])[1] == asked
    wide = torch.zeros(4, 5000)
    assert ran("index.Tensor", lambda: wide[I])[1] == (1, 0)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:FutureWarning")
def test_within_transforms():
    def total(x):
        return (x.gather(0, I) * x[I]).sum()

    x = torch.tensor([1.0, 2, 3])
    native = torch.func.vmap(torch.func.grad(total))(torch.stack([x, x * 2])), torch.func.jvp(total, (x,), (x,))
    with takewise.accelerate_torch():
        ours = torch.func.vmap(torch.func.grad(total))(torch.stack([x, x * 2])), torch.func.jvp(total, (x,), (x,))
    assert alike(native[0], ours[0]) and all(map(alike, native[1], ours[1]))
    with torch.inference_mode(), takewise.accelerate_torch():
        before = counts("gather")
        assert x.clone().gather(0, I).tolist() == [3, 1] and counts("gather") == (before[0], before[1] + 1)


@pytest.mark.filterwarnings("ignore:.*(reduce|deprecated|non-contiguous|discards the imaginary).*")
@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("overload", SUITE)
def test_the_same_either_way(overload, small):
    make, keywords, dtypes = SUITE[overload]
    call = in_cpp(overload)
    _takewise.Shim.leave_small(small)
    try:
        for seed in range(30):
            w = World(seed, dtypes[seed % len(dtypes)])
            arguments, named = make(w), keywords(w)
            native = outcome(call, arguments, named)
            with takewise.accelerate_torch():
                ours = outcome(call, arguments, named)
            assert agree(native, ours) or broken(native, ours), (overload, arguments, named)
    finally:
        _takewise.Shim.leave_small(True)


@pytest.mark.parametrize("count", [3, 1000])
def test_index_values_may_lie_anywhere(count):
    words = bytearray(8 * count + 1)
    words[1:] = (torch.arange(count) % 3).numpy().tobytes()
    index, x = torch.frombuffer(words, dtype=torch.int64, offset=1), torch.arange(3.0)
    assert index.data_ptr() % 8
    with takewise.accelerate_torch():
        assert x[index].tolist() == x.gather(0, index).tolist() == [float(k % 3) for k in range(count)]
        assert torch.zeros(3).scatter_add(0, index, torch.ones(count)).sum() == count
