"""The functions of takewise, with their arguments, on our operators: always new tensors with PyTorch's history."""

from takewise import exceptions
from takewise._torch._here import ops, torch
from takewise._torch._keys import Opened, places
from takewise._torch._shapes import along, axis_of


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


def _number(value):
    """A filling as a number."""
    return value.item() if isinstance(value, torch.Tensor) or hasattr(value, "dtype") else value


def _read(bounds, negative, fill_value, threads):
    return bounds or "raise", negative is not False, _number(fill_value), threads


def _write(bounds, negative, duplicates, casting, threads):
    return bounds or "raise", negative is not False, duplicates, threads, casting


def gather(x, dim, index, *, bounds=None, negative=None, fill_value=None, out=None, threads=None):
    return ops.gather(x, dim, places(index, x), *_read(bounds, negative, fill_value, threads))


def take(x, index, axis=None, batch_dims=0, *, bounds=None, negative=None, fill_value=None, out=None, threads=None):
    index, rules = places(index, x), _read(bounds, negative, fill_value, threads)
    if batch_dims < 0:
        batch_dims += index.ndim
    if batch_dims == 0:
        return ops.take(x, index, axis, *rules)
    axis = batch_dims if axis is None else axis_of(axis, x.ndim)
    if not 0 <= batch_dims <= min(index.ndim, axis) or x.shape[:batch_dims] != index.shape[:batch_dims]:
        text = f"take(): batch_dims={batch_dims} does not fit x of shape {tuple(x.shape)} and index of shape {tuple(index.shape)}"
        raise exceptions.ValueError(text)
    points = index.ndim - batch_dims
    found = ops.index(x.movedim(axis, batch_dims), [*_parts(index, batch_dims), index], *rules)
    from_axes = list(range(batch_dims, batch_dims + points))
    return found.movedim(from_axes, [k + axis - batch_dims for k in from_axes])


def _parts(index, count):
    """Positions along the first axes of an index tensor, each in its axis."""
    return [
        torch.arange(index.shape[k], device=index.device).reshape(-1, *(1,) * (index.ndim - k - 1)) for k in range(count)
    ]


def take_along_axis(x, index, axis=-1, *, bounds=None, negative=None, fill_value=None, out=None, threads=None):
    rules = _read(bounds, negative, fill_value, threads)
    if axis is None:
        return ops.take_along_dim(x.reshape(-1), places(index, x), 0, *rules)
    return ops.take_along_dim(x, places(index, x), axis, *rules)


def take_along_dim(input, indices, dim=None, **policies):
    return take_along_axis(input, indices, dim, **policies)


def index_select(x, dim, index, *, bounds=None, negative=None, fill_value=None, out=None, threads=None):
    return ops.index_select(x, dim, places(index, x), *_read(bounds, negative, fill_value, threads))


def gather_nd(x, index, batch_dims=0, *, bounds=None, negative=None, fill_value=None, out=None, threads=None):
    index = places(index, x)
    if batch_dims:
        lead = index.shape[:-1]
        parts = [part.squeeze(-1).expand(lead).unsqueeze(-1) for part in _parts(index, batch_dims)]
        index = torch.cat([*parts, index], -1)
    return ops.gather_nd(x, index, *_read(bounds, negative, fill_value, threads))


def index(x, key, *, bounds=None, negative=None, fill_value=None, out=None, threads=None):
    opened = Opened(x, key, negative is not False)
    if not opened.indices:
        return opened.view
    return ops.index(opened.view, opened.indices, *_read(bounds, negative, fill_value, threads))


def oindex(x, key, *, bounds=None, negative=None, fill_value=None, threads=None):
    opened, rules = Opened(x, key, negative is not False), _read(bounds, negative, fill_value, threads)
    found = opened.view
    for axis, entry in reversed(list(zip(opened.axes(), opened.indices, strict=True))):
        if entry is not None:
            found = ops.index(found, [None] * axis + [entry], *rules)
    return found


