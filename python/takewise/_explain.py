"""Explanations: which call is meant, and what its parameters are called."""

import inspect
import math
import operator
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from takewise import _catalogue, _refusals, _takewise
from takewise._accelerate import _switch
from takewise._takewise import Explanation

# What changes the process and indexes nothing.
_WITHOUT = {
    "set_num_threads", "get_num_threads", "set_mixed", "get_mixed", "manual_seed", "set_grad_enabled", "no_grad", "enable_grad", "inference_mode",
    "is_grad_enabled", "load",
}  # fmt: skip
# What the libraries' modules are made of.
_PLUMBING = {"getitem", "setitem", "update", "names", "own_names", "lookup", "gradients", "is_variable", "variable"}
# What libraries are called in programs.
_PREFIXES = {"numpy": "np", "neutral": "takewise", "jax": "jax.numpy"}
# The longest text of an argument that stands in the expression.
_LONGEST = 40
# Lists nested deeper than this are no text that anybody reads.
_DEEPEST = 8


class _Call(NamedTuple):
    """A call that is watched, with a method's receiver as the first argument."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    # The parameters that the arguments are for.
    names: list[str]
    # How it is written.
    expression: str
    operation: str
    writes: bool
    torch: bool = False
    # The function of a library's table that does the same, whether it is a method, and the arguments for it.
    table: tuple[Any, bool, tuple[Any, ...], dict[str, Any]] | None = None
    # What PyTorch has against it.
    refused: _refusals.Refusal | None = None


def explain(
    call: Any,
    /,
    *args: Any,
    dialect: str | None = None,
    plan: bool = False,
    language: Literal["en", "zh"] = "en",
    color: bool | None = None,
    **kwargs: Any,
) -> Explanation:
    """What a call that indexes does: which element comes from where, and what becomes of those that meet.

    The call is made on private copies, which share memory and overlap as its arrays do, so nothing of the caller's
    changes. Where the arrays have more than 4 MiB together, the plan is made and no element is moved.

    Parameters
    ----------
    call : str or callable
        An expression or assignment in Python's notation, whose names are those of the keyword arguments; or a function:
        one of takewise or its modules, a method of one of their tensors, ``takewise.at(x)[key].add`` and the like, or
        one of PyTorch's, NumPy's or JAX's own.
    *args
        The function's arguments. After an expression, one mapping from names to values, for names that are no keywords or
        mean an option here.
    dialect : str, optional
        Whose rules an expression follows: ``"torch"``, ``"numpy"``, ``"mindspore"``, ``"jax"`` or ``"neutral"``. By
        default those of the library whose arrays it names, or whose name is in it.
    plan : bool
        Whether the picture ends with the plan, the strategy and its reason.
    language : {"en", "zh"}
        The language of the picture.
    color : bool, optional
        Whether its text is in colour. By default where an explanation shows itself at a terminal.
    **kwargs
        The function's keyword arguments, or the values of an expression's names.

    Returns
    -------
    Explanation
        The data (``to_dict()``, ``to_json()``) and its pictures: ``text``, ``svg``, ``html``. A notebook shows it as a
        picture. Of a call that fails it has the exception, as ``error``. ``compare()`` puts libraries side by side, and
        ``bounds()`` the rules for index values out of range.

    Raises
    ------
    TypeError
        For arguments that fit no signature, and functions that cannot be looked into.
    SyntaxError
        For an expression that does not parse.

    Notes
    -----
    A call of PyTorch's own is explained as it runs while ``takewise.accelerate_torch()`` is on; while it is off, by the
    function of the same name in ``takewise.torch``. Explaining does not turn it on: that holds for the whole process. One of
    NumPy's or JAX's own (``np.take``, ``np.add.at``, ``x.at[i].set``) is explained by the function of the same name in
    ``takewise.numpy`` or ``takewise.jax``.

    What is written into memory that may not be written, or that a history of gradients holds, is an error of the call, and so
    it is in its explanation. Of PyTorch's own tensors it is PyTorch's error: its call is begun, and left before anything moves.

    Examples
    --------
    >>> import numpy as np, takewise
    >>> x, i = np.arange(24).reshape(2, 3, 4), np.array([0, 1])
    >>> takewise.explain("x[0, :, i]", x=x, i=i).shape
    (2, 3)
    >>> takewise.explain("x[0, :, i]", x=x, i=i, dialect="torch").shape
    (3, 2)
    >>> y = np.zeros(3)
    >>> found = takewise.explain(takewise.scatter_add_, y, 0, [0, 0, 2], [1.0, 2.0, 3.0])
    >>> [(cell["at"], cell["how"], len(cell["sources"])) for cell in found.to_dict()["results"][0]["cells"]]
    [(0, 'sum', 2), (2, 'sum', 1)]
    >>> y
    array([0., 0., 0.])
    >>> takewise.explain(takewise.take, x, [5, 99]).error.position
    (1,)
    """
    shown: dict[str, Any] = {"plan": plan, "language": language, "color": color}
    if isinstance(call, str):
        stand, held = _refusals.histories(_names(args, kwargs))
        drawn = _takewise._explain_expression(call, stand, dialect, **shown)
        refusal = _refusals.of_result(drawn.to_dict(), held) if held else None
        return drawn if refusal is None else _takewise._explain_expression(call, stand, dialect, refused=refusal, **shown)
    if dialect is not None:
        raise TypeError("dialect= is for expressions: a function has the rules of its own library")
    for find in (_of_table, _of_subscript, _of_update):
        found = find(call, args, kwargs, shown)
        if found is not None:
            return found
    for look in (_of_places, _of_torch, _of_numpy, _of_ours):
        watched = look(call, args, kwargs, shown)
        if isinstance(watched, Explanation):
            return watched
        if watched is not None:
            function, args, names, expression, operation, writes, torch, table, refused = watched
            return _takewise._explain_call(
                function, args, kwargs, names, expression, operation, table=table, writes=writes, torch=torch, refused=refused, **shown
            )
    text = repr(call)
    text = text if len(text) <= 80 else text[:77] + "..."
    raise TypeError(
        "explain() takes an expression, or a function that indexes: of takewise, of its modules, or of PyTorch, NumPy or JAX, "
        f"not {text}"
    )


def _names(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The names of an expression."""
    if not args:
        return kwargs
    if len(args) > 1 or not isinstance(args[0], Mapping):
        raise TypeError("after an expression come its names: as keywords, or in one mapping from names to values")
    return {**args[0], **kwargs}


