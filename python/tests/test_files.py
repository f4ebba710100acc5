"""Arrays in files: NumPy's subscripts, in-place writes, what is asked for, and files that are cut short."""

import gc
import io
import json
import mmap
import operator
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import takewise

PAGE = mmap.PAGESIZE
LINUX = sys.platform == "linux"


@pytest.fixture(scope="module")
def table():
    """16,384 rows of 512 bytes."""
    return np.arange(16384 * 128, dtype="f4").reshape(16384, 128)


@pytest.fixture
def path(tmp_path, table):
    np.save(tmp_path / "table.npy", table)
    return tmp_path / "table.npy"


@pytest.fixture
def small(tmp_path):
    x = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    np.save(tmp_path / "small.npy", x)
    return x, takewise.open(tmp_path / "small.npy")


def forget(path):
    """Has the system forget what it holds of a file, and tells whether it has: disks of memory forget nothing."""
    with open(path, "r+b") as file:
        os.fsync(file.fileno())
        if not hasattr(os, "RWF_NOWAIT"):
            return True
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return not is_in_memory(path)


def is_in_memory(path):
    """Whether the system says that the first byte of a file is in memory."""
    try:
        with open(path, "rb") as file:
            return os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT) == 1
    except (AttributeError, OSError):
        return False


def requests(call, *args):
    return takewise.explain(call, *args).to_dict()["bytes"].get("requests")


