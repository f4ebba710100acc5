"""Sorted search where the sorted axis may lie in several chunks: each counts what is before a value, and counts add up."""

import itertools
import math
from typing import Any

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask import _tasks
from takewise.dask._common import array, axis_of, is_dask, library, made, named, ref, task
from takewise.dask._explain import Step, note


def searchsorted(sequence: Any, values: Any, axis: int, keywords: dict[str, Any]) -> Any:
    """The search along an axis, whose others broadcast."""
    plain = not is_dask(values) and np.ndim(values) == 0
    sequence, values = array(sequence, "sorted_sequence"), values if plain else array(values, "input")
    last = axis_of(axis, sequence.ndim, "searchsorted") - sequence.ndim if sequence.ndim else -1
    if plain or sequence.ndim < 2 or values.ndim < -last:
        return _searched(sequence, values, keywords)
    da = library()
    one, two = da.moveaxis(sequence, last, -1), da.moveaxis(values, last, -1)
    if one.shape[:-1] != two.shape[:-1]:
        try:
            lead = np.broadcast_shapes(one.shape[:-1], two.shape[:-1])
        except ValueError:
            return _searched(sequence, values, keywords)
        one, two = (da.broadcast_to(a, (*lead, a.shape[-1])) for a in (one, two))
    return da.moveaxis(_searched(one, two, keywords), -1, last)


def _searched(sequence: Any, values: Any, keywords: dict[str, Any]) -> Any:
    """The graph of a search along the last axis."""
    given = None if is_dask(values) else np.asarray(values)
    _refuse(sequence, given if given is not None else values, keywords)
    dtype = np.dtype(np.int32 if keywords["out_int32"] else np.int64)
    if sequence.ndim > 1:
        sequence, values = _aligned(sequence, values)
    parts = sequence.numblocks[-1]
    chunks = () if given is not None else values.chunks
    name = named("searchsorted", sequence.name, given if given is not None else values.name, keywords)
    tasks: dict[Any, Any] = {}
    for block in np.ndindex(*map(len, chunks)):
        rows = block[:-1] if sequence.ndim > 1 else ()
        own = given[()] if given is not None else ref((values.name, *block))
        found = []
        for part in range(parts):
            key = (name, *block) if parts == 1 else (name + "-part", part, *block)
            tasks[key] = task(key, _tasks.searched, ref((sequence.name, *rows, part)), own, keywords)
            found.append(ref(key))
        if parts > 1:
            tasks[name, *block] = task((name, *block), _tasks.summed, found)
    blocks = math.prod(sequence.numblocks)
    outputs = math.prod(map(len, chunks))
    road = "one chunk" if parts == 1 else "sum of chunks"
    why = "the sorted axis lies in one chunk" if parts == 1 else f"the sorted axis lies in {parts} chunks: each counts what is before a value"
    moved = 0 if parts == 1 else parts * math.prod(map(sum, chunks)) * dtype.itemsize
    note(Step("searchsorted", road, why, len(tasks), blocks, blocks, outputs, moved))
    return made("searchsorted", tasks, name, chunks, dtype, [sequence, *([] if given is not None else [values])])


def _refuse(sequence: Any, values: Any, keywords: dict[str, Any]) -> None:
    """Shapes and words that a search does not take, as takewise says it of arrays in memory."""
    fits = sequence.ndim == 1 or (sequence.ndim == values.ndim and sequence.shape[:-1] == values.shape[:-1])
    if sequence.ndim and fits and keywords.get("side") in (None, "left", "right"):
        return
    lone = [np.broadcast_to(np.zeros((), a.dtype), a.shape) for a in (sequence, values)]
    takewise.searchsorted(*lone, **keywords)
    raise exceptions.ValueError(f"searchsorted: shapes {list(sequence.shape)} and {list(values.shape)} do not fit")


def _aligned(sequence: Any, values: Any) -> tuple[Any, Any]:
    """Both cut alike along the axes of rows."""
    rows = []
    for one, other in zip(sequence.chunks[:-1], values.chunks[:-1], strict=True):
        borders = {0, *(int(b) for b in np.cumsum(one)), *(int(b) for b in np.cumsum(other))}
        rows.append(tuple(after - before for before, after in itertools.pairwise(sorted(borders))) or (0,))
    cut = [(*rows, one.chunks[-1]) for one in (sequence, values)]
    return tuple(one if wanted == one.chunks else one.rechunk(wanted) for one, wanted in zip((sequence, values), cut, strict=True))  # type: ignore[return-value]
