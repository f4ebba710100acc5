"""The functions of takewise itself, called with arrays of Dask's."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import takewise
from takewise import _catalogue, exceptions
from takewise.dask import _common, _mask, _writes

__all__ = ["where", "bucketize", "copy", "masked_fill", "masked_scatter"]


def called(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The answer of ``takewise.name`` for arrays of Dask's. What writes into memory is refused: a graph has none."""
    import takewise.dask as td

    said = f"at(x)[key].{name[3:]}()" if name.startswith("at.") else f"{name}()"
    if _catalogue.writes(name):
        other = {"index_set": "index_put()", "put_along_axis": "takewise.dask.put_along_axis()"}.get(name, said.replace("_()", "()"))
        raise exceptions.TypeError(f"{said}: nothing is written into an array of Dask's, nor from one into memory: {other} gives a new one")
    if kwargs.get("out") is not None:
        raise exceptions.TypeError(f"{said}: a graph has no memory for out=: call compute() on its result")
    kwargs = {key: value for key, value in kwargs.items() if key != "out"}
    if name.startswith("at."):
        return _at(name[3:], *args, **kwargs)
    function = getattr(td, name, None)
    if function is None:
        raise exceptions.TypeError(f"{said} has no form for arrays of Dask's: call compute() on them")
    return function(*args, **kwargs)


def _at(method: str, x: Any, key: Any, value: Any = None, *, fill_value: Any = None, **rules: Any) -> Any:
    """A method of ``takewise.at(x)[key]``."""
    import takewise.dask as td

    if method == "get":
        rules.pop("duplicates", None)
        return td.index(x, key, fill_value=fill_value, **rules)
    return _writes.at(method, x, key, value, **rules)


def where(condition: Any, input: Any = None, other: Any = None, *, threads: int | None = None) -> Any:
    """``input`` where ``condition`` is true, else ``other``, chunk by chunk; all three broadcast, numbers take the dtype of an
    array beside them. Without both, the coordinates of what is true, as of ``nonzero(condition, as_tuple=True)``.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.array([1, -2, 3]), chunks=2)
    >>> td.where(x > 0, x, 0).compute()
    array([1, 0, 3])
    """
    if input is None and other is None:
        return _mask.coordinates(_common.array(condition, "condition"), True)
    given = [_operand(one, name) for one, name in ((condition, "condition"), (input, "input"), (other, "other"))]
    dtype = takewise.where(*[np.zeros((1,) * one.ndim, one.dtype) if hasattr(one, "dtype") else one for one in given]).dtype
    run = functools.partial(takewise.where, threads=threads or 1)
    return _common.library().core.elemwise(run, *given, dtype=dtype, name=_common.named("where", *given))


def _operand(one: Any, name: str) -> Any:
    """An array, or a number of Python's, which has no dtype of its own."""
    if _common.is_dask(one):
        if one.dtype.hasobject:
            raise exceptions.TypeError(f"where: {name} has dtype {one.dtype}: Python objects are not taken")
        return one
    return one if isinstance(one, bool | int | float | complex) and not isinstance(one, np.generic) else takewise.copy(one)


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False, threads: int | None = None) -> Any:
    """In which bucket between sorted ``boundaries`` each value falls: how many of them are below it, with ``right`` below or
    equal.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.bucketize(da.from_array(np.array([0.5, 1.0, 3.0]), chunks=2), [1.0, 2.0]).compute()
    array([0, 0, 2])
    """
    import takewise.dask as td

    axes = boundaries.ndim if _common.is_dask(boundaries) else np.ndim(boundaries)
    if axes != 1:
        raise exceptions.ValueError(f"bucketize: boundaries must have one axis, and have {axes}")
    return td.searchsorted(boundaries, input, out_int32=out_int32, right=right, threads=threads)


def copy(x: Any, *, threads: int | None = None) -> Any:
    """``x`` itself as a new array: chunks of Dask's do not change.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> td.copy(da.zeros(3, chunks=2)).compute()
    array([0., 0., 0.])
    """
    return x.copy()


def masked_fill(
    x: Any, mask: Any, value: Any, *, casting: _common._Casting | None = None, threads: int | None = None
) -> Any:
    """A new array: ``x`` with ``value``, one number, where ``mask`` is true, chunk by chunk.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.array([1, -2, 3]), chunks=2)
    >>> td.masked_fill(x, x < 0, 0).compute()
    array([1, 0, 3])
    """
    x, mask = _common.array(x), _mask_of("masked_fill", x, mask)
    if _common.is_dask(value):
        raise exceptions.TypeError("masked_fill: value must be one number, not an array of Dask's")
    # What the dtype does not take is said now.
    takewise.masked_fill(np.zeros(1, x.dtype), [True], value, casting=casting)
    run = functools.partial(_filled, value=value, casting=casting, threads=threads or 1)
    return _common.library().core.elemwise(run, x, mask, dtype=x.dtype, name=_common.named("masked_fill", x, mask, value, casting))


def _filled(x: Any, mask: Any, value: Any, casting: Any, threads: int) -> Any:
    return takewise.masked_fill(x, mask, value, casting=casting, threads=threads)


def _mask_of(operation: str, x: Any, mask: Any) -> Any:
    """A mask that broadcasts to the shape of ``x``."""
    mask = mask if _common.is_dask(mask) else np.asarray(mask)
    if mask.dtype != np.bool_:
        raise exceptions.TypeError(f"{operation}: the mask must be of booleans, not {mask.dtype}")
    try:
        fits = np.broadcast_shapes(x.shape, mask.shape) == x.shape
    except ValueError:
        fits = False
    if not fits:
        raise exceptions.ValueError(
            f"{operation}: a mask of shape {_common.listed(mask.shape)} does not broadcast to {_common.listed(x.shape)}"
        )
    return mask


def masked_scatter(
    x: Any, mask: Any, source: Any, *, casting: _common._Casting | None = None, threads: int | None = None
) -> Any:
    """A new array: ``x`` with the elements of ``source``, in order, where ``mask`` is true. A mask of Dask's is computed once,
    to count.

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.from_array(np.array([1, -2, 3]), chunks=2)
    >>> td.masked_scatter(x, [True, False, True], np.array([7, 8])).compute()
    array([ 7, -2,  8])
    """
    x, mask = _common.array(x), _mask_of("masked_scatter", x, mask)
    source = source if _common.is_dask(source) else np.asarray(source, x.dtype if isinstance(source, list | tuple) else None)
    library = _common.library() if _common.is_dask(mask) else np
    mask = library.broadcast_to(mask, x.shape)
    count = int(mask.sum().compute() if _common.is_dask(mask) else mask.sum())
    if math.prod(source.shape) < count:
        raise exceptions.ValueError(
            f"masked_scatter: the mask chooses {count} elements, and the source has {math.prod(source.shape)}"
        )
    return _writes.index_put(x, mask, source.reshape(-1)[:count], casting=casting, threads=threads)
