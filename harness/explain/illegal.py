"""Why an order of a movement phase is illegal (DATC 4.E.1), and how one is followed that is not exact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from ...reference_engine import (
    Convoy,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Ruleset,
    SupportHold,
    SupportMove,
    Unit,
    province_code,
)
from ...reference_engine.board import Province
from ...reference_engine.choices import CONVOY_PATHS
from .sentences import Sentences


@final
class Legality(Sentences):
    """Writes sentences about orders that are wrong, or not exact."""

    def __init__(self, position: Position, ruleset: Ruleset) -> None:
        super().__init__(position.board, ruleset)
        self._position = position

    def why_illegal(self, power: str, order: Order | None) -> str:
        """Say what is wrong with an illegal order of a movement phase."""
        if order is None:
            return "it cannot be read as an order"
        if not isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
            return "it is an order of another phase"
        unit = self._unit_at(order.unit)
        if unit is None:
            return f"there is no unit in {self.place(order.unit.location)}"
        if unit.power != power:
            return f"it is for {self.owned(unit)}, which belongs to another power"
        if order.unit.power not in (None, power):
            return f"it names another power than that of {self.owned(unit)}"
        if wrong := self._wrongly_named(order.unit, unit):
            return wrong
        match order:
            case Move():
                return self._wrong_move(unit, order)
            case SupportHold() | SupportMove():
                return self._wrong_support(unit, order)
            case Convoy():
                return self._wrong_convoy(unit, order)
            case Hold():
                return "its unit is not named clearly"

    def how_read(self, order: Order | None, unit: Unit, landing: str) -> Iterable[str]:
        """Name the choices by which a unit follows an order that is not exact; `landing` is where its move leads."""
        ordered = getattr(order, "unit", None)
        if isinstance(ordered, OrderedUnit):
            counts = f"it counts for {self.unit(unit)}, though it names another"
            if ordered.type is None:
                yield f"it does not say army or fleet, and counts for {self.unit(unit)} ({self.choice('4.C.1')})"
            elif ordered.type != unit.type:
                yield f"{counts} kind of unit ({self.choice('4.C.2')})"
            if "/" in ordered.location and ordered.location != unit.location:
                yield f"{counts} coast ({self.choice(self.issue_of_coast(unit, ordered.location))})"
        if isinstance(order, Move) and landing and order.to != landing:
            issue = self.issue_of_landing(unit.type, order.to, len(self._landings(unit, order.to)))
            counts = f"counts as a move to {self.place(landing)}"
            how = f"it {counts}, whatever coast it names" if "/" in order.to else f"it names no coast, and {counts}"
            yield f"{how} ({self.choice(issue)})"

    def _unit_at(self, ordered: OrderedUnit) -> Unit | None:
        number = self.board.number.get(province_code(ordered.location), -1)
        index = self._position.occupant[number] if number >= 0 else -1
        return self._position.units[index] if index >= 0 else None

    def _landings(self, unit: Unit, to: str) -> list[str]:
        """Return the locations of a province that a unit can move to."""
        return [each for each in self.board.destinations(unit) if province_code(each) == province_code(to)]

    def _wrongly_named(self, ordered: OrderedUnit, unit: Unit) -> str:
        """Say what is wrong with the type or the coast that an order gives a unit."""
        issue = "4.C.1" if ordered.type is None else "4.C.2"
        if ordered.type != unit.type and self.is_chosen(issue, "invalid"):
            stands = f"{self.unit(unit)} stands there"
            wrong = "it does not say which kind of unit it means" if ordered.type is None else stands
            return f"{wrong} ({issue} = invalid)"
        issue = self.issue_of_coast(unit, ordered.location)
        if "/" in ordered.location and ordered.location != unit.location and self.is_chosen(issue, "fail"):
            return f"{self.unit(unit)} stands there, not on that coast ({issue} = fail)"
        return ""

    def _no_place(self, name: str) -> str:
        if name.title() in self.board.impassable:
            return f"no unit can enter {name.title()}"
        return f"there is no place {name} on the board"

    def _wrong_move(self, unit: Unit, order: Move) -> str:
        province = self.board.province(order.to)
        if province is None:
            return self._no_place(order.to)
        if province.code == province_code(unit.location):
            return "a unit cannot move to where it stands"
        return (self._wrong_army_move if unit.type == "A" else self._wrong_fleet_move)(unit, order, province)

    def _wrong_army_move(self, unit: Unit, order: Move, province: Province) -> str:
        if province.terrain == "sea":
            return "an army cannot go to sea"
        if "/" in order.to and self.is_chosen("4.B.6", "fail"):
            return "an army cannot go to a coast (4.B.6 = fail)"
        if CONVOY_PATHS[self.ruleset.choices["4.A.6"]].is_read:
            stops = {stop: self.board.province(stop) for stop in order.path}
            on_land = [stop for stop, each in stops.items() if each is None or each.terrain != "sea"]
            if on_land:
                leads = f"the path that it names leads over {self.place(on_land[0])}"
                return f"{leads}, not over seas alone ({self.choice('4.A.6')})"
        no_fleets = "no fleets stand where they could convoy it"
        if province.code in self.board.destinations(unit):
            return f"it may not go over land ({self.choice('4.A.3')}), and {no_fleets}"
        return f"{self.place(province.code)} is not adjacent to {self.place(unit.location)}, and {no_fleets}"

    def _wrong_fleet_move(self, unit: Unit, order: Move, province: Province) -> str:
        if province.terrain == "inland":
            return "a fleet cannot go inland"
        reachable = self._landings(unit, order.to)
        if not reachable:
            between = f"{self.place(unit.location)} and {self.place(province.code)}"
            return f"there is no border by sea or along a coast between {between}"
        coasts, issue = self.places(reachable, " or "), self.issue_of_landing("F", order.to, len(reachable))
        if order.to in reachable:
            return "a fleet cannot be convoyed"
        if "/" not in order.to:
            return f"it does not say to which coast: {coasts} ({self.choice(issue)})"
        return f"it can go to {coasts} only ({self.choice(issue)})"

    def _wrong_other(self, unit: Unit, named: OrderedUnit) -> str:
        """Say what is wrong with the unit that a support or convoy order is for."""
        other = self._unit_at(named)
        if other is None:
            return f"there is no unit in {self.place(named.location)}"
        if other == unit:
            return "a unit cannot support or convoy itself"
        if wrong := self._wrongly_named(named, other):
            return wrong
        issue = "4.C.5" if named.power is None else "4.C.6"
        if other.power != (named.power or unit.power) and self.is_chosen(issue, "invalid"):
            return f"it is {self.owned(other)} ({issue} = invalid)"
        return ""

    def _wrong_support(self, unit: Unit, order: SupportHold | SupportMove) -> str:
        if wrong := self._wrong_other(unit, order.supported):
            return wrong
        to = order.to if isinstance(order, SupportMove) else order.supported.location
        if self.board.province(to) is None:
            return self._no_place(to)
        if not self._landings(unit, to):
            return f"{self.unit(unit)} cannot go to {self.place(province_code(to))} itself"
        supported = self._unit_at(order.supported)
        if supported is None or supported.type == "F":
            return f"{self.unit(order.supported)} cannot go to {self.place(to)}"
        if "/" in to:
            return f"an army cannot go to a coast, as {self.place(to)} is (4.B.6 = fail)"
        home, target = self.board.number[supported.location], self.board.number[to]
        if self.board.routes.possible(home, target, self._position.fleets_at_sea()):
            convoyed = f"only if {self.unit(unit)} convoyed it (4.E.1, 6.D.31)"
            return f"{self.unit(supported)} could reach {self.place(to)} {convoyed}"
        return f"{self.unit(supported)} cannot go to {self.place(to)}"

    def _wrong_convoy(self, unit: Unit, order: Convoy) -> str:
        if unit.type == "A":
            return "an army cannot convoy"
        if self.board.provinces[self.board.number[province_code(unit.location)]].terrain != "sea":
            return "a fleet can convoy only at sea"
        if wrong := self._wrong_other(unit, order.convoyed):
            return wrong
        army = self._unit_at(order.convoyed)
        if army is None or army.type == "F":
            return "a fleet cannot be convoyed"
        province = self.board.province(order.to)
        if province is None:
            return self._no_place(order.to)
        if province.code == army.location:
            return f"{self.unit(army)} stands there already"
        if "/" in order.to and self.is_chosen("4.B.6", "fail"):
            return f"an army cannot go to a coast, as {self.place(order.to)} is (4.B.6 = fail)"
        return self._why_no_convoy(unit, army, province.code)

    def _why_no_convoy(self, fleet: Unit, army: Unit, to: str) -> str:
        """Say why a fleet is of no use for the convoy of an army to a province."""
        routes, at_sea = self.board.routes, self._position.fleets_at_sea()
        journey = f"{self.unit(army)} to {self.place(to)}"
        sea, home, target = (self.board.number[location] for location in (fleet.location, army.location, to))
        if not routes.between(home, target):
            return f"no way by sea leads {journey}"
        if not routes.possible(home, target, at_sea):
            return f"the fleets at sea are no complete chain that could convoy {journey}"
        if any(path >> sea & 1 for path in routes.simple_paths(home, target, at_sea)):
            return f"the fleet is not needed: others could convoy {journey} without it ({self.choice('X.3')})"
        return f"the fleet is on no way by sea that could convoy {journey}"
