"""Makes a notebook of each tutorial in `docs/learn`, and runs notebooks where there is no Jupyter.

    python tools/python/notebooks.py            # writes notebooks/
    python tools/python/notebooks.py FILE...    # runs notebooks, and fails where a cell gives something else than it shows
"""

import ast
import contextlib
import doctest
import io
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/learn").glob("*.md"))
SAME = doctest.OutputChecker().check_output
FAILED = "Traceback (most recent call last):\n"


def examples(text):
    """Line number, source and the output that is shown, of every `>>>` in a block of code."""
    found, inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside = line.startswith("```pycon")
        elif inside and line.startswith(">>> "):
            found.append((number, [line[4:]], []))
        elif inside and line.startswith("...") and not found[-1][2]:
            found[-1][1].append(line[4:])
        elif inside:
            found[-1][2].append(line)
    return [(number, "\n".join(source), "\n".join(shown).rstrip()) for number, source, shown in found]


def play(source, names):
    """What a prompt would show: output and values, or the exception without its frames."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        before, sys.displayhook = sys.displayhook, lambda value: value is not None and print(repr(value))
        try:
            for statement in ast.parse(source, "<page>").body:
                exec(compile(ast.Interactive([statement]), "<page>", "single"), names)
        except Exception as error:
            print(f"{FAILED}{type(error).__name__}: {error}")
        finally:
            sys.displayhook = before
    return shown.getvalue().rstrip()


def printed(source):
    """Whether a cell prints what it shows, and has no value."""
    last = ast.parse(source).body[-1]
    call = last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    return not isinstance(last, ast.Expr) or isinstance(call, ast.Name) and call.id == "print"


def outputs(source, shown):
    """The output of a cell as a notebook keeps it."""
    if shown.startswith(FAILED):
        name, _, value = shown.removeprefix(FAILED).partition(": ")
        return [{"output_type": "error", "ename": name, "evalue": value, "traceback": [shown]}]
    if printed(source):
        return [{"output_type": "stream", "name": "stdout", "text": shown + "\n"}]
    return [{"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": {"text/plain": shown}}]


def words(text, at):
    """The Markdown of a page as a notebook has it: its links lead from another folder, and it does not name itself."""
    parts = [part for part in text.strip().split("\n\n") if "/notebooks/" not in part]
    # Lines of Chinese are one, as a break would be shown as a space.
    parts = [re.sub(r"(?<=[^\x00-\xff])\n(?=[^\x00-\xff])", "", part) for part in parts]
    return re.sub(r"\]\((?!\w+:|#)([^)]+)\)", lambda link: f"]({moved(link[1], at)})", "\n\n".join(parts))


def moved(address, at):
    path, hash_, heading = address.partition("#")
    return "../" + (at / path).resolve().relative_to(ROOT).as_posix() + hash_ + heading


def notebook(path):
    """The notebook of a page. What shows nothing stands in one cell with what follows it in its block."""
    cells = []

    def add(kind, source, **more):
        cells.append({"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": source, **more})

    for part in re.split(r"^(```pycon\n.*?^```)$", path.read_text("utf-8"), flags=re.M | re.S):
        if not part.startswith("```pycon"):
            if text := words(part, path.parent):
                add("markdown", text)
            continue
        waiting = []
        found = examples(part)
        for number, source, shown in found:
            waiting.append(source)
            if shown or number == found[-1][0]:
                whole = "\n".join(waiting).rstrip()
                add("code", whole, execution_count=None, outputs=outputs(whole, shown) if shown else [])
                if shown.startswith(FAILED):
                    cells[-1]["metadata"]["tags"] = ["raises-exception"]
                waiting = []
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def file_of(path):
    """Where the notebook of a page lies."""
    return ROOT / "notebooks" / path.with_suffix(".ipynb").name


def text_of(made):
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def kept(output):
    """The text of an output."""
    if output["output_type"] == "error":
        return f"{FAILED}{output['ename']}: {output['evalue']}"
    return "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]).rstrip()


def code(made):
    """Number, source and output of each cell of code."""
    cells = enumerate(made["cells"], 1)
    found = [(number, cell) for number, cell in cells if cell["cell_type"] == "code"]
    return [(number, "".join(cell["source"]), "\n".join(map(kept, cell["outputs"]))) for number, cell in found]


def wrong(found, what="line"):
    """The examples, or the cells, that give something else than is shown."""
    names, differ = {}, []
    for number, source, want in found:
        got = play(source, names)
        if not SAME(want + "\n", got + "\n", doctest.ELLIPSIS):
            differ.append(f"{what} {number}: {source}\ngot:\n{got}\nwant:\n{want}")
    return differ


def main(files):
    for path in [] if files else PAGES:
        file_of(path).parent.mkdir(exist_ok=True)
        file_of(path).write_text(text_of(notebook(path)), "utf-8")
    failed = [fault for name in files for fault in wrong(code(json.loads(pathlib.Path(name).read_text("utf-8"))), f"{name}, cell")]
    if failed:
        sys.exit("\n\n".join(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
