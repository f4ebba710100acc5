"""Programs run in interpreters of their own, so that the end of one is only a failure."""

import importlib.util
import os
import subprocess
import sys
import textwrap

HEAD = "import gc, os, sys, threading, warnings; warnings.simplefilter('ignore')\nimport numpy as np, takewise as tw\n"


def run(code, *, head=HEAD, timeout=300, silent=False, **environment):
    """What a program writes; fails if it raises, is ended by a signal, takes too long, or, if it is to be silent, warns."""
    # One thread of PyTorch's: what is tested here is not its pool.
    around = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    program = head + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program], capture_output=True, text=True, timeout=timeout, env=around
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
    assert not (silent and done.stderr), done.stderr[-3000:]
    return done.stdout


def has(name):
    return importlib.util.find_spec(name) is not None
