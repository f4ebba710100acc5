"""xarray's engine ``takewise``: data sets in Zarr stores, whose elements takewise reads.

Found by xarray through the package's entry points: ``xarray.open_dataset(path, engine="takewise")``.
"""

import importlib
import importlib.util
import inspect
from typing import Any

import numpy as np

_there = importlib.util.find_spec("xarray") is not None
# Only xarray asks for an engine; without it there is nothing to be one for.
_zarr: Any = importlib.import_module("xarray.backends.zarr") if _there else None
_indexing: Any = importlib.import_module("xarray.core.indexing") if _there else None
_Backend: Any = _zarr.ZarrBackendEntrypoint if _there else object
_Store: Any = _zarr.ZarrStore if _there else object
_Wrapper: Any = _zarr.ZarrArrayWrapper if _there else object


class Backend(_Backend):
    """xarray's own engine for Zarr stores, but that takewise reads the elements.

    Stores, groups, names, coordinates and conventions are xarray's own affair, and so is what is lazy: an index selects, and what is
    left of all of them reads the chunks that it touches. What takewise does not read (text, dates, unknown codecs) is read by zarr.
    """

    description = "Zarr stores, of which the touched chunks are read"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"
    open_dataset_parameters = tuple(inspect.signature(_Backend.open_dataset).parameters)[1:] if _there else None

    def open_dataset(self, filename_or_obj: Any, *, store: Any = None, **how: Any) -> Any:
        """The data set of one group."""
        if store is None:
            store = Store.open_group(_zarr._normalize_path(filename_or_obj), **_of_stores(how))
        return super().open_dataset(filename_or_obj, store=store, **how)

    def open_groups_as_dict(self, filename_or_obj: Any, *, group: str | None = None, **how: Any) -> Any:
        """The data sets of a group and of all below it, by their paths."""
        top = _zarr.NodePath("/") / _zarr.NodePath(group or "/")
        stores = Store.open_store(_zarr._normalize_path(filename_or_obj), group=str(top), **_of_stores(how))
        paths = {path: _zarr.NodePath(path).relative_to(top) if group else path for path in stores}
        return {str(paths[path]): self.open_dataset(filename_or_obj, store=store, **how) for path, store in stores.items()}

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Never: whoever wants it says so."""
        return False


def _of_stores(how: dict[str, Any]) -> dict[str, Any]:
    """What of an engine's arguments says how a store is opened."""
    # xarray's engine takes use_zarr_fill_value_as_mask too, and leaves it to what the version of the format says.
    known = set(inspect.signature(Store.open_group).parameters) - {"use_zarr_fill_value_as_mask"}
    return {"consolidated": None, **{name: value for name, value in how.items() if name in known}}


class Store(_Store):
    """xarray's view of a group of a Zarr store, whose variables takewise reads."""

    def __init__(self, *given: Any, **named: Any) -> None:
        try:
            importlib.import_module("takewise_zarr")
        except ModuleNotFoundError as error:
            raise ImportError(f"engine='takewise' needs {error.name}, which is not installed: pip install takewise-zarr") from error
        super().__init__(*given, **named)

    def open_store_variable(self, name: str) -> Any:
        """A variable: all of it by xarray, but for what reads its elements."""
        variable = super().open_store_variable(name)
        variable.data = _indexing.LazilyIndexedArray(Elements(self.members[name]))
        return variable


class Elements(_Wrapper):
    """The elements of one variable. The array is opened when the first of them is asked for, in each process anew."""

    __slots__ = ("_opened",)

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self._opened: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._array,)

    def _ours(self) -> Any:
        """The array as takewise opens it; false where zarr is to read it.

        That is where takewise does not know its elements or codecs, and where consolidated metadata, which xarray goes by, say
        otherwise than the array's own.
        """
        if self._opened is None:
            try:
                opened = importlib.import_module("takewise_zarr").open(self._array)
            except NotImplementedError:
                opened = None
            same = opened is not None and opened.shape == self.shape and opened.dtype == self.dtype.newbyteorder("=")
            self._opened = opened if same else False
        return self._opened

    def _getitem(self, key: Any) -> Any:
        ours = self._ours()
        return super()._getitem(key) if ours is False else self._given(ours[key])

    def _oindex(self, key: Any) -> Any:
        ours = self._ours()
        return super()._oindex(key) if ours is False else self._given(ours.oindex[key])

    def _vindex(self, key: Any) -> Any:
        ours = self._ours()
        return super()._vindex(key) if ours is False else self._given(_points(ours, key))

    def _given(self, found: Any) -> Any:
        """In the dtype that xarray was told: it decodes byte orders itself."""
        return np.asarray(found, self.dtype)


def _points(array: Any, key: tuple[Any, ...]) -> Any:
    """Points, whose arrays broadcast. An array that has an axis of the result to itself is a slice or a product, and is read so.

    xarray makes points of whatever was transposed, and of slices beside points.
    """
    shape = np.broadcast_shapes(*(np.shape(one) for one in key))
    if 0 in shape:
        return array.vindex[key]
    lean = [_lean(np.asarray(one)) for one in key]
    axes = [[axis for axis, extent in enumerate(one.shape) if extent > 1] for one in lean]
    used = [axis for own in axes for axis in own]
    alone = [len(own) == 1 and used.count(own[0]) == 1 for own in axes]
    parts = [_run(one.reshape(-1), extent) if own else one for one, own, extent in zip(lean, alone, array.shape, strict=True)]
    product = all(own or one.size == 1 for own, one in zip(alone, lean, strict=True))
    # The axes of the result that points share lead it, and then come those of slices.
    apart = [own[0] for own, part in zip(axes, parts, strict=True) if own and (product or isinstance(part, slice))]
    shared = sorted({axis for axis in used if axis not in apart})
    for k, part in enumerate(parts):
        if lean[k].size == 1:
            parts[k] = int(lean[k].reshape(-1)[0])
        elif not product and not isinstance(part, slice):
            parts[k] = lean[k].reshape([lean[k].shape[axis] for axis in shared])
    found = np.asarray((array.oindex if product else array.vindex)[tuple(parts)])
    order = [*shared, *apart]
    found = found.transpose(np.argsort(order)).reshape([extent if axis in order else 1 for axis, extent in enumerate(shape)])
    # Along the other axes it is the same everywhere.
    return found if found.shape == shape else np.broadcast_to(found, shape).copy()


def _lean(positions: Any) -> Any:
    """Positions without the axes along which they are the same; these have length one."""
    for axis, extent in enumerate(positions.shape):
        first = positions.take([0], axis)
        if extent > 1 and np.array_equal(first, positions.take([-1], axis)) and (positions == first).all():
            positions = first
    return positions


def _run(positions: Any, extent: int) -> Any:
    """Positions as a slice, where they are one."""
    step = int(positions[1]) - int(positions[0])
    ends = (int(positions[0]), int(positions[-1]))
    if not step or min(ends) < 0 or max(ends) >= extent or (np.diff(positions) != step).any():
        return positions
    end = ends[1] + (1 if step > 0 else -1)
    return slice(ends[0], None if end < 0 else end, step)
