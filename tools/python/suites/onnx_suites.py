"""The node cases of the installed onnx package for the operators that index, run by ``takewise``.

    python onnx_suites.py [WORD]    only cases with this in their names

Every output has to have the dtype, the shape and the bits the case names. Operators that are several calls here (TopK,
OneHot, TensorScatter) are written out below.
"""

import sys
import warnings

import numpy as np
import onnx

import takewise as tw
import takewise.numpy as tnp

REDUCTIONS = {"none": None, "add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def take_slices(x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    key = [slice(None)] * x.ndim
    for start, end, axis, step in zip(*(np.asarray(part).tolist() for part in (starts, ends, axes, steps))):
        # Below the axis a slice that runs backwards takes its first element as well.
        end = None if step < 0 and end < -x.shape[axis] else end
        key[axis] = slice(start, end, step)
    return tw.index(x, tuple(key))


def largest(x, k, axis=-1, largest=1, sorted=1):
    order = tw.argsort(x, axis, descending=bool(largest))
    order = tw.index(order, (*[slice(None)] * (axis % x.ndim), slice(int(k[0]))))
    return tw.take_along_axis(x, order, axis), order


def one_hot(indices, depth, values, axis=-1):
    depth = int(np.asarray(depth).reshape(()))
    axis = axis % (indices.ndim + 1)
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    index = np.expand_dims(indices.astype(np.int64), axis)
    return tw.scatter(np.full(shape, values[0], values.dtype), axis, index, np.full(index.shape, values[1]), bounds="drop")


def tensor_scatter(past, update, start=None, axis=-2, mode="linear"):
    axis, count = axis % past.ndim, update.shape[axis]
    start = np.zeros(past.shape[0], np.int64) if start is None else start
    at = tw.index(start, (slice(None), None)) + np.arange(count)
    at = at.reshape([-1 if d == 0 else count if d == axis else 1 for d in range(past.ndim)])
    return tw.scatter(past, axis, np.broadcast_to(at, update.shape), update, bounds="wrap" if mode == "circular" else "raise")


OPERATORS = {
    "Gather": lambda x, i, axis=0: tw.take(x, i, axis),
    "GatherElements": lambda x, i, axis=0: tw.gather(x, axis, i),
    "GatherND": lambda x, i, batch_dims=0: tw.gather_nd(x, i, batch_dims),
    "Scatter": lambda x, i, v, axis=0: tw.scatter(x, axis, i, v),
    "ScatterElements": lambda x, i, v, axis=0, reduction="none": tw.scatter(x, axis, i, v, REDUCTIONS[reduction]),
    "ScatterND": lambda x, i, v, reduction="none": tw.tensor_scatter(x, i, v, REDUCTIONS[reduction]),
    "Slice": take_slices,
    "Compress": lambda x, condition, axis=None: tnp.compress(condition, x, axis),
    "NonZero": lambda x: tw.nonzero(x).T,
    "Where": tw.where,
    "TopK": largest,
    "OneHot": one_hot,
    "TensorScatter": tensor_scatter,
}


def attribute(a):
    value = onnx.helper.get_attribute_value(a)
    return value.decode() if isinstance(value, bytes) else value


def wrong(node, inputs, outputs):
    """What is wrong with our answer to a case; None if nothing is."""
    before = [array.copy() for array in inputs]
    attributes = {a.name: attribute(a) for a in node.attribute}
    try:
        got = OPERATORS[node.op_type](*inputs, **attributes)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for ours, want in zip(got if isinstance(got, tuple) else (got,), outputs, strict=True):
        if (ours.dtype, ours.shape) != (want.dtype, want.shape):
            return f"{ours.dtype} {ours.shape}, not {want.dtype} {want.shape}"
        if ours.tobytes() != want.tobytes():
            return f"{ours}, not {want}"
    if any(a.tobytes() != b.tobytes() for a, b in zip(before, inputs)):
        return "an input was changed"
    return None


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases(None)
    seen, failed = dict.fromkeys(OPERATORS, 0), 0
    for case in cases:
        nodes = case.model.graph.node if case.model else ()
        if len(nodes) != 1 or nodes[0].op_type not in OPERATORS or word not in case.name:
            continue
        for inputs, outputs in case.data_sets:
            seen[nodes[0].op_type] += 1
            what = wrong(nodes[0], [np.asarray(a) for a in inputs], [np.asarray(a) for a in outputs])
            if what is not None:
                failed += 1
                print(f"{case.name}: {what}")
    print("ONNX: " + ", ".join(f"{count} {name}" for name, count in seen.items()) + f"; {failed} of these cases fail")
    return 1 if failed or not (word or all(seen.values())) else 0


if __name__ == "__main__":
    sys.exit(main())
