"""`engine="takewise"`: data sets in Zarr stores, beside xarray's own engine."""

import importlib.util
import pickle
import shutil

import numpy as np
import pytest

xr = pytest.importorskip("xarray", reason="xarray is not installed here")
zarr = pytest.importorskip("zarr", reason="zarr is not installed here")
takewise_zarr = pytest.importorskip("takewise_zarr", reason="takewise_zarr is not installed here")

import takewise.xarray  # noqa: E402
from takewise._engine import Elements, _points  # noqa: E402

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


def by_takewise(variable):
    """The array of takewise's that reads a variable's elements; false where there is none."""
    data = variable._data
    while not isinstance(data, Elements):
        data = data.array
    return data._ours()


def test_data_sets_are_those_of_xarrays_engine(folder):
    ours, theirs = opened(folder, "takewise"), opened(folder, "zarr")
    names = {name for name in ours.variables if name not in ours.xindexes and by_takewise(ours.variables[name]) is not False}
    assert names == {"plain", "scaled", "holes", "flag", "scalar", "lat", "when", "name"}
    for name, variable in ours.variables.items():
        assert repr(variable.encoding) == repr(theirs.variables[name].encoding), name
    xr.testing.assert_identical(ours, theirs)
    chunked = [{"chunks": {}}] if importlib.util.find_spec("dask") else []
    for how in [{"mask_and_scale": False}, {"decode_cf": False}, {"drop_variables": ["plain", "lat"]}, *chunked]:
        xr.testing.assert_identical(opened(folder, "takewise", **how).compute(), opened(folder, "zarr", **how).compute())
    fresh = opened(folder, "takewise")
    xr.testing.assert_identical(pickle.loads(pickle.dumps(fresh)).compute(), theirs.compute())
    xr.testing.assert_identical(fresh.copy(deep=True), theirs)


def traffic(monkeypatch, folder, use):
    """Bytes that takewise reads of a store while its data set is used."""
    made, opened_before = [], takewise_zarr.open

    def watched(*args, **how):
        made.append(opened_before(*args, **how))
        return made[-1]

    data = opened(folder, "takewise")
    with monkeypatch.context() as patch:
        patch.setattr(takewise_zarr, "open", watched)
        use(data)
    return sum(array.traffic.bytes for array in made)


SELECTIONS = {
    "a list": lambda data: data.isel(t=[0, 5], y=[3, 1]),
    "points": lambda data: data.isel(y=points(3, 0), x=points(1, 2)),
    "every third of some": lambda data: data.sel(t=data.t % 3 == 1),
    "nearest": lambda data: data.sel(x=[3.1, 30.0], method="nearest"),
    "transposed": lambda data: data.transpose("x", "y", "t"),
    "transposed, then chosen": lambda data: data.transpose("x", "y", "t").isel(x=[4, 1], y=slice(2, 9)),
    "sorted": lambda data: data.sortby("y"),
    "sorted backwards": lambda data: data.sortby("t", ascending=False),
    "all but some": lambda data: data.drop_sel(t=[0.0, 7.0]),
    "all but one": lambda data: data.drop_isel(x=3),
    "every fourth": lambda data: data.thin(t=4),
    "the last": lambda data: data.tail(y=2),
    "renamed": lambda data: data.rename(x="lon").isel(lon=[1]),
    "named otherwise": lambda data: data.swap_dims(x="lon").assign_coords(lon=("lon", np.arange(X))),
}


@pytest.mark.parametrize("how", SELECTIONS)
def test_selections_of_data_sets_read_nothing_yet(folder, monkeypatch, how):
    select = SELECTIONS[how]
    assert traffic(monkeypatch, folder, lambda data: select(data.drop_vars(["when"]))) == 0
    names = ["plain", "scaled", "holes"]
    xr.testing.assert_identical(select(opened(folder, "takewise"))[names].compute(), select(opened(folder, "zarr"))[names].compute())
    one = {"t": 0, "y": 0}
    by_place = traffic(monkeypatch, folder, lambda data: select(data)["plain"].isel(one, missing_dims="ignore").values)
    whole = traffic(monkeypatch, folder, lambda data: data["plain"].values)
    assert 0 < by_place < whole * 0.7


