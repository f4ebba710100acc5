"""MindSpore's names, rules, errors and printing.

>>> import numpy as np
>>> from takewise.mindspore import Tensor, ops
>>> import takewise.mindspore as mindspore
>>> x = Tensor(np.array([[1, 2], [3, 4]]), mindspore.int32)
>>> x.gather(1, Tensor(np.array([[0, 0], [1, 0]])))
Tensor(shape=[2, 2], dtype=Int32, value=
[[1, 1],
 [4, 3]])
>>> print(ops.gather(x, Tensor([1]), 0))
[[3 4]]
"""

from takewise import _modules
from takewise._takewise import MindSporeTensor as Tensor

from . import mint, numpy, ops
from ._grad import grad, value_and_grad

__all__ = _modules.exported(globals(), "mindspore")
_modules.rest(globals(), "mindspore")
