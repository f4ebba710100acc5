"""takewise.torch_scatter beside plain loops: values, positions, gradients, compilation, and what is wrong."""

import math

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

import takewise.torch_scatter as ts

REDUCTIONS = ["sum", "add", "mul", "mean", "min", "max"]
START = {"sum": 0, "add": 0, "mul": 1, "mean": 0, "min": math.inf, "max": -math.inf}


def looped(src, index, size, reduce, out=None):
    """A reduction of columns by a loop: results, and positions of extremes."""
    rows, width = src.shape
    made = [[START[reduce]] * width for _ in range(size)] if out is None else out.tolist()
    where, counts = [[rows] * width for _ in range(size)], [[0] * width for _ in range(size)]
    for row in range(rows):
        for column in range(width):
            value, at = src[row, column].item(), index[row, column].item()
            counts[at][column] += 1
            before = made[at][column]
            if reduce in ("min", "max"):
                if value < before if reduce == "min" else value > before:
                    made[at][column], where[at][column] = value, row
            else:
                made[at][column] = before * value if reduce == "mul" else before + value
    for at in range(size):
        for column in range(width):
            if reduce == "mean":
                made[at][column] /= max(1, counts[at][column])
            if reduce in ("min", "max") and out is None and where[at][column] == rows:
                made[at][column] = 0
    return torch.tensor(made, dtype=src.dtype), torch.tensor(where)


def case(seed=0, rows=40, width=3, size=7, dtype=torch.float64):
    """Values of which many are equal, so that the first extreme is one of several."""
    drawn = torch.Generator().manual_seed(seed)
    src = torch.randint(-3, 4, (rows, width), generator=drawn).to(dtype)
    return src, torch.randint(size - 1, (rows,), generator=drawn)


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("spread", [False, True])
def test_results_are_those_of_a_loop(reduce, spread):
    src, index = case()
    whole = index[:, None].expand_as(src) if not spread else torch.stack([index, index.flip(0), index.roll(1)], 1)
    given = whole if spread else index
    want, where = looped(src, whole, 7, reduce)
    assert torch.equal(ts.scatter(src, given, 0, dim_size=7, reduce=reduce), want)
    named = getattr(ts, f"scatter_{reduce}")(src, given, 0, dim_size=7)
    assert torch.equal(named[0], want) and torch.equal(named[1], where) if reduce in ("min", "max") else torch.equal(named, want)
    out = torch.full((7, 3), 2.0, dtype=src.dtype)
    want, where = looped(src, whole, 7, reduce, out)
    made = getattr(ts, f"scatter_{reduce}")(src, given, 0, out)
    assert torch.equal(made[0] if isinstance(made, tuple) else made, want) and torch.equal(out, want)
    if reduce in ("min", "max"):
        assert torch.equal(made[1], where)


@pytest.mark.parametrize("reduce", ["sum", "mean", "min", "max"])
def test_segments_are_those_of_a_loop(reduce):
    src, index = case(1)
    index = index.sort()[0]
    offsets = torch.searchsorted(index, torch.arange(8))
    want, where = looped(src, index[:, None].expand_as(src), 7, reduce)
    assert torch.equal(ts.segment_coo(src, index, dim_size=7, reduce=reduce), want)
    assert torch.equal(ts.segment_csr(src, offsets, reduce=reduce), want)
    turned = ts.segment_csr(src.T.contiguous(), offsets[None], reduce=reduce)
    assert torch.equal(turned, want.T) and torch.equal(ts.segment_coo(src.T, index[None], dim_size=7, reduce=reduce), want.T)
    if reduce in ("min", "max"):
        for made in (getattr(ts, f"segment_{reduce}_coo")(src, index, dim_size=7), getattr(ts, f"segment_{reduce}_csr")(src, offsets)):
            assert torch.equal(made[0], want) and torch.equal(made[1], where)
    # What lies before the first segment and behind the last is in none.
    assert torch.equal(ts.segment_csr(src, offsets[2:5], reduce=reduce), want[2:4])
    assert torch.equal(ts.gather_coo(want, index), want[index]) and torch.equal(ts.gather_csr(want, offsets), want[index])


