"""The Diplomacy Player's Technical Guide of 1998: the twenty steps of chapter VIII.

Chapters IX, XII and VII (what is legal), XI (retreats) and XIII (adjustments) are the engine's own with the choices of
the document.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...choices import CONVOY_PATHS
from ...movement import MovementOrders, Outcome
from ...position import NO_PATH, VOID
from ...resolved_order import CONVOY
from ...routes import set_of
from .. import Procedure, procedure_by_document
from .battles import Field, steps_14_to_20
from .subversion import steps_5_to_13

FIXED: Mapping[str, str] = {
    "4.A.1": "any-route",
    "4.A.2": "dptg",
    "4.A.3": "dptg-explicit",
    "4.A.4": "cut",
    "4.A.5": "retreat-to-origin",
    "4.A.7": "head-to-head-only",
    "v3.2-4.A.4": "starting-position",
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


def step_1_cancel_inconsistent_convoys(field: Field) -> Mapping[int, tuple[int, ...]]:
    """Cancel the moves by convoy for which no fleets cooperate that lay a route, and the convoy orders of no use.

    For each army with a convoy, the fleets of it are left.
    """
    field.convoyed.update(field.orders.armies_by_convoy())
    convoys = {army: fleets_that_take_part(field, army) for army in field.convoyed}
    for army in [army for army, fleets in convoys.items() if not fleets]:
        del convoys[army]
        field.cancel_attack(army, NO_PATH)
    convoying = {fleet for fleets in convoys.values() for fleet in fleets}
    for fleet, effect in enumerate(field.effects):
        if effect.kind == CONVOY and fleet not in convoying:
            field.failures[fleet] = VOID
    return convoys


def fleets_that_take_part(field: Field, army: int) -> tuple[int, ...]:
    """Return the fleets of an army's convoy, only its countrymen where these suffice; empty without a whole route."""
    position, target = field.position, field.attacks[army]
    cooperating = {
        position.home[fleet]: fleet
        for fleet, effect in enumerate(field.effects)
        if effect.kind == CONVOY and effect.helped == position.home[army] and effect.target == target
    }
    convoy_path = CONVOY_PATHS[field.orders.ruleset.choices["4.A.6"]]
    cooperating = convoy_path.convoying(cooperating, field.effects[army].path)
    countrymen = {sea: fleet for sea, fleet in cooperating.items() if field.are_countrymen(fleet, army)}
    return _on_a_route(field, army, countrymen) or _on_a_route(field, army, cooperating)


def _on_a_route(field: Field, army: int, fleets: Mapping[int, int]) -> tuple[int, ...]:
    """Those of some fleets, by their sea, that lie on a route: one that passes through no body of water twice."""
    seas = 0
    for route in field.position.board.routes.simple_paths(
        field.position.home[army], field.attacks[army], set_of(fleets)
    ):
        seas |= route
    return tuple(fleet for sea, fleet in fleets.items() if seas >> sea & 1)


def step_2_list_convoys(field: Field, convoys: Mapping[int, tuple[int, ...]]) -> None:
    """Make the list of convoys, from which steps 7, 12 and 13 strike them."""
    field.convoys.update(convoys)


def step_3_cancel_inconsistent_supports(field: Field) -> None:
    """Cancel the supports to hold of who is ordered to move, and those of a move that is not attempted."""
    position, disordered = field.position, field.orders.disordered
    for supporter, supported in list(field.supports.items()):
        space = field.effects[supporter].target
        if space == position.home[supported]:
            matches = not field.is_ordered_to_move(supported) and position.power[supported] not in disordered
        else:
            matches = field.attacks.get(supported) == space
        if not matches:
            field.cancel_support(supporter, VOID)


def step_4_let_direct_attacks_cut_support(field: Field) -> None:
    """Cut the supports of who is attacked directly, but by a countryman (A) or by the target of the support (B)."""
    for attacker, space in field.attacks.items():
        supporter = field.occupant(space)
        if attacker in field.convoyed or supporter is None or supporter not in field.supports:
            continue
        is_target = field.effects[supporter].target == field.position.home[attacker]
        if not field.are_countrymen(attacker, supporter) and not is_target:
            field.cancel_support(supporter)


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
