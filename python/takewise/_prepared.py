"""Positions along an axis that are kept: checked, sorted and counted once, and used for many arrays."""

from __future__ import annotations

import functools
import sys
from typing import Any, Literal

import numpy as np

from takewise import _takewise, exceptions


class Prepared:
    """What :func:`takewise.prepare` gives: positions that are known to be good, and what is known of them.

    It keeps a copy of the index, so that nobody changes it. It can be pickled. Results are those of the functions named, and
    their gradients are taken by the same positions: that of ``take`` is ``sum``, and the other way round.
    """

    def __init__(
        self, index: Any, shape: Any, axis: int, bounds: Any = None, negative: bool | None = None, sorted: bool | None = None, unique: bool | None = None
    ) -> None:
        self.shape = tuple(int(n) for n in shape)
        if not -len(self.shape) <= axis < len(self.shape):
            raise exceptions.IndexError(f"prepare(): axis {axis} is not among the {len(self.shape)} axes of {list(self.shape)}")
        self.axis = axis % len(self.shape)
        self.index = _checked(index, self.shape[self.axis], self.axis, bounds, negative)
        self._sorted, self._unique = sorted, unique
        self._tensors: dict[Any, Any] = {}
        for name, asked, found in (("sorted", sorted, "is_sorted"), ("unique", unique, "is_unique")):
            if asked and not getattr(self, found):
                raise exceptions.ValueError(f"prepare(): {name}=True, and {self._wrong(name)}")

    def _wrong(self, name: str) -> str:
        flat = self.index.reshape(-1)
        if name == "sorted":
            at = int(np.argmax(flat[1:] < flat[:-1])) + 1
            return f"{flat[at]} stands behind {flat[at - 1]} at position {at} of the index"
        value = int(np.argmax(self.counts))
        first, second = np.flatnonzero(flat == value)[:2].tolist()
        return f"{value} stands at positions {first} and {second} of the index"

    @functools.cached_property
    def is_sorted(self) -> bool:
        """Whether no position is less than the one before it."""
        flat = self.index.reshape(-1)
        return bool((flat[1:] >= flat[:-1]).all())

    @functools.cached_property
    def is_unique(self) -> bool:
        """Whether no position comes twice."""
        return bool((self.counts <= 1).all())

    @functools.cached_property
    def counts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How often each place along the axis is named."""
        return _fixed(np.bincount(self.index.reshape(-1), minlength=self.shape[self.axis]))

    @functools.cached_property
    def _offsets(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Where the values of each place begin, and the last end, once they are in order."""
        return _fixed(np.concatenate(([0], np.cumsum(self.counts))))

    @functools.cached_property
    def _order(self) -> np.ndarray[Any, np.dtype[np.int64]] | None:
        """What puts the values in the order of their places; ``None`` where they are."""
        return None if self.is_sorted else _fixed(np.argsort(self.index.reshape(-1), kind="stable"))

    def take(self, x: Any) -> Any:
        """The elements of ``x`` at the positions: ``takewise.take(x, index, axis)``.

        >>> import numpy as np, takewise
        >>> rows = takewise.prepare([2, 0, 2], shape=(3, 2))
        >>> rows.take(np.array([[1, 2], [3, 4], [5, 6]]))
        array([[5, 6],
               [1, 2],
               [5, 6]])
        """
        if tuple(x.shape) != self.shape:
            raise exceptions.ValueError(f"Prepared.take(): x has shape {list(x.shape)}, and {list(self.shape)} is prepared")
        return _library(x).take(self, x)

    def sum(self, values: Any) -> Any:
        """An array of the shape that is prepared: at each place the sum of the values that name it, zero where none does.

        It is ``takewise.index_add`` into zeros. The values of a place are added in the order of the index.

        >>> import numpy as np, takewise
        >>> groups = takewise.prepare([0, 2, 0], shape=(3,))
        >>> groups.sum(np.array([1.0, 2.0, 3.0]))
        array([4., 0., 2.])
        >>> groups.counts
        array([2, 0, 1])
        """
        return _library(values).sum(self, self._values(values, "sum"))

    def reduce(self, values: Any, how: Literal["sum", "mean", "min", "max", "prod"] = "sum", empty: Any = None) -> Any:
        """As ``sum`` for other ways to combine values: see ``takewise.reduce_ranges``, also for what stands where none is.

        >>> import numpy as np, takewise
        >>> takewise.prepare([0, 2, 0], shape=(3,)).reduce(np.array([1.0, 2.0, 3.0]), "max", empty=0)
        array([3., 0., 2.])
        """
        return self._reduced(self._values(values, "reduce"), how, empty)

    def add(self, x: Any, values: Any) -> Any:
        """``x`` with values added at the positions: a new array.

        >>> import numpy as np, takewise
        >>> takewise.prepare([0, 0], shape=(2,)).add(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        array([8., 2.])
        """
        return x + self.sum(values)

    def _values(self, values: Any, name: str) -> Any:
        """Values with one axis for the positions."""
        before, after = self.shape[: self.axis], self.shape[self.axis + 1 :]
        wanted = (*before, *self.index.shape, *after)
        if tuple(values.shape) != wanted:
            raise exceptions.ValueError(f"Prepared.{name}(): the values have shape {list(values.shape)}, and {list(wanted)} is prepared")
        return values if self.index.ndim == 1 else values.reshape((*before, self.index.size, *after))

    def _reduced(self, values: Any, how: str, empty: Any = None) -> Any:
        offsets, ids = self._offsets, self._order
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(values, torch.Tensor):
            offsets = torch.from_numpy(offsets.copy())
            ids = None if ids is None else torch.from_numpy(ids.copy())
        combined: Any = _takewise.reduce_ranges
        return combined(values, offsets, how, ids, axis=self.axis, empty=empty)

    def _tensor(self, device: Any) -> Any:
        """The positions as a vector of PyTorch's."""
        if device not in self._tensors:
            import torch  # type: ignore[import-not-found]  # it is there, as one of its tensors is

            self._tensors[device] = torch.from_numpy(self.index.reshape(-1).copy()).to(device)
        return self._tensors[device]

    def __reduce__(self) -> Any:
        return Prepared, (self.index, self.shape, self.axis, None, None, self._sorted, self._unique)

    def __repr__(self) -> str:
        return f"Prepared({self.index.size} positions along axis {self.axis} of {list(self.shape)})"


