"""Arrays across the border: the same memory on both sides, whatever its layout, and clear words where that cannot be."""

import array
import gc
import itertools
import mmap
import pickle
import subprocess
import sys

import numpy as np
import pytest

import takewise as tw


def address(a):
    return a.__array_interface__["data"][0]


@pytest.mark.parametrize(
    "dtype",
    ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "g", "G", "M8[s]", "m8[ns]",
     "S5", "U3", "V7", ">i4", ">f8", [("x", "f4"), ("id", "i8")], [("p", "u1", (3,)), ("q", ">i2")]],
)  # fmt: skip
def test_every_dtype_moves(dtype):
    raw = np.arange(12 * np.dtype(dtype).itemsize, dtype="u1") % (2 if dtype == "?" else 120)
    x = raw.view(dtype).reshape(3, 4)
    got = tw.take(x, [2, 0, 2], axis=0)
    assert got.dtype == x.dtype
    assert got.tobytes() == x[[2, 0, 2]].tobytes()
    assert tw.index(x, (slice(None), [3, 1])).tobytes() == x[:, [3, 1]].tobytes()


def test_views_share_memory_and_keep_it_alive():
    x = np.arange(24.0).reshape(4, 6)
    view = tw.index(x, (slice(1, 3), slice(None, None, -2)))
    assert np.shares_memory(view, x) and address(view) == address(x[1:3, ::-2])
    view[0, 0] = -1
    assert x[1, 5] == -1
    del x
    assert view[0, 0] == -1


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux how much memory is in use")
def test_results_live_as_long_as_what_views_them_and_no_longer():
    x, i = np.arange(500_000.0), np.arange(500_000)[::-1].copy()
    kept, before = [], resident()
    for k in range(300):
        got = tw.take(x, i)
        if k % 100 == 0:
            kept.append(got[10:20])
    del got
    gc.collect()
    assert resident() - before < 300 << 20
    for part in kept:
        assert np.array_equal(part, x[::-1][10:20])
        assert part.base is not None and part.flags.writeable


def test_tensor_shares_memory_both_ways():
    x = np.zeros((2, 3), "f4")
    t = tw.from_dlpack(x)
    t[1, 2] = 5
    assert x[1, 2] == 5
    x[0, 0] = 7
    assert t[0, 0].item() == 7
    assert t.data_ptr() == address(x) == address(t.numpy()) == address(np.asarray(t)) == address(np.from_dlpack(t))


@pytest.mark.parametrize("make", [lambda x: x[::-1, ::2], lambda x: x.T, lambda x: x[1:, 1:], np.asfortranarray])
def test_any_strides(make):
    x = make(np.arange(60.0).reshape(6, 10))
    i = np.array([[0, -1], [1, 2]])
    assert np.array_equal(tw.take_along_axis(x[:2], i, 1), np.take_along_axis(x[:2], i, 1))
    before = x.copy()
    tw.put_along_axis(x[:2], i, 5.0, 1)
    np.put_along_axis(before[:2], i, 5.0, 1)
    assert np.array_equal(x, before)


def test_unaligned_memory():
    x = np.frombuffer(bytearray(8 * 5 + 1), "f8", count=5, offset=1)
    assert not x.flags.aligned
    tw.put_(x, [1, 3], [2.5, 3.5])
    assert x.tolist() == [0, 2.5, 0, 3.5, 0]
    assert tw.take(x, [3, 1]).tolist() == [3.5, 2.5]


def test_record_fields_have_odd_strides():
    x = np.zeros(4, [("a", "u1"), ("b", "f8")])
    tw.put_(x["b"], [1, 2], [1.5, 2.5])
    assert x["b"].tolist() == [0, 1.5, 2.5, 0]


def test_read_only_is_kept():
    x = np.arange(4)
    x.flags.writeable = False
    with pytest.raises(Exception, match="read-only"):
        tw.put_(x, [0], 1)
    assert x.tolist() == [0, 1, 2, 3]
    assert not tw.index(x, slice(0, 2)).flags.writeable
    with pytest.raises(BufferError):
        tw.from_dlpack(x).__dlpack__()
    assert not np.from_dlpack(tw.from_dlpack(x)).flags.writeable
    assert tw.put(x, [0], 9).tolist() == [9, 1, 2, 3]


def test_index_arrays_that_cannot_be_read_are_refused_with_advice():
    assert tw.take(np.arange(3), np.array([2, 0], ">i8")).tolist() == [2, 0]
    with pytest.raises(TypeError, match=r"dtype datetime64\[D\].*astype"):
        tw.take(np.arange(3), np.array([0], "M8[D]"))


def test_masked_arrays_are_refused_wherever_they_stand():
    m = np.ma.array([1, 0], mask=[0, 1])
    calls = [
        lambda: tw.take(m, [0]), lambda: tw.take(m.astype(object), [0]), lambda: tw.take(np.arange(3), m), lambda: tw.put(m, [0], 7),
        lambda: tw.put(np.arange(2), [0, 1], m), lambda: tw.index_add(m, 0, [0], [1]), lambda: tw.masked_select(np.arange(2), m > 0),
        lambda: tw.where(m > 0, 1, 2), lambda: tw.where([True, False], m, 2), lambda: tw.index(m, slice(1)), lambda: tw.at(m)[0].set(7),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError, match="mask"):
            call()


