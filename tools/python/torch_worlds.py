"""Random arguments for PyTorch's indexing operators, and what it is for two runs of one to agree."""

import random

import torch

import programs
import takewise

DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
          torch.float32, torch.float64, torch.complex64, torch.complex128]  # fmt: skip
NUMBERS = [dtype for dtype in DTYPES if dtype != torch.bool]
REALS = [dtype for dtype in DTYPES if not dtype.is_complex]


class World:
    """Random arguments: small integers, so that sums are exact in every dtype, in memory of every layout."""

    def __init__(self, seed, dtype):
        self.random, self.dtype = random.Random(f"{seed} {dtype}"), dtype

    def shape(self, least=0, most=3):
        sizes = [0, 1, 1, 2, 2, 3, 3, 4, 5]
        return [self.random.choice(sizes) for _ in range(self.random.randint(least, most))]

    def laid(self, x, shared=False):
        """The same elements with other strides; ``shared`` allows several in one place."""
        how = self.random.choice(["plain", "turned", "stepped", "offset", "shared"])
        if how == "turned" and x.ndim > 1:
            return x.transpose(0, -1).contiguous().transpose(0, -1)
        if how == "stepped" and x.ndim:
            wide = x.new_zeros([*x.shape[:-1], 2 * x.shape[-1] + 1])
            wide[..., 1::2] = x
            return wide[..., 1::2]
        if how == "offset":
            return torch.cat([x.new_zeros(3), x.flatten()])[3:].view(x.shape)
        if how == "shared" and shared and x.ndim and x.shape[0]:
            return x[:1].expand(x.shape)
        return x

    def data(self, shape, shared=False, dtype=None):
        x = torch.tensor([self.random.randint(0, 3) for _ in range(torch.Size(shape).numel())], dtype=torch.int64)
        return self.laid(x.view(shape).to(dtype or self.dtype), shared)

    def places(self, shape, size, negative=False, dtypes=(torch.int64,)):
        """Index values for an axis, which is taken to have one element at least."""
        low = -size if negative else 0
        flat = [self.random.randint(low, max(size, 1) - 1) for _ in range(torch.Size(shape).numel())]
        return self.laid(torch.tensor(flat, dtype=torch.int64).view(shape).to(self.random.choice(dtypes)), shared=True)

    def mask(self, shape):
        flat = [self.random.random() < 0.5 for _ in range(torch.Size(shape).numel())]
        return self.laid(torch.tensor(flat, dtype=torch.bool).view(shape), shared=True)

    def along(self):
        """A tensor, one of its axes and its length; never of length 0, where no index value exists."""
        shape = self.shape()
        dim = self.random.randrange(-len(shape), len(shape)) if shape else self.random.choice([0, -1])
        if shape:
            shape[dim] = max(shape[dim], 1)
        return self.data(shape), dim, shape[dim] if shape else 1

    def part(self, x, dim):
        """A shape that fits in that of ``x``, but for one axis."""
        shape = [self.random.randint(0, n) for n in x.shape]
        if shape:
            shape[dim] = self.random.randint(0, 4)
        return shape

    def number(self):
        return bool(self.random.randint(0, 1)) if self.dtype == torch.bool else self.random.randint(0, 3)


def gather(w):
    x, dim, size = w.along()
    return x, dim, w.places(w.part(x, dim), size, dtypes=(torch.int64, torch.int32))


def index_select(w):
    x, dim, size = w.along()
    return x, dim, w.places(w.shape(1, 1) if x.ndim else [1], size, dtypes=(torch.int64, torch.int32))


def take(w):
    x = w.data([max(n, 1) for n in w.shape()])
    return x, w.places(w.shape(), x.numel(), negative=True)


def put(w):
    x, index = take(w)
    twice = w.random.random() < 0.5 or repeats(x.flatten(), [index])
    return x, index, w.data(index.shape, shared=True), twice


def subscript(w):
    """Index tensors and masks for some of the axes, ``None`` for others."""
    shape = [max(n, 1) for n in w.shape(1, 4)]
    x, common, indices, axis = w.data(shape), w.shape(0, 2), [], 0
    while axis < len(shape):
        how = w.random.choice(["whole", "index", "index", "mask", "stop"])
        if how == "stop" and any(index is not None for index in indices):
            break
        if how == "mask" and not any(index is not None for index in indices):
            rank = w.random.randint(1, len(shape) - axis)
            mask = w.mask(shape[axis : axis + rank])
            indices.append(mask)
            axis += rank
            common = [int(mask.sum())]
            continue
        fitting = [w.random.choice([n, n, 1]) for n in common]
        whole = how == "whole" or how == "stop"
        indices.append(None if whole else w.places(fitting, shape[axis], True, (torch.int64, torch.int64, torch.int32)))
        axis += 1
    if all(index is None for index in indices):
        indices[0] = w.places(common, shape[0])
    return x, indices


