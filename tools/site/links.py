"""Fails where a link of a Markdown file leads nowhere: to a file that is not there, or to a heading that its page does not have.

    python tools/site/links.py

Such files are read where they lie, and not only on the site. So a page in Chinese has to name the page in Chinese, where there is one.
"""

import os
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Folders with nothing of ours in them.
OTHERS = {"target", "node_modules"}


def files(root):
    """Every Markdown file of the repository, but for what builds and environments have put there."""
    found = []
    for folder, inside, names in os.walk(root):
        here = pathlib.Path(folder)
        kept = [name for name in inside if name not in OTHERS and (name == ".github" or not name.startswith("."))]
        inside[:] = [name for name in kept if not (here / name / "pyvenv.cfg").exists()]
        found += [here / name for name in names if name.endswith(".md")]
    return sorted(found)


def prose(text):
    """A page without its blocks of code."""
    return re.sub(r"^( *)(```+).*?^\1\2 *$", "", text, flags=re.M | re.S)


def anchors(text):
    """The names of a page's headings, as GitHub and the site make them. Of two alike only the first has a name that both give it."""
    headings = re.findall(r"^#{1,6} +(.+?) *#*$", prose(text), re.M)
    shown = [re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in shown}


def addresses(text):
    """Where the links and the pictures of a page lead."""
    without_code = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", prose(text), flags=re.S)
    return re.findall(r"\]\(\s*<?([^)\s>]+)", without_code) + re.findall(r"^\[[^\]]+\]: *(\S+)", without_code, re.M)


def faults(path, root=ROOT):
    """One line for each link of a page that leads nowhere, or to English where there is Chinese; and how many there are."""
    wrong, found = [], addresses(path.read_text(encoding="utf-8"))
    for address in found:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = path if not parts.path else path.parent / urllib.parse.unquote(parts.path)
        inside = target.resolve().is_relative_to(root.resolve())
        if parts.path.startswith("/") or not inside or not target.exists():
            wrong.append(f"{path.relative_to(root)}: {address} is not there")
            continue
        anchor = urllib.parse.unquote(parts.fragment)
        if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            wrong.append(f"{path.relative_to(root)}: {address} names no heading of its page")
        chinese = target.with_suffix(f".zh{target.suffix}")
        if path.name.endswith(".zh.md") and ".zh." not in target.name and chinese.exists():
            wrong.append(f"{path.relative_to(root)}: {address} is in English, and {chinese.name} is there")
    return wrong, len(found)


def main():
    pages = files(ROOT)
    wrong = [line for page in pages for line in faults(page)[0]]
    print(f"{len(pages)} Markdown files, {sum(faults(page)[1] for page in pages)} links, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
