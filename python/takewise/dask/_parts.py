"""What the chunk planner finds, as parts for tasks: what each source chunk gives each chunk of the result.

The planner sorts positions by source chunk. It is given them in the order of the result's chunks, so that what a source chunk
gives one of them stands side by side. Within a part all is in index order, and only chunks that are touched appear.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from takewise import exceptions
from takewise._takewise import _chunks
from takewise.dask._common import PLACE, Options
from takewise.dask._values import refuse_worst

Chunks = tuple[tuple[int, ...], ...]


def starts(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each chunk of an axis begins."""
    return np.concatenate([np.zeros(1, PLACE), np.cumsum(np.asarray(sizes, PLACE))])[:-1]


def narrow(offsets: np.ndarray, extent: int) -> np.ndarray:
    """Offsets below an extent in the smallest dtype that they are read in without a copy."""
    if extent <= 1 << 16:
        return offsets.astype(np.uint16)
    return offsets.astype(np.uint32) if extent <= 1 << 32 else offsets


def chosen_chunks(shape: Sequence[int], most: int) -> Chunks:
    """Chunks of at most so many elements each, whole along the last axes."""
    sizes, left = [], max(1, most)
    for extent in reversed(shape):
        size = max(1, min(extent, left))
        left = max(1, left // size)
        sizes.append(size)
    return tuple(cut(extent, size) for extent, size in zip(shape, reversed(sizes), strict=True))


def cut(extent: int, size: int) -> tuple[int, ...]:
    """An axis in pieces of one size, the last one smaller."""
    if extent == 0:
        return (0,)
    whole, rest = divmod(extent, size)
    return (size,) * whole + ((rest,) if rest else ())


def _grid(chunks: Sequence[Sequence[int]]) -> list[int | Sequence[int]]:
    """Chunks as the planner takes them: one number for each axis if they are even, which it finds a place in sooner."""
    even = all(sizes[0] > 0 and all(size == sizes[0] for size in sizes[:-1]) and 0 < sizes[-1] <= sizes[0] for sizes in chunks)
    return [sizes[0] for sizes in chunks] if even else list(chunks)


@dataclasses.dataclass(slots=True)
class Held:
    """What one chunk holds of some positions."""

    number: int
    # Offsets in it on every axis, and which of the positions they are, ascending.
    offsets: list[np.ndarray]
    at: np.ndarray


def held(
    chunks: Sequence[Sequence[int]], arrays: Sequence[np.ndarray], options: Options, outside: np.ndarray | None = None
) -> Iterator[Held]:
    """Positions, one array for each axis and all of one length, by the chunk that holds them, in ascending order of these.

    Those of ``outside`` are left out, and those that the options leave out.
    """
    kept = None if outside is None else np.flatnonzero(~outside)
    arrays = arrays if kept is None else [along[kept] for along in arrays]
    if not arrays:
        raise exceptions.ValueError("positions on no axis lie in no chunk")
    if not len(arrays[0]):
        return
    shape = tuple(map(sum, chunks))
    _, base, first, factors = _chunks(shape, _grid(chunks), tuple(arrays), bounds=options.bounds, negative=options.negative)
    if not all(len(factor[7]) for factor in factors):
        return
    # Arrays of one element stand by themselves, and what they add is the same for all.
    *alone, (_, _, _, _, ids, ends, local, at) = sorted(factors, key=lambda factor: len(factor[7]))
    base += sum(int(factor[4][0]) for factor in alone)
    local = local + (first + sum(int(factor[6][0]) for factor in alone))
    largest = tuple(map(max, chunks))
    offsets = [local] if len(largest) == 1 else list(np.unravel_index(local, largest))
    offsets = [narrow(along, extent) for along, extent in zip(offsets, largest, strict=True)]
    at = at if kept is None else kept[at]
    begin = 0
    for number, end in zip(ids.tolist(), ends.tolist(), strict=True):
        yield Held(number + base, [along[begin:end] for along in offsets], at[begin:end])
        begin = end


@dataclasses.dataclass(slots=True)
class Run:
    """What a source chunk gives one output chunk: a run of its selection, and where that goes."""

    output: int
    start: int
    stop: int
    # Places in the output chunk; ``None`` for all of it in order.
    places: np.ndarray | None


@dataclasses.dataclass(slots=True)
class Bucket:
    """What is selected from one source chunk along some axes."""

    # One selector for each axis: a slice, or an array with an entry for each position.
    local: tuple[Any, ...]
    count: int
    runs: list[Run]


Buckets = dict[tuple[int, ...], Bucket]


@dataclasses.dataclass(slots=True)
class Span:
    """A slice of one axis: each chunk that it touches gives one output chunk."""

    axis: int
    start: int
    step: int
    length: int

    @property
    def axes(self) -> tuple[int, ...]:
        return (self.axis,)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.length,)

    def is_whole(self, size: int) -> bool:
        """Whether it is all of the axis, in order."""
        return self.start == 0 and self.step == 1 and self.length == size

    def split(self, along: Sequence[int]) -> tuple[Buckets, Chunks]:
        """The buckets by source chunk, and the output's chunks."""
        if not self.length:
            return {}, ((0,),)
        key = slice(self.start, _stop(self.start, self.step, self.length), self.step)
        _, _, _, [(_, _, _, (_, step, _), ids, ends, local, _)] = _chunks((sum(along),), _grid([along]), (key,))
        found = list(zip(ids.tolist(), local.tolist(), np.diff(ends, prepend=0).tolist(), strict=True))
        if step < 0:
            found.reverse()
        buckets: Buckets = {}
        for k, (number, first, count) in enumerate(found):
            chosen = slice(first, _stop(first, step, count), step)
            buckets[(number,)] = Bucket((chosen,), count, [Run(k, 0, count, None)])
        return buckets, (tuple(count for *_, count in found),)


