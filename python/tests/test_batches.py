"""Rows in time: pickled arrays of files, batches of PyTorch's loaders, reads that are begun ahead, and names for Dask."""

import asyncio
import copy
import gc
import json
import os
import pickle
import threading
import time

import numpy as np
import pytest
from programs import run

import takewise

FORK = hasattr(os, "fork")


@pytest.fixture
def table():
    return np.arange(1000 * 40, dtype="f4").reshape(1000, 40)


@pytest.fixture
def path(tmp_path, table):
    np.save(tmp_path / "table.npy", table)
    return tmp_path / "table.npy"


# --- Pickles -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_array_is_pickled_as_its_file(path, table, protocol):
    x = takewise.open(path)
    content = pickle.dumps(x, protocol)
    assert len(content) < 1000
    y = pickle.loads(content)
    assert type(y) is takewise.FileArray and (y.shape, y.dtype, y.mode) == (x.shape, x.dtype, "r")
    assert np.array_equal(y[[5, 999]], table[[5, 999]])
    assert np.array_equal(copy.deepcopy(x)[3], table[3])


def test_settings_are_pickled(tmp_path, table):
    table.tofile(tmp_path / "raw.bin")
    x = pickle.loads(pickle.dumps(takewise.open(tmp_path / "raw.bin", dtype="f4", shape=(-1, 40), mode="r+")))
    assert (x.shape, x.mode) == ((1000, 40), "r+")
    x[7] = -1
    x.flush()
    assert (np.fromfile(tmp_path / "raw.bin", "f4").reshape(-1, 40)[7] == -1).all()
    np.savez(tmp_path / "two.npz", a=table, b=table + 1)
    assert pickle.loads(pickle.dumps(takewise.open(tmp_path / "two.npz", "b")))[0, 0] == 1


def test_a_path_is_pickled_as_it_was(path, table, monkeypatch, tmp_path):
    monkeypatch.chdir(path.parent)
    x = takewise.open("table.npy")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert x.path == "table.npy"
    assert np.array_equal(pickle.loads(pickle.dumps(x))[3], table[3])


def test_what_was_pickled_must_be_there_and_the_same(path, table):
    content = pickle.dumps(takewise.open(path))
    written = pickle.dumps(takewise.open(path, mode="r+"))
    later = os.stat(path).st_mtime_ns + 10**9
    os.utime(path, ns=(later, later))
    with pytest.raises(OSError, match=r"table\.npy: was changed since an array in it was pickled"):
        pickle.loads(content)
    assert pickle.loads(written).mode == "r+", "what may be written has a new time whenever it was"
    np.save(path, table[:10])
    with pytest.raises(OSError, match=r"was changed"):
        pickle.loads(written)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"table\.npy: no such file here; the array that was pickled lies in it"):
        pickle.loads(content)


def test_what_lies_in_memory_alone_is_not_pickled(path):
    with pytest.raises(TypeError, match=r"mode='c' is not pickled"):
        pickle.dumps(takewise.open(path, mode="c"))
    x = takewise.open(path)
    x.close()
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(x)


@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4", ">i4", "M8[D]", "U3"])
def test_a_prepared_search_is_pickled(dtype):
    edges = np.array([1, 3, 5, 7]).astype(dtype)
    search = takewise.PreparedSearch(edges)
    again = pickle.loads(pickle.dumps(search))
    values = edges[[2, 0, 3]]
    assert np.array_equal(again.searchsorted(values, side="right"), search.searchsorted(values, side="right"))
    assert len(again) == 4


def test_a_prepared_search_of_torch_is_pickled():
    torch = pytest.importorskip("torch")
    again = pickle.loads(pickle.dumps(takewise.PreparedSearch(torch.tensor([1, 3, 5], dtype=torch.bfloat16))))
    found = again.searchsorted(torch.tensor([2.0, 6.0], dtype=torch.bfloat16))
    assert torch.equal(found, torch.tensor([1, 3]))


# --- Batches -------------------------------------------------------------------------------------------------------------


def test_rows_for_a_batch_are_those_of_a_loop(path, table):
    x = takewise.open(path)
    for rows in ([5, 0, 5, -1], [], np.array([3, 1]), range(4)):
        got = x.__getitems__(rows)
        assert len(got) == len(rows)
        assert all(np.array_equal(a, x[int(k)]) and isinstance(a, np.ndarray) for a, k in zip(got, rows, strict=True))
    with pytest.raises(IndexError, match=r"index 1000 is out of bounds for axis 0 with size 1000"):
        x.__getitems__([3, 1000])


