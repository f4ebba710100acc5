"""JAX's names and modes; ``takewise.jax.numpy`` has those of ``jax.numpy``.

What finds elements by an index, a mask or a search is ours. Every other name is JAX's own, and so are calls with arrays that are
being traced, and with arguments that JAX alone has.

    import takewise.jax as jax
    jax.numpy.take(x, jax.numpy.array([0, 5]))   # fill, as JAX does
    jax.at(x)[3].add(1, mode="drop")             # x.at[3].add(1, mode="drop")

Arrays are JAX's own: results need JAX to be installed.

takewise's own functions are part of JAX's programs too. Their errors leave these in a class of JAX's: ``error_of(error)`` gives takewise's
own, and in a block ``with errors():`` that is raised.
"""

import sys as _sys

from takewise import _modules, _takewise
from takewise._jax import error_of as error_of, errors as errors

numpy = _modules.namespace("jax", "numpy")
_sys.modules[f"{__name__}.numpy"] = numpy

_UPDATES = _takewise.own_names("jax", "at")


class _Update:
    """``x.at[key]``: what can be done at the places a key names."""

    __slots__ = ("_key", "_x")

    def __init__(self, x, key):
        self._x, self._key = x, key

    def __getattr__(self, name):
        x, key = self._x, self._key
        if name not in _UPDATES:
            return getattr(_modules.own("jax", "numpy").asarray(x).at[key], name)

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
    ``"promise_in_bounds"``, which is checked and clips here. Other names, such as ``apply``, are JAX's own.
    """

    __slots__ = ("_x",)

    def __init__(self, x, /):
        self._x = x

    def __getitem__(self, key, /):
        return _Update(self._x, key)

    def __repr__(self):
        return f"_IndexUpdateHelper({self._x!r})"


_modules.rest(globals(), "jax")
