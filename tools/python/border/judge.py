"""What an answer is, when two answers are the same, and whether a refusal says what it must."""

import ctypes
import functools
import re
import warnings

import numpy as np

# As torch names them and as NumPy does, where they have numbers in common.
TORCH_NAMES = {
    "bool": "|b1", "uint8": "|u1", "int8": "|i1", "int16": "<i2", "int32": "<i4", "int64": "<i8",
    "uint16": "<u2", "uint32": "<u4",
    "uint64": "<u8", "float16": "<f2", "float32": "<f4", "float64": "<f8", "complex64": "<c8", "complex128": "<c16",
}  # fmt: skip
# Modules whose objects may be written to.
LENDERS = ("numpy", "torch", "jax", "jaxlib", "array", "mmap", "ctypes")
# Packages of columns.
HELD = ("pandas", "polars", "pyarrow", "xarray", "h5py")
# How long one line of a refusal may be: two shapes of 64 axes fit.
LONG = 400
# Bytes of the largest answer that is read.
MOST = 1 << 31
# What no refusal says: the insides of this project or of another.
INSIDE = (
    "record",
    "frame #",
    "panicked",
    "Int(",
    "Float(",
    "Bool(",
    "Opaque",
    "RUST_BACKTRACE",
    "c10::",
    "at::",
    ".cpp",
    ".rs:",
    "0x7f",
)


# Texts of the libraries themselves that say what is wrong in ways of their own: which kernel lacks which dtype, what was
# given and what is expected.
THEIRS = [
    re.compile(pattern)
    for pattern in (
        r"\A\"\w+\" not implemented for '(?!Undefined|record).+'\Z",
        r"\A\w+\(\) received an invalid combination of arguments - got \(.*\), "
        r"but expected one of:(\n \* \(.*\)){1,5}\Z",
        r"\AFailed calling (\w+) with \"\1\(.+\)\"\.\Z",
        r"\AOverflow when unpacking long long\Z",
        r"\A'weight' must be 2-D\Z",
        r"\AZeroDivisionError\Z",
        r"\A'.+' object (is not iterable|does not support item assignment)\Z",
        r"\Acan't assign a \w+ to a torch\.\w+\Z",
        r"\Agradients can be either Tensors or None, but got \w+\Z",
        r"\Awhere\(\) takes input and other together, or neither\Z",
        r"\AInput must be 1- or 2-d\.\Z",
        r"\Adiag input must be 1d or 2d\Z",
        r"\Adiag\(\): Supports 1D or 2D tensors\. Got \d+D\Z",
        r"\Aupper bound and lower bound inconsistent with step sign\Z",
        r"\ALaunch kernel failed, name: NonZero\b",
        r"\Ainvalid literal for int\(\) with base 10: ",
        r" boundaries must be 1-d: ",
        r"\Athis view has a negative step, which PyTorch's tensors cannot have",
        r"\AInput must be >= [12]-d\.\Z",
        r"\A\w+\(\): Expected reduction dim ",
        r" expected sparse coordinate tensor layout but got Strided\Z",
        r"\Acan't retain_grad on Tensor that has requires_grad=False\Z",
        r"\A'[<>=]+' not supported between instances of ",
        r" cannot be compared with '\w+'\Z",
        r"\AError interpreting argument to <function \w+ at 0x[0-9a-f]+> as an abstract array\. "
        r"The problematic value is of type <class '[\w.]+'> ",
        r"\Aonly integers, slices .* and integer or boolean arrays are valid indices\. Got ",
    )
]


class Unreadable(Exception):
    """A value that cannot be read out."""


def label(dtype):
    """A dtype's name, by which two are the same."""
    if dtype.names is not None or dtype.kind == "T":
        return repr(dtype)
    if dtype.isbuiltin == 2 or (dtype.kind == "V" and dtype.type is not np.void):
        return dtype.name
    return dtype.str


