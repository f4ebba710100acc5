"""Indexing by dimension name, for xarray's arrays: the accessor ``.takewise``, which this module puts on every ``DataArray``.

>>> import pytest, numpy as np
>>> xr = pytest.importorskip("xarray")
>>> import takewise.xarray
>>> x = xr.DataArray(np.arange(12).reshape(3, 4), dims=("time", "place"), coords={"place": [10.0, 20.0, 30.0, 40.0]})
>>> x.takewise.take_along_dim(x.argmax("place"), "place").values
array([ 3,  7, 11])

Over arrays of Dask's the work is that of :mod:`takewise.dask`: only chunks that are touched are read, and positions may be
Dask's. Data sets in Zarr stores are opened by ``xarray.open_dataset(path, engine="takewise")``: their arrays read what an index
touches, whether xarray's own methods are asked or these. Labels, coordinates and names are xarray's own affair. What lies in
memory, and is not indexed along a dimension, is left to xarray, which is as fast there.
"""

import importlib.util
import sys
from collections.abc import Hashable, Mapping
from typing import Any, Literal

import numpy as np

import takewise
from takewise import exceptions

__all__ = ["isel", "put_along_dim", "searchsorted", "sel", "take_along_dim"]

PIP = 'pip install "takewise[xarray]"'


def _library() -> Any:
    try:
        import xarray  # type: ignore[import-not-found]
    except ModuleNotFoundError as error:
        raise ImportError(f"takewise.xarray needs xarray, and {error.name} is not installed: {PIP}") from error
    return xarray


def _held(array: Any) -> Any:
    """What an array of xarray's holds. Asked for its data, one that lies in a store would be read."""
    variable = getattr(array, "variable", array)
    return getattr(variable, "_data", array)


def _lies_in_chunks(array: Any) -> bool:
    """Whether the data are Dask's, which nobody can have without having imported it."""
    loaded = sys.modules.get("dask.array")
    return loaded is not None and isinstance(_held(array), loaded.Array)


def _lies_in_a_store(array: Any) -> bool:
    """Whether the data are still where an engine of xarray's found them."""
    return isinstance(_held(array), _library().core.indexing.ExplicitlyIndexed) and not array.variable._in_memory


def _axis(array: Any, dim: Hashable) -> int:
    if dim not in array.dims:
        raise exceptions.ValueError(f"there is no dimension {dim!r}: the array has {', '.join(map(repr, array.dims))}")
    return int(array.dims.index(dim))


def isel(
    array: Any, indexers: Mapping[Any, Any] | None = None, drop: bool = False, **by_name: Any
) -> Any:
    """``array.isel(...)``, with positions that may be Dask's too: numbers, slices, lists, masks, or arrays with dimensions.

    Arrays that share a dimension name points together, others stand for dimensions of their own, as in xarray. Positions of
    Dask's are computed only for coordinates along their dimension.

    >>> import pytest, numpy as np
    >>> xr, da = pytest.importorskip("xarray"), pytest.importorskip("dask.array")
    >>> import takewise.xarray as tx
    >>> x = xr.DataArray(da.arange(12, chunks=5).reshape(3, 4), dims=("a", "b"))
    >>> i, j = xr.DataArray([2, 0], dims="point"), xr.DataArray([3, 1], dims="point")
    >>> tx.isel(x, a=i, b=j).values
    array([11,  1])
    """
    asked = {**(indexers or {}), **by_name}
    if hasattr(array, "isel") and type(_held(array)) is np.ndarray and not any(map(_lies_in_chunks, asked.values())):
        return array.isel(asked, drop=drop)
    xarray = _library()
    if _lies_in_a_store(array):
        # Of positions that are known there is a part, and nothing is read yet.
        return array.isel({dim: one.compute() if _lies_in_chunks(one) else one for dim, one in asked.items()}, drop=drop)
    if not _lies_in_chunks(array) and not any(map(_lies_in_chunks, asked.values())):
        return array.isel(asked, drop=drop)
    lazy: dict[Hashable, Any] = {}
    known: dict[Hashable, Any] = {}
    for dim, one in asked.items():
        axis = _axis(array, dim)
        if _lies_in_chunks(one):
            found = one.variable if hasattr(one, "variable") else one
            lazy[dim] = found if hasattr(found, "dims") else xarray.Variable((dim,), found)
            if any(dim in coordinate.dims for coordinate in array.coords.values()):
                known[dim] = lazy[dim].compute()
        else:
            _check(one, axis, array.sizes[dim])
            known[dim] = one
    found = _numbered(xarray, array, known).isel(known, drop=drop)
    return _selected(xarray, array, found, {**{dim: found[_named(dim)].variable for dim in known}, **lazy})


