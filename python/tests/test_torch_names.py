"""PyTorch's functions in `takewise.torch`, on PyTorch's tensors with a history: values, gradients and errors as PyTorch's own."""

import pytest

import takewise.torch as ours

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")
pytestmark = [pytest.mark.filterwarnings(f"ignore::{kind}") for kind in ("FutureWarning", "UserWarning", "DeprecationWarning")]

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch_cases import MASK, ROWS, X  # noqa: E402

T = torch.tensor
I, J, K = T([2, 0, 1]), T([[0, 4], [3, 3], [2, 1]]), T([[4, 0], [1, 3], [2, 4]])
# Calls of both modules; `t` is one of them.
CALLS = {
    "gather": lambda t, x, s: t.gather(x, 1, J),
    "gather, by name": lambda t, x, s: t.gather(index=J.int(), input=x, dim=-1),
    "take": lambda t, x, s: t.take(x, J - 3),
    "take_along_dim": lambda t, x, s: t.take_along_dim(x, indices=J, dim=1),
    "take_along_dim, wrapped": lambda t, x, s: t.take_along_dim(x[:1], J + 5, 1),
    "take_along_dim, flat": lambda t, x, s: t.take_along_dim(x, J),
    "index_select": lambda t, x, s: t.index_select(x, 0, I),
    "embedding": lambda t, x, s: t.embedding(x, J % 3),
    "embedding, padded": lambda t, x, s: t.nn.functional.embedding(J % 3, x, padding_idx=-2),
    "masked_select": lambda t, x, s: t.masked_select(x, MASK[:1]),
    "where": lambda t, x, s: t.where(MASK, x, s),
    "where, a number": lambda t, x, s: t.where(MASK, x, 2),
    "scatter": lambda t, x, s: t.scatter(x, 1, K, s[:, :2]),
    "scatter, a number": lambda t, x, s: t.scatter(x, 1, K, value=2.5),
    "scatter_add": lambda t, x, s: t.scatter_add(x, 1, K, s[:, :2]),
    "scatter_reduce": lambda t, x, s: t.scatter_reduce(x, 1, K, s[:, :2] * 1.1, reduce="amax", include_self=False),
    "scatter_reduce, mean": lambda t, x, s: t.scatter_reduce(x, 1, K, s[:, :2], "mean"),
    "index_add": lambda t, x, s: t.index_add(x, 0, I, s, alpha=2),
    "index_copy": lambda t, x, s: t.index_copy(x, 0, I[1:], s[1:]),
    "index_reduce": lambda t, x, s: t.index_reduce(x, 0, I, s, "amin"),
    "index_fill": lambda t, x, s: t.index_fill(x, 0, I, 2.5),
    "index_fill, a tensor": lambda t, x, s: t.index_fill(x, 0, I, s[0, 0]),
    "index_put": lambda t, x, s: t.index_put(x, (I, I - 3), s[0, :3], accumulate=True),
    "index_put, a mask": lambda t, x, s: t.index_put(x, (MASK,), s[0, 1]),
    "index_put_": lambda t, x, s: t.index_put_(x * 1, (I,), s),
    "put": lambda t, x, s: t.put(x, I - 3, s[0, :3], accumulate=True),
    "masked_fill": lambda t, x, s: t.masked_fill(x, MASK, 2.5),
    "masked_fill, a tensor": lambda t, x, s: t.masked_fill(x, MASK, s[0, 1]),
    "masked_scatter": lambda t, x, s: t.masked_scatter(x, MASK, s),
    "ops.aten.index": lambda t, x, s: t.ops.aten.index(x, [None, I]),
}


def leaves():
    return X.clone().requires_grad_(True), ROWS.clone().requires_grad_(True)


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_pytorchs(name):
    results = []
    for module in (ours, torch):
        x, s = leaves()
        made = CALLS[name](module, x, s)
        weights = torch.arange(1.0, made.numel() + 1, dtype=made.dtype).reshape(made.shape)
        results.append([made, *torch.autograd.grad((made * weights).sum(), (x, s), materialize_grads=True)])
    for got, want in zip(*results, strict=True):
        torch.testing.assert_close(got, want)
    if "where" not in name:
        assert "Takewise" in _history(results[0][0])


