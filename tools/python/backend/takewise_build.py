"""Builds the package with maturin, and adds its type stubs, which are read from what was built. Where Rust is neither there nor to be
had, one line says so, and no traceback.

    python tools/python/backend/takewise_build.py WHEEL...

adds the stubs to wheels that maturin has built alone. The first that can be imported here gives them, so that one for another machine has
them too.
"""

import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import maturin

P = ParamSpec("P")
T = TypeVar("T")

WITHOUT_RUST = (
    "takewise is compiled by Rust, and cargo was not found and could not be fetched ({error}). "
    "Install Rust from https://rustup.rs and run this again."
)


def _named(hook: Callable[P, T]) -> Callable[P, T]:
    @wraps(hook)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        try:
            return hook(*arguments, **options)
        except Exception as error:
            if shutil.which("cargo"):
                raise
            raise SystemExit(WITHOUT_RUST.format(error=type(error).__name__)) from None

    return run


STUBS = pathlib.Path(__file__).parents[1] / "stubs.py"


def _write_stubs(package: pathlib.Path) -> bool:
    """Writes the stubs of a package into its folder. False where it cannot be imported, as it is for another machine."""
    paths = os.pathsep.join(filter(None, [str(package.parent), os.environ.get("PYTHONPATH")]))
    call = [sys.executable, str(STUBS), str(package)]
    done = subprocess.run(call, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    if done.returncode:
        print(f"{package.parent.name}: no type stubs can be read here: {done.stderr.strip()}", file=sys.stderr)
    return done.returncode == 0


def _stubs(wheel: pathlib.Path) -> dict[str, bytes]:
    """The stubs of what a wheel holds."""
    with tempfile.TemporaryDirectory(prefix=wheel.name) as place, zipfile.ZipFile(wheel) as packed:
        packed.extractall(place)
        folder = pathlib.Path(place)
        written = folder.rglob("*.pyi") if _write_stubs(folder / "takewise") else []
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(written)}


def _line(name: str, content: bytes) -> str:
    """The line of a wheel's RECORD for a file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def _add(wheel: pathlib.Path, stubs: dict[str, bytes]) -> None:
    """Puts files into a wheel that it has not yet."""
    made = wheel.with_suffix(".typed")
    with zipfile.ZipFile(wheel) as plain, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as typed:
        record = next(info for info in plain.infolist() if info.filename.endswith(".dist-info/RECORD"))
        for info in plain.infolist():
            if info is not record:
                typed.writestr(info, plain.read(info), zipfile.ZIP_DEFLATED)
        new = {name: content for name, content in stubs.items() if name not in plain.namelist()}
        for name, content in new.items():
            info = zipfile.ZipInfo(name, record.date_time)
            info.external_attr = record.external_attr
            typed.writestr(info, content, zipfile.ZIP_DEFLATED)
        lines = plain.read(record).decode() + "".join(_line(name, content) for name, content in new.items())
        typed.writestr(record, lines, zipfile.ZIP_DEFLATED)
    made.replace(wheel)


# The first line of a build, where its output is shown (`pip install -v .`, `python -m build`).
NEEDS = "takewise is compiled by Rust 1.91 or later (https://rustup.rs), with the linker of a C compiler. This takes some five minutes on two cores."


@_named
def build_wheel(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    print(NEEDS, flush=True)
    name: str = maturin.build_wheel(folder, settings, metadata)
    wheel = pathlib.Path(folder, name)
    _add(wheel, _stubs(wheel))
    return name


@_named
def build_editable(folder: str, settings: Any = None, metadata: str | None = None) -> str:
    name: str = maturin.build_editable(folder, settings, metadata)
    python = STUBS.parents[2] / "python"
    _write_stubs(python / "takewise")
    return name


def get_requires_for_build_wheel(settings: Any = None) -> list[str]:
    # The stubs are read from the package, which imports NumPy.
    return [*maturin.get_requires_for_build_wheel(settings), "numpy>=1.26"]


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
build_sdist = _named(maturin.build_sdist)
prepare_metadata_for_build_wheel = _named(maturin.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = _named(maturin.prepare_metadata_for_build_editable)


def main() -> None:
    wheels = [pathlib.Path(name) for name in sys.argv[1:]]
    stubs = next(filter(None, map(_stubs, wheels)), None)
    if stubs is None:
        raise SystemExit("none of the wheels can be imported here, and so none has type stubs")
    for wheel in wheels:
        _add(wheel, stubs)


if __name__ == "__main__":
    main()
