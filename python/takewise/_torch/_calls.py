"""The functions of takewise, with their arguments, on our operators: always new tensors with PyTorch's history.

The catalogue says which arguments a function has and what each is for. Most go by that alone to the operator of their name. What
PyTorch's compiler reads is here, so all that it meets is plain: tuples, names, numbers.
"""

from takewise import _catalogue, _mixed, _takewise, exceptions
from takewise._torch import _masks, _ranges, _reads, _schema, _search, _writes
from takewise._torch import is_recorded
from takewise._torch._here import ops, torch
from takewise._torch._keys import Opened, places
from takewise._torch._shapes import along, axis_of

OPERATORS = [*_reads.OPERATORS, *_writes.OPERATORS, *_masks.OPERATORS, *_search.OPERATORS, *_ranges.OPERATORS]
_POLICIES = ("Bounds", "Negative", "Fill", "Duplicates", "Casting", "Threads")
# Of each function: the arguments that have a place, those that must be given, all others with their defaults, and its rules.
_PARAMETERS = {
    function: (
        tuple(p.name for p in _schema.signature(function) if p.kind is p.POSITIONAL_OR_KEYWORD),
        tuple(p.name for p in _schema.signature(function) if p.default is p.empty),
        {p.name: p.default for p in _schema.signature(function) if p.default is not p.empty},
        tuple((p.name, roles[p.name]) for p in _schema.signature(function) if roles[p.name] in _POLICIES),
    )
    for function, roles in _catalogue.ROLES.items()
}
# Of each operator: its arguments but for rules, with their roles.
_TAKES = {
    operator.name: tuple((a.name, a.role) for a in _schema.arguments(operator.name, operator.types) if a.role not in _POLICIES)
    for operator in OPERATORS
}
# The overloads that take a number where others take a tensor, and those that write a value without axes everywhere.
_OF_NUMBERS = {operator.name.partition(".")[0]: operator.name for operator in OPERATORS if "Scalar" in operator.types.values()}
_OF_TENSORS = {operator.name.partition(".")[0]: operator.name for operator in OPERATORS if "Scalar" not in operator.types.values()}
_EXTENTS = {operator.name: getattr(operator, "extent", None) for operator in OPERATORS}


class Misfit(exceptions.TypeError):
    """A call whose arguments are not those of the function."""


def bound(name, args, kwargs):
    """The arguments of a call of one of our functions by their names, and its rules in the order of its operator."""
    places, needed, defaults, policies = _PARAMETERS[name]
    c = {**defaults, **dict(zip(places, args, strict=False)), **kwargs}
    # Each counts once, so one that is unknown shows.
    twice = bool(kwargs) and any(word in kwargs for word in places[: len(args)])
    if twice or len(args) > len(places) or len(c) != len(defaults) + len(needed) or any(word not in c for word in needed):
        raise Misfit(f"{name}() has no such arguments")
    if "mixed" in c and not torch.compiler.is_compiling():
        _mixed.check(c["x"].shape, c["key"], c["mixed"])
    c["rules"] = tuple([_policy(role, c[policy]) for policy, role in policies]) if kwargs else _RULES[name]
    return c


def _policy(role, value):
    """A rule as an operator takes it."""
    if role == "Bounds":
        return value or "raise"
    if role == "Negative":
        return value is not False
    return value if value is None or role != "Fill" else _number(value)


# The rules of a call that names none; they have no places.
_RULES = {
    function: tuple(_policy(role, defaults[policy]) for policy, role in policies)
    for function, (_, _, defaults, policies) in _PARAMETERS.items()
}


def _number(value):
    """What stands for a number, as one."""
    return value.item() if isinstance(value, torch.Tensor) or hasattr(value, "dtype") else value


def _is_number(value):
    return not isinstance(value, torch.Tensor) and (isinstance(value, (bool, int, float, complex)) or getattr(value, "shape", None) == ())


def _source(x, value):
    """What is stored as a tensor: numbers in the dtype of the tensor they go to, if they are of its kind. The operator looks
    at the others, and refuses what would change."""
    if isinstance(value, torch.Tensor):
        return value
    own = torch.as_tensor(value, device=x.device)
    holds = x.is_complex() or x.is_floating_point() and not own.is_complex()
    return torch.as_tensor(value, dtype=x.dtype, device=x.device) if holds else own


def _kept(x, value, casting):
    """Values in the dtype of the tensor they go to, looked at as an operator does."""
    if value.dtype == x.dtype:
        return value
    flat = value.reshape(-1)
    every = torch.arange(flat.numel(), device=x.device)
    return ops.index_copy(flat.new_zeros(flat.shape, dtype=x.dtype), 0, every, flat, casting=casting).reshape(value.shape)


