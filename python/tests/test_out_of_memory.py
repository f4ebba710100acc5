"""Lists and rows of tensors too large for the memory there is: an error, and the process goes on."""

import sys

import pytest
from programs import run

LIMITED = """
import resource, sys
import numpy as np, takewise as tw, takewise.torch as tt

def lacking(f):
    try:
        f()
    except MemoryError:
        return
    raise AssertionError("no error")

huge = tw.from_dlpack(np.broadcast_to(np.int8(1), (1 << 40,)))
wide = tw.from_dlpack(np.broadcast_to(np.int8(1), (1 << 20, 1 << 20)))
"""


def test_lists_of_what_no_memory_holds():
    run(
        """
        for t in (huge, wide, tt.as_tensor(huge)):
            lacking(t.tolist)
            if t is not wide:
                lacking(lambda: list(t))
        rows = iter(huge)
        assert int(next(rows)) == 1 and int(next(rows)) == 1
        assert sum(1 for _, row in zip(range(10), wide)) == 10
        assert list(tw.tensor([1, 2])) == [1, 2] and tw.tensor([[1], [2]]).tolist() == [[1], [2]]
        assert tw.tensor([]).tolist() == [] and tw.zeros((2, 0)).tolist() == [[], []]
        """,
        head=LIMITED,
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not keep to a limit of addresses")
@pytest.mark.parametrize("room", [50, 150, 400])
@pytest.mark.parametrize(
    "call", ["t.tolist()", "list(t)", "r.tolist()", "list(r)", "[x for x in t]", "tuple(t)", "[t[k] for k in range(len(t))]", "t.unbind()"]
)
def test_lists_of_what_this_process_may_not_hold(call, room):
    run(
        f"""
        t, r = tw.from_dlpack(np.ones(10_000_000)), tw.from_dlpack(np.ones((3_000_000, 2)))
        def used():
            return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        tw.tensor([1.0]).tolist()
        resource.setrlimit(resource.RLIMIT_AS, (used() + ({room} << 20),) * 2)
        try:
            {call}
        except (MemoryError, AttributeError):
            print("refused")
        """,
        head=LIMITED,
        TAKEWISE_NUM_THREADS="1",
    )


DAEMONS = """
import threading, time
import torch, takewise as tw
x, i = torch.randn(1000, 64), torch.randint(0, 1000, (500,))
def loop():
    while True:
        x[i]; torch.gather(x, 0, i[:, None]); x.index_select(0, i); x.index_add(0, i, x[:500])
tw.accelerate_torch(operators="all").enable()
for _ in range(4):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.2)
"""


def test_daemon_threads_at_exit():
    pytest.importorskip("torch", reason="torch is not installed here")
    for _ in range(2):
        run(DAEMONS, head="")


def test_what_waits_for_daemon_threads_at_exit_is_served():
    pytest.importorskip("torch", reason="torch is not installed here")
    run(
        """
        import atexit
        def finish(stop, thread):
            stop.append(1)
            thread.join()
        stop = []
        import threading, time
        import torch
        def loop():
            while not stop:
                torch.arange(6.)[torch.tensor([1])]
        thread = threading.Thread(target=loop, daemon=True)
        atexit.register(finish, stop, thread)
        import takewise as tw
        tw.accelerate_torch(operators="all").enable()
        thread.start()
        time.sleep(0.1)
        """,
        head="",
        timeout=60,
    )
