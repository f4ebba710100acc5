"""Tensor indexing, exact and fast, on the arrays you already hold.

NumPy arrays, PyTorch tensors in main memory, JAX arrays and anything that speaks DLPack or the buffer protocol go in
without a copy, and the same library's array comes out:

>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.gather(x, 1, np.array([[2, 0], [1, 1]]))
array([[30, 10],
       [50, 50]])

Negative values count from the end, and values outside an axis raise, with the axis, the position, the value and the
size. Keyword arguments with one meaning everywhere change that:

``bounds``
    what values outside their axis do: ``"raise"``, ``"wrap"`` (modulo the length), ``"clip"`` (the nearest place),
    ``"fill"`` (reads give ``fill_value``, by default NaN or the like, writes are dropped), ``"drop"`` (reads give zero,
    writes are dropped);
``negative``
    whether negative values count from the end (``True``) or are outside;
``duplicates``
    which of several stores to one place stays: ``"last"``, ``"first"``, or ``"error"`` for none; where values are combined
    all of them count, and only ``"error"`` has a meaning;
``threads``
    among how many threads a large call is divided at most, instead of what ``set_num_threads`` says. Results do not depend
    on it.

A call that raises has written nothing.
"""

from takewise import _modules, _start, _torch, exceptions
from takewise._accelerate import accelerate_torch, torch_errors
from takewise._explain import explain
from takewise._files import FileArray, open
from takewise._takewise import (
    Comparison,
    Explanation,
    PreparedSearch,
    SparseTensor,
    Tensor,
    __version__,
    at,
    bucketize,
    copy,
    from_dlpack,
    gather,
    gather_nd,
    get_num_threads,
    index,
    index_add,
    index_add_,
    index_copy,
    index_copy_,
    index_fill,
    index_fill_,
    index_put_,
    index_reduce,
    index_reduce_,
    index_select,
    index_set,
    masked_fill,
    masked_fill_,
    masked_scatter,
    masked_scatter_,
    masked_select,
    nonzero,
    oindex,
    put,
    put_,
    put_along_axis,
    scatter,
    scatter_,
    scatter_add,
    scatter_add_,
    scatter_nd,
    scatter_reduce,
    scatter_reduce_,
    searchsorted,
    set_num_threads,
    take,
    take_along_axis,
    tensor_scatter,
    tensor_scatter_,
    vindex,
    where,
)

_torch.wait()

__all__ = [*_modules.exported(globals(), "neutral"), "__version__"]
