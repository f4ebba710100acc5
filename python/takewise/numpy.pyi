# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from numpy.typing import NDArray

from takewise._takewise import _A, _S, dtype
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
    "amax",
    "amin",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "array",
    "array_equal",
    "array_split",
    "asarray",
    "ascontiguousarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bfloat16",
    "bincount",
    "bool_",
    "broadcast_arrays",
    "broadcast_to",
    "choose",
    "clip",
    "complex128",
    "complex64",
    "compress",
    "concat",
    "concatenate",
    "copy",
    "copyto",
    "cumsum",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "digitize",
    "double",
    "dsplit",
    "e",
    "empty",
    "expand_dims",
    "extract",
    "eye",
    "fill_diagonal",
    "flatnonzero",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "full",
    "full_like",
    "half",
    "hsplit",
    "index",
    "indices",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intp",
    "isin",
    "isnan",
    "ix_",
    "lib",
    "linspace",
    "load",
    "logical_not",
    "matrix_transpose",
    "maximum",
    "maximum_at",
    "mean",
    "meshgrid",
    "minimum",
    "minimum_at",
    "moveaxis",
    "multiply",
    "multiply_at",
    "nan",
    "newaxis",
    "nonzero",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel",
    "ravel_multi_index",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "searchsorted",
    "select",
    "setindex",
    "single",
    "sort",
    "split",
    "squeeze",
    "stack",
    "subtract",
    "subtract_at",
    "swapaxes",
    "take",
    "take_along_axis",
    "tile",
    "transpose",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique",
    "unravel_index",
    "unstack",
    "vsplit",
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
lib: Any
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
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

all: _all

