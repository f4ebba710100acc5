"""Rows of different lengths whose values are an array of Dask's: offsets and row numbers are known, so the graph is."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask import _common

__all__ = [
    "take_ranges", "reduce_ranges", "pad_ranges", "repeat_ranges", "put_ranges", "pack_ranges", "range_ids", "range_positions",
    "offsets_of", "searchsorted_ranges",
]  # fmt: skip


def _known(operation: str, **arrays: Any) -> None:
    for name, array in arrays.items():
        if _common.is_dask(array):
            raise exceptions.TypeError(f"{operation}: {name} must be known when the graph is built, not an array of Dask's: call compute() on it")


def take_ranges(
    values: Any, offsets: Any = None, ids: Any = None, *, starts: Any = None, stops: Any = None, lengths: Any = None, axis: int = 0,
    size: int | None = None, fill_value: Any = 0, bounds: _common._Bounds | None = None, negative: bool | None = None,
    threads: int | None = None,
) -> tuple[Any, Any]:
    """The rows of ``values`` that ``ids`` names, as an array of Dask's, and their offsets, as NumPy's; see ``takewise.take_ranges``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> picked, offsets = td.take_ranges(da.from_array(np.arange(6), chunks=2), [0, 2, 6], [1, 0])
    >>> picked.compute(), offsets
    (array([2, 3, 4, 5, 0, 1]), array([0, 4, 6]))
    """
    _known("take_ranges", offsets=offsets, ids=ids, starts=starts, stops=stops, lengths=lengths)
    at, edges = takewise.range_positions(offsets, ids, starts=starts, stops=stops, lengths=lengths, bounds=bounds, negative=negative)
    found = takewise.dask.take(values, np.asarray(at), axis, threads=threads)
    return sized("take_ranges", found, size, fill_value, axis), np.asarray(edges)


def sized(name: str, found: Any, size: int | None, fill_value: Any, axis: int = 0) -> Any:
    """What was found, cut or padded to the size that is asked for."""
    if size is None:
        return found
    if size < 0:
        raise exceptions.ValueError(f"{name}: size must be at least 0, not {size}")
    return takewise.dask.take(found, np.arange(size), axis, bounds="fill", fill_value=fill_value)


def reduce_ranges(
    values: Any, offsets: Any = None, reduce: Any = "sum", ids: Any = None, *, starts: Any = None, stops: Any = None, lengths: Any = None,
    weights: Any = None, where: Any = None, skip_nan: bool = False, empty: Any = None, axis: int = 0,
    bounds: _common._Bounds | None = None, negative: bool | None = None, threads: int | None = None,
) -> Any:
    """One value for each row: a task for as many rows as a chunk of the values holds; see ``takewise.reduce_ranges``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.reduce_ranges(da.from_array(np.arange(6.0), chunks=2), [0, 3, 6], "sum").compute()
    array([ 3., 12.])
    """
    if where is not None:
        raise exceptions.TypeError("reduce_ranges: where= of an array of Dask's is not taken: choose the values before")
    _known("reduce_ranges", offsets=offsets, starts=starts, stops=stops, lengths=lengths, ids=ids, weights=weights)
    axis = _common.axis_of(axis, values.ndim, "reduce_ranges")
    positions = reduce in ("argmin", "argmax")
    if ids is not None and bounds in ("fill", "drop"):
        raise exceptions.TypeError(f'reduce_ranges: bounds="{bounds}" leaves positions out, which an array of Dask\'s does not: choose them before')
    at, edges = _rows(offsets, starts, stops, lengths)
    order = at if ids is None else np.asarray(ids)[at]
    settings: dict[str, Any] = {"skip_nan": skip_nan, "empty": empty, "axis": axis, "threads": threads or 1}
    entries = takewise.dask.take(values, order, axis, bounds=bounds, negative=negative)
    factors = None if weights is None else np.asarray(weights, values.dtype)[at]
    run = functools.partial(_reduced, reduce=reduce, settings=settings)
    made = _by_rows("reduce_ranges", values, entries, edges, axis, run, factors, _dtype(values.dtype, reduce))
    if not positions:
        return made
    # They count in the entries of a task's rows: turned into positions of the values.
    length = values.shape[axis]
    order = np.where(order < 0, order + length, order) if bounds != "clip" else np.clip(order, 0, length - 1)
    return made.map_blocks(functools.partial(_placed, order=order, empty=-1 if empty is None else empty), dtype=np.int64)


def _dtype(dtype: Any, reduce: Any) -> Any:
    return takewise.reduce_ranges(np.ones(1, dtype), [0, 1], reduce).dtype


def _placed(found: Any, order: Any, empty: Any) -> Any:
    return np.where(found >= 0, order[np.maximum(found, 0)], empty) if len(order) else np.full_like(found, empty)


def _reduced(part: Any, edges: Any, factors: Any, first: int, *, reduce: Any, settings: dict[str, Any]) -> Any:
    if reduce not in ("argmin", "argmax"):
        return takewise.reduce_ranges(part, edges, reduce, weights=factors, **settings)
    found = takewise.reduce_ranges(part, edges, reduce, **{**settings, "empty": None})
    return np.where(found >= 0, found + first, -1)


def _rows(offsets: Any, starts: Any, stops: Any, lengths: Any) -> tuple[Any, Any]:
    at, edges = takewise.range_positions(offsets, starts=starts, stops=stops, lengths=lengths)
    return np.asarray(at), np.asarray(edges)


def pad_ranges(
    values: Any, offsets: Any = None, width: int | None = None, fill_value: Any = 0, *, starts: Any = None, stops: Any = None,
    lengths: Any = None, mask: bool = False, threads: int | None = None,
) -> Any:
    """Rows of different lengths as one dense array, in chunks of whole rows; see ``takewise.pad_ranges``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.pad_ranges(da.from_array(np.arange(3), chunks=2), [0, 1, 3]).compute()
    array([[0, 0],
           [1, 2]])
    """
    _known("pad_ranges", offsets=offsets, starts=starts, stops=stops, lengths=lengths)
    at, edges = _rows(offsets, starts, stops, lengths)
    longest = int(np.diff(edges).max(initial=0))
    width = longest if width is None else width
    # A row that is too long is named now.
    told = takewise.pad_ranges(np.broadcast_to(np.zeros((), values.dtype), len(at)), edges, width, fill_value, mask=True)[1]
    run = functools.partial(_padded, width=width, fill_value=fill_value, threads=threads or 1)
    entries = takewise.dask.take(values, at, 0)
    dense = _by_rows("pad_ranges", values, entries, edges, 0, run, None, values.dtype, width)
    return (dense, told) if mask else dense


def _padded(part: Any, edges: Any, factors: Any, first: int, *, width: int, fill_value: Any, threads: int) -> Any:
    return takewise.pad_ranges(part, edges, width, fill_value, threads=threads)


def repeat_ranges(
    values: Any, offsets: Any = None, *, starts: Any = None, stops: Any = None, lengths: Any = None, axis: int = 0,
    threads: int | None = None,
) -> Any:
    """Element ``r`` of ``values`` along ``axis`` for each value of row ``r``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.repeat_ranges(da.from_array(np.array([7, 8]), chunks=1), [0, 1, 3]).compute()
    array([7, 8, 8])
    """
    _known("repeat_ranges", offsets=offsets, starts=starts, stops=stops, lengths=lengths)
    edges = _rows(offsets, starts, stops, lengths)[1]
    ids, rows = np.asarray(takewise.range_ids(edges)), len(edges) - 1
    if rows != values.shape[_common.axis_of(axis, values.ndim, "repeat_ranges")]:
        raise exceptions.ValueError(f"repeat_ranges: there are {rows} rows, and {values.shape[axis]} values along axis {axis}")
    return takewise.dask.take(values, ids, axis, threads=threads)


def put_ranges(
    x: Any, offsets: Any, ids: Any, source: Any, source_offsets: Any = None, *, axis: int = 0, bounds: _common._Bounds | None = None,
    negative: bool | None = None, duplicates: Any = None, casting: Any = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with rows of ``source`` stored in the rows that ``ids`` names; see ``takewise.put_ranges``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.put_ranges(da.zeros(5, chunks=2), [0, 2, 5], [1], np.array([7.0, 8.0, 9.0])).compute()
    array([0., 0., 7., 8., 9.])
    """
    _known("put_ranges", offsets=offsets, ids=ids, source_offsets=source_offsets)
    to, edges = takewise.range_positions(offsets, ids, bounds=bounds, negative=negative)
    if source_offsets is not None:
        order, own = _rows(source_offsets, None, None, None)
        if not np.array_equal(own, edges):
            raise exceptions.ValueError("put_ranges: rows of the source are not as long as those they go to")
        source = takewise.take(source, order, axis=axis)
    return takewise.dask.index_copy(x, axis, np.asarray(to), source, duplicates=duplicates, casting=casting, threads=threads)


