"""Arrays whose codecs the extension lacks: their chunks are decoded and encoded by the package numcodecs, as zarr-python does it.

The extension is shown a store in which they are not encoded: metadata without those codecs, and chunks that are elements.
"""

import contextlib
import importlib
import json
import os
import uuid
from typing import Any, Literal, Protocol

import numpy as np

from takewise_zarr import _zarr
from takewise_zarr._keys import dtype_of

# Codecs of elements of a fixed size. Others of numcodecs run code that a file brings, or are of elements without one.
_KNOWN = (
    "adler32 astype bitround blosc bz2 crc32 crc32c delta fixedscaleoffset fletcher32 gzip jenkins_lookup3 lz4 lzma packbits quantize shuffle "
    "zlib zstd"
).split()


class Stored(Protocol):
    """A store as the extension asks it; see :class:`takewise_zarr._stores.Calls`."""

    def fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]: ...

    def replace(self, changes: list[tuple[str, bytes | None]]) -> None: ...

    def finish(self, well: bool) -> None: ...


class Folder:
    """A folder as a store. What a write changes takes its place when all of it is written beside the old files."""

    def __init__(self, root: str) -> None:
        self._root = root
        # Files to be replaced, each with what was written for it; or with nothing, if it goes.
        self._changes: list[tuple[str, str | None]] = []

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
        """Writes what files are to hold beside them."""
        for key, value in changes:
            path = os.path.join(self._root, key)
            written = None if value is None else f"{path}.{uuid.uuid4().hex}.partial"
            # It is told before it is there, so that a part of it is removed too.
            self._changes.append((path, written))
            if written is not None and value is not None:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(written, "xb") as file:
                    file.write(value)

    def finish(self, well: bool) -> None:
        """Lets everything take its place, or removes it. An error leaves what has taken it before."""
        try:
            while well and self._changes:
                path, written = self._changes[-1]
                if written is not None:
                    os.replace(written, path)
                else:
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(path)
                self._changes.pop()
        finally:
            for _, written in self._changes:
                if written is not None:
                    with contextlib.suppress(OSError):
                        os.unlink(written)
            self._changes = []


class Decoded:
    """A store with an array in it, shown as if its chunks were not encoded."""

    def __init__(self, name: str, store: Stored, path: str, file: str, document: bytes) -> None:
        self._name, self._store = name, store
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
        array = _zarr.Array((self._name, self, path), gap)
        self._dtype = dtype_of(array.dtype).newbyteorder(self._order)
        return array

    def fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        """See :meth:`takewise_zarr._stores.Calls.fetch`. A chunk of which several parts are wanted is decoded once."""
        keys = list(dict.fromkeys(key for key, _, _ in wants))
        values = dict(zip(keys, self._store.fetch([(key, None, None) for key in keys]), strict=True))
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
        self._store.replace([(key, None if value is None else self._encoded(value)) for key, value in changes])

    def finish(self, well: bool) -> None:
        """See :meth:`takewise_zarr._stores.Calls.finish`."""
        self._store.finish(well)

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
    name, store, path = where if isinstance(where, tuple) else (where, Folder(where), "")
    for file in ("zarr.json", ".zarray"):
        key = f"{path}/{file}" if path else file
        (document,) = store.fetch([(key, None, None)])
        document = document[0] if isinstance(document, tuple) else document
        if document is None:
            continue
        if not isinstance(document, bytes):
            raise OSError(f"{name}/{key}: {type(document).__name__}: {document}") from document
        try:
            return Decoded(name, store, path, file, document).opened(gap)
        except OSError:
            # The store has failed.
            raise
        except Exception:
            # What is wrong with it was said of the document as it is.
            break
    raise refused
