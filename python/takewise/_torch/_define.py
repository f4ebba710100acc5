"""How PyTorch is told of an operator: its schema, its kernel, and its rules for shapes, gradients, tangents and batches."""

import functools
import types
from collections.abc import Callable

from takewise._torch import _native, _schema, has_tangent
from takewise._torch._here import torch
from takewise._torch._shapes import one_by_one

_kept: list[object] = []
schemas: list[str] = []


class Operator:
    """An operator. A class derived from it has, besides these, its name and the function `shape`.

    With bounds of ``"torch"`` its kernel is PyTorch's function of that name (`_native.py`).

    Its arguments are those of the function of its name. ``shape`` gives an empty tensor like the result. ``batched`` gives the
    result for a batch and its batch axis, as `torch.library.register_vmap` asks for it; here, of a call for each part.
    """

    name = ""
    # What arguments are in the schema, by their roles, where the catalogue says otherwise.
    types: "dict[str, str | None]" = {}
    # What computes the result, where that is not the function alone.
    kernel: "Callable[..., object] | None" = None
    # The arguments that gradients flow to; without any, the result has none.
    moves: tuple[str, ...] = ()
    # The arguments whose values the way back needs, and `result` where it needs that. Of the others it knows shape and dtype.
    keeps: tuple[str, ...] = ()

    # What PyTorch's function does with index values outside, as ours call it.
    outside = "raise"

    @classmethod
    def kept(cls, given):
        """`keeps`, where it depends on the arguments, which are given by name."""
        return cls.keeps

    @staticmethod
    def batched(overload, batch, in_dims, *args):
        return one_by_one(overload, batch, in_dims, *args)

    @staticmethod
    def backward(call, gradient):
        """The gradient of each argument that has one, by its name."""
        raise NotImplementedError

    @staticmethod
    def forward(call, tangents):
        """The tangent of the result, of tangents by name."""
        raise NotImplementedError


class Like:
    """What is left of an argument that is not kept."""

    def __init__(self, tensor):
        self.shape, self.dtype, self.device = tensor.shape, tensor.dtype, tensor.device

    @property
    def ndim(self):
        return len(self.shape)


class _Slot(int):
    """The place of a kept tensor among the saved ones."""


def register(operators):
    """Makes the operators known. They stay until the process ends."""
    library = torch.library.Library("takewise", "DEF")
    for operator in operators:
        name, takes = operator.name, _schema.arguments(operator.name, operator.types)
        schema = f"{name}({', '.join(argument.declared for argument in takes)}) -> Tensor"
        library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
        packet, _, overload = name.partition(".")
        overload = getattr(getattr(torch.ops.takewise, packet), overload or "default")
        # For tensors elsewhere the kernel says in a line what they are.
        kernel = _without_history(_by_rules(operator.kernel or _schema.kernel(name, takes), name, overload))
        for key in ("CompositeExplicitAutograd", "NestedTensorCPU", "NestedTensorCUDA"):
            library.impl(name, kernel, key)
        names = [argument.formula for argument in takes]
        library.impl(name, _recording(operator, overload, names, _below(overload, kernel)), "Autograd", with_keyset=True)
        torch.library.register_fake(f"takewise::{name}", operator.shape, lib=library)
        torch.library.register_vmap(f"takewise::{name}", _batching(operator, overload), lib=library)
        schemas.append(schema)
    _kept.append(library)


def _place_of_bounds(overload):
    names = [argument.name for argument in overload._schema.arguments]
    return names.index("bounds") if "bounds" in names else len(names)


def _by_rules(kernel, name, overload):
    """The kernel, which is PyTorch's function where that is asked for."""
    native, place = _native.KERNELS.get(name), _place_of_bounds(overload)
    if native is None:
        return kernel

    @functools.wraps(kernel)
    def run(*args):
        if len(args) > place and args[place] == "torch":
            return native(*args[:place]).contiguous()
        return kernel(*args)

    return run


def _without_history(kernel):
    """A kernel reads memory: whose gradient it is has been seen to above it."""

    forward = torch.autograd.forward_ad

    @functools.wraps(kernel)
    def run(*args):
        if forward._current_level >= 0:
            with torch.no_grad(), forward._set_fwd_grad_enabled(False):
                return kernel(*args)
        if not torch.is_grad_enabled():
            return kernel(*args)
        with torch.no_grad():
            return kernel(*args)

    return run


def _below(overload, kernel):
    """The operator below autograd, as a function of the dispatch keys and the arguments.

    For tensors in main memory that nobody traces or batches, that is our kernel: the way to it through the dispatcher costs
    more than the call.
    """
    keys = torch._C.DispatchKey
    plain = (torch._C.DispatchKeySet(keys.CPU) | torch._C.DispatchKeySet(keys.AutogradCPU)).raw_repr()
    after = torch._C._after_autograd_keyset

    def below(keyset, *args):
        if keyset.raw_repr() == plain:
            return kernel(*args)
        with torch._C._AutoDispatchBelowAutograd():
            return overload.redispatch(keyset & after, *args)

    return below


