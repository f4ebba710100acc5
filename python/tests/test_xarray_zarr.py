"""`engine="takewise"`: data sets in Zarr stores, beside xarray's own engine."""

import importlib.util
import pickle

import numpy as np
import pytest

xr = pytest.importorskip("xarray", reason="xarray is not installed here")
pytest.importorskip("zarr", reason="zarr is not installed here")
pytest.importorskip("takewise_zarr", reason="takewise_zarr is not installed here")

import takewise.xarray  # noqa: E402
from takewise._stored import Stored  # noqa: E402

# What zarr-python says of itself while it writes.
pytestmark = pytest.mark.filterwarnings("ignore:::zarr", "ignore:.*(V3|unstable|specification).*", "ignore:.*consolidated.*")
T, Y, X = 12, 15, 20


@pytest.fixture(scope="module", params=["plain", "sharded"])
def folder(request, tmp_path_factory):
    rng, shape = np.random.default_rng(0), (T, Y, X)
    holes = np.where(rng.random(shape) < 0.1, np.nan, rng.random(shape)).astype("f4")
    dims = ("t", "y", "x")
    whole = xr.Dataset(
        {
            "plain": (dims, rng.integers(0, 1000, shape).astype("i4")),
            "scaled": (dims, rng.random(shape), {}, {"dtype": "i2", "scale_factor": 0.01, "add_offset": 1.0, "_FillValue": -1}),
            "holes": (dims, holes, {"units": "m"}),
            "when": ("t", np.arange(T).astype("M8[D]").astype("M8[ns]")),
            "flag": ("x", rng.random(X) > 0.5),
            "name": ("y", np.array([f"n{k}" for k in range(Y)])),
            "scalar": ((), 5.0),
        },
        coords={"t": np.arange(T) * 1.0, "y": np.arange(Y)[::-1] * 1.0, "x": np.arange(X) * 2.0, "lat": (("y", "x"), rng.random((Y, X)))},
        attrs={"title": "small"},
    )
    for name in ("plain", "scaled", "holes"):
        whole[name].encoding |= {"chunks": (5, 4, 8)}
        if request.param == "sharded":
            whole[name].encoding |= {"shards": (10, 8, 16)}
    path = tmp_path_factory.mktemp("store") / request.param
    whole.to_zarr(path, mode="w", consolidated=False)
    return path


def opened(folder, engine, **how):
    return xr.open_dataset(folder, engine=engine, consolidated=False, **how)


def points(*values):
    return xr.DataArray(np.array(values), dims="p")


WIDE = xr.DataArray(np.random.default_rng(1).integers(0, Y, (3, 4)), dims=("a", "b"))
INDEXERS = {
    "a number": {"t": 2},
    "numbers": {"t": 0, "y": -1, "x": 2},
    "a slice": {"t": slice(2, 11, 3)},
    "backwards": {"t": slice(None, None, -1), "x": slice(15, 3, -4)},
    "a product": {"t": [3, 1], "y": [0, 5]},
    "a product with a slice": {"t": [3, 1], "y": slice(1, 9, 2), "x": [4]},
    "points": {"t": points(3, 0, 3, -1), "y": points(1, 2, 2, 0)},
    "points apart": {"t": points(3, 0), "x": points(1, 2)},
    "points and a slice": {"y": points(3, 0), "x": points(1, 2), "t": slice(1, 4)},
    "points and a list": {"t": points(3, 0), "y": points(1, 2), "x": [1, 2]},
    "points and a number": {"t": points(3, 0), "y": points(1, 2), "x": 0},
    "a table": {"y": WIDE},
    "a table and a slice": {"y": WIDE, "t": slice(3, 9)},
    "a mask": {"t": np.arange(T) > 8},
    "nothing": {"y": [], "x": [1]},
}


@pytest.mark.parametrize("how", INDEXERS)
@pytest.mark.parametrize("name", ["plain", "scaled", "holes"])
@pytest.mark.parametrize("part", [{}, {"t": slice(1, None, 2)}, {"y": slice(None, 1, -1)}], ids=["whole", "every second", "backwards"])
def test_isel(folder, name, how, part):
    ours, theirs = opened(folder, "takewise")[name].isel(part), opened(folder, "zarr")[name].isel(part)
    indexers = INDEXERS[how]
    if how == "a mask" and "t" in part:
        indexers = {"t": indexers["t"][part["t"]]}
    try:
        expected = theirs.isel(indexers).load()
    except IndexError:
        for found in (ours.isel, ours.takewise.isel):
            with pytest.raises(IndexError):
                found(indexers)
        return
    for found in (ours.isel(indexers), ours.takewise.isel(indexers)):
        xr.testing.assert_identical(found.compute(), expected)


def test_data_sets_are_those_of_xarrays_engine(folder):
    ours, theirs = opened(folder, "takewise"), opened(folder, "zarr")
    xr.testing.assert_identical(ours, theirs)
    assert {name: variable.encoding.get("chunks") for name, variable in ours.variables.items()} == {
        name: variable.encoding.get("chunks") for name, variable in theirs.variables.items()
    }
    by_takewise = {name for name, variable in ours.variables.items() if isinstance(variable.data, Stored)}
    assert by_takewise == {"plain", "scaled", "holes", "flag", "scalar", "lat"}
    chunked = [{"chunks": {}}] if importlib.util.find_spec("dask") else []
    for how in [{"mask_and_scale": False}, {"decode_cf": False}, {"drop_variables": ["plain", "lat"]}, *chunked]:
        xr.testing.assert_identical(opened(folder, "takewise", **how).compute(), opened(folder, "zarr", **how).compute())
    xr.testing.assert_identical(pickle.loads(pickle.dumps(ours)).compute(), theirs.compute())
    xr.testing.assert_identical(ours.copy(deep=True), theirs)


