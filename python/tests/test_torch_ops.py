"""takewise's operators in PyTorch: what PyTorch itself asks of an operator, and takewise's functions on tensors with a history."""

import contextlib
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import takewise

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")
# PyTorch's tools say what they think of PyTorch.
pytestmark = [pytest.mark.filterwarnings(f"ignore::{kind}") for kind in ("FutureWarning", "UserWarning", "DeprecationWarning")]

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch_cases import CASES, MASK, SEARCHES, X, differentiable, operator  # noqa: E402

import takewise.torch_ops  # noqa: E402

T = torch.tensor
# All of them take a minute: TAKEWISE_LONG=1 asks for it.
LONG = bool(os.environ.get("TAKEWISE_LONG"))


def some(titles, each):
    """One case for each operator and policy's name, or all."""
    return list(titles) if LONG else list(titles)[::each]


def firsts():
    """The first case of each operator."""
    found = {}
    for title, (name, *_) in {**CASES, **SEARCHES}.items():
        found.setdefault(name, title)
    return list(found.values())


@pytest.mark.parametrize("title", some(CASES, 2))
def test_gradients(title):
    name, args, tangents = CASES[title]
    leaves, whole = differentiable(args)
    call = lambda *given: operator(name)(*whole(*given))  # noqa: E731
    assert gradcheck(call, leaves, check_forward_ad=tangents, fast_mode=not LONG)
    assert gradgradcheck(call, leaves, fast_mode=not LONG)


@pytest.mark.parametrize("title", [t for t in CASES if " prod" not in t and "ama" not in t and "ami" not in t][:: 1 if LONG else 4])
def test_complex_gradients(title):
    name, args, tangents = CASES[title]
    leaves, whole = differentiable(args, torch.complex128)
    leaves = [(leaf.detach() * (1 - 0.5j)).requires_grad_(True) for leaf in leaves]
    call = lambda *given: operator(name)(*whole(*given))  # noqa: E731
    assert gradcheck(call, leaves, check_forward_ad=tangents, fast_mode=not LONG)
    assert gradgradcheck(call, leaves, fast_mode=not LONG)


@pytest.mark.parametrize("title", [*CASES, *SEARCHES] if LONG else firsts())
def test_what_pytorch_asks_of_an_operator(title):
    name, args, *_ = {**CASES, **SEARCHES}[title]
    leaf = title in CASES
    args = [a.clone().requires_grad_(leaf and a.is_floating_point()) if isinstance(a, torch.Tensor) else a for a in args]
    torch.library.opcheck(operator(name), tuple(args))


def batches(args):
    """Arguments with a batch axis, one tensor after another, and all of them."""
    slots = [k for k, a in enumerate(args) if isinstance(a, (torch.Tensor, list))]
    for on in [*([slot] for slot in slots), slots]:
        given, dims = list(args), [None] * len(args)
        for k in on:
            given[k], dims[k] = stacked(args[k])
        yield given, tuple(dims)


def stacked(value):
    if isinstance(value, list):
        pairs = [(None, None) if item is None else stacked(item) for item in value]
        return [made for made, _ in pairs], [dim for _, dim in pairs]
    axis = min(1, value.ndim)
    parts = [value + k * 0.375 if value.is_floating_point() else value.roll(k, -1) if value.ndim else value for k in range(3)]
    return torch.stack(parts, axis), axis


def part(value, dim, k):
    if isinstance(value, list) and isinstance(dim, list):
        return [part(item, d, k) for item, d in zip(value, dim, strict=True)]
    return value if dim is None else value.select(dim, k)


@pytest.mark.parametrize("title", some([t for t in [*CASES, *SEARCHES] if "mask" not in t and t != "nonzero"], 3))
def test_batches(title):
    name, args, *_ = {**CASES, **SEARCHES}[title]
    if "sorter" in title:
        args = args[:2]
    call = operator(name)
    for given, dims in batches(args):
        want = torch.stack([call(*(part(a, d, k) for a, d in zip(given, dims, strict=True))) for k in range(3)])
        got = torch.func.vmap(lambda *a: call(*a), in_dims=dims)(*given)
        torch.testing.assert_close(got, want, equal_nan=True)


