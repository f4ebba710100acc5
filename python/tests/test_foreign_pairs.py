"""Pairs of operands of which one or both are of a dtype that only NumPy knows, or hold their bytes the other way round."""

import operator
import warnings

import numpy as np
import pytest

import takewise as tw
import takewise.numpy as tn

ml_dtypes = pytest.importorskip("ml_dtypes")

NUMBERS = ["?", "i1", ">i2", "<i4", ">i8", "u1", ">u4", "<u8", ">u8", ">f2", "<f4", ">f4", "<f8", ">f8", ">c8", "<c16"]
SMALL = ["int2", "int4", "uint2", "uint4", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "bfloat16"]
OTHERS = ["M8[D]", "M8[s]", "m8[s]", "m8[ns]", "g", "S3", "U2", ">U3", [("a", "i4"), ("b", "f8")]]
RELATIONS = ["eq", "ne", "lt", "le", "gt", "ge"]


def small(name):
    return np.dtype(getattr(ml_dtypes, name))


def made(dtype, values=(0, 1, 2, 3, 1, 0)):
    dtype = small(dtype) if dtype in SMALL else np.dtype(dtype)
    if dtype.names:
        return np.array([(v, v / 2)[: len(dtype.names)] for v in values], dtype)
    if dtype.kind in "SU":
        return np.array([str(v) for v in values]).astype(dtype)
    return np.array(values).astype(dtype)


DTYPES = [*NUMBERS, *SMALL, *OTHERS]


def asked(call):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except (TypeError, ValueError, RuntimeError) as error:
        return error


@pytest.mark.parametrize("one", DTYPES, ids=str)
@pytest.mark.parametrize("name", RELATIONS)
def test_comparisons_answer_as_numpy_does_or_refuse(name, one):
    x, answered = made(one), 0
    for other in DTYPES:
        y = made(other, (1, 1, 1, 2, 3, 0))
        want, got = asked(lambda: getattr(operator, name)(x, y)), asked(lambda: getattr(tw, name)(x, y))
        if isinstance(got, Exception):
            # The engine has a common dtype for bfloat16 and every number; else what NumPy answers is answered.
            assert isinstance(want, Exception), (other, got)
            assert str(got).startswith(f"{name}: "), got
            continue
        answered += 1
        if isinstance(want, Exception):
            assert "bfloat16" in (one, other), (other, got)
            continue
        np.testing.assert_array_equal(got, want, err_msg=f"{one} {name} {other}")
    assert answered or name not in ("eq", "ne")


@pytest.mark.parametrize("one", [*NUMBERS, *SMALL], ids=str)
def test_a_number_beside_a_foreign_dtype_is_compared(one):
    x = made(one)
    for name in RELATIONS:
        for number in (1, 1.5):
            want, got = asked(lambda: getattr(operator, name)(x, number)), asked(lambda: getattr(tw, name)(x, number))
            if not isinstance(got, Exception):
                np.testing.assert_array_equal(got, want, err_msg=f"{one} {name} {number}")
            else:
                assert one in SMALL


@pytest.mark.parametrize("one", [*NUMBERS, *SMALL], ids=str)
def test_connectives_ask_what_is_not_zero(one):
    x = made(one)
    for other in NUMBERS:
        y = made(other, (1, 0, 1, 0, 3, 0))
        for name in ("logical_and", "logical_or"):
            want, got = asked(lambda: getattr(np, name)(x, y)), asked(lambda: getattr(tw, name)(x, y))
            assert isinstance(got, Exception) or isinstance(want, Exception) or (got == want).all(), (other, name)
            if one in NUMBERS:
                assert not isinstance(got, Exception), (other, got)


