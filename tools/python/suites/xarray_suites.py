"""xarray's own tests of Zarr stores with takewise's engine in the place of xarray's, against xarray alone.

    python xarray_suites.py                  those of stores on disk and of trees of groups, a minute or two
    python xarray_suites.py --long           every test file that opens stores
    python xarray_suites.py -k WORD FILE...  these files, named as in the package's tests

``xarray_patched.py`` says how. A test that passes on xarray alone has to pass here. What does not is listed with its reason in
``xarray_differences.txt``, or the exit status is 1.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import runs

FILES = ["test_backends.py", "test_backends_datatree.py"]
LONG = [*FILES, "test_backends_api.py", "test_backends_chunks.py", "test_dask.py", "test_distributed.py", "test_plugins.py"]
# Of these two files, what opens a Zarr store in a folder, each once.
SHORT = "TestZarrDirectoryStore or write_empty or TestDataArrayToZarr or TestZarrDatatreeIO or TestNCZarr or Rectilinear"


def run(tests, words, journal, patched):
    """What became of each test, and how many reads were whose."""
    env = runs.environment(journal, TAKEWISE_PATCHED="1" if patched else "")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xarray_patched", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, "-W", "ignore", "-o", "asyncio_mode=auto", *(["-k", words] if words else []), *tests]
    ended = subprocess.run(command, env=env, cwd=journal.parent, capture_output=True, text=True)
    if not journal.exists():
        raise SystemExit(f"{' '.join(command)}\nended with status {ended.returncode}\n{(ended.stdout + ended.stderr)[-3000:]}")
    found = json.loads(journal.read_text())
    return found["outcomes"], found["reads"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="test files, named as in the package's tests")
    parser.add_argument("--long", action="store_true", help="every test file that opens stores")
    parser.add_argument("-k", default="", metavar="WORD", help="only tests with this in their names, as for pytest")
    options = parser.parse_args()
    import xarray

    folder = pathlib.Path(xarray.__file__).parent / "tests"
    files = options.files or (LONG if options.long else FILES)
    words = options.k or ("" if options.long or options.files else SHORT)
    listed = runs.Listed("xarray")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        ours, reads = run([str(folder / file) for file in files], words, scratch / "ours", True)
        failed = [name for name, (outcome, _) in ours.items() if outcome == "failed"]
        # Names are relative to wherever pytest takes the root to be.
        again = [str(folder / name.rpartition("/")[2]) for name in failed]
        stock = run(again, "", scratch / "stock", False)[0] if failed else {}
    failed = [name for name in failed if stock.get(name, ("missing",))[0] == "passed"]
    new = listed.failed("xarray", failed, ours)
    listed.unmet()
    passed = sum(outcome == "passed" for outcome, _ in ours.values())
    print(f"\n{len(ours)} tests, {passed} passed; reads: " + ", ".join(f"{n} {whose}" for whose, n in sorted(reads.items())))
    print(f"xarray: {len(failed)} tests fail here alone; {new} of these are not listed")
    return 1 if new or not passed or not reads.get("by takewise") else 0


if __name__ == "__main__":
    sys.exit(main())
