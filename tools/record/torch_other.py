"""torch searches, views, printing, number conversion and the corner cases that cut across families."""

import tables
from literal import TORCH_DTYPES, Gen, count, text, text_shape

T = "torch.tensor"


def searches():
    for k, e in enumerate(
        [
            "[float('nan'), 1.0, float('inf'), -float('inf'), -0.0, 0.0]",
            "[True, False, True]",
            "[]",
            "5",
            "[200, 3, 100]",
        ]
    ):
        yield f"search/sort_special{k}", [f"torch.argsort(torch.tensor({e}), stable=True)"]
        yield f"search/sort_down{k}", [f"torch.argsort(torch.tensor({e}), stable=True, descending=True)"]
    nan, inf = "float('nan')", "float('inf')"
    specials = [
        (f"[1.0, 2.0, 3.0, {nan}]", f"[{nan}, 0.0, 2.5, {inf}, -{inf}]"),
        ("[1.0, 2.0, 3.0]", f"[{nan}, {inf}, -{inf}]"),
        (f"[1.0, {nan}, {nan}]", f"[{nan}, 1.0, 2.0, {inf}]"),
        (f"[{nan}, 1.0, 2.0]", f"[0.0, 1.0, 2.0, 3.0, {nan}]"),
        (f"[-{inf}, 1.0, {inf}]", f"[-{inf}, {inf}, {nan}]"),
        ("[-0.0, 0.0]", "[-0.0, 0.0]"),
        ("[5, 1, 4, 2, 3]", "[1, 2, 3, 4, 5]"),
        ("[5, 4, 3, 2, 1]", "[1, 2, 3, 4, 5, 0, 6]"),
        ("[1, 1, 1, 2, 2]", "[0, 1, 2, 3]"),
    ]
    for k, (s, v) in enumerate(specials):
        for r in [False, True]:
            yield f"search/special{k}{int(r)}", [f"torch.searchsorted({T}({s}), {T}({v}), right={r})"]
    for d in TORCH_DTYPES:
        for e in TORCH_DTYPES:
            yield (
                f"search/mixed/{d}/{e}",
                [f"torch.searchsorted(torch.arange(1, 5).to(torch.{d}), torch.tensor([0, 2, 9]).to(torch.{e}))"],
            )


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
            step = g.choice(
                [
                    f".transpose({d}, {e})",
                    f".permute({', '.join(map(str, g.sample(range(r), r)))})" if r else ".unsqueeze(0)",
                    f".unsqueeze({g.randint(0, r)})",
                    ".squeeze()",
                    f".narrow({d}, {g.randint(0, n // 2)}, {n // 2})" if r else "[None]",
                    f".select({d}, {g.randint(-n, n - 1)})" if n else "[...]",
                    f".unfold({d}, {g.randint(1, max(1, n))}, {g.randint(1, 2)})" if n else "[None]",
                    f".diagonal({g.randint(-1, 1)}, {d}, {e})" if d != e else "[...]",
                    f".flip({d})" if r else "[None]",
                    f".expand({text_shape((2, *t.shape))})",
                    f"[{', '.join([':'] * d + ['::2'])}]" if r else "[None]",
                    ".reshape(-1)",
                    ".contiguous()",
                ]
            )
            steps.append(step)
            t = eval("t" + step, {"t": t})
            if t.numel() > 120:
                break
        yield f"views/r{i:04}", [f"x = {g.counting(shape)}", "x" + "".join(steps)]


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
            v = [
                complex(round(g.uniform(-9, 9), g.randint(0, 3)), round(g.uniform(-9, 9), g.randint(0, 3)))
                for _ in range(n)
            ]
        else:
            v = (
                g.values(dtype, n)
                if dtype == "uint8"
                else g.ints(n, *g.choice([(-9, 9), (-999, 999), (-(10**9), 10**9)]))
            )
        yield f"display/r{i:04}", [g.tensor(shape, dtype, v)]


