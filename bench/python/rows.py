"""Rows of a file, warm and cold, in batches, and kept under a memory limit: the second part of `bench files`."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np

import takewise as tw

PAGE = os.sysconf("SC_PAGESIZE")
WARM = [(width, count) for width in (160, 512, 4096) for count in (1, 16, 256, 8192)]
COLD = [16, 256, 4096, 32768]


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def forget(path):
    with open(path, "r+b") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Table:
    """A file of random numbers, as rows of any width."""

    def __init__(self, folder, size):
        self.path = os.path.join(folder, "rows.bin")
        random = np.random.default_rng(7)
        with open(self.path, "wb") as file:
            for _ in range(max(1, size >> 24)):
                file.write(random.integers(0, 1 << 32, 1 << 22, "u4").tobytes())
        self.size = os.path.getsize(self.path)

    def rows(self, width):
        """The number of rows of so many bytes."""
        return self.size // width

    def mapped(self, width):
        return np.memmap(self.path, "i4", "r", shape=(self.rows(width), width // 4))

    def opened(self, width, **how):
        return tw.open(self.path, dtype="i4", shape=(-1, width // 4), **how)


def in_turns(calls, keys, rounds, repeats):
    """Seconds a call of each, the median of the rounds; the answers to the first key are compared."""
    answers = {name: np.asarray(call(keys[0])) for name, call in calls.items()}
    first = next(iter(answers.values()))
    for name, answer in answers.items():
        if not np.array_equal(answer, first):
            sys.exit(f"{name}: a wrong answer")
    times = {name: [] for name in calls}
    for name, call in calls.items():
        for key in keys:
            call(key)
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats):
                for key in keys:
                    call(key)
            times[name].append((time.perf_counter() - start) / repeats / len(keys))
    return {name: median(all_of) for name, all_of in times.items()}


def warm(folder, size, rounds):
    """Random rows of a file whose pages are in memory, all of them touched before."""
    print("\nWarm: microseconds a call. `m` is NumPy's memmap; in memory is `takewise.take` of an array that was read.\n")
    names = ["m[ids]", "numpy.take(m)", "takewise.open", "takewise.take(m)", "in memory"]
    print("| rows | bytes | " + " | ".join(names) + " | open, of m[ids] | take, of m[ids] | open, of memory |")
    print("| ---: | ---: |" + " ---: |" * (len(names) + 3))
    for width, count in WARM:
        path = os.path.join(folder, "warm.npy")
        rows = (size >> 2) // width
        np.save(path, np.random.default_rng(width).integers(0, 1 << 32, (rows, width // 4), "u4"))
        m, x = np.load(path, mmap_mode="r"), tw.open(path)
        memory = np.array(m)
        random = np.random.default_rng(count)
        keys = [random.integers(0, rows, count) for _ in range(32)]
        calls = {
            "m[ids]": lambda key, m=m: m[key],
            "numpy.take(m)": lambda key, m=m: np.take(m, key, axis=0),
            "takewise.open": lambda key, x=x: x[key],
            "takewise.take(m)": lambda key, m=m: tw.take(m, key, 0),
            "in memory": lambda key, memory=memory: tw.take(memory, key, 0),
        }
        took = in_turns(calls, keys, 3 * rounds, max(1, 400 // count))
        ratios = (took["takewise.open"] / took["m[ids]"], took["takewise.take(m)"] / took["m[ids]"], took["takewise.open"] / took["in memory"])
        cells = " | ".join(f"{took[name] * 1e6:,.2f}" for name in names)
        print(f"| {count:,} | {width} | {cells} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)
        x.close()


def fio(path, depth):
    """Reads a second, and the mean and 99th of 100 latencies in seconds, of random pages by fio past the cache; nothing without it."""
    if shutil.which("fio") is None:
        return None
    size = os.path.getsize(path)
    asked = ["--rw=randread", f"--bs={PAGE}", "--ioengine=io_uring", f"--iodepth={depth}", "--direct=1", f"--size={size}"]
    asked += ["--runtime=3", "--time_based", "--output-format=json", f"--filename={path}", "--name=rows"]
    done = subprocess.run(["fio", *asked], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    read = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["read"]
    about = read["clat_ns"]
    return read["iops"], about["mean"] / 1e9, about["percentile"]["99.000000"] / 1e9


def cold(table, rounds):
    """Random rows of 512 bytes of a file that the system was told to forget before each call."""
    print("\nCold, 512 bytes a row: the file is forgotten before each call. `fio` reads random pages by io_uring, past the cache.\n")
    print("| rows | takewise.open, ms | 99th of 100 | rows a second | m[ids], ms | fio of that depth, reads a second | of fio |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    x, rows, random = table.opened(512), table.rows(512), np.random.default_rng(3)
    for count in COLD:
        times, by_numpy, turns = [], [], 100 if count <= 16 else 3 * rounds
        for turn in range(turns):
            ids = random.integers(0, rows, count)
            forget(table.path)
            start = time.perf_counter()
            got = x[ids]
            times.append(time.perf_counter() - start)
            if turn < rounds:
                forget(table.path)
                start = time.perf_counter()
                want = np.asarray(table.mapped(512)[ids])
                by_numpy.append(time.perf_counter() - start)
                if not np.array_equal(got, want):
                    sys.exit("takewise.open: a wrong answer")
        took, depth = median(times), min(count, 256)
        peer = fio(table.path, depth)
        last = f"{sorted(times)[99] * 1e3:,.2f}" if turns == 100 else ""
        told = f"{peer[0]:,.0f} | {count / took / peer[0]:.2f}" if peer else "not installed | "
        print(f"| {count:,} | {took * 1e3:,.2f} | {last} | {count / took:,.0f} | {median(by_numpy) * 1e3:,.1f} | {told} |", flush=True)
    if one := fio(table.path, 1):
        print(f"\nOne read at a time by fio: {one[1] * 1e6:,.0f} us on average, the 99th of 100 {one[2] * 1e6:,.0f} us.")


def loader(table, rounds):
    """An epoch of 10,000 rows in random order, in batches of 100, by PyTorch's DataLoader."""
    try:
        import torch
    except ModuleNotFoundError:
        print("\nDataLoader: PyTorch is not installed.")
        return
    from torch.utils.data import DataLoader

    print("\nDataLoader, 10,000 warm rows of 512 bytes in random batches of 100: milliseconds an epoch.\n")
    print("| workers | memmap, row by row | takewise.open | takewise.open, like='torch' | memmap, of takewise.open |")
    print("| --- | ---: | ---: | ---: | ---: |")
    path = table.path + ".some"
    with open(table.path, "rb") as whole, open(path, "wb") as file:
        file.write(whole.read(10_000 * 512))
    sets = {"memmap": Mapped(np.memmap(path, "i4", "r", shape=(10_000, 128)))}
    sets |= {like: tw.open(path, dtype="i4", shape=(-1, 128), like=like) for like in ("numpy", "torch")}
    workers = [("none", {})] + [
        (f"2, {context}", {"num_workers": 2, "multiprocessing_context": context, "persistent_workers": True}) for context in ("fork", "spawn")
    ]
    for title, how in workers:
        times, sums = {}, set()
        for name, data in sets.items():
            batches = DataLoader(data, batch_size=100, shuffle=True, **how)
            took = []
            for _ in range(rounds + 1):
                start, seen = time.perf_counter(), []
                for batch in batches:
                    seen.append(batch)
                took.append(time.perf_counter() - start)
            times[name] = median(took[1:])
            sums.add(sum(int(batch.double().sum()) for batch in seen))
            del batches
        if len(sums) != 1:
            sys.exit("DataLoader: a wrong answer")
        cells = " | ".join(f"{times[name] * 1e3:,.1f}" for name in sets)
        print(f"| {title} | {cells} | {times['memmap'] / times['numpy']:.1f} |", flush=True)


