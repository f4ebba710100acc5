"""Writes the type stubs of the package from what the built package says about itself.

    python tools/python/stubs.py [FOLDER | --check]

They go into the folder, by default that of the package that is imported. Who builds a wheel adds them to it
(`backend/takewise_build.py`). Signatures of `takewise`'s own functions come from the catalogue, those of the libraries' names from
the engine's tables. With --check nothing is written, and a difference is an error.
"""

import inspect
import pathlib
import re
import sys
import types

import takewise
import takewise.jax
import takewise.mindspore
import takewise.numpy
import takewise.torch
from takewise import _takewise

PACKAGE = pathlib.Path(takewise.__file__).parent

HEAD = "# Written by tools/python/stubs.py.\n"

# What the parameters of our own functions take, by their roles.
ROLES = {operation.name: operation.roles for operation in _takewise._operations()}
TAKEN = {
    **dict.fromkeys(("Data", "Index", "Mask", "Values", "Array", "Sequence", "Sought", "Condition", "Among"), "_Operand"),
    **dict.fromkeys(("Sorter", "Choice"), "_Operand | None"), "Key": "_Key", "Axis": "int", "AxisOrNone": "int | None", "BatchDims": "int",
    "Reduce": "_Reduce | None", "HasReduce": "_Group", "Factor": "_Scalar | None", "Shape": "Sequence[int]",
    **dict.fromkeys(("IncludeSelf", "Accumulate", "Narrow", "Right", "AsTuple"), "bool"), "Side": "_Side | None",
    "Bounds": "_Bounds | None", "Negative": "bool | None", "Fill": "_Scalar | None", "Duplicates": "_Duplicates | None",
    **dict.fromkeys(("Offsets", "Starts", "Stops", "Lengths", "SourceOffsets", "Weights"), "_Operand | None"), "How": "_How",
    **dict.fromkeys(("SkipNan", "WithMask", "Descending", "Stable", "Largest", "Invert", "WithIndex", "WithInverse", "WithCounts"), "bool"), "AtLeast": "int", "Mixed": "_Mixed | None", **dict.fromkeys(("Width", "Count"), "int | None"), "Padding": "_Scalar",
    "Empty": "_Scalar | None", "Casting": "_Casting | None", "Out": "_Array | None", "Threads": "int | None",
}  # fmt: skip
# Those of functions that are no operations, by name.
ARGUMENTS = {"mixed": "_Mixed", "n": "int", "library": "str", "path": "str", "name": "str", "args": "tuple[Any, ...]", "kwargs": "dict[str, Any]"}
RESULTS = {
    "getitem": "Any", "from_dlpack": "Tensor", "variable": "Any", "update": "Any", "get_num_threads": "int", "setitem": "None", "is_variable": "bool", "gradients": "list[Any]", "set_num_threads": "None", "set_mixed": "None", "get_mixed": "str", "put_along_axis": "None", "names": "list[str]", "own_names": "list[str]", "at": "At",
}  # fmt: skip
# The results of functions whose answers are of numbers that count, and not of the array's own dtype.
COUNTS = {"searchsorted": "integer[Any]", "bucketize": "integer[Any]", "nonzero": "int64", "offsets_of": "int64", "searchsorted_ranges": "int64",
    "argsort": "int64", "argtopk": "int64", "isin": "bool_"}
# The functions that give offsets beside their values.
WITH_OFFSETS = {"take_ranges", "pack_ranges"}
# Defaults that the extension module does not spell out, and the types of classes' methods.
KINDS = {"int": "SupportsIndex", "bool": "builtins.bool", "float": "builtins.float", "str": "builtins.str"}

CLASSES = "\n" + (pathlib.Path(__file__).parent / "extension.pyi").read_text().split("\n\n", 1)[1]


