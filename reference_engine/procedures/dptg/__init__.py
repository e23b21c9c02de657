"""The Diplomacy Player's Technical Guide of 1998: the twenty steps of chapter VIII.

Chapters IX, XII and VII (what is legal), XI (retreats) and XIII (adjustments) are the engine's own with the choices of
the document.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...movement import MovementOrders, Outcome
from .. import Procedure
from ..by_document import procedure_by_document
from .battles import steps_14_to_20
from .consistency import (
    step_1_cancel_inconsistent_convoys,
    step_2_list_convoys,
    step_3_cancel_inconsistent_supports,
    step_4_let_direct_attacks_cut_support,
)
from .field import Field
from .subversion import steps_5_to_13

FIXED: Mapping[str, str] = {
    "4.A.1": "any-route",
    "4.A.2": "dptg",
    "4.A.3": "dptg-explicit",
    "4.A.4": "cut",
    "4.A.5": "retreat-to-origin",
    "4.A.7": "head-to-head-only",
    "4.B.1": "fail",
    "4.B.2": "only-possible",
    "4.B.4": "ignored",
    "4.C.4": "fail",
    "4.D.7": "allowed",
    "4.D.8": "dptg",
    "4.E.1": "any-writing",
    "X.1": "countrymen-preferred",
    "X.2": "simple-path",
    "X.3": "legal-if-on-any-route",
    "X.4": "grand-winner",
    "X.5": "attack-vs-defend",
    "X.8": "safe",
    "X.9": "fleet-dislodged",
    "X.10": "none",
    "X.11": "never",
    "X.12": "no-effect",
    "X.15": "no",
    "X.17": "dptg-list",
}
"""The issues that the document settles: these choices are played whatever is asked for."""


def resolve(orders: MovementOrders) -> Outcome:
    """Take the twenty steps."""
    field = Field(orders)
    step_2_list_convoys(field, step_1_cancel_inconsistent_convoys(field))
    step_3_cancel_inconsistent_supports(field)
    step_4_let_direct_attacks_cut_support(field)
    steps_5_to_13(field)
    steps_14_to_20(field)
    return field.outcome()


PROCEDURE: Procedure = procedure_by_document(resolve, FIXED)
