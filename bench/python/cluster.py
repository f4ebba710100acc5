"""takewise.dask beside Dask's own indexing, on a local cluster of two processes with one thread each.

    cargo xtask bench dask [--rounds N] [--side N] [REGEX]

Both sides read the same array, which lies on the workers in chunks before anything is timed. They take turns round by round,
and have to give NumPy's answer first. A row has the median wall time of building the graph and computing it, the keys of the
graph, and the bytes that workers fetched from each other; `ratio` is takewise by Dask. Where Dask has no such operation, its
cells are empty; the column `numpy` is the same work in this process on an array in memory.
"""

import argparse
import re
import statistics
import time

import dask
import dask.array as da
import distributed
import machine
import numpy as np

import takewise
import takewise.dask as td

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--side", type=int, default=8000, help="rows of the array, which has half as many columns")
parser.add_argument("pattern", nargs="?", default="", help="only rows whose name matches")
RANDOM = np.random.default_rng(7)


def cases(x, side):
    """Rows: a name, takewise's call and Dask's on the array in chunks, and NumPy's on the array itself."""
    rows, columns = side, side // 2
    i, j = RANDOM.integers(0, rows, 1_000_000), RANDOM.integers(0, columns, 1_000_000)
    order = RANDOM.permutation(rows)
    few = np.sort(RANDOM.choice(rows, rows // 10, replace=False))
    dense, sparse = RANDOM.integers(0, rows, (rows // 2, columns)), RANDOM.integers(0, rows, (rows // 100, columns))
    cut = max(1, side // 8)
    lazy_dense, lazy_sparse = (da.from_array(a, chunks=cut).persist() for a in (dense, sparse))
    lazy = [da.from_array(a, chunks=250_000).persist() for a in (i, j)]
    return [
        ("1M points, x[i, j]", lambda d: td.index(d, (i, j)), lambda d: d.vindex[i, j], lambda: x[i, j]),
        ("10k points", lambda d: td.index(d, (i[:10_000], j[:10_000])), lambda d: d.vindex[i[:10_000], j[:10_000]],
         lambda: x[i[:10_000], j[:10_000]]),
        ("1M points, lazy", lambda d: td.index(d, tuple(lazy)), None, lambda: x[i, j]),
        ("rows in another order", lambda d: td.take(d, order, axis=0), lambda d: da.take(d, order, axis=0), lambda: x[order]),
        ("a tenth of the rows, sorted", lambda d: td.take(d, few, axis=0), lambda d: da.take(d, few, axis=0), lambda: x[few]),
        ("take_along_axis, dense, lazy", lambda d: td.take_along_axis(d, lazy_dense, axis=0), None,
         lambda: np.take_along_axis(x, dense, 0)),
        ("take_along_axis, sparse, lazy", lambda d: td.take_along_axis(d, lazy_sparse, axis=0), None,
         lambda: np.take_along_axis(x, sparse, 0)),
        ("scatter_add, sparse, lazy", lambda d: td.scatter_add(d, 0, lazy_sparse, 1.0), None,
         lambda: takewise.scatter_add(x, 0, sparse, 1.0)),
    ]  # fmt: skip


def incoming(dask_worker):
    return sum(fetched["total"] for fetched in dask_worker.transfer_incoming_log)


def run(client, call, d):
    """Seconds, keys, bytes that moved, and the result, which stays on the workers."""
    before, start = sum(client.run(incoming).values()), time.perf_counter()
    array = call(d)
    done = client.persist(array)
    distributed.wait(done)
    seconds = time.perf_counter() - start
    keys = len(dict(array.__dask_graph__())) - len(dict(d.__dask_graph__()))
    return seconds, keys, sum(client.run(incoming).values()) - before, done


def main(given):
    machine.warn()
    x = RANDOM.standard_normal((given.side, given.side // 2), "f4")
    quiet = {"distributed.admin.log-format": "%(message)s"}
    with dask.config.set(quiet), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster, distributed.Client(cluster) as client:
        d = client.persist(da.from_array(x, chunks=max(1, given.side // 8)))
        distributed.wait(d)
        print(f"{'':32}{'takewise':>10}{'dask':>10}{'ratio':>7}{'numpy':>10}   keys            MB moved")
        for name, ours, theirs, plain in cases(x, given.side):
            if re.search(given.pattern, name):
                row(client, d, name, [ours] if theirs is None else [ours, theirs], plain, given.rounds)


def row(client, d, name, calls, plain, rounds):
    wanted = plain()
    times, keys, moved = [[] for _ in calls], [0, 0], [0, 0]
    for one in calls:
        found = client.compute(run(client, one, d)[3]).result()
        if not np.array_equal(found, wanted):
            raise SystemExit(f"{name}: the answers differ")
        del found
    for turn in range(rounds):
        order = range(len(calls)) if turn % 2 else range(len(calls) - 1, -1, -1)
        for k in order:
            seconds, keys[k], moved[k], result = run(client, calls[k], d)
            times[k].append(seconds)
            del result
    start = time.perf_counter()
    plain()
    alone = time.perf_counter() - start
    middle = [statistics.median(own) for own in times]
    dask_time, ratio = (f"{middle[1] * 1e3:.0f} ms", f"{middle[0] / middle[1]:.2f}") if len(calls) > 1 else ("", "")
    counts = " / ".join(str(n) for n in keys[: len(calls)])
    sizes = " / ".join(f"{n / 1e6:.1f}" for n in moved[: len(calls)])
    print(f"{name:32}{middle[0] * 1e3:7.0f} ms{dask_time:>10}{ratio:>7}{alone * 1e3:7.0f} ms   {counts:<16}{sizes}")


if __name__ == "__main__":
    main(parser.parse_args())
