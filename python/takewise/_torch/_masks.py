"""Operators that read and write through masks."""

from takewise._torch._define import Operator
from takewise._torch._here import ops, torch
from takewise._torch._shapes import front, reduced, typed, zeros


def truth(mask):
    return mask if mask.dtype == torch.bool else mask != 0


def level(batch, dims, *tensors):
    """Tensors with a batch axis in front, and as many axes behind it in each."""
    tensors = [front(tensor, dim, batch) for tensor, dim in zip(tensors, dims, strict=True)]
    rank = max(tensor.ndim for tensor in tensors)
    return [tensor.reshape(batch, *(1,) * (rank - tensor.ndim), *tensor.shape[1:]) for tensor in tensors]


class MaskedSelect(Operator):
    name = "masked_select"
    moves: tuple[str, ...] = ("x",)
    keeps = ("mask",)

    @staticmethod
    def shape(x, mask, threads=None):
        torch.broadcast_shapes(x.shape, mask.shape)
        return x.new_empty((torch.library.get_ctx().new_dynamic_size(),))

    @staticmethod
    def backward(c, g):
        whole = torch.broadcast_shapes(c.x.shape, c.mask.shape)
        return {"x": reduced(ops.masked_scatter(g.new_zeros(whole), c.mask.expand(whole), g), c.x)}

    @staticmethod
    def forward(c, tangents):
        return ops.masked_select(tangents["x"], c.mask)

    @staticmethod
    def batched(overload, batch, in_dims, x, mask, threads=None):
        raise RuntimeError("takewise cannot select by mask from a batch: its parts may have results of different lengths")


class MaskedFill(Operator):
    name = "masked_fill"
    types: "dict[str, str | None]" = {"Values": "Scalar"}
    moves: tuple[str, ...] = ("x",)
    keeps = ("mask",)

    @staticmethod
    def shape(x, mask, value, threads=None, casting=None):
        whole = torch.broadcast_shapes(x.shape, mask.shape)
        return x.new_empty(whole)

    @classmethod
    def backward(cls, c, g):
        left = ops.masked_fill(g, c.mask, 0)
        found = {"x": reduced(left, c.x)}
        if "src" in c.needs:
            found["src"] = typed((g - left).sum(), c.src.dtype)
        return found

    @staticmethod
    def forward(c, tangents):
        x, value = tangents["x"], tangents.get("src")
        x = value.new_zeros(c.x.shape, dtype=c.x.dtype) if x is None else x
        if value is None:
            return ops.masked_fill(x, c.mask, 0)
        return ops.masked_fill.Tensor(x, c.mask, value)

    @staticmethod
    def batched(overload, batch, in_dims, x, mask, value, *rest):
        return ops.masked_fill(*level(batch, in_dims[:2], x, mask), value, *rest), 0


class MaskedFillTensor(MaskedFill):
    name = "masked_fill.Tensor"
    types = {}
    moves = ("x", "src")
    batched = Operator.batched


class MaskedScatter(Operator):
    name = "masked_scatter"
    moves = ("x", "src")
    keeps = ("mask",)

    @staticmethod
    def shape(x, mask, src, threads=None, casting=None):
        return x.new_empty(torch.broadcast_shapes(x.shape, mask.shape))

    @staticmethod
    def backward(c, g):
        found = {}
        if "x" in c.needs:
            found["x"] = reduced(ops.masked_fill(g, c.mask, 0), c.x)
        if "src" in c.needs:
            # The first elements are used, in order, as many as the mask has.
            mask = truth(c.mask).expand(g.shape)
            count = 1
            for extent in c.src.shape:
                count = count * extent
            order = (mask.reshape(-1).cumsum(0) - 1).clamp(0, max(count - 1, 0))
            flat = ops.masked_fill(g, ~mask, 0).reshape(-1)
            whole = ops.index_add(g.new_zeros(count), 0, order, flat) if count else g.new_zeros(count)
            found["src"] = typed(whole.reshape(c.src.shape), c.src.dtype)
        return found

    @staticmethod
    def forward(c, tangents):
        x, src = tangents["x"], tangents["src"]
        some = x if x is not None else src
        x = zeros(some, c.x) if x is None else x
        return ops.masked_scatter(x, c.mask, zeros(some, c.src) if src is None else src)

    batched = Operator.batched


OPERATORS = [MaskedSelect, MaskedFill, MaskedFillTensor, MaskedScatter]

