"""PyTorch's functions as `takewise.torch` has them, with their arguments, on our operators."""

import functools

from takewise import exceptions
from takewise import torch as dialect
from takewise._torch import _tensors
from takewise._torch._here import ops, torch

# All rules are PyTorch's, by which negative values count from the end in some functions.
FROM_START, FROM_END = ("torch", False), ("torch", True)


def call(name, args, kwargs):
    """A call of ``takewise.torch.NAME`` with tensors that somebody keeps a record of.

    What no operator of ours does is PyTorch's own function's. Errors: those that PyTorch's function has.
    """
    function = FUNCTIONS.get(name)
    if function in UNRECORDED and kwargs.get("out") is None and _are_ordinary(args, kwargs):
        return _alone(name, args, kwargs)
    args, kwargs = tuple(map(_real, args)), {key: _real(value) for key, value in kwargs.items()}
    if function is None or kwargs.get("out") is not None:
        return theirs(name)(*args, **kwargs)
    try:
        found = function(*args, **{key: value for key, value in kwargs.items() if key != "out"})
    except Exception:
        said = _asked(name, args, kwargs)
        if said is None:
            raise
    else:
        return theirs(name)(*args, **kwargs) if found is NotImplemented else found
    raise said


def theirs(name):
    """PyTorch's own function."""
    return functools.reduce(getattr, name.split("."), torch)


def _real(value):
    """A tensor of ours as PyTorch's, over the same memory."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_real, value)) if type(value) in (list, tuple) else value
    return torch.from_dlpack(value) if isinstance(value, dialect.Tensor) else value


def _alone(name, args, kwargs):
    """What our function says without a record."""
    function = functools.reduce(getattr, name.split("."), dialect)
    with torch.no_grad():
        return function(*args, **kwargs)


def _asked(name, args, kwargs):
    """The error that our function has without a record; `None` if it has none, or can't be asked."""
    try:
        if _are_ordinary(args, kwargs):
            # Nothing is written, whatever it says.
            _alone(name.removesuffix("_"), args, kwargs)
    except Exception as said:  # noqa: BLE001  # Whatever it says is what is to be said.
        return said
    return None


def _are_ordinary(args, kwargs):
    """Whether the tensors have memory of their own, and no tangents."""
    return all(map(_is_ordinary, _tensors(torch, [*args, *kwargs.values()])))


def _is_ordinary(tensor):
    own = type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
    if not own or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return False
    forward = torch.autograd.forward_ad
    return forward._current_level < 0 or forward.unpack_dual(tensor).tangent is None


def _has_to(fit, name, *args):
    """Has PyTorch's rules refuse what our operators would take."""
    said = None if fit else _asked(name, args, {})
    if said is not None:
        raise said


def gather(input, dim, index, *, sparse_grad=False):
    if sparse_grad:
        return NotImplemented
    return ops.gather(input, dim, index, *FROM_START)


def take_along_dim(input, indices, dim=None):
    if dim is None:
        return ops.gather(input.reshape(-1), 0, indices.reshape(-1), *FROM_START)
    return ops.take_along_axis(input, indices, dim, *FROM_START)


def take(input, index):
    return ops.take(input, index, None, *FROM_END)


def index_select(input, dim, index):
    return ops.index_select(input, dim, index, *FROM_START)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if scale_grad_by_freq or sparse:
        return NotImplemented
    return _rows(weight, indices, padding_idx)


