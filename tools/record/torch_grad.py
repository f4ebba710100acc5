"""torch gradients: what backward collects over the whole family, views and writes in place included.

Values are small whole numbers, so that sums are exact in any order. Places are stored to once, and sources have the
shape of their index: elsewhere torch's gradients are not the derivative (docs/DIALECTS.md).
"""

import itertools

from literal import Gen, count, text_shape

W = "torch.float64"


def leaf(g, shape, dtype=W, distinct=False, low=-4):
    n = count(shape)
    values = list(range(1, n + 1)) if distinct else [g.randint(low, 5) for _ in range(n)]
    if distinct:
        g.shuffle(values)
    return f"torch.tensor({[float(v) for v in values]}, dtype={dtype}).reshape({text_shape(shape)}).requires_grad_()"


def index(g, shape, n, distinct_along=None):
    """Positions below n; along one axis all different, if that is asked for."""
    if distinct_along is None:
        values = [g.randint(0, n - 1) for _ in range(count(shape))]
    else:
        values = [0] * count(shape)
        inner = count(shape[distinct_along + 1 :])
        m = shape[distinct_along]
        for outer in range(count(shape[:distinct_along])):
            for k in range(inner):
                order = list(range(n))
                g.shuffle(order)
                for j in range(m):
                    values[(outer * m + j) * inner + k] = order[j]
    return f"torch.tensor({values}, dtype=torch.int64).reshape({text_shape(shape)})"


def finish(lines, leaves="w"):
    """Walks back from y with a gradient 1, 2, 3, ... and shows what there is to see."""
    lines.append("y.backward(torch.arange(1, y.numel() + 1).to(y.dtype).reshape(y.shape))")
    shown = ", ".join(f"{name}.grad" for name in leaves)
    lines.append(f"(y, {shown}, y.is_leaf, y._version)")
    return lines


def reads():
    g = Gen("torch gradient reads")
    for i in range(120):
        shape = g.choice([(4,), (3, 4), (2, 3, 4)])
        d = g.randint(0, len(shape) - 1)
        n = shape[d]
        small = tuple(g.randint(1, 5) if k == d else g.randint(1, s) for k, s in enumerate(shape))
        full = tuple(g.randint(1, 5) if k == d else s for k, s in enumerate(shape))
        dtype = g.choice([W, W, "torch.float32", "torch.float16", "torch.bfloat16"])
        m = g.randint(1, 5)
        kind = i % 12
        lines = [f"w = {leaf(g, shape, dtype)}"]
        if kind == 0:
            lines += [f"i = {index(g, small, n)}", f"y = torch.gather(w, {d}, i)"]
        elif kind == 1:
            lines += [f"i = {index(g, full, n)}", f"y = torch.take_along_dim(w, i, {d})"]
        elif kind == 2:
            lines += [f"i = {index(g, (m,), count(shape))}", "y = w.take(i)"]
        elif kind == 3:
            lines += [f"i = {index(g, (m,), n)}", f"y = w.index_select({d - g.choice([0, len(shape)])}, i)"]
        elif kind == 4:
            mask = [g.chance(0.5) for _ in range(count(shape))]
            lines += [f"m = torch.tensor({mask}).reshape({text_shape(shape)})", "y = w.masked_select(m)"]
        elif kind == 5:
            lines += [f"i = {index(g, (m,), shape[0])}", "y = w[i]"]
        elif kind == 6:
            lines += [f"i = {index(g, (m, 2), shape[-1])}", "y = w[..., i]"]
        elif kind == 7:
            lines += [f"m = torch.tensor({[g.chance(0.5) for _ in range(shape[0])]})", "y = w[m]"]
        elif kind == 8:
            condition = [g.chance(0.5) for _ in range(count(shape))]
            lines += [f"v = {leaf(g, shape[-1:], dtype)}", f"c = torch.tensor({condition}).reshape({text_shape(shape)})"]
            yield f"gradient/read{i:03}", finish(lines + ["y = torch.where(c, w, v)"], "wv")
            continue
        elif kind == 9:
            lines += [f"y = w.{g.choice(['to(torch.float64)', 'float()', 'flip([0])', 'clone()', 'sort(0)[0]'])}"]
        elif kind == 10:
            dims = g.choice(["", "0", "-1, keepdim=True", f"{tuple(range(len(shape)))}"])
            lines += [f"y = w.sum({dims})"]
        else:
            lines += [f"i = {index(g, small, n)}", f"y = torch.gather(w, {d}, i, sparse_grad=True)"]
            lines.append("y.backward(torch.arange(1, y.numel() + 1).to(y.dtype).reshape(y.shape))")
            lines.append(
                "(y, w.grad._indices(), w.grad._values(), w.grad._nnz(), w.grad.is_coalesced(), w.grad.coalesce().indices().contiguous(), "
                "w.grad.coalesce().values(), w.grad.to_dense())"
            )
            yield f"gradient/sparse{i:03}", lines
            continue
        if lines[-1] == "y = w.to(torch.float64)" and dtype == W or lines[-1] == "y = w.float()" and dtype.endswith("32"):
            lines[-1] = "y = w.clone()"
        yield f"gradient/read{i:03}", finish(lines)