def pack_ranges(dense: Any, lengths: Any, *, threads: int | None = None) -> tuple[Any, Any]:
    """The first ``lengths[r]`` values of each row of a dense array, as an array of Dask's, and their offsets.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.pack_ranges(da.from_array(np.array([[1, 2], [3, 0]]), chunks=1), [2, 1])[0].compute()
    array([1, 2, 3])
    """
    _known("pack_ranges", lengths=lengths)
    rows, width = dense.shape[:2]
    # What is wrong with lengths is said of an array that takes no memory.
    stand_in = np.broadcast_to(np.zeros((), np.int8), (rows, width))
    edges = np.asarray(takewise.pack_ranges(stand_in, lengths)[1])
    at = takewise.range_positions(starts=np.arange(rows) * width, lengths=lengths)[0]
    return takewise.dask.take(dense.reshape(rows * width, *dense.shape[2:]), np.asarray(at), 0, threads=threads), edges


def range_ids(offsets: Any = None, *, starts: Any = None, stops: Any = None, lengths: Any = None, threads: int | None = None) -> Any:
    """``takewise.range_ids`` of rows that are known.

    >>> import pytest
    >>> _ = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.range_ids([0, 2, 3])
    array([0, 0, 1])
    """
    _known("range_ids", offsets=offsets, starts=starts, stops=stops, lengths=lengths)
    return takewise.range_ids(offsets, starts=starts, stops=stops, lengths=lengths, threads=threads)


