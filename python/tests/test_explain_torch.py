"""Explanations of PyTorch's own calls, on its own tensors."""

import operator
import threading
import time

import pytest

import takewise
from takewise import explain

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

from explained import checked  # noqa: E402

I2 = torch.tensor([[2, 0], [1, 1]])


def x():
    return torch.arange(6.0).reshape(2, 3)


# What takewise.torch has too: explained whether PyTorch's calls are run here or not.
CALLS = {
    "gather": lambda: (torch.gather, x(), 1, I2),
    "gather, a method": lambda: (x().gather, 1, I2),
    "gather, of the class": lambda: (torch.Tensor.gather, x(), 1, I2),
    "index_select": lambda: (torch.index_select, x().T, 0, torch.tensor([2, 0])),
    "take": lambda: (torch.take, x(), torch.tensor([5, -6])),
    "masked_select": lambda: (torch.masked_select, x(), x() > 2),
    "nonzero": lambda: (torch.nonzero, x() > 2),
    "searchsorted": lambda: (torch.searchsorted, torch.tensor([1.0, 3.0]), torch.tensor([0.0, 2.0, 9.0])),
    "scatter": lambda: (torch.scatter, x(), 1, I2, 7.0),
    "scatter_": lambda: (x().scatter_, 1, torch.tensor([[0, 0]]), torch.tensor([[5.0, 6.0]])),
    "scatter_add_": lambda: (torch.zeros(3).scatter_add_, 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0])),
    "scatter_reduce": lambda: (torch.scatter_reduce, torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]), "amax"),
    "index_add_": lambda: (x().index_add_, 0, torch.tensor([1, 1]), x()),
    "index_copy_": lambda: (x().index_copy_, 0, torch.tensor([1, 0]), x()),
    "masked_fill": lambda: (x().masked_fill, x() > 2, 0.0),
    "index_put_": lambda: (x().index_put_, (torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([5.0, 6.0])),
    "x[i]": lambda: (operator.getitem, x(), (slice(None), torch.tensor([2, 0]))),
    "x[m] = v": lambda: (operator.setitem, x(), x() > 2, torch.tensor(9.0)),
    "x.__getitem__": lambda: (x().__getitem__, (0, torch.tensor([1, 1]))),
}  # fmt: skip


def held(arguments):
    return [a.detach().clone() for a in arguments if isinstance(a, torch.Tensor)]


def looked_at(made):
    function, *args = made
    receiver = getattr(function, "__self__", None)
    operands = [receiver, *args] if isinstance(receiver, torch.Tensor) else args
    before = held(operands)
    switched = takewise.accelerate_torch.calls()
    found = explain(function, *args)
    assert all(torch.equal(a, b) for a, b in zip(held(operands), before, strict=True))
    assert found.dialect == "torch" and found.error is None and found.text
    result = function(*args)
    result = operands[0] if result is None else result
    shown = found.to_dict()
    assert shown["plans"] or shown["searches"] or shown["kind"] in ("view", "count")
    checked(found, result)
    return switched


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("on", [False, True], ids=["off", "on"])
def test_calls(name, on):
    if on:
        with takewise.accelerate_torch(operators="all"):
            looked_at(CALLS[name]())
    else:
        looked_at(CALLS[name]())


def test_what_is_explained_runs_as_it_would():
    with takewise.accelerate_torch(operators="all"):
        before = takewise.accelerate_torch.calls()["gather"]
        explain(torch.gather, x(), 1, I2)
        assert takewise.accelerate_torch.calls()["gather"][0] == before[0] + 1


def test_what_is_made_of_kernels_is_explained_while_they_are_in():
    weight, i = torch.arange(6.0).reshape(3, 2), torch.tensor([2, 0, 2])
    with pytest.raises(TypeError, match="accelerate_torch"):
        explain(torch.nn.functional.embedding, i, weight)
    with takewise.accelerate_torch(operators="all"):
        found = explain(torch.nn.functional.embedding, i, weight)
        assert checked(found, weight[i]) == 6
        found = explain(torch.take_along_dim, x(), I2, 1)
        assert checked(found, torch.take_along_dim(x(), I2, 1)) == 4


def test_the_switch_stays_as_it_is():
    from takewise import _accelerate

    assert not _accelerate._switch.is_on()
    explain(torch.gather, x(), 1, I2)
    assert not _accelerate._switch.is_on()


@pytest.mark.parametrize("on", [False, True], ids=["off", "on"])
def test_gradients_stay_as_they_are(on):
    def look():
        leaf = x().requires_grad_()
        later = leaf * 2
        for operand in (leaf, later):
            found = explain(torch.gather, operand, 1, I2)
            assert found.error is None and found.shape == (2, 2)
        assert leaf.grad is None and later.grad_fn is not None
        explain(later.scatter_add_, 1, I2, torch.ones(2, 2))
        assert torch.equal(later, leaf * 2)
        with pytest.raises(RuntimeError, match="gradient"):
            explain(takewise.gather, leaf, 1, I2)

    if on:
        with takewise.accelerate_torch(operators="all"):
            look()
    else:
        look()


