"""Reads at known positions: one pick from each chunk that is touched, one place for each chunk of the result."""

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import takewise
from takewise.dask import _tasks
from takewise.dask._common import Options, bytes_text, made, named, ref, road_asked_for, task, task_bytes
from takewise.dask._explain import Step, note
from takewise.dask._homes import homes
from takewise.dask._keys import Request
from takewise.dask._parts import Buckets, Chunks, Points, Run, Span

# Parts of a pick that are at least as large are sent by themselves: below, a task costs more than the bytes.
PART = 1 << 20
Layout = list[tuple[int, int] | None]


def fill_of(dtype: np.dtype[Any], options: Options) -> Any:
    """The element that stands where an index value is outside."""
    return takewise.take(np.zeros(1, dtype), np.array([1]), **options.keywords)[0]


def groups_of(operation: str, request: Request, options: Options) -> list[Span | Points]:
    """The groups of a request whose positions are known."""
    return [
        group if isinstance(group, Span) else Points(operation, group.axes, group.arrays, group.shape, options)
        for group in request.groups
    ]


def known(operation: str, x: Any, groups: Sequence[Span | Points], layout: Layout, way: str, options: Options) -> Any:
    """The graph of a read whose positions are known. Raises for the first value outside."""
    buckets: list[Buckets] = []
    chunks: list[Chunks] = []
    for group in groups:
        if isinstance(group, Span):
            found, sizes = group.split(x.chunks[group.axis])
        else:
            found, sizes = group.split([x.chunks[axis] for axis in group.axes])
        buckets.append(found)
        chunks.append(sizes)
    name = named(operation, x.name, way, layout, [token(group) for group in groups], options)
    drops = any(isinstance(group, Points) and not group.is_whole(along) for group, along in zip(groups, buckets, strict=True))
    reading = _Reading(name, x, groups, layout, way, buckets, chunks, fill_of(x.dtype, options) if drops else None)
    moved = math.prod(sum(one.count for one in along.values()) for along in buckets) * x.dtype.itemsize
    pairs, why = reading.split(moved)
    tasks: dict[Any, Any] = {}
    groups_held = None if pairs else reading.at_home(moved)
    if groups_held is not None:
        why = "positions are known and the chunks lie on workers: what is picked of those on one worker is one task"
        reading.picks_together(tasks, groups_held)
    else:
        reading.picks(tasks, pairs)
    read = len(tasks)
    reading.places(tasks, pairs)
    road = "pairs" if pairs else "buckets" if groups_held is None else "workers"
    note(Step(
        operation, road, why, len(tasks), math.prod(map(len, buckets)),
        math.prod(x.numblocks), len(tasks) - read, moved, sum(map(_held, buckets)),
    ))  # fmt: skip
    sizes_of = tuple((1,) if entry is None else chunks[entry[0]][entry[1]] for entry in layout)
    return made(operation, tasks, name, sizes_of, x.dtype, [x])


