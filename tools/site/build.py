"""Builds the documentation site: lays its pages out in one folder and has MkDocs make HTML of them.

    python tools/site/build.py [--check]
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As `mkdocs.yml` names them.
PAGES, SITE = ROOT / "target/site-pages", ROOT / "target/site"
# Pages of the root that belong on the site.
OF_ROOT = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
# Drawings that a test of takewise-explain keeps as the engine makes them.
DRAWINGS = "crates/takewise-explain/tests/golden/"


def shown(text):
    """A page as the site has it: drawings, notebooks and pages of the root are elsewhere there, and Rust's hidden lines are hidden."""
    text = re.sub(rf"\]\(((?:\.\./)*)\.\./{DRAWINGS}", r"](\1drawings/", text)
    text = text.replace("](../../notebooks/", "](../notebooks/")
    text = re.sub(rf"\]\(((?:\.\./)*)\.\./({'|'.join(map(re.escape, OF_ROOT))})\b", r"](\1\2", text)
    return re.sub(r"^```rust\n.*?^```$", lambda block: without_hidden(block[0]), text, flags=re.M | re.S)


def without_hidden(block):
    return "\n".join(line for line in block.split("\n") if line != "#" and not line.startswith("# "))


def without_language(text):
    """Links of a page in Chinese as the site wants them: it leads from a name to the page in the reader's language."""
    return re.sub(r"(\]\((?!\w+:)[^)\s]+)\.zh\.md\b", r"\1.md", text)


def joined(text):
    """Lines of Chinese in one, as a break would be shown as a space."""
    wide = "[\u3001-\u303f\u4e00-\u9fff\uff01-\uff60]"
    return re.sub(rf"({wide})\n(?={wide})", r"\1", text)


def of_mistakes(text):
    """The table of mistakes as a page: a heading a section, and each call with the lines that Python shows below it."""
    first, *blocks = text.strip().split("\n\n")
    page = ["# Mistakes, and what is said of them", first, "Each call is a test, and nothing is written by any of them."]
    for block in blocks:
        if block.startswith((">>> ", "    ")):
            page.append("```text\n" + block + "\n```")
        else:
            page.append("## " + block)
    return "\n\n".join(page) + "\n"


def lay_out():
    shutil.rmtree(PAGES, ignore_errors=True)
    # The folder of the web page is a program; its page for maintainers is the only document in it.
    shutil.copytree(ROOT / "docs", PAGES, ignore=shutil.ignore_patterns("explain"))
    (PAGES / "explain").mkdir()
    shutil.copy(ROOT / "docs/explain/README.md", PAGES / "explain")
    for page in PAGES.rglob("*.md"):
        text = shown(page.read_text(encoding="utf-8"))
        page.write_text(joined(without_language(text)) if page.name.endswith(".zh.md") else text, encoding="utf-8")
    for name in OF_ROOT:
        text = (ROOT / name).read_text(encoding="utf-8")
        (PAGES / name).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    mistakes = (ROOT / "python/tests/mistakes.txt").read_text(encoding="utf-8")
    (PAGES / "mistakes.md").write_text(of_mistakes(mistakes), encoding="utf-8")
    shutil.copytree(ROOT / "notebooks", PAGES / "notebooks")
    for name in ("favicon.svg", "extra.css"):
        shutil.copy(ROOT / "tools/site" / name, PAGES)
    (PAGES / "drawings").mkdir()
    for drawing in (ROOT / DRAWINGS).glob("*.svg"):
        shutil.copy(drawing, PAGES / "drawings")


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    here = pathlib.Path(__file__).parent
    if arguments:
        subprocess.run([sys.executable, str(here / "links.py")], check=True)
    lay_out()
    mkdocs = ["-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(here / "mkdocs.yml")]
    subprocess.run([sys.executable, *mkdocs], check=True)
    if arguments:
        subprocess.run([sys.executable, str(here / "check.py"), str(SITE)], check=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
