"""Explanations replayed: a loop over the lists of one has to give what the call gives."""

import cmath
import math

import numpy as np
import pytest


def number(text):
    """An element as a number, from how it is written."""
    if text in ("True", "False", "true", "false"):
        return int(text.lower() == "true")
    try:
        return int(text)
    except ValueError:
        return complex(text.replace(" ", "").replace("i", "j") if "n" not in text else text)


def source_value(found, source):
    if source["operand"] is None:
        value = number(source["value"])
    else:
        value = number(found["operands"][source["operand"]]["values"][source["at"]])
    return value * number(source["times"]) if source.get("times") else value


def folded(how, terms):
    total = terms[0]
    for term in terms[1:]:
        total = {
            "sum": lambda a, b: a + b,
            "mean": lambda a, b: a + b,
            "prod": lambda a, b: a * b,
            "max": lambda a, b: b if isinstance(b, complex) and b != b or b.real > a.real else a,
            "min": lambda a, b: b if isinstance(b, complex) and b != b or b.real < a.real else a,
            "div": lambda a, b: a / b,
        }[how](total, term)
    return total / len(terms) if how == "mean" else total


def replay(found, result):
    """The elements of a result, by a loop over the lists of its explanation."""
    count = math.prod(result["shape"])
    base = result["base"]
    made = [number(v) for v in found["operands"][base]["values"]] if base is not None else [None] * count
    for cell in result["cells"]:
        how, at = cell["how"], cell["at"]
        used = [source_value(found, source) for source in cell["sources"] if source["used"]]
        if how in ("copy", "last", "first"):
            assert len(used) == 1
            made[at] = used[0]
        elif how == "fill":
            assert not used
            made[at] = number(cell["value"])
        elif how == "position":
            # What is told apart from the elements: by searches, masks, or where a source stands.
            made[at] = Ellipsis
        else:
            before = [made[at] if base is not None else 0] if cell.get("with_self") else []
            made[at] = folded(how, before + used)
    return made


def same(a, b):
    return a is Ellipsis or a == b or (cmath.isnan(a) and cmath.isnan(b)) or cmath.isclose(a, b, rel_tol=1e-6)


def checked(found, result):
    """Compares an explanation with what the call gives, element by element; returns how many were replayed."""
    found = found.to_dict()
    assert found["error"] is None, found["error"]
    results = result if isinstance(result, (tuple, list)) else [result]
    arrays = [np.asarray(item) for item in results if hasattr(item, "dtype")]
    if not arrays:
        return 0
    assert len(found["results"]) == len(arrays), found["results"]
    for place, (told, array) in enumerate(zip(found["results"], arrays, strict=True)):
        assert tuple(told["shape"]) == array.shape and told["dtype"] == array.dtype.name
        want = [int(v) if isinstance(v, bool) else v for v in array.ravel().tolist()]
        assert [number(v) for v in told["values"]] == pytest.approx(want, rel=1e-6, nan_ok=True)
        made = replay(found, told)
        # Numbers that a call works out beside its first result, such as offsets, come from no element.
        if found["kind"] != "value" and (place == 0 or told["cells"]):
            assert all(v is not None for v in made), (found["operation"], made)
            assert all(map(same, made, want)), (made, want)
    return sum(len(told["cells"]) for told in found["results"])