def subscript_put(w):
    x, indices = subscript(w)
    shape = list(torch.empty(x.shape)[tuple(slice(None) if index is None else index for index in indices)].shape)
    shape = [w.random.choice([n, n, 1]) for n in shape][w.random.choice([0, 0, 0, 1]) :]
    # Which of several stores to one place stays, PyTorch leaves open.
    twice = w.random.random() < 0.5 or repeats(x, indices)
    return x, indices, w.data(shape, shared=True), twice


def repeats(x, indices):
    places = torch.arange(x.numel()).view(x.shape)[tuple(slice(None) if index is None else index for index in indices)]
    return places.unique().numel() < places.numel()


def scatter(w):
    x, dim, size = w.along()
    index = w.places(w.part(x, dim), size)
    larger = [n + w.random.randint(0, 2) for n in index.shape]
    return x, dim, index, w.data(larger, shared=True)


def scatter_value(w):
    return *scatter(w)[:3], w.number()


def index_add(w):
    x, dim, size = w.along()
    index = w.places(w.shape(1, 1) if x.ndim else [1], size, dtypes=(torch.int64, torch.int32))
    shape = list(x.shape)
    if shape:
        shape[dim] = index.numel()
    return x, dim, index, w.data(shape, shared=True)


def index_copy(w):
    x, dim, index, source = index_add(w)
    return x, dim, index.long(), source


def index_fill(w):
    x, dim, index, _ = index_copy(w)
    return x, dim, index, w.number()


def masked(w):
    """A tensor and a mask that broadcasts over it."""
    x = w.data(w.shape())
    shape = [w.random.choice([n, n, 1]) for n in x.shape][w.random.choice([0, 0, 1]) :]
    return x, w.mask(shape)


def masked_both(w):
    """A tensor and a mask that broadcast over each other."""
    x, mask = masked(w)
    return (x, mask) if w.random.random() < 0.5 or not x.ndim else (x[:1], mask)


def masked_scatter(w):
    x, mask = masked(w)
    return x, mask, w.data([x.numel() + w.random.randint(0, 2)], shared=True)


def sorted_numbers(w, shape):
    return w.laid(w.data(shape).contiguous().sort(-1)[0]) if shape else w.data(shape)


def searchsorted(w):
    shape = w.shape(1, 3)
    values = [*shape[:-1], w.random.randint(0, 4)] if w.random.random() < 0.5 else w.shape()
    return sorted_numbers(w, shape if values[:-1] == shape[:-1] and values else shape[-1:]), w.data(values, shared=True)


def bucketize(w):
    return w.data(w.shape(), shared=True), sorted_numbers(w, w.shape(1, 1))


def tensor_last(make):
    return lambda w: (*make(w)[:-1], w.data([]))


def flags(*names):
    return lambda w: {name: True for name in names if w.random.random() < 0.5}


def one_of(name, *values):
    return lambda w: {name: w.random.choice(values)}


def reduced(w):
    return {"include_self": w.random.random() < 0.5}


def nothing(w):
    return {}


def with_reduction(make, *names):
    return lambda w: (*make(w), w.random.choice(names))


REDUCE, SEARCH = one_of("reduce", "add", "multiply"), flags("out_int32", "right")


