"""The calls of parts, turns, positions, choices, membership, bags and segments, in every module that has them."""

import numpy as np
from rows import NO_ARRAY, row, without
from rows_neutral import combining, counted, storing

N, T, J, W = "takewise.numpy", "takewise.torch", "takewise.jax.numpy", "takewise"
S, MINT = "takewise.mindspore.ops", "takewise.mindspore.mint"
COPIED = "held to its library by tests of its own"


# --- NumPy and JAX -------------------------------------------------------------------------------------------------------
for _module in (N, J):
    row(_module, "choose", lambda f, r, d: f(r, d))
    row(_module, "isin", lambda f, x, v: f(x, v))
    row(_module, "isin", lambda f, x, c: f(x, c, invert=True), form="scalar")
    row(_module, "ix_", lambda f, i, r: f(i, r))
    row(_module, "ravel_multi_index", lambda f, i, r: f((i, r), (3, 4)))
    row(_module, "select", lambda f, m, x, y: f([m], [x], y))
    row(_module, "unravel_index", lambda f, p: f(p, (3, 4)))
row(N, "choose", lambda f, r, d, z: f(r, d, out=z), form="out")
row(N, "compress", lambda f, b, x, e: f(b, x, axis=1, out=e), form="out")
row(N, "copyto", lambda f, x, y, m: f(x, y, where=m), form="where")
row(N, "copyto", lambda f, x, c: f(x, c, casting="unsafe"), form="unsafe")
row(N, "fill_diagonal", lambda f, x, c: f(x, c))
row(N, "put_along_axis", lambda f, x, i, w: f(x, i, w, None), form="flat")

# --- PyTorch, and the same names of `takewise` -----------------------------------------------------------------------------
for _name in ("adjoint", "diag", "diag_embed", "diagflat", "fliplr", "flipud", "rot90", "tril", "triu", "unbind", "atleast_1d", "atleast_2d",
              "atleast_3d"):  # fmt: skip
    row(T, _name, lambda f, x: f(x))
for _name in ("split", "unsafe_split", "chunk", "unsafe_chunk", "tensor_split"):
    row(T, _name, lambda f, x: f(x, 2, 1))
row(T, "split_with_sizes", lambda f, x: f(x, (1, 3), 1))
row(T, "unsafe_split_with_sizes", lambda f, x: f(x, (1, 3), 1))
row(T, "hsplit", lambda f, x: f(x, 2))
row(T, "vsplit", lambda f, x: f(x, 3))
row(T, "dsplit", lambda f, k: f(k, 2))
row(T, "broadcast_tensors", lambda f, x, v: f(x, v))
row(T, "meshgrid", lambda f, v, w: f(v, w, indexing="ij"))
row(T, "moveaxis", lambda f, x: f(x, 0, 1))
row(T, "roll", lambda f, x: f(x, 1, 1))
row(T, "unflatten", lambda f, x: f(x, 1, (2, 2)))
row(T, "unravel_index", lambda f, p: f(p, (3, 4)))
row(T, "isin", lambda f, x, v: f(x, v))
row(T, "isin", lambda f, x, c: f(x, c, invert=True), form="scalar")
row(T, "index_put_", lambda f, x, i, u: f(x, (i,), u))
row(T, "fill_", lambda f, x, c: f(x, c))
row(T, "zero_", lambda f, x: f(x))
row(T, "embedding", lambda f, x, i: f(x, i))
for _module in (T, W):
    without(_module, NO_ARRAY, "tril_indices", "triu_indices")


for _name in ("diagflat", "fliplr", "flipud", "rot90", "tril", "triu", "diag", "atleast_1d", "atleast_2d", "atleast_3d"):
    row(W, _name, lambda f, x: f(x), getattr(np, _name))
row(W, "adjoint", lambda f, x: f(x), lambda x: np.conj(np.swapaxes(x, -1, -2)))
row(W, "unbind", lambda f, x: f(x), lambda x: tuple(x))


