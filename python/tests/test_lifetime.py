"""What keeps memory alive is given back from any thread, in any order, through any chain of libraries, and at the end."""

import pytest
from programs import has, run

# How each library makes a view of a view, and what it starts from.
STEPS = {
    "numpy": "lambda x: tw.index(x, slice(None))",
    "large numpy": "lambda x: tw.index(x, slice(None))",
    "torch": "lambda x: tw.index(x, slice(None))",
    "torch narrow": "lambda x: tt.narrow(x, 0, 0, len(x))",
    "own": "lambda x: x[:]",
    "own to torch": "lambda x: tw.from_dlpack(torch.from_dlpack(x)[:])",
    "own to numpy": "lambda x: tw.from_dlpack(np.from_dlpack(x)[:])",
    "memoryview": "lambda x: np.asarray(memoryview(np.asarray(tw.from_dlpack(x))))",
    "torch to numpy": "lambda x: tw.index(torch.from_numpy(tw.index(x.numpy(), slice(None))), slice(None))",
    "jax": "lambda x: tw.from_dlpack(jnp.asarray(np.asarray(x)))",
    "mixed": "lambda x: tw.from_dlpack(torch.from_dlpack(tw.from_dlpack(tw.index(np.asarray(x), slice(None)))))",
}
STARTS = {
    "numpy": "np.arange(10.)",
    "large numpy": "np.arange(100000.)",
    "torch": "torch.arange(10.)",
    "torch narrow": "torch.arange(10.)",
    "memoryview": "np.arange(10.)",
    "torch to numpy": "torch.arange(10.)",
}
CHAINS = [name for name in STEPS if has("torch") or "torch" not in STEPS[name] + STARTS.get(name, "") and "tt." not in STEPS[name]]
CHAINS = [name for name in CHAINS if has("jax") or name != "jax"]

HEAD = """
import gc, sys, threading, random, weakref
import numpy as np, takewise as tw
try:
    import torch, takewise.torch as tt
except ImportError:
    pass
if {jax}:
    import jax.numpy as jnp

def chain(length):
    step = {step}
    made = [{start}]
    for _ in range(length):
        made.append(step(made[-1]))
    return made

def last(made):
    return float(np.asarray(made[-1])[3])
"""


def program(name, code):
    start = STARTS.get(name, "tw.from_dlpack(np.arange(10.))")
    return run(code, head=HEAD.format(step=STEPS[name], start=start, jax=name == "jax"))


@pytest.mark.parametrize("name", CHAINS)
def test_chains_released_in_every_order(name):
    program(
        name,
        """
        import itertools
        for length in (1, 2, 3):
            for order in itertools.permutations(range(length + 1)):
                made = chain(length)
                for k in order:
                    made[k] = None
        for length in (1, 2, 3, 1000):
            made = chain(length)
            del made[:-1]
            gc.collect()
            assert last(made) == 3.0
            made.clear()
            for order in ("forwards", "backwards", "shuffled"):
                made = chain(length)
                if order == "backwards":
                    made.reverse()
                elif order == "shuffled":
                    random.Random(0).shuffle(made)
                while made:
                    made.pop()
        tw.take(np.zeros(3), [0])
        """,
    )


@pytest.mark.parametrize("name", CHAINS)
def test_chains_released_by_other_threads(name):
    program(
        name,
        """
        for length in (1, 2, 3, 1000):
            made = [chain(length) for _ in range(4)]
            def work(k):
                assert last(made[k]) == 3.0
                del made[k][:-1]
                made[k] = None
            threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
            [t.start() for t in threads]
            [t.join() for t in threads]
        tw.take(np.zeros(3), [0])
        """,
    )


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("holder", ["module", "cycle", "thread"])
def test_chains_alive_at_exit(name, holder):
    hold = {
        "module": "sys.modules['takewise'].kept = kept",
        "cycle": "kept.append(kept); del kept",
        "thread": "local = threading.local(); local.kept = kept; threading.Thread(target=lambda k: None, args=(kept,)).start()",
    }[holder]
    program(name, f"kept = [chain(length)[-1] for length in (1, 2, 3, 1000)]\n{hold}")


