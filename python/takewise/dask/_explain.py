"""What a call's graph is like, and why: noted while it is built, for whoever watches."""

import contextlib
import contextvars
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from takewise.dask._common import bytes_text

__all__ = ["Plan", "Step", "explain"]


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One graph that a call builds."""

    #: The operation it is for.
    operation: str
    #: ``"buckets"``, ``"workers"``, ``"pairs"``, ``"whole axis"``, ``"one chunk"``, ``"exchange"`` or ``"sum of chunks"``.
    road: str
    #: Why that one.
    why: str
    #: Tasks that are added to the graph.
    keys: int
    #: Chunks of the source that are read, and how many it has.
    touched: int
    source_chunks: int
    #: Chunks of the result.
    output_chunks: int
    #: Bytes that tasks hand to each other, at most: what is on the same worker already does not move.
    bytes_moved: int
    #: Bytes of positions (and values) that lie in the graph itself.
    bytes_in_graph: int = 0

    def __str__(self) -> str:
        return (
            f"{self.operation}: {self.road}\n"
            f"  why     {self.why}\n"
            f"  chunks  {self.touched} of {self.source_chunks} source chunks are read, {self.output_chunks} are made\n"
            f"  keys    {self.keys}\n"
            f"  bytes   at most {bytes_text(self.bytes_moved)} handed on, {bytes_text(self.bytes_in_graph)} in the graph"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """What :func:`explain` gives: the graphs that a call builds, in order, and the array it returns."""

    #: The graphs.
    steps: tuple[Step, ...]
    #: What the call returned. Nothing of it has been computed.
    result: Any

    @property
    def road(self) -> str:
        """The road of the last step."""
        return self.steps[-1].road if self.steps else "none"

    @property
    def keys(self) -> int:
        """The keys of all steps."""
        return sum(step.keys for step in self.steps)

    @property
    def bytes_moved(self) -> int:
        """The bytes of all steps, at most."""
        return sum(step.bytes_moved for step in self.steps)

    def __str__(self) -> str:
        return "\n".join(str(step) for step in self.steps)


_steps: contextvars.ContextVar[list[Step] | None] = contextvars.ContextVar("takewise.dask.steps", default=None)


def note(step: Step) -> None:
    """Notes a graph for whoever watches."""
    steps = _steps.get()
    if steps is not None:
        steps.append(step)


@contextlib.contextmanager
def watched() -> Iterator[list[Step]]:
    """The graphs that are built meanwhile."""
    token = _steps.set([])
    try:
        found = _steps.get()
        assert found is not None
        yield found
    finally:
        _steps.reset(token)


def explain(call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Plan:
    """Which graph a call of this module builds, and why: keys, chunks touched, and bytes handed from task to task.

    ``call`` is a function of ``takewise.dask`` (or of ``takewise``, with an array of Dask's among its arguments), followed by
    its arguments. The graph is built and nothing is computed, except what building it asks for (the count pass of masks).

    >>> import pytest, numpy as np
    >>> da = pytest.importorskip("dask.array")
    >>> import takewise.dask as td
    >>> x = da.arange(1000, chunks=100)
    >>> plan = td.explain(td.take, x, np.array([5, 7, 950]))
    >>> plan.road, plan.keys
    ('buckets', 3)
    >>> plan.steps[0].touched
    2
    """
    with watched() as steps:
        result = call(*args, **kwargs)
    return Plan(tuple(steps), result)
