"""Rows that are read together, for PyTorch's ``DataLoader``."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

# Where PyTorch says what a batch of elements of a class becomes.
_COLLATE = "torch.utils.data._utils.collate"


class Row(np.ndarray[Any, Any]):
    """A row of a :class:`Batch`: an array as any other, of a class by which PyTorch finds how a batch of them is made."""


class Batch(Sequence[Any]):
    """The rows of an array that were read by one call, as a sequence of them."""

    __slots__ = ("whole",)

    def __init__(self, whole: "np.ndarray[Any, Any]") -> None:
        self.whole = whole

    def __len__(self) -> int:
        return len(self.whole)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self[k] for k in range(*row.indices(len(self)))]
        return self.whole[row].view(Row)


def batch(whole: Any) -> Sequence[Any]:
    """The rows of what was read. ``default_collate`` makes of those of NumPy's arrays the tensor that it makes of a list of them, at
    once."""
    if not isinstance(whole, np.ndarray) or whole.ndim < 2 or whole.dtype.kind not in "biufc":
        return list(whole)
    module = sys.modules.get(_COLLATE)
    if module is not None:
        module.default_collate_fn_map.setdefault(Row, _collated)
    return Batch(whole)


def _collated(rows: Any, *, collate_fn_map: Any = None) -> Any:
    if isinstance(rows, Batch):
        # PyTorch is here: its loader has called.
        return sys.modules["torch"].as_tensor(rows.whole)
    return collate_fn_map[np.ndarray](rows, collate_fn_map=collate_fn_map)