def test_only_what_is_touched_is_read(folder):
    plain = opened(folder, "takewise", cache=False)["plain"]
    array = by_takewise(plain.variable)
    part = plain.isel(t=slice(3, 9)).isel(y=2)
    assert array.traffic.decoded == 0
    for selected, chunks in [
        (part.isel(x=points(0, 1, 0)), 2),
        (plain.isel(y=points(0, 14), x=points(0, 19), t=slice(None)), 6),
        (plain.isel(y=[0, 14], x=[0, 19], t=[0]), 4),
        (plain.transpose("x", "y", "t").isel(x=0, y=[0, 14]), 6),
    ]:
        before = array.traffic.decoded
        selected.load()
        assert array.traffic.decoded - before == chunks


def test_points_are_read_as_the_products_they_are(tmp_path):
    rng, whole = np.random.default_rng(3), np.arange(7 * 6 * 5 * 4).reshape(7, 6, 5, 4)
    array = takewise_zarr.create(tmp_path / "a", shape=whole.shape, dtype="i8", chunks=(3, 2, 2, 3))
    array[...] = whole
    for _ in range(400):
        rank = int(rng.integers(1, 5))
        shape = rng.integers(1, 5, rank)
        key = []
        for extent in whole.shape:
            own = np.where(rng.random(rank) < 0.6, 1, shape)
            if rng.random() < 0.5:
                # Along one axis alone, and often a run.
                axis = int(rng.integers(rank))
                own = np.where(np.arange(rank) == axis, shape, 1)
                run = (np.arange(shape[axis]) * rng.choice([-1, 1, 2]) + rng.integers(2, 4)) % extent
                one = run.reshape(own)
            else:
                one = rng.integers(-extent, extent, own)
            # As xarray gives what was selected of a transposed array: with all axes.
            key.append(np.broadcast_to(one, np.broadcast_shapes(tuple(shape), one.shape)).copy() if rng.random() < 0.3 else one)
        key = tuple(key)
        assert np.array_equal(_points(array, key), whole[key]), key
    assert _points(array, (np.empty((0, 1), int), *[np.array([[1]])] * 3)).shape == (0, 1)
    with pytest.raises(IndexError):
        _points(array, (np.array([[5, 6, 7]]), *[np.array([[1]])] * 3))