@dataclasses.dataclass(slots=True)
class _Reading:
    """Everything that is known of a read; the lists go by group of axes."""

    name: str
    x: Any
    groups: Sequence[Span | Points]
    layout: Layout
    way: str
    buckets: list[Buckets]
    chunks: list[Chunks]
    fill: Any
    # Where what is picked of a source chunk is, if not under a key of its own: a task's key, and which of its results.
    where: dict[tuple[int, ...], tuple[Any, int]] = dataclasses.field(default_factory=dict)

    def feeds(self) -> list[list[list[tuple[tuple[int, ...], Run]]]]:
        """For each group and each of its output chunks the source chunks that feed it, with the run they give."""
        found = []
        for along, sizes in zip(self.buckets, self.chunks, strict=True):
            outputs: list[list[tuple[tuple[int, ...], Run]]] = [[] for _ in range(math.prod(map(len, sizes)))]
            for chunk, one in along.items():
                for run in one.runs:
                    outputs[run.output].append((chunk, run))
            found.append(outputs)
        return found

    def received(self) -> int:
        """Elements that one task receives at most, if it gets whole picks."""
        return math.prod(
            max((sum(along[chunk].count for chunk, _ in feed) for feed in outputs), default=0)
            for along, outputs in zip(self.buckets, self.feeds(), strict=True)
        )

    def split(self, moved: int) -> tuple[bool, str]:
        """Whether each chunk gives every chunk of the result that it feeds a part of its own, and why."""
        asked = road_asked_for("pairs", "buckets")
        once = "positions are known: each chunk that is touched is read once, and each chunk of the result is put together once"
        if asked is not None:
            return asked == "pairs", "the option takewise.road asks for it"
        received, limit = self.received() * self.x.dtype.itemsize, task_bytes()
        if received > limit:
            return True, f"whole picks would be {bytes_text(received)} for one task, above {bytes_text(limit)}: they are parted by output"
        parts = math.prod(sum(len(one.runs) for one in along.values()) for along in self.buckets)
        touched = math.prod(map(len, self.buckets))
        if parts > touched and moved >= parts * PART:
            size = bytes_text(moved / parts)
            return True, f"a part for one chunk of the result has {size}: more than a task costs, so no worker gets another's"
        return False, once

    def selected(self) -> Iterator[tuple[tuple[int, ...], Any, _tasks.Pick]]:
        """Each source chunk that is touched, with its buckets by group and what is picked of it."""
        bare = tuple(g for g, group in enumerate(self.groups) if not group.axes)
        for combination in itertools.product(*(along.items() for along in self.buckets)):
            source, key = [0] * self.x.ndim, [slice(None)] * self.x.ndim
            for group, (chunk, one) in zip(self.groups, combination, strict=True):
                for axis, number, local in zip(group.axes, chunk, one.local, strict=True):
                    source[axis], key[axis] = number, local
            yield tuple(source), [one for _, one in combination], _tasks.Pick(self.way, tuple(key), bare)

    def at_home(self, moved: int) -> list[list[tuple[tuple[int, ...], _tasks.Pick]]] | None:
        """Source chunks by the worker that holds them and the output chunks that they feed, if that makes far fewer tasks."""
        touched = math.prod(map(len, self.buckets))
        if touched < 4 or moved >= touched * PART or road_asked_for("pairs", "buckets"):
            return None
        selected = list(self.selected())
        where = homes(self.x, [source for source, _, _ in selected])
        if where is None:
            return None
        found: dict[Any, list[tuple[tuple[int, ...], _tasks.Pick]]] = {}
        # No task picks so much that several threads would do it sooner, nor holds more chunks than a task may receive.
        most = min(4 * PART * touched // max(1, moved), task_bytes() // max(1, _chunk_bytes(self.x)))
        counts: Counter[Any] = Counter()
        for source, along, picked in selected:
            kind = (where[source], *(tuple(run.output for run in one.runs) for one in along))
            found.setdefault((*kind, counts[kind] // max(1, most)), []).append((source, picked))
            counts[kind] += 1
        return list(found.values()) if 2 * len(found) <= touched else None

    def picks_together(self, tasks: dict[Any, Any], groups: list[list[tuple[tuple[int, ...], _tasks.Pick]]]) -> None:
        """A task for each group of source chunks."""
        # Where chunks lie is no part of the call, so another one of the same name may group them otherwise.
        name = named(self.name.removeprefix("takewise-") + "-picks", [[source for source, _ in group] for group in groups])
        for number, group in enumerate(groups):
            key = (name, number)
            blocks = [ref((self.x.name, *source)) for source, _ in group]
            tasks[key] = task(key, _tasks.pick_each, blocks, tuple(picked for _, picked in group))
            self.where.update({source: (key, k) for k, (source, _) in enumerate(group)})

    def picks(self, tasks: dict[Any, Any], pairs: bool) -> None:
        """A task for each source chunk that is touched; with ``pairs`` one for each output chunk that it feeds."""
        for source, combination, picked in self.selected():
            block, name = ref((self.x.name, *source)), self.name + "-pick"
            if not pairs:
                own: tuple[Any, ...] = (name, *source)
                tasks[own] = task(own, _tasks.pick, block, picked)
                continue
            for runs in itertools.product(*(one.runs for one in combination)):
                part = list(picked.key)
                for group, run in zip(self.groups, runs, strict=True):
                    if isinstance(group, Points):
                        for axis in group.axes:
                            part[axis] = picked.key[axis][run.start : run.stop]
                own = (name, *source, *(run.output for run in runs))
                tasks[own] = task(own, _tasks.pick, block, dataclasses.replace(picked, key=tuple(part)))

    def places(self, tasks: dict[Any, Any], pairs: bool) -> None:
        """A task for each output chunk."""
        numbers = [list(np.ndindex(*map(len, sizes))) for sizes in self.chunks]
        feeds = self.feeds()
        for outputs in itertools.product(*(range(len(along)) for along in numbers)):
            blocks = [along[k] for along, k in zip(numbers, outputs, strict=True)]
            extents = [tuple(s[k] for s, k in zip(sizes, block, strict=True)) for sizes, block in zip(self.chunks, blocks, strict=True)]
            inputs: list[Any] = []
            pieces, which = [], []
            tasks_of: dict[Any, int] = {}
            for combination in itertools.product(*(along[k] for along, k in zip(feeds, outputs, strict=True))):
                source = [0] * self.x.ndim
                for group, (chunk, _) in zip(self.groups, combination, strict=True):
                    for axis, number in zip(group.axes, chunk, strict=True):
                        source[axis] = number
                if self.where:
                    made_by, k = self.where[tuple(source)]
                    which.append((tasks_of.setdefault(made_by, len(tasks_of)), k))
                else:
                    inputs.append(ref((self.name + "-pick", *source, *(outputs if pairs else ()))))
                begins = [0 if pairs else run.start for _, run in combination]
                pieces.append(_tasks.Piece([
                    (begin, begin + run.stop - run.start, run.places) for begin, (_, run) in zip(begins, combination, strict=True)
                ]))  # fmt: skip
            shape = tuple(1 if entry is None else extents[entry[0]][entry[1]] for entry in self.layout)
            frame = _tasks.Frame(tuple(map(math.prod, extents)), shape, self.x.dtype, self.fill, pieces)
            own = (self.name, *(0 if entry is None else blocks[entry[0]][entry[1]] for entry in self.layout))
            if self.where:
                tasks[own] = task(own, _tasks.place_each, [ref(key) for key in tasks_of], tuple(which), frame)
            else:
                tasks[own] = task(own, _tasks.place, inputs, frame)


def token(group: Span | Points) -> Any:
    """What a group is named by."""
    if isinstance(group, Span):
        return (group.axis, group.start, group.step, group.length)
    return (group.axes, group.arrays, group.shape, group.outside, group.chunks)


def _chunk_bytes(x: Any) -> int:
    return math.prod(max(sizes, default=1) for sizes in x.chunks) * x.dtype.itemsize


def _held(buckets: Buckets) -> int:
    """Bytes of the positions in buckets."""
    total = 0
    for one in buckets.values():
        total += sum(along.nbytes for along in one.local if isinstance(along, np.ndarray))
        total += sum(run.places.nbytes for run in one.runs if run.places is not None)
    return total
