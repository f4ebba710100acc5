"""Which arguments of PyTorch's functions name places, and of which axis: a table, asked for what somebody called.

A row has the names of a function's arguments, in their order, the rule by which its index values are found among them, the class
of error that PyTorch raises for a bad one, and its words. A function written in Python knows the names itself.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class Look(NamedTuple):
    """Index values, and the axis whose places they name."""

    index: Any
    axis: int
    length: int
    back: bool = False
    """Whether they are counted from the end of the axis too."""
    role: str = "index"
    most: int | None = None
    """The largest that is allowed, where that is not the last place."""
    ignored: int | None = None
    """A value that stands for none."""
    held: Any = None
    """A mask of those that count, where not all do."""

    def ends(self):
        """The least and the largest value that is allowed."""
        return -self.length * self.back, self.length - 1 if self.most is None else self.most


def _axis(x, dim):
    return dim % x.dim() if x.dim() else 0


def _axis_of(a, index, x, dim, back=False):
    axis = _axis(x, dim)
    return [Look(index, axis, x.shape[axis] if x.dim() else 1, back)]


def along(a):
    """An index along an axis that has a number: it has no negative values."""
    return _axis_of(a, a["index"], a["self"], a["dim"])


def filled(a):
    return _axis_of(a, a["index"], a["self"], a["dim"], back=True)


def flat(a):
    return [Look(a["index"], 0, a["self"].numel(), back=True)]


def along_or_flat(a):
    # Along an axis, PyTorch takes values modulo its length.
    return [Look(a["indices"], 0, a["self"].numel())] if a.get("dim") is None else []


def keyed(a):
    return _subscripts(a["self"], a["indices"])


def subscript(a):
    key = a["key"]
    return _subscripts(a["self"], key if isinstance(key, tuple) else (key,))


def _subscripts(x, items):
    """The index values in a subscript, each with the axis of the tensor as it is before the subscript."""
    import torch  # type: ignore[import-not-found]

    wide = [_width(torch, item) for item in items]
    rest = x.dim() - sum(n for n in wide if n is not None)
    found, axis = [], 0
    for item, n in zip(items, wide, strict=True):
        if n is None:
            axis += rest
        elif n == 1 and not isinstance(item, slice):
            index = item if isinstance(item, torch.Tensor) else torch.as_tensor(item, device="cpu")
            if index.dtype != torch.bool and not (index.dtype == torch.uint8 and index.dim()):
                found.append(Look(index, axis, x.shape[axis], back=True))
            axis += 1
        else:
            axis += n
    return found


def _width(torch, item):
    """How many axes an item of a subscript takes up: `None` for all that are left."""
    if item is Ellipsis:
        return None
    if item is None or isinstance(item, bool):
        return 0
    mask = getattr(item, "dtype", None)
    if mask is not None and str(mask).removeprefix("torch.") in ("bool", "uint8"):
        return item.ndim
    if isinstance(item, list):
        made = torch.as_tensor(item, device="cpu")
        return made.dim() if made.dtype == torch.bool else 1
    return 1


def indexed(a):
    """`index` and `index_put` of the operators: `None` leaves an axis alone."""
    return _subscripts(a["self"], [slice(None) if item is None else item for item in a["indices"]])


def rows(a):
    return [Look(a["indices"], 0, a["weight"].shape[0])]


def rows_of_python(a):
    return [Look(a["input"], 0, a["weight"].shape[0])]


def renormed(a):
    return [Look(a["indices"], 0, a["self"].shape[0])]


def bags(a):
    return _bags(a, "indices")


def bags_of_python(a):
    # PyTorch has an older order of these two, and still takes it.
    swapped = a["weight"].dtype.itemsize == 8 and not a["weight"].is_floating_point() and a["input"].is_floating_point()
    return _bags(a | {"input": a["weight"], "weight": a["input"]} if swapped else a, "input")


def _bags(a, index):
    index, offsets = a[index], a.get("offsets")
    return [Look(index, 0, a["weight"].shape[0])] + (
        [Look(offsets, 0, index.numel(), role="offsets", most=index.numel())] if offsets is not None else []
    )


def classes(a):
    x, target = a.get("input", a.get("self")), a["target"]
    if target.is_floating_point():
        return []
    return [Look(target, *_classes(x), role="target", ignored=a.get("ignore_index", -100))]


def margins(a):
    return [Look(a["target"], *_classes(a.get("input", a.get("self"))), role="target")]


def _classes(x):
    """The axis of the classes, and its length."""
    axis = 1 if x.dim() > 1 else 0
    return axis, x.shape[axis] if x.dim() else 1


def hot(a):
    given = a.get("num_classes", -1)
    return [Look(a["self"], a["self"].dim(), given if given > 0 else 1, role="classes", most=None if given > 0 else 2**62)]


def segments(a):
    x, lengths, offsets = a["data"], a.get("lengths"), a.get("offsets")
    axis = _axis(x, a.get("axis", 0))
    size = x.shape[axis]
    given = [(value, role) for value, role in ((lengths, "lengths"), (offsets, "offsets")) if value is not None]
    return [Look(value, axis, size, role=role, most=size) for value, role in given]


def aligned(a):
    """Lengths of sequences and of their labels, and the labels: of those that stand in a table, the ones that count."""
    import torch

    steps, targets = a["log_probs"], a["targets"]
    found, lengths = [], []
    for role, size, axis in (("input_lengths", steps.shape[0], 0), ("target_lengths", targets.shape[-1], targets.dim() - 1)):
        # With a single sequence there is one number.
        length = torch.as_tensor(a[role], device=None if isinstance(a[role], torch.Tensor) else "cpu")
        found.append(Look(length, axis, size, role=role, most=size))
        lengths.append(length)
    held = None
    if targets.dim() == 2:
        held = torch.arange(targets.shape[1], device=targets.device) < lengths[1].to(targets.device).reshape(-1, 1)
    return [*found, Look(targets, steps.dim() - 1, steps.shape[-1], role="targets", held=held)]


def sorter(a):
    given = a.get("sorter")
    row = a["sorted_sequence"]
    return [] if given is None else [Look(given, row.dim() - 1, row.shape[-1], role="sorter")]


class Row(NamedTuple):
    """A function of PyTorch's with index values."""

    parameters: str
    rule: Callable[[dict[str, Any]], list[Look]]
    error: str = "IndexError"
    says: str = "index {value} is out of bounds for dimension {axis} with size {size}"
    first: bool | str = False
    """Whether they are looked at before the call in main memory too, or the argument with which they are: PyTorch reads outside
    there, or has written before it complains."""
    own: bool = False
    """Whether the kernels that check, or run, the operator in main memory say all there is to say."""
    name: str | None = None
    """The operator, where the function is called otherwise."""

    def arguments(self, args, kwargs, code=None):
        """The arguments by their names."""
        names = self.parameters.split() if code is None else code.co_varnames[: code.co_argcount]
        named = dict(zip(names, args, strict=False))
        if code is None and "input" in kwargs:
            kwargs = {("self" if name == "input" and "self" in names else name): value for name, value in kwargs.items()}
        return named | kwargs

    def is_first(self, args, kwargs, code):
        """Whether index values of this call are looked at before it in main memory."""
        if not isinstance(self.first, str):
            return self.first
        return self.arguments(args, kwargs, code).get(self.first) is not None


