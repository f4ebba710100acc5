"""`takewise.accelerate_torch` in programs: calls as users write them, gradients, transforms, contexts, threads."""

import subprocess
import sys
import threading

import pytest

import takewise
from takewise import _operators
from takewise._accelerate import _switch

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

from torch_worlds import alike, counted  # noqa: E402


def used(call):
    """The call's result under takewise, and how many operators takewise ran for it."""

    def ran():
        return sum(run for run, _ in takewise.accelerate_torch.calls().values())

    before = ran()
    with takewise.accelerate_torch(operators="all"):
        result = call()
    return result, ran() - before


def assigned(x, key, value):
    x = x.clone()
    x[key] = value
    return x


X = torch.arange(24.0).reshape(2, 3, 4)
I, J, M = torch.tensor([1, 0, -1]), torch.tensor([[2], [0]]), torch.arange(24).reshape(2, 3, 4) % 5 == 0
ALONG = torch.tensor([[[3, 0], [1, 1], [2, 3]]]).expand(2, 3, 2)
CALLS = {
    "x[i]": lambda x: x[I],
    "x[:, j]": lambda x: x[:, J],
    "x[i, :, i]": lambda x: x[I, :, I],
    "x[..., i]": lambda x: x[..., I],
    "x[None, i]": lambda x: x[None, I, 1:],
    "x[[0, 1]]": lambda x: x[[0, 1], [2, 0]],
    "x[mask]": lambda x: x[M],
    "x[x > 3]": lambda x: x[x > 3.05],
    "x[rows, mask]": lambda x: x[:, M[0, :, 0]],
    "x[i] = 1": lambda x: assigned(x, I, 1),
    "x[i] = v": lambda x: assigned(x, (slice(None), J), x[:1, :1] * 2),
    "x[mask] = 1": lambda x: assigned(x, M, 1.0),
    "x[mask] = v": lambda x: assigned(x, M, x.flatten()[: int(M.sum())] + 1),
    "take_along_dim": lambda x: torch.take_along_dim(x, ALONG, 2),
    "gather": lambda x: torch.gather(x, -1, ALONG),
    "gather a view": lambda x: x.transpose(0, 2).gather(0, ALONG.transpose(0, 2)),
    "index_select": lambda x: x.index_select(1, torch.tensor([2, 2, 0])),
    "masked_select": lambda x: torch.masked_select(x, M[0]),
    "take": lambda x: x.take(J * 5),
    "put": lambda x: x.put(J, x.flatten()[:2], accumulate=True),
    "masked_fill": lambda x: x.masked_fill(M, -1.0),
    "masked_scatter": lambda x: x.masked_scatter(M, x * 2),
    "index_fill": lambda x: x.index_fill(2, torch.tensor([0, 3]), 5),
    "index_put": lambda x: x.index_put((I[:2], J[:, 0]), x[0, :2] * 3, accumulate=True),
    "index_add": lambda x: x.index_add(1, torch.tensor([0, 0]), x[:, 1:] * x[:, :2], alpha=0.5),
    "index_copy": lambda x: x.index_copy(1, torch.tensor([2]), x[:, :1] * 2),
    "scatter": lambda x: x.scatter(2, ALONG[..., :1], x[..., 2:3] * 3),
    "scatter_add": lambda x: x.scatter_add(2, ALONG, x[..., 2:] * 2),
    "scatter_reduce": lambda x: x.scatter_reduce(2, ALONG, x[..., 2:], "amax"),
    "scatter_reduce mean": lambda x: x.scatter_reduce(2, ALONG, x[..., 2:], "mean", include_self=False),
    "embedding": lambda x: torch.nn.functional.embedding(torch.tensor([[1, 0, 1]]), x[0]),
    "in place on a view": lambda x: x.clone()[:, 1].index_add_(1, torch.tensor([0, 0]), x[:, 0, :2]),
    "nonzero": lambda x: torch.nonzero(x > 3),
    "where(mask)": lambda x: torch.where(x > 3)[1],
    "argwhere": lambda x: torch.argwhere(x > 20),
    "searchsorted": lambda x: torch.searchsorted(x.flatten().detach(), torch.tensor([[3.5, 7.0]]), right=True),
    "searchsorted, side": lambda x: torch.searchsorted(x.flatten().detach(), 3.0, side="right"),
    "searchsorted, sorter": lambda x: torch.searchsorted(x.flatten().flip(0).detach(), torch.tensor([3.0]), sorter=torch.arange(23, -1, -1)),
    "bucketize": lambda x: torch.bucketize(x.detach(), torch.tensor([1.0, 3.0, 9.0])),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_as_users_write_them(name):
    call = CALLS[name]
    native = call(X)
    ours, count = used(lambda: call(X))
    assert count and alike(native, ours)
    with torch.no_grad():
        assert alike(native, used(lambda: call(X.clone().requires_grad_()))[0])
    with torch.inference_mode():
        assert alike(native, used(lambda: call(X))[0])


DIFFERENTIABLE = [name for name in CALLS if CALLS[name](X.clone().requires_grad_()).requires_grad]


@pytest.mark.filterwarnings("ignore:.*non-reentrant.*")
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name):
    call = CALLS[name]

    def gradient():
        x = (X.double() / 7).requires_grad_()
        y = call(x)
        (first,) = torch.autograd.grad((y**2 * 3).sum(), x, create_graph=True)
        second = torch.autograd.grad(first.sin().sum(), x)[0] if "amax" not in name and name != "scatter_reduce" else first
        return type(y.grad_fn).__name__, first.detach(), second.detach()

    native = gradient()
    ours, count = used(gradient)
    assert count and alike(native, ours)
    x = (X.double() / 7).requires_grad_()
    assert used(lambda: torch.autograd.gradcheck(call, (x,)))[0]


