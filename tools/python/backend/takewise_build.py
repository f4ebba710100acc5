"""Builds the package with maturin. Where Rust is neither there nor to be had, one line says so, and no traceback."""

import shutil
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

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


get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable
build_sdist = _named(maturin.build_sdist)
build_wheel = _named(maturin.build_wheel)
build_editable = _named(maturin.build_editable)
prepare_metadata_for_build_wheel = _named(maturin.prepare_metadata_for_build_wheel)
prepare_metadata_for_build_editable = _named(maturin.prepare_metadata_for_build_editable)
