"""Reading and writing torch tensors by subscript."""

import tables
from literal import TORCH_DTYPES, Gen, count, nest, text


def reads_by_dtype():
    for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
        x = f"x = torch.arange(6).reshape(2, 3).to(torch.{d})"
        mask = "torch.tensor([[True, False, True], [False, False, True]])"
        for i, e in enumerate(["x[1]", "x[[1, 0]]", "x[:, [2, 0]]", f"x[{mask}]", "x[..., ::2]"]):
            yield f"read/{d}/{i}", [x, e]


def writes_through_views():
    for i, s in enumerate(
        ["v[0] = 9", "v[:, 0] = 9", "v[[1]] = 9", "v[v > 5] = 0", "v[...] = torch.arange(8).reshape(2, 4)"]
    ):
        for j, v in enumerate(["x[0, 1:]", "x[:, 0]", "x[..., 1, :]", "x[1].t()[2:].t()[1:]", "x[[0]][0, 1:]"]):
            yield f"write/through{i}{j}", ["x = torch.arange(24).reshape(2, 3, 4)", f"v = {v}", s, "x"]


# Random subscripts ----------------------------------------------------------------------------------------------


def piece(g, shape, grown):
    """One index object for the leading axes of `shape`: (text, axes used)."""
    n = shape[0] if shape else None
    kinds = (
        ["none", "bool"]
        if n is None
        else ["int"] * 5 + ["slice"] * 6 + ["array"] * 6 + ["mask"] * 3 + ["none", "bool", "zero"]
    )
    kind = g.choice(kinds)
    if kind in ("int", "zero"):
        if n == 0 and not g.fault(1):
            return ":", 1
        i = g.randint(-n, n - 1) if n else 0
        if g.fault(0.3):
            i = g.choice([n, -n - 1, n + 5])
        if kind == "int":
            return str(i), 1
        return f"torch.tensor({i}{g.choice(['', '', ', dtype=torch.int32', ', dtype=torch.int8'])})", 1
    if kind == "slice":

        def bound():
            return "" if g.chance(0.4) else str(g.randint(-n - 1, n + 1))

        step = (
            ""
            if g.chance(0.6)
            else ":" + str(g.choice([1, 2, 2, 3, -g.randint(1, 2) if g.backward or g.fault(0.5) else 1]))
        )
        return f"{bound()}:{bound()}{step}", 1
    if kind == "none":
        return "None", 0
    if kind == "bool":
        return g.choice(["True", "True", "False"]) if g.chance(0.4) else "None", 0
    if kind == "mask":
        k = min(len(shape), g.choice([1, 1, 2]))
        block = list(shape[:k])
        if g.fault(0.3):
            block[-1] += 1
        total = count(block)
        wanted = grown[-1] if grown and g.chance(0.8) else 1
        on = set(g.sample(range(total), min(total, wanted)))
        return g.tensor(tuple(block), "bool", [i in on for i in range(total)]), k
    # an index array: a shape that broadcasts to `grown`
    s = tuple(1 if g.chance(0.2) else d for d in grown[g.randint(0, len(grown)) if g.chance(0.3) else 0 :])
    if not s:
        s = (1,)
    if n == 0:
        return (g.tensor(s), 1) if g.fault(1) else (":", 1)
    if g.fault(0.2):
        s = s[:-1] + (s[-1] + 1,)
    values = [g.randint(-n, n - 1) for _ in range(count(s))]
    if values and g.fault(0.3):
        values[g.randrange(len(values))] = g.choice([n, -n - 1])
    form = g.random()
    if form < 0.3 and values:
        literal = text(nest(values, s))
        return (literal if len(s) == 1 else f"torch.tensor({literal})"), 1
    if form < 0.36 and values and len(s) == 1 and n == count(s):
        return text([v % 2 == 0 for v in values]), 1
    if form < 0.45 and values:
        return f"np.array({text(nest(values, s))})", 1
    return g.tensor(s, g.choice(["int64", "int64", "int32"]), values), 1


def subscript(g, shape):
    """The text between the brackets, and its assignments of index variables."""
    grown = g.choice([(2,), (3,), (1,), (2, 2), (3, 2), (2, 1)] + ([(0,)] if g.chance(0.1) else []))
    parts, at, dots = [], 0, False
    while at < len(shape) or (not parts) or g.chance(0.12):
        if len(parts) >= 6:
            break
        if not dots and g.chance(0.1):
            dots = True
            parts.append("...")
            at = len(shape) - g.randint(0, len(shape) - at)
            continue
        if at >= len(shape) and parts and not g.chance(0.5):
            break
        p, used = piece(g, shape[at:], grown)
        parts.append(p)
        at += used
        if at < len(shape) and g.chance(0.22):
            break
    if g.fault(0.08):
        parts += ["0"] * (len(shape) + 1)
    inner = ", ".join(parts)
    if len(parts) == 1 and parts[0].startswith("["):
        inner += ","
    return inner


def random_reads(amount):
    g = Gen("torch subscript reads")
    for i in range(amount):
        g.faults = g.chance(0.2)
        shape = g.shape(0, 4)
        dtype = (
            "int64"
            if g.chance(0.8)
            else g.choice(["float32", "uint8", "bool", "float64", "int16", "complex64", "bfloat16"])
        )
        inner = subscript(g, shape)
        yield f"read/r{i:04}", [f"x = {g.twisted(shape, dtype)}", f"x[{inner}]"]


def random_writes(amount, result_shape):
    """`result_shape` tells what shape a read has, so that most values fit."""
    g = Gen("torch subscript writes")
    for i in range(amount):
        g.faults = g.chance(0.2)
        shape = g.shape(0, 4)
        dtype = g.choice(
            ["int64"] * 4
            + ["float32", "float32", "uint8", "int32", "float16", "bool", "complex64", "bfloat16", "float64"]
        )
        while True:
            made = g.twisted(shape, dtype)
            if "expand" not in made:
                break
        x = f"x = {made}"
        inner = subscript(g, shape)
        into = result_shape([x, f"x[{inner}]"])
        if into is None or g.chance(0.35):
            value = text(g.values(dtype, 1)[0])
        else:
            s = tuple(1 if g.chance(0.15) else d for d in into)
            s = s[g.randint(0, len(s)) :] if g.chance(0.2) else s
            if g.fault(0.3):
                s = s + (g.randint(2, 3),)
            vtype = dtype if g.chance(0.85) else g.choice(["int64", "float32", "int32"])
            value = g.tensor(s, vtype)
        lines = [x, f"x[{inner}] = {value}", "x"]
        if sum(map(len, lines)) < 1500:
            yield f"write/r{i:04}", lines


def cases(result_shape):
    yield from tables.load("torch_subscript")
    yield from reads_by_dtype()
    yield from writes_through_views()
    yield from random_reads(1000)
    yield from random_writes(600, result_shape)
