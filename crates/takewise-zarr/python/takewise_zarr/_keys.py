"""Keys and index arrays as the extension takes them, and the dtypes that it names."""

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


class Key:
    """The entries of a key, or one index array; and the integers in it that have more than 64 bits."""

    def __init__(self) -> None:
        self.huge: list[int] = []

    def bound(self, value: Any) -> int:
        """An integer, or what is as far out where it has more than 64 bits."""
        number = operator.index(value)
        if not _LEAST <= number <= _MOST:
            self.huge.append(number)
        return min(max(number, _LEAST), _MOST)

    def array(self, value: Any) -> Any:
        """An index array or a mask: row-major, of int64, uint64 or bool."""
        array = np.asarray(value)
        if array.size == 0 and not hasattr(value, "dtype"):
            array = array.astype(np.int64)
        if array.dtype.kind == "O" or array.dtype.kind == "f" and not hasattr(value, "dtype"):
            # NumPy makes numbers with a point of integers that have 64 bits without a sign beside others.
            given = np.asarray(value, object)
            if all(isinstance(entry, (int, np.integer)) for entry in given.flat):
                array = np.array([self.bound(entry) for entry in given.flat], np.int64).reshape(given.shape)
        kind = array.dtype.kind
        if kind not in "iub":
            raise TypeError(f"an index array holds integers or truth values, not {array.dtype}")
        wanted = {"i": np.int64, "u": np.uint64, "b": np.bool_}[kind]
        # ascontiguousarray would give what has no axes one.
        return np.asarray(array, wanted, order="C")

    def entries(self, key: Any) -> Iterator[Any]:
        """Each entry of a subscript."""
        for entry in key if isinstance(key, tuple) else (key,):
            if entry is None or entry is Ellipsis:
                yield entry
            elif isinstance(entry, (bool, np.bool_)):
                yield bool(entry)
            elif isinstance(entry, slice):
                parts = (entry.start, entry.stop, entry.step)
                # The bounds of a slice are cut where the axis ends, however far out they are.
                yield slice(*(None if part is None else Key().bound(part) for part in parts))
            elif isinstance(entry, (int, np.integer)) or (hasattr(entry, "__index__") and not hasattr(entry, "__array__")):
                yield self.bound(entry)
            else:
                yield self.array(entry)

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Errors name an integer of more than 64 bits as it was given."""
        try:
            yield
        except IndexError as error:
            given = [n for n in self.huge if min(max(n, _LEAST), _MOST) == getattr(error, "value", None)]
            if given:
                error.args = (str(error).replace(str(error.value), str(given[0])),)  # type: ignore[attr-defined]
                error.value = given[0]  # type: ignore[attr-defined]
            raise


def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's dtype of a name."""
    if name == "bfloat16":
        import ml_dtypes

        name = ml_dtypes.bfloat16
    dtype: np.dtype[Any] = np.dtype(name)
    return dtype
