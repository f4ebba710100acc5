"""torch operations along one axis and over flat positions: gather, scatter, index_*, take, put."""

from literal import TORCH_DTYPES, Gen, count, text, text_shape

X23 = "x = torch.arange(6).reshape(2, 3)"
Z23 = "x = torch.zeros(2, 3)"


def index_literal(g, shape, n, dtype=None, negative=False):
    low = -n if negative else 0
    values = [g.randint(low, n - 1) for _ in range(count(shape))]
    if values and g.fault(0.35):
        values[g.randrange(len(values))] = g.choice([n, -n - 1, n + 3] if negative else [n, -1, n + 3])
    return g.tensor(shape, dtype or g.choice(["int64", "int64", "int64", "int32"]), values)


def full(shape):
    """A shape whose every size is at least one."""
    return tuple(max(1, s) for s in shape)


def data(g, shape, dtype, special=0.0):
    """Values for a tensor: literal ones for the reductions, counting ones otherwise."""
    return g.tensor(shape, dtype, special=special) if count(shape) <= 24 else g.counting(shape, dtype)


def along(g, shape, dim, free=False):
    """An index shape for `shape` along `dim`: no larger elsewhere, any size there."""
    out = []
    for d, s in enumerate(shape):
        if d == dim:
            out.append(g.choice([1, 1, 2, 2, 3, 4, 5] + ([0] if g.chance(0.1) else [])))
        elif free:
            out.append(s)
        else:
            out.append(g.randint(max(1, s - 1), s) if s else 0)
    return tuple(out)


