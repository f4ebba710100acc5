"""Cost per element from a thousand elements to a milliard, time against the number of indices, and memory beyond operands
and result.

    cargo xtask bench scale [--most N] [--charts FOLDER] [--threads N] [REGEX]

The first table grows everything together: nanoseconds per element of the index, mask or values. Sorted indices show what
the engine costs; random ones show, beside that, what the caches and the memory do to any program that reads at random. The
second keeps the array (a million elements) and grows the number of indices alone. The third is the largest growth of the
process's memory during a call on the largest size, less the result. Elements are bytes (`u1`) where that suffices and
indices 32 bits, so that a milliard fits into 24 GiB. Needs NumPy; with `--charts`, matplotlib too.
"""

import argparse
import gc
import os
import re
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--most", type=float, default=1e8, help="elements of the largest size")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--charts", help="folder to draw scale.svg and linear.svg in")
parser.add_argument("regex", nargs="?", default="", help="which calls grow; with one, nothing else is measured")
GIVEN = parser.parse_args()
os.environ["TAKEWISE_NUM_THREADS"] = str(GIVEN.threads)

import numpy as np  # noqa: E402

import takewise as tw  # noqa: E402

RANDOM = np.random.default_rng(7)


def bytes_of(n):
    return RANDOM.integers(0, 100, n, "u1")


def random_index(n, below):
    return RANDOM.integers(0, below, n, "i4")


def sorted_index(n, below):
    index = np.arange(n, dtype="i8")
    index *= below
    index //= max(n, 1)
    return index.astype("i4")


def takes(index):
    def made(n, below):
        x, i = bytes_of(below), index(n, below)
        return lambda: tw.take(x, i)

    return made


NOTHING = np.empty(0)


def stores(n, below):
    x, i, v = bytes_of(below), random_index(n, below), bytes_of(n)

    def call():
        tw.put_(x, i, v)
        return NOTHING

    return call


def sums(n, below):
    x, i, v = np.zeros(below, "f4"), sorted_index(n, below), np.ones(n, "f4")

    def call():
        tw.scatter_add_(x, 0, i, v)
        return NOTHING

    return call


def means(n, below):
    x, i, v = np.zeros(below, "f4"), random_index(n, below), np.ones(n, "f4")

    def call():
        tw.scatter_reduce_(x, 0, i, v, "mean")
        return NOTHING

    return call


def halves(n, below):
    x, i, v = np.zeros(below, "f2"), random_index(n, below), np.ones(n, "f2")
    # Pages that nobody has written to yet would be counted as the call's.
    x.fill(0)

    def call():
        tw.scatter_add_(x, 0, i, v)
        return NOTHING

    return call


def selects(n, _):
    x, mask = bytes_of(n), RANDOM.integers(0, 2, n, "u1").view(bool)
    return lambda: tw.index(x, mask)


def finds(n, _):
    mask = RANDOM.integers(0, 32, n, "u1") == 0
    return lambda: tw.nonzero(mask)


def searches(n, below):
    s, v = np.arange(below, dtype="f4"), RANDOM.random(n, "f4") * np.float32(below)
    return lambda: tw.searchsorted(s, v, out_int32=True)


GROWING = {
    "take, sorted indices": (takes(sorted_index), None),
    "take, random indices": (takes(random_index), None),
    "x[i] = v, random": (stores, None),
    "scatter_add, sorted": (sums, None),
    "scatter_reduce mean, random": (means, None),
    "scatter_add of f2, random": (halves, None),
    "x[mask], 50 %": (selects, None),
    "nonzero, 3 %": (finds, None),
    "searchsorted in 1,000": (searches, 1000),
}
LINEAR = {
    "take": takes(random_index),
    "x[i] = v": stores,
    "scatter_add": sums,
    "searchsorted": searches,
}
FIXED = 1_000_000


def timed(call, n):
    """Seconds a call, the median of rounds of at least a hundredth of a second."""
    repeats = max(1, int(2e6 / n))
    call()
    rounds = []
    for _ in range(3 if n >= 1e8 else 7):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        rounds.append((time.perf_counter() - start) / repeats)
    return sorted(rounds)[len(rounds) // 2]


def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def growth(call):
    """Bytes by which memory grew most during a call, less its result; `None` where the system does not tell."""
    try:
        with open("/proc/self/clear_refs", "w") as reset:
            reset.write("5")
    except OSError:
        return None
    before = status("VmRSS")
    result = call()
    most = status("VmHWM") - before
    return most, result.nbytes


def sizes(most):
    n, all_sizes = 1000, []
    while n <= most:
        all_sizes.append(n)
        n *= 10
    return all_sizes


def table(title, sizes_, rows, cell):
    print(f"\n| {title} | " + " | ".join(f"{n:,}" for n in sizes_) + " |")
    print("| --- |" + " ---: |" * len(sizes_))
    for name, figures in rows.items():
        print(f"| {name} | " + " | ".join(cell(figure) for figure in figures) + " |", flush=True)


def chart(path, sizes_, rows, title, unit):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "takewise"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2))
    for name, figures in rows.items():
        axes.plot(sizes_[: len(figures)], figures, marker="o", markersize=3, label=name)
    axes.set(xscale="log", yscale="log", xlabel=title, ylabel=unit)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    if GIVEN.threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    tw.set_num_threads(GIVEN.threads)
    all_sizes = sizes(GIVEN.most)
    flat, extra = {}, {}
    for name, (made, below) in GROWING.items():
        if not re.search(GIVEN.regex, name):
            continue
        flat[name] = []
        for n in all_sizes:
            call = made(n, below or n)
            flat[name].append(timed(call, n) / n * 1e9)
            if n == all_sizes[-1]:
                extra[name] = growth(call)
            del call
            gc.collect()
    table("ns per element", all_sizes, flat, lambda f: f"{f:.2f}")
    linear = {}
    fewer = [n for n in all_sizes if n <= 1e8]
    for name, made in LINEAR.items() if not GIVEN.regex else ():
        linear[name] = [timed(made(n, FIXED), n) * 1e3 for n in fewer]
    if linear:
        table(f"ms for so many indices, array of {FIXED:,}", fewer, linear, lambda f: f"{f:.3g}")
    print(f"\n| memory beyond operands, {all_sizes[-1]:,} elements | MiB | of these the result |\n| --- | ---: | ---: |")
    for name, grown in extra.items():
        if grown is not None:
            print(f"| {name} | {grown[0] / 2**20:.0f} | {grown[1] / 2**20:.0f} |")
    if GIVEN.charts:
        chart(f"{GIVEN.charts}/scale.svg", all_sizes, flat, "elements", "ns per element")
        chart(f"{GIVEN.charts}/linear.svg", fewer, linear, f"indices into {FIXED:,} elements", "ms")


if __name__ == "__main__":
    main()
