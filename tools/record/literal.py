"""Seeded source text: shapes, tensors and index expressions in the notation the cases are written in."""

import random

TORCH_DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def count(shape):
    n = 1
    for s in shape:
        n *= s
    return n


def text(v):
    """Source text of nested lists of numbers."""
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(text(e) for e in v) + "]"
    if isinstance(v, complex) and v.real == 0:
        return repr(v.imag) + "j"
    if isinstance(v, float) and (v != v or v in (float("inf"), float("-inf"))):
        return "-float('inf')" if v == float("-inf") else f"float('{v}')"
    return repr(v).strip("()")


def nest(flat, shape):
    """A flat list as nested lists of the given shape."""
    if not shape:
        return flat[0]
    step = count(shape[1:])
    return [nest(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


class Gen(random.Random):
    """A random source with the shapes and values the cases are made of."""

    backward = False  # whether slices may run backward
    faults = 0  # how many mistakes the case being made may still contain
    salt = ""  # other cases than the recorded ones, from the same generators
    kind = None  # another class of source that the generators shall use

    def __new__(cls, seed=None):
        return super().__new__(cls.kind or cls, seed)

    def __init__(self, seed=None):
        super().__init__(f"{seed}{self.salt}" if self.salt else seed)

    def chance(self, p):
        return self.random() < p

    def fault(self, p):
        """Whether to make a mistake here. A case holds one at most, so that what is reported does not depend on order."""
        if self.faults and self.chance(p):
            self.faults -= 1
            return True
        return False

    def shape(self, low=0, high=4, most=72, sizes=(0, 1, 2, 3, 4), weights=(1, 3, 7, 7, 5)):
        while True:
            rank = self.choices(range(5), (1, 3, 6, 6, 5))[0]
            if not low <= rank <= high:
                continue
            s = tuple(self.choices(sizes, weights, k=rank))
            if count(s) <= most:
                return s

    def ints(self, n, low, high):
        return [self.randint(low, high) for _ in range(n)]

    def floats(self, n, special=0.0):
        out = []
        for _ in range(n):
            if self.chance(special):
                out.append(self.choice([float("nan"), float("inf"), float("-inf"), -0.0, 0.0]))
            else:
                out.append(self.randint(-20, 20) / 4)
        return out

    def values(self, dtype, n, special=0.0):
        if dtype == "bool":
            return [self.chance(0.5) for _ in range(n)]
        if dtype.startswith("uint"):
            return self.ints(n, 0, 9) if self.chance(0.7) else self.ints(n, 0, 255)
        if dtype.startswith("int"):
            return self.ints(n, -9, 9)
        if dtype.startswith("complex"):
            return [complex(self.randint(-4, 4), self.randint(-4, 4)) for _ in range(n)]
        return self.floats(n, special)

    # torch ------------------------------------------------------------------------------------------------------

    def tensor(self, shape, dtype="int64", values=None, special=0.0):
        """`torch.tensor(...)` with literal values; `torch.zeros(...)` where a literal could not carry the shape."""
        n = count(shape)
        if n == 0:
            return f"torch.zeros({text_shape(shape)}, dtype=torch.{dtype})"
        v = self.values(dtype, n, special) if values is None else values
        natural = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}[type(v[0])]
        suffix = "" if natural == dtype else f", dtype=torch.{dtype}"
        return f"torch.tensor({text(nest(v, shape))}{suffix})"

    def counting(self, shape, dtype="int64"):
        """`torch.arange(n).reshape(shape)`, the easiest tensor to read."""
        if count(shape) == 0:
            return f"torch.zeros({text_shape(shape)}, dtype=torch.{dtype})"
        base = f"torch.arange({count(shape)})"
        if len(shape) != 1:
            base += f".reshape({text_shape(shape)})"
        return base if dtype == "int64" else base + f".to(torch.{dtype})"

    def twisted(self, shape, dtype="int64"):
        """A tensor of the given shape whose memory is laid out in some other way."""
        r = len(shape)
        roll = self.random()
        if r >= 2 and roll < 0.35:
            order = list(range(r))
            self.shuffle(order)
            inner = [0] * r
            for to, frm in enumerate(order):
                inner[frm] = shape[to]
            return self.counting(tuple(inner), dtype) + f".permute({', '.join(map(str, order))})"
        if r >= 1 and roll < 0.6 and count(shape):
            d = self.randrange(r)
            wide = list(shape)
            wide[d] = wide[d] * 2 + 1
            cut = ", ".join([":"] * d + ["1::2"])
            return self.counting(tuple(wide), dtype) + f"[{cut}]"
        if r >= 1 and roll < 0.7 and count(shape):
            narrow = tuple(1 if self.chance(0.5) else s for s in shape)
            return self.counting(narrow, dtype) + f".expand({text_shape(shape)})"
        return self.counting(shape, dtype)


def text_shape(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
