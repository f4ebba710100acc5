"""What `takewise` shares with PyTorch, and `takewise.mindspore`: each name with what it means in plain NumPy."""

import inspect
import operator

import numpy as np
from rows import A_CLASS, A_NUMBER, NO_ARRAY, row, without
from rows_neutral import along, combining, counted, storing, tuples

M = "takewise"


def read(name, call, reference, form="", **more):
    row(M, name, call, reference, form, **more)


def sorted_pair(x, axis=-1):
    order = np.argsort(x, axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


def changed(x, key, value):
    x[key] = value
    return x


def dropping(x, dtype):
    return x.astype(dtype)


read("all", lambda f, x: f(x), np.all)
read("any", lambda f, x: f(x), np.any)
read("argsort", lambda f, x: f(x), lambda x: np.argsort(x, kind="stable"))
read("argwhere", lambda f, x: f(x), np.argwhere)
read(
    "as_strided",
    lambda f, x: f(x, (2, 2), (1, 2)),
    lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (x.itemsize, 2 * x.itemsize)).copy(),
)
for _name in ("as_tensor", "clone", "detach", "from_numpy", "tensor"):
    read(_name, lambda f, x: f(x), lambda x: x.copy())
read("broadcast_to", lambda f, v: f(v, (2, 4)), lambda v: np.broadcast_to(v, (2, 4)))
read("diagonal", lambda f, x: f(x), np.diagonal)
read(
    "diagonal_scatter",
    lambda f, g, t: f(g, t),
    lambda g, t: changed(g, (np.arange(3), np.arange(3)), t),
)
read("empty_like", lambda f, x: f(x), None, uncompared="what was in memory")
for _name in ("eq", "ge", "gt", "le", "lt", "ne"):
    read(_name, lambda f, x, y: f(x, y), getattr(operator, _name))
    read(_name, lambda f, x, c: f(x, c), getattr(operator, _name), "scalar")
read("equal", lambda f, x, y: f(x, y), lambda x, y: np.array_equal(x, y))
read("fill", lambda f, x, c: f(x, c), lambda x, c: changed(x, ..., c))
read("flatten", lambda f, x: f(x), lambda x: x.reshape(-1))
read("flip", lambda f, x: f(x, (0,)), lambda x: np.flip(x, 0))
read("full", lambda f, c: f((2, 3), c), lambda c: np.full((2, 3), c))
read("full_like", lambda f, x, c: f(x, c), lambda x, c: np.full_like(x, c))
read("index_put", lambda f, x, i, u: f(x, (i,), u), storing(counted))
read("is_tensor", lambda f, x: f(x), None, uncompared="whose arrays count is said in its own tests")
read("isnan", lambda f, x: f(x), np.isnan)
read("logical_not", lambda f, x: f(x), np.logical_not)
read("logical_and", lambda f, x, y: f(x, y), np.logical_and)
read("logical_or", lambda f, x, y: f(x, y), np.logical_or)
read("movedim", lambda f, x: f(x, 0, 1), lambda x: np.moveaxis(x, 0, 1))
read("msort", lambda f, x: f(x), lambda x: np.sort(x, 0))
read("narrow", lambda f, x: f(x, 0, 1, 2), lambda x: x[1:3])
read("numel", lambda f, x: f(x), np.size)
read("ones_like", lambda f, x: f(x), np.ones_like)
read("permute", lambda f, x: f(x, (1, 0)), np.transpose)
read("ravel", lambda f, x: f(x), np.ravel)
read("reshape", lambda f, x: f(x, (4, 3)), lambda x: np.reshape(x, (4, 3)))
read("select", lambda f, x: f(x, 0, 1), lambda x: x[1])
read("select_scatter", lambda f, x, v: f(x, v, 0, 1), lambda x, v: changed(x, 1, v))
read("slice_scatter", lambda f, x, u: f(x, u, 0, 1, 3), lambda x, u: changed(x, slice(1, 3), u))
read("sort", lambda f, x: f(x), np.sort)
read("sort", lambda f, x: f(x, 0, descending=True), lambda x: np.flip(np.sort(x, 0), 0), "descending")
read("topk", lambda f, x: f(x, 2), lambda x: np.flip(np.sort(x), -1)[..., :2])
read("argtopk", lambda f, v: f(v, 1, largest=False), lambda v: np.argsort(v, kind="stable")[..., :1].reshape(v.shape[:-1] + (1,) * (v.ndim > 0)))
read("unique", lambda f, x: f(x), np.unique)
read("unique", lambda f, i: f(i, None, return_index=True, return_inverse=True, return_counts=True), lambda i: np.unique(i, True, True, True), "counts")
read("bincount", lambda f, h: f(h, minlength=7), lambda h: np.bincount(h, minlength=7))
read("squeeze", lambda f, x: f(x), np.squeeze)
read("sum", lambda f, x: f(x), lambda x: np.sum(x, dtype="i8" if x.dtype.kind in "bu" else None))
for _name in ("swapaxes", "swapdims", "transpose"):
    read(_name, lambda f, x: f(x, 0, 1), lambda x: np.swapaxes(x, 0, 1))
