"""Operators that write by index, into a copy."""

from collections.abc import Callable

from takewise import _takewise, exceptions
from takewise._torch import _combined
from takewise._torch._combined import Way
from takewise._torch._define import Operator
from takewise._torch._here import ops, torch
from takewise._torch._reads import Batches, GatherNd, IndexSelect, key, slabs
from takewise._torch._shapes import Keyed, along, dropping, front, one_by_one, shifted, size

def chosen(duplicates, how):
    """The rule for duplicates, which has no meaning where all values count."""
    return duplicates if how in ("none", None) else None


class Write(Operator):
    extent: "Callable[..., tuple[int, ...]] | None" = None
    """The shape of what is written, by ``x``, ``index`` and the axis; a value without axes fills it."""

    moves: tuple[str, ...] = ("x", "src")
    keeps: tuple[str, ...] = ("index", "key")
    # How it combines, where its schema does not say.
    how = "none"

    @classmethod
    def kept(cls, given):
        # Which of several values is the extreme one, and what the other factors are, depends on all of them.
        more = _combined.how_of(given.get("reduce")) in ("prod", "amax", "amin")
        return (*cls.keeps, "x", "src", "result") if more else cls.keeps

    @staticmethod
    def shape(x, *rest):
        return torch.empty_like(x, memory_format=torch.contiguous_format)

    @classmethod
    def combines(cls, c):
        return getattr(c, "reduce", cls.how), getattr(c, "include_self", True)

    @classmethod
    def backward(cls, c, g):
        how, include_self = cls.combines(c)
        return _combined.backward(cls.way(c), how, include_self, c, g)

    @classmethod
    def forward(cls, c, tangents):
        how, include_self = cls.combines(c)
        return _combined.forward(cls.way(c), how, include_self, c, tangents)


class AlongAxis(Write):
    """Writes to the places that `gather` reads."""

    @staticmethod
    def extent(x, index, dim):
        return index.shape

    @staticmethod
    def way(c):
        rules = (dropping(c.bounds), c.negative)

        def put(x, src, how, include_self=True, duplicates=c.duplicates):
            return ops.scatter_reduce(x, c.dim, c.index, src, how, include_self, *rules, chosen(duplicates, how))

        return Way(put, lambda z: ops.gather(z, c.dim, c.index, *rules), c.index.shape, narrows=True)

    @staticmethod
    def batched(overload, batch, in_dims, x, dim, index, src, *rest):
        if x.ndim - (in_dims[0] is not None) == 0:
            return one_by_one(overload, batch, in_dims, x, dim, index, src, *rest)
        x, index = front(x, in_dims[0], batch), front(index, in_dims[2], batch)
        if isinstance(src, torch.Tensor):
            src = front(src, in_dims[3], batch)
        return overload(x, shifted(dim, x.ndim - 1), index, src, *rest), 0


class Scatter(AlongAxis):
    name = "scatter"


class ScatterValue(AlongAxis):
    name = "scatter.value"
    types = {"Values": "Scalar"}
    moves = ("x",)

    @classmethod
    def backward(cls, c, g):
        c.src = g.new_full((), c.src, dtype=c.x.dtype).expand(c.index.shape)
        return super().backward(c, g)

    @classmethod
    def forward(cls, c, tangents):
        x = tangents["x"]
        c.src = x.new_full((), c.src, dtype=c.x.dtype).expand(c.index.shape)
        return super().forward(c, {"x": x, "src": None})


class ScatterAdd(AlongAxis):
    name = "scatter_add"
    how = "sum"


class ScatterReduce(AlongAxis):
    name = "scatter_reduce"


class Slabs(Write):
    """Writes to the places that `index_select` reads."""

    @staticmethod
    def extent(x, index, dim):
        return along(x.shape, dim, size(index.shape))

    @classmethod
    def way(cls, c):
        rules = (dropping(c.bounds), c.negative)

        def put(x, src, how, include_self=True, duplicates=c.duplicates):
            src = src.expand(shape) if src.ndim == len(shape) else src
            return ops.index_reduce(x, c.dim, c.index, src, how, include_self, *rules, chosen(duplicates, how))

        shape = cls.extent(c.x, c.index, c.dim)
        return Way(put, lambda z: IndexSelect.again(c, z), shape)

    @classmethod
    def batched(cls, overload, batch, in_dims, x, dim, index, src, *rest):
        rank = x.ndim - (in_dims[0] is not None)
        if rank == 0 or not isinstance(src, torch.Tensor) and in_dims[2] is not None:
            return one_by_one(overload, batch, in_dims, x, dim, index, src, *rest)
        x, dim = front(x, in_dims[0], batch), shifted(dim, rank)
        if isinstance(src, torch.Tensor):
            src = front(src, in_dims[3], batch)
        if in_dims[2] is None:
            return overload(x, dim, index, src, *rest), 0
        index = slabs(x, dim, front(index, in_dims[2], batch))
        return cls.spread(x, dim, index, src.expand(index.shape), *rest), 0


