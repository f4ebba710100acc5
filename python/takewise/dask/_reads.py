"""Functions that read, and searches. Positions that are known are looked at while the graph is built."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

import takewise
from takewise import _mixed, exceptions
from takewise.dask import _along, _common, _keys, _mask, _positions, _read, _search
from takewise.dask._keys import Request, Together
from takewise.dask._parts import Span

__all__ = [
    "take", "index_select", "gather", "take_along_axis", "take_along_dim", "gather_nd", "index", "vindex", "oindex", "searchsorted",
]  # fmt: skip

if TYPE_CHECKING:
    from takewise.dask._common import _Bounds, _Side


def take(
    x: Any, index: Any, axis: int | None = None, batch_dims: int = 0, *, bounds: _Bounds | None = None, negative: bool | None = None,
    fill_value: Any = None, threads: int | None = None,
) -> Any:
    """The elements (with ``axis=None``, of the flattened array) or whole subarrays of ``x`` at ``index``, of any shape.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.arange(12).reshape(3, 4), chunks=2)
    >>> td.take(x, [3, 0], axis=1).compute()
    array([[ 3,  0],
           [ 7,  4],
           [11,  8]])
    >>> td.take(x, da.from_array(np.array([0, -1]), chunks=1)).compute()
    array([ 0, 11])
    """
    options = _common.options(bounds, negative, fill_value, threads=threads)
    return _paired(x, index, axis, batch_dims, options) if batch_dims else _take("take", x, index, axis, options)


def _paired(x: Any, index: Any, axis: int | None, batch_dims: int, options: _common.Options) -> Any:
    """A read along ``axis`` whose first ``batch_dims`` axes belong together: at a key that names their places too."""
    x, index = _common.array(x), _common.positions(index)
    pairs = batch_dims + index.ndim * (batch_dims < 0)
    axis = pairs if axis is None else _common.axis_of(axis, x.ndim, "take")
    if not 0 <= pairs <= min(index.ndim, axis) or axis >= x.ndim or x.shape[:pairs] != index.shape[:pairs]:
        shapes = f"x of shape {_common.listed(x.shape)} and index of shape {_common.listed(index.shape)}"
        raise exceptions.ValueError(f"take: batch_dims={batch_dims} does not fit {shapes}")
    places = [np.arange(index.shape[k]).reshape(-1, *(1,) * (index.ndim - k - 1)) for k in range(pairs)]
    library, points = _common.library(), list(range(pairs, index.ndim))
    found = _subscript("take", library.moveaxis(x, axis, pairs), (*places, index), options)
    return library.moveaxis(found, points, [k + axis - pairs for k in points])


def _take(operation: str, x: Any, index: Any, axis: int | None, options: _common.Options) -> Any:
    index = _common.positions(index)
    x = _common.array(x)
    size = x.size if axis is None else x.shape[_common.axis_of(axis, x.ndim, operation)]
    if not size and index.size and operation == "take":
        # Of an axis without elements takewise says more than of one value.
        takewise.take(np.zeros(x.shape, np.int8), np.zeros(index.shape, np.int8), axis, **options.keywords)
    if axis is None:
        layout: Any = [(0, k) for k in range(index.ndim)]
        if _common.is_dask(index):
            together = Together(tuple(range(x.ndim)), [index], index.shape)
            return _positions.read(operation, x, Request([together], layout, "index"), options, "flat")
        return _read.known(operation, x, [_along.flat_points(operation, x, index, options)], layout, "index", options)
    axis = _common.axis_of(axis, x.ndim, operation)
    groups: list[Any] = [Span(k, 0, 1, extent) for k, extent in enumerate(x.shape)]
    groups[axis] = Together((axis,), [index], index.shape)
    layout = [(g, k) for g, group in enumerate(groups) for k in range(len(group.shape))]
    return _positions.read(operation, x, Request(groups, layout, "index"), options)


def index_select(
    x: Any, dim: int, index: Any, *, bounds: _Bounds | None = None, negative: bool | None = None, fill_value: Any = None,
    threads: int | None = None,
) -> Any:
    """Whole subarrays of ``x`` along ``dim``, at the places of a one-dimensional ``index``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.index_select(da.from_array(np.array([[1, 2], [3, 4], [5, 6]]), chunks=1), 0, [2, 0]).compute()
    array([[5, 6],
           [1, 2]])
    """
    index = _common.positions(index)
    if index.ndim > 1:
        raise exceptions.IndexError(f"index_select: the index must be a vector: index {_common.listed(index.shape)}")
    options = _common.options(bounds, negative, fill_value, threads=threads)
    if not index.ndim:
        index, options = index.reshape(1), dataclasses.replace(options, number=True)
    return _take("index_select", x, index, dim, options)


def gather(
    x: Any, dim: int, index: Any, *, bounds: _Bounds | None = None, negative: bool | None = None, fill_value: Any = None,
    threads: int | None = None,
) -> Any:
    """One element of ``x`` for each element of ``index``, along ``dim``: ``out[i][j] = x[i][index[i][j]]`` for ``dim=1``.

    The result has the shape of ``index``, which may be smaller than ``x`` along the other axes.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.array([[10, 20, 30], [40, 50, 60]]), chunks=(1, 2))
    >>> td.gather(x, 1, da.from_array(np.array([[2, 0], [1, -1]]), chunks=1)).compute()
    array([[30, 10],
           [50, 60]])
    """
    index = _common.positions(index)
    x = _common.array(x)
    dim = _common.axis_of(dim, max(x.ndim, 1), "gather")
    options = _common.options(bounds, negative, fill_value, threads=threads)
    if not x.ndim and not index.ndim:
        return _take("gather", x, index, None, options)
    return _along.along("gather", x, index, dim, options)


def take_along_axis(
    x: Any, index: Any, axis: int | None = -1, *, bounds: _Bounds | None = None, negative: bool | None = None,
    fill_value: Any = None, threads: int | None = None,
) -> Any:
    """One element of ``x`` for each element of ``index``, along ``axis``; the other axes broadcast.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = np.array([[30, 10, 20], [5, 6, 4]])
    >>> td.take_along_axis(da.from_array(x, chunks=(1, 2)), np.argsort(x, axis=1), axis=1).compute()
    array([[10, 20, 30],
           [ 4,  5,  6]])
    """
    index = _common.positions(index)
    x = _common.array(x)
    options = _common.options(bounds, negative, fill_value, threads=threads)
    if axis is None:
        if index.ndim != 1:
            raise exceptions.ValueError("take_along_axis: with axis=None the index must have one axis")
        return _take("take_along_axis", x, index, None, options)
    return _along.along("take_along_axis", x, index, _common.axis_of(axis, x.ndim, "take_along_axis"), options)


def take_along_dim(
    input: Any, indices: Any, dim: int | None = None, *, bounds: _common._Bounds | None = None, negative: bool | None = None,
    fill_value: Any = None, threads: int | None = None,
) -> Any:
    """One element of ``input`` for each element of ``indices``, along ``dim``; without one, both are flattened. PyTorch's name
    of ``take_along_axis``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.take_along_dim(da.from_array(np.array([30, 10, 20]), chunks=2), [0, 9], bounds="clip").compute()
    array([30, 20])
    """
    if dim is None:
        indices = _common.positions(indices).reshape(-1)
    return take_along_axis(input, indices, dim, bounds=bounds, negative=negative, fill_value=fill_value, threads=threads)


def gather_nd(
    x: Any, index: Any, batch_dims: int = 0, *, bounds: _Bounds | None = None, negative: bool | None = None,
    fill_value: Any = None, threads: int | None = None,
) -> Any:
    """Elements or subarrays of ``x`` at index tuples: the last axis of ``index`` runs over the axes of ``x``.

    The first ``batch_dims`` axes of both belong together. The last axis of an index of Dask's may lie in several chunks.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.array([[10, 20, 30], [40, 50, 60]]), chunks=2)
    >>> td.gather_nd(x, [[0, 2], [1, 0]]).compute()
    array([30, 40])
    >>> td.gather_nd(x, da.from_array(np.array([[2], [0]]), chunks=1), batch_dims=1).compute()
    array([30, 40])
    """
    index, x = _common.positions(index), _common.array(x)
    options = _common.options(bounds, negative, fill_value, threads=threads)
    return _positions.read("gather_nd", x, *_positions.tuples("gather_nd", x, index, batch_dims, options))


def index(
    x: Any, key: Any, *, bounds: _Bounds | None = None, negative: bool | None = None, fill_value: Any = None,
    mixed: str | None = None, threads: int | None = None,
) -> Any:
    """``x[key]``, for a key of any kind, by NumPy's rules for the combination of its parts.

    Integers, slices with any step, ``None``, ``...``, masks, and index arrays of any shape, NumPy's and Dask's.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.arange(12).reshape(3, 4), chunks=2)
    >>> td.index(x, ([2, 0], slice(None, None, -2))).compute()
    array([[11,  9],
           [ 3,  1]])
    >>> td.index(x, ([2, 0], da.from_array(np.array([3, 1]), chunks=1))).compute()
    array([11,  1])
    """
    _mixed.check(x.shape, key, mixed)
    return _subscript("index", x, key, _common.options(bounds, negative, fill_value, threads=threads))


def vindex(
    x: Any, key: Any, *, bounds: _Bounds | None = None, negative: bool | None = None, fill_value: Any = None,
    threads: int | None = None,
) -> Any:
    """``x`` at the points the index arrays of ``key`` name together; their axes lead the result, wherever they stand.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.arange(24).reshape(2, 3, 4), chunks=2)
    >>> td.vindex(x, (0, slice(None), [3, 1])).compute()
    array([[ 3,  7, 11],
           [ 1,  5,  9]])
    """
    return _subscript("vindex", x, key, _common.options(bounds, negative, fill_value, threads=threads))


def oindex(
    x: Any, key: Any, *, bounds: _Bounds | None = None, negative: bool | None = None, fill_value: Any = None,
    threads: int | None = None,
) -> Any:
    """``x`` at the cross product of the index arrays of ``key``: each stands for its own axis of the result.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.arange(12).reshape(3, 4), chunks=2)
    >>> td.oindex(x, ([2, 0], [3, 1])).compute()
    array([[11,  9],
           [ 3,  1]])
    """
    return _subscript("oindex", x, key, _common.options(bounds, negative, fill_value, threads=threads))


def _subscript(operation: str, x: Any, key: Any, options: _common.Options) -> Any:
    x = _common.array(x)
    return _positions.read(operation, x, _keys.read(operation, x.shape, key, options, _mask.places_of), options)


def searchsorted(
    sorted_sequence: Any, input: Any, *, axis: int = -1, out_int32: bool = False, right: bool = False, side: _Side | None = None,
    sorter: Any = None, threads: int | None = None,
) -> Any:
    """Where ``input`` belongs in ``sorted_sequence``: before elements equal to it, with ``right`` or ``side="right"`` after.

    A sequence of rank 1 is searched for values of any shape; one of more axes row by row, for the rows of ``input``, along
    ``axis``: an axis of the sequence, and the one as far from the end in ``input``. The other axes broadcast. The sorted axis
    may lie in several chunks. With a ``sorter``, of the sequence's shape, the sequence is what it names along that
    axis: ``sorted_sequence[sorter]``, row by row. Its values are checked as other positions are.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.searchsorted(da.from_array(np.array([1, 3, 5, 7]), chunks=3), np.array([3.0, 4.5, 9.0])).compute()
    array([1, 2, 4])
    >>> x = np.array([30, 10, 20])
    >>> td.searchsorted(da.from_array(x, chunks=2), np.array([10, 25]), sorter=np.argsort(x)).compute()
    array([0, 2])
    """
    if sorter is not None:
        sorted_sequence = _sorted_by(_common.array(sorted_sequence, "sorted_sequence"), _common.positions(sorter, "sorter"))
    side = "right" if right or side == "right" else side
    return _search.searchsorted(sorted_sequence, input, axis, {"out_int32": out_int32, "side": side})


def _sorted_by(sequence: Any, sorter: Any) -> Any:
    """A sequence in the order that a sorter gives it."""
    if not _common.is_dask(sorter) or sorter.shape != sequence.shape:
        # Shape, dtype and values, as takewise has it of arrays in memory; there is nothing to search for.
        plain = np.broadcast_to(np.zeros((), sorter.dtype), sorter.shape) if _common.is_dask(sorter) else sorter
        lone = np.broadcast_to(np.zeros((), sequence.dtype), sequence.shape)
        takewise.searchsorted(lone, np.zeros((*sequence.shape[:-1], 0), sequence.dtype), sorter=plain)
    options = _common.options()
    if sequence.ndim == 1:
        return _take("searchsorted", sequence, sorter, 0, options)
    return _along.along("searchsorted", sequence, sorter, sequence.ndim - 1, options)
