"""Folds along axes, and what indices are made of, in NumPy's names beside NumPy: every dtype, odd shapes, errors."""

import warnings

import numpy as np
import pytest
from beside import Table, alike, outcome

tnp = Table("numpy")

DTYPES = [*"?bBhHiIlLefdFD", ">i4", ">f8", ">u2"]
SHAPES = [(), (1,), (5,), (0,), (0, 3), (3, 0), (2, 3), (2, 3, 4), (1, 4, 1)]
# Sums are rounded once here, of float64: NumPy adds in the dtype itself, in pairs.
NEAR = {"e": 3e-3, "f": 1e-5, "d": 1e-12, "F": 1e-5, "D": 1e-12}


def numbers(shape, dtype, nan=False):
    """Numbers with many equal ones among them, the same each time."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    low = 0 if dtype.kind in "u?" else 2
    made = np.array([(7 * k) % 5 - low for k in range(count)]).astype(dtype).reshape(shape)
    if nan and dtype.kind in "fc" and count > 1:
        made.flat[count // 2] = np.nan
        made.flat[count - 1] = np.nan
    return made


def views(x):
    """The array itself, and others over strides of all kinds."""
    yield x
    if x.ndim > 1:
        yield x.swapaxes(0, -1)
    if x.ndim and x.shape[0] > 1:
        yield x[::-2]
        yield np.broadcast_to(x, (2, *x.shape))


def near(got, want, tolerance):
    if not tolerance or isinstance(want, tuple):
        return alike(got, want)
    assert type(got) is type(want) and got.dtype == want.dtype and np.shape(got) == np.shape(want), f"{got!r}, not {want!r}"
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True), f"{got!r}, not {want!r}"


def beside(call, shape, dtype, tolerance=0.0, nan=False):
    for x in views(numbers(shape, dtype, nan)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want, got = outcome(lambda: call(np, x)), outcome(lambda: call(tnp, x))
        try:
            near(got, want, tolerance)
            assert type(got) is type(want), f"{type(got)}, not {type(want)}"
        except AssertionError as error:
            raise AssertionError(f"{x.dtype} {x.shape} {x.strides}: {error}") from None


EXACT = {
    "max": lambda m, x: m.max(x),
    "min": lambda m, x: m.min(x),
    "max of an axis": lambda m, x: m.max(x, 0),
    "min of the last": lambda m, x: m.min(x, axis=-1, keepdims=True),
    "amax of two": lambda m, x: m.amax(x, axis=(0, -1)),
    "amin of none": lambda m, x: m.amin(x, axis=()),
    "max of a wrong axis": lambda m, x: m.max(x, 4),
    "argmax": lambda m, x: m.argmax(x),
    "argmax kept": lambda m, x: m.argmax(x, keepdims=True),
    "argmin of an axis": lambda m, x: m.argmin(x, 0),
    "argmin of the last": lambda m, x: m.argmin(x, -1, keepdims=True),
    "any": lambda m, x: m.any(x),
    "any of an axis": lambda m, x: m.any(x, 0),
    "all of the last": lambda m, x: m.all(x, -1, keepdims=True),
    "all of two": lambda m, x: m.all(x, (0, -1)),
    "any of none": lambda m, x: m.any(x, ()),
    "cumsum": lambda m, x: m.cumsum(x),
    "cumsum of an axis": lambda m, x: m.cumsum(x, 0),
    "cumsum of the last": lambda m, x: m.cumsum(x, -1),
    "cumsum in its dtype": lambda m, x: m.cumsum(x, -1, x.dtype),
}
ADDED = {
    "sum": lambda m, x: m.sum(x),
    "sum of an axis": lambda m, x: m.sum(x, 0),
    "sum of two": lambda m, x: m.sum(x, (0, -1), keepdims=True),
    "sum of none": lambda m, x: m.sum(x, ()),
    "sum of singles": lambda m, x: m.sum(x, dtype="f4") if x.dtype.kind != "c" else m.sum(x),
    "mean": lambda m, x: m.mean(x),
    "mean of an axis": lambda m, x: m.mean(x, 0),
    "mean of the last": lambda m, x: m.mean(x, -1, keepdims=True),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_found_is_the_same(name, dtype):
    for shape in SHAPES:
        beside(EXACT[name], shape, dtype)
        beside(EXACT[name], shape, dtype, nan=True)


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_near(name, dtype):
    for shape in SHAPES:
        tolerance = 1e-5 if "singles" in name else NEAR.get(np.dtype(dtype).char, 0.0)
        beside(ADDED[name], shape, dtype, tolerance, nan=True)


# What the engine has no numbers of: here each element is one of four.
FOREIGN = {
    "M8[s]": ["1970", "NaT", "1969-12-31", "2026-11-27"],
    "m8[ms]": [0, "NaT", -5, 7],
    "g": [0, np.nan, -1.5, 2],
    "G": [0, complex(1, np.nan), -1 + 1j, -1],
    "<U2": ["b", "", "ab", "c"],
    "S2": [b"b", b"", b"ab", b"c"],
    "i4,f4": [(1, 2.0), (0, 0.0), (1, np.nan), (-1, 0.0)],
}
FOUND = [name for name in EXACT if not name.startswith("cumsum")]


@pytest.mark.parametrize("name", [*EXACT, *ADDED, "mean as integers", "sum as floats"])
@pytest.mark.parametrize("dtype", FOREIGN)
def test_elements_without_numbers_of_ours_are_the_same_or_refused(name, dtype):
    call = {
        **EXACT,
        **ADDED,
        "mean as integers": lambda m, x: m.mean(x, -1, "i8"),
        "sum as floats": lambda m, x: m.sum(x, -1, "f8"),
    }[name]
    four = np.array(FOREIGN[dtype], dtype=dtype)
    for shape in [(4,), (2, 2), (3, 4), (0, 2), ()]:
        x = np.resize(four, shape) if 0 in shape or shape else four[2].reshape(())
        for one in views(np.asarray(x)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want, got = outcome(lambda: call(np, one)), outcome(lambda: call(tnp, one))
            refused = isinstance(got, tuple) and got[0] == "TypeError"
            if dtype in ("M8[s]", "m8[ms]", "g") and name in FOUND or not refused:
                near(got, want, 1e-12 if dtype == "g" and name in ADDED else 0.0)


@pytest.mark.parametrize("dtype", "?bBhil")
def test_means_in_integers_wrap_and_are_cut_as_those_of_numpy(dtype):
    for x in (np.array([100, 100, 101]), np.array([[-7, 2], [0, 1]]), np.array([1.5, -2.5]), np.zeros((2, 0), "i2")):
        for axis in (None, -1, ()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want, got = np.mean(x, axis, dtype), tnp.mean(x, axis, dtype)
            if x.size:
                alike(got, want)
                assert type(got) is type(want)


x = np.arange(6.0).reshape(2, 3)
CALLS = [
    lambda m: m.max([1, 2]),
    lambda m: m.max([[1, 2], [3, 0]], 1),
    lambda m: m.max(3, axis=0),
    lambda m: m.max(x, (0, 0)),
    lambda m: m.max(x, (0, -2)),
    lambda m: m.max(x, [0]),
    lambda m: m.max(x, True),
    lambda m: m.max(x, 1.5),
    lambda m: m.max(x, np.int64(1)),
    lambda m: m.max(x, 0, np.zeros(3)),
    lambda m: m.max(x, 0, np.zeros(3, "i4")),
    lambda m: m.max(x, None, np.zeros(())),
    lambda m: m.max(x, 0, np.zeros((1, 3))),
    lambda m: m.max(x, 0, 5),
    lambda m: m.argmax(x, 0, np.zeros(3, "i8")),
    lambda m: m.argmax(x, 0, np.zeros(3, "i4")),
    lambda m: m.argmax(x, 0, np.zeros(2)),
    lambda m: m.argmax(x, 0, np.zeros(3)),
    lambda m: m.argmax(x, (0, 1)),
    lambda m: m.argmax(3),
    lambda m: m.argmin(np.array([1 + 2j, complex(0, np.nan), 3])),
    lambda m: m.sum(x, dtype=int),
    lambda m: m.sum([1.5, 1.5], dtype=int),
    lambda m: m.sum([True, True], dtype=bool),
    lambda m: m.sum(np.array([1.5, 1.5]), out=np.zeros((), "i4")),
    lambda m: m.sum(x, 0, out=np.zeros(3, "f4")),
    lambda m: m.mean([1, 2], dtype="i4"),
    lambda m: m.mean(x, 1, "f4"),
    lambda m: m.mean(np.array([1.5, 3.5]), out=np.zeros((), "i4")),
    lambda m: m.any(x, 0, np.zeros(3, "i4")),
    lambda m: m.all([]),
    lambda m: m.cumsum(3),
    lambda m: m.cumsum([1.5, 3.5], out=np.zeros(2, "i4")),
    lambda m: m.cumsum(x, 2),
    lambda m: m.cumsum(np.full(40, 0.1, "f2")),
    lambda m: m.cumsum(np.full(40, 0.1, "f4")),
    lambda m: m.cumsum([200, 100], dtype="u1"),
    lambda m: m.max(np.matrix([[1, 2]])),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls_and_their_errors(number):
    alike(outcome(lambda: CALLS[number](tnp)), outcome(lambda: CALLS[number](np)))


def test_a_result_goes_into_out():
    out = np.zeros(3)
    assert tnp.max(x, 0, out) is out and out.tolist() == [3, 4, 5]
    assert tnp.sum(x, axis=0, out=out) is out and out.tolist() == [3, 5, 7]
    places = np.zeros(2, "i8")
    assert tnp.argmax(x, 1, places) is places and places.tolist() == [2, 2]
    with pytest.raises(ValueError, match="out"):
        tnp.sum(x, axis=0, out=np.zeros(2))


COUNTED = {
    "unique": lambda m, x: m.unique(x),
    "unique and where": lambda m, x: m.unique(x, return_index=True, return_inverse=True, return_counts=True),
    "unique, NaN apart": lambda m, x: m.unique(x, return_counts=True, equal_nan=False),
    "unique rows": lambda m, x: m.unique(x, True, True, True, axis=0),
    "unique columns": lambda m, x: m.unique(x, axis=-1),
    "tile": lambda m, x: m.tile(x, 2),
    "tile of two": lambda m, x: m.tile(x, (2, 1)),
    "repeat": lambda m, x: m.repeat(x, 2),
    "repeat of an axis": lambda m, x: m.repeat(x, 3, axis=-1),
    "clip": lambda m, x: m.clip(x, 0, 2),
    "clip in halves": lambda m, x: m.clip(x, 0.5, None),
    "clip by itself": lambda m, x: m.clip(x, x[..., ::-1] if x.ndim else x, x),
}


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("dtype", [*DTYPES, "M8[D]", "U2"])
def test_values_counts_and_copies_are_the_same(name, dtype):
    if name.startswith("clip") and dtype in ("M8[D]", "U2"):
        return
    for shape in SHAPES:
        if name in ("unique rows", "unique columns") and 0 in shape:
            continue  # NumPy counts rows without elements otherwise from shape to shape.
        beside(COUNTED[name], shape, dtype)
        beside(COUNTED[name], shape, dtype, nan="rows" not in name and "columns" not in name)


n = np.arange(6).reshape(2, 3)
JOINED = [
    lambda m: m.bincount([1, 1, 4]),
    lambda m: m.bincount(np.array([1, 1, 4], "u1"), minlength=8),
    lambda m: m.bincount([1, 1, 4], [1, 2, 3]),
    lambda m: m.bincount([1, 1, 4], weights=[0.5, 0.5, True]),
    lambda m: m.bincount([1, 1, 4], [1, 2]),
    lambda m: m.bincount([-1]),
    lambda m: m.bincount([]),
    lambda m: m.bincount(np.array([], "i8"), minlength=3),
    lambda m: m.bincount(np.array([1.0])),
    lambda m: m.bincount(np.array([True, False])),
    lambda m: m.bincount(np.array([1], "u8")),
    lambda m: m.bincount([1], minlength=-1),
    lambda m: m.bincount([1], minlength=None),
    lambda m: m.bincount(1),
    lambda m: m.unique(3, return_inverse=True),
    lambda m: m.unique([[1, 2], [1, 2], [0, 5]], axis=2),
    lambda m: m.unique(np.zeros((0, 3)), axis=0),
    lambda m: m.unique(["b", "a", "b"], return_counts=True),
    lambda m: tuple(part.astype(str) for part in m.unique(np.array(["2020", "NaT", "NaT"], "M8[Y]"), return_counts=True)),
    lambda m: m.unique([np.nan, 1.0, np.nan], True, True, True),
    lambda m: m.concatenate([n, n]),
    lambda m: m.concatenate((n, n), 1),
    lambda m: m.concatenate([n, n], axis=None),
    lambda m: m.concatenate([n, [[1, 2, 3]]]),
    lambda m: m.concatenate([n, n.astype("f4")]),
    lambda m: m.concatenate([np.zeros(1, "i1"), np.zeros(1, "u1")]),
    lambda m: m.concatenate([]),
    lambda m: m.concatenate([1, 2]),
    lambda m: m.concatenate([n, np.zeros(3)]),
    lambda m: m.concatenate([n, np.zeros((2, 2))]),
    lambda m: m.concatenate([n, n], 2),
    lambda m: m.concatenate(n),
    lambda m: m.concatenate([n, n], dtype="f4"),
    lambda m: m.concatenate([n, n + 0.5], dtype="i4"),
    lambda m: m.concatenate([n, n + 0.5], dtype="i4", casting="unsafe"),
    lambda m: m.concatenate([n, n], out=np.zeros((4, 3))),
    lambda m: m.concatenate([n, n], out=np.zeros((4, 4))),
    lambda m: m.concatenate([n, n + 0.5], out=np.zeros((4, 3), "i8")),
    lambda m: m.concatenate([n, n], out=np.zeros((4, 3)), dtype="f4"),
    lambda m: m.concatenate([np.array(["a"]), np.array(["bcd"])]),
    lambda m: m.concatenate([np.array(["2020"], "M8[Y]"), np.array(["2021-02"], "M8[M]")]),
    lambda m: m.concatenate([n.astype(">i4"), n.astype(">i4")]),
    lambda m: m.concat([n, n]),
    lambda m: m.stack([n, n], -1),
    lambda m: m.stack([n, n], 3),
    lambda m: m.stack([]),
    lambda m: m.stack([n, np.zeros(2)]),
    lambda m: m.stack([1, 2.5]),
    lambda m: m.stack(n),
    lambda m: m.stack(3),
    lambda m: m.stack([n, n], out=np.zeros((2, 2, 3))),
    lambda m: m.tile(n, (2, 1, 1)),
    lambda m: m.tile(3, 2),
    lambda m: m.tile(n, ()),
    lambda m: m.tile(n, 0),
    lambda m: m.tile(n, -1),
    lambda m: m.tile(n, 1.5),
    lambda m: m.tile(n, np.array([2, 1])),
    lambda m: m.repeat(n, [1, 2], 0),
    lambda m: m.repeat(n, [1, 2], 1),
    lambda m: m.repeat(n, [1, 2]),
    lambda m: m.repeat(n, -1),
    lambda m: m.repeat(n, [1, -1], 0),
    lambda m: m.repeat(n, 2, 5),
    lambda m: m.repeat(n, 1.5),
    lambda m: m.repeat(n, np.array([1.0, 2.0]), 0),
    lambda m: m.repeat(n, [2], 0),
    lambda m: m.repeat(3, 2, 0),
    lambda m: m.repeat(["a", "bc"], 2),
    lambda m: m.clip(n, 3, 1),
    lambda m: m.clip(n, None, None),
    lambda m: m.clip(n),
    lambda m: m.clip(n, [1, 2, 3], None),
    lambda m: m.clip(n, min=1),
    lambda m: m.clip(n, 1, None, min=2),
    lambda m: m.clip(np.array([1.0, np.nan]), 0, np.nan),
    lambda m: m.clip(n.astype("u1"), -1, 300),
    lambda m: m.clip(n.astype("i1"), np.int64(1), 3),
    lambda m: m.clip(n.astype("f4"), 1, 3.5),
    lambda m: m.clip(n.astype("f4"), 1, np.float64(3)),
    lambda m: m.clip(n.astype(bool), 0, 1),
    lambda m: m.clip(n, 1, 3, out=np.zeros((2, 3))),
    lambda m: m.clip(3, 1, 2),
    lambda m: m.clip([3, 4], 1, 2),
    lambda m: m.clip(n, [[1], [2]], 5),
    lambda m: m.clip(n, 1, 2, dtype="f4"),
]


@pytest.mark.parametrize("number", range(len(JOINED)))
def test_counts_and_joins_and_their_errors(number):
    alike(outcome(lambda: JOINED[number](tnp)), outcome(lambda: JOINED[number](np)))


def test_joins_of_many_and_of_files(tmp_path):
    import takewise

    np.save(tmp_path / "x.npy", n)
    with takewise.open(tmp_path / "x.npy") as x:
        alike(tnp.concatenate([x, n]), np.concatenate([n, n]))
        alike(tnp.sum(x, 0), n.sum(0))
        alike(tnp.unique(x, return_counts=True), np.unique(n, return_counts=True))
