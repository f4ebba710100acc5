"""Arrays that lie in files: read where they are asked for, written in place where they may be."""

import inspect
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, overload

from takewise import _takewise
from takewise._ahead import Ahead, begin
from takewise._outside import Outside

if TYPE_CHECKING:
    import numpy as np

    from takewise._joined import JoinedArray
    from takewise._table import TableArray

Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class Kept(NamedTuple):
    """Rows of a file that are kept in memory (``cache=`` of :func:`takewise.open`)."""

    hits: int
    misses: int
    bytes: int
    most: int


class _Indexer:
    """What ``x.oindex`` and ``x.vindex`` give: subscript it."""

    __slots__ = ("_file", "_how")

    def __init__(self, file: "FileArray", how: str) -> None:
        self._file = file
        self._how = how

    def __getitem__(self, key: Any) -> Any:
        return self._file._get(self._how, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._file._stored(self._how, key, value)

    def prefetch(self, key: Any) -> Ahead:
        """Begins to read ``[key]``, and does not wait. See :meth:`FileArray.prefetch`."""
        return begin(self.__getitem__, key)


class FileArray(_takewise._File, Outside):
    """An array that lies in a file, of which calls read what they need. :func:`takewise.open` makes them.

    Subscripts follow NumPy's rules and give NumPy arrays in memory of their own. A call that touches less than a quarter of
    the file's pages asks for those pages alone: sorted, neighbours in one request, many requests at a time, straight into
    the result. Any other goes through a mapping, with the system's reading ahead. Results are the same.

    Every function of ``takewise`` takes such an array where it takes NumPy's, and writes into it where it was opened with
    ``mode="r+"``. Operators and NumPy's functions of elements do what they do to arrays, on what they read: ``x != 0`` is an
    array of bools, and ``x += 1`` writes the file. As NumPy's arrays, these have no hash. A call with a bad index writes
    nothing. A file that is cut short while it is in use is an ``OSError``.

    Pages that are in memory already are copied from there, and not asked for. A ``DataLoader`` of PyTorch's reads a batch by one
    call. An array is pickled as its path and how it was opened, so worker processes open the file for themselves. It is an
    ``OSError`` if the file was changed by then. Dask's name for it (``tokenize``) follows the file's time and size.

    >>> import numpy as np, pathlib, takewise, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "table.npy"
    >>> np.save(path, np.arange(12).reshape(3, 4))
    >>> with takewise.open(path, mode="r+") as x:
    ...     x[[2, 0], 1:3]
    ...     x.oindex[[2, 0], [3, 1]]
    ...     x[x[:, 0] > 3, -1] = 0
    ...     x.flush()
    array([[ 9, 10],
           [ 1,  2]])
    array([[11,  9],
           [ 3,  1]])
    >>> np.load(path)
    array([[ 0,  1,  2,  3],
           [ 4,  5,  6,  0],
           [ 8,  9, 10,  0]])
    >>> folder.cleanup()
    """

    __slots__ = ("_again", "_mode", "_name", "_path", "_torch")

    _again: dict[str, Any]
    _mode: Literal["r", "r+", "c"]
    _name: str | None
    _path: str
    _torch: bool

    def __new__(
        cls,
        path: Path,
        name: str | None = None,
        *,
        mode: Literal["r", "r+", "c"] = "r",
        dtype: Any = None,
        shape: int | Sequence[int] | None = None,
        like: Literal["numpy", "torch"] = "numpy",
        cache: int | str | None = None,
    ) -> Self:
        """As :func:`takewise.open`."""
        extents = [operator.index(shape)] if hasattr(shape, "__index__") else shape if shape is None else list(shape)  # type: ignore[arg-type]
        kept = None if cache is None else _bytes(cache)
        self = super().__new__(cls, os.fsdecode(path), name, mode, dtype, extents, like)
        if kept is not None:
            self._keep(kept)
        self._path, self._name, self._mode, self._torch = os.fsdecode(path), name, mode, like == "torch"
        # The path as it is now: the folder that it starts from may be another one later.
        self._again = {"path": os.path.abspath(self._path), "name": name, "mode": mode, "dtype": dtype, "shape": extents, "like": like, "cache": kept}
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self._mode == "c":
            raise TypeError(
                "an array in a file that was opened with mode='c' is not pickled: what was written to it lies in memory alone. "
                "Pickle numpy.asarray(x), or open it with mode='r'"
            )
        return _reopened, (type(self), self._again, (self.shape, str(self.dtype)), _state(self._lies_in()))

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        # Writing changes the time of the file some time later.
        fixed = self._mode == "r" and not self.closed
        return (*map(str, self._again.items()), _state(self._lies_in()) if fixed else os.urandom(16).hex())

    def _lies_in(self) -> str:
        """The file: of a model in many files, one that the path names. It starts from the folder in which the array was opened."""
        return os.path.join(os.path.dirname(self._again["path"]), os.path.basename(self._file))

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._path

    @property
    def name(self) -> str | None:
        """The name the array was asked for by, in a file of several."""
        return self._name

    @property
    def mode(self) -> Literal["r", "r+", "c"]:
        """``"r"``, ``"r+"`` or ``"c"``, as :func:`takewise.open` has it."""
        return self._mode

    @property
    def closed(self) -> bool:
        """Whether the file was let go."""
        return self._closed

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of an element: NumPy's, or PyTorch's where the array was opened so."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def requested(self) -> tuple[int, int]:
        """Requests made of the file since it was opened, and the bytes they asked for.

        What goes through the mapping is not counted: the system decides on it.
        """
        return self._requested

    @property
    def blocks(self) -> str | None:
        """What GGUF calls the blocks of a quantised tensor, such as ``"Q4_0"``: the last axis holds their bytes. Else ``None``."""
        return self._blocks

    @property
    def kept(self) -> Kept | None:
        """What ``cache=`` keeps, as hits, misses, bytes now and at most; ``None`` without it."""
        kept = self._kept
        return None if kept is None else Kept(*kept)

    def _operates(self) -> None:
        if self._torch:
            raise TypeError("operators of an array in a file are NumPy's: of one that gives PyTorch's tensors, use them on x[...]")

    @property
    def oindex(self) -> _Indexer:
        """Subscripts whose index arrays each stand for their own axis: ``x.oindex[[2, 0], [3, 1]]``."""
        return _Indexer(self, "outer")

    @property
    def vindex(self) -> _Indexer:
        """Subscripts whose index arrays name points together, whose axes lead the result: ``x.vindex[[2, 0], [3, 1]]``."""
        return _Indexer(self, "points")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        name = "" if self._name is None else f", {self._name!r}"
        if self.closed:
            return f"<closed FileArray {self._path!r}{name}>"
        return f"<FileArray {self._path!r}{name}, shape={self.shape}, dtype={self.dtype}, mode={self._mode!r}>"

    def __getitem__(self, key: Any) -> Any:
        found = self._get("plain", key)
        if found.ndim == 0 and not _has_ellipsis(key) and not self._torch:
            return found[()]
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        self._stored("plain", key, value)

    def _stored(self, how: str, key: Any, value: Any) -> None:
        try:
            self._set(how, key, value)
        except TypeError:
            if isinstance(value, float):
                # NaN and infinity are no integers: NumPy has errors of their own for them.
                self.dtype.type(value)
            raise

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "np.ndarray[Any, Any]":
        """All of it, in memory."""
        if copy is False:
            raise ValueError("an array in a file is read into memory: there is no way to have it without a copy")
        whole = self._get("plain", ...)
        if self._torch:
            whole = whole.numpy()
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def prefetch(self, key: Any, *, out: Any = None) -> Ahead:
        """Begins to read ``x[key]``, and does not wait: ``result()`` of what is given does, and so does ``await``.

        Several may be under way. Errors, as for a bad index, come from ``result()``. The key may be changed after the call.

        Parameters
        ----------
        key :
            What stands between the brackets: ``x.prefetch([3, 1])``, ``x.prefetch((slice(None), ids))``.
        out : array, optional
            Memory of the shape and dtype of the result, which is read straight into it, such as a tensor of PyTorch's in pinned
            memory. It is the caller's to leave alone until the read is done.
        """
        return begin(self.__getitem__ if out is None else lambda key: _takewise.index(self, key, out=out), key)

    def take(self, indices: Any, axis: int | None = None, **policies: Any) -> Any:
        """``takewise.take`` of this array."""
        return _takewise.take(self, indices, axis, **policies)

    def take_along_axis(self, indices: Any, axis: int | None = -1, **policies: Any) -> Any:
        """``takewise.take_along_axis`` of this array."""
        return _takewise.take_along_axis(self, indices, axis, **policies)

    def gather(self, dim: int, index: Any, **policies: Any) -> Any:
        """``takewise.gather`` of this array."""
        return _takewise.gather(self, dim, index, **policies)

    def gather_nd(self, indices: Any, **policies: Any) -> Any:
        """``takewise.gather_nd`` of this array."""
        return _takewise.gather_nd(self, indices, **policies)

    def put(self, indices: Any, values: Any, **policies: Any) -> None:
        """``takewise.put_`` into this array: elements by flat position."""
        _takewise.put_(self, indices, values, **policies)

    def put_along_axis(self, indices: Any, values: Any, axis: int | None, **policies: Any) -> None:
        """``takewise.put_along_axis`` into this array."""
        _takewise.put_along_axis(self, indices, values, axis, **policies)

    def flush(self) -> None:
        """Has the system put what was written on disk. Without it that happens some time later."""
        self._flush()

    def close(self) -> None:
        """Lets the file go, flushed if it was written. Arrays that were read stay."""
        if not self.closed:
            try:
                if self._mode == "r+":
                    self._flush()
            finally:
                self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


_UNITS = {"": 1, "B": 1} | {f"{unit}B": 1000 ** (k + 1) for k, unit in enumerate("KMGT")}
_UNITS |= {f"{unit}iB": 1024 ** (k + 1) for k, unit in enumerate("KMGT")}


def _bytes(size: int | str) -> int:
    """A number of bytes, which may have a unit."""
    if isinstance(size, str):
        digits = size.strip().rstrip("BKMGTi")
        unit = size.strip()[len(digits) :]
        if unit not in _UNITS or not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,9})?\s?", digits):
            raise ValueError(f"cache is a number of bytes such as 1048576 or '256MiB', not {size!r}")
        return int(float(digits) * _UNITS[unit])
    size = operator.index(size)
    if not 0 <= size < 1 << 63:
        raise ValueError(f"cache is a number of bytes such as 1048576 or '256MiB', not {size}")
    return size


