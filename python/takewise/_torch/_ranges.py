"""Rows of different lengths, on tensors whose history somebody keeps: composed of our operators and of PyTorch's own.

Rows are checked, and their positions found, by one operator. All else is a read, a sum or a write at these positions, so that gradients
of any order, batches and traces are those of the other operators.
"""

from takewise import _takewise, exceptions
from takewise._torch._define import Operator
from takewise._torch._here import ops, torch
from takewise._torch._shapes import along, axis_of, front


class RangePositions(Operator):
    name = "range_positions"
    types = {"Index": "Tensor? ids=None"}

    @staticmethod
    def kernel(*args):
        return _takewise.range_positions(*args[:2], **dict(zip(("starts", "stops", "lengths", "bounds", "negative", "threads"), args[2:])))[0]

    @staticmethod
    def shape(offsets=None, ids=None, starts=None, stops=None, lengths=None, *policy):
        some = next(one for one in (offsets, starts, lengths) if one is not None)
        return some.new_empty((torch.library.get_ctx().new_dynamic_size(),), dtype=torch.int64)

    @staticmethod
    def batched(overload, batch, in_dims, *args):
        raise RuntimeError("takewise cannot take a batch of offsets: its parts may have rows of different lengths")


class ReduceRanges(Operator):
    """Reductions without gradients: what is differentiated is composed of others."""

    name = "reduce_ranges"
    types = {
        "Offsets": "Tensor?", "How": 'str="sum"', "Index": "Tensor? ids=None", "Weights": "Tensor?", "Mask": "Tensor?", "SkipNan": "bool",
        "Empty": "Scalar?", "Starts": None, "Stops": None, "Lengths": None,
    }  # fmt: skip

    @staticmethod
    def shape(values, offsets, reduce, ids=None, weights=None, where=None, skip_nan=False, empty=None, axis=0, *policy):
        dtype = {"any": torch.bool, "all": torch.bool}.get(reduce, torch.int64 if reduce in _NUMBERS else values.dtype)
        return values.new_empty(along(values.shape, axis, offsets.shape[0] - 1), dtype=dtype)

    @staticmethod
    def batched(overload, batch, in_dims, values, offsets, reduce, ids=None, weights=None, where=None, skip_nan=False, empty=None, axis=0, *policy):
        if any(dim is not None for dim in (*in_dims[1:2], *in_dims[3:5])):
            raise RuntimeError("takewise cannot reduce by a batch of rows: pass one call for each")
        values = front(values, in_dims[0], batch)
        if where is not None:
            where = where.expand(values.shape[1:]).expand(values.shape) if in_dims[5] is None else front(where, in_dims[5], batch)
        axis = axis_of(axis, values.ndim - 1) + 1
        return overload(values, offsets, reduce, ids, weights, where, skip_nan, empty, axis, *policy), 0


_NUMBERS = {"count", "argmin", "argmax"}


def _tensor(value, like):
    return value if value is None or isinstance(value, torch.Tensor) else torch.as_tensor(value, device=like.device)


class _Rows:
    """The rows of a call: where their values are, how long they are, and the row of each value."""

    def __init__(self, c, like, ids=None, rules=("raise", True, None)):
        bounds, negative, threads = rules
        self.offsets, self.starts, self.stops, self.lengths = (
            _tensor(c.get(name), like) for name in ("offsets", "starts", "stops", "lengths")
        )
        ids = _tensor(ids, like)
        self.at = ops.range_positions(self.offsets, ids, self.starts, self.stops, self.lengths, bounds, negative, threads)
        self.each = self._each()
        if ids is not None:
            leaves = bounds in ("fill", "drop")
            self.each = ops.take(self.each, ids.long(), 0, "drop" if leaves else bounds, negative)
        self.count = self.each.shape[0]

    def _each(self):
        if self.offsets is not None:
            return self.offsets.long().diff()
        return self.lengths.long() if self.lengths is not None else (self.stops - self.starts).long()

    def edges(self):
        return torch.nn.functional.pad(self.each.cumsum(0), (1, 0))

    def numbers(self):
        order = torch.arange(self.count, device=self.each.device)
        return torch.repeat_interleave(order, self.each, output_size=self.at.shape[0])

    def within(self):
        """The place of each value in its row."""
        order = torch.arange(self.at.shape[0], device=self.at.device)
        return order - torch.repeat_interleave(self.edges()[:-1], self.each, output_size=self.at.shape[0])


