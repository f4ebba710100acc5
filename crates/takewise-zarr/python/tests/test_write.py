"""What is written is what NumPy writes into the whole array, read back by zarr-python and tensorstore."""

import itertools
import os
import pathlib
import sys

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, TransposeCodec

import takewise
import takewise_zarr

SHAPE, CHUNKS, SHARDS = (9, 8, 5), (2, 3, 5), (4, 6, 5)
X = np.arange(np.prod(SHAPE)).reshape(SHAPE)

KINDS = {
    "v2": dict(zarr_format=2),
    "v2 order F": dict(zarr_format=2, order="F"),
    "v3": dict(zarr_format=3),
    "v3 raw big-endian": dict(zarr_format=3, compressors=None, serializer=BytesCodec(endian="big")),
    "v3 blosc": dict(zarr_format=3, compressors=BloscCodec(cname="lz4", shuffle="bitshuffle")),
    "sharded": dict(zarr_format=3, shards=SHARDS),
    "sharded raw": dict(zarr_format=3, shards=SHARDS, compressors=None),
    "sharded transpose": dict(zarr_format=3, shards=SHARDS, filters=[TransposeCodec(order=(2, 0, 1))], compressors=[Crc32cCodec()]),
}


def store(folder, data=X, **how):
    z = zarr.create_array(str(folder), shape=data.shape, dtype=data.dtype, overwrite=True, **{"chunks": CHUNKS, **how})
    z[...] = data
    return takewise_zarr.open(folder, mode="r+")


def back(x):
    """What zarr-python reads."""
    return zarr.open_array(x._name, mode="r")[...]


def tensorstore(x):
    """What tensorstore reads."""
    ts = pytest.importorskip("tensorstore")
    driver = "zarr3" if x.zarr_format == 3 else "zarr"
    return ts.open({"driver": driver, "kvstore": {"driver": "file", "path": x._name}}).result().read().result()


def same(x, want):
    np.testing.assert_array_equal(back(x), want)
    np.testing.assert_array_equal(tensorstore(x), want)
    np.testing.assert_array_equal(x[...], want)