def gather_table():
    i23 = "torch.tensor([[0, 1], [1, 0]])"
    table = [
        f"torch.gather(x, 0, {i23})", f"torch.gather(x, 1, {i23})", f"x.gather(1, {i23})", f"torch.gather(input=x, dim=-1, index={i23})",
        f"torch.gather(x, torch.tensor(1), {i23})", f"torch.gather(x, 2, {i23})", f"torch.gather(x, -3, {i23})", f"torch.gather(x, 1.0, {i23})",
        f"torch.gather(x, True, {i23})", "torch.gather(x, 1, [[0, 1]])", "torch.gather(x, 1, torch.tensor([0, 1]))", "torch.gather(x, 1, torch.tensor(0))",
        "torch.gather(x, 1, torch.tensor([[3, 0]]))", "torch.gather(x, 1, torch.tensor([[-1, 0]]))", "torch.gather(x, 1, torch.tensor([[1.0]]))",
        "torch.gather(x, 1, torch.tensor([[0], [1], [2]]))", "torch.gather(x, 0, torch.tensor([[0, 0, 0, 0]]))", "torch.gather(x, 1, torch.tensor([[0, 1, 2, 0, 1]]))",
        "torch.gather(x, 1, torch.zeros(0))", "torch.gather(x, 1, torch.zeros(0, 7, 9))", "torch.gather(x, 2, torch.zeros(0))", "torch.gather(x, 1, torch.zeros((2, 0), dtype=torch.int64))",
        "torch.gather(x, 1, torch.tensor([[0]], dtype=torch.int32))", "torch.gather(x, 1, torch.tensor([[0]], dtype=torch.int16))", "torch.gather(x, 1, torch.tensor([[0]], dtype=torch.uint8))",
        "torch.gather(x, 1, torch.tensor([[True]]))", "torch.gather(x, 0, torch.tensor([[1, 1, 1]]).expand(5, 3))", "torch.gather(x.t(), 0, torch.tensor([[2, 1]]))",
        "torch.gather(torch.tensor(5), 0, torch.tensor([0, 0, 0]))", "torch.gather(torch.tensor([5, 6]), 0, torch.tensor(1))", "torch.gather(torch.tensor(5), 0, torch.tensor(0))",
        "torch.gather(torch.tensor(5), -1, torch.tensor([0]))", "torch.gather(torch.tensor(5), 1, torch.tensor([0]))", "torch.gather(torch.tensor(5), 0, torch.tensor([1]))", "torch.gather(torch.tensor(5), 0, torch.tensor([[0]]))",
        "torch.gather(torch.zeros(2, 0), 1, torch.tensor([[0]]))", "torch.gather(torch.zeros(0, 3), 1, torch.zeros((0, 2), dtype=torch.int64))", "torch.gather(x, 1, torch.tensor([[0]]), sparse_grad=True)",
        "torch.take_along_dim(x, torch.tensor([[7], [-7]]), 1)", "torch.take_along_dim(x, torch.tensor([[0, 1, 2]]), 0)", "torch.take_along_dim(x, torch.tensor([[3, 7, -1, -4, -7]]), 1)",
        "torch.take_along_dim(x, torch.tensor([[0], [1]]), dim=0)", "torch.take_along_dim(x, torch.tensor([0, 5]))", "torch.take_along_dim(x, torch.tensor([[0, 5]]))", "torch.take_along_dim(x, torch.tensor(3))",
        "torch.take_along_dim(x, torch.tensor([-1]))", "torch.take_along_dim(x, torch.tensor([6]))", "torch.take_along_dim(x, torch.tensor([0, 1]), 1)", "torch.take_along_dim(x, torch.tensor([[0, 1]], dtype=torch.int32), 1)",
        "torch.take_along_dim(x, torch.tensor([[0, 1], [1, 0]]), 0)", "torch.take_along_dim(x, torch.tensor([[0, 1]]), 2)", "torch.take_along_dim(torch.tensor(5), torch.tensor(0), 0)", "torch.take_along_dim(torch.zeros(2, 0), torch.tensor([[0], [0]]), 1)",
        "x.take_along_dim(torch.tensor([[2]]), dim=1)", "torch.take_along_dim(x[:1], torch.tensor([[0, 1], [1, 2]]), 1)", "torch.take_along_dim(x, torch.tensor([[0.0]]), 1)",
        "torch.take(x, torch.tensor([0, 5, -1, -6]))", "torch.take(x, torch.tensor([[0, 5], [1, 2]]))", "x.take(torch.tensor(3))", "torch.take(x.t(), torch.tensor([0, 1, 2]))", "torch.take(x, torch.tensor([6]))", "torch.take(x, torch.tensor([-7]))",
        "torch.take(x, torch.tensor([0], dtype=torch.int32))", "torch.take(x, torch.tensor([0.0]))", "torch.take(torch.tensor(5), torch.tensor([0, -1]))", "torch.take(torch.zeros(0), torch.tensor([0]))",
        "torch.take(torch.zeros(0), torch.zeros(0, dtype=torch.int64))", "torch.take(torch.zeros(3, dtype=torch.uint16), torch.tensor([0]))", "torch.take(x, [0])",
        "torch.index_select(x, 0, torch.tensor([1, 0, 1]))", "torch.index_select(x, 1, torch.tensor([2, 0]))", "x.index_select(-1, torch.tensor(2))", "torch.index_select(x, 1, torch.tensor([[0]]))", "torch.index_select(x, 1, torch.tensor([3]))",
        "torch.index_select(x, 0, torch.tensor([2]))", "torch.index_select(x, 0, torch.tensor([-1]))", "torch.index_select(x, 1, torch.tensor([0], dtype=torch.int32))", "torch.index_select(x, 1, torch.tensor([0], dtype=torch.int16))",
        "torch.index_select(x, 1, torch.tensor([0.0]))", "torch.index_select(x, 2, torch.tensor([0]))", "torch.index_select(torch.tensor(7), 0, torch.tensor([0]))", "torch.index_select(torch.tensor(7), 0, torch.tensor(0))",
        "torch.index_select(torch.tensor(7), 0, torch.tensor([0, 0]))", "torch.index_select(torch.tensor(7), 0, torch.tensor([1]))", "torch.index_select(torch.zeros(0, 3), 0, torch.tensor([0]))", "torch.index_select(torch.zeros(2, 0), 0, torch.tensor([1, 5]))",
        "torch.index_select(torch.zeros(2, 0), 1, torch.tensor([0]))", "torch.index_select(torch.zeros(2, 3, 4), 1, torch.tensor([3]))", "torch.index_select(torch.zeros(2, 3, 4), 2, torch.tensor([4]))", "torch.index_select(x, 1, torch.zeros(0, dtype=torch.int64))",
        "torch.index_select(x.t(), 0, torch.tensor([2, 1]))", "torch.index_select(x, 0, [0])", "torch.index_select(x, 1.5, torch.tensor([0]))", "torch.gather(x, 1)", "torch.gather(x, index=torch.tensor([[0]]))",
    ]
    for i, e in enumerate(table):
        yield f"gather/t{i:03}", [X23, e]
    for i, d in enumerate(TORCH_DTYPES + ["uint16", "uint32", "uint64"]):
        x = f"x = torch.arange(6).reshape(2, 3).to(torch.{d})"
        for j, e in enumerate(["torch.gather(x, 1, torch.tensor([[2, 0], [1, 1]]))", "torch.take(x, torch.tensor([5, 0]))", "torch.index_select(x, 1, torch.tensor([2, 2]))", "torch.take_along_dim(x, torch.tensor([[2], [1]]), 1)"]):
            yield f"gather/d{i:02}{j}", [x, e]
    outs = [
        ("x = torch.zeros((2, 2), dtype=torch.int64)", "torch.gather(y, 1, torch.tensor([[1, 0], [2, 0]]), out=x)"), ("x = torch.zeros(0, dtype=torch.int64)", "torch.gather(y, 1, torch.tensor([[1, 0], [2, 0]]), out=x)"),
        ("x = torch.zeros(5, dtype=torch.int64)", "torch.gather(y, 1, torch.tensor([[1, 0], [2, 0]]), out=x)"), ("x = torch.zeros(2, 2)", "torch.gather(y, 1, torch.tensor([[1, 0], [2, 0]]), out=x)"),
        ("x = torch.zeros((2, 2), dtype=torch.int64).t()", "torch.gather(y, 1, torch.tensor([[1, 0], [2, 0]]), out=x)"), ("x = torch.zeros((1, 2), dtype=torch.int64).expand(2, 2)", "torch.gather(y, 1, torch.tensor([[1, 0], [2, 0]]), out=x)"),
        ("x = torch.zeros((2, 2), dtype=torch.int64)", "torch.gather(y, 1, torch.tensor([[1, 0], [3, 0]]), out=x)"), ("x = torch.zeros(2, dtype=torch.int32)", "torch.take(y, torch.tensor([1, 0]), out=x)"), ("x = torch.zeros(2, dtype=torch.int64)", "torch.take(y, torch.tensor([1, 0]), out=x)"),
        ("x = torch.zeros(2)", "torch.index_select(y, 0, torch.tensor([1, 0]), out=x)"), ("x = torch.zeros((2, 3), dtype=torch.int64)", "torch.index_select(y, 0, torch.tensor([1, 0]), out=x)"), ("x = torch.zeros(1, dtype=torch.int64)", "torch.take_along_dim(y, torch.tensor([5, 4]), out=x)"),
    ]
    for i, (x, e) in enumerate(outs):
        yield f"gather/out{i:02}", ["y = torch.arange(6).reshape(2, 3)", x, e, "x"]
    for i, e in enumerate(["torch.gather(x, 0, torch.tensor([1, 2, 3]), out=x[:3])", "torch.take(x, torch.tensor([1, 2]), out=x[:2])", "torch.index_select(x, 0, torch.tensor([1, 2]), out=x[:2])", "torch.gather(torch.arange(9), 0, x, out=x)"]):
        yield f"gather/alias{i}", ["x = torch.arange(6)", e, "x"]


