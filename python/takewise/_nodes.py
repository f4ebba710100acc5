"""Operations gradients flow back through, as ``x.grad_fn`` gives them."""

class Node:
    """An operation on the way back. Its class is called after it; equal ones are the same operation."""

    __slots__ = ("__weakref__", "_at")

    def name(self):
        """The operation's name, with PyTorch's namespace where it has one there."""
        return self._at.name()

    @property
    def next_functions(self):
        """Where gradients go from here: a pair of an operation, or ``None``, and 0 for every operand."""
        return tuple((after, 0) for after in self._at.next())

    def __eq__(self, other):
        return self._at == other._at if isinstance(other, Node) else NotImplemented

    def __hash__(self):
        return hash(self._at)

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"


_kinds: dict[str, type[Node]] = {}


def make(name, at):
    """The operation ``at`` as an object of the class called ``name``."""
    if name not in _kinds:
        _kinds[name] = type(name, (Node,), {"__slots__": ()})
    made = _kinds[name]()
    made._at = at
    return made
