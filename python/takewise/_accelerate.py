"""PyTorch's own indexing calls, run by takewise."""

import collections
import contextlib
import functools
import threading
import warnings
from collections.abc import Iterable
from typing import ClassVar, Literal, Self

from takewise import _errors, _operators, _shim, _start, _takewise, exceptions
from takewise._operators import OPERATORS

_said: set[str] = set()


def _warn(text, once):
    """Warns where the call was made; once in this process if so, unless PyTorch is told to say everything always."""
    import torch  # type: ignore[import-not-found]

    if once and text in _said and not torch.is_warn_always_enabled():
        return
    _said.add(text)
    warnings.warn(text, UserWarning, stacklevel=2)


class _Use:
    """Who asks for kernels of one kind: the operators of every open context, counted, and those switched on for good."""

    def __init__(self):
        self.open = collections.Counter()
        self.always = frozenset()

    def operators(self):
        return self.always.union(*+self.open)


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
        # A child has the kernels put in, or taken out, and never halfway.
        self.lock = _start.switching
        # The kernels that run operators, and those that check their indices.
        self._kernels = {}
        self._checks = {}
        self._installed = None
        # What the kernels that are in do, by operator: "run" it, or "check" its indices.
        self._doing = {}
        self._uses = {"run": _Use(), "check": _Use()}
        # The numbers of those that PyTorch can call without Python, once that was asked; `None` for others.
        self._numbers = {}
        # Tests have all of them called by way of Python.
        self.road = None
        # A thread may have looked a kernel up and be waiting for the interpreter's lock while another takes it out,
        # and PyTorch does not keep it alive for the one that waits. So the last ones are kept here.
        self._retired = collections.deque(maxlen=64)

    @contextlib.contextmanager
    def _changing(self, what):
        """Puts the kernels in that are asked for afterwards, and takes out the others."""
        with self.lock:
            use = self._uses[what]
            before = use.open.copy(), use.always
            try:
                yield use
                self._settle()
            except BaseException:
                use.open, use.always = before
                raise

    def begin(self, what, operators):
        """Has kernels for these operators until as many ends as begins were said."""
        with self._changing(what) as use:
            use.open[operators] += 1

    def end(self, what, operators):
        with self._changing(what) as use:
            use.open[operators] -= 1

    def keep(self, what, operators):
        """Has kernels for these operators, besides those kept already, until `drop`."""
        with self._changing(what) as use:
            use.always |= operators

    def drop(self, what):
        with self._changing(what) as use:
            use.always = frozenset()

    def _settle(self):
        # Those that run an operator say of a bad index what those say that check it.
        run, check = self._uses["run"].operators(), self._uses["check"].operators()
        wanted = {k: "run" if k in run else "check" for k in OPERATORS if k in run or k in check}
        if wanted == self._doing:
            return
        if self._installed is not None:
            installed, self._installed, self._doing = self._installed, None, {}
            installed.take_out()
        if wanted:
            self._installed, self._doing = self._install(wanted), wanted

    def unasked(self):
        """The operators that takewise runs without their being named: none where they would go by way of Python, and lose."""
        with self.lock:
            return _operators.UNASKED if _shim.is_there() else frozenset()

    def is_on(self, function=None):
        """Whether takewise runs operators, or those that have a function's name."""
        with self.lock:
            run = [overload for overload, what in self._doing.items() if what == "run"]
            return any(function is None or function.strip("_") == _operators.function(overload) for overload in run)

    def calls(self, what="run"):
        with self.lock:
            if what == "check":
                return {overload: Calls(check.kernel.calls, "Python") for overload, check in self._checks.items()}
            roads = {overload: "Python" if self._number(overload) is None else "C" for overload in self._kernels}
            return {overload: Calls(kernel.calls, roads[overload]) for overload, kernel in self._kernels.items()}

    def _kernel(self, overload, native):
        """The kernel of ours that runs an operator."""
        if overload not in self._kernels:
            strict, warned = overload in _operators.STRICT, _operators.WARNINGS.get(overload)
            self._kernels[overload] = _takewise.Kernel(OPERATORS[overload], strict, warned, _warn)
        self._kernels[overload].over(native)
        return self._kernels[overload]

    def _check(self, overload, native):
        """The kernel of ours that checks an operator's indices."""
        if overload not in self._checks:
            self._checks[overload] = _errors.Checking(overload)
        self._checks[overload].over(native)
        return self._checks[overload]

    def _number(self, overload):
        """The number of a kernel that PyTorch can call without Python; `None` of any other."""
        if overload not in self._numbers:
            place = list(OPERATORS).index(overload)
            without = _shim.number(place, overload, self._kernels[overload])
            self._numbers[overload] = place if without else None
        return None if self.road == "Python" else self._numbers[overload]

    def _install(self, wanted):
        import torch  # type: ignore[import-not-found]  # asked for by who has it

        if not (hasattr(torch.library, "get_kernel") and hasattr(torch.Tensor, "__dlpack_c_exchange_api__")):
            # How PyTorch's own kernels are found, and how tensors lend their memory.
            raise exceptions.RuntimeError(f"takewise needs PyTorch 2.10 or later in its dispatcher, and this is {torch.__version__}")
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        library, shim, kernels = torch.library.Library("aten", "IMPL"), None, {}
        try:
            for overload, what in wanted.items():
                native = functools.partial(torch.library.get_kernel(f"aten::{overload}", "CPU").call_boxed, keys)
                kernels[overload] = (self._kernel if what == "run" else self._check)(overload, native)
            numbers = {overload: self._number(overload) for overload, what in wanted.items() if what == "run"}
            without = [(overload, number) for overload, number in numbers.items() if number is not None]
            with warnings.catch_warnings():
                # PyTorch says so of the first kernel that anybody replaces.
                warnings.filterwarnings("ignore", ".*other operators may also be overridden")
                for overload, kernel in kernels.items():
                    if numbers.get(overload) is None:
                        library.impl(overload, kernel, "CPU", allow_override=True)
                shim = _takewise.Shim("aten", without) if without else None
            installed = [torch.library.get_kernel(f"aten::{overload}", "CPU") for overload in wanted]
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

    def _asked(self) -> frozenset[str]:
        """The operators that are to have kernels."""
        raise NotImplementedError

    def _begin(self) -> object:
        """What an entry begins beside the kernels, on this thread."""

    def _end(self, begun: object) -> None:
        """Ends that."""

    def __enter__(self) -> Self:
        _switch.begin(self._what, self._asked())
        try:
            self._entered.append((threading.get_ident(), self._begin()))
        except BaseException:
            _switch.end(self._what, self._asked())
            raise
        return self

    def __exit__(self, *error: object) -> None:
        begun = self._left()
        if begun is not None:
            self._end(begun[1])
            _switch.end(self._what, self._asked())

    def _left(self):
        """The entry that is left: this thread's last one, or else the last. `None` if all are left already."""
        with _switch.lock:
            places = range(len(self._entered) - 1, -1, -1)
            here = next((k for k in places if self._entered[k][0] == threading.get_ident()), -1)
            return self._entered.pop(here) if self._entered else None


