"""An explanation in a notebook: run by Jupyter's own kernel, written as a page, and looked at in a browser."""

import pathlib
import shutil

import pytest

nbclient = pytest.importorskip("nbclient", reason="Jupyter is not installed here; `cargo xtask python-live` fetches it")
nbconvert = pytest.importorskip("nbconvert", reason="as above")
playwright = pytest.importorskip("playwright.sync_api", reason="as above")

import nbformat  # noqa: E402

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

CELL = """
import numpy as np, takewise
y = np.zeros(3)
takewise.explain(takewise.scatter_add_, y, 0, np.array([0, 0, 2]), np.array([1.0, 2.0, 3.0]), language={language!r})
"""


@pytest.fixture(scope="module")
def notebook():
    """A notebook of three cells, executed."""
    cells = [nbformat.v4.new_code_cell(CELL.format(language=language)) for language in ("en", "zh")]
    cells.append(nbformat.v4.new_code_cell("import takewise; takewise.explain('x[i]', x=np.arange(4), i=[3, 9])"))
    made = nbformat.v4.new_notebook(cells=cells)
    return nbclient.NotebookClient(made, timeout=120, kernel_name="python3").execute()


def test_a_cell_gives_every_form(notebook):
    for cell in notebook.cells:
        (output,) = cell.outputs
        assert output.output_type == "execute_result"
        assert {"text/plain", "text/html", "image/svg+xml"} <= set(output.data)
        assert output.data["image/svg+xml"].startswith("<svg") and "\x1b" not in output.data["text/plain"]
    assert "IndexError" in notebook.cells[2].outputs[0].data["text/plain"]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path: it is a package of every Linux")
def test_a_browser_shows_it(notebook, tmp_path):
    page_file = tmp_path / "notebook.html"
    text, _ = nbconvert.HTMLExporter(template_name="lab").from_notebook_node(notebook)
    page_file.write_text(text)
    with playwright.sync_playwright() as p:
        context = p.chromium.launch_persistent_context(
            tmp_path / "profile", executable_path=BROWSER, headless=True, args=FLAGS, viewport={"width": 1100, "height": 1400}
        )
        try:
            page = context.new_page()
            # Nothing of ours asks for anything outside; what the page's own frame asks for is not answered.
            asked = []
            page.route("**/*", lambda route: (asked.append(route.request.url), route.abort() if "://" in route.request.url and not route.request.url.startswith("file:") else route.continue_()))
            errors = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(page_file.as_uri())
            pictures = page.locator(".tw")
            assert pictures.count() == 3
            for k in range(3):
                assert pictures.nth(k).is_visible() and pictures.nth(k).bounding_box()["height"] > 100
            first = pictures.nth(0)
            assert "index" in first.inner_text()
            # Pointing at an element of the result lights up what it is made of.
            lit = first.locator("td.tw-lit")
            assert lit.count() == 0
            cell = first.locator("td[data-k]").last
            cell.hover()
            assert lit.count() >= 2
            assert pictures.nth(1).locator("td.tw-lit").count() == 0
            assert any("\u4e00" <= c <= "\u9fff" for c in pictures.nth(1).inner_text())
            assert "IndexError" in pictures.nth(2).inner_text()
            kept = pathlib.Path(__file__).parents[2] / "target"
            page.screenshot(path=(kept if kept.is_dir() else tmp_path) / "notebook.png", full_page=True)
            ours = [error for error in errors if "require" not in error and "MathJax" not in error]
            assert not ours, ours
        finally:
            context.close()
