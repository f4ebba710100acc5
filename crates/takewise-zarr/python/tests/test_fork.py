"""A process forked after calls have used their threads: the child does the same calls or refuses them, and ends."""

import os
import subprocess
import sys

import numpy as np
import pytest

import takewise_zarr

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# A child that has not ended after a while hangs in what a thread of its parent had begun.
PROGRAM = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import takewise, takewise_zarr

takewise.set_num_threads(4)
x = takewise_zarr.open(sys.argv[1], mode="r+")
want = np.arange(256 * 256, dtype="f4").reshape(256, 256)
i, j = np.random.default_rng(0).integers(0, 256, (2, 5000))

def calls():
    assert np.array_equal(x[i, j], want[i, j])
    assert np.array_equal(x.oindex[i[:100], j[:100]], want[np.ix_(i[:100], j[:100])])
    x[i, j] = want[i, j]

calls()
stop = False
def loop():
    while not stop:
        calls()
threads = [threading.Thread(target=loop) for _ in range(int(sys.argv[2]))]
for thread in threads:
    thread.start()
for k in range(8):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            calls()
            fresh = takewise_zarr.open(sys.argv[1])
            assert np.array_equal(fresh[...], want)
        except BaseException as error:
            print("in the child:", repr(error), file=sys.stderr)
            os._exit(3)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        print(f"the child ended with {status}", file=sys.stderr)
        os._exit(1)
    time.sleep(k % 3 * 1e-3)
stop = True
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("shards", [None, (64, 64)])
@pytest.mark.parametrize("busy", [0, 1])
def test_a_child_answers(tmp_path, shards, busy):
    x = takewise_zarr.create(tmp_path, shape=(256, 256), dtype="f4", chunks=(32, 32), shards=shards)
    x[...] = np.arange(256 * 256, dtype="f4").reshape(256, 256)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path), str(busy)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


REMOTE = """
import os, signal, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[2])
from loopback import served
import takewise_zarr

with served(sys.argv[1]) as (server, url):
    x = takewise_zarr.open(url)
    assert x[0, 0] == 7
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        for call in (lambda: x[0, 0], lambda: takewise_zarr.open(url)):
            try:
                call()
            except OSError as error:
                if "forked" not in str(error):
                    print("in the child:", error, file=sys.stderr)
                    os._exit(3)
            else:
                os._exit(4)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert x[1, 1] == 7
"""


def test_a_child_of_a_process_with_urls_is_refused(tmp_path):
    pytest.importorskip("obstore")
    takewise_zarr.create(tmp_path, shape=(4, 4), dtype="f4", chunks=(2, 2))[...] = 7
    tests = os.path.dirname(__file__)
    done = subprocess.run([sys.executable, "-c", REMOTE, str(tmp_path), tests], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
