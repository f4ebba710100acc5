"""Order, and how often values occur: functions that the library of an array has itself, and that get the call there.

One class a library. Its methods have the names and parameters of takewise's functions, and give what these say, in the library's
own functions: so gradients, devices, traces and speed are the library's.
"""

import contextlib
import operator
import sys

import numpy as np

from takewise import _takewise, exceptions


class NumPy:
    """NumPy's arrays. The greatest last, so what is to come first in falling order is sorted and turned."""

    @staticmethod
    def sort(x, axis=-1, *, descending=False):
        if not descending:
            return np.sort(x, axis)
        x, axis = flat(x, axis)
        return np.ascontiguousarray(_turned(np.sort(x, axis), axis)) if x.ndim else x.copy()

    @staticmethod
    def argsort(x, axis=-1, *, descending=False, stable=True):
        kind = "stable" if stable else None
        if not descending:
            return np.argsort(x, axis, kind=kind)
        x, axis = flat(x, axis)
        order = _turned(np.argsort(_turned(x, axis), axis, kind=kind), axis)
        return x.shape[axis] - 1 - order if x.ndim else order

    @staticmethod
    def argtopk(x, k, axis=-1, *, largest=True):
        x, axis = flat(x, axis)
        k, n = most("argtopk", x, k, axis), x.shape[axis] if x.ndim else 1
        if 0 < k < n:
            chosen = np.argpartition(x, n - k if largest else k - 1, axis)
            chosen = chosen[part(x, axis, slice(n - k, None) if largest else slice(k))]
            found = np.take_along_axis(x, chosen, axis)
            return np.take_along_axis(chosen, NumPy.argsort(found, axis, descending=largest), axis)
        order = NumPy.argsort(x, axis, descending=largest)
        return order[part(x, axis, slice(k))] if x.ndim else order

    @staticmethod
    def topk(x, k, axis=-1, *, largest=True):
        x, axis = flat(x, axis)
        k, n = most("topk", x, k, axis), x.shape[axis] if x.ndim else 1
        if 0 < k < n:
            x = np.partition(x, n - k if largest else k - 1, axis)[part(x, axis, slice(n - k, None) if largest else slice(k))]
        ordered = NumPy.sort(x, axis, descending=largest)
        return ordered[part(x, axis, slice(k))] if x.ndim else ordered

    @staticmethod
    def unique(x, axis=None, *, return_index=False, return_inverse=False, return_counts=False):
        found = np.unique(x, return_index, return_inverse, return_counts, axis)
        return shaped(found, 1 + return_index, x.shape if axis is None else (x.shape[axis],)) if return_inverse else found

    @staticmethod
    def isin(x, values, *, invert=False):
        if type(values) is not np.ndarray and not isinstance(values, np.generic | list | tuple | bool | int | float | complex | str | bytes):
            # NumPy takes what it cannot read for one object, which is equal to nothing.
            values = np.asarray(_takewise.copy(values))
        return np.isin(x, values, invert=invert)

    @staticmethod
    def bincount(x, weights=None, minlength=0):
        try:
            return np.bincount(x, weights, minlength)
        except (TypeError, ValueError):
            # Our own function says which number is wrong, and where.
            return NotImplemented


class PyTorch:
    """PyTorch's tensors, on every device."""

    @staticmethod
    def sort(x, axis=-1, *, descending=False):
        x, axis = flat(x, axis)
        return _torch().sort(x, dim=axis, descending=descending).values

    @staticmethod
    def argsort(x, axis=-1, *, descending=False, stable=True):
        x, axis = flat(x, axis)
        return _torch().argsort(x, dim=axis, descending=descending, stable=stable)

    @staticmethod
    def argtopk(x, k, axis=-1, *, largest=True):
        return PyTorch._first("argtopk", x, k, axis, largest).indices

    @staticmethod
    def topk(x, k, axis=-1, *, largest=True):
        return PyTorch._first("topk", x, k, axis, largest).values

    @staticmethod
    def _first(name, x, k, axis, largest):
        x, axis = flat(x, axis)
        return _torch().topk(x, most(name, x, k, axis), dim=axis, largest=largest)

    @staticmethod
    def unique(x, axis=None, *, return_index=False, return_inverse=False, return_counts=False):
        torch = _torch()
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=axis)
        if axis is None and (x.is_floating_point() or x.is_complex()):
            # All NaN are one element. They come last.
            numbers = int((~values.isnan()).sum())
            if numbers < len(values) - 1:
                counts = torch.cat([counts[:numbers], counts[numbers:].sum(0, keepdim=True)])
                values, inverse = values[: numbers + 1], inverse.clamp(max=numbers)
        more = []
        if return_index:
            flat = inverse.reshape(-1)
            places = torch.arange(flat.numel(), device=x.device)
            first = torch.empty_like(counts).scatter_reduce_(0, flat, places, "amin", include_self=False)
            more.append(first)
        more += [inverse] * bool(return_inverse) + [counts] * bool(return_counts)
        return (values, *more) if more else values

    @staticmethod
    def isin(x, values, *, invert=False):
        torch = _torch()
        here = next(one.device for one in (x, values) if isinstance(one, torch.Tensor))
        return torch.isin(torch.as_tensor(x, device=here), torch.as_tensor(values, device=here), invert=invert)

    @staticmethod
    def bincount(x, weights=None, minlength=0):
        torch = _torch()
        if weights is not None:
            weights = torch.as_tensor(weights, device=x.device).double()
        return torch.bincount(x, weights, minlength)


