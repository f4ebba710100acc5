"""The primitive by which calls of takewise are part of JAX's programs, and its rules: shapes, gradients, tangents, batches, and what XLA
is told.

One primitive stands for all operations. `Spec` says which. Batch axes come first in every array that has them: ``batch`` has their
extents, and ``which`` says of each array by bits which of them it has. Its way back is itself again, in another mode, so that
derivatives of any order compose.
"""

import contextlib
import ctypes
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from takewise import _catalogue, _takewise, exceptions
from takewise._jax import error_of
from takewise._jax._spec import MOVABLE

_TARGET = "takewise_call"
primitive = Primitive("takewise")
primitive.multiple_results = True


def run(spec, arrays):
    """The results of a call."""
    return primitive.bind(*arrays, spec=spec, batch=(), which=(0,) * len(arrays))


def _part(shape, bits):
    """The shape of an array without its batch axes."""
    return tuple(shape[bits.bit_count() :])


@functools.lru_cache(4096)
def _shapes(text, operands):
    """The dtypes and shapes of results, and whether the call writes."""
    return _takewise._jit_shapes(text, list(operands))


def _results(spec, batch, which, avals):
    operands = tuple((aval.dtype.name, _part(aval.shape, bits)) for aval, bits in zip(avals, which, strict=True))
    return _shapes(spec.text(batch, which), operands)


@primitive.def_abstract_eval
def _abstract(*avals, spec, batch, which):
    found, _ = _results(spec, batch, which, avals)
    return [
        jax.core.ShapedArray((*batch, *shape), jax.dtypes.canonicalize_dtype(jnp.dtype(dtype))) for dtype, shape in found
    ]


@functools.lru_cache(1024)
def _compiled(spec, batch, which):
    return jax.jit(lambda *arrays: primitive.bind(*arrays, spec=spec, batch=batch, which=which))


@primitive.def_impl
def _now(*arrays, spec, batch, which):
    """A call outside of programs, in a gradient or a batch. It is waited for, and its error is ours."""
    try:
        with jax.disable_jit(False):
            return jax.block_until_ready(_compiled(spec, batch, which)(*arrays))
    except Exception as error:
        own = error_of(error)
        if own is None:
            raise
    raise own


def check(spec, arrays):
    """Refuses what does not fit a call."""
    _results(spec, (), (0,) * len(arrays), [jax.typeof(array) for array in arrays])


# What XLA is told.


def _lower(ctx, *operands, spec, batch, which):
    _register()
    _, writes = _results(spec, batch, which, ctx.avals_in)
    # The result of a write takes the memory of what is written to, which XLA copies if somebody needs it still.
    aliases = {"operand_output_aliases": {0: 0}} if writes else {}
    return jax.ffi.ffi_lowering(_TARGET, **aliases)(ctx, *operands, call=spec.text(batch, which))


@functools.cache
def _register():
    address = _takewise._jit_handler()
    jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(ctypes.c_void_p(address)), platform="cpu")


mlir.register_lowering(primitive, _lower, platform="cpu")


# Derivatives.


def _moves(aval):
    return jnp.issubdtype(aval.dtype, np.inexact)


def _zero(shape, dtype):
    return jnp.zeros(shape, dtype)


def _jvp(primals, tangents, *, spec, batch, which):
    results = primitive.bind(*primals, spec=spec, batch=batch, which=which)
    # What stands beside the first result, such as offsets, does not move.
    still = [ad.Zero(jax.typeof(one).to_tangent_aval()) for one in results]
    if not _moves(results[0]):
        return results, still
    count = len(spec.operands)
    moved = [k for k, tangent in enumerate(tangents) if not isinstance(tangent, ad.Zero)]
    residual = [k for k in moved if _is_residual(spec, k)]
    if residual and not spec.is_flat:
        raise exceptions.NotImplementedError(f"{spec.name}(): there are no second derivatives of reduce={spec.how!r} under JAX")
    moved = [k for k in moved if k not in residual]
    if not moved:
        return results, still
    if spec.mode == "call" and not spec.is_linear:
        if "Key" in _catalogue.ROLES[spec.name].values():
            return results, _keyed(primals, tangents, moved, spec, batch, which)
        if any(jnp.issubdtype(primals[k].dtype, np.complexfloating) for k in moved):
            raise exceptions.NotImplementedError(f"{spec.name}(): reduce={spec.how!r} of complex numbers has no derivative under JAX")
        roles = tuple(spec.operands[k][0] for k in moved)
        along = spec.homogeneous()._replace(mode="along", moved=roles)
        arrays = [*primals, *(tangents[k] for k in moved)]
        return results, primitive.bind(*arrays, spec=along, batch=batch, which=(*which, *(which[k] for k in moved)))
    # All that the call is linear in is replaced by its tangent.
    linear = [
        k for k in range(len(primals)) if (spec.mode == "call" and spec.operands[k][0] in MOVABLE) or k >= count - _shaped(spec)
    ]
    arrays = list(primals)
    for k in linear:
        zero = isinstance(tangents[k], ad.Zero)
        arrays[k] = _zero(np.shape(primals[k]), primals[k].dtype) if zero else tangents[k]
    return results, [primitive.bind(*arrays, spec=spec.homogeneous(), batch=batch, which=which)[0], *still[1:]]


