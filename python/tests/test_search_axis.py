"""Sorted searches along an axis, whose others broadcast: beside a plain loop of NumPy's searches."""

import numpy as np
import pytest

import takewise as tw

# Shapes of the sequence and of the values, and the axis.
SHAPES = [
    ((3, 4), (3, 5), -1), ((3, 4), (5,), -1), ((3, 4), (2, 3, 5), -1), ((1, 4), (3, 5), 1), ((4, 3), (5, 3), 0), ((4, 3), (5, 1), 0),
    ((4, 1), (5, 3), -2), ((2, 4, 3), (2, 5, 3), 1), ((2, 4, 1), (5, 3), -2), ((4,), (2, 3), 0), ((2, 1, 4), (3, 5), 2), ((2, 4), (1, 0), -1),
    ((2, 0), (2, 3), -1),
]  # fmt: skip


def loop(sequence, values, axis, side, sorter):
    if sequence.ndim == 1:
        return np.searchsorted(sequence, values, side, sorter)
    last = axis if axis < 0 else axis - sequence.ndim
    rows, wanted = np.moveaxis(sequence, last, -1), np.moveaxis(values, last, -1)
    lead = np.broadcast_shapes(rows.shape[:-1], wanted.shape[:-1])
    rows, wanted = (np.broadcast_to(a, (*lead, a.shape[-1])) for a in (rows, wanted))
    order = None if sorter is None else np.broadcast_to(np.moveaxis(sorter, last, -1), rows.shape)
    found = np.empty(wanted.shape, np.int64)
    for at in np.ndindex(*lead):
        found[at] = np.searchsorted(rows[at], wanted[at], side, None if order is None else order[at])
    return np.moveaxis(found, -1, last)


@pytest.mark.parametrize("shape, of_values, axis", SHAPES)
def test_along_an_axis(shape, of_values, axis):
    rng = np.random.default_rng(len(SHAPES))
    x, values = rng.integers(0, 20, shape), rng.integers(0, 20, of_values)
    ordered, sorter = np.sort(x, axis), np.argsort(x, axis, kind="stable")
    for side in ("left", "right"):
        wanted = loop(ordered, values, axis, side, None)
        got = tw.searchsorted(ordered, values, axis=axis, side=side)
        assert got.dtype == np.int64 and got.flags.c_contiguous
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(tw.searchsorted(x, values, axis=axis, side=side, sorter=sorter), wanted)
        out = np.empty(wanted.shape, np.int32)
        assert tw.searchsorted(ordered, values, axis=axis, side=side, out=out, out_int32=True) is out
        np.testing.assert_array_equal(out, wanted)
        for library in ("torch", "dask.array"):
            module = pytest.importorskip(library)
            make = module.tensor if library == "torch" else lambda a: module.from_array(a, chunks=2)  # noqa: B023
            np.testing.assert_array_equal(tw.searchsorted(make(ordered), make(values), axis=axis, side=side), wanted)


def test_within_vmap_of_torch():
    torch = pytest.importorskip("torch")
    x, values = torch.arange(24).reshape(2, 4, 3), torch.tensor([[5, 0, 20]])
    got = torch.vmap(lambda s: tw.searchsorted(s, values, axis=0))(x)
    wanted = np.stack([loop(s, values.numpy(), 0, "left", None) for s in x.numpy()])
    np.testing.assert_array_equal(got, wanted)
    got = torch.vmap(lambda s: tw.searchsorted(s, torch.tensor([4, 30])))(x)
    np.testing.assert_array_equal(got, np.stack([loop(s, np.array([4, 30]), -1, "left", None) for s in x.numpy()]))


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: tw.searchsorted(np.zeros((3, 4)), np.zeros((2, 5))), ValueError, r"leading axes.*sequence \[3, 4\], values \[2, 5\]"),
        (lambda: tw.searchsorted(np.zeros((3, 4)), np.zeros((3, 5)), axis=2), IndexError, "axis 2 is out of range for rank 2"),
        (lambda: tw.searchsorted(np.zeros(4), [1], axis=1), IndexError, "axis 1 is out of range for rank 1"),
        (lambda: tw.searchsorted(np.zeros((3, 4)), np.zeros((3, 5)), axis="x"), TypeError, "axis must be an integer"),
        (lambda: tw.searchsorted(np.zeros((3, 4)), [1.0], sorter=np.zeros((2, 4), int)), ValueError, "sorter"),
    ],
)
def test_what_does_not_fit(call, error, words):
    with pytest.raises(error, match=words):
        call()
