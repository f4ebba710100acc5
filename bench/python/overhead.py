"""What a call costs before any work: each operation on four elements, beside the other library's own call.

    cargo xtask overhead [--rounds N] [--calls N] [REGEX]

Groups: functions of ``takewise`` on NumPy arrays and on torch tensors, methods of ``takewise.Tensor`` beside torch's,
functions of ``takewise.torch`` on torch tensors, and PyTorch's own calls under ``accelerate_torch()``. Ours and theirs
take turns, round by round; a column is nanoseconds per call, the least of the rounds, without the loop's own cost, and
the last one ours by theirs. Answers are compared before anything is measured. Run it with a release build of the package
and nothing else on the machine; only ratios mean something.
"""

import argparse
import contextlib
import functools
import re
import timeit

import numpy as np

import takewise as tw
import takewise.torch as ttw

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

X, I = [10.0, 20.0, 30.0, 40.0], [1, 2, 3, 0]  # noqa: E741
MASK = [True, False, True, True]


def on_numpy():
    x, i, mask = np.array(X, "f4"), np.array(I), np.array(MASK)
    x2, i2 = x.reshape(2, 2), np.array([[1, 0], [0, 0]])
    a, b = x.copy(), x.copy()
    part = slice(1, 3)
    return {
        "gather": (lambda: tw.gather(x, 0, i), lambda: np.take_along_axis(x, i, 0)),
        "gather 2-d": (lambda: tw.gather(x2, 1, i2), lambda: np.take_along_axis(x2, i2, 1)),
        "take": (lambda: tw.take(x, i), lambda: np.take(x, i)),
        "take axis": (lambda: tw.take(x2, i2, axis=1), lambda: np.take(x2, i2, axis=1)),
        "x[index]": (lambda: tw.index(x, i), lambda: x[i]),
        "x[mask]": (lambda: tw.index(x, mask), lambda: x[mask]),
        "x[1:3]": (lambda: tw.index(x, part), lambda: x[part]),
        "nonzero": (lambda: tw.nonzero(x, as_tuple=True)[0], lambda: np.nonzero(x)[0]),
        "where": (lambda: tw.where(mask, x, x), lambda: np.where(mask, x, x)),
        "searchsorted": (lambda: tw.searchsorted(x, x), lambda: np.searchsorted(x, x)),
        "put_along_axis": (lambda: tw.put_along_axis(a, i, 1.0, 0), lambda: np.put_along_axis(b, i, 1.0, 0)),
        "add.at": (lambda: tw.at(a)[i].add_(1.0), lambda: np.add.at(b, i, 1.0) or b),
    }


def on_torch():
    x, i, mask = torch.tensor(X), torch.tensor(I), torch.tensor(MASK)
    x2, i2 = x.reshape(2, 2), torch.tensor([[1, 0], [0, 0]])
    a, b, c = x.clone(), x.clone(), x.clone()
    part = slice(1, 3)
    return {
        "gather": (lambda: tw.gather(x, 0, i), lambda: torch.gather(x, 0, i)),
        "gather 2-d": (lambda: tw.gather(x2, 1, i2), lambda: torch.gather(x2, 1, i2)),
        "take": (lambda: tw.take(x, i), lambda: torch.take(x, i)),
        "index_select": (lambda: tw.index_select(x, 0, i), lambda: torch.index_select(x, 0, i)),
        "x[index]": (lambda: tw.index(x, i), lambda: x[i]),
        "x[mask]": (lambda: tw.index(x, mask), lambda: x[mask]),
        "x[1:3]": (lambda: tw.index(x, part), lambda: x[part]),
        "searchsorted": (lambda: tw.searchsorted(x, x), lambda: torch.searchsorted(x, x)),
        "scatter_": (lambda: tw.scatter_(a, 0, i, 1.0), lambda: b.scatter_(0, i, 1.0)),
        "scatter_add_": (lambda: tw.scatter_add_(a, 0, i, c), lambda: b.scatter_add_(0, i, c)),
        "index_add_": (lambda: tw.index_add_(a, 0, i, c), lambda: b.index_add_(0, i, c)),
    }