def embedding_of(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None or scale_grad_by_freq or sparse:
        return NotImplemented
    padding = -1 if padding_idx is None else padding_idx + weight.shape[0] * (padding_idx < 0)
    return _rows(weight, input, padding)


def _rows(weight, indices, padding):
    """Rows of a table. No gradient flows to that for padding."""
    rows = ops.index_select(weight, 0, indices.reshape(-1), *FROM_START).reshape(*indices.shape, *weight.shape[1:])
    return rows if padding < 0 else torch.where((indices == padding).unsqueeze(-1), rows.detach(), rows)


def masked_select(input, mask):
    _has_to(mask.dtype == torch.bool, "masked_select", input, mask)
    return ops.masked_select(input, mask)


def nonzero(input, *, as_tuple=False):
    found = ops.nonzero(input)
    return found.unbind(1) if as_tuple else found


def argwhere(input):
    return ops.nonzero(input)


def where(condition, input=None, other=None):
    if input is None and other is None:
        return ops.nonzero(condition).unbind(1)
    return torch.where(condition, input, other)


def searchsorted(sorted_sequence, input=None, *, self=None, out_int32=False, right=False, side=None, sorter=None):
    values, rest = self if input is None else input, (out_int32, right, side, sorter)
    if isinstance(values, torch.Tensor):
        return ops.searchsorted(sorted_sequence, values, *rest)
    return ops.searchsorted.Scalar(sorted_sequence, values, *rest)


def bucketize(input=None, boundaries=None, *, self=None, out_int32=False, right=False):
    values = self if input is None else input
    if isinstance(values, torch.Tensor):
        return ops.bucketize(values, boundaries, out_int32, right)
    return ops.bucketize.Scalar(values, boundaries, out_int32, right)


def _number(name, argument, value):
    """What PyTorch takes for a number: a tensor of one element too, if it needs no gradient."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.requires_grad:
        raise exceptions.TypeError(f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}")
    return value.item()


def scatter(input, dim, index, src=None, *, value=None, reduce="none"):
    src = _number("scatter", "value", value) if src is None else src
    operator = ops.scatter.default if isinstance(src, torch.Tensor) else ops.scatter.value
    return operator(input, dim, index, src, reduce, *FROM_START)


def scatter_add(input, dim, index, src):
    return ops.scatter_add(input, dim, index, src, *FROM_START)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    return ops.scatter_reduce(input, dim, index, src, reduce, include_self, *FROM_START)


def index_add(input, dim, index, source, *, alpha=1):
    return ops.index_add(input, dim, index, source, _number("index_add", "alpha", alpha), *FROM_START)


def index_copy(input, dim, index, source):
    return ops.index_copy(input, dim, index, source, *FROM_START)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    return ops.index_reduce(input, dim, index, source, reduce, include_self, *FROM_START)


def index_fill(input, dim, index, value):
    operator = ops.index_fill.Tensor if isinstance(value, torch.Tensor) else ops.index_fill.default
    return operator(input, dim, index, value, *FROM_END)


def _list(indices):
    """Index tensors as our operators take them, whose masks are of bools."""
    return [index.bool() if isinstance(index, torch.Tensor) and index.dtype == torch.uint8 else index for index in indices]


def index(self, indices):
    return ops.index(self, _list(indices), *FROM_END)


def index_put(input, indices, values, accumulate=False):
    return ops.index_put(input, _list(indices), values, "sum" if accumulate else "none", *FROM_END)


def index_put_(input, indices, values, accumulate=False):
    return input.copy_(index_put(input, indices, values, accumulate))


def put(input, index, source, accumulate=False):
    return ops.put(input, index, source, accumulate, *FROM_END)


def masked_fill(input, mask, value):
    number = not isinstance(value, torch.Tensor)
    _has_to(mask.dtype == torch.bool and (number or value.ndim == 0), "masked_fill", input, mask, value)
    return (ops.masked_fill.default if number else ops.masked_fill.Tensor)(input, mask, value)


def masked_scatter(input, mask, source):
    _has_to(mask.dtype == torch.bool and input.dtype == source.dtype, "masked_scatter", input, mask, source)
    return ops.masked_scatter(input, mask, source)


# Those whose results have no gradients.
UNRECORDED = {nonzero, argwhere, searchsorted, bucketize}

# By their names in the module.
FUNCTIONS = {
    function.__name__: function
    for function in (
        gather, take_along_dim, take, index_select, embedding, masked_select, nonzero, argwhere, where, searchsorted, bucketize,
        scatter, scatter_add, scatter_reduce, index_add, index_copy, index_reduce, index_fill, index_put, index_put_, put,
        masked_fill, masked_scatter,
    )
} | {"nn.functional.embedding": embedding_of, "ops.aten.index": index}  # fmt: skip
