"""What people hold: columns of pandas, polars and pyarrow, arrays of xarray and h5py, and whatever offers an array. The reference is
each library's own take, or NumPy."""

import datetime
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import takewise as tw

PLACES = [2, 0, -1, 2]


def library(name):
    return pytest.importorskip(name, reason=f"{name} is not installed here")


def values(dtype, count=6):
    if dtype == "?":
        return np.arange(count) % 3 == 0
    return np.arange(count).astype("i8").astype(dtype)


NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
TIMES = ["M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "m8[ns]"]


# pandas


@pytest.mark.parametrize("dtype", [*NUMBERS, "c16", *TIMES])
def test_series_keep_their_labels(dtype):
    pd = library("pandas")
    x = pd.Series(values(dtype), index=list("abcdef"), name="x")
    for found, wanted in [
        (tw.take(x, PLACES), x.iloc[PLACES]),
        (tw.take(x, pd.Series(PLACES), axis=0), x.iloc[PLACES]),
        (tw.index_select(x, 0, np.array([1, 1])), x.iloc[[1, 1]]),
        (tw.gather(x, 0, [5, 4]), x.iloc[[5, 4]]),
        (tw.take_along_axis(x, [1, 0]), x.iloc[[1, 0]]),
        (tw.index(x, slice(4, 1, -2)), x.iloc[4:1:-2]),
        (tw.index(x, [True, False, False, True, True, False]), x.iloc[[0, 3, 4]]),
        (tw.masked_select(x, pd.Series([True, False, False, True, True, False])), x.iloc[[0, 3, 4]]),
        (tw.at(x)[[3, 3]].get(), x.iloc[[3, 3]]),
        (tw.take(x, [8, -9], bounds="wrap"), x.iloc[[2, 3]]),
        (tw.take(x, [8, -9], bounds="clip"), x.iloc[[5, 0]]),
        (tw.copy(x), x),
    ]:
        pd.testing.assert_series_equal(found, wanted)
    assert type(tw.index(x, [[0, 1], [2, 3]])) is np.ndarray
    assert type(tw.searchsorted(values(dtype), x)) is np.ndarray if dtype not in ("?", "c16") else True


def test_what_is_read_outside_has_no_label():
    pd = library("pandas")
    x = pd.Series([1.5, 2.5], index=["a", "b"])
    found = tw.take(x, [1, 7], bounds="fill")
    assert found.index[0] == "b" and pd.isna(found.index[1]) and found.iloc[0] == 2.5 and np.isnan(found.iloc[1])
    assert tw.take(x, [1, 7], bounds="drop").to_numpy().tolist() == [2.5, 0]


def test_copies_keep_all_labels_and_extension_dtypes():
    pd = library("pandas")
    x = pd.Series([1, 2, 3], index=["a", "b", "c"], dtype="Int64", name="n")
    found = tw.scatter_add(x, 0, [0, 0], [10, 20])
    pd.testing.assert_series_equal(found, pd.Series([31, 2, 3], index=["a", "b", "c"], dtype="Int64", name="n"))
    pd.testing.assert_series_equal(tw.take(x, [2, 0]), x.iloc[[2, 0]])
    pd.testing.assert_series_equal(tw.at(x)[0].set(9), pd.Series([9, 2, 3], index=["a", "b", "c"], dtype="Int64", name="n"))
    assert tw.take([5, 6, 7], x - 1).tolist() == [5, 6, 7]
    floats = pd.Series([0.5, 1.5], dtype="Float32")
    assert tw.take(floats, [1]).dtype == "Float32"
    flags = pd.Series([True, False, True], dtype="boolean")
    assert tw.masked_select(np.arange(3), flags).tolist() == [0, 2]
    kinds = pd.Series([3, 1, 3], dtype="category")
    pd.testing.assert_series_equal(tw.take(kinds, [2, 1]), kinds.iloc[[2, 1]])


def test_dates_as_objects_are_refused_with_the_cure():
    pd = library("pandas")
    x = pd.Series([datetime.date(2024, 1, 2), datetime.date(2023, 5, 6)])
    with pytest.raises(TypeError, match=r"pass dates as x\.astype\(\"datetime64\[s\]\"\)"):
        tw.put(x, [1], x[0])
    assert tw.take(x, [1]).iloc[0] == x[1]
    assert tw.take(x.astype("datetime64[s]"), [1]).iloc[0] == pd.Timestamp(2023, 5, 6)


def test_missing_values_and_objects_are_refused_with_the_cure():
    pd = library("pandas")
    with pytest.raises(ValueError, match=r"a Series of pandas of dtype Int64 has 2 missing values.*x\.fillna\(0\).*x\.dropna\(\)"):
        tw.put(pd.Series([1, None, None], dtype="Int64"), [0], 1)
    with pytest.raises(ValueError, match="has a missing value"):
        tw.take(np.arange(3), pd.Series([1, None], dtype="Int64"))
    with pytest.raises(TypeError, match=r"x\.cat\.codes"):
        tw.put(pd.Series(["a", "b"], dtype="category"), [0], 1)
    with pytest.raises(TypeError, match=r"x\.dt\.tz_convert\(None\)"):
        tw.put(pd.Series(pd.date_range("2020", periods=2, tz="Asia/Tokyo")), [0], 1)
    with pytest.raises(TypeError, match='astype."U"'):
        tw.put(pd.Series(["a", "b"]), [0], 1)
    with pytest.raises(TypeError, match="pass one of its columns"):
        tw.take(pd.DataFrame({"a": [1], "b": ["x"]}), [0])
    # NaN and NaT are values as others.
    x = pd.Series([1.0, np.nan])
    pd.testing.assert_series_equal(tw.take(x, [1, 0]), x.iloc[[1, 0]])


def test_tables_of_one_dtype_are_arrays():
    pd = library("pandas")
    x = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
    assert tw.take(x, [2, 0], axis=0).tolist() == [[3, 6], [1, 4]]
    assert tw.take(x["b"], [2, 0]).tolist() == [6, 4]
    with pytest.raises(TypeError, match="cannot write into a DataFrame of pandas"):
        tw.index_fill_(x, 0, [0], 1)


def test_indices_are_labels_too():
    pd = library("pandas")
    x = pd.Index([10, 20, 30], name="k")
    pd.testing.assert_index_equal(tw.take(x, [2, 0]), x[[2, 0]])
    dates = pd.date_range("2020", periods=4)
    assert list(tw.take(dates, [3, 1])) == list(dates[[3, 1]])
    assert tw.take(np.arange(40), x).tolist() == [10, 20, 30]
    assert tw.take(pd.RangeIndex(5), [4]).tolist() == [4]
    with pytest.raises(TypeError, match="cannot write into an Index of pandas"):
        tw.put_(x, [0], 1)
    assert list(x) == [10, 20, 30]


def test_writes_into_series_go_where_pandas_lets_them():
    pd = library("pandas")
    x = pd.Series([1, 2, 3])
    if x.to_numpy().flags.writeable:
        assert tw.put_(x, [0], 9) is x and x.tolist() == [9, 2, 3]
        return
    for write in (lambda: tw.put_(x, [0], 9), lambda: tw.at(x)[0].set_(9), lambda: tw.index_put_(x, 0, 9)):
        with pytest.raises(TypeError, match=r"cannot write into a Series.*copy on write.*without the underscore"):
            write()
    assert x.tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="cannot write into a Series"):
        tw.put_(pd.Series([1, 2], dtype="Int64"), [0], 9)


