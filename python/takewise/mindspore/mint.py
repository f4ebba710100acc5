"""``mindspore.mint``."""

from takewise import _modules

__all__ = _modules.exported(globals(), "mindspore", "mint")
_modules.rest(globals(), "mindspore", "mint")