VIEWS = [
    "w[0]", "w[1:]", "w[..., -1]", "w[:, None]", "w[::2]", "w[...]", "w[:]", "w[-1, 0]", "w.t()", "w.transpose(0, 1)",
    "w.permute(1, 0)", "w.movedim(0, 1)", "w.T", "w.mT", "w.view(12)", "w.view(2, -1)", "w.reshape(6, 2)",
    "w.t().reshape(12)", "w.flatten()", "w.ravel()", "w.unsqueeze(1)", "w[None].squeeze(0)", "w[:, :1].squeeze()",
    "w[None].squeeze((0,))", "w.narrow(1, 1, 2)", "w.select(0, 2)", "w.diagonal()", "w.diagonal(1)", "w.unfold(1, 2, 1)",
    "w.unfold(0, 2, 1)", "w.unfold(0, 2, 1).unfold(1, 3, 1)", "w[0].expand(5, 4)", "w[None].expand(2, 3, 4)",
    "w.as_strided([2, 2], [4, 1])", "w.as_strided([2, 2], [1, 1])", "w.t().contiguous()", "w.t().clone()", "w.t()[1:, ::2]",
    "w.broadcast_to(2, 3, 4)", "w[0][1]", "w[1:][0, 1:]", "w[[2, 0, 2]][:, [1, 1]]", "w[w > 2][:1]", "w[0, [1, 1, 3]]",
]  # fmt: skip


def views():
    g = Gen("torch gradient views")
    for i, view in enumerate(VIEWS):
        yield f"gradient/view{i:02}", finish([f"w = {leaf(g, (3, 4))}", f"y = {view}"])


