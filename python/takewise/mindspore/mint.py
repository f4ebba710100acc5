"""``mindspore.mint``."""

from takewise import _modules

__all__ = _modules.exported(globals(), "mindspore", "mint")
