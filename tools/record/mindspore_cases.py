"""MindSpore on the CPU, in synchronous mode: gather in both forms, the nd forms, subscripts, search.

Nothing here stores twice to one place: that is racy in the library even for two elements.
"""

from literal import Gen, count, nest, text

X23 = "x = Tensor(np.array([[1, 2, 3], [4, 5, 6]]), mindspore.float32)"
X34 = "x = Tensor(np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]), mindspore.float32)"
X234 = "x = Tensor(np.arange(24).reshape(2, 3, 4))"


def t(values, dtype="int32"):
    return f"Tensor(np.array({values}), mindspore.{dtype})"


GATHER = [
    f"x.gather(1, {t([[0, 0], [1, 1]])})", f"x.gather(0, {t([[0, 1, 0]])})", f"x.gather(-1, {t([[2], [0]])})", f"x.gather(dim=1, index={t([[2, -1], [0, -3]], 'int64')})", f"x.gather(2, {t([[0], [0]])})", f"x.gather(-3, {t([[0], [0]])})",
    f"x.gather(1, {t([0, 1])})", f"x.gather(1, {t([[0], [1], [0]])})", f"x.gather(1, {t([[0]])})", f"x.gather(1, {t([[3], [0]])})", f"x.gather(1, {t([[-4], [0]])})", f"x.gather(1, {t([[0], [0]], 'int16')})", f"x.gather(1, {t([[0.0], [0.0]], 'float32')})", f"x.gather(1, {t([[True], [False]], 'bool_')})",
    "x.gather(1, Tensor(np.zeros((1, 0)), mindspore.int32))", f"x.gather({t([0])}, {t([[0, 1, 0]])})", f"x.gather({t([0, 1])}, {t([[0, 1, 0]])})", f"x.gather(1.0, {t([[0], [0]])})", "x.gather(1, [[0, 1]])", "x.gather(1)", f"x.gather(True, {t([[0], [0]])})",
    f"x.gather({t([1, 0])}, 0)", f"x.gather({t([2, 0])}, 1)", f"x.gather({t([2, 0])}, -1)", f"x.gather(input_indices={t([0, 2, 2])}, axis=1)", f"x.gather({t([[0, 2], [1, 1]])}, 1)", f"x.gather({t([[0, 2], [1, 1]])}, 1, 1)", f"x.gather({t([0, 2])}, 1, 1)", f"x.gather({t([0])}, 1, 1)", f"x.gather({t([0, 1])}, axis=1, batch_dims=0)",
    f"x.gather({t([0])}, 2)", f"x.gather({t([0])}, -3)", f"x.gather({t([[0], [1]])}, 0, 1)", f"x.gather({t([0])}, 1, 2)", f"x.gather({t([0, 1])}, 1, -1)", f"x.gather({t([[0], [1]])}, 1, -1)", f"x.gather({t([0, 1])}, 1, -2)", f"x.gather({t([[0, 1], [1, 0], [2, 2]])}, 1, 1)", f"x.gather({t([-1, -3])}, 1)", f"x.gather({t([3])}, 1)", f"x.gather({t([-4])}, 1)",
    f"x.gather({t([0], 'int16')}, 0)", f"x.gather({t([0], 'int64')}, 0)", f"x.gather({t([0], 'uint8')}, 0)", f"x.gather({t([0], 'int8')}, 0)", f"x.gather({t([0.0], 'float32')}, 0)", f"x.gather({t(1)}, 0)", f"x.gather({t(1)}, 1)", "x.gather(Tensor(np.zeros((0,)), mindspore.int32), 1)", f"x.gather({t([0])}, 1.0)", f"x.gather({t([0])}, 0, 0.5)", f"x.gather({t([0])}, 0, True)",
    f"x.gather({t([0])}, {t(1)}, 0)", f"x.gather(input_indices={t([0])}, axis={t([1])})", f"ops.gather(x, {t([2, 0])}, 1)", f"ops.gather(x, {t([2, 0])}, {t(1)})", f"ops.gather(x, {t([2, 0])}, {t([1, 0])})", f"ops.gather(x, {t([[2, 0], [1, 1]])}, 1, 1)", f"ops.gather_elements(x, 1, {t([[0, 2], [1, 1]])})", f"ops.gather_elements(x, 0, {t([[1, 0, 1]])})",
    f"ops.gather_d(x, 1, {t([[0, 2], [1, 1]])})", f"ops.gather_elements(x, 1, {t([[3], [0]])})", f"ops.gather_elements(x, 1, {t([[-1], [-3]])})", f"ops.gather_elements(x, 3, {t([[0], [0]])})",
    f"ops.gather_nd(x, {t([[0, 1], [1, 2]])})", f"ops.gather_nd(x, {t([[1], [0]])})", f"ops.gather_nd(x, {t([[[0, 0]], [[1, 1]]])})", f"ops.gather_nd(x, {t([[-1, 0]])})", f"ops.gather_nd(x, {t([[0, 3]])})", f"ops.gather_nd(x, {t([[0, 1, 2]])})", f"ops.gather_nd(x, {t([[0, 1]], 'int64')})", f"ops.gather_nd(x, {t([[0.0, 1.0]], 'float32')})", f"x.gather_nd({t([[0, 1], [1, 2]])})", f"ops.gather_nd(x, {t([0, 1])})",
    f"x.take({t([0, 5])})", f"x.take({t([0, 7])})", f"x.take({t([-1, -9, 7])}, axis=1)", f"x.take({t([0, 7])}, mode='wrap')", f"x.take({t([0, 1])}, mode='raise')", f"x.take({t([1, 0])}, axis=0)", f"x.take({t([1, 0])}, axis=2)", f"x.index_select(1, {t([2, 0])})", f"x.index_select(0, {t([2])})", f"ops.index_select(x, 1, {t([0])})", f"x.masked_select({t([[True, False, True], [False, True, False]], 'bool_')})",
    f"x.masked_fill({t([[True, False, True], [False, True, False]], 'bool_')}, 9.0)", "x.nonzero()", f"ops.nonzero({t([[1, 0], [0, 2]])})", f"ops.nonzero({t(5)})", "x.shape", "x.dtype", "x.ndim", "x.T", "x.reshape(3, 2)", "x.flip((0,))", "x.expand_dims(0)", "x.transpose(1, 0)",
]
SEARCH = [
    f"ops.searchsorted({t([1, 3, 5, 7, 9])}, {t([3, 6, 9])})", f"ops.searchsorted({t([1, 3, 5, 7, 9])}, {t([3, 6, 9])}, right=True)", f"ops.searchsorted({t([[1, 3, 5], [2, 4, 6]])}, {t([[3, 6], [3, 6]])})", f"ops.searchsorted({t([1, 3, 5])}, {t([3])}, out_int32=True)", f"ops.searchsorted({t([1, 3, 5])}, {t([3])}, side='right')",
    f"ops.searchsorted({t([1, 3, 5])}, {t([3])}, side='middle')", f"ops.searchsorted({t([1, 3, 5])}, {t([3])}, side='left', right=True)", "ops.searchsorted(Tensor(np.array([1, 3, float('nan')]), mindspore.float32), Tensor(np.array([float('inf'), float('nan'), 2]), mindspore.float32))", f"ops.searchsorted({t([[1, 3, 5], [2, 4, 6]])}, {t([[3, 6]])})", f"ops.searchsorted({t([5, 1, 3], 'float32')}, {t([2.0], 'float32')})",
]
SUBSCRIPT = [
    "x[0]", "x[-1]", "x[0, 1]", "x[0, :, 1]", "x[..., 0]", "x[None, 0]", "x[1:]", "x[:, ::2]", "x[::-1]", "x[:, ::-1, 1:]", "x[5:]", "x[True]", "x[False]", "x[2]", "x[-3]", "x[0, 3]", "x[0, 0, 0, 0]", "x[..., ...]", "x[1.0]", "x['a']", "x[[0, 1]]", "x[[0, 1], [1, 0]]", "x[[[0, 1], [1, 0]]]", "x[[]]", "x[(0, 1)]", "x[[True, False]]", "x[:, [0, 2]]", "x[0, :, [0, 1]]", "x[[0, 1], :, [0, 1]]", "x[:, [0, 1], [0, 1]]", "x[:, 0, [0, 1]]", "x[[1.5]]",
    f"x[{t([0, 1])}]", f"x[{t([[0, 1], [1, 0]])}]", f"x[{t(1)}]", f"x[0, :, {t([0, 1])}]", f"x[{t([0, 1])}, {t([1, 2])}]", f"x[{t([-1, -2])}]", f"x[{t([5])}]", f"x[{t([0, 1], 'uint8')}]", f"x[{t([0, 1], 'int8')}]", f"x[{t([0, 1], 'int64')}]", f"x[{t([0.0], 'float32')}]", f"x[{t([True, False], 'bool_')}]", f"x[{t([[True, False, True], [False, True, False]], 'bool_')}]", "x[x > 20]", "x[x > 100]", f"x[{t([0, 1])}, {t([0, 1, 2])}]", f"x[{t([0, 1])}, :, {t([3, 2])}]", f"x[:, {t([True, False, True], 'bool_')}]", "x[0, True]", "x[0, :, True]", "x[np.array([0, 1])]",
]
WRITES = [
    ("i", "x[0] = 5"), ("i", "x[:] = 5"), ("i", "x[0] = 1.7"), ("i", "x[0, 1] = [1, 2, 3, 4]"), ("i", f"x[{t([0])}] = 5"), ("i", "x[[0, 1]] = 5"), ("i", "x[x > 11] = 0"), ("i", "x[..., 0] = 9"), ("i", "x[:, 1:, ::2] = 0"), ("i", f"x[{t([0, 1])}, :, {t([0, 1])}] = Tensor(np.arange(6).reshape(2, 3))"), ("i", "x[2] = 5"), ("i", "x[0, 0, 0, 0] = 5"), ("i", f"x[{t([5])}] = 5"), ("i", "x[0] = Tensor(np.array([1, 2, 3, 4]))"), ("i", "x[0] = Tensor(np.array([1, 2, 3]))"), ("i", "x[x > 21] = Tensor(np.array([7, 8]))"), ("i", "x[x > 21] = Tensor(np.array([[7, 8]]))"), ("i", "x[1:] = x[:-1]"), ("i", "x[True] = 3"), ("i", "x[None, 0] = 4"), ("i", "x[0] = Tensor(np.array(2.9), mindspore.float32)"),
    ("u", "x[0] = 300"), ("u", "x[0] = -1"), ("u", "x[0] = Tensor(np.array(300))"), ("u", "x[0] = 2.9"), ("u", "x[:] = [1, 2, 300]"), ("f", "x[1:] = x[:-1]"), ("f", "x[::-1] = x"), ("f", "x[::-1] = 5"), ("f", "x[0] = 1"), ("f", "x[1] = float('nan')"), ("f", "x[0] = 1e39"), ("f", "x[0] = Tensor(np.array(3))"),
]
SCATTER = [
    f"ops.scatter_nd({t([[0, 1], [1, 2]])}, {t([1.0, 2.0], 'float32')}, (2, 3))", f"ops.scatter_nd({t([[0], [0]])}, {t([1.0, 2.0], 'float32')}, (3,))", f"ops.scatter_nd({t([[-1]])}, {t([1.0], 'float32')}, (3,))", f"ops.scatter_nd({t([[3]])}, {t([1.0], 'float32')}, (3,))", f"ops.scatter_nd({t([[1], [0]])}, {t([[1, 2], [3, 4]])}, (3, 2))",
    f"ops.tensor_scatter_elements(x, {t([[0, 2], [1, 0]])}, {t([[7.0, 8.0], [9.0, 10.0]], 'float32')}, axis=1)", f"ops.tensor_scatter_elements(x, {t([[1, 0, 1]])}, {t([[7.0, 8.0, 9.0]], 'float32')}, axis=0)", f"ops.tensor_scatter_elements(x, {t([[-1], [-3]])}, {t([[7.0], [8.0]], 'float32')}, axis=1)", f"ops.tensor_scatter_elements(x, {t([[5], [0]])}, {t([[7.0], [8.0]], 'float32')}, axis=1)", f"ops.tensor_scatter_elements(x, {t([[-9], [0]])}, {t([[7.0], [8.0]], 'float32')}, axis=1)",
    f"ops.tensor_scatter_elements(x, {t([[0], [0]])}, {t([[7.0], [8.0]], 'float32')}, axis=1, reduction='add')", f"ops.tensor_scatter_elements(x, {t([[0], [0]])}, {t([[7.0], [8.0]], 'float32')}, axis=1, reduction='mul')", f"ops.tensor_scatter_elements(x, {t([[0], [0]])}, {t([[7.0]], 'float32')}, axis=1)", f"ops.tensor_scatter_elements(x, {t([[0], [0]])}, {t([[7], [8]])}, axis=1)", f"ops.tensor_scatter_elements(x, {t([[0], [0]])}, {t([[7.0], [8.0]], 'float32')}, axis=2)",
    *[f"ops.tensor_scatter_{k}(x, {t([[0, 0], [1, 2]])}, {t([7.0, 2.0], 'float32')})" for k in ("add", "sub", "mul", "div", "max", "min")], *[f"ops.tensor_scatter_{k}(x, {t([[0, 0], [0, 0]])}, {t([7.0, 2.0], 'float32')})" for k in ("add", "sub", "mul", "max", "min")], f"ops.tensor_scatter_update(x, {t([[0, 0], [1, 2]])}, {t([7.0, 2.0], 'float32')})", f"ops.tensor_scatter_add(x, {t([[1]])}, {t([[1.0, 2.0, 3.0]], 'float32')})",
    f"ops.tensor_scatter_add(x, {t([[-1, 0]])}, {t([7.0], 'float32')})", f"ops.tensor_scatter_add(x, {t([[0, 3]])}, {t([7.0], 'float32')})", f"ops.tensor_scatter_add(x, {t([[0, 0, 0]])}, {t([7.0], 'float32')})", f"ops.tensor_scatter_add(x, {t([[0, 0]])}, {t([7.0, 8.0], 'float32')})", f"ops.tensor_scatter_add(x, {t([[0, 0]])}, {t([7])})", f"x.scatter(1, {t([[0, 2], [1, 0]], 'int64')}, {t([[7.0, 8.0], [9.0, 10.0]], 'float32')})", f"x.scatter(1, {t([[5], [-1]], 'int64')}, {t([[7.0], [8.0]], 'float32')})", f"x.scatter(1, {t([[0], [1]], 'int64')}, 7.0)",
]


