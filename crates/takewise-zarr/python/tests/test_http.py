"""Arrays behind URLs: a server on this machine that waits before each answer, and s3 by moto. Requests and bytes are counted."""

import os
import pathlib
import sys

import numpy as np
import pytest
import zarr

import takewise_zarr

pytest.importorskip("obstore")

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from loopback import served  # noqa: E402

X = np.random.default_rng(1).integers(0, 99, (512, 512)).astype("f4")
KINDS = {
    "chunks": dict(chunks=(64, 64), compressors=None),
    "shards": dict(chunks=(16, 16), shards=(128, 128)),
    "raw shards": dict(chunks=(16, 16), shards=(128, 128), compressors=None),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("http")
    for name, how in KINDS.items():
        zarr.create_array(str(root / name.replace(" ", "-")), shape=X.shape, dtype="f4", **how)[...] = X
    return root


@pytest.mark.parametrize("kind", KINDS)
def test_points_cost_no_more_than_by_tensorstore(folder, kind):
    ts = pytest.importorskip("tensorstore")
    i, j = np.random.default_rng(2).integers(0, 512, (2, 300))
    name = kind.replace(" ", "-")
    with served(folder, 0.005) as (server, url):
        x = takewise_zarr.open(f"{url}/{name}")
        server.counts()
        np.testing.assert_array_equal(x[i, j], X[i, j])
        assert server.most >= 4  # at once; how many depends on how busy the machine is
        ours = server.counts()
        assert (ours["requests"], ours["bytes"]) == (x.traffic.requests, x.traffic.bytes)
        spec = {"driver": "zarr3", "kvstore": {"driver": "http", "base_url": url, "path": f"/{name}/"}}
        t = ts.open(spec).result()
        server.counts()
        np.testing.assert_array_equal(t.vindex[i, j].read().result(), X[i, j])
        theirs = server.counts()
        assert ours["requests"] <= theirs["requests"] and ours["bytes"] <= 1.2 * theirs["bytes"], (ours, theirs)


def test_an_index_is_read_once_for_several_calls(folder):
    with served(folder) as (server, url):
        x = takewise_zarr.open(url, "shards")
        server.counts()
        np.testing.assert_array_equal(x[[0, 511], 0], X[[0, 511], 0])
        assert server.counts()["requests"] == 4
        np.testing.assert_array_equal(x[[0, 511], 100], X[[0, 511], 100])
        assert [asked for method, path, asked in server.asked if "c/" in path and asked.startswith("bytes=-")] == []
        assert server.counts()["requests"] == 2


def test_the_gap_trades_bytes_for_requests(folder):
    found = []
    rows = np.arange(0, 128, 32)
    for gap in (0, 1 << 20):
        with served(folder) as (server, url):
            x = takewise_zarr.open(f"{url}/raw-shards", gap=gap)
            server.counts()
            np.testing.assert_array_equal(x[rows, 0], X[rows, 0])
            found.append(server.counts())
    few, many = found[1], found[0]
    assert (many["requests"], few["requests"]) == (5, 2) and few["bytes"] > 3 * many["bytes"]


def test_a_shard_that_changes_while_it_is_read_is_begun_anew(tmp_path):
    path = tmp_path / "x"
    z = zarr.create_array(str(path), shape=(64, 64), dtype="i4", chunks=(8, 8), shards=(64, 64))
    z[...] = 1
    random = np.random.default_rng(3)
    with served(tmp_path) as (server, url):
        x = takewise_zarr.open(f"{url}/x")
        assert x[0, 0] == 1
        changes = iter([random.integers(0, 9, (64, 64)), random.integers(0, 9, (64, 64))])

        def change(asked):
            if "/c/" in asked and (data := next(changes, None)) is not None:
                z[...] = data

        server.change = change
        np.testing.assert_array_equal(x[0], z[0])
        # A shard that has become shorter than where a chunk was.
        z[:8] = 3
        z[8:] = 0
        np.testing.assert_array_equal(x[[0, 63]], z[...][[0, 63]])
        server.change = lambda asked: z.__setitem__(..., random.integers(0, 9, (64, 64))) if "/c/" in asked else None
        with pytest.raises(OSError, match="changes faster than it can be read"):
            x[0]


def test_writes_by_put_and_delete(tmp_path):
    with served(tmp_path) as (server, url):
        x = takewise_zarr.create(url, "new", shape=(40, 40), dtype="i4", chunks=(5, 5), shards=(20, 20))
        want = np.zeros((40, 40), "i4")
        i, j = np.random.default_rng(4).integers(0, 40, (2, 500))
        x[i, j] = np.arange(500)
        want[i, j] = np.arange(500)
        x.at[i, j].add_(1)
        np.add.at(want, (i, j), 1)
        np.testing.assert_array_equal(zarr.open_array(str(tmp_path / "new"), mode="r")[...], want)
        server.counts()
        x[:20] = 0
        assert server.counts()["requests"] == 2 and not (tmp_path / "new/c/0/0").exists()
        want[:20] = 0
        np.testing.assert_array_equal(x[...], want)
        with pytest.raises(OSError, match="already"):
            takewise_zarr.create(url, "new", shape=3, dtype="i4", chunks=2)


def test_failures_of_the_network(folder):
    with served(folder) as (server, url):
        x = takewise_zarr.open(f"{url}/chunks")
        server.fail = {"/chunks/c/1/0": 403}
        with pytest.raises(OSError, match="chunks/c/1/0"):
            x[...]
        np.testing.assert_array_equal(x[0], X[0])
        server.fail = {}
        np.testing.assert_array_equal(x[...], X)
        with pytest.raises(OSError, match="neither zarr.json nor .zarray"):
            takewise_zarr.open(f"{url}/nothing")
    with pytest.raises(TypeError, match="behind a URL"):
        takewise_zarr.open(folder, "chunks", options={"region": "x"})


def test_what_is_missing_is_named_with_the_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(ImportError, match=r'obstore.*pip install "takewise-zarr\[remote\]"'):
        takewise_zarr.open("http://127.0.0.1:1/x")


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_s3(tmp_path, monkeypatch):
    server = pytest.importorskip("moto.server")
    boto3 = pytest.importorskip("boto3")
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    try:
        _, port = running.get_host_and_port()
        endpoint = f"http://127.0.0.1:{port}"
        boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket="bucket")
        options = {"endpoint": endpoint, "client_options": {"allow_http": True}, "region": "us-east-1"}
        x = takewise_zarr.create("s3://bucket/data.zarr", "a", shape=(30, 30), dtype="f8", chunks=(5, 5), shards=(15, 15), options=options)
        want = np.zeros((30, 30))
        i, j = np.random.default_rng(5).integers(0, 30, (2, 100))
        x[i, j], want[i, j] = np.arange(100), np.arange(100)
        x = takewise_zarr.open("s3://bucket/data.zarr/a", options=options)
        np.testing.assert_array_equal(x[...], want)
        np.testing.assert_array_equal(x[i, j], want[i, j])
        with pytest.raises(OSError, match="neither"):
            takewise_zarr.open("s3://bucket/other", options=options)
    finally:
        running.stop()
