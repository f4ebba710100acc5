"""The programs in `examples/torch`, in small: training gives the same results three ways."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="torch is not installed here; see docs/python.md for an environment with it")

PROGRAMS = pathlib.Path(__file__).parents[2] / "examples" / "torch" / "programs.py"


def test_results_are_equal():
    done = subprocess.run([sys.executable, str(PROGRAMS), "--small"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 5
