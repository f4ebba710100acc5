"""Modules made from the engine's tables: a library's names at one path."""

import builtins
import contextlib
import types

from takewise import _takewise


def fill(module, library, path="", keep=False):
    """Puts every name ``library`` has at ``path`` into a module's globals, and returns those names.

    With ``keep``, names the module has already stay as they are.
    """
    names = [name for name in _takewise.names(library, path) if name.isidentifier()]
    if keep:
        names = [name for name in names if name not in module]
    found = []
    for name in names:
        # bfloat16 is no dtype of NumPy's where ml_dtypes is not installed: its modules then have no such name.
        with contextlib.suppress(TypeError):
            module[name] = _takewise.lookup(library, path, name)
            found.append(name)
    return found


def exported(module, library, path=""):
    """Fills a module, whose own names stay, and returns what ``from module import *`` gives.

    Names that Python itself has a meaning for (``int``, ``all``) are left to be asked for.
    """
    own = [name for name in module if not name.startswith("_")]
    names = own + fill(module, library, path, keep=True)
    return sorted(name for name in names if not hasattr(builtins, name))


def namespace(library, path):
    """A part of a library that is no module of the package, such as ``mindspore.ops``."""
    made = types.ModuleType(f"takewise.{library}.{path}")
    fill(made.__dict__, library, path)
    return made
