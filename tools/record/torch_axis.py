"""torch operations along one axis and over flat positions: gather, scatter, index_*, take, put."""

import tables
from literal import TORCH_DTYPES, Gen, count, text


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


def gather_by_dtype():
    for i, d in enumerate(TORCH_DTYPES + ["uint16", "uint32", "uint64"]):
        x = f"x = torch.arange(6).reshape(2, 3).to(torch.{d})"
        for j, e in enumerate(
            [
                "torch.gather(x, 1, torch.tensor([[2, 0], [1, 1]]))",
                "torch.take(x, torch.tensor([5, 0]))",
                "torch.index_select(x, 1, torch.tensor([2, 2]))",
                "torch.take_along_dim(x, torch.tensor([[2], [1]]), 1)",
            ]
        ):
            yield f"gather/d{i:02}{j}", [x, e]


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
            s = tuple(
                v if j == dim else (1 if g.chance(0.4) else shape[j]) for j, v in enumerate(along(g, shape, dim))
            )
            idx = index_literal(g, s, n, "int64", negative=True)
            yield f"gather/r{i:04}", [x, f"i = {idx}", f"torch.take_along_dim(x, i, {d})"]
        elif op == "take":
            s = g.shape(0, 3, 12)
            if count(shape) == 0:
                s = (0,)
            yield (
                f"gather/r{i:04}",
                [x, f"i = {index_literal(g, s, max(1, count(shape)), 'int64', negative=True)}", "torch.take(x, i)"],
            )
        else:
            s = g.choice([(), (1,), (2,), (4,), (0,)])
            yield f"gather/r{i:04}", [x, f"i = {index_literal(g, s, n)}", f"torch.index_select(x, {d}, i)"]


def scatter_by_dtype():
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
    for k, e in enumerate(
        [
            "torch.scatter(y, 0, torch.tensor([1]), torch.ones(1), out=x)",
            "torch.scatter_add(y, 0, torch.tensor([1]), torch.ones(1), out=x)",
            "torch.scatter(y, 0, torch.tensor([7]), torch.ones(1), out=x)",
        ]
    ):
        for j, x in enumerate(["torch.zeros(3)", "torch.zeros(1)", "torch.zeros(3).double()", "y"]):
            yield f"scatter/out{k}{j}", ["y = torch.arange(3).float()", f"x = {x}", e, "x"]


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
    yield from tables.load("torch_axis")
    yield from gather_by_dtype()
    yield from random_gather(330)
    yield from scatter_by_dtype()
    yield from random_scatter(330)
