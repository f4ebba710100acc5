"""The two ways PyTorch calls takewise's kernels under `takewise.accelerate_torch`: through its C interface, and by way of Python."""

import sys

import pytest

import takewise
from takewise._accelerate import _switch

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

from torch_worlds import SUITE, World, agree, alike, broken, operator, outcome, program, shares  # noqa: E402

WITHOUT_PYTHON = pytest.mark.skipif(
    sys.platform != "linux" or not torch.__version__.startswith("2.15."),
    reason="the interface is known to be there on Linux, in PyTorch 2.15",
)
X, I = torch.arange(12.0).reshape(3, 4), torch.tensor([2, 0])
ALONG = torch.tensor([[3, 0], [1, 1], [2, 3]])
CALLS = {
    "gather": lambda x: x.gather(1, ALONG),
    "gather.out": lambda x: torch.gather(x, 1, ALONG, out=torch.empty(3, 2)),
    "index_select": lambda x: x.index_select(0, I),
    "take": lambda x: x.take(ALONG),
    "masked_select": lambda x: x.masked_select(x > 3),
    "nonzero": lambda x: (x > 3).nonzero(),
    "searchsorted.Tensor": lambda x: torch.searchsorted(x, x, side="right", sorter=torch.arange(4).expand(3, 4).contiguous()),
    "bucketize.Tensor": lambda x: torch.bucketize(x, x[1], out_int32=True),
    "scatter.src": lambda x: x.scatter(1, ALONG[:, :1], x * 2),
    "scatter_.src": lambda x: x.scatter_(1, ALONG[:, :1], x * 2),
    "scatter_add_": lambda x: x.scatter_add_(1, ALONG, x * 2),
    "scatter_reduce.two": lambda x: x.scatter_reduce(1, ALONG, x * 2, "amax", include_self=False),
    "index_copy_": lambda x: x.index_copy_(0, I, x[:2] * 2),
    "index_fill_.int_Tensor": lambda x: x.index_fill_(0, I, torch.tensor(7.0)),
    "masked_fill_.Tensor": lambda x: x.masked_fill_(x > 3, torch.tensor(7.0)),
    "masked_scatter_": lambda x: x.masked_scatter_(x > 3, x * 2),
    "put_": lambda x: x.put_(ALONG, x[:, :2], accumulate=True),
}
# Those with numbers and lists of tensors, which do not come through the interface.
OTHERS = {"index.Tensor", "_index_put_impl_", "searchsorted.Scalar", "scatter.value", "scatter_.value", "index_add_", "masked_fill_.Scalar"}


@WITHOUT_PYTHON
@pytest.mark.parametrize("name", CALLS)
def test_python_is_not_asked(name):
    """The kernels in Python would be asked for whatever the others do not answer: their counts are one."""
    call = CALLS[name]
    native = call(X.clone())
    asked, x = [], X.clone()
    with takewise.accelerate_torch(operators="all"):
        kernel = _switch._kernels[name]
        before, road = kernel.calls, takewise.accelerate_torch.calls()[name].road
        sys.setprofile(lambda frame, event, what: asked.append(what) if event == "c_call" and what is kernel else None)
        ours = call(x)
        sys.setprofile(None)
    assert alike(native, ours) and road == "C" and not asked
    assert kernel.calls == (before[0] + 1, before[1])


@WITHOUT_PYTHON
def test_the_road_is_told():
    with takewise.accelerate_torch(operators="all"):
        calls = takewise.accelerate_torch.calls()
    assert {call.road for call in calls.values()} == {"C", "Python"}
    assert {calls[name].road for name in CALLS} == {"C"} and {calls[name].road for name in OTHERS} == {"Python"}
    run, handed_on = calls["gather"]
    assert (run, handed_on) == calls["gather"] and repr(calls["gather"]) == f"({run}, {handed_on})"


@pytest.mark.parametrize("value", [0, -1, 2**62 + 1, -(2**63), 2**63, 2**64 - 1, True, 0.5, -0.0, float("inf"), 1.5 - 2j])
@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool, torch.float32, torch.complex128])
def test_numbers_arrive_as_they_are(value, dtype):
    def call():
        return torch.zeros(3, dtype=dtype).masked_fill_(torch.tensor([True, False, True]), value)

    native = outcome(call, (), {})
    with takewise.accelerate_torch(operators="all"):
        assert agree(native, outcome(call, (), {}))


def test_all_by_python(monkeypatch):
    monkeypatch.setattr(_switch, "road", "Python")
    with takewise.accelerate_torch(operators="all"):
        assert {call.road for call in takewise.accelerate_torch.calls().values()} == {"Python"}
        assert torch.equal(X.gather(1, ALONG), torch.tensor([[3.0, 0], [5, 5], [10, 11]]))


