"""torch searches, views, printing, number conversion and the corner cases that cut across families."""

from literal import TORCH_DTYPES, Gen, count, text, text_shape

T = "torch.tensor"


def search_table():
    s = "s = torch.tensor([1, 3, 5, 7, 9])"
    b = "b = torch.tensor([[1, 3, 5, 7, 9], [2, 4, 6, 8, 10]])"
    v = "v = torch.tensor([[3, 6, 9], [3, 6, 9]])"
    table = [
        "torch.searchsorted(s, v)", "torch.searchsorted(b, v)", "torch.searchsorted(b, v, side='right')", "torch.searchsorted(b, v, right=True)", "torch.searchsorted(b, v, out_int32=True)", "torch.searchsorted(b, v, side='left')", "torch.searchsorted(b, v, side=None)", "torch.searchsorted(b, v, side='left', right=True)", "torch.searchsorted(b, v, side='right', right=False)",
        "torch.searchsorted(b, v, side='RIGHT')", "torch.searchsorted(b, v, side='middle')", "torch.searchsorted(s, 6)", "torch.searchsorted(s, 6, right=True, out_int32=True)", "torch.searchsorted(s, 5)", "torch.searchsorted(s, 5, right=True)", "torch.searchsorted(s, 2.5)", "torch.searchsorted(b, 6)", "torch.searchsorted(b, torch.tensor(6))", "torch.searchsorted(s, torch.tensor(6))", "torch.searchsorted(torch.tensor(5), 6)",
        "torch.searchsorted(b, torch.tensor([[3], [6]]))", "torch.searchsorted(b, torch.tensor([[3, 6, 9]]))", "torch.searchsorted(b, torch.tensor([3, 6]))", "torch.searchsorted(s, v, sorter=torch.tensor([0, 1, 2]))", "torch.searchsorted(s, v, sorter=torch.tensor([0, 1, 2, 3, 4]))", "torch.searchsorted(s, v, sorter=torch.tensor([4, 3, 2, 1, 0]))", "torch.searchsorted(s, v, sorter=torch.tensor([0, 1, 2, 3, 5]))", "torch.searchsorted(s, v, sorter=torch.tensor([0, 1, 2, 3, -1]))",
        "torch.searchsorted(s, v, sorter=torch.tensor([0, 1, 2, 3, 4], dtype=torch.int32))", "torch.searchsorted(s, v, sorter=torch.tensor([0, 1], dtype=torch.int32))", "torch.searchsorted(s, values=v)", "torch.searchsorted(s, input=v)", "torch.searchsorted(sorted_sequence=s, input=v, right=True)", "torch.searchsorted(sorted_sequence=s, self=4)", "torch.searchsorted(s, [1, 2])", "torch.searchsorted(s, v.float())", "torch.searchsorted(s, v.to(torch.int8))",
        "torch.searchsorted(s, torch.zeros(0, dtype=torch.int64))", "torch.searchsorted(torch.zeros(0), torch.tensor([1.0, 2.0]))", "torch.searchsorted(torch.zeros(0, 5), torch.zeros(0, 3))", "torch.searchsorted(torch.zeros(2, 0), torch.zeros(2, 3))", "torch.searchsorted(b.t(), torch.zeros((5, 1), dtype=torch.int64))", "torch.searchsorted(s, True)", "torch.searchsorted(s, 1j)", "torch.searchsorted(torch.tensor([False, True]), torch.tensor([True]))", "torch.searchsorted(torch.tensor([1j, 2j]), torch.tensor([1j]))",
        "torch.searchsorted(torch.tensor([1, 3, 5], dtype=torch.uint8), -1)", "torch.searchsorted(torch.tensor([1, 3, 5, 7, 9], dtype=torch.uint8), torch.tensor([-1], dtype=torch.int8))", "torch.searchsorted(torch.tensor([1, 3, 5], dtype=torch.int32), 2**40)", "torch.searchsorted(torch.tensor([0.1, 0.2, 0.3]), 0.3, right=True)", "torch.searchsorted(torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0.3], dtype=torch.float64), right=True)", "torch.searchsorted(torch.tensor([0.1, 0.2, 0.3]), torch.tensor(0.3, dtype=torch.float64), right=True)",
        "torch.searchsorted(torch.tensor([16777216, 16777217, 16777218]), torch.tensor([16777217.0]))", "torch.searchsorted(torch.tensor([16777216, 16777217, 16777218]), torch.tensor([16777217.0], dtype=torch.float64))", "torch.searchsorted(torch.tensor([1, 2, 3], dtype=torch.uint16), torch.tensor([2], dtype=torch.uint16))", "torch.searchsorted(torch.tensor([1.0, 2.0]).half(), torch.tensor([1.5]).bfloat16())",
        "torch.bucketize(v, s)", "torch.bucketize(6, s)", "torch.bucketize(v, s, right=True)", "torch.bucketize(v, s, out_int32=True)", "torch.bucketize(v, b)", "torch.bucketize(v, s, side='right')", "torch.bucketize(torch.tensor(6), s)", "torch.bucketize(input=v, boundaries=s)", "torch.bucketize(torch.zeros(0), s)", "torch.bucketize(2.5, s)", "torch.bucketize(v, torch.tensor(5))",
    ]
    for k, e in enumerate(table):
        yield f"search/t{k:03}", [s, b, v, e]
    sorts = ["torch.argsort(x, stable=True)", "x.argsort(stable=True)", "torch.argsort(x, dim=0, stable=True)", "torch.argsort(x, descending=True, stable=True)", "torch.argsort(x, dim=-2, descending=True, stable=True)", "torch.argsort(x, dim=2, stable=True)", "torch.argsort(x[0])", "torch.argsort(x, 1)", "torch.searchsorted(x, x, sorter=torch.argsort(x, stable=True))"]
    for k, e in enumerate(sorts):
        yield f"search/sort{k}", ["x = torch.tensor([[3, 1, 2, 1], [0, 9, -4, 0]])", e]
    for k, e in enumerate(["[float('nan'), 1.0, float('inf'), -float('inf'), -0.0, 0.0]", "[True, False, True]", "[]", "5", "[200, 3, 100]"]):
        yield f"search/sort_special{k}", [f"torch.argsort(torch.tensor({e}), stable=True)"]
        yield f"search/sort_down{k}", [f"torch.argsort(torch.tensor({e}), stable=True, descending=True)"]
    nan, inf = "float('nan')", "float('inf')"
    specials = [
        (f"[1.0, 2.0, 3.0, {nan}]", f"[{nan}, 0.0, 2.5, {inf}, -{inf}]"), ("[1.0, 2.0, 3.0]", f"[{nan}, {inf}, -{inf}]"), (f"[1.0, {nan}, {nan}]", f"[{nan}, 1.0, 2.0, {inf}]"), (f"[{nan}, 1.0, 2.0]", f"[0.0, 1.0, 2.0, 3.0, {nan}]"),
        (f"[-{inf}, 1.0, {inf}]", f"[-{inf}, {inf}, {nan}]"), ("[-0.0, 0.0]", "[-0.0, 0.0]"), ("[5, 1, 4, 2, 3]", "[1, 2, 3, 4, 5]"), ("[5, 4, 3, 2, 1]", "[1, 2, 3, 4, 5, 0, 6]"), ("[1, 1, 1, 2, 2]", "[0, 1, 2, 3]"),
    ]
    for k, (s, v) in enumerate(specials):
        for r in [False, True]:
            yield f"search/special{k}{int(r)}", [f"torch.searchsorted({T}({s}), {T}({v}), right={r})"]
    for d in TORCH_DTYPES:
        for e in TORCH_DTYPES:
            yield f"search/mixed/{d}/{e}", [f"torch.searchsorted(torch.arange(1, 5).to(torch.{d}), torch.tensor([0, 2, 9]).to(torch.{e}))"]
    for k, (o, e) in enumerate([("torch.zeros(3, dtype=torch.int64)", ""), ("torch.zeros(3, dtype=torch.int32)", ""), ("torch.zeros(3, dtype=torch.int32)", ", out_int32=True"), ("torch.zeros(7, dtype=torch.int64)", ""), ("torch.zeros(3)", ""), ("torch.zeros(1, dtype=torch.int64).expand(3)", "")]):
        yield f"search/out{k}", [f"x = {o}", f"torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([1, 2, 9]){e}, out=x)", "x"]


