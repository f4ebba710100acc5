"""Reads at positions that are in arrays of Dask's: nobody knows them before the tasks run."""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import takewise
from takewise import _catalogue, exceptions
from takewise.dask import _tasks
from takewise.dask._blocks import Blocks, check, cut_alike
from takewise.dask._common import Options, bytes_text, is_dask, made, named, ref, refuse_shuffle, road_asked_for, task, task_bytes
from takewise.dask._explain import Step, note
from takewise.dask._keys import Request, Together
from takewise.dask._parts import Span, starts
from takewise.dask._read import Layout, fill_of, groups_of, known

# A call with fewer positions than this part of the source is sparse.
SPARSE = 8
# A task for each pair of chunks is out of the question beyond so many.
MOST_KEYS = 100_000
ASKED = "the option takewise.road asks for it"


def read(operation: str, x: Any, request: Request, options: Options, kind: str = "each") -> Any:
    """The result of a request, whatever is known of its positions."""
    if request.is_known and kind == "each":
        return known(operation, x, groups_of(operation, request, options), request.layout, request.way, options)
    if sum(isinstance(group, Together) for group in request.groups) > 1:
        return _one_by_one(operation, x, request, options)
    spans: dict[int, Span] = {group.axis: group for group in request.groups if isinstance(group, Span)}
    if not all(span.is_whole(x.shape[axis]) for axis, span in spans.items()):
        each = [spans.get(axis, Span(axis, 0, 1, x.shape[axis])) for axis in range(x.ndim)]
        x = known(operation, x, each, [(axis, 0) for axis in range(x.ndim)], "index", options)
    return _Asked.of(operation, x, request, options, kind).built()


def tuples(operation: str, x: Any, index: Any, batch: int, options: Options) -> tuple[Request, Options]:
    """What index tuples name, the last axis of ``index``, behind some axes that array and index share."""
    fits = index.ndim > 0 and 0 <= batch < index.ndim and batch + index.shape[-1] <= x.ndim and index.shape[:batch] == x.shape[:batch]
    if not fits:
        refuse_tuples(operation, x, index, batch)
    depth, rank = index.shape[-1], index.ndim - 1
    arrays = [np.arange(x.shape[k]).reshape((1,) * k + (-1,) + (1,) * (rank - k - 1)) for k in range(batch)]
    arrays += [index[..., k] for k in range(depth)]
    together = Together(tuple(range(batch + depth)), arrays, index.shape[:-1])
    spans = [Span(axis, 0, 1, x.shape[axis]) for axis in range(batch + depth, x.ndim)]
    layout: Any = [(0, k) for k in range(rank)] + [(1 + k, 0) for k in range(len(spans))]
    return Request([together, *spans], layout, "index"), dataclasses.replace(options, columns=batch)


def refuse_tuples(operation: str, x: Any, index: Any, batch: int) -> None:
    """Raises what takewise says of index tuples that do not fit."""
    lone = np.broadcast_to(np.zeros((), np.int8), x.shape)
    wide = np.broadcast_to(np.zeros((), index.dtype), index.shape)
    given = {"Data": lone, "Index": wide, "BatchDims": batch, "Shape": x.shape, "Values": 0, "Array": np.zeros(index.shape[:-1], np.int8)}
    getattr(takewise, operation)(**{name: given[role] for name, role in _catalogue.ROLES[operation].items() if role in given})
    raise exceptions.ValueError(f"{operation}: index tuples of shape {list(index.shape)} do not fit an array of shape {list(x.shape)}")


def _one_by_one(operation: str, x: Any, request: Request, options: Options) -> Any:
    """Groups of index arrays with axes of their own, one after the other from the last: each replaces its axes by its own."""
    order = sorted((g for g in request.groups if isinstance(g, Together)), key=lambda g: g.axes[:1])
    for group in order:
        facts = [(values, (axis, x.shape[axis])) for values, axis in zip(group.arrays, group.axes, strict=True)]
        # What is known and wrong raises before any graph is made.
        early = [(values, fact) for values, fact in facts if not is_dask(values)]
        check({}, "", operation, [values for values, _ in early], [fact for _, fact in early], group.shape, options)
    order.reverse()
    for group in order:
        first = group.axes[0] if group.axes else x.ndim
        before = [Span(axis, 0, 1, x.shape[axis]) for axis in range(first)]
        after = [Span(axis, 0, 1, x.shape[axis]) for axis in range(first + len(group.axes), x.ndim)]
        groups: list[Span | Together] = [*before, group, *after]
        layout: Layout = [(g, axis) for g, one in enumerate(groups) for axis in range(len(one.shape))]
        x = read(operation, x, Request(groups, layout, "index"), options)
    moved: list[Span] = []
    axis = 0
    by_axis = sorted(range(len(request.groups)), key=lambda g: request.groups[g].axes[:1])
    at: dict[int, int] = {}
    for g in by_axis:
        at[g] = axis
        axis += len(request.groups[g].shape)
    for g, one in enumerate(request.groups):
        if isinstance(one, Span):
            moved.append(Span(at[g], one.start, one.step, one.length))
        else:
            moved += [Span(at[g] + k, 0, 1, extent) for k, extent in enumerate(one.shape)]
    numbers: dict[tuple[int, int], int] = {}
    for g, one in enumerate(request.groups):
        for k in range(len(one.shape)):
            numbers[g, k] = len(numbers)
    layout = [None if entry is None else (numbers[entry], 0) for entry in request.layout]
    return known(operation, x, moved, layout, "index", options)


