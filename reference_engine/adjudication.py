"""The door of the engine: a position and orders in, their adjudication out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .disorder import without_flying_dutchmen
from .legality import Legality
from .orders import GivenOrder, Order
from .position import IGNORED, SUCCEEDED, Adjudication, Position
from .procedures import EQUATIONS, Procedure
from .rulesets import DATC_3_2, Ruleset
from .submissions import DEDUCED, Submission, Submitted, settle


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
    return procedure[position.phase](position, orders, ruleset)


def _adjudicate_submission(
    position: Position, submission: Submission, ruleset: Ruleset, procedure: Procedure
) -> Adjudication:
    """Adjudicate what was handed in, with one result for each writing."""
    settled = settle(position, submission, ruleset, _legality(position, ruleset, procedure))
    adjudication = procedure[position.phase](position, settled.orders, ruleset)
    results = [IGNORED] * len(submission.writings)
    for source, result in zip(settled.source, adjudication.orders, strict=False):
        results[source] = result
    for index in settled.obeyed:
        results[index] = SUCCEEDED
    return adjudication._replace(orders=tuple(results))


def _legality(position: Position, ruleset: Ruleset, procedure: Procedure) -> Callable[[str, Order], bool]:
    """Tell whether an order could be carried out, not knowing any other."""
    if position.phase == "movement":
        legality = Legality(position, ruleset)
        return lambda power, order: legality.meaning(power, order) is not None

    def is_legal_alone(power: str, order: Order) -> bool:
        return procedure[position.phase](position, [GivenOrder(power, order)], ruleset).orders[0].reason != "illegal"

    return is_legal_alone
