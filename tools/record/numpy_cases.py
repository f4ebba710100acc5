"""NumPy: subscripts and the functions that read, write, search and select by index."""

import tables
from literal import Gen, count, nest, text, text_shape


def by_dtype():
    for i, e in enumerate(
        [
            "np.take([10, 20, 30], [0, 2], out=x)",
            "np.take([10, 20, 30], [0, 3], out=x)",
            "np.take([10, 20, 30], [0, 2, 1], out=x)",
            "np.take([1.5, 2.5], [0, 1], out=x)",
            "np.take([10, 20, 30], [0, 5], mode='clip', out=x)",
        ]
    ):
        for d in ("int64", "int32", "float64"):
            yield f"functions/out{i}_{d}", [f"x = np.zeros(2, dtype=np.{d})", e, "x"]
    dtypes = [
        "bool",
        "uint8",
        "int8",
        "int16",
        "uint16",
        "uint32",
        "uint64",
        "int32",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
    for d in dtypes:
        x = f"x = np.arange(6).reshape(2, 3).astype(np.{d})"
        for i, e in enumerate(
            [
                "x[:, [2, 0]]",
                "x[::-1, 1]",
                "np.take(x, [5, 0])",
                "x[x > 2]",
                "np.take_along_axis(x, np.array([[2], [0]]), 1)",
            ]
        ):
            yield f"subscript/{d}{i}", [x, e]
        yield (
            f"functions/at_{d}",
            [f"x = np.ones(3, dtype=np.{d})", f"np.add.at(x, [0, 0, 2], np.array([1, 2, 3], dtype=np.{d}))", "x"],
        )


def array(g, shape, dtype="int64", values=None):
    if count(shape) == 0:
        return f"np.zeros({text_shape(shape)}, dtype=np.{dtype})"
    v = g.values(dtype, count(shape)) if values is None else values
    natural = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(v[0])]
    return f"np.array({text(nest(v, shape))}" + ("" if natural == dtype else f", dtype=np.{dtype}") + ")"


def to_numpy(source):
    return (
        source.replace("torch.tensor", "np.array")
        .replace("torch.zeros", "np.zeros")
        .replace("torch.arange", "np.arange")
        .replace("torch.", "np.")
        .replace(".permute", ".transpose")
        .replace(".to(", ".astype(")
    )


def random_subscripts(amount, result_shape):
    from torch_subscript import subscript

    g = Gen("numpy subscripts")
    g.backward = True
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = g.shape(0, 4)
        dtype = g.choice(["int64", "int64", "int64", "float64", "uint8", "bool", "float32"])
        while True:
            x = "x = " + to_numpy(g.twisted(shape, dtype))
            if "expand" not in x:
                break
        inner = to_numpy(subscript(g, shape))
        if i % 3:
            yield f"subscript/r{i:04}", [x, f"x[{inner}]"]
            continue
        into = result_shape([x, f"x[{inner}]"])
        if into is None or g.chance(0.3):
            v = text(g.values(dtype, 1)[0])
        else:
            s = tuple(1 if g.chance(0.15) else d for d in into)
            if g.fault(0.4):
                s = s + (3,)
            v = array(g, s, dtype if g.chance(0.8) else "int64")
        yield f"subscript/r{i:04}", [x, f"x[{inner}] = {v}", "x"]


def random_functions(amount):
    g = Gen("numpy functions")
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = tuple(max(1, s) for s in g.shape(1, 3, 36))
        axis = g.randrange(len(shape))
        n = shape[axis]
        dtype = g.choice(["int64", "int64", "float64", "float32", "uint8", "int16"])
        x = f"x = {array(g, shape, dtype)}"
        mode = g.choice(["", "", ", mode='wrap'", ", mode='clip'", ", mode='raise'"])
        wild = "wrap" in mode or "clip" in mode
        s = g.choice([(), (2,), (3,), (2, 2), (0,)])

        def index(size):
            v = [g.randint(-n if not wild else -3 * n, size - 1 if not wild else 3 * size) for _ in range(count(s))]
            if v and g.fault(0.5):
                v[g.randrange(len(v))] = size + 1
            return array(g, s, "int64", v) if v else array(g, s)

        op = g.choice(["take", "take", "takeflat", "put", "along", "putalong", "at", "search", "where", "select"])
        if op == "take":
            lines = [x, f"np.take(x, {index(n)}, axis={axis}{mode})"]
        elif op == "takeflat":
            lines = [x, f"np.take(x, {index(count(shape))}{mode})"]
        elif op == "put":
            lines = [x, f"np.put(x, {index(count(shape))}, {array(g, (g.randint(1, 3),), dtype)}{mode})", "x"]
        elif op in ("along", "putalong"):
            s = tuple(g.randint(1, 3) if d == axis else (1 if g.chance(0.2) else v) for d, v in enumerate(shape))
            wild = False
            idx = index(n)
            lines = (
                [x, f"np.take_along_axis(x, {idx}, {axis})"]
                if op == "along"
                else [x, f"np.put_along_axis(x, {idx}, {array(g, s, dtype)}, {axis})", "x"]
            )
        elif op == "at":
            wild, s = False, g.choice([(2,), (4,)])
            n = shape[0]
            u = g.choice(["add", "multiply", "maximum", "minimum", "subtract"])
            lines = [x, f"np.{u}.at(x, {index(n)}, {array(g, s + shape[1:], dtype)})", "x"]
        elif op == "search":
            row = g.values(dtype, g.randint(0, 6))
            if g.chance(0.85):
                row.sort()
            side = g.choice(["", ", side='right'", ", side='left'"])
            lines = [
                f"s = {array(g, (len(row),), dtype, row or None)}",
                f"np.searchsorted(s, {array(g, g.choice([(), (3,), (2, 2)]), dtype)}{side})",
            ]
            if g.chance(0.3) and row:
                lines[-1] = f"np.digitize({array(g, (3,), dtype)}, s{g.choice(['', ', right=True'])})"
        elif op == "where":
            lines = [
                x,
                f"np.where({array(g, tuple(1 if g.chance(0.2) else v for v in shape), 'bool')}, x, {text(g.values(dtype, 1)[0])})",
            ]
        else:
            lines = [
                x,
                g.choice(
                    [
                        f"np.compress({text(g.values('bool', n))}, x, axis={axis})",
                        "np.nonzero(x)",
                        "np.argwhere(x)",
                        "np.flatnonzero(x)",
                        f"np.extract({array(g, shape, 'bool')}, x)",
                        f"np.flip(x, {axis})",
                    ]
                ),
            ]
        yield f"functions/r{i:04}", lines


def display():
    for k, d in enumerate(["bool", "uint8", "int8", "int16", "uint64", "int32", "float16", "float32", "complex64"]):
        yield f"display/d{k}", [f"np.arange(6).reshape(2, 3).astype(np.{d})"]


def cases(result_shape):
    yield from tables.load("numpy")
    yield from by_dtype()
    yield from random_subscripts(300, result_shape)
    yield from random_functions(250)
    yield from display()