def test_no_date_is_equal_to_nothing():
    x = np.array(["NaT", "2020-01-01", "2021-01-01"], "M8[D]")
    y = np.array(["NaT", "2020-01-01", "2020-01-01"], "M8[s]")
    for name in RELATIONS:
        np.testing.assert_array_equal(getattr(tw, name)(x, y), getattr(operator, name)(x, y))
    assert not tw.equal(x, x) and tw.equal(x[1:], x[1:].astype("M8[s]"))
    with pytest.raises(TypeError, match=r"datetime64\[D\].*float64|float64.*datetime64\[D\]"):
        tw.lt(x, np.zeros(3))


# What numbers may not be combined with, and what is asked for them.
REFUSED = ["M8[D]", "m8[s]", "S3", "U2", "g", [("a", "i4")]]
COMBINED = {
    "index_add": lambda x, u: tw.index_add(x, 0, [0], u),
    "index_add_": lambda x, u: tw.index_add_(x, 0, [0], u),
    "index_reduce amax": lambda x, u: tw.index_reduce(x, 0, [0], u, "amax"),
    "index_reduce prod": lambda x, u: tw.index_reduce(x, 0, [0], u, "prod"),
    "scatter_add": lambda x, u: tw.scatter_add(x, 0, [0], u),
    "scatter_reduce": lambda x, u: tw.scatter_reduce(x, 0, [0], u, "amin"),
    "put": lambda x, u: tw.put_(x, [0], u, accumulate=True),
    "index_put_": lambda x, u: tw.index_put_(x, [0], u, accumulate=True),
    "tensor_scatter": lambda x, u: tw.tensor_scatter(x, [[0]], u, "max"),
    "at.add": lambda x, u: tw.at(x)[[0]].add(u),
    "at.max_": lambda x, u: tw.at(x)[[0]].max_(u),
}
# Those of `takewise.numpy` hand such pairs to NumPy's own.
NUMPYS = {
    "add_at": (tn.add_at, np.add),
    "subtract_at": (tn.subtract_at, np.subtract),
    "multiply_at": (tn.multiply_at, np.multiply),
    "maximum_at": (tn.maximum_at, np.maximum),
    "minimum.at": (tn.minimum.at, np.minimum),
}


@pytest.mark.parametrize("dtype", ["u1", "i8", ">i2", "f8", ">f4", "c16"])
@pytest.mark.parametrize("name", COMBINED)
def test_numbers_are_not_combined_with_what_is_none(name, dtype):
    for other in REFUSED:
        x, u = made(dtype, (1, 2, 3)), made(other, (1,))
        with pytest.raises(TypeError) as refused:
            COMBINED[name](x, u)
        # Long doubles are numbers, and wider than any integer.
        words = "would change in an array" if other == "g" and x.dtype.kind in "iu" else "have no common dtype"
        assert words in str(refused.value), refused.value
        assert str(u.dtype)[:8] in str(refused.value), refused.value
        np.testing.assert_array_equal(x, made(dtype, (1, 2, 3)))


@pytest.mark.parametrize("dtype", ["u1", "i8", ">i2", "f8", ">f4", "c16"])
@pytest.mark.parametrize("name", NUMPYS)
def test_numpys_sums_of_numbers_and_what_is_none_are_numpys(name, dtype):
    own, reference = NUMPYS[name]
    for other in REFUSED:
        x, y, u = made(dtype, (1, 2, 3)), made(dtype, (1, 2, 3)), made(other, (2,))
        want, got = asked(lambda: reference.at(x, [0], u)), asked(lambda: own(y, [0], u))
        assert (type(got), str(got)) == (type(want), str(want)), other
        np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("name", ["float8_e5m2", "float8_e4m3fn"])
def test_small_floats_are_combined_with_wide_ones(name):
    u = made(name, (2,))
    assert (tw.index_add(np.ones(3, "f4"), 0, [1], u) == [1, 3, 1]).all()
    x = np.ones(3, ">f8")
    tn.add_at(x, [1, 1], made(name, (2, 3)))
    assert x.tolist() == [1, 6, 1]


CASTING = ["no", "equiv", "safe", "same_kind", "unsafe"]