def random_gather(amount):
    g = Gen("torch gather")
    for i in range(amount):
        g.faults = g.chance(0.2)
        shape = g.shape(1, 4)
        dim = g.randrange(len(shape))
        shape = tuple(max(1, s) if d == dim else s for d, s in enumerate(shape))
        n = shape[dim]
        dtype = g.choice(["int64"] * 4 + TORCH_DTYPES)
        x = f"x = {g.twisted(shape, dtype)}"
        d = dim if g.chance(0.7) else dim - len(shape)
        if g.fault(0.1):
            d = len(shape)
        op = g.choice(["gather"] * 4 + ["take_along_dim", "take", "index_select"])
        if op == "gather":
            s = along(g, shape, dim)
            if g.fault(0.15):
                s = s + (1,)
            elif len(s) > 1 and g.fault(0.2):
                k = (dim + 1) % len(s)
                s = tuple(v + 2 if j == k else v for j, v in enumerate(s))
            idx = index_literal(g, s, n)
            yield f"gather/r{i:04}", [x, f"i = {idx}", g.choice([f"torch.gather(x, {d}, i)", f"x.gather({d}, i)"])]
        elif op == "take_along_dim":
            s = tuple(v if j == dim else (1 if g.chance(0.4) else shape[j]) for j, v in enumerate(along(g, shape, dim)))
            idx = index_literal(g, s, n, "int64", negative=True)
            yield f"gather/r{i:04}", [x, f"i = {idx}", f"torch.take_along_dim(x, i, {d})"]
        elif op == "take":
            s = g.shape(0, 3, 12)
            if count(shape) == 0:
                s = (0,)
            yield f"gather/r{i:04}", [x, f"i = {index_literal(g, s, max(1, count(shape)), 'int64', negative=True)}", "torch.take(x, i)"]
        else:
            s = g.choice([(), (1,), (2,), (4,), (0,)])
            yield f"gather/r{i:04}", [x, f"i = {index_literal(g, s, n)}", f"torch.index_select(x, {d}, i)"]