read("t", lambda f, x: f(x), np.transpose)
read("take_along_dim", lambda f, x, j: f(x, j, 0), lambda x, j: np.take_along_axis(x, counted(j), 0))
read("unsqueeze", lambda f, x: f(x, 1), lambda x: np.expand_dims(x, 1))
read("zeros_like", lambda f, x: f(x), np.zeros_like)
read("arange", lambda f, c: f(c), np.arange)
read("eye", lambda f, c: f(c), lambda c: np.eye(int(c), dtype="f4"))
read("linspace", lambda f, c: f(0, c, 5), lambda c: np.linspace(0, c, 5, dtype="f4"))
read("zeros", lambda f, i: f(i), lambda i: np.zeros(tuple(i), "f4"))
read("ones", lambda f, i: f(i), lambda i: np.ones(tuple(i), "f4"))
read("empty", lambda f, i: f(i), None, uncompared="what was in memory")
for _name in ("rand", "randn", "randperm"):
    read(_name, lambda f, c: f(c), None, uncompared="results are drawn")
read("randint", lambda f, c: f(c, (3,)), None, uncompared="results are drawn")
for _name, _dtype in {"BoolTensor": "?", "ByteTensor": "u1", "CharTensor": "i1", "DoubleTensor": "f8",
              "FloatTensor": "f4", "HalfTensor": "f2",
                      "IntTensor": "i4", "LongTensor": "i8", "ShortTensor": "i2"}.items():  # fmt: skip
    read(_name, lambda f, x: f(x), lambda x, d=_dtype: dropping(x, d))
read("BFloat16Tensor", lambda f, x: f(x), None, uncompared="NumPy has no such dtype")
without(M, A_CLASS, "Size", "enable_grad", "inference_mode", "no_grad", "set_grad_enabled")
without(M, NO_ARRAY, "is_grad_enabled", "manual_seed")
without(M, A_NUMBER, "e", "inf", "nan", "newaxis", "pi")

S = "takewise.mindspore.ops"
without("takewise.mindspore", A_CLASS, "Tensor", "grad", "value_and_grad")
row("takewise.mindspore", "tensor", lambda f, x: f(x), lambda x: x.copy())
without(S, A_CLASS, "GradOperation", "grad", "value_and_grad")


def ms(name, call, reference, form="", **more):
    """A function of MindSpore's takes tensors of its own only, so whatever it is given is made one first."""
    from takewise import mindspore

    def wrapped(f, *given):
        return call(f, *(value if np.isscalar(value) or value is None else mindspore.tensor(value) for value in given))

    wrapped.plain = call
    letters = tuple(inspect.signature(call).parameters)[1:]
    row(S, name, wrapped, reference, form, letters=letters, **more)


def small(x):
    return x.astype("i4")


ms("arange", lambda f, c: f(c), np.arange)
ms("argsort", lambda f, x: f(x), lambda x: small(np.argsort(x, kind="stable")))
ms("flip", lambda f, x: f(x, (0,)), lambda x: np.flip(x, 0))
ms("full", lambda f, c: f((2, 3), c), lambda c: np.full((2, 3), c))
ms("gather", lambda f, x, i: f(x, i, 0), lambda x, i: np.take(x, counted(i), 0))
ms("gather_d", lambda f, x, j: f(x, 0, j), lambda x, j: np.take_along_axis(x, counted(j), 0))
ms("gather_elements", lambda f, x, j: f(x, 0, j), lambda x, j: np.take_along_axis(x, counted(j), 0))
ms("gather_nd", lambda f, x, n: f(x, n), lambda x, n: x[tuples(counted(n))])
ms("index_select", lambda f, x, i: f(x, 0, i), lambda x, i: np.take(x, counted(i), 0))
ms("masked_fill", lambda f, x, m, c: f(x, m, c), storing(lambda m: m))
ms("masked_select", lambda f, x, m: f(x, m), lambda x, m: x[m])
ms("nonzero", lambda f, x: f(x), np.argwhere)
ms("ones", lambda f, i: f(i), lambda i: np.ones(tuple(np.atleast_1d(i)), "f4"))
ms("zeros", lambda f, i: f(i), lambda i: np.zeros(tuple(np.atleast_1d(i)), "f4"))
ms("reshape", lambda f, x: f(x, (4, 3)), lambda x: np.reshape(x, (4, 3)))
ms("scatter", lambda f, x, j, u: f(x, 0, j, u), storing(lambda j: along(counted(j))))
ms("scatter_nd", lambda f, n, w: f(n, w, (3, 4)), None, uncompared="held to its library by the records")
ms("searchsorted", lambda f, s, v: f(s, v), lambda s, v: np.searchsorted(s, v))
ms("sort", lambda f, x: f(x), lambda x: (sorted_pair(x)[0], small(sorted_pair(x)[1])))
ms("transpose", lambda f, x: f(x, (1, 0)), np.transpose)
ms("where", lambda f, m, x, y: f(m, x, y), np.where)
for _name, _ufunc in {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}.items():
    ms(f"tensor_scatter_{_name}", lambda f, x, n, w: f(x, n, w), combining(_ufunc, lambda n: tuples(counted(n))))
ms("tensor_scatter_div", lambda f, x, n, w: f(x, n, w), None, uncompared="held to its library by the records")
ms("tensor_scatter_update", lambda f, x, n, w: f(x, n, w), storing(lambda n: tuples(counted(n))))
ms("tensor_scatter_elements", lambda f, x, j, u: f(x, j, u, 0), storing(lambda j: along(counted(j))))
