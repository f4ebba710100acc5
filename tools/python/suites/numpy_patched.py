"""A plugin of pytest that sends NumPy's indexing through ``takewise.numpy``, and writes down what becomes of each test.

``x[key]`` and ``x[key] = value`` are slots of a C type. Both are given to Python here: the slots of a class that defines
``__getitem__`` in Python look that name up in the type, so `ndarray` gets those slots and two functions of that name. NumPy's
subclasses have copies of the slots. Methods are replaced in the type's dictionary, functions wherever a module of NumPy
has them.

A call that takewise can answer (no Python objects in the array, no class with answers of its own) is answered by takewise
alone: its result or its error is what the test sees. NumPy is asked beside it, and what differs is written down too, whether
or not the test looks at it. Within a call the guard is set, so that what takewise asks of NumPy, NumPy answers.

``TAKEWISE_JOURNAL`` names the file written to, ``TAKEWISE_ONLY`` one with the tests to run, and without
``TAKEWISE_PATCHED`` nothing is replaced.
"""

import collections
import ctypes
import functools
import gc
import json
import os
import pathlib
import sys
import threading
import warnings

import numpy as np

JOURNAL = pathlib.Path(os.environ["TAKEWISE_JOURNAL"])
ONLY = os.environ.get("TAKEWISE_ONLY")
PATCHED = bool(os.environ.get("TAKEWISE_PATCHED"))

# Arrays larger than this are not copied to ask NumPy the same.
LARGEST = 1 << 16

state = threading.local()
calls = collections.Counter()
test = ""
found = set()


def write(*entry):
    with JOURNAL.open("a") as file:
        file.write(json.dumps(entry) + "\n")


# --- comparing ------------------------------------------------------------------------------------------------------


def describe(value):
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {str(value)[:150]}"
    if isinstance(value, (np.ndarray, np.generic)):
        text = f"{type(value).__name__} {value.dtype} {value.shape} {value!s}"
        return text.replace("\n", " ")[:200]
    return f"{type(value).__name__} {value!r}"[:200]


def bits(array):
    """The elements as something that compares: NaN like NaN, padding not at all."""
    if array.dtype.hasobject or array.dtype.kind == "T":
        return [repr(value) for value in array.ravel().tolist()]
    if array.dtype.names:
        return [bits(np.asarray(array[name])) for name in array.dtype.names]
    return np.ascontiguousarray(array).tobytes()


def equal(a, b):
    if a.dtype.kind in "fc" and a.dtype == b.dtype:
        return bool(((a == b) | ((a != a) & (b != b))).all())
    return bits(np.asarray(a)) == bits(np.asarray(b))


def differs(got, want, operand):
    """What differs between two results, in a word; None if nothing does."""
    if isinstance(want, BaseException) or isinstance(got, BaseException):
        if not isinstance(got, BaseException):
            return "no error"
        if not isinstance(want, BaseException):
            return "error"
        return None if isinstance(got, type(want)) or isinstance(want, type(got)) else "class of the error"
    if isinstance(want, tuple):
        if not isinstance(got, tuple) or len(got) != len(want):
            return "length"
        return next(filter(None, (differs(g, w, operand) for g, w in zip(got, want))), None)
    if type(got) is not type(want):
        return "class"
    if not isinstance(want, (np.ndarray, np.generic)):
        return None if got == want or got is want else "value"
    if got.dtype != want.dtype or got.dtype.byteorder != want.dtype.byteorder:
        return "dtype"
    if got.shape != want.shape:
        return "shape"
    if not equal(np.asarray(got), np.asarray(want)):
        return "values"
    if isinstance(want, np.ndarray) and isinstance(operand, np.ndarray) and want.size:
        # What may be written to, and what that changes.
        if got.flags.writeable != want.flags.writeable:
            return "writeable"
        if np.may_share_memory(got, operand) != np.may_share_memory(want, operand):
            return "memory"
    return None


def differ(name, what, got, want):
    entry = (test, name, what)
    if entry not in found:
        found.add(entry)
        write(test, "differs", name, what, f"here {describe(got)}; NumPy {describe(want)}")


# --- asking both ----------------------------------------------------------------------------------------------------


def outcome(function, args, kwargs):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args, **kwargs)
    except Exception as error:
        return error


