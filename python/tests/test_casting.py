"""No write and no sum changes a value in silence: every writing function, with every pair of dtypes and every kind of operand."""

import itertools

import numpy as np
import pytest

import takewise

ml_dtypes = pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered in cast:RuntimeWarning")
torch = pytest.importorskip("torch")

WHERE = np.array([2, 0])
NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
)
DTYPES = {name: np.dtype(getattr(ml_dtypes, name, None) or name) for name in NAMES}
TORCH = {name: getattr(torch, name) for name in NAMES}


def at(method):
    return lambda x, values, **how: getattr(takewise.at(x)[WHERE], method)(values, **how)


def along(x, values, **how):
    takewise.put_along_axis(x, WHERE, values, 0, **how)
    return x


def both(name, call):
    """A function and its form in place."""
    for form in (name, f"{name}_"):
        yield form, lambda x, values, _form=getattr(takewise, form), **how: call(_form, x, values, how)


# By name, a write of two values to two places of a vector of three.
WRITES = dict(
    itertools.chain(
        both("scatter", lambda f, x, v, how: f(x, 0, WHERE, v, **how)),
        both("scatter_add", lambda f, x, v, how: f(x, 0, WHERE, v, **how)),
        both("scatter_reduce", lambda f, x, v, how: f(x, 0, WHERE, v, "prod", **how)),
        both("index_add", lambda f, x, v, how: f(x, 0, WHERE, v, **how)),
        both("index_copy", lambda f, x, v, how: f(x, 0, WHERE, v, **how)),
        both("index_reduce", lambda f, x, v, how: f(x, 0, WHERE, v, "prod", **how)),
        both("put", lambda f, x, v, how: f(x, WHERE, v, **how)),
        both("index_put", lambda f, x, v, how: f(x, WHERE, v, **how)),
        both("tensor_scatter", lambda f, x, v, how: f(x, WHERE[:, None], v, **how)),
        both("masked_scatter", lambda f, x, v, how: f(x, [True, False, True], v, **how)),
    )
)
WRITES |= {
    "put, added": lambda x, v, **how: takewise.put_(x, WHERE, v, accumulate=True, **how),
    "index_put_, added": lambda x, v, **how: takewise.index_put_(x, WHERE, v, accumulate=True, **how),
    "index_put_, a slice": lambda x, v, **how: takewise.index_put_(x, slice(0, 2), v, **how),
    "scatter, added": lambda x, v, **how: takewise.scatter_(x, 0, WHERE, v, "sum", **how),
    "tensor_scatter, added": lambda x, v, **how: takewise.tensor_scatter_(x, WHERE[:, None], v, "sum", **how),
    "index_set": lambda x, v, **how: takewise.index_set(x, WHERE, v, **how),
    "put_along_axis": along,
    **{f"at.{name}": at(name) for name in ("set", "set_", "add", "add_", "mul", "mul_", "max", "max_", "min", "min_")},
}  # fmt: skip
# Those that store one value.
FILLS = dict(
    itertools.chain(
        both("index_fill", lambda f, x, v, how: f(x, 0, WHERE, v, **how)),
        both("masked_fill", lambda f, x, v, how: f(x, [True, False, True], v, **how)),
    )
)


def kind(dtype):
    return 2 if dtype == DTYPES["bfloat16"] else {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[dtype.kind]


def ends(dtype):
    return (0, 1) if dtype == bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)


def expected(values, dtype):
    """What a write of these values raises, by the plain rule."""
    if kind(values.dtype) > kind(dtype):
        return TypeError
    if kind(values.dtype) == kind(dtype) == 1:
        low, high = ends(dtype)
        if any(not low <= int(value) <= high for value in values.ravel()):
            return OverflowError
    return None


def samples(dtype):
    """Values of a dtype that all others hold, and its ends."""
    yield np.array([1, 0]).astype(dtype)
    if kind(dtype) == 1:
        yield np.array([1, ends(dtype)[1]], dtype)
        yield np.array([ends(dtype)[0], 1], dtype)


def outcome(call):
    try:
        return None, call()
    except (TypeError, OverflowError, ValueError, NotImplementedError) as error:
        return error, None


def check(write, name, make, values, passed, convert=np.asarray):
    """One write: its error, or what the same write of converted values gives; after an error nothing is written."""
    x = make(np.ones(3))
    dtype = convert(x).dtype
    error, got = outcome(lambda: write(x, passed))
    want = expected(values, dtype)
    if want is None:
        if "no common dtype" in str(error):
            # PyTorch's wide unsigned integers meet floats alone.
            assert convert is not np.asarray
            with pytest.raises(RuntimeError):
                torch.promote_types(TORCH[dtype.name], TORCH[values.dtype.name])
            return
        refused, same = outcome(lambda: write(make(np.ones(3)), make(values)))
        assert type(error) is type(refused), (name, dtype, values, error)
        assert refused or np.array_equal(convert(got), convert(same)), (name, dtype, values, got, same)
        return
    assert isinstance(error, want), (name, dtype, values, got, error)
    assert np.array_equal(convert(x), convert(make(np.ones(3)))), (name, dtype, values)
    if want is OverflowError:
        low, high = ends(dtype)
        bad = [k for k, value in enumerate(values.ravel()) if not low <= int(value) <= high]
        assert error.value == values.ravel()[bad[0]] and str(error.value) in str(error) and dtype.name in str(error)
        assert error.position == ((bad[0],) if values.ndim else ()), (name, error, error.position)
    else:
        assert values.dtype.name in str(error) and dtype.name in str(error) and 'casting="unsafe"' in str(error)


