"""Arrays of Dask's on a cluster of two processes: bytes that move, memory, errors, and workers that are killed."""

import os
import signal
import time

import numpy as np
import pytest
import takewise

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
import dask  # noqa: E402
import takewise.dask as td  # noqa: E402

# The cluster warns of its own ports, clocks and unmanaged memory.
pytestmark = pytest.mark.filterwarnings("default")

SIDE, CUT = 1200, 300


@pytest.fixture(scope="session")
def client():
    settings = {
        "distributed.admin.log-format": "%(message)s",
        "distributed.worker.memory.terminate": False,
        # A killed worker is started again. By default the cluster gives its place up if another is dead there 15 seconds later.
        "distributed.deploy.lost-worker-timeout": "1 hour",
    }
    with dask.config.set(settings), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="session")
def matrix():
    return np.random.default_rng(0).standard_normal((SIDE, SIDE)).astype("f4")


def persisted(client, x, chunks):
    """The array on the workers, chunk by chunk on one and the other."""
    d = client.persist(da.from_array(x, chunks=chunks))
    distributed.wait(d)
    return d


def incoming(dask_worker):
    return sum(fetched["total"] for fetched in dask_worker.transfer_incoming_log)


def test_of_few_rows_a_worker_fetches_rows_and_no_chunks(client):
    x = np.random.default_rng(0).standard_normal((2400, 2400)).astype("f4")
    rows = np.sort(np.random.default_rng(1).choice(2400, 240, replace=False))
    d = persisted(client, x, 300)
    ours, fetched = measured(client, lambda: td.take(d, rows, axis=0))
    np.testing.assert_array_equal(ours, x[rows])
    # About half of them lie on the other worker than the chunk of the result that they go to.
    assert fetched <= 0.75 * ours.nbytes, (fetched, ours.nbytes)


def test_of_rows_in_another_order_a_worker_fetches_what_it_lacks(client):
    x = np.random.default_rng(0).standard_normal((2400, 2400)).astype("f4")
    rows = np.random.default_rng(1).permutation(2400)
    d = persisted(client, x, 300)
    with dask.config.set({"takewise.road": "pairs"}):
        ours, fetched = measured(client, lambda: td.take(d, rows, axis=0))
    np.testing.assert_array_equal(ours, x[rows])
    # Half of the rows that a worker puts together are on the other one; the scheduler may move some more.
    assert fetched <= 0.75 * x.nbytes, (fetched, x.nbytes)


def measured(client, make):
    """A computation that leaves its result on the workers: only what they fetch from each other counts."""
    before = sum(client.run(incoming).values())
    array = client.persist(make())
    distributed.wait(array)
    after = sum(client.run(incoming).values())
    return client.compute(array).result(), after - before


@pytest.mark.parametrize("lazy", [False, True])
def test_reads_and_writes_are_exact(client, matrix, lazy):
    random = np.random.default_rng(2)
    i, j = random.integers(0, SIDE, (2, 5000))
    along = random.integers(0, SIDE, (7, SIDE))
    d = persisted(client, matrix, CUT)
    cut = (lambda a: da.from_array(a, chunks=1000)) if lazy else (lambda a: a)
    results = client.compute([
        td.index(d, (cut(i), cut(j))),
        td.gather(d, 0, cut(along)),
        td.index_put(d, (cut(i), cut(j)), cut(i.astype("f4")), accumulate=True),
        td.scatter(d, 0, cut(along), cut(along.astype("f4"))),
    ])  # fmt: skip
    wanted = [
        matrix[i, j],
        takewise.gather(matrix, 0, along),
        takewise.index_put_(matrix.copy(), (i, j), i.astype("f4"), accumulate=True),
        takewise.scatter(matrix, 0, along, along.astype("f4")),
    ]
    for found, expected in zip(client.gather(results), wanted, strict=True):
        np.testing.assert_array_equal(found, expected)


def few_points():
    return np.random.default_rng(5).integers(0, SIDE, (2, 500))