# The ways to combine that no operator has, and those of them whose answers are of numbers that count.
_OF_ROWS = {"any", "all", "count", "first", "last", "argmin", "argmax"}
_COUNTING = _OF_ROWS - {"first", "last"}


def _as_rows(name, c):
    """A call of ways to combine that no operator has: answers of numbers that count have no history, all else is a reduction of rows."""
    if c["reduce"] not in _COUNTING:
        elements = "Values" in _catalogue.ROLES[name].values()
        source = _source(c["x"], c["src" if elements else "source"])
        return _ranges.grouped({**c, "index": places(c["index"], c["x"]), "source": source}, elements)
    given = {key: value.detach() if isinstance(value, torch.Tensor) else value for key, value in c.items() if key != "rules"}
    if any(is_recorded(torch, one) for one in given.values() if isinstance(one, torch.Tensor)):
        text = f"{name}(): reduce={c['reduce']!r} has no form for batches and traces: reduce_ranges has, of sorted groups"
        raise exceptions.RuntimeError(text)
    return getattr(_takewise, name)(**given)


def _by_roles(name, c):
    """A call, each argument as its role says, on the operator of the function's name."""
    if c.get("skip_nan") or c.get("reduce") in _OF_ROWS:
        return _as_rows(name, c)
    operator, x, given = _OF_TENSORS[name], c["x"], []
    for argument, role in _TAKES[operator]:
        value = c[argument]
        if role == "Index":
            value = index = _paired(places(value, x), c.get("batch_dims"))
        elif role == "Mask":
            value = torch.as_tensor(value, device=x.device)
        elif role in ("Values", "Array"):
            if name in _OF_NUMBERS and _is_number(value):
                operator, value = _OF_NUMBERS[name], _number(value)
            else:
                value, extent = _source(x, value), _EXTENTS[operator]
                value = value.expand(extent(x, index, c.get("dim"))) if value.ndim == 0 and extent is not None else value
        elif role in ("Reduce", "HasReduce"):
            value = value or "none"
        elif role == "Factor":
            value = 1 if value is None else _number(value)
        given.append(value)
    packet, _, overload = operator.partition(".")
    return getattr(getattr(ops, packet), overload or "default")(*given, *c["rules"])


# What does more than its operator, or has none.


def _take(c):
    if c["batch_dims"] == 0:
        return _by_roles("take", c)
    x, index, axis = c["x"], places(c["index"], c["x"]), c["axis"]
    batch_dims = c["batch_dims"] + index.ndim * (c["batch_dims"] < 0)
    axis = batch_dims if axis is None else axis_of(axis, x.ndim)
    if not 0 <= batch_dims <= min(index.ndim, axis) or x.shape[:batch_dims] != index.shape[:batch_dims]:
        text = f"take(): batch_dims={batch_dims} does not fit x of shape {tuple(x.shape)} and index of shape {tuple(index.shape)}"
        raise exceptions.ValueError(text)
    points = index.ndim - batch_dims
    found = ops.index(x.movedim(axis, batch_dims), [*_parts(index, batch_dims), index], *c["rules"])
    from_axes = list(range(batch_dims, batch_dims + points))
    return found.movedim(from_axes, [k + axis - batch_dims for k in from_axes])


def _parts(index, count):
    """Positions along the first axes of an index tensor, each in its axis."""
    return [
        torch.arange(index.shape[k], device=index.device).reshape(-1, *(1,) * (index.ndim - k - 1)) for k in range(count)
    ]


def _paired(index, count):
    """Index tensors of tuples, which begin with the places on the axes that belong together."""
    if not count:
        return index
    parts = [part.squeeze(-1).expand(index.shape[:-1]).unsqueeze(-1) for part in _parts(index, count)]
    return torch.cat([*parts, index], -1)


def _take_along(x, index, axis, rules):
    if axis is None:
        return ops.take_along_axis(x.reshape(-1), places(index, x), 0, *rules)
    return ops.take_along_axis(x, places(index, x), axis, *rules)


def _index(c):
    opened = Opened(c["x"], c["key"], c["negative"])
    return ops.index(opened.view, opened.indices, *c["rules"]) if opened.indices else opened.view


def _oindex(c):
    opened = Opened(c["x"], c["key"], c["negative"])
    found = opened.view
    for axis, entry in reversed(list(zip(opened.axes(), opened.indices, strict=True))):
        if entry is not None:
            found = ops.index(found, [None] * axis + [entry], *c["rules"])
    return found


