"""Every indexing function of PyTorch and NumPy, of every dtype, beside ours: where is takewise behind?

`peers.py` measures chosen workloads well. This looks at some thousand calls shortly, to find those that nobody chose:

    cargo xtask bench sweep [--least RATIO] [--side N] [--rounds N] [--threads N] [REGEX]

A call's ratio is the least of takewise's times by the least of the library's, in turns, on arrays of N x N elements (1024).
Calls whose ratio is at least RATIO (1.1) are printed, the worst first, after a line of how many there were. Answers are
compared before anything is timed. With so few rounds ratios within a third of 1 say little; what is behind by more is worth
a profile. NumPy and PyTorch take part as far as they are installed.
"""

import argparse
import re
import time

import numpy as np

import takewise
import takewise.numpy as ours_numpy

try:
    import takewise.torch as ours_torch
    import torch
except ImportError:
    torch = None

RANDOM = np.random.default_rng(0)
KINDS = ("u1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "b1")
MODES = ("sum", "prod", "mean", "amax", "amin")


def values(shape, kind):
    """Random numbers of a dtype: small integers, or floats below 1."""
    kind = np.dtype(kind)
    if kind.kind in "fc":
        return RANDOM.random(shape, "f8").astype(kind)
    return RANDOM.integers(0, 2 if kind.kind == "b" else 100, shape).astype(kind)


def torch_calls(side, kind):
    """Name and call of what PyTorch and `takewise.torch` both have; the call is given the library."""
    name, bfloat = kind, kind == "bf16"
    dtype = torch.bfloat16 if bfloat else torch.from_numpy(values(1, kind)).dtype

    def made(*shape):
        array = torch.from_numpy(values(shape, "f4" if bfloat else kind))
        return array.to(dtype)

    def places(*shape, below=side):
        return torch.from_numpy(RANDOM.integers(0, below, shape))

    x, s, one = made(side, side), made(side, side), made(1)[0]
    flat, source = x.reshape(-1), s.reshape(-1)
    across, along, points = places(side, side), places(side), places(side * side, below=side * side)
    # Which of several values stays PyTorch leaves to its threads.
    once, each = (torch.from_numpy(RANDOM.permutation(n)) for n in (side, side * side))
    mask, row = torch.from_numpy(values((side, side), "b1")), torch.from_numpy(values(side, "b1"))
    for axis in (0, 1):
        yield f"gather {axis}", lambda t, a=axis: t.gather(x, a, across)
        yield f"take_along_dim {axis}", lambda t, a=axis: t.take_along_dim(x, across, a)
        yield f"index_select {axis}", lambda t, a=axis: t.index_select(x, a, along)
        yield f"index_add {axis}", lambda t, a=axis: t.index_add(x, a, along, s)
        yield f"index_copy {axis}", lambda t, a=axis: t.index_copy(x, a, once, s)
        yield f"index_fill {axis}", lambda t, a=axis: t.index_fill(x, a, along, one)
        yield f"scatter {axis}", lambda t, a=axis: t.scatter(x, a, across, s)
        yield f"scatter {axis}, value", lambda t, a=axis: t.scatter(x, a, across, 1)
        yield f"scatter_add {axis}", lambda t, a=axis: t.scatter_add(x, a, across, s)
        for mode in MODES:
            for own in (True, False):
                yield (
                    f"scatter_reduce {axis} {mode}, include_self={own}",
                    lambda t, a=axis, m=mode, o=own: t.scatter_reduce(x, a, across, s, m, include_self=o),
                )
            if mode != "sum":
                yield f"index_reduce {axis} {mode}", lambda t, a=axis, m=mode: t.index_reduce(x, a, along, s, m)
    yield "take", lambda t: t.take(x, points)
    yield "index_put", lambda t: t.index_put(flat, (each,), source)
    yield "index_put, accumulate", lambda t: t.index_put(flat, (points,), source, accumulate=True)
    yield "index_put, rows", lambda t: t.index_put(x, (once,), s)
    yield "index_put, rows, accumulate", lambda t: t.index_put(x, (along,), s, accumulate=True)
    yield "index_add, 1-d", lambda t: t.index_add(flat, 0, points, source)
    for text, m in (("", mask), (", row", row), (", column", row[:, None])):
        yield f"masked_fill{text}", lambda t, m=m: t.masked_fill(x, m, one)
        yield f"masked_select{text}", lambda t, m=m: t.masked_select(x, m)
        yield f"masked_scatter{text}", lambda t, m=m: t.masked_scatter(x, m, s)
        yield f"where{text}", lambda t, m=m: t.where(m, x, s)
    yield "nonzero", lambda t: t.nonzero(x)
    yield "nonzero, 1-d", lambda t: t.nonzero(flat)
    if dtype.is_complex or dtype == torch.bool:
        return
    sequence, lanes = flat.sort().values, x.sort(1).values
    order, edges = torch.argsort(flat), sequence[:: max(1, side * side // 64)].contiguous()
    yield "searchsorted", lambda t: t.searchsorted(sequence, source)
    yield "searchsorted, right, int32", lambda t: t.searchsorted(sequence, source, right=True, out_int32=True)
    yield "searchsorted, sorter", lambda t: t.searchsorted(flat, source, sorter=order)
    yield "searchsorted, few values", lambda t: t.searchsorted(sequence, source[:1000])
    yield "searchsorted, few values, sorter", lambda t: t.searchsorted(flat, source[:1000], sorter=order)
    yield "searchsorted, lanes", lambda t: t.searchsorted(lanes, s)
    yield "searchsorted, lanes, few values", lambda t: t.searchsorted(lanes, s[:, :4].contiguous())
    yield "bucketize", lambda t: t.bucketize(x, edges)


def written(do):
    """A call that writes to a copy of an array, and gives that."""

    def call(x, *rest):
        do(x, *rest)
        return x

    return call


def numpy_calls(side, kind):
    """Name, NumPy's call, ours, and the arrays; the first is copied for each if the call writes."""
    x, s = values((side, side), kind), values((side, side), kind)
    flat, source = x.reshape(-1), s.reshape(-1)
    along, across = RANDOM.integers(0, side, side), RANDOM.integers(0, side, (side, side))
    points, signs = RANDOM.integers(0, side * side, side * side), RANDOM.integers(-side, side, (side, side))
    mask, row, tn = values((side, side), "b1"), values(side, "b1"), ours_numpy
    keys = {
        "x[i]": along, "x[i, j]": (across, signs), "x[:, i]": (slice(None), along), "x[i[:, None], i]": (along[:, None], along),
        "x[mask]": mask, "x[row mask]": row, "x[:, mask]": (slice(None), row), "x[i, ::2]": (along, slice(None, None, 2)),
        "x[None, i]": (None, along), "x[-signs]": signs[0],
    }  # fmt: skip
    for text, key in keys.items():
        yield text, lambda x, key=key: x[key], lambda x, key=key: tn.index(x, key), [x], False
        value = values(x[key].shape, kind)
        for what, v in (("v", value), ("scalar", value.reshape(-1)[0]), ("row", value[..., :1])):
            yield (
                f"{text} = {what}", written(lambda x, v, key=key: x.__setitem__(key, v)),
                written(lambda x, v, key=key: tn.setindex(x, key, v)), [x, v], True,
            )  # fmt: skip
        if "mask" not in text and kind != "b1":
            add, ours = lambda x, v, key=key: np.add.at(x, key, v), lambda x, v, key=key: tn.add_at(x, key, v)
            yield f"add.at {text}", written(add), written(ours), [x, value], True
    for mode in ("raise", "wrap", "clip"):
        far = points if mode == "raise" else points * 3 - side * side
        yield f"take, {mode}", *(lambda x, i, n=n, m=mode: n.take(x, i, mode=m) for n in (np, tn)), [flat, far], False
        puts = (written(lambda x, i, v, n=n, m=mode: n.put(x, i, v, mode=m)) for n in (np, tn))
        yield f"put, {mode}", *puts, [flat, far, source], True
    for axis in (0, 1):
        yield f"take {axis}", *(lambda x, n=n, a=axis: n.take(x, along, axis=a) for n in (np, tn)), [x], False
        yield f"take_along_axis {axis}", *(lambda x, n=n, a=axis: n.take_along_axis(x, signs, a) for n in (np, tn)), [x], False
        puts = (written(lambda x, v, n=n, a=axis: n.put_along_axis(x, across, v, a)) for n in (np, tn))
        yield f"put_along_axis {axis}", *puts, [x, s], True
    yield "nonzero", *(lambda x, n=n: n.nonzero(x) for n in (np, tn)), [x], False
    yield "where", *(lambda m, x, s, n=n: n.where(m, x, s) for n in (np, tn)), [mask, x, s], False
    if kind[0] in "uif":
        sequence = np.sort(flat)
        yield "searchsorted", *(lambda q, v, n=n: n.searchsorted(q, v) for n in (np, tn)), [sequence, source], False
        yield "searchsorted, few", *(lambda q, v, n=n: n.searchsorted(q, v) for n in (np, tn)), [sequence, source[:999]], False


def plain(answer):
    """An answer, or several, as NumPy arrays of f8 or complex numbers."""
    if isinstance(answer, tuple):
        return [a for part in answer for a in plain(part)]
    if torch and isinstance(answer, torch.Tensor):
        answer = answer.to(torch.complex128 if answer.dtype.is_complex else torch.float64).numpy()
    array = np.asarray(answer)
    return [array.astype("c16" if array.dtype.kind == "c" else "f8")]


def least(calls, rounds):
    """The least time of each call, in turns; with several threads turns are a pause apart, in which waiting ones fall asleep."""
    best = [float("inf")] * len(calls)
    pause = 0.02 if takewise.get_num_threads() > 1 else 0
    for turn in range(rounds + 1):
        for k, call in enumerate(calls):
            time.sleep(pause)
            start = time.perf_counter()
            call()
            spent = time.perf_counter() - start
            if turn > 0:
                best[k] = min(best[k], spent)
    return best


def cases(side):
    """Name, their call and ours, of a list of arrays, and what makes this."""
    for kind in KINDS:
        for name, theirs, ours, arrays, writes in numpy_calls(side, kind):

            def fresh(arrays=arrays, writes=writes):
                return [a.copy() if writes and k == 0 else a for k, a in enumerate(arrays)]

            yield f"numpy {kind}: {name}", lambda a, f=theirs: f(*a), lambda a, f=ours: f(*a), fresh
    for kind in (*KINDS, "bf16") if torch else ():
        for name, call in torch_calls(side, kind):
            yield f"torch {kind}: {name}", lambda _, f=call: f(torch), lambda _, f=call: f(ours_torch), list


def measured(name, theirs, ours, fresh, rounds):
    """Ratio and both times, on the same arrays; `None` where the library refuses the call."""
    try:
        wanted = plain(theirs(fresh()))
    except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError):
        return None
    got = plain(ours(fresh()))
    alike = len(wanted) == len(got) and all(
        np.allclose(a, b, rtol=2e-2, atol=1, equal_nan=True) for a, b in zip(wanted, got, strict=True)
    )
    if not alike:
        raise SystemExit(f"{name}: the answers differ")
    arrays = fresh()
    their_time, our_time = least((lambda: theirs(arrays), lambda: ours(arrays)), rounds)
    return our_time / their_time, our_time, their_time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=float, default=1.1, help="the ratio from which a call is printed")
    parser.add_argument("--side", type=int, default=1024, help="arrays have so many rows and columns")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("regex", nargs="?", default="", help="calls whose name it finds")
    given = parser.parse_args()
    takewise.set_num_threads(given.threads)
    if torch:
        torch.set_num_threads(given.threads)
    rows = []
    for name, theirs, ours, fresh in cases(given.side):
        if re.search(given.regex, name):
            found = measured(name, theirs, ours, fresh, given.rounds)
            if found:
                rows.append((*found, name))
    behind = [row for row in rows if row[0] >= given.least]
    print(f"{len(rows)} calls, {given.side} x {given.side}, {given.threads} thread(s): {len(behind)} at {given.least} or more")
    for ratio, own, other, name in sorted(behind, reverse=True):
        print(f"{ratio:7.2f}  {name:52} {own * 1e3:9.3f} ms by {other * 1e3:9.3f}")


if __name__ == "__main__":
    main()