def scatter_table():
    i = "torch.tensor([[0, 2], [1, 0]])"
    s = "torch.tensor([[1.0, 2.0], [3.0, 4.0]])"
    table = [
        f"x.scatter_(1, {i}, {s})", f"x.scatter_(0, torch.tensor([[0, 1, 1]]), torch.tensor([[1.0, 2.0, 3.0]]))", f"x.scatter_(-1, {i}, 7)", f"x.scatter_(1, {i}, 1.5, reduce='add')", f"x.scatter_(1, {i}, {s}, reduce='add')",
        f"x.scatter_(1, {i}, {s}, reduce='multiply')", f"x.scatter_(1, {i}, {s}, reduce='max')", f"x.scatter_(1, {i}, 2, reduce='sum')", f"x.scatter_(1, {i}, {s}, reduce=None)", f"x.scatter_(1, {i}, {s}, 'add')",
        f"x.scatter_(dim=1, index={i}, src={s})", f"x.scatter_(dim=1, index={i}, value=3)", f"x.scatter_(2, {i}, {s})", f"x.scatter_(1, torch.tensor([[0], [1]]), {s})", "x.scatter_(1, torch.tensor([[0, 0, 0]]), torch.tensor([[1.0, 2.0, 3.0]]))",
        f"x.scatter_(1, {i}, torch.tensor([[1.0]]))", f"x.scatter_(1, torch.tensor([[0], [1], [2]]), torch.ones(3, 1))", f"x.scatter_(1, {i}, torch.tensor([[1, 2], [3, 4]]))", f"x.scatter_(1, {i}, torch.tensor(5.0))", "x.scatter_(1, torch.tensor([[0]]), torch.tensor([3.0]))",
        "x.scatter_(1, torch.tensor([0]), torch.tensor([[3.0]]))", "x.scatter_(1, torch.tensor([[0, 3]]), torch.tensor([[1.0, 2.0]]))", "x.scatter_(1, torch.tensor([[0, -1]]), torch.tensor([[1.0, 2.0]]))", "x.scatter_(1, torch.tensor([[0, 3]]), 5)", "x.scatter_(1, torch.tensor([[0.0]]), 5)",
        "x.scatter_(1, torch.tensor([[0]], dtype=torch.int32), 5)", "x.scatter_(1, torch.tensor([[0]], dtype=torch.int16), 5)", "x.scatter_(1, torch.zeros(0, dtype=torch.int64), torch.ones(2))", "x.scatter_(1, torch.zeros(0), torch.ones(2))", "x.scatter_(1, torch.zeros(0), torch.arange(2))",
        "x.scatter_(1, torch.zeros((2, 0), dtype=torch.int64), 5)", f"x.scatter_(1, {i}, 1j)", f"x.scatter_(1, {i}, True)", f"x.scatter_(1, {i}, 1e39)", f"x.scatter_(1, {i}, '1')", f"x.scatter_(1, [[0]], 5)", f"x.scatter_(1, {i}, x[:, :2])", f"x.scatter_(1, {i}, x)",
        f"x.scatter_add_(1, {i}, {s})", "x.scatter_add_(1, torch.tensor([[0, 0, 0]]), torch.tensor([[1.0, 2.0, 3.0]]))", f"x.scatter_add_(1, {i}, 5)", f"x.scatter_add_(1, {i}, torch.tensor([[1, 2], [3, 4]]))", "x.scatter_add_(1, torch.tensor([[3]]), torch.ones(1, 1))", "x.scatter_add_(1, torch.tensor([[0.0]]), torch.ones(1, 1))",
        f"x.scatter_reduce_(1, {i}, {s}, 'sum')", f"x.scatter_reduce_(1, {i}, {s}, 'prod')", f"x.scatter_reduce_(1, {i}, {s}, 'mean')", f"x.scatter_reduce_(1, {i}, {s}, 'amax')", f"x.scatter_reduce_(1, {i}, {s}, 'amin')", f"x.scatter_reduce_(1, {i}, {s}, 'max')", f"x.scatter_reduce_(1, {i}, {s}, 'min')",
        f"x.scatter_reduce_(1, {i}, {s}, 'add')", f"x.scatter_reduce_(1, {i}, {s}, reduce='sum', include_self=False)", f"x.scatter_reduce_(1, {i}, {s}, reduce='prod', include_self=False)", f"x.scatter_reduce_(1, {i}, {s}, reduce='amin', include_self=False)", f"x.scatter_reduce_(1, {i}, {s}, reduce='mean', include_self=False)",
        "x.scatter_reduce_(1, torch.tensor([[0, 3]]), torch.ones(1, 2), 'amax', include_self=False)", "x.scatter_reduce_(1, torch.tensor([[0, 3]]), torch.ones(1, 2), 'sum')", "x.scatter_reduce_(1, torch.tensor([[0, -1]]), torch.ones(1, 2), 'sum')", f"x.scatter_reduce_(1, {i}, torch.tensor([[1, 2], [3, 4]]), 'sum')",
        "x.scatter_reduce_(1, torch.tensor([[0, 1]], dtype=torch.int16), torch.ones(1, 2), 'sum')", f"x.scatter_reduce_(1, {i}, {s})", "x.scatter_reduce_(1, torch.zeros(0, dtype=torch.int64), torch.ones(2), 'sum')",
    ]
    for k, e in enumerate(table):
        yield f"scatter/t{k:03}", ["x = torch.full((2, 3), 2.0)", e, "x"]
    zero = [
        "torch.tensor(5).scatter(0, torch.tensor(0), torch.tensor(7))", "torch.tensor(5).scatter(0, torch.tensor([0, 0]), torch.tensor([7, 8]))", "torch.tensor(5).scatter(0, torch.tensor([1]), torch.tensor([7]))", "torch.tensor([5, 6]).scatter(0, torch.tensor(1), torch.tensor(9))",
        "torch.tensor([5, 6]).scatter(0, torch.tensor([1]), torch.tensor(9))", "torch.tensor(5).scatter(0, torch.tensor([0, 0]), 3)", "torch.tensor(5).scatter_add(0, torch.tensor([0, 0]), torch.tensor([1, 2]))", "torch.tensor(5.0).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([1.0, 2.0]), 'mean')",
        "torch.zeros(2, 5).scatter(1, torch.tensor([[0]]), torch.tensor([3.0]))", "torch.zeros(2, 5).scatter(1, torch.tensor([0]), 3)", "torch.arange(5).scatter_(1, torch.tensor([0]), torch.tensor([1]))", "torch.zeros(3).scatter_(0, torch.tensor([0, 0, 0]), torch.tensor([1.0, 2.0, 3.0]))",
        "torch.scatter(torch.zeros(3), 0, torch.tensor([2, 1]), torch.tensor([1.0, 2.0, 3.0, 4.0]))", "torch.scatter(torch.zeros(3), 0, torch.tensor([2, 1]), 4)", "torch.scatter_add(torch.zeros(3), 0, torch.tensor([2, 2]), torch.ones(2))", "torch.scatter_reduce(torch.zeros(3), 0, torch.tensor([2, 2]), torch.ones(2), 'mean')",
        "torch.tensor([10, 20, 30]).scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([-7, 1, 2]), 'mean')", "torch.tensor([7, 0], dtype=torch.uint8).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([100, 200], dtype=torch.uint8), 'mean')", "torch.tensor([200, 0], dtype=torch.uint8).scatter_reduce(0, torch.tensor([0]), torch.tensor([100], dtype=torch.uint8), 'mean')",
        "torch.tensor([0, 0]).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([-1, -2]), 'mean', include_self=False)", "torch.zeros(2).half().scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([60000.0, 60000.0]).half(), 'mean')", "torch.tensor([float('nan'), 1.0]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([1.0, float('nan')]), 'amax')",
        "torch.tensor([float('nan'), 1.0]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([1.0, float('nan')]), 'amin')", "torch.tensor([0.0, -0.0]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([-0.0, 0.0]), 'amax')", "torch.tensor([0.0, -0.0]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([-0.0, 0.0]), 'amin')",
        "torch.tensor([True, False]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([False, True]), 'sum')", "torch.tensor([True, False]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([False, True]), 'prod')", "torch.tensor([True, False]).scatter(0, torch.tensor([0, 1]), torch.tensor([False, True]), reduce='multiply')", "torch.tensor([True, False]).scatter(0, torch.tensor([0, 1]), torch.tensor([False, True]), reduce='add')",
        "torch.zeros(2, dtype=torch.int32).scatter(0, torch.tensor([0, 0, 1]), 2.9, reduce='add')", "torch.zeros(2, dtype=torch.uint8).scatter(0, torch.tensor([0, 1]), 300)", "torch.zeros(2, dtype=torch.uint8).scatter(0, torch.tensor([0, 1]), -1)", "torch.tensor([100, 100], dtype=torch.int8).scatter_add(0, torch.tensor([0, 1]), torch.tensor([100, 27], dtype=torch.int8))",
        "torch.arange(6).reshape(2, 3).t().scatter(0, torch.tensor([[0, 1]]), 9)", "torch.zeros(3).half().scatter_add(0, torch.tensor([0, 0, 0, 0, 0]), torch.tensor([2048.0, 1.0, 1.0, 1.0, 1.0]).half())", "torch.zeros(3).bfloat16().scatter_add(0, torch.tensor([0, 0, 0, 0, 0]), torch.tensor([256.0, 1.0, 1.0, 1.0, 1.0]).bfloat16())",
    ]
    for k, e in enumerate(zero):
        yield f"scatter/z{k:03}", [e]
    for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
        x, s = f"torch.tensor([3, 2, 1]).to(torch.{d})", f"torch.tensor([1, 2, 4]).to(torch.{d})"
        idx = "torch.tensor([0, 0, 2])"
        yield f"scatter/{d}/src", [f"{x}.scatter(0, {idx}, {s})"]
        yield f"scatter/{d}/value", [f"{x}.scatter(0, {idx}, 1)"]
        yield f"scatter/{d}/add", [f"{x}.scatter_add(0, {idx}, {s})"]
        yield f"scatter/{d}/multiply", [f"{x}.scatter(0, {idx}, {s}, reduce='multiply')"]
        for r in ["sum", "prod", "mean", "amax", "amin"]:
            for keep in [True, False]:
                yield f"scatter/{d}/{r}/{keep}", [f"{x}.scatter_reduce(0, {idx}, {s}, '{r}', include_self={keep})"]
    for k, e in enumerate(["torch.scatter(y, 0, torch.tensor([1]), torch.ones(1), out=x)", "torch.scatter_add(y, 0, torch.tensor([1]), torch.ones(1), out=x)", "torch.scatter(y, 0, torch.tensor([7]), torch.ones(1), out=x)"]):
        for j, x in enumerate(["torch.zeros(3)", "torch.zeros(1)", "torch.zeros(3).double()", "y"]):
            yield f"scatter/out{k}{j}", ["y = torch.arange(3).float()", f"x = {x}", e, "x"]
    for k, e in enumerate(["x.scatter_(0, torch.tensor([[1, 1, 1]]), torch.ones(1, 3))", "x.scatter_(0, torch.tensor([[1, 1, 1]]), 1)", "x.scatter_add_(0, torch.tensor([[1, 1, 1]]), torch.ones(1, 3))"]):
        yield f"scatter/expanded{k}", ["x = torch.zeros(1, 3).expand(2, 3)", e, "x"]
    for k, e in enumerate(["x.scatter_(0, x, torch.arange(3))", "x.scatter_(0, torch.tensor([0]), x[1:])", "x.scatter_add_(0, torch.tensor([0, 1, 2]), x)", "torch.scatter(x, 0, x, x)"]):
        yield f"scatter/alias{k}", ["x = torch.arange(3)", e, "x"]


