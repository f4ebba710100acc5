"""Points and rows of Zarr arrays: tensorstore and zarr-python beside takewise.

    cargo xtask bench zarr [--side N] [--rounds N] [--latency MS] [--folder FOLDER] [REGEX]

A row of the table is one selection of a float32 array of 8,192 x 8,192 in one kind of store: chunks of 256 x 256, or chunks of 64 x 64 in
shards of 1,024 x 1,024, each compressed (Zstandard, level 1) or not, in a local folder whose pages the system holds already. Each
engine opens the array once, takes turns with the others, and every answer is compared with what the array holds. Times are those of
the processor, of all threads of the process; the least of the rounds counts. Writes store to random points that differ.

The rows `http` read from a server on this machine that waits before each answer, and count its requests and bytes.

The goals: reads of compressed chunks at most 0.9 of tensorstore's processor time, raw shards 0.6, writes 1.0; shards at
most 0.12 of zarr-python's, plain chunks 0.6; remote no more requests than tensorstore and 1.2 of its bytes. Runs on a machine
that does other work say so.
"""

import argparse
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

import machine
import numpy as np
import obstore.store
import tensorstore as ts
import zarr

import takewise_zarr

LOOPBACK = pathlib.Path(__file__).parents[2] / "crates/takewise-zarr/python/tests/loopback.py"

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--side", type=int, default=8192, help="extent of both axes")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--latency", type=float, default=10, help="milliseconds before each answer of the server")
parser.add_argument("--folder", help="where to make the arrays")
parser.add_argument("regex", nargs="?", default="", help="which rows, by store and selection")

STORES = {
    "chunks, zstd": dict(chunks=256, shards=None, compressor="zstd"),
    "chunks, raw": dict(chunks=256, shards=None, compressor=None),
    "shards, zstd": dict(chunks=64, shards=1024, compressor="zstd"),
    "shards, raw": dict(chunks=64, shards=1024, compressor=None),
}


def element(i, j):
    """What the array holds at (i, j): a smooth field, and noise that compresses by half."""
    i, j = np.asarray(i, "u4"), np.asarray(j, "u4")
    mixed = (i * np.uint32(2654435761) ^ j * np.uint32(2246822519)) >> np.uint32(20)
    return (mixed & np.uint32(1023)).astype("f4") + np.float32(0.5)


def make(path, how, side):
    shards = how["shards"] and (how["shards"],) * 2
    x = takewise_zarr.create(
        path, shape=(side, side), dtype="f4", chunks=(how["chunks"],) * 2, shards=shards, compressor=how["compressor"]
    )
    step = 1024
    for start in range(0, side, step):
        x[start : start + step] = element(np.arange(start, min(start + step, side))[:, None], np.arange(side)[None])


class Takewise:
    name = "takewise"

    def __init__(self, path, write=False, url=False):
        self.x = takewise_zarr.open(path, mode="r+" if write else "r")

    def points(self, i, j):
        return self.x.vindex[i, j]

    def outer(self, i, j):
        return self.x.oindex[i, j]

    def put(self, i, j, values):
        self.x.vindex[i, j] = values


class Tensorstore:
    name = "tensorstore"

    def __init__(self, path, write=False, url=False):
        base, _, within = str(path).rpartition("/")
        kvstore = {"driver": "http", "base_url": base, "path": f"/{within}/"} if url else {"driver": "file", "path": str(path)}
        self.x = ts.open({"driver": "zarr3", "kvstore": kvstore}).result()

    def points(self, i, j):
        return self.x.vindex[i, j].read().result()

    def outer(self, i, j):
        return self.x.oindex[i, j].read().result()

    def put(self, i, j, values):
        self.x.vindex[i, j].write(values).result()


class Zarr:
    name = "zarr-python"

    def __init__(self, path, write=False, url=False):
        if url:
            store = obstore.store.from_url(str(path), client_options={"allow_http": True})
            path = zarr.storage.ObjectStore(store, read_only=True)
        self.x = zarr.open_array(path, mode="r+" if write else "r")

    def points(self, i, j):
        return self.x.vindex[i, j]

    def outer(self, i, j):
        return self.x.oindex[i, j]

    def put(self, i, j, values):
        self.x.vindex[i, j] = values


ENGINES = [Takewise, Tensorstore, Zarr]


