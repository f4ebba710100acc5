"""The operator samples of the installed PyTorch, each run by PyTorch's kernels and by ours in one process, as tests of pytest.

``TAKEWISE_LONG`` in the environment asks for all operators and dtypes; without it those that index are run.
"""

import os
import sys
import types
import unittest
import warnings

import pytest
import takewise
import torch

# PyTorch's tools for tests ask for this package, though no sample needs it.
try:
    import expecttest  # noqa: F401
except ImportError:
    sys.modules["expecttest"] = types.SimpleNamespace(TestCase=unittest.TestCase)

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import SampleInput

LONG = bool(os.environ.get("TAKEWISE_LONG"))

# Operators that index themselves, or in their gradients.
INDEXING = """__getitem__ argwhere bucketize cummax cummin gather index_add index_copy index_fill index_put index_reduce
index_select kthvalue masked_fill masked_scatter masked_select max median min mode nanmedian nonzero nonzero_static put
repeat_interleave scatter scatter_add scatter_reduce searchsorted sort take take_along_dim topk unique where
nn.functional.embedding nn.functional.embedding_bag nn.functional.max_unpool2d trace logcumsumexp prod amax
unsafe_masked_index _unsafe_masked_index _unsafe_masked_index_put_accumulate""".split()
FEW = [torch.float32, torch.int64, torch.bool, torch.complex64, torch.bfloat16, torch.uint8]
# At most this many samples of an operator and dtype in the short run, spread over all of them.
SAMPLES = 10_000 if LONG else 24


def chosen():
    """The operators of this run, by full name."""
    ops = {op.formatted_name: op for op in op_db}
    return {name: op for name, op in ops.items() if LONG or op.name in INDEXING}


OPS = chosen()


def dtypes(op):
    known = op.supported_dtypes("cpu")
    return [dtype for dtype in (sorted(known, key=str) if LONG else FEW) if dtype in known]