@pytest.mark.parametrize("dtype", ["f4", "i8", "?", "c8", "f2"])
@pytest.mark.parametrize("shape", [(30,), (30, 4), (30, 2, 3), (30, 0)])
def test_a_batch_is_collated_as_its_rows_are(tmp_path, dtype, shape):
    torch = pytest.importorskip("torch")
    table = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    np.save(tmp_path / "x.npy", table)
    got = torch.utils.data.default_collate(takewise.open(tmp_path / "x.npy").__getitems__([3, 0, 3]))
    want = torch.utils.data.default_collate([table[3], table[0], table[3]])
    assert got.dtype == want.dtype and torch.equal(got, want)
    rows = takewise.open(tmp_path / "x.npy").__getitems__([3, 0])
    pairs = torch.utils.data.default_collate([(row, k) for k, row in enumerate(rows)])
    assert torch.equal(pairs[0], want[:2]) and torch.equal(pairs[1], torch.tensor([0, 1]))


def loaded(torch, path, like, **how):
    data = takewise.open(path, like=like)
    made = torch.Generator().manual_seed(3)
    return list(torch.utils.data.DataLoader(data, batch_size=96, shuffle=True, generator=made, **how))


@pytest.mark.parametrize("like", ["numpy", "torch"])
def test_a_loader_gives_what_a_plain_loop_gives(path, table, like):
    torch = pytest.importorskip("torch")

    class Loop(torch.utils.data.Dataset):
        def __len__(self):
            return len(table)

        def __getitem__(self, row):
            return torch.from_numpy(table[row])

    made = torch.Generator().manual_seed(3)
    want = list(torch.utils.data.DataLoader(Loop(), batch_size=96, shuffle=True, generator=made))
    ways = [{}, {"num_workers": 2, "multiprocessing_context": "spawn", "persistent_workers": True, "timeout": 120}]
    if FORK and like == "numpy":
        ways += [{"num_workers": 2, "multiprocessing_context": context, "timeout": 120} for context in ("fork", "forkserver")]
    for how in ways:
        got = loaded(torch, path, like, **how)
        assert len(got) == len(want) and all(map(torch.equal, got, want)), how


def test_parts_of_a_data_set_read_batches_too(path, table):
    torch = pytest.importorskip("torch")
    part = torch.utils.data.Subset(takewise.open(path), range(100, 200))
    (batch,) = torch.utils.data.DataLoader(part, batch_size=100)
    assert np.array_equal(batch.numpy(), table[100:200])


def test_processes_of_every_kind_open_it_for_themselves(path, table):
    # A program of its own: what this one has imported may not be forked.
    code = f"""
    import multiprocessing, operator, takewise

    if __name__ == "__main__":
        x = takewise.open({str(path)!r})
        assert x[5, 0] == {table[5, 0]}
        for context in multiprocessing.get_all_start_methods():
            with multiprocessing.get_context(context).Pool(1) as pool:
                assert pool.apply(operator.getitem, (x, (5, 0))) == {table[5, 0]}, context
    """
    run(code)


# --- Several arrays ------------------------------------------------------------------------------------------------------


def safetensors(path, **tensors):
    header, start = {}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, start + tensor.nbytes]}
        start += tensor.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(tensor.tobytes() for tensor in tensors.values()))


@pytest.fixture
def model(tmp_path, table):
    """A model in two files, of which a third is missing."""
    safetensors(tmp_path / "one.safetensors", first=table[:10], second=table[10:20])
    safetensors(tmp_path / "two.safetensors", third=table[20:30])
    files = {"first": "one.safetensors", "second": "one.safetensors", "third": "two.safetensors", "lost": "three.safetensors"}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": files}))
    return tmp_path / "model.safetensors.index.json"