def scalars():
    numbers = [
        "0",
        "1",
        "-1",
        "127",
        "128",
        "-128",
        "-129",
        "255",
        "256",
        "-255",
        "-256",
        "300",
        "32767",
        "32768",
        "65535",
        "65536",
        "-65535",
        "2147483647",
        "2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "2**62",
        "2**63",
        "-2**63",
        "2**64",
        "1.5",
        "-1.5",
        "0.5",
        "-0.5",
        "-1.0",
        "127.9",
        "-128.5",
        "255.5",
        "65504.0",
        "65519.0",
        "65520.0",
        "1e6",
        "3e9",
        "3.4028234e38",
        "3.4028235e38",
        "1e39",
        "1e308",
        "1e10",
        "16777217",
        "-0.0",
        "float('nan')",
        "float('inf')",
        "-float('inf')",
        "True",
        "False",
        "1j",
        "2 + 0j",
        "1.5 + 2j",
    ]
    for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
        for k, n in enumerate(numbers):
            yield f"scalar/number/{d}/{k:02}", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[:] = {n}", "x"]
    sources = [
        ("float64", "[float('nan'), float('inf'), -float('inf'), -1.5, 300.7, 1e10, 3e9, -0.5, 1e39, 65520.0, 0.1]"),
        ("float32", "[float('nan'), 1.5, -1.5, 300.7, 1e10, 70000.0, 0.1]"),
        ("float16", "[float('nan'), 1.5, -1.5, 300.75, float('inf'), 0.1]"),
        ("bfloat16", "[float('nan'), 1.5, -1.5, 300.0, 1e30, 0.1]"),
        ("int64", "[0, 1, -1, 127, 128, 255, 256, 300, -129, 65536, 2147483648, 4294967296, 16777217, 2049]"),
        ("int8", "[-128, -1, 0, 1, 127]"),
        ("uint8", "[0, 1, 128, 255]"),
        ("int32", "[-2147483648, -1, 300, 2147483647]"),
        ("bool", "[True, False]"),
        ("complex64", "[1 + 2j, 0j, 3j, -1.5 + 0j]"),
    ]
    for s, values in sources:
        for d in TORCH_DTYPES + ["uint16", "uint32", "uint64"]:
            yield f"scalar/cast/{s}/{d}", [f"torch.tensor({values}, dtype=torch.{s}).to(torch.{d})"]
    for d in ["uint8", "int8", "int64", "float16", "float32", "bool"]:
        for k, v in enumerate(["300", "-1", "-300", "1.7", "-0.5", "1e6", "float('nan')", "1j", "2**63"]):
            m = "torch.tensor([True, False])"
            yield (
                f"scalar/ops/{d}/{k}/masked",
                [f"x = torch.zeros(2, dtype=torch.{d})", f"x.masked_fill_({m}, {v})", "x"],
            )
            yield (
                f"scalar/ops/{d}/{k}/fill",
                [f"x = torch.zeros(2, dtype=torch.{d})", f"x.index_fill_(0, torch.tensor([1]), {v})", "x"],
            )
            yield (
                f"scalar/ops/{d}/{k}/scatter",
                [f"x = torch.zeros(2, dtype=torch.{d})", f"x.scatter_(0, torch.tensor([1]), {v})", "x"],
            )
            yield f"scalar/ops/{d}/{k}/full", [f"torch.full((1,), {v}, dtype=torch.{d})"]
            yield f"scalar/ops/{d}/{k}/one", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[0] = {v}", "x"]
            yield f"scalar/ops/{d}/{k}/put", [f"x = torch.zeros(2, dtype=torch.{d})", f"x[[0], ] = {v}", "x"]
            if v != "2**63":
                yield (
                    f"scalar/ops/{d}/{k}/tensor",
                    [
                        f"x = torch.zeros(2, dtype=torch.{d})",
                        f"x[torch.tensor([True, False])] = torch.tensor({v})",
                        "x",
                    ],
                )


