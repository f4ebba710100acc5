"""JAX's names and modes; ``takewise.jax.numpy`` has those of ``jax.numpy``.

    import takewise.jax as jax
    jax.numpy.take(x, jax.numpy.array([0, 5]))   # fill, as JAX does

Arrays are JAX's own: results need JAX to be installed.
"""

import sys as _sys

from takewise import _modules

numpy = _modules.namespace("jax", "numpy")
_sys.modules[f"{__name__}.numpy"] = numpy

__all__ = ["numpy"]
