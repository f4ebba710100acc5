"""Writes, which give a new array: a task for each chunk that is written, and the other chunks as they were."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import takewise
from takewise import exceptions
from takewise.dask import _tasks
from takewise.dask._blocks import Blocks, check, cut_alike
from takewise.dask._common import (
    PLACE,
    Options,
    alias,
    is_dask,
    library,
    listed,
    made,
    named,
    ref,
    refuse_shuffle,
    road_asked_for,
    task,
    task_bytes,
)
from takewise.dask._explain import Step, note
from takewise.dask._keys import Request, Together, result_shape
from takewise.dask._parts import Buckets, Chunks, Points, Run, Span, held, starts
from takewise.dask._positions import MOST_KEYS
from takewise.dask._read import token

if TYPE_CHECKING:
    from takewise.dask._common import _Casting


@dataclasses.dataclass(slots=True)
class Writing:
    """A write: the places by group of axes, in the order of the values' axes, and the values."""

    operation: str
    x: Any
    request: Request
    # A number, or an array of the shape that the key selects.
    value: Any
    store: _tasks.Store
    options: Options
    kind: str = "each"
    along: int = 0

    @property
    def at(self) -> int | None:
        """The group of the index arrays."""
        return next((g for g, group in enumerate(self.request.groups) if not isinstance(group, Span)), None)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is written."""
        return result_shape(self.request)

    def target(self, key: Sequence[Any], axes: Sequence[int]) -> _tasks.Target:
        """What is written of a chunk."""
        spans = [group.axis for group in self.request.groups if isinstance(group, Span)]
        side_by_side = all(after == before + 1 for before, after in itertools.pairwise(axes))
        home = sum(axis < axes[0] for axis in spans) if axes and side_by_side else 0
        return _tasks.Target(tuple(key), tuple(axes), self.at, home)


def listed_values(value: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """Numbers in lists, in the dtype of the array they are for if they are of its kind."""
    found = np.asarray(value)
    return found.astype(dtype) if np.can_cast(found.dtype, dtype, "same_kind") else found


def admitted(operation: str, value: Any, dtype: np.dtype[Any], casting: "_Casting") -> Any:
    """The value, which takewise would write to an array in memory; of Dask's values the dtype is known, and a task looks at them.

    Errors: as takewise's, for values that would change in an array of the dtype.
    """
    sample = np.zeros((), value.dtype) if is_dask(value) else value
    if np.can_cast(getattr(sample, "dtype", np.bool_), dtype, "safe") and hasattr(sample, "dtype"):
        return value
    try:
        takewise.index_put_(np.empty(np.shape(sample), dtype), ..., sample, casting=casting)
    except (TypeError, OverflowError) as error:
        error.args = (str(error).replace("index_put_", operation, 1),)
        raise
    return value


def fitted(operation: str, value: Any, shape: tuple[int, ...], dtype: np.dtype[Any], casting: "_Casting") -> Any:
    """A value to write: a number as it is, an array broadcast to the shape of the places."""
    if is_dask(value):
        found = value
    elif isinstance(value, bool | int | float | complex | np.generic):
        return admitted(operation, value, dtype, casting)
    else:
        found = listed_values(value, dtype) if isinstance(value, list | tuple) else np.asarray(value)
    admitted(operation, found, dtype, casting)
    while found.ndim > len(shape) and found.shape[0] == 1:
        found = found[0]
    if not is_dask(found) and not found.ndim:
        return found[()]
    try:
        fits = np.broadcast_shapes(found.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise exceptions.ValueError(
            f"{operation}: a value of shape {listed(found.shape)} does not broadcast to the places, which have shape {listed(shape)}"
        )
    if found.shape == shape:
        return found
    return library().broadcast_to(found, shape) if is_dask(found) else np.broadcast_to(found, shape)


def known(writing: Writing, groups: Sequence[Span | Points]) -> Any:
    """The graph of a write whose positions are known."""
    x, at = writing.x, writing.at
    splits = []
    for group in groups:
        if isinstance(group, Points):
            group.chunks = tuple((extent,) for extent in group.shape)
        splits.append(group.split(x.chunks[group.axis] if isinstance(group, Span) else [x.chunks[axis] for axis in group.axes]))
    if writing.options.duplicates == "error":
        _refuse_twice(writing, groups, [buckets for buckets, _ in splits])
    value = writing.value
    if is_dask(value):
        value = value.rechunk(_value_chunks(writing, [split[1] for split in splits], value.chunks))
    elif np.ndim(value):
        value = np.broadcast_to(value, writing.shape).reshape([math.prod(group.shape) for group in groups])
    name = named(
        writing.operation, x.name, [token(group) for group in groups], value.name if is_dask(value) else value,
        dataclasses.astuple(writing.store), writing.options, writing.request.layout,
    )  # fmt: skip
    tasks: dict[Any, Any] = {}
    source = _Source(writing, groups, value)
    outer = sum(isinstance(group, Points) for group in groups) > 1
    graph = 0
    for combination in itertools.product(*(split[0].items() for split in splits)):
        block, key, local = [0] * x.ndim, [slice(None)] * x.ndim, []
        for group, (chunk, bucket) in zip(groups, combination, strict=True):
            for axis, number, part in zip(group.axes, chunk, bucket.local, strict=True):
                block[axis], key[axis] = number, part
        graph += sum(places.nbytes for _, bucket in combination for places in bucket.local if isinstance(places, np.ndarray))
        if outer:
            target = _tasks.Target(tuple(key), (), None, 0, True)
        else:
            local = [] if at is None else list(combination[at][1].local)
            target = writing.target(key, groups[at].axes if at is not None else ())
        own = (name, *block)
        tasks[own] = source.task(own, ref((x.name, *block)), target, local, combination)
    touched = len(tasks)
    _untouched(tasks, name, x)
    moved = value.nbytes if is_dask(value) else 0
    why = f"positions are known: {touched} chunks are written, the others are the source's own"
    note(Step(writing.operation, "buckets", why, touched, touched, math.prod(x.numblocks), touched, moved, graph))
    return made(writing.operation, tasks, name, x.chunks, x.dtype, [x, *([value] if is_dask(value) else [])])


def _untouched(tasks: dict[Any, Any], name: str, x: Any) -> None:
    for block in np.ndindex(*x.numblocks):
        if (name, *block) not in tasks:
            tasks[name, *block] = alias((name, *block), (x.name, *block))


def _refuse_twice(writing: Writing, groups: Sequence[Span | Points], splits: Sequence[Buckets]) -> None:
    """Raises for the first position in index order that names a place again. Groups stand for themselves, so that is one of the
    last group in which there is one: it moves fastest."""
    shape: list[int] = []
    worst: tuple[int, int] | None = None
    for group, buckets in zip(groups, splits, strict=True):
        if isinstance(group, Span):
            continue
        found, largest = [], [max(writing.x.chunks[axis]) for axis in group.axes]
        for bucket in buckets.values() if group.axes else ():
            [run] = bucket.runs
            found.append(_tasks.first_twice(np.ravel_multi_index(bucket.local, largest), _numbers(run, bucket.count)))
        first = min((one for one in found if one is not None), default=None)
        own = math.prod(group.shape)
        worst = first if first is not None else None if worst is None else (worst[0] * own, worst[1] * own)
        shape += group.shape
    _tasks.refuse_twice(writing.operation, [worst], tuple(shape))


def _numbers(run: Run, count: int) -> np.ndarray:
    """Which of the positions a run has, where all of them lie in one chunk of the output."""
    return np.arange(count) if run.places is None else run.places.astype(PLACE)


def _value_chunks(writing: Writing, chunks: Sequence[Any], own: Any) -> tuple[tuple[int, ...], ...]:
    """Chunks of the values: along slices as the targets are cut, else as they are."""
    found = []
    for axis, entry in enumerate(writing.request.layout):
        if entry is None:
            found.append((1,))
        elif isinstance(writing.request.groups[entry[0]], Span):
            found.append(chunks[entry[0]][entry[1]])
        else:
            found.append(own[axis])
    return tuple(found)


@dataclasses.dataclass(slots=True)
class _Source:
    """Where the values of known positions come from."""

    writing: Writing
    groups: Sequence[Span | Points]
    value: Any

    def task(self, own: Any, block: Any, target: _tasks.Target, local: list[Any], combination: Any) -> Any:
        """The task that writes one chunk."""
        writing, value = self.writing, self.value
        if is_dask(value):
            return self._collected(own, block, target, local, combination)
        if np.ndim(value):
            for g, (_, bucket) in enumerate(combination):
                run = bucket.runs[0]
                if isinstance(self.groups[g], Span):
                    begin = self._begin(g, run.output)
                    value = value[(slice(None),) * g + (slice(begin, begin + bucket.count),)]
                elif run.places is not None:
                    value = np.take(value, run.places, axis=g)
            value = np.ascontiguousarray(value)
        return task(own, _tasks.write, block, target, local, value, writing.store)

    def _begin(self, g: int, output: int) -> int:
        group = self.groups[g]
        assert isinstance(group, Span)
        _, chunks = group.split(self.writing.x.chunks[group.axis])
        return int(starts(chunks[0])[output])

    def _collected(self, own: Any, block: Any, target: _tasks.Target, local: list[Any], combination: Any) -> Any:
        writing, at = self.writing, self.writing.at
        shape = tuple(bucket.count for _, bucket in combination)
        span_blocks = {g: bucket.runs[0].output for g, (_, bucket) in enumerate(combination) if isinstance(self.groups[g], Span)}
        if at is None:
            numbers = [0 if entry is None else span_blocks[entry[0]] for entry in writing.request.layout]
            return task(own, _tasks.write_slices, block, target, ref((self.value.name, *numbers)), shape, writing.store)
        where = [k for k, entry in enumerate(writing.request.layout) if entry is not None and entry[0] == at]
        chunks = tuple(self.value.chunks[k] for k in where)
        bucket = combination[at][1]
        order = _numbers(bucket.runs[0], bucket.count)
        refs, sent = [], []
        for number, here, place in self._blocks(chunks, order, self.groups[at].shape):
            inner = iter(number)
            numbers = [
                0 if entry is None else next(inner) if entry[0] == at else span_blocks[entry[0]]
                for entry in writing.request.layout
            ]
            refs.append(ref((self.value.name, *numbers)))
            sent.append(_tasks.Sent(here, place))
        return task(own, _tasks.collect, block, target, local, refs, sent, shape, writing.store)

    @staticmethod
    def _blocks(chunks: Chunks, order: np.ndarray, shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
        """Which blocks of the values hold some of them: its number, which of these, and their places in it."""
        if not chunks:
            yield (), np.arange(len(order)), order
            return
        for one in held(chunks, list(np.unravel_index(order, shape)), Options()):
            block = tuple(int(k) for k in np.unravel_index(one.number, tuple(map(len, chunks))))
            extents = tuple(sizes[k] for sizes, k in zip(chunks, block, strict=True))
            yield block, one.at, np.ravel_multi_index(one.offsets, extents)


def unknown(writing: Writing) -> Any:
    """The graph of a write whose positions are in arrays of Dask's."""
    return _Unknown.of(writing).built()


