"""What MkDocs is told while it builds: the interactive page, a program and no document, has a place among the tabs."""

from mkdocs.structure.nav import Link


def on_nav(nav, config, files):
    title, language = ("网页", "#lang=zh") if config.theme["language"] == "zh" else ("The web page", "")
    nav.items.insert(2, Link(title, f"explain/index.html{language}"))
    return nav
