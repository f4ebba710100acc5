"""PyTorch's own indexing calls, run by takewise."""

import collections
import contextlib
import functools
import os
import threading
import warnings
from typing import ClassVar, Literal, Self

from takewise import _shim, _takewise, exceptions

# Operators of PyTorch with a kernel of their own for main memory, by the function or method whose rules they follow.
# Everything else that indexes (``index_put``, ``masked_fill``, ``take_along_dim``, ``embedding``, ``x[...] = y``)
# is made of these.
OPERATORS = {
    "gather": "gather",
    "gather.out": "gather",
    "index.Tensor": "ops.aten.index",
    "index.Tensor_out": "ops.aten.index",
    "_index_put_impl_": "ops.aten._index_put_impl_",
    "index_select": "index_select",
    "index_select.out": "index_select",
    "take": "take",
    "take.out": "take",
    "masked_select": "masked_select",
    "masked_select.out": "masked_select",
    "nonzero": "nonzero",
    "nonzero.out": "nonzero",
    "searchsorted.Tensor": "searchsorted",
    "searchsorted.Tensor_out": "searchsorted",
    "searchsorted.Scalar": "searchsorted",
    "searchsorted.Scalar_out": "searchsorted",
    "bucketize.Tensor": "bucketize",
    "bucketize.Tensor_out": "bucketize",
    "bucketize.Scalar": "bucketize",
    "scatter.src": "scatter",
    "scatter.src_out": "scatter",
    "scatter.value": "scatter",
    "scatter.value_out": "scatter",
    "scatter.reduce": "scatter",
    "scatter.reduce_out": "scatter",
    "scatter.value_reduce": "scatter",
    "scatter.value_reduce_out": "scatter",
    "scatter_.src": "scatter_",
    "scatter_.value": "scatter_",
    "scatter_.reduce": "scatter_",
    "scatter_.value_reduce": "scatter_",
    "scatter_add": "scatter_add",
    "scatter_add.out": "scatter_add",
    "scatter_add_": "scatter_add_",
    "scatter_reduce.two": "scatter_reduce",
    "scatter_reduce.two_out": "scatter_reduce",
    "scatter_reduce_.two": "scatter_reduce_",
    "index_add": "index_add",
    "index_add.out": "index_add",
    "index_add_": "index_add_",
    "index_copy": "index_copy",
    "index_copy.out": "index_copy",
    "index_copy_": "index_copy_",
    "index_reduce": "index_reduce",
    "index_reduce.out": "index_reduce",
    "index_reduce_": "index_reduce_",
    "index_fill_.int_Scalar": "index_fill_",
    "index_fill_.int_Tensor": "index_fill_",
    "masked_fill_.Scalar": "masked_fill_",
    "masked_fill_.Tensor": "masked_fill_",
    "masked_scatter_": "masked_scatter_",
    "put_": "put_",
}


# Calls that PyTorch's own kernel is faster at, where it is one jump away: the most elements they have, as `cargo xtask bench torch`
# found them, and the rule by which they are counted and looked at before (`src/shim/small.rs`).
SMALL = {
    "gather": (512, "along"),
    "gather.out": (1024, "along"),
    "index.Tensor": (256, "keyed"),
    "index.Tensor_out": (256, "keyed"),
    "_index_put_impl_": (256, "stored"),
    "take": (256, "flat"),
    "take.out": (512, "flat"),
    "put_": (256, "put"),
    "searchsorted.Tensor": (256, "sought"),
    "bucketize.Tensor": (256, "first"),
    "scatter.src": (4096, "along"),
    "scatter_.src": (4096, "along"),
    "scatter_add": (4096, "along"),
    "scatter_add_": (4096, "along"),
    "scatter_reduce.two": (4096, "sum"),
    "scatter_reduce_.two": (4096, "sum"),
    "masked_fill_.Scalar": (1024, "first"),
    "masked_fill_.Tensor": (1024, "first"),
    "masked_scatter_": (1024, "room"),
}

# Of these, PyTorch's own kernels write before they have checked.
STRICT = {"masked_scatter_"}


_BYTE = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
_BYTES = ((1, "indices", "byte", False, _BYTE),)
_BYTES_STORED = ((1, "indices", "stored", False, _BYTE),)
_STRIDED = (
    "torch.searchsorted(): {0} tensor is non-contiguous, this will lower the performance due to extra data copy when "
    "converting non-contiguous tensor to contiguous, please use contiguous {0} tensor if possible. This message will only "
    "appear once per program."
)


def _strided(*arguments):
    return tuple((place, name, "strided", True, _STRIDED.format(said)) for place, name, said in arguments)


