"""Every function of takewise on PyTorch's tensors within its transforms: two levels of derivatives, and each operand batched
alone. What is right is said by PyTorch's own functions, or its subscripts."""

import functools

import pytest

torch = pytest.importorskip("torch")

import takewise as tw  # noqa: E402
import takewise.torch as tt  # noqa: E402
from torch.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vmap  # noqa: E402

# PyTorch warns of its own tools there.
pytestmark = [pytest.mark.filterwarnings(f"ignore::{kind}") for kind in ("FutureWarning", "UserWarning", "DeprecationWarning")]

I = torch.tensor([2, 0])
IJ = torch.tensor([[2, 0], [0, 1]])
PAIRS = torch.tensor([[1, 2], [0, 0]])
MASK = torch.tensor([[True, False, True], [False, True, True]])
V = torch.tensor([0.3, -1.2, 0.7, 1.1, -0.4, 0.9], dtype=torch.float64)


def x_of(v):
    """A tensor with second derivatives of its own."""
    return (v * v + v).reshape(2, 3)


def s_of(v):
    """Values to store, which depend on `v` too."""
    return (v * v + 0.5)[:4].reshape(2, 2)


def put_at(x, key, value, accumulate=False):
    return x.index_put(key, value.expand_as(x[key]), accumulate)


def flat_put(x, index, values, accumulate=False):
    return x.reshape(-1).index_put((index.reshape(-1),), values.reshape(-1), accumulate).reshape(x.shape)


def spread(x, mask, values):
    """PyTorch's own `masked_scatter` has wrong tangents."""
    return torch.where(mask, torch.take(values, (mask.reshape(-1).cumsum(0) - 1).clamp(0).reshape(mask.shape)), x)