def _of_table(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]) -> Explanation | None:
    """A function or method of a library's table."""
    if not isinstance(call, (_takewise.Function, _takewise.Member, _takewise.Method)):
        return None
    function = call if isinstance(call, _takewise.Function) else _takewise._function(call)
    if function is None:
        return None
    if isinstance(call, _takewise.Method):
        args = (call.__self__, *args)
    library, path, names = _takewise._described(function, len(args), list(kwargs))
    if path in _WITHOUT:
        raise TypeError(f"{path}() indexes nothing, and explaining it would change the process")
    method = function is not call
    head = f"{names[0]}.{path}" if method else f"{_PREFIXES.get(library, library)}.{path}"
    expression = _written(head, args[method:], names[method:], kwargs)
    return _takewise._explain_function(function, method, args, kwargs, expression, torch=False, **shown)


def _of_subscript(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]) -> Explanation | None:
    """``operator.getitem``, ``x.__getitem__``, and what is like them."""
    name = getattr(call, "__name__", None)
    receiver = getattr(call, "__self__", None)
    if call in (operator.getitem, operator.setitem):
        library = None
    elif name in ("__getitem__", "__setitem__") and not isinstance(receiver, type) and receiver is not None:
        args, library = (receiver, *args), None
    elif name in ("index", "setindex") and getattr(call, "__module__", None) == "takewise.numpy":
        library = "numpy"
    else:
        return None
    count = 2 if name in ("getitem", "__getitem__", "index") else 3
    if len(args) != count or kwargs:
        raise TypeError(f"{name}() takes {count} arguments by position, {len(args)} and {len(kwargs)} by name were given")
    names, key = _key(args[1])
    names |= {"x": args[0]}
    source = f"x[{key}]"
    if count == 3:
        source, names = f"{source} = value", {**names, "value": args[2]}
    refused, names = _refused(operator.setitem if count == 3 else operator.getitem, args, names)
    return _takewise._explain_expression(source, names, library or _takewise._home(args[0]), refused=refused, **shown)


def _refused(call: Any, args: tuple[Any, ...], names: dict[str, Any]) -> tuple[_refusals.Refusal | None, dict[str, Any]]:
    """What PyTorch has against a subscript of its own tensors, and the names without the histories that are then told."""
    if not (torch := sys.modules.get("torch")) or not isinstance(args[0], torch.Tensor):
        return None, names
    plain = {name: value.detach() if isinstance(value, torch.Tensor) else value for name, value in names.items()}
    return _refusals.of_call(call, call.__name__, args, {}), plain


def _of_update(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]) -> Explanation | None:
    """What ``takewise.jax.at(x)[key].add`` and the like give."""
    parts = getattr(call, "_takewise_update", None)
    if parts is None:
        return None
    x, key, name = parts
    names, between = _key(key)
    names |= {"x": x}
    # By position come the values, or what stands for them.
    given = ["values", *[f"argument{k}" for k in range(2, len(args) + 1)]][: len(args)]
    names |= dict(zip(given, args, strict=True)) | kwargs
    passed = given + [f"{keyword}={keyword}" for keyword in kwargs]
    return _takewise._explain_expression(f"x.at[{between}].{name}({', '.join(passed)})", names, "jax", **shown)


