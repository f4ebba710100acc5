"""Tensor indexing, exact and fast, on the arrays you already hold.

NumPy arrays, PyTorch tensors in main memory, JAX arrays and anything that speaks DLPack or the buffer protocol go in
without a copy, and the same library's array comes out:

>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.gather(x, 1, np.array([[2, 0], [1, 1]]))
array([[30, 10],
       [50, 50]])
"""

from takewise import exceptions
from takewise._takewise import Tensor, __version__, from_dlpack, gather, index

__all__ = ["Tensor", "__version__", "exceptions", "from_dlpack", "gather", "index"]
