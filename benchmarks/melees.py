"""Seeded positions of 34 units in which everything meets: what a rare bug of an adjudicator needs to show.

Convoys over one route or several, also to exchange places; fleets that convoy attacked by whom the army's own target
supports; circles and head-to-head battles; supports for and against whoever it be, also of one's own power.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from datc.reference_engine import Board, OrderedUnit, Position, Unit
from datc.reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove
from datc.reference_engine.routes import members

UNITS = 34


class Melee:
    """Units, and orders as they come."""

    def __init__(self, board: Board, random: Random) -> None:
        """Put the units on the board and give each an order."""
        self.board: Board = board
        self.random: Random = random
        self.units: dict[int, Unit] = self._units()
        """The unit in each province."""
        self.orders: dict[int, Order] = {}
        """The order of the unit in each province."""
        for plan, most in ((self._convoy, 5), (self._circle, 2), (self._head_to_head, 2)):
            for _ in range(random.randint(0, most)):
                plan()
        for home in random.sample(sorted(self.units), UNITS):
            if home not in self.orders:
                self._order(home)

    def position(self) -> Position:
        """The position before the phase."""
        return Position(self.units.values())

    def given(self) -> list[GivenOrder]:
        """The order of each unit."""
        return [GivenOrder(unit.power, self.orders[home]) for home, unit in self.units.items()]

    def _units(self) -> dict[int, Unit]:
        powers = self.random.sample(sorted(self.board.powers), self.random.choice((2, 3, 4, 7)))
        share = self.random.choice((0.3, 0.6, 0.9))
        seas = [sea for sea in members(self.board.seas) if self.random.random() < share]
        land = [number for number, province in enumerate(self.board.provinces) if province.terrain != "sea"]
        found: dict[int, Unit] = {}
        for number in (*seas, *self.random.sample(land, UNITS - len(seas))):
            province = self.board.provinces[number]
            fleet = province.terrain == "sea" or (province.terrain == "coastal" and self.random.random() < 0.3)
            coast = f"/{self.random.choice(province.coasts)}" if fleet and province.coasts else ""
            found[number] = Unit(self.random.choice(powers), "F" if fleet else "A", province.code + coast)
        return found

    def _convoy(self) -> None:
        """Convoy an army, and endanger its fleets."""
        armies = [home for home in self._free() if self.units[home].type == "A"]
        seas = sum(1 << home for home in self._free() if self.board.seas >> home & 1)
        if not armies:
            return
        home = self.random.choice(armies)
        routes: dict[int, list[int]] = {}
        for to in members(self.board.coastal & ~(1 << home)):
            if found := [route for route in self.board.routes.between(home, to) if route & seas == route]:
                routes[to] = found
        occupied = [to for to in routes if to in self.units]
        if not routes:
            return
        to = self.random.choice(occupied if occupied and self.random.random() < 0.8 else list(routes))
        chosen = self.random.sample(routes[to], min(len(routes[to]), self.random.choice((1, 1, 2))))
        adjacent = self.board.army_borders[home] >> to & 1
        self.orders[home] = Move(self._named(home), self._code(to), via_convoy=bool(adjacent) and self._chance(0.7))
        for sea in members(chosen[0] | chosen[-1]):
            self.orders[sea] = Convoy(self._named(sea), self._named(home), self._code(to))
        if to in self._free() and self._lands(to, home) and self._chance(0.5):
            self._move(to, home)
        for sea in members(chosen[0] | chosen[-1]):
            if self._chance(0.6):
                self._endanger(sea, to)

    def _endanger(self, sea: int, target: int) -> None:
        """Attack a fleet; the unit that its army is convoyed to supports the attack, or the fleet."""
        near = [home for home in self._free() if home != target and self._lands(home, sea)]
        if not near:
            return
        self._move(self.random.choice(near), sea)
        attackers = [home for home in near if home in self.orders]
        for supporter in (target, *near):
            if supporter in self._free() and self._reaches(supporter, sea) and self._chance(0.6):
                self._support(supporter, self.random.choice((attackers[0], attackers[0], sea)))

    def _circle(self) -> None:
        """Send units round in a circle of three or four."""
        start = self.random.choice(sorted(self.units))
        circle = [start]
        for _ in range(self.random.choice((2, 3))):
            onward = [home for home in self._free() if home not in circle and self._lands(circle[-1], home)]
            if not onward:
                return
            circle.append(self.random.choice(onward))
        if start in self._free() and self._lands(circle[-1], start):
            for home, to in zip(circle, [*circle[1:], start], strict=True):
                self._move(home, to)

    def _head_to_head(self) -> None:
        home = self.random.choice(sorted(self.units))
        others = [other for other in self._free() if self._lands(home, other) and self._lands(other, home)]
        if others and home in self._free():
            other = self.random.choice(others)
            self._move(home, other)
            self._move(other, home)

    def _order(self, home: int) -> None:
        plans: list[Callable[[int], bool]] = [self._support_someone, self._go_somewhere]
        if self._chance(0.45):
            plans.reverse()
        if self._chance(0.05) or not any(plan(home) for plan in plans):
            self.orders[home] = Hold(self._named(home))

    def _support_someone(self, home: int) -> bool:
        found = [other for other in self.units if other != home and self._reaches(home, self._goes_to(other))]
        fought = [other for other in found if self._goes_to(other) in self.units and self._goes_to(other) != other]
        if not found:
            return False
        self._support(home, self.random.choice(fought if fought and self._chance(0.7) else found))
        return True

    def _go_somewhere(self, home: int) -> bool:
        found = [to for to in range(len(self.board.provinces)) if self._lands(home, to)]
        fought = [to for to in found if to in self.units]
        if found:
            self._move(home, self.random.choice(fought if fought and self._chance(0.7) else found))
        return bool(found)

    def _support(self, home: int, other: int) -> None:
        order = self.orders.get(other)
        if isinstance(order, Move):
            to = order.to.partition("/")[0] if self._chance(0.5) else order.to
            self.orders[home] = SupportMove(self._named(home), self._named(other), to)
        else:
            self.orders[home] = SupportHold(self._named(home), self._named(other))

    def _move(self, home: int, to: int) -> None:
        self.orders[home] = Move(self._named(home), self.board.locations[self.random.choice(self._lands(home, to))])

    def _free(self) -> list[int]:
        return [home for home in self.units if home not in self.orders]

    def _goes_to(self, home: int) -> int:
        order = self.orders.get(home)
        return self.board.number[order.to.partition("/")[0]] if isinstance(order, Move) else home

    def _lands(self, home: int, to: int) -> tuple[int, ...]:
        """The locations in a province that a unit can move to by itself."""
        unit = self.units[home]
        if unit.type == "F":
            return self.board.fleet_moves[self.board.number[unit.location]].get(to, ())
        return (to,) if self.board.army_borders[home] >> to & 1 else ()

    def _reaches(self, home: int, to: int) -> bool:
        return bool(self._lands(home, to))

    def _named(self, home: int) -> OrderedUnit:
        unit = self.units[home]
        return OrderedUnit(unit.location, unit.type, unit.power)

    def _code(self, province: int) -> str:
        return self.board.provinces[province].code

    def _chance(self, chance: float) -> bool:
        return self.random.random() < chance