def test_only_what_is_touched_is_read(folder):
    found = opened(folder, "takewise", cache=False)["plain"]
    stored = found.data
    part = found.isel(t=slice(3, 9)).isel(y=2)
    assert stored._source.traffic.decoded == 0
    assert part.isel(x=points(0, 1, 0)).shape == (6, 3)
    assert stored._source.traffic.decoded == 2
    before = stored._source.traffic.decoded
    found.isel(y=points(0, 14), x=points(0, 19), t=slice(None)).load()
    assert stored._source.traffic.decoded - before == 6
    before = stored._source.traffic.decoded
    found.isel(y=[0, 14], x=[0, 19], t=[0]).load()
    assert stored._source.traffic.decoded - before == 4


def test_sel(folder):
    ours, theirs = opened(folder, "takewise")["holes"], opened(folder, "zarr")["holes"]
    for labels, how in [
        ({"x": [3.1, 30.0], "y": 5.2}, {"method": "nearest"}),
        ({"x": points(3.1, 30.0), "y": points(5.0, 2.0)}, {"method": "nearest"}),
        ({"x": slice(4, 20), "t": 3.0}, {}),
    ]:
        expected = theirs.sel(labels, **how).load()
        for found in (ours.sel(labels, **how), ours.takewise.sel(labels, **how)):
            xr.testing.assert_identical(found.compute(), expected)
    with pytest.raises(KeyError):
        ours.takewise.sel(x=3.1)


def test_along_a_dimension(folder):
    rng, ours, theirs = np.random.default_rng(2), opened(folder, "takewise")["holes"], opened(folder, "zarr")["holes"].load()
    largest = theirs.fillna(0).argmax("x")
    for index, dim, part in [
        (largest, "x", {}),
        (xr.DataArray(rng.integers(0, X, (T, Y, 2)), dims=("t", "y", "x")), "x", {}),
        (xr.DataArray(rng.integers(0, X, (T, Y, 2)), dims=("t", "y", "k")), "x", {}),
        (xr.DataArray(rng.integers(0, Y, (4, 2)), dims=("y", "k")), "y", {"t": slice(2, 9)}),
    ]:
        of = {dim: size for dim, size in part.items() if dim in index.dims}
        expected = theirs.isel(part).takewise.take_along_dim(index.isel(of), dim)
        xr.testing.assert_identical(ours.isel(part).takewise.take_along_dim(index.isel(of), dim), expected)
    expected = theirs.takewise.put_along_dim(largest, 7.0, "x")
    xr.testing.assert_identical(ours.takewise.put_along_dim(largest, 7.0, "x"), expected)
    x, values = opened(folder, "takewise")["lat"].isel(y=0), xr.DataArray([0.1, 0.7], dims="v")
    ordered = x.sortby(x)
    assert ordered.takewise.searchsorted(values, "x").values.tolist() == np.searchsorted(np.sort(x.values), values).tolist()
    rows = opened(folder, "takewise")["lat"] * 0 + np.arange(X)
    assert rows.takewise.searchsorted(xr.DataArray(np.full((Y, 1), 3.5), dims=("y", "v")), "x").values.ravel().tolist() == [4] * Y


def test_what_numpy_and_xarray_do_is_done_to_what_is_read(folder):
    ours, theirs = opened(folder, "takewise"), opened(folder, "zarr")
    xr.testing.assert_identical(ours.mean("t"), theirs.mean("t"))
    xr.testing.assert_identical((ours["plain"] + 1).sum(), (theirs["plain"] + 1).sum())
    turned = ours["plain"].transpose("x", "t", "y").isel(x=[1, 3])
    xr.testing.assert_identical(turned.compute(), theirs["plain"].transpose("x", "t", "y").isel(x=[1, 3]).compute())
    xr.testing.assert_identical(ours["holes"].astype("f8").compute(), theirs["holes"].astype("f8").compute())
    stored, whole = ours["plain"].data, theirs["plain"].values
    assert (stored.shape, stored.ndim, stored.size, stored.nbytes, len(stored)) == (whole.shape, 3, whole.size, whole.nbytes, T)
    for key in [..., (0, ...), (..., None, 1), (slice(None), np.array([[0], [1]]), np.array([2, 3])), whole > 990, (0, [True] * Y)]:
        assert np.array_equal(stored[key], whole[key])
    for key in [..., (0, ...), (..., None, 1), ([[0], [-1]], np.array([2, 3])), whole[2:9] > 990]:
        assert np.array_equal(stored[2:9][key], whole[2:9][key])
    assert np.array_equal(np.take_along_axis(stored, np.zeros((T, Y, 1), int), 2), whole[:, :, :1])
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(stored, copy=False)


@pytest.mark.parametrize("part", [{}, {"t": slice(1, 9)}], ids=["whole", "part"])
def test_positions_outside_are_refused(folder, part):
    found = opened(folder, "takewise")["plain"].isel(part)
    for indexers in [{"t": 99}, {"t": [0, 99]}, {"t": points(0, 99), "y": points(0, 0)}, {"t": [-99, 0], "y": [0, 1]}]:
        for call in (found.isel, found.takewise.isel):
            with pytest.raises(IndexError):
                call(indexers).load()
    for key in [(99,), (0, 0, 0, 0), (..., ...), (np.array([99]),), (np.array([True]),)]:
        with pytest.raises(IndexError):
            np.asarray(found.data[key])
