"""Calls in which nothing can be outside: they are JAX's own selection, which XLA fuses, and JAX's own list of what is not zero."""

import json

import jax.numpy as jnp
import numpy as np

from takewise import _takewise, exceptions
from takewise._jax import _primitive
from takewise._jax._spec import value_of


def choice(spec, arrays):
    """The result of a call that chooses or lists; ``None`` for any other."""
    roles = [operand[0] for operand in spec.operands]
    if "Condition" in roles:
        return _where(arrays)
    plain = json.loads(spec.plain)
    if "AsTuple" in plain and plain["Width"] is not None:
        return _listed(arrays[0], plain)
    if "Mask" in roles and "Data" in roles and ("Values" in plain or "Values" in roles):
        return _filled(spec, arrays, plain)
    return None


def _listed(x, plain):
    if plain["Width"] < 0:
        raise exceptions.ValueError(f"nonzero(): size must be at least 0, not {plain['Width']}")
    fill = value_of(plain["Padding"])
    if fill != int(fill):
        raise exceptions.OverflowError(f"nonzero(): fill_value is {fill}, and coordinates are integers")
    wide = jnp.atleast_1d(x)
    if x.size:
        found = jnp.nonzero(wide, size=plain["Width"], fill_value=int(fill))
    else:
        found = (jnp.full(plain["Width"], int(fill)),) * x.ndim
    # A number has a place, and no coordinates.
    return found if plain["AsTuple"] else jnp.stack(found, 1)[:, : x.ndim]


def _where(arrays):
    if len(arrays) != 3:
        return None
    condition, one, other = arrays
    # What no condition is, is refused in its own words.
    _takewise.where(np.zeros(0, condition.dtype), 0, 0)
    dtype = jnp.result_type(one, other)
    return jnp.where(condition, jnp.asarray(one, dtype), jnp.asarray(other, dtype))


def _filled(spec, arrays, plain):
    x, mask, *value = arrays
    # What does not fit is refused as by the engine.
    _primitive.check(spec, arrays)
    return jnp.where(mask, jnp.asarray(value[0] if value else value_of(plain["Values"]), x.dtype), x)