def test_masks_have_no_batches():
    mask = torch.stack([MASK, ~MASK])
    for call in (lambda m: takewise.masked_select(X, m), lambda m: takewise.index(X, m), lambda m: takewise.nonzero(m)):
        with pytest.raises(RuntimeError, match="of different lengths"):
            torch.func.vmap(call)(mask)


# Functions of takewise, as calls of `x` and a source of three rows, and what they mean in PyTorch.
LISTED = np.array([[0, 4], [3, 3], [2, -1]])
I, J, K = T([2, 0, 2]), T([[0, 4], [3, 3], [2, -1]]), T([[4, 0], [1, 3], [2, 2]])
ROWS = torch.arange(15, dtype=torch.float64).reshape(3, 5) / 3
FUNCTIONS = {
    "gather": (lambda x, s: takewise.gather(x, 1, J), lambda x, s: x.gather(1, J % 5)),
    "gather, an array": (lambda x, s: takewise.gather(x, 1, LISTED), lambda x, s: x.gather(1, J % 5)),
    "take": (lambda x, s: takewise.take(x, J), lambda x, s: x.take(J)),
    "take rows": (lambda x, s: takewise.take(x, [[2, 0]], axis=0), lambda x, s: x[T([[2, 0]])]),
    "take batches": (lambda x, s: takewise.take(x, J, batch_dims=1), lambda x, s: x.gather(1, J % 5)),
    "take_along_axis": (lambda x, s: takewise.take_along_axis(x, x.detach().argsort(1)), lambda x, s: x.sort(1)[0]),
    "take_along_axis, flat": (lambda x, s: takewise.take_along_axis(x, I, None), lambda x, s: x.reshape(-1)[I]),
    "index_select": (lambda x, s: takewise.index_select(x, 0, I), lambda x, s: x.index_select(0, I)),
    "gather_nd": (lambda x, s: takewise.gather_nd(x, [[0, 2], [1, 0]]), lambda x, s: x[[0, 1], [2, 0]]),
    "gather_nd batches": (lambda x, s: takewise.gather_nd(x, J.unsqueeze(-1)[:, :, :], 1), lambda x, s: x.gather(1, J % 5)),
    "index": (lambda x, s: takewise.index(x, (slice(1, None), [4, 0])), lambda x, s: x[1:, [4, 0]]),
    "index, all kinds": (lambda x, s: takewise.index(x, (I, None, ..., -1)), lambda x, s: x[I, None, ..., -1]),
    "index, a view": (lambda x, s: takewise.index(x, (..., slice(1, 3))), lambda x, s: x[..., 1:3]),
    "index, one place": (lambda x, s: takewise.index(x, (1, -2)), lambda x, s: x[1, -2]),
    "index, clipped": (lambda x, s: takewise.index(x, (1, 9), bounds="clip"), lambda x, s: x[1, 4]),
    "index, backwards": (lambda x, s: takewise.index(x, (I, slice(None, None, -2))), lambda x, s: x[I][:, ::2].flip(1)),
    "index, a mask": (lambda x, s: takewise.index(x, MASK), lambda x, s: x[MASK]),
    "oindex": (lambda x, s: takewise.oindex(x, (I, [4, 1])), lambda x, s: x[I][:, [4, 1]]),
    "vindex": (lambda x, s: takewise.vindex(x, (slice(None), [4, 1])), lambda x, s: x.t()[[4, 1]]),
    "copy": (lambda x, s: takewise.copy(x.t()), lambda x, s: x.t().clone()),
    "masked_select": (lambda x, s: takewise.masked_select(x, MASK), lambda x, s: x[MASK]),
    "where": (lambda x, s: takewise.where(MASK, x, s), lambda x, s: torch.where(MASK, x, s)),
    "where, a number": (lambda x, s: takewise.where(MASK, x, 0), lambda x, s: torch.where(MASK, x, 0)),
    "scatter": (lambda x, s: takewise.scatter(x, 1, K, s), lambda x, s: x.scatter(1, K[:, :1], s[:, :1]).scatter(1, K[:, 1:], s[:, 1:2])),
    "scatter, a number": (lambda x, s: takewise.scatter(x, 1, J, 3), lambda x, s: x.scatter(1, J % 5, 3)),
    "scatter sums": (lambda x, s: takewise.scatter(x, 1, K, s, "sum"), lambda x, s: x.scatter_add(1, K, s[:, :2])),
    "scatter_add": (lambda x, s: takewise.scatter_add(x, 1, K, s), lambda x, s: x.scatter_add(1, K, s[:, :2])),
    "scatter_reduce": (lambda x, s: takewise.scatter_reduce(x, 1, K, s, "mean", False), lambda x, s: x.scatter_reduce(1, K, s[:, :2], "mean", include_self=False)),
    "scatter_reduce, amax": (lambda x, s: takewise.scatter_reduce(x, 1, K, s, "amax"), lambda x, s: x.scatter_reduce(1, K, s[:, :2], "amax")),
    "index_add": (lambda x, s: takewise.index_add(x, 0, I, s, 2.0), lambda x, s: x.index_add(0, I, s, alpha=2.0)),
    "index_copy": (lambda x, s: takewise.index_copy(x, 0, I[1:], s[1:]), lambda x, s: x.index_copy(0, I[1:], s[1:])),
    "index_fill": (lambda x, s: takewise.index_fill(x, 0, I, s[0, 1]), lambda x, s: x.index_fill(0, I, s[0, 1])),
    "index_reduce": (lambda x, s: takewise.index_reduce(x, 0, I, s + 1, "prod"), lambda x, s: x.index_reduce(0, I, s + 1, "prod")),
    "put": (lambda x, s: takewise.put(x, I, s[0, :3], True), lambda x, s: x.put(I, s[0, :3], True)),
    "tensor_scatter": (lambda x, s: takewise.tensor_scatter(x, [[0, 1], [2, 2]], s[0, :2]), lambda x, s: x.index_put((T([0, 2]), T([1, 2])), s[0, :2])),
    "scatter_nd": (lambda x, s: takewise.scatter_nd([[0], [2], [0]], s, (4, 5)), lambda x, s: s.new_zeros(4, 5).index_add(0, T([0, 2, 0]), s)),
    "masked_fill": (lambda x, s: takewise.masked_fill(x, MASK, s[0, 2]), lambda x, s: x.masked_fill(MASK, s[0, 2])),
    "masked_scatter": (lambda x, s: takewise.masked_scatter(x, MASK, s), lambda x, s: x.masked_scatter(MASK, s)),
    "at get": (lambda x, s: takewise.at(x)[I].get(), lambda x, s: x[I]),
    "at set": (lambda x, s: takewise.at(x)[1:, 0].set(s[0, :2]), lambda x, s: torch.cat([x[:1], torch.cat([s[0, :2, None], x[1:, 1:]], 1)])),
    "at add": (lambda x, s: takewise.at(x)[I].add(s), lambda x, s: x.index_add(0, I, s)),
    "at mul": (lambda x, s: takewise.at(x)[I[:2]].mul(s[:2]), lambda x, s: x.index_reduce(0, I[:2], s[:2], "prod")),
    "at max": (lambda x, s: takewise.at(x)[I].max(s), lambda x, s: x.index_reduce(0, I, s, "amax")),
    "at set backwards": (lambda x, s: takewise.at(x)[0, ::-1].set(s[0]), lambda x, s: torch.cat([s[:1].flip(1), x[1:]])),
    "scatter_": (lambda x, s: takewise.scatter_(x * 1, 1, K[:, :1], s), lambda x, s: x.scatter(1, K[:, :1], s[:, :1])),
    "index_put_": (lambda x, s: takewise.index_put_(x * 1, (I, 1), s[:, 0], accumulate=True), lambda x, s: x.index_put((I, T(1)), s[:, 0], True)),
    "index_set of a view": (lambda x, s: takewise.index_set((y := x * 1)[1:], (slice(None), [0]), s[:1, :1]) is None or y, lambda x, s: x.index_put((T([[1], [2]]), T([0])), s[:1, :1])),
    "scatter_reduce_": (lambda x, s: takewise.scatter_reduce_(x * 1, 1, K, s, "prod"), lambda x, s: x.scatter_reduce(1, K, s[:, :2], "prod")),
    "at max_": (lambda x, s: takewise.at((y := x * 1)[:, 1:])[0].max_(s[0, 1:]) is None or y, lambda x, s: torch.cat([torch.cat([x[:1, :1], torch.maximum(x[:1, 1:], s[:1, 1:])], 1), x[1:]])),
    "put_along_axis": (lambda x, s: takewise.put_along_axis(y := x * 1, K[:, :1], s[:, :1]) or y, lambda x, s: x.scatter(1, K[:, :1], s[:, :1])),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    """Values and gradients as PyTorch's own, with a gradient or under its transforms."""
    ours, theirs = FUNCTIONS[name]
    results = []
    for call in (ours, theirs):
        x, s = X.clone().requires_grad_(True), ROWS.clone().requires_grad_(True)
        made = call(x, s)
        weights = torch.arange(1.0, made.numel() + 1, dtype=made.dtype).reshape(made.shape)
        results.append([made, *torch.autograd.grad((made * weights).sum(), (x, s), materialize_grads=True)])
    for got, want in zip(*results, strict=True):
        torch.testing.assert_close(got, want)
    assert results[0][0].grad_fn is not None
    whole = torch.func.grad(lambda x, s: ours(x, s).pow(2).sum(), argnums=(0, 1))(X, ROWS)
    for got, want in zip(whole, torch.func.grad(lambda x, s: theirs(x, s).pow(2).sum(), argnums=(0, 1))(X, ROWS), strict=True):
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if "mask" not in n])
def test_functions_in_batches(name):
    ours, theirs = FUNCTIONS[name]
    x, s = torch.stack([X, X + 1]), torch.stack([ROWS, -ROWS])
    if name == "index_reduce":
        s = s.abs()
    got = torch.func.vmap(lambda x, s: ours(x, s) * 1.0)(x, s)
    torch.testing.assert_close(got, torch.stack([theirs(a, b) for a, b in zip(x, s, strict=True)]))


