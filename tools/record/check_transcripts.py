#!/usr/bin/env python3
"""Run the transcripts in the real libraries and compare, doctest fashion.

    python3 tools/record/check_transcripts.py             report every output that differs
    python3 tools/record/check_transcripts.py --update    write the libraries' outputs into the files

A transcript holds `>>> ` statements, `... ` continuations, and the output that follows each. An error is written as
`Traceback (most recent call last):` and a line with the exception's class and the first line of its message. Every
file starts with the names its documents take for granted: torch and np.
"""

import argparse
import contextlib
import io
import pathlib
import subprocess
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "transcripts"


def steps(text):
    """Pairs of (source lines, expected output lines)."""
    out = []
    for line in text.splitlines():
        if line.startswith(">>> "):
            out.append(([line[4:]], []))
        elif line.startswith("... ") and out and not out[-1][1]:
            out[-1][0].append(line[4:])
        else:
            out[-1][1].append(line)
    return out


def evaluate(source, env):
    """What the interpreter prints for one statement; nothing for a comment."""
    if source.startswith("#"):
        return []
    shown = io.StringIO()

    def show(value):
        if value is not None:
            print(repr(value))

    with contextlib.redirect_stdout(shown), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old, sys.displayhook = sys.displayhook, show
        try:
            exec(compile(source, "<transcript>", "single"), env)
        except Exception as e:
            lines = str(e).strip().splitlines()
            print(f"Traceback (most recent call last):\n{type(e).__name__}: {lines[0] if lines else ''}".rstrip())
        finally:
            sys.displayhook = old
    return shown.getvalue().splitlines()


def environment(path):
    import numpy as np

    if path.name.startswith("mindspore"):
        import mindspore

        mindspore.set_device("CPU")
        mindspore.runtime.launch_blocking()
        return {"np": np, "__name__": "transcript"}
    import torch

    torch.set_num_threads(1)
    return {"torch": torch, "np": np, "__name__": "transcript"}


def check(path, update):
    env = environment(path)
    lines, wrong, asked = [], 0, 0
    for source, expected in steps(path.read_text(encoding="utf-8")):
        got = evaluate("\n".join(source) + "\n", env)
        while expected and not expected[-1]:
            expected.pop()
        lines += [(">>> " if k == 0 else "... ") + s for k, s in enumerate(source)] + got
        asked += bool(got)
        if expected != got:
            wrong += 1
            if not update:
                print(f"{path.name}: {source[0]}\n  expected {expected}\n  got      {got}")
    if update:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path.name}: {asked} outputs, {wrong} {'rewritten' if update else 'differ'}")
    return wrong and not update


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the real outputs into the transcripts")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        return int(bool(check(pathlib.Path(args.inside), args.update)))
    from record import python

    failed = 0
    for path in sorted(FOLDER.glob("*.txt")):
        library = "mindspore" if path.name.startswith("mindspore") else "torch"
        command = [python(library), __file__, "--inside", path] + (["--update"] if args.update else [])
        failed += subprocess.run(command).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