@pytest.mark.filterwarnings("ignore:.*non-reentrant.*")
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_of_gradients(name):
    x = (X.double() / 7).requires_grad_()
    done, count = used(lambda: torch.autograd.gradgradcheck(CALLS[name], (x,)))
    assert done and count


# What the backward of each call is made of, as far as that indexes at all.
BACKWARD = {
    "x[i]": "_index_put_impl_", "x[:, j]": "_index_put_impl_", "x[mask]": "_index_put_impl_", "x[i] = v": "index.Tensor", "take": "put_",
    "gather": "scatter_add_", "take_along_dim": "scatter_add_", "index_select": "index_add_", "masked_select": "masked_scatter_",
    "index_add": "index_select", "index_copy": "index_select", "put": "take", "scatter": "gather", "scatter_add": "gather",
    "scatter_reduce": "gather", "scatter_reduce mean": "gather", "masked_fill": "masked_fill_.Scalar", "index_put": "index.Tensor",
}  # fmt: skip


@pytest.mark.parametrize("name", BACKWARD)
def test_the_backward_pass_runs_here(name):
    """The graph is PyTorch's own, made outside; walking it back calls our kernels, and gives PyTorch's gradient."""

    def walk(y):
        return torch.autograd.grad(y, x, torch.arange(1.0, y.numel() + 1).reshape(y.shape), retain_graph=True)[0]

    x = X.clone().requires_grad_()
    y = CALLS[name](x)
    native = walk(y)
    before = takewise.accelerate_torch.calls().get(BACKWARD[name], (0, 0))
    ours, _ = used(lambda: walk(y))
    run, handed_on = takewise.accelerate_torch.calls()[BACKWARD[name]]
    assert run > before[0] and handed_on == before[1] and alike(native, ours)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*")
@pytest.mark.parametrize("name", ["x[i]", "x[mask] = 1", "gather", "scatter_add", "index_add", "masked_fill"])
def test_transforms(name):
    call = CALLS[name]
    jvp = lambda: torch.func.jvp(call, (X,), (X + 1,))  # noqa: E731
    grad = lambda: torch.func.grad(lambda x: call(x).pow(2).sum())(X)  # noqa: E731
    for transformed in (jvp, grad):
        native = transformed()
        assert alike(native, used(transformed)[0])
    batch = torch.stack([X, X + 1])
    if name != "x[mask] = 1":
        native = torch.vmap(call)(batch)
        ours, count = used(lambda: torch.vmap(call)(batch))
        assert count and torch.equal(native, ours)
    functional = torch.func.functionalize(call)
    assert alike(call(X), used(lambda: functional(X))[0])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled(backend):
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, i: x.gather(2, i).sin() + x[I][:2, :, :2], backend=backend)
    x = X.clone().requires_grad_()
    native = compiled(x, ALONG)
    native.sum().backward()
    expected, x.grad = x.grad, None
    ours, count = used(lambda: compiled(x, ALONG))
    used(lambda: ours.sum().backward())
    assert count and torch.equal(native, ours) and torch.equal(expected, x.grad)