@pytest.mark.parametrize("name", [*WRITES, *FILLS])
def test_arrays_of_every_pair_of_dtypes(name):
    write, fills = WRITES.get(name) or FILLS[name], name in FILLS
    for own, other in itertools.product(DTYPES.values(), repeat=2):
        for values in samples(other):
            # NumPy's scalars count as arrays without axes; float64 and complex128 are Python's numbers too.
            for given in [values[k] for k in (0, 1)] if fills else [values]:
                array = np.asarray(given)
                check(write, name, lambda v, dtype=own: np.asarray(v).astype(dtype), array, array)
                if fills:
                    check(write, name, lambda v, dtype=own: np.asarray(v).astype(dtype), array, given)


@pytest.mark.parametrize("name", [name for name in (*WRITES, *FILLS) if not name.endswith("_")])
def test_tensors_of_other_dtypes(name):
    write, fills = WRITES.get(name) or FILLS[name], name in FILLS

    def array(tensor):
        return tensor.float().numpy().astype(ml_dtypes.bfloat16) if tensor.dtype == torch.bfloat16 else tensor.numpy()

    def tensor(values, dtype):
        values = np.asarray(values)
        plain = values.astype(np.float32) if values.dtype == DTYPES["bfloat16"] else values
        return torch.from_numpy(np.ascontiguousarray(plain)).reshape(plain.shape).to(TORCH[dtype])

    some = ("bool", "int8", "int64", "uint8", "uint64", "bfloat16", "float32", "complex64")
    for own, other in itertools.product(some, repeat=2):
        for values in samples(DTYPES[other]):
            values = values[1] if fills else values
            values = np.asarray(values)
            check(write, name, lambda v, dtype=own: tensor(v, dtype), values, tensor(values, other), array)


@pytest.mark.parametrize("name", [*WRITES, *FILLS])
def test_numbers_and_lists(name):
    """Plain numbers have a kind and no width: integers are judged by the dtype's range, booleans take 0 and 1."""
    write, fills = WRITES.get(name) or FILLS[name], name in FILLS
    numbers = [True, 1, 300, -1, 2**40, 1.0, 0.5, 1j]
    for dtype, number in itertools.product(DTYPES.values(), numbers):
        own = {bool: 0, int: 1, float: 2, complex: 3}[type(number)]
        limits = ends(dtype) if kind(dtype) < 2 else None
        want = None
        if own > max(kind(dtype), 1):
            want = TypeError
        elif own == 1 and limits and not limits[0] <= number <= limits[1]:
            want = OverflowError
        for passed in [number] if fills else [number, [0, number]]:
            if passed is number and name.startswith(("index_add", "index_copy", "index_reduce", "masked_scatter")):
                continue
            x = np.ones(3, dtype)
            error, got = outcome(lambda x=x, passed=passed: write(x, passed))
            if want is None:
                # What the dtype itself has no such sum of is refused as ever.
                refused, _ = outcome(lambda dtype=dtype: write(np.ones(3, dtype), np.ones(() if fills else 2, dtype)))
                assert type(error) is type(refused), (name, dtype, passed, error)
                continue
            assert isinstance(error, want), (name, dtype, passed, got, error)
            assert np.array_equal(x, np.ones(3, dtype))
            if want is OverflowError:
                assert error.value == number and error.position == ((1,) if type(passed) is list else ())


def test_unsafe_casts_as_numpy_does():
    for name, write in WRITES.items():
        for own, values in ((np.uint8, np.array([300, 2])), (np.int64, np.array([1.7, 2.2])), (np.float64, np.array([3 + 4j, 1]))):
            same = (values.real if values.dtype.kind == "c" else values).astype(own)
            if name.startswith(("at.m", "scatter_reduce", "index_reduce")) or "add" in name:
                # These combine before they cast.
                write(np.ones(3, own), values, casting="unsafe")
                continue
            got = write(np.ones(3, own), values, casting="unsafe")
            assert np.array_equal(got, write(np.ones(3, own), same)), name


def test_the_word_is_checked():
    with pytest.raises(ValueError, match='casting must be one of "same_kind", "unsafe", not "safe"'):
        takewise.scatter(np.zeros(3), 0, [1], 1.0, casting="safe")