def files(folder):
    return {path: path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


KEYS = [
    ...,
    3,
    (-1, 2, 4),
    (3, ..., -5),
    slice(None, None, -5),
    (slice(2, 9, 4), slice(7, 1, -3)),
    [8, 0, 8, 5],
    ([8, 0, -1], [3, 3, 7]),
    ([[1], [2]], slice(None), [4, 0, 3]),
    (slice(None), None, [0, 7], 2),
    X % 5 == 0,
    (slice(None), X[0] % 3 == 1),
    (X[:, 0, 0] % 2 == 0, 0),
    ([], slice(None)),
    True,
    (False, 0),
    (slice(0, 4), slice(0, 6)),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_every_store(tmp_path, kind):
    x, want = store(tmp_path, **KINDS[kind]), X.copy()
    for n, key in enumerate(KEYS):
        values = 1000 * n + np.arange(want[key].size).reshape(want[key].shape)
        want[key] = values
        x[key] = values
        np.testing.assert_array_equal(back(x), want, err_msg=str(key))
    want[[8, 8], 1], x[[8, 8], 1] = -1, -1
    want[:, 2], x[:, 2] = np.arange(5), np.arange(5)
    want[2:4], x[2:4] = [[[7]]], [[[7]]]
    same(x, want)
    assert not [name for name in files(tmp_path) if name.suffix == ".partial"]


@pytest.mark.parametrize("kind", ["v2", "v3", "sharded"])
def test_other_ways(tmp_path, kind):
    x, want = store(tmp_path, **KINDS[kind]), X.copy()
    i, j = np.array([8, 0, 5, 5]), np.array([1, 7, 2, 1])
    values = np.arange(4 * 2 * 3).reshape(4, 2, 3)
    for a, b, c in itertools.product(range(4), range(2), range(3)):
        want[i[a], j[b], [4, 2, 0][c]] = values[a, b, c]
    x.oindex[i, j[:2], ::-2] = values
    want[i, :, j % 5], x.vindex[i, :, j % 5] = 5, 5
    same(x, want)
    flat = [want.size - 1, 0, -1, 77, 0]
    for given_values in ([1, 2, 3, 4, 5], [6, 7], 8):
        np.put(want, flat, given_values)
        x.put(flat, given_values)
        np.testing.assert_array_equal(x[...], want)
    x.put(flat, [])
    for axis in (0, 1, 2, -1):
        order = np.argsort(-X % 11, axis)
        index = np.take(order, [0, 1], axis)
        np.put_along_axis(want, index, 100 + axis, axis)
        x.put_along_axis(index, 100 + axis, axis)
        np.testing.assert_array_equal(x[...], want)
    index = np.random.default_rng(1).integers(-9, 9, (12, 6, 3))
    src = np.random.default_rng(2).integers(0, 99, (12, 7, 3))
    for how, name in [(None, "scatter"), ("sum", "scatter_add"), ("amax", ""), ("amin", ""), ("prod", "")]:
        if how in (None, "sum"):
            getattr(takewise, name + "_")(want, 0, index, src)
            getattr(x, name)(0, index, src)
        else:
            takewise.scatter_reduce_(want, 0, index, src, how)
            x.scatter_reduce(0, index, src, how)
        np.testing.assert_array_equal(x[...], want)
    for how, include_self in itertools.product(["sum", "prod", "amax", "amin", "mean"], [True, False]):
        takewise.scatter_reduce_(want, 0, index, src, how, include_self)
        x.scatter_reduce(0, index, src, how, include_self)
        np.testing.assert_array_equal(x[...], want)
        x.scatter_reduce(0, index[:2], 3, how, include_self)
        takewise.scatter_reduce_(want, 0, index[:2], np.full((2, 6, 3), 3), how, include_self)
        np.testing.assert_array_equal(x[...], want)
    same(x, want)


def test_means(tmp_path):
    # Means of integers are rounded down, as PyTorch's are, and half floats once.
    index, src = np.array([[1], [1], [3], [1]]), np.array([[-1], [-2], [5], [0]])
    for dtype in ("i4", "u1", "f2", "f4", "f8", "i8", "c8", "?"):
        for shards in (None, (4, 4)):
            x = takewise_zarr.create(tmp_path / f"{dtype}-{shards}", shape=(4, 3), dtype=dtype, chunks=(2, 2), shards=shards, fill_value=7)
            for include_self in (False, True):
                want, values = x[...], np.abs(src).astype(dtype) if dtype == "u1" else src.astype(dtype)
                takewise.scatter_reduce_(want, 0, index, values, "mean", include_self)
                x.scatter_reduce(0, index, values, "mean", include_self)
                np.testing.assert_array_equal(x[...], want)
    # What no old value is needed for is not read.
    x = takewise_zarr.create(tmp_path / "anew", shape=(4,), dtype="f4", chunks=2)
    x[...] = 1
    requests = x.traffic.requests
    x.scatter_reduce(0, [0, 1, 1, 2], np.array([1, 2, 4, 8], "f4"), "mean", include_self=False)
    np.testing.assert_array_equal(x[...], [1, 3, 8, 1])
    assert x.traffic.requests - requests == 3  # one chunk for the write, two for the look


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "i8", "u1", "u2", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", ">f8"])
def test_every_dtype_sums_as_numpy(tmp_path, dtype):
    rng = np.random.default_rng(1)
    data = rng.integers(0, 99, (9, 10)).astype(dtype)
    i, j = rng.integers(0, 9, 40), rng.integers(0, 10, 40)
    values = rng.integers(0, 9, 40).astype(dtype)
    for n, how in enumerate([dict(zarr_format=2), dict(zarr_format=3, shards=(6, 8))]):
        x, want = store(tmp_path / str(n), data, chunks=(3, 4), **how), data.copy()
        np.add.at(want, (i, j), values)
        x.at[i, j].add_(values)
        np.testing.assert_array_equal(x[...], want)
        np.multiply.at(want, (i[:9], slice(None)), values[:9, None])
        x.at[i[:9]].mul_(values[:9, None])
        np.testing.assert_array_equal(x[...], want)
        if np.dtype(dtype).kind != "c":
            np.maximum.at(want, (i, j), values[::-1])
            x.at[i, j].max_(values[::-1])
            np.minimum.at(want, (slice(None), j), values[3])
            x.at[:, j].min_(values[3])
        np.testing.assert_array_equal(back(x), want)


def test_sums_add_in_index_order(tmp_path):
    # Of float32 the order shows: 1e8 - 1e8 + 1 is 1, and 1 + 1e8 - 1e8 is 0.
    x = store(tmp_path, np.zeros((4, 4), "f4"), chunks=(2, 2))
    x.at[[1, 1, 1, 2, 2, 2], 3].add_(np.array([1e8, -1e8, 1, 1, 1e8, -1e8], "f4"))
    assert (x[1, 3], x[2, 3]) == (1, 0)


def test_the_last_of_several_stays_where_zarr_leaves_it_open(tmp_path):
    rng = np.random.default_rng(3)
    i, values = rng.integers(0, 500, 20000), np.arange(20000)
    want = np.zeros(1000, int)
    want[i] = values
    for n, shards in enumerate([None, (100,)]):
        x = store(tmp_path / str(n), np.zeros(1000, int), chunks=(50,), shards=shards)
        x[i] = values
        np.testing.assert_array_equal(back(x), want)


SMALL = list(itertools.product([-2, -1, 0, 1], repeat=2))


@pytest.mark.parametrize("shards", [None, (2, 2)], ids=["plain", "sharded"])
def test_all_pairs_of_points_of_a_small_world(tmp_path, shards):
    """Every two rows and two columns, stored and added: 256 calls on a (2, 3) array in chunks of (1, 2)."""
    x, want = store(tmp_path, np.zeros((2, 3), "i2"), chunks=(1, 2), shards=shards and (2, 4)), np.zeros((2, 3), "i2")
    for n, (i, j) in enumerate(itertools.product(SMALL, SMALL)):
        values = np.array([n, -n], "i2")
        want[i, j] = values
        x[i, j] = values
        np.add.at(want, (j, slice(None)), 1)
        x.at[[*j]].add_(1)
        np.testing.assert_array_equal(x[...], want, err_msg=str((i, j)))
    np.testing.assert_array_equal(back(x), want)


def entry(n):
    ints = st.integers(-n, n - 1)
    bounds = st.none() | st.integers(-n - 2, n + 2)
    return (
        ints
        | st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, 5, -1, -3]))
        | st.lists(ints, min_size=3, max_size=3)
        | st.lists(ints, min_size=1, max_size=1)
        | st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda m: sum(m) in (1, 3)).map(np.array)
    )


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    root = tmp_path_factory.mktemp("zarr")
    return {name: (store(root / name.replace(" ", "-"), **how), X.copy()) for name, how in KINDS.items()}


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(["v2", "v3", "sharded", "sharded raw"]), entries=st.tuples(*map(entry, SHAPE)), data=st.data())
def test_random_keys(arrays, kind, entries, data):
    (x, want), key = arrays[kind], entries[: data.draw(st.integers(0, 3))]
    shape = want[key].shape
    values = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-99, 99, shape)
    if shape and data.draw(st.booleans()):
        values = values[..., :1]
    if data.draw(st.booleans()):
        want[key] = values
        x[key] = values
    else:
        np.add.at(want, key, values)
        x.at[key].add_(values)
    np.testing.assert_array_equal(back(x), want)


