"""Masks: where they are true, in row-major order, with the number of such places counted first so that chunks are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask import _ranges, _tasks
from takewise.dask._blocks import cut_alike
from takewise.dask._common import PLACE, Options, array, is_dask, made, named, ref, task
from takewise.dask._explain import Step, note
from takewise.dask._parts import Points, starts
from takewise.dask._read import known

__all__ = ["masked_select", "nonzero"]


def counts_of(mask: Any) -> np.ndarray:
    """How many places of each chunk are true: computed now."""
    name = named("count", mask.name)
    tasks = {}
    for block in np.ndindex(*mask.numblocks):
        tasks[name, *block] = task((name, *block), _tasks.count, ref((mask.name, *block)))
    found = made("count", tasks, name, tuple((1,) * n for n in mask.numblocks), PLACE, [mask])
    return np.asarray(found.compute())


def _slabs(tasks: dict[Any, Any], name: str, x: Any, mask: Any) -> list[tuple[int, list[Any]]]:
    """A task for each chunk; and for each slab, the chunks that begin at one place of axis 0, where it begins and its tasks."""
    ahead = mask.numblocks[0] if mask.ndim else 1
    rest = math.prod(mask.shape[1:])
    begin = starts(mask.chunks[0]).tolist() if mask.ndim else [0]
    slabs: list[tuple[int, list[Any]]] = [(row * rest, []) for row in begin[:ahead]]
    for block in np.ndindex(*mask.numblocks):
        first = block[0] if mask.ndim else 0
        sizes = [along[k] for along, k in zip(mask.chunks, block, strict=True)]
        origin = [int(starts(along)[k]) for along, k in zip(mask.chunks, block, strict=True)]
        shape = (sizes[0], *mask.shape[1:]) if mask.ndim else ()
        rank = _tasks.Rank((0, *origin[1:]) if mask.ndim else (), tuple(sizes), shape)
        key = (name + "-part", *block)
        values = None if x is None else ref((x.name, *block))
        tasks[key] = task(key, _tasks.compress, values, ref((mask.name, *block)), rank)
        slabs[first][1].append(ref(key))
    return slabs


def _sizes(mask: Any, count: bool) -> tuple[float, ...]:
    """How many places are true in each slab."""
    if not count:
        return (math.nan,) * (mask.numblocks[0] if mask.ndim else 1)
    found = counts_of(mask)
    return tuple(int(n) for n in found.reshape(found.shape[:1] + (-1,)).sum(axis=1)) if mask.ndim else (int(found),)


def _why(count: bool) -> str:
    return "counted first, so that the chunks are known" if count else "not counted: the chunks of the result are unknown"


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
    x = array(x)
    mask = array(mask, "mask") if is_dask(mask) else np.asarray(mask)
    if mask.dtype != bool:
        raise exceptions.TypeError(f"masked_select: the mask must be bool, got {mask.dtype}")
    try:
        shape = np.broadcast_shapes(x.shape, mask.shape)
    except ValueError:
        takewise.masked_select(np.broadcast_to(np.int8(0), x.shape), np.broadcast_to(np.False_, mask.shape))
        raise
    if not is_dask(mask):
        places = list(takewise.nonzero(np.broadcast_to(mask, shape), as_tuple=True)) if shape else []
        number = len(places[0]) if places else int(mask)
        ahead = len(shape) - x.ndim
        own = [np.zeros_like(p) if extent == 1 else p for p, extent in zip(places[ahead:], x.shape, strict=True)]
        group = Points("masked_select", tuple(range(x.ndim)), own, (number,), Options())
        return known("masked_select", x, [group], [(0, 0)], "index", Options())
    wide = [_wide(values, shape) for values in (x, mask)]
    cut = cut_alike(wide, shape)
    x, mask = cut.arrays
    sizes = _sizes(mask, count)
    name = named("masked_select", x.name, mask.name, count)
    tasks: dict[Any, Any] = {}
    for number, (_, parts) in enumerate(_slabs(tasks, name, x, mask)):
        tasks[name, number] = task((name, number), _tasks.slab_values, parts)
    blocks = math.prod(x.numblocks)
    moved = int(sum(sizes)) * x.dtype.itemsize if count else x.nbytes
    note(Step("masked_select", "buckets", f"each chunk selects what it holds; {_why(count)}", len(tasks), blocks, blocks, len(sizes), moved))
    return made("masked_select", tasks, name, (sizes,), x.dtype, [x, mask])


def nonzero(
    input: Any, *, as_tuple: bool = False, size: int | None = None, fill_value: Any = 0, count: bool = True, threads: int | None = None
) -> Any:
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
    x = array(input, "input")
    if not as_tuple:
        return _ranges.sized("nonzero", rows(x, count), size, fill_value)
    return tuple(_ranges.sized("nonzero", one, size, fill_value) for one in coordinates(x, count))


def _wide(values: Any, shape: tuple[int, ...]) -> Any:
    from takewise.dask._common import library

    return values if values.shape == shape else library().broadcast_to(values, shape)


def places(x: Any, count: bool) -> Any:
    """The places of the flattened array that are not zero, in order."""
    sizes = _sizes(x, count)
    name = named("nonzero", x.name, count)
    tasks: dict[Any, Any] = {}
    for number, (before, parts) in enumerate(_slabs(tasks, name, None, x)):
        tasks[name, number] = task((name, number), _tasks.slab_places, parts, before)
    blocks = math.prod(x.numblocks)
    moved = int(sum(sizes)) * PLACE.itemsize if count else x.size * PLACE.itemsize
    note(Step("nonzero", "buckets", f"each chunk finds its own; {_why(count)}", len(tasks), blocks, blocks, len(sizes), moved))
    return made("nonzero", tasks, name, (sizes,), PLACE, [x])


def places_of(mask: Any) -> tuple[Any, ...]:
    """Where a mask of a key is true, for each axis; its places are counted."""
    return coordinates(mask, True)


def coordinates(x: Any, count: bool) -> tuple[Any, ...]:
    """One array of coordinates for each axis."""
    flat = places(x, count)
    if not x.ndim:
        return (flat,)
    found = []
    for axis in range(x.ndim):
        name = named("nonzero", flat.name, axis)
        tasks = {}
        for k in range(flat.numblocks[0]):
            tasks[name, k] = task((name, k), _tasks.coordinate, ref((flat.name, k)), x.shape, axis)
        found.append(made("nonzero", tasks, name, flat.chunks, PLACE, [flat]))
    return tuple(found)


def rows(x: Any, count: bool) -> Any:
    """A row of coordinates for each place."""
    flat = places(x, count)
    name = named("nonzero", flat.name, "rows")
    tasks = {}
    for k in range(flat.numblocks[0]):
        tasks[name, k, 0] = task((name, k, 0), _tasks.coordinate_rows, ref((flat.name, k)), x.shape)
    return made("nonzero", tasks, name, (*flat.chunks, (x.ndim,)), PLACE, [flat])
