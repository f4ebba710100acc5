"""What `takewise.accelerate_torch()` makes of PyTorch's own calls, on 4 to a million elements, forward and back.

    cargo xtask bench torch [--all] [--rounds N] [--size N] [REGEX]

With --all takewise runs the operators too that PyTorch keeps unless they are named.

Both sides run on one thread and take turns within one process, round by round, after their answers were compared: those of
the call, and the gradients of those that have any ("back" is the walk back alone, over a graph that PyTorch made). Columns
are microseconds of processor time a call, the least of the rounds, without the loop's own cost; the last is ours by
PyTorch's, so below 1 is faster. Run it with a release build of the package, and with nothing else on the machine: it says so
if there was.
"""

import argparse
import re
import time

import machine
import torch

import takewise

SIZES = {4: 3000, 64: 3000, 1_000: 1500, 10_000: 300, 100_000: 30, 1_000_000: 4}


def calls(n):
    """Every operation on arrays of ``n`` elements, and whether it has a way back."""
    g = torch.Generator().manual_seed(0)
    x, values = torch.randn(n, generator=g), torch.randn(n, generator=g)
    index, mask = torch.randperm(n, generator=g), torch.rand(n, generator=g) < 0.5
    side = max(n // 1000, 2)
    table = torch.randn(side, n // side, generator=g)
    rows = torch.randint(side, (side,), generator=g)
    wide = torch.randint(table.shape[1], table.shape, generator=g)
    ordered, one = values.sort()[0], torch.tensor(0.0)
    positions = torch.tensor([0])
    reads = {
        "gather": lambda x: x.gather(0, index),
        "gather, 2-d": (lambda t: t.gather(1, wide), table),
        "take_along_dim": (lambda t: torch.take_along_dim(t, wide, 1), table),
        "x[index]": lambda x: x[index],
        "x[rows]": (lambda t: t[rows], table),
        "x[mask]": lambda x: x[mask],
        "index_select": (lambda t: t.index_select(0, rows), table),
        "embedding": (lambda t: torch.nn.functional.embedding(rows, t), table),
        "take": lambda x: x.take(index),
        "masked_select": lambda x: x.masked_select(mask),
        "scatter": lambda x: x.scatter(0, index, values),
        "scatter_add": lambda x: x.scatter_add(0, index, values),
        "scatter_reduce": lambda x: x.scatter_reduce(0, index, values, "sum"),
        "index_copy": (lambda t: t.index_copy(0, positions, t[:1]), table),
        "index_put": lambda x: x.index_put((index,), values),
        "index_put, add": lambda x: x.index_put((index,), values, accumulate=True),
        "masked_fill": lambda x: x.masked_fill(mask, one),
        "masked_scatter": lambda x: x.masked_scatter(mask, values),
    }
    others = {
        "nonzero": lambda _: mask.nonzero(),
        "searchsorted": lambda x: torch.searchsorted(ordered, x),
        "bucketize": lambda x: torch.bucketize(x, ordered),
        "scatter_": lambda x: x.scatter_(0, index, values),
        "scatter_add_": lambda x: x.scatter_add_(0, index, values),
        "index_add_": (lambda t: t.index_add_(0, rows, table), table.clone()),
        "put_": lambda x: x.put_(index, values),
        "gather, out": lambda x: torch.gather(x, 0, index, out=values),
    }
    for group, back in (reads, True), (others, False):
        for name, call in group.items():
            call, start = call if isinstance(call, tuple) else (call, x)
            yield name, call, start, back


def cost(call, number):
    """Nanoseconds of this process for a call."""
    turns = range(number)
    start = time.process_time_ns()
    for _ in turns:
        call()
    return (time.process_time_ns() - start) / number


def measured(call, number, rounds, switch):
    """The least cost of a call by PyTorch and by takewise, in turns."""
    native, ours = [], []
    for _ in range(rounds):
        native.append(cost(call, number))
        with switch:
            cost(call, max(number // 50, 1))
            ours.append(cost(call, number))
    return min(native), min(ours)


def ways(name, call, start, back):
    """What is measured of an operation."""
    given = start.clone()
    yield name, lambda: call(given)
    if back:
        leaf = start.clone().requires_grad_()
        result = call(leaf)
        gradient = torch.ones_like(result)
        yield f"{name}, back", lambda: torch.autograd.grad(result, leaf, gradient, retain_graph=True)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="times each call is measured")
    parser.add_argument("--size", type=int, choices=SIZES, help="only so many elements")
    parser.add_argument("--all", action="store_true", help="run the operators too that PyTorch keeps unless they are named")
    parser.add_argument("pattern", nargs="?", default="", help="only operations that match")
    given = parser.parse_args()
    torch.set_num_threads(1)
    takewise.set_num_threads(1)
    loads, behind = [], []
    switch = takewise.accelerate_torch(operators="all" if given.all else None)
    for n, number in SIZES.items():
        if given.size not in (None, n):
            continue
        print(f"\n{f'{n} elements':24}{'torch':>10}{'takewise':>10}{'ratio':>8}")
        empty = min(cost(lambda: None, number) for _ in range(given.rounds))
        for name, call, start, back in calls(n):
            if not re.search(given.pattern, name):
                continue
            native = call(start.clone())
            with switch:
                assert torch.equal(native, call(start.clone())), name
            for way, run in ways(name, call, start, back):
                if way != name:
                    native = run()
                    with switch:
                        assert torch.allclose(native, run()), way
                a, b = (figure - empty for figure in measured(run, number, given.rounds, switch))
                loads.append(machine.load())
                behind += [f"{way} of {n}"] * (b > 1.05 * a)
                print(f"{way:24}{a / 1000:10.2f}{b / 1000:10.2f}{b / a:8.2f}", flush=True)
    roads = {name: call.road for name, call in takewise.accelerate_torch.calls().items()}
    print("\nby way of Python:", *(name for name, road in roads.items() if road != "C"))
    print("more than 5 % behind:", "; ".join(behind) or "nothing")
    machine.warn(max(loads, default=0))


if __name__ == "__main__":
    main()