_SEARCHED = _strided((1, "self", "input value"), (0, "sorted_sequence", "boundary"), (9, "sorter", "sorter"))
_BUCKETS = _strided((0, "self", "input value"), (1, "boundaries", "boundary"))
_BETA = ((0, "self", "always", True, "index_reduce() is in beta and the API may change at any time."),)
_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. "
    "Use torch.scatter_reduce instead for more reduction options."
)
_REDUCES = ((0, "self", "always", True, _REDUCE),)
_MASK = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with dtype "
    "torch.bool instead."
)

# What PyTorch's own kernels warn of, by operator: the place and the name of the argument it is about (beyond the last
# place if it has a name only), what is true of it then, whether it is said once in a process, and the text, by which
# programs filter it.
WARNINGS = {
    "index.Tensor": _BYTES,
    "index.Tensor_out": _BYTES,
    "_index_put_impl_": _BYTES_STORED,
    "masked_scatter_": ((1, "mask", "byte", False, _MASK),),
    "searchsorted.Tensor": _SEARCHED,
    "searchsorted.Tensor_out": _SEARCHED,
    "searchsorted.Scalar": _SEARCHED,
    "searchsorted.Scalar_out": _SEARCHED,
    "bucketize.Tensor": _BUCKETS,
    "bucketize.Tensor_out": _BUCKETS,
    "bucketize.Scalar": _BUCKETS,
    "index_reduce": _BETA,
    "index_reduce.out": _BETA,
    "index_reduce_": _BETA,
    "scatter.reduce": _REDUCES,
    "scatter.reduce_out": _REDUCES,
    "scatter_.reduce": _REDUCES,
}
_said: set[str] = set()


def _warn(text, once):
    """Warns where the call was made; once in this process if so, unless PyTorch is told to say everything always."""
    import torch  # type: ignore[import-not-found]

    if once and text in _said and not torch.is_warn_always_enabled():
        return
    _said.add(text)
    warnings.warn(text, UserWarning, stacklevel=2)


class _Use:
    """Who asks for kernels of one kind: how many contexts are open, and whether it was switched on for good."""

    def __init__(self):
        self.open = 0
        self.always = False

    def __bool__(self):
        return bool(self.open or self.always)


class Calls(tuple[int, int]):
    """How often an operator was run by takewise, and how often PyTorch's own kernel had the call."""

    road: str
    """How PyTorch calls the kernel: ``"C"``, without Python, or ``"Python"``."""

    def __new__(cls, calls: tuple[int, int], road: str) -> Self:
        made = super().__new__(cls, calls)
        made.road = road
        return made


