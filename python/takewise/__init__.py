"""Tensor indexing, exact and fast, on the arrays you already hold.

NumPy arrays, PyTorch tensors in main memory, JAX arrays, columns of pandas, polars and pyarrow, and anything that speaks DLPack,
Arrow or the buffer protocol go in without a copy, and the same library's array comes out; lists of numbers give NumPy arrays:

>>> import numpy as np, takewise
>>> x = np.array([[10, 20, 30], [40, 50, 60]])
>>> takewise.gather(x, 1, np.array([[2, 0], [1, 1]]))
array([[30, 10],
       [50, 50]])

Negative values count from the end, and values outside an axis raise, with the axis, the position, the value and the
size. Keyword arguments with one meaning everywhere change that:

``bounds``
    what happens to values outside their axis: ``"raise"``, ``"wrap"`` (modulo the length), ``"clip"`` (the nearest place),
    ``"fill"`` (reads give ``fill_value``, by default NaN or the like, writes are dropped), ``"drop"`` (reads give zero,
    writes are dropped);
``negative``
    whether negative values count from the end (``True``) or are outside;
``duplicates``
    which of several stores to one place stays: ``"last"``, ``"first"``, or ``"error"`` for none; where values are combined
    all of them count, and only ``"error"`` has a meaning;
``casting``
    which values a write takes. ``"same_kind"``: booleans, integers, floats and complex numbers go into arrays of their own kind
    and of those after it, in any width; each integer must be in the range of the dtype; of plain numbers
    a boolean array takes 0 and 1. All else raises: ``TypeError`` for another kind, ``OverflowError`` for an integer that
    does not fit. ``"unsafe"`` casts arrays as NumPy's ``astype`` does. Integer sums wrap around as NumPy's do;
``threads``
    how many threads a large call uses at most, instead of what ``set_num_threads`` says. Results do not depend on it.

A call that raises has written nothing.
"""

import importlib as _importlib
import sys as _sys

from takewise import _held, _modules, _start, _takewise, _torch, _waiting, exceptions
from takewise._recording import enable_grad, inference_mode, no_grad, set_grad_enabled
from takewise._takewise import (
    Comparison,
    Explanation,
    PreparedSearch,
    SparseTensor,
    Tensor,
    __version__,
    at,
    from_dlpack,
    get_mixed,
    get_num_threads,
    set_mixed,
    set_num_threads,
)

# The operations, by the names that the catalogue has for them.
globals().update({_one.name: getattr(_takewise, _one.name) for _one in _takewise._operations()})

_torch.wait()
# The accessor of xarray's arrays is there as soon as xarray is.
_waiting.when_imported("xarray", lambda: _importlib.import_module("takewise.xarray"))

# What lies in modules that are imported when it is first asked for: a program that opens no file imports nothing for files.
_LATER = {
    "FileArray": "_files", "FileGroup": "_group", "Prepared": "_prepared", "accelerate_torch": "_accelerate", "explain": "_explain",
    "open": "_files", "open_group": "_group", "prepare": "_prepared", "torch_errors": "_accelerate",
}  # fmt: skip

__all__ = sorted({*_modules.exported(globals(), "neutral"), "__version__", *_LATER} - {"open"})

# Modules of the same kind, and what those need that not everybody has.
_LAZY = {
    "dask": "dask", "jax": "", "mindspore": "", "numpy": "", "torch": "", "torch_ops": "torch", "torch_scatter": "torch", "xarray": "xarray", "zarr": "",
}  # fmt: skip


def __getattr__(name):
    if name in _LATER:
        with _start.importing:
            found = globals()[name] = getattr(_importlib.import_module(f"takewise.{_LATER[name]}"), name)
        return found
    if name not in _LAZY:
        raise AttributeError(f"module 'takewise' has no attribute {name!r}{_elsewhere(name)}", name=name, obj=_sys.modules[__name__])
    try:
        return _importlib.import_module(f"takewise.{name}")
    except ModuleNotFoundError as error:
        text = f"takewise.{name} needs {error.name}, which is not installed"
        raise AttributeError(text if not _LAZY[name] else f"{text}: pip install {_LAZY[name]}") from error


def _elsewhere(name):
    """Where a name is that is not here: in a module that follows a library, or in a library that is imported."""
    if name.startswith("_"):
        return ""
    ours = [f"takewise.{library}" for library in ("numpy", "torch", "mindspore") if name in _takewise.own_names(library, "")]
    others = [library for library in ("numpy", "torch", "jax.numpy") if hasattr(_sys.modules.get(library), name)]
    found = [f"{place}.{name}" for place in (ours or others)]
    return f": there is {' and '.join(found)}" if found else ""


def __dir__():
    return sorted({*globals(), *_LATER, *_LAZY})