# What methods give where that is no tensor of the same class; one for each row of the table where rows differ.
GIVEN = {
    "numel": "builtins.int", "nelement": "builtins.int", "dim": "builtins.int", "ndimension": "builtins.int", "element_size": "builtins.int", "storage_offset": "builtins.int",
    "is_complex": "builtins.bool", "is_floating_point": "builtins.bool", "is_contiguous": "builtins.bool", "is_coalesced": "builtins.bool", "_nnz": "builtins.int", "equal": "builtins.bool", "item": "Any",
    "tolist": "Any", "numpy": "Any", "asnumpy": "Any", "nonzero": "Any", "sort": "Any", "type": "Any", "backward": "None", "retain_grad": "None",
    "size": ("Size", "builtins.int"), "stride": ("tuple[builtins.int, ...]", "builtins.int"),
}  # fmt: skip
# Functions of the tables that give several arrays, or something that is none.
SEVERAL = {
    "array_split", "broadcast_arrays", "broadcast_tensors", "chunk", "diag_indices", "diag_indices_from", "dsplit", "hsplit", "ix_", "meshgrid", "split",
    "split_with_sizes", "tensor_split", "tril_indices_from", "triu_indices_from", "unbind", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "unstack", "vsplit",
}  # fmt: skip
OTHERS = {"equal": "builtins.bool", "is_grad_enabled": "builtins.bool", "is_tensor": "builtins.bool", "numel": "builtins.int", "array_equal": "builtins.bool", "load": "Any", "manual_seed": "Any"}
# Functions of the tables whose arrays come in a list, or that give one array or several.
JOINED = {"cat", "concat", "concatenate", "stack", "unique"}
# The types of attributes, by the class of an example's.
ATTRIBUTES = {
    "int": "builtins.int", "bool": "builtins.bool", "str": "builtins.str", "tuple": "tuple[builtins.int, ...]",
    "Size": "Size", "dtype": "_DType",
}  # fmt: skip


def members(name, library, example):
    """The methods and attributes of a library's tensors, which the tables have and the class looks up."""
    lines = [f"class {name}:"]
    for member in _takewise.names(library, None):
        value = getattr(example, member)
        if not isinstance(value, _takewise.Method):
            kind = type(value).__name__
            kind = "Node | None" if member == "grad_fn" else "Self | None" if value is None else "Self" if kind.endswith("Tensor") else ATTRIBUTES.get(kind, "Any")
            lines += ["    @property", f"    def {member}(self) -> {kind}: ..."]
            continue
        forms, given = [], GIVEN.get(member, "Self")
        rows = value.__doc__.split("\n\n")[0].split("\n")
        for k, row in enumerate(rows):
            parts = [p for p in re.fullmatch(r"[^(]*\((.*)\)", row).group(1).split(", ") if p][1:]
            result = given[min(k, len(given) - 1)] if isinstance(given, tuple) else given
            forms.append((ordered([parameter(p) if p != "*" else "*" for p in parts]), result))
            if parts and parts[0].startswith("ints "):
                # One list, or its numbers one by one.
                forms.append(([f"*{parts[0].split()[1].split('=')[0]}: SupportsIndex"], result))
        for parameters, result in forms:
            lines += ["    @overload"] * (len(forms) > 1)
            lines.append(f"    def {member}({', '.join(['self', *parameters])}) -> {result}: ...")
    return "\n".join(lines) + "\n"


def taken(name, parameter):
    """What a parameter of one of our own functions takes."""
    # The methods of what `at(x)[key]` gives read and write at a key.
    role = ROLES.get(name, ROLES["index"] | ROLES["index_put"]).get(parameter)
    return TAKEN[role] if role else ARGUMENTS.get(parameter, "Any")


