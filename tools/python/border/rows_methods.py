"""The methods, attributes and operators of the package's tensors.

A method that shares its name with a function is called as that is, on the first operand made a tensor; the others have
rows here.
"""

import copy
import operator
from importlib import import_module

import numpy as np
import rows_parts  # noqa: F401
import rows_torch  # noqa: F401
from rows import ROWS, row, without
from rows_neutral import storing
from rows_shared import changed, sorted_pair

# A class of tensors, and whose functions its methods are.
CLASSES = {
    "takewise.Tensor": ("takewise",),
    "takewise.torch.Tensor": ("takewise.torch",),
    "takewise.mindspore.Tensor": ("takewise.mindspore.ops", "takewise.mindspore.mint"),
}
ATTRIBUTES = "what it is may differ: read alone"
COPIED = "held to its library by tests of its own"
OPERATORS = {
    "__and__": operator.and_, "__or__": operator.or_, "__xor__": operator.xor, "__invert__": operator.invert,
    "__add__": operator.add, "__sub__": operator.sub, "__mul__": operator.mul, "__floordiv__": operator.floordiv,
    "__mod__": operator.mod, "__neg__": operator.neg, "__iadd__": operator.iadd,
    "__eq__": operator.eq, "__ne__": operator.ne, "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt,
    "__ge__": operator.ge, "__getitem__": operator.getitem,
    "__setitem__": lambda x, key, value: operator.setitem(x, key, value) or x,
    "__contains__": operator.contains, "__bool__": bool, "__int__": int, "__float__": float, "__complex__": complex,
    "__index__": operator.index, "__len__": len, "__iter__": lambda x: tuple(x), "__array__": np.asarray,
    "__copy__": copy.copy,
}  # fmt: skip


def tensor(module, value):
    """An operand as a tensor of the package's: over the same memory where the operand lends it."""
    if module == "takewise.mindspore":
        return import_module(module).tensor(value)
    home = import_module(module)
    made = home.as_tensor(value)
    return made if isinstance(made, home.Tensor) else home.from_dlpack(made)


def as_torch(value):
    """An operand as a tensor of PyTorch's own, which may be turned without the operand being so."""
    return import_module("torch").as_tensor(value)[...]


def receiver(module, value):
    """The tensor that a reference is called on: of PyTorch's methods its own, else ours."""
    return as_torch(value) if module == "takewise.torch.Tensor" else tensor(module.removesuffix(".Tensor"), value)


def method(make, name):
    """A method as a function of its tensor; an attribute as one that reads it."""

    def called(first, *rest, **more):
        receiver = make(first)
        if name in OPERATORS:
            return OPERATORS[name](receiver, *rest)
        found = getattr(receiver, name)
        return found(*rest, **more) if callable(found) else found

    return called


def functions(module, name):
    """A method of a class here, and of the library's own tensors."""
    home = module.removesuffix(".Tensor")
    library = None
    if home == "takewise.torch":
        try:
            torch = import_module("torch")
            # Some methods are functions alone there.
            library = method(as_torch, name) if name in OPERATORS or hasattr(torch.Tensor, name) else None
        except ImportError:
            library = None
    return method(lambda value: tensor(home, value), name), library


class Seen(Exception):
    """What a call passes on."""


def on_first(call, count):
    """Whether a call passes its first operand on first, and memory for the result never."""
    marks = [object() for _ in range(count)]

    def look(*given, **more):
        raise Seen(given[:1] == (marks[0],) and "out" not in more)

    try:
        call(look, *marks)
    except Seen as seen:
        return seen.args[0]
    except Exception:
        return False
    return False


def converted(call):
    """A call of MindSpore's, with tensors of its own alone."""

    def wrapped(f, first, *rest):
        home = import_module("takewise.mindspore")
        plain = (bool, int, float, complex, str, type(None))
        return call(f, first, *(value if isinstance(value, plain) else home.tensor(value) for value in rest))

    return wrapped


def shared(module, parents, name):
    """The rows of a method that functions of its name have."""
    bases = [name] + ([name[:-1]] if name.endswith("_") else [])
    for base in bases:
        found = [entry for entry in list(ROWS) if entry.module in parents and entry.name == base]
        taken = set()
        for entry in found:
            call = getattr(entry.call, "plain", entry.call)
            # PyTorch's method counts in the flattened tensor alone.
            if entry.form in ("fill", *taken) or (name, entry.form) == ("take", "axis") or not entry.letters or not on_first(call, len(entry.letters)):
                continue
            taken.add(entry.form)
            call = converted(call) if module == "takewise.mindspore.Tensor" else call
            more = {"letters": entry.letters, "uncompared": entry.uncompared}
            row(module, name, call, entry.reference, entry.form, **more)
        if taken:
            return True
    return False


