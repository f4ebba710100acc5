"""NumPy's names, with the engine behind its indexing functions.

>>> import numpy as np
>>> import takewise.numpy as tnp
>>> tnp.take(np.array([10, 20, 30]), [0, 5], mode="clip")
array([10, 30])
>>> x = np.zeros(3)
>>> tnp.add.at(x, [0, 0, 2], 1)
>>> x
array([2., 0., 1.])

Arrays are NumPy's own throughout, and so are the errors' classes and words.
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


__all__ = _modules.exported(globals(), "numpy")

# `add_at(x, indices, values)` is `add.at(x, indices, values)`, and so on.
_AT = {f"{name}_at": globals()[name].at for name in ("add", "subtract", "multiply", "maximum", "minimum")}
globals().update(_AT)
__all__ = sorted([*__all__, *_AT])

# Where NumPy names a dtype, it has the type of its scalars.
globals().update({name: value.type for name, value in globals().items() if isinstance(value, _numpy.dtype)})
