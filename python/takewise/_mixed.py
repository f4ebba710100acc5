"""Keys that can be read in two ways, of arrays that other libraries index for us."""

from typing import Any

import numpy as np

from takewise import _takewise


def check(shape: Any, key: Any, mixed: str | None) -> None:
    """Raises for such a key where it is to be refused: by the call, or by the process. Nothing is read but masks that are here."""
    if (mixed or _takewise.get_mixed()) == "refuse":
        _takewise._unmixed(tuple(shape), tuple(map(_form, key)) if isinstance(key, tuple) else _form(key))


def _form(one: Any) -> Any:
    """An entry of a key, with arrays that are not in this memory as zeros of their shape."""
    if isinstance(one, np.ndarray) or not hasattr(one, "shape") or not hasattr(one, "dtype"):
        return one
    kind = bool if "bool" in str(one.dtype) else np.int64
    return np.broadcast_to(np.zeros((), kind), tuple(one.shape))
