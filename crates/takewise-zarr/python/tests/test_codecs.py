"""Arrays whose codecs numcodecs has and the extension lacks: read and written as zarr-python does."""

import json
import os
import pickle
import warnings

import numcodecs
import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec

import takewise_zarr

with warnings.catch_warnings():
    # These are not of the specification, which is known.
    warnings.simplefilter("ignore")
    from zarr.codecs import numcodecs as third

X = (np.arange(17 * 23).reshape(17, 23) % 50).astype("i4")
F = X.astype("f4") / 4

SECOND = {
    "lz4": {"compressors": numcodecs.LZ4()},
    "bz2": {"compressors": numcodecs.BZ2()},
    "lzma": {"compressors": numcodecs.LZMA()},
    "delta": {"filters": [numcodecs.Delta("i4")], "compressors": numcodecs.Zlib()},
    "fletcher32": {"filters": [numcodecs.Fletcher32()], "compressors": numcodecs.Zlib()},
    "crc32": {"filters": [numcodecs.CRC32()], "compressors": None},
    "adler32": {"filters": [numcodecs.Adler32()], "compressors": numcodecs.LZ4()},
    "delta, order F": {"filters": [numcodecs.Delta("i4")], "compressors": numcodecs.BZ2(), "order": "F"},
    "narrower": {"filters": [numcodecs.AsType("i2", "i4")], "compressors": numcodecs.LZ4()},
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    THIRD = {
        "zlib": {"compressors": [third.Zlib()]},
        "zstd": {"compressors": [third.Zstd()]},
        "lz4": {"compressors": [third.LZ4()]},
        "bz2 and a sum": {"compressors": [third.BZ2(), third.CRC32()]},
        "delta": {"filters": [third.Delta(dtype="<i4")], "compressors": [third.LZ4()]},
        "narrower": {"filters": [third.AsType(encode_dtype="<i2", decode_dtype="<i4")]},
        "delta and blosc": {"filters": [third.Delta(dtype="<i4")], "compressors": [BloscCodec(cname="lz4", shuffle="bitshuffle")]},
        "delta, gzip and a sum": {"filters": [third.Delta(dtype="<i4")], "compressors": [GzipCodec(), Crc32cCodec()]},
    }


def made(folder, data, **how):
    z = zarr.create_array(str(folder), shape=data.shape, dtype=data.dtype, chunks=(5, 7), overwrite=True, **how)
    z[...] = data
    return z


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")
@pytest.mark.parametrize("kind", [*((2, name) for name in SECOND), *((3, name) for name in THIRD)], ids=str)
def test_what_zarr_wrote_is_read_and_written(tmp_path, kind):
    version, name = kind
    z = made(tmp_path / "x", X, zarr_format=version, **(SECOND if version == 2 else THIRD)[name])
    x = takewise_zarr.open(tmp_path / "x", mode="r+")
    assert (x.shape, x.dtype, x.chunks) == (z.shape, z.dtype, z.chunks)
    for key in [(), ([16, 0, -1], [22, 3, -23]), (slice(None, None, -3), [4, 4]), X % 7 == 0]:
        assert np.array_equal(x[key], X[key])
    assert np.array_equal(pickle.loads(pickle.dumps(x))[3], X[3])
    want = X.copy()
    x[[16, 2, 16], 3] = [7, 8, 9]
    want[[16, 2, 16], 3] = [7, 8, 9]
    x[4:9] = 11
    want[4:9] = 11
    assert np.array_equal(zarr.open_array(str(tmp_path / "x"), mode="r")[...], want)
    assert np.array_equal(x[...], want)
    # In a store as in a folder.
    memory = zarr.storage.MemoryStore()
    z = zarr.create_array(memory, name="deep/x", shape=X.shape, dtype=X.dtype, chunks=(5, 7), zarr_format=version, **(SECOND if version == 2 else THIRD)[name])
    z[...] = X
    assert np.array_equal(takewise_zarr.open(memory, "deep/x")[[16, 0], 5], X[[16, 0], 5])


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")
def test_filters_of_floats(tmp_path):
    for k, codec in enumerate([numcodecs.Quantize(3, "f4"), numcodecs.BitRound(8), numcodecs.FixedScaleOffset(0, 4, "f4", "i2")]):
        z = made(tmp_path / f"second{k}", F, zarr_format=2, filters=[codec], compressors=numcodecs.LZ4())
        assert np.array_equal(takewise_zarr.open(tmp_path / f"second{k}")[[16, 2]], z[...][[16, 2]])
    packed = X % 2 == 0
    made(tmp_path / "packed", packed, zarr_format=2, filters=[numcodecs.PackBits()], compressors=numcodecs.LZ4())
    assert np.array_equal(takewise_zarr.open(tmp_path / "packed")[[16, 2]], packed[[16, 2]])


def test_a_chunk_that_was_not_written_is_filled(tmp_path):
    zarr.create_array(str(tmp_path / "x"), shape=(6, 6), chunks=(2, 2), dtype="f4", fill_value=3, zarr_format=2, compressors=numcodecs.LZ4())
    x = takewise_zarr.open(tmp_path / "x", mode="r+")
    x[0, 0] = 1
    assert x[...].sum() == 35 * 3 + 1
    assert sorted(name for name in os.listdir(tmp_path / "x") if not name.startswith(".z")) == ["0.0"]


def test_damaged_chunks_and_foreign_codecs_are_refused_by_name(tmp_path):
    made(tmp_path / "x", X, zarr_format=2, filters=[numcodecs.Fletcher32()], compressors=numcodecs.LZ4())
    chunk = tmp_path / "x" / "0.0"
    chunk.write_bytes(chunk.read_bytes()[:-3] + b"xyz")
    x = takewise_zarr.open(tmp_path / "x")
    with pytest.raises(OSError, match=r"0\.0: is damaged"):
        x[0, 0]
    assert np.array_equal(x[16], X[16])
    # Codecs that run what a file brings are not asked.
    meta = json.loads((tmp_path / "x" / ".zarray").read_text())
    for codec in ({"id": "pickle", "protocol": 5}, {"id": "json2"}, {"id": "shrink9"}):
        (tmp_path / "x" / ".zarray").write_text(json.dumps(meta | {"filters": None, "compressor": codec}))
        with pytest.raises(NotImplementedError, match=codec["id"]):
            takewise_zarr.open(tmp_path / "x")


def test_a_write_that_fails_late_leaves_a_folder_as_it_was(tmp_path):
    # More files than are read and written at a time.
    z = zarr.create_array(str(tmp_path / "x"), shape=(400,), chunks=(2,), dtype="i4", zarr_format=2, compressors=numcodecs.LZ4())
    z[...] = 1
    chunk = tmp_path / "x" / "150"
    whole = chunk.read_bytes()
    chunk.write_bytes(b"bad")
    x = takewise_zarr.open(tmp_path / "x", mode="r+")
    with pytest.raises(OSError, match="150: is damaged"):
        x[::2] = 5
    chunk.write_bytes(whole)
    assert (x[...] == 1).all() and not list((tmp_path / "x").glob("*.partial"))
    x[::2] = 5
    assert np.array_equal(z[...], [5, 1] * 200)


def test_folders_by_url_and_from_home(tmp_path, monkeypatch):
    zarr.create_array(str(tmp_path / "a b"), data=X, chunks=(5, 7))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ((tmp_path / "a b").as_uri(), "~/a b", os.path.join("~", "a b")):
        x = takewise_zarr.open(name)
        assert np.array_equal(x[[16, 2]], X[[16, 2]])
        assert np.array_equal(pickle.loads(pickle.dumps(x))[3], X[3])
    with pytest.raises(OSError, match="neither zarr.json nor .zarray"):
        takewise_zarr.open("~/none")