def on_tensor():
    x, i, mask = torch.tensor(X), torch.tensor(I), torch.tensor(MASK)
    a, b, c = x.clone(), x.clone(), x.clone()
    y, j, m, d, e, f = (ttw.tensor(v) for v in (X, I, MASK, X, X, X))
    return {
        "t.gather": (lambda: y.gather(0, j), lambda: x.gather(0, i)),
        "t.take": (lambda: y.take(j), lambda: x.take(i)),
        "t[index]": (lambda: y[j], lambda: x[i]),
        "t[mask]": (lambda: y[m], lambda: x[mask]),
        "t[1:3]": (lambda: y[1:3], lambda: x[1:3]),
        "t[2]": (lambda: y[2], lambda: x[2]),
        "t.scatter_": (lambda: d.scatter_(0, j, 1.0), lambda: b.scatter_(0, i, 1.0)),
        "t.index_add_": (lambda: f.index_add_(0, j, e), lambda: a.index_add_(0, i, c)),
        "searchsorted": (lambda: ttw.searchsorted(y, y), lambda: torch.searchsorted(x, x)),
    }


def as_torch():
    x, i = torch.tensor(X), torch.tensor(I)
    a, b, c = x.clone(), x.clone(), x.clone()
    return {
        "torch.gather": (lambda: ttw.gather(x, 0, i), lambda: torch.gather(x, 0, i)),
        "torch.take": (lambda: ttw.take(x, i), lambda: torch.take(x, i)),
        "torch.index_select": (lambda: ttw.index_select(x, 0, i), lambda: torch.index_select(x, 0, i)),
        "torch.searchsorted": (lambda: ttw.searchsorted(x, x), lambda: torch.searchsorted(x, x)),
        "torch.scatter": (lambda: ttw.scatter(a, 0, i, 1.0), lambda: torch.scatter(b, 0, i, 1.0)),
        "torch.index_add": (lambda: ttw.index_add(a, 0, i, c), lambda: torch.index_add(b, 0, i, c)),
    }


def accelerated():
    """The same calls twice: ours run within the context, theirs without."""

    def calls():
        x, i, mask = torch.tensor(X), torch.tensor(I), torch.tensor(MASK)
        a, b, c = x.clone(), x.clone(), x.clone()
        return {
            "gather": lambda: torch.gather(x, 0, i),
            "x[index]": lambda: x[i],
            "x[mask]": lambda: x[mask],
            "searchsorted": lambda: torch.searchsorted(x, x),
            "scatter_": lambda: a.scatter_(0, i, 1.0),
            "index_add_": lambda: b.index_add_(0, i, c),
        }

    ours, theirs = calls(), calls()
    return {name: (call, theirs[name]) for name, call in ours.items()}


def cost(call, calls):
    return timeit.timeit(call, number=calls) / calls * 1e9


def same(ours, theirs):
    return ours is theirs is None or np.array_equal(np.asarray(ours), np.asarray(theirs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="times each call is measured")
    text = "calls of a round: 1000, with more rounds, where other programs would interrupt longer ones"
    parser.add_argument("--calls", type=int, default=10_000, help=text)
    parser.add_argument("pattern", nargs="?", default="", help="only groups and operations that match")
    given = parser.parse_args()
    groups = {"numpy": (on_numpy, contextlib.nullcontext)}
    if torch:
        tensor, functions = (on_tensor, contextlib.nullcontext), (as_torch, contextlib.nullcontext)
        groups |= {"torch": (on_torch, contextlib.nullcontext), "Tensor": tensor, "takewise.torch": functions}
        groups |= {"accelerate_torch": (accelerated, functools.partial(tw.accelerate_torch, operators="all"))}
    empty = min(cost(lambda: None, given.calls) for _ in range(given.rounds))
    print(f"{'':38}{'takewise':>10}{'theirs':>10}{'ratio':>8}")
    for group, (make, within) in groups.items():
        for name, (ours, theirs) in make().items():
            if not re.search(given.pattern, f"{group} {name}"):
                continue
            with within():
                answer = ours()
            assert same(answer, theirs()), f"{group}, {name}"
            a, b = [], []
            for _ in range(given.rounds):
                with within():
                    a.append(cost(ours, given.calls))
                b.append(cost(theirs, given.calls))
            a, b = min(a) - empty, min(b) - empty
            print(f"{group + ': ' + name:38}{a:10.0f}{b:10.0f}{a / b:8.2f}", flush=True)


if __name__ == "__main__":
    main()
