"""Memory of reads and writes: the result, the plan, and for each thread a chunk and the range it comes from."""

import subprocess
import sys

import pytest

MEASURED = """
import sys, numpy as np, takewise, takewise_zarr

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))

def grown(call):
    call()  # code that was never run, pools, and the index of each shard
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = peak()
    call()
    return peak() - before

side, points, threads = 6144, 400_000, 2
takewise.set_num_threads(threads)
x = takewise_zarr.create(sys.argv[1], shape=(side, side), dtype="f4", chunks=(64, 64), shards=(1024, 1024))
noise = np.random.default_rng(1).random((1024, side), "f4")
for start in range(0, side, 1024):
    x[start : start + 1024] = noise
i, j = np.random.default_rng(2).integers(0, side, (2, points))
touched = (side // 64) ** 2
plan = 40 * points + 17 * touched
tasks = threads * ((8 << 20) + 2 * 64 * 64 * 4)
print(side * side * 4, grown(lambda: x[i, j]), 4 * points + plan + tasks)
rows = np.arange(0, side, 16)
print(side * side * 4, grown(lambda: x[rows, 5]), 4 * len(rows) + tasks)
shard = 1024 * 1024 * 4
values = np.ones(points, "f4")
print(side * side * 4, grown(lambda: x.__setitem__((i, j), values)), plan + threads * 3 * shard)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a part of a run")
def test_memory_does_not_grow_with_what_is_touched(tmp_path):
    done = subprocess.run([sys.executable, "-c", MEASURED, str(tmp_path / "x")], capture_output=True, text=True, check=True)
    slack = 8 << 20  # pages that allocators keep
    for line in done.stdout.splitlines():
        whole, grown, bound = map(int, line.split())
        assert grown <= bound + slack < whole / 2, done.stdout