def test_what_is_loaded_needs_the_store_no_more(tmp_path):
    def made(name):
        data = xr.Dataset({"v": ("x", np.arange(6.0)), "w": ("x", np.arange(6.0) + 10)}, {"x": np.arange(6)})
        data.to_zarr(tmp_path / name, mode="w", consolidated=False)
        return data

    data = made("loaded")
    ours = opened(tmp_path / "loaded", "takewise")
    loaded, computed = ours.load(), opened(tmp_path / "loaded", "takewise").compute()
    eager = xr.load_dataset(tmp_path / "loaded", engine="takewise", consolidated=False)
    one = opened(tmp_path / "loaded", "takewise")["v"].load()
    shutil.rmtree(tmp_path / "loaded")
    for found in (loaded, computed, eager, ours):
        xr.testing.assert_identical(found, data)
    xr.testing.assert_identical(one, data["v"])
    data = made("back")
    changed = opened(tmp_path / "back", "takewise").load()
    changed["w"] = changed.w * 2
    changed.to_zarr(tmp_path / "back", mode="w", consolidated=False)
    xr.testing.assert_identical(opened(tmp_path / "back", "zarr").load(), data.assign(w=data.w * 2))
    data = made("in place")
    changed = opened(tmp_path / "in place", "takewise")
    changed["w"] = changed.w * 2
    changed.to_zarr(tmp_path / "in place", mode="a", consolidated=False)
    xr.testing.assert_identical(opened(tmp_path / "in place", "takewise").load(), data.assign(w=data.w * 2))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_places(tmp_path, monkeypatch, zarr_format):
    data = xr.Dataset({"v": ("x", np.arange(6.0), {"valid_min": np.nan})}, {"x": np.arange(6) * 2.0})
    data.to_zarr(tmp_path / "a.zarr", group="one/two", zarr_format=zarr_format)
    data.rename(x="z").to_zarr(tmp_path / "a.zarr", group="one", zarr_format=zarr_format, mode="a")
    data.to_zarr(tmp_path / "b.zarr", zarr_format=zarr_format)
    data.assign_coords(x=data.x + 12).to_zarr(tmp_path / "c.zarr", zarr_format=zarr_format)
    for group in ("/one/two", "one/two", "/one/two/"):
        xr.testing.assert_identical(xr.open_dataset(tmp_path / "a.zarr", engine="takewise", group=group).isel(x=[2, 0]).load(), data.isel(x=[2, 0]))
    monkeypatch.setenv("HOME", str(tmp_path))
    xr.testing.assert_identical(xr.open_dataset("~/b.zarr", engine="takewise").load(), data)
    for group in (None, "one", "/one/two"):
        ours, theirs = (xr.open_datatree(tmp_path / "a.zarr", engine=engine, group=group) for engine in ("takewise", "zarr"))
        xr.testing.assert_identical(ours, theirs)
    groups = xr.open_groups(tmp_path / "a.zarr", engine="takewise")
    assert set(groups) == {"/", "/one", "/one/two"}
    found = xr.open_dataset(tmp_path / "b.zarr", engine="takewise")
    assert found.v[2].item() == 2.0 and found.v.sel(x=4.0).item() == 2.0
    xr.testing.assert_allclose(found.polyfit("x", 1), data.polyfit("x", 1))
    assert np.isnan(found.v.attrs["valid_min"]) and by_takewise(xr.open_dataset(tmp_path / "b.zarr", engine="takewise").v.variable) is not False
    if importlib.util.find_spec("dask"):
        both = xr.open_mfdataset([tmp_path / "b.zarr", tmp_path / "c.zarr"], engine="takewise")
        assert both.v.isel(x=[11, 0]).values.tolist() == [5.0, 0.0]
    if importlib.util.find_spec("fsspec"):
        url, how = f"local://{tmp_path}/d.zarr", {"auto_mkdir": True}
        data.to_zarr(url, zarr_format=zarr_format, storage_options=how)
        xr.testing.assert_identical(xr.open_dataset(url, engine="takewise", storage_options=how).load(), data)
    with pytest.raises(FileNotFoundError):
        xr.open_dataset(tmp_path / "nothing.zarr", engine="takewise")
    store = zarr.storage.MemoryStore()
    data.to_zarr(store, zarr_format=zarr_format)
    found = xr.open_dataset(store, engine="takewise")
    assert by_takewise(found.v.variable) is not False
    xr.testing.assert_identical(found.load(), data)


def test_metadata_that_do_not_agree_are_xarrays_affair(tmp_path):
    data = xr.Dataset({"v": ("x", np.arange(6.0))})
    data.to_zarr(tmp_path / "a.zarr", consolidated=True)
    zarr.open_array(tmp_path / "a.zarr" / "v", mode="r+").resize((4,))
    ours, theirs = (xr.open_dataset(tmp_path / "a.zarr", engine=engine) for engine in ("takewise", "zarr"))
    assert ours.v.shape == (6,)
    xr.testing.assert_identical(ours.load(), theirs.load())


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


@pytest.mark.parametrize("part", [{}, {"t": slice(1, 9)}], ids=["whole", "part"])
def test_positions_outside_are_refused(folder, part):
    found = opened(folder, "takewise")["plain"].isel(part)
    for indexers in [{"t": 99}, {"t": [0, 99]}, {"t": points(0, 99), "y": points(0, 0)}, {"t": [-99, 0], "y": [0, 1]}]:
        for call in (found.isel, found.takewise.isel):
            with pytest.raises(IndexError):
                call(indexers).load()
