"""Arrays that are read by rows: a subscript says which rows it needs, and the rest of it is done in memory."""

from collections.abc import Iterator
from types import EllipsisType
from typing import Any

import numpy as np

from takewise import _takewise
from takewise._ahead import Ahead, begin
from takewise._outside import Outside


class ByRows(Outside):
    """An array outside of memory with at least one axis, of which rows are read: subscripts are NumPy's, but for bare ``True``.

    A class has ``shape``, ``dtype`` and :meth:`_rows`; or :meth:`_select`, if it can read parts of rows.
    """

    __slots__ = ()

    def _rows(self, rows: Any) -> Any:
        """Rows by their numbers, which ascend: an array of them, or a range."""
        raise NotImplementedError

    def _select(self, before: list[None], first: Any, after: list[Any], shape: Any) -> Any:
        """``self[(*before, first, *after)]``, of that shape: ``first`` is an integer, a slice or an array of integers."""
        rows: Any
        if isinstance(first, int):
            rows, first = range(first % len(self), first % len(self) + 1), 0
        elif isinstance(first, slice):
            rows, first = range(*first.indices(len(self))), slice(None)
            if rows.step < 0:
                part = self._rows(rows[::-1])
                # PyTorch's tensors have no views that run backwards.
                return _takewise.index(part[::-1] if isinstance(part, np.ndarray) else part.flip(0), (*before, first, *after))
        else:
            rows, places = np.unique(np.where(first < 0, first + len(self), first), return_inverse=True)
            first = places.reshape(first.shape)
        return _takewise.index(self._rows(rows), (*before, first, *after))

    def __getitem__(self, key: Any) -> Any:
        # The rules, and what is wrong, are the engine's: asked of an array that takes no memory.
        shape = _takewise.index(np.broadcast_to(np.int8(0), self.shape), key).shape
        entries = _entries(key, self.ndim)
        at = next((k for k, entry in enumerate(entries) if entry is not None), len(entries))
        found = self._select(entries[:at], entries[at], entries[at + 1 :], shape)
        return found[()] if found.ndim == 0 and isinstance(found, np.ndarray) and not _has_ellipsis(key) else found

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * int(self.dtype.itemsize)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "np.ndarray[Any, Any]":
        """All of it, in memory."""
        if copy is False:
            raise ValueError("an array in files is read into memory: there is no way to have it without a copy")
        whole = np.asarray(self[...])
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def take(self, indices: Any, axis: int | None = None) -> Any:
        """As ``numpy.take``: slices along an axis. Without an axis, elements by row-major position."""
        if axis is None:
            return self[np.unravel_index(_wrapped(indices, self.size), self.shape)]
        axis = range(self.ndim)[axis]
        return self[(*(slice(None),) * axis, np.asarray(indices))]

    def prefetch(self, key: Any) -> Ahead:
        """Begins to read ``x[key]``, and does not wait. See :meth:`takewise.FileArray.prefetch`."""
        return begin(self.__getitem__, key)


def _wrapped(indices: Any, size: int) -> Any:
    found = _takewise.take(np.broadcast_to(np.int8(0), size), indices)
    wanted = np.asarray(indices).reshape(found.shape)
    return np.where(wanted < 0, wanted + size, wanted)


def _has_ellipsis(key: Any) -> bool:
    return any(isinstance(part, EllipsisType) for part in (key if isinstance(key, tuple) else (key,)))


def _entries(key: Any, ndim: int) -> list[Any]:
    """The entries of a key: integers, slices, ``None`` and arrays of integers. An ellipsis, and what stands behind the key, are slices."""
    found: list[Any] = []
    for entry in key if isinstance(key, tuple) else (key,):
        if entry is None or entry is Ellipsis or isinstance(entry, slice):
            found.append(entry)
            continue
        array = np.asarray(entry) if not isinstance(entry, list) or len(entry) else np.empty(0, np.intp)
        if array.dtype == bool:
            if array.ndim == 0:
                raise NotImplementedError("bare True and False are no subscripts of an array that is read by rows")
            found.extend(np.nonzero(array))
        else:
            # Numbers of few bits would not hold those of rows.
            found.append(int(array) if array.ndim == 0 else array.astype(np.intp, copy=False))
    named = sum(entry is not None and entry is not Ellipsis for entry in found)
    rest = [slice(None)] * (ndim - named)
    at = next((k for k, entry in enumerate(found) if entry is Ellipsis), None)
    return [*found, *rest] if at is None else [*found[:at], *rest, *found[at + 1 :]]
