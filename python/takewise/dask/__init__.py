"""Indexing of arrays that Dask cuts into chunks: exact, with tasks only for the chunks that are touched.

>>> import pytest, numpy as np
>>> da = pytest.importorskip("dask.array")
>>> import takewise.dask as td
>>> x = da.from_array(np.arange(12).reshape(3, 4), chunks=(2, 2))
>>> td.gather(x, 1, np.array([[3, 0], [1, 1], [2, -1]])).compute()
array([[ 3,  0],
       [ 5,  5],
       [10, 11]])

Arrays go in and come out as Dask's, of NumPy chunks, and nothing is computed but the counts that masks need. Positions may be
NumPy's or Dask's. ``bounds``, ``negative``, ``duplicates`` and ``fill_value`` mean what they mean in :mod:`takewise`; ``threads``
says on how many threads each task runs, by default one, as a worker runs several tasks. ``takewise.gather(x, ...)`` and the
other functions of the package come here when one of their arrays is Dask's.

Positions that are known are checked while the graph is built. Those in arrays of Dask's are checked by tasks of their own, which
all else waits for: the first value outside, in index order of the whole index, raises ``IndexError`` with ``axis``,
``position``, ``value`` and ``size``. Writes give a new array.

How the graph is built depends on what is known and how dense the positions are; :func:`explain` says which way and why. One task
receives at most ``takewise.task-bytes`` of Dask's configuration (1 GiB by default).

On data that fit one machine's memory, NumPy arrays and :mod:`takewise` itself are faster than any cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask import _along, _common, _keys, _mask, _positions, _read, _search, _tasks, _write
from takewise.dask._explain import Plan, Step, explain
from takewise.dask._keys import Request, Together
from takewise.dask._plan import Points, Span

__all__ = [
    "Plan",
    "Step",
    "explain",
    "gather",
    "index",
    "index_put",
    "index_select",
    "masked_select",
    "nonzero",
    "oindex",
    "put",
    "put_along_axis",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "take",
    "take_along_axis",
    "vindex",
]

if TYPE_CHECKING:
    _Bounds = Literal["raise", "wrap", "clip", "fill", "drop"]
    _Duplicates = Literal["last", "first", "error"]
    _Reduce = Literal["none", "sum", "add", "prod", "multiply", "mul", "mean", "amax", "max", "amin", "min"]
    _Side = Literal["left", "right"]


def take(
    x: Any, index: Any, axis: int | None = None, *, bounds: _Bounds | None = None, negative: bool | None = None,
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
    return _take("take", x, index, axis, _common.options(bounds, negative, fill_value, threads=threads))


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
        points, bad = _along.flat_points(x, index, options)
        if bad is not None:
            bad.raise_for(operation, options)
        return _read.known(operation, x, [points], layout, "index", options)
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
    index = index if index.ndim else index.reshape(1)
    return _take("index_select", x, index, dim, _common.options(bounds, negative, fill_value, threads=threads))


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


def index(
    x: Any, key: Any, *, bounds: _Bounds | None = None, negative: bool | None = None, fill_value: Any = None,
    threads: int | None = None,
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
    return _positions.read(operation, x, _keys.read(operation, x.shape, key, options, _places), options)


def _places(mask: Any) -> Sequence[Any]:
    return _mask.coordinates(mask, True)


def masked_select(x: Any, mask: Any, *, count: bool = True, threads: int | None = None) -> Any:
    """The elements of ``x`` where ``mask`` is true, as one row in row-major order; the two broadcast.

    A mask of Dask's is computed once while the graph is built, to count what each chunk of the result will hold; with
    ``count=False`` it is not, and the result has chunks of unknown size.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.arange(12).reshape(3, 4), chunks=2)
    >>> found = td.masked_select(x, x % 5 == 0)
    >>> found.chunks, found.compute()
    (((2, 1),), array([ 0,  5, 10]))
    """
    return _mask.select(x, mask, count)


def nonzero(input: Any, *, as_tuple: bool = False, count: bool = True, threads: int | None = None) -> Any:
    """Coordinates of the elements that are not zero, in row-major order: a row for each, or an array for each axis.

    ``input`` is computed once while the graph is built, to count them; with ``count=False`` it is not, and the result has
    chunks of unknown size.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.nonzero(da.from_array(np.array([[1, 0, 2], [0, 3, 0]]), chunks=1)).compute()
    array([[0, 0],
           [0, 2],
           [1, 1]])
    """
    x = _common.array(input, "input")
    return _mask.coordinates(x, count) if as_tuple else _mask.rows(x, count)


def put_along_axis(
    x: Any, index: Any, values: Any, axis: int | None = -1, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with values stored along ``axis``, as ``take_along_axis`` reads them; the other axes broadcast.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.array([[10, 30, 20], [60, 40, 50]]), chunks=2)
    >>> td.put_along_axis(x, da.argmax(x, axis=1, keepdims=True), 99, axis=1).compute()
    array([[10, 99, 20],
           [99, 40, 50]])
    """
    index, x = _common.positions(index), _common.array(x)
    options = _common.options(bounds, negative, None, duplicates, threads)
    operation = "put_along_axis"
    store = _tasks.Store(operation, duplicates=options.duplicates, threads=options.threads)
    if axis is None:
        if index.ndim != 1:
            raise exceptions.ValueError("put_along_axis: with axis=None the index must have one axis")
        return _flat(operation, x, index, values, store, options)
    axis = _common.axis_of(axis, x.ndim, operation)
    shape = _along.fits(operation, x, index, axis)
    return _along_axis(operation, x, index, axis, values, shape, store, options)