def of_torch(value):
    """A tensor's dtype and elements, by way of its bytes where NumPy has no such dtype."""
    import torch

    if torch._is_functional_tensor(value):
        raise Unreadable("a tensor that stands for another")
    if torch._is_zerotensor(value):
        raise Unreadable("a tensor of zeros without memory")
    if value.is_nested:
        raise Unreadable("a nested tensor")
    if value.layout != torch.strided:
        value = value.to_dense()
    if value.is_quantized or value.device.type != "cpu":
        raise Unreadable(f"a tensor {value.layout} on {value.device}")
    if value.untyped_storage().nbytes() == 0 and value.numel():
        raise Unreadable("a tensor without memory")
    value = value.detach().resolve_conj().resolve_neg()
    if torch._is_functional_tensor(value):
        raise Unreadable("a tensor that stands for another")
    if value.dim() > 64:
        raise Unreadable(f"a tensor of {value.dim()} axes")
    name = str(value.dtype).removeprefix("torch.")
    if name in TORCH_NAMES:
        return TORCH_NAMES[name], value.numpy()
    # Some dtypes cannot even be copied, so the bytes are read where they are.
    size = value.element_size()
    raw = torch.empty(0, dtype=torch.uint8).set_(value.untyped_storage()).numpy()
    start, steps = value.storage_offset() * size, tuple(step * size for step in value.stride())
    if not value.numel():
        return name, np.zeros(value.shape, f"V{size}")
    return name, np.ndarray(value.shape, f"V{size}", raw, start, steps)


def read_out(array):
    """A copy of an array, with its dtype's name; those that stand for more than there is memory are left alone."""
    if array.nbytes > MOST:
        raise Unreadable(f"an array of {array.nbytes} bytes")
    return label(array.dtype), array.copy()


def of_jax(value):
    import jax

    if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    value = np.asarray(value)
    return label(value.dtype), value


def library(value):
    return type(value).__module__.partition(".")[0]


def answer(value):
    """A value as nested tuples of dtype names and NumPy arrays."""
    if value is None or isinstance(value, (str, bytes, type, slice)) or value is Ellipsis:
        return value
    if isinstance(value, (tuple, list)) and not hasattr(value, "__array__"):
        return tuple(answer(part) for part in value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value) if not isinstance(value, np.ma.MaskedArray) else np.asarray(value.data)
        return read_out(value)
    if any(base.__module__.startswith("torch") for base in type(value).__mro__) and hasattr(value, "untyped_storage"):
        name, array = of_torch(value)
        return name, read_out(array)[1]
    if library(value) in ("jax", "jaxlib"):
        return of_jax(value)
    if library(value) == "takewise" and hasattr(value, "__dlpack__"):
        return of_takewise(value)
    if library(value) in HELD and hasattr(value, "__array__"):
        return of_column(value)
    if type(value).__name__ == "FileArray":
        return read_out(np.asarray(value))
    if isinstance(value, (bytearray, memoryview, ctypes.Array)) or library(value) in ("array", "mmap", "ctypes"):
        try:
            return read_out(np.asarray(value))
        except ValueError as error:  # formats that NumPy does not read
            raise Unreadable(str(error)) from None
    if isinstance(value, (bool, int, float, complex)):
        return "python", np.asarray(value)
    if hasattr(value, "values") and hasattr(value, "indices") and not callable(value.values):
        return answer((value.values, value.indices))
    if type(value).__module__ == "kinds_foreign" and hasattr(value, "__dlpack__"):  # it gave what it was given to write to
        try:
            return answer(np.from_dlpack(value))
        except RuntimeError as error:
            raise Unreadable(str(error)) from None
    return repr(type(value)), value


def of_column(value):
    """A column as the array that it holds: one of lists has two axes."""
    array = np.asarray(value)
    if array.dtype == object and library(value) == "pyarrow":
        array = np.asarray(value.to_pylist())
    return read_out(array.astype(array.dtype.newbyteorder("=")))


