"""What is said of mistakes: each call of `mistakes.txt` fails with the words below it.

    python python/tests/test_mistakes.py

writes down what is said now, to be read and put in place of the file.
"""

import pathlib

import numpy as np
import pytest

import takewise as tw

FILE = pathlib.Path(__file__).with_name("mistakes.txt")


def entries():
    """Calls, each with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in FILE.read_text().splitlines():
        if line.startswith(">>> "):
            found.append((line[4:], []))
        elif line.startswith("    "):
            found[-1][1].append(line[4:])
    return [(call, "\n".join(lines)) for call, lines in found]


def said(call):
    """The error of a call, as Python shows it; what it is given is as it was."""
    x = np.arange(12.0).reshape(3, 4)
    names = {"tw": tw, "np": np, "x": x, "i": np.array([[0, 2], [1, 1], [2, 0]]), "v": np.array([10, 20, 30]), "m": x > 5, "torch": tw.torch}
    before = {name: names[name].copy() for name in "xivm"}
    try:
        exec(call, names)
    except Exception as error:
        for name, array in before.items():
            assert np.array_equal(names[name], array), f"{name} was changed"
        return f"{type(error).__name__}: {error}"
    return "nothing"


@pytest.mark.parametrize(("call", "words"), entries(), ids=lambda value: value[:60])
def test_mistakes_are_told(call, words):
    assert said(call) == words


def test_there_are_many_and_none_says_what_nobody_typed():
    found = entries()
    assert len(found) >= 60
    for call, words in found:
        first, *rest = words.splitlines()
        assert not any(line.strip() and line.strip() in first for line in rest), f"{call}: a line repeats the first"
        for inside in ("setitem", "GatherNd", "ScatterNd", "Int(", "Float(", "TensorScatter", "builtins", "PyO3"):
            assert inside not in words, f"{call}: {inside}"


if __name__ == "__main__":
    for line in FILE.read_text().splitlines():
        if not line.startswith("    "):
            print(line)
        if line.startswith(">>> "):
            print("\n".join("    " + part for part in said(line[4:]).splitlines()))