def random_search(amount):
    g = Gen("torch search")
    for i in range(amount):
        batch = g.choice([(), (), (2,), (2, 2), (3,)])
        n = g.randint(0, 7)
        dtype = g.choice(["int64", "int32", "float32", "float32", "float64", "uint8", "float16", "bfloat16", "int8"])
        rows = []
        for _ in range(count(batch)):
            row = g.values(dtype, n, 0)
            if g.chance(0.85):
                row.sort()
            if row and isinstance(row[0], float) and g.chance(0.2):
                row[-1] = float("nan")
            rows += row
        shape = (*batch, n)
        vshape = (*batch, g.randint(0, 4)) if batch else g.shape(0, 3, 9)
        vtype = dtype if g.chance(0.7) else g.choice(["int64", "float32", "float64", "int32", "uint8"])
        args = g.choice(["", ", right=True", ", side='right'", ", side='left'", ", out_int32=True"])
        lines = [f"s = {g.tensor(shape, dtype, rows)}"]
        if g.chance(0.2) and n and "nan" not in lines[0]:
            order = []
            for k in range(count(batch)):
                perm = list(range(n))
                g.shuffle(perm)
                order += perm
            lines.append(f"o = {g.tensor(shape, 'int64', order)}")
            args += ", sorter=o"
        if not batch and g.chance(0.15):
            lines.append(f"torch.searchsorted(s, {text(g.values(vtype, 1)[0])}{args})")
        else:
            lines += [f"v = {g.tensor(vshape, vtype, special=0.1)}", f"torch.searchsorted(s, v{args})"]
        yield f"search/r{i:04}", lines


