"""Ordinary battles in one province after the other, in which each support, convoy and retreat decides something.

Random orders rarely make one matter, and never in each province for each power.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Literal, NamedTuple, TypeAlias, final, get_args

from ...reference_engine import (
    Board,
    Dislodged,
    GivenOrder,
    OrderedUnit,
    Position,
    Unit,
    adjudicate,
    province_code,
    standard_board,
)
from ...reference_engine.orders import Build, Convoy, Hold, Move, Order, Remove, Retreat, SupportHold, SupportMove
from ..play.positions import OrderedPosition, in_first_year
from .generate import draw_winter, owned_centers, unit_places_beside
from .terrain import Space, Terrain, UnitPlace, terrain

_Role: TypeAlias = Literal["attacks", "supports", "supports to hold", "convoys", "is attacked", "is open for retreats"]
_ROLES: tuple[_Role, ...] = get_args(_Role)
"""What a unit in a province does, or what happens there. In each run through the provinces each has another role."""
_STEP, _BATTLES = 4, (3, 4, 4, 6, 8)
"""So many provinces further the next position begins, and so many battles it has."""
_ADJUSTMENTS, _RETREATS = 0.2, 0.8
"""How many positions are adjustments, and how many of the others go on with retreats."""
_IN_WINTER = (4, 34)
"""The fewest and the most units before adjustments."""
_SUPPORTS = (0.65, 0.25, 0.1)
"""How often an attack has one, two or three supports."""
_HELD, _STAND_OFF, _FOREIGN = 0.2, 0.25, 0.35
"""How many attacks fail, how many are into a province where nobody is, and how many helpers are of another power."""
_LONGER, _VIA = 0.5, 0.4
"""How often a convoy has one more fleet, and how often its army says that it goes by convoy."""


def random_battles(seed: int, number: int, rng: Random, board: Board | None = None) -> OrderedPosition:
    """Draw the position with this number of a seed: battles and the retreats after them, or adjustments.

    The roles of provinces follow from the seed and the number: each has each role in turn.
    """
    if rng.random() < _ADJUSTMENTS:
        return _adjustments(rng, terrain(board))
    board = board or standard_board()
    battles, spaces = _Battles(rng, board), _in_turn(seed, board)
    for turn in range(number * _STEP, number * _STEP + rng.choice(_BATTLES)):
        run, place = divmod(turn, len(spaces))
        battles.add(spaces[place], _ROLES[(run + place) % len(_ROLES)])
    return battles.ordered(has_retreats=rng.random() < _RETREATS)


def _adjustments(rng: Random, here: Terrain) -> OrderedPosition:
    """Draw adjustments of all powers: as many builds and removals as are due and possible."""
    places = rng.sample(here.codes, rng.randint(*(min(number, len(here.codes)) for number in _IN_WINTER)))
    winter = draw_winter(rng, here, here.powers, places, owned_centers(rng, here))
    orders: list[GivenOrder] = []
    for power in here.powers:
        own, free, due = winter.of(power)
        removed = [here.unit_places[unit.type, unit.location] for unit in rng.sample(own, min(max(0, -due), len(own)))]
        built = [rng.choice(here.spaces[home].unit_places) for home in rng.sample(free, min(max(0, due), len(free)))]
        orders += [GivenOrder(power, Remove(place.named)) for place in removed]
        orders += [GivenOrder(power, Build(place.named)) for place in built]
    return winter.ordered(orders)


@cache
def _in_turn(seed: int, board: Board) -> Sequence[Space]:
    spaces = list(terrain(board).spaces.values())
    Random(f"battles {seed}").shuffle(spaces)  # noqa: S311 - positions, not secrets
    return spaces


class _Scene(NamedTuple):
    """Where a battle is, and what is known of it at first."""

    role: _Role
    own: UnitPlace
    """Where the unit stands that has the role."""
    target: int
    """The province that is attacked."""
    route: Sequence[UnitPlace] = ()
    """The fleets that convoy the own unit there."""


@final
class _Battles:
    """Battles that do not touch each other, of a few powers."""

    def __init__(self, rng: Random, board: Board) -> None:
        self._rng, self._here = rng, terrain(board)
        self._powers = rng.sample(self._here.powers, rng.randint(2, len(self._here.powers)))
        self._taken: set[int] = set()
        """The provinces where a unit stands, or which one attacks, and those that are open."""
        self._open: set[str] = set()
        """Provinces where units retreat to."""
        self._units: list[Unit] = []
        self._orders: list[GivenOrder] = []

    def ordered(self, *, has_retreats: bool) -> OrderedPosition:
        """Return the position, with the orders in any order."""
        self._rng.shuffle(self._orders)
        ordered = in_first_year(Position(self._units, board=self._here.board), tuple(self._orders))
        dislodged = adjudicate(ordered.position, ordered.orders).dislodged if has_retreats else ()
        return ordered._replace(retreats=tuple(self._retreats(dislodged))) if dislodged else ordered

    def _retreats(self, dislodged: Iterable[Dislodged]) -> Iterator[GivenOrder]:
        """Order retreats to different provinces, rather to those that are open."""
        gone: set[str] = set()
        for unit, _, retreats in dislodged:
            free = [to for to in retreats or () if province_code(to) not in gone]
            if free:
                to = self._rng.choice([to for to in free if province_code(to) in self._open] or free)
                gone.add(province_code(to))
                yield GivenOrder(unit.power, Retreat(OrderedUnit(unit.location, unit.type), to))

    def add(self, space: Space, role: _Role) -> None:
        """Add a battle in which a province has a role, where there is room for it."""
        scene = self._scene(space, role)
        used = {scene.target, scene.own.province, space.number, *(fleet.province for fleet in scene.route)}
        if not self._taken.isdisjoint(used):
            return
        self._taken |= used
        places = list(unit_places_beside(self._here.codes[scene.target], self._here.board))
        self._rng.shuffle(places)
        beside = {place.province: place for place in places if place.province not in self._taken}
        if scene.role == "is open for retreats":
            self._open.add(self._here.codes[space.number])
        self._fight(scene, list(beside.values()))

    def _scene(self, space: Space, role: _Role) -> _Scene:
        own = self._rng.choice(space.unit_places)
        if role == "convoys":
            return self._crossing(space) or _Scene("is attacked", own, space.number)
        if role == "is attacked" or not own.moves:
            return _Scene("is attacked", own, space.number)
        to = self._rng.choice(own.moves)
        return _Scene(role, to if role == "is open for retreats" else own, to.province)

    def _crossing(self, space: Space) -> _Scene | None:
        """Send an army over this sea, or from this province, over some seas."""
        rng = self._rng
        armies: Sequence[UnitPlace] = space.armies or space.fleets[0].shores
        army = rng.choice(armies) if armies else None
        if army is None or not army.waters:
            return None
        route = [rng.choice(army.waters) if space.armies else space.fleets[0]]
        # No fleet is to be passed by.
        passed, near = {*army.waters}, {army.province, *army.reach}
        while rng.random() < _LONGER and (onward := [sea for sea in route[-1].waters if sea not in passed]):
            passed.update(route[-1].waters)
            near.update(shore.province for shore in route[-1].shores)
            route.append(rng.choice(onward))
        shores = [shore.province for shore in route[-1].shores if shore.province not in near]
        return _Scene("convoys", army, rng.choice(shores), route) if shores else None

    def _fight(self, scene: _Scene, beside: list[UnitPlace]) -> None:
        """Let units attack a province, with as many supports as it takes, or one fewer."""
        rng, (role, own, target, route) = self._rng, scene
        is_held = role == "supports to hold" or (role != "is open for retreats" and rng.random() < _HELD)
        is_empty = role in ("attacks", "supports", "convoys") and rng.random() < _STAND_OFF
        (supports,) = rng.choices((1, 2, 3), _SUPPORTS)
        # Some of the places are to be that of the own unit.
        is_defender = role in ("is attacked", "is open for retreats")
        while supports and len(beside) + (not is_defender) < 2 * supports + is_held + is_empty:
            supports -= 1
        if not supports:
            return
        if not is_defender:
            beside.insert({"supports": 1, "supports to hold": 1 + supports}.get(role, 0), own)
        attackers, others = beside[: 1 + supports], beside[1 + supports : 2 * supports + is_held + is_empty]
        attacker, defender = rng.sample(self._powers, 2)
        self._attack(attackers, target, attacker, defender, route)
        if is_empty:
            self._attack(others, target, defender, attacker)
            return
        holder = own if is_defender else rng.choice(self._here.spaces[self._here.codes[target]].unit_places)
        self._give(defender, holder, Hold(holder.named))
        for helper in others:
            self._give(self._helper(defender, attacker), helper, SupportHold(helper.named, holder.named))

    def _attack(
        self, places: Sequence[UnitPlace], target: int, power: str, enemy: str, route: Sequence[UnitPlace] = ()
    ) -> None:
        """Let the first unit move, over a route if there is one, and the others support it."""
        mover, *helpers = places
        goal = next((to.location for to in mover.moves if to.province == target), self._here.codes[target])
        self._give(power, mover, Move(mover.named, goal, via_convoy=bool(route) and self._rng.random() < _VIA))
        for fleet in route:
            self._give(self._helper(power, enemy), fleet, Convoy(fleet.named, mover.named, goal))
        for helper in helpers:
            self._give(self._helper(power, enemy), helper, SupportMove(helper.named, mover.named, goal))

    def _helper(self, power: str, enemy: str) -> str:
        """Return whose unit helps: that of the power itself, or of one that is not its enemy."""
        others = [other for other in self._powers if other not in (power, enemy)]
        return self._rng.choice(others) if others and self._rng.random() < _FOREIGN else power

    def _give(self, power: str, place: UnitPlace, order: Order) -> None:
        """Place a unit with its order."""
        self._taken.add(place.province)
        self._units.append(place.units[power])
        self._orders.append(GivenOrder(power, order))
