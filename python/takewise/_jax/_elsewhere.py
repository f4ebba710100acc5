"""Calls on devices other than the main processor, where XLA cannot call the engine: JAX's own operations, by our rules.

Every read and write here is made of the positions of its elements: the number of the element of the flattened array, or -1 for one
that values outside leave out. An operation only says how its index selects from an array of such numbers.
"""

import json
import math

import jax
import jax.numpy as jnp

from takewise import _catalogue, exceptions
from takewise._jax._spec import value_of


def results(*arrays, spec, batch, which):
    """The results of a call, in JAX's own operations."""
    run = _MODES[spec.mode]
    return [of_each(lambda *parts: run(spec, parts), batch, which)(*arrays)]


def of_each(each, batch, which):
    """A function of a part of a batch as one of the batch."""
    for level in reversed(range(len(batch))):
        each = jax.vmap(each, in_axes=tuple(0 if bits >> level & 1 else None for bits in which))
    return each


def places_of(spec, arrays, rules):
    """The places that a call names, by rules, and its arrays by what they are for."""
    given = {}
    for (role, *_), array in zip(spec.operands, arrays, strict=True):
        given.setdefault(role, []).append(array)
    positions = _selection(spec.name)
    if positions is None:
        raise exceptions.NotImplementedError(f"{spec.name}() runs in main memory only: put its arrays on a CPU device of JAX's")
    return positions(given["Data"][0].shape, rules, given, json.loads(spec.plain), json.loads(spec.key)), given


def _call(spec, arrays):
    plain = json.loads(spec.plain)
    places, given = places_of(spec, arrays, Rules(spec, plain))
    x = given["Data"][0]
    if not {"Values", "Array"} & set(_catalogue.ROLES[spec.name].values()):
        return _read(spec, x, places, plain)
    value = given.get("Values") or given.get("Array")
    value = value[0] if value else jnp.asarray(value_of(plain["Values"]), x.dtype)
    return _write(spec, x, places, value, plain)


def _back(spec, arrays):
    *arrays, cotangent = arrays
    place, call = _of(spec, arrays)
    shaped = call[1][place]
    return jax.vjp(lambda moved: _call(call[0], [*call[1][:place], moved, *call[1][place + 1 :]]), shaped)[1](cotangent)[0]


def _along(spec, arrays):
    count = len(spec.operands)
    places = [next(k for k, (role, *_) in enumerate(spec.operands) if role == moved) for moved in spec.moved]

    def moved(*values):
        given = list(arrays[:count])
        for place, value in zip(places, values, strict=True):
            given[place] = value
        return _call(spec._replace(mode="call"), given)

    return jax.jvp(moved, tuple(arrays[place] for place in places), tuple(arrays[count:]))[1]


def _of(spec, arrays):
    """The place of what a gradient is of among the arrays of the call, and the call, with zeros for what only its shape counts of."""
    rest, given = iter(arrays), []
    for operand in spec.operands:
        given.append(next(rest) if len(operand) == 1 else jnp.zeros(operand[2], operand[1]))
    place = next(k for k, operand in enumerate(spec.operands) if operand[0] == spec.wrt)
    return place, (spec._replace(mode="call", operands=tuple((operand[0],) for operand in spec.operands)), given)


_MODES = {"call": _call, "back": _back, "along": _along}


class Rules:
    """What becomes of index values outside an axis."""

    def __init__(self, spec, plain):
        self.bounds, self.negative = plain.get("Bounds") or "raise", plain.get("Negative") is not False
        if self.bounds == "raise":
            text = f'{spec.name}(): bounds="raise" cannot be kept on this device, which runs on: pass bounds="clip", "wrap", "fill" or "drop", '
            raise exceptions.NotImplementedError(text + "or use jax.experimental.checkify")

    def counted(self, index, length):
        """An index counted from the start of an axis."""
        index = index.astype(jnp.promote_types(index.dtype, jnp.int32)) if index.dtype.itemsize < 4 else index
        return jnp.where(index < 0, index + length, index) if self.negative and index.dtype.kind == "i" else index

    def fixed(self, index, length, axis):
        """Positions along an axis, and the length itself for what is left out."""
        counted = self.counted(index, length)
        if self.bounds == "wrap" and length:
            return index % length
        if self.bounds == "clip" and length:
            return jnp.clip(counted, 0, length - 1)
        return jnp.where((counted >= 0) & (counted < length), counted, length)