def _check(indexer: Any, axis: int, size: int) -> None:
    """Raises for the first position outside, with takewise's own facts."""
    values = np.asarray(getattr(indexer, "values", indexer[-1] if isinstance(indexer, tuple) else indexer))
    if not isinstance(indexer, slice) and values.dtype.kind in "iu":
        from takewise.dask._common import Options
        from takewise.dask._values import first_bad, resolved

        outside = resolved(values, size, Options())[1]
        if outside is not None:
            first_bad(values, outside, axis, size).raise_for("isel", Options())


def sel(
    array: Any,
    indexers: Mapping[Any, Any] | None = None,
    method: Literal["nearest", "pad", "ffill", "backfill", "bfill"] | None = None,
    tolerance: Any = None,
    drop: bool = False,
    *,
    bounds: Literal["raise", "fill"] = "raise",
    fill_value: Any = None,
    **by_name: Any,
) -> Any:
    """``array.sel(...)``: positions by label, exact or by ``method``, found by xarray and read by takewise.

    With ``bounds="fill"`` labels that the index lacks give ``fill_value``, by default NaN or what is missing in the dtype, and not
    an error. They may have dimensions of their own, as in xarray; the coordinate is what was asked for.

    >>> import pytest, numpy as np
    >>> xr, da = pytest.importorskip("xarray"), pytest.importorskip("dask.array")
    >>> import takewise.xarray as tx
    >>> x = xr.DataArray(da.arange(4, chunks=2), dims="a", coords={"a": [0.0, 1.0, 2.0, 3.0]})
    >>> tx.sel(x, a=[2.9, 0.2], method="nearest").values
    array([3, 0])
    >>> tx.sel(x, a=[1.0, 7.0], bounds="fill", fill_value=-1).values
    array([ 1, -1])
    """
    xarray = _library()
    asked = {**(indexers or {}), **by_name}
    if bounds not in ("raise", "fill"):
        raise exceptions.ValueError(f'bounds must be one of "raise", "fill", not {bounds!r}')
    if bounds == "fill":
        return _filled(xarray, array, asked, method, tolerance, drop, fill_value)
    if fill_value is not None:
        raise exceptions.ValueError('fill_value is used only with bounds="fill"')
    if not _lies_in_chunks(array):
        return array.sel(asked, method=method, tolerance=tolerance, drop=drop)
    for dim in asked:
        _axis(array, dim) if dim in array.dims else None
    found = _numbered(xarray, array, array.dims).sel(asked, method=method, tolerance=tolerance, drop=drop)
    return _selected(xarray, array, found, {dim: found[_named(dim)].variable for dim in array.dims})


def _filled(xarray: Any, array: Any, asked: Any, method: Any, tolerance: Any, drop: bool, fill_value: Any) -> Any:
    """`sel` where labels that are missing give a filling: positions by the index of each dimension, and a mask of those found."""
    kept: Any = None
    positions: dict[Any, Any] = {}
    coords: dict[Any, Any] = {}
    for dim in [dim for dim in asked if not isinstance(asked[dim], slice)]:
        _axis(array, dim)
        wanted, at = _positions(xarray, array, dim, asked[dim], method, tolerance)
        there = xarray.DataArray(xarray.Variable(wanted.dims, at >= 0))
        kept = there if kept is None else kept & there
        positions[dim] = xarray.Variable(wanted.dims, np.maximum(at, 0))
        coords[dim] = wanted.dims, np.asarray(wanted.values)
    runs = {dim: labels for dim, labels in asked.items() if dim not in positions}
    array = array.sel(runs) if runs else array
    # Where there is no position, nothing is read; there has to be one to name.
    array = array.pad({dim: (0, 1) for dim in positions if not array.sizes[dim]})
    taken = isel(array, positions, drop=drop)
    if kept is not None and not bool(kept.all()):
        filled = taken.where(kept) if fill_value is None else taken.where(kept, fill_value)
        taken = filled.transpose(*taken.dims)
    return taken if drop else taken.assign_coords(coords)