class _Switch:
    """Which kernels PyTorch's dispatcher has at the moment, in this process."""

    def __init__(self):
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            # A child has the kernels put in, or taken out, and never halfway.
            release = self._lock.release
            os.register_at_fork(before=self._lock.acquire, after_in_parent=release, after_in_child=release)
        # The kernels that run operators, and those that check their indices.
        self._kernels = {}
        self._checks = {}
        self._installed = None
        # What the kernels that are in do: "run" the operators, or "check" their indices. The first that is asked for.
        self._doing = None
        self._uses = {"run": _Use(), "check": _Use()}
        # The numbers of those that can do without Python, once that was asked: those whose arguments come through the interface,
        # and those on the direct road. Of those that check, the latter. And the operators that take a road without Python, or did last.
        self._numbers = None
        self._checked = None
        self._taken = {"run": set(), "check": set()}
        # Tests have all of them take another road: "Python", or "C", the interface alone.
        self.road = None
        # A thread may have looked a kernel up and be waiting for the interpreter's lock while another takes it out,
        # and PyTorch does not keep it alive for the one that waits. So the last ones are kept here.
        self._retired = collections.deque(maxlen=64)

    def change(self, what="run", uses=0, always=None):
        """Counts users, and puts the kernels in or takes them out as that asks for."""
        with self._lock:
            use = self._uses[what]
            before = (use.open, use.always)
            use.open += uses
            use.always = use.always if always is None else always
            try:
                self._settle()
            except BaseException:
                use.open, use.always = before
                raise

    def _settle(self):
        wanted = next((what for what, use in self._uses.items() if use), None)
        if wanted == self._doing:
            return
        if self._installed is not None:
            installed, self._installed, self._doing = self._installed, None, None
            installed.take_out()
        if wanted is not None:
            self._installed, self._doing = self._install(wanted), wanted

    def is_on(self):
        """Whether takewise runs the operators."""
        with self._lock:
            return self._doing == "run"

    def calls(self, what="run"):
        with self._lock:
            kernels = self._kernels if what == "run" else {overload: check.kernel for overload, check in self._checks.items()}
            taken = self._taken[what]
            return {
                overload: Calls(kernel.calls, "C" if overload in taken else "Python")
                for overload, kernel in kernels.items()
            }

    def _kernel(self, overload, native):
        """The kernel of ours that runs an operator."""
        if overload not in self._kernels:
            strict, warned = overload in STRICT, WARNINGS.get(overload)
            self._kernels[overload] = _takewise.Kernel(OPERATORS[overload], strict, warned, _warn)
        self._kernels[overload].over(native)
        return self._kernels[overload]

    def _check(self, overload, native):
        """The kernel of ours that checks an operator's indices."""
        from takewise import _errors

        if overload not in self._checks:
            self._checks[overload] = _errors.Checking(overload)
        self._checks[overload].over(native)
        return self._checks[overload]

    def _checked_directly(self):
        """The numbers of the operators whose indices are looked at without Python."""
        if self._checked is None:
            self._checked = {k: n for n, k in enumerate(OPERATORS) if k in self._checks and self._checks[k].number(n)}
        return {} if self.road else self._checked

    def _without_python(self):
        """The numbers of the operators whose kernels PyTorch can call without Python: through its interface, and directly."""
        if self._numbers is None:
            found = {k: (n, *_shim.number(n, k, self._kernels[k], SMALL.get(k))) for n, k in enumerate(OPERATORS)}
            by_interface = {k: n for k, (n, handed_over, _) in found.items() if handed_over}
            self._numbers = by_interface, {k: n for k, (n, _, directly) in found.items() if directly}
        by_interface, directly = self._numbers
        return {} if self.road == "Python" else by_interface, {} if self.road else directly

    def _install(self, doing):
        import torch  # type: ignore[import-not-found]  # asked for by who has it

        from takewise import _errors

        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        library, shim, kernels = torch.library.Library("aten", "IMPL"), None, {}
        try:
            chosen = list(OPERATORS if doing == "run" else _errors.CHECKED)
            for overload in chosen:
                native = functools.partial(torch.library.get_kernel(f"aten::{overload}", "CPU").call_boxed, keys)
                kernels[overload] = (self._kernel if doing == "run" else self._check)(overload, native)
            numbers, directly = self._without_python() if doing == "run" else ({}, self._checked_directly())
            direct = _shim.direct(directly, beside=doing == "check") if directly else None
            with warnings.catch_warnings():
                # PyTorch says so of the first kernel that anybody replaces.
                warnings.filterwarnings("ignore", ".*other operators may also be overridden")
                for overload, kernel in kernels.items():
                    if overload not in numbers:
                        library.impl(overload, kernel, "CPU", allow_override=True)
                shim = _takewise.Shim("aten", list(numbers.items())) if numbers else None
            taken = set(numbers)
            if direct is not None:
                there = set(direct.put_in())
                taken.update(overload for overload, number in directly.items() if number in there)
            self._taken[doing] = taken
            installed = [torch.library.get_kernel(f"aten::{overload}", "CPU") for overload in chosen]
        except BaseException:
            _Installed(library, shim).take_out()
            raise
        self._retired.append(installed)
        return _Installed(library, shim)


class _Installed:
    """The kernels that are in: those in Python, and those without."""

    def __init__(self, library, shim):
        self._parts = library, shim

    def take_out(self):
        library, shim = self._parts
        library._destroy()
        if shim is not None:
            shim.destroy()


_switch = _Switch()


class _Context(contextlib.ContextDecorator):
    """What is in force until it is left. One object may be entered again, before it is left and on several threads."""

    _what: str

    def __init__(self) -> None:
        # What each entry began, with the thread that made it.
        self._entered: list[tuple[int, object]] = []

    def _begin(self) -> object:
        """What an entry begins beside the kernels, on this thread."""

    def _end(self, begun: object) -> None:
        """Ends that."""

    def __enter__(self) -> Self:
        _switch.change(self._what, uses=1)
        try:
            self._entered.append((threading.get_ident(), self._begin()))
        except BaseException:
            _switch.change(self._what, uses=-1)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        begun = self._left()
        if begun is not None:
            self._end(begun[1])
            _switch.change(self._what, uses=-1)

    def _left(self):
        """The entry that is left: this thread's last one, or else the last. `None` if all are left already."""
        with _leaving:
            places = range(len(self._entered) - 1, -1, -1)
            here = next((k for k in places if self._entered[k][0] == threading.get_ident()), -1)
            return self._entered.pop(here) if self._entered else None


_leaving = threading.Lock()


