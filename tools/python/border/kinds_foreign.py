"""Operands by way of DLPack, the array interface and the buffer protocol: honest ones, and exporters that lie."""

import array
import ctypes
import mmap
import pathlib
import struct
import tempfile

import numpy as np
from kinds import kind


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim",
        ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset",
        ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter",
        ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", DLTensor),
    ]  # fmt: skip


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# What capsules point to must outlive whoever holds them; names too.
_KEPT = []


class Exporter:
    """Lends a base of float64 by DLPack, with what it says about it changed."""

    def __init__(self, base, device=(1, 0), name=None, version=None, **changed):
        self.device, self.version = device, version
        self.name = name or (b"dltensor" if version is None else b"dltensor_versioned")
        memory = np.ascontiguousarray(base, "f8")
        shape = changed.pop("shape", memory.shape)
        rank = changed.get("ndim", len(shape))
        strides = changed.pop("strides", None)
        held = [(ctypes.c_int64 * max(len(a), 1))(*a) if a is not None else None for a in (shape, strides)]
        whole = Managed() if version is None else Versioned()
        if version is not None:
            whole.major, whole.minor = version
            whole.flags = changed.pop("flags", 0)
        t = whole.tensor
        t.data, t.device_type, t.device_id = memory.ctypes.data, *device
        t.ndim, t.code, t.bits, t.lanes = rank, 2, 64, 1
        if held[0] is not None:
            t.shape = ctypes.cast(held[0], ctypes.POINTER(ctypes.c_int64))
        if held[1] is not None:
            t.strides = ctypes.cast(held[1], ctypes.POINTER(ctypes.c_int64))
        for field, value in changed.items():
            setattr(t, field, value)
        self.whole = whole
        _KEPT.append((memory, held, whole, self.name))

    def __dlpack__(self, **options):
        return _capsule(ctypes.addressof(self.whole), self.name, None)

    def __dlpack_device__(self):
        return self.device


LIES = {
    "NULL data": {"data": None},
    "negative extent": {"shape": (-1, 4)},
    "negative rank": {"ndim": -1},
    "rank of 2**31-1": {"ndim": 2**31 - 1},
    "NULL shape": {"shape": None, "ndim": 2},
    "no lanes": {"lanes": 0},
    "two lanes": {"lanes": 2},
    "7 bits": {"bits": 7},
    "0 bits": {"bits": 0},
    "type code 99": {"code": 99},
    "opaque handles": {"code": 3},
    "enormous extent": {"shape": (2**62, 2**62)},
    "enormous stride": {"shape": (2, 2), "strides": (2**61, 1)},
    "enormous byte offset": {"byte_offset": 2**63},
    "another device": {"device": (2, 0)},
    "unknown device": {"device": (77, 0)},
    "wrong capsule name": {"name": b"something else"},
    "used capsule": {"name": b"used_dltensor"},
    "future version": {"version": (99, 0)},
}


def interface(base, **changed):
    """An object with NumPy's array interface, which may lie."""
    memory = np.ascontiguousarray(base, "f8")
    said = {**memory.__array_interface__, **changed}

    class Interface:
        __array_interface__ = said
        kept = memory

    return Interface()


class OtherDLPack:
    """An object whose ``__dlpack__`` gives whatever it was told to."""

    def __init__(self, what):
        self.what = what

    def __dlpack__(self, **options):
        if isinstance(self.what, Exception):
            raise self.what
        return self.what

    def __dlpack_device__(self):
        return (1, 0)