def _history(made):
    """The names of the nodes that a result comes from."""
    found, nodes = [], [made.grad_fn]
    while nodes:
        node = nodes.pop()
        if node is not None:
            found.append(type(node).__name__)
            nodes.extend(inner for inner, _ in node.next_functions)
    return " ".join(found)


@pytest.mark.parametrize("name", [name for name in CALLS if "padded" not in name])
def test_gradients_of_gradients(name):
    call = lambda x, s: CALLS[name](ours, x, s)  # noqa: E731
    assert gradcheck(call, leaves(), check_forward_ad=True, fast_mode=True)
    assert gradgradcheck(call, leaves(), fast_mode=True)


# PyTorch's own has no batches of the others, or none with values from the end.
BATCHED = [name for name in CALLS if name not in ("masked_select", "index_put", "index_put, a mask", "put", "embedding, padded")]


@pytest.mark.parametrize("name", BATCHED)
def test_batches(name):
    x, s = torch.stack([X, X + 1]), torch.stack([ROWS, -ROWS])
    got = torch.func.vmap(lambda x, s: CALLS[name](ours, x, s) * 1)(x, s)
    torch.testing.assert_close(got, torch.stack([CALLS[name](torch, *pair) for pair in zip(x, s, strict=True)]))


def test_results_without_a_gradient():
    x = X.clone().requires_grad_(True)
    order = T([0.5, 1.0, 2.0], dtype=torch.float64)
    for call in (
        lambda t: t.nonzero(x),
        lambda t: t.nonzero(x, as_tuple=True)[1],
        lambda t: t.argwhere(x),
        lambda t: t.where(x)[0],
        lambda t: t.searchsorted(order, x, right=True),
        lambda t: t.searchsorted(x[0].sort()[0], 0.75, side="left"),
        lambda t: t.bucketize(x, order, out_int32=True),
        lambda t: t.searchsorted(order.float(), x),
    ):
        got, want = call(ours), call(torch)
        assert got.dtype == want.dtype and torch.equal(got, want) and not got.requires_grad


def said(call):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ours.gather(x, 1, J + 9),
        lambda x: ours.gather(x, 1, J - 1),
        lambda x: ours.gather(x, 1, J.short()),
        lambda x: ours.gather(x, 7, J),
        lambda x: ours.gather(x, 1),
        lambda x: ours.gather(x, 1, [[0]]),
        lambda x: ours.take(x, J + 99),
        lambda x: ours.take(x, J.int()),
        lambda x: ours.index_select(x, 0, J),
        lambda x: ours.embedding(x, J),
        lambda x: ours.scatter(x, 1, J, x.float()),
        lambda x: ours.scatter(x, 1, J + 9, 2.0),
        lambda x: ours.scatter_reduce(x, 1, J, x, "most"),
        lambda x: ours.index_add(x, 0, I, x[:2]),
        lambda x: ours.index_put(x, (I + 9,), x),
        lambda x: ours.masked_select(x, [True]),
        lambda x: ours.masked_select(x, MASK.int()),
        lambda x: ours.masked_fill(x, MASK.int(), 2.0),
        lambda x: ours.masked_fill(x, MASK, x[0]),
        lambda x: ours.masked_scatter(x, MASK, x.float()),
        lambda x: ours.searchsorted(x, x[0]),
        lambda x: ours.bucketize(x, x),
    ],
)
def test_errors_are_those_of_tensors_without_a_history(call):
    assert said(lambda: call(X.clone().requires_grad_(True))) == said(lambda: call(X))


def test_a_bad_index_says_where_it_is():
    with pytest.raises(RuntimeError) as caught:
        ours.gather(X.clone().requires_grad_(True), 1, T([[0, 9]]))
    assert (caught.value.axis, caught.value.position, caught.value.value, caught.value.size) == (1, (0, 1), 9, 5)


