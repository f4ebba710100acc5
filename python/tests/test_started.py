"""Processes that multiprocessing starts: the package is used before, in the parent, and then in the child."""

import multiprocessing
import subprocess
import sys

import numpy as np
import pytest

import takewise as tw


def work(x, index):
    """In the child: a call that answers, one that fails, and an array of its own."""
    try:
        tw.take(x, [99])
    except IndexError as error:
        return tw.take(x, index).tolist(), error.value, tw.Tensor([1, 2])[tw.Tensor([1, 0])].tolist()


@pytest.mark.parametrize("how", ["spawn", "forkserver"])
def test_children(how):
    if how not in multiprocessing.get_all_start_methods():
        pytest.skip("this system starts no processes so")
    x = np.arange(5) * 2
    assert tw.take(x, [4, 0]).tolist() == [8, 0]
    with multiprocessing.get_context(how).Pool(2) as pool:
        answers = pool.starmap(work, [(x, [4, 0])] * 4, 1)
    assert answers == [([8, 0], 99, [2, 1])] * 4


def test_an_import_brings_few_modules():
    program = (
        "import numpy, sys; there = set(sys.modules); import takewise; "
        "print(*sorted(set(sys.modules) - there)); takewise.open, takewise.explain; print('takewise._files' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.splitlines()
    ours = [name for name in found[0].split() if name.startswith("takewise.")]
    others = [name for name in found[0].split() if not name.startswith("takewise")]
    # Each takes a part of a millisecond. Those for files and for PyTorch's errors, and Python's for threads that read, wait until they are asked for.
    assert len(ours) <= 15 and len(others) <= 8, found[0]
    assert found[1] == "True"