@pytest.mark.parametrize("on", [False, True], ids=["off", "on"])
def test_tensors_that_share_memory(on):
    def look():
        for call in [
            lambda whole: (whole.scatter_, 0, whole, whole),
            lambda whole: (whole[1:4].index_copy_, 0, torch.tensor([2, 0]), whole[4:]),
            lambda whole: (whole[1:4].index_copy_, 0, torch.tensor([2, 0]), whole[2:4]),
            lambda whole: (whole[:3].scatter_add_, 0, whole[3:] - 3, whole[:3]),
        ]:
            whole, other = torch.arange(6), torch.arange(6)
            function, *args = call(whole)
            found = explain(function, *args)
            assert torch.equal(whole, torch.arange(6))
            # PyTorch refuses what overlaps in some ways, and so must its copies be.
            function, *args = call(other)
            try:
                result = function(*args)
            except RuntimeError as error:
                assert str(error).split(".")[0] in str(found.error)
            else:
                checked(found, result)
        spread = torch.tensor([[1.0], [2.0]]).expand(2, 3)
        assert checked(explain(torch.gather, spread, 1, I2), torch.gather(spread, 1, I2)) == 4

    if on:
        with takewise.accelerate_torch(operators="all"):
            look()
    else:
        look()


def inference():
    with torch.inference_mode():
        return torch.arange(4.0)


def quiet_view():
    with torch.no_grad():
        return torch.arange(5.0).requires_grad_()[1:]


# Tensors whose history forbids something, and one whose does not.
HISTORIES = {
    "a leaf": lambda: torch.arange(4.0).requires_grad_(),
    "a view of a leaf": lambda: torch.arange(5.0).requires_grad_()[1:],
    "computed": lambda: torch.arange(4.0).requires_grad_() * 2,
    "one of several views": lambda: (torch.arange(8.0).requires_grad_() * 2).reshape(2, 4).unbind()[0],
    "a view without gradients": quiet_view,
    "of inference mode": inference,
}
FORBIDDEN = {
    "scatter_": lambda x: (x.scatter_, 0, torch.tensor([1]), 5.0),
    "index_fill_, of the class": lambda x: (torch.Tensor.index_fill_, x, 0, torch.tensor([1]), 5.0),
    "index_put_": lambda x: (x.index_put_, (torch.tensor([1]),), torch.tensor(5.0)),
    "x[i] = v": lambda x: (operator.setitem, x, torch.tensor([1]), torch.tensor(5.0)),
    "x[:] = v": lambda x: (operator.setitem, x, slice(None), 5.0),
    "x.__setitem__": lambda x: (x.__setitem__, 0, 5.0),
    "a bad index": lambda x: (x.index_fill_, 0, torch.tensor([9]), 5.0),
    "read": lambda x: (torch.gather, x, 0, torch.tensor([1])),
}


@pytest.mark.parametrize("call", FORBIDDEN)
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("on", [False, True], ids=["off", "on"])
def test_what_a_history_forbids_is_refused_in_pytorchs_words(history, call, on):
    x, other = HISTORIES[history](), HISTORIES[history]()
    function, *args = FORBIDDEN[call](x)

    def state():
        return x.detach().clone().tolist(), x.grad_fn, x.requires_grad, None if x.is_inference() else x._version

    before = state()
    if on:
        with takewise.accelerate_torch(operators="all"):
            found = explain(function, *args)
    else:
        found = explain(function, *args)
    assert state() == before
    real, *args = FORBIDDEN[call](other)
    try:
        real(*args)
    except (RuntimeError, IndexError) as error:
        assert isinstance(found.error, type(error))
        assert str(error) in str(found.error) or isinstance(error, IndexError) and found.error.value == 9
        assert found.to_dict()["error"]["class"] == type(found.error).__name__ and not found.to_dict()["results"]
        assert [operand["name"] for operand in found.to_dict()["operands"]][:1] and found.text
    else:
        assert found.error is None


SOURCES = ["x.fill_(7)", "x[0] = 7", "x.index_fill_(0, i, 7.0)", "x[i] = 7", "x[i]", "x.numpy()"]
# PyTorch names the last of several views in its error, which an expression makes and nobody else sees.
UNSEEN = [("one of several views", "x[0] = 7"), ("a view without gradients", "x[0] = 7")]
OF_VIEWS = [(history, "x[1:].fill_(7)") for history in ("a leaf", "a view of a leaf", "computed")]
ALL = [(history, source) for history in HISTORIES for source in SOURCES if (history, source) not in UNSEEN] + OF_VIEWS


