# mypyc
"""What an order means on this board: which orders are legal (DATC 4.E.1), and what a badly written one says.

A legal order is one that could be valid, not knowing any other order yet. It becomes an `OrderEffect`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar, cast

from .board import Board, OrderedUnit, Place, province_code
from .choices import (
    ADJACENT_CONVOYS,
    COASTS_OF_SUPPORT,
    CONVOY_PATHS,
    DESIGNATIONS,
    ILLEGAL_ORDERS,
    IMPOSSIBLE_COAST_IGNORED,
    MAY_CONVOY,
    MULTIPLE_ORDERS,
    OMITTED_COASTS,
    UNKNOWN_COAST_IGNORED,
    WRONG_COAST_IGNORED,
    ChoiceTables,
    choices_of,
)
from .errors import PositionError, nearest
from .orders import Convoy, GivenOrder, Move, MovementOrder, Order, SupportHold, SupportMove, WrittenOrder
from .position import Position
from .resolved_order import CONVOY, HOLD, HOLDS, MOVE, SUPPORT, UNREACHABLE_MOVE, OrderEffect, effect_of
from .rulesets import MAP_ISSUES, Ruleset

_T = TypeVar("_T")

_SAME_KIND: Mapping[str, frozenset[str]] = {
    issue: frozenset(pair) for pair in (("4.C.1", "4.C.2"), ("4.C.5", "4.C.6")) for issue in pair
}

CHOICE_TABLES: ChoiceTables = {
    **OMITTED_COASTS,
    "4.B.3": IMPOSSIBLE_COAST_IGNORED,
    "4.B.5": WRONG_COAST_IGNORED,
    "4.B.6": UNKNOWN_COAST_IGNORED,
    **DESIGNATIONS,
    "4.D.3": MULTIPLE_ORDERS,
    "4.E.1": ILLEGAL_ORDERS,
    "X.3": MAY_CONVOY,
}
"""The issues of this module.

