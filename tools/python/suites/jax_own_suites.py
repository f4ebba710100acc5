"""JAX's own tests of indexing with takewise in the place of JAX's indexing, against JAX alone.

    python jax_own_suites.py FOLDER              tests/lax_numpy_indexing_test.py of a checkout of JAX, some minutes
    python jax_own_suites.py FOLDER --cases 100  more of the cases that each test draws
    python jax_own_suites.py FOLDER -k WORD      only tests with this in their names, as for pytest

The checkout has to be that of the installed version. ``jax_patched.py`` says what is replaced. A test that passes on JAX alone has to
pass here. What does not is listed with its reason in ``jax_own_differences.txt``, or the exit status is 1. It is 1 too if hardly any
call came to takewise, or to its primitive.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile

import runs
from torch_journal import read

FILES = ["tests/lax_numpy_indexing_test.py"]
# Fewer calls than these of each kind would be no test: a run of all tests makes some thousands of each.
FEWEST = {"read": 100, "write": 100, "read in programs": 100, "write in programs": 100, "by the primitive": 200}


def run(files, words, cases, scratch, patched):
    """What became of each test, and who was asked how often."""
    journal, counts = scratch / f"journal-{patched}", scratch / f"counts-{patched}"
    settings = {"JAX_PLATFORMS": "cpu", "JAX_NUM_GENERATED_CASES": str(cases), "TAKEWISE_COUNTS": str(counts) if patched else ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "torch_journal", "-p", "jax_patched", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, "-W", "ignore", *(["-k", words] if words else []), *map(str, files)]
    outcomes = runs.run(command, journal, read, **settings)
    return outcomes, collections.Counter(json.loads(counts.read_text())) if patched else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a checkout of JAX")
    parser.add_argument("--cases", type=int, default=10, help="how many cases a test draws")
    parser.add_argument("-k", default="", metavar="WORD", help="only tests with this in their names, as for pytest")
    options = parser.parse_args()
    files = [options.folder.resolve() / file for file in FILES]
    listed = runs.Listed("jax_own")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        stock, _ = run(files, options.k, options.cases, scratch, False)
        ours, counts = run(files, options.k, options.cases, scratch, True)
    failed = [name for name, (outcome, _) in ours.items() if outcome not in ("passed", "skipped")]
    alone = [name for name, (outcome, _) in stock.items() if outcome not in ("passed", "skipped")]
    failed = [name for name in failed if name not in alone]
    new = listed.failed("JAX", failed, ours)
    listed.unmet()
    passed = sum(outcome == "passed" for outcome, _ in ours.values())
    few = [] if options.k else [kind for kind, least in FEWEST.items() if counts[kind] < least]
    for kind in few:
        print(f"only {counts[kind]} calls are counted as: {kind}")
    print(f"\n{len(ours)} tests, {passed} passed; calls: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    print(f"JAX: {len(alone)} tests fail on JAX alone, {len(failed)} here alone; {new} of these are not listed")
    return 1 if new or few or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
