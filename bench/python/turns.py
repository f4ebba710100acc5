"""Rows of a benchmark: sides that do the same work take turns, on one thread, and their answers are compared first.

Times are those of the processor, so that other programs take less part in them. A program that imports this takes
`[--rounds N] [REGEX]`, the rounds and the rows that are measured.
"""

import argparse
import importlib.metadata
import os
import re
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=30)
parser.add_argument("regex", nargs="?", default="", help="which rows are measured")
GIVEN = parser.parse_args()
for name in ("TAKEWISE_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = "1"

import machine  # noqa: E402
import numpy as np  # noqa: E402

MISSING, VERSIONS = set(), {"NumPy": np.__version__}


def library(name):
    """A library on one thread, if it is installed."""
    try:
        found = importlib.import_module(name)
    except ImportError:
        MISSING.add(name.partition(".")[0])
        return None
    if name == "torch":
        found.set_num_threads(1)
    elif name == "pyarrow":
        found.set_cpu_count(1)
    top = name.partition(".")[0]
    VERSIONS[top] = importlib.metadata.version(top)
    return found


def measured(name, sides, clock):
    """Prints a row: least times, with medians in brackets, and ours as a ratio of the best of the others."""
    calls = {side: call if isinstance(call, tuple) else (call, np.asarray) for side, call in sides.items()}
    wanted = None
    for side, (call, answer) in calls.items():
        found = np.asarray(answer(call()))
        wanted = found if wanted is None else wanted
        assert np.allclose(found, wanted, rtol=1e-4, equal_nan=True), f"{name}: {side} answers otherwise"
    took = {side: [] for side in calls}
    for _ in range(GIVEN.rounds):
        for side, (call, _) in calls.items():
            start = clock()
            call()
            took[side].append(1e3 * (clock() - start))
    others = [min(times) for side, times in took.items() if not side.startswith("takewise")]
    ratio = f"{min(took['takewise']) / min(others):6.2f}" if others else "     -"
    told = (f"{side} {min(times):.3f} ({statistics.median(times):.3f})" for side, times in took.items())
    print(f"{name:<50}{ratio}  " + ", ".join(told), flush=True)


def run(rows, clock=time.process_time):
    """Measures the rows that are asked for; a row without a function needs a library that is not installed."""
    print("takewise's least time as a ratio of the best of the others; of each the least time in milliseconds, and the median:\n")
    for name, make in rows.items():
        if make is not None and re.search(GIVEN.regex, name):
            measured(name, make(), clock)
    print("\none thread; " + ", ".join(f"{name} {version}" for name, version in sorted(VERSIONS.items())))
    machine.warn()
    if MISSING:
        print(f"not installed, so left out: {', '.join(sorted(MISSING))}")
