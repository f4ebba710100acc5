# Written by tools/python/stubs.py.
# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"
import builtins
from typing import Any, Literal, Protocol, SupportsIndex, overload

from takewise._takewise import MindSporeTensor, _A, dtype
from takewise.mindspore._grad import grad as grad, value_and_grad as value_and_grad
from takewise.mindspore._grad import GradOperation as GradOperation

def __getattr__(name: str) -> Any: ...

__all__ = [
    "GradOperation",
    "arange",
    "argsort",
    "argwhere",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "bfloat16",
    "bool_",
    "broadcast_to",
    "chunk",
    "complex128",
    "complex64",
    "diagonal",
    "diagonal_scatter",
    "double",
    "dsplit",
    "expand",
    "expand_as",
    "expand_dims",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
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
    "hsplit",
    "index_add",
    "index_fill",
    "index_select",
    "int16",
    "int32",
    "int64",
    "int8",
    "masked_fill",
    "masked_select",
    "moveaxis",
    "movedim",
    "narrow",
    "nonzero",
    "ones",
    "permute",
    "ravel",
    "reshape",
    "roll",
    "rot90",
    "scatter",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd",
    "scatter_nd_add",
    "scatter_nd_div",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_mul",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_update",
    "searchsorted",
    "select",
    "select_scatter",
    "slice_scatter",
    "sort",
    "split",
    "squeeze",
    "swapaxes",
    "swapdims",
    "t",
    "take",
    "tensor_scatter_add",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tensor_split",
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
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sum",
    "unsqueeze",
    "unstack",
    "value_and_grad",
    "view_as",
    "vsplit",
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
    def __call__(_, /, end: Any, *, dtype: Any = ...) -> MindSporeTensor: ...
    @overload
    def __call__(_, /, start: Any, end: Any, step: Any = ..., *, dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

arange: _arange

class _argsort(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

argsort: _argsort

class _argwhere(Protocol):
    def __call__(_, /, input: _A) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

argwhere: _argwhere

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

class _broadcast_to(Protocol):
    def __call__(_, /, input: _A, shape: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

broadcast_to: _broadcast_to

class _chunk(Protocol):
    def __call__(_, /, input: _A, chunks: SupportsIndex, axis: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

chunk: _chunk

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

class _expand(Protocol):
    def __call__(_, /, input: _A, size: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

expand: _expand

class _expand_as(Protocol):
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

expand_as: _expand_as

class _expand_dims(Protocol):
    def __call__(_, /, input: _A, axis: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

expand_dims: _expand_dims

class _flatten(Protocol):
    def __call__(_, /, input: _A, *, start_dim: SupportsIndex = ..., end_dim: SupportsIndex = ...) -> _A: ...
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

class _full(Protocol):
    def __call__(_, /, size: Any, fill_value: Any, *, dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

full: _full

class _gather(Protocol):
    def __call__(_, /, input: _A, input_indices: Any, axis: Any, batch_dims: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather: _gather

class _gather_d(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather_d: _gather_d

class _gather_elements(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather_elements: _gather_elements

class _gather_nd(Protocol):
    def __call__(_, /, input: _A, indices: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

gather_nd: _gather_nd

class _hsplit(Protocol):
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

hsplit: _hsplit

class _index_add(Protocol):
    def __call__(_, /, input: _A, indices: Any, y: Any, axis: SupportsIndex, use_lock: builtins.bool = ..., check_index_bound: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_add: _index_add

class _index_fill(Protocol):
    def __call__(_, /, input: _A, axis: Any, index: Any, value: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_fill: _index_fill

class _index_select(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

index_select: _index_select

class _masked_fill(Protocol):
    def __call__(_, /, input: _A, mask: Any, value: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_fill: _masked_fill

class _masked_select(Protocol):
    def __call__(_, /, input: _A, mask: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

masked_select: _masked_select

class _moveaxis(Protocol):
    def __call__(_, /, input: _A, source: Any, destination: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

moveaxis: _moveaxis

class _movedim(Protocol):
    def __call__(_, /, input: _A, source: Any, destination: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

movedim: _movedim

class _narrow(Protocol):
    def __call__(_, /, input: _A, axis: SupportsIndex, start: SupportsIndex, length: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

narrow: _narrow

class _nonzero(Protocol):
    @overload
    def __call__(_, /, input: _A, *, as_tuple: Literal[False] = ...) -> _A: ...
    @overload
    def __call__(_, /, input: _A, *, as_tuple: Literal[True]) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

nonzero: _nonzero

class _ones(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

ones: _ones

class _permute(Protocol):
    def __call__(_, /, input: _A, axis: Any) -> _A: ...
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

class _rot90(Protocol):
    def __call__(_, /, input: _A, k: SupportsIndex, dims: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

rot90: _rot90

class _scatter(Protocol):
    def __call__(_, /, input: _A, axis: SupportsIndex, index: Any, src: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter: _scatter

class _scatter_add(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_add: _scatter_add

class _scatter_div(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_div: _scatter_div

class _scatter_max(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_max: _scatter_max

class _scatter_min(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_min: _scatter_min

class _scatter_mul(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_mul: _scatter_mul

class _scatter_nd(Protocol):
    def __call__(_, /, indices: _A, updates: Any, shape: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd: _scatter_nd

class _scatter_nd_add(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_add: _scatter_nd_add

class _scatter_nd_div(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_div: _scatter_nd_div

class _scatter_nd_max(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_max: _scatter_nd_max

class _scatter_nd_min(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_min: _scatter_nd_min

class _scatter_nd_mul(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_mul: _scatter_nd_mul

class _scatter_nd_sub(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_sub: _scatter_nd_sub

class _scatter_nd_update(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any, use_locking: builtins.bool = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_nd_update: _scatter_nd_update

class _scatter_update(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

scatter_update: _scatter_update

class _searchsorted(Protocol):
    def __call__(_, /, sorted_sequence: _A, input: Any, *, out_int32: builtins.bool = ..., right: builtins.bool = ..., side: builtins.str | None = ..., sorter: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

searchsorted: _searchsorted

class _select(Protocol):
    def __call__(_, /, condition: _A, input: Any, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

select: _select

class _select_scatter(Protocol):
    def __call__(_, /, input: _A, src: Any, axis: SupportsIndex, index: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

select_scatter: _select_scatter

class _slice(Protocol):
    def __call__(_, /, input: _A, begin: Any, size: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

slice: _slice

class _slice_scatter(Protocol):
    def __call__(_, /, input: _A, src: Any, axis: SupportsIndex = ..., start: SupportsIndex | None = ..., end: SupportsIndex | None = ..., step: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

slice_scatter: _slice_scatter

class _sort(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex = ..., descending: builtins.bool = ...) -> tuple[_A, _A]: ...
    def __getattr__(self, name: str, /) -> Any: ...

sort: _sort

class _split(Protocol):
    def __call__(_, /, tensor: _A, split_size_or_sections: Any, axis: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

split: _split

class _squeeze(Protocol):
    def __call__(_, /, input: _A, axis: Any = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

squeeze: _squeeze

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
    def __call__(_, /, input: _A, index: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

take: _take

class _tensor_scatter_add(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_add: _tensor_scatter_add

class _tensor_scatter_div(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_div: _tensor_scatter_div

class _tensor_scatter_elements(Protocol):
    def __call__(_, /, input: _A, index: Any, src: Any, axis: SupportsIndex = ..., reduction: builtins.str = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_elements: _tensor_scatter_elements

class _tensor_scatter_max(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_max: _tensor_scatter_max

class _tensor_scatter_min(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_min: _tensor_scatter_min

class _tensor_scatter_mul(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_mul: _tensor_scatter_mul

class _tensor_scatter_sub(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_sub: _tensor_scatter_sub

class _tensor_scatter_update(Protocol):
    def __call__(_, /, input: _A, indices: Any, updates: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_scatter_update: _tensor_scatter_update

class _tensor_split(Protocol):
    def __call__(_, /, input: _A, indices_or_sections: Any, axis: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

tensor_split: _tensor_split

class _transpose(Protocol):
    def __call__(_, /, input: _A, axes: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

transpose: _transpose

class _tril(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril: _tril

class _tril_indices(Protocol):
    def __call__(_, /, row: SupportsIndex, col: SupportsIndex, offset: SupportsIndex = ..., *, dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

tril_indices: _tril_indices

class _triu(Protocol):
    def __call__(_, /, input: _A, diagonal: SupportsIndex = ...) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu: _triu

class _triu_indices(Protocol):
    def __call__(_, /, row: SupportsIndex, col: SupportsIndex, offset: SupportsIndex = ..., *, dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

triu_indices: _triu_indices

class _unbind(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unbind: _unbind

class _unsorted_segment_max(Protocol):
    def __call__(_, /, input: _A, segment_ids: Any, num_segments: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsorted_segment_max: _unsorted_segment_max

class _unsorted_segment_min(Protocol):
    def __call__(_, /, input: _A, segment_ids: Any, num_segments: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsorted_segment_min: _unsorted_segment_min

class _unsorted_segment_prod(Protocol):
    def __call__(_, /, input: _A, segment_ids: Any, num_segments: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsorted_segment_prod: _unsorted_segment_prod

class _unsorted_segment_sum(Protocol):
    def __call__(_, /, input: _A, segment_ids: Any, num_segments: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsorted_segment_sum: _unsorted_segment_sum

class _unsqueeze(Protocol):
    def __call__(_, /, input: _A, dim: SupportsIndex) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

unsqueeze: _unsqueeze

class _unstack(Protocol):
    def __call__(_, /, input: _A, axis: SupportsIndex = ...) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

unstack: _unstack

class _view_as(Protocol):
    def __call__(_, /, input: _A, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

view_as: _view_as

class _vsplit(Protocol):
    def __call__(_, /, input: _A, indices_or_sections: Any) -> tuple[_A, ...]: ...
    def __getattr__(self, name: str, /) -> Any: ...

vsplit: _vsplit

class _where(Protocol):
    def __call__(_, /, condition: _A, input: Any, other: Any) -> _A: ...
    def __getattr__(self, name: str, /) -> Any: ...

where: _where

class _zeros(Protocol):
    def __call__(_, /, size: Any, dtype: Any = ...) -> MindSporeTensor: ...
    def __getattr__(self, name: str, /) -> Any: ...

zeros: _zeros