def selections(side):
    random = np.random.default_rng(7)
    point = lambda n: random.integers(0, side, (2, n))  # noqa: E731
    rows = np.sort(random.choice(side, min(200, side), replace=False))
    some = lambda n: np.unravel_index(random.choice(side * side, n, replace=False), (side, side))  # noqa: E731
    return {
        "1,000 points": ("points", *point(1000)),
        "100,000 points": ("points", *point(100_000)),
        "1,000,000 points": ("points", *point(1_000_000)),
        "200 x 200": ("outer", rows, rows[::-1].copy()),
        f"200 x {side:,}": ("outer", rows, np.arange(side)),
        "1,000 points written": ("put", *some(1000)),
        "100,000 points written": ("put", *some(min(100_000, side * side // 2))),
    }


def wanted(how, i, j):
    return element(i[:, None], j[None]) if how == "outer" else element(i, j)


def turns(engines, rounds, call, check):
    """The least processor time and wall time of each engine, in milliseconds."""
    best = {}
    for turn in range(rounds):
        for k in range(len(engines)):
            engine = engines[(k + turn) % len(engines)]
            cpu, wall = time.process_time(), time.perf_counter()
            answer = call(engine)
            spent = time.process_time() - cpu, time.perf_counter() - wall
            if not check(engine, answer):
                sys.exit(f"{engine.name}: a wrong answer")
            before = best.get(engine.name, spent)
            best[engine.name] = tuple(min(pair) for pair in zip(spent, before, strict=True))
    return {name: tuple(1000 * seconds for seconds in spent) for name, spent in best.items()}


def local(path, how, i, j, rounds):
    if how != "put":
        engines = [engine(path) for engine in ENGINES]
        want = wanted(how, i, j)
        return turns(engines, rounds, lambda e: getattr(e, how)(i, j), lambda _, got: np.array_equal(got, want))
    engines = [engine(path, write=True) for engine in ENGINES]
    reader, count = Tensorstore(path), iter(range(1 << 20))
    last = {}

    def write(engine):
        # Other numbers each time, and at the end those of before, made by `element`.
        last["values"] = element(i, j) + np.float32(next(count) + 1)
        engine.put(i, j, last["values"])

    best = turns(engines, rounds, write, lambda *_: np.array_equal(reader.points(i, j), last["values"]))
    engines[1].put(i, j, element(i, j))
    return best


def remote(folder, within, how, i, j, latency):
    """Requests, megabytes and milliseconds of the clock of each engine, opened anew."""
    server = subprocess.Popen([sys.executable, str(LOOPBACK), str(folder), str(latency)], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        counts = lambda: json.load(urllib.request.urlopen(f"{url}/-/counts"))  # noqa: E731, S310
        found = {}
        for engine in ENGINES:
            opened = engine(f"{url}/{within}", url=True)
            counts()
            start = time.perf_counter()
            got = getattr(opened, how)(i, j)
            wall = time.perf_counter() - start
            if not np.array_equal(got, wanted(how, i, j)):
                sys.exit(f"{engine.name}: a wrong answer")
            now = counts()
            found[engine.name] = now["requests"], now["bytes"] / 1e6, 1000 * wall
        return found
    finally:
        server.terminate()
        server.wait()


def main():
    arguments = parser.parse_args()
    print(f"tensorstore {importlib.metadata.version('tensorstore')}, zarr-python {zarr.__version__}, takewise-zarr {takewise_zarr.__version__}")
    machine.warn()
    chosen = selections(arguments.side)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = pathlib.Path(folder)
        heads = ["store", "selection", "takewise ms", "tensorstore ms", "zarr-python ms", "/ tensorstore", "/ zarr-python"]
        if any(re.search(arguments.regex, f"{store}, {name}") for store in STORES for name in chosen):
            print(f"\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
        made = []
        for number, (store, how) in enumerate(STORES.items()):
            rows = [name for name in chosen if re.search(arguments.regex, f"{store}, {name}")]
            http = [name for name in ("1,000 points",) if re.search(arguments.regex, f"http, {store}, {name}")]
            if not rows and not http:
                continue
            path = folder / str(number)
            make(path, how, arguments.side)
            made += [(store, number, name) for name in http]
            for name in rows:
                best = local(path, *chosen[name], arguments.rounds)
                cpu = {engine.name: best[engine.name][0] for engine in ENGINES}
                ours = cpu["takewise"]
                figures = [f"{value:.0f}" for value in cpu.values()] + [f"{ours / cpu[peer]:.2f}" for peer in ("tensorstore", "zarr-python")]
                print(f"| {store} | {name} | {' | '.join(figures)} |", flush=True)
        if made:
            print(f"\n| over http, {arguments.latency:g} ms before each answer | | requests | MB | ms |\n|---|---|---|---|---|")
        for store, number, name in made:
            found = remote(folder, number, *chosen[name], arguments.latency)
            for engine, (requests, size, wall) in found.items():
                print(f"| {store}, {name} | {engine} | {requests} | {size:.1f} | {wall:.0f} |", flush=True)


main()