4.D.1, 4.D.2 and 4.E.2 to 4.E.6 are settled before orders come here: each has been read and there is one set a power.
"""

SUPPORTED_CHOICES = choices_of(CHOICE_TABLES)

READ_BY: Final = frozenset((*CHOICE_TABLES, "4.A.3", "4.A.6", "4.B.4", *MAP_ISSUES))
"""The issues that decide what an order means: those of this module, and of others that it asks, too."""


def choose_order(
    units: list[int], orders: list[_T], count: int, unordered: _T, choose: Callable[[Sequence[int]], int]
) -> tuple[set[int], list[_T]]:
    """The legal orders that are not followed, by their indices, and what each of `count` units follows (4.D.3).

    `units` holds for each of the orders the unit that it commands, or -1. Orders that mean the same count as one. Where
    there is one order for each unit, and in their order, what they follow is the list of `orders` itself.
    """
    if units == list(range(count)):
        return set(), orders
    followed = [unordered] * (count + 1)  # Orders to no unit go to the last entry.
    for unit, order in zip(units, orders, strict=True):
        followed[unit] = order
    _ = followed.pop()
    unfollowed: set[int] = set()
    if len(set(units)) < len(units):
        for unit, indices in _different_orders(units, orders).items():
            chosen = choose(indices)
            followed[unit] = orders[chosen] if chosen >= 0 else unordered
            unfollowed.update(
                index
                for index, other in enumerate(units)
                if other == unit and (chosen < 0 or orders[index] != orders[chosen])
            )
    return unfollowed, followed


def _different_orders(units: list[int], orders: list[_T]) -> dict[int, list[int]]:
    """The units with several orders, and the indices of those that differ."""
    different: dict[int, list[int]] = {}
    for index, unit in enumerate(units):
        if unit >= 0:
            before = different.setdefault(unit, [])
            if all(orders[other] != orders[index] for other in before):
                before.append(index)
    return {unit: indices for unit, indices in different.items() if len(indices) > 1}


class _Designations(NamedTuple):
    """What a ruleset says of the designations of units in orders."""

    invalid: frozenset[str | None]
    """The issues on designations, missing or wrong, with which an order does not count."""
    yielding: frozenset[str]
    """Another order to the same unit, correct in this, replaces it."""


@lru_cache(maxsize=256)
def _designations(ruleset: Ruleset) -> _Designations:
    chosen = {issue: table[ruleset.choices[issue]] for issue, table in DESIGNATIONS.items()}
    return _Designations(
        frozenset(issue for issue, designation in chosen.items() if not designation.is_valid),
        frozenset(issue for issue, designation in chosen.items() if designation.yields_to_correct),
    )


def check_given(board: Board, orders: Sequence[GivenOrder], units: Sequence[int] = ()) -> None:
    """Raise `TypeError` for what is no `GivenOrder`, and `PositionError` for an order of no power of the board.

    Those are passed over that command units, where these are given as by `Legality.effects`.
    """
    for number, given in enumerate(cast("Sequence[object]", orders), 1):
        if units and units[number - 1] >= 0:
            continue
        pair = cast("tuple[object, ...]", given) if isinstance(given, tuple) else ()
        power, order = pair if len(pair) == 2 else (None, None)
        if not isinstance(power, str) or not (order is None or isinstance(order, WrittenOrder)):
            raise TypeError(f"order {number} is {given!r}: give a GivenOrder(power, read_order(text).order)")
        if power not in board.powers:
            raise PositionError(f"order {number} is of {power!r}, which is no power{nearest(power, [*board.powers])}")


class Legality:
    """Judges the orders of a movement phase, each on its own (4.E.2 `individual`)."""

    def __init__(self, position: Position, ruleset: Ruleset) -> None:
        self._position: Position = position
        self._board: Board = position.board
        self._choices: Mapping[str, str] = ruleset.choices
        self._power: tuple[str, ...] = position.power
        self._occupant: tuple[int, ...] = position.occupant
        self._is_fleet: tuple[bool, ...] = position.is_fleet
        self._home: tuple[int, ...] = position.home
        self._places: tuple[Place, ...] = position.places
        self._named_in_full: dict[OrderedUnit, int] = position.named
        self._ruleset: Ruleset = ruleset
        designations = _designations(ruleset)
        self._invalid: frozenset[str | None] = designations.invalid
        self._yielding: frozenset[str] = designations.yielding
        self.ignored: set[int] = set()
        """The orders that a better designated one to the same unit replaces (4.C)."""
        self.unreachable: set[int] = set()
        """The impossible moves that are orders all the same (4.E.1)."""

    def effects(self, orders: Sequence[GivenOrder]) -> tuple[list[int], list[OrderEffect]]:
        """Read orders.

        Returns:
            For each order the index of the unit that it commands, -1 where it is illegal or ignored, and what that unit
            is to do, which is anything where the order commands none.
        """
        units, effects = self._read(orders)
        is_still_an_order = ILLEGAL_ORDERS[self._choices["4.E.1"]].is_still_an_order
        if is_still_an_order is not None:
            for index, (power, order) in enumerate(orders):
                if units[index] < 0 and isinstance(order, Move):
                    unit = self._cannot_move(power, order, is_still_an_order)
                    if unit >= 0:
                        units[index], effects[index] = unit, UNREACHABLE_MOVE
                        self.unreachable.add(index)
        if self._yielding:
            self._drop_poorly_designated(orders, units)
        return units, effects

    def effect(self, power: str, order: Order | None) -> tuple[int, OrderEffect] | None:
        """The unit that a legal order commands and what it means; `None` where the order is illegal."""
        units, effects = self._read([GivenOrder(power, order)])
        return None if units[0] < 0 else (units[0], effects[0])

    def _read(self, orders: Sequence[GivenOrder]) -> tuple[list[int], list[OrderEffect]]:
        """Read orders: for each the unit that it commands, or -1 where it is illegal, and what it means."""
        units: list[int] = []
        effects: list[OrderEffect] = []
        named, powers, places, home = self._named_in_full, self._power, self._places, self._home
        # An `Order` is of one of ten classes: compiled code would compare each order with all of them.
        for power, order in cast("Sequence[tuple[str, object]]", orders):
            unit = -1
            effect: OrderEffect | None = HOLDS
            if isinstance(order, MovementOrder):
                unit = named.get(order.unit, -1)
                if unit < 0 or powers[unit] != power:
                    unit = self.commanded(power, order.unit)
                if unit >= 0:
                    if isinstance(order, Move):
                        effect = None if order.via_convoy or order.path else places[unit].moves.get(order.to)
                        if effect is None:
                            effect = self.read_move(unit, order)
                    elif isinstance(order, SupportMove):
                        effect = self.read_support_move(unit, order)
                    elif isinstance(order, SupportHold):
                        other = self._other(unit, order.supported)
                        effect = places[other].held if other >= 0 and home[other] in places[unit].helps else None
                    elif isinstance(order, Convoy):
                        effect = self.read_convoy(unit, order)
            if effect is None:
                unit, effect = -1, HOLDS
            units.append(unit)
            effects.append(effect)
        return units, effects

    def _cannot_move(self, power: str, order: Move, is_still_an_order: Callable[[bool, bool], bool]) -> int:
        """Issue 4.E.1: the unit of an impossible move that is an order all the same, which nobody supports to hold."""
        unit = self.commanded(power, order.unit)
        if unit < 0:
            return -1
        home, named = self._home[unit], self._board.number.get(province_code(order.to), -1)
        if named == home:
            return -1
        on_board = named >= 0 or order.to.title() in self._board.impassable
        by_sea = named >= 0 and not self._is_fleet[unit] and bool(self._board.routes.between(home, named))
        return unit if is_still_an_order(on_board, by_sea) else -1

    def _drop_poorly_designated(self, orders: Sequence[GivenOrder], units: list[int]) -> None:
        """Issues 4.C.1, 4.C.2, 4.C.5, 4.C.6 `valid-unless-correct-order`: one that is correct replaces the others."""
        nothing: frozenset[str] = frozenset()
        faults = [self._faults(order) if unit >= 0 else nothing for unit, order in zip(units, orders, strict=True)]
        for index, unit in enumerate(units):
            rivals = [faults[rival] for rival, other in enumerate(units) if rival != index and other == unit]
            if any(self._is_replaced(issue, rivals) for issue in faults[index]):
                self.ignored.add(index)
        for index in self.ignored:
            units[index] = -1

    def _is_replaced(self, issue: str, rivals: Sequence[frozenset[str]]) -> bool:
        """Whether another order, by the faults of each, is correct in what an issue says is wrong with one."""
        return issue in self._yielding and any(not rival & _SAME_KIND[issue] for rival in rivals)

    def _faults(self, given: GivenOrder) -> frozenset[str]:
        """The issues that an order's designations of units raise."""
        order = given.order
        if not isinstance(order, MovementOrder):
            return frozenset()
        faults = {self._type_issue(self._named(order.unit), order.unit)}
        if isinstance(order, (SupportMove, SupportHold)):
            faults |= self._issues_of_other(order.supported, given.power)
        elif isinstance(order, Convoy):
            faults |= self._issues_of_other(order.convoyed, given.power)
        return frozenset(issue for issue in faults if issue is not None)

    def _issues_of_other(self, named: OrderedUnit, power: str) -> set[str | None]:
        """The issues that the name of a unit raises which an order of a power helps."""
        unit = self._named(named)
        return {self._type_issue(unit, named), self._nationality_issue(unit, named, power)}

    def _type_issue(self, unit: int, named: OrderedUnit) -> str | None:
        """The issue of a name that leaves out the type of the unit, or has it wrong."""
        if named.type == self._position.units[unit].type:
            return None
        return "4.C.1" if named.type is None else "4.C.2"

    def _nationality_issue(self, unit: int, named: OrderedUnit, power: str) -> str | None:
        """The issue of a name, in an order of a power, that leaves out whose a foreign unit is, or has it wrong."""
        owner = self._power[unit]
        if owner == named.power or (named.power is None and owner == power):
            return None
        return "4.C.5" if named.power is None else "4.C.6"

    def commanded(self, power: str, ordered: OrderedUnit) -> int:
        """The unit that a power orders, or -1 where it has none there or the order names it too badly."""
        unit = self._named(ordered)
        if unit < 0 or self._power[unit] != power or ordered.power not in (None, power):
            return -1
        return unit if self._is_there(unit, ordered.location) else -1

    def _is_there(self, unit: int, location: str) -> bool:
        """Whether an order may name a unit at a location: without its coast, or with another by 4.B.5 and 4.B.6."""
        if "/" not in location or self._position.units[unit].location == location:
            return True
        if location in self._board.number and self._is_fleet[unit]:
            return WRONG_COAST_IGNORED[self._choices["4.B.5"]]
        return self._ignores_unknown_coasts()

    def _ignores_unknown_coasts(self) -> bool:
        return UNKNOWN_COAST_IGNORED[self._choices["4.B.6"]]

    def _named(self, named: OrderedUnit) -> int:
        """The unit in a province, or -1: issues 4.C.1 and 4.C.2 on a missing or wrong type."""
        number = self._board.number.get(province_code(named.location))
        if number is None:
            return -1
        unit = self._occupant[number]
        return -1 if unit < 0 or self._type_issue(unit, named) in self._invalid else unit

    def _other(self, unit: int, named: OrderedUnit) -> int:
        """The unit that a support or convoy order names, or -1 where it names it too badly.

        Issues 4.C.5 and 4.C.6 are on its nationality, 4.B.5 and 4.B.6 on its coast.
        """
        invalid = self._invalid
        other = self._named_in_full.get(named, -1)
        if other < 0:
            other = self._named(named)
            if other < 0 or not self._is_there(other, named.location):
                return -1
        if other == unit or (invalid and self._nationality_issue(other, named, self._power[unit]) in invalid):
            return -1
        return other

    def read_move(self, unit: int, order: Move) -> OrderEffect | None:
        """What a move means that is not plain, or not plainly written; `None` where it is illegal."""
        if order.path and self._names_railway(order):
            return self._along_railway(unit, order)
        landing = self.landing(unit, order.to)
        if landing < 0:
            landing = -1 if order.via_convoy else self._through_canal(unit, order.to)
            return None if landing < 0 else effect_of(MOVE, landing, landing)
        if self._is_fleet[unit]:
            return None if order.via_convoy else effect_of(MOVE, self._board.province_of[landing], landing)
        return self._army_move(unit, order, landing)

    def _through_canal(self, unit: int, to: str) -> int:
        """The sea that a fleet can go to through a canal, if that is meant, or -1 (DATC 2.4, 7.C)."""
        canal = self._board.canal
        sea = canal.beyond(self._home[unit]) if canal is not None and self._is_fleet[unit] else -1
        return sea if sea >= 0 and self._board.number.get(to) == sea else -1

    def _names_railway(self, order: Move) -> bool:
        railway = self._board.railway
        return railway is not None and railway.name in order.path

    def _along_railway(self, unit: int, order: Move) -> OrderEffect | None:
        """What a move along the railway means; `None` where the unit cannot use it (DATC 2.4, 7.B)."""
        to = self._board.number.get(order.to, -1)
        if len(order.path) > 1 or order.via_convoy or not self._could_be_railed(unit, to):
            return None
        return OrderEffect(MOVE, to, to, by_rail=True)

    def _could_be_railed(self, unit: int, to: int) -> bool:
        railway = self._board.railway
        if railway is None or self._is_fleet[unit] or self._power[unit] != railway.power:
            return False
        return bool(railway.way(self._home[unit], to))

    def _army_move(self, unit: int, order: Move, target: int) -> OrderEffect | None:
        """The move of an army to another province on land: over a border, or where a chain of fleets could bring it."""
        home, seas = self._home[unit], self._named_seas(order)
        if seas is None:
            return None
        via_convoy = order.via_convoy or seas > 0
        by_land = target in self._places[unit].reach
        if via_convoy and ADJACENT_CONVOYS[self._choices["4.A.3"]].needs_fleets:
            by_land = False
        if not by_land and not self._board.routes.possible(home, target, self._position.fleets_at_sea()):
            return None
        if seas:
            return OrderEffect(MOVE, target, target, via_convoy=via_convoy, path=seas)
        return effect_of(MOVE, target, target, -1, via_convoy)

    def _named_seas(self, order: Move) -> int | None:
        """Issue 4.A.6: the set of seas that the order names as its path, `None` where it names another province."""
        seas = 0
        for stop in order.path if CONVOY_PATHS[self._choices["4.A.6"]].is_read else ():
            number = self._board.number.get(stop, -1)
            if number < 0 or not self._board.convoying >> number & 1:
                return None
            seas |= 1 << number
        return seas

    def landing(self, unit: int, to: str) -> int:
        """The location that a move by this unit to `to` ends on, or -1 where it is no destination for it.

        An army's is any other province on land: whether it can come there is not decided here.
        """
        number = self._board.number.get(to)
        province = number if number is not None else self._board.number.get(province_code(to))
        if province is None:
            return -1
        province = self._board.province_of[province]
        if not self._is_fleet[unit]:
            if "/" in to and not self._ignores_unknown_coasts():
                return -1
            return -1 if province == self._home[unit] or self._board.seas >> province & 1 else province
        possible = self._board.fleet_moves[self._places[unit].location].get(province, ())
        if number is not None and number in possible:
            return number
        return self._poorly_named_coast(to, known=number is not None, possible=possible)

    def _poorly_named_coast(self, to: str, *, known: bool, possible: tuple[int, ...]) -> int:
        """Issues 4.B.1, 4.B.2, 4.B.3 and 4.B.6: the coast is left out, out of reach, or none at all."""
        if len(possible) == 0:
            return -1
        if "/" in to:
            ignored = IMPOSSIBLE_COAST_IGNORED[self._choices["4.B.3"]] if known else self._ignores_unknown_coasts()
            return possible[0] if ignored and len(possible) == 1 else -1
        if possible[0] < len(self._board.provinces):
            return possible[0]  # The province has only one coast.
        issue = "4.B.2" if len(possible) == 1 else "4.B.1"
        province = self._board.provinces[self._board.province_of[possible[0]]].code
        default = self._board.number.get(f"{province}/{self._ruleset.default_coasts.get(province, '')}", -1)
        return OMITTED_COASTS[issue][self._choices[issue]](possible, default)

    def read_support_move(self, unit: int, order: SupportMove) -> OrderEffect | None:
        """What the support for a move means; `None` where it is illegal, on any coast of where it goes."""
        other = self._other(unit, order.supported)
        if other < 0:
            return None
        plain = self._places[other].supported.get(order.to)
        if plain is not None:
            return plain if plain.target in self._places[unit].helps else None
        number = self._board.number.get(order.to)
        province = number if number is not None else self._board.number.get(province_code(order.to))
        if province is None:
            return None
        province = self._board.province_of[province]
        canal = self._board.canal
        if canal is not None and self._through_canal(other, order.to) == province:
            if province in self._places[unit].helps:
                return effect_of(SUPPORT, province, -1, self._home[other])
            # An army lets the fleet pass, and adds no strength.
            permits = self._choices.get("canal.permits", canal.permits) == "unit"
            is_keeper = permits and self._home[unit] == canal.keeper
            return effect_of(HOLD, province, -1, self._home[other]) if is_keeper else None
        if province not in self._places[unit].helps or not self._could_be_moved(unit, other, province, order.to):
            return None
        names_coast = number is not None and "/" in order.to and self._is_fleet[other]
        return effect_of(SUPPORT, province, number if names_coast else -1, self._home[other])

    def _could_be_moved(self, supporter: int, other: int, province: int, to: str) -> bool:
        """Whether the supported move is possible, without the supporter as a convoying fleet (6.D.31)."""
        where = self._places[other].location
        if self._is_fleet[other]:
            possible = self._board.fleet_moves[where].get(province, ())
            if "/" not in to or not COASTS_OF_SUPPORT[self._choices["4.B.4"]].is_read:
                return bool(possible)
            if to in self._board.number:
                return self._board.number[to] in possible
            return bool(possible) and self._ignores_unknown_coasts()
        if "/" in to and not self._ignores_unknown_coasts():
            return False
        if province in self._places[other].reach or self._could_be_railed(other, province):
            return True
        fleets = self._position.fleets_at_sea() & ~(1 << self._places[supporter].location)
        return self._board.routes.possible(where, province, fleets)

    def read_convoy(self, unit: int, order: Convoy) -> OrderEffect | None:
        """What a convoy order means; `None` where it is illegal."""
        sea, at_sea, to = self._places[unit].location, self._position.fleets_at_sea(), order.to
        other = self._other(unit, order.convoyed)
        if other < 0 or self._is_fleet[other] or not at_sea >> sea & 1:
            return None
        if "/" in to:
            if not self._ignores_unknown_coasts():
                return None
            to = province_code(to)
        target, home = self._board.number.get(to), self._home[other]
        if target is None or target == home:
            return None
        if not MAY_CONVOY[self._choices["X.3"]](self._board.routes, home, target, at_sea, sea):
            return None
        return effect_of(CONVOY, target, -1, home)