@pytest.mark.parametrize(
    ("call", "wanted", "keys"),
    [
        (lambda d: td.index(d, tuple(few_points())), lambda x: x[tuple(few_points())], 2 + 1),
        (lambda d: td.take(d, [3, 500, 700, 1100], axis=0), lambda x: x[[3, 500, 700, 1100]], 2 * 4 + 4),
    ],
)
def test_what_is_picked_of_chunks_on_one_worker_is_one_task(client, matrix, call, wanted, keys):
    d = persisted(client, matrix, CUT)
    plan = td.explain(call, d)
    with dask.config.set({"takewise.road": "buckets"}):
        apart = td.explain(call, d)
    # A task for each worker and chunk of the result; chunks may all lie on one of them.
    assert (plan.road, apart.road) == ("workers", "buckets") and plan.keys <= keys < apart.keys
    assert plan.result.name == apart.result.name and plan.keys == len(dict(plan.result.__dask_graph__())) - d.npartitions
    np.testing.assert_array_equal(client.compute(plan.result).result(), wanted(matrix))
    # Of chunks that nobody holds yet each is a task of its own.
    assert td.explain(call, da.from_array(matrix, chunks=CUT)).road == "buckets"


def test_chunks_may_move_after_a_graph_is_built(client, matrix):
    d = persisted(client, matrix, CUT)
    array = td.index(d, tuple(few_points()))
    assert any("-picks-" in str(key) for key in dict(array.__dask_graph__()))
    lost, kept = client.run(os.getpid).values()
    os.kill(lost, signal.SIGKILL)
    np.testing.assert_array_equal(client.compute(array).result(timeout=60), matrix[tuple(few_points())])
    client.wait_for_workers(2, timeout=60)


def test_a_bad_position_comes_back_through_the_scheduler(client, matrix):
    index = np.zeros((40, 50), int)
    index[31, 7], index[31, 8] = SIDE, -SIDE - 1
    d = persisted(client, matrix, CUT)
    lazy = da.from_array(index, chunks=(10, 20))
    for array in (td.index(d, (lazy, lazy)), td.scatter_add(d, 0, lazy, 1.0), td.take(d, lazy, axis=0)):
        with pytest.raises(IndexError) as error:
            client.compute(array).result()
        facts = error.value
        assert (facts.axis, facts.position, facts.value, facts.size) == (0, (31, 7), SIDE, SIDE)


def peak(dask_worker):
    """Resets the mark of this process's largest memory where the system can, and gives it."""
    import pathlib

    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        return 0
    mark = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return 0
    return mark


def growth(client, make):
    """The most by which a worker's memory grew while the result of `make` was made, in bytes."""
    resident = client.run(lambda dask_worker: dask_worker.monitor.get_process_memory())
    if not all(client.run(peak).values()):
        pytest.skip("the system does not tell")
    array = client.persist(make())
    distributed.wait(array)
    return max(mark - resident[worker] for worker, mark in client.run(peak).items())


def test_memory_of_a_worker_is_bounded(client):
    # 64 MiB in chunks of 4 MiB. A task gets whole picks of one column, 16 MiB, and makes 4 MiB of them.
    x = np.zeros((4096, 4096), "f4")
    d = persisted(client, x, 1024)
    rows = np.random.default_rng(3).permutation(4096)
    # Half of the result, some of the picks, and a task's own; 46 to 61 MiB where it was measured. A worker that waits for
    # a processor collects messages meanwhile, 136 MiB once on a loaded machine, so the least of some tries counts.
    tries = []
    for _ in range(4):
        tries.append(growth(client, lambda: td.take(d, rows, axis=0)))
        if tries[-1] <= 96 << 20:
            return
    raise AssertionError([grown >> 20 for grown in tries])


def slow(block):
    time.sleep(0.2)
    return block


@pytest.mark.parametrize("write", [False, True])
def test_a_worker_killed_in_the_middle_changes_nothing(client, matrix, write):
    index = np.random.default_rng(4).integers(0, SIDE, (SIDE, 40))
    lazy = da.from_array(index, chunks=(300, 20))
    # Nothing is on the workers beforehand, so what is lost can be made again.
    d = da.from_array(matrix, chunks=CUT).map_blocks(slow, dtype="f4")
    array = td.scatter_add(d, 0, lazy, 1.0) if write else td.take_along_axis(d, lazy[:, :1], axis=0)
    with dask.config.set({"takewise.road": "exchange" if write else "pairs"}):
        future = client.compute(array)
    time.sleep(0.6)
    assert not future.done()
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    wanted = takewise.scatter_add(matrix, 0, index, 1.0) if write else np.take_along_axis(matrix, index[:, :1], axis=0)
    np.testing.assert_array_equal(future.result(timeout=60), wanted)
    client.wait_for_workers(2, timeout=60)
