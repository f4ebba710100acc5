"""The arrays of a file that holds several, or of a model in several files."""

import os
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, Self

from takewise import _takewise
from takewise._files import FileArray, Path


class FileGroup(Mapping[str, FileArray]):
    """The arrays of a file by their names, each opened when it is asked for. :func:`takewise.open_group` makes them.

    It is pickled as its path and how it was opened.
    """

    __slots__ = ("_how", "_names", "_opened", "_path", "_shown")

    def __init__(self, path: Path, **how: Any) -> None:
        self._shown = os.fsdecode(path)
        self._path, self._how = os.path.abspath(self._shown), how
        self._names: tuple[str, ...] = tuple(_takewise._names(self._path))
        self._opened: dict[str, FileArray] = {}

    def __getitem__(self, name: str) -> FileArray:
        if name not in self._names:
            raise KeyError(name)
        array = self._opened.get(name)
        if array is None or array.closed:
            array = self._opened[name] = FileArray(self._path, name, **self._how)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitems__(self, names: Iterable[str]) -> list[FileArray]:
        """Several arrays, by their names."""
        return [self[name] for name in names]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        # The files of a model change one by one.
        return tuple(array.__dask_tokenize__() for array in self.values())

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self._path, self._how)

    def __repr__(self) -> str:
        return f"<FileGroup {self._shown!r} of {len(self)} arrays>"

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._shown

    def close(self) -> None:
        """Lets the files go, flushed if they were written. Arrays that were read stay."""
        for array in self._opened.values():
            array.close()
        self._opened.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _reopened(made: type[FileGroup], path: str, how: dict[str, Any]) -> FileGroup:
    return made(path, **how)


def open_group(
    path: Path,
    *,
    mode: Literal["r", "r+", "c"] = "r",
    like: Literal["numpy", "torch"] = "numpy",
    cache: int | str | None = None,
) -> FileGroup:
    """The arrays of a ``.npz`` or ``.safetensors`` file by their names, or those of a model in many files
    (``model.safetensors.index.json``).

    Parameters
    ----------
    path : str or path
        The file. Nothing but its directory is read. Of a model in many files, each is opened when an array of it is asked for.
    mode, like, cache :
        Of each array, as :func:`takewise.open` has them.

    Returns
    -------
    FileGroup
        A mapping from names to :class:`takewise.FileArray`.

    Raises
    ------
    OSError
        For what the system refuses, such as a file that is missing.
    ValueError
        For a file that is damaged.

    Examples
    --------
    >>> import numpy as np, pathlib, takewise, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "pair.npz"
    >>> np.savez(path, a=np.arange(6).reshape(2, 3), b=np.zeros(4))
    >>> with takewise.open_group(path) as pair:
    ...     sorted(pair), pair["a"][:, [2, 0]]
    (['a', 'b'], array([[2, 0],
           [5, 3]]))
    >>> folder.cleanup()
    """
    return FileGroup(path, mode=mode, like=like, cache=cache)
