"""Arrays in several files, one behind the other, read as one."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from takewise import _takewise
from takewise._files import FileArray
from takewise._rows import ByRows
from takewise._table import TableArray


class JoinedArray(ByRows):
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

    parts: tuple[FileArray | TableArray, ...]

    def __init__(self, parts: Sequence[FileArray | TableArray]) -> None:
        if not parts:
            raise ValueError("a list of paths has at least one path")
        first = parts[0]
        for part in parts:
            if not isinstance(part, (FileArray, TableArray)):
                raise ValueError(f"{part!r} is no array in a file: the arrays of several files are joined")
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

    def __repr__(self) -> str:
        return f"<JoinedArray of {len(self.parts)} files, shape={self.shape}, dtype={self.dtype}>"

    def _select(self, before: list[None], first: Any, after: list[Any], shape: Any) -> Any:
        if isinstance(first, int):
            part, row = self._find(first % len(self))
            return self.parts[part][(*before, row, *after)]
        if isinstance(first, slice):
            return self._slice(first, before, after)
        return self._picked(before, first, after, shape)

    def _find(self, row: int) -> tuple[int, int]:
        part = int(_takewise.searchsorted(self._starts, row, right=True)) - 1
        return part, row - int(self._starts[part])

    def _slice(self, rows: slice, before: list[None], after: list[Any]) -> Any:
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

    def _picked(self, before: list[None], rows: Any, after: list[Any], shape: Any) -> Any:
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

    def close(self) -> None:
        """Lets the files go. Arrays that were read stay."""
        for part in self.parts:
            part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _cat(pieces: list[Any], axis: int) -> Any:
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces, axis)
    return sys.modules["torch"].cat(pieces, axis)
