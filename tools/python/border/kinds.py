"""Every kind of operand that Python and NumPy can make, each as a function of the plain array it stands for.

A kind is made from a base: a small array of int64 or bool. Where a kind can hold the values of its base it does, so
that the same call can be put to the reference library. It is made anew for each call, and the same each time.
"""

import dataclasses
import datetime
import decimal
import fractions
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of operand."""

    name: str
    make: Callable[[np.ndarray], Any]
    # Whose arrays stand in the other places of the call.
    home: str = "numpy"
    # Words by which a refusal may name it.
    words: tuple[str, ...] = ()
    # There is no right answer: only a refusal will do, and the reference library is not asked.
    hostile: bool = False
    # Everything reads and moves it: a refusal where the reference answers is a fault.
    citizen: bool = False
    # One dtype or another, in an ordinary array: pairs are made of these.
    dtype: bool = False


KINDS: dict[str, Kind] = {}


def kind(name, make, **more):
    if name in KINDS:
        raise ValueError(f"two kinds are called {name}")
    KINDS[name] = Kind(name, make, **more)


NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", *"efdFD"]
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25s"]
STRUCTS = {
    "struct": [("a", "<i2"), ("b", "<f8")],
    "struct reordered": [("b", "<f8"), ("a", "<i2")],
    "struct renamed": [("p", "<i2"), ("q", "<f8")],
    "struct padded": np.dtype([("a", "<i2"), ("b", "<f8")], align=True),
    "struct overlapping": np.dtype({"names": ["a", "b"], "formats": ["<i4", "<i2"], "offsets": [0, 2], "itemsize": 6}),
    "struct sub-array": [("a", "<i2", (3,)), ("b", ">i2", (2, 2))],
    "struct nested": [("a", [("c", "<f4"), ("d", "M8[D]")]), ("b", "S3")],
    "struct empty": np.dtype([]),
    "struct with objects": [("a", "O"), ("b", "<i4")],
}


def fields(base, dtype):
    """Structs, each field holding the base as far as it can."""
    made = np.zeros(base.shape, dtype)

    def fill(part):
        for name in part.dtype.names or ():
            inner = part[name]
            if inner.dtype.names is not None:
                fill(inner)
                continue
            spread = base.reshape(base.shape + (1,) * (inner.ndim - base.ndim))
            inner[...] = np.broadcast_to(spread, inner.shape).astype("i8").astype(inner.dtype)

    fill(made)
    return made


def strings(base, dtype):
    return base.astype("i8").astype("U").astype(dtype)


def dates(base, dtype):
    made = base.astype("i8").astype(dtype)
    if made.size > 3:
        # At the end of a sequence, which stays sorted so.
        made.flat[-1 if made.ndim == 1 else 3] = "NaT"
    return made


def array_of(base, dtype):
    dtype = np.dtype(dtype)
    if dtype.names is not None:
        return fields(base, dtype)
    if dtype.kind in "mM":
        return dates(base, dtype)
    if dtype.kind in "SUT":
        return strings(base, dtype)
    if dtype.kind == "V" and dtype.type is np.void:
        return base.astype("S7").view("V7") if base.size else np.zeros(base.shape, "V7")
    return base.astype(dtype)


def of_dtype(name, dtype, citizen=False, words=()):
    dtype = np.dtype(dtype)
    words = (str(dtype), dtype.name, dtype.str, *words)
    kind(name, lambda base: array_of(base, dtype), citizen=citizen, dtype=True, words=words)


def numpy_dtypes():
    for code in NUMBERS:
        of_dtype(f"numpy {np.dtype(code).name}", code, citizen=True)
        if np.dtype(code).itemsize > 1:
            of_dtype(f"numpy big-endian {np.dtype(code).name}", np.dtype(code).newbyteorder(">"), citizen=True)
    for code, name in (("g", "longdouble"), ("G", "clongdouble")):
        of_dtype(f"numpy {name}", code, words=(name,))
        of_dtype(f"numpy big-endian {name}", np.dtype(code).newbyteorder(">"), words=(name,))
    for letter, word in (("M", "datetime64"), ("m", "timedelta64")):
        for unit in UNITS:
            of_dtype(f"numpy {word}[{unit}]", f"{letter}8[{unit}]", citizen=True, words=(word,))
        of_dtype(f"numpy {word} without a unit", f"{letter}8", words=(word,))
        of_dtype(f"numpy big-endian {word}[s]", f">{letter}8[s]", citizen=True, words=(word,))
    for dtype in ("S5", "S2", "U3", "U6", ">U3", "V7"):
        of_dtype(f"numpy {dtype}", dtype, words=("string", "bytes", "void"))
    for name, dtype in STRUCTS.items():
        of_dtype(f"numpy {name}", dtype, words=("struct", "field", "void"))
    of_dtype("numpy object", "O", words=("object",))
    if hasattr(np.dtypes, "StringDType"):
        of_dtype("numpy StringDType", np.dtypes.StringDType(), words=("String", "Python objects"))
        of_dtype(
            "numpy StringDType with NaN", np.dtypes.StringDType(na_object=np.nan), words=("String", "Python objects")
        )


def small_dtypes():
    try:
        import ml_dtypes
    except ImportError:
        return
    for name in sorted(vars(ml_dtypes)):
        if isinstance(getattr(ml_dtypes, name), type) and getattr(ml_dtypes, name) not in (
            ml_dtypes.finfo,
            ml_dtypes.iinfo,
        ):
            of_dtype(f"ml_dtypes {name}", getattr(ml_dtypes, name), words=(name,))


def unaligned(base):
    raw = np.zeros(base.size * 8 + 1, "u1")
    made = raw[1:].view("f8").reshape(base.shape)
    made[...] = base
    return made


def spaced(base):
    made = np.zeros(tuple(2 * n for n in base.shape), "f8")[tuple(slice(None, None, 2) for _ in base.shape)]
    made[...] = base
    return made


def read_only(base):
    made = base.astype("f8" if base.dtype != bool else bool)
    made.flags.writeable = False
    return made


def in_field(base):
    made = np.zeros(base.shape, [("pad", "u1"), ("x", "f8"), ("more", "u2")])["x"]
    made[...] = base
    return made


def overlapping(base):
    if base.ndim == 0:
        return base.copy()
    line = np.arange(base.size + 2, dtype="f8")
    return np.lib.stride_tricks.as_strided(line, base.shape, (8,) * base.ndim)


def native(base):
    """The base as the dtype its place usually holds."""
    return base.copy()


def layouts():
    flipped = lambda base: native(base)[tuple(slice(None, None, -1) for _ in base.shape)]
    kind("layout negative strides", lambda base: flipped(flipped(base).copy()), citizen=True)
    kind(
        "layout zero strides",
        lambda base: np.broadcast_to(native(base).ravel()[:1].reshape((1,) * base.ndim), base.shape),
    )
    kind("layout Fortran order", lambda base: np.asfortranarray(native(base)), citizen=True)
    kind("layout spaced", spaced, citizen=True)
    kind("layout unaligned", unaligned, citizen=True)
    kind("layout field", in_field, citizen=True)
    kind("layout overlapping", overlapping)
    kind("layout read-only", read_only, words=("read-only", "writeable"))
    kind("layout 0-d", lambda base: native(base).ravel()[:1].reshape(()))
    kind("layout one axis", lambda base: native(base).ravel())
    kind("layout empty", lambda base: native(base)[:0] if base.ndim else np.zeros(0, base.dtype))
    kind("layout no axis of size", lambda base: np.zeros((*base.shape, 0)))
    kind("layout one more axis", lambda base: native(base)[None])
    kind("layout 64 axes", lambda base: native(base).reshape((1,) * (64 - base.ndim) + base.shape))
    kind("layout enormous", lambda base: np.broadcast_to(np.float64(1), (2**40, 3)), words=("memory", "large", "size"))
    kind(
        "layout enormous stride",
        lambda base: np.lib.stride_tricks.as_strided(np.zeros(4, "u1"), (4,), (2**62,)),
        hostile=True,
    )


class Subclass(np.ndarray):
    """An array of a class of its own."""


class Offering:
    """An object that NumPy asks for its array."""

    def __init__(self, base):
        self.base = base

    def __array__(self, dtype=None, copy=None):
        return self.base.copy()


class Raising:
    """An object that refuses to be an array."""

    def __array__(self, dtype=None, copy=None):
        raise ValueError("this object is no array today")

    def __index__(self):
        raise ValueError("this object is no number today")

    def __len__(self):
        raise ValueError("this object has no length today")

    def __getitem__(self, key):
        raise ValueError("this object has no items today")


class Lying:
    """A sequence that says it is longer than it is."""

    def __len__(self):
        return 2**40

    def __getitem__(self, key):
        raise IndexError(key)


class Number:
    """An integer to Python, by ``__index__`` alone."""

    def __index__(self):
        return 1


def classes():
    kind("class of its own", lambda base: base.copy().view(Subclass))
    kind("class matrix", lambda base: np.matrix(base), words=("matrix",))
    kind(
        "class record array", lambda base: fields(base, STRUCTS["struct"]).view(np.recarray), words=("field", "struct")
    )
    kind("class masked", lambda base: np.ma.array(base, mask=base % 2 == 1), words=("masked",), hostile=True)
    kind("class masked without a mask", lambda base: np.ma.array(base), words=("masked",))
    kind("class character array", lambda base: np.char.array(base.astype("U3")), words=("U3", "string"))
    kind("class offering an array", Offering)
    kind("class raising", lambda base: Raising(), words=("today", "Raising"))
    kind(
        "class lying of its length", lambda base: Lying(), words=("Lying", "sequence", "nested", "memory"), hostile=True
    )
    kind("class with __index__", lambda base: Number(), words=("Number",))


def scalars():
    for name, value in {
        "None": None, "Ellipsis": ..., "True": True, "0": 0, "1": 1, "-1": -1, "1.5": 1.5, "1.0": 1.0,
        "nan": float("nan"), "inf": float("inf"),
        "1+2j": 1 + 2j, "2**31": 2**31, "2**63": 2**63, "2**64": 2**64, "-2**63-1": -(2**63) - 1, "10**400": 10**400,
        "a string": "abc", "a string of digits": "12", "bytes": b"abc", "an empty string": "",
        "a dict": {"a": 1}, "an empty dict": {},
        "a set": {1, 2}, "a type": int, "a slice": slice(0, 2), "a slice of floats": slice(0.5, 2), "a function": len,
        "a date": datetime.date(2024, 1, 2), "a time": datetime.datetime(2024, 1, 2),
        "a decimal": decimal.Decimal("1.5"),
        "a fraction": fractions.Fraction(1, 2), "float16 scalar": np.float16(1), "int8 scalar": np.int8(1),
        "bool scalar": np.True_,
        "NaT": np.datetime64("NaT"), "datetime64 scalar": np.datetime64("2024-01-02"),
        "timedelta64 scalar": np.timedelta64(3, "s"),
        "longdouble scalar": np.longdouble(1.5), "str scalar": np.str_("ab"), "bytes scalar": np.bytes_(b"ab"),
        "void scalar": np.zeros(1, STRUCTS["struct"])[0],
    }.items():  # fmt: skip
        kind(f"value {name}", lambda base, value=value: value, words=(type(value).__name__, str(value)[:40]))
    kind("value an object", lambda base: object(), words=("object",))


def nested(depth):
    made = [1]
    for _ in range(depth):
        made = [made]
    return made


def endless():
    made = [1]
    made.append(made)
    return made


def sequences():
    plain = lambda base: base.tolist()
    kind("list of numbers", plain)
    kind("list of floats", lambda base: (base * 1.0).tolist() if base.dtype != bool else plain(base))
    kind("list of fractions of one", lambda base: (base * 0.1).tolist())
    kind("list of complex", lambda base: (base + 0j).tolist())
    kind("list of strings", lambda base: base.astype("U3").tolist(), words=("str",))
    kind("list of None", lambda base: np.full(base.shape, None).tolist(), words=("None",))
    kind("list of arrays", lambda base: list(base) if base.ndim else [base])
    kind("list of huge numbers", lambda base: (base.astype(object) + 2**70).tolist(), words=("int", "large", "range"))
    kind(
        "list ragged",
        lambda base: [[1, 2], [3]],
        words=("ragged", "nested", "length", "shape", "inhomogeneous"),
        hostile=True,
    )
    kind("list empty", lambda base: [])
    kind("list of empty", lambda base: [[], []])
    kind("list 100 deep", lambda base: nested(100), words=("deep", "dimension", "nested", "64"))
    kind("list 100,000 deep", lambda base: nested(100_000), words=("deep", "nested"), hostile=True)
    kind("list that contains itself", lambda base: endless(), words=("deep", "nested", "itself"), hostile=True)
    kind("tuple", lambda base: tuple(base.tolist()) if base.ndim else (1,))
    kind("range", lambda base: range(max(base.size, 1)))
    kind("generator", lambda base: (n for n in [0, 1]), words=("generator",))


numpy_dtypes()
small_dtypes()
layouts()
classes()
scalars()
sequences()
