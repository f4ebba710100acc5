"""Our operators in PyTorch: for tensors whose history somebody keeps.

`takewise.gather(x, ...)` reads memory, and so refuses a tensor whose gradient, batch or trace would be lost on the way. The
call then comes here (``border/onward.rs``), and goes on to an operator that PyTorch knows the rules of. Nothing here
imports PyTorch before a tensor of its is seen.
"""

import functools
import sys

from takewise import _catalogue, _start

# The functions that are handed on.
NAMES = {"at", *_catalogue.NAMES - _catalogue.THEIRS}
_made = None


def operators():
    """The functions of takewise on our operators, which PyTorch is told of at the first call."""
    global _made
    if _made is None:
        import torch  # type: ignore[import-not-found, unused-ignore]  # noqa: F401  # It is said here if there is none.

        with _start.operators:
            if _made is None:
                from takewise._torch import _calls, _define

                _define.register(_calls.OPERATORS)
                _made = _calls
    return _made


def handed_on(error, name, args, kwargs):
    """The result of a call that our own function refused by ``error``, or ``NotImplemented`` where nobody keeps a history."""
    torch = sys.modules["torch"]
    given = [*args, *kwargs.values()]
    tensors = list(_tensors(torch, given))
    if tensors and given[0] is tensors[0] and name in _catalogue.NAMES and is_jagged(torch, tensors[0]):
        # A jagged tensor is values and offsets, and these are tensors like others.
        from takewise import _moved

        return _moved.answer(name, args, kwargs)
    if any(type(tensor) is not torch.Tensor for tensor in tensors) and torch.overrides.has_torch_function(tensors):
        # Their class has the word. What it does by default is the call again, and its results made of that class.
        return torch.overrides.handle_torch_function(_function(name), tensors, *args, **kwargs)
    if not any(is_recorded(torch, tensor) for tensor in tensors):
        return NotImplemented
    calls = operators()
    if name.startswith("torch."):
        from takewise._torch import _names

        return _names.call(name.removeprefix("torch."), args, kwargs)
    if name.startswith("at."):
        function = functools.partial(calls.at_method, name[3:])
    elif name in NAMES:
        function = calls.FUNCTIONS[name]
    else:
        return NotImplemented
    if not calls.is_of_tensors(name, args, kwargs):
        return NotImplemented
    if kwargs.get("out") is not None:
        text = f"{name}(): out= takes no gradients, batches or traces: leave it out, or use x.detach() and torch.no_grad()"
        raise _refusal(text) from None
    if "out" in kwargs:
        kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    try:
        return function(*args, **kwargs)
    except calls.Misfit:
        # Our own function has said what is wrong.
        return NotImplemented


def _function(name):
    """The function of ours that was called."""
    import takewise

    if not name.startswith("at."):
        return functools.reduce(getattr, name.removeprefix("neutral.").split("."), takewise)

    def at(x, key, *value, **policies):
        known = {name: policy for name, policy in policies.items() if policy is not None}
        return getattr(takewise.at(x)[key], name[3:])(*value, **known)

    return at


def _refusal(text):
    from takewise import exceptions

    return exceptions.RuntimeError(text)


def _tensors(torch, given):
    """The tensors among arguments, those in keys included."""
    for one in given:
        if isinstance(one, torch.Tensor):
            yield one
        elif isinstance(one, tuple | list):
            yield from (item for item in one if isinstance(item, torch.Tensor))


def is_jagged(torch, tensor):
    """Whether a tensor is values and offsets. Its class is not asked."""
    with torch._C.DisableTorchFunctionSubclass():
        return type(tensor) is not torch.Tensor and tensor.is_nested and tensor.layout == torch.jagged


def is_recorded(torch, tensor):
    """Whether somebody keeps a history of a tensor, which reading its memory would lose."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return True
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        # One that was carried out of its transform stands for nothing.
        return torch._C._are_functorch_transforms_active()
    if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        # Tensors without memory of their own, by which a program is traced.
        traced = sys.modules.get("torch._subclasses")
        traces = traced is not None and torch.utils._python_dispatch._get_current_dispatch_mode_stack()
        return bool(traces) and isinstance(tensor, (traced.FakeTensor, traced.functional_tensor.FunctionalTensor))
    return has_tangent(torch, tensor)


def has_tangent(torch, tensor):
    """Whether forward mode is on and has a tangent of a tensor."""
    forward = torch.autograd.forward_ad
    return forward._current_level >= 0 and torch._C._is_fwd_grad_enabled() and forward.unpack_dual(tensor).tangent is not None


def schemas():
    """The schema of each operator, by its name."""
    operators()
    from takewise._torch import _define

    return {schema[: schema.index("(")]: schema for schema in _define.schemas}


def wait():
    """Has the compiler told of our operators, when there is one."""
    from takewise._torch import _compile

    _compile.wait()