def test_what_is_touched_is_read_once_and_what_is_overwritten_never(tmp_path):
    x = store(tmp_path, **KINDS["v3"])
    x[0:2, 0:3] = 5
    assert x.traffic[:4] == (0, 0, 0, 1)
    x[[1, 0, 1, 0], 0:3] = 6  # all of a chunk by positions, some of them twice
    assert x.traffic[:4] == (0, 0, 0, 2)
    x[[1, 1, 1], 0:3] = 7
    assert (x.traffic.requests, x.traffic.decoded, x.traffic.writes) == (1, 1, 3)
    x[np.tile([0, 8], 500), 0, 0] = 8
    assert (x.traffic.requests, x.traffic.decoded, x.traffic.writes) == (3, 3, 5)
    x[8:, 6:] = 9  # the last chunk goes beyond the array
    assert (x.traffic.requests, x.traffic.writes) == (3, 6)
    x.at[8:, 6:].add_(1)
    assert (x.traffic.requests, x.traffic.writes) == (4, 7)
    x = store(tmp_path, **KINDS["sharded"])
    x[0:4, 0:6] = 5
    assert x.traffic[:4] == (0, 0, 0, 1)
    x[0:2, 0:6] = 5  # two of four chunks, each as a whole: the shard is read, none of them is decoded
    assert (x.traffic.requests, x.traffic.decoded, x.traffic.writes) == (1, 0, 2)
    x[0, 0, 0] = 5
    assert (x.traffic.requests, x.traffic.decoded, x.traffic.writes) == (2, 1, 3)