def _vindex(c):
    opened = Opened(c["x"], c["key"], c["negative"])
    if not opened.indices:
        return opened.view
    moved, entries = [], []
    for axis, entry in zip(opened.axes(), opened.indices, strict=True):
        if entry is not None:
            entries.append(entry)
            moved.extend(range(axis, axis + (entry.ndim if entry.dtype == torch.bool else 1)))
    view = opened.view.movedim(moved, list(range(len(moved))))
    return ops.index(view, entries, *c["rules"])


def _scatter_nd(c):
    bounds, negative, threads = c["rules"]
    rules = (bounds, negative, None, None, threads)
    return ops.tensor_scatter(c["updates"].new_zeros(c["shape"]), places(c["index"], c["updates"]), c["updates"], "sum", *rules)


def _searchsorted(c):
    rest = (c["out_int32"], c["right"], c["side"])
    sorter = None if c["sorter"] is None else torch.as_tensor(c["sorter"])
    if isinstance(c["input"], (int, float)):
        return ops.searchsorted.Scalar(c["sorted_sequence"], c["input"], *rest, sorter, *c["rules"])
    sequence, values = torch.as_tensor(c["sorted_sequence"]), torch.as_tensor(c["input"])
    last = axis_of(c["axis"], sequence.ndim) - sequence.ndim
    if sequence.ndim < 2 or values.ndim < -last:
        return ops.searchsorted(sequence, values, *rest, sorter, *c["rules"])
    one, two = sequence.movedim(last, -1), values.movedim(last, -1)
    order = None if sorter is None or sorter.shape != sequence.shape else sorter.movedim(last, -1)
    if one.shape[:-1] != two.shape[:-1]:
        lead = torch.broadcast_shapes(one.shape[:-1], two.shape[:-1])
        order = None if order is None else order.expand(*lead, -1)
        one, two = one.expand(*lead, -1), two.expand(*lead, -1)
    return ops.searchsorted(one, two, *rest, sorter if order is None else order, *c["rules"]).movedim(-1, last)


def _bucketize(c):
    rest = (c["out_int32"], c["right"], *c["rules"])
    if isinstance(c["input"], (int, float)):
        return ops.bucketize.Scalar(c["input"], c["boundaries"], *rest)
    return ops.bucketize(torch.as_tensor(c["input"]), torch.as_tensor(c["boundaries"]), *rest)


def _nonzero(c):
    found = _ranges.sized("nonzero", c, ops.nonzero(c["input"], *c["rules"]))
    return found.unbind(1) if c["as_tuple"] else found


def _where(c):
    if c["input"] is None and c["other"] is None:
        return ops.nonzero(c["condition"], *c["rules"]).unbind(1)
    condition = torch.as_tensor(c["condition"])
    return torch.where(condition if condition.dtype == torch.bool else condition != 0, c["input"], c["other"])


def _stored(x, key, value, reduce, rules):
    """What the part of ``x`` that a key shows becomes, with a value stored there or combined."""
    opened = Opened(x, key, rules[1])
    view = opened.view
    value = _source(x, value)
    if opened.indices:
        return ops.index_put(view, opened.indices, value, reduce, *rules)
    how = {"none": lambda _, v: v, "sum": torch.add, "prod": torch.mul, "amax": torch.maximum, "amin": torch.minimum}
    return how[reduce](view, _kept(x, value, rules[3])).expand(view.shape)


def _into(x, key, value, reduce, rules):
    """Stores or combines in the memory of ``x``."""
    if Opened(x, key, rules[1]).turned:
        # PyTorch has no view that runs backwards.
        return x.copy_(_by_position(x.clone(), key, value, reduce, rules))
    # What the way back needs of the tensor is what was there before.
    made = _stored(x if reduce in ("none", "sum") else x.clone(), key, value, reduce, rules)
    Opened(x, key, rules[1]).view.copy_(made)
    return x


def _changed(x, key, value, reduce, rules):
    """A copy of ``x`` with a value stored or combined."""
    opened = Opened(x, key, rules[1])
    if opened.turned:
        return _by_position(x, key, value, reduce, rules)
    made = _stored(x, key, value, reduce, rules)
    if opened.view is x:
        return made
    copied = x.clone(memory_format=torch.contiguous_format)
    Opened(copied, key, rules[1]).view.copy_(made)
    return copied


def _by_position(x, key, value, reduce, rules):
    """All of ``x`` with a value stored or combined at the positions that a key names."""
    order = torch.arange(x.numel(), device=x.device).reshape(x.shape)
    bounds, negative, *rest = rules
    leaves_out = bounds in ("fill", "drop")
    policies = {"bounds": "fill" if leaves_out else bounds, "negative": negative, "fill_value": -1 if leaves_out else None}
    named = _index(bound("index", (order, key), policies))
    value = _source(x, value).expand(named.shape).reshape(-1)
    return ops.index_put(x.reshape(-1), [named.reshape(-1)], value, reduce, "drop", False, *rest).reshape(x.shape)


