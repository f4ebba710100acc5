"""Each operation of a store fails once: what is said, what is left, and that the array can be used after."""

import asyncio
import builtins
import errno
import os

import numcodecs
import numpy as np
import pytest
import zarr
from zarr.storage import MemoryStore, WrapperStore

import takewise_zarr

SHAPE, CHUNKS = (12, 10), (3, 5)
X = np.arange(120, dtype="i4").reshape(SHAPE) + 1
HOW = {
    "v2": {"zarr_format": 2},
    "v2, lz4": {"zarr_format": 2, "compressors": numcodecs.LZ4()},
    "v3": {},
    "sharded": {"shards": (6, 5)},
}
ERRORS = [RuntimeError("the store is on fire"), OSError(5, "Input/output error"), TimeoutError("no answer"), ValueError("a bad key")]


class Failing(WrapperStore):
    """A store of which one operation fails: the one with this number, counted from when it was told."""

    def __init__(self, store):
        super().__init__(store)
        self.tell(None, None)

    def tell(self, nth, error):
        self.left, self.error, self.hit = nth, error, None

    def _asked(self, operation, key):
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            self.left, self.hit = None, (operation, key)
            raise self.error

    async def get(self, key, prototype, byte_range=None):
        self._asked("get", key)
        return await self._store.get(key, prototype, byte_range)

    async def set(self, key, value):
        self._asked("set", key)
        await self._store.set(key, value)

    async def delete(self, key):
        self._asked("delete", key)
        await self._store.delete(key)


def made(how):
    store = Failing(MemoryStore())
    z = zarr.create_array(store, name="a", shape=SHAPE, chunks=CHUNKS, dtype=X.dtype, fill_value=0, **HOW[how])
    z[...] = X
    return store


def each(work):
    """Runs work for each operation that can fail, with each kind of error: the operations."""
    hits = set()
    for nth in range(1000):
        hit = work(nth, ERRORS[nth % len(ERRORS)])
        if hit is None:
            return hits
        hits.add(hit[0])
    raise AssertionError("there is no end of them")


def told(error, store, key):
    """Whether an error says where it was met, and what the store has said."""
    return f"{store}/a" in str(error) and key in str(error) and str(store.error) in str(error)


@pytest.mark.parametrize("how", HOW, ids=str)
def test_reads(how):
    store = made(how)

    def read(nth, error):
        store.tell(nth, error)
        try:
            x = takewise_zarr.open(store, "a")
            got = x[[0, 11, 5], 1:7]
        except OSError as failed:
            assert store.hit and told(failed, store, store.hit[1]), str(failed)
        else:
            # Metadata that are asked for again, because a codec is numcodecs', are known already.
            assert store.hit is None or (how == "v2, lz4" and nth > 3)
            np.testing.assert_array_equal(got, X[[0, 11, 5], 1:7])
        hit = store.hit
        # An array that is open fails once, and then is what it was.
        store.tell(None, None)
        x = takewise_zarr.open(store, "a")
        store.tell(nth, error)
        try:
            x[...]
        except OSError as failed:
            assert told(failed, store, store.hit[1]), str(failed)
        store.tell(None, None)
        np.testing.assert_array_equal(x[...], X)
        return hit

    assert each(read) == {"get"}


