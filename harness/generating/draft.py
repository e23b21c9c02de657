"""Random movement orders, rich in what engines get wrong.

A draft is made in three steps: units on the board, crowded where the profile says so, perhaps around a situation that
is given; then plans that need several units (convoys, rings, head-to-heads, plain attacks); then supports for those
plans by the units that are left. Some units are left without an order, and some orders make no sense or are badly
written.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Final, TypeVar, final

from ...reference_engine import (
    Convoy,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    SupportHold,
    SupportMove,
    Unit,
    UnitType,
    standard_board,
)
from ..positions import OrderedPosition, Orders, ordered_unit
from .situations import other_powers
from .slips import badly_written, on_another_coast
from .terrain import Profile, Terrain, terrain

_T = TypeVar("_T")

_SLOPPY: Final = 0.3
_NO_ORDER: Final = 0.1
_ODD_ORDER: Final = 0.15
_RING: Final = 0.15
"""How often a position has players who forget orders or give odd ones, and how many of theirs are; how often a ring."""
_MUTE: Final = 0.2
"""How often one of them gives no order at all."""
_MISUNDERSTOOD: Final = 0.08
_ASHORE: Final = 0.1
"""How many of the supports are for what is not ordered, and of the convoys that lack a sea by a fleet on a coast."""
_NEXT_DOOR: Final = 0.15
_PATH_NAMED: Final = 0.08
"""How many of the convoys go to a neighbour, and how many name their path."""
_WRONG_COAST: Final = 0.15
_OTHER_COAST: Final = 0.5
"""How many of the moves from or to a coast, and of the supports for them, name the other coast or none."""
_BADLY_WRITTEN: Final = 0.08
_ODDLY_WRITTEN: Final = 0.6
"""How many of the orders in a sloppy position are badly written, and how many of the odd ones."""

# What is drawn is a value that is drawn again and again: looking one up takes less time than making it.
_unit: Final = cache(Unit)
_hold: Final = cache(Hold)
_move: Final = cache(Move)
_support_hold: Final = cache(SupportHold)
_support_move: Final = cache(SupportMove)
_convoy: Final = cache(Convoy)

_ODD_ORDERS: Final[tuple[Callable[[OrderedUnit, OrderedUnit, str], Order], ...]] = (
    lambda unit, _other, place: Move(unit, place),
    SupportMove,
    lambda unit, other, _place: SupportHold(unit, other),
    Convoy,
    lambda unit, _other, _place: Hold(unit),
)
"""What makes an order that makes no sense, of a unit, another one and a place."""


@final
class Draft:
    """Units and the orders that they have so far."""

    def __init__(self, rng: Random, profile: Profile, situation: OrderedPosition | None = None) -> None:
        self._random = rng.random
        self._terrain: Terrain = terrain()
        self._profile = profile
        given = self._renamed(rng, situation) if situation is not None else ()
        self.units: list[Unit] = self._opening() if profile.fewest == profile.most else self._placed(given)
        self._at: dict[str, int] = {unit.location[:3]: index for index, unit in enumerate(self.units)}
        self._key: list[tuple[UnitType, str]] = [(unit.type, unit.location) for unit in self.units]
        self._orders: list[Order | None] = [None] * len(self.units)
        self._to: dict[str, list[int]] = {}
        """The units that move to a province."""
        if situation is not None:
            self._follow(situation.orders)
        self._mute = next((unit.power for unit, order in zip(given, self._orders, strict=False) if order is None), "")
        """The power that gives no order at all: one that gave none in the situation."""

    def _renamed(self, rng: Random, situation: OrderedPosition) -> Sequence[Unit]:
        """The units of a situation, of other powers."""
        names = other_powers(rng)
        return [_unit(names[unit.power], unit.type, unit.location) for unit in situation.units]

    def _follow(self, orders: Orders) -> None:
        """Give the units of a situation their orders."""
        for given in orders:
            unit = ordered_unit(given)
            assert unit is not None  # noqa: S101 - a situation has orders to units
            self._orders[self._at[unit.location[:3]]] = given.order
            if isinstance(given.order, Move):
                self._to.setdefault(given.order.to[:3], []).append(self._at[unit.location[:3]])

    def give_orders(self) -> list[GivenOrder]:
        """Order the units, in no order that means anything."""
        random = self._random
        # As `shuffle` does, in less time.
        numbers = sorted(range(len(self.units)), key=lambda _: random())
        sloppy = random() < _SLOPPY
        mute = self._mute or (self._pick(self.units).power if sloppy and random() < _MUTE else "")
        silent: set[int] = set()
        if sloppy or mute:
            silent = {n for n in numbers if self.units[n].power == mute or (sloppy and random() < _NO_ORDER)}
        if random() < _RING and not any(self._orders):
            self._ring(numbers)
        for number in numbers:
            if self._orders[number] is None and number not in silent:
                self._plan(number)
        given: list[GivenOrder] = []
        for number in numbers:
            order = self._orders[number]
            if order is None and number not in silent:
                order = self._order_alone(number)
            if order is not None:
                if sloppy or self._key[number][1] in self._terrain.coasts:
                    order = self._written(number, order)
                given.append(GivenOrder(self.units[number].power, order))
            if sloppy and random() < _ODD_ORDER:
                # Before or after the order that the unit has.
                given.insert(len(given) - (random() < 0.5 and order is not None), self._oddity(number))
        return given

    def _written(self, number: int, order: Order) -> Order:
        """Write an order, now and then badly."""
        if self.units[number].location in self._terrain.coasts and self._random() < _WRONG_COAST:
            return on_another_coast(order, self._pick)
        return badly_written(order, self._pick) if self._random() < _BADLY_WRITTEN else order

    def _order_alone(self, number: int) -> Order:
        """Draw an order for a unit that goes nowhere."""
        order = self._misunderstood(number) if self._random() < _MISUNDERSTOOD else None
        return order or self._help(number) or _hold(self._terrain.named[self._key[number]])

    def _plan(self, number: int) -> None:
        """Order a unit to go somewhere, or leave it free to help others."""
        random, profile = self._random, self._profile
        if self.units[number].type == "A" and random() < profile.convoyed and self._convoy(number):
            return
        if random() < profile.moving:
            self._attack(number)

    def _opening(self) -> list[Unit]:
        """The start of the game, and up to three moves of each unit to where nobody is."""
        units = list(standard_board().start)
        taken = {unit.location[:3] for unit in units}
        for _ in range(int(self._random() * 4)):
            for number, unit in enumerate(units):
                to = self._pick(self._terrain.moves[unit.type, unit.location])
                if to[:3] not in taken:
                    taken.remove(unit.location[:3])
                    taken.add(to[:3])
                    units[number] = _unit(unit.power, unit.type, to)
        return units

    def _placed(self, given: Sequence[Unit]) -> list[Unit]:
        """Units of a few powers, over the whole board or around one province, beside those that are given."""
        random, here, profile = self._random, self._terrain, self._profile
        powers = self._several(here.powers, int(2 + random() * 6))
        count = profile.fewest + int(random() * (profile.most - profile.fewest + 1))
        area = here.everywhere
        if random() < profile.crowded:
            near, far = here.around[self._pick(given).location[:3] if given else self._pick(here.codes)]
            # As a rule a few units in little space: what they show is easier to see.
            area, count = (near, min(count, int(3 + random() * 9))) if random() < 0.6 else (far, count)
        if given:  # As a rule few others, so that what is rare still shows.
            count = int(count * random() ** 2)
        wet = min(len(area.seas), round(count * profile.at_sea))
        units = [*given]
        taken = {unit.location[:3] for unit in given}
        for code in self._several(area.seas, wet) + self._several(area.land, min(len(area.land), count - wet)):
            if code in taken:
                continue
            stands = here.places[code]
            if len(stands) > 1:  # An army, and a fleet for each coast.
                stands = stands[1:] if random() < profile.fleets else stands[:1]
            kind, place = stands[0] if len(stands) == 1 else self._pick(stands)
            units.append(_unit(powers[int(random() * len(powers))], kind, place))
        return units

    def _several(self, pool: Sequence[_T], count: int) -> list[_T]:
        """As `sample` does, in less time."""
        if 2 * count > len(pool):
            return sorted(pool, key=lambda _: self._random())[:count]
        found: dict[_T, None] = {}
        while len(found) < count:
            found[self._pick(pool)] = None
        return list(found)

    def _pick(self, choices: Sequence[_T]) -> _T:
        return choices[int(self._random() * len(choices))]

    def _order_move(self, number: int, to: str, *, via_convoy: bool = False, path: tuple[str, ...] = ()) -> None:
        if to in self._terrain.coasts and self._random() < _WRONG_COAST:
            to = self._pick(self._terrain.coasts[to])
        named = self._terrain.named[self._key[number]]
        self._orders[number] = Move(named, to, via_convoy, path) if path else _move(named, to, via_convoy)
        self._to.setdefault(to[:3], []).append(number)

    def _attack(self, number: int) -> None:
        """Move somewhere, rather to where something happens."""
        moves = self._terrain.moves[self._key[number]]
        if not moves:
            return
        best = self._pick(moves)
        for _ in range(2):
            if best[:3] in self._to or best[:3] in self._at:
                break
            best = self._pick(moves)
        self._order_move(number, best)
        other = self._at.get(best[:3])
        # Now and then the one who is attacked comes the other way.
        if other is not None and self._orders[other] is None and self._random() < 0.25:
            back = [to for to in self._terrain.moves[self._key[other]] if to[:3] == self.units[number].location[:3]]
            if back:
                self._order_move(other, back[0])

    def _ring(self, numbers: Sequence[int]) -> None:
        """Let three units, each a neighbour of the next, change places in a circle."""
        for first in numbers[:6]:
            near = [n for to in self._terrain.reach[self._key[first]] if (n := self._at.get(to)) is not None]
            for second in near:
                for third in near:
                    chain = (first, second, third, first)
                    if second != third and all(
                        self.units[to].location[:3] in self._terrain.reach[self._key[one]]
                        for one, to in itertools.pairwise(chain)
                    ):
                        for one, to in itertools.pairwise(chain):
                            key, province = self._key[one], self.units[to].location[:3]
                            self._order_move(one, next(at for at in self._terrain.moves[key] if at[:3] == province))
                        return

    def _convoy(self, number: int) -> bool:
        """Send an army over fleets that have no orders yet; now and then one is forgotten, or one too many ordered."""
        random, here = self._random, self._terrain
        home = self.units[number].location
        free = self._free_at_sea(here.waters[home])
        if not free or random() < _ASHORE:
            return random() < _ASHORE and self._convoy_ashore(number)
        route = [self._pick(free)]
        while random() < 0.45:
            onward = [sea for sea in self._free_at_sea(here.waters[route[-1]]) if sea not in route]
            if not onward:
                break
            route.append(self._pick(onward))
        to = self._convoy_goal(home, [shore for shore in here.shores[route[-1]] if shore != home])
        path = tuple(route) if random() < _PATH_NAMED else ()
        if random() < 0.3:  # A second way.
            route += [sea for sea in free if sea not in route][:1]
        if random() < 0.1:  # A way with a gap.
            _ = route.pop()
        self._order_move(number, to, via_convoy=not path and random() < 0.5, path=path)
        self._order_convoys([self._at[sea] for sea in route], number, to)
        return True

    def _convoy_goal(self, home: str, shores: Sequence[str]) -> str:
        """Choose where a convoy goes, rather to where something happens; now and then to a neighbour."""
        if self._random() < _NEXT_DOOR:
            near = self._terrain.reach["A", home]
            shores = [shore for shore in shores if shore in near] or shores
        enticing = [shore for shore in shores if shore in self._at or shore in self._to]
        return self._pick(enticing if enticing and self._random() < 0.75 else shores)

    def _order_convoys(self, fleets: Sequence[int], army: int, to: str) -> None:
        named = self._terrain.named
        for fleet in fleets:
            self._orders[fleet] = _convoy(named[self._key[fleet]], named[self._key[army]], to)

    def _convoy_ashore(self, number: int) -> bool:
        """Send an army over a fleet in a coastal province, which carries nobody."""
        here, home = self._terrain, self.units[number].location
        fleets = [
            other
            for province in here.reach[self._key[number]]
            if (other := self._at.get(province)) is not None
            and self.units[other].type == "F"
            and self._orders[other] is None
        ]
        if not fleets:
            return False
        fleet = self._pick(fleets)
        reach = here.reach[self._key[fleet]]
        shores = [code for code in here.waters if code in reach and code not in here.seas and code != home]
        if not shores:
            return False
        to = self._pick(shores)
        self._order_move(number, to, via_convoy=True)
        self._order_convoys([fleet], number, to)
        return True

    def _free_at_sea(self, seas: Sequence[str]) -> list[str]:
        """Find the seas with a fleet that has no order yet."""
        at = self._at
        return [sea for sea in seas if sea in at and self._orders[at[sea]] is None]

    def _help(self, number: int) -> Order | None:
        """Support a move, or else a neighbour who stays."""
        key = self._key[number]
        here, named = self._terrain, self._terrain.named[key]
        moves: list[int] = []
        stays: list[int] = []
        for province in here.reach[key]:
            if movers := self._to.get(province):
                moves += movers
            other = self._at.get(province)
            if other is not None and not isinstance(self._orders[other], Move):
                stays.append(other)
        if number in moves:
            moves.remove(number)
        if moves and (not stays or self._random() < 0.75):
            other = self._pick(moves)
            order = self._orders[other]
            assert isinstance(order, Move)  # noqa: S101 - only moves are noted as going somewhere
            to = order.to
            if to in here.coasts and self._random() < _OTHER_COAST:
                to = self._pick(here.coasts[to])
            return _support_move(named, here.named[self._key[other]], to)
        if stays:
            return _support_hold(named, here.named[self._key[self._pick(stays)]])
        return None

    def _misunderstood(self, number: int) -> Order | None:
        """Support what a neighbour is not ordered to do: to hold though it moves, or to move to somewhere else."""
        key = self._key[number]
        here, named = self._terrain, self._terrain.named[key]
        if key[0] == "F" and (support := self._support_inland(number)) is not None:
            return support
        others = [other for province in here.reach[key] if (other := self._at.get(province)) is not None]
        moving = [other for other in others if isinstance(self._orders[other], Move)]
        if moving and self._random() < 0.4:
            return _support_hold(named, here.named[self._key[self._pick(moving)]])
        if not others:
            return _support_hold(named, named)
        other = self._pick(others)
        elsewhere = [to for to in here.moves[self._key[other]] if to[:3] in here.reach[key]]
        return _support_move(named, here.named[self._key[other]], self._pick(elsewhere)) if elsewhere else None

    def _support_inland(self, number: int) -> Order | None:
        """Support a move to a neighbour by land, where a fleet cannot go."""
        kind, location = self._key[number]
        here = self._terrain
        inland = [code for code in here.reach.get(("A", location[:3]), ()) if code not in here.reach[kind, location]]
        movers = [other for province in inland for other in self._to.get(province, ()) if other != number]
        if not movers:
            return None
        other = self._pick(movers)
        order = self._orders[other]
        assert isinstance(order, Move)  # noqa: S101 - only moves are noted as going somewhere
        return _support_move(here.named[kind, location], here.named[self._key[other]], order.to)

    def _second_thought(self, number: int) -> Order:
        """Draw what the unit could do as well."""
        here, key = self._terrain, self._key[number]
        support = self._help(number) if self._random() < 0.5 else None
        return support or _move(here.named[key], self._pick(here.moves[key] or here.codes))

    def _oddity(self, number: int) -> GivenOrder:
        """An order that is impossible, matches nothing, comes from a stranger, is one too many or badly written."""
        here = self._terrain
        unit, other = self.units[number], self._pick(self.units)
        named = here.named[self._key[number]]
        theirs = OrderedUnit(other.location, other.type)
        anywhere = self._pick(here.codes)
        if self._random() < 0.5:
            order = self._pick(_ODD_ORDERS)(named, theirs, anywhere)
        else:
            order = self._second_thought(number)
        if self._random() < _ODDLY_WRITTEN:
            order = badly_written(order, self._pick)
        return GivenOrder(unit.power if self._random() < 0.8 else other.power, order)