def view_table():
    x = "x = torch.arange(24).reshape(2, 3, 4)"
    table = """x.t()|x.T|x.transpose(0, 1)|x.transpose(-1, 0)|x.transpose(0, 3)|x.permute(2, 0, 1)|x.permute((1, 0, 2))|x.permute(0, 1)|x.permute(0, 0, 1)|x.permute(-1, -3, -2)|x.view(6, 4)|x.view(-1)|x.view(-1, 8)|x.view(5, -1)|x.view(-1, -1)|x.view(2, 12)|x.reshape(4, 6)|x.reshape(-1, 2)|x.reshape(7)|x.reshape(())
x.transpose(0, 1).view(-1)|x.transpose(0, 1).reshape(-1)|x.transpose(0, 1).view(3, 2, 2, 2)|x[:, ::2].view(2, 8)|x[:, :2].view(2, 8)|x[:, :2].view(16)|x.expand(2, 3, 4)|x.expand(5, 2, 3, 4)|x[:1].expand(4, 3, 4)|x[:1].expand(4, -1, -1)|x.expand(-1, 2, 3, 4)|x.expand(4, 3, 4)|x.expand(3, 4)|x.squeeze()|x[:1].squeeze()|x[:1].squeeze(0)|x.squeeze(1)|x[:1, :, :1].squeeze(-1)|x.squeeze(5)|x.unsqueeze(0)|x.unsqueeze(-1)|x.unsqueeze(2)|x.unsqueeze(4)|x.unsqueeze(-5)
x.flip(0)|x.flip(0, 2)|x.flip([1])|x.flip(-1)|x.flip(3)|x.flip(0, 0)|torch.flip(x, (1, 2))|torch.flip(x, [])|x.select(0, 1)|x.select(-1, -1)|x.select(1, 3)|x.select(3, 0)|x.select(0, -3)|x.narrow(1, 0, 2)|x.narrow(2, -2, 2)|x.narrow(1, torch.tensor(1), 1)|x.narrow(1, 2, 2)|x.narrow(1, 4, 0)|x.narrow(1, -4, 1)|x.narrow(1, 0, -1)|x.narrow(1, 3, 0)|x.narrow(1, torch.tensor([1]), 1)|x.narrow(1, 0, 0)
x.diagonal()|x.diagonal(1)|x.diagonal(-1)|x.diagonal(0, 1, 2)|x.diagonal(1, -2, -1)|x.diagonal(9)|x.diagonal(-9)|x.diagonal(0, 0, 0)|x.diagonal(offset=1, dim1=0, dim2=2)|x.diagonal(0, 0, 3)|x.unfold(2, 2, 1)|x.unfold(2, 2, 2)|x.unfold(1, 3, 1)|x.unfold(0, 1, 1)|x.unfold(2, 5, 1)|x.unfold(2, 2, 0)|x.unfold(2, -1, 1)|x.unfold(2, 0, 1)|x.unfold(-1, 3, 7)|x.as_strided((2, 2), (1, 2))|x.as_strided((2, 2), (1, 2), 5)|x.as_strided((3, 3), (1, 1))|x.as_strided((2,), (-1,))|x.as_strided((30,), (1,))|x.as_strided((2, 2), (1,))|x.as_strided((4, 3), (0, 1))|x.as_strided((2, 2), (-1, 2))
x.stride()|x.shape|x.dtype|x.ndim|x.dim()|x.numel()|x.size()|x.size(1)|x.size(-4)|x.is_contiguous()|x.t|x[0].t()|x[0].T|x[0, 0].t()|x.transpose(0, 1).is_contiguous()|x.transpose(0, 1).contiguous()|x.contiguous()|x.clone()|x.transpose(0, 2).clone()|x[0, 0, 0].item()|x.tolist()|x.long()|x.int()|x.float()|x.double()|x.half()|x.bfloat16()|x.bool()|x.to(torch.complex64)
x.transpose(0, 1)[1:]|x[..., ::3].transpose(0, 2)|x[None, :, None]|x[::7]|x[:, None]|x[..., None]|x[5:]|x[1:, 2:1]|x.permute(2, 0, 1)[1:3, :, ::2]|x[1].unfold(0, 2, 1)[0]|x.unfold(1, 2, 1).select(0, 1)|x.narrow(2, 1, 2).diagonal(0, 1, 2)|x.expand(2, 2, 3, 4)[1, :, ::2]|torch.narrow(x, 1, 0, 1)|torch.select(x, 0, 1)|torch.transpose(x, 0, 1)|torch.permute(x, (2, 1, 0))|torch.squeeze(x)|torch.unsqueeze(x, 0)|torch.diagonal(x, 0, 1, 2)|torch.reshape(x, (4, 6))|torch.as_strided(x, (2,), (3,))
torch.select_scatter(x, torch.zeros((3, 4), dtype=torch.int64), 0, 1)|torch.select_scatter(x, torch.zeros(3, 4), 0, -1)|torch.select_scatter(x, torch.zeros(4), 0, 1)|torch.select_scatter(x, torch.zeros(3, 4), 0, 2)|torch.slice_scatter(x, torch.zeros(1, 3, 4), 0, 1)|torch.slice_scatter(x, torch.zeros(2, 3, 2), 2, 0, 4, 2)|torch.slice_scatter(x, torch.zeros(2, 3, 2), dim=2, start=-2)|torch.slice_scatter(x, torch.zeros(2, 3, 2), 2, 0, 99, 2)|torch.slice_scatter(x, torch.zeros(2, 3, 3), 2, 0, 4, 2)|torch.slice_scatter(x, torch.zeros(2, 3, 4), 2, 0, 4, 0)|torch.slice_scatter(x, torch.zeros(2, 3, 4), 2, 0, 4, -1)
torch.diagonal_scatter(x[0], torch.tensor([7, 8, 9]))|torch.diagonal_scatter(x[0], torch.tensor([7, 8, 9]), 1)|torch.diagonal_scatter(x[0], torch.tensor([7, 8]), -1)|torch.diagonal_scatter(x, torch.ones(2, 3), 0, 1, 2)|torch.diagonal_scatter(x[0], torch.tensor([7, 8]))|x[0].t().select_scatter(torch.tensor([7, 8, 9]), 0, 1)|x.select_scatter(torch.zeros(2, 4), 1, 0)|x.slice_scatter(torch.ones(2, 1, 4), 1, 1, 2)|x[0].diagonal_scatter(torch.tensor([7, 8, 9]))"""
    for k, e in enumerate(e for line in table.splitlines() for e in line.split("|")):
        if e not in ("x.t",):
            yield f"views/t{k:03}", [x, e]
    for k, e in enumerate("x.t()|x.T|x.transpose(0, 0)|x.transpose(0, 1)|x.permute()|x.view(1)|x.view(-1)|x.reshape(1, 1)|x.expand(3)|x.expand(2, 3)|x.squeeze()|x.squeeze(0)|x.unsqueeze(0)|x.unsqueeze(1)|x.flip(0)|x.select(0, 0)|x.narrow(0, 0, 1)|x.diagonal()|x.unfold(0, 1, 1)|x.unfold(0, 2, 1)|x.as_strided((3,), (0,))|x.shape|x.stride()".split("|")):
        yield f"views/zero{k:02}", ["x = torch.tensor(5)", e]
    for k, e in enumerate("x.view(-1)|x.view(0, -1)|x.view(3, 0)|x.reshape(0)|x.reshape(-1)|x.t()|x.flip(1)|x.unfold(1, 2, 1)|x.diagonal()|x.narrow(1, 1, 2)|x.select(0, 0)|x[:, 1]|x.squeeze(0)|x.expand(4, 0, 3)|x.expand(2, 3)".split("|")):
        yield f"views/empty{k:02}", ["x = torch.zeros(0, 3)", e]
    for k, (v, s) in enumerate([("x.t()", "y[0] = 9"), ("x.diagonal()", "y[:] = torch.tensor([7, 8, 9])"), ("x.diagonal(1)", "y[0] = 9"), ("x.narrow(1, 1, 2)", "y[:] = 9"), ("x.select(1, 1)", "y[1] = 9"), ("x.unfold(0, 2, 1)", "y[0] = 9"), ("x.view(-1)", "y[::2] = 0"), ("x[1:].t()", "y[y > 4] = 0"), ("x.as_strided((2, 2), (4, 1), 1)", "y[:] = -1"), ("x.unsqueeze(0)", "y[0, 1] = 7"), ("x.reshape(9)", "y[3] = 50"), ("x.t().reshape(9)", "y[3] = 50"), ("x.flip(0)", "y[0] = 50"), ("x.clone()", "y[0] = 50"), ("x.contiguous()", "y[0] = 50"), ("x.t().contiguous()", "y[0] = 50"), ("x[...]", "y[0] = 50"), ("x.long()", "y[0] = 50"), ("x.squeeze()", "y[0] = 50"), ("x.expand(1, 3, 3)", "y[0, 0] = 5")]):
        yield f"views/alias{k:02}", ["x = torch.arange(9).reshape(3, 3)", f"y = {v}", s, "x"]


