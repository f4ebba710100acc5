"""The calls of `takewise` itself, each with what it means in plain NumPy.

A reference is given arrays of its own and may write into the first. Functions that return a new array and their
in-place forms share it.
"""

import numpy as np
from rows import A_CLASS, NO_ARRAY, row, without

M = "takewise"
ROWS_OF = np.arange(4)


def read(name, call, reference, form=""):
    row(M, name, call, reference, form)


def write(name, call, reference, form="", inplace=True):
    row(M, name, call, reference, form)
    if inplace:
        row(M, f"{name}_", call, reference, form)


def storing(places):
    """The reference of a store of the last operand to places of the first."""

    def reference(x, *rest):
        *where, values = rest
        x[places(*where)] = values
        return x

    return reference


def combining(ufunc, places):
    """The reference of a sum, product or the like into places of the first operand."""

    def reference(x, *rest):
        *where, values = rest
        key = places(*where)
        extra = values.ndim - x[key].ndim
        if extra > 0 and values.shape[:extra] == (1,) * extra:
            values = values.reshape(values.shape[extra:])
        ufunc.at(x, key, values)
        return x

    return reference


def whole(key):
    return key


def along(j):
    return (j, np.broadcast_to(ROWS_OF[: j.shape[-1]], j.shape))


def tuples(n):
    return tuple(np.moveaxis(n, -1, 0))


def counted(values):
    if values.dtype.kind not in "iu" and values.size:
        raise TypeError("no indices")
    return values


def fill(values, size, places, default):
    """Values of the outside filled."""
    inside = (places >= -size) & (places < size)
    got = values.ravel()[np.where(inside, places, 0)]
    got[~inside] = default
    return got


read("copy", lambda f, x: f(x), lambda x: x.copy())
read("copy", lambda f, x, y: f(x, out=y), lambda x, y: np.copyto(y, x, "unsafe") or y, "out")
read("from_dlpack", lambda f, x: f(x), lambda x: x)
read("gather", lambda f, x, j: f(x, 0, j), lambda x, j: np.take_along_axis(x, counted(j), 0))
read(
    "gather",
    lambda f, x, j, q: f(x, 0, j, out=q),
    lambda x, j, q: np.copyto(q, np.take_along_axis(x, counted(j), 0), "unsafe") or q,
    "out",
)
read("gather_nd", lambda f, x, n: f(x, n), lambda x, n: x[tuples(counted(n))])
read("index", lambda f, x, i: f(x, i), lambda x, i: x[i])
read("index", lambda f, x, m: f(x, m), lambda x, m: x[m], "mask")
read("index", lambda f, x, i: f(x, (slice(None), i)), lambda x, i: x[:, i], "second axis")
read("index", lambda f, x, c: f(x, (slice(c), 1)), lambda x, c: x[slice(c if c.shape else c.item()), 1], "slice")
read("index_select", lambda f, x, i: f(x, 0, i), lambda x, i: np.take(x, np.atleast_1d(counted(i)), 0))
read("masked_select", lambda f, x, m: f(x, m), lambda x, m: x[m])
read("nonzero", lambda f, x: f(x), lambda x: np.argwhere(x))
read("oindex", lambda f, x, i, r: f(x, (i, r)), lambda x, i, r: x[np.ix_(i, r)])
read("vindex", lambda f, x, i, r: f(x, (i, r)), lambda x, i, r: x[i, r])
read("take", lambda f, x, i: f(x, i), lambda x, i: x.ravel()[counted(i)])
read("take", lambda f, x, i: f(x, i, axis=0), lambda x, i: np.take(x, counted(i), 0), "axis")
read(
    "take", lambda f, x, i, z: f(x, i, out=z), lambda x, i, z: np.copyto(z, x.ravel()[counted(i)], "unsafe") or z, "out"
)
read(
    "take",
    lambda f, x, o, c: f(x, o, bounds="fill", fill_value=c),
    lambda x, o, c: fill(x, x.size, counted(o), c),
    "fill",
)
read("take_along_axis", lambda f, x, j: f(x, j, 0), lambda x, j: np.take_along_axis(x, counted(j), 0))
read("searchsorted", lambda f, s, v: f(s, v), lambda s, v: np.searchsorted(s, v))
read("searchsorted", lambda f, s, p, v: f(s, v, sorter=p), lambda s, p, v: np.searchsorted(s, v, sorter=p), "sorter")
read("searchsorted", lambda f, s, c: f(s, c, side="right"), lambda s, c: np.searchsorted(s, c, side="right"), "scalar")
read("bucketize", lambda f, v, s: f(v, s), lambda v, s: np.searchsorted(s, v))
read("where", lambda f, m, x, y: f(m, x, y), lambda m, x, y: np.where(m, x, y))
read("where", lambda f, m: f(m), lambda m: np.nonzero(m), "mask")
read(
    "scatter_nd",
    lambda f, n, w: f(n, w, (3, 4)),
    lambda n, w: combining(np.add, tuples)(np.zeros((3, 4), w.dtype), counted(n), w),
)
read("PreparedSearch", lambda f, s, v: f(s).searchsorted(v), lambda s, v: np.searchsorted(s, v))
read("at", lambda f, x, i: f(x)[i].get(), lambda x, i: x[i], "get")

