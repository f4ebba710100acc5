"""What is said of arguments that a function cannot take, in words that name them: asked when a call has failed."""

import difflib
import inspect
import operator
import re
from typing import Any

from takewise import _catalogue, _takewise, exceptions

# Names that other libraries, or other functions of ours, have for the same argument.
_SAME = [
    {"dim", "axis", "dims", "axes", "dimension"},
    {"index", "indices", "indexes", "idx", "i", "ids", "key", "at"},
    {"x", "input", "a", "arr", "array", "self", "tensor", "data", "params", "operand"},
    {"src", "source", "value", "values", "updates", "update", "v", "val"},
    {"mask", "condition", "where"},
    {"duplicates", "unique_indices"},
    {"threads", "num_threads", "n_jobs", "workers", "nthreads"},
    {"fill_value", "fill", "default", "cval"},
    {"reduce", "reduction", "op", "ufunc"},
    {"batch_dims", "batch_dimensions"},
    {"sorted_sequence", "boundaries", "bins", "edges", "sequence", "a", "sorted"},
    {"input", "v", "values", "x"},
    {"condition", "cond"},
]
# What the parameters of each function are for.
_ROLES = _catalogue.ROLES | {"set_num_threads": {"n": "Threads"}}
_NUMBERS = {"Axis", "AxisOrNone", "BatchDims", "Threads"}
_FLAGS = {"Accumulate", "AsTuple", "IncludeSelf", "Narrow", "Negative", "Right"}
_NO_NUMBERS = "expected numbers in nested lists, got a "


def worded(name: str, error: BaseException, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BaseException | None:
    """The error in better words; ``None`` if it is good as it is."""
    text, signature = str(error), inspect.signature(getattr(_takewise, name))
    if isinstance(error, exceptions.Error):
        return _no_numbers(name, text, signature, args, kwargs) if text.startswith(_NO_NUMBERS) else None
    if type(error) not in (TypeError, OverflowError, ValueError):
        return None
    unknown = re.search(r"unexpected keyword argument '(.+)'", text)
    if unknown:
        said: str | None = _unknown(name, unknown[1], signature)
    elif "missing" in text or "positional argument" in text:
        said = f"{text}: it is called as {_usage(name, signature)}"
    else:
        said = _misfit(name, signature, args, kwargs)
    if not said:
        return None
    return exceptions.ValueError(said) if isinstance(error, OverflowError) else exceptions.TypeError(said)


def _usage(name: str, signature: inspect.Signature) -> str:
    return f"{name}({', '.join(p.name for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY)})"


def _unknown(name: str, given: str, signature: inspect.Signature) -> str:
    """What is said of a keyword that a function does not have."""
    names = list(signature.parameters)
    said = f"{name}() got an unexpected keyword argument {given!r}"
    if given == "mode" and "bounds" in names:
        return f'{said}: what indices out of range do is bounds= here, one of "raise", "wrap", "clip", "fill" and "drop"'
    for group in _SAME:
        same = [known for known in names if known in group] if given in group else []
        if same:
            return f"{said}: it is called {same[0]!r} here, as in {_usage(name, signature)}"
    near = difflib.get_close_matches(given, names, 1)
    return f"{said}: did you mean {near[0]!r}?" if near else f"{said}: it has {', '.join(names)}"


def _bound(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError:
        return {}


def _shown(value: Any) -> str:
    """``an array of shape (2, 3)``, ``a list``, ``'rows'``."""
    if hasattr(value, "shape"):
        return f"an array of shape {tuple(value.shape)}"
    if value is None or isinstance(value, (str, int, float, complex)):
        text = repr(value)
        return text if len(text) <= 40 else f"a {type(value).__name__}"
    return f"a {type(value).__name__}"


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(_is_whole(n) and operator.index(n) >= 0 for n in value)


def _misfit(name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What is said of the first argument that is of a kind it must not be."""
    given = _bound(signature, args, kwargs)
    for argument, value in given.items():
        role = _ROLES[name].get(argument)
        if role in _FLAGS and not isinstance(value, bool) and not (role == "Negative" and value is None):
            return f"{name}(): {argument} must be True or False, not {_shown(value)}"
        if role == "Shape" and not _is_shape(value):
            return f"{name}(): shape must be a sequence of lengths, none of them negative, not {value!r:.60}"
        if role == "Side" and value not in ("left", "right", None):
            return f'{name}(): side must be "left" or "right", not {_shown(value)}'
        if role not in _NUMBERS or (value is None and signature.parameters[argument].default is None):
            continue
        if role == "Threads" and (not _is_whole(value) or operator.index(value) < 0):
            return f"{name}(): {argument} must be a number of threads, or 0 for as many as there are processors, not {_shown(value)}"
        if not _is_whole(value):
            said = f"{name}(): {argument} must be an integer, not {_shown(value)}"
            swapped = any(_is_whole(given[other]) for other, of in _ROLES[name].items() if of == "Index" and other in given)
            return f"{said}: the order is {_usage(name, signature)}" if swapped or hasattr(value, "__len__") else said
        if not -(2**63) <= operator.index(value) < 2**63:
            return f"{name}(): {argument} is {_shown(value)}, which is no axis of any array"
    return None


def _no_numbers(name: str, text: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BaseException | None:
    kind = text.removeprefix(_NO_NUMBERS)
    for argument, value in _bound(signature, args, kwargs).items():
        if argument not in _catalogue.ARRAYS[name]:
            continue
        if type(value).__name__ == kind:
            wanted = "an array, or numbers in nested lists" if kind != "NoneType" else "an array"
            return exceptions.TypeError(f"{name}(): {argument} must be {wanted}, not {_shown(value)}")
        if isinstance(value, (list, tuple)) and kind in {type(item).__name__ for item in _leaves(value)}:
            return exceptions.TypeError(f"{name}(): {argument} must hold numbers alone, but there is a {kind} in it")
    return None


def _leaves(value: Any, depth: int = 0) -> list[Any]:
    if not isinstance(value, (list, tuple)) or depth > 64:
        return [value]
    return [leaf for item in value[:1000] for leaf in _leaves(item, depth + 1)]
