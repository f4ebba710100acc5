"""What type checkers make of calls: read by mypy and pyright, and run, by test_stubs.py."""

import pathlib
import tempfile
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import takewise
import takewise.mindspore
import takewise.numpy
import takewise.torch

x: NDArray[np.float64] = np.arange(12.0).reshape(3, 4)
i: NDArray[np.int64] = np.array([[0, 1, 2, 0]])

# NumPy's arrays give NumPy's arrays of the same dtype, whatever kind the index is of.
assert_type(takewise.gather(x, 0, i), NDArray[np.float64])
assert_type(takewise.take(x, [0, 2], axis=1, bounds="clip"), NDArray[np.float64])
assert_type(takewise.take(x, range(3), bounds="fill", fill_value=-1.0), NDArray[np.float64])
assert_type(takewise.index(x, (slice(1), None, ..., [0, 1])), NDArray[np.float64])
assert_type(takewise.index(x, x > 3), NDArray[np.float64])
assert_type(takewise.masked_select(x, x > 3), NDArray[np.float64])
assert_type(takewise.scatter_add(x, 0, i, 1.0), NDArray[np.float64])
assert_type(takewise.index_put_(x, ([0], [1]), 2.0, accumulate=True), NDArray[np.float64])
assert_type(takewise.at(x)[:, [0, 0]].add(1), NDArray[np.float64])
assert_type(takewise.put_along_axis(x, i, 0.0, 0), None)
assert_type(takewise.copy(x.T), NDArray[np.float64])

# What counts or finds places gives integers.
assert_type(takewise.searchsorted(x[0], x, side="right"), NDArray[np.integer[Any]])
assert_type(takewise.nonzero(x), NDArray[np.int64])
assert_type(takewise.nonzero(x, as_tuple=True), tuple[NDArray[np.int64], ...])
assert_type(takewise.PreparedSearch([1, 2, 3]).searchsorted(x), NDArray[np.integer[Any]])

# Tensors give tensors, and lists NumPy's arrays.
t = takewise.Tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(takewise.gather(t, 1, [[0, 0], [1, 0]]), takewise.Tensor)
assert_type(takewise.take([10, 20, 30], [2, 0]), NDArray[Any])
assert_type(takewise.at(t)[0].set(5), takewise.Tensor)

# Files give NumPy's arrays.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "table.npy"
    np.save(path, x)
    with takewise.open(path) as table:
        assert_type(takewise.take(table, [1], axis=0), NDArray[Any])

# The libraries' modules: arrays come from the library that the first array is of.
u = takewise.torch.tensor([[3.0, 1.0], [2.0, 4.0]])
k = takewise.torch.argsort(u, 1)
assert_type(k, takewise.torch.Tensor)
assert_type(takewise.torch.gather(u, 1, k), takewise.torch.Tensor)
assert_type(u[0], takewise.torch.Tensor)
assert_type(takewise.torch.sort(u).indices, takewise.torch.Tensor)
assert_type(takewise.torch.zeros(2, 3), takewise.torch.Tensor)
assert_type(takewise.torch.split(u, 1), tuple[takewise.torch.Tensor, ...])
assert_type(takewise.torch.nonzero(u), takewise.torch.Tensor)
assert_type(takewise.torch.nonzero(u, as_tuple=True), tuple[takewise.torch.Tensor, ...])
assert_type(takewise.torch.where(u > 2, u, 0.0), takewise.torch.Tensor)
assert_type(takewise.torch.numel(u), int)
m = takewise.mindspore.Tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(takewise.mindspore.ops.gather(m, takewise.mindspore.Tensor([1, 0]), 0), takewise.mindspore.Tensor)
assert_type(takewise.numpy.sort([3, 1, 2]), NDArray[Any])
assert_type(takewise.numpy.take_along_axis(x, i, 0), NDArray[np.float64])
assert_type(takewise.numpy.sort(i), NDArray[np.int64])
assert_type(takewise.numpy.split(x, 3), list[NDArray[np.float64]])
assert_type(takewise.flip(x, (0,)), NDArray[np.float64])


class Column:
    """As columns of pandas, polars and pyarrow are: those packages may be absent here."""

    shape = (3,)

    def to_numpy(self, dtype: object = None, copy: bool = False) -> NDArray[np.float64]:
        return np.arange(3.0)

    def __array__(self) -> NDArray[np.float64]:
        return self.to_numpy()


assert_type(takewise.nonzero(Column()), NDArray[np.int64])
