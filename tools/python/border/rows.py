"""How each function of the package is called here, and what its reference is.

A row is a call of a few letters, each of which is an operand of a known shape. The library modules are held to their
libraries: the same call with the library's own function. For the functions of `takewise` itself a plain one is given,
in NumPy.
"""

import dataclasses
import inspect
from collections.abc import Callable

import numpy as np

# What the letters of a call stand for: a base array, and what its dtype usually is.
DATA, INDEX, MASK, SCALAR = "data", "index", "mask", "scalar"
OPERANDS = {
    "x": (np.arange(12).reshape(3, 4) % 5, DATA),  # the array read or written, with zeros and equal values
    "v": (np.array([3, 0, 7, 1]), DATA),
    "s": (np.array([0, 1, 1, 3, 4]), DATA),  # sorted
    "u": (np.array([[5, 6, 7, 8], [1, 2, 3, 4]]), DATA),  # two rows
    "y": (np.array([[7, 3, 0, 2], [1, 9, 4, 6], [2, 2, 8, 5]]), DATA),  # of x's shape
    "w": (np.array([6, 2]), DATA),
    "k": (np.arange(12).reshape(1, 3, 4) % 5, DATA),  # with a third axis
    "g": (np.arange(9).reshape(3, 3) % 5, DATA),  # a square
    "d": (np.array([[5, 6], [1, 2]]), DATA),  # choices for two places
    "t": (np.array([3, 0, 7]), DATA),
    "e": (np.zeros((3, 3), "i8"), DATA),  # to be written
    "h": (np.array([4, 2, 0]), INDEX),  # a number for each row of x
    "i": (np.array([2, 0]), INDEX),
    "r": (np.array([1, 1]), INDEX),  # the same place twice
    "o": (np.array([1, 9]), INDEX),  # the second is out of range
    "j": (np.array([[0, 2, 1, 0], [2, 2, 0, 1]]), INDEX),  # along axis 0 of x
    "n": (np.array([[0, 1], [2, 3]]), INDEX),  # two places of x
    "p": (np.array([4, 2, 0, 1, 3]), INDEX),  # an order
    "m": (np.array([[True, False, True, False], [False, False, True, True], [True, True, False, False]]), MASK),
    "b": (np.array([True, False, True, True]), MASK),
    "c": (np.array(7), SCALAR),
    "q": (np.zeros((2, 4), "i8"), DATA),  # to be written
    "z": (np.zeros(2, "i8"), DATA),  # to be written
}
DEFAULT = {DATA: "f8", INDEX: "i8", MASK: "?", SCALAR: "i8"}


@dataclasses.dataclass(frozen=True)
class Row:
    """One way to call one function."""

    module: str
    name: str
    form: str
    call: Callable
    reference: Callable | None = None  # of the operands as NumPy arrays; None: the library's function of the same name
    letters: tuple[str, ...] = ()
    # A reason why no answer is compared: results that are drawn, or depend on what was in memory.
    uncompared: str = ""

    @property
    def title(self):
        return f"{self.module}.{self.name}{' ' + self.form if self.form else ''}"


ROWS: list[Row] = []
# Public names that take no operand, by module, and why they have no row.
WITHOUT: dict[str, dict[str, str]] = {}


def row(module, name, call, reference=None, form="", **more):
    parameters = inspect.signature(call).parameters.values()
    more.setdefault("letters", tuple(p.name for p in parameters if p.default is p.empty)[1:])
    ROWS.append(Row(module, name, form, call, reference, **more))


def without(module, reason, *names):
    WITHOUT.setdefault(module, {}).update(dict.fromkeys(names, reason))


NO_ARRAY = "takes no array"
A_CLASS = "a class, held to its library by tests of its own"
A_NUMBER = "a constant"
