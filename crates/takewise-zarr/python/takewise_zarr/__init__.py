"""Zarr arrays by index: only the chunks that an index touches are read, each once, and written, each once.

>>> import numpy as np, tempfile, takewise_zarr
>>> folder = tempfile.TemporaryDirectory()
>>> x = takewise_zarr.create(folder.name, shape=(6, 5), dtype="i4", chunks=(2, 2))
>>> x[...] = np.arange(30).reshape(6, 5)
>>> x[[5, 0, -1], 1:3]
array([[26, 27],
       [ 1,  2],
       [26, 27]], dtype=int32)
>>> x[[5, 0, 5], 1] = [7, 8, 9]
>>> x.at[[5, 5], 2].add_(100)
>>> x[-1]
array([ 25,   9, 227,  28,  29], dtype=int32)
>>> folder.cleanup()
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from takewise_zarr import _zarr
from takewise_zarr._array import Array, Traffic, opened, place
from takewise_zarr._zarr import __version__

__all__ = ["Array", "Traffic", "__version__", "create", "open"]


def open(
    source: Any,
    path: str = "",
    *,
    mode: Literal["r", "r+"] = "r",
    gap: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Array:
    """Opens the Zarr array in a folder or a store: version 3, sharded or not, or version 2.

    Parameters
    ----------
    source : str, path, or store of zarr-python's
        The folder of the array (or of the group that it is in), ``~`` and ``file://`` included; its URL (http, https, s3, gs, az), for which the packages obstore
        and zarr are needed; or a store, such as an icechunk session's, one over obstore or fsspec, or in memory.
    path : str
        The path of the array in it.
    mode : {"r", "r+"}
        Read; or read and write.
    gap : int
        Bytes between two chunks of a shard that are read along with them rather than asked for apart: latency times bandwidth,
        divided by the requests under way. Unless given 64 KiB for folders, 4 KiB for stores.
    options : mapping, optional
        Of the store behind a URL, as ``obstore.store.from_url`` takes them (``region``, ``endpoint``, ``client_options``, ...).

    Raises
    ------
    OSError
        For what is missing or cannot be read.
    NotImplementedError
        For what is not supported, by name: strings of any length, objects and records, unknown codecs and grids, groups. Codecs
        of numcodecs that are not built in are asked of that package, if it is installed; such chunks are decoded whole.

    Examples
    --------
    >>> import tempfile, takewise_zarr
    >>> folder = tempfile.TemporaryDirectory()
    >>> takewise_zarr.create(folder.name, shape=(1000, 1000), dtype="f4", chunks=(50, 50), shards=(500, 500)).shards
    (500, 500)
    >>> x = takewise_zarr.open(folder.name)
    >>> x.shape, x.dtype, x.chunks
    ((1000, 1000), dtype('float32'), (50, 50))
    >>> x[0, [7, 1234]]
    Traceback (most recent call last):
    ...
    takewise.exceptions.IndexError: index: index 1234 is out of bounds for axis 1 with size 1000 (position [1] of the index)
    >>> folder.cleanup()
    """
    return opened(source, path, gap, mode, options)


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
) -> Array:
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
    ValueError
        For extents that do not go together, and what version 2 cannot say (shards, bfloat16).
    OSError
        For a folder that holds an array already, and what the system refuses.

    Examples
    --------
    >>> import tempfile, takewise_zarr
    >>> folder = tempfile.TemporaryDirectory()
    >>> x = takewise_zarr.create(folder.name, shape=8, dtype="f8", chunks=3, fill_value=float("nan"))
    >>> x[2:4] = 5
    >>> x[...]
    array([nan, nan,  5.,  5., nan, nan, nan, nan])
    >>> folder.cleanup()
    """
    dtype = np.dtype(dtype)

    def extents(given: Sequence[int] | int) -> list[int]:
        return [int(given)] if isinstance(given, (int, np.integer)) else [int(n) for n in given]

    if compressor not in ("zstd", "gzip", "blosc", None):
        raise ValueError(f"compressor is 'zstd', 'gzip', 'blosc' or None, not {compressor!r}")
    level = {"zstd": 1}.get(compressor or "", 5) if level is None else level
    native = dtype.newbyteorder("=")
    _zarr.create(
        place(source, path, options)[0],
        extents(shape),
        native.name,
        extents(chunks),
        None if shards is None else extents(shards),
        compressor,
        level,
        np.asarray(fill_value, native).tobytes(),
        zarr_format,
    )
    return open(source, path, mode="r+", options=options)
