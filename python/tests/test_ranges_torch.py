"""Rows of different lengths on PyTorch's tensors: gradients of two orders, batches, compiled programs, jagged tensors."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

import takewise

OFFSETS, IDS = torch.tensor([0, 2, 2, 5, 7]), torch.tensor([2, 0, 0, 3, 1])
PICKED = torch.tensor([6, 1, 1, 0, 4, 5, 2])


def variable(*shape):
    return torch.randn(*shape, dtype=torch.double, generator=torch.Generator().manual_seed(len(shape))).requires_grad_()


FUNCTIONS = {
    "take": lambda x: takewise.take_ranges(x, OFFSETS, IDS)[0],
    "take, starts": lambda x: takewise.take_ranges(x, starts=[4, 0], stops=[7, 3])[0],
    "take, fill": lambda x: takewise.take_ranges(x, OFFSETS, [9, 2], bounds="fill")[0],
    "take, axis 1": lambda x: takewise.take_ranges(x, [0, 1, 3], [1, 1], axis=1)[0],
    "pad": lambda x: takewise.pad_ranges(x, OFFSETS, 4, 2.5),
    "repeat": lambda x: takewise.repeat_ranges(x, [0, 2, 2, 3, 4, 4, 5, 7]),
    "pack": lambda x: takewise.pack_ranges(x.unsqueeze(0), [5])[0],
    **{
        f"{how}, {name}": lambda x, how=how, given=given: takewise.reduce_ranges(x, OFFSETS, how, empty=1, **given)
        for how in ("sum", "mean", "prod", "min", "max", "first", "last")
        for name, given in {"all": {}, "ids": {"ids": PICKED}, "where": {"where": torch.arange(21).reshape(7, 3) % 4 > 0}}.items()
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_two_orders(name):
    x = variable(7, 3)
    assert torch.autograd.gradcheck(FUNCTIONS[name], x) and torch.autograd.gradgradcheck(FUNCTIONS[name], x)
    assert torch.allclose(FUNCTIONS[name](x), FUNCTIONS[name](x.detach()))


def test_weights_and_stored_rows_have_gradients():
    x, weights = variable(7, 3), variable(7)
    assert torch.autograd.gradcheck(lambda x, w: takewise.reduce_ranges(x, OFFSETS, "sum", PICKED, weights=w), (x, weights))
    source = variable(6, 3)
    for given in ((OFFSETS, [2, 0], source[:5]), (OFFSETS, [2, 0], source, [1, 4, 6])):
        assert torch.autograd.gradcheck(lambda x: takewise.put_ranges(x, *given), x)
        assert torch.equal(takewise.put_ranges(x, *given), takewise.put_ranges(x.detach(), given[0], given[1], given[2].detach(), *given[3:]))
    with pytest.raises(ValueError, match="not as long"):
        takewise.put_ranges(x, OFFSETS, [2, 0], source, [0, 2, 5])


@pytest.mark.parametrize("how", ["any", "all", "count", "argmin", "argmax", "mean"])
def test_answers_are_those_without_a_record(how):
    x = variable(7, 3).detach()
    x[3, 1] = float("nan")
    for given in ({}, {"skip_nan": True}, {"where": x > 0, "empty": 3}, {"ids": PICKED}, {"ids": [9, *PICKED[1:]], "bounds": "drop"}):
        recorded = takewise.reduce_ranges(x.clone().requires_grad_(), OFFSETS, how, **given)
        assert torch.allclose(recorded, takewise.reduce_ranges(x, OFFSETS, how, **given), equal_nan=True), given


@pytest.mark.parametrize("how", ["sum", "max", "first", "argmin", "mean"])
def test_rows_by_starts_that_overlap(how):
    x, rows = variable(7, 3), {"starts": [4, 0], "stops": [7, 5]}
    for given in ({}, {"ids": PICKED}, {"where": x.detach() > 0, "empty": 2}):
        recorded = takewise.reduce_ranges(x, reduce=how, **rows, **given)
        assert torch.allclose(recorded, takewise.reduce_ranges(x.detach(), reduce=how, **rows, **given)), given


def test_what_counts_has_no_gradient():
    x = variable(7)
    assert takewise.searchsorted_ranges(x, OFFSETS, torch.zeros(4, dtype=torch.double)).dtype == torch.int64
    assert not takewise.reduce_ranges(x, OFFSETS, "argmax").requires_grad


def test_groups_without_sorting_have_counts_and_no_gradients():
    x, groups = variable(7), torch.tensor([0, 1, 0, 1, 1, 0, 0])
    found = takewise.index_reduce(torch.full((2,), -1), 0, groups, x, "argmax")
    assert found.tolist() == [int(torch.where(groups == k, x, -torch.inf).argmax()) for k in range(2)]


@pytest.mark.parametrize("how, skip_nan", [("first", False), ("last", False), *((how, True) for how in ("sum", "mean", "prod", "max", "min", "last"))])
@pytest.mark.parametrize("include_self", [True, False])
def test_groups_without_sorting_have_gradients(how, skip_nan, include_self):
    x, index = variable(3, 2), torch.tensor([2, 0, 2, -3, 2])
    source = (variable(5, 2).detach() * 1.7 + 0.3).requires_grad_()
    each = index[:, None].expand(5, 2)
    held = source.detach().clone()
    held[2, 1] = float("nan") if skip_nan else 0.5
    for call in (
        lambda x, s: takewise.index_reduce(x, 0, index, s, how, include_self, skip_nan=skip_nan),
        lambda x, s: takewise.scatter_reduce(x, 0, each, s, how, include_self, skip_nan=skip_nan),
    ):  # fmt: skip
        assert torch.autograd.gradcheck(call, (x, source)) and torch.autograd.gradgradcheck(call, (x, source))
        assert torch.allclose(call(x, held), call(x.detach(), held), equal_nan=True)
    if skip_nan:
        missing = x.detach().clone()
        missing[2, 0] = float("nan")
        missing.requires_grad_()
        takewise.index_reduce(missing, 0, index, source, how, include_self, skip_nan=True).sum().backward()
        assert not missing.grad.isnan().any()
    dropped = takewise.index_reduce(x, 0, [9, 1], source[:2], how, include_self, skip_nan=skip_nan, bounds="drop")
    assert torch.allclose(dropped, takewise.index_reduce(x.detach(), 0, [9, 1], source[:2].detach(), how, include_self, skip_nan=skip_nan, bounds="drop"))


def test_batches():
    many = torch.randn(4, 7, 3)
    for name in ("take", "pad", "repeat", "sum, all", "max, all", "first, ids"):
        wanted = torch.stack([FUNCTIONS[name](one) for one in many])
        assert torch.allclose(torch.vmap(FUNCTIONS[name])(many), wanted), name
    each = torch.vmap(torch.func.grad(lambda x: takewise.reduce_ranges(x, OFFSETS, "sum").square().sum()))(many)
    wanted = 2 * torch.stack([takewise.repeat_ranges(takewise.reduce_ranges(one, OFFSETS, "sum"), OFFSETS) for one in many])
    assert torch.allclose(each, wanted)


# How many values rows hold depends on data.
@torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
def test_compiled_programs_give_the_same():
    x = torch.randn(7, 3)
    for function in (lambda x: takewise.take_ranges(x, OFFSETS, IDS)[0] * 2, lambda x: takewise.reduce_ranges(x, OFFSETS, "sum") * 2):
        compiled, own = torch.compile(function, backend="aot_eager", fullgraph=True), x.clone().requires_grad_()
        assert torch.equal(compiled(x), function(x))
        compiled(own).sum().backward()
        gradient, own.grad = own.grad, None
        function(own).sum().backward()
        assert torch.equal(gradient, own.grad)
    bad = torch.tensor([0, 3, 9])
    with pytest.raises((ValueError, RuntimeError, IndexError)):
        torch.compile(lambda x, rows: takewise.take_ranges(x, rows)[0] * 2, backend="aot_eager")(x, bad)


def jagged(values):
    return torch.nested.nested_tensor_from_jagged(values, torch.tensor([0, 2, 2, 7]))


def test_rows_of_jagged_tensors():
    values = variable(7, 3)
    batch = jagged(values)
    for picked in (
        takewise.index_select(batch, 0, [2, 0, 2]), takewise.take(batch, [2, 0, -1], axis=0), takewise.index(batch, [2, 0, 2]),
        takewise.take_ranges(batch, torch.tensor([2, 0, 2])),
    ):  # fmt: skip
        assert picked.layout == torch.jagged and [len(row) for row in picked.unbind()] == [5, 2, 5]
        assert torch.equal(picked.values(), torch.cat([values[2:], values[:2], values[2:]]))
    picked.values().sum().backward()
    assert values.grad[:, 0].tolist() == [1, 1, 2, 2, 2, 2, 2]
    with pytest.raises(IndexError, match="index_select: index 5 is out of bounds for axis 0 with size 3"):
        takewise.index_select(batch, 0, [5])
    with pytest.raises(TypeError, match="pass its values and offsets"):
        takewise.scatter(batch, 0, [1], 2.0)
    with pytest.raises(TypeError, match="leave fill_value out"):
        takewise.take(batch, [9], axis=0, bounds="fill", fill_value=2.0)
    assert [len(row) for row in takewise.take(jagged(values.detach()), [9, 2], axis=0, bounds="fill").unbind()] == [0, 5]
