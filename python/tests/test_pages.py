"""The examples of README and of the pages for users, run as they are written.

A page whose examples import takewise is Python's and is run here. The others are in the notation of the command, and
`crates/takewise-notation/tests/transcripts.rs` runs them. Tutorials are run as notebooks, by `test_notebooks.py`. A page in Chinese has the code of the page in English.
"""

import importlib
import pathlib
import re
import shutil

import pytest

import notebooks

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("start", "guides", "howto")
PAGES = sorted(path for folder in FOLDERS for path in (ROOT / "docs" / folder).glob("*.md") if ".zh." not in path.name)
TRANSLATED = sorted((ROOT / "docs").rglob("*.zh.md"))
README = ROOT / "README.md"
PYTHON = [path for path in [README, *PAGES] if re.search(r"^>>> (?:import|from) .*\btakewise\b", path.read_text("utf-8"), re.M)]


def libraries(path):
    """What a page imports, as it writes it at the start of a line."""
    return sorted(set(re.findall(r"^>>> import (\w+)", path.read_text("utf-8"), re.M)))


def named(path):
    """The name of a test, with the libraries in it: environments that have one choose tests by its name (`xtask/src/python.rs`)."""
    folder = [] if path == README else [path.parent.name]
    return "-".join([*folder, path.name.removesuffix(".md"), *(one for one in libraries(path) if one not in ("numpy", "takewise"))])


@pytest.mark.parametrize("path", PYTHON, ids=named)
def test_page(path, tmp_path, monkeypatch):
    text = path.read_text("utf-8")
    for library in libraries(path):
        try:
            importlib.import_module(library)
        except ModuleNotFoundError:
            pytest.skip(f"the page uses {library}")
    # Pages write files where they are run, and read the digits there.
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data", tmp_path / "data")
    found = notebooks.examples(text)
    differ = notebooks.wrong(found)
    assert found and not differ, f"{len(differ)} of {len(found)} differ\n" + "\n".join(differ)


def blocks(path):
    """What a page has of code."""
    return re.findall(r"^```\w+\n.*?^```$", path.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("path", TRANSLATED, ids=lambda path: f"{path.parent.name}-{path.name.removesuffix('.md')}")
def test_translated_page_has_the_same_code(path):
    english = path.with_name(path.name.replace(".zh.", "."))
    assert blocks(path) == blocks(english), f"copy the blocks of code of {english.name} to {path.name}"


def test_pages_with_rust_are_documentation_tests():
    named = (ROOT / "crates/takewise-testkit/src/lib.rs").read_text("utf-8")
    rust = [path for path in PAGES if any(block.startswith("```rust") for block in blocks(path))]
    assert rust and [path.name for path in rust if f"{path.parent.name}/{path.name}" not in named] == []


def test_pages_are_found_and_can_fail():
    assert README in PYTHON and {path.parent.name for path in PYTHON if path != README} == set(FOLDERS)
    page = "```pycon\n>>> print(1)\n1\n>>> [2]\n[3]\n>>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: ...\n```\n"
    found = notebooks.examples(page)
    assert len(found) == 3 and [fault.split("\n")[0] for fault in notebooks.wrong(found)] == ["line 4: [2]"]
