"""What NumPy's own tests found: classes of arrays, of objects between brackets, and of errors."""

import array
import pickle
import warnings

import numpy as np
import pytest

import takewise
import takewise.numpy as tnp


pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")


class Kept(np.ndarray):
    """Remembers what it was made from."""

    def __array_finalize__(self, other):
        self.other = other


class Like:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value)


class Pair:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return range(2)[i]


def both(f, *args):
    """The same call by NumPy and by takewise: class of the error, or class, dtype and values of the result."""
    made = []
    for library in (np, tnp):
        try:
            made.append(f(library, *args))
        except Exception as error:
            made.append(error)
    want, got = made
    if isinstance(want, Exception):
        assert isinstance(got, type(want)), f"{got!r}, not {want!r}"
    else:
        assert type(got) is type(want), f"{got!r}, not {want!r}"
        assert np.array_equal(got, want) and got.dtype == want.dtype and got.shape == want.shape
    return got


def get(library, x, key):
    return x[key] if library is np else tnp.index(x, key)


def test_results_keep_their_class():
    for x in (np.matrix([[1, 2, 3], [4, 5, 6]]), np.arange(6).view(Kept), np.rec.array([(1, 2.0), (3, 4.0)], names="a,b")):
        for key in ([0, 1], slice(1), ..., 0, np.arange(len(x)) > 0):
            both(get, x, key)
    m = np.matrix([[1, 2, 3], [4, 5, 6]])
    for key in ((slice(None), 0), (0, slice(None)), (0, 1), m > 1):
        both(get, m, key)
    m = np.matrix([[3, 1, 2]])
    for f in (
        lambda library: library.take(m, [0, 2]),
        lambda library: library.compress([True], m, axis=0),
        lambda library: library.extract([True, False, True], m),
        lambda library: library.argsort(m),
        lambda library: library.sort(m),
        lambda library: library.nonzero(m)[0],
        lambda library: library.searchsorted(np.arange(4), m),
    ):
        both(f)


def test_views_of_a_class_are_made_from_their_array():
    x = np.arange(5).view(Kept)
    view, copy = tnp.index(x, slice(3)), tnp.index(x, [0, 1])
    assert view.other is x and np.shares_memory(view, x)
    assert type(copy) is Kept and type(copy.base) is np.ndarray and not np.shares_memory(copy, x)
    view[0] = 7
    assert x[0] == 7


def test_views_are_written_as_their_class_makes_them():
    x = np.matrix(np.zeros((3, 2)))
    tnp.setindex(x, (slice(None), 1), [[1.0], [2.0], [3.0]])
    assert x.tolist() == [[0, 1], [0, 2], [0, 3]]


def test_objects_that_are_arrays():
    x = np.arange(5)
    for o in (Like([1, 2]), Like(1), Like([True, False, True, False, True]), Like(1.5), Pair(), memoryview(x)):
        both(get, x, o)
        both(get, x, (o,))
    tnp.setindex(x, Like([0, 1]), Like([7, 8]))
    assert x.tolist() == [7, 8, 2, 3, 4]
    assert tnp.take(Like([5, 6]), 1) == 6


@pytest.mark.parametrize("bound", [np.array([1]), np.array(1), np.bool_(True), np.array(True), np.int8(2), np.array([[1]]), True, 1.0])
def test_bounds_of_slices(bound):
    both(get, np.arange(5), slice(bound, None))
    both(get, np.arange(5), slice(None, bound, 1))


@pytest.mark.parametrize("key", [(slice(0.0, None), 0.0), (slice("a"), "b"), (slice(0.0, None), 0), 1 << 63, 1 << 64, -(1 << 63) - 1, (0, 1 << 64)])
def test_classes_of_errors(key):
    both(get, np.ones((3, 3)), key)


def test_more_axes_and_index_arrays_than_there_is_room_for():
    for axes in (1, 2, 63, 64):
        x = np.ones((1,) * axes)
        for entry in (True, False, np.array([0]), None, np.array(True)):
            for count in (1, 2, 61, 62, 63, 64, 65, 80):
                key = (entry,) * count
                both(get, x, key)
                with pytest.raises(IndexError) if isinstance(error(x, key), IndexError) else warnings.catch_warnings():
                    tnp.setindex(x.copy(), key, 1.0)


def error(x, key):
    try:
        x[key]
    except Exception as raised:
        return raised
    return None


@pytest.mark.parametrize("key", [(..., [1, 2], slice(None)), ([0, 1], ..., 0), (..., [1, 2], [1, 2]), 0])
def test_a_message_that_names_both_shapes_ends_with_the_last(key):
    x = np.zeros((3, 4, 5, 6, 7))
    with pytest.raises(ValueError) as raised:
        tnp.setindex(x, key, np.zeros((100, 100)))
    assert str(raised.value).endswith(str(x[key].shape).replace(" ", ""))


