# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from takewise._recording import no_grad as no_grad, enable_grad as enable_grad, set_grad_enabled as set_grad_enabled, inference_mode as inference_mode
from takewise._size import Size as Size
from takewise._takewise import TorchTensor as Tensor
from takewise._takewise import _A, _Sorted
from takewise._takewise import dtype as dtype
from takewise._takewise import get_num_threads as get_num_threads
from takewise._takewise import set_num_threads as set_num_threads

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "Size",
    "Tensor",
    "adjoint",
    "amax",
    "amin",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_tensor",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autograd",
    "bfloat16",
    "bincount",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "cat",
    "cdouble",
    "cfloat",
    "chunk",
    "clamp",
    "clip",
    "clone",
    "complex128",
    "complex64",
    "concat",
    "concatenate",
    "cumsum",
    "detach",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "double",
    "dsplit",
    "dtype",
    "e",
    "embedding",
    "empty",
    "empty_like",
    "enable_grad",
    "eq",
    "equal",
    "eye",
    "fill",
    "fill_",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "gather",
    "ge",
    "get_num_threads",
    "gt",
    "half",
    "hsplit",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_select",
    "inf",
    "inference_mode",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_grad_enabled",
    "is_tensor",
    "isin",
    "isnan",
    "le",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "long",
    "lt",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "mean",
    "meshgrid",
    "moveaxis",
    "movedim",
    "msort",
    "nan",
    "narrow",
    "ne",
    "newaxis",
    "nn",
    "no_grad",
    "nonzero",
    "numel",
    "ones",
    "ones_like",
    "ops",
    "permute",
    "pi",
    "put",
    "rand",
    "randint",
    "randn",
    "randperm",
    "ravel",
    "repeat_interleave",
    "reshape",
    "roll",
    "rot90",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "select",
    "select_scatter",
    "set_grad_enabled",
    "set_num_threads",
    "short",
    "slice_scatter",
    "sort",
    "split",
    "split_with_sizes",
    "squeeze",
    "stack",
    "strided",
    "swapaxes",
    "swapdims",
    "t",
    "take",
    "take_along_dim",
    "tensor",
    "tensor_split",
    "tile",
    "topk",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unbind",
    "unflatten",
    "unique",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "vsplit",
    "where",
    "zero_",
    "zeros",
    "zeros_like",
]

strided: str

def from_dlpack(x: Any, /) -> Tensor: ...

def __getattr__(name: str) -> Any: ...

autograd: Any
bfloat16: dtype
bool: dtype
cdouble: dtype
cfloat: dtype
complex128: dtype
complex64: dtype
double: dtype
e: builtins.float
float: dtype
float16: dtype
float32: dtype
float64: dtype
half: dtype
inf: builtins.float
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
long: dtype
nan: builtins.float
newaxis: None
nn: Any
ops: Any
pi: builtins.float
short: dtype
uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype

class _BFloat16Tensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

BFloat16Tensor: _BFloat16Tensor

class _BoolTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

BoolTensor: _BoolTensor

class _ByteTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

ByteTensor: _ByteTensor

class _CharTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

CharTensor: _CharTensor

class _DoubleTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

DoubleTensor: _DoubleTensor

class _FloatTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

FloatTensor: _FloatTensor

class _HalfTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

HalfTensor: _HalfTensor

class _IntTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

IntTensor: _IntTensor

class _LongTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

LongTensor: _LongTensor

