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


# Whether the interface is there, and the direct road, once that was looked into.
_found: list[tuple[bool, bool]] = []

# The releases of PyTorch whose tensors and dispatcher lie in memory as the direct road reads them. Of any other even trying that
# out could read what is no memory of its own, so there the interface is all that is used.
_KNOWN = {"2.15.0"}


def is_known(torch):
    """Whether this PyTorch may be tried out on the direct road: a known release, with the texts and lists of today's C++."""
    return torch.__version__.partition("+")[0] in _KNOWN and torch.compiled_with_cxx11_abi()


def is_there():
    """Whether the interface is that of the PyTorch loaded and does here what its headers say, and whether the direct road does."""
    if not _found:
        import torch

        by_interface = _takewise.Shim.found(torch) and _tried_out(torch, _answers)
        directly = by_interface and is_known(torch) and _tried_out(torch, _answers_directly)
        if directly:
            _tried_out(torch, _shows_fields)
        _found.append((by_interface, directly))
    return _found[0]


def number(place, overload, kernel, small=None):
    """Whether an operator has a kernel through the interface, and one on the direct road; that number is its then.

    ``small`` are the calls that are left to PyTorch's own kernel on the direct road: of how many elements, and by which rule.
    """
    by_interface, directly = is_there()
    if not by_interface:
        return False, False
    handed_over, readable = _takewise.Shim.number(place, kernel, parameters(schema("aten", overload)), small)
    return handed_over, readable and directly


def number_beside(place, overload, kernel, look, otherwise):
    """Whether a kernel that looks at index values goes beside the one of that number, on the direct road."""
    if not is_there()[1]:
        return False
    return _takewise.Shim.number_beside(place, kernel, parameters(schema("aten", overload)), look, otherwise)


def direct(kernels, key=None, beside=False):
    """The direct road for operators with numbers, by their overloads: made before their kernels are registered for a key. With
    `beside` it is that of the kernels that look at index values."""
    import torch

    cpu = torch._C.DispatchKey.CPU
    names = {overload: ("aten::" + overload.partition(".")[0], overload.partition(".")[2]) for overload in kernels}
    rows = [(*names[overload], number) for overload, number in kernels.items()]
    return _takewise.Direct(int(cpu), int(cpu if key is None else key), rows, beside)


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


# PyTorch's own operators that have an argument of each type there is on the direct road: only its own C++ code passes them
# so. They are called under a dispatch key that PyTorch keeps for tests, for one thread.
_DIRECT = {
    "gather": "gather",
    "scatter_add_": "scatter_add_",
    "searchsorted": "searchsorted.Tensor",
    "scatter_reduce": "scatter_reduce.two",
    "take": "take.out",
    "index": "index.Tensor",
    "masked_fill_": "masked_fill_.Scalar",
}
_TRIED_DIRECTLY = _TRIED + len(_PROBES)
_KEY = "TESTING_ONLY_GenericMode"


def _tried_out(torch, answers):
    """Whether calls of operators of our own, made of tensors of every state, give what is known of them."""
    # What a thread may have switched on above the kernels (modes, transforms, contexts) is not on in a new one.
    found = []
    thread = threading.Thread(target=lambda: found.append(answers(torch)))
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
            if not _takewise.Shim.number(_TRIED + k, kernel, parameters(schema("takewise_probe", name)))[0]:
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


def _not_packed(*args, **kwargs):
    """What the operators are registered with: it is called if the direct road is not taken."""
    raise ValueError("the arguments were packed")


class _Directly:
    """PyTorch's functions, called under the key for tests."""

    def __init__(self, torch, key):
        self._key = key
        self.gather, self.searchsorted, self.scatter_reduce = map(self._under, (torch.gather, torch.searchsorted, torch.scatter_reduce))
        self.take, self.index = self._under(torch.take), self._under(torch.Tensor.__getitem__)
        self.scatter_add_, self.masked_fill_ = map(self._under, (torch.Tensor.scatter_add_, torch.Tensor.masked_fill_))

    def _under(self, function):
        from torch._C import _IncludeDispatchKeyGuard  # type: ignore[import-not-found]

        def call(*args, **kwargs):
            with _IncludeDispatchKeyGuard(self._key):
                return function(*args, **kwargs)

        return call


