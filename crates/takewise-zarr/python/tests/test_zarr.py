"""What is read is what NumPy reads from the whole array, of stores that zarr-python and tensorstore wrote."""

import json
import pathlib

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec

import takewise
import takewise_zarr

SHAPE, CHUNKS, SHARDS = (13, 10, 7), (3, 4, 7), (6, 8, 7)
X = np.arange(np.prod(SHAPE)).reshape(SHAPE)

KINDS = {
    "v2": dict(zarr_format=2),
    "v2 order F": dict(zarr_format=2, order="F"),
    "v2 raw": dict(zarr_format=2, compressors=None),
    "v2 slashes": dict(zarr_format=2, chunk_key_encoding={"name": "v2", "separator": "/"}),
    "v3": dict(zarr_format=3),
    "v3 raw": dict(zarr_format=3, compressors=None),
    "v3 big-endian": dict(zarr_format=3, serializer=BytesCodec(endian="big")),
    "v3 blosc": dict(zarr_format=3, compressors=BloscCodec(cname="lz4", shuffle="bitshuffle")),
    "v3 gzip and crc32c": dict(zarr_format=3, compressors=[GzipCodec(), Crc32cCodec()]),
    "v3 transpose": dict(zarr_format=3, filters=[TransposeCodec(order=(2, 0, 1))]),
    "v3 dots": dict(zarr_format=3, chunk_key_encoding={"name": "default", "separator": "."}),
    "sharded": dict(zarr_format=3, shards=SHARDS),
    "sharded raw": dict(zarr_format=3, shards=SHARDS, compressors=None),
    "sharded transpose": dict(zarr_format=3, shards=SHARDS, filters=[TransposeCodec(order=(2, 0, 1))]),
}


def store(folder, data=X, **how):
    how = {"chunks": CHUNKS, **how}
    z = zarr.create_array(str(folder), shape=data.shape, dtype=data.dtype, overwrite=True, **how)
    z[...] = data
    return takewise_zarr.open(folder)


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    root = tmp_path_factory.mktemp("zarr")
    return {name: store(root / name.replace(" ", "-"), **how) for name, how in KINDS.items()}


KEYS = [
    (),
    ...,
    3,
    (-1, 2, 6),
    (3, ..., -7),
    slice(None, None, -5),
    (slice(2, 12, 4), slice(8, 1, -3)),
    [12, 0, 12, 5],
    ([12, 0, -1], [3, 3, 9]),
    ([[1], [2]], slice(None), [6, 0, 3]),
    (slice(None), None, [0, 9], 2),
    (5, [1, 2], slice(None, None, 2)),
    X % 5 == 0,
    (slice(None), X[0] % 3 == 1),
    (X[:, 0, 0] % 2 == 0, 0),
    (np.array([3, 1], np.uint8), np.array(2)),
    ([], slice(None)),
    (slice(5, 5),),
    True,
    (False, 0),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_every_store(arrays, kind):
    x = arrays[kind]
    assert (x.shape, x.dtype, x.chunks) == (SHAPE, X.dtype, CHUNKS)
    assert x.shards == KINDS[kind].get("shards") and x.zarr_format == KINDS[kind]["zarr_format"]
    for key in KEYS:
        got, want = x[key], X[key]
        np.testing.assert_array_equal(got, want)
        assert (type(got), np.shape(got)) == (type(want), np.shape(want)), key


@pytest.mark.parametrize("kind", ["v2", "v3", "sharded"])
def test_other_ways(arrays, kind):
    x = arrays[kind]
    i, j = np.array([12, 0, 5, 5]), np.array([1, 9, 2, 0])
    np.testing.assert_array_equal(x.oindex[i, j[:2], ::-2], X[np.ix_(i, j[:2])][..., ::-2])
    np.testing.assert_array_equal(x.oindex[:, X[0, :, 0] > 30], X[:, X[0, :, 0] > 30])
    np.testing.assert_array_equal(x.vindex[i, :, j % 7], takewise.vindex(X, (i, slice(None), j % 7)))
    for axis in (0, 1, 2, -1):
        n = SHAPE[axis]
        index = np.array([[0, n - 1], [-n, 1]])
        np.testing.assert_array_equal(x.take(index, axis), np.take(X, index, axis))
        order = np.argsort(-X % 11, axis)
        np.testing.assert_array_equal(x.take_along_axis(order, axis), np.take_along_axis(X, order, axis))
    np.testing.assert_array_equal(x.take([[909, 0], [-1, 77]]), np.take(X, [[909, 0], [-1, 77]]))
    np.testing.assert_array_equal(x.gather_nd([[[1, 2], [12, 9]]]), X[[[1, 12]], [[2, 9]]])
    np.testing.assert_array_equal(np.asarray(x), X)
    assert len(x) == 13


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", ">f8"])
@pytest.mark.parametrize("how", [dict(zarr_format=2), dict(zarr_format=3, shards=(6, 8))], ids=["v2", "sharded"])
def test_every_dtype(tmp_path, dtype, how):
    data = np.random.default_rng(1).integers(-99, 99, (9, 10)).astype(dtype)
    z = zarr.create_array(str(tmp_path), shape=data.shape, dtype=dtype, chunks=(3, 4), fill_value=1, **how)
    z[:4, :5] = data[:4, :5]
    x = takewise_zarr.open(tmp_path)
    assert x.dtype == data.dtype.newbyteorder("=")
    np.testing.assert_array_equal(x[::-1, [9, 0, 4]], z[:][::-1, [9, 0, 4]])


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


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(["v2", "v3", "sharded", "sharded raw"]), entries=st.tuples(*map(entry, SHAPE)), data=st.data())
def test_random_keys(arrays, kind, entries, data):
    key = entries[: data.draw(st.integers(0, 3))]
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(key)))
        key = (*key[:at], data.draw(st.sampled_from([None, ...])), *key[at:])
        if Ellipsis in [e for e in key if e is Ellipsis] and at < len(key) - 1:
            # What stands behind an ellipsis speaks of the last axes.
            key = key[: at + 1]
    np.testing.assert_array_equal(arrays[kind][key], X[key])


