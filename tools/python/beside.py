"""What a call gives beside what the library itself gives, errors included."""

import numpy as np

from takewise import _takewise


class Table:
    """The functions of a library's table, which the command, expressions and explanations call: Python's module has of its own only
    those that find elements."""

    def __init__(self, library, path=""):
        self._place = library, path

    def __getattr__(self, name):
        return _takewise.lookup(*self._place, name)


def outcome(f):
    """What a call gives, or the class and first line of its error."""
    try:
        return f()
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]


def alike(got, want, words=True):
    if isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str) and want[0].endswith(("Error", "Exit")):
        assert isinstance(got, tuple) and got and got[0] == want[0], f"{got!r}, not {want!r}"
        assert not words or got[1] == want[1], f"{got[1]!r}, not {want[1]!r}"
    elif isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want), f"{got!r}, not {want!r}"
        for g, w in zip(got, want):
            alike(g, w)
    elif want is None:
        assert got is None
    else:
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape), f"{got!r}, not {want!r}"
        assert np.array_equal(got, want, equal_nan=want.dtype.kind in "fcmM"), f"{got!r}, not {want!r}"
