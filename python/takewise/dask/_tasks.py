"""What tasks run: takewise's own functions on NumPy blocks. Found by name on a worker, so nothing here may be a closure."""

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import takewise
from takewise import _catalogue
from takewise.dask._common import PLACE, Bad, Options
from takewise.dask._parts import held, narrow
from takewise.dask._values import first_bad, rank_in, resolved

if TYPE_CHECKING:
    from takewise.dask._common import _Casting

Block = np.ndarray[Any, Any]


@dataclasses.dataclass(slots=True)
class Pick:
    """What is read from one source chunk: a subscript of it, and how its arrays combine."""

    way: str
    key: tuple[Any, ...]
    # Axes of length 1 that are made: of a group that indexes nothing.
    made: tuple[int, ...] = ()


def pick(block: Block, what: Pick, *waits: Any) -> Block:
    """The elements of a source chunk that are wanted, as an array of their own."""
    found = np.asarray(getattr(takewise, what.way)(block, what.key, threads=1))
    found = np.expand_dims(found, what.made) if what.made else found
    # A view would keep the whole chunk, here and on the way to another worker.
    return np.array(found) if found.nbytes < block.nbytes and np.may_share_memory(found, block) else found


def pick_each(blocks: list[Block], each: tuple[Pick, ...], *waits: Any) -> list[Block]:
    """What is wanted of several source chunks, which lie on one worker."""
    return [pick(block, what) for block, what in zip(blocks, each, strict=True)]


@dataclasses.dataclass(slots=True)
class Piece:
    """Where a part of what was picked goes: for each group of axes a run of it, and the places in the output."""

    runs: list[tuple[int, int, Block | None]]


@dataclasses.dataclass(slots=True)
class Frame:
    """An output chunk: its extents by group of axes, its shape, and what stands where nothing is put."""

    groups: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    # The element of places that no position was found for; ``None`` if every place gets a value.
    fill: Any
    pieces: list[Piece]


def place(picked: Sequence[Block], frame: Frame, *waits: Any) -> Block:
    """An output chunk put together."""
    if frame.fill is None and len(frame.pieces) == 1 and all(places is None for *_, places in frame.pieces[0].runs):
        values = _part(picked[0], frame.pieces[0])
        return values.reshape(frame.shape)
    out = _blank(frame.groups, frame.dtype, frame.fill)
    for values, piece in zip(picked, frame.pieces, strict=True):
        put(out, [places for *_, places in piece.runs], _part(values, piece))
    return out.reshape(frame.shape)


def place_each(picked: list[list[Block]], which: tuple[tuple[int, int], ...], frame: Frame) -> Block:
    """An output chunk put together from what was picked of several source chunks at once: numbers of a task and of its results."""
    return place([picked[task][k] for task, k in which], frame)


def _part(values: Block, piece: Piece) -> Block:
    return values[tuple(slice(start, stop) for start, stop, _ in piece.runs)]


def _blank(shape: tuple[int, ...], dtype: np.dtype[Any], fill: Any) -> Block:
    out = np.empty(shape, dtype)
    if fill is not None:
        out[...] = fill
    return out


def put(out: Block, places: Sequence[Block | None], values: Block) -> None:
    """Stores values at the product of places along each axis; ``None`` is all of an axis."""
    arrays = [axis for axis, along in enumerate(places) if along is not None]
    if len(arrays) <= 1:
        key: tuple[Any, ...] = tuple(slice(None) if along is None else along for along in places)
    else:
        key = np.ix_(*(np.arange(n) if p is None else p for p, n in zip(places, out.shape, strict=True)))
    if out.dtype.isnative:
        takewise.index_put_(out, key, values, threads=1)
    else:
        out[key] = values


@dataclasses.dataclass(slots=True)
class Meaning:
    """How the positions of an index block name places in the source."""

    # Axes of the source that are indexed, their lengths, and what is done with values outside.
    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    options: Options
    # ``each``: an array for each axis. ``flat``: one, of the flattened source. ``along``: one, for the axis numbered here
    # among ``axes``; on the others an element stands where it stands in the index.
    kind: str
    along: int = 0


