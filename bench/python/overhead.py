"""What a call costs before any work: each operation on four elements, beside NumPy's and PyTorch's own call.

    python bench/python/overhead.py

Run it with a release build of the package (`pip install .`) and nothing else on the machine. Columns are nanoseconds per
call, the least of seven rounds, without the loop's own cost; `-` where a library is not installed or has no such call.
"""

import timeit

import numpy as np

import takewise as tw

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

CALLS = 50_000

x, i = np.zeros(4, "f4"), np.array([1, 2, 3, 0])
mask = np.array([True, False, True, True])
tx, ti, tmask = map(torch.from_numpy, (x.copy(), i, mask)) if torch else (None, None, None)

# Operation, takewise on NumPy arrays, NumPy itself, takewise on torch tensors, torch itself.
ROWS = [
    ("gather", lambda: tw.gather(x, 0, i), lambda: np.take_along_axis(x, i, 0),
     lambda: tw.gather(tx, 0, ti), lambda: torch.gather(tx, 0, ti)),
    ("take", lambda: tw.take(x, i), lambda: np.take(x, i),
     lambda: tw.take(tx, ti), lambda: torch.take(tx, ti)),
    ("x[index]", lambda: tw.index(x, i), lambda: x[i], lambda: tw.index(tx, ti), lambda: tx[ti]),
    ("x[mask]", lambda: tw.index(x, mask), lambda: x[mask], lambda: tw.index(tx, tmask), lambda: tx[tmask]),
    ("x[1:3]", lambda: tw.index(x, slice(1, 3)), lambda: x[1:3],
     lambda: tw.index(tx, slice(1, 3)), lambda: tx[1:3]),
    ("put_along_axis, scatter_", lambda: tw.put_along_axis(x, i, 1.0, 0), lambda: np.put_along_axis(x, i, 1.0, 0),
     lambda: tw.scatter_(tx, 0, ti, 1.0), lambda: tx.scatter_(0, ti, 1.0)),
    ("add.at, index_add_", lambda: tw.at(x)[i].add_(1.0), lambda: np.add.at(x, i, 1.0),
     lambda: tw.index_add_(tx, 0, ti, tx), lambda: tx.index_add_(0, ti, tx.clone())),
    ("searchsorted", lambda: tw.searchsorted(x, x), lambda: np.searchsorted(x, x),
     lambda: tw.searchsorted(tx, tx), lambda: torch.searchsorted(tx, tx)),
]  # fmt: skip


def cost(call):
    return min(timeit.repeat(call, number=CALLS, repeat=7)) / CALLS * 1e9


def main():
    empty = cost(lambda: None)
    print(f"{'':26}{'takewise':>10}{'numpy':>10}{'takewise':>12}{'torch':>10}")
    for name, *calls in ROWS:
        numbers = [cost(call) - empty if torch or k < 2 else None for k, call in enumerate(calls)]
        shown = [f"{n:.0f}" if n is not None else "-" for n in numbers]
        print(f"{name:26}{shown[0]:>10}{shown[1]:>10}{shown[2]:>12}{shown[3]:>10}")


if __name__ == "__main__":
    main()
