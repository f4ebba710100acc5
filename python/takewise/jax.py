"""JAX's names and modes; ``takewise.jax.numpy`` has those of ``jax.numpy``.

>>> import takewise.jax
>>> takewise.jax.numpy.take([10, 20, 30], [0, 5]).tolist()  # doctest: +SKIP
[10, -2147483648]

Arrays are JAX's own: results need JAX to be installed.
"""

import sys as _sys

from takewise import _modules

numpy = _modules.namespace("jax", "numpy")
_sys.modules[f"{__name__}.numpy"] = numpy

__all__ = ["numpy"]
