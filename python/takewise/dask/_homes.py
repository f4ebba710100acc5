"""Where chunks lie that a cluster holds already: what is picked of those on one worker can be one task.

A task costs the scheduler about as much as a megabyte that is copied. Of few rows or points each chunk gives little, so a task for each
costs more than all that they do. Chunks that nobody has made yet may be made anywhere: each is a task of its own then.
"""

import sys
from collections.abc import Iterable
from typing import Any


def homes(x: Any, blocks: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], str] | None:
    """The worker that holds each of some chunks of an array; ``None`` unless all of them lie on workers of one cluster now.

    Chunks are held after ``persist``. The scheduler is asked once.
    """
    distributed = sys.modules.get("distributed")
    layer = getattr(x.__dask_graph__(), "layers", {}).get(x.name)
    if distributed is None or layer is None or not layer.is_materialized():
        return None
    futures: dict[tuple[int, ...], Any] = {}
    for block in blocks:
        future = layer.get((x.name, *block))
        if not isinstance(future, distributed.Future) or future.status != "finished":
            return None
        futures[block] = future
    clients = {future.client for future in futures.values()}
    if len(clients) != 1:
        return None
    [client] = clients
    if client.asynchronous or client.status != "running":
        return None
    held = client.who_has(list(futures.values()))
    found: dict[tuple[int, ...], str] = {}
    for block, future in futures.items():
        workers = sorted(held.get(future.key, ()))
        if not workers:
            return None
        found[block] = workers[0]
    return found
