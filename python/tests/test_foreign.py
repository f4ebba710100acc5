"""Dtypes the engine has no numbers of its own for: bytes of one are never taken for another, beside NumPy's own answers.

Every pair of dtypes goes through every function that stores or chooses. An answer is NumPy's, or the call is refused by a
line that names a dtype.
"""

import itertools
import pickle

import numpy as np
import pytest
import takewise as tw
import takewise.numpy as tn

FIELDS = [("a", "<i2"), ("b", "<f8")]
TURNED = [("b", "<f8"), ("a", "<i2")]
NUMBERS = ["?", "i1", "u2", "i4", "u8", "f2", "f8", "c8"]
SWAPPED = [">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16"]
DATES = ["M8[D]", "M8[s]", ">M8[s]", "m8[D]", "m8[ms]"]
OTHERS = ["g", "G", "U3", ">U5", "S3", "V3", FIELDS, TURNED]
ALL = NUMBERS + SWAPPED + DATES + OTHERS
MASK = np.array([True, False, True, False])


def example(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "M":
        return np.array(["2000-01-01", "NaT", "1970-01-03", "2000-01-02"], "M8[D]").astype(dtype)
    if dtype.kind == "m":
        return np.array([3, "NaT", 0, 1], "m8[D]").astype(dtype)
    if dtype.kind in "US":
        return np.array(["ab", "", "cde", "x"]).astype(dtype)
    if dtype.names:
        return np.array([(3, 2.5), (0, 0), (1, 1.5), (3, 1.0)], FIELDS).astype(dtype)
    if dtype.kind == "V":
        return np.array([b"abc", b"", b"xyz", b"abd"], dtype)
    return np.array([3, 0, 1, 2]).astype(dtype)


def answer(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return error


def stored(change, into, *values):
    copy = into.copy()
    change(copy, *values)
    return copy


def same(got, want):
    if isinstance(want, tuple):
        return isinstance(got, tuple) and len(got) == len(want) and all(map(same, got, want))
    got, want = np.asarray(got), np.asarray(want)
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return False
    # Long doubles have bytes that mean nothing.
    return got.tobytes() == want.tobytes() or (want.dtype.kind in "fc" and np.array_equal(got, want, equal_nan=True))


def wrong(got, want):
    """What is wrong with an answer beside NumPy's, if anything is."""
    if isinstance(got, Exception):
        text = str(got)
        insides = [word for word in ("record", "Opaque", "frame #") if word in text]
        fits = isinstance(got, (TypeError, ValueError, type(want)))
        return f"says {text[:200]!r}" if insides or len(text) > 400 or not fits else None
    if isinstance(want, Exception):
        return f"{got!r}, where NumPy raises {want!r}"
    return None if same(got, want) else f"{got!r}, not {want!r}"


def check(cases):
    # NumPy gives some refusals as warnings first.
    with np.errstate(all="ignore"):
        bad = [f"{name}: {what}" for name, got, want in cases if (what := wrong(got, want))]
    assert not bad, f"{len(bad)} differ\n" + "\n".join(bad[:12])


def read(dtype):
    x = example(dtype)
    for k in ([1, -2], np.array([1, -2], ">i4"), np.array([3], ">u2")):
        want = x[k]
        for f in (tn.take, tn.index, tw.take, tw.index):
            yield f"{f} by {k!r}", answer(f, x, k), want
        yield "gather", answer(tw.gather, x, 0, k), want
    yield "mask", answer(tw.index, x, MASK), x[MASK]
    yield "compress", answer(tn.compress, MASK, x), np.compress(MASK, x)
    yield "extract", answer(tn.extract, MASK, x), np.extract(MASK, x)
    yield "along", answer(tn.take_along_axis, x, np.array([2, 1], ">i8"), 0), np.take_along_axis(x, np.array([2, 1]), 0)
    yield "zeros_like", answer(tn.zeros_like, x), np.zeros_like(x)
    for name in ("nonzero", "flatnonzero", "argwhere"):
        yield name, answer(getattr(tn, name), x), answer(getattr(np, name), x)
    yield "tw.nonzero", answer(lambda: tw.nonzero(x).ravel()), answer(lambda: np.nonzero(x)[0])
    yield "sort", answer(tn.sort, x.reshape(2, 2)), answer(lambda: np.sort(x.reshape(2, 2), kind="stable"))
    yield "argsort", answer(tn.argsort, x), answer(lambda: np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_reads(dtype):
    check(read(dtype))


def pair(a, b):
    x, y = example(a), example(b)
    two = y[:2]

    def both(ours, theirs, *values):
        return answer(stored, ours, x, *values), answer(stored, theirs, x, *values)

    def set_at(key):
        return lambda d, v: tn.setindex(d, key, v), lambda d, v: d.__setitem__(key, v)

    for key in ([2, 0], slice(1, 3), MASK):
        yield f"[{key!r}] =", *both(*set_at(key), two)
    yield "put", *both(lambda d, v: tn.put(d, [3, 1], v), lambda d, v: np.put(d, [3, 1], v), two)
    for name in ("putmask", "place"):
        yield name, *both(lambda d, v: getattr(tn, name)(d, MASK, v), lambda d, v: getattr(np, name)(d, MASK, v), y)
    at = np.array([3, 1])
    yield (
        "put_along_axis",
        *both(lambda d, v: tn.put_along_axis(d, at, v, 0), lambda d, v: np.put_along_axis(d, at, v, 0), two),
    )
    yield "where", answer(tn.where, MASK, x, y), answer(np.where, MASK, x, y)
    yield "tw.where", answer(tw.where, MASK, x, y), answer(np.where, MASK, x, y)
    want = answer(stored, lambda d, v: d.__setitem__([2, 0], v), x, two)
    yield "tw.scatter", answer(tw.scatter, x, 0, [2, 0], two), want
    yield "tw.at.set", answer(lambda: tw.at(x)[[2, 0]].set(two)), want
    yield "tw.index_put", answer(lambda: tw.index_put(x, ([2, 0],), two)), want
    yield "tw.index_copy", answer(lambda: tw.index_copy(x, 0, [2, 0], two)), want
    sequence = answer(np.sort, x)
    if isinstance(sequence, np.ndarray):
        found = answer(np.searchsorted, sequence, y)
        yield "searchsorted", answer(tn.searchsorted, sequence, y), found
        yield "tw.searchsorted", answer(tw.searchsorted, sequence, y), found
    out = example(b)[:2]
    took = answer(stored, lambda o: np.take(x, [2, 0], out=o), out)
    yield "take(out=)", answer(stored, lambda o: tn.take(x, [2, 0], out=o), out), took


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("a", ALL, ids=str)
def test_pairs(a):
    # A mistake of NumPy's own leaves an exception behind where it reads text as a date.
    text = [b for b in ALL if not (np.dtype(a).kind in "Mm" and np.dtype(b).kind in "USV")]
    check((f"{b} into {a}, {name}", got, want) for b in text for name, got, want in pair(a, b))


@pytest.mark.parametrize("dtype", DATES + OTHERS, ids=str)
def test_combining_is_refused_by_name_and_writes_nothing(dtype):
    x = example(dtype)
    before = x.tobytes()
    calls = [
        lambda: tw.scatter_add_(x, 0, [0, 0], x[:2]),
        lambda: tw.index_add_(x, 0, [0, 0], x[:2]),
        lambda: tw.scatter_reduce_(x, 0, [0, 0], x[:2], "amax"),
        lambda: tw.index_reduce_(x, 0, [0, 0], x[:2], "prod"),
        lambda: tw.index_put_(x, ([0, 0],), x[:2], accumulate=True),
        lambda: tw.put_(x, [0, 0], x[:2], accumulate=True),
        lambda: tw.at(x)[[0, 0]].add_(x[:2]),
        lambda: tw.tensor_scatter_(x, [[0], [0]], x[:2], "max"),
    ]
    for call in calls:
        with pytest.raises(TypeError) as refused:
            call()
        assert "record" not in str(refused.value)
        assert x.tobytes() == before


def test_gaps_are_filled_by_elements_of_the_dtype():
    dates = np.array(["2024-01-01", "2024-02-02"], "M8[D]")
    for value in (None, np.datetime64("NaT", "s")):
        got = tw.take(dates, [0, 9], bounds="fill", fill_value=value)
        assert got.dtype == dates.dtype and got[0] == dates[0] and np.isnat(got[1])
    got = tw.at(dates)[[9, 1]].get(bounds="fill", fill_value="1999-12-31")
    assert got.tolist() == np.array(["1999-12-31", "2024-02-02"], "M8[D]").tolist()
    wide = np.array([1, 2], "g")
    assert np.isnan(tw.take(wide, [5], bounds="fill"))[0]
    big = np.array([1, 2], ">f4")
    got = tw.take(big, [0, 5], bounds="fill", fill_value=7)
    assert got.dtype == big.dtype and got.tolist() == [1, 7]
    with pytest.raises(TypeError, match="too long"):
        tw.take(np.array(["abcdef"]), [3], bounds="fill")


def test_text_and_dates_are_stored_as_numpy_stores_them():
    dates = np.zeros(3, "M8[D]")
    tw.at(dates)[[1, 2]].set_(["2024-01-01", "1999-12-31"])
    assert dates.tolist() == np.array(["1970-01-01", "2024-01-01", "1999-12-31"], "M8[D]").tolist()
    names = np.array(["ab", "cd"])
    tw.at(names)[1].set_("xyz")
    assert names.tolist() == ["ab", "xy"]


def test_searches_among_dates():
    dates = np.array(["2024-01-01", "2024-01-03", "NaT", "NaT"], "M8[D]")
    for values in (np.array(["NaT", "2024-01-02T12"], "M8[h]"), np.array(["2024-01-03"], "M8[ns]")):
        for side in ("left", "right"):
            want = np.searchsorted(dates, values, side=side)
            assert tw.searchsorted(dates, values, side=side).tolist() == want.tolist()
            assert tw.PreparedSearch(dates).searchsorted(values, side=side).tolist() == want.tolist()


def test_pickles_keep_foreign_dtypes_apart():
    for dtype in (">f8", "S3", FIELDS):
        own = tw.from_dlpack(memoryview(example(dtype)))
        again = pickle.loads(pickle.dumps(own))
        assert str(again.dtype) == str(own.dtype) != "record"


def test_small_floats_of_pytorch_and_ml_dtypes_are_one_dtype():
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    small = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed here")
    x = torch.arange(4.0).to(torch.float8_e4m3fn)
    tw.scatter_(x, 0, [0, 1], np.array([3, 2], small.float8_e4m3fn))
    assert x.float().tolist() == [3, 2, 2, 3]
    # Of two kinds of small floats the values count, not the bytes.
    assert tw.scatter(x, 0, [0], torch.full((1,), 0.5).to(torch.float8_e5m2)).float()[0] == 0.5
    with pytest.raises(TypeError, match="float8_e4m3fn"):
        tw.scatter_add(x, 0, [0], x[:1])
    zeros = torch.tensor([0.0, -0.0, 2.0]).to(torch.float8_e5m2)
    assert tw.nonzero(zeros).tolist() == [[2]]
    half = torch.tensor([0, 1, 0], dtype=torch.int32).view(torch.complex32)
    assert tw.nonzero(half).tolist() == [[1]]
    for narrow in ("int1", "uint4"):
        with pytest.raises(TypeError, match=narrow):
            tw.take(torch.empty(4, dtype=getattr(torch, narrow)), [0])


def test_swapped_arrays_are_read_written_and_combined_as_native_ones():
    for a, b in itertools.product([">i4", ">f8", ">u2"], ["i4", ">i4", "f8"]):
        x = example(a)
        if not np.can_cast(b, a, "same_kind"):
            continue
        want = x.copy()
        np.add.at(want, [0, 0, 2], example(b)[:3])
        got = x.copy()
        tn.add.at(got, [0, 0, 2], example(b)[:3])
        assert got.dtype == want.dtype and got.tolist() == want.tolist()


STORED = [
    ("clongdouble", 1, 2.5),
    ("clongdouble", slice(None), [1, 2j, 3]),
    ("U30", 0, "text that is longer than an element of numbers"),
    ("U30", [1, 2], ["a", "bcd"]),
    ("U30", 1, 7),
    ("S4", Ellipsis, [b"a", b"bc", b"def"]),
    ("i4,U30", 0, (3, "x")),
    ("i4,U30", Ellipsis, [(1, "x"), (2, "y"), (3, "z")]),
    ("M8[D]", 2, "2020-01-01"),
    ("M8[D]", slice(None), ["2020-01-01", "NaT", "1999-12-31"]),
]


@pytest.mark.parametrize("dtype, key, value", STORED)
def test_what_is_stored_is_read_as_numpy_reads_it(dtype, key, value):
    ours, theirs = np.zeros(3, dtype), np.zeros(3, dtype)
    tn.setindex(ours, key, value)
    theirs[key] = value
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", ["clongdouble", "U10", "S20", "longdouble"])
def test_a_number_fills_elements_of_any_length(dtype):
    x = np.zeros(4, dtype)
    assert tn.full_like(x, 2).tolist() == np.full_like(x, 2).tolist()
    filled = tw.index_fill(x, 0, [1, 3], 5)
    want = x.copy()
    want[[1, 3]] = 5
    assert filled.tolist() == want.tolist()


def test_a_number_is_searched_in_spans_of_time():
    spans = np.array([1, 2, 3, "NaT"], "m8[D]")
    assert tn.searchsorted(spans, 2) == np.searchsorted(spans, 2)
    assert tn.searchsorted(spans, 2, side="right") == np.searchsorted(spans, 2, side="right")
    with pytest.raises(TypeError):
        tn.searchsorted(np.array(["2020-01-01"], "M8[D]"), 2.5)


@pytest.mark.parametrize("number", [10**400, -(10**100)])
def test_integers_beyond_128_bits_are_no_smaller_numbers(number):
    x, mask = np.ones(2), np.array([True, False])
    with pytest.raises(OverflowError):
        tw.where(mask, x, number)
    with pytest.raises(OverflowError):
        tw.masked_fill(x, mask, number)
    assert x.tolist() == [1, 1]
