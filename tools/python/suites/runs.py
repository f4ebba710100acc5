"""What the suites have in common: the lists of what may differ, and runs of pytest that go on after a crash."""

import collections
import fnmatch
import os
import pathlib
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent

# Seconds after which a test that says nothing is ended.
SILENCE = 900

# The plugins ask for it when they are imported, which is done here for what they read.
os.environ.setdefault("TAKEWISE_JOURNAL", os.devnull)


class Listed:
    """The differences of a list: patterns of names, in which a star stands for anything, two spaces, the reason of each."""

    def __init__(self, name):
        lines = (HERE / f"{name}_differences.txt").read_text().splitlines()
        pairs = [line.split("  ", 1) for line in lines if line and not line.startswith("#")]
        self.reasons = {pattern.strip(): reason.strip() for pattern, reason in pairs}
        self.used = collections.Counter()

    def reason(self, name):
        """Why a difference is none of ours, if it is listed."""
        for pattern, reason in self.reasons.items():
            if fnmatch.fnmatchcase(name, pattern.replace("[", "[[]")):
                self.used[pattern] += 1
                return reason
        return None

    def failed(self, library, names, outcomes, every=False):
        """Says which tests pass on the library alone; how many of these are not listed."""
        new = 0
        for name in names:
            why = self.reason(name)
            new += why is None
            if why is None or every:
                print(f"\n{name}: {outcomes[name][0]} here, passes on {library} alone ({why})\n{outcomes[name][1]}", flush=True)
        return new

    def unmet(self):
        """Says what is listed for nothing."""
        for pattern in self.reasons.keys() - self.used.keys():
            print(f"listed, and not met: {pattern}")


def environment(journal, **settings):
    """That of a run: an empty setting is one that is not made."""
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "TAKEWISE_JOURNAL": str(journal), "PYTHONFAULTHANDLER": "1", "PYTHONPATH": path, **settings}


def watched(command, journal, env):
    """Runs a command until it ends, or until the journal has been silent for too long; its exit status and last words."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=env, cwd=journal.parent)
        size, since = -1, time.monotonic()
        while True:
            try:
                status = process.wait(timeout=2)
                break
            except subprocess.TimeoutExpired:
                now = journal.stat().st_size if journal.exists() else 0
                if now != size:
                    size, since = now, time.monotonic()
                elif time.monotonic() - since > SILENCE:
                    process.kill()
                    status = process.wait()
                    break
        output.seek(0)
        return status, output.read()[-3000:]


def run(command, journal, read, only=None, **settings):
    """Runs tests in processes of their own, a new one after each crash; what became of each, as `read` has it of the journal."""
    names = journal.with_suffix(".only")
    if only is not None:
        names.write_text("\n".join(only))
    env = environment(journal, TAKEWISE_ONLY="" if only is None else str(names), **settings)
    crashed = {}
    while True:
        status, said = watched(command, journal, env)
        outcomes = read(journal)
        begun = [name for name, (outcome, _) in outcomes.items() if outcome == "begun" and name not in crashed]
        crashed.update((name, ("crashed", f"the process ended with status {status}\n{said}")) for name in begun)
        if not begun:
            break
    # Of pytest: all passed, some failed, or there were none.
    if status not in ((0, 1, 5) if outcomes else (0, 5)):
        raise SystemExit(f"{' '.join(command)}\nended with status {status}\n{said}")
    return outcomes | crashed