@pytest.mark.parametrize(("history", "source"), ALL)
def test_expressions_are_refused_as_python_runs_them(history, source):
    x, other, i = HISTORIES[history](), HISTORIES[history](), torch.tensor([1])
    before = x.detach().clone().tolist(), x.grad_fn, x.requires_grad
    found = explain(source, x=x, i=i)
    assert (x.detach().clone().tolist(), x.grad_fn, x.requires_grad) == before and found.dialect == "torch"
    try:
        exec(source, {"x": other, "i": i})
    except RuntimeError as error:
        assert isinstance(found.error, RuntimeError) and str(error) in str(found.error)
    else:
        assert found.error is None


def test_memory_for_results_and_numpys_view_are_refused_too():
    leaf, i = torch.arange(4.0).requires_grad_(), torch.tensor([1])
    with pytest.raises(RuntimeError) as raised:
        torch.index_select(leaf, 0, i, out=torch.zeros(1))
    assert str(raised.value) == str(explain(torch.index_select, leaf, 0, i, out=torch.zeros(1)).error)
    with pytest.raises(RuntimeError) as raised:
        (leaf * 2).numpy()
    assert str(raised.value) in str(explain((leaf * 2).numpy).error)


def test_conjugates_are_refused_or_kept():
    z = torch.tensor([1 + 2j, 3 - 4j]).conj()
    with pytest.raises(RuntimeError, match="conjugate"):
        explain(takewise.take, z, [1])
    with takewise.accelerate_torch(operators="all"):
        found = explain(torch.take, z, torch.tensor([1]))
    assert found.error is None and z.is_conj()


@pytest.mark.parametrize("on", [False, True], ids=["off", "on"])
def test_a_call_that_fails(on):
    def look():
        for made in [(torch.gather, x(), 1, I2 + 2), (x().scatter_, 1, I2 + 2, 5.0), (operator.getitem, x(), (0, torch.tensor([1, 3])))]:
            function, *args = made
            found = explain(function, *args)
            told = found.to_dict()["error"]
            assert type(found.error).__name__ == told["class"] and found.error.size == 3
            assert told["at"] in told["bad"] and found.to_dict()["operands"][told["operand"]]["role"] == "index"
            with pytest.raises((IndexError, RuntimeError)):
                function(*args)

    if on:
        with takewise.accelerate_torch(operators="all"):
            look()
    else:
        look()


def test_what_cannot_be_looked_into_is_refused():
    elsewhere, sparse = torch.empty(3, device="meta"), torch.eye(2).to_sparse()
    for function, args in [
        (takewise.take, (elsewhere, [0])), (torch.take, (elsewhere, torch.tensor([0]))),
        (takewise.take, (sparse, [0])), (torch.index_select, (sparse, 0, torch.tensor([0]))),
    ]:  # fmt: skip
        with pytest.raises(Exception) as raised:
            explain(function, *args)
        assert str(raised.value)
        with takewise.accelerate_torch(operators="all"), pytest.raises(Exception):  # noqa: B017
            explain(function, *args)
    with pytest.raises(TypeError):
        explain(torch.gather, x())
    with takewise.accelerate_torch(operators="all"), pytest.raises(TypeError):
        explain(torch.gather, x(), "no", I2)
    with pytest.raises(TypeError):
        explain(torch.nn.Linear, x())


def test_large_tensors():
    big = torch.zeros(4096, 4096)
    started = time.perf_counter()
    for on in (False, True):
        if on:
            takewise.accelerate_torch(operators="all").enable()
        try:
            found = explain(big.index_fill_, 0, torch.tensor([1, 5]), 7.0)
            assert found.shape == (4096, 4096) and not big.any()
            found = explain(torch.index_select, big, 0, torch.tensor([1, 5]))
            assert found.shape == (2, 4096) and found.to_dict()["results"][0]["values"] is None
        finally:
            takewise.accelerate_torch().disable()
    assert time.perf_counter() - started < 30


def test_threads():
    errors = []

    def work(seed):
        try:
            generator = torch.Generator().manual_seed(seed)
            for _ in range(20):
                y, i = torch.rand(3, 4, generator=generator), torch.randint(0, 4, (3, 2), generator=generator)
                checked(explain(torch.gather, y, 1, i), torch.gather(y, 1, i))
        except BaseException as error:
            errors.append(error)

    for on in (False, True):
        switch = takewise.accelerate_torch(operators="all")
        if on:
            switch.enable()
        try:
            threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
        finally:
            switch.disable()
    assert not errors


def test_expressions_speak_torch_for_its_tensors():
    found = explain("y[0, :, i]", y=torch.arange(24).reshape(2, 3, 4), i=torch.tensor([0, 1]))
    assert found.dialect == "torch" and found.shape == (3, 2)
    y = torch.zeros(3)
    assert explain("y[0] = 1; y", y=y).error is None and not y.any()
