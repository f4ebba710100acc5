"""The backend node tests of the onnx package for the operators that index."""

import warnings

OPS = {"Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND"}
LARGEST = 400  # elements


def tensor(a):
    from encode import number

    v = a.astype("float64") if a.dtype.kind == "f" else a
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": [number(e) for e in v.ravel().tolist()]}


def records():
    import numpy as np
    import onnx
    from onnx.backend.test.case import node

    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The modules make their cases as they are imported, once: an operator asked for later gets the first one's.
        tests = node.collect_testcases()
    for test in tests:
        body = test.model.graph.node
        if len(body) != 1 or body[0].op_type not in OPS:
            continue
        for inputs, outputs in test.data_sets:
            if max(a.size for a in inputs) > LARGEST:
                continue
            yield {
                "id": "onnx/" + test.name.removeprefix("test_"),
                "op": body[0].op_type,
                "attrs": {a.name: plain(onnx.helper.get_attribute_value(a)) for a in body[0].attribute},
                "inputs": [tensor(np.asarray(a)) for a in inputs],
                "output": tensor(np.asarray(outputs[0])),
            }


def plain(v):
    return v.decode() if isinstance(v, bytes) else v