@dataclasses.dataclass(slots=True)
class _Unknown:
    """A write at unknown positions: buckets of each block of the index, and a task for each chunk of the target."""

    writing: Writing
    name: str
    together: Together
    at: int
    blocks: Blocks
    value: Any
    # The slices by group: what each takes of each chunk.
    spans: list[Any]
    meaning: _tasks.Meaning

    @classmethod
    def of(cls, writing: Writing) -> "_Unknown":
        at = writing.at
        assert at is not None
        x, groups, value = writing.x, writing.request.groups, writing.value
        together = groups[at]
        assert isinstance(together, Together)
        layout = writing.request.layout
        where = [k for k, entry in enumerate(layout) if entry is not None and entry[0] == at]
        own = tuple(value.chunks[k] for k in where) if is_dask(value) else None
        blocks = cut_alike(together.arrays, together.shape, own)
        spans = [list(g.split(x.chunks[g.axis])) if isinstance(g, Span) else [None, blocks.chunks] for g in groups]
        if is_dask(value):
            wanted = _value_chunks(writing, [split[1] for split in spans], value.chunks)
            inner = iter(blocks.chunks)
            wanted = tuple(next(inner) if k in where else one for k, one in enumerate(wanted))
            value = value.rechunk(wanted)
        tokens = [(g.axis, g.start, g.step, g.length) for g in groups if isinstance(g, Span)]
        name = named(
            writing.operation, x.name, blocks.token, together.axes, tokens, layout, value.name if is_dask(value) else value,
            dataclasses.astuple(writing.store), writing.options, writing.kind, writing.along,
        )  # fmt: skip
        sizes = tuple(x.shape[axis] for axis in together.axes)
        meaning = _tasks.Meaning(together.axes, sizes, writing.options, writing.kind, writing.along)
        return cls(writing, name, together, at, blocks, value, spans, meaning)

    @property
    def grid(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self.writing.x.chunks[axis] for axis in self.together.axes)

    def built(self) -> Any:
        writing, x = self.writing, self.writing.x
        tasks: dict[Any, Any] = {}
        facts = list(zip(self.together.axes, self.meaning.sizes, strict=True))
        if writing.kind == "flat":
            facts = [(0, x.size)]
        elif writing.kind == "along":
            facts = [(writing.along, x.shape[writing.along])]
        waits = check(tasks, self.name, writing.operation, self.together.arrays, facts, self.together.shape, writing.options)
        carried = np.ndim(self.value) or is_dask(self.value)
        wide = math.prod(g.length for g in writing.request.groups if isinstance(g, Span)) if carried else 0
        item = self.value.dtype.itemsize if carried else 0
        received = math.prod(self.together.shape) * (8 + 4 * len(self.together.axes) + wide * item)
        chunks = list(np.ndindex(*map(len, self.grid)))
        combinations = list(itertools.product(*(split[0].items() for split in self.spans if split[0] is not None)))
        apart = (road_asked_for("pairs", "exchange") or ("pairs" if received > task_bytes() else "exchange")) == "pairs"
        pairs = len(chunks) * len(self.blocks) * len(combinations)
        if apart and pairs > MOST_KEYS:
            refuse_shuffle(writing.operation, received, pairs)
        makers = self._buckets(tasks, combinations if carried else combinations[:1], chunks if apart else None, waits)
        if writing.options.duplicates == "error":
            waits = [*waits, *self._twice(tasks, makers, chunks)]
        before = len(tasks)
        for number, chunk in enumerate(chunks):
            for which, combination in enumerate(combinations):
                self._write(tasks, makers, number, chunk, which if carried else 0, combination, waits)
        touched = len(tasks) - before
        if waits and not touched:
            # Nothing lies where positions are written, and they are checked all the same.
            for block in np.ndindex(*x.numblocks):
                tasks[self.name, *block] = task((self.name, *block), _tasks.after, ref((x.name, *block)), *waits)
        _untouched(tasks, self.name, x)
        road = "pairs" if apart else "exchange"
        why = "each block of the positions is sorted by chunk" + (", once for each chunk, as it is large" if apart else "")
        note(Step(writing.operation, road, why, before + touched, touched, math.prod(x.numblocks), touched, received))
        values = [self.value] if is_dask(self.value) else []
        given = [array for array in self.together.arrays if is_dask(array)]
        return made(writing.operation, tasks, self.name, x.chunks, x.dtype, [x, *self.blocks.sources, *given, *values])

    def _buckets(self, tasks: dict[Any, Any], combinations: list[Any], chunks: list[Any] | None, waits: list[Any]) -> Any:
        """Tasks that sort each block of the positions; the keys by block, combination of slices, and chunk if they are apart."""
        name, found = self.name + "-bucket", {}
        for block, (which, combination) in itertools.product(self.blocks, enumerate(combinations)):
            values, frame = self._values(block, combination)
            for only in [None] if chunks is None else range(len(chunks)):
                key = (name, *block, which, *([] if only is None else [only]))
                tasks[key] = task(
                    key, _tasks.bucket, self.blocks.arguments(block), self.meaning, self.grid, self.blocks.origin(block),
                    self.blocks.extent(block), values, frame, self.at, only, *waits,
                )  # fmt: skip
                found[block, which, only] = key
        return found

    def _values(self, block: tuple[int, ...], combination: Any) -> Any:
        """The values for a block of positions and a combination of slices, and their shape by group of axes."""
        if not is_dask(self.value) and not np.ndim(self.value):
            return None, ()
        slices = iter(combination)
        frame: list[int] = []
        numbers: list[tuple[int, ...]] = []
        cuts: list[tuple[slice, ...]] = []
        for group in self.writing.request.groups:
            if isinstance(group, Span):
                bucket = next(slices)[1]
                output = bucket.runs[0].output
                _, sizes = group.split(self.writing.x.chunks[group.axis])
                begin = int(starts(sizes[0])[output])
                frame.append(bucket.count)
                numbers.append((output,))
                cuts.append((slice(begin, begin + bucket.count),))
            else:
                origin, extent = self.blocks.origin(block), self.blocks.extent(block)
                frame.append(math.prod(extent))
                numbers.append(block)
                cuts.append(tuple(slice(b, b + n) for b, n in zip(origin, extent, strict=True)))
        layout = self.writing.request.layout
        if is_dask(self.value):
            return ref((self.value.name, *(0 if e is None else numbers[e[0]][e[1]] for e in layout))), tuple(frame)
        part = self.value[tuple(slice(None) if e is None else cuts[e[0]][e[1]] for e in layout)]
        return np.ascontiguousarray(part), tuple(frame)

    def _ranks(self, blocks: Sequence[tuple[int, ...]]) -> list[_tasks.Rank]:
        return [_tasks.Rank(self.blocks.origin(b), self.blocks.extent(b), self.together.shape) for b in blocks]

    def _near(self, chunk: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The blocks of the index that may hold positions in a chunk."""
        if self.writing.kind != "along":
            return list(self.blocks)
        found = []
        for block in self.blocks:
            near = True
            for axis, (begin, extent) in enumerate(zip(self.blocks.origin(block), self.blocks.extent(block), strict=True)):
                first = int(starts(self.grid[axis])[chunk[axis]])
                if axis != self.writing.along and self.meaning.sizes[axis] > 1:
                    near = near and begin < first + self.grid[axis][chunk[axis]] and first < begin + extent
            if near:
                found.append(block)
        return found

    def _twice(self, tasks: dict[Any, Any], makers: Any, chunks: list[Any]) -> list[Any]:
        """Tasks that look for places that are named twice; what the writes wait for."""
        found = []
        apart = next(iter(makers))[2] is not None if makers else False
        for number, chunk in enumerate(chunks):
            near = self._near(chunk)
            buckets = [ref(makers[block, 0, number if apart else None]) for block in near]
            extents = tuple(sizes[k] for sizes, k in zip(self.grid, chunk, strict=True))
            key = (self.name + "-twice", number)
            tasks[key] = task(key, _tasks.twice, buckets, self._ranks(near), number, extents, self.at)
            found.append(ref(key))
        once = self.name + "-once"
        tasks[once] = task(once, _tasks.refuse_twice, self.writing.operation, found, self.together.shape)
        return [ref(once)]

    def _write(
        self, tasks: dict[Any, Any], makers: Any, number: int, chunk: tuple[int, ...], which: int, combination: Any, waits: list[Any]
    ) -> None:
        x, near = self.writing.x, self._near(chunk)
        if not near:
            return
        apart = next(iter(makers))[2] is not None
        block, key = [0] * x.ndim, [slice(None)] * x.ndim
        for axis, k in zip(self.together.axes, chunk, strict=True):
            block[axis] = k
        spans = [group for group in self.writing.request.groups if isinstance(group, Span)]
        for group, (place, bucket) in zip(spans, combination, strict=True):
            block[group.axis], key[group.axis] = place[0], bucket.local[0]
        buckets = [ref(makers[one, which, number if apart else None]) for one in near]
        target = self.writing.target(key, self.together.axes)
        own = (self.name, *block)
        scalar = None if is_dask(self.value) or np.ndim(self.value) else self.value
        tasks[own] = task(
            own, _tasks.write_buckets, ref((x.name, *block)), buckets, self._ranks(near), number, target, scalar,
            self.writing.store, *waits,
        )  # fmt: skip
