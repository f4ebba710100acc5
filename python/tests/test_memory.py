"""Nothing large is copied: the process's peak memory grows by the result, whatever the operands' size."""

import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not pathlib.Path("/proc/self/status").exists(), reason="only Linux tells a process its own peak memory"
)

# Half a gigabyte that was never touched: whoever copies it commits it.
SETUP = """
import numpy as np
import takewise as tw
{imports}
x = np.zeros((1 << 17, 1 << 10), np.float32)
view = x[::-2, 1::3]
index = np.array([5, 1 << 15, 77])
mask = np.zeros(1 << 17, bool)
mask[[3, 9]] = True
tw.take(np.zeros(3), [0]); {warm}
def peak():
    # What getrusage says would count the process that started this one.
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
{call}
grown = (peak() - before) >> 10
assert grown < 64, f"peak memory grew by {{grown}} MiB"
"""

NUMPY = [
    "tw.take(x, index, axis=0)",
    "tw.take(view, index, axis=0)",
    "tw.gather(view, 0, index[:, None])",
    "tw.index(x, (index, slice(None, 8)))",
    "tw.index(x, mask)",
    "tw.index(view, (slice(None), 3))",
    "tw.scatter_(view, 0, index[:, None], 1.0)",
    "tw.index_put_(x, (index, index[:, None] % 9), 2.0)",
    "tw.at(x)[index].add_(1.0)",
    "tw.index_add_(x, 0, index, np.ones((3, 1 << 10), np.float32))",
    "tw.masked_fill_(view, np.zeros((1, view.shape[1]), bool), 1.0)",
    "tw.from_dlpack(x)[index]",
]
TORCH = [
    "tw.take(t, index, axis=0)",
    "tw.index(t, (index, 3))",
    "tw.index_put_(t, index, 2.0)",
    "torch_.index_select(t, 0, i)",
]


def run(**parts):
    done = subprocess.run([sys.executable, "-c", SETUP.format(**parts)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("call", NUMPY)
def test_numpy_operands_stay_where_they_are(call):
    run(imports="", warm="", call=call)


@pytest.mark.parametrize("call", TORCH)
def test_torch_operands_stay_where_they_are(call):
    pytest.importorskip("torch", reason="torch is not installed here")
    imports = "import torch, takewise.torch as torch_"
    warm = "t, i = torch.from_numpy(x), torch.from_numpy(index); tw.take(t[:1, :1], [0])"
    run(imports=imports, warm=warm, call=call)


def test_the_test_sees_a_copy():
    copying = SETUP.format(imports="", warm="", call="x.copy()")
    done = subprocess.run([sys.executable, "-c", copying], capture_output=True, text=True)
    assert "peak memory grew by" in done.stderr
