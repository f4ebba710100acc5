"""Index arrays of Dask's, block by block, and the checks of their values."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from takewise.dask import _tasks
from takewise.dask._common import Options, is_dask, ref, task
from takewise.dask._parts import Chunks, starts
from takewise.dask._values import first_bad, resolved


@dataclasses.dataclass(slots=True)
class Blocks:
    """Index arrays that broadcast to one shape, cut alike."""

    arrays: list[Any]
    shape: tuple[int, ...]
    chunks: Chunks

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(np.ndindex(*map(len, self.chunks)))

    def __len__(self) -> int:
        return math.prod(map(len, self.chunks))

    def extent(self, block: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a block."""
        return tuple(sizes[k] for sizes, k in zip(self.chunks, block, strict=True))

    def origin(self, block: tuple[int, ...]) -> tuple[int, ...]:
        """Where a block begins."""
        return tuple(int(starts(sizes)[k]) for sizes, k in zip(self.chunks, block, strict=True))

    def arguments(self, block: tuple[int, ...]) -> list[Any]:
        """A block of each array: what a task waits for, or the numbers themselves."""
        return [self.part(values, block) for values in self.arrays]

    def part(self, values: Any, block: tuple[int, ...]) -> Any:
        """A block of one array."""
        ahead = len(self.shape) - values.ndim
        wide = [extent == 1 != whole for extent, whole in zip(values.shape, self.shape[ahead:], strict=True)]
        if is_dask(values):
            return ref((values.name, *(0 if one else k for one, k in zip(wide, block[ahead:], strict=True))))
        begin, extent = self.origin(block)[ahead:], self.extent(block)[ahead:]
        along = zip(wide, begin, extent, strict=True)
        return np.asarray(values[tuple(slice(None) if one else slice(b, b + n) for one, b, n in along)])

    @property
    def sources(self) -> list[Any]:
        """The arrays of Dask's among them."""
        return [values for values in self.arrays if is_dask(values)]

    @property
    def token(self) -> list[Any]:
        """What they are named by."""
        return [values.name if is_dask(values) else values for values in self.arrays]


def cut_alike(arrays: Sequence[Any], shape: Sequence[int], at_least: Chunks | None = None) -> Blocks:
    """Index arrays in chunks that all of them have the borders of; those of ``at_least`` too."""
    chunks = []
    for axis, extent in enumerate(shape):
        borders = set(np.cumsum(at_least[axis]).tolist()) if at_least else set()
        for values in arrays:
            own = axis - (len(shape) - values.ndim)
            if is_dask(values) and own >= 0 and values.shape[own] == extent:
                borders.update(np.cumsum(values.chunks[own]).tolist())
        edges = sorted({0, extent} | {int(border) for border in borders})
        chunks.append(tuple(after - before for before, after in itertools.pairwise(edges)) or (0,))
    return Blocks([_recut(values, tuple(chunks)) for values in arrays], tuple(shape), tuple(chunks))


def _recut(values: Any, chunks: Chunks) -> Any:
    if not is_dask(values):
        return values
    own = chunks[len(chunks) - values.ndim :]
    wanted = tuple(new if sum(new) == extent else (extent,) for new, extent in zip(own, values.shape, strict=True))
    return values if wanted == values.chunks else values.rechunk(wanted)


def check(
    tasks: dict[Any, Any], name: str, operation: str, arrays: Sequence[Any], facts: Sequence[tuple[int, int]],
    shape: Sequence[int], options: Options,
) -> list[Any]:
    """Tasks that look at every index value of Dask's; what the others of the call wait for, or nothing.

    ``facts`` are an axis and its length for each array. Values that are known are looked at here and now.
    """
    found, shapes = [], []
    for number, (values, (axis, size)) in enumerate(zip(arrays, facts, strict=True)):
        if options.drops or (options.bounds != "raise" and size) or not math.prod(shape):
            continue
        if not is_dask(values):
            _, outside = resolved(values, size, options)
            if outside is not None:
                first_bad(values, outside, axis, size).raise_for(operation, options)
            continue
        own = []
        for block in np.ndindex(*values.numblocks):
            origin = tuple(int(starts(sizes)[k]) for sizes, k in zip(values.chunks, block, strict=True))
            key = (name + "-check", number, *block)
            tasks[key] = task(key, _tasks.check, ref((values.name, *block)), axis, size, options, origin, values.shape)
            own.append(ref(key))
        found.append(own)
        shapes.append(values.shape)
    if not found:
        return []
    tasks[name + "-verdict"] = task(name + "-verdict", _tasks.verdict, operation, options, found, shapes, tuple(shape))
    return [ref(name + "-verdict")]
