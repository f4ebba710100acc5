"""Numbers stored into text: every function that stores, every kind of number that NumPy and ml_dtypes have, alone, as an array of
rank 0 and in a list. The answer is NumPy's, or it is refused and nothing is written."""

import warnings

import numpy as np
import pytest

import takewise as tw
import takewise.numpy as tn

ml_dtypes = pytest.importorskip("ml_dtypes")

TEXTS = ["U4", "S4", ">U6"]
NUMBERS = {
    **{name: getattr(np, name)(1) for name in ("bool_", "int8", "int16", "int32", "int64")},
    **{name: getattr(np, name)(7) for name in ("uint8", "uint16", "uint32", "uint64")},
    # The text of a float says how wide it is.
    **{name: getattr(np, name)("0.1") for name in ("float16", "float32", "float64", "longdouble")},
    **{name: getattr(np, name)(1.5) for name in ("complex64", "complex128", "clongdouble")},
    **{name: value(1) for name, value in vars(ml_dtypes).items() if isinstance(value, type) and value is not np.dtype
       and issubclass(value, np.generic)},
    "Python's": 0.1, "Python's bool": True, "Python's int": 300, "Python's complex": 1j,
}
FORMS = {"alone": lambda number: number, "of rank 0": np.array, "in a list": lambda number: [number]}
FIRST = np.array([True, False])


def stored(into):
    """NumPy's subscript, for functions that only the engine has."""
    return lambda x, v: x.__setitem__(into, v)


# By name: what NumPy does, and what is asked.
WRITES = {
    "index_put_": (stored([0]), lambda x, v: tw.index_put_(x, [[0]], v)),
    "at.set": (stored([0]), lambda x, v: tw.at(x)[[0]].set(v)),
    "at.set_": (stored([0]), lambda x, v: tw.at(x)[[0]].set_(v)),
    "masked_fill": (stored(FIRST), lambda x, v: tw.masked_fill(x, FIRST, v)),
    "masked_fill_": (stored(FIRST), lambda x, v: tw.masked_fill_(x, FIRST, v)),
    "index_fill": (stored([0]), lambda x, v: tw.index_fill(x, 0, [0], v)),
    "index_fill_": (stored([0]), lambda x, v: tw.index_fill_(x, 0, [0], v)),
    "scatter": (stored([0]), lambda x, v: tw.scatter(x, 0, [0], v)),
    "scatter_": (stored([0]), lambda x, v: tw.scatter_(x, 0, [0], v)),
    "index_copy": (stored([0]), lambda x, v: tw.index_copy(x, 0, [0], v)),
    "masked_scatter": (stored(FIRST), lambda x, v: tw.masked_scatter(x, FIRST, v)),
    "tensor_scatter": (stored([0]), lambda x, v: tw.tensor_scatter(x, [[0]], v)),
    "put": (stored([0]), lambda x, v: tw.put(x, [0], v)),
    "put_along_axis": (stored([0]), lambda x, v: tw.put_along_axis(x, [0], v, 0)),
    "numpy.put": (lambda x, v: np.put(x, [0], v), lambda x, v: tn.put(x, [0], v)),
    "numpy.putmask": (lambda x, v: np.putmask(x, FIRST, v), lambda x, v: tn.putmask(x, FIRST, v)),
    "numpy.place": (lambda x, v: np.place(x, FIRST, v), lambda x, v: tn.place(x, FIRST, v)),
    "numpy.copyto": (lambda x, v: np.copyto(x, v, where=FIRST), lambda x, v: tn.copyto(x, v, where=FIRST)),
    "numpy.put_along_axis": (lambda x, v: np.put_along_axis(x, np.array([0]), v, 0),
                             lambda x, v: tn.put_along_axis(x, np.array([0]), v, 0)),
    "numpy.where": (lambda x, v: np.where(FIRST, v, x), lambda x, v: tn.where(FIRST, v, x)),
    "numpy.select": (lambda x, v: np.select([FIRST], [x], v), lambda x, v: tn.select([FIRST], [x], v)),
    "numpy.choose": (lambda x, v: np.choose([0, 1], [v, x]), lambda x, v: tn.choose([0, 1], [v, x])),
}


def asked(call, x, value):
    """The result, or the array that was written into; or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = call(x, value)
    except (TypeError, ValueError, NotImplementedError) as error:
        return error
    return np.asarray(x if made is None else made)


@pytest.mark.parametrize("name", WRITES)
def test_numbers_become_the_text_that_numpy_gives_them(name):
    numpys, ours = WRITES[name]
    answered = 0
    for dtype in TEXTS:
        for number, form in ((n, f) for n in NUMBERS for f in FORMS):
            x, y = (np.array(["abc", "de"], dtype) for _ in range(2))
            value = FORMS[form](NUMBERS[number])
            want, got = asked(numpys, x, value), asked(ours, y, value)
            if isinstance(got, Exception):
                assert y.tolist() == np.array(["abc", "de"], dtype).tolist(), (dtype, number, form)
                continue
            answered += 1
            if isinstance(want, Exception):
                # NumPy 1.26 chooses among texts and numbers in arrays alone.
                assert name == "numpy.choose" and np.lib.NumpyVersion(np.__version__) < "2.0.0", (dtype, number, form, got, want)
                continue
            assert got.tolist() == want.tolist(), (dtype, number, form)
    assert answered > 20 or name in ("numpy.where", "numpy.choose", "masked_scatter", "index_copy"), answered


@pytest.mark.parametrize("name", WRITES)
def test_no_number_of_ml_dtypes_has_a_text(name):
    for number in ("bfloat16", "float8_e4m3fn", "int4"):
        for form in FORMS.values():
            x = np.array(["abc", "de"])
            with pytest.raises((TypeError, ValueError), match=r"\S"):
                WRITES[name][1](x, form(NUMBERS[number]))
            assert x.tolist() == ["abc", "de"]


def test_a_list_is_stored_element_by_element():
    x, y = np.array(["abcd"] * 3), np.array(["abcd"] * 3)
    values = [True, 2, np.float32(0.1)]
    x[[0, 1, 2]] = values
    assert tw.put(y, [0, 1, 2], values).tolist() == x.tolist() == ["True", "2", "0.1"]
    # What NumPy makes no such element of is refused.
    with pytest.raises(TypeError):
        tw.put(np.zeros(2, "V3"), [0], [1])
    with pytest.raises(TypeError):
        tw.masked_fill(np.zeros(2, "V3"), FIRST, "q")