@pytest.mark.filterwarnings("ignore:.*(reduce|deprecated|non-contiguous|discards the imaginary).*")
@pytest.mark.parametrize("overload", SUITE)
def test_the_same_by_python(monkeypatch, overload):
    """`test_accelerate_kernels.py` runs many more of these on the road that PyTorch takes."""
    monkeypatch.setattr(_switch, "road", "Python")
    make, keywords, dtypes = SUITE[overload]
    for seed in range(3):
        w = World(seed, dtypes[seed % len(dtypes)])
        arguments, named = make(w), keywords(w)
        native = outcome(operator(overload), arguments, named)
        with takewise.accelerate_torch(operators="all"):
            ours = outcome(operator(overload), arguments, named)
        assert agree(native, ours) or broken(native, ours), (overload, arguments, named)


KEPT = {
    "read": lambda x, i: x.gather(0, i),
    "written": lambda x, i: x.scatter_add_(0, i, torch.ones(2)),
    "listed": lambda x, i: torch.ops.aten.index(x, [i]),
    "listed in C++": lambda x, i: x[i],
    "stored": lambda x, i: x.index_put_((i,), x[:2]),
    "filled": lambda x, i: x.index_fill_(0, i, 2.5),
    "given": lambda x, i: torch.take(x, i, out=torch.empty(2)),
    "optional": lambda x, i: torch.searchsorted(x, x[:1], side="left", sorter=torch.arange(3)),
    "bad index": lambda x, i: x.gather(0, i + 9),
    "bad list": lambda x, i: torch.ops.aten.index(x, [i + 9]),
    "bad index in C++": lambda x, i: x[i + 9],
    "bad shape": lambda x, i: x.gather(0, i[None]),
    "handed on": lambda x, i: x.to(torch.float8_e4m3fn)[i],
}


@pytest.mark.parametrize("name", KEPT)
def test_arguments_are_given_back(name):
    x, i = torch.tensor([1.0, 2, 3]), torch.tensor([2, 0])
    before = shares(x), shares(i)
    with takewise.accelerate_torch(operators="all"):
        for _ in range(50):
            outcome(KEPT[name], (x, i), {})
            try:
                KEPT[name](x, i)
            except (IndexError, RuntimeError):
                pass
    assert (shares(x), shares(i)) == before


@WITHOUT_PYTHON
def test_results_grow_as_pytorchs_own():
    with takewise.accelerate_torch(operators="all"):
        result = X.gather(1, ALONG)
    assert result.resize_(100, 100).shape == (100, 100)


class Bad(torch.autograd.Function):
    """Its way back names places that are not there."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient.gather(1, ALONG + 100)


def test_an_error_within_a_backward_pass():
    x = X.clone().requires_grad_()
    with takewise.accelerate_torch(operators="all"), pytest.raises(RuntimeError) as caught:
        Bad.apply(x).sum().backward()
    assert (caught.value.axis, caught.value.position, caught.value.value, caught.value.size) == (1, (0, 0), 103, 4)


def test_wrong_arity_is_refused_as_before():
    calls = (lambda: torch.gather(X, 1), lambda: torch.ops.aten.gather(X), lambda: torch.ops.aten.gather(X, 1, ALONG, X, X))
    for call in calls:
        native = outcome(call, (), {})
        with takewise.accelerate_torch(operators="all"):
            assert native[0][0] == "error" and outcome(call, (), {})[0] == native[0]


def test_within_autocast():
    def call():
        x = X.clone().requires_grad_()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = (x @ x.t()).gather(1, ALONG[:, :1] % 3)
            y = y.float().scatter_add(1, ALONG[:, :1] * 0, x[:, :1])
        y.sum().backward()
        return y.detach(), x.grad

    native = call()
    with takewise.accelerate_torch(operators="all"):
        assert alike(native, call())


def test_threads_run_while_others_switch():
    text = """
stop, failed = threading.Event(), []
def run(k):
    try:
        while not stop.is_set():
            assert x.gather(0, i)[0] == 49 and x[i][k] == 49 - k
            try:
                x.gather(0, i + 99)
            except (IndexError, RuntimeError):
                continue
            failed.append("nothing was raised")
    except BaseException as error:
        failed.append(error)
def switch():
    for _ in range(40):
        with takewise.accelerate_torch(operators="all"):
            x.take(i)
threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
others = [threading.Thread(target=switch) for _ in range(2)]
for thread in threads + others:
    thread.start()
for thread in others:
    thread.join()
stop.set()
for thread in threads:
    thread.join()
print(failed, sum(takewise.accelerate_torch.calls()["take"]))
"""
    assert program(text) == "[] 80\n"


def test_forked_workers():
    text = """
takewise.accelerate_torch(operators="all").enable()
class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, k):
        large = torch.arange(100_000.0)
        return x[i][k], large.gather(0, large.long().flip(0))[0]
