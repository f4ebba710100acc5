"""Every family at several sizes beside the libraries people use: NumPy, PyTorch, JAX, Numba and Arrow.

    cargo xtask bench peers [--threads N] [--size small|medium|large] [--engines LIST] [--markdown] [REGEX]
    cargo xtask bench smoke

A row is one workload. All engines work on the same arrays (PyTorch and takewise on the very memory, JAX and Arrow on
copies made before), take turns round by round in changing order, and have to give takewise's answer before they are
timed. A cell is nanoseconds per element, the median of the rounds; `ratio` is takewise by the best of the others, so
below 1 it is ahead; `noise` is the largest interquartile range of the row, as a part of its median; `copy` is the share
of this machine's copy bandwidth that takewise reaches on the bytes that have to move (indices, what they name, and the
result, once each).

Bias: outputs are fresh, as in programs, but for writes, which work in place; JAX runs compiled functions of known shapes
and gives its buffers away in updates; Numba runs loops with the checks a careful user writes; Arrow takes part where flat
arrays express the operation. One thread is bound to one processor; with several, turns wait until idle threads sleep.
"""

import argparse
import os
import re
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--size", default="medium", choices=["small", "medium", "large"])
parser.add_argument("--engines", default="numpy,torch,jax,numba,arrow", help="the others, separated by commas")
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--markdown", action="store_true", help="print a table for a document")
parser.add_argument("--smoke", action="store_true", help="only one row of each family: the table beside the newest libraries in docs/BENCHMARKS.md")
parser.add_argument("pattern", nargs="?", default="", help="only workloads whose name matches")
GIVEN = parser.parse_args()

if GIVEN.threads == 1 and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "TAKEWISE_NUM_THREADS"):
    os.environ[name] = str(GIVEN.threads)
if GIVEN.threads == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import numpy as np  # noqa: E402
from machine import bandwidth  # noqa: E402

import takewise as tw  # noqa: E402

WANTED = GIVEN.engines.split(",")


def library(engine, module):
    """The module of an engine that is asked for and installed."""
    try:
        return __import__(module, fromlist=["_"]) if engine in WANTED else None
    except ImportError:
        return None


torch = library("torch", "torch")
jax = library("jax", "jax")
numba = library("numba", "numba")
arrow = library("arrow", "pyarrow")
if torch:
    torch.set_num_threads(GIVEN.threads)
if jax:
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
if arrow:
    arrow.set_cpu_count(GIVEN.threads)
tw.set_num_threads(GIVEN.threads)

SCALE = {"small": 1 << 12, "medium": 1 << 20, "large": 1 << 24}[GIVEN.size]
RANDOM = np.random.default_rng(7)
LINE = 64


def values(shape, dtype="f4"):
    kind = np.dtype(dtype)
    return RANDOM.random(shape, "f4").astype(kind) if kind.kind == "f" else RANDOM.integers(0, 100, shape).astype(kind)


def indices(shape, below, dtype="i8"):
    return RANDOM.integers(0, below, shape).astype(dtype)


def lines(source, count, width):
    """Bytes of `source` that `count` reads of `width` bytes bring in at least."""
    return min(source, count * max(LINE, width))


class Case:
    """A workload: its elements, the bytes that have to move, and a call for every engine that can do it.

    Calls take the arrays in the order given; `donate` names the one JAX may reuse, which an in-place call writes.
    """

    def __init__(self, name, arrays, elements, moved, donate=None, **calls):
        self.name, self.arrays, self.elements, self.moved, self.donate = name, arrays, elements, moved, donate
        self.calls = calls

    def prepared(self, engine):
        """A function without arguments that does the work; `None` where the engine cannot."""
        call = self.calls.get(engine)
        if call is None:
            return None
        own = [a.copy() if k == self.donate else a for k, a in enumerate(self.arrays)]
        if engine == "torch" and torch:
            own = [torch.from_numpy(a) for a in own]
        elif engine == "jax" and jax:
            own = [jnp.array(a) for a in own]
            compiled = jax.jit(call, donate_argnums=() if self.donate is None else (self.donate,))

            def run():
                answer = compiled(*own).block_until_ready()
                if self.donate is not None:
                    own[self.donate] = answer
                return answer

            return run
        elif engine == "numba" and numba:
            call = compiled_loop(call)
        elif engine == "arrow" and arrow:
            own = [arrow.array(a) for a in own]
        elif engine not in ("numpy", "takewise"):
            return None
        return lambda: call(*own)


