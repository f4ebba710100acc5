"""Calls of takewise's operators in PyTorch, every one with each of its policies, by a title."""

import torch

X = torch.tensor([[0.5, -1.25, 2.0, 3.5, 0.75], [1.5, 2.5, -0.5, 4.0, -2.0], [0.25, 1.0, -3.0, 2.25, 5.0]], dtype=torch.float64)
LINE = torch.tensor([0.5, -1.25, 2.0, 3.5, 0.75, -0.25], dtype=torch.float64)
CUBE = torch.arange(24, dtype=torch.float64).reshape(2, 3, 4) / 7 - 1.4
J = torch.tensor([[0, 4], [3, 3], [2, -1]])
WILD = torch.tensor([[0, 9], [3, 3], [-8, -1]])
I = torch.tensor([2, 0, 2])
FAR = torch.tensor([2, 7, -1])
MASK = X > 1
SRC = torch.tensor([[0.3, 1.7], [-0.6, 2.2], [1.1, -1.9]], dtype=torch.float64)
WIDE = torch.cat([SRC, SRC * 2, SRC - 1], 1)
ROWS = torch.tensor([[1.0, 0.5, -0.7, 2.1, 0.9], [0.4, -1.1, 1.3, 0.8, 2.6], [-0.2, 3.1, 0.6, -1.4, 1.2]], dtype=torch.float64)
NONE = (None, None)

# Each: the operator, its arguments, and whether tangents are known.
CASES = {}


def case(title, operator, *args, tangents=True):
    CASES[title] = (operator, args, tangents)


for bounds in ("raise", "wrap", "clip", "fill", "drop"):
    wild = bounds != "raise"
    j, i = (WILD, FAR) if wild else (J, I)
    fill = (True, 1.5) if bounds == "fill" else (True, None)
    case(f"gather {bounds}", "gather", X, 1, j, bounds, *fill)
    case(f"take {bounds}", "take", X, j, None, bounds, *fill)
    case(f"take rows {bounds}", "take", CUBE, j % 3 if bounds == "raise" else j, 1, bounds, *fill)
    case(f"take_along_dim {bounds}", "take_along_axis", X[:1], j, 1, bounds, *fill)
    case(f"index_select {bounds}", "index_select", X, 0, i, bounds, *fill)
    case(f"index {bounds}", "index", CUBE, [i[:2] - 1, None, i[1:].unsqueeze(1)], bounds, *fill)
    case(f"index inside {bounds}", "index", CUBE, [None, j % 3 if bounds == "raise" else j], bounds, *fill)
    case(f"gather_nd {bounds}", "gather_nd", CUBE, j % 2 if bounds == "raise" else j, bounds, *fill)
    for duplicates in ("last", "first"):
        case(f"scatter {bounds} {duplicates}", "scatter", X, 1, j, WIDE, "none", bounds, True, duplicates)
        case(f"index_copy {bounds} {duplicates}", "index_copy", X, 0, i, ROWS, bounds, True, duplicates)
        case(f"put {bounds} {duplicates}", "put", X, j, SRC, False, bounds, True, duplicates)
        case(f"index_put {bounds} {duplicates}", "index_put", CUBE, [None, i], ROWS[:, :4], "none", bounds, True, duplicates)
        case(f"tensor_scatter {bounds} {duplicates}", "tensor_scatter", X, i.unsqueeze(1), ROWS, "none", bounds, True, duplicates)
    case(f"scatter value {bounds}", "scatter.value", X, 1, j, 2.5, "none", bounds)
    case(f"scatter_add {bounds}", "scatter_add", X, 1, j, WIDE, bounds)
    case(f"index_add {bounds}", "index_add", X, 0, i, ROWS, 0.5, bounds)
    case(f"index_fill {bounds}", "index_fill", X, 0, i, 2.5, bounds)
    case(f"index_fill tensor {bounds}", "index_fill.Tensor", X, 0, i, torch.tensor(2.5, dtype=torch.float64), bounds)
    case(f"put adds {bounds}", "put", X, j, SRC, True, bounds)
    for how in ("sum", "prod", "mean", "amax", "amin"):
        some = how != "prod"
        case(f"scatter_reduce {how} {bounds}", "scatter_reduce", X, 1, j, SRC, how, True, bounds, tangents=some)
        if bounds in ("raise", "drop"):
            case(f"scatter_reduce {how} anew {bounds}", "scatter_reduce", X, 1, j, SRC, how, False, bounds, tangents=some)
            case(f"index_reduce {how} {bounds}", "index_reduce", X, 0, i, ROWS, how, True, bounds, tangents=some)
            case(f"index_reduce {how} anew {bounds}", "index_reduce", X, 0, i, ROWS, how, False, bounds, tangents=some)
            case(f"scatter {how} {bounds}", "scatter", X, 1, j, WIDE, how, bounds, tangents=some)
            if how != "mean":
                case(f"index_put {how} {bounds}", "index_put", X, [i], ROWS, how, bounds, tangents=some)
                case(f"tensor_scatter {how} {bounds}", "tensor_scatter", X, i.unsqueeze(1), ROWS, how, bounds, tangents=some)
# By PyTorch's own rules.
case("gather torch", "gather", X, 1, J % 5, "torch", False)
case("take_along_dim torch", "take_along_axis", X[:1], WILD, 1, "torch", False)
case("index torch", "index", CUBE, [None, I], "torch")
case("scatter torch", "scatter", X, 1, J % 5, WIDE, "none", "torch", False)
case("scatter_reduce amax torch", "scatter_reduce", X, 1, J % 5, WIDE, "amax", False, "torch", False)
case("index_add torch", "index_add", X, 0, I, ROWS, 0.5, "torch", False)
case("index_put torch", "index_put", CUBE, [None, I], ROWS[:, :4], "none", "torch")
case("gather positive", "gather", X, 0, J[:2] % 3, "drop", False)
case("index of a mask", "index", X, [MASK])
case("index of a mask beside", "index", CUBE, [torch.tensor([True, False]), torch.tensor([[2], [0]])])
case("index_put of a mask", "index_put", X, [MASK], torch.tensor(2.5, dtype=torch.float64))
case("masked_select", "masked_select", X[:1], MASK)
case("masked_fill", "masked_fill", X, MASK[:1], 2.5)
case("masked_fill tensor", "masked_fill.Tensor", X, MASK, torch.tensor(2.5, dtype=torch.float64))
case("masked_scatter", "masked_scatter", X, MASK, ROWS)

SEARCHES = {
    "searchsorted": ("searchsorted", (LINE.sort()[0], X)),
    "searchsorted right": ("searchsorted", (X.sort(1)[0], X, True, True)),
    "searchsorted sorter": ("searchsorted", (X, X, False, False, "right", X.argsort(1))),
    "searchsorted number": ("searchsorted.Scalar", (LINE.sort()[0], 0.6)),
    "bucketize": ("bucketize", (X, LINE.sort()[0], True)),
    "bucketize number": ("bucketize.Scalar", (0.6, LINE.sort()[0])),
    "nonzero": ("nonzero", (X.clamp(0),)),
}


def operator(name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.takewise, packet), overload or "default")


def differentiable(args, dtype=torch.float64):
    """The arguments as leaves that require a gradient, where they can, and a function that puts them back among the others."""
    leaves, slots = [], []
    for k, value in enumerate(args):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            leaves.append(value.detach().clone().to(dtype).requires_grad_(True))
            slots.append(k)

    def whole(*given):
        found = list(args)
        for slot, value in zip(slots, given, strict=True):
            found[slot] = value
        return found

    return leaves, whole
