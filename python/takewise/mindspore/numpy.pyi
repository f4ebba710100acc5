# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from takewise._takewise import MindSporeTensor, _A, dtype

def __getattr__(name: str) -> Any: ...

__all__ = [
    "bfloat16",
    "bool_",
    "complex128",
    "complex64",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]

bfloat16: dtype
bool_: dtype
complex128: dtype
complex64: dtype
double: dtype
float16: dtype
float32: dtype
float64: dtype
half: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype

