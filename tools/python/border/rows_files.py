"""Arrays in files, read and written through every kind of index and value."""

import atexit
import functools
import pathlib
import shutil
import tempfile

import numpy as np
from rows import OPERANDS, row, without
from rows_neutral import counted, storing, whole

M = "takewise"
HELD = OPERANDS["x"][0].astype("f8")


@functools.cache
def path():
    """A file with the base array of `x`."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = pathlib.Path(folder) / "x.npy"
    np.save(file, HELD)
    return file


def read(form, call, reference):
    """A row of an array in a file."""
    letters = reference.__code__.co_varnames[: reference.__code__.co_argcount]
    row(M, "open", lambda f, *rest: call(f(path()), *rest), reference, form, letters=letters)


def written(form, call, reference, letters):
    """A row of a write into memory over a file, which stays as it is."""

    def calls(f, *rest):
        array = f(path(), mode="c")
        call(array, *rest)
        return np.asarray(array)

    row(M, "open", calls, lambda *rest: reference(HELD.copy(), *rest), form, letters=tuple(letters))


def stored(array, key, value):
    array[key] = value


read("index", lambda x, i: x[i], lambda i: HELD[i])
read("mask", lambda x, m: x[m], lambda m: HELD[m])
read("second axis", lambda x, i: x[:, i], lambda i: HELD[:, i])
read("oindex", lambda x, i, r: x.oindex[i, r], lambda i, r: HELD[np.ix_(i, r)])
read("vindex", lambda x, i, r: x.vindex[i, r], lambda i, r: HELD[i, r])
read("take", lambda x, i: x.take(i), lambda i: HELD.ravel()[counted(i)])
read("take axis", lambda x, i: x.take(i, axis=0), lambda i: np.take(HELD, counted(i), 0))
read("take_along_axis", lambda x, j: x.take_along_axis(j, 0), lambda j: np.take_along_axis(HELD, counted(j), 0))
read("gather", lambda x, j: x.gather(0, j), lambda j: np.take_along_axis(HELD, counted(j), 0))
written("store", stored, storing(whole), "iu")
written("store by a mask", stored, storing(whole), "mc")
written("put", lambda x, i, w: x.put(i, w), lambda x, i, w: np.put(x, counted(i), w.astype(x.dtype)) or x, "iw")
read("prefetch", lambda x, i: x.prefetch(i).result(), lambda i: HELD[i])
without(M, "what takewise.open gives, whose rows call it", "FileArray")
without(M, "names of a file and the arrays that takewise.open gives of them", "FileGroup", "open_group")
