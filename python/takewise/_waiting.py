"""Something to do when a module has been imported, by whoever imports it: at once where that has been."""

import sys


class _Told:
    """Imports the module, and does it then."""

    def __init__(self, loader, then):
        self.loader, self.then = loader, then

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        self.then()


class _Waiting:
    """Finds nothing, but notices the import of a module."""

    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path, target=None):
        if name != self.name or self not in sys.meta_path:
            return None
        import importlib.util

        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Told(spec.loader, self.then)
        return spec


def when_imported(name, then):
    """Calls ``then`` once the module of that name is there."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Waiting(name, then))