def corner_cases():
    x = "x = torch.arange(24).reshape(2, 3, 4)"
    m = f"{T}([True, False, True])"
    f16 = ["i = torch.zeros(5, dtype=torch.int64)", "s = torch.tensor([2048.0, 1.0, 1.0, 1.0, 1.0]).half()"]
    table = {
        4: [[x, "(x[[[0, 1], [1, 0]]].shape, x[([[0, 1], [1, 0]],)].shape)"]],
        8: [
            [
                "(torch.arange(3)[torch.tensor(2, dtype=torch.uint8)].shape, torch.arange(3)[torch.tensor(2, dtype=torch.uint16)], torch.arange(3)[np.uint8(2)])"
            ]
        ],
        9: [
            ["torch.arange(3)[torch.tensor([1], dtype=torch.int16)]"],
            ["x = torch.arange(3)", "x[torch.tensor(1, dtype=torch.int16)]"],
        ],
        10: [["torch.arange(3)[[1.9]]"], ["torch.arange(3)[1.9]"], ["torch.arange(3)[torch.tensor([1.9])]"]],
        14: [["(torch.zeros(0, 3)[:, torch.tensor([5])].shape, torch.zeros(2, 0)[torch.tensor([5])].shape)"]],
        17: [
            [
                "(torch.gather(torch.tensor(5), 0, torch.tensor([0, 0, 0])), torch.gather(torch.tensor([5, 6]), 0, torch.tensor(1)), torch.index_select(torch.tensor(7), 0, torch.tensor([0])))"
            ]
        ],
        18: [["torch.gather(torch.arange(6).reshape(2, 3), 1, torch.empty(0))"]],
        23: [["x = torch.arange(3)", "x[x] = 5", "x"]],
        24: [
            [
                "x = torch.zeros(4, dtype=torch.int64)",
                "x.scatter_(0, torch.tensor([0, 1, 9, 2]), torch.tensor([1, 2, 3, 4]))",
                "x",
            ]
        ],
        25: [
            ["x = torch.zeros(1, dtype=torch.uint8)", f"x[0] = {v}", "x"]
            for v in ("-1", "-255", "255.5", "torch.tensor(300)", "torch.tensor(-1.5)")
        ],
        26: [["x = torch.zeros(1, dtype=torch.uint8)", f"x[0] = {v}", "x"] for v in ("-256", "256", "-0.5", "-1.0")],
        27: [["x = torch.zeros(3, dtype=torch.int64)", f"x[{m}] = torch.tensor([5.5])", "x"]],
        28: [["x = torch.zeros(3, dtype=torch.int64)", "x[[0]] = torch.tensor([5.5])", "x"]],
        30: [
            [*f16, e]
            for e in (
                "torch.zeros(1).half().scatter_add(0, i, s)",
                "torch.zeros(1).half().index_put((i,), s, accumulate=True)",
                "torch.zeros(1).half().index_add(0, i, s)",
                "torch.zeros(1, 1).half().index_add(0, i, s.reshape(5, 1))",
                "torch.zeros(1, 1).half().index_add(0, i, s.reshape(5, 1), alpha=2)",
            )
        ],
        40: [
            [
                "(torch.nonzero(torch.tensor(5)), torch.nonzero(torch.tensor(5), as_tuple=True), torch.nonzero(torch.tensor([[1, 0, 2], [0, 3, 0]])).stride())"
            ]
        ],
    }
    w = "w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)"
    table |= {
        33: [
            [
                w,
                "v = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)",
                "g = w.scatter(0, torch.tensor([0, 2]), v)",
                "g.backward(torch.tensor([10.0, 20.0, 30.0]))",
                "w.grad",
            ]
        ],
        34: [
            [
                w,
                "v = torch.tensor([5.0, 6.0], requires_grad=True)",
                "g = w.scatter(0, torch.tensor([0, 0]), v)",
                "g.backward(torch.tensor([10.0, 20.0, 30.0]))",
                "(w.grad, v.grad)",
            ]
        ],
        35: [
            [
                "w = torch.tensor([5.0, 3.0], requires_grad=True)",
                "v = torch.tensor([5.0, 5.0], requires_grad=True)",
                "g = w.scatter_reduce(0, torch.tensor([0, 0]), v, 'amax')",
                "g.backward(torch.tensor([12.0, 20.0]))",
                "(w.grad, v.grad)",
            ]
        ],
        36: [
            [
                "w = torch.tensor(5.0, requires_grad=True)",
                "g = torch.gather(w, 0, torch.tensor([0, 0]), sparse_grad=True)",
                "g.backward(torch.tensor([1.0, 2.0]))",
                "(w.grad._indices().shape, w.grad._values(), w.grad.is_coalesced(), w.grad.shape)",
            ]
        ],
    }
    for n in sorted(table):
        for k, lines in enumerate(table[n]):
            yield f"corner/{n:02}{'abcdefgh'[k] if len(table[n]) > 1 else ''}", lines


def cases():
    yield from tables.load("torch_other")
    yield from searches()
    yield from random_search(300)
    yield from random_views(300)
    yield from random_display(200)
    yield from scalars()
    yield from corner_cases()
