"""The command beside pyarrow and polars: what they write is read, and what it writes they read.

``TAKEWISE`` names the command. Run by ``cargo xtask arrow``.
"""

import itertools
import json
import os
import subprocess

import numpy as np
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

COMMAND = os.environ["TAKEWISE"]
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
ROWS = 300


def takewise(folder, *arguments, stdin=b"", fails=False):
    done = subprocess.run([COMMAND, *map(str, arguments)], cwd=folder, input=stdin, capture_output=True, check=False)
    told = done.stderr.decode()
    assert (done.returncode != 0) == fails, told
    return told if fails else done.stdout


def read(folder, file, column=None):
    """A column, or the whole of a file, through the command and NumPy's own format."""
    operand = f"x={file}" if column is None else f"x={file}#{column}"
    takewise(folder, "eval", "x", operand, "-o", "read.npy")
    return np.load(folder / "read.npy")


def columns(rows=ROWS):
    values = np.arange(rows) % 100
    return {name: (values % 2).astype(name) if name == "bool" else values.astype(name) for name in DTYPES}


def same(folder, file, wanted):
    for name, values in wanted.items():
        got = read(folder, file, name)
        assert got.dtype == values.dtype and np.array_equal(got, values), (file, name)


CODECS = ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]


@pytest.mark.parametrize(("codec", "page"), list(itertools.product(CODECS, ["1.0", "2.0"])))
def test_parquet_of_pyarrow(tmp_path, codec, page):
    wanted = columns()
    table = pa.table(wanted)
    for dictionary in (True, False):
        pq.write_table(
            table, tmp_path / "t.parquet", compression=codec, data_page_version=page, use_dictionary=dictionary,
            row_group_size=77, data_page_size=128,
        )  # fmt: skip
        several = {name: wanted[name] for name in (DTYPES if dictionary and page == "2.0" else ["bool", "int64", "float32"])}
        same(tmp_path, "t.parquet", several)
    whole = read(tmp_path, "t.parquet", "int64,float32")
    assert np.array_equal(whole, np.stack([wanted["int64"].astype(float), wanted["float32"]], axis=1))


def test_encodings_of_pyarrow(tmp_path):
    wanted = columns()
    del wanted["bool"], wanted["float16"]
    for encoding in ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"):
        kept = {n: v for n, v in wanted.items() if encoding != "DELTA_BINARY_PACKED" or v.dtype.kind in "iu"}
        pq.write_table(pa.table(kept), tmp_path / "t.parquet", use_dictionary=False, column_encoding=dict.fromkeys(kept, encoding))
        same(tmp_path, "t.parquet", kept)


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize(("name", "new"), [("t.arrow", pa.ipc.new_file), ("t.arrows", pa.ipc.new_stream)])
def test_arrow_of_pyarrow(tmp_path, name, new, codec):
    wanted = columns()
    table = pa.table(wanted)
    with new(str(tmp_path / name), table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table, max_chunksize=64)
    same(tmp_path, name, wanted)
    # Standard input is told apart by its content.
    piped = takewise(tmp_path, "eval", "x[7]", "x=-#int8", "--json", stdin=(tmp_path / name).read_bytes())
    assert json.loads(piped)["data"] == 7