def own(name, function, indent=""):
    """The definition of one of our own functions: one form for each kind of array, whose kind the result has."""
    first = next(iter(inspect.signature(function).parameters), None)
    # The result is of the library of what is looked for.
    first = next((parameter for parameter, role in ROLES.get(name, {}).items() if role == "Sought"), first)
    if name in RESULTS and name != "at" or first is None or taken(name, first) != "_Operand":
        return indent + form(name, function, {}, RESULTS.get(name, "Any"))
    counts = name in COUNTS
    same = "NDArray[_S]" if not counts and name not in ("where", "reduce_ranges") else f"NDArray[np.{COUNTS[name]}]" if counts else "NDArray[Any]"
    kinds = [("NDArray[_S]" if "_S" in same else "NDArray[Any]", same), ("_File", same.replace("_S", "Any")), ("_A", "_A"), ("_Values", "NDArray[Any]")]
    if counts:
        # Columns give their elements back as columns, and places as arrays of NumPy's.
        kinds.insert(2, ("_Column", same))
    lines = []
    for kind, result in kinds:
        given = {first: kind}
        if name == "at":
            lines.append(form(name, function, given, f"At[{result}]"))
        elif name == "nonzero":
            lines.append(form(name, function, given | {"as_tuple": "Literal[False]"}, result))
            lines.append(form(name, function, given | {"as_tuple": "Literal[True]"}, f"tuple[{result}, ...]").replace("Literal[True] = False", "Literal[True]"))
        elif name in WITH_OFFSETS:
            lines.append(form(name, function, given, f"tuple[{result}, {result if kind == '_A' else 'NDArray[np.int64]'}]"))
        elif name == "pad_ranges":
            lines.append(form(name, function, given | {"mask": "Literal[False]"}, result))
            lines.append(form(name, function, given | {"mask": "Literal[True]"}, f"tuple[{result}, {result if kind == '_A' else 'NDArray[np.bool_]'}]").replace("Literal[True] = False", "Literal[True]"))
        elif name == "unique":
            lines.append(form(name, function, given | dict.fromkeys(("return_index", "return_inverse", "return_counts"), "Literal[False]"), result))
            lines.append(form(name, function, given, "Any"))
        elif name == "where" and kind != "_Values":
            lines.append(form(name, function, given, result))
        elif name == "where":
            lines.append(form(name, function, given, "Any"))
        else:
            lines.append(form(name, function, given, result))
    return "\n".join(f"{indent}@overload\n{indent}{line}" for line in lines)


def form(name, function, given, result):
    """One definition of a function; `given` is what arguments are in it."""
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        kind = given.get(parameter.name) or taken(name, parameter.name)
        if parameter.default is not parameter.empty:
            default = "None" if parameter.default is None else repr(parameter.default)
            default = "..." if parameter.default is ... else default
            kind += " | None" if default == "None" and not kind.endswith(("None", "Any")) else ""
            parameter = parameter.replace(default=types.SimpleNamespace())
            text = f"{parameter.name}: {kind} = {default}"
        else:
            text = f"{parameter.name}: {kind}"
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        if parameter.kind is not parameter.POSITIONAL_ONLY and any(p == "" for p in parameters):
            parameters[parameters.index("")] = "/"
        parameters.append(text)
    if any(p.kind is p.POSITIONAL_ONLY for p in inspect.signature(function).parameters.values()):
        count = sum(p.kind is p.POSITIONAL_ONLY for p in inspect.signature(function).parameters.values())
        parameters.insert(count, "/")
    return f"def {name}({', '.join(parameters)}) -> {result}: ..."


OPERANDS = """
_S = TypeVar("_S", bound=np.generic)

class _Array(Protocol):
    @property
    def shape(self) -> Any: ...

class _HasArray(Protocol):
    def __array__(self) -> Any: ...

class _HasDLPack(Protocol):
    def __dlpack__(self) -> Any: ...

class _HasArrow(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Column(Protocol):
    def to_numpy(self, *args: Any, **kwargs: Any) -> Any: ...

_A = TypeVar("_A", bound=_Array)
_Scalar: TypeAlias = bool | int | float | complex | np.generic
_Values: TypeAlias = _Scalar | range | Sequence[object] | Buffer | _HasArray | _HasDLPack | _HasArrow
_Operand: TypeAlias = _Array | _Values
_Entry: TypeAlias = _Operand | slice | EllipsisType | None
_Key: TypeAlias = _Entry | tuple[_Entry, ...]
"""


