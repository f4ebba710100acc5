"""Shapes and axes, as our operators have them."""

import math


from takewise import exceptions
from takewise._torch._here import torch


def dropping(bounds):
    """The rule by which the way back leaves out what the way there filled or left out."""
    return {"fill": "drop", "torch": "raise"}.get(bounds, bounds)


def axis_of(dim, rank):
    """An axis by its number from the front. A tensor of rank 0 has one."""
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise exceptions.IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return dim % rank


def along(shape, dim, extent):
    """A shape with another extent along an axis."""
    if not len(shape):
        return torch.Size(())
    dim = axis_of(dim, len(shape))
    return (*shape[:dim], extent, *shape[dim + 1 :])


def unmasked(indices):
    """Index tensors with the places of masks in their stead."""
    found = []
    for index in indices:
        if index is None or index.dtype != torch.bool:
            found.append(index)
        else:
            found.extend(index.nonzero().unbind(1))
    return found


class Keyed:
    """Where the index tensors of a key stand, and what shape they give (masks are taken for their places)."""

    def __init__(self, shape, indices):
        self.indices = unmasked(indices)
        axes = [k for k, index in enumerate(self.indices) if index is not None]
        if len(self.indices) > len(shape):
            text = f"too many indices for tensor of dimension {len(shape)}: {len(self.indices)} are given"
            raise exceptions.IndexError(text)
        self.points = torch.broadcast_shapes(*(self.indices[k].shape for k in axes))
        # Where the axes of the points begin in the result, and where those of the tensor that come before them.
        together = not axes or axes[-1] - axes[0] + 1 == len(axes)
        self.at = axes[0] if axes and together else 0
        rest = [extent for k, extent in enumerate(shape) if k not in axes]
        self.shape = (*rest[: self.at], *self.points, *rest[self.at :])


def front(tensor, dim, batch):
    """A tensor with its batch axis in front; one that has none is repeated."""
    return tensor.unsqueeze(0).expand(batch, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def shifted(dim, rank):
    """The number of an axis behind a batch axis, for a tensor of so many axes without it."""
    return axis_of(dim, rank) + 1


def one_by_one(overload, batch, in_dims, *args):
    """The result for a batch, of a call for each of its parts."""
    parts = [
        overload(*(_part(value, dim, k) for value, dim in zip(args, in_dims, strict=True))) for k in range(max(batch, 1))
    ]
    return torch.stack(parts)[:batch], 0


def _part(value, dim, k):
    if isinstance(value, (list, tuple)):
        dims = dim if isinstance(dim, (list, tuple)) else [dim] * len(value)
        return [_part(item, d, k) for item, d in zip(value, dims, strict=True)]
    return value if dim is None or not isinstance(value, torch.Tensor) else value.select(dim, k)


def reduced(gradient, like):
    """A gradient in the shape and dtype of what it is of: summed where that was repeated."""
    if tuple(gradient.shape) != tuple(like.shape):
        gradient = gradient.sum_to_size(like.shape)
    return typed(gradient, like.dtype)


def typed(gradient, dtype):
    """A gradient in the dtype of what it is of."""
    if gradient.dtype == dtype:
        return gradient
    return (gradient.real if gradient.is_complex() and not dtype.is_complex else gradient).to(dtype)


def zeros(gradient, like):
    """Zeros of a shape, to gather a gradient in."""
    return gradient.new_zeros(like.shape)


def size(shape):
    return math.prod(shape)