def test_dictionaries_lists_and_nulls(tmp_path):
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(12, dtype=np.float32)), 3)
    table = pa.table({
        "coded": pa.array([5, 7, 5, 9]).dictionary_encode(),
        "rows": lists,
        "gaps": pa.array([1, None, 3, None]),
        "text": pa.array(["a", "b", "a", "b"]),
        "named": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
        "when": pa.array([0, 1, 2, 3], pa.timestamp("us")),
        "nested": pa.array([{"x": 1}, None, {"x": None}, {"x": 4}]),
        "many": pa.array([[1], [], None, [4]]),
    })
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as writer:
        writer.write_table(table)
    with pa.ipc.new_stream(str(tmp_path / "t.arrows"), table.schema) as writer:
        # Dictionaries that grow on the way, and such that are replaced.
        writer.write_table(table)
        writer.write_table(table.set_column(0, "coded", pa.array([1, 1, 2, 3]).dictionary_encode()))
    pq.write_table(table, tmp_path / "t.parquet")
    for file in ("t.arrow", "t.arrows", "t.parquet"):
        assert read(tmp_path, file, "coded").tolist() == [5, 7, 5, 9] + ([1, 1, 2, 3] if file == "t.arrows" else [])
        assert read(tmp_path, file, "rows")[:4].tolist() == np.arange(12.0).reshape(4, 3).tolist()
        for column, told in {
            "gaps": "column 'gaps' has nulls in", "nested": "holds structs", "many": "lists of any length",
        }.items():  # fmt: skip
            assert told in takewise(tmp_path, "eval", "x", f"x={file}#{column}", fails=True)
        for column in ("text", "named"):
            assert read(tmp_path, file, column)[:4].tolist() == ["a", "b", "a", "b"]
        when = read(tmp_path, file, "when")
        assert when.dtype == "M8[us]" and when[:4].astype(int).tolist() == [0, 1, 2, 3]
        shown = takewise(tmp_path, "info", file).decode()
        assert "'coded': int64" in shown and "'rows': float32 [3]" in shown and "'text': text" in shown


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_are_keys(tmp_path, kind):
    city = ["Riga", "Oslo", "Riga", "Llanfairpwllgwyngyll", "Å"] * 20
    table = pa.table({"city": pa.array(city).cast(kind), "sold": range(100)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=30)
    pyarrow.feather.write_feather(table, tmp_path / "t.arrow", chunksize=30)
    polars.from_arrow(table).write_parquet(tmp_path / "p.parquet")
    np.save(tmp_path / "sums.npy", np.bincount(np.unique(city, return_inverse=True)[1], range(100)))
    sums = "names, code = np.unique(city, return_inverse=True); np.array_equal(np.bincount(code, sold), sums)"
    for file in ("t.parquet", "t.arrow", "p.parquet"):
        got = read(tmp_path, file, "city")
        assert got.dtype == "<U20" and got.tolist() == city
        operands = [f"city={file}#city", f"sold={file}#sold", "sums=sums.npy"]
        assert takewise(tmp_path, "eval", sums, *operands) == b"True\n"
        assert takewise(tmp_path, "eval", "sold[city == 'Riga'][:3].tolist()", *operands, "--dialect", "numpy") == b"[0, 2, 5]\n"


def test_dates_go_there_and_back(tmp_path):
    for unit in ("D", "s", "ms", "us", "ns"):
        dates = np.array([0, 1, 20000, "NaT"], f"M8[{unit}]")
        np.save(tmp_path / "dates.npy", dates)
        for name in ("t.arrow", "t.parquet"):
            takewise(tmp_path, "eval", "x", "x=dates.npy", "-o", name)
            got = read(tmp_path, name)
            assert got.dtype == dates.dtype and np.array_equal(got, dates, equal_nan=True), (unit, name)
            table = pq.read_table(tmp_path / name) if name == "t.parquet" else pa.ipc.open_file(str(tmp_path / name)).read_all()
            column = table.column("0")
            assert column.null_count == 1 and np.array_equal(column.to_numpy().astype(dates.dtype), dates, equal_nan=True)


def test_frames_of_polars(tmp_path):
    wanted = {name: values for name, values in columns().items() if name != "float16"}
    frame = polars.DataFrame(wanted)
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=50)
    frame.write_ipc(tmp_path / "t.arrow", compression="zstd")
    frame.write_ipc_stream(tmp_path / "t.arrows")
    for file in ("t.parquet", "t.arrow", "t.arrows"):
        same(tmp_path, file, wanted)


@pytest.mark.parametrize("file", ["o.parquet", "o.arrow", "o.feather", "o.arrows"])
def test_what_is_written_they_read(tmp_path, file):
    def table():
        if file.endswith(".parquet"):
            return pq.read_table(tmp_path / file)
        if file.endswith(".arrows"):
            return pa.ipc.open_stream(tmp_path / file).read_all()
        return pa.ipc.open_file(tmp_path / file).read_all()

    for name, values in columns().items():
        np.save(tmp_path / "x.npy", values)
        takewise(tmp_path, "eval", "x", "x=x.npy", "-o", file)
        column = table()["0"]
        assert str(column.type) == {"float16": "halffloat", "float32": "float", "float64": "double"}.get(name, name)
        assert np.array_equal(column.to_numpy(), values) and column.null_count == 0
    takewise(tmp_path, "eval", "torch.sort(torch.tensor([3, 1, 2]))", "-o", file)
    assert table().to_pydict() == {"values": [1, 2, 3], "indices": [1, 2, 0]}
    takewise(tmp_path, "eval", "torch.arange(4).reshape(2, 2)", "-o", file)
    assert table().to_pydict() == {"0": [0, 2], "1": [1, 3]}
    reader = {".parquet": polars.read_parquet, ".arrows": polars.read_ipc_stream}.get(os.path.splitext(file)[1], polars.read_ipc)
    with open(tmp_path / file, "rb") as opened:
        assert reader(opened).to_dict(as_series=False) == {"0": [0, 2], "1": [1, 3]}


def test_nothing_and_little(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int16()), "b": pa.array([], pa.int16())}), tmp_path / "t.parquet")
    assert read(tmp_path, "t.parquet").shape == (0, 2) and read(tmp_path, "t.parquet", "b").dtype == np.int16
    pq.write_table(pa.table({"a": pa.array([1, 2])}).select([]), tmp_path / "t.parquet")
    assert read(tmp_path, "t.parquet").shape[1] == 0
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(twice, tmp_path / "t.parquet")
    assert "has several columns 'a'; give the number of one" in takewise(tmp_path, "eval", "x", "x=t.parquet#a", fails=True)
    assert read(tmp_path, "t.parquet", "1").tolist() == [2] and read(tmp_path, "t.parquet").tolist() == [[1, 2]]
