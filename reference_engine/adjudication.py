# mypyc
"""Adjudicate positions with their orders: one, or many in one process or several."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from .civil_disorder import without_flying_dutchmen
from .errors import PositionError, ProcessError
from .legality import Legality, check_given
from .order_sets import DEDUCED, Submission, Submitted, settle
from .orders import GivenOrder, Order
from .position import IGNORED, SUCCEEDED, Adjudication, Position
from .procedures import EQUATIONS, Procedure, find_procedure
from .rulesets import DATC_3_2, Ruleset

if TYPE_CHECKING:
    from concurrent.futures import Future


def adjudicate(
    position: Position,
    orders: Sequence[GivenOrder] | Submission,
    ruleset: Ruleset = DATC_3_2,
    procedure: Procedure = EQUATIONS,
) -> Adjudication:
    """Adjudicate the phase that a position is before.

    Any order may be given, also one that is badly written, impossible, or for a unit that is not there: it is then
    illegal. Units without an order hold, disband (retreats) or fall under the civil-disorder rules (adjustments).

    Args:
        position: The position; its phase is the one to adjudicate.
        orders: One set of orders for each power, or a `Submission` with several sets, unclear or perpetual orders, or
            proxies.
        ruleset: The choice for every issue.
        procedure: How each phase is worked out: by the equations, or as another document does it (`find_procedure`).

    Returns:
        The board after the phase, and one result for each order, in the order given.

    Raises:
        UnplayedChoiceError: The ruleset makes a choice that this engine does not play.
        PositionError: An order is of a power that the board does not have.
        TypeError: An order is no `GivenOrder`, such as a text.
    """
    if position.flying_dutchmen:
        position = without_flying_dutchmen(position, ruleset)
    if DEDUCED[ruleset.choices["4.E.3"]] and not isinstance(orders, Submission):
        orders = Submission([Submitted(*order) for order in orders])
    if isinstance(orders, Submission):
        clear = None if DEDUCED[ruleset.choices["4.E.3"]] else orders.as_one_clear_set()
        if clear is None:
            return _adjudicate_submission(position, orders, ruleset, procedure)
        orders = clear
    try:
        return procedure[position.phase](position, orders, ruleset)
    except (TypeError, ValueError):
        check_given(position.board, orders)
        raise


def _adjudicate_submission(
    position: Position, submission: Submission, ruleset: Ruleset, procedure: Procedure
) -> Adjudication:
    """Adjudicate what was handed in, with one result for each writing."""
    settled = settle(position, submission, ruleset, legality(position, ruleset, procedure))
    adjudication = procedure[position.phase](position, settled.orders, ruleset)
    results = [IGNORED] * len(submission.writings)
    for source, result in zip(settled.source, adjudication.orders, strict=False):
        results[source] = result
    for index in settled.obeyed:
        results[index] = SUCCEEDED
    return adjudication._replace(orders=tuple(results))


def legality(position: Position, ruleset: Ruleset, procedure: Procedure) -> Callable[[str, Order], bool]:
    """Tell whether an order could be carried out, not knowing any other."""
    if position.phase == "movement":
        movements = Legality(position, ruleset)
        return lambda power, order: movements.effect(power, order) is not None

    def is_legal_alone(power: str, order: Order) -> bool:
        return procedure[position.phase](position, [GivenOrder(power, order)], ruleset).orders[0].reason != "illegal"

    return is_legal_alone


Ordered: TypeAlias = tuple[Position, "Sequence[GivenOrder] | Submission"]
"""A position and its orders, as `adjudicate` takes them."""

CHUNK = 250
"""How many positions are sent to a process together."""
_WAITING = 2
"""How many chunks are sent ahead for each process: positions are taken only shortly before they are needed."""


def adjudicate_all(
    positions: Iterable[Ordered], ruleset: Ruleset = DATC_3_2, procedure: str | None = None, processes: int = 1
) -> Iterator[Adjudication]:
    """Adjudicate many positions.

    To send a position to another process takes longer than to solve its equations, so use several processes for the
    other procedures only. Each process imports your script: begin its work under `if __name__ == "__main__":`.

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
        PositionError: An order is of a power that the board does not have; it says which position it is.
        TypeError: An item is no `Position` with orders; it says which, the first being position 1.
        ProcessError: A process ended. It is raised with a position.
    """
    by = EQUATIONS if procedure is None else find_procedure(procedure)
    if processes > 1:
        return _in_processes(iter(positions), ruleset, procedure, processes)
    return _one_by_one(positions, ruleset, by)


def _one_by_one(
    positions: Iterable[Ordered], ruleset: Ruleset, by: Procedure, before: int = 0
) -> Iterator[Adjudication]:
    """Adjudicate positions, of which so many came before."""
    # Not a generator expression: the compiler makes those lists, of positions that may have no end.
    # Nor is an item taken for a pair before that is tried: where it is compiled, that is checked.
    for number, item in enumerate(cast("Iterable[object]", positions), before + 1):
        try:
            position, orders = cast("Ordered", item)
            adjudication = adjudicate(position, orders, ruleset, by)
        except (PositionError, TypeError, ValueError, AttributeError) as error:
            kind = PositionError if isinstance(error, PositionError) else TypeError
            raise kind(f"position {number}: {error}") from error
        yield adjudication


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
        sent = 0
        while chunk := list(islice(positions, CHUNK)):
            waiting.append(pool.submit(_adjudicate_chunk, chunk, ruleset, procedure, sent))
            sent += len(chunk)
            if len(waiting) == processes * _WAITING:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        hint = 'a script has to begin its work under `if __name__ == "__main__":`'
        raise ProcessError(f"a process that adjudicates positions ended: {hint}") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _adjudicate_chunk(chunk: list[Ordered], ruleset: Ruleset, procedure: str | None, before: int) -> list[Adjudication]:
    by = EQUATIONS if procedure is None else find_procedure(procedure)
    return list(_one_by_one(chunk, ruleset, by, before))
