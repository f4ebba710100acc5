"""PyTorch's functions on tensors of ours: they get PyTorch's over the same memory."""

import importlib
from typing import Any

from takewise import exceptions


def torch_function(kind: Any, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What PyTorch calls for a function of its that was given a tensor of ours.

    Results are tensors of ours, but PyTorch's where one of its own was given too, and those that only PyTorch has.
    Error (`RuntimeError`): a tensor of ours with a history, which PyTorch would not see.
    """
    exchange = _Exchange(kind, function)
    made = function(*exchange.theirs(args), **exchange.theirs(kwargs or {}))
    return made if exchange.mixed else exchange.ours(made)


class _Exchange:
    """The tensors of one call."""

    def __init__(self, kind: Any, function: Any) -> None:
        self.kind, self.torch, self.function = kind, importlib.import_module("torch"), function
        self.mixed, self.given = False, []  # type: ignore[var-annotated]

    def theirs(self, value: Any) -> Any:
        """A value with PyTorch's tensors in place of ours."""
        if isinstance(value, self.kind):
            if value.requires_grad and importlib.import_module("takewise.torch").is_grad_enabled():
                name = getattr(self.function, "__name__", "the function")
                text = f"{name}() is PyTorch's own and does not see the history of a takewise.torch.Tensor: use x.detach()"
                raise exceptions.RuntimeError(text)
            tensor = self.torch.from_dlpack(value)
            self.given.append((tensor, value))
            return tensor
        if isinstance(value, self.torch.Tensor):
            self.mixed = True
        if isinstance(value, dict):
            return {name: self.theirs(one) for name, one in value.items()}
        return type(value)(map(self.theirs, value)) if type(value) in (list, tuple) else value

    def ours(self, made: Any) -> Any:
        """A result with tensors of ours in place of PyTorch's."""
        if isinstance(made, self.torch.Tensor):
            return self._tensor(made)
        if not isinstance(made, (list, tuple)):
            return made
        items = list(map(self.ours, made))
        return type(made)(*items) if hasattr(made, "_fields") else type(made)(items)

    def _tensor(self, made: Any) -> Any:
        for theirs, ours in self.given:
            if made is theirs:
                return ours
        if made.requires_grad or made.device.type != "cpu" or made.layout is not self.torch.strided:
            return made
        try:
            return importlib.import_module("takewise.torch").from_dlpack(made.resolve_conj().resolve_neg())
        except (RuntimeError, TypeError, BufferError):
            return made
