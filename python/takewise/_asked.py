"""A mode of PyTorch's that sees what somebody called, and says of bad index values what takewise says: the function that was called,
the position in the index as it was given.

It is made of PyTorch's own functions on the device where the tensors are: `aminmax` before the call, and `nonzero` if a value is
outside. In main memory most calls are made first, and looked at only if they fail.
"""

import builtins
import functools
import sys
import threading

from takewise import _places, exceptions

# The words of one class of PyTorch's for another.
_CLASSES = (builtins.IndexError, builtins.RuntimeError)


@functools.cache
def _mode():
    """The class of the mode: PyTorch is imported by who has it."""
    from torch.overrides import TorchFunctionMode  # type: ignore[import-not-found]

    class IndexErrors(TorchFunctionMode):
        """Looks at index values, in main memory or on every device."""

        def __init__(self, everywhere):
            super().__init__()
            self.everywhere = everywhere
            self.thread = threading.get_ident()
            self.lives = True

        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            found = _places.row(function) if self.lives else None
            if found is None or _is_traced():
                return function(*args, **kwargs)
            return self._watched(found, function, args, kwargs)

        def _watched(self, found, function, args, kwargs):
            row, code, name = found
            if self.everywhere or row.is_first(args, kwargs, code):
                error = _wrong(row, code, name, args, kwargs, self.everywhere)
                if error is not None:
                    raise _given_away(error)
                return function(*args, **kwargs)
            try:
                return function(*args, **kwargs)
            except _CLASSES as error:
                # The kernels have looked at the values of these, and their words for them are ours.
                if row.own:
                    raise
                said = _wrong(row, code, name, args, kwargs, self.everywhere, error)
                if said is None:
                    raise
            raise _given_away(said)

    return IndexErrors


def _given_away(error):
    """An error out of the list in which it was kept, so that no frame keeps it."""
    return error.pop()


def _is_traced():
    import torch  # type: ignore[import-not-found]  # it is there, as one of its functions is

    return torch.compiler.is_compiling() or torch.jit.is_tracing()


def _wrong(row, code, name, args, kwargs, everywhere, theirs=None):
    """The error of a call's first bad index value, in a list; `None` if there is none, or if the call is no call of that function."""
    try:
        looks = [look for look in row.rule(row.arguments(args, kwargs, code)) if _is_readable(look.index, everywhere)]
        bad = next((look for look, ends in zip(looks, _ends(looks), strict=True) if _is_outside(look, ends)), None)
        return None if bad is None else [_said(row, name, bad, theirs)]
    except Exception:  # noqa: BLE001  # Of what is no call of the function's, PyTorch says so.
        return None


def _is_readable(index, everywhere):
    """Whether there are index values, and they can be looked at here and now."""
    import torch

    if index.is_floating_point() or index.is_complex() or index.dtype == torch.bool or not index.numel():
        return False
    if index.device.type == "cuda" and torch.cuda.is_current_stream_capturing():
        return False
    held = index.device.type == "cpu" or everywhere and index.device.type != "meta"
    return held and index.layout == torch.strided and not torch._C._functorch.is_functorch_wrapped_tensor(index)


def _counted(look):
    """The index values with those left out that stand for none: a value that is allowed takes their place."""
    index = look.index.detach()
    if look.ignored is not None:
        index = index.masked_fill(index == look.ignored, 0)
    return index if look.held is None else index.masked_fill(~look.held, 0)


def _ends(looks):
    """The least and the largest value of each: one transfer for them all, if they are on one device."""
    import torch

    ends = [torch.stack(torch.aminmax(_counted(look))).long() for look in looks]
    if len({pair.device for pair in ends}) == 1:
        return torch.stack(ends).tolist()
    return [pair.tolist() for pair in ends]


def _is_outside(look, ends):
    low, high = look.ends()
    # Where there is no place, no value is right, and those that stand for none are no values.
    if low > high:
        return bool((_held(look)).any())
    return ends[0] < low or ends[1] > high


def _held(look):
    """A mask of the values that count."""
    import torch

    index = look.index.detach()
    held = torch.ones_like(index, dtype=torch.bool) if look.held is None else look.held
    return held if look.ignored is None else held & (index != look.ignored)


def _said(row, name, look, theirs):
    """takewise's error of the class that PyTorch raises, with its words before ours."""
    low, high = look.ends()
    index = look.index.detach()
    wrong = ((index < low) | (index > high)) & _held(look)
    places = wrong.nonzero()
    position = tuple(places[0].tolist())
    value, bad = index[position].item(), len(places)
    size = look.length
    of = "" if not position else f" at position {list(position)} of the {look.role}"
    count = f" ({bad} of {index.numel()} values out of range)" if index.numel() > 1 else ""
    first = row.says.format(value=value, axis=look.axis, size=size, role=look.role)
    # What was said of a view may name another axis.
    if theirs is not None and getattr(theirs, "axis", look.axis) == look.axis:
        first = str(theirs).partition("\n")[0]
    lines = [first, f"{name}: axis {look.axis} has length {size}; {'value' if of else 'index'} {value}{of}{count}"]
    lines += _cause(look, value, low)
    kind = row.error if theirs is None else next(c.__name__ for c in _CLASSES if isinstance(theirs, c))
    error = exceptions.CLASSES[kind]("\n  ".join(lines))
    error.axis, error.position, error.value, error.size = look.axis, position, value, size
    return error


def _cause(look, value, low):
    """The likely cause, in the engine's words."""
    if look.most is not None:
        return ["lengths and offsets are never negative"] if value < 0 and look.role != "classes" else []
    if look.length == 0:
        return ["the axis is empty: no index is valid"]
    if value == look.length:
        return [f"the value equals the length: 1-based? valid are 0 to {look.length - 1}"]
    if value < 0 and not low:
        return ["negative values are refused here" + (": padding? use fill" if value == -1 else "")]
    return []


def named(error):
    """A kernel's error as the function of PyTorch's in Python has it that made the call, of which the kernel knows nothing."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("takewise."):
        frame = frame.f_back
    found = frame and _places.row_of_code(frame.f_code, frame.f_globals.get("__name__"))
    if not found:
        return error
    row, code, name = found
    here = frame.f_locals
    said = _wrong(row, code, name, [here.get(argument) for argument in code.co_varnames[: code.co_argcount]], {}, False, error)
    return said.pop() if said else error


def begin(everywhere):
    """Begins to look, in this thread."""
    mode = _mode()(everywhere)
    mode.__enter__()
    return mode


def end(mode):
    """Ends what `begin` began, whatever was entered since, and wherever this is called."""
    import torch.overrides as overrides

    mode.lives = False
    if mode.thread != threading.get_ident():
        return
    above = []
    while overrides._len_torch_function_stack():
        top = overrides._pop_mode()
        if top is mode:
            break
        above.append(top)
    for other in reversed(above):
        overrides._push_mode(other)