def test_no_gradient_reaches_what_is_filled():
    x = T([1.0, 2.0, 3.0], requires_grad=True)
    y = takewise.take(x, [0, 9, -7, 2], bounds="fill", fill_value=5)
    assert y.tolist() == [1, 5, 5, 3]
    (y * T([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    assert x.grad.tolist() == [1, 0, 1000]


def test_the_gradient_follows_what_is_kept():
    for duplicates, kept in (("last", [0.0, 1.0, 1.0]), ("first", [1.0, 0.0, 1.0])):
        x, s = torch.zeros(3, requires_grad=True), T([5.0, 6.0, 7.0], requires_grad=True)
        takewise.scatter(x, 0, [1, 1, 2], s, duplicates=duplicates).sum().backward()
        assert s.grad.tolist() == kept
        assert x.grad.tolist() == [1, 0, 0]
    with pytest.raises(takewise.exceptions.Error, match="already wrote"):
        takewise.scatter(torch.zeros(3, requires_grad=True), 0, [1, 1, 2], T([5.0, 6.0, 7.0]), duplicates="error")


def test_errors_are_those_of_takewise():
    x = torch.zeros(3, 4, requires_grad=True)
    with pytest.raises(IndexError) as caught:
        takewise.gather(x, 1, [[0, 9]])
    assert (caught.value.axis, caught.value.position, caught.value.value, caught.value.size) == (1, (0, 1), 9, 4)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        takewise.index_fill_(x, 0, [1], 2.0)
    with pytest.raises(RuntimeError, match=r"gather\(\): out= takes no gradients"):
        takewise.gather(x, 1, [[0]], out=torch.zeros(1, 1))
    with pytest.raises(RuntimeError, match="requires a gradient"):
        takewise.scatter(np.zeros((3, 4)), 1, [[0]], x)
    # An argument too many and one too few do not make up for each other.
    for given, named in [((x, 1), {"places": [[0]]}), ((x, 1), {}), ((x, 1, [[0]]), {"x": x}), ((x, 1, [[0]], 7), {})]:
        with pytest.raises(TypeError, match=r"^gather\(\)"):
            takewise.gather(*given, **named)


def test_nothing_changes_without_a_history():
    x = torch.arange(6.0)
    assert takewise.take(x, [1]).grad_fn is None
    with torch.no_grad():
        assert takewise.take(x.clone().requires_grad_(True), [1]).tolist() == [1.0]
    assert not takewise.searchsorted(x, x.clone().requires_grad_(True)).requires_grad


ELSEWHERE = {
    "sparse": lambda: torch.eye(3).to_sparse(),
    "csr": lambda: torch.eye(3).to_sparse_csr(),
    "meta": lambda: torch.empty(3, 3, device="meta"),
    "quantized": lambda: torch.quantize_per_tensor(torch.eye(3), 0.1, 0, torch.qint8),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ELSEWHERE)
def test_tensors_elsewhere_are_refused_in_a_line(kind):
    x = ELSEWHERE[kind]()
    calls = [lambda: takewise.take(x, [0]), lambda: torch.ops.takewise.take(x, T([0]))]
    if kind != "meta":
        calls.append(lambda: takewise.take(x.requires_grad_(x.is_floating_point()), [0]))
    for call in calls[: 1 if kind == "meta" else None]:
        with pytest.raises((RuntimeError, TypeError, NotImplementedError)) as caught:
            call()
        assert len(str(caught.value).splitlines()) == 1, str(caught.value)
        assert "C++" not in str(caught.value)


def test_compiled_whole():
    def model(x, s):
        y = takewise.gather(x, 1, J, bounds="clip")
        y = takewise.scatter(x, 1, K, y, bounds="drop", duplicates="first")
        y = takewise.at(y)[[0, 0], 1:].add(1.0)
        y = takewise.index(y, (slice(None), [0, 1, 1]))
        takewise.index_add_(y, 0, [0, 2], s[:2, :3])
        return y.pow(2).sum() + takewise.searchsorted(x.detach().sort(1)[0], x).sum()

    results = []
    for call in (model, torch.compile(model, fullgraph=True, backend="aot_eager")):
        x, s = X.clone().requires_grad_(True), ROWS.clone().requires_grad_(True)
        y = call(x, s)
        results.append([y, *torch.autograd.grad(y, (x, s))])
    for got, want in zip(*results, strict=True):
        torch.testing.assert_close(got, want)
    plain = torch.compile(lambda a: takewise.take(a, [1, 2]) + 1, backend="eager")
    assert plain(np.arange(5.0)).tolist() == [2.0, 3.0]


def test_exported():
    class Model(torch.nn.Module):
        def forward(self, x, index):
            return takewise.gather(x, 1, index, bounds="fill", fill_value=0.5)

    program = torch.export.export(Model(), (X, J))
    assert any(node.target is torch.ops.takewise.gather.default for node in program.graph.nodes)
    torch.testing.assert_close(program.module()(X, J + 3), takewise.gather(X, 1, J + 3, bounds="fill", fill_value=0.5))


def run(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_torch_is_not_imported_for_it():
    run("""
        import sys, takewise, numpy as np
        try:
            takewise.take(np.arange(3), [7])
        except IndexError:
            pass
        assert "torch" not in sys.modules and "takewise._torch._define" not in sys.modules
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_first_calls_on_threads_and_in_a_forked_child():
    run("""
        import os, threading, torch, takewise
        start, found = threading.Barrier(4), []
        def call():
            x = torch.arange(3.0).requires_grad_(True)
            start.wait()
            takewise.take(x, [2, 2]).sum().backward()
            found.append(x.grad.tolist())
        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        import warnings
        warnings.simplefilter("ignore")
        child = os.fork()
        if not child:
            x = torch.arange(3.0).requires_grad_(True)
            ok = takewise.take(x, [1]).item() == 1.0
            os._exit(0 if ok else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        for thread in threads:
            thread.join()
        assert found == [[0.0, 0.0, 2.0]] * 4, found
    """)


def test_many_threads():
    found = []

    def work():
        with contextlib.suppress(AssertionError):
            for _ in range(50):
                x = X.clone().requires_grad_(True)
                takewise.gather(x, 1, J).sum().backward()
                assert x.grad.sum() == 6
            found.append(True)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4


def test_tangents_of_forward_mode():
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        x = forward.make_dual(X, ROWS)
        assert torch.equal(forward.unpack_dual(takewise.gather(x, 1, J)).tangent, takewise.gather(ROWS, 1, J))
        assert takewise.gather(X, 1, J).grad_fn is None
        assert forward.unpack_dual(takewise.take(X[1:], [0])).tangent is None
