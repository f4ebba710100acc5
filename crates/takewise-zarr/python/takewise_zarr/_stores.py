"""Stores of zarr-python's, asked for many things by one call."""

import asyncio
import os
from collections.abc import Mapping
from typing import Any


class Calls:
    """What the extension calls of a store. All requests of one call are under way together, on zarr-python's own loop."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        """Bytes of (key, start, length), ``None`` for a key that is not there, or an exception."""
        from zarr.core.sync import sync

        return sync(self._fetch(wants))

    def replace(self, changes: list[tuple[str, bytes | None]]) -> None:
        """Replaces the values of keys, or takes the keys away."""
        from zarr.core.sync import sync

        sync(self._replace(changes))

    def finish(self, well: bool) -> None:
        """Told when a write has ended, and whether all of it went well. Nothing was kept back."""

    async def _fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        from zarr.abc.store import RangeByteRequest, SuffixByteRequest
        from zarr.core.buffer import default_buffer_prototype

        prototype = default_buffer_prototype()
        # A store may be opened by whoever uses it first. Requests that come together would all do so.
        await self._store._ensure_open()

        async def one(key: str, start: int | None, length: int | None) -> bytes | None:
            asked: Any = None
            if length is not None:
                asked = SuffixByteRequest(length) if start is None else RangeByteRequest(start, start + length)
            try:
                found = await self._store.get(key, prototype, asked)
            except (FileNotFoundError, KeyError):
                return None
            return None if found is None else found.to_bytes()

        return await asyncio.gather(*(one(*want) for want in wants), return_exceptions=True)

    async def _replace(self, changes: list[tuple[str, bytes | None]]) -> None:
        from zarr.core.buffer import default_buffer_prototype

        buffer = default_buffer_prototype().buffer
        await self._store._ensure_open()

        async def one(key: str, value: bytes | None) -> None:
            if value is not None:
                await self._store.set(key, buffer.from_bytes(value))
                return
            try:
                await self._store.delete(key)
            except (FileNotFoundError, KeyError):
                pass

        # All have ended before a failure is told: what is still under way would overwrite what is written next.
        answers = await asyncio.gather(*(one(*change) for change in changes), return_exceptions=True)
        for (key, _), error in zip(changes, answers, strict=True):
            if error is not None:
                raise OSError(f"{key}: {type(error).__name__}: {error}") from error


class Objects(Calls):
    """The same of a store of obstore's, which tells the states of a value apart: its indexes of shards are kept."""

    # The process that has used obstore. Its threads stay with that one, and a child would wait for them for ever.
    _process: int | None = None

    def fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        """See :meth:`Calls.fetch`."""
        self._here()
        return super().fetch(wants)

    def replace(self, changes: list[tuple[str, bytes | None]]) -> None:
        """See :meth:`Calls.replace`."""
        self._here()
        super().replace(changes)

    @staticmethod
    def _here() -> None:
        if Objects._process is None:
            Objects._process = os.getpid()
        if Objects._process != os.getpid():
            raise OSError(
                "obstore was used before this process was forked, and its threads are not here: "
                "start processes by 'spawn' or 'forkserver', or before a store is opened"
            )

    async def _fetch(self, wants: list[tuple[str, int | None, int | None]]) -> list[Any]:
        import obstore

        async def one(key: str, start: int | None, length: int | None) -> tuple[bytes, str | None] | None:
            options: Any = None
            if length is not None:
                options = {"range": {"suffix": length} if start is None else (start, start + length)}
            try:
                found = await obstore.get_async(self._store.store, key, options=options)
            except FileNotFoundError:
                return None
            except Exception:
                # A range past the end of what has become shorter: it is of another state than was thought.
                about = await obstore.head_async(self._store.store, key)
                if start is None or length is None or start + length <= about["size"]:
                    raise
                return b"", about["e_tag"]
            return bytes(await found.bytes_async()), found.meta["e_tag"]

        return await asyncio.gather(*(one(*want) for want in wants), return_exceptions=True)


def calls(store: Any) -> Calls:
    """What is called of a store."""
    objects = type(store).__module__ == "zarr.storage._obstore" and type(store).__name__ == "ObjectStore"
    return Objects(store) if objects else Calls(store)


def behind(url: str, options: Mapping[str, Any] | None) -> Any:
    """The store behind a URL: Rust's object_store, by the package obstore."""
    scheme = url.partition("://")[0]
    if scheme not in ("http", "https", "s3", "gs", "az"):
        raise NotImplementedError(f"stores behind {scheme}:// are not known here, only those behind http, https, s3, gs and az")
    try:
        from obstore.store import from_url
        from zarr.storage import ObjectStore
    except ModuleNotFoundError as error:
        wanted = f'{error.name} is not installed: pip install "takewise-zarr[remote]"'
        raise ImportError(f"what lies behind {scheme}:// is read by obstore and zarr, and {wanted}") from error
    chosen = dict(options or {})
    if scheme == "http":
        # Whoever writes http:// has asked for it.
        chosen["client_options"] = {"allow_http": True, **chosen.get("client_options", {})}
    return ObjectStore(from_url(url.rstrip("/"), **chosen))


def folder(store: Any) -> str | None:
    """The folder that a store is, which the extension reads itself; ``None`` for all others."""
    local = type(store).__module__ == "zarr.storage._local" and type(store).__name__ == "LocalStore"
    return os.fspath(store.root) if local else None


def found(source: Any) -> tuple[Any, str] | None:
    """A store of zarr-python's and a path in it, of an array, a path in a store, or a store; ``None`` for all else."""
    source = getattr(source, "store_path", source)
    if hasattr(source, "store") and hasattr(source, "path"):
        return source.store, source.path
    return (source, "") if hasattr(source, "get_partial_values") else None
