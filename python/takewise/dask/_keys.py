"""Subscripts: which axes a key takes slices of, which it indexes together, and where each goes in the result."""

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask._common import PLACE, Bad, Options, array, is_dask
from takewise.dask._parts import Span


@dataclasses.dataclass(slots=True)
class Together:
    """Axes that are indexed together by arrays, NumPy's or Dask's, and the shape these broadcast to."""

    axes: tuple[int, ...]
    arrays: list[Any]
    shape: tuple[int, ...]

    @property
    def is_known(self) -> bool:
        return not any(map(is_dask, self.arrays))


@dataclasses.dataclass(slots=True)
class Request:
    """A key, read: groups of axes in the order of the result, and its axes."""

    groups: list[Span | Together]
    # ``None`` for an axis that the key makes, else a group and an axis of it.
    layout: list[tuple[int, int] | None]
    # The function of takewise that puts the axes of a block in this order.
    way: str

    @property
    def is_known(self) -> bool:
        return all(isinstance(group, Span) or group.is_known for group in self.groups)


@dataclasses.dataclass(slots=True)
class Entry:
    """One entry of a key: its kind, what it is, and the axes it takes."""

    kind: str
    value: Any
    axes: tuple[int, ...] = ()


def read(
    operation: str, shape: Sequence[int], key: Any, options: Options, places_of: Callable[[Any], Sequence[Any]]
) -> Request:
    """A key for an array of a shape. ``places_of`` gives the positions where a mask of Dask's is true."""
    entries = [_entry(item) for item in (key if isinstance(key, tuple) else (key,))]
    entries = _on_axes(operation, entries, shape, key)
    advanced = any(entry.kind in ("array", "mask", "bool") for entry in entries)
    outer = operation == "oindex"
    if operation in ("oindex", "vindex") and any(entry.kind == "bool" for entry in entries):
        refuse(operation, shape, key)
    groups: list[Span | Together] = []
    layout: list[tuple[int, int] | None] = []
    together = Together((), [], ())
    shapes: list[tuple[int, ...]] = []
    at: int | None = None
    ends, apart = False, operation == "vindex"
    for entry in entries:
        if entry.kind in ("new", "ellipsis", "slice"):
            ends = at is not None
            if entry.kind == "new":
                layout.append(None)
            elif entry.kind == "slice":
                layout.append((len(groups), 0))
                groups.append(_span(entry, shape))
        elif entry.kind == "int" and (outer or not advanced):
            groups.append(Span(entry.axes[0], _integer(operation, entry, shape, options), 1, 1))
        elif outer:
            if entry.value.ndim != 1:
                refuse(operation, shape, key)
            group = Together(*_arrays(entry, shape, places_of))
            layout += [(len(groups), axis) for axis in range(len(group.shape))]
            groups.append(group)
        else:
            apart = apart or ends
            at = len(layout) if at is None else at
            axes, arrays, own = _arrays(entry, shape, places_of)
            together = Together(together.axes + axes, together.arrays + arrays, ())
            shapes.append(own)
    if at is None:
        return Request(groups, layout, "oindex" if outer else "index")
    together.shape = _broadcast(operation, shapes, shape, key)
    return _joined(groups, layout, together, 0 if apart else at, "vindex" if apart else "index")


def _joined(groups: list[Any], layout: list[Any], together: Together, at: int, way: str) -> Request:
    """The group of index arrays put among the others, where its axes stand in the result."""
    before = next((entry[0] for entry in layout[at:] if entry is not None), None)
    place = len(groups) if before is None else before
    if at and before is None:
        place = 1 + max((entry[0] for entry in layout[:at] if entry is not None), default=-1)
    groups = [*groups[:place], together, *groups[place:]]
    moved = [entry if entry is None else (entry[0] + (entry[0] >= place), entry[1]) for entry in layout]
    own = [(place, axis) for axis in range(len(together.shape))]
    return Request(groups, [*moved[:at], *own, *moved[at:]], way)


