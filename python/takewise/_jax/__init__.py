"""Calls with arrays that JAX is tracing, which have no values yet: they become part of JAX's program.

`takewise.take(x, ...)` reads memory, and so refuses an array without any. The call then comes here (``border/onward.rs``), and goes on
to a primitive of JAX's. Where the program runs, XLA calls the engine, without Python. Nothing here imports JAX before an array that it
traces is seen.
"""

import re
import sys


def called(name, args, kwargs):
    """The answer to a call with traced arrays; ``NotImplemented`` where its arguments do not fit its function."""
    from takewise._jax import _calls

    return _calls.called(name, args, kwargs)


def error_of(error):
    """takewise's own exception of an error that left a program of JAX's, with its attributes; ``None`` for any other error.

    >>> import takewise.jax
    >>> takewise.jax.error_of(ValueError("unrelated")) is None
    True
    """
    from takewise import _takewise

    found = re.search(r"\[takewise error (\d+)\]", str(error))
    return _takewise._jit_error(int(found[1])) if found else None


class errors:
    """Raises takewise's own exceptions for the errors that leave programs of JAX's, where these are waited for inside the block:

        with takewise.jax.errors():
            jax.jit(lambda x, i: takewise.take(x, i))(x, i).block_until_ready()
    """

    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if error is None or "jax" not in sys.modules:
            return
        own = error_of(error)
        if own is not None:
            raise own from error