def random_views(amount):
    g = Gen("torch views")
    import torch

    for i in range(amount):
        shape = g.shape(1, 4)
        steps = []
        t = torch.zeros(shape)
        for _ in range(g.randint(1, 3)):
            r = t.dim()
            d, e = (g.randrange(r), g.randrange(r)) if r else (0, 0)
            n = t.shape[d] if r else 0
            step = g.choice([
                f".transpose({d}, {e})", f".permute({', '.join(map(str, g.sample(range(r), r)))})" if r else ".unsqueeze(0)", f".unsqueeze({g.randint(0, r)})", ".squeeze()", f".narrow({d}, {g.randint(0, n // 2)}, {n // 2})" if r else "[None]",
                f".select({d}, {g.randint(-n, n - 1)})" if n else "[...]", f".unfold({d}, {g.randint(1, max(1, n))}, {g.randint(1, 2)})" if n else "[None]", f".diagonal({g.randint(-1, 1)}, {d}, {e})" if d != e else "[...]", f".flip({d})" if r else "[None]",
                f".expand({text_shape((2, *t.shape))})", f"[{', '.join([':'] * d + ['::2'])}]" if r else "[None]", ".reshape(-1)", ".contiguous()",
            ])
            steps.append(step)
            t = eval("t" + step, {"t": t})
            if t.numel() > 120:
                break
        yield f"views/r{i:04}", [f"x = {g.counting(shape)}", "x" + "".join(steps)]