def test_what_is_outside_goes_to_torch():
    i = torch.tensor([1, 0])
    z = torch.tensor([1 + 2j, 3 - 1j, 2j])
    small = torch.arange(3.0)
    cases = {
        "conj": lambda: z.conj().gather(0, i),
        "neg": lambda: z.conj().imag.index_select(0, i),
        "conj, in place": lambda: z.clone().conj().index_add_(0, i, z[:2]).resolve_conj(),
        "float8": lambda: small.to(torch.float8_e4m3fn)[i].float(),
        "meta": lambda: torch.empty(3, device="meta").index_select(0, i.to("meta")).shape,
        "sparse": lambda: small.to_sparse().index_select(0, i).to_dense(),
        "zero tensor": lambda: torch._efficientzerotensor((3,)).gather(0, i),
        "None": lambda: torch.ops.aten.index(X, [None, i]),
        "cow": lambda: torch._lazy_clone(small).index_fill_(0, i, 9.0),
    }
    for name, call in cases.items():
        native = call()
        assert alike(native, used(call)[0]), name
    lazy = torch._lazy_clone(small)
    used(lambda: lazy.index_fill_(0, i, 9.0))
    assert small.tolist() == [0, 1, 2] and lazy.tolist() == [9, 9, 2]

    class Kind(torch.Tensor):
        pass

    ours, count = used(lambda: small.as_subclass(Kind)[i])
    assert type(ours) is Kind and count
    parameter = torch.nn.Parameter(small)
    with pytest.raises(RuntimeError, match="leaf"), takewise.accelerate_torch(operators="all"):
        parameter.index_fill_(0, i, 1.0)
    fake = pytest.importorskip("torch._subclasses", reason="this torch has no fake tensors").FakeTensorMode()
    with takewise.accelerate_torch(operators="all"), fake:
        assert torch.empty(3).index_select(0, torch.zeros(2, dtype=torch.int64)).shape == (2,)


def test_autograd_sees_writes():
    x = X.clone().requires_grad_()
    with takewise.accelerate_torch(operators="all"):
        y = x * 1
        z = y.exp()
        z.index_fill_(0, torch.tensor([0]), 1.0)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()


def test_a_bad_index_writes_nothing():
    x = torch.zeros(5)
    with takewise.accelerate_torch(operators="all"), pytest.raises(IndexError) as caught:
        x[torch.tensor([0, 1, 2, 3, 9])] = torch.ones(5)
    assert x.tolist() == [0] * 5 and (caught.value.value, caught.value.size) == (9, 5)


