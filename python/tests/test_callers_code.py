"""Code of the caller's that runs while a call looks at its arguments: it may free what another argument is."""

import pytest
from programs import has, run

HEAD = """
import numpy as np, takewise as tw, takewise.numpy as tn, takewise.torch as tt
SIZE = 500_000

def arrays():
    # Blocks of this size go back to the system when they are freed: reading one ends the process.
    return np.arange(float(SIZE))

class Evil:
    def __init__(self, x):
        self.x = x
    def strike(self):
        if isinstance(self.x, np.ndarray):
            self.x.resize(0, refcheck=False)
        else:
            self.x.untyped_storage().resize_(0)
        return 1

class Index(Evil):
    def __index__(self):
        return self.strike()

class List(list):
    x = None
    def __len__(self):
        Evil(self.x).strike()
        return super().__len__()
    def __iter__(self):
        Evil(self.x).strike()
        return super().__iter__()

class Exporter(Evil):
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __dlpack__(self, **options):
        self.strike()
        return self.y.__dlpack__(**options)
    def __dlpack_device__(self):
        return (1, 0)

class Meddler(np.ndarray):
    x = None
    def __getattribute__(self, name):
        if name == "_mask" and Meddler.x is not None:
            Evil(Meddler.x).strike()
        return super().__getattribute__(name)

def fetch(make, call):
    x = make()
    try:
        call(x)
    except (IndexError, RuntimeError, ValueError, TypeError, OverflowError):
        pass

def listed(x, *items):
    made = List(items)
    made.x = x
    return made

def meddling(x, y):
    Meddler.x = x
    return np.asarray(y).view(Meddler)
"""

CALLS = [
    "tw.take(x, [1], axis=Index(x))",
    "tw.take(x, [1], threads=Index(x))",
    "tw.take(x, listed(x, 1, 2))",
    "tw.take(x, Exporter(x, np.array([1])))",
    "tw.take(x, meddling(x, [1]))",
    "tw.take(np.arange(9.), [1], out=x[:1], threads=Index(x))",
    "tw.gather(x, Index(x), [1])",
    "tw.gather(x, 0, listed(x, 5))",
    "tw.index(x, (Index(x),))",
    "tw.index(x, (np.array([SIZE - 1]), Index(x)))",
    "tw.index(np.arange(float(SIZE)), (x.astype('i8'), Index(x)))",
    "tw.index(x, slice(Index(x), None))",
    "tw.index(x, [SIZE - 1], fill_value=Exporter(x, np.array(1.)), bounds='fill')",
    "tw.index_put_(x, [SIZE - 1], listed(x, 1.0))",
    "tw.index_put_(x, Index(x), 1.0)",
    "tw.index_put_(x, SIZE - 1, Exporter(x, np.array(1.)))",
    "tw.scatter_(x, 0, [SIZE - 1], listed(x, 1.0))",
    "tw.scatter_(x, Index(x), [SIZE - 1], 1.0)",
    "tw.scatter(x, 0, listed(x, SIZE - 1), 1.0)",
    "tw.put_along_axis(x, [SIZE - 1], [1.0], Index(x))",
    "tw.masked_fill(x, Exporter(x, np.ones(1, bool)), 1.0)",
    "tw.masked_select(x, Exporter(x, np.ones(1, bool)))",
    "tw.searchsorted(x, listed(x, 5.0))",
    "tw.searchsorted(x, 5.0, sorter=Exporter(x, np.arange(SIZE)))",
    "tw.where(x, Exporter(x, np.ones(1)), 1.0)",
    "tw.where(Exporter(x, np.ones(1, bool)), x, meddling(x, [1.0]))",
    "tw.at(x)[Index(x)].add_(1.0)",
    "tw.at(x)[[SIZE - 1]].add(listed(x, 1.0))",
    "tw.at(x)[SIZE - 1].set(Exporter(x, np.array(1.)))",
    "tw.scatter_nd([[0]], x[:1], listed(x, 4))",
    "tn.take(x, [SIZE - 1], axis=Index(x))",
    "tn.take(x, listed(x, SIZE - 1))",
    "tn.index(x, (Index(x),))",
    "tn.index(x, (np.array([SIZE - 1]), Index(x)))",
    "tn.setindex(x, Index(x), 1.0)",
    "tn.setindex(x, SIZE - 1, Exporter(x, np.array(1.)))",
    "tn.put(x, [SIZE - 1], Exporter(x, np.array([1.])))",
    "tn.searchsorted(x, Exporter(x, np.array([1.])))",
    "tn.add.at(x, [SIZE - 1], Exporter(x, np.array([1.])))",
]
TORCH = [
    "tt.gather(x, Index(x), torch.tensor([SIZE - 1]))",
    "tt.index_select(x, Index(x), torch.tensor([SIZE - 1]))",
    "tt.narrow(x, 0, Index(x), 1)",
    "tt.tensor([1.0, 2.0])[x.long(), Index(x)]",
    "tt.scatter(x, 0, torch.tensor([SIZE - 1]), Exporter(x, np.array([1.])))",
]


