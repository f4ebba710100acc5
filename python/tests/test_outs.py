"""Several results in `out=`: none is written if one of them cannot be."""

import pytest

import takewise
import takewise.torch as torch

CALLS = {
    "topk": (2, lambda x, out: torch.topk(x, 2, 0, out=out)),
    "sort": (3, lambda x, out: torch.sort(x, 0, out=out)),
    "max": (0, lambda x, out: torch.max(x, 0, out=out)),
    "min": (0, lambda x, out: torch.min(x, 0, out=out)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("bad", ["values", "indices", "dtype"])
def test_all_or_nothing(name, bad):
    rows, call = CALLS[name]
    shape = (rows, 2) if rows else (2,)
    x = torch.tensor([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]])
    values, indices = torch.full(shape, -1.0), torch.full(shape, -1)
    if bad == "values":
        values = torch.full((1,), -1.0).expand(shape)
    elif bad == "indices":
        indices = torch.full((1,), -1).expand(shape)
    else:
        indices = indices.to(torch.int32)
    with pytest.raises(takewise.exceptions.Error):
        call(x, (values, indices))
    assert (values == -1).all().item() and (indices == -1).all().item()
    values, indices = torch.full(shape, -1.0), torch.full(shape, -1)
    found = call(x, (values, indices))
    assert found[0] is values and not (values == -1).any().item() and not (indices == -1).any().item()
