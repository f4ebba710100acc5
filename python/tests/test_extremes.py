"""Arguments and operands at the ends of what there is: the library's answer or a refusal, and the process goes on."""

import sys

import numpy as np
import pytest
from programs import run

import takewise as tw
import takewise.numpy as tn

LEAST, MOST = -(2**63), 2**63 - 1
STRUCT = np.dtype([("n", "<i2"), ("x", ">f4")])


def same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
    assert np.array_equal(got, want, equal_nan=want.dtype.kind in "fc"), (got, want)


@pytest.mark.parametrize("k", [LEAST, LEAST + 1, -(2**40), 2**40, MOST - 1, MOST])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_diagonals_beyond_a_matrix(name, k):
    x = np.arange(6).reshape(2, 3)
    want = x if (k > 0) == (name == "tril") else np.zeros_like(x)
    same(getattr(tw, name)(x, k), want)
    same(getattr(tw, f"{name}_indices")(2, 3, k), np.nonzero(want if want is not x else x + 1))


@pytest.mark.parametrize("shift", [(2**62, 2**62), (MOST, MOST), (LEAST, LEAST), (MOST, MOST, 3)])
def test_shifts_add_up_beyond_64_bits(shift):
    x = np.arange(7)
    same(tn.roll(x, shift), np.roll(x, sum(shift) % 7))


def test_ranges_are_read_whole():
    n = 10_000_003
    made = tn.array(range(5, 5 + n))
    assert made.shape == (n,) and made[-1] == n + 4
    assert tn.array(range(10, 0, -3)).tolist() == [10, 7, 4, 1] and tn.array(range(3, 3)).shape == (0,)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not keep to a limit of data")
@pytest.mark.parametrize(
    "call",
    [
        "tn.array(range(10**18))",
        "tw.tensor(range(10**18))",
        "tw.take(range(10**18), [0])",
        "tw.tensor([np.broadcast_to(1.0, (2**40,))])",
        "tn.diag_indices(3, 2**40)",
        "tn.diag_indices(2**31)",
        "tw.scatter(np.zeros(3), 0, huge[: 2**27], np.broadcast_to(1.0, (2**27,)), duplicates='error')",
        "tw.take(np.arange(3.0), huge)",
        "tn.tril_indices(2**31, 0, 2**31)",
        "tn.indices((2**31, 1), sparse=True)",
        "tn.zeros(2**40)",
    ],
)
def test_what_there_is_no_memory_for_is_an_error(call):
    run(
        f"""
        import resource
        huge = np.broadcast_to(np.int64(0), (2**40,))
        status = open("/proc/self/status").read().split("VmData:")[1]
        used = int(status.split()[0]) << 10
        resource.setrlimit(resource.RLIMIT_DATA, (used + (1 << 30),) * 2)
        try:
            {call}
        except MemoryError:
            pass
        else:
            raise AssertionError("no error")
        """,
        head="import numpy as np, takewise as tw, takewise.numpy as tn\n",
    )


@pytest.mark.parametrize("dtype", ["S3", "U2", "V3", "M8[s]", "m8[D]", ">f4", ">c8", "g", [("n", "<i2"), ("t", "S3"), ("u", "U2")]])
def test_zeros_of_a_dtype_without_numbers_are_its_own(dtype):
    for given in (dtype, np.dtype(dtype)):
        same(tn.zeros((2, 2), dtype=given), np.zeros((2, 2), given))
        same(tn.zeros_like(np.ones(3), dtype=given), np.zeros_like(np.ones(3), dtype=given))
        same(tn.zeros((2,), given), np.zeros((2,), given))
    if dtype != "V3":
        same(tn.eye(2, dtype=dtype), np.eye(2, dtype=dtype))


@pytest.mark.parametrize("dtype", ["f4", "float64", "<i2", "?", "complex64", "datetime64[D]", "i2,f4"])
def test_a_dtype_may_be_a_text(dtype):
    same(tn.zeros(3, dtype=dtype), np.zeros(3, dtype))
    same(tn.asarray(np.zeros(3, np.dtype(dtype))), np.zeros(3, dtype))
    with pytest.raises(TypeError):
        tn.zeros(3, dtype="no dtype")


@pytest.mark.parametrize("dtype", ["c8", "c16", ">c8"])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_complex_numbers_that_are_none_prevail(name, dtype):
    nan = float("nan")
    values = np.array([1 + 2j, complex(nan, 1), 3, complex(2, nan), -1j, 5, nan], dtype)
    for order in (slice(None), slice(None, None, -1)):
        got, want = np.ones(3, dtype), np.ones(3, dtype)
        index = np.array([0, 0, 1, 1, 2, 2, 0])
        getattr(tn, name).at(got, index, values[order])
        getattr(np, name).at(want, index, values[order])
        assert np.array_equal(np.isnan(got), np.isnan(want)) and np.array_equal(got[~np.isnan(want)], want[~np.isnan(want)])


@pytest.mark.parametrize("side", ["left", "right"])
def test_structs_with_what_is_no_number_are_searched_as_numpy_does(side):
    x = np.zeros(9, STRUCT)
    x["n"], x["x"] = [1, 0, 1, 2, 0, 2, 1, 0, 2], [3, np.nan, np.nan, 1, np.nan, 1, 3, 0, np.nan]
    ordered = np.sort(x)
    same(tn.searchsorted(ordered, x, side=side), np.searchsorted(ordered, x, side=side))
    dates = np.zeros(4, [("d", "M8[s]")])
    dates["d"] = ["NaT", "2000-01-01", "NaT", "1999-01-01"]
    ordered = np.sort(dates)
    same(tn.searchsorted(ordered, dates, side=side), np.searchsorted(ordered, dates, side=side))


LISTS = [[300], [-1], [256, 1], [2**63], [1.5], [1e300], [float("nan")], [float("inf")], [1j], (300,), [np.int64(300)], [10**40]]


@pytest.mark.parametrize("values", LISTS, ids=repr)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", ">i2", "i8", "u8", "f4", ">f8", "c8", "g"])
def test_numbers_in_a_list_fit_the_array_they_are_stored_in(dtype, values):
    calls = [
        lambda np_, x: np_.put(x, [0, 1], values),
        lambda np_, x: np_.putmask(x, [True, False, True], values),
        lambda np_, x: np_.place(x, np.array([True, False, True]), values),
        lambda np_, x: np_.fill_diagonal(x.reshape(1, 3), values),
        lambda np_, x: x.__setitem__(slice(0, 1), np_.asarray(values, dtype=x.dtype)[:1]),
        lambda np_, x: x.__setitem__(slice(0, 1), np_.array(values, dtype=x.dtype)[:1]),
        lambda np_, x: tn.setindex(x, [0], values[:1]) if np_ is tn else x.__setitem__([0], values[:1]),
    ]
    for call in calls:
        outcomes = []
        for np_ in (np, tn):
            x = np.arange(3).astype(dtype)
            try:
                with np.errstate(all="ignore"):
                    call(np_, x)
                outcomes.append(x.tolist())
            except (OverflowError, ValueError, TypeError) as error:
                outcomes.append(type(error))
        assert repr(outcomes[0]) == repr(outcomes[1]), (dtype, values)
