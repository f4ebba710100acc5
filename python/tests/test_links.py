"""Every link of the repository's Markdown leads to a file and a heading that are there, and from Chinese to Chinese."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("links", ROOT / "tools/site/links.py")
links = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(links)
PAGES = links.files(ROOT)


def test_links_lead_to_what_is_there():
    assert {ROOT / "README.md", ROOT / "docs/index.zh.md"} <= set(PAGES)
    assert [line for page in PAGES for line in links.faults(page)[0]] == []


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("b.md#here-and-there", None),
        ("b.md#x-by-one", None),
        ("#begin", None),
        ("https://example.org/nowhere", None),
        ("folder", None),
        ("picture.svg", "is in English"),
        ("c.md", "is not there"),
        ("/b.md", "is not there"),
        ("../b.md", "is not there"),
        ("b.md#elsewhere", "names no heading"),
        ("b.md#not-a-heading", "names no heading"),
        ("#elsewhere", "names no heading"),
        ("en.md", "is in English"),
        ("en.zh.md", None),
    ],
)
def test_faults_are_found(tmp_path, address, told):
    (tmp_path / "b.md").write_text("# Here, and *there*\n\n## `x[...]` by [one](en.md)\n\n```sh\n# not a heading\n```\n")
    (tmp_path / "folder").mkdir()
    for name in ("en.md", "en.zh.md", "picture.svg", "picture.zh.svg"):
        (tmp_path / name).write_text("")
    page = tmp_path / "a.zh.md"
    page.write_text(f"# Begin\n\n[here]({address}), but not `[there](nowhere.md)`.\n\n```text\n[there](nowhere.md)\n```\n")
    wrong, count = links.faults(page, tmp_path)
    assert count == 1 and len(wrong) == (told is not None) and all(told in line for line in wrong)


def test_chinese_headings_have_names():
    assert links.anchors("## Rust 中的梯度\n### searchsorted 与 `bucketize`（一）\n") == {"rust-中的梯度", "searchsorted-与-bucketize一"}
