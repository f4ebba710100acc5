"""Whether operations are recorded for gradients, for a time: ``with`` blocks and decorators."""

import contextlib as _contextlib

from takewise import _takewise

_recording = _takewise.lookup("torch", "", "is_grad_enabled")
_record = _takewise.lookup("torch", "", "set_grad_enabled")


class _Recording(_contextlib.ContextDecorator):
    """Whether operations are recorded for gradients inside a ``with`` block or a function."""

    _on = True

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)

    def _recreate_cm(self):
        return type(self)()

    def __enter__(self):
        self._before = _recording()
        _record(self._on)

    def __exit__(self, *error):
        _record(self._before)


class no_grad(_Recording):
    """Where nothing is recorded for gradients: a ``with`` block, or a function decorated with it."""

    _on = False


class enable_grad(_Recording):
    """Where operations are recorded for gradients again: a ``with`` block, or a function decorated with it."""


class set_grad_enabled(_contextlib.ContextDecorator):
    """Whether operations are recorded for gradients: from the call on, or until the ``with`` block it heads is left."""

    def __init__(self, mode):
        self._before, self._on = _recording(), mode
        _record(mode)

    def _recreate_cm(self):
        return type(self)(self._on)

    def __call__(self, func):
        _record(self._before)
        return super().__call__(func)

    def __enter__(self):
        _record(self._on)

    def __exit__(self, *error):
        _record(self._before)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self._on})"


class inference_mode(_contextlib.ContextDecorator):
    """``no_grad``, or with ``mode=False`` nothing. Tensors made inside are like any others."""

    def __new__(cls, mode=True):
        if callable(mode):
            return cls()(mode)
        made = super().__new__(cls)
        made._mode = mode
        return made

    def _recreate_cm(self):
        return type(self)(self._mode)

    def __enter__(self):
        self._before = _recording()
        _record(self._before and not self._mode)

    def __exit__(self, *error):
        _record(self._before)
