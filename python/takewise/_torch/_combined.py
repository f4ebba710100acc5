"""The gradients and tangents of writes: one set of formulas for all ways of saying which places are written.

A way says `put(x, src, how, include_self)`, the write itself on other tensors, `get(z)`, what of ``z`` lies where each element
of the source goes, with zeros for those that go nowhere, and the shape of that.
"""

from takewise._torch._here import torch
from takewise._torch._shapes import typed

NAMES = {"add": "sum", "mul": "prod", "multiply": "prod", "max": "amax", "min": "amin"}


def how_of(word):
    """One name for each way to combine."""
    return NAMES.get(word, word)


class Way:
    """How one call writes: made by an operator of its arguments."""

    def __init__(self, put, get, shape, narrows=False):
        self.put, self.get, self.shape, self.narrows = put, get, tuple(shape), narrows

    def fit(self, src):
        """The source as far as it is used, an element for each that is written."""
        if tuple(src.shape) == self.shape:
            return src
        if self.narrows:
            return src[tuple(slice(0, extent) for extent in self.shape)]
        return src.expand(self.shape)

    def loose(self, gradient, src):
        """The gradient of the whole source, of that of what is used."""
        if tuple(gradient.shape) != tuple(src.shape):
            if self.narrows:
                pads = [(0, whole - used) for whole, used in zip(src.shape, self.shape, strict=True)]
                gradient = torch.constant_pad_nd(gradient, [side for pair in reversed(pads) for side in pair])
            else:
                gradient = gradient.sum_to_size(src.shape)
        return typed(gradient, src.dtype)

    def kept(self, x, duplicates):
        """Which elements of the source stay where several are stored in one place; `None` if all do."""
        if duplicates == "error":
            return None
        count = 1
        for extent in self.shape:
            count = count * extent
        order = torch.arange(1, count + 1, device=x.device).reshape(self.shape)
        empty = torch.zeros(x.shape, dtype=torch.int64, device=x.device)
        return self.get(self.put(empty, order, "none")) == order


def backward(way, how, include_self, c, g):
    """The gradients of ``x`` and ``src``."""
    how = how_of(how)
    found = {}
    if how == "sum":
        if "x" in c.needs:
            found["x"] = g if include_self else _cleared(way, g)
        if "src" in c.needs:
            found["src"] = way.get(g)
    elif how == "none":
        if "x" in c.needs:
            found["x"] = _cleared(way, g)
        if "src" in c.needs:
            kept = way.kept(c.x, c.duplicates)
            found["src"] = way.get(g) if kept is None else torch.where(kept, way.get(g), 0)
    else:
        found = {"mean": _mean, "amax": _extreme, "amin": _extreme, "prod": _product}[how](way, how, include_self, c, g)
    if "x" in found:
        found["x"] = typed(found["x"], c.x.dtype)
    if "src" in found:
        found["src"] = way.loose(found["src"], c.src)
    return found


def _cleared(way, g):
    """A gradient with zeros at the places written."""
    return way.put(g, g.new_zeros(()).expand(way.shape), "none")


def _mean(way, how, include_self, c, g):
    # A place that is not written keeps what it has: a share of one.
    shares = g.new_ones(())
    share = g / way.put(shares.expand(c.x.shape).contiguous(), shares.expand(way.shape), "sum", include_self)
    return {"x": share if include_self else _cleared(way, share), "src": way.get(share)}


def _extreme(way, how, include_self, c, g):
    is_x, is_src, share = _shares(way, include_self, c, g.dtype)
    share = g * share
    return {"x": is_x * share, "src": is_src * way.get(share)}


def _shares(way, include_self, c, dtype):
    """Which elements are the extreme one of their place, as numbers, and one over how many of them there are."""
    src = way.fit(c.src)
    is_x = (c.x == c.result).to(dtype)
    if not include_self:
        is_x = _cleared(way, is_x)
    is_src = (src == way.get(c.result)).to(dtype)
    # Elements that go nowhere meet a zero, and may be one: no gradient comes back for them.
    return is_x, is_src, 1 / way.put(is_x, is_src, "sum")


def _product(way, how, include_self, c, g):
    src = way.fit(c.src)
    found = {}
    if "x" in c.needs:
        ones = c.x.masked_fill(c.x == 0, 1)
        found["x"] = g * way.put(ones, src, "prod") / ones if include_self else _cleared(way, g)
    if "src" in c.needs:
        zero = src == 0
        among = way.get(way.put(torch.zeros_like(g), zero.to(g.dtype), "sum"))
        alone = zero & (among == 1)
        others = way.put(c.x, src.masked_fill(alone, 1), "prod", include_self)
        rest = way.get(g * c.result) / src.masked_fill(zero, 1)
        found["src"] = torch.where(alone, way.get(g * others), rest)
    return found


def forward(way, how, include_self, c, tangents):
    """The tangent of the result."""
    how = how_of(how)
    x, src = tangents["x"], tangents["src"]
    some = x if x is not None else src
    x = some.new_zeros(c.x.shape, dtype=c.x.dtype) if x is None else x
    src = some.new_zeros(c.src.shape, dtype=c.src.dtype) if src is None else src
    if how in ("amax", "amin"):
        is_x, is_src, share = _shares(way, include_self, c, x.dtype)
        return way.put(is_x * x, is_src * way.fit(src), "sum") * share
    if how == "prod":
        # Each factor by what the others of its place make.
        c.needs = ("x", "src")
        rest = _product(way, how, include_self, c, x.new_ones(x.shape))
        return way.put(rest["x"] * x, rest["src"] * way.fit(src), "sum")
    return way.put(x, src, how, include_self, c.duplicates)
