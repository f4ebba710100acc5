"""Classes of tensors: a class keeps what PyTorch's functions keep of it, and has the say in what our functions make."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import takewise as tw  # noqa: E402
import takewise.numpy as tn  # noqa: E402
import takewise.torch as tt  # noqa: E402


class Marked(torch.Tensor):
    """A class that leaves everything to PyTorch."""


class Noted(torch.Tensor):
    """A class that is asked about every function."""

    asked: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.asked.append(function)
        return super().__torch_function__(function, types, args, kwargs or {})


class Against(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return NotImplemented


X, I, M = torch.arange(6.0).reshape(2, 3), torch.tensor([1, 0]), torch.tensor([True, False, True])
CALLS = {
    "gather": lambda x: tw.gather(x, 1, I[None]),
    "take": lambda x: tw.take(x, [0, 2]),
    "take named": lambda x: tw.take(x=x, index=[0, 2]),
    "take_along_dim": lambda x: tw.take_along_dim(x, I[None], 1),
    "index": lambda x: tw.index(x, (slice(None), M)),
    "at get": lambda x: tw.at(x)[0].get(),
    "at add": lambda x: tw.at(x)[0, I].add(2.0, duplicates="error"),
    "scatter": lambda x: tw.scatter(x, 1, I[None], 9.0),
    "index_put": lambda x: tw.index_put(x, (0,), 1.0),
    "masked_select": lambda x: tw.masked_select(x, M),
    "where": lambda x: tw.where(M, x, 0.0),
    "nonzero": lambda x: tw.nonzero(x),
    "searchsorted": lambda x: tw.searchsorted(x[0], 2.5),
    "sort": tw.sort,
    "torch.gather": lambda x: tt.gather(x, 1, I[None]),
    "torch.topk": lambda x: tt.topk(x, 2)[0],
    "the positions": lambda x: tw.take(X, x[0].long()),
    "the values": lambda x: tw.index_copy(X, 0, I, x),
}


def plain(made):
    return made.as_subclass(torch.Tensor) if isinstance(made, torch.Tensor) else made


@pytest.mark.parametrize("kind", [Marked, Noted])
@pytest.mark.parametrize("name", CALLS)
def test_the_class_stays(name, kind):
    x = X.clone().as_subclass(kind)
    got = CALLS[name](x)
    assert type(got) is type(x) and torch.equal(plain(got), plain(CALLS[name](X)))


@pytest.mark.parametrize("kind", [torch.nn.Parameter, torch.nn.Buffer])
@pytest.mark.parametrize("name", CALLS)
def test_parameters_give_tensors(name, kind):
    with torch.no_grad():
        got = CALLS[name](kind(X.clone()))
    assert type(got) is torch.Tensor and torch.equal(got, CALLS[name](X))


@pytest.mark.parametrize("name", CALLS)
def test_a_class_may_refuse(name):
    with pytest.raises(TypeError, match="no implementation found|Multiple dispatch failed"):
        CALLS[name](X.clone().as_subclass(Against))


def test_a_class_is_asked_about_our_function():
    Noted.asked.clear()
    tw.take(X.as_subclass(Noted), [0])
    assert Noted.asked == [tw.take]


def test_writes_and_memory_of_the_callers():
    x = X.clone().as_subclass(Marked)
    assert tw.scatter_(x, 1, I[None], 9.0) is x and tw.at(x)[1].set_(5.0) is x
    assert x.tolist() == [[9, 9, 2], [5, 5, 5]] and x._version == 2
    out = torch.zeros(2).as_subclass(Marked)
    assert tw.take(X, [0, 5], out=out) is out and out.tolist() == [0, 5]


def test_gradients_and_batches():
    x = X.clone().requires_grad_().as_subclass(Marked)
    made = tw.gather(x, 1, I[None])
    assert type(made) is Marked and torch.autograd.grad(made.sum(), x)[0].tolist() == [[1, 1, 0], [0, 0, 0]]
    assert type(torch.vmap(lambda row: tw.take(row, I))(X.as_subclass(Marked))) is Marked


def test_errors_are_ours():
    with pytest.raises(IndexError, match="index 7 is out of bounds") as caught:
        tw.gather(X.as_subclass(Marked), 1, I[None] * 7)
    assert caught.value.position == (0, 0)


def test_what_cannot_ask_says_so():
    i, ours = X[0].long().as_subclass(Marked), tt.zeros(3)
    for call in (lambda: ours[i], lambda: ours.__setitem__(i, 1.0), lambda: tw.from_dlpack(i)):
        with pytest.raises(RuntimeError, match=r"is a Marked, .* use x.as_subclass\(torch.Tensor\)"):
            call()
    assert ours.tolist() == [0, 0, 0]


def test_positions_of_a_class_are_numpys_where_arrays_are():
    got, want = np.zeros(4), np.zeros(4)
    i = torch.tensor([3, 0]).as_subclass(Marked)
    tn.setindex(got, i, 1.0)
    want[i] = 1.0
    assert got.tolist() == want.tolist() == [1, 0, 0, 1]