def extension():
    """The stub of the extension module."""
    lines = [HEAD + QUIET + "import builtins\nfrom collections.abc import Callable, Iterable, Iterator, Sequence\nfrom inspect import Signature"]
    lines.append("from types import EllipsisType\nfrom typing import Any, ClassVar, Generic, Literal, Protocol, Self, SupportsIndex, TypeAlias, TypeVar, final, overload\n")
    lines.append("import numpy as np\nfrom numpy.typing import NDArray\nfrom typing_extensions import Buffer\n")
    lines.append("from takewise._nodes import Node\nfrom takewise._size import Size\n")
    lines.append('_Language = Literal["en", "zh"]')
    lines.append('_Side = Literal["left", "right"]')
    lines.append('_Bounds = Literal["raise", "wrap", "clip", "fill", "drop"]')
    lines.append('_Duplicates = Literal["last", "first", "error"]')
    lines.append('_Mixed = Literal["front", "refuse"]')
    lines.append('_Casting = Literal["same_kind", "unsafe"]')
    hows = ["sum", "mean", "min", "amin", "max", "amax", "prod", "any", "all", "count", "first", "last", "argmin", "argmax"]
    lines.append(f"_How = Literal[{', '.join(repr(w) for w in hows)}]".replace("'", '"'))
    words = ["none", "sum", "add", "prod", "multiply", "mul", "mean", "amax", "max", "amin", "min"]
    lines.append(f"_Reduce = Literal[{', '.join(repr(w) for w in words)}]".replace("'", '"'))
    lines.append(f"_Group = Literal[{', '.join(repr(w) for w in [*words, *hows[7:]])}]".replace("'", '"'))
    lines.append(OPERANDS)
    lines.append("__version__: str")
    lines.append("")
    lines.append(members("_Members", "neutral", takewise.zeros(2, 2)))
    lines.append(members("_MindSporeMembers", "mindspore", takewise.mindspore.Tensor([[1.0, 2.0], [3.0, 4.0]])))
    lines.append(CLASSES)
    lines.append("@final\nclass Places(Generic[_A]):")
    for name in sorted(n for n in vars(_takewise.Places) if not n.startswith("_")):
        lines.append("    " + form(name, getattr(_takewise.Places, name), {}, "_A").replace("self: Any", "self"))
    lines.append("    def _parts(self) -> tuple[Any, Any]: ...")
    lines.append("")
    for name, value in sorted(vars(_takewise).items()):
        if inspect.isbuiltin(value) and not name.startswith("_"):
            lines.append(own(name, value))
    return "\n".join(lines) + "\n"


def parameter(text):
    """A parameter of a table's signature as a stub has it."""
    head, _, default = text.partition("=")
    kind, _, name = head.strip().rpartition(" ")
    if kind == "args":
        return f"*{name}: Any"
    kind = KINDS.get(kind, "Any")
    if default == "None" and kind != "Any":
        kind += " | None"
    return f"{name}: {kind}" + (" = ..." if default else "")


def table(module, names, library):
    """The stub of a module made from a table."""
    functions, values = [], []
    for name in sorted(names):
        value = getattr(module, name)
        if isinstance(value, _takewise.Function):
            functions.append(protocol(name, value, library))
        elif isinstance(value, _takewise.dtype):
            values.append(f"{name}: dtype")
        elif isinstance(value, types.ModuleType):
            values.append(f"{name}: Any")
        elif isinstance(value, float):
            values.append(f"{name}: builtins.float")
        elif value is None:
            values.append(f"{name}: None")
        else:
            values.append(f"{name}: Any")
    return "\n".join(values) + "\n\n" + "\n".join(functions)


def ordered(parts):
    """Parameters in an order Python takes: a required one after an optional one can only be given by name."""
    seen, out = False, []
    for part in parts:
        if part == "*" and any(p.startswith("*") for p in out):
            continue
        if "=" in part:
            seen = True
        elif seen and part[0] != "*" and "*" not in out:
            out.append("*")
        out.append(part)
    return out


