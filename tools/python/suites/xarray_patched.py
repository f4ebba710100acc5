"""A plugin of pytest that puts takewise's engine where xarray's own for Zarr is, and writes down what becomes of each test.

Whatever opens a Zarr store through xarray (``engine="zarr"``, ``open_zarr``, a path that is guessed) is then read by takewise;
xarray's own code writes. ``TAKEWISE_JOURNAL`` names the file written to. Without ``TAKEWISE_PATCHED`` nothing is replaced.
"""

import collections
import json
import os
import pathlib

JOURNAL = pathlib.Path(os.environ["TAKEWISE_JOURNAL"])
outcomes = {}
reads = collections.Counter()


def patch():
    import xarray.backends.zarr as theirs
    from xarray.backends import plugins

    from takewise import _engine

    class Engine(_engine.Backend):
        guess_can_open = theirs.ZarrBackendEntrypoint.guess_can_open

    theirs.BACKEND_ENTRYPOINTS["zarr"] = ("zarr", Engine)
    plugins.refresh_engines()
    ours = _engine.Elements._ours

    def counted(self):
        found = ours(self)
        reads["by zarr" if found is False else "by takewise"] += 1
        return found

    _engine.Elements._ours = counted


if os.environ.get("TAKEWISE_PATCHED"):
    patch()


def pytest_runtest_logreport(report):
    before = outcomes.get(report.nodeid, ("", ""))[0]
    if report.when == "call" or report.outcome != "passed" and before != "failed":
        outcomes[report.nodeid] = (report.outcome, str(report.longrepr)[-2000:] if report.outcome == "failed" else "")


def pytest_sessionfinish():
    JOURNAL.write_text(json.dumps({"outcomes": outcomes, "reads": reads}))
