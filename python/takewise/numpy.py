"""NumPy's names, with the engine behind the functions that find elements by an index, a mask or a search.

>>> import numpy as np
>>> import takewise.numpy as tnp
>>> tnp.take(np.array([10, 20, 30]), [0, 5], mode="clip")
array([10, 30])
>>> x = np.zeros(3)
>>> tnp.add.at(x, [0, 0, 2], 1)
>>> x
array([2., 0., 1.])

Arrays are NumPy's own throughout, and so are the errors' classes and words. Every other name is NumPy's own, so that a program runs
with only the import changed; and NumPy itself answers calls with arrays that the engine does not move, such as those of Python objects:

>>> tnp.diff(tnp.flatnonzero([1, 0, 0, 1, 1]))
array([3, 1])
>>> tnp.take(np.array(["a", None], object), [1, 0]).tolist()
[None, 'a']
"""

import numpy as _numpy

from takewise import _modules, _takewise


def index(x, key, /):
    """``x[key]``: views where NumPy gives views, scalars where it gives scalars.

    >>> import numpy as np
    >>> import takewise.numpy as tnp
    >>> tnp.index(np.arange(12).reshape(3, 4), ([2, 0], slice(1, 3)))
    array([[ 9, 10],
           [ 1,  2]])
    """
    return _takewise.getitem("numpy", x, key)


def setindex(x, key, value, /):
    """``x[key] = value``, into the memory of ``x``; on error nothing is written.

    >>> import numpy as np
    >>> import takewise.numpy as tnp
    >>> x = np.zeros(4)
    >>> tnp.setindex(x, [1, -1], [5, 6])
    >>> x
    array([0., 5., 0., 6.])
    """
    if isinstance(value, (list, tuple, range)) and isinstance(x, _numpy.ndarray):
        # NumPy makes numbers of the array's dtype of a list at once, and refuses those that do not fit.
        value = _numpy.asarray(value, x.dtype)
    _takewise.setitem("numpy", x, key, value)


_modules.fill(globals(), "numpy")
_modules.rest(globals(), "numpy")

# `add_at(x, indices, values)` is `add.at(x, indices, values)`, and so on.
globals().update({f"{name}_at": value.at for name, value in list(globals().items()) if isinstance(value, _numpy.ufunc)})
__all__ = sorted({*_numpy.__all__, *(name for name in globals() if not name.startswith("_"))})
