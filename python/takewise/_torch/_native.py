"""What our operators compute where their bounds are ``"torch"``: PyTorch's function of that name, by its rules, with its errors."""

from takewise import torch as dialect


def _scatter(x, dim, index, value, reduce):
    return dialect.scatter(x, dim, index, value, **({} if reduce == "none" else {"reduce": reduce}))


def _index_put(x, indices, src, reduce):
    if all(index is not None for index in indices):
        return dialect.index_put(x, tuple(indices), src, reduce == "sum")
    # Axes that are taken whole are known to the operator below alone.
    return dialect.ops.aten._index_put_impl_(x.clone(), indices, src, reduce == "sum")


# By operator, of the arguments before the policies.
KERNELS = {
    "gather": dialect.gather,
    "take_along_axis": dialect.take_along_dim,
    "index_select": dialect.index_select,
    "take": lambda x, index, axis: dialect.take(x, index),
    "index": dialect.ops.aten.index,
    "scatter": _scatter,
    "scatter.value": _scatter,
    "scatter_add": dialect.scatter_add,
    "scatter_reduce": lambda x, dim, index, src, reduce, include_self: dialect.scatter_reduce(
        x, dim, index, src, reduce, include_self=include_self
    ),
    "index_add": lambda x, dim, index, src, alpha: dialect.index_add(x, dim, index, src, alpha=alpha),
    "index_copy": dialect.index_copy,
    "index_reduce": lambda x, dim, index, src, reduce, include_self: dialect.index_reduce(
        x, dim, index, src, reduce, include_self=include_self
    ),
    "index_fill": dialect.index_fill,
    "index_fill.Tensor": dialect.index_fill,
    "index_put": _index_put,
    "put": dialect.put,
}
