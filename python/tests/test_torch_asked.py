"""`takewise.torch_errors` names the function that was called and the position as it was given, in main memory and, by the code for any
device, before the call."""

import copy
import functools
import threading

import pytest

import takewise
from takewise import _places

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")
F = torch.nn.functional
T = torch.tensor

X, W, STEPS = torch.zeros(4, 3), torch.zeros(10, 4), torch.zeros(5, 2, 4).log_softmax(-1)
TOKENS = torch.zeros(4, 20, dtype=torch.int64)
TOKENS[3, 17] = 77
TWO, ONE = T([5, 5]), T([2, 2])
AT = (3, 17)

# A call of a function as somebody wrote it: what is said of the bad value in it. The class is PyTorch's, where it complains itself.
CALLS = {
    "nn.Embedding": (lambda: torch.nn.Embedding(10, 4)(TOKENS), "embedding", 0, AT, 77, 10),
    "embedding": (lambda: F.embedding(TOKENS, W), "embedding", 0, AT, 77, 10),
    "embedding, padded": (lambda: F.embedding(TOKENS, W, padding_idx=0), "embedding", 0, AT, 77, 10),
    "embedding, bounded": (lambda: F.embedding(TOKENS, W.clone(), None, 1.0), "embedding", 0, AT, 77, 10),
    "torch.embedding": (lambda: torch.embedding(W, TOKENS), "embedding", 0, AT, 77, 10),
    "embedding_bag": (lambda: F.embedding_bag(TOKENS, W), "embedding_bag", 0, AT, 77, 10),
    "embedding_bag, offsets": (lambda: F.embedding_bag(T([1, 1]), W, T([0, 9])), "embedding_bag", 0, (1,), 9, 2),
    "cross_entropy": (lambda: F.cross_entropy(X, T([0, -100, 1, 7])), "cross_entropy", 1, (3,), 7, 3),
    "cross_entropy, places": (lambda: F.cross_entropy(torch.zeros(2, 3, 4), T([[0, 1, 2, 0], [0, 3, 0, 0]])), "cross_entropy", 1, (1, 1), 3, 3),
    "CrossEntropyLoss": (lambda: torch.nn.CrossEntropyLoss(ignore_index=7)(X, T([7, 0, -1, 2])), "cross_entropy", 1, (2,), -1, 3),
    "one class": (lambda: F.cross_entropy(torch.zeros(3), T(9)), "cross_entropy", 0, (), 9, 3),
    "nll_loss": (lambda: F.nll_loss(X, T([0, 1, 2, 3])), "nll_loss", 1, (3,), 3, 3),
    "multi_margin_loss": (lambda: F.multi_margin_loss(X, T([0, 7, 0, 0])), "multi_margin_loss", 1, (1,), 7, 3),
    "one_hot": (lambda: F.one_hot(T([[0, 5], [1, 1]]), 5), "one_hot", 2, (0, 1), 5, 5),
    "one_hot, negative": (lambda: F.one_hot(T([0, -5])), "one_hot", 1, (1,), -5, 1),
    "segment_reduce": (lambda: torch.segment_reduce(torch.arange(6.0), "sum", lengths=T([2, -1, 5])), "segment_reduce", 0, (1,), -1, 6),
    "ctc, steps": (lambda: F.ctc_loss(STEPS, T([[1, 2], [3, 2]]), T([5, 7]), ONE), "ctc_loss", 0, (1,), 7, 5),
    "ctc, numbers": (lambda: F.ctc_loss(STEPS, T([[1, 2], [3, 2]]), (5, 7), (2, 2)), "ctc_loss", 0, (1,), 7, 5),
    "ctc, labels": (lambda: torch.nn.CTCLoss()(STEPS, T([[1, 2], [3, 2]]), TWO, T([2, 3])), "ctc_loss", 1, (1,), 3, 2),
    "x[1, i]": (lambda: X[1, T([0, 3])], "index", 1, (1,), 3, 3),
    "x[..., None, [..]]": (lambda: X[..., None, [0, 5]], "index", 1, (1,), 5, 3),
    "x[:, i] = v": (lambda: X.clone().__setitem__((slice(1, None), T([[0], [-4]])), 1.0), "index_put", 1, (1, 0), -4, 3),
    "x[mask, i]": (lambda: X[T([True, False, True, False]), T([0, 8])], "index", 1, (1,), 8, 3),
    "x[7]": (lambda: X[7], "index", 0, (), 7, 4),
    "gather": (lambda: X.gather(1, T([[0, 7]])), "gather", 1, (0, 1), 7, 3),
    "gather, by names": (lambda: torch.gather(input=X, index=T([[0, 7]]), dim=-1), "gather", 1, (0, 1), 7, 3),
    "aten.gather": (lambda: torch.ops.aten.gather(X, 1, T([[0, 7]])), "gather", 1, (0, 1), 7, 3),
    "take_along_dim": (lambda: torch.take_along_dim(X, T([[0, 99]])), "take_along_dim", 0, (0, 1), 99, 12),
    "take": (lambda: X.take(T([[1], [12]])), "take", 0, (1, 0), 12, 12),
    "index_put": (lambda: X.index_put((T([0, 4]),), T(1.0)), "index_put", 0, (1,), 4, 4),
    "searchsorted": (lambda: torch.searchsorted(T([1.0, 2]), T([2.0]), sorter=T([0, 7])), "searchsorted", 0, (1,), 7, 2),
}
# Of these PyTorch says nothing, and reads what is not there.
SILENT = {
    "ctc, classes": (lambda: F.ctc_loss(STEPS, T([[1, 2], [3, 9]]), TWO, ONE), "ctc_loss", 2, (1, 1), 9, 4),
    "ctc, classes in a row": (lambda: F.ctc_loss(STEPS, T([1, 2, 3, 9]), TWO, ONE), "ctc_loss", 2, (3,), 9, 4),
    "segment_reduce, offsets": (lambda: torch.segment_reduce(torch.arange(6.0), "sum", offsets=T([0, 9])), "segment_reduce", 0, (1,), 9, 6),
}


