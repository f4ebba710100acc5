"""torch index_put, index_add, index_copy, index_fill, index_reduce, put and the masked family."""

from literal import TORCH_DTYPES, Gen, count, text
from torch_axis import along, data, full, index_literal

T = "torch.tensor"


def index_table():
    one = [
        f"x.index_put_(({T}([0, 1]), {T}([2, 0])), {T}([7.0, 8.0]))", f"x.index_put_(({T}([0, 1]), {T}([2, 0])), {T}(7.0))", f"x.index_put_(({T}([0, 0]),), {T}([[1.0], [2.0]]))", f"x.index_put_(({T}([0, 0]),), {T}([[1.0], [2.0]]), accumulate=True)",
        f"x.index_put_(({T}([0, 0]), {T}([1, 1])), {T}([1.0, 2.0]), accumulate=True)", f"x.index_put_(({T}([-1]), {T}([-3])), {T}(5.0))", f"x.index_put_(({T}(0), {T}(1)), {T}(5.0))", f"x.index_put_(({T}([[True, False, True], [False, True, False]]),), {T}([1.0, 2.0, 3.0]))",
        f"x.index_put_(({T}([True, False]),), {T}([1.0, 2.0, 3.0]))", f"x.index_put_(({T}([0]), {T}([0]), {T}([0])), {T}(5.0))", f"x.index_put_((), {T}(5.0))", f"x.index_put_((0, {T}([1])), {T}(5.0))", f"x.index_put_((None, {T}([1])), {T}(5.0))", f"x.index_put_([{T}([1])], {T}(5.0))",
        f"x.index_put_(({T}([0]),), 5.0)", f"x.index_put_(({T}([0]),), {T}(5))", f"x.index_put_(({T}([0, 1]),), {T}([1.0, 2.0]))", f"x.index_put_(({T}([2]),), {T}(5.0))", f"x.index_put_(({T}([0, 5]), {T}([0])), {T}(5.0), True)", f"x.index_put_(({T}([0, 1], dtype=torch.int32),), {T}(5.0))",
        f"x.index_put_(({T}([0, 1], dtype=torch.int16),), {T}(5.0))", f"x.index_put_(({T}([0, 1]), {T}([0, 1, 2])), {T}(5.0))", f"x.index_put_(({T}([]).long(),), {T}(5.0))", f"x.index_put_(({T}([0]),), x[0])", f"x.index_put_(indices=({T}([0]),), values={T}(1.0), accumulate=True)",
        f"x.index_add_(0, {T}([0, 0, 1]), torch.ones(3, 3))", f"x.index_add_(1, {T}([2, 0]), torch.ones(2, 2), alpha=2)", f"x.index_add_(1, {T}([2, 0]), torch.ones(2, 2), alpha=-0.5)", f"x.index_add_(-1, {T}(1), torch.ones(2, 1))", f"x.index_add_(0, {T}([[0]]), torch.ones(1, 3))", f"x.index_add_(0, {T}([2]), torch.ones(1, 3))",
        f"x.index_add_(0, {T}([-1]), torch.ones(1, 3))", f"x.index_add_(1, {T}([3]), torch.ones(2, 1))", f"x.index_add_(1, {T}([3]), torch.ones(2, 1), alpha=2)", f"x.index_add_(0, {T}([0]), torch.ones(1, 2))", f"x.index_add_(0, {T}([0]), torch.ones(2, 3))", f"x.index_add_(0, {T}([0]), torch.ones(3))", f"x.index_add_(0, {T}([0], dtype=torch.int32), torch.ones(1, 3))",
        f"x.index_add_(0, {T}([0], dtype=torch.int16), torch.ones(1, 3))", f"x.index_add_(0, {T}([0]), torch.ones(1, 3).long())", f"x.index_add_(2, {T}([0]), torch.ones(1, 3))", f"x.index_add_(0, {T}([0]), 1.0)", f"x.index_add_(0, {T}([]).long(), torch.ones(0, 3))", f"x.index_add_(0, {T}([0]), torch.ones(1, 3), alpha=1j)", f"x.index_add_(0, {T}([0, 1]), x)",
        f"x.index_copy_(0, {T}([1, 0]), {T}([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))", f"x.index_copy_(0, {T}([1, 1]), {T}([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))", f"x.index_copy_(1, {T}([2]), torch.ones(2, 1))", f"x.index_copy_(0, {T}([0], dtype=torch.int32), torch.ones(1, 3))", f"x.index_copy_(0, {T}([[0]]), torch.ones(1, 3))", f"x.index_copy_(0, {T}([2]), torch.ones(1, 3))",
        f"x.index_copy_(0, {T}([-1]), torch.ones(1, 3))", f"x.index_copy_(0, {T}([0]), torch.ones(1, 2))", f"x.index_copy_(0, {T}([0]), torch.ones(2, 3))", f"x.index_copy_(0, {T}([0]), torch.ones(3))", f"x.index_copy_(0, {T}([0]), torch.ones(1, 3).long())", f"x.index_copy_(0, {T}(0), torch.ones(1, 3))", f"x.index_copy_(0, {T}([0, 1]), {T}(5.0))", f"x.index_copy_(3, {T}([0]), torch.ones(1, 3))",
        f"x.index_fill_(0, {T}([0]), 7)", f"x.index_fill_(1, {T}([0, -1]), 7.5)", f"x.index_fill_(1, {T}(1), {T}(4))", f"x.index_fill_(1, {T}([1]), {T}([4]))", f"x.index_fill_(1, {T}([3]), 4)", f"x.index_fill_(1, {T}([-4]), 4)", f"x.index_fill_(1, {T}([1], dtype=torch.int32), 4)", f"x.index_fill_(1, {T}([], dtype=torch.int32), 4)", f"x.index_fill_(1, {T}([[1]]), 4)", f"x.index_fill_(2, {T}([1]), 4)",
        f"x.index_fill_(1, {T}([1]), 1j)", f"x.index_fill_(1, {T}([1]), 1e39)", f"x.index_fill_(1, {T}([1]), float('nan'))", f"x.index_fill_(1, {T}([1, 1]), True)", f"x.index_fill_(1, {T}([]).long(), 4)", f"x.index_fill_(dim=0, index={T}([1]), value=3)",
        f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 3.0), 'prod')", f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 3.0), 'mean')", f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 3.0), 'amax')", f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 1.0), 'amin')", f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 3.0), 'prod', include_self=False)",
        f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 3.0), 'mean', include_self=False)", f"x.index_reduce_(0, {T}([0, 0]), torch.full((2, 3), 3.0), 'sum')", f"x.index_reduce_(0, {T}([0, 2]), torch.full((2, 3), 3.0), 'prod')", f"x.index_reduce_(0, {T}([0, -1]), torch.full((2, 3), 3.0), 'amax', include_self=False)", f"x.index_reduce_(0, {T}([0]), torch.full((2, 3), 3.0), 'prod')",
        f"x.index_reduce_(0, {T}([0], dtype=torch.int16), torch.full((1, 3), 3.0), 'prod')", f"x.index_reduce_(0, {T}([0]), torch.full((1, 3), float('nan')), 'amax')", f"x.index_reduce_(0, {T}([[0]]), torch.full((1, 3), 3.0), 'prod')", f"x.index_reduce_(0, {T}([0]), torch.full((1, 2), 3.0), 'prod')",
        f"x.put_({T}([0, 5]), {T}([1.0, 2.0]))", f"x.put_({T}([[-1], [-6]]), {T}([[1.0, 2.0]]))", f"x.put_({T}([1, 1]), {T}([1.0, 2.0]))", f"x.put_({T}([1, 1]), {T}([1.0, 2.0]), accumulate=True)", f"x.put_({T}([1, 2]), {T}([1.0]))", f"x.put_({T}([6]), {T}([1.0]))", f"x.put_({T}([0, -7]), {T}([1.0, 2.0]))", f"x.put_({T}([0], dtype=torch.int32), {T}([1.0]))",
        f"x.put_({T}([0]), {T}([1]))", f"x.t().put_({T}([0, 1]), {T}([7.0, 8.0]))", f"x.put_({T}([0.0]), {T}([1.0]))", f"x.put_({T}([]).long(), {T}([]))", f"x.put_({T}([0]), x[0, :1])", f"x.put_({T}(3), {T}(9.0))", f"x.put_({T}([0]), 5.0)",
    ]
    for k, e in enumerate(one):
        yield f"index/t{k:03}", ["x = torch.full((2, 3), 2.0)", e, "x"]
    zero = [
        "torch.tensor(5).index_add(0, torch.tensor([0]), torch.tensor(3))", "torch.tensor(5).index_add(0, torch.tensor([0]), torch.tensor([3]))", "torch.tensor(5).index_add(0, torch.tensor([0, 0]), torch.tensor(3))", "torch.tensor(5).index_copy(0, torch.tensor([0]), torch.tensor(3))", "torch.tensor(5).index_copy(0, torch.tensor([0]), torch.tensor([3]))",
        "torch.tensor([5, 6]).index_copy(0, torch.tensor([1]), torch.tensor(3))", "torch.tensor([5, 6]).index_copy(0, torch.tensor([1, 0]), torch.tensor(3))", "torch.tensor(5).index_fill(0, torch.tensor([0]), 3)", "torch.tensor(5).index_put((torch.tensor([0]),), torch.tensor(3))", "torch.tensor(5).index_put((torch.tensor(True),), torch.tensor(3))",
        "torch.tensor(5).put(torch.tensor([0, -1]), torch.tensor([1, 2]))", "torch.tensor(5.0).index_reduce(0, torch.tensor([0]), torch.tensor(3.0), 'prod')", "torch.zeros(0).put(torch.tensor([0]), torch.tensor([1.0]))", "torch.zeros(0).put(torch.tensor([]).long(), torch.tensor([]))", "torch.arange(4).index_add(0, torch.tensor([0]), torch.tensor([2]), alpha=1.5)",
        "torch.zeros(2, dtype=torch.uint8).index_add(0, torch.tensor([0]), torch.tensor([2], dtype=torch.uint8), alpha=300)", "torch.zeros(2, dtype=torch.uint8).index_add(0, torch.tensor([0]), torch.tensor([2], dtype=torch.uint8), alpha=-1)", "torch.tensor([True, False]).index_add(0, torch.tensor([0, 1]), torch.tensor([False, True]))", "torch.tensor([True, False]).index_add(0, torch.tensor([0, 1]), torch.tensor([False, True]), alpha=0)",
        "torch.tensor([True, False]).index_put((torch.tensor([0, 1]),), torch.tensor([False, True]), accumulate=True)", "torch.zeros(2, dtype=torch.int64).index_reduce(0, torch.tensor([0, 0, 0]), torch.tensor([-7, 1, 2]), 'mean', include_self=False)", "torch.tensor([7, 0], dtype=torch.uint8).index_reduce(0, torch.tensor([0, 0]), torch.tensor([100, 200], dtype=torch.uint8), 'mean')",
        "torch.zeros(1).half().index_add(0, torch.zeros(5, dtype=torch.int64), torch.tensor([2048.0, 1, 1, 1, 1]).half())", "torch.zeros(1, 1).half().index_add(0, torch.zeros(5, dtype=torch.int64), torch.tensor([[2048.0], [1], [1], [1], [1]]).half())", "torch.zeros(1, 1).half().index_add(0, torch.zeros(5, dtype=torch.int64), torch.tensor([[2048.0], [1], [1], [1], [1]]).half(), alpha=2)",
        "torch.zeros(1).half().index_put((torch.zeros(5, dtype=torch.int64),), torch.tensor([2048.0, 1, 1, 1, 1]).half(), accumulate=True)", "torch.zeros(1).bfloat16().index_put((torch.zeros(5, dtype=torch.int64),), torch.tensor([256.0, 1, 1, 1, 1]).bfloat16(), accumulate=True)", "torch.zeros(1).half().put(torch.zeros(5, dtype=torch.int64), torch.tensor([2048.0, 1, 1, 1, 1]).half(), accumulate=True)",
        "torch.zeros(1).half().index_reduce(0, torch.zeros(5, dtype=torch.int64), torch.tensor([2048.0, 1, 1, 1, 1]).half(), 'mean')", "torch.tensor([100, 100], dtype=torch.int8).index_add(0, torch.tensor([0, 1]), torch.tensor([100, 27], dtype=torch.int8))", "torch.index_put(torch.zeros(3), (torch.tensor([2]),), torch.tensor(1.0))", "torch.index_add(torch.zeros(3), 0, torch.tensor([2]), torch.ones(1))",
        "torch.index_copy(torch.zeros(3), 0, torch.tensor([2]), torch.ones(1))", "torch.index_fill(torch.zeros(3), 0, torch.tensor([2]), 1)", "torch.index_reduce(torch.zeros(3), 0, torch.tensor([2]), torch.ones(1), 'amax')", "torch.arange(6).reshape(2, 3).t().index_fill(0, torch.tensor([0]), 9)", "torch.arange(6).reshape(2, 3).t().index_add(0, torch.tensor([0]), torch.tensor([[5, 6]]))",
    ]
    for k, e in enumerate(zero):
        yield f"index/z{k:03}", [e]
    for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
        x, s, i = f"torch.tensor([3, 2, 1]).to(torch.{d})", f"torch.tensor([1, 2, 4]).to(torch.{d})", "torch.tensor([0, 0, 2])"
        calls = [
            f"index_put(({i},), {s})", f"index_put(({i},), {s}, accumulate=True)", f"index_add(0, {i}, {s})", f"index_add(0, {i}, {s}, alpha=2)", f"index_copy(0, {i}, {s})", f"index_fill(0, {i}, 1)", f"put({i}, {s})", f"put({i}, {s}, accumulate=True)",
            *[f"index_reduce(0, {i}, {s}, '{r}'{k})" for r in ("prod", "mean", "amax", "amin") for k in ("", ", include_self=False")],
            "masked_select(torch.tensor([True, False, True]))", "masked_fill(torch.tensor([True, False, True]), 1)", f"masked_scatter(torch.tensor([True, False, True]), {s})", "nonzero()",
        ]
        for k, c in enumerate(calls):
            yield f"index/{d}/{k:02}", [f"{x}.{c}"]
    for k, e in enumerate(["x.index_add_(0, torch.tensor([0]), torch.ones(1, 3))", "x.index_copy_(0, torch.tensor([0]), torch.ones(1, 3))", "x.index_fill_(0, torch.tensor([0]), 1)", "x.put_(torch.tensor([0]), torch.ones(1))", "x.index_put_((torch.tensor([0]),), torch.ones(3))"]):
        yield f"index/expanded{k}", ["x = torch.zeros(1, 3).expand(2, 3)", e, "x"]


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
            idx = index_literal(g, (k,), n, "int64" if op in ("index_copy", "index_fill") else None, negative=op == "index_fill")
            lines.append(f"i = {idx}")
            if op != "index_fill":
                lines.append(f"s = {data(g, source, dtype, special)}")
            args = {
                "index_add": f"{d}, i, s" + g.choice(["", "", f", alpha={v}" if "complex" not in dtype and dtype != "bool" else ""]),
                "index_copy": f"{d}, i, s",
                "index_fill": f"{d}, i, {v}",
                "index_reduce": f"{d}, i, s, '{g.choice(['prod', 'mean', 'amax', 'amin'])}'{keep}",
            }[op]
        if g.chance(0.5):
            yield f"index/r{i:04}", [*lines, f"x.{op}_({args})", "x"]
        else:
            yield f"index/r{i:04}", [*lines, f"x.{op}({args})"]


