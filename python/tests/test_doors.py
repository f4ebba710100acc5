"""One definition of every operation: the same call through Python, the text form, and with the signature that the catalogue has."""

import inspect

import numpy as np
import pytest

import takewise
from takewise import _takewise, explain

from calls import CALLS, call_of, copied

OPERATIONS = {operation.name: operation for operation in _takewise._operations()}
# Calls beside those of the explanations.
MORE = {
    "index_put": [(np.zeros(4), [1, 1, 3], [5.0, 6.0, 7.0], {"duplicates": "first"})],
    "take": [(np.arange(6).reshape(2, 3), [5, 0], {"axis": 1, "bounds": "wrap", "threads": 1})],
    "take_along_dim": [(np.arange(6).reshape(2, 3), [[1], [0]], 1), (np.arange(6), [0, 9], {"bounds": "clip"})],
    "where": [(np.array([True, False]), [1.5, 2.5], 3), (np.array([True, False]), np.float32(1), np.arange(2, dtype=np.int8))],
    "searchsorted": [(np.array([1, 3, 5], np.int32), 4), (np.array([[1, 3], [2, 4]]), [[2], [2]], {"axis": -1, "out_int32": True})],
    "nonzero": [(np.array([[1, 0], [2, 3]]), {"size": 5, "fill_value": -1}), (np.array([0, 3, 1]), {"as_tuple": True, "size": 1})],
    "take_ranges": [(np.arange(6.0), np.array([0, 2, 6]), [1, 0], {"size": 8, "fill_value": 9}), (np.arange(6.0), np.array([0, 2, 6]), {"size": 3})],
    "put": [(np.zeros(3, np.int8), [0, 2], [1, 2], {"casting": "unsafe", "negative": False})],
}  # fmt: skip


def calls():
    for name in OPERATIONS:
        for k, entry in enumerate(CALLS.get(name, []) + MORE.get(name, [])):
            yield pytest.param(name, entry, id=f"{name}-{k}")


def outcome(call, *args, **kwargs):
    """What a call gives, or which error."""
    try:
        return "gives", call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  # Whatever it is, it is compared.
        return type(error).__name__, str(error)


@pytest.mark.parametrize(("name", "entry"), list(calls()))
def test_the_text_form_does_what_the_function_does(name, entry):
    args, kwargs = copied(*call_of(entry))
    text_args, text_kwargs = copied(*call_of(entry))
    names = {f"a{k}": value for k, value in enumerate(text_args)} | text_kwargs
    given = [f"a{k}" for k in range(len(text_args))] + [f"{key}={key}" for key in text_kwargs]
    found = explain(f"takewise.{name}({', '.join(given)})", names)
    how, result = outcome(getattr(takewise, name), *args, **kwargs)
    if how != "gives":
        assert type(found.error).__name__ == how
        return
    assert found.error is None
    results = found.to_dict()["results"]
    if result is None:
        result = args[0]
        results = found.to_dict()["results"] or [{"shape": result.shape, "dtype": str(result.dtype), "values": None}]
    for one, other in zip(result if isinstance(result, tuple) else [result], results, strict=True):
        assert (tuple(other["shape"]), other["dtype"]) == (one.shape, str(one.dtype))
        if other["values"] is not None:
            assert [str(v) for v in other["values"]] == [str(v) for v in told(one)]


def told(array):
    """The elements as explanations show them."""
    return takewise.explain("x[...]", x=np.array(array)).to_dict()["results"][0]["values"]


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_the_signature_is_the_catalogue_s(name):
    assert str(inspect.signature(getattr(takewise, name))) == OPERATIONS[name].signature
    assert inspect.getdoc(getattr(takewise, name))


@pytest.mark.parametrize(
    "source",
    [
        "takewise.take(x, [0], mode='clip')",
        "takewise.take(x)",
        "takewise.take(x, [0], bounds='clamp')",
        "takewise.take(x, [7])",
        "takewise.take(x, [0], fill_value=3)",
        "takewise.scatter_add(x, 0, [0], [1], duplicates='last')",
        "takewise.index_fill(x, 0, [0], 300.5)",
        "takewise.put_along_axis([1, 2], [0], [1])",
        "takewise.take(x, [0.5])",
    ],
)  # fmt: skip
def test_what_is_refused_is_refused_by_both(source):
    x = np.arange(3, dtype=np.int8)
    with pytest.raises(Exception) as ours:  # noqa: PT011
        eval(source, {"takewise": takewise, "x": x})  # noqa: S307
    try:
        found = explain(source, x=x).error
    except Exception as raised:  # noqa: BLE001
        found = raised
    assert type(found).__name__ == type(ours.value).__name__


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if not operation.in_place or name == "put_along_axis"])
def test_dask_s_signatures_are_the_catalogue_s(name):
    pytest.importorskip("dask.array")
    import takewise.dask as td

    def told(function, but):
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values() if p.name != but]

    # A graph has no memory for results, and does not always know their lengths.
    assert told(getattr(td, name), "count") == told(getattr(takewise, name), "out")


def arrays_as(make, value):
    """A value with NumPy's arrays in it as another library's."""
    if isinstance(value, np.ndarray):
        return make(value)
    return type(value)(arrays_as(make, item) for item in value) if isinstance(value, tuple) else value


def same(result, wanted):
    for one, other in zip(*([r] if not isinstance(r, tuple) else r for r in (result, wanted)), strict=True):
        assert one.shape == other.shape and str(one.dtype) == str(other.dtype)
        assert np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


OF_ARRAYS = [p for p in calls() if not OPERATIONS[p.values[0]].in_place and "out" not in call_of(p.values[1])[1]]


@pytest.mark.parametrize(("name", "entry"), OF_ARRAYS)
def test_a_graph_of_dask_s_does_what_the_function_does(name, entry):
    da = pytest.importorskip("dask.array")
    args, kwargs = copied(*call_of(entry))
    wanted = getattr(takewise, name)(*args, **kwargs)
    chunked = [arrays_as(lambda x: da.from_array(x, chunks=2), arg) for arg in args]
    if not any(isinstance(arg, da.Array) for arg in chunked):
        pytest.skip("no array among the arguments")
    try:
        result = getattr(takewise, name)(*chunked, **kwargs)
    except (TypeError, ValueError) as error:
        # What has no form for chunks says so.
        assert "of Dask's" in str(error) or "skip_nan" in str(error)
        pytest.skip(str(error))
    computed = tuple(np.asarray(r) for r in result) if isinstance(result, tuple) else result.compute()
    same(computed, wanted)


@pytest.mark.parametrize(("name", "entry"), OF_ARRAYS)
def test_an_operator_of_pytorch_does_what_the_function_does(name, entry):
    torch = pytest.importorskip("torch")
    args, kwargs = copied(*call_of(entry))
    wanted = getattr(takewise, name)(*args, **kwargs)

    def recorded(x):
        return torch.from_numpy(np.ascontiguousarray(x)).requires_grad_(x.dtype.kind == "f")

    given = [arrays_as(recorded, arg) for arg in args]
    if not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in given):
        pytest.skip("nothing that has a gradient")
    result = getattr(takewise, name)(*given, **kwargs)
    parts = result if isinstance(result, tuple) else (result,)
    assert any(part.requires_grad for part in parts) or parts[0].dtype in (torch.int64, torch.int32, torch.bool)
    same(tuple(part.detach().numpy() for part in parts), wanted if isinstance(wanted, tuple) else (wanted,))
