"""xarray's arrays over Dask's, indexed by dimension name: beside xarray itself on the same values in memory."""

import subprocess
import sys

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
da = pytest.importorskip("dask.array")
import dask  # noqa: E402
import takewise.xarray as tx  # noqa: E402


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def both(chunks=(2, 3, 2)):
    """The same array in memory and in chunks, with coordinates along dimensions, beside them, and without any."""
    x = xr.DataArray(
        np.random.default_rng(0).integers(0, 100, (5, 7, 4)), dims=("t", "y", "x"), name="v", attrs={"unit": "m"},
        coords={"t": np.arange(5) * 10.0, "y": np.linspace(0, 1, 7), "area": (("y", "x"), np.arange(28).reshape(7, 4)), "run": 3},
    )  # fmt: skip
    return x, x.chunk(dict(zip(x.dims, chunks, strict=True)))


def points(values, *dims):
    return xr.DataArray(np.array(values), dims=dims)


SELECTIONS = [
    {"t": 1},
    {"t": -1, "x": slice(None, None, -1)},
    {"y": [3, 0, 0, 6]},
    {"y": [3, 0], "x": [1, 1, 2]},
    {"y": np.array([True, False, True, False, False, True, False])},
    {"t": points([0, 4], "point"), "y": points([6, 1], "point")},
    {"y": points([6, 1, 2], "point"), "x": points([0, 3, 3], "point")},
    {"t": points([[0, 1], [2, 3]], "a", "b"), "x": points([0, 3], "b")},
    {"t": points([0, 4, 4, 1, 2, 3, 0], "y")},
    {"x": points([2, 0], "other")},
    {"t": points([1, 3], "x"), "x": slice(0, 2)},
    {"x": points([1, 3, 0], "point"), "t": points([1, 3, 0], "point"), "y": 2},
    {"y": slice(5, 1, -2)},
    {"t": []},
]


def same(found, wanted):
    assert isinstance(found.data, da.Array)
    xr.testing.assert_identical(found.compute(), wanted)


@pytest.mark.parametrize("asked", SELECTIONS, ids=range(len(SELECTIONS)))
@pytest.mark.parametrize("drop", [False, True])
def test_isel_is_xarrays(asked, drop):
    x, lazy = both()
    same(lazy.takewise.isel(asked, drop=drop), x.isel(asked, drop=drop))


@pytest.mark.parametrize("asked", [one for one in SELECTIONS if any(isinstance(v, xr.DataArray) for v in one.values())])
def test_positions_may_be_dasks(asked):
    x, lazy = both()
    chunked = {dim: one.chunk(1) if isinstance(one, xr.DataArray) else one for dim, one in asked.items()}
    same(lazy.takewise.isel(chunked), x.isel(asked))
    bare = lazy.drop_vars(["t", "y", "area"])
    same(bare.takewise.isel(chunked), x.drop_vars(["t", "y", "area"]).isel(asked))


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        ({"t": 20.0}, None),
        ({"t": [20.0, 0.0]}, None),
        ({"t": slice(10, 30)}, None),
        ({"t": 21.0, "y": 0.4}, "nearest"),
        ({"t": points([3.0, 39.0], "point"), "y": points([0.9, 0.1], "point")}, "nearest"),
        ({"y": [0.3, 0.99]}, "ffill"),
    ],
)
def test_sel_is_xarrays(asked, method):
    x, lazy = both()
    same(lazy.takewise.sel(asked, method=method), x.sel(asked, method=method))


def test_only_touched_chunks_are_read():
    x, lazy = both()
    read = []

    def noted(block):
        read.append(block.shape)
        return block

    watched = lazy.copy(data=lazy.data.map_blocks(noted, meta=lazy.data._meta))
    watched.takewise.isel(t=points([4], "p"), y=points([6], "p"), x=points([3], "p")).compute()
    assert read == [(1, 1, 2)]


def test_along_a_dimension_names_meet_and_broadcast():
    x, lazy = both()
    order = x.argsort(axis=1)
    best = x.argmax("y")
    for array, i, j in [(x, order, best), (lazy, order, best), (lazy, order.chunk(3), best.chunk(2))]:
        found = array.takewise.take_along_dim(i.transpose("x", "t", "y"), "y")
        assert found.dims == ("t", "y", "x")
        np.testing.assert_array_equal(found, np.take_along_axis(x.values, order.values, 1))
        np.testing.assert_array_equal(array.takewise.take_along_dim(j, "y"), x.max("y"))
        assert set(array.takewise.take_along_dim(j, "y").coords) == {"t", "run"}
        put = array.takewise.put_along_dim(j, -1, "y")
        np.testing.assert_array_equal(put, x.where(x.argmax("y") != xr.DataArray(np.arange(7), dims="y"), -1).transpose(*x.dims))
        xr.testing.assert_identical(put.coords.to_dataset(), x.coords.to_dataset())
        by_x = array.takewise.put_along_dim(j, xr.DataArray(np.arange(4), dims="x"), "y")
        np.testing.assert_array_equal(by_x.max("y") >= 0, True)
        np.testing.assert_array_equal(by_x.takewise.take_along_dim(j, "y"), np.broadcast_to(np.arange(4), (5, 4)))
    one = lazy.isel(y=0, x=0).takewise.take_along_dim(xr.DataArray(np.zeros((2, 3), int), dims=("t", "new")), "t")
    assert one.dims == ("t", "new") and one.shape == (2, 3)


