"""Indexing of arrays that Dask cuts into chunks: exact, with tasks only for the chunks that are touched.

>>> import pytest, numpy as np
>>> da = pytest.importorskip("dask.array")
>>> import takewise.dask as td
>>> x = da.from_array(np.arange(12).reshape(3, 4), chunks=(2, 2))
>>> td.gather(x, 1, np.array([[3, 0], [1, 1], [2, -1]])).compute()
array([[ 3,  0],
       [ 5,  5],
       [10, 11]])

Arrays go in and come out as Dask's, of NumPy chunks, and nothing is computed but the counts that masks need. Positions may be
NumPy's or Dask's. ``bounds``, ``negative``, ``duplicates`` and ``fill_value`` mean what they mean in :mod:`takewise`; ``threads``
says on how many threads each task runs, by default one, as a worker runs several tasks. ``takewise.gather(x, ...)`` and the
other functions of the package come here when one of their arrays is Dask's, ``takewise.at(x)[key]`` too. Those that write into
memory refuse it by name.

Positions that are known are checked while the graph is built. Those in arrays of Dask's are checked by tasks of their own, which
all else waits for: the first value outside, in index order of the whole index, raises ``IndexError`` with ``axis``,
``position``, ``value`` and ``size``. Writes give a new array.

How the graph is built depends on what is known and how dense the positions are; :func:`explain` says which way and why. One task
receives at most ``takewise.task-bytes`` of Dask's configuration (1 GiB by default).

On data that fit one machine's memory, NumPy arrays and :mod:`takewise` itself are faster than any cluster.
"""

from takewise.dask import _called, _explain, _mask, _order, _ranges, _reads, _writes
from takewise.dask._called import *
from takewise.dask._explain import *
from takewise.dask._mask import *
from takewise.dask._order import *
from takewise.dask._ranges import *
from takewise.dask._reads import *
from takewise.dask._writes import *

# Type checkers read the list of each module; one that they cannot read would hide all names from them.
globals()["__all__"] = sorted(name for module in (_called, _explain, _mask, _order, _ranges, _reads, _writes) for name in module.__all__)
