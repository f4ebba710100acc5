"""Fails where a page of the built site names a file or a heading that is not there, or asks for anything outside the site.

A link to another site is what a reader may follow; scripts, styles, fonts and pictures of other sites are what a browser would
fetch without being asked.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

# What a browser fetches by itself. The addresses in `link` are judged by its `rel`.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "object": "data"}
FETCHED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch", "prefetch", "manifest"}


class Page(html.parser.HTMLParser):
    """The names and the addresses of one page."""

    def __init__(self, text):
        super().__init__()
        self.names, self.addresses = set(), []
        self.feed(text)

    def handle_starttag(self, tag, pairs):
        found = dict(pairs)
        self.names.update(value for name in ("id", "name") if (value := found.get(name)))
        if tag in FETCHED and found.get(FETCHED[tag]):
            self.addresses.append((found[FETCHED[tag]], True))
        elif tag == "link" and found.get("href"):
            self.addresses.append((found["href"], bool(FETCHED_LINKS & set((found.get("rel") or "").split()))))
        elif tag == "a" and found.get("href"):
            self.addresses.append((found["href"], False))


def faults(site):
    """One line for each address that leads nowhere or outside, and how many were looked at."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    wrong, count = [], 0
    for path, page in pages.items():
        shown = path.relative_to(site)
        for address, fetched in page.addresses:
            count += 1
            parts = urllib.parse.urlsplit(address)
            if parts.scheme in ("http", "https") or parts.netloc:
                if fetched:
                    wrong.append(f"{shown}: asks for {address}")
                continue
            if parts.scheme in ("mailto", "data", "javascript"):
                continue
            # The page for addresses that are not there names everything from the root of the server.
            inside = parts.path.lstrip("/") if shown.name == "404.html" else parts.path
            target = (site if shown.name == "404.html" else path.parent) / urllib.parse.unquote(inside)
            target = path if not parts.path else target.resolve()
            if target.is_dir():
                target = target / "index.html"
            if not target.is_file() or not target.is_relative_to(site):
                wrong.append(f"{shown}: {address} is not there")
            # Of the interactive page it is no heading but what the page shows, such as `lang=zh`.
            elif "=" not in parts.fragment and parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].names:
                wrong.append(f"{shown}: {address} names no heading of its page")
    for path in sorted(site.rglob("*.css")):
        for address in re.findall(r"(?:url\(|@import\s)\s*[\"']?((?:https?:)?//[^\"')\s]+)", path.read_text(encoding="utf-8")):
            wrong.append(f"{path.relative_to(site)}: asks for {address}")
    return wrong, count, len(pages)


def main(folder):
    site = pathlib.Path(folder).resolve()
    wrong, count, pages = faults(site)
    print(f"{pages} pages, {count} addresses, {len(wrong)} wrong")
    if not pages:
        sys.exit(f"{site} has no pages")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1])
