"""What all parts need: Dask itself, what is refused of arrays, options, errors, and arrays made of tasks."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from takewise import exceptions

if TYPE_CHECKING:
    # The words of keyword arguments.
    _Bounds = Literal["raise", "wrap", "clip", "fill", "drop"]
    _Duplicates = Literal["last", "first", "error"]
    _Casting = Literal["same_kind", "unsafe"]
    _Reduce = Literal["none", "sum", "add", "prod", "multiply", "mul", "mean", "amax", "max", "amin", "min"]
    _Side = Literal["left", "right"]

PIP = 'pip install "takewise[dask]"'
# The dtype of places that do not fit a smaller one.
PLACE = np.dtype(np.int64)


def library() -> Any:
    """``dask.array``, which is imported at the first call and not before."""
    try:
        import dask.array  # type: ignore[import-not-found]
    except ModuleNotFoundError as error:
        raise ImportError(f"takewise.dask needs Dask, and {error.name} is not installed: {PIP}") from error
    return dask.array


def is_dask(x: object) -> bool:
    """Whether an object is an array of Dask's."""
    return isinstance(x, library().Array)


def task_bytes() -> int:
    """How many bytes one task may receive: the option ``takewise.task-bytes`` of Dask's configuration, 1 GiB by default."""
    import dask.config  # type: ignore[import-not-found]
    import dask.utils  # type: ignore[import-not-found]

    return int(dask.utils.parse_bytes(dask.config.get("takewise.task-bytes", "1 GiB")))


def road_asked_for(*roads: str) -> str | None:
    """The road that the option ``takewise.road`` asks for, if it is one of these."""
    import dask.config  # type: ignore[import-not-found]

    asked = dask.config.get("takewise.road", None)
    return asked if asked in roads else None


@dataclasses.dataclass(slots=True, frozen=True)
class Options:
    """What a call's keywords say about index values, and on how many threads a task runs."""

    bounds: "_Bounds" = "raise"
    negative: bool = True
    fill_value: Any = None
    duplicates: str = "last"
    threads: int = 1
    casting: "_Casting" = "same_kind"
    # Where the index arrays are the columns of one: which axis the first of them is for.
    columns: int | None = None
    # Whether each index array stands for itself, though all of them are broadcast; and whether the index was one number.
    outer: bool = False
    number: bool = False

    @property
    def keywords(self) -> dict[str, Any]:
        """The same for a read of takewise itself."""
        fill = {"fill_value": self.fill_value} if self.bounds == "fill" else {}
        return {"bounds": self.bounds, "negative": self.negative, "threads": self.threads, **fill}

    @property
    def drops(self) -> bool:
        """Whether values outside are left out and do not raise."""
        return self.bounds in ("fill", "drop")


def options(
    bounds: "_Bounds | None" = None,
    negative: bool | None = None,
    fill_value: Any = None,
    duplicates: str | None = None,
    threads: int | None = None,
    casting: "_Casting | None" = None,
) -> Options:
    """Keyword arguments as options; words that are none are refused."""
    for name, given, known in (
        ("bounds", bounds, ("raise", "wrap", "clip", "fill", "drop")),
        ("duplicates", duplicates, ("last", "first", "error")),
        ("casting", casting, ("same_kind", "unsafe")),
    ):
        if given is not None and given not in known:
            words = ", ".join(f'"{word}"' for word in known)
            raise exceptions.ValueError(f"{name} must be one of {words}, not {given!r}")
    if fill_value is not None and bounds != "fill":
        raise exceptions.ValueError('fill_value is used only with bounds="fill"')
    chosen = (duplicates or "last", threads or 1, casting or "same_kind")
    return Options(bounds or "raise", negative is not False, fill_value, *chosen)


def array(x: Any, name: str = "x") -> Any:
    """An array of Dask's with known chunks over NumPy's arrays: as it is, or made of one chunk."""
    if not is_dask(x):
        return library().from_array(np.asarray(x), chunks=-1)
    for axis, sizes in enumerate(x.chunks):
        if any(math.isnan(size) for size in sizes):
            raise exceptions.ValueError(
                f"{name} has chunks of unknown size along axis {axis}, so nobody knows which chunk holds a position: "
                f"call {name}.compute_chunk_sizes() first, or make it by takewise.dask.masked_select, which counts"
            )
    if not isinstance(x._meta, np.ndarray):
        kind = type(x._meta)
        raise exceptions.TypeError(f"{name} has chunks of {kind.__module__}.{kind.__qualname__}: only NumPy's are indexed")
    if x.dtype.hasobject:
        raise exceptions.TypeError(f"{name} has dtype {x.dtype}: Python objects are not taken")
    return x


