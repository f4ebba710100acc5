"""What `torch.compile` sees in place of takewise's functions, which are no Python that it could read: our operators.

PyTorch's compiler is told when it is imported, and nobody has to wait for it until then.
"""

import importlib.abc
import importlib.util
import sys
import warnings

COMPILER = "torch._dynamo"


class _Told(importlib.abc.Loader):
    """Imports the compiler, and tells it then."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        tell()


class _Waiting(importlib.abc.MetaPathFinder):
    """Finds nothing, but notices the import of the compiler."""

    def find_spec(self, name, path, target=None):
        if name != COMPILER or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Told(spec.loader)
        return spec


def wait():
    """Tells the compiler now or when it is imported."""
    if COMPILER in sys.modules:
        tell()
    else:
        sys.meta_path.insert(0, _Waiting())


def tell():
    """Tells the compiler what to read in place of our functions."""
    import torch  # type: ignore[import-not-found, unused-ignore]

    import takewise
    from takewise import _torch

    calls = _torch.operators()
    try:
        for name in _torch.NAMES:
            function = getattr(takewise, name)
            traced = calls.at if name == "at" else _traced(torch, function, getattr(calls, name))
            torch.compiler.substitute_in_graph(function, skip_signature_check=True)(traced)
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        warnings.warn(f"takewise's functions are not compiled by this PyTorch: {error}", RuntimeWarning, stacklevel=2)


def _traced(torch, function, ours):
    """The function as the compiler reads it. Calls without a tensor, or into memory of the caller's, are not compiled."""

    @torch.compiler.disable
    def outside(*args, **kwargs):
        return function(*args, **kwargs)

    def traced(*args, **kwargs):
        first = args[0] if args else kwargs.get("x", kwargs.get("input"))
        if not isinstance(first, torch.Tensor) or kwargs.get("out") is not None:
            return outside(*args, **kwargs)
        return ours(*args, **kwargs)

    return traced