# One row of each family, a minute or two in all.
SMOKE = (
    "take from 1 MiB, f4 by i8", "rows of 64", "gather along 1, f4 by i8", "gather along 0, f4 by i8", "x[i, j]", "x[mask], 50 %",
    "x[mask] = 0, 50 %", "x[i] = v into 4 MiB", "scatter_add into 4 MiB", "scatter_reduce amax", "searchsorted in 1048576, f4",
)  # fmt: skip

LOOPS = {}


def compiled_loop(function):
    if function not in LOOPS:
        LOOPS[function] = numba.njit(nogil=True)(function)
    return LOOPS[function]


def place(k, n):
    """The loops of Numba: an index from the front, or an error."""
    if k < 0:
        k += n
    if k < 0 or k >= n:
        raise IndexError("outside")
    return k


if numba:
    place = numba.njit(inline="always")(place)


def loop_take(x, i):
    out = np.empty(i.size, x.dtype)
    for k in range(i.size):
        out[k] = x[place(i[k], x.size)]
    return out


def loop_rows(x, i):
    out = np.empty((i.size, x.shape[1]), x.dtype)
    for k in range(i.size):
        out[k] = x[place(i[k], x.shape[0])]
    return out


def loop_gather_last(x, i):
    out = np.empty(i.shape, x.dtype)
    for r in range(i.shape[0]):
        for c in range(i.shape[1]):
            out[r, c] = x[r, place(i[r, c], x.shape[1])]
    return out


def loop_gather_first(x, i):
    out = np.empty(i.shape, x.dtype)
    for r in range(i.shape[0]):
        for c in range(i.shape[1]):
            out[r, c] = x[place(i[r, c], x.shape[0]), c]
    return out


def loop_select(x, mask):
    count = 0
    for k in range(mask.size):
        count += mask[k]
    out = np.empty(count, x.dtype)
    at = 0
    for k in range(mask.size):
        if mask[k]:
            out[at] = x[k]
            at += 1
    return out


def loop_put(x, i, v):
    for k in range(i.size):
        x[place(i[k], x.size)] = v[k]
    return x


def loop_add(x, i, v):
    for k in range(i.size):
        x[place(i[k], x.size)] += v[k]
    return x


def loop_fill(x, mask):
    for k in range(mask.size):
        if mask[k]:
            x[k] = 0
    return x


def loop_add_rows(x, i, v):
    for k in range(i.size):
        x[place(i[k], x.shape[0])] += v[k]
    return x


def arrow_compute(name):
    return None if arrow is None else getattr(__import__("pyarrow.compute", fromlist=["_"]), name)