def _positions(xarray: Any, array: Any, dim: Any, labels: Any, method: Any, tolerance: Any) -> tuple[Any, Any]:
    """Labels of a dimension as a variable, and where each is in its index; -1 for those that are missing."""
    index = array.indexes.get(dim)
    if index is None or index.nlevels > 1:
        what = "several levels" if index is not None else "no labels"
        raise exceptions.TypeError(f'sel: dimension {dim!r} has {what}, and bounds="fill" needs one label for each position')
    wanted = labels if hasattr(labels, "dims") else xarray.Variable((dim,) * np.ndim(labels), labels)
    if index.dtype.kind in "mM" and wanted.dtype.kind in "OU" and isinstance(index.dtype, np.dtype):
        # Words for dates are dates.
        wanted = xarray.Variable(wanted.dims, np.asarray(wanted.values).astype(index.dtype))
    flat = np.asarray(wanted.values).reshape(-1)
    if flat.dtype.kind == "f" == index.dtype.kind:
        # A label is compared in the precision of the index, as xarray does.
        flat = flat.astype(index.dtype)
    return wanted, index.get_indexer(flat, method=method, tolerance=tolerance).reshape(wanted.shape)


def _named(dim: Hashable) -> str:
    return f"takewise position {dim}"


def _numbered(xarray: Any, array: Any, dims: Any) -> Any:
    """The array's coordinates, with the positions along some dimensions: what xarray selects of these is what is wanted."""
    positions = {_named(dim): (dim, np.arange(array.sizes[dim])) for dim in dims}
    return xarray.Dataset(positions, coords=array.coords)


def _selected(xarray: Any, array: Any, found: Any, positions: dict[Hashable, Any]) -> Any:
    """The array at positions by dimension: a number, a run, or an array with dimensions each."""
    key: list[Any] = []
    dims: list[Hashable] = []
    for dim in array.dims:
        one = positions.get(dim, slice(None))
        if not isinstance(one, slice):
            one = _run(one, dim)
        key.append(one)
        dims += [dim] if isinstance(one, slice) else [] if isinstance(one, int) else list(one.dims)
    taken = [one for one in key if not isinstance(one, slice | int)]
    apart = len(set(dims)) == len(dims) and all(len(one.dims) == 1 for one in taken)
    if not taken or apart:
        data = takewise_dask().oindex(array.data, tuple(one if isinstance(one, slice | int) else one.data for one in key))
    else:
        data, dims = _points(xarray, array, key, dims)
    kept = {name: one for name, one in found.coords.items() if set(one.dims) <= set(dims)}
    return xarray.DataArray(data, dims=dims, name=array.name, attrs=array.attrs).assign_coords(
        xarray.Dataset(coords=found.coords)[list(kept)].coords
    )


def takewise_dask() -> Any:
    """``takewise.dask``, when it is needed."""
    import takewise.dask

    return takewise.dask


def _run(positions: Any, dim: Hashable) -> Any:
    """Positions as a number or a slice, where they are one."""
    if _lies_in_chunks(positions) or positions.ndim > 1:
        return positions
    values = positions.values
    if not positions.ndim:
        return int(values)
    if positions.dims != (dim,) or not len(values):
        return positions if len(values) else positions if positions.dims != (dim,) else slice(0, 0)
    step = int(values[1] - values[0]) if len(values) > 1 else 1
    if not step or not np.array_equal(values, values[0] + step * np.arange(len(values))):
        return positions
    end = int(values[-1]) + (1 if step > 0 else -1)
    return slice(int(values[0]), None if end < 0 else end, step)