def test_a_model_in_many_files_is_one_group(model, table):
    with takewise.open_group(model) as group:
        assert sorted(group) == ["first", "lost", "second", "third"] and len(group) == 4 and "third" in group
        assert np.array_equal(group["third"][[3, 0]], table[[23, 20]])
        assert group["third"] is group["third"] and group["first"].shape == (10, 40)
        with pytest.raises(KeyError, match="fourth"):
            group["fourth"]
        with pytest.raises(ValueError, match=r"index\.json: lost: its file three\.safetensors: no such file"):
            group["lost"]
        content = pickle.dumps(group["second"])
        again = pickle.loads(pickle.dumps(group))
        assert np.array_equal(again["second"][0], table[10])
        kept = group["first"]
        assert repr(group) == f"<FileGroup {str(model)!r} of 4 arrays>"
    assert kept.closed
    assert np.array_equal(takewise.open(model, "second")[1], table[11])
    assert np.array_equal(pickle.loads(content)[1], table[11])
    with takewise.open_group(model, mode="r+") as group:
        group["second"][1] = -1
    os.utime(model.parent / "one.safetensors", ns=(5, 5))
    with pytest.raises(OSError, match="was changed"):
        pickle.loads(content)
    assert (takewise.open(model.parent / "one.safetensors", "second")[1] == -1).all()
    with pytest.raises(ValueError, match=r"holds 4 tensors; choose one by name=: first, lost, second, third"):
        takewise.open(model)


def test_groups_of_other_files(tmp_path, table):
    np.savez(tmp_path / "two.npz", a=table, b=table + 1)
    assert {name: array[0, 0] for name, array in takewise.open_group(tmp_path / "two.npz").items()} == {"a": 0, "b": 1}
    pair = takewise.open_group(tmp_path / "two.npz")
    assert [array[0, 0] for array in pair.__getitems__(["b", "a"])] == [1, 0]
    token = pair.__dask_tokenize__()
    assert token == takewise.open_group(tmp_path / "two.npz").__dask_tokenize__()
    os.utime(tmp_path / "two.npz", ns=(5, 5))
    assert token != takewise.open_group(tmp_path / "two.npz").__dask_tokenize__()
    np.save(tmp_path / "x.npy", table)
    assert len(takewise.open_group(tmp_path / "x.npy")) == 0
    with pytest.raises(FileNotFoundError, match="no such file"):
        takewise.open_group(tmp_path / "none.npz")
    (tmp_path / "bad.safetensors.index.json").write_text("{")
    with pytest.raises(ValueError, match="not a readable index of safetensors files"):
        takewise.open_group(tmp_path / "bad.safetensors.index.json")


# --- Ahead ---------------------------------------------------------------------------------------------------------------


def test_reads_are_begun_ahead(path, table):
    x = takewise.open(path)
    keys = [[5, 0], (slice(None), [3, 1]), table[:, 0] > 39_000, ..., (3, 5), (None, 7)]
    for key, read in [(key, x.prefetch(key)) for key in keys]:
        got = read.result()
        assert np.array_equal(got, table[key]) and type(got) is type(table[key])
        assert read.done() and "done" in repr(read)
    assert np.array_equal(x.oindex.prefetch(([5, 0], [3, 1])).result(), table[np.ix_([5, 0], [3, 1])])
    assert np.array_equal(x.vindex.prefetch(([5, 0], [3, 1])).result(), table[[5, 0], [3, 1]])
    out = np.empty((2, 40), "f4")
    assert x.prefetch([5, 0], out=out).result() is out
    assert np.array_equal(out, table[[5, 0]])
    with pytest.raises(IndexError, match=r"index 1000 is out of bounds for axis 0 with size 1000 \(position \[1\]"):
        x.prefetch([3, 1000]).result()


def test_a_key_may_change_once_it_was_given(path, table, monkeypatch):
    x = takewise.open(path)
    ids = np.array([5, 0])
    # All threads wait, so that the read has not begun.
    held = threading.Event()
    busy = [takewise._ahead.begin(lambda _: held.wait(30), None) for _ in range(takewise._ahead._READS)]
    read = x.prefetch(ids)
    ids[:] = 7
    assert not read.done()
    held.set()
    assert np.array_equal(read.result(), table[[5, 0]])
    assert all(one.result() for one in busy)


def test_what_is_dropped_is_not_read():
    held, seen = threading.Event(), []
    busy = [takewise._ahead.begin(lambda _: held.wait(30), None) for _ in range(takewise._ahead._READS)]
    dropped = takewise._ahead.begin(seen.append, 1)
    given_up = takewise._ahead.begin(seen.append, 2)
    assert given_up.cancel()
    del dropped
    gc.collect()
    held.set()
    assert all(one.result() for one in busy)
    assert takewise._ahead.begin(seen.append, 3).result() is None
    assert seen == [3]