def writes():
    g = Gen("torch gradient writes")
    for i in range(200):
        shape = g.choice([(4,), (3, 4), (2, 3, 4)])
        d = g.randint(0, len(shape) - 1)
        n = shape[d]
        small = tuple(g.randint(1, n) if k == d else g.randint(1, s) for k, s in enumerate(shape))
        m = g.randint(1, n)
        rows = tuple(m if k == d else s for k, s in enumerate(shape))
        place = g.chance(0.5)
        kind = i % 20
        reduces = kind in (3, 4, 5, 6, 7, 10, 11, 12)
        once = index(g, small, n, d)
        some = index(g, small, n)
        slices = index(g, (m,), n, 0)
        lines = [f"w = {leaf(g, shape, distinct=reduces)}"]
        lines.append(f"s = {leaf(g, rows if kind in (8, 9, 10, 11, 12) else small, distinct=reduces)}")
        target, dot = ("y", "_") if place else ("w", "")
        if place:
            lines.append("y = w.clone()")
        own = g.choice([True, False])
        call = None
        if kind == 0:
            lines, call = [*lines, f"i = {once}"], f"scatter{dot}({d}, i, s)"
        elif kind == 1:
            lines, call = [lines[0], *lines[2:], f"i = {some}"], f"scatter{dot}({d}, i, 2.5)"
        elif kind == 2:
            lines, call = [*lines, f"i = {some}"], f"scatter_add{dot}({d}, i, s)"
        elif kind in (3, 4, 5, 6, 7):
            how = ["sum", "mean", "prod", "amax", "amin"][kind - 3]
            if how in ("amax", "amin"):
                own = True
            lines, call = [*lines, f"i = {some}"], f"scatter_reduce{dot}({d}, i, s, '{how}', include_self={own})"
        elif kind == 8:
            alpha = g.choice(["", ", alpha=2", ", alpha=-0.5"])
            lines, call = [*lines, f"i = {index(g, (m,), n)}"], f"index_add{dot}({d}, i, s{alpha})"
        elif kind == 9:
            lines, call = [*lines, f"i = {slices}"], f"index_copy{dot}({d}, i, s)"
        elif kind in (10, 11, 12):
            how = ["mean", "prod", "amax"][kind - 10]
            if how == "amax":
                own = True
            lines = [*lines, f"i = {index(g, (m,), n)}"]
            call = f"index_reduce{dot}({d}, i, s, '{how}', include_self={own})"
        elif kind == 13:
            lines, call = [*lines, f"v = {leaf(g, ())}", f"i = {index(g, (m,), n)}"], f"index_fill{dot}({d}, i, v)"
        elif kind == 14:
            lines, call = [lines[0], *lines[2:], f"i = {index(g, (m,), n)}"], f"index_fill{dot}({d}, i, 3.0)"
        elif kind == 15:
            flat = index(g, (m,), count(shape), None) if place else index(g, (1,), count(shape))
            add = place
            lines = [lines[0], f"s = {leaf(g, (m if place else 1,))}", *lines[2:], f"i = {flat}"]
            call = f"put{dot}(i, s, accumulate={add})"
        elif kind == 16:
            add = g.choice([True, False])
            at = index(g, (m,), shape[0]) if add else index(g, (min(m, shape[0]),), shape[0], 0)
            lines = [lines[0], f"s = {leaf(g, shape[1:])}", *lines[2:], f"i = {at}"]
            call = f"index_put{dot}((i,), s, accumulate={add})"
        elif kind in (17, 18):
            mask = f"torch.tensor({[g.chance(0.5) for _ in range(count(shape))]}).reshape({text_shape(shape)})"
            lines = [lines[0], f"s = {leaf(g, () if kind == 17 else (*shape, 2))}", *lines[2:], f"m = {mask}"]
            call = f"masked_fill{dot}(m, s)" if kind == 17 else f"masked_scatter{dot}(m, s)"
        elif kind == 19:
            part = tuple(s for k, s in enumerate(shape) if k != d)
            lines = [lines[0], f"s = {leaf(g, part)}"]
            yield f"gradient/write{i:03}", finish([*lines, f"y = w.select_scatter(s, {d}, {g.randint(-n, n - 1)})"], "ws")
            continue
        lines.append(f"y = {target}.{call}")
        leaves = "w" if kind in (1, 14) else "wv" if kind == 13 else "ws"
        yield f"gradient/write{i:03}", finish(lines, leaves)


SETS = [
    "[0]", "[1:]", "[:, 1]", "[...]", "[:]", "[None]", "[True]", "[[0, 2]]", "[:, [3, 1]]", "[[0, 1], [2, 3]]",
    "[w > 2]", "[torch.tensor([True, False, True])]", "[1, [0, 2]]", "[-1, 0]", "[::2]", "[0][1]", "[1:][0, 1:]", "[:, 1:3][[0, 2]]",
]  # fmt: skip


