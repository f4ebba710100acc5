"""``mindspore.numpy``."""

from takewise import _modules

__all__ = _modules.exported(globals(), "mindspore", "numpy")
_modules.rest(globals(), "mindspore", "numpy")
