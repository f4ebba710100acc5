"""takewise's operators in PyTorch, with gradients, batches and compilation.

``takewise.gather(x, ...)`` and the other functions go to them by themselves where a tensor requires a gradient, is a part
of a batch of ``torch.vmap``, or is traced. Who wants to call an operator by its name in PyTorch, or loads a program that was
exported with one, imports this module first:

>>> import pytest
>>> torch = pytest.importorskip("torch")
>>> import takewise.torch_ops
>>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> y = torch.ops.takewise.gather(x, 0, torch.tensor([2, 9]), "fill")
>>> y.nan_to_num(0).sum().backward()
>>> x.grad
tensor([0., 0., 1.])

Policies are arguments, and mean what they mean everywhere: `bounds`, `negative`, `duplicates`, `casting`, `fill_value`. Bounds of
``"torch"``, which operators alone have, stand for all rules and errors of PyTorch's function of that name. ``schemas`` says
which arguments each operator takes.
"""

import importlib.util

from takewise import _torch

__all__ = ["schemas"]

if importlib.util.find_spec("torch"):
    _torch.operators()


def schemas() -> dict[str, str]:
    """The schema of each operator, by its name in ``torch.ops.takewise``.

    >>> import pytest
    >>> torch = pytest.importorskip("torch")
    >>> from takewise import torch_ops
    >>> torch_ops.schemas()["nonzero"]
    'nonzero(Tensor input, int? threads=None) -> Tensor'
    """
    return _torch.schemas()
