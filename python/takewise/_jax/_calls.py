"""A call of a function of takewise with traced arrays, each argument as the catalogue says what it is for."""

import inspect
import json
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from takewise import _catalogue, _mixed, _takewise, exceptions
from takewise._jax import _choices, _primitive
from takewise._jax._spec import ARRAYS, Spec, number

# The functions that methods of `at(x)[key]` are, and how they combine.
_METHODS = {
    "get": ("index", None), "set": ("index_put", "none"), "add": ("index_put", "sum"), "mul": ("index_put", "prod"),
    "min": ("index_put", "amin"), "max": ("index_put", "amax"),
}  # fmt: skip
# Bounds and the like have a meaning where they are left out.
_PLAIN_NONE = {"Bounds", "Negative", "Fill", "Duplicates", "Casting", "Threads", "Factor", "Reduce"}


class _Call(NamedTuple):
    """A call as it is bound: what is said, and each array with what it is for."""

    spec: Spec
    arrays: list[Any]


def called(name, args, kwargs):
    """See `takewise._jax.called`."""
    said, function, how = None, name, None
    if name.startswith("at."):
        said = f"at(x)[key].{name[3:]}"
        if name.endswith("_"):
            raise exceptions.TypeError(f"{said} writes into x, and arrays of JAX's cannot be written to: use {said[:-1]}")
        function, how = _METHODS[name[3:]]
        kwargs = {word: value for word, value in kwargs.items() if value is not None}
    if function not in _catalogue.ROLES or function in _catalogue.THEIRS:
        return NotImplemented
    if function in _catalogue.IN_PLACE:
        other = function.removesuffix("_")
        instead = other if other in _catalogue.NAMES and other != function else "at(x)[key].set"
        if function in _takewise.own_names("jax", "numpy"):
            instead = f"takewise.jax.numpy.{function}(..., inplace=False), or scatter, which has policies"
        raise exceptions.TypeError(
            f"{name}() writes into its first argument, and arrays of JAX's cannot be written to: use {instead}"
        )
    try:
        given = inspect.signature(getattr(_takewise, function)).bind(*args, **kwargs)
    except TypeError:
        return NotImplemented
    given.apply_defaults()
    roles = _catalogue.ROLES[function]
    if "Mixed" in roles.values():
        _mixed.check(given.arguments["x"].shape, given.arguments["key"], given.arguments["mixed"])
    call = _bound(said or name, function, given.arguments, roles, said, how)
    chosen = _choices.choice(call.spec, call.arrays)
    if chosen is not None:
        return chosen
    results = _primitive.run(call.spec, call.arrays)
    return results[0] if len(results) == 1 else tuple(results)


def _bound(name, function, arguments, roles, said, how):
    """The arguments as a spec and arrays."""
    operands, arrays, plain, key = [], [], {}, []
    if how is not None:
        plain["Reduce"] = how
    beside = _beside(arguments, roles)
    for parameter, value in arguments.items():
        role = roles[parameter]
        if role == "Out":
            if value is not None:
                raise exceptions.TypeError(f"{name}(): out= has no meaning for arrays of JAX's, which cannot be written to")
        elif role == "Key":
            # Of values that are stored the number need not be known.
            key, found = _key(name, function, value, np.shape(arrays[0]), stores="Values" in roles.values())
            operands += [(role,)] * len(found)
            arrays += found
        elif role in ARRAYS:
            if value is None:
                continue
            if role == "Values" and _is_number(value):
                plain[role] = number(value)
                continue
            operands.append((role,))
            arrays.append(_array(name, parameter, value, beside if role in _KINDRED else None))
        elif value is not None or role not in _PLAIN_NONE:
            plain[role] = _plain(name, parameter, role, value)
    # What is written to comes first: its result may take its memory.
    spec = Spec(function, said, tuple(operands), json.dumps(plain, sort_keys=True), json.dumps(key))
    return _Call(spec, arrays)


# Numbers in these are of the dtype of what they go to, or stand beside.
_KINDRED = {"Values", "Array", "Sequence", "Sought", "Weights", "Choice"}


def _beside(arguments, roles):
    """The dtype that numbers take."""
    for parameter, value in arguments.items():
        if roles[parameter] in ("Data", *_KINDRED) and hasattr(value, "dtype"):
            return value.dtype
    return None


def _is_number(value):
    return isinstance(value, (bool, int, float, complex)) and not hasattr(value, "dtype")


