"""The positions of the smoke test: plain ones, which every ruleset plays alike."""

from __future__ import annotations

import msgspec

from ...adapters import (
    AdjudicateParams,
    AdjudicateResult,
    Notation,
    UnitMessage,
    given_order_message,
    ruleset_message,
)
from ...adapters.builtin import Reference
from ...adapters.protocol import GivenOrderMessage
from ...reference_engine import (
    DATC_3_1,
    Build,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Remove,
    Retreat,
    Submitted,
    SupportMove,
    UnitType,
    write_order,
)

_RULES = ruleset_message(DATC_3_1)


def movement_position(notation: Notation) -> tuple[AdjudicateParams, AdjudicateResult]:
    """Ask for a dislodgement, a bounce, and a fleet that moves; give what is expected, too."""
    params = AdjudicateParams(
        phase="movement",
        ruleset=_RULES,
        units=[
            _unit("FRANCE", "A", "PAR"),
            _unit("FRANCE", "A", "GAS"),
            _unit("GERMANY", "A", "BUR"),
            _unit("AUSTRIA", "A", "VIE"),
            _unit("ITALY", "A", "VEN"),
            _unit("ENGLAND", "F", "NTH"),
        ],
        orders=[
            given_order("FRANCE", Move(OrderedUnit("PAR", "A"), "BUR"), notation),
            given_order("FRANCE", SupportMove(OrderedUnit("GAS", "A"), OrderedUnit("PAR", "A"), "BUR"), notation),
            given_order("GERMANY", Hold(OrderedUnit("BUR", "A")), notation),
            given_order("AUSTRIA", Move(OrderedUnit("VIE", "A"), "TYR"), notation),
            given_order("ITALY", Move(OrderedUnit("VEN", "A"), "TYR"), notation),
            given_order("ENGLAND", Move(OrderedUnit("NTH", "F"), "HOL"), notation),
        ],
    )
    return params, Reference().adjudicate(params)


def retreat_position(answer: AdjudicateResult, notation: Notation) -> tuple[AdjudicateParams, AdjudicateResult]:
    """Ask for the retreat of the unit dislodged before, going on from what the engine itself answered there."""
    _, before = movement_position(notation)
    asked = AdjudicateParams(
        phase="retreat",
        ruleset=_RULES,
        units=answer.units,
        dislodged=answer.dislodged or [],
        orders=[given_order("GERMANY", Retreat(OrderedUnit("BUR", "A"), "BEL"), notation)],
        state=answer.state,
    )
    # The engine may leave out what the reference engine needs.
    by_the_reference = msgspec.structs.replace(asked, units=before.units, dislodged=before.dislodged or [])
    return asked, Reference().adjudicate(by_the_reference)


def adjustment_position(notation: Notation) -> AdjudicateParams:
    """Ask for a build and a removal."""
    return AdjudicateParams(
        phase="adjustment",
        season="winter",
        ruleset=_RULES,
        units=[
            _unit("FRANCE", "A", "BRE"),
            _unit("FRANCE", "F", "MAO"),
            _unit("GERMANY", "A", "RUH"),
            _unit("GERMANY", "F", "NTH"),
        ],
        centers={"FRANCE": ["BRE", "MAR", "PAR"], "GERMANY": ["MUN"]},
        orders=[
            given_order("FRANCE", Build(OrderedUnit("PAR", "A")), notation),
            given_order("GERMANY", Remove(OrderedUnit("NTH", "F")), notation),
        ],
    )


def single_order(power: str, order: Order, notation: Notation) -> AdjudicateParams:
    """Ask for one order to a French army in Paris."""
    return AdjudicateParams(
        phase="movement",
        ruleset=_RULES,
        units=[_unit("FRANCE", "A", "PAR")],
        orders=[given_order(power, order, notation)],
    )


def given_order(power: str, order: Order, notation: Notation) -> GivenOrderMessage:
    """Put an order into a request, as text in the notation and structured."""
    return given_order_message(Submitted(power, order), write_order(order, "names"), notation)


def _unit(power: str, unit_type: UnitType, location: str) -> UnitMessage:
    return UnitMessage(power=power, type=unit_type, location=location)