def takes():
    n = SCALE
    places = (("from 16 KiB", 1 << 12), ("from 1 MiB", 1 << 18), ("from 64 MiB", 1 << 24))
    kinds = (("f4", "i8"), ("f4", "i4"), ("f8", "i8"), ("u1", "i8"), ("f2", "i8"))
    for text, length in places:
        for dtype, index in kinds if length == 1 << 18 else kinds[:1]:
            x, i = values(length, dtype), indices(n, length, index)
            moved = i.nbytes + lines(x.nbytes, n, x.itemsize) + n * x.itemsize
            half = dtype == "f2"
            taken = None if half else arrow_compute("take")
            yield Case(
                f"take {text}, {dtype} by {index}", [x, i], n, moved,
                takewise=tw.take, numpy=lambda x, i: x.take(i),
                torch=(lambda x, i: x[i]) if index == "i4" else lambda x, i: torch.take(x, i),
                jax=lambda x, i: x[i], numba=None if half else loop_take, arrow=taken and (lambda x, i: taken(x, i)),
            )  # fmt: skip
    x, i = values(1 << 18), indices(2 * n, 1 << 18)
    moved = i.nbytes // 2 + lines(x.nbytes, n, 4) + 4 * n
    for mode in ("clip", "wrap"):
        wide = i[:n] * 2 - (1 << 18)
        yield Case(
            f"take from 1 MiB, mode {mode}", [x, wide], n, moved,
            takewise=lambda x, i, mode=mode: tw.take(x, i, bounds=mode, negative=mode == "wrap"),
            numpy=lambda x, i, mode=mode: x.take(i, mode=mode), jax=lambda x, i, mode=mode: jnp.take(x, i, mode=mode),
        )  # fmt: skip
    yield Case(
        "take from 1 MiB, every other index", [x, i], n, moved,
        takewise=lambda x, i: tw.take(x, i[::2]), numpy=lambda x, i: x.take(i[::2]),
        torch=lambda x, i: torch.take(x, i[::2]), jax=lambda x, i: x[i[::2]],
    )  # fmt: skip
    for width in (1, 4, 16, 64, 1024):
        count = max(SCALE // width, 4)
        x, i = values((1 << 18 if width < 1024 else 1 << 13, width)), indices(count, 1 << 18 if width < 1024 else 1 << 13)
        moved = i.nbytes + lines(x.nbytes, count, 4 * width) + 4 * count * width
        yield Case(
            f"rows of {width}", [x, i], count * width, moved,
            takewise=lambda x, i: tw.take(x, i, axis=0), numpy=lambda x, i: x.take(i, axis=0),
            torch=lambda x, i: x.index_select(0, i), jax=lambda x, i: x[i], numba=loop_rows,
        )  # fmt: skip


def gathers():
    side = int(SCALE**0.5)
    for dtype, index in (("f4", "i8"), ("f4", "i4"), ("f8", "i8"), ("u1", "i8"), ("f2", "i8")):
        x, i = values((side, side), dtype), indices((side, side), side, index)
        for axis, loop in ((1, loop_gather_last), (0, loop_gather_first)):
            numpy, jaxed, torched = along(axis)
            yield Case(
                f"gather along {axis}, {dtype} by {index}", [x, i], x.size, i.nbytes + 2 * x.nbytes,
                takewise=lambda x, i, axis=axis: tw.gather(x, axis, i), numpy=numpy, jax=jaxed,
                torch=torched if index == "i8" else None, numba=loop if dtype != "f2" else None,
            )  # fmt: skip
    x, i = values((16, side // 4, side // 4)), indices((16, side // 4, side // 4), side // 4)
    numpy, jaxed, torched = along(1)
    yield Case(
        "gather along the middle axis", [x, i], x.size, i.nbytes + 2 * x.nbytes,
        takewise=lambda x, i: tw.gather(x, 1, i), numpy=numpy, jax=jaxed, torch=torched,
    )  # fmt: skip


def along(axis):
    return (
        lambda x, i: np.take_along_axis(x, i, axis),
        lambda x, i: jnp.take_along_axis(x, i, axis),
        lambda x, i: torch.gather(x, axis, i),
    )


def subscripts():
    side, n = int(SCALE**0.5), SCALE
    x, i, j = values((side, side)), indices(n, side), indices(n, side)
    few = indices(side, side)
    subscript = {"numpy": lambda x, *i: x[i], "torch": lambda x, *i: x[i], "jax": lambda x, *i: x[i]}
    yield Case("x[i, j]", [x, i, j], n, 2 * i.nbytes + 8 * n, takewise=lambda x, *i: tw.index(x, i), **subscript)
    for name, key in (("x[:, i]", lambda i: (slice(None), i)), ("x[i[:, None], i]", lambda i: (i[:, None], i))):
        yield Case(
            name, [x, few], side * side, 2 * x.nbytes,
            takewise=lambda x, i, key=key: tw.index(x, key(i)), numpy=lambda x, i, key=key: x[key(i)],
            torch=lambda x, i, key=key: x[key(i)], jax=lambda x, i, key=key: x[key(i)],
        )  # fmt: skip
    for name, view, jaxed in (
        ("transposed copy", lambda x: x.T, lambda x: x.T.copy()),
        ("copy of x[::2, ::-1]", lambda x: x[::2, ::-1], lambda x: x[::2, ::-1].copy()),
        ("copy of x[:, ::3]", lambda x: x[:, ::3], lambda x: x[:, ::3].copy()),
    ):
        yield Case(
            name, [x], view(x).size, 2 * view(x).nbytes,
            takewise=lambda x, view=view: tw.copy(view(x)), numpy=lambda x, view=view: view(x).copy(), jax=jaxed,
            torch=None if "-1" in name else lambda x, view=view: view(x).contiguous(),
        )  # fmt: skip


def masks():
    n = SCALE
    x, v = values(n), values(n)
    for percent in (1, 50, 99):
        mask = RANDOM.random(n) * 100 < percent
        count = int(mask.sum())
        select = arrow_compute("filter")
        yield Case(
            f"x[mask], {percent} %", [x, mask], n, n + lines(x.nbytes, count, 4) + 4 * count,
            takewise=lambda x, m: tw.index(x, m), numpy=lambda x, m: x[m], torch=lambda x, m: x[m],
            numba=loop_select, arrow=select and (lambda x, m: select(x, m)),
        )  # fmt: skip
        yield Case(
            f"nonzero, {percent} %", [mask], n, n + 8 * count,
            takewise=lambda m: tw.nonzero(m)[:, 0], numpy=lambda m: np.nonzero(m)[0],
            torch=lambda m: torch.nonzero(m)[:, 0],
        )  # fmt: skip
        yield Case(
            f"x[mask] = 0, {percent} %", [x, mask], n, n + 2 * lines(x.nbytes, count, 4), donate=0,
            takewise=lambda x, m: tw.index_set(x, m, 0.0), numpy=lambda x, m: set_numpy(x, m, 0.0),
            torch=lambda x, m: set_numpy(x, m, 0.0), jax=lambda x, m: jnp.where(m, jnp.float32(0), x),
            numba=loop_fill,
        )  # fmt: skip
        yield Case(
            f"masked_fill, {percent} %", [x, mask], n, n + 8 * n,
            takewise=lambda x, m: tw.masked_fill(x, m, 0.0), numpy=lambda x, m: np.where(m, np.float32(0), x),
            torch=lambda x, m: x.masked_fill(m, 0.0), jax=lambda x, m: jnp.where(m, jnp.float32(0), x),
        )  # fmt: skip
    yield Case(
        "where, 50 %", [RANDOM.random(n) < 0.5, x, v], n, n + 12 * n,
        takewise=tw.where, numpy=np.where, torch=lambda m, a, b: torch.where(m, a, b),
        jax=lambda m, a, b: jnp.where(m, a, b),
    )  # fmt: skip


def writes():
    n = SCALE
    for text, length in (("into 16 KiB", 1 << 12), ("into 4 MiB", 1 << 20), ("into 64 MiB", 1 << 24)):
        x, i, v = values(length), indices(n, length), values(n)
        moved = i.nbytes + v.nbytes + 2 * lines(x.nbytes, n, 4)
        yield Case(
            # Values are the same wherever an index is met twice, since not all engines define which of them stays.
            f"x[i] = v {text}", [x, i, i.astype("f4")], n, moved, donate=0,
            takewise=put, numpy=set_numpy, torch=lambda x, i, v: x.index_put_((i,), v), numba=loop_put,
        )  # fmt: skip
        yield Case(
            f"scatter_add {text}", [np.zeros_like(x), i, np.ones_like(v)], n, moved, donate=0,
            takewise=lambda x, i, v: tw.scatter_add_(x, 0, i, v), torch=lambda x, i, v: x.scatter_add_(0, i, v),
            jax=lambda x, i, v: x.at[i].add(v), numba=loop_add, numpy=add_numpy,
        )  # fmt: skip
    x, v, popular = np.zeros(1 << 24, "f4"), np.ones(n, "f4"), RANDOM.zipf(1.2, n) * 2654435761 % (1 << 24)
    for text, i in (("sorted", np.sort(indices(n, 1 << 24))), ("a few popular places", popular)):
        moved = i.nbytes + v.nbytes + 2 * lines(x.nbytes, np.unique(i // 16).size, LINE)
        yield Case(
            f"scatter_add into 64 MiB, {text}", [x, i, v], n, moved, donate=0,
            takewise=lambda x, i, v: tw.scatter_add_(x, 0, i, v), torch=lambda x, i, v: x.scatter_add_(0, i, v),
            jax=lambda x, i, v: x.at[i].add(v), numba=loop_add, numpy=add_numpy,
        )  # fmt: skip
    side = int(n**0.5)
    x, v = np.zeros((side, side), "f4"), np.ones((side, side), "f4")
    unique = np.argsort(RANDOM.random((side, side)), axis=1)
    for axis in (1, 0):
        i = np.ascontiguousarray(unique if axis else unique.T)
        yield Case(
            f"scatter along {axis}", [x, i, values((side, side))], n, i.nbytes + 12 * n, donate=0,
            takewise=lambda x, i, v, axis=axis: tw.scatter_(x, axis, i, v),
            torch=lambda x, i, v, axis=axis: x.scatter_(axis, i, v),
            numpy=lambda x, i, v, axis=axis: np.put_along_axis(x, i, v, axis) or x,
        )  # fmt: skip
        yield Case(
            f"scatter_add along {axis}", [x, i, v], n, i.nbytes + 12 * n, donate=0,
            takewise=lambda x, i, v, axis=axis: tw.scatter_add_(x, axis, i, v),
            torch=lambda x, i, v, axis=axis: x.scatter_add_(axis, i, v),
        )  # fmt: skip
    for width in (4, 64):
        rows = max(n // width, 4)
        x, i, v = np.zeros((rows, width), "f4"), indices(rows, rows), np.ones((rows, width), "f4")
        yield Case(
            f"index_add, rows of {width}", [x, i, v], n, i.nbytes + 12 * n, donate=0,
            takewise=lambda x, i, v: tw.index_add_(x, 0, i, v), torch=lambda x, i, v: x.index_add_(0, i, v),
            jax=lambda x, i, v: x.at[i].add(v), numba=loop_add_rows,
        )  # fmt: skip
    x, i, v = np.zeros((2 * rows, 64), "f4"), RANDOM.permutation(2 * rows)[:rows], values((rows, 64))
    yield Case(
        "x[i] = v, rows of 64", [x, i, v], n, i.nbytes + 12 * n, donate=0,
        takewise=lambda x, i, v: tw.index_set(x, i, v), torch=set_numpy, jax=lambda x, i, v: x.at[i].set(v),
        numpy=set_numpy,
    )  # fmt: skip
    x, i, v = values(n // 4), indices(n, n // 4), values(n)
    for how in ("amax", "mean"):
        yield Case(
            f"scatter_reduce {how}", [x, i, v], n, i.nbytes + 2 * x.nbytes + v.nbytes,
            takewise=lambda x, i, v, how=how: tw.scatter_reduce(x, 0, i, v, how),
            torch=lambda x, i, v, how=how: x.scatter_reduce(0, i, v, how),
        )  # fmt: skip


def put(x, i, v):
    tw.put_(x, i, v)
    return x


def set_numpy(x, i, v):
    x[i] = v
    return x


def add_numpy(x, i, v):
    np.add.at(x, i, v)
    return x


def searches():
    calls = {
        "takewise": lambda s, v: tw.searchsorted(s, v), "numpy": np.searchsorted,
        "torch": lambda s, v: torch.searchsorted(s, v), "jax": lambda s, v: jnp.searchsorted(s, v),
    }  # fmt: skip

    def case(name, s, v):
        return Case(name, [s, v], v.size, v.nbytes + 8 * v.size + s.nbytes, **calls)

    for length in (1 << 10, 1 << 20, 1 << 24):
        if length > SCALE and length > 1 << 10:
            continue
        for dtype in ("f4", "i8"):
            s = np.sort(values(length) if dtype == "f4" else indices(length, 1 << 40))
            q = values(SCALE) if dtype == "f4" else indices(SCALE, 1 << 40)
            for text, v in (("", q), (", sorted values", np.sort(q))):
                yield case(f"searchsorted in {length}, {dtype}{text}", s, v)
    length = min(8 * SCALE, 1 << 25)
    for dtype in ("f4", "f8"):
        s, v = np.sort(values(length, dtype)), values(length // 8, dtype)
        yield case(f"searchsorted in {length}, {dtype}, an eighth as many values", s, v)
    edges, v = np.linspace(0, 1, 64, dtype="f4"), values(SCALE)
    yield Case(
        "bucketize, 64 edges", [edges, v], SCALE, v.nbytes + 8 * SCALE,
        takewise=lambda e, v: tw.bucketize(v, e), numpy=np.searchsorted,
        torch=lambda e, v: torch.bucketize(v, e), jax=lambda e, v: jnp.searchsorted(e, v),
    )  # fmt: skip


FAMILIES = (takes, gathers, subscripts, masks, writes, searches)


def plain(answer):
    """An answer as a NumPy array."""
    if torch and isinstance(answer, torch.Tensor):
        return answer.numpy()
    if arrow and isinstance(answer, arrow.Array):
        return answer.to_numpy(zero_copy_only=False)
    return np.asarray(answer)


def alike(a, b):
    return np.allclose(a, b, rtol=1e-5) if a.dtype.kind == "f" else np.array_equal(a, b)


def timed(call, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def measured(case, engines):
    """Seconds per call of every engine, all rounds."""
    calls, answer = {}, None
    for engine in engines:
        call = case.prepared(engine)
        if call is None:
            continue
        got = plain(call()).copy()
        answer = got if answer is None else answer
        assert alike(answer, got), f"{case.name}: {engine} answers otherwise"
        calls[engine] = call
    rounds = {engine: [] for engine in calls}
    repeats = {engine: max(1, min(10_000, int(0.01 / max(timed(call, 1), 1e-7)))) for engine, call in calls.items()}
    order = list(calls)
    for k in range(GIVEN.rounds):
        for engine in order[k % len(order) :] + order[: k % len(order)]:
            time.sleep(0.02 if GIVEN.threads > 1 else 0)
            calls[engine]()
            rounds[engine].append(timed(calls[engine], repeats[engine]))
    return rounds


def spread(samples):
    quarters = statistics.quantiles(samples, n=4) if len(samples) > 1 else samples * 3
    return (quarters[2] - quarters[0]) / statistics.median(samples)


def main():
    others = [e for e, m in (("numpy", np), ("torch", torch), ("jax", jax), ("numba", numba), ("arrow", arrow)) if m]
    others = [e for e in others if e in WANTED]
    versions = {"numpy": np, "torch": torch, "jax": jax, "numba": numba, "arrow": arrow}
    copy = bandwidth()
    print(f"takewise {tw.__version__};", ", ".join(f"{e} {versions[e].__version__}" for e in others))
    print(f"{GIVEN.threads} thread(s), {GIVEN.size}, copy {copy / 1e9:.1f} GB/s, ns per element\n")
    columns = ["takewise", *others]
    titles = ["workload", *columns, "ratio", "best", "noise", "copy"]
    if GIVEN.markdown:
        print("|", " | ".join(titles), "|")
        print("|", " | ".join(["---"] + ["---:"] * (len(titles) - 1)), "|")
    else:
        print(f"{titles[0]:42}" + "".join(f"{t:>10}" for t in titles[1:]))
    for family in FAMILIES:
        for case in family():
            if not re.search(GIVEN.pattern, case.name) or (GIVEN.smoke and case.name not in SMOKE):
                continue
            rounds = measured(case, columns)
            median = {engine: statistics.median(samples) for engine, samples in rounds.items()}
            ns = {engine: seconds * 1e9 / case.elements for engine, seconds in median.items()}
            best = min((e for e in ns if e != "takewise"), key=ns.get, default=None)
            ratio = f"{ns['takewise'] / ns[best]:.2f}" if best else "-"
            share = f"{case.moved / median['takewise'] / copy:.0%}"
            noise = f"{max(map(spread, rounds.values())):.0%}"
            cells = [f"{ns[e]:.3f}" if e in ns else "-" for e in columns] + [ratio, best or "-", noise, share]
            if GIVEN.markdown:
                print("|", " | ".join([case.name, *cells]), "|", flush=True)
            else:
                print(f"{case.name:42}" + "".join(f"{c:>10}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
