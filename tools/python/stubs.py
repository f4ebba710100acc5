"""Writes the type stubs of the package from what the built package says about itself.

    python tools/python/stubs.py [--check]

Signatures of `takewise`'s own functions come from the extension module, those of the libraries' names from the engine's
tables. With --check nothing is written, and a difference is an error.
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

PACKAGE = pathlib.Path(__file__).parents[2] / "python" / "takewise"

HEAD = "# Written by tools/python/stubs.py.\n"

# What arguments of our own functions are, by their names.
ARGUMENTS = {
    "dim": "int", "axis": "int | None", "batch_dims": "int", "accumulate": "bool", "include_self": "bool",
    "bounds": "_Bounds | None", "negative": "bool | None", "duplicates": "_Duplicates | None",
    "reduce": "_Reduce | None", "shape": "Sequence[int]", "n": "int", "library": "str", "path": "str", "name": "str", "args": "tuple[Any, ...]",
    "kwargs": "dict[str, Any]", "threads": "int | None", "out_int32": "bool", "right": "bool", "side": "_Side | None", "as_tuple": "bool",
}  # fmt: skip
RESULTS = {
    "get_num_threads": "int", "setitem": "None", "is_variable": "bool", "gradients": "list[Any]", "set_num_threads": "None", "put_along_axis": "None", "names": "list[str]", "at": "At",
}  # fmt: skip
# Defaults that the extension module does not spell out, and the types of classes' methods.
KINDS = {"int": "SupportsIndex", "bool": "builtins.bool", "float": "builtins.float", "str": "builtins.str"}

CLASSES = '''
@final
class dtype:
    @property
    def name(self) -> str: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def is_floating_point(self) -> bool: ...
    @property
    def is_complex(self) -> bool: ...
    @property
    def is_signed(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Function:
    @property
    def __name__(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...

@final
class Method:
    @property
    def __name__(self) -> str: ...
    @property
    def __self__(self) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Tensor(_Members):
    grad: Any
    requires_grad: builtins.bool
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __delitem__(self, key: Any, /) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, item: Any, /) -> bool: ...
    def __eq__(self, other: Any, /) -> Any: ...
    def __ne__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __and__(self, other: Any, /) -> Any: ...
    def __rand__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __ror__(self, other: Any, /) -> Any: ...
    def __xor__(self, other: Any, /) -> Any: ...
    def __rxor__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def data_ptr(self) -> int: ...
    def register_hook(self, hook: Any) -> None: ...
    def __getattr__(self, name: str, /) -> Any: ...

class TorchTensor(Tensor):
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...

class MindSporeTensor(_MindSporeMembers, Tensor):
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...

@final
class Kernel:
    def __new__(
        cls,
        name: str,
        strict: bool = False,
        warnings: Sequence[tuple[int, str, str, bool, str]] | None = None,
        say: Callable[[str, bool], object] | None = None,
    ) -> Self: ...
    @property
    def calls(self) -> tuple[int, int]: ...
    def over(self, native: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

@final
class SparseTensor:
    @property
    def shape(self) -> Size: ...
    @property
    def dtype(self) -> _DType: ...
    @property
    def ndim(self) -> int: ...
    @property
    def is_sparse(self) -> bool: ...
    def coalesce(self) -> SparseTensor: ...
    def is_coalesced(self) -> bool: ...
    def to_dense(self) -> Any: ...
    def indices(self) -> Any: ...
    def values(self) -> Any: ...
    def _indices(self) -> Any: ...
    def _values(self) -> Any: ...
    def _nnz(self) -> int: ...

@final
class GradFn:
    def name(self) -> str: ...
    def next(self) -> list[Node | None]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class PreparedSearch:
    def __new__(cls, sequence: Any, /) -> PreparedSearch: ...
    def searchsorted(self, /, values: Any, *, right: bool = False, side: _Side | None = None, out_int32: bool = False, out: Any = None, threads: int | None = None) -> Any: ...
    def __len__(self) -> int: ...

@final
class At:
    def __getitem__(self, key: Any, /) -> Places: ...

@final
class Comparison:
    @property
    def columns(self) -> dict[str, Explanation]: ...
    @property
    def same(self) -> bool: ...
    @property
    def places(self) -> list[int]: ...
    @property
    def expression(self) -> str: ...
    def to_json(self, *, indent: bool = False) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    @property
    def text(self) -> str: ...
    @property
    def svg(self) -> str: ...
    @property
    def html(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@final
class Explanation:
    @staticmethod
    def from_json(text: str, *, plan: bool = False, language: _Language = "en", color: bool | None = None) -> Explanation: ...
    def to_json(self, *, indent: bool = False) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def compare(self, dialects: Iterable[str] | str | None = None) -> Comparison: ...
    def bounds(self) -> Comparison: ...
    @property
    def expression(self) -> str: ...
    @property
    def dialect(self) -> str: ...
    @property
    def operation(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...] | None: ...
    @property
    def error(self) -> Exception | None: ...
    @property
    def text(self) -> str: ...
    @property
    def svg(self) -> str: ...
    @property
    def html(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

class _File:
    def __new__(cls, path: str, name: str | None = None, mode: str = "r", dtype: Any = None, shape: Sequence[int] | None = None) -> Self: ...
    @property
    def _shape(self) -> tuple[int, ...]: ...
    @property
    def _dtype(self) -> Any: ...
    @property
    def _closed(self) -> builtins.bool: ...
    @property
    def _requested(self) -> tuple[int, int]: ...
    def _get(self, how: str, key: Any) -> Any: ...
    def _set(self, how: str, key: Any, value: Any) -> None: ...
    def _flush(self) -> None: ...
    def _close(self) -> builtins.bool: ...

_DType = dtype

def _explanation(text: str, plan: bool, language: str, color: bool | None) -> Explanation: ...
def _comparison(text: str, plan: bool, language: str, color: bool | None) -> Comparison: ...
def _explain_expression(source: str, names: dict[str, Any], dialect: str | None, *, plan: bool, language: str, color: bool | None) -> Explanation: ...
def _explain_call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: Sequence[str],
    expression: str,
    operation: str,
    *,
    table: tuple[Function, bool, tuple[Any, ...], dict[str, Any]] | None,
    writes: bool,
    torch: bool,
    plan: bool,
    language: str,
    color: bool | None,
) -> Explanation: ...
def _explain_function(
    function: Function,
    method: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    expression: str,
    *,
    torch: bool,
    plan: bool,
    language: str,
    color: bool | None,
) -> Explanation: ...
def _described(function: Any, count: int, keywords: Sequence[str]) -> tuple[str, str, list[str]]: ...
def _function(method: Method) -> Function: ...
def _table(library: str, name: str, method: bool) -> Any: ...
def _home(x: Any) -> str: ...
def _chunks(shape: Sequence[int], chunks: Sequence[int | Sequence[int]], key: Any, way: str = ..., bounds: _Bounds | None = ..., negative: bool | None = ...) -> tuple[tuple[int, ...], int, int, list[tuple[Any, ...]]]: ...
def _dtype(library: str, name: str) -> dtype: ...
def _rebuild(library: str, dtype: str, shape: Sequence[int], scalar: bool, bytes: bytes) -> Tensor: ...
'''


# What methods give where that is no tensor of the same class; one for each row of the table where rows differ.
GIVEN = {
    "numel": "builtins.int", "nelement": "builtins.int", "dim": "builtins.int", "ndimension": "builtins.int", "element_size": "builtins.int", "storage_offset": "builtins.int",
    "is_complex": "builtins.bool", "is_floating_point": "builtins.bool", "is_contiguous": "builtins.bool", "is_coalesced": "builtins.bool", "_nnz": "builtins.int", "equal": "builtins.bool", "item": "Any",
    "tolist": "Any", "numpy": "Any", "asnumpy": "Any", "nonzero": "Any", "sort": "Any", "type": "Any", "backward": "None", "retain_grad": "None",
    "size": ("Size", "builtins.int"), "stride": ("tuple[builtins.int, ...]", "builtins.int"),
}  # fmt: skip
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
        rows = value.__doc__.split("\n")
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


def own(name, function):
    """The definition of one of our own functions."""
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        kind = ARGUMENTS.get(parameter.name, "Any")
        if parameter.default is not parameter.empty:
            default = "None" if parameter.default is None else repr(parameter.default)
            default = "..." if parameter.default is ... else default
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
    return f"def {name}({', '.join(parameters)}) -> {RESULTS.get(name, 'Any')}: ..."


def extension():
    """The stub of the extension module."""
    lines = [HEAD + QUIET + "import builtins\nfrom collections.abc import Callable, Iterable, Iterator, Sequence"]
    lines.append("from typing import Any, ClassVar, Literal, Self, SupportsIndex, final, overload\n")
    lines.append("from takewise._nodes import Node\nfrom takewise._size import Size\n")
    lines.append('_Language = Literal["en", "zh"]')
    lines.append('_Side = Literal["left", "right"]')
    lines.append('_Bounds = Literal["raise", "wrap", "clip", "fill", "drop"]')
    lines.append('_Duplicates = Literal["last", "first", "error"]')
    words = ["none", "sum", "add", "prod", "multiply", "mul", "mean", "amax", "max", "amin", "min"]
    lines.append(f"_Reduce = Literal[{', '.join(repr(w) for w in words)}]".replace("'", '"'))
    lines.append("\n__version__: str")
    lines.append("")
    lines.append(members("_Members", "neutral", takewise.zeros(2, 2)))
    lines.append(members("_MindSporeMembers", "mindspore", takewise.mindspore.Tensor([[1.0, 2.0], [3.0, 4.0]])))
    lines.append(CLASSES)
    lines.append("@final\nclass Places:")
    for name in sorted(n for n in vars(_takewise.Places) if not n.startswith("_")):
        text = own(name, getattr(_takewise.Places, name))
        lines.append("    " + text)
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


def table(module, names):
    """The stub of a module made from a table."""
    functions, values = [], []
    for name in sorted(names):
        value = getattr(module, name)
        if isinstance(value, _takewise.Function):
            rows = [line for line in value.__doc__.split("\n\n")[0].split("\n")]
            functions.append(protocol(name, rows))
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


def protocol(name, rows):
    """A function of a table: a callable with one overload for each row."""
    lines = [f"class _{name}(Protocol):"]
    for row in rows:
        found = re.fullmatch(r"[^(]*\((.*)\)", row)
        if not found:
            raise SystemExit(f"no signature of {name}: {row!r}")
        parts = ordered([parameter(p) if p != "*" else "*" for p in found.group(1).split(", ") if p])
        if len(rows) > 1:
            lines.append("    @overload")
        lines.append(f"    def __call__({', '.join(['_', '/', *parts])}) -> Any: ...")
    lines.append("    def __getattr__(self, name: str, /) -> Any: ...")
    return "\n".join(lines) + f"\n\n{name}: _{name}\n"


# Rows of a table that differ only in what they take look alike here, and MindSpore's methods differ from torch's.
QUIET = '# mypy: disable-error-code="misc, overload-cannot-match, overload-overlap, override"\n'

IMPORTS = HEAD + QUIET + "import builtins\nfrom typing import Any, Protocol, SupportsIndex, overload\n\n"


def exported(module):
    """What ``from module import *`` gives."""
    return "__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(module.__all__)) + "]\n\n"


def package():
    """The stub of `takewise` itself."""
    bound = sorted(n for n in vars(takewise) if n in vars(_takewise))
    bound = [n for n in bound if not n.startswith("_") or n == "__version__"]
    made = [n for n in _takewise.names("neutral", "") if n not in vars(_takewise) and hasattr(takewise, n)]
    text = IMPORTS + "from takewise import exceptions as exceptions\n"
    text += "from takewise._accelerate import accelerate_torch as accelerate_torch\n"
    text += "from takewise._explain import explain as explain\n"
    text += "from takewise._files import FileArray as FileArray, open as open\nfrom takewise._takewise import (\n"
    text += "".join(f"    {name} as {name},\n" for name in bound)
    return text + "    dtype,\n)\n\n" + exported(takewise) + table(takewise, made)


def torch():
    """The stub of `takewise.torch`."""
    text = IMPORTS.replace("import builtins\n", "import builtins\nimport contextlib\n")
    text += "from takewise._size import Size as Size\nfrom takewise._takewise import TorchTensor as Tensor\n"
    text += "from takewise._takewise import dtype as dtype\n"
    text += "from takewise._takewise import get_num_threads as get_num_threads\n"
    text += "from takewise._takewise import set_num_threads as set_num_threads\n\n"
    text += exported(takewise.torch) + "strided: str\n\n"
    text += "def from_dlpack(x: Any, /) -> Tensor: ...\n\n"
    modes = {"no_grad": "function: Any = None", "enable_grad": "function: Any = None", "set_grad_enabled": "mode: builtins.bool", "inference_mode": "mode: Any = True"}
    for mode, parameters in modes.items():
        make = "def __init__(self" if mode == "set_grad_enabled" else "def __new__(cls"
        text += f"class {mode}(contextlib.ContextDecorator):\n    {make}, {parameters}) -> {'None' if 'init' in make else 'Any'}: ...\n"
        text += "    def __enter__(self) -> None: ...\n    def __exit__(self, *error: Any) -> None: ...\n\n"
    own_names = {"Size", "Tensor", "dtype", "get_num_threads", "set_num_threads", *modes}
    return text + table(takewise.torch, [n for n in _takewise.names("torch", "") if n not in own_names])


def plain(module, library, path=""):
    """The stub of a module that is a table and nothing else."""
    names = [n for n in _takewise.names(library, path) if n.isidentifier() and n != "Tensor"]
    text = IMPORTS + "from takewise._takewise import dtype\n"
    if library == "mindspore" and path in ("", "ops"):
        text += "from takewise.mindspore._grad import grad as grad, value_and_grad as value_and_grad\n"
        text += "from takewise.mindspore._grad import GradOperation as GradOperation\n" * (path == "ops")
    if library == "mindspore" and not path:
        text += "from takewise._takewise import MindSporeTensor as Tensor\n\nfrom . import mint as mint, numpy as numpy, ops as ops\n"
        names = [n for n in names if n not in ("numpy", "ops", "mint")]
    if library == "numpy":
        text += "def index(x: Any, key: Any, /) -> Any: ...\ndef setindex(x: Any, key: Any, value: Any, /) -> None: ...\n"
        text += "".join(f"{name}: Any\n" for name in sorted(module._AT))
    return text + "\n" + exported(module) + table(module, names)


def main():
    stubs = {
        "_takewise.pyi": extension(),
        "__init__.pyi": package(),
        "torch.pyi": torch(),
        "numpy.pyi": plain(takewise.numpy, "numpy"),
        "mindspore/__init__.pyi": plain(takewise.mindspore, "mindspore"),
        "mindspore/ops.pyi": plain(takewise.mindspore.ops, "mindspore", "ops"),
        "mindspore/mint.pyi": plain(takewise.mindspore.mint, "mindspore", "mint"),
        "mindspore/numpy.pyi": plain(takewise.mindspore.numpy, "mindspore", "numpy"),
    }
    found = {name: (PACKAGE / name).read_text() if (PACKAGE / name).exists() else None for name in stubs}
    stale = [name for name, text in stubs.items() if found[name] != text]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"stubs differ from the package: {', '.join(stale)}; run python tools/python/stubs.py")
        return
    for name in stale:
        (PACKAGE / name).write_text(stubs[name])
        print(f"{name}: {len(stubs[name].splitlines())} lines")


if __name__ == "__main__":
    main()