def plain(value, depth=0):
    """Whether takewise has to answer for such an argument."""
    if isinstance(value, np.ndarray):
        kept = type(value).__array_function__ is np.ndarray.__array_function__
        return kept and not value.dtype.hasobject and value.dtype.kind != "T" and not hasattr(value, "_mask")
    if isinstance(value, (list, tuple)):
        return depth < 8 and len(value) < 10000 and all(plain(item, depth + 1) for item in value)
    if isinstance(value, np.generic):
        return not value.dtype.hasobject
    if isinstance(value, slice):
        return True
    if value is None or value is Ellipsis or value is np._NoValue or isinstance(value, (int, float, complex, np.dtype)):
        return True
    return depth > 0 and not hasattr(value, "__array_function__")


def fields(value, key):
    """Whether a subscript asks for fields of a structured array, which is no indexing."""
    names = value.dtype.names
    return isinstance(key, str) or (names and isinstance(key, list) and any(isinstance(k, str) for k in key))


def both(name, stock, ours, writes, args, kwargs):
    """The answer of takewise; NumPy's is looked at beside it."""
    if getattr(state, "inside", False):
        return stock(*args, **kwargs)
    target = args[0] if args else None
    if not all(plain(value) for value in args) or not all(plain(value) for value in kwargs.values()):
        return stock(*args, **kwargs)
    state.inside = True
    try:
        return answer(name, stock, ours, writes, args, kwargs, target)
    finally:
        state.inside = False


def answer(name, stock, ours, writes, args, kwargs, target):
    calls[name] += 1
    large = any(isinstance(value, np.ndarray) and value.size > LARGEST for value in args)
    written = [target] if writes else []
    if isinstance(kwargs.get("out"), np.ndarray):
        written.append(kwargs["out"])
    written = [value for value in written if isinstance(value, np.ndarray)]
    once = any(hasattr(value, "__next__") for value in args)
    if large or once:
        return ours(*args, **kwargs)
    before = [np.array(value, copy=True, subok=False) for value in written]
    error = result = None
    try:
        result = ours(*args, **kwargs)
    except Exception as raised:
        error = raised
    after = [np.array(value, copy=True, subok=False) for value in written]
    restore(written, before)
    want = outcome(stock, args, kwargs)
    what = differs(error if error is not None else result, want, target)
    if what is None and error is None:
        if not all(equal(a, np.asarray(value)) for a, value in zip(after, written)):
            what, result, want = "values written", after[0], np.array(written[0], copy=True)
    if what is not None:
        differ(name, what, error if error is not None else result, want)
    restore(written, after)
    if what == "values written":
        result = None
    if error is not None:
        raise error
    return result


def restore(arrays, contents):
    for array, content in zip(arrays, contents):
        if array.flags.writeable:
            stock_set(array.view(np.ndarray), ..., content)


# --- what is replaced -----------------------------------------------------------------------------------------------

stock_get, stock_set = np.ndarray.__getitem__, np.ndarray.__setitem__


class Function:
    """A function that binds like a method; no Python function, as the interpreter would look into the type of those."""

    def __init__(self, call, like):
        self.call = call
        functools.update_wrapper(self, like, updated=())

    def __call__(self, *args, **kwargs):
        return self.call(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self.call, instance)


def getitem(x, key):
    # A class with subscripts of its own asks for NumPy's, and gets them here.
    if x.dtype.hasobject or fields(x, key) or type(x).__getitem__ is not np.ndarray.__getitem__:
        return stock_get(x, key)
    return both("x[]", stock_get, ours.index, False, (x, key), {})


def setitem(x, key, value):
    if x.dtype.hasobject or fields(x, key):
        return stock_set(x, key, value)
    return both("x[]=", stock_set, ours.setindex, True, (x, key, value), {})


def method(name, stock, function, writes):
    return Function(lambda *args, **kwargs: both(name, stock, function, writes, args, kwargs), stock)


def choose(x, *choices, **kwargs):
    return ours.choose(x, *choices, **kwargs) if len(choices) == 1 else ours.choose(x, choices, **kwargs)


def compress(x, condition, *args, **kwargs):
    return ours.compress(condition, x, *args, **kwargs)


# Name, whether it writes into its first argument, and whether ndarray has a method of that name.
FUNCTIONS = [
    ("take", False, True),
    ("put", True, True),
    ("nonzero", False, True),
    ("searchsorted", False, True),
    ("compress", False, True),
    ("choose", False, True),
    ("where", False, False),
    ("argwhere", False, False),
    ("flatnonzero", False, False),
    ("extract", False, False),
    ("place", True, False),
    ("putmask", True, False),
    ("copyto", True, False),
    ("take_along_axis", False, False),
    ("put_along_axis", True, False),
    ("digitize", False, False),
    ("select", False, False),
    ("ix_", False, False),
    ("unravel_index", False, False),
    ("ravel_multi_index", False, False),
    ("isin", False, False),
]

AT = ["add", "subtract", "multiply", "maximum", "minimum"]


