"""What people hold that is no array by itself: how it is opened, and what comes back.

Objects are told by the package of their class, so none of the packages is imported here.
"""

import datetime
import importlib
from typing import Any

import numpy as np

from takewise import _takewise


def _package(x: Any) -> str:
    for cls in type(x).__mro__:
        package = cls.__module__.partition(".")[0]
        if package in _READERS:
            return package
    return ""


def _named(x: Any) -> str:
    """``a Series of pandas``."""
    name, package = type(x).__name__, _package(x)
    article = "an" if name[:1] in "AEIOU" else "a"
    return f"{article} {name} of {package}" if package else f"{article} {name}"


def opened(x: Any) -> tuple[Any, bool] | None:
    """The array an object stands for, and whether results come back as such objects; ``None`` if it stands for none."""
    reader = _READERS.get(_package(x))
    found = reader(x) if reader else None
    return _offered(x) if found is None else found


def _offered(x: Any) -> tuple[Any, bool] | None:
    """The array of an object that says how one is made of it."""
    cls = type(x)
    if hasattr(cls, "__arrow_c_array__") or hasattr(cls, "__arrow_c_stream__"):
        return _locked(_takewise._arrow(x)), False
    if any(hasattr(cls, name) for name in ("__array__", "__array_interface__", "__array_struct__")):
        return _locked(np.asarray(x)), False
    return None


def _locked(array: Any) -> Any:
    """The array as one that cannot be written: what went into a copy would be lost."""
    view = array.view()
    view.flags.writeable = False
    return view


def _lacks(x: Any, count: int) -> ValueError:
    missing = "a missing value" if count == 1 else f"{count} missing values"
    return ValueError(
        f"{_named(x)} of dtype {x.dtype} has {missing}, for which arrays have no place: fill them, as with x.fillna(0), or "
        "leave them out, as with x.dropna(); among positions, bounds='drop' and bounds='fill' take them"
    )


def _of_pandas(x: Any) -> tuple[Any, bool] | None:
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return _frame(x)
    if isinstance(dtype, np.dtype):
        array = x.to_numpy()
    else:
        # Extension arrays: what they make of themselves is a copy, or memory that is not to be changed.
        if (count := int(x.isna().sum())) > 0:
            raise _lacks(x, count)
        array = np.asarray(x, getattr(dtype, "numpy_dtype", None))
    if array.dtype.hasobject:
        raise TypeError(f"{_named(x)} of dtype {dtype} holds Python objects, and elements need a fixed size: {_object_cure(x)}")
    writable = isinstance(dtype, np.dtype) and type(x).__name__ == "Series"
    return (array if writable else _locked(array)), True


def _object_cure(x: Any) -> str:
    name = str(x.dtype)
    if name == "category":
        return "pass the codes, x.cat.codes" if hasattr(x, "cat") else "pass the codes, x.codes"
    if name.startswith("datetime64"):
        return "pass UTC without the time zone, " + ("x.dt" if hasattr(x, "dt") else "x") + ".tz_convert(None)"
    if isinstance(next(iter(x), None), datetime.date):
        return 'pass dates as x.astype("datetime64[s]")'
    return 'pass the positions instead (takewise.take(np.arange(len(x)), ...)), or text as x.to_numpy().astype("U")'


def _frame(x: Any) -> tuple[Any, bool] | None:
    """The columns of a table side by side, where they have a dtype in common."""
    if not hasattr(x, "dtypes"):
        return None
    array = np.asarray(x)
    if array.dtype.hasobject:
        raise TypeError(f"{_named(x)} whose columns have no dtype of numbers in common is no array: pass one of its columns")
    return _locked(array), False


def _of_polars(x: Any) -> tuple[Any, bool] | None:
    if hasattr(x, "columns"):
        return _table(x)
    return _locked(_takewise._arrow(x)), True


def _table(x: Any) -> tuple[Any, bool]:
    raise TypeError(f"{_named(x)} is a table: pass one of its columns, or x.to_numpy()")


def _of_pyarrow(x: Any) -> tuple[Any, bool] | None:
    if hasattr(x, "column_names") or hasattr(x, "schema"):
        return _table(x)
    if not hasattr(x, "null_count"):
        return None
    return _locked(_takewise._arrow(x)), True


def _of_xarray(x: Any) -> tuple[Any, bool] | None:
    if not hasattr(x, "dims") or not hasattr(x, "dtype"):
        raise TypeError(f"{_named(x)} is a table of arrays: pass one of them, or use takewise.xarray")
    if getattr(x, "chunks", None) is not None:
        raise TypeError(f"{_named(x)} in chunks has no memory here: takewise.xarray has the functions for it, by names of dimensions")
    data = x.data
    # What is made anew each time it is asked for, and an index, is not to be written.
    lasting = data is x.data and type(getattr(x, "variable", x)).__name__ != "IndexVariable"
    return (data if lasting or not isinstance(data, np.ndarray) else _locked(data)), False


def _of_h5py(x: Any) -> tuple[Any, bool] | None:
    if not hasattr(x, "dtype") or not hasattr(x, "shape"):
        return None
    return _locked(np.asarray(x)), False


def _of_zarr(x: Any) -> tuple[Any, bool] | None:
    if not hasattr(x, "dtype"):
        return None
    raise TypeError(
        f"{_named(x)} lies in a store: takewise.zarr.open(x.store, x.path) reads what a call touches, and x[...] all of it"
    )


# No position: what is missing stands there, and is outside every axis.
_OUTSIDE = np.iinfo(np.int64).min