# What has no function of its name: how it is called, and what it means in NumPy where that says it.
OWN = {
    "T": (lambda f, x: f(x), np.transpose),
    "mT": (lambda f, x: f(x), np.transpose),
    "shape": (lambda f, x: f(x), np.shape),
    "ndim": (lambda f, x: f(x), np.ndim),
    "itemsize": (lambda f, x: f(x), lambda x: x.itemsize),
    "nbytes": (lambda f, x: f(x), lambda x: x.nbytes),
    "contiguous": (lambda f, x: f(x), lambda x: x),
    "cpu": (lambda f, x: f(x), lambda x: x),
    "numpy": (lambda f, x: f(x), lambda x: x),
    "copy_": (lambda f, x, y: f(x, y), lambda x, y: changed(x, ..., y)),
    "dim": (lambda f, x: f(x), np.ndim),
    "ndimension": (lambda f, x: f(x), np.ndim),
    "numel": (lambda f, x: f(x), np.size),
    "nelement": (lambda f, x: f(x), np.size),
    "element_size": (lambda f, x: f(x), lambda x: x.itemsize),
    "expand": (lambda f, v: f(v, 2, 4), lambda v: np.broadcast_to(v, (2, 4))),
    "expand_as": (lambda f, v, u: f(v, u), lambda v, u: np.broadcast_to(v, u.shape)),
    "fill_diagonal_": (lambda f, g, c: f(g, c), lambda g, c: np.fill_diagonal(g, c) or g),
    "item": (lambda f, c: f(c), lambda c: c.item()),
    "tolist": (lambda f, x: f(x), lambda x: x.tolist()),
    "new_ones": (lambda f, x: f(x, (2,)), lambda x: np.ones(2, x.dtype)),
    "new_zeros": (lambda f, x: f(x, (2,)), lambda x: np.zeros(2, x.dtype)),
    "new_tensor": (lambda f, x, w: f(x, w), lambda x, w: w.astype(x.dtype)),
    "to": (lambda f, x, y: f(x, y), lambda x, y: x.astype(y.dtype)),
    "type_as": (lambda f, x, y: f(x, y), lambda x, y: x.astype(y.dtype)),
    "size": (lambda f, x: f(x), np.shape),
    "unfold": (lambda f, x: f(x, 1, 2, 1), lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1)),
    "view": (lambda f, x: f(x, 4, 3), lambda x: x.reshape(4, 3)),
    "view_as": (lambda f, x, y: f(x, y), lambda x, y: x.reshape(y.shape)),
    "reshape_as": (lambda f, x, y: f(x, y), lambda x, y: x.reshape(y.shape)),
    "where": (lambda f, x, m, y: f(x, m, y), lambda x, m, y: np.where(m, x, y)),
    "index_put": (lambda f, x, i, u: f(x, (i,), u), storing(lambda i: i)),
    "repeat": (lambda f, x: f(x, 2, 1), lambda x: np.tile(x, (2, 1))),
    "clamp_": (lambda f, x, c: f(x, 1, c), None),
    "clip_": (lambda f, x, c: f(x, 1, c), None),
    "is_complex": (lambda f, x: f(x), np.iscomplexobj),
    "__getitem__": (lambda f, x, i: f(x, i), lambda x, i: x[i]),
    "__setitem__": (lambda f, x, i, u: f(x, i, u), lambda x, i, u: changed(x, i, u)),
    "__and__": (lambda f, m, b: f(m, b), np.logical_and),
    "__or__": (lambda f, m, b: f(m, b), np.logical_or),
    "__xor__": (lambda f, m, b: f(m, b), np.logical_xor),
    "__invert__": (lambda f, m: f(m), np.logical_not),
    "__len__": (lambda f, x: f(x), len),
    "__iter__": (lambda f, x: f(x), tuple),
    "__array__": (lambda f, x: f(x), lambda x: x),
    "__copy__": (lambda f, x: f(x), lambda x: x),
}
for _name, _dtype in {"bool": "?", "byte": "u1", "char": "i1", "short": "i2", "int": "i4", "long": "i8", "half": "f2",
                      "float": "f4", "double": "f8", "cfloat": "c8", "cdouble": "c16"}.items():  # fmt: skip
    OWN[_name] = (lambda f, x: f(x), lambda x, dtype=_dtype: x.astype(dtype))
