"""Order, and how often values occur, of arrays of Dask's: what Dask has functions for."""

from __future__ import annotations

from typing import Any, NoReturn

from takewise import _order, exceptions

__all__ = ["sort", "argsort", "topk", "argtopk", "unique", "isin", "bincount"]


def _array() -> Any:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]

    return da


def _no_order(name: str) -> NoReturn:
    text = f"{name}() has no form for arrays of Dask's, which puts no elements in order across chunks: topk() has the greatest"
    raise exceptions.TypeError(text)


def sort(x: Any, axis: int | None = -1, *, descending: bool = False) -> Any:
    """Refused: Dask puts no elements in order across chunks."""
    _no_order("sort")


def argsort(x: Any, axis: int | None = -1, *, descending: bool = False, stable: bool = True) -> Any:
    """Refused: Dask puts no elements in order across chunks."""
    _no_order("argsort")


def topk(x: Any, k: int, axis: int | None = -1, *, largest: bool = True) -> Any:
    """The ``k`` greatest elements along ``axis``; see ``takewise.topk``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.topk(da.from_array(np.array([3, 1, 4, 1, 5]), chunks=2), 2).compute()
    array([5, 4])
    """
    return _first("topk", x, k, axis, largest)


def argtopk(x: Any, k: int, axis: int | None = -1, *, largest: bool = True) -> Any:
    """The positions of what ``topk`` gives; see ``takewise.argtopk``."""
    return _first("argtopk", x, k, axis, largest)


def _first(name: str, x: Any, k: int, axis: int | None, largest: bool) -> Any:
    x, axis = _order.flat(x, axis)
    if not _order.most(name, x, k, axis):
        return x[_order.part(x, axis, slice(0))].astype("i8" if name == "argtopk" else x.dtype)
    # Dask asks for the least by a negative number.
    return getattr(_array(), name)(x, k if largest else -k, axis)


def unique(
    x: Any, axis: int | None = None, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """The different elements, sorted; see ``takewise.unique``. How many there are is known when they are computed."""
    if axis is not None:
        raise exceptions.TypeError("unique(): axis= has no form for arrays of Dask's: call compute() on them")
    found = _array().unique(x, return_index, return_inverse, return_counts)
    return _order.shaped(found, 1 + return_index, x.shape) if return_inverse else found


def isin(x: Any, values: Any, *, invert: bool = False) -> Any:
    """Which elements are among ``values``; see ``takewise.isin``."""
    return _array().isin(x, values, invert=invert)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number from 0 on occurs; see ``takewise.bincount``."""
    return _array().bincount(x, weights=weights, minlength=minlength)
