"""Zarr arrays by index: only the chunks that an index touches are read, each once.

>>> import numpy as np, tempfile, zarr, takewise_zarr
>>> folder = tempfile.mkdtemp()
>>> z = zarr.create_array(folder, shape=(6, 5), chunks=(2, 2), dtype="i4", overwrite=True)
>>> z[:] = np.arange(30).reshape(6, 5)
>>> x = takewise_zarr.open(folder)
>>> x[[5, 0, -1], 1:3]
array([[26, 27],
       [ 1,  2],
       [26, 27]], dtype=int32)
"""

import operator
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from takewise_zarr import _zarr
from takewise_zarr._zarr import __version__

__all__ = ["Array", "Traffic", "__version__", "open"]


class Traffic(NamedTuple):
    """What reads have cost: ranges and bytes read, and chunks decoded."""

    requests: int
    bytes: int
    decoded: int


def open(path: str | os.PathLike[str], *, gap: int = 64 << 10) -> "Array":
    """Opens the Zarr array in a local folder: version 3, sharded or not, or version 2.

    Bytes between two chunks of a shard are read along with them if they are no more than ``gap``. What is not supported is
    refused here, by name: elements that are no numbers, unknown codecs and grids, groups and URLs (``NotImplementedError``).
    """
    return Array(path, gap=gap)


_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def _bound(value: Any) -> int | None:
    return None if value is None else min(max(operator.index(value), _LEAST), _MOST)


def _array(value: Any) -> Any:
    """An index array or a mask as the extension takes it: row-major, of int64, uint64 or bool."""
    array = np.asarray(value)
    if array.size == 0 and not hasattr(value, "dtype"):
        array = array.astype(np.int64)
    kind = array.dtype.kind
    if kind not in "iub":
        raise TypeError(f"an index array holds integers or truth values, not {array.dtype}")
    wanted = {"i": np.int64, "u": np.uint64, "b": np.bool_}[kind]
    # ascontiguousarray would give what has no axes one.
    return np.asarray(array, wanted, order="C")


def _key(key: Any) -> Iterator[Any]:
    for entry in key if isinstance(key, tuple) else (key,):
        if entry is None or entry is Ellipsis:
            yield entry
        elif isinstance(entry, (bool, np.bool_)):
            yield bool(entry)
        elif isinstance(entry, slice):
            yield slice(_bound(entry.start), _bound(entry.stop), _bound(entry.step))
        elif isinstance(entry, (int, np.integer)):
            yield _bound(entry)
        elif hasattr(entry, "__index__") and not hasattr(entry, "__array__"):
            yield _bound(entry)
        else:
            yield _array(entry)


class Array:
    """A Zarr array in a local folder. Nothing but its metadata is read until it is indexed.

    ``x[key]`` takes NumPy's whole subscript grammar: integers, slices of any step, ``None``, ``...``, index arrays and masks of
    any rank. All index values are checked before anything is read. Results are fresh NumPy arrays.
    """

    def __init__(self, path: str | os.PathLike[str], *, gap: int = 64 << 10) -> None:
        self._array = _zarr.Array(os.fspath(path), gap)
        self._path = os.fspath(path)
        name = self._array.dtype
        if name == "bfloat16":
            import ml_dtypes

            self.dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        else:
            self.dtype = np.dtype(name)

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
        """What reads have cost since the array was opened."""
        return Traffic(*self._array.traffic)

    def _read(self, plan: Any) -> Any:
        out = np.empty(plan.shape, self.dtype)
        self._array.read(plan, out.reshape(-1).view(np.uint8))
        return out

    def __getitem__(self, key: Any) -> Any:
        entries = list(_key(key))
        out = self._read(self._array.plan("plain", entries))
        # As of NumPy's arrays, one element is a scalar unless an ellipsis asks for an array.
        return out[()] if out.ndim == 0 and Ellipsis not in [e for e in entries if e is Ellipsis] else out

    @property
    def oindex(self) -> "_Indexer":
        """``x.oindex[key]``: the cross product of the index arrays, each of which stands for its own axis."""
        return _Indexer(self, "outer")

    @property
    def vindex(self) -> "_Indexer":
        """``x.vindex[key]``: the points that the index arrays name together; their axes lead the result."""
        return _Indexer(self, "points")

    def take(self, indices: Any, axis: int | None = None) -> Any:
        """Slices along an axis, as ``numpy.take``; without an axis, elements by row-major position."""
        return self._read(self._array.plan_of("take", _array(indices), axis))

    def take_along_axis(self, indices: Any, axis: int) -> Any:
        """For each element of ``indices`` the one along ``axis`` at its place, as ``numpy.take_along_axis``."""
        return self._read(self._array.plan_of("along", _array(indices), axis))

    def gather_nd(self, indices: Any) -> Any:
        """Slices at tuples of positions, which lie along the last axis of ``indices``."""
        return self._read(self._array.plan_of("nd", _array(indices)))

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
        return f"<takewise_zarr.Array {self._path!r} shape={self.shape} dtype={self.dtype} chunks={self.chunks}{shards}>"


class _Indexer:
    def __init__(self, array: Array, way: str) -> None:
        self._array, self._way = array, way

    def __getitem__(self, key: Any) -> Any:
        return self._array._read(self._array._array.plan(self._way, list(_key(key))))
