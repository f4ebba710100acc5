"""Calls inside programs of JAX's, beside the same calls of JAX's own: `jax.jit` of one call each, on one thread.

    cargo xtask bench jit [--rounds N] [REGEX]

Sides take turns, answers are compared first, and a row gives the least time of each side and ours as a ratio of JAX's. A round of
a small row makes many calls. The results are waited for. takewise checks every index, and JAX clamps or drops what is outside.
"""

import os
import time

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import numpy as np  # noqa: E402
import turns  # noqa: E402

import takewise as tw  # noqa: E402

jax = turns.library("jax")
RANDOM = np.random.default_rng(5)
MANY, SMALL = 1_000_000, 4


def waited(call, times=1):
    """A compiled call, made so often and waited for each time."""
    compiled = jax.jit(call)

    def run(*arrays):
        for _ in range(times):
            made = compiled(*arrays).block_until_ready()
        return made

    return run


def row(ours, theirs, make, times=1):
    def sides():
        arrays = [jax.numpy.asarray(array) for array in make()]
        mine, other = waited(ours, times), waited(theirs, times)
        return {"takewise": lambda: mine(*arrays), "JAX": lambda: other(*arrays)}

    return sides if jax else None


def floats(*shape):
    return RANDOM.random(shape, np.float32)


def below(high, *shape):
    return RANDOM.integers(0, high, shape).astype(np.int32)


def along(axis):
    return (
        lambda x, i: tw.take_along_axis(x, i, axis),
        lambda x, i: jax.numpy.take_along_axis(x, i, axis),
        lambda: (floats(1000, 1000), below(1000, 1000, 1000)),
    )


def segments():
    return floats(MANY), below(5_000, MANY)


ROWS = {
    f"take: {SMALL} elements, a thousand calls": row(
        lambda x, i: tw.take(x, i), lambda x, i: x[i], lambda: (floats(SMALL), below(SMALL, SMALL)), 1000
    ),
    f"gather: {SMALL} elements, a thousand calls": row(
        lambda x, i: tw.gather(x, 0, i), lambda x, i: jax.numpy.take_along_axis(x, i, 0), lambda: (floats(SMALL), below(SMALL, SMALL)), 1000
    ),
    "take_along_axis: a million, last axis": row(*along(1)),
    "take_along_axis: a million, first axis": row(*along(0)),
    "take: a million from a million": row(lambda x, i: tw.take(x, i), lambda x, i: x[i], lambda: (floats(MANY), below(MANY, MANY))),
    "index_select: 65,536 rows of 16": row(
        lambda x, i: tw.index_select(x, 0, i), lambda x, i: x[i], lambda: (floats(MANY // 16, 16), below(MANY // 16, 65_536))
    ),
    "index_add: a million into 5,000": row(
        lambda v, i: tw.index_add(jax.numpy.zeros(5_000), 0, i, v), lambda v, i: jax.numpy.zeros(5_000).at[i].add(v), segments
    ),
    "masked_fill: a million, half": row(
        lambda x, m: tw.masked_fill(x, m, 0), lambda x, m: jax.numpy.where(m, 0, x), lambda: (floats(MANY), floats(MANY) < 0.5)
    ),
    "where: a million": row(
        lambda m, x, y: tw.where(m, x, y), jax.numpy.where if jax else None, lambda: (floats(MANY) < 0.5, floats(MANY), floats(MANY))
    ),
    "searchsorted: a million in a million": row(
        lambda s, v: tw.searchsorted(s, v), lambda s, v: jax.numpy.searchsorted(s, v), lambda: (np.sort(floats(MANY)), floats(MANY))
    ),
    "vmap of take: 1,000 parts of 4 elements": row(
        jax and jax.vmap(lambda x, i: tw.take(x, i)), jax and jax.vmap(lambda x, i: x[i]), lambda: (floats(1000, 16), below(16, 1000, SMALL)), 10
    ),
}

if __name__ == "__main__":
    # JAX works on threads of its own, whose time the clock of the process learns late.
    turns.run(ROWS, time.perf_counter)
