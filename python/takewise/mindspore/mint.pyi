# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from takewise._takewise import MindSporeTensor, _A, dtype

def __getattr__(name: str) -> Any: ...

__all__ = [
    "bfloat16",
    "bool_",
    "broadcast_to",
    "chunk",
    "complex128",
    "complex64",
    "diag",
    "double",
    "flatten",
    "flip",
    "float16",
    "float32",
    "float64",
    "gather",
    "half",
    "index_add",
    "index_select",
    "int16",
    "int32",
    "int64",
    "int8",
    "masked_select",
    "narrow",
    "nonzero",
    "permute",
    "ravel",
    "reshape",
    "roll",
    "searchsorted",
    "select",
    "sort",
    "split",
    "squeeze",
    "swapaxes",
    "t",
    "take",
    "transpose",
    "tril",
    "triu",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unbind",
    "unsqueeze",
    "where",
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

class _broadcast_to(Protocol):
    def __call__(_, /, input: _A, shape: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_to: _broadcast_to

class _chunk(Protocol):
    def __call__(_, /, input: _A, chunks: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

chunk: _chunk

class _diag(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag: _diag

class _flatten(Protocol):
    def __call__(_, /, input: _A, start_dim: SupportsIndex = ..., end_dim: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

flatten: _flatten

class _flip(Protocol):
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

flip: _flip

class _gather(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather: _gather

class _index_add(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, source: Any, *, alpha: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_add: _index_add

class _index_select(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_select: _index_select

class _masked_select(Protocol):
    def __call__(_, /, input: _A, mask: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_select: _masked_select

class _narrow(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, start: SupportsIndex, length: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

narrow: _narrow

class _nonzero(Protocol):
    @overload
    def __call__(_, /, input: _A, *, as_tuple: Literal[False] = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, *, as_tuple: Literal[True]) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

nonzero: _nonzero

class _permute(Protocol):
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

permute: _permute

class _ravel(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

ravel: _ravel

class _reshape(Protocol):
    def __call__(_, /, input: _A, shape: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

reshape: _reshape

class _roll(Protocol):
    def __call__(_, /, input: _A, shifts: Any, dims: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

roll: _roll

class _searchsorted(Protocol):
    def __call__(_, /, sorted_sequence: _A, input: Any, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

searchsorted: _searchsorted

class _select(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

select: _select

class _sort(Protocol):
    def __call__(_, /, input: _A, *, dim: SupportsIndex = ..., descending: builtins.bool = ..., stable: builtins.bool = ...) -> tuple[_A, _A]: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _split(Protocol):
    def __call__(_, /, tensor: _A, split_size_or_sections: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

split: _split

class _squeeze(Protocol):
    def __call__(_, /, input: _A, dim: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

squeeze: _squeeze

class _swapaxes(Protocol):
    def __call__(_, /, input: _A, axis0: SupportsIndex, axis1: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapaxes: _swapaxes

class _t(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

t: _t

class _take(Protocol):
    def __call__(_, /, input: _A, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

take: _take

class _transpose(Protocol):
    def __call__(_, /, input: _A, dim0: SupportsIndex, dim1: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _tril(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril: _tril

class _triu(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu: _triu

class _unbind(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unbind: _unbind

class _unsqueeze(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsqueeze: _unsqueeze

class _where(Protocol):
    def __call__(_, /, condition: _A, input: Any, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

where: _where