def _recording(operator, overload, names, below):
    """The operator above autograd: it records a node where one is needed. ``names`` is what formulas call its arguments."""
    defaults = [argument.default_value for argument in overload._schema.arguments]
    moving = [names.index(name) for name in operator.moves]
    node = _node(operator, overload, names, below)

    def record(keyset, *args):
        # The dispatcher leaves arguments out that are as by default.
        args = (*args, *defaults[len(args) :])
        moved = [args[k] for k in moving]
        if any(tensor.requires_grad for tensor in moved) and torch.is_grad_enabled() or _have_tangents(moved):
            if not torch._C._are_functorch_transforms_active():
                return node.apply(keyset, *args)
            # The transform calls the dispatcher once for each of its levels, so a node is one of a single level.
            modes = torch.is_grad_enabled(), torch._C._is_fwd_grad_enabled()
            with torch._functorch.utils.enable_single_level_autograd_function():
                return node.apply((keyset, modes), *args)
        return below(keyset, *args)

    return record


def _in_modes(modes, function, *args):
    """What a level of `torch.func` leaves to those outside of it, in the two modes of derivatives that the call was made in: a node
    turns both off, and those levels have derivatives of their own."""
    with torch.set_grad_enabled(modes[0]), torch.autograd.forward_ad._set_fwd_grad_enabled(modes[1]):
        return function(*args)


def _have_tangents(tensors):
    return torch.autograd.forward_ad._current_level >= 0 and any(has_tangent(torch, tensor) for tensor in tensors)


def _node(operator, overload, names, below):
    """The class of the operator's nodes in PyTorch's graph."""
    declared = overload._schema.arguments
    tensors = [name for name, argument in zip(names, declared, strict=True) if "Tensor" in str(argument.type)]

    def forward(ctx, keyset, *args):
        ctx.modes = None
        if type(keyset) is tuple:
            keyset, ctx.modes = keyset
            result = _in_modes(ctx.modes, below, keyset, *args)
        else:
            result = below(keyset, *args)
        call = dict(zip(names, args, strict=True))
        saved, keeps = [], operator.kept(call)

        def kept(name, value):
            if isinstance(value, (list, tuple)):
                return [kept(name, item) for item in value]
            if not isinstance(value, torch.Tensor):
                return value
            if name not in keeps:
                return Like(value)
            saved.append(value)
            return _Slot(len(saved) - 1)

        for name in tensors:
            call[name] = kept(name, call[name])
        call["result"] = kept("result", result)
        ctx.call = call
        ctx.save_for_backward(*saved)
        if torch.autograd.forward_ad._current_level >= 0:
            ctx.save_for_forward(*saved)
        return result

    def opened(ctx, saved):

        def value(held):
            if isinstance(held, list):
                return [value(item) for item in held]
            return saved[held] if isinstance(held, _Slot) else held

        call = dict(ctx.call)
        for name in (*tensors, "result"):
            call[name] = value(call[name])
        return types.SimpleNamespace(**call)

    def backward(ctx, gradient):
        call = opened(ctx, ctx.saved_tensors)
        call.needs = {name for name, needed in zip(names, ctx.needs_input_grad[1:], strict=True) if needed}
        found = operator.backward(call, gradient)
        return (None, *(found.get(name) if name in call.needs else None for name in names))

    def tangent(ctx, _, *tangents):
        given = dict(zip(names, tangents, strict=True))
        # The formula is for this level's values, without their tangents.
        saved = [torch.autograd.forward_ad.unpack_dual(tensor).primal for tensor in ctx.saved_tensors]
        call, moved = opened(ctx, saved), {name: given[name] for name in operator.moves}
        return operator.forward(call, moved) if ctx.modes is None else _in_modes(ctx.modes, operator.forward, call, moved)

    title = "".join(part.title() for part in overload._schema.name.split("::")[1].split("_"))
    rules = {"forward": forward, "backward": backward, "jvp": tangent}
    return type(f"Takewise{title}", (torch.autograd.function._SingleLevelFunction,), {name: staticmethod(f) for name, f in rules.items()})


def _batching(operator, overload):
    place = _place_of_bounds(overload)

    def batched(info, in_dims, *args):
        if len(args) > place and args[place] == "torch":
            # The call for a batch is another one than that of each part.
            args = (*args[:place], operator.outside, *args[place + 1 :])
        return operator.batched(overload, info.batch_size, in_dims, *args)

    return batched