def _take(c):
    x = c["values"]
    rows = _Rows(c, x, c["ids"], c["rules"])
    return sized("take_ranges", c, ops.index_select(x, c["axis"], rows.at), c["axis"]), rows.edges()


def sized(name, c, found, axis=0):
    """What was found, cut or padded to the size that is asked for."""
    size = c["size"]
    if size is None:
        return found
    if size < 0:
        raise exceptions.ValueError(f"{name}(): size must be at least 0, not {size}")
    return ops.take(found, torch.arange(size, device=found.device), axis, "fill", False, c["fill_value"])


def _positions(c):
    some = next(one for one in (c["offsets"], c["starts"], c["lengths"], c["ids"]) if isinstance(one, torch.Tensor))
    rows = _Rows(c, some, c["ids"], c["rules"])
    return rows.at, rows.edges()


def _ids(c):
    return _Rows(c, next(one for one in (c["offsets"], c["starts"], c["lengths"]) if isinstance(one, torch.Tensor))).numbers()


def _repeat(c):
    x, rows = c["values"], _Rows(c, c["values"])
    length = x.shape[axis_of(c["axis"], x.ndim)]
    if rows.count != length:
        raise exceptions.ValueError(f"repeat_ranges(): there are {rows.count} rows, and {length} values along axis {c['axis']}")
    return ops.index_select(x, c["axis"], rows.numbers())


def _pad(c):
    x, rows, width = c["values"], _Rows(c, c["values"]), c["width"]
    longest = int(rows.each.max()) if rows.count else 0
    width = longest if width is None else width
    if longest > width:
        row = int((rows.each > width).long().argmax())
        raise exceptions.ValueError(f"pad_ranges(): row {row} holds {int(rows.each[row])} values, and width is {width}")
    places = torch.full((rows.count * width,), x.shape[0], device=x.device)
    places = places.index_copy(0, rows.numbers() * width + rows.within(), rows.at).reshape(rows.count, width)
    dense = ops.take(x, places, 0, "fill", False, c["fill_value"])
    return (dense, places < x.shape[0]) if c["mask"] else dense


def _pack(c):
    x, lengths = c["dense"], _tensor(c["lengths"], c["dense"])
    if x.ndim < 2 or lengths.shape != x.shape[:1]:
        raise exceptions.ValueError(f"pack_ranges(): lengths of shape {tuple(lengths.shape)} for dense of shape {tuple(x.shape)}")
    if bool(((lengths < 0) | (lengths > x.shape[1])).any()):
        row = int(((lengths < 0) | (lengths > x.shape[1])).long().argmax())
        raise exceptions.ValueError(f"pack_ranges(): row {row} has length {int(lengths[row])}, and dense has {x.shape[1]} places a row")
    starts = torch.arange(x.shape[0], device=x.device) * x.shape[1]
    rows = _Rows({"starts": starts, "lengths": lengths}, x)
    return ops.index_select(x.flatten(0, 1), 0, rows.at), rows.edges()


def _stored(c):
    x, (bounds, negative, *rest) = c["x"], c["rules"]
    source = _tensor(c["source"], x)
    rows = _Rows(c, x, c["ids"], (bounds, negative, rest[-1]))
    if c["source_offsets"] is not None:
        theirs = _Rows({"offsets": c["source_offsets"]}, x)
        if theirs.each.shape != rows.each.shape or bool((theirs.each != rows.each).any()):
            raise exceptions.ValueError("put_ranges(): rows of the source are not as long as those they go to")
        source = ops.index_select(source, c["axis"], theirs.at)
    return ops.index_copy(x, c["axis"], rows.at, source, "raise", True, *rest)