def of_takewise(value):
    """One of the package's own tensors."""
    if value.ndim > 64:
        raise Unreadable(f"a tensor of {value.ndim} axes")
    if "bfloat16" in str(value.dtype):
        import ml_dtypes

        return "bfloat16", np.asarray(value).astype(ml_dtypes.bfloat16)
    return read_out(np.asarray(value))


def snapshot(value):
    """What an operand holds, to see whether it has changed; `None` where that cannot be asked."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if type(value).__name__ == "Offering":
                return answer(value.base)
            if (
                hasattr(value, "__array__")
                or isinstance(value, (bytearray, memoryview, ctypes.Array))
                or library(value) in LENDERS
            ):
                return answer(value)
            if isinstance(value, list):
                return repr(value)
            return answer(value.kept) if hasattr(value, "kept") else None
    except (Exception, RecursionError):
        return None


def without_addresses(text):
    """A text in which objects are not told apart by where they lie."""
    return re.sub(r"\b0x[0-9a-f]+", "0x", text)


def same_elements(one, other):
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "OT" and one.tobytes() == other.tobytes():
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if one.dtype.names is not None or one.dtype.kind in "OTV":
            return without_addresses(repr(one.tolist())) == without_addresses(repr(other.tolist()))
        try:
            return bool(np.array_equal(one, other, equal_nan=True))
        except TypeError:
            return bool(np.array_equal(one, other))


def same(one, other):
    """Whether two answers are the same in dtype, shape and elements."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        pair = [len(a) == 2 and isinstance(a[0], str) and isinstance(a[1], np.ndarray) for a in (one, other)]
        if all(pair):
            names = one[0] == other[0] or {one[0], other[0]} & {"python", "V"} and one[1].ndim == 0
            return bool(names) and same_elements(one[1], other[1])
        return not any(pair) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def shown(value):
    try:
        text = " ".join(repr(value).split())
    except Exception as error:  # NumPy cannot print a date without a unit
        text = f"something unprintable: {error}"
    return text if len(text) <= 160 else text[:157] + "..."


def refusal(error, words, names):
    """What is wrong with the words of a refusal; `None` if nothing is."""
    kind = type(error).__name__
    if kind == "PanicException" or not isinstance(error, Exception):
        return f"panic: {str(error)[:200]}"
    if kind in ("AssertionError", "SystemError", "KeyError", "AttributeError", "UnboundLocalError", "NameError"):
        return f"{kind}, which is no way to refuse an operand: {str(error)[:200]}"
    if kind == "MemoryError":  # Python's own says nothing more
        return None
    text = str(error)
    # A shape is as long as it is.
    lines = re.sub(r"[\[(][\d, ]+[\])]", "[]", text).splitlines() or [""]
    if not text.strip():
        return f"{kind} without a word"
    if any(form.search(text) for form in THEIRS):
        longest = max(map(len, lines))
        return None if longest <= LONG else f"a line of {longest} characters: {lines[0][:120]}"
    if max(map(len, lines)) > LONG or len(lines) > 4:
        return f"{len(text)} characters in {len(lines)} lines: {lines[0][:120]}"
    inside = next((word for word in INSIDE if word in text.replace("numpy.record", "")), None)
    if inside:
        return f"shows insides ({inside!r}): {shown(text)}"
    if not any(word and word.lower() in text.lower() for word in (*words, *names)):
        return f"names neither operand nor kind: {shown(text)}"
    return None


@functools.cache
def whole_words():
    """Words any refusal may use for what is wrong with a value rather than with its kind."""
    return (
        "index", "indices", "shape", "size", "dimension", "axis", "axes", "length", "dtype", "type",
        "argument", "operand", "mask", "value",
        "array", "scalar", "number", "sequence", "bounds", "broadcast", "cast", "memory", "integer", "boolean",
        "read-only", "out of range",
        "convert", "element", "allocate", "condition", "rank", "dims", "matrices", "0-d", "start",
    )  # fmt: skip


def same_snapshot(one, other):
    """Whether an operand is as it was."""
    if type(one) is not type(other) or one is None:
        return True
    if isinstance(one, str):
        return one == other
    return same(one, other)