if __name__ == "__main__":
    x.gather(0, i)
    loader = torch.utils.data.DataLoader(Rows(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    print([[part.tolist() for part in batch] for batch in loader])
"""
    rows = [[[49.0 - k for k in part], [99_999.0] * 4] for part in (range(4), range(4, 8))]
    assert program(text) == f"{rows}\n"


@pytest.mark.parametrize("way", ["accelerate_torch(operators='all')", "torch_errors()"])
def test_the_process_ends_while_threads_are_at_it(way):
    text = f"takewise.{way}.enable()" + """
def run():
    while True:
        x.gather(0, i)
        try:
            x[i + 50]
        except IndexError:
            pass
for _ in range(3):
    threading.Thread(target=run, daemon=True).start()
import time; time.sleep(0.3)
print("done")
"""
    assert program(text) == "done\n"


def test_it_is_tried_out_whatever_is_on():
    text = """
with torch.inference_mode(), torch.device("meta"), takewise.accelerate_torch(operators="all"):
    print(x.gather(0, i)[0].item(), sum(takewise.accelerate_torch.calls()["gather"]))
torch.set_default_dtype(torch.float64)
print(torch.vmap(lambda row: row.gather(0, i))(x[None])[0, 0].item())
"""
    assert program(text) == "49.0 1\n49.0\n"


@pytest.mark.parametrize("change", ["_shim._DTYPES += ' float8_e5m2'", "_shim._refuses = lambda torch, ops: 1 / 0", "_shim.is_there = lambda: False"])
def test_a_pytorch_that_answers_otherwise_takes_the_other_road(change):
    text = f"""
from takewise import _accelerate, _shim, _takewise
{change}
with takewise.accelerate_torch(operators="all"):
    print(x.gather(0, i)[0].item(), {{call.road for call in takewise.accelerate_torch.calls().values()}})
with takewise.accelerate_torch():
    print(set(_accelerate._switch._doing))
"""
    assert program(text) == "49.0 {'Python'}\nset()\n"


# Calls of few elements and of more, with index values that are bad in one place.
INDEXED = {
    "gather": lambda x, i: x.gather(1, i),
    "gather.out": lambda x, i: torch.gather(x, 1, i, out=torch.empty(3, 2)),
    "index.Tensor": lambda x, i: x[..., i],
    "_index_put_impl_": lambda x, i: x.index_put_(tuple(i.t().contiguous()), x[0, :3] * 2),
    "scatter.src": lambda x, i: x.scatter(1, i, x * 2),
    "scatter_.src": lambda x, i: x.scatter_(1, i, x * 2),
    "scatter_add_": lambda x, i: x.scatter_add_(1, i, x * 2),
    "scatter_reduce_.two": lambda x, i: x.scatter_reduce_(1, i, x * 2, "sum", include_self=False),
}


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("value", [4, -5, 2**62, -(2**63), 99])
def test_a_bad_index_is_said_and_nothing_written(name, value):
    x, index = X.clone(), (ALONG % 3).clone()
    index[1, 1] = value
    with takewise.accelerate_torch(operators="all"), pytest.raises((IndexError, RuntimeError)) as caught:
        INDEXED[name](x, index)
    assert caught.value.value == value and torch.equal(x, X)


@pytest.mark.parametrize("name", INDEXED)
def test_memory_that_was_cut_is_refused(name):
    x, index = X.clone(), (ALONG % 3).clone()
    x.untyped_storage().resize_(8)
    with takewise.accelerate_torch(operators="all"), pytest.raises((IndexError, RuntimeError)):
        INDEXED[name](x, index)
    index.untyped_storage().resize_(0)
    with takewise.accelerate_torch(operators="all"), pytest.raises((IndexError, RuntimeError)):
        INDEXED[name](X.clone(), index)


def test_the_last_of_several_stores_counts():
    """PyTorch's own goes through tables in the order of memory."""
    index, values = torch.tensor([[0, 1], [0, 1]]), torch.tensor([[1.0, 2], [3, 4]])
    for i, v in ((index, values), (index.t().contiguous().t(), values.t().contiguous().t())):
        with takewise.accelerate_torch(operators="all"):
            assert torch.zeros(2).index_put_((i,), v).tolist() == [3, 4]


@pytest.mark.parametrize("count", [3, 1000])
def test_index_values_may_lie_anywhere(count):
    words = bytearray(8 * count + 1)
    words[1:] = (torch.arange(count) % 3).numpy().tobytes()
    index, x = torch.frombuffer(words, dtype=torch.int64, offset=1), torch.arange(3.0)
    assert index.data_ptr() % 8
    with takewise.accelerate_torch(operators="all"):
        assert x[index].tolist() == x.gather(0, index).tolist() == [float(k % 3) for k in range(count)]
        assert torch.zeros(3).scatter_add(0, index, torch.ones(count)).sum() == count
