"""Random movement orders, rich in what engines get wrong.

A draft is made in three steps: units on the board, crowded where the profile says so, perhaps around a situation that
is given; then plans that need several units (convoys, rings, head-to-heads, plain attacks); then supports for those
plans by the units that are left. Some units are left without an order, and some orders make no sense or are badly
written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Final, TypeVar, final

from ...reference_engine import (
    Convoy,
    GivenOrder,
    Move,
    Order,
    OrderedUnit,
    SupportHold,
    SupportMove,
    Unit,
)
from ..positions import OrderedPosition, ordered_unit
from .interned import convoy, hold, move, move_by_convoy, support_hold, support_move
from .situations import other_powers
from .slips import badly_written, on_another_coast
from .terrain import Profile, Stand, Terrain, terrain

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


_ODD_ORDERS: Final[tuple[Callable[[OrderedUnit, OrderedUnit, str], Order], ...]] = (
    lambda unit, _other, place: move(unit, place),
    SupportMove,
    lambda unit, other, _place: SupportHold(unit, other),
    Convoy,
    lambda unit, _other, _place: hold(unit),
)
"""What makes an order that makes no sense, of a unit, another one and a place."""


@final
class Draft:
    """Units and the orders that they have so far."""

    def __init__(self, rng: Random, profile: Profile, situation: OrderedPosition | None = None) -> None:
        self._random = rng.random
        self._terrain: Terrain = terrain()
        self._profile = profile
        provinces = len(self._terrain.codes)
        # By the numbers of provinces:
        self._at: list[Stand | None] = [None] * provinces
        self._orders: list[Order | None] = [None] * provinces
        self._comers: list[tuple[Stand, ...]] = [()] * provinces
        """The units that move there."""
        self.units: list[Unit] = []
        self._stands: list[Stand] = []
        """Where each unit stands."""
        self._mute = ""
        """The power that gives no order at all: one that gave none in the situation."""
        if situation is not None:
            self._place_situation(rng, situation)
        if profile.fewest == profile.most:
            self._place_opening()
        else:
            self._place_others()

    def _place_situation(self, rng: Random, situation: OrderedPosition) -> None:
        """Place the units of a situation, of other powers, and give them its orders."""
        here, names = self._terrain, other_powers(rng)
        for unit in situation.units:
            self._place(names[unit.power], here.stands[unit.type, unit.location])
        for given in situation.orders:
            ordered = ordered_unit(given)
            assert ordered is not None  # noqa: S101 - a situation has orders to units
            province = here.spaces[ordered.location[:3]].number
            stand = self._at[province]
            assert stand is not None  # noqa: S101 - and to those that it has
            self._orders[province] = given.order
            if isinstance(given.order, Move):
                self._comers[here.spaces[given.order.to[:3]].number] += (stand,)
        placed = zip(self.units, self._stands, strict=True)
        self._mute = next((unit.power for unit, stand in placed if self._orders[stand.province] is None), "")

    def give_orders(self) -> list[GivenOrder]:
        """Order the units, in no order that means anything."""
        random, orders = self._random, self._orders
        # As `shuffle` does, in less time.
        pieces = sorted(zip(self.units, self._stands, strict=True), key=lambda _: random())
        sloppy = random() < _SLOPPY
        mute = self._mute or (self._pick(self.units).power if sloppy and random() < _MUTE else "")
        silent: set[Stand] = set()
        if sloppy or mute:
            silent = {stand for unit, stand in pieces if unit.power == mute or (sloppy and random() < _NO_ORDER)}
        if random() < _RING and not any(orders):
            self._ring([stand for _, stand in pieces[:6]])
        for _, stand in pieces:
            if orders[stand.province] is None and stand not in silent:
                self._plan(stand)
        given: list[GivenOrder] = []
        for unit, stand in pieces:
            order = orders[stand.province]
            if order is None and stand not in silent:
                order = self._order_alone(stand)
            if order is not None:
                if sloppy or stand.coasts:
                    order = self._written(stand, order)
                given.append(GivenOrder(unit.power, order))
            if sloppy and random() < _ODD_ORDER:
                # Before or after the order that the unit has.
                given.insert(len(given) - (random() < 0.5 and order is not None), self._oddity(unit, stand))
        return given

    def _written(self, stand: Stand, order: Order) -> Order:
        """Write an order, now and then badly."""
        if stand.coasts and self._random() < _WRONG_COAST:
            return on_another_coast(order, self._pick)
        return badly_written(order, self._pick) if self._random() < _BADLY_WRITTEN else order

    def _order_alone(self, stand: Stand) -> Order:
        """Draw an order for a unit that goes nowhere."""
        order = self._misunderstood(stand) if self._random() < _MISUNDERSTOOD else None
        return order or self._help(stand) or hold(stand.named)

    def _plan(self, stand: Stand) -> None:
        """Order a unit to go somewhere, or leave it free to help others."""
        random, profile = self._random, self._profile
        if stand.type == "A" and random() < profile.convoyed and self._convoy(stand):
            return
        if random() < profile.moving:
            self._attack(stand)

    def _place(self, power: str, stand: Stand) -> None:
        self.units.append(stand.units[power])
        self._stands.append(stand)
        self._at[stand.province] = stand

    def _place_opening(self) -> None:
        """Place the units of the start of the game, after up to three moves of each to where nobody is."""
        random, at, start = self._random, self._at, self._terrain.start
        stands = [stand for _, stand in start]
        for stand in stands:
            at[stand.province] = stand
        for _ in range(int(random() * 4)):
            for number, stand in enumerate(stands):
                to = stand.moves[int(random() * len(stand.moves))]
                if at[to.province] is None:
                    at[stand.province] = None
                    at[to.province] = stands[number] = to
        self._stands = stands
        self.units = [stand.units[power] for (power, _), stand in zip(start, stands, strict=True)]

    def _place_others(self) -> None:
        """Place units of a few powers, over the whole board or around one province, beside those that are there."""
        random, here, profile, given = self._random, self._terrain, self._profile, self.units
        powers = self._several(here.powers, int(2 + random() * 6))
        count = profile.fewest + int(random() * (profile.most - profile.fewest + 1))
        area = here.everywhere
        if random() < profile.crowded:
            space = here.spaces[self._pick(given).location[:3] if given else self._pick(here.codes)]
            # As a rule a few units in little space: what they show is easier to see.
            area, count = (space.near, min(count, int(3 + random() * 9))) if random() < 0.6 else (space.far, count)
        if given:  # As a rule few others, so that what is rare still shows.
            count = int(count * random() ** 2)
        wet = min(len(area.seas), round(count * profile.at_sea))
        for space in self._several(area.seas, wet) + self._several(area.land, min(len(area.land), count - wet)):
            if self._at[space.number] is None:
                stands = space.stands
                if space.is_coastal:
                    stands = space.fleets if random() < profile.fleets else space.armies
                stand = stands[0] if len(stands) == 1 else self._pick(stands)
                self._place(powers[int(random() * len(powers))], stand)

    def _several(self, pool: Sequence[_T], count: int) -> list[_T]:
        """As `sample` does, in less time."""
        random = self._random
        if 2 * count > len(pool):
            return sorted(pool, key=lambda _: random())[:count]
        found: dict[_T, None] = {}
        while len(found) < count:
            found[pool[int(random() * len(pool))]] = None
        return list(found)

    def _pick(self, choices: Sequence[_T]) -> _T:
        return choices[int(self._random() * len(choices))]

    def _order_move(self, stand: Stand, to: Stand, written: Callable[[OrderedUnit, str], Order] = move) -> None:
        place = to.location
        if to.coasts and self._random() < _WRONG_COAST:
            place = self._pick(to.coasts)
        self._orders[stand.province] = written(stand.named, place)
        self._comers[to.province] += (stand,)

    def _attack(self, stand: Stand) -> None:
        """Move somewhere, rather to where something happens."""
        random, moves = self._random, stand.moves
        to = moves[int(random() * len(moves))]
        for _ in range(2):
            if self._at[to.province] or self._comers[to.province]:
                break
            to = moves[int(random() * len(moves))]
        self._order_move(stand, to)
        other = self._at[to.province]
        # Now and then the one who is attacked comes the other way.
        if other is not None and self._orders[other.province] is None and random() < 0.25:
            back = [home for home in other.moves if home.province == stand.province]
            if back:
                self._order_move(other, back[0])

    def _ring(self, stands: Sequence[Stand]) -> None:
        """Let three units, each a neighbour of the next, change places in a circle."""
        for first in stands:
            near = self._neighbours(first)
            for second in near:
                for third in near:
                    if second is not third and third.province in second.reach and first.province in third.reach:
                        for one, other in ((first, second), (second, third), (third, first)):
                            self._order_move(one, next(to for to in one.moves if to.province == other.province))
                        return

    def _neighbours(self, stand: Stand) -> list[Stand]:
        """Find the units that a unit could move to."""
        at = self._at
        return [other for province in stand.reach if (other := at[province]) is not None]

    def _convoy(self, army: Stand) -> bool:
        """Send an army over fleets that have no orders yet; now and then one is forgotten, or one too many ordered."""
        random = self._random
        free = self._free_at_sea(army.waters)
        if not free or random() < _ASHORE:
            return random() < _ASHORE and self._convoy_ashore(army)
        route = [self._pick(free)]
        while random() < 0.45:
            onward = [sea for sea in self._free_at_sea(route[-1].waters) if sea not in route]
            if not onward:
                break
            route.append(self._pick(onward))
        to = self._convoy_goal(army, [shore for shore in route[-1].shores if shore is not army])
        path = partial(Move, path=tuple([sea.location for sea in route])) if random() < _PATH_NAMED else None
        if random() < 0.3:  # A second way.
            route += [sea for sea in free if sea not in route][:1]
        if random() < 0.1:  # A way with a gap.
            _ = route.pop()
        self._order_move(army, to, path or (move_by_convoy if random() < 0.5 else move))
        self._order_convoys(route, army, to)
        return True

    def _convoy_goal(self, army: Stand, shores: Sequence[Stand]) -> Stand:
        """Choose where a convoy goes, rather to where something happens; now and then to a neighbour."""
        if self._random() < _NEXT_DOOR:
            shores = [shore for shore in shores if shore.province in army.reach] or shores
        enticing = [shore for shore in shores if self._at[shore.province] or self._comers[shore.province]]
        return self._pick(enticing if enticing and self._random() < 0.75 else shores)

    def _order_convoys(self, fleets: Sequence[Stand], army: Stand, to: Stand) -> None:
        for fleet in fleets:
            self._orders[fleet.province] = convoy(fleet.named, army.named, to.location)

    def _convoy_ashore(self, army: Stand) -> bool:
        """Send an army over a fleet in a coastal province, which carries nobody."""
        fleets = [
            other for other in self._neighbours(army) if other.type == "F" and self._orders[other.province] is None
        ]
        if not fleets:
            return False
        fleet = self._pick(fleets)
        stands, codes = self._terrain.stands, self._terrain.codes
        shores = [stands["A", codes[to]] for to in fleet.reach if to != army.province and ("A", codes[to]) in stands]
        if not shores:
            return False
        to = self._pick(shores)
        self._order_move(army, to, move_by_convoy)
        self._order_convoys([fleet], army, to)
        return True

    def _free_at_sea(self, seas: Sequence[Stand]) -> list[Stand]:
        """Find the seas with a fleet that has no order yet."""
        at, orders = self._at, self._orders
        return [sea for sea in seas if at[sea.province] is not None and orders[sea.province] is None]

    def _help(self, stand: Stand) -> Order | None:
        """Support a move, or else a neighbour who stays."""
        at, orders, comers = self._at, self._orders, self._comers
        moves: list[Stand] = []
        stays: list[Stand] = []
        for province in stand.reach:
            if comers[province]:
                moves += comers[province]
            other = at[province]
            if other is not None and not isinstance(orders[province], Move):
                stays.append(other)
        if stand in moves:
            moves.remove(stand)
        if moves and (not stays or self._random() < 0.75):
            other = self._pick(moves)
            to = self._goal(other)
            if to in self._terrain.coasts and self._random() < _OTHER_COAST:
                to = self._pick(self._terrain.coasts[to])
            return support_move(stand.named, other.named, to)
        if stays:
            return support_hold(stand.named, self._pick(stays).named)
        return None

    def _goal(self, mover: Stand) -> str:
        """Return where a unit moves to that is noted as going somewhere."""
        order = self._orders[mover.province]
        assert isinstance(order, Move)  # noqa: S101 - only moves are noted
        return order.to

    def _misunderstood(self, stand: Stand) -> Order | None:
        """Support what a neighbour is not ordered to do: to hold though it moves, or to move to somewhere else."""
        if stand.inland and (support := self._support_inland(stand)) is not None:
            return support
        others = self._neighbours(stand)
        moving = [other for other in others if isinstance(self._orders[other.province], Move)]
        if moving and self._random() < 0.4:
            return support_hold(stand.named, self._pick(moving).named)
        if not others:
            return support_hold(stand.named, stand.named)
        other = self._pick(others)
        elsewhere = [to for to in other.moves if to.province in stand.reach]
        return support_move(stand.named, other.named, self._pick(elsewhere).location) if elsewhere else None

    def _support_inland(self, fleet: Stand) -> Order | None:
        """Support a move to a neighbour by land, where a fleet cannot go."""
        movers = [other for province in fleet.inland for other in self._comers[province] if other is not fleet]
        if not movers:
            return None
        other = self._pick(movers)
        return support_move(fleet.named, other.named, self._goal(other))

    def _second_thought(self, stand: Stand) -> Order:
        """Draw what the unit could do as well."""
        support = self._help(stand) if self._random() < 0.5 else None
        return support or move(stand.named, self._pick(stand.moves).location)

    def _oddity(self, unit: Unit, stand: Stand) -> GivenOrder:
        """An order that is impossible, matches nothing, comes from a stranger, is one too many or badly written."""
        other = self._pick(self.units)
        anywhere = self._pick(self._terrain.codes)
        if self._random() < 0.5:
            order = self._pick(_ODD_ORDERS)(stand.named, OrderedUnit(other.location, other.type), anywhere)
        else:
            order = self._second_thought(stand)
        if self._random() < _ODDLY_WRITTEN:
            order = badly_written(order, self._pick)
        return GivenOrder(unit.power if self._random() < 0.8 else other.power, order)