def assignments():
    g = Gen("torch gradient assignments")
    for (i, key), value in itertools.product(enumerate(SETS), ["v", "3.0", "v.reshape(1)", "torch.tensor(1.5)"]):
        lines = [f"w = {leaf(g, (3, 4))}", f"v = {leaf(g, ())}", "y = w.clone()", f"y{key} = {value}"]
        yield f"gradient/set{i:02}/{value[:3]}", finish(lines, "wv")
        lines = [f"v = {leaf(g, ())}", f"w = {leaf(g, (3, 4))}", f"y = torch.zeros(3, 4, dtype={W})", f"y{key} = {value}"]
        yield f"gradient/into{i:02}/{value[:3]}", [*lines, "y.requires_grad, y.is_leaf, y.grad_fn is None"]


def chains():
    w = "w = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)"
    i = "i = torch.tensor([2, 0])"
    runs = [
        [w, "w.sum().backward()", "w.sum().backward()", "w.grad"],
        [w, i, "y = w[:, i]", "y[0] = 0.", "z = y.t()[1:]", "z.sum().backward()", "w.grad"],
        [w, "y = w.clone()", "v = y[0]", "v.zero_()", "y.sum().backward()", "(w.grad, y, v)"],
        [w, "y = w.clone()", "y[1] = y[0]", "y.sum().backward()", "(w.grad, y)"],
        [w, "y = torch.zeros(2, 3)", "a = y[0]", "a[1:] = w[1, :2]", "y.sum().backward()", "w.grad"],
        [w, "y = w.detach()", "y[0, 0] = 9.", "w, y.requires_grad"],
        [w, "y = w.double()[0].float()", "y.sum().backward()", "w.grad, y"],
        [w, i, "y = w.index_select(1, i)", "y.backward(torch.ones(2, 2), retain_graph=True)", "y.sum().backward()", "w.grad"],
        [w, i, "y = w.index_select(1, i)", "y.sum().backward()", "y.sum().backward()"],
        [w, i, "w.gather(1, i[None]).backward()"],
        [w, i, "w.gather(1, i[None]).backward(torch.ones(2))"],
        [w, i, "y = w.gather(1, i[None])", "i[0] = 1", "y.sum().backward()"],
        [w, "y = w.clone()", "z = y.scatter_reduce(1, torch.tensor([[0]]), torch.tensor([[2.]]), 'prod')", "y[0] = 7", "z.sum().backward()"],
        [w, "w[0] = 1.", "w"],
        [w, "w[:] = 1.", "w"],
        [w, "w.t().fill_(1.)"],
        [w, "w.index_fill_(0, torch.tensor([0]), 1.)"],
        [w, "w.zero_()"],
        [w, "w.grad"],
        [w, "w.requires_grad, w.is_leaf, w[0].requires_grad, w[0].is_leaf, w.detach().requires_grad, (w > 1).requires_grad"],
        [w, "w.nonzero().requires_grad, torch.argsort(w).requires_grad, w.long().requires_grad, w.clone().requires_grad"],
        [w, "torch.zeros(2).sum().backward()"],
        [w, "torch.tensor([1], requires_grad=True)"],
        [w, "torch.zeros(2, dtype=torch.int64).requires_grad_()"],
        [w, "w.clone().requires_grad_(False)"],
        [w, "w.requires_grad_(False).requires_grad"],
        [w, "w.numpy()"],
        [w, "w.grad = torch.ones(2, 3)", "w.sum().backward()", "w.grad"],
        [w, "torch.gather(w, 0, torch.zeros(1, 3, dtype=torch.int64), out=torch.zeros(1, 3))"],
        [w, "w.masked_scatter(w > 2, w).sum().backward()", "w.grad"],
        [w, "torch.nn.functional.embedding(torch.tensor([1, 1, 0]), w).sum().backward()", "w.grad"],
        [w, "torch.nn.functional.embedding(torch.tensor([1, 1, 0]), w, padding_idx=-1).sum().backward()", "w.grad"],
        [w, "torch.nn.functional.embedding(torch.tensor([1, 1, 0]), w, padding_idx=3)"],
    ]  # fmt: skip
    for k, lines in enumerate(runs):
        yield f"gradient/chain{k:02}", lines


