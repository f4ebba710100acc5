"""Tables and models by takewise.open: rows are those of the whole, and what is not asked for is not read."""

import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import takewise

ROWS = 1000
COLUMNS = {
    "n": np.arange(ROWS) * 3,
    "x": np.linspace(0, 1, ROWS, dtype="f4"),
    "t": np.arange(ROWS) % 3 == 0,
    "v": np.arange(2 * ROWS, dtype="f8").reshape(ROWS, 2),
    "stamp": np.arange(ROWS).astype("M8[us]"),
    "day": np.arange(ROWS).astype("M8[D]"),
    "text": np.arange(ROWS).astype("U3"),
}
KINDS = ["parquet", "arrow", "compressed", "arrows"]


def written(folder, kind):
    lists = pa.FixedSizeListArray.from_arrays(pa.array(COLUMNS["v"].ravel()), 2)
    gaps = pa.array([None if k == 500 else k for k in range(ROWS)])
    stamps, days = pa.array(COLUMNS["stamp"]), pa.array(COLUMNS["day"])
    table = pa.table({**{name: COLUMNS[name] for name in "nxt"}, "v": lists, "stamp": stamps, "day": days, "gaps": gaps, "text": COLUMNS["text"].tolist()})
    path = folder / f"table.{kind}"
    match kind:
        case "parquet":
            pq.write_table(table, path, row_group_size=300, data_page_size=256, write_page_index=True, use_dictionary=["n"])
        case "arrow" | "compressed":
            pyarrow.feather.write_feather(table, path, compression="zstd" if kind == "compressed" else "uncompressed", chunksize=300)
        case "arrows":
            with pa.ipc.new_stream(str(path), table.schema) as stream:
                stream.write_table(table, max_chunksize=300)
    return path


@pytest.fixture(scope="module", params=KINDS)
def path(request, tmp_path_factory):
    return written(tmp_path_factory.mktemp("tables"), request.param)


IDS = np.array([999, 0, 3, 3, -1, 301, 299, 300])
KEYS = [0, -1, [5, 5, 2], IDS, IDS.reshape(2, 4), IDS[:3].astype("i2"), slice(2, 900, 7), slice(None, None, -1), slice(5, 2), ..., None, (None, IDS), []]


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_are_those_of_the_whole(path, name):
    want = COLUMNS[name]
    x = takewise.open(path, name)
    assert (x.shape, x.dtype, len(x), x.ndim, x.nbytes) == (want.shape, want.dtype, ROWS, want.ndim, want.nbytes)
    for key in [*KEYS, np.arange(ROWS) % 5 == 0]:
        got = x[key]
        # NumPy's own text of one element is as wide as its letters.
        assert type(got) is type(want[key]) and got.dtype == want[key].dtype and np.array_equal(got, want[key]), key
    assert np.array_equal(takewise.open(f"{path}#{name}")[IDS], want[IDS])
    assert np.array_equal(np.asarray(x), want) and np.array_equal(x.prefetch(IDS).result(), want[IDS])
    assert np.array_equal(pickle.loads(pickle.dumps(x))[IDS], want[IDS])
    assert np.array_equal(np.stack(x.__getitems__([7, 2])), want[[7, 2]])


def test_columns_side_by_side(path):
    x = takewise.open(path, "n,x")
    want = np.stack([COLUMNS["n"], COLUMNS["x"]], 1)
    assert (x.shape, x.dtype) == (want.shape, want.dtype)
    assert np.array_equal(x[IDS, 1], want[IDS, 1]) and np.array_equal(x[4:8], want[4:8]) and x[3, 0] == 9
    x = takewise.open(path, "v")
    assert np.array_equal(x[IDS, [1]], COLUMNS["v"][IDS, [1]]) and np.array_equal(x[5:9, ::-1], COLUMNS["v"][5:9, ::-1])