@dataclasses.dataclass(slots=True)
class _Asked:
    """Everything that is known of a read at unknown positions. All slices are of whole axes."""

    operation: str
    name: str
    x: Any
    request: Request
    options: Options
    # The group of the index arrays, and its number among the groups.
    together: Together
    at: int
    blocks: Blocks
    meaning: _tasks.Meaning

    @classmethod
    def of(cls, operation: str, x: Any, request: Request, options: Options, kind: str) -> "_Asked":
        at = next(g for g, group in enumerate(request.groups) if isinstance(group, Together))
        together = request.groups[at]
        assert isinstance(together, Together)
        blocks = cut_alike(together.arrays, together.shape)
        spans = [(g.axis, g.start, g.step, g.length) for g in request.groups if isinstance(g, Span)]
        name = named(operation, x.name, blocks.token, together.axes, spans, request.layout, request.way, options, kind)
        meaning = _tasks.Meaning(together.axes, tuple(x.shape[axis] for axis in together.axes), options, kind)
        return cls(operation, name, x, request, options, together, at, blocks, meaning)

    @property
    def rest(self) -> list[int]:
        """The axes that are not indexed, by group."""
        return [group.axis for group in self.request.groups if isinstance(group, Span)]

    @property
    def grid(self) -> tuple[tuple[int, ...], ...]:
        """The chunks of the axes that are indexed."""
        return tuple(self.x.chunks[axis] for axis in self.together.axes)

    def built(self) -> Any:
        points, held = math.prod(self.together.shape), math.prod(self.meaning.sizes)
        item = self.x.dtype.itemsize
        wide = math.prod(max(self.x.chunks[axis], default=1) for axis in self.rest)
        chunks = math.prod(map(len, self.grid))
        others = math.prod(len(self.x.chunks[axis]) for axis in self.rest)
        pairs = chunks * others * len(self.blocks)
        moved = math.prod(self.x.shape[axis] for axis in self.rest) * points * item
        if chunks == 1:
            return self._finish("one chunk", "the axes that are indexed lie in one chunk each", self._whole, moved)
        received = points * max(4 + 4 * len(self.together.axes), wide * item)
        joined = len(self.together.axes) == 1 and self.meaning.kind == "each"
        asked = road_asked_for("pairs", "exchange", *(["whole axis"] if joined else []))
        # Each pair of chunks is a task. An exchange has one for each chunk and each block, but sends positions everywhere.
        few = pairs <= 2 * (chunks * others + len(self.blocks))
        sparse = points * SPARSE <= held and pairs <= MOST_KEYS and (few or received > task_bytes())
        if asked == "pairs" or asked is None and sparse:
            why = f"{points:,} positions are at most 1/{SPARSE} of the {held:,} they choose from: each chunk finds its own"
            return self._finish("pairs", why if sparse else ASKED, self._pairs, moved)
        if asked == "whole axis" or asked is None and joined and points * SPARSE > held and max(wide, 1) * held * item <= task_bytes():
            axis = self.together.axes[0]
            self.x = self.x.rechunk({axis: -1})
            why = f"{points:,} positions are dense on axis {axis} of length {held:,}: its chunks are joined first"
            return self._finish("whole axis", why, self._whole, self.x.nbytes)
        if asked == "exchange" or received <= task_bytes():
            why = f"{points:,} positions among {held:,}, in {len(self.blocks)} blocks: each is sorted by chunk, and exchanged"
            return self._finish("exchange", why, self._exchange, moved + points * 8)
        if pairs > MOST_KEYS:
            refuse_shuffle(self.operation, received, pairs)
        why = f"an exchange would be {bytes_text(received)} for one task, above {bytes_text(task_bytes())}"
        return self._finish("pairs", why, self._pairs, moved)

    def _finish(self, road: str, why: str, build: Any, moved: int) -> Any:
        tasks: dict[Any, Any] = {}
        if self.meaning.kind == "flat":
            facts = [(0, math.prod(self.meaning.sizes))]
        else:
            facts = list(zip(self.together.axes, self.meaning.sizes, strict=True))
        waits = check(tasks, self.name, self.operation, self.together.arrays, facts, self.together.shape, self.options)
        outputs = build(tasks, waits)
        note(Step(
            self.operation, road, why, len(tasks), math.prod(self.x.numblocks), math.prod(self.x.numblocks), outputs, moved
        ))  # fmt: skip
        sizes: list[tuple[int, ...]] = []
        for entry in self.request.layout:
            if entry is None:
                sizes.append((1,))
            else:
                group = self.request.groups[entry[0]]
                sizes.append(self.x.chunks[group.axis] if isinstance(group, Span) else self.blocks.chunks[entry[1]])
        return made(self.operation, tasks, self.name, tuple(sizes), self.x.dtype, [self.x, *self.blocks.sources, *self._checked()])

    def _checked(self) -> list[Any]:
        """Arrays as they were before they were cut, which the checks read."""
        return [values for values in self.together.arrays if is_dask(values)]

    def _others(self) -> list[tuple[int, ...]]:
        """The chunks along the axes that are not indexed, by group."""
        return list(np.ndindex(*(len(self.x.chunks[axis]) for axis in self.rest)))

    def _source(self, chunk: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
        """The chunk of the source with these numbers on the axes that are indexed and on the others."""
        number = [0] * self.x.ndim
        for axis, k in zip([*self.together.axes, *self.rest], [*chunk, *other], strict=True):
            number[axis] = k
        return tuple(number)

    def _frame(self, block: tuple[int, ...], other: tuple[int, ...]) -> tuple[tuple[Any, ...], _tasks.Frame]:
        """The key of an output chunk, and what it is."""
        along = iter(zip(self.rest, other, strict=True))
        extents: list[tuple[int, ...]] = []
        numbers: list[tuple[int, ...]] = []
        for group in self.request.groups:
            if isinstance(group, Span):
                axis, k = next(along)
                extents.append((self.x.chunks[axis][k],))
                numbers.append((k,))
            else:
                extents.append(self.blocks.extent(block))
                numbers.append(block)
        shape = tuple(1 if entry is None else extents[entry[0]][entry[1]] for entry in self.request.layout)
        key = (self.name, *(0 if entry is None else numbers[entry[0]][entry[1]] for entry in self.request.layout))
        fill = fill_of(self.x.dtype, self.options) if self.options.drops else None
        return key, _tasks.Frame(tuple(map(math.prod, extents)), shape, self.x.dtype, fill, [])

    def _whole(self, tasks: dict[Any, Any], waits: list[Any]) -> int:
        before = len(tasks)
        entries: list[Any] = [slice(None)] * self.x.ndim
        for number, axis in enumerate(self.together.axes):
            entries[axis] = number
        for block, other in itertools.product(self.blocks, self._others()):
            key, frame = self._frame(block, other)
            source = ref((self.x.name, *self._source([0] * len(self.together.axes), other)))
            given = self.blocks.arguments(block)
            if self.meaning.kind == "flat":
                tasks[key] = task(key, _tasks.whole_flat, source, given, self.options, frame.shape, *waits)
            else:
                extent = self.blocks.extent(block)
                tasks[key] = task(
                    key, _tasks.whole, source, given, self.request.way, tuple(entries), self.options, extent, frame.shape, *waits
                )
        return len(tasks) - before

    def _pairs(self, tasks: dict[Any, Any], waits: list[Any]) -> int:
        outputs = 0
        for block, other in itertools.product(self.blocks, self._others()):
            parts = []
            for chunk in np.ndindex(*map(len, self.grid)):
                source = self._source(chunk, other)
                held = _tasks.Reach(
                    tuple(int(starts(sizes)[k]) for sizes, k in zip(self.grid, chunk, strict=True)),
                    tuple(sizes[k] for sizes, k in zip(self.grid, chunk, strict=True)),
                )
                key: tuple[Any, ...] = (self.name + "-pair", *source, *block)
                tasks[key] = task(
                    key, _tasks.pair, ref((self.x.name, *source)), self.blocks.arguments(block), self.meaning, held,
                    self.blocks.origin(block), self.blocks.extent(block), self.request.way, self.x.ndim, *waits,
                )  # fmt: skip
                parts.append(ref(key))
            key, frame = self._frame(block, other)
            tasks[key] = task(key, _tasks.merge, parts, frame, self.at)
            outputs += 1
        return outputs

    def _exchange(self, tasks: dict[Any, Any], waits: list[Any]) -> int:
        every = list(self.blocks)
        for block in every:
            key: tuple[Any, ...] = (self.name + "-bucket", *block)
            tasks[key] = task(
                key, _tasks.bucket, self.blocks.arguments(block), self.meaning, self.grid, self.blocks.origin(block),
                self.blocks.extent(block), None, (), 0, None, *waits,
            )  # fmt: skip
        buckets = [ref((self.name + "-bucket", *block)) for block in every]
        chunks = list(np.ndindex(*map(len, self.grid)))
        for number, chunk in enumerate(chunks):
            for other in self._others():
                source = self._source(chunk, other)
                key = (self.name + "-pick", *source)
                tasks[key] = task(
                    key, _tasks.pick_buckets, ref((self.x.name, *source)), buckets, number, self.together.axes, self.request.way,
                    self.x.ndim,
                )  # fmt: skip
        for (which, block), other in itertools.product(enumerate(every), self._others()):
            picked = [ref((self.name + "-pick", *self._source(chunk, other))) for chunk in chunks]
            key, frame = self._frame(block, other)
            numbers = list(range(len(chunks)))
            tasks[key] = task(key, _tasks.place_buckets, buckets[which], picked, numbers, which, frame, self.at)
        return len(every) * len(self._others())