def dictionary(kind):
    """The dictionary of a type, which can be written to."""
    return gc.get_referents(kind.__dict__)[0]


class Slots(ctypes.Structure):
    _fields_ = [("length", ctypes.c_void_p), ("subscript", ctypes.c_void_p), ("assign", ctypes.c_void_p)]


def slots(kind):
    """The mapping slots of a type: the pointer to them stands in the type object."""
    place = id(kind) + object.__basicsize__ + 12 * ctypes.sizeof(ctypes.c_void_p)
    return ctypes.cast(ctypes.c_void_p.from_address(place).value, ctypes.POINTER(Slots)).contents


def subclasses(kind):
    return {kind}.union(*(subclasses(below) for below in kind.__subclasses__()))


def patch_subscripts():
    class Example:
        def __getitem__(self, key):
            return key

        def __setitem__(self, key, value):
            pass

        def __len__(self):
            return 0

    length = slots(np.ndarray).length
    assert slots(np.ndarray).length and slots(Example).subscript, "the slots of a type stand elsewhere in this Python"
    assert ctypes.cast(length, ctypes.c_void_p).value == slots(np.matrix).length, "a subclass has other slots"
    subscript, assign = slots(np.ndarray).subscript, slots(np.ndarray).assign
    own = slots(Example).subscript, slots(Example).assign
    dictionary(np.ndarray).update(__getitem__=Function(getitem, stock_get), __setitem__=Function(setitem, stock_set))
    for kind in subclasses(np.ndarray):
        if slots(kind).subscript == subscript:
            slots(kind).subscript = own[0]
        if slots(kind).assign == assign:
            slots(kind).assign = own[1]
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
    seen = calls["x[]"]
    assert np.arange(3)[1] == 1 and calls["x[]"] == seen + 1, "subscripts do not come here"


def patch_functions():
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "numpy" and module]
    for name, writes, is_method in FUNCTIONS:
        if is_method and (name == "compress" or hasattr(ours, name)):
            stock = getattr(np.ndarray, name)
            function = {"compress": compress, "choose": choose}.get(name) or getattr(ours, name)
            dictionary(np.ndarray)[name] = method(f".{name}", stock, function, writes)
        elif hasattr(ours, name):
            stock = getattr(np, name)
            replacement = wrapped(name, stock, getattr(ours, name), writes)
            for module in modules:
                for key, value in list(vars(module).items()):
                    if value is stock:
                        setattr(module, key, replacement)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))


def wrapped(name, stock, function, writes):
    @functools.wraps(stock)
    def call(*args, **kwargs):
        return both(name, stock, function, writes, args, kwargs)

    return call


def patch_ufuncs():
    stock = np.ufunc.at

    def at(ufunc, *args, **kwargs):
        if ufunc.__name__ in AT and isinstance(getattr(np, ufunc.__name__, None), np.ufunc):
            function = getattr(ours, ufunc.__name__).at
            return both(f"{ufunc.__name__}.at", functools.partial(stock, ufunc), function, True, args, kwargs)
        return stock(ufunc, *args, **kwargs)

    dictionary(np.ufunc)["at"] = Function(at, stock)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ufunc))


if PATCHED:
    import numpy.ma  # noqa: F401  (its classes are patched as well)
    import takewise.numpy as ours

    patch_functions()
    patch_ufuncs()
    patch_subscripts()


# --- pytest ---------------------------------------------------------------------------------------------------------


def read(journal):
    """What became of each test, ``{name: (outcome, said)}``, and what differed within: ``[(name, call, what, said)]``."""
    outcomes, others = {}, []
    journal = pathlib.Path(journal)
    for line in journal.read_text().splitlines() if journal.exists() else ():
        name, outcome, *said = json.loads(line)
        if outcome == "differs":
            others.append((name, *said))
        # The parts of a test (its subtests, its end) may fail after it passed.
        elif outcome != "calls" and outcomes.get(name, ("begun",))[0] != "failed":
            outcomes[name] = (outcome, *said)
    return outcomes, others


def pytest_collection_modifyitems(config, items):
    done = read(JOURNAL)[0]
    only = set(pathlib.Path(ONLY).read_text().split("\n")) if ONLY else None
    kept = [item for item in items if item.nodeid not in done and (only is None or item.nodeid in only)]
    if len(kept) != len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def pytest_runtest_logstart(nodeid, location):
    global test
    test = nodeid
    write(nodeid, "begun", "")


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        write(report.nodeid, report.outcome, "" if report.outcome == "passed" else str(report.longrepr)[-3000:])


def pytest_sessionfinish():
    write("", "calls", dict(calls))