def _keyed(primals, tangents, moved, spec, batch, which):
    """The tangent of what combines at a key: that of JAX's own operations, at the same places."""
    from takewise._jax import _elsewhere

    if any(role == "Key" and primals[k].dtype == bool for k, role in enumerate(_given(spec))):
        text = f"{spec.said or spec.name}: reduce={spec.how!r} at a mask has no derivative under JAX: use where"
        raise exceptions.NotImplementedError(text)

    def call(*values):
        given = list(primals)
        for k, value in zip(moved, values, strict=True):
            given[k] = value
        return _elsewhere.results(*given, spec=spec.tolerant(), batch=batch, which=which)

    return jax.jvp(call, tuple(primals[k] for k in moved), tuple(tangents[k] for k in moved))[1]


def _shaped(spec):
    """How many arrays of a call have no memory."""
    return sum(len(operand) > 1 for operand in spec.operands)


def _given(spec):
    """The roles of the arrays that are given."""
    return [operand[0] for operand in spec.operands if len(operand) == 1]


def _is_residual(spec, k):
    """Whether an array is one at which a derivative is taken, and no gradient or tangent."""
    return spec.mode != "call" and k < len(_given(spec))


def _transpose(cotangents, *arrays, spec, batch, which):
    cotangent = cotangents[0]
    undefined = [k for k, array in enumerate(arrays) if ad.is_undefined_primal(array)]
    if isinstance(cotangent, ad.Zero):
        return [ad.Zero(array.aval) if k in undefined else None for k, array in enumerate(arrays)]
    rule = {"call": _of_call, "back": _of_back, "along": _of_along}[spec.mode]
    return [rule(k, cotangent, arrays, spec, batch, which) if k in undefined else None for k in range(len(arrays))]


def _aval(array):
    return array.aval if ad.is_undefined_primal(array) else jax.typeof(array)


def _summed(gradient, batch, bits):
    """A gradient for each part of a batch as that of an array that all of them share along some axes."""
    shared = tuple(axis for axis in range(len(batch)) if not bits >> axis & 1)
    return gradient.sum(shared) if shared else gradient


def _of_call(k, cotangent, arrays, spec, batch, which):
    """The gradient of an argument of a linear call."""
    operands, given, bits = [], [], []
    for (role,), array, axes in zip(spec.operands, arrays, which, strict=True):
        if role in MOVABLE and _moves(_aval(array)):
            aval = _aval(array)
            operands.append((role, aval.dtype.name, _part(aval.shape, axes)))
        else:
            operands.append((role,))
            given.append(array)
            bits.append(axes)
    back = spec._replace(mode="back", wrt=spec.operands[k][0], operands=tuple(operands))
    every = (1 << len(batch)) - 1
    found = primitive.bind(*given, cotangent, spec=back, batch=batch, which=(*bits, every))
    return _summed(found[0], batch, which[k])


def _of_back(k, cotangent, arrays, spec, batch, which):
    """The gradient of a gradient: the call of what it flows back to."""
    every = (1 << len(batch)) - 1
    if not _shaped(spec):
        along = spec._replace(mode="along", wrt=None, moved=(spec.wrt,))
        found = primitive.bind(*arrays[:-1], cotangent, spec=along, batch=batch, which=(*which[:-1], every))
        return _summed(found[0], batch, which[k])
    rest, operands, bits = iter(zip(arrays, which, strict=True)), [], []
    for operand in spec.operands:
        if len(operand) == 1:
            array, axes = next(rest)
        elif operand[0] == spec.wrt:
            array, axes = cotangent, every
        else:
            # A write has all batch axes in what it writes to.
            array, axes = jnp.zeros((*batch, *operand[2]), operand[1]), every
        operands.append(array)
        bits.append(axes)
    call = spec._replace(mode="call", wrt=None, operands=tuple((operand[0],) for operand in spec.operands))
    return _summed(primitive.bind(*operands, spec=call, batch=batch, which=tuple(bits))[0], batch, which[k])


def _of_along(k, cotangent, arrays, spec, batch, which):
    """The gradient of a tangent."""
    count = len(spec.operands)
    every = (1 << len(batch)) - 1
    back = spec._replace(mode="back", wrt=spec.moved[k - count], moved=())
    found = primitive.bind(*arrays[:count], cotangent, spec=back, batch=batch, which=(*which[:count], every))
    return _summed(found[0], batch, which[k])


ad.primitive_jvps[primitive] = _jvp
ad.primitive_transposes[primitive] = _transpose


# Batches.


def _batched(arrays, dims, *, spec, batch, which):
    """A call for each part of a batch, which the engine makes one after the other: one call of XLA's."""
    count = next(array.shape[dim] for array, dim in zip(arrays, dims, strict=True) if dim is not None)
    bits, moved = [], []
    for array, dim, axes in zip(arrays, dims, which, strict=True):
        bits.append(axes << 1 | (dim is not None))
        moved.append(array if dim is None else jnp.moveaxis(array, dim, 0))
    batch = (count, *batch)
    if spec.mode == "call" and _results(spec, batch, tuple(bits), [jax.typeof(one) for one in moved])[1] and not bits[0] & 1:
        moved[0] = jnp.broadcast_to(moved[0], (count, *moved[0].shape))
        bits[0] |= 1
    found = primitive.bind(*moved, spec=spec, batch=batch, which=tuple(bits))
    return found, [0] * len(found)


batching.primitive_batchers[primitive] = _batched


def _lower_elsewhere(ctx, *operands, **params):
    from takewise._jax import _elsewhere

    return mlir.lower_fun(_elsewhere.results, multiple_results=True)(ctx, *operands, **params)


mlir.register_lowering(primitive, _lower_elsewhere)

# A version of JAX that has no such rules leaves calls as they are.
with contextlib.suppress(ImportError):
    from takewise._jax import _checked

    _checked.register(primitive)
