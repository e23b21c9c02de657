"""How a procedure is made of a document: it has a function that resolves movement, and makes some choices itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial

from ..adjustments import adjudicate_adjustments
from ..choices import check_supported
from ..legality import CONVOY, HOLD, SUPPORTED_CHOICES
from ..movement import MovementOrders, Outcome, ResolveMovement, adjudicate_by
from ..results import DISLODGED
from ..retreats import adjudicate_retreats
from ..rulesets import Ruleset
from . import AdjudicatePhase, Procedure


def procedure_by_document(resolve: ResolveMovement, fixed: Mapping[str, str]) -> Procedure:
    """Make a procedure of how a document resolves movement, and of the choices that it makes, whatever is asked for.

    That a unit was dislodged which held or convoyed, the function need not give as a failure.
    """

    @lru_cache(maxsize=256)
    def by_the_document(ruleset: Ruleset) -> Ruleset:
        played = ruleset.with_choices(fixed)
        check_supported(played, SUPPORTED_CHOICES)
        return played

    def with_its_choices(adjudicate: AdjudicatePhase) -> AdjudicatePhase:
        return lambda position, orders, ruleset: adjudicate(position, orders, by_the_document(ruleset))

    def resolved(orders: MovementOrders) -> Outcome:
        outcome = resolve(orders)
        lost = {unit: DISLODGED for unit in outcome.dislodged if orders.meanings[unit].kind in (HOLD, CONVOY)}
        return outcome._replace(failures={**lost, **outcome.failures})

    return {
        "movement": with_its_choices(partial(adjudicate_by, resolved)),
        "retreat": with_its_choices(adjudicate_retreats),
        "adjustment": with_its_choices(adjudicate_adjustments),
    }
