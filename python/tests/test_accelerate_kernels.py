"""Every operator that `takewise.accelerate_torch` replaces gives what PyTorch's own kernel gives."""

import pytest

import takewise
from takewise._accelerate import OPERATORS

torch = pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

from torch_worlds import SUITE, World, agree, alike, broken, copied, counted, operator, outcome  # noqa: E402


CASES = 12
NOISE = "ignore:.*(reduce|deprecated|non-contiguous|was resized|discards the imaginary).*"


def compare(call, arguments, keywords):
    native = outcome(call, arguments, keywords)
    with takewise.accelerate_torch(operators="all"):
        ours = outcome(call, arguments, keywords)
    restored = outcome(call, arguments, keywords)
    said = f"{call}({arguments}, {keywords})\nnative   {native[0]}\nours     {ours[0]}"
    assert agree(native, ours) or broken(native, ours), said
    assert agree(native, restored)


@pytest.mark.filterwarnings(NOISE)
@pytest.mark.parametrize("overload", SUITE)
def test_same_as_the_native_kernel(overload):
    make, keywords, dtypes = SUITE[overload]
    call, before = operator(overload), counted(overload)
    for dtype in dtypes:
        for seed in range(CASES):
            w = World(seed, dtype)
            compare(call, make(w), keywords(w))
    run = counted(overload)[0] - before[0]
    assert run > len(dtypes) * CASES // 2, (run, counted(overload))


OUT = [name for name in OPERATORS if "out" in name.partition(".")[2]]


def base(overload):
    """The operator whose result an ``out`` overload stores."""
    name, _, kind = overload.partition(".")
    return f"{name}.{kind.removesuffix('_out')}" if kind.endswith("_out") else name


@pytest.mark.filterwarnings(NOISE)
@pytest.mark.parametrize("overload", OUT)
def test_out_is_filled_resized_or_refused_as_torch_does(overload):
    make, keywords, dtypes = SUITE[base(overload)]
    call, before = operator(overload), counted(overload)
    for dtype in dtypes:
        for seed in range(CASES // 2):
            w = World(seed, dtype)
            arguments, named = make(w), keywords(w)
            native = outcome(operator(base(overload)), arguments, named)[0]
            if native[0] == "error":  # there is no such kernel for bool
                continue
            result = native[0]
            fitting = w.laid(torch.zeros_like(result, memory_format=torch.contiguous_format))
            for out in [fitting, result.new_zeros([2, *result.shape]), result.new_empty(0), torch.zeros(result.shape, dtype=torch.int16)]:
                compare(call, arguments, {**named, "out": out})
    ran, passed = (now - then for now, then in zip(counted(overload), before))
    assert ran and passed, "out= of the right shape is ours, any other PyTorch's"


def spoiled(w, arguments):
    """The arguments with one thing wrong, or merely unusual."""
    arguments = list(arguments)
    tensors = [k for k, a in enumerate(arguments) if isinstance(a, torch.Tensor)]
    if isinstance(arguments[1], list) and w.random.random() < 0.5:
        at = next(k for k, index in enumerate(arguments[1]) if index is not None)
        arguments[1] = list(arguments[1])
        arguments[1][at] = spoiled_tensor(w, arguments[1][at])
        return arguments
    whole = [k for k, a in enumerate(arguments) if type(a) is int]
    if whole and w.random.random() < 0.2:
        arguments[whole[0]] = w.random.choice([7, -7])
        return arguments
    at = w.random.choice(tensors)
    arguments[at] = spoiled_tensor(w, arguments[at])
    return arguments


def spoiled_tensor(w, x):
    how = w.random.choice(["value", "value", "dtype", "rank", "size", "stretched"])
    if how == "value" and x.numel() and not x.is_complex():
        x = x.clone()
        x.view(-1)[w.random.randrange(x.numel())] = w.random.choice([100, 100, -1, -2])
        return x
    if how == "dtype":
        return x.to(w.random.choice([torch.float32, torch.int64, torch.int32, torch.bool, torch.uint8]))
    if how == "rank":
        return x[None] if w.random.random() < 0.5 or not x.ndim else x.flatten()
    if how == "size" and x.ndim:
        return torch.cat([x, x[:1]]) if w.random.random() < 0.5 and x.shape[0] else x[:-1]
    if how == "stretched" and x.ndim and x.shape[0]:
        return x[:1].expand(x.shape)
    return x


@pytest.mark.filterwarnings(NOISE)
@pytest.mark.parametrize("overload", SUITE)
def test_bad_input_raises_what_torch_raises(overload):
    make, keywords, dtypes = SUITE[overload]
    call, errors = operator(overload), 0
    for dtype in dtypes:
        for seed in range(2 * CASES):
            w = World(seed, dtype)
            try:
                arguments = spoiled(w, make(w))
            except (RuntimeError, IndexError, ValueError):
                continue
            named = keywords(w)
            native = outcome(call, arguments, named)
            before = counted(overload)
            with takewise.accelerate_torch(operators="all"):
                ours = outcome(call, arguments, named)
            if broken(native, ours):
                continue
            assert agree(native, ours), f"{call}({arguments}, {named})\nnative   {native[0]}\nours     {ours[0]}"
            errors += ours[0][0] == "error"
            if ours[0][0] == "error" and counted(overload)[0] > before[0]:
                assert alike(ours[1], copied(arguments)), "a call that raised has written"
    assert errors or overload in ("nonzero", "bucketize.Tensor"), "nothing was wrong with any of them"
