"""Many positions at once, in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from .adjudication import adjudicate
from .orders import GivenOrder
from .position import Adjudication, Position
from .procedures import EQUATIONS, find_procedure
from .rulesets import DATC_3_2, Ruleset
from .submissions import Submission

if TYPE_CHECKING:
    from concurrent.futures import Future

Ordered: TypeAlias = tuple[Position, "Sequence[GivenOrder] | Submission"]
"""A position and its orders, as `adjudicate` takes them."""

CHUNK = 250
"""How many positions are sent to a process together."""
_WAITING = 2
"""How many chunks a process has at most, so that the one who gives the positions is never far ahead."""


def adjudicate_all(
    positions: Iterable[Ordered], ruleset: Ruleset = DATC_3_2, procedure: str | None = None, processes: int = 1
) -> Iterator[Adjudication]:
    """Adjudicate many positions.

    To send a position to another process takes longer than to solve its equations: several processes are for the other
    procedures.

    Args:
        positions: The positions with their orders, as many as there are; they are taken as they are needed.
        ruleset: The choice for every issue.
        procedure: The name of a procedure, one of `PROCEDURES`; `None` for the equations.
        processes: How many processes share the work; 1 for this one alone.

    Yields:
        The adjudication of each position, in the order given.

    Raises:
        UnknownProcedureError: There is no procedure of that name.
        UnplayedChoiceError: The ruleset makes a choice that this engine does not play.
    """
    if processes > 1:
        yield from _in_processes(iter(positions), ruleset, procedure, processes)
        return
    by = EQUATIONS if procedure is None else find_procedure(procedure)
    for position, orders in positions:
        yield adjudicate(position, orders, ruleset, by)


def _in_processes(
    positions: Iterator[Ordered], ruleset: Ruleset, procedure: str | None, processes: int
) -> Iterator[Adjudication]:
    # To import these takes longer than a short run.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    waiting: deque[Future[list[Adjudication]]] = deque()
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        while chunk := list(islice(positions, CHUNK)):
            waiting.append(pool.submit(_adjudicate_chunk, chunk, ruleset, procedure))
            if len(waiting) > processes * _WAITING:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _adjudicate_chunk(chunk: list[Ordered], ruleset: Ruleset, procedure: str | None) -> list[Adjudication]:
    return list(adjudicate_all(chunk, ruleset, procedure))