def results(name, row, parts, made, library):
    """A function's parameters and result, in every form that a row has: arrays come from the library that the first array is of."""
    if name in OTHERS or made is None:
        return [(parts, OTHERS.get(name, "Any"))]
    arrays = [p.split()[1] for p in row if p.startswith(("Tensor ", "args ")) and "=" not in p]
    one, given = ("_A" if arrays else "MindSporeTensor" if library == "mindspore" else "Tensor"), list(parts)
    for k, part in enumerate(parts if arrays else []):
        if part.partition(":")[0] in (arrays[0], f"*{arrays[0]}"):
            given[k] = part.replace(": Any", ": _A", 1)
    if name in JOINED:
        return [(parts, "Any")]
    if name in ("sort", "topk") or name in ("max", "min") and any(p.startswith("int dim") for p in row):
        one = "tuple[_A, _A]" if library == "mindspore" else "_Sorted[_A]"
    elif name in SEVERAL or name == "where" and len(row) == 1:
        one = f"tuple[{one}, ...]"
    if library == "neutral" and arrays:
        return [(given, one), (parts, "Any")]
    places = next((k for k, part in enumerate(given) if part.startswith("as_tuple:")), None)
    if places is None:
        return [(given, one)]
    asked = [*given[:places], "as_tuple: Literal[True]", *given[places + 1 :]]
    given[places] = "as_tuple: Literal[False] = ..."
    return [(given, one), (asked, f"tuple[{one}, ...]")]


def protocol(name, function, library):
    """A function of a table: a callable with one overload for each row."""
    lines, forms = [f"class _{name}(Protocol):"], []
    made = re.search(r"\nReturns\n-------\n(.*)", function.__doc__)
    for row in function.__doc__.split("\n\n")[0].split("\n"):
        found = re.fullmatch(r"[^(]*\((.*)\)", row)
        if not found:
            raise SystemExit(f"no signature of {name}: {row!r}")
        row = [p for p in found.group(1).split(", ") if p]
        parts = ordered([parameter(p) if p != "*" else "*" for p in row])
        forms += results(name, row, parts, made and made.group(1), library)
        if row and row[0].startswith("ints ") and all("=" in p or p == "*" for p in parts[1:]):
            # One list, or its numbers one by one.
            spread = [f"*{parts[0].partition(':')[0]}: SupportsIndex", *(p for p in parts[1:] if p != "*")]
            forms += [(spread, result) for _, result in forms[-1:]]
    for parts, result in forms:
        if len(forms) > 1:
            lines.append("    @overload")
        lines.append(f"    def __call__({', '.join(['_', '/', *parts])}) -> {result}: ...")
    lines.append("    def __getattr__(self, name: str, /) -> Any: ...")
    return "\n".join(lines) + f"\n\n{name}: _{name}\n"


# Rows of a table that differ only in what they take look alike here, and MindSpore's methods differ from torch's.
QUIET = '# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"\n'

IMPORTS = HEAD + QUIET + "import builtins\nfrom typing import Any, Literal, Protocol, SupportsIndex, overload\n\n"


def exported(module):
    """What ``from module import *`` gives."""
    return "__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(module.__all__)) + "]\n\n"


def package():
    """The stub of `takewise` itself."""
    bound = sorted(n for n in vars(takewise) if n in vars(_takewise))
    bound = [n for n in bound if not n.startswith("_") or n == "__version__"]
    made = [n for n in _takewise.names("neutral", "") if n not in vars(_takewise) and n not in MODES and hasattr(takewise, n)]
    text = IMPORTS + "from takewise import exceptions as exceptions\n"
    text += "".join(f"from takewise import {name} as {name}\n" for name in sorted(takewise._LAZY))
    text += "from takewise._accelerate import accelerate_torch as accelerate_torch, torch_errors as torch_errors\n"
    text += "from takewise._explain import explain as explain\n"
    text += "from takewise._files import FileArray as FileArray, open as open\n"
    text += "from takewise._group import FileGroup as FileGroup, open_group as open_group\n"
    text += "from takewise._prepared import Prepared as Prepared, prepare as prepare\n" + RECORDING + "from takewise._takewise import (\n"
    text += "".join(f"    {name} as {name},\n" for name in bound)
    return text + "    _A,\n    _Sorted,\n    dtype,\n)\n\n" + exported(takewise) + table(takewise, made, "neutral")


# Classes that say for a time whether operations are recorded for gradients, and what they take.
MODES = {"no_grad": "function: Any = None", "enable_grad": "function: Any = None", "set_grad_enabled": "mode: builtins.bool", "inference_mode": "mode: Any = True"}
RECORDING = f"from takewise._recording import {', '.join(f'{mode} as {mode}' for mode in MODES)}\n"


