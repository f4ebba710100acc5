"""PyTorch's names, rules, errors and printing.

A program written for PyTorch runs with only the import changed, as far as it reads and writes by index:

>>> import takewise.torch as torch
>>> x = torch.tensor([[1, 2], [3, 4]])
>>> torch.gather(x, 1, torch.tensor([[0, 0], [1, 0]]))
tensor([[1, 1],
        [4, 3]])
>>> x.shape
torch.Size([2, 2])

Given real torch tensors, the functions return real torch tensors, and write into theirs where they write. Tensors that require a
gradient get one from the functions that index:

>>> import pytest
>>> pytorch = pytest.importorskip("torch")
>>> weight = pytorch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> torch.take(weight, pytorch.tensor([0, 2, -1])).sum().backward()
>>> weight.grad
tensor([1., 0., 2.])

Every other name is PyTorch's own, where PyTorch is installed. Its functions take tensors of this module too, over the same memory:

>>> torch.diff(torch.tensor([1, 4, 9]))
tensor([3, 5])
"""

from takewise import _modules, _takewise
from takewise._torch import _ours
from takewise._recording import enable_grad, inference_mode, no_grad, set_grad_enabled
from takewise._size import Size
from takewise._takewise import TorchTensor as Tensor
from takewise._takewise import dtype, get_num_threads, set_num_threads

strided = "torch.strided"


def from_dlpack(x, /):
    """A tensor over the memory of any array."""
    return _takewise.from_dlpack(x, library="torch")


Tensor.__torch_function__ = classmethod(_ours.torch_function)

__all__ = _modules.exported(globals(), "torch")
_modules.rest(globals(), "torch")