def test_texts_are_keys(path, tmp_path):
    x, sold = takewise.open(path, "text"), takewise.open(path, "n")
    names, code = np.unique(x, return_inverse=True)
    assert np.array_equal(takewise.scatter_add(np.zeros(ROWS, "i8"), 0, code, sold)[np.searchsorted(names, "42")], 126)
    assert np.array_equal(x == "42", COLUMNS["text"] == "42") and takewise.isin(x, ["7", "x"]).nonzero()[0].tolist() == [7]
    assert takewise.searchsorted(names, x[:3]).tolist() == np.searchsorted(names, COLUMNS["text"][:3]).tolist()
    pq.write_table(pa.table({"city": ["Riga", None]}), tmp_path / "gaps.parquet")
    with pytest.raises(ValueError, match="column 'city' has nulls in 1 row, the first is row 1"):
        takewise.open(tmp_path / "gaps.parquet", "city")


def test_functions_read_rows(path):
    x, want = takewise.open(path, "v"), COLUMNS["v"]
    assert np.array_equal(takewise.take(x, IDS, axis=0), want[IDS])
    assert np.array_equal(takewise.take(x, [1999, 2]), want.ravel()[[1999, 2]])
    assert np.array_equal(takewise.take(x, [5, 2000], axis=0, bounds="clip"), want[[5, 999]])
    assert np.array_equal(takewise.index_select(x, 0, [5, 1001], bounds="fill", fill_value=-7), [want[5], [-7, -7]])
    assert np.array_equal(takewise.gather(x, 0, [[7, 3]]), [[want[7, 0], want[3, 1]]])
    assert np.array_equal(takewise.gather_nd(x, [[7, 1], [0, 0]]), want[[7, 0], [1, 0]])
    assert np.array_equal(takewise.masked_select(x, want > 1995), want[want > 1995])
    assert np.array_equal(takewise.index(x, (slice(2, 5), 1)), want[2:5, 1])
    out = np.empty((2, 2))
    takewise.take(x, [8, 9], axis=0, out=out)
    assert np.array_equal(out, want[8:10])
    with pytest.raises(IndexError, match=r"take: index 1000 is out of bounds for axis 0 with size 1000 \(position \[1\] of the index\)"):
        takewise.take(x, [5, 1000], axis=0, bounds="raise")
    with pytest.raises(TypeError, match="TableArray"):
        takewise.put_(x, [0], 1.0)


def test_what_is_wrong_is_told(path, tmp_path):
    x = takewise.open(path, "gaps")
    assert x[[1, 2, 999]].tolist() == [1, 2, 999]
    with pytest.raises(ValueError, match=r"column 'gaps' has nulls in 1 row, the first is row 500"):
        x[498:503]
    with pytest.raises(IndexError, match=r"index 1000 is out of bounds for axis 0 with size 1000 \(position \[0\]"):
        x[[1000]]
    with pytest.raises(ValueError, match="has no column 'y'; it holds: n, x, t, v, stamp, day, gaps, text"):
        takewise.open(path, "y")
    with pytest.raises(ValueError, match="columns of text and of other values; choose one kind"):
        takewise.open(path, "text,n")
    with pytest.raises(ValueError, match="mode is for files of arrays"):
        takewise.open(path, "n", mode="r+")
    with pytest.raises(FileNotFoundError):
        takewise.open(tmp_path / "nowhere.parquet", "n")
    copy = tmp_path / "copy"
    copy.write_bytes(path.read_bytes())
    with takewise.open(copy, "n") as x:
        pickled = pickle.dumps(x)
        os.utime(copy, ns=(1, 1))
        with pytest.raises(OSError, match="was changed since it was opened"):
            x[3]
    with pytest.raises(ValueError, match="closed"):
        x[3]
    with pytest.raises(OSError, match="was changed since"):
        pickle.loads(pickled)
    copy.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="cut short"):
        takewise.open(copy, "n")