def exchange():
    kind("DLPack", lambda base: Exporter(base))
    kind("DLPack of version 1", lambda base: Exporter(base, version=(1, 0)))
    kind("DLPack read-only", lambda base: Exporter(base, version=(1, 0), flags=1))
    words = (
        "DLPack",
        "dltensor",
        "capsule",
        "Exporter",
        "BufferError",
        "device",
        "null",
        "shape",
        "axes",
        "dtype",
        "bits",
        "stride",
        "memory",
        "version",
    )
    for name, changed in LIES.items():
        kind(f"DLPack with {name}", lambda base, changed=changed: Exporter(base, **changed), hostile=True, words=words)
    for name, what in (("None", None), ("a number", 5), ("an error", RuntimeError("not lent today"))):
        kind(
            f"DLPack that gives {name}",
            lambda base, what=what: OtherDLPack(what),
            hostile=True,
            words=(*words, "today", "NoneType", "int"),
        )
    lies = {
        "NULL data": {"data": (0, False)}, "negative shape": {"shape": (-3, 4)},
        "junk type": {"typestr": "xyz"}, "no type": {"typestr": None},
        "too many strides": {"strides": (8,) * 9}, "text shape": {"shape": "ab"},
    }  # fmt: skip
    words = ("Interface", "interface")
    kind("array interface", lambda base: interface(base), words=words)
    for name, changed in lies.items():
        kind(
            f"array interface with {name}",
            lambda base, changed=changed: interface(base, **changed),
            hostile=name != "NULL data",
            words=words,
        )


def in_file(base):
    """What `takewise.open` gives, of a file that has no name any more."""
    import takewise

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "base.npy"
        np.save(path, base)
        return takewise.open(path, mode="c")


def mapped(base):
    memory = mmap.mmap(-1, max(base.size, 1))
    memory.write(base.astype("u1").tobytes())
    return memory


def of_ctypes(base):
    flat = base.ravel().tolist()
    if base.ndim == 2:
        rows, columns = base.shape
        return ((ctypes.c_double * columns) * rows)(*[(ctypes.c_double * columns)(*row) for row in base.tolist()])
    return (ctypes.c_double * len(flat))(*flat)


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int16), ("y", ctypes.c_double)]


def cast(base, code):
    """A memoryview with a format of Python's, in the shape of the base."""
    flat = base.ravel().tolist()
    if code in "?":
        flat = [bool(n) for n in flat]
    view = memoryview(bytearray(struct.pack(f"@{len(flat)}{code}", *flat)))
    shape = list(base.shape)
    return view.cast("B").cast(code, shape) if shape and base.size else view.cast(code)


def buffers():
    kind("bytes", lambda base: base.astype("u1").tobytes(), words=("bytes",))
    kind("bytearray", lambda base: bytearray(base.astype("u1").tobytes()), words=("bytearray",))
    kind("mmap", mapped, words=("mmap",))
    kind("array in a file", in_file, words=("FileArray",))
    for code in "bBhHiIlLqQfd?":
        kind(f"memoryview of {code}", lambda base, code=code: cast(base, code), words=("memoryview", code))
    kind(
        "memoryview of c",
        lambda base: memoryview(bytearray(base.astype("u1").tobytes())).cast("c"),
        words=("memoryview", "'c'"),
    )
    kind("memoryview released", lambda base: released(base), words=("memoryview", "released"), hostile=True)
    kind(
        "memoryview reversed", lambda base: memoryview(bytearray(range(max(base.size, 1))))[::-1], words=("memoryview",)
    )
    kind(
        "memoryview read-only",
        lambda base: memoryview(bytes(range(max(base.size, 1)))),
        words=("memoryview", "read-only"),
    )
    for code in "bBhHiIlLqQfd":
        kind(
            f"array.array of {code}", lambda base, code=code: array.array(code, base.ravel().tolist()), words=("array",)
        )
    kind("array.array of u", lambda base: array.array("u", "abc"), words=("array", "'u'", "'w'"))
    kind("ctypes array", of_ctypes, words=("c_double", "ctypes"))
    kind("ctypes array of structs", lambda base: (Point * max(base.size, 1))(), words=("Point", "ctypes", "T{"))
    kind("ctypes array of nothing", lambda base: (ctypes.c_int * 0)(), words=("c_int", "ctypes"))
    kind("ctypes array of pointers", lambda base: (ctypes.c_void_p * 3)(), words=("c_void_p", "ctypes"))
    kind("ctypes number", lambda base: ctypes.c_double(1.5), words=("c_double", "ctypes"))


def released(base):
    view = memoryview(bytearray(8))
    view.release()
    return view


exchange()
buffers()
