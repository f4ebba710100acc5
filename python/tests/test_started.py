"""Processes that multiprocessing starts: the package is used before, in the parent, and then in the child."""

import multiprocessing

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