def display_table():
    nan, inf = "float('nan')", "float('inf')"
    table = f"""5|5.5|True|-3|1 + 2j|2.5 - 1j|{nan}|{inf}|-0.0|1e10|1e-10|123456.789|[]|[[]]|[1, 2, 3]|[-1, 20, 300]|[True, False]|[1.0, 2.0]|[1.0, -2.5]|[1.0, 1000.0]|[1.0, 1001.0]|[1.5, 1000.5]|[1.5, 1501.5]|[1e8]|[100000008.0]|[1e-4]|[1e-5]|[0.0]|[-0.0, 0.0]|[12345.678]|[{nan}]|[{nan}, {inf}, -{inf}]|[{nan}, 1.0]|[{inf}, 1.5]|[[{inf}, 1.0], [-{inf}, 3.0]]|[{nan}, -1.5, 1e-7]|[0.00011, 0.5]|[0.1, 0.2, 0.30000001]|[1e9, 2e9]|[1.0, 2.0, {inf}]|[1e38, 1.0]|[1e-40]|[3.14159265, 2.71828182]|[99999.99999]|[0.99999]|[0.00005]|[1e4, 0.5]
[1 + 2j]|[1 + 2j, -3.5 - 1j]|[1.5 - 2j, complex_nan]|[1 + 2j, -1000.5 + 0j]|[0j]|[1e10 + 1j]|[[1 + 2j, 3j], [4, 5]]|[-1j]|[1e-5j]|[[1.0, 2.0], [3.0, 4.0]]|[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]|[[[[1]]]]|[[-1.5], [2.25]]|[9223372036854775807]|[-9223372036854775808]|[0.1 , 100.0, 99.5]"""
    for k, e in enumerate(e for line in table.splitlines() for e in line.split("|")):
        if "complex_nan" not in e:
            yield f"display/t{k:03}", [f"torch.tensor({e})"]
    more = [f"torch.tensor([1, 2]).to(torch.{d})" for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]] + [f"torch.tensor([1.5, -2]).to(torch.{d})" for d in ("float16", "bfloat16", "float64", "complex128")]
    more += [f"torch.zeros({text_shape(s)}, dtype=torch.{d})" for s in [(0,), (2, 0), (0, 3), (2, 0, 3)] for d in ("float32", "int64", "bool", "float64", "complex64", "complex128")]
    more += [f"torch.arange({n})" for n in (17, 18, 19, 20, 36, 37, 40, 100, 1000, 1001, 1100)] + [f"torch.arange({n}).float()" for n in (13, 14, 15, 20, 30, 1001)] + [f"torch.arange({n}).to(torch.{d})" for n in (16, 17, 20, 21) for d in ("int32", "int8", "float64", "float16", "bfloat16")]
    more += ["torch.zeros(6, 200)", "torch.zeros(7, 286)", "torch.arange(2002).reshape(7, 286).double()", "torch.arange(1200).reshape(2, 3, 200)", "torch.arange(1200).reshape(10, 10, 12)", "torch.arange(4096).reshape(8, 8, 8, 8)", "torch.ones(3, 334).half()", "torch.full((1001,), 1e-7)", "torch.arange(24).reshape(2, 3, 4)", "torch.arange(24).reshape(2, 3, 2, 2)", "torch.arange(24).reshape(1, 2, 3, 4).float()", "torch.arange(48).reshape(2, 2, 2, 2, 3)", "torch.arange(40).reshape(2, 20)", "torch.arange(40).reshape(2, 20).float()", "torch.arange(60).reshape(2, 30).bool()", "torch.arange(6).reshape(2, 3).t()", "torch.arange(12)[::2]", "torch.ones(2, 3).expand(4, 2, 3)", "torch.arange(20).to(torch.complex64)", "torch.arange(9).reshape(3, 3).to(torch.complex128)", "torch.ones(25, dtype=torch.bool)", "torch.ones(5, 1)", "torch.full((2, 2), float('nan'))", "torch.arange(1005)[3:]", "torch.arange(1001).reshape(1001, 1)", "torch.arange(1001).reshape(1, 1001)", "torch.arange(1001) > 500", "torch.zeros(2, 3).shape", "torch.zeros(()).shape", "torch.zeros(3).dtype", "torch.nonzero(torch.tensor([1, 0]), as_tuple=True)"]
    for k, e in enumerate(more):
        yield f"display/m{k:03}", [e]


