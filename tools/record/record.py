#!/usr/bin/env python3
"""Record the frozen reference cases from the real libraries.

    python3 tools/record/record.py                 install the libraries if needed and rewrite every golden file
    python3 tools/record/record.py --check         derive everything again and report any difference
    python3 tools/record/record.py --only torch    one library

The libraries go into `.venv-record` and `.venv-record-mindspore` at the root of the repository, at the versions in
requirements.txt and requirements-mindspore.txt. Every file
under crates/takewise-notation/tests/golden is written by this script and by nothing else; see README.md for their form.
"""

import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOLDEN = ROOT / "crates" / "takewise-notation" / "tests" / "golden"
LIBRARIES = ["torch", "numpy", "mindspore", "jax", "onnx"]


def python(library):
    """The interpreter that has the library, made on first use. MindSpore needs an older NumPy, so it lives apart."""
    suffix = "-mindspore" if library == "mindspore" else ""
    venv = pathlib.Path(os.environ.get("TAKEWISE_RECORD_VENV", str(ROOT / ".venv-record")) + suffix)
    exe = venv / "bin" / "python"
    if not exe.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([exe, "-m", "pip", "install", "-q", "-r", HERE / f"requirements{suffix}.txt"], check=True)
    return exe


def result_shape(lib):
    """A function that runs a read and tells the shape of its result, or None where it fails."""
    import encode

    def shape(statements):
        record = encode.run(lib, "shape", statements, texts=False)
        return tuple(record["shape"]) if "shape" in record else None

    return shape


def generate(library):
    """Pairs of (file name, record) for one library, in a fixed order."""
    import encode

    if library == "onnx":
        import onnx_cases

        yield from (("onnx", r) for r in onnx_cases.records())
        return
    if library == "torch":
        import torch_axis
        import torch_grad
        import torch_index
        import torch_other
        import torch_subscript

        lib = encode.Torch()
        sources = [
            torch_subscript.cases(result_shape(lib)),
            torch_axis.cases(),
            torch_index.cases(),
            torch_other.cases(),
            torch_grad.cases(),
        ]
        files = {"read": "subscript", "write": "subscript"}
    elif library == "numpy":
        import numpy_cases

        lib = encode.NumPy()
        sources, files = [numpy_cases.cases(result_shape(lib))], {}
    elif library == "mindspore":
        import mindspore_cases

        lib = encode.MindSpore()
        sources, files = [mindspore_cases.cases()], {}
    else:
        import jax_cases

        lib = encode.Jax()
        sources, files = [jax_cases.cases()], {}
    seen = set()
    for source in sources:
        for case_id, statements in source:
            family = case_id.split("/")[0]
            if case_id in seen:
                raise SystemExit(f"two cases are named {case_id}")
            seen.add(case_id)
            yield (
                f"{library}_{files.get(family, family)}",
                encode.run(lib, case_id, statements, True if family == "display" else None),
            )


def record(library, into):
    """Runs inside the libraries' interpreter: write one library's files."""
    files = {}
    for name, entry in generate(library):
        files.setdefault(name, []).append(
            json.dumps(entry, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        )
    for name, lines in files.items():
        (into / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}.jsonl: {len(lines)} cases", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="compare with the files on disk instead of rewriting them"
    )
    parser.add_argument("--only", choices=LIBRARIES, action="append", help="this library alone; may be repeated")
    parser.add_argument("--inside", nargs=2, metavar=("LIBRARY", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        record(args.inside[0], pathlib.Path(args.inside[1]))
        return 0
    import tempfile

    GOLDEN.mkdir(parents=True, exist_ok=True)
    differences = 0
    for library in args.only or LIBRARIES:
        with tempfile.TemporaryDirectory() as scratch:
            env = os.environ | {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "GLOG_v": "4"}
            subprocess.run([python(library), __file__, "--inside", library, scratch], check=True, env=env)
            new = {p.name: p.read_text(encoding="utf-8") for p in pathlib.Path(scratch).iterdir()}
        stale = {p.name for p in GOLDEN.glob(f"{library}*.jsonl")} - set(new)
        for name, text in sorted(new.items()):
            path = GOLDEN / name
            old = path.read_text(encoding="utf-8") if path.exists() else ""
            if args.check and old != text:
                for line in difflib.unified_diff(
                    old.splitlines(), text.splitlines(), name, "derived now", lineterm="", n=0
                ):
                    print(line[:300])
                    differences += 1
            elif not args.check:
                path.write_text(text, encoding="utf-8")
        for name in sorted(stale):
            print(f"{name}: no case belongs to it any more")
            differences += 1
            if not args.check:
                (GOLDEN / name).unlink()
    return 1 if args.check and differences else 0


if __name__ == "__main__":
    sys.exit(main())