def twice():
    """Gradients of gradients: of every read, view and write above, with respect to its leaves and to the gradient it was
    given, which is a leaf too."""
    for name, lines in itertools.chain(reads(), views(), writes()):
        if any(how in line for how in ("'prod'", "'mean'") for line in lines):
            continue  # their last bits depend on the order of multiplication; fuzz_grad.py allows for that
        if "/sparse" in name:
            lines = [*lines[:-2], "gs = torch.autograd.grad(y, w, u, create_graph=True)", "gs = (gs[0].to_dense(),)"]
            leaves = ["w"]
        else:
            leaves = [n for n in "wsv" if f"{n}.grad" in lines[-1]]
            lines = [*lines[:-2], f"gs = torch.autograd.grad(y, [{', '.join(leaves)}], u, create_graph=True)"]
        lines.insert(-1 if "/sparse" not in name else -2, "u = torch.arange(1, y.numel() + 1).to(y.dtype).reshape(y.shape).requires_grad_()")
        for k, leaf_name in enumerate(leaves):
            lines.append(f"g{k} = torch.arange(2, {leaf_name}.numel() + 2).to({leaf_name}.dtype).reshape({leaf_name}.shape)")
        weights = ", ".join(f"g{k}" for k in range(len(leaves)))
        lines.append(f"hs = torch.autograd.grad(gs, [u, {', '.join(leaves)}], [{weights}], allow_unused=True)")
        # Whether a gradient is packed is nobody's concern.
        gs = ", ".join(f"gs[{k}].contiguous()" for k in range(len(leaves)))
        yield name.replace("gradient/", "gradient/twice/"), [*lines, f"({gs}, hs[0].contiguous(), hs[1:])"]


