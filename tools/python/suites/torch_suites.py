"""PyTorch's own tests and operator samples under ``takewise.accelerate_torch()``, against PyTorch alone.

    python torch_suites.py                    operator samples of the installed PyTorch, a few minutes
    python torch_suites.py --long             the same with every sample, dtype and operator
    python torch_suites.py FOLDER [-k WORD]   the test files of PyTorch in FOLDER as well

A test counts if it passes on PyTorch alone, in a process of its own. It has to pass here then, or be listed with its
reason in ``torch_differences.txt``. A sample is run by both kernels in one process. The exit status is 1 if one does neither, or if a process ended in the middle of one.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import runs
from torch_journal import read

# Those that have to do with indexing, views, search and order; of the others only what indexes runs here at all.
FILES = [
    "test_indexing.py",
    "test_scatter_gather_ops.py",
    "test_sort_and_select.py",
    "test_view_ops.py",
    "test_shape_ops.py",
    "test_masked.py",
    "test_maskedtensor.py",
    "nn/test_embedding.py",
    "test_reductions.py",
    "test_torch.py",
]

def run(command, journal, accelerated, only=None, long=False):
    """What became of each test."""
    settings = {"TAKEWISE_ACCELERATE": "1" if accelerated else "", "TAKEWISE_LONG": "1" if long else ""}
    return runs.run(command, journal, read, only, PYTORCH_TESTING_DEVICE_ONLY_FOR="cpu", **settings)


def compared(label, command, folder):
    """The tests that pass on PyTorch alone, and those of them that do not pass here, with what they say."""
    journal = folder / (label.replace("/", "_") + ".stock")
    stock = run(command, journal, accelerated=False)
    passed = [name for name, (outcome, _) in stock.items() if outcome == "passed"]
    if not passed:
        return [], {}
    ours = run(command, journal.with_suffix(".ours"), accelerated=True, only=passed)
    other = {name: ours.get(name, ("missing", "")) for name in passed}
    other = {name: what for name, what in other.items() if what[0] != "passed"}
    if other:
        # What fails by chance, or after another test only, is not a difference.
        again = run(command, journal.with_suffix(".again"), accelerated=False, only=list(other))
        other = {name: what for name, what in other.items() if again.get(name, ("missing",))[0] == "passed"}
    return passed, other


def report(label, passed, other, listed):
    """Says what differs; how many of these are not listed."""
    new = 0
    for name, (outcome, said) in other.items():
        full = f"{label}::{name}"
        if listed.reason(full) is not None:
            continue
        new += 1
        print(f"\n{full}: {outcome}\n{said}", flush=True)
    print(f"{label}: {len(passed)} pass, {len(other)} only on PyTorch alone, {new} of these not listed", flush=True)
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="folder with PyTorch's test files")
    parser.add_argument("--long", action="store_true", help="every operator, dtype and sample")
    parser.add_argument("-k", default="", metavar="WORD", help="only tests with this in their names, as for pytest")
    parser.add_argument("--file", action="append", help="only this test file (may be given again)")
    options = parser.parse_args()
    listed, new = runs.Listed("torch"), 0
    chosen = ["-k", options.k] if options.k else []
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "torch_journal", "-p", "no:cacheprovider"]
    pytest += ["--noconftest", "-c", os.devnull, "-W", "ignore"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if not options.file:
            command = [*pytest, f"--rootdir={runs.HERE}", str(runs.HERE / "torch_samples.py"), *chosen]
            outcomes = run(command, folder / "samples", accelerated=False, long=options.long)
            passed = [name for name, (outcome, _) in outcomes.items() if outcome == "passed"]
            other = {name: what for name, what in outcomes.items() if what[0] not in ("passed", "skipped")}
            new += report("samples", passed, other, listed)
        for file in options.file or (FILES if options.folder else ()):
            path = options.folder.resolve() / file
            if not path.exists():
                print(f"{file}: not in {options.folder}")
                continue
            command = [*pytest, f"--rootdir={path.parent}", str(path), *chosen]
            passed, other = compared(file, command, folder)
            new += report(file, passed, other, listed)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
