"""Results that are more than an array: tuples whose items have names, as ``torch.sort`` returns them, and weak types."""

import functools
import operator


def _repr(self):
    items = ",\n".join(f"{name}={item!r}" for name, item in zip(self._fields, self))
    return f"{type(self)._name}(\n{items})"


@functools.cache
def _kind(name, fields):
    members = {field: property(operator.itemgetter(k)) for k, field in enumerate(fields)}
    members |= {"__slots__": (), "_name": name, "_fields": fields, "__repr__": _repr}
    return type(name, (tuple,), members)


def make(name, fields, items):
    """A tuple of the type called ``name``, whose items are called ``fields``."""
    return _kind(name, fields)(items)


def weak(x):
    """The same array of JAX's with a weak type, which gives way to the dtypes of others."""
    import jax.numpy as jnp

    plain = jnp.full(x.shape, x.dtype.type(0).item())
    return plain.at[...].set(x) if plain.dtype == x.dtype else x