def _of_places(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]) -> _Call | None:
    """A method of ``takewise.at(x)[key]``."""
    places = getattr(call, "__self__", None)
    if not isinstance(places, _takewise.Places):
        return None
    x, key = places._parts()
    name = call.__name__
    names = _parameters(call, args, kwargs)

    def changed(x: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(_takewise.at(x)[key], name)(*args, **kwargs)

    expression = _written(f"takewise.at(x)[{_key(key)[1]}].{name}", args, names, kwargs)
    return _Call(changed, (x, key, *args), ["x", "key", *names], expression, f"at.{name}", name.endswith("_"))


def _of_torch(
    call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]
) -> _Call | Explanation | None:
    """A function or method of PyTorch's own."""
    receiver, name = getattr(call, "__self__", None), getattr(call, "__name__", None)
    kind = getattr(call, "__objclass__", type(receiver))
    of_torch = {str(getattr(part, "__module__", None)).split(".")[0] for part in (call, kind)} & {"torch"}
    if not of_torch or not callable(call) or not isinstance(name, str) or isinstance(call, type):
        return None
    import torch  # type: ignore[import-not-found]  # it is there, as one of its functions is

    bound = isinstance(receiver, torch.Tensor)
    method = bound or getattr(torch.Tensor, name, None) is call
    if bound:
        args = (receiver, *args)
    function = _takewise._table("torch", name, method) if method or getattr(torch, name, None) is call else None
    if function is None:
        names = [f"argument{k}" for k in range(1, len(args) + 1)]
    else:
        _, _, names = _takewise._described(function, len(args), list(kwargs))
    head = f"{names[0] if names else 'x'}.{name}" if method else f"torch.{name}"
    expression = _written(head, args[method:], names[method:], kwargs)
    if method and not args:
        raise TypeError(f"{name}() of torch.Tensor needs a tensor")
    refused = _refusals.of_call(call, name, args[1:] if bound else args, kwargs)
    if _switch.is_on(None if function is None else name):

        def run(*args: Any, **kwargs: Any) -> Any:
            return getattr(args[0], name)(*args[1:], **kwargs) if bound else call(*args, **kwargs)

        table = None if function is None else (function, method, args, kwargs)
        return _Call(run, args, names, expression, name, name.endswith("_"), True, table, refused)
    if function is None:
        raise TypeError(f"PyTorch's {name} is run here under takewise.accelerate_torch() alone: explain the call within that")
    return _takewise._explain_function(function, method, args, kwargs, expression, torch=True, refused=refused, **shown)


def _of_numpy(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]) -> Explanation | None:
    """A function or method of NumPy's or JAX's own, by ours of that name."""
    receiver: Any = getattr(call, "__self__", None)
    name = getattr(call, "__name__", None)
    if not isinstance(name, str) or isinstance(call, type) or not callable(call):
        return None
    if type(receiver).__name__ == "_IndexUpdateRef" and type(receiver).__module__.startswith("jax"):
        # What `x.at[key].add` is a method of.
        at = types.SimpleNamespace(_takewise_update=(receiver.array, receiver.index, name))
        return _of_update(at, args, kwargs, shown)
    for library, array, own in _libraries():
        bound = isinstance(receiver, array)
        # JAX's methods are functions with another name than they are called by.
        name = name.lstrip("_") if bound else name
        path = name if bound or getattr(array, name, None) is call else _path(own, receiver, name, call)
        if path is None:
            continue
        method = path == name and (bound or getattr(own, name, None) is not call)
        table = _takewise._table(library, path if method or library == "numpy" else f"numpy.{path}", method)
        if table is None:
            raise TypeError(f"{_PREFIXES[library]}.{path} is not among the functions of takewise.{library}")
        args = (receiver, *args) if bound else args
        _, _, names = _takewise._described(table, len(args), list(kwargs))
        head = f"{names[0] if names else 'x'}.{path}" if method else f"{_PREFIXES[library]}.{path}"
        expression = _written(head, args[method:], names[method:], kwargs)
        return _takewise._explain_function(table, method, args, kwargs, expression, torch=False, **shown)
    return None


def _libraries() -> Iterator[tuple[str, type, Any]]:
    """The libraries whose own functions are explained by ours: the name, the class of the arrays, the module."""
    if numpy := sys.modules.get("numpy"):
        yield "numpy", numpy.ndarray, numpy
    if (jax := sys.modules.get("jax")) and (jnp := sys.modules.get("jax.numpy")):
        yield "jax", jax.Array, jnp


