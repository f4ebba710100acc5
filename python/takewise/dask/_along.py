"""Reads with one position for each element of the result, along one axis: ``gather`` and ``take_along_axis``."""

import itertools
import math
from typing import Any

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask import _tasks
from takewise.dask._blocks import check
from takewise.dask._common import (
    PLACE,
    Options,
    array,
    bytes_text,
    is_dask,
    made,
    named,
    ref,
    refuse_shuffle,
    road_asked_for,
    task,
    task_bytes,
)
from takewise.dask._explain import Step, note
from takewise.dask._parts import Chunks, Points, Span, cut, starts
from takewise.dask._positions import ASKED, MOST_KEYS, SPARSE
from takewise.dask._read import fill_of, known
from takewise.dask._values import first_bad, resolved


def fits(operation: str, x: Any, index: Any, axis: int) -> tuple[int, ...]:
    """The shape of the result, where the shapes of array and index fit."""
    shape = list(index.shape)
    good = x.ndim == index.ndim
    for other in range(x.ndim if good else 0):
        own, given = x.shape[other], index.shape[other]
        if other == axis:
            continue
        if operation == "gather":
            good = good and given <= own
        else:
            good = good and (given == own or 1 in (given, own))
            shape[other] = own if given == 1 else given
    if not good:
        empty = np.zeros((), np.int8)
        wide = np.broadcast_to(np.zeros((), index.dtype), index.shape)
        block = np.broadcast_to(empty, x.shape)
        takewise.gather(block, axis, wide) if operation == "gather" else _tasks.whole_along(block, wide, axis, Options())
        raise exceptions.ValueError(f"{operation}: shapes {list(x.shape)} and {list(index.shape)} do not fit")
    return tuple(shape)


def along(operation: str, x: Any, index: Any, axis: int, options: Options) -> Any:
    """The graph of ``gather`` or ``take_along_axis``."""
    shape = fits(operation, x, index, axis)
    if not is_dask(index):
        layout: Any = [(0, k) for k in range(len(shape))]
        return known(operation, x, [at_points(operation, x, index, axis, shape, options)], layout, "index", options)
    if any(own > extent for other, (own, extent) in enumerate(zip(x.shape, shape, strict=True)) if other != axis):
        spans = [Span(k, 0, 1, x.shape[k] if k == axis else min(x.shape[k], shape[k])) for k in range(x.ndim)]
        x = known(operation, x, spans, [(k, 0) for k in range(x.ndim)], "index", options)
    return _unknown(operation, x, index, axis, shape, options)


def at_points(operation: str, x: Any, index: np.ndarray, axis: int, shape: tuple[int, ...], options: Options) -> Points:
    """Known positions as positions on every axis; results are cut as the array is."""
    arrays, chunks = [], []
    for other, extent in enumerate(shape):
        if other == axis:
            arrays.append(index)
            chunks.append(cut(extent, max(1, max(x.chunks[axis]))))
            continue
        step = (1,) * other + (extent,) + (1,) * (len(shape) - other - 1)
        arrays.append((np.arange(extent) if x.shape[other] > 1 else np.zeros(extent, int)).reshape(step))
        chunks.append(_within(x.chunks[other], extent))
    return Points(operation, tuple(range(x.ndim)), arrays, shape, options, chunks=tuple(chunks))


def _within(sizes: tuple[int, ...], extent: int) -> tuple[int, ...]:
    """Chunks as far as an extent reaches; one chunk where they do not reach it."""
    if sum(sizes) < extent:
        return (extent,)
    ends = np.minimum(np.cumsum(sizes), extent)
    cuts = np.diff(ends, prepend=0).tolist()
    return tuple(int(size) for size in cuts if size) or (0,)