def _entry(item: Any) -> Entry:
    if item is None:
        return Entry("new", None)
    if item is Ellipsis:
        return Entry("ellipsis", None)
    if isinstance(item, slice):
        return Entry("slice", item)
    if isinstance(item, bool | np.bool_):
        return Entry("bool", bool(item))
    if is_dask(item):
        found = array(item, "index")
    elif isinstance(item, list | np.ndarray) or not hasattr(item, "__index__"):
        found = np.asarray(item)
        if isinstance(item, list) and not found.size:
            found = found.astype(PLACE)
    else:
        return Entry("int", operator.index(item))
    if found.dtype == bool:
        return Entry("mask", found) if found.ndim else Entry("bool", bool(found))
    if found.dtype.kind not in "iu":
        raise exceptions.TypeError(f"index has dtype {found.dtype}: positions are integers")
    return Entry("int", int(found)) if found.ndim == 0 and not is_dask(found) else Entry("array", found)


def _on_axes(operation: str, entries: list[Entry], shape: Sequence[int], key: Any) -> list[Entry]:
    """Entries with the axes they take; the ellipsis is followed by slices for the axes it stands for."""
    taken = [{"slice": 1, "int": 1, "array": 1, "mask": getattr(e.value, "ndim", 0)}.get(e.kind, 0) for e in entries]
    dots = [k for k, entry in enumerate(entries) if entry.kind == "ellipsis"]
    if len(dots) > 1 or sum(taken) > len(shape):
        refuse(operation, shape, key)
    rest = [Entry("slice", slice(None)) for _ in range(len(shape) - sum(taken))]
    k = dots[0] + 1 if dots else len(entries)
    entries, taken = [*entries[:k], *rest, *entries[k:]], [*taken[:k], *[1] * len(rest), *taken[k:]]
    begin = 0
    for entry, count in zip(entries, taken, strict=True):
        entry.axes = tuple(range(begin, begin + count))
        begin += count
        if entry.kind == "mask" and entry.value.shape != tuple(shape[axis] for axis in entry.axes):
            refuse(operation, shape, key)
    return entries


def _arrays(entry: Entry, shape: Sequence[int], places_of: Callable[[Any], Sequence[Any]]) -> Any:
    """The axes of an entry, an index array for each, and the shape these have."""
    if entry.kind == "int":
        return entry.axes, [np.asarray(entry.value)], ()
    if entry.kind == "bool":
        return (), [], (int(entry.value),)
    if entry.kind == "array":
        return entry.axes, [entry.value], entry.value.shape
    found = list(places_of(entry.value)) if is_dask(entry.value) else list(takewise.nonzero(entry.value, as_tuple=True))
    return entry.axes, found, found[0].shape


def _span(entry: Entry, shape: Sequence[int]) -> Span:
    axis = entry.axes[0]
    along = range(*entry.value.indices(shape[axis]))
    return Span(axis, along.start, along.step, len(along))


def _integer(operation: str, entry: Entry, shape: Sequence[int], options: Options) -> int:
    """The place an integer names, which has to be inside."""
    axis = entry.axes[0]
    size = shape[axis]
    place = entry.value + size if entry.value < 0 and options.negative else entry.value
    if not 0 <= place < size:
        Bad(axis, size, entry.value, None).raise_for(operation, options)
    return int(place)


def _broadcast(operation: str, shapes: list[tuple[int, ...]], shape: Sequence[int], key: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        refuse(operation, shape, key)
        raise


def refuse(operation: str, shape: Sequence[int], key: Any) -> None:
    """Raises what takewise says of a key that does not fit an array of that shape."""
    empty = np.zeros((), np.int8)
    entries = key if isinstance(key, tuple) else (key,)
    plain = tuple(np.broadcast_to(np.zeros((), e.dtype), e.shape) if is_dask(e) else e for e in entries)
    # What writes at a key is named after what reads there.
    getattr(takewise, operation.removesuffix("_put"))(np.broadcast_to(empty, tuple(shape)), plain)
    raise exceptions.IndexError(f"{operation}: the key does not fit an array of shape {list(shape)}")


def result_shape(request: Request) -> tuple[int, ...]:
    """The shape of what a key selects."""
    return tuple(1 if entry is None else request.groups[entry[0]].shape[entry[1]] for entry in request.layout)
