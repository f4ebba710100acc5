"""The type stubs say what the package has."""

import base64
import hashlib
import importlib.metadata
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_stubs_are_current():
    subprocess.run([sys.executable, "tools/python/stubs.py", "--check"], cwd=ROOT, check=True)


def test_the_wheel_lists_its_stubs():
    files = [file for file in importlib.metadata.files("takewise") or [] if file.suffix == ".pyi"]
    if not files:
        pytest.skip("the package that is imported was installed from no wheel")
    assert len(files) == 9
    for file in files:
        digest = hashlib.sha256(file.read_binary()).digest()
        assert file.hash.value == base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), file


def test_stubs_agree_with_the_package(tmp_path):
    pytest.importorskip("mypy", reason="stubtest is a part of mypy, which is not installed here")
    allowed = ROOT / "tools" / "python" / "stubtest.txt"
    call = [sys.executable, "-m", "mypy.stubtest", "takewise", "--ignore-disjoint-bases", "--allowlist", str(allowed)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


CALLS = pathlib.Path(__file__).with_name("typed_calls.py")


def test_typed_calls_run():
    subprocess.run([sys.executable, "-W", "error", str(CALLS)], check=True)


def test_mypy_knows_the_types_of_results(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed here")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(CALLS)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_refuses_wrong_words(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed here")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import numpy as np, takewise\n"
        "takewise.take(np.arange(3), [0], bounds='clamp')\n"
        "takewise.gather(np.arange(3), 'x', [0])\n"
        "takewise.take(np.arange(3), [0]).gather\n"
    )
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(wrong)], cwd=tmp_path, capture_output=True, text=True)
    assert {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line} == {2, 3, 4}, done.stdout


def test_pyright_knows_the_types_of_results(tmp_path):
    pytest.importorskip("pyright", reason="pyright is not installed here")
    shutil.copy(CALLS, tmp_path)
    call = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, CALLS.name]
    if subprocess.run([*call[:3], "--version"], capture_output=True).returncode != 0:
        pytest.skip("pyright, which is fetched from npm's registry, cannot be had here")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