def test_what_was_read_is_not_the_memory_of_what_it_was_read_from():
    pd = library("pandas")
    x = pd.Series(np.arange(5.0))
    part = tw.index(x, slice(1, 3))
    part.iloc[0] = 9
    assert part.tolist() == [9, 2] and x.tolist() == [0, 1, 2, 3, 4]


# polars


@pytest.mark.parametrize("dtype", [*NUMBERS, "M8[ms]", "M8[us]", "M8[ns]", "m8[us]", "M8[D]"])
def test_polars_series(dtype):
    pl = library("polars")
    x = pl.Series("x", values(dtype))
    assert tw.take(x, PLACES).equals(x.gather([2, 0, 5, 2]), check_names=True, check_dtypes=True)
    assert tw.index(x, slice(1, 5, 2)).equals(x[1:5:2], check_dtypes=True)
    assert tw.masked_select(x, pl.Series([True, False] * 3)).equals(x.filter(pl.Series([True, False] * 3)), check_dtypes=True)
    assert tw.put(x, [0], x[5:]).equals(pl.concat([x[5:], x[1:]]), check_dtypes=True)
    chunks = pl.concat([x, x[:2]], rechunk=False)
    assert chunks.n_chunks() == 2
    assert tw.take(chunks, [7, 1]).equals(chunks.gather([7, 1]), check_dtypes=True)
    assert type(tw.index(x, [[0, 1], [2, 3]])) is np.ndarray


