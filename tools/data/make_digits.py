"""Write data/digits.npy, data/labels.npy and data/order.npy from the digits that scikit-learn ships.

    python3 -m venv /tmp/digits && /tmp/digits/bin/pip install scikit-learn numpy
    /tmp/digits/bin/python tools/data/make_digits.py            # write the three files
    /tmp/digits/bin/python tools/data/make_digits.py --check    # compare them with what is checked in

Nothing in the build or the tests needs this script: it says where the bytes in data/ come from, and lets anyone
derive them again. See data/README.md for the source and its licence.
"""

import argparse
import io
import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def arrays():
    digits = load_digits()
    images = digits.images.astype(np.uint8)
    if not np.array_equal(images, digits.images):
        raise SystemExit("a pixel does not fit in uint8: the source has changed")
    labels = digits.target.astype(np.uint8)
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return {"digits.npy": images, "labels.npy": labels, "order.npy": order}


def encode(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), version=(1, 0))
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit 1 on a difference")
    check = parser.parse_args().check
    wrong = []
    for name, array in arrays().items():
        path, fresh = DATA / name, encode(array)
        if not check:
            path.write_bytes(fresh)
        elif not path.is_file() or path.read_bytes() != fresh:
            wrong.append(name)
        print(f"{name}: {array.dtype} {array.shape}, {len(fresh)} bytes")
    if wrong:
        sys.exit("differs from what scikit-learn ships: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
