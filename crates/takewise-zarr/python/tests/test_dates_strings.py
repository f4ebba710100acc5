"""Dates, strings and bytes of a fixed size: read and written as zarr-python does, under NumPy's dtypes."""

import json
import pickle

import numcodecs
import numpy as np
import pytest
import zarr

import takewise_zarr

pytestmark = pytest.mark.filterwarnings("ignore:The data type", "ignore:Numcodecs codecs are not in the Zarr version 3 specification")

WORDS = ["", "a", "höhe", "\U0001f600z", "over", "x\0y"]
COUNT = 9 * 7

# Elements of each kind, and a fill value that is not what stands for nothing.
KINDS = {
    "datetime64[ns]": (np.datetime64("2020-01-01", "ns") + np.arange(COUNT).astype("m8[h]"), np.datetime64("1999-12-31", "ns")),
    "datetime64[10s]": (np.arange(COUNT).astype("M8[10s]"), np.datetime64(50, "10s")),
    # Of dates without a unit zarr-python cannot read what it writes.
    "timedelta64": (np.arange(COUNT).astype("m8"), np.timedelta64("NaT")),
    "timedelta64[s]": (np.arange(COUNT).astype("m8[s]") - 5, np.timedelta64(-7, "s")),
    ">m8[D]": (np.arange(COUNT).astype(">m8[D]"), np.timedelta64(3, "D")),
    "S5": (np.resize(np.array([word.encode()[:5] for word in WORDS], "S5"), COUNT), b"ab"),
    "S1": (np.resize(np.array([b"", b"q", b"\xff"], "S1"), COUNT), b"z"),
    "U4": (np.resize(np.array(WORDS, "U4"), COUNT), "né"),
    ">U4": (np.resize(np.array(WORDS, ">U4"), COUNT), "né"),
    "V3": (np.arange(3 * COUNT, dtype="u1").view("V3"), np.void(b"abc")),
}
HOW = {
    "v2": {"zarr_format": 2},
    "v2, order F": {"zarr_format": 2, "order": "F", "compressors": None},
    "v2, blosc": {"zarr_format": 2, "compressors": numcodecs.Blosc()},
    "v2, lz4": {"zarr_format": 2, "compressors": numcodecs.LZ4()},
    "v3": {},
    "v3, blosc": {"compressors": zarr.codecs.BloscCodec()},
    "v3, sharded": {"shards": (6, 6)},
    "v3, bare": {"compressors": None},
}
KEYS = [
    (),
    (...,),
    (slice(None, None, -2), slice(1, 6)),
    ([8, 0, -1], [0, 6, -7]),
    ([8, 0, 8],),
    (slice(2, 3), [5, 5, 0]),
    (3, 4),
    np.arange(COUNT).reshape(9, 7) % 5 == 2,
]