def test_polars_indices_and_refusals():
    pl = library("polars")
    assert tw.take(np.arange(10), pl.Series([3, 1], dtype=pl.UInt8)).tolist() == [3, 1]
    zoned = pl.Series([datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]).dt.replace_time_zone("Asia/Tokyo")
    assert tw.take(zoned, [1, 0]).equals(zoned.gather([1, 0]), check_dtypes=True)
    assert tw.take(pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)), [1], axis=0).tolist() == [[3, 4]]
    with pytest.raises(ValueError, match=r"a Series of polars has 2 nulls, the first at 1.*\.fill_null\(0\)"):
        tw.put(pl.Series([1, None, None]), [0], 1)
    with pytest.raises(ValueError, match="has a null at 0"):
        tw.put(pl.Series([None, True]), [0], 1)
    with pytest.raises(TypeError, match=r"to_physical"):
        tw.put(pl.Series(["a"], dtype=pl.Categorical), [0], 1)
    with pytest.raises(TypeError, match="text or bytes"):
        tw.put(pl.Series(["a"]), [0], 1)
    with pytest.raises(TypeError, match="is a table"):
        tw.take(pl.DataFrame({"a": [1]}), [0])
    x = pl.Series([1, 2, 3])
    with pytest.raises(TypeError, match="cannot write into a Series of polars"):
        tw.put_(x, [0], 9)
    assert x.to_list() == [1, 2, 3]


# pyarrow


@pytest.mark.parametrize("dtype", [*NUMBERS, "f2", "M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "M8[D]"])
def test_pyarrow_arrays(dtype):
    pa = library("pyarrow")
    x = pa.array(values(dtype))
    assert tw.take(x, PLACES).equals(x.take(pa.array([2, 0, 5, 2])))
    part = x[1:5]
    assert tw.take(part, [3, 0]).equals(part.take(pa.array([3, 0])))
    chunked = pa.chunked_array([x, x[2:4]])
    assert tw.take(chunked, [7, 1]).equals(chunked.take(pa.array([7, 1])))
    assert tw.masked_select(x, pa.array([True, False] * 3)).equals(x.filter(pa.array([True, False] * 3)))
    assert tw.take(np.arange(10), pa.array([3, 1])).tolist() == [3, 1]


def test_pyarrow_refusals_and_memory():
    pa = library("pyarrow")
    with pytest.raises(ValueError, match=r"an Int64Array of pyarrow has a null at 1.*fill_null"):
        tw.put(pa.array([1, None, 3]), [0], 1)
    with pytest.raises(ValueError, match="2 nulls, the first at 2"):
        tw.put(pa.chunked_array([[1, 2], [None, None]]), [0], 1)
    assert tw.take(pa.array([None, 1, 2])[1:], [0]).to_pylist() == [1]
    for x, words in [
        (pa.array(["a"]), "text or bytes"), (pa.array(["a"]).dictionary_encode(), r"\.indices"), (pa.array([[1], []]), "lists of any length"),
        (pa.array([datetime.time(1)]), "times of a day"), (pa.table({"a": [1]}), "pass one of its columns"), (pa.array([None]), "null"),
    ]:  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=words):
            tw.put(x, [0], 1)
    x = pa.array(np.arange(4.0))
    with pytest.raises(TypeError, match="cannot write into a DoubleArray of pyarrow"):
        tw.put_(x, [0], 9)
    with pytest.raises(TypeError, match="cannot write into a ChunkedArray of pyarrow"):
        tw.take([1.5], [0], out=pa.chunked_array([[1.0], []]))
    assert x.to_pylist() == [0, 1, 2, 3]
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(8.0)), 2)
    assert tw.take(lists[1:], [2, 0], axis=0).tolist() == [[6, 7], [2, 3]]
    zoned = pa.array([datetime.datetime(2020, 1, 1)] * 2, pa.timestamp("us", tz="Asia/Tokyo"))
    assert tw.take(zoned, [1]).equals(zoned[1:])


