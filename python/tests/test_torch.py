"""Real PyTorch tensors: in and out without a copy, and the traps of the exchange table."""

import subprocess
import sys

import numpy as np
import pytest

import takewise as tw
import takewise.torch as ttw

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

DTYPES = ["bool", "uint8", "uint16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "float8_e4m3fn"]  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_moves(name):
    dtype = getattr(torch, name)
    x = torch.arange(12).reshape(3, 4).to(torch.float32).to(dtype)
    got = tw.index_select(x, 0, torch.tensor([2, 0]))
    assert isinstance(got, torch.Tensor) and got.dtype == dtype
    assert torch.equal(got.to(torch.complex64), x.to(torch.complex64)[[2, 0]])


def test_memory_is_shared():
    x = torch.zeros(3, 4)
    t = tw.from_dlpack(x)
    t[1, 1] = 5
    assert x[1, 1] == 5 and t.data_ptr() == x.data_ptr()
    back = torch.from_dlpack(t)
    assert back.data_ptr() == x.data_ptr()
    view = tw.index(x, (slice(1, 3), 0))
    view[0] = 9
    assert x[1, 0] == 9
    assert tw.scatter_(x, 1, torch.tensor([[3]]), 7.0) is x and x[0, 3] == 7


def test_results_equal_torchs():
    g = torch.Generator().manual_seed(0)
    for shape in [(5,), (3, 4), (2, 3, 4), (0, 3), (1,)]:
        x = torch.randn(shape, generator=g)
        for dim in range(x.ndim):
            if x.shape[dim] == 0:
                continue
            index = torch.randint(x.shape[dim], shape, generator=g)
            assert torch.equal(tw.gather(x, dim, index), torch.gather(x, dim, index))
            assert torch.equal(tw.scatter_add(x, dim, index, x), torch.scatter_add(x, dim, index, x))
            assert torch.equal(tw.gather(x.transpose(0, -1).contiguous().transpose(0, -1), dim, index), torch.gather(x, dim, index))
        assert torch.equal(tw.masked_select(x, x > 0), x[x > 0])


def test_out_is_resized_as_torch_does():
    x, index = torch.arange(4.0), torch.tensor([2, 1])
    out = torch.empty(0)
    assert tw.take(x, index, out=out) is out and out.tolist() == [2, 1]
    held = torch.empty(2)
    address = held.data_ptr()
    assert tw.take(x, index, out=held) is held and held.data_ptr() == address and held.tolist() == [2, 1]


def test_what_the_table_forgets_is_not_lost():
    z = torch.tensor([1 + 2j, 3 - 1j])
    with pytest.raises(RuntimeError, match="conjugate bit"):
        tw.take(z.conj(), [0])
    with pytest.raises(RuntimeError, match="negative bit"):
        tw.take(z.conj().imag, [0])
    leaf = torch.zeros(2, requires_grad=True)
    assert torch.autograd.grad(ttw.flip(leaf, [0]) @ torch.tensor([1.0, 2.0]), leaf)[0].tolist() == [2, 1]
    assert ttw.take(torch.zeros(2, requires_grad=True), torch.tensor([0])).grad_fn is not None
    assert tw.take(torch.zeros(2, requires_grad=True), [0]).grad_fn is not None
    with torch.no_grad():
        assert tw.take(torch.zeros(2, requires_grad=True), [0]).tolist() == [0]
    with pytest.raises((RuntimeError, BufferError)):
        tw.take(torch.zeros(2).to_sparse(), [0])
    with pytest.raises((RuntimeError, TypeError, BufferError, NotImplementedError)):
        tw.take(torch.zeros(2, device="meta"), [0])


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_a_pending_negation_is_met_wherever_the_tensor_stands(name):
    x = torch.arange(4).to(getattr(torch, name))
    pending, i = torch._neg_view(x), torch.tensor([1, 2])
    calls = [
        lambda: tw.take(pending, i),
        lambda: tw.index(pending, i),
        lambda: tw.scatter_(x, 0, i, pending),
        lambda: tw.scatter_(pending, 0, i, 1),
        lambda: tw.index_add_(x, 0, i, pending[:2]),
        lambda: tw.where(x == x, x, pending),
        lambda: ttw.gather(pending, 0, i),
        lambda: ttw.scatter(x, 0, i, pending),
        lambda: ttw.scatter(x, 0, i, src=pending),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="negative bit"):
            call()
    assert x.tolist() == torch.arange(4).to(x.dtype).tolist()


def test_what_is_asked_does_not_depend_on_the_tensor_before():
    pending, leaf = torch.tensor([1 + 2j, 3 - 1j]).conj().imag, torch.zeros(2, requires_grad=True)
    whole, i = torch.arange(3), torch.tensor([1, 0])
    for before in (whole, torch.zeros(3), whole.bool(), torch.zeros(3).bfloat16(), torch.zeros(3) * 1j):
        tw.take(before, i)
        assert tw.take(whole, i).tolist() == [1, 0]
        tw.take(before, i)
        with pytest.raises(RuntimeError, match="negative bit"):
            tw.take(pending, i)
        tw.take(before, i)
        assert tw.take(leaf, i).requires_grad


def test_a_loan_is_no_older_than_the_code_that_questions_run():
    class Shrinks(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if getattr(func, "__name__", "") == "take":
                args[0].resize_(2)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.arange(8.0).as_subclass(Shrinks)
    for take in (lambda: tw.take(x, [5]), lambda: ttw.take(x, torch.tensor([5]))):
        x.resize_(8)
        with pytest.raises(IndexError):
            take()
        assert x.numel() == 2


STATES = """
import torch, takewise as tw
BEFORE
z, i = torch.tensor([1 + 2j, 3 - 1j]), torch.tensor([1])
states = {"neg": z.conj().imag, "conj": z.conj(), "gradient": torch.zeros(2, requires_grad=True)}
with FIRST:
    assert tw.take(torch.arange(2.0), i).tolist() == [1] and tw.take(z, i).tolist() == [3 - 1j]
for what, x in states.items():
    for call in (lambda: tw.take(x, i), lambda: tw.scatter_(torch.zeros(2, dtype=x.dtype), 0, i, x)):
        try:
            result = call()
        except RuntimeError as error:
            assert what in str(error), error
        else:
            assert what == "gradient" and result.requires_grad, what
assert tw.take(torch.arange(2.0), i).tolist() == [1] and tw.take(z.real, i).tolist() == [3]
"""


SPOILT = ["torch._neg_view = lambda x: x", "del torch._neg_view", "torch.__file__ = 'x/y'"]


@pytest.mark.parametrize(
    ("before", "first"),
    [("", f"torch.{mode}()") for mode in ("no_grad", "enable_grad", "inference_mode")]
    + [(spoilt, "torch.no_grad()") for spoilt in SPOILT],
)
def test_states_are_told_whether_or_not_the_quick_way_proves_right(before, first):
    program = STATES.replace("BEFORE", before).replace("FIRST", first)
    subprocess.run([sys.executable, "-c", program], check=True)


def test_writes_into_expanded_memory_are_refused():
    x = torch.zeros(1).expand(3)
    with pytest.raises(Exception, match="memory"):
        tw.put_(x, [0], 1.0)
    assert x.tolist() == [0, 0, 0]


def test_mixed_libraries_follow_the_first_array():
    x = np.arange(6.0).reshape(2, 3)
    assert isinstance(tw.gather(x, 1, torch.tensor([[0], [2]])), np.ndarray)
    assert isinstance(tw.gather(torch.from_numpy(x), 1, np.array([[0], [2]])), torch.Tensor)
    assert isinstance(tw.gather([[1, 2]], 1, torch.tensor([[0]])), torch.Tensor)
