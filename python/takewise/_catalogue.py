"""What the catalogue of operations (the crate ``takewise-operations``) says, by the names of functions."""

from takewise import _takewise

_ALL = _takewise._operations()

NAMES: frozenset[str] = frozenset(operation.name for operation in _ALL)

# Of each function: what its parameters are for.
ROLES: dict[str, dict[str, str]] = {operation.name: operation.roles for operation in _ALL}

# Of each function: its parameters that take arrays.
ARRAYS = {operation.name: operation.arrays for operation in _ALL}

# The functions that write into their first argument.
IN_PLACE: frozenset[str] = frozenset(operation.name for operation in _ALL if operation.in_place)

# The functions that the library of an array has itself, and that get the call there.
THEIRS: frozenset[str] = frozenset(operation.name for operation in _ALL if operation.theirs)

# The functions for which a list of positions along an axis is for all places of the other axes.
BY_LIST: frozenset[str] = frozenset(operation.name for operation in _ALL if operation.by_list)

# The functions of subscripts that mean what they mean between brackets.
BY_SUBSCRIPT: frozenset[str] = frozenset(operation.name for operation in _ALL if operation.by_subscript)


def writes(name: str) -> bool:
    """Whether a function, or a method of ``at(x)[key]``, writes into its first argument."""
    return name in IN_PLACE or name.startswith("at.") and name.endswith("_")
