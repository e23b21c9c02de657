# mypyc
"""Random movement orders, rich in what engines get wrong.

A draft is made in three steps: units on the board, crowded where the profile says so, perhaps around a situation that
is given; then plans that need several units (convoys, rings, head-to-heads, plain attacks); then supports for those
plans by the units that are left. Some units are left without an order, and some orders make no sense or are badly
written: a coast, a type or a nationality is missing or wrong (DATC 4.B and 4.C).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from random import Random
from typing import Any, Final, TypeAlias, TypeVar, final

from ...reference_engine import Board, OrderedUnit, Unit, province_code
from ...reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove, Waive
from ..play.positions import OrderedPosition, helped_unit, ordered_unit
from .terrain import Profile, Terrain, UnitPlace, other_powers, spaces_within, terrain, with_named_units

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


_kept: Final = lru_cache(maxsize=1 << 15)
"""Keeps orders: to look one up takes less than to make an equal one."""
_move: Final = _kept(Move)
_move_by_convoy: Final = partial(_move, via_convoy=True)
_hold: Final = _kept(Hold)
_support_hold: Final = _kept(SupportHold)
_support_move: Final = _kept(SupportMove)

_given: Final[Callable[[tuple[str, Order]], GivenOrder]] = partial(tuple.__new__, GivenOrder)  # pyright: ignore[reportUnknownMemberType] - of any items
"""Makes the order of a power: what its own constructor does, in half the time."""

_ODD_ORDERS: Final[tuple[Callable[[OrderedUnit, OrderedUnit, str], Order], ...]] = (
    lambda unit, _other, place: Move(unit, place),
    SupportMove,
    lambda unit, other, _place: SupportHold(unit, other),
    Convoy,
    lambda unit, _other, _place: Hold(unit),
)
"""What makes an order that makes no sense, of a unit, another one and a place."""


_Pick: TypeAlias = Callable[[Sequence[Any]], Any]
"""Chooses at random."""


def _of_some_power(unit: OrderedUnit, pick: _Pick, here: Terrain) -> OrderedUnit:
    return unit._replace(power=pick(here.powers))


def _on_another_coast(unit: OrderedUnit, pick: _Pick, here: Terrain) -> OrderedUnit:
    """Name another coast of a province with two, or none; one that is not there of any other province."""
    code = province_code(unit.location)
    return unit._replace(location=pick(here.coasts.get(unit.location) or (f"{code}/NC", f"{code}/SC")))


_Slip: TypeAlias = Callable[[OrderedUnit, _Pick, Terrain], OrderedUnit]
"""Names a unit badly."""

_SLIPS: Final[tuple[_Slip, ...]] = (
    lambda unit, _pick, _here: unit._replace(type=None),
    lambda unit, _pick, _here: unit._replace(type="F" if unit.type == "A" else "A"),
    _of_some_power,
    _of_some_power,
    _on_another_coast,
)
"""What makes an order badly written. A wrong nationality is drawn twice as often as each other slip."""


@final
class Draft:
    """Units and the orders that they have so far."""

    def __init__(
        self, rng: Random, profile: Profile, situation: OrderedPosition | None = None, board: Board | None = None
    ) -> None:
        self._random = rng.random
        self._terrain: Terrain = terrain(board)
        self._profile = profile
        provinces = len(self._terrain.codes)
        # By the numbers of provinces:
        self._at: list[UnitPlace | None] = [None] * provinces
        self._orders: list[Order | None] = [None] * provinces
        self._moving_to: list[tuple[UnitPlace, ...]] = [()] * provinces
        """The units that move there."""
        self.units: list[Unit] = []
        self._unit_places: list[UnitPlace] = []
        """Where each unit stands."""
        self._mute = ""
        """The power that gives no order at all: one that gave none in the situation."""
        if situation is not None:
            self._place_situation(rng, situation)
        if profile.fewest == profile.most and self._terrain.board.start:
            self._place_opening()
        else:
            self._place_others()

    def _place_situation(self, rng: Random, situation: OrderedPosition) -> None:
        """Place the units of a situation, of other powers, and give them its orders."""
        here, names = self._terrain, other_powers(rng, self._terrain.board)
        for unit in situation.units:
            self._place(names[unit.power], here.unit_places[unit.type, unit.location])
        for given in situation.orders:
            ordered = ordered_unit(given)
            assert ordered is not None  # noqa: S101 - a situation has orders to units
            province = here.spaces[province_code(ordered.location)].number
            unit_place = self._at[province]
            assert unit_place is not None  # noqa: S101 - and to those that it has
            self._orders[province] = given.order
            if isinstance(given.order, Move):
                self._moving_to[here.spaces[province_code(given.order.to)].number] += (unit_place,)
        placed = zip(self.units, self._unit_places, strict=True)
        self._mute = next((unit.power for unit, unit_place in placed if self._orders[unit_place.province] is None), "")

    def give_orders(self) -> tuple[GivenOrder, ...]:
        """Order the units, in no order that means anything."""
        random, orders = self._random, self._orders
        placed = self._several([*zip(self.units, self._unit_places, strict=True)], len(self.units))
        sloppy = random() < _SLOPPY
        mute = self._mute or (self._pick(self.units).power if sloppy and random() < _MUTE else "")
        who = placed if sloppy or mute else ()
        silent = {unit_place for unit, unit_place in who if unit.power == mute or (sloppy and random() < _NO_ORDER)}
        if random() < _RING and not any(orders):
            self._ring([unit_place for _, unit_place in placed[:6]])
        convoyed, moving = self._profile.convoyed, self._profile.moving
        for _, unit_place in placed:
            # A unit goes somewhere, or is left free to help others.
            if orders[unit_place.province] is None and unit_place not in silent:
                by_convoy = unit_place.type == "A" and random() < convoyed and self._convoy(unit_place)
                if not by_convoy and random() < moving:
                    self._attack(unit_place)
        given: list[tuple[str, Order]] = []
        for unit, unit_place in placed:
            order = orders[unit_place.province]
            if order is None and unit_place not in silent:
                order = self._misunderstood(unit_place) if random() < _MISUNDERSTOOD else None
                order = order or self._help(unit_place) or _hold(unit_place.named)
            if order is not None:
                if sloppy or unit_place.coasts:
                    order = self._written(unit_place, order)
                given.append((unit.power, order))
            if sloppy and random() < _ODD_ORDER:
                # Before or after the order that the unit has.
                given.insert(len(given) - (random() < 0.5 and order is not None), self._oddity(unit, unit_place))
        return tuple(map(_given, given))

    def _written(self, unit_place: UnitPlace, order: Order) -> Order:
        if unit_place.coasts and self._random() < _WRONG_COAST:
            return order if isinstance(order, Waive) else self._with_slip(order, order.unit, _on_another_coast)
        return self._badly_written(order) if self._random() < _BADLY_WRITTEN else order

    def _badly_written(self, order: Order) -> Order:
        """Write an order with a slip: in how it names its own unit or the one that it helps."""
        if isinstance(order, Waive):
            return order
        about = self._pick((order.unit, helped_unit(order) or order.unit))
        return self._with_slip(order, about, self._pick(_SLIPS))

    def _with_slip(self, order: Order, about: OrderedUnit, slip: _Slip) -> Order:
        here = self._terrain
        return with_named_units(order, lambda unit: slip(unit, self._pick, here) if unit is about else unit) or order

    def _place(self, power: str, unit_place: UnitPlace) -> None:
        self.units.append(unit_place.units[power])
        self._unit_places.append(unit_place)
        self._at[unit_place.province] = unit_place

    def _place_opening(self) -> None:
        """Place the units of the start of the game, after up to three moves of each to where nobody is."""
        random, at, start = self._random, self._at, self._terrain.board.start
        unit_places = [self._terrain.unit_places[unit.type, unit.location] for unit in start]
        for unit_place in unit_places:
            at[unit_place.province] = unit_place
        for _ in range(int(random() * 4)):
            for number, unit_place in enumerate(unit_places):
                if not unit_place.moves:
                    continue
                to = unit_place.moves[int(random() * len(unit_place.moves))]
                if at[to.province] is None:
                    at[unit_place.province] = None
                    at[to.province] = unit_places[number] = to
        self._unit_places = unit_places
        self.units = [unit_place.units[unit.power] for unit, unit_place in zip(start, unit_places, strict=True)]

    def _place_others(self) -> None:
        """Place units of a few powers, over the whole board or around one province, beside those that are there."""
        random, here, profile, given = self._random, self._terrain, self._profile, self.units
        powers = self._several(here.powers, int(2 + random() * 6))
        count = profile.fewest + int(random() * (profile.most - profile.fewest + 1))
        province, steps = 0, len(here.codes)
        if random() < profile.crowded:
            middle = province_code(self._pick(given).location) if given else self._pick(here.codes)
            province = here.spaces[middle].number
            # As a rule a few units in little space: what they show is easier to see.
            steps, count = (2, min(count, int(3 + random() * 9))) if random() < 0.6 else (3, count)
        if given:  # As a rule few others, so that what is rare still shows.
            count = int(count * random() ** 2)
        seas, land = spaces_within(province, steps, here.board)
        wet = min(len(seas), round(count * profile.at_sea))
        for space in self._several(seas, wet) + self._several(land, min(len(land), count - wet)):
            if self._at[space.number] is None:
                unit_places = space.unit_places
                if space.armies and space.fleets:
                    unit_places = space.fleets if random() < profile.fleets else space.armies
                unit_place = unit_places[0] if len(unit_places) == 1 else self._pick(unit_places)
                self._place(powers[int(random() * len(powers))], unit_place)

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

    def _order_move(
        self, unit_place: UnitPlace, to: UnitPlace, make: Callable[[OrderedUnit, str], Order] = _move
    ) -> None:
        place = to.location
        if to.coasts and self._random() < _WRONG_COAST:
            place = self._pick(to.coasts)
        self._orders[unit_place.province] = make(unit_place.named, place)
        self._moving_to[to.province] += (unit_place,)

    def _attack(self, unit_place: UnitPlace) -> None:
        """Move somewhere, rather to where something happens."""
        random, at, moves, count = self._random, self._at, unit_place.moves, len(unit_place.moves)
        if not moves:
            return
        to = moves[int(random() * count)]
        for _ in range(2):
            if at[to.province] or self._moving_to[to.province]:
                break
            to = moves[int(random() * count)]
        self._order_move(unit_place, to)
        other = at[to.province]
        # Now and then the one who is attacked comes the other way.
        if other is not None and self._orders[other.province] is None and random() < 0.25:
            back = [home for home in other.moves if home.province == unit_place.province]
            if back:
                self._order_move(other, back[0])

    def _ring(self, unit_places: Sequence[UnitPlace]) -> None:
        """Let three units, each a neighbour of the next, change places in a circle."""
        for first in unit_places:
            near = self._neighbours(first)
            for second in near:
                for third in near:
                    if second is not third and third.province in second.reach and first.province in third.reach:
                        for one, other in ((first, second), (second, third), (third, first)):
                            self._order_move(one, next(to for to in one.moves if to.province == other.province))
                        return

    def _neighbours(self, unit_place: UnitPlace) -> list[UnitPlace]:
        at = self._at
        return [other for province in unit_place.reach if (other := at[province]) is not None]

    def _convoy(self, army: UnitPlace) -> bool:
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
        shores = [shore for shore in route[-1].shores if shore is not army]
        if not shores:
            return False
        if random() < _NEXT_DOOR:
            shores = [shore for shore in shores if shore.province in army.reach] or shores
        # Rather to where something happens.
        enticing = [shore for shore in shores if self._at[shore.province] or self._moving_to[shore.province]]
        to = self._pick(enticing if enticing and random() < 0.75 else shores)
        path = partial(Move, path=tuple([sea.location for sea in route])) if random() < _PATH_NAMED else None
        if random() < 0.3:  # A second way.
            route += [sea for sea in free if sea not in route][:1]
        if random() < 0.1:  # A way with a gap.
            _ = route.pop()
        self._order_move(army, to, path or (_move_by_convoy if random() < 0.5 else _move))
        self._order_convoys(route, army, to)
        return True

    def _order_convoys(self, fleets: Sequence[UnitPlace], army: UnitPlace, to: UnitPlace) -> None:
        for fleet in fleets:
            self._orders[fleet.province] = Convoy(fleet.named, army.named, to.location)

    def _convoy_ashore(self, army: UnitPlace) -> bool:
        """Send an army over a fleet in a coastal province, which carries nobody."""
        near = self._neighbours(army)
        fleets = [other for other in near if other.type == "F" and self._orders[other.province] is None]
        if not fleets:
            return False
        fleet = self._pick(fleets)
        provinces, codes = self._terrain.spaces, self._terrain.codes
        shores = [shore for to in fleet.reach if to != army.province for shore in provinces[codes[to]].armies]
        if not shores:
            return False
        to = self._pick(shores)
        self._order_move(army, to, _move_by_convoy)
        self._order_convoys([fleet], army, to)
        return True

    def _free_at_sea(self, seas: Sequence[UnitPlace]) -> list[UnitPlace]:
        at, orders = self._at, self._orders
        return [sea for sea in seas if at[sea.province] is not None and orders[sea.province] is None]

    def _help(self, unit_place: UnitPlace) -> Order | None:
        """Support a move, or else a neighbour who stays."""
        at, orders, moving_to = self._at, self._orders, self._moving_to
        moves: list[UnitPlace] = []
        stays: list[UnitPlace] = []
        for province in unit_place.reach:
            moves += moving_to[province]
            other = at[province]
            if other is not None and not isinstance(orders[province], Move):
                stays.append(other)
        if unit_place in moves:
            moves.remove(unit_place)
        if moves and (not stays or self._random() < 0.75):
            other = self._pick(moves)
            to = self._goal(other)
            if to in self._terrain.coasts and self._random() < _OTHER_COAST:
                to = self._pick(self._terrain.coasts[to])
            return _support_move(unit_place.named, other.named, to)
        if stays:
            return _support_hold(unit_place.named, self._pick(stays).named)
        return None

    def _goal(self, mover: UnitPlace) -> str:
        """Return where a unit moves to that is noted as going somewhere."""
        order = self._orders[mover.province]
        assert isinstance(order, Move)  # noqa: S101 - only moves are noted
        return order.to

    def _misunderstood(self, unit_place: UnitPlace) -> Order | None:
        """Support what a neighbour is not ordered to do: to hold though it moves, or to move to somewhere else."""
        # A move to a neighbour by land, where a fleet cannot go.
        armies = self._terrain.spaces[province_code(unit_place.location)].armies if unit_place.type == "F" else ()
        inland = [to for army in armies for to in army.reach if to not in unit_place.reach]
        if movers := [other for to in inland for other in self._moving_to[to] if other is not unit_place]:
            other = self._pick(movers)
            return _support_move(unit_place.named, other.named, self._goal(other))
        others = self._neighbours(unit_place)
        moving = [other for other in others if isinstance(self._orders[other.province], Move)]
        if moving and self._random() < 0.4:
            return _support_hold(unit_place.named, self._pick(moving).named)
        if not others:
            return _support_hold(unit_place.named, unit_place.named)
        other = self._pick(others)
        elsewhere = [to for to in other.moves if to.province in unit_place.reach]
        return _support_move(unit_place.named, other.named, self._pick(elsewhere).location) if elsewhere else None

    def _oddity(self, unit: Unit, unit_place: UnitPlace) -> tuple[str, Order]:
        """An order that is impossible, matches nothing, comes from a stranger, is one too many or badly written."""
        other = self._pick(self.units)
        anywhere = self._pick(self._terrain.codes)
        if self._random() < 0.5:
            order = self._pick(_ODD_ORDERS)(unit_place.named, OrderedUnit(other.location, other.type), anywhere)
        else:
            support = self._help(unit_place) if self._random() < 0.5 else None
            to = self._pick(unit_place.moves).location if unit_place.moves and not support else anywhere
            order = support or Move(unit_place.named, to)
        if self._random() < _ODDLY_WRITTEN:
            order = self._badly_written(order)
        return unit.power if self._random() < 0.8 else other.power, order
