"""What the machine can do, and whether it does other work."""

import os
import time

import numpy as np


def bandwidth():
    """Bytes a second of a large copy, reading and writing."""
    a, b = np.ones(1 << 26, "u1"), np.empty(1 << 26, "u1")
    best = float("inf")
    for _ in range(10):
        start = time.perf_counter()
        np.copyto(b, a)
        best = min(best, time.perf_counter() - start)
    return 2 * a.nbytes / best


def load():
    """How many programs want a processor, on average over the last minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def warn(most=None):
    """Says so where other work (the load now, or `most`) takes more than a quarter of the processors from what is measured."""
    most, processors = load() if most is None else most, os.cpu_count() or 1
    if most > 1 + processors / 4:
        print(f"This machine does other work (load {most:.1f} on {processors} processors): the times are nothing to rely on.")