def program(make, calls):
    return run(
        "".join(f"fetch({make}, lambda x: {call})\nMeddler.x = None\n" for call in calls)
        + "tw.take(np.arange(3.), [1])\nprint('whole')",
        head=HEAD,
    )


def test_numpy_arrays_freed_in_the_middle_of_a_call():
    assert program("arrays", CALLS) == "whole\n"


@pytest.mark.skipif(not has("torch"), reason="torch is not installed here")
def test_torch_tensors_freed_in_the_middle_of_a_call():
    calls = [call.replace("x.astype('i8')", "x.long()") for call in CALLS if "tn." not in call]
    make = "lambda: torch.from_numpy(np.arange(float(SIZE))).clone()"
    assert program(f"__import__('torch') and ({make})".replace("torch.from", "__import__('torch').from"), calls) == "whole\n"
    head = HEAD + "import torch\n"
    code = "".join(f"fetch(lambda: torch.arange(float(SIZE)), lambda x: {call})\n" for call in TORCH)
    assert run(code + "print('whole')", head=head) == "whole\n"


def test_arguments_are_looked_at_again():
    """An array that code of the caller's made longer is taken as it is then."""
    run(
        """
        class Grow:
            def __init__(self, x):
                self.x = x
            def __index__(self):
                self.x.resize(20, refcheck=False)
                self.x[:] = np.arange(20.)
                return 0
        x = np.arange(10.)
        assert tw.take(x, [15], axis=Grow(x))[0] == 15.0
        x = np.arange(10.)
        assert tw.index(x, (Grow(x),)) == 0.0
        x = np.arange(10.)
        assert tn.take(x, [15], axis=Grow(x))[0] == 15.0
        """,
        head=HEAD,
    )