def graphs():
    """Which tensors a walk ends at, what is kept, and how the calls are refused."""
    w = "w = torch.tensor([1., 2., 3.], requires_grad=True)"
    u = "u = torch.tensor([5.], requires_grad=True)"
    v = "v = torch.tensor([1., 10., 100.], requires_grad=True)"
    y = "y = w[[0, 0, 2]]"
    z = "z = y[1:].sum()"
    g = "torch.autograd.grad"
    product = "torch.zeros(1).scatter_reduce(0, torch.tensor([0, 0, 0]), w, 'prod', include_self=False)"
    one = "i = torch.tensor([0, 0, 0])"
    runs = [
        [w, u, y, f"{g}(y.sum(), u)"],
        [w, u, y, f"{g}(y.sum(), [w, u], allow_unused=True)"],
        [w, u, y, f"{g}(y.sum(), (w, u), materialize_grads=True)"],
        [w, u, y, f"{g}(y.sum(), [w, u], allow_unused=False, materialize_grads=True)"],
        [w, y, f"{g}(y.sum(), torch.tensor([1.]))"],
        [w, f"{g}(torch.tensor([1.]), w)"],
        [w, y, f"{g}(y, w)"],
        [w, y, f"{g}(y, w, torch.ones(2))"],
        [w, y, f"{g}([y.sum(), w.sum()], w)"],
        [w, y, f"{g}([y, w.sum()], w, [torch.ones(3), None])"],
        [w, y, f"{g}([], w)"],
        [w, y, f"{g}(y.sum(), [])"],
        [w, y, f"{g}(3, w)"],
        [w, y, f"{g}(y.sum(), 3)"],
        [w, y, f"{g}(y, w, torch.tensor([1., 2., 3.], dtype=torch.float64))"],
        [w, y, z, f"{g}(z, [y, w, z])"],
        [w, y, "x = y[1:]", "z = x[[0, 1]].sum()", f"{g}(z, [x, y])"],
        [w, y, "x = y[1:]", z, f"{g}(z, x)"],
        [w, "x = w[1:]", "z = x[[1, 1]].sum()", f"{g}(z, [x, w])"],
        [w, "x = w.expand(2, 3)", "z = x[torch.tensor([0, 1]), torch.tensor([1, 1])].sum()", f"{g}(z, [x, w])"],
        [w, y, z, f"{g}(z, w)", f"{g}(z, w)"],
        [w, y, z, f"{g}(z, w, retain_graph=True)", f"{g}(z, w)"],
        [w, y, z, f"{g}(z, w, create_graph=True, retain_graph=False)", f"{g}(z, w)"],
        [w, y, z, f"x = {g}(z, w)[0]", "(x, x.requires_grad, w.grad)"],
        [w, v, y, f"x = {g}(y, w, v, create_graph=True)[0]", "(x.requires_grad, x.is_leaf)", f"{g}(x.sum(), v)"],
        [w, v, y, f"x = {g}(y, w, v)[0]", "x.requires_grad"],
        [w, y, z, f"x = {g}(z, w, create_graph=True)[0]", "x.requires_grad"],
        [w, y, z, "z.backward(inputs=[y])", "(w.grad, y.grad)"],
        [w, y, z, "z.backward(inputs=w)", "(w.grad, y.grad)"],
        [w, y, z, "z.backward(inputs=[])"],
        [w, u, y, z, "z.backward(inputs=[u])", "(w.grad, u.grad)"],
        [w, y, z, "z.backward(inputs=[torch.tensor([1.])])"],
        [w, y, z, "z.backward(inputs=3)"],
        [w, y, "y.backward(3)"],
        [w, v, y, "y.backward(v, create_graph=True)", "(w.grad, w.grad.requires_grad, v.grad)"],
        [w, v, y, "y.backward(v, create_graph=True)", "x = w.grad", "y.backward(v, create_graph=True)", "(x, w.grad, w.grad is x)"],
        [w, v, y, "y.backward(v, create_graph=True)", "w.grad.sum().backward()", "(w.grad, v.grad)"],
        [w, v, y, "y.backward(v, retain_graph=True)", "y.backward(v)", "(w.grad, w.grad.requires_grad)"],
        [w, v, "y = w.clone()", "y.backward(v, create_graph=True)", "(w.grad, v.grad)"],
        [w, y, z, "torch.autograd.backward([z, y], [None, torch.ones(3)])", "w.grad"],
        [w, y, z, "torch.autograd.backward(z)", "w.grad"],
        [w, y, z, "torch.autograd.backward([z, y.sum()], inputs=[y])", "(y.grad, w.grad)"],
        [w, y, "y.retain_grad()", z, "z.backward(retain_graph=True)", "z.backward()", "(y.grad, y.retains_grad, w.retains_grad)"],
        [w, y, "y.retain_grad()", z, f"{g}(z, w)", "y.grad"],
        [w, "y = w.clone()", "y.retain_grad()", "y[0] = 5.", "y.sum().backward()", "(y.grad, w.grad)"],
        [w, "y = w.clone()", "y.retain_grad()", "y.index_fill_(0, torch.tensor([0]), 5.)", "y.sum().backward()", "(y.grad, w.grad)"],
        [w, "y = w.clone()", "x = y[1:]", "x.retain_grad()", "x.sum().backward(retain_graph=True)", "y[:2].sum().backward()", "(x.grad, w.grad)"],
        [w, "torch.tensor([1.]).retain_grad()"],
        [w, "w.retain_grad()", "w.retains_grad"],
        [w, "with torch.no_grad(): y = w.clone()", "y.requires_grad"],
        [w, "with torch.no_grad(): w[0] = 7.", "w"],
        [w, "with torch.no_grad(), torch.enable_grad(): y = w.clone()", "y.requires_grad"],
        [w, "with torch.set_grad_enabled(False): y = w.clone()", "(y.requires_grad, torch.is_grad_enabled())"],
        [w, "with torch.inference_mode(): y = w.clone()", "y.requires_grad"],
        [w, "with torch.no_grad(): y = w[1:]", "y.fill_(1.)"],
        [w, "with torch.no_grad(): y = w[1:]", "y[0].fill_(1.)"],
        [w, "y = w.clone()", "with torch.no_grad(): y[1:][0] = 9.", "y.sum().backward()", "(y, w.grad)"],
        [w, one, f"y = {product}", f"x = {g}(y, w, create_graph=True)[0]", f"h = {g}(x.sum(), w, create_graph=True)[0]", f"(y, x, h)"],
        ["w = torch.tensor([0., 2., 3.], requires_grad=True)", one, f"y = {product}", f"x = {g}(y, w, create_graph=True)[0]", f"(x, {g}(x.sum(), w))"],
        ["w = torch.tensor([0., 0., 3.], requires_grad=True)", one, f"y = {product}", f"x = {g}(y, w, create_graph=True)[0]", f"{g}(x.sum(), w)"],
        ["w = torch.tensor([[0., 0., 3.]], requires_grad=True)", "y = torch.ones(1, 1).index_reduce(1, torch.tensor([0, 0, 0]), w, 'prod')", f"x = {g}(y, w, create_graph=True)[0]", f"{g}(x.sum(), w)"],
        [w, "f = w.gather(0, torch.tensor([1])).grad_fn", "(f.name(), type(f).__name__, f.next_functions[0][0].name(), f.next_functions[0][1], len(f.next_functions))"],
        [w, "f = w[1:].scatter_add(0, torch.tensor([0]), torch.ones(1)).grad_fn", "(f.next_functions[0][0].name(), f.next_functions[1])"],
        [w, u, "f = w.index_put((torch.tensor([0]),), u).grad_fn", "(f.next_functions[0][0].name(), f.next_functions[1][0].name(), len(f.next_functions))"],
        [w, "f = w.masked_fill(w > 1, 0.).grad_fn", "(f.name(), len(f.next_functions))"],
        [w, "y = w.clone()", "x = y[1:]", "f = x.grad_fn", "y[0] = 1.", "(f.name(), x.grad_fn.name(), x.grad_fn.next_functions[0][0].name(), y.grad_fn.next_functions[0][0].name())"],
        [w, "y = torch.zeros(3)", "x = y[0]", "y[1] = w[0]", "(x.grad_fn.name(), y.grad_fn.next_functions[0][0], y.grad_fn.next_functions[1][0].name())"],
        [w, "y = w.clone()", "y[1:][0] = 4.", "(y.grad_fn.name(), y[1:][0].grad_fn.next_functions[0][0].name())"],
        [w, "(w.grad_fn, w.detach().grad_fn, w.clone().detach().grad_fn)"],
    ]  # fmt: skip
    table = "w = torch.tensor([[3., 4.], [0.25, 0.5], [6., 8.]], requires_grad=True)"
    embedding = "torch.nn.functional.embedding"
    i = "i = torch.tensor([0, 1, 0])"
    runs += [
        [table, i, f"y = {embedding}(i, w, {options})", "y.sum().backward()", "(y, w, w.grad)"]
        for options in (
            "max_norm=1.0", "max_norm=1.0, norm_type=1", "max_norm=5.0, norm_type=float('inf')", "max_norm=2.0, norm_type=0.0", "max_norm=1.0, norm_type=3.0", "scale_grad_by_freq=True", "scale_grad_by_freq=True, padding_idx=0",
            "max_norm=1.0, padding_idx=-3", "scale_grad_by_freq=True, sparse=True", "padding_idx=-4", "max_norm=100.0",
        )
    ]  # fmt: skip
    runs += [
        [table, f"{embedding}(torch.tensor([3]), w)"],
        [table, f"{embedding}(torch.tensor([-1]), w)"],
        [table, f"{embedding}(torch.tensor([0.]), w)"],
        [table, f"{embedding}(torch.tensor(1, dtype=torch.int32), w)"],
        [f"{embedding}(torch.tensor([0]), torch.ones(2))"],
        [f"{embedding}(torch.tensor([0]), torch.ones(2), max_norm=1.0)"],
        [f"{embedding}(torch.tensor([0]), torch.ones(2, 2, 2), max_norm=1.0)"],
        [f"{embedding}(torch.tensor([0, 1]), torch.tensor([[3., 4.], [.1, .2]], dtype=torch.float16), max_norm=1.0)"],
    ]
    for k, lines in enumerate(runs):
        yield f"gradient/graphs/{k:02}", lines