M23 = "torch.tensor([[True, False, True], [False, True, False]])"


def masked_table():
    x = "x = torch.arange(6).reshape(2, 3)"
    reads = [
        f"torch.masked_select(x, {M23})", f"x.masked_select({M23})", "x.masked_select(torch.tensor([True, False, True]))", "x[:1].masked_select(torch.tensor([[True], [True]]))", "torch.tensor(7).masked_select(torch.tensor([True, False, True]))", "x.masked_select(torch.tensor(True))",
        "x.masked_select(torch.tensor([True, False]))", "x.masked_select(torch.tensor([1, 0, 1]))", "x.masked_select(torch.tensor([1, 0, 1], dtype=torch.uint8))", f"x.t().masked_select({M23}.t())", "x.masked_select(x > 100)", "torch.zeros(0, 3).masked_select(torch.tensor([True, False, True]))", "x.masked_select([True])", "x.masked_select(x > 2)",
        f"torch.masked_fill(x, {M23}, 9)", f"x.masked_fill({M23}, 2.9)", f"x.masked_fill({M23}, torch.tensor(9))", f"x.masked_fill({M23}, torch.tensor([9]))", f"x.masked_fill({M23}, 1j)", f"x.masked_fill({M23}, float('nan'))", "torch.tensor(7).masked_fill(torch.tensor([True, False]), 1)", "x.masked_fill(torch.tensor([True, False]), 1)",
        "x.masked_fill(torch.tensor([1, 0, 1]), 1)", "x.masked_fill(torch.tensor([1, 0, 1], dtype=torch.uint8), 1)", "torch.zeros(3, dtype=torch.uint8).masked_fill(torch.tensor([False, False, False]), 300)", "torch.zeros(3, dtype=torch.uint8).masked_fill(torch.tensor([True, False, False]), torch.tensor(300))", "torch.zeros(3, dtype=torch.uint8).masked_fill(torch.tensor([True, False, False]), -1)",
        "x.masked_fill(x > 2, -1)", "x.float().masked_fill(x > 2, -float('inf'))", f"torch.masked_scatter(x, {M23}, torch.tensor([7, 8, 9, 10]))", f"x.masked_scatter({M23}, torch.tensor([[7, 8], [9, 10]]))", f"x.masked_scatter({M23}, torch.tensor([7, 8]))", f"x.masked_scatter({M23}, torch.tensor([7.0, 8.0, 9.0]))",
        "x.masked_scatter(torch.tensor([True, False, True]), torch.arange(10, 20))", "torch.tensor(7).masked_scatter(torch.tensor([True, True]), torch.tensor([1, 2]))", "x.masked_scatter(torch.tensor([1, 0, 1]), torch.arange(9))", "x.masked_scatter(torch.tensor([1, 0, 1], dtype=torch.uint8), torch.arange(9))", f"x.masked_scatter({M23}, 5)",
        f"torch.where({M23}, x, -1)", f"torch.where({M23}, x, torch.tensor([10, 20, 30]))", "torch.where(torch.tensor([True, False]), torch.tensor([1, 2], dtype=torch.int32), torch.tensor(5))", "torch.where(torch.tensor([True, False]), torch.zeros(2).half(), 2.5)", "torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), 2.5)",
        "torch.where(torch.tensor([True, False]), torch.tensor([1, 2], dtype=torch.uint8), torch.tensor([-1, -2], dtype=torch.int8))", "torch.where(torch.tensor([True, False]), 1, 2)", "torch.where(torch.tensor([True, False]), 1.5, 2)", "torch.where(torch.tensor([True, False]), True, False)", "torch.where(torch.tensor([True, False]), torch.tensor([1, 2], dtype=torch.uint8), 300)",
        "torch.where(torch.tensor([1, 0]), 1, 2)", "torch.where(torch.tensor([1, 0], dtype=torch.uint8), 1, 2)", "torch.where(torch.tensor([[True], [False]]), torch.tensor([1, 2, 3]), torch.tensor(0))", "torch.where(torch.tensor([True, False, True]), torch.tensor([1, 2]), 0)", f"torch.where({M23})", "x.where(x > 2, 0)", "x.where(x > 2, torch.tensor(0.5))", "torch.where(x > 2, x, x.float())", "torch.where(torch.tensor(True), x, 0)",
        f"torch.nonzero({M23})", f"torch.nonzero({M23}, as_tuple=True)", "x.nonzero()", "x.nonzero().stride()", "torch.nonzero(torch.tensor(5))", "torch.nonzero(torch.tensor(0))", "torch.nonzero(torch.tensor(5), as_tuple=True)", "torch.nonzero(torch.tensor(0), as_tuple=True)", "torch.argwhere(x)", "torch.argwhere(torch.tensor(5))", "torch.nonzero(torch.tensor([float('nan'), -0.0, 0.0, 1e-45]))",
        "torch.nonzero(torch.zeros(2, 0))", "torch.nonzero(torch.zeros(0, 3))", "x.t().nonzero()", "torch.nonzero(torch.tensor([0j, 1j, 1 + 0j]))", "torch.nonzero(x > 100)", "torch.nonzero(x > 3, as_tuple=True)", "torch.nonzero(torch.zeros(2, dtype=torch.uint16))", "torch.where(x > 3)", "torch.where(torch.tensor(5))",
    ]
    for k, e in enumerate(reads):
        yield f"masked/t{k:03}", [x, e]
    writes = [
        f"x.masked_fill_({M23}, 9)", "x[:1].masked_fill_(torch.tensor([[True], [True]]), 9)", "x.masked_fill_(torch.tensor([True, False, True]), 9)", "x.masked_fill_(x > 2, torch.tensor(7.9))", f"x.masked_fill_({M23}, 2**63)", f"x.masked_scatter_({M23}, torch.tensor([7, 8, 9]))", f"x.masked_scatter_({M23}, torch.tensor([7]))",
        "x.masked_scatter_(torch.tensor([True, False, True]), torch.arange(10, 20))", "x.masked_scatter_(torch.tensor([[[True, True, True]]]), torch.arange(10, 20))", f"x.t().masked_scatter_({M23}.t(), torch.tensor([7, 8, 9]))", "x.masked_fill_(torch.tensor([True, False]), 9)", f"x[:, ::2].masked_fill_({M23}[:, 1:], 9)",
    ]
    for k, e in enumerate(writes):
        yield f"masked/w{k:03}", [x, e, "x"]
    for k, (o, e) in enumerate([("torch.zeros(3, dtype=torch.int64)", f"torch.masked_select(y, {M23}, out=x)"), ("torch.zeros(3)", f"torch.masked_select(y, {M23}, out=x)"), ("torch.zeros(0, dtype=torch.int64)", f"torch.masked_select(y, {M23}, out=x)"), ("torch.zeros(0, dtype=torch.int32)", "torch.nonzero(y, out=x)"), ("torch.zeros(0, dtype=torch.int64)", "torch.nonzero(y, out=x)"), ("torch.zeros((2, 3), dtype=torch.int64)", f"torch.where({M23}, y, 0, out=x)"), ("torch.zeros(2, 3)", f"torch.where({M23}, y, torch.tensor(0), out=x)"), ("torch.zeros((2, 3), dtype=torch.int64)", f"torch.where({M23}, y, torch.tensor(0), out=x)")]):
        yield f"masked/out{k}", ["y = torch.arange(6).reshape(2, 3)", f"x = {o}", e, "x"]


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
            lines.append(f"torch.where(m, x, {g.choice([v, g.tensor((), dtype), g.tensor((), g.choice(TORCH_DTYPES))])})")
        elif op == "nonzero":
            lines = [f"x = {data(g, shape, dtype)}", g.choice(["torch.nonzero(x)", "torch.nonzero(x, as_tuple=True)", "x.t().nonzero()" if len(shape) == 2 else "torch.argwhere(x)"])]
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
    yield from index_table()
    yield from random_index(330)
    yield from masked_table()
    yield from random_masked(320)
