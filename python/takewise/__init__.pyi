# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from takewise import exceptions as exceptions
from takewise import dask as dask
from takewise import jax as jax
from takewise import mindspore as mindspore
from takewise import numpy as numpy
from takewise import torch as torch
from takewise import torch_ops as torch_ops
from takewise import xarray as xarray
from takewise import zarr as zarr
from takewise._accelerate import accelerate_torch as accelerate_torch, torch_errors as torch_errors
from takewise._explain import explain as explain
from takewise._files import FileArray as FileArray, open as open
from takewise._recording import no_grad as no_grad, enable_grad as enable_grad, set_grad_enabled as set_grad_enabled, inference_mode as inference_mode
from takewise._takewise import (
    Comparison as Comparison,
    Explanation as Explanation,
    PreparedSearch as PreparedSearch,
    SparseTensor as SparseTensor,
    Tensor as Tensor,
    __version__ as __version__,
    at as at,
    bucketize as bucketize,
    copy as copy,
    from_dlpack as from_dlpack,
    gather as gather,
    gather_nd as gather_nd,
    get_num_threads as get_num_threads,
    index as index,
    index_add as index_add,
    index_add_ as index_add_,
    index_copy as index_copy,
    index_copy_ as index_copy_,
    index_fill as index_fill,
    index_fill_ as index_fill_,
    index_put as index_put,
    index_put_ as index_put_,
    index_reduce as index_reduce,
    index_reduce_ as index_reduce_,
    index_select as index_select,
    index_set as index_set,
    masked_fill as masked_fill,
    masked_fill_ as masked_fill_,
    masked_scatter as masked_scatter,
    masked_scatter_ as masked_scatter_,
    masked_select as masked_select,
    nonzero as nonzero,
    oindex as oindex,
    put as put,
    put_ as put_,
    put_along_axis as put_along_axis,
    scatter as scatter,
    scatter_ as scatter_,
    scatter_add as scatter_add,
    scatter_add_ as scatter_add_,
    scatter_nd as scatter_nd,
    scatter_reduce as scatter_reduce,
    scatter_reduce_ as scatter_reduce_,
    searchsorted as searchsorted,
    set_num_threads as set_num_threads,
    take as take,
    take_along_axis as take_along_axis,
    take_along_dim as take_along_dim,
    tensor_scatter as tensor_scatter,
    tensor_scatter_ as tensor_scatter_,
    vindex as vindex,
    where as where,
    _A,
    _Sorted,
    dtype,
)

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "Comparison",
    "DoubleTensor",
    "Explanation",
    "FileArray",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "PreparedSearch",
    "ShortTensor",
    "Size",
    "SparseTensor",
    "Tensor",
    "__version__",
    "accelerate_torch",
    "adjoint",
    "arange",
    "argsort",
    "argwhere",
    "as_strided",
    "as_tensor",
    "at",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autograd",
    "bfloat16",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "cdouble",
    "cfloat",
    "chunk",
    "clone",
    "complex128",
    "complex64",
    "copy",
    "detach",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "double",
    "dsplit",
    "e",
    "embedding",
    "empty",
    "empty_like",
    "enable_grad",
    "eq",
    "equal",
    "exceptions",
    "explain",
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
    "gather_nd",
    "ge",
    "get_num_threads",
    "gt",
    "half",
    "hsplit",
    "index",
    "index_add",
    "index_add_",
    "index_copy",
    "index_copy_",
    "index_fill",
    "index_fill_",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_reduce_",
    "index_select",
    "index_set",
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
    "masked_fill_",
    "masked_scatter",
    "masked_scatter_",
    "masked_select",
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
    "oindex",
    "ones",
    "ones_like",
    "permute",
    "pi",
    "put",
    "put_",
    "put_along_axis",
    "rand",
    "randint",
    "randn",
    "randperm",
    "ravel",
    "reshape",
    "roll",
    "rot90",
    "scatter",
    "scatter_",
    "scatter_add",
    "scatter_add_",
    "scatter_nd",
    "scatter_reduce",
    "scatter_reduce_",
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
    "swapaxes",
    "swapdims",
    "t",
    "take",
    "take_along_axis",
    "take_along_dim",
    "tensor",
    "tensor_scatter",
    "tensor_scatter_",
    "tensor_split",
    "torch_errors",
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
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "vindex",
    "vsplit",
    "where",
    "zero_",
    "zeros",
    "zeros_like",
]

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

