"""The libraries in `takewise`, as `tools/record` sees a library: what the statements of a record may name, and how the
arrays they give are read out. So the same statements run in a real library and in ours.
"""

import ast
import fnmatch
import importlib
import json
import pathlib
import sys
import warnings

import takewise
import takewise.numpy

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "crates" / "takewise-notation" / "tests" / "golden"
sys.path.insert(0, str(ROOT / "tools" / "record"))
encode = importlib.import_module("encode")


class Brackets(ast.NodeTransformer):
    """NumPy's and JAX's arrays answer ``x[key]`` and ``x.at`` themselves: here ours are asked instead."""

    def __init__(self, get, put):
        self.get, self.put = get, put

    def visit_Assign(self, node):
        if not isinstance(node.targets[0], ast.Subscript):
            return self.generic_visit(node)
        place, value = node.targets[0], self.visit(node.value)
        call = self.call(self.put, self.visit(place.value), self.visit(place.slice), value)
        return ast.copy_location(ast.Expr(call), node)

    def visit_Subscript(self, node):
        if isinstance(node.value, ast.Attribute) and node.value.attr == "at":
            return self.generic_visit(node)
        return self.call(self.get, self.visit(node.value), self.visit(node.slice))

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return self.call("_at", node.value) if node.attr == "at" and not is_module(node.value) else node

    def visit_Slice(self, node):
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return self.call("slice", *map(self.visit, parts))

    @staticmethod
    def call(name, *arguments):
        return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def is_module(node):
    """Whether an expression names a part of a library, such as ``np.add``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("np", "jnp", "jax", "numpy")


class Ours(encode.Library):
    """A library of `takewise` with arrays of its own."""

    def is_array(self, v):
        return isinstance(v, takewise.Tensor)

    def array(self, v, env):
        out = {"dtype": v.dtype.name, "shape": list(v.shape)}
        count = 1
        for n in out["shape"]:
            count *= n
        if count <= encode.DATA_LIMIT:
            out["data"] = [encode.number(e) for e in encode.flat(v.tolist())]
        return out

    def run(self, record):
        return encode.run(self, record["id"], record["run"], "repr" in record or "str" in record)


class Torch(Ours):
    name = "torch"

    def __init__(self):
        import numpy

        import takewise.torch

        super().__init__({"torch": takewise.torch, "np": numpy})

    def array(self, v, env):
        return super().array(v, env) | {"strides": list(v.stride()), "contiguous": v.is_contiguous()}


class MindSpore(Ours):
    name = "mindspore"

    def __init__(self):
        import numpy

        import takewise.mindspore as mindspore

        super().__init__({"mindspore": mindspore, "Tensor": mindspore.Tensor, "ops": mindspore.ops, "np": numpy})

    def texts(self, v):
        return {"repr": repr(v), "str": str(v)}


class Foreign(encode.NumPy):
    """A library whose arrays stay its own."""

    def run(self, record):
        before, made = record["run"], Brackets("_get", "_put")
        changed = [ast.unparse(ast.fix_missing_locations(made.visit(ast.parse(line)))) for line in before]
        found = encode.run(self, record["id"], changed, "repr" in record or "str" in record)
        return found | {"run": before}


class NumPy(Foreign):
    name = "numpy"

    def __init__(self):
        import numpy

        tools = {"_get": takewise.numpy.index, "_put": takewise.numpy.setindex}
        encode.Library.__init__(self, {"np": takewise.numpy, **tools})
        self.np = numpy


class Jax(Foreign, encode.Jax):
    name = "jax"

    def __init__(self):
        import jax
        import numpy

        import takewise.jax as ours

        def get(x, key):
            return ours._takewise.getitem("jax", x, key) if isinstance(x, jax.Array) else x[key]

        tools = {"_get": get, "_put": None, "_at": ours.at}
        encode.Library.__init__(self, {"jax": ours, "jnp": ours.numpy, "np": numpy, **tools})
        self.np, self.kind = numpy, jax.Array


def golden(library):
    """The recorded cases of a library: (name in DIFFERS, record)."""
    for path in sorted(GOLDEN.glob(f"{library}_*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            yield f"{library}/{record['id']}", record


def differing():
    """The patterns of cases in which takewise differs on purpose."""
    lines = [line for line in (GOLDEN / "DIFFERS").read_text().splitlines() if line and not line.startswith("#")]
    return [line.split(": ")[0] for line in lines]


def listed(case, patterns):
    """Whether one of the patterns names the case: an id, with ``*`` for any text and ``?`` for any letter."""
    return any(fnmatch.fnmatchcase(case, pattern) for pattern in patterns)


def same(want, got):
    """Whether two JSON values are the same; numbers by value."""
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(same, want, got))
    return want == got


def compare(want, got):
    """What differs between a record and what ours gave, in words; nothing if they agree."""
    if "error" in want:
        wrong = unlike(want, got, ("error",))
        spoken = want["text"].rstrip()
        return wrong or ("" if spoken in ("", got["text"].rstrip()) else unlike(want, got, ("text",)))
    if "items" in want:
        want, got = want["items"], got.get("items", [])
        if len(want) != len(got):
            return f"expected {len(want)} items, got {len(got)}"
        return "; ".join(filter(None, map(compare, want, got)))
    wrong = unlike(want, got, ("error", "dtype", "shape", "data", "value", "repr", "str", "scalar"))
    if not wrong and "contiguous" in got:
        wrong = unlike(want, got, ("strides",)) if "strides" in want else "" if got["contiguous"] else "not contiguous"
    return wrong


def unlike(want, got, facts):
    """The facts that differ."""
    wrong = [fact for fact in facts if not same(want.get(fact), got.get(fact))]
    text = "; ".join(f"{fact}: expected {want.get(fact)}, got {got.get(fact)}" for fact in wrong)
    return f"{text} ({got['text']})" if wrong and "text" in got else text
