"""Why a dislodged unit may retreat to a province or not, and the outcomes of orders to retreat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...reference_engine import (
    Disband,
    Dislodged,
    GivenOrder,
    Move,
    Order,
    Position,
    Reason,
    Retreat,
    Ruleset,
    Unit,
    province_code,
    standard_board,
)
from ...reference_engine.explanation import MovementExplanation
from ..wording import listed
from .words import owned, place, unit_words


@dataclass(frozen=True)
class RetreatProvince:
    """A location next to a dislodged unit."""

    location: str
    is_open: bool
    why: str
    """Why it is open or closed, in words."""


@dataclass(frozen=True)
class RetreatExplanation:
    """Where a dislodged unit may retreat to."""

    power: str
    unit: str
    location: str
    attacked_from: str | None
    provinces: Sequence[RetreatProvince]
    """Every location that it could move to, if nothing closed it."""

    @property
    def closed(self) -> str:
        """The closed locations with the reasons, in words, or an empty text."""
        closed = [f"{place(each.location)} ({each.why})" for each in self.provinces if not each.is_open]
        return listed(closed) if closed else ""


def explain_retreats(
    dislodged: Iterable[Dislodged],
    units: Sequence[Unit],
    ruleset: Ruleset,
    movement: MovementExplanation | None = None,
    before: Mapping[Unit, RetreatExplanation] | None = None,
) -> Sequence[RetreatExplanation]:
    """Say of each location next to a dislodged unit why it is open or closed.

    Args:
        dislodged: The dislodged units.
        units: What stands on the board after the movement.
        ruleset: The rules in force.
        movement: The movement phase, if it can be explained: it tells who contested a province.
        before: What was said of the same units after the movement phase, which is kept.
    """
    known = before or {}
    return [known.get(entry.unit) or _explain(entry, units, ruleset, movement) for entry in dislodged]


def _explain(
    entry: Dislodged, units: Sequence[Unit], ruleset: Ruleset, movement: MovementExplanation | None
) -> RetreatExplanation:
    standing = {province_code(unit.location): unit for unit in units}
    provinces: list[RetreatProvince] = []
    for location in standard_board().destinations(entry.unit):
        is_open = location in (entry.retreats or ())
        why = (
            _why_open(entry, location, ruleset)
            if is_open
            else _why_closed(entry, province_code(location), standing, movement)
        )
        provinces.append(RetreatProvince(location, is_open, why))
    return RetreatExplanation(
        entry.unit.power, unit_words(entry.unit), entry.unit.location, entry.attacked_from, provinces
    )


def _why_open(entry: Dislodged, location: str, ruleset: Ruleset) -> str:
    if province_code(location) != entry.attacked_from:
        return "adjacent and vacant, without a standoff"
    issue = "4.A.5" if ruleset.choices["4.A.5"] == "retreat-to-origin" else "v3.2-4.A.4"
    return f"its attacker came from there, but by convoy ({issue} = {ruleset.choices[issue]})"


def _why_closed(
    entry: Dislodged, province: str, standing: Mapping[str, Unit], movement: MovementExplanation | None
) -> str:
    if province in standing:
        return f"{owned(standing[province])} stands there"
    if province == entry.attacked_from:
        return "its attacker came from there"
    if movement is None:
        return "a standoff left it vacant"
    contesting = movement.standoff(movement.position.board.number[province])
    return f"contested by {listed(unit_words(movement.position.units[unit]) for unit in contesting)}"


def why_no_retreat(
    position: Position, retreats: Sequence[RetreatExplanation], given: GivenOrder, reason: Reason, ruleset: Ruleset
) -> Iterable[str]:
    """Say why an order of a retreat phase failed."""
    order = given.order
    if reason == "ignored":
        yield _why_ignored(ruleset)
    elif reason == "bounced" and isinstance(order, Retreat):
        yield f"another unit retreats to {place(province_code(order.to))}, too, and they are disbanded"
    elif reason == "illegal":
        yield from _why_illegal(position, retreats, given.power, order, ruleset)


def _why_ignored(ruleset: Ruleset) -> str:
    choice = ruleset.choices["4.D.3"]
    if choice == "illegal-hold":
        return f"there are several orders to the same unit, so it follows none (4.D.3 = {choice})"
    return f"the unit follows another of its orders (4.D.3 = {choice})"


def _why_illegal(
    position: Position, retreats: Sequence[RetreatExplanation], power: str, order: Order | None, ruleset: Ruleset
) -> Iterable[str]:
    if order is None:
        yield "it cannot be read as an order"
        return
    if not isinstance(order, (Retreat, Disband)):
        yield "a retreat has no convoy" if isinstance(order, Move) else "it is an order of another phase"
        return
    at = province_code(order.unit.location)
    account = next((each for each in retreats if province_code(each.location) == at), None)
    if account is None:
        yield f"no unit was dislodged from {place(at)}"
    elif account.power != power or order.unit.power not in (None, power):
        yield f"it is for {position.board.power_name(account.power)}'s {account.unit}"
    elif isinstance(order, Disband):
        yield f"it does not name {account.unit} correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"
    else:
        yield _why_not_there(account, order, ruleset)
        may_go = [place(each.location) for each in account.provinces if each.is_open]
        yield f"it may retreat to {listed(may_go)}" if may_go else "it has no retreat"


def _why_not_there(account: RetreatExplanation, order: Retreat, ruleset: Ruleset) -> str:
    """Say why a dislodged unit may not retreat where its order says."""
    there = [each for each in account.provinces if province_code(each.location) == province_code(order.to)]
    if not there:
        return f"{account.unit} cannot go to {place(order.to)}"
    exact = [each for each in there if each.location == order.to] or there
    if not any(each.is_open for each in exact):
        return exact[0].why
    if order.to in {each.location for each in there}:
        return f"it does not name {account.unit} correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"
    if "/" not in order.to:
        issue = "4.B.1" if len(there) > 1 else "4.B.2"
        coasts = " or ".join(place(each.location) for each in there)
        return f"it does not say to which coast: {coasts} ({issue} = {ruleset.choices[issue]})"
    issue = "4.B.3" if order.to in standard_board().number else "4.B.6"
    return f"{account.unit} cannot go to {place(order.to)} ({issue} = {ruleset.choices[issue]})"
