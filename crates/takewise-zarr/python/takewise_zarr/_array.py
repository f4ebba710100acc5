"""The array."""

import os
import uuid
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np

import takewise
from takewise._outside import Outside
from takewise_zarr import _decoded, _stores, _zarr
from takewise_zarr._keys import Key, dtype_of


class Traffic(NamedTuple):
    """What reads and writes have cost: ranges and bytes read, chunks decoded, files and bytes written."""

    requests: int
    bytes: int
    decoded: int
    writes: int
    written: int


_REDUCE = {"sum": "sum", "add": "sum", "prod": "prod", "multiply": "prod", "mul": "prod"} | {
    "amax": "max",
    "max": "max",
    "amin": "min",
    "min": "min",
    "mean": "mean",
}


class Array(Outside):
    """A Zarr array. Nothing but its metadata is read until it is indexed. :func:`open` and :func:`create` make them.

    ``x[key]`` takes NumPy's whole subscript grammar: integers, slices of any step, ``None``, ``...``, index arrays and masks of
    any rank. All index values are checked before anything is read. Results are fresh NumPy arrays.

    ``x[key] = values`` writes by the same grammar where the array was opened with ``mode="r+"``: of values that meet in one place
    the last in index order stays, and sums add in index order. A call with a bad index, or values that do not fit, writes
    nothing. Each chunk that is touched is read once, or not at all where all of it is overwritten, and its file is replaced in
    one step.

    Operators and NumPy's functions of elements do what they do to arrays, on what they read: ``x != 0`` is an array of bools. As
    NumPy's arrays, these have no hash.

    **When the store fails**: an array in a folder is left as it was if a chunk cannot be read, decoded, encoded or written,
    because all files are written beside the old ones first. If the last step, in which each takes its place, is interrupted,
    some files are new and some old. Two processes (or two arrays opened on one folder) that write one file at a time
    are not held apart.
    """

    dtype: np.dtype[Any]

    def __init__(self, array: _zarr.Array, name: str, mode: str, again: tuple[Any, ...]) -> None:
        self._array, self._name, self._mode, self._again = array, name, mode, again
        self._token = ""
        self.dtype = dtype_of(array.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes open it for themselves.
        return opened, self._again

    def __dask_tokenize__(self) -> str:
        # What its chunks hold is not looked at: two that were opened are two.
        self._token = self._token or uuid.uuid4().hex
        return self._token

    @property
    def mode(self) -> str:
        """``"r"`` or ``"r+"``, as :func:`open` has it."""
        return self._mode

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return self._array.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def chunks(self) -> tuple[int, ...]:
        """Extents of the chunks that are decoded one by one: of a sharded array the inner ones."""
        return self._array.chunks

    @property
    def shards(self) -> tuple[int, ...] | None:
        """Extents of the shards, if there are any."""
        return self._array.shards

    @property
    def zarr_format(self) -> int:
        """The version of the format: 2 or 3."""
        return self._array.format

    @property
    def traffic(self) -> Traffic:
        """What reads and writes have cost since the array was opened."""
        return Traffic(*self._array.traffic)

    def _rows_together(self) -> int:
        return self.chunks[0]

    def _plan(self, way: str, key: Any) -> Any:
        parts = Key()
        entries = list(parts.entries(key))
        with parts.told():
            return self._array.plan(way, entries)

    def _plan_of(self, way: str, indices: Any, axis: int | None = None) -> Any:
        parts = Key()
        index = parts.array(indices)
        with parts.told():
            return self._array.plan_of(way, index, axis)

    def _read(self, plan: Any) -> Any:
        out = np.empty(plan.shape, self.dtype)
        self._array.read(plan, out.reshape(-1).view(np.uint8), takewise.get_num_threads())
        return out

    def _write(self, plan: Any, values: Any, how: str | None = None, include_self: bool = True) -> None:
        if self._mode != "r+":
            raise ValueError(f"{self._name} was opened for reading; open it with mode='r+' to write")
        array = np.asarray(values)
        if how is not None:
            self._check(array, values)
        array = np.asarray(values if not hasattr(values, "dtype") else array, self.dtype, order="C")
        self._array.write(plan, array.reshape(-1).view(np.uint8), array.shape, how, takewise.get_num_threads(), include_self)

    def _check(self, array: Any, values: Any) -> None:
        """Sums take what NumPy's would: values that are of the array's kind, or below it."""
        number = not hasattr(values, "dtype") and array.dtype.kind in "iu" and self.dtype.kind in "iufcV"
        if not number and not np.can_cast(array.dtype, self.dtype, "same_kind"):
            raise TypeError(f"values of {array.dtype} cannot be combined with elements of {self.dtype}")

    def __getitem__(self, key: Any) -> Any:
        out = self._read(self._plan("plain", key))
        # As of NumPy's arrays, one element is a scalar unless an ellipsis asks for an array.
        entries = key if isinstance(key, tuple) else (key,)
        return out[()] if out.ndim == 0 and not any(entry is Ellipsis for entry in entries) else out

    def __setitem__(self, key: Any, values: Any) -> None:
        self._write(self._plan("plain", key), values)

    @property
    def oindex(self) -> "_Indexer":
        """``x.oindex[key]``: the cross product of the index arrays, each of which stands for its own axis."""
        return _Indexer(self, "outer")

    @property
    def vindex(self) -> "_Indexer":
        """``x.vindex[key]``: the points that the index arrays name together; their axes lead the result."""
        return _Indexer(self, "points")

    @property
    def at(self) -> "_At":
        """``x.at[key].add_(values)``, and ``mul_``, ``min_``, ``max_``: combined once for every time a place is named."""
        return _At(self)

    def take(self, indices: Any, axis: int | None = None) -> Any:
        """Slices along an axis, as ``numpy.take``; without an axis, elements by row-major position."""
        if axis is None and not self.shape:
            return takewise.take(self[...], np.asarray(indices))
        return self._read(self._plan_of("take", indices, axis))

    def take_along_axis(self, indices: Any, axis: int) -> Any:
        """For each element of ``indices`` the one along ``axis`` at its place, as ``numpy.take_along_axis``."""
        return self._read(self._plan_of("along", indices, axis))

    def gather_nd(self, indices: Any) -> Any:
        """Slices at tuples of positions, which lie along the last axis of ``indices``."""
        return self._read(self._plan_of("nd", indices))

    def put(self, indices: Any, values: Any) -> None:
        """Elements by row-major position, as ``numpy.put``: values are repeated where there are fewer than indices."""
        if not self.shape:
            whole = self[...]
            takewise.put_(whole, np.asarray(indices), np.asarray(values, self.dtype))
            self[...] = whole
            return
        plan = self._plan_of("take", indices)
        count = int(np.prod(plan.shape, dtype=np.int64))
        given = np.asarray(values)
        if count and not given.size:
            return
        self._write(plan, values if given.ndim == 0 else np.resize(given, plan.shape))

    def put_along_axis(self, indices: Any, values: Any, axis: int) -> None:
        """Values to the places that :meth:`take_along_axis` would read, as ``numpy.put_along_axis``."""
        self._write(self._plan_of("along", indices, axis), values)

    def scatter(self, dim: int, index: Any, src: Any) -> None:
        """Values to the places that ``index`` names along ``dim``. Of the other axes the index may have fewer places."""
        self._scatter(dim, index, src, None)

    def scatter_add(self, dim: int, index: Any, src: Any) -> None:
        """:meth:`scatter`, but values are added to what is there, in index order."""
        self._scatter(dim, index, src, "sum")

    def scatter_reduce(self, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> None:
        """:meth:`scatter`, but values are combined: ``"sum"``, ``"prod"``, ``"amax"``, ``"amin"`` or ``"mean"``.

        They are combined with what is there, or without it (``include_self=False``). Means of integers are rounded down.
        """
        if reduce not in _REDUCE:
            raise ValueError(f"reduce is one of {', '.join(map(repr, _REDUCE))} here, not {reduce!r}")
        self._scatter(dim, index, src, _REDUCE[reduce], include_self)

    def _scatter(self, dim: int, index: Any, src: Any, how: str | None, include_self: bool = True) -> None:
        plan = self._plan_of("scatter", index, dim)
        shape, given = plan.shape, np.shape(src)
        if len(given) == len(shape) and any(n > m for n, m in zip(given, shape, strict=True)):
            # What the index has no places for is left alone, as PyTorch does.
            src = np.asarray(src)[tuple(slice(m) if n > m else slice(None) for n, m in zip(given, shape, strict=True))]
        self._write(plan, src, how, include_self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("a Zarr array is read into fresh memory: there is no array without a copy")
        return np.asarray(self[...], dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __repr__(self) -> str:
        shards = f", shards={self.shards}" if self.shards else ""
        about = f"shape={self.shape} dtype={self.dtype} chunks={self.chunks}{shards} mode={self._mode!r}"
        return f"<takewise_zarr.Array {self._name!r} {about}>"


class _Indexer:
    def __init__(self, array: Array, way: str) -> None:
        self._array, self._way = array, way

    def __getitem__(self, key: Any) -> Any:
        return self._array._read(self._array._plan(self._way, key))

    def __setitem__(self, key: Any, values: Any) -> None:
        self._array._write(self._array._plan(self._way, key), values)


class _At:
    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> "_Places":
        return _Places(self._array, key)


class _Places:
    """Places of an array, to combine values into."""

    def __init__(self, array: Array, key: Any) -> None:
        self._array, self._key = array, key

    def _combine(self, values: Any, how: str) -> None:
        self._array._write(self._array._plan("plain", self._key), values, how)

    def add_(self, values: Any) -> None:
        """Adds, in index order (``numpy.add.at``)."""
        self._combine(values, "sum")

    def mul_(self, values: Any) -> None:
        """Multiplies (``numpy.multiply.at``)."""
        self._combine(values, "prod")

    def min_(self, values: Any) -> None:
        """Keeps the least (``numpy.minimum.at``)."""
        self._combine(values, "min")

    def max_(self, values: Any) -> None:
        """Keeps the greatest (``numpy.maximum.at``)."""
        self._combine(values, "max")


def place(source: Any, path: str, options: Mapping[str, Any] | None = None, mode: str = "r+") -> tuple[Any, str]:
    """Where an array is, as the extension takes it, and what it is called."""
    path = path.strip("/")
    if any(part in (".", "..") for part in path.split("/")):
        raise ValueError(f"{path!r} is no path in a store: it leads out of its groups")
    if isinstance(source, str) and source.startswith("file://"):
        source = url2pathname(urlsplit(source).path)
    called = source if isinstance(source, str) and "://" in source else None
    if called is not None:
        source = _stores.behind(called, options)
    elif options is not None:
        raise TypeError("options are those of a store behind a URL")
    if (store := _stores.found(source)) is not None:
        within = "/".join(part for part in (store[1], path) if part)
        folder = _stores.folder(store[0])
        # Of a store that may not be written, writing is for the store to refuse.
        if folder is not None and not (mode == "r+" and store[0].read_only):
            name = os.path.join(folder, within) if within else folder
            return name, name
        calls = _stores.calls(store[0])
        name = called or str(store[0])
        return (name, calls, within), f"{name}/{within}" if within else name
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"an array is opened by a path or in a store of zarr-python's, not in a {type(source).__name__}")
    name = os.path.expanduser(os.fspath(source))
    name = os.path.join(name, path) if path else name
    return name, name


def opened(source: Any, path: str, gap: int | None, mode: Literal["r", "r+"], options: Mapping[str, Any] | None) -> Array:
    """The array in a folder or a store."""
    if mode not in ("r", "r+"):
        raise ValueError(f"mode is 'r' or 'r+', not {mode!r}")
    where, name = place(source, path, options, mode)
    again = (os.path.abspath(where), "", gap, mode, None) if where is name else (source, path, gap, mode, options)
    try:
        array = _zarr.Array(where, gap)
    except NotImplementedError as error:
        array = _decoded.opened(where, gap, error)
    return Array(array, name, mode, again)
