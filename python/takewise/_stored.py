"""Arrays in Zarr stores as xarray holds arrays: nothing is read before elements are wanted, and then what is touched."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Source", "Stored"]


class Source:
    """An open Zarr array, which other processes open for themselves."""

    def __init__(self, path: str) -> None:
        import takewise_zarr  # type: ignore[import-not-found]

        self._path, self.array = path, takewise_zarr.open(path)

    def __reduce__(self) -> tuple[type["Source"], tuple[str]]:
        return Source, (self._path,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Source":
        return self


class Stored(np.lib.mixins.NDArrayOperatorsMixin):
    """A Zarr array, or a part of one that numbers and slices select.

    Subscripts of numbers and slices select a smaller part, and read nothing. Subscripts with arrays are read at once, as they were
    written: points stay points, and products of axes stay products. ``numpy.asarray`` reads the part. Everything else NumPy can do
    is done to what is read.
    """

    def __init__(
        self,
        source: "Source",
        part: tuple[range | int, ...] | None = None,
        decoded: Callable[[Any], Any] | None = None,
        dtype: Any = None,
    ) -> None:
        self._of, self._decoded = source, decoded
        self._part = tuple(range(extent) for extent in source.array.shape) if part is None else part
        self.dtype = np.dtype(source.array.dtype if dtype is None else dtype)

    @property
    def _source(self) -> Any:
        return self._of.array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(run) for run in self._part if isinstance(run, range))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<takewise.Stored shape={self.shape} dtype={self.dtype} of {self._source!r}>"

    def _is_whole(self) -> bool:
        return self._part == tuple(range(extent) for extent in self._source.shape)

    def _read(self, read: Callable[[], Any]) -> Any:
        found = np.asarray(read())
        return found if self._decoded is None else np.asarray(self._decoded(found))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("a stored array is read into fresh memory: there is no array without a copy")
        whole = tuple(run if isinstance(run, int) else _slice(run) for run in self._part)
        return np.asarray(self._read(lambda: self._source[whole]), dtype)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*_loaded(args), **_loaded(kwargs))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*_loaded(inputs), **_loaded(kwargs))

    def astype(self, dtype: Any, **how: Any) -> Any:
        return np.asarray(self).astype(dtype, **how)

    def transpose(self, *axes: Any) -> Any:
        return np.asarray(self).transpose(*axes)

    def __getitem__(self, key: Any) -> Any:
        entries = list(key) if isinstance(key, tuple) else [key]
        if any(entry is None or isinstance(entry, (bool, np.bool_)) for entry in entries) or _has_wide_mask(entries):
            return self._read(lambda: self._source[key]) if self._is_whole() else np.asarray(self)[key]
        entries = _each_axis(entries, self.ndim)
        if all(isinstance(entry, (int, slice)) for entry in entries):
            return Stored(self._of, self._selected(entries), self._decoded, self.dtype)
        product = _product(entries)
        picked = self._selected(entries if product is None else product)
        wanted = tuple(_slice(run) if isinstance(run, range) else run for run in picked)
        if product is None:
            return self._read(lambda: self._source[wanted])
        return self._read(lambda: self._source.oindex[wanted])

    def _selected(self, entries: list[Any]) -> tuple[Any, ...]:
        """What numbers, slices and arrays, one for each axis of this part, are on the axes of the source."""
        left, found = iter(entries), []
        for axis, run in enumerate(self._part):
            found.append(run if isinstance(run, int) else _within(run, next(left), axis, self._source.shape[axis]))
        return tuple(found)

    def take_along_axis(self, indices: Any, axis: int) -> Any:
        """As ``numpy.take_along_axis``; of a whole array only touched chunks are read."""
        if not self._is_whole():
            return np.take_along_axis(np.asarray(self), np.asarray(indices), axis)
        return self._read(lambda: self._source.take_along_axis(np.asarray(indices), axis))


def _loaded(value: Any) -> Any:
    if isinstance(value, Stored):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_loaded(one) for one in value)
    if isinstance(value, dict):
        return {name: _loaded(one) for name, one in value.items()}
    return value


def _has_wide_mask(entries: list[Any]) -> bool:
    arrays = [np.asarray(entry) for entry in entries if not isinstance(entry, (int, np.integer, slice)) and entry is not Ellipsis]
    return any(array.dtype == np.bool_ and array.ndim != 1 for array in arrays)


def _each_axis(entries: list[Any], rank: int) -> list[Any]:
    """One entry for every axis: numbers, slices, and arrays of positions."""
    if sum(entry is Ellipsis for entry in entries) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    given = sum(entry is not Ellipsis for entry in entries)
    if given > rank:
        raise IndexError(f"too many indices for array: array is {rank}-dimensional, but {given} were indexed")
    rest = [slice(None)] * (rank - given)
    at = next((k for k, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    entries = [*entries[:at], *rest, *entries[at + 1 :]]
    return [_entry(entry) for entry in entries]


def _entry(entry: Any) -> Any:
    if isinstance(entry, slice):
        return entry
    if not isinstance(entry, np.ndarray):
        with contextlib.suppress(TypeError):
            return entry.__index__() if hasattr(entry, "__index__") else np.asarray(entry)
    return np.asarray(entry)


def _product(entries: list[Any]) -> list[Any] | None:
    """Arrays that broadcast as ``numpy.ix_`` makes them, with each its own axis in order: without the axes of length one.

    xarray writes products of axes so.
    """
    arrays = [entry for entry in entries if isinstance(entry, np.ndarray)]
    count = len(arrays)
    if count < 2 or any(isinstance(entry, (int, slice)) for entry in entries):
        return None
    for axis, array in enumerate(arrays):
        if array.dtype.kind not in "iu" or array.ndim != count or array.size != array.shape[axis]:
            return None
    return [_run(array.reshape(-1)) for array in arrays]


def _run(array: Any) -> Any:
    """Positions as a slice, where they are one."""
    if len(array) < 2 or array[0] < 0 or array[-1] < 0:
        return array
    step = int(array[1]) - int(array[0])
    if step <= 0 or not (np.diff(array) == step).all():
        return array
    return slice(int(array[0]), int(array[-1]) + 1, step)


def _within(run: range, entry: Any, axis: int, extent: int) -> Any:
    """An entry for a part of an axis as one for the whole axis."""
    if isinstance(entry, slice):
        return run[entry]
    if run == range(extent) and not isinstance(entry, int):
        return entry
    if isinstance(entry, int):
        if not -len(run) <= entry < len(run):
            raise IndexError(f"index {entry} is out of bounds for axis {axis} with size {len(run)}")
        return run[entry]
    if entry.dtype == np.bool_:
        if len(entry) != len(run):
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {len(run)} but size of "
                f"corresponding boolean axis is {len(entry)}"
            )
        entry = entry.nonzero()[0]
    bad = (entry < -len(run)) | (entry >= len(run))
    if bad.any():
        first = int(entry[bad][0])
        raise IndexError(f"index {first} is out of bounds for axis {axis} with size {len(run)}")
    entry = entry.astype(np.int64)
    return run.start + run.step * np.where(entry < 0, entry + len(run), entry)


def _slice(run: range) -> slice:
    return slice(run.start, None if run.stop < 0 else run.stop, run.step)
