"""Why a dislodged unit may retreat to a province or not, and why an order of a retreat phase failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

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
)
from ...reference_engine.board import Board
from ...reference_engine.explanation import MovementExplanation
from ...reports.vocabulary import listed
from .sentences import Sentences


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


@final
class RetreatSentences(Sentences):
    """Writes sentences about dislodged units."""

    def __init__(self, board: Board, ruleset: Ruleset, movement: MovementExplanation | None = None) -> None:
        """`movement` is the movement phase, if it can be explained: it tells who contested a province."""
        super().__init__(board, ruleset)
        self._movement = movement

    def explain(self, dislodged: Iterable[Dislodged], units: Iterable[Unit]) -> Sequence[RetreatExplanation]:
        """Say of each location next to a dislodged unit why it is open or closed; `units` stand on the board."""
        standing = {province_code(unit.location): unit for unit in units}
        return [self._explain(entry, standing) for entry in dislodged]

    def closed(self, explained: RetreatExplanation) -> str:
        """Name the closed locations with the reasons, or return an empty text."""
        closed = [f"{self.place(each.location)} ({each.why})" for each in explained.provinces if not each.is_open]
        return listed(closed) if closed else ""

    def why_failed(
        self, position: Position, retreats: Sequence[RetreatExplanation], given: GivenOrder, reason: Reason
    ) -> Iterable[str]:
        """Say why an order of a retreat phase failed."""
        order = given.order
        if reason == "ignored":
            yield self.several_orders(follows_none=self.is_chosen("4.D.3", "illegal-hold"))
        elif reason == "bounced" and isinstance(order, Retreat):
            yield f"another unit retreats to {self.place(province_code(order.to))}, too, and they are disbanded"
        elif reason == "illegal":
            yield from self._why_illegal(position, retreats, given.power, order)

    def _explain(self, entry: Dislodged, standing: Mapping[str, Unit]) -> RetreatExplanation:
        provinces: list[RetreatProvince] = []
        for location in self.board.destinations(entry.unit):
            is_open = location in (entry.retreats or ())
            why = self._why_open(entry, location) if is_open else self._why_closed(entry, location, standing)
            provinces.append(RetreatProvince(location, is_open, why))
        unit = entry.unit
        return RetreatExplanation(unit.power, self.unit(unit), unit.location, entry.attacked_from, provinces)

    def _why_open(self, entry: Dislodged, location: str) -> str:
        if province_code(location) != entry.attacked_from:
            return "adjacent and vacant, without a standoff"
        issue = "4.A.5" if self.is_chosen("4.A.5", "retreat-to-origin") else "v3.2-4.A.4"
        return f"its attacker came from there, but by convoy ({self.choice(issue)})"

    def _why_closed(self, entry: Dislodged, location: str, standing: Mapping[str, Unit]) -> str:
        province = province_code(location)
        if province in standing:
            return f"{self.owned(standing[province])} stands there"
        if province == entry.attacked_from:
            return "its attacker came from there"
        if self._movement is None:
            return "a standoff left it vacant"
        contesting = self._movement.standoff(self.board.number[province])
        return f"contested by {listed(self.unit(self._movement.position.units[unit]) for unit in contesting)}"

    def _why_illegal(
        self, position: Position, retreats: Sequence[RetreatExplanation], power: str, order: Order | None
    ) -> Iterable[str]:
        if order is None:
            yield "it cannot be read as an order"
            return
        if not isinstance(order, (Retreat, Disband)):
            yield "a retreat has no convoy" if isinstance(order, Move) else "it is an order of another phase"
            return
        at = province_code(order.unit.location)
        units = {province_code(entry.unit.location): entry.unit for entry in position.dislodged}
        explained = next((each for each in retreats if province_code(each.location) == at), None)
        if explained is None or at not in units:
            yield f"no unit was dislodged from {self.place(at)}"
        elif units[at].power != power or order.unit.power not in (None, power):
            yield f"it is for {self.owned(units[at])}"
        elif isinstance(order, Disband):
            yield self.not_named(units[at])
        else:
            yield self._why_not_there(units[at], explained, order)
            yield self.retreats([each.location for each in explained.provinces if each.is_open])

    def _why_not_there(self, unit: Unit, explained: RetreatExplanation, order: Retreat) -> str:
        """Say why a dislodged unit may not retreat where its order says."""
        there = [each for each in explained.provinces if province_code(each.location) == province_code(order.to)]
        if not there:
            return f"{self.unit(unit)} cannot go to {self.place(order.to)}"
        exact = [each for each in there if each.location == order.to] or there
        if not any(each.is_open for each in exact):
            return exact[0].why
        if order.to in {each.location for each in there}:
            return self.not_named(unit)
        choice = self.choice(self.issue_of_landing(unit.type, order.to, len(there)))
        if "/" not in order.to:
            coasts = self.places((each.location for each in there), " or ")
            return f"it does not say to which coast: {coasts} ({choice})"
        return f"{self.unit(unit)} cannot go to {self.place(order.to)} ({choice})"