@pytest.mark.parametrize(("shape", "permutation"), [([8], None), ([2, 4], None), ([2, 4], [1, 0]), ([2, 2, 2], [2, 0, 1])])
def test_tensors_of_pyarrow_keep_their_shape(shape, permutation):
    pa = library("pyarrow")
    kind = pa.fixed_shape_tensor(pa.float32(), shape, permutation=permutation)
    storage = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(32, dtype="f4")), 8)
    x = pa.ExtensionArray.from_storage(kind, storage)
    wanted = x.to_numpy_ndarray()
    assert np.array_equal(tw.take(x, [3, 0], axis=0), wanted[[3, 0]])
    assert np.array_equal(tw.take(x[1:], [2, 0], axis=0), wanted[[3, 1]])
    both = np.concatenate([wanted, wanted[2:]])
    assert np.array_equal(tw.take(pa.chunked_array([x, x[2:]]), [5, 0], axis=0), both[[5, 0]])


def test_types_of_pyarrow_that_are_stored_as_others():
    pa = library("pyarrow")
    truths = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, 5, 0], pa.int8()))
    assert tw.masked_select(np.arange(4), truths).tolist() == [0, 2]
    assert tw.take(np.arange(4), tw.take(truths, [2, 3, 0]).to_numpy(zero_copy_only=False).nonzero()[0]).tolist() == [0, 2]
    assert tw.take(truths[1:], [1, 0]).equals(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())))
    # What is not known here the library moves.
    for x in (pa.array([b"0" * 16, b"1" * 16], pa.uuid()), pa.array(["{}", "[]"], pa.json_())):
        assert tw.take(x, [1, 0]).equals(x.take(pa.array([1, 0])))


def test_pyarrow_memory_is_kept_and_not_copied():
    pa = library("pyarrow")
    x = pa.array(np.arange(1000.0))
    view = tw.index(x, slice(10, 12))
    assert view.buffers()[1].address == x.buffers()[1].address + 80
    plain = tw.reshape(x, (10, 100))
    del x, view
    assert plain[0, :3].tolist() == [0, 1, 2] and not plain.flags.writeable


