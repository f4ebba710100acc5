"""A writer that is killed at any moment: the array opens, each file is the old or the new one, and the next writer goes on."""

import random
import signal
import subprocess
import sys
import time

import numcodecs
import numpy as np
import pytest
import zarr

import takewise_zarr

SHAPE, CHUNKS, SHARDS = (40, 40), (8, 8), (16, 16)
HOW = {
    "v2": {"zarr_format": 2},
    "lz4": {"zarr_format": 2, "compressors": numcodecs.LZ4()},
    "v3": {},
    "sharded": {"shards": SHARDS},
}

# Every write makes all elements one number more, on several threads.
WRITER = """
import sys
import takewise_zarr
arrays = [takewise_zarr.open(sys.argv[1], name, mode="r+") for name in sys.argv[3:]]
number = int(sys.argv[2])
print("begun", flush=True)
while True:
    number += 1
    for x in arrays:
        x[...] = number
    print(number, flush=True)
"""


def files(name):
    """The parts of an array that one file holds each."""
    rows, columns = SHARDS if name == "sharded" else CHUNKS
    return [(slice(i, i + rows), slice(j, j + columns)) for i in range(0, SHAPE[0], rows) for j in range(0, SHAPE[1], columns)]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing is killed here")
def test_what_a_killed_writer_leaves_is_whole(tmp_path):
    chance = random.Random(7)
    counts, before = {}, {name: {0} for name in HOW}
    for name, how in HOW.items():
        z = zarr.create_array(str(tmp_path / name), shape=SHAPE, chunks=CHUNKS, dtype="i8", fill_value=-1, **how)
        z[...] = 0
        counts[name] = z.nchunks_initialized
    last, partial = 0, 0
    for _ in range(10):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(last), *HOW], stdout=subprocess.PIPE, text=True)
        with writer:
            assert writer.stdout.readline() == "begun\n"
            time.sleep(chance.uniform(0, 0.15))
            writer.kill()
            # The last line may have been cut.
            done = max([0, *map(int, writer.stdout.read().split("\n")[:-1])])
        assert writer.returncode == -signal.SIGKILL
        for name in HOW:
            got = takewise_zarr.open(tmp_path / name)[...]
            assert all(got[file].min() == got[file].max() for file in files(name)), name
            found = {int(got[file].min()) for file in files(name)}
            # The write that was killed, and what was there before it.
            newest = max(found)
            old = before[name] if newest <= last + 1 else {newest - 1}
            assert newest >= done and found <= old | {newest}, (name, done, found, old)
            z = zarr.open_array(str(tmp_path / name), mode="r")
            np.testing.assert_array_equal(z[...], got)
            assert z.nchunks_initialized == counts[name]
            partial += len(list((tmp_path / name).rglob("*.partial")))
            before[name] = found
        last = max(map(max, before.values()))
    # What killed writers left beside the files is in nobody's way.
    for name in HOW:
        takewise_zarr.open(tmp_path / name, mode="r+")[...] = last + 1
        assert (zarr.open_array(str(tmp_path / name), mode="r")[...] == last + 1).all()
    print(f"{last} writes, {partial} parts of files")
    assert last > 0
