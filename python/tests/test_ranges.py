"""Rows of different lengths beside plain loops: arguments, dtypes, policies, memory, files, and what is wrong."""

import numpy as np
import pytest

import takewise

OFFSETS = [0, 2, 2, 6, 7]


def values(dtype="f8"):
    return np.array([3, 1, 4, 1, 5, 9, 2]).astype(dtype)


def rows_of(x, offsets, ids=None, axis=0):
    ids = range(len(offsets) - 1) if ids is None else ids
    parts = [x.take(np.arange(offsets[i], offsets[i + 1]), axis) for i in ids]
    return np.concatenate(parts, axis) if parts else x.take([], axis), np.cumsum([0] + [part.shape[axis] for part in parts])


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "f4", "c16", "M8[D]", "S3", "i4,f8"])
def test_rows_of_every_dtype_are_moved(dtype):
    x = np.zeros(7, dtype)
    x[:] = np.array(range(7), "i8").astype("i8" if dtype == "M8[D]" else dtype) if dtype != "i4,f8" else [(k, k) for k in range(7)]
    made, offsets = takewise.take_ranges(x, OFFSETS, [2, 0, -1])
    wanted, edges = rows_of(x, OFFSETS, [2, 0, 3])
    assert made.dtype == x.dtype and made.tolist() == wanted.tolist() and offsets.tolist() == edges.tolist()


@pytest.mark.parametrize("index", ["i1", "u1", "i4", "u8", list])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_strides_and_index_dtypes(index, axis):
    whole = np.arange(7 * 14).reshape(7, 14)
    x = whole[:, ::2] if axis else whole[:, :5][::-1]
    given = [np.array(one).astype(index) if index is not list else one for one in (OFFSETS, [1, 3, 2])]
    made, offsets = takewise.take_ranges(x, *given, axis=axis)
    wanted, edges = rows_of(x, OFFSETS, [1, 3, 2], axis)
    assert np.array_equal(made, wanted) and np.array_equal(offsets, edges)


def test_rows_by_starts_stops_and_lengths_are_the_same():
    x = values()
    for given in ({"starts": [4, 0], "stops": [7, 3]}, {"starts": [4, 0], "lengths": [3, 3]}):
        made, offsets = takewise.take_ranges(x, **given)
        assert made.tolist() == [5, 9, 2, 3, 1, 4] and offsets.tolist() == [0, 3, 6]
        at, edges = takewise.range_positions(**given)
        assert x[at].tolist() == made.tolist() and edges.tolist() == offsets.tolist()
    assert takewise.take_ranges(x, lengths=[2, 5], ids=[1])[0].tolist() == [4, 1, 5, 9, 2]
    assert takewise.reduce_ranges(x, starts=[4, 0], stops=[7, 3]).tolist() == [16, 8]
    assert takewise.pad_ranges(x, lengths=[2, 1]).tolist() == [[3, 1], [4, 0]]
    assert takewise.range_ids(lengths=[2, 0, 1]).tolist() == [0, 0, 2]
    assert takewise.repeat_ranges(x[:2], lengths=[1, 2]).tolist() == [3, 1, 1]


def test_rows_outside_obey_the_policy():
    x = values()
    assert takewise.take_ranges(x, OFFSETS, [9, 0], bounds="fill")[1].tolist() == [0, 0, 2]
    assert takewise.take_ranges(x, OFFSETS, [9, -9], bounds="clip")[0].tolist() == [2, 3, 1]
    assert takewise.take_ranges(x, OFFSETS, [5], bounds="wrap")[0].tolist() == []
    with pytest.raises(IndexError) as caught:
        takewise.take_ranges(x, OFFSETS, [0, -1], negative=False)
    assert (caught.value.axis, caught.value.value, caught.value.position, caught.value.size) == (0, -1, (1,), 4)


