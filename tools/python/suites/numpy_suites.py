"""NumPy's own tests with its indexing sent through ``takewise.numpy``, against NumPy alone.

    python numpy_suites.py                  the test files that index most, a few minutes
    python numpy_suites.py --long           every test file of the installed NumPy
    python numpy_suites.py [-k WORD] FILE...    these files, named as in the package: _core/tests/test_indexing.py

``numpy_patched.py`` says how. Two things count. A test that passes on NumPy alone has to pass here. And every single call
has to give what NumPy gives for the same arguments: result, class, dtype, values, what is a view, or the class of the error.
What differs is listed with its reason in ``numpy_differences.txt``, or the exit status is 1.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile

import numpy
import runs
from numpy_patched import read

# Files that index, for a run of two minutes.
SHORT = [
    "_core/tests/test_indexing.py",
    "_core/tests/test_indexerrors.py",
    "_core/tests/test_item_selection.py",
    "_core/tests/test_numeric.py",
    "_core/tests/test_regression.py",
    "_core/tests/test_shape_base.py",
    "_core/tests/test_ufunc.py",
    "_core/tests/test_datetime.py",
    "_core/tests/test_records.py",
    "lib/tests/test_index_tricks.py",
    "lib/tests/test_shape_base.py",
    "lib/tests/test_function_base.py",
    "lib/tests/test_arraysetops.py",
    "lib/tests/test_stride_tricks.py",
    "lib/tests/test_twodim_base.py",
    "lib/tests/test_histograms.py",
    "ma/tests/test_core.py",
    "ma/tests/test_extras.py",
    "matrixlib/tests",
]

# Of these files only some tests take seconds each, or need what is no part of a wheel.
LEFT_OUT = "not slow and not test_cython and not f2py and not limited_api and not test_large_concatenate and not test_sort_degraded"

# Test folders for a long run.
FOLDERS = ["_core", "lib", "ma", "matrixlib", "linalg", "fft", "polynomial", "random", "testing", "tests"]

def run(files, journal, patched, chosen, only=None):
    """What became of each test, and what differed."""
    base = pathlib.Path(numpy.__file__).parent
    words = f"({chosen}) and {LEFT_OUT}" if chosen else LEFT_OUT
    command = [sys.executable, "-m", "pytest", "-q", "-p", "numpy_patched", "-p", "no:cacheprovider", "-k", words]
    command += ["-m", "not slow", f"--rootdir={base}", "-c", os.devnull, "-W", "ignore::pytest.PytestUnknownMarkWarning"]
    command += [str(base / file) for file in files]
    outcomes = runs.run(command, journal, lambda journal: read(journal)[0], only, TAKEWISE_PATCHED="1" if patched else "")
    return outcomes, read(journal)[1]


def counted(journal):
    """How many calls were answered, by name."""
    total = collections.Counter()
    for line in journal.read_text().splitlines():
        entry = json.loads(line)
        if entry[1] == "calls":
            total.update(entry[2])
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="test files, named as in the package")
    parser.add_argument("--long", action="store_true", help="every test file of NumPy")
    parser.add_argument("--all", action="store_true", help="show listed differences too")
    parser.add_argument("-k", default="", metavar="WORD", help="only tests with this in their names, as for pytest")
    options = parser.parse_args()
    files = options.files or ([f"{name}/tests" for name in FOLDERS] if options.long else SHORT)
    listed = runs.Listed("numpy")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        journal = folder / "ours"
        outcomes, others = run(files, journal, True, options.k)
        failed = [name for name, (outcome, _) in outcomes.items() if outcome in ("failed", "crashed")]
        stock = run(files, folder / "stock", False, options.k, failed)[0] if failed else {}
        total = counted(journal)
    failed = [name for name in failed if stock.get(name, ("missing",))[0] == "passed"]
    new = listed.failed("NumPy", failed, outcomes, options.all)
    groups = collections.defaultdict(list)
    for name, call, what, said in others:
        why = listed.reason(f"{name} {call}: {what}")
        if why is None or options.all:
            groups[call, what, why].append((name, said))
    for (call, what, why), cases in sorted(groups.items(), key=lambda item: str(item[0])):
        new += len(cases) if why is None else 0
        print(f"\n{call}: another {what} than NumPy's, in {len(cases)} tests ({why})")
        for name, said in cases[: 400 if options.all else 25]:
            print(f"  {name}\n    {said}")
    listed.unmet()
    print(f"\n{len(outcomes)} tests, {sum(total.values())} calls: " + ", ".join(f"{n} {k}" for k, n in total.most_common()))
    print(f"NumPy: {len(failed)} tests fail here alone, {len(others)} times a call differs; {new} of these are not listed")
    return 1 if new or not total else 0


if __name__ == "__main__":
    sys.exit(main())
