"""Runs cases that are named by their numbers on standard input, and says which one it is at before it starts.

    worker.py REPORT ROWS

ROWS is a file of more rows or nothing, REPORT the number of an open file, to which it writes "ready PID", "S n"
before the reference, "O n" before ours, "R n LEFT JSON" after, and "E STATUS" at the end of a process.
"""

import json
import os
import re
import resource
import sys
import traceback
import warnings

import cases
import judge
import kinds_torch
import numpy as np
import rows_methods
from cases import HOMES, Case
from kinds import KINDS
from rows import DATA, MASK, OPERANDS, ROWS

# Modules whose references are written in NumPy.
NEUTRAL = ("takewise", "takewise.Tensor", "takewise.mindspore", "takewise.mindspore.ops", "takewise.mindspore.Tensor")
# Whose arrays a library takes as its own.
OWN = {
    "takewise.numpy": ("numpy",), "takewise.torch": ("torch",), "takewise.torch.Tensor": ("torch",), "takewise.jax": ("jax", "jaxlib"),
    "takewise.jax.numpy": ("jax", "jaxlib", "numpy"),
}  # fmt: skip
# What a library says that could not do what was asked, rather than that it must not be.
UNABLE = re.compile(
    "NotImplementedError|not implemented|INTERNAL|[Uu]nsupported ScalarType|Promotion for uint16|"
    "number of dimensions must|up to 64 dims|[Nn]on-hashable static|MemoryError|data type '.f1' not understood|"
    "has no attribute '_untyped_storage'"
)
# A process is started anew after so many cases, so that what a library keeps does not add up.
TURN = 3000
# How much more memory a case may ask for than the process has when the libraries are loaded.
ROOM = 4 << 30
# The status by which a process says that there are no more cases.
DONE = 77


class Unmade(Exception):
    """A kind that cannot hold its base."""


def home_of(case, row):
    if row.module in HOMES:
        return HOMES[row.module]
    homes = {KINDS[kind].home for _, kind in case.kinds}
    return next(iter(homes)) if len(homes) == 1 and row.module != "takewise.numpy" else "numpy"


def operands(case, row):
    """The operands of a case, made anew."""
    chosen, home = dict(case.kinds), home_of(case, row)
    made = []
    for letter in row.letters:
        if letter not in chosen:
            made.append(cases.default(letter, home))
            continue
        base, role = OPERANDS[letter]
        try:
            made.append(KINDS[chosen[letter]].make(base.astype("?") if role == MASK else base.copy()))
        except Exception as error:
            raise Unmade(f"{chosen[letter]}: {error}") from None
    return made


def functions(row):
    """Ours, and the library's own of the same name."""
    from importlib import import_module

    if row.module in rows_methods.CLASSES:
        return rows_methods.functions(row.module, row.name)
    module = import_module("takewise.jax").numpy if row.module == "takewise.jax.numpy" else import_module(row.module)
    library = None
    if row.module in ("takewise.numpy", "takewise.torch", "takewise.jax.numpy"):
        try:
            library = import_module(
                {"takewise.numpy": "numpy", "takewise.torch": "torch", "takewise.jax.numpy": "jax.numpy"}[row.module]
            )
        except ImportError:
            library = None
    return getattr(module, row.name), getattr(library, row.name, None)


class Unasked(Exception):
    """A reference that cannot be asked."""


def plain(value):
    """An operand as a NumPy array of its own, for references written in NumPy; bytes where NumPy has no such dtype."""
    try:
        read = judge.answer(value)
    except (judge.Unreadable, ValueError, RuntimeError) as error:
        raise Unasked(str(error)) from None
    if not (isinstance(read, tuple) and len(read) == 2 and isinstance(read[1], np.ndarray)):
        read = ("", np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value))
    name, array = read
    if array.dtype.kind == "V" and name and array.dtype.names is None and ("float" in name or "complex" in name):
        try:
            import ml_dtypes

            array = array.view(getattr(ml_dtypes, name))
        except (ImportError, AttributeError):
            pass
    return np.array(array)


def is_foreign(value, row):
    """Whether the library of a row does not take an operand for an array as NumPy does, or takes it for another."""
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic)):
        return False
    return hasattr(value, "__dlpack__") and judge.library(value) not in OWN.get(row.module, ())


def converted(row, given, every):
    """Operands that are somebody else's, as the library's own arrays of the same dtypes."""
    array = own(row)
    made = [array(plain(value)) if every and is_array(value) or is_foreign(value, row) else value for value in given]
    if every and row.module.startswith("takewise.torch"):
        made = [number(value) if isinstance(value, np.ndarray) and value.ndim == 0 else value for value in made]
    return made


