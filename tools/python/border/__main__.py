"""Every public function with every kind of operand in every place: the reference's answer or a refusal, nothing else.

    python tools/python/border [--long] [--share S] [--part N] [--jobs N] [--faults FILE] [PATTERN...]

Cases run in other processes, so that a crash or a hang is a failure with a name. A name that the package has and this
test does not know is a failure, too. The short run has the same cases everywhere; `--long` has all. Patterns choose
cases
by parts of their titles, all of which must be there.
"""

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import random
import re
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import cases
from kinds import KINDS
from known import KNOWN
from rows import ROWS

# Of one operand, of one kind throughout, of two dtypes: what the short run has of each.
SHORT = {"single": 0.04, "together": 0.05, "pair": 0.001}
# Seconds one case may take, the start of a process apart.
SECONDS = 30
START = 180
SHOWN = 12


class Worker:
    """A process that runs cases, one at a time."""

    def __init__(self, args):
        self.seconds = args.seconds
        self.read, write = os.pipe()
        self.said = tempfile.TemporaryFile()
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "JAX_PLATFORMS": "cpu",
            "PYTHONWARNINGS": "ignore",
            "TAKEWISE_NUM_THREADS": "2",
        }
        command = [sys.executable, str(HERE / "worker.py"), str(write), args.rows or ""]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self.said,
            pass_fds=(write,),
            env=environment,
            text=True,
        )
        os.close(write)
        self.text, self.case, self.number, self.phase, self.child = b"", None, None, "start", None
        self.since, self.limit = time.monotonic(), START

    def give(self, number, case):
        self.number, self.case, self.phase = number, case, "given"
        self.since, self.limit = time.monotonic(), self.seconds
        self.process.stdin.write(json.dumps([number, [case.row, case.kinds]]) + "\n")
        self.process.stdin.flush()

    def lines(self):
        """What it has said since; `None` at its end."""
        data = os.read(self.read, 1 << 16)
        if not data:
            return None
        *whole, self.text = (self.text + data).split(b"\n")
        return [line.decode() for line in whole]

    def last_words(self):
        """The end of what it wrote to standard error."""
        self.said.seek(0, os.SEEK_END)
        self.said.seek(max(self.said.tell() - 300, 0))
        return " ".join(self.said.read().decode(errors="replace").split())[-200:]

    def forget(self):
        self.said.seek(0)
        self.said.truncate()

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        self.said.close()


def signal_of(code):
    return f"killed by signal {-code}" if code < 0 else f"ended with status {code}"


