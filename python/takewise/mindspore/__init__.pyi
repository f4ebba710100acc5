# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from takewise._takewise import MindSporeTensor, _A, dtype
from takewise.mindspore._grad import grad as grad, value_and_grad as value_and_grad
from takewise._takewise import MindSporeTensor as Tensor

from . import mint as mint, numpy as numpy, ops as ops

def __getattr__(name: str) -> Any: ...

__all__ = [
    "Tensor",
    "bfloat16",
    "bool_",
    "complex128",
    "complex64",
    "double",
    "float16",
    "float32",
    "float64",
    "grad",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "mint",
    "numpy",
    "ops",
    "tensor",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "value_and_grad",
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

class _tensor(Protocol):
    def __call__(_, /, data: Any = ..., dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor: _tensor
