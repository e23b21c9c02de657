"""The adjudication algorithm of the DPjudge: ten steps and the procedures that they use.

It is for the movement phase; retreats and adjustments are the engine's own. A convoyed army's order names its route.
Two of its sentences leave something out; it is read as it must be meant:

- Step 8 finds no "victim" where a unit would dislodge a countryman, and then nothing stops the unit: here it bounces.
- No step takes an army that is marked "no convoy" off the combat list of its destination and puts it on that of where
  it stays: here that happens as soon as it is marked.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...movement import MovementOrders, Outcome
from .. import Procedure
from ..by_document import procedure_by_document
from .judge import Judge
from .steps import (
    step_1_mark_invalid_convoy_orders,
    step_2_mark_invalid_support_orders,
    step_3_cut_supports_by_non_convoyed_attacks,
    step_4_find_endangered_convoys,
    step_5_mark_convoy_disruptions,
    step_6_mark_bounces_of_swaps,
    step_7_mark_bounces_of_understrength_attackers,
    step_8_mark_bounces_of_self_dislodgement,
    step_9_mark_supports_cut_by_dislodgements,
    step_10_make_all_successful_moves,
)

FIXED: Mapping[str, str] = {
    "4.A.2": "1982",
    "4.A.3": "dptg-explicit",
    "4.A.4": "not-cut",
    "4.A.5": "no-retreat-to-origin",
    "4.A.6": "required",
    "4.A.7": "head-to-head-only",
    "X.4": "per-comparison",
    "X.5": "raw-count",
    "X.6": "matched",
    "X.7": "paradox-rule-wins",
    "X.9": "outnumbered",
    "X.10": "none",
    "X.11": "never",
    "X.12": "no-effect",
    "X.15": "no",
}
"""The issues that the document settles: these choices are played whatever is asked for.

Of its two options BELEAGUERED_DISRUPTS is X.8. The other, that an order which needs a unit that does not exist becomes
a hold, is 4.E.1 (`missing_fleet_holds`).
"""


def resolve(orders: MovementOrders) -> Outcome:
    """Take the ten steps."""
    judge = Judge(orders)
    step_1_mark_invalid_convoy_orders(judge)
    step_2_mark_invalid_support_orders(judge)
    step_3_cut_supports_by_non_convoyed_attacks(judge)
    _decide_convoys(judge)
    _decide_bounces(judge)
    step_10_make_all_successful_moves(judge)
    return judge.outcome()


def _decide_convoys(judge: Judge) -> None:
    """Steps 4 and 5, until no further convoy succeeds."""
    grew = True
    while grew:
        while step_4_find_endangered_convoys(judge):
            pass
        grew = step_5_mark_convoy_disruptions(judge)


def _decide_bounces(judge: Judge) -> None:
    """Steps 6 to 9: whatever step marks something sends the judge back to step 6."""
    changed = True
    while changed:
        changed = (
            step_6_mark_bounces_of_swaps(judge)
            or step_7_mark_bounces_of_understrength_attackers(judge)
            or step_8_mark_bounces_of_self_dislodgement(judge)
            or step_9_mark_supports_cut_by_dislodgements(judge)
        )


PROCEDURE: Procedure = procedure_by_document(resolve, FIXED)