class Column:
    """A column of a package nobody has heard of."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


class Streamed(Column):
    __arrow_c_array__ = None

    def __arrow_c_stream__(self, requested_schema=None):
        return self.array.__arrow_c_stream__(requested_schema)


del Streamed.__arrow_c_array__


def test_any_column_by_the_capsules_of_arrow():
    pa = library("pyarrow")
    assert tw.take(Column(pa.array([1, 2, 3])), [2, 0]).tolist() == [3, 1]
    with pytest.raises(TypeError, match="cannot write into a Column"):
        tw.put_(Column(pa.array([1])), [0], 1)

    class Again:
        def __init__(self):
            self.pair = pa.array([1]).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.pair

    again = Again()
    assert tw.take(again, [0]).tolist() == [1]
    with pytest.raises(ValueError, match="consumed before"):
        tw.take(again, [0])
    nanoarrow = pytest.importorskip("nanoarrow", reason="nanoarrow is not installed here")
    assert tw.take(nanoarrow.Array([1, 2, 3], nanoarrow.int32()), [2]).tolist() == [3]


# xarray, h5py, zarr, dask


def test_xarray_arrays():
    xr = library("xarray")
    x = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("a", "b"), coords={"b": [1, 2, 3]})
    assert type(tw.take(x, [1], axis=0)) is np.ndarray
    assert tw.take(x, xr.DataArray([1]), axis=0).tolist() == [[3, 4, 5]]
    assert tw.index_fill_(x, 0, [0], 7) is x and x.values.tolist() == [[7, 7, 7], [3, 4, 5]]
    with pytest.raises(TypeError, match="cannot write into a DataArray of xarray"):
        tw.put_(x.b, [0], 5)
    with pytest.raises(TypeError, match="pass one of them"):
        tw.take(x.to_dataset(name="x"), [0])


def test_chunks_are_sent_elsewhere():
    xr, da = library("xarray"), library("dask.array")
    with pytest.raises(TypeError, match=r"takewise\.xarray"):
        tw.take(xr.DataArray(da.zeros(4, chunks=2)), [0])
    zarr = library("zarr")
    with pytest.raises(TypeError, match=r"takewise\.zarr\.open\(x\.store, x\.path\)"):
        tw.take(zarr.zeros(4), [0])


def test_h5py_data_sets():
    h5py = library("h5py")
    with tempfile.TemporaryFile() as file, h5py.File(file, "w") as h5:
        x = h5.create_dataset("x", data=np.arange(6).reshape(2, 3))
        assert tw.take(x, [1], axis=0).tolist() == [[3, 4, 5]]
        assert tw.take(np.arange(9), h5.create_dataset("i", data=[4, 2])).tolist() == [4, 2]
        with pytest.raises(TypeError, match=r"lies in its file: x\[key\] = value"):
            tw.put_(x, [0], 1)
        with pytest.raises(TypeError, match="refer to Python objects"):
            tw.take(h5.create_dataset("t", data=["a"]), [0])


# whatever offers an array, lists, dates


class Offering:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


def test_whatever_offers_an_array():
    held = np.arange(4.0)
    assert type(tw.take(Offering(held), [3, 1])) is np.ndarray and tw.take(Offering(held), [3, 1]).tolist() == [3, 1]
    assert tw.take(held, Offering(np.array([2]))).tolist() == [2]
    with pytest.raises(TypeError, match="cannot write into an Offering, which hands out its elements to be read"):
        tw.put_(Offering(held), [0], 9)
    assert held.tolist() == [0, 1, 2, 3] and held.flags.writeable

    class Refusing:
        def __array__(self, dtype=None, copy=None):
            raise ValueError("not today")

    with pytest.raises(ValueError, match="not today"):
        tw.take(Refusing(), [0])


def test_lists_give_numpy_arrays():
    for found in [
        tw.take([10, 20, 30], [-1]), tw.gather([[1, 2]], 1, [[1]]), tw.searchsorted([1, 3], [2]), tw.where([True], [1], [2]),
        tw.nonzero([0, 1]), tw.scatter([0, 0], 0, [1], [5]), tw.index([1, 2], 0), tw.index_put([0, 0], [1], 5), tw.masked_select([1, 2], [True, False]),
        tw.sort([2, 1]), tw.flip([1, 2], [0]), tw.take(bytearray(b"abc"), [1]), tw.take(5, [0]), tw.copy([1]), tw.take_along_dim([1, 2], [1]),
        tw.bucketize([1], [0, 2]), tw.at([1, 2])[0].set(5), tw.PreparedSearch([1, 2]).searchsorted([2]),
    ]:  # fmt: skip
        assert type(found) is np.ndarray
    assert isinstance(tw.zeros(2), tw.Tensor) and isinstance(tw.tensor([1, 2]), tw.Tensor)
    # An array among them decides.
    assert isinstance(tw.take([1, 2], tw.tensor([1])), tw.Tensor)
    assert isinstance(tw.searchsorted([1, 2], tw.tensor([1])), tw.Tensor)


def test_dates_search_sort_and_mask_as_in_numpy():
    for unit in ("D", "s", "ns"):
        dates = np.array(["2020-03-01", "2019-01-01", "NaT", "2021-05-05"], f"M8[{unit}]")
        spans = np.diff(dates)
        for x in (dates, spans):
            ordered = np.sort(x)
            assert np.array_equal(tw.sort(x), ordered, equal_nan=True)
            assert np.array_equal(tw.argsort(x), np.argsort(x, kind="stable"))
            assert tw.searchsorted(ordered, x).tolist() == np.searchsorted(ordered, x).tolist()
            assert tw.searchsorted(ordered, list(x)).tolist() == np.searchsorted(ordered, x).tolist()
            assert tw.searchsorted(ordered, x[0], side="right").tolist() == np.searchsorted(ordered, x[0], side="right")
            assert np.array_equal(tw.masked_select(x, x > x[1]), x[x > x[1]])
            assert np.array_equal(tw.masked_fill(x, np.isnat(x), x[0]), np.where(np.isnat(x), x[0], x))
            assert np.array_equal(tw.where(np.isnat(x), x[0], x), np.where(np.isnat(x), x[0], x))
            assert tw.nonzero(x).tolist() == np.argwhere(x).tolist()
            assert np.array_equal(tw.take([*x[:2]], [0]), x[:1])
    day = np.array(["2020-03-01"], "M8[D]")
    assert tw.put(day, [0], "2022-01-01").tolist() == [datetime.date(2022, 1, 1)]


def test_no_package_is_imported_for_those_who_do_not_hold_its_objects():
    program = """
