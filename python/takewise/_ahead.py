"""Reads that are begun before their elements are needed."""

import os
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from takewise._start import importing

# These take longer to import than all else of the package: that is done at the first read.
if TYPE_CHECKING:
    import concurrent.futures

# Reads that are under way at a time. Each has as many requests waiting for the disk as it takes.
_READS = 8

# The threads that read, and the process that they are in: a child has none of them.
_pool: "tuple[int, concurrent.futures.ThreadPoolExecutor] | None" = None


class Ahead:
    """A read that is under way. ``x.prefetch(key)`` gives it at once, and ``result()`` waits for the elements.

    ``await`` waits for them in a program of asyncio's. A read that has not begun when its ``Ahead`` is dropped is not made.

    >>> import numpy as np, pathlib, takewise, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "table.npy"
    >>> np.save(path, np.arange(12).reshape(3, 4))
    >>> x = takewise.open(path)
    >>> rows = x.prefetch([2, 0])
    >>> rows.result()
    array([[ 8,  9, 10, 11],
           [ 0,  1,  2,  3]])
    >>> rows.done()
    True
    >>> x.close()
    >>> folder.cleanup()
    """

    __slots__ = ("__weakref__", "_read")

    def __init__(self, read: "concurrent.futures.Future[Any]") -> None:
        self._read = read

    def result(self, timeout: float | None = None) -> Any:
        """The elements, waited for if they are not there.

        Raises
        ------
        TimeoutError
            After so many seconds. The read goes on.
        """
        return self._read.result(timeout)

    def done(self) -> bool:
        """Whether ``result()`` does not wait."""
        return self._read.done()

    def cancel(self) -> bool:
        """Gives the read up if it has not begun; whether it was."""
        return self._read.cancel()

    def __await__(self) -> Generator[Any, None, Any]:
        import asyncio  # Who waits in this way has it.

        return asyncio.wrap_future(self._read).__await__()

    def __del__(self) -> None:
        self._read.cancel()

    def __repr__(self) -> str:
        return f"<Ahead {'done' if self.done() else 'under way'}>"


def begin(read: Callable[[Any], Any], key: Any) -> Ahead:
    """Begins ``read(key)`` on a thread that was started before, or on a new one where those are busy.

    The key is copied: its arrays may be changed before the read has come to them.
    """
    global _pool
    with importing:
        import concurrent.futures
        import copy

        if _pool is None or _pool[0] != os.getpid():
            _pool = os.getpid(), concurrent.futures.ThreadPoolExecutor(_READS, thread_name_prefix="takewise-prefetch")
        pool = _pool[1]
    return Ahead(pool.submit(read, copy.deepcopy(key)))