NESTED = """
import sys
deep = [1]
for _ in range(20_000):
    deep = [deep]
loop = [1]
loop.append(loop)
ring = []
ring.append((ring,))
only = []
only.append(only)

def refused(f):
    try:
        f()
    except (ValueError, TypeError, RecursionError, IndexError) as e:
        assert len(str(e)) < 300, str(e)[:300]
        return
    raise AssertionError("no error")

x = np.zeros((3, 4))
for bad in (deep, loop, ring, only, (deep,), (ring,)):
    for call in (
        lambda: tw.tensor(bad), lambda: tw.Tensor(bad), lambda: tt.tensor(bad), lambda: tt.Tensor(bad), lambda: tw.take(x, bad),
        lambda: tw.take(bad, [0]), lambda: tw.index(x, bad), lambda: tw.index_put_(x, bad, 1.0), lambda: tw.index_put_(x, 0, bad),
        lambda: tw.scatter(x, 0, bad, 1.0), lambda: tw.scatter(x, 0, [[0]], bad), lambda: tw.masked_fill(x, bad, 1.0),
        lambda: tw.where(bad, 1.0, 2.0), lambda: tw.where(True, bad, 2.0), lambda: tw.searchsorted(bad, 1.0),
        lambda: tw.searchsorted([1.0], bad), lambda: tw.PreparedSearch(bad), lambda: tw.at(x)[bad].get(),
        lambda: tw.at(x)[0].add(bad), lambda: tw.scatter_nd([[0]], [1.0], bad), lambda: tt.zeros(bad), lambda: tt.zeros(*bad),
        lambda: tw.tensor([1.0]).reshape(bad), lambda: tt.tensor([1.0])[bad], lambda: tt.tensor([1.0]).__setitem__(bad, 1.0),
        lambda: tt.tensor([1.0]).__setitem__(0, bad), lambda: tt.gather(tt.zeros(3), 0, bad),
        lambda: tt.tensor([1.0]).permute(bad), lambda: tt.tensor([1.0]).expand(bad), lambda: tn.take(x, bad),
        lambda: tn.take(bad, [0]), lambda: tn.index(x, bad), lambda: tn.setindex(x, 0, bad), lambda: tn.zeros(bad),
        lambda: tn.reshape(x, bad), lambda: tn.where(bad), lambda: tn.put(x, bad, 1.0), lambda: tn.searchsorted([1.0], bad),
        lambda: tt.tensor([1.0])[slice(bad, None)],
        lambda: tt.full((2,), bad), lambda: tw.from_dlpack(bad),
    ):
        refused(call)
print("whole")
"""


def test_lists_that_contain_themselves_and_lists_too_deep():
    assert run(NESTED, head=HEAD).endswith("whole\n")


def test_deep_ranks():
    run(
        """
        import resource
        for rank in (100, 1_000, 10_000, 100_000):
            t = tw.tensor([[1.5, 2.5]]).as_strided((1,) * rank + (2,), (0,) * rank + (1,))
            for face in (lambda t: t, tt.as_tensor):
                text = str(face(t))
                assert text.count("[") == rank + 1 and "2.5" in text and repr(face(t)).count("]") == rank + 1
                try:
                    got = face(t).tolist()
                    assert rank < 1_000
                except RecursionError:
                    assert rank >= 1_000
            if rank <= 1000:
                assert t.sum() == 4 and t.flatten().tolist() == [1.5, 2.5]
        """,
        head=HEAD,
    )


@pytest.mark.parametrize("kind", ["c_int", "c_double", "c_bool", "c_uint8", "c_int64", "c_float", "c_short"])
def test_arrays_of_ctypes(kind):
    run(
        f"""
        import ctypes
        kind = ctypes.{kind}
        flat, square = (kind * 4)(1, 0, 1, 1), ((kind * 2) * 2)((1, 0), (1, 1))
        for x in (flat, square):
            like = np.array(x)
            assert np.array_equal(np.asarray(tw.take(x, [3, 0])), like.ravel()[[3, 0]])
            assert np.asarray(tw.index(x, 1)).tolist() == like[1].tolist()
            tw.index_put_(x, 0, 1)
            assert np.array(x)[0].all()
            assert tw.masked_select(np.ones(like.shape), np.array(x) != 0).size == (np.array(x) != 0).sum()
        if kind not in (ctypes.c_double, ctypes.c_float):
            places = (kind * 2)(1, 0)
            want = np.array([5.0, 6.0])[np.array(places)]
            assert np.array_equal(tw.index(np.array([5.0, 6.0]), places), want)
        empty, nothing = (kind * 0)(), kind(1)
        assert len(tw.take(empty, [])) == 0
        tw.from_dlpack(nothing)

        class Pair(ctypes.Structure):
            _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]
        for odd in ((Pair * 3)(), (ctypes.c_char_p * 2)(b"a", b"b"), (ctypes.py_object * 2)(1, 2), (ctypes.POINTER(ctypes.c_int) * 2)()):
            for call in (lambda: tw.take(odd, [1]), lambda: tw.take(np.zeros(3), odd), lambda: tw.index_put_(odd, 0, 1)):
                try:
                    call()
                except (TypeError, ValueError, RuntimeError, IndexError):
                    pass
        """,
        head=HEAD,
    )
