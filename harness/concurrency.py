"""Does several things at once, and returns their results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")

_POLL_INTERVAL = 0.25
"""Seconds to wait at a stretch: a Ctrl-C that comes just before a wait begins shows only when it ends."""


def map_ordered(work: Callable[[_T], _R], items: Sequence[_T], jobs: int, give_up: Callable[[], None]) -> Iterator[_R]:
    """Work on up to `jobs` items at once; `give_up` ends what is being worked on when nobody waits for the rest."""
    if jobs <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor, wait  # Here, since it takes long to import.

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, item) for item in items]
        done = 0
        try:
            for future in futures:
                while not future.done():
                    _ = wait([future], _POLL_INTERVAL)
                yield future.result()
                done += 1
        finally:
            if done < len(futures):
                give_up()
            for future in futures:
                _ = future.cancel()
