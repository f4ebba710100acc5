"""What `takewise.accelerate_torch()` makes of PyTorch's own calls: each operation on 4 and on a million elements.

    python bench/python/accelerate.py [operation ...]

Run it with a release build of the package (`pip install .`) and nothing else on the machine; both sides run on one
thread. Native and replaced kernels take turns, round by round; columns are microseconds per call, the least of the
rounds, without the loop's own cost, and how many times as long PyTorch's own kernel takes.
"""

import sys
import timeit

import torch

import takewise

SIZES = {4: (20_000, 7), 1_000: (5_000, 7), 1_000_000: (5, 9)}


def calls(n):
    """Every operation on arrays of ``n`` elements."""
    g = torch.Generator().manual_seed(0)
    x, values = torch.randn(n, generator=g), torch.randn(n, generator=g)
    index, mask = torch.randperm(n, generator=g), torch.rand(n, generator=g) < 0.5
    side = max(n // 1000, 2)
    table = torch.randn(side, n // side, generator=g)
    rows = torch.randint(side, (side,), generator=g)
    wide = torch.randint(side, table.shape, generator=g)
    ordered = values.sort()[0]
    return {
        "gather": lambda: x.gather(0, index),
        "gather, 2-d": lambda: table.gather(0, wide),
        "x[index]": lambda: x[index],
        "x[rows]": lambda: table[rows],
        "x[mask]": lambda: x[mask],
        "index_select": lambda: table.index_select(0, rows),
        "take": lambda: x.take(index),
        "nonzero": lambda: mask.nonzero(),
        "searchsorted": lambda: torch.searchsorted(ordered, x),
        "bucketize": lambda: torch.bucketize(x, ordered),
        "scatter_": lambda: x.scatter_(0, index, values),
        "scatter_add_": lambda: x.scatter_add_(0, index, values),
        "scatter_reduce_": lambda: x.scatter_reduce_(0, index, values, "amax"),
        "index_add_": lambda: table.index_add_(0, rows, table.clone()),
        "x[index] = v": lambda: x.index_put_((index,), values),
        "x[index] += v": lambda: x.index_put_((index,), values, accumulate=True),
        "x[mask] = 0": lambda: x.masked_fill_(mask, 0.0),
        "masked_scatter_": lambda: x.masked_scatter_(mask, values),
    }


def cost(call, number):
    return timeit.timeit(call, number=number) / number * 1e6


def main():
    torch.set_num_threads(1)
    takewise.set_num_threads(1)
    wanted = sys.argv[1:]
    for n, (number, rounds) in SIZES.items():
        print(f"\n{f'{n} elements':18}{'torch':>12}{'takewise':>12}{'ratio':>8}")
        empty = min(cost(lambda: None, number) for _ in range(rounds))
        for name, call in calls(n).items():
            if wanted and name not in wanted:
                continue
            native, ours = [], []
            for _ in range(rounds):
                native.append(cost(call, number))
                with takewise.accelerate_torch():
                    ours.append(cost(call, number))
            a, b = min(native) - empty, min(ours) - empty
            print(f"{name:18}{a:12.2f}{b:12.2f}{a / b:8.2f}", flush=True)


if __name__ == "__main__":
    main()