_RUNTIME, _SELF = "RuntimeError", "index out of range in self"
_FLAT = "out of range: tried to access index {value} on a tensor of {size} elements."
_TARGET, _LOST = "Target {value} is out of bounds.", "{role} out of range: {value}"
_ALONG = Row("self dim index", along, _RUNTIME, own=True)
_KEYED = Row("self indices", indexed, own=True)
_NLL = Row("self target weight reduction ignore_index", classes, says=_TARGET)
_CTC = Row("log_probs targets input_lengths target_lengths", aligned, _RUNTIME, _LOST, first=True)
_BAG = Row("weight indices offsets", bags, _RUNTIME, _LOST, first=True)
_RENORM = Row("self indices", renormed, says=_SELF, first=True)

# By the name of the function; of those with a name in Python alone, by that of its module too.
ROWS = {
    "__getitem__": Row("self key", subscript, name="index"),
    "__setitem__": Row("self key value", subscript, name="index_put"),
    "index": _KEYED, "index_put": _KEYED, "index_put_": _KEYED, "_index_put_impl_": _KEYED,
    "gather": _ALONG, "scatter": _ALONG, "scatter_": _ALONG, "scatter_add": _ALONG, "scatter_add_": _ALONG,
    "scatter_reduce": _ALONG, "scatter_reduce_": _ALONG, "index_add": _ALONG, "index_add_": _ALONG,
    "index_select": _ALONG._replace(error="IndexError", says=_SELF),
    "index_reduce": _ALONG._replace(error="IndexError", says=_SELF),
    "index_reduce_": _ALONG._replace(error="IndexError", says=_SELF),
    "index_copy": _ALONG._replace(error="IndexError", says="index_copy_(): " + Row._field_defaults["says"]),
    "index_copy_": _ALONG._replace(error="IndexError", says="index_copy_(): " + Row._field_defaults["says"]),
    "index_fill": Row("self dim index", filled, own=True), "index_fill_": Row("self dim index", filled, own=True),
    "take": Row("self index", flat, says=_FLAT, own=True), "put": Row("self index", flat, says=_FLAT, own=True),
    "put_": Row("self index", flat, says=_FLAT, own=True),
    "take_along_dim": Row("self indices dim", along_or_flat, _RUNTIME),
    "embedding": Row("weight indices", rows, says=_SELF), "functional.embedding": Row("", rows_of_python, says=_SELF, first="max_norm"),
    "embedding_renorm_": _RENORM, "embedding_bag": _BAG, "functional.embedding_bag": _BAG._replace(rule=bags_of_python),
    "nll_loss": _NLL, "nll_loss2d": _NLL, "nll_loss_nd": _NLL, "functional.nll_loss": _NLL, "functional.cross_entropy": _NLL,
    "cross_entropy_loss": _NLL, "multi_margin_loss": Row("self target", margins, _RUNTIME, "target out of range"),
    "functional.multi_margin_loss": Row("", margins, _RUNTIME, "target out of range"),
    "one_hot": Row("self num_classes", hot, _RUNTIME, "Class values must be smaller than num_classes."),
    "segment_reduce": Row("data reduce", segments, _RUNTIME, _LOST, first=True),
    "ctc_loss": _CTC, "functional.ctc_loss": _CTC,
    "searchsorted": Row("sorted_sequence self", sorter, _RUNTIME, "torch.searchsorted(): sorter index out of range"),
}  # fmt: skip


def row(function):
    """The row of a function of PyTorch's, its code where it is written in Python, and its name; `None` for all that index nothing."""
    code = getattr(function, "__code__", None)
    if code is not None:
        return row_of_code(code, getattr(function, "__module__", None))
    name = getattr(function, "__name__", "").partition(".")[0]
    found = ROWS.get(name)
    return found and (found, None, found.name or name)


def row_of_code(code, module):
    """As `row`, of the code of a function in Python, and its module."""
    found = ROWS.get("functional." + code.co_name) if module == "torch.nn.functional" else None
    return found and (found, code, code.co_name)
