"""The names and rules of the package torch_scatter, on every PyTorch and every device.

A program changes its import, and needs no package that was built for its PyTorch:

>>> import pytest
>>> torch = pytest.importorskip("torch")
>>> import takewise.torch_scatter as torch_scatter
>>> src = torch.tensor([[1.0, 5.0, 3.0], [2.0, 4.0, 8.0]])
>>> torch_scatter.scatter(src, torch.tensor([0, 1, 0]), dim=1, reduce="max")
tensor([[3., 5.],
        [8., 4.]])
>>> torch_scatter.scatter_min(src, torch.tensor([0, 1, 0]), dim=1)
(tensor([[1., 5.],
        [2., 4.]]), tensor([[0, 1],
        [0, 1]]))
>>> torch_scatter.segment_csr(src, torch.tensor([[0, 2, 2, 3]]))
tensor([[6., 0., 3.],
        [6., 0., 8.]])

Sums, products and extremes of tensors in main memory are takewise's: a bad index is an error with its position, sums add in the order
of the index, and the number of threads changes no bit. On other devices, and in TorchScript, each call is made of PyTorch's own
operators. Gradients are of any order. They go to the first of equal extremes, as in the package.

Where the package differs from this: it does not check indices, so bad ones read and write anywhere; it takes no gradient of ``out``
and none of second order for products and extremes; it takes the largest number of a dtype for none; and the gradient of its standard
deviation is NaN where that is 0.

The index of ``scatter`` has any places. It has one axis, which is ``dim``, or as many as ``src`` and broadcasts. That of ``segment_coo``
is sorted, and its last axis is the one that is reduced. ``indptr`` of ``segment_csr`` holds where each segment begins, and where the
last ends. Segments without elements are 0, and 1 for products. Positions of extremes are those along the axis, and its length where
there is none. Source: torch_scatter 2.1.2.
"""

import importlib.util
import re
from typing import Any, Optional, Tuple  # noqa: UP035  # TorchScript knows these names

import takewise

if importlib.util.find_spec("torch") is None:
    raise ModuleNotFoundError("takewise.torch_scatter needs torch, which is not installed: pip install torch", name="torch")

import torch  # type: ignore[import-not-found]

__all__ = [
    "gather_coo", "gather_csr", "scatter", "scatter_add", "scatter_log_softmax", "scatter_logsumexp", "scatter_max", "scatter_mean",
    "scatter_min", "scatter_mul", "scatter_softmax", "scatter_std", "scatter_sum", "segment_add_coo", "segment_add_csr", "segment_coo",
    "segment_csr", "segment_max_coo", "segment_max_csr", "segment_mean_coo", "segment_mean_csr", "segment_min_coo", "segment_min_csr",
    "segment_sum_coo", "segment_sum_csr",
]  # fmt: skip

__version__ = "2.1.2"


# What follows is read by TorchScript too, which asks for plain functions and for types on all of them.


def _axis(src: torch.Tensor, dim: int) -> int:
    return dim + src.dim() if dim < 0 else dim


def _spread(index: torch.Tensor, src: torch.Tensor, dim: int) -> torch.Tensor:
    """The index in the shape of ``src``. One of one axis lies along ``dim``."""
    if index.dim() == 1:
        index = index.reshape([1] * dim + [-1])
    return index.reshape(list(index.size()) + [1] * (src.dim() - index.dim())).expand(src.size())


def _size(src: torch.Tensor, index: torch.Tensor, dim: int, dim_size: Optional[int], out: Optional[torch.Tensor] = None) -> list[int]:
    """The shape of a result."""
    if out is not None:
        return list(out.size())
    size = list(src.size())
    size[dim] = dim_size if dim_size is not None else int(index.max()) + 1 if index.numel() > 0 else 0
    return size


def _ours(src: torch.Tensor) -> bool:
    """Whether takewise does it: in main memory, and outside of a compiler's trace."""
    return src.device.type == "cpu" and not torch.compiler.is_compiling()