def number(value):
    """An array without axes as the number it holds, which is all that some functions take."""
    return plain(value).item()


def is_array(value):
    return not isinstance(value, (bool, int, float, complex, str, bytes, type(None))) and np.ndim(plain(value)) > 0


def own(row):
    """What makes an array of a row's library."""
    if row.module == "takewise.numpy":
        return np.asarray
    if row.module in ("takewise.torch", "takewise.torch.Tensor"):
        import torch

        return torch.from_numpy
    import jax.numpy as jnp

    return jnp.asarray


def asked(row, given):
    """The reference's answer, and the operands as it leaves them."""
    _, library = functions(row)
    if row.module in rows_methods.CLASSES:
        # What makes a tensor has rows of its own.
        try:
            first = rows_methods.receiver(row.module, given[0])
        except Exception as error:
            raise Unasked(str(error)) from None
        given = given if row.module == "takewise.torch.Tensor" else [first, *given[1:]]
    if row.module in NEUTRAL:
        return row.reference(*map(plain, given)), given
    if row.reference is None and library is None:
        raise Unasked("the library is not here")
    call = row.reference or (lambda *operands: row.call(library, *operands))
    given = converted(row, given, row.module == "takewise.jax")
    try:
        return call(*given), given
    except (TypeError, IndexError) as error:
        # What the library takes from nobody else, ours may: then as from itself.
        try:
            given = converted(row, given, True)
            return call(*given), given
        except Exception:
            raise error from None


def outcome(call):
    """("answer", it) or ("error", it)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return "answer", call()
        except Unasked:
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            return "error", error


def run(number, case, say):
    """What is wrong with a case: (sort, text); `None` if nothing is."""
    row = ROWS[case.row]
    kinds = [KINDS[kind] for _, kind in case.kinds]
    try:
        given, mine = operands(case, row), operands(case, row)
    except Unmade:
        return ["unmade", ""]
    before = looked_at(row, case, mine)
    want = None
    if not any(kind.hostile for kind in kinds) and not row.uncompared:
        say(f"S {number}")
        try:
            want = outcome(lambda: asked(row, given))
            if want[0] == "answer":
                want = ("answer", judge.answer(want[1][0]), [judge.snapshot(value) for value in want[1][1]])
            elif UNABLE.search(f"{type(want[1]).__name__}: {want[1]}"):
                want = None
        except (Unasked, judge.Unreadable):
            want = None
    say(f"O {number}")
    got = outcome(lambda: row.call(functions(row)[0], *mine))
    found = judged(row, case, want, got, before, mine)
    if found and found[0] in ("accepted", "words"):
        say(f"S {number}")
        if is_theirs(row, operands(case, row), got):
            return None
    return found


def is_theirs(row, given, got):
    """Whether a library's own function answers a call alike, or refuses it in the same words: it is called where ours has no answer."""
    library = functions(row)[1]
    if library is None or row.module not in ("takewise.numpy", "takewise.jax"):
        return False
    sort, theirs = outcome(lambda: row.call(library, *given))
    if sort != got[0]:
        return False
    if sort == "error":
        return type(theirs) is type(got[1]) and judge.without_addresses(str(theirs)) == judge.without_addresses(str(got[1]))
    try:
        return judge.same(judge.answer(theirs), judge.answer(got[1]))
    except judge.Unreadable:
        return False


def looked_at(row, case, given):
    """What the operands hold; nothing of those that nobody may read."""
    chosen = dict(case.kinds)
    hostile = [letter in chosen and KINDS[chosen[letter]].hostile for letter in row.letters]
    return [None if bad else judge.snapshot(value) for bad, value in zip(hostile, given)]


def judged(row, case, want, got, before, mine):
    kinds = [KINDS[kind] for _, kind in case.kinds]
    words = [word for kind in kinds for word in kind.words]
    after = looked_at(row, case, mine)
    if got[0] == "error":
        for letter, one, other in zip(row.letters, before, after):
            if one is not None and not judge.same_snapshot(one, other):
                return [
                    "changed",
                    f"{letter} was {judge.shown(one)}, is {judge.shown(other)} after {judge.shown(got[1])}",
                ]
        bad = judge.refusal(got[1], words, judge.whole_words())
        if (
            bad
            and want
            and want[0] == "error"
            and str(want[1]).splitlines()[:1] == str(got[1]).splitlines()[:1]
            and len(str(got[1])) < 1500
        ):
            bad = None
        if bad:
            return ["words", f"{type(got[1]).__name__}: {bad}"]
        if want and want[0] == "answer" and must_answer(case) and not expected_refusal(row, str(got[1])):
            return ["refused", judge.shown(got[1])]
        return None
    try:
        answer = judge.answer(got[1])
    except (judge.Unreadable, MemoryError) as error:
        answer = ("unreadable", str(error))
    if any(kind.hostile for kind in kinds):
        return ["accepted", f"gives {judge.shown(answer)}"]
    if want is None:
        return None
    if want[0] == "error":
        return [
            "accepted",
            f"gives {judge.shown(answer)}, where the reference raises {type(want[1]).__name__}: "
            f"{judge.shown(str(want[1]))}",
        ]
    return different(row, case, want, answer, before, after)


