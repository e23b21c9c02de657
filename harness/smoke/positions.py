"""The positions of the smoke test: plain ones, which every ruleset plays alike."""

from __future__ import annotations

from collections.abc import Sequence

from ...reference_engine import (
    Build,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Phase,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    write_order,
)
from ..answers import PhaseInput


def movement_and_retreat() -> Sequence[PhaseInput]:
    """Ask for a dislodgement, a bounce and a fleet that moves, and then for the retreat."""
    units = (
        Unit("FRANCE", "A", "PAR"),
        Unit("FRANCE", "A", "GAS"),
        Unit("GERMANY", "A", "BUR"),
        Unit("AUSTRIA", "A", "VIE"),
        Unit("ITALY", "A", "VEN"),
        Unit("ENGLAND", "F", "NTH"),
    )
    orders = (
        ("FRANCE", Move(OrderedUnit("PAR", "A"), "BUR")),
        ("FRANCE", SupportMove(OrderedUnit("GAS", "A"), OrderedUnit("PAR", "A"), "BUR")),
        ("GERMANY", Hold(OrderedUnit("BUR", "A"))),
        ("AUSTRIA", Move(OrderedUnit("VIE", "A"), "TYR")),
        ("ITALY", Move(OrderedUnit("VEN", "A"), "TYR")),
        ("ENGLAND", Move(OrderedUnit("NTH", "F"), "HOL")),
    )
    retreat = ("GERMANY", Retreat(OrderedUnit("BUR", "A"), "BEL"))
    return movement(units, orders), _phase("retreat", (), (retreat,))._replace(follows=True)


def adjustment_position() -> PhaseInput:
    """Ask for a build and a removal."""
    units = (
        Unit("FRANCE", "A", "BRE"),
        Unit("FRANCE", "F", "MAO"),
        Unit("GERMANY", "A", "RUH"),
        Unit("GERMANY", "F", "NTH"),
    )
    orders = (
        ("FRANCE", Build(OrderedUnit("PAR", "A"))),
        ("GERMANY", Remove(OrderedUnit("NTH", "F"))),
    )
    centers = {"FRANCE": ("BRE", "MAR", "PAR"), "GERMANY": ("MUN",)}
    return _phase("adjustment", units, orders)._replace(season="winter", centers=centers)


def single_order(power: str, order: Order) -> PhaseInput:
    """Ask for one order to a French army in Paris."""
    return movement((Unit("FRANCE", "A", "PAR"),), [(power, order)])


def supports_out_of_reach() -> PhaseInput:
    """Ask for two supports out of reach, which change nothing: to hold Munich, and for a move to Trieste."""
    units = (
        Unit("GERMANY", "A", "MUN"),
        Unit("ENGLAND", "F", "LON"),
        Unit("FRANCE", "A", "BUR"),
        Unit("FRANCE", "A", "RUH"),
        Unit("AUSTRIA", "A", "VIE"),
        Unit("TURKEY", "A", "SMY"),
        Unit("ITALY", "A", "TRI"),
    )
    burgundy, vienna = OrderedUnit("BUR", "A"), OrderedUnit("VIE", "A", "AUSTRIA")
    orders = (
        ("GERMANY", Hold(OrderedUnit("MUN", "A"))),
        ("ENGLAND", SupportHold(OrderedUnit("LON", "F"), OrderedUnit("MUN", "A", "GERMANY"))),
        ("FRANCE", Move(burgundy, "MUN")),
        ("FRANCE", SupportMove(OrderedUnit("RUH", "A"), burgundy, "MUN")),
        ("AUSTRIA", Move(OrderedUnit("VIE", "A"), "TRI")),
        ("TURKEY", SupportMove(OrderedUnit("SMY", "A"), vienna, "TRI")),
        ("ITALY", Hold(OrderedUnit("TRI", "A"))),
    )
    return movement(units, orders)


def own_and_foreign_order() -> PhaseInput:
    """Ask for the orders of France to two armies, before and behind those of Germany to the same armies."""
    units = (Unit("FRANCE", "A", "PAR"), Unit("FRANCE", "A", "MAR"))
    orders = (
        ("GERMANY", Move(OrderedUnit("MAR", "A"), "PIE")),
        ("FRANCE", Move(OrderedUnit("PAR", "A"), "BUR")),
        ("FRANCE", Move(OrderedUnit("MAR", "A"), "SPA")),
        ("GERMANY", Move(OrderedUnit("PAR", "A"), "PIC")),
    )
    return movement(units, orders)


def movement(units: tuple[Unit, ...], orders: Sequence[tuple[str, Order]]) -> PhaseInput:
    """Ask for the orders of powers to units in a movement phase."""
    return _phase("movement", units, orders)


def _phase(phase: Phase, units: tuple[Unit, ...], orders: Sequence[tuple[str, Order]]) -> PhaseInput:
    texts = [write_order(order, "names") for _, order in orders]
    return PhaseInput(phase, [GivenOrder(*each) for each in orders], units, texts=texts)