def pieces(x, size):
    """Along axis 1, each of that size, but for the last."""
    return tuple(np.split(x, range(size, x.shape[1], size), 1))


for _name in ("split", "unsafe_split"):
    row(W, _name, lambda f, x: f(x, 2, 1), lambda x: pieces(x, 2))
for _name in ("chunk", "unsafe_chunk"):
    row(W, _name, lambda f, x: f(x, 2, 1), lambda x: pieces(x, max(-(-x.shape[1] // 2), 1)))
row(W, "tensor_split", lambda f, x: f(x, 2, 1), lambda x: tuple(np.array_split(x, 2, 1)))
for _name in ("split_with_sizes", "unsafe_split_with_sizes"):
    row(W, _name, lambda f, x: f(x, (1, 3), 1), lambda x: tuple(np.split(x, (1,), 1)))
row(W, "hsplit", lambda f, x: f(x, 2), lambda x: tuple(np.hsplit(x, 2)))
row(W, "vsplit", lambda f, x: f(x, 3), lambda x: tuple(np.vsplit(x, 3)))
row(W, "dsplit", lambda f, k: f(k, 2), lambda k: tuple(np.dsplit(k, 2)))
row(W, "broadcast_tensors", lambda f, x, v: f(x, v), lambda x, v: tuple(np.broadcast_arrays(x, v)))
row(W, "meshgrid", lambda f, v, w: f(v, w), lambda v, w: tuple(np.meshgrid(v, w, indexing="ij")))
row(W, "moveaxis", lambda f, x: f(x, 0, 1), lambda x: np.moveaxis(x, 0, 1))
row(W, "roll", lambda f, x: f(x, 1, 1), lambda x: np.roll(x, 1, 1))
row(W, "unflatten", lambda f, x: f(x, 1, (2, 2)), lambda x: x.reshape(3, 2, 2))
row(W, "unravel_index", lambda f, p: f(p, (3, 4)), lambda p: np.unravel_index(counted(p), (3, 4)))
row(W, "isin", lambda f, x, v: f(x, v), lambda x, v: np.isin(x, v))
row(W, "diag_embed", lambda f, v: f(v), np.diag)
row(W, "fill_", lambda f, x, c: f(x, c), storing(lambda c: ...), uncompared=COPIED)
row(W, "zero_", lambda f, x: f(x), None, uncompared=COPIED)
row(W, "embedding", lambda f, x, i: f(x, i), lambda x, i: np.take(x, counted(i), 0))
row(W, "put_along_axis", lambda f, x, i, w: f(x, i, w, None), lambda x, i, w: np.put(x, counted(i), w), form="flat")

# --- MindSpore -------------------------------------------------------------------------------------------------------------
for _name in ("flipud", "fliplr", "tril", "triu", "ravel", "squeeze", "argwhere", "atleast_1d", "atleast_2d", "atleast_3d", "diagonal", "t"):
    row(S, _name, lambda f, x: f(x), np.transpose if _name == "t" else getattr(np, _name))
for _name in ("flatten", "ravel", "t", "tril", "triu", "diag", "squeeze", "nonzero", "sort"):
    row(MINT, _name, lambda f, x: f(x), None, uncompared=COPIED)
for _module in (S, MINT):
    for _name in ("unbind", "split", "chunk", "roll", "flip", "narrow", "select", "permute", "broadcast_to", "unsqueeze", "swapaxes", "take",
                  "where", "searchsorted", "masked_select", "index_select", "gather", "reshape", "transpose", "index_add"):  # fmt: skip
        if _module == MINT or _name in ("unbind", "split", "chunk", "roll", "narrow", "select", "permute", "broadcast_to", "unsqueeze", "swapaxes"):
            _call = {
                "split": lambda f, x: f(x, 2), "chunk": lambda f, x: f(x, 2), "roll": lambda f, x: f(x, 1, 1), "flip": lambda f, x: f(x, (0,)),
                "narrow": lambda f, x: f(x, 0, 1, 2), "permute": lambda f, x: f(x, (1, 0)), "broadcast_to": lambda f, v: f(v, (2, 4)),
                "unsqueeze": lambda f, x: f(x, 1), "swapaxes": lambda f, x: f(x, 0, 1), "take": lambda f, x, i: f(x, i),
                "where": lambda f, m, x, y: f(m, x, y), "searchsorted": lambda f, s, v: f(s, v), "masked_select": lambda f, x, m: f(x, m),
                "index_select": lambda f, x, i: f(x, 0, i), "gather": lambda f, x, j: f(x, 0, j), "reshape": lambda f, x: f(x, (4, 3)),
                "transpose": lambda f, x: f(x, 0, 1), "index_add": lambda f, x, i, u: f(x, 0, i, u),
                "select": (lambda f, m, x, y: f(m, x, y)) if _module == S else (lambda f, x: f(x, 0, 1)),
            }.get(_name, lambda f, x: f(x))  # fmt: skip
            row(_module, _name, _call, None, uncompared=COPIED)
row(S, "take", lambda f, x, i: f(x, i), lambda x, i: x.ravel()[counted(i)])
row(S, "unstack", lambda f, x: f(x), lambda x: tuple(x))
row(S, "tensor_split", lambda f, x: f(x, 2, 1), lambda x: tuple(np.array_split(x, 2, 1)))
row(S, "hsplit", lambda f, x: f(x, 2), lambda x: tuple(np.hsplit(x, 2)))
row(S, "vsplit", lambda f, x: f(x, 3), lambda x: tuple(np.vsplit(x, 3)))
row(S, "dsplit", lambda f, k: f(k, 2), lambda k: tuple(np.dsplit(k, 2)))
row(S, "rot90", lambda f, x: f(x, 1, (0, 1)), np.rot90)
for _name in ("swapdims", "movedim", "moveaxis"):
    row(S, _name, lambda f, x: f(x, 0, 1), lambda x: np.swapaxes(x, 0, 1))
row(S, "expand_dims", lambda f, x: f(x, 1), lambda x: x[:, None])
row(S, "expand", lambda f, v: f(v, (2, 4)), lambda v: np.broadcast_to(v, (2, 4)))
row(S, "expand_as", lambda f, v, u: f(v, u), lambda v, u: np.broadcast_to(v, (2, 4)))
row(S, "flatten", lambda f, x: f(x), lambda x: x)
row(S, "view_as", lambda f, x, y: f(x, y), lambda x, y: x)
row(S, "slice", lambda f, x: f(x, (0, 1), (2, 2)), lambda x: x[0:2, 1:3])
row(S, "select_scatter", lambda f, x, v: f(x, v, 0, 1), None, uncompared=COPIED)
row(S, "slice_scatter", lambda f, x, u: f(x, u, 0, 1, 3), None, uncompared=COPIED)
row(S, "diagonal_scatter", lambda f, g, t: f(g, t), None, uncompared=COPIED)
row(S, "index_add", lambda f, x, r, u: f(x, r, u, 0), combining(np.add, counted))
row(S, "index_fill", lambda f, x, i, c: f(x, 0, i, c), None, uncompared=COPIED)
for _name in ("update", "add", "sub", "mul", "div", "max", "min"):
    row(S, f"scatter_nd_{_name}", lambda f, x, n, w: f(x, n, w), None, uncompared=COPIED)
    if _name != "sub":
        row(S, f"scatter_{_name}", lambda f, x, i, u: f(x, i, u), None, uncompared=COPIED)
for _name in ("sum", "prod", "max", "min"):
    row(S, f"unsorted_segment_{_name}", lambda f, x, h: f(x, h, 5), None, uncompared=COPIED)
without(S, NO_ARRAY, "tril_indices", "triu_indices")