class IndexAdd(Slabs):
    name = "index_add"
    how = "sum"

    @classmethod
    def backward(cls, c, g):
        found = {"x": g}
        if "src" in c.needs:
            alpha = c.alpha.conjugate() if isinstance(c.alpha, complex) else c.alpha
            way = cls.way(c)
            found["src"] = way.loose(way.get(g) * alpha, c.src)
        return found

    @classmethod
    def forward(cls, c, tangents):
        src = tangents["src"]
        return super().forward(c, {"x": tangents["x"], "src": None if src is None else src * c.alpha})

    @staticmethod
    def spread(x, dim, index, src, alpha=1, *rest):
        return ops.scatter_add(x, dim, index, src * alpha, *rest)


class IndexCopy(Slabs):
    name = "index_copy"

    @staticmethod
    def spread(x, dim, index, src, *rest):
        return ops.scatter(x, dim, index, src, "none", *rest)


class IndexReduce(Slabs):
    name = "index_reduce"

    @staticmethod
    def spread(x, dim, index, src, reduce, *rest):
        return ops.scatter_reduce(x, dim, index, src, reduce, *rest)


class Filling(Slabs):
    """Stores of one value, which has the sum of all gradients."""

    extent = None  # type: ignore[assignment]

    @classmethod
    def backward(cls, c, g):
        left = ops.index_fill.default(g, c.dim, c.index, 0, dropping(c.bounds), c.negative)
        return {"x": left, "src": _combined.typed((g - left).sum(), c.src.dtype) if "src" in c.needs else None}

    @classmethod
    def forward(cls, c, tangents):
        x, value = tangents["x"], tangents.get("src")
        x = value.new_zeros(c.x.shape, dtype=c.x.dtype) if x is None else x
        rules = (c.dim, c.index, 0, dropping(c.bounds), c.negative)
        if value is None:
            return ops.index_fill.default(x, *rules)
        return ops.index_fill.Tensor(x, *rules[:2], value, *rules[3:])


class IndexFill(Filling):
    name = "index_fill"
    types = {"Values": "Scalar"}
    moves = ("x",)


class IndexFillTensor(Filling):
    name = "index_fill.Tensor"
    moves = ("x", "src")
    batched = Operator.batched


class IndexPut(Write):
    name = "index_put"
    types = {"Accumulate": 'str reduce="none"'}

    @staticmethod
    def kernel(x, indices, src, reduce="none", *policies):
        method = {"none": "set", "sum": "add", "prod": "mul", "amax": "max", "amin": "min"}.get(_combined.how_of(reduce))
        if method is None:
            raise exceptions.ValueError(f"index_put() combines by none, sum, prod, amax or amin, not by {reduce!r}")
        rules = zip(("bounds", "negative", "duplicates", "casting", "threads"), policies, strict=False)
        return getattr(_takewise.at(x)[key(indices)], method)(src, **dict(rules))

    @staticmethod
    def way(c):
        rules = (dropping(c.bounds), c.negative)

        def put(x, src, how, include_self=True, duplicates=c.duplicates):
            return ops.index_put(x, c.key, src, how, *rules, chosen(duplicates, how))

        place = Keyed(c.x.shape, c.key)
        return Way(put, lambda z: ops.index(z, c.key, *rules), place.shape)

    @staticmethod
    def batched(overload, batch, in_dims, x, indices, src, *rest):
        x = front(x, in_dims[0], batch)
        lists = Batches(x, batch, indices, in_dims[1])
        return ops.index_put(x, lists.indices, lists.stored(src, in_dims[2], batch), *rest), 0


class Put(Write):
    name = "put"

    @staticmethod
    def extent(x, index, dim):
        return index.shape

    @classmethod
    def combines(cls, c):
        return "sum" if c.accumulate else "none", True

    @staticmethod
    def way(c):
        rules = (dropping(c.bounds), c.negative)

        def put(x, src, how, include_self=True, duplicates=c.duplicates):
            return ops.put(x, c.index, src, how == "sum", *rules, chosen(duplicates, how))

        return Way(put, lambda z: ops.take(z, c.index, None, *rules).reshape(c.src.shape), c.src.shape)

    @staticmethod
    def batched(overload, batch, in_dims, x, index, src, accumulate=False, *rest):
        x, index, src = front(x, in_dims[0], batch), front(index, in_dims[1], batch), front(src, in_dims[2], batch)
        how = "sum" if accumulate else "none"
        rows = (x.reshape(batch, -1), 1, index.reshape(batch, -1), src.reshape(batch, -1), how)
        return ops.scatter(*rows, *rest).reshape(x.shape), 0


class TensorScatter(Write):
    name = "tensor_scatter"

    @staticmethod
    def extent(x, index, dim=None):
        return (*index.shape[:-1], *x.shape[index.shape[-1] :])

    @classmethod
    def way(cls, c):
        rules = (dropping(c.bounds), c.negative)

        def put(x, src, how, include_self=True, duplicates=c.duplicates):
            return ops.tensor_scatter(x, c.index, src.expand(shape), how, *rules, chosen(duplicates, how))

        shape = cls.extent(c.x, c.index)
        return Way(put, lambda z: GatherNd.again(c, z), shape)

    batched = Operator.batched


OPERATORS = [
    Scatter, ScatterValue, ScatterAdd, ScatterReduce, IndexAdd, IndexCopy, IndexReduce, IndexFill, IndexFillTensor,
    IndexPut, Put, TensorScatter,
]  # fmt: skip