def _state(path: str) -> tuple[int, int]:
    """What changes when a file is changed: its size, and the time of the last change in nanoseconds."""
    about = os.stat(path)
    return about.st_size, about.st_mtime_ns


def _reopened(made: Callable[..., Any], again: dict[str, Any], array: tuple[Any, str], state: tuple[int, int]) -> Any:
    """An array of a file that was pickled, opened by another process."""
    path = again["path"]
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: no such file here; the array that was pickled lies in it")
    x = made(**again)
    # What may be written changes, and stays the same array.
    lies_in = x._lies_in() if isinstance(x, FileArray) else path
    if (x.shape, str(x.dtype)) != array or (again["mode"] == "r" and _state(lies_in) != state):
        x.close()
        raise OSError(f"{path}: was changed since an array in it was pickled")
    return x


def _has_ellipsis(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(part, EllipsisType) for part in parts)


@overload
def open(
    path: Path,
    name: str | None = None,
    *,
    mode: Literal["r", "r+", "c"] = "r",
    dtype: Any = None,
    shape: int | Sequence[int] | None = None,
    like: Literal["numpy", "torch"] = "numpy",
    cache: int | str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    missing: bool = False,
) -> FileArray: ...
@overload
def open(
    path: list[Path] | tuple[Path, ...],
    name: str | None = None,
    *,
    mode: Literal["r"] = "r",
    dtype: Any = None,
    shape: int | Sequence[int] | None = None,
    like: Literal["numpy", "torch"] = "numpy",
    cache: int | str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    missing: bool = False,
) -> "JoinedArray": ...
def open(
    path: Path | list[Path] | tuple[Path, ...],
    name: str | None = None,
    *,
    mode: Literal["r", "r+", "c"] = "r",
    dtype: Any = None,
    shape: int | Sequence[int] | None = None,
    like: Literal["numpy", "torch"] = "numpy",
    cache: int | str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    missing: bool = False,
) -> "FileArray | JoinedArray":
    """An array in a file, of which calls read what they need: ``.npy``, ``.npz``, ``.safetensors``, ``.gguf``, raw bytes; Parquet and
    Arrow tables, Zarr arrays. Tables of text (``.csv``, ``.tsv``, ``.csv.gz``) are read whole, once.

    Parameters
    ----------
    path : str or path, or a list of them
        The file. Its content says of which format it is, and of a table of text its name. The arrays of several files are one long array, joined along the first
        axis: a ``JoinedArray``, which is read and not written. A URL, and a folder with Zarr's metadata, are those of
        :func:`takewise.zarr.open`, which opens them.
    name : str, optional
        Which array of a ``.npz``, ``.safetensors`` or ``.gguf`` file; may be left out where there is one. Entries of ``.npz`` that are
        compressed are unpacked into memory. Of a table, the column, or several with commas between them; without it all columns side
        by side. Of a table of text, ``"code:text"`` takes all cells of the column as text: ``007`` stays as it is. It may stand behind
        the path, as the command has it: ``"prices.parquet#close"``.
    mode : {"r", "r+", "c"}
        Read; read and write the file in place; or write to memory alone, and leave the file as it is.
    dtype, shape : optional
        How to read bytes without a header. One extent may be -1.
    like : {"numpy", "torch"}
        Whose arrays reads give. The small floats of ``.safetensors`` files are dtypes of NumPy's where ml_dtypes is installed;
        PyTorch has them without it.
    cache : int or str, optional
        Bytes of rows that are kept once they were read: ``1 << 28``, ``"256MiB"``. What is kept are the bytes that were asked for, and not
        the pages that they lie on. It pays where memory is short and some rows are asked for again and again: else the system keeps
        the file in memory, which is faster. With ``mode="r"`` alone. If the file's time or size changes, all are
        forgotten, and while this process has the file open for writing none is used. Another program's stores through a mapping may
        leave the time as it is: keep no rows of such a file.
    header : bool, optional
        Whether the first line of a table of text holds names. Otherwise it does where each of its cells can only be a name. With this or
        one of the next two, files of other names are tables of text too.
    delimiter : str, optional
        What stands between its cells: a character, ``"tab"`` or ``"blanks"``. Otherwise the first line tells.
    missing : bool, optional
        Cells that are empty, NA, N/A, null or None hold no value: NaN, or NaT among dates. Otherwise they are errors.

    Returns
    -------
    FileArray
        Of which nothing but the header has been read. Of a table a ``TableArray``, of which rows are read; that of text is in memory.

    Raises
    ------
    OSError
        For what the system refuses, such as a file that is missing.
    ValueError
        For a file that is damaged or does not hold such an array.

    Examples
    --------
    >>> import numpy as np, pathlib, takewise, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "pair.npz"
    >>> np.savez(path, a=np.arange(6).reshape(2, 3), b=np.zeros(4))
    >>> x = takewise.open(path, "a")
    >>> x.shape, x.dtype, x.nbytes
    ((2, 3), dtype('int64'), 48)
    >>> x[:, [2, 0]]
    array([[2, 0],
           [5, 3]])
    >>> takewise.take(x, [5, 9])
    Traceback (most recent call last):
    ...
    takewise.exceptions.IndexError: take: index 9 is out of bounds for axis 0 with size 6 (position [1] of the index)
    >>> x.close()
    >>> folder.cleanup()
    """
    text: dict[str, Any] = {"header": header, "delimiter": delimiter, "missing": missing}
    if not isinstance(path, (list, tuple)):
        how = {"mode": mode, "dtype": dtype, "shape": shape, "like": like, "cache": cache, **text}
        place, name = _parted(os.fsdecode(path), name)
        return _opener(place, how)(place, name, how)
    from takewise._joined import JoinedArray

    if mode != "r":
        raise ValueError("several files are opened with mode='r': open the one that is to be written by itself")
    return JoinedArray([open(one, name, dtype=dtype, shape=shape, like=like, cache=cache, **text) for one in path])


