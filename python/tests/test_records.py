"""Every case recorded from the real libraries, run in Python on `takewise` with only the import changed: value, dtype,
shape, strides, printed form, and on failure the exception's class and first line.

The Rust tests run the same records through the command; `tools/record/README.md` says what a record is. And a short run
of `tools/python/fuzz.py`: cases nobody has recorded, against the libraries that are installed here.
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import records

FUZZ = pathlib.Path(__file__).parents[2] / "tools" / "python" / "fuzz.py"


def library(name):
    if name == "jax":
        pytest.importorskip("jax", reason="jax is not installed here, and results of takewise.jax are its arrays")
    return {"torch": records.Torch, "numpy": records.NumPy, "mindspore": records.MindSpore, "jax": records.Jax}[name]()


@pytest.mark.parametrize("name", ["torch", "numpy", "mindspore", "jax"])
def test_recorded_cases(name):
    lib, known, count, wrong = library(name), records.differing(), 0, []
    if name == "numpy":
        version = np.lib.NumpyVersion(np.__version__)
        if version < "2.0.0":
            pytest.skip("the cases are recorded from NumPy 2.4, which shows and promotes otherwise than 1.26")
        if version >= "2.5.0":
            known = [*known, "numpy/functions/out?_float64"]  # it casts what is taken into `out`
    for case, record in records.golden(name):
        if records.listed(case, known):
            continue
        count += 1
        what = records.compare(record, lib.run(record))
        if what:
            wrong.append(f"{case}: {record['run']}\n    {what}")
    assert count > 300 and not wrong, f"{len(wrong)} of {count} differ\n" + "\n".join(wrong[:10])


# A short run draws a part of the cases.
SHARE = 1 if os.environ.get("TAKEWISE_LONG") else 4


# JAX compiles something for almost every case, which takes a twentieth of a second.
@pytest.mark.parametrize(("name", "cases"), [("torch", 5000 // SHARE), ("numpy", 5000 // SHARE), ("jax", 100)])
def test_random_cases_against_the_library(name, cases):
    pytest.importorskip(name, reason=f"{name} is not installed here; its recorded cases are run above")
    if name == "numpy" and np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip("NumPy 1.26 looks at no position of an empty result")
    fuzz(name, cases)


@pytest.mark.parametrize(("name", "cases"), [("torch", 2000 // SHARE), ("numpy", 2000 // SHARE), ("jax", 100), ("mindspore", 1000 // SHARE)])
def test_cases_drawn_by_hypothesis_against_the_library(name, cases):
    pytest.importorskip(name, reason=f"{name} is not installed here; its recorded cases are run above")
    fuzz(name, cases, "--drawn")


def fuzz(name, cases, *more):
    command = [sys.executable, FUZZ, name, "--cases", str(cases), "--seed", "1", *more]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