def _points(xarray: Any, array: Any, key: list[Any], dims: list[Hashable]) -> tuple[Any, list[Hashable]]:
    """Arrays that share dimensions: points of them together, whose dimensions stand where they came first."""
    shared = {dim for one in key if not isinstance(one, slice | int) for dim in one.dims}
    entries: list[Any] = []
    for dim, one in zip(array.dims, key, strict=True):
        if isinstance(one, slice) and dim in shared:
            one = xarray.Variable((dim,), np.arange(array.sizes[dim])[one])
        entries.append(one)
    result = list(dict.fromkeys(dims))
    together = [dim for dim in result if dim in shared]
    parts = []
    for one in entries:
        if isinstance(one, slice | int):
            parts.append(one)
            continue
        one = one.transpose(*(dim for dim in together if dim in one.dims))
        parts.append(one.data[tuple(slice(None) if dim in one.dims else None for dim in together)])
    data = takewise_dask().vindex(array.data, tuple(parts))
    order = [*together, *(dim for dim, one in zip(array.dims, entries, strict=True) if isinstance(one, slice))]
    return (data if order == result else data.transpose([order.index(dim) for dim in result])), result


def _aligned(xarray: Any, array: Any, other: Any, dim: Hashable) -> tuple[Any, Any, list[Hashable]]:
    """Both with the same dimensions in one order, those that they lack of length 1; and these dimensions."""
    if not hasattr(other, "dims"):
        other = xarray.DataArray(other, dims=array.dims)
    _axis(array, dim)
    array, other = xarray.align(array, other, join="exact", exclude=[dim])
    order = [*array.dims, *(extra for extra in other.dims if extra not in array.dims)]
    return array, other, order


def _spread(one: Any, order: list[Hashable]) -> Any:
    one = one.transpose(*(dim for dim in order if dim in one.dims))
    return one.data[tuple(slice(None) if dim in one.dims else None for dim in order)]


def take_along_dim(array: Any, index: Any, dim: Hashable) -> Any:
    """One element of ``array`` for each element of ``index``, along ``dim``; other dimensions meet by name and broadcast.

    Where ``index`` has no dimension ``dim``, as ``argmax`` gives it, neither has the result.

    >>> import pytest, numpy as np
    >>> xr = pytest.importorskip("xarray")
    >>> import takewise.xarray as tx
    >>> x = xr.DataArray(np.array([[1, 5], [7, 3]]), dims=("a", "b"))
    >>> tx.take_along_dim(x, x.argmax("b"), "b").values
    array([5, 7])
    """
    xarray = _library()
    array, index, order = _aligned(xarray, array, index, dim)
    lone = dim not in index.dims
    axis = order.index(dim)
    if _lies_in_a_store(array):
        # As points: where each element of the index is along the other dimensions is said as well.
        own = {extra: xarray.Variable(extra, np.arange(array.sizes[extra])) for extra in array.dims}
        data = _spread(array.variable.isel(own | {dim: index.variable.compute()}), order)
    else:
        data = takewise.take_along_axis(_spread(array, order), _spread(index, order), axis)
    coords = {name: one for name, one in array.coords.items() if dim not in one.dims}
    coords |= {name: one for name, one in index.coords.items() if name not in coords}
    dims = [own for own in order if not (lone and own == dim)]
    data = data[(slice(None),) * axis + (0,)] if lone else data
    return xarray.DataArray(data, dims=dims, coords=coords, name=array.name, attrs=array.attrs)