def vindex(x, key, *, bounds=None, negative=None, fill_value=None, threads=None):
    opened = Opened(x, key, negative is not False)
    if not opened.indices:
        return opened.view
    moved, entries = [], []
    for axis, entry in zip(opened.axes(), opened.indices, strict=True):
        if entry is not None:
            entries.append(entry)
            moved.extend(range(axis, axis + (entry.ndim if entry.dtype == torch.bool else 1)))
    view = opened.view.movedim(moved, list(range(len(moved))))
    return ops.index(view, entries, *_read(bounds, negative, fill_value, threads))


def copy(x, *, out=None, threads=None):
    return x.clone(memory_format=torch.contiguous_format)


def masked_select(x, mask, *, out=None, threads=None):
    return ops.masked_select(x, _source(x, mask) if isinstance(mask, torch.Tensor) else torch.as_tensor(mask), threads)


def scatter(x, dim, index, src, reduce=None, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index, rules = places(index, x), _write(bounds, negative, duplicates, casting, threads)
    if isinstance(src, (int, float, complex)):
        return ops.scatter.value(x, dim, index, src, reduce or "none", *rules)
    return ops.scatter(x, dim, index, _source(x, src), reduce or "none", *rules)


def scatter_add(x, dim, index, src, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index = places(index, x)
    src = _source(x, src)
    src = src.expand(index.shape) if src.ndim == 0 else src
    return ops.scatter_add(x, dim, index, src, *_write(bounds, negative, duplicates, casting, threads))


def scatter_reduce(
    x, dim, index, src, reduce, include_self=True, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None
):
    index = places(index, x)
    src = _source(x, src)
    src = src.expand(index.shape) if src.ndim == 0 else src
    rules = _write(bounds, negative, duplicates, casting, threads)
    return ops.scatter_reduce(x, dim, index, src, reduce or "none", include_self, *rules)


def _slab(x, dim, index, source):
    """The source of a write to slabs; a number fills them."""
    source = _source(x, source)
    return source.expand(along(x.shape, dim, index.numel())) if source.ndim == 0 and x.ndim else source


def index_add(x, dim, index, source, alpha=None, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index, alpha = places(index, x), 1 if alpha is None else _number(alpha)
    source = _slab(x, dim, index, source)
    return ops.index_add(x, dim, index, source, alpha, *_write(bounds, negative, duplicates, casting, threads))


def index_copy(x, dim, index, source, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index = places(index, x)
    source = _slab(x, dim, index, source)
    return ops.index_copy(x, dim, index, source, *_write(bounds, negative, duplicates, casting, threads))


def index_reduce(
    x, dim, index, source, reduce, include_self=True, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None
):
    index = places(index, x)
    source, rules = _slab(x, dim, index, source), _write(bounds, negative, duplicates, casting, threads)
    return ops.index_reduce(x, dim, index, source, reduce or "none", include_self, *rules)


def index_fill(x, dim, index, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index, rules = places(index, x), _write(bounds, negative, duplicates, casting, threads)
    if isinstance(value, torch.Tensor):
        return ops.index_fill.Tensor(x, dim, index, value, *rules)
    return ops.index_fill(x, dim, index, _number(value), *rules)


def put(x, index, values, accumulate=False, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index, values = places(index, x), _source(x, values)
    values = values.expand(index.shape) if values.ndim == 0 else values
    return ops.put(x, index, values, accumulate, *_write(bounds, negative, duplicates, casting, threads))


def tensor_scatter(x, index, updates, reduce=None, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index, updates = places(index, x), _source(x, updates)
    if updates.ndim == 0:
        updates = updates.expand((*index.shape[:-1], *x.shape[index.shape[-1] :]))
    return ops.tensor_scatter(x, index, updates, reduce or "none", *_write(bounds, negative, duplicates, casting, threads))


def scatter_nd(index, updates, shape, *, bounds=None, negative=None, threads=None):
    rules = _write(bounds, negative, None, None, threads)
    return ops.tensor_scatter(updates.new_zeros(shape), places(index, updates), updates, "sum", *rules)


def masked_fill(x, mask, value, *, casting=None, threads=None):
    mask = torch.as_tensor(mask, device=x.device)
    if isinstance(value, torch.Tensor):
        return ops.masked_fill.Tensor(x, mask, value, threads, casting)
    return ops.masked_fill(x, mask, _number(value), threads, casting)


def masked_scatter(x, mask, source, *, casting=None, threads=None):
    return ops.masked_scatter(x, torch.as_tensor(mask, device=x.device), _source(x, source), threads, casting)


def searchsorted(
    sorted_sequence, input, *, axis=-1, out_int32=False, right=False, side=None, sorter=None, out=None, threads=None
):
    rest = (out_int32, right, side)
    if isinstance(input, (int, float)):
        return ops.searchsorted.Scalar(sorted_sequence, input, *rest, None if sorter is None else torch.as_tensor(sorter), threads)
    sequence, values = torch.as_tensor(sorted_sequence), torch.as_tensor(input)
    sorter, last = None if sorter is None else torch.as_tensor(sorter), axis_of(axis, sequence.ndim) - sequence.ndim
    if sequence.ndim < 2 or values.ndim < -last:
        return ops.searchsorted(sequence, values, *rest, sorter, threads)
    one, two = sequence.movedim(last, -1), values.movedim(last, -1)
    order = None if sorter is None or sorter.shape != sequence.shape else sorter.movedim(last, -1)
    if one.shape[:-1] != two.shape[:-1]:
        lead = torch.broadcast_shapes(one.shape[:-1], two.shape[:-1])
        order = None if order is None else order.expand(*lead, -1)
        one, two = one.expand(*lead, -1), two.expand(*lead, -1)
    return ops.searchsorted(one, two, *rest, sorter if order is None else order, threads).movedim(-1, last)


def bucketize(input, boundaries, *, out_int32=False, right=False, out=None, threads=None):
    if isinstance(input, (int, float)):
        return ops.bucketize.Scalar(input, boundaries, out_int32, right, threads)
    return ops.bucketize(torch.as_tensor(input), torch.as_tensor(boundaries), out_int32, right, threads)


def nonzero(input, *, as_tuple=False, out=None, threads=None):
    found = ops.nonzero(input, threads)
    return found.unbind(1) if as_tuple else found


def where(condition, input=None, other=None, *, out=None, threads=None):
    if input is None and other is None:
        return ops.nonzero(condition, threads).unbind(1)
    condition = torch.as_tensor(condition)
    return torch.where(condition if condition.dtype == torch.bool else condition != 0, input, other)


def _stored(x, key, value, reduce, rules):
    """What the part of ``x`` that a key shows becomes, with a value stored there or combined."""
    opened = Opened(x, key, rules[1])
    view = opened.view
    value = _source(x, value)
    if opened.indices:
        return ops.index_put(view, opened.indices, value, reduce, *rules)
    how = {"none": lambda _, v: v, "sum": torch.add, "prod": torch.mul, "amax": torch.maximum, "amin": torch.minimum}
    return how[reduce](view, _kept(x, value, rules[4])).expand(view.shape)


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
    bounds, negative, duplicates, threads, casting = rules
    leaves_out = bounds in ("fill", "drop")
    named = index(
        order, key, bounds="fill" if leaves_out else bounds, negative=negative, fill_value=-1 if leaves_out else None
    )
    value = _source(x, value).expand(named.shape).reshape(-1)
    flat = ops.index_put(x.reshape(-1), [named.reshape(-1)], value, reduce, "drop", False, duplicates, threads, casting)
    return flat.reshape(x.shape)


def index_put_(x, key, value, accumulate=False, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    return _into(x, key, value, "sum" if accumulate else "none", _write(bounds, negative, duplicates, casting, threads))


def index_set(x, key, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    return _into(x, key, value, "none", _write(bounds, negative, duplicates, casting, threads))


def index_put(x, key, value, accumulate=False, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    return _changed(x, key, value, "sum" if accumulate else "none", _write(bounds, negative, duplicates, casting, threads))


def put_along_axis(x, index, values, axis=-1, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
    index, values, rules = places(index, x), _source(x, values), _write(bounds, negative, duplicates, casting, threads)
    if axis is None:
        x.copy_(ops.put(x, index, values.expand(index.shape), False, *rules))
        return
    rest = torch.broadcast_shapes(along(x.shape, axis, 1), along(index.shape, axis, 1))
    index = index.expand(along(rest, axis, index.shape[axis_of(axis, x.ndim)]))
    x.copy_(ops.scatter(x, axis, index, values.expand(index.shape), "none", *rules))


def _in_place(function, needed=False):
    """The form of a function that writes into its first argument: all is computed before anything is stored. With `needed`
    the way back may need what was there before."""

    def run(x, *args, **kwargs):
        return x.copy_(function(x.clone() if needed else x, *args, **kwargs))

    return run


scatter_ = _in_place(scatter, needed=True)
scatter_add_ = _in_place(scatter_add)
scatter_reduce_ = _in_place(scatter_reduce, needed=True)
index_add_ = _in_place(index_add)
index_copy_ = _in_place(index_copy)
index_reduce_ = _in_place(index_reduce, needed=True)
index_fill_ = _in_place(index_fill)
put_ = _in_place(put)
tensor_scatter_ = _in_place(tensor_scatter, needed=True)
masked_fill_ = _in_place(masked_fill)
masked_scatter_ = _in_place(masked_scatter)


class Places:
    """What ``takewise.at(x)[key]`` gives, for a tensor with a history."""

    def __init__(self, x, key):
        self.x, self.key = x, key

    def get(self, *, bounds=None, negative=None, fill_value=None, threads=None):
        return index(self.x, self.key, bounds=bounds, negative=negative, fill_value=fill_value, threads=threads)

    def _changed(self, value, reduce, bounds, negative, duplicates, casting, threads):
        return _changed(self.x, self.key, value, reduce, _write(bounds, negative, duplicates, casting, threads))

    def _change(self, value, reduce, bounds, negative, duplicates, casting, threads):
        return _into(self.x, self.key, value, reduce, _write(bounds, negative, duplicates, casting, threads))

    def set(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._changed(value, "none", bounds, negative, duplicates, casting, threads)

    def set_(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._change(value, "none", bounds, negative, duplicates, casting, threads)

    def add(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._changed(value, "sum", bounds, negative, duplicates, casting, threads)

    def add_(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._change(value, "sum", bounds, negative, duplicates, casting, threads)

    def mul(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._changed(value, "prod", bounds, negative, duplicates, casting, threads)

    def mul_(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._change(value, "prod", bounds, negative, duplicates, casting, threads)

    def max(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._changed(value, "amax", bounds, negative, duplicates, casting, threads)

    def max_(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._change(value, "amax", bounds, negative, duplicates, casting, threads)

    def min(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._changed(value, "amin", bounds, negative, duplicates, casting, threads)

    def min_(self, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None):
        return self._change(value, "amin", bounds, negative, duplicates, casting, threads)


class At:
    """What ``takewise.at(x)`` gives, for a tensor with a history."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return Places(self.x, key)


def at(x):
    return At(x)


def at_method(name, x, key, *value, fill_value=None, duplicates=None, casting=None, **rules):
    """A method of what ``takewise.at(x)[key]`` gives."""
    last = {"fill_value": fill_value} if name == "get" else {"duplicates": duplicates, "casting": casting}
    return getattr(Places(x, key), name)(*value, **rules, **last)