class Mapped:
    """What people write: a data set that gives row by row."""

    def __init__(self, m):
        self.m = m

    def __len__(self):
        return len(self.m)

    def __getitem__(self, row):
        return self.m[row]


@contextlib.contextmanager
def limited(size):
    """A group of processes that may use so much memory, page cache included; nothing where the system has none for us."""
    for root, limit, processes in (
        (pathlib.Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "tasks"),
        (pathlib.Path("/sys/fs/cgroup"), "memory.max", "cgroup.procs"),
    ):
        group = root / f"takewise-bench-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(size))
            yield group / processes
        except OSError:
            continue
        finally:
            with contextlib.suppress(OSError):
                group.rmdir()
        return
    yield None


HOT = """
import sys, time, os
open(sys.argv[1], "w").write(str(os.getpid()))
import numpy as np, takewise as tw
path, cache, rounds, law = sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
x = tw.open(path, dtype="i4", shape=(-1, 40), cache=cache if cache != "none" else None)
random = np.random.default_rng(5)
rows = len(x)
# Zipf of exponent 1 over all rows, by the inverse of its sums; which rows are frequent is random.
def wanted(count):
    number = np.exp(random.random(count) * np.log(rows)).astype("i8") if law == "Zipf" else random.integers(0, rows // 20, count)
    return (number * 2654435761) % rows
for _ in range(15000):
    x[wanted(256)]
times = []
for _ in range(rounds * 500):
    ids = wanted(256)
    start = time.perf_counter()
    x[ids]
    times.append(time.perf_counter() - start)
print(sum(times) / len(times), x.kept.hits / max(1, x.kept.hits + x.kept.misses) if x.kept else 0)
"""


def hot(table, rounds):
    """Frequent and rare rows of 160 bytes under a memory limit: rows that are kept beside the system's page cache."""
    size = table.size - table.size % 160
    with open(table.path, "r+b") as file:
        file.truncate(size)
    share = size // 10
    print(f"\nHot rows: 256 rows of 160 bytes a call, a file of {size >> 20} MiB, memory for a tenth of it.")
    print("Zipf: the row of rank k is asked for 1/k as often as the first. Alike: a twentieth of the rows, here and there, all alike.\n")
    print("| asked for | kept by | microseconds a call | rows found |")
    print("| --- | --- | ---: | ---: |")
    for law in ("Zipf", "alike"):
        took = []
        for name, cache in (("the system, as pages", "none"), ("takewise, as rows", str(share))):
            forget(table.path)
            # The interpreter and NumPy take the rest.
            with limited(share + (96 << 20)) as group:
                if group is None:
                    print("| - | - | no group with a memory limit can be made here | |")
                    return
                asked = [sys.executable, "-c", HOT, str(group), table.path, cache, str(rounds), law]
                done = subprocess.run(asked, capture_output=True, text=True, check=False)
                if done.returncode:
                    sys.exit(done.stderr)
            seconds, found = map(float, done.stdout.split())
            took.append(seconds)
            ratio = f", {took[0] / seconds:.1f} times faster" if len(took) > 1 else ""
            print(f"| {law} | {name} | {seconds * 1e6:,.0f}{ratio} | {found:.0%} |", flush=True)
