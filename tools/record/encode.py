"""Run one reference case in a real library and turn what came back into JSON.

A case is a list of Python statements. All but the last are executed; the last is an expression whose value is the
result. The JSON form is described in README.md beside this file.
"""

import ast
import math
import warnings
import zlib

DATA_LIMIT = 400  # elements; above it only dtype, shape and repr are kept


def number(v):
    """A JSON value from which the exact number can be read back."""
    if isinstance(v, bool):
        return v
    if isinstance(v, int):
        return v
    if isinstance(v, complex):
        return [number(v.real), number(v.imag)]
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    if v == 0 and math.copysign(1, v) < 0:
        return "-0.0"
    return v


def flat(nested):
    if isinstance(nested, list):
        for v in nested:
            yield from flat(v)
    else:
        yield nested


class Library:
    """Names a case may use, and how this library's arrays are read out."""

    def __init__(self, names):
        self.names = names

    def is_array(self, v):
        raise NotImplementedError

    def array(self, v, env):
        raise NotImplementedError

    def texts(self, v):
        return {"repr": repr(v)}

    def plain(self, v):
        """A value that is neither array nor sequence."""
        if v is None or isinstance(v, (bool, int, float, complex, str)):
            return v if isinstance(v, str) or v is None else number(v)
        return str(v)


class Torch(Library):
    def __init__(self):
        import numpy
        import torch

        torch.set_num_threads(1)
        super().__init__({"torch": torch, "np": numpy})
        self.torch = torch

    def is_array(self, v):
        return isinstance(v, self.torch.Tensor)

    def array(self, v, env):
        torch = self.torch
        out = {"dtype": str(v.dtype).removeprefix("torch."), "shape": list(v.shape)}
        if v.numel() <= DATA_LIMIT:
            if v.dtype.is_complex:
                w = v.to(torch.complex128)
            elif v.dtype.is_floating_point:
                w = v.to(torch.float64)
            else:
                w = v
            out["data"] = [number(e) for e in flat(w.contiguous().tolist())]
        bases = [b for b in env.values() if isinstance(b, torch.Tensor) and b is not v and b.numel()]
        if v.numel() and any(b.untyped_storage().data_ptr() == v.untyped_storage().data_ptr() for b in bases):
            out.update(view=True, strides=list(v.stride()), offset=v.storage_offset())
        elif not v.is_contiguous():
            out["strides"] = list(v.stride())
        return out


class NumPy(Library):
    def __init__(self):
        import numpy

        super().__init__({"np": numpy})
        self.np = numpy

    def is_array(self, v):
        return isinstance(v, (self.np.ndarray, self.np.generic))

    def array(self, v, env):
        np = self.np
        out = {"dtype": str(v.dtype), "shape": list(v.shape)}
        if v.size <= DATA_LIMIT:
            w = np.asarray(v)
            if w.dtype.kind == "f":
                w = w.astype(np.float64)
            out["data"] = [number(e) for e in w.ravel().tolist()]
        if isinstance(v, np.generic):
            out["scalar"] = True
        elif any(isinstance(b, np.ndarray) and b is not v and np.may_share_memory(b, v) for b in env.values()):
            out.update(view=True, strides=[s // v.itemsize for s in v.strides])
        return out

    def texts(self, v):
        return {"repr": repr(v), "str": str(v)}


class MindSpore(NumPy):
    def __init__(self):
        import mindspore
        import numpy

        mindspore.set_device("CPU")
        mindspore.runtime.launch_blocking()
        Library.__init__(
            self,
            # A function without a module is more than mindspore.grad can take.
            {"mindspore": mindspore, "Tensor": mindspore.Tensor, "ops": mindspore.ops, "np": numpy, "__name__": "case"},
        )
        self.np = numpy
        self.Tensor = mindspore.Tensor

    def is_array(self, v):
        return isinstance(v, self.Tensor)

    def array(self, v, env):
        return super().array(v.asnumpy(), {}) | {"dtype": str(v.dtype).lower(), "shape": list(v.shape)}


class Jax(NumPy):
    def __init__(self):
        import jax
        import jax.numpy as jnp
        import numpy

        Library.__init__(self, {"jax": jax, "jnp": jnp, "np": numpy})
        self.np = numpy
        self.kind = jax.Array

    def is_array(self, v):
        return isinstance(v, self.kind)

    def array(self, v, env):
        return super().array(self.np.asarray(v), {}) | {"dtype": str(v.dtype)}


def value(lib, v, env):
    if lib.is_array(v):
        return lib.array(v, env)
    if isinstance(v, (tuple, list)):
        if all(isinstance(e, int) for e in v):
            return {"value": list(v)}
        return {"items": [value(lib, e, env) for e in v]}
    return {"value": lib.plain(v)}


def writes(statement):
    """The statement changes a tensor rather than binding a name to a new one."""
    node = ast.parse(statement).body[0]
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Subscript) or "out=" in statement
    call = getattr(node, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    name = call.func.attr
    return (
        (name.endswith("_") and not name.startswith("_"))
        or name in ("at", "put", "place", "putmask", "put_along_axis")
        or "out=" in statement
    )


def run(lib, case_id, statements, texts=None):
    """The JSON record of one case. `texts` forces (True) or forbids (False) the printed form."""
    env = {}
    record = {"id": case_id, "run": statements}
    at = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for at, line in enumerate(statements[:-1]):
                exec(line, dict(lib.names) | {"__builtins__": __builtins__}, env)
            at = len(statements) - 1
            out = eval(statements[-1], dict(lib.names), env)
            record |= value(lib, out, env)
            if texts is None:
                texts = zlib.crc32(case_id.encode()) % 4 == 0
            if texts and lib.is_array(out):
                record |= lib.texts(out)
    except SyntaxError:
        raise
    except Exception as e:  # the error is the result
        lines = [
            line for line in str(e).strip().splitlines() if line.strip("-")
        ]  # MindSpore rules off its tracebacks
        if lines and lines[0].startswith("- "):
            lines = []  # a section title: the message itself was empty
        record |= {"error": type(e).__name__, "text": lines[0] if lines else "", "at": at}
        if "x" in env and lib.is_array(env["x"]) and writes(statements[at]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                after = value(lib, env["x"], {})
            after.pop("strides", None)
            record["after"] = {"x": after}
    return record