def test_chunks_of_the_fill_value_are_not_stored(tmp_path):
    x = takewise_zarr.create(tmp_path / "x", shape=(4, 4), dtype="f4", chunks=(2, 2), fill_value=-0.0)
    x[...] = 1
    x[:2] = -0.0
    assert sorted(str(path.relative_to(tmp_path / "x")) for path in files(tmp_path / "x")) == ["c/1/0", "c/1/1", "zarr.json"]
    x[2:, :2] = 0.0  # another zero
    assert np.signbit(x[:2]).all() and not np.signbit(x[2:, :2]).any()
    x = takewise_zarr.create(tmp_path / "y", shape=(8,), dtype="i4", chunks=(2,), shards=(4,))
    x[...] = 3
    x[:4] = 0
    assert len(files(tmp_path / "y")) == 2
    x[4:6] = 0
    np.testing.assert_array_equal(back(x), [0, 0, 0, 0, 0, 0, 3, 3])


def test_a_bad_call_writes_nothing(tmp_path):
    x = store(tmp_path, **KINDS["sharded"])
    before = files(tmp_path)
    with pytest.raises(IndexError, match=r"index 8 is out of bounds for axis 1 with size 8 \(position \[1, 0\]") as error:
        x[0, [[3], [8]]] = 1
    assert (error.value.axis, error.value.value, error.value.size, error.value.position) == (1, 8, 8, (1, 0))
    for bad, kind in [
        (lambda: x.put([0, 360], 1), IndexError),
        (lambda: x.put_along_axis(np.full((9, 8, 1), 5), 1, 2), IndexError),
        (lambda: x.scatter_add(0, np.full((1, 1, 1), -10), 1), IndexError),
        (lambda: x.scatter_add(0, np.zeros((1, 9, 1), int), 1), ValueError),
        (lambda: x.scatter_add(0, [0], 1), ValueError),
        (lambda: x.scatter_reduce(0, np.zeros((1, 1, 1), int), 1, "median"), ValueError),
        (lambda: x.scatter_reduce(0, np.full((1, 1, 1), 9), 1, "mean", include_self=False), IndexError),
        (lambda: x.__setitem__(([0, 1], 0), np.zeros((3, 5))), ValueError),
        (lambda: x.__setitem__(0, "five"), ValueError),
        (lambda: x.at[0].add_(0.5), TypeError),
        (lambda: x.oindex.__setitem__(([9],), 1), IndexError),
        (lambda: x.__setitem__((0, 0, 0, 0), 1), IndexError),
        (lambda: takewise_zarr.open(tmp_path).__setitem__(0, 1), ValueError),
    ]:
        with pytest.raises(kind):
            bad()
    assert files(tmp_path) == before
    with pytest.raises(ValueError, match=r"values of shape \[3\] do not broadcast to \[2, 5\]"):
        x[[0, 1], 0] = [1, 2, 3]
    with pytest.raises(ValueError, match=r"open it with mode='r\+'"):
        takewise_zarr.open(tmp_path)[0] = 1
    with pytest.raises(ValueError, match="mode is"):
        takewise_zarr.open(tmp_path, mode="w")
    small = store(tmp_path / "small", np.zeros(4, "i1"), chunks=(2,))
    with pytest.raises(OverflowError):
        small[0] = 300


def test_a_chunk_that_cannot_be_read_leaves_the_array_as_it_was(tmp_path):
    for kind in ("v3", "sharded"):
        folder = tmp_path / kind
        x = store(folder, **KINDS[kind])
        bad = folder / "c" / "2" / "1" / "0"
        bad.write_bytes(bad.read_bytes()[:-9])
        before = files(folder)
        with pytest.raises((OSError, ValueError), match="c/2/1/0"):
            x[:, :, 0] = 1
        assert files(folder) == before


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="no folder is closed to who runs this")
def test_a_folder_that_cannot_be_written_leaves_the_array_as_it_was(tmp_path):
    x = store(tmp_path, **KINDS["v3"])
    closed = tmp_path / "c" / "4"
    for folder in closed.iterdir():
        folder.chmod(0o500)
    before = files(tmp_path)
    try:
        with pytest.raises(OSError, match="c/4"):
            x[:, :, 0] = 1
    finally:
        for folder in closed.iterdir():
            folder.chmod(0o700)
    assert files(tmp_path) == before


def test_a_file_that_is_in_the_way_leaves_the_array_as_it_was(tmp_path):
    x = takewise_zarr.create(tmp_path, shape=(8, 8), dtype="i4", chunks=(2, 2))
    x[:4] = 1
    (tmp_path / "c" / "3").write_text("a file where a folder is to be")
    before = files(tmp_path)
    with pytest.raises(OSError, match="c/3"):
        x[...] = 2
    assert files(tmp_path) == before