def _array(name, parameter, value, beside):
    """An argument as an array of JAX's."""
    if isinstance(value, jax.Array):
        return value
    if _holds_traced(value):
        return jnp.asarray(value)
    found = np.asarray(value)
    if found.dtype.kind not in "biufcV" or found.dtype.names:
        raise exceptions.TypeError(f"{name}(): argument '{parameter}' has dtype {found.dtype}, which JAX has no arrays of")
    if beside is not None and not hasattr(value, "dtype") and _rank(found.dtype) <= _rank(np.dtype(beside)):
        _fits(name, parameter, found, beside)
        return jnp.asarray(found, beside)
    if found.size == 0 and not hasattr(value, "dtype") and beside is None:
        found = found.astype(np.int32)
    narrow = jax.dtypes.canonicalize_dtype(found.dtype)
    _fits(name, parameter, found, narrow)
    return jnp.asarray(found, narrow)


def _holds_traced(value):
    """Whether one of the items of a list is being traced."""
    return any(isinstance(one, jax.core.Tracer) for one in jax.tree.leaves(value))


def _fits(name, parameter, found, dtype):
    """Refuses integers that another dtype does not hold."""
    if found.dtype.kind not in "iu" or np.dtype(dtype).kind not in "iu" or not found.size:
        return
    ends = np.iinfo(dtype)
    if found.min() < ends.min or found.max() > ends.max:
        text = f"{name}(): argument '{parameter}' holds numbers that {np.dtype(dtype)} has not"
        if found.dtype.itemsize == 8:
            text += ": JAX has 64 bits only with jax_enable_x64"
        raise exceptions.OverflowError(text)


def _rank(dtype):
    """The place of a dtype's kind among those that hold each other."""
    return {"b": 0, "u": 1, "i": 1, "c": 3}.get(dtype.kind, 2)


def _plain(name, parameter, role, value):
    """An argument that is no array, as the text of a call has it."""
    if isinstance(value, jax.core.Tracer):
        text = f"{name}(): argument '{parameter}' is being traced by JAX, and has to be known: it is part of the program"
        raise exceptions.TypeError(text)
    if role in ("Fill", "Padding", "Empty", "Factor"):
        return None if value is None else number(value)
    if role == "Shape":
        return [int(extent) for extent in value]
    if isinstance(value, np.generic | np.ndarray):
        return value.item()
    return value


def _key(name, function, key, shape, stores):
    """A subscript: its entries, and its arrays. A mask is its positions, but where a store has one that is being traced."""
    entries, arrays = [], []
    given = key if isinstance(key, tuple) else (key,)
    for place, entry in enumerate(given):
        if entry is None or entry is Ellipsis:
            entries.append("None" if entry is None else "...")
        elif isinstance(entry, bool):
            entries.append(entry)
        elif isinstance(entry, slice):
            entries.append([_bound_of(name, bound) for bound in (entry.start, entry.stop, entry.step)])
        elif isinstance(entry, int | np.integer):
            entries.append(int(entry))
        else:
            array = entry if isinstance(entry, jax.Array) else jnp.asarray(entry) if _holds_traced(entry) else np.asarray(entry)
            selects = array.dtype == bool and not (stores and (array.ndim == 0 or isinstance(array, jax.core.Tracer)))
            found = _selected(name, function, array, given, place, shape) if selects else [_array(name, "key", entry, None)]
            entries += ["array"] * len(found)
            arrays += found
    return entries, arrays


def _selected(name, function, mask, key, place, shape):
    """The positions that a mask selects along its axes, which the entries of the key before it have come to."""
    if isinstance(mask, jax.core.Tracer):
        text = f"{name}(): the shape of the result depends on values, which are known only when the program runs: where(mask, x, other) keeps the shape, and index(x, nonzero(mask, as_tuple=True, size=...)) has a size"
        raise exceptions.TypeError(text)
    if function not in _catalogue.BY_SUBSCRIPT and mask.ndim != 1:
        raise exceptions.TypeError(f"{name}(): a mask of {mask.ndim} axes has no form in a program of JAX's: use its nonzero()")
    width = lambda entry: 0 if entry is None or entry is Ellipsis else np.ndim(entry) if getattr(entry, "dtype", None) == bool else 1
    axis = sum(map(width, key[:place]))
    if Ellipsis in [entry for entry in key[:place] if isinstance(entry, type(Ellipsis))]:
        axis = len(shape) - sum(map(width, key[place:]))
    if tuple(shape[axis : axis + mask.ndim]) != mask.shape:
        raise exceptions.IndexError(f"{name}(): a mask of shape {mask.shape} does not fit axis {axis} of an array of shape {tuple(shape)}")
    return [jnp.asarray(found) for found in np.nonzero(np.asarray(mask))]


def _bound_of(name, bound):
    if isinstance(bound, jax.core.Tracer):
        text = f"{name}: a slice with a bound that JAX is tracing has no known length: jax.lax.dynamic_slice has one"
        raise exceptions.TypeError(text)
    return None if bound is None else int(bound)