def range_positions(
    offsets: Any = None, ids: Any = None, *, starts: Any = None, stops: Any = None, lengths: Any = None,
    bounds: _common._Bounds | None = None, negative: bool | None = None, threads: int | None = None,
) -> Any:
    """``takewise.range_positions`` of rows that are known.

    >>> import pytest
    >>> _ = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.range_positions([0, 2, 3], [1])[0]
    array([2])
    """
    _known("range_positions", offsets=offsets, ids=ids, starts=starts, stops=stops, lengths=lengths)
    rows: dict[str, Any] = {"starts": starts, "stops": stops, "lengths": lengths}
    return takewise.range_positions(offsets, ids, **rows, bounds=bounds, negative=negative, threads=threads)


def offsets_of(ids: Any, rows: int | None = None, *, threads: int | None = None) -> Any:
    """``takewise.offsets_of`` numbers that are known.

    >>> import pytest
    >>> _ = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.offsets_of([0, 0, 1])
    array([0, 2, 3])
    """
    _known("offsets_of", ids=ids)
    return takewise.offsets_of(ids, rows, threads=threads)


def searchsorted_ranges(
    values: Any, offsets: Any, input: Any, ids: Any = None, *, right: bool = False, bounds: _common._Bounds | None = None,
    negative: bool | None = None, threads: int | None = None,
) -> Any:
    """``takewise.searchsorted_ranges`` of arrays that are known: arrays of Dask's are refused.

    >>> import pytest, numpy as np
    >>> _ = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.searchsorted_ranges(np.array([1, 5, 2]), [0, 2, 3], [3, 4])
    array([1, 1])
    """
    _known("searchsorted_ranges", values=values, offsets=offsets, input=input, ids=ids)
    return takewise.searchsorted_ranges(values, offsets, input, ids, right=right, bounds=bounds, negative=negative, threads=threads)


def _by_rows(
    operation: str, values: Any, entries: Any, edges: Any, axis: int, run: Any, factors: Any, dtype: Any, *more: int
) -> Any:
    """One task for the rows that together hold about as many entries as a chunk of the values: ``run`` makes its rows."""
    most = max(values.chunks[axis], default=1) or 1
    rows = len(edges) - 1
    # A row goes to the task that its first entry falls to.
    groups = np.flatnonzero(np.diff(edges[:-1] // most, prepend=-1)) if rows else np.zeros(0, int)
    cuts = [*groups.tolist(), rows] if rows else [0, 0]
    sizes = tuple(int(edges[b] - edges[a]) for a, b in zip(cuts, cuts[1:], strict=False))
    entries = entries.rechunk({axis: sizes}) if entries.shape[axis] else entries
    name = _common.named(operation, entries, edges, run, factors, dtype)
    chunks = [*entries.chunks]
    chunks[axis : axis + 1] = [tuple(b - a for a, b in zip(cuts, cuts[1:], strict=False)), *((n,) for n in more)]
    tasks: dict[Any, Any] = {}
    for block in np.ndindex(*(len(sizes) for sizes in chunks)):
        number = block[axis]
        own = edges[cuts[number] : cuts[number + 1] + 1]
        source = (entries.name, *block[:axis], min(number, entries.numblocks[axis] - 1), *block[axis + 1 + len(more) :])
        weights = None if factors is None else factors[own[0] : own[-1]]
        key = (name, *block)
        tasks[key] = _common.task(key, run, _common.ref(source), own - own[0], weights, int(own[0]))
    return _common.made(operation, tasks, name, tuple(chunks), dtype, [entries])
