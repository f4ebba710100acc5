"""What NumPy's operators and functions do with arrays that lie outside of memory, in files and stores."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from takewise._batches import batch

# Bytes of rows that are read at a time.
_PART = 64 << 20


class Outside(np.lib.mixins.NDArrayOperatorsMixin):
    """The operators of an array that lies elsewhere: as NumPy's, on what is read.

    ``x == 3``, ``x + 1`` and ``numpy.sqrt(x)`` give NumPy's arrays in memory. With numbers they read some rows at a time, and with
    arrays all of it. ``x += 1`` and ``out=x`` write where the array may be written. As NumPy's arrays, these have no hash: ``id(x)``
    tells them apart.

    A class has ``shape``, ``dtype``, subscripts that are NumPy's, and ``__array__``.
    """

    __slots__ = ()

    shape: Any
    dtype: Any

    # Given here, because a class that has ``==`` has no hash unless it says so.
    __hash__ = None  # type: ignore[assignment]

    def __getitems__(self: Any, rows: Any) -> Sequence[Any]:
        """Rows for a batch, read by one call: what PyTorch's ``DataLoader`` asks for. They are those of ``[self[row] for row in rows]``."""
        # NumPy reads long lists of integers faster than a subscript does.
        return batch(self[np.array(rows) if len(rows) else []])

    def _operates(self) -> None:
        """Raises where operators are not NumPy's."""

    def _rows_together(self) -> int:
        """Rows that one read is best made of."""
        return 1

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
        self._operates()
        name = ufunc.__name__
        if method == "at":
            raise TypeError(f"numpy.{name}.at writes into arrays in memory: takewise.numpy.{name}.at, where there is one, writes here")
        if method == "__call__" and not how and ufunc.nout == 1 and ufunc.signature is None:
            return self._by_rows(ufunc, inputs)
        targets = how.pop("out", ())
        if targets:
            how["out"] = tuple(map(_read, targets))
        if "where" in how:
            how["where"] = _read(how["where"])
        made = getattr(ufunc, method)(*map(_read, inputs), **how)
        for target, written in zip(targets, how.get("out", ()), strict=True):
            if isinstance(target, Outside):
                _write(target, written)
        return targets[0] if len(targets) == 1 else targets or made

    # Not as functions of elements: these alone compare records, and what has no order in common.
    def __eq__(self, other: Any) -> Any:
        return self._compared(operator.eq, other)

    def __ne__(self, other: Any) -> Any:
        return self._compared(operator.ne, other)

    def _compared(self, how: Callable[[Any, Any], Any], other: Any) -> Any:
        self._operates()
        if getattr(type(other), "__array_ufunc__", self) is None:
            return NotImplemented
        return self._by_rows(how, (self, other))

    def _by_rows(self: Any, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
        """What a function of elements makes of arrays, of which some rows at a time are read if the others are numbers."""
        if not self.shape or not all(one is self or np.isscalar(one) for one in inputs):
            return function(*map(_read, inputs))
        each = max(1, self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=object)))
        together = self._rows_together()
        step = max(1, _PART // each // together) * together
        made = None
        for start in range(0, max(1, self.shape[0]), step):
            part = np.asarray(self[start : start + step])
            found = function(*(part if one is self else one for one in inputs))
            if len(part) == self.shape[0]:
                return found
            if made is None:
                made = np.empty(self.shape, found.dtype)
            made[start : start + step] = found
        return made

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def __bool__(self) -> bool:
        if int(np.prod(self.shape, dtype=object)) > 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use (x != 0).any() or (x != 0).all()")
        return bool(np.asarray(self))


def _read(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, Outside) else value


def _write(target: Any, values: Any) -> None:
    target[...] = values
