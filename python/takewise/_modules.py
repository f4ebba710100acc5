"""Modules made from the engine's tables: a library's names at one path."""

import builtins
import contextlib
import importlib
import types

from takewise import _takewise


def fill(module, library, path=""):
    """Puts our names of ``library`` at ``path`` into a module's globals, where names that are there stay, and returns them."""
    names = [name for name in _takewise.own_names(library, path) if name.isidentifier() and name not in module]
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
    names = own + fill(module, library, path)
    return sorted(name for name in names if not hasattr(builtins, name))


def rest(module, library, path=""):
    """Leaves every name that a module has not to the library itself: what there is at the same path, if it is installed."""
    name = module["__name__"]

    def other(wanted):
        if wanted == "__path__":  # a package is looked for in folders
            raise AttributeError(f"module {name!r} is no package")
        if wanted == "__all__":
            return [known for known in everything() if not known.startswith("_")]
        try:
            return getattr(own(library, path), wanted)
        except ModuleNotFoundError as error:
            raise AttributeError(f"module {name!r} has no attribute {wanted!r}, and {error.name} is not installed") from error

    def everything():
        names = set(module)
        with contextlib.suppress(ModuleNotFoundError, AttributeError):
            names.update(dir(own(library, path)))
        return sorted(names)

    module["__getattr__"], module["__dir__"] = other, everything


def own(library, path=""):
    """What the library itself has at a path."""
    found = importlib.import_module(library)
    for name in filter(None, path.split(".")):
        found = getattr(found, name)
    return found


def namespace(library, path):
    """A part of a library that is no module of the package, such as ``mindspore.ops``."""
    if _takewise.own_names(library, path) == ["at"]:
        return Ufunc(own(library, path), _takewise.lookup(library, path, "at"), (library, *path.rpartition(".")[::2]))
    made = types.ModuleType(f"takewise.{library}.{path}")
    fill(made.__dict__, library, path)
    rest(made.__dict__, library, path)
    return made


class Ufunc:
    """A ufunc of NumPy's whose ``at`` is ours. All else is the ufunc's own."""

    __slots__ = ("_place", "_ufunc", "at")

    def __init__(self, ufunc, at, place):
        self._ufunc, self.at, self._place = ufunc, at, place

    def __call__(self, /, *args, **kwargs):
        return self._ufunc(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._ufunc, name)

    @property  # type: ignore[misc]
    def __class__(self):
        return type(self._ufunc)

    @property
    def __doc__(self):
        return self._ufunc.__doc__

    def __dir__(self):
        return dir(self._ufunc)

    def __repr__(self):
        return repr(self._ufunc)

    def __reduce__(self):
        return _takewise.lookup, self._place