for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    OWN[_name] = (lambda f, x, y: f(x, y), OPERATORS[_name])
for _name in ("__add__", "__sub__", "__mul__", "__floordiv__", "__mod__"):
    OWN[_name] = (lambda f, i, r: f(i, r), OPERATORS[_name])
OWN["__neg__"] = (lambda f, i: f(i), operator.neg)
for _name in ("__bool__", "__int__", "__float__", "__complex__", "__index__"):
    OWN[_name] = (lambda f, c: f(c), lambda c, to=OPERATORS[_name]: to(c.item()))
# Compared with PyTorch, and otherwise only called.
LOOSE = {
    "__contains__": lambda f, x, c: f(x, c), "__iadd__": lambda f, i, r: f(i, r),
    "dtype": lambda f, x: f(x), "device": lambda f, x: f(x), "data_ptr": lambda f, x: f(x), "stride": lambda f, x: f(x),
    "strides": lambda f, x: f(x), "storage_offset": lambda f, x: f(x), "is_contiguous": lambda f, x: f(x),
    "is_floating_point": lambda f, x: f(x), "is_leaf": lambda f, x: f(x), "is_sparse": lambda f, x: f(x),
    "grad": lambda f, x: f(x), "grad_fn": lambda f, x: f(x), "requires_grad": lambda f, x: f(x),
    "retains_grad": lambda f, x: f(x), "retain_grad": lambda f, x: f(x), "requires_grad_": lambda f, x: f(x),
    "backward": lambda f, x, y: f(x, y), "bfloat16": lambda f, x: f(x), "type": lambda f, x: f(x),
    "to_dense": lambda f, x: f(x), "coalesce": lambda f, x: f(x), "is_coalesced": lambda f, x: f(x),
    "indices": lambda f, x: f(x), "values": lambda f, x: f(x), "asnumpy": lambda f, x: f(x), "copy": lambda f, x: f(x),
    "astype": lambda f, x: f(x, import_module("takewise.mindspore").float32),
    "scatter_sub": lambda f, x, n, w: f(x, n, w), "masked_scatter": lambda f, x, m, y: f(x, m, y),
}  # fmt: skip
# In PyTorch, too, what these are is a matter of how a tensor came to be.
ANYHOW = ("dtype", "device", "data_ptr", "type", "grad_fn", "is_leaf", "backward", "__contains__")
MINDSPORE = {
    **{name: lambda f, x: f(x) for name in ("all", "any", "clone")},
    "to": lambda f, x: f(x, import_module("takewise.mindspore").float32),
}


def members(module):
    """The public names of a class's tensors, and the operators that have rows."""
    home = import_module(module.removesuffix(".Tensor"))
    names = [name for name in dir(home.tensor([1.0])) if not name.startswith("_")]
    return names + list(OPERATORS)


def fill(module, parents):
    for name in members(module):
        if name in ("register_hook", "grad", "requires_grad") and module == "takewise.mindspore.Tensor":
            continue
        own = OWN.get(name)
        if name in MINDSPORE and module == "takewise.mindspore.Tensor":
            row(module, name, MINDSPORE[name], None, uncompared=COPIED)
        elif own and module == "takewise.mindspore.Tensor":
            row(module, name, converted(own[0]), None, uncompared=COPIED, letters=letters(own[0]))
        elif module == "takewise.Tensor" and name == "sort":
            # The method gives values and positions, the function values alone.
            row(module, name, lambda f, x: f(x), sorted_pair)
        elif own:
            row(module, name, own[0], own[1] if module == "takewise.Tensor" else None)
        elif name in LOOSE:
            known = module == "takewise.torch.Tensor" and name not in ANYHOW
            call = converted(LOOSE[name]) if module == "takewise.mindspore.Tensor" else LOOSE[name]
            row(module, name, call, None, uncompared="" if known else ATTRIBUTES, letters=letters(LOOSE[name]))
        else:
            shared(module, parents, name)


def letters(call):
    """The operands of a call."""
    return call.__code__.co_varnames[1 : call.__code__.co_argcount]


for _module, _parents in CLASSES.items():
    fill(_module, _parents)
    without(_module, "takes a function", "register_hook")
without("takewise.mindspore.Tensor", "not there, as in MindSpore", "grad", "requires_grad")