def random_scatter(amount):
    g = Gen("torch scatter")
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = full(g.shape(1, 4, 40))
        dim = g.randrange(len(shape))
        dtype = g.choice(["int64", "float32", "float32"] + TORCH_DTYPES)
        s = along(g, shape, dim)
        wider = tuple(v + (g.randint(1, 2) if g.chance(0.2) else 0) for v in s)
        if g.fault(0.15):
            k = g.randrange(len(s))
            wider = tuple(v - 1 if j == k and v else v for j, v in enumerate(wider))
        d = dim if g.chance(0.7) else dim - len(shape)
        idx = index_literal(g, s, shape[dim])
        form = g.choice(["src", "value", "add", "reduce", "reduce", "reduce", "sreduce", "vreduce"])
        special = 0.1 if dtype in ("float32", "float64") else 0
        lines = [f"x = {data(g, shape, dtype, special)}", f"i = {idx}"]
        v = text(g.values(dtype, 1)[0])
        src = data(g, wider, dtype if not g.fault(0.2) else "float64", special)
        if form not in ("value", "vreduce"):
            lines.append(f"s = {src}")
        keep = g.choice(["", "", ", include_self=False"])
        call, args = {
            "src": ("scatter", f"{d}, i, s"),
            "value": ("scatter", f"{d}, i, {v}"),
            "add": ("scatter_add", f"{d}, i, s"),
            "reduce": ("scatter_reduce", f"{d}, i, s, '{g.choice(['sum', 'prod', 'mean', 'amax', 'amin'])}'{keep}"),
            "sreduce": ("scatter", f"{d}, i, s, reduce='{g.choice(['add', 'multiply'])}'"),
            "vreduce": ("scatter", f"{d}, i, {v}, reduce='{g.choice(['add', 'multiply'])}'"),
        }[form]
        if g.chance(0.5):
            yield f"scatter/r{i:04}", [*lines, f"x.{call}_({args})", "x"]
        else:
            yield f"scatter/r{i:04}", [*lines, g.choice([f"x.{call}({args})", f"torch.{call}(x, {args})"])]


def cases():
    yield from gather_table()
    yield from random_gather(330)
    yield from scatter_table()
    yield from random_scatter(330)