def _numbers(shape, axes):
    """The numbers of all elements, with -1 behind the ends of some axes."""
    kind = jnp.int32 if math.prod(shape) < 2**31 else jnp.int64
    return jnp.pad(jnp.arange(math.prod(shape), dtype=kind).reshape(shape), [(0, int(k in axes)) for k in range(len(shape))], constant_values=-1)


def _axis(plain, rank):
    axis = plain.get("Axis", plain.get("AxisOrNone"))
    return None if axis is None else axis % max(rank, 1)


def _taken(shape, rules, given, plain, key):
    if plain.get("BatchDims"):
        raise exceptions.NotImplementedError("batch_dims runs in main memory only: use jax.vmap")
    axis, (index,) = _axis(plain, len(shape)), given["Index"]
    if axis is None:
        return jnp.take(_numbers((math.prod(shape),), (0,)), rules.fixed(index, math.prod(shape), 0))
    return jnp.take(_numbers(shape, (axis,)), rules.fixed(index, shape[axis], axis), axis)


def _aligned(shape, rules, given, plain, key):
    axis, (index,) = _axis(plain, len(shape)), given["Index"]
    if axis is None:
        return jnp.take(_numbers((math.prod(shape),), (0,)), rules.fixed(index.reshape(-1), math.prod(shape), 0))
    return jnp.take_along_axis(_numbers(shape, (axis,)), rules.fixed(index, shape[axis], axis), axis)


def _gathered(shape, rules, given, plain, key):
    axis, (index,) = _axis(plain, len(shape)), given["Index"]
    if not shape:
        return jnp.where(rules.fixed(index, 1, 0) == 0, 0, -1)
    numbers = _numbers(shape, (axis,))
    cut = tuple(slice(None) if k == axis else slice(n) for k, n in enumerate(index.shape))
    return jnp.take_along_axis(numbers[cut], rules.fixed(index, shape[axis], axis), axis)


def _tuples(shape, rules, given, plain, key):
    if plain.get("BatchDims"):
        raise exceptions.NotImplementedError("batch_dims runs in main memory only: use jax.vmap")
    (index,) = given["Index"]
    depth = index.shape[-1]
    return _numbers(shape, range(depth))[tuple(rules.fixed(index[..., k], shape[k], k) for k in range(depth))]


def _keyed(shape, rules, given, plain, key):
    arrays, used = iter(given.get("Key", ())), sum(entry not in ("None", "...") for entry in key)
    entries, axes, axis = [], [], 0
    for entry in key if "..." in key else [*key, "..."]:
        if entry == "...":
            entries += [slice(n) for n in shape[axis : axis + len(shape) - used]]
            axis += len(shape) - used
            continue
        if entry == "None":
            entries.append(None)
            continue
        length = shape[axis]
        if isinstance(entry, list):
            start, stop, step = slice(*entry).indices(length)
            entries.append(slice(start, stop if stop >= 0 else None, step))
        else:
            index = next(arrays) if entry == "array" else jnp.asarray(entry)
            if index.dtype == bool or isinstance(entry, bool):
                raise exceptions.NotImplementedError("a mask in a subscript runs in main memory only: use where")
            entries.append(rules.fixed(index, length, axis))
            axes.append(axis)
        axis += 1
    return _numbers(shape, axes)[tuple(entries)]


def _selection(name):
    """How an operation selects elements, by what its parameters are for; ``None`` for what runs in main memory only."""
    roles = set(_catalogue.ROLES[name].values())
    if "Data" not in roles or roles & {"Offsets", "Lengths"}:
        return None
    if "Key" in roles:
        # Other ways to combine the arrays of a key have no form here.
        return _keyed if name in _catalogue.BY_SUBSCRIPT else None
    if "Index" not in roles:
        return None
    if "Axis" in roles:
        return _taken if name in _catalogue.BY_LIST else _gathered
    if "AxisOrNone" in roles:
        return _taken if "BatchDims" in roles else _aligned
    return _taken if "Accumulate" in roles else _tuples