write("index_add", lambda f, x, r, u: f(x, 0, r, u), combining(np.add, counted))
write(
    "index_add",
    lambda f, x, r, u, c: f(x, 0, r, u, alpha=c),
    lambda x, r, u, c: combining(np.add, counted)(x, r, u * c),
    "alpha",
)
write("index_copy", lambda f, x, i, u: f(x, 0, i, u), storing(counted))
write("index_fill", lambda f, x, i, c: f(x, 0, i, c), storing(counted))
row(M, "index_put_", lambda f, x, i, u: f(x, i, u), storing(whole))
row(M, "index_put_", lambda f, x, r, u: f(x, r, u, accumulate=True), combining(np.add, whole), form="accumulate")
row(M, "index_set", lambda f, x, i, u: f(x, i, u), storing(whole))
row(M, "index_set", lambda f, x, m, c: f(x, m, c), storing(whole), form="mask")
write("index_reduce", lambda f, x, r, u: f(x, 0, r, u, "prod"), combining(np.multiply, counted), "prod")
write("index_reduce", lambda f, x, r, u: f(x, 0, r, u, "amax"), combining(np.maximum, counted), "amax")
write("masked_fill", lambda f, x, m, c: f(x, m, c), storing(whole))
write("masked_scatter", lambda f, x, m, y: f(x, m, y), lambda x, m, y: storing(whole)(x, m, y.ravel()[: int(m.sum())]))
write("put", lambda f, x, i, w: f(x, i, w), lambda x, i, w: np.put(x, counted(i), w.astype(x.dtype)) or x)
write(
    "put",
    lambda f, x, r, w: f(x, r, w, accumulate=True),
    lambda x, r, w: np.add.at(x.reshape(-1), counted(r), w) or x,
    "accumulate",
)
row(M, "put_along_axis", lambda f, x, j, u: f(x, j, u, 0), lambda x, j, u: np.put_along_axis(x, counted(j), u, 0))
write("scatter", lambda f, x, j, u: f(x, 0, j, u), storing(lambda j: along(counted(j))))
write("scatter", lambda f, x, j, c: f(x, 0, j, c), storing(lambda j: along(counted(j))), "scalar")
write("scatter_add", lambda f, x, j, u: f(x, 0, j, u), combining(np.add, lambda j: along(counted(j))))
write(
    "scatter_reduce",
    lambda f, x, j, u: f(x, 0, j, u, "amin"),
    combining(np.minimum, lambda j: along(counted(j))),
    "amin",
)
write(
    "scatter_reduce",
    lambda f, x, j, u: f(x, 0, j, u, "prod"),
    combining(np.multiply, lambda j: along(counted(j))),
    "prod",
)
write("tensor_scatter", lambda f, x, n, w: f(x, n, w), storing(lambda n: tuples(counted(n))))
write(
    "tensor_scatter", lambda f, x, n, w: f(x, n, w, "max"), combining(np.maximum, lambda n: tuples(counted(n))), "max"
)
for _name, _ufunc in (("add", np.add), ("mul", np.multiply), ("max", np.maximum), ("min", np.minimum)):
    row(M, "at", lambda f, x, r, u, n=_name: getattr(f(x)[r], n)(u), combining(_ufunc, whole), form=_name)
    row(M, "at", lambda f, x, r, u, n=_name: getattr(f(x)[r], n + "_")(u), combining(_ufunc, whole), form=_name + "_")
row(M, "at", lambda f, x, i, u: f(x)[i].set(u), storing(whole), form="set")
row(M, "at", lambda f, x, m, c: f(x)[m].set_(c), storing(whole), form="set_")

without(M, A_CLASS, "Comparison", "Explanation", "SparseTensor", "Tensor", "accelerate_torch", "torch_errors")
without(M, "takes another function, and is held to that by tests of its own", "explain")
without(M, "is held to the functions it stands for by tests of its own", "Prepared", "prepare")
without("takewise.jax", NO_ARRAY, "error_of", "errors")
without(M, NO_ARRAY, "get_mixed", "get_num_threads", "set_mixed", "set_num_threads")