def test_capsules_are_taken_once():
    x = np.arange(3.0)
    for options in ({}, {"max_version": (1, 0)}):
        capsule = x.__dlpack__(**options)
        assert tw.from_dlpack(capsule).tolist() == [0, 1, 2]
        with pytest.raises(BufferError, match="consumed before"):
            tw.from_dlpack(capsule)


class Lender:
    """A producer from before DLPack 1.0."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, stream=None):
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_old_producers():
    x = np.arange(6.0).reshape(2, 3).T
    got = tw.take(Lender(x), [0, 2], axis=0)
    assert isinstance(got, np.ndarray) and got.tolist() == x[[0, 2]].tolist()


def test_buffers():
    assert tw.take(array.array("i", [5, 6, 7]), [2, 0]).tolist() == [7, 5]
    assert tw.take(memoryview(b"abc"), [1]).tolist() == [98]
    held = bytearray(b"abc")
    tw.put_(held, [0], 120)
    assert held == b"xbc"
    with pytest.raises(Exception, match="read-only"):
        tw.put_(memoryview(b"abc"), [0], 1)
    # To NumPy `bytes` are one text.
    assert np.array_equal(tw.ravel(b"abc"), np.ravel(b"abc"))
    with mmap.mmap(-1, 8) as region:
        tw.put_(region, [3], 7)
        assert region[3] == 7
    shaped = memoryview(np.arange(6).reshape(2, 3))
    assert tw.index(shaped, (1, [2, 0])).tolist() == [5, 3]


def test_scalars_lists_and_ragged_lists():
    assert tw.take([10, 20, 30], [-1]).tolist() == [30]
    assert tw.take(np.float32(2.5), [0]).tolist() == [2.5]
    assert tw.index(np.arange(3), [np.int64(2), 0]).tolist() == [2, 0]
    with pytest.raises(ValueError, match="nested lists"):
        tw.take(np.arange(3), [[1, 2], [1]])
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="deeper"):
        tw.take(loop, [0])


def test_huge_shapes_are_errors():
    x = np.broadcast_to(np.float64(1), (2**40, 2**19))
    assert tw.index(x, (2**39, 5)) == 1
    with pytest.raises(MemoryError):
        tw.index(x, (slice(None), [0]))
    with pytest.raises(IndexError):
        tw.index(x, 2**70)


def test_results_are_aligned():
    for n in range(1, 40):
        assert address(tw.take(np.arange(100, dtype="u1"), np.arange(n))) % 64 == 0


def test_pickles():
    t = tw.Tensor([[1, 2], [3, 4]])[:, 1]
    assert pickle.loads(pickle.dumps(t)).tolist() == [2, 4]
    error = pytest.raises(IndexError, tw.take, np.arange(3), [5]).value
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and again.args == error.args
    assert (again.axis, again.position, again.value, again.size) == (error.axis, error.position, error.value, error.size)


def test_bfloat16_stays_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="bfloat16 in NumPy is ml_dtypes'")
    x = np.arange(4).astype(ml_dtypes.bfloat16)
    got = tw.scatter_add(x, 0, [1, 1], np.ones(2, ml_dtypes.bfloat16))
    assert got.dtype == x.dtype and got.astype("f4").tolist() == [0, 3, 2, 3]
    eight = np.arange(4).astype(ml_dtypes.float8_e4m3fn)
    assert tw.take(eight, [3, 0]).astype("f4").tolist() == [3, 0]


def test_modules_load_without_ml_dtypes():
    program = """
import sys
sys.modules["ml_dtypes"] = None
import takewise.jax, takewise.mindspore, takewise.numpy, takewise.torch
assert not hasattr(takewise.numpy, "bfloat16") and takewise.torch.bfloat16.name == "bfloat16"
assert takewise.torch.zeros(2, dtype=takewise.torch.bfloat16).tolist() == [0, 0]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


LEAVES = [
    np.float32(1.5), np.int8(1), np.uint8(2), np.float16(2), np.bool_(True), np.complex64(1j), np.int64(3), np.uint64(4), np.float64(2.5),
    1, True, 2.5, 1j, 2**63 + 1, np.array(3, "i2"), np.array(2.0, "f4"),
]  # fmt: skip


def test_lists_of_numpys_numbers_and_arrays_are_as_numpy_makes_them():
    for count in (1, 2, 3):
        for leaves in itertools.product(LEAVES, repeat=count):
            wanted = np.array(leaves)
            if wanted.dtype != object:
                got = tw.take(list(leaves), list(range(count)))
                assert got.dtype == wanted.dtype and np.array_equal(got, wanted), leaves
    rows = [np.array([1, 2], "i2"), [np.float32(0.5), 3]]
    got = tw.index(rows, slice(None))
    assert got.dtype == np.array(rows).dtype and np.array_equal(got, np.array(rows))
    assert tw.take([np.zeros(0, "f4")], [0], axis=0).dtype == np.float32
    # As values they take the dtype of what they are written to, and meet the other in its own.
    assert tw.put(np.zeros(2, "i2"), [0], [np.int8(7)]).tolist() == [7, 0]
    assert tw.where([True, False], [np.float32(1)] * 2, [np.float32(2)] * 2).dtype == np.float32