def _in_memory(base: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, how: Any, name: str) -> torch.Tensor:
    """:func:`_combined` by takewise. What is wrong is said of the function that was called."""
    try:
        if index.dim() > 1:
            return takewise.scatter_reduce(base, dim, _spread(index, src, dim), src, how, negative=False)
        if how == "sum":
            return takewise.index_add(base, dim, index, src, negative=False)
        return takewise.index_reduce(base, dim, index, src, how, negative=False)
    except Exception as error:
        raise _renamed(error, name)  # noqa: B904  # it is the same error


def _renamed(error: Exception, name: str) -> Exception:
    error.args = (re.sub(r"^\w+(\(\))?:", name + ":", str(error)), *error.args[1:])
    return error


def _combined(base: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, how: str, name: str) -> torch.Tensor:
    """``base`` with the values of ``src`` combined into it: ``"sum"``, ``"prod"``, ``"amin"`` or ``"amax"``; ``name`` was called."""
    rows = index.dim() == 1
    if torch.jit.is_scripting():
        rows = False
    elif _ours(src):
        return _in_memory(base, dim, index, src, how, name)
    if rows and how == "sum":
        return base.index_add(dim, index, src)
    return base.scatter_reduce(dim, _spread(index, src, dim), src, how)


def _taken(x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    """For each element of ``src`` that of ``x`` which its index names. The index was looked at before."""
    return x.index_select(dim, index) if index.dim() == 1 else x.gather(dim, _spread(index, src, dim))


def _given(out: Optional[torch.Tensor], made: torch.Tensor) -> torch.Tensor:
    """The result, in the memory that was given for it."""
    return made if out is None else out.copy_(made)


def scatter_sum(src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """Sums of the elements with the same index; added to ``out``, if it is given.

    >>> scatter_sum(torch.tensor([1, 3, 2]), torch.tensor([0, 2, 0]))
    tensor([3, 0, 3])
    """
    dim = _axis(src, dim)
    base = src.new_zeros(_size(src, index, dim, dim_size)) if out is None else out
    return _given(out, _combined(base, dim, index, src, "sum", "scatter_sum"))


def scatter_add(src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """:func:`scatter_sum`."""
    return scatter_sum(src, index, dim, out, dim_size)


def scatter_mul(src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """Products of the elements with the same index; multiplied by ``out``, if it is given."""
    dim = _axis(src, dim)
    base = src.new_ones(_size(src, index, dim, dim_size)) if out is None else out
    return _given(out, _combined(base, dim, index, src, "prod", "scatter_mul"))


def _counts(src: torch.Tensor, index: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    """How many elements have each index, in a shape that broadcasts against the result."""
    along = min(dim, index.dim() - 1)
    ones = torch.ones(index.size(), dtype=src.dtype, device=src.device)
    shape = list(index.size())
    shape[along] = size
    counts = _combined(src.new_zeros(shape), along, index, ones, "sum", "scatter_mean")
    if index.dim() == 1:
        counts = counts.reshape([1] * dim + [-1])
    return counts.reshape(list(counts.size()) + [1] * (src.dim() - counts.dim()))


def scatter_mean(src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """Means of the elements with the same index. What ``out`` holds counts in the sum, and not in the number. Integers are rounded down."""
    dim = _axis(src, dim)
    base = src.new_zeros(_size(src, index, dim, dim_size)) if out is None else out
    total = _combined(base, dim, index, src, "sum", "scatter_mean")
    counts = _counts(src, index, dim, total.size(dim)).clamp(min=1)
    if total.is_floating_point():
        return _given(out, total / counts)
    return _given(out, torch.div(total, counts, rounding_mode="floor"))


def _end(src: torch.Tensor, largest: bool) -> torch.Tensor:
    """What every number is better than."""
    dtype = src.dtype
    if src.is_floating_point():
        return torch.full([], float("-inf") if largest else float("inf"), dtype=dtype, device=src.device)
    bits = 8 if dtype == torch.int8 or dtype == torch.uint8 else 16 if dtype == torch.int16 else 32 if dtype == torch.int32 else 64
    if dtype == torch.uint8:
        return torch.full([], 0 if largest else 255, dtype=dtype, device=src.device)
    most = (1 << (bits - 2)) - 1 + (1 << (bits - 2))
    return torch.full([], -most - 1 if largest else most, dtype=dtype, device=src.device)


def _numbers_of(src: torch.Tensor, largest: bool) -> torch.Tensor:
    """The elements, with what every number is better than in place of NaN."""
    return src.nan_to_num(float("-inf") if largest else float("inf"), float("inf"), float("-inf")) if src.is_floating_point() else src


def _extreme(
    src: torch.Tensor, index: torch.Tensor, dim: int, out: Optional[torch.Tensor], size: list[int], largest: bool
) -> Tuple[torch.Tensor, torch.Tensor]:
    """The least or greatest of the elements with the same index, and where the first of them stands. NaN is never one."""
    length, how, name = src.size(dim), "amax" if largest else "amin", "scatter_max" if largest else "scatter_min"
    seen, end = _numbers_of(src.detach(), largest), _end(src, largest)
    base = end.expand(size).clone() if out is None else out.detach()
    best = _combined(base, dim, index, seen, how, name)
    first = seen == _taken(best, dim, index, src)
    steps = torch.arange(length, device=src.device).reshape([-1] + [1] * (src.dim() - dim - 1))
    where = torch.full(size, length, dtype=torch.long, device=src.device)
    where = _combined(where, dim, index, torch.where(first, steps, length), "amin", name)
    # What is as good as before has no place.
    where = torch.where(best > base if largest else best < base, where, length)
    rest = torch.zeros(size, dtype=src.dtype, device=src.device) if out is None else out
    if length == 0:
        return rest + src.sum(), where  # nothing, but with its history
    # Read by position: the gradient goes to that element alone.
    picked = src.gather(dim, where.clamp(max=length - 1))
    return _given(out, torch.where(where < length, picked, rest)), where


def _extreme_alone(src: torch.Tensor, index: torch.Tensor, dim: int, out: Optional[torch.Tensor], size: list[int], largest: bool) -> torch.Tensor:
    """:func:`_extreme` without positions, which nobody needs where no gradient is asked for."""
    if src.requires_grad:
        return _extreme(src, index, dim, out, size, largest)[0]
    end = _end(src, largest)
    seen = _numbers_of(src, largest)
    base = end.expand(size).clone() if out is None else out
    best = _combined(base, dim, index, seen, "amax" if largest else "amin", "scatter_max" if largest else "scatter_min")
    rest = torch.zeros(size, dtype=src.dtype, device=src.device) if out is None else out
    return _given(out, torch.where(best > base if largest else best < base, best, rest))


def scatter_min(
    src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None
) -> Tuple[torch.Tensor, torch.Tensor]:
    """The least of the elements with the same index, and their positions along ``dim``. Those in ``out`` stay where none is less."""
    dim = _axis(src, dim)
    return _extreme(src, index, dim, out, _size(src, index, dim, dim_size, out), False)


def scatter_max(
    src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None
) -> Tuple[torch.Tensor, torch.Tensor]:
    """The greatest of the elements with the same index, and their positions along ``dim``. Those in ``out`` stay where none is greater.

    >>> scatter_max(torch.tensor([1.0, 3.0, 3.0]), torch.tensor([2, 0, 0]))
    (tensor([3., 0., 1.]), tensor([1, 3, 0]))
    """
    dim = _axis(src, dim)
    return _extreme(src, index, dim, out, _size(src, index, dim, dim_size, out), True)


def scatter(
    src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None, reduce: str = "sum"
) -> torch.Tensor:
    """The elements of ``src`` with the same index along ``dim``, reduced: by ``"sum"`` (``"add"``), ``"mul"``, ``"mean"``, ``"min"`` or
    ``"max"``.

    ``dim_size`` is the length of the result along ``dim``; without it the largest index says. ``out`` is memory that holds a result to
    which this one is added.

    >>> scatter(torch.tensor([1.0, 2.0, 6.0]), torch.tensor([1, 0, 1]), reduce="mean")
    tensor([2.0000, 3.5000])
    """
    if reduce == "mul":
        return scatter_mul(src, index, dim, out, dim_size)
    if reduce == "mean":
        return scatter_mean(src, index, dim, out, dim_size)
    if reduce == "min" or reduce == "max":
        dim = _axis(src, dim)
        return _extreme_alone(src, index, dim, out, _size(src, index, dim, dim_size, out), reduce == "max")
    if reduce != "sum" and reduce != "add":
        raise ValueError("reduce is 'sum', 'add', 'mul', 'mean', 'min' or 'max', not '" + reduce + "'")
    return scatter_sum(src, index, dim, out, dim_size)


def _segments(src: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """The index of segments with the leading axes of ``src``. One of one axis stays, as it is the same for whole rows."""
    return index if index.dim() == 1 else index.expand(src.size()[: index.dim()])


def _segment_sum(src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor], size: list[int], mean: bool) -> torch.Tensor:
    dim = index.dim() - 1
    wide = src.float() if src.dtype == torch.half or src.dtype == torch.bfloat16 else src
    base = wide.new_zeros(size) if out is None else out.to(wide.dtype)
    total = _combined(base, dim, index, wide, "sum", "segment_mean_coo" if mean else "segment_sum_coo")
    if mean:
        counts = _counts(wide, index, dim, size[dim])
        whole = None if total.is_floating_point() else "trunc"
        total = torch.where(counts > 0, torch.div(total, counts.clamp(min=1), rounding_mode=whole), total)
    return _given(out, total.to(src.dtype))


def segment_sum_coo(src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """Sums of segments: :func:`scatter_sum` of a sorted index, along its last axis. The small floats are added in 32 bits."""
    index = _segments(src, index)
    size = _size(src, index, index.dim() - 1, dim_size, out)
    return _segment_sum(src, index, out, size, False)


def segment_add_coo(src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """:func:`segment_sum_coo`."""
    return segment_sum_coo(src, index, out, dim_size)


def segment_mean_coo(src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None) -> torch.Tensor:
    """Means of segments. Those of integers are cut off towards zero."""
    index = _segments(src, index)
    size = _size(src, index, index.dim() - 1, dim_size, out)
    return _segment_sum(src, index, out, size, True)


def segment_min_coo(
    src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None
) -> Tuple[torch.Tensor, torch.Tensor]:
    """The least of each segment, and its position along the axis."""
    index = _segments(src, index)
    size = _size(src, index, index.dim() - 1, dim_size, out)
    return _extreme(src, index, index.dim() - 1, out, size, False)


def segment_max_coo(
    src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None
) -> Tuple[torch.Tensor, torch.Tensor]:
    """The greatest of each segment, and its position along the axis."""
    index = _segments(src, index)
    size = _size(src, index, index.dim() - 1, dim_size, out)
    return _extreme(src, index, index.dim() - 1, out, size, True)


def segment_coo(
    src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None, reduce: str = "sum"
) -> torch.Tensor:
    """Segments of ``src`` reduced by a sorted index: ``"sum"`` (``"add"``), ``"mean"``, ``"min"`` or ``"max"``.

    >>> segment_coo(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 0, 2, 2]))
    tensor([3, 0, 7])
    """
    if reduce == "mean":
        return segment_mean_coo(src, index, out, dim_size)
    if reduce == "min" or reduce == "max":
        index = _segments(src, index)
        size = _size(src, index, index.dim() - 1, dim_size, out)
        return _extreme_alone(src, index, index.dim() - 1, out, size, reduce == "max")
    if reduce != "sum" and reduce != "add":
        raise ValueError("reduce is 'sum', 'add', 'mean', 'min' or 'max', not '" + reduce + "'")
    return segment_sum_coo(src, index, out, dim_size)


def _check(indptr: torch.Tensor, length: int) -> None:
    """Refuses offsets that fall, or that lead out of an axis. On other devices that would be waited for."""
    if indptr.device.type != "cpu" or indptr.numel() == 0:
        return
    falls = indptr.diff(dim=-1) < 0
    if bool(falls.any()):
        at = int(falls.reshape(-1, falls.size(-1)).any(0).long().argmax())
        raise IndexError("indptr falls after position " + str(at) + " of its last axis: segments are given by where they begin, in order")
    low, high = int(indptr.min()), int(indptr.max())
    if low < 0 or high > length:
        raise IndexError("indptr holds " + str(low if low < 0 else high) + ", which is out of bounds for an axis with size " + str(length))


def _numbers(indptr: torch.Tensor, length: int) -> torch.Tensor:
    """The segment of each place along an axis: the number of segments for places that are in none."""
    count = indptr.size(-1) - 1
    places = torch.arange(length, device=indptr.device, dtype=indptr.dtype).expand(list(indptr.size())[:-1] + [length]).contiguous()
    found = torch.searchsorted(indptr.contiguous(), places, right=True) - 1
    return torch.where(found < 0, torch.full_like(found, count), found)


def _of_offsets(src: torch.Tensor, indptr: torch.Tensor) -> Tuple[torch.Tensor, list[int]]:
    """The index of segments that offsets mean, and the shape of their results with a place more, for what is in none."""
    dim = indptr.dim() - 1
    size = list(src.size())
    size[dim] = max(indptr.size(-1), 1)
    if indptr.numel() == 0:
        return torch.zeros(list(src.size())[: dim + 1], dtype=torch.long, device=src.device), size
    if dim > 0:
        indptr = indptr.expand(list(src.size())[:dim] + [indptr.size(-1)])
    _check(indptr, src.size(dim))
    return _numbers(indptr, src.size(dim)), size


def _csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor], mean: bool) -> torch.Tensor:
    index, size = _of_offsets(src, indptr)
    made = _segment_sum(src, index, None, size, mean)
    return _given(out, made.narrow(index.dim() - 1, 0, size[index.dim() - 1] - 1))


def _csr_extreme(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor], largest: bool) -> Tuple[torch.Tensor, torch.Tensor]:
    index, size = _of_offsets(src, indptr)
    dim = index.dim() - 1
    made, where = _extreme(src, index, dim, None, size, largest)
    return _given(out, made.narrow(dim, 0, size[dim] - 1)), where.narrow(dim, 0, size[dim] - 1)


def segment_sum_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Sums of the segments that begin at the offsets. What ``out`` holds is replaced."""
    return _csr(src, indptr, out, False)


def segment_add_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """:func:`segment_sum_csr`."""
    return _csr(src, indptr, out, False)


def segment_mean_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Means of the segments that begin at the offsets."""
    return _csr(src, indptr, out, True)


def segment_min_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None) -> Tuple[torch.Tensor, torch.Tensor]:
    """The least of each segment, and its position along the axis."""
    return _csr_extreme(src, indptr, out, False)


def segment_max_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None) -> Tuple[torch.Tensor, torch.Tensor]:
    """The greatest of each segment, and its position along the axis."""
    return _csr_extreme(src, indptr, out, True)


def segment_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None, reduce: str = "sum") -> torch.Tensor:
    """Segments of ``src`` reduced, which begin at the offsets: ``"sum"`` (``"add"``), ``"mean"``, ``"min"`` or ``"max"``.

    >>> segment_csr(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 2, 2, 4]), reduce="max")
    tensor([2, 0, 4])
    """
    if reduce == "mean":
        return segment_mean_csr(src, indptr, out)
    if reduce == "min" or reduce == "max":
        index, size = _of_offsets(src, indptr)
        dim = index.dim() - 1
        return _given(out, _extreme_alone(src, index, dim, None, size, reduce == "max").narrow(dim, 0, size[dim] - 1))
    if reduce != "sum" and reduce != "add":
        raise ValueError("reduce is 'sum', 'add', 'mean', 'min' or 'max', not '" + reduce + "'")
    return segment_sum_csr(src, indptr, out)


def _read(src: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    try:
        return takewise.index_select(src, 0, index, negative=False)
    except Exception as error:
        raise _renamed(error, "gather_coo")  # noqa: B904  # it is the same error


def gather_coo(src: torch.Tensor, index: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """The rows of ``src`` that a sorted index names along its last axis: the way back from :func:`segment_coo`.

    >>> gather_coo(torch.tensor([7, 8, 9]), torch.tensor([0, 0, 2]))
    tensor([7, 7, 9])
    """
    dim = index.dim() - 1
    size = list(src.size())
    size[dim] = index.size(dim)
    if torch.jit.is_scripting():
        pass
    elif _ours(src) and dim == 0:
        return _given(out, _read(src, index))
    places = index.reshape(list(index.size()) + [1] * (src.dim() - index.dim())).expand(size)
    return _given(out, src.gather(dim, places))


def gather_csr(src: torch.Tensor, indptr: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """The rows of ``src`` repeated over the segments that begin at the offsets: the way back from :func:`segment_csr`.

    >>> gather_csr(torch.tensor([7, 8, 9]), torch.tensor([0, 2, 2, 3]))
    tensor([7, 7, 9])
    """
    length = 0 if indptr.numel() == 0 else int(indptr.reshape(-1)[-1])
    _check(indptr, length)
    index = torch.zeros(list(indptr.size())[:-1] + [0], dtype=torch.long, device=src.device)
    return gather_coo(src, index if length == 0 else _numbers(indptr, length), out)


def _floats(src: torch.Tensor, name: str) -> None:
    if not src.is_floating_point():
        raise ValueError(name + " takes floating point numbers")


def scatter_std(
    src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None, unbiased: bool = True
) -> torch.Tensor:
    """Standard deviations of the elements with the same index. 1e-6 is added to their number, as in the package."""
    dim = _axis(src, dim)
    size = _size(src, index, dim, dim_size if out is None else out.size(dim))
    counts = _counts(src, index, dim, size[dim]).clamp(min=1)
    mean = _combined(src.new_zeros(size), dim, index, src, "sum", "scatter_std") / counts
    squares = (src - _taken(mean, dim, index, src)).square()
    total = scatter_sum(squares, index, dim, out, size[dim])
    square = total / ((counts - 1).clamp(min=1) + 1e-6 if unbiased else counts + 1e-6)
    # The root of 0 has no derivative, and a group of one element would give NaN to all.
    return torch.where(square > 0, torch.where(square > 0, square, torch.ones_like(square)).sqrt(), torch.zeros_like(square))


def scatter_logsumexp(
    src: torch.Tensor, index: torch.Tensor, dim: int = -1, out: Optional[torch.Tensor] = None, dim_size: Optional[int] = None, eps: float = 1e-12
) -> torch.Tensor:
    """Logarithms of sums of exponentials of the elements with the same index; of ``out`` too. Without elements it is 0, or stays."""
    _floats(src, "scatter_logsumexp")
    dim = _axis(src, dim)
    size = _size(src, index, dim, dim_size if out is None else out.size(dim))
    greatest = _greatest(src, index, dim, size[dim])
    scores = (src - _taken(greatest, dim, index, src)).nan_to_num(float("-inf"), float("inf"), float("-inf")).exp()
    base = src.new_zeros(size) if out is None else (out - greatest).exp()
    made = (_combined(base, dim, index, scores, "sum", "scatter_logsumexp") + eps).log() + greatest
    if out is None:
        return made.nan_to_num(neginf=0.0)
    return out.copy_(torch.where(made.isfinite(), made, out))


def _greatest(src: torch.Tensor, index: torch.Tensor, dim: int, dim_size: Optional[int]) -> torch.Tensor:
    """The greatest of the elements with the same index, which is subtracted from them: that changes no derivative."""
    lowest = torch.full(_size(src, index, dim, dim_size), float("-inf"), dtype=src.dtype, device=src.device)
    return _combined(lowest, dim, index, src.detach(), "amax", "scatter_softmax")


def scatter_softmax(src: torch.Tensor, index: torch.Tensor, dim: int = -1, dim_size: Optional[int] = None) -> torch.Tensor:
    """The softmax among the elements with the same index.

    >>> scatter_softmax(torch.tensor([1.0, 1.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([0.5000, 0.5000, 1.0000])
    """
    _floats(src, "scatter_softmax")
    dim = _axis(src, dim)
    powers = (src - _taken(_greatest(src, index, dim, dim_size), dim, index, src)).exp()
    return powers / _taken(scatter_sum(powers, index, dim, None, dim_size), dim, index, src)


def scatter_log_softmax(src: torch.Tensor, index: torch.Tensor, dim: int = -1, eps: float = 1e-12, dim_size: Optional[int] = None) -> torch.Tensor:
    """The logarithm of :func:`scatter_softmax`; ``eps`` is added to the sums."""
    _floats(src, "scatter_log_softmax")
    dim = _axis(src, dim)
    scores = src - _taken(_greatest(src, index, dim, dim_size), dim, index, src)
    return scores - _taken((scatter_sum(scores.exp(), index, dim, None, dim_size) + eps).log(), dim, index, src)
