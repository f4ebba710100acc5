"""What takewise raises.

Every exception is of the class the library in question would raise (``IndexError``, ``ValueError``, ...) and of
:class:`Error`. Where an index value is to blame, four attributes say which one:

``axis``
    the axis of the indexed array it missed,
``position``
    its coordinates in the index array,
``value``
    what it is,
``size``
    the length of that axis.

They are ``None`` where they do not apply.

>>> import takewise
>>> try:
...     takewise.take([10, 20, 30], [0, 7])
... except IndexError as error:
...     print(error.axis, error.position, error.value, error.size)
0 (1,) 7 3
"""

import builtins as _builtins
import functools as _functools
import sys as _sys

__all__ = [
    "AxisError",
    "Error",
    "IndexError",
    "MemoryError",
    "NotImplementedError",
    "OverflowError",
    "RuntimeError",
    "TypeError",
    "ValueError",
]


# Characters of a message. What is longer shows an argument of the caller's, which is told from its ends.
_LONGEST = 2000


def _bounded(text):
    """A message, or the two ends of one that is too long to read."""
    if not isinstance(text, str) or len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]} … {text[-half:]}"


class Error(Exception):
    """Everything takewise raises."""

    def __init__(self, *args):
        super().__init__(*map(_bounded, args))

    axis = None
    position = None
    value = None
    size = None

    def __reduce__(self):
        facts = {name: getattr(self, name) for name in ("axis", "position", "value", "size")}
        return type(self), self.args, facts


class IndexError(Error, _builtins.IndexError):
    """An index value outside its axis, or a subscript that does not fit the array."""


class ValueError(Error, _builtins.ValueError):
    """A shape, or an argument with a value that is not possible."""


class TypeError(Error, _builtins.TypeError):
    """A dtype or a kind of object that the operation does not take."""


class RuntimeError(Error, _builtins.RuntimeError):
    """What PyTorch raises for nearly everything."""


class NotImplementedError(Error, _builtins.NotImplementedError):
    """An operation that does not exist for this dtype."""


class OverflowError(Error, _builtins.OverflowError):
    """A number that does not fit the dtype."""


class MemoryError(Error, _builtins.MemoryError):
    """A result that cannot be held."""


class AxisError(ValueError, IndexError):
    """An axis number outside the rank, as NumPy raises it."""


def _axis_error(text):
    """An :class:`AxisError`, of NumPy's class of that name too where NumPy is loaded."""
    theirs = _sys.modules.get("numpy.exceptions")
    return (_of_both(theirs.AxisError) if theirs else AxisError)(text)


@_functools.cache
def _of_both(theirs):
    body = {
        "__module__": __name__,
        "__doc__": AxisError.__doc__,
        "__reduce__": lambda self: (_axis_error, self.args, self.__dict__),
    }
    return type("AxisError", (AxisError, theirs), body)


CLASSES = {name: globals()[name] for name in __all__ if name != "Error"}