ROWS = torch.arange(2)[:, None]
# By function: ours and what it stands for, of a tensor, values to store, and a place of positions or of a mask.
CASES = {
    "gather": (lambda x, s, i: tw.gather(x, 1, i), lambda x, s, i: torch.gather(x, 1, i), IJ),
    "take": (lambda x, s, i: tw.take(x, i), lambda x, s, i: torch.take(x, i), IJ),
    "take axis": (lambda x, s, i: tw.take(x, i, axis=1), lambda x, s, i: x[:, i], IJ),
    "take batch_dims": (lambda x, s, i: tw.take(x, i, axis=1, batch_dims=1), lambda x, s, i: torch.gather(x, 1, i), IJ),
    "take_along_axis": (lambda x, s, i: tw.take_along_axis(x, i, 1), lambda x, s, i: torch.take_along_dim(x, i, 1), IJ),
    "take_along_dim": (lambda x, s, i: tw.take_along_dim(x, i, 1), lambda x, s, i: torch.take_along_dim(x, i, 1), IJ),
    "index_select": (lambda x, s, i: tw.index_select(x, 1, i), lambda x, s, i: torch.index_select(x, 1, i), I),
    "gather_nd": (lambda x, s, i: tw.gather_nd(x, i), lambda x, s, i: x[i[:, 0], i[:, 1]], PAIRS),
    "index": (lambda x, s, i: tw.index(x, (slice(None), i)), lambda x, s, i: x[:, i], I),
    "oindex": (lambda x, s, i: tw.oindex(x, ([1, 0], i)), lambda x, s, i: x[torch.tensor([[1], [0]]), i], I),
    "vindex": (lambda x, s, i: tw.vindex(x, (slice(None), i)), lambda x, s, i: x[:, i].T, I),
    "at get": (lambda x, s, i: tw.at(x)[:, i].get(), lambda x, s, i: x[:, i], I),
    "copy": (lambda x, s, i: tw.copy(x), lambda x, s, i: x.clone(), None),
    "where": (lambda x, s, m: tw.where(m, x * x, x), lambda x, s, m: torch.where(m, x * x, x), MASK),
    "masked_fill": (lambda x, s, m: tw.masked_fill(x, m, 2.0), lambda x, s, m: x.masked_fill(m, 2.0), MASK),
    "masked_fill tensor": (lambda x, s, m: tw.masked_fill(x, m, s[0, 1]), lambda x, s, m: torch.where(m, s[0, 1], x), MASK),
    "masked_scatter": (lambda x, s, m: tw.masked_scatter(x, m, s), lambda x, s, m: spread(x, m, s), MASK),
    "scatter": (lambda x, s, i: tw.scatter(x, 1, i, s), lambda x, s, i: x.scatter(1, i, s), IJ),
    "scatter number": (lambda x, s, i: tw.scatter(x, 1, i, 2.0), lambda x, s, i: x.scatter(1, i, 2.0), IJ),
    "scatter_add": (lambda x, s, i: tw.scatter_add(x, 1, i, s), lambda x, s, i: x.scatter_add(1, i, s), IJ),
    "scatter_reduce mean": (
        lambda x, s, i: tw.scatter_reduce(x, 1, i, s, "mean"), lambda x, s, i: x.scatter_reduce(1, i, s, "mean"), IJ),
    "scatter_reduce amax": (
        lambda x, s, i: tw.scatter_reduce(x, 1, i, s, "amax"), lambda x, s, i: x.scatter_reduce(1, i, s, "amax"), IJ),
    "scatter_reduce prod": (
        lambda x, s, i: tw.scatter_reduce(x, 1, i, s, "prod"),
        lambda x, s, i: x * torch.ones_like(x).scatter(1, i, s), IJ),
    "index_add": (lambda x, s, i: tw.index_add(x, 1, i, s, alpha=2), lambda x, s, i: x.index_add(1, i, s, alpha=2), I),
    "index_copy": (lambda x, s, i: tw.index_copy(x, 1, i, s), lambda x, s, i: x.index_copy(1, i, s), I),
    "index_reduce": (
        lambda x, s, i: tw.index_reduce(x, 1, i, s, "mean"),
        lambda x, s, i: x.scatter_reduce(1, i.expand(2, 2), s, "mean"), I),
    "index_fill": (lambda x, s, i: tw.index_fill(x, 1, i, 2.0), lambda x, s, i: x.index_fill(1, i, 2.0), I),
    "index_fill tensor": (
        lambda x, s, i: tw.index_fill(x, 1, i, s[0, 1]), lambda x, s, i: put_at(x, (ROWS, i), s[0, 1]), I),
    "index_put": (
        lambda x, s, i: tw.index_put(x, (slice(None), i), s), lambda x, s, i: put_at(x, (ROWS, i), s), I),
    "index_put accumulate": (
        lambda x, s, i: tw.index_put(x, (slice(None), i), s, accumulate=True),
        lambda x, s, i: put_at(x, (ROWS, i), s, True), I),
    "index_set": (
        lambda x, s, i: tw.index_set(x * 1, (slice(None), i), s), lambda x, s, i: put_at(x, (ROWS, i), s), I),
    "index_put_": (
        lambda x, s, i: tw.index_put_(x * 1, (slice(None), i), s, True),
        lambda x, s, i: put_at(x, (ROWS, i), s, True), I),
    "at set": (lambda x, s, i: tw.at(x)[:, i].set(s), lambda x, s, i: put_at(x, (ROWS, i), s), I),
    "at mul": (
        lambda x, s, i: tw.at(x)[:, i].mul(s), lambda x, s, i: put_at(x, (ROWS, i), s * x[:, i]), I),
    "at max": (
        lambda x, s, i: tw.at(x)[:, i].max(s), lambda x, s, i: put_at(x, (ROWS, i), torch.maximum(s, x[:, i])), I),
    "at add_": (
        lambda x, s, i: tw.at(x * 1)[:, i].add_(s), lambda x, s, i: put_at(x, (ROWS, i), s, True), I),
    "put": (lambda x, s, i: tw.put(x, i, s), lambda x, s, i: flat_put(x, i, s), torch.tensor([[5, 0], [3, 2]])),
    "put accumulate": (lambda x, s, i: tw.put(x, i, s, True), lambda x, s, i: flat_put(x, i, s, True), IJ),
    "tensor_scatter": (
        lambda x, s, i: tw.tensor_scatter(x, i, s[0]), lambda x, s, i: x.index_put((i[:, 0], i[:, 1]), s[0]), PAIRS),
    "scatter_nd": (
        lambda x, s, i: tw.scatter_nd(i, x[:, 0] * x[:, 1], (2, 3)),
        lambda x, s, i: torch.zeros(2, 3, dtype=V.dtype).index_put((i[:, 0], i[:, 1]), x[:, 0] * x[:, 1]), PAIRS),
    "scatter_": (lambda x, s, i: tw.scatter_(x * 1, 1, i, s), lambda x, s, i: x.scatter(1, i, s), IJ),
    "put_along_axis": (
        lambda x, s, i: (y := x * 1, tw.put_along_axis(y, i, s, 1))[0], lambda x, s, i: x.scatter(1, i, s), IJ),
    "torch.gather": (lambda x, s, i: tt.gather(x, 1, i), lambda x, s, i: torch.gather(x, 1, i), IJ),
    "torch.take": (lambda x, s, i: tt.take(x, i), lambda x, s, i: torch.take(x, i), IJ),
    "torch.index_select": (lambda x, s, i: tt.index_select(x, 1, i), lambda x, s, i: torch.index_select(x, 1, i), I),
    "torch.scatter_add": (lambda x, s, i: tt.scatter_add(x, 1, i, s), lambda x, s, i: x.scatter_add(1, i, s), IJ),
    "torch.scatter_reduce": (
        lambda x, s, i: tt.scatter_reduce(x, 1, i, s, "mean"), lambda x, s, i: x.scatter_reduce(1, i, s, "mean"), IJ),
    "torch.index_add": (lambda x, s, i: tt.index_add(x, 1, i, s), lambda x, s, i: x.index_add(1, i, s), I),
    "torch.index_put": (
        lambda x, s, i: tt.index_put(x, (torch.tensor([0, 1]), i), s[0]),
        lambda x, s, i: x.index_put((torch.tensor([0, 1]), i), s[0]), I),
    "torch.masked_fill": (lambda x, s, m: tt.masked_fill(x, m, 2.0), lambda x, s, m: x.masked_fill(m, 2.0), MASK),
    "torch.masked_scatter": (lambda x, s, m: tt.masked_scatter(x, m, s), lambda x, s, m: spread(x, m, s), MASK),
    "torch.embedding": (
        lambda x, s, i: tt.nn.functional.embedding(i, x.T), lambda x, s, i: torch.nn.functional.embedding(i, x.T), I),
}  # fmt: skip