class Run:
    """Cases divided among processes."""

    def __init__(self, chosen, args):
        self.waiting = collections.deque(enumerate(chosen))
        self.found, self.done, self.counts, self.asked = [], 0, collections.Counter(), collections.Counter()
        self.known, self.again = set(), set()
        self.args, self.faults = args, open(args.faults, "w") if args.faults else None
        self.selector = selectors.DefaultSelector()
        self.workers = []

    def start(self):
        worker = Worker(self.args)
        self.workers.append(worker)
        self.selector.register(worker.read, selectors.EVENT_READ, worker)

    def stop(self, worker):
        self.selector.unregister(worker.read)
        self.workers.remove(worker)
        worker.end()

    def next(self, worker):
        if self.waiting:
            worker.give(*self.waiting.popleft())
        else:
            self.stop(worker)

    def note(self, case, bad):
        self.done += 1
        entry = bad and next((entry for entry in KNOWN if re.fullmatch(entry[0], bad[0]) and re.search(entry[1], case.title)), None)
        if entry:
            self.known.add(entry)
            self.counts["differs as it is meant to"] += 1
            return
        self.counts[bad[0] if bad else "right"] += 1
        if bad and bad[0] != "unmade":
            self.found.append((case.title, *bad))
            if self.faults:
                print(bad[0], case.title, bad[1], sep="\t", file=self.faults, flush=True)

    def heard(self, worker):
        lines = worker.lines()
        if lines is None:
            raise SystemExit(f"border: a process has ended: {worker.last_words()}")
        for line in lines:
            sort, _, rest = line.partition(" ")
            if sort == "ready":
                worker.child = int(rest)
                self.next(worker)
            elif sort in ("S", "O"):
                worker.phase = "reference" if sort == "S" else "ours"
            elif sort == "R":
                _, left, bad = rest.split(" ", 2)
                self.note(worker.case, json.loads(bad))
                worker.case = None
                if int(left):
                    self.next(worker)
            elif sort == "E" and worker.case:
                self.ended(worker, int(rest))

    def ended(self, worker, status):
        """A process that crashed or was ended as it hung: whose fault that is depends on where it was."""
        sort, how = (
            ("hang", f"no answer after {self.args.seconds:g} s")
            if worker.phase.startswith("hung")
            else ("crash", signal_of(status))
        )
        case, worker.case = worker.case, None
        if worker.phase.endswith("reference"):
            self.counts["the reference's own " + sort] += 1
            self.done += 1
        elif sort == "crash" and "jax" in case.title and case not in self.again:
            # JAX does not promise to run in a copy of a process, as cases do here: its own crashes come once in many runs, ours again.
            self.again.add(case)
            self.counts["tried again"] += 1
            self.waiting.append((worker.number, case))
        else:
            self.note(case, [sort, f"{how} {worker.last_words()}".strip()])
        worker.forget()

    def go(self, quiet):
        for _ in range(min(self.args.jobs, max(len(self.waiting), 1))):
            self.start()
        shown = time.monotonic()
        while self.workers:
            for key, _ in self.selector.select(timeout=1):
                self.heard(key.data)
            now = time.monotonic()
            for worker in [w for w in self.workers if now - w.since > w.limit]:
                if worker.child is None or worker.phase.startswith("hung"):
                    raise SystemExit(f"border: a process does not start: {worker.last_words()}")
                worker.phase, worker.since = "hung " + worker.phase, now
                os.kill(worker.child, signal.SIGKILL)
            if not quiet and now - shown > 30:
                shown = now
                print(f"  {self.done} done, {len(self.waiting)} to do, {len(self.found)} wrong", flush=True)


def report(found):
    """The failures by sort, module and kind, some of each."""
    groups = collections.defaultdict(list)
    for title, sort, text in found:
        groups[sort].append((title, text))
    for sort, members in sorted(groups.items()):
        print(f"\n{sort}: {len(members)}")
        for title, text in members[:SHOWN]:
            print(f"  {title}\n      {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--long", action="store_true", help="all cases")
    parser.add_argument("--share", type=float, help="so much of the cases of each sort instead")
    parser.add_argument("--part", type=int, default=0, help="another part of that share: the short run has part 0")
    parser.add_argument("--names", action="store_true", help="only look whether every public name is known")
    parser.add_argument("--rows", help="a file of more rows: for tests of this test")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long one case may take")
    parser.add_argument("--of", help="only cases with a function or an operand of this library")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--faults", help="write every failure to this file")
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    unlisted = cases.unlisted()
    for line in unlisted:
        print(line)
    if args.names:
        return int(bool(unlisted))
    if args.rows:
        cases.more_rows(args.rows)
    share = 1.0 if args.long else args.share
    shares = SHORT if share is None else dict.fromkeys(SHORT, share)
    chosen = list(cases.every(shares, args.patterns, args.part))
    if args.of:
        chosen = [case for case in chosen if case.of(args.of)]
    for library in ("torch", "jax"):
        if importlib.util.find_spec(library) is None:
            print(f"{library} is not installed here: functions with its signatures are left out")
            chosen = [case for case in chosen if not f"{ROWS[case.row].module}.".startswith(f"takewise.{library}.")]
    random.Random(0).shuffle(chosen)
    start = time.monotonic()
    run = Run(chosen, args)
    run.go(args.quiet)
    report(run.found)
    counts = ", ".join(f"{count} {sort}" for sort, count in sorted(run.counts.items()))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = f"{time.monotonic() - start:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processors"
    print(f"\n{len(ROWS)} calls, {len(KINDS)} kinds, {run.done} cases in {spent}: {counts}")
    stale = (
        [entry for entry in KNOWN if entry not in run.known] if args.long and not args.patterns and not args.of else []
    )
    for sort, title, _ in stale:
        print(f"known.py: nothing is {sort} any more with a title like {title!r}")
    return int(bool(run.found or unlisted or stale))


if __name__ == "__main__":
    sys.exit(main())