@pytest.mark.parametrize("one", DTYPES, ids=str)
def test_copyto_casts_by_the_rule_of_numpy(one):
    for other in DTYPES:
        for casting in CASTING:
            x, y, src = made(one), made(one), made(other)
            want = asked(lambda: np.copyto(x, src, casting=casting))
            got = asked(lambda: tn.copyto(y, src, casting=casting))
            if "bfloat16" in (one, other) and isinstance(got, Exception) != isinstance(want, Exception):
                # Which casts of it are of one kind the package that has this dtype tells otherwise for some.
                continue
            assert isinstance(got, Exception) == isinstance(want, Exception), (other, casting, want, got)
            # What NumPy wrote before it failed is written here too.
            assert y.tolist() == x.tolist(), (other, casting)


def test_a_mask_for_copyto_is_boolean():
    with pytest.raises(TypeError, match="int64.*bool"):
        tn.copyto(np.zeros(3), 1.0, where=np.array([0, 1, 1]))


# From 2.5 on NumPy casts whatever is taken into `out`, and says nothing of what is lost.
CASTS = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


@pytest.mark.parametrize("one", DTYPES, ids=str)
def test_other_writes_cast_where_numpy_does(one):
    """`put`, `putmask`, `place`, `take(out=)` and `compress(out=)`, each by its own rule."""
    calls = {
        "put": lambda n, x, y: n.put(x, [0, 2], y),
        "putmask": lambda n, x, y: n.putmask(x, [True, False, True, True, False, False], y),
        "place": lambda n, x, y: n.place(x, np.array([True, False, True, True, False, False]), y),
        "take": lambda n, x, y: n.take(y, [0, 1, 2, 3, 4, 5], out=x),
        "compress": lambda n, x, y: n.compress([True] * 6, y, out=x),
    }
    for other in DTYPES:
        for name, call in calls.items():
            x, y, src = made(one), made(one), made(other)
            want, got = asked(lambda: call(np, x, src)), asked(lambda: call(tn, y, src))
            if isinstance(got, Exception) != isinstance(want, Exception):
                refused = "bfloat16" in (one, other) or name in ("take", "compress") and CASTS
                assert isinstance(got, Exception) and refused, (name, other, want, got)
                continue
            if isinstance(got, Exception) and name in ("take", "compress") and CASTS:
                continue  # what NumPy has written when it fails stands
            left = made(one) if isinstance(got, Exception) else x
            assert y.tolist() == left.tolist() or "bfloat16" in (one, other), (name, other)


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]", "S3", "U2", [("a", "i4"), ("b", "f8")], ">i4", "g"], ids=str)
@pytest.mark.parametrize("count", [2, 40])
def test_membership_of_every_dtype(dtype, count):
    x, among = made(dtype), made(dtype, range(2, 2 + count))
    for invert in (False, True):
        want = asked(lambda: np.isin(x, among, invert=invert))
        got = asked(lambda: tn.isin(x, among, invert=invert))
        assert not isinstance(want, Exception)
        np.testing.assert_array_equal(got, want)
    assert (tn.isin(x, np.zeros(0, x.dtype)) == np.isin(x, np.zeros(0, x.dtype))).all()


def test_membership_of_dates_in_another_unit_and_of_what_is_nothing_alike():
    days = np.array(["2020-01-01", "NaT", "2020-01-03"], "M8[D]")
    seconds = np.arange(np.datetime64("2020-01-02", "s"), np.datetime64("2020-01-02T00:01", "s"))
    for among in (seconds, np.append(seconds, days[2].astype("M8[s]")), days.astype("M8[h]"), np.arange(2)):
        np.testing.assert_array_equal(tn.isin(days, among), np.isin(days, among))
    assert tn.isin(np.array(["1", "2"]), np.arange(3)).tolist() == np.isin(np.array(["1", "2"]), np.arange(3)).tolist()
