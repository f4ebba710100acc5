"""The schema and the kernel of an operator, made of the catalogue: an operator has its function's arguments, by their roles."""

import inspect
from typing import Any, NamedTuple

from takewise import _catalogue, _takewise

# The type of an argument in a schema, with its default where the function has another. Those of other roles are seen to before
# an operator is called.
_TYPES = {
    **dict.fromkeys(("Data", "Index", "Mask", "Values", "Array", "Sequence", "Sought"), "Tensor"), "Key": "Tensor?[]",
    **dict.fromkeys(("Sorter", "Offsets", "Starts", "Stops", "Lengths"), "Tensor?"),
    "Axis": "int", "AxisOrNone": "int?", "Reduce": 'str="none"', "HasReduce": "str", "IncludeSelf": "bool", "Factor": "Scalar=1",
    "Accumulate": "bool", "Narrow": "bool", "Right": "bool", "Side": "str?", "Bounds": 'str="raise"', "Negative": "bool=True",
    "Fill": "Scalar?", "Duplicates": "str?", "Casting": "str?", "Threads": "int?",
}  # fmt: skip
# What formulas call the arguments that functions have different names for.
_FORMULAS = {"Data": "x", "Index": "index", "Values": "src", "Array": "src"}


class Argument(NamedTuple):
    """An argument of an operator."""

    name: str
    role: str
    declared: str
    """Its place in the schema."""
    positional: bool
    """Whether our function takes it by position."""

    @property
    def formula(self) -> str:
        """What formulas call it."""
        return _FORMULAS.get(self.role, self.name)


def signature(function: str) -> "list[inspect.Parameter]":
    return list(inspect.signature(getattr(_takewise, function)).parameters.values())


def arguments(operator: str, types: "dict[str, str | None]") -> list[Argument]:
    """The arguments of an operator, in their order; ``types`` says what those with some roles are instead, ``None`` for none."""
    function, found = operator.partition(".")[0], []
    for parameter in signature(function):
        role = _catalogue.ROLES[function][parameter.name]
        declared = types.get(role, _TYPES.get(role))
        if declared is None:
            continue
        kind, _, default = declared.partition("=")
        if not default and parameter.default is not parameter.empty:
            default = str(parameter.default)
        kind, _, name = kind.partition(" ")
        text = f"{kind} {name or parameter.name}" + (f"={default}" if default else "")
        found.append(Argument(name or parameter.name, role, text, parameter.kind is parameter.POSITIONAL_OR_KEYWORD))
    return found


def kernel(name: str, takes: list[Argument]) -> Any:
    """Our function, with the arguments of an operator in their order."""
    function = getattr(_takewise, name.partition(".")[0])
    count, names = sum(one.positional for one in takes), [one.name for one in takes if not one.positional]

    def run(*args: Any) -> Any:
        # The dispatcher leaves arguments out that are as by default.
        return function(*args[:count], **dict(zip(names, args[count:], strict=False)))

    return run