def _parted(path: str, name: str | None) -> tuple[str, str | None]:
    """A path and a name, where the path has both, as the command takes them: ``model.safetensors#layer.weight``."""
    if path.startswith("file://"):
        # Imported here, as it takes longer than all of this package.
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        path = url2pathname(urlsplit(path, allow_fragments=False).path)
    if name is not None or "#" not in path or os.path.exists(path):
        return path, name
    place, _, name = path.partition("#")
    return place, name


def _opener(path: str, how: dict[str, Any]) -> Callable[[str, str | None, dict[str, Any]], FileArray]:
    """What opens a path: a file of arrays, a table, or a store of Zarr arrays."""
    if re.match(r"[A-Za-z0-9]+://", path) or any(os.path.isfile(os.path.join(path, one)) for one in ("zarr.json", ".zarray", ".zgroup")):
        return _of_store
    if how["dtype"] is not None or not os.path.isfile(path):
        return _of_array
    kind = _takewise._kind_of_table(path, bool(_given(how, _TEXT)))
    return _of_array if kind is None else _of_text if kind == "text" else _of_columns


_ARRAY = ("mode", "dtype", "shape", "like", "cache")
_TEXT = ("header", "delimiter", "missing")


def _of_array(path: str, name: str | None, how: dict[str, Any]) -> Any:
    if os.path.isfile(path):
        _only(path, how, "no table of text", *_ARRAY)
    return FileArray(path, name, **{one: how[one] for one in _ARRAY})


def _of_store(path: str, name: str | None, how: dict[str, Any]) -> Any:
    from takewise import zarr

    _only(path, how, "a Zarr array", "mode")
    return zarr.open(path, name or "", mode=how["mode"])


def _of_columns(path: str, name: str | None, how: dict[str, Any]) -> Any:
    from takewise._table import TableArray

    _only(path, how, "a table, which is read", "like")
    return TableArray(path, name, like=how["like"])


def _of_text(path: str, name: str | None, how: dict[str, Any]) -> Any:
    from takewise._table import TableArray

    _only(path, how, "a table of text, which is read whole and not written in place", "like", *_TEXT)
    return TableArray(path, name, like=how["like"], text={one: how[one] for one in _TEXT})


def _given(how: dict[str, Any], names: Iterable[str]) -> list[str]:
    usual = inspect.signature(open).parameters
    return [name for name in names if how[name] != usual[name].default]


def _only(path: str, how: dict[str, Any], what: str, *taken: str) -> None:
    """Refuses arguments that such a place has no meaning for."""
    for name in _given(how, [name for name in how if name not in taken]):
        raise ValueError(f"{path}: is {what}: {name} is for {'tables of text' if name in _TEXT else 'files of arrays'}")