# What no operator of ours does.
THEIRS = {
    "flip": lambda t, x: t.flip(x, (0,)),
    "sort": lambda t, x: t.sort(x, dim=0)[0],
    "cat": lambda t, x: t.cat([x, x]),
    "select_scatter": lambda t, x: t.select_scatter(x, x[0], 0, 1),
    "a sparse gradient": lambda t, x: t.gather(x, 1, J, sparse_grad=True),
    "embedding, sparse": lambda t, x: t.embedding(x, I, sparse=True),
    "embedding, in place": lambda t, x: t.nn.functional.embedding(I, x.detach() * 1, max_norm=1.0) + x,
    "a name of PyTorch's alone": lambda t, x: t.nn.functional.relu(t.diff(x)),
}


@pytest.mark.parametrize("name", THEIRS)
def test_what_has_no_operator_is_pytorchs_own(name):
    results = []
    for module in (ours, torch):
        x = X.clone().requires_grad_(True)
        made = THEIRS[name](module, x)
        (made * made).sum().backward()
        results.append((made.detach(), x.grad.to_dense()))
    torch.testing.assert_close(*results)


def test_results_into_memory_are_refused_as_pytorch_does():
    x, out = X.clone().requires_grad_(True), torch.zeros(3, 2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="out=... arguments don't support automatic differentiation"):
        ours.gather(x, 1, J, out=out)
    assert not out.any()


@pytest.mark.parametrize("name", [*CALLS, *THEIRS])
def test_compiled_whole(name):
    # The compiler asks what the mask holds.
    known = {"masked_select", "index_put, a mask"}
    if name in known:
        return
    call = CALLS.get(name) or (lambda t, x, s: THEIRS[name](t, x))
    results = []
    torch.compiler.reset()
    compiled = torch.compile(lambda x, s: call(ours, x, s), backend="aot_eager", fullgraph=True)
    for run in (compiled, lambda x, s: call(torch, x, s)):
        x, s = leaves()
        made = run(x, s)
        (made * made).sum().backward()
        results.append((made.detach(), x.grad.to_dense(), torch.zeros(()) if s.grad is None else s.grad))
    torch.testing.assert_close(*results)


def test_pytorchs_functions_take_tensors_of_ours():
    x = ours.tensor([3.0, 1.0, 2.0])
    for call in (
        lambda t, x: t.div(x, 2, rounding_mode="floor"),
        lambda t, x: t.diff(x),
        lambda t, x: t.nn.functional.one_hot(x.long(), 4),
        lambda t, x: t.cartesian_prod(x, x)[1],
        lambda t, x: t.kthvalue(x, 2).indices,
        lambda t, x: t.relu_(x),
    ):
        got, want = call(ours, x), call(torch, torch.tensor([3.0, 1.0, 2.0]))
        assert type(got) is ours.Tensor and got.tolist() == want.tolist()
    assert torch.relu_(x) is x
    # One of PyTorch's among the arguments: a result of PyTorch's.
    assert type(torch.add(torch.ones(3), x)) is torch.Tensor and ours.nn.Linear(3, 2)(x).requires_grad
    assert torch.tensor([4, 5, 6])[ours.tensor([2, 0])].tolist() == [6, 4]
    with pytest.raises(RuntimeError, match=r"sin\(\) is PyTorch's own .* use x.detach"):
        ours.sin(ours.tensor([1.0], requires_grad=True))
    with pytest.raises(AttributeError, match="no_such_name"):
        ours.no_such_name  # noqa: B018
    assert {"gather", "diff", "nn"} <= set(dir(ours)) and "one_hot" in dir(ours.nn.functional)


def test_in_place():
    x, s = leaves()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        ours.index_put_(x, (I,), s)
    y = x * 1
    before = y.detach().clone()
    with pytest.raises(IndexError, match="out of"):
        ours.index_put_(y, (I + 1,), s)
    assert torch.equal(y, before)
    assert ours.index_put_(y[1:], (T([0]),), s[:1], True) is not y
    y.sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x)) and s.grad[0].tolist() == [1] * 5


def test_tensors_of_ours_go_along():
    x = X.clone().requires_grad_(True)
    assert ours.gather(x, 1, ours.tensor([[0, 1]])).grad_fn is not None
    ours.index_put(x, (ours.tensor([0]),), ours.tensor([2.0], dtype=ours.float64)).sum().backward()
    assert x.grad.tolist() == [[0.0] * 5, [1.0] * 5, [1.0] * 5]
