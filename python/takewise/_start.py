"""Makes a forked process find nothing half done by threads it does not have, and threads ready for the interpreter's end.

Modules that the extension asks for at first use are imported here: a child would wait for the thread that was importing one.
"""

import atexit
import os
import threading

from takewise import _held, _mistakes, _nodes, _order, _records, _size, _takewise, exceptions

NEEDED = (_held, _mistakes, _nodes, _order, _records, _size, exceptions)

# Held while something is imported at first use: no process is forked meanwhile, whose child would wait for the thread that imports.
importing = threading.RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release)
    os.register_at_fork(before=_takewise._before_fork)  # type: ignore[attr-defined]


def _close():
    if threading.active_count() > 1:
        _takewise._before_exit()


atexit.register(_close)
