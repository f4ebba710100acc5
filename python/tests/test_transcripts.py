"""The transcripts of the libraries' documents, run with only the import changed."""

import contextlib
import io
import pathlib
import re
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "transcripts"


def ours(source):
    """The source with the libraries' imports turned into those of our modules; NumPy stays NumPy."""
    source = re.sub(r"^import (torch|mindspore)\b(?! as)", r"import takewise.\1 as \1", source, flags=re.M)
    source = re.sub(r"^import (torch|mindspore) as", r"import takewise.\1 as", source, flags=re.M)
    return re.sub(r"^from (torch|mindspore)\b", r"from takewise.\1", source, flags=re.M)


def play(source, names):
    """What a prompt would show: output and value, or the class and text of the exception."""
    if source.lstrip().startswith("#") and "\n" not in source.strip():
        return ""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        before, sys.displayhook = sys.displayhook, lambda value: value is not None and print(repr(value))
        try:
            exec(compile(source, "<transcript>", "single"), names)
        except Exception as error:
            print(f"Traceback (most recent call last):\n{type(error).__name__}: {error}".rstrip())
        finally:
            sys.displayhook = before
    return shown.getvalue()


def names():
    import numpy

    import takewise.mindspore
    import takewise.torch

    return {"torch": takewise.torch, "np": numpy, "numpy": numpy, "mindspore": takewise.mindspore}


def examples(text):
    """Line number, source and what is shown after it, up to the next prompt."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].startswith(">>> "):
            at += 1
            continue
        first, source = at, [lines[at][4:]]
        at += 1
        while at < len(lines) and lines[at].startswith("..."):
            source.append(lines[at][4:])
            at += 1
        shown = []
        while at < len(lines) and not lines[at].startswith(">>> "):
            shown.append(lines[at])
            at += 1
        yield first + 1, "\n".join(source), "\n".join(shown)


# NumPy warns of a division by zero, and gives 0.
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_transcript(path):
    known, count, wrong = names(), 0, []
    for line, source, want in examples(path.read_text()):
        count += 1
        got = play(ours(source) + "\n", known)
        if want.startswith("Traceback"):
            # The library's own text comes first; what takewise adds to it follows.
            got = "\n".join(got.split("\n")[: len(want.rstrip().split("\n"))])
        if got.rstrip() != want.rstrip():
            wrong.append(f"line {line}: {source}\ngot:\n{got}\nwant:\n{want}")
    assert count and not wrong, f"{len(wrong)} of {count} differ\n" + "\n".join(wrong[:5])
