"""Stores of zarr-python's: results, requests, and what happens when they fail."""

import asyncio
import pickle

import numpy as np
import pytest
import zarr
from zarr.storage import LocalStore, MemoryStore, WrapperStore

import takewise.zarr
import takewise_zarr

X = np.arange(40 * 30).reshape(40, 30)


def memory(folder):
    return MemoryStore()


def local(folder):
    return LocalStore(str(folder))


def fsspec(folder):
    pytest.importorskip("fsspec")
    return zarr.storage.FsspecStore.from_url(f"local://{folder}", storage_options={"auto_mkdir": True})


def obstore(folder):
    stores = pytest.importorskip("obstore.store")
    return zarr.storage.ObjectStore(stores.LocalStore(str(folder), mkdir=True))


def icechunk(folder):
    icechunk = pytest.importorskip("icechunk")
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder)))
    return repository.writable_session("main").store


STORES = [memory, local, fsspec, obstore, icechunk]


class Counted(WrapperStore):
    """Counts what it is asked for, and how much of it at a time; fails on demand."""

    def __init__(self, store):
        super().__init__(store)
        self.keys, self.now, self.most, self.fail = [], 0, 0, None

    async def get(self, key, prototype, byte_range=None):
        self.keys.append(key)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0.002)
            if self.fail == key:
                raise RuntimeError("the store is on fire")
            return await self._store.get(key, prototype, byte_range)
        finally:
            self.now -= 1

    async def set(self, key, value):
        if self.fail == key:
            raise RuntimeError("the store is on fire")
        await self._store.set(key, value)