def _read(spec, x, places, plain):
    found = jnp.take(x.reshape(-1), jnp.maximum(places, 0)) if x.size else jnp.zeros(places.shape, x.dtype)
    if plain["Bounds"] not in ("fill", "drop"):
        return found
    return jnp.where(places < 0, _filling(plain, x.dtype), found)


def _filling(plain, dtype):
    """What is read outside: zero, the number given, or what stands for nothing in the dtype."""
    if plain["Bounds"] == "drop":
        return jnp.zeros((), dtype)
    if plain.get("Fill"):
        return jnp.asarray(value_of(plain["Fill"]), dtype)
    if jnp.issubdtype(dtype, jnp.inexact):
        return jnp.asarray(jnp.nan, dtype)
    if dtype == bool:
        return jnp.asarray(True)
    ends = jnp.iinfo(dtype)
    return jnp.asarray(ends.min if ends.min < 0 else ends.max, dtype)


def _write(spec, x, places, value, plain):
    how = spec.how or ("sum" if spec.name.endswith("_add") else "none")
    if spec.name.startswith("scatter"):
        value = value[tuple(slice(n) for n in places.shape)] if value.ndim else value
    if plain.get("Factor"):
        value = value * value_of(plain["Factor"])
    value = jnp.broadcast_to(value, places.shape).reshape(-1).astype(x.dtype)
    flat, places = x.reshape(-1), places.reshape(-1)
    # What is left out goes behind the end, where JAX drops it.
    places = jnp.where(places < 0, x.size, places)
    rule = _COMBINED.get(how)
    if rule is not None and plain.get("IncludeSelf") is not False and not plain.get("SkipNan"):
        if rule == "multiply":
            return _product(flat, places, value).reshape(x.shape)
        return getattr(flat.at[places], rule)(value, mode="drop").reshape(x.shape)
    if how != "none":
        raise exceptions.NotImplementedError(f"{spec.name}(): reduce={how!r} as asked runs in main memory only")
    order = jnp.arange(places.size, dtype=places.dtype)
    if plain.get("Duplicates") == "error":
        raise exceptions.NotImplementedError(f'{spec.name}(): duplicates="error" cannot be kept on this device, which runs on')
    if plain.get("Duplicates") == "first":
        order = order[::-1]
    # One of several stores to one place stays, the same on every device.
    last = jnp.full(x.size, -1, places.dtype).at[places].max(order, mode="drop")
    kept = last[jnp.minimum(places, x.size - 1)] == order if x.size else order < 0
    return flat.at[jnp.where(kept, places, x.size)].set(value, mode="drop").reshape(x.shape)


@jax.custom_jvp
def _product(x, places, value):
    """``x`` multiplied by values. JAX's own has a derivative only where it is said that no two of these meet."""
    return x.at[places].multiply(value, mode="drop")


@_product.defjvp
def _product_along(primals, tangents):
    (x, places, value), (of_x, _, of_value) = map(jnp.asarray, primals), tangents
    order = jnp.argsort(places, stable=True)
    places, value, of_value = places[order], value[order], of_value[order]
    edge = places[1:] != places[:-1]
    begins, ends = jnp.append(True, edge)[: places.size], jnp.append(edge, True)[: places.size]
    before, through = _products(value, begins)
    after, _ = (one[::-1] for one in _products(value[::-1], ends[::-1]))
    own = jnp.ones_like(x).at[jnp.where(ends, places, x.size)].set(through, mode="drop")
    others = x.at[places].get(mode="fill", fill_value=0) * before * after
    return _product(*primals), (of_x * own).at[places].add(others * of_value, mode="drop")


def _products(value, begins):
    """The product of the values of a group before each, and up to it."""

    def joined(left, right):
        return left[0] | right[0], jnp.where(right[0], right[1], left[1] * right[1])

    through = jax.lax.associative_scan(joined, (begins, value))[1] if value.size else value
    return jnp.where(begins, 1, jnp.roll(through, 1)), through


_COMBINED = {
    "sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply", "mul": "multiply", "amax": "max", "max": "max",
    "amin": "min", "min": "min",
}  # fmt: skip
