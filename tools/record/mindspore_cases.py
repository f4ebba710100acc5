"""MindSpore on the CPU, in synchronous mode: gather in both forms, the nd forms, subscripts, search.

Nothing here stores twice to one place: that is racy in the library even for two elements.
"""

import tables
from literal import Gen, count, nest, text


def t(values, dtype="int32"):
    return f"Tensor(np.array({values}), mindspore.{dtype})"


def by_dtype():
    for d in ("bool_", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float64", "complex64"):
        x = f"x = Tensor(np.array([[1, 0, 3], [4, 5, 6]]), mindspore.{d})"
        yield f"gather/{d}/0", [x, f"x.gather(1, {t([[2, 0], [1, 1]])})"]
        yield f"gather/{d}/1", [x, f"x.gather({t([2, 0])}, 1)"]


def random(amount):
    g = Gen("mindspore")
    for i in range(amount):
        shape = tuple(max(1, s) for s in g.shape(1, 3, 30))
        axis = g.randrange(len(shape))
        n = shape[axis]
        x = f"x = Tensor(np.arange({count(shape)}).reshape({list(shape)}), mindspore.{g.choice(['float32', 'int32', 'int64'])})"
        kind = g.choice(["d", "d", "axis", "axis", "batch", "nd"])
        if kind == "d":
            s = tuple(g.randint(1, 4) if d == axis else g.randint(1, v) for d, v in enumerate(shape))
            call = f"x.gather({axis}, {t(text(nest([g.randint(-n, n - 1) for _ in range(count(s))], s)))})"
        elif kind == "axis":
            s = g.choice([(2,), (3,), (2, 2)])
            call = f"x.gather({t(text(nest([g.randint(0, n - 1) for _ in range(count(s))], s)))}, {axis})"
        elif kind == "batch":
            b = g.randint(0, axis)
            s = shape[:b] + g.choice([(2,), (3,), (1, 2)])
            call = f"x.gather({t(text(nest([g.randint(0, n - 1) for _ in range(count(s))], s)))}, {axis}, {b})"
        else:
            depth = g.randint(1, len(shape))
            rows = [[g.randint(0, shape[d] - 1) for d in range(depth)] for _ in range(3)]
            call = f"ops.gather_nd(x, {t(text(rows))})"
        yield f"gather/r{i:03}", [x, call]


def cases():
    yield from tables.load("mindspore")
    yield from by_dtype()
    yield from random(70)
