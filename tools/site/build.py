"""Builds the documentation site: lays its pages out in one folder and has MkDocs make HTML of them.

    python tools/site/build.py [--page=FOLDER] [--check]

FOLDER is the interactive page, as `docs/explain/tools/build.py` makes it. Without it the site says how to make it.
"""

import json
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
# What stands for the interactive page where it was not built.
NO_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>takewise: the web page</title>
<p>This copy of the site was built without the web page, for want of Rust's target for WebAssembly.
<a href="../guides/explain.html#the-web-page">How to build it</a>.</p></html>
"""


def shown(text):
    """A page as the site has it: drawings, notebooks and pages of the root are elsewhere there, and Rust's hidden lines are hidden."""
    text = re.sub(rf"\]\(((?:\.\./)*)\.\./{DRAWINGS}", r"](\1drawings/", text)
    text = text.replace("](../../notebooks/", "](../notebooks/")
    text = re.sub(rf"\]\(((?:\.\./)*)\.\./({'|'.join(map(re.escape, OF_ROOT))})\b", r"](\1\2", text)
    # Beside the interactive page there is no room for its page for maintainers.
    text = text.replace("explain/README.md", "explain.md")
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


def lay_out(page):
    shutil.rmtree(PAGES, ignore_errors=True)
    # The folder of the web page is a program; its page for maintainers is the only document in it.
    shutil.copytree(ROOT / "docs", PAGES, ignore=shutil.ignore_patterns("explain"))
    shutil.copy(ROOT / "docs/explain/README.md", PAGES / "explain.md")
    (PAGES / "explain").mkdir()
    if page:
        shutil.copytree(page, PAGES / "explain", dirs_exist_ok=True)
    else:
        (PAGES / "explain/index.html").write_text(NO_PAGE, encoding="utf-8")
    for page in PAGES.rglob("*.md"):
        text = shown(page.read_text(encoding="utf-8"))
        page.write_text(joined(without_language(text)) if page.name.endswith(".zh.md") else text, encoding="utf-8")
    for name in OF_ROOT:
        text = (ROOT / name).read_text(encoding="utf-8")
        (PAGES / name).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    mistakes = (ROOT / "python/tests/mistakes.txt").read_text(encoding="utf-8")
    (PAGES / "mistakes.md").write_text(of_mistakes(mistakes), encoding="utf-8")
    shutil.copytree(ROOT / "notebooks", PAGES / "notebooks")
    for name in ("favicon.svg", "extra.css", "search-from-disk.js"):
        shutil.copy(ROOT / "tools/site" / name, PAGES)
    (PAGES / "drawings").mkdir()
    for drawing in (ROOT / DRAWINGS).glob("*.svg"):
        shutil.copy(drawing, PAGES / "drawings")


def finish(site):
    """Gives each language a search of its own, one that works from disk too, and drops what the theme would look for in vain."""
    index = site / "search/search_index.json"
    found = json.loads(index.read_text(encoding="utf-8"))
    chinese = [entry for entry in found["docs"] if entry["location"].startswith("zh/")]
    english = [entry for entry in found["docs"] if not entry["location"].startswith("zh/")]
    for entry in chinese:
        entry["location"] = entry["location"].removeprefix("zh/")
    for folder, docs, languages in ((site, english, ["en"]), (site / "zh", chinese, found["config"]["lang"])):
        text = json.dumps({**found, "config": {**found["config"], "lang": languages}, "docs": docs}, ensure_ascii=False)
        (folder / "search").mkdir(exist_ok=True)
        (folder / "search/search_index.json").write_text(text, encoding="utf-8")
        (folder / "search/search_index.js").write_text(f"var __index = {text};\n", encoding="utf-8")
    for path in site.rglob("*.html"):
        parts = path.relative_to(site).parts
        if parts[0] == "explain":
            continue
        text = path.read_text(encoding="utf-8")
        # For these the theme asks for a map of the site beside every page. Each page has its links to the other language itself.
        text = re.sub(r'\s*<link rel="alternate"[^>]*hreflang[^>]*>', "", text)
        if parts[0] == "zh":
            # Where the index is looked for, and what its entries are relative to.
            text = re.sub(r'("base": ")[^"]*', rf"\g<1>{'/'.join(['..'] * (len(parts) - 2)) or '.'}", text, count=1)
        path.write_text(text, encoding="utf-8")


def main(arguments):
    check = "--check" in arguments
    page = next((argument.removeprefix("--page=") for argument in arguments if argument.startswith("--page=")), None)
    if len(arguments) != check + bool(page):
        sys.exit(__doc__)
    here = pathlib.Path(__file__).parent
    if check:
        subprocess.run([sys.executable, str(here / "links.py")], check=True)
    lay_out(page)
    mkdocs = ["-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(here / "mkdocs.yml")]
    subprocess.run([sys.executable, *mkdocs], check=True)
    finish(SITE)
    if check:
        subprocess.run([sys.executable, str(here / "check.py"), str(SITE)], check=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
