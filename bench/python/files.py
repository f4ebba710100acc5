"""Rows of a table in a file: NumPy's memmap beside takewise, with cold caches.

    cargo xtask bench files [--size GIB] [--rounds N] [--folder FOLDER] [REGEX]

A row of the table is one selection of the rows of a table of 512-byte rows. NumPy reads `np.load(path, mmap_mode="r")[rows]`;
takewise reads it from `takewise.open(path)`, and from NumPy's own memmap (`takewise.take`). Before each call the system is
told to forget the file (`posix_fadvise(DONTNEED)`), and a new mapping is made. Engines take turns, and each answer is
compared with what the table holds by its making. The time is the median of the rounds; `MB` is what the process had read from
disks (`/proc/self/io`), `pages` the pages that the selection touches. Writes store to the same rows in place
(`mode="r+"`), flushed. Needs Linux.

Then, by the names of `rows.py`: `warm` rows (of pages in memory), `cold` rows beside fio where that is installed, PyTorch's `loader`, and
`hot` rows that are kept under a memory limit, for which the system must let us make groups of processes. REGEX chooses among
them too.

The goals, on the time of NumPy's memmap: 0.1 at a thousandth of the rows, 0.5 at a hundredth, 1.0 for all of them; and at
most twice the bytes of the pages that are touched. Runs on a machine that does other work say so: they show
bytes, and no times to rely on.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

import machine
import numpy as np
import rows as more

import takewise as tw

PAGE = os.sysconf("SC_PAGESIZE")
ROW = 128  # numbers of 4 bytes
HEADER = 128

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--size", type=float, default=1.0, help="GiB of the table")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--folder", help="where to make the table; a disk, not memory")
parser.add_argument("regex", nargs="?", default="", help="which selections")


def table(path, rows):
    """A table whose element at row r and column c is r * 128 + c, wrapped to 32 bits."""
    made = np.lib.format.open_memmap(path, mode="w+", dtype="<u4", shape=(rows, ROW))
    columns = np.arange(ROW, dtype="<u4")
    for start in range(0, rows, 1 << 16):
        numbers = np.arange(start, min(start + (1 << 16), rows), dtype="<u4")
        made[start : start + len(numbers)] = numbers[:, None] * np.uint32(ROW) + columns
    made.flush()
    del made
    assert os.path.getsize(path) == HEADER + rows * ROW * 4


def holds(answer, rows):
    """Whether an answer is what the table holds, looked at in every row."""
    first = np.asarray(rows).astype("<u4") * np.uint32(ROW)
    return answer.shape == (len(first), ROW) and all((answer[:, c] == first + np.uint32(c)).all() for c in (0, 63, 127))


def forget(path):
    with open(path, "r+b") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def from_disk():
    with open("/proc/self/io") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("read_bytes"))


def by_numpy(path, rows):
    return np.asarray(np.load(path, mmap_mode="r")[rows])


def by_open(path, rows):
    with tw.open(path) as x:
        return x[rows]


def by_memmap(path, rows):
    return tw.index(np.load(path, mmap_mode="r"), rows)


def of(rows):
    return (rows.astype("<u4") * np.uint32(ROW))[:, None] + np.arange(ROW, dtype="<u4")


def write_numpy(path, rows):
    x = np.load(path, mmap_mode="r+")
    x[rows] = of(rows)
    x.flush()


def write_open(path, rows):
    with tw.open(path, mode="r+") as x:
        x[rows] = of(rows)


READS = {"numpy memmap": by_numpy, "takewise.open": by_open, "takewise on memmap": by_memmap}
WRITES = {"numpy memmap": write_numpy, "takewise.open": write_open}


def pages(rows):
    first = HEADER + np.asarray(rows, dtype="i8") * ROW * 4
    return len(np.unique(np.concatenate([first // PAGE, (first + ROW * 4 - 1) // PAGE])))


def selections(rows):
    random = np.random.default_rng(7)
    choose = lambda part: random.choice(rows, max(1, int(rows * part)), replace=False)  # noqa: E731
    return {
        "10 rows": (READS, choose(10 / rows), None),
        "0.1 % of the rows": (READS, choose(0.001), 0.1),
        "1 % of the rows": (READS, choose(0.01), 0.5),
        "10 % of the rows": (READS, choose(0.1), None),
        "all rows, reversed": (READS, np.arange(rows - 1, -1, -1), 1.0),
        "all rows, shuffled": (READS, random.permutation(rows), 1.0),
        "0.1 % of the rows, written": (WRITES, choose(0.001), None),
    }


def measure(path, engines, rows, rounds):
    times = {name: [] for name in engines}
    read = {name: [] for name in engines}
    for turn in range(rounds):
        order = list(engines)
        for name in order[turn % len(order) :] + order[: turn % len(order)]:
            forget(path)
            before, start = from_disk(), time.perf_counter()
            answer = engines[name](path, rows)
            times[name].append(time.perf_counter() - start)
            read[name].append(from_disk() - before)
            if answer is None:
                answer = by_numpy(path, rows)
            if not holds(answer, rows):
                sys.exit(f"{name}: a wrong answer")
            del answer
    median = lambda all_of: sorted(all_of)[len(all_of) // 2]  # noqa: E731
    return {name: (median(times[name]), median(read[name])) for name in engines}


def main():
    given = parser.parse_args()
    rows = int(given.size * (1 << 30)) // (ROW * 4)
    machine.warn()
    ahead = set()
    for path in pathlib.Path("/sys/block").glob("*/queue/read_ahead_kb"):
        ahead.add(path.read_text().strip())
    print(f"{rows:,} rows of 512 bytes; the system reads {' or '.join(sorted(ahead)) or '?'} KiB ahead.\n")
    print("| selection | engine | ms | MB read | pages, MB | of NumPy's time | bytes of pages | goal |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = os.path.join(folder, "table.npy")
        if any(re.search(given.regex, title) for title in selections(rows)):
            table(path, rows)
        for title, (engines, chosen, goal) in selections(rows).items():
            if not re.search(given.regex, title):
                continue
            touched = pages(chosen) * PAGE
            found = measure(path, engines, chosen, given.rounds)
            first = found["numpy memmap"][0]
            for name, (seconds, read) in found.items():
                aim = f"{goal}" if goal is not None and name != "numpy memmap" else ""
                print(
                    f"| {title} | {name} | {seconds * 1e3:,.1f} | {read / 1e6:,.1f} | {touched / 1e6:,.1f} "
                    f"| {seconds / first:.2f} | {read / touched:.2f} | {aim} |",
                    flush=True,
                )
        if os.path.exists(path):
            os.remove(path)
        if wants(given.regex, "warm"):
            more.warm(folder, int(given.size * (1 << 30)), given.rounds)
        if wants(given.regex, "cold", "loader", "hot"):
            table_of_rows = more.Table(folder, int(given.size * (1 << 30)))
            for name, measured in (("cold", more.cold), ("loader", more.loader), ("hot", more.hot)):
                if wants(given.regex, name):
                    measured(table_of_rows, given.rounds)


def wants(regex, *names):
    return any(re.search(regex, name) for name in names)


if __name__ == "__main__":
    main()
