"""The type stubs say what the package has."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_stubs_are_current():
    subprocess.run([sys.executable, "tools/python/stubs.py", "--check"], cwd=ROOT, check=True)


def test_stubs_agree_with_the_package(tmp_path):
    pytest.importorskip("mypy", reason="stubtest is a part of mypy, which is not installed here")
    allowed = ROOT / "tools" / "python" / "stubtest.txt"
    call = [sys.executable, "-m", "mypy.stubtest", "takewise", "--ignore-disjoint-bases", "--allowlist", str(allowed)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
