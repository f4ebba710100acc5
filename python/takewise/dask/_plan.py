"""Which chunk holds which position: known positions sorted into buckets by source chunk and by output chunk.

Everything is in index order within a bucket, and nothing is ever as large as the grid of chunks: only chunks that are touched
appear.
"""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from takewise.dask._common import PLACE, Bad, Options

Chunks = tuple[tuple[int, ...], ...]


def starts(sizes: Sequence[int]) -> np.ndarray:
    """Where each chunk of an axis begins."""
    return np.concatenate([np.zeros(1, PLACE), np.cumsum(np.asarray(sizes, PLACE))])[:-1]


def located(places: np.ndarray, sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The chunk of an axis that each place is in, and the place within it."""
    if len(sizes) == 1:
        return np.zeros(places.shape, PLACE), places
    if len(set(sizes[:-1])) == 1 and 0 < sizes[-1] <= sizes[0]:
        chunk, local = np.divmod(places, sizes[0])
        return chunk, local
    begin = starts(sizes)
    chunk = np.searchsorted(begin + np.asarray(sizes, PLACE), places, side="right")
    return chunk, places - begin[chunk]


def narrow(offsets: np.ndarray, extent: int) -> np.ndarray:
    """Offsets below an extent in the smallest dtype that they are read in without a copy."""
    if extent <= 1 << 16:
        return offsets.astype(np.uint16)
    return offsets.astype(np.uint32) if extent <= 1 << 32 else offsets


def resolved(values: np.ndarray, size: int, options: Options) -> tuple[np.ndarray, np.ndarray | None]:
    """Index values as places on an axis, and which have none; ``None`` if all have one."""
    if values.dtype == np.uint64:
        wraps = options.bounds == "wrap" and size > 0
        values = values % np.uint64(size) if wraps else np.minimum(values, np.uint64(np.iinfo(PLACE).max))
    places = values.astype(PLACE)
    if options.bounds == "wrap" and size:
        return places % size, None
    if options.negative and options.bounds != "wrap":
        places = np.where(places < 0, places + size, places)
    if options.bounds == "clip" and size:
        return np.clip(places, 0, size - 1), None
    outside = (places < 0) | (places >= size)
    return places, outside if outside.any() else None


def first_bad(values: np.ndarray, outside: np.ndarray, axis: int, size: int) -> Bad:
    """What is said of values outside their axis."""
    flat = int(np.argmax(outside.ravel()))
    position = tuple(int(k) for k in np.unravel_index(flat, values.shape)) if values.ndim else ()
    value = int(values[position])
    return Bad(axis, size, value, position, int(np.count_nonzero(outside)), values.size)


def rank_in(position: Sequence[int], shape: Sequence[int]) -> int:
    """Where an element of an array first appears when that is broadcast to a shape, in row-major order."""
    full = (0,) * (len(shape) - len(position)) + tuple(position)
    return int(np.ravel_multi_index(full, shape)) if full else 0


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


def spread(shape: Sequence[int], chunks: Chunks) -> tuple[np.ndarray, np.ndarray]:
    """For each element in row-major order: the number of its chunk, and its place in that chunk's row-major order."""
    number, place = np.zeros((1,) * len(shape), PLACE), np.zeros((1,) * len(shape), PLACE)
    for axis, (extent, sizes) in enumerate(zip(shape, chunks, strict=True)):
        chunk, local = located(np.arange(extent, dtype=PLACE), sizes)
        along = (1,) * axis + (extent,) + (1,) * (len(shape) - axis - 1)
        number = number * len(sizes) + chunk.reshape(along)
        place = place * np.asarray(sizes, PLACE)[chunk].reshape(along) + local.reshape(along)
    number, place = np.broadcast_arrays(number, place)
    return number.ravel(), place.ravel()


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

    def split(self, along: Sequence[int]) -> tuple[dict[tuple[int, ...], Bucket], Chunks]:
        """The buckets by source chunk, and the output's chunks."""
        found: list[tuple[int, slice, int]] = []
        if self.length:
            last = self.start + (self.length - 1) * self.step
            low, high, step = min(self.start, last), max(self.start, last), abs(self.step)
            for chunk, (begin, size) in enumerate(zip(starts(along).tolist(), along, strict=True)):
                first = max(low, begin + (low - begin) % step)
                end = min(high + 1, begin + size)
                if first >= end:
                    continue
                count = (end - first + step - 1) // step
                if self.step > 0:
                    local = slice(first - begin, first - begin + (count - 1) * step + 1, step)
                else:
                    top = first - begin + (count - 1) * step
                    local = slice(top, first - begin - 1 if first > begin else None, -step)
                found.append((chunk, local, count))
        if self.step < 0:
            found.reverse()
        buckets: dict[tuple[int, ...], Bucket] = {}
        for k, (number, local, count) in enumerate(found):
            buckets[(number,)] = Bucket((local,), count, [Run(k, 0, count, None)])
        sizes = tuple(count for *_, count in found) or (0,)
        return buckets, (sizes,)


@dataclasses.dataclass(slots=True)
class Points:
    """Positions that some axes are indexed by together, broadcast to one shape: places in row-major order of it."""

    axes: tuple[int, ...]
    places: list[np.ndarray]
    shape: tuple[int, ...]
    # Which of them are left out; ``None`` for none.
    outside: np.ndarray | None = None
    # The output's chunks, where they are given.
    chunks: Chunks | None = None

    def split(self, sizes: Sequence[Sequence[int]]) -> tuple[dict[tuple[int, ...], Bucket], Chunks]:
        """The buckets by source chunk, and the output's chunks."""
        chunks = self.chunks or chosen_chunks(self.shape, math.prod(max(s, default=1) for s in sizes))
        outputs = math.prod(map(len, chunks))
        order, key, local, grid = self._sorted(sizes, spread(self.shape, chunks)[0] if outputs > 1 else None, outputs)
        places = spread(self.shape, chunks)[1][order] if outputs > 1 else order
        extents = [math.prod(block) for block in itertools.product(*chunks)]
        edges = np.flatnonzero(np.diff(key)) + 1
        begins, ends = np.concatenate([[0], edges]), np.concatenate([edges, [len(key)]])
        buckets: dict[tuple[int, ...], Bucket] = {}
        if not len(key):
            return buckets, chunks
        chunk_of, output_of = np.divmod(key[begins], outputs)
        coordinates = np.stack(np.unravel_index(chunk_of, grid), axis=-1).tolist() if grid else [[]] * len(begins)
        groups = np.concatenate([np.flatnonzero(np.diff(chunk_of, prepend=-1)), [len(begins)]])
        for first, after in itertools.pairwise(groups.tolist()):
            low, high = int(begins[first]), int(ends[after - 1])
            runs = []
            for k in range(first, after):
                output = int(output_of[k])
                here = narrow(places[begins[k] : ends[k]], extents[output])
                whole = len(here) == extents[output] and bool((np.diff(here.astype(PLACE)) == 1).all())
                runs.append(Run(output, int(begins[k]) - low, int(ends[k]) - low, None if whole else here))
            selected = tuple(
                narrow(offsets[low:high], max(s)) for offsets, s in zip(local, sizes, strict=True)
            )
            buckets[tuple(coordinates[first])] = Bucket(selected, high - low, runs)
        return buckets, chunks

    def _sorted(self, sizes: Sequence[Sequence[int]], number: np.ndarray | None, outputs: int) -> Any:
        """Positions by source chunk, then by output chunk, then in index order: with the key they were sorted by, and
        their offsets in the source chunk."""
        count = math.prod(self.shape)
        key, offsets = np.zeros(count, PLACE), []
        for places, along in zip(self.places, sizes, strict=True):
            chunk, local = located(places, along)
            key = key * len(along) + chunk
            offsets.append(local)
        grid = tuple(len(along) for along in sizes)
        key = key * outputs + (0 if number is None else number)
        kept = None if self.outside is None else np.flatnonzero(~self.outside)
        if kept is not None:
            key = key[kept]
        most = math.prod(grid) * outputs
        order = np.argsort(key.astype(np.uint16) if most <= 1 << 16 else key, kind="stable")
        key = key[order]
        order = order if kept is None else kept[order]
        return order, key, [local[order] for local in offsets], grid


def points(
    axes: Sequence[int], arrays: Sequence[np.ndarray], shape: Sequence[int], source: Sequence[int], options: Options,
    extra: tuple[int, ...] = (),
) -> tuple["Points", Bad | None]:
    """Index arrays as places; with the first value that is outside, in index order, if such values raise.

    ``extra`` is a shape that takes part in broadcasting and indexes nothing.
    """
    places, outside, worst = [], None, None
    for axis, values in zip(axes, arrays, strict=True):
        found, beyond = resolved(values, source[axis], options)
        if beyond is not None and 0 not in shape:
            if options.drops:
                wide = np.broadcast_to(beyond, shape).ravel()
                outside = wide if outside is None else outside | wide
            else:
                bad = first_bad(values, beyond, axis, source[axis])
                rank = rank_in(bad.position or (), shape)
                worst = (rank, bad) if worst is None or rank < worst[0] else worst
        safe = found if beyond is None else np.where(beyond, 0, found)
        places.append(np.broadcast_to(safe, shape).ravel())
    return Points(tuple(axes), places, tuple(shape), outside), worst[1] if worst else None
