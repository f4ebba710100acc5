#!/usr/bin/env python3
"""Hold takewise against a live library on random cases that nobody has recorded.

    python3 tools/record/replay.py torch 1 --scale 20

runs some 50 cases for every step of the scale (torch) through the library, with generators seeded by the number, and replays
them in takewise: values, dtype, shape, strides, on failure the class and the first line of the text. Libraries: torch,
numpy, mindspore, jax. What differs is listed in golden-failures.txt, which the test names; deliberate differences are
met here too, and not each is listed by case.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import record


def sources(library, scale):
    """The library's adapter, and generators of (name, statements)."""
    import encode

    if library == "torch":
        import torch_axis
        import torch_grad
        import torch_index
        import torch_other
        import torch_subscript

        lib = encode.Torch()
        return lib, [
            torch_subscript.random_reads(10 * scale),
            torch_subscript.random_writes(10 * scale, record.result_shape(lib)),
            torch_axis.random_gather(5 * scale),
            torch_axis.random_scatter(6 * scale),
            torch_index.random_index(8 * scale),
            torch_index.random_masked(5 * scale),
            torch_other.random_search(5 * scale),
            torch_grad.random_graphs(6 * scale),
        ]
    if library == "numpy":
        import numpy_cases

        lib = encode.NumPy()
        shape = record.result_shape(lib)
        return lib, [numpy_cases.random_subscripts(14 * scale, shape), numpy_cases.random_functions(14 * scale)]
    if library == "mindspore":
        import mindspore_cases

        return encode.MindSpore(), [mindspore_cases.random(10 * scale)]
    import jax_cases

    return encode.Jax(), [jax_cases.random(10 * scale)]


def derive(library, seed, scale, folder):
    """Write the records; runs under the interpreter that has the library."""
    import encode
    import literal

    literal.Gen.salt = f"replay {seed}"
    lib, generators = sources(library, scale)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "DIFFERS").touch()
    with open(folder / f"{library}_{seed}.jsonl", "w") as out:
        for generator in generators:
            for name, statements in generator:
                try:
                    case = encode.run(lib, f"{seed}/{name}", statements, False)
                except SyntaxError:
                    continue
                out.write(json.dumps(case, separators=(",", ":"), ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=["torch", "numpy", "mindspore", "jax"])
    parser.add_argument("seed")
    parser.add_argument("--scale", type=int, default=10)
    parser.add_argument("--derive", type=pathlib.Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.derive:
        derive(args.library, args.seed, args.scale, args.derive)
        return 0
    folder = record.ROOT / "target" / "replay" / f"{args.library}-{args.seed}"
    own = [record.python(args.library), __file__, args.library, args.seed, "--scale", str(args.scale)]
    subprocess.run([*own, "--derive", folder], check=True)
    test = ["cargo", "test", "-q", "-p", "takewise-notation", "--test", "golden", "--", "--nocapture"]
    return subprocess.run(test, cwd=record.ROOT, env={**os.environ, "TAKEWISE_RECORDS": str(folder)}).returncode


if __name__ == "__main__":
    sys.exit(main())
