"""The calls of `takewise.jax`, which JAX answers as well, and those of `takewise.mindspore`, held to plain NumPy."""

from rows import row

M = "takewise.jax.numpy"

for _name in ("argwhere", "flatnonzero", "nonzero"):
    row(M, _name, lambda f, x: f(x))
row(M, "compress", lambda f, b, x: f(b, x, axis=1))
row(M, "digitize", lambda f, x, s: f(x, s))
row(M, "extract", lambda f, m, x: f(m, x))
row(M, "put", lambda f, x, i, w: f(x, i, w, inplace=False))
row(M, "put_along_axis", lambda f, x, j, u: f(x, j, u, 0, inplace=False))
row(M, "searchsorted", lambda f, s, v: f(s, v))
row(M, "take", lambda f, x, i: f(x, i, axis=0))
row(M, "take", lambda f, x, o: f(x, o, axis=0), form="fill")
row(M, "take", lambda f, x, o, c: f(x, o, axis=0, mode="fill", fill_value=c), form="fill value")
row(M, "take_along_axis", lambda f, x, j: f(x, j, 0))
row(M, "where", lambda f, m, x, y: f(m, x, y))
row(M, "where", lambda f, m, x, c: f(m, x, c), form="scalar")
row(M, "where", lambda f, m: f(m), form="mask")


def at(name, key):
    """What JAX answers to an update; its arrays alone have ``.at``."""

    def reference(x, *rest):
        import jax

        if not isinstance(x, jax.Array):
            raise TypeError("no array of JAX")
        return key(x.at, *rest, name)

    return reference


def plain_key(a, i, value, name):
    return getattr(a[i], name)(value)


for _name in ("set", "add", "subtract", "multiply", "divide", "power", "min", "max"):
    row("takewise.jax", "at", lambda f, x, r, u, n=_name: plain_key(f(x), r, u, n), at(_name, plain_key), form=_name)
row("takewise.jax", "at", lambda f, x, m, c: plain_key(f(x), m, c, "set"), at("set", plain_key), form="mask")
row("takewise.jax", "at", lambda f, x, i: f(x)[i].get(), at("", lambda a, i, name: a[i].get()), form="get")
row("takewise.jax", "at", lambda f, x, o, c: f(x)[o].get(mode="fill", fill_value=c),
    at("", lambda a, o, c, name: a[o].get(mode="fill", fill_value=c)), form="get fill")  # fmt: skip
