# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Protocol, SupportsIndex, overload

from takewise._takewise import dtype
from takewise.mindspore._grad import grad as grad, value_and_grad as value_and_grad
from takewise.mindspore._grad import GradOperation as GradOperation

__all__ = [
    "GradOperation",
    "arange",
    "argsort",
    "bfloat16",
    "bool_",
    "complex128",
    "complex64",
    "double",
    "flip",
    "float16",
    "float32",
    "float64",
    "full",
    "gather",
    "gather_d",
    "gather_elements",
    "gather_nd",
    "grad",
    "half",
    "index_select",
    "int16",
    "int32",
    "int64",
    "int8",
    "masked_fill",
    "masked_select",
    "nonzero",
    "ones",
    "reshape",
    "scatter",
    "scatter_nd",
    "searchsorted",
    "sort",
    "tensor_scatter_add",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "transpose",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "value_and_grad",
    "where",
    "zeros",
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

class _arange(Protocol):
    @overload
    def __call__(_, /, end: Any, *, dtype: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, start: Any, end: Any, step: Any = ..., *, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

arange: _arange

class _argsort(Protocol):
    def __call__(_, /, input: Any, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argsort: _argsort

class _flip(Protocol):
    def __call__(_, /, input: Any, dims: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

flip: _flip

class _full(Protocol):
    def __call__(_, /, size: Any, fill_value: Any, *, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

full: _full

class _gather(Protocol):
    def __call__(_, /, input: Any, input_indices: Any, axis: Any, batch_dims: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather: _gather

class _gather_d(Protocol):
    def __call__(_, /, input: Any, dim: SupportsIndex, index: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather_d: _gather_d

class _gather_elements(Protocol):
    def __call__(_, /, input: Any, dim: SupportsIndex, index: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather_elements: _gather_elements

class _gather_nd(Protocol):
    def __call__(_, /, input: Any, indices: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather_nd: _gather_nd

class _index_select(Protocol):
    def __call__(_, /, input: Any, dim: SupportsIndex, index: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_select: _index_select

class _masked_fill(Protocol):
    def __call__(_, /, input: Any, mask: Any, value: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_fill: _masked_fill

class _masked_select(Protocol):
    def __call__(_, /, input: Any, mask: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_select: _masked_select

class _nonzero(Protocol):
    def __call__(_, /, input: Any, *, as_tuple: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

nonzero: _nonzero

class _ones(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones: _ones

class _reshape(Protocol):
    def __call__(_, /, input: Any, shape: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

reshape: _reshape

class _scatter(Protocol):
    def __call__(_, /, input: Any, axis: SupportsIndex, index: Any, src: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter: _scatter

class _scatter_nd(Protocol):
    def __call__(_, /, indices: Any, updates: Any, shape: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd: _scatter_nd

class _searchsorted(Protocol):
    def __call__(_, /, sorted_sequence: Any, input: Any, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

searchsorted: _searchsorted

class _sort(Protocol):
    def __call__(_, /, input: Any, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _tensor_scatter_add(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_add: _tensor_scatter_add

class _tensor_scatter_div(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_div: _tensor_scatter_div

class _tensor_scatter_elements(Protocol):
    def __call__(_, /, input: Any, index: Any, src: Any, axis: SupportsIndex = ..., reduction: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_elements: _tensor_scatter_elements

class _tensor_scatter_max(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_max: _tensor_scatter_max

class _tensor_scatter_min(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_min: _tensor_scatter_min

class _tensor_scatter_mul(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_mul: _tensor_scatter_mul

class _tensor_scatter_sub(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_sub: _tensor_scatter_sub

class _tensor_scatter_update(Protocol):
    def __call__(_, /, input: Any, indices: Any, updates: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_update: _tensor_scatter_update

class _transpose(Protocol):
    def __call__(_, /, input: Any, axes: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _where(Protocol):
    def __call__(_, /, condition: Any, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

where: _where

class _zeros(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros: _zeros