def _path(own: Any, receiver: Any, name: str, call: Any) -> str | None:
    """Where a library has a function: ``take``, ``add.at``, ``lib.stride_tricks.sliding_window_view``."""
    if getattr(own, name, None) is call:
        return name
    ufunc: Any = getattr(own, "ufunc", ())
    if name == "at" and isinstance(receiver, ufunc):
        return f"{receiver.__name__}.at"
    tricks = getattr(getattr(own, "lib", None), "stride_tricks", None)
    return f"lib.stride_tricks.{name}" if getattr(tricks, name, None) is call else None


def _of_ours(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], shown: dict[str, Any]) -> _Call | None:
    """One of takewise's own functions."""
    name = getattr(call, "__name__", None)
    if isinstance(call, type) and call.__module__ == "takewise._recording":
        raise TypeError(f"{name}() indexes nothing, and explaining it would change the process")
    if isinstance(getattr(call, "__self__", None), _takewise.PreparedSearch):
        parameters = _parameters(call, args, kwargs)
        expression = _written("prepared.searchsorted", args, parameters, kwargs)
        return _Call(call, args, parameters, expression, "searchsorted", False)
    names = vars(_takewise)
    if not inspect.isbuiltin(call) or name not in names or names[name] is not call or name.startswith("_"):
        return None
    if name in _WITHOUT:
        raise TypeError(f"{name}() indexes nothing, and explaining it would change the process")
    if name in _PLUMBING:
        return None
    parameters = _parameters(call, args, kwargs)
    writes = name.endswith("_") or name in _catalogue.IN_PLACE
    table = _takewise._table("neutral", name, False)
    if table is not None and any(_takewise._table(library, name, False) for library in ("torch", "numpy")):
        # Where ours take lists, the tables' functions take arrays.
        make = _maker(args)
        taking = _catalogue.ARRAYS.get(name, {"input", "values"})
        arrays = [_array(make, value) if parameter in taking else value for parameter, value in zip(parameters, args, strict=True)]
        named = {parameter: _array(make, value) if parameter in taking else value for parameter, value in kwargs.items()}
        table = (table, False, tuple(arrays), named)
    else:
        table = None
    expression = _written(f"takewise.{name}", args, parameters, kwargs)
    return _Call(call, args, parameters, expression, name, writes, table=table)


def _maker(args: tuple[Any, ...]) -> Callable[[Any], Any]:
    """What makes an array of a list: of NumPy's kind beside arrays of NumPy's."""
    numpy = sys.modules.get("numpy")
    if numpy and any(isinstance(value, numpy.ndarray) for value in args):
        return numpy.asarray
    return _takewise._table("neutral", "tensor", False)


def _array(make: Callable[[Any], Any], value: Any) -> Any:
    """A list of numbers as the array it stands for."""
    if type(value) in (list, tuple):
        try:
            return make(value)
        except (TypeError, ValueError):
            return value
    return value


def _bound(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    """The arguments by the signature; errors as the call gives them."""
    try:
        return inspect.signature(call).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{call.__name__}() {error}") from None


def _parameters(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """The parameters that arguments given by position are for."""
    bound = _bound(call, args, kwargs)
    given = [name for name in bound.signature.parameters if name in bound.arguments and name not in kwargs]
    return given[: len(args)]


def _written(head: str, args: tuple[Any, ...], names: list[str], kwargs: dict[str, Any]) -> str:
    """The call as it would be written, with parameters' names in place of arrays."""
    shown = [_argument(name, value) for name, value in zip(names, args, strict=True)]
    shown += [f"{name}={_argument(name, value)}" for name, value in kwargs.items()]
    return f"{head}({', '.join(shown)})"


def _argument(name: str, value: Any) -> str:
    """An argument: a short plain value as it is, anything else by the name of its parameter."""
    if _plain(value):
        text = "..." if value is ... else repr(value)
        if len(text) <= _LONGEST:
            return text
    return name


def _plain(value: Any, depth: int = 0) -> bool:
    """Whether the notation reads what Python prints of it."""
    if type(value) in (list, tuple):
        return depth < _DEEPEST and all(_plain(item, depth + 1) for item in value)
    if type(value) in (float, complex):
        return math.isfinite(abs(value))
    return value is None or value is ... or type(value) in (bool, int, str)


def _key(key: Any) -> tuple[dict[str, Any], str]:
    """What stands between the brackets, and the names in it."""
    names: dict[str, Any] = {}

    def entry(name: str, value: Any) -> str:
        if isinstance(value, slice):
            parts = {"start": value.start, "stop": value.stop}
            parts |= {} if value.step is None else {"step": value.step}
            return ":".join("" if v is None else entry(f"{name}_{part}", v) for part, v in parts.items())
        text = _argument(name, value)
        if text == name:
            names[name] = value
        return text

    if type(key) is not tuple:
        return names, entry("key", key)
    entries = [entry(f"key{k}" if len(key) > 1 else "key", part) for k, part in enumerate(key)]
    return names, (", ".join(entries) + "," * (len(entries) == 1)) or "()"
