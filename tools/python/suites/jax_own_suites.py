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
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FILES = ["tests/lax_numpy_indexing_test.py"]
# Fewer calls than these of each kind would be no test: a run of all tests makes some thousands of each.
FEWEST = {"read": 100, "write": 100, "read in programs": 100, "write in programs": 100, "by the primitive": 200}


def listed():
    """The listed differences: patterns of names, each with its reason."""
    lines = (HERE / "jax_own_differences.txt").read_text().splitlines()
    pairs = [line.split("  ", 1) for line in lines if line and not line.startswith("#")]
    return {pattern.strip(): reason.strip() for pattern, reason in pairs}


def run(files, words, cases, scratch, patched):
    """What became of each test, and who was asked how often."""
    os.environ.setdefault("TAKEWISE_JOURNAL", os.devnull)
    from torch_journal import read

    journal, counts = scratch / f"journal-{patched}", scratch / f"counts-{patched}"
    env = {**os.environ, "TAKEWISE_JOURNAL": str(journal), "TAKEWISE_COUNTS": str(counts) if patched else ""}
    env |= {"JAX_PLATFORMS": "cpu", "JAX_NUM_GENERATED_CASES": str(cases)}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), env.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "torch_journal", "-p", "jax_patched", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, "-W", "ignore", *(["-k", words] if words else []), *map(str, files)]
    ended = subprocess.run(command, env=env, cwd=scratch, capture_output=True, text=True)
    outcomes = read(journal)
    if not outcomes or ended.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\nended with status {ended.returncode}\n{(ended.stdout + ended.stderr)[-3000:]}")
    return outcomes, collections.Counter(json.loads(counts.read_text())) if patched else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a checkout of JAX")
    parser.add_argument("--cases", type=int, default=10, help="how many cases a test draws")
    parser.add_argument("-k", default="", metavar="WORD", help="only tests with this in their names, as for pytest")
    options = parser.parse_args()
    files = [options.folder.resolve() / file for file in FILES]
    known, used, new = listed(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        stock, _ = run(files, options.k, options.cases, scratch, False)
        ours, counts = run(files, options.k, options.cases, scratch, True)
    failed = [name for name, (outcome, _) in ours.items() if outcome not in ("passed", "skipped")]
    alone = [name for name, (outcome, _) in stock.items() if outcome not in ("passed", "skipped")]
    for name in failed:
        if name in alone:
            continue
        pattern = next((pattern for pattern in known if fnmatch.fnmatchcase(name, pattern)), None)
        used[pattern] += 1
        if pattern is None:
            new += 1
            print(f"\n{name}: {ours[name][0]} here, passes on JAX alone\n{ours[name][1]}", flush=True)
    for pattern in known.keys() - used.keys():
        print(f"listed, and not met: {pattern}")
    passed = sum(outcome == "passed" for outcome, _ in ours.values())
    few = [] if options.k else [kind for kind, least in FEWEST.items() if counts[kind] < least]
    for kind in few:
        print(f"only {counts[kind]} calls are counted as: {kind}")
    print(f"\n{len(ours)} tests, {passed} passed; calls: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    print(f"JAX: {len(alone)} tests fail on JAX alone, {used.total()} here alone; {new} of these are not listed")
    return 1 if new or few or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
