"""Calls that only choose between two values: nothing in them can be outside, so they are JAX's own selection, which XLA fuses."""

import json

import jax.numpy as jnp
import numpy as np

from takewise import _takewise
from takewise._jax import _primitive
from takewise._jax._spec import value_of


def choice(spec, arrays):
    """The result of a call that chooses; ``None`` for any other."""
    roles = [operand[0] for operand in spec.operands]
    if "Condition" in roles:
        return _where(arrays)
    plain = json.loads(spec.plain)
    if "Mask" in roles and "Data" in roles and ("Values" in plain or "Values" in roles):
        return _filled(spec, arrays, plain)
    return None


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
