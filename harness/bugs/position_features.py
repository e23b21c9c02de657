"""What can be said in words of the orders in a position that matter to what differs, and of what they are asked with.

`features` gives all that is so, as texts that follow "only when". It looks at a part of the position: an order that has
nothing to do with what differs changes nothing, but the number of units on the board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, final

from ...reference_engine import Reason, Unit, province_code
from ...reference_engine.notation import Style
from ...reference_engine.orders import Convoy, Move, Order, Retreat, SupportHold, SupportMove
from ...reference_engine.routes import set_of
from ..play.answer import Answer
from ..play.positions import OrderedPosition, helped_unit, ordered_province, place_text, power_text, units_without_order


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

    def __init__(
        self,
        ordered: OrderedPosition,
        by_rules: Answer,
        about: Collection[str] | None = None,
    ) -> None:
        """Look at what concerns some provinces; `None`: at everything."""
        self.ordered, self.answer = ordered, by_rules
        self.board = ordered.position.board
        at = {province_code(unit.location): unit for unit in ordered.units}
        every: list[_Given] = []
        for index, given in enumerate(ordered.orders):
            order, place = given.order, ordered_province(given.order)
            if order is not None and (unit := at.get(place)):
                other = helped_unit(order)
                helped = province_code(other.location) if other else ""
                to = province_code(order.to) if isinstance(order, (Move, SupportMove, Convoy)) else helped
                every.append(_Given(index, unit, order, place, helped, to))
        linked = None if about is None else _linked(every, about)

        def concerns(place: str) -> bool:
            return linked is None or place in linked

        self.at = {place: unit for place, unit in at.items() if concerns(place)}
        dislodged = {province_code(entry.unit.location) for entry in by_rules.dislodged or ()}
        self.dislodged = set(filter(concerns, dislodged))
        self.given = [each for each in every if concerns(each.at)]
        self.in_question = [each for each in self.given if about is not None and each.at in about]
        self.orders = [
            (number, given) for number, given in enumerate(ordered.orders) if concerns(ordered_province(given.order))
        ]
        """The orders that matter, each with its index."""
        self.moves = [each for each in self.given if isinstance(each.order, Move)]
        self.supports = [each for each in self.given if isinstance(each.order, (SupportHold, SupportMove))]
        self.helping_others = [
            each for each in self.supports if each.helped in self.at and self.at[each.helped].power != each.unit.power
        ]
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
        self.retreats = [
            (ordered_province(order), province_code(order.to))
            for order in retreats
            if isinstance(order, Retreat) and concerns(ordered_province(order))
        ]
        """From where to where units retreat."""

    def fails(self, move: _Given) -> bool:
        """Whether a move fails by the rules."""
        outcome = None if self.answer.outcomes is None else self.answer.outcomes[move.number]
        return outcome is not None and outcome.outcome == "fails"

    def has_reason(self, reason: Reason) -> bool:
        """Whether some order fails by the rules for this reason."""
        outcomes = self.answer.outcomes or ()
        return any((each := outcomes[number]) is not None and each.reason == reason for number, _ in self.orders)

    def reaches(self, move: _Given) -> bool:
        """Whether a unit could go to its destination without a convoy."""
        return move.to in map(province_code, self.board.destinations(move.unit))

    def has_coasts(self, location: str) -> bool:
        """Whether a location is in a province with two coasts."""
        return province_code(location) in self.board.with_coasts


def _linked(every: Sequence[_Given], about: Collection[str]) -> set[str]:
    """Add to provinces those from which an order goes to them or where one of theirs goes, and what is against convoys.

    What such an order depends on in turn is left out: on a crowded board that is everything.
    """
    places = {*about}
    for each in every:
        if each.at in about:
            places |= {each.to, each.helped} - {""}
    linked = places | {each.at for each in every if each.to in places}
    fleets = {each.at for each in every if isinstance(each.order, Convoy) and each.at in linked}
    return linked | {each.at for each in every if each.to in fleets}


def _most_routes(seen: PositionFeatures) -> int:
    number, routes, most = seen.board.number, seen.board.routes, 0
    for move, fleets in seen.convoys.items():
        seas = set_of(number[fleet] for fleet in fleets)
        found = sum(route & seas == route for route in routes.between(number[move.at], number[move.to]))
        most = max(most, found)
    return most


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
    named = [place for _, given in seen.orders if (place := ordered_province(given.order))]
    return len(set(named)) < len(named)


_TESTS: Mapping[str, Callable[[PositionFeatures], object]] = {
    "an army is convoyed": lambda seen: seen.convoys,
    "a convoyed army goes to a neighbouring province": lambda seen: any(map(seen.reaches, seen.convoys)),
    "a convoyed army does not arrive": lambda seen: any(map(seen.fails, seen.convoys)),
    "a convoying fleet is attacked": lambda seen: any(fleet in seen.attacked for fleet in seen.convoying),
    "a convoying fleet is dislodged": lambda seen: seen.convoying & seen.dislodged,
    "an order asks for a convoy": lambda seen: any(
        isinstance(each.order, Move) and each.order.via_convoy for each in seen.given
    ),
    "two units go to each other's province": lambda seen: any(
        other.at == move.to for move in seen.moves for other in seen.attacked.get(move.at, ())
    ),
    "three units or more go round in a circle": _goes_in_a_circle,
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
    "a unit of another power is supported": lambda seen: seen.helping_others,
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
    "a unit has no order": lambda seen: (
        seen.ordered.phase == "movement"
        and any(province_code(unit.location) in seen.at for unit in units_without_order(seen.ordered))
    ),
    "a power orders a unit of another one": lambda seen: any(
        each.unit.power != seen.ordered.orders[each.number].power for each in seen.given
    ),
    "several units retreat": lambda seen: len(seen.retreats) > 1,
    "two units retreat to one province": lambda seen: len({to for _, to in seen.retreats}) < len(seen.retreats),
    "a fleet is dislodged": lambda seen: any(seen.at[place].type == "F" for place in seen.dislodged),
    "a convoyed army dislodges a unit": lambda seen: any(
        move.to in seen.dislodged and not seen.fails(move) for move in seen.convoys
    ),
}
"""What tells whether each condition is so."""
_OPPOSITES = {
    "a convoyed army does not arrive": "every convoyed army arrives",
    "two units go to each other's province": "no two units go to each other's province",
    "three units or more go round in a circle": "no three units go round in a circle",
    "an attack on a supporting unit is stood off or fails": "no attack on a supporting unit fails",
    "a support or a convoy has no matching order": "every support and convoy has a matching order",
    "a unit has no order": "every unit has an order",
    "several units retreat": "one unit at most retreats",
    "two units retreat to one province": "no two units retreat to one province",
}
"""What is said where one is not so, if it is not `"no army moves"` for `"an army moves"`."""

TESTS: Mapping[str, tuple[str, Callable[[PositionFeatures], object]]] = {
    about: (_OPPOSITES.get(about) or f"no {about.partition(' ')[2]}", test) for about, test in _TESTS.items()
}
"""The conditions by what comes after "only when", each with its opposite, and what tells whether it is so."""
_ORDERED: Mapping[str, Callable[[PositionFeatures], Iterable[_Given]]] = {
    "in question": lambda seen: seen.in_question,
    "in question that moves": lambda seen: (each for each in seen.in_question if isinstance(each.order, Move)),
    "that supports": lambda seen: seen.supports,
    "that supports one of another power": lambda seen: seen.helping_others,
    "that supports while it is attacked": lambda seen: (each for _, each in seen.attacks_on_supports),
    "that attacks a supporting one": lambda seen: (move for move, _ in seen.attacks_on_supports),
    "that moves": lambda seen: seen.moves,
    "that is convoyed": lambda seen: seen.convoys,
    "that is to convoy": lambda seen: (each for each in seen.given if isinstance(each.order, Convoy)),
    "that is dislodged": lambda seen: (each for each in seen.given if each.at in seen.dislodged),
}
"""Units by what they do; those in question have another outcome than by the rules."""
_PLACED: Mapping[str, Callable[[PositionFeatures], Iterable[str]]] = {
    "a unit stands in {}": lambda seen: seen.at,
    "a unit retreats to {}": lambda seen: (to for _, to in seen.retreats),
    "a unit retreats from {}": lambda seen: (at for at, _ in seen.retreats),
}
_NUMBERS: Mapping[str, tuple[range, Callable[[PositionFeatures], int]]] = {
    "{} supports are for one unit": (
        range(2, 6),
        lambda seen: max(Counter((each.helped, each.to) for each in seen.supports).values(), default=0),
    ),
    "{} units go to one province": (range(2, 6), lambda seen: max(map(len, seen.attacked.values()), default=0)),
    "{} fleets are to convoy one army": (
        range(2, 6),
        lambda seen: max(map(len, seen.convoys.values()), default=0),
    ),
    "a convoy has {} routes": (range(2, 5), _most_routes),
    "{} units are on the board": (range(2, 35), lambda seen: len(seen.ordered.units)),
    "the year is {}": (range(1902, 1931), lambda seen: seen.ordered.year),
}
"""What is counted, and up to where."""


def features(
    ordered: OrderedPosition,
    by_rules: Answer,
    about: Collection[str] | None = None,
    style: Style = "codes",
) -> frozenset[str]:
    """Say all that is so of the orders that concern some provinces; `None`: of all.

    `by_rules` is what the rules answer to the first phase. Each text follows "only when"; none is about adjustments.
    """
    seen = PositionFeatures(ordered, by_rules, about)
    found = {text if test(seen) else opposite for text, (opposite, test) in TESTS.items()}
    for doing, find in _ORDERED.items():
        for unit in find(seen):
            found |= {
                f"{'an army' if unit.unit.type == 'A' else 'a fleet'} is one {doing}",
                f"a unit {doing} is in {place_text(unit.at)}",
                f"a unit {doing} is of {power_text(unit.unit.power)}",
            }
            found |= {f"a unit {doing} acts on {place_text(unit.to)}"} if unit.to else set()
    found |= {text.format(place_text(place)) for text, find in _PLACED.items() for place in find(seen) if place}
    found |= {f"a unit of {power_text(unit.power)} is there" for unit in seen.at.values()}
    for text, (numbers, count) in _NUMBERS.items():
        counted = count(seen)
        bounds = (f"at least {n}" if counted >= n else f"at most {n - 1}" for n in numbers)
        found |= {text.format(bound) for bound in bounds}
    return frozenset(found | {f"it is {ordered.season}", f"orders are written in {style}"})