def recording():
    """The stub of those classes."""
    text = HEAD + QUIET + "import builtins\nimport contextlib\nfrom typing import Any\n\n"
    for mode, parameters in MODES.items():
        make = "def __init__(self" if mode == "set_grad_enabled" else "def __new__(cls"
        text += f"class {mode}(contextlib.ContextDecorator):\n    {make}, {parameters}) -> {'None' if 'init' in make else 'Any'}: ...\n"
        text += "    def __enter__(self) -> None: ...\n    def __exit__(self, *error: Any) -> None: ...\n\n"
    return text


def torch():
    """The stub of `takewise.torch`."""
    text = IMPORTS + RECORDING
    text += "from takewise._size import Size as Size\nfrom takewise._takewise import TorchTensor as Tensor\n"
    text += "from takewise._takewise import _A, _Sorted\nfrom takewise._takewise import dtype as dtype\n"
    text += "from takewise._takewise import get_num_threads as get_num_threads\n"
    text += "from takewise._takewise import set_num_threads as set_num_threads\n\n"
    text += exported(takewise.torch) + "strided: str\n\n"
    text += "def from_dlpack(x: Any, /) -> Tensor: ...\n\n"
    # Every other name is PyTorch's own.
    text += "def __getattr__(name: str) -> Any: ...\n\n"
    own_names = {"Size", "Tensor", "dtype", "get_num_threads", "set_num_threads", *MODES}
    return text + table(takewise.torch, [n for n in _takewise.names("torch", "") if n not in own_names], "torch")


# What a module leaves to the library itself.
REST = "def __getattr__(name: str) -> Any: ...\n\n"


def numpy():
    """The stub of `takewise.numpy`: NumPy's own functions, and as many of ours with their types."""
    added = sorted(set(takewise.numpy.__all__) - set(takewise.numpy._numpy.__all__) - {"index", "setindex"})
    text = HEAD + "from typing import Any\n\nfrom numpy import *\nfrom numpy import __all__ as _all\n\n"
    text += "__all__ = [\n" + "".join(f'    "{name}",\n' for name in ["index", "setindex", *added]) + "]\n__all__ += _all\n\n"
    text += "def index(x: Any, key: Any, /) -> Any: ...\ndef setindex(x: Any, key: Any, value: Any, /) -> None: ...\n"
    return text + "".join(f"{name}: Any\n" for name in added) + REST.rstrip() + "\n"


def plain(module, library, path=""):
    """The stub of a module that is a table and nothing else."""
    names = [n for n in _takewise.names(library, path) if n.isidentifier() and n != "Tensor"]
    text = IMPORTS + "from takewise._takewise import MindSporeTensor, _A, dtype\n"
    if library == "mindspore" and path in ("", "ops"):
        text += "from takewise.mindspore._grad import grad as grad, value_and_grad as value_and_grad\n"
        text += "from takewise.mindspore._grad import GradOperation as GradOperation\n" * (path == "ops")
    if library == "mindspore" and not path:
        text += "from takewise._takewise import MindSporeTensor as Tensor\n\nfrom . import mint as mint, numpy as numpy, ops as ops\n"
        names = [n for n in names if n not in ("numpy", "ops", "mint")]
    return text + "\n" + REST + exported(module) + table(module, names, library)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1] != "--check" else PACKAGE
    stubs = {
        "_takewise.pyi": extension(),
        "__init__.pyi": package(),
        "_recording.pyi": recording(),
        "torch.pyi": torch(),
        "numpy.pyi": numpy(),
        "mindspore/__init__.pyi": plain(takewise.mindspore, "mindspore"),
        "mindspore/ops.pyi": plain(takewise.mindspore.ops, "mindspore", "ops"),
        "mindspore/mint.pyi": plain(takewise.mindspore.mint, "mindspore", "mint"),
        "mindspore/numpy.pyi": plain(takewise.mindspore.numpy, "mindspore", "numpy"),
    }
    found = {name: (folder / name).read_text() if (folder / name).exists() else None for name in stubs}
    stale = [name for name, text in stubs.items() if found[name] != text]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"stubs differ from the package: {', '.join(stale)}; install it again")
        return
    for name in stale:
        (folder / name).write_text(stubs[name])


if __name__ == "__main__":
    main()
