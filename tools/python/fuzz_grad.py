"""Runs random graphs of index operations in PyTorch and in `takewise.torch`, backward too, and compares.

    python tools/python/fuzz_grad.py [--cases N] [--seed S]

A graph is a few statements on leaves that require gradients: views, reads, writes and reductions of the family, in place
and not, then `backward`. The generator runs each statement in PyTorch as it goes, so it always knows the shapes. Compared
are the result, its `requires_grad` and the name of its `grad_fn`, the gradients of all leaves, and where PyTorch raises,
the class. Then the gradients are taken once more with `create_graph`, from a gradient that requires one too and with respect
to all leaves and one of the results in between, and differentiated again. Places are stored to once only, since for values that lose their place PyTorch's gradient is not the derivative
(docs/DIALECTS.md). Needs PyTorch; prints the first cases that differ and ends with status 1 if any do.
"""

import argparse
import math
import random
import sys
import warnings

import takewise.torch
import torch

# How many differing cases are shown.
SHOWN = 10


class Graph:
    """One case, made statement by statement."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.env, self.leaves, self.names = [], {"torch": torch}, [], 0

    def run(self, line):
        exec(line, self.env)
        self.lines.append(line)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def shape(self, name):
        return list(self.env[name].shape)

    def leaf(self, shape):
        """A new leaf of that shape; no two of its values are equal."""
        name, count = self.name("w"), math.prod(shape)
        values = self.random.sample(range(-2 * count - 8, 2 * count + 8), count)
        listed = [v / 4 for v in values]
        grad = "" if self.random.random() < 0.15 else ", requires_grad=True"
        self.run(f"{name} = torch.tensor({listed}, dtype=torch.float64).reshape({list(shape)}).detach().clone()")
        if grad:
            self.run(f"{name}.requires_grad_()")
            self.leaves.append(name)
        return name

    def ints(self, shape, below):
        """An index tensor as source text."""
        values = [self.random.randrange(below) for _ in range(math.prod(shape))]
        return f"torch.tensor({values}, dtype=torch.int64).reshape({list(shape)})"

    def apart(self, count, below):
        """Different positions as source text."""
        return f"torch.tensor({self.random.sample(range(below), count)}, dtype=torch.int64)"

    def mask(self, shape):
        values = [self.random.random() < 0.5 for _ in range(math.prod(shape))]
        return f"torch.tensor({values}, dtype=torch.bool).reshape({list(shape)})"

    def lanes(self, shape, dim):
        """An index of that shape in which no lane along `dim` names a place twice."""
        order = [self.random.sample(range(shape[dim]), shape[dim]) for _ in range(math.prod(shape) // shape[dim])]
        moved = [shape[dim], *(n for d, n in enumerate(shape) if d != dim)]
        flat = [lane[k] for k in range(shape[dim]) for lane in order]
        return f"torch.tensor({flat}, dtype=torch.int64).reshape({moved}).movedim(0, {dim})"


def views(g, x, shape):
    d = g.random.randrange(len(shape))
    yield f"{x}.unsqueeze({d})"
    yield f"{x}.transpose(0, {d})"
    yield f"{x}.flatten()"
    yield f"{x}[..., None]"
    yield f"{x}.expand({[2, *shape]})"
    yield f"{x}.flip([{d}])"
    yield f"{x}.clone()"
    if shape[d]:
        at = g.random.randrange(-shape[d], shape[d])
        yield f"{x}.select({d}, {at})"
        yield f"{x}.narrow({d}, {at % shape[d]}, {shape[d] - at % shape[d]})"
        yield f"{x}[{at % shape[0]}:]" if shape[0] else f"{x}[:]"
    if len(shape) > 1:
        yield f"{x}.diagonal(0, 0, {len(shape) - 1})"


def reads(g, x, shape):
    d = g.random.randrange(len(shape))
    n = shape[d]
    if not n or not math.prod(shape):
        return
    some = [g.random.randint(1, s) if k != d else g.random.randint(0, 4) for k, s in enumerate(shape)]
    yield f"torch.gather({x}, {d}, {g.ints(some, n)})"
    yield f"{x}.index_select({d}, {g.ints([g.random.randint(0, 4)], n)})"
    yield f"{x}.take({g.ints([2, 2], math.prod(shape))})"
    yield f"{x}.masked_select({g.mask(shape)})"
    yield f"{x}[{g.mask(shape)}]"
    yield f"{x}[{g.ints([g.random.randint(0, 3)], shape[0])}]"
    yield f"{x}[..., {g.ints([2, 2], shape[-1])}]"
    yield f"{x}.sum()"
    yield f"torch.take_along_dim({x}, {g.ints(some, n)}, {d})" if all(
        k == d or s == shape[k] for k, s in enumerate(some)
    ) else f"{x}.sum()"


def writes(g, x, shape):
    d = g.random.randrange(len(shape))
    n = shape[d]
    if not n or not math.prod(shape):
        return
    place = g.random.random() < 0.4
    if place:
        copy = g.name("c")
        g.run(f"{copy} = {x}.clone()")
        x, tail = copy, "_"
    else:
        tail = ""
    count = g.random.randint(1, n)
    rows = [*shape[:d], count, *shape[d + 1 :]]
    yield lambda: f"{x}.scatter{tail}({d}, {g.lanes(shape, d)}, {g.leaf(shape)})"
    yield lambda: f"{x}.scatter{tail}({d}, {g.lanes(shape, d)}, 1.5)"
    yield lambda: f"{x}.scatter_add{tail}({d}, {g.ints(shape, n)}, {g.leaf(shape)})"
    for how in ("sum", "prod", "mean", "amax", "amin"):
        yield lambda how=how: f"{x}.scatter_reduce{tail}({d}, {g.ints(shape, n)}, {g.leaf(shape)}, {how!r})"
    yield lambda: f"{x}.index_add{tail}({d}, {g.ints([count], n)}, {g.leaf(rows)}, alpha=2)"
    yield lambda: f"{x}.index_copy{tail}({d}, {g.apart(count, n)}, {g.leaf(rows)})"
    yield lambda: f"{x}.index_fill{tail}({d}, {g.ints([count], n)}, 0.5)"
    yield lambda: f"{x}.masked_fill{tail}({g.mask(shape)}, -1.0)"
    yield lambda: f"{x}.masked_scatter{tail}({g.mask(shape)}, {g.leaf(shape)})"
    yield lambda: f"{x}.put{tail}({g.apart(1, math.prod(shape))}, {g.leaf([1])})"
    yield lambda: f"{x}.index_put{tail}(({g.apart(count if d == 0 else 1, shape[0])},), {g.leaf(shape[1:])})"
    yield lambda: f"{x}.index_put{tail}(({g.ints([2], shape[0])},), {g.leaf(shape[1:])}, True)"
    yield lambda: f"torch.where({g.mask(shape)}, {x}, {g.leaf(shape)})"
    yield lambda: f"{x}.select_scatter({g.leaf([*shape[:d], *shape[d + 1 :]])}, {d}, 0)"


def assignment(g, x, shape):
    """`c = x.clone(); c[...] = w`."""
    name = g.name("c")
    g.run(f"{name} = {x}.clone()")
    if not math.prod(shape):
        return name
    key, target = g.random.choice(
        [("0", shape[1:]), (g.mask(shape), []), (g.apart(1, shape[0]), [1, *shape[1:]]), ("..., 0", shape[:-1]), ("1:", [])]
    )
    g.run(f"{name}[{key}] = {g.leaf(target)}")
    return name


def build(seed):
    """A graph and what PyTorch makes of it."""
    g = Graph(seed)
    x = g.leaf([g.random.choice([0, 1, 2, 3, 3, 4]) for _ in range(g.random.randint(1, 3))])
    for _ in range(g.random.randint(1, 4)):
        shape = g.shape(x)
        if not shape:
            break
        kind = g.random.random()
        if kind < 0.15:
            x = assignment(g, x, shape)
            continue
        if kind < 0.4:
            made = g.random.choice(list(views(g, x, shape)))
        elif kind < 0.7:
            made = g.random.choice(list(reads(g, x, shape)) or [f"{x}.clone()"])
        else:
            made = g.random.choice(list(writes(g, x, shape)) or [lambda: f"{x}.clone()"])()
        name = g.name("y")
        g.run(f"{name} = {made}")
        x = name
    if g.env[x].requires_grad:
        if g.random.random() < 0.5 or not g.shape(x):
            g.run(f"{x}.sum().backward(retain_graph=True)")
        else:
            count = math.prod(g.shape(x))
            g.run(f"{x}.backward(torch.tensor({list(range(1, count + 1))}, dtype=torch.float64).reshape({g.shape(x)}), retain_graph=True)")
    return g, x


def facts(env, x, leaves):
    """What is compared."""
    kind = env[x].grad_fn
    named = type(kind).__name__ if kind is not None and type(kind).__module__ != "builtins" else str(kind).split(" ")[0]
    grads = {name: None if env[name].grad is None else env[name].grad.tolist() for name in leaves}
    return {"value": env[x].detach().tolist(), "requires_grad": env[x].requires_grad, "grad_fn": named.strip("<"), **grads}


def twice(torch, env, x, leaves, middle):
    """The gradients of the result, and of those gradients; or what is raised."""
    inputs = [env[name] for name in leaves] + ([env[middle]] if middle and env[middle].requires_grad else [])
    whole = math.prod(env[x].shape)
    u = torch.arange(1, whole + 1, dtype=torch.float64).reshape(list(env[x].shape)).requires_grad_()
    found = {}
    try:
        first = torch.autograd.grad(env[x], inputs, u, create_graph=True, allow_unused=True)
        found["first"] = [None if g is None else g.tolist() for g in first]
        found["requires"] = [None if g is None else g.requires_grad for g in first]
        again = [g for g in first if g is not None and g.requires_grad]
        weights = [torch.arange(2, math.prod(g.shape) + 2, dtype=torch.float64).reshape(list(g.shape)) for g in again]
        if again:
            # Results in between are left out: which of them a formula uses again is its own affair.
            second = torch.autograd.grad(again, [u, *inputs[: len(leaves)]], weights, allow_unused=True)
            # A zero that nobody asked for and no gradient are the same: one cannot tell which of them a formula gives.
            found["second"] = [None if g is None or not any(abs(v) > 1e-9 for v in flat(g.tolist())) else g.tolist() for g in second]
    except RuntimeError as error:
        found["error"] = str(error).split(" at version")[0][:60]
    return found


def flat(nested):
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


def close(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(a) and math.isnan(b))
    return a == b


def hold(seed):
    """What differs in one case: statements and words; nothing if they agree."""
    g, x = build(seed)
    want = facts(g.env, x, g.leaves)
    between = [name for name in g.env if name.startswith("y") and name != x]
    middle = g.random.choice(between) if between and g.random.random() < 0.5 else None
    if g.env[x].requires_grad:
        want |= twice(torch, g.env, x, g.leaves, middle)
    env = {"torch": takewise.torch}
    try:
        for line in g.lines:
            exec(line, env)
        got = facts(env, x, g.leaves)
        if env[x].requires_grad:
            got |= twice(takewise.torch, env, x, g.leaves, middle)
    except Exception as error:
        return g.lines, f"{line}\n  raised {type(error).__name__}: {error}"
    keys = want.keys() | got.keys()
    wrong = [f"{key}: expected {want.get(key)}, got {got.get(key)}" for key in keys if not close(want.get(key), got.get(key))]
    return (g.lines, "\n  ".join(wrong)) if wrong else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", default="1")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    wrong, refused, ours = [], 0, 0
    for k in range(args.cases):
        try:
            found = hold(f"{args.seed}/{k}")
        except RuntimeError:
            # PyTorch itself refuses the graph (a gradient of the wrong shape, an overlap).
            refused += 1
            continue
        if found and "share memory is viewed again" in found[1]:
            ours += 1
        elif found:
            wrong.append(found)
    print(f"{args.cases} graphs, {refused} refused by PyTorch, {ours} by takewise for a view of a view that shares memory, {len(wrong)} differ")
    for lines, what in wrong[:SHOWN]:
        print("    " + "\n    ".join(lines) + f"\n  -> {what}\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
