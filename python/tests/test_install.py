"""How the package is built where something is missing."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_build_without_rust_says_so_in_one_line(tmp_path):
    pytest.importorskip("maturin", reason="builds the package")
    nowhere = {"PATH": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:9", "HOME": str(tmp_path)}
    call = f"import takewise_build; takewise_build.build_wheel({str(tmp_path)!r})"
    made = subprocess.run(
        [sys.executable, "-c", call],
        cwd=ROOT,
        env={**nowhere, "PYTHONPATH": str(ROOT / "tools/python/backend"), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 1
    lines = made.stderr.splitlines()
    assert lines[-1].startswith("takewise is compiled by Rust, and cargo was not found and could not be fetched (")
    assert lines[-1].endswith("Install Rust from https://rustup.rs and run this again.")
    assert "Traceback" not in made.stderr
    oldest = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    assert made.stdout.splitlines()[0].startswith(f"takewise is compiled by Rust {oldest} or later (")
