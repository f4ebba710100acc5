"""torch index_put, index_add, index_copy, index_fill, index_reduce, put and the masked family."""

import tables
from literal import TORCH_DTYPES, Gen, count, text
from torch_axis import data, full, index_literal


def by_dtype():
    for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
        x, s, i = (
            f"torch.tensor([3, 2, 1]).to(torch.{d})",
            f"torch.tensor([1, 2, 4]).to(torch.{d})",
            "torch.tensor([0, 0, 2])",
        )
        calls = [
            f"index_put(({i},), {s})",
            f"index_put(({i},), {s}, accumulate=True)",
            f"index_add(0, {i}, {s})",
            f"index_add(0, {i}, {s}, alpha=2)",
            f"index_copy(0, {i}, {s})",
            f"index_fill(0, {i}, 1)",
            f"put({i}, {s})",
            f"put({i}, {s}, accumulate=True)",
            *[
                f"index_reduce(0, {i}, {s}, '{r}'{k})"
                for r in ("prod", "mean", "amax", "amin")
                for k in ("", ", include_self=False")
            ],
            "masked_select(torch.tensor([True, False, True]))",
            "masked_fill(torch.tensor([True, False, True]), 1)",
            f"masked_scatter(torch.tensor([True, False, True]), {s})",
            "nonzero()",
        ]
        for k, c in enumerate(calls):
            yield f"index/{d}/{k:02}", [f"{x}.{c}"]


def random_index(amount):
    g = Gen("torch index family")
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = full(g.shape(1, 3, 30))
        dim = g.randrange(len(shape))
        dtype = g.choice(["int64", "float32", "float32"] + TORCH_DTYPES)
        n = shape[dim]
        k = g.choice([1, 1, 2, 3, 4])
        source = tuple(k if d == dim else s for d, s in enumerate(shape))
        if g.fault(0.2):
            source = source[:-1] + (source[-1] + 1,)
        d = dim if g.chance(0.7) else dim - len(shape)
        special = 0.1 if dtype in ("float32", "float64") else 0
        lines = [f"x = {data(g, shape, dtype, special)}"]
        op = g.choice(["index_add", "index_copy", "index_fill", "index_reduce", "index_reduce", "index_put", "put"])
        keep = g.choice(["", "", ", include_self=False"])
        v = text(g.values(dtype, 1)[0])
        many = count(shape)
        if op == "put":
            s = g.choice([(3,), (2, 2), (1,), ()])
            lines += [f"i = {index_literal(g, s, many, 'int64', negative=True)}", f"s = {g.tensor(s, dtype)}"]
            args = "i, s" + g.choice(["", ", accumulate=True"])
        elif op == "index_put":
            used = g.randint(1, len(shape))
            s = g.choice([(2,), (3,), (2, 2)])
            idx = [index_literal(g, s if g.chance(0.8) else (1,), shape[j], negative=True) for j in range(used)]
            lines += [f"i = {a}" if used == 1 else f"i{j} = {a}" for j, a in enumerate(idx)]
            names = "i," if used == 1 else ", ".join(f"i{j}" for j in range(used))
            lines.append(f"s = {g.tensor(g.choice([(), shape[used:]]), dtype)}")
            args = f"({names}), s" + g.choice(["", ", accumulate=True"])
        else:
            idx = index_literal(
                g, (k,), n, "int64" if op in ("index_copy", "index_fill") else None, negative=op == "index_fill"
            )
            lines.append(f"i = {idx}")
            if op != "index_fill":
                lines.append(f"s = {data(g, source, dtype, special)}")
            args = {
                "index_add": f"{d}, i, s"
                + g.choice(["", "", f", alpha={v}" if "complex" not in dtype and dtype != "bool" else ""]),
                "index_copy": f"{d}, i, s",
                "index_fill": f"{d}, i, {v}",
                "index_reduce": f"{d}, i, s, '{g.choice(['prod', 'mean', 'amax', 'amin'])}'{keep}",
            }[op]
        if g.chance(0.5):
            yield f"index/r{i:04}", [*lines, f"x.{op}_({args})", "x"]
        else:
            yield f"index/r{i:04}", [*lines, f"x.{op}({args})"]


def random_masked(amount):
    g = Gen("torch masked")
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = g.shape(0, 4, 40)
        dtype = g.choice(["int64", "float32"] + TORCH_DTYPES)
        m = tuple(1 if g.chance(0.15) else s for s in shape)
        m = m[g.randint(0, len(m)) :] if g.chance(0.15) else m
        if g.fault(0.2) and m:
            m = m[:-1] + (m[-1] + 1,)
        lines = [f"x = {g.twisted(shape, dtype)}", f"m = {g.tensor(m, 'bool')}"]
        v = text(g.values(dtype, 1)[0])
        op = g.choice(["masked_select", "masked_fill", "masked_scatter", "where", "nonzero"])
        if op == "masked_select":
            lines.append(g.choice(["x.masked_select(m)", "torch.masked_select(x, m)"]))
        elif op == "where":
            lines.append(
                f"torch.where(m, x, {g.choice([v, g.tensor((), dtype), g.tensor((), g.choice(TORCH_DTYPES))])})"
            )
        elif op == "nonzero":
            lines = [
                f"x = {data(g, shape, dtype)}",
                g.choice(
                    [
                        "torch.nonzero(x)",
                        "torch.nonzero(x, as_tuple=True)",
                        "x.t().nonzero()" if len(shape) == 2 else "torch.argwhere(x)",
                    ]
                ),
            ]
        else:
            if op == "masked_fill":
                args = f"m, {v}"
            else:
                lines.append(f"s = {g.counting((max(0, count(shape) - g.fault(0.4) * 2),), dtype)}")
                args = "m, s"
            if g.chance(0.5) or "expand" in lines[0]:
                lines.append(f"x.{op}({args})")
            else:
                lines += [f"x.{op}_({args})", "x"]
        yield f"masked/r{i:04}", lines


def cases():
    yield from tables.load("torch_index")
    yield from by_dtype()
    yield from random_index(330)
    yield from random_masked(320)