def test_what_is_touched_is_read_once(arrays, tmp_path):
    x = takewise_zarr.open(pathlib.Path(arrays["sharded"]._name))
    rows = np.tile([0, 12], 1000)
    np.testing.assert_array_equal(x[rows, 0, 0], X[rows, 0, 0])
    # Two shards, of each the index and one chunk.
    assert (x.traffic.requests, x.traffic.decoded) == (4, 2)
    x[rows, 1, 1]
    assert (x.traffic.requests, x.traffic.decoded) == (6, 4)
    plain = takewise_zarr.open(pathlib.Path(arrays["v3"]._name))
    plain[5, 5]
    assert (plain.traffic.requests, plain.traffic.decoded) == (1, 1)


def test_near_chunks_are_read_at_once(tmp_path):
    data = np.random.default_rng(2).integers(0, 99, (64, 64)).astype("i4")
    store(tmp_path, data, chunks=(8, 8), shards=(64, 64), compressors=None)
    key = ([0, 1, 63], [0, 63, 63])
    for gap, requests in [(0, 4), (1 << 20, 2)]:
        x = takewise_zarr.open(tmp_path, gap=gap)
        np.testing.assert_array_equal(x[key], data[key])
        assert x.traffic.requests == requests and x.traffic.decoded == 3
    # Chunks side by side need no gap.
    x = takewise_zarr.open(tmp_path, gap=0)
    np.testing.assert_array_equal(x[...], data)
    assert x.traffic.requests == 2 and x.traffic.decoded == 64


def test_a_shard_that_changes_is_seen(tmp_path):
    x = store(tmp_path, X, chunks=CHUNKS, shards=SHARDS)
    assert x[0, 0, 0] == 0
    zarr.open_array(str(tmp_path))[0] = 77
    assert x[0, 0, 0] == 77


def test_what_was_never_written_is_the_fill_value(tmp_path):
    for shards in (None, (6, 8)):
        z = zarr.create_array(str(tmp_path), shape=(9, 9), chunks=(3, 4), shards=shards, dtype="f8", fill_value=np.nan, overwrite=True)
        z[0, 0] = 5
        x = takewise_zarr.open(tmp_path)
        np.testing.assert_array_equal(x[[8, 0], [8, 0]], [np.nan, 5])
        np.testing.assert_array_equal(x[4:], z[4:])


