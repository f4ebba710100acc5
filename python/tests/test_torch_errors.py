"""`takewise.torch_errors`: PyTorch's own kernels, and takewise's message where an index is bad."""

import threading

import pytest

import takewise

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/python.md for an environment with it")

T = torch.tensor
X = torch.zeros(4, 3)
ROW, PAIR = T([1, 3, 7]), T([[0, 7], [1, 1], [9, 0], [0, 0]])
BAD = {
    "gather": lambda: X.gather(1, PAIR),
    "gather, negative": lambda: X.gather(1, T([[-1]])),
    "gather, out": lambda: torch.gather(X, 1, PAIR, out=torch.empty(4, 2)),
    "x[i]": lambda: X[ROW],
    "x[:, i]": lambda: X[:, T([0, -4])],
    "x[i, j]": lambda: X[T([0, 1]), T([0, 3])],
    "x[mask, i]": lambda: X[T([True, False, True, False]), T([0, 3])],
    "x[i] = 1": lambda: X.clone().__setitem__(ROW, 1.0),
    "x[i] = v": lambda: X.clone().__setitem__(ROW, torch.ones(3, 3)),
    "index_select": lambda: X.index_select(0, ROW),
    "embedding": lambda: torch.nn.functional.embedding(ROW, X),
    "take": lambda: X.take(T([1, 12])),
    "put_": lambda: X.clone().put_(T([1, 12]), T([1.0, 2.0])),
    "scatter": lambda: X.scatter(1, PAIR, torch.ones(4, 2)),
    "scatter_": lambda: X.clone().scatter_(1, PAIR, 1.0),
    "scatter_add": lambda: X.scatter_add(1, PAIR, torch.ones(4, 2)),
    "scatter_reduce": lambda: X.scatter_reduce(1, PAIR, torch.ones(4, 2), "amax"),
    "index_add": lambda: X.index_add(0, ROW, torch.ones(3, 3)),
    "index_add_": lambda: X.clone().index_add_(0, ROW, torch.ones(3, 3)),
    "index_copy": lambda: X.index_copy(0, ROW, torch.ones(3, 3)),
    "index_fill": lambda: X.index_fill(0, ROW, 2.0),
    "index_reduce": lambda: X.index_reduce(0, ROW, torch.ones(3, 3), "prod"),
    "in a model": lambda: torch.ones(3, requires_grad=True)[ROW].sum().backward(),
}


def facts(call):
    """What a call raises: PyTorch's class, the message, and what is wrong."""
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    error = caught.value
    theirs = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
    return theirs, str(error), *(getattr(error, name, None) for name in ("axis", "position", "value", "size"))


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("name", BAD)
def test_says_what_takewise_says_in_pytorchs_class(name):
    alone = facts(BAD[name])
    with takewise.accelerate_torch():
        accelerated = facts(BAD[name])
    with takewise.torch_errors():
        checked = facts(BAD[name])
    assert checked == accelerated
    assert checked[0] == alone[0]
    assert checked[4] is not None
    assert facts(BAD[name]) == alone


def test_a_call_with_a_bad_index_writes_nothing():
    for write in (
        lambda y: y.index_add_(0, T([0, 9]), torch.ones(2)),
        lambda y: y.scatter_(0, T([0, 9]), 1.0),
        lambda y: y.put_(T([0, 9]), torch.ones(2)),
        lambda y: y.__setitem__(T([0, 9]), torch.ones(2)),
    ):
        y = torch.zeros(4)
        with takewise.torch_errors(), pytest.raises((IndexError, RuntimeError), match="9"):
            write(y)
        assert not y.any()


def test_other_errors_and_all_results_are_pytorchs_own():
    calls = (
        lambda: X.gather(1, T([[0.5]])),
        lambda: X.gather(1, T([0])),
        lambda: X[T([0, 1]), T([0, 1, 2])],
        lambda: X.clone().index_add_(0, ROW, torch.ones(2, 3)),
        lambda: X.index_select(7, ROW),
        lambda: X.clone().index_add_(0, T([[0]]), torch.ones(1, 3)),
    )
    for call in calls:
        alone = facts(call)
        with takewise.torch_errors():
            assert facts(call) == alone
    y = torch.arange(12.0).reshape(4, 3).requires_grad_(True)
    before = takewise.accelerate_torch.calls()
    with takewise.torch_errors():
        picked = y[T([3, -4]), T([0, -1])] * y.gather(1, T([[2], [0]])).sum()
        assert type(picked.grad_fn).__name__ == "MulBackward0"
        picked.sum().backward()
        assert (torch.zeros(3).index_add_(0, T([2, 2]), T([1.0, 2.0])) == T([0.0, 0.0, 3.0])).all()
        assert torch.empty(0).index_select(0, T([], dtype=torch.int64)).shape == (0,)
    assert picked.tolist() == [45, 10]
    assert takewise.accelerate_torch.calls() == before


def test_contexts_nest_and_go_together_with_acceleration():
    assert "out of" in facts(BAD["x[i]"])[1]
    short = facts(BAD["x[i]"])[1]

    @takewise.torch_errors()
    def decorated():
        return facts(BAD["x[i]"])[1]

    long = decorated()
    assert "position [2]" in long
    gather = lambda: sum(takewise.accelerate_torch.calls().get("gather", (0, 0)))  # noqa: E731
    with takewise.torch_errors():
        with takewise.torch_errors():
            assert facts(BAD["x[i]"])[1] == long
        assert facts(BAD["x[i]"])[1] == long
        with takewise.accelerate_torch():
            ran = gather()
            X.gather(1, T([[0]]))
            assert gather() == ran + 1
            assert facts(BAD["x[i]"])[1] == long
        X.gather(1, T([[0]]))
        assert gather() == ran + 1
        assert facts(BAD["x[i]"])[1] == long
    assert facts(BAD["x[i]"])[1] == short
    with takewise.accelerate_torch():
        with takewise.torch_errors():
            ran = gather()
            X.gather(1, T([[0]]))
            assert gather() == ran + 1
        assert facts(BAD["x[i]"])[1] == long
    takewise.torch_errors().enable()
    try:
        with takewise.torch_errors():
            pass
        assert facts(BAD["x[i]"])[1] == long
    finally:
        takewise.torch_errors().disable()
    assert facts(BAD["x[i]"])[1] == short


def test_on_threads_and_under_transforms():
    with takewise.torch_errors():
        said = []

        def work():
            said.append(facts(BAD["gather"])[1])

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(said)) == 1
        assert "position" in said[0]
        with torch.inference_mode():
            assert "position" in facts(BAD["x[i]"])[1]
        mapped = torch.func.vmap(lambda x: x.gather(0, T([0, 5])))
        assert "value 5" in facts(lambda: mapped(X))[1]
        assert torch.equal(torch.func.vmap(lambda x: x.gather(0, T([0, 2])))(X), X[:, [0, 2]])
