"""Arrays whose elements only their own library moves: Python objects, texts of any length, units, columns.

A function of ours that meets one comes here (``border/onward.rs``). The call runs on an array of positions instead, by which
all that we check is checked, and the library then moves the elements to where the positions say. Arrays of classes that only
carry something along are run as NumPy's own, and the result gets the class. Masked arrays are left to their refusal: what a
hidden element is worth as a position, a value or a filling is for the caller to say.
"""

import functools
import inspect
from typing import Any

import numpy as np

from takewise import _catalogue, _held, _ranged, _takewise, exceptions
from takewise._outside import Outside

# A method of `at(x)[key]` has the parameters of reads and of writes at a key.
_AT = {name: role for roles in _catalogue.ROLES.values() if "Key" in roles.values() for name, role in roles.items()}
_UFUNCS = {
    "sum": np.add, "add": np.add, "prod": np.multiply, "multiply": np.multiply, "mul": np.multiply,
    "amax": np.maximum, "max": np.maximum, "amin": np.minimum, "min": np.minimum,
}  # fmt: skip


def answer(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call that our own function refused, or ``NotImplemented`` where no such array is concerned."""
    run = functools.partial(_method, name[3:]) if name.startswith("at.") else getattr(_takewise, name)
    try:
        given = {k: v for k, v in _signature(name).bind(*args, **kwargs).arguments.items() if k != "more"}
    except TypeError:
        return NotImplemented
    given |= given.pop("rules", {})
    if any(isinstance(value, np.ma.MaskedArray) for value in given.values()):
        return NotImplemented
    if name in _catalogue.THEIRS:
        # What has an order has it whole: an array in a file is read, and all others have been asked.
        read = {k: np.asarray(v) for k, v in given.items() if isinstance(v, Outside)}
        return run(**given | read) if read else NotImplemented
    call = _Call(name, run, given)
    if (found := _positions(call)) is not None:
        return run(**given | found)
    if not name.startswith("at.") and _ranged.holds_rows(given.get(call.receiver)):
        return _ranged.answer(name, given, given[call.receiver])
    # One in a file is memory to us.
    outside = {k: v for k, v in given.items() if isinstance(v, Outside) and not isinstance(v, _takewise._File)}
    x = given.get(call.receiver)
    if "Offsets" in call.roles.values() and not call.value and (call.receiver in outside or _is_unmoved(x)):
        call.given = given | {k: np.asarray(v) for k, v in outside.items() if k != call.receiver}
        return _ranged.by_positions(call)
    return call.outside(outside) if outside else _OWN.get(name, _Call.answer)(call)


def _positions(call: "_Call") -> dict[str, Any] | None:
    """Columns of positions that no array is made of, as arrays: codes of categories, and what is missing as outside, where that is filled
    or dropped."""
    found = {}
    for name, value in call.given.items():
        if call.role(name) == "Index" and (made := _held.positions(value)) is not None:
            places, lacks = made
            if lacks and call.given.get("bounds") not in ("fill", "drop"):
                return None
            found[name] = places
    return found or None


# Those that were asked for, as they are read from text.
_SIGNATURES: dict[str, inspect.Signature] = {}


def _signature(name: str) -> inspect.Signature:
    if name not in _SIGNATURES:
        _SIGNATURES[name] = inspect.signature(_subscript if name.startswith("at.") else getattr(_takewise, name))
    return _SIGNATURES[name]


def _subscript(x: Any, key: Any, value: Any = None, **rules: Any) -> None:
    """The arguments of a method of ``at(x)[key]``."""


def _method(name: str, x: Any, key: Any, value: Any = None, fill_value: Any = None, duplicates: Any = None, **rules: Any) -> Any:
    places = _takewise.at(x)[key]
    if name == "get":
        return places.get(fill_value=fill_value, **rules)
    return getattr(places, name)(value, duplicates=duplicates, **rules)


def _is_class(x: Any) -> bool:
    """Whether an array is of a class that is not NumPy's own: what is read of a mapped file is no file."""
    return isinstance(x, np.ndarray) and type(x) is not np.ndarray and not isinstance(x, np.memmap)


def _is_unmoved(x: Any) -> bool:
    """Whether the elements lie elsewhere, and the array only says where."""
    return isinstance(x, np.ndarray) and (x.dtype.hasobject or x.dtype.kind == "T")


def _has_protocol(x: Any) -> bool:
    """Whether the class of an array has a word in what is done to elements."""
    if not _is_class(x):
        return False
    own = ("__array_function__", "__array_ufunc__", "__setitem__")
    return any(getattr(type(x), name) is not getattr(np.ndarray, name) for name in own)


def _is_column(x: Any) -> bool:
    """Whether an object is a column that opens as no array of ours."""
    if isinstance(x, np.ndarray) or not hasattr(x, "take") and not hasattr(x, "gather") or len(getattr(x, "shape", (0,))) != 1:
        return False
    try:
        return _held._package(x) in ("pandas", "polars", "pyarrow") and _held.opened(x) is None
    except (TypeError, ValueError, NotImplementedError):
        return not hasattr(x, "columns") and not hasattr(x, "column_names")


def _plain(value: Any) -> Any:
    """An array of a class as NumPy's own, where nothing is lost by it."""
    return np.asarray(value) if _is_class(value) and not _is_unmoved(value) else value


class _Call:
    """A call of ``name``: ``run`` does it, by the arguments ``given``."""

    def __init__(self, name: str, run: Any, given: dict[str, Any]):
        self.name, self.run, self.given = name, run, given
        self.roles = _AT if name.startswith("at.") else _catalogue.ROLES[name]
        # Without an array to write to, what is added makes one.
        self.receiver = self.of("Data") or self.of("Values", "Array")
        self.makes = self.role(self.receiver) not in ("Data", "")
        self.value = "" if self.makes else self.of("Values", "Array")
        self.said = f"at(x)[key].{name[3:]}" if name.startswith("at.") else f"{name}()"

    def role(self, name: str) -> str:
        return self.roles.get(name, "")

    def of(self, *roles: str) -> str:
        """The argument for one of these, if there is one."""
        return next((name for name in self.given if self.role(name) in roles), "")

    def refuse(self, text: str) -> BaseException:
        return exceptions.TypeError(f"{self.said}: {text}")

    def by(self, **others: Any) -> Any:
        """The call with other arguments."""
        return self.run(**{k: v for k, v in {**self.given, **others}.items() if k != "out" or v is not None})

    def answer(self) -> Any:
        x = self.given.get(self.receiver)
        if _is_column(x):
            return NotImplemented if self.value else self.read(x, _Column(x))
        others = {k: _plain(v) for k, v in self.given.items() if k != self.receiver}
        kept, self.given = self.given, {**self.given, **others}
        if _is_unmoved(x) or _has_protocol(x):
            roles = (self.receiver, self.value, "out", "fill_value")
            self.given = {**self.given, **{k: kept[k] for k in roles if k in kept}}
            return self.moved(x)
        if any(new is not kept[k] for k, new in others.items()) or _is_class(x):
            return self.dressed(x, kept)
        return NotImplemented

    def dressed(self, x: Any, kept: dict[str, Any]) -> Any:
        """The call on NumPy's own arrays, and the result in the class of ``x``."""
        plain = _plain(x)
        made = self.by(**{self.receiver: plain})
        if made is plain or made is None:
            return None if made is None else x
        return _like(x, made) if kept.get("out") is None else kept["out"]

    def moved(self, x: Any) -> Any:
        if not self.value and not self.makes:
            return self.read(x, x)
        way = self.way()
        if way is None:
            return self.store(x)
        return self.combine(x, way)

    def way(self) -> str | None:
        """How values that meet are combined; ``None`` if they are stored."""
        if self.makes or self.given.get("accumulate"):
            return "sum"
        asked = self.given.get("reduce")
        if asked is not None:
            return None if asked == "none" else str(asked)
        word = self.name.strip("_").replace(".", "_").rpartition("_")[2]
        return word if word in _UFUNCS else None

    # reads

    def read(self, x: Any, source: Any) -> Any:
        """The elements at the positions that the call names."""
        order = np.arange(source.size).reshape(source.shape)
        bounds, fill = self.given.get("bounds"), self.given.get("fill_value")
        places = self.places(order)
        if "key" in self.given and np.may_share_memory(places, order):
            # A key without arrays gives a view.
            made = x[self.given["key"]]
            return made if isinstance(made, type(x)) else _taken(source, places)
        if isinstance(source, _Column):
            return source.taken(places, bounds, fill, self)
        made = _taken(source, places)
        gaps = places < 0
        if gaps.any():
            made[gaps] = _filling(source, fill, bounds)
        return made if self.given.get("out") is None else self.stored_in(self.given["out"], made)

    def places(self, order: Any) -> Any:
        """What the call reads of an array of positions, with -1 in gaps."""
        bounds, fill = self.given.get("bounds"), self.given.get("fill_value")
        others: dict[str, Any] = {self.receiver: order, "out": None}
        if bounds in ("fill", "drop"):
            if bounds == "drop" and fill is not None:
                self.by(**others)
            others |= {"bounds": "fill", "fill_value": -1}
        return self.by(**others)

    def outside(self, arrays: dict[str, Any]) -> Any:
        """The call with arrays in files or stores: what it changes is a copy, and of what it reads elements of, rows are read."""
        if _catalogue.writes(self.name):
            return NotImplemented
        x = arrays.get(self.receiver)
        if x is None or self.value or self.makes or self.name in _OWN or not x.shape:
            return self.by(**{k: np.asarray(v) for k, v in arrays.items()})
        return self.read_rows(x)

    def read_rows(self, x: Any) -> Any:
        """The elements of an array elsewhere, of which the rows are read that the call touches; or by the array's own method."""
        own = getattr(type(x), "__getitem__" if self.name == "index" else self.name, None)
        given = {k: v for k, v in self.given.items() if k != self.receiver and v is not None}
        placed = [p.name for p in inspect.signature(self.run).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        placed = [name for name in placed if name != self.receiver]
        if own is None or not given.keys() <= set(placed):
            return self.of_rows(x)
        # Libraries call the same arguments otherwise, so they are told by their places.
        last = max((placed.index(name) + 1 for name in given), default=0)
        try:
            arguments = inspect.signature(own).bind(x, *(given.get(name) for name in placed[:last]))
        except TypeError:
            return self.of_rows(x)
        return own(*arguments.args)

    def of_rows(self, x: Any) -> Any:
        # Two positions stand for each element: its row, and its place in that. Neither array takes memory for what it repeats.
        count, inner = x.shape[0], tuple(x.shape[1:])
        rows = self.places(np.broadcast_to(np.arange(count).reshape(-1, *[1] * len(inner)), x.shape))
        within = self.places(np.broadcast_to(np.arange(int(np.prod(inner))).reshape(inner), x.shape))
        held = rows >= 0
        touched = np.zeros(count, bool)
        touched[rows[held]] = True
        found = x[np.flatnonzero(touched)]
        part = np.asarray(found)
        made = np.empty(rows.shape, part.dtype)
        made[held] = part.reshape(len(part), int(np.prod(inner)))[(np.cumsum(touched) - 1)[rows[held]], within[held]]
        if not held.all():
            made[~held] = _filling(made, self.given.get("fill_value"), self.given.get("bounds"))
        made = made if isinstance(found, np.ndarray) else found.new_tensor(made)
        return made if self.given.get("out") is None else self.stored_in(self.given["out"], made)

    def stored_in(self, out: Any, made: Any) -> Any:
        if type(out) is not type(made) or out.dtype != made.dtype:
            raise self.refuse(f"out= must be an array like the result, a {type(made).__name__} of dtype {made.dtype}")
        if out.shape != made.shape:
            raise exceptions.ValueError(f"{self.said}: out= has shape {list(out.shape)}, the result {list(made.shape)}")
        out[...] = made
        return out

    # writes

    def values(self, x: Any) -> Any:
        """What is stored, as an array of elements."""
        value = self.given[self.value]
        if isinstance(value, np.ndarray):
            return value if type(value) is not np.ndarray or not _is_unmoved(x) else value.astype(x.dtype, copy=False)
        return np.asarray(value, x.dtype if _is_unmoved(x) else None)

    def check_values(self, x: Any, values: Any) -> None:
        """Has the values checked by our own rules, where they are numbers of ours."""
        if not _is_unmoved(x) and not _is_unmoved(values):
            plain, numbers = np.array(x, copy=True, subok=False), np.asarray(values)
            given = self.given[self.value]
            self.by(**{self.receiver: plain, self.value: numbers if isinstance(given, np.ndarray) else given})

    def store(self, x: Any) -> Any:
        """Each value at the position that the call gives it; of those that meet, the one that it keeps."""
        values = self.values(x)
        marks = np.full(x.shape, -1)
        numbers = np.arange(values.size).reshape(values.shape) if values.shape else 0
        found = self.by(**{self.receiver: marks, self.value: numbers})
        in_place = found is None or found is marks
        named = marks if in_place else found
        self.check_values(x, values)
        hit = named >= 0
        chosen = values.take(named[hit]) if values.shape else values
        made = x.copy()
        made[hit] = chosen
        if not in_place:
            return made
        # What fails has failed above.
        x[hit] = chosen
        return None if found is None else x

    def combine(self, x: Any, way: str) -> Any:
        """All values combined with what is there, in their order, by NumPy."""
        if way not in _UFUNCS:
            raise self.refuse(f"NumPy has no {way!r} of elements of dtype {x.dtype}, or arrays of class {type(x).__name__}")
        if self.makes:
            values, made = x, np.zeros_like(x, shape=self.given["shape"])
        else:
            values, made = self.values(x), x.copy()
            given = self.given[self.value]
            # Numbers are stored as texts, and not combined with texts.
            if isinstance(given, np.ndarray) and x.dtype.kind in "TUS" and given.dtype.kind not in "TUSO":
                values = given
        places, numbers = self.addresses(made, values)
        flat = values.reshape(-1)
        if self.given.get("alpha") is not None:
            flat = flat * self.given["alpha"]
        if self.given.get("include_self") is False:
            first = np.unique(places, return_index=True)[1]
            made[np.unravel_index(places[first], made.shape)] = flat.take(numbers[first])
            places, numbers = np.delete(places, first), np.delete(numbers, first)
        try:
            _UFUNCS[way].at(made, np.unravel_index(places, made.shape), flat.take(numbers))
        except TypeError as error:
            if type(error).__name__ != "UFuncTypeError":
                raise
            raise self.refuse(f"NumPy has no {_UFUNCS[way].__name__} of elements of dtype {x.dtype}") from error
        if self.name.endswith("_"):
            x[...] = made
            return x
        return made

    def addresses(self, x: Any, values: Any) -> tuple[Any, Any]:
        """The position in ``x`` of each value that is combined, and the number of the value."""
        numbers = np.arange(values.size).reshape(values.shape)
        if "key" in self.given and values.shape:
            named = _takewise.index(np.arange(x.size).reshape(x.shape), self.given["key"], bounds="clip")
            numbers = np.broadcast_to(numbers, named.shape)
        counts = self.added(np.zeros(x.shape, np.int64), np.ones(numbers.shape, np.int64)).reshape(-1)
        if not values.shape:
            return np.repeat(np.arange(x.size), counts), np.zeros(counts.sum(), np.int64)
        # The way back of a sum brings to each value what lies at the place it went to.
        variables = _takewise.from_dlpack(np.zeros(numbers.shape)).requires_grad_(True)
        # Beside an array of NumPy's the result would be one, without a way back.
        for name, value in self.given.items():
            if name not in (self.receiver, self.value) and isinstance(value, np.ndarray):
                self.given = {**self.given, name: _takewise.from_dlpack(value)}
        made = self.added(_takewise.from_dlpack(np.zeros(x.shape)), variables)
        made.backward(_takewise.from_dlpack(np.arange(1.0, x.size + 1).reshape(x.shape)))
        places = np.asarray(variables.grad).astype(np.int64) - 1
        hit = places >= 0
        if np.count_nonzero(hit) != counts.sum():
            raise self.refuse("values of this dtype or class are not spread: pass one for each position")
        return places[hit], numbers[hit]

    def added(self, x: Any, values: Any) -> Any:
        """The call as a sum of other values into another array."""
        others = {name: value for name, value in (("reduce", "sum"), ("alpha", None), ("include_self", True)) if name in self.given}
        if self.makes:
            return self.by(**{self.receiver: values, **others})
        others |= {self.receiver: x, self.value: values if values.shape else values[()]}
        if self.name.startswith("at."):
            return _method("add", **{**self.given, **others})
        return self.by(**others)


def _like(x: Any, made: Any) -> Any:
    """An array in the class of ``x``, which takes over what it has to."""
    return np.ndarray.__array_wrap__(x, made) if _is_class(x) and type(made) is np.ndarray else made


def _taken(x: Any, places: Any) -> Any:
    """The elements at positions, none of them negative but for gaps."""
    if x.size == 0:
        return np.empty_like(x, shape=places.shape)
    known = np.maximum(places, 0)
    return x.take(known) if known.shape else x.take(known.reshape(1)).reshape(())


def _filling(x: Any, fill: Any, bounds: str | None) -> Any:
    """What stands in the gaps of a read."""
    if fill is not None:
        return fill
    if bounds == "drop":
        return np.zeros((), x.dtype)[()]
    if _is_unmoved(x):
        return None if x.dtype.kind == "O" else getattr(x.dtype, "na_object", np.zeros((), x.dtype)[()])
    return _takewise.take(np.zeros(1, x.dtype), [1], bounds="fill")[0]


class _Column:
    """A column of another package, as positions see it."""

    def __init__(self, x: Any):
        self.x, self.size = x, len(x)
        self.shape = (self.size,)

    def taken(self, places: Any, bounds: str | None, fill: Any, call: _Call) -> Any:
        x, gaps = self.x, places < 0
        if places.ndim != 1:
            raise call.refuse(f"{_held._named(x)} has one axis, and the result would have {places.ndim}")
        if call.given.get("out") is not None:
            raise call.refuse(f"out= cannot hold elements of {_held._named(x)}")
        if gaps.any() and (bounds == "drop" or fill is not None):
            raise call.refuse(f"gaps in {_held._named(x)} are missing values: leave fill_value out, and use bounds=\"fill\"")
        if _held._package(x) == "pandas":
            if not gaps.any():
                return x.take(places)
            return _held.with_labels(x, getattr(x, "array", x).take(places, allow_fill=True), places)
        if _held._package(x) == "polars":
            return x.gather([None if gap else int(k) for k, gap in zip(places, gaps, strict=True)])
        # Without gaps the positions are Arrow's where they lie.
        return x.take(_held._library("pyarrow").array(places, mask=gaps if gaps.any() else None))


def _truth(x: Any) -> Any:
    """Which elements are not zero, as NumPy's own array."""
    truth = np.zeros(x.size, bool)
    truth[np.ravel(x).nonzero()[-1]] = True
    return truth.reshape(x.shape)


def _nonzero(call: _Call) -> Any:
    x = call.given["input"]
    return call.by(input=_truth(x)) if isinstance(x, np.ndarray) else NotImplemented


def _where(call: _Call) -> Any:
    given = call.given
    condition: Any
    condition, a, b = (given.get(name) for name in ("condition", "input", "other"))
    if not any(_is_class(v) or _is_unmoved(v) for v in (condition, a, b)) or getattr(condition, "dtype", np.dtype(bool)).names:
        return NotImplemented
    if _is_class(condition) or _is_unmoved(condition):
        condition = _truth(condition)
    if a is None or b is None:
        return _takewise.where(**{**given, "condition": condition})
    out, models = given.get("out"), [v for v in (a, b) if _is_class(v)]
    if any(_is_unmoved(v) or _decides(v) for v in (a, b)):
        made = np.where(condition, a, b)
    else:
        plain: dict[str, Any] = {"condition": condition, "input": _plain(a), "other": _plain(b), "out": _plain(out)}
        made = _takewise.where(**{**given, **plain})
        if out is not None:
            return out
    # Two that differ in what they carry have no class in common.
    if models and all(type(v) is type(models[0]) and _carried(v) == _carried(models[0]) for v in models):
        made = _like(models[0], made)
    return made if out is None else call.stored_in(out, made)


def _decides(x: Any) -> bool:
    """Whether the class of an array answers NumPy's functions itself."""
    return _is_class(x) and type(x).__array_function__ is not np.ndarray.__array_function__


def _carried(x: Any) -> str:
    return repr(getattr(x, "__dict__", None))


def _search(call: _Call) -> Any:
    sequence, given = call.of("Sequence"), call.given
    x, values = given[sequence], given[call.of("Sought")]
    if not any(_is_class(v) or _is_unmoved(v) for v in (x, values, given.get("sorter"), given.get("out"))):
        return NotImplemented
    if not any(_is_unmoved(v) or _has_protocol(v) for v in (x, values)):
        made = call.by(**{k: _plain(v) for k, v in given.items()})
        return made if given.get("out") is None else given["out"]
    if np.ndim(x) != 1:
        raise call.refuse(f"{sequence} of dtype {x.dtype} must have one axis, and has {np.ndim(x)}")
    side: Any = "right" if given.get("right") else given.get("side") or "left"
    found: Any = np.searchsorted(x, values, side, given.get("sorter"))
    found = np.asarray(found, np.int32 if given.get("out_int32") else np.int64)
    return found if given.get("out") is None else call.stored_in(given["out"], found)


_OWN: dict[str, Any] = {"nonzero": _nonzero, "where": _where, "searchsorted": _search, "bucketize": _search}
