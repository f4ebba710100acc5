"""`takewise.torch_errors`: PyTorch's own kernels, and takewise's message where an index is bad."""

import functools
import gc
import threading
import weakref

import pytest

import takewise
from takewise import _errors

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")
from torch_worlds import program, shares  # noqa: E402

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
    with takewise.accelerate_torch(operators="all"):
        accelerated = facts(BAD[name])
    with takewise.torch_errors():
        checked = facts(BAD[name])
    if name == "x[i] = 1":
        # By which operator PyTorch stores a number is not the caller's.
        accelerated = accelerated[0], accelerated[1].replace("index_fill", "index_put"), *accelerated[2:]
    assert checked == accelerated
    with takewise.torch_errors(device="any"):
        first = facts(BAD[name])
    # PyTorch's own line may number the axis of a view; in place or not is not the kernel's to know.
    facts_alone = [text.replace("_: axis", ": axis").splitlines()[1:] for text in (first[1], checked[1])]
    assert facts_alone[0] == facts_alone[1] and (first[0], first[2:]) == (checked[0], checked[2:])
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
        with takewise.accelerate_torch(operators="all"):
            ran = gather()
            X.gather(1, T([[0]]))
            assert gather() == ran + 1
            assert facts(BAD["x[i]"])[1] == long
        X.gather(1, T([[0]]))
        assert gather() == ran + 1
        assert facts(BAD["x[i]"])[1] == long
    assert facts(BAD["x[i]"])[1] == short
    with takewise.accelerate_torch(operators="all"):
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


Y, PLACES, ACROSS = torch.arange(12.0).reshape(4, 3), T([3, 0]), T([[2, 0], [1, 1], [0, 2], [2, 2]])
# A call of each operator, with good indices.
GOOD = {
    "gather": lambda: Y.gather(1, ACROSS),
    "gather.out": lambda: torch.gather(Y, 1, ACROSS, out=torch.empty(4, 2)),
    "index.Tensor": lambda: Y[PLACES - 4],
    "index.Tensor_out": lambda: torch.ops.aten.index.Tensor_out(Y, [PLACES], out=torch.empty(2, 3)),
    "_index_put_impl_": lambda: Y.clone().index_put_((PLACES, PLACES % 3), T([7.0, 8.0])),
    "index_select": lambda: Y.index_select(0, PLACES),
    "index_select.out": lambda: torch.index_select(Y, 0, PLACES, out=torch.empty(2, 3)),
    "take": lambda: Y.take(ACROSS - 3),
    "take.out": lambda: torch.take(Y, ACROSS, out=torch.empty(4, 2)),
    "scatter.src": lambda: Y.scatter(1, ACROSS, Y * 2),
    "scatter.src_out": lambda: torch.scatter(Y, 1, ACROSS, Y * 2, out=torch.empty(4, 3)),
    "scatter.value": lambda: Y.scatter(1, ACROSS, 2.5),
    "scatter.value_out": lambda: torch.scatter(Y, 1, ACROSS, 2.5, out=torch.empty(4, 3)),
    "scatter.reduce": lambda: Y.scatter(1, ACROSS, Y, reduce="add"),
    "scatter.reduce_out": lambda: torch.scatter(Y, 1, ACROSS, Y, reduce="add", out=torch.empty(4, 3)),
    "scatter.value_reduce": lambda: Y.scatter(1, ACROSS, 2, reduce="multiply"),
    "scatter.value_reduce_out": lambda: torch.scatter(Y, 1, ACROSS, 2, reduce="multiply", out=torch.empty(4, 3)),
    "scatter_.src": lambda: Y.clone().scatter_(-1, ACROSS, Y * 2),
    "scatter_.value": lambda: Y.clone().scatter_(1, ACROSS, 7),
    "scatter_.reduce": lambda: Y.clone().scatter_(1, ACROSS, Y, reduce="add"),
    "scatter_.value_reduce": lambda: Y.clone().scatter_(1, ACROSS, 3, reduce="add"),
    "scatter_add": lambda: Y.scatter_add(1, ACROSS, Y),
    "scatter_add.out": lambda: torch.scatter_add(Y, 1, ACROSS, Y, out=torch.empty(4, 3)),
    "scatter_add_": lambda: Y.clone().scatter_add_(1, ACROSS, Y),
    "scatter_reduce.two": lambda: Y.scatter_reduce(1, ACROSS, Y * 2, "amax", include_self=False),
    "scatter_reduce.two_out": lambda: torch.scatter_reduce(Y, 1, ACROSS, Y * 2, "amax", out=torch.empty(4, 3)),
    "scatter_reduce_.two": lambda: Y.clone().scatter_reduce_(1, ACROSS, Y * 2, "sum"),
    "index_add": lambda: Y.index_add(0, PLACES, Y[:2], alpha=-2),
    "index_add.out": lambda: torch.index_add(Y, 0, PLACES, Y[:2], alpha=0.5, out=torch.empty(4, 3)),
    "index_add_": lambda: Y.clone().index_add_(0, PLACES, Y[:2]),
    "index_copy": lambda: Y.index_copy(0, PLACES, Y[:2] * 2),
    "index_copy.out": lambda: torch.index_copy(Y, 0, PLACES, Y[:2] * 2, out=torch.empty(4, 3)),
    "index_copy_": lambda: Y.clone().index_copy_(0, PLACES, Y[:2] * 2),
    "index_reduce": lambda: Y.index_reduce(0, PLACES, Y[:2], "amin"),
    "index_reduce.out": lambda: torch.index_reduce(Y, 0, PLACES, Y[:2], "amin", out=torch.empty(4, 3)),
    "index_reduce_": lambda: Y.clone().index_reduce_(0, PLACES, Y[:2], "prod"),
    "index_fill_.int_Scalar": lambda: Y.clone().index_fill_(0, PLACES - 4, 2.5),
    "index_fill_.int_Tensor": lambda: Y.clone().index_fill_(1, PLACES % 3, T(2.5)),
    "put_": lambda: Y.clone().put_(PLACES - 4, T([7.0, 8.0]), accumulate=True),
}


