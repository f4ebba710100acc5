"""Every case: a row, and the kinds of its operands."""

import dataclasses
import hashlib
import importlib
import itertools
import pathlib
import random
import re

import kinds_foreign  # noqa: F401
import kinds_held  # noqa: F401
import kinds_torch  # noqa: F401
import rows_files  # noqa: F401
import rows_jax  # noqa: F401
import rows_methods
import rows_neutral  # noqa: F401
import rows_numpy  # noqa: F401
import rows_parts  # noqa: F401
import rows_ranges  # noqa: F401
import rows_shared  # noqa: F401
import rows_torch  # noqa: F401
from kinds import KINDS
from rows import DATA, DEFAULT, OPERANDS, ROWS, SCALAR, WITHOUT

MODULES = (
    "takewise",
    "takewise.numpy",
    "takewise.torch",
    "takewise.jax",
    "takewise.jax.numpy",
    "takewise.mindspore",
    "takewise.mindspore.ops",
    "takewise.mindspore.mint",
)
# Whose arrays stand where no kind is put.
HOMES = {"takewise.torch": "torch", "takewise.torch.Tensor": "torch", "takewise.jax": "jax", "takewise.jax.numpy": "jax"}
# Names of modules, whose own names have rows.
PARTS = {
    "autograd", "nn", "exceptions", "ops", "mint", "lib", "numpy", "torch", "torch_ops", "torch_scatter", "jax", "mindspore", "dask", "xarray", "zarr",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Case:
    """A row with some operands of other kinds."""

    row: int
    kinds: tuple[tuple[str, str], ...]

    @property
    def title(self):
        return f"{ROWS[self.row].title} with " + ", ".join(f"{letter} = {kind}" for letter, kind in self.kinds)

    def of(self, library):
        """Whether a function or an operand is a library's."""
        return ROWS[self.row].module.removesuffix(".Tensor") == f"takewise.{library}" or any(
            KINDS[kind].home == library for _, kind in self.kinds
        )

    def drawn(self, share, part):
        """Whether a part of all cases has it, of parts of that share: always the same ones."""
        digest = hashlib.blake2b(self.title.encode(), digest_size=8).digest()
        return part * share <= int.from_bytes(digest, "big") / 2**64 < (part + 1) * share


def singles(number, row):
    """Each operand of each kind, the others as usual."""
    for letter in row.letters:
        yield from (Case(number, ((letter, name),)) for name in KINDS)


def together(number, row):
    """All operands that hold elements of one kind."""
    letters = [letter for letter in row.letters if OPERANDS[letter][1] in (DATA, SCALAR)]
    if len(letters) > 1:
        yield from (Case(number, tuple((letter, name) for letter in letters)) for name in KINDS)


def pairs(number, row, share, part):
    """Two operands that hold elements, each of another dtype of one library: a share of them, always the same."""
    letters = [letter for letter in row.letters if OPERANDS[letter][1] in (DATA, SCALAR)]
    for one, other in [(a, b) for k, a in enumerate(letters) for b in letters[k + 1 :]]:
        draw = random.Random(f"{row.title} {one} {other}" + f" {part}" * (part > 0))
        for home in sorted({kind.home for kind in KINDS.values()}):
            names = [kind.name for kind in KINDS.values() if kind.dtype and kind.home == home]
            found = [(first, second) for first in names for second in names if first != second] if share >= 1 else None
            if found is None:
                count = round(share * len(names) * (len(names) - 1))
                found = [draw.sample(names, 2) for _ in range(count)] if len(names) > 1 else []
            yield from (Case(number, ((one, first), (other, second))) for first, second in found)


def every(shares, patterns=(), part=0):
    """A share of the cases of one operand, of one kind throughout, of two dtypes; always the same,
    in the same order."""
    wanted = [re.compile(pattern) for pattern in patterns]
    for number, row in enumerate(ROWS):
        made = itertools.chain(
            (case for case in singles(number, row) if case.drawn(shares["single"], part)),
            (case for case in together(number, row) if case.drawn(shares["together"], part)),
            pairs(number, row, shares["pair"], part),
        )
        yield from (case for case in made if all(pattern.search(case.title) for pattern in wanted))


def more_rows(path):
    """Rows of a file, beside those there are."""
    exec(compile(pathlib.Path(path).read_text(), path, "exec"), {})


def unlisted():
    """Public names without a row, and rows without a name."""
    faults = []
    rows = {(row.module, row.name) for row in ROWS}
    for module in rows_methods.CLASSES:
        names = {name for name in rows_methods.members(module) if not name.startswith("_")}
        have = {name for where, name in rows if where == module} | set(WITHOUT[module])
        faults += [
            f"{module}.{name} has no row in tools/python/border/rows_methods.py: say how it is called"
            for name in sorted(names - have)
        ]
    for module in MODULES:
        made = (
            importlib.import_module(module)
            if module != "takewise.jax.numpy"
            else importlib.import_module("takewise.jax").numpy
        )
        # What a module leaves to its library is the library's own.
        names = {name for name in {*vars(made), *getattr(made, "_LATER", ())} if not name.startswith("_")}
        names = {name for name in names if name not in PARTS and not is_dtype(getattr(made, name))}
        have = {name for where, name in rows if where == module} | set(WITHOUT.get(module, {}))
        faults += [
            f"{module}.{name} has no row in tools/python/border: say how it is called and what its reference is"
            for name in sorted(names - have)
        ]
        faults += [
            f"{module}.{name} has a row in tools/python/border but is not there" for name in sorted(have - names)
        ]
    return faults


def is_dtype(value):
    import numpy as np

    kind = type(value).__name__
    return (
        kind in ("dtype", "_DTypeMeta")
        or isinstance(value, type)
        and issubclass(value, np.generic)
        or isinstance(value, np.dtype)
    )


def default(letter, home):
    """The usual operand of a letter, in somebody's arrays."""
    base, role = OPERANDS[letter]
    array = base.astype(DEFAULT[role])
    if role == SCALAR:
        return array.item()
    if home == "torch":
        import torch

        return torch.from_numpy(array.copy())
    if home == "jax":
        import jax.numpy as jnp

        return jnp.asarray(array)
    return array