def test_keywords_are_numpys():
    x = np.arange(4)
    assert tnp.searchsorted(a=x, v=2) == 2
    assert tnp.take(a=x, indices=[1]).tolist() == [1]
    tnp.put(a=x, ind=[0], v=[9])
    tnp.putmask(x, values=[-1, -2], mask=[0, 1, 0, 0])
    assert x.tolist() == [9, -2, 2, 3]
    assert tnp.take_along_axis(arr=x, indices=np.array([1]), axis=0).tolist() == [-2]
    with pytest.raises(TypeError):
        tnp.putmask(a=x, values=[-1, -2], mask=[0, 1])


def test_complex_values_stored_as_real_ones_are_warned_of():
    for store in (
        lambda x, v: tnp.setindex(x, [0, 1], v),
        lambda x, v: tnp.setindex(x, ..., v),
        lambda x, v: tnp.put(x, [0], v),
    ):
        x = np.zeros(2)
        with pytest.warns(np.exceptions.ComplexWarning):
            store(x, np.array([1 + 2j, 3]))
        assert x[0] == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(np.exceptions.ComplexWarning):
                store(x, np.array([5j, 6]))
            assert x[0] == 1
            store(np.zeros(2, complex), np.array([1j, 2]))


def test_an_axis_error_is_of_numpys_class_and_travels():
    with pytest.raises(np.exceptions.AxisError) as caught:
        tnp.take_along_axis(np.ones((2, 2)), np.zeros((2, 2), int), axis=10)
    assert isinstance(caught.value, takewise.exceptions.AxisError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and isinstance(again, np.exceptions.AxisError)


def test_out_beside_a_scalar_of_numpys():
    a, out = np.arange(6).reshape(2, 3), np.zeros((2, 3), int)
    kept = tnp.choose(a % 2, (a, np.int64(-1)), out=out)
    assert kept is out and out.tolist() == np.choose(a % 2, (a, np.int64(-1))).tolist()


@pytest.mark.parametrize("given, words", [([1], "out of bounds"), (1, "out of bounds"), ([0], "multiple indices")])
def test_positions_in_an_array_without_axes(given, words):
    for function in (np.unravel_index, tnp.unravel_index):
        with pytest.raises(ValueError, match=words):
            function(given, ())


def test_put_wants_whole_numbers_and_places():
    for put in (np.put, tnp.put):
        x = np.zeros(3)
        with pytest.raises(OverflowError):
            put(x, float("inf"), 1, mode="wrap")
        with pytest.raises(ValueError):
            put(x, [float("nan")], 1, mode="wrap")
        with pytest.raises(IndexError, match="empty array"):
            put(np.zeros(0), [0], 1)
        put(np.zeros(0), [], 1)
        put(x, [1.9], 5)
        assert x.tolist() == [0, 5, 0]


def test_values_combined_have_no_more_axes_than_the_places():
    for ours, theirs in ((tnp.add_at, np.add.at), (tnp.maximum_at, np.maximum.at)):
        for at in (ours, theirs):
            x = np.zeros((2, 2))
            with pytest.raises(ValueError, match="not broadcastable"):
                at(x, [0, 1], np.ones((1, 2, 2)))
            at(x, [0, 1], np.ones((1, 2)))
            assert x.tolist() == [[1, 1], [1, 1]]


def test_a_long_number_is_shortened():
    with pytest.raises(IndexError) as caught:
        takewise.index(np.zeros(3), -(10**400))
    assert str(caught.value) == "index -1000000000000000000... of 401 digits is beyond 64 bits"


def test_numbers_among_arrays_lose_nothing():
    for number in (16777217.5, [16777217.5], 1 + 16777217.5j):
        _, wide = takewise.broadcast_tensors(np.zeros((2, 1)), number)
        assert wide.dtype == np.asarray(number).dtype and wide[0, 0] == np.ravel(number)[0]
    grid = takewise.meshgrid(np.zeros(2), [16777217.5])[1]
    assert grid.dtype == np.float64 and grid[0, 0] == 16777217.5


@pytest.mark.parametrize("dtype", ["M8[s]", ">M8[s]", "m8[D]"])
def test_what_no_value_names_is_no_time(dtype):
    assert np.isnat(takewise.take(np.ones(2, dtype), np.array([5]), bounds="fill")).all()


class Offering:
    """Offers a copy of its array to whoever asks, and is none itself."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array.copy()


@pytest.mark.parametrize("made", [Offering, list, np.ndarray.tolist])
def test_what_is_no_array_is_not_written_into(made):
    for write in (
        lambda x: tnp.put(x, [0], 1.0),
        lambda x: tnp.put(a=x, ind=[0], v=1.0),
        lambda x: tnp.put_along_axis(x, np.array([0]), 1.0, 0),
        lambda x: tnp.place(x, [True] * 4, [1.0]),
        lambda x: tnp.putmask(x, [True] * 4, [1.0]),
        lambda x: tnp.copyto(x, 1.0),
        lambda x: tnp.copyto(dst=x, src=1.0),
        lambda x: tnp.fill_diagonal(x, 1.0),
        lambda x: tnp.add_at(x, [0], 1.0),
        lambda x: tnp.minimum_at(x, [0], 1.0),
        lambda x: tnp.take(np.ones(4), np.arange(4), out=x),
    ):
        x = made(np.zeros(4))
        with pytest.raises(TypeError):
            write(x)
    assert tnp.take(Offering(np.arange(4)), 2) == 2


def test_numbers_beyond_64_bits_are_not_counted_in():
    with pytest.raises(MemoryError):
        takewise.arange(10**400)
    with pytest.raises(OverflowError, match="too large"):
        takewise.linspace(0, -(10**400), 5)
    with pytest.raises(ValueError):
        takewise.arange(3j)


@pytest.mark.parametrize("function", [tnp.place, tnp.putmask])
def test_a_mask_is_what_its_library_makes_booleans_of(function):
    with pytest.raises(TypeError):
        function(np.zeros(3), np.zeros(3, "i4,f4"), [1])
    x, y = np.zeros(3), np.zeros(3)
    mask = np.array(["a", "", "b"])
    function(x, mask, [1])
    getattr(np, function.__name__)(y, mask, [1])
    assert x.tolist() == y.tolist()


def test_dates_are_equal_to_no_number():
    x = np.ones(3, "M8[s]")
    for number in (1, 1.5, True):
        assert takewise.eq(x, number).tolist() == (x == number).tolist() == [False] * 3
        assert takewise.ne(x, number).tolist() == [True] * 3
        assert tnp.isin(x, number).tolist() == np.isin(x, number).tolist() == [False] * 3


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", ">i2", ">u4", ">c8"])
def test_sums_in_the_other_order_of_bytes(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    for axes in (None, 0, [0, 1]):
        got = takewise.sum(x) if axes is None else takewise.sum(x, axes)
        assert np.array_equal(got, x.sum(axis=tuple(axes) if isinstance(axes, list) else axes))


def test_text_that_is_lent_is_text():
    # The code of wide characters: the older one warns where there is a newer.
    text = array.array("w" if "w" in array.typecodes else "u", "abc")
    got = tnp.take(text, [2, 0])
    assert got.dtype == np.asarray(text).dtype and got.tolist() == ["c", "a"]


def test_records_and_structs_keep_their_own_class():
    struct = np.array([(1, 2.5), (3, 4.5)], "i2,f8")
    records = struct.view(np.dtype((np.record, struct.dtype)))
    for x in (records, struct, records):
        got = tnp.extract([True, False], x)
        assert got.dtype == x.dtype and got.dtype.type is x.dtype.type


@pytest.mark.parametrize("unit", ["M8[D]", "m8[s]"])
@pytest.mark.parametrize("values", [[3.7], (1.5,), [1, 2.5], [1j], [[1.5]]])
def test_floats_in_a_list_are_no_dates(unit, values):
    mask = np.array([True, False, False])
    calls = [
        lambda m, x: m.place(x, mask, values),
        lambda m, x: m.putmask(x, mask, values),
        lambda m, x: m.put(x, [0], values),
    ]
    for call in calls:
        for module in (np, tnp):
            x = np.zeros(3, unit)
            with pytest.raises(ValueError):
                call(module, x)
            assert (x == np.zeros(3, unit)).all()
    with pytest.raises(ValueError):
        takewise.put(np.zeros(3, unit), [0], values)
    # Whole numbers are, and floats are numbers of other widths.
    for x, right in ((np.zeros(3, unit), [3]), (np.zeros(3, "g"), [3.5])):
        tnp.put(x, [0], right)
        want = np.zeros(3, x.dtype)
        np.put(want, [0], right)
        assert (x == want).all()


@pytest.mark.parametrize("number", [np.float64(3.7), np.float32(3.7), np.int64(3), np.float16(2)])
def test_scalars_are_placed_as_numbers_are(number):
    mask = np.array([True, False, True])
    for dtype in ("i4", "u1", "f4"):
        for name in ("place", "putmask"):
            ours, theirs = np.zeros(3, dtype), np.zeros(3, dtype)
            getattr(tnp, name)(ours, mask, number)
            getattr(np, name)(theirs, mask, number)
            assert (ours == theirs).all()