KEYS = [
    0, -1, slice(None), slice(None, None, -1), slice(2, 0, -2), None, ..., (), (..., None, 1), (0, 1, 2, 3), (0, ..., 3), (0, 1, 2, 3, ...),
    (1, None, slice(0, 2), ..., slice(None, None, -2)), [1, 0, 1], ([1, 0], slice(None), [0, 3]), (0, slice(None), [0, 3]),
    (slice(None), [[0], [2]], [1, 2]), np.array(1), np.array([], dtype=int), (slice(0, 0), [0]), (slice(None), np.array([True, False, True])),
    (np.array([True, False]), 0, [3, -1]), True, False, (True, 0), np.int64(1), ([True, False],), (1, [0, -1], ..., None),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_subscripts_are_numpys(small, key):
    x, lazy = small
    want, got = x[key], lazy[key]
    assert type(got) is type(want)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.array_equal(got, want)
    if isinstance(got, np.ndarray) and got.size:
        got[...] = -1
        assert np.array_equal(lazy[key], want), "a result is memory of its own"


def test_masks_of_any_rank(small):
    x, lazy = small
    for rank in range(1, 5):
        mask = x.reshape(*x.shape[:rank], -1)[..., 0] % 3 == 0
        assert np.array_equal(lazy[mask], x[mask])
    assert np.array_equal(lazy[x % 7 == 0], x[x % 7 == 0])


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_subscripts(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("random")
    x = np.arange(1024 * 4 * 128, dtype="i4").reshape(1024, 4, 128)
    np.save(folder / "x.npy", x)
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    rows = data.draw(st.lists(st.integers(-1024, 1023), max_size=20))
    with takewise.open(folder / "x.npy") as lazy:
        assert np.array_equal(lazy[key], x[key])
        rows = np.array(rows, dtype="i2")
        assert np.array_equal(lazy[rows, 1:3, ::-5], x[rows, 1:3, ::-5])
        assert np.array_equal(lazy[rows, :, rows % 128], x[rows, :, rows % 128])


def test_what_it_says_of_itself(path, table):
    x = takewise.open(path)
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, len(x)) == ((16384, 128), table.dtype, 2, 1 << 21, 1 << 23, 16384)
    assert (x.mode, x.path, x.name, x.closed) == ("r", str(path), None, False)
    assert repr(x) == f"<FileArray {str(path)!r}, shape=(16384, 128), dtype=float32, mode='r'>"
    assert x.requested == (0, 0)
    assert np.array_equal(np.asarray(x), table)
    assert np.asarray(x, dtype="f8").dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(x, copy=False)
    assert np.array_equal(next(iter(x)), table[0])
    x.close()
    assert x.closed and repr(x) == f"<closed FileArray {str(path)!r}>"
    with pytest.raises(ValueError, match="closed"):
        x[0]
    x.close()


def test_few_pages_are_asked_for(path, table):
    cold = forget(path)
    x = takewise.open(path)
    rows = [5000, 3, 16383, 3]
    assert np.array_equal(x[rows], table[rows])
    assert not cold or (x.requested[0] == 3 and x.requested[1] <= 3 * 512)
    assert np.array_equal(x[::-1], table[::-1])
    assert not cold or x.requested[0] == 3, "all of it goes through the mapping"


def test_what_is_in_memory_is_touched(path, table):
    x = takewise.open(path)
    for rows in ([5], [5000, 3, 16383, 3], np.arange(0, 16384, 16)):
        assert np.array_equal(x[rows], table[rows])
    assert not is_in_memory(path) or x.requested == (0, 0)


def test_functions_take_it(path, table):
    x = takewise.open(path)
    ids = np.array([[7, 100, 7]] * 3)
    assert np.array_equal(takewise.take(x, [3, 5_000_00]), table.ravel()[[3, 5_000_00]])
    assert np.array_equal(x.take([9, 1], 0), table.take([9, 1], 0))
    assert np.array_equal(takewise.gather(x, 0, ids), np.take_along_axis(table[:, :3], ids, 0))
    assert np.array_equal(x.gather(0, ids), np.take_along_axis(table[:, :3], ids, 0))
    wide = np.array([[0, 127, 3]] * 16384)
    assert np.array_equal(x.take_along_axis(wide, 1), np.take_along_axis(table, wide, 1))
    assert np.array_equal(x.gather_nd([[5, 6], [7, 8]]), table[[5, 7], [6, 8]])
    assert np.array_equal(x.oindex[[5, 1], [3, 2, 1]], table[np.ix_([5, 1], [3, 2, 1])])
    assert np.array_equal(x.vindex[[5, 1], [3, 2]], table[[5, 1], [3, 2]])
    assert np.array_equal(takewise.oindex(x, ([5, 1], slice(0, 2))), table[[5, 1], :2])
    assert np.array_equal(takewise.at(x)[[5]].get(), table[[5]])
    found = takewise.index(x, slice(10, 12))
    assert type(found) is np.ndarray and np.array_equal(found, table[10:12])
    found[...] = 0
    assert np.array_equal(x[10:12], table[10:12])
    assert np.array_equal(takewise.searchsorted(x[0], [3.5, 4]), [4, 4])
    assert np.array_equal(takewise.where(takewise.index(x, 0) > 5, 1, 0), np.where(table[0] > 5, 1, 0))


def test_a_bad_index_says_which(path):
    x = takewise.open(path)
    with pytest.raises(IndexError) as error:
        x[[3, 16384]]
    assert (error.value.axis, error.value.position, error.value.value, error.value.size) == (0, (1,), 16384, 16384)
    with pytest.raises(IndexError):
        x[16384]
    with pytest.raises(IndexError):
        x[0, 0, 0]
    assert x.requested == (0, 0)


def test_writes_in_place(path, table):
    want = table.copy()
    with takewise.open(path, mode="r+") as x:
        x[[5, 6000, 5], 3] = want[[5, 6000, 5], 3] = [1, 2, 3]
        x[100:110, ::2] = want[100:110, ::2] = -1
        x[want[:, 0] > 1_000_000] = want[want[:, 0] > 1_000_000] = 0
        x.oindex[[1, 2], [3, 4]] = -2
        want[np.ix_([1, 2], [3, 4])] = -2
        x.vindex[[1, 2], [5, 6]] = want[[1, 2], [5, 6]] = [-3, -4]
        x.put([0, -1], [7, 8])
        np.put(want, [0, -1], [7, 8])
        where = np.full((16384, 1), 9)
        x.put_along_axis(where, 4, 1)
        np.put_along_axis(want, where, 4, 1)
        takewise.scatter_add_(x, 0, np.array([[4, 4]]).T, np.array([[1.0], [2.0]], "f4"))
        want[4, 0] += 3
        takewise.at(x)[20, [1, 1]].add_(1)
        want[20, 1] += 2
        assert np.array_equal(x[[5, 6000, 105, 1, 2, 4, 20]], want[[5, 6000, 105, 1, 2, 4, 20]])
        x.flush()
        assert np.array_equal(np.load(path), want)
        for write in (lambda: x.__setitem__([3, 16384], 5), lambda: x.put([1, 1 << 21], [1, 2]),
                      lambda: takewise.scatter_(x, 0, [[3], [19000]], 7)):  # fmt: skip
            with pytest.raises(IndexError):
                write()
        with pytest.raises(ValueError, match="broadcast|shape"):
            x[0] = [1, 2, 3]
    assert np.array_equal(np.load(path), want)


MADE = [
    np.arange(12.0).reshape(4, 3), np.array([3, 0, 3]), np.array("a"), np.array(["a", "bcd"]), np.array(["2020-01-01", "NaT"], "M8[D]"),
    np.array([(1, 2.5), (3, 4.5)], [("a", "<i2"), ("b", "<f8")]), np.zeros((0, 3)),
]  # fmt: skip


@pytest.mark.parametrize("made", MADE, ids=lambda a: str(a.dtype))
def test_comparisons_are_numpys(tmp_path, made, monkeypatch):
    monkeypatch.setattr("takewise._outside._PART", 2 * made.itemsize)
    np.save(tmp_path / "x.npy", made)
    x = takewise.open(tmp_path / "x.npy")
    some = made.reshape(-1)[-1] if made.size else 0.0
    records = made.dtype.names is not None
    for other in (some, made, x) if records else (some, made, x, "no such", 3, None):
        plain = made if other is x else other
        for how in (operator.eq, operator.ne) if records or other is not some else (operator.eq, operator.ne, operator.lt, operator.ge):
            for got, wanted in ((how(x, other), how(made, plain)), (how(other, x), how(plain, made))):
                assert type(got) is type(wanted) and np.array_equal(got, wanted), (how, other)
    assert (some in x) == bool((made == some).any())
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


def test_operators_are_numpys(path, table, monkeypatch):
    monkeypatch.setattr("takewise._outside._PART", 1 << 21)
    with takewise.open(path, mode="r+") as x:
        for f in (lambda x: x + 1, lambda x: 2 - x, np.sqrt, lambda x: -x, lambda x: np.add.reduce(x, 1), lambda x: divmod(x, 7)[1]):
            assert np.array_equal(f(x), f(table))
        same = x
        x += 1
        x *= table
        assert np.multiply(x, 2, out=x, where=table % 2 == 0) is x and x is same
        with pytest.raises(TypeError, match=r"takewise\.numpy\.add\.at"):
            np.add.at(x, [0], 1)
        with pytest.raises(TypeError, match="Cannot cast"):
            x += 1j
        with pytest.raises(ValueError, match="ambiguous"):
            bool(x)
        x[x != 0] = 1
    assert np.array_equal(np.load(path), table != 0)
    with pytest.raises(ValueError, match="opened for reading"):
        x = takewise.open(path)
        x += 1


def test_modes(path, table):
    x = takewise.open(path)
    for write in (lambda: x.__setitem__(0, 1), lambda: x.oindex.__setitem__(0, 1), lambda: x.put([0], [1]), lambda: takewise.at(x)[0].add_(1),
                  lambda: takewise.take(table, [0], out=x), lambda: takewise.scatter_(x, 0, [[3]], 7), lambda: takewise.numpy.put(x, [0], [1])):  # fmt: skip
        with pytest.raises(ValueError, match=r"table.* was opened for reading; open it with mode='r\+' to write"):
            write()
    copy = takewise.open(path, mode="c")
    copy[3] = 5
    assert np.array_equal(copy[[3, 4]], [[5] * 128, table[4]])
    assert np.array_equal(np.load(path), table)
    with pytest.raises(ValueError, match="mode is"):
        takewise.open(path, mode="w")


def test_files_of_several_arrays(tmp_path, table):
    np.savez(tmp_path / "a.npz", x=table, y=np.arange(3))
    np.savez_compressed(tmp_path / "c.npz", x=table)
    x = takewise.open(tmp_path / "a.npz", "x")
    assert np.array_equal(x[[5, 8000]], table[[5, 8000]])
    assert requests(takewise.index, x, [5, 8000]) == 2
    assert x.name == "x" and "'x'" in repr(x)
    assert np.array_equal(takewise.open(tmp_path / "a.npz", "y")[:], [0, 1, 2])
    assert np.array_equal(takewise.open(tmp_path / "c.npz")[[5, 8000]], table[[5, 8000]])
    with pytest.raises(ValueError, match=r"choose one by name=: x, y"):
        takewise.open(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="has no tensor 'z'"):
        takewise.open(tmp_path / "a.npz", "z")
    with pytest.raises(ValueError, match="part of an archive"):
        takewise.open(tmp_path / "a.npz", "x", mode="r+")
    header = b'{"w":{"dtype":"F32","shape":[16384,128],"data_offsets":[0,8388608]}}'
    (tmp_path / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + table.tobytes())
    cold = forget(tmp_path / "m.safetensors")
    w = takewise.open(tmp_path / "m.safetensors", "w", mode="r+")
    assert np.array_equal(w[[5, 8000]], table[[5, 8000]]) and (not cold or w.requested[0] == 2)
    w[7] = 0
    w.close()
    assert not takewise.open(tmp_path / "m.safetensors")[7].any()


def test_raw_bytes_and_other_dtypes(tmp_path):
    x = np.arange(24, dtype=">i2").reshape(4, 6)
    x.tofile(tmp_path / "x.bin")
    assert np.array_equal(takewise.open(tmp_path / "x.bin", dtype=">i2", shape=(-1, 6))[[3, 0]], x[[3, 0]])
    with pytest.raises(ValueError, match="dtype"):
        takewise.open(tmp_path / "x.bin")
    with pytest.raises(ValueError, match="need a dtype"):
        takewise.open(tmp_path / "x.bin", shape=(4,))
    for made in (
        np.array(["2020-01-01", "NaT"], "M8[D]"), np.array(["a", "bcd"]), np.array([(1, 2.5), (3, 4.5)], [("a", "<i2"), ("b", "<f8")]),
        np.arange(3, dtype=">f8"), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(5.0), np.zeros((0, 3)), np.array([1 + 2j]),
    ):  # fmt: skip
        np.save(tmp_path / "y.npy", made)
        with takewise.open(tmp_path / "y.npy") as y:
            assert y.shape == made.shape and y.dtype == made.dtype, made.dtype
            assert np.array_equal(y[...], made, equal_nan=made.dtype.kind in "fcM")


DTYPES = [
    [("l", "u1"), ("v", "f4")], [("l", "S4"), ("v", "?"), ("t", "U2")], np.dtype([("a", "i2"), ("b", "f8")], align=True),
    {"names": ["a", "b"], "formats": ["u1", "<i8"], "offsets": [3, 16], "itemsize": 32}, {"names": ["a"], "formats": ["u1"], "itemsize": 7},
    [("a", [("x", "u1"), ("y", "S2")]), ("b", "f4", (2, 3))], [(("title", "n"), "u1"), ("m", "<i4")], [("a b'c", "u1"), ("é", "f4")],
    [("a", np.dtype([("p", "u1"), ("q", "f8")], align=True)), ("b", "i2")], [("a", ">i4"), ("b", "|S0"), ("c", ">M8[D]"), ("d", ">U2")],
    ">i4", ">u8", ">f2", ">f8", ">c8", ">c16", ">M8[D]", ">m8[25s]", ">U3", ">f16", "u1", "S3", "V5", "<f2",
]  # fmt: skip


def same_dtype(got, wanted):
    assert got == wanted and repr(got) == repr(wanted) and got.fields == wanted.fields and got.itemsize == wanted.itemsize


def same_fields(got, wanted):
    """Bytes between fields are nobody's."""
    same_dtype(got.dtype, wanted.dtype)
    for name in wanted.dtype.names or ():
        same_fields(got[name], wanted[name])
    if not wanted.dtype.names:
        assert np.array_equal(got, wanted, equal_nan=wanted.dtype.kind in "fcMm")


def fill(array):
    for name in array.dtype.names or ():
        fill(array[name])
    if array.dtype.names is None:
        some = {"S": b"ab", "V": b"ab", "U": "ab", "b": True}.get(array.dtype.kind, 49)
        array[...] = np.array(some, None if isinstance(some, int) else array.dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes_are_numpys(tmp_path, dtype):
    dtype = np.dtype(dtype)
    made = np.zeros(5, dtype)
    fill(made[:3])
    np.save(tmp_path / "x.npy", made)
    np.savez(tmp_path / "x.npz", a=made)
    np.savez_compressed(tmp_path / "c.npz", a=made)
    for name in ("x.npy", "x.npz", "c.npz"):
        wanted = np.load(tmp_path / name)
        wanted = wanted if name == "x.npy" else wanted["a"]
        x = takewise.open(tmp_path / name)
        same_dtype(x.dtype, wanted.dtype)
        same_fields(x[...], wanted)
        same_fields(x[[3, 0]], wanted[[3, 0]])
        same_fields(takewise.take(x, [4, 4, 1]), wanted[[4, 4, 1]])
    wanted = np.load(tmp_path / "x.npy")
    for mode in ("c", "r+"):
        with takewise.open(tmp_path / "x.npy", mode=mode) as x:
            x[[0, 4]] = wanted[[3, 1]]
            x[2] = wanted[0]
            same_fields(x[...], wanted[[3, 1, 0, 3, 1]])
        same_fields(np.load(tmp_path / "x.npy"), wanted if mode == "c" else wanted[[3, 1, 0, 3, 1]])


def test_objects_in_files_are_refused(tmp_path):
    for dtype in (object, [("a", "i4"), ("b", object)]):
        np.save(tmp_path / "o.npy", np.zeros(2, dtype), allow_pickle=True)
        with pytest.raises(ValueError, match="Python objects"):
            takewise.open(tmp_path / "o.npy")


def test_the_other_byte_order_is_read_where_it_is_touched(tmp_path, table):
    np.save(tmp_path / "big.npy", table.astype(">f4"))
    cold = forget(tmp_path / "big.npy")
    x = takewise.open(tmp_path / "big.npy")
    got = x[[16000, 3], 5]
    assert got.dtype == ">f4" and np.array_equal(got, table[[16000, 3], 5])
    assert not cold or (x.requested[0] == 2 and x.requested[1] <= 4 * PAGE)


def safetensors(path, **tensors):
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    header = json.dumps(header).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    return path


SMALL = {
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu", "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz", "BF16": "bfloat16",
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_small_floats_of_safetensors(tmp_path, name):
    content = bytes([0x38, 0x40, 0x44, 0x48, 0x3C, 0x3F])
    size = 2 if name == "BF16" else 1
    path = safetensors(tmp_path / "s.safetensors", w=(name, [6 // size], content))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    wanted = np.frombuffer(content, getattr(ml_dtypes, SMALL[name]))
    # In a process of its own: a dtype is known once it was met.
    code = (
        "import sys, numpy as np, takewise; x = takewise.open(sys.argv[1]); got = x[[2, 0]]; "
        "print(x.dtype, got.astype('f4').tolist(), takewise.take(x, [1]).dtype)"
    )
    said = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"{SMALL[name]} {wanted[[2, 0]].astype('f4').tolist()} {SMALL[name]}"
    hidden = code.replace("takewise;", "takewise; sys.modules['ml_dtypes'] = None;", 1)
    failed = subprocess.run([sys.executable, "-c", hidden, path], capture_output=True, text=True)
    assert "TypeError: NumPy has no " + SMALL[name] in failed.stderr and "install ml_dtypes" in failed.stderr
    torch = pytest.importorskip("torch")
    x = takewise.open(path, like="torch", mode="r+")
    wanted = torch.frombuffer(bytearray(content), dtype=getattr(torch, SMALL[name]))
    assert x.dtype is wanted.dtype and f"dtype={wanted.dtype}" in repr(x) and x.nbytes == 6
    for got in (x[[2, 0]], takewise.take(x, [2, 0])):
        assert got.dtype == wanted.dtype and torch.equal(got.view(torch.uint8), wanted[[2, 0]].view(torch.uint8))
    x[[0]] = x[[2]]
    assert torch.equal(x[...].view(torch.uint8)[:size], wanted[[2]].view(torch.uint8))
    with pytest.raises(TypeError, match="use them on"):
        x == 0  # noqa: B015


def test_what_numpy_has_no_dtype_for_is_refused(tmp_path):
    path = safetensors(tmp_path / "s.safetensors", a=("F4", [4], b"ab"), b=("F6_E2M3", [4], b"abc"), c=("NO", [1], b"a"))
    for name, error, text in (("a", TypeError, "float4_e2m1fn_x2"), ("b", ValueError, "F6_E2M3"), ("c", ValueError, "NO")):
        with pytest.raises(error, match=text):
            takewise.open(path, name)
    np.save(tmp_path / "d.npy", np.zeros(2, "M8[D]"))
    with pytest.raises(ValueError, match="like is"):
        takewise.open(tmp_path / "d.npy", like="jax")


def test_what_torch_has_no_dtype_for_is_refused(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed here")
    np.save(tmp_path / "d.npy", np.zeros(2, "M8[D]"))
    with pytest.raises(TypeError, match="PyTorch's tensors have no"):
        takewise.open(tmp_path / "d.npy", like="torch")


def test_how_a_file_is_named(tmp_path):
    np.arange(12, dtype="f4").tofile(tmp_path / "raw.bin")
    assert np.array_equal(takewise.open(tmp_path / "raw.bin", dtype="f4", shape=np.int64(12))[[11]], [11])
    with pytest.raises(ValueError, match=r"dtype= \(and shape=\)"):
        takewise.open(tmp_path / "raw.bin")
    np.save(tmp_path / "x.npy", np.arange(3))
    x = takewise.open(os.fsencode(tmp_path / "x.npy"))
    assert x.path == str(tmp_path / "x.npy") and x[2] == 2
    os.symlink(tmp_path / "x.npy", tmp_path / "link.npy")
    assert takewise.open(tmp_path / "link.npy")[1] == 1
    if LINUX:
        os.rename(tmp_path / "x.npy", os.fsencode(tmp_path) + b"/\xff.npy")
        assert takewise.open(os.fsencode(tmp_path) + b"/\xff.npy")[1] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_what_is_no_file_on_disk_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.npy")
    os.symlink(tmp_path / "pipe.npy", tmp_path / "link.npy")
    for path in (tmp_path / "pipe.npy", tmp_path / "link.npy", "/dev/zero", "/dev/null"):
        for mode in ("r", "r+", "c"):
            with pytest.raises(ValueError, match="is a pipe or a device"):
                takewise.open(path, dtype="u1", mode=mode)


BAD_KEYS = [[1.0], 1.0, "a", {}, (..., ...), 1j, [None], b"a", np.float32(1), np.zeros(1), np.array("2020", "M8[Y]"), Ellipsis.__class__, 9, [9], (0, 0), [True]]


@pytest.mark.parametrize("key", BAD_KEYS, ids=str)
def test_errors_of_keys_are_of_numpys_class(tmp_path, key):
    np.save(tmp_path / "x.npy", np.arange(6))
    with takewise.open(tmp_path / "x.npy", mode="r+") as x:
        for refused in (lambda x: x[key], lambda x: x.__setitem__(key, 5)):
            with pytest.raises(Exception) as wanted:  # noqa: PT011
                refused(np.arange(6))
            with pytest.raises(wanted.type):
                refused(x)
        assert np.array_equal(x[...], np.arange(6))


def test_errors_of_values_are_of_numpys_class(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6))
    with takewise.open(tmp_path / "x.npy", mode="r+") as x:
        with pytest.raises(TypeError, match="values of dtype float64 would change in an array of dtype int64"):
            x[[0, 1]] = 0.5
        for value in (np.nan, np.inf, 1j, "a", [1, 2, 3], 2**70):
            with pytest.raises(Exception) as wanted:  # noqa: PT011
                np.arange(6)[[0, 1]] = value
            with pytest.raises(wanted.type):
                x[[0, 1]] = value
        assert np.array_equal(x[...], np.arange(6))


FULL = """
import os, subprocess, sys, numpy as np, takewise
folder = sys.argv[1]
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder]).returncode:
    sys.exit(77)
path = folder + "/x.npy"
with open(path, "wb") as f:
    np.lib.format.write_array_header_1_0(f, {"descr": "<f8", "fortran_order": False, "shape": (4_000_000,)})
    f.write(np.arange(1024.0).tobytes())
    f.truncate(f.tell() - 8192 + 32_000_000)
x = takewise.open(path, mode="r+")
writes = (
    lambda: x.__setitem__(np.arange(2000, 4_000_000, 600), 1.0),
    lambda: takewise.put_(x, np.arange(2000, 4_000_000, 512), 3.0),
    lambda: x.__setitem__(slice(2000, None), 1.0),
)
for write in writes:
    try:
        write()
        print("written")
    except OSError as error:
        print("no space left" in str(error))
    print(np.array_equal(x[:1024], np.arange(1024)))
print(x[3_999_999] in (0, 1))
"""


@pytest.mark.skipif(not LINUX, reason="only there a disk is made of memory")
def test_a_full_disk_is_told_and_takes_nothing_that_was_there(tmp_path):
    done = subprocess.run(["unshare", "-rm", sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no disk can be made here")
    assert done.stderr == ""
    assert done.stdout.split() == ["True"] * 7


def test_files_that_are_damaged_are_refused(tmp_path):
    """Bytes changed at random: an error or an array, and neither a crash nor memory for what a header claims."""
    random = np.random.default_rng(5)
    records = np.zeros(3, [("a", "u1"), ("b", "<f4", (2,)), ("c", "U2")])
    np.save(tmp_path / "x.npy", records)
    np.savez(tmp_path / "x.npz", a=records, b=np.arange(3.0))
    np.savez_compressed(tmp_path / "c.npz", a=np.arange(50))
    safetensors(tmp_path / "x.safetensors", a=("F32", [2], bytes(8)), b=("BF16", [2], bytes(4)), c=("F8_E4M3", [4], bytes(4)))
    opened = 0
    for name, key in (("x.npy", None), ("x.npz", "a"), ("c.npz", None), ("x.safetensors", "b")):
        whole = np.frombuffer((tmp_path / name).read_bytes(), "u1")
        for turn in range(250):
            bad = whole.copy()
            at = random.integers(0, min(len(bad), 400), random.integers(1, 4))
            bad[at] = random.integers(0, 256, at.size) if turn % 2 else random.choice(list(b"0123456789(),[]'|<>V{}:"), at.size)
            (tmp_path / "bad").write_bytes(bad[: random.integers(1, len(bad))].tobytes() if turn % 5 == 0 else bad.tobytes())
            try:
                x = takewise.open(tmp_path / "bad", key)
                x[...]
                opened += 1
            except (ValueError, TypeError, OSError, MemoryError):
                pass
    assert opened > 100


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        takewise.open(tmp_path / "none.npy")
    with pytest.raises(IsADirectoryError):
        takewise.open(tmp_path)
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00")
    with pytest.raises(ValueError, match="npy"):
        takewise.open(tmp_path / "bad.npy")


@pytest.mark.parametrize("rows", [[8000, 3], list(range(16384)), 8000], ids=["asked", "touched", "one"])
def test_a_file_cut_short_is_an_error(path, rows):
    x = takewise.open(path)
    os.truncate(path, 512_128)
    with pytest.raises(OSError, match="was cut short while it was in use: it had 8388736 bytes and has 512128"):
        x[rows]
    with pytest.raises(OSError, match="cut short"):
        takewise.take(x, [3])
    x.close()


@pytest.mark.skipif(not LINUX, reason="mappings of others are known on Linux")
class TestMemmap:
    def test_it_is_known_by_its_base(self, path, table):
        m = np.load(path, mmap_mode="r")
        rows = np.array([8000, 3, 4])
        for x in (m, np.asarray(m), m[10:], m.T.T, m.view(np.ndarray).reshape(16384, 2, 64)):
            assert requests(takewise.take, x, rows, 0) == 2, type(x)
            assert np.array_equal(takewise.take(x, rows, 0), np.take(x, rows, 0))
        assert requests(takewise.take, m, np.arange(16384), 0) is None
        assert requests(takewise.take, table, rows, 0) is None
        assert type(takewise.index(m, slice(0, 3))) is np.ndarray
        assert np.shares_memory(takewise.index(m, slice(0, 3)), m), "views stay views"

    def test_what_is_written_is_read(self, path, table):
        for mode in ("r+", "c"):
            m = np.load(path, mmap_mode=mode)
            m[5] = 1
            takewise.at(m)[6000].set_(2)
            assert np.array_equal(takewise.take(m, [5, 6000, 7], 0), [[1] * 128, [2] * 128, table[7]])
            assert np.array_equal(takewise.take(m, [5000], 0), table[[5000]])
            del m
        x = np.load(path)
        assert x[5, 0] == 1 and x[6000, 0] == 2

    def test_a_mapping_that_was_closed_is_forgotten(self, path):
        m = np.load(path, mmap_mode="r")
        assert requests(takewise.take, m, [5, 8000], 0) == 2
        size = 8388736
        at = m.__array_interface__["data"][0]
        m._mmap.close()
        # Something else may lie there now.
        other = mmap.mmap(-1, size + PAGE)
        x = np.frombuffer(other, "f4", 1 << 21).reshape(16384, 128)
        other_at = x.__array_interface__["data"][0]
        assert not takewise.take(x, [5, 8000], 0).any(), (at, other_at)
        assert requests(takewise.take, x, [5, 8000], 0) is None
        del x

    def test_another_file_of_the_same_name_is_not_read(self, path, table):
        m = np.load(path, mmap_mode="r")
        os.rename(path, path.with_suffix(".old"))
        np.save(path, np.zeros_like(table))
        assert np.array_equal(takewise.take(m, [5, 8000], 0), table[[5, 8000]])
        os.unlink(path.with_suffix(".old"))
        assert np.array_equal(takewise.take(m, [5, 8000], 0), table[[5, 8000]])

    def test_a_file_cut_short_is_an_error_where_it_is_asked(self, path):
        m = np.load(path, mmap_mode="r")
        os.truncate(path, 512_128)
        with pytest.raises(OSError, match="cut short"):
            takewise.take(m, [3, 8000], 0)


def test_files_are_let_go(path):
    x = takewise.open(path)
    x[[3]]
    x.close()
    del x
    gc.collect()
    with open("/proc/self/maps") if LINUX else io.StringIO() as maps:
        assert str(path) not in maps.read()


WRITER = """
import sys, numpy as np, takewise
x = takewise.open(sys.argv[1], mode="r+")
print("ready", flush=True)
while True:
    for value in (1, 2):
        x[np.arange(0, 16384, 3)] = value
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not killed so here")
def test_a_killed_writer_leaves_elements_as_they_were_or_as_it_wrote_them(path, table):
    random = np.random.default_rng(5)
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout.readline().strip() == b"ready"
            time.sleep(random.random() * 0.05)
            writer.kill()
        got = np.load(path)
        assert got.shape == table.shape and np.array_equal(np.delete(got, np.s_[::3], 0), np.delete(table, np.s_[::3], 0))
        assert ((got[::3] == 1) | (got[::3] == 2) | (got[::3] == table[::3])).all()


def from_disk():
    with open("/proc/self/io") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("read_bytes"))


@pytest.mark.skipif(not LINUX, reason="the system tells what it read")
def test_a_cold_file_is_read_where_it_is_touched(tmp_path, table):
    path = tmp_path / "large.npy"
    np.save(path, np.tile(table, (16, 1)))
    rows = np.arange(100) * 1009 + 17
    touched = (len({(128 + 512 * r) // PAGE for r in rows} | {(128 + 512 * r + 511) // PAGE for r in rows}) + 1) * PAGE
    x = None
    for by_open in (True, False):
        # NumPy reads a header with what the system reads ahead of it.
        m = None if by_open else np.load(path, mmap_mode="r")
        cold = forget(path)
        before = from_disk()
        if by_open:
            x = takewise.open(path)
        got = x[rows] if by_open else takewise.take(m, rows, 0)
        read = from_disk() - before
        assert np.array_equal(got, table[rows % 16384])
        assert read <= 2 * touched
        assert not by_open or not cold or x.requested[1] == 100 * 512
