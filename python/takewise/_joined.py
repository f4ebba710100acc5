"""Arrays in several files, one behind the other, read as one."""

import sys
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from takewise import _takewise
from takewise._ahead import Ahead, begin
from takewise._files import FileArray
from takewise._outside import Outside


class JoinedArray(Outside):
    """The arrays of several files as one long array, joined along the first axis. :func:`takewise.open` makes it of a list of paths.

    Nothing is copied: a subscript reads from each file what it needs of it. The grammar is NumPy's, all of it but bare ``True`` and
    ``False``. The files are read, and not written. It is pickled as its files.

    >>> import numpy as np, pathlib, takewise, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> paths = [pathlib.Path(folder.name) / name for name in ("a.npy", "b.npy")]
    >>> for k, path in enumerate(paths):
    ...     np.save(path, np.arange(6).reshape(3, 2) + 10 * k)
    >>> x = takewise.open(paths)
    >>> x.shape
    (6, 2)
    >>> x[[5, 0]]
    array([[14, 15],
           [ 0,  1]])
    >>> x[2:4, 1]
    array([ 5, 11])
    >>> x.close()
    >>> folder.cleanup()
    """

    __slots__ = ("_starts", "dtype", "parts", "shape")

    parts: tuple[FileArray, ...]

    def __init__(self, parts: Sequence[FileArray]) -> None:
        if not parts:
            raise ValueError("a list of paths has at least one path")
        first = parts[0]
        for part in parts:
            if not part.shape:
                raise ValueError(f"{part.path}: an array without axes cannot be joined to others")
            if part.shape[1:] != first.shape[1:] or part.dtype != first.dtype:
                here, there = (f"{one.dtype} of shape {one.shape}" for one in (part, first))
                raise ValueError(f"{part.path}: holds {here}, which is not joined to the {there} of {first.path}")
        self.parts, self.dtype = tuple(parts), first.dtype
        self._starts = np.cumsum([0, *(len(part) for part in parts)])
        self.shape = (int(self._starts[-1]), *first.shape[1:])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.parts,)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return tuple(part.__dask_tokenize__() for part in self.parts)

    def _operates(self) -> None:
        self.parts[0]._operates()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return sum(part.size for part in self.parts)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return sum(part.nbytes for part in self.parts)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<JoinedArray of {len(self.parts)} files, shape={self.shape}, dtype={self.dtype}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "np.ndarray[Any, Any]":
        """All of it, in memory."""
        if copy is False:
            raise ValueError("an array in files is read into memory: there is no way to have it without a copy")
        whole = np.asarray(self[...])
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __getitem__(self, key: Any) -> Any:
        # The rules, and what is wrong, are the engine's: asked of an array that takes no memory.
        shape = _takewise.index(np.broadcast_to(np.int8(0), self.shape), key).shape
        entries = _entries(key, self.ndim)
        at = next((k for k, entry in enumerate(entries) if entry is not None), len(entries))
        first = entries[at] if at < len(entries) else slice(None)
        before, after = entries[:at], entries[at + 1 :]
        if isinstance(first, int):
            part, row = self._find(first + len(self) * (first < 0))
            return self.parts[part][(*before, row, *after)]
        if isinstance(first, slice):
            return self._slice(first, before, after)
        return self._rows(before, first, after, shape)

    def _find(self, row: int) -> tuple[int, int]:
        part = int(_takewise.searchsorted(self._starts, row, right=True)) - 1
        return part, row - int(self._starts[part])

    def _slice(self, rows: slice, before: list[Any], after: list[Any]) -> Any:
        start, stop, step = rows.indices(len(self))
        wanted = range(start, stop, step)
        pieces = []
        for part, (low, high) in enumerate(zip(self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True)):
            # The rows of this file among those wanted.
            ahead, behind = (low - start, high - start) if step > 0 else (start - high + 1, start - low + 1)
            inside = wanted[max(0, -(-ahead // abs(step))) : max(0, -(-behind // abs(step)))]
            if len(inside):
                last = inside[-1] - low + (1 if step > 0 else -1)
                local = slice(inside[0] - low, None if last < 0 else last, step)
                pieces.append(self.parts[part][(*before, local, *after)])
        if not pieces:
            return self.parts[0][(*before, slice(0, 0), *after)]
        arrays = [k for k, entry in enumerate(after) if not isinstance(entry, (slice, type(None)))]
        places = [np.ndim(after[k]) for k in arrays if not isinstance(after[k], int)]
        apart = bool(places) and arrays[-1] - arrays[0] + 1 != len(arrays)
        axis = len(before) + (max(places) if apart else 0)
        pieces = pieces[:: 1 if step > 0 else -1]
        return _cat(pieces, axis)

    def _rows(self, before: list[Any], rows: Any, after: list[Any], shape: Any) -> Any:
        arrays = [k for k, entry in enumerate(after) if not isinstance(entry, (slice, type(None)))]
        together = np.broadcast_arrays(rows, *(after[k] for k in arrays))
        extents, (flat, *others) = together[0].shape, [one.reshape(-1) for one in together]
        flat = np.where(flat < 0, flat + len(self), flat)
        # The axes of the index stand where the first array stands, unless something else stands between the arrays.
        axis = len(before) if arrays == list(range(len(arrays))) else 0
        kept = (*shape[:axis], flat.size, *shape[axis + len(extents) :])
        out = self._empty(kept)
        part_of = _takewise.searchsorted(self._starts, flat, right=True) - 1
        for part in np.unique(part_of).tolist():
            (chosen,) = np.nonzero(part_of == part)
            rest = list(after)
            for k, other in zip(arrays, others, strict=True):
                rest[k] = other[chosen]
            got = self.parts[part][(*before, flat[chosen] - self._starts[part], *rest)]
            out[(*(slice(None),) * axis, chosen)] = got
        return out.reshape(shape)

    def _empty(self, shape: Any) -> Any:
        empty = self.parts[0][:0]
        return np.empty(shape, self.dtype) if isinstance(empty, np.ndarray) else empty.new_empty(shape)

    def take(self, indices: Any, axis: int | None = None) -> Any:
        """As ``numpy.take``: slices along an axis. Without an axis, elements by row-major position."""
        if axis is None:
            return self[np.unravel_index(_wrapped(indices, self.size), self.shape)]
        axis = range(self.ndim)[axis]
        return self[(*(slice(None),) * axis, np.asarray(indices))]

    def prefetch(self, key: Any) -> Ahead:
        """Begins to read ``x[key]``, and does not wait. See :meth:`takewise.FileArray.prefetch`."""
        return begin(self.__getitem__, key)

    def close(self) -> None:
        """Lets the files go. Arrays that were read stay."""
        for part in self.parts:
            part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _wrapped(indices: Any, size: int) -> Any:
    found = _takewise.take(np.broadcast_to(np.int8(0), size), indices)
    wanted = np.asarray(indices).reshape(found.shape)
    return np.where(wanted < 0, wanted + size, wanted)


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
                raise NotImplementedError("bare True and False are no subscripts of an array in several files")
            found.extend(np.nonzero(array))
        else:
            found.append(int(array) if array.ndim == 0 else array)
    named = sum(entry is not None and entry is not Ellipsis for entry in found)
    rest = [slice(None)] * (ndim - named)
    at = next((k for k, entry in enumerate(found) if entry is Ellipsis), None)
    return [*found, *rest] if at is None else [*found[:at], *rest, *found[at + 1 :]]


def _cat(pieces: list[Any], axis: int) -> Any:
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces, axis)
    return sys.modules["torch"].cat(pieces, axis)
