"""Random positions rich in what engines get wrong: seeded, and cheaper to make than to adjudicate.

A draft is made in three strokes: units on the board, crowded where the profile says so; then plans that need several
units (convoys, rings, head-to-heads, plain attacks); then supports for those plans by the units that are left. Some
units are left without an order, and some orders make no sense.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import NamedTuple, TypeVar, final

from ...reference_engine import (
    Build,
    Convoy,
    Disband,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    UnitType,
    Waive,
    adjudicate,
    province_code,
    standard_board,
)
from .situation import Situation

_T = TypeVar("_T")


class Profile(NamedTuple):
    """What random positions are made of. Shares are between 0 and 1."""

    purpose: str
    fewest: int
    most: int
    """Units on the board."""
    crowded: float
    """How often all units stand within two or three steps of one province."""
    at_sea: float
    """How many of the units are put on seas."""
    fleets: float
    """How many of the units on coasts are fleets."""
    convoyed: float
    """How many of the armies on coasts go by convoy where they can."""
    moving: float
    """How many of the other units move."""


PROFILES: Mapping[str, Profile] = {
    "opening": Profile("the units of 1901, some of them a few moves on", 22, 22, 0.0, 0.0, 0.0, 0.3, 0.5),
    "dense": Profile("up to 34 units, with a bit of everything", 4, 34, 0.6, 0.3, 0.35, 0.35, 0.4),
    "sea-war": Profile("fleets against fleets, on coasts that matter", 3, 24, 0.7, 0.55, 0.8, 0.3, 0.45),
    "convoy-knots": Profile("convoys that cross, miss fleets and are attacked", 4, 26, 0.8, 0.55, 0.3, 0.9, 0.4),
}

UNIT_TYPES: tuple[UnitType, ...] = ("A", "F")
_SLOPPY, _NO_ORDER, _ODD_ORDER, _RING = 0.3, 0.1, 0.1, 0.15
"""How often a position has players who forget orders or give odd ones, and how many of theirs are; how often a ring."""
_MISUNDERSTOOD, _ASHORE = 0.08, 0.1
"""How many of the supports are for what is not ordered, and of the convoys that lack a sea by a fleet on a coast."""
_PHASES = (0.84, 0.93)
"""The shares of movements, and of movements and retreats together; the rest are adjustments."""


class _Area(NamedTuple):
    """A part of the board."""

    seas: tuple[str, ...]
    land: tuple[str, ...]


class _Map(NamedTuple):
    """The board as the generator wants it: by unit type and location, in lists to pick from."""

    places: Mapping[str, tuple[tuple[UnitType, str], ...]]
    """For each province, what can stand there."""
    moves: Mapping[tuple[UnitType, str], tuple[str, ...]]
    reach: Mapping[tuple[UnitType, str], tuple[str, ...]]
    """The provinces that a unit could move to, in an order that is the same in every process."""
    seas: tuple[str, ...]
    shores: Mapping[str, tuple[str, ...]]
    """For each sea, the coastal provinces on it."""
    waters: Mapping[str, tuple[str, ...]]
    """For each coastal province or sea, the seas that border it."""
    everywhere: _Area
    around: Mapping[str, tuple[_Area, _Area]]
    """For each province, what is within two steps, and within three."""
    named: Mapping[tuple[UnitType, str], OrderedUnit]
    homes: Mapping[str, tuple[str, ...]]
    powers: tuple[str, ...]
    codes: tuple[str, ...]


@cache
def _map() -> _Map:
    board = standard_board()
    stands: list[tuple[UnitType, str]] = [
        (kind, place) for place in board.locations for kind in UNIT_TYPES if board.can_stand(kind, place)
    ]
    moves: dict[tuple[UnitType, str], tuple[str, ...]] = {
        (kind, place): board.destinations(Unit("ENGLAND", kind, place)) for kind, place in stands
    }
    reach: dict[tuple[UnitType, str], tuple[str, ...]] = {
        key: tuple(dict.fromkeys(map(province_code, places))) for key, places in moves.items()
    }
    codes = [province.code for province in board.provinces]
    seas = tuple(province.code for province in board.provinces if province.terrain == "sea")
    fleet_reach = {code: set[str]() for code in codes}
    for (kind, place), provinces in reach.items():
        if kind == "F":
            fleet_reach[province_code(place)].update(provinces)
    return _Map(
        places={code: tuple(stand for stand in stands if province_code(stand[1]) == code) for code in codes},
        moves=moves,
        reach=reach,
        seas=seas,
        shores={sea: tuple(sorted(fleet_reach[sea] - set(seas))) for sea in seas},
        waters={code: tuple(sorted(fleet_reach[code] & set(seas))) for code in codes},
        everywhere=_within(board.distances[0], len(codes), codes, seas),
        around={
            code: (_within(board.distances[index], 2, codes, seas), _within(board.distances[index], 3, codes, seas))
            for index, code in enumerate(codes)
        },
        named={(kind, place): OrderedUnit(place, kind) for kind, place in stands},
        homes={code: power.home_centers for code, power in board.powers.items()},
        powers=tuple(board.powers),
        codes=tuple(codes),
    )


def _within(distances: Sequence[int], steps: int, codes: Sequence[str], seas: Sequence[str]) -> _Area:
    near = [code for code, distance in zip(codes, distances, strict=True) if distance <= steps]
    return _Area(tuple(code for code in near if code in seas), tuple(code for code in near if code not in seas))


def random_situation(rng: Random, profile: Profile) -> Situation:
    """Draw a position with orders: mostly movements, some with the retreats after them, some adjustments."""
    share = rng.random()
    if share < _PHASES[0]:
        return random_movements(rng, profile)
    if share < _PHASES[1]:
        return with_retreats(rng, random_movements(rng, profile))
    return random_adjustments(rng)


def random_movements(rng: Random, profile: Profile) -> Situation:
    """Draw a position before a movement phase, with orders."""
    draft = _Draft(rng, profile)
    return Situation(Position(draft.units), tuple(draft.give_orders()))


def with_retreats(rng: Random, situation: Situation) -> Situation:
    """Add retreat orders to where the reference leaves units dislodged; often two go to one province."""
    if situation.position.phase != "movement":
        return situation
    dislodged = adjudicate(situation.position, situation.orders).dislodged
    if not dislodged:
        return situation
    every = [to for entry in dislodged for to in entry.retreats]
    contested = [to for to in every if every.count(to) > 1]
    meeting = rng.choice(contested) if contested else None
    orders: list[GivenOrder] = []
    for unit, origin, retreats in dislodged:
        named = OrderedUnit(unit.location, unit.type)
        fate = rng.random()
        if meeting in retreats and fate < 0.8:
            orders.append(GivenOrder(unit.power, Retreat(named, meeting)))
            orders += _retreat_supports(rng, situation, named, meeting)
        elif fate < 0.1:
            continue
        elif fate < 0.2:
            orders.append(GivenOrder(unit.power, Disband(named)))
        elif fate < 0.3:
            # Where its attacker came from, or where another unit may go: as a rule not for this one.
            orders.append(GivenOrder(unit.power, Retreat(named, rng.choice([*every, origin or unit.location]))))
        elif fate < 0.4:
            orders += _retreat_overseas(rng, situation, unit)
        elif retreats:
            orders.append(GivenOrder(unit.power, Retreat(named, rng.choice(retreats))))
    return situation._replace(retreats=tuple(orders))


def _retreat_supports(rng: Random, situation: Situation, retreating: OrderedUnit, to: str) -> list[GivenOrder]:
    """Sometimes an order to support a retreat, which nobody may give."""
    if rng.random() < 0.7:
        return []
    unit = rng.choice(situation.units)
    return [GivenOrder(unit.power, SupportMove(OrderedUnit(unit.location, unit.type), retreating, to))]


def _retreat_overseas(rng: Random, situation: Situation, unit: Unit) -> list[GivenOrder]:
    """An order to retreat over a sea, and one to the fleet there to convoy, which nobody may give."""
    here, named = _map(), OrderedUnit(unit.location, unit.type)
    fleets = [other for other in situation.units if other.location in here.waters.get(unit.location, ())]
    if not fleets:
        return []
    fleet = rng.choice(fleets)
    to = rng.choice(here.shores[fleet.location])
    convoy = Convoy(OrderedUnit(fleet.location, fleet.type), named, to)
    return [GivenOrder(unit.power, Retreat(named, to)), GivenOrder(fleet.power, convoy)]


def random_adjustments(rng: Random) -> Situation:
    """Draw a position before an adjustment phase: powers with too many and too few units, and orders that fit badly.

    As after every autumn, a unit on a supply center owns it.
    """
    here, board = _map(), standard_board()
    owners = rng.sample(here.powers, rng.randint(1, 5))
    centers: dict[str, list[str]] = {power: [] for power in owners}
    for center in sorted(board.supply_centers):
        fate = rng.random()
        at_home = [power for power in owners if center in here.homes[power]]
        if fate < 0.4 and at_home:
            centers[at_home[0]].append(center)
        elif fate < 0.55:
            centers[rng.choice(owners)].append(center)
    units = [
        Unit(rng.choice(owners), *rng.choice(here.places[code])) for code in rng.sample(here.codes, rng.randint(0, 26))
    ]
    taken = {province_code(unit.location): unit.power for unit in units}
    centers = {
        power: [c for c in sorted(board.supply_centers) if (taken[c] == power if c in taken else c in owned)]
        for power, owned in centers.items()
    }
    orders: list[GivenOrder] = []
    for power in owners:
        own = [unit for unit in units if unit.power == power]
        due = len(centers[power]) - len(own)
        count = rng.randint(0, abs(due) + 1)
        orders += [GivenOrder(power, _adjustment(rng, power, own, removing=due < 0)) for _ in range(count)]
    return Situation(Position(units, phase="adjustment", centers=centers), tuple(orders))


def _adjustment(rng: Random, power: str, own: Sequence[Unit], *, removing: bool) -> Order:
    here = _map()
    if removing != (rng.random() < 0.05) and own:
        unit = rng.choice(own)
        return Remove(OrderedUnit(unit.location, unit.type))
    if rng.random() < 0.1:
        return Waive()
    fate = rng.random()
    homes = here.homes[power] if fate < 0.8 else standard_board().supply_centers if fate < 0.9 else here.codes
    code = rng.choice(sorted(homes))
    kind, place = rng.choice(here.places[code])
    # Now and then a fleet inland, or on no coast of a province with two.
    return Build(OrderedUnit(code, "F") if rng.random() < 0.1 else OrderedUnit(place, kind))


@final
class _Draft:
    """Units and the orders that they have so far."""

    def __init__(self, rng: Random, profile: Profile) -> None:
        self._random = rng.random
        self._map = _map()
        self._profile = profile
        self.units: list[Unit] = self._opening() if profile.fewest == profile.most else self._placed()
        self._at: dict[str, int] = {unit.location[:3]: index for index, unit in enumerate(self.units)}
        self._key: list[tuple[UnitType, str]] = [(unit.type, unit.location) for unit in self.units]
        self._orders: list[Order | None] = [None] * len(self.units)
        self._to: dict[str, list[int]] = {}
        """The units that move to a province."""

    def give_orders(self) -> list[GivenOrder]:
        """Order the units, in no order that means anything."""
        random, profile = self._random, self._profile
        # As `shuffle` does, in less time.
        numbers = sorted(range(len(self.units)), key=lambda _: random())
        sloppy = random() < _SLOPPY
        silent = {number for number in numbers if sloppy and random() < _NO_ORDER}
        if random() < _RING:
            self._ring(numbers)
        for number in numbers:
            if self._orders[number] is None and number not in silent:
                if self.units[number].type == "A" and random() < profile.convoyed and self._convoy(number):
                    continue
                if random() < profile.moving:
                    self._attack(number)
        given: list[GivenOrder] = []
        for number in numbers:
            order = self._orders[number]
            unit = self.units[number]
            if order is None and number not in silent:
                order = self._misunderstood(number) if random() < _MISUNDERSTOOD else None
                order = order or self._help(number) or Hold(self._map.named[self._key[number]])
            if order is not None:
                given.append(GivenOrder(unit.power, order))
            if sloppy and random() < _ODD_ORDER:
                given.append(self._oddity(number))
        return given

    def _opening(self) -> list[Unit]:
        """The start of the game, and up to three moves of each unit to where nobody is."""
        units = list(standard_board().start)
        taken = {unit.location[:3] for unit in units}
        for _ in range(int(self._random() * 4)):
            for number, unit in enumerate(units):
                to = self._pick(self._map.moves[unit.type, unit.location])
                if to[:3] not in taken:
                    taken.remove(unit.location[:3])
                    taken.add(to[:3])
                    units[number] = unit._replace(location=to)
        return units

    def _placed(self) -> list[Unit]:
        """Units of a few powers, over the whole board or around one province."""
        random, here, profile = self._random, self._map, self._profile
        powers = self._several(here.powers, int(2 + random() * 6))
        count = profile.fewest + int(random() * (profile.most - profile.fewest + 1))
        area = here.everywhere
        if random() < profile.crowded:
            near, far = here.around[self._pick(here.codes)]
            # As a rule a few units in little space: what they show is easier to see.
            area, count = (near, min(count, int(3 + random() * 9))) if random() < 0.6 else (far, count)
        wet = min(len(area.seas), round(count * profile.at_sea))
        units: list[Unit] = []
        for code in self._several(area.seas, wet) + self._several(area.land, min(len(area.land), count - wet)):
            stands = here.places[code]
            if len(stands) > 1:  # An army, and a fleet for each coast.
                stands = stands[1:] if random() < profile.fleets else stands[:1]
            kind, place = stands[0] if len(stands) == 1 else self._pick(stands)
            units.append(Unit(powers[int(random() * len(powers))], kind, place))
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

    def _order_move(self, number: int, to: str, *, via_convoy: bool = False) -> None:
        self._orders[number] = Move(self._map.named[self._key[number]], to, via_convoy)
        self._to.setdefault(to[:3], []).append(number)

    def _attack(self, number: int) -> None:
        """Move somewhere, rather to where something happens."""
        moves = self._map.moves[self._key[number]]
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
            back = [to for to in self._map.moves[self._key[other]] if to[:3] == self.units[number].location[:3]]
            if back:
                self._order_move(other, back[0])

    def _ring(self, numbers: Sequence[int]) -> None:
        """Let three units, each a neighbour of the next, change places in a circle."""
        for first in numbers[:6]:
            near = [n for to in self._map.reach[self._key[first]] if (n := self._at.get(to)) is not None]
            for second in near:
                for third in near:
                    chain = (first, second, third, first)
                    if second != third and all(
                        self.units[to].location[:3] in self._map.reach[self._key[one]]
                        for one, to in itertools.pairwise(chain)
                    ):
                        for one, to in itertools.pairwise(chain):
                            key, province = self._key[one], self.units[to].location[:3]
                            self._order_move(one, next(at for at in self._map.moves[key] if at[:3] == province))
                        return

    def _convoy(self, number: int) -> bool:
        """Send an army over fleets that have no orders yet; now and then one is forgotten, or one too many ordered."""
        random, here = self._random, self._map
        home = self.units[number].location
        free = [sea for sea in here.waters[home] if self._is_free_at_sea(sea)]
        if not free or random() < _ASHORE:
            return random() < _ASHORE and self._convoy_ashore(number)
        route = [self._pick(free)]
        while random() < 0.45:
            onward = [sea for sea in here.waters[route[-1]] if sea not in route and self._is_free_at_sea(sea)]
            if not onward:
                break
            route.append(self._pick(onward))
        shores = [shore for shore in here.shores[route[-1]] if shore != home]
        enticing = [shore for shore in shores if shore in self._at or shore in self._to]
        to = self._pick(enticing if enticing and random() < 0.75 else shores)
        if random() < 0.3:  # A second way.
            route += [sea for sea in free if sea not in route][:1]
        if random() < 0.1:  # A way with a gap.
            _ = route.pop()
        self._order_move(number, to, via_convoy=random() < 0.5)
        army = here.named[self._key[number]]
        for sea in route:
            fleet = self._at[sea]
            self._orders[fleet] = Convoy(here.named[self._key[fleet]], army, to)
        return True

    def _convoy_ashore(self, number: int) -> bool:
        """Send an army over a fleet in a coastal province, which carries nobody."""
        here, home = self._map, self.units[number].location
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
        self._orders[fleet] = Convoy(here.named[self._key[fleet]], here.named[self._key[number]], to)
        return True

    def _is_free_at_sea(self, sea: str) -> bool:
        number = self._at.get(sea)
        return number is not None and self._orders[number] is None

    def _help(self, number: int) -> Order | None:
        """Support a move, or else a neighbour who stays."""
        key = self._key[number]
        here, named = self._map, self._map.named[key]
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
            to = order.to if self._random() < 0.7 else order.to[:3]
            return SupportMove(named, here.named[self._key[other]], to)
        if stays:
            return SupportHold(named, here.named[self._key[self._pick(stays)]])
        return None

    def _misunderstood(self, number: int) -> Order | None:
        """Support what a neighbour is not ordered to do: to hold though it moves, or to move to somewhere else."""
        key = self._key[number]
        here, named = self._map, self._map.named[key]
        if key[0] == "F" and (support := self._support_inland(number)) is not None:
            return support
        others = [other for province in here.reach[key] if (other := self._at.get(province)) is not None]
        moving = [other for other in others if isinstance(self._orders[other], Move)]
        if moving and self._random() < 0.4:
            return SupportHold(named, here.named[self._key[self._pick(moving)]])
        if not others:
            return SupportHold(named, named)
        other = self._pick(others)
        elsewhere = [to for to in here.moves[self._key[other]] if to[:3] in here.reach[key]]
        return SupportMove(named, here.named[self._key[other]], self._pick(elsewhere)) if elsewhere else None

    def _support_inland(self, number: int) -> Order | None:
        """Support a move to a neighbour by land, where a fleet cannot go."""
        kind, location = self._key[number]
        here = self._map
        inland = [code for code in here.reach.get(("A", location[:3]), ()) if code not in here.reach[kind, location]]
        movers = [other for province in inland for other in self._to.get(province, ()) if other != number]
        if not movers:
            return None
        other = self._pick(movers)
        order = self._orders[other]
        assert isinstance(order, Move)  # noqa: S101 - only moves are noted as going somewhere
        return SupportMove(here.named[kind, location], here.named[self._key[other]], order.to)

    def _oddity(self, number: int) -> GivenOrder:
        """An order that is impossible, matches nothing, comes from a stranger, or is one too many."""
        here = self._map
        unit, other = self.units[number], self._pick(self.units)
        named = here.named[self._key[number]]
        theirs = OrderedUnit(other.location, other.type)
        anywhere = self._pick(here.codes)
        odd: tuple[Order, ...] = (
            Move(named, anywhere),
            SupportMove(named, theirs, anywhere),
            SupportHold(named, theirs),
            Convoy(named, theirs, anywhere),
            Hold(named),
        )
        return GivenOrder(unit.power if self._random() < 0.8 else other.power, self._pick(odd))


def another_order(rng: Random, unit: Unit, situation: Situation) -> Order:
    """Draw an order for a unit among others: a move, a support of what another one does, or a hold."""
    here = _map()
    key = (unit.type, unit.location)
    named, reach = here.named[key], here.reach[key]
    found: list[Order] = [Move(named, to) for to in here.moves[key]]
    for given in situation.orders:
        order = given.order
        if isinstance(order, Move) and order.to[:3] in reach and order.unit != named:
            found += [SupportMove(named, order.unit, order.to)] * 3
    for other in situation.units:
        if other.location[:3] in reach:
            found.append(SupportHold(named, here.named[other.type, other.location]))
    return rng.choice(found) if found else Hold(named)