class accelerate_torch(_Context):
    """Runs PyTorch's own indexing calls on takewise, for tensors in main memory.

    As a context manager or a decorator it does so until it is left; contexts may nest. ``enable()`` does so until
    ``disable()``. Either way it holds for the whole process, all threads included. Autograd, ``torch.func``,
    ``torch.no_grad`` and ``torch.compile`` stay PyTorch's own: only what is computed below them is replaced.

    Results, dtypes, strides and errors are PyTorch's, except where it is wrong or leaves the result open (see
    ``docs/python.md``). What takewise has no answer to (other layouts, devices and dtypes, an ``out=`` of another shape)
    goes to PyTorch's own kernel.

    >>> import pytest, takewise
    >>> torch = pytest.importorskip("torch")
    >>> x, index = torch.tensor([10.0, 20.0, 30.0], requires_grad=True), torch.tensor([2, 0])
    >>> with takewise.accelerate_torch():
    ...     x[index].sum().backward()
    >>> x.grad
    tensor([1., 0., 1.])
    """

    _what = "run"

    def enable(self) -> Self:
        """Keeps PyTorch's calls on takewise until ``disable()``, whoever leaves a context meanwhile."""
        _switch.change(always=True)
        return self

    def disable(self) -> Self:
        """Ends what ``enable()`` began; contexts still open stay in force."""
        _switch.change(always=False)
        return self

    @staticmethod
    def calls() -> dict[str, Calls]:
        """How often each operator was called in this process: by takewise, and handed on to PyTorch's own kernel.

        The ``road`` of each says whether PyTorch calls its kernel without Python (``"C"``) or by way of it.
        """
        return _switch.calls()


class torch_errors(_Context):
    """Says in PyTorch's own indexing calls what is wrong with an index, and leaves their work to PyTorch's own kernels.

    A bad index in a model raises the class of error that PyTorch raises, with takewise's message: the function that was called, the
    axis, the position in the index as it was given, the value, the size of the axis and how many values are bad. Such a call has
    written nothing. Calls with good indices are PyTorch's own.

    It looks at the indices of subscripts, of the functions that gather, scatter, select and embed, at the classes of ``one_hot`` and
    of losses, and at the lengths and offsets of ``ctc_loss``, ``segment_reduce`` and ``embedding_bag``.

    With ``device="cpu"`` these are tensors in main memory. Their index values are looked at by kernels: where that is done without
    Python, a small call costs 30 to 80 nanoseconds more, else a Python function for each (1 to 4 microseconds). They are in for the
    whole process. On the thread that entered, a mode of PyTorch's adds what only the function knows that was called: each of
    PyTorch's functions costs more there.

    With ``device="any"`` they are tensors on any device, on the thread that entered: PyTorch's own ``aminmax`` looks at the index
    before the kernel runs. So a bad index raises on a GPU too, where otherwise the process would lose the device. Each such call
    waits for the device once. That is for finding a fault, and not for training.

    It is switched as `accelerate_torch` is: as a context manager or a decorator until it is left, by ``enable()`` until
    ``disable()``. While `accelerate_torch` is on as well, its kernels run, which say the same.

    >>> import pytest, takewise
    >>> torch = pytest.importorskip("torch")
    >>> rows, index = torch.zeros(4, 2), torch.tensor([1, 3, 7])
    >>> with takewise.torch_errors():
    ...     rows[index]
    Traceback (most recent call last):
        ...
    takewise.exceptions.IndexError: ...
    """

    _what = "check"
    # The modes that `enable()` began.
    _kept: ClassVar[list[object]] = []

    def __init__(self, *, device: Literal["cpu", "any"] = "cpu") -> None:
        super().__init__()
        if device not in ("cpu", "any"):
            raise exceptions.ValueError(f'torch_errors(): device must be "cpu" or "any", not {device!r}')
        self._everywhere = device == "any"

    def _begin(self) -> object:
        from takewise import _asked

        return _asked.begin(self._everywhere)

    def _end(self, begun: object) -> None:
        from takewise import _asked

        _asked.end(begun)

    def enable(self) -> Self:
        """Keeps the messages until ``disable()``, whoever leaves a context meanwhile."""
        _switch.change(self._what, always=True)
        self._kept.append(self._begin())
        return self

    def disable(self) -> Self:
        """Ends what ``enable()`` began; contexts still open stay in force."""
        _switch.change(self._what, always=False)
        while self._kept:
            self._end(self._kept.pop())
        return self

    @staticmethod
    def calls() -> dict[str, Calls]:
        """How often each operator with indices was called in this process while they were checked.

        The first number is how often takewise was asked what is wrong, the second how often PyTorch's own kernel had the call.
        The ``road`` of each says whether index values are looked at without Python (``"C"``) or by way of it.
        """
        return _switch.calls("check")
