"""Index values one by one: what they name on their axis, and what is said of those outside.

The chunk planner reads values by itself and stops at the first bad one. This is for what nobody else sees: values of one chunk
of a longer array, whose bad ones are counted and named by where they stand in all of it, and positions in a flattened array.
"""

from collections.abc import Sequence

import numpy as np

from takewise.dask._common import PLACE, Bad, Options


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


def refuse_worst(
    operation: str, axes: Sequence[int], arrays: Sequence[np.ndarray], sizes: Sequence[int], shape: Sequence[int], options: Options
) -> None:
    """Raises for the first value outside, in index order of arrays that broadcast to a shape."""
    worst: tuple[int, Bad] | None = None
    for axis, values, size in zip(axes, arrays, sizes, strict=True):
        _, outside = resolved(values, size, options)
        if outside is not None:
            bad = first_bad(values, outside, axis, size)
            rank = rank_in(bad.position or (), shape)
            worst = (rank, bad) if worst is None or rank < worst[0] else worst
    if worst is not None:
        worst[1].raise_for(operation, options)