def test_several_threads_write_one_array(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    x = store(tmp_path, np.zeros((64, 8), "i8"), chunks=(8, 8))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: x.at[[k, 63]].add_(k), range(63)))
    want = np.repeat(np.arange(64), 8).reshape(64, 8)
    want[63] = sum(range(63))
    np.testing.assert_array_equal(back(x), want)


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("compressor", ["zstd", "gzip", "blosc", None])
def test_arrays_made_here_are_read_elsewhere(tmp_path, dtype, compressor):
    rng = np.random.default_rng(5)
    data = rng.integers(0, 9, (7, 10)).astype(dtype)
    for n, (how, fill) in enumerate(itertools.product([dict(zarr_format=2), dict(), dict(shards=(6, 8))], [0, 1])):
        x = takewise_zarr.create(
            tmp_path / str(n), shape=data.shape, dtype=dtype, chunks=(3, 4), compressor=compressor, fill_value=fill, **how
        )
        assert (x.shape, x.dtype, x.chunks, x.shards) == (data.shape, data.dtype, (3, 4), how.get("shards"))
        x[:5, [9, 0, 4]] = data[:5, [9, 0, 4]]
        want = np.full(data.shape, fill, dtype)
        want[:5, [9, 0, 4]] = data[:5, [9, 0, 4]]
        same(x, want)
        z = zarr.open_array(x._name, mode="r+")
        z[6] = data[6]
        np.testing.assert_array_equal(x[6], data[6])


@pytest.mark.parametrize("fill", [float("nan"), float("inf"), -float("inf"), 1.5, -0.0])
def test_fill_values(tmp_path, fill):
    for n, (dtype, version) in enumerate(itertools.product(["f4", "f8", "c8"], [2, 3])):
        value = complex(fill, 1) if dtype == "c8" else fill
        x = takewise_zarr.create(tmp_path / str(n), shape=3, dtype=dtype, chunks=2, fill_value=value, zarr_format=version)
        assert back(x).tobytes() == x[...].tobytes() == np.full(3, value, dtype).tobytes()


def test_arrays_without_axes_and_without_elements(tmp_path):
    x = takewise_zarr.create(tmp_path / "x", shape=(), dtype="i4", chunks=())
    x[()] = 5
    x.at[...].add_(2)
    assert x[()] == 7 and back(x) == 7
    np.testing.assert_array_equal(x.take([[0, -1]]), [[7, 7]])
    with pytest.raises(IndexError):
        x.take([1])
    x.put([0, -1], [8, 9])
    assert x[...] == 9
    with pytest.raises(IndexError):
        x.put([1], 3)
    assert x[...] == 9
    x = takewise_zarr.create(tmp_path / "y", shape=(0, 3), dtype="i4", chunks=(2, 2))
    x[...] = 1
    x[:, [0, 2]] = 2
    assert x[...].shape == (0, 3) and len(files(tmp_path / "y")) == 1


def test_creation_is_refused_with_its_reason(tmp_path):
    def refused(match, error=ValueError, **how):
        with pytest.raises(error, match=match):
            takewise_zarr.create(tmp_path / "x", **{"shape": (4, 4), "dtype": "i4", "chunks": (2, 2), **how})
        assert not (tmp_path / "x").exists()

    refused("do not cut", chunks=(2,))
    refused("do not cut", chunks=(2, 0))
    refused("not made of whole chunks", shards=(3, 4))
    refused("has no shards", shards=(4, 4), zarr_format=2)
    refused("version 4", zarr_format=4)
    refused("compressor is", compressor="brotli")
    refused("numbers, not", TypeError, dtype="U3")
    refused("level", compressor="gzip", level=-1)
    refused("out of bounds", (OverflowError, ValueError), dtype="u1", fill_value=300)
    takewise_zarr.create(tmp_path / "x", shape=3, dtype="i4", chunks=2)[...] = 1
    before = files(tmp_path)
    with pytest.raises(OSError, match="already"):
        takewise_zarr.create(tmp_path / "x", shape=3, dtype="i4", chunks=2)
    assert files(tmp_path) == before


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_integers_of_more_than_64_bits_are_named(tmp_path, number):
    x = takewise_zarr.create(tmp_path, shape=(4, 4), dtype="i4", chunks=(2, 2))
    for key in [(0, number), (0, [[1, number]]), (slice(None), np.array([number], object))]:
        with pytest.raises(IndexError, match=f"index {number} is out of bounds for axis 1 with size 4") as error:
            x[key]
        assert (error.value.value, error.value.axis) == (number, 1)
    with pytest.raises(IndexError, match=f"index {number} "):
        x.take([0, number])
    assert x[:number].shape == ((4, 4) if number > 0 else (0, 4))
