"""Prints the indexing, view and search names of each library that our dialect's tables lack.

    python tools/python/missing.py torch numpy jax          the libraries this interpreter has
    python tools/python/missing.py mindspore

Every public name of a library is in one of four places: in our tables; in the reasons of `ABSENT` (crates/takewise-dialects/
src/rules/absent.rs), which docs/DIALECTS.md prints; in the lists below of what is another subject altogether
(arithmetic, linear algebra, statistics, networks, files ...); or it is printed here, and the exit status says so. So a
library's next version tells us what it has added.
"""

import pathlib
import re
import sys

from takewise import _takewise

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABSENT = ROOT / "crates" / "takewise-dialects" / "src" / "rules" / "absent.rs"
SUBJECTS = pathlib.Path(__file__).with_name("subjects.txt")


def places(library):
    """Each namespace of a library, the path of ours beside it, and the kind of name it holds."""
    if library == "torch":
        import torch

        return [("torch", torch, ""), ("Tensor", torch.Tensor, None), ("nn.functional", torch.nn.functional, "nn.functional")]
    if library == "numpy":
        import numpy

        return [("numpy", numpy, ""), ("ndarray", numpy.ndarray, None)]
    if library == "jax":
        import jax.numpy

        array = type(jax.numpy.zeros(1))
        return [("jax.numpy", jax.numpy, "numpy"), ("Array", array, None), ("Array.at", type(jax.numpy.zeros(1).at[0]), "at")]
    import mindspore

    return [
        ("mindspore.Tensor", mindspore.Tensor, None),
        ("mindspore.ops", mindspore.ops, "ops"),
        ("mindspore.mint", mindspore.mint, "mint"),
    ]


def reasons():
    """Names that `ABSENT` gives a reason for, by library."""
    found = {}
    for library, names in re.findall(r'absent\(\s*"(\w+)",\s*"([^"]*)"', ABSENT.read_text()):
        found.setdefault(library, set()).update(names.replace("\\\n", " ").split())
    return found


def subjects():
    """Names that belong to another subject."""
    lines = SUBJECTS.read_text().splitlines()
    return {name for line in lines if not line.startswith("#") for name in line.split()}


def missing(library):
    known, other = reasons().get(library, set()), subjects()
    for title, place, path in places(library):
        if path == "at":
            ours = {"get", "set", "add", "subtract", "mul", "multiply", "divide", "power", "min", "max"}
        else:
            ours = set(_takewise.names(library, path))
        for name in sorted(dir(place)):
            value = getattr(place, name, None)
            if name.startswith("_") or isinstance(value, (type, type(sys))) or name in ours | known | other:
                continue
            yield f"{title}.{name}"


def main():
    found = [name for library in sys.argv[1:] or ["torch", "numpy", "jax"] for name in missing(library)]
    print("\n".join(found) or "nothing is missing")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