def _unknown(operation: str, x: Any, index: Any, axis: int, shape: tuple[int, ...], options: Options) -> Any:
    given = index
    x, index, chunks = _aligned(x, index, axis, shape)
    name = named(operation, x.name, index.name, axis, options)
    tasks: dict[Any, Any] = {}
    size = x.shape[axis]
    waits = check(tasks, name, operation, [given], [(axis, size)], shape, options)
    parts = x.numblocks[axis]
    column = size * math.prod(max(sizes) for other, sizes in enumerate(x.chunks) if other != axis) * x.dtype.itemsize
    pairs = parts * math.prod(map(len, chunks))
    count, held = math.prod(shape), math.prod(x.shape)
    asked = road_asked_for("pairs", "whole axis")
    if parts == 1:
        road, why = "one chunk", f"axis {axis} lies in one chunk"
    elif asked == "pairs" or asked is None and (count * SPARSE <= held or column > task_bytes()) and pairs <= MOST_KEYS:
        road = "pairs"
        why = f"{count:,} positions are at most 1/{SPARSE} of the {held:,} elements: each chunk finds those it holds"
        if count * SPARSE > held:
            why = ASKED if asked else f"axis {axis} in one chunk would be {bytes_text(column)}, above {bytes_text(task_bytes())}"
    elif asked or column <= task_bytes():
        road, why = "whole axis", f"{count:,} positions are dense in {held:,} elements: the chunks of axis {axis} are joined first"
        x = x.rechunk({axis: -1})
    else:
        refuse_shuffle(operation, column, pairs)
    outputs = 0
    for block in np.ndindex(*map(len, chunks)):
        extent = tuple(sizes[k] for sizes, k in zip(chunks, block, strict=True))
        own = ref((index.name, *_block_of(index, block, shape, None)))
        key = (name, *block)
        outputs += 1
        if road != "pairs":
            source = ref((x.name, *_block_of(x, block, shape, (axis, 0))))
            tasks[key] = task(key, _tasks.whole_along, source, own, axis, options, *waits)
            continue
        found = []
        for part, begin in zip(range(parts), starts(x.chunks[axis]).tolist(), strict=True):
            pair = (name + "-pair", part, *block)
            source = ref((x.name, *_block_of(x, block, shape, (axis, part))))
            tasks[pair] = task(pair, _tasks.pair_along, source, own, axis, begin, size, options, extent, *waits)
            found.append(ref(pair))
        fill = fill_of(x.dtype, options) if options.drops else None
        frame = _tasks.Frame((math.prod(extent),), extent, x.dtype, fill, [])
        tasks[key] = task(key, _tasks.merge, found, frame, 0)
    moved = x.nbytes if road == "whole axis" else count * x.dtype.itemsize
    blocks = math.prod(x.numblocks)
    note(Step(operation, road, why, len(tasks), blocks, blocks, outputs, moved))
    return made(operation, tasks, name, chunks, x.dtype, [x, index, given])


def _block_of(values: Any, block: tuple[int, ...], shape: tuple[int, ...], along: tuple[int, int] | None) -> tuple[int, ...]:
    """The block of an array that belongs to a block of the result; axes of length 1 have but one."""
    found = [0 if own == 1 != extent else k for own, extent, k in zip(values.shape, shape, block, strict=True)]
    if along is not None:
        found[along[0]] = along[1]
    return tuple(found)


def _aligned(x: Any, index: Any, axis: int, shape: tuple[int, ...]) -> tuple[Any, Any, Chunks]:
    """Array and index cut alike along the other axes; and the result's chunks."""
    chunks: list[tuple[int, ...]] = []
    for other, extent in enumerate(shape):
        if other == axis:
            chunks.append(index.chunks[axis])
            continue
        borders = {0, extent}
        for values in (x, index):
            if values.shape[other] == extent:
                borders.update(int(border) for border in np.cumsum(values.chunks[other]))
        chunks.append(tuple(after - before for before, after in itertools.pairwise(sorted(borders))) or (0,))
    cuts = []
    for values in (x, index):
        wanted = tuple(
            own if other == axis or values.shape[other] != shape[other] else chunks[other]
            for other, own in enumerate(values.chunks)
        )
        cuts.append(values if wanted == values.chunks else values.rechunk(wanted))
    return cuts[0], cuts[1], tuple(chunks)


def flat_points(operation: str, x: Any, index: np.ndarray, options: Options) -> Points:
    """Known positions in the flattened array as places on every axis. Raises for the first value outside."""
    flat, outside = resolved(index, x.size, options) if index.size else (index.astype(PLACE), None)
    if outside is not None:
        if not options.drops:
            first_bad(index, outside, 0, x.size).raise_for(operation, options)
        flat = np.where(outside, 0, flat)
    places = list(np.unravel_index(flat, x.shape)) if x.size else [flat] * x.ndim
    return Points(operation, tuple(range(x.ndim)), places, index.shape, options, outside)
