"""JAX's names and modes; ``takewise.jax.numpy`` has those of ``jax.numpy``.

    import takewise.jax as jax
    jax.numpy.take(x, jax.numpy.array([0, 5]))   # fill, as JAX does
    jax.at(x)[3].add(1, mode="drop")             # x.at[3].add(1, mode="drop")

Arrays are JAX's own: results need JAX to be installed.
"""

import sys as _sys

from takewise import _modules, _takewise

numpy = _modules.namespace("jax", "numpy")
_sys.modules[f"{__name__}.numpy"] = numpy



_UPDATES = ("get", "set", "add", "subtract", "mul", "multiply", "divide", "power", "min", "max")


class _Update:
    """``x.at[key]``: what can be done at the places a key names."""

    __slots__ = ("_key", "_x")

    def __init__(self, x, key):
        self._x, self._key = x, key

    def __getattr__(self, name):
        if name not in _UPDATES:
            raise AttributeError(f"x.at[key] has no {name!r}; it has {', '.join(_UPDATES)}")
        x, key = self._x, self._key

        def update(*args, **kwargs):
            return _takewise.update("jax", x, key, name, args, kwargs)

        update._takewise_update = (x, key, name)
        return update

    def __dir__(self):
        return [*object.__dir__(self), *_UPDATES]

    def __repr__(self):
        return f"_IndexUpdateRef({self._x!r}, {self._key!r})"


class at:
    """``x.at``: updates that give a new array, by JAX's rules for values out of range.

    ``at(x)[key].get(mode=, fill_value=)``, ``.set(values, mode=)``, ``.add``, ``.subtract``, ``.multiply`` (``mul``),
    ``.divide``, ``.power``, ``.min`` and ``.max``, with ``mode`` one of ``"fill"``, ``"drop"``, ``"clip"`` and
    ``"promise_in_bounds"``, which is checked and clips here.
    """

    __slots__ = ("_x",)

    def __init__(self, x, /):
        self._x = x

    def __getitem__(self, key, /):
        return _Update(self._x, key)

    def __repr__(self):
        return f"_IndexUpdateHelper({self._x!r})"


__all__ = ["at", "numpy"]