def _put_along_axis(c):
    x, index, values = c["x"], places(c["index"], c["x"]), _source(c["x"], c["values"])
    if c["axis"] is None:
        x.copy_(ops.put(x, index, values.expand(index.shape), False, *c["rules"]))
        return
    rest = torch.broadcast_shapes(along(x.shape, c["axis"], 1), along(index.shape, c["axis"], 1))
    index = index.expand(along(rest, c["axis"], index.shape[axis_of(c["axis"], x.ndim)]))
    x.copy_(ops.scatter(x, c["axis"], index, values.expand(index.shape), "none", *c["rules"]))


_OWN = {
    "take": _take, "index": _index, "oindex": _oindex, "vindex": _vindex, "scatter_nd": _scatter_nd,
    "take_along_axis": lambda c: _take_along(c["x"], c["index"], c["axis"], c["rules"]),
    "take_along_dim": lambda c: _take_along(c["input"], c["indices"], c["dim"], c["rules"]),
    "copy": lambda c: c["x"].clone(memory_format=torch.contiguous_format),
    "searchsorted": _searchsorted, "bucketize": _bucketize, "nonzero": _nonzero, "where": _where, "put_along_axis": _put_along_axis,
    "index_put": lambda c: _changed(c["x"], c["key"], c["value"], "sum" if c["accumulate"] else "none", c["rules"]),
    "index_put_": lambda c: _into(c["x"], c["key"], c["value"], "sum" if c["accumulate"] else "none", c["rules"]),
    "index_set": lambda c: _into(c["x"], c["key"], c["value"], "none", c["rules"]), **_ranges.OWN,
}  # fmt: skip


def _function(name):
    """A function of takewise, by its name in the catalogue."""
    own = _OWN.get(name)
    if own is not None:
        return lambda *args, **kwargs: own(bound(name, args, kwargs))
    changed = name.removesuffix("_")
    # The way back of what is combined needs what was there before.
    combines = any(role in ("Reduce", "HasReduce") for role in _catalogue.ROLES[name].values())

    def function(*args, **kwargs):
        return _by_roles(changed, bound(name, args, kwargs))

    def in_place(*args, **kwargs):
        # All is computed before anything is stored.
        c = bound(name, args, kwargs)
        x = c["x"]
        c["x"] = x.clone() if combines else x
        return x.copy_(_by_roles(changed, c))

    return function if changed == name else in_place


def _method(reduce, run):
    """A method that stores or combines: in a copy by `_changed`, in place by `_into`."""

    def method(self, value, **policies):
        c = bound("index_set", (self.x, self.key, value), policies)
        return run(c["x"], c["key"], c["value"], reduce, c["rules"])

    return method


class Places:
    """What ``takewise.at(x)[key]`` gives, for a tensor with a history."""

    def __init__(self, x, key):
        self.x, self.key = x, key

    def get(self, **policies):
        return _index(bound("index", (self.x, self.key), policies))

    set, set_ = _method("none", _changed), _method("none", _into)
    add, add_ = _method("sum", _changed), _method("sum", _into)
    mul, mul_ = _method("prod", _changed), _method("prod", _into)
    max, max_ = _method("amax", _changed), _method("amax", _into)
    min, min_ = _method("amin", _changed), _method("amin", _into)


class At:
    """What ``takewise.at(x)`` gives, for a tensor with a history."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return Places(self.x, key)


def at(x):
    return At(x)


def at_method(name, x, key, *value, **policies):
    """A method of what ``takewise.at(x)[key]`` gives."""
    return getattr(Places(x, key), name)(*value, **{word: rule for word, rule in policies.items() if rule is not None})


def _receiver(name):
    """The place and the name of what a function reads or writes to, or adds up. Searches and choices have none."""
    for wanted in ("Data", "Array"):
        for place, parameter in enumerate(_PARAMETERS[name][0]):
            if _catalogue.ROLES[name][parameter] == wanted:
                return place, parameter
    return None


_RECEIVERS = {name: _receiver(name) for name in _PARAMETERS}


def is_of_tensors(name, args, kwargs):
    """Whether what a call reads or writes to, or adds up, is a tensor of PyTorch's, if it has such an argument."""
    receiver = _RECEIVERS.get(name, (0, "x"))
    return receiver is None or isinstance(args[receiver[0]] if receiver[0] < len(args) else kwargs.get(receiver[1]), torch.Tensor)


# Every function, by its name.
FUNCTIONS = {"at": at} | {name: _function(name) for name in _catalogue.ROLES if name not in _catalogue.THEIRS}