def error(call):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


def plain(error):
    return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


@pytest.mark.parametrize("device", ["cpu", "any"])
@pytest.mark.parametrize("name", [*CALLS, *SILENT])
def test_the_function_and_the_position_as_they_were_given(name, device):
    call, called, axis, position, value, size = (CALLS | SILENT)[name]
    alone = error(call) if name in CALLS else None
    with takewise.torch_errors(device=device):
        found = error(call)
    assert isinstance(found, takewise.exceptions.Error)
    assert (found.axis, found.position, found.value, found.size) == (axis, position, value, size)
    assert f"\n  {called}: axis {axis} has length {size}; " in str(found)
    assert f"value {value} at position {list(position)} of the " in str(found) if position else f"index {value}" in str(found)
    assert alone is None or plain(found) is plain(alone)
    assert alone is None or plain(error(call)) is plain(alone)


def test_accelerated_calls_name_the_function_in_python():
    with takewise.accelerate_torch(operators="all"):
        found = error(lambda: torch.nn.Embedding(10, 4)(TOKENS))
    assert "embedding: axis 0" in str(found) and found.position == (3, 17) and plain(found) is IndexError


def test_what_is_good_is_pytorchs_own():
    target = T([0, -100, 2, 1])
    calls = (
        lambda: F.cross_entropy(X, target),
        lambda: F.cross_entropy(X, X.softmax(1)),
        lambda: F.ctc_loss(STEPS, T([[1, 2], [3, 99]]), TWO, T([2, 1])),
        lambda: F.one_hot(T([3, 0])),
        lambda: X[[-1, 0], -1],
        lambda: X[T([True, False, False, True])],
        lambda: F.embedding_bag(T([1, 1]), W, T([0, 1])),
        lambda: torch.segment_reduce(torch.arange(6.0), "sum", lengths=T([2, 4])),
        lambda: torch.zeros(0, 3)[T([], dtype=torch.int64)],
        lambda: torch.func.vmap(lambda row: row.gather(0, T([0, 2])))(X),
    )
    for call in calls:
        want = call()
        for device in ("cpu", "any"):
            with takewise.torch_errors(device=device):
                assert torch.equal(call(), want)
    wrong = (lambda: X.gather(1, T([0.5])), lambda: X[T([0, 1]), T([0, 1, 2])], lambda: F.cross_entropy(X, T([0])), lambda: X.gather())
    for call in wrong:
        alone = error(call)
        for device in ("cpu", "any"):
            with takewise.torch_errors(device=device):
                found = error(call)
            assert (type(found), str(found)) == (type(alone), str(alone))


