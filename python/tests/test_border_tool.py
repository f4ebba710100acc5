"""The border test (tools/python/border) knows every public name, and finds what it is made to find."""

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parents[2] / "tools" / "python" / "border"

if not TOOL.is_dir():
    pytest.skip("the border test is not part of the package", allow_module_level=True)

ROWS = """
import os, sys, time
import numpy as np
from rows import row

def bad(name, call, reference=lambda x: x.copy()):
    row("takewise", "copy", call, reference, form="fault: " + name)

def spoil(x):
    x[0, 0] = 99
    raise ValueError("an operand was refused")

def refuse(text):
    raise ValueError(text)

bad("none", lambda f, x: f(x))
bad("crash", lambda f, x: os.abort())
bad("hang", lambda f, x: time.sleep(60))
bad("wrong value", lambda f, x: f(x) + 1)
bad("wrong dtype", lambda f, x: f(x).astype("f4"))
bad("accepted", lambda f, x: f(x), lambda x: refuse("no"))
bad("refused", lambda f, x: refuse("no such dtype"))
bad("changed", lambda f, x: spoil(x))
bad("insides", lambda f, x: refuse("dtype record"))
bad("frames", lambda f, x: refuse("operand x frame #3"))
bad("silent", lambda f, x: refuse(""))
bad("pointless", lambda f, x: refuse("oh no"))
bad("the reference's crash", lambda f, x: f(x), lambda x: os.abort())
"""


def border(*arguments):
    command = [sys.executable, str(TOOL), "--jobs", "1", "--quiet", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_every_public_name_is_known():
    done = border("--names")
    assert done.returncode == 0, done.stdout + done.stderr


def test_faults_are_found(tmp_path):
    rows, faults = tmp_path / "rows.py", tmp_path / "faults.tsv"
    rows.write_text(ROWS)
    done = border(
        "--rows", str(rows), "--faults", str(faults), "--share", "1", "--seconds", "10", "fault: ", "x = numpy float64$"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found = {}
    for line in faults.read_text().splitlines():
        sort, title, _ = line.split("\t", 2)
        found[title.partition("fault: ")[2].partition(" with")[0]] = sort
    assert found == {
        "crash": "crash", "hang": "hang", "wrong value": "wrong", "wrong dtype": "wrong",
        "accepted": "accepted", "refused": "refused",
        "changed": "changed", "insides": "words", "frames": "words", "silent": "words", "pointless": "words",
    }  # fmt: skip
    assert "1 the reference's own crash" in done.stdout
