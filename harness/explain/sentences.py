"""What every sentence of an explanation is made of, and why orders are illegal: of a movement, of a retreat phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from ...reference_engine import Dislodged, OrderedUnit, Position, Reason, Ruleset, Unit, province_code
from ...reference_engine.board import Province
from ...reference_engine.choices import CONVOY_PATHS
from ...reference_engine.explanation import MovementExplanation
from ...reference_engine.orders import (
    Convoy,
    Disband,
    GivenOrder,
    Hold,
    Move,
    MovementOrder,
    Order,
    Retreat,
    SupportHold,
    SupportMove,
)
from ...reference_engine.resolved_order import MOVE
from ...reports.vocabulary import Names, listed

UNREADABLE = "it cannot be read as an order"
OTHER_PHASE = "it is an order of another phase"


class Sentences(Names):
    """Writes sentences about a phase that was played under a ruleset."""

    def __init__(self, position: Position, ruleset: Ruleset) -> None:
        """`position` is that before the phase."""
        super().__init__(position.board)
        self.position: Position = position
        self.ruleset: Ruleset = ruleset

    def unit_at(self, location: str) -> Unit | None:
        """Return the unit that stands in the province of a location."""
        number = self.board.number.get(province_code(location), -1)
        index = self.position.occupant[number] if number >= 0 else -1
        return self.position.units[index] if index >= 0 else None

    def choice(self, issue: str) -> str:
        """Name the choice of an issue that is in force: `"4.B.3 = illegal"`."""
        return f"{issue} = {self.ruleset.choices[issue]}"

    def is_chosen(self, issue: str, choice: str) -> bool:
        return self.ruleset.choices[issue] == choice

    def no_unit(self, location: str) -> str:
        return f"there is no unit in {self.place(location)}"

    def not_named(self, unit: Unit) -> str:
        """Say that an order of a retreat or an adjustment phase does not name its unit."""
        return f"it does not name {self.unit(unit)} correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"

    def retreat_texts(self, retreat: RetreatExplanation) -> Iterable[str]:
        """Say where a dislodged unit may retreat to; then where it may not, the origin of its attacker first."""
        yield self.retreats([each.location for each in retreat.provinces if each.is_open])
        provinces = sorted(retreat.provinces, key=lambda each: province_code(each.location) != retreat.attacked_from)
        if closed := [f"{self.place(each.location)} ({each.why})" for each in provinces if not each.is_open]:
            yield f"it may not retreat to {listed(closed)}"

    def landings(self, unit: Unit, to: str) -> list[str]:
        """Return the locations of a province that a unit can move to."""
        return [each for each in self.board.destinations(unit) if province_code(each) == province_code(to)]

    def issue_of_landing(self, unit_type: str | None, location: str, reachable: int) -> str:
        """Return the issue that settles to which of the reachable coasts a unit goes whose order is not exact."""
        if "/" not in location:
            return "4.B.1" if reachable > 1 else "4.B.2"
        return "4.B.3" if unit_type == "F" and location in self.board.number else "4.B.6"

    def several_orders(self, *, follows_none: bool) -> str:
        what = "there are several orders to the same unit, so it follows none"
        return f"{what if follows_none else 'the unit follows another of its orders'} ({self.choice('4.D.3')})"


@final
class Legality(Sentences):
    """Writes sentences about orders of a movement phase that are wrong (DATC 4.E.1), or not exact."""

    def why_illegal(self, power: str, order: Order | None) -> str:
        if not isinstance(order, MovementOrder):
            return UNREADABLE if order is None else OTHER_PHASE
        unit = self.unit_at(order.unit.location)
        if unit is None:
            return self.no_unit(order.unit.location)
        if unit.power != power:
            return f"it is for {self.owned(unit)}, which belongs to another power"
        if order.unit.power not in (None, power):
            return f"it names another power than that of {self.owned(unit)}"
        wrong = self._wrongly_named(order.unit, unit)
        if wrong or isinstance(order, Hold):
            return wrong or "its unit is not named clearly"
        if isinstance(order, Move):
            return self._wrong_move(unit, order)
        return self._wrong_convoy(unit, order) if isinstance(order, Convoy) else self._wrong_support(unit, order)

    def how_read(self, order: Order | None, unit: Unit, landing: str) -> Iterable[str]:
        """Name the choices by which a unit follows an order that is not exact; `landing` is where its move leads."""
        ordered = getattr(order, "unit", None)
        if isinstance(ordered, OrderedUnit):
            counts = f"it counts for {self.unit(unit)}, though it names another"
            if ordered.type is None:
                yield f"it does not say army or fleet, and counts for {self.unit(unit)} ({self.choice('4.C.1')})"
            elif ordered.type != unit.type:
                yield f"{counts} kind of unit ({self.choice('4.C.2')})"
            if issue := self._issue_of_coast(ordered, unit):
                yield f"{counts} coast ({self.choice(issue)})"
        if isinstance(order, Move) and landing and order.to != landing:
            issue = self.issue_of_landing(unit.type, order.to, len(self.landings(unit, order.to)))
            counts = f"counts as a move to {self.place(landing)}"
            how = f"it {counts}, whatever coast it names" if "/" in order.to else f"it names no coast, and {counts}"
            yield f"{how} ({self.choice(issue)})"

    def _issue_of_coast(self, ordered: OrderedUnit, unit: Unit) -> str:
        """Return the issue that settles a wrong coast of an ordered unit: of a fleet, or of no coast; empty: none."""
        if "/" not in ordered.location or ordered.location == unit.location:
            return ""
        return "4.B.5" if unit.type == "F" and ordered.location in self.board.number else "4.B.6"

    def _wrongly_named(self, ordered: OrderedUnit, unit: Unit) -> str:
        issue = "4.C.1" if ordered.type is None else "4.C.2"
        stands = f"{self.unit(unit)} stands there"
        if ordered.type != unit.type and self.is_chosen(issue, "invalid"):
            wrong = "it does not say which kind of unit it means" if ordered.type is None else stands
            return f"{wrong} ({issue} = invalid)"
        issue = self._issue_of_coast(ordered, unit)
        return f"{stands}, not on that coast ({issue} = fail)" if issue and self.is_chosen(issue, "fail") else ""

    def _no_place(self, name: str) -> str:
        is_impassable = name.title() in self.board.impassable
        return f"no unit can enter {name.title()}" if is_impassable else f"there is no place {name} on the board"

    def _wrong_move(self, unit: Unit, order: Move) -> str:
        province = self.board.province(order.to)
        if province is None:
            return self._no_place(order.to)
        if (railway := self.board.railway) is not None and railway.name in order.path:
            line = listed(self.place(self.board.locations[station]) for station in railway.line)
            return f"only armies of {self.board.power_name(railway.power)} use the railway, along {line}"
        if province.code == province_code(unit.location):
            return "a unit cannot move to where it stands"
        if unit.type == "A":
            return self._wrong_army_move(unit, order, province)
        if province.terrain == "inland":
            return "a fleet cannot go inland"
        reachable = self.landings(unit, order.to)
        if not reachable:
            between = f"{self.place(unit.location)} and {self.place(province.code)}"
            return f"there is no border by sea or along a coast between {between}"
        if order.to in reachable:
            return "a fleet cannot be convoyed"
        coasts = self.places(reachable, " or ")
        choice = self.choice(self.issue_of_landing("F", order.to, len(reachable)))
        to = f"it can go to {coasts} only" if "/" in order.to else f"it does not say to which coast: {coasts}"
        return f"{to} ({choice})"

    def _wrong_army_move(self, unit: Unit, order: Move, province: Province) -> str:
        if province.terrain == "sea":
            return "an army cannot go to sea"
        if "/" in order.to and self.is_chosen("4.B.6", "fail"):
            return "an army cannot go to a coast (4.B.6 = fail)"
        for stop in order.path if CONVOY_PATHS[self.ruleset.choices["4.A.6"]].is_read else ():
            if (sea := self.board.province(stop)) is None or sea.terrain != "sea":
                leads = f"the path that it names leads over {self.place(stop)}"
                return f"{leads}, not over seas alone ({self.choice('4.A.6')})"
        no_fleets = "no fleets stand where they could convoy it"
        if province.code in self.board.destinations(unit):
            return f"it may not go over land ({self.choice('4.A.3')}), and {no_fleets}"
        return f"{self.place(province.code)} is not adjacent to {self.place(unit.location)}, and {no_fleets}"

    def _wrong_other(self, unit: Unit, named: OrderedUnit) -> str:
        other = self.unit_at(named.location)
        if other is None:
            return self.no_unit(named.location)
        if other == unit:
            return "a unit cannot support or convoy itself"
        if wrong := self._wrongly_named(named, other):
            return wrong
        issue = "4.C.5" if named.power is None else "4.C.6"
        is_wrong = other.power != (named.power or unit.power) and self.is_chosen(issue, "invalid")
        return f"it is {self.owned(other)} ({issue} = invalid)" if is_wrong else ""

    def _wrong_support(self, unit: Unit, order: SupportHold | SupportMove) -> str:
        if wrong := self._wrong_other(unit, order.supported):
            return wrong
        to = order.to if isinstance(order, SupportMove) else order.supported.location
        if self.board.province(to) is None:
            return self._no_place(to)
        if province_code(to) == province_code(unit.location) and isinstance(order, SupportMove):
            return "a unit cannot support a move to where it stands"
        if not self.landings(unit, to):
            return f"{self.unit(unit)} cannot go to {self.place(province_code(to))} itself"
        supported, named = self.unit_at(order.supported.location), order.supported
        if supported is not None and supported.type == "A":
            if "/" in to:
                return f"an army cannot go to a coast, as {self.place(to)} is (4.B.6 = fail)"
            home, target = self.board.number[supported.location], self.board.number[to]
            if self.board.routes.possible(home, target, self.position.fleets_at_sea()):
                convoyed = f"only if {self.unit(unit)} convoyed it (4.E.1, 6.D.31)"
                return f"{self.unit(supported)} could reach {self.place(to)} {convoyed}"
            named = supported
        return f"{self.unit(named)} cannot go to {self.place(to)}"

    def _wrong_convoy(self, unit: Unit, order: Convoy) -> str:
        if unit.type == "A":
            return "an army cannot convoy"
        if self.board.provinces[self.board.number[province_code(unit.location)]].terrain != "sea":
            return "a fleet can convoy only at sea"
        if wrong := self._wrong_other(unit, order.convoyed):
            return wrong
        army, province = self.unit_at(order.convoyed.location), self.board.province(order.to)
        if army is None or army.type == "F":
            return "a fleet cannot be convoyed"
        if province is None:
            return self._no_place(order.to)
        if province.code == army.location:
            return f"{self.unit(army)} stands there already"
        if "/" in order.to and self.is_chosen("4.B.6", "fail"):
            return f"an army cannot go to a coast, as {self.place(order.to)} is (4.B.6 = fail)"
        routes, at_sea = self.board.routes, self.position.fleets_at_sea()
        journey = f"{self.unit(army)} to {self.place(province.code)}"
        sea, home, target = (self.board.number[each] for each in (unit.location, army.location, province.code))
        if not routes.between(home, target):
            return f"no way by sea leads {journey}"
        if not routes.possible(home, target, at_sea):
            return f"the fleets at sea are no complete chain that could convoy {journey}"
        if any(path >> sea & 1 for path in routes.simple_paths(home, target, at_sea)):
            return f"the fleet is not needed: others could convoy {journey} without it ({self.choice('X.3')})"
        return f"the fleet is on no way by sea that could convoy {journey}"


@dataclass(frozen=True)
class RetreatProvince:
    """A location next to a dislodged unit."""

    location: str
    is_open: bool
    why: str


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

    def __init__(self, position: Position, ruleset: Ruleset, movement: MovementExplanation | None = None) -> None:
        """`movement` is the movement phase, if it can be explained: it tells who contested a province."""
        super().__init__(position, ruleset)
        self._movement = movement

    def explain(self, dislodged: Iterable[Dislodged], units: Iterable[Unit]) -> Sequence[RetreatExplanation]:
        """Say of each location next to a dislodged unit why it is open or closed; `units` stand on the board."""
        standing = {province_code(unit.location): unit for unit in units}
        by_convoy = self.choice("4.A.5" if self.is_chosen("4.A.5", "retreat-to-origin") else "v3.2-4.A.4")
        found: list[RetreatExplanation] = []
        for unit, attacked_from, retreats in dislodged:
            provinces: list[RetreatProvince] = []
            for location in self.board.destinations(unit):
                is_open, province = location in (retreats or ()), province_code(location)
                occupied = "" if is_open or province not in standing else self._occupied(standing[province])
                if province == attacked_from:
                    why = f"its attacker came from there{f', but by convoy ({by_convoy})' if is_open else ''}"
                    why += f", and {occupied}" if occupied else ""
                elif occupied:
                    why = occupied
                elif is_open:
                    why = "adjacent and vacant, without a standoff"
                elif self._movement is None:
                    why = "a standoff left it vacant"
                else:
                    contesting = self._movement.standoff(self.board.number[province])
                    why = f"{listed(self.unit(self.position.units[unit]) for unit in contesting)} stood off there"
                provinces.append(RetreatProvince(location, is_open, why))
            found.append(RetreatExplanation(unit.power, self.unit(unit), unit.location, attacked_from, provinces))
        return found

    def _occupied(self, unit: Unit) -> str:
        """Say which unit closes a province: by where it came from, if it moved there."""
        if self._movement is not None and unit not in self.position.units:
            equations, number = self._movement.equations, self.board.number[province_code(unit.location)]
            for mover, target in enumerate(equations.target):
                if target == number and equations.kind[mover] == MOVE and equations.resolution[mover]:
                    return f"{self.owned(self.position.units[mover])} moved there"
        return f"{self.owned(unit)} stands there"

    def dislodged(self, given: GivenOrder) -> str:
        """Name the dislodged unit that an order of its power is for, or return an empty text."""
        at = getattr(given.order, "unit", None)
        units = (entry.unit for entry in self.position.dislodged if entry.unit.power == given.power)
        names = [self.unit(unit) for unit in units if at and province_code(unit.location) == province_code(at.location)]
        return names[0] if names else ""

    def why_failed(self, retreats: Sequence[RetreatExplanation], given: GivenOrder, reason: Reason) -> Iterable[str]:
        order = given.order
        if reason == "ignored":
            yield self.several_orders(follows_none=self.is_chosen("4.D.3", "illegal-hold"))
        elif reason == "bounced" and isinstance(order, Retreat):
            loses = "a unit that comes over a difficult passage is" if self.board.difficult else "all of them are"
            yield f"another unit retreats to {self.place(province_code(order.to))}, too, and {loses} disbanded"
        elif reason == "illegal" and isinstance(order, (Retreat, Disband)):
            yield from self._why_illegal(retreats, given.power, order)
        elif reason == "illegal" and isinstance(order, Move):
            yield "a retreat has no convoy"
        elif reason == "illegal":
            yield UNREADABLE if order is None else OTHER_PHASE

    def _why_illegal(
        self, retreats: Sequence[RetreatExplanation], power: str, order: Retreat | Disband
    ) -> Iterable[str]:
        at = province_code(order.unit.location)
        unit = next((entry.unit for entry in self.position.dislodged if province_code(entry.unit.location) == at), None)
        explained = next((each for each in retreats if province_code(each.location) == at), None)
        if explained is None or unit is None:
            yield f"no unit was dislodged from {self.place(at)}"
        elif unit.power != power or order.unit.power not in (None, power):
            yield f"it is for {self.owned(unit)}"
        elif isinstance(order, Disband):
            yield self.not_named(unit)
        else:
            yield self._why_not_there(unit, explained, order)
            yield self.retreats([each.location for each in explained.provinces if each.is_open])

    def _why_not_there(self, unit: Unit, explained: RetreatExplanation, order: Retreat) -> str:
        there = [each for each in explained.provinces if province_code(each.location) == province_code(order.to)]
        cannot = f"{self.unit(unit)} cannot go to {self.place(order.to)}"
        if not there:
            return cannot
        exact = [each for each in there if each.location == order.to] or there
        if not any(each.is_open for each in exact):
            return exact[0].why
        if exact[0].location == order.to:
            return self.not_named(unit)
        coasts = self.places((each.location for each in there), " or ")
        says = cannot if "/" in order.to else f"it does not say to which coast: {coasts}"
        return f"{says} ({self.choice(self.issue_of_landing(unit.type, order.to, len(there)))})"
