"""Operands that people hold: columns of pandas, polars and pyarrow, arrays of xarray, data sets of h5py. Those whose package is
not installed are left out."""

import importlib.util

import numpy as np
from kinds import kind

HOME = "held"
WORDS = ("Series", "Index", "DataFrame", "Array", "Dataset", "null", "missing", "column", "objects")


def held(name, package, make, **more):
    if importlib.util.find_spec(package):
        kind(name, make, home=HOME, words=WORDS, **more)


def flat(base):
    if base.ndim != 1:
        raise ValueError("a column has one axis")
    return base.copy()


def series(base, dtype=None):
    import pandas

    return pandas.Series(flat(base), index=[f"row {k}" for k in range(base.size)], dtype=dtype)


def frame(base):
    import pandas

    return pandas.DataFrame(base.copy() if base.ndim == 2 else flat(base))


def labels(base):
    import pandas

    return pandas.Index(flat(base))


def polars(base, dtype=None):
    import polars as pl

    if base.ndim == 2 and dtype is None:
        return pl.Series(base.tolist(), dtype=pl.Array(pl.Int64, base.shape[1]))
    return pl.Series("x", flat(base), dtype=dtype and getattr(pl, dtype))


def arrow(base):
    import pyarrow

    return pyarrow.array(flat(base))


def lists(base):
    import pyarrow

    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(base.ravel()), base.shape[1])


def chunked(base):
    import pyarrow

    return pyarrow.chunked_array([pyarrow.array(flat(base)[:1]), pyarrow.array(flat(base)[1:])])


def with_nulls(base):
    import pyarrow

    return pyarrow.array([None, *flat(base).tolist()[1:]])


def named_axes(base):
    import xarray

    return xarray.DataArray(base.copy())


def data_set(base):
    import h5py

    file = h5py.File.in_memory() if hasattr(h5py.File, "in_memory") else h5py.File("x", "w", driver="core", backing_store=False)
    return file.create_dataset("x", data=base)


def columns():
    held("pandas Series", "pandas", series)
    held("pandas Series of floats", "pandas", lambda base: series(base, "float32"))
    held("pandas Series of dates", "pandas", lambda base: series(base.astype("M8[s]")))
    held("pandas Series of Int64", "pandas", lambda base: series(base, "Int64"))
    held("pandas Series with a missing value", "pandas", lambda base: series(base, "Int64").mask(np.arange(base.size) == 0), hostile=True)
    held("pandas Series of text", "pandas", lambda base: series(base.astype("U3"), "object"), hostile=True)
    held("pandas DataFrame", "pandas", frame)
    held("pandas Index", "pandas", labels)
    held("polars Series", "polars", polars)
    held("polars Series of floats", "polars", lambda base: polars(base, "Float32"))
    held("polars Series with a null", "polars", lambda base: polars(base, "Int64").replace(base[0], None), hostile=True)
    held("polars Series of text", "polars", lambda base: polars(base, "Int64").cast(str), hostile=True)
    held("pyarrow array", "pyarrow", arrow)
    held("pyarrow array of lists", "pyarrow", lists)
    held("pyarrow array with a null", "pyarrow", with_nulls, hostile=True)
    held("pyarrow chunks", "pyarrow", chunked)
    held("xarray DataArray", "xarray", named_axes)
    held("h5py Dataset", "h5py", data_set)


columns()
