"""Runs random calls in a real library and in the installed `takewise` with only the import changed, and compares.

    python tools/python/fuzz.py [torch] [numpy] [mindspore] [jax] [--cases N] [--seed S] [--texts] [--drawn]

The calls are those of the generators under `tools/record`: shapes with 0 and 1, views of every stride, every index kind
and dtype, good arguments and bad ones. Compared are value, dtype, shape, and the exception's class, with `--texts` also
the first line of its text. Libraries that are not installed are passed over when none is named. Prints the first cases
that differ and ends with status 1 if any do; with `--drawn`, where hypothesis draws the cases, the smallest.
"""

import argparse
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "record"))

import encode
import literal
import records
import replay

OURS = {"torch": records.Torch, "numpy": records.NumPy, "mindspore": records.MindSpore, "jax": records.Jax}
# How many differing cases are shown.
SHOWN = 20
# Steps of the generators' scale at a time, each some 30 to 45 cases of torch or NumPy.
STEPS = 10

# What the real library answers where it cannot, or should not, be followed: docs/DIALECTS.md has the reasons.
EXCUSED = {
    # The last: a view of something written to through it counts as a leaf for masked_fill_ and put_ until its grad_fn is
    # asked for. The records have the cases that are refused with reason.
    "torch": ["setStorage: sizes", "INTERNAL ASSERT FAILED", "complex32", "a leaf Variable that requires grad"],
    "numpy": [],
    "mindspore": [],
    "jax": [],
}


def cases(library, seed):
    """Statements without end."""
    while True:
        literal.Gen.salt = f"python {seed}"
        for generator in replay.sources(library, STEPS)[1]:
            for _, statements in generator:
                yield statements
        seed = f"{seed}+"


def undefined(real, statements):
    """Whether a search runs over a sequence that is not sorted, where the answer is any library's own."""
    if "searchsorted(s" not in statements[-1] or "sorter" in statements[-1]:
        return False
    sorted_ = encode.run(real, "", [*statements[:-1], "list(s) == sorted(s)"], False)
    return sorted_.get("value") is False


def signed_zero(real, statements, what):
    """Whether only signs of zero differ where PyTorch multiplies complex numbers by 1+0j: docs/DIALECTS.md."""
    said = " ".join(statements)
    added = re.search(r"index_add_?\((?:x, )?(?:dim=)?(-?\d+)", said)
    if "j" not in statements[0] or not (added or "index_reduce" in said and "'mean'" in said):
        return False
    if added and "int32" not in said:
        ndim = encode.run(real, "", [statements[0], "x.ndim"], False).get("value", 0)
        if ndim > 1 and int(added[1]) % ndim in (0, ndim - 1):
            return False
    want, _, got = what.removeprefix("data: expected ").partition(", got ")
    return want.replace("'-0.0'", "0.0") == got.replace("'-0.0'", "0.0")


def holding(library, texts):
    """A function that tells what differs when statements run in the library and in ours; `None` if nothing that counts."""
    real, ours = replay.sources(library, 0)[0], OURS[library]()

    def differs(statements):
        want = encode.run(real, "", statements, False)
        said = f"{want.get('text')} {want.get('dtype')}"
        if any(mark in said for mark in EXCUSED[library]):
            return None
        if not texts and "error" in want:
            want["text"] = ""
        what = records.compare(want, ours.run(want))
        return None if what and (undefined(real, statements) or signed_zero(real, statements, what)) else what

    return differs


def hold(library, count, seed, differs):
    """Runs that many cases; what differs."""
    wrong, done = [], 0
    for statements in cases(library, seed):
        if done == count:
            break
        try:
            what = differs(statements)
        except SyntaxError:
            continue
        done += 1
        if what:
            wrong.append((statements, what))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="*", choices=[*OURS, []])
    parser.add_argument("--cases", type=int, default=20_000, help="for each library")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--texts", action="store_true", help="compare what exceptions say, too")
    parser.add_argument("--drawn", action="store_true", help="hypothesis draws; shows the smallest that differs")
    args = parser.parse_args()
    libraries = args.library or [name for name in OURS if importlib.util.find_spec(name)]
    failed = False
    find = hold
    if args.drawn:
        from drawn import smallest as find
    for library in libraries:
        wrong = find(library, args.cases, args.seed, holding(library, args.texts))
        failed |= bool(wrong)
        print(f"{library}: {args.cases} cases, {len(wrong)} differ")
        for statements, what in wrong[:SHOWN]:
            print("    " + "\n    ".join(statements) + f"\n  -> {what}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