def test_each_operator_has_a_call():
    assert GOOD.keys() == set(_errors.CHECKED)


@pytest.mark.filterwarnings("ignore:.*(index_reduce|reduce argument).*")
@pytest.mark.parametrize("name", GOOD)
def test_good_indices_are_pytorchs_own(name):
    alone = GOOD[name]()
    before = takewise.torch_errors.calls().get(name, (0, 0))
    with takewise.torch_errors():
        result = GOOD[name]()
    after = takewise.torch_errors.calls()[name]
    assert torch.equal(result, alone) and after == (before[0], before[1] + 1) and after.road == "Python"


def test_calls_tell_who_was_asked():
    before = takewise.torch_errors.calls().get("gather", (0, 0))
    with takewise.torch_errors():
        facts(BAD["gather"])
    assert takewise.torch_errors.calls()["gather"] == (before[0] + 1, before[1])


KINDS = {
    "int32": lambda i: i.int(),
    "with gaps": lambda i: torch.stack([i, i + 99], -1)[..., 0],
    "transposed": lambda i: i.t().contiguous().t(),
    "stretched": lambda i: i[:1].expand(50, -1),
    "a part": lambda i: torch.cat([i - 99, i, i + 99])[len(i) : 2 * len(i)],
    "three axes": lambda i: torch.stack([i, i + 99], 1)[:, 0],
    "many": lambda i: i.repeat(40, 1),
    "gaps in int32": lambda i: torch.stack([i, i + 99], -1)[..., 0].int(),
}
LONG = torch.arange(300.0).reshape(100, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_index_tensors_of_every_layout(kind):
    index = KINDS[kind](ACROSS)
    for call in (lambda i: LONG.gather(1, i), lambda i: LONG[i], lambda i: LONG[:, i], lambda i: LONG.scatter_add(1, i, LONG)):
        if len(index) <= len(LONG):
            with takewise.torch_errors():
                result = call(index)
            assert torch.equal(result, call(index))
    for k in range(index.numel()):
        bad = KINDS[kind](ACROSS.clone()).clone()
        bad[k // 2, k % 2] = 3
        bad = bad if kind not in ("with gaps", "gaps in int32") else torch.stack([bad, bad * 0], -1)[..., 0]
        with takewise.torch_errors():
            found = facts(lambda bad=bad: LONG.gather(1, bad) if len(bad) <= len(LONG) else LONG.repeat(9, 1).gather(1, bad))
        assert found[2:] == (1, (k // 2, k % 2), 3, 3)
        if k > 9:
            break


def test_masks_name_nothing_outside():
    mask = T([True, False, True, False])
    for call in (
        lambda: Y[mask],
        lambda: Y[mask, T([0, 2])],
        lambda: Y[:, mask[:3]],
        lambda: Y.expand(2, 4, 3)[:, Y > 2],
        lambda: Y[T([], dtype=torch.int64)],
        lambda: torch.zeros(0, 3)[T([], dtype=torch.int64)],
        lambda: T(5.0).take(T([0, -1])),
        lambda: T(5.0).gather(0, T([0])),
    ):
        with takewise.torch_errors():
            result = call()
        assert torch.equal(result, call())
    with takewise.torch_errors():
        assert "value 7" in facts(lambda: Y[mask, T([0, 7])])[1]
        assert "value 9" in facts(lambda: Y.expand(2, 4, 3)[T([0, 9]), mask])[1]


def test_arguments_are_given_back():
    x, i = torch.zeros(3), T([2, 0])
    before = shares(x), shares(i)
    with takewise.torch_errors():
        for _ in range(3):
            for call in (lambda: x[i], lambda: x[i + 9], lambda: x.index_add_(0, i, x[:2]), lambda: x.index_add_(0, i + 9, x[:2])):
                try:
                    call()
                except (IndexError, RuntimeError):
                    pass
    assert (shares(x), shares(i)) == before


def raised(call):
    try:
        call()
    except takewise.exceptions.Error as error:
        return weakref.ref(error)


def test_errors_are_nobodys_afterwards():
    """What they keep (frames, and the tensors in them) goes with them."""
    for context in (functools.partial(takewise.accelerate_torch, operators="all"), takewise.torch_errors):
        for call in (lambda: X[ROW], lambda: X.clone().index_add_(0, ROW, torch.ones(3, 3))):
            gc.disable()
            try:
                with context():
                    error = raised(call)
                assert error() is None
            finally:
                gc.enable()


def test_kernels_that_run_and_that_check_take_turns_while_threads_call():
    text = """
stop, failed = threading.Event(), []
def run():
    try:
        while not stop.is_set():
            assert x.gather(0, i)[0] == 49 and x[i][3] == 46 and x.clone().index_add_(0, i, x)[0] == 49
            try:
                x.gather(0, i + 99)
            except (IndexError, RuntimeError):
                continue
            failed.append("nothing was raised")
    except BaseException as error:
        failed.append(error)
def switch():
    for _ in range(40):
        with takewise.torch_errors():
            x.take(i)
            with takewise.accelerate_torch(operators="all"):
                x.take(i)
        with takewise.accelerate_torch(operators="all"):
            x.take(i)
threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads:
    thread.start()
switch()
stop.set()
for thread in threads:
    thread.join()
print(failed, sum(takewise.accelerate_torch.calls()["take"]), sum(takewise.torch_errors.calls()["take"]))
"""
    assert program(text) == "[] 80 40\n"


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no processes are forked here")
def test_forked_workers():
    text = """
import os
takewise.torch_errors().enable()
x.gather(0, i)
child = os.fork()
if not child:
    ok = x[i][0] == 49
    try:
        x[i + 50]
    except IndexError as error:
        os._exit(0 if ok and error.value == 99 else 1)
    os._exit(2)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert program(f"import warnings; warnings.simplefilter('ignore'){text}") == "0\n"


def test_operators_that_pytorch_keeps_are_checked_beside_those_that_run():
    with takewise.torch_errors(), takewise.accelerate_torch(operators=["gather"]):
        ran, looked = takewise.accelerate_torch.calls()["gather"], takewise.torch_errors.calls()["take"]
        X.gather(1, T([[0]]))
        X.take(T([0]))
        assert takewise.accelerate_torch.calls()["gather"] == (ran[0] + 1, ran[1])
        assert takewise.torch_errors.calls()["take"] == (looked[0], looked[1] + 1)
        assert "value 7" in facts(BAD["gather"])[1] and "index 12" in facts(BAD["take"])[1]