class _amax(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

amax: _amax

class _amin(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

amin: _amin

class _any(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

any: _any

class _arange(Protocol):
    @overload
    def __call__(_, /, end: Any, *, dtype: Any = ...) -> NDArray[Any]: ...
    @overload
    def __call__(_, /, start: Any, end: Any, step: Any = ..., dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

arange: _arange

class _argmax(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., *, keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argmax: _argmax

class _argmin(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., *, keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argmin: _argmin

class _argsort(Protocol):
    def __call__(_, /, input: Any, dim: Any = ..., kind: builtins.str | None = ..., order: Any = ..., *, stable: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

argsort: _argsort

class _argwhere(Protocol):
    def __call__(_, /, input: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

argwhere: _argwhere

class _array(Protocol):
    def __call__(_, /, data: Any, dtype: Any = ..., *, copy: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

array: _array

class _array_equal(Protocol):
    def __call__(_, /, input: Any, other: Any) -> builtins.bool: ...
    def __getattr__(self, name: str, /) -> Any: ...

array_equal: _array_equal

class _array_split(Protocol):
    def __call__(_, /, ary: Any, indices_or_sections: Any, axis: SupportsIndex = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

array_split: _array_split

class _asarray(Protocol):
    def __call__(_, /, data: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

asarray: _asarray

class _ascontiguousarray(Protocol):
    def __call__(_, /, input: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

ascontiguousarray: _ascontiguousarray

class _atleast_1d(Protocol):
    def __call__(_, /, *args: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_1d: _atleast_1d

class _atleast_2d(Protocol):
    def __call__(_, /, *args: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_2d: _atleast_2d

class _atleast_3d(Protocol):
    def __call__(_, /, *args: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_3d: _atleast_3d

class _bincount(Protocol):
    def __call__(_, /, x: Any, weights: Any = ..., minlength: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

bincount: _bincount

class _broadcast_arrays(Protocol):
    def __call__(_, /, *args: Any) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_arrays: _broadcast_arrays

class _broadcast_to(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], size: Any) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, size: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_to: _broadcast_to

class _choose(Protocol):
    def __call__(_, /, input: Any, choices: Any, out: Any = ..., mode: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

choose: _choose

class _clip(Protocol):
    def __call__(_, /, input: Any, a_min: Any = ..., a_max: Any = ..., out: Any = ..., *, min: Any = ..., max: Any = ..., dtype: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

clip: _clip

class _compress(Protocol):
    def __call__(_, /, condition: Any, input: Any, axis: Any = ..., out: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

compress: _compress

class _concat(Protocol):
    def __call__(_, /, arrays: Any, axis: Any = ..., out: Any = ..., *, dtype: Any = ..., casting: builtins.str = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

concat: _concat

class _concatenate(Protocol):
    def __call__(_, /, arrays: Any, axis: Any = ..., out: Any = ..., *, dtype: Any = ..., casting: builtins.str = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

concatenate: _concatenate

class _copy(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S]) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

copy: _copy

class _copyto(Protocol):
    def __call__(_, /, dst: Any, src: Any, casting: builtins.str = ..., where: Any = ...) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

copyto: _copyto

class _cumsum(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., dtype: Any = ..., out: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

cumsum: _cumsum

class _diag(Protocol):
    def __call__(_, /, v: Any, k: SupportsIndex = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag: _diag

class _diag_indices(Protocol):
    def __call__(_, /, n: SupportsIndex, ndim: SupportsIndex = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag_indices: _diag_indices

class _diag_indices_from(Protocol):
    def __call__(_, /, arr: Any) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag_indices_from: _diag_indices_from

class _diagflat(Protocol):
    def __call__(_, /, v: Any, k: SupportsIndex = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagflat: _diagflat

class _diagonal(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagonal: _diagonal

class _digitize(Protocol):
    def __call__(_, /, x: Any, bins: Any, right: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

digitize: _digitize

class _dsplit(Protocol):
    def __call__(_, /, ary: Any, indices_or_sections: Any) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

dsplit: _dsplit

class _empty(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

empty: _empty

class _expand_dims(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], axis: SupportsIndex) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, axis: SupportsIndex) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

expand_dims: _expand_dims

class _extract(Protocol):
    def __call__(_, /, condition: Any, input: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

extract: _extract

class _eye(Protocol):
    def __call__(_, /, n: SupportsIndex, m: SupportsIndex | None = ..., *, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

eye: _eye

class _fill_diagonal(Protocol):
    def __call__(_, /, input: Any, val: Any, wrap: builtins.bool = ...) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

fill_diagonal: _fill_diagonal

class _flatnonzero(Protocol):
    def __call__(_, /, input: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

flatnonzero: _flatnonzero

class _flip(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], axis: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, axis: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

flip: _flip

class _fliplr(Protocol):
    @overload
    def __call__(_, /, m: NDArray[_S]) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, m: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

fliplr: _fliplr

class _flipud(Protocol):
    @overload
    def __call__(_, /, m: NDArray[_S]) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, m: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

flipud: _flipud

class _full(Protocol):
    def __call__(_, /, size: Any, fill_value: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

full: _full

class _full_like(Protocol):
    def __call__(_, /, input: Any, fill_value: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

full_like: _full_like

class _hsplit(Protocol):
    def __call__(_, /, ary: Any, indices_or_sections: Any) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

hsplit: _hsplit

class _indices(Protocol):
    def __call__(_, /, dimensions: Any, dtype: Any = ..., sparse: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

indices: _indices

class _isin(Protocol):
    def __call__(_, /, element: Any, test_elements: Any, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., *, kind: builtins.str | None = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

isin: _isin

class _isnan(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

isnan: _isnan

class _ix_(Protocol):
    def __call__(_, /, *args: Any) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

ix_: _ix_

class _linspace(Protocol):
    def __call__(_, /, start: Any, end: Any, steps: SupportsIndex = ..., *, dtype: Any = ...) -> NDArray[Any]: ...
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

class _matrix_transpose(Protocol):
    def __call__(_, /, input: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

matrix_transpose: _matrix_transpose

class _max(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

max: _max

class _mean(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

mean: _mean

class _meshgrid(Protocol):
    def __call__(_, /, *args: Any, copy: builtins.bool = ..., sparse: builtins.bool = ..., indexing: builtins.str = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

meshgrid: _meshgrid

class _min(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

min: _min

class _moveaxis(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], source: Any, destination: Any) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, source: Any, destination: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

moveaxis: _moveaxis

class _nonzero(Protocol):
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

nonzero: _nonzero

class _ones(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones: _ones

class _ones_like(Protocol):
    def __call__(_, /, input: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones_like: _ones_like

class _permute_dims(Protocol):
    def __call__(_, /, input: Any, axes: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

permute_dims: _permute_dims

class _place(Protocol):
    def __call__(_, /, input: Any, mask: Any, vals: Any) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

place: _place

class _put(Protocol):
    def __call__(_, /, input: Any, indices: Any, values: Any, mode: builtins.str = ...) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

put: _put

class _put_along_axis(Protocol):
    def __call__(_, /, input: Any, indices: Any, values: Any, axis: Any) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

put_along_axis: _put_along_axis

class _putmask(Protocol):
    def __call__(_, /, target: Any, mask: Any, values: Any) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

putmask: _putmask

class _ravel(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S]) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

ravel: _ravel

class _ravel_multi_index(Protocol):
    def __call__(_, /, multi_index: Any, dims: Any, mode: Any = ..., order: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ravel_multi_index: _ravel_multi_index

class _repeat(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], repeats: Any, axis: SupportsIndex | None = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, repeats: Any, axis: SupportsIndex | None = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

repeat: _repeat

class _reshape(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], shape: Any) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, shape: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

reshape: _reshape

class _roll(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], shift: Any, axis: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, shift: Any, axis: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

roll: _roll

class _rollaxis(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], axis: SupportsIndex, start: SupportsIndex = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, axis: SupportsIndex, start: SupportsIndex = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

rollaxis: _rollaxis

class _rot90(Protocol):
    @overload
    def __call__(_, /, m: NDArray[_S], k: SupportsIndex = ..., axes: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, m: Any, k: SupportsIndex = ..., axes: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

rot90: _rot90

class _searchsorted(Protocol):
    def __call__(_, /, sorted_sequence: Any, v: Any, side: builtins.str = ..., sorter: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

searchsorted: _searchsorted

class _select(Protocol):
    def __call__(_, /, condlist: Any, choicelist: Any, default: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

select: _select

class _sort(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], dim: Any = ..., kind: builtins.str | None = ..., order: Any = ..., *, stable: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, dim: Any = ..., kind: builtins.str | None = ..., order: Any = ..., *, stable: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _split(Protocol):
    def __call__(_, /, ary: Any, indices_or_sections: Any, axis: SupportsIndex = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

split: _split

class _squeeze(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], axis: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, axis: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

squeeze: _squeeze

class _stack(Protocol):
    def __call__(_, /, arrays: Any, axis: SupportsIndex = ..., out: Any = ..., *, dtype: Any = ..., casting: builtins.str = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

stack: _stack

class _sum(Protocol):
    def __call__(_, /, input: Any, axis: Any = ..., dtype: Any = ..., out: Any = ..., keepdims: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

sum: _sum

class _swapaxes(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], axis0: SupportsIndex, axis1: SupportsIndex) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, axis0: SupportsIndex, axis1: SupportsIndex) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapaxes: _swapaxes

class _take(Protocol):
    def __call__(_, /, input: Any, indices: Any, axis: Any = ..., out: Any = ..., mode: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

take: _take

class _take_along_axis(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], indices: Any, axis: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, indices: Any, axis: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

take_along_axis: _take_along_axis

class _tile(Protocol):
    def __call__(_, /, A: Any, reps: Any) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

tile: _tile

class _transpose(Protocol):
    @overload
    def __call__(_, /, input: NDArray[_S], axes: Any = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, input: Any, axes: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _tril(Protocol):
    @overload
    def __call__(_, /, m: NDArray[_S], k: SupportsIndex = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, m: Any, k: SupportsIndex = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril: _tril

class _tril_indices(Protocol):
    def __call__(_, /, n: SupportsIndex, k: SupportsIndex = ..., m: SupportsIndex | None = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril_indices: _tril_indices

class _tril_indices_from(Protocol):
    def __call__(_, /, arr: Any, k: SupportsIndex = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril_indices_from: _tril_indices_from

class _triu(Protocol):
    @overload
    def __call__(_, /, m: NDArray[_S], k: SupportsIndex = ...) -> NDArray[_S]: ...
    @overload
    def __call__(_, /, m: Any, k: SupportsIndex = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu: _triu

class _triu_indices(Protocol):
    def __call__(_, /, n: SupportsIndex, k: SupportsIndex = ..., m: SupportsIndex | None = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu_indices: _triu_indices

class _triu_indices_from(Protocol):
    def __call__(_, /, arr: Any, k: SupportsIndex = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu_indices_from: _triu_indices_from

class _unique(Protocol):
    def __call__(_, /, ar: Any, return_index: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., axis: SupportsIndex | None = ..., *, equal_nan: builtins.bool = ..., sorted: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unique: _unique

class _unravel_index(Protocol):
    def __call__(_, /, indices: Any, shape: Any, order: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unravel_index: _unravel_index

class _unstack(Protocol):
    def __call__(_, /, x: Any, *, axis: SupportsIndex = ...) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unstack: _unstack

class _vsplit(Protocol):
    def __call__(_, /, ary: Any, indices_or_sections: Any) -> tuple[NDArray[Any], ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

vsplit: _vsplit

class _where(Protocol):
    @overload
    def __call__(_, /, condition: Any) -> Any: ...
    @overload
    def __call__(_, /, condition: Any, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

where: _where

class _zeros(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros: _zeros

class _zeros_like(Protocol):
    def __call__(_, /, input: Any, dtype: Any = ...) -> NDArray[Any]: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros_like: _zeros_like
