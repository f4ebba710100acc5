"""A plugin of pytest that writes down what becomes of each test, so that a crash names the test it happened in.

Two variables of the environment speak to it: ``TAKEWISE_JOURNAL`` names the file written to, ``TAKEWISE_ONLY`` (if set) a
file with the names of the tests to run. Tests that the journal has already are not run again.
"""

import json
import os
import pathlib

JOURNAL = pathlib.Path(os.environ["TAKEWISE_JOURNAL"])
ONLY = os.environ.get("TAKEWISE_ONLY")


def read(journal):
    """What became of each test: ``{name: (outcome, said)}``; a test that was begun only is ``"begun"``."""
    outcomes = {}
    for line in pathlib.Path(journal).read_text().splitlines() if pathlib.Path(journal).exists() else ():
        name, outcome, said = json.loads(line)
        # The parts of a test (its subtests, its end) may fail after it passed.
        if outcomes.get(name, ("begun",))[0] != "failed":
            outcomes[name] = (outcome, said)
    return outcomes


def write(name, outcome, said=""):
    with JOURNAL.open("a") as file:
        file.write(json.dumps([name, outcome, said]) + "\n")


def short(nodeid):
    """The name of a test without its file."""
    return nodeid.partition("::")[2]


def pytest_collection_modifyitems(config, items):
    done = read(JOURNAL)
    only = set(pathlib.Path(ONLY).read_text().split("\n")) if ONLY else None
    kept = [item for item in items if short(item.nodeid) not in done and (only is None or short(item.nodeid) in only)]
    left = [item for item in items if item not in set(kept)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


def pytest_runtest_logstart(nodeid, location):
    write(short(nodeid), "begun")


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        write(short(report.nodeid), report.outcome, "" if report.outcome == "passed" else str(report.longrepr)[-3000:])


if os.environ.get("TAKEWISE_ACCELERATE"):
    import takewise

    takewise.accelerate_torch(operators="all").enable()