def _put_in_place(c):
    return c["x"].copy_(_stored(c))


def _reduce(c):
    """Sums, means and products by our operators, extremes and ends by the positions they are read at."""
    x, how, axis = c["values"], c["reduce"], axis_of(c["axis"], c["values"].ndim)
    how = {"amin": "min", "amax": "max"}.get(how, how)
    offsets, ids = _tensor(c["offsets"], x), _tensor(c["ids"], x)
    weights, where = _tensor(c["weights"], x), _tensor(c["where"], x)
    if offsets is None:
        offsets, ids, weights, where = _one_by_one(c, x, ids, weights, where, axis)
    plain = (offsets, how, ids, None if weights is None else weights.detach(), where, c["skip_nan"], c["empty"], axis, *c["rules"])
    if how in ("any", "all", *_NUMBERS):
        return ops.reduce_ranges(x.detach(), *plain)
    if weights is not None and how != "sum":
        raise exceptions.ValueError("reduce_ranges(): weights have a meaning in sums alone")
    bounds, negative, _ = c["rules"]
    rows = _Rows({"offsets": offsets}, x)
    entries, counts = x, where
    if ids is not None:
        leaves = bounds in ("fill", "drop")
        entries = ops.index_select(x, axis, ids, "drop" if leaves else bounds, negative)
        if leaves:
            known = ops.index_select(x.new_ones(x.shape[axis], dtype=torch.bool), 0, ids, "drop", negative)
            known = known.reshape(along((1,) * x.ndim, axis, -1))
            counts = known if counts is None else counts & known
    if c["skip_nan"]:
        numbers = ~entries.detach().isnan()
        counts = numbers if counts is None else counts & numbers
    if counts is not None:
        counts = counts.expand(entries.shape)
    if how in ("min", "max", "first", "last"):
        return _read(entries, offsets, how, counts, c["empty"], axis, rows)
    start = 1 if how == "prod" else 0
    if counts is not None:
        entries = torch.where(counts, entries, entries.new_full((), start))
    if weights is not None:
        entries = entries * weights.reshape(along((1,) * x.ndim, axis, -1))
    chosen, numbers = ops.index_select(entries, axis, rows.at), rows.numbers()
    shape = along(x.shape, axis, rows.count)
    if how == "prod":
        made = ops.index_reduce(entries.new_ones(shape), axis, numbers, chosen, "prod", False)
    else:
        made = ops.index_add(entries.new_zeros(shape), axis, numbers, chosen)
    if how == "sum" and c["empty"] is None:
        return made
    of = counts if counts is not None else entries.new_ones((), dtype=torch.bool).expand(entries.shape)
    found = ops.index_add(made.new_zeros(shape, dtype=torch.int64), axis, numbers, ops.index_select(of.long(), axis, rows.at))
    if how == "mean":
        counted = found.clamp(min=1).to(made.dtype)
        made = made / counted if made.is_floating_point() or made.is_complex() else torch.div(made, counted, rounding_mode="floor")
    return made if c["empty"] is None else torch.where(found > 0, made, made.new_full((), c["empty"]))


def _one_by_one(c, x, ids, weights, where, axis):
    """Rows by starts as rows by offsets: of the positions of their values."""
    rows = _Rows(c, x)
    if where is not None:
        length = x.shape[axis] if ids is None else ids.shape[0]
        where = ops.index_select(where.expand(along(x.shape, axis, length)), axis, rows.at)
    weights = None if weights is None else ops.index_select(weights, 0, rows.at)
    return rows.edges(), rows.at if ids is None else ids[rows.at], weights, where


