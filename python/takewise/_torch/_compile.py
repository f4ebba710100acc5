"""What `torch.compile` sees in place of takewise's functions, which are no Python that it could read: our operators.

PyTorch's compiler is told when it is imported, and nobody has to wait for it until then.
"""

import contextlib
import sys
import types
import warnings

COMPILER = "torch._dynamo"
# What stands for a function of `takewise.torch`: on our operators, where there is one, and PyTorch's own. The compiler knows
# them as what a module holds.
OURS: dict[object, object] = {}
THEIRS: dict[object, object] = {}


class _Told:
    """Imports the compiler, and tells it then."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        tell()


class _Waiting:
    """Finds nothing, but notices the import of the compiler."""

    def find_spec(self, name, path, target=None):
        if name != COMPILER or self not in sys.meta_path:
            return None
        import importlib.util

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
            ours = calls.FUNCTIONS[name]
            traced = ours if name == "at" else _traced(torch, function, ours)
            torch.compiler.substitute_in_graph(function, skip_signature_check=True)(traced)
        _tell_of_theirs(torch)
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        warnings.warn(f"takewise's functions are not compiled by this PyTorch: {error}", RuntimeWarning, stacklevel=2)


def _tell_of_theirs(torch):
    """PyTorch's functions as `takewise.torch` has them: what the compiler reads of a call of any of them."""
    import takewise.torch
    from takewise._torch import _names

    kind = type(takewise.torch.gather)
    for function, name in _functions(takewise.torch, kind):
        OURS[function] = _names.FUNCTIONS.get(name)
        with contextlib.suppress(AttributeError):
            THEIRS[function] = _names.theirs(name)

    @torch.compiler.disable
    def outside(function, *args, **kwargs):
        return function(*args, **kwargs)

    def traced(function, *args, **kwargs):
        given = [*args, *kwargs.values()]
        given += [item for one in given if isinstance(one, (tuple, list)) for item in one]
        if function not in THEIRS or not any(isinstance(one, torch.Tensor) for one in given):
            return outside(function, *args, **kwargs)
        ours, theirs = OURS[function], THEIRS[function]
        if ours is None or kwargs.get("out") is not None:
            return theirs(*args, **kwargs)
        found = ours(*args, **kwargs)
        return theirs(*args, **kwargs) if found is NotImplemented else found

    torch.compiler.substitute_in_graph(kind.__call__, skip_signature_check=True)(traced)


def _functions(module, kind, path=""):
    """The functions of a module and of its parts, with their names from the library's own module."""
    for name, value in list(vars(module).items()):
        if type(value) is kind:
            yield value, path + name
        elif isinstance(value, types.ModuleType) and value.__name__ == f"takewise.torch.{path}{name}":
            yield from _functions(value, kind, f"{path}{name}.")


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
