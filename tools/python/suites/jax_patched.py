"""A plugin of pytest that puts takewise where JAX's own indexing is, and counts who answered.

Brackets and ``x.at[key]`` come to two functions of JAX's, of arrays and of what is being traced alike. Arrays are read and written by
`takewise.jax`. What is being traced goes to takewise's own functions, which become part of the program, with the policy that JAX's mode
stands for. Within a call the guard is set, so that what takewise asks of JAX, JAX answers.

``TAKEWISE_COUNTS`` names the file that the counts are written to. Without it nothing is replaced.
"""

import collections
import json
import os
import pathlib
import threading

COUNTS = os.environ.get("TAKEWISE_COUNTS")
PATCHED = bool(COUNTS)

counts = collections.Counter()
state = threading.local()

# What each mode of JAX's is called here. Reads that are promised to be inside, as those without a mode are, take the nearest element.
READS = {None: "clip", "promise_in_bounds": "clip", "clip": "clip", "fill": "fill", "drop": "fill"}
WRITES = {None: "drop", "promise_in_bounds": "drop", "clip": "clip", "fill": "drop", "drop": "drop"}
METHODS = {"scatter": "set", "scatter_add": "add", "scatter_sub": "subtract", "scatter_mul": "multiply", "scatter_min": "min", "scatter_max": "max"}


def guarded(stock, ours):
    """A function in the place of another, which has the calls that are made meanwhile and those that ours leaves to it."""

    def call(*args, **kwargs):
        if getattr(state, "inside", False):
            counts["asked of JAX meanwhile"] += 1
            return stock(*args, **kwargs)
        state.inside = True
        try:
            found = ours(*args, **kwargs)
        finally:
            state.inside = False
        return stock(*args, **kwargs) if found is NotImplemented else found

    return call


def patch():
    import jax
    import jax.numpy as jnp
    from jax._src import dtypes
    from jax._src.indexing import Slice
    from jax._src.lax import lax
    from jax._src.lax import slicing
    from jax._src.numpy import array_methods, indexing
    from jax._src.ops import scatter

    import takewise
    import takewise.jax
    from takewise import _takewise
    from takewise._jax import _primitive

    def is_traced(*values):
        return any(isinstance(one, jax.core.Tracer) for one in jax.tree.leaves(values))

    def is_left(key):
        """Whether a key is JAX's alone: its windows, and positions that it keeps in a class of its own."""
        return any(isinstance(one, Slice) for one in (key if isinstance(key, tuple) else (key,)))

    def left():
        counts["left to JAX"] += 1
        return NotImplemented

    def word(mode):
        return mode.name.lower().replace("fill_or_drop", "fill") if isinstance(mode, slicing.GatherScatterMode) else mode

    def read(x, idx, *, mode=None, fill_value=None, normalize_indices=True, out_sharding=None, strategy=None, **promises):
        mode, key = word(mode), idx
        # That strategy is one for keys of slices, which refuses all others.
        slices = strategy == indexing.IndexingStrategy.STATIC_SLICE
        if mode not in READS or out_sharding is not None or slices or is_left(key):
            return left()
        if is_traced(x, key):
            counts["read in programs"] += 1
            bounds = READS[mode]
            more = {"fill_value": fill_value} if bounds == "fill" else {}
            return like(takewise.index(x, key, bounds=bounds, negative=normalize_indices, **more), x)
        counts["read"] += 1
        if (mode, fill_value, normalize_indices) == (None, None, True):
            return _takewise.getitem("jax", x, key)
        return takewise.jax.at(x)[key].get(mode=mode, fill_value=fill_value, wrap_negative_indices=normalize_indices)

    def like(found, x):
        """A result with the weak dtype of what it was made from."""
        return lax._convert_element_type(found, x.dtype, dtypes.is_weakly_typed(x))

    def update(x, key, values, scatter_op, indices_are_sorted, unique_indices, mode=None, normalize_indices=True, out_sharding=None):
        mode, name = word(mode), METHODS.get(getattr(scatter_op, "__name__", None))
        if mode not in WRITES or name is None or out_sharding is not None or is_left(key):
            return left()
        x = jnp.asarray(x)
        if not is_traced(x, key, values):
            counts["write"] += 1
            return getattr(takewise.jax.at(x)[key], name)(values, mode=mode, wrap_negative_indices=normalize_indices)
        counts["write in programs"] += 1
        # As JAX's: both become of the dtype that holds them, and the result of that of the array.
        whole = isinstance(values, int) and jnp.issubdtype(x.dtype, jnp.integer)
        values = jnp.asarray(values, x.dtype if whole else None)
        both = jnp.result_type(x, values)
        values = values.astype(both)
        name, values = ("add", -values) if name == "subtract" else (name.replace("multiply", "mul"), values)
        found = getattr(takewise.at(x.astype(both))[key], name)(values, bounds=WRITES[mode], negative=normalize_indices)
        return like(found, x)

    def method(name):
        stock = getattr(array_methods._IndexUpdateRef, name)

        def ours(self, values, *, mode=None, wrap_negative_indices=True, **promises):
            if is_traced(self.array, self.index, values) or promises.get("out_sharding") is not None or is_left(self.index):
                # Its parts come here again.
                return NotImplemented
            counts["write"] += 1
            return getattr(takewise.jax.at(self.array)[self.index], name)(values, mode=mode, wrap_negative_indices=wrap_negative_indices)

        return guarded(stock, ours)

    indexing.rewriting_take = guarded(indexing.rewriting_take, read)
    scatter._scatter_update = guarded(scatter._scatter_update, update)
    for name in ("divide", "power"):
        setattr(array_methods._IndexUpdateRef, name, method(name))
    run = _primitive.run

    def counted(spec, arrays):
        counts["by the primitive"] += 1
        return run(spec, arrays)

    _primitive.run = counted


if PATCHED:
    patch()


def pytest_sessionfinish():
    if PATCHED:
        pathlib.Path(COUNTS).write_text(json.dumps(counts))
