"""The calls of `takewise.torch`, which PyTorch's own functions answer as well."""

from rows import A_CLASS, A_NUMBER, NO_ARRAY, row, without

M = "takewise.torch"

for _name in ("all", "any", "argsort", "argwhere", "as_tensor", "clone", "detach", "diagonal", "empty_like",
              "flatten", "from_numpy", "isnan",
              "is_tensor", "logical_not", "msort", "nonzero", "numel", "ones_like", "ravel", "sort", "squeeze",
              "sum", "t", "tensor",
              "zeros_like", "from_dlpack"):  # fmt: skip
    row(M, _name, lambda f, x: f(x), uncompared="what was in memory" if _name == "empty_like" else "")
row(M, "sort", lambda f, x: f(x, 0, True), form="descending")
row(M, "sum", lambda f, x: f(x, 1), form="of an axis")
for _name in ("max", "min", "amax", "amin", "argmax", "argmin", "mean"):
    row(M, _name, lambda f, x: f(x))
    row(M, _name, lambda f, x: f(x, 1), form="of an axis")
for _name in ("max", "min"):
    row(M, _name, lambda f, x, y: f(x, y), form="of two")
for _name in ("all", "any"):
    row(M, _name, lambda f, x: f(x, 1), form="of an axis")
row(M, "cumsum", lambda f, x: f(x, 1))
row(M, "topk", lambda f, v: f(v, 4))
row(M, "unique", lambda f, x: f(x))
row(M, "unique", lambda f, x: f(x, return_inverse=True, return_counts=True, dim=1), form="of an axis")
row(M, "bincount", lambda f, i: f(i))
row(M, "bincount", lambda f, r, w: f(r, w), form="weights")
for _name in ("cat", "concat", "concatenate", "stack"):
    row(M, _name, lambda f, x, y: f([x, y], 1))
row(M, "tile", lambda f, x: f(x, (2, 1)))
row(M, "repeat_interleave", lambda f, x: f(x, 2, 1))
row(M, "repeat_interleave", lambda f, x, h: f(x, h, 0), form="counts")
for _name in ("clamp", "clip"):
    row(M, _name, lambda f, x, c: f(x, 1, c))
    row(M, _name, lambda f, x, y: f(x, y), form="tensor")
row(M, "nonzero", lambda f, x: f(x, as_tuple=True), form="tuple")
for _name in ("eq", "equal", "ge", "gt", "le", "logical_and", "logical_or", "lt", "ne"):
    row(M, _name, lambda f, x, y: f(x, y))
for _name in ("eq", "ge", "gt", "le", "lt", "ne"):
    row(M, _name, lambda f, x, c: f(x, c), form="scalar")
row(M, "as_strided", lambda f, x: f(x, (2, 2), (1, 2)))
row(M, "broadcast_to", lambda f, v: f(v, (2, 4)))
row(M, "bucketize", lambda f, x, s: f(x, s))
row(M, "bucketize", lambda f, s, c: f(c, s, right=True), form="scalar")
row(M, "diagonal_scatter", lambda f, g, t: f(g, t))
row(M, "fill", lambda f, x, c: f(x, c))
row(M, "flip", lambda f, x: f(x, (0,)))
row(M, "full", lambda f, c: f((2, 3), c))
row(M, "full_like", lambda f, x, c: f(x, c))
row(M, "gather", lambda f, x, j: f(x, 0, j))
row(M, "gather", lambda f, x, j, q: f(x, 0, j, out=q), form="out")
row(M, "index_add", lambda f, x, r, u: f(x, 0, r, u))
row(M, "index_add", lambda f, x, r, u, c: f(x, 0, r, u, alpha=c), form="alpha")
row(M, "index_copy", lambda f, x, i, u: f(x, 0, i, u))
row(M, "index_fill", lambda f, x, i, c: f(x, 0, i, c))
row(M, "index_put", lambda f, x, i, u: f(x, (i,), u))
row(M, "index_put", lambda f, x, r, u: f(x, (r,), u, accumulate=True), form="accumulate")
row(M, "index_put", lambda f, x, m, c: f(x, (m,), c), form="mask")
for _how in ("prod", "mean", "amax", "amin"):
    row(M, "index_reduce", lambda f, x, r, u, how=_how: f(x, 0, r, u, how), form=_how)
    row(M, "scatter_reduce", lambda f, x, j, u, how=_how: f(x, 0, j, u, how), form=_how)