# Operator: what makes its arguments and its keywords, and the dtypes it has.
SUITE = {
    "gather": (gather, flags("sparse_grad"), DTYPES),
    "index.Tensor": (subscript, nothing, DTYPES),
    "_index_put_impl_": (subscript_put, flags("unsafe"), DTYPES),
    "index_select": (index_select, nothing, DTYPES),
    "take": (take, nothing, DTYPES),
    "put_": (put, nothing, DTYPES),
    "masked_select": (masked_both, nothing, DTYPES),
    "nonzero": (lambda w: (w.data(w.shape()),), nothing, DTYPES),
    "searchsorted.Tensor": (searchsorted, SEARCH, REALS[1:]),
    "searchsorted.Scalar": (lambda w: (sorted_numbers(w, w.shape(1, 1)), w.number()), SEARCH, REALS[1:]),
    "bucketize.Tensor": (bucketize, SEARCH, REALS[1:]),
    "bucketize.Scalar": (lambda w: (w.number(), sorted_numbers(w, w.shape(1, 1))), SEARCH, REALS[1:]),
    "scatter.src": (scatter, nothing, DTYPES),
    "scatter.value": (scatter_value, nothing, DTYPES),
    "scatter.reduce": (scatter, REDUCE, DTYPES),
    "scatter.value_reduce": (scatter_value, REDUCE, DTYPES),
    "scatter_.src": (scatter, nothing, DTYPES),
    "scatter_.value": (scatter_value, nothing, DTYPES),
    "scatter_.reduce": (scatter, REDUCE, DTYPES),
    "scatter_.value_reduce": (scatter_value, REDUCE, DTYPES),
    "scatter_add": (scatter, nothing, DTYPES),
    "scatter_add_": (scatter, nothing, DTYPES),
    "scatter_reduce.two": (with_reduction(scatter, "sum", "prod", "mean", "amax", "amin"), reduced, DTYPES),
    "scatter_reduce_.two": (with_reduction(scatter, "sum", "prod", "mean", "amax", "amin"), reduced, DTYPES),
    "index_add": (index_add, one_of("alpha", 1, 2), DTYPES),
    "index_add_": (index_add, one_of("alpha", 1, 2), DTYPES),
    "index_copy": (index_copy, nothing, DTYPES),
    "index_copy_": (index_copy, nothing, DTYPES),
    "index_reduce": (with_reduction(index_add, "prod", "mean", "amax", "amin"), reduced, DTYPES),
    "index_reduce_": (with_reduction(index_add, "prod", "mean", "amax", "amin"), reduced, DTYPES),
    "index_fill_.int_Scalar": (index_fill, nothing, DTYPES),
    "index_fill_.int_Tensor": (tensor_last(index_fill), nothing, DTYPES),
    "masked_fill_.Scalar": (lambda w: (*masked(w), w.number()), nothing, DTYPES),
    "masked_fill_.Tensor": (lambda w: (*masked(w), w.data([])), nothing, DTYPES),
    "masked_scatter_": (masked_scatter, nothing, DTYPES),
}


def operator(overload):
    name, _, kind = overload.partition(".")
    return getattr(getattr(torch.ops.aten, name), kind or "default")


def copied(value):
    """A deep copy of arguments that keeps every stride."""
    if isinstance(value, torch.Tensor):
        whole = torch.empty(value.untyped_storage().nbytes(), dtype=torch.uint8)
        whole.untyped_storage().copy_(value.untyped_storage())
        return torch.empty(0, dtype=value.dtype).set_(whole.untyped_storage(), value.storage_offset(), value.shape, value.stride())
    if isinstance(value, (tuple, list)):
        return type(value)(copied(item) for item in value)
    return value


def outcome(call, arguments, keywords):
    """The result or the error's class, and all arguments as they are afterwards."""
    arguments, keywords = copied(arguments), {name: copied(value) for name, value in keywords.items()}
    try:
        result = call(*arguments, **keywords)
    except Exception as error:
        # What takewise raises is of torch's class and of its own.
        builtin = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
        return ("error", builtin, str(error)), arguments, keywords
    returned = [k for k, a in enumerate([*arguments, keywords.get("out")]) if a is result]
    return (result, returned), arguments, keywords


def alike(a, b):
    """Whether two outcomes are the same to the bit, strides included where there is an element to step to."""
    if isinstance(a, torch.Tensor):
        same = a.dtype == b.dtype and a.shape == b.shape and (steps(a) == steps(b) or a.numel() == 0)
        return same and torch.equal(torch.isnan(a), torch.isnan(b)) and bool(((a == b) | torch.isnan(a)).all())
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return alike(list(a.values()), list(b.values()))
    return a == b


def steps(x):
    return [step for size, step in zip(x.shape, x.stride()) if size > 1]


def agree(native, ours):
    (a, *after_a), (b, *after_b) = native, ours
    if "error" in (a[0], b[0]):
        return a[:2] == b[:2]
    return alike(a, b) and alike(after_a, after_b)


# What takewise says of calls that PyTorch's kernels do not check, and what those say where they fail by themselves.
UNCHECKED = ["too many indices for tensor of dimension", "the axis is empty"]
BROKEN = ["INTERNAL ASSERT FAILED", "setStorage: ", "masked_fill_ only supports boolean masks"]


def broken(native, ours):
    return any(
        outcome[0][0] == "error" and any(text in outcome[0][2] for text in texts)
        for outcome, texts in ((native, BROKEN), (ours, UNCHECKED))
    )


def counted(overload):
    return takewise.accelerate_torch.calls().get(overload, (0, 0))


def shares(x):
    """How many tensors hold the storage of one."""
    return torch._C._storage_Use_Count(x.untyped_storage()._cdata)


def program(text):
    """What a program of its own prints, with a tensor and its positions backwards; it has to end well."""
    head = "import threading, torch, takewise\nx, i = torch.arange(50.0), torch.arange(49, -1, -1)\n"
    return programs.run(text, head=head, timeout=120, silent=True)
