"""PyTorch's operators that takewise can run, which of them it runs unasked, and what PyTorch's own kernels warn of."""

from takewise import exceptions

# Operators of PyTorch with a kernel of their own for main memory, by the function or method whose rules they follow.
# Everything else that indexes (``index_put``, ``masked_fill``, ``take_along_dim``, ``embedding``, ``x[...] = y``)
# is made of these.
OPERATORS = {
    "gather": "gather",
    "gather.out": "gather",
    "index.Tensor": "ops.aten.index",
    "index.Tensor_out": "ops.aten.index",
    "_index_put_impl_": "ops.aten._index_put_impl_",
    "index_select": "index_select",
    "index_select.out": "index_select",
    "take": "take",
    "take.out": "take",
    "masked_select": "masked_select",
    "masked_select.out": "masked_select",
    "nonzero": "nonzero",
    "nonzero.out": "nonzero",
    "searchsorted.Tensor": "searchsorted",
    "searchsorted.Tensor_out": "searchsorted",
    "searchsorted.Scalar": "searchsorted",
    "searchsorted.Scalar_out": "searchsorted",
    "bucketize.Tensor": "bucketize",
    "bucketize.Tensor_out": "bucketize",
    "bucketize.Scalar": "bucketize",
    "scatter.src": "scatter",
    "scatter.src_out": "scatter",
    "scatter.value": "scatter",
    "scatter.value_out": "scatter",
    "scatter.reduce": "scatter",
    "scatter.reduce_out": "scatter",
    "scatter.value_reduce": "scatter",
    "scatter.value_reduce_out": "scatter",
    "scatter_.src": "scatter_",
    "scatter_.value": "scatter_",
    "scatter_.reduce": "scatter_",
    "scatter_.value_reduce": "scatter_",
    "scatter_add": "scatter_add",
    "scatter_add.out": "scatter_add",
    "scatter_add_": "scatter_add_",
    "scatter_reduce.two": "scatter_reduce",
    "scatter_reduce.two_out": "scatter_reduce",
    "scatter_reduce_.two": "scatter_reduce_",
    "index_add": "index_add",
    "index_add.out": "index_add",
    "index_add_": "index_add_",
    "index_copy": "index_copy",
    "index_copy.out": "index_copy",
    "index_copy_": "index_copy_",
    "index_reduce": "index_reduce",
    "index_reduce.out": "index_reduce",
    "index_reduce_": "index_reduce_",
    "index_fill_.int_Scalar": "index_fill_",
    "index_fill_.int_Tensor": "index_fill_",
    "masked_fill_.Scalar": "masked_fill_",
    "masked_fill_.Tensor": "masked_fill_",
    "masked_scatter_": "masked_scatter_",
    "put_": "put_",
}

# Operators that PyTorch keeps unless they are named, by the reason. Which they are is a choice: a program with the switch on is not
# to lose by it. On a few elements a kernel without Python takes up to twice PyTorch's time, and one in Python up to four times
# (docs/lab/torch.md). So those stay with PyTorch whose usual calls are small, or that gain too little on large ones.
_LEFT = {
    "its usual calls read one element of each row, and tables gain little": ("gather",),
    "subscripts are everywhere, most are small, and the kernel is in Python": ("index", "_index_put_impl_"),
    "its usual calls are small": ("take", "put_"),
    "every index is checked before the first store: large tensors gain little, and small ones lose": (
        "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_",
    ),
    "results of 10 to 64 KiB lose, as they are copied into memory of PyTorch's; larger ones gain": ("index_select",),
    "many short rows gain, few long ones lose": ("index_copy", "index_copy_", "index_add", "index_add_"),
    "they fill what a mask or a few positions name, mostly by a kernel in Python, and backward passes are full of small ones": (
        "masked_fill_", "masked_scatter_", "index_fill_",
    ),
    "one number is sought, by a kernel in Python": ("searchsorted.Scalar", "searchsorted.Scalar_out", "bucketize.Scalar"),
    "it is in beta, and was not measured": ("index_reduce", "index_reduce_"),
}  # fmt: skip
LEFT = {name: reason for reason, names in _LEFT.items() for name in names}
UNASKED = frozenset(overload for overload in OPERATORS if not LEFT.keys() & {overload, overload.partition(".")[0]})

# Of these, PyTorch's own kernels write before they have checked.
STRICT = {"masked_scatter_"}


_BYTE = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
_BYTES = ((1, "indices", "byte", False, _BYTE),)
_BYTES_STORED = ((1, "indices", "stored", False, _BYTE),)
_STRIDED = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when "
    "converting non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will only "
    "appear once per program."
)


def _strided(*arguments):
    return tuple((place, name, "strided", True, _STRIDED.format(said)) for place, name, said in arguments)


_SEARCHED = _strided((1, "self", "input value"), (0, "sorted_sequence", "boundary"), (9, "sorter", "sorter"))
_BUCKETS = _strided((0, "self", "input value"), (1, "boundaries", "boundary"))
_BETA = ((0, "self", "always", True, "index_reduce() is in beta and the API may change at any time."),)
_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. "
    "Use torch.scatter_reduce instead for more reduction options."
)
_REDUCES = ((0, "self", "always", True, _REDUCE),)
_MASK = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with dtype "
    "torch.bool instead."
)

# What PyTorch's own kernels warn of, by operator: the place and the name of the argument it is about (beyond the last
# place if it has a name only), what is true of it then, whether it is said once in a process, and the text, by which
# programs filter it.
WARNINGS = {
    "index.Tensor": _BYTES,
    "index.Tensor_out": _BYTES,
    "_index_put_impl_": _BYTES_STORED,
    "masked_scatter_": ((1, "mask", "byte", False, _MASK),),
    "searchsorted.Tensor": _SEARCHED,
    "searchsorted.Tensor_out": _SEARCHED,
    "searchsorted.Scalar": _SEARCHED,
    "searchsorted.Scalar_out": _SEARCHED,
    "bucketize.Tensor": _BUCKETS,
    "bucketize.Tensor_out": _BUCKETS,
    "bucketize.Scalar": _BUCKETS,
    "index_reduce": _BETA,
    "index_reduce.out": _BETA,
    "index_reduce_": _BETA,
    "scatter.reduce": _REDUCES,
    "scatter.reduce_out": _REDUCES,
    "scatter_.reduce": _REDUCES,
}


def function(overload):
    """The name of the function of PyTorch's that an operator is named after: `index_put` of `_index_put_impl_`."""
    return overload.partition(".")[0].strip("_").removesuffix("_impl")


def chosen(asked):
    """The operators that are asked for: by the name of a function, in place or not (`scatter`), of an operator (`scatter_`), or of one
    overload (`scatter_.src`), or ``"all"``."""
    if asked == "all":
        return frozenset(OPERATORS)
    names = [asked] if isinstance(asked, str) else list(asked)
    found = {name: [k for k in OPERATORS if name in (k, k.partition(".")[0], function(k))] for name in names}
    unknown = [name for name, overloads in found.items() if not overloads]
    if unknown or isinstance(asked, str):
        known = ", ".join(sorted(set(map(function, OPERATORS))))
        said = f'operators are "all" or a list of names, not {(unknown or [asked])[0]!r}; the names are {known}'
        raise exceptions.ValueError(f"accelerate_torch(): {said}")
    return frozenset(overload for overloads in found.values() for overload in overloads)