def _answers_directly(torch):
    from takewise._accelerate import OPERATORS

    library, key = torch.library.Library("aten", "IMPL"), torch._C._dispatch_key_parse(_KEY)
    try:
        kernels = {name: _takewise.Kernel(OPERATORS[overload]) for name, overload in _DIRECT.items()}
        numbers = {overload: _TRIED_DIRECTLY + k for k, overload in enumerate(_DIRECT.values())}
        for kernel, (overload, place) in zip(kernels.values(), numbers.items(), strict=True):
            if not _takewise.Shim.number(place, kernel, parameters(schema("aten", overload)))[1]:
                return False
        road = direct(numbers, key)
        for overload in numbers:
            library.impl(overload, _not_packed, _KEY)
        if len(road.put_in()) != len(numbers):
            return False
        ops = _Directly(torch, key)
        run = [_reads(torch, ops), _writes(torch, ops), _refuses(torch, ops), _reads_lists(torch, ops), _reads_numbers(torch, ops)]
        return sum(kernel.calls[0] for kernel in kernels.values()) == sum(run)
    except Exception:
        return False
    finally:
        library._destroy()


def _shows_fields(torch):
    """Whether the fields of tensors lie where they are read; until that is known, tensors are asked through the interface."""
    on = {"device": "cpu"}
    x = torch.zeros(4, 6, 5, dtype=torch.float32, **on)
    with torch.inference_mode():
        inferred = torch.zeros(3, **on)
    tensors = [x, inferred, x[1:, ::2], x.transpose(0, 2), x[:, :1].expand(4, 6, 5), x[2, 3, 4], x[:0], torch.zeros(0, **on)]
    tensors += [torch.zeros(2, 1, 3, 1, 2, 1, 2, **on)[:, :, 1:], x.detach().requires_grad_(), x.reshape(-1)[7:].reshape(113, 1)]
    tensors += [torch.zeros(7, dtype=getattr(torch, name), **on)[3:] for name in _DTYPES.split()]
    numbers = torch.zeros(3, dtype=torch.complex64, **on)
    others = [numbers.conj(), numbers.conj().imag, torch.zeros(3, device="meta"), torch.eye(2, **on).to_sparse()]
    others.append(torch._efficientzerotensor(3, **on))
    return _takewise.Shim.reads(tensors, others)


def _same(result, values, dtype):
    if result.dtype != dtype or result.tolist() != values:
        raise ValueError("a result is not what it should be")
    return 1


def _reads_lists(torch, ops):
    """Reads by lists of tensors. As `_reads`."""
    cpu = {"device": "cpu"}
    x, rows = torch.arange(6.0, dtype=torch.float32, **cpu).reshape(2, 3), torch.tensor([1, 0], **cpu)
    mask = torch.tensor([False, True], **cpu)
    run = _same(ops.index(x, (..., rows)), [[1, 0], [4, 3]], x.dtype) + _same(ops.index(x, (rows, rows)), [4, 0], x.dtype)
    run += _same(ops.index(x, mask), [[3, 4, 5]], x.dtype) + _same(ops.index(x, rows), [[3, 4, 5], [0, 1, 2]], x.dtype)
    return run


def _reads_numbers(torch, ops):
    """Writes numbers of every kind. As `_reads`."""
    mask, run = torch.tensor([False, True], device="cpu"), 0
    for value, dtype in ((7, "int64"), (-(2**62) - 1, "int64"), (2.5, "float64"), (True, "bool"), (1.5 - 2j, "complex128")):
        x = torch.zeros(2, dtype=getattr(torch, dtype), device="cpu")
        run += _same(ops.masked_fill_(x, mask, value), [0, value], x.dtype) + _same(x, [0, value], x.dtype) - 1
    return run


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
