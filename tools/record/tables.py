"""The hand-picked cases: text files under tables/, so that a case is one line.

== read/x 3              the cases are named read/x000, read/x001, ...
x = torch.arange(24)     statements around each case,
? a = [0, 1]             this one only where the case mentions `a`
@                        the case itself
x
--
x[0] = 5                 one case a line; `;;` separates several statements
x[a] = 6
"""

import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "tables"


def statements(template, case):
    words = set(re.findall(r"\b[a-z]\w*\b", case))
    for line in template:
        if line == "@":
            yield from case.split(" ;; ")
        elif not line.startswith("? "):
            yield line
        elif line[2:].split(" = ")[0] in words:
            yield line[2:]


def load(name):
    """The cases of tables/NAME.txt: pairs of an id and its statements."""
    lines = iter((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines())
    for line in lines:
        if not line.startswith("== "):
            continue
        prefix, width = line[3:].split()
        template = []
        for line in lines:
            if line == "--":
                break
            template.append(line)
        for number, line in enumerate(iter(lambda: next(lines, ""), "")):
            yield f"{prefix}{number:0{width}}", list(statements(template, line))
