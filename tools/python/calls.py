"""At least one call of every function of the package, for tests that make each of them in several ways."""

import numpy as np

import takewise

X = np.array([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]])
V = np.array([5.0, 1.0, 4.0, 2.0])
N = np.arange(24).reshape(2, 3, 4)
I2 = np.array([[2, 0], [1, -1]])
M = X > 15
S = np.array([[1.0, 2.0], [3.0, 4.0]])

# At least one call of every function: positional arguments, and keywords as a dictionary at the end.
CALLS = {
    "gather": [(X, 1, I2), (X, 1, [[0, 9], [1, 1]], {"bounds": "fill", "fill_value": -1}), (X, 1, I2 + 7, {"bounds": "wrap"})],
    "take": [(X, [0, -1]), (X, [2, 0], {"axis": 1}), (X, [[2, 0], [1, 1]], {"batch_dims": 1}), (X, [1, 99], {"bounds": "clip"})],
    "take_along_axis": [(X, np.argsort(X, axis=1), {"axis": 1}), (X, [0, 5], {"axis": None})],
    "index_select": [(X, 1, [2, 0]), (X, 0, np.array([1, 1]), {"out": np.zeros((2, 3))})],
    "gather_nd": [(X, [[0, 2], [1, 0]]), (X, [[9, 2], [1, 0]], {"bounds": "drop"})],
    "copy": [(X[:, ::-1].T,)],
    "masked_select": [(X, M), (X, [True, False, True])],
    "scatter": [(X, 1, I2, S), (X, 1, I2, S, "sum"), (V, 0, [1, 1], [7.0, 8.0], {"duplicates": "first"}), (X, 1, I2, 7)],
    "scatter_add": [(X, 1, I2, S), (V, 0, [0, 0, 9], [1.0, 2.0, 3.0], {"bounds": "drop"})],
    "scatter_reduce": [(V, 0, [0, 0, 2], [5.0, 9.0, -1.0], how) for how in ("sum", "prod", "max", "min", "mean")]
    + [(V, 0, [0, 0, 2], [5.0, 9.0, -1.0], how, False) for how in ("sum", "mean", "max")],
    "index_add": [(X, 0, [1, 1], X), (X, 0, [1, 1], X, {"alpha": 2})],
    "index_copy": [(X, 0, [1, 1], X + 1)],
    "index_fill": [(X, 1, [0, 2], 5)],
    "index_reduce": [(X, 0, [0, 0], X, how) for how in ("prod", "mean", "max", "min")]
    + [(V, 0, [3, 3], [5.0, 9.0], "last"), (np.array([-1, -1]), 0, [1, 1], np.array([5.0, 9.0]), "argmax"), (V, 0, [3, 3], [5.0, 9.0], "sum", {"skip_nan": True})],
    "put": [(X, [0, 3], [5, 6]), (X, [0, 0], [5, 6], True)],
    "tensor_scatter": [(X, [[0, 1], [1, 0]], [5.0, 6.0]), (X, [[0, 1], [0, 1]], [5.0, 6.0], "sum")],
    "masked_fill": [(X, M, 0)],
    "masked_scatter": [(V, [True, False, True, False], [5.0, 6.0, 7.0])],
    "put_along_axis": [(X, np.argmax(X, axis=1, keepdims=True), 99), (X, [0, 5], [1, 2], None)],
    "scatter_nd": [(np.array([[0], [2], [0]]), np.array([1, 5, 2]), (4,))],
    "searchsorted": [(np.array([1, 3, 5, 7]), np.array([3.0, 4.5, 9.0])), (np.array([1, 3, 5]), [3, 3], {"side": "right"})],
    "bucketize": [(np.array([0.5, 1.0, 3.0]), np.array([1.0, 2.0]))],
    "take_ranges": [(V, [0, 1, 1, 4], [2, 0]), (X, {"starts": [1, 0], "stops": [2, 2], "axis": 1}), (V, [0, 4], [3], {"bounds": "fill"})],
    "put_ranges": [(V, [0, 1, 4], [1], [7.0, 8.0, 9.0]), (V, [0, 1, 2, 4], [0, 1], [7.0, 8.0], {"duplicates": "first"})],
    "reduce_ranges": [(V, [0, 1, 1, 4], how) for how in ("sum", "mean", "max", "argmin", "count")]
    + [(X, [0, 2], "sum", [1, 0], {"weights": [2.0, 3.0]}), (V, [0, 4], "min", {"where": V > 1, "skip_nan": True, "empty": 0})],
    "pad_ranges": [(V, [0, 1, 4]), (V, [0, 1, 4], 3, -1.0, {"mask": True})], "pack_ranges": [(X, [3, 1])],
    "repeat_ranges": [(V, [0, 1, 1, 2, 4])], "range_ids": [([0, 1, 1, 4],)], "offsets_of": [([0, 0, 2], 4)],
    "range_positions": [([0, 1, 4], [1, 0]), ({"starts": [3, 0], "lengths": [1, 2]},)],
    "searchsorted_ranges": [(np.array([1.0, 5.0, 2.0, 4.0]), [0, 2, 4], np.array([3.0, 9.0]), {"right": True})],
    "topk": [(V, 2), (X, 1, 0, {"largest": False})], "argtopk": [(V, 2), (X, 2, 1)],
    "unique": [(I2,), (X, 0), (I2, {"return_index": True, "return_inverse": True, "return_counts": True})],
    "bincount": [([0, 2, 2],), ([0, 2, 2], [0.5, 1.0, 1.0], {"minlength": 5})],
    "nonzero": [(M,), (M, {"as_tuple": True})],
    "where": [(M, X, 0), (M,)],
    "index": [(X, ([1, 0], slice(1, 3))), (X, M), (X, [1, 5], {"bounds": "clip"}), (N, (0, slice(None), [0, 1])), (N, (..., 1))],
    "oindex": [(N, ([1, 0], [2, 1]))],
    "vindex": [(N, (slice(None), [0, 2], [3, 1]))],
    "index_put_": [(V.copy(), [1, 1, 3], [5.0, 6.0, 7.0]), (V.copy(), [1, 1, 3], 1, {"accumulate": True})],
    "index_set": [(X.copy(), (slice(None), [2, 0]), [5.0, 6.0]), (X.copy(), M, -1)],
    "adjoint": [(X,)], "arange": [(5,)], "argsort": [(V,), (X, None), (X, 0, {"descending": True})], "argwhere": [(M,)],
    "as_strided": [(takewise.arange(6), (2, 2), (1, 2))],
    "as_tensor": [([1, 2],)], "atleast_1d": [(takewise.tensor(3),)], "atleast_2d": [(takewise.arange(3),)],
    "atleast_3d": [(takewise.arange(3),)], "broadcast_tensors": [(takewise.arange(3), takewise.ones(2, 1))],
    "broadcast_to": [(V, (2, 4))], "chunk": [(N, 2, 2)], "clone": [(takewise.arange(3),)], "detach": [(takewise.arange(3),)],
    "diag": [(V,), (X,)], "diag_embed": [(V,)], "diagflat": [(V,)], "diagonal": [(X,)], "diagonal_scatter": [(X, V[:2])],
    "dsplit": [(N, 2)], "embedding": [(X, takewise.tensor([1, 0, 1]))], "empty": [(0, 2)], "empty_like": [(X[:0],)], "eq": [(X, 20.0)],
    "equal": [(X, X)], "eye": [(3,)], "fill": [(X, 3.0)], "flatten": [(N, 1)],
    "flip": [(X, (0, 1))], "fliplr": [(X,)], "flipud": [(X,)], "from_dlpack": [(X,)], "from_numpy": [(X,)],
    "full": [((2,), 3.0)], "full_like": [(V, 3.0)], "ge": [(X, 20.0)], "gt": [(X, 20.0)], "hsplit": [(X, 3)],
    "index_put": [(X, (np.array([0, 0]), np.array([1, 1])), takewise.tensor([7.0, 8.0], dtype=takewise.float64)),
                  (X, (np.array([0, 0]), np.array([1, 1])), takewise.tensor([7.0, 8.0], dtype=takewise.float64), True)],
    "is_tensor": [(X,)], "isin": [(X, V), ([1, 2], [2.5, 2], {"invert": True})], "isnan": [(X,)], "le": [(X, 20.0)], "linspace": [(0, 1, 5)],
    "logical_and": [(M, M)], "logical_not": [(M,)], "logical_or": [(M, M)], "lt": [(X, 20.0)],
    "meshgrid": [(takewise.arange(2), takewise.arange(3))], "moveaxis": [(N, 0, 2)], "movedim": [(N, 0, 2)],
    "msort": [(V,)], "narrow": [(X, 1, 1, 2)], "ne": [(X, 20.0)], "numel": [(X,)], "ones": [(2,)], "ones_like": [(V,)],
    "permute": [(N, (2, 0, 1))], "rand": [(2,)], "randint": [(0, 5, (3,))], "randn": [(2,)], "randperm": [(4,)],
    "ravel": [(X[:, ::-1],), (X,)], "reshape": [(X, (3, 2)), (X.T, (6,))], "roll": [(X, 1), (X, (1, 1), (0, 1))],
    "rot90": [(X,)], "select": [(X, 1, 2)], "select_scatter": [(X, V[:2], 1, 0)],
    "slice_scatter": [(X, np.ones((2, 2)), 1, 0, 3, 2)], "sort": [(V,), (X, {"descending": True})],
    "split": [(V, 3)], "split_with_sizes": [(V, (1, 3))], "squeeze": [(X[:1],)], "swapaxes": [(N, 0, 1)],
    "swapdims": [(N, 0, 1)], "t": [(X,)], "take_along_dim": [(X, I2, 1)], "tensor": [([1, 2],)],
    "tensor_split": [(V, 3)], "transpose": [(N, 0, 1)], "tril": [(X,)], "tril_indices": [(2, 3)], "triu": [(X,)],
    "triu_indices": [(2, 3)], "unbind": [(X,)], "unflatten": [(V, 0, (2, 2))], "unravel_index": [(takewise.tensor([3, 5]), (2, 3))],
    "unsafe_chunk": [(V, 2)], "unsafe_split": [(V, 3)], "unsafe_split_with_sizes": [(V, (1, 3))], "unsqueeze": [(X, 1)],
    "vsplit": [(X, 2)], "zero_": [(X.copy(),)], "fill_": [(X.copy(), 3.0)], "zeros": [(2,)], "zeros_like": [(X,)],
}  # fmt: skip
# In-place forms take what the others take.
CALLS |= {f"{name}_": CALLS[name] for name in list(CALLS) if f"{name}_" in takewise.__all__ and f"{name}_" not in CALLS}
CALLS["index_put_"] += [(X, ([0, 0], [1, 1]), 5.0)]
TYPES = ["BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor",
         "LongTensor", "ShortTensor"]  # fmt: skip
CALLS |= {name: [([1, 0],)] for name in TYPES}


def call_of(entry):
    kwargs = entry[-1] if isinstance(entry[-1], dict) else {}
    return entry[: len(entry) - bool(kwargs)], kwargs


def copied(args, kwargs):
    memo = {}

    def copy(value):
        if isinstance(value, (np.ndarray, takewise.Tensor)):
            made = memo.setdefault(id(value), value.copy() if isinstance(value, np.ndarray) else value.clone())
            return made
        if isinstance(value, (list, tuple)) and any(isinstance(v, (np.ndarray, takewise.Tensor)) for v in value):
            return type(value)(copy(v) for v in value)
        return value

    return [copy(v) for v in args], {name: copy(v) for name, v in kwargs.items()}
