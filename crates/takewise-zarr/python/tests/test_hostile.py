"""Metadata that nobody should have written: an error that names the file and the field, in little time and memory, or an answer."""

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import time

import numpy as np
import pytest
import takewise_zarr

STORES = {
    "plain": {"zarr_format": 3},
    "sharded": {"zarr_format": 3, "shards": (4, 4)},
    "second": {"zarr_format": 2},
    "filled": {"zarr_format": 3, "fill_value": 7, "compressor": "gzip"},
    "bare": {"zarr_format": 3, "compressor": None},
}
ODD = [None, -1, 0, 1.5, 2**31, 2**62, 2**63, 2**64, 1e308, True, "", "x", "../../x", [], [-1, 2], [2**62, 2**62], [0, 0], [1] * 40, {}, {"name": "x"}]
REFUSED = (OSError, ValueError, NotImplementedError, IndexError, TypeError, MemoryError)


def fields(value, path=()):
    """Every field of metadata, however deep, by its path."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield from fields(one, (*path, name))


def changed(value, path, new):
    """A copy of metadata with another value of a field, or without the field."""
    value = json.loads(json.dumps(value))
    within = value
    for name in path[:-1]:
        within = within[name]
    if new is fields:
        del within[path[-1]]
    else:
        within[path[-1]] = new
    return value


def mutations(whole):
    """Metadata as bytes, and the names of the field that is wrong in them, if it is one."""
    known, random_one = json.loads(whole), random.Random(5)
    for path in fields(known):
        for odd in [fields, *ODD]:
            yield json.dumps(changed(known, path, odd)).encode(), [name for name in path if isinstance(name, str)]
    for _ in range(300):
        made = bytearray(whole)
        for _ in range(random_one.randint(1, 3)):
            made[random_one.randrange(len(made))] = random_one.choice([random_one.randrange(256), *b'"[]{},:0-'])
        yield bytes(made), []
    for made in (b"", b"[" * 100_000, b'{"a":' * 100_000, whole[: len(whole) // 2], b'"' * 50_000, b"NaN" * 30_000, b"\\" * 5000):
        yield made, []


def words(path):
    """The names of a field and of those that it is in, as messages may have them."""
    return [form for part in path for form in (part, part.removesuffix("s"), part.replace("_", " "), part.replace("compressor", "codec"))]


def attack(folder):
    """Opens and reads what was made of each store; what was said, if it names nothing."""
    bad, slowest = [], 0.0
    for name in STORES:
        place = pathlib.Path(folder) / name
        file = next(file for file in (place / "zarr.json", place / ".zarray") if file.exists())
        whole = file.read_bytes()
        for made, path in mutations(whole):
            file.write_bytes(made)
            begun = time.perf_counter()
            try:
                x = takewise_zarr.open(place)
                x[(0,) * x.ndim], x[(-1,) * x.ndim]
                x.take([0]), x.size, repr(x)
                x.take_along_axis(np.zeros((1,) * x.ndim, int), 0) if x.ndim and x.size < 1 << 20 else None
            except REFUSED as error:
                said = str(error)
                # Of codecs that were not the chunk's, the chunk is named.
                chunk = str(place / "c") in said or "cannot be decoded" in said
                named = str(place) in said and (chunk or not path or any(part in said for part in words(path)))
                if not named and not isinstance(error, (IndexError, MemoryError)):
                    bad.append((name, path, said, made[:200]))
            slowest = max(slowest, time.perf_counter() - begun)
        file.write_bytes(whole)
    return bad, slowest


def test_metadata_are_refused_by_name(tmp_path):
    for name, how in STORES.items():
        x = takewise_zarr.create(tmp_path / name, shape=(6, 5), dtype="i4", chunks=(2, 2), **how)
        x[:4, :] = np.arange(20).reshape(4, 5) + 1
    program = f"""
import resource, sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_hostile
before = int(open('/proc/self/statm').read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (before + (3 << 30),) * 2)
bad, slowest = test_hostile.attack({str(tmp_path)!r})
print(*bad, sep="\\n")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, round(slowest, 2))
sys.exit(bool(bad))
"""
    env = {**os.environ, "TAKEWISE_NUM_THREADS": "2"}
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=env)
    assert ended.returncode == 0, (ended.stdout[-3000:], ended.stderr[-3000:])
    mebibytes, slowest = ended.stdout.split()[-2:]
    assert int(mebibytes) < 1024 and float(slowest) < 5, ended.stdout


def test_keys_and_paths_stay_within_the_array(tmp_path):
    takewise_zarr.create(tmp_path / "a", shape=4, dtype="u1", chunks=4, compressor=None)[...] = [1, 2, 3, 4]
    (tmp_path / "secret").write_bytes(b"\x09" * 4)
    file = tmp_path / "a" / "zarr.json"
    known = json.loads(file.read_text())
    for name in ("suffix", "default_suffix", "zarrs.default_suffix", "https://codec.zarrs.dev/chunk_key_encoding/default_suffix"):
        known["chunk_key_encoding"] = {"name": name, "configuration": {"suffix": "/../../../secret"}}
        file.write_text(json.dumps(known))
        with pytest.raises((OSError, NotImplementedError), match="chunk.key.encoding"):
            takewise_zarr.open(tmp_path / "a")[...]
    for path in ("../a", "x/../../secret", ".."):
        with pytest.raises(ValueError, match="leads out"):
            takewise_zarr.open(tmp_path / "a", path)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_links_in_a_circle_are_an_error(tmp_path):
    takewise_zarr.create(tmp_path / "a", shape=4, dtype="u1", chunks=2)[...] = [1, 2, 3, 4]
    chunk = tmp_path / "a" / "c" / "0"
    chunk.unlink()
    chunk.symlink_to(chunk)
    x = takewise_zarr.open(tmp_path / "a")
    assert x[3] == 4
    with pytest.raises(OSError, match="c/0"):
        x[0]
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(OSError, match="round"):
        takewise_zarr.open(tmp_path / "round")
