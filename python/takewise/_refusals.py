"""What PyTorch refuses of a call on its own tensors because of their history, found out before anything moves."""

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

# In place by name, but not into elements.
_NO_WRITES = {"requires_grad_", "detach_", "share_memory_", "rename_", "set_", "resize_", "retain_grad"}


class Refusal(NamedTuple):
    """An error of PyTorch's, and whether it comes after a kernel that may itself fail."""

    error: RuntimeError
    late: bool = False


class _Begun(BaseException):
    """PyTorch has nothing against the call: it was about to move elements."""


def of_call(call: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Refusal | None:
    """The error that PyTorch raises for a call because of what its tensors are to gradients; nothing if it raises none.

    Such errors come before PyTorch's kernels are asked for. So the call itself is begun, and left where it would write into its
    operands, or where it would compute: operands, their versions and their histories stay as they are.
    """
    import torch  # type: ignore[import-not-found]  # it is there, as one of its functions is

    tensors = [value for value in _flat((*args, *kwargs.values())) if isinstance(value, torch.Tensor)]
    receiver = getattr(call, "__self__", None)
    if isinstance(receiver, torch.Tensor):
        tensors.append(receiver)
    held = [tensor for tensor in tensors if tensor.requires_grad or tensor.is_inference()]
    writes = name.endswith("_") and name not in _NO_WRITES or call is operator.setitem or "out" in kwargs
    if not held or not (writes or name == "numpy" or any(tensor.is_inference() for tensor in held)):
        return None
    look = _mode(torch, tensors)
    try:
        with look:
            call(*args, **kwargs)
    except _Begun:
        return _of_inference(torch) if look.inference else None
    except RuntimeError as error:
        return None if look.failed or isinstance(error, NotImplementedError) else Refusal(error)
    except Exception:
        # What is wrong with the arguments is told by whoever takes them.
        return None
    return None


def histories(names: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The names of an expression with tensors of ours in place of PyTorch's that take part in gradients, and those among PyTorch's
    that may forbid something."""
    torch = sys.modules.get("torch")
    if torch is None:
        return names, {}
    tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    held = {name: tensor for name, tensor in tensors.items() if tensor.requires_grad or tensor.is_inference()}
    return names | {name: _alike(tensor) for name, tensor in held.items() if tensor.requires_grad}, held


def _alike(tensor: Any) -> Any:
    """A tensor of ours with the same elements, and a history of the same kind: leaves and their views over the same memory."""
    import takewise.torch as ours

    refused = of_call(tensor.zero_, "zero_", (), {})
    said = "" if refused is None else str(refused.error)
    if said.startswith("a view of a leaf"):
        base = ours.from_dlpack(tensor._base.detach()).requires_grad_()
        return base.as_strided(tuple(tensor.shape), tensor.stride(), tensor.storage_offset() - tensor._base.storage_offset())
    plain = ours.from_dlpack(tensor.detach())
    return plain.requires_grad_() if said.startswith("a leaf") else plain.clone().requires_grad_().clone()


def of_result(found: dict[str, Any], held: dict[str, Any]) -> Refusal | None:
    """The error that PyTorch raises where an expression has written into one of its tensors."""
    for result in found["results"]:
        written = result["memory"].get("operand") if result["memory"]["is"] == "in_place" else None
        tensor = None if written is None else held.get(found["operands"][written]["name"])
        refused = None if tensor is None else of_call(tensor.zero_, "zero_", (), {})
        if refused is not None:
            return refused
    return None


def _flat(values: tuple[Any, ...] | list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _flat(value)
        else:
            yield value


def _mode(torch: Any, tensors: list[Any]) -> Any:
    """What stands between PyTorch's gradients and its kernels."""
    from torch.utils._python_dispatch import TorchDispatchMode  # type: ignore[import-not-found]

    storages = {_storage(tensor) for tensor in tensors} - {None}

    class Look(TorchDispatchMode):  # type: ignore[misc]
        # Whether a kernel failed, which is no matter of histories.
        failed = False
        # Whether it is a tensor of inference mode that is to be written into, outside of it.
        inference = False

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            given = kwargs or {}
            for place, parameter in enumerate(func._schema.arguments):
                if parameter.alias_info is not None and parameter.alias_info.is_write:
                    target = args[place] if place < len(args) else given.get(parameter.name)
                    if isinstance(target, torch.Tensor) and _storage(target) in storages:
                        self.inference = target.is_inference() and not torch.is_inference_mode_enabled()
                        raise _Begun
            try:
                return func(*args, **given)
            except BaseException:
                self.failed = True
                raise

    return Look()


def _storage(tensor: Any) -> int | None:
    """Whose memory a tensor looks at."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return None


def _of_inference(torch: Any) -> Refusal | None:
    """What is raised by a write into a tensor of inference mode: after it has been written, so another one is written into."""
    with torch.inference_mode():
        other = torch.zeros(1)
    try:
        other.zero_()
    except RuntimeError as error:
        return Refusal(error, late=True)
    return None