def same(got, want):
    """Whether two arrays have the same elements, NaT included, and dtypes that differ by no more than the byte order."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype.newbyteorder("=") and got.dtype.isnative and got.shape == want.shape
    assert got.tobytes() == want.astype(got.dtype).tobytes()


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("filled", [True, False], ids=["filled", "default"])
def test_what_zarr_wrote_is_read_and_written(tmp_path, kind, how, filled):
    if (kind, how) == ("V3", "v3, sharded"):
        pytest.skip("zarr-python looks up the fill value by its hash, which it lacks")
    data, fill = KINDS[kind]
    data = data.reshape(9, 7)
    more = {"fill_value": fill} if filled else {}
    z = zarr.create_array(str(tmp_path / "x"), shape=(9, 7), chunks=(2, 3), dtype=np.dtype(kind), **HOW[how], **more)
    z[:5, 2:] = data[:5, 2:]
    x = takewise_zarr.open(tmp_path / "x", mode="r+")
    assert (x.shape, x.dtype, x.chunks) == (z.shape, z.dtype.newbyteorder("="), z.chunks)
    for key in KEYS:
        # What zarr-python reads is indexed by NumPy.
        same(x[key], z[...][key])
    same(x.oindex[[8, 0], [1, 6, 1]], z[...][np.ix_([8, 0], [1, 6, 1])])
    same(x.take([5, -1], 1), np.take(z[...], [5, -1], 1))
    same(pickle.loads(pickle.dumps(x))[3], z[3])

    want = z[...]
    for key in KEYS[2:]:
        values = np.resize(data[::-1], want[key].shape)
        x[key] = values
        want[key] = values
    x[5, 5] = data[0, 1]
    want[5, 5] = data[0, 1]
    same(x[...], want)
    same(x[...], zarr.open_array(str(tmp_path / "x"), mode="r")[...])
    # What holds the fill value alone is not stored, by either.
    x[...] = z.fill_value
    assert {file.name for file in (tmp_path / "x").rglob("*") if file.is_file()} <= {".zarray", ".zattrs", "zarr.json"}
    same(x[...], np.full((9, 7), z.fill_value, x.dtype))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_version_2_may_have_no_fill_value(tmp_path, kind):
    z = zarr.create_array(str(tmp_path / "x"), shape=(4,), chunks=(2,), dtype=np.dtype(kind), fill_value=None, zarr_format=2)
    assert json.loads((tmp_path / "x" / ".zarray").read_text())["fill_value"] is None
    same(takewise_zarr.open(tmp_path / "x")[...], z[...])


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("kind, fill", [("M8[D]", "NaT"), ("m8[s]", "NaT"), ("M8[ns]", 5), ("S2", "YWJjZA=="), ("U2", "long"), ("U2", "")])
def test_fill_values_as_others_spell_them(tmp_path, zarr_format, kind, fill):
    zarr.create_array(str(tmp_path / "x"), shape=(4,), chunks=(2,), dtype=np.dtype(kind), zarr_format=zarr_format)
    file = tmp_path / "x" / ("zarr.json" if zarr_format == 3 else ".zarray")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"fill_value": fill}))
    same(takewise_zarr.open(tmp_path / "x")[...], zarr.open_array(str(tmp_path / "x"), mode="r")[...])


def test_values_become_elements_as_numpys_do(tmp_path):
    def array(name, dtype):
        zarr.create_array(str(tmp_path / name), shape=(4,), chunks=(3,), dtype=dtype)
        return takewise_zarr.open(tmp_path / name, mode="r+"), np.zeros(4, dtype)

    for name, dtype, values in [
        ("days", "M8[D]", ["2020-01-01", np.datetime64("2021-02-03T04:05:06"), np.datetime64("NaT"), "1970-01-01"]),
        ("seconds", "m8[s]", [np.timedelta64(3, "m"), 5, np.timedelta64(1, "D"), np.timedelta64("NaT")]),
        ("text", "U3", ["a", "longer", "", "äöü"]),
        ("bytes", "S3", [b"a", b"longer", b"", b"\xff"]),
    ]:
        x, want = array(name, dtype)
        for place, value in enumerate(values):
            x[place] = value
            want[place] = value
        same(x[...], want)
        x[::-1] = want
        same(x[...], want[::-1])
    x, _ = array("more days", "M8[D]")
    with pytest.raises(ValueError, match="parsing datetime"):
        x[0] = "no day"
    # They are moved and no more: what has sums in NumPy has none here.
    with pytest.raises(TypeError):
        x.at[0].add_(np.timedelta64(1, "D"))
    y, _ = array("spans", "m8[s]")
    with pytest.raises(TypeError, match="timedelta64"):
        y.at[0].add_(np.timedelta64(1, "s"))


def test_they_are_read_in_stores_and_compared(tmp_path):
    store = zarr.storage.MemoryStore()
    days = np.datetime64("2020-01-01", "D") + np.arange(10)
    zarr.create_array(store, name="deep/days", data=days, chunks=(3,))
    x = takewise_zarr.open(store, "deep/days")
    assert ((x < days[4]) == (days < days[4])).all()
    same(np.asarray(x).astype("M8[D]"), days)
    assert "datetime64[D]" in repr(x)


@pytest.mark.parametrize("bits", [8, 24])
def test_raw_bits_of_the_specification(tmp_path, bits):
    # zarr-python has another name for them, so the chunk is written by hand.
    takewise_zarr.create(tmp_path, shape=3, dtype="u1", chunks=2, compressor=None)
    file, size = tmp_path / "zarr.json", bits // 8
    file.write_text(json.dumps(json.loads(file.read_text()) | {"data_type": f"r{bits}", "fill_value": [7] * size}))
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "0").write_bytes(bytes(range(2 * size)))
    same(takewise_zarr.open(tmp_path)[...], np.frombuffer(bytes(range(2 * size)) + bytes([7] * size), f"V{size}"))


@pytest.mark.parametrize(
    "data_type, fill, match",
    [
        ({"name": "null_terminated_bytes", "configuration": {"length_bytes": 0}}, "", "length_bytes"),
        ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 6}}, "", "length_bytes"),
        ({"name": "numpy.datetime64", "configuration": {"unit": "weeks", "scale_factor": 1}}, 0, "unit.*weeks"),
        ({"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}}, "no base64", "fill_value"),
        ({"name": "structured", "configuration": {"fields": [["a", "int32"]]}}, "", "structured"),
        ("string", "", "have no fixed size"),
        ("r12", [0, 0], "r12"),
    ],
)
def test_what_is_no_element_is_refused_by_name(tmp_path, data_type, fill, match):
    takewise_zarr.create(tmp_path, shape=3, dtype="u1", chunks=2)
    file = tmp_path / "zarr.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"data_type": data_type, "fill_value": fill}))
    with pytest.raises(NotImplementedError, match=match):
        takewise_zarr.open(tmp_path)
