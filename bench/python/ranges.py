"""Rows of different lengths, beside every library here that has the call: pyarrow, SciPy, PyTorch, numba loops, flox.

    cargo xtask bench ranges [--rounds N] [REGEX]

One thread. Sides take turns, answers are compared first, and a row gives the least time of each side and ours as a ratio of the best
of the others. Needs NumPy; libraries that are not installed are left out and named.
"""

import numpy as np
import turns

import takewise as tw

torch, pa, sparse, numba, flox = (turns.library(name) for name in ("torch", "pyarrow", "scipy.sparse", "numba", "flox"))
RANDOM = np.random.default_rng(11)


def offsets_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def looped():
    """A loop over rows and values, as people write it for numba."""

    @numba.njit
    def take(values, offsets, ids):
        count = 0
        for row in ids:
            count += offsets[row + 1] - offsets[row]
        made, edges, at = np.empty(count, values.dtype), np.empty(len(ids) + 1, np.int64), 0
        edges[0] = 0
        for k, row in enumerate(ids):
            for e in range(offsets[row], offsets[row + 1]):
                made[at] = values[e]
                at += 1
            edges[k + 1] = at
        return made, edges

    return take


LOOP = looped() if numba else None


def taking(lengths, count, dtype):
    values = RANDOM.integers(0, 1000, int(lengths.sum())).astype(dtype)
    offsets, ids = offsets_of(lengths), RANDOM.integers(0, len(lengths), count)
    sides = {"takewise": lambda: tw.take_ranges(values, offsets, ids)[0]}
    if numba:
        sides["numba loop"] = lambda: LOOP(values, offsets, ids)[0]
    if pa:
        listed, order = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values)), pa.array(ids)
        sides["pyarrow"] = lambda: listed.take(order).flatten()
    return sides


def rows_of_scipy():
    matrix = sparse.random_array((100_000, 20_000), density=0.0017, format="csr", rng=np.random.default_rng(3), dtype=np.float32)
    ids = RANDOM.integers(0, 100_000, 20_000)
    parts = lambda made: np.concatenate([made.data, made.indices, made.indptr])  # noqa: E731
    return {"takewise": (lambda: tw.take(matrix, ids, axis=0), parts), "SciPy": (lambda: matrix[ids], parts)}


def sums(reduce):
    # No row is empty: libraries differ in what they say of those.
    rows = np.sort(np.concatenate([np.arange(5_000), RANDOM.integers(0, 5_000, 45_000)]))
    values, offsets = RANDOM.random((50_000, 32), np.float32), tw.offsets_of(rows, 5_000)
    full = 0 if reduce == "sum" else -np.inf
    sides = {"takewise": lambda: tw.reduce_ranges(values, offsets, reduce)}
    if torch:
        x, at, edges = torch.from_numpy(values), torch.from_numpy(rows), torch.from_numpy(offsets)
        sides["torch.segment_reduce"] = lambda: torch.segment_reduce(x, reduce, offsets=edges, axis=0, unsafe=True)
        if reduce == "sum":
            sides["torch index_add"] = lambda: torch.zeros(5_000, 32).index_add_(0, at, x)
        else:
            sides["torch index_reduce"] = lambda: torch.full((5_000, 32), full).index_reduce_(0, at, x, "amax")
    if flox:
        sides["flox"] = lambda: flox.groupby_reduce(values.T, rows, func=reduce)[0].T
    ufunc = np.add if reduce == "sum" else np.maximum
    if (np.diff(offsets) > 0).all():
        sides["NumPy reduceat"] = lambda: ufunc.reduceat(values, offsets[:-1], axis=0)
    return sides


def bags():
    table, ids = RANDOM.random((100_000, 64), np.float32), RANDOM.integers(0, 100_000, 200_000)
    offsets = np.arange(0, 200_001, 20)
    sides = {"takewise": lambda: tw.reduce_ranges(table, offsets, "sum", ids)}
    if torch:
        weight, at, edges = torch.from_numpy(table), torch.from_numpy(ids), torch.from_numpy(offsets)
        bag = torch.nn.functional.embedding_bag
        sides["torch embedding_bag"] = lambda: bag(at, weight, edges, mode="sum", include_last_offset=True)
    return sides


def padding():
    lengths = RANDOM.integers(1, 513, 4_096)
    values, offsets = RANDOM.random(int(lengths.sum()), np.float32), offsets_of(lengths)
    sides = {"takewise": lambda: tw.pad_ranges(values, offsets, 512)}
    if torch:
        rows = torch.from_numpy(values).split(lengths.tolist())
        pad = torch.nn.utils.rnn.pad_sequence
        sides["torch pad_sequence"] = lambda: pad(rows, batch_first=True)
    return sides


def strings():
    lengths = RANDOM.integers(3, 12, 1_000_000)
    letters = RANDOM.integers(97, 123, int(lengths.sum())).astype(np.uint8)
    edges, ids = offsets_of(lengths), RANDOM.integers(0, 1_000_000, 1_000_000)
    column = pa.LargeStringArray.from_buffers(1_000_000, pa.py_buffer(edges), pa.py_buffer(letters))
    order = pa.array(ids)
    flat = lambda made: np.frombuffer(made.buffers()[2], np.uint8)  # noqa: E731
    return {
        "takewise": lambda: tw.take_ranges(letters, edges, ids)[0],
        "takewise.take of the column": (lambda: tw.take(column, ids), lambda made: flat(made)[: int(np.diff(edges)[ids].sum())]),
        "pyarrow": (lambda: column.take(order), lambda made: flat(made)[: int(np.diff(edges)[ids].sum())]),
    }


MIXED = np.maximum(1, RANDOM.geometric(1 / 34.5, 100_000))
ROWS = {
    "take 20,000 of 100,000 rows, 34 values each, f32": lambda: taking(MIXED, 20_000, np.float32),
    "take 20,000 of 100,000 rows, 34 values each, i64": lambda: taking(MIXED, 20_000, np.int64),
    "take 20,000 of 100,000 rows of 1 to 8, f32": lambda: taking(RANDOM.integers(1, 9, 100_000), 20_000, np.float32),
    "take 2,000 of 10,000 rows of 1,000, f32": lambda: taking(np.full(10_000, 1_000), 2_000, np.float32),
    "SciPy's A[rows], 20,000 of 100,000": rows_of_scipy if sparse else None,
    "sum of sorted rows, 50,000 x 32 into 5,000": lambda: sums("sum"),
    "max of sorted rows, 50,000 x 32 into 5,000": lambda: sums("max"),
    "gather and sum, 10,000 bags of 20, 64 wide": bags,
    "pad 4,096 sequences to 512": padding,
    "1,000,000 short strings at random": strings if pa else None,
}

turns.run(ROWS)
