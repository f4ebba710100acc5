"""The same work by takewise and by libraries that people choose between: numba, polars, numpy_groupies, torch_scatter, einx, tensorstore
and zarr-indexing, with NumPy and PyTorch beside them.

    cargo xtask bench choosers [--rounds N] [REGEX]

One thread. Sides take turns, answers are compared first. Needs NumPy; libraries that are not installed are left out and named.
"""

import warnings

import numpy as np
import turns

import takewise as tw

NAMES = ("numba", "polars", "numpy_groupies", "torch", "torch_scatter", "einx", "tensorstore", "zarr_indexing")
numba, pl, npg, torch, scatter, einx, ts, zi = map(turns.library, NAMES)
RANDOM = np.random.default_rng(5)
# PyTorch says of `index_reduce_` that it is in beta.
warnings.filterwarnings("ignore", "index_reduce")


def loops():
    """Loops as people write them for numba: none checks an index."""

    class Loops:
        @numba.njit
        def rows(x, ids):
            made = np.empty((len(ids), x.shape[1]), x.dtype)
            for k, row in enumerate(ids):
                made[k] = x[row]
            return made

        @numba.njit
        def gather(x, index):
            made = np.empty(index.shape, x.dtype)
            for row in range(index.shape[0]):
                for k in range(index.shape[1]):
                    made[row, k] = x[row, index[row, k]]
            return made

        @numba.njit
        def take(x, ids):
            made = np.empty(len(ids), x.dtype)
            for k, at in enumerate(ids):
                made[k] = x[at]
            return made

        @numba.njit
        def select(x, mask):
            made, at = np.empty(len(x), x.dtype), 0
            for k in range(len(x)):
                if mask[k]:
                    made[at] = x[k]
                    at += 1
            return made[:at].copy()

        @numba.njit
        def sums(values, groups, count):
            made = np.zeros(count, values.dtype)
            for k, group in enumerate(groups):
                made[group] += values[k]
            return made

        @numba.njit
        def most(values, groups, count):
            made = np.full(count, -np.inf, values.dtype)
            for k, group in enumerate(groups):
                made[group] = max(made[group], values[k])
            return made

    return Loops


LOOP = loops() if numba else None


def present(**sides):
    """The sides whose library is installed: each comes with the library that it needs."""
    return {name.replace("_", " "): call for name, (needs, call) in sides.items() if needs}


def rows(count, wanted, width):
    x, ids = RANDOM.random((count, width), np.float32), RANDOM.integers(0, count, wanted)
    tx, ti = (torch.from_numpy(x), torch.from_numpy(ids)) if torch else (None, None)
    stored, lazy = ts and ts.array(x), zi and zi.LazyArray.from_numpy(x)
    return present(
        takewise=(tw, lambda: tw.take(x, ids, axis=0)),
        NumPy=(np, lambda: np.take(x, ids, axis=0)),
        PyTorch=(torch, lambda: torch.index_select(tx, 0, ti)),
        numba_loop=(numba, lambda: LOOP.rows(x, ids)),
        einx=(einx, lambda: einx.get_at("[n] d, i -> i d", x, ids)),
        tensorstore=(ts, lambda: stored[ids].read().result()),
        zarr_indexing=(zi, lambda: lazy.oindex[ids].result()),
    )


def gather():
    x, index = RANDOM.random((10_000, 100), np.float32), RANDOM.integers(0, 100, (10_000, 100))
    tx, ti = (torch.from_numpy(x), torch.from_numpy(index)) if torch else (None, None)
    return present(
        takewise=(tw, lambda: tw.gather(x, 1, index)),
        NumPy=(np, lambda: np.take_along_axis(x, index, 1)),
        PyTorch=(torch, lambda: torch.gather(tx, 1, ti)),
        numba_loop=(numba, lambda: LOOP.gather(x, index)),
        einx=(einx, lambda: einx.get_at("b [n], b i -> b i", x, index)),
    )


def outer():
    x = RANDOM.random((4_000, 4_000), np.float32)
    i, j = RANDOM.integers(0, 4_000, 500), RANDOM.integers(0, 4_000, 500)
    stored, lazy = ts and ts.array(x), zi and zi.LazyArray.from_numpy(x)
    return present(
        takewise=(tw, lambda: tw.oindex(x, (i, j))),
        NumPy=(np, lambda: x[np.ix_(i, j)]),
        tensorstore=(ts, lambda: stored.oindex[i, j].read().result()),
        zarr_indexing=(zi, lambda: lazy.oindex[i, j].result()),
    )


def column():
    x, ids = RANDOM.random(1_000_000), RANDOM.integers(0, 1_000_000, 1_000_000)
    s, si = (pl.Series(x), pl.Series(ids)) if pl else (None, None)
    return present(
        takewise=(tw, lambda: tw.take(x, ids)),
        NumPy=(np, lambda: np.take(x, ids)),
        polars=(pl, lambda: s.gather(si)),
        numba_loop=(numba, lambda: LOOP.take(x, ids)),
    )


