"""What PyTorch's compiler makes of a program, with takewise's kernels below what it leaves to operators."""

import shutil

import pytest

import takewise

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")
pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("g++", "clang++", "c++"))), reason="inductor needs a C++ compiler")


@pytest.mark.filterwarnings("ignore")
def test_inductor():
    def program(x, index, mask, values):
        read = x.gather(1, index) + x[index[:, 0]][:, :2]
        written = x.index_put((index[:, 0],), values, accumulate=True)
        return (read.sum() * written.masked_fill(mask, 0.5)).sum() + x[mask].sum()

    x, values = torch.arange(15.0).reshape(3, 5), torch.arange(15.0).reshape(3, 5) / 8
    arguments = torch.tensor([[0, 1], [2, 2], [0, 4]]) % 3, x % 2 == 0, values
    found = []
    for on in (False, True):
        leaf = x.clone().requires_grad_()
        if on:
            with takewise.accelerate_torch(operators="all"):
                compiled = torch.compile(program, backend="inductor")(leaf, *arguments)
                compiled.backward()
        else:
            compiled = program(leaf, *arguments)
            compiled.backward()
        found.append((compiled.detach(), leaf.grad))
    assert all(torch.allclose(a, b) for a, b in zip(*found, strict=True))
    assert sum(sum(calls) for calls in takewise.accelerate_torch.calls().values()) > 0
