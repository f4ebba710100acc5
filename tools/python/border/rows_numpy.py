"""The calls of `takewise.numpy`, which NumPy's own functions answer as well."""

import numpy as np
from rows import row

M = "takewise.numpy"


def put_back(f):
    """A write to the first operand, whose new elements are the answer."""
    return f


for _name in ("argwhere", "flatnonzero", "nonzero"):
    row(M, _name, lambda f, x: f(x))
row(M, "compress", lambda f, b, x: f(b, x, axis=1))
row(M, "copyto", lambda f, x, y: f(x, y))
row(M, "digitize", lambda f, x, s: f(x, s))
row(M, "extract", lambda f, m, x: f(m, x))
row(M, "place", lambda f, x, m, w: f(x, m, w))
row(M, "put", lambda f, x, i, w: f(x, i, w))
row(M, "put", lambda f, x, r, c: f(x, r, c, mode="wrap"), form="scalar")
row(M, "put_along_axis", lambda f, x, j, u: f(x, j, u, 0))
row(M, "putmask", lambda f, x, m, y: f(x, m, y))
row(M, "searchsorted", lambda f, s, v: f(s, v))
row(M, "searchsorted", lambda f, s, p, c: f(s, c, side="right", sorter=p), form="sorter")
row(M, "take", lambda f, x, i: f(x, i, axis=0))
row(M, "take", lambda f, x, o: f(x, o, mode="clip"), form="clip")
row(M, "take", lambda f, x, i, q: f(x, i, axis=0, out=q), form="out")
row(M, "take", lambda f, x, i, q: f(x, i, axis=0, out=q, mode="wrap"), form="wrap out")
row(M, "take_along_axis", lambda f, x, j: f(x, j, 0))
row(M, "where", lambda f, m, x, y: f(m, x, y))
row(M, "where", lambda f, m, x, c: f(m, c, x), form="scalar")
row(M, "where", lambda f, m: f(m), form="mask")


def get(x, key):
    return np.asanyarray(x)[key]


def put(x, key, value):
    x[key] = value


row(M, "index", lambda f, x, i: f(x, i), get)
row(M, "index", lambda f, x, i: f(x, (slice(None), i)), lambda x, i: get(x, (slice(None), i)), form="second axis")
row(M, "index", lambda f, x, i, w: f(x, (i, w)), lambda x, i, w: get(x, (i, w)), form="pair")
row(M, "index", lambda f, x, m: f(x, m), get, form="mask")
row(M, "index", lambda f, x, c: f(x, (slice(c), 1)), lambda x, c: get(x, (slice(c), 1)), form="slice")
row(M, "setindex", lambda f, x, i, u: f(x, i, u), put)
row(M, "setindex", lambda f, x, m, c: f(x, m, c), put, form="mask")
row(M, "setindex", lambda f, x, y: f(x, (), y), lambda x, y: put(x, (), y), form="all")
row(M, "setindex", lambda f, x, v: f(x, slice(0, 2), v), lambda x, v: put(x, slice(0, 2), v), form="slice")
for _name in ("add", "subtract", "multiply", "maximum", "minimum"):
    _ufunc = getattr(np, _name)
    row(M, f"{_name}_at", lambda f, x, r, u: f(x, r, u), _ufunc.at)
    row(M, f"{_name}_at", lambda f, x, r, c: f(x, r, c), _ufunc.at, form="scalar")
    row(M, _name, lambda f, x, m, c: f.at(x, m, c), _ufunc.at, form="at mask")
