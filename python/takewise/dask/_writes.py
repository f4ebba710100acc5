"""Functions that write. Each gives a new array, in which chunks that are not touched are the old one's.

All values at known positions are looked at while the graph is built; for positions of Dask's, writes wait for the checks of all
blocks. The last of several stores to one place stays, and sums are formed in index order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import takewise
from takewise import _mixed, exceptions
from takewise.dask import _along, _common, _keys, _mask, _positions, _read, _tasks, _write
from takewise.dask._blocks import check
from takewise.dask._keys import Request, Together
from takewise.dask._parts import Points, Span

__all__ = [
    "put_along_axis", "put", "index_put", "oindex_put", "vindex_put", "scatter", "scatter_add", "scatter_reduce", "index_add",
    "index_copy", "index_fill", "index_reduce", "tensor_scatter", "scatter_nd",
]  # fmt: skip

if TYPE_CHECKING:
    from takewise.dask._common import _Bounds, _Casting, _Duplicates, _Reduce



def put_along_axis(
    x: Any, index: Any, values: Any, axis: int | None = -1, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
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
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    operation = "put_along_axis"
    store = _tasks.Store(operation, duplicates=options.duplicates, threads=options.threads, casting=options.casting)
    if axis is None:
        if index.ndim != 1:
            raise exceptions.ValueError("put_along_axis: with axis=None the index must have one axis")
        if not x.size and index.size:
            # Of an array without elements takewise says more than of one value.
            takewise.put_along_axis(np.zeros(x.shape, np.int8), np.zeros(index.shape, np.int8), 0, None, bounds=bounds, negative=negative)
        return _flat(operation, x, index, values, store, options)
    axis = _common.axis_of(axis, x.ndim, operation)
    shape = _along.fits(operation, x, index, axis)
    return _along_axis(operation, x, index, axis, values, shape, store, options)


def put(
    x: Any, index: Any, values: Any, accumulate: bool = False, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
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
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    if _common.is_dask(values) or np.ndim(values):
        values = _values(values, x.dtype)
        if values.size != index.size:
            sizes = f"source {_common.listed(values.shape)}, index {_common.listed(index.shape)}"
            raise exceptions.ValueError(f"put: source and index must have as many elements: {sizes}")
        values = values if values.shape == index.shape else values.reshape(index.shape)
    if not x.size and index.size:
        # Of an array without elements takewise says more than of one value.
        takewise.put(np.zeros(x.shape, np.int8), np.zeros(index.shape, np.int8), 0, bounds=bounds, negative=negative)
    store = _tasks.Store("put", accumulate, duplicates=options.duplicates, threads=options.threads, casting=options.casting)
    return _flat("put", x, index, values, store, options)


def _flat(operation: str, x: Any, index: Any, values: Any, store: Any, options: Any) -> Any:
    """A write at positions of the flattened array."""
    if not _common.is_dask(index):
        return _stored(operation, x, _along.flat_points(operation, x, index, options), values, index.shape, store, options)
    layout: Any = [(0, k) for k in range(index.ndim)]
    request = Request([Together(tuple(range(x.ndim)), [index], index.shape)], layout, "index")
    values = _write.fitted(operation, values, index.shape, x.dtype, options.casting)
    return _write.unknown(_write.Writing(operation, x, request, values, store, options, "flat"))


def _stored(operation: str, x: Any, points: Points, values: Any, shape: Any, store: Any, options: Any) -> Any:
    """A write at known positions on all axes."""
    request = Request([Together(points.axes, [], shape)], [(0, k) for k in range(len(shape))], "index")
    values = _write.fitted(operation, values, shape, x.dtype, options.casting)
    return _write.known(_write.Writing(operation, x, request, values, store, options), [points])


def _along_axis(
    operation: str, x: Any, index: Any, axis: int, values: Any, shape: tuple[int, ...], store: Any, options: Any
) -> Any:
    """A write with one position for each value, along one axis."""
    if not _common.is_dask(index):
        points = _along.at_points(operation, x, index, axis, shape, options)
        return _stored(operation, x, points, values, shape, store, options)
    request = Request([Together(tuple(range(x.ndim)), [index], shape)], [(0, k) for k in range(len(shape))], "index")
    values = _write.fitted(operation, values, shape, x.dtype, options.casting)
    return _write.unknown(_write.Writing(operation, x, request, values, store, options, "along", axis))


def index_put(
    x: Any, key: Any, value: Any, accumulate: bool = False, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, mixed: str | None = None, threads: int | None = None,
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
    _mixed.check(x.shape, key, mixed)
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    return _subscript("index_put", "index_put", x, key, value, accumulate, duplicates, options)


def at(
    method: str, x: Any, key: Any, value: Any, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A method of ``takewise.at(x)[key]`` that gives a changed copy."""
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    combining = None if method == "set" else method
    return _subscript(f"at(x)[key].{method}", "index_put", x, key, value, False, duplicates, options, combining)


