"""The notebooks of the tutorials: made of the pages, and run here, without Jupyter and by it. What they say of libraries is asked of these."""

import json
import re

import numpy as np
import pytest

import notebooks

MADE = {path: json.loads(notebooks.file_of(path).read_text("utf-8")) for path in notebooks.PAGES}
ENGLISH = [path for path in MADE if ".zh." not in path.name]


def test_notebooks_are_those_of_the_pages():
    assert [path.name for path, made in MADE.items() if made != notebooks.notebook(path)] == [], "run tools/python/notebooks.py"
    assert sorted(notebooks.file_of(ENGLISH[0]).parent.iterdir()) == sorted(map(notebooks.file_of, MADE))


@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: path.stem)
def test_cells_give_what_they_show(path):
    cells = notebooks.code(MADE[path])
    assert cells and notebooks.wrong(cells, "cell") == []


@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: path.stem)
def test_jupyter_runs_the_cells(path):
    nbclient = pytest.importorskip("nbclient", reason="Jupyter is not installed here; `cargo xtask python-live` fetches it")
    nbformat = pytest.importorskip("nbformat")
    asked = nbformat.from_dict(MADE[path])
    nbformat.validate(asked)
    done = nbclient.NotebookClient(asked, timeout=120, kernel_name="python3").execute()
    assert notebooks.code(done) == notebooks.code(MADE[path])


def test_a_cell_that_gives_something_else_is_found():
    cell = {"cell_type": "code", "source": ["a = 1\n", "a"], "outputs": notebooks.outputs("a = 1\na", "2")}
    (fault,) = notebooks.wrong(notebooks.code({"cells": [cell]}), "cell")
    assert fault.split("\n") == ["cell 1: a = 1", "a", "got:", "1", "want:", "2"]


@pytest.mark.parametrize("library", ["numpy", "torch", "mindspore", "jax"])
def test_the_library_itself_answers_so(library):
    """The table of `wrong-index.md`, which is printed by takewise's dialects."""
    module = pytest.importorskip("jax.numpy" if library == "jax" else library)
    (shown,) = (shown for _, source, shown in notebooks.code(MADE[ENGLISH[-1]]) if "def outcome" in source)
    made = getattr(module, "tensor" if library in ("torch", "mindspore") else "array")
    names = {"np": np, "torch": module, "jnp": module, "prices": made([10, 20, 30, 40]), "days": made([1, 3, 4])}
    rows = re.findall(rf"^{library} +(.+?)  +(.+)$", shown, re.M)
    assert rows
    for call, said in rows:
        try:
            found = str([str(value) for value in eval(call, names).tolist()])
        except (IndexError, RuntimeError) as error:
            found = type(error).__name__
        # Of 32 bits, where JAX is not told otherwise.
        assert found.replace("-2147483648", "-9223372036854775808") == said, call