class _ShortTensor(Protocol):
    def __call__(_, /, data: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

ShortTensor: _ShortTensor

class _adjoint(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

adjoint: _adjoint

class _all(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

all: _all

class _amax(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

amax: _amax

class _amin(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

amin: _amin

class _any(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

any: _any

class _arange(Protocol):
    @overload
    def __call__(_, /, end: Any, *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, start: Any, end: Any, step: Any = ..., *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

arange: _arange

class _argmax(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex | None = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

argmax: _argmax

class _argmin(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex | None = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

argmin: _argmin

class _argsort(Protocol):
    @overload
    def __call__(_, /, input: _A, *, stable: builtins.bool, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

argsort: _argsort

class _argwhere(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

argwhere: _argwhere

class _as_strided(Protocol):
    def __call__(_, /, input: _A, size: Any, stride: Any, storage_offset: SupportsIndex | None = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

as_strided: _as_strided

class _as_tensor(Protocol):
    def __call__(_, /, data: Any, dtype: Any = ..., device: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

as_tensor: _as_tensor

class _atleast_1d(Protocol):
    def __call__(_, /, *args: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_1d: _atleast_1d

class _atleast_2d(Protocol):
    def __call__(_, /, *args: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_2d: _atleast_2d

class _atleast_3d(Protocol):
    def __call__(_, /, *args: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_3d: _atleast_3d

class _bincount(Protocol):
    def __call__(_, /, input: _A, weights: Any = ..., minlength: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

bincount: _bincount

class _broadcast_tensors(Protocol):
    def __call__(_, /, *args: _A) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_tensors: _broadcast_tensors

class _broadcast_to(Protocol):
    def __call__(_, /, input: _A, size: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_to: _broadcast_to

class _bucketize(Protocol):
    @overload
    def __call__(_, /, input: _A, boundaries: Any, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, self: Any, boundaries: _A, *, out_int32: builtins.bool = ..., right: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

bucketize: _bucketize

class _cat(Protocol):
    def __call__(_, /, tensors: Any, dim: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

cat: _cat

class _chunk(Protocol):
    def __call__(_, /, input: _A, chunks: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

chunk: _chunk

class _clamp(Protocol):
    @overload
    def __call__(_, /, input: _A, min: Any = ..., max: Any = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, min: Any = ..., max: Any = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

clamp: _clamp

class _clip(Protocol):
    @overload
    def __call__(_, /, input: _A, min: Any = ..., max: Any = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, min: Any = ..., max: Any = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

clip: _clip

class _clone(Protocol):
    def __call__(_, /, input: _A, *, memory_format: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

clone: _clone

class _concat(Protocol):
    def __call__(_, /, tensors: Any, dim: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

concat: _concat

class _concatenate(Protocol):
    def __call__(_, /, tensors: Any, dim: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

concatenate: _concatenate

class _cumsum(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, *, dtype: Any = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

cumsum: _cumsum

class _detach(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

detach: _detach

class _diag(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag: _diag

class _diag_embed(Protocol):
    def __call__(_, /, input: _A, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag_embed: _diag_embed

class _diagflat(Protocol):
    def __call__(_, /, input: _A, offset: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagflat: _diagflat

class _diagonal(Protocol):
    def __call__(_, /, input: _A, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagonal: _diagonal

class _diagonal_scatter(Protocol):
    def __call__(_, /, input: _A, src: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagonal_scatter: _diagonal_scatter

class _dsplit(Protocol):
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

dsplit: _dsplit

class _embedding(Protocol):
    def __call__(_, /, weight: _A, indices: Any, padding_idx: SupportsIndex = ..., scale_grad_by_freq: builtins.bool = ..., sparse: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

embedding: _embedding

class _empty(Protocol):
    @overload
    def __call__(_, /, size: Any, *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, *size: SupportsIndex, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

empty: _empty

class _empty_like(Protocol):
    def __call__(_, /, input: _A, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

empty_like: _empty_like

class _eq(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

eq: _eq

class _equal(Protocol):
    def __call__(_, /, input: Any, other: Any) -> builtins.bool: ...
    def __getattr__(self, name: str, /) -> Any: ...

equal: _equal

class _eye(Protocol):
    def __call__(_, /, n: SupportsIndex, m: SupportsIndex | None = ..., *, dtype: Any = ..., device: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

eye: _eye

class _fill(Protocol):
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

fill: _fill

class _fill_(Protocol):
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

fill_: _fill_

class _flatten(Protocol):
    def __call__(_, /, input: _A, start_dim: SupportsIndex = ..., end_dim: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

flatten: _flatten

class _flip(Protocol):
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

flip: _flip

class _fliplr(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

fliplr: _fliplr

class _flipud(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

flipud: _flipud

class _from_numpy(Protocol):
    def __call__(_, /, ndarray: Any) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

from_numpy: _from_numpy

class _full(Protocol):
    def __call__(_, /, size: Any, fill_value: Any, *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

full: _full

class _full_like(Protocol):
    def __call__(_, /, input: _A, fill_value: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

full_like: _full_like

class _gather(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, *, sparse_grad: builtins.bool = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather: _gather

class _ge(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

ge: _ge

class _gt(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gt: _gt

class _hsplit(Protocol):
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

hsplit: _hsplit

class _index_add(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, source: Any, *, alpha: Any = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_add: _index_add

class _index_copy(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, source: Any, *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_copy: _index_copy

class _index_fill(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, value: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_fill: _index_fill

class _index_put(Protocol):
    def __call__(_, /, input: _A, indices: Any, values: Any, accumulate: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_put: _index_put

class _index_put_(Protocol):
    def __call__(_, /, input: _A, indices: Any, values: Any, accumulate: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_put_: _index_put_

class _index_reduce(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, source: Any, reduce: builtins.str, *, include_self: builtins.bool = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_reduce: _index_reduce

class _index_select(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_select: _index_select

class _is_grad_enabled(Protocol):
    def __call__(_, /) -> builtins.bool: ...
    def __getattr__(self, name: str, /) -> Any: ...

is_grad_enabled: _is_grad_enabled

class _is_tensor(Protocol):
    def __call__(_, /, obj: Any) -> builtins.bool: ...
    def __getattr__(self, name: str, /) -> Any: ...

is_tensor: _is_tensor

class _isin(Protocol):
    @overload
    def __call__(_, /, elements: _A, test_elements: Any, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, elements: _A, test_element: Any, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, element: Any, test_elements: _A, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

isin: _isin

class _isnan(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

isnan: _isnan

class _le(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

le: _le

class _linspace(Protocol):
    def __call__(_, /, start: Any, end: Any, steps: SupportsIndex, *, dtype: Any = ..., device: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

linspace: _linspace

class _logical_and(Protocol):
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_and: _logical_and

class _logical_not(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_not: _logical_not

class _logical_or(Protocol):
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_or: _logical_or

class _lt(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

lt: _lt

class _manual_seed(Protocol):
    def __call__(_, /, seed: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

manual_seed: _manual_seed

class _masked_fill(Protocol):
    @overload
    def __call__(_, /, input: _A, mask: Any, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, mask: Any, value: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_fill: _masked_fill

class _masked_scatter(Protocol):
    def __call__(_, /, input: _A, mask: Any, source: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_scatter: _masked_scatter

class _masked_select(Protocol):
    def __call__(_, /, input: _A, mask: Any, *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_select: _masked_select

class _max(Protocol):
    @overload
    def __call__(_, /, input: _A, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _Sorted[_A]: ...
    def __getattr__(self, name: str, /) -> Any: ...

max: _max

class _mean(Protocol):
    @overload
    def __call__(_, /, input: _A, *, dtype: Any = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

mean: _mean

class _meshgrid(Protocol):
    def __call__(_, /, *args: _A, indexing: builtins.str = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

meshgrid: _meshgrid

class _min(Protocol):
    @overload
    def __call__(_, /, input: _A, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _Sorted[_A]: ...
    def __getattr__(self, name: str, /) -> Any: ...

min: _min

class _moveaxis(Protocol):
    @overload
    def __call__(_, /, input: _A, source: SupportsIndex, destination: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: _A, source: Any, destination: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

moveaxis: _moveaxis

class _movedim(Protocol):
    @overload
    def __call__(_, /, input: _A, source: SupportsIndex, destination: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: _A, source: Any, destination: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

movedim: _movedim

class _msort(Protocol):
    def __call__(_, /, input: _A, *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

msort: _msort

class _narrow(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, start: Any, length: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, start: SupportsIndex, length: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

narrow: _narrow

class _ne(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

ne: _ne

class _nonzero(Protocol):
    @overload
    def __call__(_, /, input: _A, *, as_tuple: Literal[False] = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, *, as_tuple: Literal[True], out: Any = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

nonzero: _nonzero

class _numel(Protocol):
    def __call__(_, /, input: Any) -> builtins.int: ...
    def __getattr__(self, name: str, /) -> Any: ...

numel: _numel

class _ones(Protocol):
    @overload
    def __call__(_, /, size: Any, *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, *size: SupportsIndex, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones: _ones

class _ones_like(Protocol):
    def __call__(_, /, input: _A, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones_like: _ones_like

class _permute(Protocol):
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

permute: _permute

class _put(Protocol):
    def __call__(_, /, input: _A, index: Any, source: Any, accumulate: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

put: _put

class _rand(Protocol):
    @overload
    def __call__(_, /, size: Any, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, *size: SupportsIndex, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

rand: _rand

class _randint(Protocol):
    @overload
    def __call__(_, /, high: SupportsIndex, size: Any, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, low: SupportsIndex, high: SupportsIndex, size: Any, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

randint: _randint

class _randn(Protocol):
    @overload
    def __call__(_, /, size: Any, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, *size: SupportsIndex, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

randn: _randn

class _randperm(Protocol):
    def __call__(_, /, n: SupportsIndex, *, generator: Any = ..., dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

randperm: _randperm

class _ravel(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

ravel: _ravel

class _repeat_interleave(Protocol):
    @overload
    def __call__(_, /, repeats: _A, *, output_size: SupportsIndex | None = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, repeats: Any, dim: SupportsIndex | None = ..., *, output_size: SupportsIndex | None = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, repeats: SupportsIndex, dim: SupportsIndex | None = ..., *, output_size: SupportsIndex | None = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

repeat_interleave: _repeat_interleave

class _reshape(Protocol):
    def __call__(_, /, input: _A, shape: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

reshape: _reshape

class _roll(Protocol):
    def __call__(_, /, input: _A, shifts: Any, dims: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

roll: _roll

class _rot90(Protocol):
    def __call__(_, /, input: _A, k: SupportsIndex = ..., dims: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

rot90: _rot90

class _scatter(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, src: Any, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, src: Any, *, reduce: builtins.str, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, value: Any, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, value: Any, *, reduce: builtins.str, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter: _scatter

class _scatter_add(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, src: Any, *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_add: _scatter_add

class _scatter_reduce(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any, src: Any, reduce: builtins.str, *, include_self: builtins.bool = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_reduce: _scatter_reduce

class _searchsorted(Protocol):
    @overload
    def __call__(_, /, sorted_sequence: _A, input: Any, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Any = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, sorted_sequence: _A, self: Any, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Any = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

searchsorted: _searchsorted

class _select(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

select: _select

class _select_scatter(Protocol):
    def __call__(_, /, input: _A, src: Any, dim: SupportsIndex, index: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

select_scatter: _select_scatter

class _slice_scatter(Protocol):
    def __call__(_, /, input: _A, src: Any, dim: SupportsIndex = ..., start: SupportsIndex | None = ..., end: SupportsIndex | None = ..., step: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

slice_scatter: _slice_scatter

class _sort(Protocol):
    @overload
    def __call__(_, /, input: _A, *, stable: builtins.bool, dim: SupportsIndex = ..., descending: builtins.bool = ..., out: Any = ...) -> _Sorted[_A]: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex = ..., descending: builtins.bool = ..., *, out: Any = ...) -> _Sorted[_A]: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _split(Protocol):
    def __call__(_, /, tensor: _A, split_size_or_sections: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

split: _split

class _split_with_sizes(Protocol):
    def __call__(_, /, input: _A, split_sizes: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

split_with_sizes: _split_with_sizes

class _squeeze(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

squeeze: _squeeze

class _stack(Protocol):
    def __call__(_, /, tensors: Any, dim: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

stack: _stack

class _sum(Protocol):
    @overload
    def __call__(_, /, input: _A, *, dtype: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

sum: _sum

class _swapaxes(Protocol):
    def __call__(_, /, input: _A, axis0: SupportsIndex, axis1: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapaxes: _swapaxes

class _swapdims(Protocol):
    def __call__(_, /, input: _A, dim0: SupportsIndex, dim1: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapdims: _swapdims

class _t(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

t: _t

class _take(Protocol):
    def __call__(_, /, input: _A, index: Any, *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

take: _take

class _take_along_dim(Protocol):
    def __call__(_, /, input: _A, indices: Any, dim: SupportsIndex | None = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

take_along_dim: _take_along_dim

class _tensor(Protocol):
    def __call__(_, /, data: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor: _tensor

class _tensor_split(Protocol):
    @overload
    def __call__(_, /, input: _A, indices_or_sections: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: _A, sections: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: _A, indices: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_split: _tensor_split

class _tile(Protocol):
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tile: _tile

class _topk(Protocol):
    def __call__(_, /, input: _A, k: SupportsIndex, dim: SupportsIndex = ..., largest: builtins.bool = ..., sorted: builtins.bool = ..., *, out: Any = ...) -> _Sorted[_A]: ...
    def __getattr__(self, name: str, /) -> Any: ...

topk: _topk

class _transpose(Protocol):
    def __call__(_, /, input: _A, dim0: SupportsIndex, dim1: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _tril(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril: _tril

class _tril_indices(Protocol):
    def __call__(_, /, row: SupportsIndex, col: SupportsIndex, offset: SupportsIndex = ..., *, dtype: Any = ..., device: Any = ..., layout: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril_indices: _tril_indices

class _triu(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ..., *, out: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu: _triu

class _triu_indices(Protocol):
    def __call__(_, /, row: SupportsIndex, col: SupportsIndex, offset: SupportsIndex = ..., *, dtype: Any = ..., device: Any = ..., layout: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu_indices: _triu_indices

class _unbind(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unbind: _unbind

class _unflatten(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, sizes: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unflatten: _unflatten

class _unique(Protocol):
    def __call__(_, /, input: Any, sorted: builtins.bool = ..., return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., dim: SupportsIndex | None = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unique: _unique

class _unravel_index(Protocol):
    def __call__(_, /, indices: _A, shape: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unravel_index: _unravel_index

class _unsafe_chunk(Protocol):
    def __call__(_, /, input: _A, chunks: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsafe_chunk: _unsafe_chunk

class _unsafe_split(Protocol):
    def __call__(_, /, input: _A, split_size: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsafe_split: _unsafe_split

class _unsafe_split_with_sizes(Protocol):
    def __call__(_, /, input: _A, split_sizes: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsafe_split_with_sizes: _unsafe_split_with_sizes

class _unsqueeze(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsqueeze: _unsqueeze

class _vsplit(Protocol):
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

vsplit: _vsplit

class _where(Protocol):
    @overload
    def __call__(_, /, condition: _A) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, condition: _A, input: Any, other: Any, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, condition: _A, input: Any, other: Any) -> _A: ...
    @overload
    def __call__(_, /, condition: _A, input: Any, other: Any) -> _A: ...
    @overload
    def __call__(_, /, condition: _A, input: Any, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

where: _where

class _zero_(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

zero_: _zero_

class _zeros(Protocol):
    @overload
    def __call__(_, /, size: Any, *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, *size: SupportsIndex, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros: _zeros

class _zeros_like(Protocol):
    def __call__(_, /, input: _A, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros_like: _zeros_like
