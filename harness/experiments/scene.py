"""What can be said of a position in words: what is ordered in it, and what the rules make of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

from ...reference_engine import (
    Build,
    Convoy,
    GivenOrder,
    Move,
    Reason,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    province_code,
    standard_board,
)
from ...reference_engine.routes import set_of
from ..answers import Answer
from ..generating.terrain import terrain
from ..positions import OrderedPosition, ordered_unit, units_without_order


class _Moving(NamedTuple):
    """A unit that is ordered to move."""

    number: int
    """The place of the order among the orders, from 0."""
    unit: Unit
    order: Move

    @property
    def at(self) -> str:
        return province_code(self.unit.location)

    @property
    def to(self) -> str:
        return province_code(self.order.to)

    @property
    def reaches(self) -> bool:
        """Whether it could go there without a convoy."""
        return self.to in terrain().reach[self.unit.type, self.unit.location]


class _Supporting(NamedTuple):
    """A unit that is ordered to support."""

    number: int
    unit: Unit
    order: SupportHold | SupportMove

    @property
    def at(self) -> str:
        return province_code(self.unit.location)

    @property
    def into(self) -> str:
        """The province for which the support is."""
        order = self.order
        return province_code(order.to if isinstance(order, SupportMove) else order.supported.location)


@final
class Scene:
    """A position with its orders, and what the rules answer to its first phase."""

    def __init__(self, ordered: OrderedPosition, by_rules: Answer) -> None:
        self.ordered = ordered
        self.answer = by_rules
        self.at = {province_code(unit.location): unit for unit in ordered.units}

    @cached_property
    def moves(self) -> Sequence[_Moving]:
        """The moves of units that stand where they are ordered."""
        return [
            _Moving(index, unit, given.order)
            for index, given in enumerate(self.ordered.orders)
            if isinstance(given.order, Move) and (unit := self._unit(given)) is not None
        ]

    @cached_property
    def supports(self) -> Sequence[_Supporting]:
        """The supports of units that stand where they are ordered."""
        return [
            _Supporting(index, unit, given.order)
            for index, given in enumerate(self.ordered.orders)
            if isinstance(given.order, (SupportHold, SupportMove)) and (unit := self._unit(given)) is not None
        ]

    @cached_property
    def convoys(self) -> dict[_Moving, Sequence[str]]:
        """The armies that fleets are ordered to convoy where they go, with the places of these fleets."""
        fleets: dict[tuple[str, str], list[str]] = {}
        for given in self.ordered.orders:
            order = given.order
            if isinstance(order, Convoy) and self._unit(given) is not None:
                ends = province_code(order.convoyed.location), province_code(order.to)
                fleets.setdefault(ends, []).append(province_code(order.unit.location))
        return {move: fleets[ends] for move in self.moves if (ends := (move.at, move.to)) in fleets}

    @cached_property
    def dislodged(self) -> frozenset[str]:
        """The provinces whose units are dislodged."""
        return frozenset(province_code(each.unit.location) for each in self.answer.dislodged or ())

    @cached_property
    def attacked(self) -> dict[str, list[_Moving]]:
        """For each province the moves to it."""
        found: dict[str, list[_Moving]] = {}
        for move in self.moves:
            found.setdefault(move.to, []).append(move)
        return found

    @property
    def attacks_on_supports(self) -> Sequence[tuple[_Moving, _Supporting]]:
        """The moves against units that support."""
        return [(move, each) for each in self.supports for move in self.attacked.get(each.at, ())]

    @property
    def retreats(self) -> Sequence[Retreat]:
        """The retreats that are ordered."""
        return [given.order for given in self.ordered.retreats or () if isinstance(given.order, Retreat)]

    def fails(self, number: int) -> bool:
        """Whether an order fails by the rules."""
        outcomes = self.answer.outcomes
        outcome = None if outcomes is None else outcomes[number]
        return outcome is not None and outcome.outcome == "fails"

    def has_reason(self, *reasons: Reason) -> bool:
        """Whether some order fails by the rules for one of these reasons."""
        return any(each is not None and each.reason in reasons for each in self.answer.outcomes or ())

    def orders_of(self, kind: type[Build | Remove | Waive]) -> Sequence[GivenOrder]:
        """Return the orders of a kind."""
        return [given for given in self.ordered.orders if isinstance(given.order, kind)]

    def due(self, power: str) -> int:
        """How many units a power has to build; less than none where it has to remove some."""
        owned = len(self.ordered.position.centers.get(power, ()))
        return owned - sum(unit.power == power for unit in self.ordered.units)

    def _unit(self, given: GivenOrder) -> Unit | None:
        named = ordered_unit(given)
        return None if named is None else self.at.get(province_code(named.location))


@dataclass(frozen=True)
class Condition:
    """Something that is so in a position or is not: what comes after "only when"."""

    text: str
    opposite: str
    holds: Callable[[Scene], bool]


def _has_several_routes(scene: Scene) -> bool:
    board = standard_board()
    for move, fleets in scene.convoys.items():
        seas = set_of(board.number[fleet] for fleet in fleets)
        routes = board.routes.between(board.number[move.at], board.number[move.to])
        if sum(route & seas == route for route in routes) > 1:
            return True
    return False


def _goes_in_a_circle(scene: Scene) -> bool:
    goals = {move.at: move.to for move in scene.moves}
    for start, goal in goals.items():
        place, steps = goal, 1
        while place in goals and place != start and steps < len(goals):
            place, steps = goals[place], steps + 1
        if place == start and steps > 2:
            return True
    return False


def _orders_of_one_unit(scene: Scene) -> int:
    named = Counter(province_code(unit.location) for given in scene.ordered.orders if (unit := ordered_unit(given)))
    return max(named.values(), default=0)


def _supported(scene: Scene) -> Counter[tuple[str, str]]:
    """How many supports each unit gets, by where it stands and where they are for."""
    return Counter((province_code(each.order.supported.location), each.into) for each in scene.supports)


def _has_two_coasts(location: str) -> bool:
    province = standard_board().province(province_code(location))
    return province is not None and bool(province.coasts)


def _adjusting(scene: Scene) -> set[str]:
    return {given.power for given in scene.ordered.orders} | set(scene.ordered.position.centers)


_MOVEMENT: Sequence[Condition] = (
    Condition(
        "an army is convoyed",
        "no army is convoyed",
        lambda scene: bool(scene.convoys),
    ),
    Condition(
        "a convoyed army goes to a neighbouring province",
        "no convoyed army goes to a neighbouring province",
        lambda scene: any(move.reaches for move in scene.convoys),
    ),
    Condition(
        "a convoyed army does not arrive",
        "every convoyed army arrives",
        lambda scene: any(scene.fails(move.number) for move in scene.convoys),
    ),
    Condition(
        "several fleets are to convoy an army",
        "one fleet at most is to convoy an army",
        lambda scene: any(len(fleets) > 1 for fleets in scene.convoys.values()),
    ),
    Condition(
        "a convoy has several routes",
        "no convoy has several routes",
        _has_several_routes,
    ),
    Condition(
        "a convoying fleet is attacked",
        "no convoying fleet is attacked",
        lambda scene: any(fleet in scene.attacked for fleets in scene.convoys.values() for fleet in fleets),
    ),
    Condition(
        "a convoying fleet is dislodged",
        "no convoying fleet is dislodged",
        lambda scene: any(fleet in scene.dislodged for fleets in scene.convoys.values() for fleet in fleets),
    ),
    Condition(
        "an order asks for a convoy",
        "no order asks for a convoy",
        lambda scene: any(move.order.via_convoy for move in scene.moves),
    ),
    Condition(
        "two units go to each other's province",
        "no two units go to each other's province",
        lambda scene: any(
            other.to == move.at
            for move in scene.moves
            for other in scene.attacked.get(move.at, ())
            if other.at == move.to
        ),
    ),
    Condition(
        "three units or more go round in a circle",
        "no three units go round in a circle",
        _goes_in_a_circle,
    ),
    Condition(
        "several units go to one province",
        "no two units go to one province",
        lambda scene: any(len(moves) > 1 for moves in scene.attacked.values()),
    ),
    Condition(
        "a unit goes where another one wants to leave",
        "no unit goes where another one wants to leave",
        lambda scene: any(move.to == other.at and other.to != move.at for move in scene.moves for other in scene.moves),
    ),
    Condition(
        "a unit goes where one of its own power stands",
        "no unit goes where one of its own power stands",
        lambda scene: any(move.to in scene.at and scene.at[move.to].power == move.unit.power for move in scene.moves),
    ),
    Condition(
        "a fleet moves",
        "no fleet moves",
        lambda scene: any(move.unit.type == "F" for move in scene.moves),
    ),
    Condition(
        "a unit that was to move is dislodged",
        "no unit that was to move is dislodged",
        lambda scene: any(move.at in scene.dislodged for move in scene.moves),
    ),
    Condition(
        "a unit is dislodged",
        "no unit is dislodged",
        lambda scene: bool(scene.dislodged),
    ),
    Condition(
        "a unit is supported to hold",
        "no unit is supported to hold",
        lambda scene: any(isinstance(each.order, SupportHold) for each in scene.supports),
    ),
    Condition(
        "a unit of another power is supported",
        "no unit of another power is supported",
        lambda scene: any(
            helped.power != each.unit.power
            for each in scene.supports
            if (helped := scene.at.get(province_code(each.order.supported.location))) is not None
        ),
    ),
    Condition(
        "a unit has several supports",
        "no unit has several supports",
        lambda scene: any(count > 1 for count in _supported(scene).values()),
    ),
    Condition(
        "a fleet supports",
        "no fleet supports",
        lambda scene: any(each.unit.type == "F" for each in scene.supports),
    ),
    Condition(
        "a supporting unit is attacked",
        "no supporting unit is attacked",
        lambda scene: bool(scene.attacks_on_supports),
    ),
    Condition(
        "a supporting unit is attacked from where its support is for",
        "no supporting unit is attacked from where its support is for",
        lambda scene: any(move.at == each.into for move, each in scene.attacks_on_supports),
    ),
    Condition(
        "a supporting unit is attacked by one of its own power",
        "no supporting unit is attacked by one of its own power",
        lambda scene: any(move.unit.power == each.unit.power for move, each in scene.attacks_on_supports),
    ),
    Condition(
        "an attack on a supporting unit is ordered before the support",
        "no attack on a supporting unit is ordered before the support",
        lambda scene: any(move.number < each.number for move, each in scene.attacks_on_supports),
    ),
    Condition(
        "a supporting unit is dislodged",
        "no supporting unit is dislodged",
        lambda scene: any(each.at in scene.dislodged for each in scene.supports),
    ),
    Condition(
        "an attack on a supporting unit is stood off or fails",
        "no attack on a supporting unit fails",
        lambda scene: any(scene.fails(move.number) for move, _ in scene.attacks_on_supports),
    ),
)

_OF_ORDERS: Sequence[Condition] = (
    Condition(
        "an order names a coast",
        "no order names a coast",
        lambda scene: (
            any("/" in move.order.to for move in scene.moves)
            or any(isinstance(each.order, SupportMove) and "/" in each.order.to for each in scene.supports)
        ),
    ),
    Condition(
        "a province with two coasts matters",
        "no province with two coasts matters",
        lambda scene: (
            any(_has_two_coasts(unit.location) for unit in scene.ordered.units)
            or any(_has_two_coasts(move.to) for move in scene.moves)
        ),
    ),
    Condition(
        "a unit gets several orders",
        "no unit gets several orders",
        lambda scene: _orders_of_one_unit(scene) > 1,
    ),
    Condition(
        "an order is illegal",
        "no order is illegal",
        lambda scene: scene.has_reason("illegal"),
    ),
    Condition(
        "a support or a convoy has no matching order",
        "every support and convoy has a matching order",
        lambda scene: scene.has_reason("void"),
    ),
    Condition(
        "a unit has no order",
        "every unit has an order",
        lambda scene: scene.ordered.phase == "movement" and bool(units_without_order(scene.ordered)),
    ),
    Condition(
        "a power orders a unit of another one",
        "no power orders a unit of another one",
        lambda scene: any(
            scene.at[place].power != given.power
            for given in scene.ordered.orders
            if (unit := ordered_unit(given)) is not None and (place := province_code(unit.location)) in scene.at
        ),
    ),
)

_LATER_PHASES: Sequence[Condition] = (
    Condition(
        "several units retreat",
        "one unit at most retreats",
        lambda scene: len(scene.retreats) > 1,
    ),
    Condition(
        "two units retreat to one province",
        "no two units retreat to one province",
        lambda scene: len({province_code(each.to) for each in scene.retreats}) < len(scene.retreats),
    ),
    Condition(
        "a fleet is dislodged",
        "no fleet is dislodged",
        lambda scene: any(each.unit.type == "F" for each in scene.answer.dislodged or ()),
    ),
    Condition(
        "a convoyed army dislodges a unit",
        "no convoyed army dislodges a unit",
        lambda scene: any(move.to in scene.dislodged and not scene.fails(move.number) for move in scene.convoys),
    ),
    Condition(
        "units are built",
        "no unit is built",
        lambda scene: bool(scene.orders_of(Build)),
    ),
    Condition(
        "a build is waived",
        "no build is waived",
        lambda scene: bool(scene.orders_of(Waive)),
    ),
    Condition(
        "a removal is ordered",
        "no removal is ordered",
        lambda scene: bool(scene.orders_of(Remove)),
    ),
    Condition(
        "a power orders more builds than it has",
        "no power orders more builds than it has",
        lambda scene: any(
            count > max(scene.due(power), 0)
            for power, count in Counter(given.power for given in scene.orders_of(Build)).items()
        ),
    ),
    Condition(
        "a power orders fewer removals than it owes",
        "no power orders fewer removals than it owes",
        lambda scene: (
            scene.ordered.phase == "adjustment"
            and any(
                sum(given.power == power for given in scene.orders_of(Remove)) < -scene.due(power)
                for power in _adjusting(scene)
            )
        ),
    ),
    Condition(
        "a power has to remove several units",
        "no power has to remove several units",
        lambda scene: scene.ordered.phase == "adjustment" and any(scene.due(power) < -1 for power in _adjusting(scene)),
    ),
    Condition(
        "a fleet is built",
        "no fleet is built",
        lambda scene: any(
            isinstance(given.order, Build) and given.order.unit.type == "F" for given in scene.ordered.orders
        ),
    ),
)

CONDITIONS: Sequence[Condition] = (*_MOVEMENT, *_OF_ORDERS, *_LATER_PHASES)
"""Those that are tried, the likelier first."""
