"""PyTorch's own indexing calls, run by takewise."""

import collections
import contextlib
import functools
import os
import threading
from typing import Self

from takewise import _takewise

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


# Of these, PyTorch's own kernels write before they have checked.
STRICT = {"masked_scatter_"}


class _Switch:
    """Which kernels PyTorch's dispatcher has at the moment, in this process."""

    def __init__(self):
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            # A child has the kernels put in, or taken out, and never halfway.
            release = self._lock.release
            os.register_at_fork(before=self._lock.acquire, after_in_parent=release, after_in_child=release)
        self._kernels = {}
        self._library = None
        self._uses = 0
        self._always = False
        # A thread may have looked a kernel up and be waiting for the interpreter's lock while another takes it out,
        # and PyTorch does not keep it alive for the one that waits. So the last ones are kept here.
        self._retired = collections.deque(maxlen=64)

    def change(self, uses=0, always=None):
        """Counts users, and puts the kernels in or takes them out as that asks for."""
        with self._lock:
            wanted = self._always if always is None else always
            if self._uses + uses or wanted:
                if self._library is None:
                    self._library = self._install()
            elif self._library is not None:
                library, self._library = self._library, None
                library._destroy()
            self._uses += uses
            self._always = wanted

    def calls(self):
        with self._lock:
            return {overload: kernel.calls for overload, kernel in self._kernels.items()}

    def _install(self):
        import torch  # type: ignore[import-not-found]  # asked for by who has it

        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        library, installed = torch.library.Library("aten", "IMPL"), []
        try:
            for overload, name in OPERATORS.items():
                operator = f"aten::{overload}"
                if overload not in self._kernels:
                    self._kernels[overload] = _takewise.Kernel(name, overload in STRICT)
                kernel = self._kernels[overload]
                kernel.over(functools.partial(torch.library.get_kernel(operator, "CPU").call_boxed, keys))
                library.impl(overload, kernel, "CPU", allow_override=True)
                installed.append(torch.library.get_kernel(operator, "CPU"))
        except BaseException:
            library._destroy()
            raise
        self._retired.append(installed)
        return library


_switch = _Switch()


class accelerate_torch(contextlib.ContextDecorator):
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

    def __enter__(self) -> Self:
        _switch.change(uses=1)
        return self

    def __exit__(self, *error: object) -> None:
        _switch.change(uses=-1)

    def enable(self) -> Self:
        """Keeps PyTorch's calls on takewise until ``disable()``, whoever leaves a context meanwhile."""
        _switch.change(always=True)
        return self

    def disable(self) -> Self:
        """Ends what ``enable()`` began; contexts still open stay in force."""
        _switch.change(always=False)
        return self

    @staticmethod
    def calls() -> dict[str, tuple[int, int]]:
        """How often each operator was called in this process: by takewise, and handed on to PyTorch's own kernel."""
        return _switch.calls()
