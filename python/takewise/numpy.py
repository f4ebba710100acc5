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

from takewise import _modules

__all__ = _modules.exported(globals(), "numpy")