def mask():
    x = RANDOM.random(1_000_000)
    keep = x < 0.5
    s, sk = (pl.Series(x), pl.Series(keep)) if pl else (None, None)
    return present(
        takewise=(tw, lambda: tw.masked_select(x, keep)),
        NumPy=(np, lambda: x[keep]),
        polars=(pl, lambda: s.filter(sk)),
        numba_loop=(numba, lambda: LOOP.select(x, keep)),
    )


def search():
    x, values = np.sort(RANDOM.random(1_000_000)), RANDOM.random(1_000_000)
    s, sv = (pl.Series(x), pl.Series(values)) if pl else (None, None)
    return present(
        takewise=(tw, lambda: tw.searchsorted(x, values)),
        NumPy=(np, lambda: np.searchsorted(x, values)),
        polars=(pl, lambda: s.search_sorted(sv, "left")),
    )


def ours(reduce, shape, of, values):
    if reduce == "sum":
        return tw.index_add(np.zeros(shape, values.dtype), 0, of, values)
    return tw.index_reduce(np.full(shape, -np.inf, values.dtype), 0, of, values, "amax")


def of_torch(reduce, shape, of, values):
    if reduce == "sum":
        return torch.zeros(shape, dtype=values.dtype).index_add_(0, of, values)
    return torch.full(shape, -np.inf, dtype=values.dtype).index_reduce_(0, of, values, "amax")


def groups(reduce, count):
    values, of = RANDOM.random(1_000_000), RANDOM.integers(0, count, 1_000_000)
    of[:count] = np.arange(count)
    frame = pl and pl.DataFrame({"of": of, "values": values})
    tv, to = (torch.from_numpy(values), torch.from_numpy(of)) if torch else (None, None)
    loop = {"sum": LOOP.sums, "max": LOOP.most}[reduce] if numba else None
    column = pl and getattr(pl.col("values"), reduce)()
    sides = present(
        takewise=(tw, lambda: ours(reduce, (count,), of, values)),
        PyTorch=(torch, lambda: of_torch(reduce, (count,), to, tv)),
        numpy_groupies_of_NumPy=(npg, lambda: npg.aggregate_np(of, values, func=reduce, size=count)),
        numpy_groupies_of_numba=(npg and numba, lambda: npg.aggregate_nb(of, values, func=reduce, size=count)),
        torch_scatter=(scatter, lambda: scatter.scatter(tv, to, 0, dim_size=count, reduce=reduce)),
        numba_loop=(numba, lambda: loop(values, of, count)),
    )
    if pl:
        sorted_by_group = lambda made: made.sort("of")["values"].to_numpy()  # noqa: E731
        sides["polars"] = (lambda: frame.group_by("of").agg(column), sorted_by_group)
    return sides


def groups_of_rows(reduce):
    x, of = RANDOM.random((100_000, 32), np.float32), RANDOM.integers(0, 5_000, 100_000)
    of[:5_000] = np.arange(5_000)
    tx, to = (torch.from_numpy(x), torch.from_numpy(of)) if torch else (None, None)
    return present(
        takewise=(tw, lambda: ours(reduce, (5_000, 32), of, x)),
        PyTorch=(torch, lambda: of_torch(reduce, (5_000, 32), to, tx)),
        torch_scatter=(scatter, lambda: scatter.scatter(tx, to, 0, dim_size=5_000, reduce=reduce)),
        numpy_groupies_of_NumPy=(npg, lambda: npg.aggregate_np(of, x, func=reduce, size=5_000, axis=0)),
        numpy_groupies_of_numba=(npg and numba, lambda: npg.aggregate_nb(of, x, func=reduce, size=5_000, axis=0)),
    )


turns.run(
    {
        "rows, 50,000 of 100,000 x 64, f32": lambda: rows(100_000, 50_000, 64),
        "rows, 10 of 100 x 64, f32": lambda: rows(100, 10, 64),
        "an element of each row: gather, 10,000 x 100, f32": gather,
        "rows by columns: outer, 500 x 500 of 4,000 x 4,000": outer,
        "a column, 1,000,000 of 1,000,000 in any order, f64": column,
        "a mask of 1,000,000, half of it, f64": mask,
        "a search of 1,000,000 in 1,000,000, f64": search,
        "sum by group, 1,000,000 into 1,000, f64": lambda: groups("sum", 1_000),
        "sum by group, 1,000,000 into 500,000, f64": lambda: groups("sum", 500_000),
        "max by group, 1,000,000 into 1,000, f64": lambda: groups("max", 1_000),
        "sum of rows by group, 100,000 x 32 into 5,000, f32": lambda: groups_of_rows("sum"),
        "max of rows by group, 100,000 x 32 into 5,000, f32": lambda: groups_of_rows("max"),
    }
)
