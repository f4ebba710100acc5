"""Threads, forks, and arrays that change while a call runs."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import takewise as tw

LARGE = 1 << 21


def test_number_of_threads():
    try:
        tw.set_num_threads(3)
        assert tw.get_num_threads() == 3
        x, i = np.arange(LARGE), np.arange(LARGE)[::-1]
        assert np.array_equal(tw.take(x, i), x[i])
    finally:
        tw.set_num_threads(0)
    assert tw.get_num_threads() >= 1


FORK = """
import os, signal
import numpy as np
import takewise as tw

x, i = np.arange(1 << 21, dtype="f4"), np.arange(1 << 21)[::-1].copy()
want = tw.take(x, i)
child = os.fork()
if child == 0:
    signal.alarm(60)
    good = np.array_equal(tw.take(x, i), want) and np.array_equal(tw.argsort(x), np.argsort(x))
    os._exit(0 if good else 1)
assert os.waitpid(child, 0)[1] == 0
assert np.array_equal(tw.take(x, i), want)
"""

POOL = """
import multiprocessing
import numpy as np
import takewise as tw

def job(n):
    return int(tw.take(np.arange(n), np.arange(n))[-1])

job(1 << 21)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map_async(job, [1 << 21] * 4).get(timeout=60) == [(1 << 21) - 1] * 4
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("program", [FORK, POOL], ids=["fork", "pool"])
def test_works_after_fork(program):
    """In an interpreter of its own, where no other library's threads take part."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)


def test_index_changed_during_the_call():
    """The other thread writes wild values; a call either reads good ones, and answers, or raises, and writes nothing."""
    x = np.arange(LARGE)
    index = np.arange(LARGE)
    stop = threading.Event()

    def meddle():
        wild = np.array([0, 2**62, -(2**62), LARGE, 1])
        while not stop.is_set():
            index[:: LARGE // 997] = wild[np.random.randint(5, size=len(index[:: LARGE // 997]))]

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        answers = errors = 0
        target = np.zeros(LARGE, "i8")
        for _ in range(40):
            for call in (lambda: tw.take(x, index), lambda: tw.put_(target, index, 1), lambda: tw.index(x, index)):
                try:
                    call()
                    answers += 1
                except IndexError:
                    errors += 1
        assert answers + errors == 120 and set(np.unique(target)) <= {0, 1}
    finally:
        stop.set()
        thread.join()


def test_the_interpreter_runs_meanwhile():
    """A call in one thread leaves the other threads running: each step of theirs finds the call under way."""
    x, i = np.arange(LARGE * 4), np.random.default_rng(0).integers(0, LARGE * 4, LARGE * 4)
    running, seen = threading.Event(), []

    def work():
        running.set()
        for _ in range(5):
            tw.take(x, i)
        running.clear()

    thread = threading.Thread(target=work)
    thread.start()
    running.wait()
    while running.is_set():
        seen.append(1)
    thread.join()
    assert len(seen) > 1000


def test_threads_share_a_tensor():
    t = tw.from_dlpack(np.arange(1000))
    failures = []

    def read():
        for k in range(300):
            if t[k].item() != k or tw.take(t, [k, 0]).tolist() != [k, 0]:
                failures.append(k)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_many_threads_on_the_same_arrays():
    """64 threads read one array and write places of their own of another, each in its own order."""
    x, out = np.arange(6400) * 3, np.zeros(6400, "i8")
    failures, start = [], threading.Barrier(64)

    def work(k):
        order = np.random.default_rng(k)
        mine = order.permutation(np.arange(100) * 64 + k)
        start.wait()
        for part in mine.reshape(10, 10):
            if not np.array_equal(tw.take(x, part), part * 3):
                failures.append(k)
            tw.put_(out, part, x[part])
            tw.scatter_add_(out, 0, part, part * 0 + 1)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and np.array_equal(out, x + 1)
