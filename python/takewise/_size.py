"""The shape of a tensor as PyTorch shows it."""


class Size(tuple):
    """A shape: a tuple of ints that prints as ``torch.Size([2, 3])``."""

    __slots__ = ()

    def numel(self):
        """The number of elements of a tensor of this shape."""
        count = 1
        for extent in self:
            count *= extent
        return count

    def __repr__(self):
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    def __getitem__(self, key):
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other):
        return Size(super().__add__(tuple(other)))

    def __mul__(self, times):
        return Size(super().__mul__(times))

    __rmul__ = __mul__
