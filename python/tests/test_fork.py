"""A process forked while another thread is anywhere in its first calls: the child does the same calls, and ends."""

import os
import pathlib
import re

import pytest
from programs import has, run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# Forks over and over while a thread makes the process's first calls, switching between the two as often as can be. A child
# that has not ended after a while hangs in what the thread had begun.
PROGRAM = """
import faulthandler, os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
{imports}
sys.setswitchinterval(1e-6)

def calls():
{calls}

def main():
    stop, going, children = False, threading.Event(), []
    def loop():
        going.set()
        while not stop:
            calls()
    thread = threading.Thread(target=loop)
    thread.start()
    {wait}
    for k in range({forks}):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            try:
                calls()
            except BaseException as error:
                print("in the child:", repr(error), file=sys.stderr)
                os._exit(3)
            os._exit(0)
        children.append(child)
        if len(children) > 4:
            failed(children.pop(0))
        time.sleep(k % 5 * 2e-4)
    stop = True
    thread.join()
    for child in children:
        failed(child)

def failed(child):
    status = os.waitpid(child, 0)[1]
    if status:
        stop_all = f"the child ended with {{status}}"
        print(stop_all, file=sys.stderr)
        os._exit(1)

main()
"""

IMPORTS = "import numpy as np, takewise as tw"
# NumPy imports parts of itself at first use, for which Python itself has a lock.
LARGE = f"""{IMPORTS}
x = np.random.default_rng(0).random((50_000, 16)).astype("f4")
i = np.random.default_rng(1).integers(0, 50_000, 100_000)
want = x[i]
"""
STAGES = {
    "pool": (LARGE, "    assert np.array_equal(tw.index_select(x, 0, i), want)"),
    "array interface": (IMPORTS, "    assert tw.take(np.arange(5.), [1, 2])[1] == 2.0"),
    "small calls": (
        IMPORTS,
        "    x = np.arange(6.)\n    tw.scatter_(x, 0, [1], 5.0)\n    assert tw.searchsorted(x, [2.5])[0] >= 0 and tw.nonzero(x).size",
    ),
    "names of the libraries": (
        "import numpy as np, takewise as tw, takewise.torch as tt, takewise.numpy as tn",
        "    x = tt.arange(6).reshape(2, 3)\n    assert tt.sort(x)[0].shape == (2, 3) and x.long().zero_() is not None\n"
        "    assert tt.gather(x, 1, x[:1]).shape == (1, 3) and tn.take(np.arange(5.), [1])[0] == 1.0",
    ),
    "errors": (
        IMPORTS,
        "    try:\n        tw.take(np.arange(5.), [9])\n    except IndexError:\n        pass\n    else:\n        raise AssertionError",
    ),
    "random numbers": (
        "import numpy as np, takewise as tw, takewise.torch as tt",
        "    assert tt.rand(100_000).shape == (100_000,) and tt.randperm(1000).shape == (1000,)",
    ),
    "one shared tensor": (
        "import numpy as np, takewise as tw\nshared = tw.from_dlpack(np.zeros(100_000))",
        "    for _ in range(3):\n        try:\n            shared[0:50_000] = 1.0\n            assert shared[7] == 1.0\n"
        "        except (RuntimeError, BufferError) as error:\n            assert 'in use' in str(error) or 'busy' in str(error).lower() or 'being' in str(error), error",
    ),
    "gradients": (
        "import numpy as np, takewise as tw, takewise.torch as tt\nshared = tt.ones(50_000, requires_grad=True)",
        "    tt.gather(shared, 0, tt.zeros(50_000, dtype=tt.int64)).sum().backward()\n    assert shared.grad is not None",
    ),
}
# A child forked during PyTorch's own first calls may wait for ever, with no takewise in the process: 1 of 25 processes did. So
# its first calls come before, those that takewise tries it out with among them, and ours do not.
WARM = """import numpy as np, torch, takewise as tw
assert torch.arange(6.)[torch.tensor([2])].item() == 2.0
for like in (torch.zeros(2), torch.zeros(2, dtype=torch.complex64).conj()):
    torch._neg_view(like).resolve_neg().narrow(0, 1, 1).detach().requires_grad_(True)
    torch.zeros(3).untyped_storage().resize_(4)
torch.from_dlpack(np.zeros(2)).__dlpack__()
"""
TORCH = {
    "torch": (
        WARM,
        "    t = torch.arange(6.)\n    assert tw.take(t, [1])[0] == 1.0 and tw.index(t, slice(1, None))[0] == 1.0",
    ),
    "accelerate": (
        WARM,
        "    with tw.accelerate_torch(operators='all'):\n        assert torch.arange(6.)[torch.tensor([2])].item() == 2.0",
    ),
}


def fork(stage, wait, forks):
    imports, calls = stage
    run(PROGRAM.format(imports=imports, calls=calls.strip("\n"), wait=wait, forks=forks), head="", timeout=300)


@pytest.mark.parametrize("stage", STAGES)
def test_forks_at_every_stage_of_the_first_calls(stage):
    # Several processes, each with a first call of its own, and forks from before it until long after.
    for wait in ("pass", "going.wait()", "going.wait(); time.sleep(1e-3)"):
        fork(STAGES[stage], wait, 12)


@pytest.mark.skipif(not has("torch"), reason="torch is not installed here")
@pytest.mark.parametrize("stage", TORCH)
def test_forks_beside_torch(stage):
    fork(TORCH[stage], "going.wait()", 10)


def test_nothing_waits_for_another_thread_to_make_a_value():
    """Cells of the standard library and of PyO3 do, and so does PyO3's `intern!`: see takewise::once."""
    root = pathlib.Path(__file__).parents[2] / "crates"
    sources = [path for crate in ("takewise-kernels", "takewise", "takewise-dialects", "takewise-python") for path in (root / crate / "src").rglob("*.rs")]
    assert len(sources) > 100
    waits = re.compile(r"\b(OnceLock|LazyLock|PyOnceLock|Once::call_once)\b|\bpyo3::intern\b|use pyo3::.*\bintern\b")
    found = [f"{path}: {line}" for path in sources for line in path.read_text().splitlines() if waits.search(line)]
    assert not found, "\n".join(found)


def test_a_fork_waits_for_every_lock_of_the_package():
    """A child has no thread but its own, so a lock that another thread held when it was made would stay held in it."""
    package = pathlib.Path(__file__).parents[1] / "takewise"
    makes = re.compile(r"(\w+) = threading\.\w*(?:Lock|Condition|Semaphore|Event)\(")
    made = {path.name: makes.findall(path.read_text()) for path in package.rglob("*.py") if makes.search(path.read_text())}
    assert list(made) == ["_start.py"], made
    assert f"LOCKS = ({', '.join(made['_start.py'])})" in (package / "_start.py").read_text()


def test_the_test_sees_a_hang():
    stage = ("import threading\nlock = threading.Lock()\nimport time", "    with lock:\n        time.sleep(2e-3)")
    with pytest.raises(AssertionError, match="the child ended with"):
        run(
            PROGRAM.format(imports=stage[0], calls=stage[1], wait="going.wait()", forks=30).replace("alarm(30)", "alarm(2)"),
            head="",
        )
