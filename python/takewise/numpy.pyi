# Written by tools/python/stubs.py.
from typing import Any

from numpy import *
from numpy import __all__ as _all

__all__ = [
    "index",
    "setindex",
    "add_at",
    "maximum_at",
    "minimum_at",
    "multiply_at",
    "subtract_at",
]
__all__ += _all

def index(x: Any, key: Any, /) -> Any: ...
def setindex(x: Any, key: Any, value: Any, /) -> None: ...
add_at: Any
maximum_at: Any
minimum_at: Any
multiply_at: Any
subtract_at: Any
def __getattr__(name: str) -> Any: ...