def test_nan_and_infinity_are_no_extremes():
    src, index = torch.tensor([math.nan, 2.0, math.inf, -math.inf, math.nan]), torch.tensor([0, 0, 1, 2, 3])
    assert ts.scatter_min(src, index)[0].tolist() == [2, 0, -math.inf, 0] and ts.scatter_min(src, index)[1].tolist() == [1, 5, 3, 5]
    assert ts.scatter_max(src, index)[0].tolist() == [2, math.inf, 0, 0] and ts.scatter_max(src, index)[1].tolist() == [1, 2, 5, 5]


SMOOTH = {
    **{f"scatter_{reduce}": (lambda x, i, reduce=reduce: ts.scatter(x, i, 0, reduce=reduce)) for reduce in REDUCTIONS},
    **{f"segment_{reduce}": (lambda x, i, reduce=reduce: ts.segment_coo(x, i.sort()[0], reduce=reduce)) for reduce in ["sum", "mean", "max"]},
    "csr": lambda x, i: ts.segment_csr(x, torch.tensor([0, 3, 3, 7]), reduce="mean"), "gather_coo": lambda x, i: ts.gather_coo(x, i.sort()[0]),
    "gather_csr": lambda x, i: ts.gather_csr(x[:3], torch.tensor([0, 3, 3, 7])), "logsumexp": lambda x, i: ts.scatter_logsumexp(x, i, 0),
    "softmax": lambda x, i: ts.scatter_softmax(x, i, 0), "log_softmax": lambda x, i: ts.scatter_log_softmax(x, i, 0),
    "std": lambda x, i: ts.scatter_std(x, i, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_of_two_orders(name):
    drawn = torch.Generator().manual_seed(3)
    x = torch.randn(8, 2, dtype=torch.float64, generator=drawn, requires_grad=True)
    index = torch.tensor([0, 1, 0, 3, 3, 1, 0, 3])
    assert torch.autograd.gradcheck(SMOOTH[name], (x, index)) and torch.autograd.gradgradcheck(SMOOTH[name], (x, index))


def test_the_gradient_goes_to_the_first_of_equals():
    x = torch.tensor([1.0, 5.0, 5.0, 2.0], requires_grad=True)
    ts.scatter(x, torch.tensor([0, 0, 0, 1]), reduce="max").sum().backward()
    assert x.grad.tolist() == [0, 1, 0, 1]
    x = torch.tensor([4.0, 1.0, 3.0], requires_grad=True)
    ts.scatter_std(x, torch.tensor([0, 1, 1])).sum().backward()
    assert x.grad.isfinite().all()


def test_composites_are_those_of_each_group():
    src, index = torch.randn(30, 2, dtype=torch.float64), torch.arange(30) % 5
    for k in range(5):
        group = src[index == k]
        assert torch.allclose(ts.scatter_softmax(src, index, 0)[index == k], group.softmax(0))
        assert torch.allclose(ts.scatter_log_softmax(src, index, 0)[index == k], group.log_softmax(0))
        assert torch.allclose(ts.scatter_logsumexp(src, index, 0)[k], group.logsumexp(0))
        assert torch.allclose(ts.scatter_std(src, index, 0)[k], group.std(0), rtol=1e-5)
        assert torch.allclose(ts.scatter_std(src, index, 0, unbiased=False)[k], group.std(0, unbiased=False), rtol=1e-5)


def test_what_is_wrong_is_told():
    one, index = torch.ones(3), torch.tensor([0, 1, 7])
    for call, told in [
        (lambda: ts.scatter(one, index, dim_size=3), r"^scatter_sum: index 7 is out of bounds for axis 0 with size 3 \(position \[2\]"),
        (lambda: ts.scatter_max(one, index, dim_size=3), r"^scatter_max: index 7 is out of bounds for axis 0 with size 3 \(position \[2\]"),
        (lambda: ts.scatter_mean(one, torch.tensor([0, -1, 0])), r"^scatter_mean: index -1 is out of bounds for axis 0"),
        (lambda: ts.gather_coo(one, index), r"^gather_coo: index 7 is out of bounds for axis 0 with size 3 \(position \[2\]"),
        (lambda: ts.segment_csr(one, torch.tensor([0, 3, 2])), "indptr falls after position 1 of its last axis"),
        (lambda: ts.segment_csr(one, torch.tensor([0, 9])), "indptr holds 9, which is out of bounds for an axis with size 3"),
    ]:
        with pytest.raises(IndexError, match=told):
            call()
    out = torch.zeros(3)
    with pytest.raises(IndexError):
        ts.scatter_sum(one, index, out=out)
    assert out.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="reduce is 'sum', 'add', 'mul', 'mean', 'min' or 'max', not 'median'"):
        ts.scatter(one, index, reduce="median")
    with pytest.raises(ValueError, match="scatter_softmax takes floating point numbers"):
        ts.scatter_softmax(torch.tensor([1]), torch.tensor([0]))


@pytest.mark.parametrize("name", ["scatter_sum", "scatter_max", "softmax", "segment_mean"])
def test_a_whole_graph_is_compiled(name):
    if name == "softmax":
        def run(x, i):
            return ts.scatter_softmax(x, i, 0, 7)
    elif name == "segment_mean":
        def run(x, i):
            return ts.segment_coo(x, i, dim_size=7, reduce="mean")
    else:
        def run(x, i):
            return ts.scatter(x, i, 0, dim_size=7, reduce=name[8:])
    src, index = case(5)
    index = index.sort()[0]
    assert torch.allclose(torch.compile(run, fullgraph=True, backend="aot_eager")(src, index), run(src, index))
    batch = torch.stack([src, src * 2])
    assert torch.allclose(torch.vmap(run, (0, None))(batch, index), torch.stack([run(x, index) for x in batch]))


def test_a_graph_network_is_trained_alike():
    """Two layers of means over neighbours and attention: losses by this module and by PyTorch's own operators."""

    def mean(x, to, count):
        total = torch.zeros(count, x.shape[1], dtype=x.dtype).index_add(0, to, x)
        return total / torch.zeros(count, 1, dtype=x.dtype).index_add(0, to, torch.ones(len(to), 1, dtype=x.dtype)).clamp(min=1)

    def attention(scores, to, count):
        powers = (scores - scores.max().detach()).exp()
        return powers / torch.zeros(count, dtype=scores.dtype).index_add(0, to, powers)[to]

    def losses(mean, attention):
        torch.manual_seed(1)
        nodes, source, to = torch.randn(50, 8, dtype=torch.float64), torch.randint(50, (200,)), torch.randint(50, (200,))
        first, second, score = (torch.nn.Linear(n, m, dtype=torch.float64) for n, m in [(8, 8), (8, 1), (8, 1)])
        steps = torch.optim.SGD([*first.parameters(), *second.parameters(), *score.parameters()], lr=0.1)
        for _ in range(5):
            hidden = torch.relu(first(nodes + mean(nodes[source], to, 50)))
            weights = attention(score(hidden[source]).squeeze(1), to, 50)
            loss = (second(mean(hidden[source] * weights[:, None], to, 50)).squeeze(1) - nodes[:, 0]).square().mean()
            steps.zero_grad()
            loss.backward()
            steps.step()
            yield loss.item()

    ours = losses(lambda x, to, count: ts.scatter(x, to, 0, dim_size=count, reduce="mean"), lambda s, to, count: ts.scatter_softmax(s, to, dim_size=count))
    for one, other in zip(ours, losses(mean, attention), strict=True):
        assert one == pytest.approx(other, rel=1e-9)