def positions(arrays: Sequence[Block], meaning: Meaning, origin: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Positions on every axis for one block of the index, in row-major order, and which of them are left out."""
    outside: Block | None = None
    found: list[Any] = list(arrays)
    if meaning.kind == "flat":
        places, outside = resolved(np.asarray(arrays[0]), math.prod(meaning.sizes), meaning.options)
        safe = places if outside is None else np.where(outside, 0, places)
        found = list(np.unravel_index(safe, meaning.sizes)) if math.prod(meaning.sizes) else [safe] * len(meaning.sizes)
    elif meaning.kind == "along":
        found = []
        for axis, extent in enumerate(shape):
            if axis == meaning.along:
                found.append(arrays[0])
                continue
            here = np.arange(origin[axis], origin[axis] + extent, dtype=PLACE)
            here = here if meaning.sizes[axis] > 1 else np.zeros_like(here)
            found.append(here.reshape((1,) * axis + (extent,) + (1,) * (len(shape) - axis - 1)))
    flat = [np.broadcast_to(values, shape).ravel() for values in found]
    return flat, None if outside is None else np.broadcast_to(outside, shape).ravel()


def check(values: Block, axis: int, size: int, options: Options, origin: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """What is wrong with one chunk of an index array: its rank in the whole array, and the facts."""
    _, outside = resolved(np.asarray(values), size, options)
    if outside is None:
        return None
    bad = first_bad(np.asarray(values), outside, axis, size)
    position = tuple(k + begin for k, begin in zip(bad.position or (), origin, strict=True))
    return rank_in(position, shape), dataclasses.replace(bad, position=position)


def verdict(operation: str, options: Options, found: list[list[Any]], shapes: list[tuple[int, ...]], shape: tuple[int, ...]) -> None:
    """Raises for the first value outside in index order, of all index arrays together."""
    worst: tuple[int, Bad] | None = None
    for checks, own in zip(found, shapes, strict=True):
        bad = [one for one in checks if one is not None]
        if not bad:
            continue
        _, first = min(bad, key=lambda one: one[0])
        first = dataclasses.replace(first, bad=sum(one.bad for _, one in bad), total=math.prod(own))
        rank = rank_in(first.position or (), shape)
        worst = (rank, first) if worst is None or rank < worst[0] else worst
    if worst is not None:
        worst[1].raise_for(operation, options)


def whole(
    block: Block, arrays: Sequence[Block], way: str, key: tuple[Any, ...], options: Options, points: tuple[int, ...],
    shape: tuple[int, ...], *waits: Any,
) -> Block:
    """A read of a source chunk that holds all of what is indexed; numbers in the key stand for the index arrays."""
    wide = [np.broadcast_to(values, points) for values in arrays]
    filled = tuple(wide[entry] if isinstance(entry, int) else entry for entry in key)
    return getattr(takewise, way)(block, filled, **options.keywords).reshape(shape)


def whole_flat(block: Block, arrays: Sequence[Block], options: Options, shape: tuple[int, ...], *waits: Any) -> Block:
    """A read of the flattened source, which is one chunk."""
    return takewise.take(block, arrays[0], **options.keywords).reshape(shape)


def whole_along(block: Block, index: Block, axis: int, options: Options, *waits: Any) -> Block:
    """``take_along_axis`` on chunks that hold the whole axis."""
    return takewise.take_along_axis(block, index, axis, **options.keywords)


@dataclasses.dataclass(slots=True)
class Reach:
    """The part of the source that a chunk holds, on the axes that are indexed."""

    begin: tuple[int, ...]
    extent: tuple[int, ...]


def pair(
    block: Block, arrays: Sequence[Block], meaning: Meaning, reach: Reach, origin: tuple[int, ...], shape: tuple[int, ...],
    way: str, rank: int, *waits: Any,
) -> tuple[Block, Block]:
    """What one block of the index finds in one source chunk: places in the index block, and values."""
    flat, outside = positions(arrays, meaning, origin, shape)
    # The chunk, and what lies before and behind it.
    around = [(b, n, size - b - n) for b, n, size in zip(reach.begin, reach.extent, meaning.sizes, strict=True)]
    middle = sum(3**axis for axis in range(len(around)))
    for one in held(around, flat, meaning.options, outside):
        if one.number == middle:
            return one.at, _selected(block, meaning.axes, one.offsets, way, rank)
    return np.zeros(0, PLACE), _selected(block, meaning.axes, [np.zeros(0, PLACE)] * len(around), way, rank)


def _selected(block: Block, axes: tuple[int, ...], local: Sequence[Block], way: str, rank: int) -> Block:
    key: list[Any] = [slice(None)] * rank
    for axis, places in zip(axes, local, strict=True):
        key[axis] = places
    return getattr(takewise, way)(block, tuple(key), threads=1)


def pair_along(
    block: Block, index: Block, axis: int, begin: int, size: int, options: Options, shape: tuple[int, ...], *waits: Any
) -> tuple[Block, Block]:
    """What a block of an index of ``take_along_axis`` finds in one chunk of the axis: places in the result, and values."""
    sizes = tuple(size if k == axis else n for k, n in enumerate(block.shape))
    reach = Reach(tuple(begin if k == axis else 0 for k in range(block.ndim)), block.shape)
    meaning = Meaning(tuple(range(block.ndim)), sizes, options, "along", axis)
    return pair(block, [index], meaning, reach, (0,) * block.ndim, shape, "index", block.ndim)


def merge(parts: list[tuple[Block, Block]], frame: Frame, at: int, *waits: Any) -> Block:
    """An output chunk from what each source chunk has of it; ``at`` is the axis of positions among the groups."""
    out = _blank(frame.groups, frame.dtype, frame.fill)
    for places, values in parts:
        if len(places):
            put(out, [places if axis == at else None for axis in range(out.ndim)], values)
    return out.reshape(frame.shape)


@dataclasses.dataclass(slots=True)
class Buckets:
    """The positions of one block of the index, by source chunk: places in the block, offsets in the chunk, values."""

    parts: dict[int, tuple[Block, list[Block], Block | None]]


def bucket(
    arrays: Sequence[Block], meaning: Meaning, grid: tuple[tuple[int, ...], ...], origin: tuple[int, ...], shape: tuple[int, ...],
    values: Any, frame: tuple[int, ...], at: int, only: int | None, *waits: Any,
) -> Buckets:
    """Sorts the positions of one block of the index by the chunk that holds them: of ``only`` one if it is named.

    With them go ``values`` to be written, if they are given, which have the shape ``frame`` and the positions on axis ``at``.
    """
    flat, outside = positions(arrays, meaning, origin, shape)
    parts: dict[int, tuple[Block, list[Block], Block | None]] = {}
    for one in held(grid, flat, meaning.options, outside):
        if only is None or one.number == only:
            own = None if values is None else np.take(values.reshape(frame), one.at, axis=at)
            parts[one.number] = (narrow(one.at, math.prod(shape)), one.offsets, own)
    return Buckets(parts)


def pick_buckets(block: Block, buckets: list[Buckets], chunk: int, axes: tuple[int, ...], way: str, rank: int, *waits: Any) -> list[Any]:
    """What each block of the index finds in one source chunk."""
    found: list[Any] = []
    for one in buckets:
        part = one.parts.get(chunk)
        found.append(None if part is None else _selected(block, axes, part[1], way, rank))
    return found


def place_buckets(own: Buckets, picked: list[list[Any]], chunks: list[int], which: int, frame: Frame, at: int, *waits: Any) -> Block:
    """An output chunk from what each source chunk was asked for by one block of the index."""
    parts = [(own.parts[chunk][0], values[which]) for chunk, values in zip(chunks, picked, strict=True) if chunk in own.parts]
    return merge(parts, frame, at)


@dataclasses.dataclass(slots=True)
class Rank:
    """Where a block of the index stands in all of it: turns a place in the block into one in the whole."""

    origin: tuple[int, ...]
    block: tuple[int, ...]
    shape: tuple[int, ...]


@dataclasses.dataclass(slots=True)
class Store:
    """How values are stored or combined."""

    operation: str
    accumulate: bool = False
    reduce: Any = None
    include_self: bool = True
    duplicates: str = "last"
    threads: int = 1
    casting: "_Casting" = "same_kind"
    # The method of takewise.at(x)[key] that does it, where it is no store.
    method: str | None = None
    # The function of takewise that does it, where it is not a store at a subscript, and what it is given beside the arrays.
    function: str | None = None
    keywords: tuple[tuple[str, Any], ...] = ()


@dataclasses.dataclass(slots=True)
class Target:
    """What is written of a chunk: a subscript of it, in which the axes named together get their places later.

    ``at`` is the axis of the positions among those of the values, ``home`` the one that the subscript has them on. With ``outer``
    each index array of the subscript stands for itself.
    """

    key: tuple[Any, ...]
    axes: tuple[int, ...]
    at: int | None
    home: int
    outer: bool = False


def write(block: Block, target: Target, local: Sequence[Block], values: Any, store: Store, *waits: Any) -> Block:
    """A copy of a chunk with values stored or combined at places of it, in index order."""
    key = list(target.key)
    for axis, places in zip(target.axes, local, strict=True):
        key[axis] = places
    if np.ndim(values) and target.at is not None and not isinstance(values, list):
        values = np.moveaxis(values, target.at, target.home) if target.axes else values[(slice(None),) * target.at + (0,)]
    if store.function is not None:
        return _applied(block, target, local, values, store)
    if target.outer:
        key = list(np.ix_(*(np.arange(n)[one] if isinstance(one, slice) else one for n, one in zip(block.shape, key, strict=True))))
    if store.reduce is not None:
        flat = np.ravel_multi_index(key, block.shape) if block.ndim else np.zeros(len(values), PLACE)
        done = takewise.scatter_reduce(
            block.reshape(-1), 0, flat, values, store.reduce, store.include_self, threads=store.threads, casting=store.casting
        )
        return done.reshape(block.shape)
    if store.method is not None:
        return getattr(takewise.at(block)[tuple(key)], store.method)(values, threads=store.threads, casting=store.casting)
    first: dict[str, Any] = {"duplicates": "first"} if store.duplicates == "first" and not store.accumulate else {}
    return takewise.index_put_(
        block.copy(), tuple(key), values, accumulate=store.accumulate, threads=store.threads, casting=store.casting, **first
    )  # fmt: skip


def _applied(block: Block, target: Target, local: Sequence[Block], values: Any, store: Store) -> Block:
    keywords: dict[str, Any] = {"threads": store.threads, "casting": store.casting, **dict(store.keywords)}
    if store.duplicates == "first":
        keywords["duplicates"] = "first"
    function = str(store.function)
    if "Axis" not in _catalogue.ROLES[function].values():
        index = np.stack(local, axis=-1)
        if isinstance(values, np.generic):
            # A number of NumPy's own counts as an array, of one dtype and no axis.
            values = np.broadcast_to(values, (len(index), *block.shape[len(local) :]))
        return getattr(takewise, function)(block, index, values, **keywords)
    [axis], [places] = target.axes, local
    return getattr(takewise, function)(block, axis, places, values, **keywords)


@dataclasses.dataclass(slots=True)
class Sent:
    """Which values of a block go to a target chunk, and where among its positions."""

    at: Block
    places: Block


def collect(
    block: Block, target: Target, local: Sequence[Block], values: list[Block], sent: list[Sent], shape: tuple[int, ...],
    store: Store, *waits: Any,
) -> Block:
    """``write`` of values that lie in several blocks, where the positions may take several axes."""
    own = np.empty(shape, values[0].dtype)
    at = target.at or 0
    for block_values, part in zip(values, sent, strict=True):
        flat = block_values.reshape(shape[:at] + (-1,) + shape[at + 1 :])
        put(own, [part.at if axis == at else None for axis in range(own.ndim)], np.take(flat, part.places, axis=at))
    return write(block, target, local, own, store)


def write_slices(block: Block, target: Target, values: Block, shape: tuple[int, ...], store: Store, *waits: Any) -> Block:
    """``write`` of a block of values to slices of a chunk."""
    return write(block, target, [], values.reshape(shape), store)


def write_buckets(
    block: Block, buckets: list[Buckets], ranks: list[Rank], chunk: int, target: Target, value: Any, store: Store, *waits: Any
) -> Block:
    """``write`` of what each block of the index has for one target chunk, in index order."""
    numbers, local, values = gathered(buckets, ranks, chunk, len(target.axes), target.at or 0)
    if not len(numbers):
        return block
    return write(block, target, local, value if values is None else values, store)


def gathered(buckets: list[Buckets], ranks: list[Any], chunk: int, count: int, at: int) -> Any:
    """The positions of all blocks of the index for one chunk, in index order: ranks in the index, offsets, values."""
    parts = [(one.parts[chunk], rank) for one, rank in zip(buckets, ranks, strict=True) if chunk in one.parts]
    if not parts:
        return np.zeros(0, PLACE), [], None
    numbers = np.concatenate([_ranked(part[0], rank) for part, rank in parts])
    order = slice(None) if (np.diff(numbers) > 0).all() else np.argsort(numbers, kind="stable")
    local = [np.concatenate([part[1][axis] for part, _ in parts])[order] for axis in range(count)]
    values = None
    if parts[0][0][2] is not None:
        values = np.concatenate([part[2] for part, _ in parts], axis=at)
        values = values if isinstance(order, slice) else np.take(values, order, axis=at)
    return numbers[order], local, values


def _ranked(places: Block, rank: Rank) -> Block:
    if not rank.shape:
        return places.astype(PLACE)
    inside = np.unravel_index(places.astype(PLACE), rank.block)
    return np.ravel_multi_index([k + begin for k, begin in zip(inside, rank.origin, strict=True)], rank.shape).astype(PLACE)


def after(block: Block, *waits: Any) -> Block:
    """A chunk as it is, once the checks have passed."""
    return block


def twice(buckets: list[Buckets], ranks: list[Any], chunk: int, extents: tuple[int, ...], at: int, *waits: Any) -> Any:
    """The first position in index order that names a place of one chunk again, and the position that meaning it before."""
    numbers, local, _ = gathered(buckets, ranks, chunk, len(extents), at)
    if not len(numbers):
        return None
    return first_twice(np.ravel_multi_index(local, extents) if extents else np.zeros(len(numbers), PLACE), numbers)


def first_twice(places: Block, numbers: Block) -> Any:
    """The smallest number whose place has come before, and the one before it; places are in the order of numbers."""
    order = np.argsort(places, kind="stable")
    same = np.flatnonzero(np.diff(places[order]) == 0)
    if not len(same):
        return None
    again, before = numbers[order[same + 1]], numbers[order[same]]
    k = int(np.argmin(again))
    return int(again[k]), int(before[k])


def refuse_twice(operation: str, found: list[Any], shape: tuple[int, ...]) -> None:
    """Raises for the first position in index order that names a place again."""
    worst = min((one for one in found if one is not None), default=None)
    if worst is None:
        return
    again, before = (", ".join(str(int(k)) for k in np.unravel_index(n, shape)) if shape else "" for n in worst)
    text = f"{operation}: index position [{again}] writes the place position [{before}] already wrote"
    raise takewise.exceptions.ValueError(text)


def count(mask: Block) -> Block:
    """How many elements of a chunk are true, as an array of as many axes."""
    return np.full((1,) * mask.ndim, np.count_nonzero(mask), PLACE)


def compress(block: Block | None, mask: Block, slab: Rank) -> tuple[Block, Block | None]:
    """Where a chunk of a mask is true, as places in its slab in row-major order, and the values there."""
    if mask.dtype != bool:
        mask = mask != 0 if mask.dtype.kind in "biufc" else mask.astype(bool)
    inside = takewise.nonzero(mask, as_tuple=True) if mask.ndim else ()
    places = [k + begin for k, begin in zip(inside, slab.origin, strict=True)]
    flat = np.ravel_multi_index(places, slab.shape).astype(PLACE) if places else np.zeros(int(mask), PLACE)
    return flat, None if block is None else takewise.masked_select(block, mask, threads=1)


def slab_values(parts: list[tuple[Block, Block]]) -> Block:
    """The values of a slab in row-major order."""
    values = np.concatenate([own for _, own in parts])
    return values if len(parts) == 1 else takewise.take(values, _slab_order(parts), threads=1)


def slab_places(parts: list[tuple[Block, None]], before: int) -> Block:
    """The places of a slab in row-major order of the whole."""
    flat = np.concatenate([own for own, _ in parts])
    return (flat if len(parts) == 1 else np.sort(flat)) + before


def _slab_order(parts: list[Any]) -> Block:
    return np.argsort(np.concatenate([own for own, _ in parts]), kind="stable")


def coordinate(flat: Block, shape: tuple[int, ...], axis: int) -> Block:
    """One coordinate of places in row-major order."""
    return np.unravel_index(flat, shape)[axis].astype(PLACE)


def coordinate_rows(flat: Block, shape: tuple[int, ...]) -> Block:
    """A row of coordinates for each place."""
    if not shape:
        return np.zeros((len(flat), 0), PLACE)
    return np.stack(np.unravel_index(flat, shape), axis=1).astype(PLACE)


def searched(sequence: Block, values: Block, keywords: dict[str, Any]) -> Block:
    """A search in one chunk of a sorted sequence."""
    return takewise.searchsorted(sequence, values, threads=1, **keywords)


def summed(parts: list[Block]) -> Block:
    """How many elements of all chunks are before each value."""
    total = np.array(parts[0])
    for part in parts[1:]:
        total += part
    return total
