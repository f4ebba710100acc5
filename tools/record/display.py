"""Records how torch, NumPy and MindSpore print tensors, for crates/takewise-testkit/tests/display.rs.

    python -m venv v && v/bin/pip install torch numpy mindspore && v/bin/python tools/record/display.py

One case is a head line (printer, dtype, shape, elements as hex) and the printed lines, each after "|".
"""
import math
import os
import random

os.environ["GLOG_v"] = "4"
import mindspore
import numpy as np
import torch

rng, pick = np.random.default_rng(5), random.Random(5)
OUT = os.path.join(os.path.dirname(__file__), "..", "..", "crates", "takewise-testkit", "tests", "data", "display.txt")
DTYPES = ("bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64 complex128").split()
EDGES = [1e8, 1e-4, 1000, 1001, 1.0, 0.5, 0.0, -0.0, 99999999.0, 100000008, 9.9999e-5, 999999.0, 0.1, 0.125, 2.5, 1 / 3,
         math.nan, math.inf, -math.inf, 5e-5, 1.5e-4, 65504.0, -7.0, 45692.3125, 194086.125]


def floats(n, dtype):
    kind = pick.randrange(5)
    if kind == 0:
        x = np.round(rng.standard_normal(n) * 10 ** pick.randrange(0, 6))
    elif kind == 1:
        x = rng.standard_normal(n) * 10.0 ** rng.integers(-pick.randrange(1, 9), pick.randrange(1, 9), n)
    elif kind == 2:
        x = rng.integers(-50, 50, n) / 10
    else:
        x = rng.choice(EDGES, n)
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def array(dtype, shape):
    n = math.prod(shape)
    if dtype == "bool":
        x = rng.integers(0, 2, n).astype(bool)
    elif dtype.startswith("float"):
        x = floats(n, dtype)
    elif dtype.startswith("complex"):
        part = "float32" if dtype == "complex64" else "float64"
        x = np.empty(n, dtype)
        x.real, x.imag = floats(n, part), floats(n, part)
    else:
        info = np.iinfo(dtype)
        x = rng.integers(max(info.min, -1000), min(info.max, 1000), n).astype(dtype)
    return x.reshape(shape)


def main():
    shapes = [(), (1,), (5,), (12,), (19,), (26,), (0,), (2, 0), (2, 3), (1, 8), (9, 2), (2, 2, 3), (2, 1, 2, 2)]
    arrays = [array(d, s) for d in DTYPES for s in pick.sample(shapes, 6)]
    for dtype in ("float32", "float64", "float16"):
        arrays += [np.array([v, 1.0], dtype=dtype) for v in (1e-4, 1000.0, 1001.0, 0.3)]
    big = [np.arange(1001), np.arange(1001.0), (np.arange(1001) % 2 == 0), np.arange(1400, dtype="int32").reshape(7, 200),
           np.arange(1200, dtype="float32").reshape(6, 200), np.arange(1029, dtype="int64").reshape(7, 7, 21)]
    cases = []

    def put(printer, dtype, x, data, text):
        shape = "x".join(map(str, x.shape)) or "-"
        cases.append(f"{printer} {dtype} {shape} {data or '-'}\n" + "".join(f"|{line}\n" for line in text.split("\n")))

    for x in arrays + big:
        data = "arange" if any(x is b for b in big) else np.ascontiguousarray(x).tobytes().hex()
        if x.dtype == bool and data == "arange":
            data = "alternate"
        put("torch", x.dtype.name, x, data, repr(torch.from_numpy(np.array(x))))
        put("numpy", x.dtype.name, x, data, repr(x))
        put("numpy_str", x.dtype.name, x, data, str(x))
        if x.dtype == np.float32 and data != "arange" and x.size:
            t = torch.from_numpy(np.array(x)).bfloat16()
            put("torch", "bfloat16", x, t.reshape(-1).view(torch.int16).numpy().tobytes().hex(), repr(t))
        if x.size:
            t = mindspore.Tensor(x)
            put("mindspore", x.dtype.name, x, data, repr(t))
            put("mindspore_str", x.dtype.name, x, data, str(t))
    with open(OUT, "w") as f:
        f.write("".join(cases))


main()