class accelerate_torch(_Context):
    """Runs PyTorch's own indexing calls on takewise, for tensors in main memory.

    Without ``operators`` these are ``masked_select``, ``nonzero`` (which ``x[mask]`` begins with), ``searchsorted`` and
    ``bucketize``. PyTorch keeps the others, as programs whose calls are small would lose by them. ``operators`` names those that
    takewise is to run instead, with an overload or without: ``["index_select", "index", "index_put"]``; ``"all"`` are all of them.
    They pay on large tensors: ``docs/lab/torch.md`` says from how many elements on.

    As a context manager or a decorator it does so until it is left; contexts may nest. ``enable()`` does so until
    ``disable()``. Either way it holds for the whole process, all threads included. Autograd, ``torch.func``,
    ``torch.no_grad`` and ``torch.compile`` stay PyTorch's own: only what is computed below them is replaced.

    Results, dtypes, strides and errors are PyTorch's, except where it is wrong or leaves the result open (see
    ``docs/python.md``). What takewise has no answer to (other layouts, devices and dtypes, an ``out=`` of another shape)
    goes to PyTorch's own kernel. PyTorch has to be 2.10 or later.

    >>> import pytest, takewise
    >>> torch = pytest.importorskip("torch")
    >>> x, index = torch.tensor([10.0, 20.0, 30.0], requires_grad=True), torch.tensor([2, 0])
    >>> with takewise.accelerate_torch():
    ...     x.masked_select(x > 15).sum().backward()
    >>> x.grad
    tensor([0., 1., 1.])
    >>> with takewise.accelerate_torch(operators=["index"]):
    ...     x[index]
    tensor([30., 10.], grad_fn=<IndexBackward0>)
    """

    _what = "run"

    def __init__(self, *, operators: Iterable[str] | None = None) -> None:
        super().__init__()
        self._named = None if operators is None else _operators.chosen(operators)

    def _asked(self) -> frozenset[str]:
        return _switch.unasked() if self._named is None else self._named

    def enable(self) -> Self:
        """Keeps PyTorch's calls on takewise until ``disable()``, whoever leaves a context meanwhile."""
        _switch.keep(self._what, self._asked())
        return self

    def disable(self) -> Self:
        """Ends what ``enable()`` began; contexts still open stay in force."""
        _switch.drop(self._what)
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

    With ``device="cpu"`` these are tensors in main memory. Their index values are looked at by kernels in Python: a call on four
    elements takes 5 to 10 times as long, one on a million hardly longer. They are in for the whole process. On the thread that entered, a mode of PyTorch's adds what only the
    function knows that was called: each of PyTorch's functions costs more there.

    With ``device="any"`` they are tensors on any device, on the thread that entered: PyTorch's own ``aminmax`` looks at the index
    before the kernel runs. So a bad index raises on a GPU too, where otherwise the process would lose the device. Each such call
    waits for the device once. That is for finding a fault, and not for training.

    It is switched as `accelerate_torch` is: as a context manager or a decorator until it is left, by ``enable()`` until
    ``disable()``. While `accelerate_torch` is on as well, its kernels run the operators that it has, and say the same.

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

    def _asked(self) -> frozenset[str]:
        return frozenset(_errors.CHECKED)

    def _begin(self) -> object:
        from takewise import _asked

        return _asked.begin(self._everywhere)

    def _end(self, begun: object) -> None:
        from takewise import _asked

        _asked.end(begun)

    def enable(self) -> Self:
        """Keeps the messages until ``disable()``, whoever leaves a context meanwhile."""
        _switch.keep(self._what, self._asked())
        self._kept.append(self._begin())
        return self

    def disable(self) -> Self:
        """Ends what ``enable()`` began; contexts still open stay in force."""
        _switch.drop(self._what)
        while self._kept:
            self._end(self._kept.pop())
        return self

    @staticmethod
    def calls() -> dict[str, Calls]:
        """How often each operator with indices was called in this process while they were checked.

        The first number is how often takewise was asked what is wrong, the second how often PyTorch's own kernel had the call.
        """
        return _switch.calls("check")