def put(
    x: Any, index: Any, values: Any, accumulate: bool = False, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with values stored at positions of the flattened array; with ``accumulate``, added.

    ``values`` is one number, or has as many elements as ``index``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.put(da.zeros((2, 2), chunks=1), da.from_array(np.array([0, 3]), chunks=1), np.array([5, 6])).compute()
    array([[5., 0.],
           [0., 6.]])
    """
    index, x = _common.positions(index), _common.array(x)
    _combining(duplicates, accumulate)
    options = _common.options(bounds, negative, None, duplicates, threads)
    if _common.is_dask(values) or np.ndim(values):
        values = values if _common.is_dask(values) else np.asarray(values, x.dtype if isinstance(values, list) else None)
        if values.size != index.size:
            sizes = f"source {_common.listed(values.shape)}, index {_common.listed(index.shape)}"
            raise exceptions.ValueError(f"put: source and index must have as many elements: {sizes}")
        values = values if values.shape == index.shape else values.reshape(index.shape)
    if not x.size and index.size:
        # Of an array without elements takewise says more than of one value.
        takewise.put(np.zeros(x.shape, np.int8), np.zeros(index.shape, np.int8), 0, bounds=bounds, negative=negative)
    store = _tasks.Store("put", accumulate, duplicates=options.duplicates, threads=options.threads)
    return _flat("put", x, index, values, store, options)


def _flat(operation: str, x: Any, index: Any, values: Any, store: Any, options: Any) -> Any:
    """A write at positions of the flattened array."""
    if not _common.is_dask(index):
        points, bad = _along.flat_points(x, index, options)
        return _stored(operation, x, points, bad, values, index.shape, store, options)
    layout: Any = [(0, k) for k in range(index.ndim)]
    request = Request([Together(tuple(range(x.ndim)), [index], index.shape)], layout, "index")
    values = _write.fitted(operation, values, index.shape, x.dtype)
    return _write.unknown(_write.Writing(operation, x, request, values, store, options, "flat"))


def _stored(operation: str, x: Any, points: Points, bad: Any, values: Any, shape: Any, store: Any, options: Any) -> Any:
    """A write at known positions on all axes."""
    if bad is not None:
        bad.raise_for(operation, options)
    request = Request([Together(points.axes, [], shape)], [(0, k) for k in range(len(shape))], "index")
    values = _write.fitted(operation, values, shape, x.dtype)
    return _write.known(_write.Writing(operation, x, request, values, store, options), [points])


def _along_axis(
    operation: str, x: Any, index: Any, axis: int, values: Any, shape: tuple[int, ...], store: Any, options: Any
) -> Any:
    """A write with one position for each value, along one axis."""
    if not _common.is_dask(index):
        points, bad = _along.at_points(x, index, axis, shape, options)
        return _stored(operation, x, points, bad, values, shape, store, options)
    request = Request([Together(tuple(range(x.ndim)), [index], shape)], [(0, k) for k in range(len(shape))], "index")
    values = _write.fitted(operation, values, shape, x.dtype)
    return _write.unknown(_write.Writing(operation, x, request, values, store, options, "along", axis))


def index_put(
    x: Any, key: Any, value: Any, *, accumulate: bool = False, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``x[key] = value``, for a key of any kind; with ``accumulate`` the value is added instead.

    The last of several values for one place stays, and sums are formed in index order.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.zeros(4, chunks=2)
    >>> td.index_put(x, [1, 1, 3], np.array([5.0, 6.0, 7.0])).compute()
    array([0., 6., 0., 7.])
    >>> td.index_put(x, da.from_array(np.array([1, 1, 3]), chunks=2), 1, accumulate=True).compute()
    array([0., 2., 0., 1.])
    """
    x, options = _common.array(x), _common.options(bounds, negative, None, duplicates, threads)
    _combining(duplicates, accumulate)
    request = _keys.read("index_put", x.shape, key, options, _places)
    store = _tasks.Store("index_put", accumulate, duplicates=options.duplicates, threads=options.threads)
    value = _write.fitted("index_put", value, _keys.result_shape(request), x.dtype)
    writing = _write.Writing("index_put", x, request, value, store, options)
    if request.is_known:
        return _write.known(writing, _read.groups_of("index_put", request, x.shape, options))
    return _write.unknown(writing)


def _combining(duplicates: str | None, combining: bool) -> None:
    if combining and duplicates in ("last", "first"):
        raise exceptions.ValueError(
            f'duplicates="{duplicates}" has no meaning where values are combined, for all of them count'
        )


def scatter(
    x: Any, dim: int, index: Any, src: Any, reduce: _Reduce | None = None, *, bounds: _Bounds | None = None,
    negative: bool | None = None, duplicates: _Duplicates | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``src`` stored at ``index`` along ``dim``: ``x[i][index[i][j]] = src[i][j]`` for ``dim=1``.

    ``src`` is an array at least as large as ``index``, or one number. ``reduce`` combines instead of storing.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.scatter(da.zeros(4, chunks=3), 0, [3, 1], np.array([7.0, 8.0])).compute()
    array([0., 8., 0., 7.])
    """
    how = None if reduce == "none" else reduce
    _combining(duplicates, how is not None)
    return _scatter("scatter", x, dim, index, src, how, True, _common.options(bounds, negative, None, duplicates, threads))


def scatter_add(
    x: Any, dim: int, index: Any, src: Any, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``src`` added at ``index`` along ``dim``, in index order.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.scatter_add(da.zeros(3, chunks=2), 0, [0, 0, 2], np.array([1.0, 2.0, 3.0])).compute()
    array([3., 0., 3.])
    """
    _combining(duplicates, True)
    options = _common.options(bounds, negative, None, duplicates, threads)
    return _scatter("scatter_add", x, dim, index, src, "sum", True, options)


def scatter_reduce(
    x: Any, dim: int, index: Any, src: Any, reduce: _Reduce, include_self: bool = True, *, bounds: _Bounds | None = None,
    negative: bool | None = None, duplicates: _Duplicates | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``src`` combined at ``index`` along ``dim``.

    ``reduce`` is ``"sum"``, ``"prod"``, ``"mean"``, ``"max"`` or ``"min"``; without ``include_self`` the places written forget
    what was there.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.scatter_reduce(da.zeros(3, chunks=2), 0, [0, 0, 2], np.array([5.0, 9.0, -1.0]), "max").compute()
    array([9., 0., 0.])
    """
    how = None if reduce == "none" else reduce
    _combining(duplicates, how is not None)
    options = _common.options(bounds, negative, None, duplicates, threads)
    return _scatter("scatter_reduce", x, dim, index, src, how, include_self, options)


def _scatter(
    operation: str, x: Any, dim: int, index: Any, src: Any, reduce: str | None, include_self: bool, options: Any
) -> Any:
    index, x = _common.positions(index), _common.array(x)
    dim = _common.axis_of(dim, max(x.ndim, 1), operation)
    _along.fits("gather", x, index, dim)
    if not _common.is_dask(src) and np.ndim(src):
        src = np.asarray(src, x.dtype if isinstance(src, list | tuple) else None)
    if _common.is_dask(src) or np.ndim(src):
        if src.ndim != index.ndim or any(n > own for n, own in zip(index.shape, src.shape, strict=True)):
            shapes = f"index {_common.listed(index.shape)}, source {_common.listed(src.shape)}"
            raise exceptions.ValueError(f"{operation}: the index may not be larger than the source: {shapes}")
        src = _common.array(src, "src") if _common.is_dask(src) else src
        src = src[tuple(slice(extent) for extent in index.shape)]
    store = _tasks.Store(operation, False, reduce, include_self, options.duplicates, options.threads)
    return _along_axis(operation, x, index, dim, src, index.shape, store, options)


def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: _Side | None = None,
    sorter: None = None, threads: int | None = None,
) -> Any:
    """Where ``input`` belongs in ``sorted_sequence``: before elements equal to it, with ``right`` or ``side="right"`` after.

    A sequence of rank 1 is searched for values of any shape; one of more axes row by row, for the rows of ``input``. The
    sorted axis may lie in several chunks. A ``sorter`` is refused.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.searchsorted(da.from_array(np.array([1, 3, 5, 7]), chunks=3), np.array([3.0, 4.5, 9.0])).compute()
    array([1, 2, 4])
    """
    if sorter is not None:
        raise exceptions.NotImplementedError("searchsorted: a sorter is not taken here: sort the sequence first")
    side = "right" if right or side == "right" else side
    return _search.searchsorted(sorted_sequence, input, {"out_int32": out_int32, "side": side})