REDUCTIONS = {
    "sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max, "prod": np.prod, "any": np.any, "all": np.all, "count": np.size,
    "first": lambda own: own[0], "last": lambda own: own[-1],
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i4"])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_reductions_are_numpys(dtype, threads):
    x = values(dtype)
    for how, one in REDUCTIONS.items():
        made = takewise.reduce_ranges(x, OFFSETS, how, empty=0, threads=threads)
        wanted = [one(x[a:b]) if b > a else 0 for a, b in zip(OFFSETS, OFFSETS[1:], strict=False)]
        assert np.array_equal(made, np.array(wanted).astype(made.dtype)), how
    assert takewise.reduce_ranges(x, OFFSETS, "argmax").tolist() == [0, -1, 5, 6]
    assert takewise.reduce_ranges(x, OFFSETS, "argmin").tolist() == [1, -1, 3, 6]


def test_ids_weights_masks_and_nan():
    table = np.arange(12.0).reshape(4, 3)
    ids, weights = [3, 0, 0, 2], np.array([1.0, 2.0, 3.0, 4.0])
    made = takewise.reduce_ranges(table, [0, 2, 4], "sum", ids, weights=weights)
    assert np.array_equal(made, [table[3] + 2 * table[0], 3 * table[0] + 4 * table[2]])
    assert takewise.reduce_ranges(table, [0, 2, 4], "argmax", ids)[:, 0].tolist() == [3, 2]
    dropped = takewise.reduce_ranges(table, [0, 2, 4], "count", [3, 9, 9, 9], bounds="drop")
    assert dropped[:, 0].tolist() == [1, 0]
    holes = np.array([np.nan, 1.0, 2.0, np.nan])
    assert takewise.reduce_ranges(holes, [0, 2, 4], "mean", skip_nan=True).tolist() == [1, 2]
    assert np.isnan(takewise.reduce_ranges(holes, [0, 2, 4], "max")).all()
    assert takewise.reduce_ranges(holes, [0, 2, 4], "sum", where=[False, True, False, False], empty=-5).tolist() == [1, -5]
    assert takewise.reduce_ranges(holes, [0, 3, 3], "min", skip_nan=True, empty=7).tolist() == [1, 7]


def test_padded_and_packed():
    x = np.arange(14.0).reshape(7, 2)
    dense, mask = takewise.pad_ranges(x, OFFSETS, 5, -1, mask=True)
    assert dense.shape == (4, 5, 2) and mask.sum() == 7 and (dense[~mask] == -1).all()
    packed, offsets = takewise.pack_ranges(dense, np.diff(OFFSETS))
    assert np.array_equal(packed, x) and offsets.tolist() == OFFSETS
    assert takewise.pad_ranges(x[::-1], OFFSETS)[2].tolist() == x[::-1][2:6].tolist()
    with pytest.raises(ValueError, match=r"row 2 holds 4 values, and width is 3 \(1 of 4 rows are longer\)"):
        takewise.pad_ranges(x, OFFSETS, 3)
    with pytest.raises(ValueError, match="row 1 has length 6, and dense has 5 places a row"):
        takewise.pack_ranges(dense, [1, 6, 0, 0])


def test_rows_are_put_all_or_none():
    x = np.zeros(7)
    assert takewise.put_ranges_(x, OFFSETS, [3, 0], [7.0, 8.0, 9.0]) is x
    assert x.tolist() == [8, 9, 0, 0, 0, 0, 7]
    before = x.copy()
    for ids, source, offsets, text in (
        ([0], [1.0], None, "the rows named hold 2 values, and the source has 1"),
        ([3, 0], [1.0, 2.0, 3.0], [0, 2, 3], "row 0 of the source holds 2 values, and row 3 where it goes 1"),
        ([4], [1.0], None, "index 4 is out of bounds for axis 0 with size 4"),
    ):
        with pytest.raises((ValueError, IndexError), match=text):
            takewise.put_ranges_(x, OFFSETS, ids, source, offsets)
        assert np.array_equal(x, before)
    with pytest.raises(ValueError, match="writes the place position"):
        takewise.put_ranges(x, OFFSETS, [0, 0], [1.0, 2.0, 3.0, 4.0], duplicates="error")
    assert takewise.put_ranges(x, OFFSETS, [0, 0], [1.0, 2.0, 3.0, 4.0], duplicates="first")[:2].tolist() == [1, 2]


def test_searches_offsets_and_numbers():
    x = np.array([1, 5, 2, 4, 6])
    assert takewise.searchsorted_ranges(x, [0, 2, 5], [[3, 9], [4, 0]]).tolist() == [[1, 2], [1, 0]]
    assert takewise.searchsorted_ranges(x, [0, 2, 5], [4], ids=[1], right=True).tolist() == [2]
    assert takewise.searchsorted_ranges(x, [0, 2, 5], np.array([4.5, 2.0]), right=True).tolist() == [1, 1]
    assert takewise.searchsorted_ranges(x.astype(">i2"), [0, 2, 5], np.array([[3], [9]], "u1")).tolist() == [[1], [3]]
    assert takewise.offsets_of([0, 0, 2, 3]).tolist() == [0, 2, 2, 3, 4]
    assert takewise.range_ids(OFFSETS).tolist() == [0, 0, 2, 2, 2, 2, 3]
    assert takewise.repeat_ranges(np.array([[1, 2], [3, 4]]), [0, 1, 3]).tolist() == [[1, 2], [3, 4], [3, 4]]


def test_the_callers_memory():
    x, out = values(), np.empty(5)
    made, _ = takewise.take_ranges(x, OFFSETS, [2, 3], out=out)
    assert made is out and out.tolist() == [4, 1, 5, 9, 2]
    sums = np.empty(4)
    assert takewise.reduce_ranges(x, OFFSETS, "sum", out=sums) is sums and sums.tolist() == [4, 0, 19, 2]
    with pytest.raises(ValueError, match="out"):
        takewise.reduce_ranges(x, OFFSETS, "sum", out=np.empty(3))


@pytest.mark.parametrize(
    "offsets, text",
    [
        ([0, 5, 3, 7], r"take_ranges: offsets fall from 5 to 3 in row 1 \(so do 1 of 3 rows\)"),
        ([0, 3, 8], "take_ranges: row 1 ends at offset 8, and there are 7 values along axis 0"),
        ([-1, 3], "offsets begin at -1"),
        ([], "offsets are empty"),
        ([[0, 1]], "offsets must have one axis"),
        ([0.5, 1.0], "offsets must hold integers, not float64"),
    ],
)
def test_wrong_offsets_are_named(offsets, text):
    with pytest.raises(ValueError, match=text):
        takewise.take_ranges(values(), offsets, [0])


def test_axes_beside_one_without_elements_take_no_time():
    many = 2**40
    x = np.zeros((many, 0, 3))
    assert takewise.take_ranges(x, [0, 0], [0, 0], axis=1)[0].shape == (many, 0, 3)
    assert takewise.reduce_ranges(np.zeros((many, 3, 0)), [0, 3], axis=1).shape == (many, 1, 0)
    assert takewise.index_reduce(np.zeros((many, 3, 0)), 1, [0, 2], np.zeros((many, 2, 0)), "last").shape == (many, 3, 0)
    assert takewise.pad_ranges(np.zeros((0, many, 3)), [0, 0]).shape == (1, 0, many, 3)
    for call in (
        lambda: takewise.reduce_ranges(np.zeros((many, 0)), [0, 0], axis=1), lambda: takewise.range_ids([0, 2**62]),
        lambda: takewise.pad_ranges(values(), OFFSETS, 2**60), lambda: takewise.offsets_of([2**62]), lambda: takewise.offsets_of([0], 2**62),
        lambda: takewise.range_positions(lengths=[2**63 - 1, 2**63 - 1]),
    ):  # fmt: skip
        with pytest.raises((MemoryError, ValueError, RuntimeError)):
            call()


def test_other_arguments_are_named():
    for call, text in (
        (lambda: takewise.take_ranges(values()), "rows are given by offsets, by starts and stops"),
        (lambda: takewise.take_ranges(values(), OFFSETS, starts=[0], stops=[1]), "rows are given by"),
        (lambda: takewise.reduce_ranges(values(), OFFSETS, "median"), 'reduce must be one of "sum"'),
        (lambda: takewise.reduce_ranges(values("c8"), OFFSETS, "max"), "complex64"),
        (lambda: takewise.reduce_ranges(values(), OFFSETS, "max", weights=values()), "weights have a meaning in sums alone"),
        (lambda: takewise.reduce_ranges(np.array(["a"]), [0, 1], "sum"), "not combined"),
        (lambda: takewise.pad_ranges(np.array(["a"]), [0, 1]), "no number stands between elements of dtype <U1"),
        (lambda: takewise.take_ranges(values(), OFFSETS, [True]), "ids must hold integers, not bool: nonzero gives"),
        (lambda: takewise.reduce_ranges(values(), OFFSETS, weights=np.ones(7, "i8")), "and are int64 of shape .* convert them"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            call()


def test_tensors_of_ours_keep_their_record():
    x = takewise.from_dlpack(values()).requires_grad_(True)
    picked, _ = takewise.take_ranges(x, OFFSETS, [0, 0])
    takewise.reduce_ranges(picked, [0, 4], "sum").backward(takewise.from_dlpack(np.ones(1)))
    assert np.asarray(x.grad).tolist() == [2, 2, 0, 0, 0, 0, 0]


def test_objects_and_files(tmp_path):
    names = np.array(["a", "b", "c", "d", "e", "f", "g"], object)
    assert takewise.take_ranges(names, OFFSETS, [3, 0])[0].tolist() == ["g", "a", "b"]
    assert takewise.put_ranges(names, OFFSETS, [3, 0], np.array(["x", "y", "z"], object)).tolist() == ["y", "z", *"cdef", "x"]
    np.save(tmp_path / "x.npy", values())
    with takewise.open(tmp_path / "x.npy") as x:
        assert takewise.take_ranges(x, OFFSETS, [2])[0].tolist() == [4, 1, 5, 9]
        assert takewise.reduce_ranges(x, OFFSETS, "max").tolist() == [3, -np.inf, 9, 2]
        assert takewise.reduce_ranges(x, [0, 2], "sum", [6, 0]).tolist() == [5]
    np.save(tmp_path / "y.npy", values())
    with takewise.open([tmp_path / "x.npy", tmp_path / "y.npy"]) as both:
        assert takewise.take_ranges(both, [0, 6, 9, 14], [1])[0].tolist() == [2, 3, 1]
        assert takewise.reduce_ranges(both, [0, 6, 9, 14], "sum").tolist() == [23, 6, 21]
        assert takewise.pad_ranges(both, [5, 9]).tolist() == [[9, 2, 3, 1]]
        assert takewise.repeat_ranges(both, np.arange(15)).tolist() == [*values(), *values()]


def test_results_are_of_the_library_that_went_in():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.asarray(values("f4"))
    made, offsets = takewise.take_ranges(x, OFFSETS, [2])
    assert type(made) is type(x) and made.tolist() == [4, 1, 5, 9] and np.asarray(offsets).tolist() == [0, 4]
    assert type(takewise.reduce_ranges(x, OFFSETS, "argmax")) is type(x)


@pytest.mark.parametrize("size", [2**40, 2**62])
def test_a_size_that_no_memory_holds_is_an_error(size):
    with pytest.raises(MemoryError, match="take_ranges"):
        takewise.take_ranges(np.arange(3), [0, 3], size=size)
    with pytest.raises(MemoryError, match="nonzero"):
        takewise.nonzero(np.arange(3), size=size)