def spread(items, most=SAMPLES):
    items = list(items)
    step = -(-len(items) // most) or 1
    return items[::step]


def samples(op, dtype, **keywords):
    torch.manual_seed(0)
    try:
        return spread(op.sample_inputs("cpu", dtype, **keywords))
    except Exception as error:  # PyTorch's own samples need what is not there
        pytest.skip(f"no samples: {error}")


def copied(value, **keywords):
    """The same arguments in memory of their own, with the same strides."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            return value.detach().clone().requires_grad_(value.requires_grad)
        wide = value.detach().untyped_storage().clone() if value.numel() else None
        copy = value.detach().clone()
        if wide is not None:
            copy = torch.empty(0, dtype=value.dtype).set_(wide, value.storage_offset(), value.shape, value.stride())
            copy = copy.conj() if value.is_conj() else copy
            copy = copy._neg_view() if value.is_neg() else copy
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, (tuple, list)):
        return type(value)([copied(item) for item in value]) if type(value) in (tuple, list) else value
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    return value


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in tensors(item)] if isinstance(value, (tuple, list)) else []


def outcome(call, sample):
    """The result or the class of the error, the warnings, and what became of the arguments."""
    given = copied([sample.input, list(sample.args), dict(sample.kwargs)])
    torch.manual_seed(1)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = call(given[0], *given[1], **given[2])
        except Exception as error:
            # What takewise raises is of torch's class and of its own.
            return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins"), str(error), []
        said = sorted({str(warning.message).split(" (Triggered")[0] for warning in heard})
    return result, said, tensors(given)


def same(a, b, exact):
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        if type(a) is not type(b) or (a.shape, a.dtype, a.layout) != (b.shape, b.dtype, b.layout):
            return False
        a, b = a.detach(), b.detach()
        if a.layout != torch.strided:
            a, b = a.to_dense(), b.to_dense()
        if exact:
            return torch.equal(torch.isnan(a), torch.isnan(b)) and torch.equal(a.nan_to_num(), b.nan_to_num())
        return torch.allclose(a, b, equal_nan=True, rtol=2e-2 if a.dtype.itemsize == 2 else 1e-4, atol=1e-5)
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(same, a, b, [exact] * len(a)))
    return a == b or (a != a and b != b)


def laid(value):
    """The layouts of results, for axes longer than one."""
    kept = [t for t in tensors(value) if t.layout == torch.strided and t.numel() > 1]
    return [[(n, step) for n, step in zip(t.shape, t.stride(), strict=True) if n > 1] for t in kept]


def agree(pairs, exact=True, strides=True):
    """Calls of samples have the same outcome by both kernels: all by PyTorch's first, then all by ours."""
    pairs = list(pairs)
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        theirs = [outcome(call, sample) for call, sample in pairs]
        with takewise.accelerate_torch(operators="all"):
            ours = [outcome(call, sample) for call, sample in pairs]
    finally:
        torch.set_warn_always(before)
    for (_, sample), a, b in zip(pairs, theirs, ours, strict=True):
        said = f"{sample}\nPyTorch: {a}\nhere: {b}"
        if isinstance(a[0], type) or isinstance(b[0], type):
            assert a[0] is b[0], said
            continue
        assert same(a[0], b[0], exact) and same(a[2], b[2], exact), said
        assert a[1] == b[1], said
        assert not strides or laid(a[0]) == laid(b[0]), said
    return ours


def cases(kind):
    """Names and dtypes for which an operator has that kind of thing."""
    for name, op in OPS.items():
        for dtype in dtypes(op):
            if kind(op, dtype):
                yield pytest.param(name, dtype, id=f"{name}-{str(dtype).removeprefix('torch.')}")


def every(op, dtype):
    return True


def both(op, samples):
    """The samples as they are and in memory with gaps."""
    for sample in samples:
        yield op, sample
        yield op, sample.noncontiguous()


def stretched(op, samples):
    """Samples whose input shares its memory along an axis."""
    for sample in samples:
        x = sample.input
        if isinstance(x, torch.Tensor) and x.ndim and x.shape[0] and x.layout == torch.strided:
            yield op, SampleInput(x.detach()[:1].expand(x.shape), args=sample.args, kwargs=sample.kwargs)


OUTS = {
    "fits": torch.zeros_like,
    "gaps": lambda t: t.new_zeros([*t.shape, 2])[..., 1] if t.ndim else t.new_zeros(2)[1],
    "empty": lambda t: t.new_zeros(0),
    "other shape": lambda t: t.new_zeros([7, 2]),
    "stretched": lambda t: t.new_zeros(1).expand(t.shape),
    "float64": lambda t: torch.zeros_like(t, dtype=torch.float64),
    "int16": lambda t: torch.zeros_like(t, dtype=torch.int16),
}


def into(op, make, expected):
    """The call that fills an `out=` made after the expected result."""

    def call(*args, **keywords):
        made = [make(t.detach()) for t in tensors(expected)]
        return op(*args, **keywords, out=made[0] if isinstance(expected, torch.Tensor) else tuple(made)), made

    return call


def with_out(op, samples):
    for sample in samples:
        expected = outcome(op, sample)[0]
        if tensors(expected) and all(t.layout == torch.strided for t in tensors(expected)):
            yield from ((into(op, make, expected), sample) for make in OUTS.values())


@pytest.mark.parametrize(("name", "dtype"), cases(every))
def test_result(name, dtype):
    agree(both(OPS[name], samples(OPS[name], dtype)))


@pytest.mark.parametrize(("name", "dtype"), cases(lambda op, dtype: op.inplace_variant is not None))
def test_in_place(name, dtype):
    found = samples(OPS[name], dtype)
    agree([*both(OPS[name].inplace_variant, found), *stretched(OPS[name].inplace_variant, found)])


@pytest.mark.parametrize(("name", "dtype"), cases(lambda op, dtype: op.supports_out))
def test_out(name, dtype):
    agree(with_out(OPS[name], spread(samples(OPS[name], dtype), SAMPLES // 2)))


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.error_inputs_func is not None])
def test_errors(name):
    found = list(OPS[name].error_inputs("cpu"))
    ours = agree([(OPS[name], case.sample_input) for case in found])
    for case, (given, said, _) in zip(found, ours, strict=True):
        if isinstance(given, type):
            with pytest.raises(case.error_type, match=case.error_regex):
                raise given(said)


GRADIENTS = [
    pytest.param(name, dtype, id=f"{name}-{str(dtype).removeprefix('torch.')}")
    for name, op in OPS.items()
    for dtype in (torch.float64, torch.complex128)
    if op.supports_autograd and op.supports_dtype(dtype, "cpu")
]


def gradient(op, sample):
    """A function of the tensors that have gradients, and these."""
    arguments = [sample.input, *sample.args]
    places = [k for k, value in enumerate(arguments) if isinstance(value, torch.Tensor) and value.requires_grad]

    def call(*given):
        filled = list(arguments)
        for place, value in zip(places, given, strict=True):
            filled[place] = value
        results = op(*filled, **sample.kwargs)
        if sample.output_process_fn_grad is not None:
            results = sample.output_process_fn_grad(results)
        kept = [t for t in tensors(results) if t.is_floating_point() or t.is_complex()]
        return tuple(kept)

    return call, tuple(copied(arguments[k]) for k in places)


def check(op, call, given):
    """Gradients of both orders and forward ones."""
    torch.autograd.gradcheck(call, given, fast_mode=not LONG, check_forward_ad=op.supports_forward_ad)
    if op.supports_gradgrad:
        torch.autograd.gradgradcheck(call, given, fast_mode=not LONG)


def passes(op, call, given):
    try:
        check(op, call, given)
    except Exception:  # PyTorch itself does not pass
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "dtype"), GRADIENTS)
def test_gradients(name, dtype):
    """Wherever PyTorch's own kernels pass the check, ours do."""
    op = OPS[name]
    found = spread(samples(op, dtype, requires_grad=True), 10_000 if LONG else 4)
    found = [gradient(op, sample) for sample in found if isinstance(sample.input, torch.Tensor)]
    found = [(call, given) for call, given in found if given and passes(op, call, given)]
    with takewise.accelerate_torch(operators="all"):
        for call, given in found:
            check(op, call, given)


def mapped(op):
    def call(x, *args, **keywords):
        return torch.vmap(lambda x: op(x, *args, **keywords), randomness="same")(torch.stack([x, x]))

    return call


@pytest.mark.parametrize(("name", "dtype"), cases(lambda op, dtype: dtype in (torch.float32, torch.int64)))
def test_vmap(name, dtype):
    found = spread(samples(OPS[name], dtype), 10_000 if LONG else 6)
    agree([(mapped(OPS[name]), sample) for sample in found if isinstance(sample.input, torch.Tensor)], strides=False)
