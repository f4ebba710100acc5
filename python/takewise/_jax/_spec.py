"""What a call says beside its arrays: hashable, and as the text that the engine reads."""

import json
from typing import NamedTuple

import numpy as np

from takewise import _catalogue, exceptions

# What parameters are for that take arrays.
ARRAYS = {
    roles[parameter] for function, roles in _catalogue.ROLES.items() for parameter in _catalogue.ARRAYS[function]
} - {"Out"}  # fmt: skip
# What a call may be linear in.
MOVABLE = ("Data", "Values", "Array", "Weights")
# The ways to combine whose results are linear in what is combined.
_LINEAR = (None, "none", "sum", "add", "mean")
# Those whose second derivatives are zero.
_FLAT = ("amax", "max", "amin", "min", "first", "last")


class Spec(NamedTuple):
    """A call without its arrays."""

    name: str
    # How errors name it, where that is not its name.
    said: "str | None"
    # What each array is for; with a dtype and a shape, where only these count.
    operands: tuple
    plain: str
    key: str
    # "call"; "back": the gradient of the argument `wrt`; "along": the tangent of the result, of those of the arguments `moved`.
    mode: str = "call"
    wrt: "str | None" = None
    moved: tuple = ()

    def text(self, batch, which):
        """The call as the engine reads it."""
        return json.dumps({
            "name": self.name, "said": self.said, "operands": self.operands, "plain": json.loads(self.plain),
            "key": json.loads(self.key), "mode": self.mode, "wrt": self.wrt, "moved": self.moved, "batch": batch, "which": which,
        })  # fmt: skip

    @property
    def how(self):
        """How values are combined."""
        plain = json.loads(self.plain)
        if plain.get("Accumulate"):
            return "sum"
        return plain.get("Reduce") or plain.get("HasReduce") or plain.get("How")

    @property
    def is_linear(self):
        """Whether the result is linear in what may move."""
        weighted = any(operand[0] == "Weights" for operand in self.operands)
        return self.how in _LINEAR and not weighted and not json.loads(self.plain).get("SkipNan")

    @property
    def is_flat(self):
        """Whether second derivatives are zero."""
        return self.is_linear or self.how in _FLAT

    def tolerant(self):
        """The call where no value is outside, or it has been seen."""
        plain = json.loads(self.plain)
        return self if plain.get("Bounds", "raise") != "raise" else self._replace(plain=json.dumps({**plain, "Bounds": "drop"}, sort_keys=True))

    def homogeneous(self):
        """The linear part of a call: what is filled or stored as a number is zero."""
        plain = json.loads(self.plain)
        if plain.get("Bounds") == "fill":
            plain["Bounds"] = "drop"
        plain.pop("Fill", None)
        for role in {"Values", "Padding", "Empty"} & set(plain):
            plain[role] = number(0)
        return self._replace(plain=json.dumps(plain, sort_keys=True))


def number(value):
    """A number as the text of a call has it: its kind and its digits."""
    if hasattr(value, "dtype") or hasattr(value, "__array__"):
        value = np.asarray(value)
        if value.ndim or value.dtype.kind not in "biufcV":
            raise exceptions.TypeError(f"a number is needed, not an array of shape {value.shape} and dtype {value.dtype}")
        value = value.item()
    if isinstance(value, complex):
        return ["complex", repr(value.real), repr(value.imag)]
    return [type(value).__name__, repr(value)]


def value_of(said):
    """The number that a text of a call says."""
    kind, *digits = said
    if kind == "complex":
        return complex(float(digits[0]), float(digits[1]))
    return {"bool": lambda word: word == "True", "int": int, "float": float}[kind](digits[0])