def _stop(first: int, step: int, count: int) -> int | None:
    """The end of a slice that has so many elements."""
    last = first + (count - 1) * step
    if step > 0:
        return last + 1
    return last - 1 if last else None


@dataclasses.dataclass(slots=True)
class Points:
    """Positions that some axes are indexed by together: index arrays, as they were given, which broadcast to one shape."""

    operation: str
    axes: tuple[int, ...]
    arrays: list[np.ndarray]
    shape: tuple[int, ...]
    options: Options
    # Which of them are left out whatever they are; ``None`` for none.
    outside: np.ndarray | None = None
    # The output's chunks, where they are given.
    chunks: Chunks | None = None

    def split(self, sizes: Sequence[Sequence[int]]) -> tuple[Buckets, Chunks]:
        """The buckets by source chunk, and the output's chunks. Raises for the first value outside, in index order."""
        chunks = self.chunks or chosen_chunks(self.shape, math.prod(max(s, default=1) for s in sizes))
        if not math.prod(self.shape):
            return {}, chunks
        outside = None if self.outside is None else _in_order_of(chunks, self.outside, self.shape)
        arrays = [_in_order_of(chunks, along, self.shape) for along in self.arrays]
        extents = np.array([math.prod(block) for block in itertools.product(*chunks)], PLACE)
        if not arrays:
            kept = np.arange(math.prod(self.shape)) if outside is None else np.flatnonzero(~outside)
            return ({(): Bucket((), len(kept), _runs(kept, extents))} if len(kept) else {}), chunks
        counts = tuple(map(len, sizes))
        buckets: Buckets = {}
        try:
            found = list(held(sizes, arrays, self.options, outside))
        except exceptions.IndexError:
            # The planner does not know which operation it is for, nor the order that the positions came in.
            refuse_worst(self.operation, self.axes, self.arrays, tuple(map(sum, sizes)), self.shape, self.options)
            raise
        numbers = np.unravel_index(np.array([one.number for one in found], PLACE), counts)
        for chunk, one in zip(zip(*(along.tolist() for along in numbers), strict=True), found, strict=True):
            buckets[chunk] = Bucket(tuple(one.offsets), len(one.at), _runs(one.at, extents))
        return buckets, chunks

    def is_whole(self, buckets: Buckets) -> bool:
        """Whether none was left out of its buckets."""
        return sum(bucket.count for bucket in buckets.values()) == math.prod(self.shape)


def _in_order_of(chunks: Chunks, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The elements of an array that broadcasts to a shape, chunk by chunk, and in each in row-major order."""
    wide = np.broadcast_to(values, shape)
    if all(len(sizes) == 1 for sizes in chunks[1:]):
        return wide.ravel()
    along = [[slice(begin, begin + size) for begin, size in zip(starts(sizes), sizes, strict=True)] for sizes in chunks]
    return np.concatenate([wide[block].ravel() for block in itertools.product(*along)])


def _runs(at: np.ndarray, extents: np.ndarray) -> list[Run]:
    """Positions that ascend, in the order of the output's chunks, parted by these."""
    if len(extents) == 1:
        return [_run(0, at, 0, 0, int(extents[0]))]
    begins = starts(extents)
    first, last = (int(np.searchsorted(begins, k, side="right")) - 1 for k in (at[0], at[-1]))
    borders = np.searchsorted(at, begins[first : last + 2]).tolist()
    borders[last + 1 - first :] = [len(at)]
    return [
        _run(first + k, at[low:high], int(begins[first + k]), low, int(extents[first + k]))
        for k, (low, high) in enumerate(itertools.pairwise(borders))
        if low < high
    ]


def _run(output: int, at: np.ndarray, begin: int, start: int, extent: int) -> Run:
    # They ascend and differ: as many as there are places, they are all of them.
    places = None if len(at) == extent else narrow(at - begin if begin else at, extent)
    return Run(output, start, start + len(at), places)
