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


def gradients():
    """What mindspore.grad and its kin make of functions of tensors."""
    x = "x = Tensor(np.array([[1.5, -2.0, 3.0], [4.0, 5.0, 6.5]]), mindspore.float32)"
    i = f"i = {t([[2, 0], [1, 1]])}"
    once = f"i = {t([[2, 0], [1, 2]])}"
    rows, pairs = f"i = {t([1, 0, 1])}", f"i = {t([[0, 1], [1, 2]])}"
    s = "s = Tensor(np.array([[10.0, 20.0], [30.0, 40.0]]), mindspore.float32)"
    u = "u = Tensor(np.array([2.0, 4.0]), mindspore.float32)"
    m = "m = Tensor(np.array([[True, False, True], [False, True, True]]))"
    reads = [
        (i, "x.gather(1, i)"), (i, "ops.gather_elements(x, 1, i)"), (rows, "x.gather(i, 1)"), (rows, "ops.gather(x, i, 0)"),
        (i, "ops.gather(x, i, 1, 1)"), (pairs, "ops.gather_nd(x, i)"), (rows, "ops.index_select(x, 1, i)"),
        (m, "ops.masked_select(x, i)"), (m, "ops.masked_fill(x, i, 0.0)"), (m, "ops.where(i, x, 1.0)"), (rows, "x[i]"),
        (rows, "x[:, i]"), (i, "x[1:]"), (i, "x[..., 1]"), (m, "x[i]"), (i, "x[:, ::2]"), (i, "x.transpose((1, 0))"),
        (i, "x.reshape((3, 2))"), (i, "ops.flip(x, (0,))"), (i, "x.copy()"), (i, "x.expand_dims(0)"), (i, "x.astype(mindspore.float64)"),
        (i, "x.diagonal()"), (rows, "x.take(i, 1)"), (i, "ops.sort(x, 1)[0]"), (i, "x"), (i, "(x[0:1], x[:, 0:2])"), (i, "x.gather(1, i).gather(0, i)"),
    ]  # fmt: skip
    for k, (index, call) in enumerate(reads):
        yield f"gradient/read{k:02}", [x, index.replace("m =", "i ="), f"mindspore.grad(lambda x, i=i: {call})(x)"]
    writes = [
        (once, s, "ops.tensor_scatter_elements(x, i, y, 1)"), (i, s, "ops.tensor_scatter_elements(x, i, y, 1, 'add')"), (once, s, "x.scatter(1, i, y)"),
        *((pairs, u, f"ops.tensor_scatter_{how}(x, i, y)") for how in ("update", "add", "sub", "mul", "div", "max", "min")),
        (pairs, u, "ops.scatter_nd(i, y, (2, 3))"), (m, x.replace("x =", "s ="), "ops.where(i, x, y)"),
    ]  # fmt: skip
    for k, (index, source, call) in enumerate(writes):
        lines = [x, index.replace("m =", "i ="), "y" + source[1:]]
        yield f"gradient/write{k:02}", [*lines, f"mindspore.value_and_grad(lambda x, y, i=i: {call}, (0, 1))(x, y)"]
    f, g = "lambda x, i=i: x.gather(1, i)", "lambda x, y, i=i: ops.tensor_scatter_elements(x, i, y, 1)"
    calls = [
        f"mindspore.grad({g}, 1)(x, s)", f"mindspore.grad({g}, (1,))(x, s)", f"mindspore.grad({g}, (1, 0))(x, s)", f"mindspore.grad({g}, 2)(x, s)",
        f"mindspore.grad({g}, -1)(x, s)", f"mindspore.grad({g}, (0, 0))(x, s)", f"mindspore.grad({g}, ())(x, s)", f"mindspore.grad({g}, None)(x, s)",
        f"mindspore.grad({g}, 1.5)(x, s)", "mindspore.grad(3)(x)", f"mindspore.grad({f}, has_aux=True)(x)",
        "mindspore.grad(lambda x: (x[1:], x, 5), has_aux=True)(x)[0]", "mindspore.value_and_grad(lambda x: (x[1:], x), has_aux=True)(x)",
        f"mindspore.grad({f}, return_ids=True)(x)", f"mindspore.grad({g}, (0, 1), return_ids=True)(x, s)", "mindspore.grad(lambda x, y: x[1:], 1)(x, s)",
        "mindspore.grad(lambda x: 3)(x)", "mindspore.grad(lambda x: None)(x)", "mindspore.grad(lambda x, n: x[1:], 1)(x, 3)",
        "mindspore.grad(lambda x, i: x.gather(1, i), (0, 1))(x, i)", "mindspore.grad(lambda x, i: x.gather(1, i), 1)(x, i)",
        "mindspore.grad(lambda t: t[0][1:])((x, s))", f"mindspore.value_and_grad({f})(x)", f"ops.GradOperation()({f})(x)", f"ops.GradOperation(get_all=True)({f})(x)",
        f"ops.GradOperation(get_all=True)({g})(x, s)", f"ops.GradOperation(sens_param=True)({f})(x, s)", f"ops.GradOperation(get_all=True, sens_param=True)({f})(x, s)",
        f"ops.GradOperation(get_by_list=True)({f})(x)", "ops.GradOperation(get_all=1)", "mindspore.grad(lambda x, i=i: x.gather(1, i), weights=3)(x)",
        "mindspore.grad(lambda x, n=None: x[1:])(x, n=s)", f"mindspore.grad({f})()", "mindspore.ops.grad(lambda x: x[1:])(x)",
        "mindspore.grad(lambda x: mindspore.grad(lambda z: ops.tensor_scatter_mul(z, Tensor([[1, 0]]), z[0:1, 1:2].reshape((1,))))(x))(x)",
    ]  # fmt: skip
    for k, call in enumerate(calls):
        yield f"gradient/call{k:02}", [x, once, s, call]
    g = Gen("mindspore gradients")
    for k in range(120):
        shape = (g.randint(1, 4), g.randint(1, 4))
        axis = g.randrange(2)
        n = shape[axis]
        x = f"x = Tensor(np.array({text(nest([g.randint(-9, 9) / 2 for _ in range(count(shape))], shape))}), mindspore.{g.choice(['float32', 'float64', 'float16'])})"
        size = tuple(g.randint(1, 4) if d == axis else g.randint(1, v) for d, v in enumerate(shape))
        at = f"i = {t(text(nest([g.randint(-n, n - 1) for _ in range(count(size))], size)))}"
        rows = f"i = {t([g.randint(0, n - 1) for _ in range(3)])}"
        both = f"i = {t(text([[g.randint(0, shape[0] - 1), g.randint(0, shape[1] - 1)] for _ in range(3)]))}"
        line, call = g.choice(
            [(at, f"x.gather({axis}, i)"), (rows, f"x.gather(i, {axis})"), (both, "ops.gather_nd(x, i)"), (rows, f"ops.index_select(x, {axis}, i)"), (rows, "x[i]" if axis == 0 else "x[:, i]")]
        )
        yield f"gradient/r{k:03}", [x, line, f"mindspore.grad(lambda x, i=i: {call})(x)"]


def cases():
    yield from tables.load("mindspore")
    yield from by_dtype()
    yield from random(70)
    yield from gradients()
