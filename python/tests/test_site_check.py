"""The check of the built documentation site finds what it is for."""

import importlib.util
import pathlib

PATH = pathlib.Path(__file__).parents[2] / "tools/site/check.py"
SPEC = importlib.util.spec_from_file_location("site_check", PATH)
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)


def test_faults_are_found(tmp_path):
    (tmp_path / "zh").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">a</h1> <a href="zh/">b</a> <a href="zh/#名">c</a> <a href="zh/#lang=zh&amp;e=x">g</a> <a href="https://example.org">d</a>'
        '<a href="zh/index.html#no">e</a> <a href="gone.html">f</a> <script src="https://example.org/x.js"></script>'
        '<link rel="stylesheet" href="//example.org/y.css"> <link rel="canonical" href="https://example.org/">'
    )
    (tmp_path / "zh/index.html").write_text('<h1 id="名">a</h1> <a href="../../outside">b</a> <a href="../#top">c</a>')
    (tmp_path / "a.css").write_text("@font-face { src: url('https://example.org/z.woff2') } a { b: url(data:x) }")
    (tmp_path.parent / "outside").write_text("")
    wrong, _, pages = check.faults(tmp_path.resolve())
    assert pages == 2
    assert wrong == [
        "index.html: zh/index.html#no names no heading of its page",
        "index.html: gone.html is not there",
        "index.html: asks for https://example.org/x.js",
        "index.html: asks for //example.org/y.css",
        "zh/index.html: ../../outside is not there",
        "a.css: asks for https://example.org/z.woff2",
    ]
