"""takewise.zarr without the package that does its work; with it, its examples run beside that package's tests."""

import subprocess
import sys

import pytest

import takewise.zarr


@pytest.mark.parametrize("call", [lambda: takewise.zarr.open("x"), lambda: takewise.zarr.create("x", shape=1, dtype="i4", chunks=1)])
def test_what_is_missing_is_named_with_the_pip_line(monkeypatch, call):
    monkeypatch.setitem(sys.modules, "takewise_zarr", None)
    with pytest.raises(ImportError, match=r'takewise-zarr.*pip install "takewise\[zarr\]"'):
        call()
    with pytest.raises(ImportError, match=r"takewise\[zarr\]"):
        _ = takewise.zarr.Array
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = takewise.zarr.nothing


def test_nothing_is_imported_before_it_is_used():
    program = "import sys, takewise.zarr; raise SystemExit('takewise_zarr' in sys.modules or 'zarr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
