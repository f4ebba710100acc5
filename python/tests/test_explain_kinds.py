"""Explanations of folds, extremes and files, and of what cannot be read."""

import numpy as np
import pytest

import takewise
import takewise.numpy
import takewise.torch as tt


def axes(explained, result=0):
    return [axis["from"] for axis in explained.to_dict()["results"][result]["axes"]]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["sum", "amax", "mean", "argmax", "cumsum", "topk", "max", "sort"])
def test_axes_of_what_is_worked_out_along_one(name, axis):
    """A square array: extents alone do not tell which axis is which."""
    x = tt.tensor([[3.0, 1.0], [9.0, 7.0]])
    args = (x, 2, axis) if name == "topk" else (x, axis)
    explained = takewise.explain(getattr(tt, name), *args)
    kept = [0, 1] if name in ("cumsum", "topk", "sort") else [1 - axis]
    for result in range(len(explained.to_dict()["results"])):
        assert axes(explained, result) == [{"is": "axis", "operand": 0, "axis": k, "step": 1} for k in kept]


def test_a_fresh_sum_begins_with_nothing():
    text = str(takewise.explain(tt.sum, tt.tensor([[3, 1], [9, 7]]), 0))
    assert "was there" not in text and "3 + 9" in text and "0 + 3" not in text
    in_place = str(takewise.explain(takewise.scatter_add_, np.array([10, 20]), 0, [0, 0], [1, 2]))
    assert "was there" in in_place


def test_positions_that_were_worked_out_are_no_index():
    for call, args in ((tt.topk, (tt.tensor([3, 1, 2]), 2)), (takewise.numpy.unique, (takewise.numpy.array([3, 1, 3]),))):
        text = str(takewise.explain(call, *args))
        assert "outside" not in text and "because" not in text, text
    assert "the number of the call" not in str(takewise.explain(tt.max, tt.tensor([[3, 1], [9, 7]]), 1))


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_arrays_in_files(tmp_path, mode):
    np.save(tmp_path / "a.npy", np.arange(6.0).reshape(2, 3))
    with takewise.open(tmp_path / "a.npy", mode=mode) as x:
        assert "x[1, 2]" in str(takewise.explain(takewise.take, x, [1], axis=0))
        assert "x[0, 0]" in str(takewise.explain(takewise.gather, x, 0, [[0, 1, 0]]))
        written = takewise.explain(takewise.scatter_, x, 0, [[0, 1, 0]], 5.0).to_dict()
        assert (written.get("error") is not None) == (mode == "r")
    assert np.load(tmp_path / "a.npy").sum() == 15


def test_lists_that_hold_themselves_and_deep_ones():
    itself = []
    itself.append(itself)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for given in (itself, deep):
        for call in (
            lambda v=given: takewise.explain("x", x=v),
            lambda v=given: takewise.explain("x[0]", x=v),
            lambda v=given: takewise.explain(takewise.take, np.arange(3), v),
            lambda v=given: takewise.take(np.arange(3), v),
            lambda v=given: takewise.scatter(np.zeros(3), 0, [0], v),
            lambda v=given: tt.tensor(v),
        ):
            with pytest.raises(ValueError, match="deeper than 64 levels"):
                call()
    while deep:
        deep = deep.pop()


def test_messages_are_as_long_as_somebody_reads():
    with pytest.raises(ValueError) as info:
        takewise.take(np.arange(3), [0], bounds=[1] * 1_000_000)
    assert str(info.value).startswith("bounds must be one of") and len(str(info.value)) < 2100