def put_along_dim(array: Any, index: Any, values: Any, dim: Hashable) -> Any:
    """A new array: ``array`` with ``values`` stored along ``dim`` at ``index``; other dimensions meet by name and broadcast.

    >>> import pytest, numpy as np
    >>> xr = pytest.importorskip("xarray")
    >>> import takewise.xarray as tx
    >>> x = xr.DataArray(np.array([[1, 5], [7, 3]]), dims=("a", "b"))
    >>> tx.put_along_dim(x, x.argmax("b"), 0, "b").values
    array([[1, 0],
           [0, 3]])
    """
    xarray = _library()
    array, index, order = _aligned(xarray, array, index, dim)
    if len(order) > array.ndim:
        raise exceptions.ValueError(f"the index has dimensions that the array lacks: {order[array.ndim :]}")
    axis = order.index(dim)
    if hasattr(values, "dims"):
        _, values, wide = _aligned(xarray, array, values, dim)
        if len(wide) > array.ndim:
            raise exceptions.ValueError(f"the values have dimensions that the array lacks: {wide[array.ndim :]}")
        values = _spread(values, order)
    given = _spread(index, order)
    if _lies_in_chunks(array) or _lies_in_chunks(given) or _lies_in_chunks(values):
        return array.copy(data=takewise_dask().put_along_axis(array.data, given, values, axis))
    data = np.array(array.data)
    takewise.put_along_axis(data, given, values, axis)
    return array.copy(data=data)


def searchsorted(array: Any, values: Any, dim: Hashable, side: Literal["left", "right"] = "left") -> Any:
    """Where ``values`` belong in ``array``, which is sorted along ``dim``: positions with the dimensions of ``values``.

    An array of more dimensions is searched row by row: ``values`` has its other dimensions, and one of its own.

    >>> import pytest, numpy as np
    >>> xr = pytest.importorskip("xarray")
    >>> import takewise.xarray as tx
    >>> x = xr.DataArray(np.array([[1, 3, 5], [2, 2, 4]]), dims=("row", "at"))
    >>> v = xr.DataArray(np.array([[3, 9], [2, 3]]), dims=("row", "value"))
    >>> tx.searchsorted(x, v, "at").values
    array([[1, 3],
           [0, 2]])
    """
    xarray = _library()
    _axis(array, dim)
    values = values if hasattr(values, "dims") else xarray.DataArray(values)
    if array.ndim == 1:
        return values.copy(data=takewise.searchsorted(array.data, values.data, side=side))
    rows = [other for other in array.dims if other != dim]
    own = [other for other in values.dims if other not in rows]
    if len(own) != 1 or len(values.dims) != array.ndim:
        raise exceptions.ValueError(
            f"searchsorted: the values need the dimensions {rows} and one of their own, and have {list(values.dims)}"
        )
    xarray.align(array, values, join="exact", exclude=[dim, *own])
    sequence, wanted = array.transpose(*rows, dim), values.transpose(*rows, *own)
    found = takewise.searchsorted(sequence.data, wanted.data, side=side)
    return wanted.copy(data=found).transpose(*values.dims)


class _Accessor:
    """What ``DataArray.takewise`` is: the functions of this module, for that array."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def isel(self, indexers: Mapping[Any, Any] | None = None, drop: bool = False, **by_name: Any) -> Any:
        """See :func:`takewise.xarray.isel`."""
        return isel(self._array, indexers, drop, **by_name)

    def sel(
        self,
        indexers: Mapping[Any, Any] | None = None,
        method: Literal["nearest", "pad", "ffill", "backfill", "bfill"] | None = None,
        tolerance: Any = None,
        drop: bool = False,
        *,
        bounds: Literal["raise", "fill"] = "raise",
        fill_value: Any = None,
        **by_name: Any,
    ) -> Any:
        """See :func:`takewise.xarray.sel`."""
        return sel(self._array, indexers, method, tolerance, drop, bounds=bounds, fill_value=fill_value, **by_name)

    def take_along_dim(self, index: Any, dim: Hashable) -> Any:
        """See :func:`takewise.xarray.take_along_dim`."""
        return take_along_dim(self._array, index, dim)

    def put_along_dim(self, index: Any, values: Any, dim: Hashable) -> Any:
        """See :func:`takewise.xarray.put_along_dim`."""
        return put_along_dim(self._array, index, values, dim)

    def searchsorted(self, values: Any, dim: Hashable, side: Literal["left", "right"] = "left") -> Any:
        """See :func:`takewise.xarray.searchsorted`."""
        return searchsorted(self._array, values, dim, side)


if importlib.util.find_spec("xarray") is not None:
    _library().register_dataarray_accessor("takewise")(_Accessor)