def oindex_put(
    x: Any, key: Any, value: Any, *, accumulate: bool = False, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``value`` stored at the cross product of the index arrays of ``key``, which ``oindex`` reads.

    With ``accumulate`` the value is added instead. ``value`` broadcasts to what ``oindex`` gives there.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.oindex_put(da.zeros((3, 4), chunks=2), ([2, 0], [3, 1]), np.array([[1, 2], [3, 4]])).compute()
    array([[0., 4., 0., 3.],
           [0., 0., 0., 0.],
           [0., 2., 0., 1.]])
    """
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    return _subscript("oindex_put", "oindex", x, key, value, accumulate, duplicates, options)


def vindex_put(
    x: Any, key: Any, value: Any, *, accumulate: bool = False, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``value`` stored at the points the index arrays of ``key`` name together, which ``vindex`` reads.

    With ``accumulate`` the value is added instead. ``value`` broadcasts to what ``vindex`` gives there: axes of points lead.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.vindex_put(da.zeros((2, 3), chunks=2), (slice(None), [2, 0]), np.array([[1, 2], [3, 4]])).compute()
    array([[3., 0., 1.],
           [4., 0., 2.]])
    """
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    return _subscript("vindex_put", "vindex", x, key, value, accumulate, duplicates, options)


def _subscript(
    operation: str, way: str, x: Any, key: Any, value: Any, accumulate: bool, duplicates: str | None, options: _common.Options,
    method: str | None = None,
) -> Any:
    """A write at a subscript, which is read as ``way`` reads it."""
    x = _common.array(x)
    _combining(duplicates, accumulate or method is not None)
    request = _keys.read(way, x.shape, key, options, _mask.places_of)
    store = _tasks.Store(
        operation, accumulate, duplicates=options.duplicates, threads=options.threads, casting=options.casting, method=method
    )
    value = _write.fitted(operation, value, _keys.result_shape(request), x.dtype, options.casting)
    groups = [group for group in request.groups if isinstance(group, Together)]
    if way == "oindex" and len(groups) > 1:
        options = dataclasses.replace(options, outer=True)
        for group in groups:
            known = [(values, axis) for values, axis in zip(group.arrays, group.axes, strict=True) if not _common.is_dask(values)]
            facts = [(axis, x.shape[axis]) for _, axis in known]
            check({}, "", operation, [values for values, _ in known], facts, group.shape, options)
        if _common.is_dask(value) or not request.is_known:
            request, value = _meshed(request, value)
    writing = _write.Writing(operation, x, request, value, store, options)
    if request.is_known:
        return _write.known(writing, _read.groups_of(operation, request, options))
    return _write.unknown(writing)


def _meshed(request: Request, value: Any) -> tuple[Request, Any]:
    """An outer subscript as a pointwise one: its arrays as an open mesh, whose axes lead, and the value turned likewise."""
    at = [g for g, group in enumerate(request.groups) if isinstance(group, Together)]
    arrays, axes, shape = [], [], []
    for k, g in enumerate(at):
        group = request.groups[g]
        assert isinstance(group, Together)
        alone = (None,) * k + (slice(None),) + (None,) * (len(at) - k - 1)
        arrays.append(group.arrays[0][alone])
        axes.append(group.axes[0])
        shape.append(group.shape[0])
    spans = [g for g, group in enumerate(request.groups) if isinstance(group, Span)]
    kept = [entry[0] for entry in request.layout if entry is not None]
    order = [*at, *(g for g in spans if g in kept)]
    if _common.is_dask(value) or np.ndim(value):
        value = value[tuple(0 if entry is None else slice(None) for entry in request.layout)]
        value = value.transpose([kept.index(g) for g in order])
    groups: list[Span | Together] = [Together(tuple(axes), arrays, tuple(shape)), *(request.groups[g] for g in spans)]
    layout: Any = [*((0, k) for k in range(len(at))), *((1 + spans.index(g), 0) for g in order[len(at) :])]
    return Request(groups, layout, "vindex"), value


def _combining(duplicates: str | None, combining: bool) -> None:
    if combining and duplicates in ("last", "first"):
        raise exceptions.ValueError(
            f'duplicates="{duplicates}" has no meaning where values are combined, for all of them count'
        )


def _how(reduce: Any, skip_nan: bool = False) -> Any:
    """A way to combine that is the same for all chunks together as for each."""
    if skip_nan:
        raise exceptions.ValueError("skip_nan=True has no form for arrays of Dask's: reduce_ranges has, of sorted groups")
    if reduce in ("any", "all", "count", "first", "last", "argmin", "argmax"):
        raise exceptions.ValueError(f"reduce={reduce!r} has no form for arrays of Dask's: reduce_ranges has, of sorted groups")
    return None if reduce == "none" else reduce


def scatter(
    x: Any, dim: int, index: Any, src: Any, reduce: _Reduce | None = None, *, bounds: _Bounds | None = None,
    negative: bool | None = None, duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``src`` stored at ``index`` along ``dim``: ``x[i][index[i][j]] = src[i][j]`` for ``dim=1``.

    ``src`` is an array at least as large as ``index``, or one number. ``reduce`` combines instead of storing.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.scatter(da.zeros(4, chunks=3), 0, [3, 1], np.array([7.0, 8.0])).compute()
    array([0., 8., 0., 7.])
    """
    how = _how(reduce)
    _combining(duplicates, how is not None)
    return _scatter("scatter", x, dim, index, src, how, True, _common.options(bounds, negative, None, duplicates, threads, casting))


def scatter_add(
    x: Any, dim: int, index: Any, src: Any, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``src`` added at ``index`` along ``dim``, in index order.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.scatter_add(da.zeros(3, chunks=2), 0, [0, 0, 2], np.array([1.0, 2.0, 3.0])).compute()
    array([3., 0., 3.])
    """
    _combining(duplicates, True)
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    return _scatter("scatter_add", x, dim, index, src, "sum", True, options)


def scatter_reduce(
    x: Any, dim: int, index: Any, src: Any, reduce: _Reduce, include_self: bool = True, *, skip_nan: bool = False,
    bounds: _Bounds | None = None, negative: bool | None = None, duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
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
    how = _how(reduce, skip_nan)
    _combining(duplicates, how is not None)
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    return _scatter("scatter_reduce", x, dim, index, src, how, include_self, options)


def _scatter(
    operation: str, x: Any, dim: int, index: Any, src: Any, reduce: str | None, include_self: bool, options: Any
) -> Any:
    index, x = _common.positions(index), _common.array(x)
    dim = _common.axis_of(dim, max(x.ndim, 1), operation)
    _along.fits("gather", x, index, dim)
    if not _common.is_dask(src) and np.ndim(src):
        src = _values(src, x.dtype)
    if _common.is_dask(src) or np.ndim(src):
        if src.ndim != index.ndim or any(n > own for n, own in zip(index.shape, src.shape, strict=True)):
            shapes = f"index {_common.listed(index.shape)}, source {_common.listed(src.shape)}"
            raise exceptions.ValueError(f"{operation}: the index may not be larger than the source: {shapes}")
        src = _common.array(src, "src") if _common.is_dask(src) else src
        src = src[tuple(slice(extent) for extent in index.shape)]
    store = _tasks.Store(operation, False, reduce, include_self, options.duplicates, options.threads, options.casting)
    return _along_axis(operation, x, index, dim, src, index.shape, store, options)


def index_add(
    x: Any, dim: int, index: Any, source: Any, alpha: Any = None, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with the subarrays of ``source``, times ``alpha``, added at ``index`` along ``dim``, in index order.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.index_add(da.zeros((2, 2), chunks=1), 0, [1, 1], np.ones((2, 2)), 3).compute()
    array([[0., 0.],
           [6., 6.]])
    """
    _combining(duplicates, True)
    keywords = {} if alpha is None else {"alpha": alpha}
    return _slices("index_add", x, dim, index, source, keywords, _common.options(bounds, negative, None, duplicates, threads, casting))


def index_copy(
    x: Any, dim: int, index: Any, source: Any, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with the subarrays of ``source`` stored at ``index`` along ``dim``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.index_copy(da.zeros((2, 2), chunks=1), 0, [1], np.ones((1, 2))).compute()
    array([[0., 0.],
           [1., 1.]])
    """
    return _slices("index_copy", x, dim, index, source, {}, _common.options(bounds, negative, None, duplicates, threads, casting))


def index_fill(
    x: Any, dim: int, index: Any, value: Any, *, bounds: _Bounds | None = None, negative: bool | None = None,
    duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with one ``value`` stored at ``index`` along ``dim``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.index_fill(da.zeros((2, 3), chunks=2), 1, [0, 2], 5).compute()
    array([[5., 0., 5.],
           [5., 0., 5.]])
    """
    return _slices("index_fill", x, dim, index, value, {}, _common.options(bounds, negative, None, duplicates, threads, casting))


def index_reduce(
    x: Any, dim: int, index: Any, source: Any, reduce: _Reduce | None, include_self: bool = True, *,
    skip_nan: bool = False, bounds: _Bounds | None = None, negative: bool | None = None, duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with the subarrays of ``source`` combined at ``index`` along ``dim``; see ``scatter_reduce``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.index_reduce(da.ones(3, chunks=2), 0, [0, 0], np.array([2.0, 4.0]), "prod").compute()
    array([8., 1., 1.])
    """
    how = _how(reduce, skip_nan)
    _combining(duplicates, how is not None)
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    if how is None:
        return _slices("index_copy", x, dim, index, source, {}, options)
    return _slices("index_reduce", x, dim, index, source, {"reduce": how, "include_self": include_self}, options)


def _slices(operation: str, x: Any, dim: int, index: Any, source: Any, keywords: dict[str, Any], options: _common.Options) -> Any:
    """A write of whole subarrays along one axis, by takewise's own function of this name on each chunk."""
    index, x = _common.positions(index), _common.array(x)
    dim = _common.axis_of(dim, max(x.ndim, 1), operation)
    if not index.ndim:
        index, options = index.reshape(1), dataclasses.replace(options, number=True)
    source = _values(source, x.dtype)
    whole = operation != "index_fill"
    if not whole and _common.is_dask(source):
        raise exceptions.TypeError("index_fill: the value is one number, and not an array of Dask's")
    if not x.ndim:
        source = source.reshape(1) if whole and not np.ndim(source) else source
        return _slices(operation, x.reshape(1), 0, index, source, keywords, options).reshape(())
    shape = tuple(index.size if axis == dim else extent for axis, extent in enumerate(x.shape))
    if index.ndim != 1 or (np.shape(source) != shape if whole else np.ndim(source)):
        _as_in_memory(operation, x, dim, index, source, **keywords)
        shapes = f"index {_common.listed(index.shape)}, source {_common.listed(np.shape(source))}, x {_common.listed(x.shape)}"
        raise exceptions.ValueError(f"{operation}: index and source do not fit x: {shapes}")
    # Dtypes and words that do not fit are refused now, and not by a task.
    one = np.zeros((1,) * x.ndim, x.dtype)
    getattr(takewise, operation)(one, dim, [0], np.zeros(one.shape, source.dtype) if whole else source, casting=options.casting, **keywords)
    if whole and not _common.is_dask(source):
        _write.admitted(operation, source, x.dtype, options.casting)
    groups: list[Any] = [Span(axis, 0, 1, extent) for axis, extent in enumerate(x.shape)]
    groups[dim] = Together((dim,), [index], index.shape)
    request = Request(groups, [(axis, 0) for axis in range(x.ndim)], "index")
    return _applied(operation, x, request, source, keywords, options)


def _applied(
    operation: str, x: Any, request: Request, values: Any, keywords: dict[str, Any], options: _common.Options, function: str | None = None
) -> Any:
    """The graph of a write that each chunk makes by a function of takewise, unless another is named the operation's own."""
    store = _tasks.Store(
        operation, duplicates=options.duplicates, threads=options.threads, casting=options.casting, function=function or operation,
        keywords=tuple(sorted(keywords.items())),
    )  # fmt: skip
    writing = _write.Writing(operation, x, request, values, store, options)
    if request.is_known:
        return _write.known(writing, _read.groups_of(operation, request, options))
    return _write.unknown(writing)


def _values(values: Any, dtype: np.dtype[Any]) -> Any:
    """Values to write: arrays as they are, lists in the dtype of the array they are written to if they are of its kind."""
    if _common.is_dask(values):
        return _common.array(values, "source")
    if isinstance(values, list | tuple):
        return _write.listed_values(values, dtype)
    return values if np.ndim(values) == 0 and not isinstance(values, np.ndarray) else np.asarray(values)


def _as_in_memory(operation: str, *arguments: Any, **keywords: Any) -> None:
    """Raises what takewise says of arrays in memory of the same shapes and dtypes, if it refuses them."""
    plain = [
        np.broadcast_to(np.zeros((), one.dtype), one.shape) if _common.is_dask(one) or isinstance(one, np.ndarray) else one
        for one in arguments
    ]
    getattr(takewise, operation)(*plain, **keywords)


def tensor_scatter(
    x: Any, index: Any, updates: Any, reduce: _Reduce | None = None, *, bounds: _Bounds | None = None,
    negative: bool | None = None, duplicates: _Duplicates | None = None, casting: _Casting | None = None, threads: int | None = None,
) -> Any:
    """A new array: ``x`` with ``updates`` stored, or combined by ``reduce``, at index tuples; see ``gather_nd``.

    ``updates`` has the shape that ``gather_nd`` gives, or is one number.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.tensor_scatter(da.zeros((2, 2), chunks=1), [[0, 1], [1, 0]], np.array([5.0, 6.0])).compute()
    array([[0., 5.],
           [6., 0.]])
    """
    how = _how(reduce)
    _combining(duplicates, how is not None)
    options = _common.options(bounds, negative, None, duplicates, threads, casting)
    return _tuples("tensor_scatter", _common.array(x), index, updates, how, options)


def scatter_nd(
    index: Any, updates: Any, shape: Sequence[int], *, bounds: _Bounds | None = None, negative: bool | None = None,
    threads: int | None = None,
) -> Any:
    """An array of zeros of the given shape with ``updates`` added at index tuples; see ``gather_nd``.

    Its chunks are those that Dask gives zeros of that shape.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.scatter_nd(da.from_array(np.array([[0], [2], [0]]), chunks=1), np.array([1, 5, 2]), (4,)).compute()
    array([3, 0, 5, 0])
    """
    updates = updates if _common.is_dask(updates) else np.asarray(updates)
    x = _common.library().zeros(tuple(shape), dtype=updates.dtype)
    return _tuples("scatter_nd", x, index, updates, "sum", _common.options(bounds, negative, None, None, threads))


def _tuples(operation: str, x: Any, index: Any, updates: Any, reduce: _Reduce | None, options: _common.Options) -> Any:
    index, updates = _common.positions(index), _values(updates, x.dtype)
    request, options = _positions.tuples(operation, x, index, 0, options)
    shape = _keys.result_shape(request)
    given = getattr(updates, "shape", None)
    if given not in (None, shape):
        if operation == "scatter_nd":
            _as_in_memory(operation, index, updates, x.shape)
        else:
            _as_in_memory(operation, x, index, updates)
        shapes = f"{_common.listed(given)}, and the places {_common.listed(shape)}"
        raise exceptions.ValueError(f"{operation}: updates have shape {shapes}")
    depth = index.shape[-1]
    if not depth:
        raise exceptions.NotImplementedError(f"{operation}: index tuples without elements name all of x, which is not written here")
    one = np.zeros((1,) * x.ndim, x.dtype)
    sample = updates if given is None else np.zeros((1,) * (x.ndim - depth + 1), updates.dtype)
    takewise.tensor_scatter(one, np.zeros((1, depth), np.int8), sample, reduce, casting=options.casting)
    updates = _write.fitted(operation, updates, shape, x.dtype, options.casting)
    return _applied(operation, x, request, updates, {"reduce": reduce}, options, "tensor_scatter")