@pytest.mark.parametrize("kind", STORES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("how", [dict(), dict(shards=(20, 16)), dict(zarr_format=2)], ids=["v3", "sharded", "v2"])
def test_every_store_reads_and_writes(tmp_path, kind, how):
    if kind is icechunk and how.get("zarr_format") == 2:
        pytest.skip("icechunk holds version 3")
    store = kind(tmp_path)
    z = zarr.create_array(store, name="a/b", shape=X.shape, dtype=X.dtype, chunks=(5, 8), **how)
    z[:, :20] = X[:, :20]
    want = np.where(np.arange(30) < 20, X, 0)
    i, j = np.random.default_rng(1).integers(-30, 30, (2, 200))
    for x in [takewise_zarr.open(store, "a/b", mode="r+"), takewise.zarr.open(z, mode="r+")]:
        np.testing.assert_array_equal(x[i, j], want[i, j])
        np.testing.assert_array_equal(x[::-7, ::3], want[::-7, ::3])
        values = np.random.default_rng(2).integers(0, 99, 200)
        want[i, j] = values
        x[i, j] = values
        np.add.at(want, (i, 3), 1)
        x.at[i, 3].add_(1)
        x[5:10], want[5:10] = 0, 0
        np.testing.assert_array_equal(x[...], want)
        np.testing.assert_array_equal(z[...], want)


@pytest.mark.parametrize("kind", STORES, ids=lambda kind: kind.__name__)
def test_arrays_are_made_in_stores(tmp_path, kind):
    store = kind(tmp_path)
    x = takewise.zarr.create(store, "new", shape=(9, 7), dtype="f4", chunks=(2, 3), shards=(4, 6), fill_value=-1)
    x[[8, 0], [6, 0]] = [5, 6]
    want = np.full((9, 7), -1, "f4")
    want[[8, 0], [6, 0]] = [5, 6]
    np.testing.assert_array_equal(zarr.open_array(store, path="new", mode="r")[...], want)
    with pytest.raises(OSError, match="already"):
        takewise_zarr.create(store, "new", shape=3, dtype="f4", chunks=2)


def test_an_index_is_read_once_and_ranges_together(tmp_path):
    store = Counted(MemoryStore())
    data = np.random.default_rng(3).integers(0, 99, (64, 64)).astype("i4")
    z = zarr.create_array(store, shape=(64, 64), dtype="i4", chunks=(8, 8), shards=(32, 32), compressors=None)
    z[...] = data
    store.keys.clear()
    x = takewise_zarr.open(store, gap=0)
    assert set(store.keys) <= {"zarr.json", ".zarray", ".zgroup"}
    store.keys.clear()
    rows, columns = np.array([0, 0, 1, 40, 63, 0]), np.array([0, 63, 0, 40, 63, 1])
    np.testing.assert_array_equal(x[rows, columns], data[rows, columns])
    # Three shards: the index of each, and a chunk of two, two of one.
    assert sorted(store.keys) == ["c/0/0"] * 2 + ["c/0/1"] * 2 + ["c/1/1"] * 3
    assert store.most >= 3 and x.traffic.requests == 7 and x.traffic.decoded == 4
    store.keys.clear()
    np.testing.assert_array_equal(x[...], data)
    # Everything lies side by side: an index and a range of each shard.
    assert len(store.keys) == 8 and x.traffic.decoded == 4 + 64
    store.keys.clear()
    near = takewise_zarr.open(store, gap=1 << 20)
    np.testing.assert_array_equal(near[[0, 31], [0, 31]], data[[0, 31], [0, 31]])
    assert sum(key.startswith("c/") for key in store.keys) == 2


def test_a_whole_window_of_files_is_under_way(tmp_path):
    store = Counted(MemoryStore())
    z = zarr.create_array(store, shape=(100,), dtype="i4", chunks=(1,), fill_value=-1)
    z[:90] = np.arange(90)
    store.most = 0
    x = takewise_zarr.open(store)
    np.testing.assert_array_equal(x[::-1], [*[-1] * 10, *range(89, -1, -1)])
    assert 16 < store.most <= 128


def test_writes_read_what_they_keep_and_nothing_else(tmp_path):
    store = Counted(MemoryStore())
    z = zarr.create_array(store, shape=(64, 64), dtype="i4", chunks=(8, 8), shards=(32, 32))
    z[...] = 1
    x = takewise_zarr.open(store, mode="r+")
    store.keys.clear()
    x[:32, :] = 5
    assert store.keys == []
    x[[0, 0, 40], [0, 63, 63]] = 6
    assert sorted(store.keys) == ["c/0/0", "c/0/1", "c/1/1"]
    z = zarr.open_array(store, mode="r")
    assert (z[0, 0], z[0, 63], z[40, 63], z[1, 1], z[63, 0]) == (6, 6, 6, 5, 1)


def test_failures_are_errors_with_the_stores_words(tmp_path):
    store = Counted(MemoryStore())
    z = zarr.create_array(store, shape=(8,), dtype="i4", chunks=(2,))
    z[...] = 1
    x = takewise_zarr.open(store, mode="r+")
    store.fail = "c/2"
    with pytest.raises(OSError, match=r"c/2: RuntimeError: the store is on fire"):
        x[...]
    np.testing.assert_array_equal(x[:4], 1)
    with pytest.raises(OSError, match="the store is on fire"):
        x[...] = 2
    store.fail = None
    before = z[...]
    with pytest.raises(IndexError, match="index 8"):
        x[[0, 8]] = 3
    np.testing.assert_array_equal(z[...], before)
    with pytest.raises(OSError, match="neither zarr.json nor .zarray"):
        takewise_zarr.open(store, "elsewhere")
    with pytest.raises(TypeError, match="not in a list"):
        takewise_zarr.open([1, 2])


def test_a_store_is_opened_by_whoever_uses_it_first(tmp_path):
    made = zarr.storage.ZipStore(tmp_path / "s.zip", mode="w")
    zarr.create_array(made, name="a", data=X, chunks=(7, 8))
    made.close()
    for path in ("a", "/a/"):
        x = takewise_zarr.open(zarr.storage.ZipStore(tmp_path / "s.zip", mode="r"), path)
        np.testing.assert_array_equal(x[[39, 0, 8], [29, 0, 8]], X[[39, 0, 8], [29, 0, 8]])


def test_a_zip_store_is_written(tmp_path):
    with zarr.storage.ZipStore(tmp_path / "s.zip", mode="w") as store:
        x = takewise_zarr.create(store, "/a", shape=X.shape, dtype=X.dtype, chunks=(7, 8))
        x[...] = X
        np.testing.assert_array_equal(x[[39, 0], [29, 0]], X[[39, 0], [29, 0]])
    with zarr.storage.ZipStore(tmp_path / "s.zip", mode="r") as store:
        np.testing.assert_array_equal(zarr.open_array(store, path="a", mode="r")[...], X)
        np.testing.assert_array_equal(takewise_zarr.open(store, "a")[...], X)
        with pytest.raises(OSError, match="read-only"):
            takewise_zarr.open(store, "a", mode="r+")[0] = 1


@pytest.mark.parametrize("path", ["g/a", "/g/a", "/g/a/"])
def test_paths_begin_and_end_with_slashes_or_not(tmp_path, path):
    memory = MemoryStore()
    for store in (memory, LocalStore(str(tmp_path / "s"))):
        zarr.create_array(store, name="g/a", data=X, chunks=(7, 8))
    places = [memory, zarr.open_group(memory), tmp_path / "s", str(tmp_path / "s") + "/", (tmp_path / "s").as_uri(), LocalStore(str(tmp_path / "s"))]
    for place in places:
        np.testing.assert_array_equal(takewise_zarr.open(place, path)[[39, 0], [29, 0]], X[[39, 0], [29, 0]])
    within = zarr.open_group(memory, path="/g")
    np.testing.assert_array_equal(takewise_zarr.open(within, path.strip("/")[2:])[0], X[0])


def test_a_store_in_a_folder_that_may_not_be_written_is_not(tmp_path):
    zarr.create_array(LocalStore(str(tmp_path)), name="a", data=X, chunks=(7, 8))
    x = takewise_zarr.open(LocalStore(str(tmp_path), read_only=True), "a", mode="r+")
    with pytest.raises(OSError, match="read-only"):
        x[0] = 1
    np.testing.assert_array_equal(takewise_zarr.open(LocalStore(str(tmp_path)), "a")[...], X)


@pytest.mark.parametrize("kind", [local, fsspec, obstore], ids=lambda kind: kind.__name__)
def test_other_processes_open_it_for_themselves(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    zarr.create_array(kind(tmp_path), name="a", data=X, chunks=(7, 8))
    x = pickle.loads(pickle.dumps(takewise_zarr.open(kind(tmp_path), "a", mode="r+")))
    x[0] = 5
    assert x.mode == "r+" and (takewise_zarr.open("a")[0] == 5).all()
    given = pickle.dumps(takewise_zarr.open("a"))
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(pickle.loads(given)[1:], X[1:])


def test_an_icechunk_session_has_all_of_a_write_or_nothing(tmp_path):
    icechunk = pytest.importorskip("icechunk")
    repository = icechunk.Repository.create(icechunk.in_memory_storage())
    session = repository.writable_session("main")
    takewise_zarr.create(session.store, "x", shape=8, dtype="i4", chunks=2)[...] = 1
    session.commit("ones")
    session = repository.writable_session("main")
    takewise_zarr.open(session.store, "x", mode="r+")[::2] = 5
    np.testing.assert_array_equal(takewise_zarr.open(repository.readonly_session("main").store, "x")[...], 1)
    session.discard_changes()
    session = repository.writable_session("main")
    takewise_zarr.open(session.store, "x", mode="r+")[::2] = 5
    session.commit("fives")
    np.testing.assert_array_equal(takewise_zarr.open(repository.readonly_session("main").store, "x")[...], [5, 1] * 4)