@pytest.mark.parametrize("how", HOW, ids=str)
def test_writes(how):
    def write(nth, error):
        store = made(how)
        x = takewise_zarr.open(store, "a", mode="r+")
        want = X.copy()
        # Parts of files are read and changed; some become empty and go.
        rows = [0, 1, 2, 3, 4, 5, 7, 11]
        values = np.where(np.arange(8)[:, None] < 6, 0, 1000 + np.arange(10))
        want[rows] = values
        store.tell(nth, error)
        try:
            x[rows] = values
        except OSError as failed:
            assert store.hit and told(failed, store, store.hit[1]), str(failed)
        else:
            assert store.hit is None
        hit = store.hit
        store.tell(None, None)
        got = x[...]
        np.testing.assert_array_equal(got, takewise_zarr.open(store, "a")[...])
        if hit is None:
            np.testing.assert_array_equal(got, want)
        elif hit[0] == "get":
            np.testing.assert_array_equal(got, X)
        else:
            # The files that the store took are new, and the others are old.
            files = [(slice(i, i + 3), slice(j, j + 5)) for i in range(0, 12, 3) for j in range(0, 10, 5)]
            assert all(np.array_equal(got[file], X[file]) or np.array_equal(got[file], want[file]) for file in files)
            assert not np.array_equal(got, want)
        x[rows] = values
        np.testing.assert_array_equal(zarr.open_array(store, path="a", mode="r")[...], want)
        return hit

    assert each(write) == {"get", "set", "delete"}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_arrays_that_are_made(zarr_format):
    def make(nth, error):
        store = Failing(MemoryStore())
        store.tell(nth, error)
        try:
            takewise_zarr.create(store, "a", shape=4, dtype="i4", chunks=2, zarr_format=zarr_format)
        except OSError as failed:
            assert told(failed, store, store.hit[1]), str(failed)
        hit = store.hit
        store.tell(None, None)
        if hit and hit[0] == "set":
            takewise_zarr.create(store, "a", shape=4, dtype="i4", chunks=2, zarr_format=zarr_format)
        return hit

    assert each(make) == {"get", "set"}


class Disk:
    """The calls by which a folder of numcodecs' codecs is read and written; one of them fails."""

    def __init__(self, monkeypatch):
        self.left, self.hit = None, None
        for holder, name, call in [(builtins, "open", open), (os, "replace", os.replace), (os, "unlink", os.unlink)]:
            monkeypatch.setattr(holder, name, self.failing(name, call))

    def asked(self, name, path):
        if self.left is None or "/a/" not in str(path):
            return
        self.left -= 1
        if self.left < 0:
            self.left, self.hit = None, name
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    def failing(self, name, call):
        def made(path, *given, **named):
            self.asked(name, path)
            file = call(path, *given, **named)
            if name == "open" and "xb" in given:
                whole = file.write

                def write(data):
                    # A full disk takes a part of it.
                    whole(data[:1])
                    self.asked("write", path)
                    return whole(data[1:])

                return Written(file, write)
            return file

        return made


class Written:
    def __init__(self, file, write):
        self.file, self.write = file, write

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


def test_folders_that_python_writes(tmp_path, monkeypatch):
    disk = Disk(monkeypatch)

    def write(nth, _):
        folder = tmp_path / str(nth)
        z = zarr.create_array(str(folder / "a"), shape=SHAPE, chunks=CHUNKS, dtype=X.dtype, fill_value=0, **HOW["v2, lz4"])
        z[...] = X
        x = takewise_zarr.open(folder / "a", mode="r+")
        want = X.copy()
        want[:7] = np.where(np.arange(7)[:, None] < 6, 0, 5)
        disk.left, disk.hit = nth, None
        try:
            x[:7] = want[:7]
        except OSError as failed:
            assert str(folder / "a") in str(failed) and os.strerror(errno.ENOSPC) in str(failed)
        else:
            assert disk.hit is None
        hit, disk.left = disk.hit, None
        assert not list(folder.rglob("*.partial"))
        got = x[...]
        if hit in ("open", "write"):
            np.testing.assert_array_equal(got, X)
        assert ((got == X) | (got == want)).all()
        x[:7] = want[:7]
        np.testing.assert_array_equal(z[...], want)
        return hit and (hit, "")

    assert each(write) == {"open", "write", "replace", "unlink"}


class Late(WrapperStore):
    """Fails for one file at once, and takes its time for the others."""

    fail = False

    async def set(self, key, value):
        if self.fail and key == "c/0":
            raise RuntimeError("the store is on fire")
        await asyncio.sleep(0.2 if self.fail else 0)
        await self._store.set(key, value)


def test_what_failed_does_not_overwrite_what_is_written_next():
    store = Late(MemoryStore())
    zarr.create_array(store, shape=8, chunks=2, dtype="i4")
    x = takewise_zarr.open(store, mode="r+")
    store.fail = True
    with pytest.raises(OSError, match="c/0: RuntimeError: the store is on fire"):
        x[...] = 1
    store.fail = False
    x[...] = 2
    zarr.core.sync.sync(asyncio.sleep(0.3))
    np.testing.assert_array_equal(x[...], 2)
