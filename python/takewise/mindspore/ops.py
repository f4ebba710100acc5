"""``mindspore.ops``."""

from takewise import _modules

from ._grad import GradOperation, grad, value_and_grad

__all__ = _modules.exported(globals(), "mindspore", "ops")
_modules.rest(globals(), "mindspore", "ops")