def expected_refusal(row, text):
    """Whether a refusal is right though the reference answers: memory that may not be written, and, of `takewise` itself, values
    that would change where they are stored."""
    keeps = row.module in ("takewise", "takewise.Tensor") and ('casting="unsafe"' in text or "does not fit dtype" in text)
    return keeps or "read-only" in text


def jax_here(case):
    return any(KINDS[kind].home == "jax" for _, kind in case.kinds)


def narrowed(want):
    """An answer in the dtypes of JAX, and of MindSpore where it is given lists: 64 bits are 32 there."""
    if isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str):
        name = {"<i8": "<i4", "<u8": "<u4", "<f8": "<f4", "<c16": "<c8"}.get(want[0], want[0])
        return (name, want[1].astype(name)) if name != want[0] else want
    return tuple(map(narrowed, want)) if isinstance(want, tuple) else want


def different(row, case, want, answer, before, after):
    if row.module in NEUTRAL:
        expected = named(want[1], after)
        if (jax_here(case) or row.module not in ("takewise", "takewise.Tensor")) and not judge.same(answer, expected):
            expected = narrowed(expected)
        if not judge.same(answer, expected):
            if not (answer is None and judge.same(after[0], expected)):
                return ["wrong", f"gives {judge.shown(answer)}, not {judge.shown(want[1])}"]
        return None
    if not judge.same(answer, want[1]):
        return ["wrong", f"gives {judge.shown(answer)}, not {judge.shown(want[1])}"]
    for letter, was, one, other in zip(row.letters, before, after, want[2]):
        # An operand that was somebody else's, and so converted, can only be asked whether it has stayed as it was.
        told = other if isinstance(was, tuple) and isinstance(other, tuple) and was[:1] == other[:1] else was
        if one is not None and not judge.same_snapshot(one, told):
            return ["wrong", f"leaves {judge.shown(one)} in {letter}, not {judge.shown(told)}"]
    return None


def named(want, operands):
    """A reference's answer in bytes, by the name that the operands of that size have for such a dtype."""
    if isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], str) and want[0].startswith("|V"):
        names = {
            o[0] for o in operands if isinstance(o, tuple) and len(o) == 2 and getattr(o[1], "dtype", None) == want[0]
        }
        return (next(iter(names)), want[1]) if len(names) == 1 else want
    return want


def must_answer(case):
    """Whether a refusal is a fault: data of a dtype or layout that everything takes."""
    (letter, kind), *others = case.kinds
    module = ROWS[case.row].module
    home = HOMES.get(module, "numpy" if module == "takewise.numpy" else KINDS[kind].home)
    if module.startswith("takewise.mindspore"):
        return False
    return not others and KINDS[kind].citizen and KINDS[kind].home == home and OPERANDS[letter][1] == DATA


def lines():
    """Lines of standard input as they come, with nothing read ahead: a later process reads what follows."""
    text = b""
    while data := os.read(0, 1 << 16):
        *whole, text = (text + data).split(b"\n")
        yield from whole


def work(say):
    """Runs cases until there are no more or it has run its share."""
    for left, line in zip(range(TURN, 0, -1), lines()):
        number, case = json.loads(line)
        case = Case(case[0], tuple(map(tuple, case[1])))
        try:
            bad = run(number, case, say)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            bad = [
                "broken",
                f"the border test itself: {type(error).__name__}: {error} ({place.name}, line {place.lineno})",
            ]
        say(f"R {number} {left - 1} {json.dumps(bad)}")
        if left == 1:
            return os._exit(0)
    os._exit(DONE)


def limited():
    """What asks for more memory than this is refused it, on either side, before the system ends the whole process."""
    try:
        with open("/proc/self/status") as status:
            used = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
    except OSError:
        return
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = used + ROOM
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def main():
    """Loads the libraries once, and runs cases in copies of this process: one that crashes is followed by another."""
    report, more = int(sys.argv[1]), sys.argv[2]
    if more:
        cases.more_rows(more)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def say(line):
        os.write(report, (line + "\n").encode())

    kinds_torch.warm()
    limited()
    while True:
        child = os.fork()
        if child == 0:
            say(f"ready {os.getpid()}")
            work(say)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == DONE:
            return
        say(f"E {status}")


if __name__ == "__main__":
    main()
