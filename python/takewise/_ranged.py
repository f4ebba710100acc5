"""Rows of different lengths as other packages hold them: sparse matrices of SciPy's, jagged tensors of PyTorch's, awkward arrays.

A call that names rows of one comes here (``_moved.py``, ``_torch/__init__.py``). Its rows are taken from the arrays the package keeps
them in, and the package makes its own kind of the result. Here, too, are rows of values that only their own library moves, or that lie
in files and stores: they are read at the positions of all values of the rows.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from takewise import _catalogue, _takewise, exceptions

# The roles of arguments that say what values outside do, and how a call runs.
_POLICIES = ("Bounds", "Negative", "Threads")


class _Rows(NamedTuple):
    """The rows of an object along an axis: arrays that share offsets, and what makes such an object again."""

    values: list[Any]
    rows: dict[str, Any]
    made: Callable[[list[Any], Any], Any]


def _sparse(x: Any, axis: int) -> "_Rows | None":
    if (getattr(x, "format", None), axis) not in (("csr", 0), ("csc", 1)):
        return None

    def made(values: list[Any], offsets: Any) -> Any:
        offsets = offsets.astype(x.indptr.dtype) if offsets[-1] <= np.iinfo(x.indptr.dtype).max else offsets
        shape = list(x.shape)
        shape[axis] = len(offsets) - 1
        return type(x)((*values, offsets), shape=tuple(shape))

    # Offsets that both arrays share are looked at as int64 once.
    return _Rows([x.data, x.indices], {"offsets": np.asarray(x.indptr, np.int64)}, made)


def _jagged(x: Any, axis: int) -> "_Rows | None":
    import torch  # type: ignore[import-not-found, unused-ignore]

    if axis != 0 or x.layout != torch.jagged or isinstance(x.size(1), int):
        return None
    lengths, offsets = x.lengths() if hasattr(x, "lengths") else None, x.offsets()
    rows = {"offsets": offsets} if lengths is None else {"starts": offsets[:-1], "lengths": lengths}

    def made(values: list[Any], offsets: Any) -> Any:
        return torch.nested.nested_tensor_from_jagged(values[0], offsets)

    return _Rows([x.values()], rows, made)


def _awkward(x: Any, axis: int) -> "_Rows | None":
    import awkward  # type: ignore[import-not-found, unused-ignore]

    form, _, buffers = awkward.to_buffers(x)
    if axis != 0 or not isinstance(form, awkward.forms.ListOffsetForm) or not isinstance(form.content, awkward.forms.NumpyForm):
        return None

    def made(values: list[Any], offsets: Any) -> Any:
        content = awkward.contents.NumpyArray(values[0], parameters=form.content.parameters)
        listed = awkward.contents.ListOffsetArray(awkward.index.Index64(offsets), content, parameters=form.parameters)
        return awkward.Array(listed, behavior=x.behavior)

    data = buffers[f"{form.content.form_key}-data"]
    return _Rows([data.reshape(-1, *form.content.inner_shape)], {"offsets": buffers[f"{form.form_key}-offsets"]}, made)


_PACKAGES: dict[str, Callable[[Any, int], "_Rows | None"]] = {"scipy": _sparse, "torch": _jagged, "awkward": _awkward}


def holds_rows(x: Any) -> bool:
    """Whether an object is one of another package's for rows of different lengths."""
    package = type(x).__module__.partition(".")[0]
    if package == "scipy":
        return hasattr(x, "tocsr")
    if package == "torch":
        import torch  # type: ignore[import-not-found, unused-ignore]

        from takewise import _torch

        return isinstance(x, torch.Tensor) and _torch.is_jagged(torch, x)
    return package == "awkward" and hasattr(x, "layout")


# What reads no rows has arguments for these.
_NO_READS = {"Values", "Array", "Mask", "How"}


