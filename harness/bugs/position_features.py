"""What can be said of a position in words: what is ordered in it, and what the rules make of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple, final

from ...reference_engine import Reason, Unit, province_code
from ...reference_engine.orders import Build, Convoy, Move, Order, Remove, Retreat, SupportHold, SupportMove, Waive
from ...reference_engine.routes import set_of
from ..play.answer import Answer
from ..play.positions import OrderedPosition, helped_unit, ordered_province, units_without_order


class _Given(NamedTuple):
    """An order of a unit that stands where it is ordered."""

    number: int
    """The index of the order among the orders."""
    unit: Unit
    order: Order
    at: str
    """The province that the unit stands in."""
    helped: str
    """The province of the unit that it supports or convoys."""
    to: str
    """The province that it moves to, or that its support or convoy is for."""


@final
class PositionFeatures:
    """A position with its orders, and what the rules answer to its first phase."""

    def __init__(self, ordered: OrderedPosition, by_rules: Answer) -> None:
        self.ordered = ordered
        self.answer = by_rules
        self.board = ordered.position.board
        self.at = {province_code(unit.location): unit for unit in ordered.units}
        self.dislodged = {province_code(entry.unit.location) for entry in by_rules.dislodged or ()}
        self.given: list[_Given] = []
        for index, given in enumerate(ordered.orders):
            order, at = given.order, ordered_province(given.order)
            if order is not None and (unit := self.at.get(at)):
                other = helped_unit(order)
                helped = province_code(other.location) if other else ""
                to = province_code(order.to) if isinstance(order, (Move, SupportMove, Convoy)) else helped
                self.given.append(_Given(index, unit, order, at, helped, to))
        self.moves = [each for each in self.given if isinstance(each.order, Move)]
        self.supports = [each for each in self.given if isinstance(each.order, (SupportHold, SupportMove))]
        fleets: dict[tuple[str, str], list[str]] = {}
        for each in self.given:
            if isinstance(each.order, Convoy):
                fleets.setdefault((each.helped, each.to), []).append(each.at)
        self.convoys = {move: fleets[move.at, move.to] for move in self.moves if (move.at, move.to) in fleets}
        """The armies that fleets are ordered to convoy where they go, with the provinces of these fleets."""
        self.convoying = {fleet for fleets in self.convoys.values() for fleet in fleets}
        self.attacked: dict[str, list[_Given]] = {}
        """For each province the moves to it."""
        for move in self.moves:
            self.attacked.setdefault(move.to, []).append(move)
        self.attacks_on_supports = [(move, each) for each in self.supports for move in self.attacked.get(each.at, ())]
        retreats = (given.order for given in ordered.retreats or ())
        self.retreats = [province_code(order.to) for order in retreats if isinstance(order, Retreat)]
        self.due: dict[str, int] = {}
        """How many units each power has to build before adjustments; less than none where it has to remove some."""
        if ordered.phase == "adjustment":
            centers, units = ordered.position.centers, Counter(unit.power for unit in ordered.units)
            powers = {given.power for given in ordered.orders} | set(centers)
            self.due = {power: len(centers.get(power, ())) - units[power] for power in powers}

    def fails(self, move: _Given) -> bool:
        """Whether a move fails by the rules."""
        outcome = None if self.answer.outcomes is None else self.answer.outcomes[move.number]
        return outcome is not None and outcome.outcome == "fails"

    def has_reason(self, reason: Reason) -> bool:
        """Whether some order fails by the rules for this reason."""
        return any(each is not None and each.reason == reason for each in self.answer.outcomes or ())

    def powers_ordering(self, kind: type[Build | Remove | Waive]) -> Counter[str]:
        """Count the orders of a kind, by power."""
        return Counter(given.power for given in self.ordered.orders if isinstance(given.order, kind))

    def reaches(self, move: _Given) -> bool:
        """Whether a unit could go to its destination without a convoy."""
        return move.to in map(province_code, self.board.destinations(move.unit))

    def has_coasts(self, location: str) -> bool:
        """Whether a location is in a province with two coasts."""
        province = self.board.province(location)
        return province is not None and bool(province.coasts)


def _has_several_routes(seen: PositionFeatures) -> bool:
    number, routes = seen.board.number, seen.board.routes
    for move, fleets in seen.convoys.items():
        seas = set_of(number[fleet] for fleet in fleets)
        if sum(route & seas == route for route in routes.between(number[move.at], number[move.to])) > 1:
            return True
    return False


def _goes_in_a_circle(seen: PositionFeatures) -> bool:
    goals = {move.at: move.to for move in seen.moves}
    for start, goal in goals.items():
        place, steps = goal, 1
        while place in goals and place != start and steps < len(goals):
            place, steps = goals[place], steps + 1
        if place == start and steps > 2:
            return True
    return False


def _has_several_orders(seen: PositionFeatures) -> bool:
    named = [place for given in seen.ordered.orders if (place := ordered_province(given.order))]
    return len(set(named)) < len(named)


_TESTS: Mapping[str, Callable[[PositionFeatures], object]] = {
    "an army is convoyed": lambda seen: seen.convoys,
    "a convoyed army goes to a neighbouring province": lambda seen: any(map(seen.reaches, seen.convoys)),
    "a convoyed army does not arrive": lambda seen: any(map(seen.fails, seen.convoys)),
    "several fleets are to convoy an army": lambda seen: any(len(fleets) > 1 for fleets in seen.convoys.values()),
    "a convoy has several routes": _has_several_routes,
    "a convoying fleet is attacked": lambda seen: any(fleet in seen.attacked for fleet in seen.convoying),
    "a convoying fleet is dislodged": lambda seen: seen.convoying & seen.dislodged,
    "an order asks for a convoy": lambda seen: any(
        isinstance(each.order, Move) and each.order.via_convoy for each in seen.given
    ),
    "two units go to each other's province": lambda seen: any(
        other.at == move.to for move in seen.moves for other in seen.attacked.get(move.at, ())
    ),
    "three units or more go round in a circle": _goes_in_a_circle,
    "several units go to one province": lambda seen: any(len(moves) > 1 for moves in seen.attacked.values()),
    "a unit goes where another one wants to leave": lambda seen: any(
        move.to == other.at and other.to != move.at for move in seen.moves for other in seen.moves
    ),
    "a unit goes where one of its own power stands": lambda seen: any(
        move.to in seen.at and seen.at[move.to].power == move.unit.power for move in seen.moves
    ),
    "a fleet moves": lambda seen: any(move.unit.type == "F" for move in seen.moves),
    "a unit that was to move is dislodged": lambda seen: any(move.at in seen.dislodged for move in seen.moves),
    "a unit is dislodged": lambda seen: seen.dislodged,
    "a unit is supported to hold": lambda seen: any(isinstance(each.order, SupportHold) for each in seen.supports),
    "a unit of another power is supported": lambda seen: any(
        each.helped in seen.at and seen.at[each.helped].power != each.unit.power for each in seen.supports
    ),
    "a unit has several supports": lambda seen: (
        len({(each.helped, each.to) for each in seen.supports}) < len(seen.supports)
    ),
    "a fleet supports": lambda seen: any(each.unit.type == "F" for each in seen.supports),
    "a supporting unit is attacked": lambda seen: seen.attacks_on_supports,
    "a supporting unit is attacked from where its support is for": lambda seen: any(
        move.at == each.to for move, each in seen.attacks_on_supports
    ),
    "a supporting unit is attacked by one of its own power": lambda seen: any(
        move.unit.power == each.unit.power for move, each in seen.attacks_on_supports
    ),
    "an attack on a supporting unit is ordered before the support": lambda seen: any(
        move.number < each.number for move, each in seen.attacks_on_supports
    ),
    "a supporting unit is dislodged": lambda seen: any(each.at in seen.dislodged for each in seen.supports),
    "an attack on a supporting unit is stood off or fails": lambda seen: any(
        seen.fails(move) for move, _ in seen.attacks_on_supports
    ),
    "an order names a coast": lambda seen: any(
        isinstance(each.order, (Move, SupportMove)) and "/" in each.order.to for each in seen.given
    ),
    "a province with two coasts matters": lambda seen: any(
        map(seen.has_coasts, (*seen.at, *(move.to for move in seen.moves)))
    ),
    "a unit gets several orders": _has_several_orders,
    "an order is illegal": lambda seen: seen.has_reason("illegal"),
    "a support or a convoy has no matching order": lambda seen: seen.has_reason("void"),
    "a unit has no order": lambda seen: seen.ordered.phase == "movement" and units_without_order(seen.ordered),
    "a power orders a unit of another one": lambda seen: any(
        each.unit.power != seen.ordered.orders[each.number].power for each in seen.given
    ),
    "several units retreat": lambda seen: len(seen.retreats) > 1,
    "two units retreat to one province": lambda seen: len(set(seen.retreats)) < len(seen.retreats),
    "a fleet is dislodged": lambda seen: any(entry.unit.type == "F" for entry in seen.answer.dislodged or ()),
    "a convoyed army dislodges a unit": lambda seen: any(
        move.to in seen.dislodged and not seen.fails(move) for move in seen.convoys
    ),
    "units are built": lambda seen: seen.powers_ordering(Build),
    "a build is waived": lambda seen: seen.powers_ordering(Waive),
    "a removal is ordered": lambda seen: seen.powers_ordering(Remove),
    "a power orders more builds than it has": lambda seen: any(
        count > max(seen.due.get(power, 0), 0) for power, count in seen.powers_ordering(Build).items()
    ),
    "a power orders fewer removals than it owes": lambda seen: any(
        seen.powers_ordering(Remove)[power] < -due for power, due in seen.due.items()
    ),
    "a power has to remove several units": lambda seen: any(due < -1 for due in seen.due.values()),
    "a fleet is built": lambda seen: any(
        isinstance(given.order, Build) and given.order.unit.type == "F" for given in seen.ordered.orders
    ),
}
"""What tells whether each condition is so, the likelier ones first."""
_OPPOSITES = {
    "a convoyed army does not arrive": "every convoyed army arrives",
    "several fleets are to convoy an army": "one fleet at most is to convoy an army",
    "two units go to each other's province": "no two units go to each other's province",
    "three units or more go round in a circle": "no three units go round in a circle",
    "several units go to one province": "no two units go to one province",
    "an attack on a supporting unit is stood off or fails": "no attack on a supporting unit fails",
    "a support or a convoy has no matching order": "every support and convoy has a matching order",
    "a unit has no order": "every unit has an order",
    "several units retreat": "one unit at most retreats",
    "two units retreat to one province": "no two units retreat to one province",
    "units are built": "no unit is built",
}
"""What is said where one is not so, if it is not `"no army moves"` for `"an army moves"`."""

LITERALS: Mapping[str, tuple[Callable[[PositionFeatures], object], bool]] = {
    text: (test, is_so)
    for about, test in _TESTS.items()
    for text, is_so in ((about, True), (_OPPOSITES.get(about) or f"no {about.partition(' ')[2]}", False))
}
"""The conditions by what comes after "only when", each with its opposite: a test, and what it has to say."""


def is_so(literal: str, seen: PositionFeatures) -> bool:
    """Whether a condition, or the opposite of one, is so in a position. Raises `KeyError` for an unknown one."""
    test, expected = LITERALS[literal]
    return bool(test(seen)) is expected
