"""JAX's indexing in shadow: drawn calls of ``jax.numpy`` and ``x.at[]``, and the same by ``takewise.jax``.

    python jax_suites.py [--cases N] [--seed S] [WORD]    only calls with this in their names

A call has to give the same class, dtype, weak type, shape and values, or raise an error of the same class. What differs on
purpose is listed with its reason in ``jax_differences.txt``, or the exit status is 1.
"""

import argparse
import collections
import os
import random
import sys
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
import runs

import takewise.jax as ours
from takewise import _takewise

theirs = jnp

# Few shapes: JAX compiles every operation anew for each.
SHAPES = [(5,), (3, 4), (2, 3, 4), (0,), (3, 0), (), (1,)]
DTYPES = ["int32", "float32", "bool", "uint8", "int8", "complex64", "float16", "bfloat16", "uint32", "int16"]
MODES = [None, "fill", "drop", "clip", "promise_in_bounds"]


class Draw:
    """Arrays, keys and arguments, drawn from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def among(self, *choices):
        return self.random.choice(choices)

    def numbers_of(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype == bool:
            return self.numbers.integers(0, 2, shape).astype(bool)
        low = 0 if dtype.kind == "u" else -4
        made = self.numbers.integers(low, 9, shape)
        if dtype.kind == "c":
            return (made + 1j * self.numbers.integers(-3, 4, shape)).astype(dtype)
        return made.astype(dtype)

    def array(self, shape=None, dtype=None):
        shape = self.among(*SHAPES) if shape is None else shape
        return jnp.asarray(self.numbers_of(shape, dtype or self.among(*DTYPES)))

    def weak(self, x):
        """The array, sometimes with the dtype of a Python number."""
        if self.random.random() < 0.15 and x.dtype in (np.int32, np.float32, np.complex64):
            from jax._src.lax import lax

            return lax._convert_element_type(x, x.dtype, weak_type=True)
        return x

    def operand(self, shape=None, dtype=None):
        return self.weak(self.array(shape, dtype))

    def indices(self, n, shape=None, wide=0.2):
        """Integers for an axis, now and then beyond it."""
        shape = self.among((2,), (3,), (2, 2), (0,), (1,), ()) if shape is None else shape
        more = 3 if self.random.random() < wide else 0
        low, high = (-n - more, n + more) if n + more else (0, 1)
        made = self.numbers.integers(low, max(high, low + 1), shape)
        dtype = self.among("int32", "int32", "int8", "int16", "uint8", "uint32")
        return jnp.asarray(np.abs(made).astype(dtype) if dtype[0] == "u" else made.astype(dtype))

    def entry(self, n):
        kind = self.random.random()
        if kind < 0.2:
            return self.random.randint(-n - (kind < 0.03), max(n - 1, 0) + (kind < 0.02))
        if kind < 0.45:
            part = lambda: self.among(None, self.random.randint(-n - 1, n + 1))
            return slice(part(), part(), self.among(None, None, 1, 2, -1, -2))
        if kind < 0.75:
            return self.indices(n)
        if kind < 0.8:
            return np.asarray(self.indices(n))
        if kind < 0.88:
            return self.array((n,), "bool")
        if kind < 0.9:
            return np.int64(self.random.randint(-n, max(n - 1, 0)))
        return slice(None)

    def key(self, shape):
        kind = self.random.random()
        if kind < 0.06:
            return self.array(shape, "bool")
        if kind < 0.1:
            return self.among(Ellipsis, None, (), True, False, np.bool_(True), jnp.zeros(0, bool), [0], 1.0, "a", jnp.float32(0))
        parts = [self.entry(n) for n in shape[: self.random.randint(0 if len(shape) != 1 else 1, len(shape))]]
        if self.random.random() < 0.15:
            parts.insert(self.random.randint(0, len(parts)), self.among(None, Ellipsis, True, False))
        return parts[0] if len(parts) == 1 and self.random.random() < 0.7 else tuple(parts)

    def value(self, x, key):
        """Something to store or combine: a number, or an array that fits or nearly does."""
        kind = self.random.random()
        if kind < 0.35:
            return self.among(0, 1, 2, 3, -1, 1.5, 0.0, True, 2.0)
        try:
            shape = x[key].shape if kind < 0.9 else self.among(*SHAPES)
        except Exception:
            shape = ()
        if kind > 0.75 and shape:
            shape = shape[1:]
        return self.operand(shape, str(x.dtype) if self.random.random() < 0.8 else None)


def compare(got, want):
    """What differs, in a word or two; None if nothing does."""
    if isinstance(got, BaseException) or isinstance(want, BaseException):
        if not isinstance(want, BaseException):
            return "an error"
        if not isinstance(got, BaseException):
            return "no error"
        return None if isinstance(got, type(want)) or isinstance(want, type(got)) else "class of the error"
    if isinstance(want, (tuple, list)):
        if type(got) is not type(want) or len(got) != len(want):
            return "class"
        return next(filter(None, (compare(g, w) for g, w in zip(got, want))), None)
    if not isinstance(got, jax.Array):
        return "class"
    if got.shape != want.shape:
        return "shape"
    if got.dtype != want.dtype:
        return "dtype"
    if got.weak_type != want.weak_type:
        return "weak type"
    a, b = np.asarray(got), np.asarray(want)
    if a.dtype.kind not in "fcV":
        return None if np.array_equal(a, b) else "values"
    kind = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(kind), b.astype(kind)
    return None if np.allclose(a, b, rtol=1e-6 if got.dtype.itemsize > 2 else 2e-2, atol=0, equal_nan=True) else "values"


# --- calls: each is drawn as a name, the arguments as text, and two functions -------------------------------------------

UPDATES = ["set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max"]


def subscript(draw):
    x = draw.operand()
    key = draw.key(x.shape)
    return "x[]", (x, key), lambda: x[key], lambda: _takewise.getitem("jax", x, key)


def at_get(draw):
    x = draw.operand()
    key, mode = draw.key(x.shape), draw.among(*MODES)
    more = {"fill_value": draw.among(0, 7, -1)} if draw.random.random() < 0.2 else {}
    if draw.random.random() < 0.1:
        more["wrap_negative_indices"] = False
    return "at.get", (x, key, mode, more), lambda: x.at[key].get(mode=mode, **more), lambda: ours.at(x)[key].get(mode=mode, **more)


def at_update(draw):
    x = draw.operand()
    key, mode, name = draw.key(x.shape), draw.among(*MODES), draw.among(*UPDATES)
    value = draw.value(x, key)
    more = {"wrap_negative_indices": False} if draw.random.random() < 0.1 else {}
    call = lambda at: getattr(at[key], name)(value, mode=mode, **more)
    return f"at.{name}", (x, key, value, mode, more), lambda: call(x.at), lambda: call(ours.at(x))


def function(name, *args, **kwargs):
    kwargs = {key: value for key, value in kwargs.items() if value is not ...}
    return name, (args, kwargs), lambda: getattr(theirs, name)(*args, **kwargs), lambda: getattr(ours.numpy, name)(*args, **kwargs)


def axis_of(draw, x, also=()):
    return draw.among(*range(-x.ndim, x.ndim), *also) if x.ndim or also else 0


def take(draw):
    x = draw.operand()
    axis = axis_of(draw, x, (None,))
    i = draw.indices(x.size if axis is None else x.shape[axis], wide=0.5)
    i = draw.among(i, i, i, np.asarray(i), draw.random.randint(-9, 9))
    fill = draw.among(..., ..., 3)
    return function("take", x, i, axis=axis, mode=draw.among(..., "fill", "clip", "wrap"), fill_value=fill)


def along(draw, x):
    axis = axis_of(draw, x, (None,))
    if axis is None:
        return axis, draw.indices(x.size, (3,), wide=0.5)
    n = x.shape[axis] if x.ndim else 1
    shape = [draw.among(2, n, 0) if d == axis % max(x.ndim, 1) else draw.among(m, m, m, 1) for d, m in enumerate(x.shape)]
    return axis, draw.indices(n, shape, wide=0.5)


def take_along_axis(draw):
    x = draw.operand()
    axis, i = along(draw, x)
    return function("take_along_axis", x, i, axis=axis, mode=draw.among(..., "fill", "clip", "promise_in_bounds"))


def put_along_axis(draw):
    x = draw.operand()
    axis, i = along(draw, x)
    value = draw.among(1, 2.5, draw.operand(i.shape, str(x.dtype)), draw.operand((), None))
    return function("put_along_axis", x, i, value, axis=axis, inplace=False, mode=draw.among(..., "drop", "clip", "fill"))


def put(draw):
    x = draw.operand()
    i = draw.indices(x.size, wide=0.5)
    value = draw.among(1, draw.operand((2,), str(x.dtype)), draw.operand((), str(x.dtype)))
    return function("put", x, i, value, mode=draw.among(..., "clip", "wrap"), inplace=False)


def order(draw):
    x = draw.operand()
    name = draw.among("argsort", "sort")
    return function(name, x, axis=axis_of(draw, x, (None,)), stable=draw.among(..., True, False), descending=draw.among(..., True, False))


def where(draw):
    if draw.random.random() < 0.2:
        x = draw.operand()
        return function("where", x, size=draw.among(..., 0, 2, 9), fill_value=draw.among(..., -1))
    shape = draw.among(*SHAPES)
    value = lambda: draw.among(1, 2.5, True, draw.operand(shape), draw.operand(shape), draw.operand(()), draw.operand(shape[-1:]))
    return function("where", draw.among(draw.array(shape, "bool"), draw.array(shape), True, draw.array((), "bool")), value(), value())


def nonzero(draw):
    x = draw.operand()
    name = draw.among("nonzero", "argwhere", "flatnonzero")
    return function(name, x, size=draw.among(..., ..., 0, 2, 9), fill_value=draw.among(..., -1, 5))


def search(draw):
    dtype = draw.among("int32", "float32", "float16", "uint8")
    sequence = jnp.sort(draw.array(draw.among((5,), (0,), (1,)), dtype))
    value = draw.among(draw.operand(None, dtype), draw.operand(None, draw.among("int32", "float32", "uint8")), 3, 2.5)
    if draw.random.random() < 0.3:
        return function("digitize", draw.operand(None, dtype), sequence, right=draw.among(True, False))
    method = draw.among(..., "scan", "sort", "compare_all", "scan_unrolled")
    return function("searchsorted", sequence, value, side=draw.among("left", "right"), method=method)


def mask(draw):
    x = draw.operand()
    if draw.random.random() < 0.5:
        return function("extract", draw.array(x.shape, "bool"), x)
    axis = axis_of(draw, x, (None,))
    n = x.size if axis is None else (x.shape[axis] if x.ndim else 1)
    return function("compress", draw.array((draw.among(n, n, max(n - 1, 0)),), "bool"), x, axis=axis)


CALLS = [subscript, at_get, at_update, at_update, at_update, take, take_along_axis, put_along_axis, put, order, where, nonzero, search, mask]


def text(value):
    if isinstance(value, (jax.Array, np.ndarray)):
        weak = " weak" if getattr(value, "weak_type", False) else ""
        return f"{value.dtype}{list(value.shape)}{weak} {np.asarray(value).tolist()}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(text(item) for item in value)})"
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {str(value)[:200]}"
    return repr(value)


def outcome(call):
    try:
        return call()
    except Exception as error:
        return error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--long", action="store_true", help="ten times as many")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    listed = runs.Listed("jax")
    count, other = collections.Counter(), collections.defaultdict(list)
    for k in range(options.cases * (10 if options.long else 1)):
        draw = Draw(options.seed * 1_000_003 + k)
        name, arguments, stock, own = draw.among(*CALLS)(draw)
        if options.word not in name:
            continue
        count[name] += 1
        want, got = outcome(stock), outcome(own)
        what = compare(got, want)
        if what is None:
            continue
        full = f"{name}: {what}: {text(want)[:200]}"
        if listed.reason(full) is not None:
            continue
        other[name, what].append(f"case {k}: {text(arguments)}\n    here {text(got)[:300]}\n    JAX  {text(want)[:300]}")
    for (name, what), cases in sorted(other.items()):
        print(f"\n{name}: another {what}, {len(cases)} times")
        for case in cases[:6]:
            print(f"  {case}")
    new = sum(map(len, other.values()))
    print("\nJAX: " + ", ".join(f"{n} {name}" for name, n in count.most_common()) + f"; {new} differ, {listed.used.total()} as listed")
    return 1 if new or not count else 0


if __name__ == "__main__":
    sys.exit(main())
