"""Columns of tables: of Parquet and Arrow files, read by rows, and of text, read whole."""

import importlib
import os
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np

from takewise import _takewise
from takewise._files import _reopened, _state
from takewise._rows import ByRows
from takewise.zarr import PIP


class _Text:
    """Columns of a table of text. They are in memory: text has no index of its rows."""

    def __init__(self, path: str, name: str | None, **how: Any) -> None:
        self.names, self._whole = _takewise._text_table(path, name, **how)
        if self._whole.dtype.kind == "V":  # text, whose dtype the extension gives by its size
            self._whole = self._whole.view(f"U{self._whole.itemsize // 4}")
        self.shape, self.dtype = self._whole.shape, self._whole.dtype

    def read(self, rows: Any, out: Any, threads: int) -> None:
        out[:] = (self._whole if rows is None else self._whole[rows]).reshape(-1).view(np.uint8)


class TableArray(ByRows):
    """Columns of a table in a file as an array whose first axis is the rows. :func:`takewise.open` makes it.

    One column has the axis of rows, and those of the lists of one length that it holds. Several have an axis more, in the dtype
    that ``numpy.result_type`` names. Of a Parquet file the pages are decoded that hold the rows asked for, by the file's page
    index; of an Arrow file that is not compressed those rows alone are read. A column of text is read whole when it is opened, and is
    as wide as its longest text. A table of text is read whole when it is opened, and what becomes of its file later does not matter. Subscripts are NumPy's, but for bare ``True`` and
    ``False``. Nulls among the rows that are read are a ``ValueError`` that names the first.

    It is pickled as its path and how it was opened.

    >>> import pytest, numpy as np, pathlib, takewise, tempfile
    >>> pq = pytest.importorskip("pyarrow.parquet")
    >>> _ = pytest.importorskip("takewise_zarr")
    >>> import pyarrow as pa
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "prices.parquet"
    >>> pq.write_table(pa.table({"day": range(5), "close": [1.5, 2.5, 3.5, 4.5, 5.5]}), path)
    >>> close = takewise.open(path, "close")
    >>> close.shape, close[[4, 0]]
    ((5,), array([5.5, 1.5]))
    >>> takewise.open(f"{path}#day,close")[1:3]
    array([[1. , 2.5],
           [2. , 3.5]])
    >>> folder.cleanup()
    """

    __slots__ = ("_again", "_columns", "_state", "dtype", "name", "path", "shape")

    def __init__(
        self, path: str, name: str | None = None, *, like: Literal["numpy", "torch"] = "numpy", text: dict[str, Any] | None = None
    ) -> None:
        self.path, self.name = path, name
        self._again: dict[str, Any] = {"path": os.path.abspath(path), "name": name, "mode": "r", "like": like, "text": text}
        self._state = _state(self._again["path"])
        self._columns = self._opened()
        self.shape = self._columns.shape
        dtype: Any = np.dtype(self._columns.dtype)
        self.dtype = dtype if like == "numpy" else getattr(importlib.import_module("torch"), dtype.name, None)
        if self.dtype is None:
            raise TypeError(f"PyTorch's tensors have no {dtype}, which the elements of this column are")

    def _opened(self) -> Any:
        if (text := self._again["text"]) is not None:
            return _Text(self.path, self.name, **text)
        try:
            package = importlib.import_module("takewise_zarr")
        except ModuleNotFoundError as error:
            raise ImportError(f"{self.path}: is a table, which takewise-zarr reads, and {error.name} is not installed: {PIP}") from error
        try:
            return package._zarr.Columns(self.path, self.name)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (_made, self._again, (self.shape, str(self.dtype)), self._state)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return (*map(str, self._again.items()), self._state)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns of the table."""
        return tuple(self._columns.names)

    @property
    def mode(self) -> Literal["r"]:
        """``"r"``: tables are read."""
        return "r"

    @property
    def closed(self) -> bool:
        """Whether the file was let go."""
        return self._columns is None

    def __repr__(self) -> str:
        name = "" if self.name is None else f", {self.name!r}"
        return f"<{'closed ' * self.closed}TableArray {self.path!r}{name}, shape={self.shape}, dtype={self.dtype}>"

    def _operates(self) -> None:
        if not isinstance(self.dtype, np.dtype):
            raise TypeError("operators of an array in a file are NumPy's: of one that gives PyTorch's tensors, use them on x[...]")

    def _rows(self, rows: Any) -> Any:
        if self.closed:
            raise ValueError("the file of this array is closed")
        out = np.empty((len(rows), *self.shape[1:]), self._columns.dtype)
        wanted = None if len(rows) == len(self) else np.asarray(rows, np.int64)
        try:
            self._columns.read(wanted, out.reshape(-1).view(np.uint8), _takewise.get_num_threads())
        except ValueError as error:
            self._is_as_it_was()
            raise ValueError(f"{self.path}: {error}") from None
        self._is_as_it_was()
        return out if isinstance(self.dtype, np.dtype) else importlib.import_module("torch").from_numpy(out)

    def _is_as_it_was(self) -> None:
        if not isinstance(self._columns, _Text) and _state(self._again["path"]) != self._state:
            raise OSError(f"{self.path}: was changed since it was opened")

    def close(self) -> None:
        """Lets the file go. Arrays that were read stay."""
        self._columns = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _made(path: str, name: str | None, mode: str, like: Literal["numpy", "torch"], text: dict[str, Any] | None) -> TableArray:
    return TableArray(path, name, like=like, text=text)