def test_a_read_is_awaited(path, table):
    x = takewise.open(path)

    async def both():
        return await asyncio.gather(*(wait(x.prefetch([k])) for k in (5, 7)))

    async def wait(read):
        return await read

    five, seven = asyncio.run(both())
    assert np.array_equal(five, table[[5]]) and np.array_equal(seven, table[[7]])
    with pytest.raises(TimeoutError):
        takewise._ahead.begin(time.sleep, 0.3).result(0.01)


@pytest.mark.skipif(not FORK, reason="processes are not forked here")
def test_a_child_has_threads_of_its_own(path, table):
    code = f"""
    import os, numpy as np, takewise

    x = takewise.open({str(path)!r})
    assert x.prefetch([5, 0]).result()[0, 0] == {table[5, 0]}
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = x.prefetch([7, 0]).result(30)[0, 0] == {table[7, 0]}
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    """
    run(code)


# --- Rows that are kept -----------------------------------------------------------------------------------------------------


def test_rows_are_kept(path, table):
    x = takewise.open(path, cache="64KiB")
    assert x.kept == (0, 0, 0, 1 << 16)
    rows = [5, 999, 5, 700]
    for turn in range(3):
        assert np.array_equal(x[rows], table[rows])
        assert np.array_equal(x[rows, 3:5], table[rows, 3:5])
        assert np.array_equal(x.take([5, -1], axis=0, negative=True), table[[5, -1]])
        if turn == 0:
            first = x.kept
    if first.misses:  # Elsewhere than on Unix pages are touched.
        assert x.kept.misses == first.misses and x.kept.hits > first.hits
        assert 0 < x.kept.bytes <= x.kept.most
    # All rows do not fit.
    for start in range(0, 1000, 10):
        some = np.arange(start, start + 10)
        assert np.array_equal(x[some[::-1]], table[some[::-1]])
    assert x.kept.bytes <= x.kept.most
    assert takewise.open(path).kept is None
    assert pickle.loads(pickle.dumps(x)).kept.most == 1 << 16


def test_kept_rows_are_forgotten_when_the_file_changes(path, table):
    x = takewise.open(path, cache=1 << 16)
    assert np.array_equal(x[[5, 7]], table[[5, 7]])
    with takewise.open(path, mode="r+") as w:
        for value in (-3, -2, -1):
            # Only the first store changes the time of the file.
            w[5] = value
            assert (x[[5, 7]][0] == value).all()
    assert (x[[5, 7]][0] == -1).all()
    later = os.stat(path).st_mtime_ns + 10**9
    os.utime(path, ns=(later, later))
    assert (x[[5, 7]][0] == -1).all()
    with pytest.raises(IndexError, match="index 1000 is out of bounds"):
        x[[5, 1000]]


def test_what_cache_takes(path, tmp_path, table):
    for text, most in [("1KB", 1000), ("1.5 MiB", 3 << 19), ("7", 7), (0, 0), (np.int64(9), 9), ("2GiB", 2 << 30)]:
        assert takewise.open(path, cache=text).kept.most == most
    for bad in ("", "x", "-1", "1XB", -1, 1 << 63, "1e5"):
        with pytest.raises(ValueError, match="cache is a number of bytes"):
            takewise.open(path, cache=bad)
    with pytest.raises(TypeError):
        takewise.open(path, cache=1.5)
    for mode in ("r+", "c"):
        with pytest.raises(ValueError, match="only read"):
            takewise.open(path, mode=mode, cache=100)
    np.savez_compressed(tmp_path / "c.npz", x=table)
    with pytest.raises(ValueError, match="only read"):
        takewise.open(tmp_path / "c.npz", cache=100)


# --- Names for Dask ------------------------------------------------------------------------------------------------------


def test_dask_names_an_array_by_its_file(path, table):
    dask = pytest.importorskip("dask")
    x = takewise.open(path)
    name = dask.base.tokenize(x)
    assert name == dask.base.tokenize(takewise.open(path)) == dask.base.tokenize(pickle.loads(pickle.dumps(x)))
    assert name != dask.base.tokenize(takewise.open(path, mode="r+"))
    later = os.stat(path).st_mtime_ns + 10**9
    os.utime(path, ns=(later, later))
    assert name != dask.base.tokenize(x)