def positions(index: Any, name: str = "index") -> Any:
    """An index array, Dask's or NumPy's, of an integer dtype."""
    found = array(index, name) if is_dask(index) else np.asarray(index)
    if not is_dask(found) and found.size == 0 and not isinstance(index, np.ndarray):
        found = found.astype(PLACE)
    if found.dtype.kind not in "iu":
        raise exceptions.TypeError(f"{name} has dtype {found.dtype}: positions are integers")
    return found


def axis_of(axis: int, rank: int, operation: str) -> int:
    """An axis number from the front."""
    if not -rank <= axis < rank:
        valid = f"valid: {-max(rank, 1)} to {max(rank, 1) - 1}"
        raise exceptions._axis_error(f"{operation}: axis {axis} is out of range for rank {rank} ({valid})")
    return axis % rank


def listed(numbers: Sequence[int]) -> str:
    """Numbers as errors have them."""
    return f"[{', '.join(str(int(number)) for number in numbers)}]"


@dataclasses.dataclass(slots=True, frozen=True)
class Bad:
    """The first value outside its axis, and how many there are."""

    axis: int
    size: int
    value: int
    # ``None`` for an integer of a subscript, which has no position.
    position: tuple[int, ...] | None
    bad: int = 1
    total: int = 1

    def raise_for(self, operation: str, options: Options) -> None:
        """Raises what takewise raises of arrays in memory."""
        position = self.position
        if position is not None and options.columns is not None:
            position = (*position, self.axis - options.columns)
        if position is not None and options.outer:
            position = (sum(position),)
        if position is not None and options.number:
            position = ()
        text = f"{operation}: index {self.value} is out of bounds for axis {self.axis} with size {self.size}"
        if position:
            text += f" (position {listed(position)} of the index)"
        if self.bad > 1:
            text += f"\n  {self.bad} of {self.total} values are out of bounds"
        if self.size == 0:
            text += "\n  the axis is empty: no index is valid"
        elif self.value == self.size:
            text += f"\n  the value equals the length: 1-based? valid are 0 to {self.size - 1}"
        elif self.value < 0 and not (options.negative and options.bounds != "wrap"):
            text += "\n  negative values are refused here" + (": padding? use fill" if self.value == -1 else "")
        error = exceptions.IndexError(text)
        for name, fact in (("axis", self.axis), ("position", position), ("value", self.value), ("size", self.size)):
            setattr(error, name, fact)
        raise error


def bytes_text(count: float) -> str:
    """A number of bytes as people write it."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count /= 1024
    else:
        unit = "TiB"
    return f"{count:.4g} {unit}"


def refuse_shuffle(operation: str, moved: int, keys: int) -> None:
    """Says that a call would need positions to be exchanged between all workers at once."""
    raise exceptions.NotImplementedError(
        f"{operation}: one task would receive {bytes_text(moved)} of positions and values, and its limit is "
        f"{bytes_text(task_bytes())} (takewise.task-bytes); a task for each pair of chunks would make {keys:,} keys. "
        "This needs a peer-to-peer shuffle of positions, which is not done here: compute the positions and give them as a "
        "NumPy array, or make the chunks of the index larger and fewer"
    )


def made(operation: str, tasks: Mapping[Any, Any], name: str, chunks: Any, dtype: Any, sources: Sequence[Any]) -> Any:
    """An array of Dask's from tasks that read others."""
    from dask.highlevelgraph import HighLevelGraph  # type: ignore[import-not-found]

    graph = HighLevelGraph.from_collections(name, dict(tasks), dependencies=list(sources))
    return library().Array(graph, name, chunks=chunks, meta=np.empty((0,) * len(chunks), dtype))


def named(operation: str, *parts: Any) -> str:
    """A name for the keys of a call: the same for the same arrays and arguments."""
    from dask.tokenize import tokenize  # type: ignore[import-not-found]

    return f"takewise-{operation.replace('_', '-')}-{tokenize(*parts)}"


def task(key: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """One task; ``ref`` marks what it waits for."""
    from dask._task_spec import Task, parse_input  # type: ignore[import-not-found]

    return Task(key, function, *(parse_input(given) if isinstance(given, list) else given for given in arguments))


def ref(key: Any) -> Any:
    """The result of another task, as an argument."""
    from dask._task_spec import TaskRef  # type: ignore[import-not-found]

    return TaskRef(key)


def alias(key: Any, other: Any) -> Any:
    """Another task's result under a key of one's own."""
    from dask._task_spec import Alias  # type: ignore[import-not-found]

    return Alias(key, other)