class _Size(Protocol):
    def __call__(_, /, sizes: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

Size: _Size

class _adjoint(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

adjoint: _adjoint

class _all(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

all: _all

class _any(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: Any = ..., keepdim: builtins.bool = ..., *, out: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, keepdim: builtins.bool = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

any: _any

class _arange(Protocol):
    @overload
    def __call__(_, /, end: Any, *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    @overload
    def __call__(_, /, start: Any, end: Any, step: Any = ..., *, out: Any = ..., dtype: Any = ..., layout: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

arange: _arange

class _argsort(Protocol):
    @overload
    def __call__(_, /, input: _A, *, stable: builtins.bool, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, stable: builtins.bool, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argsort: _argsort

class _argwhere(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

argwhere: _argwhere

class _as_strided(Protocol):
    @overload
    def __call__(_, /, input: _A, size: Any, stride: Any, storage_offset: SupportsIndex | None = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, size: Any, stride: Any, storage_offset: SupportsIndex | None = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

as_strided: _as_strided

class _as_tensor(Protocol):
    def __call__(_, /, data: Any, dtype: Any = ..., device: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

as_tensor: _as_tensor

class _atleast_1d(Protocol):
    @overload
    def __call__(_, /, *args: _A) -> _A: ...
    @overload
    def __call__(_, /, *args: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_1d: _atleast_1d

class _atleast_2d(Protocol):
    @overload
    def __call__(_, /, *args: _A) -> _A: ...
    @overload
    def __call__(_, /, *args: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_2d: _atleast_2d

class _atleast_3d(Protocol):
    @overload
    def __call__(_, /, *args: _A) -> _A: ...
    @overload
    def __call__(_, /, *args: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

atleast_3d: _atleast_3d

class _broadcast_tensors(Protocol):
    @overload
    def __call__(_, /, *args: _A) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, *args: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_tensors: _broadcast_tensors

class _broadcast_to(Protocol):
    @overload
    def __call__(_, /, input: _A, size: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, size: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_to: _broadcast_to

class _chunk(Protocol):
    @overload
    def __call__(_, /, input: _A, chunks: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, chunks: SupportsIndex, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

chunk: _chunk

class _clone(Protocol):
    @overload
    def __call__(_, /, input: _A, *, memory_format: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, memory_format: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

clone: _clone

class _detach(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

detach: _detach

class _diag(Protocol):
    @overload
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, diagonal: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag: _diag

class _diag_embed(Protocol):
    @overload
    def __call__(_, /, input: _A, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

diag_embed: _diag_embed

class _diagflat(Protocol):
    @overload
    def __call__(_, /, input: _A, offset: SupportsIndex = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, offset: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagflat: _diagflat

class _diagonal(Protocol):
    @overload
    def __call__(_, /, input: _A, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagonal: _diagonal

class _diagonal_scatter(Protocol):
    @overload
    def __call__(_, /, input: _A, src: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, src: Any, offset: SupportsIndex = ..., dim1: SupportsIndex = ..., dim2: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

diagonal_scatter: _diagonal_scatter

class _dsplit(Protocol):
    @overload
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, indices_or_sections: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

dsplit: _dsplit

class _embedding(Protocol):
    @overload
    def __call__(_, /, weight: _A, indices: Any, padding_idx: SupportsIndex = ..., scale_grad_by_freq: builtins.bool = ..., sparse: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, weight: Any, indices: Any, padding_idx: SupportsIndex = ..., scale_grad_by_freq: builtins.bool = ..., sparse: builtins.bool = ...) -> Any: ...
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
    @overload
    def __call__(_, /, input: _A, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

empty_like: _empty_like

class _eq(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
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
    def __call__(_, /, input: Any, value: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, value: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

fill: _fill

class _fill_(Protocol):
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, value: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, value: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, value: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

fill_: _fill_

class _flatten(Protocol):
    @overload
    def __call__(_, /, input: _A, start_dim: SupportsIndex = ..., end_dim: SupportsIndex = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, start_dim: SupportsIndex = ..., end_dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

flatten: _flatten

class _flip(Protocol):
    @overload
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dims: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

flip: _flip

class _fliplr(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

fliplr: _fliplr

class _flipud(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
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
    @overload
    def __call__(_, /, input: _A, fill_value: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, fill_value: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

full_like: _full_like

class _ge(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ge: _ge

class _gt(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

gt: _gt

class _hsplit(Protocol):
    @overload
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, indices_or_sections: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

hsplit: _hsplit

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
    def __call__(_, /, elements: Any, test_elements: Any, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, elements: _A, test_element: Any, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, elements: Any, test_element: Any, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, element: Any, test_elements: _A, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, element: Any, test_elements: Any, *, assume_unique: builtins.bool = ..., invert: builtins.bool = ..., out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

isin: _isin

class _isnan(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

isnan: _isnan

class _le(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

le: _le

class _linspace(Protocol):
    def __call__(_, /, start: Any, end: Any, steps: SupportsIndex, *, dtype: Any = ..., device: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

linspace: _linspace

class _logical_and(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_and: _logical_and

class _logical_not(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_not: _logical_not

class _logical_or(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

logical_or: _logical_or

class _lt(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

lt: _lt

class _manual_seed(Protocol):
    def __call__(_, /, seed: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

manual_seed: _manual_seed

class _meshgrid(Protocol):
    @overload
    def __call__(_, /, *args: _A, indexing: builtins.str = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, *args: Any, indexing: builtins.str = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

meshgrid: _meshgrid

class _moveaxis(Protocol):
    @overload
    def __call__(_, /, input: _A, source: SupportsIndex, destination: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, source: SupportsIndex, destination: SupportsIndex) -> Any: ...
    @overload
    def __call__(_, /, input: _A, source: Any, destination: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, source: Any, destination: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

moveaxis: _moveaxis

class _movedim(Protocol):
    @overload
    def __call__(_, /, input: _A, source: SupportsIndex, destination: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, source: SupportsIndex, destination: SupportsIndex) -> Any: ...
    @overload
    def __call__(_, /, input: _A, source: Any, destination: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, source: Any, destination: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

movedim: _movedim

class _msort(Protocol):
    @overload
    def __call__(_, /, input: _A, *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

msort: _msort

class _narrow(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, start: Any, length: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, start: Any, length: SupportsIndex) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, start: SupportsIndex, length: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, start: SupportsIndex, length: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

narrow: _narrow

class _ne(Protocol):
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, other: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ne: _ne

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
    @overload
    def __call__(_, /, input: _A, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones_like: _ones_like

class _permute(Protocol):
    @overload
    def __call__(_, /, input: _A, dims: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dims: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

permute: _permute

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
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

ravel: _ravel

class _reshape(Protocol):
    @overload
    def __call__(_, /, input: _A, shape: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, shape: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

reshape: _reshape

class _roll(Protocol):
    @overload
    def __call__(_, /, input: _A, shifts: Any, dims: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, shifts: Any, dims: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

roll: _roll

class _rot90(Protocol):
    @overload
    def __call__(_, /, input: _A, k: SupportsIndex = ..., dims: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, k: SupportsIndex = ..., dims: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

rot90: _rot90

class _select(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, index: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, index: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

select: _select

class _select_scatter(Protocol):
    @overload
    def __call__(_, /, input: _A, src: Any, dim: SupportsIndex, index: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, src: Any, dim: SupportsIndex, index: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

select_scatter: _select_scatter

class _slice_scatter(Protocol):
    @overload
    def __call__(_, /, input: _A, src: Any, dim: SupportsIndex = ..., start: SupportsIndex | None = ..., end: SupportsIndex | None = ..., step: SupportsIndex = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, src: Any, dim: SupportsIndex = ..., start: SupportsIndex | None = ..., end: SupportsIndex | None = ..., step: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

slice_scatter: _slice_scatter

class _sort(Protocol):
    @overload
    def __call__(_, /, input: _A, *, stable: builtins.bool, dim: SupportsIndex = ..., descending: builtins.bool = ..., out: Any = ...) -> _Sorted[_A]: ...
    @overload
    def __call__(_, /, input: Any, *, stable: builtins.bool, dim: SupportsIndex = ..., descending: builtins.bool = ..., out: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex = ..., descending: builtins.bool = ..., *, out: Any = ...) -> _Sorted[_A]: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex = ..., descending: builtins.bool = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _split(Protocol):
    @overload
    def __call__(_, /, tensor: _A, split_size_or_sections: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, tensor: Any, split_size_or_sections: Any, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

split: _split

class _split_with_sizes(Protocol):
    @overload
    def __call__(_, /, input: _A, split_sizes: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, split_sizes: Any, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

split_with_sizes: _split_with_sizes

class _squeeze(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

squeeze: _squeeze

class _sum(Protocol):
    @overload
    def __call__(_, /, input: _A, *, dtype: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, dtype: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, keepdim: builtins.bool = ..., *, dtype: Any = ..., out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

sum: _sum

class _swapaxes(Protocol):
    @overload
    def __call__(_, /, input: _A, axis0: SupportsIndex, axis1: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, axis0: SupportsIndex, axis1: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapaxes: _swapaxes

class _swapdims(Protocol):
    @overload
    def __call__(_, /, input: _A, dim0: SupportsIndex, dim1: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim0: SupportsIndex, dim1: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

swapdims: _swapdims

class _t(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

t: _t

class _tensor(Protocol):
    def __call__(_, /, data: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor: _tensor

class _tensor_split(Protocol):
    @overload
    def __call__(_, /, input: _A, indices_or_sections: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, indices_or_sections: Any, dim: SupportsIndex = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, sections: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, sections: SupportsIndex, dim: SupportsIndex = ...) -> Any: ...
    @overload
    def __call__(_, /, input: _A, indices: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, indices: Any, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_split: _tensor_split

class _transpose(Protocol):
    @overload
    def __call__(_, /, input: _A, dim0: SupportsIndex, dim1: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim0: SupportsIndex, dim1: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _tril(Protocol):
    @overload
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, diagonal: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril: _tril

class _tril_indices(Protocol):
    def __call__(_, /, row: SupportsIndex, col: SupportsIndex, offset: SupportsIndex = ..., *, dtype: Any = ..., device: Any = ..., layout: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril_indices: _tril_indices

class _triu(Protocol):
    @overload
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ..., *, out: Any = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, diagonal: SupportsIndex = ..., *, out: Any = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu: _triu

class _triu_indices(Protocol):
    def __call__(_, /, row: SupportsIndex, col: SupportsIndex, offset: SupportsIndex = ..., *, dtype: Any = ..., device: Any = ..., layout: Any = ...) -> Tensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu_indices: _triu_indices

class _unbind(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unbind: _unbind

class _unflatten(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex, sizes: Any) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex, sizes: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unflatten: _unflatten

class _unravel_index(Protocol):
    @overload
    def __call__(_, /, indices: _A, shape: Any) -> _A: ...
    @overload
    def __call__(_, /, indices: Any, shape: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unravel_index: _unravel_index

class _unsafe_chunk(Protocol):
    @overload
    def __call__(_, /, input: _A, chunks: SupportsIndex, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, chunks: SupportsIndex, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsafe_chunk: _unsafe_chunk

class _unsafe_split(Protocol):
    @overload
    def __call__(_, /, input: _A, split_size: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, split_size: Any, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsafe_split: _unsafe_split

class _unsafe_split_with_sizes(Protocol):
    @overload
    def __call__(_, /, input: _A, split_sizes: Any, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, split_sizes: Any, dim: SupportsIndex = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsafe_split_with_sizes: _unsafe_split_with_sizes

class _unsqueeze(Protocol):
    @overload
    def __call__(_, /, input: _A, dim: SupportsIndex) -> _A: ...
    @overload
    def __call__(_, /, input: Any, dim: SupportsIndex) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsqueeze: _unsqueeze

class _vsplit(Protocol):
    @overload
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    @overload
    def __call__(_, /, input: Any, indices_or_sections: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

vsplit: _vsplit

class _zero_(Protocol):
    @overload
    def __call__(_, /, input: _A) -> _A: ...
    @overload
    def __call__(_, /, input: Any) -> Any: ...
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
    @overload
    def __call__(_, /, input: _A, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> _A: ...
    @overload
    def __call__(_, /, input: Any, *, dtype: Any = ..., device: Any = ..., requires_grad: builtins.bool = ...) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros_like: _zeros_like
