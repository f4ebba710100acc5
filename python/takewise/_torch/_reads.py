"""Operators that read by index. Each is linear, and its way back is a sum at the same places."""

from takewise import _takewise
from takewise._torch._define import Operator
from takewise._torch._here import ops, torch
from takewise._torch._shapes import (
    Keyed,
    along,
    axis_of,
    dropping,
    front,
    one_by_one,
    reduced,
    shifted,
    size,
    zeros,
)

class Read(Operator):
    moves = ("x",)
    keeps = ("index", "key")

    @classmethod
    def forward(cls, call, tangents):
        return cls.again(call, tangents["x"])


class Gather(Read):
    name = "gather"

    @staticmethod
    def shape(x, dim, index, *policy):
        axis_of(dim, x.ndim)
        return x.new_empty(index.shape)

    @staticmethod
    def backward(c, g):
        return {"x": ops.scatter_add(zeros(g, c.x), c.dim, c.index, g, dropping(c.bounds), c.negative)}

    @staticmethod
    def again(c, x):
        return ops.gather(x, c.dim, c.index, dropping(c.bounds), c.negative)

    @staticmethod
    def batched(overload, batch, in_dims, x, dim, index, *policy):
        x, index = front(x, in_dims[0], batch), front(index, in_dims[2], batch)
        if x.ndim == 1:
            return ops.gather(x.unsqueeze(1), 1, index.reshape(batch, -1), *policy).reshape(index.shape), 0
        return ops.gather(x, shifted(dim, x.ndim - 1), index, *policy), 0


class TakeAlongAxis(Read):
    name = "take_along_axis"
    types = {"AxisOrNone": "int"}
    outside = "wrap"

    @staticmethod
    def dropping(bounds):
        return dropping(TakeAlongAxis.outside if bounds == "torch" else bounds)

    @staticmethod
    def shape(x, index, dim=-1, *policy):
        return x.new_empty(TakeAlongAxis.stretched(x.shape, index.shape, dim)[1])

    @staticmethod
    def stretched(of_x, of_index, dim):
        """The shapes of both, with the axes that are not indexed broadcast."""
        dim = axis_of(dim, len(of_x))
        rest = torch.broadcast_shapes(along(of_x, dim, 1), along(of_index, dim, 1))
        return along(rest, dim, of_x[dim]), along(rest, dim, of_index[dim])

    @staticmethod
    def backward(c, g):
        whole, points = TakeAlongAxis.stretched(c.x.shape, c.index.shape, c.axis)
        index = c.index.expand(points)
        return {"x": reduced(ops.scatter_add(g.new_zeros(whole), c.axis, index, g, TakeAlongAxis.dropping(c.bounds), c.negative), c.x)}

    @staticmethod
    def again(c, x):
        return ops.take_along_axis(x, c.index, c.axis, TakeAlongAxis.dropping(c.bounds), c.negative)

    @staticmethod
    def batched(overload, batch, in_dims, x, index, dim=-1, *policy):
        x, index = front(x, in_dims[0], batch), front(index, in_dims[1], batch)
        return ops.take_along_axis(x, index, shifted(dim, x.ndim - 1), *policy), 0


class IndexSelect(Read):
    name = "index_select"

    @staticmethod
    def shape(x, dim, index, *policy):
        return x.new_empty(along(x.shape, dim, size(index.shape)))

    @staticmethod
    def backward(c, g):
        return {"x": ops.index_add(zeros(g, c.x), c.dim, c.index, g, 1, dropping(c.bounds), c.negative)}

    @staticmethod
    def again(c, x):
        return ops.index_select(x, c.dim, c.index, dropping(c.bounds), c.negative)

    @staticmethod
    def batched(overload, batch, in_dims, x, dim, index, *policy):
        x = front(x, in_dims[0], batch)
        if x.ndim == 1:
            return one_by_one(overload, batch, (0, *in_dims[1:]), x, dim, index, *policy)
        dim = shifted(dim, x.ndim - 1)
        if in_dims[2] is None:
            return ops.index_select(x, dim, index, *policy), 0
        return ops.gather(x, dim, slabs(x, dim, front(index, in_dims[2], batch)), *policy), 0


def slabs(x, dim, index):
    """A batch of rows of index values as what `gather` takes to read the same slabs."""
    index = index.reshape(index.shape[0], *(1,) * (dim - 1), -1, *(1,) * (x.ndim - dim - 1))
    return index.expand(along(x.shape, dim, index.shape[dim]))


