"""Kernels that check the indices of PyTorch's operators, and say of bad ones what takewise says."""

from takewise import _catalogue, _takewise, exceptions
from takewise._operators import OPERATORS


def _along(x, dim, index, *rest):
    """Index values of an operator with an axis, each beside the length of what they name places of."""
    return [(index, x.shape[dim] if x.dim() else 1)]


def _flat(x, index, *rest):
    return [(index, x.numel())]


def _keyed(x, indices, *rest):
    found, axis = [], 0
    for index in indices:
        if index is None:
            axis += 1
        elif index.dtype.itemsize == 1 and not index.dtype.is_signed:
            # A mask, of bools or bytes: it names no places that could be outside.
            axis += index.dim()
        else:
            found.append((index, x.shape[axis]))
            axis += 1
    return found


def _looked_at(overload):
    """What is looked at of the arguments of an operator, by what its function's are for; `None` where no index is among them."""
    function = OPERATORS[overload]
    if function not in _catalogue.ROLES:
        return _keyed
    roles = _catalogue.ROLES[function].values()
    return None if "Index" not in roles else _along if "Axis" in roles else _flat


CHECKED = [overload for overload in OPERATORS if _looked_at(overload)]


class Checking:
    """A kernel that calls PyTorch's own, and has takewise say what is wrong with bad index values."""

    def __init__(self, overload):
        # It counts too: the calls it was asked about, and those that were PyTorch's.
        self.kernel = _takewise.Kernel(OPERATORS[overload])
        self._look = _looked_at(overload)
        self._lowest = self._look in (_flat, _keyed) or overload.startswith("index_fill_")
        self._writes = overload.split(".")[0].endswith("_") or overload.endswith("out")
        self._native = None

    def over(self, native):
        """Sets PyTorch's own."""
        self._native = native

    def __call__(self, *args, **kwargs):
        if not self._writes:
            return self._behind(args, kwargs)
        # Said before anything is written.
        found = self._explained(args, kwargs) if self._bad(args) else None
        if isinstance(found, exceptions.Error):
            try:
                raise found
            finally:
                # The error has this frame.
                found = None
        return self._ask(args, kwargs) if found is None else found

    def _ask(self, args, kwargs):
        result = self._native(*args, **kwargs)
        self.kernel.passed()
        return result

    def _behind(self, args, kwargs):
        try:
            return self._ask(args, kwargs)
        except (IndexError, RuntimeError):
            found = self._explained(args, kwargs) if self._bad(args) else None
            if not isinstance(found, exceptions.Error):
                raise
        try:
            raise found
        finally:
            found = None

    def _bad(self, args):
        """Whether an index value is outside; what is no index at all is left to PyTorch."""
        try:
            return any(_is_outside(index, size, self._lowest) for index, size in self._look(*args))
        except (AttributeError, IndexError, RuntimeError, TypeError):
            return False

    def _explained(self, args, kwargs):
        """What takewise says: its error, or the result if it has nothing to say; `None` where it has no answer."""
        try:
            return self.kernel(*args, **kwargs)
        except exceptions.Error as error:
            return error if error.value is not None else None
        except Exception:  # noqa: BLE001  # What takewise has no answer to has PyTorch's own error.
            return None


def _is_outside(index, size, lowest):
    """Whether a value lies outside an axis of this length, whose places are counted from its start or from its end too."""
    if not index.numel():
        return False
    for axis, step in enumerate(index.stride()):
        if not step:
            # PyTorch makes whole-row sums of stores along an index that is stretched.
            index = index.narrow(axis, 0, 1)
    low, high = index.aminmax()
    return low.item() < -size * lowest or high.item() >= size
