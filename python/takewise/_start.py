"""Makes a forked process find nothing half done by threads it does not have, and threads ready for the interpreter's end.

Modules that the extension asks for at first use are imported here: a child would wait for the thread that was importing one.
"""

import atexit
import os
import threading

from takewise import _held, _mistakes, _nodes, _order, _records, _size, _takewise, exceptions

NEEDED = (_held, _mistakes, _nodes, _order, _records, _size, exceptions)

# All locks of the package. A fork waits for each: a child has no thread but its own, and would wait for ever for another's. They are
# made here, before anything is imported at first use: a lock that came while a fork begins would be let go and never have been taken.
# A fork takes the last one first, so who holds one may want those before it.
importing = threading.RLock()
"""Held while something is imported at first use."""
operators = threading.RLock()
"""Held while PyTorch is told of our operators."""
switching = threading.RLock()
"""Held while PyTorch's kernels are put in or taken out."""
LOCKS = (importing, operators, switching)

if hasattr(os, "register_at_fork"):
    for lock in LOCKS:
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    os.register_at_fork(before=_takewise._before_fork)  # type: ignore[attr-defined]


def _close():
    if threading.active_count() > 1:
        _takewise._before_exit()


atexit.register(_close)