def test_pages_that_are_not_asked_for_are_not_read(tmp_path):
    path = tmp_path / "long.parquet"
    values = np.random.default_rng(1).standard_normal(1 << 20)
    pq.write_table(pa.table({"x": values}), path, use_dictionary=False, data_page_size=1 << 13, write_page_index=True, row_group_size=1 << 20)
    before = _read()
    x = takewise.open(path, "x")
    assert np.array_equal(x[[7, 1 << 19]], values[[7, 1 << 19]])
    assert _read() - before < 1 << 20 < path.stat().st_size


def _read():
    """Bytes that this process has asked files for."""
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


def test_a_store_by_the_same_name(tmp_path):
    takewise.zarr.create(tmp_path / "a.zarr", shape=(4, 3), dtype="i4", chunks=(2, 2))[...] = np.arange(12).reshape(4, 3)
    with pytest.raises(ValueError, match="cache is for files of arrays"):
        takewise.open(tmp_path / "a.zarr", cache=1)
    x = takewise.open(tmp_path / "a.zarr", mode="r+")
    x[0, 0] = 7
    assert takewise.open(tmp_path / "a.zarr")[[0, 3], 0].tolist() == [7, 9]
    # Functions read what a call touches, and not all of it.
    x = takewise.open(tmp_path / "a.zarr")
    assert takewise.take(x, [3], axis=0).tolist() == [[9, 10, 11]] and x.traffic.decoded == 2


def test_models_of_llama_cpp(tmp_path):
    gguf = pytest.importorskip("gguf")
    path, rng = tmp_path / "model.gguf", np.random.default_rng(2)
    tensors = {"wte": rng.standard_normal((50, 64)).astype("f4"), "half": rng.standard_normal((3, 32)).astype("f2"), "ids": np.arange(7)}
    kinds = [kind for kind in ("Q4_0", "Q8_0", "Q5_1", "BF16") if kind in gguf.GGMLQuantizationType.__members__]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b", "ccc"])
    for name, array in tensors.items():
        writer.add_tensor(name, array)
    for kind in kinds:
        number = gguf.GGMLQuantizationType[kind]
        writer.add_tensor(kind, gguf.quants.quantize(tensors["wte"], number), raw_dtype=number)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    theirs = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    with takewise.open_group(path) as model:
        assert list(model) == [*tensors, *kinds]
        for name, array in tensors.items():
            assert model[name].dtype == array.dtype and np.array_equal(model[name][...], array) and model[name].blocks is None
        for kind in kinds:
            x = model[kind]
            if kind == "BF16":
                assert x.dtype.name == "bfloat16" and np.array_equal(x[...].view("u2"), np.asarray(theirs[kind].data).view("u2"))
                continue
            assert (x.blocks, x.dtype, x.shape) == (kind, np.uint8, theirs[kind].data.shape)
            rows = gguf.quants.dequantize(x[[49, 0]], gguf.GGMLQuantizationType[x.blocks])
            assert np.array_equal(rows, gguf.quants.dequantize(theirs[kind].data, theirs[kind].tensor_type)[[49, 0]])


def test_the_kinds_of_blocks_are_theirs(tmp_path):
    gguf = pytest.importorskip("gguf")
    for kind, (elements, size) in gguf.constants.GGML_QUANT_SIZES.items():
        path = tmp_path / f"{kind.name}.gguf"
        head = b"GGUF" + b"".join(int(n).to_bytes(k, "little") for n, k in [(3, 4), (1, 8), (0, 8), (1, 8)])
        about = b"x" + b"".join(int(n).to_bytes(k, "little") for n, k in [(1, 4), (2 * elements, 8), (kind, 4), (0, 8)])
        path.write_bytes((head + about).ljust(96, b"\0") + bytes(2 * size))
        x = takewise.open(path)
        assert x.nbytes == 2 * size and (x.blocks in (None, kind.name)) and (x.blocks is None) == (elements == 1), kind