import sys
import numpy as np, takewise as tw
class Offering:
    def __array__(self, dtype=None, copy=None):
        return np.arange(4)
tw.take(Offering(), [1]); tw.take([1], [0]); tw.sort(np.array(["2020"], "M8[D]"))
try:
    tw.take("abc", [0])
except TypeError:
    pass
found = {"pandas", "polars", "pyarrow", "xarray", "h5py", "dask", "zarr", "torch", "jax"} & set(sys.modules)
assert not found, found
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


TOOL = pathlib.Path(__file__).parents[2] / "tools" / "python" / "border"


@pytest.mark.skipif(not TOOL.is_dir(), reason="the border test is not part of the package")
def test_every_function_takes_or_refuses_columns():
    for name in ("pandas", "polars", "pyarrow", "xarray", "h5py"):
        library(name)
    command = [sys.executable, str(TOOL), "--of", "held", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


# Modules that are imported when they are asked for


def test_modules_are_imported_when_asked_for():
    program = """
import sys, takewise
assert "takewise.torch" not in sys.modules
assert takewise.torch.tensor([1]).tolist() == [1] and takewise.numpy.arange(2).tolist() == [0, 1]
assert takewise.mindspore.ops and takewise.jax.numpy
assert {"dask", "jax", "mindspore", "numpy", "torch", "xarray", "zarr", "take"} <= set(dir(takewise))
for name in ("nothing", "dask", "xarray"):
    try:
        getattr(takewise, name)
    except AttributeError as error:
        assert name in str(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_grad_is_a_block():
    x = tw.tensor([1.0], requires_grad=True)
    with tw.no_grad():
        assert not tw.is_grad_enabled() and not (tw.take(x, tw.tensor([0]))).requires_grad
        with tw.enable_grad():
            assert tw.is_grad_enabled()
    assert tw.is_grad_enabled() and tw.take(x, tw.tensor([0])).requires_grad
    assert importlib.import_module("takewise.torch").no_grad is tw.no_grad

    @tw.no_grad()
    def quiet():
        return tw.is_grad_enabled()

    assert quiet() is False


def test_policies_are_taken_by_all_that_name_places():
    x = np.array([[1, 2], [3, 4]])
    assert tw.take_along_dim(x, [[5, -9]], 1, bounds="clip").tolist() == [[2, 1], [4, 3]]
    assert tw.take_along_dim(x, [[1, -1]], 1, negative=False, bounds="fill", fill_value=0, threads=1).tolist() == [[2, 0], [4, 0]]
    assert tw.index_put(x, (0, [0, 5]), 9, bounds="drop", threads=2).tolist() == [[9, 2], [3, 4]]
    assert tw.index_put(x[0], [0, 0], [7, 8], duplicates="first").tolist() == [7, 2]
    assert tw.index_put(x[0], [0, 0], [7, 8], accumulate=True).tolist() == [16, 2]
    assert x.tolist() == [[1, 2], [3, 4]]


def test_dates_of_pythons_and_pandas_are_looked_for():
    import datetime

    days = np.array(["2024-01-01", "2024-01-02", "2024-01-04"], "M8[D]")
    second, third = datetime.datetime(2024, 1, 2), datetime.date(2024, 1, 3)
    for one, place in ((second, 1), (third, 2), ([second, third], [1, 2])):
        assert tw.searchsorted(days, one).tolist() == place
    spans = np.diff(days)
    assert tw.searchsorted(spans, datetime.timedelta(days=2)).tolist() == 1
    pandas = pytest.importorskip("pandas")
    exact = days.astype("M8[ns]") + np.timedelta64(1, "ns")
    for one in (pandas.Timestamp("2024-01-02 00:00:00.000000001"), [pandas.Timestamp("2024-01-02 00:00:00.000000001")]):
        assert np.asarray(tw.searchsorted(exact, one, side="right")).ravel().tolist() == [2]
    with pytest.raises(TypeError, match="time zone"):
        tw.searchsorted(days, pandas.Timestamp("2024-01-02", tz="UTC"))


def test_columns_of_positions_with_nulls_and_categories():
    x, zeros = np.array([5.0, 6.0, 7.0]), np.zeros(3)
    pandas = pytest.importorskip("pandas")
    # Each column, its positions, and which of them are missing.
    columns = [
        (pandas.array([1, None, 2], dtype="Int64"), [1, 0, 2], [1]), (pandas.Series([2, None], dtype="UInt8"), [2, 0], [1]),
        (pandas.Series(["b", "a", None, "b"], dtype="category"), [1, 0, 0, 1], [2]), (pandas.Categorical(["b", "a"]), [1, 0], []),
    ]  # fmt: skip
    if importlib.util.find_spec("polars"):
        import polars

        columns += [
            (polars.Series([1, None, 2]), [1, 0, 2], [1]),
            (polars.Series(["b", "a", None], dtype=polars.Enum(["a", "b"])), [1, 0, 0], [2]),
        ]
    if importlib.util.find_spec("pyarrow"):
        import pyarrow

        coded = pyarrow.array(["b", "a", None]).dictionary_encode()
        columns += [(pyarrow.array([1, None, 2]), [1, 0, 2], [1]), (coded, [0, 1, 0], [2]), (pyarrow.chunked_array([coded]), [0, 1, 0], [2])]
    for column, at, missing in columns:
        want = x[at]
        want[missing] = np.nan
        assert np.array_equal(tw.take(x, column, bounds="fill"), want, equal_nan=True), column
        there = np.delete(at, missing)
        sums = tw.index_add(zeros, 0, column, np.ones(len(at)), bounds="drop")
        assert sums.tolist() == np.bincount(there, minlength=3).tolist(), column
        if missing:
            with pytest.raises((TypeError, ValueError), match="missing|null|codes"):
                tw.take(x, column)
        else:
            assert np.array_equal(tw.take(x, column), want)
