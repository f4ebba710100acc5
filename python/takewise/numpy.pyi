# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Protocol, SupportsIndex, overload

from takewise._takewise import dtype
def index(x: Any, key: Any, /) -> Any: ...
def setindex(x: Any, key: Any, value: Any, /) -> None: ...
add_at: Any
maximum_at: Any
minimum_at: Any
multiply_at: Any
subtract_at: Any

__all__ = [
    "add",
    "add_at",
    "arange",
    "argsort",
    "argwhere",
    "array",
    "array_equal",
    "asarray",
    "ascontiguousarray",
    "bfloat16",
    "bool_",
    "broadcast_to",
    "complex128",
    "complex64",
    "compress",
    "copy",
    "copyto",
    "diagonal",
    "digitize",
    "double",
    "e",
    "empty",
    "expand_dims",
    "extract",
    "eye",
    "flatnonzero",
    "flip",
    "float16",
    "float32",
    "float64",
    "full",
    "full_like",
    "half",
    "index",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intp",
    "isnan",
    "linspace",
    "load",
    "logical_not",
    "maximum",
    "maximum_at",
    "minimum",
    "minimum_at",
    "multiply",
    "multiply_at",
    "nan",
    "newaxis",
    "nonzero",
    "ones",
    "ones_like",
    "pi",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel",
    "reshape",
    "searchsorted",
    "setindex",
    "single",
    "sort",
    "squeeze",
    "subtract",
    "subtract_at",
    "swapaxes",
    "take",
    "take_along_axis",
    "transpose",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "where",
    "zeros",
    "zeros_like",
]

add: Any
bfloat16: Any
bool: Any
bool_: Any
complex128: Any
complex64: Any
double: Any
e: builtins.float
float: Any
float16: Any
float32: Any
float64: Any
half: Any
inf: builtins.float
int: Any
int16: Any
int32: Any
int64: Any
int8: Any
int_: Any
intp: Any
maximum: Any
minimum: Any
multiply: Any
nan: builtins.float
newaxis: None
pi: builtins.float
single: Any
subtract: Any
uint16: Any
uint32: Any
uint64: Any
uint8: Any

class _all(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

all: _all

class _any(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

any: _any

class _arange(Protocol):
    @overload
    def __call__(_, /, end: Any, *, dtype: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, start: Any, end: Any, step: Any = ..., dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

arange: _arange

class _argsort(Protocol):
    def __call__(_, /, input: Any, dim: Any = ..., kind: builtins.str | None = ..., order: Any = ..., *, stable: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argsort: _argsort

class _argwhere(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argwhere: _argwhere

class _array(Protocol):
    def __call__(_, /, data: Any, dtype: Any = ..., *, copy: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

array: _array

class _array_equal(Protocol):
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

array_equal: _array_equal

class _asarray(Protocol):
    def __call__(_, /, data: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

asarray: _asarray

class _ascontiguousarray(Protocol):
    def __call__(_, /, input: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ascontiguousarray: _ascontiguousarray

class _broadcast_to(Protocol):
    def __call__(_, /, input: Any, size: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_to: _broadcast_to

class _compress(Protocol):
    def __call__(_, /, condition: Any, input: Any, axis: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

compress: _compress

class _copy(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

copy: _copy

class _copyto(Protocol):
    def __call__(_, /, dst: Any, src: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

copyto: _copyto

class _diagonal(Protocol):
    def __call__(_, /, input: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagonal: _diagonal

class _digitize(Protocol):
    def __call__(_, /, x: Any, bins: Any, right: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

digitize: _digitize

class _empty(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

empty: _empty

class _expand_dims(Protocol):
    def __call__(_, /, input: Any, axis: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

expand_dims: _expand_dims

class _extract(Protocol):
    def __call__(_, /, condition: Any, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

extract: _extract

class _eye(Protocol):
    def __call__(_, /, n: SupportsIndex, m: SupportsIndex | None = ..., *, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

eye: _eye

class _flatnonzero(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

flatnonzero: _flatnonzero

class _flip(Protocol):
    def __call__(_, /, input: Any, axis: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

flip: _flip

class _full(Protocol):
    def __call__(_, /, size: Any, fill_value: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

full: _full

class _full_like(Protocol):
    def __call__(_, /, input: Any, fill_value: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

full_like: _full_like

class _isnan(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

isnan: _isnan

class _linspace(Protocol):
    def __call__(_, /, start: Any, end: Any, steps: SupportsIndex = ..., *, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

linspace: _linspace

class _load(Protocol):
    def __call__(_, /, file: builtins.str) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

load: _load

class _logical_not(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_not: _logical_not

class _nonzero(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

nonzero: _nonzero

class _ones(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones: _ones

class _ones_like(Protocol):
    def __call__(_, /, input: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones_like: _ones_like

class _place(Protocol):
    def __call__(_, /, input: Any, mask: Any, vals: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

place: _place

class _put(Protocol):
    def __call__(_, /, input: Any, indices: Any, values: Any, mode: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

put: _put

class _put_along_axis(Protocol):
    def __call__(_, /, input: Any, indices: Any, values: Any, axis: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

put_along_axis: _put_along_axis

class _putmask(Protocol):
    def __call__(_, /, input: Any, mask: Any, values: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

putmask: _putmask

class _ravel(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ravel: _ravel

class _reshape(Protocol):
    def __call__(_, /, input: Any, shape: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

reshape: _reshape

class _searchsorted(Protocol):
    def __call__(_, /, sorted_sequence: Any, input: Any, side: builtins.str = ..., sorter: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

searchsorted: _searchsorted

class _sort(Protocol):
    def __call__(_, /, input: Any, dim: Any = ..., kind: builtins.str | None = ..., order: Any = ..., *, stable: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _squeeze(Protocol):
    def __call__(_, /, input: Any, axis: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

squeeze: _squeeze

class _swapaxes(Protocol):
    def __call__(_, /, input: Any, axis0: SupportsIndex, axis1: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapaxes: _swapaxes

class _take(Protocol):
    def __call__(_, /, input: Any, indices: Any, axis: Any = ..., out: Any = ..., mode: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

take: _take

class _take_along_axis(Protocol):
    def __call__(_, /, input: Any, indices: Any, axis: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

take_along_axis: _take_along_axis

class _transpose(Protocol):
    def __call__(_, /, input: Any, axes: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _where(Protocol):
    @overload
    def __call__(_, /, condition: Any) -> Any: ...
    @overload
    def __call__(_, /, condition: Any, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

where: _where

class _zeros(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros: _zeros

class _zeros_like(Protocol):
    def __call__(_, /, input: Any, dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros_like: _zeros_like