def test_searchsorted_by_name():
    x, lazy = both()
    ordered = np.sort(x.values, axis=1)
    x, lazy = x.copy(data=ordered), lazy.copy(data=da.from_array(ordered, chunks=(2, 3, 2)))
    v = xr.DataArray(np.random.default_rng(1).integers(0, 100, (4, 6, 5)), dims=("x", "value", "t"))
    wanted = np.empty(v.shape, int)
    for t, k in np.ndindex(5, 4):
        wanted[k, :, t] = np.searchsorted(ordered[t, :, k], v.values[k, :, t], "right")
    for array, values in [(x, v), (lazy, v), (lazy, v.chunk(2))]:
        found = array.takewise.searchsorted(values, "y", side="right")
        assert found.dims == v.dims
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(tx.searchsorted(lazy.isel(t=0, x=0), [3, 50], "y"), np.searchsorted(ordered[0, :, 0], [3, 50]))


def test_what_is_refused():
    _, lazy = both()
    with pytest.raises(IndexError) as error:
        lazy.takewise.isel(y=[0, 7])
    assert (error.value.axis, error.value.position, error.value.value, error.value.size) == (1, (1,), 7, 7)
    with pytest.raises(IndexError) as error:
        lazy.drop_vars(["y", "area"]).takewise.isel(y=xr.DataArray([0, 7], dims="y").chunk(1)).compute()
    assert error.value.position == (1,)
    with pytest.raises(ValueError, match="no dimension 'z'"):
        lazy.takewise.isel(z=0)
    with pytest.raises(KeyError):
        lazy.takewise.sel(t=[11.0])
    with pytest.raises(ValueError, match="cannot align|conflict|exact"):
        lazy.takewise.take_along_dim(lazy.isel(t=slice(3)).argmax("y"), "y")
    with pytest.raises(ValueError, match="one of their own"):
        lazy.takewise.searchsorted(xr.DataArray(np.zeros((2, 2)), dims=("a", "b")), "y")


def test_a_missing_package_is_named_with_its_line():
    code = """
import sys, numpy
sys.modules["xarray"] = None
import takewise.xarray
try: takewise.xarray.isel(numpy.zeros(3), {})
except ImportError as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "takewise[xarray]"' in done.stdout, done.stderr


def test_arrays_in_memory_are_xarrays_own():
    x, _ = both()
    for found, wanted in [(x.takewise.isel(t=[1, 0]), x.isel(t=[1, 0])), (x.takewise.sel(t=[10.0]), x.sel(t=[10.0]))]:
        assert isinstance(found.data, np.ndarray)
        xr.testing.assert_identical(found, wanted)


def labelled():
    coords = {"time": np.array(["2024-01-01", "2024-01-02", "2024-01-03"], "M8[ns]"), "place": [10, 20, 30, 40]}
    return xr.DataArray(np.arange(12.0).reshape(3, 4), dims=("time", "place"), coords=coords)


def test_missing_labels_give_a_filling():
    x = labelled()
    found = x.takewise.sel(place=[30, 99, 10], bounds="fill", fill_value=-1)
    xr.testing.assert_identical(found, x.reindex(place=[30, 99, 10], fill_value=-1))
    whole = x.astype(int).takewise.sel(place=[30, 99], bounds="fill", fill_value=-1)
    assert whole.dtype == int and whole.values.tolist() == [[2, -1], [6, -1], [10, -1]]
    # Points, words for dates, one label, none that is missing, labels nearby, and an index without any.
    points = {"place": xr.DataArray([10, 99], dims="at"), "time": xr.DataArray(["2024-01-02", "2024-01-03"], dims="at")}
    assert x.takewise.sel(points, bounds="fill", fill_value=-1).values.tolist() == [4, -1]
    assert np.isnan(x.takewise.sel(place=99, bounds="fill").values).all()
    xr.testing.assert_identical(x.takewise.sel(place=[10, 30], bounds="fill"), x.sel(place=[10, 30]))
    assert x.takewise.sel(place=[12, 300], method="nearest", tolerance=5, bounds="fill", fill_value=-1).values[0].tolist() == [0, -1]
    assert x.takewise.sel(time=slice("2024-01-02", None), place=[99], bounds="fill", fill_value=-1).values.tolist() == [[-1], [-1]]
    assert np.isnan(x.isel(place=[]).takewise.sel(place=[10], bounds="fill").values).all()
    with pytest.raises(KeyError):
        x.takewise.sel(place=[99])
    for call, text in (
        (lambda: x.takewise.sel(place=[10], fill_value=1), "only with bounds"),
        (lambda: x.takewise.sel(place=[10], bounds="drop"), "one of"),
        (lambda: x.drop_vars("place").takewise.sel(place=[1], bounds="fill"), "no labels"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            call()


def test_intervals_hold_their_values():
    import pandas as pd

    x = xr.DataArray([1, 2], dims="b", coords={"b": pd.IntervalIndex.from_breaks([0, 1, 2])})
    assert x.takewise.sel(b=[0.5, 7.0, 1.5], bounds="fill", fill_value=0).values.tolist() == [1, 0, 2]


@pytest.mark.parametrize("order", ["takewise, xarray", "xarray, takewise"])
def test_the_accessor_is_there_whichever_comes_first(order):
    program = f"import {order}; assert xarray.DataArray([5, 6]).takewise.isel(dim_0=[1]).values.tolist() == [6]"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.returncode, done.stderr