def random_graphs(amount):
    """Programs of reads, views and writes in place over one array, walked back at the end.

    What torch saves without need (the input of gather, results) is never changed afterwards, for it would refuse; and
    nothing is negative, for the sign of a zero depends on which zeros were added to it.
    """
    g = Gen("torch gradient graphs")

    def rows(m, distinct=True):
        order = list(range(3))
        g.shuffle(order)
        return order[:m] if distinct else [g.randint(0, 2) for _ in range(m)]

    def mask():
        return f"torch.tensor({[g.chance(0.5) for _ in range(12)]}).reshape(3, 4)"

    def row():
        k = g.randint(0, 2)
        return g.choice(["v", f"w[{k}]", f"y[{k}].clone()", "w[:, 0].expand(4, 3)[:, 1]", "0.5", "v.flip([0])", f"y[{k}]"])

    for i in range(amount):
        lines = [f"w = {leaf(g, (3, 4), low=1)}", f"v = {leaf(g, (4,), low=1)}", "y = w.clone()" if g.chance(0.7) else f"y = torch.zeros(3, 4, dtype={W})"]
        for _ in range(g.randint(2, 7)):
            k, c = g.randint(0, 2), g.randint(0, 3)
            lines += g.choice(
                [
                    [f"y[{k}] = {row()}"],
                    [f"y[{rows(2)}] = w[{rows(2, False)}]"],
                    [f"y[:, {c}] = v[:3]"],
                    [f"r = y[{k}]", f"r[{c}] = v[{g.randint(0, 3)}]"],
                    [f"r = y.t()[{c}:]", f"r[:, {k}] = v[{c}:]"],
                    [f"y = y.scatter_add(0, {index(g, (2, 4), 3)}, w[1:])"],
                    [f"y = y.index_select(0, torch.tensor({rows(3, False)}))"],
                    [f"y.index_add_(0, torch.tensor({rows(2, False)}), w[:2], alpha={g.choice([1, 2])})"],
                    [f"y.masked_fill_({mask()}, {g.choice(['0.0', 'v[0]'])})"],
                    [f"y = torch.where({mask()}, y, {g.choice(['w', 'v', '2.0'])})"],
                    ["y = y.t().clone().t()"],
                    ["y = y.flip([0])"],
                    [f"u = y.index_select(1, {index(g, (2,), 4)})", f"y[{k}, :2] = u[{g.randint(0, 2)}]"],
                    [f"y = y.gather(1, {index(g, (3, 4), 4)}).clone()"],
                    [f"y = y.scatter_reduce(0, {index(g, (2, 4), 3)}, w[:2], '{g.choice(['prod', 'sum', 'amax'])}').clone()"],
                    [f"y = y.masked_scatter({mask()}, w)"],
                    [f"y.put_(torch.tensor({[k * 4 + c, (k * 4 + c + 5) % 12]}), v[:2], accumulate={g.choice([True, False])})"],
                    [f"y = y.slice_scatter(w[{k}:], 0, {k})"],
                    [f"y[{mask()}] = {g.choice(['v[1]', '0.0'])}"],
                    ["d = y.diagonal()", "d.zero_()"],
                    ["y = y.take(torch.arange(12).reshape(3, 4))"],
                ]
            )  # fmt: skip
        lines.append("y.backward(torch.arange(1, 13).to(y.dtype).reshape(3, 4))")
        yield f"gradient/graph{i:03}", [*lines, "(y, w.grad, v.grad)"]


def cases():
    for source in (reads, views, writes, assignments, chains, twice, graphs):
        yield from source()
    yield from random_graphs(150)