def answer(name: str, given: dict[str, Any], x: Any) -> Any:
    """The rows of ``x`` that a call names, in an object of its kind."""
    roles, kind = _catalogue.ROLES[name], f"{type(x).__module__.partition('.')[0]}'s {type(x).__name__}"
    if name == "take_ranges":
        # The object has its own offsets.
        axis, given = given.get("axis", 0), {"x": x, "index": given.get("ids", given.get("offsets")), **_policies(roles, given)}
        name, roles = "take", _catalogue.ROLES["take"]
    else:
        axis = next((value for key, value in given.items() if roles[key] in ("Axis", "AxisOrNone")), 0 if name == "index" else None)
    if axis is None or not {"Index", "Key"} & set(roles.values()) or _NO_READS & set(roles.values()) or given.get("out") is not None:
        text = "rows are taken, by take, index_select or take_ranges with axis=0 or index; for all else pass its values and offsets"
        raise exceptions.TypeError(f"{name}() of {kind}: {text}")
    if given.get("fill_value") is not None:
        raise exceptions.TypeError(f"{name}() of {kind}: a row that is not there is empty, so leave fill_value out")
    rows = _PACKAGES[type(x).__module__.partition(".")[0]](x, int(axis))
    if rows is None and not (hasattr(x, "tocsr") and axis in (0, 1)):
        raise exceptions.TypeError(f"{name}() of {kind}: rows one level deep are taken along axis 0, deeper ones and other axes are not")
    # The function itself says which rows, and what is wrong with their numbers.
    leaves = given.get("bounds") in ("fill", "drop")
    numbers = {key: np.arange(x.shape[axis] if hasattr(x, "tocsr") else len(x)) if value is x else value for key, value in given.items()}
    numbers |= {key: 0 for key in given if roles[key] in ("Axis", "AxisOrNone")} | ({"bounds": "fill", "fill_value": -1} if leaves else {})
    order = np.asarray(getattr(_takewise, name)(**numbers))
    if order.ndim != 1:
        raise exceptions.TypeError(f"{name}() of {kind}: row numbers must have one axis, and would have {order.ndim}")
    if rows is None:
        return _of_scipy(name, kind, x, order, axis)
    found = [_takewise.take_ranges(values, ids=order, **rows.rows, negative=False, bounds="fill") for values in rows.values]
    return rows.made([values for values, _ in found], found[0][1])


def _policies(roles: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in given.items() if roles[key] in _POLICIES}


def _of_scipy(name: str, kind: str, x: Any, order: Any, axis: int) -> Any:
    """Rows or columns of a form that is not kept by them: SciPy's own answer for positions that we have checked."""
    if (order < 0).any():
        raise exceptions.TypeError(f"{name}() of {kind}: no rows are left empty along axis {axis} of its form: use tocsr() or tocsc()")
    indexed = x.tocsr() if x.format in ("coo", "dia", "bsr") else x
    return indexed[order] if axis == 0 else indexed[:, order]


def by_positions(call: Any) -> Any:
    """A call whose values are moved by their own library, or lie in files and stores: read where the rows lie."""
    given, name = call.given, call.name
    x, axis = given[call.receiver], given.get("axis", 0)
    rows = {key: value for key, value in given.items() if call.role(key) in ("Offsets", "Starts", "Stops", "Lengths")}
    if name == "take_ranges":
        policies = _policies(call.roles, given)
        at, offsets = _takewise.range_positions(**rows, ids=given.get("ids"), **policies)
        return _takewise.take(x, at, axis=axis), offsets
    if name == "repeat_ranges":
        ids, count = _takewise.range_ids(**rows), len(_takewise.range_positions(**rows)[1]) - 1
        if count != x.shape[axis]:
            raise exceptions.ValueError(f"repeat_ranges(): there are {count} rows, and {x.shape[axis]} values along axis {axis}")
        return _takewise.take(x, ids, axis=axis)
    if isinstance(x, np.ndarray):
        return NotImplemented
    ids = given.get("ids")
    if name != "reduce_ranges" or ids is None or given.get("bounds") in ("fill", "drop") or given["reduce"] in ("argmin", "argmax"):
        return call.by(**{call.receiver: np.asarray(x)})
    policies = {key: value for key, value in given.items() if call.role(key) in ("Bounds", "Negative")}
    part = np.asarray(_takewise.take(x, ids, axis=axis, **policies))
    return call.by(**{call.receiver: part, "ids": None, **dict.fromkeys(policies)})