def tables():
    for i, e in enumerate(GATHER):
        yield f"gather/t{i:03}", [X23, e]
    for i, e in enumerate([f"x.gather({t([-1, 0])}, 0)", f"x.gather({t([0, 2, 1])}, 1, 1)", f"x.gather({t([0, 2])}, 0)", f"x.gather({t([0, 2])}, 1, 1)"]):
        yield f"gather/doc{i}", [X34, e]
    for d in ("bool_", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float64", "complex64"):
        x = f"x = Tensor(np.array([[1, 0, 3], [4, 5, 6]]), mindspore.{d})"
        yield f"gather/{d}/0", [x, f"x.gather(1, {t([[2, 0], [1, 1]])})"]
        yield f"gather/{d}/1", [x, f"x.gather({t([2, 0])}, 1)"]
    for i, e in enumerate([f"x.gather(0, {t(0)})", f"x.gather(0, {t([0, 0])})", f"x.gather({t([0])}, 0)", f"x.gather({t(0)}, 0)"]):
        yield f"gather/zero{i}", [f"x = {t(5)}", e]
        yield f"gather/one{i}", [f"x = {t([5, 6])}", e]
    for i, e in enumerate(SEARCH):
        yield f"search/t{i:03}", [e]
    for i, e in enumerate(SUBSCRIPT):
        yield f"subscript/x{i:03}", [X234, e]
    makes = {"i": X234, "u": f"x = {t([0, 0, 0], 'uint8')}", "f": f"x = {t([0, 0, 0], 'float32')}"}
    for i, (k, e) in enumerate(WRITES):
        yield f"subscript/w{i:03}", [makes[k], e, "x"]
    for i, e in enumerate(SCATTER):
        yield f"scatter/t{i:03}", [X23, e]
    for i, (v, d) in enumerate([([[-0.1, 0.3, 3.6], [0.4, 0.5, -3.2]], "float32"), ([1, 2, 3], "int32"), (5, "int64"), (2.5, "float32"), ([[True, False]], "bool_"), ([1.0, 3.0, 5.0], "float32"), ([[1.0, 2.0], [9.0, 10.0]], "float32"), ([1e10, 1.0], "float64"), ([[[1, 2], [3, 4]]], "uint8"), ([0.1, 0.25], "float16")]):
        yield f"display/t{i:02}", [t(v, d)]


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
    yield from tables()
    yield from random(70)
