"""The programs in `examples/torch`, in small: training gives the same results three ways, and from a file larger than memory."""

import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="torch is not installed here; see docs/lab/python.md for an environment with it")

PROGRAMS = pathlib.Path(__file__).parents[2] / "examples" / "torch"


def printed(program, *arguments):
    done = subprocess.run([sys.executable, str(PROGRAMS / program), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_results_are_equal():
    assert len(printed("programs.py", "--small")) == 5


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process's own memory is Linux's")
def test_a_model_is_trained_from_a_file_larger_than_memory():
    told, trained = printed("train_from_file.py", "--rows", "200000")
    assert told == "98 MiB do not fit into 49 MiB"
    first, last, alike = map(float, re.findall(r"[0-9.]+", trained))
    assert last < first / 2 and alike > 0.95