class Jax:
    """JAX's arrays, traced ones too."""

    @staticmethod
    def sort(x, axis=-1, *, descending=False):
        return _jax().sort(x, axis, descending=descending)

    @staticmethod
    def argsort(x, axis=-1, *, descending=False, stable=True):
        return _jax().argsort(x, axis, stable=stable, descending=descending)

    @staticmethod
    def argtopk(x, k, axis=-1, *, largest=True):
        x, axis = flat(x, axis)
        k = most("argtopk", x, k, axis)
        return _jax().take(Jax.argsort(x, axis, descending=largest), _jax().arange(k), axis=axis)

    @staticmethod
    def topk(x, k, axis=-1, *, largest=True):
        x, axis = flat(x, axis)
        k = most("topk", x, k, axis)
        return _jax().take(Jax.sort(x, axis, descending=largest), _jax().arange(k), axis=axis)

    @staticmethod
    def unique(x, axis=None, *, return_index=False, return_inverse=False, return_counts=False):
        return _jax().unique(x, return_index, return_inverse, return_counts, axis)

    @staticmethod
    def isin(x, values, *, invert=False):
        return _jax().isin(x, _jax().asarray(values), invert=invert)

    @staticmethod
    def bincount(x, weights=None, minlength=0):
        weights = None if weights is None else _jax().asarray(weights)
        return _jax().bincount(x, weights, minlength)


def _torch():
    import torch  # type: ignore[import-not-found]  # it is there, as one of its tensors is

    return torch


def _jax():
    return sys.modules["jax"].numpy


def _dask():
    from takewise.dask import _order

    return _order


# What an array of a library is, and who answers for it.
_LIBRARIES = (
    ("numpy", lambda library, x: type(x) is library.ndarray, lambda: NumPy),
    ("torch", lambda library, x: isinstance(x, library.Tensor), lambda: PyTorch),
    ("jax", lambda library, x: isinstance(x, library.Array), lambda: Jax),
    ("dask.array", lambda library, x: isinstance(x, library.Array), _dask),
)


def answer(name, args, kwargs):
    """The answer of the library of the first array, or ``NotImplemented``, where it is nobody's here."""
    args, kwargs = tuple(map(_here, args)), {word: _here(one) for word, one in kwargs.items()}
    if args and type(args[0]) is np.ndarray:
        return getattr(NumPy, name)(*args, **kwargs)
    given = (*args, *kwargs.values())
    # Beside numbers what is next decides; any other object decides itself.
    for x in given if isinstance(given[0], list | tuple | int | float | complex) else given[:1]:
        for library, is_its, functions in _LIBRARIES:
            if library in sys.modules and is_its(sys.modules[library], x):
                return getattr(functions(), name)(*args, **kwargs)
    if args and isinstance(args[0], list | tuple):
        # Numbers in lists are NumPy's.
        listed = np.empty(0, object)
        with contextlib.suppress(ValueError):
            listed = np.asarray(args[0])
        if listed.dtype.kind in "biuf":
            return getattr(NumPy, name)(listed, *args[1:], **kwargs)
    return NotImplemented


def _here(one):
    """An argument; of an array with steps a copy, as steps may lead out of memory, where NumPy reads what is not there and we refuse."""
    if type(one) is not np.ndarray or one.flags.c_contiguous or one.dtype.hasobject:
        return one
    return _takewise.copy(one)


def shaped(found, place, shape):
    """Results with the inverse, at a place among them, in its shape: NumPy 2.0 has another, and so have NumPy 1 and Dask."""
    return (*found[:place], found[place].reshape(shape), *found[place + 1 :])


def flat(x, axis):
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def part(x, axis, which):
    """The key of a part along an axis."""
    return (slice(None),) * (axis % x.ndim) + (which,)


def _turned(x, axis):
    return np.flip(x, axis) if x.ndim else x


def most(name, x, k, axis):
    """``k``, once it is known that there are so many."""
    k, size = operator.index(k), x.shape[axis] if x.ndim else 1
    if not 0 <= k <= size:
        axis %= max(x.ndim, 1)
        raise exceptions.ValueError(f"{name}(): k must be from 0 to the {size} elements along axis {axis}, not {k}")
    return k