def test_operators_are_numpys(tmp_path):
    whole = np.array([[0, 4, 0, 5, 1]] * 7, "i4")
    x = takewise_zarr.create(tmp_path / "x", shape=whole.shape, dtype="i4", chunks=(2, 3))
    x[...] = whole
    for got, want in [(x == 4, whole == 4), (4 != x, whole != 4), (x == whole, whole == whole), (x < 2, whole < 2), (x + 1, whole + 1)]:
        assert got.dtype == want.dtype and np.array_equal(got, want)
    assert 5 in x and 7 not in x
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    x[x != 0] = 1
    x += 1
    np.testing.assert_array_equal(takewise_zarr.open(tmp_path / "x")[...], (whole != 0) + 1)


PYTHONS = {"nan": float("nan"), "least": float("-inf"), "text": 'NaN, "Infinity" \\', "list": [float("inf"), {"NaN": 1}]}
FILLS = [
    ("i4", 1.0, 1), ("i8", -(2.0**63), -(2**63)), ("u8", 2.0**63, 2**63), ("u1", 255.0, 255), ("f4", 3, 3), ("f8", float("nan"), np.nan),
    ("f4", float("-inf"), -np.inf), ("f4", "Infinity", np.inf), ("c8", [float("nan"), 1.0], complex(np.nan, 1)), ("i4", 0, 0), ("f8", 0, 0),
    ("b1", 0, False), ("b1", 1.0, True), ("b1", True, True),
]  # fmt: skip


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype, fill, value", FILLS)
def test_metadata_as_python_writes_them(tmp_path, zarr_format, dtype, fill, value):
    takewise_zarr.create(tmp_path, shape=3, dtype=dtype, chunks=2, zarr_format=zarr_format)
    file = tmp_path / ("zarr.json" if zarr_format == 3 else ".zarray")
    known = json.loads(file.read_text())
    file.write_text(json.dumps({**known, "fill_value": fill, **({"attributes": PYTHONS} if zarr_format == 3 else {})}))
    np.testing.assert_array_equal(takewise_zarr.open(tmp_path)[[2, 0]], np.array([value] * 2, dtype))
    np.testing.assert_array_equal(takewise_zarr.open(tmp_path)[...], zarr.open_array(str(tmp_path), mode="r")[...])
    file.write_text(json.dumps({**known, "fill_value": 1.5}))
    if np.dtype(dtype).kind in "iu":
        with pytest.raises(NotImplementedError, match="fill value"):
            takewise_zarr.open(tmp_path)


@pytest.mark.parametrize("dtype", ["b1", "i4", "f8", "c8"])
def test_version_2_may_have_no_fill_value(tmp_path, dtype):
    z = zarr.create_array(str(tmp_path), shape=3, dtype=dtype, chunks=2, fill_value=None, zarr_format=2)
    np.testing.assert_array_equal(takewise_zarr.open(tmp_path)[...], z[...])


def test_errors_name_axis_value_and_position(arrays):
    x = arrays["sharded"]
    with pytest.raises(IndexError, match=r"index 10 is out of bounds for axis 1 with size 10 \(position \[1, 0\]") as error:
        x[0, [[3], [10]]]
    assert (error.value.axis, error.value.value, error.value.size, error.value.position) == (1, 10, 10, (1, 0))
    before = x.traffic
    with pytest.raises(IndexError, match="too many"):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError, match="mask"):
        x[np.ones(12, bool)]
    with pytest.raises(IndexError, match="broadcast"):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(TypeError, match="float64"):
        x[[0.5]]
    with pytest.raises(IndexError):
        x.take([13], 0)
    with pytest.raises(IndexError):
        x.take([910])
    with pytest.raises(np.exceptions.AxisError):
        x.take([0], 3)
    with pytest.raises(ValueError, match="fresh memory"):
        x.__array__(copy=False)
    assert x.traffic == before


