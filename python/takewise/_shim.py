"""Kernels for PyTorch's dispatcher without Python: whether this PyTorch takes them, and for which operators."""

import threading

from takewise import _takewise

# Operators have numbers, which they keep. Those with which the interface is tried out come after PyTorch's own.
_TRIED = 70


def parameters(schema):
    """What a schema says of its arguments, as `_takewise.Shim.number` takes it."""
    return [
        (
            argument.name,
            str(argument.type),
            argument.kwarg_only,
            argument.alias_info is not None and argument.alias_info.is_write,
            [argument.default_value] if argument.has_default_value() else [],
        )
        for argument in schema.arguments
    ]


def schema(namespace, overload):
    """The schema of an operator of PyTorch's."""
    import torch  # type: ignore[import-not-found]

    name, _, kind = overload.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), name), kind or "default")._schema


# Whether the interface is there, once that was looked into.
_found: list[bool] = []


def is_there():
    """Whether the interface is that of the PyTorch loaded, and does here what its headers say."""
    if not _found:
        import torch

        _found.append(_takewise.Shim.found(torch) and _tried_out(torch))
    return _found[0]


def number(place, overload, kernel):
    """Whether an operator has a kernel through the interface; that number is its then."""
    return is_there() and _takewise.Shim.number(place, kernel, parameters(schema("aten", overload)))


# One operator for each type of argument there is, with the function that answers for it.
_PROBES = {
    "gather": "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    "scatter_add_": "scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)",
    "searchsorted": "searchsorted(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, "
    "Tensor? sorter=None) -> Tensor",
    "scatter_reduce": "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
    "take": "take(Tensor self, Tensor index, *, Tensor(a!) out) -> Tensor(a!)",
}
_DTYPES = (
    "float32 int64 float64 bool int32 bfloat16 float16 uint8 int8 int16 uint16 uint32 uint64 complex64 complex128"
)


def _tried_out(torch):
    """Whether calls of operators of our own, made of tensors of every state, give what is known of them."""
    # What a thread may have switched on above the kernels (modes, transforms, contexts) is not on in a new one.
    found = []
    thread = threading.Thread(target=lambda: found.append(_answers(torch)))
    thread.start()
    thread.join()
    return found == [True]


def _answers(torch):
    library, shim = torch.library.Library("takewise_probe", "DEF"), None
    try:
        kernels, numbers = {}, []
        for k, (name, text) in enumerate(_PROBES.items()):
            library.define(text)
            kernels[name] = kernel = _takewise.Kernel(name)
            if not _takewise.Shim.number(_TRIED + k, kernel, parameters(schema("takewise_probe", name))):
                return False
            numbers.append((name, _TRIED + k))
        shim = _takewise.Shim("takewise_probe", numbers)
        ops = torch.ops.takewise_probe
        run = [_reads(torch, ops), _writes(torch, ops), _refuses(torch, ops)]
        return sum(kernel.calls[0] for kernel in kernels.values()) == sum(run)
    except Exception:
        return False
    finally:
        if shim is not None:
            shim.destroy()
        library._destroy()


def _same(result, values, dtype):
    if result.dtype != dtype or result.tolist() != values:
        raise ValueError("a result is not what it should be")
    return 1


def _reads(torch, ops):
    """Reads with results that are known; how many. Errors: another result."""
    cpu, run = {"device": "cpu"}, 0
    index = torch.tensor([[2, 0], [1, 1]], **cpu)
    for name in _DTYPES.split():
        dtype = getattr(torch, name)
        x = torch.arange(12, **cpu).to(dtype).reshape(2, 6)[:, 1::2]
        run += _same(ops.gather(x, 1, index), [[5, 1], [9, 9]] if dtype != torch.bool else [[True] * 2] * 2, dtype)
    large = torch.arange(40_000, **cpu)
    run += _same(ops.gather(large, 0, large.flip(0)), list(range(39_999, -1, -1)), torch.int64)
    row, rows = torch.tensor([5.0, 1, 3], dtype=torch.float32, **cpu), torch.tensor([2, 0], **cpu)
    found = ops.searchsorted(row, row[2:], side="right", sorter=torch.tensor([1, 2, 0], **cpu), out_int32=True)
    run += _same(found, [2], torch.int32)
    least = ops.scatter_reduce(row, 0, rows, row[:2], "amin", include_self=True)
    return run + _same(least, [1, 1, 3], torch.float32) + _same(row, [5, 1, 3], torch.float32) - 1


def _writes(torch, ops):
    """As `_reads`."""
    plain = {"device": "cpu", "dtype": torch.float32}
    x, rows = torch.zeros(3, **plain), torch.tensor([2, 0], device="cpu")
    result = ops.scatter_add_(x, 0, rows, torch.tensor([5.0, 1], **plain))
    run = _same(x, [1, 0, 5], torch.float32)
    out = torch.zeros(2, **plain)
    if result.data_ptr() != x.data_ptr() or ops.take(torch.tensor([5.0, 1, 3], **plain), rows, out=out).data_ptr() != out.data_ptr():
        raise ValueError("another tensor came back")
    return run + _same(out, [3, 5], torch.float32)


def _refuses(torch, ops):
    """Calls that raise what is known; none is run but the first. Errors: anything else."""
    rows = torch.tensor([0, 2], device="cpu")
    x = torch.zeros(3, device="cpu", dtype=torch.float32)
    try:
        ops.gather(x, 0, rows * 4 + 1)
    except RuntimeError as error:
        if (error.value, error.size) != (9, 3):  # type: ignore[attr-defined]
            raise ValueError("an error has lost what it says") from error
    # What has lost its memory is seen, and refused too.
    x.untyped_storage().resize_(4)
    try:
        ops.gather(x, 0, rows)
    except RuntimeError as error:
        if "no memory behind" in str(error):
            return 2
    raise ValueError("memory that is not there was taken")