def _read(entries, offsets, how, counts, empty, axis, rows):
    held = entries.detach()
    if how in ("first", "last"):
        order = torch.arange(entries.shape[axis], device=entries.device).reshape(along((1,) * entries.ndim, axis, -1))
        at = ops.reduce_ranges(order.expand(entries.shape), offsets, how, None, None, counts, False, -1, axis)
    else:
        at = ops.reduce_ranges(held, offsets, f"arg{how}", None, None, counts, False, -1, axis)
    if empty is None:
        empty = 0 if how in ("first", "last") else _end(entries.dtype, how)
    known = ops.gather(entries, axis, at.clamp(min=0)) if entries.shape[axis] else entries.new_zeros(at.shape)
    return torch.where(at >= 0, known, known.new_full((), empty))


def grouped(c, by_element):
    """Groups without sorting, as rows of the positions that come to each place, in their order."""
    x, index, source, (bounds, negative, *_) = c["x"], c["index"], c["source"], c["rules"]
    dim, how = axis_of(c["dim"], x.ndim), {"amin": "min", "amax": "max", "add": "sum", "mul": "prod", "multiply": "prod"}.get(c["reduce"], c["reduce"])
    shape, length = x.shape, x.shape[dim]
    leaves = bounds in ("fill", "drop")
    index = ops.take(torch.arange(length, device=x.device), index, 0, "fill" if leaves else bounds, negative, -1 if leaves else None)
    if by_element:
        # Each element is a group of its own.
        source = source.expand(index.shape) if source.ndim == 0 else source[tuple(slice(0, n) for n in index.shape)]
        flat = torch.arange(x.numel(), device=x.device).reshape(shape)[tuple(slice(0, n) if k != dim else slice(None) for k, n in enumerate(index.shape))]
        index = torch.where(index < 0, -1, flat.gather(dim, index.clamp(min=0))).reshape(-1)
        x, source, dim, length = x.reshape(-1), source.reshape(-1), 0, x.numel()
    order = index.argsort(stable=True)
    edges = torch.searchsorted(index[order], torch.arange(length + 1, device=x.device))
    rules = {"rules": ("raise", True, None), "weights": None, "where": None, "axis": dim, "values": source, "ids": order, "offsets": edges}
    made = _reduce({**rules, "reduce": how, "skip_nan": c["skip_nan"], "empty": 1})
    came = _reduce({**rules, "reduce": "count", "skip_nan": c["skip_nan"], "empty": None, "values": source.detach()})
    if c["include_self"] and how != "last":
        counts = ~x.detach().isnan() if c["skip_nan"] else torch.ones_like(x, dtype=torch.bool)
        # NaN that does not count has no part in gradients.
        own = torch.where(counts, x, x.new_ones(()))
        with_self = {
            "first": lambda: own, "sum": lambda: own + made, "prod": lambda: own * made, "mean": lambda: (own + made * came) / (came + 1),
            "max": lambda: torch.maximum(own, made), "min": lambda: torch.minimum(own, made),
        }[how]()  # fmt: skip
        made = torch.where(counts, with_self, made)
    return torch.where(came > 0, made, x).reshape(shape)


def _end(dtype, how):
    if dtype.is_floating_point:
        return float("inf") if how == "min" else -float("inf")
    return torch.iinfo(dtype).max if how == "min" else torch.iinfo(dtype).min


def _alone(name):
    """Answers of numbers that count, which no gradient flows from."""

    def function(c):
        given = {k: v.detach() if isinstance(v, torch.Tensor) else v for k, v in c.items() if k != "rules" and v is not None}
        return getattr(_takewise, name)(**given)

    return function


OPERATORS = [RangePositions, ReduceRanges]
OWN = {
    "take_ranges": _take, "put_ranges": _stored, "put_ranges_": _put_in_place, "reduce_ranges": _reduce, "pad_ranges": _pad,
    "pack_ranges": _pack, "repeat_ranges": _repeat, "range_ids": _ids, "range_positions": _positions,
    "offsets_of": _alone("offsets_of"), "searchsorted_ranges": _alone("searchsorted_ranges"),
}  # fmt: skip