def test_a_slice_keeps_the_root_alive_and_no_view_in_between():
    run("""
        import weakref
        class Array(np.ndarray):
            pass
        for size in (10, 100_000):
            root = np.arange(float(size)).view(Array)
            middle = tw.index(root, slice(1, None))
            part = tw.index(middle, slice(1, None))
            gone = weakref.ref(middle)
            del middle
            gc.collect()
            assert gone() is None and part[0] == 2.0
            base = np.arange(float(size))
            assert tw.index(tw.index(base, slice(1, None)), slice(1, None)).base is base
    """)


def test_a_slice_of_a_torch_tensor_is_a_view_of_its_storage():
    pytest.importorskip("torch", reason="torch is not installed here")
    run("""
        import torch, weakref
        for size in (10, 100_000):
            root = torch.arange(float(size))
            # The first one lends the memory to PyTorch, which has all others share its storage.
            first = tw.index(root, slice(1, None))
            middle = tw.index(first, slice(None))
            part = tw.index(middle, slice(1, None, 3))
            gone = weakref.ref(middle)
            del first, middle
            assert gone() is None and part[1] == 5.0
            part[0] = -1
            assert root[2] == -1 and part.stride() == (3,)
            # However many there are, they share the storage of the first that was lent.
            views = [part]
            for _ in range(10):
                views.append(tw.index(views[-1], slice(None)))
            assert len({view.untyped_storage().data_ptr() for view in views}) <= 2
            del root, views
            assert part[0] == -1
    """)


def test_memory_released_without_the_lock_is_given_back_soon():
    pytest.importorskip("torch", reason="torch is not installed here")
    run("""
        import torch, weakref
        class Owner(np.ndarray):
            pass
        # PyTorch lets go of the lock in the destructors of what it kept for the way back.
        for k in range(50):
            owner = np.arange(float(10 + k)).view(Owner)
            gone = weakref.ref(owner)
            t = torch.from_dlpack(tw.from_dlpack(owner)).requires_grad_(k % 2 == 0)
            del owner
            made = (t * t).sum()
            if made.requires_grad:
                made.backward()
            thread = threading.Thread(target=lambda held: held.clear(), args=([t, made],))
            del t, made
            thread.start()
            thread.join()
            for _ in range(1000):
                pass
            gc.collect()
            tw.take(np.zeros(2), [0])
            assert gone() is None, k
    """)


EMPTIED = """
import torch
from torch._subclasses import FakeTensorMode
try:
    import takewise.torch as tt
except ImportError:
    pass

def freed(dtype=torch.float32):
    x = torch.ones(3, 4).to(dtype)
    x.untyped_storage().resize_(0)
    return x

def cut(dtype=torch.float32):
    x = torch.ones(3, 4).to(dtype)
    x.untyped_storage().resize_(5 * x.element_size())
    return x

def behind(dtype=torch.float32):
    x = torch.ones(6, 4).to(dtype)[3:]
    x.untyped_storage().resize_(14 * x.element_size())
    return x

def fake(dtype=torch.float32):
    with FakeTensorMode():
        return torch.ones(3, 4, dtype=dtype)

def zero(dtype=torch.float32):
    return torch._efficientzerotensor((3, 4), dtype=dtype)

def refused(f):
    try:
        got = f()
    except (RuntimeError, TypeError, ValueError, NotImplementedError) as e:
        assert "\\n" not in str(e).strip() and len(str(e)) < 300 or type(e).__module__ == "builtins", str(e)
        return
    raise AssertionError(f"no error, but {got!r}")

i, m, x, v = torch.tensor([0, 2]), torch.ones(3, 4, dtype=torch.bool), torch.zeros(3, 4), torch.ones(3, 4)
"""


