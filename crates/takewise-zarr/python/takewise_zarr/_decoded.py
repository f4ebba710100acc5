"""Arrays whose codecs the extension lacks: their chunks are decoded and encoded by the package numcodecs, as zarr-python does it.

The extension is shown a store in which they are not encoded: metadata without those codecs, and chunks that are elements.
"""

import importlib
import json
import os
import uuid
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from takewise_zarr import _zarr
from takewise_zarr._keys import dtype_of

# Codecs of elements of a fixed size. Others of numcodecs run code that a file brings, or are of elements without one.
_KNOWN = (
    "adler32 astype bitround blosc bz2 crc32 crc32c delta fixedscaleoffset fletcher32 gzip jenkins_lookup3 lz4 lzma packbits quantize shuffle "
    "zlib zstd"
).split()

Fetch = Callable[[list[tuple[str, int | None, int | None]]], list[Any]]
Replace = Callable[[list[tuple[str, bytes | None]]], None]


class Folder:
    """A folder as a store."""

    def __init__(self, root: str) -> None:
        self._root = root

    def fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        """The whole of each value that is wanted, ``None`` for one that is not there, or an exception."""
        return [self._value(key) for key, _, _ in wants]

    def _value(self, key: str) -> Any:
        try:
            with open(os.path.join(self._root, key), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return error

    def replace(self, changes: list[tuple[str, bytes | None]]) -> None:
        """Replaces files, or takes them away: all new ones are written beside the old ones first."""
        made: list[tuple[str, str]] = []
        try:
            for key, value in changes:
                if value is None:
                    continue
                path = os.path.join(self._root, key)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                name = f"{path}.{uuid.uuid4().hex}.partial"
                with open(name, "xb") as file:
                    made.append((name, path))
                    file.write(value)
            while made:
                os.replace(*made[0])
                made.pop(0)
        finally:
            for name, _ in made:
                os.unlink(name)
        for key, value in changes:
            if value is None:
                try:
                    os.unlink(os.path.join(self._root, key))
                except FileNotFoundError:
                    pass


class Decoded:
    """A store with an array in it, shown as if its chunks were not encoded."""

    def __init__(self, name: str, fetch: Fetch, replace: Replace, path: str, file: str, document: bytes) -> None:
        self._name, self._fetch, self._replace = name, fetch, replace
        self._file = f"{path}/{file}" if path else file
        plain, filters, codecs, self._order = _plain(json.loads(document), file)
        self._document = json.dumps(plain).encode()
        numcodecs = importlib.import_module("numcodecs")
        self._filters = [numcodecs.get_codec(codec) for codec in filters]
        self._codecs = [numcodecs.get_codec(codec) for codec in codecs]
        self._dtype: np.dtype[Any] = np.dtype(np.uint8)

    def opened(self, gap: int | None) -> _zarr.Array:
        """The array in the store. The extension says what its elements are."""
        path = self._file.rpartition("/")[0]
        array = _zarr.Array((self._name, self.fetch, self.replace, path), gap)
        self._dtype = dtype_of(array.dtype).newbyteorder(self._order)
        return array

    def fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        """See :meth:`takewise_zarr._stores.Calls.fetch`. A chunk of which several parts are wanted is decoded once."""
        keys = list(dict.fromkeys(key for key, _, _ in wants))
        values = dict(zip(keys, self._fetch([(key, None, None) for key in keys]), strict=True))
        shown = {key: self._shown(key, value) for key, value in values.items()}
        return [_part(shown[key], start, length) for key, start, length in wants]

    def _shown(self, key: str, value: Any) -> Any:
        if key == self._file:
            return self._document
        if isinstance(value, tuple):
            return self._shown(key, value[0]), value[1]
        # Keys of the format, and of the one that it is not.
        if not isinstance(value, bytes) or key.endswith((".json", ".zarray", ".zgroup", ".zattrs")):
            return value
        try:
            for codec in reversed(self._codecs):
                value = codec.decode(value)
            for codec in reversed(self._filters):
                value = codec.decode(value)
            return np.ascontiguousarray(value).tobytes() if isinstance(value, np.ndarray) else bytes(value)
        except Exception as error:
            return OSError(f"{key}: is damaged: {type(error).__name__}: {error}")

    def replace(self, changes: list[tuple[str, bytes | None]]) -> None:
        """See :meth:`takewise_zarr._stores.Calls.replace`."""
        self._replace([(key, None if value is None else self._encoded(value)) for key, value in changes])

    def _encoded(self, value: bytes) -> bytes:
        chunk: Any = np.frombuffer(value, self._dtype)
        for codec in (*self._filters, *self._codecs):
            chunk = codec.encode(chunk)
        return np.ascontiguousarray(chunk).tobytes() if isinstance(chunk, np.ndarray) else bytes(chunk)


def _part(value: Any, start: int | None, length: int | None) -> Any:
    if isinstance(value, tuple):
        return _part(value[0], start, length), value[1]
    if not isinstance(value, bytes) or length is None:
        return value
    return value[-length:] if start is None else value[start : start + length]


def _plain(document: Any, file: str) -> tuple[Any, list[Any], list[Any], Literal["<", ">"]]:
    """Metadata without codecs; the filters and compressors that they name; and the byte order of the elements."""
    if file == ".zarray":
        filters, codecs = document.get("filters") or [], [document["compressor"]] if document.get("compressor") else []
        return document | {"filters": None, "compressor": None}, _known(filters), _known(codecs), ">" if document["dtype"].startswith(">") else "<"
    before: list[Any] = []
    filters, codecs, order = [], [], None
    for codec in document["codecs"]:
        name, how = (codec, {}) if isinstance(codec, str) else (codec["name"], codec.get("configuration") or {})
        if name == "transpose" and not filters and order is None:
            before.append(codec)
        elif name == "bytes" and order is None and how.get("endian", "little") == "little":
            order = codec
        elif name.startswith("numcodecs."):
            (filters if order is None else codecs).append({"id": name.removeprefix("numcodecs."), **how})
        elif order is not None and name in ("gzip", "zlib", "zstd", "crc32c"):
            codecs.append({"id": name, **how})
        elif order is not None and name == "blosc":
            shuffle = ("noshuffle", "shuffle", "bitshuffle").index(how["shuffle"])
            codecs.append({"id": name, "cname": how["cname"], "clevel": how["clevel"], "shuffle": shuffle, "blocksize": how.get("blocksize", 0)})
        else:
            raise NotImplementedError(f"the codec {name!r} is not known here beside those of numcodecs")
    if order is None:
        raise NotImplementedError("no codec makes bytes of the elements")
    return document | {"codecs": [*before, order]}, _known(filters), _known(codecs), "<"


def _known(codecs: list[Any]) -> list[Any]:
    for codec in codecs:
        if codec["id"] not in _KNOWN:
            raise NotImplementedError(f"the codec {codec['id']!r} is not known here")
    return codecs


def opened(where: Any, gap: int | None, refused: NotImplementedError) -> _zarr.Array:
    """The array at a place, which the extension has refused, shown to it decoded. Raises what it has raised where that is no help."""
    if isinstance(where, tuple):
        name, fetch, replace, path = where
    else:
        store = Folder(where)
        name, fetch, replace, path = where, store.fetch, store.replace, ""
    for file in ("zarr.json", ".zarray"):
        key = f"{path}/{file}" if path else file
        (document,) = fetch([(key, None, None)])
        document = document[0] if isinstance(document, tuple) else document
        if document is None:
            continue
        if not isinstance(document, bytes):
            raise OSError(f"{name}/{key}: {type(document).__name__}: {document}") from document
        try:
            return Decoded(name, fetch, replace, path, file, document).opened(gap)
        except OSError:
            # The store has failed.
            raise
        except Exception:
            # What is wrong with it was said of the document as it is.
            break
    raise refused
