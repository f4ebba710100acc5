"""Zarr arrays by index, in folders and stores: only the chunks that a call touches are read or written, each once.

>>> import pytest, numpy as np, tempfile
>>> _ = pytest.importorskip("takewise_zarr")
>>> import takewise.zarr
>>> folder = tempfile.TemporaryDirectory()
>>> x = takewise.zarr.create(folder.name, shape=(6, 5), dtype="i4", chunks=(2, 2))
>>> x[...] = np.arange(30).reshape(6, 5)
>>> x[[5, 0, -1], 1:3]
array([[26, 27],
       [ 1,  2],
       [26, 27]], dtype=int32)
>>> folder.cleanup()

The work is that of the package ``takewise-zarr``, which holds the codecs and is installed by ``pip install "takewise[zarr]"``. It is
imported when this module is first used.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

__all__ = ["create", "open"]

PIP = 'pip install "takewise[zarr]"'


def _package() -> Any:
    try:
        import takewise_zarr  # type: ignore[import-not-found]
    except ModuleNotFoundError as error:
        raise ImportError(f"takewise.zarr needs takewise-zarr, and {error.name} is not installed: {PIP}") from error
    return takewise_zarr


def __getattr__(name: str) -> Any:
    if name in ("Array", "Traffic"):
        return getattr(_package(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open(
    source: Any,
    path: str = "",
    *,
    mode: Literal["r", "r+"] = "r",
    gap: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Opens the Zarr array in a folder or a store: version 3, sharded or not, or version 2.

    Parameters
    ----------
    source : str, path, or store of zarr-python's
        The folder of the array (or of the group that it is in); its URL (http, https, s3, gs, az); or a store, such as an icechunk
        session's, one over obstore or fsspec, or in memory.
    path : str
        The path of the array in it.
    mode : {"r", "r+"}
        Read; or read and write.
    gap : int, optional
        Bytes between two chunks of a shard that are read along with them rather than asked for apart: latency times bandwidth,
        divided by the requests under way. Unless given 64 KiB for folders, 4 KiB for stores.
    options : mapping, optional
        Of the store behind a URL, as ``obstore.store.from_url`` takes them (``region``, ``endpoint``, ``client_options``, ...).

    Returns
    -------
    takewise_zarr.Array
        With NumPy's subscripts, ``oindex``, ``vindex``, ``at``, ``take``, ``take_along_axis``, ``gather_nd``, ``put``,
        ``put_along_axis``, ``scatter``, ``scatter_add`` and ``scatter_reduce``.

    Raises
    ------
    ImportError
        If takewise-zarr is not installed.
    OSError
        For what is missing or cannot be read.
    NotImplementedError
        For what is not supported, by name: strings of any length, objects and records, unknown codecs and grids, groups.

    Examples
    --------
    >>> import pytest, tempfile
    >>> _ = pytest.importorskip("takewise_zarr")
    >>> import takewise.zarr
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = takewise.zarr.create(folder.name, "a", shape=(100, 100), dtype="f4", chunks=(5, 5), shards=(50, 50), fill_value=2)
    >>> x = takewise.zarr.open(folder.name, "a")
    >>> x.shape, x.dtype, x.chunks, x.shards
    ((100, 100), dtype('float32'), (5, 5), (50, 50))
    >>> x[[99, 0], [7, 7]]
    array([2., 2.], dtype=float32)
    >>> folder.cleanup()
    """
    return _package().open(source, path, mode=mode, gap=gap, options=options)


def create(
    source: Any,
    path: str = "",
    *,
    shape: Sequence[int] | int,
    dtype: Any,
    chunks: Sequence[int] | int,
    shards: Sequence[int] | int | None = None,
    compressor: Literal["zstd", "gzip", "blosc"] | None = "zstd",
    level: int | None = None,
    fill_value: Any = 0,
    zarr_format: Literal[2, 3] = 3,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Makes a Zarr array in a folder or a store, and opens it for reading and writing. Nothing but the metadata is written.

    Parameters
    ----------
    source, path :
        As in :func:`open`. The folder is made if it is not there. One that holds an array or a group already is refused.
    shape, dtype :
        Extents, and a dtype of numbers.
    chunks :
        Extents of what is compressed, read and written at a time.
    shards : optional
        Extents of files that hold several chunks each: multiples of those of the chunks. Version 3 only.
    compressor : {"zstd", "gzip", "blosc", None}
        Blosc is that of LZ4 on shuffled bytes.
    level : int, optional
        Of the compressor. Unless given 1 for Zstandard, 5 for the others.
    fill_value :
        The number where nothing was written.
    zarr_format : {2, 3}
        The version of the format.
    options : mapping, optional
        As in :func:`open`.

    Raises
    ------
    ImportError
        If takewise-zarr is not installed.
    ValueError
        For extents that do not go together, and what version 2 cannot say (shards, bfloat16).
    OSError
        For a folder that holds an array already, and what the system refuses.

    Examples
    --------
    >>> import pytest, tempfile
    >>> _ = pytest.importorskip("takewise_zarr")
    >>> import takewise.zarr
    >>> folder = tempfile.TemporaryDirectory()
    >>> x = takewise.zarr.create(folder.name, shape=8, dtype="f8", chunks=3, fill_value=float("nan"))
    >>> x[[2, 3, 2]] = [4, 5, 6]
    >>> x[...]
    array([nan, nan,  6.,  5., nan, nan, nan, nan])
    >>> folder.cleanup()
    """
    return _package().create(
        source,
        path,
        shape=shape,
        dtype=dtype,
        chunks=chunks,
        shards=shards,
        compressor=compressor,
        level=level,
        fill_value=fill_value,
        zarr_format=zarr_format,
        options=options,
    )