def test_the_first_of_many():
    """Positions are those in the values as they were passed, whatever their strides."""
    values = np.arange(12).reshape(3, 4)[:, ::-2] * 100
    with pytest.raises(OverflowError, match=r"index_copy_: 300 does not fit dtype int8 \(position \[0, 0\] of the values\)\n  5 of 6") as info:
        takewise.index_copy_(np.zeros((3, 2), np.int8), 0, [0, 1, 2], values)
    assert (info.value.position, info.value.value) == ((0, 0), 300)
    big = np.arange(6, dtype=">i8").reshape(2, 3)
    big[1, 2] = -7
    with pytest.raises(OverflowError, match=r"-7 does not fit dtype uint64 \(position \[1, 2\]"):
        takewise.index_copy(np.zeros((2, 3), np.uint64), 0, [0, 1], big)


def test_integers_that_fit_stay_integers():
    """uint64 and int64 meet in doubles in NumPy, and not at all in PyTorch."""
    far = 2**62 + 1
    assert takewise.scatter_add(np.zeros(2, np.int64), 0, [1], np.array([far], np.uint64))[1] == far
    tensor = takewise.scatter_add(torch.zeros(2, dtype=torch.int64), 0, torch.tensor([1]), torch.tensor([far]).to(torch.uint64))
    assert tensor[1] == far


def test_integer_sums_wrap_as_the_librarys():
    assert takewise.scatter_add(np.full(1, 200, np.uint8), 0, [0], np.array([100], np.uint8)) == [44]


def test_arrays_in_files(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3, np.uint8))
    with takewise.open(tmp_path / "x.npy", mode="r+") as x:
        with pytest.raises(TypeError, match="float64 would change in an array of dtype uint8"):
            x[0] = 0.5
        with pytest.raises(OverflowError, match="300 does not fit dtype uint8"):
            x[[0, 1]] = [1, 300]
        with pytest.raises(TypeError):
            takewise.scatter_add_(x, 0, [0], [0.5])
        x[1:] = 7
    assert np.load(tmp_path / "x.npy").tolist() == [0, 7, 7]


def recorded(call, x, values):
    """The error of a call on PyTorch's tensors with a history, or that of one of the kind of the values."""
    wide = values.requires_grad_() if values.is_floating_point() or values.is_complex() else values
    return outcome(lambda: call(x.requires_grad_() * 1 if x.is_floating_point() else x, wide))


@pytest.mark.parametrize("name", [*WRITES, *FILLS])
def test_tensors_with_a_history(name):
    write, fills = WRITES.get(name) or FILLS[name], name in FILLS
    cases = [(torch.int64, [0.5, 1.5], TypeError), (torch.float32, [1j, 2], TypeError), (torch.float32, [0.5, 1.5], None)]
    for dtype, values, want in cases:
        values = torch.tensor(values, dtype=torch.complex64 if want and dtype == torch.float32 else torch.float64)
        values = values[0].clone() if fills else values
        if "." in name and name.startswith("at.m") and values.is_complex():
            continue
        error, _ = recorded(write, torch.ones(3, dtype=dtype), values)
        assert type(error) is type(None) if want is None else isinstance(error, want), (name, dtype, error)


def test_dask_refuses_at_the_graph_and_by_value():
    da = pytest.importorskip("dask.array")
    import takewise.dask as td

    calls = {
        "scatter": lambda x, v, **how: td.scatter(x, 0, WHERE, v, **how),
        "scatter_add": lambda x, v, **how: td.scatter_add(x, 0, WHERE, v, **how),
        "scatter_reduce": lambda x, v, **how: td.scatter_reduce(x, 0, WHERE, v, "prod", **how),
        "index_add": lambda x, v, **how: td.index_add(x, 0, WHERE, v, **how),
        "index_copy": lambda x, v, **how: td.index_copy(x, 0, WHERE, v, **how),
        "index_reduce": lambda x, v, **how: td.index_reduce(x, 0, WHERE, v, "prod", **how),
        "put": lambda x, v, **how: td.put(x, WHERE, v, **how),
        "put_along_axis": lambda x, v, **how: td.put_along_axis(x, WHERE, v, 0, **how),
        "index_put": lambda x, v, **how: td.index_put(x, WHERE, v, **how),
        "tensor_scatter": lambda x, v, **how: td.tensor_scatter(x, WHERE[:, None], v, **how),
    }
    for name, call in calls.items():
        x = da.zeros(3, dtype=np.uint8, chunks=2)
        for values in ([0.5, 1.0], np.array([0.5, 1.0]), da.from_array(np.array([0.5, 1.0]), chunks=1)):
            with pytest.raises(TypeError, match=f"{name}: values of dtype float64 would change in an array of dtype uint8"):
                call(x, values)
        for values in ([300, 1], np.array([300, 1])):
            with pytest.raises(OverflowError, match=f"{name}: 300 does not fit dtype uint8"):
                call(x, values)
        with pytest.raises(OverflowError, match="300 does not fit dtype uint8"):
            call(x, da.from_array(np.array([300, 1]), chunks=1)).compute()
        assert call(x, np.array([7, 1])).dtype == np.uint8
        assert call(x, np.array([300, 1]), casting="unsafe").compute().dtype == np.uint8
    with pytest.raises(TypeError, match="index_fill: values of dtype float64"):
        td.index_fill(x, 0, WHERE, 0.5)