class Take(Read):
    name = "take"

    @staticmethod
    def shape(x, index, axis=None, *policy):
        if axis is None:
            return x.new_empty(index.shape)
        axis = axis_of(axis, x.ndim)
        return x.new_empty((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]))

    @staticmethod
    def backward(c, g):
        rules = (dropping(c.bounds), c.negative)
        if c.axis is None:
            return {"x": ops.put(zeros(g, c.x), c.index, g, True, *rules)}
        indices = [None] * axis_of(c.axis, c.x.ndim) + [c.index]
        return {"x": ops.index_put(zeros(g, c.x), indices, g, "sum", *rules)}

    @staticmethod
    def again(c, x):
        return ops.take(x, c.index, c.axis, dropping(c.bounds), c.negative)

    @staticmethod
    def batched(overload, batch, in_dims, x, index, axis=None, *policy):
        x = front(x, in_dims[0], batch)
        if axis is None:
            index = front(index, in_dims[1], batch)
            return ops.gather(x.reshape(batch, -1), 1, index.reshape(batch, -1), *policy).reshape(index.shape), 0
        axis = shifted(axis, x.ndim - 1)
        if in_dims[1] is None:
            return ops.take(x, index, axis, *policy), 0
        index = front(index, in_dims[1], batch)
        rows = ops.gather(x, axis, slabs(x, axis, index.reshape(batch, -1)), *policy)
        return rows.reshape(*x.shape[:axis], *index.shape[1:], *x.shape[axis + 1 :]), 0


class Index(Read):
    name = "index"

    @staticmethod
    def kernel(x, indices, *policies):
        return _takewise.index(x, key(indices), **dict(zip(("bounds", "negative", "fill_value", "threads"), policies, strict=False)))

    @staticmethod
    def shape(x, indices, *policy):
        return x.new_empty(Keyed(x.shape, indices).shape)

    @staticmethod
    def backward(c, g):
        return {"x": ops.index_put(zeros(g, c.x), c.key, g, "sum", dropping(c.bounds), c.negative)}

    @staticmethod
    def again(c, x):
        return ops.index(x, c.key, dropping(c.bounds), c.negative)

    @staticmethod
    def batched(overload, batch, in_dims, x, indices, *policy):
        x = front(x, in_dims[0], batch)
        lists = Batches(x, batch, indices, in_dims[1])
        return lists.shown(ops.index(x, lists.indices, *policy)), 0


def key(indices):
    """Index tensors as a subscript."""
    return tuple(slice(None) if index is None else index for index in indices)


class Batches:
    """A key for a batch of tensors: the index tensors with one more, which names the parts of the batch."""

    def __init__(self, x, batch, indices, dims):
        dims = dims if isinstance(dims, (list, tuple)) else [None] * len(indices)
        for index, dim in zip(indices, dims, strict=True):
            if index is not None and index.dtype == torch.bool and dim is not None:
                text = "a batch of masks gives results of different lengths: use one mask for all, or positions"
                raise RuntimeError(f"takewise cannot index by {text}")
        known = [index if dim is None else index.select(dim, 0) for index, dim in zip(indices, dims, strict=True)]
        self.place = Keyed(x.shape[1:], known)
        rank = len(self.place.points)
        parts = torch.arange(batch, device=x.device).reshape(batch, *(1,) * rank)
        self.indices = [parts]
        for index, dim in zip(indices, dims, strict=True):
            if index is None or dim is None:
                self.indices.append(index)
            else:
                index = index.movedim(dim, 0)
                self.indices.append(index.reshape(batch, *(1,) * (rank - index.ndim + 1), *index.shape[1:]))
        self.axes = list(range(1, 1 + rank))
        self.there = [axis + self.place.at for axis in self.axes]

    def shown(self, result):
        """The result with the axes of the points where they are without a batch."""
        return result.movedim(self.axes, self.there)

    def stored(self, values, dim, batch):
        """Values to store, as the result of this key has them."""
        values = front(values, dim, batch)
        lack = len(self.place.shape) - values.ndim + 1
        values = values.reshape(batch, *(1,) * lack, *values.shape[1:]).expand(batch, *self.place.shape)
        return values.movedim(self.there, self.axes)


class GatherNd(Read):
    name = "gather_nd"

    @staticmethod
    def shape(x, index, *policy):
        return x.new_empty((*index.shape[:-1], *x.shape[index.shape[-1] :]))

    @staticmethod
    def backward(c, g):
        return {"x": ops.tensor_scatter(zeros(g, c.x), c.index, g, "sum", dropping(c.bounds), c.negative)}

    @staticmethod
    def again(c, x):
        return ops.gather_nd(x, c.index, dropping(c.bounds), c.negative)

    batched = Operator.batched


OPERATORS = [Gather, TakeAlongAxis, IndexSelect, Take, Index, GatherNd]

