"""Makes a forked process find nothing half done by threads it does not have.

Modules that the extension asks for at first use are imported here: a child would wait for the thread that was importing one.
"""

import os

from takewise import _nodes, _records, _size, _takewise, exceptions

NEEDED = (_nodes, _records, _size, exceptions)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_takewise._before_fork)
