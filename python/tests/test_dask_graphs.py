"""Graphs over arrays of Dask's: what they read, how many keys they have, what is refused and when."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import takewise

da = pytest.importorskip("dask.array")
import dask  # noqa: E402
import takewise.dask as td  # noqa: E402

X = np.arange(80 * 60, dtype="f4").reshape(80, 60)


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def in_chunks(x=X, chunks=(10, 20)):
    return da.from_array(x, chunks=chunks)


class Counting:
    """An array that notes which parts are read."""

    def __init__(self, x):
        self.x, self.read = x, []
        self.shape, self.dtype, self.ndim = x.shape, x.dtype, x.ndim

    def __getitem__(self, key):
        self.read.append(key)
        return self.x[key]


def keys_of(array, *sources):
    """The keys that a graph has beyond those of its sources."""
    theirs = {key for source in sources for key in dict(source.__dask_graph__())}
    return [key for key in dict(array.__dask_graph__()) if key not in theirs]


def test_only_touched_chunks_are_read():
    source = Counting(X)
    d = da.from_array(source, chunks=(10, 20), asarray=False)
    source.read.clear()
    found = td.index(d, (np.array([3, 71]), np.array([59, 0])))
    np.testing.assert_array_equal(found.compute(), X[[3, 71], [59, 0]])
    assert sorted((key[0].start, key[1].start) for key in source.read) == [(0, 40), (70, 0)]


@pytest.mark.parametrize(
    ("call", "touched", "outputs"),
    [
        (lambda d: td.index(d, (np.arange(80), np.arange(80) % 60)), 8, 1),
        (lambda d: td.take(d, np.random.default_rng(0).permutation(80), axis=0), 24, 24),
        (lambda d: td.take(d, np.array([5, 6, 7]), axis=0), 3, 3),
        (lambda d: td.oindex(d, ([0, 79], [1, 2, 41])), 4, 1),
        (lambda d: td.index(d, (slice(5, 25), slice(None, None, -1))), 9, 9),
        (lambda d: td.gather(d, 1, np.zeros((80, 1), int)), 8, 8),
    ],
)
def test_keys_are_at_most_touched_and_output_chunks(call, touched, outputs):
    d = in_chunks()
    plan = td.explain(call, d)
    (step,) = plan.steps
    assert (step.road, step.touched, step.output_chunks) == ("buckets", touched, outputs)
    assert plan.keys == len(keys_of(plan.result, d)) == touched + outputs
    assert plan.result.npartitions == outputs


def test_bytes_handed_on_are_those_of_the_result():
    rows = np.random.default_rng(1).permutation(80)
    plan = td.explain(td.take, in_chunks(), rows, axis=0)
    # Dask's own take hands each source chunk on and then the parts of it.
    assert plan.bytes_moved == X.nbytes
    few = td.explain(td.take, in_chunks(), rows[:4], axis=0)
    assert few.bytes_moved == 4 * 60 * 4
    # An offset of two bytes for each position, and a place of two bytes, once for all columns.
    assert few.steps[0].bytes_in_graph <= 16


DENSE = np.random.default_rng(2).integers(0, 80, (80, 60))


@pytest.mark.parametrize(
    ("call", "road"),
    [
        (lambda d, lazy: td.take(d, lazy(np.array([1, 79])), axis=0), "pairs"),
        (lambda d, lazy: td.take(d, lazy(np.arange(80)), axis=0), "whole axis"),
        (lambda d, lazy: td.take(d.rechunk((80, 20)), lazy(np.arange(80)), axis=0), "one chunk"),
        (lambda d, lazy: td.take_along_axis(d, lazy(DENSE), axis=0), "whole axis"),
        (lambda d, lazy: td.take_along_axis(d, lazy(DENSE[:3]), axis=0), "pairs"),
        (lambda d, lazy: td.index(d, (lazy(DENSE), lazy(DENSE % 60))), "exchange"),
        (lambda d, lazy: td.index(d, (lazy(DENSE[0, :9]), 3)), "pairs"),
        (lambda d, lazy: td.scatter_add(d, 0, lazy(DENSE), 1.0), "exchange"),
    ],
)
def test_the_road_is_chosen_by_density(call, road):
    d = in_chunks()
    plan = td.explain(call, d, lambda i: da.from_array(i, chunks=20))
    assert plan.road == road
    assert plan.steps[-1].why in str(plan) and f"keys    {plan.steps[-1].keys}" in str(plan)
    assert plan.result.shape == call(d, lambda i: i).shape
    np.testing.assert_array_equal(plan.result, call(d, lambda i: i))


def test_whole_picks_that_are_too_large_for_a_task_are_split():
    rows = np.random.default_rng(3).permutation(80)
    with dask.config.set({"takewise.task-bytes": "5 kB"}):
        plan = td.explain(td.take, in_chunks(), rows, axis=0)
        assert plan.road == "pairs" and "above 4.883 KiB" in plan.steps[0].why
        np.testing.assert_array_equal(plan.result, X[rows])


def test_large_parts_are_sent_by_themselves():
    d = da.zeros((8, 1 << 19), chunks=(2, -1))
    assert td.explain(td.take, d, np.arange(8)[::-1], axis=0).road == "buckets"
    plan = td.explain(td.take, d, np.array([0, 2, 4, 6, 1, 3, 5, 7]), axis=0)
    assert plan.road == "pairs" and plan.keys == 8 + 4 and "4 MiB" in plan.steps[0].why


def test_a_shuffle_that_is_too_large_is_refused_with_its_sizes(monkeypatch):
    from takewise.dask import _positions, _write

    monkeypatch.setattr(_positions, "MOST_KEYS", 10)
    monkeypatch.setattr(_write, "MOST_KEYS", 10)
    lazy = da.from_array(DENSE, chunks=20)
    with dask.config.set({"takewise.task-bytes": "1 kB"}):
        with pytest.raises(NotImplementedError, match=r"56.25 KiB.* limit is 1000 bytes .*288 keys.*peer-to-peer"):
            td.index(in_chunks(), (lazy, lazy % 60))
        with pytest.raises(NotImplementedError, match="peer-to-peer"):
            td.scatter(in_chunks(), 0, lazy, 1.0)


BAD = np.zeros((6, 8), int)
BAD[2, 7], BAD[4, 1], BAD[5, 5] = 99, -81, 80


@pytest.mark.parametrize("road", [None, "pairs", "exchange", "whole axis"])
@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda m, x, i: m.take(x, i, axis=0), lambda: takewise.take(X, BAD, axis=0)),
        (lambda m, x, i: m.index(x, (i, slice(3))), lambda: takewise.index(X, (BAD, slice(3)))),
        (lambda m, x, i: m.index(x, (0, i)), lambda: takewise.index(X, (0, BAD))),
        (lambda m, x, i: m.index(x, (i, i + 1)), lambda: takewise.index(X, (BAD, BAD + 1))),
        (lambda m, x, i: m.gather(x, 0, i), lambda: takewise.gather(X, 0, BAD)),
        (lambda m, x, i: m.scatter(x, 0, i, 1.0), lambda: takewise.scatter(X, 0, BAD, 1.0)),
        (lambda m, x, i: m.index_put(x, (i,), 1.0), lambda: takewise.index_put(X, (BAD,), 1.0)),
        (lambda m, x, i: m.take(x, i * 60), lambda: takewise.take(X, BAD * 60)),
    ],
)
def test_the_first_bad_position_of_the_whole_index_is_named(function, wanted, road):
    with pytest.raises(IndexError) as expected:
        wanted()
    # Known: while the graph is built.
    with pytest.raises(IndexError) as early:
        function(td, in_chunks(), BAD)
    with dask.config.set({"takewise.road": road}):
        lazy = function(td, in_chunks(), da.from_array(BAD, chunks=(2, 3)))
    with pytest.raises(IndexError) as late:
        lazy.compute()
    for found in (early.value, late.value, pickle.loads(pickle.dumps(late.value))):
        assert str(found) == str(expected.value)
        for fact in ("axis", "position", "value", "size"):
            assert getattr(found, fact) == getattr(expected.value, fact)


def test_the_first_of_several_index_arrays_in_index_order_is_named():
    i, j = np.zeros((1, 8), int), np.zeros((6, 8), int)
    i[0, 5], j[0, 6], j[0, 4] = 90, 60, -61
    lazy = [da.from_array(a, chunks=3) for a in (i, j)]
    with pytest.raises(IndexError) as expected:
        takewise.index(X, (i, j))
    for given in ((i, j), lazy, (lazy[0], j)):
        with pytest.raises(IndexError) as found:
            td.index(in_chunks(), tuple(given)).compute()
        assert str(found.value) == str(expected.value) and found.value.position == (0, 4) and found.value.axis == 1


def test_writes_wait_for_all_checks():
    lazy = da.from_array(BAD, chunks=(2, 3))
    found = td.scatter(in_chunks(), 0, lazy, 1.0)
    tasks = dict(found.__dask_graph__())
    verdict = f"{found.name}-verdict"
    below = lambda key: {key}.union(*(below(k) for k in getattr(tasks[key], "dependencies", ())))  # noqa: E731
    written = [key for key in tasks if key[0] == found.name and len(tasks[key].dependencies) > 1]
    assert written and all(verdict in below(key) for key in written)


def test_places_named_twice_are_refused_by_position():
    index = np.array([[3, 1], [3, 4]])
    with pytest.raises(ValueError) as expected:
        takewise.scatter(X, 0, index, 1.0, duplicates="error")
    for given in (index, da.from_array(index, chunks=1)):
        with pytest.raises(ValueError) as found:
            td.scatter(in_chunks(), 0, given, 1.0, duplicates="error").compute()
        assert str(found.value) == str(expected.value)


def test_the_last_value_in_index_order_stays_however_the_index_is_cut():
    index = np.random.default_rng(4).integers(0, 3, (12, 12))
    values = np.arange(144.0).reshape(12, 12)
    x = np.zeros((4, 4))
    wanted = takewise.index_put_(x.copy(), (index, index[::-1]), values)
    for cut in (1, 5, (3, 12), (12, 5)):
        lazy = [da.from_array(a, chunks=cut) for a in (index, index[::-1])]
        for value in (values, da.from_array(values, chunks=(5, 4))):
            np.testing.assert_array_equal(td.index_put(da.from_array(x, chunks=2), tuple(lazy), value), wanted)


def test_what_is_refused():
    unknown = in_chunks()[da.from_array(X[:, 0] > 100, chunks=10)]
    with pytest.raises(ValueError, match=r"x has chunks of unknown size along axis 0.*compute_chunk_sizes\(\)"):
        td.take(unknown, [0], axis=0)
    with pytest.raises(ValueError, match="index has chunks of unknown size"):
        td.take(in_chunks(), da.from_array(np.arange(5), chunks=2)[da.from_array(np.arange(5) > 2, chunks=2)], axis=0)
    assert td.take(unknown.compute_chunk_sizes(), [0], axis=0).shape == (1, 60)
    with pytest.raises(TypeError, match="Python objects"):
        td.take(da.from_array(np.array([None, 1]), chunks=1), [0])
    with pytest.raises(TypeError, match="float64"):
        td.take(in_chunks(), [0.5])
    with pytest.raises(ValueError, match="bounds must be one of"):
        td.take(in_chunks(), [0], bounds="reflect")
    with pytest.raises(ValueError, match="sorter must have the shape"):
        td.searchsorted(in_chunks()[0], [1.0], sorter=np.arange(59))
    with pytest.raises(ValueError, match="60"):
        td.searchsorted(in_chunks()[0], [1.0], sorter=np.arange(1, 61))
    with pytest.raises(ValueError, match="does not broadcast"):
        td.index_put(in_chunks(), [1, 2], np.zeros(7))
    with pytest.raises(ValueError, match="larger than the source"):
        td.scatter(in_chunks(), 0, np.zeros((2, 3), int), np.zeros((1, 3)))


@pytest.mark.parametrize(
    ("key", "error"),
    [((0, 0, 0), IndexError), ((Ellipsis, Ellipsis), ValueError), (np.ones(7, bool), IndexError), (([0, 1], [0, 1, 2]), IndexError)],
)
def test_keys_that_do_not_fit_are_refused_as_in_memory(key, error):
    with pytest.raises(error) as expected:
        takewise.index(X, key)
    with pytest.raises(error) as found:
        td.index(in_chunks(), key)
    assert str(found.value) == str(expected.value)


def test_functions_of_the_package_go_there_by_type():
    d, i = in_chunks(), np.array([[3, 0], [1, 1]])
    lazy = da.from_array(i, chunks=1)
    for found, wanted in [
        (takewise.gather(d, 1, i), takewise.gather(X, 1, i)),
        (takewise.gather(X, 1, lazy), takewise.gather(X, 1, i)),
        (takewise.take(d, [5, 79], axis=0, bounds="clip"), X[[5, 79]]),
        (takewise.take(d, index=[5, 7], axis=0), X[[5, 7]]),
        (takewise.index(d, (slice(3), [1, 2])), X[:3, [1, 2]]),
        (takewise.index(X, (lazy, 3)), X[i, 3]),
        (takewise.scatter_add(d, 0, lazy, 1.0), takewise.scatter_add(X, 0, i, 1.0)),
        (takewise.masked_select(d, d > 4000), X[X > 4000]),
        (takewise.searchsorted(d[0], [3.5]), [4]),
        (takewise.searchsorted(d[0], [3.5], sorter=np.arange(60)), [4]),
        (takewise.gather_nd(d, i), takewise.gather_nd(X, i)),
        (takewise.tensor_scatter(d, i, 7), takewise.tensor_scatter(X, i, 7)),
        (takewise.scatter_nd(lazy, np.float32([1, 2]), (4, 4)), takewise.scatter_nd(i, np.float32([1, 2]), (4, 4))),
        (takewise.put(d, i, 7), takewise.put(X, i, 7)),
        (takewise.index_add(d, 0, [5, 5], d[:2]), takewise.index_add(X, 0, [5, 5], X[:2])),
        (takewise.index_copy(d, 0, [5, 9], X[:2]), takewise.index_copy(X, 0, [5, 9], X[:2])),
        (takewise.index_fill(d, 1, lazy[0], 7), takewise.index_fill(X, 1, i[0], 7)),
        (takewise.index_reduce(d, 0, [5, 5], X[:2], "max"), takewise.index_reduce(X, 0, [5, 5], X[:2], "max")),
    ]:
        assert isinstance(found, da.Array)
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(IndexError) as error:
        takewise.take(d, [0, 80], axis=0)
    assert error.value.position == (1,)


TUPLES = np.array([[[3, 59], [79, 60]], [[80, 0], [1, 1]]])


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda m, x, i: m.gather_nd(x, i), lambda: takewise.gather_nd(X, TUPLES)),
        (lambda m, x, i: m.tensor_scatter(x, i, 1), lambda: takewise.tensor_scatter(X, TUPLES, 1)),
        (lambda m, x, i: m.scatter_reduce(x, 0, i[..., 0], 1.0, "none"), lambda: takewise.scatter_reduce(X, 0, TUPLES[..., 0], 1.0, "none")),
        (lambda m, x, i: m.index_copy(x, 0, i[..., 0].ravel(), X[:4]), lambda: takewise.index_copy(X, 0, TUPLES[..., 0].ravel(), X[:4])),
        (lambda m, x, i: m.index_add(x, 0, i[..., 0].ravel(), X[:4]), lambda: takewise.index_add(X, 0, TUPLES[..., 0].ravel(), X[:4])),
    ],
)
def test_other_writes_and_tuples_name_the_first_bad_position(function, wanted):
    with pytest.raises(IndexError) as expected:
        wanted()
    for given in (TUPLES, da.from_array(TUPLES, chunks=1)):
        with pytest.raises(IndexError) as found:
            function(td, in_chunks(), given).compute()
        assert str(found.value) == str(expected.value)
        for fact in ("axis", "position", "value", "size"):
            assert getattr(found.value, fact) == getattr(expected.value, fact)


def test_an_outer_write_stays_a_product():
    d = da.zeros((4000, 4000), chunks=1000, dtype="f4")
    rows = np.arange(4000)[::-1]
    plan = td.explain(td.oindex_put, d, (rows, rows), 1.0)
    # An offset of two bytes for each value in each chunk that takes part, and no list of the 16 million places.
    assert plan.steps[0].bytes_in_graph == 16 * 2 * 1000 * 2
    lazy = [da.from_array(np.array(a), chunks=2) for a in ([3, 3999, 4], [0, 4, 4000, 7])]
    for key in (([3, 3999, 4], [0, 4, 4000, 7]), tuple(lazy), (lazy[0], [0, 4, 4000, 7])):
        with pytest.raises(IndexError, match=r"^oindex_put: index 4000 .*position \[2\]") as error:
            td.oindex_put(d, key, 1.0).compute()
        assert (error.value.axis, error.value.position) == (1, (2,))


def test_places_named_twice_in_a_product_are_refused_by_position():
    for key, text in [(([3, 1, 3], [0, 1]), r"\[2, 0\].*\[0, 0\]"), (([3, 1, 3], [0, 5, 5]), r"\[0, 2\].*\[0, 1\]")]:
        for given in (key, tuple(da.from_array(np.array(one), chunks=2) for one in key)):
            with pytest.raises(ValueError, match=text):
                td.oindex_put(in_chunks(), given, 1.0, duplicates="error").compute()


def test_writes_whose_arrays_do_not_fit_are_refused_while_the_graph_is_built():
    d = in_chunks()
    for call in (
        lambda m, x: m.index_add(x, 0, [1, 2], X[:3]),
        lambda m, x: m.index_reduce(x, 0, [1, 2], X[:2], "median"),
        lambda m, x: m.tensor_scatter(x, [[1, 2]], np.zeros(2, "f4")),
        lambda m, x: m.tensor_scatter(x, [[1, 2, 3]], 0),
        lambda m, x: m.gather_nd(x, np.zeros((3, 3), int)),
        lambda m, x: m.gather_nd(x, np.zeros((3, 1), int), 1),
    ):
        with pytest.raises((ValueError, TypeError)) as expected:
            call(takewise, X)
        with pytest.raises(type(expected.value)) as found:
            call(td, d)
        assert str(found.value) == str(expected.value)


def test_nothing_of_dask_is_imported_until_it_is_used():
    code = """
import sys, numpy, takewise, takewise.dask
for _ in range(2):
    try: takewise.take(numpy.zeros(3), object())
    except TypeError: pass
assert not [name for name in sys.modules if name == "dask" or name.startswith("dask.")], "imported"
sys.modules["dask"] = None
try: takewise.dask.take(numpy.zeros(3), [0])
except ImportError as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "takewise[dask]"' in done.stdout


def test_same_calls_have_the_same_keys_and_others_do_not():
    d = in_chunks()
    i = np.array([3, 1])
    assert td.take(d, i, axis=0).name == td.take(d, i.copy(), axis=0).name
    others = [td.take(d, i, axis=1), td.take(d, i[::-1], axis=0), td.take(d, i, axis=0, bounds="clip"), td.take(d + 1, i, axis=0)]
    assert len({one.name for one in others} | {td.take(d, i, axis=0).name}) == 5