row(M, "scatter_reduce", lambda f, x, j, u: f(x, 0, j, u, "sum", include_self=False), form="sum")
row(M, "index_select", lambda f, x, i: f(x, 0, i))
row(M, "index_select", lambda f, x, i, q: f(x, 0, i, out=q), form="out")
row(M, "linspace", lambda f, c: f(0, c, 5))
row(M, "masked_fill", lambda f, x, m, c: f(x, m, c))
row(M, "masked_scatter", lambda f, x, m, y: f(x, m, y))
row(M, "masked_select", lambda f, x, m: f(x, m))
row(M, "movedim", lambda f, x: f(x, 0, 1))
row(M, "narrow", lambda f, x: f(x, 0, 1, 2))
row(M, "narrow", lambda f, x, c: f(x, 0, c, 1), form="start")
row(M, "permute", lambda f, x: f(x, (1, 0)))
row(M, "put", lambda f, x, i, w: f(x, i, w))
row(M, "put", lambda f, x, r, w: f(x, r, w, accumulate=True), form="accumulate")
row(M, "reshape", lambda f, x: f(x, (4, 3)))
row(M, "scatter", lambda f, x, j, u: f(x, 0, j, u))
row(M, "scatter", lambda f, x, j, c: f(x, 0, j, c), form="scalar")
row(M, "scatter", lambda f, x, j, u: f(x, 0, j, u, reduce="add"), form="add")
row(M, "scatter", lambda f, x, j, u: f(x, 0, j, u, reduce="multiply"), form="multiply")
row(M, "scatter_add", lambda f, x, j, u: f(x, 0, j, u))
row(M, "searchsorted", lambda f, s, v: f(s, v))
row(M, "searchsorted", lambda f, s, p, v: f(s, v, right=True, sorter=p), form="sorter")
row(M, "searchsorted", lambda f, s, c: f(s, c), form="scalar")
row(M, "select", lambda f, x: f(x, 0, 1))
row(M, "select", lambda f, x, c: f(x, 0, c), form="index")
row(M, "select_scatter", lambda f, x, v: f(x, v, 0, 1))
row(M, "slice_scatter", lambda f, x, u: f(x, u, 0, 1, 3))
row(M, "swapaxes", lambda f, x: f(x, 0, 1))
row(M, "swapdims", lambda f, x: f(x, 0, 1))
row(M, "take", lambda f, x, i: f(x, i))
row(M, "take", lambda f, x, i, z: f(x, i, out=z), form="out")
row(M, "take_along_dim", lambda f, x, j: f(x, j, 0))
row(M, "transpose", lambda f, x: f(x, 0, 1))
row(M, "unsqueeze", lambda f, x: f(x, 1))
row(M, "where", lambda f, m, x, y: f(m, x, y))
row(M, "where", lambda f, m, x, c: f(m, x, c), form="scalar")
row(M, "where", lambda f, m: f(m), form="mask")
row(M, "arange", lambda f, c: f(c))
row(M, "eye", lambda f, c: f(c))
row(M, "zeros", lambda f, i: f(i))
row(M, "ones", lambda f, i: f(i))
row(M, "empty", lambda f, i: f(i), uncompared="what was in memory")
for _name in ("rand", "randn", "randperm"):
    row(M, _name, lambda f, c: f(c), uncompared="results are drawn")
row(M, "randint", lambda f, c: f(c, (3,)), uncompared="results are drawn")
for _name in ("BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
              "IntTensor", "LongTensor", "ShortTensor",
              "BFloat16Tensor"):  # fmt: skip
    row(M, _name, lambda f, x: f(x), uncompared="constructors of old, held to PyTorch by the records")

without(M, A_CLASS, "Tensor", "Size", "dtype", "enable_grad", "inference_mode", "no_grad", "set_grad_enabled")
without(M, NO_ARRAY, "get_num_threads", "set_num_threads", "is_grad_enabled", "manual_seed")
without(M, A_NUMBER, "e", "inf", "nan", "newaxis", "pi", "strided")