def test_nothing_is_written_before_a_bad_value_is_found():
    for device in ("cpu", "any"):
        table = torch.full((4, 2), 9.0)
        with takewise.torch_errors(device=device), pytest.raises(IndexError):
            F.embedding(T([0, 4]), table, max_norm=1.0)
        assert (table == 9).all()


def test_one_look_at_the_device_for_a_call():
    """Values are asked for once, however many index tensors there are, and never twice where all are good."""
    asked = []

    class Counted(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            asked.append(getattr(function, "__name__", ""))
            return function(*args, **(kwargs or {}))

    with Counted(), takewise.torch_errors(device="any"):
        torch.ops.aten.index(X, [T([0, 1]), T([1, 1])])
    assert asked.count("tolist") == 1 and not {"item", "nonzero"} & set(asked)


CONTEXTS = [functools.partial(takewise.accelerate_torch, operators="all"), takewise.torch_errors]


def is_on(context):
    found = error(lambda: X.gather(1, T([[0, 7]])))
    return isinstance(found, takewise.exceptions.Error)


@pytest.mark.parametrize("context", CONTEXTS)
def test_one_object_is_left_as_often_as_it_was_entered(context):
    one = context()
    one.__enter__()
    one.__exit__(None, None, None)
    one.__exit__(None, None, None)
    assert not is_on(context)
    with context():
        assert is_on(context)
    with one, one:
        one.__exit__(None, None, None)
        assert is_on(context)
    assert not is_on(context)

    @one
    def again(depth):
        return is_on(context) and (depth == 0 or again(depth - 1))

    assert again(3) and not is_on(context)
    threads = [threading.Thread(target=lambda: [again(1) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not is_on(context)


def test_others_modes_stay_as_they_are():
    class Other(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    context = takewise.torch_errors(device="any")
    context.__enter__()
    with Other() as other:
        context.__exit__(None, None, None)
        assert torch.overrides._get_current_function_mode_stack() == [other]
    assert not torch.overrides._get_current_function_mode_stack()
    context.enable()
    context.disable()
    assert not torch.overrides._get_current_function_mode_stack()
    other_thread = threading.Thread(target=context.__exit__, args=(None, None, None))
    context.__enter__()
    other_thread.start()
    other_thread.join()
    assert not is_on(takewise.torch_errors) and torch.overrides._get_current_function_mode_stack()
    torch.overrides._pop_mode()


def test_arguments():
    for bad in ("cuda", None, 0):
        with pytest.raises(ValueError, match='must be "cpu" or "any"'):
            takewise.torch_errors(device=bad)


def test_every_row_is_a_function_of_pytorchs():
    homes = (torch, torch.Tensor, torch._C._nn, torch.ops.aten)
    for name in _places.ROWS:
        found = getattr(F, name.removeprefix("functional."), None) if name.startswith("functional.") else None
        assert found or any(hasattr(home, name) for home in homes), name
    assert copy.copy(takewise.torch_errors()) is not None