@pytest.mark.parametrize("kind", ["freed", "cut", "behind", "fake", "zero"])
def test_tensors_without_memory_are_refused_everywhere(kind):
    pytest.importorskip("torch", reason="torch is not installed here")
    run(
        f"""
        e, k, b = {kind}(), {kind}(torch.int64), {kind}(torch.bool)
        wide = torch.zeros(3, 4, dtype=torch.int64)
        for call in (
            lambda: tw.take(e, [11]), lambda: tw.take(x, k), lambda: tw.take(x, wide, out=e),
            lambda: tw.gather(e, 0, wide), lambda: tw.gather(x, 0, k), lambda: tw.index(e, i), lambda: tw.index(x, k),
            lambda: tw.index(x, (slice(None), k)), lambda: tw.index(x, b), lambda: tw.index_put_(e, i, 1.0),
            lambda: tw.index_put_(x, m, e), lambda: tw.scatter(e, 0, wide, 1.0), lambda: tw.scatter_(x, 0, k, 1.0),
            lambda: tw.scatter_(x, 0, wide, e), lambda: tw.masked_fill(x, b, 1.0), lambda: tw.masked_select(e, m),
            lambda: tw.masked_select(x, b), lambda: tw.searchsorted(e, v), lambda: tw.searchsorted(x, e),
            lambda: tw.searchsorted(x, v, sorter=k), lambda: tw.bucketize(e, torch.ones(2)), lambda: tw.nonzero(e),
            lambda: tw.where(b, x, v), lambda: tw.where(m, e, v), lambda: tw.where(m, x, e), lambda: tw.copy(e),
            lambda: tw.at(e)[0].add(1.0), lambda: tw.at(x)[k].get(), lambda: tw.from_dlpack(e), lambda: tw.tensor(e),
            lambda: tw.PreparedSearch(e), lambda: tw.scatter_nd(k, v, (3, 4)), lambda: tw.take([1.0], e),
            lambda: tt.gather(e, 0, wide), lambda: tt.gather(x, 0, k), lambda: tt.index_select(e, 0, i),
            lambda: tt.tensor([1.0, 2.0])[k], lambda: tt.where(b, x, v), lambda: tt.scatter(x, 0, wide, e),
            lambda: tt.narrow(e, 0, 2, 1), lambda: tt.select(e, 0, 2), lambda: tt.take(x, wide, out=e),
        ):
            refused(call)
        """,
        head="import numpy as np, takewise as tw\n" + EMPTIED,
    )


@pytest.mark.parametrize("kind", ["freed", "cut", "behind"])
def test_tensors_without_memory_are_refused_in_pytorch_s_own_calls(kind):
    pytest.importorskip("torch", reason="torch is not installed here")
    run(
        f"""
        e, k, b, wide = {kind}(), {kind}(torch.int64), {kind}(torch.bool), torch.zeros(3, 4, dtype=torch.int64)
        half = {kind}(torch.complex32)
        for call in (
            lambda: e[i], lambda: e.index_select(0, i), lambda: torch.take(e, torch.tensor([11])), lambda: x[k],
            lambda: torch.nn.functional.embedding(i, e), lambda: e.index_add_(0, i, torch.ones(2, 4)), lambda: x[b],
            lambda: e.masked_fill_(m, 1.0), lambda: x.masked_fill_(b, 1.0), lambda: x.scatter_(0, wide, e),
            lambda: x.scatter_(0, k, 1.0), lambda: torch.gather(x, 0, k), lambda: torch.gather(e, 0, wide),
            lambda: torch.searchsorted(e, v), lambda: torch.searchsorted(x, e), lambda: e.nonzero(),
            lambda: torch.searchsorted(x, v, sorter=k), lambda: e.put_(wide, v), lambda: x.put_(wide, e),
            lambda: x.index_copy_(0, i, e[:2]), lambda: x.index_put_((k,), torch.ones(4)), lambda: half[i],
            lambda: torch.take(x, wide, out=e), lambda: torch.index_select(x, 0, torch.tensor([0, 1, 2]), out=e),
            lambda: x.masked_scatter_(m, e), lambda: torch.masked_select(e, m), lambda: torch.bucketize(e, torch.ones(2)),
        ):
            with tw.accelerate_torch(operators="all"):
                refused(call)
        assert torch.equal(x, torch.zeros(3, 4))
        """,
        head="import numpy as np, takewise as tw\n" + EMPTIED,
    )
