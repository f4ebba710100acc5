"""What PyTorch's own kernels warn of and refuse, `takewise.accelerate_torch` warns of and refuses too."""

import subprocess
import sys
import warnings

import pytest

import takewise

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

X, I = torch.arange(6.0).reshape(2, 3), torch.tensor([1, 0])
BYTES, PLACES = torch.tensor([[1, 0, 0], [0, 1, 1]], dtype=torch.uint8), torch.tensor([[1, 0, 0], [0, 0, 1]])
ROW, STEPPED = torch.tensor([1, 0], dtype=torch.uint8), torch.arange(12.0)[::2]


def assigned(key, value):
    x = X.clone()
    x[key] = value
    return x


WARNED = {
    "x[bytes]": lambda: X[BYTES],
    "x[bytes, bytes]": lambda: X[ROW, BYTES[1]],
    "x[:, bytes]": lambda: X[:, BYTES[1]],
    "x[bytes] = 1": lambda: assigned(BYTES, 1.0),
    "x[bytes] = values": lambda: assigned(BYTES, torch.ones(3)),
    "x[bytes, bytes] = 1": lambda: assigned((ROW, BYTES[1]), 1.0),
    "x[bytes] = one": lambda: assigned(BYTES, torch.ones(1)),
    "index_put, one": lambda: X.index_put((BYTES,), torch.tensor(1.0)),
    "index, out": lambda: torch.ops.aten.index.Tensor_out(X, [BYTES], out=torch.empty(3)),
    "index_put": lambda: X.index_put((BYTES,), torch.ones(3)),
    "index_put, accumulate": lambda: X.index_put((BYTES,), torch.tensor(1.0), accumulate=True),
    "masked_scatter": lambda: X.masked_scatter(BYTES, X),
    "index_reduce": lambda: X.index_reduce(0, I, X, "prod"),
    "scatter, reduce": lambda: X.scatter(1, PLACES, X, reduce="add"),
    "searchsorted in steps": lambda: torch.searchsorted(STEPPED, X),
    "searchsorted of steps": lambda: torch.searchsorted(STEPPED.contiguous(), X.t()),
    "searchsorted by steps": lambda: torch.searchsorted(STEPPED.contiguous(), X, sorter=torch.arange(6).repeat_interleave(2)[::2]),
    "bucketize": lambda: torch.bucketize(X.t(), STEPPED),
    "out of another shape": lambda: torch.gather(X, 1, PLACES, out=torch.empty(5)),
    "expanded": lambda: torch.zeros(1).expand(3).index_put_((I,), torch.tensor(1.0)),
    "bool": lambda: X[BYTES.bool()],
    "integers": lambda: X[I],
}


def heard(call):
    """The result, or the class of the error, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = call()
        except RuntimeError:
            result = RuntimeError
    return result, [(warning.category, str(warning.message).partition(" (Triggered")[0]) for warning in said]


@pytest.mark.parametrize("name", WARNED)
def test_the_same_warnings(name):
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        native, warned = heard(WARNED[name])
        with takewise.accelerate_torch(operators="all"):
            ours, said = heard(WARNED[name])
    finally:
        torch.set_warn_always(before)
    assert said == warned and (native is ours or torch.equal(native, ours))
    assert bool(said) == (name not in ("bool", "integers", "x[bytes] = 1", "x[bytes] = one", "index_put, one"))


def test_some_warnings_are_given_once():
    code = """
import warnings, torch, takewise
x, i = torch.ones(2, 3), torch.tensor([1, 0])
with takewise.accelerate_torch(operators="all"), warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for _ in range(3):
        x.index_reduce(0, i, x, "prod")
        x[i.to(torch.uint8)]
print(len([w for w in said if "beta" in str(w.message)]), len([w for w in said if "uint8" in str(w.message)]))
print({w.filename for w in said})
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("1 3\n{'<string>'}\n", 0), done.stderr


def test_a_warning_that_is_an_error_comes_before_any_store():
    x = X.clone()
    with takewise.accelerate_torch(operators="all"), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="dtype torch.uint8 is now deprecated"):
            x[BYTES] = torch.ones(3)
    assert torch.equal(x, X)


def test_who_hears_a_warning_may_change_the_tensors():
    x, other = torch.arange(4.0), torch.arange(4.0) * 10

    def swap(*_args, **_keywords):
        x.set_(other)

    with takewise.accelerate_torch(operators="all"), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = swap
        result = x[torch.tensor([1, 0, 0, 1], dtype=torch.uint8)]
    assert result.tolist() == [0, 30]


def refused(call):
    try:
        return call()
    except RuntimeError as error:
        return str(error).partition(".")[0]


MET = {
    "gather, data": (lambda y: torch.gather(y, 0, PLACES, out=y), X),
    "gather, part of data": (lambda y: torch.gather(y[:2], 0, PLACES, out=y[1:]), torch.arange(9.0).reshape(3, 3)),
    "gather, index": (lambda y: torch.gather(PLACES, 0, y, out=y), PLACES),
    "nonzero": (lambda y: torch.nonzero(y, out=y), PLACES),
    "nonzero, part": (lambda y: torch.nonzero(y[:2], out=y[1:]), torch.tensor([[0, 3], [3, 0], [3, 0]])),
    "nonzero, other shape": (lambda y: torch.nonzero(y, out=y), torch.tensor([3, 0, 1])),
    "take": (lambda y: torch.take(y, I, out=y[0, :2]), X),
    "index_select": (lambda y: torch.index_select(y, 0, I, out=y), X),
    "masked_select": (lambda y: torch.masked_select(y, y > 2, out=y[1]), X),
    "scatter": (lambda y: y.scatter_(0, PLACES, y), X),
    "scatter, index": (lambda y: y.scatter_(0, y, PLACES), PLACES),
    "index_add": (lambda y: y.index_add_(0, I, y), X),
    "masked_fill": (lambda y: y.masked_fill_(y, True), X > 2),
    "put": (lambda y: y.put_(I, y[0, :2]), X),
}


@pytest.mark.parametrize("name", MET)
def test_the_same_shared_memory_is_refused(name):
    call, x = MET[name]
    native = refused(lambda: call(x.clone()))
    with takewise.accelerate_torch(operators="all"):
        ours = refused(lambda: call(x.clone()))
    assert type(ours) is type(native)
    assert torch.equal(ours, native) if isinstance(ours, torch.Tensor) else "unsupported operation" in ours


def test_deterministic_algorithms_are_no_error_here():
    torch.use_deterministic_algorithms(True)
    try:
        with pytest.raises(RuntimeError, match="put_ does not have a deterministic implementation"):
            torch.zeros(3).put_(I, X[0, :2])
        with takewise.accelerate_torch(operators="all"):
            places = torch.arange(100_000) % 3
            x = torch.zeros(3).put_(places, torch.arange(1e5))
            y = torch.zeros(3).index_put_((places,), torch.arange(1e5))
            z = torch.zeros(3).index_add_(0, places, torch.ones(100_000))
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(x, y) and x.tolist() == [99999, 99997, 99998] and z.sum() == 100_000


def test_no_index_at_all_is_refused():
    library = pytest.importorskip("takewise.torch")
    for call in (
        lambda: torch.ops.aten.index.Tensor(X, []),
        lambda: torch.ops.aten.index.Tensor_out(X, [], out=torch.empty(2, 3)),
        lambda: library.ops.aten.index(X, []),
    ):
        with takewise.accelerate_torch(operators="all"), pytest.raises(IndexError, match="at least one index must be provided"):
            call()