def prepare(
    index: Any,
    shape: Any,
    axis: int = 0,
    *,
    bounds: Literal["raise", "wrap", "clip"] | None = None,
    negative: bool | None = None,
    sorted: bool | None = None,
    unique: bool | None = None,
) -> Prepared:
    """Checks positions along an axis of arrays of ``shape`` once, for use with many arrays.

    ``index`` are integers of any library and rank. ``bounds`` is ``"raise"``, ``"wrap"`` or ``"clip"``. With ``sorted=True`` or
    ``unique=True`` an index that is not so is refused; what is not said is found out when it is needed. The index is copied. Cost:
    one pass over it; where sums are asked for and it is not sorted, one sort.

    >>> import numpy as np, takewise
    >>> edges = takewise.prepare([0, 0, 2], shape=(3, 4), sorted=True)
    >>> edges.is_sorted, edges.is_unique
    (True, False)
    >>> x = np.ones((3, 4))
    >>> edges.sum(edges.take(x))[:, 0]
    array([2., 0., 1.])
    """
    return Prepared(index, shape, axis, bounds, negative, sorted, unique)


def _checked(index: Any, size: int, axis: int, bounds: Any, negative: bool | None) -> Any:
    """A copy of the positions, each from 0 on and in range."""
    if bounds in ("fill", "drop"):
        raise exceptions.ValueError(f'prepare(): bounds="{bounds}" leaves positions out: choose those that are good before')
    try:
        found = _takewise.take(np.arange(size), index, 0, bounds=bounds, negative=negative)
    except exceptions.IndexError as error:
        text = str(error).replace("take:", "prepare:", 1).replace("axis 0", f"axis {axis}", 1)
        said = exceptions.IndexError(text)
        said.__dict__.update(error.__dict__)
        said.__dict__["axis"] = axis
        raise said from None
    return _fixed(np.array(found, dtype=np.int64))


def _fixed(array: Any) -> Any:
    array.flags.writeable = False
    return array


class _Plain:
    """Arrays of NumPy's, of takewise's own, in files, and all others that its functions take."""

    @staticmethod
    def take(at: Prepared, x: Any) -> Any:
        return _takewise.take(x, at.index, at.axis)

    @staticmethod
    def sum(at: Prepared, values: Any) -> Any:
        if isinstance(values, np.ndarray):
            return _takewise.index_add_(np.zeros(at.shape, values.dtype), at.axis, at.index.reshape(-1), values)
        return at._reduced(values, "sum")


class _PyTorch:
    """PyTorch's tensors: in main memory by our functions, which PyTorch knows the gradients of, elsewhere by its own."""

    @staticmethod
    def take(at: Prepared, x: Any) -> Any:
        import takewise

        index = at._tensor(x.device)
        taken = takewise.take(x, index, at.axis) if x.device.type == "cpu" else x[(slice(None),) * at.axis + (index,)]
        return taken.reshape((*at.shape[: at.axis], *at.index.shape, *at.shape[at.axis + 1 :]))

    @staticmethod
    def sum(at: Prepared, values: Any) -> Any:
        import takewise

        add = (takewise if values.device.type == "cpu" else sys.modules["torch"]).index_add
        return add(values.new_zeros(at.shape), at.axis, at._tensor(values.device), values)


class _Jax:
    """JAX's arrays, traced ones too: JAX is told what is known of the positions."""

    @staticmethod
    def take(at: Prepared, x: Any) -> Any:
        return _Jax._places(at, x).get(mode="promise_in_bounds", indices_are_sorted=at.is_sorted, unique_indices=at.is_unique)

    @staticmethod
    def sum(at: Prepared, values: Any) -> Any:
        zeros = sys.modules["jax"].numpy.zeros(at.shape, values.dtype)
        places = _Jax._places(at, zeros, at.index.reshape(-1))
        return places.add(values, mode="promise_in_bounds", indices_are_sorted=at.is_sorted, unique_indices=at.is_unique)

    @staticmethod
    def _places(at: Prepared, x: Any, index: Any = None) -> Any:
        return x.at[(slice(None),) * at.axis + (at.index if index is None else index,)]


def _library(x: Any) -> Any:
    for library, kind, answers in (("torch", "Tensor", _PyTorch), ("jax", "Array", _Jax)):
        if library in sys.modules and isinstance(x, getattr(sys.modules[library], kind)):
            return answers
    return _Plain

