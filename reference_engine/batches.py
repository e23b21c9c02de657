"""Many positions at once, in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from .adjudication import adjudicate
from .board import standard_board
from .errors import ProcessError
from .orders import GivenOrder
from .position import Adjudication, Position
from .procedures import EQUATIONS, find_procedure
from .rulesets import DATC_3_2, Ruleset
from .submissions import Submission
from .units import Unit

if TYPE_CHECKING:
    from concurrent.futures import Future

Ordered: TypeAlias = tuple[Position, "Sequence[GivenOrder] | Submission"]
"""A position and its orders, as `adjudicate` takes them."""

CHUNK = 250
"""How many positions are sent to a process together."""
_WAITING = 2
"""How many chunks are taken for each process, so that the one who gives the positions is never far ahead."""


def adjudicate_all(
    positions: Iterable[Ordered], ruleset: Ruleset = DATC_3_2, procedure: str | None = None, processes: int = 1
) -> Iterator[Adjudication]:
    """Adjudicate many positions.

    To send a position to another process takes longer than to solve its equations: several processes are for the other
    procedures. Each imports the script that it was started from, which so has to begin its work under
    `if __name__ == "__main__":`.

    Args:
        positions: The positions with their orders, as many as there are; they are taken as they are needed.
        ruleset: The choice for every issue.
        procedure: The name of a procedure, one of `PROCEDURES`; `None` for the equations.
        processes: How many processes share the work; 1 for this one alone.

    Returns:
        The adjudication of each position, in the order given.

    Raises:
        UnknownProcedureError: There is no procedure of that name.
        UnplayedChoiceError: The ruleset makes a choice that this engine does not play. It is raised with a position.
        ProcessError: A process ended. It is raised with a position.
    """
    by = EQUATIONS if procedure is None else find_procedure(procedure)
    if processes > 1:
        return _in_processes(iter(positions), ruleset, procedure, processes)
    return (adjudicate(position, orders, ruleset, by) for position, orders in positions)


def _in_processes(
    positions: Iterator[Ordered], ruleset: Ruleset, procedure: str | None, processes: int
) -> Iterator[Adjudication]:
    # To import these takes longer than a short run.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    waiting: deque[Future[list[Adjudication]]] = deque()
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        while chunk := [_sent(*ordered) for ordered in islice(positions, CHUNK)]:
            waiting.append(pool.submit(_adjudicate_chunk, chunk, ruleset, procedure))
            if len(waiting) == processes * _WAITING:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        hint = 'a script has to begin its work under `if __name__ == "__main__":`'
        raise ProcessError(f"a process that adjudicates positions ended: {hint}") from error
    finally:
        pool.shutdown(cancel_futures=True)


_Sent: TypeAlias = "tuple[tuple[Unit, ...], dict[str, Any], Sequence[GivenOrder] | Submission]"
"""The units of a position, what else it is made of, and its orders."""


def _sent(position: Position, orders: Sequence[GivenOrder] | Submission) -> _Sent:
    """Leave out the tables of a position, and the board where it is the standard one."""
    rest = {name: getattr(position, name) for name in ("phase", "dislodged", "centers", "flying_dutchmen")}
    board = None if position.board is standard_board() else position.board
    return position.units, {**rest, "board": board}, orders


def _adjudicate_chunk(chunk: list[_Sent], ruleset: Ruleset, procedure: str | None) -> list[Adjudication]:
    positions = ((Position(units, **rest), orders) for units, rest, orders in chunk)
    return list(adjudicate_all(positions, ruleset, procedure))
