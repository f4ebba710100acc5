"""Subscripts, taken apart: what PyTorch's own views can do is left to them, and index tensors to our operators."""

from takewise import exceptions
from takewise._torch._here import torch


def places(index, x):
    """An index array as a tensor."""
    if isinstance(index, torch.Tensor):
        return index
    found = torch.as_tensor(index, device=x.device)
    return found.to(torch.int64) if found.numel() == 0 else found


class Opened:
    """A subscript of ``x``: a view of it, and an index tensor or `None` for each axis of the view (several axes for a mask)."""

    def __init__(self, x, key, negative=True):
        entries = list(key) if isinstance(key, tuple) else [key]
        for k, entry in enumerate(entries):
            if isinstance(entry, bool):
                raise exceptions.TypeError("takewise: True and False are no subscripts of a tensor with gradients")
            if not (entry is None or entry is Ellipsis or isinstance(entry, (int, slice, torch.Tensor))):
                entries[k] = places(entry, x)
        used = 0
        for entry in entries:
            if isinstance(entry, torch.Tensor) and entry.dtype == torch.bool:
                used += entry.ndim
            elif entry is not None and entry is not Ellipsis:
                used += 1
        if used > x.ndim:
            text = f"too many indices for tensor of dimension {x.ndim}: {used} are given"
            raise exceptions.IndexError(text)
        gap = [slice(None)] * (x.ndim - used)
        rest = [k for k, entry in enumerate(entries) if entry is Ellipsis]
        if len(rest) > 1:
            raise exceptions.IndexError("an index can only have a single ellipsis ('...')")
        entries = [*entries[: rest[0]], *gap, *entries[rest[0] + 1 :]] if rest else [*entries, *gap]
        self._split(x, entries, negative)

    def _split(self, x, entries, negative):
        shown, indices, turned, axis = [], [], [], 0
        arrays = any(isinstance(entry, torch.Tensor) for entry in entries)
        for entry in entries:
            width = entry.ndim if isinstance(entry, torch.Tensor) and entry.dtype == torch.bool else entry is not None
            if isinstance(entry, torch.Tensor):
                shown.extend([slice(None)] * width)
                indices.append(entry)
            elif isinstance(entry, int) and not arrays and (-x.shape[axis] if negative else 0) <= entry < x.shape[axis]:
                shown.append(entry)
            elif isinstance(entry, int):
                shown.append(slice(None))
                indices.append(torch.tensor(entry, device=x.device))
            elif isinstance(entry, slice) and entry.step is not None and entry.step < 0:
                start, stop, step = entry.indices(x.shape[axis])
                count = max(0, (start - stop - step - 1) // -step)
                last = start + (count - 1) * step
                turned.append(sum(not isinstance(item, int) for item in shown))
                shown.append(slice(last, start + 1, -step) if count else slice(0, 0))
                indices.append(None)
            else:
                shown.append(entry)
                indices.append(None)
            axis += width
        view = x[tuple(shown)] if any(entry != slice(None) for entry in shown) else x
        self.turned = turned
        self.view = view.flip(turned) if turned else view
        while indices and indices[-1] is None:
            indices.pop()
        self.indices = indices

    def axes(self):
        """The axis of the view at which each entry begins."""
        found, axis = [], 0
        for index in self.indices:
            found.append(axis)
            axis += index.ndim if index is not None and index.dtype == torch.bool else 1
        return found