LARGE = {
    "gather": lambda x, i, m: x.gather(1, i),
    "x[i]": lambda x, i, m: x[i[0] % 300],
    "x[:, i]": lambda x, i, m: x.t()[:, i[0] % 300],
    "x[mask]": lambda x, i, m: x[m],
    "nonzero": lambda x, i, m: m.nonzero(),
    "index_select": lambda x, i, m: x.index_select(1, i[0]),
    "take": lambda x, i, m: x.take(i * 17),
    "searchsorted": lambda x, i, m: torch.searchsorted(x.flatten().sort()[0], i.to(x.dtype)),
    "scatter_add": lambda x, i, m: x.scatter_add(1, i, x),
    "scatter_reduce": lambda x, i, m: x.scatter_reduce(0, i % 300, x, "amin"),
    "index_add": lambda x, i, m: x.index_add(1, i[0], x),
    "index_put": lambda x, i, m: x.index_put((i % 300, i), x, accumulate=True),
    "masked_fill": lambda x, i, m: x.masked_fill(m, 3),
    "masked_scatter": lambda x, i, m: x.masked_scatter(m, x.t()),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_calls(name):
    g = torch.Generator().manual_seed(1)
    x = torch.randint(100, (300, 1000), generator=g).float()
    index, mask = torch.randint(1000, x.shape, generator=g), torch.rand(x.shape, generator=g) < 0.3
    native = LARGE[name](x, index, mask)
    ours, count = used(lambda: LARGE[name](x, index, mask))
    assert count and alike(native, ours)


def test_the_last_of_several_stores_stays():
    index = torch.arange(1_000_000) % 1000
    with takewise.accelerate_torch(operators="all"):
        x = torch.zeros(1000).index_put((index,), torch.arange(1e6))
    assert torch.equal(x, torch.arange(999_000.0, 1e6))


def total(overload="gather"):
    return counted(overload)[0]


def gathered():
    before = total()
    torch.gather(X, 0, torch.zeros(1, 3, 4, dtype=torch.int64))
    return total() - before


def test_contexts_nest_and_end():
    assert gathered() == 0
    with takewise.accelerate_torch(operators="all") as outer:
        assert gathered() == 1
        with takewise.accelerate_torch(operators="all"), outer:
            assert gathered() == 1
        assert gathered() == 1
        with pytest.raises(ZeroDivisionError), takewise.accelerate_torch(operators="all"):
            1 / 0
        assert gathered() == 1
    assert gathered() == 0


def test_decorator_and_permanent_form():
    assert takewise.accelerate_torch(operators="all")(gathered)() == 1 and gathered() == 0
    switch = takewise.accelerate_torch(operators="all").enable()
    try:
        with takewise.accelerate_torch(operators="all"):
            pass
        assert gathered() == 1 and switch.enable() is switch
    finally:
        takewise.accelerate_torch().disable()
    assert gathered() == 0
    switch.disable()
    assert gathered() == 0


def registered():
    """The operators that have a kernel of ours now."""
    return {overload for overload, what in _switch._doing.items() if what == "run"}


def test_only_operators_that_pay_are_registered_unasked():
    assert {name for name in _operators.LEFT if name in _operators.OPERATORS or any(_of(name))} == set(_operators.LEFT)
    with takewise.accelerate_torch():
        assert registered() == set(_operators.OPERATORS) - {overload for name in _operators.LEFT for overload in _of(name)}
        assert gathered() == 0 and {"masked_select", "nonzero", "searchsorted.Tensor"} <= registered()
        with takewise.accelerate_torch(operators=["gather"]):
            assert gathered() == 1 and "nonzero" in registered()
        assert gathered() == 0
    with takewise.accelerate_torch(operators=["scatter_", "index.Tensor"]):
        assert registered() == {*_of("scatter_"), "index.Tensor"}
    with takewise.accelerate_torch(operators=["scatter", "index_put"]):
        assert registered() == {*_of("scatter"), *_of("scatter_"), "_index_put_impl_"}
    assert not registered()


def _of(name):
    return [overload for overload in _operators.OPERATORS if name in (overload, overload.partition(".")[0])]


@pytest.mark.parametrize("bad", ["gather", ["gather", "nothing"], [""]])
def test_operators_are_named_or_refused(bad):
    with pytest.raises(ValueError, match="the names are .*gather, index"):
        takewise.accelerate_torch(operators=bad)


def test_what_is_left_to_pytorch_is_explained_all_the_same():
    with takewise.accelerate_torch():
        for call in (lambda x, i: (torch.gather, x, 1, i), lambda x, i: (x.masked_select, x > 3)):
            found = takewise.explain(*call(X[0], I.abs()[None]))
            assert found.error is None and found.to_dict()["plans"]


def test_a_kernel_put_in_by_others_comes_back():
    seen = []
    library = torch.library.Library("aten", "IMPL")
    library.impl("take", lambda x, index: seen.append(1) or torch.zeros(7), "CPU", allow_override=True)
    with takewise.accelerate_torch(operators="all"):
        assert torch.take(X, I).shape == (3,)
        torch.take(X.to(torch.float8_e4m3fn), I)
    assert len(seen) == 1 and torch.take(X, I).shape == (7,)
    library._destroy()
    assert torch.take(X, I).shape == (3,)


def test_threads_come_and_go():
    x, index = torch.arange(50_000.0), torch.arange(49_999, -1, -1)
    failed = []

    def work(seed):
        try:
            for k in range(40):
                if (k + seed) % 3:
                    with takewise.accelerate_torch(operators="all"):
                        y = x[index]
                else:
                    y = torch.gather(x, 0, index)
                assert torch.equal(y, x.flip(0))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and gathered() == 0


def test_torch_is_not_imported_for_nothing():
    code = "import sys, takewise; assert 'torch' not in sys.modules; takewise.accelerate_torch(operators='all').enable(); import torch; "
    code += "print(torch.arange(3)[torch.tensor([2])].tolist(), sum(takewise.accelerate_torch.calls()['index.Tensor']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[2] 1\n", 0), done.stderr


@pytest.mark.parametrize("make", ["torch.ones(3, 2).requires_grad_()", "torch.nn.Parameter(torch.ones(3, 2))"])
def test_the_first_call_of_a_process_may_need_a_gradient(make):
    code = f"import torch, takewise; takewise.accelerate_torch(operators='all').enable(); x = {make}; i = torch.tensor([0, 2, 0]); "
    code += "(x[i] * 1.0).sum().backward(); torch.nn.functional.embedding(i, x).sum().backward(); print(x.grad.tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[[4.0, 4.0], [0.0, 0.0], [2.0, 2.0]]\n", 0), done.stderr
