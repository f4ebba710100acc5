"""The Array API's own tests on `takewise.numpy` beside NumPy itself: what one fails the other fails too, and nothing else.

    python tools/python/suites/array_api_suites.py FOLDER [--examples N]

FOLDER is a checkout of data-apis/array-api-tests with its submodule; the suite is on no registry. Of its files those about elements run:
indexing, searching, sorting, manipulation, sets, names, signatures, inspection, arrays.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

FILES = (
    "indexing_functions", "searching_functions", "sorting_functions", "manipulation_functions", "set_functions",
    "has_names", "signatures", "inspection_functions", "array_object",
)  # fmt: skip


def failures(folder, module, examples):
    """The names of the tests that a module fails, and the line that counts them."""
    files = [f"array_api_tests/test_{name}.py" for name in FILES]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--max-examples={examples}", *files]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "ARRAY_API_TESTS_MODULE": module}, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    if done.returncode not in (0, 1) or not lines:
        sys.exit(f"{module}: the suite did not run\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return {match[1] for line in lines if (match := re.match(r"(?:FAILED|ERROR) (\S+)", line))}, lines[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=30)
    given = parser.parse_args()
    found = {module: failures(given.folder.resolve(), module, given.examples) for module in ("numpy", "takewise.numpy")}
    for module, (_, count) in found.items():
        print(f"{module}: {count}")
    theirs, ours = (failed for failed, _ in found.values())
    for name in sorted(ours ^ theirs):
        print(f"{name} fails on {'takewise.numpy' if name in ours else 'numpy'} alone")
    sys.exit(bool(ours - theirs))


if __name__ == "__main__":
    main()