@pytest.mark.filterwarnings("ignore:The data type")
def test_what_is_not_read_is_refused_by_name(tmp_path):
    def refused(match, error=NotImplementedError, path=tmp_path):
        with pytest.raises(error, match=match):
            takewise_zarr.open(path)

    refused("neither zarr.json nor .zarray", OSError)
    refused("stores behind ftp:// are not known", path="ftp://host/x")
    zarr.create_group(str(tmp_path), overwrite=True).create_array("inner", shape=(3,), dtype="i4")
    refused("is a group: open an array in it. It holds inner")
    zarr.create_array(str(tmp_path), shape=(3,), dtype=str, overwrite=True)
    refused('type "string" have no fixed size')
    zarr.create_array(str(tmp_path), shape=(3,), dtype=[("a", "i4")], overwrite=True)
    refused("structured.*only numbers, dates, and strings and bytes of a fixed size")
    zarr.create_array(str(tmp_path), shape=(3,), dtype="i4", overwrite=True)
    file = tmp_path / "zarr.json"
    metadata = json.loads(file.read_text())
    for changed, match in [
        ({"codecs": [*metadata["codecs"], {"name": "shrink9"}]}, "shrink9"),
        ({"zarr_format": 4}, "format 4"),
        ({"chunk_grid": {"name": "rectilinear", "configuration": {}}}, "rectilinear"),
        ({"data_type": "int3"}, "int3"),
    ]:
        file.write_text(json.dumps({**metadata, **changed}))
        refused(match)
    file.write_text("{")
    refused("zarr.json", OSError)


def test_damaged_files_are_errors(tmp_path):
    data = np.arange(4096).reshape(64, 64)
    x = store(tmp_path, data, chunks=(8, 8), shards=(32, 32), compressors=[Crc32cCodec()])
    shard = tmp_path / "c" / "0" / "0"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:40])
    with pytest.raises(OSError, match="c/0/0: is a shard of 40 bytes"):
        x[0, 0]
    damaged = bytearray(whole)
    damaged[100] ^= 1
    shard.write_bytes(damaged)
    with pytest.raises(ValueError, match="c/0/0: cannot be decoded"):
        x[:8, :8]
    damaged = bytearray(whole)
    damaged[-40] ^= 255
    shard.write_bytes(damaged)
    with pytest.raises(ValueError, match="its index"):
        x[0, 0]
    # The other shards are as they were.
    np.testing.assert_array_equal(x[32:], data[32:])


@pytest.mark.parametrize("location", ["start", "end"])
def test_shards_of_tensorstore(tmp_path, location):
    ts = pytest.importorskip("tensorstore")
    metadata = {
        "shape": [50, 40],
        "data_type": "uint16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [16, 20]}},
        "codecs": [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [8, 5],
                    "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "zstd", "configuration": {"level": 1}}],
                    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
                    "index_location": location,
                },
            }
        ],
    }
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(tmp_path)}, "metadata": metadata, "create": True}
    data = np.random.default_rng(3).integers(0, 60000, (50, 40)).astype("u2")
    ts.open(spec).result().write(data).result()
    x = takewise_zarr.open(tmp_path)
    i, j = np.random.default_rng(4).integers(0, 40, (2, 500))
    np.testing.assert_array_equal(x[i, j], data[i, j])
    np.testing.assert_array_equal(x[::-7, ::3], data[::-7, ::3])


def test_rows_of_a_sparse_matrix_in_a_store(tmp_path):
    # As anndata keeps one: values, columns, and where each row begins.
    lengths = np.arange(40) % 5
    offsets, values = np.concatenate([[0], np.cumsum(lengths)]), np.arange(lengths.sum()) * 1.5
    data = store(tmp_path / "data", values, chunks=(8,))
    taken, edges = takewise.take_ranges(data, offsets, [39, 0, 3])
    assert np.array_equal(taken, np.concatenate([values[offsets[k] : offsets[k + 1]] for k in (39, 0, 3)]))
    assert edges.tolist() == [0, 4, 4, 7] and data.traffic.decoded < len(values) // 8
    assert np.array_equal(takewise.reduce_ranges(data, offsets, "sum", empty=-1), takewise.reduce_ranges(values, offsets, "sum", empty=-1))
    assert np.array_equal(takewise.reduce_ranges(data, [0, 2, 3], "max", [5, 1, 70]), [max(values[5], values[1]), values[70]])
    rows = store(tmp_path / "offsets", offsets, chunks=(7,))
    for given in (data, values):
        assert np.array_equal(takewise.take_ranges(given, rows, [3])[0], values[offsets[3] : offsets[4]])