def number(f, at):
    """What a case makes of one vector, as one number that has derivatives of any order."""
    return lambda v: (f(x_of(v), s_of(v), at) ** 3).sum()


def inner_step(f):
    """The gradient through a step along an inner gradient."""
    return grad(lambda v: f(v - 0.1 * grad(f)(v)))


TWICE = {
    "hessian": hessian,
    "gradient of a gradient": lambda f: grad(lambda v: grad(f)(v)[::2].sum() + f(v)),
    "tangent of a gradient": lambda f: lambda v: jvp(grad(f), (v,), (V.flip(0),)),
    "tangent of a tangent": lambda f: lambda v: jvp(lambda u: jvp(f, (u,), (V,))[1], (v,), (V.flip(0),)),
    "forward twice": lambda f: jacfwd(jacfwd(f)),
    "back twice": lambda f: jacrev(jacrev(f)),
    "an inner step": inner_step,
    "a batch of hessians": lambda f: lambda v: vmap(hessian(f))(torch.stack([v, v.flip(0) + 0.2])),
    "a hessian of a batch": lambda f: hessian(lambda v: vmap(f)(torch.stack([v, v.flip(0) + 0.2])).sum()),
    "linearized": lambda f: lambda v: linearize(f, v)[1](V.flip(0)),
    "linearized gradient": lambda f: lambda v: linearize(grad(f), v)[1](V.flip(0)),
}


def close(got, want):
    torch.testing.assert_close(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("transform", TWICE)
@pytest.mark.parametrize("name", CASES)
def test_two_levels(name, transform):
    ours, theirs, at = CASES[name]
    f, twice = functools.partial(number, at=at), TWICE[transform]
    close(twice(f(ours))(V), twice(f(theirs))(V))


# PyTorch writes no batch into a tensor that has none.
IN_PLACE = {"index_set", "index_put_", "at add_", "scatter_", "put_along_axis"}


@pytest.mark.parametrize("operand", ["x", "values", "positions"])
@pytest.mark.parametrize("name", CASES)
def test_each_operand_batched_alone(name, operand):
    ours, theirs, at = CASES[name]
    given, k = [x_of(V), s_of(V), at], ["x", "values", "positions"].index(operand)
    if given[k] is None:
        return
    batch = torch.stack([given[k], given[k].flip(-1 if at is MASK else 0)])
    with_one = lambda f: lambda one: f(*given[:k], one, *given[k + 1 :])  # noqa: E731
    if name in IN_PLACE and operand != "x":
        with pytest.raises(RuntimeError, match="vmap"):
            vmap(with_one(ours))(batch)
        return
    close(vmap(with_one(ours))(batch), torch.stack([with_one(theirs)(one) for one in batch]))


def test_both_operands_of_a_write_in_place_batched():
    x, keys = torch.stack([x_of(V), -x_of(V)]), torch.stack([I, I.flip(0)])
    for write in (lambda x, k: tw.index_set(x * 1, (slice(None), k), 5.0), lambda x, k: tw.at(x * 1)[:, k].set_(5.0)):
        close(vmap(write)(x, keys), torch.stack([one.index_fill(1, key, 5.0) for one, key in zip(x, keys, strict=True)]))


def test_what_a_program_leaves_out_is_left_out():
    def by(take):
        def inner(u):
            with torch.no_grad():
                c = take(u * u)
            return (c * u[:2]).sum()

        gradients = grad(lambda v: (grad(inner)(v) * v).sum())(V)
        return gradients, grad(lambda v: jvp(inner, (v,), (v * v,))[1])(V), grad(inner)(V)

    for got, want in zip(by(lambda x: tw.take(x, I)), by(lambda x: torch.take(x, I)), strict=True):
        close(got, want)