def positions(x: Any) -> Any:
    """Positions in a column that has missing values, or categories, which have their codes; `None` of any other object.

    Gives them with what is missing as a position outside every axis, and whether anything is missing.
    """
    found = _POSITIONS.get(_package(x), lambda x: None)(x)
    if found is None:
        return None
    values, lacks = (np.array(one) for one in found)
    if values.dtype.kind not in "iu":
        return None
    return np.where(lacks, _OUTSIDE, values.astype(np.int64)), bool(lacks.any())


def _positions_of_pandas(x: Any) -> Any:
    dtype = getattr(x, "dtype", None)
    if dtype is None or isinstance(dtype, np.dtype):
        return None
    if hasattr(dtype, "categories"):
        codes = np.asarray(getattr(x, "cat", x).codes)
        return codes, codes < 0
    return (x.to_numpy(dtype="int64", na_value=0), x.isna()) if getattr(dtype, "kind", "") in "iu" else None


def _positions_of_polars(x: Any) -> Any:
    if not hasattr(x, "is_null"):
        return None
    whole = x.to_physical()
    return (whole.fill_null(0).to_numpy(), x.is_null().to_numpy()) if whole.dtype.is_integer() else None


def _positions_of_pyarrow(x: Any) -> Any:
    if not hasattr(x, "null_count"):
        return None
    whole = x.combine_chunks() if hasattr(x, "combine_chunks") else x
    codes = getattr(whole, "indices", whole)
    integers = str(codes.type).removeprefix("u").startswith("int")
    return (codes.fill_null(0).to_numpy(zero_copy_only=False), codes.is_null().to_numpy(zero_copy_only=False)) if integers else None


_POSITIONS = {"pandas": _positions_of_pandas, "polars": _positions_of_polars, "pyarrow": _positions_of_pyarrow}


def _date(x: Any) -> Any:
    """A date, a time or a span of Python's or pandas' as NumPy's; ``None`` for anything else."""
    if getattr(x, "tzinfo", None) is not None:
        raise TypeError(f"{_named(x)} has a time zone, which elements have no place for: pass UTC without it")
    for kind, name, made in (
        (datetime.date, "to_datetime64", np.datetime64),
        (datetime.timedelta, "to_timedelta64", np.timedelta64),
    ):
        if isinstance(x, kind):
            # pandas' are of Python's classes too, and more exact.
            return getattr(x, name)() if hasattr(x, name) else made(x)
    return None


def dated(x: Any) -> Any:
    """Dates, times or spans, one or in nested lists, as an array; ``None`` where there is anything else."""
    objects = np.asarray(x, dtype=object)
    found = [_date(one) for one in objects.reshape(-1).tolist()]
    return None if not found or any(one is None for one in found) else np.array(found).reshape(objects.shape)


_READERS = {
    "h5py": _of_h5py,
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_pyarrow,
    "xarray": _of_xarray,
    "zarr": _of_zarr,
}


def unwritable(x: Any) -> str | None:
    """Why nothing is written into an object; ``None`` if it is an array that cannot be written."""
    package, new = _package(x), "the function without the underscore gives a new one"
    if package == "pandas" and type(x).__name__ == "Series" and isinstance(x.dtype, np.dtype):
        return f"cannot write into a Series, whose memory pandas shares until it is written (copy on write): {new}"
    if package == "h5py":
        return f"cannot write into {_named(x)}, which lies in its file: x[key] = value writes there"
    if package:
        return f"cannot write into {_named(x)}, whose memory is not to be changed: {new}"
    offers = ("__array__", "__array_interface__", "__array_struct__", "__arrow_c_array__", "__arrow_c_stream__")
    lent = isinstance(x, (np.generic, bytes, memoryview)) or hasattr(type(x), "__dlpack__")
    if lent or not any(hasattr(type(x), name) for name in offers):
        return None
    return f"cannot write into {_named(x)}, which hands out its elements to be read: pass an array"


def _library(package: str) -> Any:
    """The package of an object, which is imported already."""
    return importlib.import_module(package)


def dressed(x: Any, made: Any, places: Any) -> Any:
    """Elements as a column like ``x``; those read at ``places`` with the labels of these, -1 for none."""
    package = _package(x)
    if package == "pandas":
        return _to_pandas(x, made, places)
    if package == "polars":
        return _library("polars").Series(x.name, made, dtype=x.dtype)
    pyarrow = _library("pyarrow")
    made = pyarrow.array(made, type=x.type)
    return pyarrow.chunked_array([made]) if isinstance(x, pyarrow.ChunkedArray) else made


def _to_pandas(x: Any, made: Any, places: Any) -> Any:
    array: Any = opened(x)
    kind = {"dtype": x.dtype} if made.dtype == array[0].dtype else {}
    # pandas does not know of views that it has not made: writing into one would change the other.
    kind["copy"] = bool(np.may_share_memory(made, array[0]))
    return with_labels(x, made, places, **kind)


def with_labels(x: Any, made: Any, places: Any, **kind: Any) -> Any:
    """Elements as an object of pandas like ``x``, a Series with the labels at ``places``, or all of them."""
    pandas = _library("pandas")
    if isinstance(x, pandas.Index):
        return pandas.Index(made, name=x.name, **kind)
    if not isinstance(x, pandas.Series):
        return pandas.array(made, **kind)
    labels = x.index
    if places is not None:
        labels = labels.take(places, allow_fill=bool((places < 0).any()), fill_value=np.nan)
    return pandas.Series(made, index=labels, name=x.name, **kind)