def random_display(amount):
    g = Gen("torch display")
    for i in range(amount):
        shape = g.shape(0, 4, 40)
        dtype = g.choice(["float32", "float32", "float64", "float16", "bfloat16", "int64", "complex64", "uint8"])
        n = count(shape)
        if dtype.startswith("float") or dtype == "bfloat16":
            scale = g.choice([1.0, 1.0, 10.0, 1000.0, 1e-3, 1e6, 1e-6])
            v = [round(g.uniform(-1, 1), g.randint(0, 6)) * scale for _ in range(n)]
            for k in range(n):
                if g.chance(0.05):
                    v[k] = g.choice([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
            if g.chance(0.3):
                v = [float(round(e)) if abs(e) < 1e30 else e for e in v]
        elif dtype == "complex64":
            v = [complex(round(g.uniform(-9, 9), g.randint(0, 3)), round(g.uniform(-9, 9), g.randint(0, 3))) for _ in range(n)]
        else:
            v = g.values(dtype, n) if dtype == "uint8" else g.ints(n, *g.choice([(-9, 9), (-999, 999), (-(10**9), 10**9)]))
        yield f"display/r{i:04}", [g.tensor(shape, dtype, v)]


def scalar_table():
    numbers = ["0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "-255", "-256", "300", "32767", "32768", "65535", "65536", "-65535", "2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "2**62", "2**63", "-2**63", "2**64", "1.5", "-1.5", "0.5", "-0.5", "-1.0", "127.9", "-128.5", "255.5", "65504.0", "65519.0", "65520.0", "1e6", "3e9", "3.4028234e38", "3.4028235e38", "1e39", "1e308", "1e10", "16777217", "-0.0", "float('nan')", "float('inf')", "-float('inf')", "True", "False", "1j", "2 + 0j", "1.5 + 2j"]
    for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
        for k, n in enumerate(numbers):
            yield f"scalar/number/{d}/{k:02}", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[:] = {n}", "x"]
    sources = [("float64", "[float('nan'), float('inf'), -float('inf'), -1.5, 300.7, 1e10, 3e9, -0.5, 1e39, 65520.0, 0.1]"), ("float32", "[float('nan'), 1.5, -1.5, 300.7, 1e10, 70000.0, 0.1]"), ("float16", "[float('nan'), 1.5, -1.5, 300.75, float('inf'), 0.1]"), ("bfloat16", "[float('nan'), 1.5, -1.5, 300.0, 1e30, 0.1]"), ("int64", "[0, 1, -1, 127, 128, 255, 256, 300, -129, 65536, 2147483648, 4294967296, 16777217, 2049]"), ("int8", "[-128, -1, 0, 1, 127]"), ("uint8", "[0, 1, 128, 255]"), ("int32", "[-2147483648, -1, 300, 2147483647]"), ("bool", "[True, False]"), ("complex64", "[1 + 2j, 0j, 3j, -1.5 + 0j]")]
    for s, values in sources:
        for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
            yield f"scalar/cast/{s}/{d}", [f"torch.tensor({values}, dtype=torch.{s}).to(torch.{d})"]
    for d in ["uint8", "int8", "int64", "float16", "float32", "bool"]:
        for k, v in enumerate(["300", "-1", "-300", "1.7", "-0.5", "1e6", "float('nan')", "1j", "2**63"]):
            m = "torch.tensor([True, False])"
            yield f"scalar/ops/{d}/{k}/masked", [f"x = torch.zeros(2, dtype=torch.{d})", f"x.masked_fill_({m}, {v})", "x"]
            yield f"scalar/ops/{d}/{k}/fill", [f"x = torch.zeros(2, dtype=torch.{d})", f"x.index_fill_(0, torch.tensor([1]), {v})", "x"]
            yield f"scalar/ops/{d}/{k}/scatter", [f"x = torch.zeros(2, dtype=torch.{d})", f"x.scatter_(0, torch.tensor([1]), {v})", "x"]
            yield f"scalar/ops/{d}/{k}/full", [f"torch.full((1,), {v}, dtype=torch.{d})"]
            yield f"scalar/ops/{d}/{k}/one", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[0] = {v}", "x"]
            yield f"scalar/ops/{d}/{k}/put", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[[0], ] = {v}", "x"]
            if v != "2**63":
                yield f"scalar/ops/{d}/{k}/tensor", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[torch.tensor([True, False])] = torch.tensor({v})", "x"]
    for k, e in enumerate(["torch.tensor(1)", "torch.tensor(1.0)", "torch.tensor(True)", "torch.tensor(1j)", "torch.tensor([1, 2.5])", "torch.tensor([True, 2])", "torch.tensor([1, 2j])", "torch.tensor([])", "torch.tensor([[1, 2], [3]])", "torch.tensor(2**63)", "torch.tensor([1.7, -1.7], dtype=torch.int64)", "torch.tensor([300], dtype=torch.uint8)", "torch.tensor([-1], dtype=torch.uint8)", "torch.tensor([1e39])", "torch.tensor([70000.0], dtype=torch.float16)", "torch.tensor([0.5, 0.0], dtype=torch.bool)", "torch.tensor('a')", "torch.arange(5)", "torch.arange(1, 6)", "torch.arange(1, 10, 3)", "torch.arange(5.0)", "torch.arange(0, 1, 0.25)", "torch.arange(5, 0, -2)", "torch.arange(5, 0)", "torch.arange(3, dtype=torch.float32)", "torch.arange(0, 3, 0)", "torch.full((2, 2), 7)", "torch.full((2,), 1.5)", "torch.full((2,), True)", "torch.zeros(2, 3)", "torch.zeros((2, 3), dtype=torch.int32)", "torch.ones(3)", "torch.zeros([2])", "torch.zeros(())", "torch.zeros(-1)", "torch.empty(0)", "torch.LongTensor([4, 3, 2])", "torch.FloatTensor([1, 2])", "torch.zeros(3).type(torch.int64)", "torch.tensor(torch.tensor([1, 2]))", "torch.tensor(np.array([1, 2], dtype=np.int16))"]):
        yield f"scalar/make/{k:02}", [e]


def corner_cases():
    x, y = "x = torch.arange(24).reshape(2, 3, 4)", "x = torch.zeros(5, 6, 7, 8)"
    a = "a = torch.tensor([0, 1])"
    m = f"{T}([True, False, True])"
    f16 = ["i = torch.zeros(5, dtype=torch.int64)", "s = torch.tensor([2048.0, 1.0, 1.0, 1.0, 1.0]).half()"]
    table = {
        1: [[x, "x[0, :, [0, 1]].shape"]],
        2: [[y, "(x[:, 0, :, [0, 1]].shape, x[0, :, [0, 1], 0].shape)"]],
        3: [[y, a, "(x[torch.tensor([0]), :, a].shape, x[torch.tensor(0), :, a].shape)"]],
        4: [[x, "(x[[[0, 1], [1, 0]]].shape, x[([[0, 1], [1, 0]],)].shape)"]],
        5: [[y, "x[[[0]] * 32].shape"]],
        6: [[y, "x[[[0]] * 31]"]],
        7: [[x, "x[np.bool_(True)]"], [x, "x[True].shape"], [x, "x[np.array(True)].shape"]],
        8: [["(torch.arange(3)[torch.tensor(2, dtype=torch.uint8)].shape, torch.arange(3)[torch.tensor(2, dtype=torch.uint16)], torch.arange(3)[np.uint8(2)])"]],
        9: [["torch.arange(3)[torch.tensor([1], dtype=torch.int16)]"], ["x = torch.arange(3)", "x[torch.tensor(1, dtype=torch.int16)]"]],
        10: [["torch.arange(3)[[1.9]]"], ["torch.arange(3)[1.9]"], ["torch.arange(3)[torch.tensor([1.9])]"]],
        11: [[x, "(x[0, True].shape, x[0, :, True].shape, x[True, :, True].shape, x[True, 0, :, 0].shape)"]],
        12: [[x, "x[False, [0]].shape"]],
        13: [[x, "x[False, [0, 1]]"]],
        14: [["(torch.zeros(0, 3)[:, torch.tensor([5])].shape, torch.zeros(2, 0)[torch.tensor([5])].shape)"]],
        15: [["torch.zeros(0, 3)[torch.tensor([0])]"]],
        16: [[x, "x[:, :, torch.tensor([7])]"]],
        17: [["(torch.gather(torch.tensor(5), 0, torch.tensor([0, 0, 0])), torch.gather(torch.tensor([5, 6]), 0, torch.tensor(1)), torch.index_select(torch.tensor(7), 0, torch.tensor([0])))"]],
        18: [["torch.gather(torch.arange(6).reshape(2, 3), 1, torch.empty(0))"]],
        19: [["torch.take_along_dim(torch.arange(6).reshape(2, 3), torch.tensor([[7], [-7]]), 1)"]],
        20: [["torch.take_along_dim(torch.arange(6), torch.tensor([-1]))"]],
        21: [["x = torch.arange(6)", "x[1:] = x[:-1]", "x"]],
        22: [["x = torch.arange(6)", "x[::2] = x[:3]", "x"]],
        23: [["x = torch.arange(3)", "x[x] = 5", "x"]],
        24: [["x = torch.zeros(4, dtype=torch.int64)", "x.scatter_(0, torch.tensor([0, 1, 9, 2]), torch.tensor([1, 2, 3, 4]))", "x"]],
        25: [["x = torch.zeros(1, dtype=torch.uint8)", f"x[0] = {v}", "x"] for v in ("-1", "-255", "255.5", "torch.tensor(300)", "torch.tensor(-1.5)")],
        26: [["x = torch.zeros(1, dtype=torch.uint8)", f"x[0] = {v}", "x"] for v in ("-256", "256", "-0.5", "-1.0")],
        27: [["x = torch.zeros(3, dtype=torch.int64)", f"x[{m}] = torch.tensor([5.5])", "x"]],
        28: [["x = torch.zeros(3, dtype=torch.int64)", "x[[0]] = torch.tensor([5.5])", "x"]],
        29: [["x = torch.zeros(2, 3)", "x[False] = torch.tensor([1.0, 2.0])", "x"]],
        30: [[*f16, e] for e in ("torch.zeros(1).half().scatter_add(0, i, s)", "torch.zeros(1).half().index_put((i,), s, accumulate=True)", "torch.zeros(1).half().index_add(0, i, s)", "torch.zeros(1, 1).half().index_add(0, i, s.reshape(5, 1))", "torch.zeros(1, 1).half().index_add(0, i, s.reshape(5, 1), alpha=2)")],
        31: [["torch.tensor([200, 0], dtype=torch.uint8).scatter_reduce(0, torch.tensor([0]), torch.tensor([100], dtype=torch.uint8), 'mean')"]],
        32: [["torch.tensor([0, 0]).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([-1, -2]), 'mean', include_self=False)"]],
        37: [["torch.searchsorted(torch.tensor([1.0, 2.0, 3.0, float('nan')]), torch.tensor([float('nan'), 0.0, 2.5, float('inf'), -float('inf')]))"]],
        38: [["(torch.searchsorted(torch.tensor([1, 3, 5], dtype=torch.uint8), -1), torch.searchsorted(torch.tensor([1, 3, 5], dtype=torch.int32), 2**40))"]],
        39: [["(torch.searchsorted(torch.tensor([0.1, 0.2, 0.3]), 0.3, right=True), torch.searchsorted(torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0.3], dtype=torch.float64), right=True))"]],
        40: [["(torch.nonzero(torch.tensor(5)), torch.nonzero(torch.tensor(5), as_tuple=True), torch.nonzero(torch.tensor([[1, 0, 2], [0, 3, 0]])).stride())"]],
    }
    w = "w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)"
    table |= {
        33: [[w, "v = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)", "g = w.scatter(0, torch.tensor([0, 2]), v)", "g.backward(torch.tensor([10.0, 20.0, 30.0]))", "w.grad"]],
        34: [[w, "v = torch.tensor([5.0, 6.0], requires_grad=True)", "g = w.scatter(0, torch.tensor([0, 0]), v)", "g.backward(torch.tensor([10.0, 20.0, 30.0]))", "(w.grad, v.grad)"]],
        35: [["w = torch.tensor([5.0, 3.0], requires_grad=True)", "v = torch.tensor([5.0, 5.0], requires_grad=True)", "g = w.scatter_reduce(0, torch.tensor([0, 0]), v, 'amax')", "g.backward(torch.tensor([12.0, 20.0]))", "(w.grad, v.grad)"]],
        36: [["w = torch.tensor(5.0, requires_grad=True)", "g = torch.gather(w, 0, torch.tensor([0, 0]), sparse_grad=True)", "g.backward(torch.tensor([1.0, 2.0]))", "(w.grad._indices().shape, w.grad._values(), w.grad.is_coalesced(), w.grad.shape)"]],
    }
    for n in sorted(table):
        for k, lines in enumerate(table[n]):
            yield f"corner/{n:02}{'abcdefgh'[k] if len(table[n]) > 1 else ''}", lines


def cases():
    yield from search_table()
    yield from random_search(300)
    yield from view_table()
    yield from random_views(300)
    yield from display_table()
    yield from random_display(200)
    yield from scalar_table()
    yield from corner_cases()
